//! Why a source is polled when it is, based on everything that is known about it.

use super::account::{AccountPolling, account_polling};
use super::budget::shared;
use super::planner::{Planner, Scheduling};
use super::setup::{Machine, east, limits, setup};
use super::site::crawl_summary;
use crate::config::ScheduleSettings;
use crate::model::{
    Outcome, Pause, PauseReason, Planned, PolicyKind, SelectorProblem, Source, SourceFacts,
    SourceId, Time,
};
use crate::net::host_key;
use crate::schedule::{Clues, Explanation, Memory, Pulse, explain, first_gap, pulse};
use crate::store::{PollFilter, Reader, Result, Spent};
use chrono::TimeDelta;
use std::sync::Arc;
use url::Url;

/// Number of items whose gaps are examined.
const ITEMS: usize = 200;
/// Number of polls that are listed.
const POLLS: usize = 10;
pub(super) const WEEK: TimeDelta = TimeDelta::days(7);

/// The schedule of one source, as printed by `newsfed schedule why`.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Why {
    /// For a source of an account: how its server polls it. No schedule applies to it.
    pub account: Option<AccountPolling>,
    pub last_poll: Option<Time>,
    /// When the next poll is due; `None` means at once.
    pub next_poll: Option<Time>,
    /// Whether the next poll is overdue by more than the polls of other sources can explain.
    pub overdue: bool,
    /// Whether a newsfed process is polling the sources now.
    pub polling: bool,
    /// How the next poll was decided: what the policy wanted, and which limits moved it.
    pub planned: Option<Planned>,
    /// Number of items expected until the time that the learned policy wanted; `None` with other policies.
    pub expected: Option<f64>,
    /// The pause that prevents manual refreshes too, if there is one.
    pub pause: Option<Pause>,
    /// The source that caused the pause of the host, if it is a different one.
    pub paused_by: Option<PausedBy>,
    /// For a website whose selectors find nothing: what is missing, since when, and which selectors would
    /// match.
    pub broken: Option<SelectorProblem>,
    /// What a poll must be worth, in item-seconds of waiting.
    pub price: f64,
    /// Rate, daily pattern and coming polls.
    #[serde(flatten)]
    pub explanation: Explanation,
    /// For a crawled source: the progress of its crawls, and which kinds of links have led to targets.
    #[serde(skip)]
    pub crawl: Vec<String>,
    /// When the oldest recorded poll began.
    pub first_poll: Option<Time>,
    /// The last polls, newest first.
    pub polls: Vec<PollSummary>,
    /// The cost of the polls in the last seven days.
    pub spent: Spent,
    /// How many fewer polls there were than with the policy `fixed`; negative if there were more.
    pub polls_saved: i64,
    /// Whether the feed is known to have full text, so that pages are not fetched.
    pub feed_has_full_text: Option<bool>,
}

/// A response for one source that pauses the other sources of its host too.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct PausedBy {
    /// The source that was polled.
    pub source: SourceId,
    pub at: Option<Time>,
    /// The error, if that poll failed.
    pub message: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NextCheck {
    /// `None` if the source is not polled automatically.
    pub next: Option<Time>,
    /// Whether the poll is overdue by more than the polls of other sources can explain.
    pub overdue: bool,
}

/// When the next poll of a source is due.
pub fn next_check(source: &Source, facts: &SourceFacts, now: Time) -> NextCheck {
    let gone =
        facts.pause.is_some_and(|pause| pause.reason == PauseReason::Gone && pause.until > now);
    let next = facts
        .next_poll
        .or(Some(now))
        .filter(|_| source.enabled && !gone && source.account.is_none());
    let overdue = facts.next_poll.is_some() && next.is_some_and(|at| now - at > LATE);
    NextCheck { next, overdue }
}

/// When the next poll of a source will be due after its settings are changed to these.
///
/// # Errors
/// If the database cannot be read.
pub fn next_check_with(
    reader: &Reader,
    source: &Source,
    mut facts: SourceFacts,
    settings: &ScheduleSettings,
    now: Time,
) -> Result<NextCheck> {
    let shared = shared(reader, settings, now)?;
    let machine = Machine { east: east(now), seed: shared.seed };
    let general = Arc::new(Scheduling::new(settings.clone()));
    Planner::new(Arc::new(source.clone()), general, shared.price, machine).plan_again(&mut facts);
    Ok(next_check(source, &facts, now))
}

/// How a source publishes, short enough for a row of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rhythm {
    /// Items on each of the last seven days; the last one ends now.
    pub per_day: Vec<u32>,
    /// The date of its newest item.
    pub newest: Option<Time>,
    /// The state of the source compared with its usual rate.
    pub pulse: Pulse,
}

/// The items of the days of a [`Rhythm`] as a number and its unit: a rate per day, or the total if the rate
/// is below one item a day.
pub fn item_rate(per_day: &[u32]) -> (String, &'static str) {
    let sum: u32 = per_day.iter().sum();
    let rate = f64::from(sum) / per_day.len().max(1) as f64;
    match sum {
        _ if rate >= 9.5 => (format!("{rate:.0}"), "items a day"),
        _ if rate >= 0.95 => (format!("{rate:.1}"), "items a day"),
        1 => ("1".to_owned(), "item this week"),
        sum => (sum.to_string(), "items this week"),
    }
}

/// Number of days in a [`Rhythm`].
pub(super) const DAYS: usize = 7;

/// Reads how a source (row key) publishes; takes a few microseconds.
///
/// # Errors
/// If the database cannot be read.
pub fn rhythm(reader: &Reader, source: i64, now: Time) -> Result<Rhythm> {
    let dates = reader.dates(source, ITEMS)?;
    Ok(Rhythm {
        per_day: reader.items_per_day(source, now, DAYS)?,
        newest: dates.first().copied(),
        pulse: pulse(&dates, reader.oldest_poll(source)?, now),
    })
}

/// A poll and its result.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct PollSummary {
    pub at: Time,
    /// HTTP status; `None` if there was no response.
    pub status: Option<u16>,
    /// Mean delay of its new items since their publication, in minutes.
    pub delay_min: Option<f64>,
    pub bytes: u64,
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// A poll that is delayed by more than this is overdue.
const LATE: TimeDelta = TimeDelta::minutes(10);

/// Reads and computes everything about one source; takes a few milliseconds. The caller is assumed to be
/// polling the sources.
///
/// # Errors
/// If the database cannot be read.
pub fn why(
    reader: &Reader,
    source: &Source,
    facts: &SourceFacts,
    settings: &ScheduleSettings,
    now: Time,
) -> Result<Why> {
    let shared = shared(reader, settings, now)?;
    let mut setup = setup(source, facts, settings, shared.price);
    if let Some(gap) = first_gap(&Clues { url: &facts.url, ..Clues::default() }, now) {
        setup.learned.gap = gap;
    }
    let memory = Memory::load(&facts.schedule, setup);
    let own = settings.of(source);
    let machine = Machine { east: east(now), seed: shared.seed };
    let limits = limits(source, facts, settings, &memory, machine, now);
    let dates = reader.dates(facts.key, ITEMS)?;
    let NextCheck { next, overdue } = next_check(source, facts, now);
    let since = now - WEEK;
    let spent = reader.spent(facts.key, since)?;
    let (polls, watched) = polls(reader, facts, since)?;
    let fixed = watched.map_or(0, |first| {
        let span = (now - first.max(since)).as_seconds_f64();
        // The very first poll takes place with any policy.
        (span / own.interval.as_secs_f64().max(1.0)) as i64 + i64::from(first > since)
    });
    let pause = facts.pause.filter(|pause| pause.until > now);
    let paused = pause.filter(|pause| pause.reason == PauseReason::HostPaused);
    let paused_by = paused.map(|pause| paused_by(reader, facts, pause)).transpose()?.flatten();
    let account = source.account.as_deref();
    let account = account.map(|account| account_polling(reader, account)).transpose()?;
    Ok(Why {
        account,
        last_poll: facts.last_poll,
        next_poll: facts.next_poll,
        overdue,
        polling: true,
        planned: facts.planned.as_deref().cloned(),
        expected: facts.planned.as_ref().and_then(|planned| expected(&memory, planned)),
        pause,
        paused_by,
        broken: facts.website.broken().cloned(),
        price: memory.price(),
        explanation: explain(&memory, &dates, watched, next, &limits, now),
        crawl: crawl_summary(reader, facts.key)?,
        first_poll: watched,
        polls,
        spent,
        polls_saved: fixed - i64::from(spent.polls),
        feed_has_full_text: reader.site(facts.key)?.whole,
    })
}

/// The source on the same host whose own response paused it until almost the same time.
fn paused_by(reader: &Reader, facts: &SourceFacts, pause: Pause) -> Result<Option<PausedBy>> {
    let host = |facts: &SourceFacts| {
        let address = facts.moved_to.as_deref().unwrap_or(&facts.url);
        Url::parse(address).ok().map(|url| host_key(&url))
    };
    let here = host(facts);
    let distance = |other: &SourceFacts| {
        let own = other.pause.filter(|own| {
            matches!(own.reason, PauseReason::RetryAfter | PauseReason::RateLimited)
        })?;
        let asked = other.key != facts.key && host(other) == here;
        Some((own.until - pause.until).abs()).filter(|apart| asked && *apart <= NEARLY)
    };
    let all = reader.sources()?;
    let found = all.iter().filter_map(|other| Some((distance(other)?, other))).min_by_key(|f| f.0);
    Ok(found.map(|(_, other)| PausedBy {
        source: other.id.clone(),
        at: other.last_poll,
        message: match &other.last_outcome {
            Some(Outcome::Failed { message, .. }) => Some(message.clone()),
            _ => None,
        },
    }))
}

/// Maximum difference between the pause of a host and the pause of the source that caused it. The two are not
/// computed at exactly the same time, and newsfed's own back-off may be a tenth shorter.
const NEARLY: TimeDelta = TimeDelta::minutes(5);

/// Number of items that a plan expects until the wanted time.
fn expected(memory: &Memory, planned: &Planned) -> Option<f64> {
    let wait = (planned.wanted - planned.at).to_std().ok()?;
    let learned = planned.policy == PolicyKind::Learned;
    learned.then(|| memory.learned().expected(planned.at, wait))
}

/// The last polls, and when the oldest recorded one began.
fn polls(
    reader: &Reader,
    facts: &SourceFacts,
    since: Time,
) -> Result<(Vec<PollSummary>, Option<Time>)> {
    let filter = PollFilter { source: Some(facts.key), noteworthy: false };
    let polls = reader.polls(filter, POLLS)?;
    let first = reader.oldest_poll(facts.key)?;
    let delays = reader.delays(facts.key, since, first.unwrap_or(since))?;
    let summary = polls.into_iter().map(|(_, poll)| PollSummary {
        at: poll.at,
        status: poll.status,
        delay_min: delays
            .get(&poll.at.timestamp())
            .filter(|_| found_new(&poll.outcome))
            .map(|seconds| *seconds as f64 / 60.0),
        bytes: poll.bytes,
        outcome: poll.outcome,
    });
    Ok((summary.collect(), first))
}

fn found_new(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Fetched { new, .. } if *new > 0)
}

#[cfg(test)]
mod tests {
    use super::item_rate;

    #[test]
    fn shows_low_rates_as_a_total() {
        for (per_day, expected) in [
            (vec![], "0 items this week"),
            (vec![0; 7], "0 items this week"),
            (vec![0, 0, 0, 0, 0, 0, 1], "1 item this week"),
            (vec![1, 1, 0, 1, 1, 1, 1], "6 items this week"),
            (vec![1; 7], "1.0 items a day"),
            (vec![2, 1, 4, 0, 3, 6, 5], "3.0 items a day"),
            (vec![31; 7], "31 items a day"),
        ] {
            let (number, unit) = item_rate(&per_day);
            assert_eq!(format!("{number} {unit}"), expected, "{per_day:?}");
        }
    }
}
