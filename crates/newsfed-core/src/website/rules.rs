//! Checks the declared selectors and settings of a website source.

use super::selector::Selectors;
use crate::model::WebsiteRules;

/// The problems of these selectors and settings, as pairs of a key in `sources.toml` and a message. Empty if
/// there are none. A list of articles needs a selector for their links.
pub fn check(rules: &WebsiteRules, is_list: bool) -> Vec<(&'static str, String)> {
    let mut wrong = Vec::new();
    if is_list && rules.articles.is_none() {
        let what = "is missing: a website needs a selector for the links to its articles";
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
        let error = selector.and_then(|s| Selectors::parse(s).err());
        wrong.extend(error.map(|why| (key, why)));
    }
    if rules.max_pages == 0 {
        wrong.push(("max_pages", "must be at least 1".to_owned()));
    }
    if rules.date_format.as_deref().is_some_and(|layout| !super::date::is_layout(layout)) {
        let what = "contains no part of a date; write it as the site would write 2 January 2006";
        wrong.push(("date_format", what.to_owned()));
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_invalid_rules() {
        let good = WebsiteRules { articles: Some("a.x".to_owned()), ..WebsiteRules::default() };
        let cases = [
            (good.clone(), None),
            (WebsiteRules::default(), Some("articles")),
            (WebsiteRules { title: "h1[".to_owned(), ..good.clone() }, Some("title")),
            (WebsiteRules { next: Some("//a".to_owned()), ..good.clone() }, Some("next")),
            (WebsiteRules { max_pages: 0, ..good.clone() }, Some("max_pages")),
            (WebsiteRules { date_format: Some("%Y".to_owned()), ..good }, Some("date_format")),
        ];
        for (rules, want) in cases {
            let found = check(&rules, true);
            assert_eq!(found.first().map(|(key, _)| *key), want, "{found:?}");
        }
        assert_eq!(check(&WebsiteRules::default(), false), []);
    }
}
