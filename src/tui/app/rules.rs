//! The dialog with the rules: the effects that each rule has, has had and would have.

use super::dialogs::KeyHint::{Back, Rows};
use super::dialogs::{Dialog, KeyHint, KeyHints, Reply};
use super::history::REMOVAL;
use super::{App, PromptKind};
use crate::config::{Action, FileChange, Key, RuleChange, RuleSettings};
use crate::engine::rule_of;
use crate::model::Effect as RuleEffect;
use crate::store::{Criteria, Hidden, RuleMarks, RuleRecord, Scope, View};
use crate::tui::effect::{Effect, Purpose};
use crate::tui::event::{Cause, Failure, Matches, RequestId};
use crate::tui::read::Read;
use crate::tui::view::{self, DialogArea};
use crate::util::text::counted;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use std::sync::Arc;

/// A query with the items that it matches, once they are known.
#[derive(Debug, Default)]
pub(crate) struct DryRun {
    /// The latest query.
    query: String,
    effects: Vec<RuleEffect>,
    request: RequestId,
    /// The error in the query.
    pub(crate) error: Option<String>,
    pub(crate) found: Option<Matches>,
}

/// State of the dialog.
#[derive(Debug, Default)]
pub(crate) struct RuleList {
    pub(crate) selected: usize,
    /// The recorded effects of rules, once they are loaded.
    pub(crate) records: Vec<RuleRecord>,
    pub(crate) run: DryRun,
}

impl DryRun {
    /// Requests the items that a new query matches, and the changes that a rule's effects would make.
    pub(super) fn ask(
        &mut self,
        app: &mut App,
        query: &str,
        effects: Vec<RuleEffect>,
    ) -> Vec<Effect> {
        if self.query == query && self.effects == effects && self.request > 0 {
            return vec![];
        }
        if self.query != query || self.effects != effects {
            self.found = None;
        }
        self.request = app.request();
        query.clone_into(&mut self.query);
        self.effects.clone_from(&effects);
        self.error = match query {
            "" => Some("Type a query".to_owned()),
            query => app.query_error(query),
        };
        match &self.error {
            Some(_) => vec![],
            None => {
                let view = Box::new(app.everything(query));
                vec![Effect::Read(Read::Matches { request: self.request, view, effects })]
            }
        }
    }

    /// Stores a reply, unless the query has changed since the request.
    fn take(&mut self, request: RequestId, found: &Matches) {
        if self.request == request {
            self.found = Some(found.clone());
        }
    }
}

impl App {
    /// All stored items that match a query, including hidden ones.
    pub(super) fn everything(&self, query: &str) -> View {
        let criteria = Criteria { hidden: Hidden::ALL, ..self.criteria(query) };
        let order = crate::config::SortOrder::Newest;
        View { criteria, order, ..View::of(Scope::All) }
    }

    pub(super) fn open_rules(&mut self) -> Vec<Effect> {
        let mut list = RuleList::default();
        let mut effects = list.preview(self);
        effects.push(Effect::Read(Read::Rules));
        self.push_dialog(list);
        effects
    }

    /// If the dialog is open, requests its content again, because a rule has changed items.
    pub(super) fn recount_rules(&mut self) -> Vec<Effect> {
        self.with(|list: &mut RuleList, app| {
            list.run.request = 0;
            let mut effects = list.preview(app);
            effects.push(Effect::Read(Read::Rules));
            effects.into()
        })
    }

    pub(super) fn rules_loaded(&mut self, result: Result<Vec<RuleRecord>, Failure>) -> Vec<Effect> {
        match (result, self.dialog_mut::<RuleList>()) {
            (Ok(records), Some(list)) => list.records = records,
            (Err(why), _) => return self.problem(why),
            _ => {}
        }
        vec![]
    }

    pub(super) fn matches_found(
        &mut self,
        request: RequestId,
        result: Result<Matches, Failure>,
    ) -> Vec<Effect> {
        let found = match result {
            Ok(found) => found,
            Err(why) => return self.problem(why),
        };
        if let Some(list) = self.dialog_mut::<RuleList>() {
            list.run.take(request, &found);
        }
        if let Some(form) = self.dialog_mut::<super::RuleForm>() {
            form.run.take(request, &found);
        }
        vec![]
    }

    /// Saves a new rule, which is then applied to the stored items.
    pub(super) fn add_rule(&mut self, rule: RuleSettings, label: String) -> Vec<Effect> {
        let purpose = Purpose::Rule(label);
        let change = FileChange::Rules(vec![RuleChange { was: None, now: Some(rule) }]);
        vec![Effect::Edit { purpose, change }]
    }

    /// Applies a rule to the stored items.
    pub(super) fn apply_rule(&mut self, name: &str, cause: Cause) -> Vec<Effect> {
        let mut rules = self.newest_settings().rules.iter();
        let Some(rule) = rules.find(|rule| rule.name == name).and_then(rule_of) else {
            return self.problem(format!(
                "{name} was not applied to stored items: config.toml has no valid rule with that name"
            ));
        };
        let query = rule.query.to_string();
        let view = Box::new(self.everything(&query));
        vec![Effect::ApplyRule { rule: Box::new(rule), view, cause }]
    }

    pub(super) fn rule_applied(
        &mut self,
        name: String,
        cause: Cause,
        undone: bool,
        result: Result<(usize, Arc<RuleMarks>), Failure>,
    ) -> Vec<Effect> {
        if cause == Cause::User {
            self.history.change_replied();
        }
        match result {
            Ok(done) => self.rule_reported(name, cause, undone, done),
            Err(why) => self.problem(why),
        }
    }

    fn rule_reported(
        &mut self,
        name: String,
        cause: Cause,
        undone: bool,
        (changed, marks): (usize, Arc<RuleMarks>),
    ) -> Vec<Effect> {
        let mut effects = self.recount_rules();
        let items = counted(changed, "item");
        let done = if undone { "undone for" } else { "applied to" };
        if changed > 0 && cause == Cause::User {
            self.record_rule(name.clone(), marks, !undone);
        }
        let hint = match self.keymap.keys_for(self.context(), Action::Undo) {
            Some(key) if changed > 0 && !undone => format!(" ({key} undoes this)"),
            _ => String::new(),
        };
        let message = match cause {
            Cause::Undo => format!("Undone: {name} on {items}"),
            Cause::Redo => format!("Applied again: {name} to {items}"),
            // Nothing changed, for example because no stored item matches, or because the rule only notifies.
            _ if changed == 0 && !undone => {
                format!("{name}: no stored item changed; the rule applies to new items")
            }
            _ => format!("{name}: {done} {items}{hint}"),
        };
        effects.extend(self.note(message));
        effects
    }

    pub(super) fn change_rule_query(&mut self, name: &str, query: String) -> Vec<Effect> {
        let Some(rule) = self.settings.rules.iter().find(|rule| rule.name == name) else {
            return vec![];
        };
        let now = Some(RuleSettings { query, ..rule.clone() });
        let change = RuleChange { was: Some(name.to_owned()), now };
        vec![Effect::edit(FileChange::Rules(vec![change]))]
    }
}

impl RuleList {
    /// Whether the whole content of the dialog has been loaded.
    #[cfg(test)]
    pub(crate) fn is_complete(&self) -> bool {
        !self.records.is_empty() && self.run.found.is_some()
    }

    fn current(&self, app: &App) -> Option<RuleSettings> {
        app.settings.rules.get(self.selected).cloned()
    }

    /// Requests the items that the selected rule matches.
    pub(super) fn preview(&mut self, app: &mut App) -> Vec<Effect> {
        match self.current(app) {
            Some(rule) => {
                let effects = rule_of(&rule).map(|rule| rule.effects).unwrap_or_default();
                self.run.ask(app, &rule.query, effects)
            }
            None => vec![],
        }
    }

    fn pressed(&mut self, app: &mut App, event: KeyEvent) -> Vec<Effect> {
        if event.code == KeyCode::Char('n') {
            return app.open_new_rule();
        }
        let Some(rule) = self.current(app) else { return vec![] };
        let same = app.settings.rules.iter().filter(|other| other.name == rule.name).count();
        if same > 1 && matches!(event.code, KeyCode::Char('d' | 'e')) {
            return app.note("Two rules have this name: rename one of them in config.toml first");
        }
        match event.code {
            KeyCode::Char('a') => app.apply_rule(&rule.name, Cause::User),
            KeyCode::Char('x') => vec![Effect::UndoRule { name: rule.name, cause: Cause::User }],
            KeyCode::Char('e') => app.ask(PromptKind::RuleQuery { name: rule.name }, &rule.query),
            KeyCode::Char('d') => {
                let record = self.records.iter().find(|record| record.rule == rule.name);
                let stay = match record.map_or(0, |record| record.items) {
                    0 => String::new(),
                    items => format!("; its effects on {} stay", counted(items, "item")),
                };
                let label = format!("{REMOVAL}rule {}{stay}", rule.name);
                let change = RuleChange { was: Some(rule.name), now: None };
                let (purpose, change) =
                    (Purpose::Command(Some(label)), FileChange::Rules(vec![change]));
                vec![Effect::Edit { purpose, change }]
            }
            _ => vec![],
        }
    }
}

impl Dialog for RuleList {
    fn key(&mut self, app: &mut App, event: KeyEvent, key: Key) -> Reply {
        if let Some(motion) = app.motion(key) {
            self.selected = motion.from(self.selected, 10, app.settings.rules.len());
            return self.preview(app).into();
        }
        if app.is_back(key) {
            return Reply::close(vec![]);
        }
        match app.action_of(key) {
            Some(Action::Undo) => app.undo().into(),
            Some(Action::Redo) => app.redo().into(),
            _ => self.pressed(app, event).into(),
        }
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::rules::draw(app, frame, self, area);
    }

    fn hints(&self) -> KeyHints {
        &[
            KeyHint::Key("a", "apply now"),
            KeyHint::Key("x", "undo"),
            KeyHint::Key("n", "new"),
            KeyHint::Key("e", "edit"),
            KeyHint::Key("d", "remove"),
            Rows("select"),
            Back("close"),
        ]
    }
}
