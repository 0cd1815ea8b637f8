//! `[[rule]]` of `config.toml`: what is done to new items.

use super::document::Pair;
use super::error::Report;
use super::load::elements;
use super::rule::{Rule, Slot};
use super::schema::word;
use super::setting::{Setting, read};
use super::settings::RuleSettings;
use crate::model::Effect;
use crate::query::{Query, Term, What};

/// The keys of a `[[rule]]`.
pub(super) const KEYS: &[Setting<RuleSettings>] = &[
    Setting::new("name", Rule::Checked(word), |r| Slot::Text(&mut r.name)),
    Setting::new("query", Rule::Checked(word), |r| Slot::Text(&mut r.query)),
    Setting::new("do", Rule::Any, |r| Slot::Words(&mut r.effects)),
    Setting::new("until", Rule::Checked(day), |r| Slot::Text(&mut r.until)),
    Setting::new("stop", Rule::Any, |r| Slot::Flag(&mut r.stop)),
];

/// A day such as 2026-12-31.
fn day(text: &str) -> Result<String, String> {
    let day = chrono::NaiveDate::parse_from_str(text, "%Y-%m-%d");
    day.map(|day| day.to_string()).map_err(|_| "expected a day such as 2026-12-31".to_owned())
}

/// The rules. One that is not valid is left out, with a warning: the others still apply.
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
        let effects: Result<Vec<Effect>, String> =
            rule.effects.iter().map(|effect| effect.parse()).collect();
        let problem = match (query, effects) {
            (Err(e), _) => Some(("query", e.to_string())),
            (Ok(query), _) if query.is_empty() => Some(("query", "is missing".to_owned())),
            (Ok(query), _) if query.all_terms().any(whole) => {
                Some(("query", "asof: and in:versions cannot be used in a rule".to_owned()))
            }
            (_, Err(e)) => Some(("do", e)),
            (_, Ok(effects)) if effects.is_empty() => Some(("do", "is missing".to_owned())),
            _ if rules.iter().any(|other| other.name == rule.name) => {
                Some(("name", format!("\"{}\" is the name of two rules", rule.name)))
            }
            _ => None,
        };
        match problem {
            Some((key, e)) => {
                let message = format!("{e}; the rule does not apply");
                report.warn(at(key), &format!("rule.{key}"), message);
            }
            None => rules.push(rule),
        }
    }
    rules
}
