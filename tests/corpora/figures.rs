//! Figures with captions inside articles, as listed in `tests/data/figures.tsv`: pages, each with the indices
//! of `figure` elements. `NEWSFED_UPDATE_FIGURES` recreates the list.

use crate::extract::{json, page};
use crate::reference::corpora;
use newsfed::article::{Guide, Mode, extract};
use scraper::{ElementRef, Html, Selector};
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use url::Url;

const CORPORA: [&str; 2] = ["extraction", "extraction-more"];
/// Minimum number of letters in a text that locates the article.
const LETTERS: usize = 20;

fn list() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/figures.tsv")
}

/// The letters and digits in lower case.
fn folded(text: impl IntoIterator<Item = char>) -> String {
    text.into_iter().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn text_of(element: ElementRef<'_>) -> String {
    folded(element.text().flat_map(str::chars))
}

/// The first matching element inside a figure, but not inside a nested figure.
fn own<'a>(figure: ElementRef<'a>, all: &Selector) -> Option<ElementRef<'a>> {
    figure.select(all).find(|element| {
        let mut above = element.ancestors().filter_map(ElementRef::wrap);
        above.find(|e| e.value().name() == "figure").is_some_and(|f| f.id() == figure.id())
    })
}

/// A `figure` element with a picture and a caption.
struct Captioned {
    caption: String,
    /// Whether the picture has a URL. Some pages were stored without the URLs of lazily loaded pictures.
    addressed: bool,
}

/// The `figure` elements; `None` for those without a picture or a caption.
fn figures(tree: &Html) -> Vec<(ElementRef<'_>, Option<Captioned>)> {
    let [figure, caption, picture, files] =
        ["figure", "figcaption", "img, picture, amp-img", "img, source, amp-img"]
            .map(|s| Selector::parse(s).unwrap());
    let is_address = |value: &str| !value.starts_with("data:") && value.contains(['/', '.']);
    let addressed = |file: ElementRef<'_>| {
        let mut all = file.value().attrs();
        all.any(|(name, value)| (name.contains("src") || name == "srcset") && is_address(value))
    };
    let captioned = |element: ElementRef<'_>| {
        let caption = own(element, &caption).map(text_of).filter(|text| !text.is_empty())?;
        let addressed = element.select(&files).any(addressed);
        own(element, &picture).map(|_| Captioned { caption, addressed })
    };
    tree.select(&figure).map(|element| (element, captioned(element))).collect()
}

/// The indices of the captioned figures between the first and the last text of the reference.
fn inside(tree: &Html, reference: &str) -> Vec<usize> {
    let gold = folded(reference.chars());
    let texts = Selector::parse("p, li, h1, h2, h3, h4, h5, h6, blockquote, td, dd").unwrap();
    let order: std::collections::HashMap<_, _> =
        tree.tree.root().descendants().enumerate().map(|(at, node)| (node.id(), at)).collect();
    let known = |element: &ElementRef<'_>| {
        let text = text_of(*element);
        text.chars().count() >= LETTERS && gold.contains(&text)
    };
    let places: Vec<usize> = tree.select(&texts).filter(known).map(|e| order[&e.id()]).collect();
    let (Some(first), Some(last)) = (places.iter().min(), places.iter().max()) else {
        return Vec::new();
    };
    let range = first..last;
    let all = figures(tree).into_iter().enumerate();
    let inside =
        all.filter(|(_, (e, caption))| caption.is_some() && range.contains(&&order[&e.id()]));
    inside.map(|(number, _)| number).collect()
}

/// The captions in an extracted article, and whether each has a picture.
fn shown(tree: &Html) -> Vec<(String, bool)> {
    let [figure, caption, picture] =
        ["figure", "figcaption", "img"].map(|s| Selector::parse(s).unwrap());
    let read = |element: ElementRef<'_>| {
        let caption = element.select(&caption).map(text_of).collect();
        (caption, element.select(&picture).next().is_some())
    };
    tree.select(&figure).map(read).collect()
}

fn pages(folder: &Path) -> Vec<(Value, String)> {
    let items = json(&folder.join("items.json"));
    let read = |item: &Value| {
        let id = item["id"].as_str().unwrap();
        (item.clone(), page(&folder.join(format!("pages/{id}.html.gz"))))
    };
    items.as_array().unwrap().iter().map(read).collect()
}

fn update(folder: &Path) {
    let mut out =
        String::from("# Captioned figures inside articles: page, numbers of figures on it.\n");
    for corpus in CORPORA {
        let folder = folder.join(corpus);
        let gold = json(&folder.join("gold.json.gz"));
        for (item, markup) in pages(&folder) {
            let gold = &gold[item["id"].as_str().unwrap()];
            if gold["type"] != "article" {
                continue;
            }
            let found = inside(&Html::parse_document(&markup), gold["text"].as_str().unwrap());
            if !found.is_empty() {
                let numbers: Vec<String> = found.iter().map(usize::to_string).collect();
                writeln!(out, "{}\t{}", item["id"].as_str().unwrap(), numbers.join(" ")).unwrap();
            }
        }
    }
    std::fs::write(list(), out).unwrap();
}

#[test]
fn articles_keep_their_captioned_figures() {
    let Some(folder) = corpora() else { return };
    if std::env::var_os("NEWSFED_UPDATE_FIGURES").is_some() {
        update(&folder);
    }
    let listed = std::fs::read_to_string(list()).unwrap();
    let listed: std::collections::HashMap<&str, Vec<usize>> = listed
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t'))
        .map(|(id, numbers)| (id, numbers.split(' ').map(|n| n.parse().unwrap()).collect()))
        .collect();
    let (mut all, mut kept) = (0, 0);
    for corpus in CORPORA {
        for (item, markup) in pages(&folder.join(corpus)) {
            let id = item["id"].as_str().unwrap();
            let Some(numbers) = listed.get(id) else { continue };
            let tree = Html::parse_document(&markup);
            let wanted = figures(&tree);
            let guide = Guide {
                title: item["title"].as_str().map(str::to_owned),
                summary: item["summary_meta"].as_str().map(str::to_owned),
                url: item["url"].as_str().and_then(|u| Url::parse(u).ok()),
                ..Guide::default()
            };
            let found = extract(&markup, &guide, Mode::Auto, None).map(|f| f.document.html());
            let found = Html::parse_fragment(&found.unwrap_or_default());
            let mut found = shown(&found);
            let mut lost = Vec::new();
            for number in numbers {
                let wanted = wanted[*number].1.as_ref().unwrap();
                let is_shown = |(caption, picture): &(String, bool)| {
                    caption.contains(&wanted.caption) && (*picture || !wanted.addressed)
                };
                match found.iter().position(is_shown) {
                    Some(at) => drop(found.remove(at)),
                    None => lost.push(number),
                }
            }
            all += numbers.len();
            kept += numbers.len() - lost.len();
            if !lost.is_empty() {
                println!("{id}: {lost:?} of {}", numbers.len());
            }
        }
    }
    println!("captioned figures kept: {kept} of {all}");
    assert!(all >= 264 && kept * 100 >= all * 95, "{kept} of {all}");
}
