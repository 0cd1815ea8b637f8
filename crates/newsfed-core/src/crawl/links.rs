//! All links that a crawl has seen, with one entry per URL, stored compactly.

use crate::util::limits;
use std::hash::{BuildHasher, RandomState};

/// A link of a crawl: its index in order of discovery.
pub type LinkId = u32;

/// A link as found on a page.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// The absolute URL, without a fragment.
    pub url: &'a str,
    /// The elements from the root to the link: `/html/body.wide/main#top/ul.menu main/li/a`.
    pub path: &'a str,
    /// Anchor text.
    pub anchor: &'a str,
}

/// A hash table of indices of texts, with five bytes per slot. A map would store the entire hashes.
#[derive(Debug, Default)]
struct Table {
    /// The number of slots is a power of two. At most three quarters of them are used.
    slots: Vec<u32>,
    /// The highest bits of the hash in each slot, so that few texts need to be compared.
    tags: Vec<u8>,
    used: usize,
}

/// An unused slot.
const FREE: u32 = u32::MAX;

impl Table {
    /// The index for which `is` returns true, among the indices with this hash.
    fn find(&self, hash: u64, is: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = hash as usize & mask;
        while self.slots[at] != FREE {
            if self.tags[at] == tag(hash) && is(self.slots[at]) {
                return Some(self.slots[at]);
            }
            at = (at + 1) & mask;
        }
        None
    }

    /// Adds an index that is not in the table. `hash` returns the hash of any index.
    fn insert(&mut self, number: u32, hash: impl Fn(u32) -> u64) {
        if 4 * (self.used + 1) > 3 * self.slots.len() {
            let size = (2 * self.slots.len()).max(16);
            let old = std::mem::replace(&mut self.slots, vec![FREE; size]);
            self.tags = vec![0; size];
            old.into_iter().filter(|n| *n != FREE).for_each(|n| self.put(n, hash(n)));
        }
        self.used += 1;
        self.put(number, hash(number));
    }

    fn put(&mut self, number: u32, hash: u64) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at] != FREE {
            at = (at + 1) & mask;
        }
        self.slots[at] = number;
        self.tags[at] = tag(hash);
    }
}

/// The tag uses the highest bits, because the position uses the lowest ones.
fn tag(hash: u64) -> u8 {
    (hash >> 56) as u8
}

/// Interned strings.
#[derive(Debug, Default)]
struct Texts {
    all: Vec<Box<str>>,
    numbers: Table,
    hasher: RandomState,
    bytes: usize,
}

impl Texts {
    fn number(&mut self, text: &str) -> u32 {
        let Self { all, numbers, hasher, bytes } = self;
        let hash = hasher.hash_one(text);
        if let Some(number) = numbers.find(hash, |n| &*all[n as usize] == text) {
            return number;
        }
        let number = u32::try_from(all.len()).unwrap_or(u32::MAX);
        all.push(text.into());
        *bytes += text.len();
        numbers.insert(number, |n| hasher.hash_one(&*all[n as usize]));
        number
    }
}

/// A link, in 20 bytes plus its URL.
#[derive(Debug, Clone, Copy)]
struct Row {
    path: u32,
    anchor: u32,
    from: LinkId,
    start: u32,
    len: u16,
    depth: u16,
}

#[derive(Debug)]
pub struct Links {
    rows: Vec<Row>,
    addresses: String,
    /// Indices of links by the hash of their URL.
    known: Table,
    hasher: RandomState,
    paths: Texts,
    anchors: Texts,
    /// Maximum number of links.
    most: usize,
}

impl Default for Links {
    fn default() -> Self {
        Self::with_limit(limits::CRAWL_TOTAL)
    }
}

/// Maximum length of a URL, in bytes.
pub const MAX_ADDRESS: usize = 2_000;
/// Maximum size of all URLs, paths and anchors, in bytes per allowed link. Long texts count as several links.
const TEXT: usize = 128;
/// Maximum number of distinct paths. Additional paths are stored as empty.
const MAX_PATHS: usize = 50_000;

impl Links {
    /// Stores at most this many links.
    pub fn with_limit(most: usize) -> Self {
        Self {
            rows: Vec::new(),
            addresses: String::new(),
            known: Table::default(),
            hasher: RandomState::new(),
            paths: Texts::default(),
            anchors: Texts::default(),
            most,
        }
    }

    /// Adds a link found on page `from`. Returns its id and whether it is new; `None` if its URL is too long
    /// or a limit is reached.
    pub fn add(&mut self, seen: Seen<'_>, from: Option<LinkId>) -> Option<(LinkId, bool)> {
        let hash = self.hasher.hash_one(seen.url);
        if let Some(id) = self.known.find(hash, |id| self.url(id) == seen.url) {
            return Some((id, false));
        }
        let text = self.addresses.len() + self.paths.bytes + self.anchors.bytes;
        let most = self.most.saturating_mul(TEXT).clamp(MAX_ADDRESS, u32::MAX as usize);
        let full = self.rows.len() >= self.most || text + seen.url.len() > most;
        if full || seen.url.len() > MAX_ADDRESS {
            return None;
        }
        let path = if self.paths.all.len() < MAX_PATHS { seen.path } else { "" };
        let id = LinkId::try_from(self.rows.len()).ok()?;
        self.rows.push(Row {
            path: self.paths.number(path),
            anchor: self.anchors.number(seen.anchor),
            from: from.unwrap_or(id),
            start: self.addresses.len() as u32,
            len: seen.url.len() as u16,
            depth: from.map_or(0, |f| self.rows[f as usize].depth.saturating_add(1)),
        });
        self.addresses.push_str(seen.url);
        let Self { known, rows, addresses, hasher, .. } = self;
        known.insert(id, |id| hasher.hash_one(url_of(rows, addresses, id)));
        Some((id, true))
    }

    /// Maximum number of links.
    pub fn limit(&self) -> usize {
        self.most
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn url(&self, id: LinkId) -> &str {
        url_of(&self.rows, &self.addresses, id)
    }

    /// The element path of the link where it was first seen.
    pub fn path(&self, id: LinkId) -> &str {
        &self.paths.all[self.rows[id as usize].path as usize]
    }

    pub fn path_number(&self, id: LinkId) -> u32 {
        self.rows[id as usize].path
    }

    pub fn path_text(&self, number: u32) -> &str {
        &self.paths.all[number as usize]
    }

    /// The anchor text of the link where it was first seen.
    pub fn anchor(&self, id: LinkId) -> &str {
        &self.anchors.all[self.rows[id as usize].anchor as usize]
    }

    pub fn anchor_number(&self, id: LinkId) -> u32 {
        self.rows[id as usize].anchor
    }

    /// The page where the link was first seen. The start of a crawl is its own parent.
    pub fn from(&self, id: LinkId) -> LinkId {
        self.rows[id as usize].from
    }

    /// Distance from the start of the crawl, in links.
    pub fn depth(&self, id: LinkId) -> u16 {
        self.rows[id as usize].depth
    }
}

fn url_of<'a>(rows: &[Row], addresses: &'a str, id: LinkId) -> &'a str {
    let row = rows[id as usize];
    &addresses[row.start as usize..row.start as usize + usize::from(row.len)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_each_url_once() {
        let mut links = Links::default();
        let seen = |url| Seen { url, path: "/html/a", anchor: "More" };
        assert_eq!(links.add(seen("https://a.example/"), None), Some((0, true)));
        assert_eq!(links.add(seen("https://a.example/1"), Some(0)), Some((1, true)));
        assert_eq!(links.add(seen("https://a.example/1"), Some(1)), Some((1, false)));
        assert_eq!(links.add(seen(&"x".repeat(MAX_ADDRESS + 1)), Some(0)), None);
        assert_eq!(
            (links.url(1), links.path(1), links.anchor(1)),
            ("https://a.example/1", "/html/a", "More")
        );
        assert_eq!((links.from(1), links.depth(1), links.from(0), links.depth(0)), (0, 1, 0, 0));
    }
    #[test]
    fn finds_each_of_many_links_up_to_the_limit() {
        let mut links = Links::with_limit(5_000);
        let url = |n: u32| format!("https://a.example/{n}");
        let mut add = |n| links.add(Seen { url: &url(n), path: &url(n % 300), anchor: "" }, None);
        assert!((0..5_000).all(|n| add(n) == Some((n, true))));
        assert!((0..5_000).all(|n| add(n) == Some((n, false))));
        assert_eq!(add(5_000), None, "the limit is reached");
        assert!((0..5_000).all(|n| links.url(n) == url(n) && links.path(n) == url(n % 300)));
        assert_eq!(links.path_number(299), 299);
    }

    #[test]
    fn long_urls_count_as_several_links() {
        let mut links = Links::with_limit(100);
        let url = |n: u32| format!("https://a.example/{n}/{}", "x".repeat(1_000));
        let added = (0..100)
            .filter(|n| links.add(Seen { url: &url(*n), path: "", anchor: "" }, None).is_some());
        assert_eq!(added.count(), 12);
    }
}
