//! Follows links from a page that offers little to the page that lists all posts of its site.

use super::discover::{Fetched, SURE_LIST};
use super::follow::FollowError;
use super::handle::Handle;
use super::message::Discovery;
use super::ways::{feed_way, list_way};
use crate::discover::{AnnouncedFeed, DocumentKind, Survey};
use crate::model::SourceKind;
use crate::net::{FetchError, Purpose};
use url::Url;

/// Maximum confidence in ways that only another page of the site offers.
const MAX: f64 = 0.9;

impl Handle {
    /// Follows the links of a page that claim to lead to the list of all posts, until one of them yields a
    /// feed or a list of articles.
    pub(super) async fn try_list_pages(
        &self,
        kind: Option<SourceKind>,
        survey: &Survey,
        found: &mut Discovery,
    ) {
        let weak = |found: &Discovery| found.ways.iter().all(|way| way.confidence < SURE_LIST);
        if survey.is_article || survey.sitemap.is_some() || !weak(found) {
            return;
        }
        for url in &survey.list_pages {
            if !self.try_list_page(url, kind, found).await {
                return;
            }
        }
    }

    /// Offers the ways found on one page. Returns whether to try another page: this one has nothing, and the
    /// site responds.
    async fn try_list_page(
        &self,
        url: &Url,
        kind: Option<SourceKind>,
        found: &mut Discovery,
    ) -> bool {
        let wanted = |k: SourceKind| kind.is_none_or(|kind| kind == k);
        if super::discover::is_foreign(url, &found.typed.web.url) {
            return true;
        }
        let Fetched { found: what, survey, response } =
            match self.fetch(url, &found.typed, Purpose::Page).await {
                Ok(fetched) => fetched,
                Err(FollowError::Status { status, .. }) => return status != 429 && status < 500,
                Err(FollowError::Fetch { error: FetchError::Robots { .. }, .. }) => return true,
                Err(failure) => {
                    found.report(format!("{url}: {}", text_of(&failure)));
                    return false;
                }
            };
        let mut has_some = false;
        let announced = match what {
            DocumentKind::Feed(feed) if wanted(SourceKind::Feed) => {
                found.report_found(format!("the page links to {url}, which is a feed"));
                found.ways.push(feed_way(url.clone(), *feed, response, MAX));
                return false;
            }
            DocumentKind::Page { announced, .. } if wanted(SourceKind::Feed) => announced,
            _ => vec![],
        };
        if !announced.is_empty() {
            found.report_found(format!("the page links to {url}, which announces a feed"));
            let less = |a: AnnouncedFeed| AnnouncedFeed { confidence: a.confidence.min(MAX), ..a };
            // Only the first way in the list is tried, so the ways found so far are set aside.
            let before = std::mem::take(&mut found.ways);
            self.try_announced(announced.into_iter().map(less).collect(), found).await;
            let works = !found.ways.is_empty();
            found.ways.extend(before);
            has_some = true;
            if works {
                return false;
            }
        }
        if wanted(SourceKind::Website) && !survey.is_article && !survey.lists.is_empty() {
            has_some = true;
            found.report_found(format!("the page links to {url}, which lists articles"));
            for list in &survey.lists {
                let mut way = list_way(list, &survey, &response, url);
                way.confidence = way.confidence.min(MAX);
                found.ways.push(way);
            }
        }
        !has_some
    }
}

fn text_of(failure: &FollowError) -> String {
    match failure {
        FollowError::Fetch { error, .. } => error.to_string(),
        other => other.to_string(),
    }
}
