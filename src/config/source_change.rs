//! A change of a source's settings, as commands make it.

use super::render::words;
use super::rule::show_time;
use super::section::KeyChange;
use crate::model::{FullText, Source};
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

impl SourceChange {
    /// The keys to write into the entry of a source, in the order in which new ones are written.
    pub(super) fn keys(&self, source: &Source) -> Vec<KeyChange> {
        let mut values = Vec::new();
        let mut write = |key: &str, value: Option<Value>| {
            let value = value.map(|value| value.to_string());
            values.push(KeyChange { path: vec![key.to_owned()], value });
        };
        let text = |text: &Option<String>| text.as_deref().map(Value::from);
        if let Some(url) = &self.url {
            // An identifier derived from the URL must not change with it: it is written down.
            write("id", Some(Value::from(source.id.as_str())));
            write("url", Some(Value::from(url.as_str())));
        }
        if let Some(title) = &self.title {
            write("title", text(title));
        }
        if let Some(folder) = &self.folder {
            write("folder", text(folder));
        }
        let mut tags = self.tags.clone().unwrap_or_else(|| source.tags.clone());
        tags.retain(|tag| !self.untag.contains(tag));
        for tag in &self.tag {
            if !tags.contains(tag) {
                tags.push(tag.clone());
            }
        }
        if self.tags.is_some() || tags != source.tags {
            write("tags", (!tags.is_empty()).then(|| words(&tags)));
        }
        if let Some(enabled) = self.enabled.filter(|enabled| *enabled != source.enabled) {
            write("enabled", (!enabled).then(|| Value::from(false)));
        }
        if let Some(interval) = self.interval {
            write("interval", interval.map(|i| Value::from(show_time(i))));
        }
        if let Some(full_text) = self.full_text {
            write("full_text", full_text.map(|f| Value::from(f.name())));
        }
        values
    }
}
