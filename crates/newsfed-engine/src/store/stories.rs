//! Groups of items from different sources about one story, kept while texts are indexed.
//!
//! An item finds others by the keys of its signature, and joins the stories of those that [`same_story`]
//! accepts. If no key has more than [`MAX_PER_KEY`] items and no two items of a story contradict each other
//! (same source, or different numbers in their titles), stories are the connected components of this
//! relation, whatever the order and batches of the items. Otherwise the newest items are compared, and an
//! item that contradicts a member of a story does not join it: precision before recall.

use super::error::Result;
use super::marks::{self, Mark};
use super::reader::Reader;
use super::rows::time;
use crate::model::{SourceId, StoryItem};
use crate::story::{Dated, MAX_APART, MAX_KEYS, Reason, Signature, contradict, same_story};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::{BTreeMap, HashSet};

/// Maximum number of items that are read for each key, newest first.
const MAX_PER_KEY: i64 = 16;
/// Maximum number of items that an item is compared with: those that share the most keys.
const MAX_COMPARED: usize = 8;
/// Maximum number of items in a story.
const MAX_MEMBERS: usize = 100;
/// Number of newest items whose times of discovery are compared, because an imported item may have an old
/// one.
const NEWEST: i64 = 100;
/// Maximum number of expired signatures that are removed for each new one.
const EXPIRED: usize = 2;

/// The other members (`e`) of an item's (`i`) story that lists show.
macro_rules! others {
    () => {
        "FROM story_item own CROSS JOIN story_item other ON other.story = own.story AND other.item <> own.item
         CROSS JOIN item e ON e.key = other.item
         WHERE own.item = i.key AND e.hidden = 0
         AND e.source NOT IN (SELECT key FROM source WHERE declared = 0)"
    };
}
pub(super) use others;

/// Whether there are other items in the story of an item `i`.
pub(super) const HAS_DUPLICATE: &str = concat!("EXISTS (SELECT 1 ", others!(), ")");
/// Whether an earlier item is about the story of an item `i`.
pub(super) const IS_DUPLICATE: &str =
    concat!("EXISTS (SELECT 1 ", others!(), " AND (e.date, e.key) < (i.date, i.key))");

/// An item with the properties that are compared.
pub(super) struct Member {
    pub(super) item: i64,
    source: i64,
    date: i64,
    signature: Signature,
    /// The keys of the item's signature; empty for an item that was found by one of these keys.
    keys: Vec<i64>,
}

impl Member {
    pub(super) fn new(item: i64, source: i64, date: i64, signature: Signature) -> Self {
        let keys = signature.keys();
        Self { item, source, date, signature, keys }
    }

    fn dated(&self) -> Dated<'_> {
        Dated { source: self.source, date: self.date, signature: &self.signature }
    }
}

/// The earliest date (seconds since the epoch) of items that are still compared: some days before the
/// discovery of the newest item or the last poll, whichever is later. Neither is sufficient alone: imported
/// items have new keys and old dates, and an import can be newer than all polls.
pub(super) fn since(conn: &Connection) -> Result<i64> {
    let newest: Option<i64> = conn
        .prepare_cached(
            "SELECT max(at) FROM (
                 SELECT max(discovered) AS at FROM (SELECT discovered FROM item ORDER BY key DESC LIMIT ?1)
                 UNION ALL SELECT max(last_poll) FROM source)",
        )?
        .query_row([NEWEST], |r| r.get(0))?;
    Ok(newest.unwrap_or_default().saturating_sub(MAX_APART))
}

/// Adds items to the stories of other items. With `together`, an item whose story was read is marked read
/// too.
pub(super) fn add(conn: &Connection, items: &[&Member], together: bool) -> Result<()> {
    // All signatures are stored first, so that the order of the items matters as little as possible.
    for item in items {
        store_signature(conn, item)?;
    }
    for item in items {
        let candidates = candidates(conn, item)?;
        join(conn, item, &candidates, together)?;
    }
    if items.is_empty() { Ok(()) } else { expire(conn, items.len() * EXPIRED) }
}

/// Stores the signature of an item and its keys.
fn store_signature(conn: &Connection, item: &Member) -> Result<()> {
    let known = conn
        .prepare_cached("SELECT data FROM signature WHERE item = ?1")?
        .query_row([item.item], |r| r.get::<_, Vec<u8>>(0))
        .optional()?;
    if let Some(data) = known {
        delete_signature(conn, item.item, &data)?;
    }
    let mut insert =
        conn.prepare_cached("INSERT OR IGNORE INTO story_key (key, item) VALUES (?1, ?2)")?;
    for key in &item.keys {
        insert.execute([key, &item.item])?;
    }
    conn.prepare_cached("INSERT INTO signature (item, data) VALUES (?1, ?2)")?
        .execute(params![item.item, item.signature.to_bytes()])?;
    Ok(())
}

/// The other items that share the most keys with an item.
fn candidates(conn: &Connection, item: &Member) -> Result<Vec<Member>> {
    let mut find = conn.prepare_cached(
        "SELECT item FROM story_key WHERE key = ?1 AND item <> ?2 ORDER BY item DESC LIMIT ?3",
    )?;
    let mut shared: BTreeMap<i64, usize> = BTreeMap::new();
    for key in &item.keys {
        let rows = find.query_map(params![key, item.item, MAX_PER_KEY], |r| r.get::<_, i64>(0))?;
        // A shared URL counts more than any shared words.
        let weight = if Some(*key) == item.signature.page() { MAX_KEYS } else { 1 };
        for other in rows {
            *shared.entry(other?).or_default() += weight;
        }
    }
    let mut ranked: Vec<(usize, i64)> = shared.into_iter().map(|(item, n)| (n, item)).collect();
    ranked.sort_unstable_by(|a, b| b.cmp(a));
    ranked.truncate(MAX_COMPARED);
    ranked.into_iter().filter_map(|(_, other)| member(conn, other).transpose()).collect()
}

/// An item with its signature; `None` if it is gone or too old.
fn member(conn: &Connection, item: i64) -> Result<Option<Member>> {
    let mut query = conn.prepare_cached(
        "SELECT i.source, i.date, s.data FROM signature s JOIN item i ON i.key = s.item
         WHERE s.item = ?1",
    )?;
    let row = query
        .query_row([item], |r| {
            let signature = Signature::from_bytes(r.get_ref(2)?.as_blob()?);
            Ok(signature.map(|signature| (r.get(0), r.get(1), signature)))
        })
        .optional()?
        .flatten();
    let Some((source, date, signature)) = row else { return Ok(None) };
    Ok(Some(Member { item, source: source?, date: date?, signature, keys: Vec::new() }))
}

/// Joins an item with the stories of the candidates that are about the same story.
fn join(conn: &Connection, item: &Member, candidates: &[Member], together: bool) -> Result<()> {
    let mut shared = None;
    for candidate in candidates {
        let (a, b) = (item.dated(), candidate.dated());
        // Assumes that the URL is unique, which is queried only if the URL is the reason.
        let Some(reason) = same_story(a, b, true) else { continue };
        if reason == Reason::Address {
            let all = match &shared {
                Some(all) => all,
                None => &*shared.insert(sources_at(conn, item)?),
            };
            let once = |source: i64| all.iter().filter(|known| **known == source).count() <= 1;
            let unique = !all.contains(&item.source) && once(candidate.source);
            if !unique && same_story(a, b, false).is_none() {
                continue;
            }
        }
        unite(conn, item, candidate, reason, together)?;
    }
    Ok(())
}

/// The sources of the newest other items with the same URL as an item.
fn sources_at(conn: &Connection, item: &Member) -> Result<Vec<i64>> {
    let Some(page) = item.signature.page() else { return Ok(Vec::new()) };
    let mut query = conn.prepare_cached(
        "SELECT i.source FROM story_key k CROSS JOIN item i ON i.key = k.item
         WHERE k.key = ?1 AND k.item <> ?2 ORDER BY k.item DESC LIMIT ?3",
    )?;
    let rows = query.query_map(params![page, item.item, MAX_PER_KEY], |r| r.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Unites the stories of two items, unless their members contradict each other.
fn unite(conn: &Connection, a: &Member, b: &Member, reason: Reason, together: bool) -> Result<()> {
    let (ours, theirs) = (members(conn, a.item)?, members(conn, b.item)?);
    if ours.contains(&b.item) || ours.len() + theirs.len() > MAX_MEMBERS {
        return Ok(());
    }
    let source_of = |item: &i64| -> Result<i64> {
        let mut query = conn.prepare_cached("SELECT source FROM item WHERE key = ?1")?;
        Ok(query.query_row([item], |r| r.get(0))?)
    };
    let sources: HashSet<i64> = ours.iter().map(source_of).collect::<Result<_>>()?;
    for other in &theirs {
        if sources.contains(&source_of(other)?) {
            return Ok(());
        }
    }
    // Titles of items with the same URL may differ in numbers, because one of them was corrected.
    if reason != Reason::Address && ours.len() + theirs.len() > 2 {
        let read = |items: &[i64], known: &Member| -> Result<Vec<Signature>> {
            let others = items.iter().filter(|item| **item != known.item);
            let read = others.filter_map(|item| member(conn, *item).transpose());
            let signatures = read.map(|member| Ok(member?.signature));
            signatures.chain([Ok(known.signature.clone())]).collect()
        };
        let (ours, theirs) = (read(&ours, a)?, read(&theirs, b)?);
        if ours.iter().any(|x| theirs.iter().any(|y| contradict(x, y))) {
            return Ok(());
        }
    }
    let all: Vec<i64> = ours.into_iter().chain(theirs).collect();
    let story = all.iter().min().copied().unwrap_or(a.item);
    let mut place = conn.prepare_cached(
        "INSERT INTO story_item (item, story) VALUES (?1, ?2)
         ON CONFLICT (item) DO UPDATE SET story = excluded.story",
    )?;
    for item in &all {
        place.execute([item, &story])?;
    }
    if together {
        conn.prepare_cached(
            "UPDATE item SET read = 1 WHERE key = ?1 AND read = 0 AND pinned = 0 AND EXISTS (
                SELECT 1 FROM story_item o JOIN item i ON i.key = o.item
                WHERE o.story = ?2 AND i.read = 1 AND i.hidden = 0)",
        )?
        .execute([a.item, story])?;
    }
    Ok(())
}

/// The items in an item's story; without a story, the item itself.
fn members(conn: &Connection, item: i64) -> Result<Vec<i64>> {
    let mut query = conn.prepare_cached(
        "SELECT item FROM story_item WHERE story = (SELECT story FROM story_item WHERE item = ?1)",
    )?;
    let all: Vec<i64> = query.query_map([item], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
    Ok(if all.is_empty() { vec![item] } else { all })
}

/// Sets a mark on items (row keys) and the other items of their stories; returns those that changed.
pub(super) fn mark(conn: &Connection, mark: &Mark, items: &[i64], to: bool) -> Result<Vec<i64>> {
    marks::set(conn, mark, &with_members(conn, items)?, to)
}

/// Items (row keys) and the other items of their stories.
pub(super) fn with_members(conn: &Connection, items: &[i64]) -> Result<Vec<i64>> {
    let (mut all, mut seen) = (Vec::with_capacity(items.len()), HashSet::new());
    for item in items {
        all.extend(members(conn, *item)?.into_iter().filter(|member| seen.insert(*member)));
    }
    Ok(all)
}

/// Removes the signature of an item and its keys.
fn delete_signature(conn: &Connection, item: i64, data: &[u8]) -> Result<()> {
    let mut delete = conn.prepare_cached("DELETE FROM story_key WHERE key = ?1 AND item = ?2")?;
    for key in Signature::from_bytes(data).unwrap_or_default().keys() {
        delete.execute([key, item])?;
    }
    conn.prepare_cached("DELETE FROM signature WHERE item = ?1")?.execute([item])?;
    Ok(())
}

/// Removes signatures of items that are gone or too old to be compared, up to the first that is still needed.
/// Row keys increase with time, so no signature is kept for longer than a week.
fn expire(conn: &Connection, count: usize) -> Result<()> {
    let since = since(conn)?;
    let mut oldest = conn.prepare_cached(
        "SELECT s.item, s.data, i.date >= ?1 FROM signature s LEFT JOIN item i ON i.key = s.item
         ORDER BY s.item LIMIT ?2",
    )?;
    let mut rows = oldest.query(params![since, i64::try_from(count).unwrap_or(i64::MAX)])?;
    let mut expired: Vec<(i64, Vec<u8>)> = Vec::new();
    while let Some(row) = rows.next()? {
        if row.get::<_, Option<bool>>(2)? == Some(true) {
            break;
        }
        expired.push((row.get(0)?, row.get(1)?));
    }
    drop(rows);
    expired.iter().try_for_each(|(item, data)| delete_signature(conn, *item, data))
}

impl Reader {
    /// The story of an item (row key), if other sources have it, and its other items that lists show,
    /// earliest first.
    pub fn story(&self, item: i64) -> Result<(Option<i64>, Vec<StoryItem>)> {
        let mut story = self.conn.prepare_cached("SELECT story FROM story_item WHERE item = ?1")?;
        let Some(story) = story.query_row([item], |r| r.get(0)).optional()? else {
            return Ok((None, Vec::new()));
        };
        let mut query = self.conn.prepare_cached(
            "SELECT i.key, s.id, i.title, i.url, i.date, i.read FROM story_item o
             CROSS JOIN item i ON i.key = o.item CROSS JOIN source s ON s.key = i.source
             WHERE o.story = ?1 AND o.item <> ?2 AND i.hidden = 0 AND s.declared = 1",
        )?;
        let rows = query.query_map([story, item], |r| {
            Ok(StoryItem {
                number: r.get(0)?,
                source: SourceId(r.get(1)?),
                title: r.get(2)?,
                url: r.get(3)?,
                date: time(r.get(4)?),
                read: r.get(5)?,
            })
        })?;
        let mut rows: Vec<StoryItem> = rows.collect::<rusqlite::Result<_>>()?;
        rows.sort_unstable_by_key(|row| (row.date, row.number));
        Ok((Some(story), rows))
    }
}
