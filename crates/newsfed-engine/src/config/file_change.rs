//! Every change to `sources.toml` and `config.toml` that the interface makes, as data.

use super::config_file::{ConfigFile, ViewChange};
use super::edit_error::EditError;
use super::file_edit::FileEdit;
use super::item_rules::{RuleChange, edit_rules};
use super::paths::Paths;
use super::section::{KeyChange, Section};
use super::settings::ViewSettings;
use super::source_change::SourceChange;
use super::sources_file::SourcesFile;
use crate::model::{CollectedChange, Source, SourceId};

/// A change to the files that the user requests.
#[derive(Debug, Clone)]
pub enum FileChange {
    /// Adds the new sources and views of a list.
    Import {
        sources: Vec<Source>,
        views: Vec<ViewSettings>,
    },
    Remove(Vec<SourceId>),
    Sources(Vec<(SourceId, SourceChange)>),
    /// Changes settings of account sources; each source is given in its current state.
    Overrides(Vec<(Source, Vec<KeyChange>)>),
    /// Moves entries before a given one, or to the end.
    Reorder {
        ids: Vec<SourceId>,
        next: Option<SourceId>,
    },
    /// Changes keys of a source's entry or of the settings, relative to what the form read.
    Section {
        base: Section,
        changes: Vec<KeyChange>,
    },
    /// Changes sources of accounts. These changes are not made in a file, but by the engine.
    Collected(Vec<(SourceId, CollectedChange)>),
    Settings(Vec<KeyChange>),
    Views(Vec<ViewChange>),
    Rules(Vec<RuleChange>),
    /// Undoes edits, all or none.
    Revert(Vec<FileEdit>),
}

/// The result of a change.
#[derive(Debug, Default)]
pub struct Applied {
    /// One edit per file.
    pub edits: Vec<FileEdit>,
    /// Why the views of an import were not saved even though its sources were added.
    pub problem: Option<EditError>,
}

impl FileChange {
    /// The settings that are changed, if any.
    pub fn settings(&self) -> &[KeyChange] {
        match self {
            Self::Settings(changes) => changes,
            Self::Section { base, changes } if base.source_id().is_none() => changes,
            _ => &[],
        }
    }

    /// Makes the change.
    ///
    /// # Errors
    /// When nothing was changed; see [`EditError`].
    pub fn apply(self, paths: &Paths) -> Result<Applied, EditError> {
        let (sources, config) = (SourcesFile::open(paths), ConfigFile::open(paths));
        let edit = match self {
            Self::Collected(_) => return Ok(Applied::default()),
            Self::Import { sources: list, views } => {
                let (_, edit) = sources.import_and_complete(&list)?;
                let mut applied = Applied { edits: vec![edit], problem: None };
                if !views.is_empty() {
                    match config.add_views(&views) {
                        Ok(edit) => applied.edits.push(edit),
                        Err(error) => applied.problem = Some(error),
                    }
                }
                applied.edits.retain(|edit| !edit.is_empty());
                return Ok(applied);
            }
            Self::Revert(edits) => {
                let edits = FileEdit::revert_all(&edits, paths)?;
                return Ok(Applied { edits, problem: None });
            }
            Self::Remove(ids) => sources.remove(&ids)?,
            Self::Sources(each) => sources.update_each(&each)?,
            Self::Overrides(each) => sources.override_each(&each)?,
            Self::Reorder { ids, next } => sources.reorder(&ids, next.as_ref())?,
            Self::Section { base, changes } if base.source_id().is_some() => {
                sources.edit_entry(&base, &changes)?
            }
            Self::Section { base, changes } => config.edit(Some(&base), &changes)?,
            Self::Settings(changes) => config.edit(None, &changes)?,
            Self::Views(changes) => config.edit_views(&changes)?,
            Self::Rules(changes) => edit_rules(paths, &changes)?,
        };
        Ok(Applied { edits: vec![edit], problem: None })
    }
}
