//! Feeds, tags and enclosures that a foreign database has in separate tables.

use super::foreign::{plain_columns, text};
use crate::model::ForeignKind;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use std::collections::HashMap;

/// Maximum total size of the names of feeds, tags and enclosures, in bytes.
const MAX_BYTES: usize = 64 << 20;
/// Maximum number of feeds, and of tags and enclosures, that are read.
const MAX_ROWS: usize = 100_000;
/// Maximum size of a name of a feed, tag or enclosure, in bytes.
const MAX_NAME: usize = 8192;

/// The contents of other tables about the items of NewsFlash.
#[derive(Default)]
pub(super) struct Related {
    /// URLs of feeds by identifier.
    pub(super) feeds: HashMap<String, String>,
    /// Tags and enclosures by identifier of the article.
    pub(super) tags: HashMap<String, Vec<String>>,
    pub(super) files: HashMap<String, Vec<String>>,
    /// Size of all texts.
    bytes: usize,
    /// Number of rows that were left out because of the limits.
    pub(super) surplus: u64,
}

impl Related {
    pub(super) fn read(conn: &Connection, kind: ForeignKind) -> rusqlite::Result<Self> {
        let mut related = Self::default();
        if kind != ForeignKind::NewsFlash {
            return Ok(related);
        }
        let has = |table: &str, needed: &[&str]| -> rusqlite::Result<bool> {
            let found = plain_columns(conn, table)?;
            Ok(needed.iter().all(|name| found.iter().any(|f| f == name)))
        };
        if has("feeds", &["feed_id", "feed_url"])? {
            let mut feeds = HashMap::new();
            related.pairs(conn, "SELECT feed_id, feed_url FROM feeds", |feed, url| {
                feeds.insert(feed, url);
                0
            })?;
            related.feeds = feeds;
        }
        if has("taggings", &["article_id", "tag_id"])? && has("tags", &["tag_id", "label"])? {
            let (mut labels, mut tags) = (HashMap::new(), HashMap::<_, Vec<_>>::new());
            related.pairs(conn, "SELECT tag_id, label FROM tags", |tag, label| {
                labels.insert(tag, label);
                0
            })?;
            related.pairs(conn, "SELECT article_id, tag_id FROM taggings", |article, tag| {
                let label: Option<&String> = labels.get(&tag);
                tags.entry(article).or_default().extend(label.cloned());
                label.map_or(0, String::len)
            })?;
            related.tags = tags;
        }
        if has("enclosures", &["article_id", "url"])? {
            let mut files = HashMap::<_, Vec<_>>::new();
            related.pairs(conn, "SELECT article_id, url FROM enclosures", |article, url| {
                files.entry(article).or_default().push(url);
                0
            })?;
            related.files = files;
        }
        Ok(related)
    }

    /// Reads the rows of a query with two text columns, within the limits. `keep` returns how many bytes it
    /// needs in addition to the columns.
    fn pairs(
        &mut self,
        conn: &Connection,
        sql: &str,
        mut keep: impl FnMut(String, String) -> usize,
    ) -> rusqlite::Result<()> {
        let mut query = conn.prepare(sql)?;
        let mut rows = query.query([])?;
        let mut read = 0;
        while let Some(row) = rows.next()? {
            let sizes = [size(row, 0)?, size(row, 1)?];
            // A row with an empty column is useless.
            if sizes.contains(&0) {
                continue;
            }
            let is_short = sizes.iter().all(|size| *size <= MAX_NAME);
            if !is_short || read >= MAX_ROWS || self.bytes >= MAX_BYTES {
                self.surplus += 1;
                continue;
            }
            read += 1;
            if let (Some(one), Some(other)) = (text(row, 0)?, text(row, 1)?) {
                self.bytes += one.len() + other.len();
                self.bytes += keep(one, other);
            }
        }
        Ok(())
    }
}

/// The size of a value as text; 0 if it is empty.
fn size(row: &Row<'_>, column: usize) -> rusqlite::Result<usize> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len(),
        ValueRef::Null => 0,
        _ => 1,
    })
}
