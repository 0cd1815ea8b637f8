//! A part of a declared file, key by key: one entry of `sources.toml`, or all of `config.toml`.

use super::document::{Node, Pair, Value, parse};
use super::entry::EntryChange;
use super::error::Report;
use super::splice::{SpliceError, set};
use std::path::Path;

/// The part as it was read, with its comments.
#[derive(Clone, PartialEq)]
pub(super) struct Section {
    pub(super) text: String,
    /// Where the header of the entry begins; `None` for a whole file.
    header: Option<usize>,
    tree: Vec<Pair>,
}

impl Section {
    pub(super) fn new(text: &str, header: Option<usize>) -> Self {
        let tree = parse(text, &mut Report::new(Path::new(""), text));
        Self { text: text.to_owned(), header, tree }
    }

    /// The value of a key.
    pub(super) fn node(&self, path: &[String]) -> Option<&Node> {
        let (mut table, mut found) = match self.header {
            None => (&self.tree, None),
            Some(_) => {
                let Value::List(list) = &self.tree.first()?.node.value else { return None };
                let entry = list.first()?;
                let Value::Table(table) = &entry.value else { return None };
                (table, Some(entry))
            }
        };
        for (depth, key) in path.iter().enumerate() {
            let node = &table.iter().find(|pair| pair.key == *key)?.node;
            found = Some(node);
            match &node.value {
                Value::Table(inner) => table = inner,
                _ if depth + 1 == path.len() => {}
                _ => return None,
            }
        }
        found
    }

    /// The keys of a table.
    pub(super) fn keys(&self, path: &[String]) -> Vec<&str> {
        match self.node(path).map(|node| &node.value) {
            Some(Value::Table(table)) => table.iter().map(|pair| pair.key.as_str()).collect(),
            _ => Vec::new(),
        }
    }

    /// The value of a key as it is written.
    pub(super) fn written(&self, path: &[String]) -> Option<&str> {
        let at = self.node(path)?.at;
        self.text.get(at.start..at.end)
    }

    /// The text once these changes are made.
    pub(super) fn with(&self, changes: &[EntryChange]) -> Result<String, SpliceError> {
        apply(&self.text, self.header, changes)
    }

    /// The keys to be changed, dotted, that have another value here than they had in `base`, and not
    /// the one that they are to have.
    pub(super) fn changed_since(&self, base: &Self, wanted: &[EntryChange]) -> Vec<String> {
        let foreign = |change: &&EntryChange| {
            let there = self.written(&change.path);
            there != base.written(&change.path) && there != change.value.as_deref()
        };
        wanted.iter().filter(foreign).map(|c| c.path.join(".")).collect()
    }

    /// What takes these changes back.
    pub(super) fn back(&self, changes: &[EntryChange]) -> Vec<EntryChange> {
        let before = |change: &EntryChange| EntryChange {
            value: self.written(&change.path).map(str::to_owned),
            ..change.clone()
        };
        changes.iter().map(before).collect()
    }
}

/// The text with keys changed, of the entry whose header begins there or of the whole file.
pub(super) fn apply(
    text: &str,
    header: Option<usize>,
    changes: &[EntryChange],
) -> Result<String, SpliceError> {
    let mut text = text.to_owned();
    for change in changes {
        let path: Vec<&str> = change.path.iter().map(String::as_str).collect();
        // All of the entry stands behind its header, so that this one stays where it is.
        text = set(&text, header, &path, change.value.as_deref())?;
    }
    Ok(text)
}
