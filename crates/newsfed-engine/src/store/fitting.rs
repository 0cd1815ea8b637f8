//! The best unread items for a limited time.

use super::condition::Condition;
use super::error::Result;
use super::reader::Reader;
use super::view::{Anchor, View};
use crate::config::SortOrder;
use crate::model::{ItemRow, Time, WORDS_PER_MINUTE};
use crate::query::ItemState;

use std::collections::{HashMap, HashSet};

/// How many of the newest unread items are considered, and how many of the newest items that are pinned or
/// kept for later.
const CANDIDATES: usize = 1000;
/// Number of newest items that show which sources are read.
const HISTORY: i64 = 20_000;
/// Number of days after which the value of an item has halved.
const HALF_LIFE: f64 = 7.0;
/// Factor by which the value of an item falls with each selected item from its source.
const NEXT_OF_SOURCE: f64 = 0.7;
/// Factor by which the value of an item rises if it is pinned or kept for later.
const KEPT: f64 = 2.0;
/// Assumed reading time for an item of unknown length, in minutes.
const MINUTES: u32 = 3;

/// An unread item.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    key: i64,
    source: i64,
    minutes: u32,
    worth: f64,
}

impl Reader {
    /// Unread items of a view (row keys) that take at most `minutes` minutes in total, at
    /// [`WORDS_PER_MINUTE`]. The value of an item is the share of its source's items that were read. It
    /// halves within a week, is multiplied by 0.7 for each selected item of the same source, and doubles if
    /// the item is pinned or kept for later. Items are selected one at a time: always the most valuable item
    /// that still fits.
    pub fn fitting(&self, view: &View, minutes: u32, now: Time) -> Result<Vec<i64>> {
        let order = SortOrder::Newest;
        let view = View { unread_only: true, order, sources: None, fold: true, ..view.clone() };
        let mut rows = self.window(&view, Anchor::First, CANDIDATES)?.rows;
        // If there are many items, those that the user keeps may be older than the newest.
        if rows.len() == CANDIDATES {
            let mut view = view;
            let kept = Condition::Any(vec![Condition::Is(ItemState::Pinned), Condition::Later]);
            view.criteria.conditions.push(kept);
            let seen: HashSet<i64> = rows.iter().map(|row| row.key).collect();
            let kept = self.window(&view, Anchor::First, CANDIDATES)?.rows;
            rows.extend(kept.into_iter().filter(|row| !seen.contains(&row.key)));
        }
        let shares = self.read_shares()?;
        let mut known: Vec<u32> = rows.iter().map(|r| r.words).filter(|w| *w > 0).collect();
        known.sort_unstable();
        let usual =
            known.get(known.len() / 2).map_or(MINUTES, |words| words.div_ceil(WORDS_PER_MINUTE));
        let candidate = |row: &ItemRow| {
            let days = (now - row.date).num_minutes().max(0) as f64 / 1440.0;
            let kept = if row.pinned || row.later { KEPT } else { 1.0 };
            let share = shares.get(&row.source_key).copied().unwrap_or_default();
            Candidate {
                key: row.key,
                source: row.source_key,
                minutes: if row.words == 0 { usual } else { row.words.div_ceil(WORDS_PER_MINUTE) },
                worth: share * kept * (-days / HALF_LIFE).exp2(),
            }
        };
        Ok(select(rows.iter().map(candidate).collect(), minutes))
    }

    /// The share of each source's newest items that the user has read or kept, pulled towards a quarter if
    /// there are few. Items that a rule hides or marks do not count.
    fn read_shares(&self) -> Result<HashMap<i64, f64>> {
        let mut query = self.conn.prepare_cached(
            "SELECT source, sum(read OR pinned OR later), count(*) FROM
             (SELECT source, read, pinned, later FROM item i WHERE hidden = 0 AND NOT EXISTS
                 (SELECT 1 FROM rule_effect WHERE item = i.key AND effect IN ('read', 'pin', 'later'))
              ORDER BY key DESC LIMIT ?1)
             GROUP BY source",
        )?;
        let share = |read: f64, all: f64| (read + 1.0) / (all + 4.0);
        let rows = query.query_map([HISTORY], |r| Ok((r.get(0)?, share(r.get(1)?, r.get(2)?))))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

fn select(mut candidates: Vec<Candidate>, minutes: u32) -> Vec<i64> {
    let mut left = minutes;
    let mut selected = Vec::new();
    loop {
        candidates.retain(|one| one.minutes <= left);
        let best = (0..candidates.len()).max_by(|a, b| {
            let worth = |at: &usize| candidates[*at].worth;
            // Among equally valuable items, the first one is selected, which is the newest.
            worth(a).total_cmp(&worth(b)).then(b.cmp(a))
        });
        let Some(best) = best else { return selected };
        let best = candidates.remove(best);
        left -= best.minutes;
        selected.push(best.key);
        for other in candidates.iter_mut().filter(|other| other.source == best.source) {
            other.worth *= NEXT_OF_SOURCE;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(key: i64, source: i64, minutes: u32, worth: f64) -> Candidate {
        Candidate { key, source, minutes, worth }
    }

    #[test]
    fn selects_the_best_items_that_fit() {
        let items = vec![
            item(1, 1, 30, 0.9),
            item(2, 1, 5, 0.8),
            item(3, 1, 5, 0.7),
            item(4, 2, 8, 0.6),
            item(5, 3, 3, 0.1),
        ];
        // The first item does not fit, and the second source precedes further items of the first.
        assert_eq!(select(items.clone(), 15), [2, 4]);
        assert_eq!(select(items.clone(), 20), [2, 4, 3]);
        assert_eq!(select(items.clone(), 60), [1, 4, 2, 3, 5]);
        assert_eq!(select(items, 2), [] as [i64; 0]);
    }

    #[test]
    fn never_exceeds_the_time() {
        let mut random = fastrand::Rng::with_seed(20);
        for _ in 0..200 {
            let count = random.usize(..40);
            let items: Vec<Candidate> = (0..count)
                .map(|i| item(i as i64, random.i64(..4), random.u32(1..20), random.f64()))
                .collect();
            let minutes = random.u32(..90);
            let selected = select(items.clone(), minutes);
            let of = |key: &i64| items[usize::try_from(*key).unwrap()].minutes;
            let sum: u32 = selected.iter().map(of).sum();
            assert!(sum <= minutes);
            let rest = items.iter().filter(|one| !selected.contains(&one.key));
            assert!(rest.map(|one| one.minutes).all(|needed| needed > minutes - sum));
        }
    }
}
