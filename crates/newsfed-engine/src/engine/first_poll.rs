//! The note about the first poll of a new source.

use super::Handle;
use crate::model::{LeftOut, SourceId, SourceKind};
use crate::store::{PollFilter, StoreError};
use crate::util::text::counted;
use std::collections::BTreeSet;
use url::Url;

impl Handle {
    /// What the first poll of a new source left out, or why it has no items although it lists some; `None` if
    /// there is nothing to report. `urls` are some of the listed items.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn first_poll_note(
        &self,
        id: &SourceId,
        listed: usize,
        urls: Vec<Url>,
    ) -> Result<Option<String>, StoreError> {
        let all = self.sources().await?;
        let added = all.into_iter().find(|(_, facts)| facts.id == *id);
        let Some((source, facts)) = added.filter(|(_, facts)| facts.last_poll.is_some()) else {
            return Ok(None);
        };
        let key = facts.key;
        let last = PollFilter { source: Some(facts.key), noteworthy: false };
        let polls = self.context.read(move |reader| reader.polls(last, 1)).await?;
        let left_out = polls.first().and_then(|(_, poll)| LeftOut::describe(&poll.left_out));
        if facts.items > 0 {
            return Ok(left_out);
        }
        if let Some(left_out) = left_out {
            let others = self.holders(key, urls, false).await?.join(" and ");
            return Ok(Some(match others.as_str() {
                "" => left_out,
                others => format!("{left_out}; the rest is already in {others}"),
            }));
        }
        if listed == 0 {
            let empty = match source.kind() {
                SourceKind::Feed => "the feed has no entries yet",
                _ => "the page lists nothing yet",
            };
            return Ok(Some(empty.to_owned()));
        }
        let notes = polls.first().map(|(_, poll)| poll.repairs.join("; ")).unwrap_or_default();
        Ok(Some(match notes.as_str() {
            "" => {
                let all = counted(listed, "article");
                let others = self.holders(key, urls, true).await?.join(" and ");
                let from = if others.is_empty() { "other sources" } else { &others };
                format!("everything on its list ({all}) is already in {from}")
            }
            notes => {
                let all = counted(listed, "article");
                format!("nothing on its list ({all}) could be used: {notes}")
            }
        }))
    }

    /// The titles of the sources that contain these pages, except the source with this key. With `all`, the
    /// result is empty if any of the pages is in none of them.
    async fn holders(
        &self,
        but: i64,
        urls: Vec<Url>,
        all: bool,
    ) -> Result<Vec<String>, StoreError> {
        let found = self.context.read(move |reader| {
            urls.iter().map(|url| reader.sources_with(but, url)).collect::<Result<Vec<_>, _>>()
        });
        let found = found.await?;
        // If a page is in none of the sources, their titles would not explain everything.
        if all && found.iter().any(Vec::is_empty) {
            return Ok(Vec::new());
        }
        let keys: BTreeSet<i64> = found.iter().filter_map(|keys| keys.first().copied()).collect();
        let sources = self.sources().await?.into_iter();
        let titled = sources.filter(|(_, facts)| keys.contains(&facts.key));
        Ok(titled.map(|(source, facts)| facts.title(&source).to_owned()).collect())
    }
}
