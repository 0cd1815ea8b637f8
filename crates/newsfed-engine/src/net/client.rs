//! The HTTP client: sends a request, obeying robots.txt, pauses, redirects and limits.

mod download;

pub use download::{Download, Resume};

use super::body::{BodyError, Decoder};
use super::error::{Attempt, FetchError, plain};
use super::freshness::Freshness;
use super::gate::{Gate, Permit, host_key};
use super::memory::{LARGE, MemoryBudget, MemoryShare};
use super::refresh;
use super::request::{Hop, Purpose, Request, Response};
use super::request_headers::RequestHeaders;
use super::resolver::Names;
use super::robots_cache::RobotsCache;
use super::secret::Secrets;
use super::transport::{Kind, Route, Transport};
use crate::config::NetSettings;
use crate::model::{Time, Validators};
use crate::util::address::is_private_host;
use crate::util::clock::Clock;
use crate::util::url::take_credentials;
use bytes::Bytes;
use reqwest::header::{self, HeaderMap, HeaderValue};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::OwnedSemaphorePermit;
use url::Url;

/// Maximum number of redirects that are followed.
pub const MAX_HOPS: usize = 5;
/// Maximum length of a URL that is followed, and of a validator that is kept, in bytes.
const MAX_HEADER: usize = 8 * 1024;
/// How much of a body is decoded at a time, in bytes. With gzip the decoded part can be 1,000 times larger;
/// brotli is decoded in smaller steps.
const PART: usize = 1024;

/// The HTTP client. Clones share connections, queues and caches.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

struct Inner {
    settings: NetSettings,
    clock: Arc<dyn Clock>,
    gate: Gate,
    transport: Transport,
    secrets: Secrets,
    robots: RobotsCache,
    memory: MemoryBudget,
}

/// The result of one hop.
enum Step {
    Redirect { status: u16, location: String },
    Done(Box<Response>),
}

impl Client {
    /// Creates a client. Nothing is opened before the first request.
    pub fn new(settings: NetSettings, clock: Arc<dyn Clock>) -> Self {
        Self::with_names(settings, clock, Names::System)
    }

    /// Like [`Client::new`], with a different way to resolve names.
    pub fn with_names(settings: NetSettings, clock: Arc<dyn Clock>, names: Names) -> Self {
        let gate = Gate::new(clock.clone(), settings.max_in_flight);
        let transport = Transport::new(&settings, names);
        let (secrets, robots) = (Secrets::default(), RobotsCache::default());
        let memory = MemoryBudget::default();
        Self {
            inner: Arc::new(Inner { settings, clock, gate, transport, secrets, robots, memory }),
        }
    }

    /// Sends the request and follows redirects. Statuses other than 2xx and 304 are responses
    /// too, with their facts and without their body. A 429, and a 403 or 503 with `Retry-After`, pause
    /// the host before the next request to it can start. Dropping the future cancels the request.
    ///
    /// # Errors
    /// If there is no usable response, or the request is not allowed.
    pub async fn fetch(&self, request: Request) -> Result<Response, FetchError> {
        self.fetch_checked(&request, request.purpose != Purpose::Feed).await
    }

    /// Pauses the host of a URL until `until`; waiting requests fail with [`FetchError::Paused`]. A longer
    /// pause is kept.
    pub fn pause(&self, url: &Url, until: Time) {
        self.inner.gate.pause(&host_key(url), until);
    }

    /// Waits until a document of `bytes` bytes that was not fetched over HTTP fits the memory budget.
    pub(crate) async fn memory_share(&self, bytes: u64) -> MemoryShare {
        Arc::new(self.inner.memory.reserve(Some(bytes), false).await)
    }

    /// The maximum size of a body in bytes.
    pub fn max_body(&self) -> u64 {
        self.inner.settings.max_body
    }

    /// The time until which the host of a URL is paused.
    pub fn paused_until(&self, url: &Url) -> Option<Time> {
        self.inner.gate.paused_until(&host_key(url))
    }

    /// The `Sitemap` lines of the robots.txt that applies to a page, as written. Fetches the file
    /// if it is not cached.
    ///
    /// # Errors
    /// If the page may not be fetched.
    pub async fn sitemaps(&self, request: &Request) -> Result<Vec<String>, FetchError> {
        self.inner.robots.sitemaps(self, request).await
    }

    /// Like [`Client::fetch`], but robots.txt is only fetched and obeyed if `fetch_robots` is true.
    pub(crate) async fn fetch_checked(
        &self,
        request: &Request,
        fetch_robots: bool,
    ) -> Result<Response, FetchError> {
        let mut shown = None;
        let fetched = self.fetch_hops(request, fetch_robots, &mut shown).await;
        match (fetched, shown) {
            // A page that redirects to a URL that cannot be fetched is still a page.
            (Err(_), Some(page)) => Ok(page),
            (Ok(other), Some(page)) if !other.is_success() => Ok(page),
            (fetched, _) => fetched,
        }
    }

    /// Follows redirects; `shown` is the last page with a redirect in its markup.
    async fn fetch_hops(
        &self,
        request: &Request,
        fetch_robots: bool,
        shown: &mut Option<Response>,
    ) -> Result<Response, FetchError> {
        let inner = &self.inner;
        let mut url = request.url.clone();
        url.set_fragment(None);
        take_credentials(&mut url);
        let user = take_credentials(&mut request.home().clone());
        let request_headers = RequestHeaders::prepare(request, user, &inner.secrets).await?;
        let allowed = match request.purpose {
            Purpose::Feed => inner.settings.feed_timeout,
            Purpose::Page | Purpose::Picture | Purpose::File => inner.settings.page_timeout,
        };
        let (mut spent, mut hops, mut seen) = (Duration::ZERO, Vec::new(), HashSet::new());
        loop {
            let home = request.home();
            let private_ok = request.allow_private && url.host() == home.host();
            check_address(&url, private_ok)?;
            let spacing = if fetch_robots {
                // Each of the two functions can call the other, so one of them is boxed.
                Box::pin(inner.robots.check(self, &url, request)).await?
            } else {
                Duration::ZERO
            };
            let own = request.spacing.unwrap_or(inner.settings.host_delay);
            let permit = inner.permit(&url, spacing.max(own), request.force).await?;
            let keep = permit.busy || fetch_robots;
            let hop = HopRequest {
                url: &url,
                kind: inner.kind(request, &url, private_ok, keep)?,
                headers: request_headers.for_hop(&url, request),
                left: allowed.saturating_sub(spent),
                allowed,
                follow: request.follow,
                head: request.head,
                max_bytes: request.max_bytes,
            };
            let started = Instant::now();
            let step = inner.exchange(&hop).await.map_err(|error| match error {
                FetchError::Private { host } if url.host() == home.host() => {
                    FetchError::PrivateName { host }
                }
                error => error,
            })?;
            spent += started.elapsed();
            match step {
                Step::Done(mut response) => {
                    inner.apply_pause(&url, &response);
                    drop(permit);
                    response.hops.clone_from(&hops);
                    response.elapsed = spent;
                    response.crawl_delay = spacing;
                    let is_page = request.follow && url.path() != "/robots.txt";
                    let sent_on = refresh::target(&response).filter(|_| is_page);
                    let Some(location) = sent_on else { return Ok(*response) };
                    let next = match follow(&url, &location, hops.len()) {
                        // In a loop of redirects, the response itself is the page.
                        Ok(next) if !seen.contains(&next) => next,
                        _ => return Ok(*response),
                    };
                    seen.insert(url);
                    hops.push(Hop { status: response.status, to: next.clone() });
                    url = next;
                    *shown = Some(*response);
                }
                Step::Redirect { status, location } => {
                    drop(permit);
                    let next = follow(&url, &location, hops.len())?;
                    seen.insert(url);
                    if seen.contains(&next) {
                        return Err(FetchError::RedirectLoop { host: host(&next) });
                    }
                    hops.push(Hop { status, to: next.clone() });
                    url = next;
                }
            }
        }
    }

    /// The transport and the global proxy setting, for requests to a service.
    pub(super) fn service_transport(&self) -> (&Transport, Option<&str>) {
        (&self.inner.transport, self.inner.settings.proxy.as_deref())
    }

    pub(super) async fn secret(
        &self,
        secret: &crate::model::Secret,
    ) -> Result<Arc<str>, FetchError> {
        Ok(self.inner.secrets.look_up(secret).await?)
    }

    pub(super) fn secrets(&self) -> &super::secret::Secrets {
        &self.inner.secrets
    }

    pub(crate) fn now(&self) -> Time {
        self.inner.clock.now()
    }
}

/// One request to one URL.
struct HopRequest<'a> {
    url: &'a Url,
    kind: Kind,
    headers: HeaderMap,
    /// The part of `allowed` that is left.
    left: Duration,
    allowed: Duration,
    follow: bool,
    head: bool,
    max_bytes: Option<u64>,
}

impl HopRequest<'_> {
    /// The host, and the proxy used to reach it.
    fn name(&self) -> String {
        match self.kind.route.proxy_host() {
            Some(proxy) => format!("{} (through the proxy {proxy})", host(self.url)),
            None => host(self.url),
        }
    }
}

/// The result of one request.
enum Sent {
    Redirect { status: u16, location: String },
    Response(reqwest::Response),
}

impl Inner {
    async fn permit(
        &self,
        url: &Url,
        spacing: Duration,
        force: bool,
    ) -> Result<Permit, FetchError> {
        let permit = self.gate.acquire(&host_key(url), spacing, force).await;
        permit.map_err(|until| FetchError::Paused { host: host(url), until })
    }

    fn kind(
        &self,
        request: &Request,
        url: &Url,
        private_ok: bool,
        keep: bool,
    ) -> Result<Kind, FetchError> {
        let (own, common) = (request.access.proxy.as_deref(), self.settings.proxy.as_deref());
        let route = Route::choose(own, common, url)?;
        Ok(Kind {
            guarded: !private_ok,
            kept_alive: keep && self.transport.may_keep(url),
            unencrypted: route.is_unencrypted(url),
            route,
        })
    }

    /// Sends one request and reads the response within the time left.
    async fn exchange(&self, hop: &HopRequest<'_>) -> Result<Step, FetchError> {
        let name = hop.name();
        let attempt =
            || Attempt { host: &name, allowed: hop.allowed, has_roots: self.transport.has_roots() };
        let started = Instant::now();
        let incoming = match self.send(hop).await? {
            Sent::Redirect { status, location } => return Ok(Step::Redirect { status, location }),
            Sent::Response(incoming) => incoming,
        };
        let left = hop.left.saturating_sub(started.elapsed());
        let mut response = self.facts(hop.url, incoming.status().as_u16(), incoming.headers());
        if response.is_success() && !hop.head {
            // Waiting for the memory budget does not count towards the server's time.
            let compressed = incoming.headers().contains_key(header::CONTENT_ENCODING);
            let mut memory = self.memory.reserve(incoming.content_length(), compressed).await;
            let limit =
                hop.max_bytes.map_or(self.settings.max_body, |m| m.min(self.settings.max_body));
            (response.body, response.wire_bytes) =
                self.body(incoming, limit, left, &attempt, &mut memory).await?;
            response.memory = Some(Arc::new(memory));
        }
        Ok(Step::Done(Box::new(response)))
    }

    /// Sends one request and waits for the head of the response.
    async fn send(&self, hop: &HopRequest<'_>) -> Result<Sent, FetchError> {
        let client = self.transport.client(&hop.kind)?;
        let name = hop.name();
        let request =
            if hop.head { client.head(hop.url.clone()) } else { client.get(hop.url.clone()) };
        let sent = request.headers(hop.headers.clone()).send();
        let sent = tokio::time::timeout(hop.left, sent).await;
        let sent =
            sent.map_err(|_| FetchError::Timeout { host: name.clone(), after: hop.allowed })?;
        let incoming = sent.map_err(|e| {
            let has_roots = self.transport.has_roots();
            Attempt { host: &name, allowed: hop.allowed, has_roots }.explain(&e)
        })?;
        let status = incoming.status().as_u16();
        let location = incoming.headers().get(header::LOCATION);
        if let (301 | 302 | 303 | 307 | 308, Some(location), true) = (status, location, hop.follow)
        {
            let location = String::from_utf8_lossy(location.as_bytes()).into_owned();
            return Ok(Sent::Redirect { status, location });
        }
        Ok(Sent::Response(incoming))
    }

    fn facts(&self, url: &Url, status: u16, headers: &HeaderMap) -> Response {
        let text = |v: &HeaderValue| String::from_utf8_lossy(v.as_bytes()).into_owned();
        let all: Vec<_> = headers.iter().map(|(n, v)| (n.as_str().to_owned(), text(v))).collect();
        let opaque = |name| {
            let value = headers.get(name).map(|v: &HeaderValue| v.as_bytes().to_vec());
            value.filter(|v| !v.is_empty() && v.len() <= MAX_HEADER)
        };
        let mut final_url = url.clone();
        final_url.set_fragment(None);
        Response {
            status,
            final_url,
            hops: Vec::new(),
            validators: Validators {
                etag: opaque(header::ETAG),
                last_modified: opaque(header::LAST_MODIFIED),
            },
            cache: Freshness::read(
                all.iter().map(|(n, v)| (n.as_str(), v.as_str())),
                self.clock.now(),
            ),
            headers: all,
            body: Bytes::new(),
            memory: None,
            wire_bytes: 0,
            elapsed: Duration::ZERO,
            crawl_delay: Duration::ZERO,
        }
    }

    async fn body<'a>(
        &self,
        mut incoming: reqwest::Response,
        limit: u64,
        left: Duration,
        attempt: &impl Fn() -> Attempt<'a>,
        memory: &mut Vec<OwnedSemaphorePermit>,
    ) -> Result<(Bytes, u64), FetchError> {
        let declared = incoming.content_length();
        let explain = |error: BodyError, received: u64| {
            let host = attempt().host.to_owned();
            match error {
                BodyError::TooLarge => FetchError::TooLarge { host, limit, received, declared },
                other => FetchError::Unreadable { host, detail: plain(&other.to_string()) },
            }
        };
        if declared.is_some_and(|length| length > limit) {
            return Err(explain(BodyError::TooLarge, 0));
        }
        let encoding = incoming.headers().get(header::CONTENT_ENCODING);
        let encoding = encoding.map(|v| String::from_utf8_lossy(v.as_bytes()).into_owned());
        let mut decoder = Decoder::new(encoding.as_deref(), declared, limit)
            .map_err(|error| explain(error, 0))?;
        let mut deadline = tokio::time::Instant::now() + left;
        let mut large = false;
        loop {
            let piece = tokio::time::timeout_at(deadline, incoming.chunk()).await;
            let late = |_| FetchError::Timeout {
                host: attempt().host.to_owned(),
                after: attempt().allowed,
            };
            let piece = piece.map_err(late)?.map_err(|e| attempt().explain(&e))?;
            let Some(piece) = piece else { break };
            for mut part in piece.chunks(PART) {
                loop {
                    let pushed = decoder.push(part);
                    let more = pushed.map_err(|error| explain(error, decoder.wire_bytes()))?;
                    if !large && decoder.decoded() > LARGE {
                        let before = tokio::time::Instant::now();
                        memory.extend(self.memory.reserve_large().await);
                        deadline += before.elapsed();
                        large = true;
                    }
                    if !more {
                        break;
                    }
                    part = &[];
                }
            }
        }
        let wire = decoder.wire_bytes();
        Ok((decoder.finish().map_err(|error| explain(error, wire))?, wire))
    }

    /// Pauses a host that asks for it, while the permit is still held.
    fn apply_pause(&self, url: &Url, response: &Response) {
        if let Some(wait) = response.pause() {
            self.gate.pause(&host_key(url), self.clock.now() + wait);
        }
    }
}

fn check_address(url: &Url, private_ok: bool) -> Result<(), FetchError> {
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(FetchError::Scheme { scheme: plain(url.scheme()) });
    }
    if !private_ok && is_private_host(url) {
        return Err(FetchError::Private { host: host(url) });
    }
    Ok(())
}

/// The target of a redirect.
fn follow(url: &Url, location: &str, followed: usize) -> Result<Url, FetchError> {
    let host = host(url);
    if followed == MAX_HOPS {
        return Err(FetchError::TooManyRedirects { host, limit: MAX_HOPS });
    }
    let next = url.join(location).ok().filter(|next| next.as_str().len() <= MAX_HEADER);
    let detail = "it redirects to an invalid URL".to_owned();
    let next = next.ok_or(FetchError::Unreadable { host, detail })?;
    // Credentials in a redirect come from the server, not from the user.
    let mut next = next;
    next.set_fragment(None);
    take_credentials(&mut next);
    Ok(next)
}

/// The host as named in messages. Parsed URLs contain no control characters here.
pub(crate) fn host(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}
