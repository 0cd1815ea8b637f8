//! One link of a crawl -> what it is.

use crate::crawl::{Class, CrawledPage, PageLink, Site, Targets, read_page, target};
use crate::model::{ErrorKind, Validators};
use crate::net::{Client, FetchError, Request, Response, host_key};
use crate::util::clock::Clock;
use crate::util::{html, text};
use crate::website::retry::{BUDGET, Failure, Next, decide};
use bytes::Bytes;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use url::Url;

/// Longest media type that is kept, in bytes.
const MOST_TYPE: usize = 100;

/// What came of asking for a link.
#[derive(Debug, Default)]
pub struct Got {
    /// What it is.
    pub class: Class,
    /// Whether it is an article, where those are looked for.
    pub article: bool,
    /// HTTP status; 0 without an answer.
    pub status: u16,
    /// How often it was sent; 0 where robots.txt forbids it.
    pub sent: u32,
    /// Bytes received.
    pub bytes: u64,
    /// Media type in lower case, without parameters.
    pub mime: String,
    /// The body of what is looked for.
    pub body: Bytes,
    /// What was read of a page.
    pub page: CrawledPage,
    /// The answer, of an article.
    pub response: Option<Box<Response>>,
    /// Why there is no answer, in plain words.
    pub why: Option<String>,
    /// What it can be asked by again.
    pub(super) validators: Validators,
    /// It would pass the bytes that were allowed, and was not read to its end.
    pub(super) over: bool,
    /// There was no connection.
    pub(super) lost: bool,
    /// It leads on to another address, which is the only link.
    pub(super) redirected: bool,
    /// It leads to another site.
    pub(super) elsewhere: Option<Url>,
}

impl Got {
    /// Asked, and nothing came.
    fn nothing(sent: u32, why: String) -> Self {
        Self { sent, why: Some(why), ..Self::default() }
    }
}

/// How a link is asked for.
#[derive(Debug, Default)]
pub(super) struct LinkRequest {
    /// It is where the crawl starts, which may have been answered already.
    pub(super) first: bool,
    /// Only its headers are wanted.
    pub(super) head: bool,
    /// How many bytes may come.
    pub(super) most: Option<u64>,
    /// What the page read last was given; an unchanged one has no links to see.
    pub(super) validators: Validators,
}

/// Asks for the links of one crawl.
pub(super) struct Fetcher {
    pub(super) client: Client,
    pub(super) clock: Arc<dyn Clock>,
    /// The request that all others are like.
    pub(super) template: Request,
    pub(super) site: Site,
    pub(super) targets: Targets,
    pub(super) seed: u64,
    /// An answer to the first request that is there already.
    pub(super) first: Mutex<Option<Response>>,
    /// Hosts below that of the site that cannot be asked.
    pub(super) closed: Mutex<HashSet<String>>,
}

impl Fetcher {
    /// Takes an answer that need not be asked for.
    pub(super) fn know(&self, response: Response) {
        *self.first.lock().unwrap_or_else(PoisonError::into_inner) = Some(response);
    }

    /// Asks for an address of the site.
    ///
    /// # Errors
    /// In plain words, when the host is not to be asked any more.
    pub(super) async fn ask(&self, url: &str, request_options: LinkRequest) -> Result<Got, String> {
        let LinkRequest { first, head, most, validators } = request_options;
        let Ok(address) = Url::parse(url) else {
            return Ok(Got::nothing(0, "this is no address".to_owned()));
        };
        let known = || self.first.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(response) = first.then(known).flatten() {
            return Ok(self.read(response.final_url.clone(), head, response, 1).await);
        }
        let elsewhere = address.host_str() != self.template.url.host_str();
        if elsewhere && self.closed().contains(&host_key(&address)) {
            return Ok(Got::nothing(0, "its host was left alone".to_owned()));
        }
        let request =
            Request { url: address.clone(), head, most, validators, ..self.template.clone() };
        let (sent, answer) = match self.persist(request).await {
            Ok(asked) => asked,
            // One host of a site is not the site.
            Err(words) if elsewhere => {
                self.closed().insert(host_key(&address));
                return Ok(Got::nothing(0, words));
            }
            Err(words) => return Err(words),
        };
        match answer {
            Ok(response) => Ok(self.read(address, head, response, sent).await),
            Err(FetchError::Robots { .. }) => {
                Ok(Got::nothing(0, "robots.txt does not allow it".to_owned()))
            }
            Err(e) => {
                let mut got = Got::nothing(sent, text::line(&e.to_string()));
                got.lost = e.kind() == ErrorKind::Transient && !elsewhere;
                if let FetchError::TooLarge { received, declared, limit, .. } = e {
                    got.bytes = received;
                    // What no budget would let through is no reason to end.
                    let ever = declared.is_none_or(|length| length <= self.client.most_bytes());
                    got.over = most == Some(limit) && ever;
                }
                Ok(got)
            }
        }
    }

    /// Hosts below that of the site that cannot be asked.
    fn closed(&self) -> MutexGuard<'_, HashSet<String>> {
        self.closed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks as often as makes sense; says how often that was.
    pub(super) async fn persist(
        &self,
        request: Request,
    ) -> Result<(u32, Result<Response, FetchError>), String> {
        let (mut waited, mut sent, mut force) = (Duration::ZERO, 0, false);
        loop {
            let answer = self.client.fetch(Request { force, ..request.clone() }).await;
            let failure = match &answer {
                Err(FetchError::Paused { until, .. }) => {
                    let wait = (*until - self.clock.now()).to_std().unwrap_or_default();
                    Failure::Status(429, Some(wait))
                }
                Err(e @ FetchError::RobotsFails { .. }) => return Err(e.to_string()),
                Err(e) if e.kind() == ErrorKind::User || e.is_offline() => {
                    return Err(e.to_string());
                }
                Ok(r) if r.status == 429 || r.status >= 500 => {
                    sent += 1;
                    Failure::Status(r.status, r.cache.retry_after)
                }
                // What is slow once is slow again.
                Err(FetchError::Timeout { .. }) => return Ok((sent + 1, answer)),
                Err(e) if e.kind() == ErrorKind::Transient => {
                    sent += 1;
                    Failure::Network
                }
                _ => return Ok((sent + 1, answer)),
            };
            match decide(failure, sent.max(1), waited, self.seed) {
                Next::Wait(wait) => {
                    waited += wait;
                    let wait = chrono::TimeDelta::from_std(wait).unwrap_or_default();
                    self.clock.sleep_until(self.clock.now() + wait).await;
                    force |= matches!(failure, Failure::Status(429 | 503, _));
                }
                Next::Leave => return Ok((sent, answer)),
                Next::LeaveHost => {
                    let host = request.url.host_str().unwrap_or_default();
                    let most = BUDGET.as_secs();
                    return Err(match answer {
                        Err(e) => e.to_string(),
                        Ok(_) => format!("{host} asks to be left alone for more than {most} s"),
                    });
                }
            }
        }
    }

    async fn read(&self, url: Url, head: bool, response: Response, sent: u32) -> Got {
        let mut got = Got {
            class: Class::Failed,
            status: response.status,
            sent,
            bytes: response.wire_bytes,
            validators: response.validators.clone(),
            ..Got::default()
        };
        if response.status == 304 {
            got.class = Class::Html;
            return got;
        }
        let location = response.header("location").filter(|_| response.status / 100 == 3);
        if let Some(location) = location {
            match target(&url, location, &self.site) {
                Some(to) => {
                    got.redirected = true;
                    let (path, anchor) = Default::default();
                    got.page.links.push(PageLink { url: to, path, anchor });
                    if head {
                        // Where it leads comes to light when it is asked for.
                        got.class = Class::Html;
                    }
                }
                None => got.elsewhere = url.join(location).ok(),
            }
            return got;
        }
        if !response.is_success() {
            if head && matches!(response.status, 405 | 501) {
                // What it is comes to light when it is asked for.
                got.class = Class::Html;
            }
            return got;
        }
        got.mime = media_type(&response);
        got.class = self.targets.class(&got.mime);
        got.body = response.body.clone();
        if got.class == Class::Html && !got.body.is_empty() {
            let (site, whole) = (self.site.clone(), Box::new(response));
            let work = move || {
                let page = read_page(&whole.body, whole.content_type(), &whole.final_url, &site);
                (page, whole)
            };
            // A page that cannot be read is one without links.
            if let Ok((page, whole)) = tokio::task::spawn_blocking(work).await {
                got.page = page;
                got.article = self.targets == Targets::Articles && got.page.article;
                got.response = Some(whole).filter(|_| got.article);
            }
        }
        if got.class != Class::Target && !got.article {
            got.body = Bytes::new();
        }
        got
    }
}

/// The media type that the server names, or what the body looks like.
fn media_type(response: &Response) -> String {
    let named = response.content_type().unwrap_or_default();
    let essence = named.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let sound = essence.contains('/') && essence.len() <= MOST_TYPE;
    if sound && essence.bytes().all(|b| b.is_ascii_graphic()) {
        return essence;
    }
    let start = &response.body[..response.body.len().min(1024)];
    let page = !start.contains(&0) && html::contains_markup(&String::from_utf8_lossy(start));
    if page { "text/html" } else { "application/octet-stream" }.to_owned()
}
