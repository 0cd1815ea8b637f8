//! Selects items by number or id, and prints them as JSON.

use super::exit::Failure;
use crate::model::Item;
use crate::store::{IdMatch, Reader};
use crate::util::text;
use serde::Serialize;

#[derive(Debug, Serialize)]
pub(super) struct ItemShape {
    /// The short name of the item in this database.
    pub(super) number: i64,
    #[serde(flatten)]
    pub(super) item: Item,
}

impl ItemShape {
    /// An item by its row key; `None` if it is gone.
    pub(super) fn read(reader: &Reader, key: i64) -> Result<Option<Self>, Failure> {
        Ok(reader.item(key)?.map(|item| Self { number: key, item }))
    }
}

/// The row keys of items by number or id.
///
/// # Errors
/// When one of them matches no item, or several. Nothing is done then.
pub(super) fn keys(reader: &Reader, ids: &[String]) -> Result<Vec<i64>, Failure> {
    let mut keys = Vec::with_capacity(ids.len());
    for id in ids {
        let shown = text::line(id);
        match reader.find(id.trim())? {
            IdMatch::One(key) if keys.contains(&key) => {}
            IdMatch::One(key) => keys.push(key),
            IdMatch::None => {
                return Err(Failure::Plain(format!(
                    "there is no item {shown}; `newsfed list` shows the numbers"
                )));
            }
            IdMatch::Several => {
                return Err(Failure::Plain(format!(
                    "several ids start with {shown}; give more of it, or the item's number"
                )));
            }
        }
    }
    Ok(keys)
}
