//! Rules for items: applied to new items in the transaction that stores them, and on demand to all.

use super::Store;
use super::condition::{Condition, Known};
use super::error::Result;
use super::filter::Filter;
use super::identity::Prepared;
use super::index::text_of;
use super::prefilter::Prefilter;
use super::reader::Reader;
use super::rule_effects::apply_to_new;
use super::rule_test::{Arriving, Names, RuleTest, is_timed};
use crate::model::{Effect, Source, Time};
use crate::query::{self, Named, Query, What};
use crate::util::text;
use chrono::{DateTime, Local};
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError};

/// The table of the texts of new items, in memory: the index is written later.
pub(super) const ARRIVING: &str = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.arriving USING fts5 (
    title, authors, body, content = '', contentless_delete = 1,
    tokenize = 'unicode61 remove_diacritics 2')";

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its name in messages.
    pub name: String,
    pub query: Query,
    pub effects: Vec<Effect>,
    /// The end of its last day, in seconds since the epoch.
    pub until: Option<i64>,
    /// Whether no further rules apply to the items that it matches.
    pub stop: bool,
}

/// All rules, in order, ready for new items.
#[derive(Debug, Default)]
pub struct Rules {
    rules: Vec<Prefiltered>,
    /// The row keys of the sources that names select.
    names: HashMap<Named, Vec<i64>>,
    /// Excludes most rules without SQL.
    prefilter: Prefilter,
    /// Whether texts must be searched, not only titles.
    texts: bool,
    /// How many items of the first document of a source are unread; `None`: all.
    first_unread: Option<u32>,
    /// Whether new items are announced to hooks.
    hooks: bool,
}

#[derive(Debug)]
struct Prefiltered {
    rule: Rule,
    /// Its condition, unless that depends on the time.
    condition: Option<Condition>,
    /// The only sources of its items.
    sources: Option<Vec<i64>>,
    /// Decides about most items.
    test: RuleTest,
}

impl Rules {
    /// Prepares rules for these sources: their row keys and titles.
    pub fn of_sources(rules: Vec<Rule>, sources: &[(i64, &Source, &str)]) -> Self {
        let known =
            sources.iter().map(|(key, source, title)| query::Known { key: *key, source, title });
        Self::new(rules, |named| query::resolve(named, known.clone()))
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
        all.prefilter = Prefilter::new(rules.iter().map(|rule| &rule.query));
        // Only rules before give new items tags of their own.
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
            all.texts |= rule.query.all_terms().any(|term| searches_text(&term.what));
            let resolve = |named: &Named| all.names.get(named).cloned().unwrap_or_default();
            let test = RuleTest::new(&rule.query, &Names { resolve: &resolve, given: &given });
            all.rules.push(Prefiltered { rule, condition, sources, test });
        }
        all
    }

    /// The same, with how many items of the first document of a source are unread.
    #[must_use]
    pub fn first_unread(mut self, count: Option<u32>) -> Self {
        self.first_unread = count;
        self
    }

    /// The same, with whether new items are announced to hooks.
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

/// Whether an effect acts outside of the database.
fn is_outside(effect: &Effect) -> bool {
    matches!(effect, Effect::Notify | Effect::Run)
}

fn searches_text(what: &What) -> bool {
    matches!(what, What::Text { column: crate::query::Column::Any, .. })
        || matches!(what, What::Shorter(_) | What::Longer(_))
}

/// New items (row keys) for which a rule notifies, or runs its command, once they are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    /// The name of the rule.
    /// Empty: all new items, for hooks.
    pub rule: String,
    pub notifies: bool,
    pub runs: bool,
    pub items: Vec<i64>,
}

impl Announcement {
    /// That of a rule; `None` if it acts on the stored items alone.
    pub fn of(rule: &Rule, items: Vec<i64>) -> Option<Self> {
        let has = |wanted: &Effect| rule.effects.contains(wanted);
        let (notifies, runs) = (has(&Effect::Notify), has(&Effect::Run));
        let is_any = (notifies || runs) && !items.is_empty();
        is_any.then(|| Self { rule: rule.name.clone(), notifies, runs, items })
    }
}

/// How new items of a source arrive.
#[derive(Clone, Copy)]
pub(super) struct Arrival<'a> {
    pub(super) rules: &'a Rules,
    pub(super) at: Time,
    /// Whether they are the first of their source. What it had before it was followed is no news, so
    /// nothing is announced.
    pub(super) is_first: bool,
}

/// Applies the rules to new items of a source: row keys with their entries. Hooks get those that no rule
/// hides.
pub(super) fn arrived(
    conn: &Connection,
    arrival: Arrival<'_>,
    source: i64,
    new: &[(i64, &Prepared)],
) -> Result<Vec<Announcement>> {
    let mut announcements = by_rules(conn, arrival, source, new)?;
    if arrival.rules.hooks && !arrival.is_first && !new.is_empty() {
        let keys: Vec<i64> = new.iter().map(|(key, _)| *key).collect();
        let items: Vec<i64> = shown(conn, &keys)?.into_iter().map(|(_, key)| key).collect();
        if !items.is_empty() {
            let (rule, notifies, runs) = (String::new(), false, false);
            announcements.push(Announcement { rule, notifies, runs, items });
        }
    }
    Ok(announcements)
}

/// Applies the rules to new items of a source: row keys with their entries.
fn by_rules(
    conn: &Connection,
    Arrival { rules, at: now, is_first }: Arrival<'_>,
    source: i64,
    new: &[(i64, &Prepared)],
) -> Result<Vec<Announcement>> {
    let is_current = |r: &Prefiltered| r.rule.until.is_none_or(|until| now.timestamp() < until);
    let of_source = |r: &Prefiltered| r.sources.as_ref().is_none_or(|keys| keys.contains(&source));
    let active: Vec<usize> = (0..rules.rules.len())
        .filter(|i| is_current(&rules.rules[*i]) && of_source(&rules.rules[*i]))
        .collect();
    if active.is_empty() || new.is_empty() {
        return Ok(Vec::new());
    }
    let matching = candidates(conn, rules, &active, source, new, now)?;
    let mut stopped: HashSet<i64> = HashSet::new();
    let mut announcing = Vec::new();
    for i in active {
        let (sure, unsure): (Vec<_>, Vec<_>) = matching[i]
            .iter()
            .filter(|(key, _)| !stopped.contains(key))
            .partition(|(_, sure)| *sure);
        if sure.is_empty() && unsure.is_empty() {
            continue;
        }
        let Prefiltered { rule, condition, .. } = &rules.rules[i];
        let timed;
        let condition = match condition {
            Some(condition) => condition,
            None => match rules.condition(&rule.query, now.with_timezone(&Local)) {
                Some(condition) => {
                    timed = condition;
                    &timed
                }
                None => continue,
            },
        };
        let unsure: Vec<i64> = unsure.into_iter().map(|(key, _)| key).collect();
        let mut matched = among(conn, &unsure, condition)?;
        matched.extend(sure.into_iter().map(|(key, _)| key));
        matched.sort_unstable();
        let marks = rule.effects.iter().filter(|effect| !is_outside(effect));
        apply_to_new(conn, &rule.name, marks, &matched, now)?;
        if rule.stop {
            stopped.extend(&matched);
        }
        if !is_first && rule.effects.iter().any(is_outside) && !matched.is_empty() {
            announcing.push((rule, matched));
        }
    }
    // What any rule hides is not announced, whatever their order.
    let mut announcements = Vec::new();
    for (rule, matched) in announcing {
        let items = shown(conn, &matched)?.into_iter().map(|(_, key)| key).collect();
        announcements.extend(Announcement::of(rule, items));
    }
    Ok(announcements)
}

/// New items (row keys) that may match a rule, and whether it is sure that they do.
type Candidates = Vec<(i64, bool)>;

/// The candidates of each active rule. The texts of unsure ones are indexed in memory, to be searched.
fn candidates(
    conn: &Connection,
    rules: &Rules,
    active: &[usize],
    source: i64,
    new: &[(i64, &Prepared)],
    now: Time,
) -> Result<Vec<Candidates>> {
    let mut matching = vec![Candidates::new(); rules.rules.len()];
    let now = now.with_timezone(&Local);
    let mut date = conn.prepare_cached("SELECT date FROM item WHERE key = ?1")?;
    let mut is_empty = true;
    for (key, entry) in new {
        let entry = &entry.entry;
        let body = if rules.texts { text_of(entry) } else { String::new() };
        let found = rules.prefilter.candidates(entry, &body);
        let mut found = active.iter().filter(|i| found[**i]).peekable();
        if found.peek().is_none() {
            continue;
        }
        let authors = super::rows::to_json(&entry.authors)?;
        let date = date.query_row([key], |r| r.get(0))?;
        let item = Arriving::new(entry, source, (date, now), &authors, &body);
        let mut is_unsure = false;
        for i in found {
            match rules.rules[*i].test.decide(&item) {
                Some(true) => matching[*i].push((*key, true)),
                Some(false) => {}
                None => {
                    matching[*i].push((*key, false));
                    is_unsure = true;
                }
            }
        }
        if is_unsure {
            if std::mem::take(&mut is_empty) {
                conn.execute_batch(ARRIVING)?;
                conn.execute("INSERT INTO arriving (arriving) VALUES ('delete-all')", [])?;
            }
            let insert =
                "INSERT INTO arriving (rowid, title, authors, body) VALUES (?1, ?2, ?3, ?4)";
            conn.prepare_cached(insert)?.execute(params![key, entry.title, authors, body])?;
            if rules.texts {
                conn.prepare_cached("UPDATE item SET words = ?2 WHERE key = ?1")?
                    .execute(params![key, super::index::count_words(&body)])?;
            }
        }
    }
    Ok(matching)
}

/// The dates and row keys of those of some items that are not hidden.
fn shown(conn: &Connection, keys: &[i64]) -> Result<Vec<(i64, i64)>> {
    let mut query =
        conn.prepare_cached("SELECT date, key FROM item WHERE key = ?1 AND hidden = 0")?;
    let mut shown = Vec::new();
    for key in keys {
        shown.extend(query.query_row([key], |r| Ok((r.get(0)?, r.get(1)?))).optional()?);
    }
    Ok(shown)
}

/// Marks the items of the first document of a source read, except the newest ones.
pub(super) fn arrived_first(conn: &Connection, rules: &Rules, source: i64) -> Result<()> {
    let Some(count) = rules.first_unread else { return Ok(()) };
    conn.prepare_cached(
        "UPDATE item SET read = 1 WHERE read = 0 AND pinned = 0 AND later = 0 AND key IN (
            SELECT key FROM item INDEXED BY item_source WHERE source = ?1
            ORDER BY date DESC, key DESC LIMIT -1 OFFSET ?2)",
    )?
    .execute([source, i64::from(count)])?;
    // Other machines have a count of their own, or none.
    conn.prepare_cached(
        "DELETE FROM marked WHERE form = 'read' AND item IN (SELECT key FROM item WHERE source = ?1)",
    )?
    .execute([source])?;
    Ok(())
}

/// Items that are tested one by one.
const FEW: usize = 4;

/// Those of some new items that meet a condition.
pub(super) fn among(conn: &Connection, keys: &[i64], condition: &Condition) -> Result<Vec<i64>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let mut filter = Filter::of_new_items();
    let sql = condition.sql(&mut filter);
    if keys.len() <= FEW {
        // A statement that is prepared once.
        let sql = format!("SELECT EXISTS (SELECT 1 FROM item i WHERE {sql} AND i.key = ?)");
        let mut query = conn.prepare_cached(&sql)?;
        let mut among = Vec::new();
        for key in keys {
            let values = filter.values.iter().cloned().chain([(*key).into()]);
            if query.query_row(params_from_iter(values), |r| r.get(0))? {
                among.push(*key);
            }
        }
        return Ok(among);
    }
    let list = keys.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    let sql = format!("SELECT i.key FROM item i WHERE i.key IN ({list}) AND {sql}");
    let mut query = conn.prepare(&sql)?;
    let keys = query.query_map(params_from_iter(filter.values), |r| r.get(0))?;
    Ok(keys.collect::<rusqlite::Result<_>>()?)
}

impl Reader {
    /// Those of some items (row keys) that are not hidden, newest first.
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
