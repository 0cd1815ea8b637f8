//! Title, authors, language, URL and image of an article, as given by its page.

use super::blocks::Page;
use super::bylines::{self, Prefixes, is_role};
use super::comments;
use super::features::Hints;
use super::head::Head;
use super::title;
use crate::util::html::decode_entities;
use crate::util::text;
use ego_tree::NodeId;
use scraper::ElementRef;
use serde_json::Value;
use std::collections::HashSet;
use url::Url;

/// Maximum number of authors.
const MAX_AUTHORS: usize = 20;
/// Maximum length of an author's name, in characters. A longer text is about the author.
const MAX_NAME: usize = 80;
/// Maximum length of an author's name, in words.
const MAX_WORDS: usize = 6;
/// Maximum length of the name of an organisation, such as an authority, in characters and in words. The limit
/// in words also applies to a person's name that stands alone, if its additional words are in lower case, as
/// in "María de los Ángeles de la Cruz".
const MAX_WHOLE: usize = 150;
const MAX_WORDS_WHOLE: usize = 15;
/// Maximum length of a lower-case word in a name, in characters.
const MAX_SMALL: usize = 3;

/// The name of an author.
struct Name {
    text: String,
    is_organisation: bool,
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        Self { text, is_organisation: false }
    }
}

/// Metadata of the page. All fields are optional.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Metadata {
    pub(super) title: Option<String>,
    pub(super) authors: Vec<String>,
    pub(super) language: Option<String>,
    pub(super) canonical: Option<Url>,
    pub(super) image: Option<Url>,
}

impl Metadata {
    /// Whether a title is that of the page, ignoring case, spaces and punctuation.
    pub(super) fn is_titled(&self, title: Option<&str>) -> bool {
        let of_page = self.title.as_deref().map(title::folded);
        of_page.is_some_and(|own| !own.is_empty() && title.map(title::folded) == Some(own))
    }
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

/// The page's title and its own descriptions, as plain text.
pub(super) fn summaries(head: &Head<'_>) -> Vec<String> {
    let names = ["description", "og:description", "twitter:description", "og:title"];
    let metas = names.iter().flat_map(|name| head.all(name).take(2)).map(str::to_owned);
    let described = head.articles().filter_map(|o| o.get("description")?.as_str());
    let all = metas.chain(described.map(str::to_owned)).chain([head.title.clone()]);
    all.map(|text| text::line(&text)).filter(|text| !text.is_empty()).collect()
}

fn authors(head: &Head<'_>, page: &Page<'_>, taken: &[bool]) -> Vec<String> {
    let prefixes = Prefixes::of(language(head).as_deref());
    let in_data = Prefixes::in_data();
    let mut found: Vec<Name> = Vec::new();
    for object in head.articles() {
        if let Some(author) = object.get("author").or_else(|| object.get("creator")) {
            people(author, &in_data, &mut found, 0);
        }
        let tidied = tidy(std::mem::take(&mut found));
        if !tidied.is_empty() {
            return tidied;
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
        found.extend(head.all(name).flat_map(|text| split_names(text, &in_data)));
        let tidied = tidy(std::mem::take(&mut found));
        if !tidied.is_empty() {
            return tidied;
        }
    }
    let marked = head.properties.iter().filter(|(name, _)| *name == "author").map(|(_, e)| e);
    let comments = comments::zones(page).into_iter().map(|zone| page.elements[zone].node.id());
    let comments: HashSet<NodeId> = comments.collect();
    let is_comment = |e: &ElementRef<'_>| e.ancestors().any(|n| comments.contains(&n.id()));
    for element in marked.chain(&head.bylines).filter(|e| !is_comment(e)).take(4) {
        let named = element.descendent_elements().find(|e| e.attr("itemprop") == Some("name"));
        let names = bylines::marked(named.unwrap_or(*element), &prefixes);
        let tidied = tidy(names.into_iter().map(Name::from).collect());
        if !tidied.is_empty() {
            return tidied;
        }
    }
    tidy(bylines::near(page, taken, &prefixes).into_iter().map(Name::from).collect())
}

fn people(value: &Value, prefixes: &Prefixes, found: &mut Vec<Name>, depth: usize) {
    match value {
        Value::String(name) => found.extend(split_names(name, prefixes)),
        Value::Array(values) if depth < 3 => {
            values.iter().for_each(|v| people(v, prefixes, found, depth + 1));
        }
        Value::Object(object) if depth < 3 => {
            let is_organisation = object.get("@type").is_some_and(is_organisation);
            match object.get("name") {
                // The name of an organisation may contain commas.
                Some(Value::String(name)) if is_organisation => {
                    let text = decode_entities(name).into_owned();
                    found.push(Name { text, is_organisation });
                }
                Some(name) => people(name, prefixes, found, depth + 1),
                None => {}
            }
        }
        _ => {}
    }
}

/// Whether a type, or one of several types, is an organisation. An author with both types is a person.
fn is_organisation(kind: &Value) -> bool {
    match kind {
        Value::String(kind) => kind.ends_with("Organization") || kind.ends_with("Corporation"),
        Value::Array(kinds) => {
            let is_person = |kind: &Value| kind.as_str().is_some_and(|k| k.ends_with("Person"));
            let is_one = |kind: &Value| kind.is_string() && is_organisation(kind);
            kinds.iter().any(is_one) && !kinds.iter().any(is_person)
        }
        _ => false,
    }
}

/// Splits a text such as `By Ann Lee and Bob Ray` into its names.
fn split_names(text: &str, prefixes: &Prefixes) -> Vec<Name> {
    // Structured data often contains HTML entities.
    let line = text::line(&decode_entities(text));
    let rest = prefixes.rest(&line).unwrap_or(&line);
    let parts = rest.split([',', ';', '&', '|']).flat_map(|part| part.split(" and "));
    parts.map(|part| Name::from(part.trim().to_owned())).collect()
}

fn tidy(names: Vec<Name>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let alone = names.len() == 1;
    for Name { text, is_organisation } in names {
        let name = text::line(&text);
        let (chars, words) = (name.chars().count(), name.split(' ').count());
        let fits = match is_organisation {
            true => chars <= MAX_WHOLE && words <= MAX_WORDS_WHOLE,
            false => chars <= MAX_NAME && (words <= MAX_WORDS || alone && has_small_words(&name)),
        };
        let is_name = !name.is_empty()
            && fits
            && !name.contains("://")
            && !name.contains("www.")
            && name.chars().any(char::is_alphabetic)
            && !is_role(&name);
        if is_name && !out.contains(&name) && out.len() < MAX_AUTHORS {
            out.push(name);
        }
    }
    out
}

/// Whether a name is long because of lower-case words such as "de la". In a sentence, longer words are also
/// in lower case.
fn has_small_words(name: &str) -> bool {
    let is_small = |word: &&str| !word.contains(char::is_uppercase);
    let words = name.split(' ');
    words.clone().filter(is_small).all(|word| word.chars().count() <= MAX_SMALL)
        && words.clone().filter(|word| !is_small(word)).count() <= MAX_WORDS
        && words.count() <= MAX_WORDS_WHOLE
}

/// A language tag in its conventional case: `de`, `pt-BR`.
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

    fn data(author: &str) -> String {
        format!(
            "<script type=application/ld+json>{{\"@type\":\"Article\",\"author\":{author}}}</script>"
        )
    }

    #[test]
    fn keeps_long_names_whole_and_drops_sentences() {
        let cases = [
            (
                "Bundesministerium für Wirtschaft, Verkehr und Klimaschutz der Republik",
                "Organization",
                true,
            ),
            ("María de los Ángeles de la Cruz Fernández", "Person", true),
            (&"We write about old boats of the harbour every week ".repeat(4), "Person", false),
        ];
        for (name, kind, is_name) in cases {
            let name = name.trim();
            let author = format!("{{\"@type\":\"{kind}\",\"name\":\"{name}\"}}");
            let mut pages = vec![data(&author)];
            if kind == "Person" {
                pages.push(format!("<meta name=author content='{name}'>"));
                pages.push(format!("<p class=byline>Por {name}</p>"));
            }
            let expected: &[&str] = if is_name { &[name] } else { &[] };
            for markup in pages {
                assert_eq!(read(&markup).authors, expected, "{markup}");
            }
        }
    }

    #[test]
    fn keeps_names_that_begin_like_bylines() {
        let byline = |language: &str, line: &str| {
            read(&format!("<html lang={language}><p class=byline>{line}</p>")).authors
        };
        for name in ["Oleh Sentsov", "Von Miller", "Par Lindh", "Door Peeters", "Yazan Halwani"] {
            for author in [
                format!("\"{name}\""),
                format!("{{\"name\":\"{name}\"}}"),
                format!("[{{\"@type\":\"Person\",\"name\":\"{name}\"}}]"),
            ] {
                assert_eq!(read(&data(&author)).authors, [name], "{author}");
            }
            assert_eq!(read(&format!("<meta name=author content='{name}'>")).authors, [name]);
            assert_eq!(byline("en", name), [name]);
        }
        for (language, line, name) in [
            ("en", "Von Ida Holm", "Ida Holm"),
            ("de", "Von Holm", "Holm"),
            ("fr", "Par AFP", "AFP"),
            ("pt-BR", "Por Holm", "Holm"),
            ("id", "Oleh Budi", "Budi"),
            ("tr", "Yazan: Ayşe Kaya", "Ayşe Kaya"),
        ] {
            assert_eq!(byline(language, line), [name], "{language} {line}");
        }
        // Prefixes that cannot be names are also removed in structured data.
        for line in ["By Ann Lee", "Written by Ann Lee", "Von: Ann Lee", "Автор Ann Lee"] {
            assert_eq!(read(&format!("<meta name=author content='{line}'>")).authors, ["Ann Lee"]);
        }
    }

    #[test]
    fn keeps_organisations_whole_and_drops_lone_sentences() {
        let ministry = "Ministry of Work, Trade and Fish of the Northern Coast";
        for (kinds, whole) in [
            ("\"Organization\"", true),
            ("[\"Organization\"]", true),
            ("[\"NewsMediaOrganization\",\"Brand\"]", true),
            ("[\"Person\",\"Organization\"]", false),
            ("[]", false),
        ] {
            let author = format!("{{\"@type\":{kinds},\"name\":\"{ministry}\"}}");
            let authors = read(&data(&author)).authors;
            assert_eq!(authors == [ministry], whole, "{kinds}: {authors:?}");
        }
        for line in [
            "Ann Lee is a writer who lives in Gullhaven with two cats",
            "The Harbour Was Rebuilt This Year And Now The Ferry Is Back",
            "बंदरगाह इस साल फिर से बनाया गया और नौका वापस आ गई",
        ] {
            let found = read(&format!("<meta name=author content='{line}'>")).authors;
            assert!(found.is_empty(), "{found:?}");
        }
    }

    #[test]
    fn ignores_roles_as_authors() {
        for role in [
            "Staff Writer",
            "Guest Contributor",
            "Editor",
            "Our Editors",
            "Senior Political Correspondent",
            "Editor-in-Chief",
            "Redaktion",
            "Online-Redaktion",
            "Die Redaktion",
            "La rédaction",
            "Rédacteur en chef",
            "Redacción",
            "La Redazione",
            "Da redação",
            "De redactie",
            "Redaktionen",
            "Toimitus",
            "Redakcja",
            "Redakce",
            "Редакция",
            "编辑部",
            "編集部",
            "กองบรรณาธิการ",
            "संपादक",
        ] {
            for markup in [
                data(&format!("{{\"name\":\"{role}\"}}")),
                format!("<meta name=author content='{role}'>"),
                format!("<p class=byline>{role}</p>"),
                format!("<p class=byline>Von {role}</p>"),
            ] {
                assert!(read(&markup).authors.is_empty(), "{markup}");
            }
        }
        // The byline has the name that is missing from the structured data.
        let page = data("\"Redaktion\"") + "<p class=byline>Von Ida Holm, Redakteurin</p>";
        assert_eq!(read(&page).authors, ["Ida Holm"]);
        for name in ["Resy Staff", "The Upwork Team", "Christopher Guest", "Ann Writer"] {
            assert_eq!(read(&format!("<meta name=author content='{name}'>")).authors, [name]);
        }
    }

    #[test]
    fn prefers_structured_data() {
        let found = read(
            "<script type=application/ld+json>{\"@graph\":[{\"@type\":[\"NewsArticle\"],\
             \"headline\":\"H\",\"author\":[{\"name\":\"Ann\"},{\"name\":\"http://x\"}]}]}</script>\
             <meta name=author content=Other>",
        );
        assert_eq!((found.title.as_deref(), found.authors), (Some("H"), vec!["Ann".to_owned()]));
    }

    #[test]
    fn ignores_authors_in_comments_dates_and_buttons() {
        let text =
            "<h1>Keel</h1><p>The keel was mended in the winter, and the boat sails again.</p>";
        let cases = [
            ("<div class=comments><span class=author>Bo</span><p>Nice</div>", vec![]),
            (
                "<div class=comments><i class=author>Bo</i></div><i class=author>Ann</i>",
                vec!["Ann"],
            ),
            ("<p class=byline>Sat, 20 Dec, 2025 - 06:36", vec![]),
            ("<p class=byline>Sat Pal", vec!["Sat Pal"]),
            ("<p class=author><a>Post</a> by <b>Ann</b> » today", vec!["Ann"]),
            (
                "<script type=application/ld+json>{\"@type\":\"Article\",\"author\":\"Ann &amp; Bo\"}</script>",
                vec!["Ann", "Bo"],
            ),
        ];
        for (marked, want) in cases {
            assert_eq!(read(&format!("<body>{text}{marked}")).authors, want, "{marked}");
        }
    }
}
