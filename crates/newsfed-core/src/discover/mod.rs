//! Detects the ways to follow a URL.
//!
//! Pure decisions: the kind of a response, the feeds that a page announces, and other URLs that may be feeds.
//! The engine sends the requests.

mod guesses;
mod list_pages;
mod page;
mod survey;
mod systems;

pub use guesses::{Guess, MAX_GUESSES, guesses};
pub use page::AnnouncedFeed;
pub use survey::{EntriesOffer, EntriesRank, Survey, survey};

use crate::feed::{self, FeedError, ParsedFeed};
use url::Url;

/// The kind of a document.
#[derive(Debug, Clone, PartialEq)]
pub enum DocumentKind {
    /// A feed, which can be followed at the URL of the response.
    Feed(Box<ParsedFeed>),
    /// A page that announces feeds.
    Page {
        /// Title as one line of plain text.
        title: Option<String>,
        /// The announced feeds, best first. There is at least one.
        announced: Vec<AnnouncedFeed>,
    },
    Nothing {
        /// Why the document cannot be followed, such as "this is not a feed but a sitemap".
        reason: String,
    },
}

/// Detects the kind of a document. `final_url` is the URL after redirects.
pub fn inspect(bytes: &[u8], content_type: Option<&str>, final_url: &Url) -> DocumentKind {
    let error = match feed::parse_followed(bytes, content_type, Some(final_url)) {
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

/// Examines a document completely, like [`inspect`] and [`survey`]; for a feed, detects only its kind.
pub fn examine(
    bytes: &[u8],
    content_type: Option<&str>,
    final_url: &Url,
) -> (DocumentKind, Survey) {
    match inspect(bytes, content_type, final_url) {
        feed @ DocumentKind::Feed(_) => (feed, Survey::default()),
        other => (other, survey(bytes, content_type, final_url)),
    }
}

#[cfg(test)]
mod tests;
