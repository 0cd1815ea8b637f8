//! Full texts: the results of fetching pages, their versions, and what was learned about their
//! site.

use super::error::{Result, StoreError};
use super::reader::Reader;
use super::rows::{json, opt_time, seconds, time, to_json};
use crate::model::{Entry, TextFrom, TextWay, Time, Validators};
use crate::util::html;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use rusqlite::{Connection, OptionalExtension, params};
use std::io::{Read, Write};

/// Versions of a text that are stored, including the current one.
pub const MAX_VERSIONS: usize = 6;
/// Maximum number of bytes of a text when it is unpacked; the rest is cut.
const MAX_TEXT: u64 = 16 << 20;

/// The result of fetching the page of an item.
#[derive(Debug, Clone)]
pub struct FetchedPage {
    pub item: i64,
    pub at: Time,
    pub end: PageResult,
    /// When the page is fetched again automatically.
    pub next: Option<Time>,
    /// How the text was extracted.
    pub way: TextWay,
}

#[derive(Debug, Clone)]
pub enum PageResult {
    /// The page has not changed (304).
    Unchanged,
    /// There is no text; the reason for the user.
    Failed(String),
    /// The page was read.
    Read(Box<PageRead>),
    /// The page was not fetched: the user wants the text of the feed.
    FeedWanted,
    /// The page is not fetched again: the feed carries the full text.
    Needless,
    /// When the article was last changed, according to another source than the page.
    Dated(Time),
}

#[derive(Debug, Clone)]
pub struct PageRead {
    /// The article on the page.
    pub text: PageText,
    /// Hash of the text extracted from the page alone.
    pub page_hash: i64,
    pub bytes: u64,
    pub validators: Validators,
    /// The URL that sent them.
    pub validators_of: String,
    /// What was learned about the site.
    pub site: LearnedSite,
    /// Dates and authors according to the page; stored if the feed does not give them.
    pub published: Option<Time>,
    /// See `published`.
    pub updated: Option<Time>,
    /// See `published`.
    pub authors: Vec<String>,
    /// The page is watched: a change makes its item unread and the newest again.
    pub watched: bool,
}

/// The article of a page, compared with the stored one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageText {
    /// It is the same.
    Same,
    /// The feed carries the full text, so nothing is stored.
    InFeed,
    /// Another text.
    New {
        /// Safe HTML.
        html: String,
        /// How it was extracted.
        from: TextFrom,
        /// Whether the publisher changed the article; if so, the previous text is kept.
        changed: bool,
    },
}

/// What was learned from the pages of a source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LearnedSite {
    /// The common template of the pages, as serialised by the engine.
    pub template: Option<String>,
    /// Whether the feed carries full text, so that pages need not be fetched.
    pub whole: Option<bool>,
}

/// The state of the page of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageState {
    /// When it was last fetched.
    pub asked: Time,
    /// When it is fetched again automatically.
    pub next: Option<Time>,
    /// Failures in a row.
    pub tries: u32,
    /// Why the last fetch gave no text.
    pub error: Option<String>,
    /// How the text is extracted.
    pub way: TextWay,
    /// Hash of the text extracted from the page alone.
    pub page_hash: Option<i64>,
    /// Validators of the stored text.
    pub validators: Validators,
    /// The URL that sent them.
    pub validators_of: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// When the page first had this text.
    pub at: Time,
    /// How it was extracted.
    pub from: TextFrom,
    /// Safe HTML.
    pub html: String,
}

/// Stores the result of a fetch. A failure never removes stored text. Returns false if the item
/// is gone.
pub(super) fn save(conn: &Connection, fetched: &FetchedPage) -> Result<bool> {
    let key = fetched.item;
    let source: Option<i64> = conn
        .prepare_cached("SELECT source FROM item WHERE key = ?1")?
        .query_row([key], |r| r.get(0))
        .optional()?;
    let Some(source) = source else { return Ok(false) };
    if matches!(fetched.end, PageResult::FeedWanted) && page(conn, key)?.is_some() {
        conn.prepare_cached("UPDATE fetch SET way = ?2 WHERE item = ?1")?
            .execute(params![key, to_json(&fetched.way)?])?;
        return Ok(true);
    }
    if let PageResult::Dated(at) = fetched.end {
        save_said(conn, key, None, Some(at), &[])?;
        return Ok(true);
    }
    if let PageResult::Needless = fetched.end {
        conn.prepare_cached("UPDATE fetch SET next = NULL WHERE item = ?1")?.execute([key])?;
        return Ok(true);
    }
    let error = match &fetched.end {
        PageResult::Failed(why) => Some(why),
        _ => None,
    };
    let failed = error.is_some();
    conn.prepare_cached(
        "INSERT INTO fetch (item, source, asked, next, tries, error, way)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (item) DO UPDATE SET asked = ?3, next = ?4, error = ?6,
            tries = CASE WHEN ?5 THEN tries + 1 ELSE 0 END, way = CASE WHEN ?5 THEN way ELSE ?7 END",
    )?
    .execute(params![
        key,
        source,
        fetched.at.timestamp(),
        seconds(fetched.next),
        failed,
        error,
        to_json(&fetched.way)?
    ])?;
    if let PageResult::Read(read) = &fetched.end {
        save_page(conn, key, source, fetched.at, read)?;
    }
    Ok(true)
}

fn save_page(conn: &Connection, key: i64, source: i64, at: Time, read: &PageRead) -> Result<()> {
    conn.prepare_cached(
        "UPDATE fetch SET page_hash = ?2, bytes = ?3, etag = ?4, last_modified = ?5,
            validators_of = ?6 WHERE item = ?1",
    )?
    .execute(params![
        key,
        read.page_hash,
        i64::try_from(read.bytes).unwrap_or(i64::MAX),
        read.validators.etag,
        read.validators.last_modified,
        read.validators_of,
    ])?;
    conn.prepare_cached(
        "INSERT OR REPLACE INTO site (source, template, whole) VALUES (?1, ?2, ?3)",
    )?
    .execute(params![source, read.site.template, read.site.whole])?;
    save_said(conn, key, read.published, read.updated, &read.authors)?;
    let (html, from, changed) = match &read.text {
        PageText::Same => return Ok(()),
        PageText::InFeed => {
            let gone = conn
                .prepare_cached("DELETE FROM article WHERE item = ?1 AND origin <> ?2")?
                .execute(params![key, to_json(&TextFrom::Feed)?])?;
            return if gone > 0 { queue_index(conn, key) } else { Ok(()) };
        }
        PageText::New { html, from, changed } => (html, from, *changed),
    };
    let mut since = at;
    if !changed {
        // The same version, extracted better: it keeps its date.
        let before: Option<(i64, i64)> = conn
            .prepare_cached(
                "SELECT key, at FROM article WHERE item = ?1 ORDER BY key DESC LIMIT 1",
            )?
            .query_row([key], |r| Ok((r.get(0)?, r.get(1)?)))
            .optional()?;
        if let Some((old, first)) = before {
            since = time(first);
            conn.prepare_cached("DELETE FROM article WHERE key = ?1")?.execute([old])?;
        }
    }
    insert(conn, key, since, html, *from)?;
    if changed {
        mark_changed(conn, key)?;
        if read.watched {
            conn.prepare_cached("UPDATE item SET read = 0, date = max(date, ?2) WHERE key = ?1")?
                .execute([key, at.timestamp()])?;
        }
    }
    queue_index(conn, key)
}

/// Adds a text as the newest version. Beyond the limit the oldest goes, but never the first.
fn insert(conn: &Connection, key: i64, at: Time, html: &str, from: TextFrom) -> Result<()> {
    conn.prepare_cached("INSERT INTO article (item, at, origin, body) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![key, at.timestamp(), to_json(&from)?, pack(html)?])?;
    conn.prepare_cached(
        "DELETE FROM article WHERE item = ?1 AND key NOT IN
            (SELECT key FROM article WHERE item = ?1 ORDER BY key DESC LIMIT ?2)
            AND key <> (SELECT min(key) FROM article WHERE item = ?1)",
    )?
    .execute(params![key, i64::try_from(MAX_VERSIONS - 1).unwrap_or(i64::MAX)])?;
    Ok(())
}

fn mark_changed(conn: &Connection, key: i64) -> Result<()> {
    conn.prepare_cached("UPDATE item SET changed = 1 WHERE key = ?1 AND changed = 0")?
        .execute([key])?;
    Ok(())
}

/// Keeps the previous text if a feed with full text changes an item whose page was not used. Of
/// the newest version only the date is stored; its text is in `detail`. Call this before the new
/// text is stored there.
pub(super) fn keep_feed_version(
    conn: &Connection,
    key: i64,
    new: &Entry,
    whole: bool,
    now: Time,
) -> Result<()> {
    let mut query = conn.prepare_cached(
        "SELECT d.content, d.summary, i.discovered, a.origin, a.key FROM item i
         JOIN detail d ON d.item = i.key LEFT JOIN site w ON w.source = i.source
         LEFT JOIN article a ON a.key = (SELECT max(key) FROM article WHERE item = i.key)
         WHERE i.key = ?1 AND (?2 OR w.whole = 1 OR a.key IS NOT NULL)",
    )?;
    let before = query.query_row(params![key, whole], |r| {
        let origin: Option<TextFrom> = json(r.get(3)?);
        let newest: Option<i64> = r.get(4)?;
        Ok((longer(r.get(0)?, r.get(1)?), time(r.get(2)?), origin, newest))
    });
    let Some((Some(old), discovered, origin, newest)) = before.optional()? else { return Ok(()) };
    let Some(later) = longer(new.content.clone(), new.summary.clone()) else { return Ok(()) };
    let (a, b) = (html::to_text(&old), html::to_text(&later));
    if origin.is_some_and(|from| from != TextFrom::Feed)
        || a.split_whitespace().eq(b.split_whitespace())
    {
        return Ok(());
    }
    match newest {
        None => insert(conn, key, discovered, &old, TextFrom::Feed)?,
        // The text as last seen, including its links.
        Some(newest) => {
            conn.prepare_cached("UPDATE article SET body = ?2 WHERE key = ?1")?
                .execute(params![newest, pack(&old)?])?;
        }
    }
    insert(conn, key, now, &later, TextFrom::Feed)?;
    mark_changed(conn, key)
}

/// The current text from the feed.
fn feed_text(conn: &Connection, key: i64) -> Result<Option<String>> {
    let mut query = conn.prepare_cached("SELECT content, summary FROM detail WHERE item = ?1")?;
    let text = query.query_row([key], |r| Ok(longer(r.get(0)?, r.get(1)?)));
    Ok(text.optional()?.flatten())
}

/// The longer one of two texts, as in [`crate::model::Item::feed_body`].
fn longer(content: Option<String>, summary: Option<String>) -> Option<String> {
    content.into_iter().chain(summary).max_by_key(String::len)
}

/// Fills in what the feed does not give. A first date moves the item in lists.
fn save_said(
    conn: &Connection,
    key: i64,
    published: Option<Time>,
    updated: Option<Time>,
    authors: &[String],
) -> Result<()> {
    let undated: bool = conn
        .prepare_cached("SELECT published IS NULL AND updated IS NULL FROM detail WHERE item = ?1")?
        .query_row([key], |r| r.get(0))
        .optional()?
        .unwrap_or(false);
    let (published, updated) = (seconds(published), seconds(updated));
    conn.prepare_cached(
        "UPDATE detail SET published = coalesce(published, ?2), updated = coalesce(updated, ?3),
            authors = CASE WHEN authors = '[]' THEN ?4 ELSE authors END WHERE item = ?1",
    )?
    .execute(params![key, published, updated, to_json(&authors)?])?;
    if let Some(date) = published.or(updated).filter(|_| undated) {
        conn.prepare_cached("UPDATE item SET date = min(?2, discovered) WHERE key = ?1")?
            .execute([key, date])?;
    }
    Ok(())
}

/// Queues the text of an item for indexing in the background.
fn queue_index(conn: &Connection, key: i64) -> Result<()> {
    conn.prepare_cached("UPDATE detail SET indexed = 0 WHERE item = ?1")?.execute([key])?;
    Ok(())
}

/// Marks the changes of an item as seen. Returns whether there were any.
pub(super) fn seen(conn: &Connection, key: i64) -> Result<bool> {
    let mut update =
        conn.prepare_cached("UPDATE item SET changed = 0 WHERE key = ?1 AND changed = 1")?;
    Ok(update.execute([key])? > 0)
}

/// The state of the page of an item; `None` if it was never fetched.
pub(super) fn page(conn: &Connection, key: i64) -> Result<Option<PageState>> {
    let mut query = conn.prepare_cached(
        "SELECT asked, next, tries, error, way, page_hash, etag, last_modified, validators_of
         FROM fetch WHERE item = ?1",
    )?;
    let page = query.query_row([key], |r| {
        Ok(PageState {
            asked: time(r.get(0)?),
            next: opt_time(r.get(1)?),
            tries: r.get(2)?,
            error: r.get(3)?,
            way: json(r.get(4)?).unwrap_or_default(),
            page_hash: r.get(5)?,
            validators: Validators { etag: r.get(6)?, last_modified: r.get(7)? },
            validators_of: r.get(8)?,
        })
    });
    Ok(page.optional()?)
}

impl Reader {
    /// The texts of an item's page, newest first.
    pub fn versions(&self, key: i64) -> Result<Vec<Version>> {
        let mut query = self.conn.prepare_cached(
            "SELECT at, origin, body FROM article WHERE item = ?1 ORDER BY key DESC",
        )?;
        let rows = query.query_map([key], |r| {
            let html = r.get_ref(2)?.as_blob_or_null()?.and_then(unpack);
            let from = json(r.get(1)?).unwrap_or_default();
            Ok(html.map(|html| (r.get(0), from, html)))
        })?;
        let mut versions = Vec::new();
        for row in rows {
            if let Some((at, from, html)) = row? {
                versions.push(Version { at: time(at?), from, html });
            }
        }
        if let Some(present) = versions.first_mut().filter(|v| v.from == TextFrom::Feed)
            && let Some(html) = feed_text(&self.conn, key)?
        {
            present.html = html;
        }
        Ok(versions)
    }

    /// What was learned from the pages of a source (row key).
    pub fn site(&self, source: i64) -> Result<LearnedSite> {
        let mut query =
            self.conn.prepare_cached("SELECT template, whole FROM site WHERE source = ?1")?;
        let site = query
            .query_row([source], |r| Ok(LearnedSite { template: r.get(0)?, whole: r.get(1)? }));
        Ok(site.optional()?.unwrap_or_default())
    }
}

/// Packs a text for storage.
fn pack(html: &str) -> Result<Vec<u8>> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    let done = packed.write_all(html.as_bytes()).and_then(|()| packed.finish());
    done.map_err(|e| StoreError::Sqlite(e.to_string()))
}

/// The unpacked text; `None` if the bytes are damaged according to their checksum.
pub(super) fn unpack(packed: &[u8]) -> Option<String> {
    let mut html = String::new();
    ZlibDecoder::new(packed).take(MAX_TEXT).read_to_string(&mut html).ok()?;
    Some(html)
}
