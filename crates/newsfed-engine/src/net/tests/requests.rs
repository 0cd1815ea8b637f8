//! Options of a request: only the headers, no redirects, a smaller limit.

use super::*;
use crate::net::Purpose;
use crate::serve::scripted::Reply;

#[tokio::test]
async fn sends_head_requests_and_follows_no_redirects_on_request() {
    let server = Server::start(|seen| match seen.path.as_str() {
        "/moved" => Reply::status(301).header("location", "/page"),
        "/shown" => Reply::ok("text/html", "<meta http-equiv=refresh content='0;url=/page'>"),
        _ => Reply::ok("text/html", "<p>hello"),
    })
    .unwrap();
    let head = Request { head: true, ..typed(&server.url("/page")) };
    let found = client().fetch(head).await.unwrap();
    assert_eq!((found.status, found.body.len(), found.wire_bytes), (200, 0, 0));
    assert_eq!(server.requests()[0].method, "HEAD");
    for (path, status) in [("/moved", 301), ("/shown", 200)] {
        let kept = Request { follow: false, ..typed(&server.url(path)) };
        let found = client().fetch(kept).await.unwrap();
        assert_eq!((found.status, found.hops.len()), (status, 0), "{path}");
        assert_eq!(found.final_url.as_str(), server.url(path));
    }
}

#[tokio::test]
async fn the_smaller_of_two_body_limits_applies() {
    let server = Server::start(|_| Reply::ok("text/xml", vec![b'x'; 1_000])).unwrap();
    // The limit in the settings, the limit of the request, and the exceeded limit.
    for (most, own, exceeded) in [
        (1_000, None, None),
        (999, None, Some(999)),
        (1_000, Some(999), Some(999)),
        (999, Some(5_000), Some(999)),
        (5_000, Some(1_000), None),
    ] {
        let (client, _) = client_with(NetSettings { max_body: most, ..settings() });
        assert_eq!(client.max_body(), most);
        let request = Request { max_bytes: own, ..typed(&server.url("/")) };
        let found = match client.fetch(request).await {
            Ok(response) => {
                assert_eq!((response.body.len(), response.wire_bytes), (1_000, 1_000));
                None
            }
            Err(FetchError::TooLarge { limit, received, declared, .. }) => {
                assert_eq!((received, declared), (0, Some(1_000)), "nothing was read");
                Some(limit)
            }
            Err(error) => panic!("{error}"),
        };
        assert_eq!(found, exceeded, "{most} {own:?}");
    }
}

#[tokio::test]
async fn a_request_can_have_its_own_spacing() {
    let server = Server::start(|_| Reply::ok("text/xml", "<rss/>")).unwrap();
    for (delay, own, waits) in [
        (Duration::ZERO, Some(HOUR), true),
        (HOUR, Some(Duration::ZERO), false),
        (HOUR, None, true),
    ] {
        let (client, _clock) = client_with(NetSettings { host_delay: delay, ..settings() });
        let request = Request { spacing: own, ..typed(&server.url("/")) };
        client.fetch(request.clone()).await.unwrap();
        let before = server.requests().len();
        let second = tokio::spawn({
            let (client, request) = (client.clone(), request.clone());
            async move { client.fetch(request).await }
        });
        if waits {
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            assert_eq!((second.is_finished(), server.requests().len()), (false, before));
            second.abort();
        } else {
            second.await.unwrap().unwrap();
        }
    }
}

#[tokio::test]
async fn only_forced_requests_are_sent_during_a_pause() {
    let server = Server::start(|_| Reply::ok("text/xml", "<rss/>")).unwrap();
    let (client, clock) = client_with(settings());
    let address = url(&server.url("/"));
    let until = Time::from_timestamp(1_700_003_600, 0).unwrap();
    client.pause(&address, until);
    client.pause(&address, until - SECOND);
    assert_eq!(client.paused_until(&address), Some(until), "the longer pause stays");
    let error = client.fetch(typed(address.as_str())).await.unwrap_err();
    assert_eq!(error.retry_at(), Some(until));
    let forced = Request { force: true, ..typed(address.as_str()) };
    assert_eq!(client.fetch(forced).await.unwrap().status, 200);
    clock.set(until);
    assert_eq!(client.paused_until(&address), None);
    assert_eq!(client.fetch(typed(address.as_str())).await.unwrap().status, 200);
}

#[tokio::test]
async fn each_purpose_accepts_its_own_media_types() {
    let server = Server::start(|_| Reply::ok("text/html", "<p>hello")).unwrap();
    for (purpose, first) in [
        (Purpose::Feed, "application/atom+xml, "),
        (Purpose::Page, "text/html, "),
        (Purpose::Picture, "image/png, "),
        (Purpose::File, "*/*"),
    ] {
        let request = Request { purpose, ..typed(&server.url("/")) };
        client().fetch(request).await.unwrap();
        let seen = server.requests();
        let accept = String::from_utf8(seen.last().unwrap().header("accept").unwrap().to_vec());
        assert!(accept.unwrap().starts_with(first), "{purpose:?}");
    }
}

#[tokio::test]
async fn drops_unusable_validators_and_fragments() {
    let long = "x".repeat(8 * 1024 + 1);
    let server = Server::start(move |seen| match seen.path.as_str() {
        "/long" => Reply::ok("text/xml", "x").header("etag", &long),
        "/most" => Reply::ok("text/xml", "x").header("etag", &long[1..]),
        _ => Reply::ok("text/xml", "x").header("etag", ""),
    })
    .unwrap();
    for (path, kept) in [("/long", None), ("/most", Some(8 * 1024)), ("/none#part", None)] {
        let found = get(&server, path).await.unwrap();
        assert_eq!(found.validators.etag.map(|etag| etag.len()), kept, "{path}");
        assert_eq!(found.final_url.fragment(), None);
        assert!(found.memory.is_some(), "a share of the memory budget");
    }
}

#[tokio::test]
async fn dropping_a_share_frees_its_memory_budget() {
    let client = client();
    // The budget consists of sixteen shares of 512 KiB.
    let mut shares = Vec::new();
    for _ in 0..16 {
        shares.push(client.memory_share(u64::MAX).await);
    }
    let mut next = Box::pin(client.memory_share(1));
    assert!(futures_util::poll!(next.as_mut()).is_pending());
    shares.pop();
    next.await;
}
