//! Fetching pages with retries.

use crate::engine::context::Context;
use crate::model::{ErrorKind, Source};
use crate::net::{FetchError, Request, Response};
use crate::website::retry::{FetchFailure, RetryDecision, decide};
use std::time::Duration;
use url::Url;

/// Fetches the pages of one source, one after the other.
pub(crate) struct PageFetcher<'a> {
    context: &'a Context,
    source: &'a Source,
    /// Whether the user requested it although the host is paused.
    force: bool,
    /// Whether this poll has waited for the time that the host asked for, so the pause no longer
    /// applies to it.
    waited_for_it: bool,
    /// Requests sent, including redirects.
    pub(crate) sent: u32,
}

impl<'a> PageFetcher<'a> {
    pub(crate) fn new(context: &'a Context, source: &'a Source, force: bool) -> Self {
        Self { context, source, force, waited_for_it: false, sent: 0 }
    }

    /// Fetches a page of the source.
    pub(crate) async fn page(&mut self, url: Url) -> Result<Response, FetchError> {
        self.fetch(Request::page(url)).await
    }

    /// Fetches and retries as [`decide`] says. A response releases its memory budget immediately:
    /// a poll keeps several pages while it waits for the next, and would block itself.
    pub(crate) async fn fetch(&mut self, request: Request) -> Result<Response, FetchError> {
        let rules = self.source.rules.pages();
        let request = Request {
            declared: Some(self.source.url.clone()),
            access: self.source.access.clone(),
            allow_private: true,
            spacing: rules.and_then(|r| r.delay),
            ..request
        };
        let (mut waited, mut tries) = (Duration::ZERO, 0);
        loop {
            tries += 1;
            let force = self.force || self.waited_for_it;
            let mut answer = self.context.client.fetch(Request { force, ..request.clone() }).await;
            if let Ok(response) = &mut answer {
                response.memory = None;
            }
            self.sent += sent(&answer);
            let failure = match &answer {
                Ok(r) if r.status == 429 || r.status >= 500 => {
                    FetchFailure::Status(r.status, r.cache.retry_after)
                }
                Err(e) if e.kind() == ErrorKind::Transient && !e.is_offline() => {
                    FetchFailure::Network
                }
                _ => return answer,
            };
            let RetryDecision::Wait(wait) = decide(failure, tries, waited, self.context.seed())
            else {
                return answer;
            };
            waited += wait;
            let clock = &self.context.clock;
            let wait = chrono::TimeDelta::from_std(wait).unwrap_or_default();
            clock.sleep_until(clock.now() + wait).await;
            self.waited_for_it |= matches!(failure, FetchFailure::Status(429 | 503, _));
        }
    }
}

/// Number of requests that a response took.
pub(crate) fn sent(answer: &Result<Response, FetchError>) -> u32 {
    match answer {
        Ok(response) => 1 + u32::try_from(response.hops.len()).unwrap_or(u32::MAX - 1),
        // No request was sent.
        Err(FetchError::Paused { .. } | FetchError::Robots { .. }) => 0,
        Err(e) if e.kind() == ErrorKind::User => 0,
        Err(_) => 1,
    }
}
