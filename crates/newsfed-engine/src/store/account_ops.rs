//! Changes to subscriptions that wait to be sent to the servers of accounts.

use super::Store;
use super::error::Result;
use super::reader::Reader;
use super::rows::to_json;
use crate::model::{CollectedChange, SourceId, Time};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashMap;

/// A change to be made on a server. Stored as JSON.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum AccountOp {
    Subscribe {
        url: String,
        title: Option<String>,
        folder: Option<String>,
        /// The name that the server gave the source in its response.
        #[serde(default)]
        stream: Option<String>,
    },
    Unsubscribe,
    Rename {
        title: String,
    },
    Move {
        folder: Option<String>,
    },
}

impl AccountOp {
    fn is_kind(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// A change that waits to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingOp {
    /// Row key; changes are sent in this order.
    pub seq: i64,
    pub op: AccountOp,
    /// Row key, name on the server and URL of its source, if it has one.
    pub source: Option<(i64, String, String)>,
    /// How often it was sent without success.
    pub tries: u32,
    /// Why the last try failed.
    pub error: Option<String>,
}

const WAITING: &str = "SELECT seq, op, source.key, source.stream, source.url, tries, error
    FROM account_op LEFT JOIN source ON source.key = account_op.source
    WHERE account_op.account = ?1 ORDER BY seq";

/// The waiting changes that can be read; changes of unknown kinds come from a newer version.
fn waiting(conn: &Connection, account: i64) -> Result<Vec<WaitingOp>> {
    let mut query = conn.prepare_cached(WAITING)?;
    let rows = query.query_map([account], |r| {
        let source = match (r.get(2)?, r.get(3)?, r.get(4)?) {
            (Some(key), Some(stream), Some(url)) => Some((key, stream, url)),
            _ => None,
        };
        let (seq, json) = (r.get(0)?, r.get::<_, String>(1)?);
        let op = serde_json::from_str(&json).ok();
        let (tries, error) = (r.get(5)?, r.get(6)?);
        Ok(op.map(|op| WaitingOp { seq, op, source, tries, error }))
    })?;
    let all: Vec<Option<WaitingOp>> = rows.collect::<rusqlite::Result<_>>()?;
    Ok(all.into_iter().flatten().collect())
}

/// The waiting changes to sources of an account, by the row key of the source.
pub(super) fn by_source(conn: &Connection, account: i64) -> Result<HashMap<i64, Vec<AccountOp>>> {
    let mut all: HashMap<i64, Vec<AccountOp>> = HashMap::new();
    for op in waiting(conn, account)? {
        if let Some((key, ..)) = op.source {
            all.entry(key).or_default().push(op.op);
        }
    }
    Ok(all)
}

fn request(conn: &Connection, account: i64) -> Result<()> {
    conn.prepare_cached("UPDATE account SET requested = requested + 1 WHERE key = ?1")?
        .execute([account])?;
    Ok(())
}

/// Adds a change, which replaces an earlier one of the same kind for the same source.
fn add(conn: &Connection, account: i64, source: Option<i64>, op: &AccountOp) -> Result<()> {
    if let Some(source) = source {
        drop_kind(conn, account, source, op)?;
    }
    conn.prepare_cached("INSERT INTO account_op (account, source, op) VALUES (?1, ?2, ?3)")?
        .execute(params![account, source, to_json(op)?])?;
    request(conn, account)
}

/// Adds a change to title or folder. If the source is waiting to be subscribed again, the change is made with
/// its subscription.
fn add_edit(conn: &Connection, account: i64, source: i64, op: AccountOp) -> Result<()> {
    let mut again = None;
    for old in waiting(conn, account)? {
        if matches!(old.op, AccountOp::Subscribe { .. })
            && old.source.is_some_and(|(key, ..)| key == source)
        {
            again = Some(old.op);
        }
    }
    let Some(AccountOp::Subscribe { url, mut title, mut folder, stream }) = again else {
        return add(conn, account, Some(source), &op);
    };
    match op {
        AccountOp::Rename { title: new } => title = Some(new),
        AccountOp::Move { folder: new } => folder = new,
        AccountOp::Subscribe { .. } | AccountOp::Unsubscribe => {}
    }
    add(conn, account, Some(source), &AccountOp::Subscribe { url, title, folder, stream })
}

/// Drops a change of one kind for a source; returns whether there was one.
fn drop_kind(conn: &Connection, account: i64, source: i64, kind: &AccountOp) -> Result<bool> {
    let mut dropped = false;
    for old in waiting(conn, account)? {
        if old.op.is_kind(kind) && old.source.is_some_and(|(key, ..)| key == source) {
            conn.prepare_cached("DELETE FROM account_op WHERE seq = ?1")?.execute([old.seq])?;
            dropped = true;
        }
    }
    Ok(dropped)
}

/// Makes a change here, and queues it for the server. Returns the change that undoes it; `None` if there is
/// nothing to change.
fn change(
    conn: &Connection,
    id: &SourceId,
    change: &CollectedChange,
    now: Time,
) -> Result<Option<CollectedChange>> {
    let row = conn
        .prepare_cached(
            "SELECT key, account, url, coalesce(feed_title, ''), folder, declared FROM source
             WHERE id = ?1 AND account IS NOT NULL",
        )?
        .query_row([id.as_str()], |r| {
            let (key, account, url): (i64, i64, String) = (r.get(0)?, r.get(1)?, r.get(2)?);
            let (title, folder): (String, Option<String>) = (r.get(3)?, r.get(4)?);
            Ok((key, account, url, title, folder, r.get::<_, bool>(5)?))
        })
        .optional()?;
    let Some((key, account, url, title, folder, declared)) = row else { return Ok(None) };
    let declare = "UPDATE source SET declared = ?2, undeclared_at = ?3 WHERE key = ?1";
    Ok(match change {
        CollectedChange::Title(new) if *new != title => {
            add_edit(conn, account, key, AccountOp::Rename { title: new.clone() })?;
            conn.prepare_cached("UPDATE source SET feed_title = ?2 WHERE key = ?1")?
                .execute(params![key, new])?;
            Some(CollectedChange::Title(title))
        }
        CollectedChange::Folder(new) if *new != folder => {
            add_edit(conn, account, key, AccountOp::Move { folder: new.clone() })?;
            conn.prepare_cached("UPDATE source SET folder = ?2 WHERE key = ?1")?
                .execute(params![key, new])?;
            Some(CollectedChange::Folder(folder))
        }
        CollectedChange::Remove if declared => {
            let again = AccountOp::Subscribe { url, title: None, folder: None, stream: None };
            drop_kind(conn, account, key, &again)?;
            add(conn, account, Some(key), &AccountOp::Unsubscribe)?;
            conn.prepare_cached(declare)?.execute(params![key, false, now.timestamp()])?;
            Some(CollectedChange::Restore)
        }
        CollectedChange::Restore if !declared => {
            // Whether the removal was sent or not, the server's list shows what is left to do.
            drop_kind(conn, account, key, &AccountOp::Unsubscribe)?;
            let title = Some(title).filter(|title| !title.is_empty());
            let op = AccountOp::Subscribe { url, title, folder, stream: None };
            add(conn, account, Some(key), &op)?;
            conn.prepare_cached(declare)?.execute(params![key, true, None::<i64>])?;
            Some(CollectedChange::Remove)
        }
        _ => None,
    })
}

impl Store {
    /// Changes sources of accounts here, and queues the changes for their servers, in one transaction.
    /// Returns the changes that undo them, in the order in which they have to be made.
    pub async fn change_collected(
        &self,
        changes: Vec<(SourceId, CollectedChange)>,
        now: Time,
    ) -> Result<Vec<(SourceId, CollectedChange)>> {
        self.call(move |conn| {
            let mut undo = Vec::new();
            for (id, new) in &changes {
                undo.extend(change(conn, id, new, now)?.map(|back| (id.clone(), back)));
            }
            undo.reverse();
            Ok(undo)
        })
        .await
    }

    /// Queues a subscription for an account (row key).
    pub async fn queue_op(&self, account: i64, op: AccountOp) -> Result<()> {
        self.call(move |conn| add(conn, account, None, &op)).await
    }

    /// Stores the results of changes: those that are done or given up are deleted, the others are kept with
    /// their tries and errors. The server no longer has the items of the sources (row keys) in `left`.
    pub async fn settle_ops(
        &self,
        done: Vec<i64>,
        failed: Vec<WaitingOp>,
        left: Vec<i64>,
    ) -> Result<()> {
        self.call(move |conn| {
            let mut gone = conn.prepare_cached(
                "UPDATE remote_item SET gone = 1
                 WHERE item IN (SELECT key FROM item WHERE source = ?1)",
            )?;
            for source in &left {
                gone.execute([source])?;
            }
            let mut drop = conn.prepare_cached("DELETE FROM account_op WHERE seq = ?1")?;
            for seq in &done {
                drop.execute([seq])?;
            }
            let sql = "UPDATE account_op SET op = ?2, tries = ?3, error = ?4 WHERE seq = ?1";
            let mut update = conn.prepare_cached(sql)?;
            for op in &failed {
                update.execute(params![op.seq, to_json(&op.op)?, op.tries, op.error])?;
            }
            Ok(())
        })
        .await
    }
}

impl Reader {
    /// The waiting changes of an account (row key), in order.
    pub fn account_ops(&self, account: i64) -> Result<Vec<WaitingOp>> {
        waiting(&self.conn, account)
    }
}
