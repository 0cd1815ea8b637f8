//! Which parts of a sitemap to fetch.

use super::parse::{Child, SitemapEntry};
use crate::model::Time;
use std::cmp::Reverse;
use std::time::Duration;

/// The children of an index to open: those changed since the last visit, and those without a
/// date.
pub fn worth_reading(children: &[Child], last_visit: Option<Time>) -> Vec<&Child> {
    let changed = |child: &&Child| match (child.lastmod, last_visit) {
        (Some(lastmod), Some(visit)) => lastmod.may_be_after(visit),
        _ => true,
    };
    children.iter().filter(changed).collect()
}

/// The pages to fetch: at most `budget` pages that are not known yet and may have changed since the last
/// visit, newest first, then by priority, then in document order.
pub fn due(
    pages: &[SitemapEntry],
    last_visit: Option<Time>,
    is_known: impl Fn(&SitemapEntry) -> bool,
    budget: usize,
) -> Vec<&SitemapEntry> {
    let fresh = |page: &&SitemapEntry| match (page.lastmod, last_visit) {
        (Some(lastmod), Some(visit)) => lastmod.may_be_after(visit),
        _ => true,
    };
    let mut due: Vec<&SitemapEntry> = pages.iter().filter(fresh).filter(|p| !is_known(p)).collect();
    due.sort_by(|a, b| {
        let date = |p: &SitemapEntry| {
            let news = p.news.as_ref().and_then(|n| n.published);
            Reverse(p.lastmod.map(|l| l.at).max(news))
        };
        date(a).cmp(&date(b)).then(b.priority.total_cmp(&a.priority))
    });
    due.truncate(budget);
    due
}

/// How often a page changes according to its sitemap, a hint that measurements override. `always` becomes
/// `least`; months, years and `never` become `most`.
pub fn change_interval(word: &str, least: Duration, most: Duration) -> Option<Duration> {
    const HOUR: u64 = 3600;
    let seconds = match word {
        "always" => return Some(least),
        "hourly" => HOUR,
        "daily" => 24 * HOUR,
        "weekly" => 7 * 24 * HOUR,
        "monthly" | "yearly" | "never" => return Some(most),
        _ => return None,
    };
    Some(Duration::from_secs(seconds))
}
