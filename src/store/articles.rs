//! Texts of articles: what came of asking for their pages, their versions, and what those taught of
//! their site.

use super::error::{Result, StoreError};
use super::rows::{json, opt_time, seconds, time, to_json};
use crate::model::{Entry, TextFrom, TextWay, Time, Validators};
use crate::util::html;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use rusqlite::{Connection, OptionalExtension, params};
use std::io::{Read, Write};

/// Versions of a text that are kept, the one that is shown included.
pub const MOST_VERSIONS: usize = 6;
/// Bytes of a text of which the rest is left out when it is unpacked.
const MOST_TEXT: u64 = 16 << 20;

/// The end of a request for the page of an item.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// Row key of the item.
    pub item: i64,
    /// When it was asked for.
    pub at: Time,
    /// What came of it.
    pub end: FetchEnd,
    /// When it may be asked for again by itself.
    pub next: Option<Time>,
    /// How the text was looked for.
    pub way: TextWay,
}

/// See [`Fetched`].
#[derive(Debug, Clone)]
pub enum FetchEnd {
    /// The page is as it was (304).
    Unchanged,
    /// It gave no text, and why in plain words.
    Failed(String),
    /// It was read.
    Read(Box<PageRead>),
    /// It was not asked for: the user wants to see what the feed gives.
    FeedWanted,
    /// It is not to be asked for again: the feed carries the whole article.
    Needless,
    /// When the article was last changed, as something else than its page says of what was read.
    Dated(Time),
}

/// A page that was read.
#[derive(Debug, Clone)]
pub struct PageRead {
    /// Its article.
    pub text: PageText,
    /// Hash of what the page by itself gives.
    pub page_hash: i64,
    /// Bytes received.
    pub bytes: u64,
    /// Validators of the page.
    pub validators: Validators,
    /// The address that gave them.
    pub validators_of: String,
    /// What its site has taught with it.
    pub site: Site,
    /// When it was published and changed and who wrote it, as the page says; stored where the feed
    /// says nothing of it.
    pub published: Option<Time>,
    /// See `published`.
    pub updated: Option<Time>,
    /// See `published`.
    pub authors: Vec<String>,
}

/// The article of a page, against the one that is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageText {
    /// It is the same.
    Same,
    /// The feed carries the whole of it, so that none is stored.
    InFeed,
    /// Another text.
    New {
        /// Safe HTML.
        html: String,
        /// Where on the page it was found.
        from: TextFrom,
        /// Whether the publisher changed the article: then the text before it is kept.
        changed: bool,
    },
}

/// What the pages of a source have taught.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Site {
    /// What they have in common, as the engine wrote it.
    pub template: Option<String>,
    /// Whether its feed carries whole articles, so that its pages need not be asked for.
    pub whole: Option<bool>,
}

/// What is known of the page of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// When it was last asked for.
    pub asked: Time,
    /// When it may be asked for again by itself.
    pub next: Option<Time>,
    /// Failures in a row.
    pub tries: u32,
    /// Why it gave no text when it was last asked for.
    pub error: Option<String>,
    /// How its text is looked for.
    pub way: TextWay,
    /// Hash of what the page by itself gave.
    pub page_hash: Option<i64>,
    /// Validators of the text that is stored.
    pub validators: Validators,
    /// The address that gave them.
    pub validators_of: Option<String>,
}

/// One version of the text of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// When the page first gave it.
    pub at: Time,
    /// Where it was found.
    pub from: TextFrom,
    /// Safe HTML.
    pub html: String,
}

/// Stores the end of a request. What is stored of an item is never lost by a failure. False: the
/// item is gone.
pub(super) fn save(conn: &Connection, fetched: &Fetched) -> Result<bool> {
    let key = fetched.item;
    let source: Option<i64> = conn
        .prepare_cached("SELECT source FROM item WHERE key = ?1")?
        .query_row([key], |r| r.get(0))
        .optional()?;
    let Some(source) = source else { return Ok(false) };
    if matches!(fetched.end, FetchEnd::FeedWanted) && page(conn, key)?.is_some() {
        conn.prepare_cached("UPDATE fetch SET way = ?2 WHERE item = ?1")?
            .execute(params![key, to_json(&fetched.way)?])?;
        return Ok(true);
    }
    if let FetchEnd::Dated(at) = fetched.end {
        save_said(conn, key, None, Some(at), &[])?;
        return Ok(true);
    }
    if let FetchEnd::Needless = fetched.end {
        conn.prepare_cached("UPDATE fetch SET next = NULL WHERE item = ?1")?.execute([key])?;
        return Ok(true);
    }
    let error = match &fetched.end {
        FetchEnd::Failed(why) => Some(why),
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
    if let FetchEnd::Read(read) = &fetched.end {
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
        // The same version, read better: it is as old as before.
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
    }
    queue_index(conn, key)
}

/// Adds a text as the newest version, and lets go of the oldest.
fn insert(conn: &Connection, key: i64, at: Time, html: &str, from: TextFrom) -> Result<()> {
    conn.prepare_cached("INSERT INTO article (item, at, origin, body) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![key, at.timestamp(), to_json(&from)?, pack(html)?])?;
    conn.prepare_cached(
        "DELETE FROM article WHERE item = ?1 AND key NOT IN
            (SELECT key FROM article WHERE item = ?1 ORDER BY key DESC LIMIT ?2)",
    )?
    .execute(params![key, i64::try_from(MOST_VERSIONS).unwrap_or(i64::MAX)])?;
    Ok(())
}

fn mark_changed(conn: &Connection, key: i64) -> Result<()> {
    conn.prepare_cached("UPDATE item SET changed = 1 WHERE key = ?1 AND changed = 0")?
        .execute([key])?;
    Ok(())
}

/// A feed that carries whole articles, or did, brings another text of an item whose page was not taken:
/// both are kept. Of the newest one only the moment counts, its text is the one in `detail`. To be
/// called before the new text is stored there.
pub(super) fn keep_feed_version(conn: &Connection, key: i64, new: &Entry, now: Time) -> Result<()> {
    let mut query = conn.prepare_cached(
        "SELECT d.content, d.summary, i.discovered, a.origin, a.key FROM item i
         JOIN detail d ON d.item = i.key LEFT JOIN site w ON w.source = i.source
         LEFT JOIN article a ON a.key = (SELECT max(key) FROM article WHERE item = i.key)
         WHERE i.key = ?1 AND (w.whole = 1 OR a.key IS NOT NULL)",
    )?;
    let before = query.query_row([key], |r| {
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
        // As it was last, its links too.
        Some(newest) => {
            conn.prepare_cached("UPDATE article SET body = ?2 WHERE key = ?1")?
                .execute(params![newest, pack(&old)?])?;
        }
    }
    insert(conn, key, now, &later, TextFrom::Feed)?;
    mark_changed(conn, key)
}

/// The text that the feed gives of an item now.
fn feed_text(conn: &Connection, key: i64) -> Result<Option<String>> {
    let mut query = conn.prepare_cached("SELECT content, summary FROM detail WHERE item = ?1")?;
    let text = query.query_row([key], |r| Ok(longer(r.get(0)?, r.get(1)?)));
    Ok(text.optional()?.flatten())
}

/// The longer one of two texts, as [`crate::model::Item::feed_body`] chooses.
fn longer(content: Option<String>, summary: Option<String>) -> Option<String> {
    content.into_iter().chain(summary).max_by_key(String::len)
}

/// Fills in what the feed does not say. A first date moves the item to its place in lists.
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

/// Has the text of an item be indexed again, in the background.
fn queue_index(conn: &Connection, key: i64) -> Result<()> {
    conn.prepare_cached("UPDATE detail SET indexed = 0 WHERE item = ?1")?.execute([key])?;
    Ok(())
}

/// The user has opened an item: its changes are seen. Tells whether there were any.
pub(super) fn seen(conn: &Connection, key: i64) -> Result<bool> {
    let mut update =
        conn.prepare_cached("UPDATE item SET changed = 0 WHERE key = ?1 AND changed = 1")?;
    Ok(update.execute([key])? > 0)
}

/// What is known of the page of an item; `None` where it was never asked for.
pub(super) fn page(conn: &Connection, key: i64) -> Result<Option<Page>> {
    let mut query = conn.prepare_cached(
        "SELECT asked, next, tries, error, way, page_hash, etag, last_modified, validators_of
         FROM fetch WHERE item = ?1",
    )?;
    let page = query.query_row([key], |r| {
        Ok(Page {
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

/// The texts of an item, newest first.
pub(super) fn versions(conn: &Connection, key: i64) -> Result<Vec<Version>> {
    let mut query = conn
        .prepare_cached("SELECT at, origin, body FROM article WHERE item = ?1 ORDER BY key DESC")?;
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
        && let Some(html) = feed_text(conn, key)?
    {
        present.html = html;
    }
    Ok(versions)
}

/// What the pages of a source have taught.
pub(super) fn site(conn: &Connection, source: i64) -> Result<Site> {
    let mut query = conn.prepare_cached("SELECT template, whole FROM site WHERE source = ?1")?;
    let site = query.query_row([source], |r| Ok(Site { template: r.get(0)?, whole: r.get(1)? }));
    Ok(site.optional()?.unwrap_or_default())
}

/// Packs a text for storage.
fn pack(html: &str) -> Result<Vec<u8>> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    let done = packed.write_all(html.as_bytes()).and_then(|()| packed.finish());
    done.map_err(|e| StoreError::Sqlite(e.to_string()))
}

/// The text that was packed; `None` where the bytes are damaged, which a checksum in them tells.
pub(super) fn unpack(packed: &[u8]) -> Option<String> {
    let mut html = String::new();
    ZlibDecoder::new(packed).take(MOST_TEXT).read_to_string(&mut html).ok()?;
    Some(html)
}
