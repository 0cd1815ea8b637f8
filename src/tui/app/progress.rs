//! The progress of a refresh that the user started, and its result for each source. Without a refresh, shows
//! the last poll of each source.

use super::dialogs::KeyHint::{Back, Rows};
use super::dialogs::{Dialog, KeyHint, KeyHints, Reply};
use super::{App, Focus, RowId};
use crate::config::{Action, Context, Key, Lookup};
use crate::engine::{Refreshed, Report};
use crate::model::{Outcome, SourceId};
use crate::tui::effect::Effect;
use crate::tui::event::SourceEntry;
use crate::tui::view::{self, DialogArea};
use crate::util::time_text;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use std::borrow::Cow;

/// State of the dialog.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    pub(crate) selected: usize,
}

/// The kind of result for a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fate {
    Failed,
    Skipped,
    /// The source was read after its document was repaired.
    Repaired,
    New,
    Unchanged,
    Waiting,
}

/// A source with a description of its result.
#[derive(Debug)]
pub(crate) struct ProgressRow {
    pub(crate) source: SourceId,
    pub(crate) words: String,
}

/// A row of the dialog.
#[derive(Debug)]
pub(crate) struct CheckRow<'a> {
    pub(crate) source: &'a SourceId,
    pub(crate) fate: Fate,
    /// How long ago the poll was; empty if this is not shown.
    pub(crate) ago: String,
    pub(crate) words: Cow<'a, str>,
    /// More details, shown below the list after the full result while the row is selected.
    pub(crate) more: String,
}

impl<'a> CheckRow<'a> {
    fn new(source: &'a SourceId, fate: Fate, ago: String, words: Cow<'a, str>) -> Self {
        Self { source, fate, ago, words, more: String::new() }
    }
}

impl App {
    /// Stores the result of a source.
    pub(super) fn record_report(&mut self, report: &Report) {
        let left_out: u32 = report.left_out.iter().map(|each| each.count).sum();
        let (fate, mut words) = self.fate(&report.result);
        if left_out > 0 {
            words += &format!(", {left_out} left out");
        }
        let row = ProgressRow { source: report.source.clone(), words };
        self.results.entry(fate).or_default().push(row);
    }

    fn fate(&self, result: &Refreshed) -> (Fate, String) {
        match result {
            Refreshed::Polled(Outcome::Failed { message, .. }) => (Fate::Failed, message.clone()),
            Refreshed::Lost(why) => (Fate::Failed, format!("not stored: {why}")),
            Refreshed::Skipped(pause) => (Fate::Skipped, time_text::pause(pause, self.now)),
            Refreshed::NotDue(_) => (Fate::Skipped, "not due".to_owned()),
            Refreshed::Disabled => (Fate::Skipped, "disabled".to_owned()),
            Refreshed::Polled(Outcome::Unchanged) => (Fate::Unchanged, "unchanged".to_owned()),
            Refreshed::Polled(Outcome::Fetched { new: 0, updated: 0, .. }) => {
                (Fate::Unchanged, "nothing new".to_owned())
            }
            Refreshed::Polled(Outcome::Fetched { new, updated: 0, .. }) => {
                (Fate::New, format!("{new} new"))
            }
            Refreshed::Polled(Outcome::Fetched { new: 0, updated, .. }) => {
                (Fate::New, format!("{updated} updated"))
            }
            Refreshed::Polled(Outcome::Fetched { new, updated, .. }) => {
                (Fate::New, format!("{new} new, {updated} updated"))
            }
        }
    }

    /// Whether the user has started a refresh.
    pub(crate) fn has_refreshed(&self) -> bool {
        !self.results.is_empty() || !self.refreshing.is_empty()
    }

    /// The results so far, and the sources that are being polled or waiting. Without a refresh, the last poll
    /// of each source.
    pub(crate) fn progress_rows(&self) -> Vec<CheckRow<'_>> {
        if !self.has_refreshed() {
            return self.last_checks();
        }
        let row = |source, fate, words| CheckRow::new(source, fate, String::new(), words);
        let done = self.results.iter().flat_map(|(fate, rows)| {
            rows.iter().map(move |each| row(&each.source, *fate, Cow::from(&each.words)))
        });
        let is_waiting = |s: &&SourceEntry| self.status.claimed.contains(&s.facts.key);
        let waiting = self.sources.list.sources.iter().filter(is_waiting);
        let waiting = waiting.filter(|_| !self.refreshing.is_empty());
        done.chain(waiting.map(|s| row(&s.source.id, Fate::Waiting, "waiting".into()))).collect()
    }

    /// The result of the last poll of each source, problems first.
    fn last_checks(&self) -> Vec<CheckRow<'_>> {
        let row = |entry: &'_ SourceEntry| {
            let facts = &entry.facts;
            match (&facts.last_outcome, facts.last_poll) {
                _ if self.status.claimed.contains(&facts.key) => {
                    (Fate::Waiting, String::new(), "checking".into())
                }
                _ if !entry.source.enabled => (Fate::Skipped, String::new(), "disabled".into()),
                (Some(outcome), Some(at)) => {
                    let (fate, words) = self.fate(&Refreshed::Polled(outcome.clone()));
                    let ago = time_text::age((self.now - at).num_seconds());
                    (fate, ago, words.into())
                }
                _ => (Fate::Waiting, String::new(), "not checked yet".into()),
            }
        };
        let of = |entry| {
            let (fate, ago, words): (Fate, String, Cow<'_, str>) = row(entry);
            CheckRow::new(&entry.source.id, fate, ago, words)
        };
        let mut rows: Vec<_> = self.sources.list.sources.iter().map(of).collect();
        rows.sort_by_key(|row| row.fate);
        rows
    }

    pub(super) fn open_progress(&mut self) -> Vec<Effect> {
        if !self.has_refreshed() && self.sources.list.sources.is_empty() {
            let key = self.keymap.keys_for(self.context(), Action::Add);
            let hint = key.map(|key| format!(" Press {key} to add one.")).unwrap_or_default();
            return self.note(format!("No sources yet.{hint}"));
        }
        self.push_dialog(Progress::default())
    }
}

impl Dialog for Progress {
    fn key(&mut self, app: &mut App, event: KeyEvent, key: Key) -> Reply {
        let rows = app.progress_rows();
        if let Some(motion) = app.motion(key) {
            self.selected = motion.from(self.selected, 10, rows.len());
            return Reply::default();
        }
        if event.code == KeyCode::Enter {
            let id = rows.get(self.selected).map(|row| row.source);
            let source = app.sources.list.sources.iter().find(|s| Some(&s.source.id) == id);
            let Some(key) = source.map(|s| s.facts.key) else { return Reply::close(vec![]) };
            app.sources.unfold(key);
            app.sources.select(&RowId::Source(key));
            app.focus = Focus::Sources;
            return Reply::close(app.show_selected_source());
        }
        match app.keymap.lookup(Context::Sources, &[key]) {
            Lookup::Action(Action::StopCrawl) if !app.refreshing.is_empty() => {
                app.note("Stopping: running requests finish, waiting ones are not sent");
                vec![Effect::CancelRefresh].into()
            }
            Lookup::Action(Action::Back | Action::Progress) => Reply::close(vec![]),
            _ => Reply::default(),
        }
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::progress::draw(app, frame, self, area);
    }

    fn hints(&self) -> KeyHints {
        &[KeyHint::Key("Enter", "go to source"), Rows("select"), Back("close")]
    }
}
