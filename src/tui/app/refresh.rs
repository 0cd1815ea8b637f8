//! Manual refreshes of sources, and their results.

use super::{App, Focus};
use crate::config::{Action, Context};
use crate::engine::{Pace, ProcessRole, Refreshed, Report};
use crate::model::{Outcome, Pause};
use crate::store::Scope;
use crate::tui::effect::Effect;
use crate::tui::event::RequestId;
use crate::util::text::counted;
use crate::util::time_text;

/// Counts of a refresh that the user started.
#[derive(Debug, Default)]
pub(in crate::tui) struct Refreshing {
    polled: usize,
    new: u32,
    updated: u32,
    failed: usize,
    skipped: usize,
    /// The pause of the source that was skipped last.
    pause: Option<Pause>,
    /// Entries and pages that were not stored.
    left_out: u32,
}

impl App {
    pub(super) fn refresh(&mut self, keys: Option<Vec<i64>>, pace: Pace) -> Vec<Effect> {
        if self.status.role == ProcessRole::Reads {
            return self.note("Not refreshed: the database is read-only");
        }
        if let ProcessRole::Watches(pid) = self.status.role {
            let who = pid.map_or("another newsfed process".to_owned(), |pid| {
                format!("newsfed process {pid}")
            });
            return self.note(format!(
                "Not refreshed: {who} is checking the sources; new items appear here"
            ));
        }
        if self.sources.list.sources.is_empty() {
            return self.note("Nothing to refresh: no sources yet");
        }
        // Keeps the results of a refresh that is still running.
        if self.refreshing.is_empty() {
            self.results.clear();
        }
        let request = self.request();
        self.refreshing.insert(request, Refreshing::default());
        vec![Effect::Refresh { keys, pace, request }]
    }

    pub(super) fn refresh_targets(&mut self, pace: Pace) -> Vec<Effect> {
        let mut keys: Vec<i64> = match self.focus {
            Focus::Sources => self.sources.targets().iter().map(|s| s.facts.key).collect(),
            Focus::Items | Focus::Reader => {
                let mut keys: Vec<i64> = self.item_targets().iter().map(|r| r.source_key).collect();
                keys.dedup();
                keys
            }
        };
        if keys.is_empty() {
            keys = match &self.items.listing.base.scope {
                // The list may have no items, so the sources are those of its scope.
                Scope::Sources(keys) => keys.clone(),
                // A list of pinned items or items kept for later refreshes only the sources of these items.
                Scope::Pinned | Scope::Later => {
                    self.items.rows.iter().map(|row| row.source_key).collect()
                }
                _ => {
                    self.sources.marked.clear();
                    return self.refresh(None, pace);
                }
            };
            keys.sort_unstable();
            keys.dedup();
            if keys.is_empty() {
                return self.note("Nothing to refresh: this list is empty");
            }
        }
        self.sources.marked.clear();
        self.refresh(Some(keys), pace)
    }

    pub(super) fn refreshed(&mut self, request: RequestId, report: &Report) -> Vec<Effect> {
        let Some(totals) = self.refreshing.get_mut(&request) else { return vec![] };
        totals.left_out += report.left_out.iter().map(|each| each.count).sum::<u32>();
        match &report.result {
            Refreshed::Polled(Outcome::Failed { .. }) | Refreshed::Lost(_) => totals.failed += 1,
            Refreshed::Polled(Outcome::Fetched { new, updated, .. }) => {
                totals.polled += 1;
                totals.new += new;
                totals.updated += updated;
            }
            Refreshed::Polled(Outcome::Unchanged) => totals.polled += 1,
            Refreshed::Skipped(pause) => {
                totals.skipped += 1;
                totals.pause = Some(*pause);
            }
            Refreshed::NotDue(_) | Refreshed::Disabled => totals.skipped += 1,
        }
        self.record_report(report);
        vec![]
    }

    pub(super) fn refresh_ended(&mut self, request: RequestId) -> Vec<Effect> {
        let Some(totals) = self.refreshing.remove(&request) else { return vec![] };
        if totals.polled + totals.failed + totals.skipped == 0 {
            // Another refresh is already running, so its message stays.
            return match &self.toast {
                Some(_) => vec![],
                None => self.background_note("Already refreshing"),
            };
        }
        let text = self.summary_of(&totals);
        // An error in the file must stay visible, because the refresh used the old source list.
        match self.status.declaration_error.clone() {
            Some(error) => self.show_error(&error),
            None => self.background_note(text),
        }
    }

    fn summary_of(&self, totals: &Refreshing) -> String {
        if let (Some(pause), 0, 1) = (&totals.pause, totals.polled + totals.failed, totals.skipped)
        {
            let key = self.keymap.keys_for(Context::Sources, Action::ForceRefresh);
            let how = key.map(|key| format!("; {key}: refresh anyway")).unwrap_or_default();
            return format!("Not refreshed: {}{how}", time_text::pause(pause, self.now));
        }
        let mut text = match (totals.new, totals.updated) {
            (0, 0) => "Nothing new".to_owned(),
            (0, updated) => counted(updated, "updated item"),
            (new, 0) => counted(new, "new item"),
            (new, updated) => format!("{}, {updated} updated", counted(new, "new item")),
        };
        if totals.skipped > 0 {
            text += &format!(", {} skipped", totals.skipped);
        }
        if totals.left_out > 0 {
            text += &format!(", {} left out", totals.left_out);
        }
        if totals.failed > 0 {
            text += &format!(", {} failed", totals.failed);
            if let Some(key) = self.keymap.keys_for(self.context(), Action::Log) {
                text += &format!(" ({key}: log)");
            }
        }
        text
    }

    /// Reports that a changed configuration file could not be read; the error names the file.
    pub(super) fn show_error(&mut self, error: &str) -> Vec<Effect> {
        self.file_problem(format!("Not reloaded: {error}"))
    }

    /// Shows a problem in the configuration files until it is corrected.
    pub(super) fn file_problem(&mut self, text: String) -> Vec<Effect> {
        let effects = self.problem(text);
        if let Some(toast) = &mut self.toast {
            toast.is_about_files = true;
        }
        effects
    }

    /// Removes the message about the configuration files.
    pub(super) fn remove_file_problem(&mut self) {
        for toast in [&mut self.toast, &mut self.problem] {
            toast.take_if(|toast| toast.is_about_files);
        }
    }
}
