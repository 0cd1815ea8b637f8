//! Finds the setting with which a policy makes a given number of polls per source per day.

use super::{Figures, Phase, Replay, Simulated};
use crate::model::PolicyKind;
use std::ops::RangeInclusive;
use std::time::Duration;

/// Allowed budgets, in polls per source per day.
pub const BUDGETS: RangeInclusive<f64> = 0.1..=280.0;
/// Maximum number of replays per search.
const MAX_REPLAYS: usize = 14;
/// Relative tolerance.
const NEAR: f64 = 0.005;
/// Minimum interval of every policy that is fitted to a budget.
const MIN: Duration = Duration::from_secs(300);

impl Simulated {
    /// The same policy with another value of its only free parameter: the interval in seconds, the target
    /// rate, the length of a tick in seconds, or the price.
    fn with_parameter(&self, parameter: f64) -> Self {
        let seconds = Duration::try_from_secs_f64(parameter).unwrap_or(MIN);
        let mut policy = *self;
        match &mut policy {
            Self::Fixed(interval) => *interval = seconds,
            Self::ChangeRate(p) => (p.target, p.least) = (parameter, MIN),
            Self::AdvaRss(p) => p.tick = seconds,
            Self::Learned(p) => p.price = parameter,
        }
        policy
    }

    fn kind(&self) -> PolicyKind {
        match self {
            Self::Fixed(_) => PolicyKind::Fixed,
            Self::ChangeRate(_) => PolicyKind::ChangeRate,
            Self::AdvaRss(_) => PolicyKind::Advarss,
            Self::Learned(_) => PolicyKind::Learned,
        }
    }
}

/// Where the search for the parameter of a policy starts.
pub fn first_parameter(policy: PolicyKind, budget: f64) -> f64 {
    let times = 12.0 / budget;
    match policy {
        PolicyKind::Fixed => 86_400.0 / budget,
        PolicyKind::ChangeRate => 0.12 * times,
        PolicyKind::Advarss => 460.0 * times,
        PolicyKind::Learned => 700.0 * times * times,
    }
}

/// Logarithms of the parameter, and of the polls-to-budget ratio.
type Measured = (f64, f64);

/// The policy with the setting that comes nearest to `budget` polls per source per day, and its
/// result.
pub fn at_budget(replay: &Replay, policy: &Simulated, budget: f64) -> (Simulated, Figures) {
    let run = |parameter| replay.run(&policy.with_parameter(parameter), Phase::All);
    let (parameter, figures) = fit(first_parameter(policy.kind(), budget), budget, run);
    (policy.with_parameter(parameter), figures)
}

/// The parameter with which `run` comes nearest to `budget` polls per source per day, and its result. A
/// higher parameter means fewer polls: the parameter is bracketed, and the next value is interpolated between
/// the nearest ones on both sides, on logarithmic scales.
pub fn fit(guess: f64, budget: f64, run: impl Fn(f64) -> Figures) -> (f64, Figures) {
    let mut parameter = guess.ln();
    let mut best: Option<(f64, f64, Figures)> = None;
    // The nearest results with too many and with too few polls.
    let (mut many, mut few): (Option<Measured>, Option<Measured>) = (None, None);
    for tried in 1..=MAX_REPLAYS {
        let figures = run(parameter.exp());
        let off = (figures.polls_per_source_day.max(1e-9) / budget).ln();
        if best.as_ref().is_none_or(|(least, ..)| off.abs() < least.abs()) {
            best = Some((off, parameter.exp(), figures));
        }
        if off.abs() < NEAR {
            break;
        }
        let side = if off > 0.0 { &mut many } else { &mut few };
        if side.is_none_or(|(_, nearest)| off.abs() < nearest.abs()) {
            *side = Some((parameter, off));
        }
        parameter = match (many, few) {
            (Some((low, over)), Some((high, under))) => {
                low + (high - low) * (over / (over - under)).clamp(0.15, 0.85)
            }
            _ => parameter + (off * if tried < 4 { 1.7 } else { 4.0 }).clamp(-3.0, 3.0),
        };
    }
    best.map_or_else(|| (guess, run(guess)), |(_, parameter, figures)| (parameter, figures))
}
