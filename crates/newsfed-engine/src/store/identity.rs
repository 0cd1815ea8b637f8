//! Decides whether two entries of a source are the same item: by guid, then URL, then text.

use super::hashing::{Hashing, Stable, TextHash};
use crate::model::Entry;
use crate::util::html::{has_marker, without_hashes};
use crate::util::url::normalise;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// An entry with the hashes that identify it, computed outside the writer thread.
#[derive(Debug, Clone)]
pub struct Prepared {
    pub(super) entry: Entry,
    /// `None` if the entry has no guid, or if several entries of the document have the same guid.
    pub(super) guid_hash: Option<i64>,
    pub(super) url_hash: i64,
    /// Hash of the text alone.
    pub(super) content_hash: i64,
    /// Hash of everything that the publisher can change.
    pub(super) version_hash: i64,
    /// Whether the text alone is long enough to identify the entry.
    pub(super) distinctive: bool,
    /// See [`prepare_identified`].
    pub(super) identified: bool,
    /// Whether the date of the entry is relative to the poll.
    floats: bool,
    /// Whether pictures are embedded in its texts.
    pub(super) has_embedded: bool,
    /// The hashes of the entry's texts as earlier versions of newsfed read them, if they differ.
    former: Vec<Hashes>,
}

/// Hashes of an entry: of its text alone, and of everything that the publisher can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hashes {
    pub(super) content: i64,
    pub(super) version: i64,
}

impl Prepared {
    /// Total size of the title and the texts, in bytes.
    pub fn text_bytes(&self) -> usize {
        text_length(&self.entry) + self.entry.title.len()
    }

    /// The hashes that earlier versions of newsfed stored for this entry.
    pub(super) fn former_hashes(&self) -> impl Iterator<Item = Hashes> {
        let unkeyed = std::iter::once_with(|| match self.identified {
            true => identified_hashes(&Stable, &self.entry, self.floats),
            false => hashes(&Stable, &self.entry),
        });
        unkeyed.chain(self.former.iter().copied())
    }
}

/// The hashes of the texts that earlier versions made of an entry, keyed and as SHA-256.
fn hashes_of_former(hashing: &Hashing, entry: &mut Entry) -> Vec<Hashes> {
    let Some(former) = entry.former.take() else { return Vec::new() };
    let entry = Entry {
        summary: former.summary.or_else(|| entry.summary.clone()),
        content: former.content.or_else(|| entry.content.clone()),
        ..entry.clone()
    };
    vec![hashes(hashing, &entry), hashes(&Stable, &entry)]
}

/// Minimum length of equal texts, in bytes, that identify an item even if guid and URL differ.
pub(super) const DISTINCTIVE: usize = 200;

/// Hashes the entries of one document and drops duplicates: identical entries, and entries with the same
/// title and neither guid nor URL. The order is kept.
pub fn prepare(entries: Vec<Entry>, hashing: &Hashing) -> Vec<Prepared> {
    let mut shared: HashMap<String, usize> = HashMap::new();
    let mut seen = HashSet::new();
    let mut titles = HashSet::new();
    let mut kept = Vec::with_capacity(entries.len());
    for mut entry in entries {
        // The zero of a publisher's clock (year 1 or 1970) is not a date.
        let real = |t: &crate::model::Time| t.timestamp() > 0;
        entry.published = entry.published.filter(real);
        entry.updated = entry.updated.filter(real);
        let hashes = hashes(hashing, &entry);
        let nameless = entry.guid.is_none() && entry.url.is_none() && !entry.title.is_empty();
        let again = if nameless {
            !titles.insert(entry.title.clone())
        } else {
            !seen.insert((entry.guid.clone(), hashes.version))
        };
        if again {
            continue;
        }
        if let Some(guid) = &entry.guid {
            *shared.entry(guid.clone()).or_default() += 1;
        }
        let former = hashes_of_former(hashing, &mut entry);
        kept.push((entry, hashes, former));
    }
    kept.into_iter()
        .map(|(entry, hashes, former)| {
            let guid = entry.guid.as_ref().filter(|g| !g.is_empty() && shared.get(*g) == Some(&1));
            Prepared {
                guid_hash: guid.map(|g| guid_hash(g)),
                url_hash: url_hash(&entry),
                content_hash: hashes.content,
                version_hash: hashes.version,
                distinctive: text_length(&entry) >= DISTINCTIVE,
                identified: false,
                floats: false,
                has_embedded: has_embedded(&entry),
                former,
                entry,
            }
        })
        .collect()
}

/// Like [`prepare`], for the entries of one page: each has an identifier as its guid, and has its full text.
/// Their URLs do not identify them, because several may lead to one page. An entry whose identifier has
/// changed is recognised by title, text and date, otherwise by title and date. `floats` is, for each entry,
/// whether its date is relative to the poll. Without a URL, an entry with a relative date is identified by
/// its title and text alone.
pub fn prepare_identified(
    entries: Vec<Entry>,
    floats: &[bool],
    hashing: &Hashing,
) -> Vec<Prepared> {
    let floating =
        entries.iter().zip(floats).filter(|(entry, floats)| **floats && entry.url.is_none());
    let floating: HashSet<String> = floating.filter_map(|(entry, _)| entry.guid.clone()).collect();
    let mut prepared = prepare(entries, hashing);
    for each in &mut prepared {
        each.floats = each.entry.guid.as_ref().is_some_and(|guid| floating.contains(guid));
        let hashes = identified_hashes(hashing, &each.entry, each.floats);
        (each.content_hash, each.version_hash) = (hashes.content, hashes.version);
        each.url_hash =
            Stable.hash(["entry", each.entry.title.as_str(), day(&each.entry).as_str()]);
        (each.identified, each.distinctive) = (true, true);
    }
    prepared
}

fn hashes(hashing: &impl TextHash, entry: &Entry) -> Hashes {
    let content = content_hash(hashing, entry);
    Hashes { content, version: version_hash(hashing, entry, entry.url.as_deref(), content) }
}

/// Like [`hashes`], for an entry of [`prepare_identified`].
fn identified_hashes(hashing: &impl TextHash, entry: &Entry, floats: bool) -> Hashes {
    let content = content_hash(hashing, entry);
    // The fragment for the entry on the page may change or disappear without an edit.
    let link = entry.url.as_deref().filter(|url| !url.contains('#'));
    let version = version_hash(hashing, entry, link, content);
    let dated = || hashing.hash([content.to_string().as_str(), day(entry).as_str()]);
    Hashes { content: if floats { content } else { dated() }, version }
}

/// The day of publication.
fn day(entry: &Entry) -> String {
    entry.published.map(|at| at.date_naive().to_string()).unwrap_or_default()
}

pub(super) fn guid_hash(guid: &str) -> i64 {
    Stable.hash([guid])
}

fn text_length(entry: &Entry) -> usize {
    entry.content.as_deref().unwrap_or("").len() + entry.summary.as_deref().unwrap_or("").len()
}

/// Hash of the URL without its scheme; without a URL, hash of the title; without a title, hash of the text.
fn url_hash(entry: &Entry) -> i64 {
    match entry.url.as_deref() {
        Some(address) => match url::Url::parse(address) {
            Ok(url) => address_hash(&url),
            Err(_) => Stable.hash(["url", address]),
        },
        None if !entry.title.is_empty() => Stable.hash(["title", entry.title.as_str()]),
        None => Stable.hash([
            "text",
            entry.summary.as_deref().unwrap_or(""),
            entry.content.as_deref().unwrap_or(""),
        ]),
    }
}

/// Hash of a URL without its scheme and `www.`.
pub(super) fn address_hash(url: &url::Url) -> i64 {
    let normal = normalise(url);
    let bare = normal.split_once("://").map_or(normal.as_str(), |(_, rest)| rest);
    Stable.hash(["url", bare.strip_prefix("www.").unwrap_or(bare)])
}

/// Hash of the text that can identify an entry. The data of embedded pictures does not count: it may differ
/// in each response, and earlier versions of newsfed did not store hashes of it.
fn content_hash(hashing: &impl TextHash, entry: &Entry) -> i64 {
    let texts = [&entry.summary, &entry.content].map(|text| {
        let text = text.as_deref().unwrap_or_default();
        without_hashes(text).map_or(Cow::Borrowed(text), Cow::Owned)
    });
    hashing.hash(std::iter::once(entry.title.as_str()).chain(texts.iter().map(|t| t.as_ref())))
}

fn has_embedded(entry: &Entry) -> bool {
    [&entry.summary, &entry.content].into_iter().flatten().any(|text| has_marker(text))
}

/// Hash of everything that counts as a change when the publisher edits it. A date that newsfed
/// filled in does not count.
fn version_hash(
    hashing: &impl TextHash,
    entry: &Entry,
    url: Option<&str>,
    content_hash: i64,
) -> i64 {
    let date =
        |t: Option<crate::model::Time>| t.map(|t| t.timestamp().to_string()).unwrap_or_default();
    let numbers = [content_hash.to_string(), date(entry.published), date(entry.updated)];
    let texts = [&entry.comments, &entry.language, &entry.publisher];
    let texts = texts.into_iter().map(|t| t.as_deref().unwrap_or(""));
    let texts = std::iter::once(url.unwrap_or("")).chain(texts);
    let lists = entry.authors.iter().chain(&entry.categories).map(String::as_str);
    let enclosures = entry.enclosures.iter().map(|e| e.url.as_str());
    hashing.hash(numbers.iter().map(String::as_str).chain(texts).chain(lists).chain(enclosures))
}
