//! CSS selectors as people write them into `sources.toml`.

use crate::util::text;
use scraper::{ElementRef, Html, Selector};

/// Longest selector that is read, in bytes.
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
    /// Reads a selector.
    ///
    /// # Errors
    /// Says in a few words why it cannot be used: XPath is named as such.
    pub fn parse(selector: &str) -> Result<Self, String> {
        let selector = selector.trim();
        if selector.is_empty() {
            return Err("is empty; write a CSS selector such as \"article h2 a\"".to_owned());
        }
        if selector.len() > LONGEST {
            return Err(format!("is longer than {LONGEST} bytes"));
        }
        if selector.starts_with('/') || selector.to_ascii_lowercase().starts_with("xpath:") {
            return Err("is XPath, which is not understood; write a CSS selector".to_owned());
        }
        let compile = |part: &str| {
            Selector::parse(part).map_err(|_| {
                let part = text::truncate(&text::line(part), 60).into_owned();
                format!("is no CSS selector: {part:?} cannot be read")
            })
        };
        if let Some(what) = unfinished(selector) {
            return Err(format!("is no CSS selector yet: {what}"));
        }
        let union = compile(selector)?;
        let each = split(selector).into_iter().map(compile).collect::<Result<_, _>>()?;
        Ok(Self { union, each })
    }

    /// Every element that one of them matches, in the order of the page.
    pub fn all<'a>(&self, tree: &'a Html) -> Vec<ElementRef<'a>> {
        tree.select(&self.union).collect()
    }

    /// What the first of them that matches anything matches, in the order of the page.
    pub fn first_matching<'a>(&self, tree: &'a Html) -> Vec<ElementRef<'a>> {
        let found = self.each.iter().map(|s| tree.select(s).collect::<Vec<_>>());
        found.into_iter().find(|elements| !elements.is_empty()).unwrap_or_default()
    }

    /// The first element of the first of them that matches anything.
    pub fn first<'a>(&self, tree: &'a Html) -> Option<ElementRef<'a>> {
        self.each.iter().find_map(|s| tree.select(s).next())
    }
}

/// What a selector that is being typed still lacks, in a few words; `None` where it is whole, as
/// far as that can be told without understanding it.
fn unfinished(selector: &str) -> Option<&'static str> {
    let (mut open, mut quote, mut escaped) = (Vec::new(), None, false);
    for c in selector.chars() {
        match (c, quote) {
            _ if escaped => escaped = false,
            ('\\', _) => escaped = true,
            (c, Some(mark)) => quote = (c != mark).then_some(mark),
            ('"' | '\'', None) => quote = Some(c),
            ('(' | '[', None) => open.push(c),
            (')', None) if open.pop() != Some('(') => return Some("a ) closes nothing"),
            (']', None) if open.pop() != Some('[') => return Some("a ] closes nothing"),
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
        return Some("nothing stands beside a comma");
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
    fn lists_are_split_where_selectors_end() {
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
    fn what_cannot_be_used_is_told() {
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
    fn what_is_half_typed_is_told_in_plain_words() {
        let cases = [
            ("main h3 >", "an element is missing at its end"),
            ("> a", "an element is missing at its start"),
            ("a.", "the name of a class"),
            ("#", "an id is missing"),
            ("a:", "a name is missing"),
            ("a[href", "a [ is not closed"),
            ("a[href=\"x]", "a quotation mark is not closed"),
            ("a:not(.x", "a ( is not closed"),
            ("a)", "a ) closes nothing"),
            ("h1,", "beside a comma"),
            ("h1,,h2", "beside a comma"),
            ("a:hovering(", "a ( is not closed"),
            ("h1 !", "\"h1 !\" cannot be read"),
            ("a..b", "\"a..b\" cannot be read"),
        ];
        for (selector, words) in cases {
            let error = Selectors::parse(selector).err().unwrap();
            assert!(error.contains(words), "{selector}: {error}");
            assert!(!error.contains("report") && !error.contains("Token"), "{error}");
        }
        let whole =
            ["a", "a[title=\"(\"]", "h1, h2", "a:not(.x) > b", "[a='\\'']", "a:nth-child(2)"];
        for selector in whole {
            assert_eq!(unfinished(selector), None, "{selector}");
        }
    }

    #[test]
    fn order_of_the_list_for_one_and_of_the_page_for_all() {
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
