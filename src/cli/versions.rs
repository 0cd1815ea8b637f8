//! The versions of an article, and the difference of the last two.

use super::exit::Failure;
use super::output::Output;
use super::show::{Format, read, wrapped};
use crate::article::{differences, marked};
use crate::model::{Item, TextFrom, Time};
use crate::store::{Reader, Version};
use crate::util::time_text::minute;
use serde::Serialize;

#[derive(Serialize)]
struct Shape<'a> {
    at: Time,
    from: TextFrom,
    html: &'a str,
}

#[derive(Serialize)]
struct Diff {
    earlier: Time,
    later: Time,
    text: String,
}

/// Prints the versions of an item, or with `diff` the difference of the last two.
///
/// # Errors
/// When there is nothing to print.
pub(super) fn print(
    reader: &Reader,
    key: i64,
    item: &Item,
    diff: bool,
    format: Format,
    out: &mut Output,
) -> Result<(), Failure> {
    let versions = reader.versions(key)?;
    if versions.is_empty() {
        return Err(Failure::Plain(format!("{key}: no version of its article is stored")));
    }
    if diff { difference(key, item, &versions, out) } else { all(item, &versions, format, out) }
}

fn all(item: &Item, versions: &[Version], format: Format, out: &mut Output) -> Result<(), Failure> {
    for (n, version) in versions.iter().enumerate() {
        if out.json || format == Format::Json {
            out.value(&Shape { at: version.at, from: version.from, html: &version.html })?;
            continue;
        }
        if n > 0 {
            out.line("")?;
        }
        out.line(format!("Version of {} ({})", minute(version.at), version.from.describe()))?;
        out.line("")?;
        let document = read(item, &version.html);
        match format {
            Format::Html => out.line(&version.html)?,
            Format::Markdown => out.text(&document.markdown())?,
            Format::Text | Format::Json => out.line(wrapped(&document.text(), out.width))?,
        }
    }
    Ok(())
}

fn difference(
    key: i64,
    item: &Item,
    versions: &[Version],
    out: &mut Output,
) -> Result<(), Failure> {
    let [later, earlier, ..] = versions else {
        return Err(Failure::Plain(format!("{key}: no earlier version of its article is stored")));
    };
    let text = |version: &Version| read(item, &version.html).text();
    let text = marked(&differences(&text(earlier), &text(later))).text();
    if out.json {
        return out.value(&Diff { earlier: earlier.at, later: later.at, text });
    }
    out.line(format!("From {} to {}", minute(earlier.at), minute(later.at)))?;
    out.line("")?;
    out.line(wrapped(&text, out.width))
}
