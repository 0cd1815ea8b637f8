//! Long responses, written item by item into chunks: a list of 100,000 ids takes 1.5 MB, and texts can be
//! much longer.

use super::response::StreamEntry;
use std::io::{self, Write};

/// Size of a chunk in bytes. A chunk may exceed it by one item.
const PIECE: usize = 64 << 10;

/// A response in chunks.
#[derive(Debug, Default)]
struct Pieces {
    full: Vec<Vec<u8>>,
    last: Vec<u8>,
    items: usize,
}

impl Pieces {
    /// Writes a separator between items, and starts another chunk if the current one is full.
    fn begin_item(&mut self) -> io::Result<()> {
        if self.last.len() >= PIECE {
            self.full.push(std::mem::take(&mut self.last));
            self.last.reserve(PIECE + (PIECE >> 2));
        }
        self.items += 1;
        if self.items > 1 { self.last.write_all(b",") } else { Ok(()) }
    }

    fn finish(mut self, continuation: Option<&str>) -> io::Result<Vec<Vec<u8>>> {
        self.last.push(b']');
        if let Some(continuation) = continuation {
            self.last.extend(b",\"continuation\":");
            serde_json::to_writer(&mut self.last, continuation)?;
        }
        self.last.push(b'}');
        self.full.push(self.last);
        Ok(self.full)
    }
}

/// Writes a list of ids in the form that [`super::ItemRefs`] reads.
#[derive(Debug)]
pub struct IdWriter(Pieces);

impl Default for IdWriter {
    fn default() -> Self {
        Self(Pieces { last: b"{\"itemRefs\":[".to_vec(), ..Pieces::default() })
    }
}

impl IdWriter {
    /// # Errors
    /// Never: the chunks are in memory.
    pub fn add(&mut self, id: i64) -> io::Result<()> {
        self.0.begin_item()?;
        write!(self.0.last, "{{\"id\":\"{id}\"}}")
    }

    /// Finishes the response. `continuation` is the start of the next page.
    ///
    /// # Errors
    /// Never: the chunks are in memory.
    pub fn finish(self, continuation: Option<&str>) -> io::Result<Vec<Vec<u8>>> {
        self.0.finish(continuation)
    }
}

/// Writes items with their texts in the form that [`super::Contents`] reads.
#[derive(Debug)]
pub struct ContentsWriter(Pieces);

impl ContentsWriter {
    /// Begins a response. `id` is the name of the stream, `updated` the current time in seconds.
    ///
    /// # Errors
    /// Never: the chunks are in memory.
    pub fn new(id: &str, updated: i64) -> io::Result<Self> {
        let mut last = b"{\"id\":".to_vec();
        serde_json::to_writer(&mut last, id)?;
        write!(last, ",\"updated\":{updated},\"items\":[")?;
        Ok(Self(Pieces { last, ..Pieces::default() }))
    }

    /// # Errors
    /// Never: the chunks are in memory.
    pub fn add(&mut self, entry: &StreamEntry) -> io::Result<()> {
        self.0.begin_item()?;
        Ok(serde_json::to_writer(&mut self.0.last, entry)?)
    }

    /// Finishes the response. `continuation` is the start of the next page.
    ///
    /// # Errors
    /// Never: the chunks are in memory.
    pub fn finish(self, continuation: Option<&str>) -> io::Result<Vec<Vec<u8>>> {
        self.0.finish(continuation)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Contents, EntryText, ItemRef, ItemRefs};
    use super::*;

    #[test]
    fn chunks_of_a_list_form_valid_json() {
        for (count, continuation) in [(0, None), (1, None), (9000, Some("7"))] {
            let mut writer = IdWriter::default();
            (0..count).for_each(|id| writer.add(id).unwrap());
            let pieces = writer.finish(continuation).unwrap();
            assert_eq!(pieces.len() > 1, count > 1);
            assert!(pieces.iter().all(|piece| piece.len() < PIECE + 100));
            let read: ItemRefs = serde_json::from_slice(&pieces.concat()).unwrap();
            let item_refs = (0..count).map(|id: i64| ItemRef { id: id.to_string() }).collect();
            let continuation = continuation.map(str::to_owned);
            assert_eq!(read, ItemRefs { item_refs, continuation });
        }
    }

    #[test]
    fn chunks_of_contents_form_valid_json() {
        let entry = |n: usize| {
            let content = format!("<p title=\"{n}\">{}</p>", "text ".repeat(n * 20));
            let summary = EntryText { content };
            StreamEntry {
                id: n.to_string(),
                title: "\"A\" \u{2028}".to_owned(),
                summary,
                ..StreamEntry::default()
            }
        };
        for (count, continuation) in [(0, None), (1, Some("\"7")), (100, Some("7"))] {
            let mut writer = ContentsWriter::new("user/-/label/\"A\"", 12).unwrap();
            (0..count).for_each(|n| writer.add(&entry(n)).unwrap());
            let pieces = writer.finish(continuation).unwrap();
            let read: Contents = serde_json::from_slice(&pieces.concat()).unwrap();
            let expected = Contents {
                id: "user/-/label/\"A\"".to_owned(),
                updated: 12,
                items: (0..count).map(entry).collect(),
                continuation: continuation.map(str::to_owned),
            };
            assert_eq!(read, expected);
            let whole = serde_json::to_string(&expected).unwrap();
            assert_eq!(String::from_utf8(pieces.concat()).unwrap(), whole);
        }
    }
}
