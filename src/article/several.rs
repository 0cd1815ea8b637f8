//! Pages with several articles: selects the requested one.

use super::blocks::Page;
use super::guided::Concepts;
use super::words::words;
use std::collections::HashSet;
use std::ops::Range;

/// Similarity from which a heading equals a title (share of common words).
const SAME: f32 = 0.7;
/// Minimum length of another article's box, in words.
const WORTH: usize = 20;
/// Maximum number of boxes around a heading, and of headings on a page.
const MAX_LEVELS: usize = 12;
const MAX_HEADINGS: usize = 50;

/// The blocks of the requested article if a page contains several articles side by side; `None` if
/// it contains one.
pub(super) fn meant(
    page: &Page<'_>,
    taken: &[bool],
    title: Option<&str>,
    fragment: Option<&str>,
    concepts: Option<&Concepts>,
) -> Option<Range<usize>> {
    let by_fragment = fragment.filter(|f| !f.is_empty()).and_then(|f| named(page, f));
    if let Some(range) = by_fragment.and_then(|block| article_around(page, taken, block)) {
        return Some(range);
    }
    let wanted: HashSet<String> = words(title.unwrap_or_default()).map(str::to_lowercase).collect();
    let mut best: Option<(f32, usize)> = None;
    for (at, block) in page.blocks.iter().enumerate() {
        if block.words > 40 || !is_heading(page, at) {
            continue;
        }
        let likeness = likeness(page.text(at), &wanted);
        if likeness >= SAME && best.is_none_or(|b| likeness > b.0) {
            best = Some((likeness, at));
        }
    }
    if let Some((_, block)) = best {
        return article_around(page, taken, block);
    }
    by_concepts(page, taken, concepts?)
}

/// Without a heading of that name: the only article that contains most of the concepts.
fn by_concepts(page: &Page<'_>, taken: &[bool], concepts: &Concepts) -> Option<Range<usize>> {
    let headings = (0..page.blocks.len()).filter(|at| is_heading(page, *at));
    let mut articles: Vec<Range<usize>> =
        headings.take(MAX_HEADINGS).filter_map(|at| article_around(page, taken, at)).collect();
    articles.dedup();
    let mut scored: Vec<(f32, Range<usize>)> =
        articles.into_iter().map(|a| (concepts.coverage(page, a.clone()), a)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    match scored.as_slice() {
        [first, second, ..] if first.0 >= 0.6 && second.0 < first.0 / 2.0 => Some(first.1.clone()),
        _ => None,
    }
}

fn named(page: &Page<'_>, fragment: &str) -> Option<usize> {
    let element = page.elements.iter().find(|e| e.node.attr("id") == Some(fragment))?;
    (!element.blocks.is_empty()).then_some(element.blocks.start)
}

fn is_heading(page: &Page<'_>, block: usize) -> bool {
    let own = page.blocks[block].element;
    page.around(own)
        .take(3)
        .any(|e| matches!(page.elements[e].name(), "h1" | "h2" | "h3" | "h4" | "h5"))
}

fn likeness(text: &str, wanted: &HashSet<String>) -> f32 {
    let own: HashSet<String> = words(text).map(str::to_lowercase).collect();
    let common = own.intersection(wanted).count();
    common as f32 / (own.len() + wanted.len() - common).max(1) as f32
}

/// The article that contains a block, if there are other articles beside it: the box around the
/// block that has siblings of its kind, each with its own heading and text.
fn article_around(page: &Page<'_>, taken: &[bool], block: usize) -> Option<Range<usize>> {
    let mut around = page.around(page.blocks[block].element).take(MAX_LEVELS);
    let found = around.find(|at| {
        let own = &page.elements[*at];
        let siblings = page.elements.iter().enumerate().filter(|(other, e)| {
            *other != *at
                && e.parent == own.parent
                && e.name() == own.name()
                && e.kinds == own.kinds
                && is_article(page, taken, &e.blocks)
        });
        is_article(page, taken, &own.blocks) && siblings.take(1).count() > 0
    });
    found.map(|at| page.elements[at].blocks.clone()).or_else(|| flat(page, block))
}

/// Whether a box is a separate article: a linked heading, or a heading and a date, and some text.
fn is_article(page: &Page<'_>, taken: &[bool], range: &Range<usize>) -> bool {
    let own: usize = range.clone().filter(|at| taken[*at]).map(|at| page.blocks[at].words).sum();
    if own < WORTH {
        return false;
    }
    let mut headings = range.clone().take(6).filter(|at| is_heading(page, *at));
    let Some(heading) = headings.next() else { return false };
    let block = &page.blocks[heading];
    let linked = block.link_chars * 10 >= block.chars * 8;
    let dated = || {
        let near = range.start..(heading + 5).min(range.end);
        near.into_iter()
            .any(|at| page.blocks[at].time || super::page_date::is_date_line(page.text(at)))
    };
    linked || dated()
}

/// Articles that follow each other in one box: from one linked heading to the next.
fn flat(page: &Page<'_>, block: usize) -> Option<Range<usize>> {
    let own = &page.blocks[block];
    let element = &page.elements[own.element];
    let is_like = |at: &usize| {
        let other = &page.elements[page.blocks[*at].element];
        let linked = page.blocks[*at].link_chars * 10 >= page.blocks[*at].chars * 8;
        linked && other.parent == element.parent && other.name() == element.name()
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
