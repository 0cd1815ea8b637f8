//! CSS selectors as written in `sources.toml`.

use crate::util::text;
use ego_tree::iter::Edge;
use scraper::{ElementRef, Html, Selector};

/// Maximum length of a selector, in bytes.
const LONGEST: usize = 1000;
/// Maximum number of elements on a page that are compared with a selector; each of its parts counts
/// separately. Ordinary pages need less than a hundredth of this. `~` examines all previous siblings of an
/// element, and a space all of its ancestors, so a selector could take minutes on a hostile page.
const MAX_STEPS: usize = 30_000_000;

/// One selector, or several separated by commas.
#[derive(Debug, Clone)]
pub struct Selectors {
    /// All selectors combined, which finds elements in page order.
    union: Selector,
    /// The individual selectors, in the order in which they are written.
    each: Vec<Selector>,
    cost: Cost,
}

/// The properties that decide how many steps a selector takes.
#[derive(Debug, Clone, Default)]
struct Cost {
    /// The last parts, which are compared with every element; the other parts are compared only if these
    /// match.
    last: Option<Selector>,
    parts: usize,
    /// Whether ancestors are compared.
    around: bool,
    /// Whether siblings are compared.
    siblings: bool,
}

/// A selector takes too long on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a selector would take more than {} million steps on this page", MAX_STEPS / 1_000_000)]
pub struct TooManySteps;

impl Selectors {
    /// Parses a selector.
    ///
    /// # Errors
    /// If the selector cannot be used. The error is a short reason; XPath is recognised.
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
        let cost = Cost::of(selector);
        let each = split(selector).into_iter().map(compile).collect::<Result<_, _>>()?;
        Ok(Self { union, each, cost })
    }

    /// Checks how many steps the selector takes on a page. A selector that exceeds the limit matches nothing.
    ///
    /// # Errors
    /// If there are too many.
    pub fn check(&self, tree: &Html) -> Result<(), TooManySteps> {
        self.cost.check(tree, MAX_STEPS)
    }

    /// All elements that any of the selectors match, in page order.
    pub fn all<'a>(&self, tree: &'a Html) -> Vec<ElementRef<'a>> {
        if self.check(tree).is_err() {
            return Vec::new();
        }
        tree.select(&self.union).collect()
    }

    /// The matches of the first selector that matches anything, in page order.
    pub fn first_matching<'a>(&self, tree: &'a Html) -> Vec<ElementRef<'a>> {
        if self.check(tree).is_err() {
            return Vec::new();
        }
        let found = self.each.iter().map(|s| tree.select(s).collect::<Vec<_>>());
        found.into_iter().find(|elements| !elements.is_empty()).unwrap_or_default()
    }

    /// The matches of each selector, in the order in which the selectors are written.
    pub fn each_matching<'a>(&self, tree: &'a Html) -> Vec<Vec<ElementRef<'a>>> {
        if self.check(tree).is_err() {
            return Vec::new();
        }
        self.each.iter().map(|s| tree.select(s).collect()).collect()
    }

    /// The first element of the first selector that matches anything.
    pub fn first<'a>(&self, tree: &'a Html) -> Option<ElementRef<'a>> {
        self.check(tree).ok()?;
        self.each.iter().find_map(|s| tree.select(s).next())
    }
}

/// A compound selector without conditions that count siblings, because each comparison would count all
/// siblings. The result matches at least the same elements.
fn without_counts(compound: &str) -> String {
    let lower = compound.to_ascii_lowercase();
    let (mut out, mut at) = (String::new(), 0);
    while let Some(start) = lower[at..].find(':').map(|n| at + n) {
        out.push_str(&compound[at..start]);
        let name = &lower[start + 1..];
        let length = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        let mut end = length.map_or(compound.len(), |n| start + 1 + n);
        let counts = name.starts_with("nth-") || lower[start..end].ends_with("-of-type");
        if counts && lower[end..].starts_with('(') {
            end = lower[end..].find(')').map_or(compound.len(), |n| end + n + 1);
        }
        if !counts {
            out.push_str(&compound[start..end]);
        }
        // Does not continue between the two colons of a pseudo-element.
        at = end.max(start + 1);
    }
    out.push_str(&compound[at..]);
    match out.trim() {
        "" => "*".to_owned(),
        rest => rest.to_owned(),
    }
}

impl Cost {
    fn of(selector: &str) -> Self {
        let parts = split(selector);
        let walks: Vec<Walks> = parts.iter().map(|part| Walks::of(part)).collect();
        let around = walks.iter().any(|w| w.around || w.nested);
        let siblings = walks.iter().any(|w| w.siblings);
        // Selectors in brackets that have combinators are compared with every element.
        let nested = walks.iter().any(|w| w.nested);
        let last: Vec<&str> = parts.iter().zip(&walks).map(|(part, w)| &part[w.last..]).collect();
        let last: Vec<String> = last.into_iter().map(without_counts).collect();
        let last = if nested { None } else { Selector::parse(&last.join(", ")).ok() };
        Self { last, parts: parts.len(), around, siblings }
    }

    fn check(&self, tree: &Html, limit: usize) -> Result<(), TooManySteps> {
        let mut steps = 0usize;
        // The number of elements so far at each level.
        let mut levels: Vec<usize> = vec![0];
        for edge in tree.tree.root().traverse() {
            let node = match edge {
                Edge::Open(node) => node,
                Edge::Close(_) => {
                    levels.pop();
                    continue;
                }
            };
            if let Some(element) = ElementRef::wrap(node) {
                steps += self.parts;
                let before = levels.last_mut().map_or(0, |count| {
                    *count += 1;
                    *count
                });
                let walks = self.around || self.siblings;
                if walks && self.last.as_ref().is_none_or(|last| last.matches(&element)) {
                    let around = if self.around { levels.len() } else { 1 };
                    let siblings = if self.siblings { before } else { 1 };
                    steps = steps.saturating_add(around.saturating_mul(siblings));
                }
                if steps > limit {
                    return Err(TooManySteps);
                }
            }
            levels.push(0);
        }
        Ok(())
    }
}

/// The steps that are needed to compare one part of a selector with an element.
#[derive(Default)]
struct Walks {
    /// Offset of the last compound selector.
    last: usize,
    around: bool,
    siblings: bool,
    /// Whether a selector in brackets has combinators.
    nested: bool,
}

impl Walks {
    fn of(part: &str) -> Self {
        let mut walks = Self::default();
        let (mut open, mut quote, mut escaped) = (Vec::new(), None, false);
        for (at, c) in part.char_indices() {
            match (c, quote) {
                _ if escaped => escaped = false,
                ('\\', _) => escaped = true,
                (c, Some(mark)) => quote = (c != mark).then_some(mark),
                ('"' | '\'', None) => quote = Some(c),
                ('(' | '[', None) => {
                    let counts =
                        part[..at].rsplit(':').next().is_some_and(|n| n.starts_with("nth-"));
                    let of_selectors = c == '(' && (!counts || part[at..].contains(" of "));
                    let has = part[..at].to_ascii_lowercase().ends_with(":has");
                    walks.nested |= has && of_selectors;
                    open.push(of_selectors);
                }
                (')' | ']', None) => drop(open.pop()),
                _ => {}
            }
            let combinator = quote.is_none() && (c.is_whitespace() || matches!(c, '>' | '+' | '~'));
            match open.last() {
                None if combinator => {
                    walks.siblings |= c == '~';
                    walks.last = at + c.len_utf8();
                    walks.around |= c.is_whitespace();
                }
                Some(true) if combinator => {
                    walks.nested = true;
                    walks.siblings |= c == '~';
                }
                _ => {}
            }
        }
        walks
    }
}

/// What is missing in a selector that is being typed; `None` if it seems complete, without parsing it.
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
        return Some("a selector is missing next to a comma");
    }
    match selector.chars().next_back()? {
        '.' => Some("the name of a class is missing after the ."),
        '#' => Some("an id is missing after the #"),
        ':' => Some("a name is missing after the :"),
        '>' | '+' | '~' => Some("an element is missing at the end"),
        _ if selector.starts_with(['>', '+', '~']) => Some("an element is missing at the start"),
        _ => None,
    }
}

/// The selectors of a list. Commas in brackets or quotes do not separate selectors.
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
    use crate::util::html::tree;

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
    fn removes_conditions_that_count_siblings() {
        let cases = [
            ("li:nth-child(2n+1)", "li"),
            ("li:Nth-Last-Child(2).x:hover", "li.x:hover"),
            ("p:first-of-type", "p"),
            (":nth-child(3)", "*"),
            ("a:not(.b)", "a:not(.b)"),
            ("p::before", "p::before"),
            ("é:nth-child(", "é"),
        ];
        for (compound, want) in cases {
            assert_eq!(without_counts(compound), want);
        }
    }

    #[test]
    fn limits_the_steps_on_a_page() {
        let wide = format!("<div>{}</div>", "<p class=x>1</p>".repeat(2_000));
        let deep = "<div>".repeat(100) + &"<p class=x>1</p>".repeat(5_000);
        let wide = tree::page(&wide).unwrap();
        let deep = tree::page(&deep).unwrap();
        let cases = [
            ("p.x", true, true),
            ("div > p.x:nth-child(2n + 1)", true, false),
            ("div p.x", true, false),
            ("div em", true, true),
            ("p ~ p", false, false),
            ("em ~ p, em", false, false),
            ("p ~ em", true, true),
            ("em:not(p ~ em)", false, false),
            ("[title='a ~ b']", true, true),
            ("p.x + p.x", true, false),
            (":has(em ~ p)", false, false),
        ];
        for (selector, on_wide, on_deep) in cases {
            let selectors = Selectors::parse(selector).unwrap();
            let fits = [&wide, &deep].map(|tree| selectors.cost.check(tree, 300_000).is_ok());
            assert_eq!(fits, [on_wide, on_deep], "{selector}");
        }
    }

    #[test]
    fn explains_incomplete_selectors() {
        let cases = [
            ("main h3 >", "an element is missing at the end"),
            ("> a", "an element is missing at the start"),
            ("a.", "the name of a class"),
            ("#", "an id is missing"),
            ("a:", "a name is missing"),
            ("a[href", "a [ is not closed"),
            ("a[href=\"x]", "a quotation mark is not closed"),
            ("a:not(.x", "a ( is not closed"),
            ("a)", "a ) has no opening bracket"),
            ("h1,", "next to a comma"),
            ("h1,,h2", "next to a comma"),
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
    fn selectors_find_one_or_all_values_in_order() {
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
