//! The versions of an article, and the difference of the last two.

use super::exit::Failure;
use super::output::Output;
use super::show::{Format, read, wrapped};
use crate::article::{LinkChanges, differences, marked};
use crate::model::{Item, Revision, TextFrom, Time};
use crate::store::{Reader, Version};
use crate::util::time_text::minute;
use serde::Serialize;

#[derive(Serialize)]
struct Shape<'a> {
    at: Time,
    from: TextFrom,
    html: &'a str,
    revisions: &'a Option<Vec<Revision>>,
    links_removed: Vec<String>,
    links_added: Vec<String>,
}

#[derive(Serialize)]
struct Diff<'a> {
    earlier: Time,
    later: Time,
    text: String,
    revisions: &'a Option<Vec<Revision>>,
    links_removed: Vec<String>,
    links_added: Vec<String>,
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
    if diff {
        return difference(key, item, &versions, out);
    }
    all(item, &versions, format, out)?;
    if !out.json && format != Format::Json {
        for (until, title) in reader.titles(key)? {
            out.line(format!("\nTitle until {}: {title}", minute(until)))?;
        }
    }
    Ok(())
}

/// What a version changed about the links of the one before.
fn link_changes(item: &Item, earlier: Option<&Version>, later: &Version) -> LinkChanges {
    let links = |earlier: &Version| {
        LinkChanges::between(&read(item, &earlier.html), &read(item, &later.html))
    };
    earlier.map(links).unwrap_or_default()
}

fn all(item: &Item, versions: &[Version], format: Format, out: &mut Output) -> Result<(), Failure> {
    for (n, version) in versions.iter().enumerate() {
        let links = link_changes(item, versions.get(n + 1), version);
        if out.json || format == Format::Json {
            out.value(&Shape {
                at: version.at,
                from: version.from,
                html: &version.html,
                revisions: &version.revisions,
                links_removed: links.removed,
                links_added: links.added,
            })?;
            continue;
        }
        if n > 0 {
            out.line("")?;
        }
        out.line(format!("Version of {} ({})", minute(version.at), version.from.describe()))?;
        describe(version, &links, out)?;
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

/// What a version changed, in words, and its links.
fn describe(version: &Version, links: &LinkChanges, out: &mut Output) -> Result<(), Failure> {
    if let Some(revisions) = &version.revisions {
        let words: Vec<Revision> =
            revisions.iter().filter(|one| one.kind.is_substantial()).cloned().collect();
        if !words.is_empty() || links.is_empty() {
            out.line(format!("Change: {}", Revision::summary(&words)))?;
        }
    }
    links.removed.iter().try_for_each(|url| out.line(format!("Link: [-{url}-]")))?;
    links.added.iter().try_for_each(|url| out.line(format!("Link: {{+{url}+}}")))
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
    let links = link_changes(item, Some(earlier), later);
    if out.json {
        return out.value(&Diff {
            earlier: earlier.at,
            later: later.at,
            text,
            revisions: &later.revisions,
            links_removed: links.removed,
            links_added: links.added,
        });
    }
    out.line(format!("From {} to {}", minute(earlier.at), minute(later.at)))?;
    describe(later, &links, out)?;
    out.line("")?;
    out.line(wrapped(&text, out.width))
}
