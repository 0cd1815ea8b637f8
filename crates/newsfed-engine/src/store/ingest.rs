//! Storing a finished poll: items, facts and the poll record in one transaction.

use super::arrivals::{self, Arrival, Arrivals};
use super::error::Result;
use super::identity::Prepared;
use super::index;
use super::new_marks::NewMarks;
use super::pages::{self, PollPages};
use super::rows::{KeptOutcome, load_facts, save_finished, to_json};
use super::rules::{Announcement, Rules};
use super::versions;
use crate::model::{Entry, Outcome, PollRecord, SourceFacts, Time};
use crate::util::clock::start_of_day;
use chrono::{Days, Local};
use rusqlite::{Connection, OptionalExtension, named_params, params};
use std::collections::HashSet;

/// The result of one poll.
pub struct FinishedPoll {
    pub source: i64,
    /// The entries in document order; `None` if there was no document.
    pub entries: Option<Vec<Prepared>>,
    /// For websites and sitemaps, whose articles were stored during the poll.
    pub pages: Option<PollPages>,
    /// Whether the poll was automatic, not requested by the user.
    pub automatic: bool,
    /// The record for the history; the counts of its outcome are filled in here.
    pub record: PollRecord,
    /// Updates the facts, given the counts of new items.
    pub finish: Finish,
}

/// Updates the facts of a source at the end of a poll. It may be called twice.
pub type Finish = Box<dyn Fn(&mut SourceFacts, &Ingested) + Send>;

/// The counts of one document's entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ingested {
    /// Publication times of the items not seen before, oldest first; `None` without a date.
    pub new: Vec<Option<Time>>,
    /// Number of known items whose text changed.
    pub updated: u32,
    /// Number of entries recognised as known items.
    pub known: u32,
    /// Announcements of the rules that match the new items.
    pub announcements: Vec<Announcement>,
}

/// Runs inside the writer's transaction. Returns `None` if the source has been deleted.
pub(super) fn store(
    conn: &Connection,
    poll: &FinishedPoll,
    rules: &Rules,
) -> Result<Option<(Ingested, Outcome)>> {
    let source = poll.source;
    let Some(mut facts) = load_facts(conn, source)? else { return Ok(None) };
    let mut record = poll.record.clone();
    let mut done = Ingested::default();
    if let Some(entries) = &poll.entries {
        let total = u32::try_from(entries.len()).unwrap_or(u32::MAX);
        // The first poll of a source finds items that were published before it was followed.
        let arrival = Arrival { rules, at: record.at, is_first: facts.last_ok.is_none() };
        done = ingest(conn, source, entries, arrival)?;
        record.outcome = fetched(&done, total);
    }
    if let Some(pages) = &poll.pages {
        pages::save(conn, source, pages)?;
        if let Some(kept) = &pages.kept {
            let total =
                u32::try_from(kept.new.len()).unwrap_or(u32::MAX).saturating_add(kept.known);
            record.outcome = fetched(kept, total);
            done = kept.clone();
        }
    }
    facts.last_outcome = Some(record.outcome.clone());
    (poll.finish)(&mut facts, &done);
    save_finished(conn, &facts)?;
    save_poll(conn, source, &record, poll.automatic)?;
    Ok(Some((done, record.outcome)))
}

fn fetched(done: &Ingested, entries: u32) -> Outcome {
    let new = u32::try_from(done.new.len()).unwrap_or(u32::MAX);
    Outcome::Fetched { new, updated: done.updated, entries }
}

pub(super) fn save_poll(
    conn: &Connection,
    source: i64,
    record: &PollRecord,
    automatic: bool,
) -> Result<()> {
    conn.prepare_cached(
        "INSERT INTO poll (source, at, status, millis, bytes, failed, outcome, repairs, automatic)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?
    .execute(params![
        source,
        record.at.timestamp(),
        record.status,
        record.millis,
        i64::try_from(record.bytes).unwrap_or(i64::MAX),
        matches!(record.outcome, Outcome::Failed { .. }),
        to_json(&KeptOutcome {
            outcome: record.outcome.clone(),
            requests: record.requests,
            left_out: record.left_out.clone(),
        })?,
        to_json(&record.repairs)?,
        automatic,
    ])?;
    Ok(())
}

/// Finds the item of each entry, strongest match first, so that no item is taken by a weaker
/// match.
fn ingest(
    conn: &Connection,
    source: i64,
    entries: &[Prepared],
    arrival: Arrival<'_>,
) -> Result<Ingested> {
    let discovered = arrival.at;
    let mut items: Vec<Option<i64>> = vec![None; entries.len()];
    let mut taken = HashSet::new();
    // The first document of a source contains no known items, and takes longest to store.
    let known = has(conn, "SELECT EXISTS (SELECT 1 FROM item WHERE source = ?1)", source)?;
    let pruned = has(conn, "SELECT EXISTS (SELECT 1 FROM pruned WHERE source = ?1)", source)?;
    let identified = entries.first().is_some_and(|entry| entry.identified);
    let finders: &[Finder] = match (known, identified) {
        (false, _) => &[],
        (true, false) => &[by_guid, by_url, by_text],
        // On a page, entries with the same text are the same, but entries with the same title need not be.
        (true, true) => &[by_guid, by_text, by_url],
    };
    for find in finders {
        for (entry, item) in entries.iter().zip(&mut items).filter(|(_, item)| item.is_none()) {
            *item = find(conn, source, entry, &taken)?;
            taken.extend(*item);
        }
    }
    let mut done = Ingested::default();
    let mut left = versions::EXAMINED;
    let mut new = Arrivals::new(conn, arrival, source)?;
    new.backdates = arrival.is_first;
    // Feeds list the newest entry first; in reverse order, it gets the highest key.
    for (entry, item) in entries.iter().zip(items).rev() {
        match item {
            Some(key) => {
                done.known += 1;
                done.updated += u32::from(update(conn, key, entry, discovered, &mut left)?);
            }
            None if pruned && was_pruned(conn, source, entry, discovered)? => done.known += 1,
            None => {
                new.store(entry, None)?;
                done.new.push(entry.entry.published.or(entry.entry.updated));
            }
        }
    }
    new.count_all()?;
    done.announcements = new.finish()?;
    // Retention may have removed all items that were known.
    if !known && !pruned {
        arrivals::arrived_first(conn, arrival.rules, source)?;
    }
    Ok(done)
}

/// Adds new items without marks to the counts of their source, as [`Arrivals::count_all`] does.
pub(super) fn count_new(conn: &Connection, source: i64, new: usize) -> Result<()> {
    if new > 0 {
        conn.prepare_cached(
            "UPDATE source SET items = items + ?2, unread = unread + ?2 WHERE key = ?1",
        )?
        .execute(params![source, i64::try_from(new).unwrap_or(i64::MAX)])?;
    }
    Ok(())
}

/// Whether a query with `EXISTS` finds a row of a source (row key).
fn has(conn: &Connection, question: &str, source: i64) -> Result<bool> {
    Ok(conn.prepare_cached(question)?.query_row([source], |r| r.get(0))?)
}

type Finder = fn(&Connection, i64, &Prepared, &HashSet<i64>) -> Result<Option<i64>>;

fn by_guid(
    conn: &Connection,
    source: i64,
    entry: &Prepared,
    taken: &HashSet<i64>,
) -> Result<Option<i64>> {
    let Some(hash) = entry.guid_hash else { return Ok(None) };
    let mut query =
        conn.prepare_cached("SELECT key FROM item WHERE source = ?1 AND guid_hash = ?2")?;
    let key: Option<i64> = query.query_row([source, hash], |r| r.get(0)).optional()?;
    Ok(key.filter(|key| !taken.contains(key)))
}

/// Items with the same URL are the same, unless both have a guid and their titles differ too.
fn by_url(
    conn: &Connection,
    source: i64,
    entry: &Prepared,
    taken: &HashSet<i64>,
) -> Result<Option<i64>> {
    let mut query = conn.prepare_cached(
        "SELECT key, guid_hash IS NOT NULL, title = ?3 FROM item
         WHERE source = ?1 AND url_hash = ?2 ORDER BY key DESC LIMIT 1000",
    )?;
    let mut rows = query.query(params![source, entry.url_hash, entry.entry.title])?;
    let mut other_title = None;
    while let Some(row) = rows.next()? {
        let (key, has_guid, same_title): (i64, bool, bool) =
            (row.get(0)?, row.get(1)?, row.get(2)?);
        if taken.contains(&key) {
            continue;
        }
        if same_title {
            return Ok(Some(key));
        }
        if !has_guid || entry.guid_hash.is_none() {
            other_title = other_title.or(Some(key));
        }
    }
    Ok(other_title)
}

fn by_text(
    conn: &Connection,
    source: i64,
    entry: &Prepared,
    taken: &HashSet<i64>,
) -> Result<Option<i64>> {
    if !entry.distinctive {
        return Ok(None);
    }
    let mut query = conn
        .prepare_cached("SELECT key FROM item WHERE source = ?1 AND content_hash = ?2 LIMIT 1")?;
    let mut find = |hash: i64| -> Result<Option<i64>> {
        let key: Option<i64> = query.query_row([source, hash], |r| r.get(0)).optional()?;
        Ok(key.filter(|key| !taken.contains(key)))
    };
    match find(entry.content_hash)? {
        None => {
            for former in entry.former_hashes() {
                if let Some(key) = find(former.content)? {
                    return Ok(Some(key));
                }
            }
            Ok(None)
        }
        found => Ok(found),
    }
}

pub(super) fn was_pruned(
    conn: &Connection,
    source: i64,
    entry: &Prepared,
    now: Time,
) -> Result<bool> {
    let changed = conn
        .prepare_cached("UPDATE pruned SET seen = ?3 WHERE source = ?1 AND hash = ?2")?
        .execute(params![source, entry.guid_hash.unwrap_or(entry.url_hash), now.timestamp()])?;
    Ok(changed > 0)
}

/// The stored item that corresponds to an entry of another reader, if there is one.
pub(super) fn known_item(conn: &Connection, source: i64, entry: &Prepared) -> Result<Option<i64>> {
    let finders: [Finder; 3] = [by_guid, by_url, by_text];
    for find in finders {
        if let Some(key) = find(conn, source, entry, &HashSet::new())? {
            return Ok(Some(key));
        }
    }
    Ok(None)
}

/// Whether retention has removed an entry.
pub(super) fn has_pruned(conn: &Connection, source: i64, entry: &Prepared) -> Result<bool> {
    let hash = entry.guid_hash.unwrap_or(entry.url_hash);
    let question = "SELECT EXISTS (SELECT 1 FROM pruned WHERE source = ?1 AND hash = ?2)";
    Ok(conn.prepare_cached(question)?.query_row([source, hash], |r| r.get(0))?)
}

/// Records as removed an entry that is not stored, so that no poll stores it.
pub(super) fn prune_ahead(
    conn: &Connection,
    source: i64,
    entry: &Prepared,
    now: Time,
) -> Result<()> {
    conn.prepare_cached("INSERT OR IGNORE INTO pruned (source, hash, seen) VALUES (?1, ?2, ?3)")?
        .execute(params![source, entry.guid_hash.unwrap_or(entry.url_hash), now.timestamp()])?;
    Ok(())
}

/// A new id: a UUID of version 7. It begins with a time, which cannot be before 1970 even if the clock is.
/// The rest only has to differ between items, so it is generated without a system call.
fn new_id(at: Time) -> uuid::Uuid {
    let milliseconds = u64::try_from(at.timestamp_millis()).unwrap_or(0);
    let mut rest = [0; 10];
    fastrand::fill(&mut rest);
    uuid::Builder::from_unix_timestamp_millis(milliseconds, &rest).into_uuid()
}

/// The date by which lists are sorted: the publisher's, but never in the future.
pub(super) fn sort_date(entry: &Prepared, discovered: i64) -> i64 {
    let said = entry.entry.published.or(entry.entry.updated);
    said.map_or(discovered, |t| t.timestamp().min(discovered))
}

/// Like [`sort_date`], for one of the first items of its source: an item without a date is sorted by the last
/// second before yesterday, because it is probably older than what other sources published yesterday and
/// today.
pub(super) fn first_date(entry: &Prepared, discovered: i64) -> i64 {
    let is_dated = entry.entry.published.or(entry.entry.updated).is_some();
    if is_dated {
        return sort_date(entry, discovered);
    }
    let day = super::rows::time(discovered).with_timezone(&Local).date_naive() - Days::new(1);
    start_of_day(day, &Local).map_or(discovered, |start| (start.timestamp() - 1).min(discovered))
}

/// Stores a new item, sorted by `date` (seconds), under the given key or under a key that is higher than all
/// others; returns the key. The caller counts the item.
pub(super) fn insert(
    conn: &Connection,
    source: i64,
    new: &Prepared,
    (discovered, date): (Time, i64),
    key: Option<i64>,
    marks: NewMarks,
) -> Result<i64> {
    // Items that are read have no unseen comments.
    conn.prepare_cached(
        "INSERT INTO item (id, source, date, discovered, title, url, guid_hash, url_hash, content_hash,
            version_hash, key, read, pinned, later, hidden, comment_count, comments_seen)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,
            CASE WHEN ?12 THEN ?16 END)",
    )?
    .execute(params![
        new_id(discovered).into_bytes(),
        source,
        date,
        discovered.timestamp(),
        new.entry.title,
        new.entry.url,
        new.guid_hash,
        new.url_hash,
        new.content_hash,
        new.version_hash,
        key,
        marks.read,
        marks.pinned,
        marks.later,
        marks.hidden,
        new.entry.comment_count,
    ])?;
    let key = conn.last_insert_rowid();
    save_detail(conn, key, &new.entry, INSERT_DETAIL)?;
    index::queue(conn, key)?;
    save_comment_feed(conn, key, &new.entry)?;
    Ok(key)
}

/// Updates a known item, keeping its read and pin marks; returns whether anything changed. `left` is the
/// remainder of [`versions::EXAMINED`].
pub(super) fn update(
    conn: &Connection,
    key: i64,
    new: &Prepared,
    now: Time,
    left: &mut usize,
) -> Result<bool> {
    let version = version_as_of_now(conn, key, new)?;
    // A different identifier for an entry on a page is not an edit to it.
    let edited = !new.identified || version != new.version_hash;
    versions::keep_title(conn, key, &new.entry, now, left)?;
    let changed = conn
        .prepare_cached(
            "UPDATE item SET title = :title, url = coalesce(:url, url),
                date = CASE WHEN :dated THEN min(:date, discovered) ELSE date END,
                guid_hash = coalesce(:guid, guid_hash), url_hash = :url_hash, content_hash = :content,
                version_hash = :version
             WHERE key = :key AND (version_hash <> :version OR guid_hash IS NOT coalesce(:guid, guid_hash))",
        )?
        .execute(named_params! {
            ":key": key,
            ":title": new.entry.title,
            ":url": new.entry.url,
            ":dated": new.entry.published.is_some(),
            ":date": sort_date(new, i64::MAX),
            ":guid": new.guid_hash,
            ":url_hash": new.url_hash,
            ":content": new.content_hash,
            ":version": new.version_hash,
        })?
        > 0;
    if changed {
        versions::keep_feed_version(conn, key, &new.entry, new.identified, now, left)?;
        save_detail(conn, key, &new.entry, &format!("{INSERT_DETAIL} {UPDATE_DETAIL}"))?;
        index::queue(conn, key)?;
    }
    if new.has_embedded && !changed {
        save_texts(conn, key, &new.entry)?;
    }
    save_comments(conn, key, &new.entry)?;
    Ok(changed && edited)
}

/// The hash of an item's version. If an earlier version of newsfed stored the hash, and the only difference
/// is how newsfed hashes and reads texts, the hash is replaced, with the texts.
fn version_as_of_now(conn: &Connection, key: i64, new: &Prepared) -> Result<i64> {
    let version = conn
        .prepare_cached("SELECT version_hash FROM item WHERE key = ?1")?
        .query_row([key], |r| r.get::<_, i64>(0))?;
    if version == new.version_hash || !new.former_hashes().any(|f| f.version == version) {
        return Ok(version);
    }
    conn.prepare_cached("UPDATE item SET version_hash = ?2, content_hash = ?3 WHERE key = ?1")?
        .execute([key, new.version_hash, new.content_hash])?;
    if save_texts(conn, key, &new.entry)? {
        index::queue(conn, key)?;
    }
    Ok(new.version_hash)
}

/// Replaces the texts of an item that was not edited: newsfed reads them differently than before, or the data
/// of embedded pictures has changed. Returns whether they differ.
fn save_texts(conn: &Connection, key: i64, entry: &Entry) -> Result<bool> {
    let changed = conn
        .prepare_cached(
            "UPDATE detail SET summary = ?2, content = ?3
             WHERE item = ?1 AND (summary IS NOT ?2 OR content IS NOT ?3)",
        )?
        .execute(params![key, entry.summary, entry.content])?;
    Ok(changed > 0)
}

/// Stores where the comments are and how many there are. Their number changes without a change to the item.
fn save_comments(conn: &Connection, key: i64, entry: &Entry) -> Result<()> {
    if let Some(count) = entry.comment_count {
        conn.prepare_cached(
            "UPDATE item SET comment_count = ?2 WHERE key = ?1 AND comment_count IS NOT ?2",
        )?
        .execute(params![key, count])?;
    }
    save_comment_feed(conn, key, entry)
}

fn save_comment_feed(conn: &Connection, key: i64, entry: &Entry) -> Result<()> {
    if let Some(feed) = &entry.comment_feed {
        conn.prepare_cached(
            "UPDATE detail SET comment_feed = ?2 WHERE item = ?1 AND comment_feed IS NOT ?2",
        )?
        .execute(params![key, feed])?;
    }
    Ok(())
}

const INSERT_DETAIL: &str =
    "INSERT INTO detail (item, guid, publisher, authors, published, updated,
        summary, content, enclosures, categories, comments, language, date_from)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";

/// Values that the publisher no longer gives are kept if nothing else can provide them.
const UPDATE_DETAIL: &str = "ON CONFLICT (item) DO UPDATE SET guid = coalesce(?2, guid),
        publisher = ?3, authors = ?4, published = coalesce(?5, published),
        date_from = CASE WHEN ?5 IS NULL THEN date_from ELSE ?13 END,
        updated = coalesce(?6, updated), summary = ?7, content = ?8, enclosures = ?9,
        categories = ?10, comments = ?11, language = ?12";

fn save_detail(conn: &Connection, key: i64, e: &Entry, sql: &str) -> Result<()> {
    conn.prepare_cached(sql)?.execute(params![
        key,
        e.guid,
        e.publisher,
        to_json(&e.authors)?,
        e.published.map(|t| t.timestamp()),
        e.updated.map(|t| t.timestamp()),
        e.summary,
        e.content,
        to_json(&e.enclosures)?,
        to_json(&e.categories)?,
        e.comments,
        e.language,
        e.dated.map(|d| to_json(&d)).transpose()?,
    ])?;
    Ok(())
}
