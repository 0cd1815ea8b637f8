//! An HTTP server on loopback whose responses and failures come from a function.

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use http_body_util::StreamBody;
use hyper::body::{Frame, Incoming};
use hyper::header::{CONTENT_LENGTH, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Response, StatusCode};
use hyper_util::rt::TokioIo;
use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::sync::{oneshot, watch};

/// Number of requests kept in the log.
const REMEMBERED: usize = 10_000;
/// Number of other ports that are tried if one is in use on any of the addresses.
const PORT_TRIES: usize = 32;

/// A request as the server received it.
#[derive(Debug, Clone)]
pub struct ScriptedRequest {
    pub at: Instant,
    /// The local address that received the request.
    pub ip: IpAddr,
    /// `GET`, `HEAD` and so on.
    pub method: String,
    /// Path with query.
    pub path: String,
    /// Names in lower case, values byte for byte, in order.
    pub headers: Vec<(String, Vec<u8>)>,
    /// Number of concurrent requests on this server when this one arrived, including this one.
    pub in_flight: usize,
}

impl ScriptedRequest {
    /// The first header with this name (lower case), byte for byte.
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_slice())
    }
}

/// How a response fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Failure {
    /// It does not fail.
    #[default]
    None,
    /// No response until the server stops.
    NeverAnswer,
    /// The connection closes without a response.
    Reset,
    /// Half of the body, then the connection closes.
    HalfBody,
    /// Half of the body, then silence until the server stops.
    Stall,
}

#[derive(Debug, Clone)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// Headers, values byte for byte. Invalid ones are dropped.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body.
    pub body: Bytes,
    /// Time to wait before responding.
    pub delay: Duration,
    pub failure: Failure,
}

impl Reply {
    pub fn status(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Bytes::new(),
            delay: Duration::ZERO,
            failure: Failure::None,
        }
    }

    /// A 200 response with this media type.
    pub fn ok(media_type: &str, body: impl Into<Bytes>) -> Self {
        Self { body: body.into(), ..Self::status(200) }.header("content-type", media_type)
    }

    pub fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers.push((name.to_owned(), value.as_ref().to_vec()));
        self
    }

    /// Delays the response.
    pub fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    /// Makes the response fail.
    pub fn failing(self, failure: Failure) -> Self {
        Self { failure, ..self }
    }
}

type Handler = dyn Fn(&ScriptedRequest) -> Reply + Send + Sync;

/// State shared by the connections and the handle.
struct Shared {
    handler: Box<Handler>,
    log: Mutex<VecDeque<ScriptedRequest>>,
    count: watch::Sender<usize>,
    in_flight: AtomicUsize,
}

/// A running server. Dropping it closes every connection and waits for its thread.
pub struct Server {
    addresses: Vec<SocketAddr>,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// A server on 127.0.0.1 and a free port.
    ///
    /// # Errors
    /// If no port is available.
    pub fn start(
        handler: impl Fn(&ScriptedRequest) -> Reply + Send + Sync + 'static,
    ) -> io::Result<Self> {
        Self::start_on(&[IpAddr::V4(Ipv4Addr::LOCALHOST)], handler)
    }

    /// A server on several loopback addresses with the same free port, to simulate several hosts.
    ///
    /// # Errors
    /// If an address is not a loopback address or cannot be bound.
    pub fn start_on(
        ips: &[IpAddr],
        handler: impl Fn(&ScriptedRequest) -> Reply + Send + Sync + 'static,
    ) -> io::Result<Self> {
        if ips.is_empty() || !ips.iter().all(IpAddr::is_loopback) {
            return Err(io::Error::other("only loopback addresses are served"));
        }
        let listeners = bind(ips)?;
        let addresses = listeners.iter().map(TcpListener::local_addr).collect::<Result<_, _>>()?;
        let shared = Arc::new(Shared {
            handler: Box::new(handler),
            log: Mutex::default(),
            count: watch::Sender::new(0),
            in_flight: AtomicUsize::new(0),
        });
        let (stop, stopped) = oneshot::channel::<()>();
        let state = shared.clone();
        // The server has its own thread, so that it works with and without an async runtime around it.
        let thread =
            std::thread::Builder::new().name("demo-server".to_owned()).spawn(move || {
                if let Err(error) = run(listeners, state, stopped) {
                    tracing::error!(%error, "the loopback server cannot run");
                }
            })?;
        Ok(Self { addresses, shared, stop: Some(stop), thread: Some(thread) })
    }

    /// The first address.
    pub fn address(&self) -> SocketAddr {
        // `start_on` refuses an empty list.
        self.addresses.first().copied().unwrap_or(SocketAddr::from(([127, 0, 0, 1], 0)))
    }

    /// The http URL of a path (with a leading slash) on the first host.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address())
    }

    /// The http URL of a path on another host of the server.
    pub fn url_on(&self, ip: IpAddr, path: &str) -> String {
        format!("http://{}{path}", SocketAddr::new(ip, self.address().port()))
    }

    /// The requests so far, oldest first.
    pub fn requests(&self) -> Vec<ScriptedRequest> {
        lock(&self.shared.log).iter().cloned().collect()
    }

    /// Waits until `count` requests have arrived in total.
    pub async fn received(&self, count: usize) {
        // The sender lives in `self`, so the wait cannot fail.
        let _ = self.shared.count.subscribe().wait_for(|n| *n >= count).await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens one free port on every address.
fn bind(ips: &[IpAddr]) -> io::Result<Vec<TcpListener>> {
    let mut last = io::Error::other("no free port");
    for _ in 0..PORT_TRIES {
        match bind_once(ips) {
            Ok(listeners) => return Ok(listeners),
            Err(e) if e.kind() == io::ErrorKind::AddrInUse => last = e,
            Err(e) => return Err(e),
        }
    }
    Err(last)
}

fn bind_once(ips: &[IpAddr]) -> io::Result<Vec<TcpListener>> {
    let mut listeners = Vec::with_capacity(ips.len());
    let mut port = 0;
    for ip in ips {
        let listener = TcpListener::bind((*ip, port))?;
        listener.set_nonblocking(true)?;
        port = listener.local_addr()?.port();
        listeners.push(listener);
    }
    Ok(listeners)
}

/// Serves until the other end of `stopped` is dropped.
fn run(
    listeners: Vec<TcpListener>,
    shared: Arc<Shared>,
    stopped: oneshot::Receiver<()>,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        for listener in listeners {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            tokio::spawn(accept(listener, shared.clone()));
        }
        let _ = stopped.await;
        Ok(())
    })
}

async fn accept(listener: tokio::net::TcpListener, shared: Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(serve(stream, shared.clone()));
    }
}

async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    let Ok(local) = stream.local_addr() else { return };
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| respond(shared.clone(), local.ip(), request));
    // A failed connection needs no report, whether it was intended or not.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

type Body = StreamBody<BoxStream<'static, io::Result<Frame<Bytes>>>>;

/// Counts a request as concurrent until its response is chosen.
struct InFlight<'a>(&'a AtomicUsize);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

async fn respond(
    shared: Arc<Shared>,
    ip: IpAddr,
    request: hyper::Request<Incoming>,
) -> io::Result<Response<Body>> {
    let in_flight = shared.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
    let _guard = InFlight(&shared.in_flight);
    let path = request.uri().path_and_query().map_or("/", |p| p.as_str()).to_owned();
    let headers = request.headers().iter();
    let request = ScriptedRequest {
        at: Instant::now(),
        ip,
        method: request.method().to_string(),
        path,
        headers: headers.map(|(n, v)| (n.to_string(), v.as_bytes().to_vec())).collect(),
        in_flight,
    };
    {
        let mut log = lock(&shared.log);
        if log.len() == REMEMBERED {
            log.pop_front();
        }
        log.push_back(request.clone());
    }
    shared.count.send_modify(|n| *n += 1);
    let reply = (shared.handler)(&request);
    if !reply.delay.is_zero() {
        tokio::time::sleep(reply.delay).await;
    }
    match reply.failure {
        Failure::NeverAnswer => std::future::pending().await,
        Failure::Reset => Err(io::Error::from(io::ErrorKind::ConnectionReset)),
        _ => render(reply),
    }
}

fn render(reply: Reply) -> io::Result<Response<Body>> {
    let Reply { status, headers, body, failure, .. } = reply;
    let length = body.len();
    let half = body.slice(..length / 2);
    let chunk = |bytes| stream::iter([Ok(Frame::data(bytes))]);
    let stream = match failure {
        Failure::HalfBody => {
            let cut = Err(io::Error::from(io::ErrorKind::ConnectionReset));
            chunk(half).chain(stream::iter([cut])).boxed()
        }
        Failure::Stall => chunk(half).chain(stream::pending()).boxed(),
        _ => chunk(body).boxed(),
    };
    let mut response = Response::new(StreamBody::new(stream));
    *response.status_mut() = StatusCode::from_u16(status).map_err(io::Error::other)?;
    if !matches!(status, 100..=199 | 204 | 304) {
        response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    for (name, value) in headers {
        let name = HeaderName::from_bytes(name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(&value)) {
            response.headers_mut().append(name, value);
        }
    }
    Ok(response)
}
