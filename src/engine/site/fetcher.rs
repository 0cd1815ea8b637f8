//! Asks for pages, and asks again where that makes sense.

use crate::engine::context::Context;
use crate::model::{ErrorKind, Source};
use crate::net::{FetchError, Request, Response};
use crate::website::retry::{Failure, Next, decide};
use std::time::Duration;
use url::Url;

/// Asks for the pages of one source, one after the other.
pub(crate) struct PageFetcher<'a> {
    context: &'a Context,
    source: &'a Source,
    /// The user wants to know although the host is paused.
    force: bool,
    /// The time that the host asked for has gone by while we waited, so that the pause which holds
    /// others off is over for us.
    waited_for_it: bool,
    /// Requests that were sent, redirects included.
    pub(crate) sent: u32,
}

impl<'a> PageFetcher<'a> {
    pub(crate) fn new(context: &'a Context, source: &'a Source, force: bool) -> Self {
        Self { context, source, force, waited_for_it: false, sent: 0 }
    }

    /// Asks for a page of the source.
    pub(crate) async fn page(&mut self, url: Url) -> Result<Response, FetchError> {
        self.ask(Request::page(url)).await
    }

    /// Asks, and tries again as [`decide`] says. An answer gives its room back at once: a poll holds
    /// several pages while it waits for the next, and would wait for itself.
    pub(crate) async fn ask(&mut self, request: Request) -> Result<Response, FetchError> {
        let rules = self.source.website.as_ref();
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
                response.room = None;
            }
            self.sent += sent(&answer);
            let failure = match &answer {
                Ok(r) if r.status == 429 || r.status >= 500 => {
                    Failure::Status(r.status, r.cache.retry_after)
                }
                Err(e) if e.kind() == ErrorKind::Transient && !e.is_offline() => Failure::Network,
                _ => return answer,
            };
            let Next::Wait(wait) = decide(failure, tries, waited, self.context.seed()) else {
                return answer;
            };
            waited += wait;
            let clock = &self.context.clock;
            let wait = chrono::TimeDelta::from_std(wait).unwrap_or_default();
            clock.sleep_until(clock.now() + wait).await;
            self.waited_for_it |= matches!(failure, Failure::Status(429 | 503, _));
        }
    }
}

/// Requests that an answer took.
pub(crate) fn sent(answer: &Result<Response, FetchError>) -> u32 {
    match answer {
        Ok(response) => 1 + u32::try_from(response.hops.len()).unwrap_or(u32::MAX - 1),
        // Nothing was said to the network.
        Err(FetchError::Paused { .. } | FetchError::Robots { .. }) => 0,
        Err(e) if e.kind() == ErrorKind::User => 0,
        Err(_) => 1,
    }
}
