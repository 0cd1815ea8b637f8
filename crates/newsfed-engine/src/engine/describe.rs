//! Explains the schedule of a source, as text for the command line and the TUI.

use super::account::AccountPolling;
use super::why::{PausedBy, PollSummary, Why};
use crate::model::{
    DecidingSignal, Moved, Outcome, Pause, PauseReason, Planned, SelectorProblem, Signal, Time,
};
use crate::schedule::{Gaps, Pulse};
use crate::util::text::{counted, size};
use crate::util::time_text::{self, span};
use chrono::{Local, Offset, TimeDelta};

/// Header for the 24 hours of a day, one cell each.
pub const HOURS: &str = "00 03 06 09 12 15 18 21";

/// The description of a schedule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScheduleSummary {
    /// Names and values.
    pub facts: Vec<(&'static str, String)>,
    /// The days of the week from Monday, one character per hour in the user's time zone, to be shown below
    /// [`HOURS`]; empty if nothing is known.
    pub week: Vec<(&'static str, String)>,
    /// The last polls, newest first.
    pub polls: Vec<String>,
}

impl Why {
    /// Describes the schedule; `enabled` is whether the source is enabled.
    pub fn describe(&self, enabled: bool, ascii: bool, now: Time) -> ScheduleSummary {
        if let Some(account) = &self.account {
            let facts = account_facts(account, now);
            return ScheduleSummary { facts, ..ScheduleSummary::default() };
        }
        ScheduleSummary {
            facts: facts(self, enabled, now),
            week: match self.explanation.observed {
                0 => Vec::new(),
                _ => strip(&self.explanation.week, hours_east(now), ascii),
            },
            polls: self.polls.iter().map(poll).collect(),
        }
    }
}

fn polled_by(account: &AccountPolling) -> String {
    let server = account.server.map_or(String::new(), |server| format!(" ({server})"));
    format!("{}{server}", account.name)
}

fn last_sync(account: &AccountPolling, now: Time) -> String {
    account.last_sync.map_or("not yet".to_owned(), |at| time_text::clock(at, now))
}

fn next_sync(account: &AccountPolling, now: Time) -> String {
    match account.next_sync {
        Some(at) if at > now => time_text::clock(at, now),
        Some(_) => "due now".to_owned(),
        None if account.last_sync.is_none() && account.problem.is_none() => "due now".to_owned(),
        None => format!("after `newsfed account login {}`", account.name),
    }
}

fn account_facts(account: &AccountPolling, now: Time) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("checked by", polled_by(account)),
        ("last sync", last_sync(account, now)),
        ("next sync", next_sync(account, now)),
    ];
    facts.extend(account.problem.clone().map(|problem| ("problem", problem)));
    facts
}

/// One sentence about the server that polls an account source.
pub(super) fn account_sentence(account: &AccountPolling, now: Time) -> String {
    let last = match account.last_sync {
        Some(at) => format!("last synchronised {}", time_text::clock(at, now)),
        None => "not synchronised yet".to_owned(),
    };
    format!(
        "Checked by {}, {last}, next synchronisation {}",
        polled_by(account),
        next_sync(account, now)
    )
}

fn facts(why: &Why, enabled: bool, now: Time) -> Vec<(&'static str, String)> {
    let known = &why.explanation;
    let mut facts = Vec::new();
    let mut line = |name: &'static str, value: String| facts.push((name, value));
    line("policy", known.policy.name().to_owned());
    line("rate", rate(why));
    if let Some(gaps) = known.gaps {
        line("gaps", gap_words(&gaps));
    }
    match known.pulse {
        _ if why.last_poll.is_none() => line("state", "not checked yet".to_owned()),
        Pulse::Silent => line("state", "silent for longer than usual".to_owned()),
        Pulse::Dead => line("state", "silent for so long that it seems abandoned".to_owned()),
        Pulse::Normal | Pulse::Unknown => {}
    }
    if let Some(problem) = &why.broken {
        line("broken", broken(problem));
    }
    line("next", next_poll(why, enabled, now));
    for (name, value) in reasons(why, now) {
        line(name, value);
    }
    let mut coming: Vec<String> =
        known.coming.iter().map(|at| time_text::clock(*at, now)).collect();
    coming.dedup();
    if let [_, later @ ..] = coming.as_slice()
        && !later.is_empty()
    {
        line("then", later.join(", "));
    }
    if why.last_poll.is_some() {
        line("this week", spent(why, now));
    }
    if why.feed_has_full_text == Some(true) {
        let words = "full text in the feed; pages are fetched only if code has lost its layout";
        line("articles", words.to_owned());
    }
    for (nth, words) in why.crawl.iter().enumerate() {
        line(if nth == 0 { "crawl" } else { "" }, words.clone());
    }
    facts
}

/// The reasons for the time of the next poll: names and values.
fn reasons(why: &Why, now: Time) -> Vec<(&'static str, String)> {
    let mut reasons = Vec::new();
    // Limits do not move the polls of a source that is gone; the line about the next poll reports that it is
    // gone.
    if let Some(planned) = why.planned.as_ref().filter(|_| !is_gone(why)) {
        let moved = moves(planned, now);
        let wanted = time_text::clock(planned.wanted, now);
        reasons.push(("wanted", format!("{wanted}{}{moved}", worth(why))));
    }
    if let Some(deciding) = why.planned.as_ref().and_then(|planned| planned.signal.as_ref()) {
        reasons.push(("signal", signal(deciding)));
    }
    reasons.extend(paused(why, now).map(|paused| ("paused", paused)));
    reasons
}

/// Until when and why the source is paused, unless that is already shown as a limit of the next poll.
pub(super) fn paused(why: &Why, now: Time) -> Option<String> {
    let pause = why.pause.filter(|pause| !is_gone(why) && !is_shown(why, pause))?;
    let by = why.paused_by.as_ref().map(|by| paused_by(by, now)).unwrap_or_default();
    Some(format!("{}{by}", time_text::pause(&pause, now)))
}

/// The signal that determined when the pages of a site are polled next.
fn signal(signal: &DecidingSignal) -> String {
    if signal.name == Signal::Nothing {
        return format!("none: {}", signal.why);
    }
    let after = i64::try_from(signal.after).unwrap_or(i64::MAX);
    format!("{}: {} ({})", signal.name.name(), signal.why, span(after))
}

/// The problem with a website's selectors, when it began, and selectors that would match.
pub fn broken(problem: &SelectorProblem) -> String {
    let SelectorProblem { since, what, instead, key } = problem;
    let known = format!("{what} since {}", time_text::minute(*since));
    match instead.as_slice() {
        [] => known,
        some => {
            format!("{known}; these would match as {}: {}", key.name(), some.join(" or "))
        }
    }
}

/// The response that paused the host.
fn paused_by(by: &PausedBy, now: Time) -> String {
    let at = by.at.map(|at| format!(" at {}", time_text::clock(at, now))).unwrap_or_default();
    let why = by.message.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    format!("; set by {}{at}{why}", by.source)
}

/// Whether the server reported that the source is gone permanently.
pub(super) fn is_gone(why: &Why) -> bool {
    why.pause.is_some_and(|pause| pause.reason == PauseReason::Gone)
}

/// Whether the limit that moved the next poll is also the one that prevents a manual refresh.
fn is_shown(why: &Why, pause: &Pause) -> bool {
    let same =
        |m: &Moved| m.reason == pause.reason && (m.to - pause.until).abs() < TimeDelta::minutes(1);
    why.planned.as_ref().is_some_and(|planned| planned.moved_by.iter().any(same))
}

/// The items that the learned policy expects.
fn worth(why: &Why) -> String {
    let Some(expected) = why.expected else { return String::new() };
    if why.explanation.observed == 0 {
        return ", estimated until there is history".to_owned();
    }
    let cut =
        |planned: &Planned| planned.moved_by.iter().any(|m| m.reason == PauseReason::MaxInterval);
    let too_few = why.planned.as_ref().is_some_and(cut);
    let (found, few) = match chance(expected) {
        None => (format!("{expected:.1} new items are expected by then"), "too few"),
        Some(chance) => (format!("the chance of a new item by then is {chance}"), "too small"),
    };
    match too_few {
        true => format!("; {found}, {few} for an earlier check"),
        false => format!("; {found}, enough for a check within the budget"),
    }
}

/// The chance of at least one item if fewer than one is expected, because a chance is easier to
/// understand than a fraction of an item.
pub(super) fn chance(expected: f64) -> Option<String> {
    let chance = ((1.0 - (-expected).exp()) * 100.0).round();
    match expected {
        1.0.. => None,
        _ if chance < 1.0 => Some("less than 1 %".to_owned()),
        _ => Some(format!("{chance:.0} %")),
    }
}

fn rate(why: &Why) -> String {
    let known = &why.explanation;
    if known.observed == 0 {
        return "nothing known yet".to_owned();
    }
    let day = |rate: f64| if rate < 1.0 { format!("{rate:.2}") } else { format!("{rate:.1}") };
    format!(
        "{} items a day, {} right now (learned from {})",
        day(known.items_per_day),
        day(known.items_per_day_now),
        counted(known.observed, "item")
    )
}

fn gap_words(gaps: &Gaps) -> String {
    if gaps.count == 1 {
        return format!("{} between the only two items", span(gaps.most));
    }
    if gaps.least == gaps.most {
        return format!("always {}", span(gaps.most));
    }
    format!(
        "middle half {} to {}, median {}; range {} to {}",
        span(gaps.lower),
        span(gaps.upper),
        span(gaps.median),
        span(gaps.least),
        span(gaps.most)
    )
}

/// When the next poll is due, or why there is none.
pub(super) fn next_poll(why: &Why, enabled: bool, now: Time) -> String {
    let at = match why.next_poll {
        _ if !enabled => return "never: the source is disabled".to_owned(),
        _ if is_gone(why) => return format!("never: {}", PauseReason::Gone.describe()),
        Some(at) if at - now >= TimeDelta::minutes(1) => {
            format!("{}, in {}", time_text::clock(at, now), span((at - now).num_seconds()))
        }
        Some(at) if at > now => format!("{}, within a minute", time_text::clock(at, now)),
        Some(at) if why.overdue => format!("due since {}", time_text::clock(at, now)),
        _ => "now".to_owned(),
    };
    let nobody = ", but newsfed is not running: start `newsfed daemon` or the interface";
    format!("{at}{}", if why.polling { "" } else { nobody })
}

/// The limits that moved the wanted poll, in order.
fn moves(planned: &Planned, now: Time) -> String {
    let mut before = planned.wanted;
    let mut summary = String::new();
    for Moved { reason, to } in &planned.moved_by {
        let moved = if *to < before { "brought forward" } else { "postponed" };
        let (clock, why) = (time_text::clock(*to, now), reason.describe());
        summary += &format!("; {moved} to {clock} ({why})");
        before = *to;
    }
    summary
}

fn spent(why: &Why, now: Time) -> String {
    // The first day is too short for a comparison.
    let compared = why.first_poll.is_some_and(|first| now - first >= TimeDelta::days(1));
    let saved = match why.polls_saved {
        _ if !compared => String::new(),
        0 => String::new(),
        n if n > 0 => format!(" ({n} fewer than with the fixed policy)"),
        n => format!(" ({} more than with the fixed policy)", -n),
    };
    let (cost, kept) = (size(why.spent.bytes), size(why.spent.bytes_saved));
    let count = |n: u32, what: &str| match n {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    };
    let checks = count(why.spent.polls, "check");
    let requests = count(why.spent.requests, "request");
    format!("{checks}{saved}, {requests}, {cost} received, {kept} saved")
}

const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// The offset of the user's time zone from UTC in hours, rounded down.
pub(super) fn hours_east(now: Time) -> i64 {
    i64::from(now.with_timezone(&Local).offset().fix().local_minus_utc()).div_euclid(3600)
}

/// Minimum rates of levels 1 to 4, relative to the mean of the week.
const LEVELS: [f64; 4] = [0.3, 0.8, 1.3, 2.2];

/// A level from 0 to 4 for each hour of each day. Shifts the week from UTC to the user's time zone by `east`
/// hours.
pub(super) fn levels(week: &[f64], east: i64) -> Vec<(&'static str, [u8; 24])> {
    let level = |hour: i64| {
        // A week has 168 hours.
        let at = (hour - east).rem_euclid(168) as usize;
        let rate = week.get(at).copied().unwrap_or(0.0);
        LEVELS.iter().filter(|from| rate >= **from).count() as u8
    };
    let day = |(day, name): (i64, &'static str)| {
        let mut hours = [0; 24];
        for (hour, slot) in (0..).zip(&mut hours) {
            *slot = level(day * 24 + hour);
        }
        (name, hours)
    };
    (0..).zip(DAYS).map(day).collect()
}

/// One line per day, one character per hour.
fn strip(week: &[f64], east: i64, ascii: bool) -> Vec<(&'static str, String)> {
    let shades = if ascii { [' ', '.', ':', '*', '#'] } else { [' ', '░', '▒', '▓', '█'] };
    let line = |hours: [u8; 24]| -> String {
        hours.iter().filter_map(|level| shades.get(usize::from(*level))).collect()
    };
    let days = levels(week, east).into_iter();
    days.map(|(name, hours)| (name, line(hours).trim_end().to_owned())).collect()
}

fn poll(poll: &PollSummary) -> String {
    let status = poll.status.map_or_else(|| "  -".to_owned(), |s| s.to_string());
    let what = match &poll.outcome {
        Outcome::Unchanged => "unchanged".to_owned(),
        Outcome::Fetched { new, updated, .. } => format!("{new} new, {updated} updated"),
        Outcome::Failed { message, .. } => message.clone(),
    };
    let delay = poll.delay_min.map_or_else(String::new, |minutes| {
        format!(", {} after publication", span((minutes * 60.0) as i64))
    });
    format!("{}  {status}  {what}{delay}", time_text::minute(poll.at))
}

#[cfg(test)]
#[path = "describe_tests.rs"]
mod tests;
