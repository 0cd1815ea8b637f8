//! OPML lists that are followed: what they have, and what was taken over.

use super::Store;
use super::error::Result;
use super::reader::Reader;
use rusqlite::{Connection, OptionalExtension, params};

/// What is stored of a list. Its texts are those of [`crate::config::list_to_text`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FollowedList {
    /// What the list has.
    pub listed: String,
    /// Whether that is all of it.
    pub is_whole: bool,
    /// What was taken over from it.
    pub taken: String,
    /// Whether the user has confirmed that many sources leave.
    pub accept: bool,
    /// What it changed last, in words.
    pub changes: String,
}

fn write(conn: &Connection, source: i64, set: &str, values: &[&dyn rusqlite::ToSql]) -> Result<()> {
    conn.prepare_cached("INSERT OR IGNORE INTO followed_list (source) VALUES (?1)")?
        .execute([source])?;
    let update = format!("UPDATE followed_list SET {set} WHERE source = ?1");
    let mut all: Vec<&dyn rusqlite::ToSql> = vec![&source];
    all.extend(values);
    conn.prepare_cached(&update)?.execute(all.as_slice())?;
    Ok(())
}

impl Store {
    /// Stores what a list (row key of its source) has.
    pub async fn set_listed(&self, source: i64, listed: String, is_whole: bool) -> Result<()> {
        let set = "listed = ?2, whole = ?3";
        self.call_quietly(move |conn| write(conn, source, set, &[&listed, &is_whole])).await
    }

    /// Stores what was taken over from a list, and what that changed, if anything. A confirmation is
    /// used up.
    pub async fn set_taken(
        &self,
        source: i64,
        taken: String,
        changes: Option<String>,
    ) -> Result<()> {
        let set = "taken = ?2, changes = coalesce(?3, changes), accept = 0";
        self.call_quietly(move |conn| write(conn, source, set, &[&taken, &changes])).await
    }

    /// Records whether the user confirms that many sources leave a list.
    pub async fn accept_list(&self, source: i64, accept: bool) -> Result<()> {
        self.call_quietly(move |conn| write(conn, source, "accept = ?2", &[&accept])).await
    }
}

impl Reader {
    /// What is stored of a list (row key of its source); `None` if it was never read.
    pub fn followed_list(&self, source: i64) -> Result<Option<FollowedList>> {
        let mut query = self.conn.prepare_cached(
            "SELECT listed, whole, taken, accept, changes FROM followed_list WHERE source = ?1",
        )?;
        let list = query.query_row(params![source], |r| {
            Ok(FollowedList {
                listed: r.get(0)?,
                is_whole: r.get(1)?,
                taken: r.get(2)?,
                accept: r.get(3)?,
                changes: r.get(4)?,
            })
        });
        Ok(list.optional()?)
    }
}
