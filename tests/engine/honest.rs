//! Checks that `schedule simulate` matches the engine: both poll forty sources at the same times, to the
//! minute, for four days (or sixty with `HONEST_DAYS=60`, which takes minutes).

use super::*;
use newsfed::engine::{LimitedReplay, histories};
use std::sync::Mutex;

const SOURCES: usize = 40;
/// Number of days to simulate.
fn days() -> i64 {
    std::env::var("HONEST_DAYS").ok().and_then(|days| days.parse().ok()).unwrap_or(4)
}

/// Maximum difference between corresponding polls, in seconds.
const NEAR: i64 = 60;

/// Publication times of a source, in seconds from the start: 0.1 to 13 items a day, mostly during office
/// hours.
fn published(n: usize) -> Vec<i64> {
    let mut random = fastrand::Rng::with_seed(n as u64);
    let rate = 0.1 * 2f64.powi(i32::try_from(n % 8).unwrap());
    let mut at = -20.0 / rate * 86_400.0;
    let mut all = Vec::new();
    while at < days() as f64 * 86_400.0 {
        at += -(1.0 - random.f64()).ln() / rate * 86_400.0;
        let hour = (at / 3600.0).rem_euclid(24.0);
        if (8.0..18.0).contains(&hour) || random.f64() < 0.3 {
            all.push(at as i64);
        }
    }
    all.dedup();
    all
}

/// Elements of the feed's channel that restrict polling.
fn channel(n: usize) -> &'static str {
    match n % 7 {
        3 => "<ttl>180</ttl>",
        4 => "<skipHours><hour>1</hour><hour>2</hour><hour>3</hour></skipHours>",
        _ => "",
    }
}

/// A response with the newest twenty items, or 304. Some servers send no validators, and some send a
/// `max-age`.
fn reply(n: usize, items: &[i64], begin: Time, now: i64, request: &ScriptedRequest) -> Reply {
    let out = items.partition_point(|at| *at <= now);
    let shown = items[out.saturating_sub(20)..out].iter().rev().map(|at| {
        let date = (begin + chrono::TimeDelta::seconds(*at)).to_rfc2822();
        format!(
            "<item><guid isPermaLink=\"false\">{at}</guid><title>Item {at}</title>\
             <pubDate>{date}</pubDate></item>"
        )
    });
    let items: String = shown.collect();
    let body = format!(
        "<rss version=\"2.0\"><channel><title>F</title>{}{items}</channel></rss>",
        channel(n)
    );
    let tag = format!("\"{out}\"");
    let same = request.header("if-none-match") == Some(tag.as_bytes());
    let reply = if same { Reply::status(304) } else { Reply::ok("application/rss+xml", body) };
    match n % 7 {
        1 => reply,
        2 => reply.header("etag", tag).header("cache-control", "max-age=9000"),
        _ => reply.header("etag", tag),
    }
}

/// Poll times of each source, in seconds from the start.
type Requested = Arc<Mutex<BTreeMap<String, Vec<i64>>>>;

fn serve(clock: FakeClock, requested: Requested) -> Server {
    let begin = clock.now();
    let timelines: Vec<Vec<i64>> = (0..SOURCES).map(published).collect();
    Server::start_on(&hosts(7), move |request| {
        let now = (clock.now() - begin).num_seconds();
        let n: usize = request.path[1..].parse().unwrap();
        requested.lock().unwrap().entry(format!("s{n}")).or_default().push(now);
        reply(n, &timelines[n], begin, now, request)
    })
    .unwrap()
}

/// A declared source; some sources have their own limits.
fn declared(n: usize, url: &str) -> Source {
    let mut source = source(&format!("s{n}"), url);
    match n % 10 {
        5 => source.schedule.min_interval = Some(5 * HOUR),
        6 => source.schedule.quiet_hours = Some("23:00-07:00".to_owned()),
        7 => source.schedule.polls_per_day = Some(2.0),
        8 => source.schedule.max_interval = Some(9 * HOUR),
        _ => {}
    }
    source
}

/// Advances the clock from poll to poll. The price of a poll is adjusted every hour.
async fn pass(home: &Home, engine: &Handle, begin: Time) {
    let end = begin + chrono::TimeDelta::days(days());
    let reader = engine.store().reader().unwrap();
    let mut hour = begin;
    loop {
        let now = home.clock.now();
        let counted = || {
            let account = reader.memo("schedule.price").unwrap();
            let account = account.and_then(|a| serde_json::from_str::<serde_json::Value>(&a).ok());
            account.is_some_and(|a| a["counted"].as_str().unwrap().parse::<Time>().unwrap() >= hour)
        };
        soon(async {
            while !counted() {
                tokio::task::yield_now().await;
            }
        })
        .await;
        let mut status = engine.status();
        let idle = |s: &Status| s.total == 0 && s.next.is_some_and(|next| next > now);
        let next = soon(status.wait_for(idle)).await.unwrap().next.unwrap();
        let next = next.min(hour + HOUR);
        if next >= end {
            return;
        }
        if next == hour + HOUR {
            hour = next;
        }
        home.clock.set(next);
    }
}

async fn polls_as_simulated(change: impl FnOnce(&mut ScheduleSettings)) {
    let mut home = Home::new();
    change(&mut home.settings.schedule);
    home.settings.schedule.quiet_hours = Some("02:00-04:00".to_owned());
    let requested = Requested::default();
    let server = serve(home.clock.clone(), requested.clone());
    let ips = hosts(7);
    let sources: Vec<Source> =
        (0..SOURCES).map(|n| declared(n, &server.url_on(ips[n % 7], &format!("/{n}")))).collect();
    home.declare(&sources);
    let begin = home.clock.now();
    let engine = home.following().await;
    pass(&home, &engine, begin).await;
    let known = engine.sources().await.unwrap();
    let known = known.iter().map(|(source, facts)| (&**source, facts));
    let end = begin + chrono::TimeDelta::days(days());
    let all = histories(&engine.store().reader().unwrap(), known, end).unwrap();
    engine.shutdown().await;
    assert_eq!(all.recorded.len(), SOURCES);
    let replay = LimitedReplay::new(all.recorded, home.settings.schedule.clone(), 7);
    let runs = replay.corrected(1.0);
    let requested = requested.lock().unwrap().clone();
    let mut polls = 0;
    for (recorded, run) in replay.recorded.iter().zip(&runs) {
        let engine = &requested[&recorded.source.id.0];
        let simulated: Vec<i64> = run.polls().map(|at| (at - begin).num_seconds()).collect();
        let differs = engine.iter().zip(&simulated).position(|(a, b)| (a - b).abs() > NEAR);
        assert_eq!(
            (differs, engine.len()),
            (None, simulated.len()),
            "{}: {:?} {:?}",
            recorded.source.id,
            differs.map(|n| &engine[n.saturating_sub(2)..=n]),
            differs.map(|n| &simulated[n.saturating_sub(2)..=n]),
        );
        polls += engine.len();
    }
    assert!(polls > SOURCES * days() as usize, "{polls}");
}

#[tokio::test]
async fn fixed_intervals_match_the_simulation() {
    polls_as_simulated(|settings| settings.interval = 4 * HOUR).await;
}

#[tokio::test]
async fn change_rates_match_the_simulation() {
    polls_as_simulated(|settings| {
        settings.policy = PolicyKind::ChangeRate;
        settings.change_rate_gain = 0.3;
    })
    .await;
}

#[tokio::test]
async fn medians_match_the_simulation() {
    polls_as_simulated(|settings| {
        settings.policy = PolicyKind::Advarss;
        settings.advarss_tick = 20 * MINUTE;
        settings.advarss_growth = true;
        settings.advarss_random_first = true;
    })
    .await;
}

#[tokio::test]
async fn learned_plans_match_the_simulation() {
    polls_as_simulated(|settings| {
        settings.policy = PolicyKind::Learned;
        settings.polls_per_day = 4.0;
    })
    .await;
}
