//! New items on their way into the database, and the rules that apply to them.
//!
//! Whether a rule matches usually depends on the item alone; the item is then stored with the marks that its
//! rules set. If a rule needs the database, all rules are applied after the item has been stored.

use super::condition::Condition;
use super::error::Result;
use super::filter::Filter;
use super::identity::Prepared;
use super::index::text_of;
use super::ingest::{first_date, insert, sort_date};
use super::mark_registers::MACHINE;
use super::memo;
use super::new_marks::{Marking, NewMarks, apply_to_new};
use super::phrases::Found;
use super::prefilter::Candidates;
use super::rule_test::Arriving;
use super::rules::{Announcement, Rules, Searches, shown};
use crate::model::{Entry, Time};
use crate::util::segment::segmented;
use chrono::{DateTime, Local};
use rusqlite::{Connection, params, params_from_iter};
use std::cell::OnceCell;
use std::collections::HashSet;

/// The table with the texts of new items, in memory because the index is written later.
pub(super) const ARRIVING: &str = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.arriving USING fts5 (
    title, authors, body, content = '', contentless_delete = 1,
    tokenize = 'unicode61 remove_diacritics 2')";

/// How new items of a source arrive.
#[derive(Clone, Copy)]
pub(super) struct Arrival<'a> {
    pub(super) rules: &'a Rules,
    pub(super) at: Time,
    /// Whether they are the first items of their source. Items from before the source was followed are not
    /// news, so nothing is announced.
    pub(super) is_first: bool,
}

/// New items of a source.
pub(super) struct Arrivals<'a> {
    conn: &'a Connection,
    arrival: Arrival<'a>,
    source: i64,
    now: DateTime<Local>,
    /// Indexes of the rules that may match the items.
    active: Vec<usize>,
    /// Whether marks are shared with other machines.
    shares: bool,
    found: Found,
    candidates: Candidates,
    /// The row keys of all new items.
    keys: Vec<i64>,
    counts: [i64; 2],
    /// Row keys of items that have their marks and match a rule that acts outside the database, one list for
    /// each rule.
    matched: Vec<Vec<i64>>,
    /// Stored items that rules match or may match.
    stored: Vec<Stored>,
    is_indexed: bool,
    /// Whether items without a date are sorted below the dated items of the same day.
    pub(super) backdates: bool,
}

struct Stored {
    key: i64,
    matches: Matches,
}

/// Rules that may match an item, in order, and whether they match for certain.
type Matches = Vec<(usize, bool)>;

impl<'a> Arrivals<'a> {
    pub(super) fn new(conn: &'a Connection, arrival: Arrival<'a>, source: i64) -> Result<Self> {
        let rules = &arrival.rules.rules;
        let seconds = arrival.at.timestamp();
        let is_active = |i: &usize| {
            let is_current = rules[*i].rule.until.is_none_or(|until| seconds < until);
            is_current && rules[*i].sources.as_ref().is_none_or(|keys| keys.contains(&source))
        };
        let active: Vec<usize> = (0..rules.len()).filter(is_active).collect();
        Ok(Self {
            conn,
            arrival,
            source,
            now: arrival.at.with_timezone(&Local),
            shares: !active.is_empty() && memo::get(conn, MACHINE)?.is_some(),
            matched: if active.is_empty() { Vec::new() } else { vec![Vec::new(); rules.len()] },
            active,
            found: Found::default(),
            candidates: Candidates::default(),
            keys: Vec::new(),
            counts: [0; 2],
            stored: Vec::new(),
            is_indexed: false,
            backdates: false,
        })
    }

    /// Stores a new item under the given key, or under a key that is higher than all others.
    pub(super) fn store(&mut self, new: &Prepared, key: Option<i64>) -> Result<()> {
        let date = if self.backdates { first_date } else { sort_date };
        let at = (self.arrival.at, date(new, self.arrival.at.timestamp()));
        let matches = self.matches(&new.entry, at.1, false);
        if matches.iter().any(|(_, is_certain)| !is_certain) {
            let key = insert(self.conn, self.source, new, at, key, NewMarks::default())?;
            self.count(key, NewMarks::default());
            return self.postpone(key, &new.entry, matches);
        }
        let rules = &self.arrival.rules.rules;
        let mut marking = Marking::default();
        let mut acting = Vec::new();
        for (i, _) in matches {
            marking.apply(&rules[i].rule.name, &rules[i].marks);
            if rules[i].is_outside && !self.arrival.is_first {
                acting.push(i);
            }
            if rules[i].rule.stop {
                break;
            }
        }
        let key = insert(self.conn, self.source, new, at, key, marking.marks)?;
        marking.save(self.conn, key, at.0, self.shares)?;
        self.count(key, marking.marks);
        acting.into_iter().for_each(|i| self.matched[i].push(key));
        Ok(())
    }

    /// Adds a new item that is already stored and has its own marks.
    pub(super) fn is_stored(&mut self, key: i64, new: &Prepared, date: i64) -> Result<()> {
        self.keys.push(key);
        let matches = self.matches(&new.entry, date, true);
        if matches.is_empty() { Ok(()) } else { self.postpone(key, &new.entry, matches) }
    }

    fn count(&mut self, key: i64, marks: NewMarks) {
        self.keys.push(key);
        self.counts[0] += i64::from(!marks.read);
        self.counts[1] += i64::from(marks.pinned);
    }

    /// `has_page` is whether the item may have texts and tags that its entry lacks.
    fn matches(&mut self, entry: &Entry, date: i64, has_page: bool) -> Matches {
        let mut matches = Matches::new();
        if self.active.is_empty() {
            return matches;
        }
        let rules = self.arrival.rules;
        rules.phrases.search(entry, &mut self.found);
        rules.prefilter.candidates(entry, &self.found, &mut self.candidates);
        let (source, now, phrases) = (self.source, self.now, &self.found);
        let (categories, text) = (OnceCell::new(), OnceCell::new());
        let item = Arriving { entry, source, date, now, phrases, has_page, categories, text };
        let is_active = |rule: &usize| self.active.binary_search(rule).is_ok();
        for i in self.candidates.rules.iter().copied().filter(is_active) {
            let decided = rules.rules[i].test.decide(&item);
            if decided != Some(false) {
                matches.push((i, decided.is_some()));
            }
        }
        matches
    }

    /// Postpones the item's rules until all items are stored, and makes its texts searchable for the rules.
    fn postpone(&mut self, key: i64, entry: &Entry, matches: Matches) -> Result<()> {
        let unsure = matches.iter().filter(|(_, is_certain)| !is_certain);
        let searches = unsure.map(|(rule, _)| self.arrival.rules.rules[*rule].searches);
        let searches = searches.fold(Searches::default(), Searches::or);
        let body = match searches.body || searches.words {
            true => text_of(entry),
            false => String::new(),
        };
        if searches.texts {
            if !std::mem::replace(&mut self.is_indexed, true) {
                self.conn.execute_batch(ARRIVING)?;
                self.conn.execute("INSERT INTO arriving (arriving) VALUES ('delete-all')", [])?;
            }
            let authors = super::rows::to_json(&entry.authors)?;
            let insert =
                "INSERT INTO arriving (rowid, title, authors, body) VALUES (?1, ?2, ?3, ?4)";
            let [title, authors, text] =
                [&entry.title, &authors, &body].map(|text| segmented(text));
            self.conn.prepare_cached(insert)?.execute(params![key, title, authors, text])?;
        }
        if searches.words {
            self.conn
                .prepare_cached("UPDATE item SET words = ?2 WHERE key = ?1")?
                .execute(params![key, super::index::count_words(&body)])?;
        }
        self.stored.push(Stored { key, matches });
        Ok(())
    }

    /// Adds all new items to the counts of their source at once, because the source's row is long. Triggers
    /// count marks and removals.
    pub(super) fn count_all(&self) -> Result<()> {
        if self.keys.is_empty() {
            return Ok(());
        }
        let [unread, pinned] = self.counts;
        let new = i64::try_from(self.keys.len()).unwrap_or(i64::MAX);
        self.conn
            .prepare_cached(
                "UPDATE source SET items = items + ?2, unread = unread + ?3, pinned = pinned + ?4
                 WHERE key = ?1",
            )?
            .execute(params![self.source, new, unread, pinned])?;
        Ok(())
    }

    /// Applies the rules to the items to which they were not applied yet. Hooks get the items that no rule
    /// hides.
    pub(super) fn finish(mut self) -> Result<Vec<Announcement>> {
        self.apply_to_stored()?;
        // Items that any rule hides are not announced, whatever the order of the rules.
        let mut announcements = Vec::new();
        for i in &self.active {
            let mut matched = std::mem::take(&mut self.matched[*i]);
            if !matched.is_empty() {
                matched.sort_unstable();
                let items = shown(self.conn, &matched)?.into_iter().map(|(_, key)| key).collect();
                let rule = &self.arrival.rules.rules[*i].rule;
                announcements.extend(Announcement::of(rule, items));
            }
        }
        if self.arrival.rules.hooks && !self.arrival.is_first {
            let items: Vec<i64> =
                shown(self.conn, &self.keys)?.into_iter().map(|(_, key)| key).collect();
            if !items.is_empty() {
                let (rule, notifies, runs) = (String::new(), false, false);
                announcements.push(Announcement { rule, notifies, runs, items });
            }
        }
        Ok(announcements)
    }

    fn apply_to_stored(&mut self) -> Result<()> {
        let mut stopped: HashSet<i64> = HashSet::new();
        if self.stored.is_empty() {
            return Ok(());
        }
        for &i in &self.active {
            let (mut matched, mut unsure) = (Vec::new(), Vec::new());
            for Stored { key, matches } in &self.stored {
                if stopped.contains(key) {
                    continue;
                }
                match matches.iter().find(|(rule, _)| *rule == i) {
                    Some((_, true)) => matched.push(*key),
                    Some((_, false)) => unsure.push(*key),
                    None => {}
                }
            }
            if matched.is_empty() && unsure.is_empty() {
                continue;
            }
            let prepared = &self.arrival.rules.rules[i];
            let timed;
            let condition = match &prepared.condition {
                Some(condition) => condition,
                None => match self.arrival.rules.condition(&prepared.rule.query, self.now) {
                    Some(condition) => {
                        timed = condition;
                        &timed
                    }
                    None => continue,
                },
            };
            matched.extend(among(self.conn, &unsure, condition)?);
            matched.sort_unstable();
            let rule = &prepared.rule;
            apply_to_new(self.conn, &rule.name, rule.effects.iter(), &matched, self.arrival.at)?;
            if rule.stop {
                stopped.extend(&matched);
            }
            if prepared.is_outside && !self.arrival.is_first {
                self.matched[i].extend(&matched);
            }
        }
        Ok(())
    }
}

/// The row key of an item, its entry, and when it was discovered.
pub(super) type StoredItem<'a> = (i64, &'a Prepared, Time);

/// Applies the rules to new items of a source that are already stored.
pub(super) fn arrived(
    conn: &Connection,
    arrival: Arrival<'_>,
    source: i64,
    new: &[StoredItem<'_>],
) -> Result<Vec<Announcement>> {
    let mut arrivals = Arrivals::new(conn, arrival, source)?;
    for (key, entry, discovered) in new {
        arrivals.is_stored(*key, entry, sort_date(entry, discovered.timestamp()))?;
    }
    arrivals.finish()
}

/// Marks as read the items of the first document of a source, except the newest ones that rules do not hide.
pub(super) fn arrived_first(conn: &Connection, rules: &Rules, source: i64) -> Result<()> {
    let Some(count) = rules.first_unread else { return Ok(()) };
    conn.prepare_cached(
        "UPDATE item SET read = 1 WHERE read = 0 AND pinned = 0 AND later = 0 AND key IN (
            SELECT key FROM item INDEXED BY item_source WHERE source = ?1 AND hidden = 0
            ORDER BY date DESC, key DESC LIMIT -1 OFFSET ?2)",
    )?
    .execute([source, i64::from(count)])?;
    // These marks are not shared, because other machines apply their own `first_unread`.
    conn.prepare_cached(
        "DELETE FROM marked WHERE form = 'read' AND item IN (SELECT key FROM item WHERE source = ?1)",
    )?
    .execute([source])?;
    Ok(())
}

/// Up to this many items are tested one at a time.
const FEW: usize = 4;

/// The items that meet a condition, among some new ones.
pub(super) fn among(conn: &Connection, keys: &[i64], condition: &Condition) -> Result<Vec<i64>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let mut filter = Filter::of_new_items();
    let sql = condition.sql(&mut filter);
    if keys.len() <= FEW {
        // A statement that can be prepared once.
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
