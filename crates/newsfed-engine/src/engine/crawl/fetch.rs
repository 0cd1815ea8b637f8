//! Fetching and classifying one link of a crawl.

use crate::crawl::{Class, CrawledPage, PageLink, Site, Targets, read_page, target};
use crate::dataset::DataFormat;
use crate::engine::retry;
use crate::model::{ErrorKind, Time, Validators};
use crate::net::{Client, FetchError, MemoryShare, Request, Response, host_key};
use crate::util::clock::Clock;
use crate::util::{html, text};
use crate::website::page_retry::{BUDGET, FetchFailure};
use bytes::Bytes;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use url::Url;

/// Maximum length of a stored media type, in bytes.
const MAX_TYPE: usize = 100;

/// The result of fetching a link.
#[derive(Debug, Default)]
pub struct LinkResult {
    pub class: Class,
    /// Whether it is an article, if articles are the targets.
    pub article: bool,
    /// The HTTP status; 0 without a response.
    pub status: u16,
    /// Number of requests sent; 0 if robots.txt forbids it.
    pub sent: u32,
    pub bytes: u64,
    /// The media type in lower case, without parameters.
    pub mime: String,
    /// The body of a target.
    pub body: Bytes,
    /// The links and text of a page.
    pub page: CrawledPage,
    /// The response, for articles and for files that are compared with later ones.
    pub response: Option<Box<Response>>,
    /// Why there is no response.
    pub why: Option<String>,
    /// The share of the body in the memory budget.
    pub(super) memory: Option<MemoryShare>,
    /// Validators for the next request.
    pub(super) validators: Validators,
    /// Whether the body was not read completely, because it would exceed the remaining byte budget.
    pub(super) over: bool,
    /// Whether the connection failed.
    pub(super) lost: bool,
    /// Whether the link redirects to a different URL on the site. That URL is then the only link of the page.
    pub(super) redirected: bool,
    /// The redirect target, if it is on another site.
    pub(super) elsewhere: Option<Url>,
}

impl LinkResult {
    /// Releases its share of the memory budget before further requests.
    pub(super) fn release(&mut self) {
        self.memory = None;
        if let Some(response) = &mut self.response {
            response.memory = None;
        }
    }

    /// A result without a response.
    fn nothing(sent: u32, why: String) -> Self {
        Self { sent, why: Some(why), ..Self::default() }
    }
}

/// The options of a request for a link.
#[derive(Debug, Default)]
pub(super) struct LinkRequest {
    /// Whether it is the start of the crawl, whose response may already be available.
    pub(super) first: bool,
    /// Whether only the headers are requested.
    pub(super) head: bool,
    /// Maximum number of bytes.
    pub(super) max_bytes: Option<u64>,
    /// Validators of the last visit; an unchanged page has no new links.
    pub(super) validators: Validators,
}

/// Fetches the links of one crawl.
pub(super) struct Fetcher {
    pub(super) client: Client,
    pub(super) clock: Arc<dyn Clock>,
    /// The request that all others are based on.
    pub(super) template: Request,
    pub(super) site: Site,
    pub(super) targets: Targets,
    /// Maximum number of links taken from a page, or from sitemaps.
    pub(super) page_links: usize,
    pub(super) seed: u64,
    /// A response to the first request that was fetched earlier.
    pub(super) first: Mutex<Option<Response>>,
    /// Subdomains of the site that are no longer fetched.
    pub(super) closed: Mutex<HashSet<String>>,
}

impl Fetcher {
    /// Provides a response that was fetched earlier.
    pub(super) fn use_response(&self, response: Response) {
        *self.first.lock().unwrap_or_else(PoisonError::into_inner) = Some(response);
    }

    /// Fetches a URL of the site.
    ///
    /// # Errors
    /// Returns the reason if no further requests may be sent to the host.
    pub(super) async fn fetch(
        &self,
        url: &str,
        request_options: LinkRequest,
    ) -> Result<LinkResult, String> {
        let LinkRequest { first, head, max_bytes, validators } = request_options;
        let Ok(address) = Url::parse(url) else {
            return Ok(LinkResult::nothing(0, "this is not a valid URL".to_owned()));
        };
        let known = || self.first.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(response) = first.then(known).flatten() {
            return Ok(self.read(response.final_url.clone(), head, response, 1).await);
        }
        // An unused response must not occupy the memory budget.
        if let Some(unused) = &mut *self.first.lock().unwrap_or_else(PoisonError::into_inner) {
            unused.memory = None;
        }
        let elsewhere = address.host_str() != self.template.url.host_str();
        if elsewhere && self.closed().contains(&host_key(&address)) {
            return Ok(LinkResult::nothing(0, "its host was skipped".to_owned()));
        }
        let request =
            Request { url: address.clone(), head, max_bytes, validators, ..self.template.clone() };
        let (sent, result) = match self.fetch_with_retries(request).await {
            Ok(asked) => asked,
            // One failing subdomain does not end the crawl of the site.
            Err(words) if elsewhere => {
                self.closed().insert(host_key(&address));
                return Ok(LinkResult::nothing(0, words));
            }
            Err(words) => return Err(words),
        };
        match result {
            Ok(response) => Ok(self.read(address, head, response, sent).await),
            Err(FetchError::Robots { .. }) => {
                Ok(LinkResult::nothing(0, "robots.txt does not allow it".to_owned()))
            }
            Err(e) => {
                let mut got = LinkResult::nothing(sent, text::line(&e.to_string()));
                got.lost = e.kind() == ErrorKind::Transient && !elsewhere;
                if let FetchError::TooLarge { received, declared, limit, .. } = e {
                    got.bytes = received;
                    // A response that exceeds even the general limit does not end the crawl.
                    let ever = declared.is_none_or(|length| length <= self.client.max_body());
                    got.over = max_bytes == Some(limit) && ever;
                    got.page.note = got.why.clone().filter(|_| !got.over);
                }
                Ok(got)
            }
        }
    }

    /// Subdomains of the site that are no longer fetched.
    fn closed(&self) -> MutexGuard<'_, HashSet<String>> {
        self.closed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fetches with retries. Also returns the number of requests sent.
    pub(super) async fn fetch_with_retries(
        &self,
        request: Request,
    ) -> Result<(u32, Result<Response, FetchError>), String> {
        let host = request.url.host_str().unwrap_or_default().to_owned();
        let retried = retry::fetch(&self.client, &*self.clock, self.seed, request, failure).await;
        match retried.result {
            Err(e @ FetchError::RobotsFails { .. }) => Err(e.to_string()),
            Err(e) if e.kind() == ErrorKind::User || e.is_offline() || e.is_local() => {
                Err(e.to_string())
            }
            Err(e) if retried.is_host_paused => Err(e.to_string()),
            Ok(_) if retried.is_host_paused => {
                Err(format!("{host} asks for a pause of more than {} s", BUDGET.as_secs()))
            }
            result => Ok((retried.sent, result)),
        }
    }

    async fn read(&self, url: Url, head: bool, response: Response, sent: u32) -> LinkResult {
        let mut got = LinkResult {
            class: Class::Failed,
            status: response.status,
            sent,
            bytes: response.wire_bytes,
            memory: response.memory.clone(),
            validators: response.validators.clone(),
            ..LinkResult::default()
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
                        // The class of the link is known once the target of the redirect is fetched.
                        got.class = Class::Html;
                    }
                }
                None => got.elsewhere = url.join(location).ok(),
            }
            return got;
        }
        if !response.is_success() {
            if head && matches!(response.status, 405 | 501) {
                // The class of the link is known once it is fetched.
                got.class = Class::Html;
            }
            return got;
        }
        got.mime = media_type(&response);
        got.class = self.targets.class(&got.mime);
        got.body = response.body.clone();
        if got.class == Class::Target && DataFormat::named(Some(&got.mime), &url).is_some() {
            got.response = Some(Box::new(response));
        } else if got.class == Class::Html && !got.body.is_empty() {
            let (site, whole) = (self.site.clone(), Box::new(response));
            let most = self.page_links;
            let work = move || {
                let (content_type, url) = (whole.content_type(), &whole.final_url);
                let page = read_page(&whole.body, content_type, url, &site, most);
                (page, whole)
            };
            // An unreadable page is treated as a page without links.
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

/// Classifies failures that are worth a retry.
fn failure(result: &Result<Response, FetchError>, now: Time) -> Option<FetchFailure> {
    match result {
        Err(FetchError::Paused { until, .. }) => {
            let wait = (*until - now).to_std().unwrap_or_default();
            Some(FetchFailure::Status(429, Some(wait)))
        }
        // A slow server will probably still be slow.
        Err(FetchError::Timeout { .. } | FetchError::RobotsFails { .. }) => None,
        _ => retry::temporary(result),
    }
}

/// The media type stated by the server, or detected from the body.
fn media_type(response: &Response) -> String {
    let named = response.content_type().unwrap_or_default();
    let essence = named.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let sound = essence.contains('/') && essence.len() <= MAX_TYPE;
    if sound && essence.bytes().all(|b| b.is_ascii_graphic()) {
        return essence;
    }
    let start = &response.body[..response.body.len().min(1024)];
    let page = !start.contains(&0) && html::contains_markup(&String::from_utf8_lossy(start));
    if page { "text/html" } else { "application/octet-stream" }.to_owned()
}
