//! The budget that sources share: once a day the price of a poll is corrected by the polls taken.

use super::context::Context;
use super::setup::shares_budget;
use crate::config::ScheduleSettings;
use crate::model::{PauseReason, Time};
use crate::schedule::{Control, price_for};
use crate::store::Reader;
use chrono::TimeDelta;
use std::collections::HashMap;
use std::sync::Arc;

/// Name of the note that outlives the process.
const NOTE: &str = "schedule.price";
/// Between two corrections, in hours of being awake.
const ROUND: TimeDelta = TimeDelta::days(1);
/// How often the hours are counted.
const TICK: TimeDelta = TimeDelta::hours(1);
/// After so long without counting, nobody was awake: the machine slept, or nothing ran.
const ASLEEP: TimeDelta = TimeDelta::hours(6);

/// The price of a poll, and how long it has held.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
struct Account {
    control: Control,
    /// When it was corrected last.
    since: Time,
    /// Seconds awake since then …
    awake: i64,
    /// … as counted then.
    counted: Time,
    /// Looks per source and day that were wanted when it was noted.
    budget: f64,
}

/// What the budget allows and what was used of it, in looks per day.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Day {
    /// Sources that share the budget.
    sources: u32,
    /// By them.
    used: f64,
    /// By all others.
    elsewhere: f64,
}

/// Takes over the price that was found by earlier runs.
pub(super) async fn restore(context: &Arc<Context>) {
    match load(context).await {
        Ok(account) => context.set_price(account.control.price),
        Err(e) => tracing::warn!("the price of a poll is not known: {e}"),
    }
}

/// Corrects the price after every day awake, for as long as it runs.
pub(super) async fn keep(context: &Arc<Context>) {
    loop {
        if let Err(e) = count(context).await {
            tracing::warn!("keeping the budget: {e}");
        }
        context.clock.sleep_until(context.clock.now() + TICK).await;
    }
}

/// What a poll costs the sources that share a budget, in item-seconds of waiting.
pub(super) fn shared_price(
    reader: &Reader,
    settings: &ScheduleSettings,
    now: Time,
) -> crate::store::Result<f64> {
    Ok(account(reader.memo(NOTE)?, settings, now).control.price)
}

async fn load(context: &Arc<Context>) -> crate::store::Result<Account> {
    let note = context.read(|reader| reader.memo(NOTE)).await?;
    Ok(account(note, &context.settings().schedule, context.clock.now()))
}

/// What was noted, or a beginning.
fn account(note: Option<String>, settings: &ScheduleSettings, now: Time) -> Account {
    let budget = settings.polls_per_day;
    let known = note.and_then(|json| serde_json::from_str::<Account>(&json).ok());
    let control = Control::new(budget);
    let fresh = Account { control, since: now, awake: 0, counted: now, budget };
    let mut account = known.unwrap_or(fresh);
    // Another budget needs another price at once.
    account.control.price *= price_for(budget) / price_for(account.budget);
    account.budget = budget;
    account
}

/// Counts the time awake, and corrects the price when it has come to a day.
async fn count(context: &Arc<Context>) -> crate::store::Result<()> {
    let now = context.clock.now();
    let mut account = load(context).await?;
    let passed = now - account.counted;
    if (TimeDelta::zero()..ASLEEP).contains(&passed) {
        account.awake = account.awake.saturating_add(passed.num_seconds());
    }
    account.counted = now;
    // A clock that was set back leaves nothing to count from.
    if account.since > now {
        (account.since, account.awake) = (now, 0);
    }
    if account.awake >= ROUND.num_seconds() {
        correct(context, &mut account, now).await?;
    }
    context.set_price(account.control.price);
    let json = serde_json::to_string(&account).unwrap_or_default();
    context.store.set_memo(NOTE, json).await
}

async fn correct(
    context: &Arc<Context>,
    account: &mut Account,
    now: Time,
) -> crate::store::Result<()> {
    let since = account.since;
    let polls = context.read(move |reader| reader.automatic_polls(since, now)).await?;
    let facts = context.read(|reader| reader.sources()).await?;
    let gone: Vec<i64> = facts
        .iter()
        .filter(|f| f.pause.is_some_and(|h| h.reason == PauseReason::Gone))
        .map(|f| f.key)
        .collect();
    let day = day(context, &polls, &gone, TimeDelta::seconds(account.awake));
    let settings = context.settings();
    let settings = &settings.schedule;
    let budget = budget(day, settings.polls_per_day, settings.polls_per_day_total);
    if day.sources > 0 {
        account.control.correct(day.used, budget);
        account.control.bound(budget / f64::from(day.sources));
        tracing::info!(
            "{:.1} looks a day of {budget:.1}; a poll costs {:.0} item-seconds now",
            day.used,
            account.control.price
        );
    }
    (account.since, account.awake) = (now, 0);
    Ok(())
}

fn day(context: &Context, polls: &HashMap<i64, u32>, gone: &[i64], passed: TimeDelta) -> Day {
    let days = passed.as_seconds_f64() / ROUND.as_seconds_f64();
    let mut day = Day { sources: 0, used: 0.0, elsewhere: 0.0 };
    for key in context.keys() {
        let Some(source) = context.source(key) else { continue };
        let used = f64::from(polls.get(&key).copied().unwrap_or(0)) / days;
        if !shares_budget(&source, &context.settings().schedule) {
            day.elsewhere += used;
        } else if !gone.contains(&key) {
            day.sources += 1;
            day.used += used;
        }
    }
    day
}

/// Looks per day of the sources that share the budget: so many for each, but no more than the
/// others leave of the total.
fn budget(day: Day, each: f64, total: Option<u32>) -> f64 {
    /// What the total always leaves of what each source should get.
    const LEAST: f64 = 0.02;
    let wanted = each * f64::from(day.sources);
    let left = total.map_or(f64::INFINITY, |total| f64::from(total) - day.elsewhere);
    wanted.min(left.max(LEAST * wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_limits_what_each_source_gets() {
        let day = Day { sources: 10, used: 100.0, elsewhere: 48.0 };
        for (total, want) in [(None, 120.0), (Some(1000), 120.0), (Some(98), 50.0), (Some(10), 2.4)]
        {
            assert!((budget(day, 12.0, total) - want).abs() < 1e-9, "{total:?}");
        }
    }
}
