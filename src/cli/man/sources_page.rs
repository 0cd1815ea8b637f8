//! `newsfed-sources(5)`: every key of a source, generated from the table of the config loader.

use super::manual::Manual;
use crate::config::{SettingReference, settings_reference, sources_reference};
use crate::model::SourceKind;
use clap_mangen::roff::{bold, roman};
use std::io;

const DESCRIPTION: &str = "\
sources.toml lists the sources that newsfed follows, as `[[source]]` entries in TOML. `newsfed add`, `newsfed sources
edit`, `newsfed import` and the interface change the file, and keep comments, order and line endings. Changes made in an
editor take effect at once. `newsfed config check` reports errors.";

const TABLES: &str = "\
Tables can also be written inline, as in `schedule = { priority = \"high\", min_interval = \"10m\" }`.
Times are written \"30s\", \"15m\", \"1h\" or \"2d\".";

/// An example for the page. A test loads it.
pub(super) const EXAMPLE: &str = r#"[[source]]
url = "https://example.org/feed.xml"
title = "The Example"
folder = "Tech/Web"
tags = ["web", "weekly"]

[[source]]
url = "https://example.org/news"
kind = "website"
website.articles = "main h2 a"
website.title = "h1"
website.content = ".article-body"
schedule = { priority = "high", min_interval = "10m" }

[[source]]
url = "https://example.org/private.xml"
user = "alice"
password = { command = ["pass", "show", "example"] }
headers = { "X-Key" = { env = "EXAMPLE_KEY" } }"#;

/// Keys that identify a source, and are parsed by separate code.
const IDENTIFIERS: [(&str, &str); 3] = [
    (
        "id",
        "The name of the source in commands and in the database. Derived from the URL if it is missing.",
    ),
    ("list", "The id of the list that the source came from. Written by newsfed."),
    ("account", "The id of the account whose server has the source. Written by newsfed."),
];

/// Creates the page.
pub(super) fn page() -> io::Result<Manual> {
    let mut manual = Manual::new("newsfed-sources", 5, "sources that newsfed follows")?;
    manual.section("SYNOPSIS")?;
    manual.text("`~/.config/newsfed/sources.toml`")?;
    manual.section("DESCRIPTION")?;
    manual.text(DESCRIPTION)?;
    manual.paragraph()?;
    manual.text(TABLES)?;
    manual.section("KINDS")?;
    for kind in SourceKind::ALL {
        manual.entry(kind.name(), kind.describe())?;
    }
    manual.section("KEYS")?;
    for (key, text) in IDENTIFIERS {
        manual.entry(key, text)?;
    }
    let settings = settings_reference();
    let mut page = None;
    for row in &sources_reference() {
        if row.page.is_some() && page != row.page {
            page = row.page;
            manual.subsection(row.page.map_or("", |page| page.title()))?;
        }
        manual.tags(vec![vec![bold(row.key), roman(format!("  ({})", row.values))]])?;
        manual.text(row.help)?;
        manual.text(&remarks(row, &settings))?;
    }
    manual.section("EXAMPLES")?;
    manual.sample(EXAMPLE.lines())?;
    manual.see_also(&["newsfed(1)", "newsfed-add(1)", "newsfed-config(5)"].map(str::to_owned))?;
    Ok(manual)
}

/// The default for a missing key, and which kinds of sources can have it.
fn remarks(row: &SettingReference, settings: &[SettingReference]) -> String {
    let overrides = row.help.is_empty() && settings.iter().any(|other| other.key == row.key);
    let default = match row.unset.strip_prefix("default (").and_then(|d| d.strip_suffix(')')) {
        _ if overrides => format!("Overrides {} of newsfed-config(5).", row.key),
        Some(default) => format!("Default: {default}."),
        None if row.unset == "inherit" => "Default: as in newsfed-config(5).".to_owned(),
        None => String::new(),
    };
    let without = SourceKind::ALL.into_iter().filter(|kind| !row.kinds.contains(kind));
    let names = |kinds: &[SourceKind]| kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>();
    match without.collect::<Vec<_>>().as_slice() {
        [] => default,
        [one] => format!("{default}\nNot for the kind {}.", one.name()),
        _ => format!("{default}\nFor the kinds {} only.", names(row.kinds).join(", ")),
    }
}
