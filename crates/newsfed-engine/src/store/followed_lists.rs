//! OPML lists that are followed: what they contain, and what was applied.

use super::Store;
use super::error::Result;
use super::reader::Reader;
use rusqlite::{Connection, OptionalExtension, params};

/// The stored data of a list. Texts are in the format of [`crate::config::list_to_text`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FollowedList {
    /// What the list contains.
    pub listed: String,
    /// Whether `listed` is the complete list.
    pub is_whole: bool,
    /// Whether the user has confirmed that many sources were removed from the list.
    pub is_confirmed: bool,
    /// What was applied from the list.
    pub taken: String,
    /// Hash of the changes that are not applied until the user confirms them.
    pub refused: Option<[u8; 32]>,
    /// The hash of the changes that the user has confirmed.
    pub confirmed: Option<[u8; 32]>,
    /// A description of its last changes.
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

/// Makes the next poll fetch the whole list.
fn clear_validators(conn: &Connection, source: i64) -> Result<()> {
    conn.prepare_cached(
        "UPDATE source SET etag = NULL, last_modified = NULL, validators_of = NULL, body_hash = NULL
         WHERE key = ?1",
    )?
    .execute([source])?;
    Ok(())
}

impl Store {
    /// Stores what a list (row key of its source) contains, and whether the user has confirmed it. If this is
    /// not the complete list, the next poll requests it in full.
    pub async fn set_listed(
        &self,
        source: i64,
        listed: String,
        is_whole: bool,
        is_confirmed: bool,
    ) -> Result<()> {
        let set = "listed = ?2, whole = ?3, accept = ?4, refused = NULL, confirmed = NULL";
        self.call_quietly(move |conn| {
            write(conn, source, set, &[&listed, &is_whole, &is_confirmed])?;
            if is_whole { Ok(()) } else { clear_validators(conn, source) }
        })
        .await
    }

    /// Clears the content of a list, so that the list is read again. The applied content is kept.
    pub async fn clear_listed(&self, source: i64) -> Result<()> {
        self.set_listed(source, String::new(), false, false).await
    }

    /// Clears everything about a list, so that it is followed like a new one.
    pub async fn clear_list(&self, source: i64) -> Result<()> {
        self.call_quietly(move |conn| {
            conn.execute("DELETE FROM followed_list WHERE source = ?1", [source])?;
            clear_validators(conn, source)
        })
        .await
    }

    /// Stores what was applied from a list, and what that changed, if anything. A confirmation is used only
    /// once.
    pub async fn set_taken(
        &self,
        source: i64,
        taken: String,
        changes: Option<String>,
    ) -> Result<()> {
        let set = "taken = ?2, changes = coalesce(?3, changes), accept = 0";
        self.call_quietly(move |conn| write(conn, source, set, &[&taken, &changes])).await
    }

    /// Stores the hash of the changes that are not applied from a list until the user confirms them; `None`
    /// if nothing is left to confirm. An earlier confirmation of other changes becomes invalid.
    pub async fn refuse_list(&self, source: i64, hash: Option<[u8; 32]>) -> Result<()> {
        let set = "refused = ?2, confirmed = NULL";
        self.call_quietly(move |conn| write(conn, source, set, &[&hash])).await
    }

    /// Records that the user confirms the last refused changes to a list. Returns whether there was anything
    /// to confirm.
    pub async fn confirm_list(&self, source: i64) -> Result<bool> {
        self.call_quietly(move |conn| {
            let sql = "UPDATE followed_list SET confirmed = refused
                       WHERE source = ?1 AND refused IS NOT NULL";
            Ok(conn.prepare_cached(sql)?.execute([source])? > 0)
        })
        .await
    }
}

impl Reader {
    /// The stored data of a list (row key of its source); `None` if it was never read.
    pub fn followed_list(&self, source: i64) -> Result<Option<FollowedList>> {
        let mut query = self.conn.prepare_cached(
            "SELECT listed, whole, accept, taken, refused, confirmed, changes
             FROM followed_list WHERE source = ?1",
        )?;
        let list = query.query_row(params![source], |r| {
            Ok(FollowedList {
                listed: r.get(0)?,
                is_whole: r.get(1)?,
                is_confirmed: r.get(2)?,
                taken: r.get(3)?,
                refused: r.get(4)?,
                confirmed: r.get(5)?,
                changes: r.get(6)?,
            })
        });
        Ok(list.optional()?)
    }
}
