//! One-line prompts.

use super::App;
use super::complete::{Candidate, Completion, signed_words};
use super::dialogs::{Dialog, KeyHint, KeyHints, Reply};
use crate::config::{Key, RuleSettings};
use crate::engine::SaveFormat;
use crate::model::{SourceId, Time};
use crate::query::{self, Query, Spot};
use crate::store::Mark;
use crate::tui::effect::Effect;
use crate::tui::event::Cause;
use crate::tui::input::Field;
use crate::tui::read::Read;
use crate::tui::view::{self, DialogArea};
use crate::util::text::{counted, line, truncate};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;

/// Maximum width of a source name before a field, in cells, to leave space for the keys of the prompt.
const MAX_NAME: usize = 40;

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
    /// The folder to which sources or another folder move.
    Folder {
        /// Describes what is moved.
        name: String,
        ids: Vec<SourceId>,
        whole: Option<String>,
    },
    Tags {
        /// Describes the owner of the tags.
        name: String,
        ids: Vec<SourceId>,
    },
    /// Tags of items (row keys).
    ItemTags {
        keys: Vec<i64>,
    },
    /// The time until which items (row keys) are snoozed.
    Snooze {
        keys: Vec<i64>,
    },
    /// The file for articles (row keys of items). A file with several articles is named after the list.
    Save {
        items: Vec<i64>,
        title: String,
        folder: String,
        /// Whether pictures are fetched for the file.
        pictures: bool,
    },
    /// The name of a new view.
    SaveView {
        query: String,
    },
    ViewQuery {
        name: String,
    },
    RuleQuery {
        name: String,
    },
    /// The tag that a new rule adds.
    RuleTag {
        rule: Box<RuleSettings>,
    },
}

impl PromptKind {
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Import => "File to import, or list URL".to_owned(),
            Self::Find => "Find in text".to_owned(),
            Self::Pipe => "Pipe text to".to_owned(),
            Self::Rename { .. } => "Title (empty = feed title)".to_owned(),
            Self::RenameFolder { .. } => "Folder name".to_owned(),
            Self::RenameTag { .. } => "Tag name".to_owned(),
            Self::RenameView { .. } => "View name".to_owned(),
            Self::Folder { whole: Some(folder), .. } => format!("Move folder {folder} into"),
            Self::Folder { name, .. } => format!("Folder for {}", truncate(name, MAX_NAME)),
            Self::Tags { name, .. } => {
                format!("Tags of {} (+add -remove)", truncate(name, MAX_NAME))
            }
            Self::ItemTags { keys } => format!("Tags of {} (+add -remove)", items(keys)),
            Self::Snooze { .. } => "Hide until".to_owned(),
            Self::Save { folder, .. } => format!("Save in {folder} (.md, .html or .epub)"),
            Self::SaveView { .. } => "Save as view".to_owned(),
            Self::RuleTag { .. } => "Tag for the items".to_owned(),
            Self::ViewQuery { name } | Self::RuleQuery { name } => format!("Query of {name}"),
        }
    }
}

fn items(keys: &[i64]) -> String {
    if keys.len() == 1 { "the item".to_owned() } else { counted(keys.len(), "item") }
}

impl Prompt {
    pub(super) fn new(kind: PromptKind, text: &str) -> Self {
        // The user is more likely to type a new text than to extend the suggested one.
        let suggested = matches!(
            kind,
            PromptKind::Folder { .. }
                | PromptKind::SaveView { .. }
                | PromptKind::Snooze { .. }
                | PromptKind::Find
        );
        let field = if suggested { Field::suggestion(text) } else { Field::new(text) };
        Self { kind, field, completion: None, error: None }
    }

    pub(super) fn import(path: &str) -> Self {
        Self::new(PromptKind::Import, path)
    }

    /// Explains what Tab does, or gives examples.
    pub(crate) fn note(&self) -> Option<&'static str> {
        if self.kind == PromptKind::Import && self.field.value().is_empty() {
            return Some(
                "OPML, newsboat's urls file, a list of URLs, or a list's URL; Tab lists files",
            );
        }
        // Examples are shown until a longer text is typed.
        if matches!(self.kind, PromptKind::Snooze { .. }) {
            return (self.field.value().len() < 4).then_some("12h, 3d, friday, 2026-12-31");
        }
        let PromptKind::Save { pictures, .. } = self.kind else { return None };
        // Markdown files contain only links to pictures.
        let with_pictures = SaveFormat::of_name(self.field.value())?.has_pictures();
        with_pictures.then_some(match pictures {
            true => "with pictures (Tab: without)",
            false => "without pictures (Tab: with)",
        })
    }

    /// Whether Tab has to read a folder first.
    fn lists_paths(&self) -> bool {
        self.kind == PromptKind::Import && self.completion.is_none()
    }

    /// Inserts the common start of the files that match the typed text. If there are several, suggests them.
    fn offer_paths(&mut self, paths: Vec<String>) {
        let typed = self.field.value();
        let common = common_start(&paths);
        if common.len() > typed.len() {
            self.field = Field::new(common);
        }
        let end = self.field.value().len();
        let candidates: Vec<_> = paths.into_iter().map(|p| Candidate::new(p, "")).collect();
        let spot = Spot { operator: None, at: 0..end, typed: String::new() };
        self.completion = Completion::matching(&self.field, spot, candidates);
    }

    /// Inserts the next or previous completion candidate.
    fn complete(&mut self, app: &App, forward: bool) {
        let candidates = self.completion.take().or_else(|| app.prompt_candidates(self, true));
        self.completion = candidates;
        if let Some(candidates) = &mut self.completion {
            candidates.step(&mut self.field, forward);
        }
    }
}

impl Dialog for Prompt {
    fn key(&mut self, app: &mut App, event: KeyEvent, _key: Key) -> Reply {
        let is_find = self.kind == PromptKind::Find;
        match event.code {
            KeyCode::Esc => {
                if is_find {
                    app.reader.cancel_find();
                }
                return Reply::close(vec![]);
            }
            KeyCode::Down | KeyCode::Up if is_find => {
                app.reader.next_match(event.code == KeyCode::Down);
            }
            KeyCode::Tab if self.lists_paths() => {
                let typed = self.field.value().to_owned();
                return vec![Effect::ListPaths { typed }].into();
            }
            KeyCode::Tab if self.note().is_some() => {
                if let PromptKind::Save { pictures, .. } = &mut self.kind {
                    *pictures = !*pictures;
                }
            }
            KeyCode::Tab | KeyCode::Down => self.complete(app, true),
            KeyCode::BackTab | KeyCode::Up => self.complete(app, false),
            KeyCode::Enter if self.error.is_some() && self.kind != PromptKind::Import => {}
            KeyCode::Enter => {
                let text = self.field.value().trim().to_owned();
                return Reply::close(app.prompt_answered(self.kind.clone(), text));
            }
            _ => return self.type_key(app, event),
        }
        Reply::default()
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::dialogs::prompt(app, frame, self, area);
    }

    fn hints(&self) -> KeyHints {
        match self.kind {
            PromptKind::Find => &[
                KeyHint::Key("Enter", "read"),
                KeyHint::Key("Up Down", "other matches"),
                KeyHint::Key("Esc", "close"),
            ],
            PromptKind::Import => &[
                KeyHint::Key("Enter", "preview"),
                KeyHint::Key("Tab", "complete"),
                KeyHint::Key("Esc", "cancel"),
            ],
            PromptKind::Save { .. } => &[
                KeyHint::Key("Enter", "save"),
                KeyHint::Key("Tab", "with or without pictures"),
                KeyHint::Key("Esc", "cancel"),
            ],
            PromptKind::Folder { .. } | PromptKind::Tags { .. } | PromptKind::ItemTags { .. } => &[
                KeyHint::Key("Enter", "ok"),
                KeyHint::Key("Tab", "complete"),
                KeyHint::Key("Esc", "cancel"),
            ],
            _ => &[KeyHint::Key("Enter", "ok"), KeyHint::Key("Esc", "cancel")],
        }
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }

    fn typed(&mut self, app: &mut App) -> Vec<Effect> {
        let text = self.field.value();
        self.error = match self.kind {
            PromptKind::ViewQuery { .. } => text.parse::<Query>().err().map(|e| e.to_string()),
            PromptKind::RuleQuery { .. } => app.query_error(text),
            PromptKind::Snooze { .. } => match moment(text, app.now) {
                None => Some("Type 12h, 3d or a day such as 2026-12-31".to_owned()),
                Some(_) => None,
            },
            PromptKind::Save { .. } => super::save::format_error(text),
            _ => None,
        };
        if self.kind == PromptKind::Find {
            app.reader.search_for(text);
        }
        self.completion = app.prompt_candidates(self, false);
        vec![]
    }

    fn is_line(&self) -> bool {
        true
    }
}

fn moment(text: &str, now: Time) -> Option<Time> {
    Time::from_timestamp(query::moment(text, now.with_timezone(&chrono::Local))?, 0)
}

/// The longest common prefix of several texts.
fn common_start(texts: &[String]) -> &str {
    let Some((first, rest)) = texts.split_first() else { return "" };
    let shared = |text: &String| {
        let same = first.chars().zip(text.chars()).take_while(|(a, b)| a == b);
        same.map(|(c, _)| c.len_utf8()).sum::<usize>()
    };
    let end = rest.iter().map(shared).min().unwrap_or(first.len());
    &first[..end]
}

impl App {
    /// Completes the path in the import prompt, unless the text has changed since the request.
    pub(super) fn paths_listed(&mut self, typed: &str, paths: Vec<String>) -> Vec<Effect> {
        let asked = |prompt: &&mut Prompt| prompt.lists_paths() && prompt.field.value() == typed;
        let Some(prompt) = self.dialog_mut::<Prompt>().filter(asked) else { return vec![] };
        match paths.is_empty() {
            true => prompt.error = Some("No such file".to_owned()),
            false => prompt.offer_paths(paths),
        }
        vec![]
    }

    pub(super) fn ask(&mut self, kind: PromptKind, text: &str) -> Vec<Effect> {
        let mut prompt = Prompt::new(kind, text);
        if matches!(prompt.kind, PromptKind::Folder { .. }) {
            prompt.completion = self.prompt_candidates(&prompt, false);
        }
        let has_query =
            matches!(prompt.kind, PromptKind::ViewQuery { .. } | PromptKind::RuleQuery { .. });
        let mut effects = self.push_dialog(prompt);
        effects.extend(has_query.then_some(Effect::Read(Read::Values)));
        effects
    }

    /// What the typed text would create. The prompt shows this in advance.
    pub(crate) fn creates(&self, prompt: &Prompt) -> Option<&'static str> {
        let PromptKind::Folder { whole: None, .. } = prompt.kind else { return None };
        self.is_new_folder(prompt.field.value()).then_some("new folder")
    }

    /// Whether no source is in a folder with this name, or in its subfolders.
    pub(crate) fn is_new_folder(&self, typed: &str) -> bool {
        let typed = typed.trim().trim_matches('/');
        let is_in = |folder: &String| {
            folder.strip_prefix(typed).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        !typed.is_empty() && !self.sources.folders().iter().any(is_in)
    }

    /// Prompts for tags of the selected items.
    pub(super) fn edit_item_tags(&mut self) -> Vec<Effect> {
        match self.item_targets() {
            rows if rows.is_empty() => vec![],
            rows => {
                let keys = rows.iter().map(|row| row.key).collect();
                self.ask(PromptKind::ItemTags { keys }, "")
            }
        }
    }

    /// Prompts for the time until which the selected items are snoozed.
    pub(super) fn snooze(&mut self) -> Vec<Effect> {
        match self.item_targets() {
            rows if rows.is_empty() => vec![],
            rows => {
                let keys = rows.iter().map(|row| row.key).collect();
                self.ask(PromptKind::Snooze { keys }, "1d")
            }
        }
    }

    fn tag_items(&mut self, keys: &[i64], text: &str) -> Vec<Effect> {
        self.items.marked.clear();
        let words = signed_words(text).into_iter();
        let words: Vec<_> = words.map(|word| (Mark::Tag(line(word.name)), !word.minus)).collect();
        let words = words.into_iter().filter(|(mark, _)| *mark != Mark::Tag(String::new()));
        words
            .flat_map(|(mark, on)| self.change_mark(mark, keys.to_vec(), on, Cause::User))
            .collect()
    }

    /// The completion candidates at the cursor.
    fn prompt_candidates(&self, prompt: &Prompt, explicit: bool) -> Option<Completion> {
        match &prompt.kind {
            PromptKind::Folder { whole, .. } => {
                let mut folders = self.sources.folders();
                // A folder cannot be moved into itself.
                if let Some(whole) = whole {
                    let inside = format!("{whole}/");
                    folders.retain(|folder| folder != whole && !folder.starts_with(&inside));
                }
                Self::complete_name(&prompt.field, folders)
            }
            PromptKind::Tags { .. } => Self::complete_signed(&prompt.field, self.sources.tags()),
            PromptKind::ItemTags { .. } => {
                let tags = self.sources.list.item_tags.iter().cloned().collect();
                Self::complete_signed(&prompt.field, tags)
            }
            PromptKind::RuleTag { .. } => {
                let tags = self.sources.list.item_tags.iter().cloned().collect();
                Self::complete_name(&prompt.field, tags)
            }
            PromptKind::ViewQuery { .. } | PromptKind::RuleQuery { .. } => {
                self.complete_query(&prompt.field, explicit)
            }
            _ => None,
        }
    }

    fn prompt_answered(&mut self, kind: PromptKind, text: String) -> Vec<Effect> {
        match kind {
            PromptKind::Find => self.find_confirmed(),
            PromptKind::Rename { id } => self.rename_source(id, &text),
            PromptKind::Folder { ids, whole, .. } => {
                self.move_sources(ids, whole.as_deref(), &text)
            }
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
            PromptKind::Tags { ids, .. } => self.tag_sources(ids, &text),
            PromptKind::ItemTags { keys } => self.tag_items(&keys, &text),
            PromptKind::Snooze { keys } => match moment(&text, self.now) {
                Some(until) => self.change_mark(Mark::Snoozed(until), keys, true, Cause::User),
                None => vec![],
            },
            PromptKind::Save { items, title, pictures, .. } => {
                self.save_articles((items, title), pictures, &text)
            }
            PromptKind::SaveView { query } => self.save_view(text, query),
            PromptKind::ViewQuery { name } => self.change_view_query(&name, text),
            PromptKind::RuleQuery { name } => self.change_rule_query(&name, text),
            PromptKind::RuleTag { rule } => self.add_tag_rule(*rule, &text),
        }
    }
}
