//! The form for a source or for the settings: what its entry or `config.toml` says, field by field,
//! and what would be written.
//!
//! The fields are rows of data ([`super::form_fields`], [`super::form_settings`]). What is typed is
//! checked by writing it into a copy of the entry, which the loader reads as it reads the file.

use super::document::{Node, Value};
use super::form_fields::{EVERY, FormPage, ROWS, Row, Shape};
use super::form_settings;
use super::render::words;
use super::section::{KeyChange, Section};
use super::settings::Settings;
use crate::model::SourceKind;
use toml_edit::{InlineTable, Value as Toml};

/// A source's entry, or the settings, as a form.
#[derive(Debug, Clone)]
pub struct SourceForm {
    base: Section,
    fields: Vec<FormField>,
    /// The settings as they would be, in the form for these.
    settings: Option<Box<Settings>>,
    /// What is wrong and belongs to no field.
    pub problem: Option<String>,
}

/// One line of the form.
#[derive(Clone)]
pub struct FormField {
    row: &'static Row,
    path: Vec<String>,
    /// What it is called.
    pub label: String,
    /// What the entry says.
    written: String,
    /// What is typed.
    value: String,
    /// What holds while it is empty.
    unset: String,
    /// The words that it takes; none where they are not few.
    choices: Vec<String>,
    /// What the loader has against it.
    pub error: Option<String>,
}

impl std::fmt::Debug for FormField {
    /// The name only: the value may be a password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.label)
    }
}

impl FormField {
    fn new(row: &'static Row, path: Vec<String>, label: &str, base: &Section) -> Self {
        let mut field = Self {
            row,
            path,
            label: label.to_owned(),
            written: String::new(),
            value: String::new(),
            unset: row.unset.to_owned(),
            choices: row.choices.iter().map(|word| (*word).to_owned()).collect(),
            error: None,
        };
        field.written = field.read(base);
        field.value.clone_from(&field.written);
        field
    }

    /// What an entry says.
    fn read(&self, base: &Section) -> String {
        match (self.row.shape, base.node(&self.path)) {
            (Shape::NewSecret, _) | (_, None) => String::new(),
            (Shape::Command, Some(node)) => command_line(node),
            (_, Some(node)) => shown(node),
        }
    }

    /// Its key below `website`.
    pub fn website_key(&self) -> Option<&str> {
        match self.path.as_slice() {
            [table, key] if table == "website" => Some(key),
            _ => None,
        }
    }

    /// The page it is on.
    pub fn page(&self) -> FormPage {
        self.row.page
    }

    /// What is typed.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// What holds while it is empty.
    pub fn unset(&self) -> &str {
        &self.unset
    }

    /// What it is for.
    pub fn help(&self) -> &'static str {
        self.row.help
    }

    /// The words that it takes; none where they are not few.
    pub fn choices(&self) -> &[String] {
        &self.choices
    }

    /// Whether a change of it holds from the next start on only.
    pub fn waits(&self) -> bool {
        self.row.waits
    }

    /// Whether what is typed is not for every eye.
    pub fn is_secret(&self) -> bool {
        let open = self.value.starts_with(ENV) || self.value.starts_with(COMMAND);
        self.row.shape == Shape::Secret && !open
    }

    fn is_changed(&self) -> bool {
        // Blanks at its ends are not what anybody wants to change.
        self.value.trim() != self.written.trim()
    }

    fn change(&self) -> KeyChange {
        let (mut path, text) = (self.path.clone(), self.value.trim());
        let value = match self.row.shape {
            _ if text.is_empty() => None,
            Shape::Text => Some(Toml::from(text)),
            Shape::Words => {
                let split = text.split(',').map(str::trim).filter(|w| !w.is_empty());
                let list: Vec<String> = split.map(str::to_owned).collect();
                (!list.is_empty()).then(|| words(&list))
            }
            Shape::Plain => Some(plain(text)),
            Shape::Command => Some(shlex::split(text).map_or_else(|| text.into(), |w| words(&w))),
            Shape::Secret => Some(secret(text)),
            Shape::NewSecret => {
                let (name, text) = text.split_once(':').unwrap_or((text, ""));
                path.push(name.trim().to_owned());
                Some(secret(text.trim()))
            }
        };
        KeyChange { path, value: value.map(|v| v.to_string()) }
    }

    /// The key that messages name.
    fn key(&self) -> String {
        self.change().path.join(".")
    }
}

const ENV: &str = "env:";
const COMMAND: &str = "command:";

/// A number, true or false where it is one; else the loader is to say what it thinks of the text.
pub(super) fn plain(text: &str) -> Toml {
    let whole = text.parse::<i64>().map(Toml::from);
    let number = whole.or_else(|_| text.parse::<f64>().map(Toml::from));
    number.ok().or_else(|| text.parse::<bool>().ok().map(Toml::from)).unwrap_or_else(|| text.into())
}

fn secret(text: &str) -> Toml {
    let command = |rest: &str| shlex::split(rest).filter(|argv| !argv.is_empty());
    let (key, value) = match (text.strip_prefix(ENV), text.strip_prefix(COMMAND).and_then(command))
    {
        (Some(name), _) => ("env", Toml::from(name.trim())),
        (None, Some(argv)) => ("command", words(&argv)),
        (None, None) => return text.into(),
    };
    let mut table = InlineTable::new();
    table.insert(key, value);
    Toml::InlineTable(table)
}

/// A list of arguments as a shell would take it.
fn command_line(node: &Node) -> String {
    let Value::List(list) = &node.value else { return shown(node) };
    let argv: Vec<String> = list.iter().map(shown).collect();
    shlex::try_join(argv.iter().map(String::as_str)).unwrap_or_default()
}

/// A value as it is typed.
fn shown(node: &Node) -> String {
    let texts = |list: &[Node]| list.iter().map(shown).collect::<Vec<_>>();
    match &node.value {
        Value::Text(text) => text.clone(),
        Value::Whole(number) => number.to_string(),
        Value::Decimal(number) => number.to_string(),
        Value::Flag(flag) => flag.to_string(),
        Value::Date(date) => date.clone(),
        Value::List(list) => texts(list).join(", "),
        Value::Table(table) => match table.first().map(|pair| (&*pair.key, &pair.node.value)) {
            Some(("env", Value::Text(name))) => format!("{ENV}{name}"),
            Some(("command", Value::List(argv))) => {
                let argv = texts(argv);
                let joined = shlex::try_join(argv.iter().map(String::as_str));
                format!("{COMMAND}{}", joined.unwrap_or_default())
            }
            _ => String::new(),
        },
    }
}

impl SourceForm {
    /// The form of an entry.
    pub fn new(base: Section) -> Self {
        let mut fields = Vec::new();
        for row in ROWS {
            let path: Vec<String> = row.path.iter().map(|key| (*key).to_owned()).collect();
            if row.shape == Shape::NewSecret {
                // Those that are there have a line each.
                for name in base.keys(&path) {
                    let own = [path.as_slice(), &[name.to_owned()]].concat();
                    fields.push(FormField::new(&HEADER, own, name, &base));
                }
            }
            fields.push(FormField::new(row, path, row.label, &base));
        }
        Self { base, fields, settings: None, problem: None }
    }

    /// The form of the settings.
    pub fn settings(base: Section) -> Self {
        let fields = form_settings::ROWS.iter().map(|row| {
            let path = row.path.iter().map(|key| (*key).to_owned()).collect();
            let mut field = FormField::new(row, path, row.label, &base);
            field.unset = form_settings::setting_shown(&Settings::default(), &row.path.join("."));
            field
        });
        let mut form = Self { fields: fields.collect(), base, settings: None, problem: None };
        form.check();
        let settings = form.settings.as_deref();
        let themes = settings.map(|s| form_settings::setting_choices(s, "ui.theme"));
        let theme = form.fields.iter_mut().find(|f| f.path == ["ui", "theme"]);
        if let (Some(field), Some(names)) = (theme, themes) {
            field.choices = names;
        }
        form
    }

    /// What the form was made of.
    pub fn base(&self) -> &Section {
        &self.base
    }

    /// The settings as they would be, in the form for these, while nothing is wrong.
    pub fn would_be(&self) -> Option<&Settings> {
        self.settings.as_deref()
    }

    /// The fields that are changed.
    pub fn changed(&self) -> impl Iterator<Item = &FormField> {
        self.fields.iter().filter(|f| f.is_changed())
    }

    /// Its fields, page by page.
    pub fn fields(&self) -> &[FormField] {
        &self.fields
    }

    /// Types a value and has it checked.
    pub fn set(&mut self, index: usize, value: &str) {
        let Some(field) = self.fields.get_mut(index) else { return };
        value.clone_into(&mut field.value);
        self.check();
    }

    /// Whether a field concerns this source, or says something all the same.
    pub fn is_shown(&self, field: &FormField) -> bool {
        field.row.kinds.contains(&self.kind()) || !field.value.is_empty() || field.is_changed()
    }

    /// The kind that is typed; a feed where that is none.
    pub fn kind(&self) -> SourceKind {
        let kind = self.fields.iter().find(|f| f.path == ["kind"]);
        kind.and_then(|f| SourceKind::named(f.value.trim())).unwrap_or_default()
    }

    /// What would be written.
    pub fn changes(&self) -> Vec<KeyChange> {
        self.fields.iter().filter(|f| f.is_changed()).map(FormField::change).collect()
    }

    /// Whether the changes make another poll sensible; a source that is switched off has none.
    pub fn needs_poll(&self) -> bool {
        let off = |f: &FormField| f.path == ["enabled"] && f.value.trim() == "false";
        !self.fields.iter().any(off) && self.fields.iter().any(|f| f.is_changed() && f.row.poll)
    }

    /// The first field that has something against it.
    pub fn first_wrong(&self) -> Option<usize> {
        self.fields.iter().position(|f| f.error.is_some())
    }

    /// Takes the entry as it is in the file now for what the form began with; what is typed stays,
    /// what was not touched follows the file.
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

    /// Has the loader read the entry as it would be.
    fn check(&mut self) {
        self.problem = None;
        self.fields.iter_mut().for_each(|field| field.error = None);
        self.settings = None;
        let errors = match self.base.check(&self.changes()) {
            Ok(Ok(settings)) => {
                self.settings = settings.map(Box::new);
                return;
            }
            Ok(Err(errors)) => errors.errors,
            Err(why) => {
                self.problem = Some(why);
                return;
            }
        };
        let keys: Vec<String> = self.fields.iter().map(FormField::key).collect();
        for fault in errors {
            // `source "name": key`, or the key of a setting.
            let key = match (fault.key.rsplit_once(": "), self.base.source_id()) {
                (Some((_, key)), _) => key,
                (None, None) => &fault.key,
                (None, Some(_)) => "",
            };
            let below = format!("{key}.");
            let place = keys.iter().position(|k| k == key);
            let in_it = |i: &usize| keys[*i].starts_with(&below);
            let changed = |i: &usize| in_it(i) && self.fields[*i].is_changed();
            let place = place.or_else(|| (0..keys.len()).find(changed));
            let place = place.or_else(|| (0..keys.len()).find(in_it));
            let error = match place {
                Some(place) => &mut self.fields[place].error,
                None => &mut self.problem,
            };
            error.get_or_insert(fault.message);
        }
    }
}

/// A header that is there.
const HEADER: Row = Row {
    page: FormPage::Access,
    path: &[],
    label: "",
    unset: "left out",
    help: "A header of each request: a text, env:VARIABLE or command:pass show name",
    shape: Shape::Secret,
    choices: &[],
    kinds: EVERY,
    poll: true,
    waits: false,
};

#[cfg(test)]
#[path = "form_tests.rs"]
mod tests;
