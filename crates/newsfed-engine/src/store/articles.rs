//! Full texts: the results of fetching pages, and what was learned about their site.

use super::datasets;
use super::error::{Result, StoreError};
use super::index;
use super::reader::Reader;
use super::rows::{json, opt_time, seconds, time, to_json};
use super::versions::{insert, mark_changed};
use crate::model::{DateOrigin, Revision, TextFrom, TextWay, Time, Validators};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use rusqlite::{Connection, OptionalExtension, params};
use std::io::{Read, Write};

/// Maximum number of bytes of an unpacked text; the rest is cut off.
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
    /// The page was fetched, but not used: the stored text is kept.
    Unused,
    /// The page is not fetched again: the feed has the full text.
    Needless,
    /// When the article was last changed, according to a source other than the page.
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
    /// The URL that sent the validators.
    pub validators_of: String,
    /// What was learned about the site.
    pub site: LearnedSite,
    /// Publication date according to the page; stored if the feed gives none.
    pub published: Option<Time>,
    /// Where the publication date comes from.
    pub dated: Option<DateOrigin>,
    /// Last change according to the page; stored if the feed gives none.
    pub updated: Option<Time>,
    /// Authors according to the page; stored if the feed gives none.
    pub authors: Vec<String>,
    /// Tags that the page gives.
    pub tags: Vec<String>,
    /// The text extracted from the page alone, without the template of its site (safe HTML), if it differs
    /// from the article.
    pub alone: Option<String>,
    /// The text of the feed is kept, because the page does not contain it.
    pub keeps_feed: bool,
    /// The page is watched: its item has only the text of the page.
    pub watched: bool,
    /// Whether a change makes the item of the page unread again, and moves it to the top of the list.
    pub renews: bool,
    /// The contents of a data file, packed for the next comparison.
    pub dataset: Option<Vec<u8>>,
}

/// The article on a page, compared with the stored one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageText {
    /// The article has not changed.
    Same,
    /// The feed has the full text, so nothing is stored.
    InFeed,
    /// The article has changed.
    New {
        /// Safe HTML.
        html: String,
        /// How it was extracted.
        from: TextFrom,
        /// Whether the publisher changed the article; if so, the previous text is kept.
        changed: bool,
        /// The changes, apart from typos.
        revisions: Vec<Revision>,
    },
}

/// What was learned from the pages of a source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LearnedSite {
    /// The common template of the pages, as serialised by the engine.
    pub template: Option<String>,
    /// Whether the feed has full text, so that pages need not be fetched.
    pub whole: Option<bool>,
}

/// The state of an item's page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageState {
    /// When it was last fetched.
    pub fetched_at: Time,
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
    /// The URL that sent the validators.
    pub validators_of: Option<String>,
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
        fill_gaps(conn, key, (None, None), Some(at), &[])?;
        return Ok(true);
    }
    if let PageResult::Unused = fetched.end {
        conn.prepare_cached("UPDATE fetch SET asked = ?2 WHERE item = ?1")?
            .execute([key, fetched.at.timestamp()])?;
        return Ok(true);
    }
    if let PageResult::Needless = fetched.end {
        conn.prepare_cached("UPDATE fetch SET next = NULL WHERE item = ?1")?.execute([key])?;
        return Ok(true);
    }
    let keeps_feed = matches!(&fetched.end, PageResult::Read(read) if read.keeps_feed);
    let way = if keeps_feed { TextWay::Feed } else { fetched.way };
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
        to_json(&way)?
    ])?;
    if let PageResult::Read(read) = &fetched.end {
        save_page(conn, key, source, fetched.at, read)?;
    }
    Ok(true)
}

fn save_page(conn: &Connection, key: i64, source: i64, at: Time, read: &PageRead) -> Result<()> {
    conn.prepare_cached(
        "UPDATE fetch SET page_hash = ?2, bytes = ?3, etag = ?4, last_modified = ?5,
            validators_of = ?6, page_text = ?7 WHERE item = ?1",
    )?
    .execute(params![
        key,
        read.page_hash,
        i64::try_from(read.bytes).unwrap_or(i64::MAX),
        read.validators.etag,
        read.validators.last_modified,
        read.validators_of,
        read.alone.as_deref().map(pack).transpose()?,
    ])?;
    conn.prepare_cached(
        "INSERT OR REPLACE INTO site (source, template, whole) VALUES (?1, ?2, ?3)",
    )?
    .execute(params![source, read.site.template, read.site.whole])?;
    fill_gaps(conn, key, (read.published, read.dated), read.updated, &read.authors)?;
    if !read.tags.is_empty() {
        conn.prepare_cached("UPDATE detail SET page_tags = ?2 WHERE item = ?1")?
            .execute(params![key, to_json(&read.tags)?])?;
    }
    if let Some(state) = &read.dataset {
        datasets::save(conn, key, source, state)?;
    }
    let (html, from, changed, revisions) = match &read.text {
        PageText::Same => return Ok(()),
        PageText::InFeed => {
            let gone = conn
                .prepare_cached("DELETE FROM article WHERE item = ?1 AND origin <> ?2")?
                .execute(params![key, to_json(&TextFrom::Feed)?])?;
            if gone == 0 {
                return Ok(());
            }
            // The newest remaining version becomes the current text, so it is no longer an earlier one.
            let newest = "(SELECT max(key) FROM article WHERE item = ?1)";
            conn.prepare_cached(&format!(
                "DELETE FROM version_text WHERE rowid =
                    (SELECT key FROM article WHERE key = {newest} AND indexed = 1)"
            ))?
            .execute([key])?;
            conn.prepare_cached(&format!(
                "UPDATE article SET indexed = NULL WHERE key = {newest}"
            ))?
            .execute([key])?;
            return index::queue(conn, key);
        }
        PageText::New { html, from, changed, revisions } => (html, from, *changed, revisions),
    };
    let (mut since, mut kept) = (at, changed.then(|| to_json(revisions)).transpose()?);
    if !changed {
        // This is the same version, extracted better, so it keeps its date.
        let before: Option<(i64, i64, Option<String>)> = conn
            .prepare_cached(
                "SELECT key, at, revisions FROM article WHERE item = ?1 ORDER BY key DESC LIMIT 1",
            )?
            .query_row([key], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))
            .optional()?;
        if let Some((old, first, revisions)) = before {
            (since, kept) = (time(first), revisions);
            conn.prepare_cached("DELETE FROM article WHERE key = ?1")?.execute([old])?;
        }
    }
    insert(conn, key, since, html, *from, kept.as_deref())?;
    if read.watched {
        // The summary was made from the first text, so it is dropped when the text changes.
        conn.prepare_cached(
            "UPDATE detail SET content = ?2, summary = CASE WHEN ?3 THEN NULL ELSE summary END
             WHERE item = ?1",
        )?
        .execute(params![key, html, changed])?;
    }
    if changed {
        mark_changed(conn, key, Revision::any_substantial(revisions))?;
        if read.renews {
            conn.prepare_cached("UPDATE item SET read = 0, date = max(date, ?2) WHERE key = ?1")?
                .execute([key, at.timestamp()])?;
        }
    }
    index::queue(conn, key)
}

/// The current text from the feed.
pub(super) fn feed_text(conn: &Connection, key: i64) -> Result<Option<String>> {
    let mut query = conn.prepare_cached("SELECT content, summary FROM detail WHERE item = ?1")?;
    let text = query.query_row([key], |r| Ok(longer(r.get(0)?, r.get(1)?)));
    Ok(text.optional()?.flatten())
}

/// The longer one of two texts, as in [`crate::model::Item::feed_body`].
pub(super) fn longer(content: Option<String>, summary: Option<String>) -> Option<String> {
    content.into_iter().chain(summary).max_by_key(String::len)
}

/// Fills in what the feed does not give. If the item had no date before, it moves in lists.
fn fill_gaps(
    conn: &Connection,
    key: i64,
    (published, dated): (Option<Time>, Option<DateOrigin>),
    updated: Option<Time>,
    authors: &[String],
) -> Result<()> {
    let undated: bool = conn
        .prepare_cached("SELECT published IS NULL AND updated IS NULL FROM detail WHERE item = ?1")?
        .query_row([key], |r| r.get(0))
        .optional()?
        .unwrap_or(false);
    let (published, updated) = (seconds(published), seconds(updated));
    let dated = dated.map(|d| to_json(&d)).transpose()?;
    conn.prepare_cached(
        "UPDATE detail SET date_from = CASE WHEN published IS NULL THEN ?5 ELSE date_from END,
            published = coalesce(published, ?2), updated = coalesce(updated, ?3),
            authors = CASE WHEN authors = '[]' THEN ?4 ELSE authors END WHERE item = ?1",
    )?
    .execute(params![key, published, updated, to_json(&authors)?, dated])?;
    if let Some(date) = published.or(updated).filter(|_| undated) {
        conn.prepare_cached("UPDATE item SET date = min(?2, discovered) WHERE key = ?1")?
            .execute([key, date])?;
    }
    Ok(())
}

/// Marks the changes to an item and its comments as seen. Returns whether there were any.
pub(super) fn seen(conn: &Connection, key: i64) -> Result<bool> {
    let mut update = conn.prepare_cached(
        "UPDATE item SET changed = 0, substantial = 0, comments_seen = comment_count
         WHERE key = ?1 AND (changed = 1 OR comments_seen IS NOT comment_count)",
    )?;
    Ok(update.execute([key])? > 0)
}

/// The state of an item's page; `None` if it was never fetched.
pub(super) fn page(conn: &Connection, key: i64) -> Result<Option<PageState>> {
    let mut query = conn.prepare_cached(
        "SELECT asked, next, tries, error, way, page_hash, etag, last_modified, validators_of
         FROM fetch WHERE item = ?1",
    )?;
    let page = query.query_row([key], |r| {
        Ok(PageState {
            fetched_at: time(r.get(0)?),
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
pub(super) fn pack(html: &str) -> Result<Vec<u8>> {
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
