//! Errors and their messages.

use super::*;
use crate::model::{Access, BasicAuth, ErrorKind, Secret};
use crate::serve::scripted::{Failure, Reply};

#[tokio::test]
async fn reports_the_kind_of_each_failure() {
    let short = Duration::from_millis(200);
    let long = settings().feed_timeout;
    let errors = [
        (Failure::NeverAnswer, short, "did not respond completely within 0.2 s"),
        (Failure::Stall, short, "did not respond completely within 0.2 s"),
        (Failure::Reset, long, "closed the connection"),
        (Failure::HalfBody, long, "closed the connection"),
    ];
    for (failure, feed_timeout, want) in errors {
        let server =
            Server::start(move |_| Reply::ok("text/xml", "<rss/>").failing(failure)).unwrap();
        let (client, _) = client_with(NetSettings { feed_timeout, ..settings() });
        let error = client.fetch(typed(&server.url("/"))).await.unwrap_err();
        let text = error.to_string();
        assert!(text.contains("127.0.0.1") && text.contains(want), "{failure:?}: {text}");
        assert_eq!((error.kind(), error.is_offline()), (ErrorKind::Transient, false));
    }
}

#[tokio::test]
async fn reports_unreachable_hosts() {
    let server = Server::start(|_| Reply::status(200)).unwrap();
    let address = server.url("/");
    let secure = address.replace("http:", "https:");
    let error = client().fetch(typed(&secure)).await.unwrap_err();
    assert!(matches!(error, FetchError::NoTls { .. }), "{error:?}");
    assert!(error.lacks_https(), "http may be tried instead");
    drop(server);
    let error = client().fetch(typed(&address)).await.unwrap_err();
    assert!(error.to_string().contains("connection refused"), "{error}");
    assert_eq!((error.kind(), error.is_offline()), (ErrorKind::Transient, false));
    for text in ["ftp://127.0.0.1/", "file:///etc/passwd", "data:,x"] {
        let error = client().fetch(typed(text)).await.unwrap_err();
        assert!(matches!(error, FetchError::Scheme { .. }), "{error}");
        assert_eq!(error.kind(), ErrorKind::User);
    }
}

#[tokio::test]
async fn errors_never_contain_secrets() {
    let server = Server::start(|_| Reply::ok("text/xml", "<rss/>")).unwrap();
    let header = |name: &str, value: &str| Access {
        headers: vec![(name.to_owned(), Secret::Plain(value.to_owned()))],
        ..Access::default()
    };
    let auth = BasicAuth { user: "me".into(), password: Secret::Env("NEWSFED_NO_SUCH".into()) };
    let cases = [
        (header("x-key", "hush\nx: y"), "header x-key"),
        (header("bad name", "hush"), "header bad name"),
        (header("Host", "hush"), "header Host"),
        (Access { auth: Some(auth), ..Access::default() }, "variable NEWSFED_NO_SUCH is not set"),
        (Access { proxy: Some("ftp://u:hush@p".into()), ..Access::default() }, "proxy p cannot"),
    ];
    for (access, want) in cases {
        let request = Request { access, ..typed(&server.url("/")) };
        let error = client().fetch(request).await.unwrap_err();
        let text = format!("{error} {error:?}");
        assert!(text.contains(want) && !text.contains("hush"), "{text}");
        assert_eq!(error.kind(), ErrorKind::User);
    }
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn private_addresses_are_fetched_only_for_the_user() {
    let server = Server::start(|_| Reply::ok("text/xml", "<rss/>")).unwrap();
    let port = server.address().port();
    let hosts = ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0"];
    for host in hosts {
        let requested = url(&format!("http://{host}:{port}/"));
        let error = client().fetch(Request::feed(requested)).await.unwrap_err();
        assert!(matches!(error, FetchError::Private { .. }), "{host}: {error}");
        assert_eq!(error.kind(), ErrorKind::User);
    }
    assert_eq!(server.requests().len(), 0);
    let named = typed(&format!("http://localhost:{port}/"));
    assert_eq!(client().fetch(named).await.unwrap().status, 200);
}

#[tokio::test]
async fn uses_the_declared_proxy_and_names_it_in_errors() {
    let proxy = Server::start(|_| Reply::ok("text/xml", "<rss/>")).unwrap();
    // A name and not an address, so that the resolver has to make an exception for the proxy.
    let access = Access {
        proxy: Some(format!("http://localhost:{}", proxy.address().port())),
        ..Access::default()
    };
    let requested = Request { access, ..Request::feed(url("http://news.example/feed")) };
    let response = client().fetch(requested.clone()).await.unwrap();
    assert_eq!(response.final_url.as_str(), "http://news.example/feed");
    let seen = &proxy.requests()[0];
    assert_eq!(seen.header("host"), Some(b"news.example".as_slice()));
    drop(proxy);
    let error = client().fetch(requested).await.unwrap_err().to_string();
    assert!(error.contains("news.example (through the proxy localhost)"), "{error}");
}

/// A server with a self-signed certificate; its key is not secret.
#[tokio::test]
async fn rejects_a_self_signed_certificate() {
    use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
    use std::io::{Read, Write};
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data");
    let certificate = CertificateDer::from_pem_file(folder.join("self-signed.crt")).unwrap();
    let key = PrivateKeyDer::from_pem_file(folder.join("self-signed.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let (mut tcp, _) = listener.accept().unwrap();
        let mut tls = rustls::ServerConnection::new(Arc::new(config)).unwrap();
        let mut stream = rustls::Stream::new(&mut tls, &mut tcp);
        let mut request = [0; 1000];
        let read = stream.read(&mut request).unwrap_or(0);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n<rss/>");
        read
    });
    let requested = typed(&format!("https://127.0.0.1:{port}/"));
    let error = client().fetch(requested).await.unwrap_err();
    let words = error.to_string();
    assert!(words.contains("the certificate of"), "{words}");
    assert!(words.contains("nothing was read") && words.contains("127.0.0.1"), "{words}");
    assert_eq!((error.kind(), error.is_offline()), (ErrorKind::Permanent, false), "{words}");
    assert_eq!(server.join().unwrap(), 0, "no part of the request was sent");
}
