//! Decides which list pages and articles one poll fetches: the limit of a first poll, pagination, and when to
//! stop. Pure; the engine sends the requests.

use super::list::{ListLink, ListPage};
use crate::model::Time;
use crate::util::url::normalise;
use chrono::TimeDelta;
use std::collections::HashSet;
use url::Url;

/// Maximum number of articles per poll of a source that has never been read, or not recently.
pub const MAX_ARTICLES: usize = 20;
/// [`MAX_ARTICLES`] does not apply to a source that was read within this time.
const LATELY: TimeDelta = TimeDelta::days(15);
/// Maximum number of articles per poll: a longer list of unknown articles is probably an archive.
const MAX_EVER: usize = 200;

/// The state of a poll over the pages of a list.
#[derive(Debug)]
pub struct Walk {
    most: usize,
    max_pages: u32,
    pages: u32,
    /// The last successful poll; the walk stops at older articles.
    since: Option<Time>,
    visited: HashSet<String>,
    seen: HashSet<String>,
    /// Number of articles so far.
    articles: usize,
    next: Option<Url>,
    /// Whether a link was skipped because of the limit.
    cut: bool,
}

impl Walk {
    /// A walk that starts at `start`; `last_ok` is when the source was last read successfully.
    pub fn new(start: &Url, max_pages: u32, last_ok: Option<Time>, now: Time) -> Self {
        let lately = last_ok.is_some_and(|at| now - at <= LATELY);
        Self {
            most: if lately { MAX_EVER } else { MAX_ARTICLES },
            max_pages,
            pages: 0,
            since: last_ok,
            visited: HashSet::new(),
            seen: HashSet::new(),
            articles: 0,
            next: Some(start.clone()),
            cut: false,
        }
    }

    /// The next page to fetch; `None` when the walk is over.
    pub fn next_page(&self) -> Option<&Url> {
        self.next.as_ref()
    }

    /// Processes a page that was requested at `requested` and came from `final_url`. Returns the articles on
    /// it that should be fetched, in order. `is_old` returns whether an article is known from an earlier
    /// poll.
    pub fn take(
        &mut self,
        requested: &Url,
        final_url: &Url,
        page: ListPage,
        is_old: impl Fn(&Url) -> bool,
    ) -> Vec<ListLink> {
        self.pages += 1;
        self.visited.extend([normalise(requested), normalise(final_url)]);
        let old = |link: &ListLink| match (link.date, self.since) {
            (Some(date), Some(since)) => is_before(date, since),
            (None, Some(_)) => is_old(&link.url),
            (_, None) => false,
        };
        let stop = turns_old(page.links.iter().map(old));
        let mut wanted = Vec::new();
        for link in page.links {
            if !self.seen.insert(normalise(&link.url)) {
                continue;
            }
            if self.articles == self.most {
                self.cut = true;
                break;
            }
            self.articles += 1;
            wanted.push(link);
        }
        let full = self.articles == self.most;
        let over = stop || full || self.pages >= self.max_pages;
        let next = page.next.filter(|url| !self.visited.contains(&normalise(url)));
        self.next = next.filter(|_| !over);
        wanted
    }

    /// Processes the dates of the new articles of the last page, in their order. Dates before the last
    /// successful poll can end the walk.
    pub fn read(&mut self, dates: &[Time]) {
        let old = |date: &Time| self.since.is_some_and(|since| is_before(*date, since));
        if turns_old(dates.iter().map(old)) {
            self.next = None;
        }
    }

    /// Maximum number of articles in total, given the number of articles on the last page.
    pub fn most_after(&self, articles: usize) -> usize {
        let pages = match self.next {
            Some(_) => self.max_pages.saturating_sub(self.pages).saturating_add(1),
            None => 1,
        };
        let all = articles.saturating_mul(usize::try_from(pages).unwrap_or(usize::MAX));
        all.min(self.most).max(articles)
    }

    /// Whether articles were skipped because of the limit.
    pub fn cut(&self) -> bool {
        self.cut
    }
}

/// Whether the rest of a list is old, given whether each article is old. Old articles before the first new
/// one are pinned and ignored; a single old article among new ones does not count.
fn turns_old(old: impl Iterator<Item = bool>) -> bool {
    let old: Vec<bool> = old.collect();
    let Some(first_new) = old.iter().position(|old| !old) else { return !old.is_empty() };
    let rest = &old[first_new..];
    let Some(first_old) = rest.iter().position(|old| *old) else { return false };
    let rest = &rest[first_old..];
    2 * rest.iter().filter(|old| **old).count() >= rest.len()
}

/// Whether a date is before a moment. A date without a time counts as the whole day.
fn is_before(date: Time, moment: Time) -> bool {
    let whole_day = date.time() == chrono::NaiveTime::MIN;
    if whole_day { date + TimeDelta::days(1) <= moment } else { date < moment }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> Url {
        Url::parse("https://example.org/").unwrap().join(path).unwrap()
    }

    fn at(day: i64) -> Time {
        Time::from_timestamp(day * 86_400, 0).unwrap()
    }

    /// A page with the articles from `/FROM` to just before `/TO`, and a link to `next`.
    fn page(range: std::ops::Range<u32>, next: &str) -> ListPage {
        let links = range.map(|n| ListLink {
            url: url(&n.to_string()),
            title: String::new(),
            date: None,
            zone: crate::util::date::Zone::default(),
            author: None,
            summary: String::new(),
            active: None,
        });
        let next = (!next.is_empty()).then(|| url(next));
        ListPage { links: links.collect(), next, left_out: 0 }
    }

    /// Numbers of articles and of fetched pages, and whether articles were skipped.
    type WalkResult = (usize, usize, bool);

    fn walk(pages: &[ListPage], max: u32, last: Option<i64>, known: &[&str]) -> WalkResult {
        let mut walk = Walk::new(&url("/p0"), max, last.map(at), at(100));
        let (mut fetched, mut articles) = (0, 0);
        while let Some(next) = walk.next_page().cloned() {
            let n = next.path().trim_start_matches("/p").parse::<usize>().unwrap_or(0);
            let is_old = |u: &Url| known.iter().any(|k| url(k) == *u);
            articles += walk.take(&next, &next, pages[n].clone(), is_old).len();
            fetched += 1;
        }
        (articles, fetched, walk.cut())
    }

    #[test]
    fn stops_at_limits_and_known_articles() {
        let three = [page(0..15, "/p1"), page(15..30, "/p2"), page(30..45, "")];
        let cases: [(&str, WalkResult, WalkResult); 12] = [
            ("never read", walk(&[page(0..23, "")], 1, None, &[]), (20, 1, true)),
            ("nineteen", walk(&[page(0..19, "")], 1, None, &[]), (19, 1, false)),
            ("fifteen days ago", walk(&[page(0..23, "")], 1, Some(85), &[]), (23, 1, false)),
            ("longer ago", walk(&[page(0..23, "")], 1, Some(84), &[]), (20, 1, true)),
            ("over pages", walk(&three, 9, None, &[]), (20, 2, true)),
            (
                "full at the end of a page",
                walk(&[page(0..20, "/p1")], 9, None, &[]),
                (20, 1, false),
            ),
            ("as many pages as allowed", walk(&three, 1, Some(99), &[]), (15, 1, false)),
            (
                "known articles end it",
                walk(&three, 9, Some(99), &["27", "28", "29"]),
                (30, 2, false),
            ),
            ("a pinned article does not", walk(&three, 9, Some(99), &["0"]), (45, 3, false)),
            ("one between new ones does not", walk(&three, 9, Some(99), &["20"]), (45, 3, false)),
            (
                "a page that leads to itself",
                walk(&[page(0..5, "/p0")], 9, None, &[]),
                (5, 1, false),
            ),
            ("all of them", walk(&three, 9, Some(99), &[]), (45, 3, false)),
        ];
        for (why, got, want) in cases {
            assert_eq!(got, want, "{why}");
        }
    }

    #[test]
    fn the_lower_limit_applies_after_fifteen_days() {
        let most = |ago: TimeDelta| Walk::new(&url("/"), 1, Some(at(100) - ago), at(100)).most;
        let days = TimeDelta::days;
        assert_eq!([days(14), days(15)].map(most), [MAX_EVER; 2]);
        assert_eq!(most(days(15) + TimeDelta::seconds(1)), MAX_ARTICLES);
    }

    #[test]
    fn an_old_date_in_the_list_ends_the_walk() {
        let first = page(0..3, "/p1");
        let fetched = |date: Time| {
            let mut first = first.clone();
            first.links[2].date = Some(date);
            walk(&[first, page(3..6, "")], 9, Some(99), &[]).1
        };
        // The last poll was at the start of day 99.
        let hour = TimeDelta::hours(1);
        assert_eq!([at(50), at(98), at(99) - hour].map(fetched), [1, 1, 1]);
        assert_eq!([at(99), at(99) + hour, at(100)].map(fetched), [2, 2, 2]);
    }

    #[test]
    fn an_old_date_in_an_article_ends_the_walk() {
        let more = |last: Option<i64>, dates: &[Time]| {
            let mut walk = Walk::new(&url("/p0"), 9, last.map(at), at(100));
            let found = walk.take(&url("/p0"), &url("/p0"), page(0..3, "/p1"), |_| false);
            assert_eq!((found.len(), walk.most_after(3)), (3, 27.min(walk.most)));
            walk.read(dates);
            walk.next_page().is_some()
        };
        assert!(!more(Some(99), &[at(100), at(50)]));
        assert!(more(Some(99), &[at(100)]) && more(Some(99), &[]));
        assert!(more(None, &[at(50)]), "a source that was never read has no last poll");
    }
}
