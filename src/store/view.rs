//! Windows onto item lists: keyset paging over a matching index, never OFFSET, never COUNT.

use super::condition::Condition;
use super::criteria::Criteria;
use super::error::Result;
use super::filter::Filter;
use super::reader::Reader;
use super::rows::{ITEM_ROW, item_row};
use super::source_order::{SourceOrder, sources_of};
use super::versions;
use crate::config::SortOrder;
use crate::model::ItemRow;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// The items of a list before any query.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Scope {
    All,
    /// The items of these sources (row keys).
    Sources(Vec<i64>),
    /// Items dated at or after this moment, in seconds since the epoch.
    Since(i64),
    Pinned,
    /// Items kept for later.
    Later,
}

/// One list: its content and order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct View {
    pub scope: Scope,
    /// Whether read items are excluded.
    pub unread_only: bool,
    /// The query.
    pub criteria: Criteria,
    pub order: SortOrder,
    /// The order of the sources, if the items are grouped by source. `order` applies within each.
    pub sources: Option<SourceOrder>,
    /// Whether only one item of each story is listed: a pinned one, else the earliest in the list.
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
    /// Whether the list must be empty; there is no index for this case.
    pub(super) fn is_void(&self) -> bool {
        let none = |keys: &Vec<i64>| keys.is_empty();
        self.criteria.nothing
            || self.criteria.sources.as_ref().is_some_and(none)
            || matches!(&self.scope, Scope::Sources(keys) if keys.is_empty())
    }

    /// The same rows as a list of sources, each with its own index, if a query names sources, or a
    /// tag that no item has.
    pub(super) fn by_source(&self, conn: &Connection) -> Result<Cow<'_, Self>> {
        let Some((form, keys)) = &self.criteria.tagged else { return Ok(self.of_sources()) };
        let mut criteria = Criteria { tagged: None, ..self.criteria.clone() };
        let mut used =
            conn.prepare_cached("SELECT EXISTS (SELECT 1 FROM item_tag WHERE form = ?1)")?;
        if used.query_row([form], |r| r.get(0))? {
            criteria.conditions.push(Condition::Tagged(form.clone(), keys.clone()));
        } else {
            let named = criteria.sources.take().unwrap_or_else(|| keys.clone());
            criteria.sources = Some(named.into_iter().filter(|key| keys.contains(key)).collect());
        }
        let view = Self { criteria, ..self.clone() };
        Ok(Cow::Owned(view.of_sources().into_owned()))
    }

    fn of_sources(&self) -> Cow<'_, Self> {
        let Some(named) = &self.criteria.sources else { return Cow::Borrowed(self) };
        let mut keys = named.clone();
        let mut criteria = Criteria { sources: None, ..self.criteria.clone() };
        match &self.scope {
            Scope::All => {}
            Scope::Since(date) => {
                criteria.after = Some(criteria.after.map_or(*date, |after| after.max(*date)));
            }
            Scope::Sources(scope) => keys.retain(|key| scope.contains(key)),
            Scope::Pinned | Scope::Later => return Cow::Borrowed(self),
        }
        keys.sort_unstable();
        keys.dedup();
        Cow::Owned(Self { scope: Scope::Sources(keys), criteria, ..self.clone() })
    }
}

/// The position of a row in its list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    pub(super) pinned: bool,
    pub(super) source: i64,
    date: i64,
    key: i64,
}

impl From<&ItemRow> for Cursor {
    fn from(row: &ItemRow) -> Self {
        Self {
            pinned: row.pinned,
            source: row.source_key,
            date: row.date.timestamp(),
            key: row.key,
        }
    }
}

impl Cursor {
    /// How two rows are ordered in a list without groups.
    pub(super) fn by_date(&self, other: &Self, order: SortOrder) -> Ordering {
        let newest = (other.date, other.key).cmp(&(self.date, self.key));
        match order {
            SortOrder::PinnedNewest => other.pinned.cmp(&self.pinned).then(newest),
            SortOrder::Newest => newest,
            SortOrder::Oldest => newest.reverse(),
        }
    }
}

/// The position of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    First,
    Last,
    /// Rows below this one, exclusive.
    After(Cursor),
    /// Rows above this one, exclusive.
    Before(Cursor),
    /// Around a position, whether its row still exists or not.
    Around(Cursor),
}

/// Consecutive rows of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Window {
    /// In the order of the list.
    pub rows: Vec<ItemRow>,
    /// Whether there are more rows above.
    pub more_above: bool,
    /// Whether there are more rows below.
    pub more_below: bool,
    /// A search found more than [`SEARCH_LIMIT`]; the older matches cannot be paged to.
    pub cut: bool,
}

/// Maximum rows of a full-text search; the most recently discovered matches come first.
pub const SEARCH_LIMIT: usize = 1000;

impl Reader {
    /// `size` rows of a list at an anchor, twice as many around a cursor.
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
                // One step back, so that the row at the position itself is read too.
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

/// Reads the pinned rows and the others one after the other, where the pinned ones are on top.
fn phases(
    view: &View,
    from: Option<Cursor>,
    forward: bool,
    take: usize,
    mut read: impl FnMut(Option<bool>, Option<Cursor>, usize) -> Result<Vec<ItemRow>>,
) -> Result<Vec<ItemRow>> {
    let phases: &[Option<bool>] = match (view.order, &view.scope, forward) {
        (SortOrder::PinnedNewest, Scope::Pinned, _)
        | (SortOrder::Newest | SortOrder::Oldest, ..) => &[None],
        (SortOrder::PinnedNewest, _, true) => &[Some(true), Some(false)],
        (SortOrder::PinnedNewest, _, false) => &[Some(false), Some(true)],
    };
    let mut rows = Vec::new();
    for &pinned in phases {
        // Phases that the cursor has passed are skipped; later ones start at their edge.
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

/// Folders of more sources than this read the common index instead of one per source.
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
        Scope::Sources(keys) if keys.len() <= MERGED_SOURCES && pinned != Some(true) => {
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

/// One statement over one index.
fn select(
    conn: &Connection,
    view: &View,
    source: Option<i64>,
    pinned: Option<bool>,
    from: Option<Cursor>,
    forward: bool,
    take: usize,
) -> Result<Vec<ItemRow>> {
    let index = index_of(view, source, pinned);
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
    let sql = format!(
        "SELECT {ITEM_ROW} FROM item i INDEXED BY {index} WHERE {} \
         ORDER BY i.date {direction}, i.key {direction} LIMIT ?",
        filter.sql()
    );
    collect(conn, view, &sql, filter.values)
}

/// The newest matches of a full-text search, in the order of the view.
fn matches(conn: &Connection, view: &View) -> Result<Window> {
    let mut filter = Filter::default();
    let (from, order) = filter.matching(view.criteria.text.as_deref().unwrap_or_default(), view);
    filter.scope(&view.scope);
    filter.view(view);
    let sql = format!(
        "SELECT {ITEM_ROW} FROM {from} WHERE {} ORDER BY {order} DESC LIMIT {}",
        filter.sql(),
        SEARCH_LIMIT + 1
    );
    let mut rows = collect(conn, view, &sql, filter.values)?;
    let cut = rows.len() > SEARCH_LIMIT;
    rows.truncate(SEARCH_LIMIT);
    if view.fold {
        fold(&mut rows);
    }
    rows.sort_unstable_by(|a, b| view.compare(&a.into(), &b.into()));
    Ok(Window { rows, cut, ..Window::default() })
}

/// Leaves one row of each story, as [`Filter::fold`] does.
fn fold(rows: &mut Vec<ItemRow>) {
    let mut first: HashMap<i64, (bool, i64, i64)> = HashMap::new();
    let rank = |row: &ItemRow| (!row.pinned, row.date.timestamp(), row.key);
    for row in rows.iter() {
        let Some(story) = row.story else { continue };
        let best = first.entry(story).or_insert(rank(row));
        *best = rank(row).min(*best);
    }
    rows.retain(|row| row.story.is_none_or(|story| first.get(&story) == Some(&rank(row))));
}

fn collect(conn: &Connection, view: &View, sql: &str, values: Vec<Value>) -> Result<Vec<ItemRow>> {
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map(params_from_iter(values), item_row)?;
    let mut rows: Vec<ItemRow> = rows.collect::<rusqlite::Result<_>>()?;
    if let Some(as_of) = view.criteria.as_of {
        versions::restore_titles(conn, &mut rows, as_of)?;
    }
    Ok(rows)
}

impl Reader {
    /// The row keys of a view.
    pub fn keys(&self, view: &View) -> Result<Vec<i64>> {
        keys(&self.conn, view)
    }
}

pub(super) fn keys(conn: &Connection, view: &View) -> Result<Vec<i64>> {
    let view = &*view.by_source(conn)?;
    if view.is_void() {
        return Ok(Vec::new());
    }
    keys_of(conn, rows_of(view, None))
}

/// The condition on the rows of a view, or of a part of it.
fn rows_of(view: &View, part: Option<Part>) -> Filter {
    let mut filter = Filter::default();
    if let Some(part) = part {
        part.filter(view, &mut filter);
    }
    if let Some(text) = &view.criteria.text {
        filter.text(text, view.criteria.versions, "");
    }
    filter.scope(&view.scope);
    filter.view(view);
    filter
}

fn keys_of(conn: &Connection, filter: Filter) -> Result<Vec<i64>> {
    let sql = format!("SELECT i.key FROM item i WHERE {}", filter.sql());
    let mut statement = conn.prepare(&sql)?;
    let keys = statement.query_map(params_from_iter(filter.values), |r| r.get(0))?;
    Ok(keys.collect::<rusqlite::Result<_>>()?)
}

/// The rows of a view that are marked read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The highest row key, so that items that have just arrived stay unread.
    pub up_to: i64,
    /// Only the rows above or below a position; `None`: all.
    pub beyond: Option<Beyond>,
}

/// The rows on one side of a position, without the row there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beyond {
    Above(Cursor),
    Below(Cursor),
}

impl Part {
    /// All rows up to and including a row key.
    pub fn up_to(key: i64) -> Self {
        Self { up_to: key, beyond: None }
    }

    fn filter(self, view: &View, filter: &mut Filter) {
        filter.bind("i.key <= ?", self.up_to);
        let (cursor, above) = match self.beyond {
            None => return,
            Some(Beyond::Above(cursor)) => (cursor, true),
            Some(Beyond::Below(cursor)) => (cursor, false),
        };
        let newer = above != (view.order == SortOrder::Oldest);
        let position = format!("(i.date, i.key) {} (?, ?)", if newer { ">" } else { "<" });
        let beyond = match (view.order, cursor.pinned, above) {
            (SortOrder::Newest | SortOrder::Oldest, ..) => position,
            (_, true, true) => format!("i.pinned = 1 AND {position}"),
            (_, true, false) => format!("(i.pinned = 0 OR {position})"),
            (_, false, true) => format!("(i.pinned = 1 OR {position})"),
            (_, false, false) => format!("i.pinned = 0 AND {position}"),
        };
        filter.and(&match &view.sources {
            None => beyond,
            Some(order) => order.beyond(cursor.source, above, &beyond),
        });
        filter.values.extend([cursor.date.into(), cursor.key.into()]);
    }
}

/// The row keys of the listed items in a part of a view: of each story the one that stands for it.
pub(super) fn listed(conn: &Connection, view: &View, part: Part) -> Result<Vec<i64>> {
    let view = &*view.by_source(conn)?;
    let mut filter = rows_of(view, Some(part));
    filter.fold(view);
    keys_of(conn, filter)
}

/// Marks rows of a view read; returns their keys.
pub(super) fn mark_read(conn: &Connection, view: &View, part: Part) -> Result<Vec<i64>> {
    let view = &*view.by_source(conn)?;
    let mut filter = rows_of(view, Some(part));
    filter.and("i.read = 0");
    let sql = format!("UPDATE item AS i SET read = 1 WHERE {} RETURNING key", filter.sql());
    let mut statement = conn.prepare(&sql)?;
    let keys = statement.query_map(params_from_iter(filter.values), |r| r.get(0))?;
    Ok(keys.collect::<rusqlite::Result<_>>()?)
}
