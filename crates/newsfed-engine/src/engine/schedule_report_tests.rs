//! Tests of the schedule report.

use super::*;
use crate::model::Moved;

fn week(level: impl Fn(usize) -> u8) -> Vec<(&'static str, [u8; 24])> {
    ["Mon", "Tue"].map(|day| (day, std::array::from_fn(&level))).to_vec()
}

#[test]
fn a_moved_check_is_explained_step_by_step() {
    let at = |minutes: i64| Time::from_timestamp(60 * minutes, 0).unwrap();
    let planned = |moved_by| Planned {
        at: at(0),
        policy: PolicyKind::Learned,
        wanted: at(30),
        next: at(90),
        moved_by,
        signal: None,
        fresh_for: None,
        settings: None,
    };
    let now = at(0);
    assert_eq!(moved(&planned(vec![]), now), None);
    let by = |reason, to| Moved { reason, to: at(to) };
    let steps = vec![by(PauseReason::MinInterval, 120), by(PauseReason::MaxInterval, 90)];
    let clock = |minutes| clock(at(minutes), now);
    let want = format!(
        "Wanted at {}, postponed to {} (minimum interval), \
         then brought forward to {} (maximum interval)",
        clock(30),
        clock(120),
        clock(90)
    );
    assert_eq!(moved(&planned(steps), now), Some(want));
}

#[test]
fn few_items_do_not_make_a_pattern() {
    let rates: Vec<f64> = (0..168).map(|hour| if hour < 48 { 3.0 } else { 0.2 }).collect();
    for items in [0, 3, 19] {
        assert_eq!(known_week(items, &rates, 0), []);
        let why = no_pattern(items).unwrap();
        assert_eq!(why, format!("needs 20 items, {items} known so far"));
    }
    let week = known_week(20, &rates, 0);
    assert!(week.len() == 7 && week[0].1[5] > week[3].1[5], "{week:?}");
    assert_eq!(no_pattern(20), None);
}

#[test]
fn quiet_hours_cross_midnight() {
    let night = |hour| if (6..22).contains(&hour) { 2 } else { 0 };
    assert_eq!(quiet_hours(&week(night)), Some((22, 6)));
    assert_eq!(quiet_hours(&week(|hour| u8::from(!(2..4).contains(&hour)))), None);
    assert_eq!(quiet_hours(&week(|_| 0)), None);
    assert_eq!(quiet_hours(&[]), None);
}

#[test]
fn an_hour_busy_on_one_day_is_not_quiet() {
    let mut week = week(|hour| if hour < 5 { 0 } else { 2 });
    assert_eq!(quiet_hours(&week), Some((0, 5)));
    week[1].1[3] = 1;
    assert_eq!(quiet_hours(&week), Some((0, 3)));
}

#[test]
fn checks_report_what_they_found() {
    let at = Time::from_timestamp(1_700_000_000, 0).unwrap();
    let fetched = |new, updated| Outcome::Fetched { new, updated, entries: 9 };
    let line = |status, outcome: Outcome, delay| {
        let check = check(at, status, 2048, &outcome, delay);
        (check.result, format!("{}: {}", check.what, check.detail))
    };
    for (status, outcome, delay, result, expected) in [
        (
            Some(304),
            Outcome::Unchanged,
            None,
            CheckResult::Unchanged,
            "unchanged: HTTP 304, 2.0 kB",
        ),
        (Some(200), fetched(0, 0), None, CheckResult::Unchanged, "nothing new: HTTP 200, 2.0 kB"),
        (Some(200), fetched(0, 3), None, CheckResult::Changed, "3 updated: HTTP 200, 2.0 kB"),
        (
            Some(200),
            fetched(2, 1),
            Some(240),
            CheckResult::Changed,
            "2 new, 1 updated: 4 min after publication",
        ),
    ] {
        assert_eq!(line(status, outcome, delay), (result, expected.to_owned()));
    }
}
