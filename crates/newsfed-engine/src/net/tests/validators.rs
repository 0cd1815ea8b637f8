//! The headers of requests, and how validators are sent and returned.

use super::*;
use crate::model::Validators;
use crate::serve::scripted::Reply;

#[tokio::test]
async fn a_first_request_is_unconditional_and_names_newsfed() {
    let server = Server::start(|_| {
        Reply::ok("application/rss+xml", "<rss/>").header("set-cookie", "sid=1; Path=/")
    })
    .unwrap();
    let client = client();
    for _ in 0..2 {
        let response = client.fetch(typed(&server.url("/feed?x=1#part"))).await.unwrap();
        assert_eq!((response.status, response.body.as_ref()), (200, b"<rss/>".as_slice()));
        assert_eq!(response.content_type(), Some("application/rss+xml"));
        assert_eq!(response.final_url.as_str(), server.url("/feed?x=1"));
        assert_eq!(response.wire_bytes, 6);
        assert_eq!(response.validators, Validators::default());
    }
    for seen in server.requests() {
        assert_eq!((seen.method.as_str(), seen.path.as_str()), ("GET", "/feed?x=1"));
        let agent = String::from_utf8_lossy(seen.header("user-agent").unwrap()).into_owned();
        assert!(agent.starts_with("newsfed/") && agent.contains("(+http"), "{agent}");
        assert_eq!(seen.header("accept-encoding"), Some(b"gzip, br, deflate".as_slice()));
        for absent in ["cookie", "referer", "if-none-match", "if-modified-since", "authorization"] {
            assert_eq!(seen.header(absent), None, "{absent}");
        }
    }
    assert_eq!(server.requests().len(), 2, "no other requests");
}

#[tokio::test]
async fn validators_are_sent_byte_for_byte() {
    type Case = (Option<&'static [u8]>, Option<&'static [u8]>);
    let cases: &[Case] = &[
        (Some(b"\"a1b2\""), Some(b"Sat, 03 Aug 2024 18:13:05 GMT")),
        (Some(b"W/\"weak, with comma\""), None),
        (Some(b"unquoted"), None),
        (Some(b"\"5f-gzip\""), Some(b"Sat, 3 Aug 2024 18:13:05 +0000")),
        (Some(b"\"caf\xe9 \xff\""), None),
        (None, Some(b"Thursday, 01-Jan-70 00:00:00 GMT")),
        (None, Some(b"yesterday")),
    ];
    for (etag, date) in cases.iter().copied() {
        let server = Server::start(move |seen| {
            let known = seen.header("if-none-match").or(seen.header("if-modified-since"));
            let mut reply =
                if known.is_some() { Reply::status(304) } else { Reply::ok("text/xml", "<rss/>") };
            for (name, value) in [("etag", etag), ("last-modified", date)] {
                if let Some(value) = value {
                    reply = reply.header(name, value);
                }
            }
            reply
        })
        .unwrap();
        let first = get(&server, "/").await.unwrap();
        assert_eq!(first.validators.etag.as_deref(), etag);
        assert_eq!(first.validators.last_modified.as_deref(), date);
        let again = Request { validators: first.validators.clone(), ..typed(&server.url("/")) };
        let second = client().fetch(again).await.unwrap();
        assert_eq!((second.status, second.body.len()), (304, 0));
        assert_eq!(second.validators, first.validators, "a 304 contains them too");
        let seen = &server.requests()[1];
        assert_eq!(seen.header("if-none-match"), etag);
        assert_eq!(seen.header("if-modified-since"), date);
    }
}

#[tokio::test]
async fn reports_freshness() {
    let server = Server::start(|_| {
        Reply::ok("text/xml", "<rss/>")
            .header("cache-control", "public")
            .header("cache-control", "Max-Age = 600")
            .header("cache-control", "max-age=900")
    })
    .unwrap();
    let response = get(&server, "/").await.unwrap();
    assert_eq!(response.cache.max_age, Some(Duration::from_secs(900)));
    assert_eq!(response.cache.fresh_for(), Some(Duration::from_secs(900)));
}
