//! Finds the setting with which a policy makes a given number of polls per source per day.

use super::{Figures, Phase, Replay, Simulated};
use crate::model::PolicyKind;
use std::ops::RangeInclusive;
use std::time::Duration;

/// Allowed budgets, in polls per source per day.
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

    fn kind(&self) -> PolicyKind {
        match self {
            Self::Fixed(_) => PolicyKind::Fixed,
            Self::ChangeRate(_) => PolicyKind::ChangeRate,
            Self::AdvaRss(_) => PolicyKind::Advarss,
            Self::Learned(_) => PolicyKind::Learned,
        }
    }
}

/// Where the search for the knob of a policy starts.
pub fn first_knob(policy: PolicyKind, budget: f64) -> f64 {
    let times = 12.0 / budget;
    match policy {
        PolicyKind::Fixed => 86_400.0 / budget,
        PolicyKind::ChangeRate => 0.12 * times,
        PolicyKind::Advarss => 460.0 * times,
        PolicyKind::Learned => 700.0 * times * times,
    }
}

/// Logarithms of the knob, and of the polls-to-budget ratio.
type Try = (f64, f64);

/// The policy with the setting that comes nearest to `budget` polls per source per day, and its
/// result.
pub fn at_budget(replay: &Replay, policy: &Simulated, budget: f64) -> (Simulated, Figures) {
    let run = |knob| replay.run(&policy.with_knob(knob), Phase::All);
    let (knob, figures) = fit(first_knob(policy.kind(), budget), budget, run);
    (policy.with_knob(knob), figures)
}

/// The knob with which `run` comes nearest to `budget` polls per source per day, and its result. A
/// higher one means fewer polls: the knob is bracketed, and the next try interpolates between the
/// nearest ones on both sides, on logarithmic scales.
pub fn fit(guess: f64, budget: f64, run: impl Fn(f64) -> Figures) -> (f64, Figures) {
    let mut knob = guess.ln();
    let mut best: Option<(f64, f64, Figures)> = None;
    // The nearest tries with too many and with too few polls: knob and distance, both logarithmic.
    let (mut many, mut few): (Option<Try>, Option<Try>) = (None, None);
    for tried in 1..=TRIES {
        let figures = run(knob.exp());
        let off = (figures.polls_per_source_day.max(1e-9) / budget).ln();
        if best.as_ref().is_none_or(|(least, ..)| off.abs() < least.abs()) {
            best = Some((off, knob.exp(), figures));
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
    best.map_or_else(|| (guess, run(guess)), |(_, knob, figures)| (knob, figures))
}
