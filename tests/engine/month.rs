//! A simulated month: sources that publish, reject requests, fail and fall silent, and a machine that sleeps
//! for two days.

use super::*;
use std::sync::Mutex;

const DAYS: i64 = 30;
/// Polls per source per day.
const BUDGET: f64 = 12.0;

/// The sources: path, items per day, and whether items have dates.
const SOURCES: [(&str, f64, bool); 8] = [
    ("/seldom", 0.2, true),
    ("/daily", 1.0, true),
    ("/limited", 4.0, true),
    ("/beside-limited", 4.0, true),
    ("/failing", 6.0, true),
    ("/undated", 8.0, false),
    ("/busy", 24.0, true),
    ("/silent", 12.0, true),
];

/// A range of days as seconds from the start of the month.
fn days(from: i64, until: i64) -> std::ops::Range<i64> {
    from * 86_400..until * 86_400
}

fn limited() -> i64 {
    5 * 86_400
}

fn outage() -> std::ops::Range<i64> {
    days(9, 11)
}

fn asleep() -> std::ops::Range<i64> {
    days(18, 20)
}

/// Publication times of a source's items, in seconds from the start of the month.
fn published(rate: f64, until: i64, seed: u64) -> Vec<i64> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut at = -20.0 / rate * 86_400.0;
    let mut all = Vec::new();
    while at < until as f64 {
        at += -(1.0 - random.f64()).ln() / rate * 86_400.0;
        all.push(at as i64);
    }
    all
}

/// The feed at a given time, with its newest twenty items.
fn document(items: &[i64], begin: Time, now: i64, dated: bool) -> Reply {
    let out = items.partition_point(|at| *at <= now);
    let shown = items[out.saturating_sub(20)..out].iter().rev().map(|at| {
        let date = (begin + chrono::TimeDelta::seconds(*at)).to_rfc2822();
        let date = if dated { format!("<pubDate>{date}</pubDate>") } else { String::new() };
        format!(
            "<item><guid isPermaLink=\"false\">{at}</guid><title>Item {at}</title>{date}</item>"
        )
    });
    let items: String = shown.collect();
    let body = format!("<rss version=\"2.0\"><channel><title>F</title>{items}</channel></rss>");
    Reply::ok("application/rss+xml", body).header("etag", format!("\"{out}\""))
}

/// Times and paths of the requests, with times in seconds from the start.
type Requested = Arc<Mutex<Vec<(i64, String)>>>;

fn serve(clock: FakeClock, requested: Requested) -> Server {
    let begin = clock.now();
    let timelines: BTreeMap<&str, (Vec<i64>, bool)> = SOURCES
        .iter()
        .zip(1..)
        .map(|((path, rate, dated), seed)| {
            let until = if *path == "/silent" { 12 } else { DAYS } * 86_400;
            (*path, (published(*rate, until, seed), *dated))
        })
        .collect();
    Server::start_on(&hosts(7), move |request| {
        let now = (clock.now() - begin).num_seconds();
        let path = request.path.clone();
        requested.lock().unwrap().push((now, path.clone()));
        match path.as_str() {
            // The server responds like this only to the first poll on the sixth day.
            "/limited"
                if requested
                    .lock()
                    .unwrap()
                    .iter()
                    .filter(|(at, p)| *p == path && *at >= limited())
                    .count()
                    == 1 =>
            {
                return Reply::status(429).header("retry-after", "21600");
            }
            "/failing" if outage().contains(&now) => return Reply::status(500),
            _ => {}
        }
        let (items, dated) = &timelines[path.as_str()];
        let reply = document(items, begin, now, *dated);
        let known = request.header("if-none-match").map(<[u8]>::to_vec);
        let tag = reply.headers.iter().find(|(name, _)| name == "etag").map(|(_, v)| v.clone());
        if known.is_some() && known == tag { Reply::status(304) } else { reply }
    })
    .unwrap()
}

/// Advances the clock from poll to poll, and skips the two days of sleep in one step.
async fn pass(home: &Home, engine: &Handle, begin: Time) {
    let end = begin + chrono::TimeDelta::days(DAYS);
    let sleep = asleep();
    loop {
        let now = home.clock.now();
        let mut status = engine.status();
        let idle = |s: &Status| s.total == 0 && s.next.is_some_and(|next| next > now);
        let next = soon(status.wait_for(idle)).await.unwrap().next.unwrap();
        let next = next.min(now + chrono::TimeDelta::minutes(30));
        let since = (next - begin).num_seconds();
        let next = if sleep.contains(&since) {
            begin + chrono::TimeDelta::seconds(sleep.end)
        } else {
            next
        };
        if next >= end {
            return;
        }
        home.clock.set(next);
    }
}

#[tokio::test]
async fn polls_for_a_month_politely_and_within_the_budget() {
    let mut home = Home::new();
    home.settings.schedule.policy = PolicyKind::Learned;
    home.settings.schedule.polls_per_day = BUDGET;
    let requested = Requested::default();
    let server = serve(home.clock.clone(), requested.clone());
    let ips = hosts(7);
    // The rate-limited source and the next one share a host.
    let host = |n: usize| ips[if n >= 3 { n - 1 } else { n }];
    let sources: Vec<Source> = (0..)
        .zip(SOURCES)
        .map(|(n, (path, ..))| source(&path[1..], &server.url_on(host(n), path)))
        .collect();
    home.declare(&sources);
    let begin = home.clock.now();
    let engine = home.following().await;
    pass(&home, &engine, begin).await;
    let found = items(&engine).len();
    engine.shutdown().await;
    let requested = requested.lock().unwrap().clone();
    let of = |path: &str| -> Vec<i64> {
        requested.iter().filter(|(_, p)| p == path).map(|(at, _)| *at).collect()
    };

    // Politeness: at least five minutes between polls, and an hour if items are days apart.
    for (path, rate, _) in SOURCES {
        let least = if rate < 1.0 { 3600 } else { 300 };
        let gaps = of(path).windows(2).map(|w| w[1] - w[0]).min().unwrap();
        assert!(gaps >= least, "{path}: {gaps} s");
    }
    let refused = *of("/limited").iter().find(|at| **at >= limited()).unwrap();
    for path in ["/limited", "/beside-limited"] {
        let during_pause =
            of(path).into_iter().filter(|at| (refused + 1..refused + 21_600).contains(at));
        assert_eq!(during_pause.count(), 0, "{path} was paused with its host");
    }
    let during = of("/failing").into_iter().filter(|at| outage().contains(at)).count();
    assert!((2..=12).contains(&during), "{during} polls of a host that is down");

    // No starvation: at most a day between polls, except during the sleep.
    for (path, ..) in SOURCES {
        let mut polls = of(path);
        polls.push(DAYS * 86_400);
        let awake = |w: &&[i64]| !(w[0] < asleep().end && w[1] >= asleep().start);
        let longest = polls.windows(2).filter(awake).map(|w| w[1] - w[0]).max().unwrap();
        assert!(longest <= 86_400 + 120, "{path}: {longest} s");
    }

    // No burst: after the sleep, each source is polled once, however many polls were missed.
    let woken = asleep().end..asleep().end + 240;
    for (path, ..) in SOURCES {
        let at_once = of(path).into_iter().filter(|at| woken.contains(at)).count();
        assert_eq!(at_once, 1, "{path}");
    }
    let silent = of("/silent");
    let week = |from| silent.iter().filter(|at| days(from, from + 7).contains(at)).count();
    assert!(week(23) * 2 < week(4), "{} after {}", week(23), week(4));

    // The mean number of polls, in the last week before the sleep and in the last week, matches the budget.
    for from in [11, 23] {
        let used = requested.iter().filter(|(at, _)| days(from, from + 7).contains(at)).count();
        let per_day = used as f64 / 7.0 / SOURCES.len() as f64;
        assert!((per_day / BUDGET - 1.0).abs() < 0.1, "{per_day} polls per source per day");
    }
    // All items were stored, except those lost during the sleep: the feed contains only twenty items.
    let out: usize = SOURCES
        .iter()
        .zip(1..)
        .map(|((path, rate, _), seed)| {
            let until = if *path == "/silent" { 12 } else { DAYS } * 86_400;
            published(*rate, until, seed).len()
        })
        .sum();
    assert!(found as f64 > 0.93 * out as f64, "{found} of {out}");
}
