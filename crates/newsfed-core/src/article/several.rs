//! Pages with several articles: selects the requested article.

use super::blocks::{self, Page};
use super::classes::ARTICLE;
use super::guided::Concepts;
use super::words::words;
use ego_tree::NodeId;
use scraper::Node;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Minimum similarity (share of common words) for a heading to match a title.
const SAME: f32 = 0.7;
/// Minimum share of the requested title's words for a page title to contain the requested title.
const CONTAINED: f32 = 0.8;
/// Minimum length of another article, in words.
const WORTH: usize = 20;
/// Minimum length of the part of a page that a fragment refers to, in words.
const NAMED: usize = 8;
/// Maximum number of boxes around a heading.
const MAX_LEVELS: usize = 12;
/// Maximum number of headings on a page.
const MAX_HEADINGS: usize = 50;

/// Information about the requested article.
pub(super) struct Wanted<'w> {
    pub(super) title: Option<&'w str>,
    pub(super) fragment: Option<&'w str>,
    pub(super) concepts: Option<&'w Concepts>,
    /// The titles that the page gives itself.
    pub(super) own_titles: &'w [String],
    /// Whether the page is a discussion or documentation, which is one text with many headings.
    pub(super) whole: bool,
}

/// The blocks of the requested article if a page contains several articles side by side; `None` if it
/// contains only one.
pub(super) fn meant(page: &Page<'_>, taken: &[bool], wanted: &Wanted<'_>) -> Option<Range<usize>> {
    let title: HashSet<String> = folded(wanted.title.unwrap_or_default());
    let of_page = || {
        let heading = (0..page.blocks.len()).find(|at| level(page, *at) == Some(1));
        let heading = heading.map(|at| page.text(at));
        let titles = wanted.own_titles.iter().map(String::as_str).chain(heading);
        titles.into_iter().any(|own| {
            let own = folded(own);
            let known = title.iter().filter(|word| own.contains(*word)).count();
            known as f32 >= CONTAINED * title.len() as f32
        })
    };
    if let Some(block) = wanted.fragment.and_then(|f| named(page, f))
        && let Some(range) = part_of(page, taken, block.clone())
        // If the page has the requested title, the fragment refers only to a section of the article.
        && (title.is_empty()
            || likeness(page.text(block.start), &title) >= SAME
            || !of_page())
    {
        return Some(range);
    }
    if wanted.whole {
        return None;
    }
    let mut best: Option<(f32, usize)> = None;
    for (at, block) in page.blocks.iter().enumerate() {
        if block.words > 40 || !is_heading(page, at) {
            continue;
        }
        let likeness = likeness(page.text(at), &title);
        if likeness >= SAME && best.is_none_or(|b| likeness > b.0) {
            best = Some((likeness, at));
        }
    }
    if let Some((_, block)) = best {
        let loose = !of_page();
        let range = article_around(page, taken, block, loose);
        // A page with the title of the article may contain other articles after it, but a section of the
        // article is not a separate article.
        let range = range.filter(|r| loose || is_post(page, r));
        return range.or_else(|| later_section(page, taken, block).filter(|_| loose));
    }
    by_concepts(page, taken, wanted.concepts?)
}

/// Used if no heading matches the title: the only article that contains most of the concepts.
fn by_concepts(page: &Page<'_>, taken: &[bool], concepts: &Concepts) -> Option<Range<usize>> {
    let headings = (0..page.blocks.len()).filter(|at| is_heading(page, *at));
    let mut articles: Vec<Range<usize>> = headings
        .take(MAX_HEADINGS)
        .filter_map(|at| article_around(page, taken, at, false))
        .collect();
    articles.dedup();
    let mut scored: Vec<(f32, Range<usize>)> =
        articles.into_iter().map(|a| (concepts.coverage(page, a.clone()), a)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    match scored.as_slice() {
        [first, second, ..] if first.0 >= 0.6 && second.0 < first.0 / 2.0 => Some(first.1.clone()),
        _ => None,
    }
}

/// The blocks of the element with a name, or the block that follows the name.
fn named(page: &Page<'_>, fragment: &str) -> Option<Range<usize>> {
    let fragment = percent_encoding::percent_decode_str(fragment).decode_utf8_lossy();
    if fragment.is_empty() {
        return None;
    }
    let root = page.elements.first()?.node;
    let named = root.descendants().find(|node| {
        let Node::Element(e) = node.value() else { return false };
        e.attr("id") == Some(&*fragment) || e.name() == "a" && e.attr("name") == Some(&*fragment)
    })?;
    if let Some(own) = page.elements.iter().find(|e| e.node.id() == named.id())
        && !own.blocks.is_empty()
    {
        return Some(own.blocks.clone());
    }
    // For an inline or empty element, use the block with the next text.
    let mut texts: HashMap<NodeId, usize> = HashMap::new();
    for at in 0..page.blocks.len() {
        texts.extend(page.nodes(at).iter().map(|node| (*node, at)));
    }
    let mut after = false;
    let block = root.descendants().find_map(|node| {
        after |= node.id() == named.id();
        if after { texts.get(&node.id()).copied() } else { None }
    })?;
    Some(block..block + 1)
}

/// The part of a page that belongs to named blocks: the article around them, the blocks themselves if there
/// are several, or the rest of the section if there is only a heading.
fn part_of(page: &Page<'_>, taken: &[bool], named: Range<usize>) -> Option<Range<usize>> {
    let text = |range: Range<usize>| {
        range.filter(|at| taken[*at]).map(|at| page.blocks[at].words).sum::<usize>()
    };
    let all = text(0..page.blocks.len());
    let part = |range: Range<usize>| {
        let own = text(range.clone());
        (own >= NAMED && own * 10 < all * 9).then_some(range)
    };
    if let Some(range) = article_around(page, taken, named.start, true) {
        return Some(range);
    }
    if named.len() > 1 {
        return part(named);
    }
    let own = level(page, named.start)?;
    let range = section(page, named.start)?;
    let same = |at: usize| level(page, at) == Some(own);
    let others = (0..named.start).any(same) || (range.end..page.blocks.len()).any(same);
    part(range).filter(|_| others)
}

/// The blocks from a heading to the next heading of the same or a higher level.
fn section(page: &Page<'_>, heading: usize) -> Option<Range<usize>> {
    let own = level(page, heading)?;
    let higher = |at: &usize| level(page, *at).is_some_and(|other| other <= own);
    let end = (heading + 1..page.blocks.len()).find(higher);
    Some(heading..end.unwrap_or(page.blocks.len()))
}

/// The section of a heading, if an earlier section has a heading of the same level. This excludes the title,
/// which may have that level but comes first.
fn later_section(page: &Page<'_>, taken: &[bool], heading: usize) -> Option<Range<usize>> {
    let own = level(page, heading)?;
    let text = |range: &Range<usize>| {
        range.clone().filter(|at| taken[*at]).map(|at| page.blocks[at].words).sum::<usize>()
            >= WORTH
    };
    let before = (0..heading).filter(|at| level(page, *at) == Some(own)).take(MAX_HEADINGS);
    let several = before.filter_map(|at| section(page, at)).any(|range| text(&range));
    section(page, heading).filter(|range| several && text(range))
}

/// The level of a heading.
fn level(page: &Page<'_>, block: usize) -> Option<u8> {
    let own = page.blocks[block].element;
    let mut names = page.around(own).take(3).map(|e| page.elements[e].name());
    let name = names.find(|name| blocks::is_heading(name))?;
    Some(name.as_bytes()[1] - b'0')
}

fn folded(text: &str) -> HashSet<String> {
    words(text).map(str::to_lowercase).collect()
}

/// Whether a heading leads to another page.
fn is_linked(page: &Page<'_>, heading: usize) -> bool {
    let block = &page.blocks[heading];
    if block.links == 0 && block.link_chars == 0 || block.link_chars * 10 < block.chars * 8 {
        return false;
    }
    let element = page.elements[block.element].node;
    let inner = element.descendent_elements().find(|e| e.value().name() == "a");
    let outer = || {
        element
            .ancestors()
            .filter_map(scraper::ElementRef::wrap)
            .take(4)
            .find(|e| e.value().name() == "a")
    };
    let link = inner.or_else(outer).and_then(|a| a.attr("href"));
    // A permalink of a heading does not lead to another page.
    link.is_some_and(|href| !href.contains('#'))
}

fn is_heading(page: &Page<'_>, block: usize) -> bool {
    level(page, block).is_some_and(|level| level < 6)
}

fn likeness(text: &str, wanted: &HashSet<String>) -> f32 {
    let own = folded(text);
    let common = own.intersection(wanted).count();
    common as f32 / (own.len() + wanted.len() - common).max(1) as f32
}

/// The article that contains a block, if there are other articles next to it: the box around the block that
/// has siblings of its kind, each with its own heading and text. With `loose`, the headings need not be links
/// and no dates are needed.
fn article_around(
    page: &Page<'_>,
    taken: &[bool],
    block: usize,
    loose: bool,
) -> Option<Range<usize>> {
    let mut around = page.around(page.blocks[block].element).take(MAX_LEVELS);
    let found = around.find(|at| {
        let own = &page.elements[*at];
        let Some(level) = article(page, taken, &own.blocks, loose) else { return false };
        let mut others = page.elements.iter().enumerate().filter(|(other, e)| {
            *other != *at
                && e.parent == own.parent
                && e.name() == own.name()
                && e.kinds == own.kinds
        });
        others.any(|(_, e)| {
            article(page, taken, &e.blocks, loose).is_some_and(|other| !loose || other == level)
        })
    });
    found.map(|at| page.elements[at].blocks.clone()).or_else(|| flat(page, block))
}

/// Whether a box is marked as an article by its name, or its heading links to another page.
fn is_post(page: &Page<'_>, range: &Range<usize>) -> bool {
    let named = |e: &blocks::Element<'_>| {
        e.blocks == *range && (e.name() == "article" || e.kinds & ARTICLE != 0)
    };
    page.elements.iter().any(named)
        || range
            .clone()
            .take(6)
            .find(|at| is_heading(page, *at))
            .is_some_and(|at| is_linked(page, at))
}

/// The heading level of a box that is a separate article: it has some text, and the heading is a link or
/// there is a date. With `loose`, a heading near its start and some text suffice.
fn article(page: &Page<'_>, taken: &[bool], range: &Range<usize>, loose: bool) -> Option<u8> {
    let own: usize = range.clone().filter(|at| taken[*at]).map(|at| page.blocks[at].words).sum();
    if own < if loose { NAMED } else { WORTH } {
        return None;
    }
    let heading = range.clone().take(6).find(|at| is_heading(page, *at))?;
    let dated = || {
        let mut near = range.start..(heading + 5).min(range.end);
        near.any(|at| page.blocks[at].time || super::page_date::is_date_line(page.text(at)))
    };
    let separate = loose || is_linked(page, heading) || dated();
    level(page, heading).filter(|_| separate)
}

/// The article below a heading if several articles follow each other in one box: up to the next linked
/// heading.
fn flat(page: &Page<'_>, block: usize) -> Option<Range<usize>> {
    let own = &page.blocks[block];
    let element = &page.elements[own.element];
    let is_like = |at: &usize| {
        let other = &page.elements[page.blocks[*at].element];
        is_linked(page, *at) && other.parent == element.parent && other.name() == element.name()
    };
    if !matches!(element.name(), "h1" | "h2" | "h3") || !is_like(&block) {
        return None;
    }
    let box_end = page.elements[element.parent].blocks.end;
    let next = (block + 1..box_end).find(is_like);
    let before = (page.elements[element.parent].blocks.start..block).any(|at| is_like(&at));
    let text = |range: Range<usize>| range.map(|at| page.blocks[at].words).sum::<usize>();
    let range = block..next.unwrap_or(box_end);
    let several = next.is_some() || before;
    (several && text(range.clone()) >= WORTH).then_some(range)
}
