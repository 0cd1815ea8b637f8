//! The stored state of a source: 285 bytes.

use super::profile::{FINE, Profile, Week};
use super::{EMPHASES, TAU};
use crate::schedule::bytes::{Reader, Writer};
use crate::schedule::seconds::{self, MINUTE};

/// First byte of a saved state.
const FORMAT: u8 = 2;
/// States of this earlier format have no scores.
const WITHOUT_SCORES: u8 = 1;
/// Typical number of entries in a feed.
const USUAL_WINDOW: u32 = 20;
/// Number of items assumed before the first one has been seen.
const PRIOR_ITEMS: f64 = 1.0;

/// Times are seconds since the epoch, rates are items per second.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct State {
    /// Averages of the rate without weekly habits, as of `at`.
    pub(super) sums: [f64; 5],
    pub(super) at: f64,
    /// Start of what is known about the source: its first item, or the time just before the first poll.
    pub(super) oldest: f64,
    /// The newest item, or the first poll if that is later.
    pub(super) newest: f64,
    /// `None` before the first poll.
    pub(super) latest_poll: Option<f64>,
    /// Mean time between items assumed at the first poll.
    pub(super) gap: Option<f64>,
    pub(super) items: u32,
    pub(super) window: u32,
    pub(super) hours: [u32; 24],
    pub(super) days: [u32; 7],
    pub(super) parts: [u32; FINE],
    /// How well each of [`EMPHASES`] has predicted the items, as log-likelihoods.
    pub(super) scores: [f64; EMPHASES.len()],
}

impl Default for State {
    fn default() -> Self {
        Self {
            sums: [0.0; 5],
            at: 0.0,
            oldest: 0.0,
            newest: 0.0,
            latest_poll: None,
            gap: None,
            items: 0,
            window: USUAL_WINDOW,
            hours: [0; 24],
            days: [0; 7],
            parts: [0; FINE],
            scores: [0.0; EMPHASES.len()],
        }
    }
}

impl State {
    pub(super) fn save(&self) -> Vec<u8> {
        let Some(latest_poll) = self.latest_poll else { return Vec::new() };
        let mut to = Writer::default();
        to.byte(FORMAT);
        let times = [self.at, self.oldest, self.newest, latest_poll, self.gap.unwrap_or(0.0)];
        self.sums.into_iter().chain(times).for_each(|n| to.number(n));
        to.count(self.items);
        to.count(self.window);
        let counts = self.hours.iter().chain(&self.days).chain(&self.parts);
        counts.for_each(|n| to.count(*n));
        self.scores.into_iter().for_each(|n| to.number(n));
        to.0
    }

    /// `None` for anything that [`State::save`] did not write.
    pub(super) fn load(saved: &[u8]) -> Option<Self> {
        let mut from = Reader(saved);
        let format = from.byte().filter(|format| [WITHOUT_SCORES, FORMAT].contains(format))?;
        let sums = from.numbers()?;
        let [at, oldest, newest, latest_poll, gap] = from.numbers()?;
        let state = Self {
            sums,
            at,
            oldest,
            newest,
            latest_poll: Some(latest_poll),
            gap: Some(gap).filter(|gap| *gap > 0.0),
            items: from.count()?,
            window: from.count()?,
            hours: from.counts()?,
            days: from.counts()?,
            parts: from.counts()?,
            scores: if format == FORMAT { from.numbers()? } else { Default::default() },
        };
        Some(state).filter(|s| s.sums.iter().all(|sum| *sum >= 0.0))
    }

    /// Records the new items of a poll, oldest first. Items without a date, or dated before the last
    /// poll, are spread evenly over the time since the last poll; at the first poll they are ignored.
    pub(super) fn observe(&mut self, items: &[Option<f64>], now: f64, closed: Week) {
        if self.at > now + MINUTE {
            self.set_back(self.at - now);
        }
        let Some(last) = self.latest_poll else {
            (self.at, self.oldest, self.newest) = (now, now - 1.0, now);
            self.latest_poll = Some(now);
            let mut dated: Vec<f64> = items.iter().flatten().map(|at| at.min(now)).collect();
            dated.sort_by(f64::total_cmp);
            self.take(&dated, &[], closed);
            self.decay(now);
            return;
        };
        let known = |at: &Option<f64>| at.filter(|at| *at > last).map(|at| at.min(now));
        let mut dated: Vec<f64> = items.iter().filter_map(known).collect();
        dated.sort_by(f64::total_cmp);
        let undated = items.len() - dated.len();
        let gap = (now - last).max(0.0) / undated.max(1) as f64;
        let spread: Vec<f64> = (0..undated).map(|i| last + gap * (i as f64 + 0.5)).collect();
        self.take(&dated, &spread, closed);
        self.decay(now);
        self.latest_poll = Some(now);
    }

    /// Records items in order of time. Only dated items count towards the parts of the hour.
    fn take(&mut self, dated: &[f64], spread: &[f64], closed: Week) {
        if dated.is_empty() && spread.is_empty() {
            return;
        }
        let profile = Profile::new(self, closed);
        let (mut dated, mut spread) = (dated.iter().peekable(), spread.iter().peekable());
        loop {
            let next = match (dated.peek(), spread.peek()) {
                (Some(d), Some(s)) if s < d => spread.next().map(|s| (*s, false)),
                (Some(_), _) => dated.next().map(|d| (*d, true)),
                (None, _) => spread.next().map(|s| (*s, false)),
            };
            let Some((at, is_dated)) = next else { return };
            self.item(at, is_dated, &profile);
        }
    }

    /// `S_j = S_j exp(-(u - t_S) / tau_j) + 1 / (tau_j prof(u))`; the first item only sets the start of the
    /// history.
    fn item(&mut self, at: f64, is_dated: bool, profile: &Profile) {
        if self.items == 0 {
            (self.oldest, self.at) = (at, at);
        } else {
            self.decay(at);
            let worth = 1.0 / profile.step(at);
            for (sum, tau) in self.sums.iter_mut().zip(TAU) {
                *sum += worth / tau;
            }
        }
        self.items = self.items.saturating_add(1);
        self.newest = self.newest.max(at);
        let hour = seconds::hour_of_week(at);
        let count = |to: &mut u32| *to = to.saturating_add(1);
        count(&mut self.hours[hour % 24]);
        count(&mut self.days[hour / 24]);
        if is_dated {
            count(&mut self.parts[seconds::twelfth(at)]);
        }
    }

    fn decay(&mut self, to: f64) {
        let passed = to - self.at;
        if passed > 0.0 {
            for (sum, tau) in self.sums.iter_mut().zip(TAU) {
                *sum *= (-passed / tau).exp();
            }
            self.at = to;
        }
    }

    /// Shifts all times after the clock was set back.
    fn set_back(&mut self, by: f64) {
        for moment in [&mut self.at, &mut self.oldest, &mut self.newest] {
            *moment -= by;
        }
        self.latest_poll = self.latest_poll.map(|at| at - by);
    }

    /// The averages at a time, corrected for how long the source has been known: the missing part
    /// comes from the next longer average, and from the assumption of one item every `gap` seconds.
    /// If `silence` items or more are overdue, the expected rate shrinks accordingly.
    pub(super) fn levels(&self, at: f64, gap: f64, silence: f64) -> [f64; 5] {
        let passed = (at - self.at).max(0.0);
        let mut sums = self.sums;
        for (sum, tau) in sums.iter_mut().zip(TAU) {
            *sum *= (-passed / tau).exp();
        }
        let oldest = if self.latest_poll.is_some() { self.oldest } else { at };
        let age = (at - oldest).max(1.0);
        let seen = |tau: f64| tau * (1.0 - (-age / tau).exp());
        let mut levels = [0.0; 5];
        levels[4] = (sums[4] * TAU[4] + PRIOR_ITEMS) / (seen(TAU[4]) + gap);
        for j in (0..4).rev() {
            levels[j] = if age > 3.0 * TAU[j] {
                sums[j]
            } else {
                let lent = 0.5 * gap;
                (sums[j] * TAU[j] + lent * levels[j + 1]) / (seen(TAU[j]) + lent)
            };
        }
        let newest = if self.latest_poll.is_some() { self.newest } else { at };
        let missing = levels[4] * (at - newest);
        if silence > 0.0 && missing > silence {
            levels.iter_mut().for_each(|level| *level *= silence / missing);
        }
        levels
    }
}
