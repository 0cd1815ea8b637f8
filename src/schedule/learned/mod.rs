//! The policy that learns how often, and in which hours, a source publishes, and looks where a
//! look saves most waiting.
//!
//! The rate of a source is a mixture of five exponentially weighted averages, from half an hour to
//! 40 days, freed of the source's weekly habits and corrected for how long it is known. A look is
//! worth its price when the items expected by then would have waited for so many item-seconds in
//! all; the order of polls with the least waiting and price is found by looking some way ahead.

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
/// Their weights in the rate. They add up to more than 1, which makes up for averages that begin
/// low; only their relation and the price matter.
const WEIGHTS: [f64; 5] = [0.08, 0.16, 0.33, 0.08, 4.0];

/// Items that must be expected within a time for a poll in it to be warranted. Asking for more than
/// one item in ten looks makes busy sources wait.
const WARRANTED: f64 = 0.1;
/// Items from which a mean gap is believed.
const ENOUGH: u32 = 5;

/// What can be set of [`Learned`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LearnedParameters {
    /// What a poll costs, in item-seconds of waiting; see [`super::price_for`].
    pub price: f64,
    /// How much more this source matters than others; 4 polls twice as often.
    pub weight: f64,
    /// How much the price grows with the rate of a source (b), 0-1: 0 serves the mean over items,
    /// 1 the mean over sources.
    pub exponent: f64,
    /// Items that should have come since the last one, from which a source counts as silent (c);
    /// 0 never.
    pub silence: f64,
    /// Mean time between items of a source that nothing is known of.
    pub gap: Duration,
    /// Shortest interval.
    pub least: Duration,
    /// Longest interval.
    pub most: Duration,
    /// Hours in which the feed does not want to be asked.
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

/// See the module.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    parameters: LearnedParameters,
    state: State,
}

impl Learned {
    /// With the state that was saved; an empty or damaged one begins again.
    pub fn load(saved: &[u8], parameters: LearnedParameters) -> Self {
        let state = State::load(saved).unwrap_or_default();
        Self { parameters, state }
    }

    /// Changes the price of a poll.
    pub fn set_price(&mut self, price: f64) {
        self.parameters.price = price;
    }

    /// How many entries the feed shows at once: what is not fetched before so many newer ones are
    /// out is missed.
    pub fn set_window(&mut self, entries: u32) {
        self.state.window = entries.clamp(10, 10_000);
    }

    /// Items per day that are expected in the long run, at `now`; a source that fell silent
    /// expects fewer.
    pub fn rate(&self, now: Time) -> f64 {
        self.outlook(now).long_rate() * seconds::DAY
    }

    /// Items per day that are expected right now, weekly habits included.
    pub fn rate_now(&self, now: Time) -> f64 {
        self.outlook(now).rate_at(seconds::of(now)) * seconds::DAY
    }

    /// Whether enough is expected in a time from `now` on for a poll sooner than its end.
    pub fn warrants(&self, now: Time, within: Duration) -> bool {
        self.expected(now, within) >= WARRANTED
    }

    /// Items expected in a time from `now` on.
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

    /// How much more than on average is published in each hour of the week, UTC, from Monday on;
    /// the mean is 1.
    pub fn week(&self) -> [f64; 168] {
        let profile = self.profile();
        std::array::from_fn(|hour| profile.at_hour(hour))
    }

    /// The waiting, in item-seconds, of the items expected between the last poll and `now`.
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
        Outlook { levels: self.state.levels(at, gap, silence), profile: self.profile() }
    }
}

impl Policy for Learned {
    fn observe(&mut self, items: &[Option<Time>], now: Time) {
        let gap = self.parameters.gap.as_secs_f64();
        self.state.gap.get_or_insert(gap);
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
