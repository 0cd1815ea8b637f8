//! The sources pane: smart views, saved queries, folders and sources.

use super::App;
use crate::config::ViewSettings;
use crate::model::SourceId;
use crate::tui::effect::Effect;
use crate::tui::event::{SourceEntry, SourceList};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Views that need no declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Smart {
    Pinned,
    Unread,
    Today,
    Changed,
    All,
}

/// What a row is, however the list around it changes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum RowId {
    Smart(Smart),
    Saved(String),
    Folder(String),
    Source(i64),
}

/// One row as it is drawn.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) id: RowId,
    pub(crate) depth: usize,
    pub(crate) title: String,
    /// The number at its end: unread items, or pinned ones.
    pub(crate) count: u32,
    /// For sources: where its entry is.
    pub(crate) entry: Option<usize>,
}

/// State of the pane.
#[derive(Debug, Default)]
pub(crate) struct SourcesPane {
    pub(crate) list: SourceList,
    pub(crate) rows: Vec<Row>,
    pub(crate) selected: usize,
    pub(crate) scroll: usize,
    pub(crate) folded: HashSet<String>,
    /// Sources (row keys) selected for a common verb.
    pub(crate) marked: HashSet<i64>,
    /// A source that was just added, to be selected once it is in the list.
    pub(super) wanted: Option<SourceId>,
    views: Vec<ViewSettings>,
    /// Row key -> place in the list.
    places: HashMap<i64, usize>,
}

impl SourcesPane {
    /// Takes over a new list; the selection stays on its row. Tells whether it went to a source that
    /// was just added instead.
    pub(super) fn set(&mut self, list: SourceList, views: &[ViewSettings]) -> bool {
        self.list = list;
        let keys = self.list.sources.iter().map(|s| s.facts.key);
        self.places = keys.enumerate().map(|(i, key)| (key, i)).collect();
        self.views = views.to_vec();
        self.marked.retain(|key| self.places.contains_key(key));
        self.rebuild();
        let wanted = self.wanted.as_ref();
        let added = wanted.and_then(|id| self.list.sources.iter().find(|s| s.source.id == *id));
        let added = added.map(|s| s.facts.key);
        if let Some(key) = added {
            self.wanted = None;
            self.select(&RowId::Source(key));
        }
        added.is_some()
    }

    fn rebuild(&mut self) {
        let before = self.rows.get(self.selected).map(|r| r.id.clone());
        self.rows = self.smart_rows();
        self.folder_rows();
        let same = before.and_then(|id| self.rows.iter().position(|r| r.id == id));
        let fallback = if self.rows.len() > 1 && self.selected == 0 { 1 } else { self.selected };
        self.selected = same.unwrap_or(fallback).min(self.rows.len().saturating_sub(1));
    }

    fn smart_rows(&self) -> Vec<Row> {
        let sum = |f: fn(&SourceEntry) -> u32| self.list.sources.iter().map(f).sum();
        let row = |id, title: &str, count| Row {
            id,
            depth: 0,
            title: title.to_owned(),
            count,
            entry: None,
        };
        let unread = sum(|s| s.facts.unread);
        let mut rows = vec![
            row(RowId::Smart(Smart::Pinned), "Pinned", sum(|s| s.facts.pinned)),
            row(RowId::Smart(Smart::Unread), "All unread", unread),
            row(RowId::Smart(Smart::Today), "Today", self.list.today),
            row(RowId::Smart(Smart::All), "All items", unread),
        ];
        // It stays while it is selected, or the list beside it would change.
        let stays =
            self.rows.get(self.selected).is_some_and(|r| r.id == RowId::Smart(Smart::Changed));
        if self.list.changed > 0 || stays {
            rows.insert(3, row(RowId::Smart(Smart::Changed), "Changed", self.list.changed));
        }
        rows.extend(self.views.iter().map(|v| row(RowId::Saved(v.name.clone()), &v.name, 0)));
        rows
    }

    /// Folders in order of name, each followed by what is in it; then the sources without one.
    fn folder_rows(&mut self) {
        let mut by_folder: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (i, entry) in self.list.sources.iter().enumerate() {
            let folder = entry.source.folder.as_deref().unwrap_or("");
            by_folder.entry(folder).or_default().push(i);
            // A folder inside another makes a row for that one too.
            for (at, _) in folder.match_indices('/') {
                by_folder.entry(&folder[..at]).or_default();
            }
        }
        let top = by_folder.remove("").unwrap_or_default();
        let mut rows = Vec::new();
        for (folder, sources) in &by_folder {
            let depth = folder.matches('/').count();
            let hidden =
                folder.match_indices('/').any(|(at, _)| self.folded.contains(&folder[..at]));
            if hidden {
                continue;
            }
            let title = folder.rsplit('/').next().unwrap_or(folder).to_owned();
            let unread = self.in_folder(folder).map(|s| s.facts.unread).sum();
            rows.push(Row {
                id: RowId::Folder((*folder).to_owned()),
                depth,
                title,
                count: unread,
                entry: None,
            });
            if !self.folded.contains(*folder) {
                rows.extend(sources.iter().map(|&i| self.source_row(i, depth + 1)));
            }
        }
        rows.extend(top.into_iter().map(|i| self.source_row(i, 0)));
        self.rows.extend(rows);
    }

    fn source_row(&self, i: usize, depth: usize) -> Row {
        let entry = &self.list.sources[i];
        Row {
            id: RowId::Source(entry.facts.key),
            depth,
            title: entry.title().to_owned(),
            count: entry.facts.unread,
            entry: Some(i),
        }
    }

    fn in_folder<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a SourceEntry> {
        self.list.sources.iter().filter(move |s| {
            let rest = s.source.folder.as_deref().and_then(|f| f.strip_prefix(folder));
            rest.is_some_and(|r| r.is_empty() || r.starts_with('/'))
        })
    }

    /// Row keys of the sources in a folder and below it.
    pub(super) fn folder_keys(&self, folder: &str) -> Vec<i64> {
        self.in_folder(folder).map(|s| s.facts.key).collect()
    }

    pub(crate) fn current(&self) -> Option<&Row> {
        self.rows.get(self.selected)
    }

    /// The source with a row key.
    pub(crate) fn entry(&self, key: i64) -> Option<&SourceEntry> {
        self.list.sources.get(*self.places.get(&key)?)
    }

    /// The sources a verb applies to: the selected ones, else those of the current row.
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
            _ => vec![],
        }
    }

    pub(super) fn toggle_fold(&mut self) {
        let Some(row) = self.current() else { return };
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

    /// Unfolds the folders that a source (row key) is in.
    pub(super) fn unfold(&mut self, key: i64) {
        let Some(folder) = self.entry(key).and_then(|e| e.source.folder.clone()) else { return };
        let inside = |folded: &String| {
            folder.strip_prefix(folded.as_str()).is_some_and(|r| r.is_empty() || r.starts_with('/'))
        };
        self.folded.retain(|folded| !inside(folded));
        self.rebuild();
    }

    /// Folds or unfolds when the current row is a folder.
    pub(super) fn toggle_fold_row(&mut self) {
        if matches!(self.current().map(|r| &r.id), Some(RowId::Folder(_))) {
            self.toggle_fold();
        }
    }

    pub(super) fn toggle_marked(&mut self) {
        if let Some(RowId::Source(key)) = self.current().map(|r| r.id.clone()) {
            if !self.marked.remove(&key) {
                self.marked.insert(key);
            }
            self.selected = (self.selected + 1).min(self.rows.len().saturating_sub(1));
        }
    }

    /// Keeps the selection on the screen.
    pub(crate) fn scroll_to_selection(&mut self, height: usize) {
        self.scroll =
            super::keys::scrolled(self.scroll, self.selected, height.max(1), self.rows.len());
    }

    pub(super) fn select(&mut self, id: &RowId) {
        if let Some(at) = self.rows.iter().position(|r| r.id == *id) {
            self.selected = at;
        }
    }
}

impl App {
    /// Moves the selection and shows the items of the row it lands on.
    pub(super) fn select_source(&mut self, index: usize) -> Vec<Effect> {
        let index = index.min(self.sources.rows.len().saturating_sub(1));
        if index == self.sources.selected {
            return vec![];
        }
        self.sources.selected = index;
        self.show_selected_source()
    }
}
