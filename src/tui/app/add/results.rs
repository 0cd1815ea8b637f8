//! Results in the add dialog: existing sources, the ways found at a URL, and the added source.

use super::super::history::Change;
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
    /// The title of the source that is followed at a typed URL.
    pub(super) fn followed_title(&self, typed: &str) -> Option<String> {
        let source = self.followed_at(typed)?;
        Some(self.sources.entry(source)?.title().to_owned())
    }

    /// The source (row key) that is followed at a typed URL.
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
    pub(in super::super) fn already_at(
        &mut self,
        request: RequestId,
        id: &SourceId,
    ) -> Vec<Effect> {
        let entry = self.sources.list.sources.iter().find(|entry| entry.source.id == *id);
        let source = entry.map(|entry| entry.facts.key);
        let why = format!("This URL is already followed as {}", self.source_name(id));
        match (source, self.awaiting_mut::<Add>(request)) {
            (Some(source), Some(add)) => {
                add.stage = Stage::Known(source);
                vec![]
            }
            _ => self.not_followed(request, why),
        }
    }

    /// Explains how to add a filter to a source that is already followed.
    pub(super) fn already_followed(&self, title: &str) -> Vec<String> {
        let key = self.keymap.keys_for(Context::Sources, Action::Edit);
        let form = key.map_or_else(
            || "open the form of the source".to_owned(),
            |key| format!("press {key} on the source"),
        );
        let page = FormPage::Origin.title();
        vec![
            format!("This feed is already followed as {title}."),
            format!("To add the filter, {form}, then go to the page \"{page}\"."),
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
        request: RequestId,
        result: Result<(Vec<Followed>, FileEdit), Failure>,
    ) -> Vec<Effect> {
        let (added, edit) = match result {
            Ok(followed) => followed,
            Err(why) => return self.not_followed(request, why),
        };
        let awaited = self.close_awaiting(request);
        let message = self.followed_message(&added);
        let what = match added.as_slice() {
            [one] => format!("follow {}", one.title),
            many => format!("follow {} sources", many.len()),
        };
        if !edit.is_empty() {
            self.record_change(Change::Files(vec![edit]), what);
        }
        self.note(message);
        let mut effects = vec![Effect::Read(Read::Sources)];
        if awaited {
            effects.push(Effect::CloseBench);
        }
        // Show the items of the new source, unless an article is open or the user is doing something else.
        let is_free = awaited && self.dialogs.is_empty() && self.focus != Focus::Reader;
        if let [one] = added.as_slice()
            && is_free
        {
            self.sources.select_added = Some(one.id.clone());
            self.focus = Focus::Items;
        }
        effects
    }

    fn followed_message(&self, added: &[Followed]) -> String {
        match added {
            [] => "All of these are already followed".to_owned(),
            [Followed { title, no_items: Some(why), .. }] => format!("Following {title}: {why}"),
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
        }
    }

    /// Shows why a source could not be followed: in the dialog that waits for the reply, where the user can
    /// correct the input, or as a message.
    fn not_followed(&mut self, request: RequestId, why: Failure) -> Vec<Effect> {
        if let Some(add) = self.awaiting_mut::<Add>(request) {
            add.stage = Stage::Failed(vec![why]);
            return vec![];
        }
        if let Some(form) = self.awaiting_mut::<Editor>(request) {
            form.saving = None;
        }
        self.problem(why)
    }
}
