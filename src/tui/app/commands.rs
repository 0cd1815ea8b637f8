//! Actions on sources and items with effects outside the interface, and why an action is not
//! available.

use super::dialogs::Confirm;
use super::settings::setting;
use super::{App, Focus, Refreshing, RowId};
use crate::config::{self, Action, FileChange, Theme};
use crate::engine::{Pace, Refreshed, Report, Role};
use crate::model::{ItemRow, Outcome, SourceId};
use crate::store::Mark;
use crate::tui::effect::{Effect, Purpose};
use crate::tui::event::{Cause, Failure};
use crate::tui::style::Palette;
use crate::util::text::counted;

const NO_SOURCE: &str = "Select a source in the Sources pane first";
pub(super) const NO_ITEM: &str = "Select an item first";
const NO_ARTICLE: &str = "Open an item first";

/// Pages that are opened at once without a question, and at all.
const FEW_PAGES: usize = 10;
const MAX_PAGES: usize = 100;

/// Names that a question lists at most.
const MAX_NAMES: usize = 8;

/// The first of some names, and the number of the others.
fn some_names<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> Vec<String> {
    let count = names.len();
    let shown = if count > MAX_NAMES { MAX_NAMES - 1 } else { count };
    let more = (count > shown).then(|| format!("and {} more", count - shown));
    names.take(shown).map(str::to_owned).chain(more).collect()
}

impl App {
    pub(super) fn refresh(&mut self, keys: Option<Vec<i64>>, pace: Pace) -> Vec<Effect> {
        if self.status.role == Role::Reads {
            return self.note("Not refreshed: the database is read-only");
        }
        if let Role::Watches(pid) = self.status.role {
            let who = pid.map_or("another newsfed process".to_owned(), |pid| {
                format!("newsfed process {pid}")
            });
            return self
                .note(format!("Not refreshed: {who} polls the sources; new items appear here"));
        }
        if self.sources.list.sources.is_empty() {
            return self.note("Nothing to refresh: no sources yet");
        }
        self.refreshing = Some(Refreshing::default());
        self.results.clear();
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
        if self.refreshing.is_some() {
            self.record_report(report);
        }
        let Some(totals) = &mut self.refreshing else { return vec![] };
        totals.left_out += report.left_out.iter().map(|each| each.count).sum::<u32>();
        match &report.result {
            Refreshed::Polled(Outcome::Failed { .. }) | Refreshed::Lost(_) => totals.failed += 1,
            Refreshed::Polled(Outcome::Fetched { new, updated, .. }) => {
                totals.polled += 1;
                totals.new += new;
                totals.updated += updated;
            }
            Refreshed::Polled(Outcome::Unchanged) => totals.polled += 1,
            Refreshed::Left(_) | Refreshed::NotDue(_) | Refreshed::Disabled => totals.skipped += 1,
        }
        vec![]
    }

    pub(super) fn refresh_ended(&mut self) -> Vec<Effect> {
        let Some(totals) = self.refreshing.take() else { return vec![] };
        if totals.polled + totals.failed + totals.skipped == 0 {
            // Another refresh is running already. Keep the message that is shown.
            return match &self.toast {
                Some(_) => vec![],
                None => self.note("Already refreshing"),
            };
        }
        let mut text = match (totals.new, totals.updated) {
            (0, 0) => "Nothing new".to_owned(),
            (0, updated) => counted(updated, "updated item"),
            (new, 0) => counted(new, "new item"),
            (new, updated) => format!("{}, {updated} updated", counted(new, "new item")),
        };
        if totals.skipped > 0 {
            text += &format!(", {} skipped", totals.skipped);
        }
        if totals.left_out > 0 {
            text += &format!(", {} left out", totals.left_out);
        }
        if totals.failed > 0 {
            text += &format!(", {} failed", totals.failed);
            if let Some(key) = self.keymap.keys_for(self.context(), Action::Log) {
                text += &format!(" ({key}: log)");
            }
        }
        // The result must not hide that the old source list was used.
        match self.status.declaration_error.clone() {
            Some(error) => self.show_error(&error),
            None => self.note(text),
        }
    }

    /// Reports that a changed configuration file could not be read; the error names it.
    pub(super) fn show_error(&mut self, error: &str) -> Vec<Effect> {
        self.problem(format!("Not reloaded: {error}"))
    }

    pub(super) fn read_all(&mut self) -> Vec<Effect> {
        if self.focus == Focus::Items && !self.items.marked.is_empty() {
            let rows: Vec<ItemRow> = self.item_targets().into_iter().filter(|r| !r.read).collect();
            self.items.marked.clear();
            return self.set_mark(Mark::Read, &rows, true, Cause::User);
        }
        vec![self.mark_view_read(self.view(), None)]
    }

    /// Opens the selection in the browser.
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
        // Entries of a page without a place of their own are on the page.
        let page = |row: &ItemRow| {
            let source = &self.sources.entry(row.source_key)?.source;
            source.kind().reads_pages().then(|| source.url.to_string())
        };
        let url = |row: &ItemRow| row.url.clone().or_else(|| page(row));
        let urls: Vec<String> = rows.iter().filter_map(url).collect();
        let mut effects = match urls.len() {
            0 => return self.note("This item has no URL"),
            count if count > MAX_PAGES => {
                return self.problem(format!(
                    "At most {MAX_PAGES} pages are opened at once, and {count} items are selected"
                ));
            }
            count if count > FEW_PAGES => {
                let question = format!("Open {count} pages in the browser?");
                let names = some_names(rows.iter().map(|row| row.title.as_str()));
                let open = Effect::Browse { urls };
                return self.push_dialog(Confirm::opening(question, names, open));
            }
            _ => vec![Effect::Browse { urls }],
        };
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
        let Some(row) = self.item_targets().into_iter().next() else { return self.note(NO_ITEM) };
        vec![Effect::BrowseComments { item: row.key }]
    }

    pub(super) fn comments_found(
        &mut self,
        result: Result<Option<String>, Failure>,
    ) -> Vec<Effect> {
        match result {
            Ok(Some(url)) => vec![Effect::Browse { urls: vec![url] }],
            Ok(None) => self.note("This item names no page of comments"),
            Err(why) => self.problem(why),
        }
    }

    /// Follows the comments on the current item as a source of their own.
    pub(super) fn follow_comments(&mut self) -> Vec<Effect> {
        let Some(row) = self.item_targets().into_iter().next() else { return self.note(NO_ITEM) };
        let shown = self.reader.article.as_ref().filter(|a| a.row.key == row.key);
        if let Some(article) = shown.filter(|article| article.item.comment_feed.is_none()) {
            let page = article.item.comments.as_ref();
            let key = page.and(self.keymap.keys_for(self.context(), Action::Comments));
            let hint = key.map(|key| format!(". Press {key} to open their page"));
            let hint = hint.unwrap_or_default();
            return self.note(format!("This item has no feed of its comments{hint}"));
        }
        self.note("Reading the feed of the comments …");
        vec![Effect::FollowComments { item: row.key }]
    }

    pub(super) fn browser_opened(&mut self, result: Result<(), (String, Failure)>) -> Vec<Effect> {
        match result {
            Ok(()) => vec![],
            Err((url, why)) => {
                self.problem(format!("{why}. Copied the URL: {url}"));
                vec![Effect::Copy { text: url }]
            }
        }
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
            [one] => self.note(format!("Copied {one}")),
            many => self.note(format!("Copied {} URLs", many.len())),
        };
        vec![Effect::Copy { text: urls.join("\n") }]
    }

    pub(super) fn delete(&mut self) -> Vec<Effect> {
        if self.sources.marked.is_empty() && self.saved_view().is_some() {
            return self.delete_view();
        }
        if !self.sources.marked.is_empty() || !self.sources.targets().is_empty() {
            let targets = self.sources.targets();
            let several = targets.len() > 1;
            let label = match targets.as_slice() {
                [source] => format!("removal of {}", source.title()),
                many => format!("removal of {} sources", many.len()),
            };
            let question = match self.sources.current() {
                Some(row) if self.sources.marked.is_empty() => {
                    format!("Remove the {} sources of {}?", targets.len(), row.title)
                }
                _ => format!("Remove {} selected sources?", targets.len()),
            };
            let names = some_names(targets.iter().map(|source| source.title()));
            let targets_ids: Vec<SourceId> = targets.iter().map(|s| s.source.id.clone()).collect();
            let ids = targets_ids.clone();
            let (purpose, change) = (Purpose::Command(Some(label)), FileChange::Remove(ids));
            let remove = Effect::Edit { purpose, change };
            let of_lists = self.sources.of_lists(&targets_ids);
            if !of_lists.is_empty() {
                return self.remove_list(targets_ids, of_lists, remove);
            }
            if several {
                return self.push_dialog(Confirm::new(question, names, remove));
            }
            self.sources.marked.clear();
            return vec![remove];
        }
        self.note("Select a source or a folder first")
    }

    /// Asks whether the sources of removed lists stay.
    fn remove_list(
        &mut self,
        ids: Vec<SourceId>,
        of_lists: Vec<SourceId>,
        remove: Effect,
    ) -> Vec<Effect> {
        let sources = counted(of_lists.len(), "source");
        let question = match ids.as_slice() {
            [list] => format!("Remove the list {list}?"),
            many => format!("Remove {} sources, with a list?", many.len()),
        };
        let details = vec![format!("Enter keeps its {sources}."), "a removes them too.".to_owned()];
        let all: Vec<SourceId> = ids.into_iter().chain(of_lists).collect();
        let label = format!("removal of {} sources", all.len());
        let purpose = Purpose::Command(Some(label));
        let with_sources = Effect::Edit { purpose, change: FileChange::Remove(all) };
        self.push_dialog(Confirm::of_list(question, details, remove, with_sources))
    }

    pub(super) fn edit_source(&mut self) -> Vec<Effect> {
        match self.sources.targets().first() {
            Some(entry) => vec![Effect::EditSource { id: entry.source.id.clone() }],
            None => self.note("Select a source in the Sources pane first"),
        }
    }

    pub(super) fn next_theme(&mut self) -> Vec<Effect> {
        let names = config::theme_names(&self.settings.themes);
        let at = names.iter().position(|n| n == self.palette.name()).unwrap_or(0);
        self.save_theme(names[(at + 1) % names.len()].clone())
    }

    /// Applies a theme and saves it in the settings.
    pub(super) fn save_theme(&mut self, name: String) -> Vec<Effect> {
        if let Some(error) =
            Theme::load(&name, &self.settings.themes).err().unwrap_or_default().first()
        {
            return self.problem(error.to_string());
        }
        self.settings.ui.theme.clone_from(&name);
        self.palette = Palette::of(&self.settings, self.palette.support());
        self.note(format!("Theme: {name}"));
        let changes = vec![setting(&["ui", "theme"], name)];
        vec![Effect::edit(FileChange::Settings(changes))]
    }

    /// Why an action would do nothing; `None` if it is available.
    pub(in crate::tui) fn unavailable_reason(&self, action: Action) -> Option<&'static str> {
        let reason_if = |missing: bool, why: &'static str| missing.then_some(why);
        let no_item = || match self.focus {
            Focus::Reader => self.reader.row().is_none(),
            _ => self.items.current().is_none(),
        };
        let no_source = || self.sources.targets().is_empty();
        let row = self.sources.current().map(|row| &row.id);
        match action {
            Action::Edit if self.saved_view().is_some() => None,
            Action::Edit | Action::Workbench | Action::Why => {
                reason_if(self.selected_source().is_none(), NO_SOURCE)
            }
            Action::EditFile => reason_if(no_source(), NO_SOURCE),
            Action::Delete => {
                let nothing = no_source() && self.saved_view().is_none();
                reason_if(nothing, "Select a source, a folder or a view first")
            }
            Action::EditTags if self.focus != Focus::Sources => None,
            Action::Move | Action::EditTags | Action::Switch => {
                reason_if(no_source(), "Select a source or a folder first")
            }
            Action::MoveDown | Action::MoveUp => reason_if(no_source(), NO_SOURCE),
            Action::Rename => reason_if(
                matches!(row, None | Some(RowId::Smart(_) | RowId::Tags)),
                "Select a source, a folder, a tag or a view first",
            ),
            Action::GoReader => reason_if(self.reader.row().is_none(), NO_ARTICLE),
            Action::Fold | Action::FoldIn => {
                let in_folder = match row {
                    Some(RowId::Folder(_) | RowId::Tags | RowId::Tag(_)) => true,
                    Some(RowId::Source(key)) => {
                        self.sources.entry(*key).is_some_and(|e| e.source.folder.is_some())
                    }
                    _ => false,
                };
                reason_if(!in_folder, "Select a folder, or a source in a folder, first")
            }
            Action::Browser | Action::Copy if self.focus == Focus::Sources => {
                reason_if(no_source(), NO_SOURCE)
            }
            Action::Select => match self.focus {
                Focus::Sources => reason_if(no_source(), NO_SOURCE),
                Focus::Items => reason_if(no_item(), NO_ITEM),
                Focus::Reader => Some("Select items in the Items pane"),
            },
            Action::Open => match self.focus {
                Focus::Sources => None,
                Focus::Items => reason_if(no_item(), "This list is empty"),
                Focus::Reader => Some("This item is already open"),
            },
            Action::Pin
            | Action::ToggleRead
            | Action::Browser
            | Action::BrowserAndNext
            | Action::Copy
            | Action::CopyMarkdown
            | Action::Save
            | Action::Enqueue
            | Action::FullText
            | Action::FollowComments
            | Action::Enclosure
            | Action::Download
            | Action::Comments => reason_if(no_item(), NO_ITEM),
            Action::Zen => reason_if(self.reader.row().is_none() && no_item(), NO_ITEM),
            Action::Links
            | Action::Hints
            | Action::OpenLink
            | Action::JumpBack
            | Action::Find
            | Action::Difference
            | Action::OlderChange
            | Action::NewerChange
            | Action::Pictures
            | Action::Pipe
            | Action::Narrower
            | Action::Wider => reason_if(self.reader.article.is_none(), NO_ARTICLE),
            Action::ScrollRight => reason_if(self.reader.article.is_none(), NO_ARTICLE),
            Action::ReadAbove
            | Action::ReadBelow
            | Action::ExtendSelection
            | Action::SelectAll
            | Action::SelectInverse => reason_if(self.items.rows.is_empty(), "This list is empty"),
            Action::SelectNone => reason_if(self.items.marked.is_empty(), "No items are selected"),
            Action::ReadAll => reason_if(self.items.rows.is_empty(), "This list is empty"),
            _ => None,
        }
    }
}
