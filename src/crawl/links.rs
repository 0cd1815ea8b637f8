//! All links that a crawl has seen, each URL once, in compact form.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

/// A link of a crawl: its index in the order in which links were seen.
pub type LinkId = u32;

/// A link as a page shows it.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// The absolute URL, without a fragment.
    pub url: &'a str,
    /// The elements from the root to the link: `/html/body.wide/main#top/ul.menu main/li/a`.
    pub path: &'a str,
    /// Anchor text.
    pub anchor: &'a str,
}

/// Interned strings.
#[derive(Debug, Default)]
struct Texts {
    all: Vec<Box<str>>,
    /// Indexes by the hash of the text.
    numbers: HashMap<u64, u32, Plain>,
    hasher: RandomState,
    bytes: usize,
}

impl Texts {
    fn number(&mut self, text: &str) -> u32 {
        let key = self.hasher.hash_one(text);
        if let Some(number) = self.numbers.get(&key).filter(|n| &*self.all[**n as usize] == text) {
            return *number;
        }
        let number = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        self.all.push(text.into());
        self.bytes += text.len();
        self.numbers.insert(key, number);
        number
    }
}

/// One link: 20 bytes besides its URL.
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
    /// Indexes by the hash of the URL.
    known: HashMap<u64, LinkId, Plain>,
    hasher: RandomState,
    paths: Texts,
    anchors: Texts,
}

impl Default for Links {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            addresses: String::new(),
            known: HashMap::default(),
            hasher: RandomState::new(),
            paths: Texts::default(),
            anchors: Texts::default(),
        }
    }
}

/// Longest URL that is stored, in bytes.
pub const MAX_ADDRESS: usize = 2_000;
/// Total size of stored URLs, paths and anchors, in bytes. Links seen after that are dropped.
const MOST_TEXT: usize = 256 << 20;
/// Maximum number of distinct paths. Further paths count as empty.
const MOST_PATHS: usize = 50_000;

impl Links {
    /// The id of a link on page `from`, and whether it is new. `None` if it is too long, or too much
    /// is stored already.
    pub fn add(&mut self, seen: Seen<'_>, from: Option<LinkId>) -> Option<(LinkId, bool)> {
        let key = self.hasher.hash_one(seen.url);
        if let Some(id) = self.known.get(&key).filter(|id| self.url(**id) == seen.url) {
            return Some((*id, false));
        }
        let kept = self.addresses.len() + self.paths.bytes + self.anchors.bytes;
        if seen.url.len() > MAX_ADDRESS || kept + seen.url.len() > MOST_TEXT {
            return None;
        }
        let path = if self.paths.all.len() < MOST_PATHS { seen.path } else { "" };
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
        self.known.insert(key, id);
        Some((id, true))
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn url(&self, id: LinkId) -> &str {
        let row = self.rows[id as usize];
        &self.addresses[row.start as usize..row.start as usize + usize::from(row.len)]
    }

    /// The path of elements to the link where it was first seen.
    pub fn path(&self, id: LinkId) -> &str {
        &self.paths.all[self.rows[id as usize].path as usize]
    }

    pub fn path_number(&self, id: LinkId) -> u32 {
        self.rows[id as usize].path
    }

    pub fn path_text(&self, number: u32) -> &str {
        &self.paths.all[number as usize]
    }

    /// Anchor text where the link was first seen.
    pub fn anchor(&self, id: LinkId) -> &str {
        &self.anchors.all[self.rows[id as usize].anchor as usize]
    }

    pub fn anchor_number(&self, id: LinkId) -> u32 {
        self.rows[id as usize].anchor
    }

    /// The page where it was first seen. The start of a crawl is its own parent.
    pub fn from(&self, id: LinkId) -> LinkId {
        self.rows[id as usize].from
    }

    /// Distance from the start of the crawl, in links.
    pub fn depth(&self, id: LinkId) -> u16 {
        self.rows[id as usize].depth
    }
}

/// The keys are hashes already.
type Plain = std::hash::BuildHasherDefault<PlainHasher>;

#[derive(Debug, Default)]
struct PlainHasher(u64);

impl Hasher for PlainHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {}
    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
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
}
