//! Detecting the ways in which a URL can be followed.
//!
//! The decisions are pure: what a response is, and which feeds a page announces. The engine sends
//! the requests.

mod page;
mod survey;

pub use page::Announced;
pub use survey::{EntriesOffer, EntriesRank, Survey, survey};

use crate::feed::{self, FeedError, ParsedFeed};
use url::Url;

/// The kind of a document.
#[derive(Debug, Clone, PartialEq)]
pub enum DocumentKind {
    /// A feed; it can be followed at the URL of the response.
    Feed(Box<ParsedFeed>),
    /// A page that announces feeds.
    Page {
        /// One line of plain text.
        title: Option<String>,
        /// Best first, at least one.
        announced: Vec<Announced>,
    },
    Nothing {
        /// The reason, such as "this is not a feed but a sitemap".
        reason: String,
    },
}

/// Detects the kind of a document. `final_url` is the URL after redirects.
pub fn inspect(bytes: &[u8], content_type: Option<&str>, final_url: &Url) -> DocumentKind {
    let error = match feed::parse(bytes, content_type, Some(final_url)) {
        Ok(feed) => return DocumentKind::Feed(Box::new(feed)),
        Err(error) => error,
    };
    if let FeedError::NotAFeed { .. } = &error
        && let Ok(text) = feed::decode_text(bytes, content_type)
    {
        let page = page::read(&text, final_url);
        if !page.announced.is_empty() {
            return DocumentKind::Page { title: page.title, announced: page.announced };
        }
        if page.is_html {
            return DocumentKind::Nothing { reason: "the page announces no feed".to_owned() };
        }
    }
    DocumentKind::Nothing { reason: error.to_string() }
}

/// URLs of a site at which feeds are often found, most likely first: to be tried one by one if a
/// page announces none.
pub fn usual_urls(site: &Url) -> Vec<Url> {
    const PATHS: [&str; 10] = [
        "feed",
        "rss",
        "rss.xml",
        "feed.xml",
        "atom.xml",
        "index.xml",
        "feed/index.xml",
        "feeds/all.atom.xml",
        "blog/feed.xml",
        "feed.json",
    ];
    // The folder of a page such as /blog/post is used.
    let below = PATHS.iter().filter_map(|path| site.join(path).ok());
    let at_root = PATHS.iter().filter_map(|path| site.join(&format!("/{path}")).ok());
    let mut places: Vec<Url> = Vec::new();
    for place in below.chain(at_root) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

#[cfg(test)]
mod tests;
