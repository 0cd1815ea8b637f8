//! The rows of the Sources pane.

use super::sources::SourcesPane;
use super::{Row, RowId, Smart};
use crate::config::ViewSettings;
use crate::tui::event::SourceEntry;
use std::collections::BTreeMap;

impl Row {
    pub(super) fn new(id: RowId, depth: usize, title: &str, count: u32) -> Self {
        Self { id, depth, title: title.to_owned(), count, more: false, entry: None }
    }
}

impl SourcesPane {
    /// All visible rows.
    pub(super) fn tree(&self) -> Vec<Row> {
        let mut rows = self.smart_rows();
        rows.extend(self.saved_rows());
        rows.extend(self.tag_rows());
        rows.extend(self.folder_rows());
        rows
    }

    fn smart_rows(&self) -> Vec<Row> {
        let sum = |f: fn(&SourceEntry) -> u32| self.list.sources.iter().map(f).sum();
        let row = |id, title: &str, count| Row::new(id, 0, title, count);
        let unread = sum(|s| s.facts.unread);
        let mut rows = vec![
            row(RowId::Smart(Smart::Pinned), "Pinned", sum(|s| s.facts.pinned)),
            row(RowId::Smart(Smart::Unread), "All unread", unread),
            row(RowId::Smart(Smart::Today), "Today", self.list.today),
            row(
                RowId::Smart(Smart::All),
                "All items",
                sum(|s| s.facts.items).saturating_sub(self.list.hidden),
            ),
        ];
        // A selected row is kept, because removing it would change the list of items.
        let optional = [
            (Smart::New, "Since last time", self.list.new),
            (Smart::Later, "Later", self.list.later),
            (Smart::Changed, "Changed", self.list.changed),
        ];
        for (smart, title, count) in optional {
            let id = RowId::Smart(smart);
            if count > 0 || self.rows.get(self.selected).is_some_and(|row| row.id == id) {
                rows.insert(rows.len() - 1, row(id, title, count));
            }
        }
        rows
    }

    fn saved_rows(&self) -> impl Iterator<Item = Row> {
        let row = |view: &ViewSettings| {
            let count = self.counts.get(&view.name).copied().unwrap_or_default();
            let row = Row::new(RowId::Saved(view.name.clone()), 0, &view.name, count.items);
            Row { more: count.more, ..row }
        };
        self.views.iter().map(row)
    }

    /// The heading of the tags, and the tags below it.
    fn tag_rows(&self) -> Vec<Row> {
        let mut tags: BTreeMap<&str, u32> = BTreeMap::new();
        let mut all = 0;
        for entry in self.list.sources.iter().filter(|s| !s.source.tags.is_empty()) {
            all += entry.facts.unread;
            for tag in &entry.source.tags {
                *tags.entry(tag).or_default() += entry.facts.unread;
            }
        }
        if tags.is_empty() {
            return vec![];
        }
        let mut rows = vec![Row::new(RowId::Tags, 0, "Tags", all)];
        if !self.tags_folded {
            let row =
                |(tag, unread): (&str, u32)| Row::new(RowId::Tag(tag.to_owned()), 1, tag, unread);
            rows.extend(tags.into_iter().map(row));
        }
        rows
    }

    /// Folders sorted by name, each followed by its sources, and finally the sources without a folder.
    fn folder_rows(&self) -> Vec<Row> {
        let mut by_folder: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (i, entry) in self.list.sources.iter().enumerate() {
            let folder = entry.source.folder.as_deref().unwrap_or("");
            by_folder.entry(folder).or_default().push(i);
            // Parent folders have rows too.
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
            let is_current = || {
                let current = self.rows.get(self.selected).map(|row| &row.id);
                current.is_some_and(|id| *id == RowId::Folder((*folder).to_owned()))
            };
            let any =
                |s: &SourceEntry| self.indexes.get(&s.facts.key).is_some_and(|i| self.is_shown(*i));
            if self.unread_only && !is_current() && !self.in_folder(folder).any(any) {
                continue;
            }
            let title = folder.rsplit('/').next().unwrap_or(folder).to_owned();
            let unread = self.in_folder(folder).map(|s| s.facts.unread).sum();
            rows.push(Row::new(RowId::Folder((*folder).to_owned()), depth, &title, unread));
            if !self.folded.contains(*folder) {
                let shown = sources.iter().filter(|i| self.is_shown(**i));
                rows.extend(shown.map(|&i| self.source_row(i, depth + 1)));
            }
        }
        let shown = top.into_iter().filter(|i| self.is_shown(*i));
        rows.extend(shown.map(|i| self.source_row(i, 0)));
        rows
    }

    fn source_row(&self, i: usize, depth: usize) -> Row {
        let entry = &self.list.sources[i];
        let id = RowId::Source(entry.facts.key);
        Row {
            entry: Some(i),
            ..Row::new(id, depth, &self.name(entry, usize::MAX), entry.facts.unread)
        }
    }
}
