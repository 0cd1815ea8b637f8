//! The policy that learns how often, and at which hours, a source publishes, and polls when that
//! saves the most waiting.
//!
//! The rate of a source is a mixture of five exponentially weighted averages, with time constants from half
//! an hour to 40 days. The source's weekly habits are removed from them, and they are corrected for how long
//! the source has been known. The price of a poll is in item-seconds: a poll is worth it if the items
//! expected by then would have waited that long in total. A forecast is searched for the sequence of polls
//! with the lowest sum of waiting and price.

mod outlook;
mod profile;
mod state;

use self::outlook::Outlook;
use self::profile::Profile;
pub use self::profile::Week;
use self::state::State;
use super::{Policy, seconds};
use crate::model::Time;
use std::time::Duration;

/// Time constants of the five averages, in seconds.
const TAU: [f64; 5] = [0.5 * 3600.0, 3.0 * 3600.0, 86_400.0, 7.0 * 86_400.0, 40.0 * 86_400.0];
/// Weights of the averages in the rate. They need not add up to 1, because only their proportions and the
/// price matter.
const WEIGHTS: [f64; 5] = [0.08, 0.16, 0.33, 0.08, 4.0];

/// Factors for the weights of the first three averages, because sources differ in whether a burst continues.
/// The mean of these factors, weighted by how well each has predicted the items of the source, is used.
const EMPHASES: [f64; 3] = [0.2, 1.0, 5.0];
/// Number of averages to which these factors apply.
const SHORT: usize = 3;
/// Maximum number of items per poll that are scored.
const MAX_SCORED: usize = 100;
/// The share of a score that remains after each poll; half of it is forgotten in 140 polls.
const REMEMBERED: f64 = 0.995;

/// Number of items that must be expected within an interval to warrant a poll. Requiring more than one item
/// in ten polls makes busy sources wait.
const WARRANTED: f64 = 0.1;
/// Minimum number of items for a reliable mean gap.
const ENOUGH: u32 = 5;

/// Parameters of [`Learned`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LearnedParameters {
    /// The price of a poll, in item-seconds of waiting; see [`super::price_for`].
    pub price: f64,
    /// How much more this source matters than others; with 4, it is polled twice as often.
    pub weight: f64,
    /// How strongly the price grows with the rate of a source (b), 0-1: 0 minimises the mean delay
    /// over items, 1 the mean over sources.
    pub exponent: f64,
    /// Number of expected but missing items after which a source is considered silent (c); 0 disables this.
    pub silence: f64,
    /// Mean time between items that is assumed for an unknown source.
    pub gap: Duration,
    pub least: Duration,
    pub most: Duration,
    /// Hours in which the feed asks not to be polled.
    pub closed: Week,
}

impl Default for LearnedParameters {
    fn default() -> Self {
        Self {
            price: super::price_for(12.0),
            weight: 1.0,
            exponent: 0.25,
            silence: 8.0,
            gap: Duration::from_secs(51_840),
            least: Duration::from_secs(300),
            most: Duration::from_secs(24 * 3600),
            closed: Week::default(),
        }
    }
}

/// Minimum saving of a poll that is worth its price, in item-seconds of waiting, for a source with this rate.
/// Internal rates and prices are multiplied by the sum of the weights, so the result is divided by it.
pub fn least_saving(price: f64, items_per_day: f64, exponent: f64) -> f64 {
    price * items_per_day.powf(exponent) / WEIGHTS.iter().sum::<f64>()
}

/// See the documentation of the module.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    parameters: LearnedParameters,
    state: State,
}

impl Learned {
    /// Restores a saved state; an empty or damaged state gives the initial one.
    pub fn load(saved: &[u8], parameters: LearnedParameters) -> Self {
        let state = State::load(saved).unwrap_or_default();
        Self { parameters, state }
    }

    /// Changes the price of a poll.
    pub fn set_price(&mut self, price: f64) {
        self.parameters.price = price;
    }

    /// Sets how many entries the feed lists at once: an item is missed once `entries` newer ones have been
    /// published.
    pub fn set_window(&mut self, entries: u32) {
        self.state.window = entries.clamp(10, 10_000);
    }

    /// How many entries the feed lists at once.
    pub fn window(&self) -> usize {
        self.state.window as usize
    }

    /// Items per day expected in the long run, at `now`. Lower for a source that has fallen
    /// silent.
    pub fn rate(&self, now: Time) -> f64 {
        self.outlook(now).long_rate() * seconds::DAY
    }

    /// Items per day expected right now, including weekly habits.
    pub fn rate_now(&self, now: Time) -> f64 {
        self.outlook(now).rate_at(seconds::of(now)) * seconds::DAY
    }

    /// Whether enough items are expected in the time `within` after `now` to warrant a poll.
    pub fn warrants(&self, now: Time, within: Duration) -> bool {
        self.expected(now, within) >= WARRANTED
    }

    /// Number of items expected in the time `within` after `now`.
    pub fn expected(&self, now: Time, within: Duration) -> f64 {
        self.outlook(now).expected(seconds::of(now), within.as_secs_f64())
    }

    /// The mean time between items, once five have been observed.
    pub fn gap(&self, now: Time) -> Option<Duration> {
        let gap = || Duration::try_from_secs_f64(1.0 / self.outlook(now).long_rate()).ok();
        if self.state.items < ENOUGH { None } else { gap() }
    }

    /// Items observed so far.
    pub fn items(&self) -> u32 {
        self.state.items
    }

    /// The publishing rate in each hour of the week, UTC, starting on Monday, relative to the mean,
    /// which is 1.
    pub fn week(&self) -> [f64; 168] {
        let profile = self.profile();
        std::array::from_fn(|hour| profile.at_hour(hour))
    }

    /// Waiting, in item-seconds, of the items expected between the last poll and `now`.
    pub fn waiting(&self, now: Time) -> f64 {
        let until = seconds::of(now);
        let Some(from) = self.state.latest_poll.filter(|from| *from < until) else { return 0.0 };
        self.outlook_at(from).waiting(from, until - from)
    }

    fn profile(&self) -> Profile {
        Profile::new(&self.state, self.parameters.closed)
    }

    fn outlook(&self, now: Time) -> Outlook {
        self.outlook_at(seconds::of(now))
    }

    fn outlook_at(&self, at: f64) -> Outlook {
        let LearnedParameters { silence, gap, .. } = self.parameters;
        let gap = self.state.gap.unwrap_or(gap.as_secs_f64());
        let levels = self.state.levels(at, gap, silence);
        Outlook { levels, weights: weights(self.emphasis()), profile: self.profile() }
    }

    fn emphasis(&self) -> f64 {
        let best = self.state.scores.into_iter().fold(f64::MIN, f64::max);
        let shares = self.state.scores.map(|score| (score - best).exp());
        let sum = shares.iter().zip(EMPHASES).map(|(share, emphasis)| share * emphasis);
        sum.sum::<f64>() / shares.iter().sum::<f64>()
    }

    /// Scores the emphases by the number of items since the last poll: `s = 0.995 s + k ln x - x`,
    /// where `x` are the items expected and `k` those found, as in a Poisson process.
    fn score(&mut self, found: usize, now: f64) {
        let Some(last) = self.state.latest_poll.filter(|last| *last < now) else { return };
        let mut outlook = self.outlook_at(last);
        for (score, emphasis) in self.state.scores.iter_mut().zip(EMPHASES) {
            outlook.weights = weights(emphasis);
            let expected = outlook.expected(last, now - last).max(1e-9);
            let next = REMEMBERED * *score + found as f64 * expected.ln() - expected;
            // The value is not finite after a damaged state or a jump of the clock.
            *score = if next.is_finite() { next } else { 0.0 };
        }
    }
}

/// Weights of the averages, with the short ones multiplied by `emphasis`.
fn weights(emphasis: f64) -> [f64; 5] {
    let mut weights = WEIGHTS;
    weights[..SHORT].iter_mut().for_each(|weight| *weight *= emphasis);
    weights
}

impl Policy for Learned {
    fn observe(&mut self, items: &[Option<Time>], now: Time) {
        let gap = self.parameters.gap.as_secs_f64();
        self.state.gap.get_or_insert(gap);
        // A feed that lists all of its items again shows nothing about bursts.
        self.score(items.len().min(MAX_SCORED), seconds::of(now));
        let dated: Vec<Option<f64>> = items.iter().map(|t| t.map(seconds::of)).collect();
        self.state.observe(&dated, seconds::of(now), self.parameters.closed);
    }

    fn plan(&self, now: Time) -> Time {
        let wait = outlook::plan(
            &self.outlook(now),
            seconds::of(now),
            f64::from(self.state.window),
            &self.parameters,
        );
        seconds::later(now, wait)
    }

    fn save(&self) -> Vec<u8> {
        self.state.save()
    }
}

#[cfg(test)]
mod known_answers;

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> Time {
        Time::from_timestamp(1_700_000_000 + minutes * 60, 0).unwrap()
    }

    /// Twenty days with a poll every half hour.
    fn learned(is_published: impl Fn(i64) -> bool) -> Learned {
        let mut policy = Learned::load(&[], LearnedParameters::default());
        for poll in 0..960 {
            let item = is_published(poll).then(|| Some(at(poll * 30 - 5)));
            policy.observe(item.as_slice(), at(poll * 30));
        }
        policy
    }

    #[test]
    fn learns_whether_bursts_continue() {
        // 6 items a day: one every four hours, or all in three hours that move through the day.
        let regular = learned(|poll| poll % 8 == 0);
        let bursts = learned(|poll| (poll / 48 * 7 + poll) % 48 < 6);
        assert!(regular.emphasis() < 1.0, "{}", regular.emphasis());
        assert!(bursts.emphasis() > 2.0, "{}", bursts.emphasis());
        let fresh = Learned::load(&[], LearnedParameters::default());
        assert!((fresh.emphasis() - EMPHASES.iter().sum::<f64>() / 3.0).abs() < 1e-9);
    }

    #[test]
    fn loads_states_of_earlier_versions() {
        let policy = learned(|poll| poll % 8 == 0);
        let saved = policy.save();
        let mut old = saved[..saved.len() - 8 * EMPHASES.len()].to_vec();
        old[0] = 1;
        let mut loaded = Learned::load(&old, LearnedParameters::default());
        assert_eq!(loaded.state.scores, [0.0; 3]);
        loaded.state.scores = policy.state.scores;
        assert_eq!(loaded, policy);
    }
}
