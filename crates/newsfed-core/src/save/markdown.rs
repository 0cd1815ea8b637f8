//! Articles as Markdown.

use super::SavedChapter;
use crate::article::Block;

/// The articles one after the other, separated by thematic breaks.
pub(super) fn write(chapters: &[SavedChapter]) -> String {
    let all: Vec<String> = chapters.iter().map(article).collect();
    all.join("\n---\n\n")
}

fn article(chapter: &SavedChapter) -> String {
    let mut document = chapter.document.clone();
    let byline = chapter.byline(&mut document.links);
    document.blocks.insert(0, Block::Paragraph(byline));
    document.titled_markdown(&chapter.title())
}
