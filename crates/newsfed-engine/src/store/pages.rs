//! Articles of websites and sitemaps: an article known to one source is known to all, and failed
//! pages are not fetched again soon.

use super::arrivals::{Arrival, Arrivals};
use super::copies::{self, ListCopy};
use super::error::Result;
use super::identity::{Prepared, address_hash, guid_hash};
use super::ingest::{Ingested, was_pruned};
use super::reader::Reader;
use super::rows::time;
use crate::model::Time;
use rusqlite::{Connection, OptionalExtension, params};
use url::Url;

/// What a poll of a website or sitemap did before it ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PollPages {
    /// Pages that gave no item, with the time before which they are not fetched again.
    pub refused: Vec<(Url, Time)>,
    /// The articles that were stored during the poll; `None` if nothing was read.
    pub kept: Option<Ingested>,
    /// The list page, if its selectors matched something.
    pub copy: Option<ListCopy>,
}

/// The stored data of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownEntry {
    pub published: Option<Time>,
    /// Safe HTML.
    pub content: Option<String>,
}

/// Row keys for the articles of one poll. The newest article is stored first, and must still get the highest
/// key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReservedKeys {
    /// The next key, counting down; `None` until the first article is stored.
    next: Option<i64>,
    left: usize,
}

impl ReservedKeys {
    pub fn for_articles(count: usize) -> Self {
        Self { next: None, left: count }
    }

    fn take(&mut self, conn: &Connection) -> Result<Option<i64>> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        let next = match self.next {
            Some(next) => next,
            None => reserve(conn, i64::try_from(self.left).unwrap_or(0))?,
        };
        *self = Self { next: Some(next - 1), left };
        Ok(Some(next))
    }
}

/// Reserves `count` row keys; returns the highest.
fn reserve(conn: &Connection, count: i64) -> Result<i64> {
    let mut used = conn.prepare_cached(
        "SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'item'), 0),
             coalesce((SELECT max(key) FROM item), 0))",
    )?;
    let last = used.query_row([], |r| r.get::<_, i64>(0))?.saturating_add(count);
    let kept = conn
        .prepare_cached("UPDATE sqlite_sequence SET seq = ?1 WHERE name = 'item'")?
        .execute([last])?;
    if kept == 0 {
        conn.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('item', ?1)", [last])?;
    }
    Ok(last)
}

/// The sources whose items count when newsfed decides whether it already has an article.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownTo {
    AnySource,
    /// The source itself.
    Itself,
}

/// Stores articles that are not known, newest first, and applies the rules to them. Known articles
/// are not changed.
pub(super) fn ingest(
    conn: &Connection,
    source: i64,
    entries: &[Prepared],
    arrival: Arrival<'_>,
    mut keys: ReservedKeys,
    of: KnownTo,
) -> Result<(Ingested, ReservedKeys)> {
    let discovered = arrival.at;
    let mut done = Ingested::default();
    let mut new = Arrivals::new(conn, arrival, source)?;
    new.backdates = arrival.is_first && of == KnownTo::AnySource;
    for entry in entries {
        let key = keys.take(conn)?;
        let known = match of {
            KnownTo::AnySource => stored(conn, entry.url_hash)?.is_some(),
            KnownTo::Itself => item_at(conn, source, entry.url_hash)?.is_some(),
        };
        let pruned = || was_pruned(conn, source, entry, discovered);
        if known || of == KnownTo::AnySource && pruned()? {
            done.known += 1;
            continue;
        }
        new.store(entry, key)?;
        done.new.push(entry.entry.published.or(entry.entry.updated));
    }
    new.count_all()?;
    done.announcements = new.finish()?;
    done.new.reverse();
    Ok((done, keys))
}

/// When an item with this URL, of any source, was discovered. Queries the index of each source in turn,
/// because an index over all sources would take space for every stored item.
fn stored(conn: &Connection, hash: i64) -> Result<Option<Time>> {
    let mut query = conn.prepare_cached(
        "SELECT i.discovered FROM source s CROSS JOIN item i INDEXED BY item_url
         WHERE i.source = s.key AND i.url_hash = ?1 LIMIT 1",
    )?;
    Ok(query.query_row([hash], |r| r.get(0).map(time)).optional()?)
}

fn item_at(conn: &Connection, source: i64, hash: i64) -> Result<Option<i64>> {
    let mut query = conn.prepare_cached(
        "SELECT key FROM item WHERE source = ?1 AND url_hash = ?2 ORDER BY key LIMIT 1",
    )?;
    Ok(query.query_row(params![source, hash], |r| r.get(0)).optional()?)
}

impl Reader {
    /// The item of a source (row key) with this URL.
    pub fn item_at(&self, source: i64, url: &Url) -> Result<Option<i64>> {
        item_at(&self.conn, source, address_hash(url))
    }

    /// The item with this URL, preferably from one source (row key). Fragments count, because they
    /// distinguish the entries of one page.
    pub fn linked(&self, source: i64, url: &Url) -> Result<Option<i64>> {
        let mut query = self.conn.prepare_cached(
            "SELECT i.key FROM source s CROSS JOIN item i INDEXED BY item_url
             WHERE i.source = s.key AND i.url_hash = ?1 AND (instr(i.url, '#') = 0 OR i.url = ?3)
             ORDER BY s.key <> ?2, i.key LIMIT 1",
        )?;
        let hash = address_hash(url);
        Ok(query.query_row(params![hash, source, url.as_str()], |r| r.get(0)).optional()?)
    }

    /// Row keys of the sources that have an item with this URL, except `but`.
    pub fn sources_with(&self, but: i64, url: &Url) -> Result<Vec<i64>> {
        let mut query = self.conn.prepare_cached(
            "SELECT DISTINCT s.key FROM source s CROSS JOIN item i INDEXED BY item_url
             WHERE i.source = s.key AND i.url_hash = ?1 AND s.key <> ?2 ORDER BY s.key",
        )?;
        let keys = query.query_map(params![address_hash(url), but], |r| r.get(0))?;
        Ok(keys.collect::<rusqlite::Result<_>>()?)
    }

    /// The dates and texts of a source's items with these guids; `None` for items that do not exist.
    pub fn entries_of(&self, source: i64, guids: &[String]) -> Result<Vec<Option<KnownEntry>>> {
        let mut query = self.conn.prepare_cached(
            "SELECT d.published, d.content FROM item i JOIN detail d ON d.item = i.key
             WHERE i.source = ?1 AND i.guid_hash = ?2",
        )?;
        let mut of = |guid: &String| {
            let known = query.query_row(params![source, guid_hash(guid)], |r| {
                let published: Option<i64> = r.get(0)?;
                Ok(KnownEntry { published: published.map(time), content: r.get(1)? })
            });
            Ok(known.optional()?)
        };
        guids.iter().map(&mut of).collect()
    }

    /// For each page, since when a source need not request it, because some source has stored it, retention
    /// has removed it, or it failed recently; `None` if the source has to request it.
    pub fn known_pages(&self, source: i64, pages: &[Url], now: Time) -> Result<Vec<Option<Time>>> {
        let mut gone = self.conn.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM pruned WHERE source = ?1 AND hash = ?2)
                 OR EXISTS (SELECT 1 FROM page WHERE source = ?1 AND hash = ?2 AND until > ?3)",
        )?;
        let mut known = Vec::with_capacity(pages.len());
        for url in pages {
            let hash = address_hash(url);
            let refused: bool =
                gone.query_row(params![source, hash, now.timestamp()], |r| r.get(0))?;
            known.push(if refused { Some(Time::UNIX_EPOCH) } else { stored(&self.conn, hash)? });
        }
        Ok(known)
    }
}

/// Stores the failed pages.
pub(super) fn save(conn: &Connection, source: i64, pages: &PollPages) -> Result<()> {
    let mut put = conn.prepare_cached(
        "INSERT INTO page (source, hash, until) VALUES (?1, ?2, ?3)
         ON CONFLICT (source, hash) DO UPDATE SET until = max(until, ?3)",
    )?;
    for (url, until) in &pages.refused {
        put.execute(params![source, address_hash(url), until.timestamp()])?;
    }
    match &pages.copy {
        Some(copy) => copies::keep(conn, source, copy),
        None => Ok(()),
    }
}

/// Pages that are skipped for longer than this are from before the source was followed.
const OLD: chrono::TimeDelta = chrono::TimeDelta::days(365);

/// Forgets which pages of a source are skipped, but not those from before it was followed.
pub(super) fn clear_refused(conn: &Connection, source: i64, now: Time) -> Result<()> {
    conn.prepare_cached("DELETE FROM page WHERE source = ?1 AND until < ?2")?
        .execute(params![source, (now + OLD).timestamp()])?;
    Ok(())
}

/// Removes pages that have expired at `now`.
pub(super) fn expire(conn: &Connection, now: Time) -> Result<()> {
    conn.execute("DELETE FROM page WHERE until <= ?1", [now.timestamp()])?;
    Ok(())
}
