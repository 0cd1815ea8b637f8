//! The history of changes: undo, redo and moving to an earlier state.

mod list;

pub(in crate::tui) use self::list::HistoryList;
use super::App;
use super::mark_words::{describe, verb};
use crate::config::{Action, Context, FileChange, FileEdit, FileKind, MarkRead};
use crate::engine::{CollectedChanges, Edited};
use crate::model::{SourceId, Time};
use crate::store::{Mark, RuleMarks};
use crate::tui::effect::{Effect, Purpose};
use crate::tui::event::{Cause, Failure, MarksSet, NotSaved};
use crate::tui::read::Read;
use crate::util::text::counted;
use std::sync::Arc;

/// Maximum number of changes kept for undo.
const MAX_STEPS: usize = 100;
/// The beginning of the name of a step that removes something from a file.
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
    /// What undoes a change to sources of accounts.
    Collected(CollectedChanges),
    /// The marks that a rule (by name) set on stored items or, if `applied` is false, that undoing it
    /// removed.
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
    /// Whether its items were marked read because the selection moved past them.
    passed: bool,
}

/// The changes in order: first those that are applied, then those that are undone.
#[derive(Debug, Default)]
pub(crate) struct History {
    pub(crate) steps: Vec<Step>,
    /// Number of applied changes.
    pub(crate) done: usize,
    /// The step that is being undone or redone (`true`); it is not in `steps`.
    moving: Option<(Step, bool)>,
    /// The number of applied changes to reach, while several are undone or redone in sequence.
    goal: Option<usize>,
    /// Number of marks that are being stored. Only afterwards is it known which of them have changed anything
    /// and become a step.
    unstored: usize,
    /// Presses of undo, or of redo (`true`), since then.
    waiting: Vec<bool>,
}

impl History {
    /// Whether exactly `done` changes are applied and none is in progress.
    #[cfg(test)]
    pub(crate) fn rests_at(&self, done: usize) -> bool {
        self.done == done && self.moving.is_none()
    }

    /// Counts the marks among effects that are performed now.
    pub(super) fn expect(&mut self, effects: &[Effect]) {
        let is_mark = |e: &&Effect| matches!(e, Effect::Mark { .. } | Effect::MarkViewRead { .. });
        self.unstored += effects.iter().filter(is_mark).count();
    }

    /// Adds a change and drops the undone ones.
    fn push(&mut self, step: Step) {
        self.goal = None;
        self.steps.truncate(self.done);
        self.steps.push(step);
        if self.steps.len() > MAX_STEPS {
            self.steps.remove(0);
        }
        self.done = self.steps.len();
    }

    /// Adds a change that the program has made on its own; returns its position. Undone changes can still be
    /// redone, and an undo or redo that was pressed earlier does not apply to it.
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

    /// Puts the moved step back, as applied or as undone.
    fn put(&mut self, step: Step, applied: bool) {
        self.steps.insert(self.done, step);
        self.done += usize::from(applied);
    }
}

/// The names of the rules that edits have added.
fn rules_in(edits: &[FileEdit]) -> Vec<String> {
    let edits = edits.iter().filter(|edit| edit.file() == FileKind::Rules);
    edits.flat_map(FileEdit::inserted).map(str::to_owned).collect()
}

/// The rules, by name, that a change to files has added and that are undone or redone with it.
fn moved_rules(change: &Change, redo: bool) -> Vec<String> {
    let Change::Files(edits) = change else { return vec![] };
    // A redone edit is the reverse of an undone one.
    let added = edits.iter().map(|edit| if redo { edit.reversed() } else { edit.clone() });
    rules_in(&added.collect::<Vec<_>>())
}

impl App {
    /// Records a change for undo; returns the hint how to undo it.
    pub(super) fn record_change(&mut self, change: Change, label: impl Into<String>) -> String {
        self.history.push(Step { change, label: label.into(), at: self.now, passed: false });
        self.undo_hint()
    }

    pub(super) fn undo_key(&self) -> Option<String> {
        self.keymap.keys_for(Context::Everywhere, Action::Undo)
    }

    /// What messages say about undoing a change.
    pub(super) fn undo_hint(&self) -> String {
        self.undo_key().map(|k| format!(" ({k} undoes this)")).unwrap_or_default()
    }

    /// Shows what the program has changed on its own, and records it for undo.
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
        if self.history.unstored > 0 {
            self.history.waiting.push(false);
            return vec![];
        }
        let applied = self.history.goal.unwrap_or(self.history.done);
        match applied.checked_sub(1) {
            Some(goal) => self.go_to_state(goal),
            None => self.note("Nothing to undo"),
        }
    }

    pub(super) fn redo(&mut self) -> Vec<Effect> {
        if self.history.unstored > 0 {
            self.history.waiting.push(true);
            return vec![];
        }
        let in_progress = usize::from(self.history.moving.is_some());
        let all = self.history.steps.len() + in_progress;
        match self.history.goal.unwrap_or(self.history.done) + 1 {
            goal if goal <= all => self.go_to_state(goal),
            _ => self.note("Nothing to redo"),
        }
    }

    /// Undoes or redoes changes until `goal` of them are applied.
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
                let (mark, keys, to) = (mark.clone(), keys.clone(), *to == redo);
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

    /// Ends the step in progress; `result` holds the change if it differs from before.
    fn finish_step(&mut self, result: Result<Option<Change>, Failure>) -> Vec<Effect> {
        let Some((mut step, redo)) = self.history.moving.take() else { return vec![] };
        match result {
            Ok(change) => {
                let word = if redo { "Redone" } else { "Undone" };
                // A step that changes items has its own message, which contains both the word and the label.
                if moved_rules(&step.change, redo).is_empty() {
                    self.note(format!("{word}: {}", step.label));
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

    /// Whether a step of that kind is in progress.
    fn is_moving(&self, kind: impl Fn(&Change) -> bool) -> bool {
        self.history.moving.as_ref().is_some_and(|(step, _)| kind(&step.change))
    }

    pub(super) fn marked(&mut self, result: Result<MarksSet, Failure>) -> Vec<Effect> {
        let mut effects = self.mark_ended(result);
        let history = &mut self.history;
        history.unstored = history.unstored.saturating_sub(1);
        if history.unstored == 0 {
            for redo in std::mem::take(&mut history.waiting) {
                effects.extend(if redo { self.redo() } else { self.undo() });
            }
        }
        effects
    }

    fn mark_ended(&mut self, result: Result<MarksSet, Failure>) -> Vec<Effect> {
        let moving = self.is_moving(|change| matches!(change, Change::Marks { .. }));
        let MarksSet { mark, keys, to, cause } = match result {
            Ok(set) => set,
            Err(why) if moving => return self.finish_step(Err(why)),
            Err(why) => return self.problem(why),
        };
        if matches!(cause, Cause::Undo | Cause::Redo) {
            if !moving {
                return vec![];
            }
            // If there was nothing to change, the step stays as it was.
            let to = to == (cause == Cause::Redo);
            let change = Some(Change::Marks { mark, keys, to });
            let changed = |c: &Change| matches!(c, Change::Marks { keys, .. } if !keys.is_empty());
            return self.finish_step(Ok(change.filter(changed)));
        }
        if keys.is_empty() {
            // Otherwise, undo would seem to apply to this message.
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
        // The head of the article lists its tags.
        let shown = self.reader.row().is_some_and(|row| keys.contains(&row.key));
        let mut effects = match mark {
            Mark::Tag(_) if shown => self.reload_article(),
            _ => vec![],
        };
        let label = format!("{}: {}", verb(&mark, to), self.items_named(&keys));
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

    /// Adds items that the selection has passed to the newest step, so that scrolling does not push other
    /// steps out of the history.
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
        let title = row.map(|row| row.title.clone()).filter(|title| !title.is_empty());
        title.unwrap_or_else(|| "1 item".to_owned())
    }

    /// Handles the result of a file change.
    pub(super) fn edited(
        &mut self,
        purpose: Purpose,
        result: Result<Edited, NotSaved>,
    ) -> Vec<Effect> {
        let mut effects = self.edit_replied(result.as_ref().ok());
        // After an error, a change that was shown in advance must be undone.
        let sources = |edited: &Edited| {
            !edited.collected.is_empty()
                || edited.edits.iter().any(|e| e.file() == FileKind::Sources)
        };
        if result.as_ref().map_or(true, sources) {
            effects.push(Effect::Read(Read::Sources));
        }
        effects.extend(match (purpose, result) {
            (Purpose::Form(save), result) => self.form_saved(save, result),
            (Purpose::Import { request, listed, skipped }, result) => {
                self.imported(request, listed, skipped, result)
            }
            (Purpose::History, result) if self.is_moving(|c| matches!(c, Change::Files(_))) => {
                let mut effects = if result.is_ok() { self.move_rules() } else { vec![] };
                let result = result.map(|edited| Some(Change::Files(edited.edits)));
                effects.extend(self.finish_step(result.map_err(NotSaved::message)));
                effects
            }
            (Purpose::History, result) if self.is_moving(|c| matches!(c, Change::Collected(_))) => {
                let result = result.map(|edited| Some(Change::Collected(edited.collected)));
                self.finish_step(result.map_err(NotSaved::message))
            }
            (Purpose::Rule(label), Ok(edited)) => {
                let names = rules_in(&edited.edits);
                let mut effects = self.saved(edited.edits, Some(label), "");
                for name in names {
                    effects.extend(self.apply_rule(&name, Cause::Reading));
                }
                effects
            }
            (Purpose::Rule(_), Err(why)) => self.problem(why.message()),
            (Purpose::History, _) => vec![],
            (Purpose::Command(label), Ok(edited)) => self.saved_all(edited, label, ""),
            (Purpose::Command(_), Err(why)) => self.problem(why.message()),
        });
        effects
    }

    /// When adding a rule is undone or redone, its effects on stored items are too.
    fn move_rules(&mut self) -> Vec<Effect> {
        let Some((step, redo)) = &self.history.moving else { return vec![] };
        let (names, redo) = (moved_rules(&step.change, *redo), *redo);
        let undo = |name| vec![Effect::UndoRule { name, cause: Cause::Undo }];
        names
            .into_iter()
            .flat_map(|name| if redo { self.apply_rule(&name, Cause::Redo) } else { undo(name) })
            .collect()
    }

    /// Records that a rule was applied to the stored items, or undone.
    pub(super) fn record_rule(&mut self, name: String, marks: Arc<RuleMarks>, applied: bool) {
        let what = if applied { "applied" } else { "undone" };
        let label = format!("{name} {what}");
        self.record_change(Change::Rule { name, marks, applied }, label);
    }

    /// Ends the step of a rule that is in progress; without one, shows the error.
    pub(super) fn rule_step_ended(&mut self, result: Result<(), Failure>) -> Vec<Effect> {
        if self.is_moving(|change| matches!(change, Change::Rule { .. })) {
            return self.finish_step(result.map(|()| None));
        }
        result.err().map_or_else(Vec::new, |why| self.problem(why))
    }

    /// Records changes to files and to sources of accounts for undo, and reports them.
    pub(super) fn saved_all(
        &mut self,
        edited: Edited,
        label: Option<String>,
        note: &str,
    ) -> Vec<Effect> {
        let Edited { edits, collected, .. } = edited;
        if collected.is_empty() {
            return self.saved(edits, label, note);
        }
        if edits.iter().any(|edit| !edit.is_empty()) {
            self.saved(edits, label.clone(), note);
        }
        let label = label.unwrap_or_else(|| match collected.as_slice() {
            [(id, _)] => format!("change to {}", self.source_name(id)),
            many => format!("{} changes for accounts", many.len()),
        });
        let hint = self.record_change(Change::Collected(collected), label.clone());
        self.note(format!("{}{hint}; it is sent to the server", done(&label, false)))
    }

    /// Records file edits for undo and reports them.
    pub(super) fn saved(
        &mut self,
        mut edits: Vec<FileEdit>,
        label: Option<String>,
        note: &str,
    ) -> Vec<Effect> {
        edits.retain(|edit| !edit.is_empty());
        if edits.is_empty() {
            return self.note("Nothing to change");
        }
        let title = |id: &str| self.source_name(&SourceId(id.to_owned())).to_owned();
        let describe = || {
            let all = edits.iter().map(|edit| edit.describe_with(title));
            all.collect::<Vec<_>>().join(", ")
        };
        let label = label.unwrap_or_else(describe);
        let of_sources = edits.iter().all(|edit| edit.file() == FileKind::Sources);
        let hint = self.record_change(Change::Files(edits), label.clone());
        self.note(format!("{}{hint}{note}", done(&label, of_sources)))
    }
}

/// What a change to files, or to the sources alone, did, from its name in the undo list.
fn done(label: &str, of_sources: bool) -> String {
    match label.strip_prefix(REMOVAL) {
        // Undo ends with the program, but the sources can be added again.
        Some(what) if of_sources => format!("Removed {what}; items stay for 30 days"),
        Some(what) => format!("Removed {what}"),
        None => format!("Saved: {label}"),
    }
}
