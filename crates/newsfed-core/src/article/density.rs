//! Finds the running text of a page: paragraphs add to the scores of the boxes around them, and links reduce
//! the score of a box. Follows the scoring of the Arc90 Readability script and its descendants.

use super::blocks::Page;
use super::classes::{
    AD, ARTICLE, COMMENT, CONTENT, FOOTER, FORM, MAIN, NAV, RELATED, SHARE, SIDEBAR,
};

/// Minimum length of a text that adds to a score, in characters.
const MIN_CHARS: usize = 25;

/// Scores of a page.
pub(super) struct Density {
    /// Score per box, reduced by its share of links; 0 if no text added to it.
    pub(super) scores: Vec<f32>,
    /// Share of characters inside links, per box.
    pub(super) links: Vec<f32>,
    /// Number of characters, per box.
    pub(super) chars: Vec<usize>,
    /// Number of characters in paragraphs, per box.
    pub(super) paragraphs: Vec<usize>,
    /// Index of the box with the highest score.
    pub(super) best: usize,
    /// For each block, whether it is in the best box or in a good sibling of the best box.
    pub(super) kept: Vec<bool>,
}

impl Density {
    /// Scores the boxes of a page.
    pub(super) fn of(page: &Page<'_>) -> Self {
        let count = page.elements.len();
        let (mut chars, mut link_chars) = (vec![0usize; count], vec![0usize; count]);
        let mut paragraphs = vec![0usize; count];
        let mut scores = vec![0f32; count];
        for (at, block) in page.blocks.iter().enumerate() {
            let name = page.elements[block.element].name();
            chars[block.element] += block.chars;
            link_chars[block.element] += block.link_chars;
            let is_paragraph = matches!(name, "p" | "blockquote" | "pre")
                || block.chars > 80 && block.link_chars * 3 < block.chars;
            if is_paragraph {
                paragraphs[block.element] += block.chars;
            }
            if block.chars >= MIN_CHARS && !matches!(name, "li" | "figcaption") {
                let text = page.text(at);
                let commas = text.chars().filter(|c| matches!(c, ',' | '，' | '、' | '،')).count();
                let length = (block.chars as f32 / 100.0).min(3.0);
                let score = 1.0 + commas as f32 + length;
                // A paragraph adds to the scores of its ancestors. Text outside a paragraph also adds to the
                // score of its own box.
                let own = usize::from(matches!(name, "p" | "td" | "pre"));
                for (level, around) in page.around(block.element).skip(own).take(5).enumerate() {
                    let share = [1.0, 0.5, 1.0 / 6.0, 1.0 / 9.0, 1.0 / 12.0][level];
                    scores[around] += score * share;
                }
            }
        }
        // Boxes come after their ancestors, so one backward pass adds everything up.
        for at in (1..count).rev() {
            let parent = page.elements[at].parent;
            chars[parent] += chars[at];
            link_chars[parent] += link_chars[at];
            paragraphs[parent] += paragraphs[at];
        }
        let links: Vec<f32> =
            (0..count).map(|i| link_chars[i] as f32 / chars[i].max(1) as f32).collect();
        for (at, score) in scores.iter_mut().enumerate() {
            if *score > 0.0 {
                *score = (*score + bonus(page, at)).max(0.0) * (1.0 - links[at]);
            }
        }
        let best = best(page, &scores);
        let kept = kept(page, &scores, &links, best);
        Self { scores, links, chars, paragraphs, best, kept }
    }
}

fn bonus(page: &Page<'_>, at: usize) -> f32 {
    let element = &page.elements[at];
    let by_name = match element.name() {
        "article" | "main" => 15.0,
        "div" | "section" => 5.0,
        "pre" | "td" | "blockquote" => 3.0,
        "address" | "ol" | "ul" | "dl" | "dd" | "dt" | "li" | "form" => -3.0,
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "th" => -5.0,
        "nav" | "aside" | "footer" => -25.0,
        _ => 0.0,
    };
    let good = element.kinds & (CONTENT | ARTICLE | MAIN) != 0;
    let bad = element.kinds & (NAV | COMMENT | SHARE | RELATED | AD | SIDEBAR | FOOTER | FORM) != 0;
    by_name + if good { 25.0 } else { 0.0 } - if bad { 25.0 } else { 0.0 }
}

fn best(page: &Page<'_>, scores: &[f32]) -> usize {
    let mut best = 0;
    for at in 0..scores.len() {
        if scores[at] > scores[best] {
            best = at;
        }
    }
    // Moves to an outer box whose score is more than a third of the best one and higher than that of the box
    // inside it.
    let mut last = scores[best];
    let threshold = last / 3.0;
    for around in page.around(page.elements[best].parent) {
        if matches!(page.elements[around].name(), "body" | "html") || scores[around] < threshold {
            break;
        }
        if scores[around] > last {
            best = around;
            break;
        }
        last = scores[around];
    }
    best
}

fn kept(page: &Page<'_>, scores: &[f32], links: &[f32], best: usize) -> Vec<bool> {
    let mut kept = vec![false; page.blocks.len()];
    kept[page.elements[best].blocks.clone()].fill(true);
    let parent = page.elements[best].parent;
    let threshold = (scores[best] * 0.2).max(10.0);
    for (at, element) in page.elements.iter().enumerate().skip(1) {
        if element.parent != parent || at == best {
            continue;
        }
        let paragraph = element.name() == "p" && links[at] < 0.25;
        if scores[at] >= threshold || paragraph {
            let range = element.blocks.clone();
            let long = page.blocks[range.clone()].iter().map(|b| b.chars).sum::<usize>() > 80;
            if scores[at] >= threshold || long {
                kept[range].fill(true);
            }
        }
    }
    kept
}
