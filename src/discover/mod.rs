//! (under construction)
use crate::feed::ParsedFeed;
use url::Url;
/// found
#[derive(Debug)]
pub enum Found {
    /// feed
    Feed(ParsedFeed),
    /// page
    Page {
        /// title
        title: Option<String>,
        /// announced
        announced: Vec<Announced>,
    },
    /// nothing
    Nothing {
        /// reason
        reason: String,
    },
}
/// announced
#[derive(Debug)]
pub struct Announced {
    /// url
    pub url: Url,
    /// title
    pub title: Option<String>,
    /// mime
    pub mime: Option<String>,
}
/// inspect
pub fn inspect(bytes: &[u8], ct: Option<&str>, url: &Url) -> Found {
    match crate::feed::parse(bytes, ct, Some(url)) {
        Ok(f) => Found::Feed(f),
        Err(e) => Found::Nothing { reason: e.to_string() },
    }
}
