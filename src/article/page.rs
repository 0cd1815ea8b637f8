//! The article by the page itself: every block is judged by itself, its neighbours and the boxes
//! around it.

use super::blocks::Page;
use super::density::Density;
use super::features::{self, Hints};
use super::trees::Forest;
use std::sync::LazyLock;

/// Chance from which a block belongs to the article.
const THRESHOLD: f32 = 0.5;
/// Below so many words the trees are not trusted, and the best box is taken.
const FEW_WORDS: usize = 40;

static STAGES: LazyLock<Option<(Forest, Forest)>> = LazyLock::new(|| {
    let first = include_str!("../../assets/article/first.txt");
    let second = include_str!("../../assets/article/second.txt");
    Some((
        Forest::parse(first, features::COUNT)?,
        Forest::parse(second, features::COUNT_SECOND)?,
    ))
});

/// Which blocks of a page are its article.
pub(super) fn article(page: &Page<'_>, hints: &Hints) -> Vec<bool> {
    let density = Density::of(page);
    match &*STAGES {
        Some((first, second)) => {
            let chances = chances(page, &density, hints, first, second);
            choose(page, &density, &chances)
        }
        None => density.kept,
    }
}

/// The chance of every block.
fn chances(
    page: &Page<'_>,
    density: &Density,
    hints: &Hints,
    first: &Forest,
    second: &Forest,
) -> Vec<f32> {
    let rows = features::features(page, density, hints);
    let chances: Vec<f32> = rows.iter().map(|row| first.chance(row)).collect();
    let rows = features::second(page, &rows, &chances);
    rows.iter().map(|row| second.chance(row)).collect()
}

/// The blocks that are taken for these chances.
pub(super) fn choose(page: &Page<'_>, density: &Density, chances: &[f32]) -> Vec<bool> {
    let taken: Vec<bool> = chances.iter().map(|chance| *chance >= THRESHOLD).collect();
    let words = |taken: &[bool]| -> usize {
        page.blocks.iter().zip(taken).filter(|(_, t)| **t).map(|(b, _)| b.words).sum()
    };
    if words(&taken) < FEW_WORDS && words(&density.kept) > words(&taken) {
        return density.kept.clone();
    }
    taken
}
