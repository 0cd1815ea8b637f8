//! The form for a source or for the settings: the values of the entry or of `config.toml`, field by
//! field, and the changes to write.
//!
//! The fields are rows of data ([`super::source_settings`], [`super::schema`]). Input is checked by
//! writing it into a copy of the file, which the loader then reads.

use super::advice::Expected;
use super::schema;
use super::section::{Checked, KeyChange, Section};
use super::setting::{Field, FormPage, Setting, Shape, is_reference};
use super::settings::Settings;
use super::shown::{setting_choices, setting_shown};
use super::source_settings::{self, INHERIT};
use crate::model::{Source, SourceKind, SourceSchedule};

/// A source's entry, or the settings, as a form.
#[derive(Debug, Clone)]
pub struct SourceForm {
    base: Section,
    fields: Vec<FormField>,
    /// For the settings form: the settings with the changes, if they are valid.
    settings: Option<Box<Settings>>,
    /// For the form of a source: the source with the changes, if it is valid.
    source: Option<Box<Source>>,
    /// An error that does not belong to a field.
    pub problem: Option<String>,
}

/// One field of the form.
#[derive(Clone)]
pub struct FormField {
    field: Field,
    shape: Shape,
    /// The kind of value that the field accepts.
    expected: Expected,
    path: Vec<String>,
    pub label: String,
    /// The value in the file.
    written: String,
    /// The value in the field.
    value: String,
    /// The value that applies while the field is empty, if it is known.
    default: String,
    /// What applies while the field is empty, for display.
    unset: String,
    /// Where `unset` comes from, as in "from settings".
    origin: &'static str,
    /// The possible values, if they are few.
    choices: Vec<String>,
    /// The loader's error.
    pub error: Option<String>,
}

impl std::fmt::Debug for FormField {
    /// Prints the label only: the value may be a password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.label)
    }
}

impl FormField {
    fn new<T: Default>(setting: &Setting<T>, base: &Section) -> Self {
        let mut default = T::default();
        let choices = setting.choices(&mut default);
        let unset = setting.field.unset;
        let known = unset.strip_prefix("default (").and_then(|words| words.strip_suffix(')'));
        // The default, if it is also one of the choices.
        let can_choose = known.filter(|known| choices.contains(known)).unwrap_or_default();
        Self {
            field: setting.field,
            shape: setting.shape(&mut default),
            expected: setting.expected(&mut default),
            path: setting.path(),
            label: setting.field.label.to_owned(),
            written: String::new(),
            value: String::new(),
            default: can_choose.to_owned(),
            unset: known.unwrap_or(unset).to_owned(),
            origin: if known.is_some() { "default" } else { "" },
            choices: choices.iter().map(|word| (*word).to_owned()).collect(),
            error: None,
        }
        .of(base)
    }

    /// The field of an existing header.
    fn header(new: &Self, name: &str, base: &Section) -> Self {
        let help = "A request header: plain text, env:VARIABLE or command:pass show name.";
        let mut path = new.path.clone();
        path.push(name.to_owned());
        Self {
            field: Field { help, unset: "none", ..new.field },
            shape: Shape::Secret,
            expected: Expected::Secret,
            path,
            label: name.to_owned(),
            ..new.clone()
        }
        .of(base)
    }

    /// Fills in the field's value from a section.
    fn of(mut self, base: &Section) -> Self {
        let field = &mut self;
        field.written = field.read(base);
        field.value.clone_from(&field.written);
        self
    }

    fn read(&self, base: &Section) -> String {
        base.node(&self.path).map(|node| self.shape.show(node)).unwrap_or_default()
    }

    /// The field's key in the table `website`.
    pub fn website_key(&self) -> Option<&str> {
        match self.path.as_slice() {
            [table, key] if table == "website" => Some(key),
            _ => None,
        }
    }

    pub fn page(&self) -> FormPage {
        self.field.page.unwrap_or(FormPage::General)
    }

    pub fn value(&self) -> &str {
        &self.value
    }

    /// The value that applies while the field is empty, if it is known.
    pub fn default_value(&self) -> &str {
        &self.default
    }

    /// Whether the file has a value.
    pub fn is_written(&self) -> bool {
        !self.written.is_empty()
    }

    /// What applies while the field is empty, for display.
    pub fn unset(&self) -> &str {
        &self.unset
    }

    /// Where [`Self::unset`] comes from, as in "from settings"; empty if unknown.
    pub fn origin(&self) -> &'static str {
        self.origin
    }

    /// Whether the value is `on` or `off`.
    pub fn is_flag(&self) -> bool {
        self.shape == Shape::Flag
    }

    /// The value that applies: the field's own, or the default.
    pub fn effective(&self) -> &str {
        match self.value.trim() {
            "" => &self.default,
            value => value,
        }
    }

    pub fn help(&self) -> &'static str {
        self.field.help
    }

    /// The possible values, if they are few.
    pub fn choices(&self) -> &[String] {
        &self.choices
    }

    /// A value for display: in words, if its name in the file is not a plain word.
    pub fn shown<'a>(&self, value: &'a str) -> &'a str {
        match (self.path.last().map_or("", String::as_str), value) {
            ("sort", "pinned-newest") => "pinned, then newest",
            ("sort", "newest") => "newest first",
            ("sort", "oldest") => "oldest first",
            ("mark_read", "open") | ("full_text", "on-open") => "on opening",
            ("mark_read", "preview") => "on opening or preview",
            ("mark_read", "scroll") => "on opening or scrolling past",
            _ => value,
        }
    }

    /// Whether a change takes effect only after a restart.
    pub fn needs_restart(&self) -> bool {
        self.field.waits
    }

    /// Whether the value must be hidden.
    pub fn is_secret(&self) -> bool {
        self.shape == Shape::Secret && !is_reference(&self.value)
    }

    /// Whether the value differs from the one in the file.
    pub fn is_changed(&self) -> bool {
        // Leading and trailing spaces are not a change.
        self.value.trim() != self.written.trim()
    }

    fn change(&self) -> KeyChange {
        let (mut path, mut text) = (self.path.clone(), self.value.trim());
        if self.shape == Shape::NewHeader && !text.is_empty() {
            let (name, value) = text.split_once(':').unwrap_or((text, ""));
            path.push(name.trim().to_owned());
            text = value;
        }
        KeyChange { path, value: self.shape.value(text).map(|value| value.to_string()) }
    }

    /// The key as used in messages.
    pub fn key(&self) -> String {
        self.change().path.join(".")
    }
}

impl SourceForm {
    /// The form of an entry.
    pub fn new(base: Section) -> Self {
        let mut fields = Vec::new();
        for setting in source_settings::SETTINGS.iter().filter(|s| s.field.page.is_some()) {
            let field = FormField::new(setting, &base);
            if field.shape == Shape::NewHeader {
                let names = base.keys(&field.path).into_iter();
                fields.extend(names.map(|name| FormField::header(&field, name, &base)));
            }
            fields.push(field);
        }
        let source = base.source_with(&[]).ok().map(Box::new);
        Self { base, fields, settings: None, source, problem: None }
    }

    /// The form of the settings.
    pub fn settings(base: Section) -> Self {
        let shown = schema::SETTINGS.iter().filter(|setting| setting.field.page.is_some());
        let fields = shown.map(|setting| {
            let default = setting_shown(&Settings::default(), setting.key);
            let words = match setting.field.unset {
                "" => &default,
                words => &words.to_owned(),
            };
            FormField {
                unset: words.clone(),
                origin: "default",
                default,
                ..FormField::new(setting, &base)
            }
        });
        let mut form =
            Self { fields: fields.collect(), base, settings: None, source: None, problem: None };
        form.check();
        let settings = form.settings.as_deref();
        let themes = settings.map(|s| setting_choices(s, "ui.theme"));
        let theme = form.fields.iter_mut().find(|f| f.path == ["ui", "theme"]);
        if let (Some(field), Some(names)) = (theme, themes) {
            field.choices = names;
        }
        form
    }

    /// Shows what applies if the entry has no value: the value in the settings, or the title of the feed.
    pub fn show_inherited(&mut self, settings: &Settings, feed_title: Option<&str>) {
        let mut settings = settings.clone();
        if let Some(source) = &self.source {
            // The minimum depends on the kind.
            let source = Source { schedule: SourceSchedule::default(), ..*source.clone() };
            settings.schedule.min_interval = settings.schedule.of(&source).min_interval;
        }
        let settings = &settings;
        for field in self.fields.iter_mut().filter(|field| field.field.unset == INHERIT) {
            let key = match field.path.join(".").as_str() {
                "website.delay" => "net.host_delay".to_owned(),
                "proxy" => "net.proxy".to_owned(),
                key => key.to_owned(),
            };
            let value = setting_shown(settings, &key);
            let setting = schema::SETTINGS.iter().find(|setting| setting.key == key);
            let words =
                setting.map(|setting| setting.field.unset).filter(|words| !words.is_empty());
            let is_default = value == setting_shown(&Settings::default(), &key);
            field.unset = words.filter(|_| is_default).unwrap_or(&value).to_owned();
            field.origin = "from settings";
            if field.choices.contains(&value) {
                field.default = value;
            }
        }
        let is_page = matches!(self.kind(), SourceKind::Website | SourceKind::Entries);
        let title = self.fields.iter_mut().find(|field| field.path == ["title"]);
        if let (Some(field), Some(title)) = (title, feed_title) {
            title.clone_into(&mut field.unset);
            field.origin = if is_page { "from page" } else { "from feed" };
        }
    }

    /// The section that the form was made from.
    pub fn base(&self) -> &Section {
        &self.base
    }

    /// For the settings form: the settings with the changes, if they are valid.
    pub fn preview_settings(&self) -> Option<&Settings> {
        self.settings.as_deref()
    }

    /// The changed fields.
    pub fn changed(&self) -> impl Iterator<Item = &FormField> {
        self.fields.iter().filter(|f| f.is_changed())
    }

    /// All fields, page by page.
    pub fn fields(&self) -> &[FormField] {
        &self.fields
    }

    /// Changes a value and checks the form.
    pub fn set(&mut self, index: usize, value: &str) {
        let Some(field) = self.fields.get_mut(index) else { return };
        value.clone_into(&mut field.value);
        self.check();
    }

    /// Whether a field applies to the kind of the source, or has a value anyway.
    pub fn is_shown(&self, field: &FormField) -> bool {
        field.field.kinds.contains(&self.kind()) || !field.value.is_empty() || field.is_changed()
    }

    /// The kind in the form; feed if it is invalid.
    pub fn kind(&self) -> SourceKind {
        let kind = self.fields.iter().find(|f| f.path == ["kind"]);
        kind.and_then(|f| SourceKind::named(f.value.trim())).unwrap_or_default()
    }

    /// The changes to write.
    pub fn changes(&self) -> Vec<KeyChange> {
        self.fields.iter().filter(|f| f.is_changed()).map(FormField::change).collect()
    }

    /// The source that the entry declares with the changes, if they are valid.
    pub fn source(&self) -> Option<Source> {
        self.base.source_id()?;
        self.source.as_deref().cloned()
    }

    /// Whether the source should be polled after these changes.
    pub fn needs_poll(&self) -> bool {
        let off =
            |f: &FormField| f.path == ["enabled"] && f.change().value.as_deref() == Some("false");
        !self.fields.iter().any(off) && self.fields.iter().any(|f| f.is_changed() && f.field.polls)
    }

    /// The first field with an error.
    pub fn first_invalid(&self) -> Option<usize> {
        self.fields.iter().position(|f| f.error.is_some())
    }

    /// Replaces the section that the form was made from with the current one. Changed fields keep their
    /// values; the others get the values in the file.
    pub fn rebase(&mut self, now: Section) {
        for field in &mut self.fields {
            let touched = field.is_changed();
            field.written = field.read(&now);
            if !touched {
                field.value.clone_from(&field.written);
            }
        }
        self.base = now;
        self.check();
    }

    /// Has the loader check the changed section.
    pub fn check(&mut self) {
        self.problem = None;
        self.fields.iter_mut().for_each(|field| field.error = None);
        (self.settings, self.source) = (None, None);
        let errors = match self.base.check(&self.changes()) {
            Ok(Ok(Checked::Settings(settings))) => {
                self.settings = Some(settings);
                return;
            }
            Ok(Ok(Checked::Source(source))) => {
                self.source = source;
                return;
            }
            Ok(Err(errors)) => errors.errors,
            Err(why) => {
                self.problem = Some(why);
                return;
            }
        };
        let keys: Vec<String> = self.fields.iter().map(FormField::key).collect();
        for found in errors {
            // `source "name": key`, or the key of a setting.
            let key = match (found.key.rsplit_once(": "), self.base.source_id()) {
                (Some((_, key)), _) => key,
                (None, None) => &found.key,
                (None, Some(_)) => "",
            };
            let below = format!("{key}.");
            let place = keys.iter().position(|k| k == key);
            let in_it = |i: &usize| keys[*i].starts_with(&below);
            let changed = |i: &usize| in_it(i) && self.fields[*i].is_changed();
            let place = place.or_else(|| (0..keys.len()).find(changed));
            let place = place.or_else(|| (0..keys.len()).find(in_it));
            match place.map(|place| &mut self.fields[place]) {
                Some(field) => {
                    let advice = field.expected.advice(field.value.trim(), &found.message);
                    field.error.get_or_insert(advice);
                }
                None => {
                    let advice = Expected::Other.advice("", &found.message);
                    self.problem.get_or_insert(advice);
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "form_tests.rs"]
mod tests;
