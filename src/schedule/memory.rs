//! What is remembered of one source, whichever policy holds: changing the policy forgets nothing.

use super::bytes::{Reader, Writer};
use super::price::OwnBudget;
use super::{
    AdvaRss, AdvaRssParameters, ChangeRate, ChangeRateParameters, Fixed, Learned,
    LearnedParameters, Policy,
};
use crate::model::{PolicyKind, Time};
use std::time::Duration;

/// First byte of what is saved.
const FORMAT: u8 = 1;

/// Everything that is set for one source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setup {
    /// The policy that decides.
    pub policy: PolicyKind,
    /// Of the policy fixed.
    pub interval: Duration,
    /// Of the policy change-rate.
    pub change_rate: ChangeRateParameters,
    /// Of the policy advaRSS.
    pub advarss: AdvaRssParameters,
    /// Of the policy learned; its price is the one that sources share.
    pub learned: LearnedParameters,
    /// Looks per day that the source gets for itself, at a price of its own.
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
    /// From what was saved; nothing, or what is damaged, begins again.
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

    /// What [`Memory::load`] takes: less than 400 bytes.
    pub fn save(&self) -> Vec<u8> {
        let own = self.own.as_ref().map(OwnBudget::save).unwrap_or_default();
        let mut to = Writer::default();
        to.byte(FORMAT);
        for section in [self.change_rate.save(), self.advarss.save(), self.learned.save(), own] {
            to.section(&section);
        }
        to.0
    }

    /// A look at `now` succeeded and brought these new items; see [`Policy::observe`].
    pub fn observe(&mut self, items: &[Option<Time>], now: Time) {
        self.change_rate.observe(items, now);
        self.advarss.observe(items, now);
        self.learned.observe(items, now);
    }

    /// The same for a poll that a user took long before it was planned. That there was nothing yet
    /// says little to policies that count looks instead of the time between them.
    pub fn observe_early(&mut self, items: &[Option<Time>], now: Time) {
        self.learned.observe(items, now);
    }

    /// How many entries the feed shows.
    pub fn set_window(&mut self, entries: u32) {
        self.learned.set_window(entries);
    }

    /// An automatic poll was taken, whatever came of it: it counts for a budget of the source's own.
    pub fn count_poll(&mut self, now: Time) {
        if let (Some(own), Some(budget)) = (&mut self.own, self.setup.own_budget) {
            own.count(now, budget);
            self.learned.set_price(own.price());
        }
    }

    /// When the policy that decides wants to look next.
    pub fn plan(&self, now: Time) -> Time {
        match self.setup.policy {
            PolicyKind::Fixed => Fixed::new(self.setup.interval).plan(now),
            PolicyKind::ChangeRate => self.change_rate.plan(now),
            PolicyKind::Advarss => self.advarss.plan(now),
            PolicyKind::Learned => self.learned.plan(now),
        }
    }

    /// What is known of the source's rate and habits; kept whichever policy decides.
    pub fn learned(&self) -> &Learned {
        &self.learned
    }

    /// What a look at this source costs, in item-seconds of waiting.
    pub fn price(&self) -> f64 {
        self.own.as_ref().map_or(self.setup.learned.price, OwnBudget::price)
    }

    /// The policy that decides.
    pub fn policy(&self) -> PolicyKind {
        self.setup.policy
    }
}

/// Whether a poll that succeeded has taught anything that was saved here.
pub fn is_learned(saved: &[u8]) -> bool {
    sections(saved).is_some_and(|[_, _, learned, _]| !learned.is_empty())
}

/// The waiting, in item-seconds, of the items that a source has probably published since the last
/// look, by its saved memory; 0 where nothing is known.
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
    fn changing_the_policy_forgets_nothing() {
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
    fn an_early_look_does_not_distort_what_counts_looks() {
        let mut memory = Memory::load(&[], setup(PolicyKind::ChangeRate));
        memory.observe(&[Some(at(0))], at(0));
        let before = memory.clone();
        for minute in 1..50 {
            memory.observe_early(&[], at(minute));
        }
        assert_eq!((&memory.change_rate, &memory.advarss), (&before.change_rate, &before.advarss));
        assert_ne!(memory.learned, before.learned, "what learns from time has learned");
    }

    #[test]
    fn looks_that_failed_teach_nothing() {
        let mut memory = Memory::load(&[], setup(PolicyKind::Learned));
        memory.count_poll(at(0));
        assert!(!is_learned(&memory.save()) && !is_learned(&[]));
        memory.observe(&[], at(1));
        assert!(is_learned(&memory.save()));
    }

    #[test]
    fn a_budget_of_its_own_is_kept() {
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
    fn more_waits_the_longer_nobody_looks() {
        let mut memory = Memory::load(&[], setup(PolicyKind::Fixed));
        let items: Vec<_> = (0..20).map(|n| Some(at(n * 30 - 600))).collect();
        memory.observe(&items, at(0));
        let saved = memory.save();
        let [one, two, day] = [60, 120, 1440].map(|m| waiting(&saved, at(m)));
        assert!(one > 0.0 && two > 2.0 * one && day > 10.0 * two, "{one} {two} {day}");
        assert_eq!((waiting(&[], at(60)), waiting(&saved, at(-60))), (0.0, 0.0));
    }
}
