//! Changes `sources.toml` and `config.toml` for the program, and reverts its changes.
//!
//! Every save reads the file again, changes only the affected bytes, has the loader check the new text and
//! replaces the whole file (see [`super::save`]).

use super::document::read_text;
use super::edit_error::EditError;
use super::elements::{self, cut, element_ranges, element_start};
use super::error::{ConfigErrors, did_you_mean};
use super::file_edit::{Element, FileEdit, FileKind, KeysOf, Step};
use super::load::{check_settings, check_sources};
use super::paths::Paths;
use super::save::{EditSaveError, rewrite};
use super::section::{KeyChange, Section};
use super::splice::{SpliceError, newline, set, set_each, with_last_newline};
use crate::model::SourceId;
use std::ops::Range;
use std::path::PathBuf;

/// One of the two files. Contains only the path of the file.
#[derive(Debug, Clone)]
pub(super) struct DeclaredFile {
    pub(super) kind: FileKind,
    pub(super) path: PathBuf,
}

/// The elements of a file in order: the name and the byte offset of the header.
type Elements = Vec<(String, usize)>;

/// The result of applying the steps of a change to a text.
struct Performed {
    text: String,
    done: Vec<Step>,
    undo: Vec<Step>,
}

impl FileEdit {
    /// Undoes this edit. If the file has not changed since, it is restored byte for byte, else only the parts
    /// that the edit changed are restored. Returns the edit that redoes it.
    ///
    /// # Errors
    /// [`EditError::Overtaken`] when a part changed by the edit has been changed again since; see also
    /// [`EditError`].
    pub fn revert(&self, paths: &Paths) -> Result<Self, EditError> {
        DeclaredFile::of(self.file, paths).revert(self)
    }

    /// Undoes several edits, all or none. Returns the edits that redo them.
    ///
    /// # Errors
    /// Returns the error of the first edit that cannot be undone.
    pub fn revert_all(edits: &[Self], paths: &Paths) -> Result<Vec<Self>, EditError> {
        let mut reverted: Vec<Self> = Vec::new();
        for edit in edits.iter().rev() {
            match edit.revert(paths) {
                Ok(edit) => reverted.push(edit),
                Err(error) => {
                    Self::revert_all(&reverted, paths)?;
                    return Err(error);
                }
            }
        }
        Ok(reverted)
    }
}

impl DeclaredFile {
    pub(super) fn of(kind: FileKind, paths: &Paths) -> Self {
        let path = match kind {
            FileKind::Sources => paths.sources_file(),
            FileKind::Config | FileKind::Rules | FileKind::Accounts => paths.config_file(),
        };
        Self { kind, path }
    }

    /// The text of the file; empty if the file is missing.
    pub(super) fn read(&self) -> Result<String, EditError> {
        let unreadable = |message| EditSaveError::Unreadable { file: self.path.clone(), message };
        Ok(read_text(&self.path).map_err(unreadable)?.unwrap_or_default())
    }

    fn check(&self, text: &str) -> Result<(), ConfigErrors> {
        match self.kind {
            FileKind::Sources => check_sources(&self.path, text).map(|_| ()),
            FileKind::Config | FileKind::Rules | FileKind::Accounts => {
                check_settings(&self.path, text, &[]).map(|_| ())
            }
        }
    }

    /// Changes the file by the steps that `plan` returns for its text.
    pub(super) fn change(
        &self,
        mut plan: impl FnMut(&str) -> Result<Vec<Step>, EditError>,
    ) -> Result<FileEdit, EditError> {
        self.save(|text| {
            self.check(text).map_err(EditError::Invalid)?;
            let steps = plan(text)?;
            self.edit(text, &steps)
        })
    }

    fn revert(&self, edit: &FileEdit) -> Result<FileEdit, EditError> {
        self.save(|text| {
            if text == edit.after {
                return Ok(edit.reversed());
            }
            if edit.is_by_hand() {
                return Err(EditError::Overtaken(self.kind.name().to_owned()));
            }
            self.check(text).map_err(EditError::Invalid)?;
            let steps = self.steps_left(edit, text)?;
            self.edit(text, &steps)
        })
    }

    fn save(
        &self,
        mut edit: impl FnMut(&str) -> Result<FileEdit, EditError>,
    ) -> Result<FileEdit, EditError> {
        let mut saved = None;
        rewrite(&self.path, |text| {
            let edit = edit(text)?;
            let after = edit.after.clone();
            saved = Some(edit);
            Ok::<_, EditError>(after)
        })?;
        // If `rewrite` succeeds, it has called the closure.
        saved.ok_or_else(|| EditSaveError::Busy { file: self.path.clone() }.into())
    }

    fn edit(&self, text: &str, steps: &[Step]) -> Result<FileEdit, EditError> {
        let Performed { text: after, done, undo } = self.perform(text, steps)?;
        self.check(&after).map_err(EditError::Refused)?;
        Ok(FileEdit { file: self.kind, before: text.to_owned(), after, done, undo })
    }

    fn perform(&self, text: &str, steps: &[Step]) -> Result<Performed, EditError> {
        let mut all = Performed { text: text.to_owned(), done: Vec::new(), undo: Vec::new() };
        for step in steps {
            let one = match step {
                Step::Set(each) => self.set(&all.text, each)?,
                Step::Insert(elements) => self.insert(&all.text, elements)?,
                Step::Remove(names) => self.remove(&all.text, names)?,
                Step::Move { names, before } => self.shift(&all.text, names, before.as_deref())?,
            };
            if one.text != all.text {
                all.text = one.text;
                all.done.extend(one.done);
                all.undo.splice(0..0, one.undo);
            }
        }
        Ok(all)
    }

    /// The steps that undo an edit in a text that has changed since.
    fn steps_left(&self, edit: &FileEdit, text: &str) -> Result<Vec<Step>, EditError> {
        let mut steps = Vec::new();
        for step in &edit.undo {
            match step {
                Step::Set(each) => {
                    let overtaken = self.overtaken_keys(each, text, &edit.after)?;
                    if !overtaken.is_empty() {
                        return Err(EditError::Overtaken(overtaken.join(", ")));
                    }
                    steps.push(step.clone());
                }
                Step::Remove(names) => {
                    let elements: Vec<_> = names.iter().map(|name| Some(name.as_str())).collect();
                    let now = self.sections(text, &elements)?;
                    let left = self.sections(&edit.after, &elements)?;
                    let mut there = Vec::new();
                    for ((name, now), left) in names.iter().zip(now).zip(left) {
                        match (now, left) {
                            (Some(now), Some(left)) if !now.reads_like(&left) => {
                                return Err(EditError::Overtaken(self.kind.element(name)));
                            }
                            (Some(_), _) => there.push(name.clone()),
                            // Already removed elsewhere.
                            (None, _) => {}
                        }
                    }
                    steps.push(Step::Remove(there));
                }
                Step::Insert(_) | Step::Move { .. } => steps.push(step.clone()),
            }
        }
        Ok(steps)
    }

    /// The keys that have neither the values that the edit gave them nor those that the undo would restore.
    fn overtaken_keys(
        &self,
        each: &[KeysOf],
        text: &str,
        left: &str,
    ) -> Result<Vec<String>, EditError> {
        let names: Vec<_> = each.iter().map(|keys| keys.element.as_deref()).collect();
        let (now, left) = (self.sections(text, &names)?, self.sections(left, &names)?);
        let mut overtaken = Vec::new();
        for ((keys, now), left) in each.iter().zip(now).zip(left) {
            let element = keys.element.as_deref().map(|name| self.kind.element(name));
            match now.zip(left) {
                Some((now, left)) => {
                    let changed = now.changed_since(&left, &keys.changes).into_iter();
                    overtaken.extend(changed.map(|key| match &element {
                        Some(element) => format!("{key} of {element}"),
                        None => key,
                    }));
                }
                None => overtaken.extend(element),
            }
        }
        Ok(overtaken)
    }

    fn set(&self, text: &str, each: &[KeysOf]) -> Result<Performed, EditError> {
        let (mut done, mut undo) = (Vec::new(), Vec::new());
        let mut differing = |keys: &KeysOf, section: &Section| -> Vec<KeyChange> {
            let mut changes = keys.changes.clone();
            changes.retain(|change| section.written(&change.path) != change.value.as_deref());
            let before = |change: &KeyChange| KeyChange {
                value: section.written(&change.path).map(str::to_owned),
                ..change.clone()
            };
            let back = changes.iter().map(before).collect();
            undo.push(KeysOf { element: self.name_after(keys), changes: back });
            done.push(KeysOf { element: keys.element.clone(), changes: changes.clone() });
            changes
        };
        let mut new = text.to_owned();
        let (of_file, of_elements): (Vec<_>, Vec<_>) =
            each.iter().partition(|keys| keys.element.is_none());
        for keys in of_file {
            for change in differing(keys, &Section::settings(text, &[])) {
                let path: Vec<&str> = change.path.iter().map(String::as_str).collect();
                new =
                    set(&new, None, &path, change.value.as_deref()).map_err(|e| self.splice(&e))?;
            }
        }
        if !of_elements.is_empty() {
            let elements = self.elements(&new)?;
            let mut places = Vec::new();
            for keys in of_elements {
                let name = keys.element.as_deref().unwrap_or_default();
                let index = self.find(&elements, name)?;
                if let Some(new_name) = self.name_after(keys).filter(|new| new != name) {
                    self.check_free(&elements, &new_name)?;
                }
                places.push((elements[index].1, keys));
            }
            places.sort_by_key(|(start, _)| *start);
            let starts: Vec<usize> = places.iter().map(|(start, _)| *start).collect();
            let mut changes = Vec::new();
            for ((_, keys), range) in places.iter().zip(self.ranges(&new, &starts)?) {
                let id = SourceId(keys.element.clone().unwrap_or_default());
                changes.push(differing(keys, &Section::source(id, &new[range])));
            }
            new = self.set_all(&new, starts, &changes)?;
        }
        done.retain(|keys| !keys.changes.is_empty());
        undo.retain(|keys| !keys.changes.is_empty());
        Ok(Performed { text: new, done: vec![Step::Set(done)], undo: vec![Step::Set(undo)] })
    }

    /// Sets keys of the elements whose headers start at these offsets. Works key by key, so that the text is
    /// parsed once per key instead of once per element.
    fn set_all(
        &self,
        text: &str,
        mut starts: Vec<usize>,
        changes: &[Vec<KeyChange>],
    ) -> Result<String, EditError> {
        let mut paths: Vec<&[String]> = Vec::new();
        for change in changes.iter().flatten() {
            if !paths.contains(&change.path.as_slice()) {
                paths.push(&change.path);
            }
        }
        let mut text = text.to_owned();
        for path in paths {
            let value = |changes: &Vec<KeyChange>| {
                let change = changes.iter().rev().find(|change| change.path == path)?;
                Some(change.value.clone())
            };
            let values: Vec<Option<Option<String>>> = changes.iter().map(value).collect();
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            text = set_each(&text, &mut starts, &path, &values).map_err(|e| self.splice(&e))?;
        }
        Ok(text)
    }

    fn insert(&self, text: &str, inserted: &[Element]) -> Result<Performed, EditError> {
        let newline = newline(text);
        let mut new = text.to_owned();
        for element in inserted {
            let piece = with_last_newline(element.text.trim_matches(['\r', '\n']));
            let elements = match (&element.before, self.kind) {
                (None, FileKind::Sources) => Elements::new(),
                _ => self.elements(&new)?,
            };
            // The loader reports duplicate names of sources, but not of views.
            self.check_free(&elements, &element.name)?;
            let next = elements.iter().find(|(name, _)| Some(name) == element.before.as_ref());
            match next {
                Some((_, header)) => {
                    let start = element_start(&new, *header);
                    new.insert_str(start, &format!("{piece}{newline}"));
                }
                None => {
                    if !new.trim_start_matches('\u{feff}').is_empty() {
                        let gap = if new.ends_with('\n') { "" } else { newline };
                        new.push_str(gap);
                        new.push_str(newline);
                    }
                    new.push_str(&piece);
                }
            }
        }
        let names = inserted.iter().map(|element| element.name.clone()).collect();
        let done = vec![Step::Insert(inserted.to_vec())];
        Ok(Performed { text: new, done, undo: vec![Step::Remove(names)] })
    }

    fn remove(&self, text: &str, names: &[String]) -> Result<Performed, EditError> {
        let elements = self.elements(text)?;
        let found = self.find_all(&elements, names)?;
        let starts: Vec<usize> = found.iter().map(|i| elements[*i].1).collect();
        let ranges = self.ranges(text, &starts)?;
        let element = |(index, range): (&usize, &Range<usize>)| Element {
            name: elements[*index].0.clone(),
            text: text[range.clone()].to_owned(),
            before: elements.get(index + 1).map(|(name, _)| name.clone()),
        };
        // From last to first, so that each element's successor is already there when the element is put back.
        let removed = found.iter().zip(&ranges).rev().map(element).collect();
        let done = vec![Step::Remove(names.to_vec())];
        Ok(Performed { text: cut(text, &ranges), done, undo: vec![Step::Insert(removed)] })
    }

    fn shift(
        &self,
        text: &str,
        names: &[String],
        before: Option<&str>,
    ) -> Result<Performed, EditError> {
        let elements = self.elements(text)?;
        let found = self.find_all(&elements, names)?;
        let next = before.and_then(|before| elements.iter().position(|(name, _)| name == before));
        // If `before` is one of the moved elements, use the next element that stays in place.
        let mut next = next.unwrap_or(elements.len());
        while found.contains(&next) {
            next += 1;
        }
        let starts: Vec<usize> = elements.iter().map(|(_, start)| *start).collect();
        let ranges = self.ranges(text, &starts)?;
        let at = match ranges.get(next) {
            Some(range) => range.start,
            None => ranges.last().map_or(text.len(), |last| last.end),
        };
        let taken: Vec<Range<usize>> = found.iter().map(|i| ranges[*i].clone()).collect();
        let name = |i: usize| elements.get(i).map(|(name, _)| name.clone());
        let back =
            |i: &usize| Step::Move { names: name(*i).into_iter().collect(), before: name(i + 1) };
        let undo = found.iter().rev().map(back).collect();
        let done = vec![Step::Move { names: names.to_vec(), before: before.map(str::to_owned) }];
        Ok(Performed { text: elements::shift(text, &taken, at), done, undo })
    }

    fn elements(&self, text: &str) -> Result<Elements, EditError> {
        match self.kind {
            FileKind::Sources => {
                let (sources, _) = check_sources(&self.path, text).map_err(EditError::Refused)?;
                Ok(sources.into_iter().map(|(at, source)| (source.id.0, at.start)).collect())
            }
            kind => {
                elements::named(text, kind.array(), kind.name_key()).map_err(|e| self.splice(&e))
            }
        }
    }

    /// The sections of elements, or of the whole file for `None`. The result is `None` for an element that
    /// does not exist.
    pub(super) fn sections(
        &self,
        text: &str,
        names: &[Option<&str>],
    ) -> Result<Vec<Option<Section>>, EditError> {
        let is_element = names.iter().any(Option::is_some);
        let elements = if is_element { self.elements(text)? } else { Elements::new() };
        let start = |name: &str| elements.iter().find(|(n, _)| n == name).map(|(_, start)| *start);
        let starts: Vec<usize> = names.iter().filter_map(|name| start((*name)?)).collect();
        let mut ranges = self.ranges(text, &starts)?.into_iter();
        let mut section = |name: &Option<&str>| match name {
            None => Some(Section::settings(text, &[])),
            Some(name) => {
                start(name)?;
                Some(Section::source(SourceId((*name).to_owned()), &text[ranges.next()?]))
            }
        };
        Ok(names.iter().map(&mut section).collect())
    }

    /// The name of an element after these keys are set.
    fn name_after(&self, keys: &KeysOf) -> Option<String> {
        let path = [self.kind.name_key()];
        let name = keys.changes.iter().find(|change| change.path == path);
        name.and_then(KeyChange::text).filter(|_| keys.element.is_some()).or(keys.element.clone())
    }

    fn find(&self, elements: &Elements, name: &str) -> Result<usize, EditError> {
        let found = elements.iter().position(|(other, _)| other == name);
        found.ok_or_else(|| self.unknown(name, elements.iter().map(|(name, _)| name.as_str())))
    }

    pub(super) fn unknown<'a>(
        &self,
        name: &str,
        names: impl Iterator<Item = &'a str>,
    ) -> EditError {
        EditError::Unknown(self.kind.element(name), did_you_mean(name, names))
    }

    /// The indexes of several elements, in ascending order.
    fn find_all(&self, elements: &Elements, names: &[String]) -> Result<Vec<usize>, EditError> {
        let found: Result<Vec<_>, _> = names.iter().map(|name| self.find(elements, name)).collect();
        let mut found = found?;
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    fn check_free(&self, elements: &Elements, name: &str) -> Result<(), EditError> {
        match elements.iter().any(|(other, _)| other == name) {
            true => Err(self.form(&format!("there is already a {}", self.kind.element(name)))),
            false => Ok(()),
        }
    }

    fn ranges(&self, text: &str, starts: &[usize]) -> Result<Vec<Range<usize>>, EditError> {
        let array = self.kind.array();
        let inline = format!(
            "{array}s that are not written as [[{array}]] can only be changed in an editor"
        );
        let ranges = element_ranges(text, starts).map_err(|e| self.splice(&e))?;
        ranges.ok_or_else(|| self.form(&inline))
    }

    pub(super) fn form(&self, message: &str) -> EditError {
        EditError::Form { file: self.path.clone(), message: message.to_owned() }
    }

    fn splice(&self, error: &SpliceError) -> EditError {
        self.form(&error.to_string())
    }
}
