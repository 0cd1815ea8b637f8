//! Handling many items: selections, parts of lists, and sources with unread items.

use super::dialogs::Confirm;
use super::items::{Placement, Seek, show_mark};
use super::listing::Listing;
use super::position::ListPosition;
use super::settings::setting;
use super::{App, Focus, RowId, Smart};
use crate::config::{Action, FileChange, ListLayout, ListStyle};
use crate::engine::ProcessRole;
use crate::model::ItemRow;
use crate::query::Query;
use crate::store::{Anchor, Beyond, Cursor, Mark, Part, Scope, View};
use crate::tui::effect::{Effect, Purpose};
use crate::tui::event::{Cause, Failure, RequestId};
use crate::tui::read::Read;
use crate::tui::view;
use crate::util::text::counted;

/// Maximum number of items that are marked read without confirmation.
const MANY_READ: usize = 50;

/// Items that are marked read once they are counted, because large numbers need confirmation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Marking {
    /// The action that marks them.
    action: Action,
    /// Describes the list or query.
    about: String,
    view: View,
    part: Part,
}

impl Marking {
    fn effect(self) -> Effect {
        Effect::MarkViewRead { view: self.view, part: self.part }
    }

    /// The question that is asked before many items are marked.
    fn question(self, count: usize) -> Confirm {
        let items = counted(count, "item");
        let question = match self.action {
            Action::ReadAbove => format!("Mark {items} above the selected one as read?"),
            Action::ReadBelow => format!("Mark {items} below the selected one as read?"),
            _ => format!("Mark {items} as read?"),
        };
        Confirm::marking(self.action, question, vec![self.about.clone()], self.effect())
    }
}

/// Which items of a list are selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    All,
    /// The items that were not selected.
    Inverse,
}

impl App {
    /// Adds the row to the selection, or removes it from the selection, and moves down.
    pub(super) fn select(&mut self) -> Vec<Effect> {
        match self.focus {
            Focus::Sources => {
                self.sources.toggle_marked();
                self.show_selected_source()
            }
            Focus::Items => {
                if let Some(key) = self.items.current().map(|r| r.key)
                    && !self.items.marked.remove(&key)
                {
                    self.items.marked.insert(key);
                }
                self.select_item(self.items.selected + 1)
            }
            Focus::Reader => vec![],
        }
    }

    pub(super) fn read_all(&mut self) -> Vec<Effect> {
        if self.focus == Focus::Items && !self.items.marked.is_empty() {
            let rows: Vec<ItemRow> = self.item_targets().into_iter().filter(|r| !r.read).collect();
            self.items.marked.clear();
            return self.set_mark(Mark::Read, &rows, true, Cause::User);
        }
        let marking = self.marking(Action::ReadAll, self.view(), None);
        match self.unread_listed() {
            Some(count) if count <= MANY_READ => vec![marking.effect()],
            Some(count) => self.push_dialog(marking.question(count)),
            None => self.count_unread(marking),
        }
    }

    /// Marks all items of all sources as read.
    pub(super) fn read_everything(&mut self) -> Vec<Effect> {
        let marking = self.marking(Action::ReadEverything, View::of(Scope::All), None);
        self.count_unread(Marking { about: "All sources".to_owned(), ..marking })
    }

    /// Number of items that would change if the list were marked read, if it is known.
    fn unread_listed(&self) -> Option<usize> {
        let items = &self.items;
        // Other items of the same stories are marked too, and may not be in the list.
        if self.settings.ui.mark_stories {
            return None;
        }
        // While a list is being read, its rows may be stale. With `folds`, a row may represent a whole story.
        if items.is_settled() && items.is_complete() && !items.folds {
            return Some(items.rows.iter().filter(|row| !row.read).count());
        }
        let listed = items.listed.as_ref().filter(|_| !self.is_narrowed())?;
        match listed {
            RowId::Smart(Smart::Unread) | RowId::Source(_) | RowId::Folder(_) | RowId::Tag(_) => {
                let row = self.sources.rows.iter().find(|row| row.id == *listed)?;
                usize::try_from(row.count).ok()
            }
            _ => None,
        }
    }

    /// Shows a mark at once and stores it.
    pub(super) fn set_mark(
        &mut self,
        mark: Mark,
        rows: &[ItemRow],
        to: bool,
        cause: Cause,
    ) -> Vec<Effect> {
        self.change_mark(mark, rows.iter().map(|r| r.key).collect(), to, cause)
    }

    /// Like [`Self::set_mark`], but by row keys, for items that may not be in the list.
    pub(super) fn change_mark(
        &mut self,
        mark: Mark,
        keys: Vec<i64>,
        to: bool,
        cause: Cause,
    ) -> Vec<Effect> {
        if self.status.role == ProcessRole::Reads {
            // The user has only read the item and has not requested a change, so no message is needed.
            return match cause {
                Cause::Reading => vec![],
                _ => self.note("Not changed: the database is read-only"),
            };
        }
        let unread_list = self.items.listing.base.unread_only;
        let shown = self.shown_with(&mark, &keys, cause);
        for row in self.items.rows.iter_mut().filter(|r| shown.contains(&r.key)) {
            show_mark(row, &mark, to);
            if unread_list {
                self.items.kept.retain(|k| k.key != row.key);
                if row.read {
                    self.items.kept.push(row.clone());
                }
            }
        }
        let left = self.before_search.iter_mut().flat_map(ListPosition::kept_mut);
        let kept = self.items.kept.iter_mut().chain(left);
        for row in kept.filter(|r| shown.contains(&r.key)) {
            show_mark(row, &mark, to);
        }
        self.reader.show_mark(&mark, &keys, to);
        self.history.mark_shown(&mark, &keys, to);
        vec![Effect::Mark { mark, keys, to, cause }]
    }

    /// The request for marking the items of a view as read, or only those beyond a row.
    fn marking(&self, action: Action, view: View, beyond: Option<Beyond>) -> Marking {
        let part = Part { up_to: self.sources.list.last_key, beyond };
        let about = format!("List: {}", self.items.listing.title);
        Marking { action, about, view, part }
    }

    /// Marks the items above or below the selected one as read.
    pub(super) fn read_beyond(&mut self, action: Action) -> Vec<Effect> {
        let items = &self.items;
        let Some(at) = items.current().map(Cursor::from) else { return vec![] };
        let is_above = action == Action::ReadAbove;
        // All listed rows of a search are in memory. Marks only these, because more items may match than it
        // lists.
        let (view, beyond) = if items.rows_of.criteria.text.is_some() {
            let (above, below) = items.rows.split_at(items.selected);
            let rows = if is_above { above } else { below.get(1..).unwrap_or_default() };
            let scope = Scope::Only(rows.iter().map(|row| row.key).collect());
            (View { fold: items.folds, ..View::of(scope) }, None)
        } else {
            let beyond = if is_above { Beyond::Above(at) } else { Beyond::Below(at) };
            (self.view(), Some(beyond))
        };
        let marking = self.marking(action, view, beyond);
        self.count_unread(marking)
    }

    /// Counts items in order to mark them read.
    fn count_unread(&mut self, marking: Marking) -> Vec<Effect> {
        // One question is enough, no matter how often the key is pressed.
        if self.items.marking.values().any(|counted| *counted == marking) {
            return vec![];
        }
        let request = self.request();
        let (view, part) = (Box::new(marking.view.clone()), marking.part);
        self.items.marking.insert(request, marking);
        vec![Effect::Read(Read::Unread { request, view, part })]
    }

    /// Replaces counting the items with marking them read at once.
    pub(super) fn without_count(&mut self, effect: Effect) -> Effect {
        let marking = match &effect {
            Effect::Read(Read::Unread { request, .. }) => self.items.marking.remove(request),
            _ => None,
        };
        marking.map_or(effect, Marking::effect)
    }

    /// Marks the counted items read, after confirmation if there are many.
    pub(super) fn unread_counted(
        &mut self,
        request: RequestId,
        result: Result<usize, Failure>,
    ) -> Vec<Effect> {
        self.history.change_replied();
        let Some(marking) = self.items.marking.remove(&request) else { return vec![] };
        match result {
            Ok(count) if count <= MANY_READ => {
                let mut effects = vec![marking.effect()];
                effects.extend(self.quit_if_counted());
                effects
            }
            Ok(count) => {
                self.quitting = None;
                self.push_when_free(marking.question(count))
            }
            Err(why) => {
                self.quitting = None;
                self.problem(why)
            }
        }
    }

    /// Marks all items that match a query as read, in all sources.
    pub(super) fn read_matching(&mut self, query: &str) -> Vec<Effect> {
        let missing = || query.trim().is_empty().then(|| "type a query".to_owned());
        if let Some(error) = missing().or_else(|| self.query_error(query)) {
            return self.problem(format!("Nothing was marked: {error}"));
        }
        let view = View { criteria: self.criteria(query), ..View::of(Scope::All) };
        let about = format!("Query: {}, in all sources", query.trim());
        let marking = Marking { about, ..self.marking(Action::ReadMatching, view, None) };
        self.count_unread(marking)
    }

    /// Requests the best unread items of the list that take at most a given number of minutes to read in
    /// total.
    pub(super) fn read_for(&mut self, minutes: &str) -> Vec<Effect> {
        let number = minutes.trim().trim_end_matches("min").trim_end_matches('m').trim_end();
        let minutes = match number.parse::<u32>() {
            Ok(minutes @ 1..=1440) => minutes,
            _ => return self.problem("Enter a number of minutes from 1 to 1440, such as 20"),
        };
        let request = self.request();
        self.items.fitting = Some(request);
        vec![Effect::Read(Read::Fitting { request, view: Box::new(self.view()), minutes })]
    }

    /// Lists the items that fit into the given time.
    pub(super) fn fitting_found(
        &mut self,
        request: RequestId,
        minutes: u32,
        result: Result<Vec<i64>, Failure>,
    ) -> Vec<Effect> {
        if self.items.fitting != Some(request) {
            return vec![];
        }
        self.items.fitting = None;
        let keys = match result {
            Ok(keys) => keys,
            Err(why) => return self.problem(why),
        };
        if keys.is_empty() {
            return self.note(format!("No unread item here can be read in {minutes} min"));
        }
        let base = View { order: self.items.order, ..View::of(Scope::Only(keys.into())) };
        self.focus = Focus::Items;
        let (title, place) =
            (format!("{minutes} min of {}", self.items.listing.title), Query::default());
        let (query, layout) = (String::new(), ListLayout::default());
        if !self.is_narrowed() {
            self.before_search = Some(self.list_position());
        }
        self.show(Listing { title, base, query, place, layout, is_search: false })
    }

    /// Selects all items of the list, or those that were not selected. Rows that are not in memory are read
    /// first.
    pub(super) fn select_extent(&mut self, extent: Extent) -> Vec<Effect> {
        let Some(at) = self.items.current().map(Cursor::from) else { return vec![] };
        if self.items.more_above || self.items.more_below {
            return self.load_items(Anchor::Around(at), Placement::Selecting(extent));
        }
        self.extend_selection(extent)
    }

    /// Selects the loaded items of the list.
    pub(super) fn extend_selection(&mut self, extent: Extent) -> Vec<Effect> {
        let before = std::mem::take(&mut self.items.marked);
        let is_selected = |key: &i64| extent == Extent::All || !before.contains(key);
        self.items.marked = self.items.rows.iter().map(|r| r.key).filter(is_selected).collect();
        let count = self.items.marked.len();
        let more = self.items.more_above || self.items.more_below;
        let rest = if more { "; the list has more than can be selected" } else { "" };
        self.note(format!("{} selected{rest}", counted(count, "item")))
    }

    /// Deselects all items.
    pub(super) fn select_none(&mut self) -> Vec<Effect> {
        self.items.marked.clear();
        vec![]
    }

    /// Selects the items from the nearest selected item to the current one.
    pub(super) fn select_range(&mut self) -> Vec<Effect> {
        let (items, at) = (&self.items, self.items.selected);
        let is_selected = |i: &usize| *i != at && items.marked.contains(&items.rows[*i].key);
        let nearest = (0..items.rows.len()).filter(is_selected).min_by_key(|i| i.abs_diff(at));
        let Some(from) = nearest else {
            return self.note("Select the start of the range first");
        };
        let rows = &items.rows[from.min(at)..=from.max(at)];
        let keys: Vec<i64> = rows.iter().map(|row| row.key).collect();
        self.items.marked.extend(keys);
        vec![]
    }

    /// Shows or hides sources without unread items, and read items in the lists of sources, folders and tags.
    pub(super) fn toggle_unread_only(&mut self) -> Vec<Effect> {
        let on = !self.settings.ui.unread_only;
        let mut effects = self.show_unread_only(on);
        // The label does not mention "All items", which always shows everything.
        let state = if on { "hidden" } else { "shown" };
        let label = format!("read items in sources, folders and tags {state}");
        let purpose = Purpose::Command(Some(label));
        let change = FileChange::Settings(vec![setting(&["ui", "unread_only"], on)]);
        effects.push(Effect::Edit { purpose, change });
        effects
    }

    /// Shows the items in the next list style, and saves it in the settings.
    pub(super) fn change_density(&mut self) -> Vec<Effect> {
        if self.items.listing.layout.list.is_some() {
            return self.note("This view sets its own list density");
        }
        let next = match self.settings.ui.list {
            // Skips the style that is already shown, so that each press has a visible effect.
            ListStyle::Auto if view::list_style(self) == Some(ListStyle::Comfortable) => {
                ListStyle::Compact
            }
            ListStyle::Auto | ListStyle::Compact => ListStyle::Comfortable,
            ListStyle::Comfortable => ListStyle::Magazine,
            ListStyle::Magazine => ListStyle::Auto,
        };
        self.settings.ui.list = next;
        let purpose = Purpose::Command(Some(format!("list density {}", next.name())));
        let change = FileChange::Settings(vec![setting(&["ui", "list"], next.name())]);
        vec![Effect::Edit { purpose, change }]
    }

    /// Hides the Sources pane while it does not have the focus, or shows it again.
    pub(super) fn toggle_sources_pane(&mut self) -> Vec<Effect> {
        let on = !self.settings.ui.sources_pane;
        self.settings.ui.sources_pane = on;
        if !on && self.focus == Focus::Sources {
            self.focus = Focus::Items;
        }
        let label = if on { "the Sources pane is shown" } else { "the Sources pane is hidden" };
        let purpose = Purpose::Command(Some(label.to_owned()));
        let change = FileChange::Settings(vec![setting(&["ui", "sources_pane"], on)]);
        vec![Effect::Edit { purpose, change }]
    }

    /// Applies `ui.unread_only`.
    pub(super) fn show_unread_only(&mut self, on: bool) -> Vec<Effect> {
        let is_narrowed = self.is_narrowed();
        // Closing a search would otherwise return to a list with the previous rows.
        self.before_search = None;
        self.settings.ui.unread_only = on;
        self.sources.set_unread_only(on);
        if is_narrowed { vec![] } else { self.show_selected_source() }
    }

    /// Goes to the next or previous source with unread items, and selects the first of these items.
    pub(super) fn next_unread_source(&mut self, seek: Seek) -> Vec<Effect> {
        let next = self.unread_source_after(seek.forward);
        let Some(key) = next else { return self.start_over(seek) };
        let title = self.sources.entry(key).map(|entry| entry.title().to_owned());
        let effects = self.list_unread_source(key, seek);
        self.note(title.unwrap_or_default());
        effects
    }

    /// The source (row key) whose unread items follow those of the listed one.
    fn unread_source_after(&self, forward: bool) -> Option<i64> {
        match &self.items.listed {
            Some(RowId::Source(key)) if !self.is_narrowed() => {
                self.sources.next_unread_source(Some(*key), forward)
            }
            _ => None,
        }
    }

    /// Whether there may be another unread item after the selected one, or before it.
    pub(crate) fn has_next_unread(&self) -> bool {
        let items = &self.items;
        let is_other = |(at, row): (usize, &ItemRow)| at != items.selected && !row.read;
        items.is_loading()
            || items.more_above
            || items.more_below
            || items.rows.iter().enumerate().any(is_other)
            || self.unread_source_after(true).is_some()
    }

    /// Lists the items of a source, and selects the first unread one.
    fn list_unread_source(&mut self, key: i64, seek: Seek) -> Vec<Effect> {
        self.sources.unfold(key);
        self.sources.select(&RowId::Source(key));
        let effects = self.show_selected_source();
        self.items.seeking = Some(Seek { forward: true, here: true, ..seek });
        effects
    }

    /// Lists the items of the next or previous source with unread items, in the order of the Sources pane.
    pub(super) fn go_to_unread_source(&mut self, forward: bool) -> Vec<Effect> {
        let from = match self.sources.current().map(|row| &row.id) {
            Some(RowId::Source(key)) => Some(*key),
            _ => None,
        };
        let Some(key) = self.sources.next_unread_source(from, forward) else {
            let has_unread = from.and_then(|key| self.sources.entry(key));
            return self.note(match has_unread.is_some_and(|entry| entry.facts.unread > 0) {
                true => "No other source has unread items",
                false => "No source has unread items",
            });
        };
        self.sources.marked.clear();
        self.zen = false;
        if self.focus == Focus::Reader {
            self.focus = Focus::Items;
        }
        self.list_unread_source(key, Seek { forward, here: true, open: false })
    }

    /// After the last unread item of a list, wraps around to the first one.
    fn start_over(&mut self, seek: Seek) -> Vec<Effect> {
        let items = &mut self.items;
        let above = &items.rows[..items.selected.min(items.rows.len())];
        let first = above.iter().position(|row| !row.read);
        if !seek.forward {
            return self.note("No unread items above");
        }
        if first.is_none() && !items.more_above {
            return self.note("No more unread items in this list");
        }
        self.note("Reached the end of the list; continuing from the start");
        if self.items.more_above {
            let effects = self.load_items(Anchor::First, Placement::Start);
            self.items.seeking = Some(Seek { here: true, ..seek });
            return effects;
        }
        let mut effects = self.select_item(first.unwrap_or_default());
        if seek.open {
            effects.extend(self.open_item());
        }
        effects
    }

    /// The error in a query: a syntax error or an unknown name.
    pub(crate) fn query_error(&self, query: &str) -> Option<String> {
        match query.parse() {
            Ok(read) => crate::query::unknown_name(
                &read,
                self.sources.known(),
                &self.sources.list.item_tags,
            )
            .map(|unknown| unknown.message),
            Err(e) => Some(e.to_string()),
        }
    }
}
