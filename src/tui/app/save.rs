//! Copies articles as Markdown to the clipboard, and saves them as files.

use super::App;
use super::availability::NO_ITEM;
use super::prompt::PromptKind;
use crate::config::{Action, Paths};
use crate::engine::{SaveFormat, SaveOrder, SaveState};
use crate::tui::effect::Effect;
use crate::tui::event::{Failure, SourceEntry};
use crate::util::file_name::titled;
use crate::util::limits::SAVED_ITEMS;
use crate::util::text::{counted, line, size};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum number of articles that can be copied at once.
const MAX_COPIED: usize = 100;
/// Maximum number of bytes that terminals accept for the clipboard.
const MAX_BYTES: usize = 1 << 20;
/// Maximum length of a suggested name, in bytes.
const MAX_NAME: usize = 80;

/// The error in the name of a file.
pub(super) fn format_error(name: &str) -> Option<String> {
    let known = SaveFormat::of_name(name).is_some();
    (!known).then(|| "Type a name that ends with .md, .html or .epub".to_owned())
}

impl App {
    /// Requests the selected articles as Markdown, to be copied.
    pub(super) fn copy_markdown(&mut self) -> Vec<Effect> {
        let items: Vec<i64> = self.item_targets().iter().map(|row| row.key).collect();
        match items.len() {
            0 => self.note(NO_ITEM),
            count if count > MAX_COPIED => self.problem(format!(
                "At most {MAX_COPIED} articles are copied at once, but {count} are selected"
            )),
            _ => vec![Effect::MakeMarkdown { items }],
        }
    }

    pub(super) fn markdown_made(
        &mut self,
        result: Result<(String, usize), Failure>,
    ) -> Vec<Effect> {
        match result {
            Ok((text, count)) => {
                let name = format!("{} as Markdown", counted(count, "article"));
                self.copy_text(text, &name, "Markdown")
            }
            Err(why) => self.problem(format!("Not copied: {why}")),
        }
    }

    /// Copies a text that may be too long for terminals. `name` and `kind` are its names in messages.
    pub(super) fn copy_text(&mut self, text: String, name: &str, kind: &str) -> Vec<Effect> {
        if text.len() > MAX_BYTES {
            let (length, limit) = (size(text.len() as u64), size(MAX_BYTES as u64));
            return self.problem(format!(
                "Not copied: the {kind} is {length} long, but terminals accept at most {limit}"
            ));
        }
        self.note(format!("Copied {name}"));
        vec![Effect::Copy { text }]
    }

    /// Prompts for the file in which to save the selected articles.
    pub(super) fn ask_where_to_save(&mut self) -> Vec<Effect> {
        let rows = self.item_targets();
        let items: Vec<i64> = rows.iter().map(|row| row.key).collect();
        if items.len() > SAVED_ITEMS {
            return self.problem(format!(
                "At most {SAVED_ITEMS} articles fit in a file, but {} are selected",
                items.len()
            ));
        }
        let folder = match Paths::downloads(self.settings.save.folder.as_deref()) {
            Ok(folder) => line(&folder.to_string_lossy()),
            Err(e) => return self.problem(e.to_string()),
        };
        let list = self.items.listing.title.clone();
        let (title, ending) = match rows.as_slice() {
            [] => return self.note(NO_ITEM),
            [row] => (line(&self.item_name(row)), "md"),
            _ => (line(&list), "epub"),
        };
        let name = titled(&title, &format!(".{ending}"), MAX_NAME, " ,'()&");
        let pictures = self.settings.save.pictures;
        self.ask(PromptKind::Save { items, title, folder, pictures }, &name)
    }

    /// Saves articles in a file with the typed name in `save.folder`, or at the typed path.
    pub(super) fn save_articles(
        &mut self,
        (items, title): (Vec<i64>, String),
        pictures: bool,
        typed: &str,
    ) -> Vec<Effect> {
        let Some(format) = SaveFormat::of_name(typed) else {
            return self.problem(format_error(typed).unwrap_or_default());
        };
        let (path, settings) = (Path::new(typed), &self.settings.save);
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let above = path.parent().filter(|above| !above.as_os_str().is_empty());
        let folder = match above.and_then(Path::to_str) {
            None => Paths::downloads(settings.folder.as_deref()),
            Some("~") => Paths::downloads(Some("~/")),
            Some(above) if above.starts_with("~/") => Paths::downloads(Some(above)),
            Some(above) => Ok(PathBuf::from(above)),
        };
        let (Some(name), Ok(folder)) = (name, folder) else {
            return self.problem(format!("{typed} is not a file name"));
        };
        let order = SaveOrder { items, format, title, pictures };
        self.note(format!("Saving {} …", counted(order.items.len(), "article")));
        vec![Effect::Save { order: Box::new(order), folder, name }]
    }

    /// Writes the sources and views to a new OPML file in `save.folder`.
    pub(super) fn export(&mut self) -> Vec<Effect> {
        let sources = &self.sources.list.sources;
        if sources.is_empty() {
            return self.note("There are no sources to export");
        }
        let folder = match Paths::downloads(self.settings.save.folder.as_deref()) {
            Ok(folder) => folder,
            Err(e) => return self.problem(e.to_string()),
        };
        let titled = |entry: &SourceEntry| (Arc::clone(&entry.source), entry.title().to_owned());
        let sources = sources.iter().map(titled).collect();
        vec![Effect::Export { sources, views: self.settings.views.clone(), folder }]
    }

    /// Shows the progress of saving a file.
    pub(super) fn save_advanced(&mut self, state: SaveState, total: usize) -> Vec<Effect> {
        let articles = counted(total, "article");
        let pictures = match state.pictures {
            0 => String::new(),
            count => format!(", {}", counted(count, "picture")),
        };
        let key = self.keymap.keys_for(self.context(), Action::StopRunning);
        let stop = key.map(|key| format!("; {key} stops")).unwrap_or_default();
        self.note(format!("Saving {} of {articles}{pictures}{stop}", state.articles))
    }
}
