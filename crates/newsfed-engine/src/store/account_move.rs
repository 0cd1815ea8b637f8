//! Moving sources of the user to an account, and back.

use super::Store;
use super::error::Result;
use super::reader::Reader;
use crate::model::{SourceId, Time};
use rusqlite::{Connection, OptionalExtension, params};

/// A source of the user that is being moved to an account, or was moved to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedSource {
    /// Row key.
    pub source: i64,
    /// Its identifier in `sources.toml`.
    pub id: SourceId,
    /// Its URL, as the server has it once it has moved.
    pub url: String,
    /// Its name on the server, once that is known.
    pub stream: Option<String>,
    /// Its entry in `sources.toml`.
    pub entry: String,
    /// Whether the move subscribed the server to the source.
    pub subscribed: bool,
    /// Whether the source belongs to the account; if not, the move was interrupted.
    pub collected: bool,
}

/// Records that a source is being moved.
fn begin(conn: &Connection, account: i64, new: &MovedSource) -> Result<()> {
    conn.prepare_cached(
        "INSERT OR REPLACE INTO account_moved (source, account, entry, subscribed, id, stream)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![
        new.source,
        account,
        new.entry,
        new.subscribed,
        new.id.as_str(),
        new.stream
    ])?;
    Ok(())
}

/// Turns a source that is no longer in `sources.toml` into a source of an account. If the account had a
/// source for the same feed, the two are merged.
fn adopt(conn: &Connection, account: i64, source: i64, stream: &str) -> Result<()> {
    let other: Option<i64> = conn
        .prepare_cached("SELECT key FROM source WHERE account = ?1 AND stream = ?2 AND key <> ?3")?
        .query_row(params![account, stream, source], |r| r.get(0))
        .optional()?;
    if let Some(other) = other {
        join(conn, other, source)?;
        conn.prepare_cached("DELETE FROM source WHERE key = ?1")?.execute([other])?;
    }
    conn.prepare_cached(
        "UPDATE source SET account = ?2, stream = ?3, enabled = 0, declared = 1,
            undeclared_at = NULL WHERE key = ?1",
    )?
    .execute(params![source, account, stream])?;
    Ok(())
}

/// Completes moves that were interrupted after the sources were removed from `sources.toml`. Sources that are
/// still in the file are not changed.
fn finish(conn: &Connection, account: i64) -> Result<bool> {
    let still = "UPDATE account_moved SET stream = NULL WHERE account = ?1 AND stream IS NOT NULL
        AND source IN (SELECT key FROM source WHERE account IS NULL AND declared = 1)";
    conn.prepare_cached(still)?.execute([account])?;
    let mut left = conn.prepare_cached(
        "SELECT key, account_moved.stream FROM account_moved
         JOIN source ON source.key = account_moved.source
         WHERE account_moved.account = ?1 AND account_moved.stream IS NOT NULL
            AND source.account IS NULL",
    )?;
    let left: Vec<(i64, String)> = left
        .query_map([account], |r| Ok((r.get(0)?, r.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (source, stream) in &left {
        adopt(conn, account, *source, stream)?;
    }
    Ok(!left.is_empty())
}

/// Gives the items of a server's source to a source of the user. If both have an item, the user's item is
/// kept, and is read or pinned if either of the two is.
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
        conn.prepare_cached(
            "INSERT OR IGNORE INTO item_tag (item, form, tag)
             SELECT ?1, form, tag FROM item_tag WHERE item = ?2",
        )?
        .execute([own, item])?;
        conn.prepare_cached("DELETE FROM item WHERE key = ?1")?.execute([item])?;
    }
    recount(conn, ours)
}

/// Updates the counts of a source after its items were moved.
pub(super) fn recount(conn: &Connection, source: i64) -> Result<()> {
    conn.prepare_cached(
        "UPDATE source SET (items, unread, pinned) = (SELECT count(*), coalesce(sum(read = 0), 0),
            coalesce(sum(pinned), 0) FROM item WHERE item.source = source.key) WHERE key = ?1",
    )?
    .execute([source])?;
    Ok(())
}

/// Turns a moved source back into a source of the user, with the identifier that it had in `sources.toml`.
/// The file declares the source from then on.
pub(super) fn release(conn: &Connection, source: i64, now: Time) -> Result<()> {
    // A removed source with this identifier is renamed; a declared one keeps it.
    conn.prepare_cached(
        "UPDATE source SET id = id || '-' || key WHERE key <> ?1 AND declared = 0
            AND id = (SELECT id FROM account_moved WHERE source = ?1)",
    )?
    .execute([source])?;
    conn.prepare_cached(
        "UPDATE OR IGNORE source SET id = (SELECT coalesce(m.id, source.id) FROM account_moved m
            WHERE m.source = ?1) WHERE key = ?1",
    )?
    .execute([source])?;
    conn.prepare_cached("UPDATE account_moved SET stream = NULL WHERE source = ?1")?
        .execute([source])?;
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
    /// Records that sources of the user move to an account (row key).
    pub async fn begin_move(&self, account: i64, sources: Vec<MovedSource>) -> Result<()> {
        self.call_quietly(move |conn| sources.iter().try_for_each(|new| begin(conn, account, new)))
            .await
    }

    /// Turns sources (row keys, with their names on the server) that are no longer in `sources.toml` into
    /// sources of an account (row key), with their items and marks.
    pub async fn adopt_sources(&self, account: i64, sources: Vec<(i64, String)>) -> Result<()> {
        let adopt_all = move |conn: &Connection| {
            sources.iter().try_for_each(|(key, stream)| adopt(conn, account, *key, stream))
        };
        self.call(move |conn| adopt_all(conn)).await
    }

    /// Completes moves to an account (row key) that were interrupted; returns whether there were any.
    pub async fn finish_moves(&self, account: i64) -> Result<bool> {
        self.call(move |conn| finish(conn, account)).await
    }

    /// Turns moved sources (row keys) back into sources of the user.
    pub async fn release_sources(&self, sources: Vec<i64>, now: Time) -> Result<()> {
        self.call(move |conn| sources.iter().try_for_each(|key| release(conn, *key, now))).await
    }

    /// Deletes the records of moved sources (row keys).
    pub async fn clear_moved(&self, sources: Vec<i64>) -> Result<()> {
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
    /// The sources that were moved to an account (row key), and those whose move was interrupted.
    pub fn moved_sources(&self, account: i64) -> Result<Vec<MovedSource>> {
        let mut query = self.conn.prepare_cached(
            "SELECT key, coalesce(m.id, source.id), url, source.stream, entry, subscribed,
                source.account IS m.account
             FROM account_moved m JOIN source ON source.key = m.source
             WHERE m.account = ?1 ORDER BY key",
        )?;
        let rows = query.query_map([account], |r| {
            Ok(MovedSource {
                source: r.get(0)?,
                id: SourceId(r.get(1)?),
                url: r.get(2)?,
                stream: r.get(3)?,
                entry: r.get(4)?,
                subscribed: r.get(5)?,
                collected: r.get(6)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
