//! Reads a document that is displayed below its title. Many texts repeat the title at their start.

use super::document::Document;
use super::from_html::{from_html, of_element};
use super::words::words;
use crate::util::html;
use ego_tree::NodeId;
use scraper::{ElementRef, Html};
use std::collections::HashSet;
use url::Url;

/// Maximum length of a text that may be the title, as a multiple of the title's length. It may contain
/// additional whitespace and punctuation.
const MAX_TIMES: usize = 4;
/// Maximum number of elements around the first text that are compared with the title.
const MAX_AROUND: usize = 8;

/// Reads an HTML fragment that is displayed below its title. Removes the title from the start, unless nothing
/// else would be left.
pub fn below_title(markup: &str, title: &str, base: Option<&Url>) -> Document {
    let tree = if may_begin(markup, title) { html::tree::fragment(markup) } else { None };
    let below = tree.and_then(|tree| {
        let title = title_at_start(&tree, title)?;
        Some(of_element(tree.root_element(), base, &HashSet::from([title])))
    });
    below.filter(|document| !document.is_empty()).unwrap_or_else(|| from_html(markup, base))
}

/// Whether the text of the markup may start with the title. Only in this case is it worth building a tree.
fn may_begin(markup: &str, title: &str) -> bool {
    let Some(word) = words(title).next() else { return false };
    let start = markup.split('>').find(|piece| piece.split('<').next().is_some_and(has_words));
    markup.len() <= crate::util::limits::TEXT_BYTES
        && start.is_some_and(|text| words(text).next().is_some_and(|first| first == word))
}

fn has_words(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

/// The outermost element at the start of the fragment that contains the title and nothing else.
fn title_at_start(tree: &Html, title: &str) -> Option<NodeId> {
    let root = tree.root_element();
    let has_text = |node: &ego_tree::NodeRef<'_, scraper::Node>| {
        node.value().as_text().is_some_and(|text| has_words(text))
    };
    let first = root.descendants().find(has_text)?;
    let around = first.ancestors().filter_map(ElementRef::wrap);
    let is_title = |e: &ElementRef<'_>| e.id() != root.id() && is_same(*e, title);
    let found = around.take(MAX_AROUND).take_while(is_title).last()?;
    let picture = |e: ElementRef<'_>| matches!(e.value().name(), "img" | "video" | "audio" | "svg");
    let is_bare = !found.descendants().filter_map(ElementRef::wrap).any(picture);
    (is_bare && is_block(found)).then(|| found.id())
}

/// Whether the element is block-level, so that it is never part of a sentence.
fn is_block(element: ElementRef<'_>) -> bool {
    const BLOCKS: [&str; 11] =
        ["h1", "h2", "h3", "h4", "h5", "h6", "p", "div", "header", "hgroup", "section"];
    BLOCKS.contains(&element.value().name())
}

/// Whether the words of an element are exactly the words of the title.
fn is_same(element: ElementRef<'_>, title: &str) -> bool {
    let most = title.len() * MAX_TIMES;
    let mut text = String::new();
    for piece in element.text() {
        text.push_str(piece);
        if text.len() > most {
            return false;
        }
    }
    words(&text).eq(words(title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_the_title_at_the_start() {
        for (markup, expected) in [
            ("<h1>A Title</h1><p>Text.</p>", "Text."),
            ("<div><h2> <a href='/p'>A  title</a> </h2></div><p>Text.</p>", "A title\n\nText."),
            (
                "<article><header><h2> <a href='/p'>A\n Title</a>\n </h2></header><p>Text.</p></article>",
                "Text.",
            ),
            ("<p><b>A Title.</b></p><p>Text.</p>", "Text."),
            ("<!-- x --> <p></p><p>“A Title”</p>Text.", "Text."),
            // The title is part of a sentence, is not at the start, is the only text, or is next to an image.
            ("<p>A Title is good.</p>", "A Title is good."),
            ("<p><b>A Title</b> is good.</p>", "A Title is good."),
            ("<p>First.</p><h1>A Title</h1><p>Text.</p>", "First.\n\nA Title\n\nText."),
            ("<h1>A Title</h1>", "A Title"),
            ("<h1>A Title</h1><img src='https://e.org/i.png' alt='a map'>", "a map"),
            (
                "<h1>A Title<img src='https://e.org/i.png' alt='a map'></h1><p>Text.</p>",
                "A Titlea map\n\nText.",
            ),
            ("A Title", "A Title"),
        ] {
            let text = below_title(markup, "A Title", None).text();
            assert_eq!(text, expected, "{markup}");
        }
        assert_eq!(below_title("<p>日本</p><p>語</p>", "日本", None).text(), "語");
        assert_eq!(below_title("<p>x</p>", "", None).text(), "x");
    }

    #[test]
    fn removes_the_link_of_a_removed_title() {
        let markup =
            "<h1><a href='https://e.org/p'>T</a></h1><p>See <a href='https://e.org/q'>q</a>.";
        let document = below_title(markup, "T", None);
        let urls: Vec<_> = document.links.iter().map(|link| link.url.as_str()).collect();
        assert_eq!(urls, ["https://e.org/q"]);
    }

    #[test]
    fn finds_the_title_of_long_and_nested_texts_in_linear_time() {
        let nested = format!("{}A Title{}", "<div>".repeat(300), "<p>x</p>".repeat(20_000));
        assert!(below_title(&nested, "A Title", None).text().starts_with("A Title"));
        let long = format!("<h1>A Title{}</h1><p>x</p>", " word".repeat(50_000));
        assert!(below_title(&long, "A Title", None).text().starts_with("A Title word"));
    }
}
