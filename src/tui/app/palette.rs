//! The command palette: finds commands by name, and accepts arguments.

mod arguments;

use super::App;
use super::dialogs::{Dialog, KeyHint, KeyHints, Reply};
use super::rank::{actions, settings};
use crate::config::{self, Action, Key, Task, setting_shown};
use crate::tui::effect::Effect;
use crate::tui::event::SourceEntry;
use crate::tui::input::Field;
use crate::tui::view::{self, DialogArea};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;

#[derive(Debug, Default)]
pub(crate) struct Palette {
    pub(crate) field: Field,
    pub(crate) selected: usize,
    /// Whether the user has moved the selection.
    pub(super) moved: bool,
}

/// A row of the palette.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) action: Action,
    /// The argument, as it is written in the field.
    pub(crate) argument: Option<String>,
    /// Row key of the source, because titles may be ambiguous.
    pub(super) source: Option<i64>,
    /// One-line description.
    pub(crate) help: String,
    /// Why the command is not available.
    pub(crate) reason: Option<&'static str>,
    /// The heading above the row.
    pub(crate) group: Option<&'static str>,
}

/// The kind of argument that an action accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgumentKind {
    Theme,
    Page,
    Source,
    Tag,
    Setting,
    Order,
    Action,
    Command,
    /// Free text, with a description.
    Text(&'static str),
}

pub(super) fn argument_kind(action: Action) -> Option<ArgumentKind> {
    Some(match action {
        Action::Theme => ArgumentKind::Theme,
        Action::Settings => ArgumentKind::Page,
        Action::Open
        | Action::Edit
        | Action::Workbench
        | Action::EditFile
        | Action::Refresh
        | Action::ForceRefresh
        | Action::Delete
        | Action::Why => ArgumentKind::Source,
        Action::Tag => ArgumentKind::Tag,
        Action::Set => ArgumentKind::Setting,
        Action::SortNext => ArgumentKind::Order,
        Action::Keys => ArgumentKind::Action,
        Action::Run => ArgumentKind::Command,
        Action::Add => ArgumentKind::Text("a URL"),
        Action::Import => ArgumentKind::Text("a file"),
        Action::Search => ArgumentKind::Text("words to search for"),
        Action::ReadMatching => ArgumentKind::Text("a query such as age>3d"),
        Action::ReadFor => ArgumentKind::Text("minutes, such as 20"),
        Action::Filter => ArgumentKind::Text("words in titles"),
        Action::Save => ArgumentKind::Text("a file such as weekend.epub"),
        Action::Find => ArgumentKind::Text("words in the article"),
        Action::Pipe => ArgumentKind::Text("a shell command"),
        _ => return None,
    })
}

/// The typed command and its argument; `None` if the command accepts no argument.
fn typed_command(typed: &str) -> Option<(Action, ArgumentKind, &str)> {
    let (name, rest) = typed.trim_start().split_once(' ')?;
    let action: Action = name.parse().ok().or_else(|| Action::known_as(name))?;
    Some((action, argument_kind(action)?, rest.trim_start()))
}

/// Describes what can be typed after the name of a command.
pub(crate) fn command_takes(action: Action) -> Option<&'static str> {
    Some(match argument_kind(action)? {
        ArgumentKind::Theme => "a theme",
        ArgumentKind::Page => "a page or a setting",
        ArgumentKind::Source => "a source",
        ArgumentKind::Tag => "a tag",
        ArgumentKind::Setting => "a setting and its value",
        ArgumentKind::Order => "an order",
        ArgumentKind::Action => "a command",
        ArgumentKind::Command => "the name of a program",
        ArgumentKind::Text(what) => what,
    })
}

/// Maximum number of commands that are listed as recently used.
pub(super) const MAX_RECENT: usize = 4;
/// Maximum number of rows for arguments.
const MAX_ARGUMENTS: usize = 200;
/// Maximum number of settings below the commands.
const MAX_SETTINGS: usize = 8;
/// Minimum number of typed letters for finding settings. Fewer letters would match too many settings.
const SETTING_LETTERS: usize = 3;

/// Groups the actions by task. The tasks are in the order of their best-matching actions.
fn by_task(found: Vec<Action>) -> Vec<Action> {
    let mut tasks: Vec<Task> = Vec::new();
    for action in &found {
        if !tasks.contains(&action.task()) {
            tasks.push(action.task());
        }
    }
    let of = |task: &Task| found.iter().filter(|a| a.task() == *task).copied().collect::<Vec<_>>();
    tasks.iter().flat_map(of).collect()
}

impl Palette {
    /// What the rows are, as the title of the dialog.
    pub(crate) fn title(&self) -> &'static str {
        match typed_command(self.field.value()).map(|(_, kind, _)| kind) {
            Some(ArgumentKind::Theme) => "Themes",
            Some(ArgumentKind::Page | ArgumentKind::Setting) => "Settings",
            Some(ArgumentKind::Source) => "Sources",
            Some(ArgumentKind::Tag) => "Tags",
            Some(ArgumentKind::Order) => "Orders",
            Some(ArgumentKind::Command) => "Programs",
            Some(ArgumentKind::Action | ArgumentKind::Text(_)) | None => "Commands",
        }
    }
}

impl Dialog for Palette {
    fn key(&mut self, app: &mut App, event: KeyEvent, _key: Key) -> Reply {
        self.pressed(app, event)
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::palette::draw(app, frame, self, area);
    }

    fn hints(&self) -> KeyHints {
        &[
            KeyHint::Key("Enter", "run"),
            KeyHint::Key("Tab", "complete"),
            KeyHint::Key("Up Down", "select"),
            KeyHint::Key("Esc", "close"),
        ]
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }

    fn typed(&mut self, _app: &mut App) -> Vec<Effect> {
        (self.selected, self.moved) = (0, false);
        vec![]
    }
}

/// Splits `key value` or `key = value` into key and value. The value may contain spaces and equals signs.
pub(in crate::tui) fn assignment(typed: &str) -> Option<(&str, &str)> {
    let end = typed.find([' ', '='])?;
    let value = typed[end..].trim_start();
    Some((&typed[..end], value.strip_prefix('=').unwrap_or(value).trim()))
}

impl Palette {
    fn pressed(&mut self, app: &mut App, event: KeyEvent) -> Reply {
        let hits = app.palette_hits(self);
        let last = hits.len().saturating_sub(1);
        self.selected = self.selected.min(last);
        match event.code {
            KeyCode::Esc => return Reply::close(vec![]),
            KeyCode::Down => self.selected = (self.selected + 1).min(last),
            KeyCode::Up => self.selected = self.selected.saturating_sub(1),
            KeyCode::PageDown => self.selected = (self.selected + 10).min(last),
            KeyCode::PageUp => self.selected = self.selected.saturating_sub(10),
            KeyCode::Tab => {
                if let Some(hit) = hits.get(self.selected) {
                    self.complete(app, hit);
                }
                return Reply::default();
            }
            KeyCode::Enter => {
                return match hits.into_iter().nth(self.selected) {
                    Some(hit) if self.moved || self.is_literal(&hit) => self.enter(app, hit),
                    // A hit that is only a guess is first shown in the field.
                    Some(hit) => {
                        self.complete(app, &hit);
                        Reply::default()
                    }
                    None => app.note(self.no_match()).into(),
                };
            }
            _ => return self.type_key(app, event),
        }
        self.moved = true;
        Reply::default()
    }

    /// Whether the typed text is contained in the name of a hit, instead of only being similar to it.
    fn is_literal(&self, hit: &Hit) -> bool {
        let typed = self.field.value().trim().to_lowercase();
        if Action::known_as(&typed) == Some(hit.action) && !hit.action.is_sweeping() {
            return true;
        }
        // A command that changes many items or sources, or that leaves this session, is first shown in the
        // field.
        let leaves = hit.action.is_sweeping() || hit.action == Action::Demo;
        let name = typed.split_once(' ').map_or(typed.as_str(), |(name, _)| name);
        if leaves && name != hit.action.name() {
            return false;
        }
        // Typing only a value must not change the setting yet.
        if hit.action == Action::Set && !typed.contains([' ', '=']) {
            return false;
        }
        let argument = typed.split_once(' ').map_or(typed.as_str(), |(_, rest)| rest.trim());
        let setting = (hit.action == Action::Set).then(|| assignment(argument)).flatten();
        let setting = setting.map(|(key, value)| format!("{key} {value}"));
        let argument = setting.as_deref().unwrap_or(argument);
        let names = [Some(hit.action.name()), Some(hit.help.as_str()), hit.argument.as_deref()];
        let names: Vec<String> = names.into_iter().flatten().map(str::to_lowercase).collect();
        names.iter().any(|name| name.contains(&typed) || name.contains(argument))
    }

    /// Explains why nothing matches.
    fn no_match(&self) -> String {
        let typed = self.field.value().trim();
        match typed.split_once(' ') {
            Some((name, rest))
                if name.parse::<Action>().is_ok() || Action::known_as(name).is_some() =>
            {
                format!("{name}: there is nothing called {}", rest.trim())
            }
            _ => format!("There is no command {typed}"),
        }
    }

    fn complete(&mut self, app: &App, hit: &Hit) {
        *self = Self { field: Field::new(&app.completed(hit)), ..Self::default() };
    }

    fn enter(&mut self, app: &mut App, hit: Hit) -> Reply {
        // If a required argument is missing, the command is completed in the field instead of run.
        let incomplete = match hit.action {
            Action::Set => !hit.argument.as_ref().is_some_and(|a| a.contains(' ')),
            Action::Tag | Action::Run => hit.argument.is_none(),
            Action::ReadMatching | Action::ReadFor => {
                hit.argument.as_deref().is_none_or(|a| a.trim().is_empty())
            }
            _ => false,
        };
        if incomplete {
            self.complete(app, &hit);
            return Reply::default();
        }
        let id = self.field.value().split_once(' ').map_or("", |(_, rest)| rest.trim());
        if !self.moved && app.is_ambiguous(&hit, id) {
            let title = hit.argument.unwrap_or_default();
            let why = format!("Several sources are called {title}; select one with the arrow keys");
            return app.note(why).into();
        }
        Reply::close(app.run_hit(hit))
    }
}

impl App {
    /// Opens the palette with the given text in its field.
    pub(super) fn open_palette(&mut self, typed: &str) -> Vec<Effect> {
        let palette = Palette { field: Field::new(typed), ..Palette::default() };
        self.push_dialog(palette)
    }

    /// The rows that match the text in the field, best first.
    pub(crate) fn palette_hits(&self, palette: &Palette) -> Vec<Hit> {
        let typed = palette.field.value().trim_start();
        let command = typed_command(typed);
        // A setting with a value needs no `set` before it.
        let is_setting = |key: &str| config::setting_rows().any(|row| row.key == key);
        let set = assignment(typed).filter(|(key, _)| is_setting(key));
        let command = command.or(set.map(|_| (Action::Set, ArgumentKind::Setting, typed)));
        // Without an argument, the command `theme` opens the gallery of themes.
        let command =
            command.filter(|(action, _, rest)| *action != Action::Theme || !rest.is_empty());
        let named = |action: Action| Hit {
            action,
            argument: None,
            source: None,
            help: action.help().to_owned(),
            reason: self.palette_reason(action),
            group: Some(action.task().title()),
        };
        match command {
            Some((action, argument_kind, rest)) => {
                let hits = self.arguments(action, argument_kind, rest);
                // `read all` is an action too, although `read` takes an argument.
                let mut whole = actions(typed.trim_end(), hits.is_empty());
                whole.truncate(if rest.is_empty() { 0 } else { 3 });
                whole.into_iter().map(named).chain(hits).collect()
            }
            None => {
                let mut found = actions(typed.trim_end(), true);
                if typed.is_empty() {
                    // Movements are listed last, because users run them with keys.
                    found.sort_by_key(|action| action.task() == Task::Move);
                    let recent = self.recent.iter().copied().map(named);
                    let recent = recent.map(|hit| Hit { group: Some("Recently used"), ..hit });
                    return recent.chain(found.into_iter().map(named)).collect();
                }
                let hits = by_task(found).into_iter().map(named);
                hits.chain(self.setting_hits(typed.trim_end())).collect()
            }
        }
    }

    /// The values that begin with a text, and the settings that match it. Such a setting opens the form.
    fn setting_hits(&self, typed: &str) -> Vec<Hit> {
        if typed.chars().count() < SETTING_LETTERS {
            return vec![];
        }
        let hit = |row: config::SettingRow| {
            let now = setting_shown(&self.settings, row.key);
            Hit {
                action: Action::Settings,
                argument: Some(row.key.to_owned()),
                source: None,
                help: format!("{} (now {now}): {}", row.label, row.help),
                reason: None,
                group: Some("Settings"),
            }
        };
        let values = self.values_beginning(typed).into_iter().take(MAX_SETTINGS);
        values.chain(settings(typed).into_iter().take(MAX_SETTINGS).map(hit)).collect()
    }

    /// Why an action is not available. An action that accepts a source as its argument is always available.
    fn palette_reason(&self, action: Action) -> Option<&'static str> {
        let takes_source = argument_kind(action) == Some(ArgumentKind::Source);
        self.unavailable_reason(action).filter(|_| !takes_source)
    }

    /// Whether the typed text matches other sources equally well, because they have the same title and no id
    /// was typed.
    fn is_ambiguous(&self, hit: &Hit, typed: &str) -> bool {
        let meant = hit.source.and_then(|key| self.sources.entry(key));
        meant.is_some_and(|meant| {
            let same = |s: &&SourceEntry| s.title() == meant.title();
            meant.source.id.as_str() != typed
                && self.sources.list.sources.iter().filter(same).count() > 1
        })
    }

    /// The text of the field after a row is completed.
    fn completed(&self, hit: &Hit) -> String {
        let meant = hit.source.filter(|_| self.is_ambiguous(hit, ""));
        if let Some(entry) = meant.and_then(|key| self.sources.entry(key)) {
            return format!("{} {}", hit.action, entry.source.id);
        }
        match &hit.argument {
            Some(argument) if hit.action == Action::Set && !argument.contains(' ') => {
                format!("{} {argument} ", hit.action)
            }
            Some(argument) => format!("{} {argument}", hit.action),
            None if argument_kind(hit.action).is_some() => format!("{} ", hit.action),
            None => hit.action.to_string(),
        }
    }
}
