//! Queues, spacing and pauses of hosts.

use super::*;
use crate::model::ErrorKind;
use crate::serve::scripted::{Failure, Reply};
use crate::util::clock::Clock;
use std::sync::atomic::{AtomicUsize, Ordering};

#[tokio::test]
async fn rate_limits_are_responses_and_pause_the_host() {
    // (status, Retry-After, reported seconds, minutes of the pause)
    type Case = (u16, Option<&'static str>, Option<u64>, Option<i64>);
    let cases: &[Case] = &[
        (429, Some("3600"), Some(3600), Some(60)),
        (429, Some("5"), Some(5), Some(1)),
        (429, Some("99999999999"), Some(1 << 31), Some(8 * 24 * 60)),
        (429, None, None, Some(10)),
        (429, Some("soon"), None, Some(10)),
        (429, Some("0"), Some(0), Some(10)),
        (503, Some("3600"), Some(3600), Some(60)),
        (503, None, None, None),
        (404, Some("3600"), Some(3600), None),
        (403, Some("3600"), Some(3600), Some(60)),
        (403, None, None, None),
        (500, Some("3600"), Some(3600), None),
        (410, None, None, None),
        (500, None, None, None),
    ];
    for (status, retry_after, summary, minutes) in cases.iter().copied() {
        let server = Server::start(move |_| {
            let reply = Reply { body: "no".into(), ..Reply::status(status) };
            match retry_after {
                Some(value) => reply.header("retry-after", value),
                None => reply,
            }
        })
        .unwrap();
        let (client, clock) = client_with(settings());
        let response = client.fetch(typed(&server.url("/"))).await.unwrap();
        assert_eq!((response.status, response.body.len()), (status, 0));
        let seconds = response.cache.retry_after.map(|d| d.as_secs());
        assert_eq!(seconds, summary, "{status} {retry_after:?}");
        let pause = client.paused_until(&url(&server.url("/other")));
        let got = pause.map(|until| (until - clock.now()).num_minutes());
        assert_eq!(got, minutes, "{status} {retry_after:?}");
        let Some(until) = pause else { continue };
        let error = client.fetch(typed(&server.url("/other"))).await.unwrap_err();
        assert_eq!(error, FetchError::Paused { host: "127.0.0.1".into(), until });
        assert_eq!((error.kind(), error.retry_at()), (ErrorKind::Politeness, Some(until)));
        let forced = Request { force: true, ..typed(&server.url("/")) };
        assert_eq!(client.fetch(forced).await.unwrap().status, status);
        assert_eq!(server.requests().len(), 2);
    }
}

#[tokio::test]
async fn a_429_rejects_waiting_requests() {
    let server = Server::start(|_| Reply::status(429).header("retry-after", "3600")).unwrap();
    let client = client();
    let all = (0..20).map(|n| client.fetch(typed(&server.url(&format!("/{n}")))));
    let ends = futures_util::future::join_all(all).await;
    let paused = ends.iter().filter(|e| matches!(e, Err(FetchError::Paused { .. }))).count();
    assert_eq!((paused, server.requests().len()), (19, 1));
}

#[tokio::test]
async fn sends_one_request_at_a_time_to_a_host() {
    let top = Arc::new(AtomicUsize::new(0));
    let seen = top.clone();
    let server = Server::start(move |request| {
        seen.fetch_max(request.in_flight, Ordering::SeqCst);
        Reply::ok("text/xml", "<rss/>").after(Duration::from_millis(2))
    })
    .unwrap();
    let client = client();
    let all = (0..20).map(|n| client.fetch(typed(&server.url(&format!("/{n}")))));
    for end in futures_util::future::join_all(all).await {
        assert_eq!(end.unwrap().status, 200);
    }
    assert_eq!(top.load(Ordering::SeqCst), 1);
    let order: Vec<_> = server.requests().into_iter().map(|r| r.path).collect();
    assert_eq!(order, (0..20).map(|n| format!("/{n}")).collect::<Vec<_>>(), "in order");
}

#[tokio::test]
async fn hosts_are_fetched_in_parallel_up_to_the_limit() {
    let ips = hosts(3);
    let server =
        Server::start_on(&ips, |_| Reply::status(200).failing(Failure::NeverAnswer)).unwrap();
    let (client, _) = client_with(NetSettings { max_in_flight: 2, ..settings() });
    let fetches = ips.iter().map(|ip| {
        let (client, request) = (client.clone(), typed(&server.url_on(*ip, "/")));
        tokio::spawn(async move { client.fetch(request).await })
    });
    let fetches: Vec<_> = fetches.collect();
    server.received(2).await;
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(server.requests().len(), 2, "the third waits for a slot");
    let first = ips.iter().position(|ip| *ip == server.requests()[0].ip).unwrap();
    fetches[first].abort();
    server.received(3).await;
    fetches.iter().for_each(|f| f.abort());
}

#[tokio::test]
async fn requests_are_spaced_by_the_clock() {
    let server = Server::start(|_| Reply::ok("text/xml", "<rss/>")).unwrap();
    let (client, clock) = client_with(NetSettings { host_delay: HOUR, ..settings() });
    client.fetch(typed(&server.url("/1"))).await.unwrap();
    let second = tokio::spawn({
        let (client, request) = (client.clone(), typed(&server.url("/2")));
        async move { client.fetch(request).await }
    });
    clock.advance(HOUR - SECOND);
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!((second.is_finished(), server.requests().len()), (false, 1));
    clock.advance(SECOND);
    second.await.unwrap().unwrap();
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_cancelled_request_frees_its_host() {
    let server = Server::start(|seen| match seen.path.as_str() {
        "/never" => Reply::status(200).failing(Failure::NeverAnswer),
        _ => Reply::ok("text/xml", "<rss/>"),
    })
    .unwrap();
    let client = client();
    let stuck = tokio::spawn({
        let (client, request) = (client.clone(), typed(&server.url("/never")));
        async move { client.fetch(request).await }
    });
    server.received(1).await;
    stuck.abort();
    assert_eq!(client.fetch(typed(&server.url("/"))).await.unwrap().status, 200);
}
