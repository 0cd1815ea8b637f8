//! Items that are new since the user last had the interface open.

use super::Store;
use super::error::Result;
use super::reader::Reader;
use rusqlite::Connection;

/// Whether item `i` arrived since the end of the last visit; NULL if there was none. Row keys only increase,
/// so these items have higher keys than the last item at that time.
pub(super) const IS_NEW: &str =
    "i.key > (SELECT CAST(value AS INTEGER) FROM memo WHERE name = 'visit')";

/// Up to this many new items, lists of them are sorted instead of read from an index by date.
const FEW: i64 = 20_000;

/// Whether there are at most [`FEW`] new items.
pub(super) fn are_few(conn: &Connection) -> Result<bool> {
    let mut query = conn.prepare_cached(
        "SELECT coalesce((SELECT max(key) FROM item)
             - (SELECT CAST(value AS INTEGER) FROM memo WHERE name = 'visit'), 0) <= ?1",
    )?;
    Ok(query.query_row([FEW], |row| row.get(0))?)
}

/// Begins a visit: items that were already seen are no longer new.
fn begin(conn: &Connection) -> Result<()> {
    compare(conn)?;
    see(conn)
}

/// Makes all items that have not been seen count as new.
fn compare(conn: &Connection) -> Result<()> {
    conn.execute(
        "INSERT OR REPLACE INTO memo (name, value)
         SELECT 'visit', value FROM memo WHERE name = 'seen'",
        [],
    )?;
    Ok(())
}

/// Records that all stored items have been seen.
fn see(conn: &Connection) -> Result<()> {
    conn.execute(
        "INSERT OR REPLACE INTO memo (name, value)
         VALUES ('seen', (SELECT coalesce(max(key), 0) FROM item))",
        [],
    )?;
    Ok(())
}

/// Ends a visit: for other programs, such as the command line, only items that arrive from now on are new.
fn end(conn: &Connection) -> Result<()> {
    see(conn)?;
    compare(conn)
}

impl Store {
    /// Begins a visit when the user opens the interface: items that arrived since it was last open are new.
    pub async fn begin_visit(&self) -> Result<()> {
        self.call(begin).await
    }

    /// Ends the visit when the user closes the interface.
    pub async fn end_visit(&self) -> Result<()> {
        self.call_quietly(end).await
    }
}

impl Reader {
    /// Whether the user had the interface open before this visit.
    pub fn has_earlier_visit(&self) -> Result<bool> {
        let mut query =
            self.conn.prepare_cached("SELECT EXISTS (SELECT 1 FROM memo WHERE name = 'visit')")?;
        Ok(query.query_row([], |r| r.get(0))?)
    }

    /// Number of unread items that arrived since the last visit; 0 in the first one.
    pub fn new_unread(&self) -> Result<u32> {
        let mut query = self.conn.prepare_cached(&format!(
            "SELECT count(*) FROM item i NOT INDEXED WHERE {IS_NEW} AND i.read = 0
             AND i.source NOT IN (SELECT key FROM source WHERE declared = 0)"
        ))?;
        Ok(query.query_row([], |r| r.get(0))?)
    }
}
