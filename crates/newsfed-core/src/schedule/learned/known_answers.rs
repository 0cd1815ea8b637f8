//! Known results of the formulas for fixed histories, so that the times of polls change only on purpose.

use super::*;

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;
/// A Monday.
const START: i64 = 20_003 * DAY;

fn at(seconds: i64) -> Time {
    Time::from_timestamp(START + seconds, 0).unwrap()
}

/// Forty days of polls, at least 47 minutes apart, of a source with an item every `gap` seconds, during the
/// day only. Every fifth item has no date; every eleventh has a date before the last poll.
fn history(gap: i64, parameters: LearnedParameters) -> Learned {
    let mut policy = Learned::load(&[], parameters);
    policy.set_window(15);
    let (mut now, mut item) = (0, 0);
    while now < 40 * DAY {
        let step = 47 * 60 + now / 7 % 4000;
        let mut found = Vec::new();
        while item * gap <= now + step {
            let time = item * gap;
            item += 1;
            match item {
                _ if time % DAY < 7 * HOUR => {}
                _ if item % 5 == 0 => found.push(None),
                _ if item % 11 == 0 => found.push(Some(at(time - 2 * DAY))),
                _ => found.push(Some(at(time))),
            }
        }
        now += step;
        policy.observe(&found, at(now));
    }
    policy
}

/// Items per day, now and in the long run; items expected within 6 hours; item-hours of waiting; minutes
/// until the next poll.
fn numbers(policy: &Learned, after: i64) -> [f64; 5] {
    let now = at(40 * DAY + after);
    let wait = (policy.plan(now) - now).as_seconds_f64() / 60.0;
    let expected = policy.expected(now, Duration::from_secs(6 * 3600));
    [policy.rate_now(now), policy.rate(now), expected, policy.waiting(now) / 3600.0, wait]
}

fn same(found: &[f64], wanted: &[f64]) -> bool {
    let near = |(found, wanted): (&f64, &f64)| (found - wanted).abs() <= 2e-5 * wanted.abs();
    found.len() == wanted.len() && found.iter().zip(wanted).all(near)
}

#[test]
fn formulas_give_known_answers() {
    let closed = crate::model::FeedHints { skip_hours: [12, 13].into(), ..Default::default() };
    let usual = LearnedParameters::default();
    let other = LearnedParameters {
        price: 3000.0,
        weight: 2.0,
        exponent: 0.7,
        silence: 3.0,
        gap: Duration::from_secs(7200),
        least: Duration::from_secs(600),
        most: Duration::from_secs(72 * 3600),
        closed: Week::closed(&closed),
    };
    // Seconds between items, parameters, seconds after the end of the history.
    let cases = [
        (600, usual, 2 * HOUR),
        (600, usual, 11 * HOUR),
        (600, other, 11 * HOUR + 100),
        (600, other, 3 * DAY),
        (5 * HOUR, usual, 2 * HOUR),
        (5 * HOUR, usual, 10 * DAY),
        (5 * HOUR, other, 9 * HOUR),
        (9 * DAY + 8 * HOUR, usual, 9 * HOUR),
        (9 * DAY + 8 * HOUR, other, 9 * HOUR),
        (9 * DAY + 8 * HOUR, other, 90 * DAY),
    ];
    let wanted: [[f64; 5]; 10] = [
        [1.65286, 83.6794, 4.72767, 1.20779, 65.3333],
        [20.487, 16.971, 5.18159, 48.3441, 30.3333],
        [7.76154, 6.35357, 1.31085, 73.12, 68.6667],
        [0.705722, 0.990564, 0.0198246, 10078.5, 240.333],
        [0.180025, 2.94661, 0.219818, 0.0490457, 180.333],
        [0.523811, 0.773392, 0.0244278, 3429.23, 240.333],
        [6.0794, 5.1419, 1.06033, 4.26658, 120.333],
        [0.159849, 0.094622, 0.0180242, 0.107771, 234.726],
        [0.162814, 0.0968524, 0.013258, 0.109946, 154.157],
        [0.0175991, 0.0287737, 0.00495802, 8806.33, 263.897],
    ];
    let found = cases.map(|(gap, parameters, after)| numbers(&history(gap, parameters), after));
    assert!(found.iter().zip(&wanted).all(|(found, wanted)| same(found, wanted)), "{found:#?}");
}

#[test]
fn restored_states_continue_as_before() {
    let usual = LearnedParameters::default();
    let mut policy = history(3 * HOUR, usual);
    let mut loaded = Learned::load(&policy.save(), usual);
    assert_eq!((loaded.window(), loaded.items()), (15, policy.items()));
    for hours in [3, 9, 40] {
        let now = at(41 * DAY + hours * HOUR);
        for policy in [&mut policy, &mut loaded] {
            policy.observe(&[Some(at(41 * DAY)), None], now);
        }
        assert_eq!(policy, loaded);
        assert_eq!(policy.plan(now), loaded.plan(now));
    }
}

#[test]
fn measures_the_gap_from_the_fifth_item() {
    let mut policy = Learned::load(&[], LearnedParameters::default());
    policy.observe(&[], at(0));
    for n in 1..=200 {
        let now = at(n * 2 * HOUR);
        policy.observe(&[Some(now)], now);
        assert_eq!(policy.items(), u32::try_from(n).unwrap());
        assert_eq!(policy.gap(now).is_some(), n >= 5, "{n}");
    }
    let now = at(400 * HOUR);
    let gap = policy.gap(now).unwrap().as_secs_f64() / 3600.0;
    assert!((1.8..2.2).contains(&gap), "{gap}");
    assert!((policy.rate(now) - 24.0 / gap).abs() < 1e-6);
    // Hardly any item is expected within a hundredth of an hour, and twelve within a day.
    for (hours, warranted) in [(0.01, false), (0.1, false), (0.5, true), (24.0, true)] {
        let within = Duration::from_secs_f64(hours * 3600.0);
        assert_eq!(policy.warrants(now, within), warranted, "{hours}");
    }
    let week = policy.week();
    assert!((week.iter().sum::<f64>() / 168.0 - 1.0).abs() < 0.01);
}

#[test]
fn clamps_the_number_of_entries() {
    let mut policy = Learned::load(&[], LearnedParameters::default());
    assert_eq!(policy.window(), 20);
    for (entries, want) in [(0, 10), (10, 10), (37, 37), (10_001, 10_000), (u32::MAX, 10_000)] {
        policy.set_window(entries);
        assert_eq!(policy.window(), want);
    }
}

#[test]
fn least_saving_grows_with_price_and_rate() {
    let sum = 0.08 + 0.16 + 0.33 + 0.08 + 4.0;
    for (price, rate, exponent, want) in
        [(930.0, 5.0, 0.0, 930.0), (930.0, 16.0, 0.25, 1860.0), (100.0, 9.0, 1.0, 900.0)]
    {
        let saving = least_saving(price, rate, exponent);
        assert!((saving - want / sum).abs() < 1e-9, "{price} {rate} {exponent}: {saving}");
    }
}

#[test]
fn setting_the_clock_back_shifts_the_history() {
    let usual = LearnedParameters::default();
    let mut moved = history(3 * HOUR, usual);
    let mut straight = moved.clone();
    let end = moved.state.at;
    // A minute is within the error of clocks; three days are not.
    for (back, shifts) in [(30.0, false), (60.0, false), (61.0, true), (259_200.0, true)] {
        let mut policy = moved.clone();
        policy.state.observe(&[], end - back, usual.closed);
        let by = if shifts { back } else { 0.0 };
        let State { at, oldest, newest, .. } = policy.state;
        assert_eq!([at, oldest, newest], {
            let State { at, oldest, newest, .. } = moved.state;
            [at - by, oldest - by, newest - by]
        });
        assert_eq!(policy.state.latest_poll, Some(end - back));
    }
    let now = seconds::time(end - 259_200.0);
    moved.observe(&[], now);
    straight.observe(&[], seconds::time(end));
    assert!((moved.rate(now) - straight.rate(seconds::time(end))).abs() < 1e-9);
}

#[test]
fn spreads_undated_items_since_the_last_poll() {
    let hours = |items: &[Option<i64>]| {
        let mut state = State::default();
        state.observe(&[], START as f64, Week::default());
        let items: Vec<_> = items.iter().map(|h| h.map(|h| (START + h * HOUR) as f64)).collect();
        state.observe(&items, (START + 6 * HOUR) as f64, Week::default());
        let hours: Vec<usize> = (0..24).filter(|h| state.hours[*h] > 0).collect();
        (
            hours,
            state.parts.iter().sum::<u32>(),
            state.oldest as i64 - START,
            state.newest as i64 - START,
        )
    };
    // Hours of the items, number of dated items, and times of the first and the last item.
    assert_eq!(hours(&[None, None, None]), (vec![1, 3, 5], 0, HOUR, 5 * HOUR));
    assert_eq!(hours(&[None]), (vec![3], 0, 3 * HOUR, 3 * HOUR));
    // An old date is treated as no date, a future one as now.
    assert_eq!(hours(&[Some(-9), Some(1)]), (vec![1, 3], 1, HOUR, 3 * HOUR));
    assert_eq!(hours(&[Some(0), Some(99)]), (vec![3, 6], 1, 3 * HOUR, 6 * HOUR));
    assert_eq!(
        hours(&[None, Some(4), None]),
        (vec![1, 4], 1, HOUR + HOUR / 2, 4 * HOUR + HOUR / 2)
    );
}
