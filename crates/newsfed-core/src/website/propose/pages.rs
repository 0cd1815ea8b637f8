//! Finds the link to the next page of a list.

use super::names::lasts;
use crate::util::html::tree::text_up_to;
use crate::website::page::Page;
use crate::website::selector::Selectors;
use scraper::ElementRef;

/// Maximum number of names that are tried, of the link to the next page and of elements around it.
const MAX_NAMES: usize = 12;

/// Texts of links to the next page.
const WORDS: [&str; 22] = [
    "next",
    "next page",
    "older",
    "older posts",
    "older entries",
    "more posts",
    "load more",
    "weiter",
    "nächste seite",
    "ältere beiträge",
    "suivant",
    "page suivante",
    "articles plus anciens",
    "siguiente",
    "página siguiente",
    "successiva",
    "далее",
    "следующая",
    "次へ",
    "次のページ",
    "下一页",
    "다음",
];

/// A selector for the link to the next page: by its relation, by its class, or by the class of an element
/// around it.
pub fn next_selector(page: &Page) -> Option<String> {
    let works = |selector: &str| {
        let found = Selectors::parse(selector).ok()?.first(page.tree())?;
        let url = found.attr("href").and_then(|href| page.resolve(href));
        let inside = || {
            let link = found.descendent_elements().find(|e| e.attr("href").is_some())?;
            page.resolve(link.attr("href")?)
        };
        let url = url.or_else(inside)?;
        (url != *page.url()).then(|| selector.to_owned())
    };
    if let Some(found) = works("a[rel~=next], link[rel~=next]") {
        return Some(found);
    }
    let is_next = |link: &ElementRef<'_>| {
        let text = text_up_to(*link, 100).to_lowercase();
        let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
        WORDS.contains(&bare)
    };
    let links = page.tree().root_element().descendent_elements();
    let mut links = links.filter(|e| e.value().name() == "a" && e.attr("href").is_some());
    let link = links.find(is_next)?;
    let own = link.value().classes().filter(|c| lasts(c)).map(|c| format!("a.{c}"));
    let around = link.ancestors().filter_map(ElementRef::wrap).take(2).flat_map(|e| {
        let tag = e.value().name();
        e.value()
            .classes()
            .filter(|c| lasts(c))
            .map(move |c| format!("{tag}.{c} a"))
            .collect::<Vec<_>>()
    });
    // A name identifies the link to the next page only if no other link has it.
    let leads_there = |selector: &String| {
        let found = Selectors::parse(selector).map(|s| s.all(page.tree()));
        found.is_ok_and(|all| all.first().is_some_and(|first| first.id() == link.id()))
    };
    // Each selector is compared with the whole page.
    own.chain(around).take(MAX_NAMES).find(leads_there)
}
