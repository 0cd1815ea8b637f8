//! Publication times of sources, read from the files that are replayed.

use super::WINDOW;
use crate::model::Time;
use crate::schedule::seconds::{self, DAY, WEEK};
use flate2::read::MultiGzDecoder;
use std::io::{BufRead, BufReader, Read};

/// Maximum size of a file after decompression.
const MAX_BYTES: u64 = 512 << 20;
const LONGEST: i64 = 20 * 366 * DAY as i64;
/// Latest time: the year 9999.
const LATEST: i64 = 253_402_300_799;

/// Why a file of timelines cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum TimelineError {
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// A line is not a timeline.
    #[error("line {line}: {message}")]
    Line {
        /// Line number, from 1.
        line: usize,
        message: String,
    },
    #[error("the file contains no timelines")]
    Empty,
    /// The file is too large.
    #[error("the file is larger than 512 MiB")]
    TooLarge,
}

/// When one source published. Times are seconds since the epoch.
#[derive(Debug, Clone, PartialEq)]
pub struct Timeline {
    /// Time of the first poll.
    pub(super) start: f64,
    /// Polls from this time on are not counted.
    pub(super) end: f64,
    /// Publication times of the items, in order.
    pub(super) items: Vec<f64>,
    /// Number of items before the start.
    pub(super) shown: usize,
    /// Number of items that the document lists at once.
    pub(super) window: usize,
}

#[derive(serde::Deserialize)]
struct Line {
    start: i64,
    end: i64,
    /// Items before the start, which the feed lists at the first poll.
    #[serde(default)]
    h: Vec<i64>,
    /// Items at or after `start` and before `end`.
    t: Vec<i64>,
}

impl Timeline {
    /// The first poll also finds the items before `start`.
    ///
    /// # Errors
    /// If the end is before the start, times are out of range, or the span is more than 20 years.
    pub fn new(start: i64, end: i64, items: Vec<i64>) -> Result<Self, String> {
        Self::with_window(start, end, items, WINDOW)
    }

    /// Like [`Timeline::new`], for a document that lists `window` items at once.
    ///
    /// # Errors
    /// As for [`Timeline::new`].
    pub fn with_window(
        start: i64,
        end: i64,
        mut items: Vec<i64>,
        window: usize,
    ) -> Result<Self, String> {
        let sensible = |at: &i64| (-LATEST..=LATEST).contains(at);
        if ![start, end].iter().chain(&items).all(sensible) {
            return Err("a time is out of range".to_owned());
        }
        if end <= start || end - start > LONGEST {
            return Err("the end must come after the start, by at most 20 years".to_owned());
        }
        items.retain(|at| *at < end);
        items.sort_unstable();
        let shown = items.partition_point(|at| *at < start);
        let items = items[shown.saturating_sub(window)..].iter().map(|at| *at as f64).collect();
        let shown = shown.min(window);
        Ok(Self { start: start as f64, end: end as f64, items, shown, window })
    }

    /// Shifts the timeline by whole weeks, so that it starts in the first week after `origin`. Sources that
    /// were recorded at different times are then replayed together.
    pub(super) fn aligned(&self, origin: f64) -> Self {
        let by = ((self.start - origin) / WEEK).floor() * WEEK;
        let items = self.items.iter().map(|at| at - by).collect();
        Self { start: self.start - by, end: self.end - by, items, ..*self }
    }

    /// The time of the first poll.
    pub fn starts(&self) -> Time {
        seconds::time(self.start)
    }

    /// The end of the timeline. Later polls are not counted.
    pub fn ends(&self) -> Time {
        seconds::time(self.end)
    }

    /// Number of items since the start.
    pub fn published(&self) -> usize {
        self.items.len() - self.shown
    }

    /// The times between successive items, in seconds.
    pub fn gaps(&self) -> impl Iterator<Item = f64> {
        self.items.windows(2).map(|pair| pair[1] - pair[0])
    }

    pub fn days(&self) -> f64 {
        (self.end - self.start) / DAY
    }
}

/// Reads timelines, one JSON object per line (`start`, `end`, `h`, `t`), optionally gzipped.
///
/// # Errors
/// If a line is invalid or the file is too large.
pub fn read(file: impl Read) -> Result<Vec<Timeline>, TimelineError> {
    read_below(file, MAX_BYTES)
}

/// Reads a file of less than `most` bytes after decompression.
pub(super) fn read_below(file: impl Read, most: u64) -> Result<Vec<Timeline>, TimelineError> {
    let mut file = BufReader::new(file);
    let is_packed = file.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    let plain: Box<dyn Read> =
        if is_packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    let mut plain = BufReader::new(plain.take(most));
    let mut timelines = Vec::new();
    let mut text = Vec::new();
    for line in 1.. {
        text.clear();
        if plain.read_until(b'\n', &mut text)? == 0 {
            break;
        }
        if plain.get_ref().limit() == 0 {
            return Err(TimelineError::TooLarge);
        }
        if text.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let wrong = |message: String| TimelineError::Line { line, message };
        let read: Line = serde_json::from_slice(&text).map_err(|e| wrong(e.to_string()))?;
        let mut items = read.h;
        items.retain(|at| *at < read.start);
        items.extend(read.t.into_iter().filter(|at| *at >= read.start));
        timelines.push(Timeline::new(read.start, read.end, items).map_err(wrong)?);
    }
    if timelines.is_empty() { Err(TimelineError::Empty) } else { Ok(timelines) }
}
