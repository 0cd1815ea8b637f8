//! In which order links are asked for.

mod again;
mod focused;
mod kind;
mod learned;
mod sb;
mod simple;

pub use again::Again;
pub use focused::Focused;
pub use kind::Kind;
pub use learned::{Classifier, Learned};
pub use sb::{Judge, Sb, SbParameters};
pub use simple::{Omniscient, Simple, Turn};

use super::links::{LinkId, Links};
use super::targets::Class;
use std::collections::HashMap;

/// What to ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// The whole of it.
    Get(LinkId),
    /// Its headers only.
    Head(LinkId),
}

/// An answer that was read.
#[derive(Debug, Clone, Copy)]
pub struct Visit<'a> {
    /// What it was.
    pub class: Class,
    /// Whether the page is an article, where articles are looked for.
    pub article: bool,
    /// The links on it that were not seen before, in order.
    pub new: &'a [LinkId],
    /// All links on it, in order.
    pub all: &'a [LinkId],
}

impl Visit<'_> {
    /// Whether it was what is looked for.
    pub fn is_hit(&self) -> bool {
        self.class == Class::Target || self.article
    }
}

/// What a strategy knows beside its own memory.
pub struct Known<'a> {
    /// The links seen.
    pub links: &'a Links,
    /// Random numbers of this crawl.
    pub random: &'a mut fastrand::Rng,
}

/// Links of one kind: they stand at the same place of their pages, and their addresses are alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkGroup {
    /// Where they stand: `/html/body/ul.menu/li/a`.
    pub path: String,
    /// Their address, digits as one zero: `https://a.example/0/*.html`.
    pub template: String,
    /// How many were asked for.
    pub asked: u32,
    /// What is looked for among them, and on the pages they led to.
    pub found: u32,
}

impl LinkGroup {
    /// In words: `4 links at ul.menu li a to /files/*.csv led to 40`.
    pub fn words(&self) -> String {
        let tokens: Vec<String> = self.path.rsplit('/').take(ELEMENTS).map(selector).collect();
        let place: Vec<&str> = tokens.iter().rev().map(String::as_str).collect();
        let rest = self.template.split_once("://").map_or(self.template.as_str(), |(_, r)| r);
        let address = rest.find('/').map_or(rest, |at| &rest[at..]).trim_end_matches('.');
        let links = if self.asked == 1 { "link" } else { "links" };
        let place = match place.join(" ") {
            place if place.is_empty() => "the start".to_owned(),
            place => place,
        };
        format!("{} {links} at {place} to {address} led to {}", self.asked, self.found)
    }
}

/// Elements of a path that are told.
const ELEMENTS: usize = 3;

/// `ul.menu main#top` as `ul.menu#top`: the first class and the id say enough.
fn selector(token: &str) -> String {
    let (names, id) = token.split_once('#').unwrap_or((token, ""));
    let first = names.split(' ').next().unwrap_or_default();
    if id.is_empty() { first.to_owned() } else { format!("{first}#{id}") }
}

/// What a crawl has learned for the next one of the same site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lessons {
    /// Links that were asked for, in order, and whether they were what is looked for.
    pub labels: Vec<(LinkId, bool)>,
    /// Pages by number, and how often each has led to that.
    pub hubs: Vec<(LinkId, u32)>,
}

impl Lessons {
    fn of(labels: &[(LinkId, bool)], led: &HashMap<LinkId, u32>) -> Self {
        let mut hubs: Vec<(LinkId, u32)> = led.iter().map(|(hub, led)| (*hub, *led)).collect();
        hubs.sort_unstable();
        Self { labels: labels.to_vec(), hubs }
    }
}

/// An order of links.
pub trait Strategy {
    /// The next link to ask for; `None` when nothing is left that is worth it.
    fn next(&mut self, known: &mut Known<'_>) -> Option<Ask>;
    /// Takes in what a link was, and what it led to.
    fn answered(&mut self, link: LinkId, answer: &Visit<'_>, known: &mut Known<'_>);
    /// Which kinds of links have led to what is looked for, best first, at most `most`.
    fn link_groups(&self, _links: &Links, _most: usize) -> Vec<LinkGroup> {
        Vec::new()
    }
    /// What was learned that is of use when the site is polled again.
    fn lessons(&self) -> Lessons {
        Lessons::default()
    }
    /// Takes in what the headers of a link say it is.
    fn labelled(&mut self, _link: LinkId, _class: Class, _known: &mut Known<'_>) {}
}
