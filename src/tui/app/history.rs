//! What can be undone and redone.

use super::App;
use crate::config::{Edited, ViewsEdited};
use crate::engine::Removed;
use crate::store::Mark;
use crate::tui::effect::Effect;
use crate::tui::event::{Cause, Failure, MarksSet};

/// Changes kept for undoing.
const MOST: usize = 100;

/// One change of the person.
#[derive(Debug)]
pub(super) enum Change {
    Marks { mark: Mark, keys: Vec<i64>, to: bool },
    Removed(Removed),
    Edited(Edited),
    Views(ViewsEdited),
}

/// The changes, newest last.
#[derive(Debug, Default)]
pub(super) struct History {
    undo: Vec<Change>,
    redo: Vec<Change>,
}

impl History {
    /// A new change makes what was undone before it unreachable.
    fn push(&mut self, change: Change) {
        self.redo.clear();
        self.undo.push(change);
        if self.undo.len() > MOST {
            self.undo.remove(0);
        }
    }
}

impl App {
    pub(super) fn undo(&mut self) -> Vec<Effect> {
        match self.history.undo.pop() {
            None => self.note("nothing to undo"),
            Some(Change::Marks { mark, keys, to }) => {
                self.change_mark(mark, keys, !to, Cause::Undo)
            }
            Some(Change::Removed(removed)) => vec![Effect::Restore { removed }],
            Some(Change::Edited(edited)) => vec![Effect::Revert { edited, redo: false }],
            Some(Change::Views(edited)) => vec![Effect::RevertViews { edited, redo: false }],
        }
    }

    pub(super) fn redo(&mut self) -> Vec<Effect> {
        match self.history.redo.pop() {
            None => self.note("nothing to redo"),
            Some(Change::Marks { mark, keys, to }) => self.change_mark(mark, keys, to, Cause::Redo),
            Some(Change::Removed(removed)) => {
                vec![Effect::Remove { ids: removed.sources.into_iter().map(|s| s.id).collect() }]
            }
            Some(Change::Edited(edited)) => vec![Effect::Revert { edited, redo: true }],
            Some(Change::Views(edited)) => vec![Effect::RevertViews { edited, redo: true }],
        }
    }

    pub(super) fn marked(&mut self, result: Result<MarksSet, Failure>) -> Vec<Effect> {
        let MarksSet { mark, keys, to, cause } = match result {
            Ok(set) => set,
            Err(why) => return self.problem(why),
        };
        if keys.is_empty() {
            return vec![];
        }
        if cause == Cause::Reading {
            self.history.push(Change::Marks { mark, keys, to });
            return vec![];
        }
        let words = describe(mark, keys.len(), to);
        match cause {
            Cause::Undo => {
                self.history.redo.push(Change::Marks { mark, keys, to: !to });
                self.note(format!("undone: {}", describe_undone(mark, to)))
            }
            Cause::Redo => {
                self.history.undo.push(Change::Marks { mark, keys, to });
                self.note(words)
            }
            Cause::Person | Cause::Reading => {
                let hint = if keys.len() > 1 { self.undo_hint() } else { String::new() };
                self.history.push(Change::Marks { mark, keys, to });
                self.note(words + &hint)
            }
        }
    }

    pub(super) fn removed(&mut self, result: Result<Removed, Failure>) -> Vec<Effect> {
        match result {
            Err(why) => self.problem(why),
            Ok(removed) => {
                let what = removed.what.clone();
                let hint = self.undo_hint();
                self.history.push(Change::Removed(removed));
                self.note(format!("no longer following {what}{hint}"));
                vec![Effect::LoadSources]
            }
        }
    }

    pub(super) fn restored(&mut self, result: Result<Removed, Failure>) -> Vec<Effect> {
        match result {
            Err(why) => self.problem(why),
            Ok(removed) => {
                let back = removed.what.clone();
                self.history.redo.push(Change::Removed(removed));
                self.note(format!("undone: following {back} again"));
                vec![Effect::LoadSources]
            }
        }
    }

    /// Keeps an edit for undoing and tells of it.
    pub(super) fn edited(&mut self, edited: Edited) -> Vec<Effect> {
        let hint = self.undo_hint();
        let words = format!("saved: {}{hint}", edited.what());
        self.history.push(Change::Edited(edited));
        self.note(words)
    }

    pub(super) fn reverted(&mut self, redo: bool, result: Result<Edited, Failure>) -> Vec<Effect> {
        let edited = match result {
            Ok(edited) => edited,
            Err(why) => return self.problem(why),
        };
        let word = if redo { "done again" } else { "undone" };
        self.note(format!("{word}: {}", edited.what()));
        let to = if redo { &mut self.history.undo } else { &mut self.history.redo };
        to.push(Change::Edited(edited));
        vec![Effect::LoadSources]
    }

    pub(super) fn views_edited(&mut self, result: Result<ViewsEdited, Failure>) -> Vec<Effect> {
        let edited = match result {
            Ok(edited) => edited,
            Err(why) => return self.problem(why),
        };
        let effects = self.take_views(&edited);
        let words = format!("saved: {}{}", edited.what(), self.undo_hint());
        self.remember_views(edited);
        self.note(words);
        effects
    }

    /// Keeps a change of saved queries for undoing.
    pub(super) fn remember_views(&mut self, edited: ViewsEdited) {
        self.history.push(Change::Views(edited));
    }

    pub(super) fn views_reverted(
        &mut self,
        redo: bool,
        result: Result<ViewsEdited, Failure>,
    ) -> Vec<Effect> {
        let edited = match result {
            Ok(edited) => edited,
            Err(why) => return self.problem(why),
        };
        let effects = self.take_views(&edited);
        let word = if redo { "done again" } else { "undone" };
        self.note(format!("{word}: {}", edited.what()));
        let to = if redo { &mut self.history.undo } else { &mut self.history.redo };
        to.push(Change::Views(edited));
        effects
    }

    pub(super) fn undo_hint(&self) -> String {
        let key =
            self.keymap.keys_for(crate::config::Context::Everywhere, crate::config::Action::Undo);
        key.map(|k| format!(" ({k} takes it back)")).unwrap_or_default()
    }
}

fn describe(mark: Mark, count: usize, to: bool) -> String {
    let items = if count == 1 { "1 item".to_owned() } else { format!("{count} items") };
    let verb = match (mark, to) {
        (Mark::Read, true) => "marked read",
        (Mark::Read, false) => "marked unread",
        (Mark::Pinned, true) => "pinned",
        (Mark::Pinned, false) => "unpinned",
    };
    format!("{items} {verb}")
}

/// What was undone: the opposite of what was just set.
fn describe_undone(mark: Mark, to: bool) -> &'static str {
    match (mark, !to) {
        (Mark::Read, true) => "mark read",
        (Mark::Read, false) => "mark unread",
        (Mark::Pinned, true) => "pin",
        (Mark::Pinned, false) => "unpin",
    }
}
