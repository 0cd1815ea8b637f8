//! The data for statistics: the newest items, and the costs of polls.

use super::error::Result;
use super::reader::Reader;
use super::rows::{counts_as_published, time};
use crate::model::Time;
use std::collections::HashMap;

/// Maximum number of items that statistics read.
const MAX_ITEMS: i64 = 1_000_000;

/// What statistics need to know about an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemFacts {
    /// Row key of the source.
    pub source: i64,
    /// The date by which the item is sorted.
    pub date: Time,
    pub discovered: Time,
    /// Whether the item counts as published at `date`.
    pub published: bool,
    /// Whether the user has read the item: items that a rule hid or marked read do not count.
    pub read: bool,
    /// Number of words in the longest known text; 0 if unknown.
    pub words: u32,
}

/// Reading ends after this many items in a row that were discovered before the given time.
const OLD_IN_A_ROW: u32 = 1000;

/// The polls of one source.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PollCosts {
    pub polls: u32,
    pub failed: u32,
    /// Mean duration of the polls that did not fail, in milliseconds.
    pub millis: u32,
    /// Bytes on the wire.
    pub bytes: u64,
    /// Number of 304 responses.
    pub unchanged: u32,
    /// Bytes that the 304 responses saved: for each, the mean size of a full response.
    pub bytes_saved: u64,
}

impl Reader {
    /// Calls `each` for the items discovered since a time, latest first. Reads at most a million items;
    /// returns whether these were all.
    pub fn items_since(&self, since: Time, mut each: impl FnMut(ItemFacts)) -> Result<bool> {
        // Keys grow in the order of discovery, so no index is needed.
        let mut query = self.conn.prepare_cached(concat!(
            "SELECT source, date, discovered, read = 1 AND hidden = 0 AND NOT EXISTS
                 (SELECT 1 FROM rule_effect WHERE item = i.key AND effect = 'read'), words, ",
            counts_as_published!(),
            " FROM item i ORDER BY key DESC LIMIT ?1",
        ))?;
        let mut rows = query.query([MAX_ITEMS])?;
        let (mut seen, mut old) = (0, 0);
        while let Some(r) = rows.next()? {
            let item = ItemFacts {
                source: r.get(0)?,
                date: time(r.get(1)?),
                discovered: time(r.get(2)?),
                read: r.get(3)?,
                words: r.get(4)?,
                published: r.get(5)?,
            };
            seen += 1;
            // Some items may have been discovered while the clock was wrong.
            if item.discovered < since {
                old += 1;
                if old == OLD_IN_A_ROW {
                    return Ok(true);
                }
                continue;
            }
            old = 0;
            each(item);
        }
        Ok(seen < MAX_ITEMS)
    }

    /// Whether an item of a source (row key) was discovered before a time.
    pub fn has_item_from_before(&self, source: i64, before: Time) -> Result<bool> {
        // The items are read in the order of their dates, so that old ones come first.
        let mut query = self.conn.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM item INDEXED BY item_source
             WHERE source = ?1 AND discovered <= ?2 ORDER BY date)",
        )?;
        Ok(query.query_row((source, before.timestamp()), |r| r.get(0))?)
    }

    /// The cost of the polls since a time, by the row keys of their sources.
    pub fn poll_costs(&self, since: Time) -> Result<HashMap<i64, PollCosts>> {
        let mut query = self.conn.prepare_cached(
            "SELECT source, count(*), sum(failed),
                coalesce(avg(CASE WHEN failed = 0 THEN millis END), 0.0),
                sum(bytes), coalesce(sum(status = 304), 0),
                coalesce(avg(CASE WHEN status BETWEEN 200 AND 299 THEN bytes END), 0.0)
             FROM poll WHERE at >= ?1 GROUP BY source",
        )?;
        let rows = query.query_map([since.timestamp()], |r| {
            let (millis, bytes, whole): (f64, i64, f64) = (r.get(3)?, r.get(4)?, r.get(6)?);
            let unchanged: u32 = r.get(5)?;
            let costs = PollCosts {
                polls: r.get(1)?,
                failed: r.get(2)?,
                millis: millis as u32,
                bytes: bytes.try_into().unwrap_or(0),
                unchanged,
                bytes_saved: (whole * f64::from(unchanged)) as u64,
            };
            Ok((r.get(0)?, costs))
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
