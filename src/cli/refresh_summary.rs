//! Summary of a refresh, as text or JSON.

use super::exit::Exit;
use crate::engine::{Refreshed, Report};
use crate::model::{ErrorKind, LeftOut, Outcome, PauseReason, SelectorProblem, Time};
use crate::util::text::counted;
use chrono::SubsecRound;
use serde::Serialize;

/// Totals over all sources; printed by `sync --json` as the last value.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename = "summary")]
pub(super) struct Tally {
    /// Sources with new or changed items.
    updated: usize,
    /// Sources without new or changed items.
    unchanged: usize,
    /// Sources that could not be read or stored.
    failed: usize,
    /// Sources skipped because their server asked for a pause.
    skipped: usize,
    /// Sources that are not due yet.
    not_due: usize,
    /// Disabled sources.
    disabled: usize,
    /// New items of all sources.
    new_items: u64,
    /// Changed items of all sources.
    changed_items: u64,
}

impl Tally {
    /// Counts one source.
    pub(super) fn count(&mut self, result: &Refreshed) {
        match result {
            Refreshed::Polled(Outcome::Fetched { new, updated, .. }) => {
                self.new_items += u64::from(*new);
                self.changed_items += u64::from(*updated);
                if new + updated > 0 { self.updated += 1 } else { self.unchanged += 1 }
            }
            Refreshed::Polled(Outcome::Unchanged) => self.unchanged += 1,
            Refreshed::Polled(Outcome::Failed { .. }) | Refreshed::Lost(_) => self.failed += 1,
            Refreshed::Skipped(_) => self.skipped += 1,
            Refreshed::NotDue(_) => self.not_due += 1,
            Refreshed::Disabled => self.disabled += 1,
        }
    }

    /// Formats the totals as one line.
    pub(super) fn describe(&self) -> String {
        let polled = self.updated + self.unchanged;
        let mut words = match polled {
            0 => "no source refreshed".to_owned(),
            _ => format!("{} new", self.new_items),
        };
        if self.changed_items > 0 {
            words.push_str(&format!(" and {} changed", self.changed_items));
        }
        if polled > 0 {
            words.push_str(&format!(" in {}", counted(polled, "refreshed source")));
        }
        for (count, what) in [
            (self.failed, "failed"),
            (self.skipped, "skipped"),
            (self.not_due, "not due"),
            (self.disabled, "disabled"),
        ] {
            if count > 0 {
                words.push_str(&format!(", {count} {what}"));
            }
        }
        words
    }

    pub(super) fn exit(&self) -> Exit {
        match (self.failed, self.updated + self.unchanged) {
            (0, _) => Exit::Ok,
            (_, 0) => Exit::Failed,
            _ => Exit::Partial,
        }
    }
}

/// JSON output for one source of a refresh.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "source")]
pub(super) struct JsonReport<'a> {
    source: &'a str,
    result: &'static str,
    new: u32,
    updated: u32,
    entries: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<ErrorKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<PauseReason>,
    left_out: &'a [LeftOut],
    problem: Option<&'a SelectorProblem>,
}

pub(super) fn json_report(report: &Report) -> JsonReport<'_> {
    let mut summary = JsonReport {
        source: report.source.as_str(),
        result: "unchanged",
        new: 0,
        updated: 0,
        entries: 0,
        kind: None,
        message: None,
        until: None,
        reason: None,
        left_out: &report.left_out,
        problem: report.problem.as_ref(),
    };
    match &report.result {
        Refreshed::Polled(Outcome::Unchanged) => {}
        Refreshed::Polled(Outcome::Fetched { new, updated, entries }) => {
            (summary.new, summary.updated, summary.entries) = (*new, *updated, *entries);
            if new + updated > 0 {
                summary.result = "updated";
            }
        }
        Refreshed::Polled(Outcome::Failed { kind, message }) => {
            (summary.result, summary.kind) = ("failed", Some(*kind));
            summary.message = Some(message.as_str());
        }
        Refreshed::Lost(why) => {
            (summary.result, summary.message) = ("failed", Some(why.as_str()));
        }
        Refreshed::Skipped(pause) => {
            (summary.result, summary.until, summary.reason) =
                ("skipped", Some(pause.until.trunc_subsecs(0)), Some(pause.reason));
        }
        Refreshed::NotDue(at) => {
            (summary.result, summary.until) = ("not-due", Some(at.trunc_subsecs(0)))
        }
        Refreshed::Disabled => summary.result = "disabled",
    }
    summary
}
