//! Requests and responses.

use super::freshness::Freshness;
use super::memory::MemoryShare;
use crate::model::{Access, ErrorKind, FIRST_LIMITED, MAX_RETRY, MIN_RETRY, Source, Validators};
use crate::util::address::is_private_host;
use crate::util::text;
use bytes::Bytes;
use std::time::Duration;
use url::Url;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A feed that the user follows: robots.txt is not checked.
    Feed,
    /// A page, a sitemap, an article: robots.txt is obeyed.
    Page,
    /// A picture of an article; otherwise like a page.
    Picture,
    /// A file that the user requested: robots.txt is not checked, and nothing is compressed.
    File,
}

/// A conditional GET and everything it depends on.
#[derive(Debug, Clone)]
pub struct Request {
    pub url: Url,
    /// The URL that the user entered or imported, if `url` differs from it (a remembered move).
    /// Credentials are sent only to its origin, and `allow_private` applies only to its host.
    pub declared: Option<Url>,
    pub purpose: Purpose,
    /// Validators of the stored body.
    pub validators: Validators,
    /// The URL that sent the stored body; the validators are sent only to this URL. `None` if unknown: they
    /// are sent to every URL on the host of `url`.
    pub validators_of: Option<Url>,
    pub access: Access,
    /// Whether the declared host may be private or loopback ([`allows_private`]).
    pub allow_private: bool,
    /// Whether to send the request although the host is paused.
    pub force: bool,
    /// Minimum time until the next request to the host, instead of `net.host_delay`. A crawl-delay
    /// still applies.
    pub spacing: Option<Duration>,
    /// Whether redirects are followed; if not, the redirect is the response.
    pub follow: bool,
    /// Whether only the headers are requested (HEAD).
    pub head: bool,
    /// Maximum size of the body in bytes, if less than `net.max_body`.
    pub max_bytes: Option<u64>,
}

/// Whether requests to the host of a source may go to a private address. A private address in its
/// URL was entered by the user; a name can resolve to something else at any time.
pub fn allows_private(source: &Source) -> bool {
    source.private || is_private_host(&source.url)
}

impl Request {
    pub fn feed(url: Url) -> Self {
        Self {
            url,
            declared: None,
            purpose: Purpose::Feed,
            validators: Validators::default(),
            validators_of: None,
            access: Access::default(),
            allow_private: false,
            force: false,
            spacing: None,
            follow: true,
            head: false,
            max_bytes: None,
        }
    }

    pub fn page(url: Url) -> Self {
        Self { purpose: Purpose::Page, ..Self::feed(url) }
    }

    /// The URL that the user entered.
    pub(crate) fn home(&self) -> &Url {
        self.declared.as_ref().unwrap_or(&self.url)
    }
}

/// One redirect that was followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    /// For a redirect in the markup of a page, the status of that page.
    pub status: u16,
    pub to: Url,
}

impl Hop {
    /// Whether the redirect is permanent.
    pub fn is_permanent(&self) -> bool {
        matches!(self.status, 301 | 308)
    }
}

/// A response of any status that is not a followed redirect.
#[derive(Debug, Clone)]
pub struct Response {
    pub status: u16,
    /// The URL that sent the response, without credentials and fragment.
    pub final_url: Url,
    /// The redirects that were followed.
    pub hops: Vec<Hop>,
    /// `ETag` and `Last-Modified` of this response, byte for byte.
    pub validators: Validators,
    /// When to fetch again, according to the headers.
    pub cache: Freshness,
    /// All headers: names in lower case, values as text, in order.
    pub headers: Vec<(String, String)>,
    /// The body after decoding; empty unless the status is 2xx.
    pub body: Bytes,
    /// The response's share of the memory budget. Drop it once the body has been processed; responses that
    /// are kept for a long time must not keep it.
    pub memory: Option<MemoryShare>,
    /// Bytes of bodies received before decoding.
    pub wire_bytes: u64,
    /// Time on the network, without waiting for the gate.
    pub elapsed: Duration,
    /// The `crawl-delay` that applies between pages of this host; zero without one.
    pub crawl_delay: Duration,
}

impl Response {
    /// Releases the response's share of the memory budget, so that the response can be kept while others are
    /// fetched.
    pub(crate) fn release(mut self) -> Self {
        self.memory = None;
        self
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// `Content-Type`, as sent.
    pub fn content_type(&self) -> Option<&str> {
        self.header("content-type")
    }

    /// Status 200-299.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// How long the response pauses its host.
    pub fn pause(&self) -> Option<Duration> {
        let asked = self.cache.retry_after.filter(|wait| !wait.is_zero());
        match (self.status, asked) {
            // Other 4xx statuses apply to a single document.
            (403 | 429 | 503, Some(wait)) => Some(wait.clamp(MIN_RETRY, MAX_RETRY)),
            (429, None) => Some(FIRST_LIMITED),
            _ => None,
        }
    }

    /// The kind and message of the error for an unsuccessful status.
    pub fn refusal(&self) -> (ErrorKind, String) {
        let host = text::line(self.final_url.host_str().unwrap_or("the server"));
        let (kind, what) = match self.status {
            401 | 407 => (ErrorKind::User, "requires a user name and password"),
            402 => (ErrorKind::Permanent, "requires payment"),
            403 => (ErrorKind::Permanent, "refuses access"),
            404 => (ErrorKind::Permanent, "has nothing at this URL"),
            410 => (ErrorKind::Permanent, "reports that this URL is gone permanently"),
            429 => (ErrorKind::Politeness, "limits the rate of requests"),
            503 => (ErrorKind::Politeness, "is unavailable for now"),
            500..600 => (ErrorKind::Transient, "reports an internal error"),
            _ => (ErrorKind::Permanent, "sent an unexpected response"),
        };
        (kind, format!("{host} {what} (HTTP {})", self.status))
    }

    /// Whether there are redirects and all of them are permanent.
    pub fn moved_for_good(&self) -> bool {
        !self.hops.is_empty() && self.hops.iter().all(Hop::is_permanent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SourceId;

    fn response(status: u16, hops: &[u16]) -> Response {
        let url = Url::parse("https://news.example/").unwrap();
        let hops = hops.iter().map(|status| Hop { status: *status, to: url.clone() }).collect();
        let pairs = [("x", "0"), ("content-type", "text/xml"), ("x", "1")];
        Response {
            status,
            final_url: url,
            hops,
            validators: Validators::default(),
            cache: Freshness::default(),
            headers: pairs.map(|(n, v)| (n.to_owned(), v.to_owned())).to_vec(),
            body: Bytes::new(),
            memory: None,
            wire_bytes: 0,
            elapsed: Duration::ZERO,
            crawl_delay: Duration::ZERO,
        }
    }

    #[test]
    fn an_unsuccessful_status_is_explained() {
        for (status, kind, message) in [
            (401, ErrorKind::User, "requires a user name and password"),
            (407, ErrorKind::User, "requires a user name and password"),
            (402, ErrorKind::Permanent, "requires payment"),
            (403, ErrorKind::Permanent, "refuses access"),
            (404, ErrorKind::Permanent, "has nothing at this URL"),
            (410, ErrorKind::Permanent, "reports that this URL is gone permanently"),
            (429, ErrorKind::Politeness, "limits the rate of requests"),
            (503, ErrorKind::Politeness, "is unavailable for now"),
            (500, ErrorKind::Transient, "reports an internal error"),
            (599, ErrorKind::Transient, "reports an internal error"),
            (499, ErrorKind::Permanent, "sent an unexpected response"),
            (600, ErrorKind::Permanent, "sent an unexpected response"),
            (302, ErrorKind::Permanent, "sent an unexpected response"),
        ] {
            let want = format!("news.example {message} (HTTP {status})");
            assert_eq!(response(status, &[]).refusal(), (kind, want));
        }
        let success = [199, 200, 204, 299, 300].map(|status| response(status, &[]).is_success());
        assert_eq!(success, [false, true, true, true, false]);
    }

    #[test]
    fn only_permanent_redirects_move_a_source() {
        let cases: [(&[u16], bool); 7] = [
            (&[], false),
            (&[301], true),
            (&[308, 301], true),
            (&[301, 302], false),
            (&[307], false),
            (&[303, 301], false),
            (&[200], false),
        ];
        for (hops, want) in cases {
            assert_eq!(response(200, hops).moved_for_good(), want, "{hops:?}");
        }
    }

    #[test]
    fn finds_the_first_header_of_a_name() {
        let found = response(200, &[]);
        assert_eq!((found.header("x"), found.header("y")), (Some("0"), None));
        assert_eq!(found.content_type(), Some("text/xml"));
    }

    #[test]
    fn private_addresses_are_allowed_if_entered_or_set() {
        for (url, private, want) in [
            ("https://news.example/", false, false),
            ("https://news.example/", true, true),
            ("http://10.0.0.1/", false, true),
            ("http://localhost:80/", false, true),
        ] {
            let mut source = Source::feed(SourceId("a".to_owned()), url.parse().unwrap());
            source.private = private;
            assert_eq!(allows_private(&source), want, "{url} {private}");
        }
    }

    #[test]
    fn page_requests_set_their_purpose_and_home() {
        let url = Url::parse("https://news.example/a").unwrap();
        let (feed, mut page) = (Request::feed(url.clone()), Request::page(url.clone()));
        assert_eq!((feed.purpose, page.purpose), (Purpose::Feed, Purpose::Page));
        assert!(page.follow && !page.head && !page.force && !page.allow_private);
        assert_eq!(page.home(), &url);
        let declared = Url::parse("https://old.example/").unwrap();
        page.declared = Some(declared.clone());
        assert_eq!(page.home(), &declared);
    }
}
