//! Opens pages of sources and items in the browser, and copies their URLs.

use super::dialogs::{Confirm, some_names};
use super::{App, Focus};
use crate::model::ItemRow;
use crate::store::Mark;
use crate::tui::effect::Effect;
use crate::tui::event::{Cause, Failure};
use crate::util::browser::Launch;
use crate::util::url_text::readable;

/// Maximum number of pages that are opened at once without confirmation.
const FEW_PAGES: usize = 10;
/// Maximum number of pages that are opened at once.
const MAX_PAGES: usize = 100;

impl App {
    /// Opens the pages of the selection in the browser.
    pub(super) fn browse(&mut self, and_next: bool) -> Vec<Effect> {
        if self.focus == Focus::Sources {
            let home = |s: &&crate::tui::event::SourceEntry| {
                s.facts.home_url.clone().or_else(|| Some(s.source.web_url()?.to_string()))
            };
            let targets = self.sources.targets();
            let urls: Vec<String> = targets.iter().take(1).filter_map(home).collect();
            return match (urls.is_empty(), targets.is_empty()) {
                (true, true) => vec![],
                (true, false) => self.note("This source has no page"),
                (false, _) => vec![Effect::Browse { urls }],
            };
        }
        let rows = self.item_targets();
        // Items without a fragment of their own open the page of their source.
        let page = |row: &ItemRow| {
            let source = &self.sources.entry(row.source_key)?.source;
            source.kind().reads_pages().then(|| source.url.to_string())
        };
        let url = |row: &ItemRow| row.url.clone().or_else(|| page(row));
        let urls: Vec<String> = rows.iter().filter_map(url).collect();
        match urls.len() {
            0 => return self.note("This item has no URL"),
            count if count > MAX_PAGES => {
                return self.problem(format!(
                    "At most {MAX_PAGES} pages are opened at once, but {count} items are selected"
                ));
            }
            count if count > FEW_PAGES => {
                let question = format!("Open {count} pages in the browser?");
                let names = some_names(rows.iter().map(|row| self.item_name(row)));
                let open = Effect::Browse { urls };
                return self.push_dialog(Confirm::opening(question, names, open));
            }
            _ => {}
        }
        self.opening = and_next.then_some(rows);
        vec![Effect::Browse { urls }]
    }

    pub(super) fn browser_opened(&mut self, result: Result<(), (String, Failure)>) -> Vec<Effect> {
        match result {
            Ok(()) => self.after_opening(),
            Err((url, why)) => {
                self.opening = None;
                self.problem(format!("{why}. Copied the URL: {}", readable(&url)));
                vec![Effect::Copy { text: url }]
            }
        }
    }

    /// Opens pages in a browser that needs the terminal.
    pub(super) fn browser_planned(&mut self, launch: Launch) -> Vec<Effect> {
        let mut effects = self.after_opening();
        effects.extend(self.when_free(Effect::BrowseHere(launch)));
        effects
    }

    /// Marks the items whose pages were opened as read, and selects the next item.
    fn after_opening(&mut self) -> Vec<Effect> {
        let Some(rows) = self.opening.take() else { return vec![] };
        let unread: Vec<ItemRow> = rows.iter().filter(|r| !r.read).cloned().collect();
        let mut effects = match unread.is_empty() {
            true => vec![],
            false => self.set_mark(Mark::Read, &unread, true, Cause::Reading),
        };
        // The selection stays if the user has already moved elsewhere.
        let selected = self.items.rows.get(self.items.selected).map(|row| row.key);
        if rows.iter().any(|row| Some(row.key) == selected) {
            effects.extend(self.select_item(self.items.selected + 1));
        }
        effects
    }

    pub(super) fn copy_url(&mut self, url: String) -> Vec<Effect> {
        self.note(format!("Copied {}", readable(&url)));
        vec![Effect::Copy { text: url }]
    }

    pub(super) fn copy(&mut self) -> Vec<Effect> {
        let urls: Vec<String> = match self.focus {
            Focus::Sources => {
                let targets = self.sources.targets();
                targets.iter().filter_map(|s| Some(s.source.web_url()?.to_string())).collect()
            }
            Focus::Items | Focus::Reader => {
                self.item_targets().into_iter().filter_map(|r| r.url).collect()
            }
        };
        match urls.as_slice() {
            [] => return self.note("Nothing to copy: no URL here"),
            [one] => self.note(format!("Copied {}", readable(one))),
            many => self.note(format!("Copied {} URLs", many.len())),
        };
        vec![Effect::Copy { text: urls.join("\n") }]
    }
}
