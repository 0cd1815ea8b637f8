//! Search and filter: a field at the bottom and a list that narrows while typing.

use super::complete::Completion;
use super::items::Listing;
use super::{App, Dialog, Focus};
use crate::query::{Query, unknown_name};
use crate::store::{Scope, View};
use crate::tui::effect::Effect;
use crate::tui::input::Field;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// State of the field.
#[derive(Debug, Clone)]
pub(crate) struct SearchBar {
    pub(crate) field: Field,
    /// A filter narrows the current list, a search covers all items.
    pub(crate) is_filter: bool,
    pub(crate) completion: Option<Completion>,
    /// The error in the query; the list is still that of the last valid one.
    pub(crate) error: Option<String>,
    /// Whether Enter was pressed despite the error.
    pub(crate) insisted: bool,
    /// The previous list, restored by Esc.
    before: Listing,
    focus: Focus,
}

impl App {
    pub(super) fn open_search(&mut self, is_filter: bool) -> Vec<Effect> {
        let now = &self.items.listing;
        // A search continues with its previous text.
        let text = if is_filter || self.is_search() { now.query.clone() } else { String::new() };
        let bar = SearchBar {
            field: Field::new(&text),
            is_filter,
            completion: None,
            error: None,
            insisted: false,
            before: now.clone(),
            focus: self.focus,
        };
        self.focus = Focus::Items;
        self.zen = false;
        self.dialogs.push(Dialog::Search(bar));
        vec![]
    }

    pub(crate) fn is_search(&self) -> bool {
        self.items.listing.title == SEARCH && self.items.listing.base.scope == Scope::All
    }

    fn search_bar(&mut self) -> Option<&mut SearchBar> {
        match self.dialogs.last_mut() {
            Some(Dialog::Search(bar)) => Some(bar),
            _ => None,
        }
    }

    pub(super) fn search_key(&mut self, event: KeyEvent) -> Vec<Effect> {
        let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
        match event.code {
            KeyCode::Esc => self.search_escaped(),
            KeyCode::Enter => self.search_confirmed(),
            KeyCode::Tab => self.search_completed(true),
            KeyCode::BackTab => self.search_completed(false),
            KeyCode::Down => self.select_item(self.items.selected + 1),
            KeyCode::Up => self.select_item(self.items.selected.saturating_sub(1)),
            KeyCode::Char('s') if ctrl => {
                let effects = self.search_confirmed();
                if self.dialogs.is_empty() { self.save_query() } else { effects }
            }
            _ => self.type_into_field(event),
        }
    }

    /// Lists the items of the typed query and updates the completion.
    pub(super) fn search_changed(&mut self) -> Vec<Effect> {
        let Some(Dialog::Search(bar)) = self.dialogs.last() else { return vec![] };
        let completion = self.complete_query(&bar.field, false);
        let effects = self.search_typed();
        if let Some(bar) = self.search_bar() {
            bar.completion = completion;
        }
        effects
    }

    /// Lists the items of the typed query. An incomplete word is ignored; if nothing else is typed, the
    /// list stays.
    fn search_typed(&mut self) -> Vec<Effect> {
        let Some(Dialog::Search(bar)) = self.dialogs.last() else { return vec![] };
        let typed = bar.field.value().to_owned();
        let (error, query) = match typed.parse::<Query>() {
            Ok(read) => (unknown_name(&read, self.sources.known()), Some(typed)),
            Err(e) => {
                let rest = format!("{} {}", &typed[..e.at.start], &typed[e.at.end..]);
                let rest = rest.trim().to_owned();
                let good = !rest.is_empty() && rest.parse::<Query>().is_ok();
                (Some(e.to_string()), good.then_some(rest))
            }
        };
        let listing = query.map(|query| {
            if bar.is_filter {
                return Listing { query, ..bar.before.clone() };
            }
            let base = View { order: self.items.order(), ..View::of(Scope::All) };
            Listing { title: SEARCH.to_owned(), base, query, place: Query::default() }
        });
        if let Some(bar) = self.search_bar() {
            (bar.error, bar.insisted) = (error, false);
        }
        let new = listing.filter(|l| !self.is_search() || l.query != self.items.listing.query);
        new.map(|listing| self.show(listing)).unwrap_or_default()
    }

    fn search_completed(&mut self, forward: bool) -> Vec<Effect> {
        let Some(Dialog::Search(bar)) = self.dialogs.last() else { return vec![] };
        let completion = bar.completion.clone();
        let Some(mut completion) = completion.or_else(|| self.complete_query(&bar.field, true))
        else {
            return vec![];
        };
        let Some(bar) = self.search_bar() else { return vec![] };
        completion.step(&mut bar.field, forward);
        // A single candidate is final, and an operator continues with its values.
        let next = match completion.candidates.len() {
            1 => bar.field.clone(),
            _ => {
                bar.completion = Some(completion);
                return self.search_typed();
            }
        };
        let completion = self.complete_query(&next, false);
        if let Some(bar) = self.search_bar() {
            bar.completion = completion;
        }
        self.search_typed()
    }

    /// Esc: restores what was typed before a completion, else the previous list.
    fn search_escaped(&mut self) -> Vec<Effect> {
        let applied = self
            .search_bar()
            .and_then(|bar| bar.completion.take_if(|completion| completion.applied.is_some()));
        if let (Some(completion), Some(bar)) = (applied, self.search_bar()) {
            completion.restore_typed(&mut bar.field);
            return self.search_typed();
        }
        match self.dialogs.pop() {
            Some(Dialog::Search(bar)) => self.search_cancelled(bar),
            _ => vec![],
        }
    }

    fn search_cancelled(&mut self, bar: SearchBar) -> Vec<Effect> {
        self.focus = bar.focus;
        self.show(bar.before)
    }

    /// Enter: keeps the narrowed list. An invalid query stays in the field to be corrected.
    fn search_confirmed(&mut self) -> Vec<Effect> {
        let Some(bar) = self.search_bar() else { return vec![] };
        if bar.error.is_some() && bar.field.value().parse::<Query>().is_err() {
            bar.insisted = true;
            return vec![];
        }
        let empty = bar.field.value().trim().is_empty() && !bar.is_filter;
        match self.dialogs.pop() {
            Some(Dialog::Search(bar)) if empty => self.search_cancelled(bar),
            _ => vec![],
        }
    }

    /// Whether a search or a filter narrows the list, so that going back ends it.
    pub(super) fn leave_search(&self) -> bool {
        self.is_search() || !self.items.listing.query.is_empty()
    }
}

/// The title of a search.
pub(crate) const SEARCH: &str = "Search";
