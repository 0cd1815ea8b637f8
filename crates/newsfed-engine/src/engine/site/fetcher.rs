//! Fetching pages with retries.

use crate::engine::context::Context;
use crate::engine::retry;
use crate::model::Source;
use crate::net::{FetchError, Request, Response, allows_private};
use url::Url;

/// Fetches the pages of one source, one after the other.
pub(crate) struct PageFetcher<'a> {
    context: &'a Context,
    source: &'a Source,
    /// Whether the user requested the poll although the host is paused.
    force: bool,
    /// Whether this poll has waited as long as the host asked, so that the pause no longer applies to it.
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

    /// Fetches with retries. The response owns a share of the memory budget. Drop the response, or at least
    /// its share, before the next request; otherwise polls could wait for each other.
    pub(crate) async fn fetch(&mut self, request: Request) -> Result<Response, FetchError> {
        let rules = self.source.rules.pages();
        let request = Request {
            declared: Some(self.source.url.clone()),
            access: self.source.access.clone(),
            allow_private: allows_private(self.source),
            spacing: rules.and_then(|r| r.delay),
            force: self.force || self.waited_for_it,
            ..request
        };
        let (context, seed) = (self.context, self.context.seed());
        let failure = |fetched: &Result<_, _>, _| retry::temporary(fetched);
        let retried = retry::fetch(&context.client, &*context.clock, seed, request, failure).await;
        self.sent += retried.sent;
        self.waited_for_it |= retried.waited_for_pause;
        retried.fetched
    }
}
