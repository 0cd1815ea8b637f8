//! CSS selectors as written in `sources.toml`.

use crate::util::text;
use scraper::{ElementRef, Html, Selector};

/// Longest selector, in bytes.
const LONGEST: usize = 1000;

/// One selector, or several separated by commas.
#[derive(Debug, Clone)]
pub struct Selectors {
    /// All of them as one, which finds elements in the order of the page.
    union: Selector,
    /// In the order in which they are written.
    each: Vec<Selector>,
}

impl Selectors {
    /// Parses a selector.
    ///
    /// # Errors
    /// Why it cannot be used, in a few words: XPath is named as such.
    pub fn parse(selector: &str) -> Result<Self, String> {
        let selector = selector.trim();
        if selector.is_empty() {
            return Err("is empty; write a CSS selector such as \"article h2 a\"".to_owned());
        }
        if selector.len() > LONGEST {
            return Err(format!("is longer than {LONGEST} bytes"));
        }
        if selector.starts_with('/') || selector.to_ascii_lowercase().starts_with("xpath:") {
            return Err("is XPath, which is not supported; write a CSS selector".to_owned());
        }
        let compile = |part: &str| {
            Selector::parse(part).map_err(|_| {
                let part = text::truncate(&text::line(part), 60).into_owned();
                format!("is not a CSS selector: {part:?} cannot be parsed")
            })
        };
        if let Some(what) = unfinished(selector) {
            return Err(format!("is not a complete CSS selector: {what}"));
        }
        let union = compile(selector)?;
        let each = split(selector).into_iter().map(compile).collect::<Result<_, _>>()?;
        Ok(Self { union, each })
    }

    /// Every element that one of them matches, in the order of the page.
    pub fn all<'a>(&self, tree: &'a Html) -> Vec<ElementRef<'a>> {
        tree.select(&self.union).collect()
    }

    /// The matches of the first of them that matches anything, in the order of the page.
    pub fn first_matching<'a>(&self, tree: &'a Html) -> Vec<ElementRef<'a>> {
        let found = self.each.iter().map(|s| tree.select(s).collect::<Vec<_>>());
        found.into_iter().find(|elements| !elements.is_empty()).unwrap_or_default()
    }

    /// The first element of the first of them that matches anything.
    pub fn first<'a>(&self, tree: &'a Html) -> Option<ElementRef<'a>> {
        self.each.iter().find_map(|s| tree.select(s).next())
    }
}

/// What is missing in a selector that is being typed; `None` if it seems complete without parsing
/// it.
fn unfinished(selector: &str) -> Option<&'static str> {
    let (mut open, mut quote, mut escaped) = (Vec::new(), None, false);
    for c in selector.chars() {
        match (c, quote) {
            _ if escaped => escaped = false,
            ('\\', _) => escaped = true,
            (c, Some(mark)) => quote = (c != mark).then_some(mark),
            ('"' | '\'', None) => quote = Some(c),
            ('(' | '[', None) => open.push(c),
            (')', None) if open.pop() != Some('(') => return Some("a ) has no opening bracket"),
            (']', None) if open.pop() != Some('[') => return Some("a ] has no opening bracket"),
            _ => {}
        }
    }
    if quote.is_some() {
        return Some("a quotation mark is not closed");
    }
    match open.last() {
        Some('[') => return Some("a [ is not closed"),
        Some(_) => return Some("a ( is not closed"),
        None => {}
    }
    if split(selector).iter().any(|part| part.is_empty()) {
        return Some("a selector is missing beside a comma");
    }
    match selector.chars().next_back()? {
        '.' => Some("the name of a class is missing after the ."),
        '#' => Some("an id is missing after the #"),
        ':' => Some("a name is missing after the :"),
        '>' | '+' | '~' => Some("an element is missing at its end"),
        _ if selector.starts_with(['>', '+', '~']) => Some("an element is missing at its start"),
        _ => None,
    }
}

/// The parts between the commas that separate selectors: not those in brackets or quotes.
fn split(list: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0usize);
    let (mut quote, mut escaped) = (None, false);
    for (at, c) in list.char_indices() {
        match (c, quote) {
            _ if escaped => escaped = false,
            ('\\', _) => escaped = true,
            (c, Some(open)) => quote = (c != open).then_some(open),
            ('"' | '\'', None) => quote = Some(c),
            ('(' | '[', None) => depth += 1,
            (')' | ']', None) => depth = depth.saturating_sub(1),
            (',', None) if depth == 0 => {
                parts.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(list[start..].trim());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_lists_between_selectors() {
        let cases: [(&str, &[&str]); 4] = [
            ("h1, h2", &["h1", "h2"]),
            ("a:is(.x, .y), b", &["a:is(.x, .y)", "b"]),
            ("[t=\"a,b\"],[u='\\',']", &["[t=\"a,b\"]", "[u='\\',']"]),
            ("p", &["p"]),
        ];
        for (list, want) in cases {
            assert_eq!(split(list), want);
        }
    }

    #[test]
    fn explains_invalid_selectors() {
        let cases = [
            ("", "empty"),
            ("//a", "XPath"),
            ("xpath:/html", "XPath"),
            ("h1[", "CSS"),
            ("a,", "CSS"),
        ];
        for (selector, word) in cases {
            let error = Selectors::parse(selector).err().unwrap();
            assert!(error.contains(word), "{selector}: {error}");
        }
    }

    #[test]
    fn explains_incomplete_selectors() {
        let cases = [
            ("main h3 >", "an element is missing at its end"),
            ("> a", "an element is missing at its start"),
            ("a.", "the name of a class"),
            ("#", "an id is missing"),
            ("a:", "a name is missing"),
            ("a[href", "a [ is not closed"),
            ("a[href=\"x]", "a quotation mark is not closed"),
            ("a:not(.x", "a ( is not closed"),
            ("a)", "a ) has no opening bracket"),
            ("h1,", "beside a comma"),
            ("h1,,h2", "beside a comma"),
            ("a:hovering(", "a ( is not closed"),
            ("h1 !", "\"h1 !\" cannot be parsed"),
            ("a..b", "\"a..b\" cannot be parsed"),
        ];
        for (selector, words) in cases {
            let error = Selectors::parse(selector).err().unwrap();
            assert!(error.contains(words), "{selector}: {error}");
            assert!(!error.contains("Lexer") && !error.contains("Token"), "{error}");
        }
        let whole =
            ["a", "a[title=\"(\"]", "h1, h2", "a:not(.x) > b", "[a='\\'']", "a:nth-child(2)"];
        for selector in whole {
            assert_eq!(unfinished(selector), None, "{selector}");
        }
    }

    #[test]
    fn one_value_uses_list_order_and_all_use_page_order() {
        let tree = Html::parse_document("<h2>b</h2><h1>a</h1><h2>c</h2>");
        let selectors = Selectors::parse("h1, h2").unwrap();
        let texts = |found: Vec<ElementRef<'_>>| -> String {
            found.iter().flat_map(|e| e.text()).collect()
        };
        assert_eq!(texts(selectors.all(&tree)), "bac");
        assert_eq!(texts(selectors.first_matching(&tree)), "a");
        assert_eq!(texts(selectors.first(&tree).into_iter().collect()), "a");
    }
}
