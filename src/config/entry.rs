//! One `[[source]]` of `sources.toml`, key by key: read, changed and put back.

use super::document::{Node, read_text};
use super::edit::{EditError, SourcesFile};
use super::edited::{Edited, Part};
use super::error::ConfigErrors;
use super::load::{Positioned, check_sources};
use super::render::source_text;
use super::save::SaveError;
use super::section::{Section, apply};
use super::splice::SpliceError;
use crate::model::{Source, SourceId};
use std::fmt;
use std::path::Path;

/// The entry of a source as it was read, with its comments.
#[derive(Clone, PartialEq)]
pub struct Entry {
    id: SourceId,
    /// The text of this entry alone.
    part: Section,
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
        Self { id, part: Section::new(text, Some(header)) }
    }

    /// The entry of a source that is not declared yet.
    pub fn draft(source: &Source) -> Self {
        Self { id: source.id.clone(), part: Section::new(&source_text(source, "\n"), Some(0)) }
    }

    /// The source.
    pub fn id(&self) -> &SourceId {
        &self.id
    }

    /// The source that the entry declares once these changes are made.
    ///
    /// # Errors
    /// When the loader refuses it.
    pub fn source(&self, changes: &[EntryChange]) -> Result<Source, EditError> {
        let file = Path::new("");
        let odd = |e: SpliceError| EditError::Form { file: file.into(), message: e.to_string() };
        let text = self.part.with(changes).map_err(odd)?;
        let (sources, _) = check_sources(file, &text).map_err(EditError::Refused)?;
        let source = sources.into_iter().next().map(|(_, source)| source);
        source.ok_or_else(|| EditError::Unknown(self.id.clone(), String::new()))
    }

    /// The value of a key.
    pub(super) fn node(&self, path: &[String]) -> Option<&Node> {
        self.part.node(path)
    }

    /// The keys of a table of the entry.
    pub(super) fn keys(&self, path: &[String]) -> Vec<&str> {
        self.part.keys(path)
    }

    /// The value of a key as it is written.
    pub(super) fn written(&self, path: &[String]) -> Option<&str> {
        self.part.written(path)
    }

    /// The keys to be changed that have another value here; see [`Section::changed_since`].
    pub(super) fn changed_since(&self, base: &Self, wanted: &[EntryChange]) -> Vec<String> {
        self.part.changed_since(&base.part, wanted)
    }

    /// Whether both are written alike, whatever blank lines are around them.
    pub(super) fn reads_as(&self, other: &Self) -> bool {
        let text = |entry: &Self| entry.part.text.trim().replace("\r\n", "\n");
        text(self) == text(other)
    }

    /// What the loader says of the entry once these changes are made.
    ///
    /// # Errors
    /// In words where the entry can only be changed by hand.
    pub(super) fn check(&self, changes: &[EntryChange]) -> Result<ConfigErrors, String> {
        let text = self.part.with(changes).map_err(|e| e.to_string())?;
        Ok(check_sources(Path::new(""), &text).err().unwrap_or_default())
    }
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
    pub(super) fn entry_in(
        &self,
        text: &str,
        sources: &Positioned,
        id: &SourceId,
    ) -> Result<(usize, Entry), EditError> {
        let start = sources[self.find(sources, id)?].0.start;
        let range = self.ranges(text, &[start])?.into_iter().next().unwrap_or(start..text.len());
        let part = Section::new(&text[range.clone()], Some(start - range.start));
        Ok((start, Entry { id: id.clone(), part }))
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
            let keys = now.changed_since(base, wanted);
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
            let after = apply(text, Some(start), &there).map_err(|e| self.splice(&e))?;
            Ok((after, vec![Part::keys(&now, there)]))
        })
    }
}
