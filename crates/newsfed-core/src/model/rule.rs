//! Rules: what happens to items that match a query.

use super::Time;
use crate::util::name;
use chrono::SubsecRound;
use std::fmt;
use std::str::FromStr;

/// What a rule does to an item.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Marks it as read.
    Read,
    Pin,
    /// Keeps it for later.
    Later,
    /// Marks it as read and leaves it out of lists.
    Hide,
    /// Adds a tag, in its stored form.
    Tag(String),
    /// Announces it in a notification.
    Notify,
    /// Runs the command of the rule.
    Run,
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read => f.write_str("read"),
            Self::Pin => f.write_str("pin"),
            Self::Later => f.write_str("later"),
            Self::Hide => f.write_str("hide"),
            Self::Tag(tag) => write!(f, "tag:{tag}"),
            Self::Notify => f.write_str("notify"),
            Self::Run => f.write_str("run"),
        }
    }
}

impl Effect {
    /// The names of all effects except tags.
    pub const NAMES: [&'static str; 6] = ["read", "pin", "later", "hide", "notify", "run"];
}

impl FromStr for Effect {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "read" => Self::Read,
            "pin" => Self::Pin,
            "later" => Self::Later,
            "hide" => Self::Hide,
            "notify" => Self::Notify,
            "run" => Self::Run,
            other => match other.strip_prefix("tag:").map(name::tag) {
                Some(tag) if !tag.is_empty() => Self::Tag(tag),
                _ => return Err(format!("expected {} or tag:NAME", Self::NAMES.join(", "))),
            },
        })
    }
}

/// Results of the commands that a rule ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CommandRecord {
    /// Number of commands that succeeded.
    pub ok: u32,
    /// Number of commands that failed, or could not be started.
    pub failed: u32,
    /// Number of items for which the command was not run, because there were too many in one refresh or
    /// because newsfed exited first.
    pub skipped: u32,
    /// When the last command ended or was skipped.
    pub at: Time,
    /// Status of the last command that failed, or of the last command if none failed: `exit status: 1`.
    pub status: String,
    /// The first line of the error output of the command that `status` is from.
    pub error: Option<String>,
}

impl CommandRecord {
    /// Counts a command that has ended.
    pub fn add(&mut self, ok: bool, status: &str, error: Option<&str>, at: Time) {
        let count = if ok { &mut self.ok } else { &mut self.failed };
        *count = count.saturating_add(1);
        self.at = at.trunc_subsecs(0);
        // A later success does not replace the output of a failed command.
        if !ok || self.failed == 0 {
            status.clone_into(&mut self.status);
            self.error = error.map(str::to_owned);
        }
    }

    /// Counts items for which the command was not run.
    pub fn skip(&mut self, items: usize, at: Time) {
        self.skipped = self.skipped.saturating_add(u32::try_from(items).unwrap_or(u32::MAX));
        self.at = at.trunc_subsecs(0);
    }
}

/// What a rule did to an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleEffect {
    pub effect: Effect,
    /// The name of the rule.
    pub rule: String,
    pub at: Time,
}

/// Describes what rules did to an item, with the effects grouped by rule.
pub fn by_rule<'a>(effects: impl Iterator<Item = (&'a str, String)>) -> String {
    let mut rules: Vec<(&str, Vec<String>)> = Vec::new();
    for (rule, effect) in effects {
        match rules.iter_mut().find(|(known, _)| *known == rule) {
            Some((_, effects)) => effects.push(effect),
            None => rules.push((rule, vec![effect])),
        }
    }
    let rules = rules.iter().map(|(rule, effects)| format!("{rule} ({})", effects.join(", ")));
    rules.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_the_results_of_commands() {
        let at = |seconds| Time::from_timestamp(seconds, 0).unwrap_or_default();
        let mut record = CommandRecord::default();
        record.add(true, "exit status: 0", None, at(1));
        assert_eq!((record.ok, record.status.as_str()), (1, "exit status: 0"));
        record.add(false, "exit status: 1", Some("no"), at(2));
        record.add(true, "exit status: 0", None, at(3));
        record.skip(2, at(4));
        assert_eq!((record.ok, record.failed, record.skipped, record.at), (2, 1, 2, at(4)));
        assert_eq!(
            (record.status.as_str(), record.error.as_deref()),
            ("exit status: 1", Some("no"))
        );
    }
}
