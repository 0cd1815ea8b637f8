//! The arithmetic of replays, on timelines that can be calculated by hand.

use super::budget::{at_budget, first_parameter, fit};
use super::figures::weekly;
use super::*;
use crate::model::{PolicyKind, Time};
use crate::schedule::{Control, Learned, LearnedParameters, Policy};
use std::cell::{Cell, RefCell};
use std::time::Duration;

const DAY: i64 = 86_400;
const HOUR: i64 = 3600;
/// A Monday.
const START: i64 = 20_003 * DAY;

fn at(seconds: i64) -> Time {
    Time::from_timestamp(START + seconds, 0).unwrap()
}

fn timeline(days: i64, items: &[i64]) -> Timeline {
    let items = items.iter().map(|at| START + at).collect();
    Timeline::new(START, START + days * DAY, items).unwrap()
}

/// Polls after fixed waits, and records its input.
struct Noting<'a> {
    wait: i64,
    seen: &'a RefCell<Vec<(usize, usize, bool)>>,
    price: &'a Cell<f64>,
}

impl Scheduler for Noting<'_> {
    fn polled(&mut self, new: &[Option<Time>], listed: usize, now: Time) -> Time {
        self.seen.borrow_mut().push((new.len(), listed, new.iter().all(Option::is_some)));
        now + chrono::TimeDelta::seconds(self.wait)
    }

    fn set_price(&mut self, price: f64) {
        self.price.set(price);
    }
}

#[test]
fn timelines_contain_the_times_of_their_items() {
    let hours: Vec<i64> = (-30..40).map(|h| h * HOUR).collect();
    let one = timeline(2, &hours);
    assert_eq!((one.starts(), one.ends(), one.days()), (at(0), at(2 * DAY), 2.0));
    assert_eq!((one.shown, one.items.len(), one.published()), (20, 60, 40));
    assert_eq!(one.gaps().collect::<Vec<_>>(), [3600.0; 59]);
    let end = timeline(1, &[DAY - 1, DAY, DAY + 1]);
    assert_eq!(end.published(), 1, "nothing from the end on");
    let years = 20 * 366 * DAY;
    let long = |length: i64| Timeline::new(START, START + length, vec![]).is_ok();
    assert_eq!([0, 1, years, years + 1].map(long), [false, true, true, false]);
}

#[test]
fn aligned_timelines_start_in_the_same_week() {
    for weeks in [0, 1, 300] {
        let shift = weeks * 7 * DAY + 3 * DAY + 5 * HOUR;
        let items = [-HOUR, 0, 10 * HOUR].map(|at| START + shift + at).to_vec();
        let start = START + shift;
        let moved = Timeline::new(start, start + 9 * DAY, items).unwrap().aligned(START as f64);
        let found = [moved.start, moved.end, moved.items[0], moved.items[2]];
        let first = 3 * DAY + 5 * HOUR;
        let want = [first, first + 9 * DAY, first - HOUR, first + 10 * HOUR];
        assert_eq!(found, want.map(|at| (START + at) as f64), "{weeks}");
        assert_eq!((moved.shown, moved.window), (1, WINDOW));
    }
}

#[test]
fn a_scheduler_sees_what_a_document_would_list() {
    // 30 items an hour for three hours; the document lists 20 of them.
    let items: Vec<i64> = (0..90).map(|n| n * 120 + 60).collect();
    let one = timeline(1, &items);
    let (seen, price) = (RefCell::default(), Cell::new(1.0));
    let noting = |wait| Noting { wait, seen: &seen, price: &price };
    let mut source = Replaying::new(&one, noting(HOUR));
    source.set_price(7.0);
    assert_eq!(price.get(), 7.0);
    source.advance(at(2 * HOUR), true);
    assert_eq!(*seen.borrow(), [(0, 0, true), (20, 20, true)]);
    assert_eq!(source.run().polls, [(START as f64, false), ((START + HOUR) as f64, true)]);
    assert_eq!(source.run().items.iter().filter(|(.., missed)| *missed).count(), 10);
    source.advance(at(2 * HOUR + 1), false);
    assert_eq!(seen.borrow()[2..], [(20, 20, false)], "no dates");
    let run = source.finish(true);
    assert_eq!((run.polls.len(), run.items.len()), (24, 90));
    assert_eq!(run.items[0].1, (HOUR - 60) as f64, "its delay");
    let between = [(-1, 0, 1), (0, HOUR, 1), (HOUR, 5 * HOUR, 4), (5, 2, 0), (0, DAY, 23)];
    for (after, until, want) in between {
        assert_eq!(run.polls_between(at(after), at(until)), want, "{after} {until}");
    }
    assert_eq!(run.polls().nth(3), Some(at(3 * HOUR)));
    // The poll at the end is not counted, but picks up the remaining items.
    let late = timeline(1, &[DAY - 60]);
    seen.take();
    let mut source = Replaying::new(&late, noting(DAY));
    source.advance(at(3 * DAY), true);
    assert_eq!(*seen.borrow(), [(0, 0, true), (1, 1, true)]);
    let run = source.finish(true);
    assert_eq!((run.polls.len(), run.items), (1, vec![((START + DAY - 60) as f64, 60.0, false)]));
    let mut source = Replaying::new(&late, noting(0));
    source.advance(at(3), true);
    assert_eq!(source.run().polls.len(), 3, "at least a second apart");
}

fn run(polls: &[(i64, bool)], items: &[(i64, i64, bool)]) -> Run {
    Run {
        polls: polls.iter().map(|(at, found)| ((START + at) as f64, *found)).collect(),
        items: items.iter().map(|(at, d, m)| ((START + at) as f64, *d as f64, *m)).collect(),
    }
}

#[test]
fn figures_are_means_and_quantiles_of_the_delays() {
    // Delays in minutes: 10, 20, 30 and 40 in the first source, 100 in the second.
    let items: Vec<_> = (1..=4).map(|n| (n * HOUR, n * 600, n == 4)).collect();
    let runs = [
        run(&[(0, false), (HOUR, true), (2 * HOUR, true), (3 * HOUR, true)], &items),
        run(&[(DAY, true)], &[(DAY + 5, 6000, true)]),
        run(&[], &[]),
    ];
    let timelines = [timeline(2, &[]), timeline(2, &[]), timeline(1, &[])];
    let all = figures(&timelines, &runs, Phase::All);
    let want = Figures {
        sources: 3,
        items: 5,
        polls_per_source_day: 1.0,
        mean_delay_min: 40.0,
        median_delay_min: 30.0,
        // 0.6 of the way from the fourth to the fifth value.
        p90_delay_min: 76.0,
        per_source_mean_min: 62.5,
        within_30_min: 0.6,
        missed: 0.4,
        wasted: 0.2,
    };
    for (found, want) in [(all.p90_delay_min, want.p90_delay_min), (all.wasted, want.wasted)] {
        assert!((found - want).abs() < 1e-9, "{found} {want}");
    }
    assert_eq!(Figures { p90_delay_min: want.p90_delay_min, wasted: want.wasted, ..all }, want);
    let first = figures(&timelines, &runs, Phase::Day1);
    assert_eq!((first.items, first.polls_per_source_day, first.missed), (4, 4.0 / 3.0, 0.25));
    assert_eq!((first.mean_delay_min, first.median_delay_min), (25.0, 25.0));
    assert_eq!(figures::<Timeline>(&[], &[], Phase::All), Figures::default());
}

#[test]
fn a_source_is_warm_after_two_weeks() {
    let long = [timeline(18, &[])];
    let polls: Vec<_> = (0..36).map(|n| (n * DAY / 2, n % 2 == 0)).collect();
    let runs = [run(&polls, &[(13 * DAY, 60, false), (14 * DAY, 120, false)])];
    let warm = figures(&long, &runs, Phase::Warm);
    assert_eq!((warm.items, warm.mean_delay_min), (1, 2.0));
    assert_eq!((warm.polls_per_source_day, warm.wasted), (2.0, 0.5));
    // If a timeline is shorter than two weeks, only items after its end are in the warm phase.
    let short =
        figures(&[timeline(3, &[])], &[run(&polls[..6], &[(2 * DAY, 1, false)])], Phase::Warm);
    assert_eq!((short.items, short.polls_per_source_day), (0, 0.0));
    let after = figures(&[timeline(3, &[])], &[run(&[], &[(4 * DAY, 60, false)])], Phase::Warm);
    assert_eq!(after.items, 1);
}

#[test]
fn weeks_count_while_most_sources_are_followed() {
    // Three sources for 20 days, and one for 60, with a poll every 12 hours.
    let timelines: Vec<Timeline> = [20, 20, 20, 60].map(|days| timeline(days, &[])).into();
    let each =
        |days: i64| run(&(0..2 * days).map(|n| (n * DAY / 2, true)).collect::<Vec<_>>(), &[]);
    let runs: Vec<Run> = [20, 20, 20, 60].map(each).into();
    // In the third week, three sources are followed for six days.
    assert_eq!(weekly(&timelines, &runs, START as f64), [2.0; 3]);
    assert_eq!(weeks(&timelines, &runs), [2.0; 3]);
    // If the first week starts two days earlier, it contains five days of each source.
    let early = weekly(&timelines, &runs[..2], (START - 2 * DAY) as f64);
    assert_eq!(early, [20.0 / 20.0, 28.0 / 28.0, 28.0 / 28.0]);
    assert_eq!(weekly::<Timeline>(&[], &[], 0.0), [0.0; 0]);
    // A week with only half of the days of the fullest week is not counted.
    let half: Vec<Timeline> = [7, 14].map(|days| timeline(days, &[])).into();
    assert_eq!(weekly(&half, &[each(7), each(14)], START as f64), [2.0]);
}

#[test]
fn budget_search_starts_near_the_usual_setting() {
    for (policy, at_12, at_24) in [
        (PolicyKind::Fixed, 7200.0, 3600.0),
        (PolicyKind::ChangeRate, 0.12, 0.06),
        (PolicyKind::Advarss, 460.0, 230.0),
        (PolicyKind::Learned, 700.0, 175.0),
    ] {
        assert_eq!([12.0, 24.0].map(|budget| first_parameter(policy, budget)), [at_12, at_24]);
    }
    let replay = Replay::new(vec![timeline(10, &[HOUR, 5 * DAY])]);
    let start = Simulated::Fixed(Duration::from_secs(60));
    let (found, figures) = at_budget(&replay, &start, 24.0);
    assert_eq!(
        (found, figures.polls_per_source_day),
        (Simulated::Fixed(Duration::from_secs(3600)), 24.0)
    );
}

/// Figures with `count` polls.
fn polls(count: f64) -> Figures {
    Figures { polls_per_source_day: count, ..Figures::default() }
}

#[test]
fn finds_a_budget_in_few_replays() {
    // The number of polls is a power of the parameter, and 10 for the parameter 1. Each case has the first
    // parameter, the exponent, and the maximum number of replays.
    for (first, exponent, most) in [
        (1.0, 1.0, 1),
        (1.004, 1.0, 1),
        (2.0, 1.0, 4),
        (0.5, 1.0, 4),
        (40.0, 1.0, 6),
        (3.0, 0.5, 5),
        (0.2, 2.0, 4),
        (1e-3, 1.0, 9),
    ] {
        let tried = RefCell::new(Vec::new());
        let (parameter, figures) = fit(first, 10.0, |parameter| {
            tried.borrow_mut().push(parameter);
            polls(10.0 * parameter.powf(-exponent))
        });
        let off = (figures.polls_per_source_day / 10.0).ln().abs();
        assert!(
            off < 0.005 && (parameter.ln() * exponent).abs() < 0.005,
            "{first} {exponent}: {parameter}"
        );
        let tried = tried.into_inner();
        assert!(tried.len() <= most, "{first} {exponent}: {tried:?}");
        assert!((tried[0] / first - 1.0).abs() < 1e-9 && tried.contains(&parameter));
    }
}

#[test]
fn falls_back_to_the_nearest_setting() {
    // The number of polls jumps over the budget: 30 below the parameter 2, and 6 from there on.
    let (parameter, nearest) =
        fit(0.7, 10.0, |parameter| polls(if parameter < 2.0 { 30.0 } else { 6.0 }));
    assert!(parameter >= 2.0 && nearest.polls_per_source_day == 6.0, "{parameter}");
    // Among equally good parameters, the first one is used. The number of polls is always above the budget
    // here, and always below it in the next case.
    let (parameter, _) = fit(5.0, 10.0, |_| polls(40.0));
    assert!((parameter - 5.0).abs() < 1e-9, "{parameter}");
    let tries = RefCell::new(0);
    let (_, none) = fit(5.0, 10.0, |_| {
        *tries.borrow_mut() += 1;
        polls(0.0)
    });
    assert_eq!((none.polls_per_source_day, tries.into_inner()), (0.0, 14));
}

#[test]
fn fixed_policy_keeps_its_figures_after_a_change() {
    let hourly = Simulated::Fixed(Duration::from_secs(3600));
    let jump = changed(RateChange::Jump, &hourly, 20, 3);
    let silence = changed(RateChange::Silence, &hourly, 20, 3);
    for found in [&jump, &silence] {
        let polls = [
            found.polls_before,
            found.polls_day_0,
            found.polls_day_1,
            found.polls_day_2,
            found.polls_day_4,
            found.polls_day_7,
            found.polls_day_14,
            found.polls_day_40,
        ];
        assert_eq!(polls, [24.0; 8]);
    }
    let before = [jump.delay_before_min, silence.delay_before_min];
    let after = [jump.delay_day_0_min, jump.delay_day_1_min, jump.delay_day_2_min];
    let later = [jump.delay_days_4_to_7_min, jump.delay_end_min];
    for delay in before.iter().chain(&after).chain(&later) {
        assert!((25.0..35.0).contains(delay), "{delay}: {jump:?}");
    }
    let none = [silence.delay_day_0_min, silence.delay_day_1_min, silence.delay_end_min];
    assert_eq!(none, [0.0; 3]);
}

#[test]
fn synthetic_sources_publish_at_their_rates() {
    let mut random = fastrand::Rng::with_seed(1);
    for (before, after) in [(2.0, 20.0), (20.0, 0.0), (5.0, 5.0)] {
        for _ in 0..5 {
            let one = super::synthetic::timeline(before, after, &mut random);
            assert_eq!((one.shown, one.window, one.days()), (20, 20, 84.0));
            let change = one.start + 42.0 * DAY as f64;
            assert!(one.items.is_sorted() && one.items.iter().all(|at| *at < one.end));
            let listed = one.items.iter().filter(|at| **at < one.start).count();
            let early = one.items.iter().filter(|at| **at >= one.start && **at < change).count();
            let late = one.items.len() - listed - early;
            assert_eq!(listed, 20);
            // A tolerance of at least five standard deviations.
            let near = |count: usize, rate: f64| {
                let mean = 42.0 * rate;
                (count as f64 - mean).abs() <= 5.0 * mean.sqrt()
            };
            assert!(near(early, before) && near(late, after), "{before} {after}: {early} {late}");
            let oldest = (one.start - one.items[0]) / DAY as f64;
            assert!(oldest <= 20.0 / before && oldest > 10.0 / before, "{before}: {oldest}");
            // A Monday at midnight.
            assert_eq!(change.rem_euclid(7.0 * DAY as f64), 4.0 * DAY as f64);
        }
    }
}

/// The learned policy as a scheduler.
struct Alone(Learned);

impl Scheduler for Alone {
    fn polled(&mut self, new: &[Option<Time>], _listed: usize, now: Time) -> Time {
        self.0.observe(new, now);
        self.0.plan(now)
    }

    fn set_price(&mut self, price: f64) {
        self.0.set_price(price);
    }
}

#[test]
fn a_shared_price_is_corrected_once_a_day() {
    // Two sources for 20 days, one for 6, at different times; an item every three hours.
    let source = |n: i64, days: i64| {
        let start = START + 7 * DAY * n + n * DAY;
        let items = (-20..days * 8).map(|i| start + i * 3 * HOUR + 7 * n).collect();
        Timeline::new(start, start + days * DAY, items).unwrap()
    };
    let timelines = vec![source(0, 20), source(1, 20), source(2, 6)];
    let parameters = LearnedParameters { price: 5000.0, ..LearnedParameters::default() };
    let replay = Replay::new(timelines.clone());
    let found = replay.controlled(parameters, 6.0, Phase::All);
    // The same replay, day by day.
    let aligned: Vec<Timeline> = timelines.iter().map(|t| t.aligned(4.0 * DAY as f64)).collect();
    let policy = || Alone(Learned::load(&[], parameters));
    let mut sources: Vec<_> = aligned.iter().map(|t| Replaying::new(t, policy())).collect();
    let mut control = Control { price: 5000.0, days: 0 };
    // Number of sources followed on each day: two for 20 days, from days 0 and 1, and one for 6 days, from
    // day 2. The price is not corrected on the first day, or if fewer than 0.6 sources are followed.
    let followed = |day: usize| {
        [(0, 20), (1, 20), (2, 6)]
            .iter()
            .filter(|(from, days)| (*from..from + days).contains(&day))
            .count()
    };
    let (mut before, last) = (0, 21);
    for day in 0..last {
        sources.iter_mut().for_each(|source| source.set_price(control.price));
        let until = Time::from_timestamp((4 + day as i64 + 1) * DAY, 0).unwrap();
        sources.iter_mut().for_each(|source| source.advance(until, true));
        let taken: usize = sources.iter().map(|source| source.run().polls.len()).sum();
        if day > 0 {
            control.correct((taken - before) as f64, 6.0 * followed(day) as f64);
        }
        before = taken;
    }
    let runs: Vec<Run> = sources.into_iter().map(|source| source.finish(true)).collect();
    assert_eq!(found.figures, figures(&aligned, &runs, Phase::All));
    assert_eq!(found.weekly, weekly(&aligned, &runs, 4.0 * DAY as f64));
    assert!(control.days == 20 && control.price > 5000.0, "{control:?}");
}
