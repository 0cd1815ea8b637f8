//! Requests to services that the user configured.

use super::*;
use crate::model::Secret;
use crate::net::ServiceRequest;
use crate::serve::scripted::{Failure, Reply};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

fn request(address: &str) -> ServiceRequest {
    let (body, authorization) = (None, None);
    ServiceRequest { url: url(address), body, authorization, within: HOUR, limit: 1_000 }
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::best());
    out.write_all(body).unwrap();
    out.finish().unwrap()
}

#[tokio::test]
async fn reports_status_body_and_headers() {
    let server = Server::start(|seen| match seen.path.as_str() {
        "/plain" => Reply::ok("text/plain", "yes"),
        "/gzip" => Reply::ok("text/plain", gzip(b"yes")).header("content-encoding", "gzip"),
        _ => Reply::ok("text/plain", "no")
            .with_status(503)
            .header("x-first", "1")
            .header("retry-after", "120")
            .header("server", "Reader/1")
            .header("date", "Thu, 23 Oct 2025 12:00:00 GMT"),
    })
    .unwrap();
    let client = client();
    let busy = client.request_service(request(&server.url("/busy"))).await.unwrap();
    assert_eq!((busy.status, &busy.body[..]), (503, &b"no"[..]));
    assert_eq!(busy.retry_after, Some(Duration::from_secs(120)));
    assert_eq!(busy.server.as_deref(), Some("Reader/1"));
    assert_eq!(busy.date.map(|at| at.to_rfc3339()).as_deref(), Some("2025-10-23T12:00:00+00:00"));
    assert_eq!(client.paused_until(&url(&server.url("/"))), None, "services are not paused");
    for path in ["/plain", "/gzip"] {
        let found = client.request_service(request(&server.url(path))).await.unwrap();
        assert_eq!((found.status, &found.body[..]), (200, &b"yes"[..]), "{path}");
        assert_eq!((found.retry_after, found.server), (None, None));
    }
    let seen = &server.requests()[0];
    assert_eq!((seen.method.as_str(), seen.header("authorization")), ("GET", None));
    assert_eq!(seen.header("accept-encoding"), Some(b"gzip, br, deflate".as_slice()));
}

#[tokio::test]
async fn sends_a_body_and_follows_no_redirects() {
    let server = Server::start(|_| Reply::status(302).header("location", "/other")).unwrap();
    let post = ServiceRequest {
        body: Some(("text/x-test", "hello".to_owned())),
        authorization: Some("Bearer hush".to_owned()),
        ..request(&server.url("/"))
    };
    assert_eq!(client().request_service(post).await.unwrap().status, 302);
    let seen = server.requests();
    assert_eq!((seen.len(), seen[0].method.as_str()), (1, "POST"));
    assert_eq!(seen[0].header("content-type"), Some(b"text/x-test".as_slice()));
    assert_eq!(seen[0].header("content-length"), Some(b"5".as_slice()));
    assert_eq!(seen[0].header("authorization"), Some(b"Bearer hush".as_slice()));
}

#[tokio::test]
async fn limits_the_size_and_the_time_of_responses() {
    let server = Server::start(|seen| match seen.path.as_str() {
        "/never" => Reply::status(200).failing(Failure::NeverAnswer),
        "/large" => Reply::ok("text/plain", vec![b'x'; 1_001]),
        "/bomb" => Reply::ok("text/plain", gzip(&[0; 9_999])).header("content-encoding", "gzip"),
        "/odd" => Reply::ok("text/plain", "x").header("content-encoding", "zstd"),
        "/half" => Reply::ok("text/plain", "yes").failing(Failure::HalfBody),
        _ => Reply::ok("text/plain", vec![b'x'; 1_000]),
    })
    .unwrap();
    let client = client();
    for path in ["/large", "/bomb"] {
        let error = client.request_service(request(&server.url(path))).await.err().unwrap();
        let FetchError::TooLarge { limit, received, declared, .. } = error else {
            panic!("{error}")
        };
        assert_eq!((limit, declared), (1_000, None));
        assert!(received > 0, "{path}");
    }
    for (path, want) in [("/odd", "encoding \"zstd\""), ("/half", "closed the connection")] {
        let error = client.request_service(request(&server.url(path))).await.err().unwrap();
        assert!(error.to_string().contains(want), "{path}: {error}");
    }
    let exact = client.request_service(request(&server.url("/exact"))).await.unwrap();
    assert_eq!(exact.body.len(), 1_000);
    let within = Duration::from_millis(50);
    let never = ServiceRequest { within, ..request(&server.url("/never")) };
    let error = client.request_service(never).await.err().unwrap();
    assert_eq!(error, FetchError::Timeout { host: "127.0.0.1".into(), after: within });
}

#[tokio::test]
async fn posts_json_with_a_secret_as_bearer_token() {
    let server = Server::start(|seen| match seen.path.as_str() {
        "/ok" => Reply::ok("application/json", "{\"a\":1}"),
        "/created" => Reply::ok("application/json", "{}").with_status(201),
        _ => Reply::status(401),
    })
    .unwrap();
    let client = client();
    let key = Secret::Plain("hush".into());
    let post = async |path: &str, key: Option<&Secret>| {
        client.post_json(&url(&server.url(path)), key, "{}".to_owned(), HOUR).await
    };
    assert_eq!(&post("/ok", Some(&key)).await.unwrap()[..], b"{\"a\":1}");
    assert_eq!(&post("/ok", None).await.unwrap()[..], b"{\"a\":1}");
    for (path, want) in [("/created", "HTTP 201"), ("/no", "HTTP 401")] {
        let error = post(path, Some(&key)).await.unwrap_err().to_string();
        assert!(error.contains(want) && !error.contains("hush"), "{error}");
    }
    let missing = Secret::Env("NEWSFED_NO_SUCH".into());
    assert!(matches!(post("/ok", Some(&missing)).await, Err(FetchError::Secret(_))));
    let seen = server.requests();
    assert_eq!(seen[0].header("content-type"), Some(b"application/json".as_slice()));
    assert_eq!(seen[0].header("authorization"), Some(b"Bearer hush".as_slice()));
    assert_eq!((seen[1].header("authorization"), seen.len()), (None, 4));
}

#[cfg(unix)]
#[tokio::test]
async fn drops_only_cached_values_of_commands() {
    let client = client();
    let command = Secret::Command(vec!["printf".into(), "hush".into()]);
    assert!(!client.drop_secret(&command).await, "not known yet");
    assert_eq!(client.service_secret(&command).await.unwrap().as_ref(), "hush");
    assert!(client.drop_secret(&command).await);
    assert!(!client.drop_secret(&Secret::Plain("hush".into())).await);
}
