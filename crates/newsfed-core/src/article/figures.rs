//! Images inside an article are kept with their captions, even if no text in them was selected.

use super::blocks::{Element, Page};
use super::classes::{AD, FORM, NAV, SHARE, SIDEBAR};
use super::{from_html, picture};
use ego_tree::NodeId;
use scraper::ElementRef;
use std::cell::LazyCell;
use std::collections::HashSet;
use std::ops::Range;

/// Maximum length of a caption, in words.
const MAX_CAPTION: usize = 150;
/// Maximum length, in words, of text next to an image that may be left out.
const MAX_LEFT_OUT: usize = 40;
/// Maximum number of elements in a box that are searched for an image.
const MAX_SEARCHED: usize = 200;
/// Maximum number of boxes on a page that are searched.
const MAX_BOXES: usize = 2000;
/// Maximum number of blocks between a figure and the first selected block.
const BEFORE: usize = 6;
/// Maximum number of blocks between the heading and the first selected block.
const HEADING: usize = 12;

/// The boxes and captions that are kept although none of their text was selected.
#[derive(Default)]
pub(super) struct Kept {
    /// Boxes, by index.
    pub(super) boxes: HashSet<usize>,
    /// Text nodes of captions.
    pub(super) captions: HashSet<NodeId>,
}

impl Kept {
    /// Keeps the text of blocks, and the boxes around them.
    fn keep_blocks(&mut self, page: &Page<'_>, blocks: &[usize]) {
        for block in blocks {
            self.captions.extend(page.nodes(*block));
            for around in page.around(page.blocks[*block].element) {
                // The ancestors of a kept box are already kept.
                if !self.boxes.insert(around) {
                    break;
                }
            }
        }
    }
}

/// For each element, the depth of the innermost matching element: the element itself or one of its ancestors.
struct Marked(Vec<Option<usize>>);

impl Marked {
    fn of(page: &Page<'_>, is: fn(ElementRef<'_>) -> bool) -> Self {
        let mut depths: Vec<Option<usize>> = Vec::with_capacity(page.elements.len());
        for element in &page.elements {
            let around = depths.get(element.parent).copied().flatten();
            depths.push(if is(element.node) { Some(element.depth) } else { around });
        }
        Self(depths)
    }

    /// The blocks of a box that are inside a matching element: the box itself or one of its descendants.
    fn inside(&self, page: &Page<'_>, at: usize) -> Vec<usize> {
        let own = page.elements[at].depth;
        let depth = |block: &usize| self.0.get(page.blocks[*block].element).copied().flatten();
        let within = |block: &usize| depth(block).is_some_and(|depth| depth >= own);
        page.elements[at].blocks.clone().filter(within).collect()
    }
}

/// The box that contains the article's heading and `root`, if it has a figure between them or directly above
/// the heading. `first` is the first selected block.
pub(super) fn with_lead(page: &Page<'_>, root: usize, first: usize) -> usize {
    let is_title = |at: &usize| page.elements[page.blocks[*at].element].name() == "h1";
    let title = (first.saturating_sub(HEADING)..first).rev().find(is_title);
    let around = title.and_then(|title| {
        page.around(root).find(|around| page.elements[*around].blocks.contains(&title))
    });
    let Some(around) = around.filter(|around| *around != root) else { return root };
    let near = first.saturating_sub(BEFORE)..=first;
    let is_lead = |element: &Element<'_>| {
        element.name() == "figure"
            && near.contains(&element.blocks.start)
            && element.blocks.end <= first
    };
    if page.elements[around + 1..root].iter().any(is_lead) { around } else { root }
}

/// The images between the first and the last selected block inside `root`. `sums` are the numbers of selected
/// blocks before each block.
pub(super) fn kept(page: &Page<'_>, root: usize, sums: &[usize], range: Range<usize>) -> Kept {
    let mut kept = Kept::default();
    let within = page.elements[root].blocks.clone();
    // The captions are computed lazily, because most pages have no figure with a caption.
    let captions = LazyCell::new(|| Marked::of(page, from_html::is_caption));
    let credits = LazyCell::new(|| Marked::of(page, from_html::is_credit));
    let mut left = MAX_BOXES;
    let mut after = 0;
    for at in root + 1..page.elements.len() {
        let element = &page.elements[at];
        let blocks = &element.blocks;
        // Boxes come after their ancestors. Boxes in a box that was already handled are skipped.
        if at < after || blocks.start < within.start || blocks.end > within.end {
            continue;
        }
        let emptied = !blocks.is_empty() && sums[blocks.end] == sums[blocks.start];
        let figure = element.name() == "figure";
        if figure && !emptied && !blocks.is_empty() {
            let captions = captions.inside(page, at);
            if !captions.is_empty() {
                kept.keep_blocks(page, &captions);
                kept.keep_blocks(page, &credits.inside(page, at));
            }
        }
        let near = range.start.saturating_sub(if figure { BEFORE } else { 0 });
        if !emptied || blocks.start < near || blocks.end > range.end || left == 0 {
            continue;
        }
        left -= 1;
        let next = (at + 1..page.elements.len())
            .find(|e| page.elements[*e].depth <= element.depth)
            .unwrap_or(page.elements.len());
        if !figure && is_apart(page, at) {
            after = next;
            continue;
        }
        let words: usize = page.blocks[blocks.clone()].iter().map(|b| b.words).sum();
        let captions = captions.inside(page, at);
        let in_captions: usize = captions.iter().map(|c| page.blocks[*c].words).sum();
        // Rows of linked images lead to other articles.
        let titles = captions.is_empty() || in_captions >= 3 * captions.len();
        let links = titles && !(figure && captions.len() == 1) && is_of_links(page, blocks);
        let too_much =
            in_captions > MAX_CAPTION * captions.len().max(1) || words - in_captions > MAX_LEFT_OUT;
        if links && captions.len() > 1 {
            after = next;
        }
        // If a script loads an image, the page contains only its caption.
        let captioned = figure && !captions.is_empty() && contains_image(element.node);
        if too_much || links || !(captioned || picture::is_in(element.node, MAX_SEARCHED)) {
            continue;
        }
        after = next;
        kept.boxes.extend(at..after);
        kept.boxes.extend(page.around(element.parent));
        kept.captions.extend(captions.iter().flat_map(|c| page.nodes(*c)));
        if !captions.is_empty() {
            kept.keep_blocks(page, &credits.inside(page, at));
        }
    }
    kept
}

fn contains_image(element: ElementRef<'_>) -> bool {
    element.descendent_elements().take(MAX_SEARCHED).any(|e| e.value().name() == "img")
}

/// Whether the name or kind of a box shows that it is not part of the text around it.
fn is_apart(page: &Page<'_>, at: usize) -> bool {
    let element = &page.elements[at];
    matches!(element.name(), "aside" | "nav" | "footer" | "form" | "header")
        || element.kinds & (AD | FORM | NAV | SHARE | SIDEBAR) != 0
}

fn is_of_links(page: &Page<'_>, blocks: &Range<usize>) -> bool {
    let sum = |of: fn(&super::blocks::Block) -> usize| -> usize {
        page.blocks[blocks.clone()].iter().map(of).sum()
    };
    sum(|b| b.link_chars) * 2 > sum(|b| b.chars)
}

/// The number of selected blocks before each block, and in total.
pub(super) fn sums(taken: &[bool]) -> Vec<usize> {
    let mut sums = vec![0];
    sums.extend(taken.iter().scan(0, |sum, taken| {
        *sum += usize::from(*taken);
        Some(*sum)
    }));
    sums
}

#[cfg(test)]
mod tests {
    use super::super::{Guide, Mode, extract};

    /// Reading this page would take minutes if the ancestors of each block were examined for each figure.
    #[test]
    fn reads_nested_figures_once() {
        let text = "<p>The council has decided to rebuild the old bridge, which was closed two winters ago, it said.</p>";
        let class = "a-b_c ".repeat(40);
        let open = format!("<figure class='{class}'>").repeat(150);
        let page = format!(
            "<html><body><h1>The bridge</h1>{open}{}<figcaption>The old bridge</figcaption></body></html>",
            text.repeat(300)
        );
        let found = extract(&page, &Guide::default(), Mode::Auto, None).unwrap();
        assert!(found.text.matches("The council").count() >= 290);
    }

    #[test]
    fn keeps_the_figure_between_heading_and_text() {
        let text = "<p>The council has decided to rebuild the old bridge, which was closed two winters ago, it said.</p>";
        let figure = |name: &str| {
            format!(
                "<figure><img src=/{name}.jpg width=800 height=400><figcaption>The old {name} in the \
                 winter</figcaption></figure>"
            )
        };
        let page = |above: &str, below: &str| {
            let page = format!(
                "<div>{}<h2>Other</h2></div><div><div>{above}<h1>The bridge</h1><div>By Ann</div>{below}</div><div \
                 class=body>{}</div></div>",
                figure("harbour"),
                text.repeat(5)
            );
            let document = extract(&page, &Guide::default(), Mode::Auto, None).unwrap().document;
            let markdown = document.markdown();
            assert!(!markdown.contains("harbour") && !markdown.contains("Ann"), "{markdown}");
            markdown.matches("The old bridge in the winter").count()
        };
        assert_eq!(page("", ""), 0);
        assert_eq!(page("", &figure("bridge")), 1);
        assert_eq!(page(&figure("bridge"), ""), 1);
    }
}
