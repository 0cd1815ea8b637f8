//! The publishing rhythms in the Sources pane, and the dialog that explains the schedule of a source.

use super::dialogs::KeyHint::{Back, Bound, Rows};
use super::dialogs::{Dialog, KeyHint, KeyHints, Reply};
use super::{App, Focus, RowId};
use crate::config::{Action, Context, Key, Lookup};
use crate::engine::{Pace, Rhythm, ScheduleReport};
use crate::tui::effect::Effect;
use crate::tui::event::Failure;
use crate::tui::read::Read;
use crate::tui::view::{self, DialogArea};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use std::collections::HashMap;

/// State of the dialog.
#[derive(Debug)]
pub(crate) struct WhyDialog {
    /// Row key of the source.
    pub(crate) source: i64,
    /// `None` until it is loaded.
    pub(crate) report: Option<Box<ScheduleReport>>,
    /// Scroll position in lines.
    pub(crate) top: usize,
}

/// Publishing rhythms of sources, by row key.
#[derive(Debug, Default)]
pub(crate) struct Rhythms {
    states: HashMap<i64, RhythmState>,
}

#[derive(Debug)]
struct RhythmState {
    /// Number of items at the time of the request. If the number changes, the rhythm is requested again.
    items: u32,
    /// Time of the request in seconds since the epoch, because the chart shows days up to now.
    requested: i64,
    /// Whether the reply is still pending.
    waiting: bool,
    rhythm: Option<Rhythm>,
}

/// Time after which a rhythm is requested again, in seconds.
const MAX_AGE: i64 = 3600;
/// Time after which a failed request is repeated, in seconds.
const RETRY: i64 = 30;

impl Rhythms {
    pub(crate) fn of(&self, source: i64) -> Option<&Rhythm> {
        self.states.get(&source)?.rhythm.as_ref()
    }
}

impl App {
    /// Requests the missing and stale rhythms of visible sources.
    pub(super) fn request_rhythms(&mut self) -> Option<Effect> {
        let (pane, now) = (&self.sources, self.now.timestamp());
        let height = usize::from(self.size.1);
        let shown = pane.rows.iter().skip(pane.scroll).take(height);
        let mut missing = Vec::new();
        for entry in shown.filter_map(|row| pane.list.sources.get(row.entry?)) {
            let (key, items) = (entry.facts.key, entry.facts.items);
            let state = self.rhythms.states.get(&key);
            if state.is_some_and(|s| s.items == items && now - s.requested < MAX_AGE) {
                continue;
            }
            missing.push(key);
            let state = self.rhythms.states.entry(key);
            let state =
                state.or_insert(RhythmState { items, requested: now, waiting: true, rhythm: None });
            (state.items, state.requested, state.waiting) = (items, now, true);
        }
        (!missing.is_empty()).then_some(Effect::Read(Read::Rhythms(missing)))
    }

    pub(super) fn rhythms_loaded(
        &mut self,
        result: Result<Vec<(i64, Rhythm)>, Failure>,
    ) -> Vec<Effect> {
        match result {
            Ok(rhythms) => {
                for (key, rhythm) in rhythms {
                    if let Some(state) = self.rhythms.states.get_mut(&key) {
                        (state.rhythm, state.waiting) = (Some(rhythm), false);
                    }
                }
                vec![]
            }
            Err(why) => {
                let now = self.now.timestamp();
                for state in self.rhythms.states.values_mut().filter(|state| state.waiting) {
                    (state.requested, state.waiting) = (now - MAX_AGE + RETRY, false);
                }
                self.problem(why)
            }
        }
    }

    /// Row key of the selected source, or of the source of the selected item.
    pub(in crate::tui) fn selected_source(&self) -> Option<i64> {
        let current = match self.sources.current().map(|row| &row.id) {
            Some(RowId::Source(key)) => Some(*key),
            _ => None,
        };
        match self.focus {
            Focus::Sources => current,
            // An empty list belongs to the selected source.
            Focus::Items | Focus::Reader => {
                self.item_targets().first().map(|r| r.source_key).or(current)
            }
        }
    }

    /// Opens the dialog for the selected source.
    pub(super) fn open_why(&mut self) -> Vec<Effect> {
        let known = self.selected_source().filter(|key| self.sources.entry(*key).is_some());
        let Some(source) = known else {
            return self.note("Select a source in the Sources pane first");
        };
        self.push_dialog(WhyDialog { source, report: None, top: 0 });
        vec![Effect::Read(Read::Why(source))]
    }

    /// Reloads the open dialog.
    pub(super) fn reload_why(&self) -> Option<Effect> {
        self.dialog().map(|dialog: &WhyDialog| Effect::Read(Read::Why(dialog.source)))
    }

    pub(super) fn why_loaded(
        &mut self,
        source: i64,
        result: Result<Box<ScheduleReport>, Failure>,
    ) -> Vec<Effect> {
        let dialog = self.dialog_mut::<WhyDialog>().filter(|dialog| dialog.source == source);
        match (dialog, result) {
            (Some(dialog), Ok(report)) => {
                dialog.report = Some(report);
                vec![]
            }
            (Some(_), Err(why)) => self.problem(why),
            (None, _) => vec![],
        }
    }

    /// Stops the crawl of the selected source.
    pub(super) fn stop_crawl(&mut self) -> Vec<Effect> {
        match self.selected_source() {
            Some(source) => vec![Effect::StopCrawl { source }],
            None => self.note("Select a source in the Sources pane first"),
        }
    }
}

/// More lines than the dialog can have.
const MAX_LINES: usize = 100;

impl Dialog for WhyDialog {
    fn key(&mut self, app: &mut App, event: KeyEvent, key: Key) -> Reply {
        let advice = self.report.as_ref().and_then(|report| report.advice.as_ref());
        if let (KeyCode::Char('a'), true, Some(advice)) =
            (event.code, event.modifiers.is_empty(), advice)
        {
            return app.change_sources(vec![(advice.source.clone(), advice.change())]).into();
        }
        if let Some(motion) = app.motion(key) {
            // Drawing limits this position to the last page.
            self.top = motion.from(self.top, 10, MAX_LINES);
            return Reply::default();
        }
        match app.keymap.lookup(Context::Sources, &[key]) {
            Lookup::Action(Action::Back | Action::Why) => Reply::close(vec![]),
            Lookup::Action(Action::StopCrawl) => {
                vec![Effect::StopCrawl { source: self.source }].into()
            }
            Lookup::Action(Action::Refresh) => {
                app.refresh(Some(vec![self.source]), Pace::Manual).into()
            }
            Lookup::Action(Action::Edit) => Reply::close(app.edit_schedule(self.source)),
            _ => Reply::default(),
        }
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::why::draw(app, frame, self, area);
    }

    fn hints(&self) -> KeyHints {
        const HINTS: KeyHints = &[
            KeyHint::Key("a", "apply the advice"),
            Bound(Context::Sources, Action::Refresh, "check now"),
            Bound(Context::Sources, Action::Edit, "edit schedule"),
            Rows("scroll"),
            Back("close"),
        ];
        let advised = self.report.as_ref().is_some_and(|report| report.advice.is_some());
        if advised { HINTS } else { &HINTS[1..] }
    }
}
