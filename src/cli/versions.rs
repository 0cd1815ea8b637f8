//! Prints the versions of an article, or the difference between the last two.

use super::exit::Failure;
use super::output::Output;
use super::show::{Format, read, wrapped};
use crate::article::{LinkChanges, differences, marked};
use crate::engine::version_changes;
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
    earlier: Option<Time>,
    later: Time,
    former_title: Option<&'a String>,
    title: Option<&'a String>,
    text: String,
    revisions: &'a Option<Vec<Revision>>,
    links_removed: &'a [String],
    links_added: &'a [String],
}

/// An item whose versions are printed.
pub(super) struct Versions<'a> {
    pub(super) reader: &'a Reader,
    pub(super) key: i64,
    pub(super) item: &'a Item,
    /// Whether the source's items are created from pages, so that no version is from a feed.
    pub(super) reads_pages: bool,
}

/// Prints the versions of an item, or with `diff` the changes in the newest one.
///
/// If there is nothing to print.
pub(super) fn print(
    shown: &Versions<'_>,
    diff: bool,
    format: Format,
    out: &mut Output,
) -> Result<(), Failure> {
    if diff {
        return difference(shown, out);
    }
    let versions = shown.reader.versions(shown.key)?;
    let titles = shown.reader.titles(shown.key)?;
    if versions.is_empty() && titles.is_empty() {
        return Err(Failure::Plain(format!(
            "item {} has no versions: {}",
            shown.key,
            shown.none()
        )));
    }
    all(shown, &versions, format, out)?;
    if !out.json && format != Format::Json {
        for (until, title) in titles {
            out.line(format!("\nTitle until {}: {title}", minute(until)))?;
        }
    }
    Ok(())
}

/// The changes to links from the previous version to this one.
fn link_changes(item: &Item, earlier: Option<&Version>, later: &Version) -> LinkChanges {
    let links = |earlier: &Version| {
        LinkChanges::between(&read(item, &earlier.html), &read(item, &later.html))
    };
    earlier.map(links).unwrap_or_default()
}

fn all(
    shown: &Versions<'_>,
    versions: &[Version],
    format: Format,
    out: &mut Output,
) -> Result<(), Failure> {
    let item = shown.item;
    for (n, version) in versions.iter().enumerate() {
        let links = link_changes(item, versions.get(n + 1), version);
        if out.json || format == Format::Json {
            out.value(&Shape {
                at: version.at,
                from: shown.origin(version),
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
        out.line(format!(
            "Version of {} ({})",
            minute(version.at),
            shown.origin(version).describe()
        ))?;
        describe(version.revisions.as_deref(), &links, out)?;
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

/// Describes the changes in a version, including links.
fn describe(
    revisions: Option<&[Revision]>,
    links: &LinkChanges,
    out: &mut Output,
) -> Result<(), Failure> {
    if let Some(revisions) = revisions {
        let words: Vec<Revision> =
            revisions.iter().filter(|one| one.kind.is_substantial()).cloned().collect();
        if !words.is_empty() || links.is_empty() {
            out.line(format!("Change: {}", Revision::summary(&words)))?;
        }
    }
    links.removed.iter().try_for_each(|url| out.line(format!("Link: [-{url}-]")))?;
    links.added.iter().try_for_each(|url| out.line(format!("Link: {{+{url}+}}")))
}

/// Prints the changes in the newest version.
fn difference(shown: &Versions<'_>, out: &mut Output) -> Result<(), Failure> {
    let changes = version_changes(shown.reader, shown.key, shown.item)?;
    let Some(change) = changes.first() else {
        return Err(Failure::Plain(format!(
            "item {} has no changes to show: {}",
            shown.key,
            shown.none()
        )));
    };
    let text = marked(&change.text).text();
    if out.json {
        return out.value(&Diff {
            earlier: change.earlier,
            later: change.at,
            former_title: change.titles.as_ref().map(|(from, _)| from),
            title: change.titles.as_ref().map(|(_, to)| to),
            text,
            revisions: &change.revisions,
            links_removed: &change.links.removed,
            links_added: &change.links.added,
        });
    }
    match change.earlier {
        Some(earlier) => out.line(format!("From {} to {}", minute(earlier), minute(change.at)))?,
        None => out.line(format!("Title changed on {}", minute(change.at)))?,
    }
    describe(change.revisions.as_deref(), &change.links, out)?;
    if let Some((from, to)) = &change.titles {
        out.line(format!("Title: {}", marked(&differences(from, to)).text()))?;
    }
    if text.is_empty() {
        return Ok(());
    }
    out.line("")?;
    out.line(wrapped(&text, out.width))
}

impl Versions<'_> {
    /// The origin of the text of a version.
    fn origin(&self, version: &Version) -> TextFrom {
        match version.from {
            TextFrom::Feed if self.reads_pages => TextFrom::Page,
            from => from,
        }
    }

    /// Explains why no earlier text is stored.
    fn none(&self) -> &'static str {
        let may_be_cut = !self.reads_pages
            && self.item.text_from == TextFrom::Feed
            && self.item.feed_has_full_text != Some(true);
        if may_be_cut {
            "newsfed keeps earlier texts of fetched pages and of feeds with full articles; this \
             feed may contain only the beginning of its articles"
        } else {
            "no earlier version of its article is stored"
        }
    }
}
