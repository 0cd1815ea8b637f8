//! What a change of `sources.toml` did, to take it back.

use super::edit::{Added, appended, sort_out};
use super::edit::{EditError, SourcesFile};
use super::elements::{cut, shift};
use super::entry::{Entry, EntryChange};
use super::load::{Positioned, check_sources};
use super::render::source_text;
use super::section::apply;
use super::splice::newline;
use crate::model::{Source, SourceId};
use std::fmt;

/// One save of the file: which entries it changed, and how they were before.
#[derive(Clone)]
pub struct Edited {
    /// The whole file before and after, for putting everything back exactly.
    before: String,
    after: String,
    parts: Vec<Part>,
}

/// What became of one entry.
#[derive(Clone)]
pub(super) enum Part {
    Keys {
        id: SourceId,
        /// The values that were there before.
        back: Vec<EntryChange>,
        /// The values that are there now.
        there: Vec<EntryChange>,
    },
    /// It stood before one source and stands before another now; `None` is the end.
    Moved { id: SourceId, was: Option<SourceId>, is: Option<SourceId> },
    /// All of it was added, or is no longer there.
    Whole { id: SourceId, text: String, there: bool },
}

impl fmt::Debug for Edited {
    /// Names only: the values may be passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Edited({})", self.what())
    }
}

impl Part {
    /// What is to become of keys of an entry; those that are as wanted are left out.
    pub(super) fn keys(entry: &Entry, mut there: Vec<EntryChange>) -> Self {
        there.retain(|change| entry.written(&change.path) != change.value.as_deref());
        let before = |change: &EntryChange| EntryChange {
            value: entry.written(&change.path).map(str::to_owned),
            ..change.clone()
        };
        let back = there.iter().map(before).collect();
        Self::Keys { id: entry.id().clone(), back, there }
    }

    fn id(&self) -> &SourceId {
        match self {
            Self::Keys { id, .. } | Self::Moved { id, .. } | Self::Whole { id, .. } => id,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Keys { there, .. } if there.is_empty())
    }

    /// What is to be written to a key: the new value, else the one that it has.
    pub(super) fn value(&self, key: &str) -> Option<&EntryChange> {
        match self {
            Self::Keys { there, .. } => there.iter().find(|change| change.path == [key]),
            Self::Moved { .. } | Self::Whole { .. } => None,
        }
    }

    fn turned(&self) -> Self {
        match self.clone() {
            Self::Keys { id, back, there } => Self::Keys { id, back: there, there: back },
            Self::Moved { id, was, is } => Self::Moved { id, was: is, is: was },
            Self::Whole { id, text, there } => Self::Whole { id, text, there: !there },
        }
    }
}

impl Edited {
    /// Whether nothing was changed.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// In words: which keys of which sources.
    pub fn what(&self) -> String {
        let mut keys: Vec<String> = Vec::new();
        for part in &self.parts {
            let names = match part {
                Part::Keys { there, .. } => there.iter().map(|c| c.path.join(".")).collect(),
                Part::Moved { .. } => vec!["place".to_owned()],
                Part::Whole { there: true, .. } => vec!["following".to_owned()],
                Part::Whole { there: false, .. } => vec!["following no more".to_owned()],
            };
            keys.extend(names);
        }
        let mut seen = std::collections::HashSet::new();
        keys.retain(|key| seen.insert(key.clone()));
        let whose = match self.parts.as_slice() {
            [one] => one.id().to_string(),
            many => format!("{} sources", many.len()),
        };
        format!("{} of {whose}", keys.join(", "))
    }
}

impl SourcesFile {
    /// Changes the file and tells what to do to take that back.
    pub(super) fn edit(
        &self,
        mut change: impl FnMut(&str, &Positioned) -> Result<(String, Vec<Part>), EditError>,
    ) -> Result<Edited, EditError> {
        let mut edited = None;
        self.change(|text, sources| {
            let (after, parts) = change(text, sources)?;
            edited = Some(Edited { before: text.to_owned(), after: after.clone(), parts });
            Ok(after)
        })?;
        // `change` calls the closure before it succeeds.
        edited.ok_or_else(|| self.form("the file could not be changed"))
    }

    /// Takes an edit back: byte for byte when the file is as it was left, else what it changed
    /// alone. Returns what takes this back in turn.
    ///
    /// # Errors
    /// [`EditError::Overtaken`] when what it changed has been changed again since; when a source is
    /// unknown, or see [`EditError`].
    pub fn revert(&self, edited: &Edited) -> Result<Edited, EditError> {
        self.edit(|text, sources| {
            let parts = edited.parts.iter().rev().map(Part::turned).collect();
            if text == edited.after {
                return Ok((edited.before.clone(), parts));
            }
            for part in &edited.parts {
                self.check_left(part, edited, text, sources)?;
            }
            let mut new = text.to_owned();
            for part in edited.parts.iter().rev() {
                let (sources, _) = check_sources(&self.file, &new).map_err(EditError::Refused)?;
                new = match part {
                    Part::Keys { id, back, .. } => {
                        let start = sources[self.find(&sources, id)?].0.start;
                        apply(&new, Some(start), back).map_err(|e| self.splice(&e))?
                    }
                    Part::Whole { id, there: true, .. } => {
                        let start = sources[self.find(&sources, id)?].0.start;
                        cut(&new, &self.ranges(&new, &[start])?)
                    }
                    Part::Whole { text, .. } => self.put_before(&new, text, None)?,
                    Part::Moved { id, was, .. } => {
                        let next =
                            was.as_ref().filter(|was| sources.iter().any(|s| s.1.id == **was));
                        self.moved(&new, &sources, &[self.find(&sources, id)?], next)?
                    }
                };
            }
            Ok((new, parts))
        })
    }

    /// Refuses to take back a part whose values are neither those that the edit left nor those that
    /// they are to become again.
    fn check_left(
        &self,
        part: &Part,
        edited: &Edited,
        text: &str,
        sources: &Positioned,
    ) -> Result<(), EditError> {
        let id = part.id();
        let left = || {
            let (sources, _) =
                check_sources(&self.file, &edited.after).map_err(EditError::Refused)?;
            Ok::<_, EditError>(self.entry_in(&edited.after, &sources, id)?.1)
        };
        let what = match part {
            Part::Keys { back, .. } => {
                let now = self.entry_in(text, sources, id)?.1;
                now.changed_since(&left()?, back).join(", ")
            }
            Part::Whole { there: true, .. } => {
                let same = self.entry_in(text, sources, id)?.1.reads_as(&left()?);
                if same { String::new() } else { "the entry".to_owned() }
            }
            Part::Whole { .. } | Part::Moved { .. } => String::new(),
        };
        if what.is_empty() { Ok(()) } else { Err(EditError::Overtaken(format!("{what} of {id}"))) }
    }

    /// Adds those sources of a list whose addresses are not followed yet, as
    /// [`Self::import`] does, and tells what takes that back.
    ///
    /// # Errors
    /// See [`EditError`].
    pub fn follow(&self, list: &[Source]) -> Result<(Added, Edited), EditError> {
        let mut added = Added::default();
        let edited = self.edit(|text, sources| {
            added = sort_out(list, sources);
            let part = |source: &Source| Part::Whole {
                id: source.id.clone(),
                text: source_text(source, newline(text)),
                there: true,
            };
            let parts = added.sources.iter().map(part).collect();
            Ok((appended(text, &added.sources), parts))
        })?;
        Ok((added, edited))
    }

    /// Puts entries, in the order of the file, right before another one, or at the end; their
    /// comments go with them.
    ///
    /// # Errors
    /// When one is unknown, or see [`EditError`].
    pub fn place(&self, ids: &[SourceId], next: Option<&SourceId>) -> Result<Edited, EditError> {
        self.edit(|text, sources| {
            let found = self.find_all(sources, ids)?;
            let after = self.moved(text, sources, &found, next)?;
            let follower = |index: usize| sources.get(index + 1).map(|(_, s)| s.id.clone());
            let moved: Vec<&SourceId> = found.iter().map(|i| &sources[*i].1.id).collect();
            let part = |(n, index): (usize, &usize)| Part::Moved {
                id: moved[n].clone(),
                was: follower(*index),
                is: moved.get(n + 1).copied().or(next).cloned(),
            };
            let parts = found.iter().enumerate().map(part).collect();
            Ok((after.clone(), if after == text { Vec::new() } else { parts }))
        })
    }

    /// The text with some entries (places in the list, ascending) right before another one.
    fn moved(
        &self,
        text: &str,
        sources: &Positioned,
        found: &[usize],
        next: Option<&SourceId>,
    ) -> Result<String, EditError> {
        // Before one of themselves is before what follows them.
        let mut before = match next {
            Some(next) => self.find(sources, next)?,
            None => sources.len(),
        };
        while found.contains(&before) {
            before += 1;
        }
        let starts: Vec<_> = sources.iter().map(|(at, _)| at.start).collect();
        let ranges = self.ranges(text, &starts)?;
        let taken: Vec<_> = found.iter().map(|i| ranges[*i].clone()).collect();
        let at = match ranges.get(before) {
            Some(range) => range.start,
            None => ranges.last().map_or(text.len(), |last| last.end),
        };
        Ok(shift(text, &taken, at))
    }
}
