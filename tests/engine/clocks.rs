//! Clocks that advance, jump and go backwards.

use super::*;

/// Twelve sources on three hosts, after their first poll.
async fn polled_once() -> (Server, Home, Handle) {
    let ips = hosts(3);
    let server =
        Server::start_on(&ips, |r| feed(&[(&r.path, &r.path)]).header("etag", "\"x\"")).unwrap();
    let sources: Vec<_> = (0..12)
        .map(|n| source(&format!("s{n}"), &server.url_on(ips[n % 3], &format!("/{n}"))))
        .collect();
    let home = Home::with(&sources);
    let engine = home.following().await;
    received(&server, 12).await;
    settled(&engine).await;
    (server, home, engine)
}

/// The minutes until the earliest and the latest planned poll.
async fn planned(home: &Home, engine: &Handle) -> (i64, i64) {
    let all = engine.sources().await.unwrap();
    let waits = || all.iter().map(|(_, f)| (f.next_poll.unwrap() - home.clock.now()).num_minutes());
    (waits().min().unwrap(), waits().max().unwrap())
}

#[tokio::test]
async fn polls_every_source_once_an_hour() {
    let (server, home, engine) = polled_once().await;
    for hour in 1..=3 {
        let (nearest, farthest) = planned(&home, &engine).await;
        assert!(nearest >= 60 && farthest <= 64, "{nearest} to {farthest} minutes");
        // After 59 minutes, no poll is due yet.
        home.clock.advance(59 * MINUTE);
        replanned(&engine).await;
        assert_eq!(server.requests().len(), 12 * hour);
        home.clock.advance(6 * MINUTE);
        received(&server, 12 * (hour + 1)).await;
        settled(&engine).await;
    }
    assert_eq!(server.requests().len(), 12 * 4);
    engine.shutdown().await;
}

#[tokio::test]
async fn a_source_can_have_its_own_quiet_hours() {
    let server = Server::start(|r| feed(&[(&r.path, &r.path)]).header("etag", "\"x\"")).unwrap();
    let (usual, mut quiet) = (source("a", &server.url("/a")), source("b", &server.url("/b")));
    let home = Home::new();
    let now = home.clock.now().with_timezone(&chrono::Local);
    let hours = [0, 4].map(|h| (now + chrono::TimeDelta::hours(h)).format("%H:%M").to_string());
    quiet.schedule.quiet_hours = Some(hours.join("-"));
    home.declare(&[usual, quiet]);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    let wait =
        async |id| (facts(&engine, id).await.next_poll.unwrap() - home.clock.now()).num_minutes();
    assert!(wait("a").await <= 64 && wait("b").await >= 239);
    engine.shutdown().await;
}

#[tokio::test]
async fn keeps_a_configured_interval() {
    let server = Server::start(|r| match r.path.as_str() {
        "/costly" => feed(&[("1", "One")]),
        path => feed(&[(path, path)]).header("etag", "\"x\""),
    })
    .unwrap();
    let every = |id: &str, path: &str, interval: Option<Duration>| Source {
        interval,
        ..source(id, &server.url(path))
    };
    let sources = [
        every("ten", "/ten", Some(10 * MINUTE)),
        every("least", "/least", Some(MINUTE)),
        every("costly", "/costly", Some(6 * MINUTE)),
        every("rare", "/rare", Some(3 * DAY)),
        every("all", "/all", None),
    ];
    let mut home = Home::with(&sources);
    home.settings.schedule.interval = 20 * MINUTE;
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    for (id, minutes) in [("ten", 10), ("least", 5), ("costly", 6), ("rare", 3 * 1440), ("all", 20)]
    {
        let facts = facts(&engine, id).await;
        let wait = (facts.next_poll.unwrap() - home.clock.now()).num_minutes();
        assert!((minutes..=minutes + 1).contains(&wait), "{id}: {wait}, {:?}", facts.planned);
    }
    engine.shutdown().await;
}

/// The policy decides the intervals, without the minimum for sources that rarely publish.
#[tokio::test]
async fn advarss_polls_after_its_own_number_of_ticks() {
    let server = Server::start(|r| feed(&[(&r.path, &r.path)]).header("etag", "\"x\"")).unwrap();
    let mut home = Home::with(&[source("s", &server.url("/"))]);
    home.settings.schedule.policy = PolicyKind::Advarss;
    let engine = home.following().await;
    let mut waits = Vec::new();
    for polls in 1..=4 {
        received(&server, polls).await;
        let next = settled(&engine).await.next.unwrap();
        waits.push((next - home.clock.now()).num_minutes() / 8);
        home.clock.set(next);
    }
    assert_eq!(waits, [2, 2, 3, 5], "M is 1.6, 1.9, 2.68 and 4.03");
    engine.shutdown().await;
}

#[tokio::test]
async fn a_restart_polls_nothing_early() {
    let (server, home, engine) = polled_once().await;
    engine.shutdown().await;
    for _ in 0..3 {
        let engine = home.following().await;
        let next = settled(&engine).await.next.unwrap();
        assert!(next > home.clock.now());
        engine.shutdown().await;
    }
    assert_eq!(server.requests().len(), 12);
}

#[tokio::test]
async fn a_clock_set_back_causes_neither_stall_nor_burst() {
    let (server, home, engine) = polled_once().await;
    home.clock.set(home.clock.now() - DAY);
    replanned(&engine).await;
    let (nearest, farthest) = planned(&home, &engine).await;
    assert!(nearest >= 60 && farthest <= 64, "{nearest} to {farthest} minutes");
    assert_eq!(server.requests().len(), 12, "nothing immediately");
    home.clock.advance(65 * MINUTE);
    received(&server, 24).await;
    settled(&engine).await;
    assert_eq!(server.requests().len(), 24);
    engine.shutdown().await;
    let engine = home.following().await;
    settled(&engine).await;
    assert_eq!(server.requests().len(), 24, "corrected once, not at every start");
    engine.shutdown().await;
}

/// Simulates `sync --due` from cron, where no engine runs between the polls.
#[tokio::test]
async fn detects_a_clock_set_back_between_two_runs() {
    let server = Server::start(|r| feed(&[(&r.path, &r.path)]).header("etag", "\"x\"")).unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    let due = async || {
        let engine = home.on_demand().await;
        let result = sync_one(&engine, Pace::Due).await;
        engine.shutdown().await;
        result
    };
    let right = home.clock.now();
    home.clock.advance(400 * DAY);
    assert_eq!(due().await, fetched(1, 0, 1));
    home.clock.set(right);
    assert!(matches!(due().await, Refreshed::NotDue(at) if at < right + 2 * HOUR));
    home.clock.advance(65 * MINUTE);
    assert_eq!(due().await, UNCHANGED);
}

/// A machine without a clock battery may even start long before 1970.
#[tokio::test]
async fn a_clock_before_1970_works() {
    let server = Server::start(|r| feed(&[(&r.path, &r.path)])).unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    home.clock.set(Time::from_timestamp(-1_000_000_000, 0).unwrap());
    let engine = home.following().await;
    received(&server, 1).await;
    settled(&engine).await;
    assert_eq!(titles(&engine), ["/"]);
    why(&engine, "s", &home).await;
    engine.shutdown().await;
}

#[tokio::test]
async fn a_clock_ten_years_ahead_polls_everything_once() {
    let (server, home, engine) = polled_once().await;
    let begun = home.clock.now();
    home.clock.advance(3653 * DAY);
    received(&server, 24).await;
    settled(&engine).await;
    assert_eq!(server.requests().len(), 24);
    let (nearest, farthest) = planned(&home, &engine).await;
    assert!(nearest >= 60 && farthest <= 64, "{nearest} to {farthest} minutes");
    // The clock is set back to the correct time.
    home.clock.set(begun + 10 * MINUTE);
    replanned(&engine).await;
    assert_eq!(server.requests().len(), 24);
    let (nearest, farthest) = planned(&home, &engine).await;
    assert!(nearest >= 60 && farthest <= 64, "{nearest} to {farthest} minutes");
    engine.shutdown().await;
}

#[tokio::test]
async fn the_next_check_uses_the_settings_of_a_draft() {
    let (_server, home, engine) = polled_once().await;
    let (source, facts) = engine.sources().await.unwrap().remove(0);
    let reader = engine.store().reader().unwrap();
    let (schedule, now) = (&home.settings.schedule, home.clock.now());
    let next = |source: &Source| {
        let facts = facts.clone();
        newsfed::engine::next_check_with(&reader, source, facts, schedule, now).unwrap().next
    };
    assert_eq!(next(&source), facts.next_poll, "the same settings");
    let hours = |hours: u64| Source {
        interval: Some(std::time::Duration::from_secs(hours * 3600)),
        ..(*source).clone()
    };
    let [short, long] = [6, 24].map(|n| next(&hours(n)).unwrap() - facts.last_poll.unwrap());
    assert!((5.0..7.0).contains(&(short.as_seconds_f64() / 3600.0)), "{short}");
    assert!((21.0..27.0).contains(&(long.as_seconds_f64() / 3600.0)), "{long}");
    assert_eq!(next(&Source { enabled: false, ..(*source).clone() }), None);
    engine.shutdown().await;
}
