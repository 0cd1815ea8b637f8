//! Links in headings that only lead to the heading itself, for copying its URL.

use scraper::ElementRef;

/// Maximum number of letters that are read in a heading and in a link in it.
const MAX_LETTERS: usize = 300;
/// Maximum number of nodes that are searched for these letters.
const MAX_NODES: usize = 60;
/// Maximum number of letters before the heading's text, as in "Link to this section: …".
const MAX_PREFIX: usize = 24;

/// Whether a link in a heading has no text except symbols, or repeats the heading.
pub(super) fn is_permalink(link: ElementRef<'_>) -> bool {
    if link.descendent_elements().any(|e| e.value().name() == "img") {
        return false;
    }
    let is_sign = |c: char| matches!(c, '#' | '¶' | '§' | '🔗' | '\u{fe0e}' | '\u{fe0f}');
    let is_bare = |c: char| c.is_whitespace() || is_sign(c);
    if link.text().flat_map(str::chars).all(is_bare) {
        return true;
    }
    // Other symbols and words count only if the link has a fragment.
    let fragment = link.attr("href").and_then(|href| href.split_once('#'));
    if fragment.is_none_or(|(_, place)| place.is_empty()) {
        return false;
    }
    let own = letters(link);
    if own.is_empty() {
        return true;
    }
    let is_heading =
        |e: &ElementRef<'_>| matches!(e.value().name(), "h1" | "h2" | "h3" | "h4" | "h5" | "h6");
    let Some(heading) = link.ancestors().filter_map(ElementRef::wrap).find(is_heading) else {
        return false;
    };
    let all = letters(heading);
    let rest = all.strip_suffix(&own).or_else(|| all.strip_prefix(&own)).unwrap_or_default();
    !rest.is_empty() && own.ends_with(rest) && own.len() - rest.len() <= MAX_PREFIX
}

/// The letters and digits of an element, in lower case.
fn letters(e: ElementRef<'_>) -> String {
    let texts = e.descendants().take(MAX_NODES).filter_map(|node| node.value().as_text());
    let letters = texts.flat_map(|text| text.chars()).take(2 * MAX_LETTERS);
    letters.filter(|c| c.is_alphanumeric()).take(MAX_LETTERS).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::super::from_html;

    #[test]
    fn removes_permalinks_from_headings() {
        for (heading, shown) in [
            ("The Mythology <a href='#m'>></a>", "The Mythology"),
            ("The Mythology<a href='https://e.org/a#m'>The Mythology></a>", "The Mythology"),
            ("<a href='#m'>#</a> The Mythology", "The Mythology"),
            ("The Mythology <a href='#m'>\u{200b}</a>", "The Mythology"),
            ("The Mythology<a href='#m'>Link to “The Mythology”</a>", "The Mythology"),
            ("<a href='#m'></a>The Mythology <a href='/x'>¶</a>", "The Mythology"),
            // The heading is the link, or the link has other words or leads to another page.
            ("<a href='#m'>The Mythology</a>", "The Mythology"),
            ("The Mythology <a href='#n'>of Rome</a>", "The Mythology of Rome"),
            ("The Mythology <a href='https://e.org/'>&gt;</a>", "The Mythology >"),
            (
                "Rome <a href='https://e.org/#rome'>A long way to go and to come back to Rome</a>",
                "Rome A long way to go and to come back to Rome",
            ),
        ] {
            let document = from_html(&format!("<p>a<h2 id=m>{heading}</h2><p id=n>b"), None);
            let text = document.text();
            assert_eq!(
                text.lines().find(|line| line.contains("Rome") || line.contains("Myth")),
                Some(shown),
                "{heading}: {text}"
            );
        }
    }
}
