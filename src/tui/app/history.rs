//! What was changed, what of it is undone, and how to go to and fro between these states.

use super::{App, Dialog};
use crate::config::{Action, Context, FileChange, FileEdit, FileKind, Key};
use crate::engine::Edited;
use crate::model::Time;
use crate::store::Mark;
use crate::tui::effect::{Effect, Purpose};
use crate::tui::event::{Cause, Failure, MarksSet, NotSaved};
use crossterm::event::{KeyCode, KeyEvent};

/// Changes kept for undoing.
const MOST: usize = 100;

/// One change of the user.
#[derive(Debug)]
pub(super) enum Change {
    Marks {
        mark: Mark,
        keys: Vec<i64>,
        to: bool,
    },
    /// Changes of `sources.toml` and `config.toml`.
    Files(Vec<FileEdit>),
}

/// A change with what to call it.
#[derive(Debug)]
pub(crate) struct Step {
    change: Change,
    pub(crate) words: String,
    pub(crate) at: Time,
}

/// The changes in their order: first those that hold, then those that are undone.
#[derive(Debug, Default)]
pub(crate) struct History {
    pub(crate) steps: Vec<Step>,
    /// How many of them hold.
    pub(crate) done: usize,
    /// The one that is being undone, or done again (`true`). It is in none of the lists.
    moving: Option<(Step, bool)>,
    /// How many are to hold, while one after the other is undone or done again.
    goal: Option<usize>,
}

impl History {
    /// Whether so many changes hold, and none is on its way.
    #[cfg(test)]
    pub(crate) fn rests_at(&self, done: usize) -> bool {
        self.done == done && self.moving.is_none()
    }

    /// A new change makes what was undone before it unreachable.
    fn push(&mut self, step: Step) {
        self.goal = None;
        self.steps.truncate(self.done);
        self.steps.push(step);
        if self.steps.len() > MOST {
            self.steps.remove(0);
        }
        self.done = self.steps.len();
    }

    /// Takes out what is to be undone, or done again, next.
    fn take(&mut self, redo: bool) -> Option<&Step> {
        let at = if redo { self.done } else { self.done.checked_sub(1)? };
        if at >= self.steps.len() {
            return None;
        }
        let step = self.steps.remove(at);
        self.done = at;
        Some(&self.moving.insert((step, redo)).0)
    }

    /// Puts the step that was being moved to those that hold, or to those that do not.
    fn put(&mut self, step: Step, holds: bool) {
        self.steps.insert(self.done, step);
        self.done += usize::from(holds);
    }
}

/// The list of changes, newest first, and below them the state before all.
#[derive(Debug, Default)]
pub(crate) struct HistoryList {
    pub(crate) selected: usize,
}

impl App {
    /// Keeps a change for undoing; tells how to take it back.
    pub(super) fn did(&mut self, change: Change, words: impl Into<String>) -> String {
        self.history.push(Step { change, words: words.into(), at: self.now });
        let key = self.keymap.keys_for(Context::Everywhere, Action::Undo);
        key.map(|k| format!(" ({k} takes it back)")).unwrap_or_default()
    }

    pub(super) fn undo(&mut self) -> Vec<Effect> {
        let holds = self.history.goal.unwrap_or(self.history.done);
        match holds.checked_sub(1) {
            Some(goal) => self.go_to_state(goal),
            None => self.note("nothing to undo"),
        }
    }

    pub(super) fn redo(&mut self) -> Vec<Effect> {
        let moving = usize::from(self.history.moving.is_some());
        let all = self.history.steps.len() + moving;
        match self.history.goal.unwrap_or(self.history.done) + 1 {
            goal if goal <= all => self.go_to_state(goal),
            _ => self.note("nothing to redo"),
        }
    }

    /// Undoes, or does again, until so many changes hold.
    pub(super) fn go_to_state(&mut self, goal: usize) -> Vec<Effect> {
        self.history.goal = Some(goal);
        if self.history.moving.is_some() { vec![] } else { self.next_step() }
    }

    fn next_step(&mut self) -> Vec<Effect> {
        let Some(goal) = self.history.goal else { return vec![] };
        let redo = goal > self.history.done;
        if goal == self.history.done {
            self.history.goal = None;
            return vec![];
        }
        let Some(step) = self.history.take(redo) else {
            self.history.goal = None;
            return vec![];
        };
        match &step.change {
            Change::Marks { mark, keys, to } => {
                let cause = if redo { Cause::Redo } else { Cause::Undo };
                let (mark, keys, to) = (*mark, keys.clone(), *to == redo);
                self.change_mark(mark, keys, to, cause)
            }
            Change::Files(edits) => {
                let change = FileChange::Revert(edits.clone());
                vec![Effect::Edit { purpose: Purpose::History, change }]
            }
        }
    }

    /// The step under way has ended: what it is now, where that is another than before.
    fn turned(&mut self, result: Result<Option<Change>, Failure>) -> Vec<Effect> {
        let Some((mut step, redo)) = self.history.moving.take() else { return vec![] };
        match result {
            Ok(change) => {
                let word = if redo { "done again" } else { "undone" };
                self.note(format!("{word}: {}", step.words));
                step.change = change.unwrap_or(step.change);
                self.history.put(step, redo);
                self.next_step()
            }
            Err(why) => {
                self.history.goal = None;
                self.history.put(step, !redo);
                self.problem(why)
            }
        }
    }

    /// Whether a step of that kind is under way.
    fn is_turning(&self, kind: impl Fn(&Change) -> bool) -> bool {
        self.history.moving.as_ref().is_some_and(|(step, _)| kind(&step.change))
    }

    pub(super) fn marked(&mut self, result: Result<MarksSet, Failure>) -> Vec<Effect> {
        let turning = self.is_turning(|change| matches!(change, Change::Marks { .. }));
        let MarksSet { mark, keys, to, cause } = match result {
            Ok(set) => set,
            Err(why) if turning => return self.turned(Err(why)),
            Err(why) => return self.problem(why),
        };
        if matches!(cause, Cause::Undo | Cause::Redo) {
            if !turning {
                return vec![];
            }
            // Where nothing was left to change, the step stays what it was.
            let to = to == (cause == Cause::Redo);
            let change = Some(Change::Marks { mark, keys, to });
            let changed = |c: &Change| matches!(c, Change::Marks { keys, .. } if !keys.is_empty());
            return self.turned(Ok(change.filter(changed)));
        }
        if keys.is_empty() {
            return vec![];
        }
        let words = format!("{}: {}", verb(mark, to), self.items_named(&keys));
        let said = describe(mark, keys.len(), to);
        let many = keys.len() > 1;
        let hint = self.did(Change::Marks { mark, keys, to }, words);
        match cause {
            Cause::User if many => self.note(said + &hint),
            Cause::User => self.note(said),
            _ => vec![],
        }
    }

    /// The title of a single item, or how many they are.
    fn items_named(&self, keys: &[i64]) -> String {
        let [key] = keys else { return format!("{} items", keys.len()) };
        let in_list = self.items.rows.iter().find(|row| row.key == *key);
        let row = in_list.or_else(|| self.reader.row().filter(|row| row.key == *key));
        let title = row.map(|row| row.title.clone()).filter(|title| !title.is_empty());
        title.unwrap_or_else(|| "1 item".to_owned())
    }

    /// After a change of the files, or a failure to make it.
    pub(super) fn edited(
        &mut self,
        purpose: Purpose,
        result: Result<Edited, NotSaved>,
    ) -> Vec<Effect> {
        let mut effects = self.edit_answered(result.as_ref().ok());
        // After a failure, what was shown in advance does not hold.
        let sources = |edited: &Edited| edited.edits.iter().any(|e| e.file() == FileKind::Sources);
        if result.as_ref().map_or(true, sources) {
            effects.push(Effect::LoadSources);
        }
        effects.extend(match (purpose, result) {
            (Purpose::Form(save), result) => self.form_saved(save, result),
            (Purpose::Import { request, listed, skipped }, result) => {
                self.imported(request, listed, skipped, result)
            }
            (Purpose::History, result) if self.is_turning(|c| matches!(c, Change::Files(_))) => {
                let result = result.map(|edited| Some(Change::Files(edited.edits)));
                self.turned(result.map_err(NotSaved::message))
            }
            (Purpose::History, _) => vec![],
            (Purpose::Command(words), Ok(edited)) => self.saved(edited.edits, words, ""),
            (Purpose::Command(_), Err(why)) => self.problem(why.message()),
        });
        effects
    }

    /// Keeps edits for undoing, and says what was changed.
    pub(super) fn saved(
        &mut self,
        mut edits: Vec<FileEdit>,
        words: Option<String>,
        note: &str,
    ) -> Vec<Effect> {
        edits.retain(|edit| !edit.is_empty());
        if edits.is_empty() {
            return self.note("that is so already");
        }
        let describe = || edits.iter().map(FileEdit::describe).collect::<Vec<_>>().join(", ");
        let words = words.unwrap_or_else(describe);
        let hint = self.did(Change::Files(edits), words.clone());
        self.note(format!("saved: {words}{hint}{note}"))
    }

    pub(super) fn open_history(&mut self) -> Vec<Effect> {
        let selected = self.history.steps.len() - self.history.done;
        self.dialogs.push(Dialog::History(HistoryList { selected }));
        vec![]
    }

    /// Rows of the list of changes: each of them, and the state before all.
    pub(crate) fn history_rows(&self) -> usize {
        self.history.steps.len() + 1
    }

    pub(super) fn history_key(&mut self, event: KeyEvent, key: Key) -> Vec<Effect> {
        let (motion, back) = (self.motion(key), self.is_back(key));
        let count = self.history_rows();
        let action = self.action_of(key);
        let Some(Dialog::History(list)) = self.dialogs.last_mut() else { return vec![] };
        list.selected = list.selected.min(count - 1);
        match (event.code, motion, action) {
            (KeyCode::Enter, ..) => {
                let goal = count - 1 - list.selected;
                return self.go_to_state(goal);
            }
            (_, Some(motion), _) => list.selected = motion.from(list.selected, 10, count),
            (_, _, Some(Action::Undo)) => return self.undo(),
            (_, _, Some(Action::Redo)) => return self.redo(),
            _ if back || action == Some(Action::History) => {
                self.dialogs.pop();
            }
            _ => {}
        }
        vec![]
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

fn verb(mark: Mark, to: bool) -> &'static str {
    match (mark, to) {
        (Mark::Read, true) => "mark read",
        (Mark::Read, false) => "mark unread",
        (Mark::Pinned, true) => "pin",
        (Mark::Pinned, false) => "unpin",
    }
}
