//! Episodes: enclosures that are listened to or watched.

use crate::util::file_name::last_segment;
use crate::util::text::line;
use url::Url;

/// Longest position and length that are believed, in seconds: ten days.
const MAX_SECONDS: f64 = 864_000.0;

/// Which enclosure of which item.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct EpisodeKey {
    /// Row key of the item.
    #[serde(rename = "number")]
    pub item: i64,
    /// URL of the enclosure.
    pub url: String,
}

/// How far an episode was heard.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Progress {
    /// In seconds.
    pub position: f64,
    /// In seconds, as the player measured it.
    pub length: Option<f64>,
    pub finished: bool,
}

impl Progress {
    /// Only values that can be.
    pub fn checked(position: f64, length: Option<f64>) -> Option<Self> {
        let length = length.and_then(seconds).filter(|length| *length > 0.0);
        Some(Self { position: seconds(position)?, length, finished: false })
    }
}

/// A number of seconds that can be a position.
pub fn seconds(value: f64) -> Option<f64> {
    (value.is_finite() && (0.0..=MAX_SECONDS).contains(&value)).then_some(value)
}

/// A chapter of an episode.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Chapter {
    /// Seconds from the start.
    pub start: u64,
    /// One line; may be empty.
    pub title: String,
}

/// An episode in the queue.
#[derive(Debug, Clone, PartialEq)]
pub struct Queued {
    pub key: EpisodeKey,
    /// Row key of the source of its item.
    pub source: i64,
    /// The title of its item.
    pub title: String,
    /// As the feed states it, or as the extension of the URL says; empty if it is unknown.
    pub media_type: String,
    /// Seconds, as the feed states it.
    pub stated: Option<u64>,
    pub progress: Progress,
    /// A downloaded file of it, if it was recorded.
    pub file: Option<String>,
}

impl Queued {
    /// The title of its item, else the name of the file.
    pub fn name(&self) -> String {
        let title = line(&self.title);
        if !title.is_empty() {
            return title;
        }
        let file = Url::parse(&self.key.url).ok().and_then(|url| last_segment(&url));
        line(&file.unwrap_or_else(|| self.key.url.clone()))
    }

    /// The length in seconds: as measured, else as stated.
    pub fn length(&self) -> Option<f64> {
        let stated = self.stated.map(|seconds| seconds as f64).filter(|length| *length > 0.0);
        self.progress.length.or(stated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_episode_without_a_title_is_called_like_its_file() {
        for (title, url, name) in [
            ("One\u{1b}[2J", "https://e.org/a.mp3", "One"),
            ("", "https://e.org/pods/No%20title%201b.mp3?x=1", "No title 1b.mp3"),
            (" \u{200b}", "https://e.org/%1b[2J.mp3", ".mp3"),
            ("", "https://e.org/", "https://e.org/"),
        ] {
            let episode = Queued {
                key: EpisodeKey { item: 1, url: url.to_owned() },
                source: 1,
                title: title.to_owned(),
                media_type: String::new(),
                stated: None,
                progress: Progress::default(),
                file: None,
            };
            assert_eq!(episode.name(), name, "{title:?} {url}");
        }
    }
}
