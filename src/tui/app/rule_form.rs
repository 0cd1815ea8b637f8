//! Creates a rule for items like the selected one, based on its words, author or source: it hides them, or
//! does something else with them.

use super::dialogs::{Dialog, KeyHint, KeyHints, Reply};
use super::{App, DryRun, PromptKind};
use crate::config::{Key, RuleSettings};
use crate::model::{ItemRow, Time};
use crate::query::{Named, quoted, resolve};
use crate::tui::effect::Effect;
use crate::tui::event::SourceEntry;
use crate::tui::input::Field;
use crate::tui::view::{self, DialogArea};
use crate::util::name::tag as tag_name;
use crate::util::text::{comparable, sentence};
use chrono::{Days, Local};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;

/// Possible durations of a rule: name and number of days.
pub(crate) const UNTIL: &[(&str, Option<u64>)] =
    &[("forever", None), ("a day", Some(1)), ("a week", Some(7)), ("a month", Some(30))];

/// An action that a new rule can have. A rule that runs a command can only be written in `config.toml`.
#[derive(Debug)]
pub(crate) struct RuleAction {
    /// The name of the action in the form and in the name of the rule.
    pub(crate) name: &'static str,
    /// The title of the dialog.
    pub(crate) title: &'static str,
    /// The effect in `config.toml`; for tags, without the name, which the user types last.
    effect: &'static str,
}

const fn action(name: &'static str, title: &'static str, effect: &'static str) -> RuleAction {
    RuleAction { name, title, effect }
}

pub(crate) const ACTIONS: &[RuleAction] = &[
    action("hide", "Hide items", "hide"),
    action("mark read", "Mark items read", "read"),
    action("pin", "Pin items", "pin"),
    action("keep for later", "Keep items for later", "later"),
    action("tag", "Tag items", TAG),
    action("notify", "Notify about items", "notify"),
];
const TAG: &str = "tag:";

/// Maximum number of title words that are suggested.
const MAX_WORDS: usize = 6;
/// Minimum number of letters in a suggested word.
const MIN_LETTERS: usize = 4;
/// Stop words of several languages, normalised for comparison.
const COMMON: &str = "\
    about after again against also another anything aber alle auch avec because been before \
    being beim between bien como could cuando dans dass desde deux diese dieser does doch donc \
    donde durch eine einem einen einer entre esta este even every everything first from fait \
    gegen good habe haben hasta have here immer inside into ihre just kann kein keine leur like \
    made mais make many mehr mein meme more most much muss nach need never nicht noch nothing \
    nous only oder other ours over para part pero plus pour quand sans schon sein seine should \
    sich sind since sobre some something sont still such than that their them then there these \
    they this those through tous tout under unter until upon very viel vous want waren warum \
    welche wenn were werden what when where which while wird will wieder with without would \
    wurde years your zwischen";

/// State of the dialog.
#[derive(Debug)]
pub(crate) struct RuleForm {
    /// The query of the rule.
    pub(crate) field: Field,
    /// Suggested queries, with descriptions of what they match.
    pub(crate) suggestions: Vec<(String, &'static str)>,
    pub(crate) selected: usize,
    /// Index in [`ACTIONS`].
    pub(crate) action: usize,
    /// Index in [`UNTIL`].
    pub(crate) until: usize,
    pub(crate) run: DryRun,
}

impl App {
    /// Opens the dialog for the current item, or the selected source.
    pub(super) fn open_rule_for_items(&mut self) -> Vec<Effect> {
        match self.rule_suggestions() {
            all if all.is_empty() => self.note("Select an item or a source first"),
            all => self.open_rule_form(all),
        }
    }

    /// Opens the dialog from the list of rules, also without an item.
    pub(super) fn open_new_rule(&mut self) -> Vec<Effect> {
        let suggestions = self.rule_suggestions();
        self.open_rule_form(suggestions)
    }

    fn rule_suggestions(&self) -> Vec<(String, &'static str)> {
        let all = match self.focus {
            super::Focus::Sources => self
                .sources
                .targets()
                .first()
                .map(|entry| vec![(self.source_query(entry), "source")]),
            _ => self.item_targets().first().cloned().map(|row| self.queries_for(&row)),
        };
        all.unwrap_or_default()
    }

    fn open_rule_form(&mut self, suggestions: Vec<(String, &'static str)>) -> Vec<Effect> {
        let field = Field::suggestion("");
        let (selected, action, until) = (0, 0, 0);
        let mut form =
            RuleForm { field, suggestions, selected, action, until, run: DryRun::default() };
        let effects = form.suggest(self, 0);
        self.push_dialog(form);
        effects
    }

    /// Adds a rule whose tag the user typed last.
    pub(super) fn add_tag_rule(&mut self, mut rule: RuleSettings, tag: &str) -> Vec<Effect> {
        let tag = tag_name(tag);
        if tag.is_empty() {
            return self.note("Nothing to add: the tag is empty");
        }
        rule.effects = vec![format!("{TAG}{tag}")];
        let label = rule.name.clone();
        self.add_rule(rule, label)
    }

    /// The queries that match items like this one.
    fn queries_for(&self, row: &ItemRow) -> Vec<(String, &'static str)> {
        let mut words: Vec<String> = Vec::new();
        for word in row.title.split(|c: char| !c.is_alphanumeric()) {
            let word = word.to_lowercase();
            let known = words.iter().any(|known| comparable(known) == comparable(&word));
            let is_common = COMMON.split_whitespace().any(|common| common == comparable(&word));
            if word.chars().count() >= MIN_LETTERS && !known && !is_common {
                words.push(word);
            }
        }
        // Longer words come first, because they are more specific.
        words.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
        words.truncate(MAX_WORDS);
        let mut all: Vec<_> =
            words.into_iter().map(|word| (format!("title:{word}"), "word")).collect();
        let article = self.reader.article.as_ref().filter(|a| a.row.key == row.key);
        for author in article.iter().flat_map(|article| &article.item.authors).take(3) {
            all.push((format!("author:\"{}\"", author.replace('"', " ")), "author"));
        }
        if let Some(entry) = self.sources.entry(row.source_key) {
            all.push((self.source_query(entry), "source"));
        }
        all
    }

    /// The query for the items of a source: by title, or by id if another source has the same title.
    fn source_query(&self, entry: &SourceEntry) -> String {
        let named = Named::Source(entry.title().to_owned());
        let selects = resolve(&named, self.sources.known()) == [entry.facts.key];
        let name = if selects { entry.title() } else { entry.source.id.as_str() };
        format!("source:{}", quoted(name))
    }
}

/// The last day of a rule, such as 2026-12-31; empty if the rule does not end.
fn last_day(until: usize, now: Time) -> String {
    let days = UNTIL.get(until).and_then(|(_, days)| *days);
    let today = now.with_timezone(&Local).date_naive();
    let last = days.and_then(|days| today.checked_add_days(Days::new(days)));
    last.map(|day| day.to_string()).unwrap_or_default()
}

impl RuleForm {
    fn suggest(&mut self, app: &mut App, index: usize) -> Vec<Effect> {
        let index = index.min(self.suggestions.len().saturating_sub(1));
        if let Some((query, _)) = self.suggestions.get(index) {
            self.field = Field::suggestion(query);
        }
        let effects = self.typed(app);
        self.selected = index;
        effects
    }

    fn confirm(&self, app: &mut App) -> Reply {
        let query = self.field.value().trim().to_owned();
        if query.is_empty() || self.run.error.is_some() {
            return Reply::default();
        }
        let action = self.action();
        let first = format!("{} {query}", sentence(action.name));
        let taken = |name: &String| app.settings.rules.iter().any(|rule| rule.name == *name);
        let numbered = (2..).map(|n| format!("{first} ({n})"));
        let name = std::iter::once(first.clone()).chain(numbered).find(|name| !taken(name));
        let rule = RuleSettings {
            name: name.unwrap_or_default(),
            query,
            effects: vec![action.effect.to_owned()],
            until: last_day(self.until, app.now),
            ..RuleSettings::default()
        };
        if action.effect == TAG {
            return Reply::close(app.ask(PromptKind::RuleTag { rule: Box::new(rule) }, ""));
        }
        Reply::close(app.add_rule(rule, first))
    }

    pub(crate) fn action(&self) -> &'static RuleAction {
        &ACTIONS[self.action.min(ACTIONS.len() - 1)]
    }

    /// Describes the effects outside the list of items, to be shown after the number of matches.
    pub(crate) fn describe_outside(&self) -> String {
        let effects = vec![self.action().effect.to_owned()];
        RuleSettings { effects, ..RuleSettings::default() }.describe_outside()
    }

    /// Chooses the next action, and counts the items that it would change.
    fn choose_action(&mut self, app: &mut App, steps: usize) -> Reply {
        self.action = (self.action + steps) % ACTIONS.len();
        self.count(app).into()
    }

    fn count(&mut self, app: &mut App) -> Vec<Effect> {
        let query = self.field.value().trim().to_owned();
        // A tag without a name has no effect yet, so the changes are not counted.
        let effects = self.action().effect.parse().ok().into_iter().collect();
        self.run.ask(app, &query, effects)
    }
}

impl Dialog for RuleForm {
    fn key(&mut self, app: &mut App, event: KeyEvent, _key: Key) -> Reply {
        match event.code {
            KeyCode::Esc => Reply::close(vec![]),
            KeyCode::Down => {
                let next = self.selected + 1;
                let first = self.selected == self.suggestions.len();
                self.suggest(app, if first { 0 } else { next }).into()
            }
            KeyCode::Up => self.suggest(app, self.selected.saturating_sub(1)).into(),
            KeyCode::Tab if event.modifiers.is_empty() => self.choose_action(app, 1),
            KeyCode::BackTab => self.choose_action(app, ACTIONS.len() - 1),
            KeyCode::Right if event.modifiers.is_empty() => {
                self.until = (self.until + 1) % UNTIL.len();
                Reply::default()
            }
            KeyCode::Left if event.modifiers.is_empty() => {
                self.until = (self.until + UNTIL.len() - 1) % UNTIL.len();
                Reply::default()
            }
            KeyCode::Enter => self.confirm(app),
            _ => self.type_key(app, event),
        }
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::rules::draw_form(app, frame, self, area);
    }

    fn hints(&self) -> KeyHints {
        &[
            KeyHint::Key("Enter", "add rule"),
            KeyHint::Key("Up Down", "suggestions"),
            KeyHint::Key("Tab", "action"),
            KeyHint::Key("Left Right", "how long"),
            KeyHint::Key("Esc", "cancel"),
        ]
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }

    fn typed(&mut self, app: &mut App) -> Vec<Effect> {
        // The typed text is not one of the suggestions, so none is selected.
        self.selected = self.suggestions.len();
        self.count(app)
    }
}
