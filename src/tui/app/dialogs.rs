//! Common parts of all dialogs, the question and help dialogs, and the opening of an action's dialog.

use super::keys::Motion;
use super::{Add, App, Prompt, PromptKind};
use crate::config::{Action, Context, Key, Lookup};
use crate::model::{SourceId, Time};
use crate::tui::effect::{Effect, ExitReason};
use crate::tui::event::RequestId;
use crate::tui::input::{self, Field};
use crate::tui::view::{self, DialogArea};
use KeyHint::Back;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::Position;
use std::any::Any;
use std::fmt::Debug;

/// A dialog. The state of each dialog implements this trait.
pub(crate) trait Dialog: Any + Debug {
    /// Handles a key press. The dialog is not on the stack during this call.
    fn key(&mut self, app: &mut App, event: KeyEvent, key: Key) -> Reply;

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea);

    /// The keys of the dialog and their effects, most useful first.
    fn hints(&self) -> KeyHints;

    /// The field that receives typed and pasted text.
    fn field(&mut self) -> Option<&mut Field> {
        None
    }

    /// Updates the dialog after the text of its field changed.
    fn typed(&mut self, _app: &mut App) -> Vec<Effect> {
        vec![]
    }

    /// Handles the mouse; by default the wheel moves like the arrow keys.
    fn mouse(&mut self, app: &mut App, kind: MouseEventKind, _at: Position) -> Reply {
        let code = match kind {
            MouseEventKind::ScrollDown => KeyCode::Down,
            MouseEventKind::ScrollUp => KeyCode::Up,
            _ => return Reply::default(),
        };
        let event = KeyEvent::new(code, KeyModifiers::NONE);
        input::key(event).map_or_else(Reply::default, |key| self.key(app, event, key))
    }

    /// When [`Dialog::time_passed`] is to be called.
    fn deadline(&self) -> Option<Time> {
        None
    }

    fn time_passed(&mut self, _app: &mut App) -> Vec<Effect> {
        vec![]
    }

    /// Whether the quit key quits the program. It does not while the user is typing.
    fn quits(&mut self) -> bool {
        self.field().is_none()
    }

    /// Whether the dialog is a line at the bottom that leaves the panes visible.
    fn is_line(&self) -> bool {
        false
    }

    /// Whether the dialog has a frame with its keys, and dims the area behind it.
    fn is_framed(&self) -> bool {
        !self.is_line()
    }

    /// Whether the dialog does not dim the area behind it, because the user has to see how that area looks.
    fn is_see_through(&self) -> bool {
        false
    }

    /// Whether the dialog receives every key, because the user is recording a key binding.
    fn takes_keys(&self) -> bool {
        false
    }

    /// Whether this is the help dialog.
    fn is_help(&self) -> bool {
        false
    }

    /// Whether pasting several URLs into the field imports them.
    fn takes_addresses(&self) -> bool {
        false
    }

    /// The request whose success closes the dialog.
    fn awaits(&self) -> Option<RequestId> {
        None
    }

    /// Passes a key to the field.
    fn type_key(&mut self, app: &mut App, event: KeyEvent) -> Reply {
        let changed = self.field().is_some_and(|field| field.input(event));
        if changed { self.typed(app).into() } else { Reply::default() }
    }
}

/// A key of a dialog with its effect. If the key is bound in the key map, the hint has the action instead of
/// the key.
#[derive(Debug, Clone, Copy)]
pub(crate) enum KeyHint {
    /// A key of the dialog itself.
    Key(&'static str, &'static str),
    /// The key that is bound to a command in a context.
    Bound(Context, Action, &'static str),
    /// The keys that move through rows.
    Rows(&'static str),
    /// The key that goes back: `Esc` if it is bound to [`Action::Back`], otherwise another bound key.
    Back(&'static str),
}

pub(crate) type KeyHints = &'static [KeyHint];

/// The result of a key press in a dialog.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    effects: Vec<Effect>,
    pub(super) close: bool,
}

impl Reply {
    pub(super) fn close(effects: Vec<Effect>) -> Self {
        Self { effects, close: true }
    }
}

impl From<Vec<Effect>> for Reply {
    fn from(effects: Vec<Effect>) -> Self {
        Self { effects, close: false }
    }
}

/// Maximum number of names listed in a question.
const MAX_NAMES: usize = 8;

/// The first of some names, and the number of the others.
pub(super) fn some_names(names: impl ExactSizeIterator<Item: Into<String>>) -> Vec<String> {
    let count = names.len();
    let shown = if count > MAX_NAMES { MAX_NAMES - 1 } else { count };
    let more = (count > shown).then(|| format!("and {} more", count - shown));
    names.take(shown).map(Into::into).chain(more).collect()
}

/// The part of a question that explains whether the change can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TakesBack {
    Nothing,
    /// Undo restores the sources.
    Sources,
    /// Undo is possible until the program exits.
    Marks,
    /// It cannot be undone.
    Never,
}

/// A question before a change. Enter confirms it.
#[derive(Debug)]
pub(crate) struct Confirm {
    pub(crate) title: &'static str,
    pub(crate) question: String,
    /// What the change affects, one line each.
    pub(crate) details: Vec<String>,
    effect: Option<Effect>,
    /// The alternative effect, for the key `a`.
    other: Option<Effect>,
    pub(crate) takes_back: TakesBack,
    /// The action whose key also confirms if it is pressed again.
    again: Option<Action>,
    hints: KeyHints,
}

impl Confirm {
    /// A question before the selected sources are removed.
    pub(super) fn new(question: String, details: Vec<String>, effect: Effect) -> Self {
        Self {
            title: "Remove",
            question,
            details,
            effect: Some(effect),
            other: None,
            takes_back: TakesBack::Sources,
            again: None,
            hints: &[KeyHint::Key("Enter y", "remove"), Back("cancel")],
        }
    }

    /// A question before a list is removed, with the choice to remove its sources too.
    pub(super) fn of_list(
        question: String,
        details: Vec<String>,
        effect: Effect,
        with_sources: Effect,
    ) -> Self {
        let hints = &[
            KeyHint::Key("Enter y", "remove the list"),
            KeyHint::Key("a", "with its sources"),
            Back("cancel"),
        ];
        Self { hints, other: Some(with_sources), ..Self::new(question, details, effect) }
    }

    /// A question about something that cannot be undone.
    pub(super) fn for_good(question: String, detail: String, effect: Effect) -> Self {
        Self { takes_back: TakesBack::Never, ..Self::new(question, vec![detail], effect) }
    }

    /// A question before many things are opened.
    pub(super) fn opening(question: String, details: Vec<String>, effect: Effect) -> Self {
        let hints = &[KeyHint::Key("Enter y", "open"), Back("cancel")];
        let takes_back = TakesBack::Nothing;
        Self { title: "Open", takes_back, hints, ..Self::new(question, details, effect) }
    }

    /// A question before an action marks many items read. Pressing its key again confirms.
    pub(super) fn marking(
        action: Action,
        question: String,
        details: Vec<String>,
        effect: Effect,
    ) -> Self {
        let (title, hints): (_, KeyHints) = match action {
            Action::ReadAll => {
                ("Mark all read", &[KeyHint::Key("Enter y", "mark all read"), Back("cancel")])
            }
            _ => ("Mark read", &[KeyHint::Key("Enter y", "mark read"), Back("cancel")]),
        };
        let (takes_back, again) = (TakesBack::Marks, Some(action));
        Self { title, takes_back, again, hints, ..Self::new(question, details, effect) }
    }
}

impl Dialog for Confirm {
    fn key(&mut self, app: &mut App, event: KeyEvent, key: Key) -> Reply {
        let pressed = app.keymap.lookup(app.context(), &[key]);
        let is_again = self.again.is_some_and(|again| pressed == Lookup::Action(again));
        match event.code {
            _ if matches!(event.code, KeyCode::Enter | KeyCode::Char('y')) || is_again => {
                app.sources.marked.retain(|_| self.takes_back != TakesBack::Sources);
                Reply::close(self.effect.take().into_iter().collect())
            }
            KeyCode::Char('a') if self.other.is_some() => {
                app.sources.marked.clear();
                Reply::close(self.other.take().into_iter().collect())
            }
            KeyCode::Char('n' | 'q') => Reply::close(vec![]),
            _ if app.is_back(key) => Reply::close(vec![]),
            _ => Reply::default(),
        }
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::dialogs::confirm(app, frame, self, area);
    }

    fn hints(&self) -> KeyHints {
        self.hints
    }

    fn quits(&mut self) -> bool {
        false
    }
}

/// The help: a list of keys, grouped by task, with a filter.
#[derive(Debug)]
pub(crate) struct Help {
    pub(crate) field: Field,
    pub(crate) top: usize,
    /// Number of visible lines.
    pub(crate) height: usize,
    /// The context in which the help was opened.
    pub(crate) context: Context,
    /// The keys of the dialog in which it was opened.
    pub(crate) dialog: KeyHints,
}

impl App {
    /// Opens the dialog of an action.
    pub(super) fn open_dialog(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Search => self.open_search(false),
            Action::Filter => self.open_search(true),
            Action::Add if self.sources.list.sources.is_empty() => self.push_dialog(Add::welcome()),
            Action::Add => self.push_dialog(Add::with("")),
            Action::Starters => self.push_dialog(super::starters::Starters::load()),
            Action::Demo => self.quit(ExitReason::Demo),
            Action::Palette => self.open_palette(""),
            Action::Help => self.open_help(&[]),
            Action::Import => self.push_dialog(Prompt::import("")),
            Action::Log => self.open_log(),
            Action::Progress => self.open_progress(),
            Action::Jump => self.open_jump(),
            Action::Why => self.open_why(),
            Action::Stats => self.open_stats(),
            Action::Rules => self.open_rules(),
            Action::Downloads => self.open_downloads(),
            Action::Crawls => self.open_crawls(),
            Action::Crawl => self.open_crawl_form(),
            Action::Hide => self.open_rule_for_items(),
            Action::Edit => self.open_editor(false),
            Action::Workbench => self.open_editor(true),
            Action::Settings => self.open_settings(crate::config::FormPage::Appearance),
            Action::Tag if self.has_no_tags() => {
                let key = self.keymap.keys_for(Context::Sources, Action::EditTags);
                let hint =
                    key.map(|key| format!(" Press {key} on a source or an item to add one."));
                self.note(format!("No source or item has a tag.{}", hint.unwrap_or_default()))
            }
            Action::Set | Action::Tag => self.open_palette(&format!("{action} ")),
            Action::Keys => self.open_keys(""),
            Action::History => self.open_history(),
            Action::Links => self.open_links(""),
            Action::Headings => self.open_headings(),
            Action::Hints => self.open_hints(),
            Action::CopyCode => self.choose_code(),
            Action::Find if self.reader.article.is_some() => {
                let text = self.reader.find.as_ref().and_then(|find| find.text.clone());
                self.ask(PromptKind::Find, &text.unwrap_or_default())
            }
            Action::Pipe if self.reader.article.is_some() => self.ask(PromptKind::Pipe, ""),
            _ => vec![],
        }
    }

    fn has_no_tags(&self) -> bool {
        self.sources.tags().is_empty() && self.sources.list.item_tags.is_empty()
    }

    /// The topmost open dialog of a type.
    pub(crate) fn dialog<D: Dialog>(&self) -> Option<&D> {
        self.dialogs.iter().rev().find_map(|dialog| (dialog.as_ref() as &dyn Any).downcast_ref())
    }

    pub(super) fn dialog_mut<D: Dialog>(&mut self) -> Option<&mut D> {
        let all = self.dialogs.iter_mut().rev();
        all.filter_map(|dialog| (dialog.as_mut() as &mut dyn Any).downcast_mut()).next()
    }

    pub(super) fn push_dialog(&mut self, dialog: impl Dialog) -> Vec<Effect> {
        self.push_boxed(Box::new(dialog));
        vec![]
    }

    pub(super) fn push_boxed(&mut self, dialog: Box<dyn Dialog>) {
        self.dialogs.push(dialog);
        // A note would hide the keys of the dialog. A problem stays visible until the user has seen it.
        self.toast.take_if(|toast| toast.tone == super::Tone::Note);
    }

    pub(super) fn close_dialogs<D: Dialog>(&mut self) {
        self.dialogs.retain(|dialog| !(dialog.as_ref() as &dyn Any).is::<D>());
    }

    /// Takes the topmost dialog of a type off the stack for a function that also needs the app.
    pub(super) fn with<D: Dialog>(
        &mut self,
        work: impl FnOnce(&mut D, &mut Self) -> Reply,
    ) -> Vec<Effect> {
        let mut dialogs = self.dialogs.iter();
        let Some(at) = dialogs.rposition(|d| (d.as_ref() as &dyn Any).is::<D>()) else {
            return vec![];
        };
        self.with_dialog(at, |dialog, app| match (dialog as &mut dyn Any).downcast_mut() {
            Some(dialog) => work(dialog, app),
            None => Reply::default(),
        })
    }

    fn with_dialog(
        &mut self,
        at: usize,
        work: impl FnOnce(&mut dyn Dialog, &mut Self) -> Reply,
    ) -> Vec<Effect> {
        let mut dialog = self.dialogs.remove(at);
        let reply = work(dialog.as_mut(), self);
        if !reply.close {
            self.dialogs.insert(at.min(self.dialogs.len()), dialog);
        }
        reply.effects
    }

    pub(super) fn with_top(
        &mut self,
        work: impl FnOnce(&mut dyn Dialog, &mut Self) -> Reply,
    ) -> Vec<Effect> {
        match self.dialogs.len().checked_sub(1) {
            Some(top) => self.with_dialog(top, work),
            None => vec![],
        }
    }

    /// Handles a key press while a dialog is open.
    pub(super) fn dialog_key(&mut self, event: KeyEvent, key: Key) -> Vec<Effect> {
        self.with_top(|dialog, app| {
            // If there is a field, it receives keys that type a character.
            let is_typed = dialog.field().is_some() && key.text().is_some();
            match app.action_of(key) {
                Some(Action::Quit) if dialog.quits() => Reply::close(app.quit(ExitReason::Quit)),
                Some(Action::Help) if !is_typed && !dialog.is_help() && !dialog.takes_keys() => {
                    app.open_help(dialog.hints()).into()
                }
                _ => dialog.key(app, event, key),
            }
        })
    }

    fn open_help(&mut self, dialog: KeyHints) -> Vec<Effect> {
        let (field, context) = (Field::default(), self.context());
        self.push_dialog(Help { field, top: 0, height: 0, context, dialog })
    }

    /// Calls [`Dialog::time_passed`] of the dialogs whose deadline has passed.
    pub(super) fn dialogs_time_passed(&mut self) -> Vec<Effect> {
        let now = self.now;
        match self.dialogs.iter().position(|d| d.deadline().is_some_and(|at| at <= now)) {
            Some(at) => self.with_dialog(at, |dialog, app| dialog.time_passed(app).into()),
            None => vec![],
        }
    }

    /// The title of a source, or its id if it was removed.
    pub(crate) fn source_name<'a>(&'a self, id: &'a SourceId) -> &'a str {
        let entry = self.sources.list.sources.iter().find(|s| s.source.id == *id);
        entry.map_or(id.as_str(), |entry| entry.title())
    }

    /// The movement that a key makes in the Items pane, and in lists without a text field.
    pub(super) fn motion(&self, key: Key) -> Option<Motion> {
        match self.keymap.lookup(Context::Items, &[key]) {
            Lookup::Action(action) => Motion::of(action),
            _ => None,
        }
    }

    /// The action that is bound to a single key in every context.
    pub(super) fn action_of(&self, key: Key) -> Option<Action> {
        match self.keymap.lookup(Context::Everywhere, &[key]) {
            Lookup::Action(action) => Some(action),
            _ => None,
        }
    }

    pub(super) fn is_back(&self, key: Key) -> bool {
        matches!(self.action_of(key), Some(Action::Back | Action::Log))
    }
}

impl Dialog for Help {
    fn key(&mut self, app: &mut App, event: KeyEvent, _key: Key) -> Reply {
        // One line of the previous page stays visible.
        let page = self.height.saturating_sub(1).max(1);
        match event.code {
            KeyCode::Esc | KeyCode::F(1) => return Reply::close(vec![]),
            KeyCode::Char('?') if self.field.value().is_empty() => {
                return Reply::close(vec![]);
            }
            KeyCode::Down => self.top += 1,
            KeyCode::Up => self.top = self.top.saturating_sub(1),
            KeyCode::PageDown => self.top += page,
            KeyCode::Char(' ') if self.field.value().is_empty() => self.top += page,
            KeyCode::PageUp => self.top = self.top.saturating_sub(page),
            _ => return self.type_key(app, event),
        }
        Reply::default()
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::help::draw(app, frame, self, area);
    }

    fn is_help(&self) -> bool {
        true
    }

    fn hints(&self) -> KeyHints {
        &[
            KeyHint::Key("type", "to find"),
            KeyHint::Key("Up Down", "scroll"),
            KeyHint::Key("Esc", "close"),
        ]
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }

    fn typed(&mut self, _app: &mut App) -> Vec<Effect> {
        self.top = 0;
        vec![]
    }
}
