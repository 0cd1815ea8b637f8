use super::*;
use hyper::header::{HeaderMap, HeaderValue};
use hyper::{Method, StatusCode};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// A running server.
struct Running {
    address: SocketAddr,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

async fn start<F>(
    limits: Limits,
    handler: impl Fn(ServedRequest) -> F + Send + Sync + 'static,
) -> Running
where
    F: Future<Output = ServedResponse> + Send + 'static,
{
    let server = HttpServer::bind(([127, 0, 0, 1], 0).into(), limits).await.unwrap();
    let (address, stop) = (server.address().unwrap(), CancellationToken::new());
    let task = tokio::spawn(server.run(handler, stop.clone()));
    Running { address, stop, task }
}

impl Running {
    /// What the server sends until it closes the connection.
    async fn send(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request).await.unwrap();
        read(&mut stream).await
    }
}

async fn read(stream: &mut TcpStream) -> String {
    let mut all = Vec::new();
    // A server that closes early may reset the connection.
    let _ = stream.read_to_end(&mut all).await;
    String::from_utf8(all).unwrap()
}

async fn echo(request: ServedRequest) -> ServedResponse {
    let text = format!("{} {} {}", request.method, request.uri.path(), request.body.len());
    ServedResponse::text(StatusCode::OK, &text)
}

#[tokio::test]
async fn requests_are_read_within_limits() {
    let server = start(Limits::default(), echo).await;
    let head = "HTTP/1.1\r\nhost: localhost\r\n";
    let body = |length: usize| {
        let text = format!("POST /b {head}content-length: {length}\r\n\r\n");
        [text.as_bytes(), &vec![b'x'; length]].concat()
    };
    let chunked = [
        format!("POST /c {head}transfer-encoding: chunked\r\n\r\n").into_bytes(),
        format!("{:x}\r\n", (1 << 20) + 1).into_bytes(),
        vec![b'x'; (1 << 20) + 1],
        b"\r\n0\r\n\r\n".to_vec(),
    ]
    .concat();
    let many: String = (0..100).map(|n| format!("x-{n}: 1\r\n")).collect();
    let cases: [(&str, Vec<u8>, &str, &str); 8] = [
        ("a request", format!("GET /a {head}\r\n").into(), "200", "GET /a 0\n"),
        ("no body for HEAD", format!("HEAD /a {head}\r\n").into(), "200", "\r\n\r\n"),
        ("the largest body", body(1 << 20), "200", "POST /b 1048576\n"),
        ("a larger body", body((1 << 20) + 1), "413", "too large\n"),
        ("without a length", chunked, "413", "too large\n"),
        (
            "a long header",
            format!("GET / {head}x: {}\r\n\r\n", "x".repeat(20_000)).into(),
            "431",
            "",
        ),
        ("many headers", format!("GET / {head}{many}\r\n").into(), "431", ""),
        ("not HTTP", b"hello\r\n\r\n".to_vec(), "400", ""),
    ];
    for (what, request, status, end) in cases {
        let response = server.send(&request).await;
        assert!(response.starts_with(&format!("HTTP/1.1 {status}")), "{what}: {response}");
        assert!(response.ends_with(end), "{what}: {response}");
        assert!(!response.contains("200") || response.contains("connection: close"), "{response}");
    }
}

/// The paused clock advances only while all tasks wait.
#[tokio::test(start_paused = true)]
async fn slow_clients_are_cut_off() {
    let server = start(Limits::default(), echo).await;
    let mut slow: Vec<TcpStream> = Vec::new();
    for part in ["", "GET / HTTP/1.1\r\nhost:", "POST / HTTP/1.1\r\ncontent-length: 5\r\n\r\nab"] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(part.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    let began = tokio::time::Instant::now();
    for (stream, limit) in slow.iter_mut().zip([10, 10, 60]) {
        let response = read(stream).await;
        assert!(response.is_empty() || response.starts_with("HTTP/1.1 408"), "{response}");
        assert!(began.elapsed() <= Duration::from_secs(limit + 1), "{:?}", began.elapsed());
    }
}

/// The paused clock advances only while all tasks wait.
#[tokio::test(start_paused = true)]
async fn connections_beyond_the_limit_wait() {
    let (gate, arrived) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let handler = {
        let (gate, arrived) = (gate.clone(), arrived.clone());
        move |request| {
            let (gate, arrived) = (gate.clone(), arrived.clone());
            async move {
                arrived.add_permits(1);
                gate.acquire().await.unwrap().forget();
                echo(request).await
            }
        }
    };
    let server = Arc::new(start(Limits::default(), handler).await);
    let mut clients = Vec::new();
    for _ in 0..40 {
        let server = server.clone();
        clients.push(tokio::spawn(async move { server.send(b"GET /a HTTP/1.0\r\n\r\n").await }));
    }
    arrived.acquire_many(32).await.unwrap().forget();
    for _ in 0..8 {
        let next = tokio::time::timeout(Duration::from_secs(1), arrived.acquire()).await;
        assert!(next.is_err(), "more connections than allowed");
        gate.add_permits(1);
        arrived.acquire().await.unwrap().forget();
    }
    gate.add_permits(32);
    for client in clients {
        assert!(client.await.unwrap().ends_with("GET /a 0\n"));
    }
}

#[tokio::test(start_paused = true)]
async fn stopping_waits_for_responses_but_not_forever() {
    let reached = Arc::new(Semaphore::new(0));
    let noted = reached.clone();
    let server = start(Limits::default(), move |request: ServedRequest| {
        let noted = noted.clone();
        async move {
            noted.add_permits(1);
            let wait = if request.uri.path() == "/soon" { 500 } else { 50_000 };
            tokio::time::sleep(Duration::from_millis(wait)).await;
            echo(request).await
        }
    })
    .await;
    let mut streams = Vec::new();
    for path in ["/soon", "/late"] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(format!("GET {path} HTTP/1.0\r\n\r\n").as_bytes()).await.unwrap();
        reached.acquire().await.unwrap().forget();
        streams.push(stream);
    }
    server.stop.cancel();
    server.task.await.unwrap();
    assert!(read(&mut streams[0]).await.ends_with("GET /soon 0\n"));
    assert_eq!(read(&mut streams[1]).await, "");
    assert!(TcpStream::connect(server.address).await.is_err());
}

#[tokio::test]
async fn a_panic_ends_only_one_request() {
    let server = start(Limits::default(), |request: ServedRequest| async move {
        assert!(request.uri.path() != "/bad");
        echo(request).await
    })
    .await;
    assert_eq!(server.send(b"GET /bad HTTP/1.0\r\n\r\n").await, "");
    assert!(server.send(b"GET /good HTTP/1.0\r\n\r\n").await.ends_with("GET /good 0\n"));
}

fn request(headers: &[(&'static str, &str)]) -> ServedRequest {
    let mut all = HeaderMap::new();
    for (name, value) in headers {
        all.append(*name, HeaderValue::from_str(value).unwrap());
    }
    let body = bytes::Bytes::new();
    ServedRequest { method: Method::GET, uri: "/".parse().unwrap(), headers: all, body }
}

#[test]
fn accepts_only_loopback_names_as_hosts() {
    for (hosts, expected) in [
        (&["localhost"][..], true),
        (&["LOCALHOST:80"], true),
        (&["127.0.0.1:8990"], true),
        (&["127.9.9.9"], true),
        (&["[::1]:8990"], true),
        (&[], false),
        (&["evil.example"], false),
        (&["localhost.evil.example:8990"], false),
        (&["127.0.0.1.evil.example"], false),
        (&["localhost@evil.example"], false),
        (&["evil.example@localhost"], false),
        (&["192.168.0.1"], false),
        (&["0.0.0.0"], false),
        (&[""], false),
        (&["localhost", "evil.example"], false),
    ] {
        let headers: Vec<(&str, &str)> = hosts.iter().map(|host| ("host", *host)).collect();
        assert_eq!(is_for_loopback(&request(&headers)), expected, "{hosts:?}");
    }
}

#[test]
fn a_secret_matches_only_as_a_whole() {
    for (given, expected) in
        [("abc", true), ("abd", false), ("ab", false), ("abcd", false), ("", false)]
    {
        assert_eq!(same_secret(given, "abc"), expected, "{given}");
    }
}

#[test]
fn does_not_resend_unchanged_documents() {
    let modified = Some(SystemTime::UNIX_EPOCH + Duration::from_secs(1_763_000_000));
    let get = |headers: &[(&'static str, &str)]| {
        ServedResponse::document(&request(headers), "text/plain", modified, "text")
    };
    let full = get(&[]);
    let tag = full.headers["etag"].to_str().unwrap().to_owned();
    assert_eq!((full.status, &full.body), (StatusCode::OK, &Pieces::from("text".to_owned())));
    assert_eq!(full.headers["last-modified"], "Thu, 13 Nov 2025 02:13:20 GMT");
    let (weak, list) = (format!("W/{tag}"), format!("\"x\", {tag}"));
    for (value, status) in [
        (tag.as_str(), StatusCode::NOT_MODIFIED),
        (&weak, StatusCode::NOT_MODIFIED),
        (&list, StatusCode::NOT_MODIFIED),
        ("*", StatusCode::NOT_MODIFIED),
        ("\"x\"", StatusCode::OK),
        ("", StatusCode::OK),
    ] {
        let response = get(&[("if-none-match", value)]);
        assert_eq!(response.status, status, "{value}");
        assert_eq!(response.headers["etag"], full.headers["etag"], "{value}");
    }
}
