//! Files that are read piece by piece, and downloads that are resumed.

use super::*;
use crate::model::Access;
use crate::net::{Download, Purpose, Resume};
use crate::serve::scripted::{Failure, Reply};

fn file(address: &str) -> Request {
    Request { purpose: Purpose::File, ..typed(address) }
}

async fn contents(mut download: Download) -> Result<Vec<u8>, FetchError> {
    let mut all = Vec::new();
    while let Some(piece) = download.piece().await? {
        all.extend_from_slice(&piece);
    }
    Ok(all)
}

#[tokio::test]
async fn reads_a_file_behind_redirects() {
    let server = Server::start(|seen| match seen.path.as_str() {
        "/1" => Reply::status(302).header("location", "/2#part"),
        "/2" => Reply::status(307).header("location", "/file"),
        "/file" => Reply::ok("audio/mpeg", vec![7; 300_000]).header("etag", "\"v1\""),
        "/circle" => Reply::status(302).header("location", "/circle"),
        "/gone" => Reply::status(410).header("content-encoding", "gzip"),
        "/local" => Reply::status(302).header("location", "http://127.0.9.9/"),
        other => Reply::status(302).header("location", format!("{other}/on")),
    })
    .unwrap();
    let client = client();
    let found = client.download(&file(&server.url("/1#x")), None).await.unwrap();
    assert_eq!((found.response.status, found.length()), (200, Some(300_000)));
    assert_eq!(found.response.final_url.as_str(), server.url("/file"));
    assert_eq!(found.response.validators.etag.as_deref(), Some(b"\"v1\"".as_slice()));
    assert!(contents(found).await.unwrap() == vec![7; 300_000]);
    let seen = server.requests();
    assert_eq!(seen.iter().map(|r| r.path.as_str()).collect::<Vec<_>>(), ["/1", "/2", "/file"]);
    assert_eq!(seen[2].header("accept-encoding"), Some(b"identity".as_slice()));
    assert_eq!((seen[2].header("range"), seen[2].header("if-range")), (None, None));
    let gone = client.download(&file(&server.url("/gone")), None).await.unwrap();
    assert_eq!(gone.response.status, 410);
    let error =
        async |path: &str| client.download(&file(&server.url(path)), None).await.unwrap_err();
    assert!(matches!(error("/circle").await, FetchError::RedirectLoop { .. }));
    assert!(matches!(error("/long").await, FetchError::TooManyRedirects { limit: 5, .. }));
    assert_eq!(error("/local").await, FetchError::Private { host: "127.0.9.9".into() });
    let public = Request { allow_private: false, ..file(&server.url("/file")) };
    let private = client.download(&public, None).await.unwrap_err();
    assert_eq!(private, FetchError::Private { host: "127.0.0.1".into() });
    let unfollowed = Request { follow: false, ..file(&server.url("/1")) };
    assert_eq!(client.download(&unfollowed, None).await.unwrap().response.status, 302);
}

#[tokio::test]
async fn requests_the_rest_with_the_original_validator() {
    let server = Server::start(|seen| match seen.header("range") {
        Some(_) => Reply::ok("audio/mpeg", "rest").with_status(206),
        None => Reply::ok("audio/mpeg", "whole"),
    })
    .unwrap();
    // A validator that cannot be sent is not replaced by a guess.
    for (validator, body) in [(&b"\"v1\""[..], "rest"), (b"a\nb", "whole")] {
        let resume = Resume { offset: 1_000, validator: validator.to_vec() };
        let found = client().download(&file(&server.url("/")), Some(&resume)).await.unwrap();
        assert_eq!(contents(found).await.unwrap(), body.as_bytes());
    }
    let seen = server.requests();
    assert_eq!(seen[0].header("range"), Some(b"bytes=1000-".as_slice()));
    assert_eq!(seen[0].header("if-range"), Some(b"\"v1\"".as_slice()));
    assert_eq!((seen[1].header("range"), seen[1].header("if-range")), (None, None));
}

#[tokio::test]
async fn rejects_incomplete_and_compressed_files() {
    let server = Server::start(|seen| match seen.path.as_str() {
        "/half" => Reply::ok("audio/mpeg", vec![7; 1_000_000]).failing(Failure::HalfBody),
        "/gzip" => Reply::ok("audio/mpeg", "x").header("content-encoding", "gzip"),
        _ => Reply::ok("audio/mpeg", "x").header("content-encoding", "Identity"),
    })
    .unwrap();
    let client = client();
    let half = client.download(&file(&server.url("/half")), None).await.unwrap();
    let host = "127.0.0.1".to_owned();
    assert_eq!(contents(half).await.unwrap_err(), FetchError::Incomplete { host });
    let packed = client.download(&file(&server.url("/gzip")), None).await.unwrap_err();
    assert!(packed.to_string().contains("the server compressed the file (gzip)"), "{packed}");
    let plain = client.download(&file(&server.url("/plain")), None).await.unwrap();
    assert_eq!(contents(plain).await.unwrap(), b"x");
}

#[tokio::test]
async fn a_rate_limit_pauses_the_host_for_files_too() {
    let server = Server::start(|_| Reply::status(429)).unwrap();
    let client = client();
    let request = file(&server.url("/"));
    assert_eq!(client.download(&request, None).await.unwrap().response.status, 429);
    let error = client.download(&request, None).await.unwrap_err();
    assert!(matches!(error, FetchError::Paused { .. }), "{error}");
    let forced = Request { force: true, ..request };
    assert_eq!(client.download(&forced, None).await.unwrap().response.status, 429);
}

#[tokio::test]
async fn files_get_the_headers_of_their_source() {
    let server = Server::start(|_| Reply::ok("audio/mpeg", "x")).unwrap();
    let access = Access {
        headers: vec![("X-Key".into(), crate::model::Secret::Plain("k".into()))],
        ..Access::default()
    };
    let login = server.url("/").replace("http://", "http://me:hush@");
    client().download(&Request { access, ..file(&login) }, None).await.unwrap();
    let seen = &server.requests()[0];
    assert_eq!(seen.header("x-key"), Some(b"k".as_slice()));
    assert_eq!(seen.header("authorization"), Some(b"Basic bWU6aHVzaA==".as_slice()));
}
