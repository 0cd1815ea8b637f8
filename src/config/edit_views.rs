//! Changes of the saved queries in `config.toml`.

use super::edit::EditError;
use super::edit_config::ConfigFile;
use super::elements::{cut, element_named, element_ranges};
use super::load::check_settings;
use super::save::{SaveError, rewrite};
use super::settings::ViewSettings;
use super::splice::{SpliceError, newline, set, with_last_newline};
use std::collections::HashSet;
use toml_edit::Value;

/// What a saved query was, and what it is to be; `None`: it is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewChange {
    /// Before.
    pub was: Option<ViewSettings>,
    /// After.
    pub now: Option<ViewSettings>,
}

/// One save of saved queries, to take it back.
#[derive(Debug, Clone)]
pub struct ViewsEdited {
    before: String,
    after: String,
    changes: Vec<ViewChange>,
    /// All of them, as they are now.
    pub views: Vec<ViewSettings>,
}

impl ViewsEdited {
    /// Those that were not there before.
    pub fn added(&self) -> impl Iterator<Item = &ViewSettings> {
        self.changes.iter().filter(|c| c.was.is_none()).filter_map(|c| c.now.as_ref())
    }

    /// Refuses to take back what is neither as the save left it nor as it is to become again.
    fn check_left(&self, present: &[ViewSettings]) -> Result<(), EditError> {
        let overtaken = |change: &&ViewChange| {
            let Some(now) = &change.now else { return false };
            let named = |views: &[ViewSettings]| views.iter().find(|v| v.name == now.name).cloned();
            let present = named(present);
            present != named(&self.views) && present != change.was
        };
        match self.changes.iter().find(overtaken).and_then(|change| change.now.as_ref()) {
            Some(view) => Err(EditError::Overtaken(format!("view {}", view.name))),
            None => Ok(()),
        }
    }

    /// In words.
    pub fn what(&self) -> String {
        let name = |view: &Option<ViewSettings>| view.as_ref().map(|v| v.name.clone());
        let one = |change: &ViewChange| match (name(&change.was), name(&change.now)) {
            (None, Some(now)) => format!("view {now}"),
            (Some(was), None) => format!("view {was} deleted"),
            (Some(was), Some(now)) if was != now => format!("view {was} renamed to {now}"),
            (Some(was), _) => format!("query of view {was}"),
            (None, None) => String::new(),
        };
        match self.changes.as_slice() {
            [change] => one(change),
            many => format!("{} views", many.len()),
        }
    }
}

impl ConfigFile {
    /// Saves, renames, changes and deletes saved queries, all or none.
    ///
    /// # Errors
    /// When a new name is taken, or see [`EditError`].
    pub fn edit_views(&self, changes: &[ViewChange]) -> Result<ViewsEdited, EditError> {
        self.save_views(changes, |text| {
            changes.iter().try_fold(text.to_owned(), |text, change| self.changed(&text, change))
        })
    }

    /// What [`Self::add_views`] would do with a list: those that it would save, and those whose
    /// names are taken.
    ///
    /// # Errors
    /// When the file cannot be read or has faults.
    pub fn preview_views(
        &self,
        views: &[ViewSettings],
    ) -> Result<(Vec<ViewSettings>, Vec<ViewSettings>), EditError> {
        let text = super::document::read_text(&self.file)
            .map_err(|message| SaveError::Unreadable { file: self.file.clone(), message })?;
        let text = text.unwrap_or_default();
        let (settings, _) = check_settings(&self.file, &text, &[]).map_err(EditError::Invalid)?;
        let mut names: HashSet<String> = settings.views.into_iter().map(|v| v.name).collect();
        Ok(views.iter().cloned().partition(|view| names.insert(view.name.clone())))
    }

    /// Saves those queries of a list whose names are not taken yet.
    ///
    /// # Errors
    /// See [`Self::edit_views`].
    pub fn add_views(&self, views: &[ViewSettings]) -> Result<ViewsEdited, EditError> {
        let (new, _) = self.preview_views(views)?;
        let changes: Vec<_> =
            new.into_iter().map(|view| ViewChange { was: None, now: Some(view) }).collect();
        self.edit_views(&changes)
    }

    /// Takes a save back: byte for byte when the file is as it was left, else those queries alone.
    /// Returns what takes this back in turn.
    ///
    /// # Errors
    /// [`EditError::Overtaken`] when one of them has been changed again since, or see
    /// [`Self::edit_views`].
    pub fn revert_views(&self, edited: &ViewsEdited) -> Result<ViewsEdited, EditError> {
        let turn = |c: &ViewChange| ViewChange { was: c.now.clone(), now: c.was.clone() };
        let changes: Vec<_> = edited.changes.iter().rev().map(turn).collect();
        self.save_views(&changes, |text| {
            if text == edited.after {
                return Ok(edited.before.clone());
            }
            let (now, _) = check_settings(&self.file, text, &[]).map_err(EditError::Invalid)?;
            edited.check_left(&now.views)?;
            changes.iter().try_fold(text.to_owned(), |text, change| self.changed(&text, change))
        })
    }

    fn save_views(
        &self,
        changes: &[ViewChange],
        change: impl Fn(&str) -> Result<String, EditError>,
    ) -> Result<ViewsEdited, EditError> {
        let mut edited = None;
        rewrite(&self.file, |text| {
            check_settings(&self.file, text, &[]).map_err(EditError::Invalid)?;
            let new = change(text)?;
            let (settings, _) =
                check_settings(&self.file, &new, &[]).map_err(EditError::Refused)?;
            edited = Some(ViewsEdited {
                before: text.to_owned(),
                after: new.clone(),
                changes: changes.to_vec(),
                views: settings.views,
            });
            Ok::<_, EditError>(new)
        })?;
        // The closure is called before this succeeds.
        edited.ok_or_else(|| self.odd("the file could not be changed"))
    }

    fn changed(&self, text: &str, change: &ViewChange) -> Result<String, EditError> {
        let splice = |e: SpliceError| self.odd(&e.to_string());
        let find = |name: &str| element_named(text, "view", "name", name).map_err(splice);
        let at = match &change.was {
            Some(was) => find(&was.name)?,
            None => None,
        };
        let renames = change.was.as_ref().map(|v| &v.name) != change.now.as_ref().map(|v| &v.name);
        if let Some(now) = change.now.as_ref().filter(|_| renames)
            && find(&now.name)?.is_some()
        {
            return Err(self.odd(&format!("there is a view \"{}\" already", now.name)));
        }
        match (at, &change.now) {
            (Some(start), Some(now)) => {
                let value = |text: &str| Value::from(text).to_string();
                let text = set(text, Some(start), &["name"], Some(&value(&now.name)));
                let text = text.map_err(splice)?;
                set(&text, Some(start), &["query"], Some(&value(&now.query))).map_err(splice)
            }
            (Some(start), None) => {
                let ranges = element_ranges(text, &[start]).map_err(splice)?;
                let ranges =
                    ranges.ok_or_else(|| self.odd("this view can only be changed by hand"));
                Ok(cut(text, &ranges?))
            }
            (None, Some(now)) => Ok(appended(text, now)),
            (None, None) => Ok(text.to_owned()),
        }
    }

    fn odd(&self, message: &str) -> EditError {
        EditError::Form { file: self.file.clone(), message: message.to_owned() }
    }
}

fn appended(text: &str, view: &ViewSettings) -> String {
    let newline = newline(text);
    let mut new = with_last_newline(text);
    if !new.trim_start_matches('\u{feff}').is_empty() {
        new.push_str(newline);
    }
    let (name, query) = (Value::from(view.name.as_str()), Value::from(view.query.as_str()));
    for line in ["[[view]]".to_owned(), format!("name = {name}"), format!("query = {query}")] {
        new.push_str(&line);
        new.push_str(newline);
    }
    new
}
