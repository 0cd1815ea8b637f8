//! Credentials and headers of a source are sent only to the source's own server.

use super::*;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use newsfed::model::{Access, BasicAuth, Secret};

/// An environment variable that is always set.
const VARIABLE: &str = "PATH";

fn with_access(url: &str) -> Source {
    let auth = BasicAuth { user: "ann".into(), password: Secret::Env(VARIABLE.into()) };
    let headers = vec![("x-key".to_owned(), Secret::Env(VARIABLE.to_owned()))];
    let access = Access { auth: Some(auth), headers, proxy: None };
    Source { access, ..source("s", url) }
}

#[tokio::test]
async fn sends_credentials_only_to_their_origin() {
    let stranger = Server::start(|_| feed(&[("1", "Elsewhere")])).unwrap();
    let there = stranger.url("/there");
    let own = Server::start(move |request| match request.path.as_str() {
        "/away" => Reply::status(302).header("location", &there),
        "/within" => Reply::status(302).header("location", "/feed"),
        _ => feed(&[("1", "Here")]),
    })
    .unwrap();
    for path in ["/feed", "/within", "/away"] {
        let home = Home::with(&[with_access(&own.url(path))]);
        let engine = home.on_demand().await;
        assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1), "{path}");
        engine.shutdown().await;
    }
    assert_eq!(own.requests().len(), 4);
    let value = std::env::var(VARIABLE).unwrap();
    let basic = format!("Basic {}", STANDARD.encode(format!("ann:{value}")));
    for request in own.requests() {
        let sent = request.header("authorization");
        assert_eq!(sent, Some(basic.as_bytes()), "{}", request.path);
        assert_eq!(request.header("x-key"), Some(value.as_bytes()), "{}", request.path);
    }
    let [request] = &stranger.requests()[..] else { panic!("one request") };
    assert_eq!((request.header("authorization"), request.header("x-key")), (None, None));
}

#[tokio::test]
async fn a_missing_secret_is_an_error_for_the_user() {
    let server = Server::start(|_| feed(&[("1", "One")])).unwrap();
    let auth = BasicAuth { user: "ann".into(), password: Secret::Env("NEWSFED_NOT_SET_9".into()) };
    let access = Access { auth: Some(auth), ..Access::default() };
    let home = Home::with(&[Source { access, ..source("s", &server.url("/")) }]);
    let engine = home.on_demand().await;
    let refreshed = sync_one(&engine, Pace::Manual).await;
    assert!(failure(&refreshed).unwrap().contains("NEWSFED_NOT_SET_9"), "{refreshed:?}");
    assert_eq!(server.requests().len(), 0, "no request without it");
    engine.shutdown().await;
}

#[tokio::test]
async fn passwords_in_a_url_are_never_printed() {
    let server = Server::start(|_| Reply::status(401)).unwrap();
    let url = server.url("/feed").replace("http://", "http://ann:s3same@");
    let home = Home::with(&[source("s", &url)]);
    let engine = home.on_demand().await;
    let refreshed = sync_one(&engine, Pace::Manual).await;
    let message = failure(&refreshed).unwrap();
    assert!(message.contains("password") && !message.contains("s3same"), "{message}");
    let sent = server.requests()[0].header("authorization").map(<[u8]>::to_vec);
    assert_eq!(sent.as_deref(), Some(b"Basic YW5uOnMzc2FtZQ==".as_slice()));
    engine.shutdown().await;
}
