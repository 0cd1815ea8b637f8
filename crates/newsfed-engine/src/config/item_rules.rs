//! `[[rule]]` of `config.toml`: what is done to new items.

use super::checks::WORD;
use super::declared_file::DeclaredFile;
use super::document::Pair;
use super::edit_error::EditError;
use super::error::Report;
use super::file_edit::{Element, FileEdit, FileKind, KeysOf, Step};
use super::load::elements;
use super::paths::Paths;
use super::quote::quote;
use super::rule::{Rule, Slot, show_time};
use super::section::KeyChange;
use super::setting::{Setting, read};
use super::settings::RuleSettings;
use super::splice::newline;
use crate::model::Effect;
use crate::query::{Query, State, Term, Thing, What};
use toml_edit::Value;

const DAY: Rule = Rule::Checked(day, r"^\s*[+-]?[0-9]+\s*-\s*[0-9]{1,2}\s*-\s*[0-9]{1,2}$");

/// The keys of a `[[rule]]`.
pub(super) const KEYS: &[Setting<RuleSettings>] = &[
    Setting::new("name", WORD, |r| Slot::Text(&mut r.name)),
    Setting::new("query", WORD, |r| Slot::Text(&mut r.query)),
    Setting::new("do", Rule::Any, |r| Slot::Words(&mut r.effects)),
    Setting::new("until", DAY, |r| Slot::Text(&mut r.until)),
    Setting::new("stop", Rule::Any, |r| Slot::Flag(&mut r.stop)),
    Setting::new("run", WORD, |r| Slot::Command(&mut r.run)),
    Setting::new("run_limit", Rule::Within(1, 10 * 60), |r| Slot::MaybeTime(&mut r.run_limit)),
];

impl RuleSettings {
    /// Its effects in one line, with the command.
    pub fn describe_effects(&self) -> String {
        let effect = |effect: &String| match effect.as_str() {
            "run" => format!("run {}", self.run.join(" ")),
            other => other.to_owned(),
        };
        let stop = self.stop.then(|| "stop".to_owned());
        self.effects.iter().map(effect).chain(stop).collect::<Vec<_>>().join(", ")
    }

    /// Its effects outside the list, which are left out when it is applied to stored items; empty if there
    /// are none.
    pub fn describe_outside(&self) -> String {
        let has = |wanted: &str| self.effects.iter().any(|effect| effect == wanted);
        let would = match (has("notify"), has("run")) {
            (true, true) => "notify and run its command",
            (true, false) => "notify",
            (false, true) => "run its command",
            (false, false) => return String::new(),
        };
        format!("; would {would}, but for new items only")
    }
}

/// A rule before and after a change; `None` where it does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleChange {
    /// Its name before.
    pub was: Option<String>,
    /// The rule afterwards. Only the query of an existing rule is changed.
    pub now: Option<RuleSettings>,
}

/// Adds, changes and removes rules, all or none.
pub(super) fn edit_rules(paths: &Paths, changes: &[RuleChange]) -> Result<FileEdit, EditError> {
    let file = DeclaredFile::of(FileKind::Rules, paths);
    file.change(|text| Ok(changes.iter().filter_map(|change| step(change, text)).collect()))
}

fn step(change: &RuleChange, text: &str) -> Option<Step> {
    let value = |text: &str| Value::from(text).to_string();
    Some(match (&change.was, &change.now) {
        (Some(was), Some(now)) => {
            let query =
                KeyChange { path: vec!["query".to_owned()], value: Some(value(&now.query)) };
            Step::Set(vec![KeysOf { element: Some(was.clone()), changes: vec![query] }])
        }
        (Some(was), None) => Step::Remove(vec![was.clone()]),
        (None, Some(now)) => {
            let effects = now.effects.iter().map(|effect| value(effect)).collect::<Vec<_>>();
            let mut lines = vec![
                "[[rule]]".to_owned(),
                format!("name = {}", value(&now.name)),
                format!("query = {}", value(&now.query)),
                format!("do = [{}]", effects.join(", ")),
            ];
            if !now.until.is_empty() {
                lines.push(format!("until = {}", value(&now.until)));
            }
            if now.stop {
                lines.push("stop = true".to_owned());
            }
            if !now.run.is_empty() {
                let words = now.run.iter().map(|word| value(word)).collect::<Vec<_>>();
                lines.push(format!("run = [{}]", words.join(", ")));
            }
            if let Some(limit) = now.run_limit {
                lines.push(format!("run_limit = {}", value(&show_time(limit))));
            }
            let newline = newline(text);
            let text = lines.join(newline) + newline;
            Step::Insert(vec![Element { name: now.name.clone(), text, before: None }])
        }
        (None, None) => return None,
    })
}

/// A day such as 2026-12-31.
fn day(text: &str) -> Result<String, String> {
    let day = chrono::NaiveDate::parse_from_str(text, "%Y-%m-%d");
    day.map(|day| day.to_string()).map_err(|_| "expected a day such as 2026-12-31".to_owned())
}

/// The rules. One that is not valid does not apply, with a warning: the others still do.
pub(super) fn read_all(pair: &Pair, report: &mut Report) -> Vec<RuleSettings> {
    let mut rules: Vec<RuleSettings> = Vec::new();
    for (number, (node, table)) in (1..).zip(elements(pair, report)) {
        let mut rule = RuleSettings::default();
        read(table, "rule.", (KEYS, ""), &[], &mut rule, report);
        if rule.name.is_empty() {
            rule.name = format!("rule {number}");
        }
        let at = |key: &str| table.iter().find(|p| p.key == key).map_or(node.at, |p| p.node.at);
        let query = rule.query.parse::<Query>();
        let whole = |term: &Term| matches!(term.what, What::AsOf(_) | What::InVersions);
        // Stories are found after new items are stored.
        let later = |term: &Term| {
            matches!(term.what, What::Is(State::Duplicate) | What::Has(Thing::Duplicate))
        };
        // A rule with a command runs it, even if `run` is missing.
        let runs = rule.effects.iter().any(|effect| effect == "run");
        if !rule.run.is_empty() && !runs {
            rule.effects.push("run".to_owned());
        }
        let effects: Result<Vec<Effect>, String> =
            rule.effects.iter().map(|effect| effect.parse()).collect();
        let problem = match (query, effects) {
            (Err(e), _) => Some(("query", e.to_string())),
            (Ok(query), _) if query.is_empty() => Some(("query", "is missing".to_owned())),
            (Ok(query), _) if query.all_terms().any(whole) => {
                Some(("query", "asof: and in:versions cannot be used in a rule".to_owned()))
            }
            (Ok(query), _) if query.all_terms().any(later) => {
                let message = "is:duplicate and has:duplicate cannot be used in a rule";
                Some(("query", message.to_owned()))
            }
            (_, Err(e)) => Some(("do", e)),
            (_, Ok(effects)) if effects.is_empty() => Some(("do", "is missing".to_owned())),
            _ if runs && rule.run.is_empty() => {
                Some(("run", "is missing, such as [\"save\", \"{url}\"]".to_owned()))
            }
            _ if rules.iter().any(|other| other.name == rule.name) => {
                Some(("name", format!("\"{}\" is the name of two rules", rule.name)))
            }
            _ => None,
        };
        if let Some((key, e)) = problem {
            let message = format!("{e}; {} does not apply", quote(&rule.name));
            report.warn(at(key), &format!("rule.{key}"), message);
            rule.problem = format!("{key}: {e}");
        }
        rules.push(rule);
    }
    rules
}
