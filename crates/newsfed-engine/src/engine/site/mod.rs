//! Polling a website or sitemap, starting with the response to its first request: further list
//! pages and articles, one after the other, through the same HTTP client as everything else.

mod crawl;
mod crawl_logs;
mod entries;
mod fetcher;
mod files;
mod gathering;
mod page;
mod pages;
mod reread;
mod sitemap;
mod website;

pub(super) use crawl::{EXPLORING, link_groups as crawl_summary};
pub(super) use crawl_logs::tidy as tidy_crawls;
pub(super) use fetcher::PageFetcher;
pub(super) use pages::Prefetched;
pub use reread::Reread;

use super::context::Context;
use super::poll::{Finished, address};
use super::queue::Job;
use super::verdict::DocumentFacts;
use crate::model::{ErrorKind, FeedHints, Outcome, SourceFacts, Time, WebsiteFacts, WebsiteRules};
use crate::net::Response;
use crate::store::{Hashing, PollPages};
use gathering::Gathering;
use std::sync::Arc;
use url::Url;

/// The result of polling a website or sitemap; its articles are already stored.
pub(super) struct SiteEnd {
    pub(super) pages: PollPages,
    pub(super) facts: WebsiteFacts,
    /// What was read from the site; `None` if it has not changed.
    pub(super) document: Option<DocumentFacts>,
    /// The host asked for a pause during the poll.
    pub(super) is_host_paused: bool,
}

/// A running poll.
pub(super) struct Visit<'a> {
    pub(super) context: &'a Arc<Context>,
    pub(super) job: &'a Job,
    pub(super) facts: &'a SourceFacts,
    pub(super) started: Time,
    pub(super) fetcher: PageFetcher<'a>,
    /// Requests sent before the visit.
    pub(super) sent: u32,
    /// Pages that were already fetched during discovery.
    pub(super) prefetched: Prefetched,
    /// Hash of the first response.
    pub(super) hash: [u8; 32],
    pub(super) hashing: Hashing,
}

impl Visit<'_> {
    pub(super) async fn website(
        mut self,
        rules: &WebsiteRules,
        finished: Finished,
        response: Response,
    ) -> Finished {
        let mut gathering = Gathering::after(&self.facts.website);
        let read = website::read(&mut self, rules, response, &mut gathering).await;
        self.finish(rules, finished, gathering, read).await
    }

    pub(super) async fn entries(
        self,
        rules: &WebsiteRules,
        finished: Finished,
        response: Response,
    ) -> Finished {
        let mut gathering = Gathering::after(&self.facts.website);
        let (read, entries) = match entries::read(&self, rules, response, &mut gathering).await {
            Ok(entries) => (Ok(()), entries),
            Err(why) => (Err(why), Vec::new()),
        };
        let mut finished = self.finish(rules, finished, gathering, read).await;
        // The entries are stored together at the end, like a feed's entries.
        if let Some(site) = &mut finished.site {
            site.pages.kept = None;
            finished.document = site.document.take().map(|document| (entries, document));
        }
        finished
    }

    pub(super) async fn page(
        mut self,
        rules: &WebsiteRules,
        finished: Finished,
        response: Response,
    ) -> Finished {
        let mut gathering = Gathering::after(&self.facts.website);
        let read = page::read(&mut self, rules, response, &mut gathering).await;
        self.finish(rules, finished, gathering, read).await
    }

    pub(super) async fn sitemap(
        mut self,
        rules: &WebsiteRules,
        finished: Finished,
        response: Response,
    ) -> Finished {
        let mut gathering = Gathering::after(&self.facts.website);
        let read = sitemap::read(&mut self, rules, response, &mut gathering).await;
        self.finish(rules, finished, gathering, read).await
    }

    pub(super) async fn crawl(
        mut self,
        rules: &WebsiteRules,
        finished: Finished,
        response: Response,
    ) -> Finished {
        let mut gathering = Gathering::after(&self.facts.website);
        let read = crawl::read(&mut self, rules, response, &mut gathering).await;
        self.finish(rules, finished, gathering, read).await
    }

    /// Adds the results of reading the site to the results of the first request.
    async fn finish(
        self,
        rules: &WebsiteRules,
        mut finished: Finished,
        mut gathering: Gathering,
        read: Result<(), String>,
    ) -> Finished {
        finished.requests += self.fetcher.sent - self.sent;
        finished.wire_bytes += gathering.wire_bytes;
        finished.elapsed += gathering.elapsed;
        if let Err(message) = read {
            finished.outcome = Outcome::Failed { kind: ErrorKind::Permanent, message };
            return finished;
        }
        if let Some(missing) = gathering.missing() {
            let blank = std::mem::take(&mut gathering.blank);
            let rules = rules.clone();
            let work = move || pages::instead(blank, &rules, missing);
            gathering.instead = self.context.work(work).await.unwrap_or_default();
        }
        let facts = gathering.website_facts(&self.facts.website, self.started);
        let Gathering {
            kept,
            refused,
            notes,
            left_out,
            title,
            unchanged,
            is_host_paused,
            copy,
            ..
        } = gathering;
        (finished.repairs, finished.left_out) = (notes, left_out);
        let document = DocumentFacts {
            title,
            home_url: Some(self.job.source.url.to_string()),
            hints: FeedHints::default(),
            hash: self.hash,
        };
        finished.site = Some(SiteEnd {
            pages: PollPages { refused, kept: Some(kept).filter(|_| !unchanged), copy },
            facts,
            document: Some(document).filter(|_| !unchanged),
            is_host_paused,
        });
        finished
    }

    /// The URL of the site: the target of a permanent redirect, else the declared one.
    fn home(&self) -> Url {
        address(&self.job.source.url, self.facts)
    }

    /// The publisher of the items of the source.
    fn publisher(&self, page_title: Option<&str>) -> String {
        let own = self.job.source.title.as_deref().or(page_title);
        own.unwrap_or_else(|| self.facts.title(&self.job.source)).to_owned()
    }
}
