//! The position of a date on a page: with the article, or among comments and other articles.

use crate::article::blocks::Page;
use crate::article::classes::{self, COMMENT, FOOTER, FORM, Kinds, NAV, RELATED, SIDEBAR};
use ego_tree::NodeId;
use scraper::ElementRef;
use std::collections::{HashMap, HashSet};

/// Kinds of boxes whose dates rarely belong to the article.
const APART: Kinds = RELATED | SIDEBAR | FOOTER | NAV | FORM;

/// Maximum number of ancestors of an element that are inspected.
const MAX_LEVELS: usize = 40;

/// How far a date is from the usual position of the article's date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Apart {
    No,
    /// In a footer, a sidebar or a similar box, given by its node. The box may belong to the article, unless
    /// it contains dates of several days.
    Beside(Option<NodeId>),
    /// Among comments, or in a quotation.
    Other,
}

impl Apart {
    /// The amount by which the score of the date is reduced.
    pub(super) fn penalty(self) -> f32 {
        match self {
            Self::No => 0.0,
            Self::Beside(_) => 16.0,
            Self::Other => 60.0,
        }
    }
}

/// Positions of elements on the page.
pub(super) struct Places {
    /// The ancestors of the heading and of the first selected block.
    around: HashSet<NodeId>,
    /// The block of the heading, or the first selected block if there is no heading.
    pub(super) heading: Option<usize>,
    /// The first selected block.
    first: Option<usize>,
    /// The last selected block.
    pub(super) last: Option<usize>,
    /// Whether each block is below a heading such as "Read next".
    linked: Vec<bool>,
    /// Index of the box of each element.
    boxes: HashMap<NodeId, usize>,
}

impl Places {
    pub(super) fn of(page: &Page<'_>, taken: &[bool]) -> Self {
        let first = taken.iter().position(|t| *t);
        let last = taken.iter().rposition(|t| *t);
        let headings = (0..page.blocks.len()).filter(|at| {
            let element = page.blocks[*at].element;
            page.around(element).take(3).any(|e| page.elements[e].name() == "h1")
        });
        // The nearest heading, preferably one above the start of the article.
        let headings: Vec<usize> = headings.take(50).collect();
        let near = |at: &&usize| {
            first.map_or(0, |f| if **at <= f + 2 { f + 2 - **at } else { 3 * (**at - f) })
        };
        let heading = headings.iter().min_by_key(near).copied();
        let mut around = HashSet::new();
        for at in [heading, first].into_iter().flatten() {
            let nodes = page.around(page.blocks[at].element).map(|e| page.elements[e].node.id());
            around.extend(nodes);
        }
        let boxes = page.elements.iter().enumerate().map(|(at, e)| (e.node.id(), at)).collect();
        Self { around, heading: heading.or(first), first, last, linked: linked(page, first), boxes }
    }

    /// Whether a block is below a heading such as "Read next".
    pub(super) fn is_linked(&self, block: usize) -> bool {
        self.linked.get(block).is_some_and(|l| *l)
    }

    /// Whether a box is apart from the article: among comments, related articles or navigation.
    pub(super) fn apart(&self, page: &Page<'_>, element: usize) -> Apart {
        let element =
            page.around(element).find(|e| self.boxes.contains_key(&page.elements[*e].node.id()));
        element.map_or(Apart::No, |e| self.surroundings(page, page.elements[e].node).0)
    }

    /// Kinds that mean little in combination with others: `entry-footer` contains the date of the entry.
    fn mixed(&self, kinds: Kinds) -> Kinds {
        if kinds & (classes::META | classes::ARTICLE) != 0 && kinds & COMMENT == 0 {
            FOOTER | if kinds & classes::META != 0 { RELATED } else { 0 }
        } else {
            0
        }
    }

    /// What the boxes around an element reveal, except those that also surround the article: whether the
    /// element is apart from the article, and the words of their class names.
    pub(super) fn surroundings(&self, page: &Page<'_>, element: ElementRef<'_>) -> (Apart, String) {
        let mut words = String::new();
        let mut apart = Apart::No;
        let early = self.block(page, element).zip(self.first).is_some_and(|(at, first)| at < first);
        let up = std::iter::successors(Some(element), |e| e.parent().and_then(ElementRef::wrap));
        for element in up.take(MAX_LEVELS) {
            if self.around.contains(&element.id()) || element.value().name() == "body" {
                break;
            }
            for name in ["class", "id", "itemprop", "property"] {
                if let Some(value) = element.attr(name).filter(|_| words.len() < 300) {
                    words.push_str(crate::util::text::start(value, 120));
                    words.push(' ');
                }
            }
            let names = [element.attr("class"), element.attr("id")].into_iter().flatten();
            let kinds = names.fold(0, |k, s| k | classes::kinds(crate::util::text::start(s, 200)));
            let comment = element.attr("itemtype").is_some_and(|t| t.contains("Comment"))
                || kinds & COMMENT != 0 && !early;
            let name = element.value().name();
            if comment || name == "blockquote" {
                apart = Apart::Other;
            } else if kinds & APART & !self.mixed(kinds) != 0
                || matches!(name, "aside" | "nav" | "footer")
            {
                apart = apart.max(Apart::Beside(None));
                // The outermost box is used.
                if let Apart::Beside(outermost) = &mut apart {
                    *outermost = Some(element.id());
                }
            }
        }
        words.make_ascii_lowercase();
        (apart, words)
    }

    /// The first block of the innermost box around an element.
    pub(super) fn block(&self, page: &Page<'_>, element: ElementRef<'_>) -> Option<usize> {
        let up = std::iter::successors(Some(element), |e| e.parent().and_then(ElementRef::wrap));
        let at = up.take(MAX_LEVELS).find_map(|e| self.boxes.get(&e.id()))?;
        Some(page.elements[*at].blocks.start)
    }
}

/// For each block after the start of the article, whether it is below a heading for other articles.
fn linked(page: &Page<'_>, first: Option<usize>) -> Vec<bool> {
    const MORE: [&str; 44] = [
        "related",
        "read next",
        "read more",
        "read also",
        "more ",
        "you may",
        "you might",
        "also ",
        "similar",
        "latest",
        "recent",
        "popular",
        "trending",
        "recommended",
        "comments",
        "next post",
        "ähnlich",
        "mehr ",
        "weitere",
        "lesen sie auch",
        "auch interessant",
        "das könnte",
        "neueste",
        "à lire",
        "lire aussi",
        "articles li",
        "sur le même",
        "relacionad",
        "más ",
        "te puede",
        "leggi anche",
        "correlat",
        "altri ",
        "lees ook",
        "meer ",
        "läs ",
        "les også",
        "læs ",
        "czytaj",
        "читайте",
        "похож",
        "関連",
        "相关",
        "관련",
    ];
    let mut linked = vec![false; page.blocks.len()];
    let mut below = false;
    for (at, linked) in linked.iter_mut().enumerate().skip(first.map_or(0, |f| f + 1)) {
        let element = page.blocks[at].element;
        let name = page.around(element).take(2).map(|e| page.elements[e].name());
        if name.into_iter().any(|n| matches!(n, "h2" | "h3" | "h4" | "h5" | "h6")) {
            let short = page.blocks[at].words <= 6;
            let text = if short { page.text(at).to_lowercase() } else { String::new() };
            let more = MORE.iter().any(|m| text.starts_with(m));
            // Titles of articles below such a heading may also be headings.
            below = more || below && page.blocks[at].links > 0;
        }
        *linked = below;
    }
    linked
}
