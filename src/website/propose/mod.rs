//! Selectors for a page that nobody has written any for.
//!
//! Every link of a page gets the selectors that would find it by its tags and lasting names
//! ([`names`]), and a measure of how much like the link to an article it is ([`likeness`]).
//! Links that share a selector are a group; what counts of a group is what its links are worth
//! together, so that a link too many costs as a link too few does. The best groups that differ are
//! the proposals.

mod groups;
mod likeness;
mod links;
mod names;
mod pages;
mod parts;

pub(super) use names::{around, classes, cost, is_heading, lasts, tag};
pub use pages::next_selector;
pub use parts::{Sample, article_rules};

use super::list::{ListLink, list_page};
use super::page::Page;
use super::selector::Selectors;
use crate::util::url::normalise;
use std::collections::HashSet;

/// Proposals for one page.
pub const MOST_PROPOSALS: usize = 5;
/// Groups whose selectors are tried on the page.
const MOST_TRIED: usize = 30;
/// Share of common links from which two groups are one.
const ALIKE: f64 = 0.8;

/// A way to read a page as a list of articles.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// Selector of the links to articles.
    pub articles: String,
    /// Selector of the link to the next page, where there is one.
    pub next: Option<String>,
    /// What the selector finds now.
    pub items: Vec<ListLink>,
    /// How sure it is that these are the articles, 0 to 1.
    pub confidence: f64,
}

/// Proposes selectors for the links to articles, best first; empty where the page is no list.
pub fn propose(page: &Page) -> Vec<Proposal> {
    let links = links::gather(page);
    let next = next_selector(page);
    let mut proposals: Vec<Proposal> = Vec::new();
    let mut sets: Vec<HashSet<String>> = Vec::new();
    for group in groups::ranked(&links).into_iter().take(MOST_TRIED) {
        let Ok(selectors) = Selectors::parse(&group.selector) else { continue };
        // The selector is what will be used, so what it finds is what counts.
        let mut items = list_page(page, &selectors, None).links;
        for item in &mut items {
            // Links that say "read more" are called by the headline of their block.
            let named = links.iter().find(|link| link.url == item.url && link.text != item.title);
            if let Some(link) = named.filter(|_| likeness::says_nothing(&item.title)) {
                item.title.clone_from(&link.text);
            }
        }
        let set: HashSet<String> = items.iter().map(|item| normalise(&item.url)).collect();
        if set.len() < groups::LEAST || sets.iter().any(|other| share(&set, other) >= ALIKE) {
            continue;
        }
        let confidence = group.confidence;
        proposals.push(Proposal {
            articles: group.selector,
            next: next.clone(),
            items,
            confidence,
        });
        sets.push(set);
        if proposals.len() == MOST_PROPOSALS {
            break;
        }
    }
    proposals
}

/// Common members of two sets by all members (Jaccard's index).
fn share(a: &HashSet<String>, b: &HashSet<String>) -> f64 {
    let common = a.intersection(b).count();
    common as f64 / (a.len() + b.len() - common).max(1) as f64
}
