//! Stored schedule state of one source, for all policies, so that changing the policy loses nothing.

use super::bytes::{Reader, Writer};
use super::price::OwnBudget;
use super::{
    AdvaRss, AdvaRssParameters, ChangeRate, ChangeRateParameters, Fixed, Learned,
    LearnedParameters, Policy,
};
use crate::model::{PolicyKind, Time};
use std::time::Duration;

/// First byte of the saved state.
const FORMAT: u8 = 1;

/// Parameters of all policies for one source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setup {
    /// The active policy.
    pub policy: PolicyKind,
    /// For the policy `fixed`.
    pub interval: Duration,
    /// For the policy `change-rate`.
    pub change_rate: ChangeRateParameters,
    /// For the policy `advarss`.
    pub advarss: AdvaRssParameters,
    /// For the policy `learned`; its price is shared by all sources.
    pub learned: LearnedParameters,
    /// The source's own budget in polls per day, for which it has its own price.
    pub own_budget: Option<f64>,
}

/// The states of all policies for one source.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    setup: Setup,
    change_rate: ChangeRate,
    advarss: AdvaRss,
    learned: Learned,
    own: Option<OwnBudget>,
}

impl Memory {
    /// Restores a saved state; an empty or damaged state gives the initial one.
    pub fn load(saved: &[u8], setup: Setup) -> Self {
        let [change_rate, advarss, learned, own] = sections(saved).unwrap_or_default();
        let mut memory = Self {
            setup,
            change_rate: ChangeRate::load(change_rate, setup.change_rate),
            advarss: AdvaRss::load(advarss, setup.advarss),
            learned: Learned::load(learned, setup.learned),
            own: None,
        };
        if let Some(budget) = setup.own_budget {
            let own = OwnBudget::load(own, budget);
            memory.learned.set_price(own.price());
            memory.own = Some(own);
        }
        memory
    }

    /// The state in the format of [`Memory::load`], less than 400 bytes.
    pub fn save(&self) -> Vec<u8> {
        let own = self.own.as_ref().map(OwnBudget::save).unwrap_or_default();
        let mut to = Writer::default();
        to.byte(FORMAT);
        for section in [self.change_rate.save(), self.advarss.save(), self.learned.save(), own] {
            to.section(&section);
        }
        to.0
    }

    /// Records a successful poll at `now` with these new items; see [`Policy::observe`].
    pub fn observe(&mut self, items: &[Option<Time>], now: Time) {
        self.change_rate.observe(items, now);
        self.advarss.observe(items, now);
        self.learned.observe(items, now);
    }

    /// Like [`Self::observe`], for a manual refresh long before the next poll is due. A result without new
    /// items means little to policies that count polls instead of time.
    pub fn observe_early(&mut self, items: &[Option<Time>], now: Time) {
        self.learned.observe(items, now);
    }

    /// Sets how many entries the feed lists.
    pub fn set_window(&mut self, entries: u32) {
        self.learned.set_window(entries);
    }

    /// Counts an automatic poll, whatever its result, towards the source's own budget.
    pub fn count_poll(&mut self, now: Time) {
        if let (Some(own), Some(budget)) = (&mut self.own, self.setup.own_budget) {
            own.count(now, budget);
            self.learned.set_price(own.price());
        }
    }

    /// When the active policy wants to poll next.
    pub fn plan(&self, now: Time) -> Time {
        match self.setup.policy {
            PolicyKind::Fixed => Fixed::new(self.setup.interval).plan(now),
            PolicyKind::ChangeRate => self.change_rate.plan(now),
            PolicyKind::Advarss => self.advarss.plan(now),
            PolicyKind::Learned => self.learned.plan(now),
        }
    }

    /// What was learned about the source's rate and habits, independent of the active policy.
    pub fn learned(&self) -> &Learned {
        &self.learned
    }

    /// The price of polling this source once, in item-seconds of waiting.
    pub fn price(&self) -> f64 {
        self.own.as_ref().map_or(self.setup.learned.price, OwnBudget::price)
    }

    /// The active policy.
    pub fn policy(&self) -> PolicyKind {
        self.setup.policy
    }
}

/// Whether a saved state contains anything from a successful poll.
pub fn is_learned(saved: &[u8]) -> bool {
    sections(saved).is_some_and(|[_, _, learned, _]| !learned.is_empty())
}

/// Waiting, in item-seconds, of the items that a source has probably published since the last
/// poll, from its saved state; 0 if nothing is known.
pub fn waiting(saved: &[u8], now: Time) -> f64 {
    let [_, _, learned, _] = sections(saved).unwrap_or_default();
    Learned::load(learned, LearnedParameters::default()).waiting(now)
}

fn sections(saved: &[u8]) -> Option<[&[u8]; 4]> {
    let mut from = Reader(saved);
    if from.byte()? != FORMAT {
        return None;
    }
    Some([from.section()?, from.section()?, from.section()?, from.section()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(policy: PolicyKind) -> Setup {
        Setup {
            policy,
            interval: Duration::from_secs(3600),
            change_rate: ChangeRateParameters::default(),
            advarss: AdvaRssParameters::default(),
            learned: LearnedParameters::default(),
            own_budget: None,
        }
    }

    fn at(minutes: i64) -> Time {
        Time::from_timestamp(1_700_000_000 + minutes * 60, 0).unwrap()
    }

    #[test]
    fn changing_the_policy_loses_nothing() {
        let mut straight = Memory::load(&[], setup(PolicyKind::Learned));
        let mut saved = Vec::new();
        for hour in 0..100 {
            let kind = PolicyKind::ALL[hour as usize % 4];
            let items = [Some(at(hour * 60 - 7)), None];
            let mut changing = Memory::load(&saved, setup(kind));
            for memory in [&mut straight, &mut changing] {
                memory.observe(&items[..hour as usize % 3], at(hour * 60));
            }
            saved = changing.save();
            assert!(saved.len() < 400, "{}", saved.len());
        }
        let changed = Memory::load(&saved, setup(PolicyKind::Learned));
        assert_eq!(changed, straight);
        for kind in PolicyKind::ALL {
            let plans =
                [&saved, &straight.save()].map(|s| Memory::load(s, setup(kind)).plan(at(0)));
            assert_eq!(plans[0], plans[1]);
        }
    }

    #[test]
    fn the_active_policy_plans_the_next_poll() {
        let usual = LearnedParameters::default();
        for (kind, minutes) in
            [(PolicyKind::Fixed, 60), (PolicyKind::ChangeRate, 60), (PolicyKind::Advarss, 32)]
        {
            let memory = Memory::load(&[], setup(kind));
            assert_eq!((memory.policy(), memory.plan(at(0))), (kind, at(minutes)));
            assert_eq!(memory.price(), usual.price);
        }
        let memory = Memory::load(&[], setup(PolicyKind::Learned));
        assert_eq!(memory.policy(), PolicyKind::Learned);
        assert_eq!(memory.plan(at(0)), memory.learned().plan(at(0)));
        let own = Setup { own_budget: Some(6.0), ..setup(PolicyKind::Learned) };
        assert_eq!(Memory::load(&[], own).price(), super::super::price_for(6.0));
    }

    #[test]
    fn early_poll_does_not_distort_policies_that_count_polls() {
        let mut memory = Memory::load(&[], setup(PolicyKind::ChangeRate));
        memory.observe(&[Some(at(0))], at(0));
        let before = memory.clone();
        for minute in 1..50 {
            memory.observe_early(&[], at(minute));
        }
        assert_eq!((&memory.change_rate, &memory.advarss), (&before.change_rate, &before.advarss));
        assert_ne!(memory.learned, before.learned, "policies that learn from time have learned");
    }

    #[test]
    fn failed_polls_change_no_learned_state() {
        let mut memory = Memory::load(&[], setup(PolicyKind::Learned));
        memory.count_poll(at(0));
        assert!(!is_learned(&memory.save()) && !is_learned(&[]));
        memory.observe(&[], at(1));
        assert!(is_learned(&memory.save()));
    }

    #[test]
    fn keeps_a_source_within_its_own_budget() {
        // One item an hour, and 6 polls a day where the shared price would give far more.
        let setup = Setup { own_budget: Some(6.0), ..setup(PolicyKind::Learned) };
        let (mut now, mut saved, mut polls) = (at(0), Vec::new(), Vec::new());
        while now < at(60 * 24 * 28) {
            let mut memory = Memory::load(&saved, setup);
            let since = polls.last().copied().unwrap_or(now - chrono::TimeDelta::hours(20));
            let hours = (now - since).num_hours();
            let items: Vec<_> =
                (0..hours).map(|h| Some(since + chrono::TimeDelta::hours(h + 1))).collect();
            memory.observe(&items, now);
            memory.set_window(200);
            memory.count_poll(now);
            saved = memory.save();
            polls.push(now);
            now = memory.plan(now);
        }
        let last_week = polls.iter().filter(|l| **l >= at(60 * 24 * 21)).count() as f64 / 7.0;
        assert!((5.4..=6.6).contains(&last_week), "{last_week}");
    }

    #[test]
    fn waiting_grows_with_time_since_the_last_poll() {
        let mut memory = Memory::load(&[], setup(PolicyKind::Fixed));
        let items: Vec<_> = (0..20).map(|n| Some(at(n * 30 - 600))).collect();
        memory.observe(&items, at(0));
        let saved = memory.save();
        let [one, two, day] = [60, 120, 1440].map(|m| waiting(&saved, at(m)));
        assert!(one > 0.0 && two > 2.0 * one && day > 10.0 * two, "{one} {two} {day}");
        assert_eq!((waiting(&[], at(60)), waiting(&saved, at(-60))), (0.0, 0.0));
    }
}
