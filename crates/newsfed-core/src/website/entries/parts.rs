//! Title, link, name and authors of a block.

use super::blocks::Block;
use super::dates::{is_only_date, without_date};
use crate::util::date::DateContext;
use crate::util::html::tree::text_up_to;
use crate::util::session::without_session;
use crate::util::text;
use crate::util::url::{self as address, normalise};
use crate::website::card;
use crate::website::page::Page;
use crate::website::propose::{is_file, is_heading, is_no_title};
use crate::website::split_names;
use ego_tree::NodeId;
use scraper::ElementRef;
use url::Url;

/// Maximum number of elements in a block that are searched.
const MAX_ELEMENTS: usize = 400;
/// Maximum length of a title, in bytes.
const MAX_TITLE: usize = 900;
/// Length, in characters, at which the start of a text is cut to be used as a title.
const HEADLINE: usize = 100;
/// Words in the class names of titles.
const TITLES: [&str; 5] = ["title", "headline", "heading", "subject", "name"];
const AUTHORS: [&str; 3] = ["author", "authors", "byline"];

#[derive(Debug, Clone)]
pub(super) struct Title<'a> {
    /// One sanitised line.
    pub(super) text: String,
    /// The element that contains the title and nothing else.
    pub(super) element: Option<ElementRef<'a>>,
}

/// The title of a block: a heading, an element named as a title, bold text at the start, a link, a cell, the
/// first line, or else the first sentence. Dates and texts such as "read more" are not titles.
pub(super) fn title<'a>(block: &Block<'a>, context: &DateContext) -> Option<Title<'a>> {
    let usable = |e: &ElementRef<'a>| {
        let text = text::line(&text_up_to(*e, MAX_TITLE));
        let text = without_marks(&text);
        (!is_generic(text) && !is_only_date(text, context))
            .then(|| Title { text: text.to_owned(), element: Some(*e) })
    };
    if block.is_section()
        && let Some(title) = usable(&block.head).filter(|_| is_heading_like(block.head))
    {
        return Some(title);
    }
    let elements: Vec<ElementRef<'a>> = block.elements().take(MAX_ELEMENTS).collect();
    let of =
        |is: &dyn Fn(&ElementRef<'a>) -> bool| elements.iter().filter(|e| is(e)).find_map(&usable);
    let small = |e: &ElementRef<'_>| text_up_to(*e, MAX_TITLE).chars().count() <= 300;
    of(&|e| is_heading(e.value().name()))
        .or_else(|| of(&|e| has_word(*e, &TITLES) && small(e)))
        .or_else(|| of(&|e| matches!(e.value().name(), "summary" | "dt" | "caption")))
        .or_else(|| of(&|e| is_bold_start(*e)))
        .or_else(|| {
            let link = of(&|e| is_title_link(*e, block)).filter(|link| !is_short_cell(link, block));
            link.map(|link| link.element.and_then(of_card).unwrap_or(link))
        })
        .or_else(|| longest_cell(block, &elements, context))
        .or_else(|| first_line(block, context))
        .or_else(|| first_sentence(block, context))
}

/// Whether an element is, contains, or is directly inside a link.
pub(super) fn is_linked(element: ElementRef<'_>) -> bool {
    element.descendent_elements().take(MAX_ELEMENTS).any(|e| e.attr("href").is_some())
        || element.parent().and_then(ElementRef::wrap).is_some_and(|e| e.attr("href").is_some())
}

/// Whether its tag, a class or a property marks an element as a title.
pub(super) fn is_title_element(element: ElementRef<'_>) -> bool {
    is_heading_like(element) || has_word(element, &TITLES) || element.value().name() == "summary"
}

fn is_heading_like(element: ElementRef<'_>) -> bool {
    let name = element.value().name();
    is_heading(name) || matches!(name, "dt" | "b" | "strong")
}

/// Whether a text is too generic for a title: "read more", "PDF".
fn is_generic(text: &str) -> bool {
    const FILES: [&str; 12] = [
        "pdf",
        "download",
        "herunterladen",
        "télécharger",
        "descargar",
        "scarica",
        "zip",
        "docx",
        "link",
        "here",
        "hier",
        "ici",
    ];
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    let first = words.next().unwrap_or_default();
    is_no_title(text) || FILES.contains(&first) && words.next().is_none()
}

/// Whether a link in a row is much shorter than another cell.
fn is_short_cell(link: &Title<'_>, block: &Block<'_>) -> bool {
    let cells = block.head.child_elements();
    let longest = cells.map(|cell| text_up_to(cell, MAX_TITLE).chars().count()).max().unwrap_or(0);
    let own = link.text.chars().count();
    block.head.value().name() == "tr" && own < 12 && own * 2 < longest
}

/// A line without the symbol that links the heading to itself.
fn without_marks(line: &str) -> &str {
    line.trim_end_matches(|c: char| matches!(c, '¶' | '#' | '§' | '🔗') || c.is_whitespace())
}

/// Whether the last word of a class, or a property of the element, is one of `words`.
pub(super) fn has_word(element: ElementRef<'_>, words: &[&str]) -> bool {
    let classes = element.value().classes().filter(|class| class.len() < 60);
    let last = |name: &str| name.rsplit(['-', '_']).next().unwrap_or(name).to_lowercase();
    let named = |name: &str| words.contains(&last(name).as_str());
    let property = element.attr("itemprop").unwrap_or_default();
    classes.into_iter().any(named) || property.split_whitespace().any(named)
}

/// Whether bold text is at the start of its parent.
fn is_bold_start(element: ElementRef<'_>) -> bool {
    let bold = matches!(element.value().name(), "b" | "strong");
    let before = || {
        element.prev_siblings().find(|node| {
            ElementRef::wrap(*node).is_some_and(|e| !text_up_to(e, 20).is_empty())
                || node.value().as_text().is_some_and(|t| t.chars().any(char::is_alphanumeric))
        })
    };
    bold && before().is_none() && text_up_to(element, MAX_TITLE).chars().count() <= 200
}

/// Whether a link is the title of its block: it is most of the block or near its start, and the sentence does
/// not continue after it.
fn is_title_link(element: ElementRef<'_>, block: &Block<'_>) -> bool {
    if element.value().name() != "a" || element.attr("href").is_none() {
        return false;
    }
    let own = text_up_to(element, MAX_TITLE);
    let all = block.text(3 * own.len() + 200);
    let at = all.find(own.as_str()).unwrap_or(all.len());
    // In running text, links come later and are short.
    let first = own.len() * 2 >= all.len() || at <= 40;
    (first || block.head.value().name() == "tr") && !goes_on(element)
}

/// Whether there is text directly next to a link.
fn is_in_sentence(link: ElementRef<'_>) -> bool {
    let next = link.next_siblings().find(|node| !is_blank(*node));
    let previous = link.prev_siblings().find(|node| !is_blank(*node));
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count() >= 3;
    let has_letters = |node: &ego_tree::NodeRef<'_, scraper::Node>| {
        node.value().as_text().is_some_and(|text| letters(text))
    };
    next.as_ref().is_some_and(has_letters) || previous.as_ref().is_some_and(has_letters)
}

/// Whether the sentence continues after a link.
fn goes_on(link: ElementRef<'_>) -> bool {
    let next = link.next_siblings().find(|node| !is_blank(*node));
    let text = next.as_ref().and_then(|node| node.value().as_text());
    text.is_some_and(|text| text.trim_start().starts_with(char::is_alphanumeric))
}

/// The title of a link that is a card, if the card also has other text.
fn of_card<'a>(link: ElementRef<'a>) -> Option<Title<'a>> {
    let url = target(link);
    let title = card::title(link, url.as_ref())?;
    Some(Title { text: without_marks(&title.text).to_owned(), element: title.element })
}

/// The line that is the title of a block without a heading. The first sentence of a text is not a title.
fn first_line<'a>(block: &Block<'a>, context: &DateContext) -> Option<Title<'a>> {
    if block.is_section() || block.head.value().name() == "tr" {
        return None;
    }
    let url = link_around(block).and_then(target);
    let title = card::title(block.head, url.as_ref())?;
    let ends = title.text.ends_with(['.', '…', ':', ',', '。', '！', '？', '!', '?']);
    let usable = !ends && !is_generic(&title.text) && !is_only_date(&title.text, context);
    usable.then_some(Title { text: title.text, element: title.element })
}

/// The target of a link. Its host is a placeholder, because only the path is used.
fn target(link: ElementRef<'_>) -> Option<Url> {
    Url::parse("https://localhost/").ok()?.join(link.attr("href")?).ok()
}

/// The link around a block.
fn link_around<'a>(block: &Block<'a>) -> Option<ElementRef<'a>> {
    let mut around = block.head.ancestors().filter_map(ElementRef::wrap);
    around.find(|e| e.value().name() == "a" && e.attr("href").is_some())
}

fn longest_cell<'a>(
    block: &Block<'a>,
    elements: &[ElementRef<'a>],
    context: &DateContext,
) -> Option<Title<'a>> {
    if block.head.value().name() != "tr" {
        return None;
    }
    let cells = elements.iter().filter(|e| matches!(e.value().name(), "td" | "th"));
    let texts = cells.map(|e| (*e, text::line(&text_up_to(*e, MAX_TITLE))));
    let texts = texts.filter(|(_, text)| !is_generic(text) && !is_only_date(text, context));
    let (element, text) = texts.max_by_key(|(_, text)| text.chars().count().min(HEADLINE))?;
    Some(Title { text: headline(&text), element: Some(element) })
}

fn first_sentence<'a>(block: &Block<'a>, context: &DateContext) -> Option<Title<'a>> {
    let lead = text::line(&block.text(4 * HEADLINE + 200));
    let words = without_date(&lead, context);
    let title = headline(words);
    let empty = !title.chars().any(char::is_alphanumeric) || is_only_date(&title, context);
    (!empty).then_some(Title { text: title, element: None })
}

/// The first sentence of a text, or its start.
fn headline(text: &str) -> String {
    let ends = text.char_indices().filter(|(at, c)| match c {
        '。' | '！' | '？' => true,
        '.' | '!' | '?' => text[at + 1..].starts_with(' '),
        _ => false,
    });
    let end = ends.map(|(at, c)| at + c.len_utf8()).find(|end| text[..*end].chars().count() >= 12);
    let first = end.map_or(text, |end| &text[..end]);
    if first.chars().count() <= HEADLINE {
        return first.trim_end_matches(['.', '。']).to_owned();
    }
    let cut = text.char_indices().nth(HEADLINE).map_or(text.len(), |(at, _)| at);
    let word = text[..cut].rfind(' ').filter(|at| *at > cut / 2).unwrap_or(cut);
    format!("{}…", text[..word].trim_end())
}

/// The targets of an entry.
#[derive(Debug, Clone, Default)]
pub(super) struct Links {
    /// Its link to another page.
    pub(super) link: Option<Url>,
    /// The fragment that the entry names as its own place on the page.
    pub(super) fragment: Option<String>,
}

/// The link of a block: the link of its title, or else a link to a file, or else the only link, or the link
/// with a text such as "read more". The fragment is the `id` of its element or heading, or the target of its
/// link to itself.
pub(super) fn links(block: &Block<'_>, title: Option<&Title<'_>>, page: &Page) -> Links {
    let own = normalise(page.url());
    let mut fragment = None;
    let mut leads = |e: ElementRef<'_>| -> Option<Url> {
        let href = e.attr("href").filter(|_| e.value().name() == "a")?;
        let url = without_session(address::resolve(page.base(), href)?);
        if normalise(&url) != own {
            return Some(url);
        }
        if let Some(name) = url.fragment().filter(|f| !f.is_empty()) {
            fragment.get_or_insert_with(|| decoded(name));
        }
        None
    };
    let titled = title.and_then(|t| t.element).and_then(|e| link_of(e, block));
    // The link may be around the block.
    let around = link_around(block).filter(|_| !block.is_section());
    let of_title = titled.or(around).and_then(&mut leads);
    let mut all: Vec<(Url, String, bool)> = Vec::new();
    for element in block.elements().take(MAX_ELEMENTS) {
        if let Some(url) = leads(element) {
            all.push((url, text::line(&text_up_to(element, 100)), is_in_sentence(element)));
        }
    }
    // A link in a sentence leads to something else.
    let first = all.first().filter(|(.., in_sentence)| !in_sentence).map(|(url, ..)| url.clone());
    let only = first.filter(|first| all.iter().all(|(url, ..)| url == first));
    let permalink =
        || all.iter().find(|(_, text, _)| is_generic(text)).map(|(url, ..)| url.clone());
    let file = || all.iter().find(|(url, ..)| is_file(url)).map(|(url, ..)| url.clone());
    // A link in a long text is not the link of the block, unless it has most of that text.
    let short = || block.text(MAX_TITLE).len() < 400 || is_around(block);
    Links {
        link: of_title
            .or_else(|| file().filter(|_| short()))
            .or(only.filter(|_| short()))
            .or_else(permalink),
        fragment: named(block, title).or(fragment),
    }
}

/// Whether one link contains most of the text of a block.
fn is_around(block: &Block<'_>) -> bool {
    let length = |text: String| text.chars().count();
    let all = length(block.text(MAX_TITLE));
    block.elements().take(MAX_ELEMENTS).any(|e| {
        e.value().name() == "a"
            && e.attr("href").is_some()
            && length(text_up_to(e, MAX_TITLE)) * 5 >= all * 4
    })
}

/// The link that an element is or contains, or that is around the element within its block.
fn link_of<'a>(element: ElementRef<'a>, block: &Block<'a>) -> Option<ElementRef<'a>> {
    let is_link = |e: &ElementRef<'_>| e.value().name() == "a" && e.attr("href").is_some();
    let parts: Vec<NodeId> = block.parts.iter().map(|part| part.id()).collect();
    let inside = element.descendent_elements().take(MAX_ELEMENTS).find(is_link);
    inside.or_else(|| {
        let mut at = element;
        while !parts.contains(&at.id()) {
            at = at.parent().and_then(ElementRef::wrap)?;
            if is_link(&at) {
                return Some(at);
            }
        }
        None
    })
}

/// The name of a block: from the selected element, an element around or in its title, or the previous
/// element.
fn named(block: &Block<'_>, title: Option<&Title<'_>>) -> Option<String> {
    let name = |e: ElementRef<'_>| {
        let old = e.attr("name").filter(|_| e.value().name() == "a");
        e.attr("id").or(old).filter(|name| !name.trim().is_empty()).map(str::to_owned)
    };
    let parts = || block.parts.iter().copied().filter_map(ElementRef::wrap);
    let heading = title.and_then(|t| t.element);
    name(block.head)
        .or_else(|| parts().next().and_then(name))
        .or_else(|| heading.and_then(name))
        .or_else(|| heading.and_then(|h| h.descendent_elements().take(8).find_map(name)))
        .or_else(|| {
            let before = block.parts.first()?.prev_siblings().find(|n| !is_blank(*n))?;
            let before = ElementRef::wrap(before).filter(|e| e.value().name() == "a")?;
            name(before).filter(|_| text_up_to(before, 10).is_empty())
        })
}

fn is_blank(node: ego_tree::NodeRef<'_, scraper::Node>) -> bool {
    match node.value() {
        scraper::Node::Text(text) => text.trim().is_empty(),
        scraper::Node::Element(_) => false,
        _ => true,
    }
}

fn decoded(fragment: &str) -> String {
    percent_encoding::percent_decode_str(fragment).decode_utf8_lossy().into_owned()
}

/// The authors that a block names, and the element that contains only them.
pub(super) fn authors(block: &Block<'_>) -> (Vec<String>, Option<NodeId>) {
    let is_byline = |e: &ElementRef<'_>| {
        let rel = e.attr("rel").is_some_and(|rel| rel.split_whitespace().any(|w| w == "author"));
        rel || has_word(*e, &AUTHORS)
    };
    let found = block.elements().take(MAX_ELEMENTS).find(is_byline);
    let Some(byline) = found else { return Default::default() };
    let line = text::line(&text_up_to(byline, MAX_TITLE));
    let names = split_names([line.as_str()]);
    let only = !names.is_empty() && line.chars().count() <= 100;
    (names, only.then(|| byline.id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_the_first_sentence_of_a_text() {
        let long = "word ".repeat(60);
        let cases = [
            ("The pool is closed. It opens in May.", "The pool is closed"),
            ("v. 2 is out. More", "v. 2 is out"),
            ("休館のお知らせです、皆様。詳しくは", "休館のお知らせです、皆様"),
            ("No end", "No end"),
        ];
        for (text, want) in cases {
            assert_eq!(headline(text), want, "{text}");
        }
        assert!(headline(&long).chars().count() <= HEADLINE + 1 && headline(&long).ends_with('…'));
    }
}
