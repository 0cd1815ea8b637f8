//! Marks that machines exchange. Each mark of an item is a register whose value is the mark with the greatest
//! timestamp, so the result depends neither on the order in which marks arrive nor on how often they arrive.
//! The changes made here are the differences between an item and its registers; triggers only note which
//! items to compare.
//!
//! The timestamps come from hybrid logical clocks (Kulkarni et al., "Logical Physical Clocks", 2014): a mark
//! that was set when an earlier one was known counts as later, however wrong the clocks are.

use super::error::Result;
use super::mark_expiry::free;
use super::mark_registers::{ARRIVED, BATCH, Clock, FILE, Identity, MACHINE, find, put, registers};
use super::mark_sources::follow_sources;
use super::marks::{self, Mark};
use super::{Store, memo};
use crate::model::{Effect, SharedMark, Stamp, Time, stable_hash};
use crate::util::text::comparable;
use crate::util::url::normalise;
use rusqlite::{Connection, params};
use std::collections::{BTreeMap, HashMap};

/// Items that arrived at most this many days before this machine took part, and that were read, are marked
/// read on other machines.
const READ_DAYS: i64 = 60;

/// The hash of the URL of a source, which is the same on every machine.
pub(super) fn source_hash(url: &str) -> i64 {
    let key = url::Url::parse(url).map_or_else(|_| url.to_owned(), |url| normalise(&url));
    stable_hash([key.as_str()]).cast_signed()
}

/// Parses the mark of an item.
fn mark_of(text: &str) -> Option<Mark> {
    match text.parse().ok()? {
        Effect::Read => Some(Mark::Read),
        Effect::Pin => Some(Mark::Pinned),
        Effect::Later => Some(Mark::Later),
        Effect::Tag(tag) => Some(Mark::Tag(tag)),
        Effect::Hide | Effect::Notify | Effect::Run => None,
    }
}

pub(super) fn set(conn: &Connection, item: i64, mark: &SharedMark) -> Result<bool> {
    let Some(what) = mark_of(&mark.mark) else { return Ok(false) };
    Ok(!marks::set(conn, &what, &[item], mark.on)?.is_empty())
}

/// Makes this machine take part from now on; returns its id. Marks that are already set are treated as older
/// than all marks of the other machines.
fn join(conn: &Connection, now: Time) -> Result<String> {
    if let Some(machine) = memo::get(conn, MACHINE)? {
        return Ok(machine);
    }
    // SQLite's generator is seeded by the operating system.
    let machine: String = conn.query_row("SELECT lower(hex(randomblob(8)))", [], |r| r.get(0))?;
    memo::set(conn, MACHINE, &machine)?;
    note_old_marks(conn, now, None)?;
    Ok(machine)
}

/// Notes the marks of all items, or of the items of a source (row key), so that they are compared as old
/// marks.
pub(super) fn note_old_marks(conn: &Connection, now: Time, source: Option<i64>) -> Result<()> {
    let since = now.timestamp() - READ_DAYS * 86_400;
    conn.execute(
        "INSERT OR IGNORE INTO marked (item, form, old)
         WITH some AS (SELECT * FROM item WHERE ?2 IS NULL OR source = ?2)
         SELECT key, 'pin', 1 FROM some WHERE pinned = 1
         UNION ALL SELECT key, 'later', 1 FROM some WHERE later = 1
         UNION ALL SELECT t.item, 'tag:' || t.form, 1 FROM some JOIN item_tag t ON t.item = some.key
         UNION ALL SELECT key, 'read', 1 FROM some WHERE read = 1 AND discovered > ?1",
        params![since, source],
    )?;
    Ok(())
}

/// An item and its marks.
pub(super) struct Marked {
    pub(super) key: i64,
    pub(super) identity: Identity,
    pub(super) on: BTreeMap<String, String>,
}

/// The marks of items, except those of account sources, whose marks are synchronised with servers. In
/// `which`, `?1` is a row key and `?2` a number.
pub(super) fn marked(conn: &Connection, which: &str, from: i64, count: i64) -> Result<Vec<Marked>> {
    let sql = format!(
        "SELECT i.key, s.url, i.guid_hash, i.url_hash, i.read, i.pinned, i.later
         FROM item i JOIN source s ON s.key = i.source
         WHERE s.account IS NULL AND i.key IN ({which}) ORDER BY i.key"
    );
    let mut query = conn.prepare_cached(&sql)?;
    let mut tags = conn.prepare_cached("SELECT tag FROM item_tag WHERE item = ?1")?;
    let mut hashes: HashMap<String, i64> = HashMap::new();
    let mut rows = query.query([from, count])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let key = row.get(0)?;
        let url: String = row.get(1)?;
        let source = *hashes.entry(url).or_insert_with_key(|url| source_hash(url));
        let mut on = Vec::new();
        for (column, mark) in [(4, "read"), (5, "pin"), (6, "later")] {
            if row.get(column)? {
                on.push(mark.to_owned());
            }
        }
        let named = tags.query_map([key], |r| r.get::<_, String>(0))?;
        for tag in named {
            on.push(Effect::Tag(tag?).to_string());
        }
        let identity = Identity { source, guid: row.get(2)?, url: row.get(3)? };
        let on = on.into_iter().map(|mark| (comparable(&mark), mark)).collect();
        all.push(Marked { key, identity, on });
    }
    Ok(all)
}

/// Gives items that have arrived the marks that other machines have set or removed. These items
/// have no marks of the user yet, only marks set by rules. Returns whether there may be more.
fn apply_to_arrived(conn: &Connection) -> Result<bool> {
    let seen: i64 = memo::get(conn, ARRIVED)?.and_then(|key| key.parse().ok()).unwrap_or_default();
    let any: bool =
        conn.query_row("SELECT EXISTS (SELECT 1 FROM shared_mark)", [], |r| r.get(0))?;
    let batch = "SELECT key FROM item WHERE key > ?1 ORDER BY key LIMIT ?2";
    let newest = format!("SELECT max(key) FROM ({batch})");
    // Without shared marks there is nothing to compare with.
    let count = if any { BATCH } else { -1 };
    let newest: Option<i64> = conn.query_row(&newest, [seen, count], |r| r.get(0))?;
    let Some(newest) = newest else { return Ok(false) };
    if any {
        for item in marked(conn, batch, seen, BATCH)? {
            for (form, mark) in registers(conn, item.identity)? {
                if mark.on != item.on.contains_key(&form) {
                    set(conn, item.key, &mark)?;
                }
            }
        }
    }
    memo::set(conn, ARRIVED, &newest.to_string())?;
    Ok(true)
}

/// Records what the user and rules have marked since the last comparison. Returns whether there may be more.
fn record(conn: &Connection, now: Time) -> Result<bool> {
    let rows = "SELECT item, form, old FROM marked WHERE item > ?1 ORDER BY item, form LIMIT ?2";
    let changed: Vec<(i64, String, bool)> = conn
        .prepare_cached(rows)?
        .query_map([0, BATCH], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?;
    if changed.is_empty() {
        return Ok(false);
    }
    let mut clock = Clock::read(conn, now)?;
    let items = marked(conn, &format!("SELECT item FROM ({rows})"), 0, BATCH)?;
    let items: HashMap<i64, Marked> = items.into_iter().map(|item| (item.key, item)).collect();
    for (key, form, is_old) in &changed {
        // The item may have been removed after it was marked.
        let Some(item) = items.get(key) else { continue };
        let known = registers(conn, item.identity)?;
        let known = known.get(form);
        let (mark, on) = match (item.on.get(form), known) {
            (Some(mark), known) if !known.is_some_and(|known| known.on) => (mark, true),
            (None, Some(known)) if known.on => (&known.mark, false),
            _ => continue,
        };
        let stamp = match (is_old, known) {
            (false, _) => clock.next(),
            (true, None) => Stamp { millis: 0, count: 0, machine: clock.machine.clone() },
            (true, Some(newer)) => {
                set(conn, item.key, newer)?;
                continue;
            }
        };
        let Identity { source, guid, url } = item.identity;
        put(conn, &SharedMark { source, guid, url, mark: mark.clone(), on, stamp }, false)?;
    }
    clock.save(conn)?;
    let mut delete = conn.prepare_cached("DELETE FROM marked WHERE item = ?1 AND form = ?2")?;
    for (item, form, _) in &changed {
        delete.execute(params![item, form])?;
    }
    Ok(true)
}

/// Runs all steps of the preparation until nothing is left.
fn prepare_all(conn: &Connection, now: Time) -> Result<()> {
    while apply_to_arrived(conn)? {}
    while follow_sources(conn, now)? {}
    while record(conn, now)? {}
    Ok(())
}

/// Applies the marks of other machines that are newer; returns how many items changed, and how many marks
/// exceeded the limit.
fn merge(conn: &Connection, marks: &[SharedMark], limit: i64, now: Time) -> Result<(usize, usize)> {
    // Local changes get their stamps before the arriving marks are read.
    prepare_all(conn, now)?;
    let mut clock = Clock::read(conn, now)?;
    let (mut changed, mut refused, mut free) = (0, 0, free(conn, limit)?);
    let mut sources: Option<HashMap<i64, Vec<i64>>> = None;
    for mark in marks {
        clock.knows(&mark.stamp);
        let is_known = find(conn, mark, &comparable(&mark.mark))?.is_some();
        if !is_known && free <= 0 {
            refused += 1;
            continue;
        }
        free -= i64::from(!is_known);
        if !put(conn, mark, true)? {
            continue;
        }
        let sources = match &sources {
            Some(known) => known,
            None => sources.insert(source_keys(conn)?),
        };
        for source in sources.get(&mark.source).into_iter().flatten() {
            changed += apply(conn, *source, mark)?;
        }
    }
    clock.save(conn)?;
    // Marks that were just applied must not count as changes made here.
    prepare_all(conn, now)?;
    Ok((changed, refused))
}

/// The row keys of sources by the hashes of their URLs.
pub(super) fn source_keys(conn: &Connection) -> Result<HashMap<i64, Vec<i64>>> {
    let mut query = conn.prepare_cached("SELECT url, key FROM source WHERE account IS NULL")?;
    let rows = query.query_map([], |r| Ok((r.get::<_, String>(0)?, r.get(1)?)))?;
    let mut keys: HashMap<i64, Vec<i64>> = HashMap::new();
    for row in rows {
        let (url, key) = row?;
        keys.entry(source_hash(&url)).or_default().push(key);
    }
    Ok(keys)
}

/// The items of a source that a mark refers to: row keys, and what identifies them.
pub(super) fn items_of(
    conn: &Connection,
    source: i64,
    mark: &SharedMark,
) -> Result<Vec<(i64, Identity)>> {
    let mut query = conn.prepare_cached(
        "SELECT key, guid_hash, url_hash FROM item WHERE source = ?1 AND guid_hash = ?2
         UNION
         SELECT key, guid_hash, url_hash FROM item
         WHERE source = ?1 AND url_hash = ?3 AND (guid_hash IS NULL OR ?2 IS NULL)",
    )?;
    let rows = query.query_map(params![source, mark.guid, mark.url], |r| {
        Ok((r.get(0)?, Identity { source: mark.source, guid: r.get(1)?, url: r.get(2)? }))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Finds the items of a source that a mark refers to, and sets the newest mark of its kind on them.
fn apply(conn: &Connection, source: i64, mark: &SharedMark) -> Result<usize> {
    let mut changed = 0;
    for (item, identity) in items_of(conn, source, mark)? {
        if let Some(newest) = registers(conn, identity)?.get(&comparable(&mark.mark)) {
            changed += usize::from(set(conn, item, newest)?);
        }
    }
    Ok(changed)
}

impl Store {
    /// Makes this machine take part in exchanging marks from now on; returns its id.
    pub fn join_machines_blocking(&self, now: Time) -> Result<String> {
        if let Some(machine) = self.reader()?.memo(MACHINE)? {
            return Ok(machine);
        }
        self.writer()?.call_blocking(move |conn| join(conn, now))
    }

    /// Gives new items the marks of other machines, and records marks of this machine, for at most 1,000
    /// items. Returns whether there may be more.
    pub fn prepare_marks_blocking(&self, now: Time) -> Result<bool> {
        if !self.reader()?.has_marks_to_record()? {
            return Ok(false);
        }
        self.writer()?.call_blocking(move |conn| {
            Ok(apply_to_arrived(conn)? || follow_sources(conn, now)? || record(conn, now)?)
        })
    }

    /// Applies the marks of other machines that are newer; returns how many items changed, and how
    /// many marks were left out because of the limit. Changes made here are recorded first.
    pub fn merge_marks_blocking(
        &self,
        marks: Vec<SharedMark>,
        limit: i64,
        now: Time,
    ) -> Result<(usize, usize)> {
        // Mark files come from outside: a mark is rewritten in the form that this machine would write.
        let clean = |mark: SharedMark| match mark.mark.parse::<Effect>() {
            Ok(effect) => SharedMark { mark: effect.to_string(), ..mark },
            Err(_) => mark,
        };
        let marks = marks.into_iter().map(clean).collect();
        // Sometimes a whole file is read again; most of its marks are known in that case.
        let marks = self.reader()?.unknown_marks(marks)?;
        if marks.is_empty() {
            return Ok((0, 0));
        }
        self.writer()?.call_blocking(move |conn| merge(conn, &marks, limit, now))
    }

    /// Records that these marks are in this machine's file, and the new state of the file.
    pub fn marks_written_blocking(
        &self,
        marks: Vec<(i64, SharedMark)>,
        file: String,
    ) -> Result<()> {
        self.writer()?.call_blocking(move |conn| {
            memo::set(conn, FILE, &file)?;
            let mut written = conn.prepare_cached(
                "UPDATE shared_mark SET written = 1
                 WHERE key = ?1 AND millis = ?2 AND count = ?3 AND machine = ?4 AND written = 0",
            )?;
            for (key, mark) in &marks {
                let Stamp { millis, count, machine } = &mark.stamp;
                written.execute(params![key, millis, count, machine])?;
            }
            Ok(())
        })
    }

    /// Records that all marks are in this machine's file. No mark is missed, because only the caller creates
    /// marks, one job after another.
    pub fn all_marks_written_blocking(&self, file: String) -> Result<()> {
        self.writer()?.call_blocking(move |conn| {
            memo::set(conn, FILE, &file)?;
            conn.execute("UPDATE shared_mark SET written = 1 WHERE written = 0", [])?;
            Ok(())
        })
    }
}
