//! Reading items of accounts.

use super::account_items::{Marks, Remote, RemoteItem, base_marks, remote};
use super::error::Result;
use super::identity::Prepared;
use super::reader::Reader;
use crate::greader::RemoteId;
use rusqlite::{OptionalExtension, Row, params};

const ITEM: &str =
    "SELECT remote, base_read, base_pinned, read, pinned, tries, gone FROM remote_item";
/// The condition of the index `remote_item_open`.
const OPEN: &str =
    "(base_read = 0 OR base_pinned = 1 OR read <> base_read OR pinned <> base_pinned)";

fn remote_item(r: &Row<'_>) -> rusqlite::Result<RemoteItem> {
    let (base, sent) = base_marks(r, 1)?;
    Ok(RemoteItem {
        remote: remote(r.get_ref(0)?),
        base,
        sent,
        ours: Marks { read: r.get(3)?, pinned: r.get(4)? },
        tries: r.get(5)?,
        gone: r.get(6)?,
    })
}

impl Reader {
    /// All items of an account (row key).
    pub fn remote_items(&self, account: i64) -> Result<Vec<RemoteItem>> {
        let mut query = self.conn.prepare_cached(&format!("{ITEM} WHERE account = ?1"))?;
        let rows = query.query_map([account], remote_item)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The items of an account (row key) that are unread or pinned here or, as last seen, on the server.
    /// Other items can change only if a list of the server contains them.
    pub fn open_remote_items(&self, account: i64) -> Result<Vec<RemoteItem>> {
        let sql = format!("{ITEM} INDEXED BY remote_item_open WHERE account = ?1 AND {OPEN}");
        let mut query = self.conn.prepare_cached(&sql)?;
        let rows = query.query_map([account], remote_item)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The given items of an account (row key) that are known.
    pub fn remote_items_of(&self, account: i64, items: &[RemoteId]) -> Result<Vec<RemoteItem>> {
        let sql = format!("{ITEM} WHERE account = ?1 AND remote = ?2");
        let mut query = self.conn.prepare_cached(&sql)?;
        let mut found = Vec::new();
        for item in items {
            found.extend(query.query_row(params![account, Remote(item)], remote_item).optional()?);
        }
        Ok(found)
    }

    /// The newest items of an account (row key) that the server has and that are stored here.
    pub fn newest_remote_items(&self, account: i64, most: usize) -> Result<Vec<RemoteId>> {
        let mut query = self.conn.prepare_cached(
            "SELECT remote FROM remote_item WHERE account = ?1 AND gone = 0 AND item IS NOT NULL
             ORDER BY remote DESC LIMIT ?2",
        )?;
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let rows = query.query_map([account, most], |r| Ok(remote(r.get_ref(0)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// How many of these items of a server have the same URL or title as the stored items that have their
    /// identifiers.
    pub fn same_remote_items(&self, account: i64, items: &[(RemoteId, Prepared)]) -> Result<usize> {
        let mut query = self.conn.prepare_cached(
            "SELECT item.url_hash = ?3 OR item.title = ?4 FROM remote_item r
             JOIN item ON item.key = r.item WHERE r.account = ?1 AND r.remote = ?2",
        )?;
        let mut same = 0;
        for (id, entry) in items {
            let values = params![account, Remote(id), entry.url_hash, entry.entry.title];
            same += usize::from(query.query_row(values, |r| r.get(0)).optional()?.unwrap_or(false));
        }
        Ok(same)
    }

    /// How many items of an account (row key) have marks that wait to be sent, and how many have marks that
    /// were sent `most_tries` times without effect; with `labels`, tags count too.
    pub fn waiting_marks(
        &self,
        account: i64,
        most_tries: u32,
        labels: bool,
    ) -> Result<(usize, usize)> {
        let counts = self.conn.query_row(
            "WITH waiting AS (
                SELECT remote, tries FROM remote_item INDEXED BY remote_item_waiting
                WHERE account = ?1 AND gone = 0 AND (read <> base_read OR pinned <> base_pinned)
                UNION ALL
                SELECT l.remote, l.tries FROM remote_label l INDEXED BY remote_label_waiting
                JOIN remote_item r ON r.account = l.account AND r.remote = l.remote
                WHERE l.account = ?1 AND (l.base <> l.ours OR l.sent = 1) AND l.base <> l.ours
                    AND r.gone = 0 AND ?3)
             SELECT count(DISTINCT remote) FILTER (WHERE tries < ?2),
                count(DISTINCT remote) FILTER (WHERE tries >= ?2) FROM waiting",
            params![account, most_tries, labels],
            |r| Ok((r.get::<_, i64>(0)?, r.get::<_, i64>(1)?)),
        )?;
        let count = |n: i64| usize::try_from(n).unwrap_or(0);
        Ok((count(counts.0), count(counts.1)))
    }
}
