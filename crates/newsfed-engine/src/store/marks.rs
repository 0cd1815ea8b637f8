//! Marks of items, such as read and pinned. Functions return the row keys of the items that they changed, for
//! undo.

use super::Store;
use super::error::Result;
use super::part::{self, Part};
use super::reader::Reader;
use super::view::View;
use super::{stories, tags};
use crate::model::{Effect, Time};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    Read,
    Pinned,
    /// Kept for later.
    Later,
    /// Left out of lists, and read. Removing the mark makes the item unread.
    Hidden,
    /// Left out of lists until this time.
    Snoozed(Time),
    /// Its episode is in the queue.
    Queued,
    /// The item has this tag.
    Tag(String),
}

/// Sets a mark on items (row keys); items that already had it are not returned.
pub(super) fn set(conn: &Connection, mark: &Mark, keys: &[i64], to: bool) -> Result<Vec<i64>> {
    let changed = set_all(conn, mark, keys, to)?;
    disown(conn, mark, &changed, to)?;
    Ok(changed)
}

/// Deletes the records of rules for marks that the user has set or removed since, so that undoing the rule
/// leaves these marks unchanged.
fn disown(conn: &Connection, mark: &Mark, keys: &[i64], to: bool) -> Result<()> {
    let effect = match mark {
        // No rule sets this mark.
        Mark::Queued => return Ok(()),
        Mark::Read => Effect::Read,
        Mark::Pinned => Effect::Pin,
        Mark::Later => Effect::Later,
        Mark::Hidden | Mark::Snoozed(_) => Effect::Hide,
        Mark::Tag(tag) => Effect::Tag(tag.clone()),
    };
    let effect = effect.to_string();
    let mut any = conn.prepare_cached("SELECT EXISTS (SELECT 1 FROM rule_effect)")?;
    if any.query_row([], |r| r.get(0))? {
        let mut delete = conn.prepare_cached(
            "DELETE FROM rule_effect WHERE item = ?1 AND comparable(effect) = comparable(?2)",
        )?;
        let mut shown = conn.prepare_cached(
            "DELETE FROM rule_effect WHERE item = ?1 AND effect = 'hide'
             AND EXISTS (SELECT 1 FROM item WHERE key = ?1 AND hidden = 0)",
        )?;
        // Marking an item unread or pinned also shows it.
        let shows = matches!((mark, to), (Mark::Read, false) | (Mark::Pinned, true));
        for key in keys {
            delete.execute(params![key, effect])?;
            if shows {
                shown.execute([key])?;
            }
        }
    }
    Ok(())
}

/// Like [`set`], for new items, which the user has not marked.
pub(super) fn set_all(conn: &Connection, mark: &Mark, keys: &[i64], to: bool) -> Result<Vec<i64>> {
    let sql = match (mark, to) {
        (Mark::Tag(tag), _) => return tags::set(conn, tag, keys, to),
        (Mark::Queued, _) => return super::episodes::set(conn, keys, to),
        (Mark::Snoozed(until), true) => return snooze(conn, keys, *until),
        (Mark::Snoozed(_), false) => return unsnooze(conn, keys),
        (Mark::Read, _) => "UPDATE item SET read = ?2 WHERE key = ?1 AND read <> ?2",
        (Mark::Pinned, _) => "UPDATE item SET pinned = ?2 WHERE key = ?1 AND pinned <> ?2",
        (Mark::Later, _) => "UPDATE item SET later = ?2 WHERE key = ?1 AND later <> ?2",
        // Pinned items stay visible.
        (Mark::Hidden, true) => {
            "UPDATE item SET read = ?2, hidden = 1 WHERE key = ?1 AND hidden = 0 AND pinned = 0"
        }
        // Marking an item unread also shows it.
        (Mark::Hidden, false) => "UPDATE item SET read = ?2 WHERE key = ?1 AND hidden = 1",
    };
    let mut update = conn.prepare_cached(sql)?;
    let mut changed = Vec::new();
    for &key in keys {
        if update.execute(params![key, to])? > 0 {
            changed.push(key);
        }
    }
    Ok(changed)
}

/// Shows snoozed items (row keys) as they were before; returns those that changed.
fn unsnooze(conn: &Connection, keys: &[i64]) -> Result<Vec<i64>> {
    let mut show = conn.prepare_cached(
        "UPDATE item SET hidden = 0, read = (SELECT was_read FROM snooze WHERE item = ?1)
         WHERE key = ?1 AND hidden = 2",
    )?;
    let mut delete = conn.prepare_cached("DELETE FROM snooze WHERE item = ?1")?;
    let mut changed = Vec::new();
    for &key in keys {
        if show.execute([key])? > 0 {
            delete.execute([key])?;
            changed.push(key);
        }
    }
    Ok(changed)
}

/// Hides items (row keys) until the given time; returns those that changed.
fn snooze(conn: &Connection, keys: &[i64], until: Time) -> Result<Vec<i64>> {
    let mut record = conn.prepare_cached(
        "INSERT INTO snooze (item, until, was_read)
         SELECT key, ?2, read FROM item WHERE key = ?1 AND hidden <> 1
         ON CONFLICT (item) DO UPDATE SET until = excluded.until",
    )?;
    let mut hide = conn.prepare_cached("UPDATE item SET read = 1, hidden = 2 WHERE key = ?1")?;
    let mut changed = Vec::new();
    for &key in keys {
        if record.execute(params![key, until.timestamp()])? > 0 {
            hide.execute([key])?;
            changed.push(key);
        }
    }
    Ok(changed)
}

/// Ends the snooze of items that are due: marks them as unread and shows them again. Returns their number.
pub(super) fn wake(conn: &Connection, now: Time) -> Result<usize> {
    let woken = conn
        .prepare_cached(
            "UPDATE item SET read = 0 WHERE key IN (SELECT item FROM snooze WHERE until <= ?1)",
        )?
        .execute([now.timestamp()])?;
    // The trigger has already deleted the rows of hidden items.
    conn.prepare_cached("DELETE FROM snooze WHERE until <= ?1")?.execute([now.timestamp()])?;
    Ok(woken)
}

impl Store {
    /// Sets a mark on items (row keys); returns those that changed.
    pub async fn mark(&self, mark: Mark, keys: Vec<i64>, to: bool) -> Result<Vec<i64>> {
        self.call(move |conn| set(conn, &mark, &keys, to)).await
    }

    /// Like [`Store::mark`], outside of a runtime.
    pub fn mark_blocking(&self, mark: Mark, keys: Vec<i64>, to: bool) -> Result<Vec<i64>> {
        self.writer()?.call_blocking(move |conn| set(conn, &mark, &keys, to))
    }

    /// Sets several marks in one transaction, outside of a runtime; returns the row keys of the items that
    /// changed.
    pub fn mark_all_blocking(
        &self,
        marks: Vec<Mark>,
        keys: Vec<i64>,
        to: bool,
    ) -> Result<BTreeSet<i64>> {
        self.writer()?.call_blocking(move |conn| {
            let mut changed = BTreeSet::new();
            for mark in &marks {
                changed.extend(set(conn, mark, &keys, to)?);
            }
            Ok(changed)
        })
    }

    /// Like [`Store::mark_blocking`], with the other items of their stories.
    pub fn mark_stories_blocking(&self, mark: Mark, keys: Vec<i64>, to: bool) -> Result<Vec<i64>> {
        self.writer()?.call_blocking(move |conn| stories::mark(conn, &mark, &keys, to))
    }

    /// Whether new items of a story that was read are marked read when they join it.
    pub fn read_stories_together(&self, together: bool) {
        self.inner.stories_together.store(together, Ordering::Relaxed);
    }

    /// Marks a view or a part of it as read, with the items that it folds; returns the row keys of the items
    /// that changed. With `stories`, also marks the other items of their stories.
    pub async fn mark_view_read(&self, view: View, part: Part, stories: bool) -> Result<Vec<i64>> {
        self.call(move |conn| part::mark_read(conn, &view, part, stories)).await
    }

    /// Ends the snooze of items that are due: marks them as unread and shows them again. Returns their
    /// number.
    pub async fn wake(&self, now: Time) -> Result<usize> {
        self.call(move |conn| wake(conn, now)).await
    }
}

impl Reader {
    /// Whether an item (row key) is kept for later, and until when it is snoozed.
    pub fn kept(&self, item: i64) -> Result<(bool, Option<Time>)> {
        let mut query = self.conn.prepare_cached(
            "SELECT later, (SELECT until FROM snooze WHERE item = ?1) FROM item WHERE key = ?1",
        )?;
        let kept = query.query_row([item], |r| Ok((r.get(0)?, r.get::<_, Option<i64>>(1)?)));
        let (later, until) = kept.optional()?.unwrap_or_default();
        Ok((later, until.map(super::rows::time)))
    }

    /// When the next snoozed item comes back.
    pub fn next_wake(&self) -> Result<Option<Time>> {
        let next: Option<i64> = self
            .conn
            .prepare_cached("SELECT min(until) FROM snooze")?
            .query_row([], |r| r.get(0))?;
        Ok(next.map(super::rows::time))
    }

    /// The row key of an item, given as digits, or found by its id or the beginning of its id.
    pub fn find(&self, id: &str) -> Result<IdMatch> {
        let is_key =
            !id.starts_with('0') && id.len() < 19 && id.bytes().all(|b| b.is_ascii_digit());
        if let (true, Ok(key)) = (is_key, id.parse::<i64>()) {
            let mut query = self.conn.prepare_cached("SELECT key FROM item WHERE key = ?1")?;
            let found = query.query_row([key], |r| r.get(0)).optional()?;
            return Ok(found.map_or(IdMatch::None, IdMatch::One));
        }
        let hex: String = id.chars().filter(|c| *c != '-').collect::<String>().to_ascii_uppercase();
        if hex.len() < 4 || hex.len() > 32 || !hex.chars().all(|c| c.is_ascii_hexdigit()) {
            return Ok(IdMatch::None);
        }
        let mut query = self.conn.prepare_cached(
            "SELECT key FROM item WHERE id >= ?1 AND id <= ?2 ORDER BY id LIMIT 2",
        )?;
        let bound = |fill: &str| {
            let digits = hex.clone() + &fill.repeat(32 - hex.len());
            u128::from_str_radix(&digits, 16).unwrap_or_default().to_be_bytes()
        };
        let keys: Vec<i64> = query
            .query_map(params![bound("0"), bound("F")], |r| r.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        Ok(match keys.as_slice() {
            [] => IdMatch::None,
            [key] => IdMatch::One(*key),
            _ => IdMatch::Several,
        })
    }
}

/// The result of searching for an item by its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdMatch {
    None,
    /// One item, with this row key.
    One(i64),
    /// More than one item; a longer prefix is needed.
    Several,
}

impl Reader {
    pub fn last_key(&self) -> Result<i64> {
        let key: Option<i64> = self
            .conn
            .prepare_cached("SELECT key FROM item ORDER BY key DESC LIMIT 1")?
            .query_row([], |r| r.get(0))
            .optional()?;
        Ok(key.unwrap_or(0))
    }
}
