//! When a source is polled next, after a poll and after a change of settings.

use super::context::Context;
use super::setup::{Machine, limits, setup};
use crate::config::{ScheduleSettings, Settings};
use crate::model::{
    DecidingSignal, Moved, PauseReason, Planned, PolicyKind, Source, SourceFacts, Time, stable_hash,
};
use crate::schedule::{self, Memory, PollContext, ResponseFacts, Setup};
use crate::store::StoreError;
use chrono::SubsecRound;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The general settings of schedules.
pub(super) struct Scheduling {
    settings: ScheduleSettings,
    /// Identifies these settings.
    fingerprint: u64,
    /// The last source and its fingerprint. Most sources have no settings of their own, and so share one
    /// fingerprint.
    last: Mutex<Option<(Arc<Source>, u64)>>,
}

impl Scheduling {
    pub(super) fn new(settings: ScheduleSettings) -> Self {
        let fingerprint = stable_hash([format!("{settings:?}").as_str()]);
        Self { settings, fingerprint, last: Mutex::default() }
    }

    /// All settings, and those that schedules use.
    pub(super) fn beside(settings: Settings) -> (Arc<Settings>, Arc<Self>) {
        let schedules = Arc::new(Self::new(settings.schedule.clone()));
        (Arc::new(settings), schedules)
    }

    /// Identifies the settings that a source is planned with.
    fn fingerprint(&self, source: &Arc<Source>) -> u64 {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((other, same)) if has_same_settings(other, source) => *same,
            _ => last.insert((source.clone(), fingerprint(source, self.fingerprint))).1,
        }
    }
}

/// What the polls of a source depend on, besides its responses.
pub(super) struct Planner {
    pub(super) source: Arc<Source>,
    general: Arc<Scheduling>,
    /// Identifies the settings of this source.
    fingerprint: u64,
    /// Price of a poll for the sources that share a budget, in item-seconds.
    pub(super) price: f64,
    pub(super) machine: Machine,
}

impl Planner {
    /// The planner for a source, with the current settings and price.
    pub(super) fn of(context: &Context, source: Arc<Source>) -> Self {
        Self::new(source, context.scheduling(), context.price(), context.machine())
    }

    pub(super) fn new(
        source: Arc<Source>,
        general: Arc<Scheduling>,
        price: f64,
        machine: Machine,
    ) -> Self {
        let fingerprint = general.fingerprint(&source);
        Self { source, general, fingerprint, price, machine }
    }

    pub(super) fn setup(&self, facts: &SourceFacts) -> Setup {
        setup(&self.source, facts, &self.general.settings, self.price)
    }

    /// Decides when to poll next, after a response at `now`.
    pub(super) fn plan(
        &self,
        facts: &mut SourceFacts,
        memory: &Memory,
        mut response: ResponseFacts,
        signal: Option<DecidingSignal>,
        now: Time,
    ) {
        // A source with a fixed interval ignores hints about the interval.
        let fixed = memory.policy() == PolicyKind::Fixed;
        let hint = signal.as_ref().filter(|signal| signal.name.is_hint() && !fixed);
        response.site_hint = hint.map(|signal| Duration::from_secs(signal.after));
        let limits = limits(&self.source, facts, &self.general.settings, memory, self.machine, now);
        let wanted = schedule::jittered(memory.plan(now), now, limits.seed);
        let decision = schedule::decide(&PollContext {
            wanted,
            response,
            fail_count: facts.fail_count,
            interval: (wanted - now).to_std().unwrap_or_default(),
            ..limits
        });
        let fresh_for = response.max_age.or(response.expires).map(|fresh| fresh.as_secs());
        facts.next_poll = Some(decision.next);
        facts.pause = decision.pause;
        facts.planned = Some(Box::new(Planned {
            at: now.trunc_subsecs(0),
            policy: memory.policy(),
            wanted: wanted.trunc_subsecs(0),
            next: decision.next.trunc_subsecs(0),
            moved_by: decision
                .moved_by
                .into_iter()
                .map(|m| Moved { to: m.to.trunc_subsecs(0), ..m })
                .collect(),
            signal,
            fresh_for: fresh_for.or(facts.planned.as_ref().and_then(|planned| planned.fresh_for)),
            settings: Some(self.fingerprint),
        }));
    }

    /// Plans the next poll again with these settings if it was planned with different ones. A back-off after
    /// a failure remains until the next poll.
    pub(super) fn plan_again(&self, facts: &mut SourceFacts) {
        let Some(planned) = facts.planned.clone() else { return };
        // A source without a next poll is due at once, for example because its URL has changed.
        if facts.fail_count > 0
            || facts.next_poll.is_none()
            || !is_outdated(&planned, self.fingerprint)
        {
            return;
        }
        let memory = Memory::load(&facts.schedule, self.setup(facts));
        // The cache headers of the server's last response still apply.
        let fresh = planned.fresh_for.map(Duration::from_secs);
        let response = match planned.moved_by.iter().any(|m| m.reason == PauseReason::Expires) {
            true => ResponseFacts { expires: fresh, ..ResponseFacts::default() },
            false => ResponseFacts { max_age: fresh, ..ResponseFacts::default() },
        };
        let paused = facts.pause;
        self.plan(facts, &memory, response, planned.signal, planned.at);
        // The host may have asked for a longer pause since the last poll.
        if paused.map(|pause| pause.until) > facts.pause.map(|pause| pause.until) {
            facts.pause = paused;
        }
    }
}

/// Whether a plan was made with different settings. A poll without a connection has planned
/// nothing, and plans of earlier versions do not record the settings that they were made with.
fn is_outdated(planned: &Planned, settings: u64) -> bool {
    let offline = |moved: &Moved| moved.reason == PauseReason::Offline;
    planned.settings.is_some_and(|then| then != settings) && !planned.moved_by.iter().any(offline)
}

/// Identifies the general settings together with the settings of a source.
fn fingerprint(source: &Source, general: u64) -> u64 {
    let own = format!("{general} {:?} {:?} {:?}", source.kind(), source.interval, source.schedule);
    stable_hash([own.as_str()])
}

/// Whether two sources have the same [`fingerprint`].
fn has_same_settings(a: &Source, b: &Source) -> bool {
    (a.kind(), a.interval, &a.schedule) == (b.kind(), b.interval, &b.schedule)
}

/// Replans the sources whose settings have changed since they were last planned.
pub(super) async fn plan_changed(
    context: &Arc<Context>,
    facts: &[SourceFacts],
) -> Result<(), StoreError> {
    let general = context.scheduling();
    let (price, machine) = (context.price(), context.machine());
    let changed = facts.iter().filter_map(|facts| {
        let source = context.source(facts.key)?;
        let planned = facts.planned.as_ref()?;
        let outdated = is_outdated(planned, general.fingerprint(&source));
        outdated.then(|| (facts.key, Planner::new(source, general.clone(), price, machine)))
    });
    let planners: HashMap<i64, Planner> = changed.collect();
    if planners.is_empty() {
        return Ok(());
    }
    let keys = planners.keys().copied().collect();
    let plan = move |facts: &mut SourceFacts| {
        if let Some(planner) = planners.get(&facts.key) {
            planner.plan_again(facts);
        }
    };
    context.store.change_all_facts(keys, plan).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Priority, SourceId, SourceRules, SourceSchedule};

    #[test]
    fn sources_with_the_same_settings_share_a_fingerprint() {
        let feed = |n: u32| {
            let url = format!("https://{n}.example/feed").parse().unwrap();
            Source::feed(SourceId(n.to_string()), url)
        };
        let schedule = |schedule| Source { schedule, ..feed(4) };
        let cases = [
            (feed(1), true),
            (Source { title: Some("One".to_owned()), enabled: false, ..feed(2) }, true),
            (Source { interval: Some(Duration::from_secs(60)), ..feed(3) }, false),
            (Source { rules: SourceRules::List, ..feed(3) }, false),
            (
                schedule(SourceSchedule { priority: Some(Priority::High), ..Default::default() }),
                false,
            ),
            (schedule(SourceSchedule { polls_per_day: Some(0.5), ..Default::default() }), false),
        ];
        for (source, same) in cases {
            assert_eq!(has_same_settings(&source, &feed(0)), same, "{source:?}");
            assert_eq!(fingerprint(&source, 1) == fingerprint(&feed(0), 1), same, "{source:?}");
        }
    }
}
