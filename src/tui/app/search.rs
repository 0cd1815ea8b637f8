//! Search and filter: a line at the bottom, and a list that narrows as one types.

use super::complete::Completion;
use super::items::Listing;
use super::{App, Dialog, Focus};
use crate::query::{Query, unknown_name};
use crate::store::{Scope, View};
use crate::tui::effect::Effect;
use crate::tui::input::Field;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The line that is being typed.
#[derive(Debug, Clone)]
pub(crate) struct SearchBar {
    pub(crate) field: Field,
    /// A filter narrows the current list, a search looks through everything.
    pub(crate) is_filter: bool,
    pub(crate) completion: Option<Completion>,
    /// What is not understood; the list is still that of the last query that was.
    pub(crate) fault: Option<String>,
    /// Whether Enter was pressed all the same.
    pub(crate) insisted: bool,
    /// What was listed before, for Esc.
    before: Listing,
    focus: Focus,
}

impl App {
    pub(super) fn open_search(&mut self, is_filter: bool) -> Vec<Effect> {
        let now = &self.items.listing;
        // Going on with a search shows what it was.
        let text = if is_filter || self.is_search() { now.query.clone() } else { String::new() };
        let bar = SearchBar {
            field: Field::new(&text),
            is_filter,
            completion: None,
            fault: None,
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

    /// Lists what the line says so far, and offers what could stand at the cursor.
    pub(super) fn search_changed(&mut self) -> Vec<Effect> {
        let Some(Dialog::Search(bar)) = self.dialogs.last() else { return vec![] };
        let completion = self.complete_query(&bar.field, false);
        let effects = self.search_typed();
        if let Some(bar) = self.search_bar() {
            bar.completion = completion;
        }
        effects
    }

    /// Lists what the line says so far. A word that is not understood yet counts for nothing; where
    /// nothing else is said, the list stays.
    fn search_typed(&mut self) -> Vec<Effect> {
        let Some(Dialog::Search(bar)) = self.dialogs.last() else { return vec![] };
        let typed = bar.field.value().to_owned();
        let (fault, query) = match typed.parse::<Query>() {
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
            (bar.fault, bar.insisted) = (fault, false);
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
        // The only one is taken for good, and an operator leads to its values.
        let next = match completion.offers.len() {
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

    /// Esc: back to what was typed before a completion was taken, else to what was listed before.
    fn search_escaped(&mut self) -> Vec<Effect> {
        let taken = self
            .search_bar()
            .and_then(|bar| bar.completion.take_if(|completion| completion.taken.is_some()));
        if let (Some(completion), Some(bar)) = (taken, self.search_bar()) {
            completion.give_back(&mut bar.field);
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

    /// Enter: the narrowed list stays. What is not understood stays in the line to be mended.
    fn search_confirmed(&mut self) -> Vec<Effect> {
        let Some(bar) = self.search_bar() else { return vec![] };
        if bar.fault.is_some() && bar.field.value().parse::<Query>().is_err() {
            bar.insisted = true;
            return vec![];
        }
        let empty = bar.field.value().trim().is_empty() && !bar.is_filter;
        match self.dialogs.pop() {
            Some(Dialog::Search(bar)) if empty => self.search_cancelled(bar),
            _ => vec![],
        }
    }

    /// Whether a search or a filter narrows the list, which going back then ends.
    pub(super) fn leave_search(&self) -> bool {
        self.is_search() || !self.items.listing.query.is_empty()
    }
}

/// The name of a list that is a search.
pub(crate) const SEARCH: &str = "Search";
