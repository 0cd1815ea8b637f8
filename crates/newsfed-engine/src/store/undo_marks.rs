//! Undo of marks that the user sets one after the other, as in the interface. A mark can show an item that
//! was hidden or snoozed, or snooze it until another time; undo needs the earlier state, which the database
//! no longer has.

use super::error::Result;
use super::marks::{self, Mark};
use super::rule_effects::RECORD;
use super::{Store, stories};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::{HashMap, HashSet};
use std::mem::{Discriminant, discriminant};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of changes to one mark that are remembered for each item.
const MAX_CHANGES: usize = 100;

/// An item (row key), and which mark was set or removed.
type Place = (i64, Discriminant<Mark>, bool);

/// The states that changes to marks ended, latest last. `None` if the change ended nothing, but an earlier
/// one did.
#[derive(Debug, Default)]
pub(super) struct Ended(Mutex<HashMap<Place, Vec<Option<Before>>>>);

/// The state of an item before a mark was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Before {
    hidden: i64,
    read: bool,
    /// Until when the item was snoozed, and whether it was read before that.
    snooze: Option<(i64, bool)>,
    /// The rule that hid the item, when, and whether the item was read before that.
    rule: Option<(String, i64, bool)>,
}

impl Ended {
    fn lock(&self) -> MutexGuard<'_, HashMap<Place, Vec<Option<Before>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self, mark: &Mark, to: bool, changed: Vec<(i64, Option<Before>)>) {
        let mut all = self.lock();
        for (key, before) in changed {
            let place = (key, discriminant(mark), to);
            if before.is_none() && !all.contains_key(&place) {
                continue;
            }
            let changes = all.entry(place).or_default();
            changes.push(before);
            if changes.len() > MAX_CHANGES {
                changes.remove(0);
            }
        }
    }

    /// The states that the last change of a mark to `to` ended.
    fn last(&self, mark: &Mark, keys: &[i64], to: bool) -> HashMap<i64, Before> {
        let all = self.lock();
        let of = |key: &i64| all.get(&(*key, discriminant(mark), to))?.last()?.clone();
        keys.iter().filter_map(|key| Some((*key, of(key)?))).collect()
    }

    fn drop_last(&self, mark: &Mark, keys: &[i64], to: bool) {
        let mut all = self.lock();
        for key in keys {
            let place = (*key, discriminant(mark), to);
            let Some(changes) = all.get_mut(&place) else { continue };
            changes.pop();
            if changes.is_empty() {
                all.remove(&place);
            }
        }
    }
}

/// Whether a change to a mark can end a state of the item that is lost afterwards.
fn can_end(mark: &Mark, to: bool) -> bool {
    match mark {
        Mark::Read => !to,
        Mark::Pinned => to,
        Mark::Hidden | Mark::Snoozed(_) => true,
        Mark::Later | Mark::Queued | Mark::Tag(_) => false,
    }
}

/// The current states of items (row keys) that a change to a mark would end.
fn before(conn: &Connection, mark: &Mark, keys: &[i64], to: bool) -> Result<HashMap<i64, Before>> {
    if !can_end(mark, to) {
        return Ok(HashMap::new());
    }
    let mut query = conn.prepare_cached(
        "SELECT i.hidden, i.read, s.until, s.was_read, e.rule, e.at, e.was_read FROM item i
         LEFT JOIN snooze s ON s.item = i.key
         LEFT JOIN rule_effect e ON e.item = i.key AND e.effect = 'hide'
         WHERE i.key = ?1 AND (i.hidden <> 0 OR (?2 AND i.read = 1))",
    )?;
    // Read items are recorded too. Otherwise, undoing the hiding would leave them unread.
    let hides = *mark == Mark::Hidden && to;
    let mut all = HashMap::new();
    for key in keys {
        let found = query.query_row(params![key, hides], |r| {
            let snooze = r.get::<_, Option<i64>>(2)?.zip(r.get(3)?);
            let rule: Option<String> = r.get(4)?;
            let rule = match rule {
                Some(rule) => Some((rule, r.get(5)?, r.get(6)?)),
                None => None,
            };
            Ok(Before { hidden: r.get(0)?, read: r.get(1)?, snooze, rule })
        });
        all.extend(found.optional()?.map(|before| (*key, before)));
    }
    Ok(all)
}

/// Restores an item (row key) unless it has changed since the mark was set to `to`; returns whether it was
/// restored.
fn restore(conn: &Connection, mark: &Mark, key: i64, to: bool, before: &Before) -> Result<bool> {
    let unchanged = match (mark, to) {
        (Mark::Read, _) => "hidden = 0 AND read = 0",
        (Mark::Pinned, _) => "hidden = 0 AND pinned = 1",
        (Mark::Hidden, true) => "hidden = 1",
        (Mark::Snoozed(_), true) => {
            "hidden = 2 AND ?5 = (SELECT until FROM snooze WHERE item = ?1)"
        }
        _ => "hidden = 0",
    };
    let until = match mark {
        Mark::Snoozed(until) => until.timestamp(),
        _ => 0,
    };
    // A parameter can be bound only if it occurs in the statement.
    let sql = format!(
        "UPDATE item SET hidden = ?2, read = ?3, pinned = iif(?4, 0, pinned)
         WHERE key = ?1 AND ?5 IS NOT NULL AND {unchanged}"
    );
    let unpin = *mark == Mark::Pinned;
    let values = params![key, before.hidden, before.read, unpin, until];
    if conn.prepare_cached(&sql)?.execute(values)? == 0 {
        return Ok(false);
    }
    conn.prepare_cached("DELETE FROM snooze WHERE item = ?1")?.execute([key])?;
    if let Some((until, was_read)) = before.snooze {
        conn.prepare_cached("INSERT INTO snooze (item, until, was_read) VALUES (?1, ?2, ?3)")?
            .execute(params![key, until, was_read])?;
    }
    if let Some((rule, at, was_read)) = &before.rule {
        conn.prepare_cached(RECORD)?.execute(params![key, "hide", rule, at, was_read])?;
    }
    Ok(true)
}

impl Store {
    /// Like [`Store::mark`], and records the states that this ends, for [`Store::undo_mark`]. With `whole`,
    /// also marks the other items of their stories.
    pub async fn mark_for_undo(
        &self,
        mark: Mark,
        keys: Vec<i64>,
        to: bool,
        whole: bool,
    ) -> Result<Vec<i64>> {
        let marked = mark.clone();
        let (changed, mut ended) = self
            .call(move |conn| {
                let keys = if whole { stories::with_members(conn, &keys)? } else { keys.clone() };
                let ended = before(conn, &mark, &keys, to)?;
                Ok((marks::set(conn, &mark, &keys, to)?, ended))
            })
            .await?;
        if can_end(&marked, to) {
            let before = changed.iter().map(|key| (*key, ended.remove(key))).collect();
            self.inner.ended.record(&marked, to, before);
        }
        Ok(changed)
    }

    /// Undoes the last [`Store::mark_for_undo`] of this mark on these items, which set the mark or, if
    /// `was_set` is false, removed it: the states that it ended are restored. Returns the items that changed.
    pub async fn undo_mark(&self, mark: Mark, keys: Vec<i64>, was_set: bool) -> Result<Vec<i64>> {
        let ended = self.inner.ended.last(&mark, &keys, was_set);
        let (undone, all) = (mark.clone(), keys.clone());
        let changed = self
            .call(move |conn| {
                let mut changed = Vec::new();
                for (key, before) in &ended {
                    if restore(conn, &mark, *key, was_set, before)? {
                        changed.push(*key);
                    }
                }
                let restored: HashSet<i64> = changed.iter().copied().collect();
                let others: Vec<i64> =
                    keys.iter().copied().filter(|key| !restored.contains(key)).collect();
                changed.extend(marks::set(conn, &mark, &others, !was_set)?);
                Ok(changed)
            })
            .await?;
        self.inner.ended.drop_last(&undone, &all, was_set);
        Ok(changed)
    }
}
