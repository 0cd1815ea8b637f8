//! The state of the interface and its transitions.
//!
//! [`App::update`] takes an event and returns the effects to perform; nothing in this module blocks. Each
//! pane and each kind of dialog has its own file.

mod add;
mod arrange;
mod availability;
mod awaiting;
mod browser;
mod choice;
mod comments;
mod complete;
mod crawl_form;
mod crawls;
mod delete;
mod dialogs;
mod downloads;
mod editor;
mod enclosures;
mod external_commands;
mod find;
mod fulltext;
mod headings;
mod hints;
mod history;
mod import;
mod items;
mod jump;
mod keys;
mod links;
mod listen;
mod listing;
mod lists;
mod log;
mod mark_words;
mod mouse;
mod palette;
mod palette_run;
mod passage;
mod pictures;
mod position;
mod postponed;
mod preview;
mod progress;
mod prompt;
mod quitting;
mod rank;
mod reader;
mod reading_view;
mod refresh;
mod reload;
mod rule_form;
mod rules;
mod same_titles;
mod save;
mod scrolling;
mod search;
mod setting_search;
mod settings;
mod snippets;
mod source_rows;
mod sources;
mod starters;
mod stats;
mod stories;
mod theme;
mod toast;
mod triage;
mod why;
mod workbench;

pub(super) use add::{Add, Choice, Stage};
pub(super) use complete::Completion;
pub(super) use crawl_form::CrawlForm;
pub(super) use crawls::{CrawlList, CrawlPart, CrawlRow, CrawlRuns};
pub(super) use dialogs::{Confirm, Dialog, Help, KeyHint, KeyHints, TakesBack};
pub(super) use downloads::{DownloadList, DownloadRow};
pub(super) use editor::Editor;
pub(super) use external_commands::OutputWindow;
pub(super) use fulltext::Texts;
pub(super) use headings::HeadingList;
pub(super) use hints::Hint;
pub(super) use history::HistoryList;
pub(super) use import::{ImportLine, ImportPreview};
pub(super) use items::{ItemsPane, midnight};
pub(super) use jump::Jump;
pub(super) use links::{Hints, LinkList};
pub(super) use listen::ListenList;
pub(super) use log::LogList;
pub(super) use mouse::Areas;
#[cfg(test)]
pub(super) use palette::assignment;
pub(super) use palette::{Hit, Palette, command_takes};
pub(super) use pictures::{EncodedKey, TerminalInfo};
pub(super) use progress::{CheckRow, Fate, Progress};
pub(super) use prompt::{Prompt, PromptKind};
pub(super) use reader::ReaderPane;
pub(super) use rule_form::{ACTIONS, RuleForm, UNTIL};
pub(super) use rules::{DryRun, RuleList};
pub(super) use search::SearchBar;
pub(super) use snippets::Snippets;
pub(super) use sources::{Row, RowId, Smart, SourcesPane};
pub(super) use starters::Starters;
pub(super) use stats::StatsDialog;
pub(super) use toast::{Toast, Tone, as_sentence};
pub(super) use why::WhyDialog;
pub(super) use workbench::{Bench, BenchField, BenchPane, Marked, SheetView};

use super::effect::{Effect, ExitReason};
use super::event::{Event, RequestId};
use super::read::Read;
use super::style;
use crate::config::{Action, Key, KeyMap, Settings};
use crate::engine::{PlayerState, Status};
use crate::model::{ItemRow, PollRecord, Time};
use crate::store::ItemValues;
use arrange::Counting;
use chrono::TimeDelta;
use hints::Pending;
use history::History;
#[cfg(test)]
pub(in crate::tui) use items::show_mark;
use postponed::Postponed;
use progress::ProgressRow;
use ratatui::layout::Rect;
use refresh::Refreshing;
use reload::Stale;
pub(super) use settings::KeysPage;
use settings::PendingEdits;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashSet};
use why::Rhythms;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Focus {
    Sources,
    Items,
    Reader,
}

/// The state of the interface.
pub(super) struct App {
    pub(super) now: Time,
    pub(super) size: (u16, u16),
    pub(super) settings: Settings,
    pub(super) keymap: KeyMap,
    pub(super) palette: style::Palette,
    pub(super) terminal: TerminalInfo,
    pub(super) focus: Focus,
    pub(super) zen: bool,
    pub(super) sources: SourcesPane,
    pub(super) rhythms: Rhythms,
    pub(super) snippets: Snippets,
    pub(super) items: ItemsPane,
    pub(super) reader: ReaderPane,
    preview: preview::Preview,
    pub(super) dialogs: Vec<Box<dyn Dialog>>,
    pub(super) toast: Option<Toast>,
    /// A message about something in the background, which waits until `toast` disappears.
    waiting_note: Option<String>,
    /// Items that are marked read once their pages have opened.
    opening: Option<Vec<ItemRow>>,
    /// A problem that `toast` has replaced.
    pub(super) problem: Option<Toast>,
    /// The warning about the configuration files that was already shown.
    pub(in crate::tui) warned: Option<String>,
    pub(super) status: Status,
    /// The keys of an incomplete sequence.
    pub(super) pending: Pending,
    /// Unbound keys that have already been reported.
    unbound: HashSet<Key>,
    /// The names of the `[[command]]`s that are running without the terminal.
    commands_running: HashSet<String>,
    /// Commands that were run from the palette, most recent first.
    recent: Vec<Action>,
    /// While several commands of a key run: whether one of them has marked the selected items. The selection
    /// then ends with the last command.
    sequence: Option<bool>,
    /// The refreshes that the user started and that are still running.
    pub(super) refreshing: BTreeMap<RequestId, Refreshing>,
    pub(super) player: PlayerState,
    /// Whether the statistics are being read.
    counts_items: bool,
    /// Values for the completion of query operators.
    values: ItemValues,
    /// The results of the last refresh; problems come first.
    results: BTreeMap<Fate, Vec<ProgressRow>>,
    pub(super) areas: Areas,
    /// The clickable hints on the screen, and their keys; filled while drawing.
    pub(super) shown_hints: RefCell<Vec<(Rect, Vec<Key>)>>,
    /// The frame of the topmost dialog and the row with its keys at the last draw.
    pub(super) dialog_shape: Cell<Option<(Rect, Rect)>>,
    pub(super) borders: mouse::Borders,
    pub(super) downloads: downloads::Downloads,
    /// Whether typed letters go to a text field.
    pub(super) typing: bool,
    /// Dialogs and effects that wait until the user is not typing.
    postponed: Vec<Postponed>,
    /// Why the program exits once the items to mark read are counted.
    quitting: Option<ExitReason>,
    pub(super) crawls: CrawlRuns,
    /// The last failed polls of the listed source (row key), newest first, if it has no items.
    pub(super) failures: Option<(i64, Vec<PollRecord>)>,
    pub(super) texts: Texts,
    pub(super) history: History,
    edits: PendingEdits,
    requests: RequestId,
    stale: Stale,
    counting: Counting,
    started: bool,
    /// The list from which a search or filter was opened.
    before_search: Option<position::ListPosition>,
}

impl App {
    pub(super) fn new(
        settings: Settings,
        keymap: KeyMap,
        palette: style::Palette,
        now: Time,
    ) -> Self {
        let mut sources = SourcesPane::default();
        sources.set_unread_only(settings.ui.unread_only);
        Self {
            now,
            size: (80, 24),
            items: ItemsPane::new(&settings.ui),
            reader: ReaderPane::new(settings.ui.reader_width),
            preview: preview::Preview::default(),
            sources,
            rhythms: Rhythms::default(),
            snippets: Snippets::default(),
            settings,
            keymap,
            palette,
            terminal: TerminalInfo::default(),
            focus: Focus::Sources,
            zen: false,
            dialogs: Vec::new(),
            toast: None,
            waiting_note: None,
            opening: None,
            problem: None,
            warned: None,
            status: Status::default(),
            pending: Pending::default(),
            unbound: HashSet::new(),
            commands_running: HashSet::new(),
            recent: Vec::new(),
            sequence: None,
            refreshing: BTreeMap::new(),
            player: PlayerState::default(),
            counts_items: false,
            values: ItemValues::default(),
            results: BTreeMap::new(),
            areas: Areas::default(),
            shown_hints: RefCell::default(),
            dialog_shape: Cell::default(),
            borders: mouse::Borders::default(),
            downloads: downloads::Downloads::default(),
            typing: false,
            postponed: Vec::new(),
            quitting: None,
            crawls: CrawlRuns::default(),
            failures: None,
            texts: Texts::default(),
            history: History::default(),
            edits: PendingEdits::default(),
            requests: 0,
            stale: Stale::default(),
            counting: Counting::default(),
            started: false,
            before_search: None,
        }
    }

    /// The effects to perform at startup.
    pub(super) fn start(&mut self) -> Vec<Effect> {
        self.stale.loading = true;
        vec![Effect::Read(Read::Sources)]
    }

    /// Whether the first list of the interface has been read.
    pub(super) fn has_first_list(&self) -> bool {
        self.started && !self.items.is_loading()
    }

    /// Applies an event and returns the effects to perform.
    pub(super) fn update(&mut self, event: Event, now: Time) -> Vec<Effect> {
        self.now = now;
        let mut effects = self.handle(event);
        effects.extend(self.show_waiting_note());
        self.mark_searched();
        effects.extend(self.plan_preview());
        effects.extend(self.next_pictures());
        effects.extend(self.request_rhythms());
        effects.extend(self.request_snippets());
        self.notice_typing();
        effects.extend(self.perform_postponed());
        self.expect_replies(&effects);
        let waiting = self.pursue_waiting();
        self.expect_replies(&waiting);
        effects.extend(waiting);
        effects
    }

    /// The effects to perform before another program uses the terminal, or before the interface is closed.
    pub(super) fn leave_terminal(&mut self) -> Vec<Effect> {
        let effects = self.store_reading_state();
        self.expect_replies(&effects);
        effects
    }

    /// Counts the changes among effects that are about to be performed.
    fn expect_replies(&mut self, effects: &[Effect]) {
        self.edits.add(effects);
        self.history.expect(effects);
    }

    fn handle(&mut self, event: Event) -> Vec<Effect> {
        match event {
            Event::KeyPressed(key) => {
                let effects = self.key_pressed(key);
                self.leave_messages();
                effects
            }
            Event::MouseUsed(mouse) => self.mouse_used(mouse),
            Event::Pasted(text) => self.pasted(&text),
            Event::Resized(width, height) => self.resized(width, height),
            Event::TimePassed => self.time_passed(),
            Event::StoreChanged => self.store_changed(),
            Event::StatusChanged(status) => self.status_changed(status),
            Event::SourcesLoaded(result) => self.sources_loaded(result),
            Event::WindowLoaded(request, result) => self.window_loaded(request, result),
            Event::ArticleLoaded(request, result) => {
                let result = result.map(|article| article.map(|article| self.with_keys(article)));
                let mut effects = self.article_loaded(request, result);
                effects.extend(self.item_opened());
                effects
            }
            Event::RowLoaded(result) => self.shown_row_loaded(result),
            Event::TextGot(key, explicit, result) => self.text_got(key, explicit, result),
            Event::PictureFetched(of, url, picture) => self.picture_fetched(of, url, picture),
            Event::EmbeddedFetched(item, found, why) => self.embedded_fetched(item, found, why),
            Event::PictureEncoded(key, encoded) => self.picture_encoded(key, encoded),
            Event::TerminalReplied(replies) => self.terminal_replied(replies),
            Event::BackgroundFound(light) => self.background_found(light),
            Event::PrefetchPlanned(result) => self.prefetch_planned(result),
            Event::Prefetched(there) => self.prefetched(there),
            Event::PrefetchEnded => self.prefetch_ended(),
            Event::LogLoaded(result) => self.log_loaded(result),
            Event::FailuresLoaded(source, result) => self.failures_loaded(source, result),
            Event::RhythmsLoaded(result) => self.rhythms_loaded(result),
            Event::SnippetsLoaded(expression, result) => {
                self.snippets_loaded(expression.as_deref(), result)
            }
            Event::StatisticsLoaded(result) => self.statistics_loaded(result),
            Event::WhyLoaded(source, result) => self.why_loaded(source, result),
            Event::NextCheckLoaded(source, next) => self.next_check_loaded(source, next),
            Event::Marked(result) => self.marked(result),
            Event::RulesLoaded(result) => self.rules_loaded(result),
            Event::ValuesLoaded(result) => self.values_loaded(result),
            Event::MatchesFound(request, result) => self.matches_found(request, result),
            Event::UnreadCounted(request, result) => self.unread_counted(request, result),
            Event::TotalCounted(request, result) => self.total_counted(request, result),
            Event::FittingFound(request, minutes, result) => {
                self.fitting_found(request, minutes, result)
            }
            Event::MarkedByRule(result) => self.rule_step_ended(result),
            Event::RuleApplied { name, cause, undone, result } => {
                self.rule_applied(name, cause, undone, result)
            }
            Event::Tried(request, words) => self.tried(request, words),
            Event::Discovered(request, result) => self.discovered(request, result),
            Event::Followed(request, result) => {
                let is_added = result.as_ref().is_ok_and(|(_, edit)| !edit.is_empty());
                self.source_replied(request, is_added, |app| app.followed(request, result))
            }
            Event::AlreadyFollowed(request, id) => {
                self.source_replied(request, false, |app| app.already_at(request, &id))
            }
            Event::Edited(purpose, result) => self.edited(purpose, result),
            Event::SettingsReloaded(settings) => self.use_settings(settings),
            Event::EntryLoaded(source, result) => self.entry_loaded(source, result),
            Event::BenchReplied(id, reply) => {
                self.with(|editor: &mut Editor, app| editor.bench_replied(app, id, reply).into())
            }
            Event::ViewsCounted(result) => self.views_counted(result),
            Event::ImportRead(request, result) => self.import_read(request, result),
            Event::ListFollowed(request, typed, result) => {
                let is_added = result.is_ok();
                let shown = |app: &mut Self| app.list_followed(request, &typed, result);
                self.source_replied(request, is_added, shown)
            }
            Event::ListAccepted(source, result) => self.list_accepted(source, result),
            Event::PathsListed(typed, paths) => self.paths_listed(&typed, paths),
            Event::LinkFollowed { from, url, item } => self.link_followed(from, url, item),
            Event::CommentsFound(result) => self.comments_found(result),
            Event::EnclosuresFound(file_use, result) => self.enclosures_found(file_use, result),
            Event::DownloadBegun(url) => self.download_begun(url),
            Event::DownloadEnded(url) => self.download_ended(&url),
            Event::DownloadFailed(file, why) => self.download_failed(file, why),
            Event::DownloadsListed(result) => self.downloads_listed(result),
            Event::DownloadRemoved(result) => self.download_removed(result),
            Event::DownloadAdvanced(url, received, total) => {
                self.download_advanced(&url, received, total)
            }
            Event::SaveAdvanced(state, total) => self.save_advanced(state, total),
            Event::MarkdownMade(result) => self.markdown_made(result),
            Event::QueueLoaded(result) => self.queue_loaded(result),
            Event::PlayerChanged(state) => self.player_changed(*state),
            Event::CrawlChanged(state) => self.crawl_changed(*state),
            Event::CrawlsListed(result) => self.crawls_listed(result),
            Event::CrawlUnlisted(folder) => self.crawl_unlisted(&folder),
            Event::ExplorationsListed(result) => self.explorations_listed(result),
            Event::Downloaded(result) => self.downloaded(result),
            Event::SettingsLoaded(result) => self.settings_loaded(result),
            Event::Refreshed(request, report) => self.refreshed(request, &report),
            Event::RefreshEnded(request) => self.refresh_ended(request),
            Event::CommandEnded(name, output, run) => self.command_ended(&name, output, run),
            Event::BrowserPlanned(launch) => self.browser_planned(launch),
            Event::BrowserOpened(result) => self.browser_opened(result),
            Event::Message(Ok(text)) => self.note(text),
            Event::Message(Err(text)) => self.problem(text),
            Event::ChangedByItself(text, undo) => self.changed_by_itself(text, undo),
        }
    }

    fn status_changed(&mut self, status: Status) -> Vec<Effect> {
        let before = std::mem::replace(&mut self.status, status);
        let (error, warning) =
            (self.status.declaration_error.clone(), self.status.declaration_warning.clone());
        if error == before.declaration_error && warning == before.declaration_warning {
            return vec![];
        }
        self.remove_file_problem();
        match (error, warning) {
            (Some(error), _) => return self.show_error(&error),
            (None, Some(warning)) if self.warned.as_ref() != Some(&warning) => {
                self.warned = Some(warning.clone());
                return self.file_problem(warning);
            }
            (None, Some(_)) => {}
            (None, None) => self.warned = None,
        }
        vec![]
    }

    /// When [`Event::TimePassed`] is needed next; `None` if no timer is needed.
    pub(super) fn deadline(&self) -> Option<Time> {
        let toast = self.toast.iter().chain(&self.problem).map(|t| t.until).min();
        let reload = self.stale.not_before.filter(|_| self.stale.changed && !self.stale.loading);
        // Displayed ages change every minute.
        let minute = self.now + TimeDelta::seconds(60 - self.now.timestamp().rem_euclid(60));
        let ages = self.started.then_some(minute);
        let sequence = self.dialogs.iter().find_map(|d| d.deadline());
        let counting = self.counting.deadline();
        let total = self.items.total.deadline();
        let preview = self.preview_deadline();
        let sheet = self.pending.deadline();
        let pictures = self.pictures_deadline();
        let late = self.late_deadline();
        let all = [toast, reload, ages, sequence, counting, total, preview, sheet, pictures, late];
        all.into_iter().flatten().min()
    }

    pub(super) fn request(&mut self) -> RequestId {
        self.requests += 1;
        self.requests
    }

    fn resized(&mut self, width: u16, height: u16) -> Vec<Effect> {
        self.size = (width, height);
        vec![]
    }

    fn time_passed(&mut self) -> Vec<Effect> {
        self.messages_time_passed();
        self.pending.time_passed(self.now);
        let mut effects = self.dialogs_time_passed();
        effects.extend(self.count_if_due());
        effects.extend(self.recount_if_due());
        effects.extend(self.preview_if_due());
        effects.extend(self.reload_if_stale());
        effects
    }
}
