use super::*;
use crate::model::{PolicyKind, RuleKey, Signal, SourceFacts, SourceId};
use crate::schedule::Explanation;
use crate::store::Spent;

fn now() -> Time {
    "2026-11-21T12:00:30Z".parse().unwrap()
}

fn later(minutes: i64) -> Time {
    now() + TimeDelta::minutes(minutes)
}

/// A source that was polled ten minutes ago and is due again in twenty.
fn why() -> Why {
    Why {
        account: None,
        last_poll: Some(later(-10)),
        next_poll: Some(later(20)),
        overdue: false,
        polling: true,
        planned: Some(Planned {
            at: later(-10),
            policy: PolicyKind::Learned,
            wanted: later(20),
            next: later(20),
            moved_by: Vec::new(),
            signal: None,
            fresh_for: None,
            settings: None,
        }),
        expected: Some(0.128),
        pause: None,
        paused_by: None,
        broken: None,
        price: 5000.0,
        explanation: Explanation {
            policy: PolicyKind::Learned,
            items_per_day: 6.1,
            items_per_day_now: 6.1,
            observed: 40,
            gaps: None,
            pulse: Pulse::Normal,
            week: vec![1.0; 168],
            coming: vec![later(20), later(50)],
        },
        crawl: Vec::new(),
        first_poll: Some(later(-10)),
        polls: Vec::new(),
        spent: Spent { polls: 1, requests: 1, ..Spent::default() },
        polls_saved: -1,
        feed_has_full_text: None,
    }
}

/// The line with that name, if there is one.
fn line(why: &Why, name: &str) -> Option<String> {
    let summary = why.describe(true, true, now());
    summary.facts.into_iter().find(|(n, _)| *n == name).map(|(_, value)| value)
}

fn moved(why: &mut Why, reason: PauseReason, to: Time) {
    let planned = why.planned.as_mut().unwrap();
    planned.moved_by.push(Moved { reason, to });
    planned.next = to;
    why.next_poll = Some(to);
}

#[test]
fn describes_the_expected_items_of_a_poll() {
    let clock = time_text::clock(later(20), now());
    let summary = |why: &Why| line(why, "wanted").unwrap();
    let mut why = why();
    assert_eq!(
        summary(&why),
        format!(
            "{clock}; the chance of a new item by then is 12 %, enough for a check within the budget"
        )
    );
    why.expected = Some(0.001);
    moved(&mut why, PauseReason::MaxInterval, later(15));
    let most = time_text::clock(later(15), now());
    assert_eq!(
        summary(&why),
        format!(
            "{clock}; the chance of a new item by then is less than 1 %, too small for an earlier check; \
             brought forward to {most} (maximum interval)"
        )
    );
    why.expected = Some(2.4);
    assert!(summary(&why).contains("2.4 new items are expected by then, too few for an earlier"));
    why.expected = None;
    assert!(
        summary(&why).starts_with(&format!("{clock}; brought forward to")),
        "{}",
        summary(&why)
    );
}

#[test]
fn a_gone_source_is_reported_once() {
    let mut why = why();
    let never: Time = "9999-12-31T23:59:59Z".parse().unwrap();
    moved(&mut why, PauseReason::Gone, never);
    why.pause = Some(Pause { until: never, reason: PauseReason::Gone });
    why.explanation.coming.clear();
    why.polling = false;
    assert_eq!(line(&why, "next").as_deref(), Some("never: 410 Gone"));
    assert_eq!((line(&why, "wanted"), line(&why, "paused")), (None, None));
}

#[test]
fn reports_a_pause_that_moved_the_poll_once() {
    let mut why = why();
    let until = later(90) + TimeDelta::milliseconds(700);
    moved(&mut why, PauseReason::MaxAge, later(90));
    why.pause = Some(Pause { until, reason: PauseReason::MaxAge });
    assert_eq!(line(&why, "paused"), None);
    let wanted = line(&why, "wanted").unwrap();
    assert!(wanted.contains("postponed to") && wanted.contains("(Cache-Control max-age)"));
    why.pause = Some(Pause { until: later(180), reason: PauseReason::SkipWindow });
    assert!(line(&why, "paused").unwrap().contains("skipHours"));
    // The schedule report contains sentences instead.
    let facts = SourceFacts::new(1, SourceId("a".to_owned()), String::new());
    let sentences = crate::engine::schedule_report::sentences(&why, &facts, now());
    let paused = sentences.iter().find(|sentence| sentence.contains("skipHours")).unwrap();
    assert!(paused.starts_with("Paused until "), "{paused}");
    assert!(
        sentences.contains(&"The chance of a new item by then is 12 %".to_owned()),
        "{sentences:?}"
    );
}

#[test]
fn names_the_source_that_paused_the_host() {
    let mut why = why();
    why.pause = Some(Pause { until: later(90), reason: PauseReason::HostPaused });
    let summary = |why: &Why| line(why, "paused").unwrap();
    assert!(summary(&why).ends_with("set by another source)"), "{}", summary(&why));
    let message = Some("a.example limits the rate of requests (HTTP 429)".to_owned());
    let source = SourceId("kernel".to_owned());
    why.paused_by = Some(PausedBy { source, at: Some(later(-10)), message });
    let at = time_text::clock(later(-10), now());
    let end = format!("; set by kernel at {at}: a.example limits the rate of requests (HTTP 429)");
    assert!(summary(&why).ends_with(&end), "{}", summary(&why));
}

#[test]
fn reports_a_broken_website_with_working_selectors() {
    let mut why = why();
    assert_eq!(line(&why, "broken"), None);
    let instead = vec!["p.entry a".to_owned(), "main a".to_owned()];
    let problem = SelectorProblem {
        since: later(-9000),
        what: "no links to articles".to_owned(),
        instead,
        key: RuleKey::Articles,
    };
    why.broken = Some(problem);
    let since = time_text::minute(later(-9000));
    let words = "these would match as website.articles: p.entry a or main a";
    let want = format!("no links to articles since {since}; {words}");
    assert_eq!(line(&why, "broken"), Some(want));
}

#[test]
fn reports_the_deciding_signal() {
    let mut why = why();
    assert_eq!(line(&why, "signal"), None);
    let signal =
        DecidingSignal { name: Signal::Metadata, after: 7200, why: "its last change".to_owned() };
    why.planned.as_mut().unwrap().signal = Some(signal);
    assert_eq!(line(&why, "signal").as_deref(), Some("metadata: its last change (2 h)"));
    let signal =
        DecidingSignal { name: Signal::Nothing, after: 86_400, why: "no signal".to_owned() };
    why.planned.as_mut().unwrap().signal = Some(signal);
    assert_eq!(line(&why, "signal").as_deref(), Some("none: no signal"));
}

#[test]
fn merges_polls_within_one_minute_into_one_line() {
    let mut why = why();
    let second = |n| later(50) + TimeDelta::seconds(n);
    why.explanation.coming = vec![later(20), second(0), second(5), later(80)];
    let want = [50, 80].map(|m| time_text::clock(later(m), now())).join(", ");
    assert_eq!(line(&why, "then"), Some(want));
    why.explanation.coming = vec![second(0), second(5)];
    assert_eq!(line(&why, "then"), None);
}

#[test]
fn compares_polls_after_a_day() {
    let mut why = why();
    assert_eq!(line(&why, "this week").unwrap(), "1 check, 1 request, 0 B received, 0 B saved");
    why.first_poll = Some(later(-24 * 60));
    let summary = line(&why, "this week").unwrap();
    assert!(summary.starts_with("1 check (1 more than with the fixed policy),"), "{summary}");
}

#[test]
fn leaves_out_unknown_facts() {
    let mut why = why();
    assert_eq!(why.describe(true, true, now()).week.len(), 7);
    why.explanation.observed = 0;
    assert_eq!(why.describe(true, true, now()).week, []);
    assert_eq!(line(&why, "rate").as_deref(), Some("nothing known yet"));
    assert_eq!(line(&why, "state"), None);
    assert!(line(&why, "wanted").unwrap().ends_with(", estimated until there is history"));
    (why.last_poll, why.next_poll, why.planned, why.polling) = (None, None, None, false);
    assert_eq!(line(&why, "state").as_deref(), Some("not checked yet"));
    let next = line(&why, "next").unwrap();
    assert!(next.starts_with("now, but newsfed is not running: start `newsfed daemon`"), "{next}");
    assert_eq!(line(&why, "this week"), None);
}

#[test]
fn an_account_source_has_no_schedule() {
    let account = AccountPolling {
        name: "home".to_owned(),
        server: Some("FreshRSS"),
        last_sync: Some(later(-10)),
        next_sync: Some(later(5)),
        problem: None,
    };
    let names = |why: &Why| -> Vec<&'static str> {
        why.describe(true, true, now()).facts.into_iter().map(|(name, _)| name).collect()
    };
    let mut why = Why { account: Some(account), ..why() };
    assert_eq!(names(&why), ["checked by", "last sync", "next sync"]);
    assert_eq!(line(&why, "checked by").unwrap(), "home (FreshRSS)");
    let sentence = account_sentence(why.account.as_ref().unwrap(), now());
    assert!(sentence.starts_with("Checked by home (FreshRSS), last synchronised "), "{sentence}");
    let stopped = why.account.as_mut().unwrap();
    (stopped.next_sync, stopped.problem) = (None, Some("refused".to_owned()));
    assert_eq!(names(&why).last(), Some(&"problem"));
    assert!(line(&why, "next sync").unwrap().contains("account login home"));
}

#[test]
fn a_single_gap_is_not_called_regular() {
    let mut why = why();
    let dates = [0, 60, 120].map(|minutes| later(-minutes));
    for (dates, want) in [(&dates[..2], "60 min between the only two items"), (&dates, "always ")] {
        why.explanation.gaps = crate::schedule::gaps(dates);
        let found = line(&why, "gaps").unwrap();
        let want = want.replace("60 min", &span(3600));
        assert!(found.starts_with(&want), "{found}");
    }
}
