//! Selectors for the parts of an article, derived from some of a site's articles.

use super::names::{classes, is_heading};
use crate::article::{self, Guide};
use crate::model::{Confidence, DateSource, Time, WebsiteRules};
use crate::util::html::tree::text_up_to;
use crate::website::article::glance;
use crate::website::date;
use crate::website::page::Page;
use crate::website::selector::Selectors;
use chrono::TimeDelta;
use scraper::ElementRef;
use std::collections::HashMap;

/// Minimum number of characters in an article's text.
const MIN_TEXT: usize = 140;
/// Maximum number of bytes of a heading, byline or date that are examined.
const MAX_SHORT: usize = 500;
/// Maximum number of bytes of a paragraph that are examined.
const MAX_PARAGRAPH: usize = 5000;
/// Minimum number of links to other pages in a `nav` that counts as the menu of a site.
const MENU: usize = 5;
/// Maximum depth of elements that are searched for the text of an article.
const MAX_LEVELS: usize = 40;

/// An article and the text of its link in the list.
pub struct Sample {
    pub page: Page,
    /// The title in the list.
    pub title: String,
}

/// Selectors for the articles of a site, derived from what two or three articles, fetched at `now`, have in
/// common. Parts that are not found keep their selectors.
pub fn article_rules(samples: &[Sample], rules: WebsiteRules, now: Option<Time>) -> WebsiteRules {
    let mut rules = rules;
    if let Some(title) = common(samples, title_selectors) {
        rules.title = leading(&title, WebsiteRules::TITLE, samples);
    }
    if let Some(content) = common(samples, content_selectors) {
        rules.content = leading(&content, WebsiteRules::CONTENT, samples);
    }
    rules.author = rules.author.or_else(|| common(samples, author_selectors));
    let has_metadata = |s: &Sample| glance(&s.page, &rules).published.is_some();
    if rules.date.is_none() && !samples.iter().all(|s| has_metadata(s) || has_data(s)) {
        rules.date = common(samples, |sample| date_selectors(sample, now));
    }
    rules
}

/// Whether the structured data of a page states when it was published, often with a time of day that the text
/// does not show.
fn has_data(sample: &Sample) -> bool {
    let guide = Guide { url: Some(sample.page.url().clone()), ..Guide::default() };
    let published = article::dates_of(sample.page.tree(), &guide).published;
    published
        .is_some_and(|p| p.from == DateSource::StructuredData && p.confidence == Confidence::High)
}

/// The best selector that most samples have in common.
fn common(samples: &[Sample], offer: impl Fn(&Sample) -> Vec<String>) -> Option<String> {
    let mut votes: HashMap<String, (usize, usize)> = HashMap::new();
    for sample in samples {
        for (rank, selector) in offer(sample).into_iter().enumerate() {
            let vote = votes.entry(selector).or_insert((0, 0));
            *vote = (vote.0 + 1, vote.1 + rank);
        }
    }
    let enough = samples.len() / 2 + 1;
    let winners = votes.into_iter().filter(|(_, (count, _))| *count >= enough);
    let order = |(s, (count, rank)): &(String, (usize, usize))| {
        (std::cmp::Reverse(*count), *rank, s.len(), s.clone())
    };
    winners.min_by_key(order).map(|(selector, _)| selector)
}

/// Selectors of an element by its property, its stable classes and its tag, if the element is their first
/// match on the page.
fn selectors_of(page: &Page, element: ElementRef<'_>) -> Vec<String> {
    let tag = element.value().name();
    let named = classes(element).into_iter().map(|c| format!("{tag}{c}"));
    let property = element.attr("itemprop").filter(|p| p.chars().all(char::is_alphanumeric));
    let property = property.map(|p| format!("[itemprop={p}]"));
    let all = property.into_iter().chain(named).chain([tag.to_owned()]);
    let finds_it = |selector: &String| {
        let first = Selectors::parse(selector).ok().and_then(|s| s.first(page.tree()));
        first.is_some_and(|first| first.id() == element.id())
    };
    all.filter(finds_it).collect()
}

fn elements(page: &Page) -> impl Iterator<Item = ElementRef<'_>> {
    page.tree().root_element().descendent_elements()
}

/// Selectors for the heading with the same text as the title in the list.
fn title_selectors(sample: &Sample) -> Vec<String> {
    let plain = |s: &str| s.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted = plain(&sample.title);
    let has_title = |e: &ElementRef<'_>| {
        is_heading(e.value().name()) && plain(&text_up_to(*e, MAX_SHORT)) == wanted
    };
    let heading = elements(&sample.page).find(|e| !wanted.is_empty() && has_title(e));
    let heading = heading.or_else(|| elements(&sample.page).find(|e| e.value().name() == "h1"));
    heading.map(|h| selectors_of(&sample.page, h)).unwrap_or_default()
}

/// Selectors for the element that contains most of the paragraphs: the deepest one in which no single child
/// has most of its text.
fn content_selectors(sample: &Sample) -> Vec<String> {
    let Some(body) = elements(&sample.page).find(|e| e.value().name() == "body") else {
        return Vec::new();
    };
    let mut element = body;
    let mut offers = Vec::new();
    for _ in 0..MAX_LEVELS {
        let whole = prose(element);
        if whole < MIN_TEXT {
            break;
        }
        if element.id() != body.id() && !has_navigation(&sample.page, element) {
            offers.splice(0..0, selectors_of(&sample.page, element));
        }
        let heavy = element
            .child_elements()
            .find(|c| prose(*c) * 10 >= whole * 8 && !matches!(c.value().name(), "p" | "pre"));
        match heavy {
            Some(child) => element = child,
            None => break,
        }
    }
    // Selectors with a specific name are preferred to a deeper element without one.
    offers.retain(|s| s != "div" && s != "section");
    offers
}

/// Whether an element contains the navigation of the site. If so, its text is more than the article, and the
/// article is better found without a selector. A table of contents does not count.
fn has_navigation(page: &Page, element: ElementRef<'_>) -> bool {
    let is_navigation =
        |e: &ElementRef<'_>| e.value().name() == "nav" || e.attr("role") == Some("navigation");
    let leads_away = |e: ElementRef<'_>| {
        let links = e.descendent_elements().filter_map(|link| link.attr("href"));
        let others = links.filter_map(|href| page.resolve(href)).filter(|url| {
            let mut url = url.clone();
            url.set_fragment(None);
            url != *page.url()
        });
        others.take(MENU).count() >= MENU
    };
    element.descendent_elements().any(|e| is_navigation(&e) && leads_away(e))
}

/// Number of bytes in the paragraphs of an element.
fn prose(element: ElementRef<'_>) -> usize {
    let within = element.descendent_elements();
    let paragraphs = within.filter(|e| matches!(e.value().name(), "p" | "pre" | "blockquote"));
    paragraphs.map(|p| text_up_to(p, MAX_PARAGRAPH).len()).sum()
}

fn author_selectors(sample: &Sample) -> Vec<String> {
    let is_byline = |e: &ElementRef<'_>| {
        let has_word = |key: &str, word: &str| {
            e.attr(key)
                .is_some_and(|v| v.split([' ', '-', '_']).any(|w| w.eq_ignore_ascii_case(word)))
        };
        let named = has_word("rel", "author") || has_word("itemprop", "author");
        let classed = has_word("class", "author") || has_word("class", "byline");
        let length = || text_up_to(*e, MAX_SHORT).chars().count();
        (named || classed) && (3..60).contains(&length())
    };
    elements(&sample.page)
        .filter(is_byline)
        .flat_map(|e| {
            let rel = e.attr("rel").is_some().then(|| "a[rel~=author]".to_owned());
            rel.into_iter().chain(selectors_of(&sample.page, e))
        })
        .take(8)
        .collect()
}

/// Selectors for elements with a date that does not belong to an event.
fn date_selectors(sample: &Sample, now: Option<Time>) -> Vec<String> {
    let events = article::event_days(sample.page.tree());
    let is_past = |date: Time| {
        let ahead = now.is_some_and(|now| date > now + TimeDelta::hours(24));
        !ahead && !events.contains(&date.date_naive())
    };
    let is_date = |e: &ElementRef<'_>| {
        let small = e.child_elements().count() <= 1;
        let tag = e.value().name();
        (tag == "time" || (small && text_up_to(*e, MAX_SHORT).len() < 60 && tag != "a"))
            && date::of_element(*e, None).is_some_and(is_past)
    };
    elements(&sample.page)
        .filter(is_date)
        .flat_map(|e| selectors_of(&sample.page, e))
        .filter(|s| s.contains(['.', '[']) || s == "time")
        .take(8)
        .collect()
}

/// A list of selectors that starts with `selector`. The usual list keeps its order if it contains that
/// selector and finds the same element.
fn leading(selector: &str, usual: &str, samples: &[Sample]) -> String {
    let first = |selectors: &str, sample: &Sample| {
        let selectors = Selectors::parse(selectors).ok()?;
        selectors.first(sample.page.tree()).map(|element| element.id())
    };
    let same = |sample: &Sample| first(usual, sample) == first(selector, sample);
    if usual.split(", ").any(|one| one == selector) && samples.iter().all(same) {
        return usual.to_owned();
    }
    before(selector, usual)
}

/// A list of selectors that starts with `first` and has no duplicate of it.
fn before(first: &str, others: &str) -> String {
    let rest = others.split(", ").filter(|other| *other != first);
    std::iter::once(first).chain(rest).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn rules(markup: &str) -> WebsiteRules {
        let url = Url::parse("https://example.org/a").unwrap();
        let page = Page::parse(markup, &url).unwrap();
        let samples = [Sample { page, title: "A story".to_owned() }];
        article_rules(&samples, WebsiteRules::default(), None)
    }

    fn title(markup: &str) -> String {
        rules(markup).title
    }

    #[test]
    fn usual_selectors_that_find_the_title_keep_their_order() {
        assert_eq!(title("<h1>Site</h1><main><h1>A story</h1></main>"), WebsiteRules::TITLE);
        assert_eq!(title("<h1>A story</h1>"), WebsiteRules::TITLE);
        let other = title("<h1>Site</h1><h2 class=headline>A story</h2>");
        assert_eq!(other, format!("h2.headline, {}", WebsiteRules::TITLE));
    }

    #[test]
    fn elements_with_the_site_menu_are_not_content() {
        let text = "<p>The ferry to the island leaves every hour, and in fog it does not leave at all.</p>";
        let page = |inside: &str| {
            let text = text.repeat(6);
            rules(&format!("<div class=container>{inside}<div>{text}</div></div>")).content
        };
        let menu = (0..8).map(|n| format!("<li><a href=/{n}>Page {n}</a>")).collect::<String>();
        let contents = (0..8).map(|n| format!("<li><a href=#{n}>Part {n}</a>")).collect::<String>();
        let with_selector = format!("div.container, {}", WebsiteRules::CONTENT);
        assert_eq!(page(&format!("<nav><ul>{menu}</ul></nav>")), WebsiteRules::CONTENT);
        assert_eq!(page(&format!("<ul role=navigation>{menu}</ul>")), WebsiteRules::CONTENT);
        assert_eq!(page(&format!("<nav><ul>{contents}</ul></nav>")), with_selector);
        let absolute = contents.replace("href=#", "href=https://example.org/a#");
        assert_eq!(page(&format!("<nav><ul>{absolute}</ul></nav>")), with_selector);
        assert_eq!(page(""), with_selector);
    }
}
