//! Settings, and what is known of a source, as the schedule takes them. Pure.

use crate::config::ScheduleSettings;
use crate::model::{PolicyKind, Source, SourceFacts, Time};
use crate::schedule::{
    AdvaRssParameters, ChangeRateParameters, Clues, LearnedParameters, Setup, Week, first_gap,
    own_gap,
};
use std::time::Duration;

/// Shortest interval that the policies choose by themselves; what the person sets comes on top.
const LEAST: Duration = Duration::from_secs(300);
/// Bounds of the first interval of the policy change-rate.
const FIRST: (Duration, Duration) = (Duration::from_secs(900), Duration::from_secs(24 * 3600));

/// What holds for a source at `now`; `price` is what a look costs all sources.
pub fn setup(
    source: &Source,
    facts: &SourceFacts,
    settings: &ScheduleSettings,
    price: f64,
) -> Setup {
    let settings = settings.of(source);
    let most = settings.max_interval;
    let least = LEAST.min(most);
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

/// Takes over what the first document tells of a source that nothing is remembered of yet.
pub(super) fn begin(setup: &mut Setup, clues: &Clues<'_>, now: Time) {
    if let Some(gap) = first_gap(clues, now) {
        setup.change_rate.first = gap.clamp(FIRST.0, FIRST.1);
        // Dated entries are observed one by one and need no guess.
        if own_gap(clues.items, now).is_none() {
            setup.learned.gap = gap;
        }
    }
}

/// Whether the shared budget pays for the looks at a source.
pub(super) fn shares_budget(source: &Source, settings: &ScheduleSettings) -> bool {
    source.enabled
        && source.schedule.polls_per_day.is_none()
        && settings.of(source).policy == PolicyKind::Learned
}
