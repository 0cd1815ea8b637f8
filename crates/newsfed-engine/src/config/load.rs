//! Loads and checks `config.toml` and `sources.toml`, and applies `--set`.

use super::accounts;
use super::choices::{COLUMNS, NotifyWay};
use super::commands;
use super::document::{Node, Pair, Value, parse, parse_value, put, read_text};
use super::error::{At, ConfigError, ConfigErrors, Report, did_you_mean};
use super::hooks;
use super::item_rules;
use super::key_lines;
use super::keymap::{Context, KeyMap};
use super::paths::Paths;
use super::quote::quote;
use super::rule::{mismatch, show_time};
use super::schema::{SETTINGS, TABLES, VIEW};
use super::setting::read;
use super::settings::{Settings, ViewSettings};
use super::sources::{contradiction, read_sources};
use super::theme::Theme;
use crate::model::Source;
use crate::query::Query;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// The content of both files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loaded {
    /// `config.toml` with the overrides applied.
    pub settings: Settings,
    /// `sources.toml`; every source has a unique identifier. Sources with an account contain the user's own
    /// settings for sources that the account's server polls.
    pub sources: Vec<Source>,
    /// Problems that do not prevent loading.
    pub warnings: Vec<ConfigError>,
}

/// Reads both files. Missing files are not an error: everything has a default.
///
/// `overrides` are the arguments of `--set`, such as `net.host_delay=0s`. Values are TOML or bare
/// words.
///
/// # Errors
/// Returns all errors in both files and in the overrides.
pub fn load(paths: &Paths, overrides: &[String]) -> Result<Loaded, ConfigErrors> {
    let settings = load_settings(&paths.config_file(), overrides);
    let file = paths.sources_file();
    let text = text_of(&file);
    let sources = text.as_deref().map_err(Clone::clone).and_then(|text| check_sources(&file, text));
    match (settings, sources) {
        (Ok((settings, mut warnings)), Ok((sources, more))) => {
            warnings.extend(more);
            let text = text.as_deref().unwrap_or_default();
            warnings.extend(short_intervals(&file, text, &sources, &settings));
            warnings.extend(accounts::unknown(&file, text, &sources, &settings));
            let sources = sources.into_iter().map(|(_, source)| source).collect();
            Ok(Loaded { settings, sources, warnings })
        }
        (Err(mut errors), Err(others)) => {
            errors.errors.extend(others.errors);
            errors.more += others.more;
            Err(errors)
        }
        (Err(errors), Ok(_)) | (Ok(_), Err(errors)) => Err(errors),
    }
}

fn load_settings(
    file: &Path,
    overrides: &[String],
) -> Result<(Settings, Vec<ConfigError>), ConfigErrors> {
    let text = text_of(file)?;
    check_settings(file, &text, overrides)
}

/// Warns about sources with an interval shorter than the minimum, which applies instead.
fn short_intervals(
    file: &Path,
    text: &str,
    sources: &Positioned,
    settings: &Settings,
) -> Vec<ConfigError> {
    let mut report = Report::new(file, text);
    for (at, source) in sources.iter().filter(|(_, source)| source.account.is_none()) {
        let least = settings.schedule.of(source).min_interval;
        if let Some(interval) = source.interval.filter(|interval| *interval < least) {
            let key = format!("source {}: interval", quote(source.id.as_str()));
            report.warn(*at, &key, too_short(interval, least));
        }
    }
    report.warnings
}

fn too_short(interval: Duration, least: Duration) -> String {
    let (interval, least) = (show_time(interval), show_time(least));
    format!("{interval} is shorter than schedule.min_interval, so polls are {least} apart")
}

fn text_of(file: &Path) -> Result<String, ConfigErrors> {
    read_text(file).map(Option::unwrap_or_default).map_err(|message| {
        let mut report = Report::new(file, "");
        report.whole(message);
        report.errors
    })
}

/// Sources with the positions of their headers.
pub(crate) type Positioned = Vec<(At, Source)>;

/// The sources of a text with the positions of their headers, and warnings. `file` is its name in
/// messages.
pub(crate) fn check_sources(
    file: &Path,
    text: &str,
) -> Result<(Positioned, Vec<ConfigError>), ConfigErrors> {
    let mut report = Report::new(file, text);
    let tree = parse(text, &mut report);
    let sources = read_sources(&tree, &mut report);
    report.finish(sources)
}

/// The settings of a text with overrides applied, and warnings. `file` is its name in messages.
pub(crate) fn check_settings(
    file: &Path,
    text: &str,
    overrides: &[String],
) -> Result<(Settings, Vec<ConfigError>), ConfigErrors> {
    let mut report = Report::new(file, text);
    report.elsewhere = super::shown::setting_keys();
    let mut tree = parse(text, &mut report);
    for argument in overrides {
        apply(argument, &mut tree, &mut report);
    }
    let settings = read_settings(&tree, &mut report);
    report.finish(settings)
}

/// Applies one `--set key.path=value` to the tree.
fn apply(argument: &str, tree: &mut Vec<Pair>, report: &mut Report) {
    let (path, value) = match split_override(argument) {
        Ok(parts) => parts,
        Err(message) => {
            let origin = report.add_set(argument);
            report.error(At { origin, ..At::default() }, "", message);
            return;
        }
    };
    let origin = report.add_set(&path.join("."));
    let at = At { origin, ..At::default() };
    match override_value(value, origin) {
        Ok(new) => put(tree, &path, Node { at, value: new }),
        Err(message) => report.error(at, "", message),
    }
}

/// Splits an override into path and value. Keys may be quoted, so that they can contain `.` and `=`.
fn split_override(argument: &str) -> Result<(Vec<String>, &str), String> {
    let mut quote = None;
    let end = argument.char_indices().find(|(_, c)| {
        match quote {
            Some(open) if *c == open => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(*c),
            _ => {}
        }
        quote.is_none() && *c == '='
    });
    let Some((end, _)) = end else {
        return Err("expected KEY=VALUE, as in net.host_delay=0s".to_owned());
    };
    let (path, value) = (&argument[..end], &argument[end + 1..]);
    let keys = toml_edit::Key::parse(path)
        .map_err(|_| "expected a setting before \"=\", as in net.host_delay=0s".to_owned())?;
    Ok((keys.iter().map(|k| k.get().to_owned()).collect(), value))
}

/// Parses a TOML value. Text that does not start like one is a bare word.
fn override_value(value: &str, origin: usize) -> Result<Value, String> {
    let value = value.trim();
    match parse_value(value, origin) {
        Ok(node) => Ok(node.value),
        Err(error) if value.starts_with(['[', '{', '"', '\'']) => Err(error),
        Err(_) => Ok(Value::Text(value.to_owned())),
    }
}

fn read_settings(tree: &[Pair], report: &mut Report) -> Settings {
    let mut settings = Settings::default();
    read(tree, &"", (SETTINGS, ""), TABLES, &mut settings, report);
    for pair in tree.iter().filter(|p| TABLES.contains(&p.key.as_str())) {
        if pair.key == "view" {
            settings.views = read_views(pair, report);
            continue;
        }
        if pair.key == "account" {
            settings.accounts = accounts::read_all(pair, report);
            continue;
        }
        if pair.key == "command" {
            settings.commands = commands::read_all(pair, report);
            continue;
        }
        if pair.key == "hook" {
            settings.hooks = hooks::read_all(pair, report);
            continue;
        }
        if pair.key == "rule" {
            settings.rules = item_rules::read_all(pair, report);
            continue;
        }
        let Value::Table(table) = &pair.node.value else {
            let message = mismatch(&format!("a table [{}]", pair.key), &pair.node);
            report.error(pair.node.at, &pair.key, message);
            continue;
        };
        match pair.key.as_str() {
            "themes" => settings.themes = tables_of_texts(table.iter(), "themes.", report),
            "open" => super::open::read_open(table, &mut settings, report),
            "keys" => read_keys(table, &mut settings, report),
            key => read(table, &format!("{key}."), (SETTINGS, key), &[], &mut settings, report),
        }
    }
    check_bounds(tree, &settings, report);
    check_interval(tree, &settings, report);
    check_notify(tree, &settings, report);
    check_llm(tree, &settings, report);
    check_keys(tree, &settings, report);
    check_themes(tree, &settings, report);
    settings
}

/// Reads `[keys]` and its tables of key bindings.
fn read_keys(table: &[Pair], settings: &mut Settings, report: &mut Report) {
    let contexts = Context::ALL.map(Context::name);
    read(table, &"keys.", (SETTINGS, "keys"), &contexts, settings, report);
    let tables = table.iter().filter(|p| contexts.contains(&p.key.as_str()));
    settings.keys.bindings = tables_of_texts(tables, "keys.", report);
}

fn tables_of_texts<'a>(
    tables: impl Iterator<Item = &'a Pair>,
    prefix: &str,
    report: &mut Report,
) -> BTreeMap<String, BTreeMap<String, String>> {
    tables.map(|pair| (pair.key.clone(), texts(pair, prefix, report))).collect()
}

/// A table that contains only text values.
fn texts(pair: &Pair, prefix: &str, report: &mut Report) -> BTreeMap<String, String> {
    let name = format!("{prefix}{}", pair.key);
    let Value::Table(table) = &pair.node.value else {
        report.error(pair.node.at, &name, mismatch("a table of strings", &pair.node));
        return BTreeMap::new();
    };
    let mut read = BTreeMap::new();
    for inner in table {
        match &inner.node.value {
            Value::Text(text) => {
                read.insert(inner.key.clone(), text.clone());
            }
            _ => report.error(
                inner.node.at,
                &format!("{name}.\"{}\"", inner.key),
                mismatch("a string", &inner.node),
            ),
        }
    }
    read
}

/// The tables of an array such as `[[view]]`, each with its position.
pub(super) fn elements<'a>(pair: &'a Pair, report: &mut Report) -> Vec<(&'a Node, &'a [Pair])> {
    let Value::List(list) = &pair.node.value else {
        let expected = format!("one [[{0}]] (two brackets) per {0}", pair.key);
        report.error(pair.node.at, &pair.key, mismatch(&expected, &pair.node));
        return Vec::new();
    };
    let mut tables = Vec::new();
    for node in list {
        match &node.value {
            Value::Table(table) => tables.push((node, table.as_slice())),
            _ => report.error(node.at, &pair.key, mismatch("a table", node)),
        }
    }
    tables
}

fn read_views(pair: &Pair, report: &mut Report) -> Vec<ViewSettings> {
    let mut views = Vec::new();
    for (node, table) in elements(pair, report) {
        let mut view = ViewSettings::default();
        read(table, &"view.", (VIEW, ""), &[], &mut view, report);
        let at = |key: &str| table.iter().find(|p| p.key == key).map_or(node.at, |p| p.node.at);
        for key in ["name", "query"].iter().filter(|key| !table.iter().any(|p| p.key == **key)) {
            report.error(node.at, &format!("view.{key}"), "is missing");
        }
        if views.iter().any(|other: &ViewSettings| other.name == view.name) {
            let message = format!("{} is the name of two views; rename one", quote(&view.name));
            report.warn(at("name"), "view.name", message);
        }
        if let Some(pair) = table.iter().find(|pair| pair.key == "columns") {
            check_columns(pair, "view.columns", &view.layout.columns, report);
        }
        if let Err(e) = view.query.parse::<Query>() {
            report.warn(at("query"), "view.query", format!("{e}; the view is empty"));
        }
        views.push(view);
    }
    views
}

fn check_columns(pair: &Pair, key: &str, columns: &[String], report: &mut Report) {
    if (1..columns.len()).any(|i| columns[..i].contains(&columns[i])) {
        report.error(pair.node.at, key, "names a column twice");
    }
    let unknown = columns.iter().find(|column| !COLUMNS.contains(&column.as_str()));
    if let Some(unknown) = unknown {
        let hint = did_you_mean(unknown, COLUMNS.iter().copied());
        let (names, unknown) = (COLUMNS.join(", "), quote(unknown));
        report.error(pair.node.at, key, format!("expected {names}; found {unknown}{hint}"));
    }
}

fn check_bounds(tree: &[Pair], settings: &Settings, report: &mut Report) {
    if let Some(pair) = find(tree, &["ui", "columns"]) {
        check_columns(pair, "ui.columns", &settings.ui.columns, report);
    }
    let bounds = [settings.schedule.min_interval, settings.schedule.max_interval].map(Some);
    // At least one of the two keys is in the file, because the defaults do not contradict each other.
    let written = ["min_interval", "max_interval"].map(|key| find(tree, &["schedule", key]));
    if let (Some(what), Some(pair)) = (contradiction(bounds), written.into_iter().flatten().next())
    {
        report.warn(pair.at, &format!("schedule.{}", pair.key), what);
    }
}

/// Warns about a fixed interval that is shorter than the minimum.
fn check_interval(tree: &[Pair], settings: &Settings, report: &mut Report) {
    let (interval, least) = (settings.schedule.interval, settings.schedule.min_interval);
    if let Some(pair) = find(tree, &["schedule", "interval"]).filter(|_| interval < least) {
        report.warn(pair.at, "schedule.interval", too_short(interval, least));
    }
}

/// Warns if desktop notifications are set in a build without them.
fn check_notify(tree: &[Pair], settings: &Settings, report: &mut Report) {
    let is_missing = settings.notify.how == NotifyWay::Desktop && !cfg!(feature = "desktop");
    if let Some(pair) = find(tree, &["notify", "how"]).filter(|_| is_missing) {
        let message = "this newsfed was built without desktop notifications, so `notify.command` is used; \
            build it with --features desktop, or choose another value";
        report.warn(pair.at, "notify.how", message);
    }
}

/// Reports an endpoint without a model.
fn check_llm(tree: &[Pair], settings: &Settings, report: &mut Report) {
    let Some(pair) = find(tree, &["llm", "endpoint"]).filter(|_| settings.llm.endpoint.is_some())
    else {
        return;
    };
    if settings.llm.model.is_empty() {
        report.error(pair.at, "llm.endpoint", "also needs `model`");
    }
}

/// Reports the key map's errors at their positions in the tree.
fn check_keys(tree: &[Pair], settings: &Settings, report: &mut Report) {
    // The built-in bindings are valid.
    if find(tree, &["keys"]).is_none() {
        return;
    }
    let at = |context: &str, keys: &str| {
        let at = find(tree, &["keys", context, keys]).map(|p| p.at);
        (at.unwrap_or_default(), format!("keys.{context}.\"{keys}\""))
    };
    for (context, bindings) in &settings.keys.bindings {
        for (keys, line) in bindings {
            let (at, name) = at(context, keys);
            for problem in key_lines::problems(line, &settings.commands) {
                report.warn(at, &name, problem);
            }
        }
    }
    let Err(errors) = KeyMap::load(&settings.keys) else { return };
    for error in errors.0.iter().filter(|e| !e.keys.is_empty()) {
        let (at, name) = at(&error.context, &error.keys);
        report.error(at, &name, error.message.clone());
    }
}

fn check_themes(tree: &[Pair], settings: &Settings, report: &mut Report) {
    for name in settings.themes.keys() {
        for error in Theme::load(name, &settings.themes).err().unwrap_or_default() {
            // Errors of the base theme are reported for the base theme itself.
            if error.theme == *name {
                let at = find(tree, &["themes", name, &error.key]).map(|p| p.node.at);
                let key = format!("themes.{name}.{}", error.key);
                report.error(at.unwrap_or_default(), &key, error.message);
            }
        }
    }
    let names = super::theme::theme_names(&settings.themes);
    let wanted = &settings.ui.theme;
    if let Some(pair) =
        find(tree, &["ui", "theme"]).filter(|_| !super::theme::is_theme(wanted, &settings.themes))
    {
        let hint = did_you_mean(wanted, names.iter().map(String::as_str));
        let expected = format!("one of the themes {}", names.join(", "));
        report.error(
            pair.node.at,
            "ui.theme",
            format!("{}{hint}", mismatch(&expected, &pair.node)),
        );
    }
}

fn find<'a>(tree: &'a [Pair], path: &[&str]) -> Option<&'a Pair> {
    let (first, rest) = path.split_first()?;
    let pair = tree.iter().find(|p| p.key == *first)?;
    match (&pair.node.value, rest) {
        (_, []) => Some(pair),
        (Value::Table(table), rest) => find(table, rest),
        _ => None,
    }
}
