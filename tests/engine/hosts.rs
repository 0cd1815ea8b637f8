//! Many hosts at once, and unresponsive hosts.

use super::*;
use newsfed::demo::server::Failure;
use newsfed::model::Health;

#[tokio::test]
async fn a_silent_host_does_not_delay_others() {
    let ips = hosts(9);
    let dead = ips[0];
    let server = Server::start_on(&ips, move |request| {
        if request.ip == dead {
            Reply::status(200).failing(Failure::NeverAnswer)
        } else {
            feed(&[("1", "One")])
        }
    })
    .unwrap();
    let sources: Vec<_> =
        (0..).zip(&ips).map(|(n, ip)| source(&format!("s{n}"), &server.url_on(*ip, "/"))).collect();
    let mut home = Home::with(&sources);
    // The other sources become due again while the request to the silent host is in flight.
    home.settings.schedule.interval = 10 * MINUTE;
    let engine = home.following().await;
    let mut revision = engine.store().revision();
    while items(&engine).len() < 8 {
        revision.changed().await.unwrap();
    }
    let mut status = engine.status();
    soon(status.wait_for(|s| s.done == 8 && s.total == 9 && s.next.is_some())).await.unwrap();
    home.clock.advance(11 * MINUTE);
    received(&server, 17).await;
    let late = [facts(&engine, "s0").await.key].into();
    // Sources that are polled again are counted only once.
    soon(status.wait_for(|s| (s.done, s.total) == (8, 9) && s.claimed == late)).await.unwrap();
    assert_eq!(status.borrow().host.as_deref(), Some("127.0.1.1"));
    // A manual refresh does not poll the silent source again.
    sync(&engine, Pace::Manual).await;
    let requested = server.requests().iter().filter(|r| r.ip == dead).count();
    assert_eq!((requested, server.requests().len()), (1, 25));
    engine.shutdown().await;
}

#[tokio::test]
async fn sends_one_request_at_a_time_per_host() {
    let server = Server::start(|request| feed(&[(&request.path, &request.path)])).unwrap();
    let sources: Vec<_> =
        (0..30).map(|n| source(&format!("s{n}"), &server.url(&format!("/{n}")))).collect();
    let home = Home::with(&sources);
    let engine = home.on_demand().await;
    assert!(sync(&engine, Pace::Manual).await.values().all(|r| *r == fetched(1, 0, 1)));
    let most = server.requests().iter().map(|r| r.in_flight).max();
    assert_eq!((server.requests().len(), most), (30, Some(1)));
    engine.shutdown().await;
}

#[tokio::test]
async fn a_refused_connection_is_a_source_failure() {
    // A port that was just released, so nothing listens on it.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let sources: Vec<_> = (1..=4)
        .map(|n| source(&format!("s{n}"), &format!("http://127.0.1.{n}:{closed}/")))
        .collect();
    let home = Home::with(&sources);
    let engine = home.on_demand().await;
    let all = sync(&engine, Pace::Manual).await;
    for (id, refreshed) in &all {
        assert!(failure(refreshed).unwrap().contains("connection refused"), "{refreshed:?}");
        let facts = facts(&engine, id).await;
        assert_eq!((facts.fail_count, facts.health(home.clock.now())), (1, Health::Retrying));
    }
    assert!(!engine.status().borrow().offline);
    engine.shutdown().await;
}

/// Connections to multicast addresses fail at once without sending a packet, as if there were no network.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_lost_network_is_not_a_source_failure() {
    let server = Server::start(|_| feed(&[("1", "One")])).unwrap();
    let mut sources: Vec<_> =
        (1..=4).map(|n| source(&format!("s{n}"), &format!("http://224.0.0.{n}:9/"))).collect();
    sources.push(source("here", &server.url("/")));
    let home = Home::with(&sources);
    let engine = home.on_demand().await;
    let unreachable: Vec<_> = engine.sources().await.unwrap();
    let keys = unreachable.iter().filter(|(s, _)| s.id.0 != "here").map(|(_, f)| f.key).collect();
    let mut reports = engine.refresh(Some(keys), Pace::Manual).await;
    while let Some(report) = reports.recv().await {
        assert!(failure(&report.result).is_some(), "{report:?}");
    }
    for n in 1..=4 {
        let facts = facts(&engine, &format!("s{n}")).await;
        assert_eq!(facts.fail_count, 0, "s{n}");
        let wait = facts.next_poll.unwrap() - home.clock.now();
        assert!(wait.num_minutes() <= 5, "s{n} is polled again soon, in {wait}");
    }
    let mut status = engine.status();
    assert!(soon(status.wait_for(|s| s.total == 0)).await.unwrap().offline);
    let here = vec![facts(&engine, "here").await.key];
    let mut reports = engine.refresh(Some(here), Pace::Manual).await;
    assert_eq!(reports.recv().await.unwrap().result, fetched(1, 0, 1));
    assert!(!soon(status.wait_for(|s| s.total == 0 && !s.offline)).await.unwrap().offline);
    engine.shutdown().await;
}

/// A source with a name that cannot exist, because DNS labels cannot be this long. No DNS query is sent.
fn nowhere(n: usize) -> Source {
    source(&format!("nowhere{n}"), &format!("http://{}{n}.example/", "n".repeat(64)))
}

#[tokio::test]
async fn any_response_ends_the_offline_state() {
    let server = Server::start(|_| feed(&[("1", "One")])).unwrap();
    let home = Home::with(&[nowhere(1), nowhere(2)]);
    let engine = home.on_demand().await;
    let mut status = engine.status();
    sync(&engine, Pace::Manual).await;
    soon(status.wait_for(|s| s.offline)).await.unwrap();
    // A response during discovery also ends it.
    let found = engine.discover(&server.url("/")).await.unwrap();
    soon(status.wait_for(|s| !s.offline)).await.unwrap();
    engine.follow(found, 0, None, None).await.unwrap();
    for name in ["nowhere1", "nowhere2"] {
        assert_eq!(
            facts(&engine, name).await.fail_count,
            1,
            "the network was available all the time"
        );
    }
    engine.shutdown().await;
}
