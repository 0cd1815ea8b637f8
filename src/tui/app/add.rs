//! Adds a source.

mod results;

use super::dialogs::{Dialog, KeyHint, KeyHints, Reply};
use super::import::several_addresses;
use super::starters::Starters;
use super::{App, Prompt};
use crate::config::{Action, Context, Key, Lookup, starter_sources};
use crate::engine::{Discovery, Tried, TypedOrigin, Way};
use crate::model::SourceKind;
use crate::tui::effect::{Effect, ExitReason};
use crate::tui::event::RequestId;
use crate::tui::input::Field;
use crate::tui::view::{self, DialogArea};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use std::collections::HashSet;
use std::sync::LazyLock;

/// State of the add dialog.
#[derive(Debug)]
pub(crate) struct Add {
    pub(crate) field: Field,
    /// The folder for the source; empty for none.
    pub(crate) folder: Field,
    /// Whether the folder is being typed.
    pub(crate) in_folder: bool,
    /// Whether this is the first run, with a welcome text and other ways to start.
    pub(crate) welcome: bool,
    /// Index of the selected alternative; `None` while the URL field has the focus.
    pub(crate) choice: Option<usize>,
    pub(crate) stage: Stage,
}

/// The stage of adding a source.
#[derive(Debug)]
pub(crate) enum Stage {
    /// Waiting for a URL.
    Typing,
    /// A program was typed, and is shown for confirmation before it runs.
    Confirming(TypedOrigin),
    /// Discovery is running; `tried` lists the attempts so far.
    Discovering { request: RequestId, tried: Vec<Tried> },
    /// Ways were found; the selected one is shown with a preview of its items.
    Found {
        discovery: Discovery,
        selected: usize,
        /// For each way, the source (row key) that is already followed at its URL.
        known: Vec<Option<i64>>,
    },
    /// The URL belongs to an existing source (row key).
    Known(i64),
    /// Discovery or following failed, with the reasons.
    Failed(Vec<String>),
    /// The selected way is being added.
    Following(RequestId),
}

/// Alternatives to entering a URL, offered on the first run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    Starters,
    Import,
    Demo,
}

impl Choice {
    pub(crate) const ALL: [Self; 3] = [Self::Starters, Self::Import, Self::Demo];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Starters => "Starter sources",
            Self::Import => "Import",
            Self::Demo => "Demo",
        }
    }

    pub(crate) fn describe(self) -> &'static str {
        static STARTERS: LazyLock<String> = LazyLock::new(|| {
            let sources = starter_sources();
            let topics: HashSet<_> = sources.iter().map(|s| s.folder.as_deref()).collect();
            format!("{} feeds in {} topics; pick what you like", sources.len(), topics.len())
        });
        match self {
            Self::Starters => &STARTERS,
            Self::Import => "OPML, newsboat's urls file, or a list of URLs",
            Self::Demo => "fictional sites; your own data is not touched",
        }
    }
}

const CLOSE: KeyHint = KeyHint::Key("Esc", "close");

/// Maximum length of a program's command line that the dialog can show, in bytes.
const MAX_COMMAND: usize = 400;
const TOO_LONG: &str =
    "The program and its arguments are too long for this dialog; use `newsfed add --exec`.";

impl Add {
    pub(super) fn welcome() -> Self {
        Self { welcome: true, ..Self::with("") }
    }

    pub(super) fn with(text: &str) -> Self {
        let mut field = Field::new("");
        field.paste(text.trim());
        Self {
            field,
            folder: Field::default(),
            in_folder: false,
            welcome: false,
            choice: None,
            stage: Stage::Typing,
        }
    }
}

impl Dialog for Add {
    fn key(&mut self, app: &mut App, event: KeyEvent, key: Key) -> Reply {
        if self.offers_help() && is_help(app, key) {
            return app.open_dialog(Action::Help).into();
        }
        let longer = self.longer_folder(app);
        match (&mut self.stage, event.code) {
            (Stage::Known(source), KeyCode::Enter) => return Reply::close(app.jump_to(*source)),
            (Stage::Known(_), KeyCode::Tab) => return self.find_ways(app).into(),
            (Stage::Following(_), KeyCode::Esc) => {
                return Reply::close(app.note("Adding continues in the background"));
            }
            (Stage::Discovering { .. }, KeyCode::Esc) => {
                self.stage = Stage::Typing;
                return vec![Effect::CancelDiscovery].into();
            }
            (Stage::Confirming(_), KeyCode::Enter) => return self.run_program(app).into(),
            (Stage::Confirming(_), KeyCode::Esc) => {
                self.stage = Stage::Typing;
                return Reply::default();
            }
            (Stage::Found { .. }, KeyCode::Tab) if self.in_folder && longer.is_some() => {
                self.folder = Field::new(&longer.unwrap_or_default());
            }
            (Stage::Found { .. }, KeyCode::Tab | KeyCode::BackTab) => {
                self.in_folder = !self.in_folder;
            }
            (_, KeyCode::Esc) if self.in_folder => self.in_folder = false,
            (_, KeyCode::Esc) => return Reply::close(vec![]),
            (_, KeyCode::Down | KeyCode::Up) if self.in_folder => {
                self.step_folder(app, event.code == KeyCode::Down);
            }
            (Stage::Found { .. }, code) if self.in_folder && code != KeyCode::Enter => {
                self.folder.input(event);
            }
            (Stage::Found { discovery, selected, .. }, KeyCode::Down | KeyCode::Char('j'))
                if event.modifiers.is_empty() =>
            {
                *selected = (*selected + 1).min(discovery.ways.len().saturating_sub(1));
            }
            (Stage::Found { selected, .. }, KeyCode::Up | KeyCode::Char('k'))
                if event.modifiers.is_empty() =>
            {
                *selected = selected.saturating_sub(1);
            }
            (Stage::Found { .. }, KeyCode::Enter) => {
                return match self.known_way() {
                    Some(source) => Reply::close(app.jump_to(source)),
                    None => self.follow_selected(app).into(),
                };
            }
            (Stage::Found { discovery, selected, .. }, KeyCode::Char(letter @ ('e' | 's')))
                if event.modifiers.is_empty() =>
            {
                if letter == 's' && discovery.is_local() {
                    return Reply::default();
                }
                // A way without selectors opens the form of a website, for which the user writes the
                // selectors.
                let has_selectors = has_selectors(discovery, *selected);
                let way = (letter == 'e' || has_selectors).then_some(*selected);
                return app.edit_way(discovery, way, letter == 's').into();
            }
            // While the list has the focus, typed letters do not change the URL, but pasting and Backspace
            // do.
            (Stage::Found { .. }, KeyCode::Char(_)) if event.modifiers.is_empty() => {}
            (Stage::Discovering { .. } | Stage::Following(_), _) => {}
            (_, KeyCode::Down | KeyCode::Tab) if self.welcome => {
                let next = |choice: usize| (choice + 1).min(Choice::ALL.len() - 1);
                self.choice = Some(self.choice.map_or(0, next));
            }
            (_, KeyCode::Up | KeyCode::BackTab) => {
                self.choice = self.choice.and_then(|c| c.checked_sub(1));
            }
            (_, KeyCode::Enter) => {
                return match self.choice.map(|choice| Choice::ALL[choice]) {
                    Some(Choice::Import) => app.push_dialog(Prompt::import("")),
                    Some(Choice::Starters) => app.push_dialog(Starters::load()),
                    Some(Choice::Demo) => app.quit(ExitReason::Demo),
                    None => self.discover(app),
                }
                .into();
            }
            _ => {
                self.choice = None;
                if self.field.input(event) {
                    self.stage = Stage::Typing;
                }
            }
        }
        Reply::default()
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::add::draw(app, frame, self, area);
    }

    fn hints(&self) -> KeyHints {
        match self.stage {
            Stage::Found { .. } if self.in_folder => &[
                KeyHint::Key("Enter", "follow"),
                KeyHint::Key("Up Down", "folders"),
                KeyHint::Key("Tab", "complete"),
                KeyHint::Key("Esc", "back"),
            ],
            Stage::Confirming(_) => {
                &[KeyHint::Key("Enter", "run program"), KeyHint::Key("Esc", "back")]
            }
            Stage::Known(_) => &[
                KeyHint::Key("Enter", "go to source"),
                KeyHint::Key("Tab", "find other ways"),
                CLOSE,
            ],
            Stage::Found { .. } if self.known_way().is_some() => {
                &[KeyHint::Key("Enter", "go to source"), KeyHint::Key("Up Down", "choose"), CLOSE]
            }
            Stage::Found { ref discovery, .. } if discovery.is_local() => &[
                KeyHint::Key("Enter", "follow"),
                KeyHint::Key("Tab", "folder"),
                KeyHint::Key("e", "adjust"),
                KeyHint::Key("Esc", "close"),
            ],
            // `s` is not listed, because `e` opens the same workbench.
            Stage::Found { ref discovery, selected, .. } if has_selectors(discovery, selected) => {
                &[
                    KeyHint::Key("Enter", "follow"),
                    KeyHint::Key("Up Down", "choose"),
                    KeyHint::Key("Tab", "folder"),
                    KeyHint::Key("e", "adjust"),
                    KeyHint::Key("Esc", "close"),
                ]
            }
            Stage::Found { .. } => &[
                KeyHint::Key("Enter", "follow"),
                KeyHint::Key("Up Down", "choose"),
                KeyHint::Key("Tab", "folder"),
                KeyHint::Key("e", "adjust"),
                KeyHint::Key("s", "selectors"),
                KeyHint::Key("Esc", "close"),
            ],
            Stage::Discovering { .. } => &[KeyHint::Key("Esc", "stop")],
            Stage::Following(_) => &[KeyHint::Key("Esc", "continue in the background")],
            _ => match self.choice.map(|choice| Choice::ALL[choice]) {
                Some(Choice::Import) => &[KeyHint::Key("Enter", "type the path"), CLOSE],
                Some(Choice::Starters) => &[KeyHint::Key("Enter", "list them"), CLOSE],
                Some(Choice::Demo) => &[KeyHint::Key("Enter", "start the demo"), CLOSE],
                None if self.offers_help() => &[
                    KeyHint::Key("Enter", "find feeds"),
                    KeyHint::Key("Up Down", "other ways to start"),
                    KeyHint::Bound(Context::Everywhere, Action::Help, "help"),
                    KeyHint::Key("Esc", "skip"),
                ],
                None if self.welcome => &[
                    KeyHint::Key("Enter", "find feeds"),
                    KeyHint::Key("Up Down", "other ways to start"),
                    KeyHint::Key("Esc", "skip"),
                ],
                None => &[KeyHint::Key("Enter", "find feeds"), CLOSE],
            },
        }
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(if self.in_folder { &mut self.folder } else { &mut self.field })
    }

    fn awaits(&self) -> Option<RequestId> {
        match self.stage {
            Stage::Following(request) => Some(request),
            _ => None,
        }
    }

    fn takes_addresses(&self) -> bool {
        let stage = &self.stage;
        !matches!(stage, Stage::Confirming(_) | Stage::Discovering { .. } | Stage::Following(_))
    }
}

impl Add {
    /// Handles Enter in the field: starts discovery for the URL.
    fn discover(&mut self, app: &mut App) -> Vec<Effect> {
        let address = self.field.value().trim().to_owned();
        if address.is_empty() {
            return vec![];
        }
        match TypedOrigin::parse(&address) {
            Some(Ok(typed)) if typed.origin.program().is_empty() => {
                return self.discover_origin(app, typed);
            }
            Some(Ok(typed)) => {
                // A program does not run if its command line is too long to be shown completely.
                self.stage = match app.followed_title(&typed.url) {
                    Some(title) => Stage::Failed(app.already_followed(&title)),
                    None if address.len() <= MAX_COMMAND => Stage::Confirming(typed),
                    None => Stage::Failed(vec![TOO_LONG.to_owned()]),
                };
                return vec![];
            }
            Some(Err(why)) => {
                self.stage = Stage::Failed(vec![why]);
                return vec![];
            }
            None => {}
        }
        if let Some(addresses) = several_addresses(&address) {
            return app.import_urls(&addresses);
        }
        if let Some(source) = app.followed_at(&address) {
            self.stage = Stage::Known(source);
            return vec![];
        }
        self.find_ways(app)
    }

    /// Starts discovery for the typed URL.
    fn find_ways(&mut self, app: &mut App) -> Vec<Effect> {
        let address = self.field.value().trim().to_owned();
        let request = app.request();
        self.stage = Stage::Discovering { request, tried: Vec::new() };
        vec![Effect::Discover { request, address }]
    }

    /// The existing source (row key) for the selected way, if the way is already followed.
    fn known_way(&self) -> Option<i64> {
        let Stage::Found { known, selected, .. } = &self.stage else { return None };
        known.get(*selected).copied().flatten()
    }

    /// Whether the key for help works in the field: on the first run while the field is empty, because no URL
    /// starts with this key.
    fn offers_help(&self) -> bool {
        let typing = matches!(self.stage, Stage::Typing | Stage::Failed(_));
        self.welcome && typing && self.field.value().is_empty()
    }

    /// Handles Enter after a program was typed: runs it to get its feed.
    fn run_program(&mut self, app: &mut App) -> Vec<Effect> {
        match std::mem::replace(&mut self.stage, Stage::Typing) {
            Stage::Confirming(typed) => self.discover_origin(app, typed),
            other => {
                self.stage = other;
                vec![]
            }
        }
    }

    fn discover_origin(&mut self, app: &mut App, typed: TypedOrigin) -> Vec<Effect> {
        let request = app.request();
        self.stage = Stage::Discovering { request, tried: Vec::new() };
        vec![Effect::DiscoverOrigin { request, typed }]
    }

    /// Fills in the next or previous folder of other sources.
    fn step_folder(&mut self, app: &App, forward: bool) {
        let folders: Vec<String> = app.sources.folders().into_iter().collect();
        let at = folders.iter().position(|folder| folder == self.folder.value());
        let next = match (at, forward) {
            (None, true) => 0,
            (None, false) => folders.len().saturating_sub(1),
            (Some(at), true) => (at + 1) % folders.len(),
            (Some(at), false) => (at + folders.len() - 1) % folders.len(),
        };
        if let Some(folder) = folders.get(next) {
            self.folder = Field::new(folder);
        }
    }

    /// The first folder of other sources that starts with the typed text and is longer.
    fn longer_folder(&self, app: &App) -> Option<String> {
        let typed = self.folder.value().trim().to_lowercase();
        let begins = |folder: &String| folder.to_lowercase().starts_with(&typed);
        let found = app.sources.folders().into_iter().find(begins).filter(|_| !typed.is_empty());
        found.filter(|folder| folder != self.folder.value())
    }

    fn follow_selected(&mut self, app: &mut App) -> Vec<Effect> {
        self.in_folder = false;
        let request = app.request();
        match std::mem::replace(&mut self.stage, Stage::Following(request)) {
            Stage::Found { discovery, selected, .. } => {
                let folder = self.folder.value().trim().trim_matches('/').to_owned();
                let folder = Some(folder).filter(|folder| !folder.is_empty());
                vec![Effect::Follow { request, discovery, way: selected, folder }]
            }
            other => {
                self.stage = other;
                vec![]
            }
        }
    }
}

/// Whether a way finds its items with selectors.
fn has_selectors(discovery: &Discovery, way: usize) -> bool {
    let kind = discovery.ways.get(way).map(Way::kind);
    matches!(kind, Some(SourceKind::Website | SourceKind::Entries))
}

fn is_help(app: &App, key: Key) -> bool {
    matches!(app.keymap.lookup(Context::Everywhere, &[key]), Lookup::Action(Action::Help))
}
