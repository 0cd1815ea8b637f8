//! Lists that are grouped by source.

use super::error::Result;
use super::filter::Filter;
use super::view::{Cursor, View, rows_in};
use rusqlite::{Connection, params_from_iter};
use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

/// The order of the sources in a list that is grouped by source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SourceOrder {
    /// Row keys.
    keys: Arc<[i64]>,
    /// Row keys with their positions, by row key.
    positions: Arc<[(i64, usize)]>,
}

impl SourceOrder {
    /// The order of the Sources pane: by folder, with sources outside folders last; within a folder in the
    /// given order.
    pub fn new<'a>(sources: impl Iterator<Item = (Option<&'a str>, i64)>) -> Self {
        let mut sources: Vec<(Option<&str>, i64)> = sources.collect();
        sources.sort_by_key(|(folder, _)| (folder.is_none(), *folder));
        let keys: Arc<[i64]> = sources.into_iter().map(|(_, key)| key).collect();
        let mut positions: Vec<(i64, usize)> =
            keys.iter().enumerate().map(|(at, key)| (*key, at)).collect();
        positions.sort_unstable();
        Self { keys, positions: positions.into() }
    }

    /// The position of a source; unknown sources come last.
    fn position(&self, key: i64) -> usize {
        let found = self.positions.binary_search_by_key(&key, |(key, _)| *key);
        found.map_or(usize::MAX, |at| self.positions[at].1)
    }

    /// Compares the positions of two sources.
    pub(super) fn compare(&self, one: i64, other: i64) -> Ordering {
        (self.position(one), one).cmp(&(self.position(other), other))
    }

    /// The sources from `from` on, in one direction; all of them if `None`.
    pub(super) fn from(&self, from: Option<i64>, forward: bool) -> Vec<i64> {
        let at = from.map(|key| self.position(key));
        let beyond = |key: &i64| {
            let here = self.position(*key);
            at.is_none_or(|at| if forward { here >= at } else { here <= at })
        };
        let mut keys: Vec<i64> = self.keys.iter().copied().filter(beyond).collect();
        if !forward {
            keys.reverse();
        }
        keys
    }

    /// The condition that selects the rows of all sources before or after a source, and those of its own rows
    /// that meet the condition `own`.
    pub(super) fn beyond(&self, key: i64, before: bool, own: &str) -> String {
        let mut keys = self.from(Some(key), !before);
        keys.retain(|other| *other != key);
        let keys = keys.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
        format!("(i.source IN ({keys}) OR (i.source = {key} AND {own}))")
    }
}

impl View {
    /// Compares two rows by their order in the list.
    pub fn compare(&self, one: &Cursor, other: &Cursor) -> Ordering {
        let order = one.compare(other, self.order);
        match &self.sources {
            Some(sources) => sources.compare(one.source, other.source).then(order),
            None => order,
        }
    }
}

/// The sources with rows in a view or in one of its phases; `None` if there are many.
pub(super) fn sources_of(
    conn: &Connection,
    view: &View,
    pinned: Option<bool>,
) -> Result<Option<HashSet<i64>>> {
    let from = rows_in(view, Some(0), pinned);
    if from.contains("item_source") {
        return Ok(None);
    }
    let mut filter = Filter::default();
    filter.scope(&view.scope);
    filter.view(view);
    let sql = format!("SELECT DISTINCT i.source FROM {from} WHERE {}", filter.sql());
    let mut statement = conn.prepare_cached(&sql)?;
    let keys = statement.query_map(params_from_iter(filter.values), |r| r.get(0))?;
    Ok(Some(keys.collect::<rusqlite::Result<_>>()?))
}
