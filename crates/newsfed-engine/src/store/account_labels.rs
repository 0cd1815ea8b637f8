//! Labels on servers: the local tags of items, and the labels last seen on the server.

use super::Store;
use super::account_items::{Remote, remote};
use super::error::Result;
use super::reader::Reader;
use super::tags;
use crate::greader::RemoteId;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashSet;

/// Tags that wait to be sent: one kind of change to one label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingLabel {
    /// The tag in comparable form, and as it is written here.
    pub form: String,
    pub tag: String,
    /// Whether the items get the tag; otherwise they lose it.
    pub to: bool,
    pub items: Vec<RemoteId>,
}

/// All items that a server lists under a label; none for a label that it does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenLabel {
    pub form: String,
    /// As the server writes it.
    pub tag: String,
    pub items: HashSet<RemoteId>,
}

/// The result of merging labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergedLabels {
    /// How many tags were set or removed here.
    Taken(usize),
    /// Nothing was done, because this many tags would be removed here.
    TooMany { lost: usize },
}

/// Up to this many tags, or up to a tenth of all tags, may be removed at once.
const FEW_TAGS: usize = 20;

/// A label of an item: whether it was seen on the server, is set here, and has been sent since, and how often
/// it was sent without effect.
struct Row {
    remote: RemoteId,
    item: Option<i64>,
    base: bool,
    ours: bool,
    sent: bool,
    tries: u32,
}

fn rows(conn: &Connection, account: i64, form: &str) -> Result<Vec<Row>> {
    let mut query = conn.prepare_cached(
        "SELECT l.remote, r.item, l.base, l.ours, l.sent, l.tries FROM remote_label l
         JOIN remote_item r ON r.account = l.account AND r.remote = l.remote
         WHERE l.account = ?1 AND l.form = ?2 AND r.gone = 0",
    )?;
    let rows = query.query_map(params![account, form], |r| {
        Ok(Row {
            remote: remote(r.get_ref(0)?),
            item: r.get(1)?,
            base: r.get(2)?,
            ours: r.get(3)?,
            sent: r.get(4)?,
            tries: r.get(5)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The forms of an account's labels that are known or wait to be sent.
fn forms(conn: &Connection, account: i64) -> Result<Vec<String>> {
    let mut query =
        conn.prepare_cached("SELECT DISTINCT form FROM remote_label WHERE account = ?1")?;
    let forms = query.query_map([account], |r| r.get(0))?;
    Ok(forms.collect::<rusqlite::Result<_>>()?)
}

/// Merges all labels that a server lists into the tags here, as for marks: a change that only one side made
/// is kept. `sent` are the labels, with their items, that have just been sent.
fn merge(
    conn: &Connection,
    account: i64,
    seen: &[SeenLabel],
    sent: &HashSet<(String, RemoteId)>,
    accept: bool,
) -> Result<MergedLabels> {
    let listed: HashSet<&str> = seen.iter().map(|label| label.form.as_str()).collect();
    let missing = forms(conn, account)?.into_iter().filter(|form| !listed.contains(form.as_str()));
    let missing: Vec<SeenLabel> =
        missing.map(|form| SeenLabel { tag: form.clone(), form, items: HashSet::new() }).collect();
    let labels: Vec<(&SeenLabel, Vec<Row>)> = seen
        .iter()
        .chain(&missing)
        .map(|label| Ok((label, rows(conn, account, &label.form)?)))
        .collect::<Result<_>>()?;
    let all: usize = labels.iter().map(|(_, rows)| rows.iter().filter(|r| r.base).count()).sum();
    let is_lost = |label: &SeenLabel, r: &Row| {
        r.base && r.ours && !r.sent && !label.items.contains(&r.remote)
    };
    let lost = labels.iter().map(|(l, rows)| rows.iter().filter(|r| is_lost(l, r)).count()).sum();
    if !accept && lost > FEW_TAGS && lost * 10 > all {
        return Ok(MergedLabels::TooMany { lost });
    }
    let mut taken = 0;
    for (label, rows) in labels {
        taken += settle(conn, account, label, &rows, sent)?;
        let known: HashSet<RemoteId> = rows.into_iter().map(|row| row.remote).collect();
        for id in label.items.iter().filter(|id| !known.contains(*id)) {
            taken += take(conn, account, label, id)?;
        }
    }
    Ok(MergedLabels::Taken(taken))
}

/// Merges a label of the server, for the items that have or had it on either side.
fn settle(
    conn: &Connection,
    account: i64,
    label: &SeenLabel,
    rows: &[Row],
    sent_now: &HashSet<(String, RemoteId)>,
) -> Result<usize> {
    let mut save = conn.prepare_cached(
        "UPDATE remote_label SET base = ?4, ours = ?5, sent = 0, tries = ?6
         WHERE account = ?1 AND form = ?2 AND remote = ?3",
    )?;
    let mut delete = conn.prepare_cached(
        "DELETE FROM remote_label WHERE account = ?1 AND form = ?2 AND remote = ?3",
    )?;
    let mut taken = 0;
    for Row { remote, item, base, ours, sent, tries } in rows {
        let theirs = label.items.contains(remote);
        let next = if ours == base && !sent { theirs } else { *ours };
        if let Some(item) = item.filter(|_| next != *ours) {
            tags::set(conn, &label.tag, &[item], next)?;
            taken += 1;
        }
        let is_sent = sent_now.contains(&(label.form.clone(), remote.clone()));
        let tries_now = if next == theirs { 0 } else { tries.saturating_add(u32::from(is_sent)) };
        if (theirs, next, false, tries_now) == (*base, *ours, *sent, *tries) {
            continue;
        }
        match next || theirs {
            true => {
                save.execute(params![account, label.form, Remote(remote), theirs, next, tries_now])?
            }
            false => delete.execute(params![account, label.form, Remote(remote)])?,
        };
    }
    Ok(taken)
}

/// Gives an item a label that its server lists, if the item is stored here.
fn take(conn: &Connection, account: i64, label: &SeenLabel, id: &RemoteId) -> Result<usize> {
    let item: Option<i64> = conn
        .prepare_cached(
            "SELECT item FROM remote_item
             WHERE account = ?1 AND remote = ?2 AND gone = 0 AND item IS NOT NULL",
        )?
        .query_row(params![account, Remote(id)], |r| r.get(0))
        .optional()?;
    let Some(item) = item else { return Ok(0) };
    let taken = tags::set(conn, &label.tag, &[item], true)?.len();
    conn.prepare_cached(
        "UPDATE remote_label SET base = 1 WHERE account = ?1 AND form = ?2 AND remote = ?3",
    )?
    .execute(params![account, label.form, Remote(id)])?;
    Ok(taken)
}

impl Store {
    /// Records that a label of these items is being sent: from now on, the server may list the items with or
    /// without it.
    pub async fn begin_sending_label(
        &self,
        account: i64,
        form: String,
        items: Vec<RemoteId>,
    ) -> Result<()> {
        self.call_quietly(move |conn| {
            let sql = "UPDATE remote_label SET sent = 1
                WHERE account = ?1 AND form = ?2 AND remote = ?3";
            let mut begin = conn.prepare_cached(sql)?;
            for item in &items {
                begin.execute(params![account, form, Remote(item)])?;
            }
            Ok(())
        })
        .await
    }

    /// Keeps the tags of this form on this computer only, until they are changed here again.
    pub async fn keep_tags_here(&self, account: i64, form: String, tries: u32) -> Result<()> {
        self.call_quietly(move |conn| {
            let sql = "UPDATE remote_label SET tries = max(tries, ?3)
                WHERE account = ?1 AND form = ?2 AND (base <> ours OR sent = 1)";
            conn.prepare_cached(sql)?.execute(params![account, form, tries])?;
            Ok(())
        })
        .await
    }

    /// Merges all labels that a server lists into the tags here. `sent` are the forms and items that have
    /// just been sent. Without `accept`, nothing is done if too many tags would be removed at once.
    pub async fn merge_labels(
        &self,
        account: i64,
        seen: Vec<SeenLabel>,
        sent: HashSet<(String, RemoteId)>,
        accept: bool,
    ) -> Result<MergedLabels> {
        self.call(move |conn| merge(conn, account, &seen, &sent, accept)).await
    }
}

impl Reader {
    /// The tags that wait to be sent to an account (row key), without those that were sent too often without
    /// effect.
    pub fn waiting_labels(&self, account: i64, most_tries: u32) -> Result<Vec<WaitingLabel>> {
        let mut query = self.conn.prepare_cached(
            "SELECT l.form, l.tag, l.ours, l.remote
             FROM remote_label l INDEXED BY remote_label_waiting
             JOIN remote_item r ON r.account = l.account AND r.remote = l.remote
             WHERE l.account = ?1 AND (l.base <> l.ours OR l.sent = 1) AND l.tries < ?2
                AND r.gone = 0 ORDER BY l.form, l.ours DESC",
        )?;
        let rows = query.query_map(params![account, most_tries], |r| {
            Ok((r.get(0)?, r.get(1)?, r.get(2)?, remote(r.get_ref(3)?)))
        })?;
        let mut all: Vec<WaitingLabel> = Vec::new();
        for row in rows {
            let (form, tag, to, item): (String, String, bool, RemoteId) = row?;
            match all.last_mut().filter(|last| last.form == form && last.to == to) {
                Some(last) => last.items.push(item),
                None => all.push(WaitingLabel { form, tag, to, items: vec![item] }),
            }
        }
        Ok(all)
    }
}
