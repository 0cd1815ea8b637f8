//! Converts items of a server to entries, sanitised like the input of a feed.

use crate::exchange;
use crate::greader::{Dialect, EntryText, RemoteId, Stream, StreamEntry};
use crate::model::{self, ForeignItem, ForeignText, Time};
use crate::store::Marks;
use crate::util::html;

/// An item as received.
pub(super) struct Received {
    pub(super) remote: RemoteId,
    /// The name of its source on the server.
    pub(super) stream: String,
    pub(super) marks: Marks,
    /// When it arrived at the server.
    pub(super) arrived: Option<Time>,
    /// `None` if there is nothing to show.
    pub(super) entry: Option<model::Entry>,
}

/// Reads an item; `None` without an identifier.
pub(super) fn received(entry: &StreamEntry, dialect: Dialect) -> Option<Received> {
    let remote = RemoteId::parse(&entry.id)?;
    let streams: Vec<Option<Stream>> = entry.categories.iter().map(|c| Stream::parse(c)).collect();
    let has = |wanted: &Stream| streams.iter().any(|s| s.as_ref() == Some(wanted));
    let categories = entry.categories.iter().zip(&streams).filter_map(|(text, s)| match s {
        None => Some(text.clone()),
        Some(Stream::Label(label)) => Some(label.clone()),
        Some(_) => None,
    });
    let content = entry.content.as_ref().filter(|c| !c.content.is_empty());
    let text = |text: &EntryText| ForeignText::Html(text.content.clone());
    let seconds = |at: i64| (at > 0).then(|| Time::from_timestamp(at, 0)).flatten();
    let link = entry.canonical.iter().chain(&entry.alternate).find(|link| !link.href.is_empty());
    let title = dialect.title(&entry.title);
    let item = ForeignItem {
        guid: Some(remote.long()),
        // The server has escaped text that resembles markup.
        title: if title.contains('&') { html::to_text(&title) } else { title },
        url: link.map(|link| link.href.clone()),
        authors: vec![entry.author.clone()],
        published: seconds(entry.published),
        updated: seconds(entry.updated).filter(|_| entry.updated > entry.published),
        content: Some(content.map_or_else(|| text(&entry.summary), text)),
        enclosures: entry
            .enclosure
            .iter()
            .map(|e| (e.href.clone(), Some(e.media_type.clone()).filter(|t| !t.is_empty())))
            .collect(),
        categories: categories.collect(),
        ..ForeignItem::default()
    };
    let arrived = entry.crawl_time_msec.parse::<i64>().ok().and_then(|ms| seconds(ms / 1000));
    Some(Received {
        marks: Marks { read: has(&Stream::Read), pinned: has(&Stream::Starred) },
        stream: entry.origin.stream_id.clone(),
        arrived,
        entry: exchange::entry(&item),
        remote,
    })
}
