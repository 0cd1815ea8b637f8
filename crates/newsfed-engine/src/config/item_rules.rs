//! `[[rule]]` of `config.toml`: what happens to new items.

use super::checks::{ARGUMENT, RULE_QUERY, WORD};
use super::declared_file::DeclaredFile;
use super::document::Pair;
use super::edit_error::EditError;
use super::error::{Report, did_you_mean};
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
use crate::query::{ItemState, Query, Term, Thing, What};
use crate::util::name::MAX_TAG;
use crate::util::text::line;
use std::collections::HashSet;
use toml_edit::Value;

const DAY: Rule = Rule::Checked(day, r"^\s*[+-]?[0-9]+\s*-\s*[0-9]{1,2}\s*-\s*[0-9]{1,2}$");

/// The keys of a `[[rule]]`.
pub(super) const KEYS: &[Setting<RuleSettings>] = &[
    Setting::new("name", WORD, |r| Slot::Text(&mut r.name)),
    Setting::new("query", RULE_QUERY, |r| Slot::Text(&mut r.query)),
    Setting::new("do", Rule::Any, |r| Slot::Words(&mut r.effects)),
    Setting::new("until", DAY, |r| Slot::Text(&mut r.until)),
    Setting::new("stop", Rule::Any, |r| Slot::Flag(&mut r.stop)),
    Setting::new("run", ARGUMENT, |r| Slot::Command(&mut r.run)),
    Setting::new("run_limit", Rule::Within(1, 10 * 60), |r| Slot::MaybeTime(&mut r.run_limit)),
];

impl RuleSettings {
    /// The effects of the rule in one line, with the command.
    pub fn describe_effects(&self) -> String {
        let effect = |effect: &String| match effect.as_str() {
            "run" => line(&format!("run {}", self.run.join(" "))),
            other => other.to_owned(),
        };
        let stop = self.stop.then(|| "stop".to_owned());
        self.effects.iter().map(effect).chain(stop).collect::<Vec<_>>().join(", ")
    }

    /// The effects outside the list of items, which do not occur when the rule is applied to stored items;
    /// empty if there are none.
    pub fn describe_outside(&self) -> String {
        let has = |wanted: &str| self.effects.iter().any(|effect| effect == wanted);
        let would = match (has("notify"), has("run")) {
            (true, true) => "notify and run its command",
            (true, false) => "notify",
            (false, true) => "run its command",
            (false, false) => return String::new(),
        };
        format!("; would {would}, but only for new items")
    }
}

/// A rule before and after a change; `None` where it does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleChange {
    /// The name of the rule before the change.
    pub was: Option<String>,
    /// The rule after the change. For an existing rule, only the query is changed.
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

/// An effect. A tag must have its stored form, as in the command `tag`.
fn effect_of(text: &str) -> Result<Effect, String> {
    let effect = text.parse().map_err(|expected: String| {
        let hint = did_you_mean(text, Effect::NAMES);
        format!("{expected}, found {}{hint}", quote(text))
    })?;
    if let (Effect::Tag(tag), Some(typed)) = (&effect, text.strip_prefix("tag:"))
        && *tag != line(&typed.replace('"', " "))
    {
        return Err(format!("a tag has 1 to {MAX_TAG} characters"));
    }
    Ok(effect)
}

/// The name of a rule without one. It is the query, because the effects of rules are recorded by name, and
/// the position changes when another rule is removed.
fn default_name(query: &str, number: usize, before: &[RuleSettings]) -> String {
    if query.is_empty() {
        return format!("rule {number}");
    }
    let taken: HashSet<&str> = before.iter().map(|other| other.name.as_str()).collect();
    let is_free = |name: &String| !taken.contains(name.as_str());
    let numbered = (2..).map(|count| format!("{query} ({count})"));
    std::iter::once(query.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
}

/// The rules. An invalid one only causes a warning, and is not applied.
pub(super) fn read_all(pair: &Pair, report: &mut Report) -> Vec<RuleSettings> {
    let mut rules: Vec<RuleSettings> = Vec::new();
    for (number, (node, table)) in (1usize..).zip(elements(pair, report)) {
        let mut rule = RuleSettings::default();
        read(table, &"rule.", (KEYS, ""), &[], &mut rule, report);
        if rule.name.is_empty() {
            rule.name = default_name(&rule.query, number, &rules);
        }
        let at = |key: &str| table.iter().find(|p| p.key == key).map_or(node.at, |p| p.node.at);
        let query = rule.query.parse::<Query>();
        let whole = |term: &Term| matches!(term.what, What::AsOf(_) | What::InVersions);
        // Duplicates are only detected after new items are stored, too late for rules.
        let later = |term: &Term| {
            matches!(term.what, What::Is(ItemState::Duplicate) | What::Has(Thing::Duplicate))
        };
        // A rule with a command runs it, even if `run` is missing.
        let runs = rule.effects.iter().any(|effect| effect == "run");
        if !rule.run.is_empty() && !runs {
            rule.effects.push("run".to_owned());
        }
        let effects: Result<Vec<Effect>, String> =
            rule.effects.iter().map(|effect| effect_of(effect)).collect();
        let query = match query {
            Err(e) => Some(e.to_string()),
            Ok(query) if query.is_empty() => Some("is missing".to_owned()),
            Ok(query) if query.all_terms().any(whole) => {
                Some("asof: and in:versions cannot be used in a rule".to_owned())
            }
            Ok(query) if query.all_terms().any(later) => {
                Some("is:duplicate and has:duplicate cannot be used in a rule".to_owned())
            }
            Ok(_) => None,
        };
        let effects = match effects {
            Err(e) => Some(e),
            Ok(effects) if effects.is_empty() => Some("is missing".to_owned()),
            Ok(_) => None,
        };
        let run = (runs && rule.run.is_empty())
            .then(|| "is missing; expected a list such as [\"save\", \"{url}\"]".to_owned());
        let name = rules
            .iter()
            .any(|other| other.name == rule.name)
            .then(|| format!("{} is the name of two rules", quote(&rule.name)));
        let mut problems = Vec::new();
        for (key, problem) in [("query", query), ("do", effects), ("run", run), ("name", name)] {
            let Some(problem) = problem else { continue };
            let message = format!("{problem}; the rule {} is not applied", quote(&rule.name));
            report.warn(at(key), &format!("rule.{key}"), message);
            problems.push(format!("{key}: {problem}"));
        }
        rule.problem = problems.join("; ");
        rules.push(rule);
    }
    rules
}

#[cfg(test)]
mod tests {
    use crate::config::Settings;
    use crate::config::load::check_settings;
    use std::fmt::Write;
    use std::path::Path;

    fn load(text: &str) -> (Settings, String) {
        let (settings, warnings) = check_settings(Path::new("config.toml"), text, &[]).unwrap();
        (settings, format!("{warnings:?}"))
    }

    #[test]
    fn long_queries_are_kept() {
        let mut query = "title:/alpha  one/".to_owned();
        for n in 0..60 {
            write!(query, " -title:a-word-that-no-title-contains-{n}").unwrap();
        }
        query += " -\"one  two\"";
        let text = |query: &str| {
            format!(
                "[[rule]]\nname = 'r'\nquery = '{query}'\ndo = ['hide']\n\
                 [[view]]\nname = 'v'\nquery = '{query}'\n"
            )
        };
        let settings = load(&text(&query)).0;
        let rule = &settings.rules[0];
        assert_eq!((rule.query.as_str(), rule.problem.as_str()), (query.as_str(), ""));
        assert_eq!(settings.views[0].query, query);
        let (settings, warnings) = load(&text(&"a ".repeat(101)));
        assert_eq!(warnings.matches("at most 100 words").count(), 2, "{warnings}");
        assert!(!settings.rules[0].problem.is_empty());
        let text = "[[rule]]\nname = 'r'\nquery = \"\"\"\na OR\nru\\u00adst\"\"\"\ndo = ['hide']\n";
        assert_eq!(load(text).0.rules[0].query, "a OR rust");
    }

    #[test]
    fn arguments_are_kept_byte_for_byte() {
        let script = format!("printf 'a  b' # comment\nprintf\t'{}'\u{ad} ", "x".repeat(2000));
        let run = format!("['sh', '-c', \"\"\"{script}\"\"\", '']");
        let text = format!(
            "browser = {run}\n[open]\n'audio/*' = {run}\n[notify]\ncommand = {run}\n\
             [listen]\nplayer = {run}\n[[rule]]\nname = 'r'\nquery = 'a'\ndo = ['run']\nrun = {run}\n\
             [[command]]\nname = 'c'\nrun = {run}\n[[hook]]\nname = 'h'\nafter = 'sync'\nrun = {run}\n"
        );
        let settings = load(&text).0;
        let expected = vec!["sh".to_owned(), "-c".to_owned(), script, String::new()];
        for argv in [
            &settings.browser,
            &settings.open.programs["audio/*"],
            &settings.notify.command,
            &settings.listen.player,
            &settings.rules[0].run,
            &settings.commands[0].run,
            &settings.hooks[0].run,
        ] {
            assert_eq!(*argv, expected);
        }
        assert!(!settings.rules[0].describe_effects().contains(['\n', '\u{ad}']));
        for (run, part) in [
            ("['sh', \"a\\u0000\"]".to_owned(), "without NUL"),
            ("[' ']".to_owned(), "found an empty program"),
            (format!("['sh', '{}']", "x".repeat(128 * 1024)), "at most 131071 bytes"),
        ] {
            let text = format!("[[command]]\nname = 'c'\nrun = {run}\n");
            let error = check_settings(Path::new("config.toml"), &text, &[]).unwrap_err();
            assert!(error.to_string().contains(part), "{part}: {error}");
        }
    }
}
