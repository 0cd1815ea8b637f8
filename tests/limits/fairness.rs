//! How long two bad pages delay a healthy source.

use super::documents::{DOCUMENTS, Kind};
use super::source;
use newsfed::demo::server::{Reply, Server};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::net::IpAddr;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Delay of the response for the healthy source, so that both pages are being parsed when the response
/// arrives.
const LATE: Duration = Duration::from_millis(300);

/// Polls the sources in a file; returns the time until the healthy source was polled.
fn healthy_after(sources: &str) -> Duration {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config");
    std::fs::create_dir(&config).unwrap();
    std::fs::write(config.join("sources.toml"), sources).unwrap();
    let started = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_newsfed"))
        .arg("--config-dir")
        .arg(&config)
        .arg("--data-dir")
        .arg(folder.path().join("data"))
        .args(["sync", "--json", "--set", "net.host_delay=0s"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut after = None;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let report: Value = serde_json::from_str(&line.unwrap()).unwrap();
        if report["id"] == "healthy" || report["source"] == "healthy" {
            after = Some(started.elapsed());
        }
    }
    child.wait().unwrap();
    after.unwrap()
}

#[test]
fn two_bad_pages_do_not_delay_a_healthy_source() {
    let only = std::env::var("NEWSFED_ONLY").unwrap_or_default();
    let mut worst = Duration::ZERO;
    let pages = DOCUMENTS.iter().filter(|d| d.kind == Kind::Page && d.name.contains(&only));
    for page in pages {
        let body = (page.make)();
        let ips: Vec<IpAddr> = (1..=3).map(|n| IpAddr::from([127, 0, 5, n])).collect();
        let server = Server::start_on(&ips, move |request| match request.path.as_str() {
            "/healthy" => {
                let rss =
                    "<rss version='2.0'><channel><item><title>a</title></item></channel></rss>";
                Reply::ok("text/xml", rss).after(LATE)
            }
            "/bad" => Reply::ok("text/html", body.clone()),
            _ => Reply::status(404),
        })
        .unwrap();
        let named = |ip: IpAddr, kind, path, id| {
            source(kind, &server.url_on(ip, path)).replace("hostile", id)
        };
        let healthy = named(ips[2], Kind::Feed, "/healthy", "healthy");
        let bad = named(ips[0], Kind::Page, "/bad", "bad-1")
            + &named(ips[1], Kind::Page, "/bad", "bad-2");
        let alone = healthy_after(&healthy);
        let delay = healthy_after(&(bad + &healthy)).saturating_sub(alone);
        println!("{:26} delays a healthy source by {:.2} s", page.name, delay.as_secs_f64());
        worst = worst.max(delay);
    }
    println!("worst delay {:.2} s", worst.as_secs_f64());
    assert!(cfg!(debug_assertions) || worst <= Duration::from_secs(1));
}
