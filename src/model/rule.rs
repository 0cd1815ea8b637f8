//! Rules: what is done to items that match a query.

use super::Time;
use std::fmt;
use std::str::FromStr;

/// What a rule does to an item.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Marks it read.
    Read,
    Pin,
    /// Keeps it for later.
    Later,
    /// Marks it read and leaves it out of lists.
    Hide,
    /// Gives it a tag.
    Tag(String),
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read => f.write_str("read"),
            Self::Pin => f.write_str("pin"),
            Self::Later => f.write_str("later"),
            Self::Hide => f.write_str("hide"),
            Self::Tag(tag) => write!(f, "tag:{tag}"),
        }
    }
}

impl FromStr for Effect {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "read" => Self::Read,
            "pin" => Self::Pin,
            "later" => Self::Later,
            "hide" => Self::Hide,
            other => match other.strip_prefix("tag:").map(str::trim) {
                Some(tag) if !tag.is_empty() => Self::Tag(tag.to_owned()),
                _ => return Err("expected read, pin, later, hide or tag:NAME".to_owned()),
            },
        })
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
