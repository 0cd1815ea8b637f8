//! Items by key, which increases in the order of discovery, as servers of the Google Reader API list them.

use super::Store;
use super::error::Result;
use super::marks::{self, Mark};
use super::reader::Reader;
use crate::model::Time;
use crate::util::text::comparable;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::collections::HashMap;

/// A set of items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StreamPart {
    All,
    Nothing,
    Read,
    Pinned,
    /// The items of these sources (row keys).
    Sources(Vec<i64>),
    /// Items with this tag, and items from these sources (row keys).
    Label {
        tag: String,
        sources: Vec<i64>,
    },
}

/// A page of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StreamQuery {
    /// Items that are in all of these sets.
    pub within: Vec<StreamPart>,
    /// Items that are in none of these sets.
    pub without: Vec<StreamPart>,
    /// Discovered at or after this time, in seconds.
    pub since: Option<i64>,
    /// Discovered at or before this time, as returned by [`discovery_micros`].
    pub until: Option<i64>,
    /// Only items beyond this item (row key), exclusive.
    pub beyond: Option<i64>,
    pub oldest_first: bool,
    pub most: usize,
}

/// The number of unread items, and the time when the newest one was discovered, as returned by
/// [`discovery_micros`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnreadOf {
    pub count: i64,
    pub newest: i64,
}

/// When an item was discovered, in microseconds. Times are stored in seconds. The key makes the times of
/// items within one second different, so that "up to this item" excludes later items of the same second.
pub fn discovery_micros(discovered: Time, key: i64) -> i64 {
    discovered.timestamp().saturating_mul(1_000_000).saturating_add(key.rem_euclid(1_000_000))
}

/// SQL for [`discovery_micros`].
const MICROS: &str = "(i.discovered * 1000000 + i.key % 1000000)";
/// The items of a removed source are kept for undo, but not shown.
const SHOWN: &str = "i.hidden = 0 AND i.source NOT IN (SELECT key FROM source WHERE declared = 0)";

/// SQL that tests whether an item is in a part, or is not.
fn condition(part: &StreamPart, member: bool, values: &mut Vec<Value>) -> String {
    let list = |keys: &[i64]| keys.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    let sql = match part {
        StreamPart::All => "1".to_owned(),
        StreamPart::Nothing => "0".to_owned(),
        // The conditions are written so that SQLite uses partial indexes.
        StreamPart::Read => return format!("i.read = {}", i32::from(member)),
        StreamPart::Pinned => return format!("i.pinned = {}", i32::from(member)),
        StreamPart::Sources(keys) => format!("i.source IN ({})", list(keys)),
        StreamPart::Label { tag, sources } => {
            values.push(comparable(tag).into());
            let tagged = "i.key IN (SELECT item FROM item_tag WHERE form = ?)";
            match sources.as_slice() {
                [] => tagged.to_owned(),
                keys => format!("({tagged} OR i.source IN ({}))", list(keys)),
            }
        }
    };
    if member { sql } else { format!("NOT {sql}") }
}

impl StreamQuery {
    /// The index that leaves the fewest items to be sorted, which SQLite cannot determine without statistics.
    fn table(&self) -> &'static str {
        let is_tag = |part: &StreamPart| matches!(part, StreamPart::Label { sources, .. } if sources.is_empty());
        let is_source = |part: &StreamPart| matches!(part, StreamPart::Sources(_));
        match () {
            () if self.within.iter().any(is_tag) => "item i",
            () if self.within.contains(&StreamPart::Pinned) => "item i INDEXED BY item_pinned",
            () if self.within.iter().any(is_source) => "item i INDEXED BY item_source",
            () if self.without.contains(&StreamPart::Read) => "item i INDEXED BY item_unread",
            () => "item i NOT INDEXED",
        }
    }

    fn sql(&self) -> (String, Vec<Value>) {
        let mut values = Vec::new();
        let mut all = vec![SHOWN.to_owned()];
        all.extend(self.within.iter().map(|part| condition(part, true, &mut values)));
        all.extend(self.without.iter().map(|part| condition(part, false, &mut values)));
        let (beyond, order) = if self.oldest_first { (">", "ASC") } else { ("<", "DESC") };
        for (sql, value) in [
            ("i.discovered >= ?".to_owned(), self.since),
            (format!("{MICROS} <= ?"), self.until),
            (format!("i.key {beyond} ?"), self.beyond),
        ] {
            if let Some(value) = value {
                all.push(sql);
                values.push(value.into());
            }
        }
        values.push(i64::try_from(self.most).unwrap_or(i64::MAX).into());
        let (table, conditions) = (self.table(), all.join(" AND "));
        let sql =
            format!("SELECT i.key FROM {table} WHERE {conditions} ORDER BY i.key {order} LIMIT ?");
        (sql, values)
    }
}

impl Reader {
    /// The row keys of a page.
    pub fn stream(&self, query: &StreamQuery) -> Result<Vec<i64>> {
        let (sql, values) = query.sql();
        let mut query = self.conn.prepare_cached(&sql)?;
        let keys = query.query_map(params_from_iter(values), |r| r.get(0))?;
        Ok(keys.collect::<rusqlite::Result<_>>()?)
    }

    /// The given row keys that belong to items of declared sources.
    pub fn known_items(&self, keys: &[i64]) -> Result<Vec<i64>> {
        let mut query = self.conn.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM item i JOIN source s ON s.key = i.source
             WHERE i.key = ?1 AND s.declared = 1)",
        )?;
        let mut known = Vec::new();
        for &key in keys {
            if query.query_row([key], |r| r.get(0))? {
                known.push(key);
            }
        }
        Ok(known)
    }

    /// The unread items of each source (row key) with unread items.
    pub fn unread_of_sources(&self) -> Result<HashMap<i64, UnreadOf>> {
        // Unread items are never hidden, and keys grow in the order of discovery.
        self.unread(&format!(
            "SELECT s.key, s.unread, {MICROS} FROM source s JOIN item i ON i.key = (
                 SELECT max(n.key) FROM item n INDEXED BY item_source_unread
                 WHERE n.source = s.key AND n.read = 0)
             WHERE s.declared = 1 AND s.unread > 0"
        ))
    }

    /// Number of unread items, and the newest time, of each tag (in comparable form) that has any.
    pub fn unread_of_tags(&self) -> Result<HashMap<String, UnreadOf>> {
        self.unread(&format!(
            "SELECT t.form, count(*), max{MICROS} FROM item_tag t JOIN item i ON i.key = t.item
             WHERE i.read = 0 AND {SHOWN} GROUP BY t.form"
        ))
    }

    fn unread<K>(&self, sql: &str) -> Result<HashMap<K, UnreadOf>>
    where
        K: rusqlite::types::FromSql + std::hash::Hash + Eq,
    {
        let mut query = self.conn.prepare_cached(sql)?;
        let row = |r: &rusqlite::Row<'_>| {
            Ok((r.get(0)?, UnreadOf { count: r.get(1)?, newest: r.get(2)? }))
        };
        Ok(query.query_map([], row)?.collect::<rusqlite::Result<_>>()?)
    }
}

fn tagged(conn: &Connection, tag: &str) -> Result<Vec<i64>> {
    let mut query = conn.prepare_cached("SELECT item FROM item_tag WHERE form = ?1")?;
    let keys = query.query_map([comparable(tag)], |r| r.get(0))?;
    Ok(keys.collect::<rusqlite::Result<_>>()?)
}

impl Store {
    /// Replaces a tag of items with a different one, or removes it; returns the row keys of these items.
    pub async fn retag(&self, tag: String, to: Option<String>) -> Result<Vec<i64>> {
        self.call(move |conn| {
            let keys = tagged(conn, &tag)?;
            marks::set(conn, &Mark::Tag(tag.clone()), &keys, false)?;
            if let Some(to) = &to {
                marks::set(conn, &Mark::Tag(to.clone()), &keys, true)?;
            }
            Ok(keys)
        })
        .await
    }
}
