//! The titles of links whose own text is not a title, such as "read more".

use super::likeness::{is_named_after, is_no_title};
use super::links::{LONGEST_DATE, MAX_TEXT, NEAR, SHARED, above, is_date, targets, title_in};
use super::names::is_heading;
use crate::util::html::tree::text_up_to;
use crate::util::text;
use crate::website::card;
use crate::website::list::ListLink;
use crate::website::page::Page;
use ego_tree::NodeId;
use scraper::{ElementRef, Node};
use std::collections::{HashMap, HashSet};
use url::Url;

/// A text that at least this many links of a list have, such as "To the article", is not a title.
const MIN_REPEATED: usize = 3;

/// Replaces link texts that are not titles by the headlines of their blocks. `rows` are the elements of the
/// links.
pub(in crate::website) fn name(page: &Page, links: &mut [ListLink], rows: &[ElementRef<'_>]) {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    links.iter().for_each(|link| *counts.entry(&link.title).or_default() += 1);
    let is_repeated = |link: &ListLink| counts.get(link.title.as_str()) >= Some(&MIN_REPEATED);
    let unnamed: Vec<(usize, bool)> = links
        .iter()
        .enumerate()
        .filter(|(_, link)| is_no_title(&link.title) || is_repeated(link))
        .map(|(at, link)| (at, is_no_title(&link.title)))
        .collect();
    if unnamed.is_empty() {
        return;
    }
    let all = targets(page);
    let blocks =
        Blocks::read(page.tree().root_element(), all.iter().map(|(e, _, key)| (*e, key.as_str())));
    for (at, is_empty) in unnamed {
        let (Some(link), Some(row)) = (links.get_mut(at), rows.get(at)) else { continue };
        let named = match is_empty {
            true => Some(blocks.label(*row, &link.url)),
            false => blocks.beside(*row, &link.url, &link.title),
        };
        if let Some(title) = named {
            link.title = title;
        }
    }
}

/// The text of a link, of its title attribute, or of its image.
fn label(link: ElementRef<'_>, url: &Url) -> String {
    let text = title_in(link, url, MAX_TEXT);
    if !text.is_empty() {
        return text;
    }
    let picture = link.descendent_elements().find_map(|e| e.attr("alt"));
    let name = link.attr("title").or(picture).or(link.attr("aria-label"));
    text::line(name.unwrap_or_default())
}

/// The contents of a page's blocks.
pub(super) struct Blocks {
    dates: HashSet<NodeId>,
    addresses: HashMap<NodeId, usize>,
    /// Number of headings in each block.
    headings: HashMap<NodeId, usize>,
}

impl Blocks {
    pub(super) fn read<'a>(
        root: ElementRef<'a>,
        links: impl Iterator<Item = (ElementRef<'a>, &'a str)>,
    ) -> Self {
        let mut dates = HashSet::new();
        let mut headings: HashMap<NodeId, usize> = HashMap::new();
        for node in root.descendants() {
            if let Some(heading) = ElementRef::wrap(node).filter(|e| is_heading(e.value().name())) {
                for block in above(heading).take(NEAR) {
                    *headings.entry(block.id()).or_default() += 1;
                }
            }
            let element = match node.value() {
                Node::Element(tag) if tag.name() == "time" => ElementRef::wrap(node),
                Node::Text(text) if is_date(text) => node.parent().and_then(ElementRef::wrap),
                _ => None,
            };
            if let Some(element) = element {
                dates.insert(element.id());
                dates.extend(above(element).take(NEAR).map(|e| e.id()));
            }
        }
        let mut addresses: HashMap<NodeId, HashSet<&str>> = HashMap::new();
        for (link, key) in links {
            for element in std::iter::once(link).chain(above(link).take(NEAR)) {
                addresses.entry(element.id()).or_default().insert(key);
            }
        }
        let addresses = addresses.into_iter().map(|(id, set)| (id, set.len())).collect();
        Self { dates, addresses, headings }
    }

    /// The label of a link: its own text, or, if that is uninformative ("read more"), the heading or the
    /// longest link in its block.
    pub(super) fn label(&self, link: ElementRef<'_>, url: &Url) -> String {
        let own = label(link, url);
        if !is_no_title(&own) {
            // The text may be a date, or "more on this", below a headline without a link.
            let short = own.len() <= LONGEST_DATE && !is_named_after(url, &own);
            let headline = if short { self.headline(link) } else { None };
            return headline.filter(|text| is_named_after(url, text)).unwrap_or(own);
        }
        self.beside(link, url, &own).unwrap_or(own)
    }

    /// The heading or the longest link in the block of a link whose own text is not a title.
    fn beside(&self, link: ElementRef<'_>, url: &Url, own: &str) -> Option<String> {
        let alone = |e: &ElementRef<'_>| self.addresses.get(&e.id()).is_some_and(|n| *n == 1);
        let block = above(link).take(NEAR).take_while(alone).last();
        let found = block.and_then(|block| {
            let within = || block.descendent_elements();
            let heading = within().find(|e| is_heading(e.value().name()));
            let links = within().filter(|e| e.value().name() == "a");
            heading.or_else(|| links.max_by_key(|e| text_up_to(*e, MAX_TEXT).len()))
        });
        let found = found.map(|e| text::line(&text_up_to(e, MAX_TEXT)));
        let found = found.filter(|text| !is_no_title(text) && text != own);
        let of_card = || Some(card::title(block?, Some(url))?.text);
        found.or_else(of_card).or_else(|| self.headline(link))
    }

    /// The only heading of a row that has other links, unless it is itself linked.
    fn headline(&self, link: ElementRef<'_>) -> Option<String> {
        let count = |e: &ElementRef<'_>| self.headings.get(&e.id()).copied().unwrap_or(0);
        let row = above(link).take(NEAR).find(|e| count(e) > 0).filter(|e| count(e) == 1)?;
        let heading = row.descendent_elements().find(|e| is_heading(e.value().name()))?;
        let linked = heading.descendent_elements().chain(above(heading).take(3));
        if linked.into_iter().any(|e| e.value().name() == "a") {
            return None;
        }
        Some(text::line(&text_up_to(heading, MAX_TEXT))).filter(|t| !t.is_empty())
    }

    pub(super) fn is_dated(&self, link: ElementRef<'_>) -> bool {
        let mut blocks = std::iter::once(link).chain(above(link).take(NEAR));
        let own = |e: &ElementRef<'_>| self.addresses.get(&e.id()).is_some_and(|n| *n <= SHARED);
        blocks.by_ref().take_while(own).any(|e| self.dates.contains(&e.id()))
    }
}
