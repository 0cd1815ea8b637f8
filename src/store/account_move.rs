//! Moving sources of the user to an account, and back.

use super::Store;
use super::error::Result;
use super::reader::Reader;
use crate::model::{SourceId, Time};
use rusqlite::{Connection, OptionalExtension, params};

/// A source of the user that a server collects from now on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adoption {
    /// Row key.
    pub source: i64,
    /// Its name, title and folder on the server.
    pub stream: String,
    pub title: Option<String>,
    pub folder: Option<String>,
    /// Its entry in `sources.toml`.
    pub entry: String,
    /// Whether the server did not have it before.
    pub subscribed: bool,
}

/// A source that was moved to an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedSource {
    /// Row key.
    pub source: i64,
    pub id: SourceId,
    /// Its name on the server.
    pub stream: Option<String>,
    pub entry: String,
    pub subscribed: bool,
}

fn adopt(conn: &Connection, account: i64, new: &Adoption) -> Result<()> {
    let other: Option<i64> = conn
        .prepare_cached("SELECT key FROM source WHERE account = ?1 AND stream = ?2 AND key <> ?3")?
        .query_row(params![account, new.stream, new.source], |r| r.get(0))
        .optional()?;
    if let Some(other) = other {
        join(conn, other, new.source)?;
        conn.prepare_cached("DELETE FROM source WHERE key = ?1")?.execute([other])?;
    }
    conn.prepare_cached(
        "UPDATE source SET account = ?2, stream = ?3, folder = ?4, enabled = 0,
            feed_title = coalesce(?5, feed_title) WHERE key = ?1",
    )?
    .execute(params![new.source, account, new.stream, new.folder, new.title])?;
    conn.prepare_cached(
        "INSERT OR REPLACE INTO account_moved (source, account, entry, subscribed)
         VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![new.source, account, new.entry, new.subscribed])?;
    Ok(())
}

/// Makes the items of a server's source those of a source of the user. An item that both have stays as
/// the user's; it is read or pinned if one of them is.
fn join(conn: &Connection, theirs: i64, ours: i64) -> Result<()> {
    let mut all = conn.prepare("SELECT key FROM item WHERE source = ?1")?;
    let all: Vec<i64> = all.query_map([theirs], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
    let mut same = conn.prepare_cached(
        "SELECT own.key FROM item JOIN detail ON detail.item = item.key
         JOIN item own ON own.source = ?2 AND own.url_hash = item.url_hash
         JOIN detail own_detail ON own_detail.item = own.key
         WHERE item.key = ?1 AND (own.title = item.title OR own_detail.published = detail.published)
            AND NOT EXISTS (SELECT 1 FROM remote_item WHERE remote_item.item = own.key)
         ORDER BY own.title = item.title DESC, own.key LIMIT 1",
    )?;
    for item in all {
        let own: Option<i64> = same.query_row([item, ours], |r| r.get(0)).optional()?;
        let Some(own) = own else {
            conn.prepare_cached("UPDATE item SET source = ?2 WHERE key = ?1")?
                .execute([item, ours])?;
            continue;
        };
        conn.prepare_cached(
            "UPDATE item SET (read, pinned) = (SELECT max(item.read, i.read), max(item.pinned, i.pinned)
                FROM item i WHERE i.key = ?2) WHERE key = ?1",
        )?
        .execute([own, item])?;
        conn.prepare_cached(
            "UPDATE remote_item SET item = ?1, tries = 0, (read, pinned) =
                (SELECT read, pinned FROM item WHERE key = ?1) WHERE item = ?2",
        )?
        .execute([own, item])?;
        conn.prepare_cached("DELETE FROM item WHERE key = ?1")?.execute([item])?;
    }
    recount(conn, ours)
}

/// Counts the items of a source whose items were moved.
pub(super) fn recount(conn: &Connection, source: i64) -> Result<()> {
    conn.prepare_cached(
        "UPDATE source SET (items, unread, pinned) = (SELECT count(*), coalesce(sum(read = 0), 0),
            coalesce(sum(pinned), 0) FROM item WHERE item.source = source.key) WHERE key = ?1",
    )?
    .execute([source])?;
    Ok(())
}

/// Makes a moved source one of the user again, which the file then declares.
fn release(conn: &Connection, source: i64, now: Time) -> Result<()> {
    let items = "DELETE FROM remote_item WHERE item IN (SELECT key FROM item WHERE source = ?1)";
    conn.prepare_cached(items)?.execute([source])?;
    conn.prepare_cached("DELETE FROM account_op WHERE source = ?1")?.execute([source])?;
    conn.prepare_cached(
        "UPDATE source SET account = NULL, stream = NULL, folder = NULL, declared = 0,
            undeclared_at = ?2 WHERE key = ?1",
    )?
    .execute(params![source, now.timestamp()])?;
    Ok(())
}

impl Store {
    /// Makes sources of the user sources of an account (row key), with their items and marks.
    pub async fn adopt_sources(&self, account: i64, sources: Vec<Adoption>) -> Result<()> {
        self.call(move |conn| sources.iter().try_for_each(|new| adopt(conn, account, new))).await
    }

    /// Makes moved sources (row keys) sources of the user again.
    pub async fn release_sources(&self, sources: Vec<i64>, now: Time) -> Result<()> {
        self.call(move |conn| sources.iter().try_for_each(|key| release(conn, *key, now))).await
    }

    /// Forgets that sources (row keys) were moved.
    pub async fn forget_moved(&self, sources: Vec<i64>) -> Result<()> {
        self.call(move |conn| {
            let mut delete = conn.prepare_cached("DELETE FROM account_moved WHERE source = ?1")?;
            for source in &sources {
                delete.execute([source])?;
            }
            Ok(())
        })
        .await
    }
}

impl Reader {
    /// The sources that were moved to an account (row key).
    pub fn moved_sources(&self, account: i64) -> Result<Vec<MovedSource>> {
        let mut query = self.conn.prepare_cached(
            "SELECT key, id, stream, entry, subscribed FROM account_moved
             JOIN source ON source.key = account_moved.source
             WHERE account_moved.account = ?1 ORDER BY key",
        )?;
        let rows = query.query_map([account], |r| {
            let (source, id, stream) = (r.get(0)?, SourceId(r.get(1)?), r.get(2)?);
            Ok(MovedSource { source, id, stream, entry: r.get(3)?, subscribed: r.get(4)? })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
