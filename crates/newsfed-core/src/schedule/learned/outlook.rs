//! Forecast of a source's items after a given time, and the next poll that follows from it.

use super::profile::Profile;
use super::{LearnedParameters, TAU, WEIGHTS};
use crate::schedule::seconds::{AFTER_THE_CLOCK, DAY, HOUR, MINUTE};

/// Below this interval, polls are aligned to multiples of five minutes on the clock.
const FINE_BELOW: f64 = 3.0 * HOUR;
const FINE_SLOT: f64 = 5.0 * MINUTE;
/// Maximum number of slots until the next poll.
const MAX_AHEAD: usize = 48;
/// Maximum number of slots in the forecast.
const MAX_SLOTS: usize = 120;
/// Maximum share of a feed's entries that may be new at a poll, so that none are missed.
const FULL: f64 = 0.8;

/// Expected rates: averages in items per second, and the weekly profile that is applied to them.
#[derive(Debug, Clone)]
pub(super) struct Outlook {
    pub(super) levels: [f64; 5],
    /// The weights of the averages in the rate.
    pub(super) weights: [f64; 5],
    pub(super) profile: Profile,
}

/// Time slots and the items expected in them, as cumulative sums.
struct Slots {
    /// Ends of the slots, in seconds from the start; the first value is 0.
    ends: Vec<f64>,
    items: Vec<f64>,
    /// Cumulative sums of the items weighted by time: the total waiting time until the end of a slot is
    /// `end * items - moments`.
    moments: Vec<f64>,
}

impl Outlook {
    fn mixed(&self, levels: &[f64; 5]) -> f64 {
        levels.iter().zip(self.weights).map(|(level, weight)| level * weight).sum()
    }

    /// The sum of the weights, by which mixed rates must be divided.
    fn excess(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// The long-term rate in items per second.
    pub(super) fn long_rate(&self) -> f64 {
        let [.., week, months] = self.levels;
        let [.., of_week, of_months] = WEIGHTS;
        (of_week * week + of_months * months) / (of_week + of_months) + 1e-12
    }

    /// The rate at the start of the forecast, in items per second. Corrects for weights that add up to more
    /// than 1.
    pub(super) fn rate_at(&self, at: f64) -> f64 {
        self.mixed(&self.levels) / self.excess() * self.profile.smooth(at)
    }

    /// Total waiting of the items expected in the `span` seconds after `from`, until the end of the span.
    pub(super) fn waiting(&self, from: f64, span: f64) -> f64 {
        let slot = span / MAX_AHEAD as f64;
        let slots = self.slots(from, slot, slot, MAX_AHEAD, false);
        slots.waited(0, MAX_AHEAD) / self.excess()
    }

    /// Items expected in the `span` seconds after `from`.
    pub(super) fn expected(&self, from: f64, span: f64) -> f64 {
        let count = 6;
        let slot = span / count as f64;
        let slots = self.slots(from, slot, slot, count, false);
        slots.items[count] / self.excess()
    }

    /// Items expected in `count` slots after `from`. As items arrive or fail to arrive, each average
    /// moves towards the mixture of all: `r_j += (base / W - r_j)(1 - exp(-slot / tau_j))`, where W
    /// is the sum of the weights.
    fn slots(&self, from: f64, first: f64, slot: f64, count: usize, fine: bool) -> Slots {
        let (mut levels, excess) = (self.levels, self.excess());
        let pull = |width: f64| TAU.map(|tau| 1.0 - (-width / tau).exp());
        let (at_first, later) = (pull(first), pull(slot));
        let mut slots = Slots {
            ends: Vec::with_capacity(count + 1),
            items: Vec::with_capacity(count + 1),
            moments: Vec::with_capacity(count + 1),
        };
        let (mut end, mut items, mut moments) = (0.0, 0.0, 0.0);
        slots.push(end, items, moments);
        for i in 0..count {
            let begin = end;
            end = first + i as f64 * slot;
            let (width, middle) = (end - begin, 0.5 * (end + begin));
            let base = self.mixed(&levels);
            let mut habit = self.profile.smooth(from + middle);
            if fine {
                habit *= self.profile.part(from + middle);
            }
            items += habit * base * width;
            moments += habit * base * width * middle;
            slots.push(end, items, moments);
            let pulls = if i == 0 { &at_first } else { &later };
            for (level, pull) in levels.iter_mut().zip(pulls) {
                *level += (base / excess - *level) * pull;
            }
        }
        slots
    }
}

impl Slots {
    fn push(&mut self, end: f64, items: f64, moments: f64) {
        self.ends.push(end);
        self.items.push(items);
        self.moments.push(moments);
    }

    /// Total waiting, until the end of slot `to`, of the items published after the end of slot `from`.
    fn waited(&self, from: usize, to: usize) -> f64 {
        self.ends[to] * (self.items[to] - self.items[from])
            - (self.moments[to] - self.moments[from])
    }

    /// The best slot for the next poll if each poll costs `price` and is at most `ahead` slots after the
    /// previous one: `V_i = min over j of price + waited(i, j) + V_j`.
    fn best(&self, price: f64, ahead: usize) -> usize {
        let last = self.ends.len() - 1;
        let mut costs = vec![0.0; last + 1];
        let mut next = 1;
        for i in (0..last).rev() {
            let mut least = f64::INFINITY;
            let window = costs.iter().enumerate().take((i + ahead).min(last) + 1).skip(i + 1);
            for (j, after) in window {
                let cost = price + self.waited(i, j) + after;
                if cost < least {
                    (least, next) = (cost, j);
                }
            }
            costs[i] = least;
        }
        next
    }

    /// Moves the poll to an earlier time if new items would otherwise no longer fit into the feed's list.
    fn before_overflow(&self, best: usize, window: f64) -> usize {
        let full = |i: usize| self.items[i] + 2.0 * self.items[i].sqrt() > FULL * window;
        (1..=best).find(|i| full(*i)).map_or(best, |i| (i - 1).max(1))
    }
}

/// Seconds from `now` to the next poll.
pub(super) fn plan(
    outlook: &Outlook,
    now: f64,
    window: f64,
    parameters: &LearnedParameters,
) -> f64 {
    let LearnedParameters { price, weight, exponent, .. } = *parameters;
    let (least, most) = (parameters.least.as_secs_f64(), parameters.most.as_secs_f64());
    let rate = outlook.mixed(&outlook.levels) + 1e-12;
    let long = outlook.long_rate();
    let price = price * (long * DAY).powf(exponent) / weight;
    // The optimal interval at a constant rate.
    let usual = (2.0 * price / rate.max(0.3 * long)).sqrt();
    let fine = usual < FINE_BELOW;
    let mut slot = if fine { FINE_SLOT } else { (usual / 6.0).clamp(150.0, HOUR) };
    // At least 1 for any input, because NaN is converted to 0.
    let mut ahead = ((3.0 * usual).max(12.0 * slot).min(most) / slot) as usize + 1;
    if ahead > MAX_AHEAD {
        ahead = MAX_AHEAD;
        if !fine {
            slot = slot.max((3.0 * usual).min(most) / MAX_AHEAD as f64);
        }
    }
    let first = if fine {
        ((now / FINE_SLOT).floor() + 1.0) * FINE_SLOT + AFTER_THE_CLOCK - now
    } else {
        slot
    };
    let count = (2 * ahead).min(MAX_SLOTS);
    let slots = outlook.slots(now, first, slot, count, fine);
    let best = slots.before_overflow(slots.best(price, ahead), window);
    slots.ends[best].max(least).min(most)
}

#[cfg(test)]
mod tests {
    use super::super::profile::Week;
    use super::super::state::State;
    use super::*;

    fn outlook(levels: [f64; 5]) -> Outlook {
        Outlook {
            levels,
            weights: WEIGHTS,
            profile: Profile::new(&State::default(), Week::default()),
        }
    }

    fn near(found: f64, wanted: f64) -> bool {
        (found - wanted).abs() < wanted * 0.01
    }

    #[test]
    fn a_constant_rate_is_expected_to_continue() {
        // One item an hour, which waits half of the span on average.
        let hourly = outlook([1.0 / HOUR; 5]);
        let items = hourly.expected(0.0, 6.0 * HOUR);
        assert!(near(items, 6.0), "{items}");
        let waiting = hourly.waiting(0.0, 2.0 * HOUR);
        assert!(near(waiting / HOUR, 2.0), "{waiting}");
        assert!(near(hourly.rate_at(0.0), 1.0 / HOUR) && near(hourly.long_rate(), 1.0 / HOUR));
    }

    #[test]
    fn a_burst_fades_over_time() {
        let burst = outlook([1.0, 0.0, 0.0, 0.0, 0.0]);
        let in_slot = |first: f64, slot: f64| {
            let slots = burst.slots(0.0, first, slot, 2, false);
            (slots.items[2] - slots.items[1]) / slot
        };
        let (soon, later) = (in_slot(MINUTE, HOUR), in_slot(6.0 * HOUR, HOUR));
        assert!(soon > 0.9 * WEIGHTS[0] && later < 0.7 * WEIGHTS[0], "{soon} {later}");
    }

    #[test]
    fn polls_before_new_items_fill_the_feed() {
        let numbers: Vec<f64> = (0..=100).map(f64::from).collect();
        let slots = Slots { ends: numbers.clone(), items: numbers.clone(), moments: numbers };
        // 64 items and twice their standard deviation of 8 are 80 % of 100.
        let polled = [(90, 100.0), (50, 100.0), (90, 1000.0), (90, 1.0)]
            .map(|(best, window)| slots.before_overflow(best, window));
        assert_eq!(polled, [64, 50, 90, 1]);
    }
}
