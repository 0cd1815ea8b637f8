//! One `[[source]]` of `sources.toml`, key by key: read, changed and put back.

use super::document::{Node, Pair, Value, parse, read_text};
use super::edit::{EditError, SourcesFile};
use super::edited::{Edited, Part};
use super::error::{ConfigErrors, Report};
use super::load::{Positioned, check_sources};
use super::save::SaveError;
use super::splice::{SpliceError, set};
use crate::model::SourceId;
use std::fmt;
use std::path::Path;

/// The entry of a source as it was read, with its comments.
#[derive(Clone, PartialEq)]
pub struct Entry {
    id: SourceId,
    /// The text of this entry alone.
    text: String,
    /// Where its header begins.
    header: usize,
    tree: Vec<Pair>,
}

impl fmt::Debug for Entry {
    /// The name only: the text may hold passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Entry({})", self.id)
    }
}

/// A key of an entry, which may lie in a table of it, and its new value as TOML; `None` takes the
/// key away.
#[derive(Clone, PartialEq, Eq)]
pub struct EntryChange {
    /// From the entry to the key.
    pub path: Vec<String>,
    /// The value.
    pub value: Option<String>,
}

impl fmt::Debug for EntryChange {
    /// The key only: the value may be a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path.join("."))
    }
}

impl Entry {
    pub(super) fn new(id: SourceId, text: &str, header: usize) -> Self {
        let tree = parse(text, &mut Report::new(Path::new(""), text));
        Self { id, text: text.to_owned(), header, tree }
    }

    /// The source.
    pub fn id(&self) -> &SourceId {
        &self.id
    }

    /// The value of a key.
    pub(super) fn node(&self, path: &[String]) -> Option<&Node> {
        let Value::List(list) = &self.tree.first()?.node.value else { return None };
        let mut node = list.first()?;
        for key in path {
            let Value::Table(table) = &node.value else { return None };
            node = &table.iter().find(|pair| pair.key == *key)?.node;
        }
        Some(node)
    }

    /// The keys of a table of the entry.
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

    /// What the loader says of the entry once these changes are made.
    ///
    /// # Errors
    /// In words where the entry can only be changed by hand.
    pub(super) fn check(&self, changes: &[EntryChange]) -> Result<ConfigErrors, String> {
        let text = apply(&self.text, self.header, changes).map_err(|e| e.to_string())?;
        Ok(check_sources(Path::new(""), &text).err().unwrap_or_default())
    }
}

/// The text with keys of the entry whose header begins there changed.
pub(super) fn apply(
    text: &str,
    header: usize,
    changes: &[EntryChange],
) -> Result<String, SpliceError> {
    let mut text = text.to_owned();
    for change in changes {
        let path: Vec<&str> = change.path.iter().map(String::as_str).collect();
        // All of the entry stands behind its header, so that this one stays where it is.
        text = set(&text, Some(header), &path, change.value.as_deref())?;
    }
    Ok(text)
}

impl SourcesFile {
    /// The entry of a source.
    ///
    /// # Errors
    /// When the source is unknown, or see [`EditError`].
    pub fn entry(&self, id: &SourceId) -> Result<Entry, EditError> {
        let text = read_text(&self.file)
            .map_err(|message| SaveError::Unreadable { file: self.file.clone(), message })?
            .unwrap_or_default();
        let (sources, _) = check_sources(&self.file, &text).map_err(EditError::Invalid)?;
        Ok(self.entry_in(&text, &sources, id)?.1)
    }

    /// Where the header of an entry begins, and the entry.
    fn entry_in(
        &self,
        text: &str,
        sources: &Positioned,
        id: &SourceId,
    ) -> Result<(usize, Entry), EditError> {
        let start = sources[self.find(sources, id)?].0.start;
        let range = self.ranges(text, &[start])?.into_iter().next().unwrap_or(start..text.len());
        Ok((start, Entry::new(id.clone(), &text[range.clone()], start - range.start)))
    }

    /// Changes keys of an entry, all or none. What else has changed in the file since the entry was
    /// read stays.
    ///
    /// # Errors
    /// [`EditError::Elsewhere`] when one of these keys has been changed since then; when the source
    /// is unknown or a value is refused, or see [`EditError`].
    pub fn edit_entry(&self, base: &Entry, wanted: &[EntryChange]) -> Result<Edited, EditError> {
        self.edit(|text, sources| {
            let (start, now) = self.entry_in(text, sources, &base.id)?;
            let foreign = |change: &&EntryChange| {
                let there = now.written(&change.path);
                there != base.written(&change.path) && there != change.value.as_deref()
            };
            let keys: Vec<_> = wanted.iter().filter(foreign).map(|c| c.path.join(".")).collect();
            if !keys.is_empty() {
                return Err(EditError::Elsewhere { keys, now: Box::new(now) });
            }
            let mut there = wanted.to_vec();
            let (id, address) = (vec!["id".to_owned()], ["url".to_owned()]);
            // An identifier derived from the address must not change with it: it is written down.
            if wanted.iter().any(|c| c.path == address) && now.node(&id).is_none() {
                let value = toml_edit::Value::from(base.id.as_str()).to_string();
                there.insert(0, EntryChange { path: id, value: Some(value) });
            }
            let after = apply(text, start, &there).map_err(|e| self.splice(&e))?;
            Ok((after, vec![Part::keys(&now, there)]))
        })
    }
}
