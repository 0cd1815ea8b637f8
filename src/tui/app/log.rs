//! The log: failed polls and repaired feeds.

use super::dialogs::KeyHint::{Back, Rows};
use super::dialogs::{Dialog, KeyHint, KeyHints, Reply};
use super::{App, CheckRow, Fate, Focus, RowId};
use crate::config::Key;
use crate::model::{Outcome, PollRecord, SourceId};
use crate::tui::effect::Effect;
use crate::tui::read::Read;
use crate::tui::view::{self, DialogArea};
use crate::util::time_text;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use std::collections::HashMap;

/// Failed polls, newest first.
#[derive(Debug, Default)]
pub(crate) struct LogList {
    pub(crate) polls: Option<Vec<(SourceId, PollRecord)>>,
    pub(crate) selected: usize,
}

impl LogList {
    /// The rows; `None` until they are loaded.
    pub(crate) fn rows<'a>(&'a self, app: &App) -> Option<Vec<CheckRow<'a>>> {
        let sources = app.sources.list.sources.iter();
        let next: HashMap<&SourceId, _> =
            sources.map(|entry| (&entry.source.id, entry.facts.next_poll)).collect();
        let row = |(source, poll): &'a (SourceId, PollRecord)| {
            let repairs = poll.repairs.join("; ");
            let (fate, words, mut more) = match &poll.outcome {
                Outcome::Failed { message, .. } => (Fate::Failed, message.into(), repairs),
                _ => (Fate::Repaired, format!("notes: {repairs}").into(), String::new()),
            };
            if let Some(next) = next.get(source).copied().flatten() {
                let gap = if more.is_empty() { "" } else { ". " };
                more += &format!("{gap}Next attempt: {}", time_text::clock(next, app.now));
            }
            let ago = time_text::age((app.now - poll.at).num_seconds());
            CheckRow { source, fate, ago, words, more }
        };
        self.polls.as_ref().map(|polls| polls.iter().map(row).collect())
    }
}

impl App {
    /// Requests the last failed polls of the listed source, if that source fails repeatedly and has no items.
    pub(super) fn request_failures(&self) -> Option<Effect> {
        let Some(RowId::Source(key)) = self.items.listed else { return None };
        let fails = self.sources.entry(key).is_some_and(|entry| entry.facts.fail_count > 1);
        (fails && self.items.rows.is_empty()).then_some(Effect::Read(Read::Failures(key)))
    }

    pub(super) fn failures_loaded(
        &mut self,
        source: i64,
        result: Result<Vec<(SourceId, PollRecord)>, String>,
    ) -> Vec<Effect> {
        match result {
            Ok(polls) => {
                let polls = polls.into_iter().map(|(_, poll)| poll);
                let failed = polls.filter(|poll| matches!(poll.outcome, Outcome::Failed { .. }));
                self.failures = Some((source, failed.collect()));
                vec![]
            }
            Err(why) => self.problem(why),
        }
    }

    pub(super) fn open_log(&mut self) -> Vec<Effect> {
        self.push_dialog(LogList::default());
        vec![Effect::Read(Read::Log)]
    }

    pub(super) fn log_loaded(
        &mut self,
        result: Result<Vec<(SourceId, PollRecord)>, String>,
    ) -> Vec<Effect> {
        // If the log was opened from a source, select the last failure of that source.
        let about = match self.focus {
            Focus::Sources => self.sources.targets().first().map(|s| s.source.id.clone()),
            Focus::Items | Focus::Reader => None,
        };
        match (result, self.dialog_mut::<LogList>()) {
            (Ok(polls), Some(log)) => {
                let first = about.and_then(|id| polls.iter().position(|(source, _)| *source == id));
                log.selected = first.unwrap_or(0);
                log.polls = Some(polls);
            }
            (Err(why), _) => return self.problem(why),
            _ => {}
        }
        vec![]
    }
}

impl Dialog for LogList {
    fn key(&mut self, app: &mut App, event: KeyEvent, key: Key) -> Reply {
        let polls = self.polls.as_deref().unwrap_or_default();
        if let Some(motion) = app.motion(key) {
            self.selected = motion.from(self.selected, 10, polls.len());
        } else if event.code == KeyCode::Enter {
            let id = polls.get(self.selected).map(|(id, _)| id);
            let source = app.sources.list.sources.iter().find(|s| Some(&s.source.id) == id);
            let key = source.map(|s| s.facts.key);
            let Some(key) = key else { return Reply::close(vec![]) };
            app.sources.select(&RowId::Source(key));
            app.focus = Focus::Sources;
            return Reply::close(app.show_selected_source());
        } else if app.is_back(key) {
            return Reply::close(vec![]);
        }
        Reply::default()
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::progress::log(app, frame, self, area);
    }

    fn hints(&self) -> KeyHints {
        &[KeyHint::Key("Enter", "go to source"), Rows("select"), Back("close")]
    }
}
