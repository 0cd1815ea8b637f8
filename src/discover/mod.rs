//! Any address -> the ways in which it can be followed.
//!
//! The decisions are pure: what an answer is, and which feeds a page announces. Who asks the
//! network, and in which order, is the engine's business.

mod page;
mod survey;

pub use page::Announced;
pub use survey::{Survey, survey};

use crate::feed::{self, FeedError, ParsedFeed};
use url::Url;

/// What an answer turned out to be.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// A feed; it can be followed at the address that answered.
    Feed(Box<ParsedFeed>),
    /// A page that announces feeds.
    Page {
        /// One line of plain text.
        title: Option<String>,
        /// Best first, at least one.
        announced: Vec<Announced>,
    },
    /// Neither.
    Nothing {
        /// Why, in plain words: "this is not a feed but a sitemap".
        reason: String,
    },
}

/// Tells what an answer is. `final_url` is the address after redirects.
pub fn inspect(bytes: &[u8], content_type: Option<&str>, final_url: &Url) -> Found {
    let error = match feed::parse(bytes, content_type, Some(final_url)) {
        Ok(feed) => return Found::Feed(Box::new(feed)),
        Err(error) => error,
    };
    if let FeedError::NotAFeed { .. } = &error
        && let Ok(text) = feed::decode_text(bytes, content_type)
    {
        let page = page::read(&text, final_url);
        if !page.announced.is_empty() {
            return Found::Page { title: page.title, announced: page.announced };
        }
        if page.is_html {
            return Found::Nothing { reason: "the page announces no feed".to_owned() };
        }
    }
    Found::Nothing { reason: error.to_string() }
}

/// Addresses below a site at which feeds are often found, most likely first: to be tried one by
/// one when a page announces nothing.
pub fn usual_places(site: &Url) -> Vec<Url> {
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
    // A page such as /blog/post is left for its folder.
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
