//! Why there is no usable answer, in words for the user.

use super::SecretError;
use super::address::ResolveError;
use crate::model::{ErrorKind, Time};
use std::error::Error;
use std::io;
use std::time::Duration;

/// No usable answer. Texts from outside are sanitised and cut.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// Not http or https, or no host.
    #[error("{scheme}: addresses are not fetched; use an http or https address")]
    Scheme {
        /// What it is instead.
        scheme: String,
    },
    /// A private or loopback address that nobody gave.
    #[error("{host} is a private address; it is asked only when you add it as a source yourself")]
    Private {
        /// The host.
        host: String,
    },
    /// The name is unknown, or nobody can be asked.
    #[error("the host {host} was not found ({detail}); check the address and your connection")]
    Dns {
        /// The host.
        host: String,
        /// What the system says.
        detail: String,
    },
    /// No connection.
    #[error("no connection to {host} ({detail}); it is tried again later")]
    Connect {
        /// The host, and the proxy in between.
        host: String,
        /// What the system says.
        detail: String,
        /// Whether this machine has no way out.
        offline: bool,
    },
    /// No trustworthy encrypted connection.
    #[error("{host} could not prove who it is ({detail}); nothing was read")]
    Tls {
        /// The host.
        host: String,
        /// What is wrong with it.
        detail: String,
    },
    /// Who answers there knows nothing of encryption.
    #[error("{host} does not speak https there; check the address and its port")]
    NoTls {
        /// The host.
        host: String,
    },
    /// Too slow.
    #[error("{host} did not answer in full within {} s; it is tried again later", after.as_secs_f32())]
    Timeout {
        /// The host.
        host: String,
        /// The limit.
        after: Duration,
    },
    /// The connection closed too soon.
    #[error("{host} closed the connection before its answer was complete; it is tried again later")]
    Cut {
        /// The host.
        host: String,
    },
    /// What came is not HTTP, or damaged.
    #[error("the answer of {host} cannot be read ({detail})")]
    Unreadable {
        /// The host.
        host: String,
        /// What is wrong with it.
        detail: String,
    },
    /// The body is over the limit.
    #[error("the answer of {host} is larger than {limit} bytes; net.max_body sets this limit")]
    TooLarge {
        /// The host.
        host: String,
        /// The limit in bytes.
        limit: u64,
        /// Bytes that had come by then.
        received: u64,
        /// How long it says that it is.
        declared: Option<u64>,
    },
    /// More redirects than are followed.
    #[error(
        "{host} redirects more than {most} times; open it in a browser to find its new address"
    )]
    TooManyRedirects {
        /// The host that sent the last one.
        host: String,
        /// How many are followed.
        most: usize,
    },
    /// A redirect to an address already asked.
    #[error("{host} redirects in a circle; open it in a browser to find its new address")]
    RedirectLoop {
        /// The host that sent the last one.
        host: String,
    },
    /// The proxy cannot be used as it is written.
    #[error(
        "the proxy {proxy} cannot be used; write it as http://, https://, socks5:// or socks5h://"
    )]
    Proxy {
        /// The proxy without credentials.
        proxy: String,
    },
    /// A secret cannot be had.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// A header of the source cannot be sent.
    #[error("the header {name} of this source cannot be sent; check its name and value")]
    Header {
        /// Its name.
        name: String,
    },
    /// The host asked to be left alone.
    #[error("{host} asked to be left alone until {} UTC; it is asked again then", until.format("%F %R"))]
    Paused {
        /// The host.
        host: String,
        /// Until when.
        until: Time,
    },
    /// robots.txt forbids it.
    #[error("robots.txt of {host} does not allow programs to read {path}")]
    Robots {
        /// The host.
        host: String,
        /// The path.
        path: String,
    },
    /// robots.txt cannot be read, which forbids everything (RFC 9309, section 2.3.1.4).
    #[error("robots.txt of {host} fails with HTTP {status}; pages wait until {} UTC", until.format("%F %R"))]
    RobotsFails {
        /// The host.
        host: String,
        /// The status of its answer.
        status: u16,
        /// When it is asked again.
        until: Time,
    },
    /// The network cannot be set up on this machine.
    #[error("the network cannot be set up ({detail})")]
    Setup {
        /// What is wrong.
        detail: String,
    },
}

impl FetchError {
    /// What kind of failure it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Dns { .. } | Self::Connect { .. } | Self::Timeout { .. } | Self::Cut { .. } => {
                ErrorKind::Transient
            }
            Self::Tls { .. }
            | Self::NoTls { .. }
            | Self::Unreadable { .. }
            | Self::TooLarge { .. }
            | Self::TooManyRedirects { .. }
            | Self::RedirectLoop { .. } => ErrorKind::Permanent,
            Self::Paused { .. } | Self::Robots { .. } | Self::RobotsFails { .. } => {
                ErrorKind::Politeness
            }
            Self::Scheme { .. }
            | Self::Private { .. }
            | Self::Proxy { .. }
            | Self::Secret(_)
            | Self::Header { .. }
            | Self::Setup { .. } => ErrorKind::User,
        }
    }

    /// Whether it is what happens to every host when this machine has no connection.
    pub fn is_offline(&self) -> bool {
        matches!(self, Self::Dns { .. } | Self::Connect { offline: true, .. })
    }

    /// Whether there is nobody to speak https with, which says nothing about http. A doubtful
    /// certificate is something else.
    pub fn lacks_https(&self) -> bool {
        matches!(self, Self::NoTls { .. } | Self::Connect { offline: false, .. })
    }

    /// When it makes sense to ask again, where that is known.
    pub fn retry_at(&self) -> Option<Time> {
        match self {
            Self::Paused { until, .. } | Self::RobotsFails { until, .. } => Some(*until),
            _ => None,
        }
    }
}

/// Where a failed exchange was under way.
pub(crate) struct Attempt<'a> {
    /// The host asked, and the proxy in between.
    pub(crate) host: &'a str,
    /// The time it had.
    pub(crate) allowed: Duration,
    /// Whether this machine has root certificates to check others by.
    pub(crate) has_roots: bool,
}

impl Attempt<'_> {
    /// Puts an error of the HTTP library into our words.
    pub(crate) fn explain(&self, error: &reqwest::Error) -> FetchError {
        let host = self.host.to_owned();
        if error.is_timeout() && error.is_connect() {
            let detail = "it does not react".to_owned();
            return FetchError::Connect { host, detail, offline: false };
        }
        if error.is_timeout() {
            return FetchError::Timeout { host, after: self.allowed };
        }
        let chain: Vec<&(dyn Error + 'static)> = causes(error).collect();
        let find_io = || chain.iter().find_map(|e| e.downcast_ref::<io::Error>());
        if let Some(resolve) = chain.iter().find_map(|e| e.downcast_ref::<ResolveError>()) {
            return match resolve {
                ResolveError::Private => FetchError::Private { host },
                ResolveError::Lookup(e) => FetchError::Dns { host, detail: io_words(e) },
            };
        }
        if let Some(tls) = chain.iter().find_map(|e| e.downcast_ref::<rustls::Error>()) {
            return match tls {
                rustls::Error::InvalidMessage(_) => FetchError::NoTls { host },
                tls => FetchError::Tls { host, detail: self.tls_words(tls) },
            };
        }
        if error.is_connect() {
            use io::ErrorKind::{HostUnreachable, NetworkDown, NetworkUnreachable};
            let kind = find_io().map(io::Error::kind);
            let detail = match (find_io(), chain.last()) {
                (Some(e), _) => io_words(e),
                (None, Some(e)) => plain(&e.to_string()),
                (None, None) => "no reason given".to_owned(),
            };
            let offline = matches!(kind, Some(HostUnreachable | NetworkDown | NetworkUnreachable));
            return FetchError::Connect { host, detail, offline };
        }
        let hyper = chain.iter().find_map(|e| e.downcast_ref::<hyper::Error>());
        if hyper.is_some_and(hyper::Error::is_parse) {
            let detail = chain.last().map(|e| plain(&e.to_string())).unwrap_or_default();
            return FetchError::Unreadable { host, detail };
        }
        FetchError::Cut { host }
    }

    fn tls_words(&self, error: &rustls::Error) -> String {
        use rustls::{CertificateError as Bad, Error};
        match error {
            _ if !self.has_roots => {
                "this machine has no root certificates; install ca-certificates".to_owned()
            }
            Error::InvalidCertificate(Bad::Expired | Bad::ExpiredContext { .. }) => {
                "its certificate has expired".to_owned()
            }
            Error::InvalidCertificate(Bad::NotValidYet | Bad::NotValidYetContext { .. }) => {
                "its certificate is not valid yet; check the clock of this machine".to_owned()
            }
            Error::InvalidCertificate(Bad::UnknownIssuer) => {
                "its certificate is signed by nobody whom this machine trusts".to_owned()
            }
            Error::InvalidCertificate(
                Bad::NotValidForName | Bad::NotValidForNameContext { .. },
            ) => "its certificate belongs to another name".to_owned(),
            other => plain(&other.to_string()),
        }
    }
}

/// The error and everything below it, also what an io error hides from `source`.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |e| {
        let e: &'a (dyn Error + 'static) = *e;
        let hidden = e.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        hidden.map(|inner| inner as &(dyn Error + 'static)).or_else(|| e.source())
    })
}

fn io_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        io::ErrorKind::ConnectionReset => "connection reset".to_owned(),
        io::ErrorKind::NetworkUnreachable | io::ErrorKind::NetworkDown => {
            "this machine is not connected".to_owned()
        }
        io::ErrorKind::HostUnreachable => "no way there".to_owned(),
        _ => plain(&error.to_string()),
    }
}

/// Longest text from outside in a message, in characters.
const MOST_DETAIL: usize = 160;

/// Text from outside on one line: no control or direction characters, not too long.
pub(crate) fn plain(text: &str) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    text.chars().filter(|c| !hidden(*c)).take(MOST_DETAIL).collect()
}
