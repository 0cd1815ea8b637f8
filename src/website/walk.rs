//! Which list pages and articles one look wants: the limit of a first look, pagination, and where
//! it stops. Decisions only; the engine fetches what they say.

use super::list::{ListLink, ListPage};
use crate::model::Time;
use crate::util::url::normalise;
use chrono::TimeDelta;
use std::collections::HashSet;
use url::Url;

/// Articles of a look at a source that was never read, or not for long.
pub const MOST_ARTICLES: usize = 20;
/// A source that was read within this time has no limit.
const LATELY: TimeDelta = TimeDelta::days(15);
/// Articles of any look: a list that is all new to us is no news.
const MOST_EVER: usize = 200;

/// A walk through the pages of a list.
#[derive(Debug)]
pub struct Walk {
    most: usize,
    max_pages: u32,
    pages: u32,
    /// The last successful look, where the walk stops at what is older.
    since: Option<Time>,
    visited: HashSet<String>,
    seen: HashSet<String>,
    links: Vec<ListLink>,
    next: Option<Url>,
    /// Whether a link was left out for the limit.
    cut: bool,
}

impl Walk {
    /// A walk that begins at `start`; `last_ok` is when the source was last read successfully.
    pub fn new(start: &Url, max_pages: u32, last_ok: Option<Time>, now: Time) -> Self {
        let lately = last_ok.is_some_and(|at| now - at <= LATELY);
        Self {
            most: if lately { MOST_EVER } else { MOST_ARTICLES },
            max_pages,
            pages: 0,
            since: last_ok,
            visited: HashSet::new(),
            seen: HashSet::new(),
            links: Vec::new(),
            next: Some(start.clone()),
            cut: false,
        }
    }

    /// The page that is wanted next; `None` when the walk is over.
    pub fn next_page(&self) -> Option<&Url> {
        self.next.as_ref()
    }

    /// Takes a page in that was asked for at `asked` and answered at `answered`. `is_known` tells
    /// articles that need no request.
    pub fn take(
        &mut self,
        asked: &Url,
        answered: &Url,
        page: ListPage,
        is_known: impl Fn(&Url) -> bool,
    ) {
        self.pages += 1;
        self.visited.extend([normalise(asked), normalise(answered)]);
        let old = |link: &ListLink| match (link.date, self.since) {
            (Some(date), Some(since)) => date < since,
            (None, Some(_)) => is_known(&link.url),
            (_, None) => false,
        };
        let stop = page.links.iter().any(old);
        for link in page.links {
            if !self.seen.insert(normalise(&link.url)) {
                continue;
            }
            if self.links.len() == self.most {
                self.cut = true;
                break;
            }
            self.links.push(link);
        }
        let full = self.links.len() == self.most;
        let over = stop || full || self.pages >= self.max_pages;
        let next = page.next.filter(|url| !self.visited.contains(&normalise(url)));
        self.next = next.filter(|_| !over);
    }

    /// Ends the walk at a page that could not be read.
    pub fn give_up(&mut self) {
        self.next = None;
    }

    /// The articles in order, and whether some were left out for the limit.
    pub fn finish(self) -> (Vec<ListLink>, bool) {
        (self.links, self.cut)
    }
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

    /// A page of articles `/FROM` up to before `/TO`, leading to `next`.
    fn page(range: std::ops::Range<u32>, next: &str) -> ListPage {
        let links =
            range.map(|n| ListLink { url: url(&n.to_string()), title: String::new(), date: None });
        ListPage { links: links.collect(), next: (!next.is_empty()).then(|| url(next)) }
    }

    /// Articles, pages fetched, and whether some were left out.
    type Came = (usize, usize, bool);

    fn walk(pages: &[ListPage], max: u32, last: Option<i64>, known: &[&str]) -> Came {
        let mut walk = Walk::new(&url("/p0"), max, last.map(at), at(100));
        let mut fetched = 0;
        while let Some(next) = walk.next_page().cloned() {
            let n = next.path().trim_start_matches("/p").parse::<usize>().unwrap_or(0);
            walk.take(&next, &next, pages[n].clone(), |u| known.iter().any(|k| url(k) == *u));
            fetched += 1;
        }
        let (links, cut) = walk.finish();
        (links.len(), fetched, cut)
    }

    #[test]
    fn limits_and_ends() {
        let three = [page(0..15, "/p1"), page(15..30, "/p2"), page(30..45, "")];
        let cases: [(&str, Came, Came); 10] = [
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
            ("a known article ends it", walk(&three, 9, Some(99), &["20"]), (30, 2, false)),
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
    fn an_old_date_in_the_list_ends_it() {
        let mut first = page(0..3, "/p1");
        first.links[2].date = Some(at(50));
        assert_eq!(walk(&[first.clone(), page(3..6, "")], 9, Some(99), &[]).1, 1);
        first.links[2].date = Some(at(100));
        assert_eq!(walk(&[first, page(3..6, "")], 9, Some(99), &[]).1, 2);
    }
}
