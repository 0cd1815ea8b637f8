//! Earlier versions of texts and titles.

use super::articles::{feed_text, longer, pack, unpack};
use super::error::Result;
use super::reader::Reader;
use super::rows::{json, time, to_json};
use crate::article::{self, LinkChanges, from_html};
use crate::model::{Entry, Item, ItemRow, Revision, TextFrom, Time};
use crate::util::html;
use crate::util::segment::segmented;
use rusqlite::{Connection, OptionalExtension, params};

/// Maximum number of stored versions of a text, including the current one.
pub const MAX_VERSIONS: usize = 6;
/// Maximum number of stored earlier titles of an item. The first title is always kept.
const MAX_TITLES: usize = 10;
/// Maximum number of bytes of titles and texts (HTML), before and after, that are examined for changes while
/// one document is stored, because marks and other polls wait for it. Beyond the limit, a text counts as
/// changed.
pub(super) const EXAMINED: usize = 500_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// When this text was first seen, on the page or in the feed.
    pub at: Time,
    /// How the text was extracted.
    pub from: TextFrom,
    /// Safe HTML.
    pub html: String,
    /// The changes in this version, apart from typos; `None` if they were not examined.
    pub revisions: Option<Vec<Revision>>,
}

/// Adds a text as the newest version. Beyond the limit, the oldest one is removed, but never the first.
pub(super) fn insert(
    conn: &Connection,
    key: i64,
    at: Time,
    html: &str,
    from: TextFrom,
    revisions: Option<&str>,
) -> Result<()> {
    conn.prepare_cached("UPDATE article SET indexed = 0 WHERE item = ?1 AND indexed IS NULL")?
        .execute([key])?;
    conn.prepare_cached(
        "INSERT INTO article (item, at, origin, body, revisions) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![key, at.timestamp(), to_json(&from)?, pack(html)?, revisions])?;
    conn.prepare_cached(
        "DELETE FROM article WHERE item = ?1 AND key NOT IN
            (SELECT key FROM article WHERE item = ?1 ORDER BY key DESC LIMIT ?2)
            AND key <> (SELECT min(key) FROM article WHERE item = ?1)",
    )?
    .execute(params![key, i64::try_from(MAX_VERSIONS - 1).unwrap_or(i64::MAX)])?;
    Ok(())
}

/// Marks an item as changed since the user last opened it.
pub(super) fn mark_changed(conn: &Connection, key: i64, substantial: bool) -> Result<()> {
    conn.prepare_cached(
        "UPDATE item SET changed = 1, substantial = max(substantial, ?2)
         WHERE key = ?1 AND (changed = 0 OR substantial < ?2)",
    )?
    .execute(params![key, substantial])?;
    Ok(())
}

/// Stores the previous text as a version if a feed with full text (`whole`, or learned) changes an item whose
/// page was not used. Only the date of the newest version is stored; its text is in `detail`. Call this
/// before the new text is stored there. `left` is the remainder of [`EXAMINED`].
pub(super) fn keep_feed_version(
    conn: &Connection,
    key: i64,
    new: &Entry,
    whole: bool,
    now: Time,
    left: &mut usize,
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
    if origin.is_some_and(|from| from != TextFrom::Feed) {
        return Ok(());
    }
    let language = new.language.as_deref();
    let Some(revisions) = changes(&old, &later, language, left) else { return Ok(()) };
    match newest {
        None => insert(conn, key, discovered, &old, TextFrom::Feed, None)?,
        // Updates the newest version to the text as it was last seen, including its links.
        Some(newest) => {
            conn.prepare_cached("UPDATE article SET body = ?2 WHERE key = ?1")?
                .execute(params![newest, pack(&old)?])?;
        }
    }
    insert(conn, key, now, &later, TextFrom::Feed, Some(&to_json(&revisions)?))?;
    mark_changed(conn, key, Revision::any_substantial(&revisions))
}

/// The changes between two texts (safe HTML); `None` if they are the same. Links are compared only if the
/// texts fit into `left`, the remainder of [`EXAMINED`].
fn changes(
    old: &str,
    later: &str,
    language: Option<&str>,
    left: &mut usize,
) -> Option<Vec<Revision>> {
    if old == later {
        return None;
    }
    let (a, b) = (html::to_text(old), html::to_text(later));
    let same = article::same_text(&a, &b);
    let Some(after) = left.checked_sub(old.len() + later.len()) else {
        return (!same).then(|| vec![Revision::text()]);
    };
    *left = after;
    let links = LinkChanges::between(&from_html(old, None), &from_html(later, None)).revision();
    if same && links.is_none() {
        return None;
    }
    let mut revisions = article::revisions(&a, &b, language);
    revisions.extend(links);
    Some(revisions)
}

/// Stores the title that a feed is about to replace. A title with a different meaning marks the item as
/// changed. `left` is the remainder of [`EXAMINED`].
pub(super) fn keep_title(
    conn: &Connection,
    key: i64,
    new: &Entry,
    now: Time,
    left: &mut usize,
) -> Result<()> {
    let mut query = conn.prepare_cached("SELECT title FROM item WHERE key = ?1 AND title <> ?2")?;
    let old: Option<String> = query.query_row(params![key, new.title], |r| r.get(0)).optional()?;
    let Some(old) = old.filter(|old| !old.is_empty() && !new.title.is_empty()) else {
        return Ok(());
    };
    let after = left.checked_sub(old.len() + new.title.len());
    *left = after.unwrap_or(*left);
    let substantial =
        after.is_none() || article::headline(&old, &new.title, new.language.as_deref()).is_some();
    conn.prepare_cached(
        "INSERT INTO headline (item, until, title, substantial) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![key, now.timestamp(), old, substantial])?;
    let row = conn.last_insert_rowid();
    conn.prepare_cached(
        "INSERT INTO version_text (rowid, title, authors, body) VALUES (?1, ?2, '', '')",
    )?
    .execute(params![-row, segmented(&old)])?;
    conn.prepare_cached(
        "DELETE FROM headline WHERE item = ?1 AND key NOT IN
            (SELECT key FROM headline WHERE item = ?1 ORDER BY key DESC LIMIT ?2)
            AND key <> (SELECT min(key) FROM headline WHERE item = ?1)",
    )?
    .execute(params![key, i64::try_from(MAX_TITLES - 1).unwrap_or(i64::MAX)])?;
    if substantial { mark_changed(conn, key, true) } else { Ok(()) }
}

/// Replaces the titles of rows with those that they had before a time (seconds since the epoch).
pub(super) fn restore_titles(conn: &Connection, rows: &mut [ItemRow], before: i64) -> Result<()> {
    let mut query = conn.prepare_cached(
        "SELECT title FROM headline WHERE item = ?1 AND until >= ?2 ORDER BY key LIMIT 1",
    )?;
    for row in rows {
        let title: Option<String> = query.query_row([row.key, before], |r| r.get(0)).optional()?;
        row.title = title.unwrap_or_else(|| std::mem::take(&mut row.title));
    }
    Ok(())
}

impl Reader {
    /// The texts of an item's page, newest first.
    pub fn versions(&self, key: i64) -> Result<Vec<Version>> {
        let mut query = self.conn.prepare_cached(
            "SELECT at, origin, body, revisions FROM article WHERE item = ?1 ORDER BY key DESC",
        )?;
        let rows = query.query_map([key], |r| {
            let html = r.get_ref(2)?.as_blob_or_null()?.and_then(unpack);
            let from = json(r.get(1)?).unwrap_or_default();
            let (at, revisions) = (time(r.get(0)?), json(r.get(3)?));
            Ok(html.map(|html| Version { at, from, html, revisions }))
        })?;
        let rows: Vec<Option<Version>> = rows.collect::<rusqlite::Result<_>>()?;
        let mut versions: Vec<Version> = rows.into_iter().flatten().collect();
        if let Some(present) = versions.first_mut().filter(|v| v.from == TextFrom::Feed)
            && let Some(html) = feed_text(&self.conn, key)?
        {
            present.html = html;
        }
        Ok(versions)
    }

    /// The earlier titles of an item, newest first, each with the time when it was replaced.
    pub fn titles(&self, key: i64) -> Result<Vec<(Time, String)>> {
        let mut query = self.conn.prepare_cached(
            "SELECT until, title FROM headline WHERE item = ?1 ORDER BY key DESC",
        )?;
        let rows = query.query_map([key], |r| Ok((time(r.get(0)?), r.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// An item with the title and the text that it had before a time, if they are stored; `None` if the item
    /// was discovered later.
    pub fn item_as_of(&self, key: i64, before: Time) -> Result<Option<Item>> {
        let Some(mut item) = self.item(key)?.filter(|item| item.discovered < before) else {
            return Ok(None);
        };
        let titles = self.titles(key)?;
        let then = titles.iter().rposition(|(until, _)| *until >= before);
        if let Some((_, title)) = then.and_then(|at| titles.get(at)) {
            item.title.clone_from(title);
        }
        // The title that preceded the one at `before`.
        let former = titles.get(then.map_or(0, |at| at + 1));
        item.former_title = former.map(|(_, title)| title.clone());
        // Changes since the user opened the item are not known for an earlier time.
        (item.changed, item.substantial) = (false, false);
        let versions = self.versions(key)?;
        let newest = versions.first().map(|version| version.html.as_str());
        let is_only_text = newest.is_some() && newest == item.content.as_deref();
        let then = versions.iter().position(|version| version.at < before);
        let version = then.and_then(|at| versions.get(at));
        item.revisions = version.and_then(|version| version.revisions.clone()).unwrap_or_default();
        match version {
            Some(version) if then != Some(0) => {
                item.text_from = version.from;
                item.article = Some(version.html.clone());
                // An item of a watched page has no other text.
                if version.from == TextFrom::Feed || is_only_text {
                    item.content = Some(version.html.clone());
                }
            }
            Some(_) => {}
            // The page was fetched later.
            None => (item.article, item.text_from) = (None, TextFrom::Feed),
        }
        let earlier = then.map_or(0, |at| versions.len() - at - 1);
        item.versions = u32::try_from(earlier).unwrap_or(u32::MAX);
        Ok(Some(item))
    }

    /// The text extracted from the page without the template of its site (safe HTML); `None` if the page was
    /// not read, or if the newest version is that text.
    pub fn page_text(&self, key: i64) -> Result<Option<String>> {
        let mut query = self.conn.prepare_cached("SELECT page_text FROM fetch WHERE item = ?1")?;
        let text =
            query.query_row([key], |r| Ok(r.get_ref(0)?.as_blob_or_null()?.and_then(unpack)));
        Ok(text.optional()?.flatten())
    }
}
