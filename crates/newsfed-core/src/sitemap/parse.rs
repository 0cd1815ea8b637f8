//! Parser of sitemap documents (<https://www.sitemaps.org/protocol.html>, and the news extension
//! of <http://www.google.com/schemas/sitemap-news/0.9>).

use crate::model::Time;
use crate::util::domain::same_site;
use crate::util::limits;
use crate::util::session::without_session;
use crate::util::{date, html, text, url as address};
use flate2::read::MultiGzDecoder;
use quick_xml::Reader;
use quick_xml::events::Event;
use std::borrow::Cow;
use std::io::Read;
use url::Url;

/// Maximum length of an element's text, in bytes.
const MAX_TEXT: usize = 8 * 1024;

#[derive(Debug, Clone, PartialEq)]
pub enum Sitemap {
    /// An index of other sitemaps.
    Index(Vec<Child>),
    Pages(Vec<SitemapEntry>),
}

/// A sitemap listed in an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Child {
    /// Always on the site of the index.
    pub url: Url,
    /// When it was last changed.
    pub lastmod: Option<LastMod>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SitemapEntry {
    /// Always on the site of the sitemap.
    pub url: Url,
    /// When it was last changed.
    pub lastmod: Option<LastMod>,
    /// How often it changes, in lower case: `hourly`.
    pub changefreq: Option<String>,
    /// 0 to 1; 0.5 if not given. Only used to sort due pages.
    pub priority: f32,
    /// The data of the news extension.
    pub news: Option<News>,
}

/// Title and date of an article, so that its page need not be fetched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct News {
    /// One sanitised line.
    pub title: String,
    pub published: Option<Time>,
    /// Name of the publisher.
    pub publication: Option<String>,
    pub language: Option<String>,
}

/// A modification time, or only a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastMod {
    /// The moment, or the start of the day in UTC.
    pub at: Time,
    /// Whether only the day is known.
    pub whole_day: bool,
}

impl LastMod {
    /// Parses `2025-10-23`, `2025-10-23T15:37+00:00` and everything in between.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        Some(Self { at: date::parse(text)?, whole_day: !text.contains([':', 'T']) })
    }

    /// Whether the change may have happened after a visit. If only its day is known, it may have happened
    /// after a visit on that day.
    pub fn may_be_after(&self, visit: Time) -> bool {
        if self.whole_day { self.at.date_naive() >= visit.date_naive() } else { self.at > visit }
    }
}

/// Why a document is not a sitemap.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SitemapError {
    /// Another kind of document.
    #[error("this is not a sitemap")]
    Other,
    /// Larger than the protocol allows.
    #[error("the sitemap is larger than {} MiB when decompressed", limits::SITEMAP_BYTES / 1024 / 1024)]
    TooLarge,
}

/// Parses a document from `url`: XML, or plain text with one URL per line, optionally compressed
/// with gzip. URLs on other sites are skipped; a damaged document is read up to the damage.
///
/// # Errors
/// If it is another kind of document, or too large.
pub fn parse(bytes: &[u8], url: &Url) -> Result<Sitemap, SitemapError> {
    Ok(parse_and_count(bytes, url)?.0)
}

/// Like [`parse`], but also returns the number of URLs beyond [`limits::SITEMAP_URLS`].
///
/// # Errors
/// If it is another kind of document, or too large.
pub fn parse_and_count(bytes: &[u8], url: &Url) -> Result<(Sitemap, usize), SitemapError> {
    let body = unpack(bytes)?;
    let markup = html::decode(&body, None);
    let start = markup.trim_start_matches('\u{feff}').trim_start();
    if start.starts_with('<') {
        return xml(start, url);
    }
    let pages: Vec<SitemapEntry> = lines(start, url).collect();
    if pages.is_empty() {
        return Err(SitemapError::Other);
    }
    let surplus = start.lines().skip(limits::SITEMAP_URLS).filter(|line| !line.trim().is_empty());
    Ok((Sitemap::Pages(pages), surplus.count()))
}

fn unpack(bytes: &[u8]) -> Result<Cow<'_, [u8]>, SitemapError> {
    let mut body = Cow::Borrowed(bytes);
    // Decompress twice, because some servers compress a file that is already compressed.
    for _ in 0..2 {
        if body.starts_with(&[0x1f, 0x8b]) {
            let mut out = Vec::new();
            let limit = limits::SITEMAP_BYTES as u64 + 1;
            // The part of a damaged file that can be decompressed is used.
            let _ = MultiGzDecoder::new(&*body).take(limit).read_to_end(&mut out);
            body = Cow::Owned(out);
        }
    }
    if body.len() > limits::SITEMAP_BYTES { Err(SitemapError::TooLarge) } else { Ok(body) }
}

/// Plain text: every line is a URL.
fn lines<'a>(body: &'a str, url: &'a Url) -> impl Iterator<Item = SitemapEntry> + 'a {
    let looks_right = body.lines().next().is_some_and(|l| l.trim().starts_with("http"));
    body.lines().take(if looks_right { limits::SITEMAP_URLS } else { 0 }).filter_map(move |line| {
        let draft = Draft { loc: line.trim().to_owned(), ..Draft::default() };
        draft.page(url)
    })
}

/// An entry that is being parsed.
#[derive(Default)]
struct Draft {
    loc: String,
    lastmod: String,
    changefreq: String,
    priority: String,
    title: String,
    publication_date: String,
    name: String,
    language: String,
    is_news: bool,
}

impl Draft {
    fn url(&self, base: &Url) -> Option<Url> {
        let url = address::resolve(base, &self.loc)?;
        same_site(&url, base).then_some(url)
    }

    fn child(&self, base: &Url) -> Option<Child> {
        Some(Child { url: self.url(base)?, lastmod: LastMod::parse(&self.lastmod) })
    }

    fn page(&self, base: &Url) -> Option<SitemapEntry> {
        let word = |s: &str| Some(text::line(s)).filter(|s| !s.is_empty());
        let priority = self.priority.trim().parse().ok().filter(|p| (0.0..=1.0).contains(p));
        let news = self.is_news.then(|| News {
            title: text::line(&self.title),
            published: date::parse(&self.publication_date),
            publication: word(&self.name),
            language: word(&self.language),
        });
        Some(SitemapEntry {
            url: without_session(self.url(base)?),
            lastmod: LastMod::parse(&self.lastmod),
            changefreq: word(&self.changefreq).map(|f| f.to_lowercase()),
            priority: priority.unwrap_or(0.5),
            news: news.filter(|n| !n.title.is_empty()),
        })
    }

    fn field(&mut self, name: &str) -> Option<&mut String> {
        Some(match name {
            "loc" => &mut self.loc,
            "lastmod" => &mut self.lastmod,
            "changefreq" => &mut self.changefreq,
            "priority" => &mut self.priority,
            "title" => &mut self.title,
            "publication_date" => &mut self.publication_date,
            "name" => &mut self.name,
            "language" => &mut self.language,
            _ => return None,
        })
    }
}

/// Parses XML as a stream of events, without a tree in memory. Elements are identified by their local names.
fn xml(markup: &str, url: &Url) -> Result<(Sitemap, usize), SitemapError> {
    let mut reader = Reader::from_str(markup);
    reader.config_mut().check_end_names = false;
    let (mut children, mut pages, mut index) = (Vec::new(), Vec::new(), None);
    let mut draft = Draft::default();
    // The element whose text is being read, and whether the parser is inside an image or video of an entry;
    // the title and URL of an image or video are not the entry's own.
    let (mut field, mut foreign): (String, usize) = (String::new(), 0);
    loop {
        let event = match reader.read_event() {
            Ok(Event::Eof) | Err(_) => break,
            Ok(event) => event,
        };
        match event {
            Event::Start(tag) => {
                let name = tag.local_name().as_ref().to_ascii_lowercase();
                match name.as_str() {
                    "urlset" => index = index.or(Some(false)),
                    "sitemapindex" => index = index.or(Some(true)),
                    "url" | "sitemap" => draft = Draft::default(),
                    "news" => draft.is_news = true,
                    "image" | "video" => foreign += 1,
                    _ if index.is_none() => return Err(SitemapError::Other),
                    _ => {}
                }
                field = name;
            }
            Event::End(tag) => {
                let name = tag.local_name().as_ref().to_ascii_lowercase();
                match name.as_str() {
                    "url" => pages.extend(draft.page(url)),
                    "sitemap" => children.extend(draft.child(url)),
                    "image" | "video" => foreign = foreign.saturating_sub(1),
                    _ => {}
                }
                field.clear();
            }
            Event::Text(part) => {
                push(&mut draft, &field, foreign, &part);
            }
            Event::CData(part) => {
                push(&mut draft, &field, foreign, &part);
            }
            Event::GeneralRef(name) => {
                let reference = format!("&{};", &*name);
                push(&mut draft, &field, foreign, &html::decode_entities(&reference));
            }
            _ => {}
        }
        if pages.len() + children.len() >= limits::SITEMAP_URLS {
            break;
        }
    }
    let surplus = count_rest(reader);
    match index {
        Some(true) => Ok((Sitemap::Index(children), surplus)),
        Some(false) => Ok((Sitemap::Pages(pages), surplus)),
        None => Err(SitemapError::Other),
    }
}

/// Number of URLs in the rest of a document.
fn count_rest(mut reader: Reader<&[u8]>) -> usize {
    let mut count = 0;
    loop {
        match reader.read_event() {
            Ok(Event::Eof) | Err(_) => return count,
            Ok(Event::End(tag)) => {
                let name = tag.local_name();
                count += usize::from(
                    ["url", "sitemap"].iter().any(|n| name.as_ref().eq_ignore_ascii_case(n)),
                );
            }
            Ok(_) => {}
        }
    }
}

fn push(draft: &mut Draft, field: &str, foreign: usize, part: &str) {
    if foreign > 0 {
        return;
    }
    if let Some(slot) = draft.field(field)
        && slot.len() + part.len() <= MAX_TEXT
    {
        slot.push_str(part);
    }
}
