//! Windows of item lists, read by keyset pagination over a matching index, without OFFSET or COUNT.

use super::criteria::{Criteria, TitleMatch};
use super::error::Result;
use super::filter::Filter;
use super::reader::Reader;
use super::rows::{ITEM_ROW, RANK, item_row, ranked_row};
use super::source_order::{SourceOrder, sources_of};
use super::versions;
use crate::config::SortOrder;
use crate::model::ItemRow;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The items of a list before a query filters them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Scope {
    All,
    /// The items of these sources (row keys).
    Sources(Vec<i64>),
    /// Items dated at or after this time, in seconds since the epoch.
    Since(i64),
    Pinned,
    /// Items kept for later.
    Later,
    /// These items (row keys).
    Only(Arc<[i64]>),
}

/// The content and order of a list.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct View {
    pub scope: Scope,
    /// Whether read items are excluded.
    pub unread_only: bool,
    /// The query that filters the items.
    pub criteria: Criteria,
    pub order: SortOrder,
    /// The order of the sources, if the items are grouped by source. `order` applies within each.
    pub sources: Option<SourceOrder>,
    /// Whether only one item of each story is listed: a pinned one, or else the first one in the list.
    pub fold: bool,
}

impl View {
    /// All items of a scope, newest first with the pinned ones on top.
    pub fn of(scope: Scope) -> Self {
        Self {
            scope,
            unread_only: false,
            criteria: Criteria::default(),
            order: SortOrder::default(),
            sources: None,
            fold: false,
        }
    }
}

impl View {
    /// Whether the best matches of a full-text search are listed first. Earlier versions are not ranked.
    pub fn is_ranked(&self) -> bool {
        self.order == SortOrder::Best && self.criteria.text.is_some() && !self.criteria.versions
    }

    /// Whether the list is always empty; there is no index for such a list.
    pub(super) fn is_void(&self) -> bool {
        let none = |keys: &Vec<i64>| keys.is_empty();
        self.criteria.nothing
            || self.criteria.sources.as_ref().is_some_and(none)
            || matches!(&self.scope, Scope::Sources(keys) if keys.is_empty())
            || matches!(&self.scope, Scope::Only(keys) if keys.is_empty())
    }
}

/// The position of a row in its list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    pub(super) pinned: bool,
    pub(super) source: i64,
    pub(super) rank: i64,
    pub(super) date: i64,
    pub(super) key: i64,
    pub(super) by_title: bool,
}

impl From<&ItemRow> for Cursor {
    fn from(row: &ItemRow) -> Self {
        Self {
            pinned: row.pinned,
            source: row.source_key,
            rank: row.rank,
            date: row.date.timestamp(),
            key: row.key,
            by_title: row.by_title,
        }
    }
}

impl Cursor {
    /// Compares two rows of a list without groups.
    pub(super) fn compare(&self, other: &Self, order: SortOrder) -> Ordering {
        let newest = (other.date, other.key).cmp(&(self.date, self.key));
        let pinned = other.pinned.cmp(&self.pinned);
        let title = other.by_title.cmp(&self.by_title);
        match order {
            SortOrder::PinnedNewest => title.then(pinned).then(newest),
            SortOrder::Best => self.rank.cmp(&other.rank).then(pinned).then(newest),
            SortOrder::Newest => title.then(newest),
            SortOrder::Oldest => title.then(newest.reverse()),
        }
    }
}

/// The position of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    First,
    Last,
    /// Rows below this position, exclusive.
    After(Cursor),
    /// Rows above this position, exclusive.
    Before(Cursor),
    /// Rows around a position, even if its row no longer exists.
    Around(Cursor),
}

/// Consecutive rows of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Window {
    /// The rows, in the order of the list.
    pub rows: Vec<ItemRow>,
    /// Whether there are more rows above.
    pub more_above: bool,
    /// Whether there are more rows below.
    pub more_below: bool,
    /// Whether a search found more than [`SEARCH_LIMIT`] items. Paging does not reach the rest.
    pub cut: bool,
}

/// Maximum number of rows in a full-text search: the most recently discovered matches, or the best ones.
pub const SEARCH_LIMIT: usize = 1000;

/// Maximum number of additional rows in a search that are listed first because of their titles.
const TITLES: usize = 20;

impl Reader {
    /// `size` rows of a list at an anchor, or twice as many around a cursor.
    pub fn window(&self, view: &View, anchor: Anchor, size: usize) -> Result<Window> {
        let view = &*view.by_source(&self.conn)?;
        if view.is_void() {
            return Ok(Window::default());
        }
        if view.criteria.text.is_some() {
            return matches(&self.conn, view);
        }
        let rows = |from, forward, take| read(&self.conn, view, from, forward, take);
        let mut window = Window::default();
        let above = |mut rows: Vec<ItemRow>, window: &mut Window| {
            window.more_above = rows.len() > size;
            rows.truncate(size);
            rows.reverse();
            rows.append(&mut window.rows);
            window.rows = rows;
        };
        let below = |mut rows: Vec<ItemRow>, window: &mut Window| {
            window.more_below = rows.len() > size;
            rows.truncate(size);
            window.rows.append(&mut rows);
        };
        match anchor {
            Anchor::First => below(rows(None, true, size + 1)?, &mut window),
            Anchor::Last => above(rows(None, false, size + 1)?, &mut window),
            Anchor::After(c) => {
                window.more_above = true;
                below(rows(Some(c), true, size + 1)?, &mut window);
            }
            Anchor::Before(c) => {
                window.more_below = true;
                above(rows(Some(c), false, size + 1)?, &mut window);
            }
            Anchor::Around(c) => {
                above(rows(Some(c), false, size + 1)?, &mut window);
                // Start one row earlier, so that the row at the position is read too.
                let start = window.rows.last().map(Cursor::from);
                below(rows(start, true, size + 1)?, &mut window);
            }
        }
        Ok(window)
    }
}

/// Up to `take` rows beyond a position, nearest first.
fn read(
    conn: &Connection,
    view: &View,
    from: Option<Cursor>,
    forward: bool,
    take: usize,
) -> Result<Vec<ItemRow>> {
    let Some(order) = &view.sources else {
        return phases(view, from, forward, take, |pinned, start, left| {
            phase(conn, view, pinned, start, forward, left)
        });
    };
    let mut keys = order.from(from.map(|c| c.source), forward);
    if let Scope::Sources(scope) = &view.scope {
        let scope: HashSet<i64> = scope.iter().copied().collect();
        keys.retain(|key| scope.contains(key));
    }
    let [all, pinned] = [None, Some(true)].map(|pinned| sources_of(conn, view, pinned));
    let (all, pinned) = (all?, pinned?);
    let mut rows = Vec::new();
    for key in keys.into_iter().filter(|key| all.as_ref().is_none_or(|all| all.contains(key))) {
        let start = from.filter(|c| c.source == key);
        let left = take - rows.len();
        rows.append(&mut phases(view, start, forward, left, |phase, start, left| {
            let known = if phase == Some(true) { pinned.as_ref() } else { None };
            match known.is_none_or(|known| known.contains(&key)) {
                true => select(conn, view, Some(key), phase, start, forward, left),
                false => Ok(Vec::new()),
            }
        })?);
        if rows.len() >= take {
            break;
        }
    }
    Ok(rows)
}

/// Reads the pinned rows separately from the others if the pinned ones are listed first.
fn phases(
    view: &View,
    from: Option<Cursor>,
    forward: bool,
    take: usize,
    mut read: impl FnMut(Option<bool>, Option<Cursor>, usize) -> Result<Vec<ItemRow>>,
) -> Result<Vec<ItemRow>> {
    let phases: &[Option<bool>] = match (view.order, &view.scope, forward) {
        (SortOrder::PinnedNewest | SortOrder::Best, Scope::Pinned, _)
        | (SortOrder::Newest | SortOrder::Oldest, ..) => &[None],
        (SortOrder::PinnedNewest | SortOrder::Best, _, true) => &[Some(true), Some(false)],
        (SortOrder::PinnedNewest | SortOrder::Best, _, false) => &[Some(false), Some(true)],
    };
    let mut rows = Vec::new();
    for &pinned in phases {
        // Phases that the cursor has passed are skipped; later ones start at their first row.
        let start = match (pinned, from) {
            (Some(phase), Some(c)) if phase != c.pinned => {
                if c.pinned != forward {
                    continue;
                }
                None
            }
            (_, from) => from,
        };
        rows.append(&mut read(pinned, start, take - rows.len())?);
        if rows.len() >= take {
            break;
        }
    }
    Ok(rows)
}

/// For folders with more sources than this, the common index is read instead of the index of each source.
pub(super) const MERGED_SOURCES: usize = 200;

fn phase(
    conn: &Connection,
    view: &View,
    pinned: Option<bool>,
    from: Option<Cursor>,
    forward: bool,
    take: usize,
) -> Result<Vec<ItemRow>> {
    let per_source = match &view.scope {
        Scope::Sources(keys)
            if keys.len() <= MERGED_SOURCES && pinned != Some(true) && !view.criteria.few_new =>
        {
            keys.clone()
        }
        _ => return select(conn, view, None, pinned, from, forward, take),
    };
    let mut rows = Vec::new();
    for key in per_source {
        rows.append(&mut select(conn, view, Some(key), pinned, from, forward, take)?);
    }
    let order = |a: &ItemRow, b: &ItemRow| view.compare(&a.into(), &b.into());
    rows.sort_unstable_by(|a, b| if forward { order(a, b) } else { order(b, a) });
    rows.truncate(take);
    Ok(rows)
}

/// The table for reading the rows of a view, with the index that has their order, or without an index if the
/// rows are sorted instead.
pub(super) fn rows_in(view: &View, source: Option<i64>, pinned: Option<bool>) -> String {
    match view.scope {
        Scope::Only(_) => "item i NOT INDEXED".to_owned(),
        _ if view.criteria.few_new && source.is_none() => "item i NOT INDEXED".to_owned(),
        _ => format!("item i INDEXED BY {}", index_of(view, source, pinned)),
    }
}

/// The index that has the rows of a view in order.
pub(super) fn index_of(view: &View, source: Option<i64>, pinned: Option<bool>) -> &'static str {
    let unread = view.unread_only || view.criteria.read == Some(false);
    let only_pinned = pinned == Some(true) || matches!(view.scope, Scope::Pinned);
    match (source, only_pinned, unread) {
        _ if matches!(view.scope, Scope::Later) => "item_later",
        _ if view.criteria.only_hidden => "item_hidden",
        _ if view.criteria.changed == Some(true) => "item_substantial",
        _ if view.criteria.edited == Some(true) => "item_changed",
        (None, true, _) => "item_pinned",
        (Some(_), _, true) => "item_source_unread",
        (Some(_), _, false) => "item_source",
        (None, false, true) => "item_unread",
        (None, false, false) => "item_date",
    }
}

/// Runs one statement that uses one index.
fn select(
    conn: &Connection,
    view: &View,
    source: Option<i64>,
    pinned: Option<bool>,
    from: Option<Cursor>,
    forward: bool,
    take: usize,
) -> Result<Vec<ItemRow>> {
    let from_rows = rows_in(view, source, pinned);
    let mut filter = Filter::default();
    match source {
        Some(key) if matches!(view.scope, Scope::Sources(_)) => filter.bind("i.source = ?", key),
        Some(key) => {
            filter.bind("i.source = ?", key);
            filter.scope(&view.scope);
        }
        None => filter.scope(&view.scope),
    }
    if let Some(pinned) = pinned {
        filter.and(if pinned { "i.pinned = 1" } else { "i.pinned = 0" });
    }
    filter.view(view);
    filter.fold(view);
    let newest_first = (view.order != SortOrder::Oldest) == forward;
    let (compare, direction) = if newest_first { ("<", "DESC") } else { (">", "ASC") };
    if let Some(c) = from {
        filter.and(&format!("(i.date, i.key) {compare} (?, ?)"));
        filter.values.extend([c.date.into(), c.key.into()]);
    }
    filter.values.push(i64::try_from(take).unwrap_or(i64::MAX).into());
    // SQLite recompiles a statement with a plain `LIMIT ?` whenever the number is bound.
    let sql = format!(
        "SELECT {ITEM_ROW} FROM {from_rows} WHERE {} \
         ORDER BY i.date {direction}, i.key {direction} LIMIT ? + 0",
        filter.sql()
    );
    collect(conn, view, &sql, filter.values)
}

/// The newest or best matches of a full-text search, in the order of the view.
fn matches(conn: &Connection, view: &View) -> Result<Window> {
    let mut rows = found(conn, view, None, SEARCH_LIMIT + 1)?;
    let cut = rows.len() > SEARCH_LIMIT;
    rows.truncate(SEARCH_LIMIT);
    let start = view.criteria.title_match.as_ref();
    if let Some(start) = start.filter(|_| !view.is_ranked() && view.sources.is_none()) {
        let mut first = found(conn, view, Some((&start.text, start)), TITLES)?;
        if let Some(inside) = start.inside.as_ref().filter(|_| first.len() < TITLES) {
            let more = found(conn, view, Some((inside, start)), TITLES)?;
            let is_new = |row: &ItemRow| first.iter().all(|first| first.key != row.key);
            let more: Vec<ItemRow> = more.into_iter().filter(is_new).collect();
            first.extend(more);
            first.truncate(TITLES);
        }
        rows.retain(|row| first.iter().all(|first| first.key != row.key));
        rows.extend(first.into_iter().map(|row| ItemRow { by_title: true, ..row }));
    }
    if view.fold {
        fold(&mut rows);
    }
    rows.sort_unstable_by(|a, b| view.compare(&a.into(), &b.into()));
    Ok(Window { rows, cut, ..Window::default() })
}

/// Up to `take` matches of a full-text search: the newest or best ones, or the newest ones with certain
/// titles.
fn found(
    conn: &Connection,
    view: &View,
    title: Option<(&str, &TitleMatch)>,
    take: usize,
) -> Result<Vec<ItemRow>> {
    let mut filter = Filter::default();
    let text = view.criteria.text.as_deref().unwrap_or_default();
    let text = match title {
        Some((start, _)) => format!("{start} AND ({text})"),
        None => text.to_owned(),
    };
    let (from, order) = filter.matching(&text, view);
    if let Some(whole) = title.and_then(|(_, start)| start.whole.as_ref()) {
        filter.bind("fits(?, i.title)", whole.clone());
    }
    filter.scope(&view.scope);
    filter.view(view);
    let (rank, order) = match view.is_ranked() {
        true => (RANK, "rank, t.rowid DESC".to_owned()),
        false => ("", format!("{order} DESC")),
    };
    let sql = format!(
        "SELECT {ITEM_ROW}{rank} FROM {from} WHERE {} ORDER BY {order} LIMIT {take}",
        filter.sql(),
    );
    collect(conn, view, &sql, filter.values)
}

/// Keeps one row of each story, as [`Filter::fold`] does, or the one that is listed first because of its
/// title.
fn fold(rows: &mut Vec<ItemRow>) {
    let mut first: HashMap<i64, (bool, bool, i64, i64)> = HashMap::new();
    let rank = |row: &ItemRow| (!row.by_title, !row.pinned, row.date.timestamp(), row.key);
    for row in rows.iter() {
        let Some(story) = row.story else { continue };
        let best = first.entry(story).or_insert(rank(row));
        *best = rank(row).min(*best);
    }
    rows.retain(|row| row.story.is_none_or(|story| first.get(&story) == Some(&rank(row))));
}

fn collect(conn: &Connection, view: &View, sql: &str, values: Vec<Value>) -> Result<Vec<ItemRow>> {
    let mut statement = conn.prepare_cached(sql)?;
    let read = if view.is_ranked() { ranked_row } else { item_row };
    let rows = statement.query_map(params_from_iter(values), read)?;
    let mut rows: Vec<ItemRow> = rows.collect::<rusqlite::Result<_>>()?;
    if let Some(as_of) = view.criteria.as_of {
        versions::restore_titles(conn, &mut rows, as_of)?;
    }
    Ok(rows)
}
