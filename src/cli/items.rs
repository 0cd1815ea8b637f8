//! Selects items by number or id, and prints them as JSON.

use super::exit::Failure;
use crate::model::{Item, RuleEffect, StoryItem, Time};
use crate::store::{IdMatch, Reader};
use crate::util::text;
use serde::Serialize;

#[derive(Debug, Serialize)]
pub(super) struct ItemShape {
    /// The number that identifies the item in this database.
    pub(super) number: i64,
    #[serde(flatten)]
    pub(super) item: Item,
    /// Whether the item is kept for later.
    later: bool,
    /// When a snoozed item is shown again.
    pub(super) snoozed_until: Option<Time>,
    /// The tags of the item itself.
    pub(super) own_tags: Vec<String>,
    /// The effects of rules on the item.
    pub(super) rules: Vec<Done>,
    /// An identifier of the item's story, if other sources have it.
    story: Option<i64>,
    /// The items of other sources in the same story.
    pub(super) also_in: Vec<StoryItem>,
}

/// An effect of a rule on an item.
#[derive(Debug, Serialize)]
pub(super) struct Done {
    pub(super) rule: String,
    pub(super) effect: String,
    at: Time,
}

impl From<RuleEffect> for Done {
    fn from(RuleEffect { rule, effect, at }: RuleEffect) -> Self {
        Self { rule, effect: effect.to_string(), at }
    }
}

impl ItemShape {
    /// Reads an item by its row key, with `as_of` in its state before that time; `None` if it was removed, or
    /// did not exist yet.
    pub(super) fn read(
        reader: &Reader,
        key: i64,
        as_of: Option<Time>,
    ) -> Result<Option<Self>, Failure> {
        let item = match as_of {
            Some(before) => reader.item_as_of(key, before)?,
            None => reader.item(key)?,
        };
        let Some(item) = item else { return Ok(None) };
        let (later, snoozed_until) = reader.kept(key)?;
        let own_tags = reader.tags_of(key)?;
        let rules = reader.effects_on(key)?.into_iter().map(Done::from).collect();
        let (story, also_in) = reader.story(key)?;
        Ok(Some(Self { number: key, item, later, snoozed_until, own_tags, rules, story, also_in }))
    }
}

/// The row keys of items by number or id.
///
/// # Errors
/// When one of them matches no item, or several. In that case nothing is done.
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
                    "several ids start with {shown}; give more characters, or the item's number"
                )));
            }
        }
    }
    Ok(keys)
}
