//! Changes of `sources.toml` made by the program.
//!
//! Every save reads the file afresh, changes only the bytes concerned, runs the loader's own
//! checks on the new text and exchanges the file as a whole (see [`super::save`]).

use super::edit_config::SettingsText;
use super::elements::{cut, element_ranges, element_start};
use super::entry::Entry;
use super::error::ConfigErrors;
use super::ids::unique_id;
use super::load::{Positioned, check_sources};
use super::paths::Paths;
use super::render::source_text;
use super::save::{SaveError, rewrite};
use super::splice::{SpliceError, newline, replace, with_last_newline};
use crate::model::{Source, SourceId};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use url::Url;

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The file as it is has faults, so it is left alone.
    #[error("nothing was changed, because the file has faults:\n{0}")]
    Invalid(ConfigErrors),
    /// The change would bring faults into the file.
    #[error("nothing was changed: {0}")]
    Refused(ConfigErrors),
    /// No such source.
    #[error("there is no source \"{0}\"{1}")]
    Unknown(SourceId, String),
    /// The file is written in a form that only a user can change.
    #[error("{}: {message}", file.display())]
    Form {
        /// The file.
        file: PathBuf,
        /// What is odd about it.
        message: String,
    },
    /// Somebody else has changed the same keys of the entry since it was read.
    #[error("changed in the file meanwhile: {}", keys.join(", "))]
    Elsewhere {
        /// The keys, dotted.
        keys: Vec<String>,
        /// The entry as it is now.
        now: Box<Entry>,
    },
    /// The same for settings.
    #[error("changed in the file meanwhile: {}", keys.join(", "))]
    SettingsElsewhere {
        /// The keys, dotted.
        keys: Vec<String>,
        /// The file as it is now.
        now: Box<SettingsText>,
    },
    /// What is to be taken back is no longer as it was left.
    #[error("{0} was changed elsewhere since; nothing was done")]
    Overtaken(String),
    /// The file could not be read or written.
    #[error(transparent)]
    Save(#[from] SaveError),
}

/// `sources.toml` for changes. Holds nothing of the file but its name.
#[derive(Debug, Clone)]
pub struct SourcesFile {
    pub(super) file: PathBuf,
}

/// What a removal took out, to put it back.
#[derive(Clone)]
pub struct Removed {
    /// The full text before and after, for putting everything back exactly.
    before: String,
    after: String,
    pieces: Vec<Piece>,
}

/// One source taken out: its text and the source that followed it.
#[derive(Clone)]
struct Piece {
    id: SourceId,
    text: String,
    next: Option<SourceId>,
}

impl fmt::Debug for Removed {
    /// Names the sources only: their texts may hold passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.ids()).finish()
    }
}

impl Removed {
    /// The sources that were removed.
    pub fn ids(&self) -> impl Iterator<Item = &SourceId> {
        self.pieces.iter().map(|p| &p.id)
    }
}

/// What came of adding a list of sources.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Added {
    /// Those added, with the identifiers they got.
    pub sources: Vec<Source>,
    /// Those whose address was followed already: its source, and the address.
    pub already: Vec<(SourceId, Url)>,
}

impl SourcesFile {
    /// The file of these paths, which need not exist.
    pub fn open(paths: &Paths) -> Self {
        Self { file: paths.sources_file() }
    }

    /// Adds sources at the end, all or none.
    ///
    /// # Errors
    /// When an identifier is taken, or see [`EditError`].
    pub fn add(&self, sources: &[Source]) -> Result<(), EditError> {
        self.change(|text, _| Ok(appended(text, sources)))
    }

    /// Adds those sources of a list whose addresses are not followed yet, all or none. Identifiers
    /// that are empty or taken are replaced.
    ///
    /// # Errors
    /// See [`EditError`].
    pub fn import(&self, list: &[Source]) -> Result<Added, EditError> {
        let mut added = Added::default();
        self.change(|text, sources| {
            added = sort_out(list, sources);
            Ok(appended(text, &added.sources))
        })?;
        Ok(added)
    }

    /// What [`Self::import`] would do with a list.
    ///
    /// # Errors
    /// When the file cannot be read or has faults.
    pub fn preview(&self, list: &[Source]) -> Result<Added, EditError> {
        let text = super::document::read_text(&self.file)
            .map_err(|message| SaveError::Unreadable { file: self.file.clone(), message })?
            .unwrap_or_default();
        let (sources, _) = check_sources(&self.file, &text).map_err(EditError::Invalid)?;
        Ok(sort_out(list, &sources))
    }

    /// Removes sources, all or none, with the comments right above them.
    ///
    /// # Errors
    /// When one is unknown, or see [`EditError`].
    pub fn remove(&self, ids: &[SourceId]) -> Result<Removed, EditError> {
        let mut removed = None;
        self.change(|text, sources| {
            let found = self.find_all(sources, ids)?;
            let starts: Vec<_> = found.iter().map(|i| sources[*i].0.start).collect();
            let ranges = self.ranges(text, &starts)?;
            let piece = |(index, range): (&usize, &Range<usize>)| Piece {
                id: sources[*index].1.id.clone(),
                text: text[range.clone()].to_owned(),
                next: sources.get(index + 1).map(|(_, s)| s.id.clone()),
            };
            let pieces = found.iter().zip(&ranges).map(piece).collect();
            let new = cut(text, &ranges);
            removed = Some(Removed { before: text.to_owned(), after: new.clone(), pieces });
            Ok(new)
        })?;
        // `change` calls the closure before it succeeds.
        removed.ok_or_else(|| self.form("the file could not be changed"))
    }

    /// Puts back what [`Self::remove`] took out: byte for byte when the file is as it was left,
    /// else before the source that followed, else at the end.
    ///
    /// # Errors
    /// When the identifier has been given away meanwhile, or see [`EditError`].
    pub fn restore(&self, removed: &Removed) -> Result<(), EditError> {
        self.change(|text, _| {
            if text == removed.after {
                return Ok(removed.before.clone());
            }
            let mut new = text.to_owned();
            for piece in removed.pieces.iter().rev() {
                new = self.put_before(&new, &piece.text, piece.next.as_ref())?;
            }
            Ok(new)
        })
    }

    /// The file and the line, from 1, of a source's entry, for an editor; in a file with faults, of
    /// the first one.
    ///
    /// # Errors
    /// When the source is unknown, or see [`EditError`].
    pub fn line_of(&self, id: &SourceId) -> Result<(PathBuf, usize), EditError> {
        let text = super::document::read_text(&self.file)
            .map_err(|message| SaveError::Unreadable { file: self.file.clone(), message })?
            .unwrap_or_default();
        let sources = match check_sources(&self.file, &text) {
            Ok((sources, _)) => sources,
            Err(errors) => return Ok((self.file.clone(), errors.first_line())),
        };
        let (at, _) = &sources[self.find(&sources, id)?];
        let line = text[..at.start].bytes().filter(|b| *b == b'\n').count() + 1;
        Ok((self.file.clone(), line))
    }

    /// Reads, checks, changes, checks again, and saves.
    pub(super) fn change(
        &self,
        mut change: impl FnMut(&str, &Positioned) -> Result<String, EditError>,
    ) -> Result<(), EditError> {
        rewrite(&self.file, |text| {
            let (sources, _) = check_sources(&self.file, text).map_err(EditError::Invalid)?;
            let new = change(text, &sources)?;
            check_sources(&self.file, &new).map_err(EditError::Refused)?;
            Ok(new)
        })
    }

    pub(super) fn find(&self, sources: &Positioned, id: &SourceId) -> Result<usize, EditError> {
        sources.iter().position(|(_, s)| s.id == *id).ok_or_else(|| {
            let names = sources.iter().map(|(_, s)| s.id.as_str());
            EditError::Unknown(id.clone(), super::error::did_you_mean(id.as_str(), names))
        })
    }

    /// The places of several sources, in ascending order.
    pub(super) fn find_all(
        &self,
        sources: &Positioned,
        ids: &[SourceId],
    ) -> Result<Vec<usize>, EditError> {
        let mut found: Vec<_> =
            ids.iter().map(|id| self.find(sources, id)).collect::<Result<_, _>>()?;
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    pub(super) fn ranges(
        &self,
        text: &str,
        starts: &[usize],
    ) -> Result<Vec<Range<usize>>, EditError> {
        let odd = "sources that are not written as [[source]] can only be changed by hand";
        element_ranges(text, starts).map_err(|e| self.splice(&e))?.ok_or_else(|| self.form(odd))
    }

    /// The text with a piece put before a source, else at the end.
    pub(super) fn put_before(
        &self,
        text: &str,
        piece: &str,
        next: Option<&SourceId>,
    ) -> Result<String, EditError> {
        let (sources, _) = check_sources(&self.file, text).map_err(EditError::Refused)?;
        let piece = with_last_newline(piece.trim_matches(['\r', '\n']));
        let newline = newline(text);
        match sources.iter().find(|(_, s)| Some(&s.id) == next) {
            Some((at, _)) => {
                let start = element_start(text, at.start);
                Ok(replace(text, start..start, &format!("{piece}{newline}")))
            }
            None => {
                let text = with_last_newline(text);
                let gap = if text.is_empty() { "" } else { newline };
                Ok(format!("{text}{gap}{piece}"))
            }
        }
    }

    pub(super) fn form(&self, message: &str) -> EditError {
        EditError::Form { file: self.file.clone(), message: message.to_owned() }
    }

    pub(super) fn splice(&self, error: &SpliceError) -> EditError {
        self.form(&error.to_string())
    }
}

/// Which sources of a list are new, with identifiers of their own, and which are followed already.
pub(super) fn sort_out(list: &[Source], declared: &Positioned) -> Added {
    let mut added = Added::default();
    let mut ids: HashSet<_> = declared.iter().map(|(_, s)| s.id.0.clone()).collect();
    let mut followed: HashMap<_, _> =
        declared.iter().map(|(_, s)| (s.url.to_string(), s.id.clone())).collect();
    for source in list {
        if let Some(id) = followed.get(source.url.as_str()) {
            added.already.push((id.clone(), source.url.clone()));
            continue;
        }
        let mut source = source.clone();
        if source.id.0.is_empty() || !ids.insert(source.id.0.clone()) {
            source.id = unique_id(&source.url, &mut ids);
        }
        followed.insert(source.url.to_string(), source.id.clone());
        added.sources.push(source);
    }
    added
}

/// The text with sources at its end.
pub(super) fn appended(text: &str, sources: &[Source]) -> String {
    if sources.is_empty() {
        return text.to_owned();
    }
    let newline = newline(text);
    let mut new = with_last_newline(text);
    for source in sources {
        if !new.trim_start_matches('\u{feff}').is_empty() {
            new.push_str(newline);
        }
        new.push_str(&source_text(source, newline));
    }
    new
}
