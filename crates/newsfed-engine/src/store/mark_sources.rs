//! Sources that have a new URL or have left an account: their marks are merged with the marks that
//! other machines have under the new URL.

use super::error::Result;
use super::mark_registers::{Identity, MACHINE, put, registers, wins};
use super::memo;
use super::reader::Reader;
use super::rows::to_json;
use super::shared_marks::{Marked, marked, note_old_marks, set, source_hash};
use crate::model::{SharedMark, Stamp, Time};
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};

/// The sources as they were when marks were last compared (JSON).
const SOURCES: &str = "machine_sources";

/// Sources by their row keys, with the hashes of their URLs; `None` for account sources.
type Sources = BTreeMap<i64, Option<i64>>;

fn current(conn: &Connection) -> Result<Sources> {
    let mut query = conn.prepare_cached("SELECT key, url, account FROM source")?;
    let rows = query.query_map([], |r| {
        let (key, url, account): (i64, String, Option<i64>) = (r.get(0)?, r.get(1)?, r.get(2)?);
        Ok((key, account.is_none().then(|| source_hash(&url))))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn known(conn: &Connection) -> Result<Option<Sources>> {
    Ok(memo::get(conn, SOURCES)?.and_then(|text| serde_json::from_str(&text).ok()))
}

/// Merges the marks of sources that have changed. Returns whether there may be more.
pub(super) fn follow_sources(conn: &Connection, now: Time) -> Result<bool> {
    let current = current(conn)?;
    let before = known(conn)?;
    if before.as_ref() == Some(&current) {
        return Ok(false);
    }
    for (source, hash) in &current {
        // The items of a new source get their marks when they arrive.
        let Some(before) = before.as_ref().and_then(|all| all.get(source)) else { continue };
        match (before, hash) {
            (Some(before), Some(hash)) if before != hash => merge(conn, *source, Some(*before))?,
            (None, Some(_)) => {
                note_old_marks(conn, now, Some(*source))?;
                merge(conn, *source, None)?;
            }
            _ => {}
        }
    }
    memo::set(conn, SOURCES, &to_json(&current)?)?;
    Ok(true)
}

/// Merges the marks of a source's items under its current URL with the marks under the previous one.
fn merge(conn: &Connection, source: i64, before: Option<i64>) -> Result<()> {
    let machine = memo::get(conn, MACHINE)?.unwrap_or_default();
    let all = "SELECT key FROM item WHERE source = ?1 LIMIT ?2";
    for item in marked(conn, all, source, -1)? {
        let Marked { key, identity, on } = item;
        let old = match before {
            Some(source) => registers(conn, Identity { source, ..identity })?,
            None => BTreeMap::new(),
        };
        let new = registers(conn, identity)?;
        let waiting = waiting(conn, key)?;
        for (form, mark) in &new {
            let is_newest = old.get(form).is_none_or(|old| wins(mark, old));
            // A change that has no stamp yet will get a later one, so it is kept.
            if is_newest && mark.on != on.contains_key(form) && !waiting.contains(form) {
                set(conn, key, mark)?;
            }
        }
        for (form, mark) in old {
            if new.get(&form).is_none_or(|new| wins(&mark, new)) {
                // The mark becomes a mark of this machine, which keeps it in its file.
                let stamp = Stamp { machine: machine.clone(), ..mark.stamp };
                let Identity { source, guid, url } = identity;
                put(conn, &SharedMark { source, guid, url, stamp, ..mark }, false)?;
            }
        }
    }
    Ok(())
}

/// The marks of an item that have changed and have no stamp yet.
fn waiting(conn: &Connection, item: i64) -> Result<BTreeSet<String>> {
    let mut query = conn.prepare_cached("SELECT form FROM marked WHERE item = ?1 AND old = 0")?;
    let rows = query.query_map([item], |r| r.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

impl Reader {
    /// Whether sources have changed since marks were last compared.
    pub(super) fn have_sources_changed(&self) -> Result<bool> {
        Ok(known(&self.conn)?.as_ref() != Some(&current(&self.conn)?))
    }
}
