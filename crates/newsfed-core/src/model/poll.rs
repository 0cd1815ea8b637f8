//! The result of one poll of a source.

use super::{DecidingSignal, LeftOut, PauseReason, PolicyKind, Time};

/// The kind of a failure; it decides what happens next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// May pass without intervention: timeouts, resets, 5xx. Retried with back-off.
    Transient,
    /// Unlikely to pass: 404, no feed at the URL. Retried with back-off.
    Permanent,
    /// The server asked for fewer requests: 429, 503 with Retry-After, robots.txt.
    Politeness,
    /// Something the user must fix: a missing password, a private address.
    User,
}

/// When the next poll is due, and how that was decided.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Planned {
    pub at: Time,
    pub policy: PolicyKind,
    /// When the policy wanted to poll.
    pub wanted: Time,
    /// When the poll is due after all rules.
    pub next: Time,
    /// The rules that moved the poll, in order, each with the new time.
    pub moved_by: Vec<Moved>,
    /// For websites and sitemaps: the first conclusive signal about the next change.
    #[serde(default, alias = "sign")]
    pub signal: Option<DecidingSignal>,
    /// How long the last response with such a header stays fresh (`max-age`, `Expires`), in
    /// seconds.
    #[serde(default)]
    pub fresh_for: Option<u64>,
    /// Identifies the settings that it was decided with; `None` for plans of earlier versions.
    #[serde(default)]
    pub settings: Option<u64>,
}

/// A rule that moved a poll, and the new time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Moved {
    pub reason: PauseReason,
    pub to: Time,
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", tag = "outcome")]
pub enum Outcome {
    /// 304, or a body with the hash of the last one.
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
    /// How the message of a failure names a document that is a web page instead of a feed.
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
    /// HTTP status; `None` if no response came.
    pub status: Option<u16>,
    /// Duration in milliseconds.
    pub millis: u32,
    /// Requests sent, including redirects but not robots.txt.
    pub requests: u32,
    /// Bytes received on the wire (compressed size).
    pub bytes: u64,
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The repairs that were needed to read the document, and other notes.
    pub repairs: Vec<String>,
    /// What was not stored, and why.
    pub left_out: Vec<LeftOut>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Signal;

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
