//! Sets, records and undoes what rules do to items.

use super::Store;
use super::error::Result;
use super::marks::{self, Mark};
use super::reader::Reader;
use super::rows::time;
use super::rule_commands::HOOK_PREFIX;
use super::rule_undo::{mark_again, undo, unmark};
use super::rules::Rule;
use super::tags;
use super::view::View;
use crate::model::{CommandRecord, Effect, RuleEffect, Time};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// The mark that an effect sets; `None` if it acts outside the database.
pub(super) fn mark_of(effect: &Effect) -> Option<Mark> {
    Some(match effect {
        Effect::Read => Mark::Read,
        Effect::Pin => Mark::Pinned,
        Effect::Later => Mark::Later,
        Effect::Hide => Mark::Hidden,
        Effect::Tag(tag) => Mark::Tag(tag.clone()),
        Effect::Notify | Effect::Run => return None,
    })
}

/// An item (row key) that a rule changed, and whether it was read before.
pub(super) type Changed = (i64, bool);

/// Marks that a rule set on items. They are kept in the undo history of the interface, so they are stored as
/// distances between row keys, which take one or two bytes each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleMarks {
    effects: Vec<(Effect, Box<[u8]>)>,
    items: usize,
}

impl RuleMarks {
    pub(super) fn new(all: Vec<(Effect, Vec<Changed>)>) -> Self {
        let mut items: Vec<i64> =
            all.iter().flat_map(|(_, changed)| changed).map(|c| c.0).collect();
        items.sort_unstable();
        items.dedup();
        let all = all.into_iter().filter(|(_, changed)| !changed.is_empty());
        let effects = all.map(|(effect, changed)| (effect, packed(changed))).collect();
        Self { effects, items: items.len() }
    }

    /// Number of items with these marks.
    pub fn items(&self) -> usize {
        self.items
    }

    /// Bytes that the marks take.
    pub fn size(&self) -> usize {
        self.effects.iter().map(|(_, packed)| packed.len()).sum()
    }

    pub(super) fn changes(&self) -> impl Iterator<Item = (&Effect, Vec<Changed>)> {
        self.effects.iter().map(|(effect, packed)| (effect, unpacked(packed)))
    }
}

/// Row keys as distances from the previous one, seven bits per byte; the lowest bit is the flag.
fn packed(mut changed: Vec<Changed>) -> Box<[u8]> {
    changed.sort_unstable();
    let mut bytes = Vec::with_capacity(changed.len() * 2);
    let mut last = 0i64;
    for (key, was_read) in changed {
        // Row keys are positive, so the distance and its flag fit.
        let mut left = (key.wrapping_sub(last).unsigned_abs() << 1) | u64::from(was_read);
        last = key;
        while left >= 0x80 {
            bytes.push(u8::try_from(left & 0x7f).unwrap_or_default() | 0x80);
            left >>= 7;
        }
        bytes.push(u8::try_from(left).unwrap_or_default());
    }
    bytes.into_boxed_slice()
}

fn unpacked(bytes: &[u8]) -> Vec<Changed> {
    let (mut changed, mut last) = (Vec::new(), 0i64);
    let (mut value, mut shift) = (0u64, 0u32);
    for byte in bytes {
        value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or_default();
        if byte & 0x80 != 0 {
            shift += 7;
            continue;
        }
        last = last.saturating_add(i64::try_from(value >> 1).unwrap_or(i64::MAX));
        changed.push((last, value & 1 == 1));
        (value, shift) = (0, 0);
    }
    changed
}

/// Applies the effects of a rule, by its name, to stored items (row keys), and records what changed.
fn apply<'a>(
    conn: &Connection,
    name: &str,
    effects: impl Iterator<Item = &'a Effect>,
    keys: &[i64],
    now: Time,
) -> Result<RuleMarks> {
    let mut effects: Vec<&Effect> = effects.collect();
    if effects.contains(&&Effect::Pin) {
        // An item that the rule hides and then shows again becomes unread in between, so it is marked read
        // last.
        effects.sort_by_key(|effect| **effect == Effect::Read);
    }
    let mut done = Vec::new();
    for effect in effects {
        done.push((effect.clone(), apply_effect(conn, name, effect, keys, now)?));
    }
    Ok(RuleMarks::new(done))
}

/// Sets a mark on items (row keys) and records that under a name; returns the items that changed, and whether
/// they were read. Effects outside the database are ignored.
pub(super) fn apply_effect(
    conn: &Connection,
    name: &str,
    effect: &Effect,
    keys: &[i64],
    now: Time,
) -> Result<Vec<Changed>> {
    if *effect == Effect::Pin {
        show(conn, keys)?;
    }
    apply_by(conn, name, effect, keys, now, marks::set)
}

pub(super) type SetMark = fn(&Connection, &Mark, &[i64], bool) -> Result<Vec<i64>>;

pub(super) fn apply_by(
    conn: &Connection,
    name: &str,
    effect: &Effect,
    keys: &[i64],
    now: Time,
    set: SetMark,
) -> Result<Vec<Changed>> {
    let Some(mark) = mark_of(effect) else { return Ok(Vec::new()) };
    let mut record = conn.prepare_cached(RECORD)?;
    // Only a mark that hides an item makes it read.
    let hides = mark == Mark::Hidden;
    let unread = if hides { unread_of(conn, keys)? } else { HashSet::new() };
    let changed = set(conn, &mark, keys, true)?.into_iter();
    let changed: Vec<Changed> = changed.map(|key| (key, hides && !unread.contains(&key))).collect();
    let effect = effect.to_string();
    for (key, was_read) in &changed {
        record.execute(params![key, effect, name, now.timestamp(), was_read])?;
    }
    Ok(changed)
}

pub(super) const RECORD: &str =
    "INSERT OR REPLACE INTO rule_effect (item, effect, rule, at, was_read)
    VALUES (?1, ?2, ?3, ?4, ?5)";

/// Deletes the records of rules that hid any of these items (row keys); returns the hidden items, and whether
/// they were read before.
pub(super) fn clear_hidden(conn: &Connection, keys: &[i64]) -> Result<Vec<Changed>> {
    let mut hidden = conn.prepare_cached(
        "DELETE FROM rule_effect WHERE effect = 'hide'
         AND item = (SELECT key FROM item WHERE key = ?1 AND hidden <> 0) RETURNING was_read",
    )?;
    let mut all = Vec::new();
    for &key in keys {
        let was_read = hidden.query_row([key], |r| r.get(0)).optional()?;
        all.extend(was_read.map(|was_read| (key, was_read)));
    }
    Ok(all)
}

/// Shows items that rules hid: pinned items are shown, whatever the order of the rules.
fn show(conn: &Connection, keys: &[i64]) -> Result<()> {
    let hidden = clear_hidden(conn, keys)?;
    let shown: Vec<i64> = hidden.iter().map(|(key, _)| *key).collect();
    marks::set(conn, &Mark::Hidden, &shown, false)?;
    let read = hidden.into_iter().filter(|(_, was_read)| *was_read);
    marks::set(conn, &Mark::Read, &read.map(|(key, _)| key).collect::<Vec<_>>(), true)?;
    Ok(())
}

/// Records that a rule notified the user of items (row keys), or ran its command for them. Some of the items
/// may have been removed since.
pub(super) fn record_outside(
    conn: &Connection,
    name: &str,
    effect: &Effect,
    keys: &[i64],
    now: Time,
) -> Result<()> {
    let mut record = conn.prepare_cached(
        "INSERT OR REPLACE INTO rule_effect (item, effect, rule, at, was_read)
         SELECT key, ?2, ?3, ?4, 0 FROM item WHERE key = ?1",
    )?;
    let effect = effect.to_string();
    for key in keys {
        record.execute(params![key, effect, name, now.timestamp()])?;
    }
    Ok(())
}

fn unread_of(conn: &Connection, keys: &[i64]) -> Result<HashSet<i64>> {
    let mut is_unread =
        conn.prepare_cached("SELECT EXISTS (SELECT 1 FROM item WHERE key = ?1 AND read = 0)")?;
    let mut unread = HashSet::new();
    for &key in keys {
        if is_unread.query_row([key], |r| r.get(0))? {
            unread.insert(key);
        }
    }
    Ok(unread)
}

/// Applies a rule to all items of a view. It neither notifies nor runs its command.
fn apply_to(conn: &Connection, rule: &Rule, view: &View, now: Time) -> Result<RuleMarks> {
    let keys = super::part::keys(conn, view)?;
    let effects = rule.effects.iter().filter(|effect| mark_of(effect).is_some());
    apply(conn, &rule.name, effects, &keys, now)
}

/// What a rule has done so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleRecord {
    pub rule: String,
    /// Number of items that the rule changed and that are still stored.
    pub items: u32,
    /// Numbers of stored items for which the rule notified the user, and for which it ran its command.
    pub notified: u32,
    pub ran: u32,
    /// When the rule last did something.
    pub last: Time,
    /// How the commands of the rule ended.
    pub commands: Option<CommandRecord>,
}

impl Store {
    /// Applies a rule to the items of a view; returns what it changed. It neither notifies nor runs its
    /// command.
    pub async fn apply_rule(&self, rule: Rule, view: View, now: Time) -> Result<RuleMarks> {
        self.call(move |conn| apply_to(conn, &rule, &view, now)).await
    }

    /// Undoes what a rule did, except for marks that have changed since. Returns what was undone.
    pub async fn undo_rule(&self, rule: String) -> Result<RuleMarks> {
        self.call(move |conn| undo(conn, &rule)).await
    }

    /// Sets marks of a rule again, or removes them.
    pub async fn mark_by_rule(
        &self,
        rule: String,
        marks: Arc<RuleMarks>,
        on: bool,
        now: Time,
    ) -> Result<()> {
        self.call(move |conn| match on {
            true => mark_again(conn, &rule, &marks, now),
            false => unmark(conn, &marks).map(drop),
        })
        .await
    }

    /// Records that a rule notified the user of items (row keys).
    pub async fn record_notified(&self, rule: String, items: Vec<i64>, now: Time) -> Result<()> {
        self.call(move |conn| record_outside(conn, &rule, &Effect::Notify, &items, now)).await
    }

    /// Like [`Self::apply_rule`], outside of a runtime; returns the number of items that changed.
    pub fn apply_rule_blocking(&self, rule: Rule, view: View, now: Time) -> Result<usize> {
        let marks = move |conn: &Connection| apply_to(conn, &rule, &view, now);
        Ok(self.writer()?.call_blocking(marks)?.items())
    }

    /// Like [`Self::undo_rule`], outside of a runtime; returns the number of items that changed.
    pub fn undo_rule_blocking(&self, rule: String) -> Result<usize> {
        Ok(self.writer()?.call_blocking(move |conn| undo(conn, &rule))?.items())
    }
}

/// What the effects of a rule would change on stored items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WouldChange {
    /// Items on which at least one mark would change.
    pub items: usize,
    /// Other items that would be hidden if they were not pinned.
    pub pinned: usize,
}

impl WouldChange {
    /// Describes how many of the matching items would change, as a part of a sentence; empty if all would.
    pub fn describe(&self, matching: usize) -> String {
        if self.items >= matching {
            return String::new();
        }
        let pinned = match self.pinned {
            0 => String::new(),
            1 => " (1 is pinned)".to_owned(),
            many => format!(" ({many} are pinned)"),
        };
        format!("{} would change{pinned}", self.items)
    }
}

impl Reader {
    /// What [`Store::apply_rule`] would change on some items (row keys); `None` if none of the effects sets a
    /// mark.
    pub fn would_change(&self, effects: &[Effect], keys: &[i64]) -> Result<Option<WouldChange>> {
        let marks: Vec<Mark> = effects.iter().filter_map(mark_of).collect();
        if marks.is_empty() {
            return Ok(None);
        }
        let forms = marks.iter().filter_map(|mark| match mark {
            Mark::Tag(tag) => tags::stored_form(tag).map(|(_, form)| form),
            _ => None,
        });
        let forms: Vec<String> = forms.collect();
        let mut of_item = self
            .conn
            .prepare_cached("SELECT read, pinned, later, hidden FROM item WHERE key = ?1")?;
        let mut has_tag = self.conn.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM item_tag WHERE item = ?1 AND form = ?2)",
        )?;
        let mut would = WouldChange::default();
        for key in keys {
            let flags = of_item.query_row([key], |r| {
                let flag = |at: usize| Ok::<_, rusqlite::Error>(r.get::<_, i64>(at)? != 0);
                Ok([flag(0)?, flag(1)?, flag(2)?, flag(3)?])
            });
            let Some([read, pinned, later, hidden]) = flags.optional()? else { continue };
            let mut changes = marks.iter().any(|mark| match mark {
                Mark::Read => !read,
                Mark::Pinned => !pinned,
                Mark::Later => !later,
                Mark::Hidden => !hidden && !pinned,
                _ => false,
            });
            for form in &forms {
                changes =
                    changes || !has_tag.query_row(params![key, form], |r| r.get::<_, bool>(0))?;
            }
            would.items += usize::from(changes);
            would.pinned += usize::from(!changes && pinned && marks.contains(&Mark::Hidden));
        }
        Ok(Some(would))
    }

    /// What rules did to an item (row key).
    pub fn effects_on(&self, item: i64) -> Result<Vec<RuleEffect>> {
        let mut query = self.conn.prepare_cached(
            "SELECT effect, rule, at FROM rule_effect WHERE item = ?1 ORDER BY at, effect, rule",
        )?;
        let rows = query.query_map([item], |r| {
            let (effect, rule, at): (String, String, i64) = (r.get(0)?, r.get(1)?, r.get(2)?);
            let effect = effect.parse().ok();
            Ok(effect.map(|effect| RuleEffect { effect, rule, at: time(at) }))
        })?;
        Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    /// What rules have done, by name.
    pub fn rule_records(&self) -> Result<Vec<RuleRecord>> {
        // The rows are sorted like the table, so that all changes to an item are adjacent.
        let mut query = self
            .conn
            .prepare_cached("SELECT rule, item, effect, at FROM rule_effect ORDER BY item")?;
        let mut rows = query.query([])?;
        let mut by_rule: BTreeMap<String, (RuleRecord, Option<i64>)> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let rule = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
            if !by_rule.contains_key(rule) {
                by_rule.insert(rule.to_owned(), Default::default());
            }
            let Some((record, changed)) = by_rule.get_mut(rule) else { continue };
            let (item, at): (i64, i64) = (row.get(1)?, row.get(3)?);
            match row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)? {
                "notify" => record.notified += 1,
                "run" => record.ran += 1,
                _ => record.items += u32::from(changed.replace(item) != Some(item)),
            }
            record.last = record.last.max(time(at));
        }
        let records = by_rule.into_iter();
        let mut records: Vec<RuleRecord> =
            records.map(|(rule, (record, _))| RuleRecord { rule, ..record }).collect();
        let mut commands = self.command_records()?;
        for record in &mut records {
            record.commands = commands.remove(&record.rule);
        }
        commands.retain(|name, _| !name.starts_with(HOOK_PREFIX));
        // Adds the records of rules that have changed no stored item.
        records.extend(commands.into_iter().map(|(rule, commands)| {
            let (last, commands) = (commands.at, Some(commands));
            RuleRecord { rule, last, commands, ..RuleRecord::default() }
        }));
        records.sort_by(|a, b| a.rule.cmp(&b.rule));
        Ok(records)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_marks_of_a_rule_round_trip() {
        for changed in [
            vec![],
            vec![(1, false), (2, true), (3, false)],
            vec![(63, true), (64, false), (1 << 40, true), (i64::MAX >> 1, false)],
        ] {
            assert_eq!(unpacked(&packed(changed.clone())), changed);
        }
        let scattered =
            |effect| (effect, (0..1_000_000).map(|n| (n * 7 + 1, n % 3 == 0)).collect());
        let marks = RuleMarks::new(vec![scattered(Effect::Hide), scattered(Effect::Pin)]);
        assert_eq!((marks.items(), marks.size()), (1_000_000, 2_000_000));
    }
}
