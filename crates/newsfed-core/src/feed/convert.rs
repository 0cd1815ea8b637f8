//! Converts a raw feed to the model: sanitised text, absolute URLs, parsed dates.

use super::ParsedFeed;
use super::raw::{Base, RawEntry, RawFeed, RawLink, RawText, TextKind};
use crate::model::{Chapter, Enclosure, Entry, FormerTexts, Time};
use crate::util::limits;
use crate::util::media::is_playable;
use crate::util::session::without_session;
use crate::util::{date, html};
use crate::util::{text, url as address};
use std::sync::Arc;
use url::Url;

/// Maximum length of a guid, in bytes. Longer ones are dropped.
const MAX_GUID: usize = 4096;

/// Builds the feed of the model. `base` is the URL of the response.
pub(super) fn feed(raw: RawFeed, base: Option<&Url>, mut repairs: Vec<String>) -> ParsedFeed {
    let feed_base = raw.base.as_deref().or(base);
    let home_url = main_link(&raw.links.kept, feed_base);
    let title = raw.title.value.as_ref().map(plain).filter(|t| !t.is_empty());
    let language = raw.language.value.as_deref().and_then(language);
    let left_out = raw.entries.left_out + raw.links.left_out + raw.authors.left_out;
    if left_out > 0 {
        repairs.push(format!("surplus links, names and categories were left out: {left_out}"));
    }
    let (entries, note) = raw.entries.finish();
    repairs.extend(note);
    // Without a better base, relative URLs in entries are resolved against the feed's home page.
    let mut converter = Converter {
        base: feed_base.or(home_url.as_ref()).cloned().map(Arc::new),
        authors: names(&raw.authors.kept),
        language: language.clone(),
        bad_dates: 0,
        left: limits::FEED_TEXT,
        former_left: limits::FEED_TEXT / 4,
        left_out: 0,
        cut: 0,
    };
    let entries: Vec<Entry> = entries.into_iter().map(|e| converter.entry(e)).collect();
    if converter.bad_dates > 0 {
        repairs.push(format!("unreadable dates: {}", converter.bad_dates));
    }
    if converter.left_out > 0 {
        repairs
            .push(format!("texts and URLs left out (too long in total): {}", converter.left_out));
    }
    if converter.cut > 0 {
        repairs.push(format!("texts cut (too long): {}", converter.cut));
    }
    let home_url = home_url.map(String::from);
    ParsedFeed { title, home_url, language, hints: raw.hints.resolve(), entries, repairs }
}

struct Converter {
    base: Base,
    authors: Vec<String>,
    language: Option<String>,
    bad_dates: usize,
    /// Number of bytes left for texts and URLs.
    left: usize,
    /// Number of bytes left for the same texts as sanitised by earlier versions of newsfed.
    former_left: usize,
    /// Number of texts and URLs that were too long.
    left_out: usize,
    /// Number of truncated texts.
    cut: usize,
}

impl Converter {
    fn entry(&mut self, raw: RawEntry) -> Entry {
        let feed_base = self.base.clone();
        let base = raw.base.as_deref().or(feed_base.as_deref());
        // Unless the document sets a base, relative URLs in a text are resolved against its article's URL.
        let article = entry_url(&raw, base);
        let url = article.as_ref().map(|url| url.as_str().to_owned());
        let own = raw.base.as_deref().or(article.as_ref()).or(base);
        let mut authors = names(&raw.authors.kept);
        if authors.is_empty() {
            authors = names(&raw.weak_authors.kept);
        }
        if authors.is_empty() {
            let shared = self.authors.clone();
            authors = shared.into_iter().filter_map(|name| self.limited(Some(name))).collect();
        }
        let comments = raw.comments.as_deref().and_then(|c| address::absolute(base, c));
        let comments = comments.map(String::from).filter(|c| Some(c) != url.as_ref());
        let comment_feed = raw.comment_feed.as_deref().and_then(|c| address::absolute(base, c));
        let published = raw.published.value.as_deref().and_then(|d| self.date(d));
        let enclosures = self.enclosures(&raw, base);
        let updated = raw.updated.value.as_deref().and_then(|d| self.date(d));
        let (summary, former_summary) = self.body(raw.summary.value.as_ref(), own);
        let (content, former_content) = self.body(raw.content.value.as_ref(), own);
        let former = FormerTexts { summary: former_summary, content: former_content };
        Entry {
            dated: None,
            guid: raw.guid.value.filter(|g| !g.is_empty() && g.len() <= MAX_GUID),
            title: raw.title.value.as_ref().map(plain).unwrap_or_default(),
            url: self.limited(url),
            authors,
            published,
            updated,
            summary,
            content,
            former: (former != FormerTexts::default()).then(|| Box::new(former)),
            enclosures,
            categories: names(&raw.categories.kept),
            comments: self.limited(comments),
            comment_feed: self.limited(comment_feed.map(String::from)),
            comment_count: raw.comment_count,
            language: raw.language.as_deref().and_then(language).or_else(|| self.language.clone()),
            publisher: raw.publisher.as_deref().map(text::line).filter(|p| !p.is_empty()),
        }
    }

    fn date(&mut self, text: &str) -> Option<Time> {
        let date = date::parse(text);
        self.bad_dates += usize::from(date.is_none() && !text.trim().is_empty());
        date
    }

    /// The text, or `None` if it would make the feed too long.
    fn limited(&mut self, text: Option<String>) -> Option<String> {
        let fits = text.as_ref().is_none_or(|text| text.len() <= self.left);
        self.left_out += usize::from(!fits);
        let text = text.filter(|_| fits)?;
        self.left -= text.len();
        Some(text)
    }

    /// Safe HTML, or `None` if nothing is left after sanitising; and the result of earlier versions of
    /// newsfed for the same text, if it differs.
    fn body(
        &mut self,
        raw: Option<&RawText>,
        base: Option<&Url>,
    ) -> (Option<String>, Option<String>) {
        let Some(raw) = raw else { return (None, None) };
        let mut former = None;
        let html = match raw.kind {
            TextKind::Plain => html::paragraphs(&raw.value),
            TextKind::Guess if !html::contains_markup(&raw.value) => {
                if raw.value.trim().contains('\n') {
                    html::paragraphs(&raw.value)
                } else {
                    html::plain(&raw.value)
                }
            }
            TextKind::Html | TextKind::Guess => {
                let (html, before) =
                    html::clean_with_former(&raw.value, raw.base.as_deref().or(base));
                former = before.filter(|before| before.len() <= self.former_left);
                self.former_left -= former.as_ref().map_or(0, String::len);
                html
            }
        };
        self.cut += usize::from(html::is_cut(&html));
        (self.limited(Some(html).filter(|h| !h.is_empty())), former)
    }

    fn enclosures(&mut self, raw: &RawEntry, base: Option<&Url>) -> Vec<Enclosure> {
        let mut out: Vec<Enclosure> = Vec::new();
        for link in &raw.enclosures.kept {
            let Some(url) = self.limited(absolute(link, base).map(String::from)) else { continue };
            if out.iter().any(|e| e.url == url) {
                continue;
            }
            let mime = link.mime.as_deref().map(text::line).filter(|m| !m.is_empty());
            let (bytes, seconds) = (link.bytes, link.seconds.or(raw.seconds));
            out.push(Enclosure { url, mime, bytes, seconds, ..Enclosure::default() });
        }
        if let Some(episode) = out.iter_mut().find(|file| is_playable(file)) {
            let titled = raw.chapters.iter().filter_map(|(start, title)| {
                let title = self.limited(Some(text::line(title)))?;
                Some(Chapter { start: *start, title })
            });
            episode.chapters = titled.collect();
            episode.chapters.sort_by_key(|chapter| chapter.start);
            let url = raw.chapters_url.as_ref().and_then(|link| absolute(link, base));
            episode.chapters_url = self.limited(url.map(String::from));
        }
        out
    }
}

fn plain(raw: &RawText) -> String {
    match raw.kind {
        TextKind::Plain => text::line(&raw.value),
        TextKind::Guess if !html::contains_markup(&raw.value) => text::line(&raw.value),
        TextKind::Html | TextKind::Guess => text::line(&html::to_text(&raw.value)),
    }
}

/// Sanitised names in document order, without duplicates.
fn names(raw: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for name in raw.iter().map(|n| text::line(n)) {
        if !name.is_empty() && !out.contains(&name) {
            out.push(name);
        }
    }
    out
}

fn language(tag: &str) -> Option<String> {
    let tag = tag.trim();
    let fits = tag.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    (fits && (2..=35).contains(&tag.len())).then(|| tag.replace('_', "-"))
}

fn absolute(link: &RawLink, base: Option<&Url>) -> Option<Url> {
    address::absolute(link.base.as_deref().or(base), &link.href)
}

/// The link to the page. A link to an HTML page is preferred.
fn main_link(links: &[RawLink], base: Option<&Url>) -> Option<Url> {
    let is_page = |l: &RawLink| l.mime.as_deref().is_none_or(|m| m.contains("html"));
    let alternate = |l: &&RawLink| l.rel == "alternate";
    let pages = links.iter().filter(alternate).filter(|l| is_page(l));
    let others = links.iter().filter(alternate).filter(|l| !is_page(l));
    let rest = links.iter().filter(|l| l.rel == "content");
    pages.chain(others).chain(rest).find_map(|l| absolute(l, base))
}

fn entry_url(raw: &RawEntry, base: Option<&Url>) -> Option<Url> {
    let original = raw.original_link.as_deref().and_then(|l| address::absolute(None, l));
    let linked = original.or_else(|| main_link(&raw.links.kept, base));
    // Of the URLs of the entry, only this one loses its session parameters, because it identifies the entry.
    linked.or_else(|| guid_url(raw)).map(without_session)
}

/// The guid, if it may be a URL and is one.
fn guid_url(raw: &RawEntry) -> Option<Url> {
    if raw.guid_is_link == Some(false) {
        return None;
    }
    let guid = raw.guid.value.as_deref()?;
    address::absolute(None, guid)
}
