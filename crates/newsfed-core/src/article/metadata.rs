//! Title, authors, language, URL and image of an article, as given by its page.

use super::blocks::Page;
use super::bylines;
use super::features::Hints;
use super::head::Head;
use super::title;
use crate::util::text;
use serde_json::Value;
use url::Url;

/// Maximum number of authors.
const MAX_AUTHORS: usize = 20;
/// Longest name of an author, in characters.
const MAX_NAME: usize = 80;

/// Metadata of the page, all of it optional.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Metadata {
    pub(super) title: Option<String>,
    pub(super) authors: Vec<String>,
    pub(super) language: Option<String>,
    pub(super) canonical: Option<Url>,
    pub(super) image: Option<Url>,
}

/// Reads the metadata of a page with an article in the blocks `taken`.
pub(super) fn metadata(
    head: &Head<'_>,
    page: &Page<'_>,
    taken: &[bool],
    base: Option<&Url>,
) -> Metadata {
    let address = |s: &str| crate::util::url::absolute(base, s.trim());
    let canonical = head.canonical.and_then(address);
    let canonical = canonical.or_else(|| head.first(&["og:url"]).and_then(address));
    let in_objects = |name: &'static str| head.articles().filter_map(move |o| o.get(name));
    let image = head.first(&["og:image", "og:image:url", "twitter:image", "twitter:image:src"]);
    let image = image.map(str::to_owned).or_else(|| in_objects("image").find_map(first_address));
    Metadata {
        title: title::title(head, &title::headings(page, base), base),
        authors: authors(head, page, taken),
        language: language(head),
        canonical,
        image: image.and_then(|i| address(&i)),
    }
}

/// Hints from the head of the page for the block classifier.
pub(super) fn hints(head: &Head<'_>) -> Hints {
    let named = |names: &[&str]| head.first(names).map(str::to_owned);
    let body = head.articles().find_map(|o| o.get("articleBody")?.as_str().map(str::to_owned));
    Hints {
        titles: [named(&["og:title"]), Some(head.title.clone())].into_iter().flatten().collect(),
        summaries: named(&["og:description", "description"]).into_iter().collect(),
        body,
        ..Hints::default()
    }
}

/// The page's title and descriptions of itself, plain text.
pub(super) fn summaries(head: &Head<'_>) -> Vec<String> {
    let said = ["description", "og:description", "twitter:description", "og:title"];
    let metas = said.iter().flat_map(|name| head.all(name).take(2)).map(str::to_owned);
    let described = head.articles().filter_map(|o| o.get("description")?.as_str());
    let all = metas.chain(described.map(str::to_owned)).chain([head.title.clone()]);
    all.map(|text| text::line(&text)).filter(|text| !text.is_empty()).collect()
}

fn authors(head: &Head<'_>, page: &Page<'_>, taken: &[bool]) -> Vec<String> {
    let mut found = Vec::new();
    for object in head.articles() {
        if let Some(author) = object.get("author").or_else(|| object.get("creator")) {
            people(author, &mut found, 0);
        }
        if !found.is_empty() {
            return tidy(found);
        }
    }
    let names = [
        "author",
        "article:author",
        "parsely-author",
        "sailthru.author",
        "dc.creator",
        "dcterms.creator",
        "citation_author",
        "byl",
        "twitter:creator_name",
    ];
    for name in names {
        found.extend(head.all(name).flat_map(split_names));
        let tidied = tidy(std::mem::take(&mut found));
        if !tidied.is_empty() {
            return tidied;
        }
    }
    let marked = head.properties.iter().filter(|(name, _)| *name == "author").map(|(_, e)| e);
    for element in marked.chain(&head.bylines).take(4) {
        let named = element.descendent_elements().find(|e| e.attr("itemprop") == Some("name"));
        let tidied = tidy(bylines::marked(named.unwrap_or(*element)));
        if !tidied.is_empty() {
            return tidied;
        }
    }
    tidy(bylines::near(page, taken))
}

fn people(value: &Value, found: &mut Vec<String>, depth: usize) {
    match value {
        Value::String(name) => found.extend(split_names(name)),
        Value::Array(values) if depth < 3 => {
            values.iter().for_each(|v| people(v, found, depth + 1));
        }
        Value::Object(object) if depth < 3 => {
            if let Some(name) = object.get("name") {
                people(name, found, depth + 1);
            }
        }
        _ => {}
    }
}

/// `By Ann Lee and Bob Ray`.
fn split_names(text: &str) -> impl Iterator<Item = String> {
    let line = text::line(text);
    let rest = bylines::after_prefix(&line).unwrap_or(&line);
    let parts: Vec<String> = rest
        .split([',', ';', '&', '|'])
        .flat_map(|p| p.split(" and ").map(str::trim).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    parts.into_iter()
}

fn tidy(names: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for name in names {
        let name = text::line(&name);
        let is_name = !name.is_empty()
            && name.chars().count() <= MAX_NAME
            && !name.contains("://")
            && !name.contains("www.")
            && name.chars().any(char::is_alphabetic)
            && name.split(' ').count() <= 6;
        if is_name && !out.contains(&name) && out.len() < MAX_AUTHORS {
            out.push(name);
        }
    }
    out
}

/// A language tag in its usual case: `de`, `pt-BR`.
fn language(head: &Head<'_>) -> Option<String> {
    let in_objects =
        head.articles().find_map(|o| o.get("inLanguage").and_then(Value::as_str)).map(str::trim);
    let stated = head.language.filter(|l| !l.trim().is_empty());
    let stated = stated.or(in_objects);
    let stated = stated.or_else(|| head.first(&["content-language", "language", "og:locale"]));
    let tag = stated?.trim().replace('_', "-");
    let fits = tag.len() <= 35 && tag.split('-').all(|p| (1..=8).contains(&p.len()));
    let fits = fits && tag.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    (fits && tag.split('-').next().is_some_and(|p| matches!(p.len(), 2 | 3))).then_some(tag)
}

fn first_address(value: &Value) -> Option<String> {
    match value {
        Value::String(address) => Some(address.clone()),
        Value::Array(values) => values.iter().take(3).find_map(|v| match v {
            Value::Array(_) => None,
            other => first_address(other),
        }),
        Value::Object(object) => object.get("url").and_then(Value::as_str).map(str::to_owned),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::html::tree;

    fn read(markup: &str) -> Metadata {
        let tree = tree::page(markup).unwrap();
        let base = Url::parse("https://example.org/a/").unwrap();
        metadata(&Head::read(&tree), &Page::read(&tree), &[], Some(&base))
    }

    #[test]
    fn reads_metadata_of_pages() {
        let found = read(
            "<html lang=pt_BR><title>T - Site</title><meta property=og:title content=T>\
             <link rel=canonical href=b><meta property=og:image content=/i.png>\
             <meta name=author content='By Ann Lee and Bob Ray'>",
        );
        assert_eq!(found.title.as_deref(), Some("T"));
        assert_eq!(found.authors, ["Ann Lee", "Bob Ray"]);
        assert_eq!(found.language.as_deref(), Some("pt-BR"));
        assert_eq!(found.canonical.unwrap().as_str(), "https://example.org/a/b");
        assert_eq!(found.image.unwrap().as_str(), "https://example.org/i.png");
    }

    #[test]
    fn structured_data_comes_first() {
        let found = read(
            "<script type=application/ld+json>{\"@graph\":[{\"@type\":[\"NewsArticle\"],\
             \"headline\":\"H\",\"author\":[{\"name\":\"Ann\"},{\"name\":\"http://x\"}]}]}</script>\
             <meta name=author content=Other>",
        );
        assert_eq!((found.title.as_deref(), found.authors), (Some("H"), vec!["Ann".to_owned()]));
    }
}
