//! Adds the URLs in the sitemaps of a site to the links of its first page.

use super::fetch::{Fetcher, LinkResult};
use crate::crawl::{PageLink, target};
use crate::net::{FetchError, Request};
use crate::sitemap::{Sitemap, SitemapError, parse_and_count, places, worth_reading};
use crate::util::limits;
use std::collections::VecDeque;
use url::Url;

/// Maximum number of sitemaps to fetch.
const MAX_SITEMAPS: usize = 5;
/// The tag path of links from sitemaps.
const PATH: &str = "sitemap";

impl Fetcher {
    /// Adds the URLs in sitemaps to the links of a response, within these limits of requests and bytes.
    /// Errors are ignored; a note records anything beyond a limit.
    pub(super) async fn seeds(
        &self,
        got: &mut LinkResult,
        requests: Option<u64>,
        bytes: Option<u64>,
    ) {
        got.release();
        let Ok(lines) = self.client.sitemaps(&self.template).await else { return };
        let home = self.template.url.clone();
        let mut waiting: VecDeque<Url> = places(&home, &lines).into();
        let (mut fetched, before) = (0, got.page.links.len());
        let most = self.page_links;
        while let Some(url) = waiting.pop_front() {
            if fetched >= MAX_SITEMAPS || got.page.links.len() - before >= most {
                return;
            }
            let max_bytes = bytes.map(|bytes| bytes.saturating_sub(got.bytes));
            if max_bytes == Some(0) || requests.is_some_and(|limit| u64::from(got.sent) >= limit) {
                return;
            }
            fetched += 1;
            let request = Request { url, follow: true, max_bytes, ..self.template.clone() };
            let Ok((sent, result)) = self.fetch_with_retries(request).await else { return };
            got.sent += sent;
            if let Err(e @ FetchError::TooLarge { received, .. }) = &result {
                got.bytes += received;
                got.page.note = got.page.note.take().or_else(|| Some(e.to_string()));
            }
            let Ok(response) = result else { continue };
            got.bytes += response.wire_bytes;
            if !response.is_success() {
                continue;
            }
            let from = response.final_url.clone();
            let work = move || parse_and_count(&response.body, &response.final_url);
            match tokio::task::spawn_blocking(work).await {
                Ok(Ok((Sitemap::Index(children), _))) => {
                    let mut open = worth_reading(&children, None);
                    open.sort_by_key(|c| std::cmp::Reverse(c.lastmod.map(|l| l.at)));
                    waiting.extend(open.into_iter().map(|c| c.url.clone()));
                }
                Ok(Ok((Sitemap::Pages(pages), surplus))) => {
                    let left = most - (got.page.links.len() - before);
                    let on_site = |url: &Url| target(&home, url.as_str(), &self.site);
                    let mut links = pages.iter().filter_map(|p| on_site(&p.url));
                    let taken = links.by_ref().take(left);
                    got.page.links.extend(taken.map(|url| PageLink {
                        url,
                        path: PATH.to_owned(),
                        anchor: String::new(),
                    }));
                    let surplus = limits::left_out(surplus + links.count(), "URL", most);
                    let note = surplus.map(|surplus| format!("{from}: {surplus}"));
                    got.page.note = got.page.note.take().or(note);
                }
                Ok(Err(e @ SitemapError::TooLarge)) => {
                    let note = Some(format!("{from}: {e}"));
                    got.page.note = got.page.note.take().or(note);
                }
                Ok(Err(SitemapError::Other)) | Err(_) => {}
            }
        }
    }
}
