//! The most useful keys: the hint bar, and the popup with the keys that can follow in a sequence.

use super::dialogs::{KeyHint, KeyHints};
use super::{App, Focus};
use crate::config::{Action, Context, Key, SortOrder, parse_sequence, show_sequence};
use crate::model::{ItemRow, TextFrom, Time};
use crate::tui::effect::Effect;
use chrono::TimeDelta;
use std::borrow::Cow;

/// Keys with their effect, or only a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hint {
    pub(crate) keys: String,
    pub(crate) label: Cow<'static, str>,
    /// The keys that a click on the hint presses; empty for texts and for alternative keys.
    pub(crate) press: Vec<Key>,
}

/// Time after the first key of a sequence until the popup shows the keys that can follow.
const SHEET_DELAY: TimeDelta = TimeDelta::milliseconds(400);

/// The first keys of a sequence, and when the popup is due.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    pub(crate) keys: Vec<Key>,
    shown_at: Option<Time>,
    pub(crate) is_shown: bool,
}

impl Pending {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Waits for the next key of a sequence.
    pub(super) fn wait(&mut self, now: Time) {
        if !self.is_shown {
            self.shown_at = Some(now + SHEET_DELAY);
        }
    }

    /// When the popup is due.
    pub(super) fn deadline(&self) -> Option<Time> {
        self.shown_at
    }

    pub(super) fn time_passed(&mut self, now: Time) {
        if self.shown_at.take_if(|at| *at <= now).is_some() {
            self.is_shown = true;
        }
    }
}

/// The most useful actions of a state, best first.
const SOURCES: &[Action] = &[
    Action::Open,
    Action::Refresh,
    Action::Edit,
    Action::Why,
    Action::Add,
    Action::Delete,
    Action::Move,
    Action::RefreshAll,
    Action::Search,
    Action::Jump,
    Action::Log,
    Action::Palette,
];
const SELECTED_SOURCES: &[Action] = &[
    Action::Move,
    Action::EditTags,
    Action::Switch,
    Action::Delete,
    Action::Refresh,
    Action::Copy,
    Action::Back,
];
const ITEMS: &[Action] = &[
    Action::Open,
    Action::Browser,
    Action::Pin,
    Action::ToggleRead,
    Action::Search,
    Action::Palette,
    Action::ReadAll,
    Action::Add,
    Action::Select,
    Action::NextUnread,
    Action::Filter,
];
const SELECTED_ITEMS: &[Action] =
    &[Action::ToggleRead, Action::Pin, Action::Browser, Action::Copy, Action::Back];
const READER: &[Action] = &[
    Action::PageDown,
    Action::NextUnread,
    Action::Back,
    Action::Browser,
    Action::ScrollRight,
    Action::Pin,
    Action::Hints,
    Action::CopyCode,
    Action::FullText,
    Action::Headings,
    Action::Pictures,
    Action::Find,
    Action::Zen,
];
const ZEN: &[Action] = &[
    Action::PageDown,
    Action::NextUnread,
    Action::Zen,
    Action::Back,
    Action::Browser,
    Action::ScrollRight,
    Action::Pin,
    Action::Hints,
    Action::CopyCode,
    Action::FullText,
    Action::Headings,
    Action::Pictures,
    Action::Find,
];
const CHANGES: &[Action] = &[
    Action::NextUnread,
    Action::PreviousUnread,
    Action::OlderChange,
    Action::NewerChange,
    Action::Difference,
];
const MATCHES: &[Action] = &[
    Action::NextUnread,
    Action::Back,
    Action::PageDown,
    Action::NextItem,
    Action::Browser,
    Action::Pin,
    Action::Hints,
    Action::PreviousUnread,
    Action::CopyCode,
    Action::Pictures,
    Action::FullText,
];

impl App {
    /// The keys for the bottom line, most useful first.
    pub(crate) fn hints(&self) -> Vec<Hint> {
        if let Some(dialog) = self.dialogs.last() {
            // A framed dialog shows its keys in its frame.
            let hints = if dialog.is_framed() { &[] } else { dialog.hints() };
            let mut hints = self.dialog_hints(hints);
            // The key of the last hint closes the dialog, so this hint must be visible on narrow screens too.
            if dialog.is_line() && hints.len() > 2 {
                hints[1..].rotate_right(1);
            }
            return hints;
        }
        if !self.pending.keys.is_empty() {
            let keys = format!("{} …", show_sequence(&self.pending.keys));
            return vec![text(keys, "waiting for the next key"), hint("Esc", "cancel")];
        }
        let marked = match self.focus {
            Focus::Sources => self.sources.marked.len(),
            Focus::Items => self.items.marked.len(),
            Focus::Reader => 0,
        };
        let actions = match self.focus {
            Focus::Sources if marked > 0 => SELECTED_SOURCES,
            Focus::Sources => SOURCES,
            Focus::Items if marked > 0 => SELECTED_ITEMS,
            Focus::Items => ITEMS,
            Focus::Reader if self.shows_changes() => CHANGES,
            Focus::Reader if self.stepping() => MATCHES,
            Focus::Reader if self.zen => ZEN,
            Focus::Reader => READER,
        };
        let selected = (marked > 0).then(|| text("", format!("{marked} selected:")));
        let context = self.context();
        let bound = |&action: &Action| {
            self.unavailable_reason(action).is_none().then_some(())?;
            let has_use = match action {
                Action::Pictures => self.hides_pictures(),
                Action::Headings => self.reader.has_outline(),
                Action::Hints => !self.links().is_empty(),
                Action::CopyCode => !self.reader.visible_code().is_empty(),
                Action::ScrollRight => self.reader.is_cut(),
                Action::FullText => !self.lacks_page(),
                _ => true,
            };
            has_use.then_some(())?;
            let keys = match action {
                // Only Esc hides the matches.
                Action::Back if self.steps_through_matches() => self.back_key(),
                _ => self.keymap.keys_for(context, action),
            };
            Some(hint(keys?, self.label(action)))
        };
        // In the results of a search or filter, the key that goes back is the second hint.
        let narrowed = self.focus == Focus::Items && marked == 0 && self.is_narrowed();
        let (first, rest) = actions.split_at(usize::from(narrowed));
        // The third hint leads to the best match, or back to the order by date.
        let by_words = narrowed && self.searches_words();
        let back: &[Action] = match self.items.shown_order() {
            _ if !narrowed => &[],
            _ if !by_words => &[Action::Back],
            SortOrder::Best => &[Action::Back, Action::SortPrevious],
            _ => &[Action::Back, Action::SortNext],
        };
        let actions = first.iter().chain(back).chain(rest);
        let mut hints: Vec<Hint> = selected.into_iter().chain(actions.filter_map(bound)).collect();
        // Esc only hides the matches of the listed search, but another key closes the article at once.
        let other = self.keymap.keys_for(context, Action::Back).filter(|key| key != "Esc");
        if let Some(key) = other.filter(|_| self.stepping() && self.reader.shows_searched()) {
            hints.insert(1.min(hints.len()), hint(key, Action::Back.label()));
        }
        let find = self.keymap.keys_for(context, Action::Find);
        let is_here = self.focus == Focus::Reader && self.has_unentered_matches();
        if let Some(key) = find.filter(|_| is_here) {
            hints.insert(3.min(hints.len()), text(format!("{key} Enter"), "first match"));
        }
        hints
    }

    fn steps_through_matches(&self) -> bool {
        self.stepping() && self.marks_matches()
    }

    /// The hints of a dialog with the currently bound keys; actions without a key are left out.
    pub(crate) fn dialog_hints(&self, hints: KeyHints) -> Vec<Hint> {
        let bound = |&of: &KeyHint| match of {
            KeyHint::Key(keys, label) if keys.contains(' ') => Some(text(keys, label)),
            KeyHint::Key(keys, label) => Some(hint(keys, label)),
            KeyHint::Bound(context, action, label) => {
                Some(hint(self.keymap.keys_for(context, action)?, label))
            }
            KeyHint::Rows(label) => {
                let keys = |action, arrow: &str| {
                    let all = self.keymap.all_keys_for(Context::Items, action);
                    all.iter().find(|key| *key == arrow).or(all.first()).cloned()
                };
                let (up, down) = (keys(Action::Up, "Up")?, keys(Action::Down, "Down")?);
                Some(text(format!("{up} {down}"), label))
            }
            KeyHint::Back(label) => Some(hint(self.back_key()?, label)),
        };
        hints.iter().filter_map(bound).collect()
    }

    /// The key that goes back: `Esc` if it is bound to [`Action::Back`], otherwise another bound key.
    fn back_key(&self) -> Option<String> {
        let all = self.keymap.all_keys_for(Context::Everywhere, Action::Back);
        all.iter().find(|key| *key == "Esc").or(all.first()).cloned()
    }

    /// Whether the page of the item in the Reader was fetched, so the key for the full text shows another
    /// text.
    pub(super) fn has_other_text(&self) -> bool {
        let Some(article) = &self.reader.article else { return false };
        // In the list, the key acts on the current item, which the Reader may show.
        let is_target = self.focus == Focus::Reader
            || self.shown_targets().first().is_some_and(|row| row.key == article.row.key);
        is_target && (article.item.text_from != TextFrom::Feed || article.item.page_text)
    }

    /// Whether the page of the article in the Reader could not be fetched. The key for the full text still
    /// tries again.
    fn lacks_page(&self) -> bool {
        let article = self.reader.article.as_ref();
        article.is_some_and(|a| a.item.fetch_error.is_some()) && !self.has_other_text()
    }

    fn shows_changes(&self) -> bool {
        !self.marks_matches() && self.reader.show_difference
    }

    /// Describes the current effect of an action in one to three words.
    fn label(&self, action: Action) -> &'static str {
        let all = |has: fn(&ItemRow) -> bool| {
            let rows = self.shown_targets();
            !rows.is_empty() && rows.iter().all(has)
        };
        match action {
            Action::Open if self.focus == Focus::Items => "read",
            Action::Open => "items",
            Action::NextUnread if self.focus != Focus::Reader => action.label(),
            Action::NextUnread if self.shows_changes() => "next change",
            Action::PreviousUnread if self.shows_changes() => "previous change",
            Action::Difference if self.shows_changes() => "article",
            Action::NextUnread if self.stepping() => "next match",
            Action::PreviousUnread if self.stepping() => "previous match",
            Action::Back if self.steps_through_matches() => "hide matches",
            Action::Back if self.stepping() => action.label(),
            Action::Back if self.focus == Focus::Items && self.items.marked.is_empty() => {
                "whole list"
            }
            Action::Back if self.focus != Focus::Reader => "clear selection",
            // `f` has the same label in every pane.
            Action::Filter => "find",
            Action::Jump if self.focus == Focus::Sources => "find",
            Action::Zen if self.zen => "show panes",
            Action::FullText if self.has_other_text() => "other text",
            Action::ReadAll => "mark all read",
            Action::SortNext => match self.neighbour_order(true) {
                SortOrder::Best => "best match",
                other => other.label(),
            },
            Action::SortPrevious => self.neighbour_order(false).label(),
            Action::Pin if all(|row| row.pinned) => "unpin",
            Action::ToggleRead if all(|row| row.read) => "mark unread",
            _ => action.label(),
        }
    }

    /// The title and the keys of the popup for the pending keys, once it is due.
    pub(crate) fn key_sheet(&self) -> Option<(String, Vec<Hint>)> {
        if !self.pending.is_shown || !self.dialogs.is_empty() {
            return None;
        }
        let next = self.keymap.continuations(self.context(), &self.pending.keys);
        next.first()?;
        let count = |task| next.iter().filter(|(_, action)| action.task() == task).count();
        let mut tasks = next.iter().map(|(_, action)| action.task());
        let most = tasks.find(|task| count(*task) * 2 > next.len());
        let title = most.map_or_else(String::new, |task| task.title().to_lowercase());
        let title = format!("{}  {title} …", show_sequence(&self.pending.keys));
        let hints = next.into_iter().map(|(keys, action)| hint(keys, self.keymap.label(action)));
        Some((title, hints.collect()))
    }

    /// Clears the pending keys.
    pub(super) fn cancel_sequence(&mut self) -> Vec<Effect> {
        self.pending.clear();
        vec![]
    }
}

fn hint(keys: impl Into<String>, label: impl Into<Cow<'static, str>>) -> Hint {
    let keys = keys.into();
    Hint { press: parse_sequence(&keys).unwrap_or_default(), keys, label: label.into() }
}

/// A hint that cannot be clicked.
fn text(keys: impl Into<String>, label: impl Into<Cow<'static, str>>) -> Hint {
    Hint { keys: keys.into(), label: label.into(), press: Vec::new() }
}
