//! File changes in the history: their results, and the rules that they add or remove.

use super::super::App;
use super::{Change, REMOVAL};
use crate::config::{FileEdit, FileKind};
use crate::engine::Edited;
use crate::model::SourceId;
use crate::store::RuleMarks;
use crate::tui::effect::{Effect, Purpose};
use crate::tui::event::{Cause, Failure, NotSaved};
use crate::tui::read::Read;
use std::sync::Arc;

/// The names of the rules that edits have added.
fn rules_in(edits: &[FileEdit]) -> Vec<String> {
    let edits = edits.iter().filter(|edit| edit.file() == FileKind::Rules);
    edits.flat_map(FileEdit::inserted).map(str::to_owned).collect()
}

/// The names of the rules that a change to files has added. They are undone or redone together with it.
pub(super) fn moved_rules(change: &Change, redo: bool) -> Vec<String> {
    let Change::Files(edits) = change else { return vec![] };
    // A redone edit is the reverse of an undone one.
    let added = edits.iter().map(|edit| if redo { edit.reversed() } else { edit.clone() });
    rules_in(&added.collect::<Vec<_>>())
}

impl App {
    /// Selects the source that an undo or redo has restored.
    fn select_restored(&mut self, edits: &[FileEdit]) {
        let edits = edits.iter().filter(|edit| edit.file() == FileKind::Sources);
        if let [id] = edits.flat_map(FileEdit::inserted).collect::<Vec<_>>()[..] {
            self.sources.select_added = Some(SourceId(id.to_owned()));
        }
    }

    /// Handles the result of a file change.
    pub(in crate::tui::app) fn edited(
        &mut self,
        purpose: Purpose,
        result: Result<Edited, NotSaved>,
    ) -> Vec<Effect> {
        let mut effects = match purpose {
            Purpose::ByHand => vec![],
            _ => self.edit_replied(result.as_ref().ok()),
        };
        // After an error, a change that was shown in advance must be reverted.
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
                if let Ok(edited) = &result {
                    self.select_restored(&edited.edits);
                }
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
            (Purpose::ByHand, Ok(edited)) => self.saved_all(edited, None, ""),
            (Purpose::Command(_) | Purpose::ByHand, Err(why)) => self.problem(why.message()),
        });
        effects
    }

    /// When adding a rule is undone or redone, undoes or redoes its effects on stored items.
    fn move_rules(&mut self) -> Vec<Effect> {
        let Some((step, redo)) = &self.history.moving else { return vec![] };
        let (names, redo) = (moved_rules(&step.change, *redo), *redo);
        let undo = |name| vec![Effect::UndoRule { name, cause: Cause::Undo }];
        names
            .into_iter()
            .flat_map(|name| if redo { self.apply_rule(&name, Cause::Redo) } else { undo(name) })
            .collect()
    }

    /// Records that a rule was applied to stored items, or that this was undone.
    pub(in crate::tui::app) fn record_rule(
        &mut self,
        name: String,
        marks: Arc<RuleMarks>,
        applied: bool,
    ) {
        let what = if applied { "applied" } else { "undone" };
        let label = format!("{name} {what}");
        self.record_change(Change::Rule { name, marks, applied }, label);
    }

    /// Ends the step of a rule that is in progress; if there is none, shows the error.
    pub(in crate::tui::app) fn rule_step_ended(
        &mut self,
        result: Result<(), Failure>,
    ) -> Vec<Effect> {
        if self.is_moving(|change| matches!(change, Change::Rule { .. })) {
            let mut effects = self.finish_step(result.map(|()| None));
            effects.extend(self.recount_rules());
            return effects;
        }
        result.err().map_or_else(Vec::new, |why| self.problem(why))
    }

    /// Records changes to files and to sources of accounts for undo, and reports them.
    pub(in crate::tui::app) fn saved_all(
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
        self.note(format!("{}{hint}; sent at the next synchronisation", done(&label, false)))
    }

    /// Records file edits for undo and reports them.
    pub(in crate::tui::app) fn saved(
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

/// Describes a finished change to files, or with `of_sources` only to sources, from its label in the history.
fn done(label: &str, of_sources: bool) -> String {
    match label.strip_prefix(REMOVAL) {
        Some(what) if of_sources => format!(
            "Removed {what}. You can undo this until you quit; for 30 days, adding a source again restores its items"
        ),
        Some(what) => format!("Removed {what}"),
        None => format!("Saved: {label}"),
    }
}
