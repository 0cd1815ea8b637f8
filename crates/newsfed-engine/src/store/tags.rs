//! Tags of items, and the list of items kept for later.

use super::error::Result;
use super::reader::Reader;
pub use crate::util::name::MAX_TAG;
use crate::util::name::{self, comparable};
use rusqlite::{Connection, Row, params};

/// Maximum number of tags that are read at once.
const MAX_TAGS: i64 = 1000;

/// Number of newest items whose categories and languages are read for completion.
const VALUES_OF: i64 = 2000;

/// Values that can follow `category:` and `lang:`, most frequent first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemValues {
    pub categories: Vec<String>,
    pub languages: Vec<String>,
}

/// The comparable form in which a tag is stored; empty if the text cannot be a tag.
pub fn tag_form(tag: &str) -> String {
    comparable(&name::tag(tag))
}

/// A tag as it is stored, and its comparable form; `None` if the text cannot be a tag.
pub(super) fn stored_form(tag: &str) -> Option<(String, String)> {
    let tag = name::tag(tag);
    let form = comparable(&tag);
    (!form.is_empty()).then_some((tag, form))
}

/// Adds a tag to items (row keys), or removes it; returns the keys of the items that changed.
pub(super) fn set(conn: &Connection, tag: &str, keys: &[i64], on: bool) -> Result<Vec<i64>> {
    let mut update = conn.prepare_cached(match on {
        true => {
            "INSERT OR IGNORE INTO item_tag (item, form, tag)
             SELECT key, ?2, ?3 FROM item WHERE key = ?1"
        }
        false => "DELETE FROM item_tag WHERE item = ?1 AND form = ?2 AND ?3 IS NOT NULL",
    })?;
    let Some((tag, form)) = stored_form(tag) else { return Ok(Vec::new()) };
    let mut changed = Vec::new();
    for &key in keys {
        let count = update.execute(params![key, form, tag])?;
        if count > 0 || !on && remove_unclean(conn, key, &form)? {
            changed.push(key);
        }
    }
    Ok(changed)
}

/// Removes a tag that was stored with invisible characters by an earlier version of newsfed; returns whether
/// the item had it.
fn remove_unclean(conn: &Connection, item: i64, form: &str) -> Result<bool> {
    let mut forms = conn.prepare_cached("SELECT form, tag FROM item_tag WHERE item = ?1")?;
    let forms: Vec<(String, String)> = forms
        .query_map([item], |r| Ok((r.get(0)?, r.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut remove = conn.prepare_cached("DELETE FROM item_tag WHERE item = ?1 AND form = ?2")?;
    let mut count = 0;
    for (stored, _) in forms.iter().filter(|(_, tag)| tag_form(tag) == form) {
        count += remove.execute(params![item, stored])?;
    }
    Ok(count > 0)
}

/// The tag of a row, which an earlier version of newsfed may have stored with control characters.
fn shown(row: &Row<'_>) -> rusqlite::Result<String> {
    row.get("tag").map(|tag: String| name::tag(&tag))
}

impl Reader {
    /// The tags of all items, in alphabetical order.
    pub fn item_tags(&self) -> Result<Vec<String>> {
        let mut query = self.conn.prepare_cached(
            // Jumps from one tag to the next in the index, because reading every tagged item would take
            // longer.
            "WITH RECURSIVE forms (form) AS (
                SELECT min(form) FROM item_tag
                UNION ALL SELECT (SELECT min(t.form) FROM item_tag t WHERE t.form > forms.form)
                FROM forms WHERE forms.form IS NOT NULL)
             SELECT (SELECT tag FROM item_tag t WHERE t.form = forms.form LIMIT 1) AS tag
             FROM forms WHERE form IS NOT NULL LIMIT ?1",
        )?;
        let tags = query.query_map([MAX_TAGS], shown)?;
        Ok(tags.collect::<rusqlite::Result<_>>()?)
    }

    /// Categories and languages of the newest items.
    pub fn item_values(&self) -> Result<ItemValues> {
        let read = |sql: &str| -> Result<Vec<String>> {
            let mut query = self.conn.prepare_cached(sql)?;
            let values = query.query_map([VALUES_OF, MAX_TAGS], |r| r.get(0))?;
            Ok(values.collect::<rusqlite::Result<_>>()?)
        };
        Ok(ItemValues {
            categories: read(
                "WITH newest AS (SELECT categories, page_tags FROM detail ORDER BY item DESC LIMIT ?1)
                 SELECT max(value) FROM (
                    SELECT c.value FROM newest, json_each(newest.categories) c
                    UNION ALL SELECT c.value FROM newest, json_each(newest.page_tags) c)
                 GROUP BY comparable(value) HAVING comparable(value) <> ''
                 ORDER BY count(*) DESC, value LIMIT ?2",
            )?,
            languages: read(
                "WITH newest AS (SELECT language FROM detail ORDER BY item DESC LIMIT ?1)
                 SELECT max(language) FROM newest WHERE language <> ''
                 GROUP BY lower(language) ORDER BY count(*) DESC, language LIMIT ?2",
            )?,
        })
    }

    /// The tags of an item (row key), in alphabetical order.
    pub fn tags_of(&self, item: i64) -> Result<Vec<String>> {
        let mut query = self
            .conn
            .prepare_cached("SELECT tag FROM item_tag WHERE item = ?1 ORDER BY form LIMIT ?2")?;
        let tags = query.query_map([item, MAX_TAGS], shown)?;
        Ok(tags.collect::<rusqlite::Result<_>>()?)
    }
}
