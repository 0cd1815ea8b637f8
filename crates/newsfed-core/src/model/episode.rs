//! Episodes: enclosures that are listened to or watched.

/// Longest position and length that are accepted, in seconds: ten days.
const MAX_SECONDS: f64 = 864_000.0;

/// Identifies an enclosure of an item.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct EpisodeKey {
    /// Row key of the item.
    #[serde(rename = "number")]
    pub item: i64,
    /// URL of the enclosure.
    pub url: String,
}

/// How far an episode was played.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Progress {
    /// In seconds.
    pub position: f64,
    /// In seconds, as the player measured it.
    pub length: Option<f64>,
    pub finished: bool,
}

impl Progress {
    /// Only plausible values.
    pub fn checked(position: f64, length: Option<f64>) -> Option<Self> {
        let length = length.and_then(seconds).filter(|length| *length > 0.0);
        Some(Self { position: seconds(position)?, length, finished: false })
    }
}

/// A number of seconds, if it can be a position.
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
    /// Row key of its item's source.
    pub source: i64,
    /// The title of its item, else the name of the file.
    pub title: String,
    /// As the feed states it, or as the extension of the URL suggests; empty if it is unknown.
    pub media_type: String,
    /// Seconds, as the feed states it.
    pub stated: Option<u64>,
    pub progress: Progress,
    /// A downloaded file of it, if it was recorded.
    pub file: Option<String>,
}

impl Queued {
    /// The length in seconds: as measured, else as stated.
    pub fn length(&self) -> Option<f64> {
        let stated = self.stated.map(|seconds| seconds as f64).filter(|length| *length > 0.0);
        self.progress.length.or(stated)
    }
}
