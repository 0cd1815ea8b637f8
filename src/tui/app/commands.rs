//! Verbs on sources and items that reach beyond the interface: refresh, browser, copy, delete, theme.

use super::settings::setting;
use super::{App, Focus, Refreshing};
use crate::config::{self, FileChange, Theme};
use crate::engine::{Pace, Refreshed, Report, Role};
use crate::model::{ItemRow, Outcome};
use crate::store::Mark;
use crate::tui::effect::{Effect, Purpose};
use crate::tui::event::{Cause, Failure};
use crate::tui::style::Palette;

/// Pages that one stroke opens at most.
const MOST_PAGES: usize = 15;

impl App {
    pub(super) fn refresh(&mut self, keys: Option<Vec<i64>>, pace: Pace) -> Vec<Effect> {
        if self.status.role == Role::Reads {
            return self.note("the database cannot be written, so nothing is polled");
        }
        if let Role::Watches(pid) = self.status.role {
            let who = pid.map(|p| format!(" (process {p})")).unwrap_or_default();
            return self.note(format!(
                "another newsfed{who} follows the sources; this one shows what it finds"
            ));
        }
        if self.sources.list.sources.is_empty() {
            return self.note("nothing is followed yet");
        }
        self.refreshing = Some(Refreshing::default());
        vec![Effect::Refresh { keys, pace }]
    }

    pub(super) fn refresh_targets(&mut self, pace: Pace) -> Vec<Effect> {
        let keys: Vec<i64> = match self.focus {
            Focus::Sources => self.sources.targets().iter().map(|s| s.facts.key).collect(),
            Focus::Items | Focus::Reader => {
                let mut keys: Vec<i64> = self.item_targets().iter().map(|r| r.source_key).collect();
                keys.dedup();
                keys
            }
        };
        self.sources.marked.clear();
        self.refresh(Some(keys).filter(|k| !k.is_empty()), pace)
    }

    pub(super) fn refreshed(&mut self, report: &Report) -> Vec<Effect> {
        let Some(sum) = &mut self.refreshing else { return vec![] };
        match &report.result {
            Refreshed::Polled(Outcome::Failed { .. }) | Refreshed::Lost(_) => sum.failed += 1,
            Refreshed::Polled(Outcome::Fetched { new, .. }) => {
                sum.polled += 1;
                sum.new += new;
            }
            Refreshed::Polled(Outcome::Unchanged) => sum.polled += 1,
            Refreshed::Left(_) | Refreshed::NotDue(_) | Refreshed::Disabled => sum.left += 1,
        }
        vec![]
    }

    pub(super) fn refresh_ended(&mut self) -> Vec<Effect> {
        let Some(sum) = self.refreshing.take() else { return vec![] };
        if sum.polled + sum.failed + sum.left == 0 {
            // Somebody else looks already, and what was said before holds.
            return match &self.toast {
                Some(_) => vec![],
                None => self.note("it is being polled already"),
            };
        }
        let mut words = match sum.new {
            0 => "nothing new".to_owned(),
            1 => "1 new item".to_owned(),
            n => format!("{n} new items"),
        };
        if sum.left > 0 {
            words += &format!(", {} left alone as their servers asked", sum.left);
        }
        if sum.failed > 0 {
            words += &format!(", {} failed (v shows why)", sum.failed);
        }
        // What a refresh came to must not hide that it was one of the old sources.
        match self.status.fault.clone() {
            Some(fault) => self.show_error(&fault),
            None => self.note(words),
        }
    }

    /// The declared sources were changed and could not be read.
    pub(super) fn show_error(&mut self, fault: &str) -> Vec<Effect> {
        self.problem(format!("the sources were not read again: {fault}"))
    }

    pub(super) fn read_all(&mut self) -> Vec<Effect> {
        if self.focus == Focus::Items && !self.items.marked.is_empty() {
            let rows: Vec<ItemRow> = self.item_targets().into_iter().filter(|r| !r.read).collect();
            self.items.marked.clear();
            return self.set_mark(Mark::Read, &rows, true, Cause::User);
        }
        vec![Effect::MarkViewRead { view: self.view(), up_to: self.sources.list.last_key }]
    }

    /// Opens what is selected in the browser.
    pub(super) fn browse(&mut self, and_next: bool) -> Vec<Effect> {
        if self.focus == Focus::Sources {
            let home = |s: &&crate::tui::event::SourceEntry| {
                s.facts.home_url.clone().unwrap_or_else(|| s.source.url.to_string())
            };
            let urls: Vec<String> = self.sources.targets().iter().take(1).map(home).collect();
            return if urls.is_empty() { vec![] } else { vec![Effect::Browse { urls }] };
        }
        let rows = self.item_targets();
        let urls: Vec<String> =
            rows.iter().filter_map(|r| r.url.clone()).take(MOST_PAGES).collect();
        if urls.is_empty() {
            return self.note("this item has no address");
        }
        let mut effects = vec![Effect::Browse { urls }];
        if and_next {
            let unread: Vec<ItemRow> = rows.into_iter().filter(|r| !r.read).collect();
            if !unread.is_empty() {
                effects.extend(self.set_mark(Mark::Read, &unread, true, Cause::Reading));
            }
            effects.extend(self.select_item(self.items.selected + 1));
        }
        effects
    }

    pub(super) fn browse_comments(&mut self) -> Vec<Effect> {
        let comments = self.reader.article.as_ref().and_then(|a| a.item.comments.clone());
        match comments.filter(|_| self.focus == Focus::Reader) {
            Some(url) => vec![Effect::Browse { urls: vec![url] }],
            None => self.note("this item names no comments; open it first"),
        }
    }

    pub(super) fn browser_opened(&mut self, result: Result<(), (String, Failure)>) -> Vec<Effect> {
        match result {
            Ok(()) => vec![],
            Err((url, why)) => {
                self.problem(format!("{why}; copied: {url}"));
                vec![Effect::Copy { text: url }]
            }
        }
    }

    pub(super) fn copy(&mut self) -> Vec<Effect> {
        let text = match self.focus {
            Focus::Sources => self.sources.targets().first().map(|s| s.source.url.to_string()),
            Focus::Items | Focus::Reader => {
                self.item_targets().into_iter().next().and_then(|r| r.url)
            }
        };
        match text {
            Some(text) => {
                self.note(format!("copied: {text}"));
                vec![Effect::Copy { text }]
            }
            None => self.note("nothing here has an address"),
        }
    }

    pub(super) fn delete(&mut self) -> Vec<Effect> {
        if self.sources.marked.is_empty() && self.saved_view().is_some() {
            return self.delete_view();
        }
        if !self.sources.marked.is_empty() || !self.sources.targets().is_empty() {
            let targets = self.sources.targets();
            let words = match targets.as_slice() {
                [source] => format!("removal of {}", source.title()),
                many => format!("removal of {} sources", many.len()),
            };
            let ids = targets.iter().map(|s| s.source.id.clone()).collect();
            self.sources.marked.clear();
            let (purpose, change) = (Purpose::Command(Some(words)), FileChange::Remove(ids));
            return vec![Effect::Edit { purpose, change }];
        }
        self.note("select a source or a folder first")
    }

    pub(super) fn edit_source(&mut self) -> Vec<Effect> {
        match self.sources.targets().first() {
            Some(entry) => vec![Effect::EditSource { id: entry.source.id.clone() }],
            None => self.note("select a source first"),
        }
    }

    pub(super) fn next_theme(&mut self) -> Vec<Effect> {
        let names = config::theme_names(&self.settings.themes);
        let at = names.iter().position(|n| n == self.palette.name()).unwrap_or(0);
        self.take_theme(names[(at + 1) % names.len()].clone())
    }

    /// Shows a theme, and keeps it.
    pub(super) fn take_theme(&mut self, name: String) -> Vec<Effect> {
        self.settings.ui.theme.clone_from(&name);
        match Theme::load(&name, &self.settings.themes) {
            Ok(theme) => {
                self.palette = Palette::new(theme, self.palette.depth());
                self.note(format!("theme: {name}"));
                let changes = vec![setting(&["ui", "theme"], name)];
                vec![Effect::edit(FileChange::Settings(changes))]
            }
            Err(errors) => {
                self.problem(errors.first().map(ToString::to_string).unwrap_or_default())
            }
        }
    }
}
