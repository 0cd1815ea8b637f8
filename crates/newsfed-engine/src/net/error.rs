//! Why a request got no usable response, as messages for the user.

use super::SecretError;
use super::resolver::ResolveError;
use crate::model::{ErrorKind, Time};
use crate::util::time_text::near_minute;
use std::error::Error;
use std::io;
use std::time::Duration;

/// Why there is no usable response. Texts from outside are sanitised and truncated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// Not http or https, or no host.
    #[error("{scheme}: URLs are not supported; use an http or https URL")]
    Scheme { scheme: String },
    /// A private or loopback address that the user did not enter.
    #[error("{host} is a private address; it is fetched only if you add it as a source yourself")]
    Private { host: String },
    /// The declared name resolves to a private address, and its source does not allow that.
    #[error(
        "{host} resolves to a private address; if the host is yours, set private = true for its source"
    )]
    PrivateName { host: String },
    /// The name is unknown, or no DNS server can be reached.
    #[error("the host {host} was not found ({detail}); check the URL and your connection")]
    Dns { host: String, detail: String },
    #[error("no connection to {host} ({detail})")]
    Connect {
        host: String,
        detail: String,
        /// Whether this machine is offline.
        offline: bool,
    },
    /// The certificate is not valid.
    #[error("the certificate of {host} is not valid ({detail}); nothing was read")]
    Tls { host: String, detail: String },
    /// The server does not support TLS on this port.
    #[error("{host} does not support https on this port; check the URL and its port")]
    NoTls { host: String },
    #[error("{host} did not respond completely within {} s", after.as_secs_f32())]
    Timeout { host: String, after: Duration },
    /// The connection was closed too early.
    #[error("{host} closed the connection before its response was complete")]
    Cut { host: String },
    /// A file arrived only in part.
    #[error("{host} stopped sending before the file was complete")]
    Incomplete { host: String },
    /// The response is not HTTP, or damaged.
    #[error("the response from {host} cannot be read ({detail})")]
    Unreadable { host: String, detail: String },
    /// The body exceeds the limit.
    #[error(
        "the response from {host} is larger than {limit} bytes (net.max_body, or a lower limit, such as 10 MiB for feeds)"
    )]
    TooLarge {
        host: String,
        limit: u64,
        /// Bytes received before the connection ended.
        received: u64,
        /// The announced length.
        declared: Option<u64>,
    },
    #[error(
        "{host} redirects more than {limit} times; open the URL in a browser to find the new one"
    )]
    TooManyRedirects { host: String, limit: usize },
    /// A redirect to a URL that was fetched before in this chain.
    #[error("{host} redirects in a loop; open the URL in a browser to find the new one")]
    RedirectLoop { host: String },
    /// The proxy URL is not valid.
    #[error(
        "the proxy {proxy} cannot be used; write it as http://, https://, socks5:// or socks5h://"
    )]
    Proxy {
        /// The proxy without credentials.
        proxy: String,
    },
    /// A secret is not available.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// A header of the source is not valid.
    #[error("the header {name} of this source cannot be sent; check its name and value")]
    Header { name: String },
    /// The host is paused.
    #[error("{host} is paused until {} at the server's request", pause_end(*until))]
    Paused { host: String, until: Time },
    /// robots.txt forbids it.
    #[error("robots.txt of {host} does not allow programs to read {path}")]
    Robots { host: String, path: String },
    /// robots.txt cannot be fetched, which forbids everything (RFC 9309, section 2.3.1.4).
    #[error("fetching robots.txt of {host} failed (HTTP {status}); its pages are paused until {}", pause_end(*until))]
    RobotsFails {
        host: String,
        status: u16,
        /// When robots.txt is fetched again.
        until: Time,
    },
    #[error("the HTTP client could not be started ({detail})")]
    Setup { detail: String },
    /// This machine lacks something that every connection needs. The server is not the reason.
    #[error("no connection was made: {0}")]
    Local(LocalLimit),
}

/// The end of a pause in the user's time zone: `12 Nov 14:05`. It includes the day, because the message may
/// be stored.
fn pause_end(until: Time) -> String {
    near_minute(until, until)
}

/// Resources that a machine can run out of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LocalLimit {
    #[error(
        "newsfed has too many open files; raise the limit with `ulimit -n`, or lower net.max_in_flight"
    )]
    OpenFiles,
    #[error("this computer has too many open files; close other programs")]
    OpenFilesOfAll,
    #[error("this computer has no memory left for connections; close other programs")]
    Buffers,
}

impl LocalLimit {
    /// Recognises `EMFILE`, `ENFILE` and `ENOBUFS`.
    pub(crate) fn of(error: &io::Error) -> Option<Self> {
        const ENOBUFS: i32 = if cfg!(target_os = "linux") { 105 } else { 55 };
        match error.raw_os_error()? {
            24 => Some(Self::OpenFiles),
            23 => Some(Self::OpenFilesOfAll),
            ENOBUFS => Some(Self::Buffers),
            _ => None,
        }
    }

    /// Resolving a name needs file descriptors too, but its error does not report that they have run out.
    fn probe() -> Option<Self> {
        std::fs::File::open("/dev/null").err().and_then(|e| Self::of(&e))
    }
}

impl FetchError {
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Dns { .. }
            | Self::Connect { .. }
            | Self::Timeout { .. }
            | Self::Cut { .. }
            | Self::Incomplete { .. }
            | Self::Local(_) => ErrorKind::Transient,
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
            | Self::PrivateName { .. }
            | Self::Proxy { .. }
            | Self::Secret(_)
            | Self::Header { .. }
            | Self::Setup { .. } => ErrorKind::User,
        }
    }

    /// Whether every request fails with this error while this machine is offline.
    pub fn is_offline(&self) -> bool {
        matches!(self, Self::Dns { .. } | Self::Connect { offline: true, .. })
    }

    /// Whether this machine is the reason: no request was sent, and the source has not failed.
    pub fn is_local(&self) -> bool {
        matches!(self, Self::Local(_))
    }

    /// Whether https is not available; http may be. An invalid certificate does not count.
    pub fn lacks_https(&self) -> bool {
        matches!(self, Self::NoTls { .. } | Self::Connect { offline: false, .. })
    }

    /// When a retry makes sense, if known.
    pub fn retry_at(&self) -> Option<Time> {
        match self {
            Self::Paused { until, .. } | Self::RobotsFails { until, .. } => Some(*until),
            _ => None,
        }
    }
}

/// The context of a failed request.
pub(crate) struct Attempt<'a> {
    /// The host, and the proxy used to reach it.
    pub(crate) host: &'a str,
    /// The time limit.
    pub(crate) allowed: Duration,
    /// Whether this machine has root certificates to verify servers.
    pub(crate) has_roots: bool,
}

impl Attempt<'_> {
    /// Converts an error of the HTTP library.
    pub(crate) fn explain(&self, error: &reqwest::Error) -> FetchError {
        let host = self.host.to_owned();
        if error.is_timeout() && error.is_connect() {
            let detail = "it does not respond".to_owned();
            return FetchError::Connect { host, detail, offline: false };
        }
        if error.is_timeout() {
            return FetchError::Timeout { host, after: self.allowed };
        }
        let chain: Vec<&(dyn Error + 'static)> = causes(error).collect();
        let all_io = || chain.iter().filter_map(|e| e.downcast_ref::<io::Error>());
        if let Some(limit) = all_io().find_map(LocalLimit::of) {
            return FetchError::Local(limit);
        }
        let find_io = || chain.iter().find_map(|e| e.downcast_ref::<io::Error>());
        if let Some(resolve) = chain.iter().find_map(|e| e.downcast_ref::<ResolveError>()) {
            return match resolve {
                ResolveError::Private => FetchError::Private { host },
                ResolveError::Lookup(e) => match LocalLimit::of(e).or_else(LocalLimit::probe) {
                    Some(limit) => FetchError::Local(limit),
                    None => FetchError::Dns { host, detail: io_words(e) },
                },
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
                "this computer has no root certificates; install ca-certificates".to_owned()
            }
            Error::InvalidCertificate(Bad::Expired | Bad::ExpiredContext { .. }) => {
                "its certificate has expired".to_owned()
            }
            Error::InvalidCertificate(Bad::NotValidYet | Bad::NotValidYetContext { .. }) => {
                "its certificate is not valid yet; check the clock of this computer".to_owned()
            }
            Error::InvalidCertificate(Bad::UnknownIssuer) => {
                "its certificate is not signed by an authority that this computer trusts".to_owned()
            }
            Error::InvalidCertificate(
                Bad::NotValidForName | Bad::NotValidForNameContext { .. },
            ) => "its certificate is for another host name".to_owned(),
            Error::FailedToGetCurrentTime => {
                "the clock of this computer is set to a time before 1970; correct it".to_owned()
            }
            other => plain(&other.to_string()),
        }
    }
}

/// The error and all its sources, including those that an io error hides from `source`.
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
            "this computer has no network connection".to_owned()
        }
        io::ErrorKind::HostUnreachable => "no route to the host".to_owned(),
        _ => {
            // The standard library puts these words before the resolver's message.
            let words = error.to_string();
            plain(words.strip_prefix("failed to lookup address information: ").unwrap_or(&words))
        }
    }
}

/// Maximum length of a text from outside in a message, in characters.
const MAX_DETAIL: usize = 160;

/// Text from outside as one line: without control and direction characters, and with a limited length.
pub(crate) fn plain(text: &str) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    text.chars().filter(|c| !hidden(*c)).take(MAX_DETAIL).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_limits_are_not_failures_of_a_host() {
        let of = |number| LocalLimit::of(&io::Error::from_raw_os_error(number));
        let found = [24, 23, 105, 111, 113].map(of);
        let buffers = cfg!(target_os = "linux").then_some(LocalLimit::Buffers);
        let wanted = [Some(LocalLimit::OpenFiles), Some(LocalLimit::OpenFilesOfAll), buffers];
        assert_eq!(found[..3], wanted);
        assert_eq!(found[3..], [None, None], "refused, unreachable");
        assert_eq!(LocalLimit::of(&io::Error::other("without a number")), None);
    }

    fn host() -> String {
        "news.example".to_owned()
    }

    #[test]
    fn errors_have_the_right_cause_and_retry_time() {
        let until = Time::from_timestamp(1_700_000_000, 0).unwrap();
        let connect =
            |offline| FetchError::Connect { host: host(), detail: String::new(), offline };
        let at = (host(), 503, until);
        // (offline, local, lacks https, when to retry)
        let cases = [
            (FetchError::Dns { host: host(), detail: String::new() }, (true, false, false, None)),
            (connect(true), (true, false, false, None)),
            (connect(false), (false, false, true, None)),
            (FetchError::NoTls { host: host() }, (false, false, true, None)),
            (FetchError::Tls { host: host(), detail: String::new() }, (false, false, false, None)),
            (FetchError::Local(LocalLimit::OpenFiles), (false, true, false, None)),
            (FetchError::Paused { host: host(), until }, (false, false, false, Some(until))),
            (
                FetchError::RobotsFails { host: at.0, status: at.1, until: at.2 },
                (false, false, false, Some(until)),
            ),
            (FetchError::Cut { host: host() }, (false, false, false, None)),
        ];
        for (error, want) in cases {
            let found =
                (error.is_offline(), error.is_local(), error.lacks_https(), error.retry_at());
            assert_eq!(found, want, "{error:?}");
        }
    }

    #[test]
    fn pauses_end_in_the_users_time_zone() {
        let until = Time::from_timestamp(1_700_000_000, 0).unwrap();
        let end = until.with_timezone(&chrono::Local).format("%-d %b %H:%M").to_string();
        let message = FetchError::Paused { host: host(), until }.to_string();
        assert_eq!(message, format!("news.example is paused until {end} at the server's request"));
        let message = FetchError::RobotsFails { host: host(), status: 503, until }.to_string();
        assert!(message.ends_with(&format!("paused until {end}")), "{message}");
    }

    #[test]
    fn certificates_are_explained() {
        use rustls::{CertificateError as Bad, Error};
        let invalid = Error::InvalidCertificate;
        let cases = [
            (invalid(Bad::Expired), "its certificate has expired"),
            (invalid(Bad::NotValidYet), "not valid yet; check the clock of this computer"),
            (invalid(Bad::UnknownIssuer), "an authority that this computer trusts"),
            (invalid(Bad::NotValidForName), "its certificate is for another host name"),
            (Error::FailedToGetCurrentTime, "set to a time before 1970; correct it"),
            (Error::DecryptError, "decrypt"),
        ];
        for (error, want) in cases {
            let found = [true, false].map(|has_roots| {
                let attempt = Attempt { host: "h", allowed: Duration::ZERO, has_roots };
                attempt.tls_words(&error)
            });
            assert!(found[0].contains(want), "{found:?}");
            assert!(found[1].contains("install ca-certificates"), "{found:?}");
        }
    }

    #[test]
    fn explains_connection_errors() {
        use io::ErrorKind;
        for (kind, want) in [
            (ErrorKind::ConnectionRefused, "connection refused"),
            (ErrorKind::ConnectionReset, "connection reset"),
            (ErrorKind::NetworkUnreachable, "this computer has no network connection"),
            (ErrorKind::NetworkDown, "this computer has no network connection"),
            (ErrorKind::HostUnreachable, "no route to the host"),
        ] {
            assert_eq!(io_words(&io::Error::from(kind)), want);
        }
        assert_eq!(io_words(&io::Error::other("a\u{1b}[31m\u{202e}b")), "a[31mb");
    }

    #[test]
    fn texts_from_outside_are_one_short_line() {
        for (text, want) in [
            ("a b", "a b"),
            ("a\r\nb\tc\0", "abc"),
            ("a\u{200b}\u{200f}\u{2028}\u{202e}\u{2060}\u{206f}\u{feff}b", "ab"),
            ("\u{2010}\u{2030}é", "\u{2010}\u{2030}é"),
        ] {
            assert_eq!(plain(text), want);
        }
        assert_eq!(plain(&"é".repeat(500)).chars().count(), MAX_DETAIL);
    }

    #[test]
    fn causes_hidden_in_other_errors_are_found() {
        let inner = io::Error::other(ResolveError::Private);
        let outer = ResolveError::Lookup(io::Error::other(inner));
        let found: Vec<String> = causes(&outer).map(|e| e.to_string()).collect();
        assert!(found.len() >= 3, "{found:?}");
        assert_eq!(found.last().unwrap(), &ResolveError::Private.to_string());
    }
}
