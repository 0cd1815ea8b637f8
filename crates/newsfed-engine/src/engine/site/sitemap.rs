//! Sitemaps: reading indexes and their children, then the new pages.

use super::Visit;
use super::gathering::Gathering;
use crate::model::{DateOrigin, DateSource, Entry, PageHints, Time, WebsiteRules};
use crate::net::Response;
use crate::sitemap::{
    MAX_CHILDREN, MAX_LEVELS, Sitemap, SitemapEntry, change_interval, due, parse_and_count,
    worth_reading,
};
use crate::store::ReservedKeys;
use crate::util::limits;
use crate::util::text::counted;
use crate::util::url::normalise;
use crate::website::MAX_ARTICLES;
use chrono::TimeDelta;
use std::collections::{HashSet, VecDeque};
use url::Url;

/// Maximum number of articles fetched in one poll of a sitemap that was read before.
const MAX_DUE: usize = 50;
/// Maximum number of pages that are searched for in the database, newest first.
const MAX_ASKED: usize = 2000;
/// How long pages from before the sitemap was followed are skipped.
const FOR_GOOD: TimeDelta = TimeDelta::days(3650);

/// Reads a sitemap, starting with the response to its first request.
///
/// # Errors
/// Returns the reason if the document is not a sitemap.
pub(super) async fn read(
    visit: &mut Visit<'_>,
    rules: &WebsiteRules,
    response: Response,
    gathering: &mut Gathering,
) -> Result<(), String> {
    let last_visit = visit.facts.last_ok;
    let pages = descend(visit, response, last_visit, gathering).await?;
    if pages.is_empty() && last_visit.is_none() {
        gathering.nothing_listed = Some("no pages in the sitemap".to_owned());
        gathering.note("no pages in the sitemap");
    }
    if !pages.is_empty() {
        gathering.hints = Some(hints(visit, &pages));
    }
    let budget = if last_visit.is_some() { MAX_DUE } else { MAX_ARTICLES };
    let candidates: Vec<SitemapEntry> =
        due(&pages, last_visit, |_| false, MAX_ASKED).into_iter().cloned().collect();
    let urls: Vec<Url> = candidates.iter().map(|p| p.url.clone()).collect();
    let known = visit.known(urls).await.map_err(|e| e.to_string())?;
    let (new, old): (Vec<_>, Vec<_>) =
        candidates.into_iter().zip(known).partition(|(_, known)| known.is_none());
    let mut new: Vec<SitemapEntry> = new.into_iter().map(|(page, _)| page).collect();
    let rest = new.split_off(new.len().min(budget));
    let old = old.into_iter().filter_map(|(page, _)| Some((page.url, page.lastmod?)));
    let mut again = visit.modified(old.collect()).await?;
    let surplus = again.split_off(again.len().min(MAX_DUE)).len();
    if surplus > 0 {
        let pages = counted(surplus, "modified page");
        gathering.note(format!("not read again: {pages}, because the limit is {MAX_DUE}"));
    }
    match last_visit {
        // Old pages without a modification time would seem new forever.
        None => {
            let taken: HashSet<String> = new.iter().map(|p| normalise(&p.url)).collect();
            let undated = pages.iter().filter(|p| p.lastmod.is_none());
            let old = undated.filter(|p| !taken.contains(&normalise(&p.url)));
            gathering.refused.extend(old.map(|p| (p.url.clone(), visit.started + FOR_GOOD)));
        }
        Some(_) => gathering.unfinished |= !rest.is_empty(),
    }
    let publisher = visit.publisher(None);
    let mut keys = ReservedKeys::for_articles(new.len());
    let (mut summary, mut fetch) = (Vec::new(), Vec::new());
    for page in new {
        match entry(&page, &publisher, visit.started) {
            Some(entry) => summary.push(entry),
            None => fetch.push(page.url),
        }
    }
    visit.keep(summary, &mut keys, gathering).await?;
    if visit.articles(fetch, rules, &publisher, &mut keys, gathering).await? {
        visit.read_again(again, false, gathering).await?;
    }
    Ok(())
}

/// When the pages of a sitemap change, according to the sitemap; the page that changes most often counts.
fn hints(visit: &Visit<'_>, pages: &[SitemapEntry]) -> PageHints {
    let bounds = visit.context.settings().schedule.of(&visit.job.source);
    let interval = |page: &SitemapEntry| {
        change_interval(page.changefreq.as_deref()?, bounds.min_interval, bounds.max_interval)
    };
    let listed = |page: &SitemapEntry| {
        let news = page.news.as_ref().and_then(|news| news.published);
        page.lastmod.map(|lastmod| lastmod.at).max(news)
    };
    PageHints {
        changes: pages.iter().filter_map(interval).min(),
        listed: pages.iter().filter_map(listed).filter(|at| *at <= visit.started).max(),
        ..PageHints::default()
    }
}

/// An entry from the news extension, which makes fetching the page unnecessary.
fn entry(page: &SitemapEntry, publisher: &str, now: Time) -> Option<Entry> {
    let news = page.news.clone()?;
    Some(Entry {
        title: news.title,
        url: Some(page.url.to_string()),
        published: news.published.map(|t| t.min(now)),
        dated: Some(DateOrigin::stated(DateSource::Sitemap)),
        publisher: Some(publisher.to_owned()).filter(|p| !p.is_empty()),
        language: news.language,
        ..Entry::default()
    })
}

/// All pages of a sitemap; for an index, the pages of the children that may have changed.
async fn descend(
    visit: &mut Visit<'_>,
    response: Response,
    last_visit: Option<Time>,
    gathering: &mut Gathering,
) -> Result<Vec<SitemapEntry>, String> {
    let mut pages = Vec::new();
    let mut waiting: VecDeque<(Url, usize)> = VecDeque::new();
    let mut seen = HashSet::from([normalise(&response.final_url)]);
    let root = document(visit, response, gathering).await?;
    let mut found = Some((root, 1));
    let mut opened = 0;
    loop {
        match found.take() {
            Some((Sitemap::Pages(listed), _)) => pages.extend(listed),
            Some((Sitemap::Index(children), level)) => {
                // An index without modification times must be read completely.
                gathering.unfinished |= children.iter().any(|c| c.lastmod.is_none());
                let mut open = worth_reading(&children, last_visit);
                open.sort_by_key(|c| std::cmp::Reverse(c.lastmod.map(|l| l.at)));
                let new = open.into_iter().filter(|c| seen.insert(normalise(&c.url)));
                if level < MAX_LEVELS {
                    waiting.extend(new.map(|c| (c.url.clone(), level + 1)));
                }
            }
            None => {}
        }
        let Some((url, level)) = waiting.pop_front() else { return Ok(pages) };
        opened += 1;
        if opened > MAX_CHILDREN {
            gathering.unfinished = true;
            return Ok(pages);
        }
        match visit.fetcher.page(url.clone()).await {
            Ok(response) if response.is_success() => {
                gathering.wire_bytes += response.wire_bytes;
                gathering.elapsed += response.elapsed;
                match document(visit, response, gathering).await {
                    Ok(document) => found = Some((document, level)),
                    Err(why) => gathering.note(format!("{url}: {why}")),
                }
            }
            Ok(response) => {
                gathering.note(format!("{url}: HTTP {}", response.status));
                gathering.unfinished = true;
            }
            Err(e) => {
                gathering.note(e.to_string());
                gathering.unfinished = true;
            }
        }
    }
}

async fn document(
    visit: &Visit<'_>,
    response: Response,
    gathering: &mut Gathering,
) -> Result<Sitemap, String> {
    let url = response.final_url.clone();
    let bytes = response.body.len();
    let work = move || parse_and_count(&response.body, &response.final_url);
    let read = visit.context.read_document(bytes, work).await;
    let read = read.ok_or("the sitemap could not be read (this is a bug)")?;
    let (sitemap, surplus) = read.map_err(|e| e.to_string())?;
    if let Some(surplus) = limits::left_out(surplus, "URL", limits::SITEMAP_URLS) {
        gathering.note(format!("{url}: {surplus}"));
    }
    Ok(sitemap)
}
