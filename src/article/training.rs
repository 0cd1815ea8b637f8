//! What the training program for the block classifier needs from a page.

use super::blocks::Page;
use super::density::Density;
use super::extract::Guide;
use super::{features, page};
use crate::util::html::tree;
use scraper::Html;

/// A page of the training data.
pub struct Sample {
    tree: Html,
    guide: Guide,
}

impl Sample {
    /// `None` if the page is too deep for a tree.
    pub fn new(markup: &str, guide: Guide) -> Option<Self> {
        Some(Self { tree: tree::page(markup)?, guide })
    }

    /// The text of every block.
    pub fn texts(&self) -> Vec<String> {
        let page = Page::read(&self.tree);
        (0..page.blocks.len()).map(|at| page.text(at).to_owned()).collect()
    }

    /// First-stage features of every block.
    pub fn first(&self) -> Vec<Vec<f32>> {
        let page = Page::read(&self.tree);
        let hints = self.guide.hints(&super::head::Head::read(&self.tree));
        let rows = features::features(&page, &Density::of(&page), &hints);
        rows.iter().map(|row| row.to_vec()).collect()
    }

    /// Second-stage features, given the probabilities of the first stage.
    pub fn second(&self, chances: &[f32]) -> Vec<Vec<f32>> {
        let page = Page::read(&self.tree);
        let hints = self.guide.hints(&super::head::Head::read(&self.tree));
        let rows = features::features(&page, &Density::of(&page), &hints);
        features::second(&page, &rows, chances).iter().map(|row| row.to_vec()).collect()
    }

    /// The blocks selected by the second stage's probabilities.
    pub fn choose(&self, chances: &[f32]) -> Vec<bool> {
        let page = Page::read(&self.tree);
        let hints = self.guide.hints(&super::head::Head::read(&self.tree));
        let mut taken = page::choose(&page, &Density::of(&page), chances);
        page::trim_head(&page, &mut taken, &hints);
        taken
    }
}
