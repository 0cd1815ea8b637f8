//! Pauses requested by servers and feeds, and how each pace respects them.

use super::*;
use std::sync::Mutex;

#[tokio::test]
async fn a_429_pauses_the_host_across_restarts() {
    let server = Server::start_on(&hosts(2), |request| match request.path.as_str() {
        "/limited" => Reply::status(429).header("retry-after", "7200"),
        path => feed(&[(path, path)]),
    })
    .unwrap();
    let [busy, other] = hosts(2)[..] else { panic!("two hosts") };
    let home = Home::with(&[
        source("a-limited", &server.url_on(busy, "/limited")),
        source("b-same", &server.url_on(busy, "/b")),
        source("c-same", &server.url_on(busy, "/c")),
        source("other", &server.url_on(other, "/d")),
    ]);
    let engine = home.on_demand().await;
    let limited = engine.sources().await.unwrap()[0].1.key;
    let mut first = engine.refresh(Some(vec![limited]), Pace::Manual).await;
    while first.recv().await.is_some() {}
    let now = home.clock.now();
    // The results distinguish the source that received the 429 from sources on the same host.
    let expect = |all: &BTreeMap<String, Refreshed>, other: &Refreshed| {
        assert_eq!(left(&all["a-limited"], now), Some((PauseReason::RetryAfter, 120)));
        for id in ["b-same", "c-same"] {
            assert_eq!(left(&all[id], now), Some((PauseReason::HostPaused, 120)), "{id}");
        }
        assert_eq!(&all["other"], other);
    };
    expect(&sync(&engine, Pace::Manual).await, &fetched(1, 0, 1));
    engine.shutdown().await;
    let engine = home.on_demand().await;
    expect(&sync(&engine, Pace::Manual).await, &UNCHANGED);
    assert_eq!(paths_requested(&server), ["/limited", "/d", "/d"]);
    // A forced poll ignores the pause, and its success ends the pause.
    let forced = sync(&engine, Pace::Force).await;
    assert_eq!(forced["b-same"], fetched(1, 0, 1));
    engine.shutdown().await;
}

#[tokio::test]
async fn sources_added_later_wait_for_the_host_too() {
    let server = Server::start(|request| match request.path.as_str() {
        "/limited" => Reply::status(429).header("retry-after", "7200"),
        path => feed(&[(path, path)]),
    })
    .unwrap();
    let home = Home::with(&[source("limited", &server.url("/limited"))]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    engine.declare(vec![source("late", &server.url("/late"))]).await.unwrap();
    let all = sync(&engine, Pace::Manual).await;
    assert_eq!(left(&all["late"], home.clock.now()), Some((PauseReason::HostPaused, 120)));
    let late = facts(&engine, "late").await;
    let why = why(&engine, "late", &home).await;
    let by = why.paused_by.unwrap();
    assert_eq!((by.source.as_str(), by.at), ("limited", Some(home.clock.now())));
    assert!(by.message.unwrap().contains("HTTP 429"));
    assert_eq!((late.fail_count, late.last_poll), (0, None), "it was not polled");
    home.clock.advance(2 * HOUR);
    let mut reports = engine.refresh(Some(vec![late.key]), Pace::Manual).await;
    assert_eq!(reports.recv().await.unwrap().result, fetched(1, 0, 1));
    engine.shutdown().await;
}

/// Polls once with `reply`; returns the result and the time of a second, manual poll.
async fn second_poll(reply: impl Fn() -> Reply + Send + Sync + 'static) -> (Refreshed, Time) {
    let server = Server::start(move |_| reply()).unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    let again = sync_one(&engine, Pace::Manual).await;
    let requested = if left(&again, home.clock.now()).is_some() { 1 } else { 2 };
    assert_eq!(server.requests().len(), requested);
    sync_one(&engine, Pace::Force).await;
    assert_eq!(server.requests().len(), requested + 1, "force ignores every pause");
    engine.shutdown().await;
    (again, home.clock.now())
}

#[tokio::test]
async fn a_manual_poll_respects_pauses_and_reports_them() {
    // The fake clock starts on a Friday at 08:00 UTC.
    let one = [("1", "One")];
    type Make = Box<dyn Fn() -> Reply + Send + Sync>;
    let channel = |extra: &'static str| -> Make {
        Box::new(move || Reply::ok("text/xml", rss_with(extra, &[("1", "One")])))
    };
    let header = |name: &'static str, value: &'static str| -> Make {
        Box::new(move || feed(&[("1", "One")]).header(name, value))
    };
    let refused = |status, name: &'static str, value: &'static str| -> Make {
        Box::new(move || {
            Reply::status(status)
                .header("date", "Fri, 15 Jan 2027 08:00:00 GMT")
                .header(name, value)
        })
    };
    type Case = (&'static str, Make, Option<(PauseReason, i64)>);
    let cases: Vec<Case> = vec![
        ("nothing", Box::new(move || feed(&one)), None),
        ("max-age", header("cache-control", "Max-Age = 5400"), Some((PauseReason::MaxAge, 90))),
        (
            "max-age cut",
            header("cache-control", "max-age=999999"),
            Some((PauseReason::MaxAge, 300)),
        ),
        ("no-cache", header("cache-control", "no-cache, max-age=5400"), None),
        ("ttl", channel("<ttl>90</ttl>"), Some((PauseReason::Ttl, 90))),
        (
            "skipHours",
            channel("<skipHours><hour>8</hour></skipHours>"),
            Some((PauseReason::SkipWindow, 60)),
        ),
        ("other skipHours", channel("<skipHours><hour>9</hour></skipHours>"), None),
        (
            "skipDays",
            channel("<skipDays><day>Friday</day></skipDays>"),
            Some((PauseReason::SkipWindow, 16 * 60)),
        ),
        ("429 seconds", refused(429, "retry-after", "600"), Some((PauseReason::RetryAfter, 10))),
        (
            "429 date",
            refused(429, "retry-after", "Fri, 15 Jan 2027 08:30:00 GMT"),
            Some((PauseReason::RetryAfter, 30)),
        ),
        ("429 bare", refused(429, "x", "y"), Some((PauseReason::RateLimited, 10))),
        ("503 seconds", refused(503, "retry-after", "600"), Some((PauseReason::RetryAfter, 10))),
        ("503 bare", refused(503, "x", "y"), None),
        ("500", refused(500, "retry-after", "600"), None),
        ("404", refused(404, "x", "y"), Some((PauseReason::Refused, 10))),
        (
            "404 max-age",
            refused(404, "cache-control", "max-age=3600"),
            Some((PauseReason::MaxAge, 60)),
        ),
        ("404 seconds", refused(404, "retry-after", "900"), Some((PauseReason::Refused, 15))),
        ("400", refused(400, "x", "y"), Some((PauseReason::Refused, 10))),
        ("401", refused(401, "x", "y"), Some((PauseReason::Refused, 10))),
        ("403", refused(403, "x", "y"), Some((PauseReason::Refused, 10))),
        ("403 seconds", refused(403, "retry-after", "3600"), Some((PauseReason::RetryAfter, 60))),
        ("418", refused(418, "x", "y"), Some((PauseReason::Refused, 10))),
        ("451", refused(451, "x", "y"), Some((PauseReason::Refused, 10))),
    ];
    for (name, reply, want) in cases {
        let (again, now) = second_poll(reply).await;
        assert_eq!(left(&again, now), want, "{name}: {again:?}");
    }
}

#[tokio::test]
async fn polls_a_gone_source_only_if_forced() {
    let gone = Arc::new(Mutex::new(true));
    let script = gone.clone();
    let server = Server::start(move |_| {
        if *script.lock().unwrap() { Reply::status(410) } else { feed(&[("1", "Back")]) }
    })
    .unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    let engine = home.following().await;
    received(&server, 1).await;
    settled(&engine).await;
    home.clock.advance(100 * DAY);
    let manual = sync_one(&engine, Pace::Manual).await;
    assert_eq!(left(&manual, home.clock.now()).map(|l| l.0), Some(PauseReason::Gone), "{manual:?}");
    let due = sync_one(&engine, Pace::Due).await;
    assert!(matches!(due, Refreshed::NotDue(_)), "{due:?}");
    assert_eq!(server.requests().len(), 1);
    assert!(failure(&sync_one(&engine, Pace::Force).await).unwrap().contains("410"));
    *gone.lock().unwrap() = false;
    assert_eq!(sync_one(&engine, Pace::Force).await, fetched(1, 0, 1));
    assert_eq!(facts(&engine, "s").await.pause, None);
    engine.shutdown().await;
}

#[tokio::test]
async fn the_due_pace_polls_hourly_across_restarts() {
    let server = Server::start(|_| feed(&[("1", "One")]).header("etag", "\"x\"")).unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    for run in 0..4 {
        let engine = home.on_demand().await;
        let refreshed = sync_one(&engine, Pace::Due).await;
        match run {
            0 => assert_eq!(refreshed, fetched(1, 0, 1)),
            _ => assert!(matches!(refreshed, Refreshed::NotDue(at) if at > home.clock.now())),
        }
        engine.shutdown().await;
        home.clock.advance(10 * MINUTE);
    }
    assert_eq!(server.requests().len(), 1);
    home.clock.advance(HOUR);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Due).await, UNCHANGED);
    engine.shutdown().await;
}

#[tokio::test]
async fn a_404_after_a_success_waits_longer_each_time() {
    let found = Arc::new(Mutex::new(true));
    let script = found.clone();
    let server = Server::start(move |_| match *script.lock().unwrap() {
        true => feed(&[("1", "One")]),
        false => Reply::status(404),
    })
    .unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    *found.lock().unwrap() = false;
    for minutes in [10, 20, 40] {
        assert!(failure(&sync_one(&engine, Pace::Manual).await).is_some(), "{minutes}");
        let requested = server.requests().len();
        let again = sync_one(&engine, Pace::Manual).await;
        assert_eq!(left(&again, home.clock.now()), Some((PauseReason::Refused, minutes)));
        assert_eq!(server.requests().len(), requested);
        home.clock.advance(u32::try_from(minutes).unwrap() * MINUTE);
    }
    *found.lock().unwrap() = true;
    assert_eq!(sync_one(&engine, Pace::Force).await, UNCHANGED);
    assert_eq!(sync_one(&engine, Pace::Manual).await, UNCHANGED, "a success ends the back-off");
    engine.shutdown().await;
}

/// The change may have solved the problem, so the next refresh need not be forced.
#[tokio::test]
async fn changed_credentials_end_the_backoff_after_a_4xx() {
    let server = Server::start(|request| match request.header("authorization") {
        Some(_) => feed(&[("1", "Members only")]),
        None => Reply::status(401),
    })
    .unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    let engine = home.on_demand().await;
    assert!(failure(&sync_one(&engine, Pace::Manual).await).is_some());
    let change = SourceChange::default().set("title", "Still the same");
    home.file().update(&[SourceId("s".to_owned())], &change).unwrap();
    engine.reload().await.unwrap();
    assert!(left(&sync_one(&engine, Pace::Manual).await, home.clock.now()).is_some());
    let change = SourceChange::default().set("user", "ann").set("password", "hush");
    home.file().update(&[SourceId("s".to_owned())], &change).unwrap();
    engine.reload().await.unwrap();
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    engine.shutdown().await;
}
