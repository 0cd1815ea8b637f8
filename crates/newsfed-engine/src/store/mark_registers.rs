//! The registers of shared marks, and the clock that stamps them.

use super::error::Result;
use super::memo;
use super::reader::Reader;
use super::rows::to_json;
use crate::model::{SharedMark, Stamp, Time};
use crate::util::text::comparable;
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::BTreeMap;

/// The name under which this machine's id is stored. The triggers read it too.
pub(super) const MACHINE: &str = "machine";

/// The greatest known stamp.
const CLOCK: &str = "machine_clock";

/// The newest item (row key) whose registers were applied on arrival.
pub(super) const ARRIVED: &str = "machine_arrived";

/// The state of this machine's file when it was last written (JSON).
pub(super) const FILE: &str = "machine_file";

/// Number of items that one job compares.
pub(super) const BATCH: i64 = 1000;

/// A register: its row key, and the mark in it.
pub(super) struct Register {
    pub(super) key: i64,
    pub(super) mark: SharedMark,
}

/// What identifies an item on all machines.
#[derive(Clone, Copy)]
pub(super) struct Identity {
    pub(super) source: i64,
    pub(super) guid: Option<i64>,
    pub(super) url: i64,
}

pub(super) const COLUMNS: &str = "key, source, guid, url, mark, is_on, millis, count, machine";

pub(super) fn register(row: &Row<'_>) -> rusqlite::Result<Register> {
    let stamp = Stamp { millis: row.get(6)?, count: row.get(7)?, machine: row.get(8)? };
    let mark = SharedMark {
        source: row.get(1)?,
        guid: row.get(2)?,
        url: row.get(3)?,
        mark: row.get(4)?,
        on: row.get(5)?,
        stamp,
    };
    Ok(Register { key: row.get(0)?, mark })
}

/// Whether the first of two marks of one register is newer. Timestamps include the id of the machine, so
/// they are equal only if a machine was copied; then a set mark wins over a removed one.
pub(super) fn wins(new: &SharedMark, old: &SharedMark) -> bool {
    (&new.stamp, new.on) > (&old.stamp, old.on)
}

/// The newest marks of an item, by their comparable form. If only one of two machines has a guid for the
/// item, marks are matched by its URL.
pub(super) fn registers(conn: &Connection, item: Identity) -> Result<BTreeMap<String, SharedMark>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM shared_mark WHERE source = ?1 AND guid = ?2
         UNION ALL
         SELECT {COLUMNS} FROM shared_mark INDEXED BY shared_mark_any
         WHERE source = ?1 AND url = ?3 AND (guid IS NULL OR ?2 IS NULL)"
    );
    let mut query = conn.prepare_cached(&sql)?;
    let mut newest: BTreeMap<String, SharedMark> = BTreeMap::new();
    let rows = query.query_map(params![item.source, item.guid, item.url], register)?;
    for row in rows {
        let mark = row?.mark;
        let form = comparable(&mark.mark);
        if newest.get(&form).is_none_or(|known| wins(&mark, known)) {
            newest.insert(form, mark);
        }
    }
    Ok(newest)
}

/// The register that a mark belongs to.
pub(super) fn find(conn: &Connection, mark: &SharedMark, form: &str) -> Result<Option<Register>> {
    let sql = match mark.guid {
        Some(_) => "source = ?1 AND guid = ?2 AND form = ?3",
        None => "source = ?1 AND url = ?2 AND form = ?3 AND guid IS NULL",
    };
    let mut query =
        conn.prepare_cached(&format!("SELECT {COLUMNS} FROM shared_mark WHERE {sql}"))?;
    let id = mark.guid.unwrap_or(mark.url);
    Ok(query.query_row(params![mark.source, id, form], register).optional()?)
}

/// Stores a mark if it is newer than the stored one; returns whether it was.
pub(super) fn put(conn: &Connection, mark: &SharedMark, is_written: bool) -> Result<bool> {
    let form = comparable(&mark.mark);
    let known = find(conn, mark, &form)?;
    if known.as_ref().is_some_and(|known| !wins(mark, &known.mark)) {
        return Ok(false);
    }
    let Stamp { millis, count, machine } = &mark.stamp;
    match known {
        Some(known) => conn
            .prepare_cached(
                "UPDATE shared_mark SET url = ?2, mark = ?3, is_on = ?4, millis = ?5, count = ?6,
                 machine = ?7, written = ?8 WHERE key = ?1",
            )?
            .execute(params![
                known.key, mark.url, mark.mark, mark.on, millis, count, machine, is_written
            ])?,
        None => conn
            .prepare_cached(
                "INSERT INTO shared_mark
                 (source, guid, url, form, mark, is_on, millis, count, machine, written)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?
            .execute(params![
                mark.source,
                mark.guid,
                mark.url,
                form,
                mark.mark,
                mark.on,
                millis,
                count,
                machine,
                is_written
            ])?,
    };
    Ok(true)
}

/// The clock of this machine for one job.
pub(super) struct Clock {
    pub(super) machine: String,
    last: (i64, u32),
    now: i64,
}

impl Clock {
    pub(super) fn read(conn: &Connection, now: Time) -> Result<Self> {
        let machine = memo::get(conn, MACHINE)?.unwrap_or_default();
        let stored = memo::get(conn, CLOCK)?;
        let last = stored.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        Ok(Self { machine, last, now: now.timestamp_millis() })
    }

    pub(super) fn next(&mut self) -> Stamp {
        let (millis, count) = self.last;
        self.last = match count.checked_add(1) {
            _ if self.now > millis => (self.now, 0),
            Some(count) => (millis, count),
            None => (millis.saturating_add(1), 0),
        };
        Stamp { millis: self.last.0, count: self.last.1, machine: self.machine.clone() }
    }

    pub(super) fn knows(&mut self, stamp: &Stamp) {
        self.last = self.last.max((stamp.millis, stamp.count));
    }

    pub(super) fn save(&self, conn: &Connection) -> Result<()> {
        memo::set(conn, CLOCK, &to_json(&self.last)?)
    }
}

fn count(conn: &Connection, sql: &str, values: impl rusqlite::Params) -> Result<usize> {
    let count: i64 = conn.prepare_cached(sql)?.query_row(values, |r| r.get(0))?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

impl Reader {
    /// Whether items have arrived or were marked, or sources have changed, since marks were last compared.
    pub fn has_marks_to_record(&self) -> Result<bool> {
        let seen: i64 = self.memo(ARRIVED)?.and_then(|key| key.parse().ok()).unwrap_or_default();
        let mut query = self.conn.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM marked) OR EXISTS (SELECT 1 FROM item WHERE key > ?1)",
        )?;
        Ok(query.query_row([seen], |r| r.get(0))? || self.have_sources_changed()?)
    }

    /// The marks that are newer than the stored ones.
    pub(super) fn unknown_marks(&self, marks: Vec<SharedMark>) -> Result<Vec<SharedMark>> {
        let mut unknown = Vec::new();
        for mark in marks {
            let known = find(&self.conn, &mark, &comparable(&mark.mark))?;
            if known.is_none_or(|known| wins(&mark, &known.mark)) {
                unknown.push(mark);
            }
        }
        Ok(unknown)
    }

    /// The id of this machine, if it exchanges marks.
    pub fn machine(&self) -> Result<Option<String>> {
        self.memo(MACHINE)
    }

    /// Marks that are not in the file of this machine yet, with their row keys.
    pub fn marks_to_write(&self) -> Result<Vec<(i64, SharedMark)>> {
        let sql = format!("SELECT {COLUMNS} FROM shared_mark WHERE written = 0 LIMIT {BATCH}");
        let mut query = self.conn.prepare_cached(&sql)?;
        let rows = query.query_map([], |row| register(row).map(|r| (r.key, r.mark)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The state of this machine's file when it was last written.
    pub fn own_mark_file(&self) -> Result<Option<String>> {
        self.memo(FILE)
    }

    /// Number of marks that are not in the file of this machine yet.
    pub fn count_unwritten_marks(&self) -> Result<usize> {
        count(&self.conn, "SELECT count(*) FROM shared_mark WHERE written = 0", [])
    }

    /// Like [`Self::count_unwritten_marks`], plus the number of items whose marks have not been compared yet.
    pub fn count_marks_to_write(&self) -> Result<usize> {
        let marked = count(&self.conn, "SELECT count(*) FROM marked", [])?;
        Ok(self.count_unwritten_marks()? + marked)
    }

    /// Number of marks whose newest state was set by a machine.
    pub fn count_marks_of(&self, machine: &str) -> Result<usize> {
        count(&self.conn, "SELECT count(*) FROM shared_mark WHERE machine = ?1", [machine])
    }

    /// Marks whose newest state was set by a machine, after a row key, at most 1,000.
    pub fn marks_of(&self, machine: &str, after: i64) -> Result<Vec<(i64, SharedMark)>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM shared_mark WHERE machine = ?1 AND key > ?2
             ORDER BY key LIMIT {BATCH}"
        );
        let mut query = self.conn.prepare_cached(&sql)?;
        let rows = query
            .query_map(params![machine, after], |row| register(row).map(|r| (r.key, r.mark)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
