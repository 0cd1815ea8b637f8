//! What was changed, what of it is undone, and how to go to and fro between these states.

use super::{App, Dialog};
use crate::config::{
    Action, Context, Edited, EntryChange, HandEdited, Key, Settings, SettingsEdited, ViewsEdited,
};
use crate::engine::Removed;
use crate::model::{SourceId, Time};
use crate::store::Mark;
use crate::tui::effect::Effect;
use crate::tui::event::{Cause, Failure, MarksSet};
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
    Removed(Removed),
    /// Sources that were added; how to put them back once they are taken out again.
    Added {
        ids: Vec<SourceId>,
        gone: Option<Removed>,
    },
    Edited(Edited),
    Views(ViewsEdited),
    /// What a list has brought.
    Import {
        sources: Edited,
        views: Option<ViewsEdited>,
    },
    Settings(SettingsEdited),
    HandEdited(HandEdited),
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
            Change::Removed(removed) if redo => {
                vec![Effect::Remove { ids: removed.sources.iter().map(|s| s.id.clone()).collect() }]
            }
            Change::Removed(removed) => vec![Effect::Restore { removed: removed.clone() }],
            Change::Added { gone: Some(removed), .. } if redo => {
                vec![Effect::Restore { removed: removed.clone() }]
            }
            Change::Added { ids, .. } => vec![Effect::Remove { ids: ids.clone() }],
            Change::Edited(edited) => vec![Effect::Revert { edited: edited.clone() }],
            Change::Views(edited) => vec![Effect::RevertViews { edited: edited.clone() }],
            Change::Import { sources, views } => {
                vec![Effect::RevertImport { sources: sources.clone(), views: views.clone() }]
            }
            Change::HandEdited(edited) => vec![Effect::Exchange { edited: edited.clone() }],
            Change::Settings(edited) => {
                vec![Effect::RevertSettings { edited: edited.clone() }]
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

    pub(super) fn removed(&mut self, result: Result<Removed, Failure>) -> Vec<Effect> {
        let asked = |ids: &[SourceId], removed: &Removed| {
            removed.sources.iter().all(|source| ids.contains(&source.id))
        };
        match result {
            Err(why) => {
                let removing = |c: &Change| matches!(c, Change::Added { .. } | Change::Removed(_));
                if self.is_turning(removing) {
                    return self.turned(Err(why));
                }
                self.problem(why)
            }
            Ok(removed) => {
                let change = match self.history.moving.as_ref().map(|(step, _)| &step.change) {
                    Some(Change::Added { ids, .. }) if asked(ids, &removed) => {
                        Some(Change::Added { ids: ids.clone(), gone: Some(removed.clone()) })
                    }
                    Some(Change::Removed(before)) => {
                        let ids: Vec<_> = before.sources.iter().map(|s| s.id.clone()).collect();
                        asked(&ids, &removed).then(|| Change::Removed(removed.clone()))
                    }
                    _ => None,
                };
                let mut effects = match change {
                    Some(change) => self.turned(Ok(Some(change))),
                    None => {
                        let what = removed.what.clone();
                        let words = format!("stop following {what}");
                        let hint = self.did(Change::Removed(removed), words);
                        self.note(format!("no longer following {what}{hint}"))
                    }
                };
                effects.push(Effect::LoadSources);
                effects
            }
        }
    }

    pub(super) fn restored(&mut self, result: Result<Removed, Failure>) -> Vec<Effect> {
        let removal = self.is_turning(|change| matches!(change, Change::Removed(_)));
        let back = result.as_ref().ok().filter(|_| removal).map(|removed| removed.what.clone());
        let mut effects = self.turned(result.map(|_| None));
        if let Some(what) = back {
            self.note(format!("undone: following {what} again"));
        }
        effects.push(Effect::LoadSources);
        effects
    }

    /// Keeps what was followed or imported for undoing; tells how to take it back.
    pub(super) fn added(&mut self, ids: Vec<SourceId>, words: String) -> String {
        if ids.is_empty() {
            return String::new();
        }
        self.did(Change::Added { ids, gone: None }, words)
    }

    /// Keeps an edit for undoing and tells of it.
    pub(super) fn edited(&mut self, edited: Edited) -> Vec<Effect> {
        let words = edited.what();
        let hint = self.did(Change::Edited(edited), words.clone());
        self.note(format!("saved: {words}{hint}"))
    }

    pub(super) fn reverted(&mut self, result: Result<Edited, Failure>) -> Vec<Effect> {
        let mut effects = self.turned(result.map(|edited| Some(Change::Edited(edited))));
        effects.push(Effect::LoadSources);
        effects
    }

    pub(super) fn import_reverted(
        &mut self,
        result: Result<(Edited, Option<ViewsEdited>), Failure>,
    ) -> Vec<Effect> {
        let mut effects = match &result {
            Ok((_, Some(views))) => self.take_views(views),
            _ => vec![],
        };
        let change = |(sources, views)| Some(Change::Import { sources, views });
        effects.extend(self.turned(result.map(change)));
        effects.push(Effect::LoadSources);
        effects
    }

    pub(super) fn exchanged(&mut self, result: Result<HandEdited, Failure>) -> Vec<Effect> {
        let mut effects = self.turned(result.map(|edited| Some(Change::HandEdited(edited))));
        effects.push(Effect::LoadSources);
        effects
    }

    pub(super) fn views_edited(&mut self, result: Result<ViewsEdited, Failure>) -> Vec<Effect> {
        let edited = match result {
            Ok(edited) => edited,
            Err(why) => return self.problem(why),
        };
        let effects = self.take_views(&edited);
        let words = edited.what();
        let hint = self.did(Change::Views(edited), words.clone());
        self.note(format!("saved: {words}{hint}"));
        effects
    }

    pub(super) fn views_reverted(&mut self, result: Result<ViewsEdited, Failure>) -> Vec<Effect> {
        let mut effects = match &result {
            Ok(edited) => self.take_views(edited),
            Err(_) => vec![],
        };
        effects.extend(self.turned(result.map(|edited| Some(Change::Views(edited)))));
        effects
    }

    /// The same for an edit of the settings.
    pub(super) fn settings_edited(&mut self, edited: SettingsEdited, note: &str) -> Vec<Effect> {
        if edited.changes().is_empty() {
            return vec![];
        }
        let words = settings_words(edited.changes());
        let hint = self.did(Change::Settings(edited), words.clone());
        self.note(format!("saved: {words}{hint}{note}"))
    }

    pub(super) fn settings_reverted(
        &mut self,
        result: Result<(SettingsEdited, Box<Settings>), Failure>,
    ) -> Vec<Effect> {
        let (edited, settings) = match result {
            Ok(both) => both,
            Err(why) => {
                let mut effects = self.settings_answered(None);
                effects.extend(self.turned(Err(why)));
                return effects;
            }
        };
        let mut effects = self.settings_answered(Some(settings));
        effects.extend(self.turned(Ok(Some(Change::Settings(edited)))));
        effects
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

/// Keys of the settings with their new values; passwords may stand in a proxy only, whose value is
/// left out.
fn settings_words(changes: &[EntryChange]) -> String {
    let one = |change: &EntryChange| {
        let key = change.path.join(".");
        match &change.value {
            Some(_) if key == "net.proxy" => key,
            Some(value) => format!("{key} = {}", value.trim()),
            None => format!("{key} as by default"),
        }
    };
    changes.iter().map(one).collect::<Vec<_>>().join(", ")
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
