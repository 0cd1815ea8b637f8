//! Results in the add dialog: what is already followed, what was found at a URL, and what was added.

use super::super::history::Change;
use super::super::starters::Starters;
use super::super::{App, Editor, Focus};
use super::{Add, Stage};
use crate::config::{Action, Context, FileEdit, FormPage};
use crate::engine::{Discovery, Tried};
use crate::model::{SourceId, SourceKind};
use crate::tui::effect::Effect;
use crate::tui::event::{Failure, Followed, RequestId};
use crate::tui::read::Read;
use crate::util::url::{normalise, parse_web};
use url::Url;

impl App {
    /// The title of the source at a typed URL.
    pub(super) fn followed_title(&self, typed: &str) -> Option<String> {
        let source = self.followed_at(typed)?;
        Some(self.sources.entry(source)?.title().to_owned())
    }

    /// The source (row key) at a typed URL.
    pub(super) fn followed_at(&self, typed: &str) -> Option<i64> {
        self.source_at(&parse_web(typed).ok()?.url)
    }

    fn source_at(&self, url: &Url) -> Option<i64> {
        let wanted = normalise(url);
        let is_same = |url: &Url| normalise(url) == wanted;
        let mut sources = self.sources.list.sources.iter();
        let found = sources.find(|entry| {
            let moved = entry.facts.moved_to.as_deref().and_then(|url| Url::parse(url).ok());
            is_same(&entry.source.url) || moved.is_some_and(|url| is_same(&url))
        });
        found.map(|entry| entry.facts.key)
    }

    /// Shows that a URL was refused because it leads to an existing source.
    pub(in super::super) fn already_at(&mut self, id: &SourceId) -> Vec<Effect> {
        let entry = self.sources.list.sources.iter().find(|entry| entry.source.id == *id);
        let source = entry.map(|entry| entry.facts.key);
        let why = format!("This URL is already followed as {}", self.source_name(id));
        let in_form = self.dialog::<Editor>().is_some_and(Editor::is_new);
        match (source, self.dialog_mut::<Add>()) {
            (Some(source), Some(add)) if !in_form => {
                add.stage = Stage::Known(source);
                vec![]
            }
            _ => self.followed(Err(why)),
        }
    }

    /// Explains how an already followed source gets a filter.
    pub(super) fn already_followed(&self, title: &str) -> Vec<String> {
        let key = self.keymap.keys_for(Context::Sources, Action::Edit);
        let form = key.map_or_else(
            || "The form of the source".to_owned(),
            |key| format!("{key} on the source"),
        );
        let page = FormPage::Origin.title();
        vec![
            format!("This feed is already followed as {title}."),
            format!("{form} (page {page}) adds the filter to it."),
        ]
    }

    /// Opens the dialog with a pasted URL and starts discovery.
    pub(in super::super) fn add_url(&mut self, url: &str) -> Vec<Effect> {
        self.push_dialog(Add::with(url));
        self.with(|add: &mut Add, app| add.discover(app).into())
    }

    pub(in super::super) fn tried(&mut self, request: RequestId, attempt: Tried) -> Vec<Effect> {
        match self.dialog_mut::<Add>().map(|add| &mut add.stage) {
            Some(Stage::Discovering { request: expected, tried }) if *expected == request => {
                tried.push(attempt);
            }
            _ => {}
        }
        vec![]
    }

    pub(in super::super) fn discovered(
        &mut self,
        request: RequestId,
        result: Result<Discovery, Failure>,
    ) -> Vec<Effect> {
        let ways = result.as_ref().map_or(&[][..], |discovery| &discovery.ways);
        let known = ways.iter().map(|way| self.source_at(&way.url)).collect();
        let Some(add) = self.dialog_mut::<Add>() else { return vec![] };
        if !matches!(add.stage, Stage::Discovering { request: expected, .. } if expected == request)
        {
            return vec![];
        }
        add.stage = match result {
            Ok(discovery) if discovery.ways.is_empty() => {
                Stage::Failed(discovery.tried.into_iter().map(|tried| tried.text).collect())
            }
            Ok(discovery) => Stage::Found { discovery, selected: 0, known },
            Err(why) => Stage::Failed(vec![why]),
        };
        vec![]
    }

    pub(in super::super) fn followed(
        &mut self,
        result: Result<(Vec<Followed>, FileEdit), Failure>,
    ) -> Vec<Effect> {
        let in_form = result.is_err() && self.not_followed();
        match (result, self.dialog_mut::<Add>()) {
            (Err(why), _) if in_form => self.problem(why),
            (Ok((added, edit)), _) => {
                self.close_dialogs::<Add>();
                self.close_dialogs::<Starters>();
                if self.dialog::<Editor>().is_some_and(Editor::is_new) {
                    self.close_dialogs::<Editor>();
                }
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
                        let stop = hint(Action::StopCrawl, "stops it");
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
                    self.focus = Focus::Items;
                }
                vec![Effect::Read(Read::Sources), Effect::CloseBench]
            }
            (Err(why), Some(add)) => {
                add.stage = Stage::Failed(vec![why]);
                vec![]
            }
            (Err(why), None) => self.problem(why),
        }
    }
}
