//! Marks of items as machines exchange them.

/// When and where a mark was set. Of two stamps, the greater one takes effect. They are compared by time,
/// then count, then machine, so that all machines agree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp {
    /// Milliseconds since the epoch on the machine's clock, but never earlier than a mark that the machine
    /// already had; 0 for marks set before the machine first exchanged marks.
    pub millis: i64,
    /// Distinguishes marks that were set in the same millisecond.
    pub count: u32,
    /// The id of the machine: 16 hexadecimal digits.
    pub machine: String,
}

/// A mark of an item that was set or removed. Sources and items are identified by hashes that are the same on
/// every machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SharedMark {
    /// Hash of the URL of the source.
    pub source: i64,
    /// Hash of the guid, if it identifies the item.
    pub guid: Option<i64>,
    /// Hash of the item's URL, or of whatever else identifies an item without a guid.
    pub url: i64,
    /// `read`, `pin`, `later`, or `tag:NAME`: the text form of a [`super::Effect`].
    pub mark: String,
    pub on: bool,
    pub stamp: Stamp,
}
