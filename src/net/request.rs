//! What is asked, and what comes back.

use super::freshness::Freshness;
use super::memory::Share;
use crate::model::{Access, Validators};
use bytes::Bytes;
use std::time::Duration;
use url::Url;

/// What the answer is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A feed that a user subscribed to: robots.txt is not asked.
    Feed,
    /// A page, a sitemap, an article: robots.txt is asked and obeyed.
    Page,
}

/// A conditional GET with everything that bears on it.
#[derive(Debug, Clone)]
pub struct Request {
    /// What to ask for.
    pub url: Url,
    /// The address that the user typed or imported, where `url` is not it (a remembered move).
    /// Credentials go to its origin only, and `allow_private` speaks of its host only.
    pub declared: Option<Url>,
    /// What the answer is wanted for.
    pub purpose: Purpose,
    /// Validators of the stored body.
    pub validators: Validators,
    /// The address that sent the stored body; the validators go to it alone. `None` where it is not
    /// known: they go to every address on the host of `url`.
    pub validators_of: Option<Url>,
    /// Credentials, headers, proxy.
    pub access: Access,
    /// Whether the declared host may be a private or loopback one: only when a user gave it.
    pub allow_private: bool,
    /// Whether to ask although the host is paused.
    pub force: bool,
    /// Least time until the next request to the host, instead of `net.host_delay`. A crawl-delay
    /// holds all the same.
    pub spacing: Option<Duration>,
    /// Whether redirects are followed; where not, the redirect is the answer.
    pub follow: bool,
    /// Whether only the headers are asked for.
    pub head: bool,
    /// Most bytes of the body, where fewer than `net.max_body` are wanted.
    pub most: Option<u64>,
}

impl Request {
    /// A plain request for a feed.
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
            most: None,
        }
    }

    /// A plain request for a page.
    pub fn page(url: Url) -> Self {
        Self { purpose: Purpose::Page, ..Self::feed(url) }
    }

    /// The address that a user gave.
    pub(crate) fn home(&self) -> &Url {
        self.declared.as_ref().unwrap_or(&self.url)
    }
}

/// One redirect that was followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    /// 301, 302, 303, 307 or 308.
    pub status: u16,
    /// Where it led.
    pub to: Url,
}

impl Hop {
    /// Whether the server says that it is for good.
    pub fn is_permanent(&self) -> bool {
        matches!(self.status, 301 | 308)
    }
}

/// An answer, of any status that is not a followed redirect.
#[derive(Debug, Clone)]
pub struct Response {
    /// HTTP status.
    pub status: u16,
    /// Who answered in the end, without credentials and fragment.
    pub final_url: Url,
    /// The redirects on the way.
    pub hops: Vec<Hop>,
    /// `ETag` and `Last-Modified` of this answer, byte for byte.
    pub validators: Validators,
    /// When to ask again, as far as the headers say.
    pub cache: Freshness,
    /// All headers: names in lower case, values as text, in order.
    pub headers: Vec<(String, String)>,
    /// The body after decoding; empty unless the status is 2xx.
    pub body: Bytes,
    /// Its share of the memory for bodies that wait. Drop it once the body has been dealt with;
    /// answers that are kept for long must not hold it.
    pub room: Option<Share>,
    /// Bytes of bodies received before decoding.
    pub wire_bytes: u64,
    /// Time on the network, waiting for turns not counted.
    pub elapsed: Duration,
    /// The `crawl-delay` that is honoured between pages of this host; zero without one.
    pub crawl_delay: Duration,
}

impl Response {
    /// The first header of that name (lower case).
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// `Content-Type`, as sent.
    pub fn content_type(&self) -> Option<&str> {
        self.header("content-type")
    }

    /// 200-299.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether every redirect on the way is for good; false without any.
    pub fn moved_for_good(&self) -> bool {
        !self.hops.is_empty() && self.hops.iter().all(Hop::is_permanent)
    }
}
