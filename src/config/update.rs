//! Changes of several sources at once, with one save.

use super::edit::{EditError, SourcesFile};
use super::edited::{Edited, Part};
use super::entry::{Entry, EntryChange};
use super::render::words;
use super::rule::show_time;
use super::splice::set_each;
use crate::model::{FullText, Source, SourceId};
use std::time::Duration;
use toml_edit::Value;
use url::Url;

/// What to change of a source; `None` leaves it. An inner `None` takes the key away.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceChange {
    /// The address.
    pub url: Option<Url>,
    /// The user's own title.
    pub title: Option<Option<String>>,
    /// Folder, `/` between levels.
    pub folder: Option<Option<String>>,
    /// All tags.
    pub tags: Option<Vec<String>>,
    /// Tags that it is to have besides.
    pub tag: Vec<String>,
    /// Tags that it is to lose.
    pub untag: Vec<String>,
    /// Whether it is polled.
    pub enabled: Option<bool>,
    /// Fixed interval between polls.
    pub interval: Option<Option<Duration>>,
    /// Whether its pages are asked for the full text.
    pub full_text: Option<Option<FullText>>,
}

impl SourcesFile {
    /// Changes sources alike, all or none.
    ///
    /// # Errors
    /// See [`Self::update_each`].
    pub fn update(&self, ids: &[SourceId], change: &SourceChange) -> Result<Edited, EditError> {
        let each: Vec<_> = ids.iter().map(|id| (id.clone(), change.clone())).collect();
        self.update_each(&each)
    }

    /// Changes sources, all or none.
    ///
    /// # Errors
    /// When one is unknown or a value is refused, or see [`EditError`].
    pub fn update_each(&self, wanted: &[(SourceId, SourceChange)]) -> Result<Edited, EditError> {
        self.edit(|text, sources| {
            let ids: Vec<SourceId> = wanted.iter().map(|(id, _)| id.clone()).collect();
            let found = self.find_all(sources, &ids)?;
            let mut starts: Vec<_> = found.iter().map(|i| sources[*i].0.start).collect();
            let ranges = self.ranges(text, &starts)?;
            let mut parts = Vec::new();
            for ((index, range), start) in found.iter().zip(ranges).zip(&starts) {
                let source = &sources[*index].1;
                let entry =
                    Entry::new(source.id.clone(), &text[range.clone()], start - range.start);
                let change = wanted.iter().rev().find(|(id, _)| *id == source.id);
                let there = change.map(|(_, change)| values(change, source)).unwrap_or_default();
                parts.push(Part::keys(&entry, there));
            }
            let mut new = text.to_owned();
            for key in KEYS {
                let changes = parts.iter().map(|part| part.value(key));
                let values: Vec<_> = changes.map(|c| c.map(|c| c.value.as_deref())).collect();
                new = set_each(&new, &mut starts, key, &values).map_err(|e| self.splice(&e))?;
            }
            parts.retain(|part| !part.is_empty());
            Ok((new, parts))
        })
    }
}

/// The keys that can be changed like this, in the order in which new ones are written.
const KEYS: [&str; 8] =
    ["id", "url", "title", "folder", "tags", "enabled", "interval", "full_text"];

/// The keys to write for a change; `None` takes a key away.
fn values(change: &SourceChange, source: &Source) -> Vec<EntryChange> {
    let mut values = Vec::new();
    let mut write = |key: &str, value: Option<Value>| {
        let value = value.map(|value| value.to_string());
        values.push(EntryChange { path: vec![key.to_owned()], value });
    };
    let text = |text: &Option<String>| text.as_deref().map(Value::from);
    if let Some(url) = &change.url {
        // An identifier derived from the address must not change with it: it is written down.
        write("id", Some(Value::from(source.id.as_str())));
        write("url", Some(Value::from(url.as_str())));
    }
    if let Some(title) = &change.title {
        write("title", text(title));
    }
    if let Some(folder) = &change.folder {
        write("folder", text(folder));
    }
    let mut tags = change.tags.clone().unwrap_or_else(|| source.tags.clone());
    tags.retain(|tag| !change.untag.contains(tag));
    for tag in &change.tag {
        if !tags.contains(tag) {
            tags.push(tag.clone());
        }
    }
    if change.tags.is_some() || tags != source.tags {
        write("tags", (!tags.is_empty()).then(|| words(&tags)));
    }
    if let Some(enabled) = change.enabled.filter(|enabled| *enabled != source.enabled) {
        write("enabled", (!enabled).then(|| Value::from(false)));
    }
    if let Some(interval) = change.interval {
        write("interval", interval.map(|i| Value::from(show_time(i))));
    }
    if let Some(full_text) = change.full_text {
        write("full_text", full_text.map(|f| Value::from(f.name())));
    }
    values
}
