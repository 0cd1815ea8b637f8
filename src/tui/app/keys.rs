//! Maps key presses to actions, and actions to changes.

use super::dialogs::Reply;
use super::import::several_addresses;
use super::triage::Extent;
use super::{App, Focus, Smart, Toast};
use crate::config::{Action, Context, Key, KeyCode, Lookup, SortOrder, show_sequence};
use crate::engine::Pace;
use crate::model::ItemRow;
use crate::store::Mark;
use crate::tui::effect::{Effect, ExitReason, FileUse};
use crate::tui::event::Cause;
use crate::tui::input;
use crossterm::event::{KeyEvent, KeyEventKind};

/// A movement through rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Motion {
    Lines(isize),
    /// A number of half pages.
    HalfPages(isize),
    First,
    Last,
}

impl Motion {
    pub(super) fn of(action: Action) -> Option<Self> {
        Some(match action {
            Action::Down => Self::Lines(1),
            Action::Up => Self::Lines(-1),
            Action::HalfPageDown => Self::HalfPages(1),
            Action::HalfPageUp => Self::HalfPages(-1),
            Action::PageDown => Self::HalfPages(2),
            Action::PageUp => Self::HalfPages(-2),
            Action::First => Self::First,
            Action::Last => Self::Last,
            _ => return None,
        })
    }

    /// The row to which the movement leads.
    pub(super) fn from(self, at: usize, height: usize, count: usize) -> usize {
        let last = count.saturating_sub(1);
        let step = match self {
            Self::First => return 0,
            Self::Last => return last,
            Self::Lines(n) => n,
            Self::HalfPages(n) => n * isize::try_from((height / 2).max(1)).unwrap_or(1),
        };
        at.saturating_add_signed(step).min(last)
    }
}

/// The index of the first row to draw, so that the selected row is visible with a margin.
pub(super) fn scrolled(scroll: usize, selected: usize, height: usize, count: usize) -> usize {
    let margin = (height / 6).min(3);
    let lowest = selected.saturating_sub(margin);
    let highest = (selected + margin + 1).saturating_sub(height);
    scroll.min(lowest).max(highest).min(count.saturating_sub(height))
}

impl App {
    /// The context that determines the effect of a key.
    pub(in crate::tui) fn context(&self) -> Context {
        match self.focus {
            Focus::Sources => Context::Sources,
            Focus::Items => Context::Items,
            Focus::Reader => Context::Reader,
        }
    }

    pub(super) fn key_pressed(&mut self, event: KeyEvent) -> Vec<Effect> {
        if event.kind == KeyEventKind::Release {
            return vec![];
        }
        let now = self.now;
        let was_read = |toast: &mut Toast| toast.was_read(now);
        self.toast.take_if(was_read);
        self.problem.take_if(was_read);
        let Some(key) = input::key(event) else { return vec![] };
        if key == Key::ctrl('c') {
            return self.quit(ExitReason::Quit);
        }
        if !self.dialogs.is_empty() {
            self.pending.clear();
            return self.dialog_key(event, key);
        }
        if key.code() == KeyCode::Esc && !self.pending.keys.is_empty() {
            return self.cancel_sequence();
        }
        self.pending.keys.push(key);
        match self.keymap.lookup(self.context(), &self.pending.keys) {
            Lookup::Prefix => {
                self.pending.wait(self.now);
                vec![]
            }
            Lookup::Action(action) => {
                self.pending.clear();
                self.act(action, key)
            }
            Lookup::None => {
                let keys = std::mem::take(&mut self.pending).keys;
                match self.works_elsewhere(&keys) {
                    Some(message) => self.note(message),
                    // There is no binding for the sequence, so only its last key is handled.
                    None if keys.len() > 1 => self.key_pressed(event),
                    None => self.report_unbound(key),
                }
            }
        }
    }

    /// For keys that have no effect in this pane, the message that names the pane in which they work.
    fn works_elsewhere(&self, keys: &[Key]) -> Option<String> {
        let panes = match self.focus {
            Focus::Reader => [Context::Items, Context::Sources, Context::Reader],
            _ => [Context::Sources, Context::Items, Context::Reader],
        };
        let pane = panes
            .into_iter()
            .find(|pane| matches!(self.keymap.lookup(*pane, keys), Lookup::Action(_)))?;
        let go = match pane {
            Context::Sources => Action::GoSources,
            Context::Items => Action::GoItems,
            _ => Action::GoReader,
        };
        let hint = self.keymap.keys_for(self.context(), go);
        let hint = hint.map(|keys| format!(" ({keys})")).unwrap_or_default();
        Some(format!("{} works in the {} pane{hint}", show_sequence(keys), pane.title()))
    }

    /// Reports, the first time, that a key has no effect, and which key opens the help.
    fn report_unbound(&mut self, key: Key) -> Vec<Effect> {
        let help = self.keymap.keys_for(self.context(), Action::Help);
        match help.filter(|_| self.unbound.insert(key)) {
            Some(help) => self.note(format!("{key} does nothing here. {help} shows the keys.")),
            None => vec![],
        }
    }

    /// Runs an action; `key` is the last key pressed, for actions that use it.
    pub(super) fn act(&mut self, action: Action, key: Key) -> Vec<Effect> {
        let missed = self.reader.missed.take().filter(|_| self.focus == Focus::Reader);
        if let (Some(text), Action::NextUnread | Action::PreviousUnread) = (missed, action) {
            return self.missed(text);
        }
        if let Some(motion) = Motion::of(action) {
            // As in other programs, PgDn only scrolls the text, and does not open the next item.
            let stays = key.code() == KeyCode::PageDown && self.focus == Focus::Reader;
            return if stays { self.scroll_in_text(motion) } else { self.go(motion) };
        }
        if let Some(why) = self.refusal(action) {
            return self.note(why);
        }
        match action {
            Action::NextPane => self.cycle_pane(true),
            Action::PreviousPane if key.code() == KeyCode::Tab => self.cycle_pane(false),
            Action::PreviousPane => self.leave_pane(),
            // Esc first hides the highlights of a search; q goes back at once.
            Action::Back if key.code() == KeyCode::Esc && self.focus == Focus::Reader => {
                if self.reader.hide_marks() { vec![] } else { self.back() }
            }
            Action::Back => self.back(),
            Action::Lines(number) => self.run_lines(number),
            Action::Run => self.open_palette("run "),
            Action::Redraw => vec![Effect::Redraw],
            Action::Open => self.open(),
            Action::Quit => self.quit(ExitReason::Quit),
            Action::Suspend => vec![Effect::Suspend],
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            Action::RefreshAll => self.refresh(None, Pace::Manual),
            Action::Refresh => self.refresh_targets(Pace::Manual),
            Action::ForceRefresh => self.refresh_targets(Pace::Force),
            Action::GoSources => self.go_to_pane(Focus::Sources),
            Action::GoItems => self.go_to_pane(Focus::Items),
            Action::GoReader => self.go_to_pane(Focus::Reader),
            Action::Theme => self.choose_theme(),
            Action::SourcesPane => self.toggle_sources_pane(),
            Action::Density => self.change_density(),
            other => self.act_on_items(other, key),
        }
    }

    fn act_on_items(&mut self, action: Action, key: Key) -> Vec<Effect> {
        match action {
            // During a text search or in a difference, "next" is the next match or change.
            Action::NextUnread if self.stepping() => self.step(true),
            Action::NextUnread => self.next_unread(true),
            Action::PreviousUnread if self.stepping() => self.step(false),
            Action::PreviousUnread => self.next_unread(false),
            Action::NextUnreadSource => self.go_to_unread_source(true),
            Action::PreviousUnreadSource => self.go_to_unread_source(false),
            Action::NextItem => self.step_item(true),
            Action::PreviousItem => self.step_item(false),
            Action::Pin => self.toggle(Mark::Pinned),
            Action::ToggleRead => self.toggle(Mark::Read),
            Action::MarkRead => self.mark_targets(Mark::Read, true),
            Action::MarkUnread => self.mark_targets(Mark::Read, false),
            Action::Later => self.toggle(Mark::Later),
            Action::Snooze => self.snooze(),
            Action::ReadAll => self.read_all(),
            Action::ReadEverything => self.read_everything(),
            Action::ReadAbove => self.read_beyond(action),
            Action::ReadBelow => self.read_beyond(action),
            Action::ReadMatching => self.open_palette("read "),
            Action::ReadFor => self.open_palette("read-for "),
            Action::UnreadOnly => self.toggle_unread_only(),
            Action::ExtendSelection => self.select_range(),
            Action::SelectAll => self.select_extent(Extent::All),
            Action::SelectInverse => self.select_extent(Extent::Inverse),
            Action::SelectNone => self.select_none(),
            Action::Browser => self.browse(false),
            Action::BrowserAndNext => self.browse(true),
            Action::Comments => self.browse_comments(),
            Action::Enclosure => self.use_enclosure(FileUse::Open),
            Action::Download => self.use_enclosure(FileUse::Download),
            Action::StopRunning => vec![Effect::StopRunning { url: None }],
            Action::FollowComments => self.follow_comments(),
            Action::Copy => self.copy(),
            Action::CopyMarkdown => self.copy_markdown(),
            Action::Save => self.ask_where_to_save(),
            Action::Export => self.export(),
            Action::Enqueue => self.enqueue(),
            Action::Queue => self.open_queue(),
            Action::PlayPause | Action::SeekForward | Action::SeekBack | Action::NextEpisode => {
                self.command_player(action)
            }
            Action::FoldStories => self.fold_stories(),
            Action::SortNext => self.sort(true),
            Action::SortPrevious => self.sort(false),
            Action::Select => self.select(),
            other => self.act_on_sources(other, key),
        }
    }

    fn act_on_sources(&mut self, action: Action, key: Key) -> Vec<Effect> {
        match action {
            Action::Fold => {
                self.sources.toggle_fold();
                self.show_selected_source()
            }
            Action::FoldIn => self.fold_in(),
            Action::FoldOut => self.fold_out(),
            Action::ShowUnread => self.show_smart(Smart::Unread),
            Action::ShowToday => self.show_smart(Smart::Today),
            Action::ShowPinned => self.show_smart(Smart::Pinned),
            Action::ShowNew => self.show_smart(Smart::New),
            Action::ShowLater => self.show_smart(Smart::Later),
            Action::ShowAll => self.show_smart(Smart::All),
            Action::Delete => self.delete(),
            Action::Rename => self.rename(),
            Action::Move => self.move_to_folder(),
            Action::EditTags if self.focus != Focus::Sources => self.edit_item_tags(),
            Action::EditTags => self.edit_tags(),
            Action::Switch => self.switch(),
            Action::MoveDown => self.move_in_order(true),
            Action::MoveUp => self.move_in_order(false),
            Action::SaveView => self.name_view(),
            Action::StopCrawl => self.stop_crawl(),
            Action::AcceptList => self.accept_list(),
            Action::EditFile => self.edit_source(),
            other => self.act_in_reader(other, key),
        }
    }

    fn act_in_reader(&mut self, action: Action, key: Key) -> Vec<Effect> {
        match action {
            Action::FullText => self.fetch_text(),
            Action::Prefetch => self.prefetch(),
            Action::Zen => self.toggle_zen(),
            Action::WrapCode => self.toggle_wrap_code(),
            Action::Pictures => self.toggle_pictures(),
            Action::Narrower => self.change_width(-4),
            Action::Wider => self.change_width(4),
            Action::ScrollRight => self.scroll_sideways(true),
            Action::ScrollLeft => self.scroll_sideways(false),
            Action::OpenLink => self.open_link_digit(key),
            Action::JumpBack => self.jump_back(),
            Action::NextHeading => self.step_heading(true),
            Action::PreviousHeading => self.step_heading(false),
            Action::Difference => self.toggle_difference(),
            Action::OlderChange => self.step_difference(true),
            Action::NewerChange => self.step_difference(false),
            other => self.open_dialog(other),
        }
    }

    fn go_to_pane(&mut self, pane: Focus) -> Vec<Effect> {
        self.focus = pane;
        self.zen = false;
        self.store_reading_state()
    }

    fn cycle_pane(&mut self, forward: bool) -> Vec<Effect> {
        let panes: &[Focus] = if self.reader.row().is_some() {
            &[Focus::Sources, Focus::Items, Focus::Reader]
        } else {
            &[Focus::Sources, Focus::Items]
        };
        let at = panes.iter().position(|p| *p == self.focus).unwrap_or(0);
        let step = if forward { 1 } else { panes.len() - 1 };
        self.focus = panes[(at + step) % panes.len()];
        self.zen = false;
        self.store_reading_state()
    }

    /// Moves the focus one pane to the left.
    pub(super) fn leave_pane(&mut self) -> Vec<Effect> {
        self.zen = false;
        self.focus = match self.focus {
            Focus::Reader => Focus::Items,
            Focus::Items | Focus::Sources => Focus::Sources,
        };
        self.store_reading_state()
    }

    /// Goes back one step: leaves a search, zen mode, the selection, the article or the list.
    fn back(&mut self) -> Vec<Effect> {
        match self.focus {
            Focus::Reader if self.reader.show_difference => self.toggle_difference(),
            // If `ui.zen` opens articles in zen mode, going back leaves the article at once.
            Focus::Reader if self.zen && self.settings.ui.zen => self.leave_pane(),
            _ if self.zen => {
                self.zen = false;
                vec![]
            }
            Focus::Items if !self.items.marked.is_empty() => {
                self.items.marked.clear();
                vec![]
            }
            Focus::Items if self.is_narrowed() => {
                // Closes the article of a search result if it hides the Sources pane.
                let hides = self.areas.reader.is_some() && self.areas.sources.is_none();
                let mut effects = if hides { self.close_article() } else { vec![] };
                effects.extend(self.close_search());
                effects
            }
            Focus::Sources if !self.sources.marked.is_empty() => {
                self.sources.marked.clear();
                vec![]
            }
            Focus::Reader | Focus::Items => self.leave_pane(),
            // Pressing the key once too often must not quit the program.
            Focus::Sources => match self.keymap.keys_for(Context::Sources, Action::Quit) {
                Some(key) => self.note(format!("Press {key} to quit")),
                None => vec![],
            },
        }
    }

    pub(super) fn open(&mut self) -> Vec<Effect> {
        match self.focus {
            Focus::Sources => {
                self.focus = Focus::Items;
                vec![]
            }
            // The rows still belong to the previous list.
            Focus::Items if self.items.is_loading() => {
                self.items.opening = true;
                vec![]
            }
            Focus::Items => self.open_item(),
            Focus::Reader => vec![],
        }
    }

    pub(super) fn go(&mut self, motion: Motion) -> Vec<Effect> {
        match self.focus {
            Focus::Sources => {
                let height = self.sources_height();
                let to = motion.from(self.sources.selected, height, self.sources.rows.len());
                self.select_source(to)
            }
            Focus::Items => match motion {
                Motion::First => self.first_item(),
                Motion::Last => self.last_item(),
                _ => {
                    let items = &self.items;
                    let from = items.selected;
                    let to = motion.from(from, items.height, items.rows.len());
                    let mut effects = self.select_item(to);
                    effects.extend(self.pass_items(from));
                    effects
                }
            },
            Focus::Reader => self.scroll_reader(motion),
        }
    }

    fn sources_height(&self) -> usize {
        self.areas.sources.map_or(10, |a| usize::from(a.height)).max(1)
    }

    /// Sets a mark on the targets, or clears it if all of them have it.
    fn toggle(&mut self, mark: Mark) -> Vec<Effect> {
        let to = !self.item_targets().iter().all(|row| has(row, &mark));
        self.mark_targets(mark, to)
    }

    /// Sets a mark on the targets, or clears it.
    fn mark_targets(&mut self, mark: Mark, to: bool) -> Vec<Effect> {
        let mut rows = self.item_targets();
        rows.retain(|row| has(row, &mark) != to);
        if rows.is_empty() {
            return vec![];
        }
        // The commands of one key act on the same items.
        let single =
            self.focus == Focus::Items && self.items.marked.is_empty() && self.sequence.is_none();
        match &mut self.sequence {
            Some(has_marked) => *has_marked = true,
            None => self.items.marked.clear(),
        }
        // A pinned item may move to the top, but the scroll position must not change.
        let moves = mark == Mark::Pinned && self.items.shown_order() == SortOrder::PinnedNewest;
        self.items.keeps_scroll = moves;
        let below = self.items.rows.get(self.items.selected + 1).map(|row| row.key);
        let read = self.reader.row().map(|row| row.key).filter(|_| self.focus == Focus::Reader);
        if mark == Mark::Pinned {
            // Reading continues below the place that a pinned item leaves. An unpinned item returns to its
            // place.
            self.items.left = read.zip(below).filter(|_| moves && to);
        }
        let mut effects = self.set_mark(mark, &rows, to, Cause::User);
        if single {
            effects.extend(self.select_item(self.items.selected + 1));
        }
        effects
    }

    pub(super) fn pasted(&mut self, text: &str) -> Vec<Effect> {
        if self.dialogs.is_empty() {
            // URLs that are pasted outside a field are added as sources.
            if let Some(addresses) = several_addresses(text) {
                return self.import_urls(&addresses);
            }
            let is_url = crate::util::url::parse_web(text.trim()).is_ok();
            return if is_url { self.add_url(text) } else { vec![] };
        }
        let takes = self.dialogs.last().is_some_and(|dialog| dialog.takes_addresses());
        if let Some(addresses) = several_addresses(text).filter(|_| takes) {
            return self.import_urls(&addresses);
        }
        self.with_top(|dialog, app| match dialog.field() {
            Some(field) => {
                let fits = field.paste(text);
                let effects = dialog.typed(app);
                if !fits {
                    let most = input::MAX_FIELD;
                    app.problem(format!("The pasted text was cut off after {most} bytes"));
                }
                effects.into()
            }
            None => Reply::default(),
        })
    }
}

fn has(row: &ItemRow, mark: &Mark) -> bool {
    match mark {
        Mark::Read => row.read,
        Mark::Later => row.later,
        _ => row.pinned,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_selected_row_visible() {
        for count in [1, 5, 30] {
            for height in [1, 2, 7, 40] {
                for selected in 0..count {
                    for before in [0, selected, count, usize::MAX] {
                        let first = scrolled(before, selected, height, count);
                        let seen = (first..first + height).contains(&selected);
                        assert!(seen, "row {selected} of {count} at height {height} from {before}");
                    }
                }
            }
        }
    }
}
