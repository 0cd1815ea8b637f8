//! Converts settings and source facts for the schedule. Does no I/O.

use crate::config::ScheduleSettings;
use crate::model::{PolicyKind, QuietHours, Source, SourceFacts, Time, Validators};
use crate::schedule::{
    AdvaRssParameters, ChangeRateParameters, Clues, LearnedParameters, Memory, PollContext,
    ResponseFacts, Setup, Week, first_gap, own_gap,
};
use chrono::{Offset, TimeZone};
use std::time::Duration;

/// Shortest interval that the policy `learned` chooses, within the limits in the user's settings.
const MIN: Duration = Duration::from_secs(300);
/// Limits of the first interval of the policy `change-rate`.
const FIRST: (Duration, Duration) = (Duration::from_secs(900), Duration::from_secs(24 * 3600));

/// Maximum number of ticks in a random first interval of the policy `advarss`.
const MAX_FIRST_TICKS: u32 = 3;

/// The setup of a source at `now`; `price` is the price of a poll for all sources.
pub fn setup(
    source: &Source,
    facts: &SourceFacts,
    settings: &ScheduleSettings,
    price: f64,
) -> Setup {
    let settings = settings.of(source);
    let most = settings.max_interval;
    let least = MIN.min(most);
    Setup {
        policy: settings.policy,
        interval: settings.interval,
        change_rate: ChangeRateParameters {
            smoothing: settings.change_rate_smoothing,
            gain: settings.change_rate_gain,
            target: settings.change_rate_target,
            start: settings.change_rate_target,
            first: settings.interval,
            least: settings.usual_min_interval.min(ChangeRateParameters::default().least).min(most),
            most,
        },
        advarss: AdvaRssParameters {
            tick: settings.advarss_tick,
            cap: u32::try_from(settings.advarss_cap).unwrap_or(u32::MAX),
            growth: settings.advarss_growth,
            first: settings.advarss_random_first.then(|| {
                fastrand::Rng::with_seed(facts.key.unsigned_abs()).u32(0..=MAX_FIRST_TICKS)
            }),
        },
        learned: LearnedParameters {
            price,
            weight: source.schedule.priority.unwrap_or_default().weight(),
            exponent: settings.learned_exponent,
            silence: settings.learned_silence,
            least,
            most,
            closed: Week::closed(&facts.hints),
            ..LearnedParameters::default()
        },
        own_budget: source.schedule.polls_per_day,
    }
}

/// What schedules depend on besides their sources.
#[derive(Debug, Clone, Copy)]
pub(super) struct Machine {
    /// Offset of the user's time zone in seconds east of UTC.
    pub(super) east: i32,
    /// Seed of the jitter; never 0. It differs between databases, so that many users of one server do not
    /// poll it at the same times.
    pub(super) seed: u64,
}

/// Offset of the user's time zone at a time, in seconds east of UTC.
pub(super) fn east(at: Time) -> i32 {
    chrono::Local.offset_from_utc_datetime(&at.naive_utc()).fix().local_minus_utc()
}

/// The limits of the next poll of a source, as if a poll at `now` had succeeded and the policy
/// wanted the next one immediately.
pub(super) fn limits<'a>(
    source: &Source,
    facts: &'a SourceFacts,
    settings: &ScheduleSettings,
    memory: &Memory,
    machine: Machine,
    now: Time,
) -> PollContext<'a> {
    let own = &source.schedule;
    let settings = settings.of(source);
    let fixed = settings.policy == PolicyKind::Fixed;
    // A maximum applies to a fixed interval only if the user set it for the source.
    let max = Some(settings.max_interval).filter(|_| !fixed || own.max_interval.is_some());
    let interval = source.interval.filter(|_| fixed);
    PollContext {
        now,
        wanted: now,
        response: ResponseFacts::default(),
        hints: &facts.hints,
        fail_count: 0,
        failing_for: facts.last_ok.and_then(|ok| (now - ok).to_std().ok()),
        interval: settings.interval,
        measured_gap: memory.learned().gap(now),
        min: settings.min_interval,
        usual_min: settings.usual_min_interval,
        warranted: memory.learned().warrants(now, settings.usual_min_interval),
        max,
        quiet: settings
            .quiet_hours
            .as_deref()
            .and_then(QuietHours::parse)
            .map(|h| (h, machine.east)),
        has_validators: facts.validators != Validators::default(),
        own: [own.min_interval, own.max_interval, interval].into_iter().flatten().min(),
        seed: machine.seed ^ facts.key.unsigned_abs(),
    }
}

/// Initialises the schedule of a new source from its first document.
pub(super) fn begin(setup: &mut Setup, clues: &Clues<'_>, now: Time) {
    if let Some(gap) = first_gap(clues, now) {
        setup.change_rate.first = gap.clamp(FIRST.0, FIRST.1);
        // Dated entries are observed one by one, so no guess is needed.
        if own_gap(clues.items, now).is_none() {
            setup.learned.gap = gap;
        }
    }
}

/// Whether the polls of a source count against the shared budget.
pub(super) fn shares_budget(source: &Source, settings: &ScheduleSettings) -> bool {
    source.enabled
        && source.schedule.polls_per_day.is_none()
        && settings.of(source).policy == PolicyKind::Learned
}
