//! The history of changes: undo, redo and moving to an earlier state.

mod files;
mod list;

pub(in crate::tui) use self::list::HistoryList;
use super::mark_words::{describe, verb};
use super::{App, Focus};
use crate::config::{Action, Context, FileChange, FileEdit, MarkRead};
use crate::engine::CollectedChanges;
use crate::model::Time;
use crate::store::{Mark, RuleMarks};
use crate::tui::effect::{Effect, Purpose};
use crate::tui::event::{Cause, Failure, MarksSet, RequestId};
use crate::tui::read::Read;
use crate::util::text::{self, counted};
use files::moved_rules;
use std::collections::HashSet;
use std::sync::Arc;

/// Maximum width of a change in the message that it was undone, in cells. The history shows it whole.
const MAX_LABEL: usize = 60;
/// Maximum number of changes that can be undone.
const MAX_STEPS: usize = 100;
/// Prefix of a step's label if it removes something from a file.
pub(super) const REMOVAL: &str = "removal of ";

/// One change made by the user.
#[derive(Debug)]
pub(super) enum Change {
    Marks {
        mark: Mark,
        keys: Vec<i64>,
        to: bool,
    },
    /// Changes to `sources.toml` and `config.toml`.
    Files(Vec<FileEdit>),
    /// Changes to sources of accounts, in the form that undoes them.
    Collected(CollectedChanges),
    /// The marks that a rule (by name) set on stored items or, if `applied` is false, the marks that were
    /// removed by undoing the rule.
    Rule {
        name: String,
        marks: Arc<RuleMarks>,
        applied: bool,
    },
}

/// A change with its description.
#[derive(Debug)]
pub(crate) struct Step {
    change: Change,
    pub(crate) label: String,
    pub(crate) at: Time,
    /// Whether the items were marked read because the selection moved past them.
    passed: bool,
}

/// The changes in order: first the applied ones, then the undone ones.
#[derive(Debug, Default)]
pub(crate) struct History {
    pub(crate) steps: Vec<Step>,
    /// Number of applied changes.
    pub(crate) done: usize,
    /// The step that is being undone or redone (`true`); it is not in `steps`.
    moving: Option<(Step, bool)>,
    /// The target number of applied changes, while several are undone or redone in sequence.
    goal: Option<usize>,
    /// Number of changes to items that are being stored. Once stored, those that have changed anything become
    /// steps.
    unstored: usize,
    /// The marks among these changes, in order: the mark, its items (row keys), and whether it is set or
    /// removed.
    unstored_marks: Vec<(Mark, Vec<i64>, bool)>,
    /// The sources that are being added, as long as the next undo or redo would apply to them.
    adding: Vec<Adding>,
    /// Undo and redo requests that wait until all changes are stored.
    waiting: Vec<Goal>,
}

/// A source that is being added.
#[derive(Debug)]
struct Adding {
    request: RequestId,
    /// Whether the source is removed again once it is added.
    undone: bool,
}

/// A state of the history that the user has requested.
#[derive(Debug, Clone, Copy)]
enum Goal {
    /// The state before the last change.
    Undo,
    /// The state after the next change.
    Redo,
    /// The state with this number of applied changes.
    Applied(usize),
}

impl History {
    /// Whether exactly `done` changes are applied and no step is in progress.
    #[cfg(test)]
    pub(crate) fn rests_at(&self, done: usize) -> bool {
        self.done == done && self.moving.is_none()
    }

    /// Counts the changes to items among effects that are about to be performed.
    pub(super) fn expect(&mut self, effects: &[Effect]) {
        let is_change = |effect: &&Effect| match effect {
            Effect::Mark { .. } | Effect::MarkViewRead { .. } => true,
            // The counted items are then marked read, unless the user has to confirm it.
            Effect::Read(Read::Unread { .. }) => true,
            // Rules that are applied or undone by an undo or redo do not become steps of their own.
            Effect::ApplyRule { cause, .. } | Effect::UndoRule { cause, .. } => {
                *cause == Cause::User
            }
            _ => false,
        };
        let changes = effects.iter().filter(is_change).count();
        self.unstored += changes;
        if changes > 0 || effects.iter().any(|effect| matches!(effect, Effect::Edit { .. })) {
            self.adding.retain(|adding| adding.undone);
        }
        let added = effects.iter().filter_map(Effect::adds_source);
        self.adding.extend(added.map(|request| Adding { request, undone: false }));
    }

    /// Records that adding a source has succeeded or failed. Returns whether it must be undone.
    fn source_replied(&mut self, request: RequestId) -> bool {
        let at = self.adding.iter().position(|adding| adding.request == request);
        at.is_some_and(|at| self.adding.remove(at).undone)
    }

    /// Sets whether the newest source that is still being added is removed once it is added. Returns whether
    /// there is such a source.
    fn undo_adding(&mut self, undone: bool) -> bool {
        let last = self.adding.iter_mut().rfind(|adding| adding.undone != undone);
        last.map(|adding| adding.undone = undone).is_some()
    }

    /// Counts a reply to a change to items.
    pub(super) fn change_replied(&mut self) {
        self.unstored = self.unstored.saturating_sub(1);
        if self.unstored == 0 {
            self.unstored_marks.clear();
        }
    }

    /// Records a mark that is shown before it is stored.
    pub(super) fn mark_shown(&mut self, mark: &Mark, keys: &[i64], to: bool) {
        self.unstored_marks.push((mark.clone(), keys.to_vec(), to));
    }

    /// The marks of an item (row key) that are shown, but may not be stored yet.
    pub(super) fn unstored_marks(&self, key: i64) -> Vec<(Mark, bool)> {
        let of_item = self.unstored_marks.iter().filter(|(_, keys, _)| keys.contains(&key));
        of_item.map(|(mark, _, to)| (mark.clone(), *to)).collect()
    }

    /// Adds a change, and discards undone changes.
    fn push(&mut self, step: Step) {
        self.goal = None;
        self.steps.truncate(self.done);
        self.steps.push(step);
        if self.steps.len() > MAX_STEPS {
            self.steps.remove(0);
        }
        self.done = self.steps.len();
    }

    /// Adds a change that was not made by the user; returns its position. Undone changes can still be redone,
    /// and an undo or redo that was requested earlier does not apply to this change.
    fn insert(&mut self, step: Step) -> usize {
        let at = self.goal.map_or(self.done, |goal| goal.min(self.done));
        self.steps.insert(at, step);
        let oldest = usize::from(self.steps.len() > MAX_STEPS && at > 0);
        self.steps.drain(..oldest);
        self.done = self.done + 1 - oldest;
        self.goal = self.goal.map(|goal| goal + 1 - oldest);
        at - oldest
    }

    /// Removes the step to undo or redo next.
    fn take(&mut self, redo: bool) -> Option<&Step> {
        let at = if redo { self.done } else { self.done.checked_sub(1)? };
        if at >= self.steps.len() {
            return None;
        }
        let step = self.steps.remove(at);
        self.done = at;
        Some(&self.moving.insert((step, redo)).0)
    }

    /// Puts the step back after it was undone or redone.
    fn put(&mut self, step: Step, applied: bool) {
        self.steps.insert(self.done, step);
        self.done += usize::from(applied);
    }
}

impl App {
    /// Records a change for undo; returns a hint about undoing it.
    pub(super) fn record_change(&mut self, change: Change, label: impl Into<String>) -> String {
        self.history.push(Step { change, label: label.into(), at: self.now, passed: false });
        self.undo_hint()
    }

    pub(super) fn undo_key(&self) -> Option<String> {
        self.keymap.keys_for(Context::Everywhere, Action::Undo)
    }

    /// The part of a message that explains how to undo a change.
    pub(super) fn undo_hint(&self) -> String {
        self.undo_key().map(|k| format!(" ({k} undoes this)")).unwrap_or_default()
    }

    /// Reports a change that was not made by the user, and records it for undo.
    pub(super) fn changed_by_itself(
        &mut self,
        text: String,
        undo: Option<Box<(String, FileEdit)>>,
    ) -> Vec<Effect> {
        let Some((label, edit)) = undo.map(|undo| *undo) else { return self.note(text) };
        let change = Change::Files(vec![edit]);
        let at = self.history.insert(Step { change, label, at: self.now, passed: false });
        self.history_grew(at);
        self.note(text + &self.undo_hint())
    }

    pub(super) fn undo(&mut self) -> Vec<Effect> {
        // The source may take longer to add than other changes take to be stored.
        match self.history.undo_adding(true) {
            true => self.note("Waiting until the source is added"),
            false => self.pursue(Goal::Undo),
        }
    }

    pub(super) fn redo(&mut self) -> Vec<Effect> {
        match self.history.undo_adding(false) {
            true => self.note("The source stays once it is added"),
            false => self.pursue(Goal::Redo),
        }
    }

    /// Handles the reply to a request that adds sources; `work` shows the result. Undoes the addition if the
    /// user has requested that.
    pub(super) fn source_replied(
        &mut self,
        request: RequestId,
        is_added: bool,
        work: impl FnOnce(&mut Self) -> Vec<Effect>,
    ) -> Vec<Effect> {
        let undone = self.history.source_replied(request);
        let mut effects = work(self);
        if undone && is_added {
            effects.extend(self.reach(Goal::Undo));
        }
        effects
    }

    /// Undoes or redoes changes until `applied` of them are applied.
    pub(super) fn go_to_state(&mut self, applied: usize) -> Vec<Effect> {
        self.pursue(Goal::Applied(applied))
    }

    /// Whether changes are being stored, besides the step that is being undone or redone. The newest change
    /// is not in the history until it is stored.
    fn is_storing(&self) -> bool {
        let of_items = self.is_moving(|change| matches!(change, Change::Marks { .. }));
        let of_files = |c: &Change| matches!(c, Change::Files(_) | Change::Collected(_));
        self.history.unstored > usize::from(of_items)
            || self.edits.count() > usize::from(self.is_moving(of_files))
            || self.history.adding.iter().any(|adding| !adding.undone)
    }

    /// Undoes or redoes changes, once those in progress are stored.
    fn pursue(&mut self, goal: Goal) -> Vec<Effect> {
        if self.is_storing() {
            self.history.waiting.push(goal);
            // A message is useful only for sources: other changes are stored before the user can read it.
            return match self.history.adding.is_empty() {
                true => vec![],
                false => self.note("Waiting until the source is added"),
            };
        }
        self.reach(goal)
    }

    /// Undoes or redoes changes that are in the history.
    fn reach(&mut self, goal: Goal) -> Vec<Effect> {
        let history = &mut self.history;
        let applied = history.goal.unwrap_or(history.done);
        let all = history.steps.len() + usize::from(history.moving.is_some());
        let goal = match goal {
            Goal::Undo if applied == 0 => return self.note("Nothing to undo"),
            Goal::Undo => applied - 1,
            Goal::Redo if applied >= all => return self.note("Nothing to redo"),
            Goal::Redo => applied + 1,
            Goal::Applied(applied) => applied,
        };
        history.goal = Some(goal);
        if history.moving.is_some() { vec![] } else { self.next_step() }
    }

    /// Performs the undo and redo requests that waited until all changes are stored.
    pub(super) fn pursue_waiting(&mut self) -> Vec<Effect> {
        if self.is_storing() {
            return vec![];
        }
        let waiting = std::mem::take(&mut self.history.waiting);
        waiting.into_iter().flat_map(|goal| self.pursue(goal)).collect()
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
                let (mark, keys, to) = (mark.clone(), keys.clone(), *to == redo);
                if let ([key], false, Focus::Items) = (keys.as_slice(), redo, self.focus) {
                    self.items.restore(*key);
                }
                self.change_mark(mark, keys, to, cause)
            }
            Change::Rule { name, marks, applied } => {
                let (name, marks, on) = (name.clone(), marks.clone(), *applied == redo);
                vec![Effect::MarkByRule { name, marks, on }]
            }
            Change::Collected(undo) => {
                let change = FileChange::Collected(undo.clone());
                vec![Effect::Edit { purpose: Purpose::History, change }]
            }
            Change::Files(edits) => {
                let change = FileChange::Revert(edits.clone());
                vec![Effect::Edit { purpose: Purpose::History, change }]
            }
        }
    }

    /// Ends the step in progress; `result` contains the change if it differs from the step's.
    fn finish_step(&mut self, result: Result<Option<Change>, Failure>) -> Vec<Effect> {
        let Some((mut step, redo)) = self.history.moving.take() else { return vec![] };
        match result {
            Ok(change) => {
                let message = match &step.change {
                    // "Undone: … undone" would be hard to understand.
                    Change::Rule { name, applied: false, .. } => {
                        let done = if redo { "undone" } else { "applied" };
                        format!("{name}: {done} again")
                    }
                    _ if redo => format!("Redone: {}", text::truncate(&step.label, MAX_LABEL)),
                    _ => format!("Undone: {}", text::truncate(&step.label, MAX_LABEL)),
                };
                // If the step adds or removes rules, the message about their items also reports the step.
                if moved_rules(&step.change, redo).is_empty() {
                    self.note(message);
                }
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

    /// Whether a step for which `kind` is true is in progress.
    fn is_moving(&self, kind: impl Fn(&Change) -> bool) -> bool {
        self.history.moving.as_ref().is_some_and(|(step, _)| kind(&step.change))
    }

    pub(super) fn marked(&mut self, result: Result<MarksSet, Failure>) -> Vec<Effect> {
        self.history.change_replied();
        self.mark_ended(result)
    }

    fn mark_ended(&mut self, result: Result<MarksSet, Failure>) -> Vec<Effect> {
        let moving = self.is_moving(|change| matches!(change, Change::Marks { .. }));
        let MarksSet { mark, keys, to, cause } = match result {
            Ok(set) => set,
            Err(why) if moving => return self.finish_step(Err(why)),
            Err(why) => return self.problem(why),
        };
        // Kept rows are not read again with the list, so their marks are updated here.
        let marked: HashSet<i64> = keys.iter().copied().collect();
        for row in self.items.kept.iter_mut().filter(|row| marked.contains(&row.key)) {
            super::items::show_mark(row, &mark, to);
        }
        if matches!(cause, Cause::Undo | Cause::Redo) {
            if !moving {
                return vec![];
            }
            // If there was nothing to change, the step stays unchanged.
            let to = to == (cause == Cause::Redo);
            let change = Some(Change::Marks { mark, keys, to });
            let changed = |c: &Change| matches!(c, Change::Marks { keys, .. } if !keys.is_empty());
            return self.finish_step(Ok(change.filter(changed)));
        }
        if keys.is_empty() {
            // Without a message, an undo would seem to apply to this command.
            return match cause {
                Cause::User if mark == Mark::Queued && to => self.note(
                    "Nothing to add: no audio or video, or all of it is already in the queue",
                ),
                Cause::User => self.note("Nothing to change"),
                _ => vec![],
            };
        }
        if cause == Cause::Reading && self.merge_read(&keys) {
            return vec![];
        }
        // The article's header lists the item's tags.
        let shown = self.reader.row().is_some_and(|row| keys.contains(&row.key));
        let mut effects = match mark {
            Mark::Tag(_) if shown => self.reload_article(),
            _ => vec![],
        };
        let label = match &mark {
            Mark::Tag(tag) => format!("{} \"{tag}\": {}", verb(&mark, to), self.items_named(&keys)),
            _ => format!("{}: {}", verb(&mark, to), self.items_named(&keys)),
        };
        let summary = describe(&mark, keys.len(), to);
        let hint = self.record_change(Change::Marks { mark, keys, to }, label);
        if let Some(step) = self.history.steps.last_mut() {
            step.passed = cause == Cause::Reading;
        }
        effects.extend(match cause {
            Cause::User => self.note(summary + &hint),
            _ => vec![],
        });
        effects
    }

    /// Adds items that the selection has passed to the newest step, so that scrolling does not remove other
    /// steps from the history.
    fn merge_read(&mut self, more: &[i64]) -> bool {
        let scrolls = self.settings.ui.mark_read == MarkRead::Scroll;
        let History { steps, done, moving, .. } = &mut self.history;
        let merges = scrolls && moving.is_none() && *done == steps.len();
        let newest = steps.last_mut().filter(|_| merges);
        let Some(Step {
            change: Change::Marks { mark: Mark::Read, keys, to: true },
            label,
            at,
            ..
        }) = newest.filter(|step| step.passed)
        else {
            return false;
        };
        keys.extend(more);
        *label = format!("{}: {}", verb(&Mark::Read, true), counted(keys.len(), "item"));
        *at = self.now;
        true
    }

    /// The title of a single item, or the number of items.
    fn items_named(&self, keys: &[i64]) -> String {
        let [key] = keys else { return counted(keys.len(), "item") };
        let in_list = self.items.rows.iter().find(|row| row.key == *key);
        let row = in_list.or_else(|| self.reader.row().filter(|row| row.key == *key));
        row.map_or_else(|| "1 item".to_owned(), |row| self.item_name(row).into_owned())
    }
}
