//! Dialogs on top of the panes, and the simple ones: help, log and well-known sources.

use super::keys::Motion;
use super::{
    Add, App, Editor, Focus, Hints, HistoryList, ImportPreview, Jump, KeysPage, LinkList, Palette,
    Prompt, PromptKind, SearchBar, WhyPanel,
};
use crate::config::{Action, Context, Key, Lookup};
use crate::model::{PollRecord, SourceId};
use crate::tui::effect::{Effect, ExitReason};
use crate::tui::input::Field;
use crossterm::event::{KeyCode, KeyEvent};

/// An open dialog.
#[derive(Debug)]
pub(crate) enum Dialog {
    Add(Add),
    Search(SearchBar),
    Palette(Palette),
    Help(Help),
    Log(LogList),
    Links(LinkList),
    Hints(Hints),
    Prompt(Prompt),
    Jump(Jump),
    Import(ImportPreview),
    Starters(Starters),
    Why(WhyPanel),
    Edit(Editor),
    History(HistoryList),
    Keys(KeysPage),
}

/// The list of keys, with a search.
#[derive(Debug, Default)]
pub(crate) struct Help {
    pub(crate) field: Field,
    pub(crate) top: usize,
    pub(crate) context: Option<Context>,
}

/// Failed polls, newest first.
#[derive(Debug, Default)]
pub(crate) struct LogList {
    pub(crate) polls: Option<Vec<(SourceId, PollRecord)>>,
    pub(crate) selected: usize,
}

/// Well-known sources to choose from.
#[derive(Debug)]
pub(crate) struct Starters {
    /// Folder and title.
    pub(crate) rows: Vec<(String, String)>,
    pub(crate) checked: Vec<bool>,
    pub(crate) selected: usize,
}

impl Starters {
    pub(super) fn load() -> Self {
        let row = |s: &crate::model::Source| {
            let title = s.title.clone().unwrap_or_else(|| s.url.to_string());
            (s.folder.clone().unwrap_or_default(), title)
        };
        let rows: Vec<_> = crate::config::starter_sources().iter().map(row).collect();
        Self { checked: vec![false; rows.len()], rows, selected: 0 }
    }
}

impl Dialog {
    /// Whether the dialog shows a spinner.
    pub(super) fn is_busy(&self) -> bool {
        use super::Stage;
        match self {
            Self::Add(add) => matches!(add.stage, Stage::Discovering { .. } | Stage::Following),
            Self::Edit(editor) => editor.is_busy(),
            _ => false,
        }
    }

    /// When a key sequence that is being pressed closes.
    pub(super) fn deadline(&self) -> Option<crate::model::Time> {
        match self {
            Self::Keys(page) => page.deadline(),
            _ => None,
        }
    }

    /// The field that receives a paste.
    pub(super) fn field(&mut self) -> Option<&mut Field> {
        match self {
            Self::Add(add) => Some(&mut add.field),
            Self::Search(bar) => Some(&mut bar.field),
            Self::Palette(palette) => Some(&mut palette.field),
            Self::Help(help) => Some(&mut help.field),
            Self::Prompt(prompt) => Some(&mut prompt.field),
            Self::Jump(jump) => Some(&mut jump.field),
            Self::Edit(editor) => editor.field(),
            Self::Keys(page) => page.field_mut(),
            Self::Log(_)
            | Self::Links(_)
            | Self::Hints(_)
            | Self::Starters(_)
            | Self::Why(_)
            | Self::History(_)
            | Self::Import(_) => None,
        }
    }
}

impl App {
    /// Opens the dialog of an action.
    pub(super) fn open_dialog(&mut self, action: Action) -> Vec<Effect> {
        let dialog = match action {
            Action::Search => return self.open_search(false),
            Action::Filter => return self.open_search(true),
            Action::Add => Dialog::Add(Add::with("")),
            Action::Palette => return self.open_palette(""),
            Action::Help => Dialog::Help(Help { context: Some(self.context()), ..Help::default() }),
            Action::Import => Dialog::Prompt(Prompt::import("")),
            Action::Log => {
                self.dialogs.push(Dialog::Log(LogList::default()));
                return vec![Effect::LoadLog];
            }
            Action::Jump => return self.open_jump(),
            Action::Why => return self.open_why(),
            Action::Edit => return self.open_editor(false),
            Action::Workbench => return self.open_editor(true),
            Action::Settings => return self.open_settings(crate::config::FormPage::Appearance),
            Action::Set | Action::Tag => return self.open_palette(&format!("{action} ")),
            Action::Keys => return self.open_keys(""),
            Action::History => return self.open_history(),
            Action::Links => return self.open_links(""),
            Action::Hints => return self.open_hints(),
            Action::Find if self.reader.article.is_some() => {
                let text = self.reader.find.as_ref().map_or("", |f| f.text.as_str()).to_owned();
                Dialog::Prompt(Prompt::new(PromptKind::Find, &text))
            }
            Action::Pipe if self.reader.article.is_some() => {
                Dialog::Prompt(Prompt::new(PromptKind::Pipe, ""))
            }
            _ => return vec![],
        };
        self.dialogs.push(dialog);
        vec![]
    }

    /// A key press while a dialog is open.
    pub(super) fn dialog_key(&mut self, event: KeyEvent, key: Key) -> Vec<Effect> {
        if let Some(Dialog::Keys(_)) = self.dialogs.last() {
            return self.keys_key(event, key);
        }
        // In dialogs without a field the quit key still quits.
        let quits = self.keymap.lookup(Context::Everywhere, &[key]) == Lookup::Action(Action::Quit);
        // Except in the editor, whose changes would be lost.
        let closes = |l: &mut Dialog| l.field().is_none() && !matches!(l, Dialog::Edit(_));
        if quits && self.dialogs.last_mut().is_some_and(closes) {
            return vec![Effect::Quit(ExitReason::Quit)];
        }
        match self.dialogs.last() {
            Some(Dialog::Add(_)) => self.add_key(event),
            Some(Dialog::Search(_)) => self.search_key(event),
            Some(Dialog::Palette(_)) => self.palette_key(event),
            Some(Dialog::Help(_)) => self.help_key(event),
            Some(Dialog::Log(_)) => self.log_key(event, key),
            Some(Dialog::Links(_)) => self.links_key(event, self.motion(key), self.is_back(key)),
            Some(Dialog::Hints(_)) => self.hints_key(key),
            Some(Dialog::Prompt(_)) => self.prompt_key(event),
            Some(Dialog::Jump(_)) => self.jump_key(event),
            Some(Dialog::Import(_)) => self.import_key(event, key),
            Some(Dialog::Starters(_)) => self.starters_key(event, key),
            Some(Dialog::Why(_)) => self.why_key(key),
            Some(Dialog::Edit(_)) => self.editor_key(event, key),
            Some(Dialog::History(_)) => self.history_key(event, key),
            Some(Dialog::Keys(_)) => self.keys_key(event, key),
            None => vec![],
        }
    }

    /// Updates the top dialog after its text changed.
    pub(super) fn field_changed(&mut self) -> Vec<Effect> {
        match self.dialogs.last_mut() {
            Some(Dialog::Search(_)) => self.search_changed(),
            Some(Dialog::Palette(palette)) => {
                (palette.selected, palette.moved) = (0, false);
                vec![]
            }
            Some(Dialog::Help(help)) => {
                help.top = 0;
                vec![]
            }
            Some(Dialog::Keys(page)) => {
                page.selected = 0;
                self.list_keys()
            }
            Some(Dialog::Edit(editor)) => {
                let effects = editor.typed();
                self.preview();
                effects
            }
            Some(Dialog::Prompt(_)) => self.prompt_typed(),
            Some(Dialog::Jump(_)) => self.jump_typed(),
            _ => vec![],
        }
    }

    pub(super) fn type_into_field(&mut self, event: KeyEvent) -> Vec<Effect> {
        let changed =
            self.dialogs.last_mut().and_then(Dialog::field).is_some_and(|f| f.input(event));
        if changed { self.field_changed() } else { vec![] }
    }

    fn help_key(&mut self, event: KeyEvent) -> Vec<Effect> {
        let Some(Dialog::Help(help)) = self.dialogs.last_mut() else { return vec![] };
        let page = 10;
        match event.code {
            KeyCode::Esc => {
                self.dialogs.pop();
            }
            KeyCode::Char('q' | '?') if help.field.value().is_empty() => {
                self.dialogs.pop();
            }
            KeyCode::Down => help.top += 1,
            KeyCode::Up => help.top = help.top.saturating_sub(1),
            KeyCode::PageDown => help.top += page,
            KeyCode::PageUp => help.top = help.top.saturating_sub(page),
            _ => return self.type_into_field(event),
        }
        vec![]
    }

    /// Lists without a field use the movement keys of the Items pane.
    pub(super) fn motion(&self, key: Key) -> Option<Motion> {
        match self.keymap.lookup(Context::Items, &[key]) {
            Lookup::Action(action) => Motion::of(action),
            _ => None,
        }
    }

    /// The action bound to a single key in every context.
    pub(super) fn action_of(&self, key: Key) -> Option<Action> {
        match self.keymap.lookup(Context::Everywhere, &[key]) {
            Lookup::Action(action) => Some(action),
            _ => None,
        }
    }

    pub(super) fn is_back(&self, key: Key) -> bool {
        matches!(
            self.keymap.lookup(Context::Everywhere, &[key]),
            Lookup::Action(Action::Back | Action::Log)
        )
    }

    fn log_key(&mut self, event: KeyEvent, key: Key) -> Vec<Effect> {
        let (motion, back) = (self.motion(key), self.is_back(key));
        let Some(Dialog::Log(log)) = self.dialogs.last_mut() else { return vec![] };
        let count = log.polls.as_ref().map_or(0, Vec::len);
        if let Some(motion) = motion {
            log.selected = motion.from(log.selected, 10, count);
        } else if event.code == KeyCode::Enter {
            let source =
                log.polls.as_ref().and_then(|p| p.get(log.selected)).map(|(id, _)| id.clone());
            self.dialogs.pop();
            let key =
                source.and_then(|id| self.sources.list.sources.iter().find(|s| s.source.id == id));
            if let Some(row) = key.map(|s| super::RowId::Source(s.facts.key)) {
                self.sources.select(&row);
                self.focus = super::Focus::Sources;
                return self.show_selected_source();
            }
        } else if back {
            self.dialogs.pop();
        }
        vec![]
    }

    fn starters_key(&mut self, event: KeyEvent, key: Key) -> Vec<Effect> {
        let (motion, back) = (self.motion(key), self.is_back(key));
        let Some(Dialog::Starters(list)) = self.dialogs.last_mut() else { return vec![] };
        match event.code {
            KeyCode::Char(' ') => {
                if let Some(checked) = list.checked.get_mut(list.selected) {
                    *checked = !*checked;
                }
            }
            KeyCode::Enter => {
                let mut indexes: Vec<usize> =
                    (0..list.checked.len()).filter(|&i| list.checked[i]).collect();
                if indexes.is_empty() {
                    indexes.push(list.selected);
                }
                self.dialogs.pop();
                return vec![Effect::FollowStarters { indexes }];
            }
            _ => {
                if let Some(motion) = motion {
                    list.selected = motion.from(list.selected, 10, list.rows.len());
                } else if back {
                    self.dialogs.pop();
                }
            }
        }
        vec![]
    }

    pub(super) fn log_loaded(
        &mut self,
        result: Result<Vec<(SourceId, PollRecord)>, String>,
    ) -> Vec<Effect> {
        // Opened from a source, the log starts at the last failure of that source.
        let about = match self.focus {
            Focus::Sources => self.sources.targets().first().map(|s| s.source.id.clone()),
            Focus::Items | Focus::Reader => None,
        };
        match (result, self.dialogs.last_mut()) {
            (Ok(polls), Some(Dialog::Log(log))) => {
                let first = about.and_then(|id| polls.iter().position(|(source, _)| *source == id));
                log.selected = first.unwrap_or(0);
                log.polls = Some(polls);
            }
            (Err(why), _) => return self.problem(why),
            _ => {}
        }
        vec![]
    }
}
