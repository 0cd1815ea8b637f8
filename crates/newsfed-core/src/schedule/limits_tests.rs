//! Tables of polls and the decisions expected from the limits.

use super::*;
use PauseReason::*;

const NOW: &str = "2025-10-24T12:30:00Z";
const HOUR: Duration = Duration::from_secs(3600);

fn now() -> Time {
    NOW.parse().unwrap()
}

fn minutes(count: u64) -> Duration {
    MINUTE * u32::try_from(count).unwrap()
}

/// A successful poll. The policy wants the next one in an hour, and no limit postpones it.
fn plain(hints: &FeedHints) -> PollContext<'_> {
    PollContext {
        now: now(),
        wanted: after(now(), HOUR),
        response: ResponseFacts::default(),
        hints,
        fail_count: 0,
        failing_for: None,
        interval: HOUR,
        measured_gap: None,
        min: Duration::ZERO,
        usual_min: Duration::ZERO,
        warranted: false,
        quiet: None,
        max: None,
        has_validators: true,
        own: None,
        seed: 1,
    }
}

/// Minutes until the next poll, the pause in minutes with its reason, and the limits that moved the poll.
type Want = (i64, Option<(i64, PauseReason)>, Vec<PauseReason>);

fn got(poll: &PollContext<'_>) -> Want {
    let decision = decide(poll);
    let minutes = |at: Time| (at - now()).num_minutes();
    assert_eq!(decision.wanted, poll.wanted);
    let pause = decision.pause.map(|h| (minutes(h.until), h.reason));
    (minutes(decision.next), pause, decision.moved_by.iter().map(|m| m.reason).collect())
}

#[test]
fn obeys_response_headers() {
    let response = |kind, retry_after: Option<u64>, max_age: Option<u64>, expires: Option<u64>| {
        ResponseFacts {
            kind,
            retry_after: retry_after.map(minutes),
            max_age: max_age.map(minutes),
            expires: expires.map(minutes),
            ..ResponseFacts::default()
        }
    };
    use ResponseKind::*;
    let day = 24 * 60;
    let cases: Vec<(&str, ResponseFacts, Want)> = vec![
        ("no headers", response(Ok, None, None, None), (60, None, vec![])),
        ("max-age", response(Ok, None, Some(90), None), (90, Some((90, MaxAge)), vec![MaxAge])),
        ("short max-age", response(Ok, None, Some(30), None), (60, Some((30, MaxAge)), vec![])),
        ("no-cache", response(Ok, None, Some(0), None), (60, None, vec![])),
        ("no-cache beats Expires", response(Ok, None, Some(0), Some(90)), (60, None, vec![])),
        (
            "max-age clamped",
            response(Ok, None, Some(9999), None),
            (300, Some((300, MaxAge)), vec![MaxAge]),
        ),
        ("Expires", response(Ok, None, None, Some(90)), (90, Some((90, Expires)), vec![Expires])),
        (
            "Expires clamped",
            response(Ok, None, None, Some(9999)),
            (300, Some((300, Expires)), vec![Expires]),
        ),
        (
            "429 with time",
            response(Limited, Some(90), None, None),
            (90, Some((90, RetryAfter)), vec![RetryAfter]),
        ),
        (
            "429 shorter than the policy's interval",
            response(Limited, Some(5), None, None),
            (60, Some((5, RetryAfter)), vec![]),
        ),
        (
            "a week is honoured",
            response(Limited, Some(7 * day), None, None),
            (7 * day as i64, Some((7 * day as i64, RetryAfter)), vec![RetryAfter]),
        ),
        (
            "a month is clamped",
            response(Limited, Some(30 * day), None, None),
            (8 * day as i64, Some((8 * day as i64, RetryAfter)), vec![RetryAfter]),
        ),
        (
            "503 with time",
            response(Unavailable, Some(90), None, None),
            (90, Some((90, RetryAfter)), vec![RetryAfter]),
        ),
        (
            "429 with an invalid time",
            response(Limited, Some(0), None, None),
            (60, Some((10, RateLimited)), vec![]),
        ),
        (
            "max-age of a failure is ignored",
            response(Limited, None, Some(200), None),
            (60, Some((10, RateLimited)), vec![]),
        ),
    ];
    let hints = FeedHints::default();
    for (name, response, want) in cases {
        let fail_count = u32::from(response.kind != Ok);
        assert_eq!(got(&PollContext { response, fail_count, ..plain(&hints) }), want, "{name}");
    }
    let seconds = ResponseFacts {
        retry_after: Some(Duration::from_secs(3)),
        ..response(Limited, None, None, None)
    };
    let poll = PollContext { response: seconds, fail_count: 1, wanted: now(), ..plain(&hints) };
    assert_eq!(got(&poll), (1, Some((1, RetryAfter)), vec![RetryAfter]), "at least a minute");
}

#[test]
fn a_410_pauses_forever() {
    let hints = FeedHints::default();
    let response = ResponseFacts { kind: ResponseKind::Gone, ..ResponseFacts::default() };
    let decision =
        decide(&PollContext { response, fail_count: 1, max: Some(HOUR), ..plain(&hints) });
    assert_eq!(decision.pause.map(|h| h.reason), Some(Gone));
    assert!(decision.next > after(now(), DAY * 365_000));
}

#[test]
fn rate_limit_back_off_doubles_without_retry_after() {
    let hints = FeedHints::default();
    for (fails, want) in [(1, 10), (2, 20), (3, 40), (8, 1280), (9, 1440), (4_000_000_000, 1440)] {
        let response = ResponseFacts { kind: ResponseKind::Limited, ..ResponseFacts::default() };
        let poll = PollContext { response, fail_count: fails, wanted: now(), ..plain(&hints) };
        assert_eq!(got(&poll), (want, Some((want, RateLimited)), vec![RateLimited]), "{fails}");
    }
}

#[test]
fn many_failures_in_a_short_time_are_not_backed_off_for_long() {
    let hints = FeedHints::default();
    let response = ResponseFacts { kind: ResponseKind::Failed, ..ResponseFacts::default() };
    for (fails, failing, whole) in [
        (9, Some(10), 120),
        (9, Some(300), 600),
        (3, Some(300), 480),
        (9, Some(9000), 1440),
        (9, None, 1440),
    ] {
        let failing_for = failing.map(minutes);
        let poll = PollContext { response, fail_count: fails, failing_for, ..plain(&hints) };
        let wait = got(&poll).0;
        assert!((whole * 9 / 10..=whole).contains(&wait), "{fails}, {failing:?}: {wait}");
    }
    // If all failed polls were automatic, the back-off is not shortened.
    let mut failing = HOUR;
    for fails in 1..9 {
        let poll = PollContext { response, fail_count: fails, ..plain(&hints) };
        let capped = PollContext { failing_for: Some(failing), ..poll };
        assert_eq!(got(&capped), got(&poll), "{fails}");
        failing += (decide(&poll).next - now()).to_std().unwrap();
    }
}

#[test]
fn backs_off_after_failures_but_allows_manual_refresh() {
    let hints = FeedHints::default();
    for (fails, whole) in [(1, 120), (2, 240), (4, 960), (5, 1440), (60, 1440)] {
        let response = ResponseFacts { kind: ResponseKind::Failed, ..ResponseFacts::default() };
        let waits: Vec<i64> = (0..50)
            .map(|seed| {
                let poll = PollContext { response, fail_count: fails, seed, ..plain(&hints) };
                let (next, pause, moved) = got(&poll);
                assert_eq!((pause, moved), (None, vec![Failures]));
                assert_eq!(next, got(&poll).0, "repeatable");
                next
            })
            .collect();
        assert!(waits.iter().all(|w| (whole * 9 / 10..=whole).contains(w)), "{fails}: {waits:?}");
        assert!(waits.iter().any(|w| *w != waits[0]), "{fails}: jitter");
    }
    let unavailable = ResponseFacts { kind: ResponseKind::Unavailable, ..ResponseFacts::default() };
    let poll = PollContext { response: unavailable, fail_count: 1, ..plain(&hints) };
    assert_eq!(got(&poll).2, [Failures], "503 without a time is a failure");
}

#[test]
fn forbidden_twice_is_a_rate_limit() {
    let hints = FeedHints::default();
    let response = ResponseFacts { kind: ResponseKind::Forbidden, ..ResponseFacts::default() };
    let interval = minutes(10);
    let once = PollContext { response, interval, fail_count: 1, ..plain(&hints) };
    assert_eq!(got(&once).1, Some((10, Refused)));
    let twice = PollContext { response, interval, fail_count: 2, ..plain(&hints) };
    assert_eq!(got(&twice), (240, Some((240, RateLimited)), vec![RateLimited]));
}

#[test]
fn a_4xx_also_delays_a_manual_refresh() {
    let hints = FeedHints::default();
    let refused = |status| ResponseFacts {
        kind: ResponseKind::of_status(status),
        ..ResponseFacts::default()
    };
    let poll = |response, fail_count| PollContext {
        response,
        fail_count,
        interval: minutes(10),
        wanted: after(now(), minutes(10)),
        ..plain(&hints)
    };
    for status in [400, 401, 402, 403, 404, 405, 407, 418, 421, 431, 451, 499] {
        let (next, pause, moved) = got(&poll(refused(status), 1));
        assert_eq!((pause, moved), (Some((10, Refused)), vec![Failures]), "{status}");
        assert!((18..=20).contains(&next), "{status}: {next}");
        for status in [404, 451] {
            for (fails, want) in [(2, 20), (3, 40), (8, 1280), (9, 1440)] {
                let pause = got(&poll(refused(status), fails)).1;
                assert_eq!(pause, Some((want, Refused)), "{status} {fails}");
            }
        }
        let asked = ResponseFacts { retry_after: Some(minutes(90)), ..refused(status) };
        // Only a 403 applies to the whole host.
        let reason = if status == 403 { RetryAfter } else { Refused };
        assert_eq!(got(&poll(asked, 1)), (90, Some((90, reason)), vec![reason]), "{status}");
        let fresh = ResponseFacts { max_age: Some(minutes(90)), ..refused(status) };
        assert_eq!(got(&poll(fresh, 1)).1, Some((90, MaxAge)));
    }
    for status in [500, 502] {
        let asked = ResponseFacts { retry_after: Some(minutes(90)), ..refused(status) };
        assert_eq!(got(&poll(asked, 1)).1, None, "{status}");
    }
}

#[test]
fn offline_is_not_a_failure() {
    let hints = FeedHints { ttl: Some(DAY), ..FeedHints::default() };
    let response = ResponseFacts { kind: ResponseKind::Offline, ..ResponseFacts::default() };
    assert_eq!(
        got(&PollContext { response, min: HOUR, ..plain(&hints) }),
        (5, None, vec![Offline])
    );
}

#[test]
fn obeys_feed_hints() {
    let hints = |ttl: Option<u64>, period: Option<u64>, hours: &[u8], days: &[u8]| FeedHints {
        ttl: ttl.map(minutes),
        update_period: period.map(minutes),
        skip_hours: hours.iter().copied().collect(),
        skip_days: days.iter().copied().collect(),
    };
    let cases: Vec<(&str, FeedHints, Option<u64>, Want)> = vec![
        ("ttl", hints(Some(90), None, &[], &[]), None, (90, Some((90, Ttl)), vec![Ttl])),
        ("short ttl", hints(Some(20), None, &[], &[]), None, (60, Some((20, Ttl)), vec![])),
        (
            "ttl clamped",
            hints(Some(99999), None, &[], &[]),
            None,
            (1440, Some((1440, Ttl)), vec![Ttl]),
        ),
        (
            "ttl of six gaps",
            hints(Some(120), None, &[], &[]),
            Some(20),
            (120, Some((120, Ttl)), vec![Ttl]),
        ),
        ("ttl beyond six gaps", hints(Some(121), None, &[], &[]), Some(20), (60, None, vec![])),
        (
            "update period",
            hints(None, Some(1440), &[], &[]),
            None,
            (1440, Some((1440, UpdatePeriod)), vec![UpdatePeriod]),
        ),
        (
            "a year is clamped",
            hints(None, Some(500_000), &[], &[]),
            None,
            (1440, Some((1440, UpdatePeriod)), vec![UpdatePeriod]),
        ),
        (
            "now in the window",
            hints(None, None, &[12], &[]),
            None,
            (60, Some((30, SkipWindow)), vec![]),
        ),
        (
            "now and next in the window",
            hints(None, None, &[12, 13], &[]),
            None,
            (90, Some((90, SkipWindow)), vec![SkipWindow]),
        ),
        ("next in the window", hints(None, None, &[13], &[]), None, (90, None, vec![SkipWindow])),
        (
            "moved into the window by ttl",
            hints(Some(90), None, &[14], &[]),
            None,
            (150, Some((90, Ttl)), vec![Ttl, SkipWindow]),
        ),
        (
            "Fridays",
            hints(None, None, &[], &[4]),
            None,
            (690, Some((690, SkipWindow)), vec![SkipWindow]),
        ),
    ];
    for (name, hints, gap, want) in &cases {
        let poll = PollContext { measured_gap: gap.map(minutes), ..plain(hints) };
        assert_eq!(&got(&poll), want, "{name}");
    }
}

#[test]
fn failed_poll_does_not_pause_manual_refresh() {
    let hints = FeedHints { ttl: Some(DAY), ..FeedHints::default() };
    let response = ResponseFacts { kind: ResponseKind::Failed, ..ResponseFacts::default() };
    assert_eq!(got(&PollContext { response, fail_count: 1, ..plain(&hints) }).1, None);
}

#[test]
fn obeys_user_limits() {
    let hints = FeedHints::default();
    let base = plain(&hints);
    let quiet = |text, east| Some((crate::model::QuietHours::parse(text).unwrap(), east));
    let cases = [
        ("min", PollContext { min: minutes(90), ..base }, (90, None, vec![MinInterval])),
        ("min is below", PollContext { min: minutes(30), ..base }, (60, None, vec![])),
        (
            "costly",
            PollContext { min: minutes(60), has_validators: false, ..base },
            (120, None, vec![NoValidators]),
        ),
        (
            "costly, and limited by the interval itself",
            PollContext { min: minutes(90), has_validators: false, ..base },
            (180, None, vec![MinInterval, NoValidators]),
        ),
        (
            "costly, but the user set the interval",
            PollContext { min: minutes(40), has_validators: false, own: Some(minutes(60)), ..base },
            (60, None, vec![]),
        ),
        (
            "costly, and the user set less than the global interval",
            PollContext { min: minutes(90), has_validators: false, own: Some(minutes(60)), ..base },
            (90, None, vec![MinInterval]),
        ),
        (
            "costly, but it failed",
            PollContext {
                min: minutes(60),
                has_validators: false,
                response: ResponseFacts { kind: ResponseKind::Limited, ..ResponseFacts::default() },
                fail_count: 1,
                ..base
            },
            (60, Some((10, RateLimited)), vec![]),
        ),
        (
            "usual min",
            PollContext { usual_min: minutes(90), ..base },
            (90, None, vec![UsualMinInterval]),
        ),
        (
            "warranted",
            PollContext { usual_min: minutes(90), warranted: true, ..base },
            (60, None, vec![]),
        ),
        (
            "warranted, but not allowed by the user",
            PollContext { usual_min: HOUR, min: minutes(90), warranted: true, ..base },
            (90, None, vec![MinInterval]),
        ),
        (
            "costly and not warranted",
            PollContext { usual_min: minutes(60), has_validators: false, ..base },
            (120, None, vec![NoValidators]),
        ),
        // It is 12:30 UTC.
        (
            "quiet",
            PollContext { quiet: quiet("13:00-14:00", 0), ..base },
            (90, None, vec![QuietHours]),
        ),
        (
            "not quiet",
            PollContext { quiet: quiet("13:00-14:00", 3600), ..base },
            (60, None, vec![]),
        ),
        ("max", PollContext { max: Some(minutes(30)), ..base }, (30, None, vec![MaxInterval])),
        ("max is beyond", PollContext { max: Some(minutes(90)), ..base }, (60, None, vec![])),
        (
            "servers can go beyond max",
            PollContext {
                max: Some(minutes(30)),
                response: ResponseFacts { max_age: Some(minutes(45)), ..ResponseFacts::default() },
                ..base
            },
            (45, Some((45, MaxAge)), vec![MaxInterval, MaxAge]),
        ),
        (
            "crawl-delay is clamped",
            PollContext {
                wanted: now(),
                response: ResponseFacts { crawl_delay: Some(HOUR), ..ResponseFacts::default() },
                ..base
            },
            (1, None, vec![CrawlDelay]),
        ),
        (
            "hints of a page are clamped",
            PollContext {
                response: ResponseFacts { site_hint: Some(HOUR * 100), ..ResponseFacts::default() },
                ..base
            },
            (1440, None, vec![SiteHints]),
        ),
        (
            "hints of a page stay below max",
            PollContext {
                response: ResponseFacts { site_hint: Some(HOUR * 10), ..ResponseFacts::default() },
                max: Some(minutes(90)),
                ..base
            },
            (90, None, vec![SiteHints]),
        ),
        (
            "hints of a page only delay",
            PollContext {
                response: ResponseFacts {
                    site_hint: Some(minutes(59)),
                    ..ResponseFacts::default()
                },
                ..base
            },
            (60, None, vec![]),
        ),
    ];
    for (name, poll, want) in cases {
        assert_eq!(got(&poll), want, "{name}");
    }
    let skipping = FeedHints { skip_hours: [14].into(), ..FeedHints::default() };
    let both = PollContext { quiet: quiet("13:00-14:30", 0), ..plain(&skipping) };
    assert_eq!(got(&both), (150, None, vec![QuietHours, SkipWindow]), "one after the other");
    let absurd = decide(&PollContext { min: Duration::MAX, ..base });
    assert!(absurd.next > now() + DAY * 365_000, "saturates");
}

#[test]
fn maps_statuses_to_kinds() {
    use ResponseKind::*;
    let cases = [
        (200, Ok),
        (304, Ok),
        (403, Forbidden),
        (400, Refused),
        (404, Refused),
        (499, Refused),
        (410, Gone),
        (429, Limited),
        (503, Unavailable),
        (500, Failed),
        (301, Failed),
    ];
    for (status, want) in cases {
        assert_eq!(ResponseKind::of_status(status), want, "{status}");
    }
}

#[test]
fn repeated_interruptions_postpone_the_poll_longer() {
    let waits = [0, 1, 2, 3, 9, 10, 99].map(|broken| after_end(broken).as_secs() / 60);
    assert_eq!(waits, [2, 2, 4, 8, 512, 1024, 1440]);
}
