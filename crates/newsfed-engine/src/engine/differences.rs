//! The changes in each stored version of an item: in its title, its text and its links.

use crate::article::{
    Change, Document, LinkChanges, differences, from_html, headline, marked_parts,
};
use crate::model::{Item, Revision, RevisionKind, TextFrom, Time};
use crate::store::{Reader, Result, Version};
use url::Url;

/// Maximum number of bytes of HTML to compare for one item; older versions beyond that are left out.
const MAX_COMPARED: usize = 4 << 20;

/// The changes between a version of an item and the previous one. The text is empty if only the title
/// changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionChange {
    /// When the earlier version was first seen; `None` if only the title changed.
    pub earlier: Option<Time>,
    /// When the later version was first seen.
    pub at: Time,
    /// The titles before and after, if they differ.
    pub titles: Option<(String, String)>,
    /// The word-by-word difference between the texts.
    pub text: Vec<Change>,
    pub links: LinkChanges,
    /// The changes, apart from typos; `None` if they were not examined.
    pub revisions: Option<Vec<Revision>>,
}

/// The changes in each stored version of an item, newest first. A change to the title is assigned to the
/// first version seen at the same time or later. The text of a page is not compared with that of a feed.
///
/// # Errors
/// If the database cannot be read.
pub fn version_changes(reader: &Reader, key: i64, item: &Item) -> Result<Vec<VersionChange>> {
    let versions = reader.versions(key)?;
    let mut titles = renamings(reader.titles(key)?, &item.title);
    let base = item.url.as_deref().and_then(|url| Url::parse(url).ok());
    let mut out = Vec::new();
    let (mut left, mut later): (usize, Option<(&Version, Document)>) = (MAX_COMPARED, None);
    for version in &versions {
        let Some(rest) = left.checked_sub(version.html.len()) else { break };
        left = rest;
        let document = from_html(&version.html, base.as_ref());
        if let Some((later, new)) = later.take().filter(|(later, _)| comparable(later, version)) {
            out.push(VersionChange {
                earlier: Some(version.at),
                at: later.at,
                titles: joined(titles.extract_if(.., |t| t.at > version.at && t.at <= later.at)),
                text: match later.from {
                    // The text itself describes the changes.
                    TextFrom::File => marked_parts(&new),
                    _ => differences(&document.text(), &new.text()),
                },
                links: LinkChanges::between(&document, &new),
                revisions: later.revisions.clone(),
            });
        }
        later = Some((version, document));
    }
    out.extend(titles.into_iter().map(Renaming::alone));
    out.sort_by_key(|change| std::cmp::Reverse(change.at));
    for change in &mut out {
        change.describe_titles(item.language.as_deref());
    }
    Ok(out)
}

fn comparable(a: &Version, b: &Version) -> bool {
    (a.from == TextFrom::Feed) == (b.from == TextFrom::Feed)
}

/// A change to the title.
struct Renaming {
    at: Time,
    from: String,
    to: String,
}

impl Renaming {
    fn alone(self) -> VersionChange {
        VersionChange {
            earlier: None,
            at: self.at,
            titles: Some((self.from, self.to)),
            text: Vec::new(),
            links: LinkChanges::default(),
            revisions: Some(Vec::new()),
        }
    }
}

/// The changes to a title, newest first. `earlier` contains its previous values, each with the time of its
/// replacement.
fn renamings(earlier: Vec<(Time, String)>, current: &str) -> Vec<Renaming> {
    let mut to = current.to_owned();
    let renaming = |(at, from): (Time, String)| {
        let to = std::mem::replace(&mut to, from.clone());
        Renaming { at, from, to }
    };
    earlier.into_iter().map(renaming).collect()
}

/// Merges several changes, newest first, into one; `None` if the title ended up unchanged.
fn joined(all: impl Iterator<Item = Renaming>) -> Option<(String, String)> {
    let all: Vec<Renaming> = all.collect();
    let (last, first) = (all.first()?, all.last()?);
    (first.from != last.to).then(|| (first.from.clone(), last.to.clone()))
}

impl VersionChange {
    /// Adds the title to the revisions, unless only typos were corrected.
    fn describe_titles(&mut self, language: Option<&str>) {
        let Some(((from, to), revisions)) = self.titles.as_ref().zip(self.revisions.as_mut())
        else {
            return;
        };
        let known = revisions.iter().any(|one| one.kind == RevisionKind::Headline);
        if let Some(revision) = headline(from, to, language).filter(|_| !known) {
            revisions.insert(0, revision);
        }
    }

    /// All changes, word by word: the title, the text, and a list of links.
    pub fn changes(&self) -> Vec<Change> {
        let line = || Change::Same("\n".to_owned());
        let mut out = Vec::new();
        if let Some((from, to)) = &self.titles {
            out.push(Change::Same("Title: ".to_owned()));
            out.extend(differences(from, to));
            out.push(Change::Same("\n\n".to_owned()));
        }
        out.extend(self.text.iter().cloned());
        if self.earlier.is_none() {
            let note = "The earlier text was not kept; it may have changed too.";
            out.push(Change::Same(note.to_owned()));
        }
        if !self.links.is_empty() {
            out.push(Change::Same("\n\nLinks and images:\n".to_owned()));
        }
        for url in &self.links.removed {
            out.extend([Change::Removed(url.clone()), line()]);
        }
        for url in &self.links.added {
            out.extend([Change::Added(url.clone()), line()]);
        }
        out
    }
}
