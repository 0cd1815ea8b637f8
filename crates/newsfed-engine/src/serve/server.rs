//! Accepts connections, reads requests within limits and sends responses.

use super::message::{Pieces, ServedRequest, ServedResponse};
use futures_util::future::BoxFuture;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::StatusCode;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

/// Time for open connections to end when the server stops.
const GRACE: Duration = Duration::from_secs(1);
/// Time to wait when no connection can be accepted, for example because too many files are open.
const BREATHE: Duration = Duration::from_millis(200);
/// Maximum number of headers in a request.
const MAX_HEADERS: usize = 64;

/// Limits for clients.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Maximum number of connections at the same time; further ones wait.
    pub connections: usize,
    /// Maximum size of a request's head, in bytes; at least 8 KiB.
    pub head: usize,
    /// Maximum size of a request's body, in bytes.
    pub body: usize,
    /// Time within which a request's head must arrive.
    pub head_time: Duration,
    /// Time within which a request and its response must be complete.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 32,
            head: 16 << 10,
            body: 1 << 20,
            head_time: Duration::from_secs(10),
            time: Duration::from_secs(60),
        }
    }
}

/// Produces the response to a request.
type Handler = dyn Fn(ServedRequest) -> BoxFuture<'static, ServedResponse> + Send + Sync;

/// A bound port.
pub struct HttpServer {
    listener: TcpListener,
    limits: Limits,
}

impl HttpServer {
    /// Binds a port; 0 means any free port.
    ///
    /// # Errors
    /// If the port is in use or not allowed.
    pub async fn bind(address: SocketAddr, limits: Limits) -> io::Result<Self> {
        Ok(Self { listener: TcpListener::bind(address).await?, limits })
    }

    /// The address that the server is bound to.
    ///
    /// # Errors
    /// If the system does not return it.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until the server is stopped. Each connection is for one request, so that no client keeps others
    /// waiting for long.
    pub async fn run<F>(
        self,
        handler: impl Fn(ServedRequest) -> F + Send + Sync + 'static,
        stop: CancellationToken,
    ) where
        F: Future<Output = ServedResponse> + Send + 'static,
    {
        let handler: Arc<Handler> = Arc::new(move |request| Box::pin(handler(request)));
        let slots = Arc::new(Semaphore::new(self.limits.connections));
        let mut connections = JoinSet::new();
        let accept = async {
            // The semaphore is never closed.
            while let Ok(slot) = slots.clone().acquire_owned().await {
                let stream = match self.listener.accept().await {
                    Ok((stream, _)) => stream,
                    Err(e) => {
                        tracing::warn!("cannot accept a connection: {e}");
                        tokio::time::sleep(BREATHE).await;
                        continue;
                    }
                };
                while let Some(ended) = connections.try_join_next() {
                    note_panic(ended);
                }
                let (handler, limits) = (handler.clone(), self.limits);
                connections.spawn(async move {
                    let served = serve(stream, limits, handler);
                    // A client that is too slow or has disconnected needs no response.
                    let _ = tokio::time::timeout(limits.time, served).await;
                    drop(slot);
                });
            }
        };
        tokio::select! {
            () = accept => {}
            () = stop.cancelled() => {}
        }
        let ended = async {
            while let Some(ended) = connections.join_next().await {
                note_panic(ended);
            }
        };
        // Dropping the set stops the remaining tasks.
        let _ = tokio::time::timeout(GRACE, ended).await;
    }
}

fn note_panic(ended: Result<(), JoinError>) {
    if let Err(e) = ended {
        tracing::error!("a request was not served: {e}");
    }
}

async fn serve(stream: TcpStream, limits: Limits, handler: Arc<Handler>) {
    let service = service_fn(move |request| respond(request, limits.body, handler.clone()));
    let served = http1::Builder::new()
        .keep_alive(false)
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_time)
        .max_buf_size(limits.head)
        .max_headers(MAX_HEADERS)
        .serve_connection(TokioIo::new(stream), service);
    if let Err(e) = served.await {
        tracing::debug!("a connection ended early: {e}");
    }
}

/// Reads the body, and calls the handler.
async fn respond(
    request: hyper::Request<Incoming>,
    most: usize,
    handler: Arc<Handler>,
) -> Result<hyper::Response<Pieces>, Infallible> {
    let (head, body) = request.into_parts();
    let response = match Limited::new(body, most).collect().await {
        Ok(body) => {
            let body = body.to_bytes();
            handler(ServedRequest {
                method: head.method,
                uri: head.uri,
                headers: head.headers,
                body,
            })
            .await
        }
        Err(e) if e.is::<LengthLimitError>() => {
            ServedResponse::text(StatusCode::PAYLOAD_TOO_LARGE, "The request is too large")
        }
        Err(_) => ServedResponse::text(StatusCode::BAD_REQUEST, "The request is incomplete"),
    };
    let mut out = hyper::Response::new(response.body);
    *out.status_mut() = response.status;
    *out.headers_mut() = response.headers;
    Ok(out)
}
