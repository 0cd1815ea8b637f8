//! The full-text index, written in the background in batches.

use super::Store;
use super::articles::unpack;
use super::error::{Result, StoreError};
use super::reader::Reader;
use super::rows::to_json;
use super::stories::{self, Member};
use crate::model::{Entry, TextFrom};
use crate::story::Signature;
use crate::util::html;
use crate::util::segment::segmented;
use crate::util::url_text::item_name;
use rusqlite::{Connection, params};
use std::borrow::Cow;
use std::sync::atomic::Ordering;

/// Queues the text of an item for indexing in the background.
pub(super) fn queue(conn: &Connection, item: i64) -> Result<()> {
    conn.prepare_cached("INSERT OR IGNORE INTO unindexed (item) VALUES (?1)")?.execute([item])?;
    Ok(())
}

/// Number of items in one batch: small, so that a waiting mark is not noticeably delayed.
const BATCH: i64 = 500;

/// Number of bytes of text after which a batch is full, also to limit memory.
const BATCH_TEXT: usize = 1 << 20;

/// The text of an entry that is indexed until a page is read: the longer of content and summary.
pub(super) fn text_of(entry: &Entry) -> String {
    stripped(markup_of(entry))
}

/// The text of [`text_of`], as HTML.
pub(super) fn markup_of(entry: &Entry) -> &str {
    let [summary, content] =
        [&entry.summary, &entry.content].map(|text| text.as_deref().unwrap_or_default());
    // A character takes at most four bytes, so the characters of most summaries need not be counted.
    let may_be_longer = summary.len() > content.len() / 4 && !content.is_empty();
    let is_longer = may_be_longer && summary.chars().count() > content.chars().count();
    if is_longer || content.is_empty() { summary } else { content }
}

/// HTML as text, up to the length that is indexed.
pub(super) fn stripped(markup: &str) -> String {
    let mut text = html::to_text(markup);
    if let Some((end, _)) = text.char_indices().nth(MAX_TEXT) {
        text.truncate(end);
    }
    text
}

/// The text of one item, which is read and stripped in the background and written by the writer.
pub(super) struct Body {
    item: i64,
    content_hash: i64,
    /// Row key of its newest stored text.
    article: Option<i64>,
    /// The number of its words.
    words: u32,
    /// The text as it is written to the index.
    text: String,
    /// The name under which the item is shown, for the index, if the item has neither a title nor a text.
    name: Option<String>,
    /// The data for comparing the item with others, if the item is recent.
    member: Option<Member>,
}

/// A text as it is written to the index.
fn indexed(text: String) -> String {
    match segmented(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(segmented) => segmented,
    }
}

/// Maximum number of characters per item that are indexed.
pub(super) const MAX_TEXT: usize = 200_000;

impl Reader {
    pub(super) fn next_unindexed(&self) -> Result<Vec<Body>> {
        let mut query = self.conn.prepare_cached(
            "SELECT d.item, i.content_hash, CASE WHEN length(coalesce(d.summary, '')) > length(coalesce(d.content, ''))
                     THEN d.summary ELSE coalesce(d.content, '') END,
                 a.key, CASE WHEN a.origin <> ?2 THEN a.body END, i.source, i.date, i.title, i.url
             FROM unindexed u JOIN detail d ON d.item = u.item JOIN item i ON i.key = u.item
             LEFT JOIN article a ON a.key = (SELECT max(key) FROM article WHERE item = u.item)
             ORDER BY u.item DESC LIMIT ?1",
        )?;
        let rows = query.query_map(params![BATCH, to_json(&TextFrom::Feed)?], |r| {
            let article = r.get_ref(4)?.as_blob_or_null()?.and_then(unpack);
            let feed: String = r.get(2)?;
            let about =
                (r.get(5)?, r.get(6)?, r.get::<_, String>(7)?, r.get::<_, Option<String>>(8)?);
            Ok((r.get(0)?, r.get(1)?, r.get(3)?, article.unwrap_or(feed), about))
        })?;
        let since = stories::since(&self.conn)?;
        let (mut batch, mut bytes) = (Vec::new(), 0);
        for row in rows {
            let (item, content_hash, article, markup, (source, date, title, url)) = row?;
            let text = stripped(&markup);
            bytes += text.len();
            let signature = || Signature::new(&title, url.as_deref(), &text);
            let member = (date >= since).then(|| Member::new(item, source, date, signature()));
            let words = count_words(&text);
            let is_empty = title.is_empty() && text.is_empty();
            let name = is_empty.then(|| indexed(item_name("", "", url.as_deref()).into_owned()));
            let text = indexed(text);
            batch.push(Body { item, content_hash, article, words, text, name, member });
            if bytes >= BATCH_TEXT {
                break;
            }
        }
        Ok(batch)
    }
}

/// Text of an earlier version.
pub(super) struct VersionBody {
    article: i64,
    text: String,
}

impl Reader {
    /// Earlier versions that cannot be searched yet.
    pub(super) fn next_unindexed_versions(&self) -> Result<Vec<VersionBody>> {
        let mut query = self.conn.prepare_cached(
            "SELECT key, body FROM article WHERE indexed = 0 ORDER BY key DESC LIMIT ?1",
        )?;
        let rows = query.query_map([BATCH], |r| {
            let html = r.get_ref(1)?.as_blob_or_null()?.and_then(unpack).unwrap_or_default();
            let text = indexed(stripped(&html));
            Ok(VersionBody { article: r.get(0)?, text })
        })?;
        let (mut batch, mut bytes) = (Vec::new(), 0);
        for row in rows {
            let body = row?;
            bytes += body.text.len();
            batch.push(body);
            if bytes >= BATCH_TEXT {
                break;
            }
        }
        Ok(batch)
    }
}

/// Writes a batch of earlier versions with the titles and authors of their items; versions that were removed
/// since they were read are left out. Returns whether anything was written.
pub(super) fn write_versions(conn: &Connection, batch: &[VersionBody]) -> Result<bool> {
    let mut done =
        conn.prepare_cached("UPDATE article SET indexed = 1 WHERE key = ?1 AND indexed = 0")?;
    let mut index = conn.prepare_cached(
        "INSERT INTO version_text (rowid, title, authors, body)
         SELECT a.key, segmented(i.title), segmented(d.authors), ?2 FROM article a JOIN item i ON i.key = a.item
         JOIN detail d ON d.item = a.item WHERE a.key = ?1",
    )?;
    let mut written = false;
    for body in batch {
        if done.execute([body.article])? > 0 {
            index.execute(params![body.article, body.text])?;
            written = true;
        }
    }
    Ok(written)
}

/// Writes a batch; an item that changed or was removed since it was read is left for the next batch. With
/// `together`, new items of a story that was read become read. Returns whether anything was written.
pub(super) fn write_batch(conn: &Connection, batch: &[Body], together: bool) -> Result<bool> {
    let mut written = Vec::with_capacity(batch.len());
    let mut done = conn.prepare_cached(
        "DELETE FROM unindexed WHERE item = ?1
         AND (SELECT content_hash FROM item WHERE key = ?1) = ?2
         AND (SELECT max(key) FROM article WHERE item = ?1) IS ?3",
    )?;
    let mut index = conn.prepare_cached(
        "INSERT OR REPLACE INTO item_text (rowid, title, authors, body)
         SELECT i.key, coalesce(?3, segmented(i.title)), segmented(d.authors), ?2
         FROM item i JOIN detail d ON d.item = i.key WHERE i.key = ?1",
    )?;
    let mut count = conn.prepare_cached("UPDATE item SET words = ?2 WHERE key = ?1")?;
    for body in batch {
        if done.execute(params![body.item, body.content_hash, body.article])? > 0 {
            index.execute(params![body.item, body.text, body.name])?;
            count.execute(params![body.item, body.words])?;
            written.push(body);
        }
    }
    let members: Vec<&Member> = written.iter().filter_map(|body| body.member.as_ref()).collect();
    stories::add(conn, &members, together)?;
    Ok(!written.is_empty())
}

/// Counts words: runs of letters; in scripts without spaces, two characters are one word.
pub fn count_words(text: &str) -> u32 {
    use unicode_segmentation::UnicodeSegmentation;
    let mut count_words = 0u32;
    let mut ideographs = 0u32;
    for word in text.unicode_words() {
        let first = word.chars().next().unwrap_or(' ');
        if matches!(u32::from(first), 0x2e80..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff) {
            ideographs += 1;
        } else {
            count_words += 1;
        }
    }
    count_words + ideographs.div_ceil(2)
}

impl Store {
    /// Indexes one more batch of bodies, or of earlier versions; returns whether anything was written, or
    /// `None` if nothing is left. Reading and stripping run on the blocking pool, and only the insertion runs
    /// on the writer.
    pub async fn index_step(&self) -> Result<Option<bool>> {
        let store = self.clone();
        let read = move || -> Result<_> {
            let reader = store.reader()?;
            let batch = reader.next_unindexed()?;
            let versions =
                if batch.is_empty() { reader.next_unindexed_versions()? } else { vec![] };
            Ok((batch, versions))
        };
        let (batch, versions) =
            tokio::task::spawn_blocking(read).await.map_err(|_| StoreError::Closed)??;
        if batch.is_empty() && versions.is_empty() {
            return Ok(None);
        }
        let together = self.inner.stories_together.load(Ordering::Relaxed);
        let write = move |conn: &Connection| {
            Ok(write_batch(conn, &batch, together)? | write_versions(conn, &versions)?)
        };
        self.call(write).await.map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::count_words;

    #[test]
    fn counts_words_of_several_scripts() {
        for (text, expected) in
            [("", 0), ("one, two; three", 3), ("it's", 1), ("日本語の", 2), ("Москва и Рим", 3)]
        {
            assert_eq!(count_words(text), expected, "{text}");
        }
    }
}
