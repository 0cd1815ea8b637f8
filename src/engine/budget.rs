//! The shared budget: once a day the price of a poll is corrected by the number of polls made.

use super::context::Context;
use super::setup::shares_budget;
use crate::config::ScheduleSettings;
use crate::model::{PauseReason, Time};
use crate::schedule::{Control, price_for};
use crate::store::Reader;
use chrono::TimeDelta;
use std::collections::HashMap;
use std::sync::Arc;

/// Name under which the price is stored.
const NOTE: &str = "schedule.price";
/// Time between two corrections, in hours of running.
const CORRECTION_INTERVAL: TimeDelta = TimeDelta::days(1);
/// How often the hours are counted.
const TICK: TimeDelta = TimeDelta::hours(1);
/// After so long without counting, the machine slept or newsfed was not running.
const MAX_GAP: TimeDelta = TimeDelta::hours(6);

/// The price of a poll, and since when it applies.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
struct Account {
    control: Control,
    /// When it was last corrected.
    since: Time,
    /// Seconds of running since then …
    awake: i64,
    /// … when last counted.
    counted: Time,
    /// Budgeted polls per source and day when it was stored.
    budget: f64,
}

/// The allowed and used budget, in polls per day.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Day {
    /// Number of sources that share the budget.
    sources: u32,
    /// Used by them.
    used: f64,
    /// Used by all others.
    elsewhere: f64,
}

/// Restores the price from earlier runs.
pub(super) async fn restore(context: &Arc<Context>) {
    match load(context).await {
        Ok(account) => context.set_price(account.control.price),
        Err(e) => tracing::warn!("cannot read the price of a poll: {e}"),
    }
}

/// Corrects the price after every day of running.
pub(super) async fn keep(context: &Arc<Context>) {
    loop {
        if let Err(e) = count(context).await {
            tracing::warn!("cannot update the budget: {e}");
        }
        context.clock.sleep_until(context.clock.now() + TICK).await;
    }
}

/// The price of a poll for sources that share a budget, in item-seconds of waiting.
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

/// The stored account, or a new one.
fn account(note: Option<String>, settings: &ScheduleSettings, now: Time) -> Account {
    let budget = settings.polls_per_day;
    let known = note.and_then(|json| serde_json::from_str::<Account>(&json).ok());
    let control = Control::new(budget);
    let fresh = Account { control, since: now, awake: 0, counted: now, budget };
    let mut account = known.unwrap_or(fresh);
    // Another budget needs another price immediately.
    account.control.price *= price_for(budget) / price_for(account.budget);
    account.budget = budget;
    account
}

/// Counts the running time, and corrects the price after a day.
async fn count(context: &Arc<Context>) -> crate::store::Result<()> {
    let now = context.clock.now();
    let mut account = load(context).await?;
    let passed = now - account.counted;
    if (TimeDelta::zero()..MAX_GAP).contains(&passed) {
        account.awake = account.awake.saturating_add(passed.num_seconds());
    }
    account.counted = now;
    // After the clock was set back, the counted time is not usable.
    if account.since > now {
        (account.since, account.awake) = (now, 0);
    }
    if account.awake >= CORRECTION_INTERVAL.num_seconds() {
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
            "{:.1} polls per day of {budget:.1}; the price of a poll is now {:.0} item-seconds",
            day.used,
            account.control.price
        );
    }
    (account.since, account.awake) = (now, 0);
    Ok(())
}

fn day(context: &Context, polls: &HashMap<i64, u32>, gone: &[i64], passed: TimeDelta) -> Day {
    let days = passed.as_seconds_f64() / CORRECTION_INTERVAL.as_seconds_f64();
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

/// Polls per day of the sources that share the budget: `each` per source, but no more than the
/// others leave of the total.
fn budget(day: Day, each: f64, total: Option<u32>) -> f64 {
    /// Minimum share of `each` that the total leaves to every source.
    const MIN_SHARE: f64 = 0.02;
    let wanted = each * f64::from(day.sources);
    let left = total.map_or(f64::INFINITY, |total| f64::from(total) - day.elsewhere);
    wanted.min(left.max(MIN_SHARE * wanted))
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
