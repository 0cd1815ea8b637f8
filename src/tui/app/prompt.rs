//! One-line prompts.

use super::complete::Completion;
use super::{App, Dialog};
use crate::model::SourceId;
use crate::query::Query;
use crate::tui::effect::Effect;
use crate::tui::input::Field;
use crossterm::event::{KeyCode, KeyEvent};
use std::path::PathBuf;

#[derive(Debug)]
pub(crate) struct Prompt {
    pub(crate) kind: PromptKind,
    pub(crate) field: Field,
    pub(crate) completion: Option<Completion>,
    /// The error in the input.
    pub(crate) error: Option<String>,
}

/// The purpose of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PromptKind {
    Import,
    Find,
    Pipe,
    /// The new title of a source.
    Rename {
        id: SourceId,
    },
    RenameFolder {
        folder: String,
    },
    RenameTag {
        tag: String,
    },
    RenameView {
        name: String,
    },
    /// The folder that sources, or a whole folder, move to.
    Folder {
        ids: Vec<SourceId>,
        whole: Option<String>,
    },
    Tags {
        ids: Vec<SourceId>,
    },
    /// The name of a new saved query.
    SaveView {
        query: String,
    },
    ViewQuery {
        name: String,
    },
}

impl PromptKind {
    pub(crate) fn label(&self) -> String {
        let several = |ids: &[SourceId]| match ids {
            [id] => id.to_string(),
            many => format!("{} sources", many.len()),
        };
        match self {
            Self::Import => "Import from file".to_owned(),
            Self::Find => "Find in text".to_owned(),
            Self::Pipe => "Pipe text to".to_owned(),
            Self::Rename { .. } => "Title (empty = feed title)".to_owned(),
            Self::RenameFolder { .. } => "Folder name".to_owned(),
            Self::RenameTag { .. } => "Tag name".to_owned(),
            Self::RenameView { .. } => "Saved query name".to_owned(),
            Self::Folder { whole: Some(folder), .. } => format!("Move folder {folder} into"),
            Self::Folder { ids, .. } => format!("Folder for {}", several(ids)),
            Self::Tags { ids } => format!("Tags of {} (+add -remove)", several(ids)),
            Self::SaveView { .. } => "Save this query as".to_owned(),
            Self::ViewQuery { name } => format!("Query of {name}"),
        }
    }
}

impl Prompt {
    pub(super) fn new(kind: PromptKind, text: &str) -> Self {
        Self { kind, field: Field::new(text), completion: None, error: None }
    }

    pub(super) fn import(path: &str) -> Self {
        Self::new(PromptKind::Import, path)
    }
}

impl App {
    pub(super) fn ask(&mut self, kind: PromptKind, text: &str) -> Vec<Effect> {
        self.dialogs.push(Dialog::Prompt(Prompt::new(kind, text)));
        vec![]
    }

    fn prompt(&mut self) -> Option<&mut Prompt> {
        match self.dialogs.last_mut() {
            Some(Dialog::Prompt(prompt)) => Some(prompt),
            _ => None,
        }
    }

    pub(super) fn prompt_typed(&mut self) -> Vec<Effect> {
        let Some(Dialog::Prompt(prompt)) = self.dialogs.last() else { return vec![] };
        let text = prompt.field.value().to_owned();
        let completion = self.prompt_candidates(prompt, false);
        let is_query = matches!(prompt.kind, PromptKind::ViewQuery { .. });
        let error = if is_query { text.parse::<Query>().err() } else { None };
        if prompt.kind == PromptKind::Find {
            self.reader.search_for(&text);
        }
        if let Some(prompt) = self.prompt() {
            (prompt.completion, prompt.error) = (completion, error.map(|e| e.to_string()));
        }
        vec![]
    }

    /// Completion candidates at the cursor.
    fn prompt_candidates(&self, prompt: &Prompt, explicit: bool) -> Option<Completion> {
        match &prompt.kind {
            PromptKind::Folder { .. } => Self::complete_name(&prompt.field, self.sources.folders()),
            PromptKind::Tags { .. } => Self::complete_signed(&prompt.field, self.sources.tags()),
            PromptKind::ViewQuery { .. } => self.complete_query(&prompt.field, explicit),
            _ => None,
        }
    }

    fn prompt_completed(&mut self, forward: bool) -> Vec<Effect> {
        let Some(Dialog::Prompt(prompt)) = self.dialogs.last() else { return vec![] };
        let candidates = prompt.completion.clone().or_else(|| self.prompt_candidates(prompt, true));
        if let (Some(mut candidates), Some(prompt)) = (candidates, self.prompt()) {
            candidates.step(&mut prompt.field, forward);
            prompt.completion = Some(candidates);
        }
        vec![]
    }

    pub(super) fn prompt_key(&mut self, event: KeyEvent) -> Vec<Effect> {
        let Some(prompt) = self.prompt() else { return vec![] };
        match (prompt.kind.clone(), event.code) {
            (kind, KeyCode::Esc) => {
                self.dialogs.pop();
                if kind == PromptKind::Find {
                    self.reader.cancel_find();
                }
                vec![]
            }
            (PromptKind::Find, KeyCode::Down) => {
                self.reader.next_match(true);
                vec![]
            }
            (PromptKind::Find, KeyCode::Up) => {
                self.reader.next_match(false);
                vec![]
            }
            (_, KeyCode::Tab | KeyCode::Down) => self.prompt_completed(true),
            (_, KeyCode::BackTab | KeyCode::Up) => self.prompt_completed(false),
            (_, KeyCode::Enter) if prompt.error.is_some() => vec![],
            (kind, KeyCode::Enter) => {
                let text = prompt.field.value().trim().to_owned();
                self.dialogs.pop();
                self.prompt_answered(kind, text)
            }
            _ => self.type_into_field(event),
        }
    }

    fn prompt_answered(&mut self, kind: PromptKind, text: String) -> Vec<Effect> {
        match kind {
            PromptKind::Find => self.find_confirmed(),
            PromptKind::Rename { id } => self.rename_source(id, &text),
            PromptKind::Folder { ids, whole } => self.move_sources(ids, whole.as_deref(), &text),
            _ if text.is_empty() => vec![],
            PromptKind::Import => self.read_import(text),
            PromptKind::Pipe => {
                let article = self.reader.article.as_ref();
                let body = article.map(|a| format!("{}\n\n{}\n", a.row.title, a.document.text()));
                vec![Effect::Pipe { command: text, text: body.unwrap_or_default() }]
            }
            PromptKind::RenameFolder { folder } => self.rename_folder(&folder, &text),
            PromptKind::RenameTag { tag } => self.rename_tag(&tag, &text),
            PromptKind::RenameView { name } => self.rename_view(&name, text),
            PromptKind::Tags { ids } => self.tag_sources(ids, &text),
            PromptKind::SaveView { query } => self.save_view(text, query),
            PromptKind::ViewQuery { name } => self.change_view_query(&name, text),
        }
    }
}

/// Expands a leading `~/`.
pub(super) fn expand_home(text: &str) -> PathBuf {
    let home = directories::BaseDirs::new();
    match (text.strip_prefix("~/"), home) {
        (Some(rest), Some(dirs)) => dirs.home_dir().join(rest),
        _ => PathBuf::from(text),
    }
}
