//! The Items pane: a window of a list that may have a million rows.

mod total;
mod window;

use super::listing::Listing;
use super::scrolling::Held;
use super::triage::Marking;
use super::{App, Focus, RowId};
use crate::config::{Grouping, ListLayout, MarkRead, SortOrder, UiSettings};
use crate::model::{ItemRow, Time};
use crate::query::{ItemState, Query, What, resolve};
use crate::store::{Anchor, Criteria, Cursor, Mark, Scope, TitleMatch, View};
use crate::tui::effect::Effect;
use crate::tui::event::{Cause, RequestId};
use crate::tui::view::Series;
use crate::util::clock::start_of_day;
use crate::util::text::counted;
use std::collections::{BTreeMap, HashSet};
use total::Total;
use window::MAX_ROWS;
pub(super) use window::Placement;

/// State of the pane.
#[derive(Debug)]
pub(crate) struct ItemsPane {
    pub(crate) listing: Listing,
    pub(crate) rows: Vec<ItemRow>,
    /// Which titles of the rows begin alike.
    pub(crate) series: Series,
    pub(crate) more_above: bool,
    pub(crate) more_below: bool,
    /// Whether the search found more items than can be shown.
    pub(crate) cut: bool,
    pub(crate) selected: usize,
    pub(crate) scroll: usize,
    /// The screen line on which the selected item stays when the list is reloaded.
    pub(crate) held: Option<Held>,
    /// Whether the next reload keeps the scroll position, because the user's action moves an item in the
    /// list.
    pub(super) keeps_scroll: bool,
    /// The item (row key) to which the selection returns once it is in the list again.
    pub(super) restored: Option<i64>,
    /// The selected item (row key), if it was the first one before new items arrived.
    was_first: Option<i64>,
    /// An item that moved to the top of the list while it was open, and the item after its old position (row
    /// keys), where reading continues.
    pub(super) left: Option<(i64, i64)>,
    /// Number of screen rows of an item at the last draw.
    pub(crate) item_height: usize,
    /// Row keys of the selected items.
    pub(crate) marked: HashSet<i64>,
    /// The size of the pane at the last draw, and whether long titles took two rows; `None` for a new list.
    pub(crate) wraps: Option<((u16, u16), bool)>,
    /// Number of visible items at the last draw.
    pub(crate) height: usize,
    /// The item on each line of the screen, for the mouse.
    pub(crate) shown: Vec<Option<usize>>,
    pub(super) order: SortOrder,
    /// The order of full-text searches, if it differs from `order`.
    pub(super) search_order: Option<SortOrder>,
    /// The view, including its order, for which the rows were last read.
    pub(super) rows_of: View,
    /// Whether stories are listed once.
    pub(crate) folds: bool,
    /// The row of the Sources pane whose items are listed.
    pub(super) listed: Option<RowId>,
    /// Rows that stay in the list although its query no longer matches them.
    pub(super) kept: Vec<ItemRow>,
    loading: Option<(RequestId, Placement)>,
    /// Whether the database has changed since the rows were requested.
    outdated: bool,
    /// The pending request for the best unread items.
    pub(super) fitting: Option<RequestId>,
    /// The items that are marked read once they are counted, by pending count request.
    pub(super) marking: BTreeMap<RequestId, Marking>,
    /// The number of items in the list.
    pub(crate) total: Total,
    /// The unread row to select once the rows that are being read have arrived.
    pub(super) seeking: Option<Seek>,
    /// Whether the first row is opened once the list that is being read has arrived.
    pub(super) opening: bool,
}

/// Which unread row to select.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seek {
    pub(super) forward: bool,
    /// Whether the search starts with the selected row, because it is the first one of a new list.
    pub(super) here: bool,
    /// Whether the row is opened.
    pub(super) open: bool,
}

/// The orders of lists and of full-text searches for a setting.
pub(super) fn orders(sort: SortOrder) -> (SortOrder, Option<SortOrder>) {
    match sort {
        SortOrder::Best => (SortOrder::PinnedNewest, Some(sort)),
        _ => (sort, None),
    }
}

impl ItemsPane {
    pub(super) fn new(settings: &UiSettings) -> Self {
        let (order, search_order) = orders(settings.sort);
        let base = View { unread_only: true, order, ..View::of(Scope::All) };
        Self {
            listing: Listing {
                title: "All unread".to_owned(),
                base,
                query: String::new(),
                place: Query::of([What::Is(ItemState::Unread)]),
                layout: ListLayout::default(),
                is_search: false,
            },
            rows: Vec::new(),
            series: Series::default(),
            more_above: false,
            more_below: false,
            cut: false,
            selected: 0,
            scroll: 0,
            held: None,
            keeps_scroll: false,
            restored: None,
            was_first: None,
            left: None,
            item_height: 1,
            marked: HashSet::new(),
            wraps: None,
            height: 20,
            shown: Vec::new(),
            order,
            search_order,
            rows_of: View::of(Scope::All),
            folds: settings.fold_stories,
            listed: None,
            kept: Vec::new(),
            loading: None,
            outdated: false,
            fitting: None,
            marking: BTreeMap::new(),
            total: Total::default(),
            seeking: None,
            opening: false,
        }
    }

    pub(crate) fn current(&self) -> Option<&ItemRow> {
        self.rows.get(self.selected)
    }

    /// Whether all rows are in memory.
    pub(crate) fn is_complete(&self) -> bool {
        !(self.more_above || self.more_below || self.cut)
    }

    /// Whether the list contains all items of its sources, so that their counts are already known.
    pub(crate) fn lists_whole_sources(&self) -> bool {
        let is_whole = matches!(self.listing.base.scope, Scope::All | Scope::Sources(_));
        is_whole && self.listing.query.is_empty() && !self.folds
    }

    /// The order in which the rows are requested.
    pub(super) fn order(&self) -> SortOrder {
        let of_search = self.search_order.filter(|_| !self.listing.query.is_empty());
        self.listing.layout.sort.or(of_search).unwrap_or(self.order)
    }

    /// The order of the rows in memory. Only full-text searches can list the best matches first.
    pub(crate) fn shown_order(&self) -> SortOrder {
        match self.order() {
            SortOrder::Best if !self.rows_of.is_ranked() => SortOrder::PinnedNewest,
            order => order,
        }
    }
}

/// Shows a mark before it is stored.
pub(in crate::tui) fn show_mark(row: &mut ItemRow, mark: &Mark, to: bool) {
    match mark {
        Mark::Read => row.read = to,
        Mark::Pinned => row.pinned = to,
        Mark::Later => row.later = to,
        // Rows do not show these marks; hidden items disappear when the list is reloaded.
        Mark::Queued | Mark::Hidden | Mark::Snoozed(_) | Mark::Tag(_) => {}
    }
}

impl App {
    /// Opens a list from its start.
    pub(super) fn show(&mut self, listing: Listing) -> Vec<Effect> {
        self.items.listing = listing;
        self.items.kept.clear();
        self.items.marked.clear();
        (self.items.seeking, self.items.opening, self.items.fitting) = (None, false, None);
        self.items.restored = None;
        self.load_items(Anchor::First, Placement::Start)
    }

    /// How the items of the list are grouped.
    pub(crate) fn grouping(&self) -> Grouping {
        match self.items.listing.layout.group.unwrap_or(self.settings.ui.group) {
            // The best matches are not ordered by day.
            Grouping::Day if self.items.shown_order() == SortOrder::Best => Grouping::None,
            group => group,
        }
    }

    /// The view with the parsed query.
    pub(super) fn view(&self) -> View {
        let listing = &self.items.listing;
        let mut criteria = self.criteria(&listing.query);
        // The lists of views have a fixed order.
        if self.is_narrowed() {
            criteria.title_match = listing.query.parse().ok().as_ref().and_then(TitleMatch::of);
        }
        let sources = (self.grouping() == Grouping::Source).then(|| self.sources.order());
        let (order, fold) = (self.items.order(), self.items.folds);
        View { criteria, order, sources, fold, ..listing.base.clone() }
    }

    /// Resolves a typed query. An invalid query matches nothing.
    pub(super) fn criteria(&self, query: &str) -> Criteria {
        let now = self.now.with_timezone(&chrono::Local);
        let ready =
            |query| Criteria::new(&query, now, |named| resolve(named, self.sources.known()));
        query.parse().map_or_else(|_| Criteria::nothing(), ready)
    }

    /// Moves the selection and loads more rows near the ends.
    pub(super) fn select_item(&mut self, index: usize) -> Vec<Effect> {
        let items = &mut self.items;
        let last = items.rows.len().saturating_sub(1);
        let wanted = index;
        items.selected = index.min(last);
        (items.held, items.seeking, items.left, items.restored) = (None, None, None, None);
        if items.loading.is_some() || items.rows.is_empty() {
            return vec![];
        }
        let edge = items.height.max(10);
        if items.more_below && wanted + edge > last {
            let at = Cursor::from(&items.rows[last]);
            return self.load_items(Anchor::After(at), Placement::Below);
        }
        if items.more_above && wanted < edge {
            let at = Cursor::from(&items.rows[0]);
            return self.load_items(Anchor::Before(at), Placement::Above);
        }
        vec![]
    }

    pub(super) fn first_item(&mut self) -> Vec<Effect> {
        if self.items.more_above {
            return self.load_items(Anchor::First, Placement::Start);
        }
        (self.items.selected, self.items.held) = (0, None);
        vec![]
    }

    pub(super) fn last_item(&mut self) -> Vec<Effect> {
        if self.items.more_below {
            return self.load_items(Anchor::Last, Placement::End);
        }
        self.items.selected = self.items.rows.len().saturating_sub(1);
        self.items.held = None;
        vec![]
    }

    /// With `ui.mark_read = "scroll"`, marks the items that the selection has passed while moving down.
    pub(super) fn pass_items(&mut self, from: usize) -> Vec<Effect> {
        if self.settings.ui.mark_read != MarkRead::Scroll || self.items.awaits_rows() {
            return vec![];
        }
        let passed = self.items.rows.get(from..self.items.selected).unwrap_or_default();
        let rows: Vec<ItemRow> = passed.iter().filter(|row| !row.read).cloned().collect();
        if rows.is_empty() {
            return vec![];
        }
        self.set_mark(Mark::Read, &rows, true, Cause::Reading)
    }

    /// Goes to the next or previous unread item, and opens it if the Reader has the focus.
    pub(super) fn next_unread(&mut self, forward: bool) -> Vec<Effect> {
        // From the Sources pane, select the first unread item of the list.
        let here = self.focus == Focus::Sources;
        if here {
            self.focus = Focus::Items;
        }
        self.seek_unread(Seek { forward, here, open: self.focus == Focus::Reader })
    }

    /// Selects an unread row, reading more rows if necessary. After the last unread row, goes to the next
    /// source.
    pub(super) fn seek_unread(&mut self, seek: Seek) -> Vec<Effect> {
        let items = &mut self.items;
        if items.is_loading() {
            // The rows still belong to the previous list.
            items.seeking = Some(seek);
            return vec![];
        }
        let next = items.after_old_place();
        let at = next.unwrap_or(items.selected).min(items.rows.len());
        let is_here = seek.here || next.is_some();
        let is_unread = |i: &usize| !items.rows[*i].read;
        let found = match seek.forward {
            true => (at + usize::from(!is_here)..items.rows.len()).find(is_unread),
            false => (0..at).rev().find(is_unread),
        };
        if let Some(index) = found {
            let mut effects = self.select_item(index);
            if seek.open {
                effects.extend(self.open_item());
            }
            return effects;
        }
        let more = if seek.forward { items.more_below } else { items.more_above };
        if more && items.loading.is_some() {
            items.seeking = Some(seek);
            return vec![];
        }
        // Rows beyond the maximum would be dropped at once and then read again, in an endless loop.
        if more && items.rows.len() >= MAX_ROWS {
            let beyond = if seek.forward { items.rows.len().saturating_sub(at + 1) } else { at };
            let side = if seek.forward { "next" } else { "previous" };
            return self.note(format!("No unread items in the {side} {}", counted(beyond, "item")));
        }
        let end = if seek.forward { items.rows.last() } else { items.rows.first() };
        match end.map(Cursor::from).filter(|_| more) {
            Some(at) => {
                items.seeking = Some(seek);
                let (anchor, placement) = match seek.forward {
                    true => (Anchor::After(at), Placement::Below),
                    false => (Anchor::Before(at), Placement::Above),
                };
                self.load_items(anchor, placement)
            }
            None if seek.here => self.note("No unread items left here"),
            None => self.next_unread_source(seek),
        }
    }

    /// The items that an action applies to: the selection, or else the current item; in the Reader, the open
    /// item. Empty while these items are being read.
    pub(super) fn item_targets(&self) -> Vec<ItemRow> {
        match self.focus {
            Focus::Reader => self.read_item().cloned().into_iter().collect(),
            _ if self.awaits_targets() => vec![],
            _ => self.shown_targets(),
        }
    }

    /// Whether the items that an action would apply to are still being read, while the screen shows other
    /// items.
    pub(super) fn awaits_targets(&self) -> bool {
        match self.focus {
            Focus::Reader => self.reader.next().is_some() && self.read_item().is_none(),
            _ => self.items.awaits_rows(),
        }
    }

    /// Like [`Self::item_targets`], but always the items on the screen; for drawing.
    pub(super) fn shown_targets(&self) -> Vec<ItemRow> {
        if self.focus == Focus::Reader {
            return self.reader.row().cloned().into_iter().collect();
        }
        if self.items.marked.is_empty() {
            return self.items.current().cloned().into_iter().collect();
        }
        let marked = |r: &&ItemRow| self.items.marked.contains(&r.key);
        self.items.rows.iter().filter(marked).cloned().collect()
    }

    /// Keeps an opened item in a list whose query may no longer match it.
    pub(super) fn keep_opened(&mut self, row: ItemRow) {
        if !self.items.listing.query.is_empty() && self.items.kept.iter().all(|k| k.key != row.key)
        {
            let listed = self.items.rows.iter().find(|listed| listed.key == row.key);
            let (rank, by_title) = listed.map_or((0, false), |row| (row.rank, row.by_title));
            let row = ItemRow { changed: false, substantial: false, rank, by_title, ..row };
            self.items.kept.push(row);
        }
    }
}

impl ItemsPane {
    /// Returns the selection to an item (row key) whose change is being undone. The item may move in the
    /// list, or only appear once the list is reloaded.
    pub(in crate::tui) fn restore(&mut self, key: i64) {
        if let Some(at) = self.rows.iter().position(|row| row.key == key) {
            (self.selected, self.held, self.seeking, self.left) = (at, None, None, None);
        }
        self.restored = Some(key);
    }

    /// The row below the old position of the selected item, if the user's action has moved the item to the
    /// top.
    pub(super) fn after_old_place(&self) -> Option<usize> {
        let current = self.current()?.key;
        let (_, next) = self.left.filter(|(moved, _)| *moved == current)?;
        self.rows.iter().position(|row| row.key == next)
    }
}

/// The start of the user's day.
pub(crate) fn midnight(now: Time) -> Time {
    let today = now.with_timezone(&chrono::Local).date_naive();
    start_of_day(today, &chrono::Local).unwrap_or(now)
}
