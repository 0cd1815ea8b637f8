//! Kills the program at random points of a crawl and resumes it: no URL with a logged response is requested
//! again, and everything is found.

use super::sites::{FILES, library};
use super::{World, files, summary};
use newsfed::demo::server::{Failure, Reply, Server};
use newsfed::store::{CrawlLog, StoreError};
use std::collections::HashSet;
use std::process::Child;

/// Number of kills in one crawl.
const KILLS: usize = 20;

/// Kills a process when the server has received this many requests. Returns whether the process exited first.
fn kill_after(mut child: Child, server: &Server, requests: usize) -> bool {
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{status}");
            return true;
        }
        if server.requests().len() >= requests {
            child.kill().unwrap();
            child.wait().unwrap();
            return false;
        }
        std::thread::yield_now();
    }
}

/// Method and path of each request, without robots.txt and sitemaps.
fn requested(server: &Server) -> Vec<(String, String)> {
    let all = server.requests().into_iter().map(|r| (r.method, r.path));
    all.filter(|(_, path)| path != "/robots.txt" && path != "/sitemap.xml").collect()
}

/// Method and path of each response in the log of a crawl.
fn written_down(world: &World) -> HashSet<(String, String)> {
    let mut answers = HashSet::new();
    let log = CrawlLog::open(&world.out().join("crawl.db")).unwrap();
    log.replay::<StoreError>(|row, stored| {
        let (url, _, _) = stored.link(row.link)?.unwrap();
        let path = url::Url::parse(&url).unwrap().path().to_owned();
        answers.insert((if row.head { "HEAD" } else { "GET" }.to_owned(), path));
        Ok(())
    })
    .unwrap();
    answers
}

#[test]
fn a_crawl_killed_before_its_first_record_resumes() {
    let server = library();
    let url = server.url("/");
    let resume = [url.as_str(), "--resume", "--targets", "data", "--seed", "5"];
    let found_all = |world: &World| {
        let output = world.run(&resume);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(summary(&output)["found"], FILES, "{output:?}");
        assert_eq!(summary(&output)["seed"], 5);
    };
    // The crawl is killed before the folder is created, or before the parameters of the crawl are stored.
    let world = World::new();
    found_all(&world);
    let world = World::new();
    drop(CrawlLog::open(&world.out().join("crawl.db")).unwrap());
    found_all(&world);
    // The crawl is killed during the first request.
    let quiet = Server::start(|_| Reply::status(200).failing(Failure::NeverAnswer)).unwrap();
    let world = World::new();
    let args = [&quiet.url("/"), "--targets", "data", "--seed", "5"];
    assert!(!kill_after(world.start(&args), &quiet, 1));
    let log = CrawlLog::open(&world.out().join("crawl.db")).unwrap();
    assert_eq!((log.requests(), log.note("seed").unwrap().as_deref()), (0, Some("5")));
    drop(log);
    let output = world.run(&["--resume", "--budget", "1req,300ms"]);
    assert_eq!(summary(&output)["ended"], "time", "{output:?}");
}

#[test]
fn a_killed_crawl_resumes_without_repeating_requests() {
    let mut random = fastrand::Rng::with_seed(7);
    for strategy in ["learned", "sb"] {
        let (server, world) = (library(), World::new());
        let url = server.url("/");
        let mut kills = 0;
        let mut answered = HashSet::new();
        let mut seen = 0;
        for round in 0..=KILLS {
            let mut args = vec![url.as_str(), "--strategy", strategy, "--targets", "data"];
            if round > 0 {
                args.push("--resume");
            }
            let more = if round == KILLS { usize::MAX / 2 } else { random.usize(1..9) };
            let over = kill_after(world.start(&args), &server, server.requests().len() + more);
            let requests = requested(&server);
            for one in &requests[seen..] {
                assert!(!answered.contains(one), "{one:?} was fetched before round {round}");
            }
            seen = requests.len();
            if over {
                break;
            }
            kills += 1;
            answered = written_down(&world);
        }
        println!("{strategy}: killed {kills} times");
        assert_eq!(kills, KILLS, "the crawl ended before");
        let mut urls: Vec<String> = world.manifest().iter().map(|f| f["url"].to_string()).collect();
        urls.sort_unstable();
        urls.dedup();
        assert_eq!((urls.len(), world.manifest().len()), (FILES, FILES));
        // Each kill may leave a partial file, but no file exists twice.
        let parts = std::fs::read_dir(world.out().join("files")).unwrap();
        let parts =
            parts.filter(|f| f.as_ref().unwrap().file_name().to_string_lossy().starts_with(".tmp"));
        assert_eq!(files(&world.out()) - parts.count(), FILES);
    }
}
