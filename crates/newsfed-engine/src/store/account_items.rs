//! Items of accounts: what a server has, and the marks that were last seen there.

use super::Store;
use super::arrivals::{self, Arrival};
use super::error::Result;
use super::identity::Prepared;
use super::ingest;
use super::new_marks::NewMarks;
use super::rules::{Announcement, Rules};
use crate::greader::RemoteId;
use crate::model::Time;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};
use std::collections::HashMap;

/// The marks that servers store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Marks {
    pub read: bool,
    pub pinned: bool,
}

/// An item of an account: the marks here, and those that were last seen on the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteItem {
    pub remote: RemoteId,
    pub base: Marks,
    /// The marks that were sent since they were last seen. Until the server lists them again, they may have
    /// either value there.
    pub sent: Marks,
    pub ours: Marks,
    /// How often a difference was sent without effect.
    pub tries: u32,
    /// Whether the server no longer has the item.
    pub gone: bool,
}

impl RemoteItem {
    /// Whether a mark waits to be sent.
    pub fn is_waiting(&self) -> bool {
        !self.gone && (self.base != self.ours || self.sent != Marks::default())
    }
}

/// An item that a server lists and that is new here.
#[derive(Debug, Clone)]
pub struct ArrivedItem {
    pub remote: RemoteId,
    /// Row key of its source; `None` if the source is not known here.
    pub source: Option<i64>,
    /// Whether the source had no items before this synchronisation.
    pub is_first: bool,
    /// The marks of the item on the server.
    pub marks: Marks,
    /// When the item counts as discovered.
    pub discovered: Time,
    /// `None` if the item has nothing that can be shown.
    pub entry: Option<Prepared>,
}

/// The marks of a known item on the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenMarks {
    pub remote: RemoteId,
    pub theirs: Marks,
    /// Whether the marks here have just been sent.
    pub sent: bool,
}

/// The marks here after `theirs` were seen on the server. A mark that only the server changed is adopted; a
/// mark that only this side changed is kept. If both sides changed a mark, they changed it to the same value.
/// A mark that was sent and changed back here is kept too, because the server has the value that was sent.
pub fn merged(base: Marks, sent: Marks, ours: Marks, theirs: Marks) -> Marks {
    let one = |base: bool, sent: bool, ours: bool, theirs: bool| {
        if ours == base && !sent { theirs } else { ours }
    };
    Marks {
        read: one(base.read, sent.read, ours.read, theirs.read),
        pinned: one(base.pinned, sent.pinned, ours.pinned, theirs.pinned),
    }
}

/// Added to `base_read` or `base_pinned` if the mark was sent after it was last seen. A row with this value
/// waits to be sent, whatever its mark here is.
const SENT: i64 = 2;

/// A mark as it was last seen, and whether it has been sent since.
fn base_mark(r: &Row<'_>, column: usize) -> rusqlite::Result<(bool, bool)> {
    let stored: i64 = r.get(column)?;
    Ok((stored & 1 != 0, stored & SENT != 0))
}

/// The marks as they were last seen, and which of them have been sent since; from two columns.
pub(super) fn base_marks(r: &Row<'_>, column: usize) -> rusqlite::Result<(Marks, Marks)> {
    let (read, read_sent) = base_mark(r, column)?;
    let (pinned, pinned_sent) = base_mark(r, column + 1)?;
    Ok((Marks { read, pinned }, Marks { read: read_sent, pinned: pinned_sent }))
}

/// An identifier as it is stored: numbers as numbers.
pub(super) struct Remote<'a>(pub(super) &'a RemoteId);

impl ToSql for Remote<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            RemoteId::Number(number) => ToSqlOutput::Owned(Value::Integer(*number)),
            RemoteId::Other(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

pub(super) fn remote(value: ValueRef<'_>) -> RemoteId {
    match value {
        ValueRef::Integer(number) => RemoteId::Number(number),
        ValueRef::Text(text) => RemoteId::Other(String::from_utf8_lossy(text).into_owned()),
        _ => RemoteId::Other(String::new()),
    }
}

/// The result of storing items.
#[derive(Debug, Default)]
pub struct ArrivedItems {
    pub new: usize,
    /// Announcements of the rules that match the items.
    pub announcements: Vec<Announcement>,
}

/// Stores items that are not known yet, with the marks that they have on the server.
fn arrive(
    conn: &Connection,
    account: i64,
    (items, relink): (&[ArrivedItem], bool),
    now: Time,
    rules: &Rules,
) -> Result<ArrivedItems> {
    let mut known = conn.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM remote_item WHERE account = ?1 AND remote = ?2)",
    )?;
    let mut new: HashMap<(i64, bool), Vec<arrivals::StoredItem<'_>>> = HashMap::new();
    for arrived in items {
        if known.query_row(params![account, Remote(&arrived.remote)], |r| r.get(0))? {
            continue;
        }
        // An item that cannot be stored is recorded, so that it is not fetched again.
        let mut item = None;
        if let (Some(source), Some(entry)) = (arrived.source, &arrived.entry) {
            item = untied(conn, source, entry, relink)?;
            if let Some(key) = item {
                rename(conn, key, entry)?;
            } else {
                let discovered = arrived.discovered.min(now);
                let none = NewMarks::default();
                let at = (discovered, ingest::sort_date(entry, discovered.timestamp()));
                let key = ingest::insert(conn, source, entry, at, None, none)?;
                new.entry((source, arrived.is_first)).or_default().push((key, entry, discovered));
                item = Some(key);
            }
        }
        insert(conn, account, arrived, item)?;
    }
    let mut done = ArrivedItems::default();
    for ((source, _), items) in &new {
        ingest::count_new(conn, *source, items.len())?;
    }
    for ((source, is_first), items) in new {
        done.new += items.len();
        let arrival = Arrival { rules, at: now, is_first };
        done.announcements.extend(arrivals::arrived(conn, arrival, source, &items)?);
    }
    Ok(done)
}

/// The stored item that matches an arriving item, among those that are not yet linked to an item of the
/// server. In a rebuilt database it has the same identifier; otherwise, for example in a source that was
/// moved to the server, it has the same URL. With `relink`, identifiers are ignored, because they come from a
/// different server. Some feeds have one URL for all items, so the title or the date must be the same too.
fn untied(conn: &Connection, source: i64, entry: &Prepared, relink: bool) -> Result<Option<i64>> {
    let tied = "EXISTS (SELECT 1 FROM remote_item WHERE item = key)";
    let title = &entry.entry.title;
    if !relink {
        let sql = format!(
            "SELECT key FROM item WHERE source = ?1 AND guid_hash = ?2 AND NOT {tied}
                AND (url_hash = ?3 OR title = ?4) LIMIT 1"
        );
        let known = conn
            .prepare_cached(&sql)?
            .query_row(params![source, entry.guid_hash, entry.url_hash, title], |r| r.get(0))
            .optional()?;
        if known.is_some() {
            return Ok(known);
        }
    }
    let sql = format!(
        "SELECT key FROM item JOIN detail ON detail.item = key
         WHERE source = ?1 AND url_hash = ?2 AND NOT {tied} AND (title = ?3 OR published = ?4)
         ORDER BY title = ?3 DESC, published IS ?4 DESC, key LIMIT 1"
    );
    let published = entry.entry.published.map(|at| at.timestamp());
    Ok(conn
        .prepare_cached(&sql)?
        .query_row(params![source, entry.url_hash, title, published], |r| r.get(0))
        .optional()?)
}

/// Gives an item the identifier that it has on its server.
fn rename(conn: &Connection, key: i64, entry: &Prepared) -> Result<()> {
    conn.prepare_cached("UPDATE item SET guid_hash = ?2 WHERE key = ?1")?
        .execute(params![key, entry.guid_hash])?;
    conn.prepare_cached("UPDATE detail SET guid = ?2 WHERE item = ?1")?
        .execute(params![key, entry.entry.guid])?;
    Ok(())
}

fn insert(conn: &Connection, account: i64, new: &ArrivedItem, item: Option<i64>) -> Result<()> {
    let Marks { read, pinned } = new.marks;
    let ours: Option<(bool, bool)> = item
        .map(|key| {
            let sql = "SELECT read, pinned FROM item WHERE key = ?1";
            conn.prepare_cached(sql)?.query_row([key], |r| Ok((r.get(0)?, r.get(1)?)))
        })
        .transpose()?;
    let (our_read, our_pinned) = ours.unwrap_or((read, pinned));
    // A mark on either side is kept; a new item has no marks here. Triggers update the counts.
    let (our_read, our_pinned) = (our_read || read, our_pinned || pinned);
    if ours.is_some_and(|ours| ours != (our_read, our_pinned)) {
        conn.prepare_cached("UPDATE item SET read = ?2, pinned = ?3 WHERE key = ?1")?
            .execute(params![item, our_read, our_pinned])?;
    }
    conn.prepare_cached(
        "INSERT INTO remote_item (account, remote, item, base_read, base_pinned, read, pinned)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        account,
        Remote(&new.remote),
        item,
        read,
        pinned,
        our_read,
        our_pinned
    ])?;
    Ok(())
}

/// Merges the marks of the server into the marks here. Returns how many marks were applied.
fn merge(conn: &Connection, account: i64, seen: &[SeenMarks]) -> Result<usize> {
    let mut find = conn.prepare_cached(
        "SELECT item, base_read, base_pinned, read, pinned, tries FROM remote_item
         WHERE account = ?1 AND remote = ?2",
    )?;
    let mut save = conn.prepare_cached(
        "UPDATE remote_item SET base_read = ?3, base_pinned = ?4, read = ?5, pinned = ?6, tries = ?7
         WHERE account = ?1 AND remote = ?2",
    )?;
    let mut mark = conn.prepare_cached("UPDATE item SET read = ?2, pinned = ?3 WHERE key = ?1")?;
    let mut taken = 0;
    for SeenMarks { remote, theirs, sent } in seen {
        let row = find.query_row(params![account, Remote(remote)], |r| {
            let ours = Marks { read: r.get(3)?, pinned: r.get(4)? };
            Ok((r.get::<_, Option<i64>>(0)?, base_marks(r, 1)?, ours, r.get::<_, u32>(5)?))
        });
        let Some((item, (base, sent_since), ours, tries)) = row.optional()? else { continue };
        let next = merged(base, sent_since, ours, *theirs);
        if next != ours {
            taken += usize::from(next.read != ours.read) + usize::from(next.pinned != ours.pinned);
            if let Some(item) = item {
                mark.execute(params![item, next.read, next.pinned])?;
            }
        }
        let tries = match next == *theirs {
            true => 0,
            false => tries.saturating_add(u32::from(*sent)),
        };
        let (read, pinned) = (next.read, next.pinned);
        let values =
            params![account, Remote(remote), theirs.read, theirs.pinned, read, pinned, tries];
        save.execute(values)?;
    }
    Ok(taken)
}

impl Store {
    /// Stores new items of an account (row key), and its state, in one transaction. With `relink`,
    /// items of its sources that are not linked to an item of the server are recognised by their URL.
    pub async fn store_arrived(
        &self,
        account: i64,
        items: Vec<ArrivedItem>,
        relink: bool,
        state: String,
        now: Time,
    ) -> Result<ArrivedItems> {
        let rules = self.rules();
        self.call(move |conn| {
            let done = arrive(conn, account, (&items, relink), now, &rules)?;
            let save = "UPDATE account SET state = ?2 WHERE key = ?1";
            conn.prepare_cached(save)?.execute(params![account, state])?;
            Ok(done)
        })
        .await
    }

    /// Records that marks of these items, either read or pinned, are being sent. From now on the server may
    /// have either value, even if no response arrives.
    pub async fn begin_sending(
        &self,
        account: i64,
        is_read: bool,
        items: Vec<RemoteId>,
    ) -> Result<()> {
        let column = if is_read { "base_read" } else { "base_pinned" };
        let sql = format!(
            "UPDATE remote_item SET {column} = {column} | {SENT} WHERE account = ?1 AND remote = ?2"
        );
        self.call_quietly(move |conn| each(conn, &sql, account, &items)).await
    }

    /// Merges the marks of the server; returns how many were applied.
    pub async fn merge_marks(&self, account: i64, seen: Vec<SeenMarks>) -> Result<usize> {
        self.call(move |conn| merge(conn, account, &seen)).await
    }

    /// Records that the server no longer has these items; they are kept here with their marks.
    pub async fn set_gone(&self, account: i64, items: Vec<RemoteId>) -> Result<()> {
        self.call(move |conn| {
            let sql = "UPDATE remote_item SET gone = 1 WHERE account = ?1 AND remote = ?2";
            each(conn, sql, account, &items)?;
            // Retention has removed the items of these rows, or they could not be stored.
            let sql = "DELETE FROM remote_item WHERE account = ?1 AND gone = 1 AND item IS NULL";
            conn.prepare_cached(sql)?.execute([account])?;
            Ok(())
        })
        .await
    }

    /// Records that the server lists these items again.
    pub async fn set_present(&self, account: i64, items: Vec<RemoteId>) -> Result<()> {
        self.call(move |conn| {
            let sql =
                "UPDATE remote_item SET gone = 0, tries = 0 WHERE account = ?1 AND remote = ?2";
            each(conn, sql, account, &items)
        })
        .await
    }

    /// Records items that cannot be fetched as known, so that they are not fetched again.
    pub async fn skip_remote_items(&self, account: i64, items: Vec<RemoteId>) -> Result<()> {
        self.call(move |conn| {
            let sql = "INSERT OR IGNORE INTO remote_item
                (account, remote, base_read, base_pinned, read, pinned) VALUES (?1, ?2, 1, 0, 1, 0)";
            each(conn, sql, account, &items)
        })
        .await
    }
}

fn each(conn: &Connection, sql: &str, account: i64, items: &[RemoteId]) -> Result<()> {
    let mut statement = conn.prepare_cached(sql)?;
    for item in items {
        statement.execute(params![account, Remote(item)])?;
    }
    Ok(())
}
