//! Items of accounts: what a server has, and the marks that were last seen there.

use super::Store;
use super::error::Result;
use super::identity::Prepared;
use super::ingest;
use super::reader::Reader;
use super::rules::{self, Announcement, Arrival, Rules};
use crate::greader::RemoteId;
use crate::model::Time;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, OptionalExtension, ToSql, params};
use std::collections::HashMap;

/// The marks that servers know.
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
    pub ours: Marks,
    /// How often a difference was sent in vain.
    pub tries: u32,
    /// Whether the server no longer has it.
    pub gone: bool,
}

impl RemoteItem {
    /// Whether a mark waits to be sent.
    pub fn is_waiting(&self) -> bool {
        !self.gone && self.base != self.ours
    }
}

/// An item that a server lists and that is new here.
#[derive(Debug, Clone)]
pub struct ArrivedItem {
    pub remote: RemoteId,
    /// Row key of its source.
    pub source: i64,
    /// Whether its source had no items before this synchronisation.
    pub is_first: bool,
    /// Its marks on the server.
    pub marks: Marks,
    /// When it arrived there.
    pub arrived: Time,
    /// `None` if nothing of it can be shown.
    pub entry: Option<Prepared>,
}

/// What the server says about the marks of a known item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenMarks {
    pub remote: RemoteId,
    pub theirs: Marks,
    /// Whether ours were sent just before.
    pub sent: bool,
}

/// The marks here after `theirs` were seen on the server: what only they changed is taken, what only
/// we changed holds. Both can only have changed a mark to the same value.
pub fn merged(base: Marks, ours: Marks, theirs: Marks) -> Marks {
    let one = |base: bool, ours: bool, theirs: bool| if ours == base { theirs } else { ours };
    Marks {
        read: one(base.read, ours.read, theirs.read),
        pinned: one(base.pinned, ours.pinned, theirs.pinned),
    }
}

/// How identifiers are stored: numbers as numbers.
struct Remote<'a>(&'a RemoteId);

impl ToSql for Remote<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            RemoteId::Number(number) => ToSqlOutput::Owned(Value::Integer(*number)),
            RemoteId::Other(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

fn remote(value: ValueRef<'_>) -> RemoteId {
    match value {
        ValueRef::Integer(number) => RemoteId::Number(number),
        ValueRef::Text(text) => RemoteId::Other(String::from_utf8_lossy(text).into_owned()),
        _ => RemoteId::Other(String::new()),
    }
}

/// What came of storing items.
#[derive(Debug, Default)]
pub struct ArrivedItems {
    pub new: usize,
    /// What rules announce of them.
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
    let untied = "NOT EXISTS (SELECT 1 FROM remote_item WHERE item = key)";
    // What a rebuilt database has lost the ties of, or items of the server that was there before.
    let mut by_guid = conn.prepare_cached(&format!(
        "SELECT key FROM item WHERE source = ?1 AND guid_hash = ?2 AND {untied} LIMIT 1"
    ))?;
    let mut by_url = conn.prepare_cached(&format!(
        "SELECT key FROM item WHERE source = ?1 AND url_hash = ?2 AND {untied} LIMIT 1"
    ))?;
    let mut new: HashMap<(i64, bool), Vec<(i64, &Prepared)>> = HashMap::new();
    let mut marked = Vec::new();
    for arrived in items {
        let (id, source) = (Remote(&arrived.remote), arrived.source);
        if known.query_row(params![account, id], |r| r.get(0))? {
            continue;
        }
        let mut item = None;
        if let Some(entry) = &arrived.entry {
            let (guid, url) = (params![source, entry.guid_hash], params![source, entry.url_hash]);
            item = by_guid.query_row(guid, |r| r.get(0)).optional()?;
            if item.is_none() && relink {
                item = by_url.query_row(url, |r| r.get(0)).optional()?;
            }
            if item.is_none() {
                let discovered = arrived.arrived.min(now);
                let key = ingest::insert(conn, source, entry, discovered, None)?;
                new.entry((source, arrived.is_first)).or_default().push((key, entry));
                marked.push((key, arrived.marks));
                item = Some(key);
            }
        }
        insert(conn, account, arrived, item)?;
    }
    let mut done = ArrivedItems::default();
    for ((source, _), items) in &new {
        ingest::count_new(conn, *source, items.len())?;
    }
    set_marks(conn, &marked)?;
    for ((source, is_first), items) in new {
        done.new += items.len();
        let arrival = Arrival { rules, at: now, is_first };
        done.announcements.extend(rules::arrived(conn, arrival, source, &items)?);
    }
    Ok(done)
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

/// Gives new items the marks that they have on the server; the counts follow by triggers.
fn set_marks(conn: &Connection, items: &[(i64, Marks)]) -> Result<()> {
    let mut set = conn.prepare_cached("UPDATE item SET read = ?2, pinned = ?3 WHERE key = ?1")?;
    for (key, Marks { read, pinned }) in items.iter().filter(|(_, m)| *m != Marks::default()) {
        set.execute(params![key, read, pinned])?;
    }
    Ok(())
}

/// Merges what the server says into the marks here. Returns how many marks were taken over.
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
            let base = Marks { read: r.get(1)?, pinned: r.get(2)? };
            let ours = Marks { read: r.get(3)?, pinned: r.get(4)? };
            Ok((r.get::<_, Option<i64>>(0)?, base, ours, r.get::<_, u32>(5)?))
        });
        let Some((item, base, ours, tries)) = row.optional()? else { continue };
        let next = merged(base, ours, *theirs);
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
    /// items of its sources that belong to no item of the server are recognised by their address.
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

    /// Merges what the server says about marks; returns how many were taken over.
    pub async fn merge_marks(&self, account: i64, seen: Vec<SeenMarks>) -> Result<usize> {
        self.call(move |conn| merge(conn, account, &seen)).await
    }

    /// Records that the server no longer has these items; they stay here with their marks.
    pub async fn set_gone(&self, account: i64, items: Vec<RemoteId>) -> Result<()> {
        self.call(move |conn| {
            let sql = "UPDATE remote_item SET gone = 1 WHERE account = ?1 AND remote = ?2";
            let mut update = conn.prepare_cached(sql)?;
            for item in &items {
                update.execute(params![account, Remote(item)])?;
            }
            Ok(())
        })
        .await
    }
}

impl Reader {
    /// The items of an account (row key).
    pub fn remote_items(&self, account: i64) -> Result<Vec<RemoteItem>> {
        let mut query = self.conn.prepare_cached(
            "SELECT remote, base_read, base_pinned, read, pinned, tries, gone FROM remote_item
             WHERE account = ?1",
        )?;
        let rows = query.query_map([account], |r| {
            Ok(RemoteItem {
                remote: remote(r.get_ref(0)?),
                base: Marks { read: r.get(1)?, pinned: r.get(2)? },
                ours: Marks { read: r.get(3)?, pinned: r.get(4)? },
                tries: r.get(5)?,
                gone: r.get(6)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// How many items of an account (row key) have marks that wait to be sent, and how many have marks
    /// that were sent that often in vain.
    pub fn waiting_marks(&self, account: i64, most_tries: u32) -> Result<(usize, usize)> {
        let counts = self.conn.query_row(
            "SELECT coalesce(sum(tries < ?2), 0), coalesce(sum(tries >= ?2), 0)
             FROM remote_item INDEXED BY remote_item_waiting
             WHERE account = ?1 AND gone = 0 AND (read <> base_read OR pinned <> base_pinned)",
            params![account, most_tries],
            |r| Ok((r.get::<_, i64>(0)?, r.get::<_, i64>(1)?)),
        )?;
        let count = |n: i64| usize::try_from(n).unwrap_or(0);
        Ok((count(counts.0), count(counts.1)))
    }
}
