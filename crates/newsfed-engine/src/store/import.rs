//! Items of other readers: new ones are stored, known ones get their marks. No marks are removed.

use super::error::Result;
use super::identity::Prepared;
use super::ingest::{self, has_pruned, known_item};
use super::new_marks::NewMarks;
use super::reader::Reader;
use super::rows::to_json;
use super::{Store, memo, rule_effects, rule_undo};
use crate::model::{Effect, Time};
use rusqlite::{Connection, OptionalExtension, params};
use serde::de::DeserializeOwned;
use std::collections::{BTreeSet, HashMap};

/// An item to import.
#[derive(Debug, Clone)]
pub struct ImportedItem {
    pub entry: Prepared,
    pub effects: Vec<Effect>,
    /// Whether the user had removed the item in the other reader. Such an item is not stored; if it already
    /// is, it is marked read.
    pub deleted: bool,
    /// When the item was saved, for sources that contain only saved items; `None` if it is discovered now.
    pub discovered: Option<Time>,
}

impl ImportedItem {
    /// The marks that the item gets.
    fn marks(&self) -> &[Effect] {
        if self.deleted { &[Effect::Read] } else { &self.effects }
    }
}

/// Counts of items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct ImportCounts {
    /// Items that were stored.
    pub new: usize,
    /// Items that were already known.
    pub known: usize,
    /// Items left out because the user, or retention, had removed them.
    pub removed: usize,
    /// Items marked read, whether new or known.
    pub read: usize,
    pub pinned: usize,
    pub later: usize,
    pub tagged: usize,
}

impl ImportCounts {
    pub fn add(&mut self, other: Self) {
        self.new += other.new;
        self.known += other.known;
        self.removed += other.removed;
        self.read += other.read;
        self.pinned += other.pinned;
        self.later += other.later;
        self.tagged += other.tagged;
    }

    fn mark(&mut self, effects: &[Effect]) {
        let has = |wanted: &Effect| usize::from(effects.contains(wanted));
        self.read += has(&Effect::Read);
        self.pinned += has(&Effect::Pin);
        self.later += has(&Effect::Later);
        self.tagged += usize::from(effects.iter().any(|e| matches!(e, Effect::Tag(_))));
    }
}

/// Prefix of the names under which imports are stored. The marks that imports set are recorded like a rule's
/// marks.
pub const IMPORT_PREFIX: &str = "import of ";

/// What an import has stored.
#[derive(Default, serde::Serialize, serde::Deserialize)]
struct Record {
    at: i64,
    /// Key ranges of stored items: the first and the last key of each.
    items: Vec<(i64, i64)>,
    /// Number of notes with the items that the import recorded as removed, see [`removed_note`].
    #[serde(default)]
    notes: usize,
}

/// The name of the note with the items that a batch of an import recorded as removed: row keys of sources,
/// and hashes. The note is needed for undo, because polls change all other data about these items.
fn removed_note(name: &str, number: usize) -> String {
    format!("removed by {name}: {number}")
}

/// The result of undoing an import.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct ImportUndone {
    /// The name of the import.
    pub import: String,
    /// Items that the import had stored and that are now removed.
    pub removed: usize,
    /// Items that are kept because the user has marked them since.
    pub kept: usize,
    /// Items whose marks were undone, including those that are now removed.
    pub marks: usize,
}

/// Counts what an import would do.
fn count(conn: &Connection, source: i64, items: &[ImportedItem]) -> Result<ImportCounts> {
    let mut counts = ImportCounts::default();
    for item in items {
        match known_item(conn, source, &item.entry)? {
            Some(_) => {
                counts.known += 1;
                counts.mark(item.marks());
            }
            None if is_removed(conn, source, item)? => counts.removed += 1,
            None => {
                counts.new += 1;
                counts.mark(&item.effects);
            }
        }
    }
    Ok(counts)
}

/// Whether an item was removed, in the other reader or here. An item that the user has marked to be kept does
/// not count as removed.
fn is_removed(conn: &Connection, source: i64, item: &ImportedItem) -> Result<bool> {
    let kept = item.effects.iter().any(|e| matches!(e, Effect::Pin | Effect::Later));
    Ok(item.deleted || (!kept && has_pruned(conn, source, &item.entry)?))
}

/// Stores items of sources (row keys) under the name of an import.
fn import(
    conn: &Connection,
    batch: &[(i64, Vec<ImportedItem>)],
    name: &str,
    now: Time,
) -> Result<ImportCounts> {
    let mut stored = Stored::default();
    for (source, items) in batch {
        let before = stored.counts.new;
        for item in items {
            store(conn, *source, item, now, &mut stored)?;
        }
        ingest::count_new(conn, *source, stored.counts.new - before)?;
    }
    let mut set = conn.prepare_cached("UPDATE item SET read = 1 WHERE key = ?1 AND read = 0")?;
    for key in stored.read {
        set.execute([key])?;
    }
    let mut changes = stored.keys.is_some() || !stored.removed.is_empty();
    for (effect, keys) in stored.marks {
        changes |= !rule_effects::apply_effect(conn, name, effect, &keys, now)?.is_empty();
    }
    // Without changes there is nothing to undo.
    if changes {
        record(conn, name, now, stored.keys, &stored.removed)?;
    }
    Ok(stored.counts)
}

/// The items that a batch has stored, and those that it still has to mark.
#[derive(Default)]
struct Stored<'a> {
    counts: ImportCounts,
    /// The first and the last key of the new items.
    keys: Option<(i64, i64)>,
    /// Items that this batch records as removed: row keys of sources, and hashes.
    removed: Vec<(i64, i64)>,
    /// New items that are read.
    read: Vec<i64>,
    marks: HashMap<&'a Effect, Vec<i64>>,
}

fn store<'a>(
    conn: &Connection,
    source: i64,
    item: &'a ImportedItem,
    now: Time,
    stored: &mut Stored<'a>,
) -> Result<()> {
    let known = known_item(conn, source, &item.entry)?;
    let key = match known {
        Some(key) => {
            stored.counts.known += 1;
            key
        }
        None if is_removed(conn, source, item)? => {
            stored.counts.removed += 1;
            if item.deleted && !has_pruned(conn, source, &item.entry)? {
                let hash = item.entry.guid_hash.unwrap_or(item.entry.url_hash);
                stored.removed.push((source, hash));
                ingest::prune_ahead(conn, source, &item.entry, now)?;
            }
            return Ok(());
        }
        None => {
            stored.counts.new += 1;
            let discovered = item.discovered.map_or(now, |at| at.min(now));
            let at = (discovered, ingest::sort_date(&item.entry, discovered.timestamp()));
            let key = ingest::insert(conn, source, &item.entry, at, None, NewMarks::default())?;
            stored.keys = Some((stored.keys.map_or(key, |(first, _)| first), key));
            key
        }
    };
    stored.counts.mark(item.marks());
    for effect in item.marks() {
        match (effect, known) {
            // Undo removes a new item, so its mark need not be remembered.
            (Effect::Read, None) => stored.read.push(key),
            _ => stored.marks.entry(effect).or_default().push(key),
        }
    }
    Ok(())
}

fn record(
    conn: &Connection,
    name: &str,
    now: Time,
    keys: Option<(i64, i64)>,
    removed: &[(i64, i64)],
) -> Result<()> {
    let mut record: Record = load(conn, name)?.unwrap_or_default();
    record.at = now.timestamp();
    if !removed.is_empty() {
        memo::set(conn, &removed_note(name, record.notes), &to_json(&removed)?)?;
        record.notes += 1;
    }
    match (record.items.last_mut(), keys) {
        // Usually no other job stores items at the same time.
        (Some((_, last)), Some((first, end))) if *last + 1 == first => *last = end,
        (_, keys) => record.items.extend(keys),
    }
    memo::set(conn, name, &to_json(&record)?)
}

fn load<T: DeserializeOwned>(conn: &Connection, name: &str) -> Result<Option<T>> {
    let mut query = conn.prepare_cached("SELECT value FROM memo WHERE name = ?1")?;
    let value: Option<String> = query.query_row([name], |row| row.get(0)).optional()?;
    Ok(value.and_then(|value| serde_json::from_str(&value).ok()))
}

/// Undoes an import: removes its marks where they are still set, and its items unless they are marked.
fn undo(conn: &Connection, name: &str) -> Result<ImportUndone> {
    let Some(record) = load::<Record>(conn, name)? else { return Ok(ImportUndone::default()) };
    let marks = rule_undo::undo(conn, name)?.items();
    let mut done = ImportUndone { import: name.to_owned(), marks, ..ImportUndone::default() };
    let mut there = conn.prepare_cached("SELECT count(*) FROM item WHERE key BETWEEN ?1 AND ?2")?;
    let mut remove = conn.prepare_cached(
        "DELETE FROM item WHERE key BETWEEN ?1 AND ?2 AND pinned = 0 AND later = 0
            AND hidden <> 2 AND key NOT IN (SELECT item FROM item_tag WHERE item BETWEEN ?1 AND ?2)
            AND key NOT IN (SELECT item FROM episode WHERE rank IS NOT NULL)",
    )?;
    let mut sources =
        conn.prepare_cached("SELECT DISTINCT source FROM item WHERE key BETWEEN ?1 AND ?2")?;
    let mut touched = BTreeSet::new();
    for (first, last) in &record.items {
        let from = sources.query_map(params![first, last], |row| row.get::<_, i64>(0))?;
        touched.extend(from.collect::<rusqlite::Result<Vec<_>>>()?);
        let stored: i64 = there.query_row(params![first, last], |row| row.get(0))?;
        let removed = remove.execute(params![first, last])?;
        done.removed += removed;
        done.kept += usize::try_from(stored).unwrap_or(0).saturating_sub(removed);
    }
    let mut delete = conn.prepare_cached("DELETE FROM memo WHERE name = ?1")?;
    let mut bring_back =
        conn.prepare_cached("DELETE FROM pruned WHERE source = ?1 AND hash = ?2")?;
    for number in 0..record.notes {
        let note = removed_note(name, number);
        for (source, hash) in load::<Vec<(i64, i64)>>(conn, &note)?.unwrap_or_default() {
            bring_back.execute([source, hash])?;
            touched.insert(source);
        }
        delete.execute([note])?;
    }
    delete.execute([name])?;
    // Items that the feeds still list return with the next poll, which therefore must read everything.
    let mut read_again = conn.prepare_cached(
        "UPDATE source SET last_modified = NULL, etag = NULL, body_hash = NULL, validators_of = NULL
            WHERE key = ?1",
    )?;
    for source in touched {
        read_again.execute([source])?;
    }
    Ok(done)
}

impl Store {
    /// Stores items of another reader in sources (row keys), and marks those that are known. The import can
    /// be undone by its `name`, which begins with [`IMPORT_PREFIX`]. Rules are not applied.
    pub fn import_items_blocking(
        &self,
        batch: Vec<(i64, Vec<ImportedItem>)>,
        name: String,
        now: Time,
    ) -> Result<ImportCounts> {
        self.writer()?.call_blocking(move |conn| import(conn, &batch, &name, now))
    }

    /// Undoes the import with this name.
    pub fn undo_import_blocking(&self, name: String) -> Result<ImportUndone> {
        self.writer()?.call_blocking(move |conn| undo(conn, &name))
    }
}

impl Reader {
    /// What [`Store::import_items_blocking`] would do.
    pub fn count_import(&self, source: i64, items: &[ImportedItem]) -> Result<ImportCounts> {
        count(&self.conn, source, items)
    }

    /// The names of imports that can be undone, latest first.
    pub fn imports(&self) -> Result<Vec<String>> {
        let mut query = self.conn.prepare_cached(
            "SELECT name FROM memo WHERE name LIKE ?1 || '%' ORDER BY json_extract(value, '$.at') DESC, name DESC",
        )?;
        let names = query.query_map([IMPORT_PREFIX], |row| row.get(0))?;
        Ok(names.collect::<rusqlite::Result<_>>()?)
    }
}
