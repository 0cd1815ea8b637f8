//! Tags of an article, as given by its page.

use super::head::Head;
use crate::util::text;
use serde_json::Value;

const MAX_TAGS: usize = 30;
/// Maximum length of a tag, in characters.
const MAX_TAG: usize = 60;

/// The tags in structured data and metadata, followed by the links marked as tags. Duplicates are removed
/// case-insensitively.
pub(super) fn tags(head: &Head<'_>) -> Vec<String> {
    let mut out = Vec::new();
    for object in head.articles() {
        if let Some(words) = object.get("keywords") {
            keywords(words, &mut out);
        }
    }
    for content in head.all("article:tag").chain(head.all("parsely-tags")) {
        content.split(',').for_each(|tag| add(tag, &mut out));
    }
    for link in &head.tags {
        let text: String = link.text().take(10).collect();
        add(text.trim().trim_start_matches('#'), &mut out);
    }
    out
}

fn keywords(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(list) => list.split(',').for_each(|tag| add(tag, out)),
        Value::Array(values) => {
            values.iter().take(MAX_TAGS).filter_map(Value::as_str).for_each(|tag| add(tag, out));
        }
        _ => {}
    }
}

fn add(tag: &str, out: &mut Vec<String>) {
    let tag = text::line(tag);
    let lower = tag.to_lowercase();
    let fits = (1..=MAX_TAG).contains(&tag.chars().count()) && out.len() < MAX_TAGS;
    // Some sites combine a kind and a value in a tag, such as `Tag:Tea`.
    if fits && !tag.contains(':') && out.iter().all(|known| known.to_lowercase() != lower) {
        out.push(tag);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::html::tree;

    fn read(markup: &str) -> Vec<String> {
        tags(&Head::read(&tree::page(markup).unwrap()))
    }

    #[test]
    fn collects_tags_from_all_places_once() {
        let found = read(
            "<meta property=article:tag content='Night trains'><meta property=article:tag content=rail>\
             <script type=application/ld+json>{\"@type\":\"NewsArticle\",\"keywords\":\"Rail, Type:Story,,Europe\"}</script>\
             <p>Filed under <a rel='category tag' href=/t/1>Travel</a> <a rel=tag href=/t/2>#europe</a> \
             <a href=/t/3>other</a>",
        );
        assert_eq!(found, ["Rail", "Europe", "Night trains", "Travel"]);
        assert_eq!(
            read(
                "<script type=application/ld+json>{\"@type\":\"Article\",\"keywords\":[\"a\",1,\"b\"]}</script>"
            ),
            ["a", "b"]
        );
    }

    #[test]
    fn limits_the_number_and_length_of_tags() {
        let many: String = (0..100).map(|n| format!("<a rel=tag>tag {n}</a>")).collect();
        assert_eq!(read(&many).len(), MAX_TAGS);
        assert_eq!(read(&format!("<a rel=tag>{}</a>", "x".repeat(61))), Vec::<String>::new());
    }
}
