//! Stable names in a page, which are the parts of selectors.

use scraper::ElementRef;

/// Maximum number of classes of one element that are examined.
const MAX_CLASSES: usize = 4;
const LONGEST: usize = 40;
/// Classes that describe style rather than meaning.
const STYLE_NAMES: [&str; 28] = [
    "active",
    "block",
    "bold",
    "border",
    "center",
    "clearfix",
    "col",
    "container",
    "d",
    "even",
    "first",
    "flex",
    "float",
    "font",
    "grid",
    "hidden",
    "last",
    "left",
    "m",
    "mb",
    "mt",
    "odd",
    "p",
    "px",
    "py",
    "right",
    "row",
    "text",
];

/// Whether a class or id will probably survive the next build of the site: it has no digits except for a
/// short number at the end of a word, and no random letters.
pub(in crate::website) fn lasts(name: &str) -> bool {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
    plain && begins && (2..=LONGEST).contains(&name.len()) && name.split(['-', '_']).all(word_lasts)
}

fn word_lasts(word: &str) -> bool {
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = word.len() - letters.len();
    if digits > 2 || letters.contains(|c: char| c.is_ascii_digit()) {
        return false;
    }
    // Capital letters start words; a name with more capitals than that is random.
    let capitals = letters.chars().skip(1).filter(char::is_ascii_uppercase).count();
    let all_capitals = letters.chars().all(|c| c.is_ascii_uppercase());
    if !all_capitals && capitals * 3 >= letters.len().max(1) {
        return false;
    }
    let vowel = |c: char| "aeiouyAEIOUY".contains(c);
    let longest_run = letters.split(vowel).map(str::len).max().unwrap_or(0);
    let short_hash = digits > 0 && capitals > 0 && letters.len() < 8;
    longest_run <= 5 && !short_hash
}

/// Whether a class describes style.
pub(super) fn is_style_name(name: &str) -> bool {
    let first = name.split(['-', '_']).next().unwrap_or(name);
    STYLE_NAMES.contains(&first) || first.len() < 2
}

/// Stable classes of an element; those with a meaning come first.
pub(in crate::website) fn classes(element: ElementRef<'_>) -> Vec<String> {
    let mut classes: Vec<&str> = element.value().classes().filter(|c| lasts(c)).collect();
    classes.sort_by_key(|c| is_style_name(c));
    classes.truncate(MAX_CLASSES);
    classes.into_iter().map(|c| format!(".{c}")).collect()
}

/// The tag of an element for a selector: `*` for tags that are very long or have unusual characters.
pub(in crate::website) fn tag(element: ElementRef<'_>) -> &str {
    let tag = element.value().name();
    let plain = tag.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let begins = tag.starts_with(|c: char| c.is_ascii_alphabetic());
    if plain && begins && tag.len() <= LONGEST { tag } else { "*" }
}

/// Simple selectors for an ancestor of links: its id, its tag with each class, and its tag alone if that has
/// a meaning.
pub(in crate::website) fn around(element: ElementRef<'_>) -> Vec<String> {
    let tag = tag(element);
    let mut names: Vec<String> = Vec::new();
    let means_something = matches!(
        tag,
        "article"
            | "main"
            | "section"
            | "li"
            | "dt"
            | "dd"
            | "td"
            | "th"
            | "table"
            | "ul"
            | "ol"
            | "dl"
    );
    if means_something || is_heading(tag) {
        names.push(tag.to_owned());
    }
    names.extend(classes(element).into_iter().map(|c| format!("{tag}{c}")));
    if let Some(id) = element.attr("id").filter(|id| lasts(id)) {
        names.push(format!("#{id}"));
    }
    names
}

/// `h1` to `h6`.
pub(in crate::website) fn is_heading(tag: &str) -> bool {
    matches!(tag, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

/// How much a selector depends on things that may change: style, ids, length. Lower is better.
pub(in crate::website) fn cost(selector: &str) -> usize {
    let of_one = |selector: &str| {
        // `:not()` and folders of URLs are harder to understand than names.
        let (names, rest) = selector.split_at(selector.find(":not(").unwrap_or(selector.len()));
        let (names, folder) = names.split_at(names.find("[href").unwrap_or(names.len()));
        let parts = names.split([' ', '>']).filter(|p| !p.is_empty());
        let folder = if folder.is_empty() { 0 } else { 3 };
        parts.map(cost_of_part).sum::<usize>() + folder + 2 * rest.matches(":not(").count()
    };
    selector.split(", ").map(of_one).sum()
}

fn cost_of_part(part: &str) -> usize {
    let (_, class) = part.split_once(['.', '#']).unwrap_or((part, ""));
    let style = if is_style_name(class) && !class.is_empty() { 3 } else { 0 };
    // Headings are still headings after the rest of a site is rebuilt.
    let heading = usize::from(is_heading(part));
    let position = if part.contains(':') { 3 } else { 0 };
    2 + style + usize::from(part.contains('#')) + class.len() / 12 + position - heading
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_stable_names() {
        let cases = [
            ("post-title", true),
            ("entry__header", true),
            ("col-6", true),
            ("postTitle", true),
            ("NewsList", true),
            ("h2", true),
            ("css-1x2y3z", false),
            ("Card_title__x8Kq2", false),
            ("sc-bdVaJa", false),
            ("post-12345", false),
            ("a1b2c3d", false),
            ("jsx-2871293847", false),
            ("x", false),
            ("md:flex", false),
        ];
        for (name, want) in cases {
            assert_eq!(lasts(name), want, "{name}");
        }
    }

    #[test]
    fn simple_selectors_cost_less() {
        assert!(cost("h2 a") < cost("div.row h2 a"));
        assert!(cost("a.story") < cost("a.text-lg"));
    }
}
