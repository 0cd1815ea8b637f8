//! Lists, items and their texts.

use super::call::Listing;
use super::directory::{Directory, Feed, label};
use super::refusal::Refusal;
use super::{Api, MAX_CONTENTS};
use crate::feed::write::{FeedFormat, FeedHeader, FeedWriter, OutgoingItem, RemoteEntry};
use crate::greader::{
    ContentsWriter, EntryText, IdWriter, RemoteId, RemoteTag, Stream, StreamEnclosure, StreamEntry,
    StreamLink, StreamOrigin, Subscriptions, Tags, UnreadCount, UnreadCounts,
};
use crate::model::{FullText, Item, Source, SourceId};
use crate::serve::Pieces;
use crate::store::{Reader, UnreadOf, discovery_micros};
use crate::util::text::comparable;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;

/// Maximum total size of the texts in one response, in bytes.
const MAX_TEXT: usize = 32 << 20;

/// Reads the items of a response, with the information about their sources.
struct Page<'a> {
    reader: &'a Reader,
    feeds: HashMap<&'a SourceId, &'a Feed>,
    full_text: FullText,
}

/// An item with its id, the user's tags and its source.
struct Found<'a> {
    key: i64,
    item: Item,
    tags: Vec<String>,
    feed: &'a Feed,
}

impl<'a> Page<'a> {
    fn new(reader: &'a Reader, directory: &'a Directory, full_text: FullText) -> Self {
        let feeds = directory.feeds.iter().map(|feed| (&feed.source.id, feed)).collect();
        Self { reader, feeds, full_text }
    }

    /// An item, with the text that the Reader shows. `None` if there is no such item, or if its source has
    /// been removed.
    fn item(&self, key: i64) -> Result<Option<Found<'a>>, Refusal> {
        let Some(mut item) = self.reader.item(key)? else { return Ok(None) };
        let Some(&feed) = self.feeds.get(&item.source) else { return Ok(None) };
        if feed.shows_feed_text(self.full_text) && !item.feed_body().is_empty() {
            item.article = None;
        }
        let tags = self.reader.tags_of(key)?;
        Ok(Some(Found { key, item, tags, feed }))
    }
}

impl Found<'_> {
    /// The streams that contain the item.
    fn streams(&self) -> Vec<String> {
        let mut streams = vec![Stream::ReadingList.to_string()];
        streams.extend(self.item.read.then(|| Stream::Read.to_string()));
        streams.extend(self.item.pinned.then(|| Stream::Starred.to_string()));
        let labels = self.feed.folder().into_iter().chain(self.tags.iter().map(String::as_str));
        for label in labels.map(label) {
            if !streams.contains(&label) {
                streams.push(label);
            }
        }
        streams
    }

    fn entry(self) -> StreamEntry {
        let (streams, item) = (self.streams(), self.item);
        let arrival = discovery_micros(item.discovered, self.key);
        let links: Vec<StreamLink> =
            item.url.iter().map(|url| StreamLink { href: url.clone() }).collect();
        let enclosure = |file: &crate::model::Enclosure| StreamEnclosure {
            href: file.url.clone(),
            media_type: file.mime.clone().unwrap_or_default(),
            length: file.bytes.and_then(|bytes| i64::try_from(bytes).ok()).unwrap_or(0),
        };
        StreamEntry {
            id: RemoteId::Number(self.key).long(),
            crawl_time_msec: (arrival / 1000).to_string(),
            timestamp_usec: arrival.to_string(),
            published: item.published.unwrap_or(item.discovered).timestamp(),
            updated: item.updated.map_or(0, |time| time.timestamp()),
            title: item.title.clone(),
            author: item.authors.join(", "),
            canonical: links.clone(),
            alternate: links,
            categories: streams.into_iter().chain(item.categories.iter().cloned()).collect(),
            origin: StreamOrigin {
                stream_id: self.feed.id(),
                html_url: self.feed.facts.home_url.clone().unwrap_or_default(),
                title: self.feed.title().to_owned(),
            },
            summary: EntryText { content: item.body().to_owned() },
            content: None,
            enclosure: item.enclosures.iter().map(enclosure).collect(),
        }
    }

    fn outgoing(self) -> OutgoingItem {
        let short = |term: String| {
            let name = term.rsplit('/').next().unwrap_or_default().to_owned();
            (term, name)
        };
        let streams = self.streams().into_iter().map(short).collect();
        let id = RemoteId::Number(self.key).long();
        OutgoingItem {
            remote: Some(RemoteEntry { id, streams }),
            own_tags: Vec::new(),
            source: self.feed.title().to_owned(),
            source_url: None,
            home_url: self.feed.facts.home_url.clone(),
            item: self.item,
        }
    }
}

/// The name of a stream in a response.
fn name_of(listing: &Listing) -> String {
    listing.stream.as_ref().map(Stream::to_string).unwrap_or_default()
}

/// The row keys of a page, and the start of the next page, if there is one.
fn page_of(
    reader: &Reader,
    directory: &Directory,
    listing: &Listing,
) -> Result<(Vec<i64>, Option<String>), Refusal> {
    let mut keys = reader.stream(&directory.query(listing))?;
    // The query returns one more item than requested.
    let more = keys.len() > listing.most;
    keys.truncate(listing.most);
    let continuation = keys.last().filter(|_| more).map(ToString::to_string);
    Ok((keys, continuation))
}

fn unwritten(error: &io::Error) -> Refusal {
    Refusal::Unavailable(error.to_string())
}

impl Api {
    fn declared(&self) -> Arc<Vec<Arc<Source>>> {
        self.handle.declared().borrow().clone()
    }

    /// Runs `work` with the database and the directory of sources.
    pub(super) async fn with_directory<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Reader, &Directory) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let declared = self.declared();
        let read = move |reader: &Reader| work(reader, &Directory::read(reader, &declared)?);
        self.readers.read(read).await
    }

    pub(super) async fn subscriptions(&self) -> Result<Subscriptions, Refusal> {
        self.with_directory(|_, directory| {
            let subscriptions = directory.feeds.iter().map(Feed::subscription).collect();
            Ok(Subscriptions { subscriptions })
        })
        .await
    }

    pub(super) async fn tags(&self) -> Result<Tags, Refusal> {
        self.with_directory(|reader, directory| {
            let tag = |id, kind: Option<&str>| RemoteTag { id, kind: kind.map(str::to_owned) };
            let folders = directory.folders();
            let mut tags = vec![tag(Stream::Starred.to_string(), None)];
            tags.extend(folders.iter().map(|name| tag(label(name), Some("folder"))));
            let own = reader.item_tags()?.into_iter().filter(|tag| !folders.contains(tag.as_str()));
            tags.extend(own.map(|name| tag(label(&name), Some("tag"))));
            Ok(Tags { tags })
        })
        .await
    }

    pub(super) async fn unread_counts(&self) -> Result<UnreadCounts, Refusal> {
        self.with_directory(|reader, directory| {
            let (sources, tags) = (reader.unread_of_sources()?, reader.unread_of_tags()?);
            let sum = |all: &mut UnreadOf, one: &UnreadOf| {
                (all.count, all.newest) = (all.count + one.count, all.newest.max(one.newest));
            };
            let row = |id: String, unread: UnreadOf| UnreadCount {
                id,
                count: unread.count,
                newest_item_timestamp_usec: unread.newest.to_string(),
            };
            let (mut all, mut labels) = (UnreadOf::default(), HashMap::new());
            let mut unreadcounts = Vec::new();
            for feed in &directory.feeds {
                let unread = sources.get(&feed.facts.key).copied().unwrap_or_default();
                sum(&mut all, &unread);
                if let Some(folder) = feed.folder() {
                    sum(labels.entry(folder.to_owned()).or_default(), &unread);
                }
                unreadcounts.push(row(feed.id(), unread));
            }
            for tag in reader.item_tags()? {
                let unread = tags.get(&comparable(&tag)).copied().unwrap_or_default();
                labels.entry(tag).or_insert(unread);
            }
            let mut labels: Vec<_> = labels.into_iter().collect();
            labels.sort_by(|a, b| a.0.cmp(&b.0));
            unreadcounts.extend(labels.into_iter().map(|(name, unread)| row(label(&name), unread)));
            unreadcounts.push(row(Stream::ReadingList.to_string(), all));
            Ok(UnreadCounts { max: all.count, unreadcounts })
        })
        .await
    }

    pub(super) async fn ids(&self, listing: Listing) -> Result<Pieces, Refusal> {
        self.with_directory(move |reader, directory| {
            let (keys, continuation) = page_of(reader, directory, &listing)?;
            let write = || {
                let mut writer = IdWriter::default();
                keys.into_iter().try_for_each(|key| writer.add(key))?;
                writer.finish(continuation.as_deref())
            };
            Ok(write().map_err(|e| unwritten(&e))?.into())
        })
        .await
    }

    pub(super) async fn contents(&self, keys: Vec<i64>) -> Result<Pieces, Refusal> {
        let (full_text, updated) = (self.handle.settings().full_text, self.handle.now());
        self.with_directory(move |reader, directory| {
            let page = Page::new(reader, directory, full_text);
            let id = Stream::ReadingList.to_string();
            let mut writer = ContentsWriter::new(&id, updated.timestamp());
            let mut bytes = 0;
            for key in keys {
                let Some(found) = page.item(key)? else { continue };
                let entry = found.entry();
                bytes += entry.summary.content.len();
                if bytes > MAX_TEXT {
                    let why = "the texts are too long for one response; request fewer items";
                    return Err(Refusal::TooLarge(why.to_owned()));
                }
                writer = writer.and_then(|mut all| all.add(&entry).map(|()| all));
            }
            let pieces = writer.and_then(|writer| writer.finish(None));
            Ok(pieces.map_err(|e| unwritten(&e))?.into())
        })
        .await
    }

    pub(super) async fn stream(&self, listing: Listing) -> Result<Pieces, Refusal> {
        let (full_text, updated) = (self.handle.settings().full_text, self.handle.now());
        self.with_directory(move |reader, directory| {
            let page = Page::new(reader, directory, full_text);
            let (keys, mut continuation) = page_of(reader, directory, &listing)?;
            let mut writer = ContentsWriter::new(&name_of(&listing), updated.timestamp());
            let mut bytes = 0;
            for key in keys {
                let Some(found) = page.item(key)? else { continue };
                let entry = found.entry();
                bytes += entry.summary.content.len();
                writer = writer.and_then(|mut all| all.add(&entry).map(|()| all));
                if bytes > MAX_TEXT / 2 {
                    // The next page starts here. It may be empty if this item was the last one.
                    continuation = Some(key.to_string());
                    break;
                }
            }
            let pieces = writer.and_then(|writer| writer.finish(continuation.as_deref()));
            Ok(pieces.map_err(|e| unwritten(&e))?.into())
        })
        .await
    }

    /// A stream as an Atom feed.
    pub(super) async fn atom(&self, listing: Listing) -> Result<String, Refusal> {
        let full_text = self.handle.settings().full_text;
        self.with_directory(move |reader, directory| {
            let page = Page::new(reader, directory, full_text);
            let (mut keys, _) = page_of(reader, directory, &listing)?;
            keys.truncate(MAX_CONTENTS);
            let mut writer = FeedWriter::new(FeedFormat::Atom);
            for key in keys {
                if let Some(found) = page.item(key)? {
                    writer.add(&found.outgoing());
                }
            }
            let name = name_of(&listing);
            let feed = writer.finish(&FeedHeader { id: name.clone(), title: name });
            if let Some(left_out) = &feed.left_out {
                tracing::warn!("a stream was cut off at the size limit of Atom feeds: {left_out}");
            }
            Ok(feed.text)
        })
        .await
    }
}
