//! `newsfed-config(5)`: every setting, from the tables of the config loader.

use super::example::{Part, parts};
use super::manual::Manual;
use crate::config::{
    Action, Role, SettingReference, elements_reference, settings_reference, theme_names,
};
use clap_mangen::roff::{Inline, bold, roman};
use std::collections::BTreeMap;
use std::io;

/// Every setting with its default and explanation.
const EXAMPLE: &str = include_str!("../../../config.example.toml");

/// Prefix of a sample that defines a theme.
const THEMES: &str = "[themes.";

const DESCRIPTION: &str = "\
config.toml contains the settings of newsfed in TOML. Without the file, or without a key, the default applies. The
interface changes the file through its settings form, and keeps comments, order and line endings. Changes made in an
editor take effect at once, except for settings that need a restart. `newsfed config check` reports errors, and
`newsfed config show` prints the settings in effect.";

const FORMS: &str = "\
Every setting can be changed for one run with `--set`, as in `newsfed --set net.host_delay=2s`. Times are written
\"30s\", \"15m\", \"1h\" or \"2d\"; sizes \"512KiB\" or \"10MiB\".";

/// Creates the page.
pub(super) fn page() -> io::Result<Manual> {
    let mut manual = Manual::new("newsfed-config", 5, "settings of newsfed")?;
    manual.section("SYNOPSIS")?;
    manual.text("`~/.config/newsfed/config.toml`")?;
    manual.section("DESCRIPTION")?;
    manual.text(DESCRIPTION)?;
    manual.paragraph()?;
    manual.text(FORMS)?;
    let parts = parts(EXAMPLE);
    settings(&mut manual, &parts)?;
    lists(&mut manual, &parts)?;
    commands(&mut manual)?;
    themes(&mut manual, &parts)?;
    manual
        .see_also(&["newsfed(1)", "newsfed-sources(5)", "newsfed-query(7)"].map(str::to_owned))?;
    Ok(manual)
}

/// Writes the settings with a single value, table by table.
fn settings(manual: &mut Manual, parts: &[Part<'_>]) -> io::Result<()> {
    let all: BTreeMap<&str, SettingReference> =
        settings_reference().into_iter().map(|setting| (setting.key, setting)).collect();
    manual.section("SETTINGS")?;
    let mut table = "";
    for (index, part) in parts.iter().enumerate() {
        match part {
            Part::Table(name) => {
                table = name;
                manual.subsection(&format!("[{name}]"))?;
                let before = index.checked_sub(1).and_then(|before| parts.get(before));
                match before {
                    Some(Part::Note { text, sample }) if sample.is_empty() => prose(manual, text)?,
                    _ => {}
                }
            }
            Part::Settings { text, keys } => {
                let path = |key: &str| match table {
                    "" => key.to_owned(),
                    table => format!("{table}.{key}"),
                };
                let rows: Vec<_> = keys.iter().filter_map(|key| all.get(&*path(key))).collect();
                manual.tags(rows.iter().map(|row| head(row)).collect())?;
                prose(manual, text)?;
                if rows.iter().any(|row| row.waits) {
                    manual.text("A change takes effect when newsfed restarts.")?;
                }
            }
            Part::Note { text, sample } if explains_more(sample) => {
                manual.paragraph()?;
                note(manual, text, sample)?;
            }
            Part::Note { .. } => {}
        }
    }
    Ok(())
}

/// Whether the sample in a note belongs to the table above it.
fn explains_more(sample: &[&str]) -> bool {
    sample.first().is_some_and(|line| !line.starts_with("[[") && !line.starts_with(THEMES))
}

/// A key, its values and its default.
fn head(row: &SettingReference) -> Vec<Inline> {
    let key = row.key.rsplit_once('.').map_or(row.key, |(_, key)| key);
    let default = row.default.as_ref().map(|value| format!("; default {value}"));
    vec![bold(key), roman(format!("  ({}{})", row.values, default.unwrap_or_default()))]
}

/// Writes lines of text. Empty lines separate paragraphs.
fn prose(manual: &mut Manual, text: &[&str]) -> io::Result<()> {
    for line in text {
        match *line {
            "" => manual.paragraph()?,
            line => manual.text(line)?,
        }
    }
    Ok(())
}

fn note(manual: &mut Manual, text: &[&str], sample: &[&str]) -> io::Result<()> {
    let end = text.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    prose(manual, &text[..end])?;
    if sample.is_empty() { Ok(()) } else { manual.sample(sample.iter().copied()) }
}

/// Writes the note whose sample begins with `start`.
fn note_on(manual: &mut Manual, parts: &[Part<'_>], start: &str) -> io::Result<()> {
    let found = parts.iter().find_map(|part| match part {
        Part::Note { text, sample } if sample.first().is_some_and(|l| l.starts_with(start)) => {
            Some((text, sample))
        }
        _ => None,
    });
    found.map_or(Ok(()), |(text, sample)| note(manual, text, sample))
}

/// Documents the lists, such as `[[view]]`.
fn lists(manual: &mut Manual, parts: &[Part<'_>]) -> io::Result<()> {
    manual.section("LISTS")?;
    for (name, keys) in elements_reference() {
        let header = format!("[[{name}]]");
        manual.subsection(&header)?;
        note_on(manual, parts, &header)?;
        for row in &keys {
            manual.tags(vec![vec![bold(row.key)]])?;
            let default = row.default.as_ref().map(|value| format!("; default {value}"));
            manual.text(&format!("{}{}", row.values, default.unwrap_or_default()))?;
        }
    }
    Ok(())
}

/// Documents the commands to which keys can be bound.
fn commands(manual: &mut Manual) -> io::Result<()> {
    manual.section("COMMANDS FOR KEYS")?;
    manual.text("The commands of the interface, which `[keys]` binds and `:` runs.")?;
    let mut task = None;
    for action in Action::ALL {
        if task.replace(action.task()) != Some(action.task()) {
            manual.subsection(action.task().title())?;
        }
        manual.entry(action.name(), &format!("{}.", action.help()))?;
    }
    Ok(())
}

fn themes(manual: &mut Manual, parts: &[Part<'_>]) -> io::Result<()> {
    manual.section("THEMES")?;
    note_on(manual, parts, THEMES)?;
    manual.paragraph()?;
    manual.text("The themes of newsfed are:")?;
    manual.text(&(theme_names(&BTreeMap::new()).join(", ") + "."))?;
    manual.paragraph()?;
    manual.text("The roles are:")?;
    let roles: Vec<&str> = Role::ALL.iter().map(|role| role.name()).collect();
    manual.text(&(roles.join(", ") + "."))
}
