//! Following the comments on an item as a source of their own.

use super::follow::{FollowError, may_have_credentials};
use super::handle::Handle;
use super::message::{FirstFetch, Typed};
use crate::config::{FileEdit, unique_id};
use crate::model::{Enclosure, Origin, Source};
use crate::store::StoreError;
use crate::util::address::is_private_host;
use crate::util::text;
use crate::util::url::WebAddress;
use std::collections::HashSet;
use url::Url;

/// Longest title of such a source, in cells of a terminal.
const TITLE: usize = 120;

impl Handle {
    /// The URL of the page with the comments on an item (row key), if the item names one.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn comments_url(&self, item: i64) -> Result<Option<String>, StoreError> {
        let found = self.context.read(move |reader| reader.item(item)).await?;
        Ok(found.and_then(|item| item.comments))
    }

    /// The enclosures of an item (row key).
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn enclosures(&self, item: i64) -> Result<Vec<Enclosure>, StoreError> {
        let found = self.context.read(move |reader| reader.item(item)).await?;
        Ok(found.map(|item| item.enclosures).unwrap_or_default())
    }

    /// Adds the feed of the comments on an item (row key) as a source in the folder of the item's
    /// source, and stores its first poll.
    ///
    /// # Errors
    /// If the item has no such feed, it cannot be read, or it is followed already. A feed at a
    /// private address is refused, unless that is the host of the item's source.
    pub async fn follow_comments(&self, item: i64) -> Result<(Source, FileEdit), FollowError> {
        let read = self.context.read(move |reader| Ok((reader.row(item)?, reader.item(item)?)));
        let (Some(row), Some(found)) = read.await? else { return Err(FollowError::NoComments) };
        let url = found.comment_feed.as_deref().and_then(|url| Url::parse(url).ok());
        let url = url.ok_or(FollowError::NoComments)?;
        let parent = self.context.source(row.source_key).ok_or(FollowError::NoComments)?;
        let same_host = url.host() == parent.url.host();
        if is_private_host(&url) && !same_host {
            return Err(FollowError::PrivateComments(url));
        }
        let name = if found.title.is_empty() { url.as_str() } else { &found.title };
        let title = text::truncate(&format!("Comments: {name}"), TITLE).into_owned();
        let mut source = Source {
            title: Some(title),
            folder: parent.folder.clone(),
            private: parent.private && same_host,
            ..Source::feed(unique_id(&url, &mut HashSet::new()), url.clone())
        };
        if may_have_credentials(&parent.url, &url) {
            source.access = parent.access.clone();
        }
        // Secrets are read when a source is polled.
        if source.access.auth.is_some() || !source.access.headers.is_empty() {
            return self.follow_source(source, None).await;
        }
        let url_of_parent = parent.url.clone();
        let web = WebAddress { url: url_of_parent, user: None, password: None, assumed: false };
        let typed = Typed { web, private: parent.private, origin: Origin::default() };
        let first = self.fetch_announced(&url, &typed).await?;
        self.follow_source(source, Some(FirstFetch::Feed(first))).await
    }
}
