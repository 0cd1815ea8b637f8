//! The HTTP clients, one for each way to reach hosts, all with the same settings.

use super::error::{FetchError, plain};
use super::resolver::{Names, Resolver};
use crate::config::NetSettings;
use crate::util::address::is_loopback_host;
use hyper::Uri;
use hyper_util::client::proxy::matcher::Matcher;
use rustls::pki_types::UnixTime;
use rustls::time_provider::TimeProvider;
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier};
use rustls_platform_verifier::BuilderVerifierExt;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use url::Url;

/// How long an unused connection is kept for the next request to its host.
const IDLE: Duration = Duration::from_secs(5);
/// Maximum number of hosts whose connections are kept at once, because open files are limited.
const MAX_KEPT: usize = 128;
/// Supported schemes of proxies.
const PROXY_SCHEMES: [&str; 4] = ["http", "https", "socks5", "socks5h"];

/// How a host is reached.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Route {
    Direct,
    /// As configured in the environment.
    Environment,
    /// Through this proxy.
    Through(Url),
}

impl Route {
    /// The source's own proxy, else the global setting, else the environment's. The latter two are not used
    /// for URLs on this machine.
    pub(crate) fn choose(
        source: Option<&str>,
        settings: Option<&str>,
        url: &Url,
    ) -> Result<Self, FetchError> {
        match (source, settings) {
            (Some(proxy), _) => read_proxy(proxy).map(Self::Through),
            _ if is_loopback_host(url) => Ok(Self::Direct),
            (None, Some(proxy)) => read_proxy(proxy).map(Self::Through),
            (None, None) => Ok(Self::Environment),
        }
    }

    /// Whether a request to this URL needs no TLS.
    pub(crate) fn is_unencrypted(&self, url: &Url) -> bool {
        *self == Self::Direct && url.scheme() == "http"
    }

    pub(crate) fn proxy_host(&self) -> Option<&str> {
        match self {
            Self::Through(proxy) => proxy.host_str(),
            Self::Direct | Self::Environment => None,
        }
    }
}

fn read_proxy(text: &str) -> Result<Url, FetchError> {
    let url = Url::parse(text).ok();
    let usable = url.filter(|u| PROXY_SCHEMES.contains(&u.scheme()) && u.has_host());
    usable.ok_or_else(|| {
        // The part before an @ may be a password.
        let shown = text.rsplit('@').next().unwrap_or_default();
        FetchError::Proxy { proxy: plain(shown) }
    })
}

/// The kind of client that a request needs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Kind {
    /// Whether names that resolve to private addresses are rejected.
    pub(crate) guarded: bool,
    /// Whether the connection is kept for the next request.
    pub(crate) kept_alive: bool,
    /// Whether the request goes over http without a proxy, so that no certificates need to be loaded.
    pub(crate) unencrypted: bool,
    pub(crate) route: Route,
}

/// The hosts whose connections may be kept, and when they were last used. Most hosts get few
/// requests, so their connections are closed at once.
#[derive(Default)]
struct KeptConnections(HashMap<String, Instant>);

impl KeptConnections {
    /// Whether the connection to this host and port may be kept.
    fn admit(&mut self, authority: &str, now: Instant) -> bool {
        if !self.0.contains_key(authority) && self.0.len() >= MAX_KEPT {
            // The library searches for expired connections once per idle time.
            self.0.retain(|_, used| now.duration_since(*used) < IDLE * 2);
        }
        let admitted = self.0.contains_key(authority) || self.0.len() < MAX_KEPT;
        if admitted {
            self.0.insert(authority.to_owned(), now);
        }
        admitted
    }
}

/// Builds clients when they are first needed.
pub(crate) struct Transport {
    user_agent: String,
    connect_timeout: Duration,
    names: Names,
    tls: OnceLock<Result<Tls, FetchError>>,
    clients: Mutex<HashMap<Kind, reqwest::Client>>,
    kept: Mutex<KeptConnections>,
}

#[derive(Clone)]
struct Tls {
    config: ClientConfig,
    has_roots: bool,
}

impl Transport {
    pub(crate) fn new(settings: &NetSettings, names: Names) -> Self {
        Self {
            user_agent: user_agent(&settings.contact),
            connect_timeout: settings.connect_timeout,
            names,
            tls: OnceLock::new(),
            clients: Mutex::default(),
            kept: Mutex::default(),
        }
    }

    /// Whether there are root certificates to verify servers; true until they are first needed.
    pub(crate) fn has_roots(&self) -> bool {
        !matches!(self.tls.get(), Some(Ok(Tls { has_roots: false, .. }) | Err(_)))
    }

    fn tls(&self) -> Result<Tls, FetchError> {
        self.tls.get_or_init(load_tls).clone()
    }

    /// Whether the connection to the host of this URL may be kept for its next request.
    pub(crate) fn may_keep(&self, url: &Url) -> bool {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.admit(url.authority(), Instant::now())
    }

    pub(crate) fn client(&self, kind: &Kind) -> Result<reqwest::Client, FetchError> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(kind) {
            return Ok(client.clone());
        }
        let client = self.build(kind)?;
        clients.insert(kind.clone(), client.clone());
        Ok(client)
    }

    fn build(&self, kind: &Kind) -> Result<reqwest::Client, FetchError> {
        let exempt = match &kind.route {
            Route::Direct => Vec::new(),
            Route::Environment => environment_proxies(),
            Route::Through(proxy) => proxy.host_str().map(str::to_owned).into_iter().collect(),
        };
        let tls = if kind.unencrypted { without_roots()? } else { self.tls()?.config };
        let builder = reqwest::Client::builder()
            .user_agent(&self.user_agent)
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .connect_timeout(self.connect_timeout)
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(usize::from(kind.kept_alive))
            // Header names in the usual spelling, because some servers compare them byte for byte.
            .http1_title_case_headers()
            .http1_ignore_invalid_headers_in_responses(true)
            .http1_allow_spaces_after_header_name_in_responses(true)
            .tls_backend_preconfigured(tls)
            .dns_resolver(Resolver { names: self.names.clone(), guarded: kind.guarded, exempt });
        let builder = match &kind.route {
            Route::Direct => builder.no_proxy(),
            Route::Environment => builder,
            Route::Through(url) => {
                let proxy = reqwest::Proxy::all(url.clone()).map_err(|_| FetchError::Proxy {
                    proxy: url.host_str().unwrap_or_default().to_owned(),
                })?;
                builder.no_proxy().proxy(proxy)
            }
        };
        builder.build().map_err(|e| FetchError::Setup { detail: plain(&e.to_string()) })
    }
}

/// `newsfed/VERSION (+CONTACT)`; an invalid contact is replaced by the default.
fn user_agent(contact: &str) -> String {
    let fits = contact.chars().all(|c| matches!(c, ' '..='~')) && !contact.trim().is_empty();
    let contact = if fits { contact.trim() } else { env!("CARGO_PKG_HOMEPAGE") };
    format!("newsfed/{} (+{contact})", env!("CARGO_PKG_VERSION"))
}

/// The certificates of servers are always verified. Without root certificates the program still starts, but
/// https sources cannot be fetched.
fn load_tls() -> Result<Tls, FetchError> {
    let (mut config, has_roots) = match tls_builder()?.with_platform_verifier() {
        Ok(verified) => (verified.with_no_client_auth(), true),
        Err(error) => {
            tracing::warn!(%error, "https sources cannot be fetched: no root certificates");
            (without_roots()?, false)
        }
    };
    config.time_provider = Arc::new(CheckedClock);
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Tls { config, has_roots })
}

fn tls_builder() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, FetchError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| FetchError::Setup { detail: plain(&e.to_string()) })
}

/// TLS that trusts no server.
fn without_roots() -> Result<ClientConfig, FetchError> {
    Ok(tls_builder()?.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
}

/// The system clock. The library's own clock panics before 1970.
#[derive(Debug)]
struct CheckedClock;

impl TimeProvider for CheckedClock {
    fn current_time(&self) -> Option<UnixTime> {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        since.ok().map(UnixTime::since_unix_epoch)
    }
}

/// Hosts of the proxies that are configured in the environment or the system.
fn environment_proxies() -> Vec<String> {
    let system = Matcher::from_system();
    let somewhere = ["http://example.com/", "https://example.com/"].map(Uri::from_static);
    let proxies = somewhere.iter().filter_map(|uri| system.intercept(uri));
    proxies.filter_map(|p| p.uri().host().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_agent_names_program_version_and_contact() {
        let version = env!("CARGO_PKG_VERSION");
        let own = env!("CARGO_PKG_HOMEPAGE");
        for (contact, want) in [
            ("mailto:me@example.com", "mailto:me@example.com"),
            (" https://me.example/ ", "https://me.example/"),
            ("a\r\nx: y", own),
            ("", own),
        ] {
            assert_eq!(user_agent(contact), format!("newsfed/{version} (+{want})"));
        }
    }

    #[test]
    fn keeps_a_limited_number_of_connections() {
        let (mut kept, start) = (KeptConnections::default(), Instant::now());
        let admitted = (0..1_000).filter(|n| kept.admit(&format!("h{n}"), start)).count();
        assert_eq!(admitted, MAX_KEPT);
        assert!(kept.admit("h0", start + IDLE) && !kept.admit("new", start + IDLE));
        assert!(kept.admit("new", start + IDLE * 2), "the others have been closed");
        assert_eq!(kept.0.len(), 2);
    }

    #[test]
    fn the_proxy_of_a_source_overrides_the_global_one() {
        let (public, own) = ("http://example.com/", "http://127.0.0.1:8000/");
        let through = |text: &str| Route::Through(Url::parse(text).unwrap());
        let cases = [
            (None, None, public, Ok(Route::Environment)),
            (None, None, own, Ok(Route::Direct)),
            (None, Some("http://p:1"), public, Ok(through("http://p:1"))),
            (None, Some("http://p:1"), own, Ok(Route::Direct)),
            (Some("socks5h://q:2"), Some("http://p:1"), own, Ok(through("socks5h://q:2"))),
            (Some("ftp://u:hush@q"), None, own, Err(FetchError::Proxy { proxy: "q".into() })),
            (Some("nonsense"), None, own, Err(FetchError::Proxy { proxy: "nonsense".into() })),
        ];
        for (source, settings, url, want) in cases {
            let got = Route::choose(source, settings, &Url::parse(url).unwrap());
            assert_eq!(got, want, "{source:?} {settings:?} {url}");
        }
    }
}
