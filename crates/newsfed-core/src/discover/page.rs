//! The feeds that a page announces, in `link` elements and in links in its text.

use crate::util::html::{Scanner, Tag, Token, decode_entities};
use crate::util::{text, url as address};
use url::Url;

const MAX_ANNOUNCED: usize = 30;

/// A feed that a page announces.
#[derive(Debug, Clone, PartialEq)]
pub struct AnnouncedFeed {
    pub url: Url,
    /// The name on the page, as one line of plain text.
    pub title: Option<String>,
    /// The media type given by the page.
    pub mime: Option<String>,
    /// Confidence that this is the main feed of the page, 0 to 1.
    pub confidence: f64,
}

/// The announcements of a page.
pub(super) struct Announcements {
    pub(super) title: Option<String>,
    /// The announced feeds, best first, without duplicate URLs.
    pub(super) announced: Vec<AnnouncedFeed>,
    /// Whether the document contains any HTML.
    pub(super) is_html: bool,
}

/// A feed with its score.
struct Candidate {
    feed: AnnouncedFeed,
    score: i32,
}

/// Reads the announcements of a page in linear time, without building a tree.
pub(super) fn read(html: &str, final_url: &Url) -> Announcements {
    let mut reader = PageReader {
        base: final_url.clone(),
        based: false,
        title: None,
        candidates: Vec::new(),
        anchor: None,
        is_html: false,
    };
    let mut scanner = Scanner::new(html);
    while let Some(token) = scanner.next_token() {
        match token {
            Token::Open(tag) => reader.start(&tag, &mut scanner),
            Token::Close(name) if name.eq_ignore_ascii_case("a") => reader.end_anchor(final_url),
            Token::Text(part) => {
                if let Some((_, text)) = &mut reader.anchor {
                    text.push_str(&decode_entities(part));
                }
            }
            _ => {}
        }
    }
    reader.end_anchor(final_url);
    reader.candidates.sort_by_key(|c| std::cmp::Reverse(c.score));
    let mut announced: Vec<AnnouncedFeed> = Vec::new();
    for candidate in reader.candidates {
        let key = address::normalise(&candidate.feed.url);
        if !announced.iter().any(|a| address::normalise(&a.url) == key) {
            announced.push(candidate.feed);
        }
        if announced.len() == MAX_ANNOUNCED {
            break;
        }
    }
    Announcements { title: reader.title, announced, is_html: reader.is_html }
}

struct PageReader {
    base: Url,
    /// Whether a `base` element was seen. Only the first one is used.
    based: bool,
    title: Option<String>,
    candidates: Vec<Candidate>,
    /// The target of the open link, and its text so far.
    anchor: Option<(Url, String)>,
    is_html: bool,
}

impl PageReader {
    fn start(&mut self, tag: &Tag<'_>, scanner: &mut Scanner<'_>) {
        let name = tag.name.to_ascii_lowercase();
        match name.as_str() {
            "script" | "style" | "textarea" | "xmp" | "noframes" => {
                scanner.skip_raw(tag.name);
            }
            "title" => {
                let title = text::line(&decode_entities(scanner.skip_raw(tag.name)));
                if self.title.is_none() && !title.is_empty() {
                    self.title = Some(title);
                }
            }
            "base" => self.base_element(tag),
            "link" => self.link(tag),
            "a" => self.start_anchor(tag),
            "img" => {
                // The alternative text of an image counts as link text.
                if let (Some((_, text)), Some(alt)) = (&mut self.anchor, tag.attribute("alt")) {
                    text.push_str(&alt);
                }
            }
            _ => {}
        }
        self.is_html |= matches!(name.as_str(), "html" | "head" | "body" | "a" | "p" | "div");
    }

    fn base_element(&mut self, tag: &Tag<'_>) {
        if self.based {
            return;
        }
        if let Some(href) = tag.attribute("href") {
            self.based = true;
            if let Some(url) = address::resolve(&self.base, &href) {
                self.base = url;
            }
        }
    }

    fn link(&mut self, tag: &Tag<'_>) {
        let rel = tag.attribute("rel").unwrap_or_default().to_ascii_lowercase();
        let mime = tag.attribute("type").map(|m| text::line(&m).to_ascii_lowercase());
        let has = |word: &str| rel.split_whitespace().any(|r| r == word);
        let kind = mime.as_deref().map(feed_kind);
        let announces = has("feed") && kind != Some(Some(Kind::Other))
            || has("alternate") && matches!(kind, Some(Some(k)) if k != Kind::Other);
        // A style sheet or a translation of the page is not its feed.
        if !announces || has("stylesheet") {
            return;
        }
        let href = tag.attribute("href").unwrap_or_default();
        let Some(url) = address::resolve(&self.base, &href) else { return };
        let title = tag.attribute("title").map(|t| text::line(&t)).filter(|t| !t.is_empty());
        let score = 1000 + rank(&url, title.as_deref().unwrap_or_default());
        self.push(url, title, mime.filter(|m| !m.is_empty()), score);
    }

    fn start_anchor(&mut self, tag: &Tag<'_>) {
        let href = tag.attribute("href").unwrap_or_default();
        // The scheme `feed:` shows that the link leads to a feed.
        let plain = href.trim().strip_prefix("feed:").map(|rest| match rest.strip_prefix("//") {
            Some(rest) => format!("http://{rest}"),
            None => rest.to_owned(),
        });
        let target = address::resolve(&self.base, plain.as_deref().unwrap_or(&href));
        let mime = tag.attribute("type").and_then(|m| feed_kind(&m.to_ascii_lowercase()));
        let sure = plain.is_some() || matches!(mime, Some(k) if k != Kind::Other);
        self.anchor = target.map(|url| {
            let text = if sure { "rss " } else { "" };
            let title = tag.attribute("title").unwrap_or_default();
            (url, format!("{text}{title} "))
        });
    }

    fn end_anchor(&mut self, page: &Url) {
        let Some((url, label)) = self.anchor.take() else { return };
        let label = text::line(&label);
        let same_site = url.host_str() == page.host_str();
        let (by_path, by_label) = (path_looks_like_feed(&url), label_looks_like_feed(&label));
        if !by_path && !by_label || is_service(&url) || url.path() == page.path() {
            return;
        }
        let score = 100 * i32::from(by_path)
            + 50 * i32::from(by_label)
            + 100 * i32::from(same_site)
            + rank(&url, &label);
        let title = Some(label).filter(|l| !l.is_empty() && l.len() <= 100);
        self.push(url, title, None, score);
    }

    fn push(&mut self, url: Url, title: Option<String>, mime: Option<String>, score: i32) {
        let feed = AnnouncedFeed { url, title, mime, confidence: confidence(score) };
        // A page may contain any number of links. Only the first ones are considered.
        if self.candidates.len() < 50 * MAX_ANNOUNCED {
            self.candidates.push(Candidate { feed, score });
        }
    }
}

/// The confidence for a score. From the top: the main feed, other feeds and comment feeds in `link` elements;
/// then links in the text with feed-like URLs and labels.
fn confidence(score: i32) -> f64 {
    match score {
        960.. => 0.99,
        900..960 => 0.8,
        400..900 => 0.4,
        190..400 => 0.96,
        100..190 => 0.75,
        _ => 0.3,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Feed,
    /// A media type that feeds share with other documents.
    Vague,
    Other,
}

/// The kind of a media type; `None` if it is empty.
fn feed_kind(mime: &str) -> Option<Kind> {
    let essence = mime.split(';').next().unwrap_or_default().trim();
    Some(match essence {
        "" => return None,
        "application/rss+xml"
        | "application/atom+xml"
        | "application/feed+json"
        | "application/rdf+xml"
        | "application/x.atom+xml"
        | "application/x-atom+xml"
        | "application/rss"
        | "application/atom"
        | "text/rss"
        | "text/rss+xml"
        | "text/atom+xml" => Kind::Feed,
        "application/xml" | "text/xml" | "application/json" => Kind::Vague,
        _ => Kind::Other,
    })
}

/// A score of at most 0 for how likely a feed is the main feed, by its URL and name. Feeds of comments, tags
/// and single pages have the lowest scores.
fn rank(url: &Url, title: &str) -> i32 {
    let path = url.path().to_ascii_lowercase();
    let title = title.to_lowercase();
    let mut score = 0;
    let mut lower_if = |hit: bool, by: i32| score -= if hit { by } else { 0 };
    let comment = ["comment", "kommentar", "commentaire", "comentario", "комментари"];
    lower_if(comment.iter().any(|w| path.contains(w) || title.contains(w)), 400);
    lower_if(
        ["/tag/", "/tags/", "/category/", "/categories/", "/author/"]
            .iter()
            .any(|w| path.contains(w)),
        60,
    );
    lower_if(path.contains("oembed") || path.contains("wp-json"), 900);
    lower_if(path.ends_with(".json") || url.query().is_some(), 10);
    // The URL with fewer path segments is more general.
    lower_if(true, i32::try_from(path.matches('/').count().min(9)).unwrap_or(9));
    score
}

fn path_looks_like_feed(url: &Url) -> bool {
    let path = url.path().trim_end_matches('/').to_ascii_lowercase();
    let last = path.rsplit('/').next().unwrap_or_default();
    let query = url.query().unwrap_or_default().to_ascii_lowercase();
    let names = [
        "feed",
        "feeds",
        "rss",
        "rss2",
        "atom",
        "rdf",
        "feed.xml",
        "feed.json",
        "index.xml",
        "rss.xml",
        "atom.xml",
        "index.rdf",
        "rss.php",
        "feed.php",
        "atom.php",
    ];
    let endings =
        [".rss", ".atom", ".rdf", ".atom.xml", ".rss.xml", "-rss.xml", "-feed.xml", "_rss.xml"];
    names.contains(&last)
        || endings.iter().any(|e| last.ends_with(e))
        || ["feed=rss", "feed=atom", "format=rss", "format=feed", "type=rss", "output=rss"]
            .iter()
            .any(|q| query.contains(q))
        || path.ends_with("/rss/index.html")
}

fn label_looks_like_feed(label: &str) -> bool {
    let lower = label.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    // A longer label that contains the word is the title of an article about feeds.
    words.len() <= 5
        && words.iter().any(|w| matches!(*w, "rss" | "rss2" | "atom" | "feed" | "feeds" | "xml"))
}

/// Whether a URL belongs to a service that reads feeds but does not provide them.
fn is_service(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    [
        "feedly.com",
        "inoreader.com",
        "newsblur.com",
        "netvibes.com",
        "theoldreader.com",
        "wikipedia.org",
        "add.my.yahoo.com",
        "twitter.com",
        "facebook.com",
    ]
    .iter()
    .any(|s| host == *s || host.ends_with(&format!(".{s}")))
        || url.path().starts_with("/subscription")
            && url.query().is_some_and(|q| q.contains("url="))
}
