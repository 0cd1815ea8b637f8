//! Reading a fetched feed, outside the runtime's threads: hash, parse, hash its entries.

use super::context::Context;
use super::poll::Finished;
use super::verdict::DocumentFacts;
use crate::discover::{DocumentKind, inspect};
use crate::feed::{self, ParsedFeed};
use crate::model::{ErrorKind, Outcome};
use crate::net::Response;
use crate::store::{Hashing, Prepared, prepare};
use crate::util::text;
use url::Url;

/// Maximum number of announced feeds that are tried.
const MAX_ANNOUNCED: usize = 3;

/// Reads a feed, unless it is the same as in the last poll.
pub(super) async fn read_feed(
    context: &Context,
    mut finished: Finished,
    response: Response,
    hashing: Hashing,
    read_before: Option<[u8; 32]>,
) -> Finished {
    finished.memory = response.memory.clone();
    let size = response.body.len();
    let read = move || {
        let hash = hashing.document(&response.body);
        if hashing.is_same(read_before, hash, &response.body) {
            return Ok(None);
        }
        let feed = match parse(&response) {
            Ok(feed) => feed,
            Err(message) => return Err((message, announced(&response))),
        };
        drop(response);
        Ok(Some(ReadFeed::new(feed, hash, &hashing)))
    };
    match context.read_document(size, read).await {
        Some(Ok(None)) => finished,
        Some(Ok(Some(feed))) => finished.take(feed),
        Some(Err((message, announced))) => {
            finished.announced = announced;
            finished.outcome = Outcome::Failed { kind: ErrorKind::Permanent, message };
            finished
        }
        None => finished.unreadable(),
    }
}

/// A feed that was read, with its entries hashed.
pub(super) struct ReadFeed {
    pub(super) entries: Vec<Prepared>,
    pub(super) document: DocumentFacts,
    pub(super) repairs: Vec<String>,
}

impl ReadFeed {
    /// Hashing a long feed takes milliseconds, too long for the runtime's threads.
    pub(super) fn new(feed: ParsedFeed, hash: [u8; 32], hashing: &Hashing) -> Self {
        let ParsedFeed { title, home_url, hints, entries, repairs, .. } = feed;
        let document = DocumentFacts { title, home_url, hints, hash };
        Self { entries: prepare(entries, hashing), document, repairs }
    }
}

fn parse(response: &Response) -> Result<ParsedFeed, String> {
    let mut feed =
        feed::parse_followed(&response.body, response.content_type(), Some(&response.final_url))
            .map_err(|e| text::line(&e.to_string()))?;
    feed.repairs.extend(other_type(response.content_type()));
    Ok(feed)
}

/// The feeds that a page announces, best first.
fn announced(response: &Response) -> Vec<Url> {
    match inspect(&response.body, response.content_type(), &response.final_url) {
        DocumentKind::Page { announced, .. } => {
            announced.into_iter().take(MAX_ANNOUNCED).map(|feed| feed.url).collect()
        }
        DocumentKind::Feed(_) | DocumentKind::Nothing { .. } => Vec::new(),
    }
}

/// A note about the media type of a feed, if it is not one that feeds use.
fn other_type(content_type: Option<&str>) -> Option<String> {
    let named = content_type?.split(';').next()?.trim().to_ascii_lowercase();
    let fits = named.is_empty() || ["xml", "json", "rss", "atom"].iter().any(|w| named.contains(w));
    (!fits).then(|| format!("the feed was sent as {}", text::truncate(&text::line(&named), 60)))
}
