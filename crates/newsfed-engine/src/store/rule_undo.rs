//! Undoes what rules did to items, and nothing else: an item that another rule hid stays hidden, and a
//! snoozed item comes back at its time.

use super::error::Result;
use super::marks::{self, Mark};
use super::rule_commands;
use super::rule_effects::{Changed, RECORD, RuleMarks, apply_effect, clear_hidden, mark_of};
use crate::model::{Effect, Time};
use rusqlite::{Connection, params};
use std::collections::HashSet;

/// Undoes what a rule did, where its marks are still set; returns these marks. Deletes the record of how its
/// commands ended.
pub(super) fn undo(conn: &Connection, rule: &str) -> Result<RuleMarks> {
    let mut query = conn.prepare_cached(
        "SELECT effect, item, was_read FROM rule_effect WHERE rule = ?1 ORDER BY effect",
    )?;
    let rows = query.query_map([rule], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?;
    let mut all: Vec<(Effect, Vec<Changed>)> = Vec::new();
    for row in rows {
        let (effect, item, was_read): (String, i64, bool) = row?;
        let Ok(effect) = effect.parse() else { continue };
        match all.last_mut().filter(|(last, _)| *last == effect) {
            Some((_, changed)) => changed.push((item, was_read)),
            None => all.push((effect, vec![(item, was_read)])),
        }
    }
    let back = unmark(conn, &RuleMarks::new(all))?;
    conn.prepare_cached("DELETE FROM rule_effect WHERE rule = ?1")?.execute([rule])?;
    rule_commands::delete_record(conn, rule)?;
    Ok(back)
}

/// Removes marks where they are still set; returns the removed marks.
pub(super) fn unmark(conn: &Connection, marks: &RuleMarks) -> Result<RuleMarks> {
    let mut all: Vec<(&Effect, Vec<Changed>)> = marks.changes().collect();
    // An item that the same rule hid is shown first, so that the mark that made it read can be undone.
    all.sort_by_key(|(effect, _)| **effect != Effect::Hide);
    let mut back = Vec::new();
    for (effect, changed) in all {
        let Some(mark) = mark_of(effect) else { continue };
        let changed = match effect {
            Effect::Hide => show(conn, changed)?,
            Effect::Read => unread(conn, changed)?,
            _ => {
                let keys: Vec<i64> = changed.into_iter().map(|(key, _)| key).collect();
                let keys = marks::set(conn, &mark, &keys, false)?;
                keys.into_iter().map(|key| (key, false)).collect()
            }
        };
        back.push((effect.clone(), changed));
    }
    Ok(RuleMarks::new(back))
}

/// Shows items that a rule hid, read or unread as they would be without the rule.
fn show(conn: &Connection, mut changed: Vec<Changed>) -> Result<Vec<Changed>> {
    for (key, was_read) in &mut changed {
        // What was undone after these changes were made is known only to the database.
        if let [(_, stored)] = clear_hidden(conn, &[*key])?[..] {
            *was_read = stored;
        }
    }
    let keys: Vec<i64> = changed.iter().map(|(key, _)| *key).collect();
    let shown: HashSet<i64> = marks::set(conn, &Mark::Hidden, &keys, false)?.into_iter().collect();
    changed.retain(|(key, _)| shown.contains(key));
    let read: Vec<i64> = changed.iter().filter(|(_, read)| *read).map(|(key, _)| *key).collect();
    marks::set(conn, &Mark::Read, &read, true)?;
    Ok(changed)
}

/// Marks as unread the items that a rule marked read. Hidden and snoozed items are unread once they are
/// shown.
fn unread(conn: &Connection, changed: Vec<Changed>) -> Result<Vec<Changed>> {
    let mut hidden =
        conn.prepare_cached("SELECT EXISTS (SELECT 1 FROM item WHERE key = ?1 AND hidden <> 0)")?;
    let mut delete =
        conn.prepare_cached("DELETE FROM rule_effect WHERE item = ?1 AND effect = 'read'")?;
    let (mut shown, mut done) = (Vec::new(), Vec::new());
    for (key, _) in changed {
        if !hidden.query_row([key], |r| r.get(0))? {
            shown.push(key);
        } else if comes_back_as(conn, key, false)? {
            delete.execute([key])?;
            done.push(key);
        }
    }
    done.extend(marks::set(conn, &Mark::Read, &shown, false)?);
    Ok(done.into_iter().map(|key| (key, false)).collect())
}

/// Sets whether an item (row key) that a rule hid or that is snoozed is read once it is shown; returns
/// whether that changed.
pub(super) fn comes_back_as(conn: &Connection, key: i64, read: bool) -> Result<bool> {
    let mut hidden = conn.prepare_cached(
        "UPDATE rule_effect SET was_read = ?2 WHERE item = ?1 AND effect = 'hide' AND was_read <> ?2
         AND EXISTS (SELECT 1 FROM item WHERE key = ?1 AND hidden = 1)",
    )?;
    let mut snoozed =
        conn.prepare_cached("UPDATE snooze SET was_read = ?2 WHERE item = ?1 AND was_read <> ?2")?;
    Ok(hidden.execute(params![key, read])? + snoozed.execute(params![key, read])? > 0)
}

/// Sets marks of a rule again.
pub(super) fn mark_again(
    conn: &Connection,
    rule: &str,
    marks: &RuleMarks,
    now: Time,
) -> Result<()> {
    let mut record = conn.prepare_cached(RECORD)?;
    for (effect, changed) in marks.changes() {
        let keys: Vec<i64> = changed.into_iter().map(|(key, _)| key).collect();
        if *effect == Effect::Read {
            for key in &keys {
                if comes_back_as(conn, *key, true)? {
                    record.execute(params![
                        key,
                        effect.to_string(),
                        rule,
                        now.timestamp(),
                        false
                    ])?;
                }
            }
        }
        apply_effect(conn, rule, effect, &keys, now)?;
    }
    Ok(())
}
