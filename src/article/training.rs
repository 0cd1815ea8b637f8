//! What the program that trains the judgement of blocks needs to see of a page.

use super::blocks::Page;
use super::density::Density;
use super::extract::Guide;
use super::{features, page};
use crate::util::html::tree;
use scraper::Html;

/// A page to learn from.
pub struct Sample {
    tree: Html,
    guide: Guide,
}

impl Sample {
    /// `None` where no tree is built of the page.
    pub fn new(markup: &str, guide: Guide) -> Option<Self> {
        Some(Self { tree: tree::page(markup)?, guide })
    }

    /// The text of every block.
    pub fn texts(&self) -> Vec<String> {
        let page = Page::read(&self.tree);
        (0..page.blocks.len()).map(|at| page.text(at).to_owned()).collect()
    }

    /// The numbers that the first stage is told of every block.
    pub fn first(&self) -> Vec<Vec<f32>> {
        let page = Page::read(&self.tree);
        let hints = self.guide.hints(&super::head::Head::read(&self.tree));
        let rows = features::features(&page, &Density::of(&page), &hints);
        rows.iter().map(|row| row.to_vec()).collect()
    }

    /// The numbers that the second stage is told, given the chances by the first.
    pub fn second(&self, chances: &[f32]) -> Vec<Vec<f32>> {
        let page = Page::read(&self.tree);
        let hints = self.guide.hints(&super::head::Head::read(&self.tree));
        let rows = features::features(&page, &Density::of(&page), &hints);
        features::second(&page, &rows, chances).iter().map(|row| row.to_vec()).collect()
    }

    /// Which blocks are taken for the chances by the second stage.
    pub fn choose(&self, chances: &[f32]) -> Vec<bool> {
        let page = Page::read(&self.tree);
        let hints = self.guide.hints(&super::head::Head::read(&self.tree));
        let mut taken = page::choose(&page, &Density::of(&page), chances);
        page::trim_head(&page, &mut taken, &hints);
        taken
    }
}
