//! Strategies: the order in which links are fetched.

mod by_path;
mod dom_off;
mod focused;
mod kind;
mod learned;
mod revisit;
mod simple;
mod sleeping_bandit;
mod triage;

pub use dom_off::DomOff;
pub use focused::Focused;
pub use kind::Kind;
pub use learned::{Classifier, LearnedStrategy};
pub use revisit::Revisits;
pub use simple::{Omniscient, Simple, Turn};
pub use sleeping_bandit::{SleepingBandit, SleepingBanditParameters};
pub use triage::{Judge, Truth};

use super::links::{LinkId, Links};
use super::targets::Class;
use std::collections::HashMap;

/// The next request of a crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextRequest {
    /// A GET request.
    Get(LinkId),
    /// A HEAD request.
    Head(LinkId),
}

/// The result of a GET request.
#[derive(Debug, Clone, Copy)]
pub struct Visit<'a> {
    pub class: Class,
    /// Whether the page is an article, if the crawl searches for articles.
    pub article: bool,
    /// The new links on the page, in order.
    pub new: &'a [LinkId],
    /// All links on the page, in order.
    pub all: &'a [LinkId],
}

impl Visit<'_> {
    /// Whether the link led to a target.
    pub fn is_hit(&self) -> bool {
        self.class == Class::Target || self.article
    }
}

/// What a strategy may use in addition to its own state.
pub struct Known<'a> {
    /// All links seen so far.
    pub links: &'a Links,
    /// Random numbers for this crawl.
    pub random: &'a mut fastrand::Rng,
}

/// A group of links with similar URLs that are in the same position on their pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkGroup {
    /// The position, such as `/html/body/ul.menu/li/a`.
    pub path: String,
    /// The URL pattern with each run of digits replaced by a zero: `https://a.example/0/*.html`.
    pub url_pattern: String,
    /// Number of fetched links.
    pub fetched: u32,
    /// Number of targets among the links and on the pages that they led to.
    pub found: u32,
}

impl LinkGroup {
    /// A readable summary: `4 links at ul.menu li a to /files/*.csv led to 40 targets`.
    pub fn describe(&self) -> String {
        let tokens: Vec<String> = self.path.rsplit('/').take(ELEMENTS).map(selector).collect();
        let place: Vec<&str> = tokens.iter().rev().map(String::as_str).collect();
        let pattern = self.url_pattern.as_str();
        let rest = pattern.split_once("://").map_or(pattern, |(_, rest)| rest);
        let address = rest.find('/').map_or(rest, |at| &rest[at..]).trim_end_matches('.');
        let links = if self.fetched == 1 { "link" } else { "links" };
        let place = match place.join(" ") {
            place if place.is_empty() => "the start".to_owned(),
            place => place,
        };
        let targets = if self.found == 1 { "target" } else { "targets" };
        let (fetched, found) = (self.fetched, self.found);
        format!("{fetched} {links} at {place} to {address} led to {found} {targets}")
    }
}

/// Number of path elements that are shown.
const ELEMENTS: usize = 3;

/// Shortens `ul.menu main#top` to `ul.menu#top`, because the first class and the id suffice.
fn selector(token: &str) -> String {
    let (names, id) = token.split_once('#').unwrap_or((token, ""));
    let first = names.split(' ').next().unwrap_or_default();
    if id.is_empty() { first.to_owned() } else { format!("{first}#{id}") }
}

/// What a crawl has learned, for the next crawl of the same site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lessons {
    /// Fetched links in order, and whether they were targets.
    pub labels: Vec<(LinkId, bool)>,
    /// Pages by id, and the number of targets that each has led to.
    pub hubs: Vec<(LinkId, u32)>,
}

impl Lessons {
    fn of(labels: &[(LinkId, bool)], led: &HashMap<LinkId, u32>) -> Self {
        let mut hubs: Vec<(LinkId, u32)> = led.iter().map(|(hub, led)| (*hub, *led)).collect();
        hubs.sort_unstable();
        Self { labels: labels.to_vec(), hubs }
    }
}

/// The order in which links are fetched.
pub trait Strategy {
    /// Returns the next request; `None` if no worthwhile link is left.
    fn next(&mut self, known: &mut Known<'_>) -> Option<NextRequest>;
    /// Records the response to a link, and the links on it.
    fn visited(&mut self, link: LinkId, visit: &Visit<'_>, known: &mut Known<'_>);
    /// The groups of links that have led to targets, best first, at most `most` groups.
    fn link_groups(&self, _links: &Links, _most: usize) -> Vec<LinkGroup> {
        Vec::new()
    }
    /// Returns what was learned, for the next crawl of the site.
    fn lessons(&self) -> Lessons {
        Lessons::default()
    }
    /// Records the class of a link according to its headers.
    fn labelled(&mut self, _link: LinkId, _class: Class, _known: &mut Known<'_>) {}
    /// The class that was predicted for the link of the last GET request; `None` if there was no
    /// prediction.
    fn predicted(&self) -> Option<Class> {
        None
    }
}
