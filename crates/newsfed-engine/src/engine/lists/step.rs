//! Keeps the sources of `sources.toml` in sync with the lists that were read.

use super::super::edit::blocking;
use super::super::follow::FollowError;
use super::super::handle::Handle;
use super::super::message::AutomaticChange;
use super::known::{Damage, state};
use crate::config::{FileEdit, ListPlan, SourcesFile, Stay, list_to_text};
use crate::model::{ErrorKind, Outcome, Source, SourceFacts, SourceId, SourceKind};
use crate::store::Reader;
use crate::util::text;
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum number of names in a message.
const NAMED: usize = 3;

/// The start of the message about a list that could not be applied.
const NOT_IN_SYNC: &str = "its sources are not kept in sync with it: ";

/// The changes made by a list.
pub(super) struct Stepped {
    title: String,
    pub(super) plan: ListPlan,
    /// Empty if nothing was changed.
    pub(super) edit: FileEdit,
    names: HashMap<SourceId, String>,
    /// The error that occurred after the file was changed.
    pub(super) problem: Option<String>,
}

impl Handle {
    /// Syncs the sources of the file with the lists that were read. Returns the changes and new problems. The
    /// items of removed sources are kept for 30 days.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn keep_lists_in_step(&self) -> Result<Vec<AutomaticChange>, FollowError> {
        let _turn = self.context.lists.turn.lock().await;
        let mut changes = Vec::new();
        // Usually there are no lists, so the facts of all sources need not be read.
        if !self.context.declared().borrow().iter().any(|source| List::is(source)) {
            return Ok(changes);
        }
        let all = self.sources().await?;
        for (list, facts) in all.iter().filter_map(|of| Some((List::of(of)?, &of.1))) {
            // A problem with one list does not keep the others from being applied.
            let (change, problem) = match self.step(&list.id).await {
                Ok(stepped) => {
                    let problem = stepped.as_ref().and_then(|stepped| stepped.problem.clone());
                    (stepped.and_then(Stepped::report), problem)
                }
                Err(e) => (None, Some(text::line(&e.to_string()))),
            };
            changes.extend(change);
            changes.extend(self.note_problem(&list, facts, problem).await);
        }
        Ok(changes)
    }

    /// Shows a problem as a failed poll until the list can be applied. Returns a message if the problem is
    /// new.
    async fn note_problem(
        &self,
        list: &List,
        facts: &SourceFacts,
        problem: Option<String>,
    ) -> Option<AutomaticChange> {
        let problem = problem.map(|why| format!("{NOT_IN_SYNC}{why}"));
        let before = match &facts.last_outcome {
            Some(Outcome::Failed { message, .. }) if message.starts_with(NOT_IN_SYNC) => {
                Some(message.clone())
            }
            _ => None,
        };
        if problem == before {
            return None;
        }
        let message = problem.clone();
        let change = move |facts: &mut SourceFacts| match &message {
            Some(message) => {
                let (kind, message) = (ErrorKind::Permanent, message.clone());
                facts.last_outcome = Some(Outcome::Failed { kind, message });
                facts.fail_count = facts.fail_count.max(1);
            }
            None => {
                facts.last_outcome = Some(Outcome::Unchanged);
                facts.fail_count = facts.fail_count.saturating_sub(1);
            }
        };
        if let Err(e) = self.context.store.change_facts(list.key, change).await {
            tracing::error!("the state of the list {} was not stored: {e}", list.id);
        }
        let message = format!("{}: {}", list.title, problem?);
        Some(AutomaticChange { message, label: String::new(), edit: None })
    }

    /// Applies the content of one list. The caller must hold the lock. Returns `None` if there is nothing
    /// left to apply.
    ///
    /// # Errors
    /// If the database or `sources.toml` cannot be used. The file is then not changed.
    pub(super) async fn step(&self, id: &SourceId) -> Result<Option<Stepped>, FollowError> {
        let all = Arc::new(self.sources().await?);
        let lists: Vec<List> = all.iter().filter_map(List::of).collect();
        let Some(list) = lists.iter().find(|list| list.id == *id) else { return Ok(None) };
        let keys: Vec<i64> = lists.iter().map(|list| list.key).collect();
        let (of, own, sources) = ((list.id.clone(), list.key), self.context.clone(), all.clone());
        let read = move |reader: &Reader| state(reader, &own, of, &keys, &sources);
        let state = match self.context.read(read).await? {
            Ok(Some(state)) => state,
            Ok(None) => return Ok(None),
            Err(damage) => {
                if let Damage::Listed(key) = damage {
                    self.context.store.clear_listed(key).await?;
                }
                return Err(damage.into());
            }
        };
        let file = SourcesFile::open(&self.paths);
        self.refuse_missing_file().await?;
        let (plan, edit) = blocking(move || file.take_over(&state)).await?;
        let name = |(source, facts): &(Arc<Source>, SourceFacts)| {
            (source.id.clone(), text::line(facts.title(source)))
        };
        let names = all.iter().map(name).collect();
        let (taken, title) = (list_to_text(&plan.taken), list.title.clone());
        let mut stepped = Stepped { title, plan, edit, names, problem: None };
        let changes = (!stepped.edit.is_empty()).then(|| stepped.describe());
        if changes.is_some() {
            self.read_again().await;
        }
        if let Err(e) = self.context.store.set_taken(list.key, taken, changes).await {
            // The step will be repeated without further changes.
            stepped.problem = Some(text::line(&e.to_string()));
        }
        Ok(Some(stepped))
    }
}

/// A followed list.
struct List {
    id: SourceId,
    /// Row key of its source.
    key: i64,
    title: String,
}

impl List {
    fn is(source: &Source) -> bool {
        source.kind() == SourceKind::List && source.enabled
    }

    fn of((source, facts): &(Arc<Source>, SourceFacts)) -> Option<Self> {
        let title = || text::line(facts.title(source));
        Self::is(source).then(|| Self { id: source.id.clone(), key: facts.key, title: title() })
    }
}

impl Stepped {
    /// Formats the changes, such as `Planet: 2 added (One, Two), 1 removed (Three)`.
    fn describe(&self) -> String {
        let ListPlan { add, change, remove, hand_over, .. } = &self.plan;
        let of = |ids: Vec<&SourceId>| ids.into_iter().map(|id| self.name(id)).collect::<Vec<_>>();
        let added = add.iter().map(|s| s.title.clone().unwrap_or_else(|| s.id.to_string()));
        let parts = [
            part("added", &added.collect::<Vec<_>>()),
            part("changed", &of(change.iter().map(|(id, _)| id).collect())),
            part("removed", &of(remove.iter().collect())),
            part("moved to another list", &of(hand_over.iter().map(|(id, _)| id).collect())),
        ];
        let stays = [Stay::Edited, Stay::Kept, Stay::Unknown].map(|stay| {
            let ids = stay_for(&self.plan, stay);
            (!ids.is_empty()).then(|| {
                let several = ids.len() > 1;
                let verb = if several { "stay" } else { "stays" };
                format!("{} {verb}, because {}", listing(&of(ids)), stay.why(several))
            })
        });
        let parts: Vec<String> = parts.into_iter().chain(stays).flatten().collect();
        parts.join("; ")
    }

    fn name(&self, id: &SourceId) -> String {
        self.names.get(id).cloned().unwrap_or_else(|| id.to_string())
    }

    /// The report about a change.
    fn report(self) -> Option<AutomaticChange> {
        if self.edit.is_empty() {
            return None;
        }
        let message = format!("{}: {}", self.title, self.describe());
        let label = format!("changes from the list {}", self.title);
        Some(AutomaticChange { message, label, edit: Some(self.edit) })
    }
}

fn stay_for(plan: &ListPlan, why: Stay) -> Vec<&SourceId> {
    plan.stay.iter().filter(|(_, stay)| *stay == why).map(|(id, _)| id).collect()
}

fn part(verb: &str, names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| format!("{} {verb} ({})", names.len(), listing(names)))
}

/// Formats names, such as `One, Two, Three and 4 more`.
fn listing(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(NAMED).map(|name| text::line(name)).collect();
    match names.len().saturating_sub(NAMED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
