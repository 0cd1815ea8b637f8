//! Records which items a command marked read, so that the command can be undone.

use super::error::Result;
use super::marks::{self, Mark};
use super::part::{self, Part};
use super::reader::Reader;
use super::rows::{time, to_json};
use super::view::View;
use super::{Store, memo, stories};
use crate::model::Time;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

/// Maximum number of commands that can be undone, latest first.
const MAX_RUNS: u32 = 20;

/// GLOB pattern for the names of the stored commands, which end with a number.
const NOTES: &str = "marked read [0-9]*";

/// The items that one command marked read.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Run {
    at: i64,
    /// Row keys in ascending order, delta-encoded.
    items: Vec<i64>,
}

/// The result of undoing a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadUndone {
    /// When the items were marked read.
    pub at: Time,
    /// Number of items that are unread again.
    pub unread: usize,
}

/// Records the items that a command marked read, and deletes the record that exceeds [`MAX_RUNS`].
fn record(conn: &Connection, items: &[i64], now: Time) -> Result<()> {
    if items.is_empty() {
        return Ok(());
    }
    let mut items = items.to_vec();
    items.sort_unstable();
    let mut last = 0;
    let distances = items.iter().map(|key| key - std::mem::replace(&mut last, *key)).collect();
    let run = Run { at: now.timestamp(), items: distances };
    let number = last_note(conn)?.map_or(0, |(number, ..)| number) + 1;
    memo::set(conn, &note_name(number), &to_json(&run)?)?;
    conn.prepare_cached("DELETE FROM memo WHERE name GLOB ?1 AND name <= ?2")?
        .execute([NOTES, &note_name(number.saturating_sub(MAX_RUNS))])?;
    Ok(())
}

/// Zero-padded, so that the names sort by number.
fn note_name(number: u32) -> String {
    format!("marked read {number:010}")
}

/// The number and the value of the last record.
fn last_note(conn: &Connection) -> Result<Option<(u32, String)>> {
    let mut query = conn.prepare_cached(
        "SELECT name, value FROM memo WHERE name GLOB ?1 ORDER BY name DESC LIMIT 1",
    )?;
    let last: Option<(String, String)> =
        query.query_row([NOTES], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    Ok(last.map(|(name, value)| {
        let digits = name.rsplit(' ').next().unwrap_or_default();
        (digits.parse().unwrap_or(0), value)
    }))
}

/// Marks the last command's items as unread if they are still read, and deletes its record. Items that were
/// hidden since then stay hidden.
fn undo(conn: &Connection) -> Result<Option<ReadUndone>> {
    let Some((number, value)) = last_note(conn)? else { return Ok(None) };
    let run: Run = serde_json::from_str(&value).unwrap_or_default();
    let mut shown =
        conn.prepare_cached("SELECT EXISTS (SELECT 1 FROM item WHERE key = ?1 AND hidden = 0)")?;
    let (mut keys, mut last) = (Vec::with_capacity(run.items.len()), 0i64);
    for distance in run.items {
        last = last.saturating_add(distance);
        if shown.query_row([last], |row| row.get(0))? {
            keys.push(last);
        }
    }
    let unread = marks::set(conn, &Mark::Read, &keys, false)?.len();
    conn.prepare_cached("DELETE FROM memo WHERE name = ?1")?.execute([note_name(number)])?;
    Ok(Some(ReadUndone { at: time(run.at), unread }))
}

impl Store {
    /// Like [`Store::mark_view_read`], but outside of a runtime, and recorded for
    /// [`Store::undo_read_blocking`].
    pub fn read_view_blocking(
        &self,
        view: View,
        part: Part,
        stories: bool,
        now: Time,
    ) -> Result<Vec<i64>> {
        self.writer()?.call_blocking(move |conn| {
            let keys = part::mark_read(conn, &view, part, stories)?;
            record(conn, &keys, now)?;
            Ok(keys)
        })
    }

    /// Marks items (row keys) read; with `stories`, also the other items of their stories. Records the items
    /// that changed for [`Store::undo_read_blocking`], and returns them.
    pub fn read_items_blocking(
        &self,
        items: Vec<i64>,
        stories: bool,
        now: Time,
    ) -> Result<Vec<i64>> {
        self.writer()?.call_blocking(move |conn| {
            let keys = match stories {
                true => stories::mark(conn, &Mark::Read, &items, true)?,
                false => marks::set(conn, &Mark::Read, &items, true)?,
            };
            record(conn, &keys, now)?;
            Ok(keys)
        })
    }

    /// Undoes the last command that marked items read; `None` if there is none.
    pub fn undo_read_blocking(&self) -> Result<Option<ReadUndone>> {
        self.writer()?.call_blocking(undo)
    }
}

impl Reader {
    /// The read items among these (row keys) or, if `read` is false, the unread ones. With `stories`, also
    /// such items of their stories.
    pub fn read_among(&self, items: &[i64], read: bool, stories: bool) -> Result<Vec<i64>> {
        let all = match stories {
            true => stories::with_members(&self.conn, items)?,
            false => items.to_vec(),
        };
        let mut query = self
            .conn
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM item WHERE key = ?1 AND read = ?2)")?;
        let mut found = Vec::new();
        for key in all {
            if query.query_row(params![key, read], |row| row.get(0))? {
                found.push(key);
            }
        }
        Ok(found)
    }
}
