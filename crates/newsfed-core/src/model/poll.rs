//! The result of one poll of a source.

use super::{DecidingSignal, LeftOut, PauseReason, PolicyKind, Time};
use chrono::NaiveDate;
use serde::de::{self, Deserializer, Visitor};
use std::fmt;
use std::ops::Range;

/// The kind of a failure; it decides what happens next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// Likely to go away without intervention: timeouts, resets, 5xx. Retried with back-off.
    Transient,
    /// Unlikely to go away: 404, no feed at the URL. Retried with back-off.
    Permanent,
    /// The server asked for fewer requests: 429, 503 with Retry-After, robots.txt.
    Politeness,
    /// Something the user must fix: a missing password, a private address.
    User,
}

/// When the next poll is due, and how that was decided.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Planned {
    #[serde(deserialize_with = "stored_time")]
    pub at: Time,
    pub policy: PolicyKind,
    /// The time that the policy chose.
    #[serde(deserialize_with = "stored_time")]
    pub wanted: Time,
    /// When the poll is due after all limits.
    #[serde(deserialize_with = "stored_time")]
    pub next: Time,
    /// The limits that moved the poll, in order, each with the new time.
    pub moved_by: Vec<Moved>,
    /// For websites and sitemaps: the first conclusive signal about the next change.
    #[serde(default, alias = "sign")]
    pub signal: Option<DecidingSignal>,
    /// How long the last response with a freshness header (`max-age`, `Expires`) stays fresh, in seconds.
    #[serde(default)]
    pub fresh_for: Option<u64>,
    /// Identifies the settings that the plan was made with; `None` for plans of earlier versions.
    #[serde(default)]
    pub settings: Option<u64>,
}

/// Deserialises a time. The plans of all sources are read at startup, so times in the usual stored form
/// bypass the general parser.
fn stored_time<'de, D: Deserializer<'de>>(from: D) -> Result<Time, D::Error> {
    struct Text;
    impl Visitor<'_> for Text {
        type Value = Time;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an RFC 3339 time")
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Time, E> {
            whole_seconds(text).map_or_else(|| text.parse().map_err(E::custom), Ok)
        }
    }
    from.deserialize_str(Text)
}

/// Parses a time such as `2026-11-26T17:14:35Z`; `None` for all other forms.
fn whole_seconds(text: &str) -> Option<Time> {
    let bytes = text.as_bytes();
    let &[_, _, _, _, b'-', _, _, b'-', _, _, b'T', _, _, b':', _, _, b':', _, _, b'Z'] = bytes
    else {
        return None;
    };
    let number = |digits: Range<usize>| {
        let add =
            |n: u32, digit: &u8| digit.is_ascii_digit().then(|| n * 10 + u32::from(digit - b'0'));
        bytes.get(digits)?.iter().try_fold(0, add)
    };
    let year = i32::try_from(number(0..4)?).ok()?;
    let day = NaiveDate::from_ymd_opt(year, number(5..7)?, number(8..10)?)?;
    Some(day.and_hms_opt(number(11..13)?, number(14..16)?, number(17..19)?)?.and_utc())
}

/// A limit that moved a poll, and the new time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Moved {
    pub reason: PauseReason,
    pub to: Time,
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", tag = "outcome")]
pub enum Outcome {
    /// 304, or a body with the same hash as the last one.
    Unchanged,
    /// A complete response was read.
    Fetched {
        /// Items not seen before.
        new: u32,
        updated: u32,
        entries: u32,
    },
    /// The poll failed.
    Failed {
        kind: ErrorKind,
        /// What happened, already sanitised.
        message: String,
    },
}

impl Outcome {
    /// What an error message calls a web page that was found instead of a feed.
    pub const HTML_PAGE: &str = "an HTML page";

    /// Whether the poll failed because the document is a web page.
    pub fn is_html_page(&self) -> bool {
        matches!(self, Self::Failed { message, .. } if message.ends_with(Self::HTML_PAGE))
    }
}

/// One poll of a source, as stored in the poll history and shown in the log.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct PollRecord {
    pub at: Time,
    /// HTTP status; `None` if there was no response.
    pub status: Option<u16>,
    /// Duration in milliseconds.
    pub millis: u32,
    /// Requests sent, including redirects but not robots.txt.
    pub requests: u32,
    /// Bytes received on the wire (compressed size).
    pub bytes: u64,
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The repairs that were needed to parse the document, and other notes.
    pub repairs: Vec<String>,
    /// What was not stored, and why.
    pub left_out: Vec<LeftOut>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Signal;

    #[test]
    fn fast_parser_accepts_only_the_stored_form() {
        for (text, is_usual) in [
            ("2026-11-26T17:14:35Z", true),
            ("1969-12-31T23:59:59Z", true),
            ("2028-02-29T00:00:00Z", true),
            ("2027-02-29T00:00:00Z", false),
            ("2026-11-26T17:14:60Z", false),
            ("2026-11-26T17:14:35.5Z", false),
            ("2026-11-26T17:14:35+01:00", false),
            ("2026-11-26T24:00:00Z", false),
            ("+026-11-26T17:14:35Z", false),
            ("", false),
        ] {
            let parsed = text.parse::<Time>().ok();
            assert_eq!(whole_seconds(text), parsed.filter(|_| is_usual), "{text}");
            let json = format!(
                r#"{{"at":"{text}","policy":"fixed","wanted":"{text}","next":"{text}","moved_by":[]}}"#
            );
            let planned = serde_json::from_str::<Planned>(&json).ok();
            assert_eq!(
                planned.map(|planned| [planned.at, planned.wanted, planned.next]),
                parsed.map(|t| [t; 3])
            );
        }
    }

    #[test]
    fn reads_plans_stored_before_the_signal_was_renamed() {
        let stored = r#"{"at":"2026-11-21T09:00:00Z","policy":"learned",
            "wanted":"2026-11-21T10:00:00Z","next":"2026-11-21T10:00:00Z","moved_by":[],
            "sign":{"signal":"metadata","after":3600,"why":"its last change"}}"#;
        let planned: Planned = serde_json::from_str(stored).unwrap();
        let signal = planned.signal.unwrap();
        assert_eq!((signal.name, signal.after), (Signal::Metadata, 3600));
    }
}
