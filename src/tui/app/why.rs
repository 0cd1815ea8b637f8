//! When sources are polled: what lines of the sources pane tell of it, and the panel that
//! explains one of them.

use super::keys::Motion;
use super::{App, Dialog, Focus, RowId};
use crate::config::{Action, Context, Key, Lookup};
use crate::engine::{Rhythm, ScheduleSummary};
use crate::tui::effect::Effect;
use crate::tui::event::Failure;
use std::collections::HashMap;

/// The panel.
#[derive(Debug)]
pub(crate) struct WhyPanel {
    /// Row key of the source.
    pub(crate) source: i64,
    pub(crate) title: String,
    /// `None` until it is read.
    pub(crate) summary: Option<ScheduleSummary>,
    /// Lines scrolled past.
    pub(crate) top: usize,
}

/// What is known of how sources publish, by row key.
#[derive(Debug, Default)]
pub(crate) struct Rhythms {
    known: HashMap<i64, Known>,
}

#[derive(Debug)]
struct Known {
    /// What the source had when it was asked for: another number of items asks again.
    items: u32,
    /// Seconds since the epoch; the days of the line move on.
    asked: i64,
    /// Whether the answer is still to come.
    waiting: bool,
    rhythm: Option<Rhythm>,
}

/// After that many seconds the days have moved on enough to be seen.
const FRESH: i64 = 3600;
/// Seconds until what could not be read is asked for again.
const AGAIN: i64 = 30;

impl Rhythms {
    pub(crate) fn of(&self, source: i64) -> Option<&Rhythm> {
        self.known.get(&source)?.rhythm.as_ref()
    }
}

impl App {
    /// Asks for the rhythms of the sources on the screen that are missing or out of date.
    pub(super) fn want_rhythms(&mut self) -> Option<Effect> {
        let (pane, now) = (&self.sources, self.now.timestamp());
        let height = usize::from(self.size.1);
        let shown = pane.rows.iter().skip(pane.scroll).take(height);
        let mut wanted = Vec::new();
        for entry in shown.filter_map(|row| pane.list.sources.get(row.entry?)) {
            let (key, items) = (entry.facts.key, entry.facts.items);
            let known = self.rhythms.known.get(&key);
            if known.is_some_and(|k| k.items == items && now - k.asked < FRESH) {
                continue;
            }
            wanted.push(key);
            let known = self.rhythms.known.entry(key);
            let known = known.or_insert(Known { items, asked: now, waiting: true, rhythm: None });
            (known.items, known.asked, known.waiting) = (items, now, true);
        }
        (!wanted.is_empty()).then_some(Effect::LoadRhythms { sources: wanted })
    }

    pub(super) fn rhythms_loaded(
        &mut self,
        result: Result<Vec<(i64, Rhythm)>, Failure>,
    ) -> Vec<Effect> {
        match result {
            Ok(rhythms) => {
                for (key, rhythm) in rhythms {
                    if let Some(known) = self.rhythms.known.get_mut(&key) {
                        (known.rhythm, known.waiting) = (Some(rhythm), false);
                    }
                }
                vec![]
            }
            Err(why) => {
                let now = self.now.timestamp();
                for known in self.rhythms.known.values_mut().filter(|known| known.waiting) {
                    (known.asked, known.waiting) = (now - FRESH + AGAIN, false);
                }
                self.problem(why)
            }
        }
    }

    /// Row key of the source that is selected, or whose item is.
    pub(super) fn selected_source(&self) -> Option<i64> {
        let current = match self.sources.current().map(|row| &row.id) {
            Some(RowId::Source(key)) => Some(*key),
            _ => None,
        };
        match self.focus {
            Focus::Sources => current,
            // A source that has nothing yet is one, too.
            Focus::Items | Focus::Reader => {
                self.item_targets().first().map(|r| r.source_key).or(current)
            }
        }
    }

    /// Opens the panel on the source of what is selected.
    pub(super) fn open_why(&mut self) -> Vec<Effect> {
        let entry = self.selected_source().and_then(|key| self.sources.entry(key));
        let Some((source, title)) = entry.map(|e| (e.facts.key, e.title().to_owned())) else {
            return self.note("select a source first");
        };
        self.dialogs.push(Dialog::Why(WhyPanel { source, title, summary: None, top: 0 }));
        vec![Effect::LoadWhy { source }]
    }

    /// What the panel shows may have changed.
    pub(super) fn reload_why(&self) -> Option<Effect> {
        self.dialogs.iter().find_map(|dialog| match dialog {
            Dialog::Why(panel) => Some(Effect::LoadWhy { source: panel.source }),
            _ => None,
        })
    }

    pub(super) fn why_loaded(
        &mut self,
        source: i64,
        result: Result<ScheduleSummary, Failure>,
    ) -> Vec<Effect> {
        let panel = self.dialogs.iter_mut().find_map(|dialog| match dialog {
            Dialog::Why(panel) if panel.source == source => Some(panel),
            _ => None,
        });
        match (panel, result) {
            (Some(panel), Ok(summary)) => {
                panel.summary = Some(summary);
                vec![]
            }
            (Some(_), Err(why)) => self.problem(why),
            (None, _) => vec![],
        }
    }

    pub(super) fn why_key(&mut self, key: Key) -> Vec<Effect> {
        let bound = |context| match self.keymap.lookup(context, &[key]) {
            Lookup::Action(action) => Some(action),
            _ => None,
        };
        let motion = bound(Context::Items).and_then(Motion::of);
        let verb = bound(Context::Sources);
        let Some(Dialog::Why(panel)) = self.dialogs.last_mut() else { return vec![] };
        if let Some(motion) = motion {
            // The view knows how many lines there are, and stops it at the last ones.
            panel.top = motion.from(panel.top, 10, MOST_LINES);
        } else if matches!(verb, Some(Action::Back | Action::Why)) {
            self.dialogs.pop();
        } else if verb == Some(Action::StopExploring) {
            return vec![Effect::StopExploring { source: panel.source }];
        }
        vec![]
    }

    /// Ends the exploration of the selected source.
    pub(super) fn stop_exploring(&mut self) -> Vec<Effect> {
        match self.selected_source() {
            Some(source) => vec![Effect::StopExploring { source }],
            None => self.note("select a source first"),
        }
    }
}

/// More lines than the panel ever has.
const MOST_LINES: usize = 100;
