//! Machine-readable metadata of a page: its head, its structured data, and elements marked as
//! times or properties.

use crate::util::html::{SCRIPT_BYTES, names_date};
use crate::util::text;
use scraper::{ElementRef, Html};
use serde_json::Value;

/// Maximum size of structured data that is read, in bytes.
const MAX_JSON: usize = 512 << 10;
/// Maximum number of structured data blocks.
const MAX_PIECES: usize = 20;
/// Maximum number of other scripts that are searched for dates.
const MAX_SCRIPTS: usize = 4;
/// Maximum number of elements visited.
const MAX_ELEMENTS: usize = 200_000;
/// Maximum number of marked elements.
const MAX_MARKED: usize = 200;

/// Class names of authors.
const BYLINES: [&str; 11] = [
    "author",
    "byline",
    "p-author",
    "author-name",
    "byline-name",
    "post-author",
    "entry-author",
    "article-author",
    "article__author",
    "byline__name",
    "author__name",
];

/// Metadata in page order.
pub(super) struct Head<'a> {
    /// The lower-case name or property, and the content, of every `meta` element that has both.
    pub(super) metas: Vec<(String, &'a str)>,
    /// The text of the `title` element.
    pub(super) title: String,
    /// Canonical URL.
    pub(super) canonical: Option<&'a str>,
    /// Base URL.
    pub(super) base: Option<&'a str>,
    /// The language of the root element.
    pub(super) language: Option<&'a str>,
    /// Structured data objects (JSON-LD), with graphs and lists flattened.
    pub(super) objects: Vec<Value>,
    /// Texts of other scripts that may contain a publication date.
    pub(super) scripts: Vec<&'a str>,
    /// `time` elements, and `abbr` elements with a title.
    pub(super) times: Vec<ElementRef<'a>>,
    /// The first word of each `itemprop`, with its element; `meta` elements are excluded.
    pub(super) properties: Vec<(&'a str, ElementRef<'a>)>,
    /// Elements whose `rel` or class marks an author.
    pub(super) bylines: Vec<ElementRef<'a>>,
    /// Links whose `rel` marks a tag.
    pub(super) tags: Vec<ElementRef<'a>>,
}

impl<'a> Head<'a> {
    /// Collects everything in one pass.
    pub(super) fn read(tree: &'a Html) -> Self {
        let mut head = Self {
            metas: Vec::new(),
            title: String::new(),
            canonical: None,
            base: None,
            language: tree.root_element().attr("lang"),
            objects: Vec::new(),
            scripts: Vec::new(),
            times: Vec::new(),
            properties: Vec::new(),
            bylines: Vec::new(),
            tags: Vec::new(),
        };
        let mut scripts = 0;
        for element in tree.root_element().descendent_elements().take(MAX_ELEMENTS) {
            match element.value().name() {
                "meta" => head.meta(element),
                "title" if head.title.is_empty() => {
                    // SVG images also have titles.
                    let in_svg = element
                        .ancestors()
                        .filter_map(ElementRef::wrap)
                        .take(8)
                        .any(|e| e.value().name() == "svg");
                    if !in_svg {
                        head.title = element.text().collect();
                    }
                }
                "link" if is_canonical(element) => {
                    head.canonical = head.canonical.or(element.attr("href"));
                }
                "base" => head.base = head.base.or(element.attr("href")),
                "script" if scripts < MAX_PIECES => {
                    let kind = element.attr("type").unwrap_or_default();
                    if kind.trim().to_ascii_lowercase().starts_with("application/ld+json") {
                        scripts += 1;
                        let text: String = element.text().collect();
                        head.json(&text);
                    } else if head.scripts.len() < MAX_SCRIPTS {
                        head.script(element);
                    }
                }
                "abbr" if head.times.len() < MAX_MARKED => {
                    head.times.extend(element.attr("title").is_some().then_some(element));
                }
                "time" if head.times.len() < MAX_MARKED => head.times.push(element),
                _ => {}
            }
            head.marked(element);
        }
        head
    }

    /// The content of the first metadata entry with one of these names, in this order.
    pub(super) fn first(&self, names: &[&str]) -> Option<&'a str> {
        names.iter().find_map(|name| self.all(name).next())
    }

    /// The contents of all metadata entries with a name.
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &'a str> {
        self.metas.iter().filter(move |(n, _)| n == name).map(|(_, content)| *content)
    }

    /// The objects that describe an article, or those that describe a page if there are none.
    pub(super) fn articles(&self) -> impl Iterator<Item = &Value> {
        let is = |object: &Value, words: &[&str]| {
            kinds(object).any(|kind| words.iter().any(|word| kind.ends_with(word)))
        };
        let article = ["Article", "BlogPosting", "Posting", "Report", "Review", "Recipe", "Blog"];
        let page = ["WebPage", "VideoObject", "AboutPage", "ItemPage"];
        let articles = self.objects.iter().filter(move |o| is(o, &article));
        articles.chain(self.objects.iter().filter(move |o| is(o, &page)))
    }

    fn meta(&mut self, element: ElementRef<'a>) {
        let Some(content) = element.attr("content").map(str::trim).filter(|c| !c.is_empty()) else {
            return;
        };
        for attribute in ["name", "property", "itemprop", "http-equiv"] {
            if let Some(name) = element.attr(attribute) {
                self.metas.push((name.trim().to_ascii_lowercase(), content));
            }
        }
    }

    fn json(&mut self, text: &str) {
        if text.len() > MAX_JSON {
            return;
        }
        let text = text.trim().trim_start_matches("<!--").trim_end_matches("-->");
        let text = text.trim_end_matches(';').trim();
        let value = serde_json::from_str(text).ok().or_else(|| {
            // Unescaped line breaks in strings are the most common error.
            let flat: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            serde_json::from_str(&flat).ok()
        });
        if let Some(value) = value {
            self.take(value, 0);
        }
    }

    fn script(&mut self, element: ElementRef<'a>) {
        let text = element.text().next().unwrap_or_default();
        let text = text::start(text, SCRIPT_BYTES);
        self.scripts.extend(names_date(text).then_some(text));
    }

    fn take(&mut self, value: Value, depth: usize) {
        match value {
            Value::Array(values) if depth < 4 => {
                values.into_iter().for_each(|v| self.take(v, depth + 1));
            }
            Value::Object(mut object) if depth < 4 => {
                if let Some(graph) = object.remove("@graph") {
                    self.take(graph, depth + 1);
                }
                if let Some(entity @ Value::Object(_)) = object.get("mainEntity") {
                    self.take(entity.clone(), depth + 1);
                }
                self.objects.push(Value::Object(object));
            }
            _ => {}
        }
    }

    fn marked(&mut self, element: ElementRef<'a>) {
        let mut byline = false;
        // A single pass over the attributes is faster than lookups by name.
        for (name, value) in element.value().attrs() {
            match name {
                "itemprop" if self.properties.len() < MAX_MARKED => {
                    let first = value.split_ascii_whitespace().next();
                    self.properties.extend(first.map(|p| (p, element)));
                }
                "property" if value.contains("date") && element.value().name() != "meta" => {
                    self.properties.push((value, element));
                }
                "rel" => {
                    byline |= value.eq_ignore_ascii_case("author");
                    let words = || value.split_ascii_whitespace();
                    if self.tags.len() < MAX_MARKED
                        && words().any(|w| w.eq_ignore_ascii_case("tag"))
                    {
                        self.tags.push(element);
                    }
                }
                "class" => {
                    byline |= value.split_ascii_whitespace().any(|c| BYLINES.contains(&c));
                }
                _ => {}
            }
        }
        if byline && self.bylines.len() < MAX_MARKED {
            self.bylines.push(element);
        }
    }
}

fn is_canonical(link: ElementRef<'_>) -> bool {
    link.attr("rel").is_some_and(|r| r.trim().eq_ignore_ascii_case("canonical"))
}

/// The types of a structured data object.
fn kinds(object: &Value) -> impl Iterator<Item = &str> {
    let (one, many) = match object.get("@type") {
        Some(Value::String(kind)) => (Some(kind.as_str()), None),
        Some(Value::Array(kinds)) => (None, Some(kinds)),
        _ => (None, None),
    };
    one.into_iter().chain(many.into_iter().flatten().filter_map(Value::as_str))
}
