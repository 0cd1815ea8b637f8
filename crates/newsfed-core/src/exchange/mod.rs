//! Items with their marks from other readers and services: detects the format of a file, reads its items, and
//! converts them to entries. The store reads databases.

mod clean;
mod json;
mod json_items;
pub mod mark_file;
mod pocket;

#[cfg(test)]
mod tests;

pub use clean::{effects, entry, feed_key, letters};

use crate::model::{ForeignItem, ForeignKind};
use crate::util::limits;

/// The format of a file with items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// An SQLite database.
    Database,
    Json,
    PocketCsv,
    PocketHtml,
}

/// The first bytes of an SQLite database.
const SQLITE: &[u8] = b"SQLite format 3\0";
/// Number of bytes that suffice to detect the format.
const HEAD: usize = 2048;

impl FileFormat {
    /// The format of a file with items, detected by its first bytes; `None` for anything else, such as a list
    /// of sources.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(SQLITE) {
            return Some(Self::Database);
        }
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]);
        let head = head.trim_start_matches('\u{feff}').trim_start();
        if head.starts_with(['{', '[']) && !head.starts_with("[[") {
            return Some(Self::Json);
        }
        let lower = head.to_ascii_lowercase();
        if pocket::is_header(lower.lines().next().unwrap_or_default()) {
            return Some(Self::PocketCsv);
        }
        let is_page = lower.starts_with("<!doctype html") || lower.starts_with("<html");
        (is_page && lower.contains("<title>pocket export")).then_some(Self::PocketHtml)
    }
}

/// The items of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct ForeignItems {
    pub kind: ForeignKind,
    pub items: Vec<ForeignItem>,
    /// Number of unreadable entries.
    pub unreadable: usize,
}

/// Why a file has no items that can be imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExchangeError {
    #[error("{0} is larger than {limit} MiB; is this the right file?", limit = limits::IMPORT_BYTES >> 20)]
    TooLarge(String),
    #[error("{0} is JSON, but not the saved items of Inoreader, Feedly or another service: {1}")]
    NotItems(String, String),
    #[error("{0} is a database, which cannot be read from standard input or a pipe; give its path")]
    Database(String),
    #[error("{0} lists no items")]
    Empty(String),
}

/// Parses the items of a file that is not a database. `name` is used in messages.
///
/// # Errors
/// When the file is too large, is not a list of items, or is empty. Individual invalid entries are only
/// counted.
pub fn parse(bytes: &[u8], format: FileFormat, name: &str) -> Result<ForeignItems, ExchangeError> {
    let name = crate::util::text::line(name);
    if bytes.len() > limits::IMPORT_BYTES {
        return Err(ExchangeError::TooLarge(name));
    }
    let found = match format {
        FileFormat::Json => {
            json::read(bytes).map_err(|e| ExchangeError::NotItems(name.clone(), e))?
        }
        FileFormat::PocketHtml => pocket::read_html(&String::from_utf8_lossy(bytes)),
        FileFormat::PocketCsv => pocket::read_csv(bytes),
        FileFormat::Database => return Err(ExchangeError::Database(name)),
    };
    if found.items.is_empty() && found.unreadable == 0 {
        return Err(ExchangeError::Empty(name));
    }
    Ok(found)
}
