//! The programming language of a code block and its lines, as marked by syntax highlighters.

use ego_tree::NodeRef;
use scraper::{ElementRef, Node};

/// Maximum length of a language name, in bytes.
const MAX_NAME: usize = 20;
/// Classes around code: `language-x`, `lang-x`, `highlight-source-x`, `brush: x`.
const PREFIXES: [&str; 6] =
    ["language-", "lang-", "highlight-source-", "highlight-text-", "sourceCode-", "brush:"];
/// Classes that are not language names, such as those of the highlighters themselves.
const NONE: [&str; 12] = [
    "none",
    "plaintext",
    "text",
    "plain",
    "nohighlight",
    "no-highlight",
    "hljs",
    "highlight",
    "auto",
    "default",
    "output",
    "undefined",
];

/// Suffixes of the class names of elements that contain one line of code each.
const LINES: [&str; 7] = [
    "code-line",
    "code__line",
    "highlight-line",
    "highlighted-line",
    "token-line",
    "view-line",
    "cm-line",
];

/// Whether an inline element is displayed on its own line.
pub(super) fn is_line(node: NodeRef<'_, Node>) -> bool {
    let Some(element) = node.value().as_element().filter(|e| e.name() == "span") else {
        return false;
    };
    let mut classes = element.attr("class").unwrap_or_default().split_ascii_whitespace();
    let style = || element.attr("style").unwrap_or_default().replace(' ', "");
    classes.any(|c| c == "line" || LINES.iter().any(|ending| c.ends_with(ending)))
        || style().split(';').any(|rule| rule.eq_ignore_ascii_case("display:block"))
}

/// The language of a `pre` element, in lower case.
pub(super) fn language(pre: ElementRef<'_>) -> Option<String> {
    let inner = pre.child_elements().filter(|c| c.value().name() == "code").take(1);
    let around = pre.ancestors().filter_map(ElementRef::wrap).take(3);
    inner.chain([pre]).chain(around).find_map(of_element)
}

/// Whether the paragraph before code only labels the code box with its language and is not a sentence.
pub(super) fn is_label(paragraph: &str, language: Option<&str>, pre: ElementRef<'_>) -> bool {
    let is_language = language.is_some_and(|name| paragraph.trim().eq_ignore_ascii_case(name));
    let has_text = |node: &NodeRef<'_, Node>| match node.value() {
        Node::Text(text) => !text.trim().is_empty(),
        Node::Element(element) if element.name() != "button" => {
            ElementRef::wrap(*node).is_some_and(|e| e.text().any(|text| !text.trim().is_empty()))
        }
        _ => false,
    };
    let box_before = || {
        let before = pre.prev_siblings().find(has_text).and_then(ElementRef::wrap);
        before.is_some_and(|e| matches!(e.value().name(), "span" | "div" | "header" | "small"))
    };
    is_language && box_before()
}

fn of_element(e: ElementRef<'_>) -> Option<String> {
    let stated = ["data-lang", "data-language"].iter().find_map(|a| e.attr(a)).and_then(name);
    let class = e.attr("class").unwrap_or_default();
    let prefixed = || {
        let mut words = class.split_ascii_whitespace();
        words.find_map(|c| PREFIXES.iter().find_map(|p| c.strip_prefix(p)).and_then(name))
    };
    // `<code class="hljs rust">`, `<pre class="brush: rust">`, `<pre class="sourceCode rust">`.
    let beside = || {
        let mut words = class.split_ascii_whitespace();
        words.find(|c| matches!(*c, "hljs" | "brush:" | "sourceCode" | "codehilite"))?;
        let inside = matches!(e.value().name(), "pre" | "code");
        class.split_ascii_whitespace().filter(|_| inside).find_map(|c| {
            let known = matches!(c, "hljs" | "brush:" | "sourceCode" | "codehilite");
            if known { None } else { name(c) }
        })
    };
    stated.or_else(prefixed).or_else(beside)
}

fn name(value: &str) -> Option<String> {
    let value = value.trim().trim_end_matches(';').to_ascii_lowercase();
    let is_name = |c: char| c.is_ascii_alphanumeric() || "+#-_.".contains(c);
    let fits = (1..=MAX_NAME).contains(&value.len()) && value.chars().all(is_name);
    (fits && !NONE.contains(&value.as_str())).then_some(value)
}
