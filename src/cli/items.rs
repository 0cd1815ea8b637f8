//! Selects items by number or id, and prints them as JSON.

use super::exit::Failure;
use crate::model::{Item, Time};
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
    /// An item by its row key, as it was before a moment if there is one; `None` if it is gone, or
    /// was not there then.
    pub(super) fn read(
        reader: &Reader,
        key: i64,
        as_of: Option<Time>,
    ) -> Result<Option<Self>, Failure> {
        let item = match as_of {
            Some(before) => reader.item_as_of(key, before)?,
            None => reader.item(key)?,
        };
        Ok(item.map(|item| Self { number: key, item }))
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
