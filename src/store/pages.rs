//! Articles of websites and sitemaps: known to one source is known to all, and pages that were
//! refused are not asked for again soon.

use super::error::Result;
use super::identity::{Prepared, address_hash};
use super::ingest::{Ingested, insert, was_pruned};
use crate::model::Time;
use rusqlite::{Connection, OptionalExtension, params};
use url::Url;

/// What a look at a website or sitemap learned about pages that gave no item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pages {
    /// Pages that are not to be asked for before a moment.
    pub refused: Vec<(Url, Time)>,
}

/// Stores articles that no source has. What is known is left as it is.
pub(super) fn ingest(
    conn: &Connection,
    source: i64,
    entries: Vec<Prepared>,
    discovered: Time,
) -> Result<Ingested> {
    let mut done = Ingested::default();
    // The newest stands first: going backwards gives it the highest key.
    for entry in entries.iter().rev() {
        let known = is_stored(conn, entry.url_hash)?;
        if known || was_pruned(conn, source, entry, discovered)? {
            done.known += 1;
            continue;
        }
        insert(conn, source, entry, discovered)?;
        done.new.push(entry.entry.published.or(entry.entry.updated));
    }
    Ok(done)
}

/// Whether any source has an item at that address. Asks the index of each source in turn: an index
/// over all of them would cost every item that is ever stored.
fn is_stored(conn: &Connection, hash: i64) -> Result<bool> {
    let mut query = conn.prepare_cached(
        "SELECT 1 FROM source s WHERE EXISTS
            (SELECT 1 FROM item i WHERE i.source = s.key AND i.url_hash = ?1) LIMIT 1",
    )?;
    Ok(query.query_row([hash], |_| Ok(())).optional()?.is_some())
}

/// Which of these pages need no request of this source: stored by any source, removed by retention,
/// or refused lately.
pub(super) fn known(conn: &Connection, source: i64, pages: &[Url], now: Time) -> Result<Vec<bool>> {
    let mut gone = conn.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM pruned WHERE source = ?1 AND hash = ?2)
             OR EXISTS (SELECT 1 FROM page WHERE source = ?1 AND hash = ?2 AND until > ?3)",
    )?;
    let mut known = Vec::with_capacity(pages.len());
    for url in pages {
        let hash = address_hash(url);
        let refused: bool = gone.query_row(params![source, hash, now.timestamp()], |r| r.get(0))?;
        known.push(refused || is_stored(conn, hash)?);
    }
    Ok(known)
}

/// Remembers refused pages.
pub(super) fn save(conn: &Connection, source: i64, pages: &Pages) -> Result<()> {
    let mut put = conn.prepare_cached(
        "INSERT INTO page (source, hash, until) VALUES (?1, ?2, ?3)
         ON CONFLICT (source, hash) DO UPDATE SET until = max(until, ?3)",
    )?;
    for (url, until) in &pages.refused {
        put.execute(params![source, address_hash(url), until.timestamp()])?;
    }
    Ok(())
}

/// Forgets pages whose time was over at `now`.
pub(super) fn forget(conn: &Connection, now: Time) -> Result<()> {
    conn.execute("DELETE FROM page WHERE until <= ?1", [now.timestamp()])?;
    Ok(())
}
