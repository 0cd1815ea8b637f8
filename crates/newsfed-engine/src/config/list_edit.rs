//! The changes that a followed list makes in `sources.toml`.

use super::edit_error::EditError;
use super::file_edit::{FileEdit, KeysOf, Step};
use super::followed_list::{ListPlan, ListState};
use super::ids::unique_id;
use super::load::Positioned;
use super::section::KeyChange;
use super::source_change::SourceChange;
use super::sources_file::{SourcesFile, insertion, names};
use crate::model::{Source, SourceId};
use std::collections::{HashMap, HashSet};
use toml_edit::Value;

impl SourcesFile {
    /// Makes the changes that a list requires. Returns them, with the identifiers of the added sources.
    ///
    /// # Errors
    /// See [`EditError`].
    pub fn take_over(&self, state: &ListState) -> Result<(ListPlan, FileEdit), EditError> {
        let mut plan = ListPlan::default();
        let edit = self.0.change(|text| {
            let declared: Vec<Source> = self.sources(text)?.into_iter().map(|(_, s)| s).collect();
            plan = state.plan(&declared);
            let mut ids: HashSet<String> = declared.iter().map(|s| s.id.0.clone()).collect();
            for source in &mut plan.add {
                source.id = unique_id(&source.url, &mut ids);
            }
            let set = Step::Set(keys(&plan, &declared));
            Ok(vec![set, Step::Remove(names(&plan.remove)), insertion(&plan.add, text)])
        })?;
        Ok((plan, edit))
    }

    /// The sources that came from a list.
    ///
    /// # Errors
    /// When the file cannot be read or has errors.
    pub fn of_list(&self, list: &SourceId) -> Result<Vec<SourceId>, EditError> {
        let of_list = self.declared()?.into_iter().filter(|s| s.list.as_ref() == Some(list));
        Ok(of_list.map(|source| source.id).collect())
    }
}

/// The changed keys of the entries that are not removed.
fn keys(plan: &ListPlan, declared: &[Source]) -> Vec<KeysOf> {
    let by_id: HashMap<&SourceId, &Source> = declared.iter().map(|s| (&s.id, s)).collect();
    let keys_of = |id: &SourceId, changes| KeysOf { element: Some(id.0.clone()), changes };
    let changed = plan.change.iter().filter_map(|(id, change)| {
        let source = by_id.get(id)?;
        Some(keys_of(id, change.keys(source)))
    });
    let freed = plan.stay.iter().map(|(id, _)| keys_of(id, vec![list_key(None)]));
    let handed = plan.hand_over.iter().filter_map(|(id, other)| {
        let source = by_id.get(id)?;
        let change = ["title", "folder", "user", "password"].into_iter();
        let change = change
            .fold(SourceChange::default(), |change, key| change.like(key, other))
            .remove_tags(source.tags.iter().filter(|t| !other.tags.contains(t)).cloned())
            .add_tags(other.tags.iter().cloned());
        let mut changes = change.keys(source);
        changes.push(list_key(other.list.as_ref()));
        Some(keys_of(id, changes))
    });
    changed.chain(freed).chain(handed).collect()
}

/// Turns the sources of removed lists into the user's own.
pub(super) fn without_lists(removed: &[SourceId], declared: &Positioned) -> Vec<KeysOf> {
    let of_removed = declared.iter().filter(|(_, source)| {
        let list = source.list.as_ref();
        list.is_some_and(|list| removed.contains(list)) && !removed.contains(&source.id)
    });
    let freed = |(_, source): &(_, Source)| KeysOf {
        element: Some(source.id.0.clone()),
        changes: vec![list_key(None)],
    };
    of_removed.map(freed).collect()
}

/// The key that names the list of a source.
fn list_key(list: Option<&SourceId>) -> KeyChange {
    let value = list.map(|list| Value::from(list.as_str()).to_string());
    KeyChange { path: vec!["list".to_owned()], value }
}
