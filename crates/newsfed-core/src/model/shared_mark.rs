//! Marks of items as machines exchange them.

/// When and where a mark was set. The greater one of two wins: by time, then count, then machine, so
/// that all machines decide alike.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp {
    /// Milliseconds since the epoch by the clock of the machine, but never before a mark that it knew
    /// already; 0 for marks from before it exchanged any.
    pub millis: i64,
    /// Distinguishes marks of one millisecond.
    pub count: u32,
    /// The id of the machine: 16 hexadecimal digits.
    pub machine: String,
}

/// A mark of an item that was set or removed. Sources and items are named by hashes that are the same
/// on every machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SharedMark {
    /// Hash of the URL of the source.
    pub source: i64,
    /// Hash of the guid, if it identifies the item.
    pub guid: Option<i64>,
    /// Hash of the URL of the item, or of what else identifies an item without a guid.
    pub url: i64,
    /// `read`, `pin`, `later`, or `tag:NAME`, as [`super::Effect`] is written.
    pub mark: String,
    pub on: bool,
    pub stamp: Stamp,
}
