//! Search and filter: a field at the bottom, and a list that is narrowed while the user types.

use super::complete::Completion;
use super::dialogs::{Dialog, KeyHint, KeyHints, Reply};
use super::listing::Listing;
use super::position::ListPosition;
use super::{App, Focus};
use crate::config::{Key, ListLayout, SortOrder};
use crate::query::{Missing, Query, QueryErrorKind, Unclosed, unclosed};
use crate::store::{Scope, View};
use crate::tui::effect::Effect;
use crate::tui::input::Field;
use crate::tui::read::Read;
use crate::tui::view::{self, DialogArea};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;

/// State of the field.
#[derive(Debug, Clone)]
pub(crate) struct SearchBar {
    pub(crate) field: Field,
    /// Whether this filters the current list instead of searching all items.
    pub(crate) is_filter: bool,
    pub(crate) completion: Option<Completion>,
    /// The error in the query; the list shows the items of its valid conditions.
    pub(crate) error: Option<String>,
    /// Whether only invalid or unfinished conditions are typed, so that the list is still the previous one.
    pub(crate) lists_previous: bool,
    /// Whether Enter was pressed despite the error.
    pub(crate) insisted: bool,
    /// Whether the results are ordered by best match, if they can be.
    is_best: Option<bool>,
    /// The part of the query that is not closed yet, unless Enter was pressed again to search as typed.
    unclosed: Option<Unclosed>,
    /// The previous list, restored by Esc.
    before: ListPosition,
    /// Whether `before` is the list of a row in the Sources pane, so that closing the search returns to it.
    returns: bool,
    focus: Focus,
    zen: bool,
    /// The displayed number of items in the list that a filter narrows.
    pub(crate) total: Option<String>,
}

impl Dialog for SearchBar {
    fn key(&mut self, app: &mut App, event: KeyEvent, _key: Key) -> Reply {
        let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
        match event.code {
            KeyCode::Esc => self.escape(app),
            KeyCode::Enter => self.confirm(app),
            KeyCode::Tab => self.complete(app, true).into(),
            KeyCode::BackTab => self.complete(app, false).into(),
            KeyCode::Down => app.select_item(app.items.selected + 1).into(),
            KeyCode::Up => app.select_item(app.items.selected.saturating_sub(1)).into(),
            KeyCode::Char('s') if ctrl => match self.is_invalid() || self.unclosed.is_some() {
                true => self.confirm(app),
                false => {
                    let mut effects = self.list_as_typed(app);
                    effects.extend(app.name_view());
                    Reply::close(effects)
                }
            },
            KeyCode::Char('t') if ctrl => self.toggle_titles(app).into(),
            KeyCode::Char('o') if ctrl => self.toggle_order(app).into(),
            _ => self.type_key(app, event),
        }
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::search::search(app, frame, self, area);
    }

    fn hints(&self) -> KeyHints {
        const ENTER: KeyHint = KeyHint::Key("Enter", "results");
        const TAB: KeyHint = KeyHint::Key("Tab", "complete");
        const TITLES: KeyHint = KeyHint::Key("C-t", "titles only");
        const BACK: KeyHint = KeyHint::Key("Esc", "back");
        match self.is_best {
            None => &[ENTER, TAB, TITLES, BACK],
            Some(false) => &[ENTER, KeyHint::Key("C-o", "best match"), TAB, TITLES, BACK],
            Some(true) => &[ENTER, KeyHint::Key("C-o", "by date"), TAB, TITLES, BACK],
        }
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }

    /// Lists the items of the typed query and updates the completion.
    fn typed(&mut self, app: &mut App) -> Vec<Effect> {
        self.completion = app.complete_query(&self.field, false);
        self.list(app)
    }

    fn is_line(&self) -> bool {
        true
    }
}

impl SearchBar {
    /// Lists the items of the typed query. Unfinished conditions are ignored; if no others are typed, the
    /// previous list is shown.
    fn list(&mut self, app: &mut App) -> Vec<Effect> {
        let typed = self.field.value();
        (self.error, self.insisted) = (app.query_error(typed), false);
        self.unclosed = unclosed(typed);
        // Other errors are more important.
        let parsed = typed.parse::<Query>();
        let is_other = parsed.is_err_and(|e| e.kind != QueryErrorKind::Unclosed);
        self.unclosed.take_if(|_| is_other);
        if let Some(unclosed) = self.unclosed {
            self.error = Some(unclosed.hint().to_owned());
        }
        // Text such as `/etc` may be the start of a pattern, but is searched as a path until a `/` closes it.
        self.unclosed.take_if(|unclosed| unclosed.missing == Missing::SlashOfPath);
        let query = finished(typed);
        let effects = self.list_query(app, query);
        self.is_best = app.best_first();
        effects
    }

    fn list_query(&mut self, app: &mut App, query: Option<String>) -> Vec<Effect> {
        self.lists_previous = query.is_none();
        let Some(query) = query else {
            let (before, now) = (&self.before.listing, &app.items.listing);
            let is_shown = before.is_search == now.is_search
                && before.title == now.title
                && before.query == now.query;
            return if is_shown { vec![] } else { app.return_to(self.before.clone()) };
        };
        if app.is_search() && query == app.items.listing.query {
            return vec![];
        }
        let base = View { order: app.items.order, ..View::of(Scope::All) };
        app.show(match self.is_filter {
            true => Listing { query, ..self.before.listing.clone() },
            false => Listing {
                title: "Search".to_owned(),
                base,
                query,
                place: Query::default(),
                layout: ListLayout::default(),
                is_search: true,
            },
        })
    }

    fn complete(&mut self, app: &mut App, forward: bool) -> Vec<Effect> {
        let completion = self.completion.take().or_else(|| app.complete_query(&self.field, true));
        let Some(mut completion) = completion else { return vec![] };
        completion.step(&mut self.field, forward);
        // If there is only one candidate, the completion ends. After an operator, it continues with the
        // operator's values.
        self.completion = match completion.candidates.len() {
            1 => app.complete_query(&self.field, false),
            _ => Some(completion),
        };
        self.list(app)
    }

    /// Switches between searching only titles and searching texts too.
    fn toggle_titles(&mut self, app: &mut App) -> Vec<Effect> {
        let Ok(query) = self.field.value().parse::<Query>() else { return vec![] };
        self.field = Field::new(&query.toggle_titles().to_string());
        self.typed(app)
    }

    /// Lists the best match first, or returns to the order in which the search began.
    fn toggle_order(&mut self, app: &mut App) -> Vec<Effect> {
        let effects = match self.is_best {
            None => vec![],
            Some(false) => app.sort_as(SortOrder::Best),
            Some(true) => app.sort_as(app.neighbour_order(false)),
        };
        self.is_best = app.best_first();
        effects
    }

    /// Handles Esc: restores the text that was typed before a completion, or else the previous list.
    fn escape(&mut self, app: &mut App) -> Reply {
        match self.completion.take_if(|completion| completion.applied.is_some()) {
            Some(completion) => {
                completion.restore_typed(&mut self.field);
                self.list(app).into()
            }
            None => self.cancel(app),
        }
    }

    fn cancel(&self, app: &mut App) -> Reply {
        (app.focus, app.zen) = (self.focus, self.zen);
        Reply::close(app.return_to(self.before.clone()))
    }

    /// If Enter was pressed again, lists the items of the query as typed, including its unclosed part.
    fn list_as_typed(&mut self, app: &mut App) -> Vec<Effect> {
        let query = self.field.value().to_owned();
        match self.insisted {
            true => self.list_query(app, Some(query)),
            false => vec![],
        }
    }

    fn is_invalid(&self) -> bool {
        self.error.is_some() && self.field.value().parse::<Query>().is_err()
    }

    /// Handles Enter: keeps the narrowed list. An invalid query stays in the field, so that the user can
    /// correct it.
    fn confirm(&mut self, app: &mut App) -> Reply {
        if let Some(unclosed) = self.unclosed.take() {
            self.insisted = true;
            let way = match self.field.value().parse::<Query>() {
                Ok(_) => "; Enter searches for the text as typed",
                Err(_) if unclosed.missing == Missing::Condition => "",
                Err(_) => ", or quote the text",
            };
            self.error = Some(format!("{}{way}", unclosed.message()));
            // The next Enter refuses an invalid query again.
            self.unclosed = Some(unclosed).filter(|_| self.is_invalid());
            return Reply::default();
        }
        if self.is_invalid() {
            self.insisted = true;
            return Reply::default();
        }
        let is_empty = self.field.value().trim().is_empty() && !self.is_filter;
        if is_empty {
            return self.cancel(app);
        }
        let effects = self.list_as_typed(app);
        if self.returns {
            app.before_search = Some(self.before.clone());
        }
        Reply::close(effects)
    }
}

/// A typed query without its unfinished and invalid conditions; `None` if nothing is left.
fn finished(typed: &str) -> Option<String> {
    let mut rest = typed.to_owned();
    // An unclosed phrase can be searched as soon as it has words, and a path can be searched too.
    let is_text = |unclosed: &Unclosed| match unclosed.missing {
        Missing::Quote => !typed.ends_with('"'),
        missing => missing == Missing::SlashOfPath,
    };
    if let Some(unclosed) = unclosed(typed).filter(|unclosed| !is_text(unclosed)) {
        rest.truncate(unclosed.at);
    }
    for _ in 0..MAX_ERRORS {
        let Err(e) = rest.parse::<Query>() else {
            return match rest.trim() {
                // An empty search lists everything.
                _ if rest == typed => Some(rest),
                "" => None,
                other => Some(other.to_owned()),
            };
        };
        let end = if e.kind == QueryErrorKind::Unclosed { rest.len() } else { e.at.end };
        rest.replace_range(e.at.start..end, " ");
    }
    None
}

impl App {
    pub(super) fn open_search(&mut self, is_filter: bool) -> Vec<Effect> {
        let before = self.list_position();
        let now = &before.listing;
        // A search starts with the text of the previous one.
        let text = if is_filter || self.is_search() { now.query.clone() } else { String::new() };
        // A filter of a view extends the view's query.
        let adds = is_filter && !self.is_narrowed() && !text.is_empty();
        let whole = match self.is_narrowed() {
            true => self.before_search.as_ref().filter(|_| !self.is_search()),
            false => Some(&before),
        };
        let total = whole.and_then(ListPosition::count).map(str::to_owned);
        let bar = SearchBar {
            // The text is a suggestion, so that the user can read, correct or replace the words of the last
            // search.
            field: if adds { Field::new(&format!("{text} ")) } else { Field::suggestion(&text) },
            is_filter,
            completion: None,
            error: None,
            lists_previous: false,
            insisted: false,
            is_best: self.best_first(),
            unclosed: None,
            before,
            returns: !self.is_narrowed(),
            focus: self.focus,
            zen: self.zen,
            total: total.filter(|_| is_filter),
        };
        self.focus = Focus::Items;
        self.zen = false;
        let mut effects = self.push_dialog(bar);
        effects.push(Effect::Read(Read::Values));
        effects
    }

    /// Closes a search or a filter, and returns to the position where the user left the list.
    pub(super) fn close_search(&mut self) -> Vec<Effect> {
        match self.before_search.take() {
            // The listing of the row may have changed in the meantime.
            Some(mut position) => match self.sources.current().map(|row| self.listing_of(row)) {
                Some(listing) => {
                    position.listing = listing;
                    self.return_to(position)
                }
                None => self.show_selected_source(),
            },
            None => self.show_selected_source(),
        }
    }

    /// Whether the field of a search is open and nothing is typed yet.
    pub(crate) fn is_search_empty(&self) -> bool {
        let bar = self.dialog::<SearchBar>();
        bar.is_some_and(|bar| !bar.is_filter && bar.field.value().trim().is_empty())
    }

    /// Whether the field of a filter is open and its text has not been changed yet.
    pub(crate) fn is_filter_unchanged(&self) -> bool {
        let bar = self.dialog::<SearchBar>().filter(|bar| bar.is_filter);
        bar.is_some_and(|bar| bar.field.value().trim() == bar.before.listing.query)
    }

    /// Whether the user is typing a search that began in the Reader.
    pub(super) fn searches_from_reader(&self) -> bool {
        self.dialog::<SearchBar>().is_some_and(|bar| bar.focus == Focus::Reader)
    }

    /// Whether the list is ordered by best match; `None` for a list that cannot be.
    fn best_first(&self) -> Option<bool> {
        self.searches_words().then(|| self.items.shown_order() == SortOrder::Best)
    }

    pub(crate) fn is_search(&self) -> bool {
        self.items.listing.is_search
    }

    /// Whether a search, a filter or a reading time narrows the list, so that going back shows the whole
    /// list.
    pub(crate) fn is_narrowed(&self) -> bool {
        let selects = matches!(self.items.listing.base.scope, Scope::Only(_));
        let own = self.sources.current().map(|row| self.listing_of(row).query).unwrap_or_default();
        self.is_search() || selects || self.items.listing.query != own
    }
}

/// Maximum number of errors in a query that are ignored while it is typed.
const MAX_ERRORS: usize = 20;
