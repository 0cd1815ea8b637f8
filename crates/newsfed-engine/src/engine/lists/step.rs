//! Keeping the sources of `sources.toml` in step with the lists that were read.

use super::super::edit::blocking;
use super::super::follow::FollowError;
use super::super::handle::Handle;
use super::super::message::AutomaticChange;
use crate::config::{
    FileEdit, ListPlan, ListState, SourcesFile, Stay, list_from_text, list_to_text,
};
use crate::model::{Source, SourceFacts, SourceId, SourceKind};
use crate::store::{Reader, StoreError};
use crate::util::text;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Names in a message.
const NAMED: usize = 3;

/// What a list has changed.
pub(super) struct Stepped {
    pub(super) list: SourceId,
    title: String,
    pub(super) plan: ListPlan,
    pub(super) edit: FileEdit,
    names: HashMap<SourceId, String>,
}

impl Handle {
    /// Keeps the sources of the file in step with the lists that were read; returns what was changed.
    /// The items of removed sources stay for 30 days.
    ///
    /// # Errors
    /// If the database or `sources.toml` cannot be used.
    pub async fn keep_lists_in_step(&self) -> Result<Vec<AutomaticChange>, FollowError> {
        let _turn = self.context.lists.turn.lock().await;
        let stepped = self.step_lists().await?;
        Ok(stepped.into_iter().map(Stepped::report).collect())
    }

    /// The same, for whoever has the turn.
    pub(super) async fn step_lists(&self) -> Result<Vec<Stepped>, FollowError> {
        let all = Arc::new(self.sources().await?);
        let lists: Vec<List> = all.iter().filter_map(List::of).collect();
        let keys: Vec<i64> = lists.iter().map(|list| list.key).collect();
        let mut done = Vec::new();
        for list in lists {
            let (id, key, keys, all) = (list.id.clone(), list.key, keys.clone(), all.clone());
            let read = move |reader: &Reader| state(reader, id, key, &keys, &all);
            let Some(state) = self.context.read(read).await? else { continue };
            done.extend(self.step(list, state).await?);
        }
        Ok(done)
    }

    /// Takes over what one list has; `None` if nothing changes.
    async fn step(&self, list: List, state: ListState) -> Result<Option<Stepped>, FollowError> {
        let file = SourcesFile::open(&self.paths);
        let names = self.sources().await?;
        self.refuse_missing_file().await?;
        let (plan, edit) = blocking(move || file.take_over(&state)).await?;
        let name = |(source, facts): &(Arc<Source>, SourceFacts)| {
            (source.id.clone(), text::line(facts.title(source)))
        };
        let names = names.iter().map(name).collect();
        let (id, key, taken) = (list.id, list.key, list_to_text(&plan.taken));
        let stepped = Stepped { list: id, title: list.title, plan, edit, names };
        if stepped.edit.is_empty() {
            self.context.store.set_taken(key, taken, None).await?;
            return Ok(None);
        }
        self.read_again().await;
        self.context.store.set_taken(key, taken, Some(stepped.describe())).await?;
        Ok(Some(stepped))
    }
}

/// A list that is followed.
struct List {
    id: SourceId,
    /// Row key of its source.
    key: i64,
    title: String,
}

impl List {
    fn of((source, facts): &(Arc<Source>, SourceFacts)) -> Option<Self> {
        let is_list = source.kind() == SourceKind::List && source.enabled;
        let title = || text::line(facts.title(source));
        is_list.then(|| Self { id: source.id.clone(), key: facts.key, title: title() })
    }
}

/// What is known of a list; `None` if all that it has was taken over.
fn state(
    reader: &Reader,
    list: SourceId,
    key: i64,
    lists: &[i64],
    all: &[(Arc<Source>, SourceFacts)],
) -> Result<Option<ListState>, StoreError> {
    let stored = reader.followed_list(key)?.unwrap_or_default();
    if stored.listed.is_empty() || stored.listed == stored.taken {
        return Ok(None);
    }
    let mut others = Vec::new();
    for other in lists.iter().filter(|other| **other != key) {
        let listed = reader.followed_list(*other)?.unwrap_or_default().listed;
        others.extend(list_from_text(&listed));
    }
    let listed = list_from_text(&stored.listed);
    let urls: HashSet<&str> = listed.iter().map(|source| source.url.as_str()).collect();
    let mut kept = HashSet::new();
    let ours = all.iter().filter(|(source, _)| source.list.as_ref() == Some(&list));
    for (source, facts) in ours.filter(|(source, _)| !urls.contains(source.url.as_str())) {
        if reader.has_kept(facts.key)? {
            kept.insert(source.id.clone());
        }
    }
    let moved = |(source, facts): &(Arc<Source>, SourceFacts)| {
        Some((source.id.clone(), facts.moved_to.clone()?))
    };
    Ok(Some(ListState {
        moved: all.iter().filter_map(moved).collect(),
        taken: list_from_text(&stored.taken),
        is_whole: stored.is_whole,
        accept: stored.accept,
        list,
        listed,
        others,
        kept,
    }))
}

impl Stepped {
    /// Such as `Planet: 2 added (One, Two), 1 removed (Three)`.
    fn describe(&self) -> String {
        let ListPlan { add, change, remove, hand_over, .. } = &self.plan;
        let of = |ids: Vec<&SourceId>| ids.into_iter().map(|id| self.name(id)).collect::<Vec<_>>();
        let added = add.iter().map(|s| s.title.clone().unwrap_or_else(|| s.id.to_string()));
        let parts = [
            part("added", &added.collect::<Vec<_>>()),
            part("changed", &of(change.iter().map(|(id, _)| id).collect())),
            part("removed", &of(remove.iter().collect())),
            part("taken over by another list", &of(hand_over.iter().map(|(id, _)| id).collect())),
        ];
        let stays = [Stay::Edited, Stay::Kept, Stay::Unknown].map(|stay| {
            let ids = stay_for(&self.plan, stay);
            (!ids.is_empty()).then(|| {
                let verb = if ids.len() == 1 { "stays" } else { "stay" };
                format!("{} {verb}, because {}", listing(&of(ids)), stay.why())
            })
        });
        let parts: Vec<String> = parts.into_iter().chain(stays).flatten().collect();
        parts.join("; ")
    }

    fn name(&self, id: &SourceId) -> String {
        self.names.get(id).cloned().unwrap_or_else(|| id.to_string())
    }

    fn report(self) -> AutomaticChange {
        let message = format!("{}: {}", self.title, self.describe());
        let label = format!("changes of the list {}", self.title);
        AutomaticChange { message, label, edit: Some(self.edit) }
    }
}

fn stay_for(plan: &ListPlan, why: Stay) -> Vec<&SourceId> {
    plan.stay.iter().filter(|(_, stay)| *stay == why).map(|(id, _)| id).collect()
}

fn part(verb: &str, names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| format!("{} {verb} ({})", names.len(), listing(names)))
}

/// Such as `One, Two, Three and 4 more`.
fn listing(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(NAMED).map(|name| text::line(name)).collect();
    match names.len().saturating_sub(NAMED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
