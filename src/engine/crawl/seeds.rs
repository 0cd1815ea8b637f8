//! The URLs in the sitemaps of a site, as links of its first page.

use super::fetch::{Fetcher, LinkResult};
use crate::crawl::{PageLink, target};
use crate::net::{FetchError, Request};
use crate::sitemap::{Sitemap, parse, places, worth_reading};
use std::collections::VecDeque;
use url::Url;

/// Maximum number of sitemaps that are fetched.
const MAX_SITEMAPS: usize = 5;
/// Maximum number of URLs that are taken from them.
const MAX_SEEDS: usize = 10_000;
/// Used as the tag path of such a link.
const PATH: &str = "sitemap";

impl Fetcher {
    /// Adds the URLs in sitemaps to the links of a response, within these limits of requests and
    /// bytes. Errors are ignored.
    pub(super) async fn seeds(
        &self,
        got: &mut LinkResult,
        requests: Option<u64>,
        bytes: Option<u64>,
    ) {
        let Ok(lines) = self.client.sitemaps(&self.template).await else { return };
        let home = self.template.url.clone();
        let mut waiting: VecDeque<Url> = places(&home, &lines).into();
        let (mut asked, before) = (0, got.page.links.len());
        while let Some(url) = waiting.pop_front() {
            if asked >= MAX_SITEMAPS || got.page.links.len() - before >= MAX_SEEDS {
                return;
            }
            let max_bytes = bytes.map(|bytes| bytes.saturating_sub(got.bytes));
            if max_bytes == Some(0) || requests.is_some_and(|limit| u64::from(got.sent) >= limit) {
                return;
            }
            asked += 1;
            let request = Request { url, follow: true, max_bytes, ..self.template.clone() };
            let Ok((sent, answer)) = self.fetch_with_retries(request).await else { return };
            got.sent += sent;
            if let Err(FetchError::TooLarge { received, .. }) = &answer {
                got.bytes += received;
            }
            let Ok(response) = answer else { continue };
            got.bytes += response.wire_bytes;
            if !response.is_success() {
                continue;
            }
            let work = move || parse(&response.body, &response.final_url).ok();
            match tokio::task::spawn_blocking(work).await {
                Ok(Some(Sitemap::Index(children))) => {
                    let mut open = worth_reading(&children, None);
                    open.sort_by_key(|c| std::cmp::Reverse(c.lastmod.map(|l| l.at)));
                    waiting.extend(open.into_iter().map(|c| c.url.clone()));
                }
                Ok(Some(Sitemap::Pages(pages))) => {
                    let left = MAX_SEEDS - (got.page.links.len() - before);
                    let on_site = |url: &Url| target(&home, url.as_str(), &self.site);
                    let links = pages.iter().filter_map(|p| on_site(&p.url)).take(left);
                    got.page.links.extend(links.map(|url| PageLink {
                        url,
                        path: PATH.to_owned(),
                        anchor: String::new(),
                    }));
                }
                _ => {}
            }
        }
    }
}
