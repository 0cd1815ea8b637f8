//! A look at a website or sitemap, from the answer to its first request on: further list pages and
//! articles, one after the other, through the same manners as everything else.

mod asker;
mod crawl;
mod gathering;
mod pages;
mod sitemap;
mod website;

pub(super) use asker::Asker;
pub(super) use crawl::told as told_of_crawl;
pub(super) use pages::Prefetched;

use super::context::Context;
use super::look::{Finished, address};
use super::queue::Job;
use super::verdict::DocumentFacts;
use crate::model::{ErrorKind, FeedHints, Outcome, SourceFacts, SourceKind, Time, WebsiteFacts};
use crate::net::Response;
use crate::store::{Pages, prepare};
use gathering::Gathering;
use std::sync::Arc;
use url::Url;

/// What a look at a website or sitemap leaves beside its entries.
pub(super) struct SiteEnd {
    pub(super) pages: Pages,
    pub(super) facts: WebsiteFacts,
    /// The host asked to be left alone in the middle of it.
    pub(super) left_host: bool,
}

/// A look under way.
pub(super) struct Visit<'a> {
    pub(super) context: &'a Arc<Context>,
    pub(super) job: &'a Job,
    pub(super) facts: &'a SourceFacts,
    pub(super) started: Time,
    pub(super) asker: Asker<'a>,
    /// Pages that were fetched before, while the address was explored.
    pub(super) prefetched: Prefetched,
}

impl Visit<'_> {
    /// Reads the answer to the first request and everything that it leads to.
    pub(super) async fn read(
        mut self,
        mut finished: Finished,
        response: Response,
        hash: [u8; 32],
    ) -> Finished {
        let mut gathering = Gathering::default();
        let read = match self.job.source.kind {
            SourceKind::Crawl => crawl::read(&mut self, response, &mut gathering).await,
            SourceKind::Sitemap => sitemap::read(&mut self, response, &mut gathering).await,
            _ => website::read(&mut self, response, &mut gathering).await,
        };
        finished.wire_bytes += gathering.wire_bytes;
        finished.elapsed += gathering.elapsed;
        if let Err(message) = read {
            finished.outcome = Outcome::Failed { kind: ErrorKind::Permanent, message };
            return finished;
        }
        let facts = gathering.website_facts(&self.facts.website, self.started);
        let Gathering { entries, refused, notes, title, left_host, .. } = gathering;
        finished.repairs = notes;
        let document = DocumentFacts {
            title,
            home_url: Some(self.job.source.url.to_string()),
            hints: FeedHints::default(),
            hash,
        };
        match self.context.work(move || prepare(entries)).await {
            Some(entries) => finished.document = Some((entries, document)),
            None => {
                let message = "the articles could not be read (this is a bug)".to_owned();
                finished.outcome = Outcome::Failed { kind: ErrorKind::Permanent, message };
            }
        }
        finished.site = Some(SiteEnd { pages: Pages { refused }, facts, left_host });
        finished
    }

    /// The address that stands for the site: where a permanent redirect leads, else the declared one.
    fn home(&self) -> Url {
        address(&self.job.source.url, self.facts)
    }

    /// What items of the source say about who published them.
    fn publisher(&self, page_title: Option<&str>) -> String {
        let own = self.job.source.title.as_deref().or(page_title);
        own.unwrap_or_else(|| self.facts.title(&self.job.source)).to_owned()
    }
}
