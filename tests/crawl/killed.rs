//! The program is killed at random points of a crawl and goes on: no address that was answered is
//! asked for again, and everything is found.

use super::sites::{FILES, library};
use super::{World, asked, files, summary};
use newsfed::demo::server::Server;
use std::collections::HashMap;
use std::process::Child;

/// Kills in one crawl.
const KILLS: usize = 20;

/// Ends a process once the server has seen so many requests; tells whether it ended before.
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

#[test]
fn a_killed_crawl_goes_on_where_it_was() {
    let mut random = fastrand::Rng::with_seed(7);
    for strategy in ["learned", "sb"] {
        let (server, world) = (library(), World::new());
        let url = server.url("/");
        let mut kills = 0;
        // What was asked last when the program was killed may not have been written down.
        let mut open: HashMap<String, usize> = HashMap::new();
        let mut begun = false;
        for _ in 0..KILLS {
            let mut args = vec![url.as_str(), "--strategy", strategy, "--targets", "data"];
            if begun {
                args.push("--resume");
            }
            let more = random.usize(1..9);
            let until = server.requests().len() + more;
            if kill_after(world.start(&args), &server, until) {
                break;
            }
            kills += 1;
            let last = asked(&server).pop();
            begun |= last.is_some();
            *open.entry(last.unwrap_or_default()).or_default() += 1;
        }
        let output = world.run(&[&url, if begun { "--resume" } else { "--json" }]);
        assert_eq!(summary(&output)["ended"], "done", "{output:?}");
        println!("{strategy}: killed {kills} times");
        assert!(kills >= KILLS / 2, "the crawl was over before");
        let mut counts: HashMap<String, usize> = HashMap::new();
        for path in asked(&server) {
            *counts.entry(path).or_default() += 1;
        }
        for (path, count) in counts {
            let allowed = 1 + open.get(&path).copied().unwrap_or_default();
            assert!(count <= allowed, "{path} was asked {count} times, {allowed} allowed");
        }
        let mut urls: Vec<String> = world.manifest().iter().map(|f| f["url"].to_string()).collect();
        urls.sort_unstable();
        urls.dedup();
        assert_eq!((urls.len(), world.manifest().len()), (FILES, FILES));
        // A part of a file may be left of each kill, but no file is there twice.
        let parts = std::fs::read_dir(world.out().join("files")).unwrap();
        let parts = parts.filter(|f| {
            f.as_ref().unwrap().file_name().to_string_lossy().starts_with(".tmp")
        });
        assert_eq!(files(&world.out()) - parts.count(), FILES);
    }
}
