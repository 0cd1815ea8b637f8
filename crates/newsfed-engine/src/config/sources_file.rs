//! Changes to `sources.toml` made by the program.

use super::declared_file::DeclaredFile;
use super::edit_error::EditError;
use super::error::At;
use super::file_edit::{Element, FileEdit, FileKind, KeysOf, Step};
use super::ids::unique_id;
use super::list_edit::without_lists;
use super::load::{Positioned, check_sources};
use super::paths::Paths;
use super::render::source_text;
use super::section::{KeyChange, Section};
use super::source_change::{SourceChange, identifier};
use super::splice::newline;
use crate::model::{Source, SourceId};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use url::Url;

/// Changes `sources.toml`. Contains only the path of the file.
#[derive(Debug, Clone)]
pub struct SourcesFile(pub(super) DeclaredFile);

/// The result of adding a list of sources.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Added {
    /// The added sources, with their final identifiers.
    pub sources: Vec<Source>,
    /// For each URL that was already followed, the source with that URL.
    pub already: Vec<(SourceId, Url)>,
    /// Tags and folders that the list has, but that are missing from sources already followed.
    pub completions: Vec<Completion>,
}

/// Tags and folder in a list for a source that is already followed.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    pub id: SourceId,
    /// Tags that the source does not have.
    pub tags: Vec<String>,
    /// The folder in the list, if the source has none yet.
    pub folder: Option<String>,
    /// The folder in the list, and the different folder that the source stays in.
    pub other_folder: Option<(String, String)>,
}

impl Completion {
    fn of(listed: &Source, declared: &Source) -> Option<Self> {
        let is_new = |tag: &&String| !declared.tags.contains(tag);
        let tags: Vec<String> = listed.tags.iter().filter(is_new).cloned().collect();
        let (folder, other_folder) = match (&listed.folder, &declared.folder) {
            (Some(folder), None) => (Some(folder.clone()), None),
            (Some(theirs), Some(ours)) if theirs != ours => {
                (None, Some((theirs.clone(), ours.clone())))
            }
            _ => (None, None),
        };
        let differs = !tags.is_empty() || folder.is_some() || other_folder.is_some();
        differs.then(|| Self { id: declared.id.clone(), tags, folder, other_folder })
    }

    /// Whether anything is added to the source.
    pub fn adds(&self) -> bool {
        !self.tags.is_empty() || self.folder.is_some()
    }

    /// What is added to the source, such as `tags a, b and folder Tech`; empty if nothing.
    pub fn describe(&self) -> String {
        let tags = self.tags.join(", ");
        let tags = match self.tags.len() {
            0 => None,
            1 => Some(format!("tag {tags}")),
            _ => Some(format!("tags {tags}")),
        };
        let folder = self.folder.as_ref().map(|folder| format!("folder {folder}"));
        tags.into_iter().chain(folder).collect::<Vec<_>>().join(" and ")
    }

    fn keys(&self, declared: &Source) -> KeysOf {
        let mut change = SourceChange::default().add_tags(self.tags.iter().cloned());
        if let Some(folder) = &self.folder {
            change = change.set("folder", folder);
        }
        KeysOf { element: Some(self.id.0.clone()), changes: change.keys(declared) }
    }
}

impl SourcesFile {
    /// The `sources.toml` of these paths, which need not exist.
    pub fn open(paths: &Paths) -> Self {
        Self(DeclaredFile::of(FileKind::Sources, paths))
    }

    /// The text of the file; empty if the file is missing.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn text(&self) -> Result<String, EditError> {
        self.0.read()
    }

    /// Adds sources at the end, all or none.
    ///
    /// # Errors
    /// When an identifier is taken; see also [`EditError`].
    pub fn add(&self, sources: &[Source]) -> Result<FileEdit, EditError> {
        self.0.change(|text| Ok(vec![insertion(sources, text)]))
    }

    /// Adds the sources of a list whose URLs are not followed yet, all or none. Identifiers that are empty or
    /// taken are replaced.
    ///
    /// # Errors
    /// See [`EditError`].
    pub fn import(&self, list: &[Source]) -> Result<(Added, FileEdit), EditError> {
        let mut added = Added::default();
        let edit = self.0.change(|text| {
            added = sort_out(list, &self.sources(text)?);
            Ok(vec![insertion(&added.sources, text)])
        })?;
        Ok((added, edit))
    }

    /// Like [`Self::import`], but also adds missing tags and folders to sources that are already followed.
    ///
    /// # Errors
    /// See [`EditError`].
    pub fn import_and_complete(&self, list: &[Source]) -> Result<(Added, FileEdit), EditError> {
        let mut added = Added::default();
        let edit = self.0.change(|text| {
            let declared = self.sources(text)?;
            added = sort_out(list, &declared);
            let by_id: HashMap<_, _> = declared.iter().map(|(_, s)| (&s.id, s)).collect();
            let completions = added.completions.iter().filter(|completion| completion.adds());
            let keys = completions.filter_map(|c| Some(c.keys(by_id.get(&c.id)?))).collect();
            Ok(vec![Step::Set(keys), insertion(&added.sources, text)])
        })?;
        Ok((added, edit))
    }

    /// The sources of the file.
    ///
    /// # Errors
    /// When it cannot be read or has errors.
    pub fn declared(&self) -> Result<Vec<Source>, EditError> {
        Ok(self.sources(&self.text()?)?.into_iter().map(|(_, source)| source).collect())
    }

    /// Previews [`Self::import_and_complete`] for a list.
    ///
    /// # Errors
    /// When the file cannot be read or has errors.
    pub fn preview(&self, list: &[Source]) -> Result<Added, EditError> {
        Ok(sort_out(list, &self.sources(&self.text()?)?))
    }

    /// Removes sources, all or none, with the comments directly above them. The sources of a removed list
    /// become the user's own.
    ///
    /// # Errors
    /// When one is unknown; see also [`EditError`].
    pub fn remove(&self, ids: &[SourceId]) -> Result<FileEdit, EditError> {
        self.0.change(|text| {
            let freed = without_lists(ids, &self.sources(text)?);
            Ok(vec![Step::Set(freed), Step::Remove(names(ids))])
        })
    }

    /// Changes keys of account sources, given in their current state. Sources without an entry get one.
    ///
    /// # Errors
    /// When a value is rejected; see also [`EditError`].
    pub fn override_each(&self, each: &[(Source, Vec<KeyChange>)]) -> Result<FileEdit, EditError> {
        self.0.change(|text| {
            let (known, mut ids) = (self.sources(text)?, HashSet::new());
            ids.extend(known.iter().map(|(_, source)| source.id.0.clone()));
            let (mut set, mut new) = (Vec::new(), Vec::new());
            for (source, changes) in each {
                let of =
                    |(_, s): &&(At, Source)| s.account == source.account && s.url == source.url;
                let by_id = |(_, s): &&(At, Source)| s.account.is_some() && s.id == source.id;
                if let Some((_, known)) = known.iter().find(of).or(known.iter().find(by_id)) {
                    let changes = changes.clone();
                    set.push(KeysOf { element: Some(known.id.0.clone()), changes });
                    continue;
                }
                let (title, folder) = (None, None);
                let mut entry = Source { title, folder, ..source.clone() };
                if !ids.insert(entry.id.0.clone()) {
                    entry.id = unique_id(&entry.url, &mut ids);
                }
                let entry = Section::draft(&entry).source_with(changes);
                new.push(entry.map_err(EditError::Invalid)?);
            }
            Ok(vec![Step::Set(set), insertion(&new, text)])
        })
    }

    /// Replaces the entries of sources that an account's server will poll with the settings that still apply.
    ///
    /// # Errors
    /// When one is unknown; see also [`EditError`].
    pub fn hand_over(&self, ids: &[SourceId], overrides: &[Source]) -> Result<FileEdit, EditError> {
        self.0.change(|text| Ok(vec![Step::Remove(names(ids)), insertion(overrides, text)]))
    }

    /// Inserts removed entries again, at the end; their text is that of [`Section::text`]. They replace the
    /// entries of account sources with the same identifiers. An entry is skipped if another source of the
    /// file has its identifier.
    ///
    /// # Errors
    /// See [`EditError`].
    pub fn restore(&self, entries: &[(SourceId, String)]) -> Result<FileEdit, EditError> {
        self.0.change(|text| {
            let (others, known): (Vec<_>, Vec<_>) =
                self.sources(text)?.into_iter().partition(|(_, s)| s.account.is_some());
            let missing = |(id, _): &&(SourceId, String)| known.iter().all(|(_, s)| s.id != *id);
            let replaced = others.iter().map(|(_, source)| source.id.clone());
            let replaced: Vec<SourceId> =
                replaced.filter(|id| entries.iter().any(|(restored, _)| restored == id)).collect();
            let element = |(id, entry): &(SourceId, String)| Element {
                name: id.0.clone(),
                text: format!("{}{}", entry.trim_end(), newline(text)),
                before: None,
            };
            let inserted = Step::Insert(entries.iter().filter(missing).map(element).collect());
            Ok(vec![Step::Remove(names(&replaced)), inserted])
        })
    }

    /// Moves entries with their comments, in file order, directly before a given entry, or to the end.
    ///
    /// # Errors
    /// When one is unknown; see also [`EditError`].
    pub fn reorder(
        &self,
        ids: &[SourceId],
        next: Option<&SourceId>,
    ) -> Result<FileEdit, EditError> {
        let before = next.map(|id| id.0.clone());
        self.0.change(|_| Ok(vec![Step::Move { names: names(ids), before: before.clone() }]))
    }

    /// Makes the same change to several sources, all or none.
    ///
    /// # Errors
    /// See [`Self::update_each`].
    pub fn update(&self, ids: &[SourceId], change: &SourceChange) -> Result<FileEdit, EditError> {
        let each: Vec<_> = ids.iter().map(|id| (id.clone(), change.clone())).collect();
        self.update_each(&each)
    }

    /// Makes a separate change to each of several sources, all or none.
    ///
    /// # Errors
    /// When one is unknown or a value is rejected; see also [`EditError`].
    pub fn update_each(&self, each: &[(SourceId, SourceChange)]) -> Result<FileEdit, EditError> {
        self.0.change(|text| {
            let sources = self.sources(text)?;
            let mut all: Vec<KeysOf> = Vec::new();
            for (id, change) in each {
                let source = &sources[self.find(&sources, id)?].1;
                let element = Some(id.0.clone());
                // If a source is changed more than once, the last change applies.
                all.retain(|keys| keys.element != element);
                all.push(KeysOf { element, changes: change.keys(source) });
            }
            Ok(vec![Step::Set(all)])
        })
    }

    /// The entry of a source.
    ///
    /// # Errors
    /// When the source is unknown; see also [`EditError`].
    pub fn entry(&self, id: &SourceId) -> Result<Section, EditError> {
        let text = self.text()?;
        self.entry_in(&text, id)
    }

    fn entry_in(&self, text: &str, id: &SourceId) -> Result<Section, EditError> {
        let sources = self.sources(text)?;
        self.find(&sources, id)?;
        let entry = self.0.sections(text, &[Some(id.as_str())])?.pop().flatten();
        entry.ok_or_else(|| self.0.form("the entry cannot be read"))
    }

    /// Changes keys of an entry, all or none. Other changes made to the file since the entry was read are
    /// kept.
    ///
    /// # Errors
    /// [`EditError::Conflict`] when one of these keys has been changed since `base` was read. Another error
    /// when the source is unknown or a value is rejected; see [`EditError`].
    pub fn edit_entry(&self, base: &Section, changes: &[KeyChange]) -> Result<FileEdit, EditError> {
        let id = base.source_id().cloned().unwrap_or(SourceId(String::new()));
        self.0.change(|text| {
            let now = self.entry_in(text, &id)?;
            let keys = now.changed_since(base, changes);
            if !keys.is_empty() {
                return Err(EditError::Conflict { keys, now: Box::new(now) });
            }
            let mut changes = changes.to_vec();
            // An identifier derived from the URL must not change with the URL, so it is written to the file.
            if changes.iter().any(|c| c.path == ["url"]) && now.node(&["id".to_owned()]).is_none() {
                changes.insert(0, identifier(&id));
            }
            Ok(vec![Step::Set(vec![KeysOf { element: Some(id.0.clone()), changes }])])
        })
    }

    /// The file and the 1-based line of a source's entry, for an editor. In a file with errors, the line of
    /// the first error.
    ///
    /// # Errors
    /// When the source is unknown; see also [`EditError`].
    pub fn line_of(&self, id: &SourceId) -> Result<(PathBuf, usize), EditError> {
        let (text, file) = (self.text()?, self.0.path.clone());
        let sources = match check_sources(&file, &text) {
            Ok((sources, _)) => sources,
            Err(errors) => return Ok((file, errors.first_line())),
        };
        let (at, _) = &sources[self.find(&sources, id)?];
        let line = text[..at.start].bytes().filter(|b| *b == b'\n').count() + 1;
        Ok((file, line))
    }

    pub(super) fn sources(&self, text: &str) -> Result<Positioned, EditError> {
        Ok(check_sources(&self.0.path, text).map_err(EditError::Invalid)?.0)
    }

    fn find(&self, sources: &Positioned, id: &SourceId) -> Result<usize, EditError> {
        let found = sources.iter().position(|(_, source)| source.id == *id);
        found.ok_or_else(|| self.0.unknown(id.as_str(), sources.iter().map(|(_, s)| s.id.as_str())))
    }
}

pub(super) fn names(ids: &[SourceId]) -> Vec<String> {
    ids.iter().map(|id| id.0.clone()).collect()
}

/// The step that inserts sources at the end of a text.
pub(super) fn insertion(sources: &[Source], text: &str) -> Step {
    let element = |source: &Source| Element {
        name: source.id.0.clone(),
        text: source_text(source, newline(text)),
        before: None,
    };
    Step::Insert(sources.iter().map(element).collect())
}

/// Separates the sources of a list into new ones, which get unique identifiers, and those already followed.
fn sort_out(list: &[Source], declared: &Positioned) -> Added {
    let mut added = Added::default();
    let mut ids: HashSet<_> = declared.iter().map(|(_, s)| s.id.0.clone()).collect();
    // A URL that an account follows can also be followed directly.
    let own = || declared.iter().map(|(_, source)| source).filter(|s| s.account.is_none());
    let known: HashMap<_, _> = own().map(|s| (s.url.as_str(), s)).collect();
    let mut followed: HashMap<_, _> = own().map(|s| (s.url.to_string(), s.id.clone())).collect();
    for source in list {
        if let Some(id) = followed.get(source.url.as_str()) {
            added.already.push((id.clone(), source.url.clone()));
            let declared = known.get(source.url.as_str());
            added.completions.extend(declared.and_then(|d| Completion::of(source, d)));
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
