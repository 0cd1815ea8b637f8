//! Raw feed -> model: clean text, absolute URLs, parsed dates.

use super::raw::{RawEntry, RawFeed, RawLink, RawText, TextKind};
use super::{MAX_ENTRIES, ParsedFeed};
use crate::model::{Enclosure, Entry, Time};
use crate::util::{date, html};
use crate::util::{text, url as address};
use url::Url;

/// Maximum number of authors, categories or enclosures per entry.
const MAX_LIST: usize = 50;

/// Longest guid that is kept, in bytes.
const MAX_GUID: usize = 4096;

/// Builds the feed of the model. `base` is the URL of the response.
pub(super) fn feed(raw: RawFeed, base: Option<&Url>, mut repairs: Vec<String>) -> ParsedFeed {
    let feed_base = raw.base.as_ref().or(base);
    let home_url = main_link(&raw.links, feed_base);
    let title = raw.title.value.as_ref().map(plain).filter(|t| !t.is_empty());
    let language = raw.language.value.as_deref().and_then(language);
    let kept = newest(raw.entries, &mut repairs);
    // Without a better base, relative URLs in entries are resolved against the feed's home page.
    let fallback = home_url.as_deref().and_then(|u| Url::parse(u).ok());
    let mut converter = Converter {
        base: feed_base.or(fallback.as_ref()).cloned(),
        authors: names(&raw.authors),
        language: language.clone(),
        bad_dates: 0,
    };
    let entries: Vec<Entry> = kept.into_iter().map(|e| converter.entry(e)).collect();
    if converter.bad_dates > 0 {
        repairs.push(format!("unreadable dates: {}", converter.bad_dates));
    }
    ParsedFeed { title, home_url, language, hints: raw.hints.resolve(), entries, repairs }
}

/// Keeps at most [`MAX_ENTRIES`]: the newest if all are dated, else the first.
fn newest(mut entries: Vec<RawEntry>, repairs: &mut Vec<String>) -> Vec<RawEntry> {
    let total = entries.len();
    if total <= MAX_ENTRIES {
        return entries;
    }
    let date = |e: &RawEntry| {
        let text = e.published.value.as_deref().or(e.updated.value.as_deref());
        text.and_then(date::parse)
    };
    let dated: Option<Vec<Time>> = entries.iter().map(date).collect();
    let which = match dated {
        Some(dated) => {
            let mut order: Vec<usize> = (0..total).collect();
            order.sort_by_key(|i| std::cmp::Reverse(dated[*i]));
            let mut keep = vec![false; total];
            order.iter().take(MAX_ENTRIES).for_each(|i| keep[*i] = true);
            let mut flags = keep.into_iter();
            entries.retain(|_| flags.next().unwrap_or(false));
            "newest"
        }
        None => {
            entries.truncate(MAX_ENTRIES);
            "first"
        }
    };
    repairs.push(format!("only the {which} {MAX_ENTRIES} of {total} entries were kept"));
    entries
}

struct Converter {
    base: Option<Url>,
    authors: Vec<String>,
    language: Option<String>,
    bad_dates: usize,
}

impl Converter {
    fn entry(&mut self, raw: RawEntry) -> Entry {
        let base = raw.base.clone().or_else(|| self.base.clone());
        let url = entry_url(&raw, base.as_ref());
        // Unless the document sets a base, text is resolved against its own article's URL.
        let article = url.as_deref().and_then(|u| Url::parse(u).ok());
        let own = raw.base.clone().or(article).or_else(|| base.clone());
        let mut authors = names(&raw.authors);
        if authors.is_empty() {
            authors = names(&raw.weak_authors);
        }
        if authors.is_empty() {
            authors.clone_from(&self.authors);
        }
        let comments = raw.comments.as_deref().and_then(|c| address::absolute(base.as_ref(), c));
        let comments = comments.map(String::from).filter(|c| Some(c) != url.as_ref());
        let published = raw.published.value.as_deref().and_then(|d| self.date(d));
        let updated = raw.updated.value.as_deref().and_then(|d| self.date(d));
        Entry {
            guid: raw.guid.value.filter(|g| !g.is_empty() && g.len() <= MAX_GUID),
            title: raw.title.value.as_ref().map(plain).unwrap_or_default(),
            url,
            authors,
            published,
            updated,
            summary: raw.summary.value.and_then(|t| body(&t, own.as_ref())),
            content: raw.content.value.and_then(|t| body(&t, own.as_ref())),
            enclosures: enclosures(&raw.enclosures, raw.seconds, base.as_ref()),
            categories: names(&raw.categories),
            comments,
            language: raw.language.as_deref().and_then(language).or_else(|| self.language.clone()),
            publisher: raw.publisher.as_deref().map(text::line).filter(|p| !p.is_empty()),
        }
    }

    fn date(&mut self, text: &str) -> Option<Time> {
        let date = date::parse(text);
        self.bad_dates += usize::from(date.is_none() && !text.trim().is_empty());
        date
    }
}

/// Safe HTML, or `None` if nothing is left after sanitising.
fn body(raw: &RawText, base: Option<&Url>) -> Option<String> {
    let html = match raw.kind {
        TextKind::Plain => html::paragraphs(&raw.value),
        TextKind::Guess if !html::contains_markup(&raw.value) => {
            if raw.value.trim().contains('\n') {
                html::paragraphs(&raw.value)
            } else {
                html::escape(&text::block(raw.value.trim())).into_owned()
            }
        }
        TextKind::Html | TextKind::Guess => html::clean(&raw.value, raw.base.as_ref().or(base)),
    };
    Some(html).filter(|h| !h.is_empty())
}

fn plain(raw: &RawText) -> String {
    match raw.kind {
        TextKind::Plain => text::line(&raw.value),
        TextKind::Guess if !html::contains_markup(&raw.value) => text::line(&raw.value),
        TextKind::Html | TextKind::Guess => text::line(&html::to_text(&raw.value)),
    }
}

/// Clean names in document order, without duplicates.
fn names(raw: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for name in raw.iter().take(MAX_LIST).map(|n| text::line(n)) {
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
    address::absolute(link.base.as_ref().or(base), &link.href)
}

/// The link to the page. An HTML alternate is preferred.
fn main_link(links: &[RawLink], base: Option<&Url>) -> Option<String> {
    let is_page = |l: &RawLink| l.mime.as_deref().is_none_or(|m| m.contains("html"));
    let alternate = |l: &&RawLink| l.rel == "alternate";
    let pages = links.iter().filter(alternate).filter(|l| is_page(l));
    let others = links.iter().filter(alternate).filter(|l| !is_page(l));
    let rest = links.iter().filter(|l| l.rel == "content");
    pages.chain(others).chain(rest).find_map(|l| absolute(l, base)).map(String::from)
}

fn entry_url(raw: &RawEntry, base: Option<&Url>) -> Option<String> {
    let original = raw.original_link.as_deref().and_then(|l| address::absolute(None, l));
    let linked = original.map(String::from).or_else(|| main_link(&raw.links, base));
    linked.or_else(|| guid_url(raw))
}

/// The guid, if it is allowed to be a URL and is one.
fn guid_url(raw: &RawEntry) -> Option<String> {
    if raw.guid_is_link == Some(false) {
        return None;
    }
    let guid = raw.guid.value.as_deref()?;
    address::absolute(None, guid).map(String::from)
}

fn enclosures(links: &[RawLink], seconds: Option<u64>, base: Option<&Url>) -> Vec<Enclosure> {
    let mut out: Vec<Enclosure> = Vec::new();
    for link in links.iter().take(MAX_LIST) {
        let Some(url) = absolute(link, base).map(String::from) else { continue };
        if out.iter().any(|e| e.url == url) {
            continue;
        }
        let mime = link.mime.as_deref().map(text::line).filter(|m| !m.is_empty());
        out.push(Enclosure { url, mime, bytes: link.bytes, seconds: link.seconds.or(seconds) });
    }
    out
}
