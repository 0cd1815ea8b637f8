//! Sources that are polled by the servers of accounts.

use super::{FullText, Retention, Source, SourceFacts, SourceId};

/// The account of a source, and its settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collected {
    /// The name of the account.
    pub account: String,
    /// The source's folder on the server.
    pub folder: Option<String>,
    /// The source's settings in `sources.toml`.
    pub own: OwnSettings,
}

/// The settings of an account's source in `sources.toml`, which servers do not store.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct OwnSettings {
    pub tags: Vec<String>,
    pub color: Option<u32>,
    /// The name of a [`FullText`] value.
    pub full_text: Option<String>,
    pub retention: Option<Retention>,
}

impl OwnSettings {
    /// Their keys in an entry of `sources.toml`.
    pub const KEYS: [&'static str; 6] =
        ["tags", "color", "full_text", "retention.days", "retention.items", "retention.unread"];

    pub fn of(source: &Source) -> Self {
        Self {
            tags: source.tags.clone(),
            color: source.color,
            full_text: source.full_text.map(|when| when.name().to_owned()),
            retention: source.retention,
        }
    }
}

/// A change to an account's source. It is made locally first and then on the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CollectedChange {
    Title(String),
    /// The folder on the server; `None` if it is outside all folders.
    Folder(Option<String>),
    Remove,
    /// Undoes a removal.
    Restore,
}

impl SourceFacts {
    /// The account's source as if it were declared in `sources.toml`, in a folder named after the account.
    pub fn collected_source(&self) -> Option<Source> {
        self.collected.as_ref()?.source(&self.id, &self.url)
    }
}

impl Collected {
    pub(super) fn source(&self, id: &SourceId, url: &str) -> Option<Source> {
        let url = url::Url::parse(url).ok()?;
        let folder = self.folder.as_deref().filter(|folder| !folder.is_empty());
        let below = folder.map(|folder| format!("{}/{folder}", self.account));
        let own = self.own.clone();
        Some(Source {
            tags: own.tags,
            color: own.color,
            full_text: own.full_text.as_deref().and_then(FullText::named),
            retention: own.retention,
            folder: Some(below.unwrap_or_else(|| self.account.clone())),
            account: Some(self.account.clone()),
            ..Source::feed(id.clone(), url)
        })
    }
}
