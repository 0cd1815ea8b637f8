//! Pages that show their text only to clients without scripts: the text is inside a `noscript` element, and
//! the rest of the page is an empty frame.

use super::blocks::Page;
use crate::util::html::tree;
use scraper::Html;

/// Minimum size of markup that is worth a second tree, in bytes.
const MIN_BYTES: usize = 400;
/// Minimum number of words in the `noscript` element.
const MIN_WORDS: usize = 20;
/// Minimum factor by which the `noscript` element is longer than the rest of the page.
const TIMES: usize = 3;

/// The parsed content of the largest `noscript` element, if it contains most of the page's text.
pub(super) fn body(page: &Page<'_>, tree: &Html) -> Option<Html> {
    let markup = tree
        .root_element()
        .descendent_elements()
        .filter(|e| e.value().name() == "noscript")
        .filter_map(|e| e.text().max_by_key(|t| t.len()))
        .max_by_key(|text| text.len())
        .filter(|text| text.len() >= MIN_BYTES)?;
    let outside: usize = page.blocks.iter().map(|b| b.words).sum();
    // A word takes at least two bytes, including the space.
    if outside * 2 * TIMES > markup.len() {
        return None;
    }
    let inner = tree::article(markup)?;
    let words: usize = Page::read(&inner).blocks.iter().map(|b| b.words).sum();
    (words >= MIN_WORDS.max(outside * TIMES)).then_some(inner)
}
