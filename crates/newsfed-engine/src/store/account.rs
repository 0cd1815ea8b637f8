//! Accounts on servers, and their sources.

use super::Store;
use super::account_move::{recount, release};
use super::account_ops::{self, AccountOp};
use super::error::Result;
use super::reader::Reader;
use super::sources::next_key;
use crate::model::Time;
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::{HashMap, HashSet};

/// An account as it is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredAccount {
    /// Row key.
    pub key: i64,
    pub id: String,
    pub url: String,
    pub user: String,
    /// The token of the login; a secret.
    pub auth: Option<String>,
    /// The token of changes; a secret.
    pub token: Option<String>,
    /// What is remembered between two synchronisations (JSON).
    pub state: String,
    /// Counts what the user requested: logins and synchronisations.
    pub requested: i64,
    /// Whether the user accepts large changes on the server.
    pub accept: bool,
    /// Whether the user requested to link the items to the items of a new server.
    pub relink: bool,
}

/// The tokens are never printed.
impl std::fmt::Debug for StoredAccount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StoredAccount({} {})", self.key, self.id)
    }
}

/// A source of an account, as the server lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteFeed {
    /// Its name on the server.
    pub stream: String,
    /// The identifier that the source gets if it is new here.
    pub id: String,
    pub url: String,
    pub title: Option<String>,
    pub home_url: Option<String>,
    pub folder: Option<String>,
}

const ACCOUNT: &str =
    "SELECT key, id, url, user, auth, token, state, requested, accept, relink FROM account";

fn account(r: &Row<'_>) -> rusqlite::Result<StoredAccount> {
    Ok(StoredAccount {
        key: r.get(0)?,
        id: r.get(1)?,
        url: r.get(2)?,
        user: r.get(3)?,
        auth: r.get(4)?,
        token: r.get(5)?,
        state: r.get(6)?,
        requested: r.get(7)?,
        accept: r.get(8)?,
        relink: r.get(9)?,
    })
}

/// The row of an account, created if it is new. A new URL or user requires a new login, and may mean a
/// different server, so the server's kind and subscriptions are read before anything else.
fn open(conn: &Connection, id: &str, url: &str, user: &str) -> Result<StoredAccount> {
    conn.execute(
        "INSERT INTO account (id, url, user) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO UPDATE SET
            url = excluded.url, user = excluded.user, auth = NULL, token = NULL,
            state = CASE WHEN json_valid(state)
                THEN json_remove(state, '$.lists_at', '$.dialect') ELSE '{}' END
            WHERE url <> excluded.url OR user <> excluded.user",
        [id, url, user],
    )?;
    Ok(conn.query_row(&format!("{ACCOUNT} WHERE id = ?1"), [id], account)?)
}

/// Replaces the sources of an account with those that the server lists. Sources are recognised by their URL,
/// then by their name on the server. Changes by the user that were not sent yet are kept. Returns whether
/// anything changed.
///
/// A source that the server no longer lists is kept while it has pinned items; otherwise it is removed like a
/// source of the user, and its items are kept for a while.
fn set_feeds(conn: &Connection, account: i64, feeds: &[RemoteFeed], now: Time) -> Result<bool> {
    let before = conn.total_changes();
    let mut kept = HashSet::new();
    let waiting = account_ops::by_source(conn, account)?;
    // A reinstalled server has new names for its sources, and a feed that has moved has a new URL.
    let mut find = conn.prepare_cached(
        "SELECT key FROM source WHERE account = ?1 AND (url = ?3 OR stream = ?2)
         ORDER BY url = ?3 DESC, stream = ?2 DESC LIMIT 1",
    )?;
    let mut update = conn.prepare_cached(
        "UPDATE source SET feed_title = ?2, home_url = ?3, folder = ?4, stream = ?5, url = ?6,
            declared = 1, undeclared_at = NULL
         WHERE key = ?1 AND (feed_title IS NOT ?2 OR home_url IS NOT ?3 OR folder IS NOT ?4
            OR stream IS NOT ?5 OR url <> ?6 OR declared = 0)",
    )?;
    let mut relocate = conn.prepare_cached(
        "UPDATE source SET stream = ?2, url = ?3 WHERE key = ?1 AND (stream IS NOT ?2 OR url <> ?3)",
    )?;
    let mut insert = conn.prepare_cached(
        "INSERT INTO source (id, url, enabled, feed_title, home_url, folder, account, stream, key)
         VALUES (?1, ?2, 0, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    for feed in feeds {
        let known: Option<i64> =
            find.query_row(params![account, feed.stream, feed.url], |r| r.get(0)).optional()?;
        if let Some(key) = known.filter(|key| !kept.contains(key)) {
            kept.insert(key);
            let (mut title, home, mut folder) =
                (feed.title.clone(), &feed.home_url, feed.folder.clone());
            let ops = waiting.get(&key).map(Vec::as_slice).unwrap_or_default();
            if ops.contains(&AccountOp::Unsubscribe) {
                // The source stays removed, but the unsubscription will use its current name on the server.
                relocate.execute(params![key, feed.stream, feed.url])?;
                continue;
            }
            for op in ops {
                match op {
                    AccountOp::Move { folder: own } => folder.clone_from(own),
                    AccountOp::Rename { title: own } => title = Some(own.clone()),
                    AccountOp::Subscribe { .. } | AccountOp::Unsubscribe => {}
                }
            }
            update.execute(params![key, title, home, folder, feed.stream, feed.url])?;
        } else {
            let id = free_id(conn, &feed.id)?;
            insert.execute(params![
                id,
                feed.url,
                feed.title,
                feed.home_url,
                feed.folder,
                account,
                feed.stream,
                next_key(conn)?
            ])?;
            kept.insert(conn.last_insert_rowid());
        }
    }
    let mut listed = conn.prepare_cached(
        "SELECT key FROM source WHERE account = ?1 AND declared = 1 AND pinned = 0",
    )?;
    let listed: Vec<i64> =
        listed.query_map([account], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
    // A source with an undone removal is kept while its new subscription is waiting.
    for key in listed.into_iter().filter(|key| !kept.contains(key)) {
        let ops = waiting.get(&key).map(Vec::as_slice).unwrap_or_default();
        if ops.iter().any(|op| matches!(op, AccountOp::Subscribe { .. })) {
            continue;
        }
        conn.execute(
            "UPDATE source SET declared = 0, undeclared_at = ?2 WHERE key = ?1",
            params![key, now.timestamp()],
        )?;
    }
    Ok(conn.total_changes() != before)
}

/// An identifier that no source has.
fn free_id(conn: &Connection, wanted: &str) -> Result<String> {
    let mut taken = conn.prepare_cached("SELECT EXISTS (SELECT 1 FROM source WHERE id = ?1)")?;
    for number in 1.. {
        let id = if number == 1 { wanted.to_owned() } else { format!("{wanted}-{number}") };
        if !taken.query_row([&id], |r| r.get::<_, bool>(0))? {
            return Ok(id);
        }
    }
    Ok(wanted.to_owned())
}

/// Renames an account's source that has this identifier, because a source of the user needs it.
pub(super) fn make_way(conn: &Connection, id: &str) -> Result<()> {
    let sql = "SELECT key FROM source WHERE id = ?1 AND account IS NOT NULL";
    let key: Option<i64> = conn.prepare_cached(sql)?.query_row([id], |r| r.get(0)).optional()?;
    if let Some(key) = key {
        let other = free_id(conn, &format!("{id}-2"))?;
        conn.execute("UPDATE source SET id = ?2 WHERE key = ?1", params![key, other])?;
    }
    Ok(())
}

/// Removes an account. Its sources are removed like the user's own: their items are kept for a while, or
/// longer if the user follows the sources.
fn remove(conn: &Connection, id: &str, now: Time) -> Result<bool> {
    let sql = "SELECT key FROM account WHERE id = ?1";
    let key: Option<i64> = conn.query_row(sql, [id], |r| r.get(0)).optional()?;
    let Some(key) = key else { return Ok(false) };
    hand_over(conn, key)?;
    let sql = "SELECT source FROM account_moved JOIN source ON source.key = account_moved.source
        WHERE account_moved.account = ?1 AND source.account = ?1";
    let moved: Vec<i64> =
        conn.prepare(sql)?.query_map([key], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
    moved.iter().try_for_each(|source| release(conn, *source, now))?;
    conn.execute(
        "UPDATE source SET declared = 0, undeclared_at = coalesce(undeclared_at, ?2), account = NULL,
            stream = NULL, folder = NULL WHERE account = ?1",
        params![key, now.timestamp()],
    )?;
    conn.execute("DELETE FROM account WHERE key = ?1", [key])?;
    Ok(true)
}

/// Moves the items of an account's sources to the user's sources with the same URL or, after a move to the
/// account, with the same identifier. Only sources without items get any: those that another process has
/// added from `sources.toml` before the account is removed.
fn hand_over(conn: &Connection, account: i64) -> Result<()> {
    let mut find = conn.prepare(
        "SELECT own.key, source.key FROM source JOIN source own ON own.url = source.url
         WHERE source.account = ?1 AND own.account IS NULL AND own.declared = 1
            AND NOT EXISTS (SELECT 1 FROM item WHERE item.source = own.key)
         UNION
         SELECT own.key, source.key FROM account_moved JOIN source ON source.key = account_moved.source
            JOIN source own ON own.id = account_moved.id
         WHERE source.account = ?1 AND own.account IS NULL AND own.declared = 1
            AND NOT EXISTS (SELECT 1 FROM item WHERE item.source = own.key)",
    )?;
    let pairs: Vec<(i64, i64)> = find
        .query_map([account], |r| Ok((r.get(0)?, r.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (own, collected) in pairs {
        conn.execute("UPDATE item SET source = ?1 WHERE source = ?2", [own, collected])?;
        for key in [own, collected] {
            recount(conn, key)?;
        }
    }
    Ok(())
}

impl Store {
    /// The row of an account, created if it is new.
    pub async fn open_account(
        &self,
        id: String,
        url: String,
        user: String,
    ) -> Result<StoredAccount> {
        self.call_quietly(move |conn| open(conn, &id, &url, &user)).await
    }

    /// Stores the tokens and the state of an account after a synchronisation, without notifying anyone. What
    /// the user has requested since the synchronisation began is kept, and so are the tokens of a new login.
    /// `accepted` is whether large changes were applied.
    pub async fn save_account(&self, account: StoredAccount, accepted: bool) -> Result<()> {
        self.call_quietly(move |conn| {
            conn.prepare_cached("UPDATE account SET state = ?2 WHERE key = ?1")?
                .execute(params![account.key, account.state])?;
            conn.prepare_cached(
                "UPDATE account SET auth = ?2, token = ?3, accept = accept AND NOT ?4
                 WHERE key = ?1 AND requested = ?5",
            )?
            .execute(params![
                account.key,
                account.auth,
                account.token,
                accepted,
                account.requested
            ])?;
            Ok(())
        })
        .await
    }

    /// Stores the tokens of a login and the state; the account is due at once, in whichever process polls.
    pub async fn save_login(&self, account: StoredAccount) -> Result<()> {
        self.call(move |conn| {
            conn.prepare_cached(
                "UPDATE account SET auth = ?2, token = ?3, state = ?4, requested = requested + 1
                 WHERE key = ?1",
            )?
            .execute(params![
                account.key,
                account.auth,
                account.token,
                account.state
            ])?;
            Ok(())
        })
        .await
    }

    /// Records that the user requests a synchronisation, and whether to accept large changes (`accept`) and
    /// to link the items to the items of a new server (`relink`).
    pub async fn request_sync(&self, account: i64, accept: bool, relink: bool) -> Result<()> {
        self.call(move |conn| {
            conn.prepare_cached(
                "UPDATE account SET requested = requested + 1, accept = accept OR ?2,
                    relink = relink OR ?3 WHERE key = ?1",
            )?
            .execute(params![account, accept, relink])?;
            Ok(())
        })
        .await
    }

    /// Replaces the sources of an account (row key) with those that the server lists; returns whether
    /// anything changed.
    pub async fn set_remote_feeds(
        &self,
        account: i64,
        feeds: Vec<RemoteFeed>,
        now: Time,
    ) -> Result<bool> {
        self.call(move |conn| set_feeds(conn, account, &feeds, now)).await
    }

    /// Begins to link the items of an account to the items of a new server: forgets the old identifiers, but
    /// keeps items and marks.
    pub async fn begin_relink(&self, account: i64, state: String) -> Result<()> {
        self.call(move |conn| {
            conn.execute("DELETE FROM remote_item WHERE account = ?1", [account])?;
            let sql = "UPDATE account SET state = ?2, relink = 0 WHERE key = ?1";
            conn.execute(sql, params![account, state])?;
            Ok(())
        })
        .await
    }

    /// Deletes an account and everything that is known about its server; returns whether the account existed.
    /// Its sources are removed like the user's own.
    pub fn remove_account_blocking(&self, id: String, now: Time) -> Result<bool> {
        self.writer()?.call_blocking(move |conn| remove(conn, &id, now))
    }
}

impl Reader {
    /// All stored accounts, by name.
    pub fn accounts(&self) -> Result<Vec<StoredAccount>> {
        let mut query = self.conn.prepare(&format!("{ACCOUNT} ORDER BY id"))?;
        Ok(query.query_map([], account)?.collect::<rusqlite::Result<_>>()?)
    }

    /// The row keys of an account's sources by their name on the server, with their URLs.
    pub fn remote_feeds(&self, account: i64) -> Result<HashMap<String, (i64, String)>> {
        let mut query = self.conn.prepare_cached(
            "SELECT stream, key, url FROM source WHERE account = ?1 AND stream IS NOT NULL
                AND (declared = 1 OR key IN (SELECT source FROM account_op WHERE account = ?1))",
        )?;
        let rows = query.query_map([account], |r| Ok((r.get(0)?, (r.get(1)?, r.get(2)?))))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The row keys of an account's sources that have items.
    pub fn filled_feeds(&self, account: i64) -> Result<HashSet<i64>> {
        let mut query =
            self.conn.prepare_cached("SELECT key FROM source WHERE account = ?1 AND items > 0")?;
        let keys = query.query_map([account], |r| r.get(0))?;
        Ok(keys.collect::<rusqlite::Result<_>>()?)
    }
}
