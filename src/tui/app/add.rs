//! The add dialog: a URL is entered, the ways to follow it are listed.

use super::dialogs::Starters;
use super::history::Change;
use super::{App, Dialog, Prompt};
use crate::config::{Action, Context, FileEdit};
use crate::engine::Discovery;
use crate::model::SourceKind;
use crate::tui::effect::{Effect, ExitReason};
use crate::tui::event::{Failure, Followed, RequestId};
use crate::tui::input::Field;
use crossterm::event::{KeyCode, KeyEvent};

/// State of the add dialog.
#[derive(Debug)]
pub(crate) struct Add {
    pub(crate) field: Field,
    /// First run: shows a welcome text and other ways to start.
    pub(crate) welcome: bool,
    /// Index of the selected alternative; `None` while the URL field has the focus.
    pub(crate) choice: Option<usize>,
    pub(crate) stage: Stage,
}

/// Progress of the dialog.
#[derive(Debug)]
pub(crate) enum Stage {
    /// Waiting for a URL.
    Typing,
    /// Discovery runs; `tried` lists what was tried so progress.
    Discovering { request: RequestId, tried: Vec<String> },
    /// Ways were found; the selected one is shown with a preview of its items.
    Found { discovery: Discovery, selected: usize },
    /// Discovery or following failed, with the reasons.
    Failed(Vec<String>),
    /// The selected way is being added.
    Following,
}

/// Alternatives to entering a URL, offered on the first run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    Import,
    Starters,
    Demo,
}

impl Choice {
    pub(crate) const ALL: [Self; 3] = [Self::Import, Self::Starters, Self::Demo];

    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Import => "Import a file: OPML, newsboat urls, or a list of URLs",
            Self::Starters => "Choose from well-known sources",
            Self::Demo => "Try the demo (needs no network)",
        }
    }
}

impl Add {
    pub(super) fn welcome() -> Self {
        Self { welcome: true, ..Self::with("") }
    }

    pub(super) fn with(text: &str) -> Self {
        let mut field = Field::new("");
        field.paste(text.trim());
        Self { field, welcome: false, choice: None, stage: Stage::Typing }
    }
}

impl App {
    fn add(&mut self) -> Option<&mut Add> {
        match self.dialogs.last_mut() {
            Some(Dialog::Add(add)) => Some(add),
            _ => None,
        }
    }

    /// Enter in the field: starts discovery for the URL.
    pub(super) fn discover(&mut self) -> Vec<Effect> {
        let request = self.request();
        let Some(add) = self.add() else { return vec![] };
        let address = add.field.value().trim().to_owned();
        if address.is_empty() {
            return vec![];
        }
        add.stage = Stage::Discovering { request, tried: Vec::new() };
        vec![Effect::Discover { request, address }]
    }

    pub(super) fn add_key(&mut self, event: KeyEvent) -> Vec<Effect> {
        let Some(add) = self.add() else { return vec![] };
        match (&mut add.stage, event.code) {
            (Stage::Discovering { .. } | Stage::Following, KeyCode::Esc) => {
                add.stage = Stage::Typing;
                vec![Effect::CancelDiscovery]
            }
            (_, KeyCode::Esc) => {
                self.dialogs.pop();
                vec![]
            }
            (Stage::Found { discovery, selected }, KeyCode::Down | KeyCode::Tab) => {
                *selected = (*selected + 1).min(discovery.ways.len().saturating_sub(1));
                vec![]
            }
            (Stage::Found { selected, .. }, KeyCode::Up | KeyCode::BackTab) => {
                *selected = selected.saturating_sub(1);
                vec![]
            }
            (Stage::Found { .. }, KeyCode::Enter) => self.follow_selected(),
            (Stage::Found { .. }, KeyCode::Char('e')) if event.modifiers.is_empty() => {
                self.edit_way(false)
            }
            (Stage::Found { .. }, KeyCode::Char('s')) if event.modifiers.is_empty() => {
                self.edit_way(true)
            }
            (Stage::Discovering { .. } | Stage::Following, _) => vec![],
            (_, KeyCode::Down | KeyCode::Tab) if add.welcome => {
                add.choice = Some(add.choice.map_or(0, |c| (c + 1).min(Choice::ALL.len() - 1)));
                vec![]
            }
            (_, KeyCode::Up | KeyCode::BackTab) => {
                add.choice = add.choice.and_then(|c| c.checked_sub(1));
                vec![]
            }
            (_, KeyCode::Enter) => match add.choice {
                Some(choice) => self.start_with(Choice::ALL[choice]),
                None => self.discover(),
            },
            _ => {
                add.choice = None;
                if add.field.input(event) {
                    add.stage = Stage::Typing;
                }
                vec![]
            }
        }
    }

    fn start_with(&mut self, choice: Choice) -> Vec<Effect> {
        match choice {
            Choice::Import => self.dialogs.push(Dialog::Prompt(Prompt::import(""))),
            Choice::Starters => self.dialogs.push(Dialog::Starters(Starters::load())),
            Choice::Demo => return vec![Effect::Quit(ExitReason::Demo)],
        }
        vec![]
    }

    fn follow_selected(&mut self) -> Vec<Effect> {
        let Some(add) = self.add() else { return vec![] };
        match std::mem::replace(&mut add.stage, Stage::Following) {
            Stage::Found { discovery, selected } => {
                vec![Effect::Follow { discovery, way: selected }]
            }
            other => {
                add.stage = other;
                vec![]
            }
        }
    }

    pub(super) fn tried(&mut self, request: RequestId, message: String) -> Vec<Effect> {
        match self.add().map(|add| &mut add.stage) {
            Some(Stage::Discovering { request: expected, tried }) if *expected == request => {
                tried.push(message);
            }
            _ => {}
        }
        vec![]
    }

    pub(super) fn discovered(
        &mut self,
        request: RequestId,
        result: Result<Discovery, Failure>,
    ) -> Vec<Effect> {
        let Some(add) = self.add() else { return vec![] };
        if !matches!(add.stage, Stage::Discovering { request: expected, .. } if expected == request)
        {
            return vec![];
        }
        add.stage = match result {
            Ok(discovery) if discovery.ways.is_empty() => Stage::Failed(discovery.tried),
            Ok(discovery) => Stage::Found { discovery, selected: 0 },
            Err(why) => Stage::Failed(vec![why]),
        };
        vec![]
    }

    pub(super) fn followed(
        &mut self,
        result: Result<(Vec<Followed>, FileEdit), Failure>,
    ) -> Vec<Effect> {
        let in_form = result.is_err() && self.not_followed();
        match (result, self.add()) {
            (Err(why), _) if in_form => self.problem(why),
            (Ok((added, edit)), _) => {
                let over = |l: &Dialog| match l {
                    Dialog::Add(_) | Dialog::Starters(_) => true,
                    Dialog::Edit(editor) => matches!(editor.of, super::editor::Subject::Way(_)),
                    _ => false,
                };
                self.dialogs.retain(|l| !over(l));
                let message = match added.as_slice() {
                    [] => "All of these are already followed".to_owned(),
                    [Followed { title, no_items: Some(why), .. }] => {
                        format!("Following {title}: {why}")
                    }
                    [one] if one.kind == SourceKind::Crawl => {
                        let key = |action| self.keymap.keys_for(Context::Sources, action);
                        let hint = |action, does: &str| {
                            key(action).map(|key| format!("{key} {does}")).unwrap_or_default()
                        };
                        let progress = hint(Action::Why, "shows the progress");
                        let stop = hint(Action::StopExploring, "stops it");
                        format!("Crawling {}; {progress}, {stop}", one.title)
                    }
                    [one] => format!("Following {}", one.title),
                    many => format!("Following {} sources", many.len()),
                };
                let what = match added.as_slice() {
                    [one] => format!("follow {}", one.title),
                    many => format!("follow {} sources", many.len()),
                };
                if !edit.is_empty() {
                    self.record_change(Change::Files(vec![edit]), what);
                }
                self.note(message);
                // Show the items of the new source, because the user wants to see them now.
                if let [one] = added.as_slice() {
                    self.sources.select_added = Some(one.id.clone());
                    self.focus = super::Focus::Items;
                }
                vec![Effect::LoadSources, Effect::CloseBench]
            }
            (Err(why), Some(add)) => {
                add.stage = Stage::Failed(vec![why]);
                vec![]
            }
            (Err(why), None) => self.problem(why),
        }
    }
}
