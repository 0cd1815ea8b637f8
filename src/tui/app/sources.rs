//! The Sources pane: built-in views, saved views, tags, folders and sources.

use crate::config::{Role, ViewSettings};
use crate::model::SourceId;
use crate::query::NamedSource;
use crate::store::{Count, SourceOrder};
use crate::tui::event::{SourceEntry, SourceList};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Built-in views.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Smart {
    Pinned,
    Unread,
    Today,
    New,
    Changed,
    Later,
    All,
}

/// Identifies a row across reloads.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum RowId {
    Smart(Smart),
    Saved(String),
    /// The heading of the tags.
    Tags,
    Tag(String),
    Folder(String),
    Source(i64),
}

/// A row of the pane.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) id: RowId,
    pub(crate) depth: usize,
    pub(crate) title: String,
    /// The number on the right, of unread or pinned items.
    pub(crate) count: u32,
    /// Whether the count is a lower bound.
    pub(crate) more: bool,
    /// For sources: index of the entry in the list.
    pub(crate) entry: Option<usize>,
}

/// State of the pane.
#[derive(Debug)]
pub(crate) struct SourcesPane {
    pub(crate) list: SourceList,
    pub(crate) rows: Vec<Row>,
    pub(crate) selected: usize,
    pub(crate) scroll: usize,
    pub(crate) folded: HashSet<String>,
    /// Row keys of the selected sources.
    pub(crate) marked: HashSet<i64>,
    /// A source that was just added, and is selected once it is in the list.
    pub(super) select_added: Option<SourceId>,
    pub(super) views: Vec<ViewSettings>,
    /// Numbers of items in views, by view name.
    pub(super) counts: HashMap<String, Count>,
    pub(super) tags_folded: bool,
    /// Whether sources without unread items are hidden.
    pub(super) unread_only: bool,
    /// A source (row key) that is shown even without unread items, because the user jumped to it.
    named: Option<i64>,
    /// Indexes in the list, by row key.
    pub(super) indexes: HashMap<i64, usize>,
    /// The texts that distinguish sources with the same title, by row key.
    pub(super) places: HashMap<i64, super::same_titles::Place>,
    /// The row on each line of the screen, for the mouse.
    pub(crate) shown: Vec<Option<usize>>,
}

impl Default for SourcesPane {
    fn default() -> Self {
        Self {
            list: SourceList::default(),
            rows: Vec::new(),
            selected: 0,
            scroll: 0,
            folded: HashSet::new(),
            marked: HashSet::new(),
            select_added: None,
            views: Vec::new(),
            counts: HashMap::new(),
            // The tags are folded at first, because many tags would push the folders below them off the
            // screen.
            tags_folded: true,
            unread_only: false,
            named: None,
            indexes: HashMap::new(),
            places: HashMap::new(),
            shown: Vec::new(),
        }
    }
}

impl SourcesPane {
    /// Replaces the list. The selection stays on its row, or moves to a source that was just added; returns
    /// whether it did the latter.
    pub(super) fn set(&mut self, list: SourceList, views: &[ViewSettings]) -> bool {
        self.list = list;
        self.index_sources();
        self.views = views.to_vec();
        self.counts.retain(|name, _| views.iter().any(|view| view.name == *name));
        self.marked.retain(|key| self.indexes.contains_key(key));
        self.rebuild();
        let select_added = self.select_added.as_ref();
        let added =
            select_added.and_then(|id| self.list.sources.iter().find(|s| s.source.id == *id));
        let added = added.map(|s| s.facts.key);
        if let Some(key) = added {
            self.select_added = None;
            self.select(&RowId::Source(key));
        }
        added.is_some()
    }

    pub(super) fn set_views(&mut self, views: &[ViewSettings]) {
        self.views = views.to_vec();
        self.rebuild();
    }

    pub(super) fn set_counts(&mut self, counts: Vec<(String, Count)>) {
        self.counts.extend(counts);
        self.rebuild();
    }

    /// Hides or shows the sources without unread items. Failing sources are never hidden.
    pub(super) fn set_unread_only(&mut self, on: bool) {
        if std::mem::replace(&mut self.unread_only, on) != on {
            self.rebuild();
        }
    }

    /// Number of sources that are hidden because they have no unread items.
    pub(crate) fn hidden_sources(&self) -> usize {
        if !self.unread_only {
            return 0;
        }
        (0..self.list.sources.len()).filter(|i| !self.is_shown(*i)).count()
    }

    /// Whether a source has a row. The current and the selected sources always do.
    pub(super) fn is_shown(&self, i: usize) -> bool {
        let facts = &self.list.sources[i].facts;
        let is_current =
            || self.rows.get(self.selected).is_some_and(|row| row.id == RowId::Source(facts.key));
        let wanted = self.named == Some(facts.key) || self.marked.contains(&facts.key);
        let needs_care = facts.fail_count > 0;
        !self.unread_only || facts.unread > 0 || needs_care || wanted || is_current()
    }

    /// The next or previous source (row key) with unread items, in the order of the pane, wrapping around at
    /// the ends. Without a `key`, starts at the first or last source.
    pub(super) fn next_unread_source(&self, key: Option<i64>, forward: bool) -> Option<i64> {
        let mut order: Vec<&SourceEntry> = self.list.sources.iter().collect();
        // Sources without a folder come last.
        order.sort_by_key(|e| (e.source.folder.is_none(), e.source.folder.as_deref()));
        if !forward {
            order.reverse();
        }
        let at = key.and_then(|key| order.iter().position(|e| e.facts.key == key));
        let (before, after) = order.split_at(at.map_or(0, |at| at + 1));
        let before = &before[..before.len().saturating_sub(1)];
        let mut others = after.iter().chain(before);
        others.find(|e| e.facts.unread > 0).map(|e| e.facts.key)
    }

    /// The sources in the order of the pane.
    pub(super) fn order(&self) -> SourceOrder {
        let sources = self.list.sources.iter();
        SourceOrder::new(sources.map(|s| (s.source.folder.as_deref(), s.facts.key)))
    }

    pub(super) fn rebuild(&mut self) {
        let before = self.rows.get(self.selected).map(|r| r.id.clone());
        self.rows = self.tree();
        let same = before.and_then(|id| self.rows.iter().position(|r| r.id == id));
        let fallback = if self.rows.len() > 1 && self.selected == 0 { 1 } else { self.selected };
        self.selected = same.unwrap_or(fallback).min(self.rows.len().saturating_sub(1));
    }

    pub(super) fn in_folder<'a>(
        &'a self,
        folder: &'a str,
    ) -> impl Iterator<Item = &'a SourceEntry> {
        self.list.sources.iter().filter(move |s| {
            let rest = s.source.folder.as_deref().and_then(|f| f.strip_prefix(folder));
            rest.is_some_and(|r| r.is_empty() || r.starts_with('/'))
        })
    }

    /// Row keys of the sources in a folder and its subfolders.
    pub(super) fn folder_keys(&self, folder: &str) -> Vec<i64> {
        self.in_folder(folder).map(|s| s.facts.key).collect()
    }

    /// Row keys of the sources with a tag.
    pub(super) fn tag_keys(&self, tag: &str) -> Vec<i64> {
        let tagged = |s: &&SourceEntry| s.source.tags.iter().any(|t| t == tag);
        self.list.sources.iter().filter(tagged).map(|s| s.facts.key).collect()
    }

    /// Row keys of the sources with any tag.
    pub(super) fn tagged_keys(&self) -> Vec<i64> {
        let tagged = |s: &&SourceEntry| !s.source.tags.is_empty();
        self.list.sources.iter().filter(tagged).map(|s| s.facts.key).collect()
    }

    /// All tags, sorted.
    pub(super) fn tags(&self) -> BTreeSet<String> {
        self.list.sources.iter().flat_map(|s| s.source.tags.iter().cloned()).collect()
    }

    /// All folders of sources, sorted.
    pub(super) fn folders(&self) -> BTreeSet<String> {
        self.list.sources.iter().filter_map(|s| s.source.folder.clone()).collect()
    }

    /// The sources, for resolving their names in queries.
    pub(super) fn known(&self) -> impl Iterator<Item = NamedSource<'_>> + Clone {
        self.list.sources.iter().map(|s| NamedSource {
            key: s.facts.key,
            source: &s.source,
            title: s.title(),
        })
    }

    pub(crate) fn tags_are_folded(&self) -> bool {
        self.tags_folded
    }

    pub(crate) fn current(&self) -> Option<&Row> {
        self.rows.get(self.selected)
    }

    /// The source with a row key.
    pub(crate) fn entry(&self, key: i64) -> Option<&SourceEntry> {
        self.list.sources.get(*self.indexes.get(&key)?)
    }

    /// The sources that an action applies to: the selection, or else the sources of the current row.
    pub(super) fn targets(&self) -> Vec<&SourceEntry> {
        if !self.marked.is_empty() {
            return self
                .list
                .sources
                .iter()
                .filter(|s| self.marked.contains(&s.facts.key))
                .collect();
        }
        match self.current().map(|r| &r.id) {
            Some(RowId::Source(key)) => self.entry(*key).into_iter().collect(),
            Some(RowId::Folder(folder)) => self.in_folder(folder).collect(),
            Some(RowId::Tag(tag)) => {
                self.tag_keys(tag).into_iter().filter_map(|key| self.entry(key)).collect()
            }
            _ => vec![],
        }
    }

    /// The sources that come from any list in `ids`, except those that are in `ids` themselves.
    pub(super) fn of_lists(&self, ids: &[SourceId]) -> Vec<SourceId> {
        let of_list = |s: &&SourceEntry| {
            let list = s.source.list.as_ref();
            list.is_some_and(|list| ids.contains(list)) && !ids.contains(&s.source.id)
        };
        self.list.sources.iter().filter(of_list).map(|s| s.source.id.clone()).collect()
    }

    /// Moves sources (row keys) in front of the source `next`, or to the end.
    pub(super) fn reorder(&mut self, keys: &[i64], next: Option<i64>) {
        let all = std::mem::take(&mut self.list.sources);
        let (moved, mut rest): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|s| keys.contains(&s.facts.key));
        let at = rest.iter().position(|s| Some(s.facts.key) == next).unwrap_or(rest.len());
        rest.splice(at..at, moved);
        self.list.sources = rest;
        self.index_sources();
        self.rebuild();
    }

    fn index_sources(&mut self) {
        let keys = self.list.sources.iter().map(|s| s.facts.key);
        self.indexes = keys.enumerate().map(|(i, key)| (key, i)).collect();
        self.places = super::same_titles::places(&self.list.sources);
    }

    /// The colour of a source (row key): the configured one, or else one that depends on the row key, so that
    /// it does not change when other sources are moved or removed.
    pub(crate) fn color(&self, key: i64) -> Role {
        let count = Role::SOURCES.len() as i64;
        let declared = self.entry(key).and_then(|entry| entry.source.color);
        let number = declared.map_or(key, i64::from) - 1;
        let at = usize::try_from(number.rem_euclid(count)).unwrap_or_default();
        Role::SOURCES.get(at).copied().unwrap_or(Role::Source1)
    }

    /// Unfolds the folders that contain a row.
    pub(super) fn reveal(&mut self, id: &RowId) {
        let folder = match id {
            RowId::Source(key) => self.entry(*key).and_then(|e| e.source.folder.clone()),
            RowId::Folder(folder) => folder.rsplit_once('/').map(|(above, _)| above.to_owned()),
            _ => None,
        };
        if let Some(folder) = folder {
            self.folded.retain(|f| folder != *f && !folder.starts_with(&format!("{f}/")));
        }
        if matches!(id, RowId::Tag(_)) {
            self.tags_folded = false;
        }
        self.rebuild();
    }

    pub(super) fn toggle_fold(&mut self) {
        let Some(row) = self.current() else { return };
        if matches!(row.id, RowId::Tags | RowId::Tag(_)) {
            self.tags_folded = !self.tags_folded;
            self.select(&RowId::Tags);
            return self.rebuild();
        }
        let folder = match &row.id {
            RowId::Folder(folder) => Some(folder.clone()),
            RowId::Source(key) => self.entry(*key).and_then(|e| e.source.folder.clone()),
            _ => None,
        };
        let Some(folder) = folder else { return };
        if !self.folded.remove(&folder) {
            self.folded.insert(folder.clone());
            let id = RowId::Folder(folder);
            self.selected = self.rows.iter().position(|r| r.id == id).unwrap_or(self.selected);
        }
        self.rebuild();
    }

    /// Whether the current row is a folder, or the heading of the tags, that hides its rows.
    pub(super) fn is_folded(&self) -> bool {
        match self.current().map(|row| &row.id) {
            Some(RowId::Folder(folder)) => self.folded.contains(folder),
            Some(RowId::Tags) => self.tags_folded,
            _ => false,
        }
    }

    /// Folds the folder of the current row, or selects its parent folder if it is already folded. Returns
    /// whether anything changed.
    pub(super) fn fold_in(&mut self) -> bool {
        if !self.is_folded() {
            let before = (self.selected, self.rows.len());
            self.toggle_fold();
            return before != (self.selected, self.rows.len());
        }
        let above = match self.current().map(|row| &row.id) {
            Some(RowId::Folder(folder)) => folder.rsplit_once('/').map(|(above, _)| above),
            _ => None,
        };
        let above = above.map(|above| RowId::Folder(above.to_owned()));
        above.map(|id| self.select(&id)).is_some()
    }

    /// Unfolds the folders that contain a source (row key).
    pub(super) fn unfold(&mut self, key: i64) {
        let Some(folder) = self.entry(key).and_then(|e| e.source.folder.clone()) else { return };
        let inside = |folded: &String| {
            folder.strip_prefix(folded.as_str()).is_some_and(|r| r.is_empty() || r.starts_with('/'))
        };
        self.folded.retain(|folded| !inside(folded));
        self.rebuild();
    }

    /// Folds or unfolds the current row if it is a folder.
    pub(super) fn toggle_fold_row(&mut self) {
        if matches!(self.current().map(|r| &r.id), Some(RowId::Folder(_) | RowId::Tags)) {
            self.toggle_fold();
        }
    }

    pub(super) fn toggle_marked(&mut self) {
        // On the row of a folder or tag, all its sources are toggled.
        let keys = match self.current().map(|r| &r.id) {
            Some(RowId::Source(key)) => vec![*key],
            Some(RowId::Folder(folder)) => self.folder_keys(folder),
            Some(RowId::Tag(tag)) => self.tag_keys(tag),
            _ => return,
        };
        if keys.iter().all(|key| self.marked.contains(key)) {
            self.marked.retain(|key| !keys.contains(key));
        } else {
            self.marked.extend(keys);
        }
        self.selected = (self.selected + 1).min(self.rows.len().saturating_sub(1));
    }

    /// Keeps the selection visible.
    pub(crate) fn scroll_to_selection(&mut self, height: usize) {
        self.scroll =
            super::keys::scrolled(self.scroll, self.selected, height.max(1), self.rows.len());
    }

    pub(super) fn select(&mut self, id: &RowId) {
        let position = |rows: &[Row]| rows.iter().position(|r| r.id == *id);
        if let (None, RowId::Source(key), true) = (position(&self.rows), id, self.unread_only) {
            self.named = Some(*key);
            self.rebuild();
        }
        if let Some(at) = position(&self.rows) {
            self.selected = at;
        }
    }
}
