//! The schedule of a source as the interface shows it: the next poll, totals of a week, habits, limits and
//! the last polls.

use super::account::AccountPolling;
use super::advise::{Advice, advice};
use super::describe::{
    account_sentence, broken, chance, hours_east, is_gone, levels, next_poll, paused,
};
use super::site::EXPLORING;
use super::why::{DAYS, WEEK, Why, item_rate, why};
use crate::config::ScheduleSettings;
use crate::model::{
    FeedHints, Outcome, PauseReason, Planned, PolicyKind, Signal, Source, SourceFacts, Time,
};
use crate::schedule::Pulse;
use crate::store::{PollFilter, Reader, Result};
use crate::util::text::{self, counted, size};
use crate::util::time_text::{clock, span};
use chrono::{Local, Offset};
use std::time::Duration;

/// What the schedule panel shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScheduleReport {
    /// When the next poll is due, or why there is none.
    pub next: String,
    /// What the estimates are based on.
    pub basis: String,
    /// Sentences: how the next poll was decided, and any problems.
    pub reasons: Vec<String>,
    pub totals: Vec<Total>,
    /// Items on each of the last seven days.
    pub per_day: Vec<u32>,
    /// The days of the week, starting on Monday, with a level from 0 to 4 for each hour in the user's time
    /// zone; empty if nothing is known.
    pub week: Vec<(&'static str, [u8; 24])>,
    /// Names and values: when the source publishes.
    pub habits: Vec<(&'static str, String)>,
    /// Names and values: what limits the polls.
    pub limits: Vec<(&'static str, String)>,
    /// The last polls, newest first.
    pub checks: Vec<Check>,
    /// The planned polls if nothing new is found.
    pub coming: Vec<Time>,
    /// When this was read.
    pub now: Time,
    /// The user's time zone, in seconds east of UTC.
    pub east: i32,
    /// For a crawled source: the progress of its crawls.
    pub crawl: Vec<String>,
    /// Whether the site is being explored.
    pub exploring: bool,
    /// A setting with which new items of the source would be found sooner.
    pub advice: Option<Advice>,
}

/// A number, what it counts, and a remark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Total {
    pub value: String,
    pub label: &'static str,
    pub remark: String,
}

/// A poll with its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    pub at: Time,
    pub result: CheckResult,
    pub what: String,
    pub detail: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckResult {
    /// New or updated items.
    Changed,
    Unchanged,
    Failed,
}

/// Maximum number of polls that are read.
const POLLS: usize = 300;

/// Reads and describes the schedule of one source; replays its last weeks several times for the
/// advice.
///
/// # Errors
/// If the database cannot be read.
pub fn schedule_report(
    reader: &Reader,
    source: &Source,
    facts: &SourceFacts,
    settings: &ScheduleSettings,
    now: Time,
) -> Result<ScheduleReport> {
    let why = why(reader, source, facts, settings, now)?;
    if let Some(account) = &why.account {
        return collected_report(reader, facts, account, &why, now);
    }
    let filter = PollFilter { source: Some(facts.key), noteworthy: false };
    let polls = reader.polls(filter, POLLS)?;
    let week = now - WEEK;
    let delays = reader.delays(facts.key, week, why.first_poll.unwrap_or(week))?;
    let delay = |at: Time| delays.get(&at.timestamp()).copied();
    let mut found: Vec<i64> = delays.values().copied().collect();
    found.sort_unstable();
    let has_new = |outcome: &Outcome| matches!(outcome, Outcome::Fetched { new: 1.., .. });
    let finds = polls.iter().filter(|(_, poll)| poll.at >= week && has_new(&poll.outcome)).count();
    let per_day = reader.items_per_day(facts.key, now, DAYS)?;
    let week = known_week(why.explanation.observed, &why.explanation.week, hours_east(now));
    Ok(ScheduleReport {
        next: next_check(&why, source.enabled, now),
        basis: basis(&why),
        reasons: sentences(&why, facts, now),
        totals: totals(&why, finds, &found, &per_day),
        habits: habits(&why, &week),
        limits: limits(&why, &facts.hints, source, settings),
        checks: polls
            .into_iter()
            .map(|(_, poll)| check(poll.at, poll.status, poll.bytes, &poll.outcome, delay(poll.at)))
            .collect(),
        coming: match source.enabled && !is_gone(&why) {
            true => why.explanation.coming.clone(),
            false => Vec::new(),
        },
        now,
        east: now.with_timezone(&Local).offset().fix().local_minus_utc(),
        exploring: why.crawl.first().is_some_and(|line| line.starts_with(EXPLORING)),
        per_day,
        week,
        crawl: why.crawl,
        advice: advice(reader, source, facts, settings, now)?,
    })
}

/// The report for a source that a server polls, without a schedule: who polls it, and when it publishes.
fn collected_report(
    reader: &Reader,
    facts: &SourceFacts,
    account: &AccountPolling,
    why: &Why,
    now: Time,
) -> Result<ScheduleReport> {
    let per_day = reader.items_per_day(facts.key, now, DAYS)?;
    let week = known_week(why.explanation.observed, &why.explanation.week, hours_east(now));
    let mut totals = totals(why, 0, &[], &per_day);
    totals.truncate(1);
    Ok(ScheduleReport {
        next: account_sentence(account, now),
        reasons: account.problem.iter().cloned().collect(),
        totals,
        habits: habits(why, &week),
        now,
        east: now.with_timezone(&Local).offset().fix().local_minus_utc(),
        per_day,
        week,
        ..ScheduleReport::default()
    })
}

/// The week, once there are enough items to rule out a pattern that is due to chance.
fn known_week(items: u32, week: &[f64], east: i64) -> Vec<(&'static str, [u8; 24])> {
    if items < ENOUGH_ITEMS { Vec::new() } else { levels(week, east) }
}

/// Why no week is shown.
fn no_pattern(items: u32) -> Option<String> {
    let few = items < ENOUGH_ITEMS;
    few.then(|| format!("needs {ENOUGH_ITEMS} items, {items} known so far"))
}

fn next_check(why: &Why, enabled: bool, now: Time) -> String {
    match next_poll(why, enabled, now) {
        never if never.starts_with("never") => never.replacen("never", "Not checked any more", 1),
        due if due.starts_with("due") => due.replacen("due", "The next check is due", 1),
        at => format!("Next check {at}"),
    }
}

fn basis(why: &Why) -> String {
    let known = &why.explanation;
    match known.policy {
        PolicyKind::Learned if known.observed == 0 => "nothing learned yet".to_owned(),
        PolicyKind::Learned => format!("learned from {}", counted(known.observed, "item")),
        PolicyKind::Fixed => "at a fixed interval".to_owned(),
        PolicyKind::ChangeRate => "by how often checks found something (change-rate)".to_owned(),
        PolicyKind::Advarss => "by the median time between changes (advarss)".to_owned(),
    }
}

pub(super) fn sentences(why: &Why, facts: &SourceFacts, now: Time) -> Vec<String> {
    let mut sentences = Vec::new();
    if let Some(planned) = why.planned.as_ref().filter(|_| !is_gone(why)) {
        sentences.extend(moved(planned, now));
        sentences.extend(expectation(why));
    }
    // A fixed interval ignores the signals of a site.
    let follows_signals = why.explanation.policy != PolicyKind::Fixed;
    let planned = why.planned.as_ref().filter(|_| follows_signals);
    if let Some(signal) = planned.and_then(|planned| planned.signal.as_ref()) {
        sentences.push(match signal.name {
            Signal::Nothing => text::sentence(&signal.why),
            _ => {
                let after = i64::try_from(signal.after).unwrap_or(i64::MAX);
                format!("Suggested interval {}: {}", span(after), signal.why)
            }
        });
    }
    sentences.extend(paused(why, now).map(|paused| text::sentence(&paused)));
    if let Some(Outcome::Failed { message, .. }) = &facts.last_outcome {
        let times = match facts.fail_count {
            0 | 1 => "Failed".to_owned(),
            n => format!("Failed {n} times in a row"),
        };
        sentences.insert(0, format!("{times}: {message}"));
    }
    match why.explanation.pulse {
        Pulse::Silent => sentences.push("Silent for longer than usual".to_owned()),
        Pulse::Dead => sentences.push("Silent for so long that it seems abandoned".to_owned()),
        Pulse::Normal | Pulse::Unknown => {}
    }
    if let Some(problem) = &why.broken {
        sentences.push(format!("Broken selectors: {}", broken(problem)));
    }
    if why.feed_has_full_text == Some(true) {
        sentences.push(
            "The feed contains full articles, so pages are fetched only for items that are cut off or whose code \
             has lost its layout"
                .to_owned(),
        );
    }
    sentences
}

/// How limits moved the next poll.
fn moved(planned: &Planned, now: Time) -> Option<String> {
    let mut before = planned.wanted;
    let mut steps = Vec::new();
    for moved in &planned.moved_by {
        let how = if moved.to < before { "brought forward" } else { "postponed" };
        steps.push(format!("{how} to {} ({})", clock(moved.to, now), moved.reason.describe()));
        before = moved.to;
    }
    // A poll at the wanted time needs no explanation.
    let wanted = clock(planned.wanted, now);
    (!steps.is_empty()).then(|| format!("Wanted at {wanted}, {}", steps.join(", then ")))
}

/// What the learned policy expects of the next poll.
fn expectation(why: &Why) -> Option<String> {
    let expected = why.expected?;
    if why.explanation.observed == 0 {
        return Some("The time is a rough estimate until the source has items".to_owned());
    }
    Some(match chance(expected) {
        None => format!("About {expected:.1} new items are expected by then"),
        Some(chance) => format!("The chance of a new item by then is {chance}"),
    })
}

/// The totals; `found` are the delays of the polls that found items, in seconds, in order.
fn totals(why: &Why, finds: usize, found: &[i64], per_day: &[u32]) -> Vec<Total> {
    let total = |value: String, label, remark| Total { value, label, remark };
    let (number, unit) = item_rate(per_day);
    let rate = total(number, unit, String::new());
    let delay = match (found.get(found.len() / 2), found.last()) {
        (Some(median), Some(worst)) => {
            total(span(*median), "median delay", format!("worst {}", span(*worst)))
        }
        // The items of the first poll do not count.
        _ => total("Delay".to_owned(), "unknown until", "a new item appears".to_owned()),
    };
    vec![
        rate,
        total(
            why.spent.polls.to_string(),
            if why.spent.polls == 1 { "check this week" } else { "checks this week" },
            format!("{finds} with new items"),
        ),
        total(
            size(why.spent.bytes_saved),
            "saved",
            // Polls that found nothing may still have transferred the whole document.
            format!("{} not modified", why.spent.unchanged),
        ),
        delay,
    ]
}

/// Level from which an hour is busy.
const BUSY: u8 = 3;
/// Level at which an hour is quiet.
const QUIET: u8 = 0;
/// Minimum number of items for showing the week and calling hours busy or quiet.
const ENOUGH_ITEMS: u32 = 20;
/// Minimum number of quiet hours in a row that count as a night.
const QUIET_HOURS: usize = 3;

fn habits(why: &Why, week: &[(&'static str, [u8; 24])]) -> Vec<(&'static str, String)> {
    let mut habits = Vec::new();
    habits.extend(no_pattern(why.explanation.observed).map(|few| ("Pattern", few)));
    let hour = |day: &str, hour: usize| format!("{day} {hour:02}:00 to {:02}:00", (hour + 1) % 24);
    let hours = week.iter().flat_map(|(day, levels)| {
        levels.iter().enumerate().map(move |(at, level)| (*level, *day, at))
    });
    // The first of the busiest hours.
    let busiest = hours.fold(None, |best: Option<(u8, &str, usize)>, hour| match best {
        Some(best) if best.0 >= hour.0 => Some(best),
        _ => Some(hour),
    });
    if let Some((_, day, at)) = busiest.filter(|(level, ..)| *level >= BUSY) {
        habits.push(("Busiest", hour(day, at)));
    }
    if let Some((from, to)) = quiet_hours(week) {
        habits.push(("Quietest", format!("every day {from:02}:00 to {to:02}:00")));
    }
    if let Some(gaps) = why.explanation.gaps.filter(|gaps| gaps.count > 1) {
        let (lower, upper) = (span(gaps.lower), span(gaps.upper));
        let usual = if lower == upper { lower } else { format!("{lower} to {upper}") };
        habits.push(("Gaps", format!("usually {usual}")));
        habits.push(("Longest", span(gaps.most)));
    }
    habits
}

/// The longest run of hours that are quiet on every day; it may cross midnight.
fn quiet_hours(week: &[(&'static str, [u8; 24])]) -> Option<(usize, usize)> {
    let quiet = |hour: usize| week.iter().all(|(_, levels)| levels[hour % 24] == QUIET);
    let run = |from: usize| (from..from + 24).take_while(|hour| quiet(*hour)).count();
    let (length, from) = (0..24).map(|from| (run(from), 24 - from)).max()?;
    let from = 24 - from;
    let usual = !week.is_empty() && (QUIET_HOURS..24).contains(&length);
    usual.then_some((from, (from + length) % 24))
}

fn limits(
    why: &Why,
    hints: &FeedHints,
    source: &Source,
    settings: &ScheduleSettings,
) -> Vec<(&'static str, String)> {
    let own = settings.of(source);
    let every = |time: Duration| span(i64::try_from(time.as_secs()).unwrap_or(i64::MAX));
    let mut limits = Vec::new();
    if let Some(planned) = &why.planned {
        let by_server = |reason| {
            matches!(reason, PauseReason::MaxAge | PauseReason::Expires | PauseReason::RetryAfter)
        };
        let asked = planned.moved_by.iter().find(|moved| by_server(moved.reason));
        if let Some(moved) = asked {
            let wait = span((moved.to - planned.at).num_seconds());
            let what = moved.reason.describe().trim_start_matches("Cache-Control ");
            limits.push(("Server", format!("{what} {wait}")));
        }
    }
    let feed = [
        hints.ttl.map(|ttl| format!("ttl {}", every(ttl))),
        hints.update_period.map(|period| format!("updates every {}", every(period))),
        Some(hints.skip_hours.len()).filter(|n| *n > 0).map(|n| format!("skips {n} h a day")),
        Some(hints.skip_days.len())
            .filter(|n| *n > 0)
            .map(|n| format!("skips {} a week", counted(n, "day"))),
    ];
    let feed: Vec<String> = feed.into_iter().flatten().collect();
    if !feed.is_empty() {
        limits.push(("Feed", feed.join(", ")));
    }
    match own.policy {
        PolicyKind::Fixed => limits.push(("Interval", every(own.interval))),
        _ => limits.push((
            "Interval",
            format!("{} to {}", every(own.min_interval), every(own.max_interval)),
        )),
    }
    if let Some(quiet) = &own.quiet_hours {
        limits.push(("Quiet", quiet.clone()));
    }
    if own.policy == PolicyKind::Learned {
        let share = source.schedule.polls_per_day.is_none();
        let average = if share { ", on average" } else { "" };
        limits.push(("Budget", format!("{:.0} a week{average}", own.polls_per_day * 7.0)));
    }
    limits
}

fn check(
    at: Time,
    status: Option<u16>,
    bytes: u64,
    outcome: &Outcome,
    delay: Option<i64>,
) -> Check {
    let received = || match status {
        Some(status) => format!("HTTP {status}, {}", size(bytes)),
        None => String::new(),
    };
    let (result, what, detail) = match outcome {
        Outcome::Unchanged => (CheckResult::Unchanged, "unchanged".to_owned(), received()),
        Outcome::Fetched { new: 0, updated: 0, .. } => {
            (CheckResult::Unchanged, "nothing new".to_owned(), received())
        }
        Outcome::Fetched { new: 0, updated, .. } => {
            (CheckResult::Changed, format!("{updated} updated"), received())
        }
        Outcome::Fetched { new, updated, .. } => {
            let updated = if *updated > 0 { format!(", {updated} updated") } else { String::new() };
            let late = |seconds| format!("{} after publication", span(seconds));
            (CheckResult::Changed, format!("{new} new{updated}"), delay.map_or_else(received, late))
        }
        Outcome::Failed { message, .. } => {
            let limited = matches!(status, Some(429 | 503));
            let what = if limited { "rate-limited" } else { "failed" };
            (CheckResult::Failed, what.to_owned(), message.clone())
        }
    };
    Check { at, result, what, detail }
}

#[cfg(test)]
#[path = "schedule_report_tests.rs"]
mod tests;
