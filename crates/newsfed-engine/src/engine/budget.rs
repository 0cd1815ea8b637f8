//! The shared budget: once a day, the price of a poll is adjusted to the number of polls made.

use super::context::Context;
use super::setup::shares_budget;
use crate::config::ScheduleSettings;
use crate::model::{PauseReason, Time};
use crate::schedule::{Control, price_for};
use crate::store::Reader;
use chrono::TimeDelta;
use std::sync::Arc;

/// Name under which the price is stored.
const NOTE: &str = "schedule.price";
/// Running time between two corrections.
const CORRECTION_INTERVAL: TimeDelta = TimeDelta::days(1);
/// How often the running time is counted.
pub(super) const TICK: TimeDelta = TimeDelta::hours(1);
/// After a longer gap, it is assumed that the machine slept or that newsfed was not running.
const MAX_GAP: TimeDelta = TimeDelta::hours(6);

/// The price of a poll, and when it was last corrected.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Account {
    control: Control,
    /// When it was last corrected.
    since: Time,
    /// Seconds of running time since the last correction.
    awake: i64,
    /// When the running time was last counted.
    counted: Time,
    /// Budgeted polls per source per day when the price was stored.
    budget: f64,
    /// Seed of this database's jitter, so that plans are reproducible; 0 if none is stored.
    #[serde(default)]
    seed: u64,
}

/// How much of the budget was used, in polls per day.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Day {
    /// Number of sources that share the budget.
    sources: u32,
    /// Used by the sources that share the budget.
    used: f64,
    /// Used by all other sources.
    elsewhere: f64,
}

impl Account {
    pub(super) fn new(budget: f64, now: Time) -> Self {
        let control = Control::new(budget);
        Self { control, since: now, awake: 0, counted: now, budget, seed: 0 }
    }

    /// Multiplies the price by a factor.
    pub(super) fn times(mut self, factor: f64) -> Self {
        self.control.price = rounded(factor * self.control.price);
        self
    }

    pub(super) fn price(&self) -> f64 {
        self.control.price
    }

    /// When the price was last corrected.
    pub(super) fn since(&self) -> Time {
        self.since
    }

    /// Counts the running time until `now`. Returns whether a correction is due.
    pub(super) fn count(&mut self, now: Time) -> bool {
        let passed = now - self.counted;
        if (TimeDelta::zero()..MAX_GAP).contains(&passed) {
            self.awake = self.awake.saturating_add(passed.num_seconds());
        }
        self.counted = now;
        // After the clock was set back, the counted time is invalid.
        if self.since > now {
            (self.since, self.awake) = (now, 0);
        }
        self.awake >= CORRECTION_INTERVAL.num_seconds()
    }

    /// Corrects the price. `polls` contains, for each source, whether it shares the budget, and the number of
    /// polls since the last correction.
    pub(super) fn correct(
        &mut self,
        polls: impl Iterator<Item = (bool, u32)>,
        settings: &ScheduleSettings,
        now: Time,
    ) {
        let passed = TimeDelta::seconds(self.awake);
        let days = passed.as_seconds_f64() / CORRECTION_INTERVAL.as_seconds_f64();
        let mut day = Day::default();
        for (shares, polls) in polls {
            let used = f64::from(polls) / days;
            if shares {
                day.sources += 1;
                day.used += used;
            } else {
                day.elsewhere += used;
            }
        }
        let budget = budget(day, settings.polls_per_day, settings.polls_per_day_total);
        if day.sources > 0 {
            self.control.correct(day.used, budget);
            self.control.bound(budget / f64::from(day.sources));
            self.control.price = rounded(self.control.price);
            tracing::info!(
                "{:.1} of {budget:.1} polls per day; the price of a poll is now {:.0} item-seconds",
                day.used,
                self.control.price
            );
        }
        (self.since, self.awake) = (now, 0);
    }
}

/// Rounds a price so that storing it as text does not change it: a tiny difference can decide between two
/// plans of equal cost.
fn rounded(price: f64) -> f64 {
    (price * 1e6).round() / 1e6
}

/// Restores the price and the seed from earlier runs.
pub(super) async fn restore(context: &Arc<Context>) {
    match load(context).await {
        Ok(account) => {
            context.set_price(account.control.price);
            context.set_jitter_seed(account.seed);
        }
        Err(e) => tracing::warn!("cannot read the price of a poll: {e}"),
    }
}

/// Corrects the price after each day of running time.
pub(super) async fn keep(context: &Arc<Context>) {
    loop {
        let next = context.clock.now() + TICK;
        if let Err(e) = count(context).await {
            tracing::warn!("cannot update the budget: {e}");
        }
        context.clock.sleep_until(next).await;
    }
}

/// What all schedules of a database share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shared {
    /// The price of a poll for sources that share a budget, in item-seconds of waiting.
    pub(super) price: f64,
    pub(super) seed: u64,
}

pub(super) fn shared(
    reader: &Reader,
    settings: &ScheduleSettings,
    now: Time,
) -> crate::store::Result<Shared> {
    let Account { control, seed, .. } = account(reader.memo(NOTE)?, settings, now);
    Ok(Shared { price: control.price, seed })
}

async fn load(context: &Arc<Context>) -> crate::store::Result<Account> {
    let note = context.read(|reader| reader.memo(NOTE)).await?;
    let mut account = account(note, &context.settings().schedule, context.clock.now());
    if account.seed == 0 {
        account.seed = context.machine().seed;
    }
    Ok(account)
}

/// The stored account, or a new one.
fn account(note: Option<String>, settings: &ScheduleSettings, now: Time) -> Account {
    let budget = settings.polls_per_day;
    let known = note.and_then(|json| serde_json::from_str::<Account>(&json).ok());
    let mut account = known.unwrap_or_else(|| Account::new(budget, now));
    // A changed budget requires a different price immediately.
    account.control.price *= price_for(budget) / price_for(account.budget);
    account.budget = budget;
    account
}

/// Counts the running time, and corrects the price after a day of it.
async fn count(context: &Arc<Context>) -> crate::store::Result<()> {
    let now = context.clock.now();
    let mut account = load(context).await?;
    if account.count(now) {
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
    let settings = context.settings();
    let settings = &settings.schedule;
    let used = context.keys().into_iter().filter_map(|key| {
        let shares = shares_budget(&*context.source(key)?, settings);
        let polls = polls.get(&key).copied().unwrap_or(0);
        (!shares || !gone.contains(&key)).then_some((shares, polls))
    });
    account.correct(used, settings, now);
    Ok(())
}

/// Total polls per day for the sources that share the budget: `each` per source, but at most what the other
/// sources leave of `total`.
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
    fn the_total_budget_limits_the_budget_of_each_source() {
        let day = Day { sources: 10, used: 100.0, elsewhere: 48.0 };
        for (total, want) in [(None, 120.0), (Some(1000), 120.0), (Some(98), 50.0), (Some(10), 2.4)]
        {
            assert!((budget(day, 12.0, total) - want).abs() < 1e-9, "{total:?}");
        }
    }
}
