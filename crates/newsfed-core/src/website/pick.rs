//! Finds a short selector with stable names for an element that the user points at.

use super::page::Page;
use super::propose::{around, classes, cost, is_heading, lasts, tag};
use super::selector::Selectors;
use ego_tree::NodeId;
use scraper::ElementRef;
use std::collections::HashSet;

/// Maximum number of ancestors that a selector may name.
const LEVELS: usize = 8;
/// Maximum number of selectors that are tried.
const MAX_TRIED: usize = 120;
/// Maximum number of siblings that are examined.
const MAX_SIBLINGS: usize = 2000;

/// What the selector should match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pick {
    /// The element and similar ones, such as the links of a list.
    Alike,
    /// The element, as the first match on its page.
    One,
}

/// A selector that matches an element, and all or none of the similar ones. `None` if there is no such
/// selector, for example deep in a page without names.
pub fn pick(page: &Page, element: ElementRef<'_>, pick: Pick) -> Option<String> {
    match pick {
        Pick::Alike => for_all(page, element),
        Pick::One => for_one(page, element),
    }
}

fn for_all(page: &Page, element: ElementRef<'_>) -> Option<String> {
    let wanted = alike(element);
    if wanted.len() < 2 {
        return for_one(page, element);
    }
    let mut best: Option<(usize, String)> = None;
    for selector in offers(element) {
        let Ok(found) = Selectors::parse(&selector).map(|s| s.all(page.tree())) else { continue };
        let found: HashSet<NodeId> = found.into_iter().map(|e| e.id()).collect();
        if !wanted.is_subset(&found) {
            continue;
        }
        let more = found.len() - wanted.len();
        if more == 0 {
            return Some(selector);
        }
        if best.as_ref().is_none_or(|(least, _)| more < *least) {
            best = Some((more, selector));
        }
    }
    // The tag, which is one of the candidates, matches all similar elements unless it is not a valid
    // selector.
    best.map(|(_, selector)| selector).or_else(|| for_one(page, element))
}

fn for_one(page: &Page, element: ElementRef<'_>) -> Option<String> {
    let finds_it = |selector: &String| {
        let first = Selectors::parse(selector).ok().and_then(|s| s.first(page.tree()));
        first.is_some_and(|first| first.id() == element.id())
    };
    let found = offers(element).into_iter().find(finds_it);
    // The path may exceed the maximum length of a selector.
    found.or_else(|| Some(steps(element)).filter(finds_it))
}

/// Selectors that match the element, simplest first.
fn offers(element: ElementRef<'_>) -> Vec<String> {
    let (own, tag) = (own_names(element), tag(element));
    let mut offers = own.clone();
    let levels: Vec<ElementRef<'_>> = above(element).take(LEVELS).collect();
    if let Some(parent) = levels.first() {
        let mut names = names(*parent);
        names.push(self::tag(*parent).to_owned());
        for name in names {
            offers.extend(own.iter().take(2).map(|own| format!("{name} > {own}")));
            offers.push(format!("{name} > {tag}"));
        }
    }
    let mut rings: Vec<(usize, String)> = Vec::new();
    for (level, around) in levels.iter().enumerate() {
        for name in names(*around) {
            offers.extend(own.iter().map(|own| format!("{name} {own}")));
            rings.push((level, name));
        }
    }
    for (outer, name) in &rings {
        let inner = rings.iter().filter(|(level, _)| level < outer && *level < 3);
        offers.extend(inner.map(|(_, inner)| format!("{name} {inner} {tag}")));
    }
    let mut known = HashSet::new();
    offers.retain(|offer| known.insert(offer.clone()));
    offers.sort_by_cached_key(|offer| (weight(offer), offer.len(), offer.clone()));
    offers.truncate(MAX_TRIED);
    // The tag alone is the last resort, because it always matches.
    if !offers.iter().any(|offer| offer == tag) {
        offers.push(tag.to_owned());
    }
    offers
}

/// The names of the element itself.
fn own_names(element: ElementRef<'_>) -> Vec<String> {
    let tag = tag(element);
    let mut own: Vec<String> = classes(element).into_iter().map(|c| format!("{tag}{c}")).collect();
    for attribute in ["itemprop", "rel"] {
        let words = element.attr(attribute).unwrap_or_default().split_whitespace();
        let words = words.filter(|w| w.chars().all(|c| c.is_ascii_alphanumeric()));
        own.extend(words.take(2).map(|word| format!("{tag}[{attribute}~={word}]")));
    }
    if let Some(id) = element.attr("id").filter(|id| lasts(id)) {
        own.push(format!("#{id}"));
    }
    own.push(tag.to_owned());
    own
}

/// The names of an ancestor.
fn names(element: ElementRef<'_>) -> Vec<String> {
    let mut names = around(element);
    if matches!(element.value().name(), "header" | "footer" | "aside" | "nav" | "address") {
        names.push(element.value().name().to_owned());
    }
    names
}

/// Like [`cost`], but higher if the last step has no meaning: any `div` could be there.
fn weight(selector: &str) -> usize {
    let last = selector.rsplit([' ', '>']).next().unwrap_or(selector);
    let reports = last.contains(['.', '#', '['])
        || is_heading(last)
        || matches!(last, "a" | "time" | "article" | "main" | "address");
    // Not all links of a page are one list.
    let bare = if selector == "a" { 4 } else { 0 };
    cost(selector) + bare + if reports { 0 } else { 2 }
}

/// The element, and the elements at the same position inside siblings of it or of one of its ancestors. The
/// level with the most siblings is used.
fn alike(element: ElementRef<'_>) -> HashSet<NodeId> {
    let mut best: (usize, Vec<ElementRef<'_>>) = (1, Vec::new());
    let mut path: Vec<ElementRef<'_>> = Vec::new();
    let mut level = element;
    for _ in 0..LEVELS {
        let Some(parent) = level.parent().and_then(ElementRef::wrap) else { break };
        let siblings = parent.child_elements().take(MAX_SIBLINGS);
        let same: Vec<_> = siblings.filter(|e| kind(*e) == kind(level)).collect();
        if same.len() > best.0 {
            let within = same.iter().filter_map(|sibling| below(*sibling, &path)).collect();
            best = (same.len(), within);
        }
        path.push(level);
        level = parent;
        if matches!(level.value().name(), "body" | "html") {
            break;
        }
    }
    best.1.iter().map(|e| e.id()).chain([element.id()]).collect()
}

/// Follows `path` in reverse from `start`, to the element that corresponds to the first element of `path`.
fn below<'a>(start: ElementRef<'a>, path: &[ElementRef<'_>]) -> Option<ElementRef<'a>> {
    path.iter().rev().try_fold(start, |at, step| {
        let same = || at.child_elements().filter(|e| e.value().name() == step.value().name());
        same().find(|e| kind(*e) == kind(*step)).or_else(|| same().next())
    })
}

/// Siblings of the same kind are considered similar.
fn kind(element: ElementRef<'_>) -> (&str, Option<String>) {
    (element.value().name(), classes(element).into_iter().next())
}

fn above(element: ElementRef<'_>) -> impl Iterator<Item = ElementRef<'_>> {
    let around = element.ancestors().filter_map(ElementRef::wrap);
    around.take_while(|e| !matches!(e.value().name(), "body" | "html"))
}

/// The path to an element by child positions, starting at the nearest ancestor with a stable id, or at the
/// body.
fn steps(element: ElementRef<'_>) -> String {
    let mut steps = Vec::new();
    let mut at = Some(element);
    while let Some(here) = at {
        if let Some(id) = here.attr("id").filter(|id| lasts(id)) {
            steps.push(format!("#{id}"));
            break;
        }
        let parent = here.parent().and_then(ElementRef::wrap);
        let place = parent.map_or(1, |parent| {
            parent.child_elements().position(|e| e.id() == here.id()).unwrap_or(0) + 1
        });
        let tag = tag(here);
        match tag {
            "html" | "body" => steps.push(tag.to_owned()),
            _ => steps.push(format!("{tag}:nth-child({place})")),
        }
        if tag == "body" {
            break;
        }
        at = parent;
    }
    steps.reverse();
    steps.join(" > ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use url::Url;

    fn page(markup: &str) -> Page {
        Page::parse(markup, &Url::parse("https://example.org/").unwrap()).unwrap()
    }

    fn made(markup: &str, at: &str, what: Pick) -> String {
        let page = page(markup);
        let element = Selectors::parse(at).unwrap().first(page.tree()).unwrap();
        pick(&page, element, what).unwrap()
    }

    #[test]
    fn picks_natural_selectors() {
        let card = |n: usize| {
            format!(
                "<article class='css-8x7y6z card'><h3><a href=/{n}>Title {n}</a></h3>\
                 <time>{n} May</time><p>More <a href=/{n}>here</a></p></article>"
            )
        };
        let cards: String = (0..9).map(card).collect();
        let list = format!(
            "<nav><ul><li><a href=/a>A</a></li><li><a href=/b>B</a></li></ul></nav>\
             <main><section class=news-list>{cards}</section></main>\
             <aside><h3><a href=/x>Other</a></h3></aside>"
        );
        let article = "<header><h1>Site</h1></header><main><article><h1 class=headline>T</h1>\
            <p class=byline>Ann</p><time class=when>1 May</time><div class=x1y2z3>\
            <p>One</p><p>Two</p></div><p>Three</p></article></main>";
        let cases = [
            (list.as_str(), "article h3 a", Pick::Alike, "main h3 a"),
            (&list, "article", Pick::Alike, "article"),
            (&list, "nav a", Pick::Alike, "li a"),
            (&list, "aside h3 a", Pick::One, "aside a"),
            (article, "h1.headline", Pick::One, "h1.headline"),
            (article, ".byline", Pick::One, "p.byline"),
            (article, "time", Pick::One, "time"),
            (article, "main > article", Pick::One, "article"),
        ];
        for (markup, at, what, want) in cases {
            assert_eq!(made(markup, at, what), want, "{at}");
        }
    }

    #[test]
    fn does_not_use_ambiguous_names() {
        let markup =
            "<div><a\u{202e}x class=card>1</a\u{202e}x><p itemprop='a\u{1b}[31m b'>2</p></div>";
        let page = page(markup);
        let root = page.tree().root_element();
        for element in root.descendent_elements().filter(|e| e.value().name() != "html") {
            for what in [Pick::One, Pick::Alike] {
                let made = pick(&page, element, what).unwrap();
                assert!(made.is_ascii() && !made.contains('\u{1b}'), "{made:?}");
            }
        }
    }

    #[test]
    fn finds_elements_without_stable_names_by_position() {
        let markup = "<div><div><p>a</p></div><div><p>b</p><p>c</p></div></div>";
        let page = page(markup);
        let third = Selectors::parse("p").unwrap().all(page.tree())[2];
        let selector = pick(&page, third, Pick::One).unwrap();
        assert_eq!(selector, "body > div:nth-child(1) > div:nth-child(2) > p:nth-child(2)");
    }

    /// Two copies of the markup, each nested in `depth` identical elements.
    fn twice_below(depth: usize, markup: &str) -> String {
        let (open, close) = ("<div>".repeat(depth), "</div>".repeat(depth));
        format!("<body>{}</body>", format!("{open}{markup}{close}").repeat(2))
    }

    #[test]
    fn returns_none_for_elements_that_are_too_deep() {
        for (depth, reached) in [(30, true), (100, false)] {
            let page = page(&twice_below(depth, "<p>a</p>"));
            let second = Selectors::parse("p").unwrap().all(page.tree())[1];
            let selector = pick(&page, second, Pick::One);
            let found = selector.and_then(|s| Selectors::parse(&s).unwrap().first(page.tree()));
            assert_eq!(found.map(|e| e.id()), reached.then(|| second.id()), "{depth}");
        }
    }

    /// Pages of nested elements with various classes.
    fn markup() -> impl Strategy<Value = String> {
        let tags = ["div", "p", "ul", "li", "a", "h2", "article", "x-card", "o:p", "section"];
        let classes = ["", "card", "css-9z8y7x", "card wide", "row", "md:flex", "story-title x1"];
        let leaf = (0..10usize, 0..7usize, "[a-z ]{0,6}").prop_map(move |(tag, class, text)| {
            let tag = tags[tag];
            format!("<{tag} class=\"{}\">{text}</{tag}>", classes[class])
        });
        leaf.prop_recursive(5, 40, 6, move |inner| {
            (0..10usize, 0..7usize, prop::collection::vec(inner, 0..6)).prop_map(
                move |(tag, class, inner)| {
                    let tag = tags[tag];
                    format!("<{tag} class=\"{}\">{}</{tag}>", classes[class], inner.concat())
                },
            )
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn selectors_find_their_element(
            markup in markup(),
            depth in prop_oneof![Just(0), Just(30)],
        ) {
            let page = page(&twice_below(depth, &markup));
            let root = page.tree().root_element();
            let all: Vec<_> = root.descendent_elements().filter(|e| e.value().name() != "html").collect();
            let (first, last) = all.split_at(all.len().saturating_sub(15));
            for element in first.iter().take(15).chain(last).copied() {
                let one = pick(&page, element, Pick::One).unwrap();
                let found = Selectors::parse(&one).unwrap().first(page.tree());
                prop_assert_eq!(found.map(|e| e.id()), Some(element.id()), "{}", one);
                let all = pick(&page, element, Pick::Alike).unwrap();
                let found = Selectors::parse(&all).unwrap().all(page.tree());
                let found: HashSet<NodeId> = found.into_iter().map(|e| e.id()).collect();
                prop_assert!(found.contains(&element.id()), "{}", all);
            }
        }

        #[test]
        fn selectors_find_all_repeated_siblings(inner in markup(), count in 2..9usize) {
            let rows = format!("<x-row class='css-1a2b3c'>{inner}</x-row>").repeat(count);
            let page = page(&format!("<body><x-list class=x9y8>{rows}</x-list></body>"));
            let rows = Selectors::parse("body > x-list > x-row").unwrap().all(page.tree());
            // The parser moves links that are inside links out of their rows.
            prop_assume!(rows.len() == count);
            let selector = pick(&page, rows[0], Pick::Alike).unwrap();
            let found = Selectors::parse(&selector).unwrap().all(page.tree());
            let found: HashSet<NodeId> = found.into_iter().map(|e| e.id()).collect();
            prop_assert!(rows.iter().all(|row| found.contains(&row.id())), "{}", selector);
        }
    }
}
