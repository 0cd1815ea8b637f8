//! Proposes selectors for a page that has none.
//!
//! Every link of a page gets the selectors that would find it by its tags and stable names (`names`), and a
//! measure of how likely it is to lead to an article (`likeness`). Links that share a selector form a
//! group. A group is rated by a sum over its links, so that a superfluous link costs as much as a missing
//! one. The best groups that differ from each other are the proposals.

mod candidates;
mod groups;
mod labels;
mod likeness;
mod links;
mod names;
mod pages;
mod parts;
#[cfg(test)]
mod tests;

pub(super) use labels::name;
pub(super) use likeness::{is_no_title, named_after};
pub(crate) use links::is_file;
pub(super) use links::{Region, region, title_in};
pub(super) use names::{around, classes, cost, is_heading, lasts, tag};
pub use pages::next_selector;
pub use parts::{Sample, article_rules};

use super::list::{ListLink, list_page_with_summaries, undated_links};
use super::page::Page;
use super::selector::Selectors;
use crate::util::url::normalise;
use std::collections::HashSet;

/// Maximum number of proposals for one page.
pub const MAX_PROPOSALS: usize = 5;
/// Maximum number of groups whose selectors are applied to the page.
const MAX_TRIED: usize = 30;
/// Minimum share of common links at which two groups count as the same.
const ALIKE: f64 = 0.8;

/// A way to read a page as a list of articles.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// Selector of the links to articles.
    pub articles: String,
    /// Selector of the link to the next page.
    pub next: Option<String>,
    /// The links that the selector finds now.
    pub items: Vec<ListLink>,
    /// Confidence that these are the articles, 0 to 1.
    pub confidence: f64,
}

/// Proposes selectors for the links to articles, best first; empty if the page is not a list.
pub fn propose(page: &Page) -> Vec<Proposal> {
    let links = links::gather(page);
    let next = next_selector(page);
    let mut proposals: Vec<Proposal> = Vec::new();
    let mut sets: Vec<HashSet<String>> = Vec::new();
    for group in groups::ranked(&links).into_iter().take(MAX_TRIED) {
        let Ok(selectors) = Selectors::parse(&group.selector) else { continue };
        if selectors.check(page.tree()).is_err() {
            continue;
        }
        // The selector itself will be used, so the links that it finds are what counts.
        let found = undated_links(page, &selectors);
        let set: HashSet<String> = found.iter().map(|item| normalise(&item.url)).collect();
        if set.len() < groups::MIN || sets.iter().any(|other| share(&set, other) >= ALIKE) {
            continue;
        }
        let items = list_page_with_summaries(page, &selectors, None).links;
        let confidence = group.confidence;
        proposals.push(Proposal {
            articles: group.selector,
            next: next.clone(),
            items,
            confidence,
        });
        sets.push(set);
        if proposals.len() == MAX_PROPOSALS {
            break;
        }
    }
    proposals
}

/// The number of common members of two sets, divided by the number of all members (Jaccard index).
fn share(a: &HashSet<String>, b: &HashSet<String>) -> f64 {
    let common = a.intersection(b).count();
    common as f64 / (a.len() + b.len() - common).max(1) as f64
}
