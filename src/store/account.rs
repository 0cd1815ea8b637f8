//! Accounts on servers, and their sources.

use super::Store;
use super::error::Result;
use super::reader::Reader;
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
    /// JSON, what is remembered between two synchronisations.
    pub state: String,
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
    /// The identifier that it gets if it is new here.
    pub id: String,
    pub url: String,
    pub title: Option<String>,
    pub home_url: Option<String>,
    pub folder: Option<String>,
}

const ACCOUNT: &str = "SELECT key, id, url, user, auth, token, state FROM account";

fn account(r: &Row<'_>) -> rusqlite::Result<StoredAccount> {
    Ok(StoredAccount {
        key: r.get(0)?,
        id: r.get(1)?,
        url: r.get(2)?,
        user: r.get(3)?,
        auth: r.get(4)?,
        token: r.get(5)?,
        state: r.get(6)?,
    })
}

/// The row of an account, created if it is new. Another URL or user needs another login.
fn open(conn: &Connection, id: &str, url: &str, user: &str) -> Result<StoredAccount> {
    conn.execute(
        "INSERT INTO account (id, url, user) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO UPDATE SET
            url = excluded.url, user = excluded.user, auth = NULL, token = NULL
            WHERE url <> excluded.url OR user <> excluded.user",
        [id, url, user],
    )?;
    Ok(conn.query_row(&format!("{ACCOUNT} WHERE id = ?1"), [id], account)?)
}

/// Makes the sources of an account those that the server lists, which are recognised by their address,
/// then by their name. Returns whether anything changed.
///
/// A source that the server no longer lists stays while it has pinned items; else it is removed as
/// one of the user's own, and its items stay for a while.
fn set_feeds(conn: &Connection, account: i64, feeds: &[RemoteFeed], now: Time) -> Result<bool> {
    let before = conn.total_changes();
    let mut kept = HashSet::new();
    // A reinstalled server has other names, and a feed that has moved another address.
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
    let mut insert = conn.prepare_cached(
        "INSERT INTO source (id, url, enabled, feed_title, home_url, folder, account, stream)
         VALUES (?1, ?2, 0, ?3, ?4, ?5, ?6, ?7)",
    )?;
    for feed in feeds {
        let values = (&feed.title, &feed.home_url, &feed.folder);
        let known: Option<i64> =
            find.query_row(params![account, feed.stream, feed.url], |r| r.get(0)).optional()?;
        if let Some(key) = known.filter(|key| !kept.contains(key)) {
            let (title, home, folder) = values;
            update.execute(params![key, title, home, folder, feed.stream, feed.url])?;
            kept.insert(key);
        } else {
            let id = free_id(conn, &feed.id)?;
            insert.execute(params![
                id,
                feed.url,
                values.0,
                values.1,
                values.2,
                account,
                feed.stream
            ])?;
            kept.insert(conn.last_insert_rowid());
        }
    }
    let mut listed = conn.prepare_cached(
        "SELECT key FROM source WHERE account = ?1 AND declared = 1 AND pinned = 0",
    )?;
    let listed: Vec<i64> =
        listed.query_map([account], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
    for key in listed.into_iter().filter(|key| !kept.contains(key)) {
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

/// Gives way to a source of the user's own with this identifier.
pub(super) fn make_way(conn: &Connection, id: &str) -> Result<()> {
    let sql = "SELECT key FROM source WHERE id = ?1 AND account IS NOT NULL";
    let key: Option<i64> = conn.prepare_cached(sql)?.query_row([id], |r| r.get(0)).optional()?;
    if let Some(key) = key {
        let other = free_id(conn, &format!("{id}-2"))?;
        conn.execute("UPDATE source SET id = ?2 WHERE key = ?1", params![key, other])?;
    }
    Ok(())
}

/// Removes an account. Its sources are removed like those of the user, so that their items stay for a
/// while, and longer if the user follows them.
fn remove(conn: &Connection, id: &str, now: Time) -> Result<bool> {
    let sql = "SELECT key FROM account WHERE id = ?1";
    let key: Option<i64> = conn.query_row(sql, [id], |r| r.get(0)).optional()?;
    let Some(key) = key else { return Ok(false) };
    conn.execute(
        "UPDATE source SET declared = 0, undeclared_at = coalesce(undeclared_at, ?2), account = NULL,
            stream = NULL, folder = NULL WHERE account = ?1",
        params![key, now.timestamp()],
    )?;
    conn.execute("DELETE FROM account WHERE key = ?1", [key])?;
    Ok(true)
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

    /// Stores the tokens and the state of an account. Nobody needs to notice.
    pub async fn save_account(&self, account: StoredAccount) -> Result<()> {
        self.call_quietly(move |conn| {
            conn.prepare_cached(
                "UPDATE account SET auth = ?2, token = ?3, state = ?4 WHERE key = ?1",
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

    /// Makes the sources of an account (row key) those that the server lists; returns whether
    /// anything changed.
    pub async fn set_remote_feeds(
        &self,
        account: i64,
        feeds: Vec<RemoteFeed>,
        now: Time,
    ) -> Result<bool> {
        self.call(move |conn| set_feeds(conn, account, &feeds, now)).await
    }

    /// Forgets which items of the server are which, but neither items nor marks.
    pub async fn forget_remote_items(&self, account: i64, state: String) -> Result<()> {
        self.call(move |conn| {
            conn.execute("DELETE FROM remote_item WHERE account = ?1", [account])?;
            conn.execute("UPDATE account SET state = ?2 WHERE key = ?1", params![account, state])?;
            Ok(())
        })
        .await
    }

    /// Forgets an account and all that is known of its server; returns whether there was one. Its
    /// sources are removed like those of the user.
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

    /// The row keys of an account's sources by their name on the server, with their addresses.
    pub fn remote_feeds(&self, account: i64) -> Result<HashMap<String, (i64, String)>> {
        let mut query = self.conn.prepare_cached(
            "SELECT stream, key, url FROM source WHERE account = ?1 AND declared = 1",
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
