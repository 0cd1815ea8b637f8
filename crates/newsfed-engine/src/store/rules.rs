//! Rules for items: applied to new items in the transaction that stores them, and on demand to all items.

use super::Store;
use super::condition::{Condition, Known};
use super::error::Result;
use super::new_marks::RuleMark;
use super::phrases::Phrases;
use super::prefilter::Prefilter;
use super::reader::Reader;
use super::rule_test::{Names, RuleTest, is_timed};
use crate::model::{Effect, Source};
use crate::query::{self, Named, Query, What};
use crate::util::text;
use chrono::{DateTime, Local};
use rusqlite::{Connection, OptionalExtension};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError};

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The name of the rule in messages.
    pub name: String,
    pub query: Query,
    pub effects: Vec<Effect>,
    /// The end of the rule's last day, in seconds since the epoch.
    pub until: Option<i64>,
    /// Whether no further rules apply to the items that the rule matches.
    pub stop: bool,
}

/// All rules, in order, prepared for new items.
#[derive(Debug, Default)]
pub struct Rules {
    pub(super) rules: Vec<Prepared>,
    /// The row keys of the sources that names select.
    names: HashMap<Named, Vec<i64>>,
    /// The phrases of all rules.
    pub(super) phrases: Phrases,
    /// Excludes most rules without a database query.
    pub(super) prefilter: Prefilter,
    /// How many items of the first document of a source are unread; `None` for all.
    pub(super) first_unread: Option<u32>,
    /// Whether new items are announced to hooks.
    pub(super) hooks: bool,
}

/// A rule, prepared for new items.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) rule: Rule,
    /// The condition of the rule, unless it depends on the time.
    pub(super) condition: Option<Condition>,
    /// The only sources with items that the rule can match.
    pub(super) sources: Option<Vec<i64>>,
    /// Decides, for most items, whether the rule matches.
    pub(super) test: RuleTest,
    /// What the database needs to decide about the other items.
    pub(super) searches: Searches,
    /// The marks that the rule sets.
    pub(super) marks: Vec<RuleMark>,
    /// Whether the rule also acts outside the database.
    pub(super) is_outside: bool,
}

impl Rules {
    /// Prepares rules for these sources, given with their row keys and titles.
    pub fn of_sources(rules: Vec<Rule>, sources: &[(i64, &Source, &str)]) -> Self {
        let known = sources.iter().map(|(key, source, title)| query::NamedSource {
            key: *key,
            source,
            title,
        });
        let all = query::Directory::new(known);
        Self::new(rules, |named| all.resolve(named))
    }

    /// Prepares rules. `resolve` returns the row keys of the sources that a name selects.
    pub fn new(rules: Vec<Rule>, mut resolve: impl FnMut(&Named) -> Vec<i64>) -> Self {
        let mut all = Self::default();
        for rule in &rules {
            for term in rule.query.all_terms() {
                if let What::Of(named) = &term.what {
                    all.names.insert(named.clone(), resolve(named));
                }
            }
        }
        all.prefilter = Prefilter::new(rules.iter().map(|rule| &rule.query), &mut all.phrases);
        // A new item can have tags of its own only from earlier rules.
        let given: HashSet<String> = rules
            .iter()
            .flat_map(|rule| &rule.effects)
            .filter_map(|effect| match effect {
                Effect::Tag(tag) => Some(text::comparable(tag)),
                _ => None,
            })
            .collect();
        for rule in rules {
            let limits = rule.query.terms.iter().filter(|term| !term.negated);
            let sources = limits.filter_map(|term| match &term.what {
                What::Of(Named::Tag(tag)) if given.contains(&text::comparable(tag)) => None,
                What::Of(named) => all.names.get(named).cloned(),
                _ => None,
            });
            let sources = sources.reduce(|a, b| a.into_iter().filter(|k| b.contains(k)).collect());
            let timed = rule.query.all_terms().any(|term| is_timed(&term.what));
            let condition =
                (!timed).then(|| all.condition(&rule.query, DateTime::default())).flatten();
            let resolve = |named: &Named| all.names.get(named).cloned().unwrap_or_default();
            let names = Names { resolve: &resolve, given: &given };
            let test = RuleTest::new(&rule.query, &names, &mut all.phrases);
            let marks = rule.effects.iter().filter_map(RuleMark::of).collect();
            let is_outside = rule.effects.iter().any(is_outside);
            let searches = Searches::of(&rule.query);
            all.rules.push(Prepared {
                rule,
                condition,
                sources,
                test,
                searches,
                marks,
                is_outside,
            });
        }
        all.phrases.build();
        all
    }

    /// Sets the number of unread items from the first document of a source.
    #[must_use]
    pub fn first_unread(mut self, count: Option<u32>) -> Self {
        self.first_unread = count;
        self
    }

    /// Sets whether new items are announced to hooks.
    #[must_use]
    pub fn hooks(mut self, wanted: bool) -> Self {
        self.hooks = wanted;
        self
    }

    pub(super) fn condition(&self, query: &Query, now: DateTime<Local>) -> Option<Condition> {
        let mut resolve = |named: &Named| self.names.get(named).cloned().unwrap_or_default();
        Known { now, resolve: &mut resolve }.all(query, false)
    }
}

/// Whether an effect acts outside the database.
fn is_outside(effect: &Effect) -> bool {
    matches!(effect, Effect::Notify | Effect::Run)
}

/// What must be indexed for a new item before a rule's query can be tested.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Searches {
    /// Whether the texts of the item must be searchable.
    pub(super) texts: bool,
    /// Whether the body must be searchable, not only title and authors.
    pub(super) body: bool,
    /// Whether the words of the item must be counted.
    pub(super) words: bool,
}

impl Searches {
    fn of(query: &Query) -> Self {
        let any = |test: fn(&What) -> bool| query.all_terms().any(|term| test(&term.what));
        Self {
            texts: any(|what| matches!(what, What::Text { .. })),
            body: any(|what| matches!(what, What::Text { column: query::Column::Any, .. })),
            words: any(|what| matches!(what, What::Shorter(_) | What::Longer(_))),
        }
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self {
            texts: self.texts || other.texts,
            body: self.body || other.body,
            words: self.words || other.words,
        }
    }
}

/// New items (row keys) for which a rule notifies the user, or runs its command, once they are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    /// The name of the rule; empty for the announcement of all new items to hooks.
    pub rule: String,
    pub notifies: bool,
    pub runs: bool,
    pub items: Vec<i64>,
}

impl Announcement {
    /// The announcement of a rule; `None` if the rule acts only on the stored items.
    pub fn of(rule: &Rule, items: Vec<i64>) -> Option<Self> {
        let has = |wanted: &Effect| rule.effects.contains(wanted);
        let (notifies, runs) = (has(&Effect::Notify), has(&Effect::Run));
        let is_any = (notifies || runs) && !items.is_empty();
        is_any.then(|| Self { rule: rule.name.clone(), notifies, runs, items })
    }
}

/// The dates and row keys of the given items that are not hidden.
pub(super) fn shown(conn: &Connection, keys: &[i64]) -> Result<Vec<(i64, i64)>> {
    let mut query =
        conn.prepare_cached("SELECT date, key FROM item WHERE key = ?1 AND hidden = 0")?;
    let mut shown = Vec::new();
    for key in keys {
        shown.extend(query.query_row([key], |r| Ok((r.get(0)?, r.get(1)?))).optional()?);
    }
    Ok(shown)
}

impl Reader {
    /// The given items (row keys) that are not hidden, newest first.
    pub fn shown(&self, items: &[i64]) -> Result<Vec<i64>> {
        let mut shown = shown(&self.conn, items)?;
        shown.sort_unstable_by(|a, b| b.cmp(a));
        Ok(shown.into_iter().map(|(_, key)| key).collect())
    }
}

impl Store {
    /// Sets the rules for new items.
    pub fn set_rules(&self, rules: Rules) {
        *self.inner.rules.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(rules);
    }

    pub(super) fn rules(&self) -> Arc<Rules> {
        self.inner.rules.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
