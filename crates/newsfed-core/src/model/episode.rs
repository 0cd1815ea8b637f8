//! Episodes: enclosures to listen to or to watch.

/// Maximum position and length of an episode, in seconds: ten days.
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

/// How much of an episode was played.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Progress {
    /// Position in seconds.
    pub position: f64,
    /// Length in seconds, as measured by the player.
    pub length: Option<f64>,
    pub finished: bool,
}

impl Progress {
    /// Creates a progress from plausible values; `None` if the position is not plausible.
    pub fn checked(position: f64, length: Option<f64>) -> Option<Self> {
        let length = length.and_then(seconds).filter(|length| *length > 0.0);
        Some(Self { position: seconds(position)?, length, finished: false })
    }
}

/// The number of seconds if it is a valid position.
pub fn seconds(value: f64) -> Option<f64> {
    (value.is_finite() && (0.0..=MAX_SECONDS).contains(&value)).then_some(value)
}

/// A chapter of an episode.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Chapter {
    /// Seconds from the start.
    pub start: u64,
    /// Title as one line; may be empty.
    pub title: String,
}

/// An episode in the play queue.
#[derive(Debug, Clone, PartialEq)]
pub struct Queued {
    pub key: EpisodeKey,
    /// Row key of the source.
    pub source: i64,
    /// The title of the item, or the name of the file if there is none.
    pub title: String,
    /// Media type given by the feed, or derived from the extension of the URL; empty if unknown.
    pub media_type: String,
    /// Length in seconds, as given by the feed.
    pub stated: Option<u64>,
    pub progress: Progress,
    /// The downloaded file, if there is a record of one.
    pub file: Option<String>,
}

impl Queued {
    /// The length in seconds, as measured by the player or else as given by the feed.
    pub fn length(&self) -> Option<f64> {
        let stated = self.stated.map(|seconds| seconds as f64).filter(|length| *length > 0.0);
        self.progress.length.or(stated)
    }
}
