//! What sources published, how much of it was read, what their polls cost, and what could be
//! unfollowed.

use crate::model::{DatePrecision, Health, Source, SourceFacts, SourceId, Time};
use crate::schedule::{Pulse, pulse};
use crate::store::{ItemFacts, PollCosts, Reader, Result};
use crate::util::sparkline::sparkline;
use crate::util::text::{counted, size};
use chrono::{FixedOffset, TimeDelta, Timelike};
use std::collections::HashMap;
use std::sync::Arc;

/// Reading speed, in words per minute.
pub const READING_PACE: u32 = 230;
/// Maximum number of weeks that statistics can cover.
pub const MAX_WEEKS: usize = 52;
/// Minimum mean duration of polls that count as slow, in milliseconds.
const SLOW: u32 = 3000;
/// Number of items whose gaps show whether a source is silent.
const DATES: usize = 200;
/// A source could be removed if less than this share of its items was read.
const READ_SHARE: f64 = 0.05;
/// The minimum number of items that a barely read source must have published.
const ENOUGH: u32 = 20;
/// The minimum time for which a barely read source must have been followed.
const FOLLOWED: TimeDelta = TimeDelta::days(28);
/// A source could be removed if it has been failing for this long.
const FAILING: TimeDelta = TimeDelta::days(14);

/// Statistics of all sources. The last week ends now; the oldest week comes first.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Statistics {
    pub since: Time,
    /// False if only the newest million items were counted.
    pub complete: bool,
    /// Items published since `since`, and how many of them are read. Items without a date that a source had
    /// when it was added do not count.
    pub items: u32,
    pub read: u32,
    /// Minutes needed for the items that were read, at [`READING_PACE`] words per minute.
    pub minutes: u32,
    pub items_per_week: Vec<u32>,
    pub read_per_week: Vec<u32>,
    /// Items by the hour of the day, in the requested time zone; items without a time of day are not counted.
    pub hours: Vec<u32>,
    /// The recorded polls of all sources, at most those of the last two weeks.
    pub polls: u32,
    pub failed: u32,
    pub bytes: u64,
    pub unchanged: u32,
    /// Bytes that conditional requests saved.
    pub bytes_saved: u64,
    /// Every source, those with the most items first.
    pub sources: Vec<SourceStatistics>,
}

/// Statistics of one source, over the same weeks.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct SourceStatistics {
    pub source: SourceId,
    pub title: String,
    pub items: u32,
    pub read: u32,
    pub minutes: u32,
    pub items_per_week: Vec<u32>,
    pub newest: Option<Time>,
    pub pulse: Pulse,
    pub health: Health,
    pub last_ok: Option<Time>,
    pub polls: u32,
    pub failed: u32,
    /// Mean duration of a poll, in milliseconds.
    pub millis: u32,
    pub slow: bool,
    pub bytes: u64,
    pub bytes_saved: u64,
    /// Why the source could be removed; `None` if there is no reason.
    pub removal: Option<RemovalReason>,
}

/// A reason to remove a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RemovalReason {
    /// The server reports that the source no longer exists.
    Gone,
    /// The source has failed for two weeks, or since it was added.
    Failing,
    /// The source has published nothing for so long that it seems abandoned.
    Dead,
    /// Hardly any items of the source were read.
    Unread,
}

/// The counts of a source.
#[derive(Default)]
struct Counted {
    items: u32,
    read: u32,
    words: u64,
    per_week: Vec<u32>,
}

/// Reads the statistics of the declared sources over the last `weeks` (1 to [`MAX_WEEKS`]); `zone`
/// is the time zone of the hours. Takes about a second for a million items.
///
/// # Errors
/// If the database cannot be read.
pub fn statistics(
    reader: &Reader,
    declared: &[Arc<Source>],
    weeks: usize,
    zone: FixedOffset,
    now: Time,
) -> Result<Statistics> {
    let weeks = weeks.clamp(1, MAX_WEEKS);
    let since = now - TimeDelta::weeks(i64::try_from(weeks).unwrap_or(1));
    let mut all = Statistics::empty(since, weeks);
    let mut counted: HashMap<i64, Counted> = HashMap::new();
    let facts: HashMap<SourceId, SourceFacts> =
        reader.sources()?.into_iter().map(|facts| (facts.id.clone(), facts)).collect();
    for facts in facts.values() {
        counted.insert(facts.key, Counted { per_week: vec![0; weeks], ..Counted::default() });
    }
    all.complete = reader.items_since(since, |item| {
        // Items of removed sources are kept only for undo.
        if let Some(source) = counted.get_mut(&item.source) {
            all.count(source, item, zone, now);
        }
    })?;
    let costs = reader.poll_costs(since)?;
    for source in declared {
        let Some(facts) = facts.get(&source.id) else { continue };
        let counted = counted.remove(&facts.key).unwrap_or_default();
        let mut costs = costs.get(&facts.key).copied().unwrap_or_default();
        if source.origin.is_local() {
            // Reading an unchanged file saves no request.
            (costs.unchanged, costs.bytes_saved) = (0, 0);
        }
        all.sources.push(of_source(reader, source, facts, counted, costs, now)?);
        all.add_costs(costs);
    }
    all.minutes = all.sources.iter().map(|source| source.minutes).sum();
    all.sources.sort_by(|a, b| b.items.cmp(&a.items).then_with(|| a.title.cmp(&b.title)));
    Ok(all)
}

impl Statistics {
    fn empty(since: Time, weeks: usize) -> Self {
        Self {
            since,
            complete: true,
            items: 0,
            read: 0,
            minutes: 0,
            items_per_week: vec![0; weeks],
            read_per_week: vec![0; weeks],
            hours: vec![0; 24],
            polls: 0,
            failed: 0,
            bytes: 0,
            unchanged: 0,
            bytes_saved: 0,
            sources: Vec::new(),
        }
    }

    fn count(&mut self, source: &mut Counted, item: ItemFacts, zone: FixedOffset, now: Time) {
        // Items without a date that a source had when it was added may be of any age.
        if !item.published {
            return;
        }
        let weeks = self.items_per_week.len();
        let ago = (now - item.date).num_days().max(0) / 7;
        let Some(week) = usize::try_from(ago).ok().and_then(|ago| weeks.checked_sub(ago + 1))
        else {
            return;
        };
        let read = u32::from(item.read);
        self.items += 1;
        self.read += read;
        self.items_per_week[week] += 1;
        self.read_per_week[week] += read;
        source.items += 1;
        source.read += read;
        source.words += u64::from(item.words * read);
        source.per_week[week] += 1;
        if DatePrecision::of(item.date) == DatePrecision::Time {
            self.hours[item.date.with_timezone(&zone).hour() as usize] += 1;
        }
    }

    fn add_costs(&mut self, costs: PollCosts) {
        self.polls += costs.polls;
        self.failed += costs.failed;
        self.bytes += costs.bytes;
        self.unchanged += costs.unchanged;
        self.bytes_saved += costs.bytes_saved;
    }

    /// The sources that could be removed, in the order of [`Self::sources`].
    pub fn unfollowed(&self) -> impl Iterator<Item = &SourceStatistics> {
        self.sources.iter().filter(|source| source.removal.is_some())
    }
}

fn of_source(
    reader: &Reader,
    source: &Source,
    facts: &SourceFacts,
    counted: Counted,
    costs: PollCosts,
    now: Time,
) -> Result<SourceStatistics> {
    let dates = reader.dates(facts.key, DATES)?;
    let polled = reader.oldest_poll(facts.key)?;
    let pulse = pulse(&dates, polled, now);
    // The counted items may cover less time than the source has been followed.
    let followed_long = reader.has_item_from_before(facts.key, now - FOLLOWED)?;
    // Polls are kept for about as long as a source must fail before it could be removed.
    let nearly = FAILING - TimeDelta::days(1);
    let polled_long = polled.is_some_and(|at| now - at >= nearly);
    let minutes = counted.words.div_ceil(u64::from(READING_PACE));
    Ok(SourceStatistics {
        source: source.id.clone(),
        title: facts.title(source).to_owned(),
        items: counted.items,
        read: counted.read,
        minutes: u32::try_from(minutes).unwrap_or(u32::MAX),
        newest: dates.first().copied(),
        pulse,
        health: facts.health(now),
        last_ok: facts.last_ok,
        polls: costs.polls,
        failed: costs.failed,
        millis: costs.millis,
        slow: costs.millis >= SLOW,
        bytes: costs.bytes,
        bytes_saved: costs.bytes_saved,
        removal: reason(source, facts, &counted, (followed_long, polled_long), (pulse, now)),
        items_per_week: counted.per_week,
    })
}

/// Why a source could be removed. A source with pinned items is worth keeping.
fn reason(
    source: &Source,
    facts: &SourceFacts,
    counted: &Counted,
    (followed_long, polled_long): (bool, bool),
    (pulse, now): (Pulse, Time),
) -> Option<RemovalReason> {
    let health = facts.health(now);
    let failing =
        health == Health::Failing && facts.last_ok.map_or(polled_long, |at| now - at >= FAILING);
    let share = f64::from(counted.read) / f64::from(counted.items.max(1));
    match pulse {
        _ if !source.enabled || facts.pinned > 0 => None,
        _ if health == Health::Gone => Some(RemovalReason::Gone),
        _ if failing => Some(RemovalReason::Failing),
        Pulse::Dead => Some(RemovalReason::Dead),
        _ if counted.items >= ENOUGH && share < READ_SHARE && followed_long => {
            Some(RemovalReason::Unread)
        }
        _ => None,
    }
}

impl SourceStatistics {
    /// Describes why the source could be removed.
    pub fn reason(&self) -> Option<String> {
        let day = |at: Option<Time>| at.map(|at| at.format("%Y-%m-%d").to_string());
        Some(match self.removal? {
            RemovalReason::Gone => "gone, according to the server (HTTP 410)".to_owned(),
            RemovalReason::Failing => match day(self.last_ok) {
                Some(day) => format!("has been failing since {day}"),
                None => "has never worked".to_owned(),
            },
            RemovalReason::Dead => match day(self.newest) {
                Some(day) => format!("nothing published since {day}"),
                None => "nothing published".to_owned(),
            },
            RemovalReason::Unread => {
                format!("{} of {} read", self.read, counted(self.items, "item"))
            }
        })
    }

    /// Describes a problem with polling the source or with how it publishes.
    pub fn problem(&self) -> Option<String> {
        let seconds = f64::from(self.millis) / 1000.0;
        match (self.health, self.pulse) {
            (Health::Gone, _) => Some("gone".to_owned()),
            (Health::Failing | Health::Retrying, _) => Some(failures(self.failed, self.polls)),
            _ if self.slow => Some(format!("slow: a check takes {seconds:.1} s")),
            (_, Pulse::Dead) => Some("abandoned".to_owned()),
            (_, Pulse::Silent) => Some("silent for longer than usual".to_owned()),
            _ => None,
        }
    }
}

/// Describes how many polls of a failing source failed.
fn failures(failed: u32, polls: u32) -> String {
    match (failed, polls) {
        // The recorded polls do not go back to the failures.
        (0, _) => "failing".to_owned(),
        (1, 1) => "failing: the only check failed".to_owned(),
        (failed, polls) if failed == polls => format!("failing: all {polls} checks failed"),
        (failed, polls) => format!("failing: {failed} of {polls} checks failed"),
    }
}

/// A share in percent: `33 %`; empty if the whole is 0.
pub fn share(part: u32, whole: u32) -> String {
    match u64::from(part) * 100 {
        _ if whole == 0 => String::new(),
        hundredfold => format!("{} %", hundredfold / u64::from(whole)),
    }
}

/// Minutes of reading: `45 min`, `5 h 12 min`.
pub fn reading_time(minutes: u32) -> String {
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) if hours < 100 => format!("{hours} h {minutes} min"),
        (hours, _) => format!("{hours} h"),
    }
}

impl Statistics {
    /// The totals as names and values, with one-line charts.
    pub fn summary(&self, ascii: bool) -> Vec<(&'static str, String)> {
        let most = |values: &[u32]| values.iter().copied().max().unwrap_or(0);
        let chart = |values: &[u32], each: &str| {
            format!("{}  up to {} {each}", sparkline(values, ascii), most(values))
        };
        let weeks = self.items_per_week.len();
        let limited =
            if self.complete { "" } else { "; only the newest million items were counted" };
        let items = format!(
            "{} in {weeks} weeks, {} read{}, {} of reading{limited}",
            self.items,
            self.read,
            Some(share(self.read, self.items))
                .filter(|s| !s.is_empty())
                .map_or_else(String::new, |share| format!(" ({share})")),
            reading_time(self.minutes)
        );
        let polls = format!(
            "{}, {} failed; {} received, {} saved by {}",
            self.polls,
            self.failed,
            size(self.bytes),
            size(self.bytes_saved),
            match self.unchanged {
                1 => "1 conditional request".to_owned(),
                n => format!("{n} conditional requests"),
            }
        );
        vec![
            ("items", items),
            ("weeks", chart(&self.items_per_week, "a week")),
            ("read", chart(&self.read_per_week, "of these items a week")),
            ("hours", chart(&self.hours, "per hour of the day (0 to 23)")),
            ("polls", polls),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_amounts_with_units() {
        assert_eq!(
            [0, 59, 60, 312, 6001].map(reading_time),
            ["0 min", "59 min", "1 h", "5 h 12 min", "100 h"]
        );
        assert_eq!((share(1, 3), share(0, 0)), ("33 %".to_owned(), String::new()));
    }

    #[test]
    fn describes_the_number_of_failures() {
        for (failed, polls, expected) in [
            (1, 1, "failing: the only check failed"),
            (3, 3, "failing: all 3 checks failed"),
            (1, 12, "failing: 1 of 12 checks failed"),
            (0, 0, "failing"),
        ] {
            assert_eq!(failures(failed, polls), expected);
        }
    }
}
