//! A change to a source's settings, as made by commands.

use super::document::parse_value;
use super::rule::fill;
use super::section::KeyChange;
use super::setting::{Setting, text_array};
use super::source_settings::{SETTINGS, SourceDraft, written};
use crate::model::{Source, SourceId};
use toml_edit::Value;

/// New values for settings of a source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceChange {
    /// Keys with their values as TOML; `None` removes the key.
    values: Vec<(&'static str, Option<String>)>,
    add_tags: Vec<String>,
    remove_tags: Vec<String>,
}

impl SourceChange {
    /// Sets a key, such as `schedule.priority`, to a value as typed in the form. An empty value removes the
    /// key. Unknown keys are ignored.
    #[must_use]
    pub fn set(mut self, key: &str, typed: &str) -> Self {
        if let Some(setting) = named(key) {
            let value = setting.shape(&mut SourceDraft::default()).value(typed);
            self.values.push((setting.key, value.map(|value| value.to_string())));
        }
        self
    }

    /// Copies the value of a key from another source. The value is not read as typed text, in which a secret
    /// with `command:` would run a program. Unknown keys are ignored.
    #[must_use]
    pub(super) fn like(mut self, key: &str, other: &Source) -> Self {
        if let Some(setting) = named(key) {
            let value = written((setting.slot)(&mut SourceDraft::from(other)));
            self.values.push((setting.key, value.map(|value| value.to_string())));
        }
        self
    }

    #[must_use]
    pub fn add_tags(mut self, tags: impl IntoIterator<Item = String>) -> Self {
        self.add_tags.extend(tags);
        self
    }

    #[must_use]
    pub fn remove_tags(mut self, tags: impl IntoIterator<Item = String>) -> Self {
        self.remove_tags.extend(tags);
        self
    }

    /// Checks whether [`Self::set`] accepts a value.
    ///
    /// # Errors
    /// Returns what the loader expects instead.
    pub fn check(key: &str, typed: &str) -> Result<(), String> {
        let Some(setting) = named(key) else { return Err(format!("there is no setting {key}")) };
        let mut draft = SourceDraft::default();
        match setting.shape(&mut draft).value(typed) {
            Some(value) => {
                let node = parse_value(&value.to_string(), 0)?;
                fill((setting.slot)(&mut draft), setting.rule, &node)
            }
            None => Ok(()),
        }
    }

    /// The new values of keys as text, without tags; `None` for a key that is removed or is not text.
    pub fn texts(&self) -> Vec<(&'static str, Option<String>)> {
        let text = |toml: &String| Some(toml.parse::<Value>().ok()?.as_str()?.to_owned());
        self.values.iter().map(|(key, value)| (*key, value.as_ref().and_then(text))).collect()
    }

    /// The keys to write into the entry of a source. Keys that already have the new values are left out.
    pub fn keys(&self, source: &Source) -> Vec<KeyChange> {
        let mut keys = Vec::new();
        let (mut now, mut default) = (SourceDraft::from(source), SourceDraft::default());
        let mut tags = source.tags.clone();
        tags.retain(|tag| !self.remove_tags.contains(tag));
        let new = self.add_tags.iter().filter(|tag| !source.tags.contains(tag));
        tags.extend(new.cloned());
        let tags = (tags != source.tags).then(|| ("tags", tags_value(&tags)));
        for (key, value) in self.values.iter().cloned().chain(tags) {
            let Some(setting) = named(key) else { continue };
            let text = |draft| written((setting.slot)(draft)).map(|value| value.to_string());
            let (now, default) = match key {
                "url" => (source.web_url().map(|url| Value::from(url.as_str()).to_string()), None),
                _ => (text(&mut now), text(&mut default)),
            };
            // A default value needs no key.
            let value = value.filter(|value| Some(value) != default.as_ref());
            if value.as_ref().or(default.as_ref()) == now.as_ref() {
                continue;
            }
            if key == "url" {
                keys.push(identifier(&source.id));
            }
            keys.push(KeyChange { path: setting.path(), value });
        }
        keys
    }
}

fn named(key: &str) -> Option<&'static Setting<SourceDraft>> {
    SETTINGS.iter().find(|setting| setting.key == key)
}

fn tags_value(tags: &[String]) -> Option<String> {
    (!tags.is_empty()).then(|| text_array(tags).to_string())
}

/// Writes the identifier into an entry, so that one derived from the URL does not change with the URL.
pub(super) fn identifier(id: &SourceId) -> KeyChange {
    let value = Value::from(id.as_str()).to_string();
    KeyChange { path: vec!["id".to_owned()], value: Some(value) }
}
