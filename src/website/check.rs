//! Whether declared rules can be used.

use super::selector::Selectors;
use crate::model::{WebsiteMode, WebsiteRules};

/// What is wrong with rules: the key in `sources.toml`, and why. Empty when they can be used.
pub fn check(rules: &WebsiteRules) -> Vec<(&'static str, String)> {
    let mut wrong = Vec::new();
    if rules.mode == WebsiteMode::List && rules.articles.is_none() {
        let what = "is missing: the mode \"list\" needs a selector for the links to articles";
        wrong.push(("articles", what.to_owned()));
    }
    let selectors = [
        ("articles", rules.articles.as_deref()),
        ("next", rules.next.as_deref()),
        ("title", Some(rules.title.as_str())),
        ("content", Some(rules.content.as_str())),
        ("author", rules.author.as_deref()),
        ("date", rules.date.as_deref()),
    ];
    for (key, selector) in selectors {
        let fault = selector.and_then(|s| Selectors::parse(s).err());
        wrong.extend(fault.map(|why| (key, why)));
    }
    if rules.max_pages == 0 {
        wrong.push(("max_pages", "is at least 1".to_owned()));
    }
    if rules.date_format.as_deref().is_some_and(|layout| !super::date::is_layout(layout)) {
        let what = "says nothing about a date; write the 2nd of January 2006 as the site would";
        wrong.push(("date_format", what.to_owned()));
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named() {
        let good = WebsiteRules { articles: Some("a.x".to_owned()), ..WebsiteRules::default() };
        let cases = [
            (good.clone(), None),
            (WebsiteRules::default(), Some("articles")),
            (WebsiteRules { mode: WebsiteMode::Direct, ..WebsiteRules::default() }, None),
            (WebsiteRules { title: "h1[".to_owned(), ..good.clone() }, Some("title")),
            (WebsiteRules { next: Some("//a".to_owned()), ..good.clone() }, Some("next")),
            (WebsiteRules { max_pages: 0, ..good.clone() }, Some("max_pages")),
            (WebsiteRules { date_format: Some("%Y".to_owned()), ..good }, Some("date_format")),
        ];
        for (rules, want) in cases {
            let found = check(&rules);
            assert_eq!(found.first().map(|(key, _)| *key), want, "{found:?}");
        }
    }
}
