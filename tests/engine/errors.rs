//! Servers that fail in all possible ways: nothing is lost, other sources stay on schedule, and the source
//! recovers automatically.

use super::*;
use newsfed::config::FileChange;
use newsfed::demo::server::Failure;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server with two hosts: the first responds as set in `script`, and the second always works. Each host has
/// a source that was polled once.
struct SelectorProblem {
    server: Server,
    home: Home,
    engine: Handle,
    script: Arc<Mutex<Option<Reply>>>,
}

/// The failing feed after this many days. It has one more item each day.
fn article(day: usize) -> Reply {
    let titles: Vec<String> = (0..=day).rev().map(|n| format!("Item {n}")).collect();
    let items: Vec<_> = titles.iter().map(|t| (t.as_str(), t.as_str())).collect();
    feed(&items).header("etag", format!("\"{day}\""))
}

impl SelectorProblem {
    async fn new() -> Self {
        let script = Arc::new(Mutex::new(None));
        let (theirs, bad) = (script.clone(), hosts(2)[0]);
        let server = Server::start_on(&hosts(2), move |request| {
            if request.ip != bad {
                return feed(&[("1", "Well")]).header("etag", "\"x\"");
            }
            theirs.lock().unwrap().clone().unwrap_or_else(|| article(0))
        })
        .unwrap();
        let [bad, well] = hosts(2)[..] else { panic!("two hosts") };
        let mut home = Home::with(&[
            source("bad", &server.url_on(bad, "/")),
            source("well", &server.url_on(well, "/")),
        ]);
        home.settings.net.feed_timeout = Duration::from_millis(300);
        let engine = home.following().await;
        received(&server, 2).await;
        settled(&engine).await;
        Self { server, home, engine, script }
    }

    fn answer(&self, reply: Reply) {
        *self.script.lock().unwrap() = Some(reply);
    }

    /// Minutes until the next poll of a source.
    async fn wait(&self, id: &str) -> i64 {
        (facts(&self.engine, id).await.next_poll.unwrap() - self.home.clock.now()).num_minutes()
    }
}

/// Maximum delay until a source recovers: the interval, doubled after one failure, plus jitter.
const HEALED: Duration = Duration::from_secs(125 * 60);

#[tokio::test]
async fn sources_lose_no_items_and_recover_after_failed_responses() {
    let whole = || article(1);
    let zipped = |cut: usize| {
        use std::io::Write;
        let mut zip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        zip.write_all(&whole().body).unwrap();
        let bytes = zip.finish().unwrap();
        let body = bytes[..bytes.len() - cut].to_vec();
        Reply::ok("text/xml", body).header("content-encoding", "gzip").header("etag", "\"half\"")
    };
    let cases = [
        ("reset", whole().failing(Failure::Reset), "closed the connection"),
        ("half a body", whole().failing(Failure::HalfBody), "closed the connection"),
        ("half a zipped body", zipped(20), "cannot be read"),
        ("stall", whole().failing(Failure::Stall), "did not respond completely within 0.3 s"),
        (
            "silence",
            whole().failing(Failure::NeverAnswer),
            "did not respond completely within 0.3 s",
        ),
        ("server error", Reply::status(500), "500"),
        ("bad gateway", Reply::ok("text/html", "<h1>Bad gateway</h1>").with_status(502), "502"),
        ("log-in page", Reply::ok("text/html", "<html><p>Log in</html>"), "feed"),
        ("nothing", Reply::ok("text/xml", "").header("etag", "\"empty\""), "empty"),
    ];
    for (name, broken, words) in cases {
        let t = SelectorProblem::new().await;
        t.answer(broken);
        t.home.clock.advance(65 * MINUTE);
        received(&t.server, 4).await;
        settled(&t.engine).await;
        let bad = facts(&t.engine, "bad").await;
        assert_eq!((bad.fail_count, bad.items), (1, 1), "{name}");
        assert_eq!(bad.validators.etag.as_deref(), Some(&b"\"0\""[..]), "{name}: what was read");
        let Some(Outcome::Failed { message, .. }) = &bad.last_outcome else { panic!("{name}") };
        assert!(message.contains(words), "{name}: {message}");
        let logged = polls(&t.engine).into_iter().find_map(|p| match p.outcome {
            Outcome::Failed { message, .. } => Some(message),
            _ => None,
        });
        assert_eq!(logged.as_ref(), Some(message), "{name}");
        // The other source keeps its interval of an hour. The failing one is retried later.
        assert!((60..=64).contains(&t.wait("well").await), "{name}");
        let wait = t.wait("bad").await;
        assert!((60..=120).contains(&wait), "{name}: {wait} minutes");
        t.answer(whole());
        t.home.clock.advance(HEALED);
        received(&t.server, 6).await;
        settled(&t.engine).await;
        let bad = facts(&t.engine, "bad").await;
        assert_eq!((bad.fail_count, bad.items), (0, 2), "{name}: healed");
        assert!((60..=64).contains(&t.wait("bad").await), "{name}: back to its hour");
        let sent = t.server.requests();
        let last = sent.iter().rfind(|r| r.ip == hosts(1)[0]).unwrap();
        assert_eq!(last.header("if-none-match"), Some(&b"\"0\""[..]), "{name}");
        t.engine.shutdown().await;
    }
}

/// For a day, a third of all requests fail, pseudo-randomly. On the next day, all requests succeed.
#[tokio::test]
async fn random_failures_lose_nothing_and_affect_no_healthy_sources() {
    const HOSTS: usize = 8;
    const FEEDS: usize = 24;
    let start = Time::from_timestamp(1_800_000_000, 0).unwrap();
    let clock = FakeClock::new(start);
    let now = clock.clone();
    let server = Server::start_on(&hosts(HOSTS as u8), move |request| {
        let hours = (now.now() - start).num_hours();
        // The feed has fifteen items; a new item appears every two hours.
        let newest = hours / 2;
        let titles: Vec<String> =
            (newest - 14..=newest).rev().map(|n| format!("{} {n}", request.path)).collect();
        let items: Vec<_> = titles.iter().map(|t| (t.as_str(), t.as_str())).collect();
        let whole = feed(&items).header("etag", format!("\"{newest}\""));
        // A third of the feeds never fail.
        let number: usize = request.path[1..].parse().unwrap();
        let mut random = fastrand::Rng::with_seed(number as u64 * 1000 + hours as u64);
        if hours >= 24 || number < FEEDS / 3 || random.bool() {
            return whole;
        }
        match random.u8(..5) {
            0 => whole.failing(Failure::Reset),
            1 => whole.failing(Failure::HalfBody),
            2 => whole.failing(Failure::Stall),
            3 => Reply::status(500),
            _ => Reply::ok("text/html", "<p>Out of order"),
        }
    })
    .unwrap();
    let ips = hosts(HOSTS as u8);
    let sources: Vec<_> = (0..FEEDS)
        .map(|n| source(&format!("s{n}"), &server.url_on(ips[n % HOSTS], &format!("/{n}"))))
        .collect();
    let mut home = Home { clock, ..Home::with(&sources) };
    home.settings.net.feed_timeout = Duration::from_millis(300);
    let engine = home.following().await;
    received(&server, FEEDS).await;
    settled(&engine).await;
    // Runs for two days, because no source waits more than a day after failures.
    while home.clock.now() < start + 50 * HOUR {
        // Advances the clock to the next planned poll.
        let next = settled(&engine).await.next.unwrap();
        let requested = server.requests().len();
        home.clock.set(next);
        received(&server, requested + 1).await;
        settled(&engine).await;
    }
    let requests = server.requests();
    let of = |n: usize| requests.iter().filter(|r| r.path == format!("/{n}")).count();
    for n in 0..FEEDS {
        let facts = facts(&engine, &format!("s{n}")).await;
        assert_eq!(facts.fail_count, 0, "s{n} has recovered");
        if n < FEEDS / 3 {
            assert!((46..=51).contains(&of(n)), "s{n} was polled {} times", of(n));
        } else {
            assert!(of(n) <= 51, "s{n} was polled {} times", of(n));
        }
        // Healthy feeds have all items; failing feeds have all items that were still in the feed when they
        // recovered.
        let (title, first) = (format!("/{n} "), if n < FEEDS / 3 { 0 } else { 12 });
        let found: Vec<String> =
            titles(&engine).into_iter().filter(|t| t.starts_with(&title)).collect();
        for item in first..24 {
            assert!(found.contains(&format!("{title}{item}")), "s{n} misses {item}: {found:?}");
        }
        assert_eq!(found.len(), found.iter().collect::<std::collections::HashSet<_>>().len());
    }
    let polls = engine.store().reader().unwrap().polls(PollFilter::default(), 5000).unwrap();
    let failed = polls.iter().filter(|(_, p)| matches!(p.outcome, Outcome::Failed { .. })).count();
    assert!(failed >= 60, "{failed} polls failed");
    engine.shutdown().await;
}

#[tokio::test]
async fn an_unknown_host_does_not_affect_others() {
    let server = Server::start(|_| feed(&[("1", "One")])).unwrap();
    // DNS labels cannot be this long, so no DNS query is sent.
    let nowhere = format!("http://{}.example/", "n".repeat(64));
    let home = Home::with(&[source("here", &server.url("/")), source("nowhere", &nowhere)]);
    let engine = home.on_demand().await;
    let all = sync(&engine, Pace::Manual).await;
    assert_eq!(all["here"], fetched(1, 0, 1));
    let why = failure(&all["nowhere"]).unwrap();
    assert!(why.contains("was not found") && why.contains("check the URL"), "{why}");
    assert!(!engine.status().borrow().offline, "one name is not the network");
    engine.shutdown().await;
}

/// A laptop is suspended during a poll; the clock is eight hours later when it wakes up.
#[tokio::test]
async fn polls_everything_once_after_eight_hours_of_suspend() {
    let well = |r: &ScriptedRequest| feed(&[(&r.path, &r.path)]).header("etag", "\"x\"");
    let ips = hosts(3);
    let server = Server::start_on(&ips, well).unwrap();
    let (open, opened) = std::sync::mpsc::channel::<()>();
    let opened = Mutex::new(opened);
    let held_up = Server::start(move |request| {
        let _ = opened.lock().unwrap().recv();
        well(request)
    })
    .unwrap();
    // `open` must be dropped before the server, which waits for it.
    let open = open;
    let mut sources: Vec<_> = (0..30)
        .map(|n| source(&format!("s{n}"), &server.url_on(ips[n % 3], &format!("/{n}"))))
        .collect();
    sources.push(source("slow", &held_up.url("/slow")));
    let home = Home::with(&sources);
    let engine = home.following().await;
    // All polls have finished, except the slow one, which is still running.
    let mut status = engine.status();
    soon(status.wait_for(|s| (s.done, s.total) == (30, 31))).await.unwrap();
    home.clock.advance(8 * HOUR);
    received(&server, 60).await;
    open.send(()).unwrap();
    settled(&engine).await;
    let slow = facts(&engine, "slow").await;
    assert_eq!((slow.fail_count, slow.items), (0, 1), "the response after waking counts");
    let requests = server.requests();
    for n in 0..30 {
        let count = requests.iter().filter(|r| r.path == format!("/{n}")).count();
        assert_eq!(count, 2, "s{n}: once before and once after");
    }
    let all = engine.sources().await.unwrap();
    for (source, facts) in all.iter().filter(|(s, _)| s.id.0 != "slow") {
        let wait = (facts.next_poll.unwrap() - home.clock.now()).num_minutes();
        assert!((60..=64).contains(&wait), "{}: {wait} minutes", source.id);
    }
    drop(open);
    engine.shutdown().await;
}

/// An editor or a full disk truncates `sources.toml` while the engine is running.
#[tokio::test]
async fn ignores_a_truncated_sources_file_until_it_is_complete() {
    let server = Server::start(|r| feed(&[(&r.path, &r.path)]).header("etag", "\"x\"")).unwrap();
    let home = Home::with(&[source("a", &server.url("/a")), source("b", &server.url("/b"))]);
    let engine = home.following().await;
    received(&server, 2).await;
    settled(&engine).await;
    let file = home.paths().sources_file();
    let whole = std::fs::read_to_string(&file).unwrap();
    let added = format!("{whole}\n[[source]]\nid = \"c\"\nurl = \"{}\"\n", server.url("/c"));
    // The file is truncated in the last URL, so that it is never valid.
    for cut in whole.rfind("http").unwrap()..whole.trim_end().len() {
        std::fs::write(&file, &whole[..cut]).unwrap();
        let error = engine.reload().await.unwrap_err().to_string();
        assert!(error.contains("sources.toml:"), "{cut}: {error}");
        // A refresh also reads the file, and continues with the known sources.
        let all = sync(&engine, Pace::Manual).await;
        assert_eq!(all.keys().collect::<Vec<_>>(), ["a", "b"], "{cut}");
        assert!(engine.edit(FileChange::Remove(vec![SourceId("a".to_owned())])).await.is_err());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), whole[..cut], "not overwritten");
    }
    std::fs::write(&file, &added).unwrap();
    // When the file is complete, its new sources are due immediately.
    sync(&engine, Pace::Manual).await;
    settled(&engine).await;
    assert_eq!(items(&engine).len(), 3);
    engine.shutdown().await;
}

/// Some editors rename the file before they write a new one, and a file system can be unmounted.
#[tokio::test]
async fn a_missing_sources_file_removes_no_sources() {
    let server = Server::start(|r| feed(&[(&r.path, &r.path)]).header("etag", "\"x\"")).unwrap();
    let home = Home::with(&[source("a", &server.url("/a")), source("b", &server.url("/b"))]);
    let engine = home.following().await;
    received(&server, 2).await;
    settled(&engine).await;
    let file = home.paths().sources_file();
    let away = file.with_extension("away");
    std::fs::rename(&file, &away).unwrap();
    let all = sync(&engine, Pace::Manual).await;
    assert_eq!(all.keys().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(engine.sources().await.unwrap().len(), 2);
    let error = settled(&engine).await.declaration_error.unwrap();
    assert!(error.contains("sources.toml: is missing; the sources stay"), "{error}");
    // Writing a new file with one source would lose the others.
    let added = engine.declare(vec![source("c", &server.url("/c"))]).await;
    assert!(added.unwrap_err().to_string().contains("is missing") && !file.exists());
    std::fs::rename(&away, &file).unwrap();
    sync(&engine, Pace::Manual).await;
    assert_eq!(settled(&engine).await.declaration_error, None);
    // An empty file means that the user has no sources.
    std::fs::write(&file, "").unwrap();
    assert!(sync(&engine, Pace::Manual).await.is_empty());
    engine.shutdown().await;
}

/// Even if the settings are invalid, a change to the sources is saved and can be undone.
#[tokio::test]
async fn invalid_settings_do_not_prevent_undo() {
    let server = Server::start(|r| feed(&[(&r.path, &r.path)]).header("etag", "\"x\"")).unwrap();
    let home = Home::with(&[source("a", &server.url("/a")), source("b", &server.url("/b"))]);
    let engine = home.following().await;
    received(&server, 2).await;
    settled(&engine).await;
    let (sources, settings) = (home.paths().sources_file(), home.paths().config_file());
    let text = || std::fs::read_to_string(&sources).unwrap();
    let (before, valid) = (text(), std::fs::read(&settings).unwrap_or_default());
    std::fs::write(&settings, "nonsense = 3\n").unwrap();
    let removed = engine.edit(FileChange::Remove(vec![SourceId("a".to_owned())])).await.unwrap();
    let without = text();
    assert!(!without.contains("id = \"a\"") && without.contains("id = \"b\""), "{without}");
    let mut status = engine.status();
    let summary = soon(status.wait_for(|s| s.declaration_error.is_some()))
        .await
        .unwrap()
        .declaration_error
        .clone();
    assert!(summary.is_some_and(|error| error.contains("nonsense")));
    engine.edit(FileChange::Revert(removed.edits)).await.unwrap();
    assert_eq!(text(), before);
    let title = SourceChange::default().set("title", "Mine");
    let edited =
        engine.edit(FileChange::Sources(vec![(SourceId("b".to_owned()), title)])).await.unwrap();
    assert!(text().contains("title = \"Mine\""));
    engine.edit(FileChange::Revert(edited.edits)).await.unwrap();
    assert_eq!(text(), before);
    std::fs::write(&settings, valid).unwrap();
    // A refresh detects that the settings are valid again.
    assert_eq!(sync(&engine, Pace::Manual).await.len(), 2);
    soon(status.wait_for(|s| s.declaration_error.is_none())).await.unwrap();
    engine.shutdown().await;
}

/// The clues in a URL about the publishing rate are used even if the first poll fails.
#[tokio::test]
async fn a_failed_first_poll_keeps_clues_from_the_url() {
    let broken = Arc::new(Mutex::new(true));
    let theirs = broken.clone();
    let server = Server::start(move |_| {
        if *theirs.lock().unwrap() { Reply::status(500) } else { feed(&[("1", "Old")]) }
    })
    .unwrap();
    let mut home = Home::with(&[source("s", &server.url("/archive"))]);
    home.settings.schedule.policy = PolicyKind::Learned;
    let engine = home.on_demand().await;
    assert!(failure(&sync_one(&engine, Pace::Manual).await).is_some());
    *broken.lock().unwrap() = false;
    assert_eq!(sync_one(&engine, Pace::Force).await, fetched(1, 0, 1));
    let (source, facts) = engine.sources().await.unwrap().remove(0);
    let reader = engine.store().reader().unwrap();
    let settings = &home.settings.schedule;
    let why = newsfed::engine::why(&reader, &source, &facts, settings, home.clock.now()).unwrap();
    let rate = why.explanation.items_per_day;
    assert!(rate < 0.1, "{rate} items per day of an archive");
    engine.shutdown().await;
}

/// `net.max_body` may be higher, because it also applies to sitemaps and files.
#[tokio::test]
async fn does_not_read_a_feed_that_exceeds_its_limit() {
    let size = newsfed::util::limits::FEED_BYTES + 1;
    let server = Server::start(move |_| Reply::ok("text/xml", vec![b' '; size])).unwrap();
    let mut home = Home::with(&[source("s", &server.url("/"))]);
    home.settings.net.max_body = 1 << 30;
    let engine = home.on_demand().await;
    let refreshed = sync_one(&engine, Pace::Manual).await;
    assert!(failure(&refreshed).unwrap().contains("10 MiB for feeds"), "{refreshed:?}");
    assert_eq!(polls(&engine)[0].bytes, 0, "its length was announced");
    engine.shutdown().await;
}

#[tokio::test]
async fn retries_by_the_user_do_not_lengthen_the_backoff() {
    let polls = AtomicUsize::new(0);
    let server = Server::start(move |_| match polls.fetch_add(1, Ordering::SeqCst) {
        0 => feed(&[("1", "One")]),
        _ => Reply::status(500),
    })
    .unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    let mut waits = Vec::new();
    for failures in 1..=8 {
        home.clock.advance(MINUTE);
        sync_one(&engine, Pace::Manual).await;
        let facts = facts(&engine, "s").await;
        assert_eq!(facts.fail_count, failures);
        waits.push((facts.next_poll.unwrap() - home.clock.now()).num_minutes());
    }
    let [first, .., last] = waits[..] else { unreachable!() };
    // The waits vary by up to a tenth.
    assert!(last * 9 <= first * 10, "{waits:?}");
    engine.shutdown().await;
}
