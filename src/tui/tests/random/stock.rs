//! Reusable values for random replies.

use super::*;
use crate::config::{
    FileEdit, Import, KeyChange, ListLayout, Paths, Section, SourcesFile, ViewSettings,
};

/// Values that are built once and used in many replies.
pub(super) struct Stock {
    pub(super) rows: Vec<ItemRow>,
    pub(super) entry: Section,
    pub(super) settings: Section,
    /// A changed title, a removed source, a changed setting, an added view, and a manual edit.
    pub(super) edits: [FileEdit; 5],
    pub(super) list: Import,
    _folder: tempfile::TempDir,
}

impl Stock {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::below(folder.path());
        let file = SourcesFile::open(&paths);
        let sources: Vec<Source> =
            source_list().sources.iter().map(|s| Source::clone(&s.source)).collect();
        file.add(&sources).unwrap();
        let id = sources[0].id.clone();
        let entry = file.entry(&id).unwrap();
        let title = KeyChange { path: vec!["title".into()], value: Some("\"x\"".into()) };
        let edited = file.edit_entry(&entry, &[title]).unwrap();
        let removed = file.remove(std::slice::from_ref(&id)).unwrap();
        let config = crate::config::ConfigFile::open(&paths);
        let theme =
            KeyChange { path: vec!["ui".into(), "theme".into()], value: Some("\"light\"".into()) };
        let settings_edited = config.edit(None, &[theme]).unwrap();
        let layout = ListLayout {
            sort: Some(crate::config::SortOrder::Oldest),
            dates: Some(crate::config::DateStyle::Time),
            group: Some(crate::config::Grouping::None),
            ..ListLayout::default()
        };
        let view = ViewSettings { name: "Rust 日本".into(), query: "rust unread".into(), layout };
        let views = config.add_views(&[view]).unwrap();
        let by_hand = FileEdit::by_hand("a".to_owned(), "b".to_owned()).unwrap();
        let lines = b"https://new.example/\n\"query:Q:unread = \\\"yes\\\"\"\nexec:x\n";
        let list = crate::config::import(lines, "urls").unwrap();
        Self {
            rows: item_rows(),
            entry,
            settings: config.read(&[]).unwrap(),
            edits: [edited, removed, settings_edited, views, by_hand],
            list,
            _folder: folder,
        }
    }
}
