//! A site with all kinds of crawler traps.

use super::sites::{link, page};
use super::{World, requested, summary};
use newsfed::demo::server::{Failure, Reply, ScriptedRequest, Server};
use serde_json::json;
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of files among the traps.
const FILES: u64 = 20;
/// A body larger than any limit.
const HUGE: &str = "1073741824";

fn trap(request: &ScriptedRequest, sessions: &AtomicU64) -> Reply {
    let path = request.path.as_str();
    let number = |prefix: &str| path.strip_prefix(prefix).and_then(|n| n.parse::<u64>().ok());
    if let Some(day) = number("/calendar/") {
        return page("Day", (day + 1..day + 31).map(|d| link(format!("/calendar/{d}"))));
    }
    if path.starts_with("/shop") {
        // Each response contains a new session id.
        let session = sessions.fetch_add(1, Ordering::SeqCst);
        return page("Shop", (0..30).map(|n| link(format!("/shop/{n}?sid={session}"))));
    }
    if let Some(n) = number("/circle/") {
        return Reply::status(302).header("location", format!("/circle/{}", (n + 1) % 5));
    }
    if let Some(n) = number("/chain/") {
        return Reply::status(302).header("location", format!("/chain/{}", n + 1));
    }
    if path.starts_with("/deep/") {
        return Reply::ok("text/html", "<div>".repeat(100_000));
    }
    if path.starts_with("/wide") {
        let links: String = (0..50_000).map(|n| format!("<a href='/gone/{n}'>x</a>")).collect();
        return Reply::ok("text/html", links);
    }
    match path {
        "/" => {
            let traps = ["calendar/1", "shop", "circle/1", "chain/1", "farm", "deep/", "wide"];
            let bad = ["huge.csv", "endless.csv", "slow", "reset", "loop", "half"];
            let names = traps.into_iter().chain(bad).map(link);
            page("Traps", names.chain([link("files/"), link("javascript:alert(1)")]))
        }
        "/files/" => page("Files", (0..FILES).map(|n| link(format!("/files/{n}.csv")))),
        "/farm" => page("Farm", (0..500).map(|n| link(format!("/gone/x{n}")))),
        "/huge.csv" => Reply::ok("text/csv", "x").header("content-length", HUGE),
        "/endless.csv" => Reply::ok("text/csv", vec![b'x'; 12 << 20]),
        "/slow" => Reply::ok("text/html", "x").failing(Failure::NeverAnswer),
        "/half" => Reply::ok("text/html", "x".repeat(5_000)).failing(Failure::Stall),
        "/reset" => Reply::ok("text/html", "x").failing(Failure::Reset),
        "/loop" => Reply::status(302).header("location", "/loop"),
        _ if path.starts_with("/files/") => Reply::ok("text/csv", format!("{path}\n")),
        _ => Reply::status(404),
    }
}

/// Peak memory use of a process, in KiB.
fn high_water(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn finds_all_targets_despite_every_trap() {
    const BUDGET: usize = 250;
    let sessions = AtomicU64::new(0);
    let server = Server::start(move |request| trap(request, &sessions)).unwrap();
    let url = server.url("/");
    let budget = format!("{BUDGET}req");
    for strategy in ["learned", "bfs"] {
        let (world, before) = (World::new(), requested(&server).len());
        let timeout = ["--set", "net.page_timeout=1s"];
        let order =
            [url.as_str(), "--targets", "data", "--strategy", strategy, "--budget", &budget];
        let mut child = world.start(&[&order[..], &timeout].concat());
        let mut most = 0;
        while child.try_wait().unwrap().is_none() {
            most = high_water(child.id()).unwrap_or_default().max(most);
            std::thread::yield_now();
        }
        let output = child.wait_with_output().unwrap();
        let details = summary(&output);
        println!("{strategy}: {most} KiB at most, {details}");
        assert!(output.status.success(), "{output:?}");
        assert_eq!(details["ended"], "requests");
        assert_eq!(details["requests"], json!(BUDGET));
        assert!(requested(&server).len() - before <= BUDGET, "the budget is kept");
        if strategy == "learned" {
            assert_eq!(details["found"], json!(FILES), "{details}");
        }
        assert!(most < 100 << 10, "{most} KiB");
    }
}

#[test]
fn deprioritises_links_without_targets() {
    // A site with an endless calendar, and with lists that have a file on each page.
    let server = Server::start(|request| {
        let path = request.path.as_str();
        let number = |prefix: &str| path.strip_prefix(prefix).and_then(|n| n.parse::<u64>().ok());
        match (number("/calendar/"), number("/list/")) {
            (Some(day), _) => page("Day", (1..31).map(|d| link(format!("/calendar/{}", day + d)))),
            (_, Some(n)) => page(
                "List",
                [link(format!("/{n}.csv")), format!("<b>{}</b>", link(format!("/list/{}", n + 1)))],
            ),
            _ if path == "/" => {
                page("Start", [link("/calendar/1"), format!("<b>{}</b>", link("/list/1"))])
            }
            _ if path.ends_with(".csv") => Reply::ok("text/csv", "x"),
            _ => Reply::status(404),
        }
    })
    .unwrap();
    let world = World::new();
    let output = world.run(&[&server.url("/"), "--budget", "200req"]);
    let details = summary(&output);
    let days = requested(&server).iter().filter(|p| p.starts_with("/calendar")).count();
    println!("{days} days of the calendar, {details}");
    assert!(details["found"].as_u64().unwrap() >= 70, "{details}");
}

#[test]
fn resumes_a_crawl_of_an_unreachable_host() {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    let gone = Arc::new(AtomicBool::new(false));
    let (state, once) = (gone.clone(), AtomicBool::new(false));
    let server = Server::start(move |request| match request.path.as_str() {
        "/" if !state.load(Ordering::SeqCst) => {
            page("Start", (0..30).map(|n| link(format!("/{n}.csv"))))
        }
        "/9.csv" if !once.swap(true, Ordering::SeqCst) => {
            state.store(true, Ordering::SeqCst);
            Reply::ok("text/csv", "x")
        }
        "/robots.txt" | "/sitemap.xml" => Reply::status(404),
        _ if state.load(Ordering::SeqCst) => Reply::status(200).failing(Failure::NeverAnswer),
        _ => Reply::ok("text/csv", "x"),
    })
    .unwrap();
    let (world, url) = (World::new(), server.url("/"));
    let timeout = ["--set", "net.page_timeout=1s"];
    let first = world.run(&[&[url.as_str()], &timeout[..]].concat());
    assert_eq!(first.status.code(), Some(3), "{first:?}");
    let words = String::from_utf8_lossy(&first.stderr);
    assert!(words.contains("did not respond") && words.contains("--resume"), "{words}");
    gone.store(false, Ordering::SeqCst);
    let second = world.run(&[&url, "--resume"]);
    assert_eq!(summary(&second)["found"], json!(30), "{second:?}");
}

/// The first crawl ends because its budget is used up, not because of the missing responses.
#[test]
fn a_resumed_crawl_retries_links_without_a_response() {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    let gone = Arc::new(AtomicBool::new(false));
    let state = gone.clone();
    let server = Server::start(move |request| match request.path.as_str() {
        "/" => page("Start", (0..12).map(|n| link(format!("/{n}.csv")))),
        "/robots.txt" | "/sitemap.xml" => Reply::status(404),
        "/5.csv" | "/6.csv" | "/7.csv" if state.load(Ordering::SeqCst) => {
            Reply::status(200).failing(Failure::NeverAnswer)
        }
        _ => Reply::ok("text/csv", request.path.clone()),
    })
    .unwrap();
    gone.store(true, Ordering::SeqCst);
    let (world, url) = (World::new(), server.url("/"));
    let bfs = ["--strategy", "bfs", "--set", "net.page_timeout=1s"];
    // Requests for the start page, its sitemap, five files, and three files without a response.
    let first = world.run(&[&[url.as_str(), "--budget", "10req"], &bfs[..]].concat());
    let first = summary(&first);
    assert_eq!((&first["ended"], &first["found"]), (&json!("requests"), &json!(5)), "{first}");
    gone.store(false, Ordering::SeqCst);
    let second = summary(&world.run(&[&url, "--resume"]));
    assert_eq!((&second["found"], &second["ended"]), (&json!(12), &json!("done")), "{second}");
    // The number includes the failed requests.
    assert_eq!(second["requests"], json!(2 + 12 + 3), "{second}");
}

#[test]
fn a_few_timeouts_do_not_end_the_crawl() {
    let server = Server::start(|request| match request.path.as_str() {
        "/" => {
            let slow = (0..7).map(|n| link(format!("/slow/{n}")));
            page("Start", slow.chain((0..9).map(|n| link(format!("/{n}.csv")))))
        }
        path if path.starts_with("/slow/") => Reply::status(200).failing(Failure::NeverAnswer),
        path if path.ends_with(".csv") => Reply::ok("text/csv", path.to_owned()),
        _ => Reply::status(404),
    })
    .unwrap();
    let timeout = ["--strategy", "bfs", "--set", "net.page_timeout=1s"];
    let output = World::new().run(&[&[server.url("/").as_str()], &timeout[..]].concat());
    let details = summary(&output);
    assert_eq!((&details["ended"], &details["found"]), (&json!("done"), &json!(9)), "{output:?}");
}

#[test]
fn a_failing_subdomain_does_not_end_the_crawl() {
    let server = Server::start(|request| match request.path.as_str() {
        "/" => {
            let host = String::from_utf8_lossy(request.header("host").unwrap()).into_owned();
            let inside = (0..9).map(|n| link(format!("http://inside.{host}/{n}.csv")));
            page("Start", inside.chain((0..9).map(|n| link(format!("/{n}.csv")))))
        }
        path if path.ends_with(".csv") => Reply::ok("text/csv", path.to_owned()),
        _ => Reply::status(404),
    })
    .unwrap();
    let url = server.url("/").replace("127.0.0.1", "localhost");
    let details = summary(&World::new().run(&[&url, "--strategy", "bfs"]));
    assert_eq!((&details["ended"], &details["found"]), (&json!("done"), &json!(9)), "{details}");
}

#[test]
fn the_time_limit_ends_a_crawl_during_a_request() {
    let server = Server::start(|request| match request.path.as_str() {
        "/" => page("Start", [link("/slow")]),
        "/slow" => Reply::status(200).failing(Failure::NeverAnswer),
        _ => Reply::status(404),
    })
    .unwrap();
    let details = summary(&World::new().run(&[&server.url("/"), "--budget", "300ms"]));
    assert_eq!(details["ended"], "time", "{details}");
}

#[test]
fn pages_with_unique_tag_paths_need_little_memory() {
    const PAGES: u64 = 20;
    let server = Server::start(|request| {
        let path = request.path.as_str();
        let n: u64 = path.trim_start_matches("/p/").parse().unwrap_or(0);
        match path {
            "/robots.txt" | "/sitemap.xml" => Reply::status(404),
            _ => {
                let place = |k: u64| {
                    let (id, to) = (n * 2_000 + k, n * 40 + k + 1);
                    let name = format!("c{id}").repeat(9);
                    format!("<div class='{name}' id='i{id}'><a href='/p/{to}'>{id}</a></div>")
                };
                Reply::ok("text/html", (0..2_000).map(place).collect::<String>())
            }
        }
    })
    .unwrap();
    let world = World::new();
    let budget = format!("{PAGES}req");
    let mut child = world.start(&[&server.url("/"), "--budget", &budget]);
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        most = high_water(child.id()).unwrap_or_default().max(most);
        std::thread::yield_now();
    }
    println!("{most} KiB at most");
    assert_eq!(summary(&child.wait_with_output().unwrap())["ended"], "requests");
    assert!(most < 100 << 10, "{most} KiB");
}

/// A crawl that finds nothing because its start page is missing does not end as `done`.
#[test]
fn reports_and_retries_a_start_url_without_a_page() {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    for (status, why) in [(404, "HTTP 404"), (500, "HTTP 500")] {
        let there = Arc::new(AtomicBool::new(false));
        let state = there.clone();
        let server = Server::start(move |request| match request.path.as_str() {
            "/" if state.load(Ordering::SeqCst) => page("Start", [link("/1.csv")]),
            "/" => Reply::status(status),
            "/1.csv" => Reply::ok("text/csv", "x"),
            _ => Reply::status(404),
        })
        .unwrap();
        let (world, url) = (World::new(), server.url("/"));
        let first = world.run(&[&url]);
        let details = summary(&first);
        assert_eq!(details["ended"], "gave-up", "{details}");
        assert!(details["why"].as_str().unwrap().contains(why), "{details}");
        assert_ne!(first.status.code(), Some(0), "{first:?}");
        there.store(true, Ordering::SeqCst);
        let again = world.run(&[&url, "--resume"]);
        assert_eq!(summary(&again)["found"], json!(1), "{again:?}");
    }
}
