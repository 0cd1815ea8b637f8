//! All rows of a list, or those above or below one row: returns their keys, and marks them read.

use super::error::Result;
use super::filter::Filter;
use super::reader::Reader;
use super::view::{Cursor, Scope, View};
use crate::config::SortOrder;
use rusqlite::{Connection, params_from_iter};

impl Reader {
    /// The row keys of a view.
    pub fn keys(&self, view: &View) -> Result<Vec<i64>> {
        keys(&self.conn, view)
    }
}

impl Reader {
    /// Number of items that would change if a part of a view were marked as read. `stories` as in
    /// [`Store::mark_view_read`](super::Store::mark_view_read).
    pub fn unread_in(&self, view: &View, part: Part, stories: bool) -> Result<usize> {
        let view = &*view.by_source(&self.conn)?;
        let filter = changed_in(view, part, stories);
        let sql = format!("SELECT count(*) FROM item i WHERE {}", filter.sql());
        let mut statement = self.conn.prepare(&sql)?;
        let count: i64 = statement.query_row(params_from_iter(filter.values), |r| r.get(0))?;
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
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

/// The condition on the items that are changed by marking a part of a view as read: its unread rows and, with
/// `stories`, the others of their stories. Marking the row of a folded story marks the whole story.
fn changed_in(view: &View, part: Part, stories: bool) -> Filter {
    let mut filter = rows_of(view, Some(part));
    // A whole list includes its folded rows, but a selection includes only the rows that are shown.
    let folded = view.fold && (part.beyond.is_some() || matches!(view.scope, Scope::Only(_)));
    match folded {
        // A story belongs to the part of the view in which its item is listed.
        true => filter.fold(view),
        false => filter.and("i.read = 0"),
    }
    if folded || stories {
        filter = filter.with_stories();
        filter.and("i.read = 0");
    }
    filter
}

fn keys_of(conn: &Connection, filter: Filter) -> Result<Vec<i64>> {
    let sql = format!("SELECT i.key FROM item i WHERE {}", filter.sql());
    let mut statement = conn.prepare(&sql)?;
    let keys = statement.query_map(params_from_iter(filter.values), |r| r.get(0))?;
    Ok(keys.collect::<rusqlite::Result<_>>()?)
}

/// The rows of a view to mark as read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The highest row key that counts, so that items that have just arrived remain unread.
    pub up_to: i64,
    /// Only the rows above or below a position; `None` for all rows.
    pub beyond: Option<Beyond>,
}

/// The rows on one side of a position, without the row at the position.
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

/// Marks a part of a view as read; returns the row keys of the items that changed. With `stories`, also marks
/// the other items of their stories.
pub(super) fn mark_read(
    conn: &Connection,
    view: &View,
    part: Part,
    stories: bool,
) -> Result<Vec<i64>> {
    let view = &*view.by_source(conn)?;
    let filter = changed_in(view, part, stories);
    let sql = format!("UPDATE item AS i SET read = 1 WHERE {} RETURNING key", filter.sql());
    let mut statement = conn.prepare(&sql)?;
    let keys = statement.query_map(params_from_iter(filter.values), |r| r.get(0))?;
    Ok(keys.collect::<rusqlite::Result<_>>()?)
}
