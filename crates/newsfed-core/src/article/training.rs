//! Access to the features of a page for the program that trains the block classifier.

use super::blocks::Page;
use super::density::Density;
use super::extract::Guide;
use super::features::{self, COUNT, Hints};
use super::head::Head;
use super::noscript;
use crate::util::html::tree;

pub use super::features::MORE;

/// A page of the training data. It is parsed again for each use.
pub struct TrainingPage {
    markup: String,
    guide: Guide,
}

impl TrainingPage {
    /// Returns `None` if the page is nested too deeply for a tree.
    pub fn new(markup: String, guide: Guide) -> Option<Self> {
        tree::article(&markup)?;
        Some(Self { markup, guide })
    }

    fn with<T: Default>(&self, read: impl FnOnce(&Page<'_>, &Hints) -> T) -> T {
        let Some(tree) = tree::article(&self.markup) else { return T::default() };
        let hints = self.guide.hints(&Head::read(&tree));
        let page = Page::read(&tree);
        match noscript::body(&page, &tree) {
            Some(inner) => read(&Page::read(&inner), &hints),
            None => read(&page, &hints),
        }
    }

    /// The text of every block.
    pub fn texts(&self) -> Vec<String> {
        self.with(|page, _| (0..page.blocks.len()).map(|at| page.text(at).to_owned()).collect())
    }

    /// First-stage features of every block.
    pub fn first(&self) -> Vec<Vec<f32>> {
        self.with(|page, hints| {
            let (rows, _) = features::features(page, &Density::of(page), hints);
            rows.iter().map(|row| row[..COUNT].to_vec()).collect()
        })
    }

    /// Additional features of the second stage, given the probabilities from the first stage.
    pub fn second(&self, chances: &[f32]) -> Vec<Vec<f32>> {
        self.with(|page, hints| {
            let (mut rows, positions) = features::features(page, &Density::of(page), hints);
            let mut chances = chances.to_vec();
            super::page::exclude_author(page, &mut chances);
            features::second(page, &positions, &mut rows, &chances);
            rows.iter().map(|row| row[COUNT..].to_vec()).collect()
        })
    }

    /// The blocks selected with the probabilities from the second stage.
    pub fn choose(&self, chances: &[f32]) -> Vec<bool> {
        self.with(|page, hints| {
            super::extract::choose(page, &Density::of(page), hints, &self.guide, chances)
        })
    }
}
