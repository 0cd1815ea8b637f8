//! Finds the setting with which a policy makes a given number of polls per source and day.

use super::{Figures, Phase, Replay, Simulated};
use std::ops::RangeInclusive;
use std::time::Duration;

/// Allowed budgets, in polls per source and day.
pub const BUDGETS: RangeInclusive<f64> = 0.1..=280.0;
/// Maximum number of replays per search.
const TRIES: usize = 14;
/// Relative tolerance.
const NEAR: f64 = 0.005;
/// Shortest interval of every policy that is fitted to a budget.
const LEAST: Duration = Duration::from_secs(300);

impl Simulated {
    /// The same policy with its one free parameter set to `knob`: the interval in seconds, the
    /// target rate, the length of a tick in seconds, or the price.
    fn with_knob(&self, knob: f64) -> Self {
        let seconds = Duration::try_from_secs_f64(knob).unwrap_or(LEAST);
        let mut policy = *self;
        match &mut policy {
            Self::Fixed(interval) => *interval = seconds,
            Self::ChangeRate(p) => (p.target, p.least) = (knob, LEAST),
            Self::AdvaRss(p) => p.tick = seconds,
            Self::Learned(p) => p.price = knob,
        }
        policy
    }

    /// Start of the search.
    fn guess(&self, budget: f64) -> f64 {
        let times = 12.0 / budget;
        match self {
            Self::Fixed(_) => 86_400.0 / budget,
            Self::ChangeRate(_) => 0.12 * times,
            Self::AdvaRss(_) => 460.0 * times,
            Self::Learned(_) => 700.0 * times * times,
        }
    }
}

/// Logarithms of the knob and of the ratio of polls to budget.
type Try = (f64, f64);

/// The policy with the setting that comes nearest to `budget` polls per source and day, and its
/// result. A higher price means fewer polls: the knob is bracketed, and the next try interpolates
/// between the nearest ones on both sides, on logarithmic scales.
pub fn at_budget(replay: &Replay, policy: &Simulated, budget: f64) -> (Simulated, Figures) {
    let mut knob = policy.guess(budget).ln();
    let mut best: Option<(f64, Simulated, Figures)> = None;
    // The nearest tries with too many and with too few polls: knob and distance, both logarithmic.
    let (mut many, mut few): (Option<Try>, Option<Try>) = (None, None);
    for tried in 1..=TRIES {
        let with = policy.with_knob(knob.exp());
        let figures = replay.run(&with, Phase::All);
        let off = (figures.polls_per_source_day.max(1e-9) / budget).ln();
        if best.as_ref().is_none_or(|(least, ..)| off.abs() < least.abs()) {
            best = Some((off, with, figures));
        }
        if off.abs() < NEAR {
            break;
        }
        let side = if off > 0.0 { &mut many } else { &mut few };
        if side.is_none_or(|(_, nearest)| off.abs() < nearest.abs()) {
            *side = Some((knob, off));
        }
        knob = match (many, few) {
            (Some((low, over)), Some((high, under))) => {
                low + (high - low) * (over / (over - under)).clamp(0.15, 0.85)
            }
            _ => knob + (off * if tried < 4 { 1.7 } else { 4.0 }).clamp(-3.0, 3.0),
        };
    }
    let unfitted = || (0.0, *policy, replay.run(policy, Phase::All));
    let (_, with, figures) = best.unwrap_or_else(unfitted);
    (with, figures)
}
