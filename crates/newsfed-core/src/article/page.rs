//! Selects the article using the page alone: every block is classified by its own features, its neighbours
//! and the boxes around it.

use super::blocks::{Page, is_heading};
use super::density::Density;
use super::extract;
use super::features::{self, Hints};
use super::page_date::is_publication_line;
use super::trees::Forest;
use super::words::words;
use std::sync::LazyLock;

/// Minimum probability of a block that belongs to the article.
const THRESHOLD: f32 = 0.5;
/// Expected F1 below which the threshold is lowered.
const CERTAIN: f32 = 0.96;
/// Minimum agreement of a box that is the container of the article. The threshold is lower for blocks inside
/// the container and higher for other blocks.
const AGREED: f32 = 0.9;
const THRESHOLD_INSIDE: f32 = 0.4;
const THRESHOLD_OUTSIDE: f32 = 0.6;
/// Minimum mean probability for a whole list in the article's container to belong to the article.
const THRESHOLD_LIST: f32 = 0.35;
/// Minimum probability of headings and code between selected blocks in the article's container to belong to
/// the article. Nearly all of them do.
const THRESHOLD_ENCLOSED: f32 = 0.1;
/// Probability of a block that cannot be part of the article.
const EXCLUDED: f32 = 0.02;
/// First-stage probability below which a block skips the second stage, which is slow and would never select
/// it.
const HOPELESS: f32 = 0.005;
/// Number of blocks at the start of an article that may be titles or dates.
const HEAD: usize = 4;
/// Maximum length of a heading at the end of an article that is dropped, in words. Three characters of a
/// script without spaces count as two words.
const TAIL_WORDS: usize = 3;
/// With fewer words the trees are unreliable, so the blocks of the best box are used.
const FEW_WORDS: usize = 40;

static STAGES: LazyLock<Option<(Forest, Forest)>> = LazyLock::new(|| {
    let first = include_str!("../../assets/article/first.txt");
    let second = include_str!("../../assets/article/second.txt");
    Some((Forest::parse(first, features::COUNT)?, Forest::parse(second, features::COUNT_SECOND)?))
});

/// The result of classifying the page alone.
pub(super) struct Judged {
    /// The blocks that form the article.
    pub(super) taken: Vec<bool>,
    /// The probability of every block, 0 to 1.
    pub(super) chances: Vec<f32>,
}

/// The blocks of a page that form its article.
pub(super) fn article(page: &Page<'_>, hints: &Hints) -> Judged {
    let density = Density::of(page);
    match &*STAGES {
        Some((first, second)) => {
            let chances = chances(page, &density, hints, first, second);
            let mut taken = choose(page, &density, &chances);
            trim_head(page, &mut taken, hints);
            Judged { taken, chances }
        }
        None => Judged { chances: vec![0.5; density.kept.len()], taken: density.kept },
    }
}

/// The probability of every block.
fn chances(
    page: &Page<'_>,
    density: &Density,
    hints: &Hints,
    first: &Forest,
    second: &Forest,
) -> Vec<f32> {
    let (mut rows, positions) = features::features(page, density, hints);
    let mut chances = first.chances(&rows);
    exclude_author(page, &mut chances);
    features::second(page, &positions, &mut rows, &chances);
    let open: Vec<usize> = (0..chances.len()).filter(|at| chances[*at] >= HOPELESS).collect();
    let open_rows: Vec<&[f32]> = open.iter().map(|at| rows[*at].as_slice()).collect();
    for (at, chance) in open.into_iter().zip(second.chances(&open_rows)) {
        chances[at] = chance;
    }
    chances
}

/// Lowers the first-stage probabilities of boxes about the author, which would otherwise raise those of the
/// surrounding blocks.
pub(super) fn exclude_author(page: &Page<'_>, chances: &mut [f32]) {
    let likely: Vec<bool> = chances.iter().map(|chance| *chance >= THRESHOLD).collect();
    let mut rest = likely.clone();
    extract::drop_author(page, &mut rest);
    for (at, chance) in chances.iter_mut().enumerate() {
        if likely[at] && !rest[at] {
            *chance = EXCLUDED;
        }
    }
}

/// The blocks selected by these probabilities.
pub(super) fn choose(page: &Page<'_>, density: &Density, chances: &[f32]) -> Vec<bool> {
    let lower = lowering(page, chances);
    let mut taken: Vec<bool> = chances.iter().map(|c| *c >= THRESHOLD - lower).collect();
    let agreements = page.agreements(&taken);
    // Prefers the innermost of equally good boxes.
    let boxes = (0..agreements.len()).rev();
    let best = boxes.reduce(|a, b| if agreements[b] > agreements[a] { b } else { a });
    if let Some(best) = best.filter(|b| agreements[*b] >= AGREED) {
        let inside = &page.elements[best].blocks;
        for (at, chance) in chances.iter().enumerate() {
            let needed = if inside.contains(&at) { THRESHOLD_INSIDE } else { THRESHOLD_OUTSIDE };
            taken[at] = *chance >= needed - lower;
        }
        complete(page, best, chances, &mut taken);
    }
    complete_start(page, chances, &mut taken);
    let words = |taken: &[bool]| -> usize {
        page.blocks.iter().zip(taken).filter(|(_, t)| **t).map(|(b, _)| b.words).sum()
    };
    if words(&taken) < FEW_WORDS && words(&density.kept) > words(&taken) {
        return density.kept.clone();
    }
    taken
}

/// How much the threshold is lowered. The optimal threshold is half of the expected F1 (Lipton et al.,
/// *Optimal thresholding of classifiers to maximize F1 measure*, 2014). On a page where few blocks are
/// certain, a lower probability must suffice, or most of the text is lost.
fn lowering(page: &Page<'_>, chances: &[f32]) -> f32 {
    let words = page.blocks.iter().map(|block| block.words as f32);
    let mut blocks: Vec<(f32, f32)> = chances.iter().copied().zip(words).collect();
    blocks.sort_by(|a, b| b.0.total_cmp(&a.0));
    let wanted: f32 = blocks.iter().map(|(chance, words)| chance * words).sum();
    let (mut right, mut all, mut best) = (0.0, 0.0, 0.0);
    for (chance, words) in blocks {
        right += chance * words;
        all += words;
        best = f32::max(best, 2.0 * right / (all + wanted).max(1.0));
    }
    ((CERTAIN - best) / 2.0).max(0.0)
}

/// Fills gaps inside the article's container: the rest of its lists, headings between selected blocks, and
/// code. Without their context they resemble navigation or advertising.
fn complete(page: &Page<'_>, own: usize, chances: &[f32], taken: &mut [bool]) {
    let inside = page.elements[own].blocks.clone();
    for list in page.elements[own + 1..].iter().filter(|e| matches!(e.name(), "ul" | "ol")) {
        let range = list.blocks.clone();
        if range.len() < 2 || !inside.contains(&range.start) {
            continue;
        }
        let sum: f32 = chances[range.clone()].iter().sum();
        if sum >= THRESHOLD_LIST * range.len() as f32 {
            taken[range].fill(true);
        }
    }
    let mut selected = inside.filter(|at| taken[*at]);
    let (Some(first), Some(last)) = (selected.next(), selected.next_back()) else { return };
    for at in (first + 1..last).rev() {
        if taken[at] || chances[at] < THRESHOLD_ENCLOSED {
            continue;
        }
        let element = page.blocks[at].element;
        let heading = is_heading(page.elements[element].name());
        taken[at] = heading && taken[at - 1] && taken[at + 1]
            || page.around(element).any(|e| page.elements[e].name() == "pre");
    }
}

/// Adds code directly before the first selected block, such as a synopsis, and its heading, if they are in
/// the smallest box around all selected blocks.
fn complete_start(page: &Page<'_>, chances: &[f32], taken: &mut [bool]) {
    let (Some(first), Some(last)) = (taken.iter().position(|t| *t), taken.iter().rposition(|t| *t))
    else {
        return;
    };
    let mut around = page.around(page.blocks[first].element);
    let Some(own) = around.find(|e| page.elements[*e].blocks.contains(&last)) else { return };
    if matches!(page.elements[own].name(), "html" | "body") {
        return;
    }
    let mut below_is_code = false;
    for at in (page.elements[own].blocks.start..first).rev() {
        let element = page.blocks[at].element;
        let code = page.around(element).any(|e| page.elements[e].name() == "pre");
        let heading = below_is_code && is_heading(page.elements[element].name());
        if !(code || heading) || chances[at] < THRESHOLD_ENCLOSED {
            return;
        }
        taken[at] = true;
        below_is_code = code;
    }
}

/// Drops a short heading at the end, such as "Reviews", because the text below it was not selected. List
/// items that are headings stay: there are several, or they are longer, or they are links.
pub(super) fn trim_tail(page: &Page<'_>, taken: &mut [bool]) {
    let heading = |at: usize| is_heading(page.elements[page.blocks[at].element].name());
    let mut ends = (0..taken.len()).rev().filter(|at| taken[*at]);
    let (Some(last), Some(before)) = (ends.next(), ends.next()) else { return };
    let block = &page.blocks[last];
    let short = block.words <= TAIL_WORDS && block.link_chars == 0;
    if heading(last) && !heading(before) && short {
        taken[last] = false;
    }
}

/// Removes title and date lines from the start of an article.
pub(super) fn trim_head(page: &Page<'_>, taken: &mut [bool], hints: &Hints) {
    let folded = |text: &str| words(text).map(str::to_lowercase).collect::<Vec<_>>();
    let titles: Vec<Vec<String>> = hints.titles.iter().map(|t| folded(t)).collect();
    let head: Vec<usize> = (0..taken.len()).filter(|at| taken[*at]).take(HEAD).collect();
    for at in head {
        let text = page.text(at);
        let is_title = page.blocks[at].words <= 40 && titles.contains(&folded(text));
        let heading = is_heading(page.elements[page.blocks[at].element].name());
        if !(is_title || !heading && is_publication_line(text)) {
            return;
        }
        taken[at] = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::html::tree;

    /// The blocks selected on a page with one ten-word paragraph per probability.
    fn chosen(chances: &[f32]) -> Vec<bool> {
        let paragraph = format!("<p>{}</p>", "ten ".repeat(10));
        let markup = format!("<div>{}</div>", paragraph.repeat(chances.len()));
        let tree = tree::page(&markup).unwrap();
        let page = Page::read(&tree);
        choose(&page, &Density::of(&page), chances)
    }

    #[test]
    fn lowers_the_threshold_where_little_is_certain() {
        let (sure, unsure) = ([0.98, 0.97], [0.35, 0.3]);
        let of = |all: &[&[f32]]| chosen(&all.concat());
        let all = of(&[&sure.repeat(6), &[0.02; 9], &unsure]);
        assert_eq!(all.iter().filter(|t| **t).count(), 12, "clear page: {all:?}");
        let all = of(&[&[0.6, 0.42, 0.44, 0.4, 0.41, 0.45, 0.43], &[0.02; 9]]);
        assert_eq!(all.iter().filter(|t| **t).count(), 7, "vague page: {all:?}");
    }

    #[test]
    fn includes_code_above_the_first_selected_block() {
        let text = "ten words ".repeat(10);
        let start = "<h2>Select</h2><p>Reads rows</p><h2>Synopsis</h2><pre>SELECT a FROM b</pre>";
        let sections =
            format!("<section><h2>Use</h2><p>{text}</p><p>{text}</p></section>").repeat(2);
        let of = |markup: &str, code: f32| {
            let tree = tree::page(markup).unwrap();
            let page = Page::read(&tree);
            let mut chances = vec![0.97; page.blocks.len()];
            chances[..2].fill(0.2);
            chances[2..4].fill(code);
            choose(&page, &Density::of(&page), &chances)[..5].to_vec()
        };
        let page = format!("<main>{start}{sections}</main>");
        assert_eq!(of(&page, 0.3), [false, false, true, true, true]);
        assert_eq!(of(&page, 0.05), [false, false, false, false, true], "surely no part");
        let outside = format!("{start}<main>{sections}</main>");
        assert_eq!(of(&outside, 0.3), [false, false, false, false, true], "outside");
    }

    #[test]
    fn keeps_date_lines_of_deadlines_at_the_start() {
        let starts = |line: &str| {
            let markup = format!("<p>{line}</p><p>{}</p>", "ten words ".repeat(10));
            let tree = tree::page(&markup).unwrap();
            let page = Page::read(&tree);
            let mut taken = vec![true; 2];
            trim_head(&page, &mut taken, &Hints::default());
            taken[0]
        };
        for line in
            ["Deadline: 3 May 2024", "Bewerbungsschluss: 3. Mai 2024", "When: 3 May 2024, 7 pm"]
        {
            assert!(starts(line), "{line}");
        }
        for line in ["3 May 2024", "Published: 3 May 2024", "Zuletzt aktualisiert am 3. Mai 2024"] {
            assert!(!starts(line), "{line}");
        }
    }
}
