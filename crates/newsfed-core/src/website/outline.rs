//! The structure of a page as lines, for users who want to select an element.

use super::page::Page;
use super::propose::classes;
use crate::util::html::tree::{HIDDEN, text_up_to};
use crate::util::text;
use ego_tree::NodeId;
use ego_tree::iter::Edge;
use scraper::{ElementRef, Node};
use std::collections::HashMap;

/// Maximum number of lines in an outline.
const MAX_LINES: usize = 20_000;
/// Maximum number of bytes of text in a line.
const MAX_TEXT: usize = 160;
/// Maximum number of elements in one line, each the only child of the previous one.
const MAX_CHAIN: usize = 4;
/// Maximum number of classes in a line.
const MAX_NAMES: usize = 2;

/// The elements of a page by their numbers, which start at 0 and are in document order.
#[derive(Debug, Default)]
pub struct Elements {
    ids: Vec<NodeId>,
    numbers: HashMap<NodeId, u32>,
}

impl Elements {
    pub fn get<'a>(&self, page: &'a Page, number: u32) -> Option<ElementRef<'a>> {
        let id = self.ids.get(usize::try_from(number).ok()?)?;
        page.tree().tree.get(*id).and_then(ElementRef::wrap)
    }

    pub fn number(&self, element: ElementRef<'_>) -> Option<u32> {
        self.numbers.get(&element.id()).copied()
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// The visible elements of the page, each after its parent.
    pub lines: Vec<OutlineLine>,
    /// The texts of the page, each in its own line.
    pub texts: Vec<TextLine>,
    /// Whether the outline leaves out a part of the page.
    pub cut: bool,
    /// For each element number, one past the number of its last descendant.
    ends: Vec<u32>,
}

/// An element, or a chain of elements, each the only child of the previous one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineLine {
    /// Number of the innermost element.
    pub element: u32,
    /// Number of the outermost element.
    pub outer: u32,
    /// Number of lines that contain it.
    pub depth: u16,
    /// `h3 > a.headline`
    pub name: String,
    /// Number of siblings of the same kind, including itself; set only on the first of them.
    pub alike: u32,
    /// The line of the first sibling of the same kind; set on all others.
    pub first: Option<u32>,
    /// An attribute that describes it: `@datetime`.
    pub hint: Option<String>,
    /// The start of the text directly in the element; one sanitised line.
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextLine {
    /// Number of the element that contains the text.
    pub element: u32,
    /// One sanitised line.
    pub text: String,
}

impl Outline {
    /// One past the number of the element's last descendant: the element and its descendants have the
    /// numbers from `element` up to there.
    pub fn end(&self, element: u32) -> u32 {
        let end = usize::try_from(element).ok().and_then(|at| self.ends.get(at));
        end.copied().unwrap_or(element.saturating_add(1))
    }
}

/// An element during the construction of the outline.
struct Seen {
    tag: String,
    names: Vec<String>,
    hint: Option<String>,
    own: String,
    kids: Vec<u32>,
}

impl Seen {
    fn of(element: ElementRef<'_>) -> Self {
        Self {
            tag: text::line(element.value().name()),
            names: classes(element),
            hint: hint(element),
            own: String::new(),
            kids: Vec::new(),
        }
    }

    /// Siblings of the same kind are grouped.
    fn kind(&self) -> (&str, Option<&String>) {
        (&self.tag, self.names.first())
    }

    fn name(&self) -> String {
        let names: String = self.names.iter().take(MAX_NAMES).map(String::as_str).collect();
        format!("{}{names}", self.tag)
    }
}

/// The attribute that describes an element best.
fn hint(element: ElementRef<'_>) -> Option<String> {
    let value = |name: &str| {
        let value = text::line(text::start(element.attr(name)?, MAX_TEXT));
        (!value.is_empty()).then(|| format!("@{name}={}", text::truncate(&value, 30)))
    };
    if element.attr("datetime").is_some() {
        return Some("@datetime".to_owned());
    }
    value("itemprop").or_else(|| value("rel"))
}

/// Builds the outline of a page, and numbers its elements.
pub fn outline(page: &Page) -> (Outline, Elements) {
    let mut elements = Elements::default();
    let mut outline = Outline::default();
    let mut seen: Vec<Option<Seen>> = Vec::new();
    // The open elements, including those that are not visible.
    let mut open: Vec<(u32, bool)> = Vec::new();
    let mut body = None;
    for edge in page.tree().root_element().traverse() {
        match edge {
            Edge::Open(node) => match node.value() {
                Node::Element(tag) => {
                    let Some(element) = ElementRef::wrap(node) else { continue };
                    let number = u32::try_from(elements.ids.len()).unwrap_or(u32::MAX);
                    elements.ids.push(node.id());
                    elements.numbers.insert(node.id(), number);
                    outline.ends.push(number + 1);
                    let parent = open.last().copied();
                    let shown = !HIDDEN.contains(&tag.name()) && parent.is_none_or(|(_, s)| s);
                    seen.push(shown.then(|| Seen::of(element)));
                    if let Some(parent) =
                        parent.filter(|_| shown).and_then(|(n, _)| at(&mut seen, n))
                    {
                        parent.kids.push(number);
                    }
                    if tag.name() == "body" && body.is_none() {
                        body = Some(number);
                    }
                    open.push((number, shown));
                }
                Node::Text(words) => {
                    let Some((number, true)) = open.last().copied() else { continue };
                    let words = text::line(text::start(words, MAX_TEXT));
                    if words.is_empty() {
                        continue;
                    }
                    if let Some(parent) = at(&mut seen, number)
                        && parent.own.len() < MAX_TEXT
                    {
                        let gap = if parent.own.is_empty() { "" } else { " " };
                        parent.own.push_str(gap);
                        parent.own.push_str(&words);
                    }
                    if outline.texts.len() < MAX_LINES {
                        outline.texts.push(TextLine { element: number, text: words });
                    }
                }
                _ => {}
            },
            Edge::Close(node) if node.value().is_element() => {
                let Some((number, _)) = open.pop() else { continue };
                if let Some(end) = outline.ends.get_mut(number as usize) {
                    *end = u32::try_from(elements.ids.len()).unwrap_or(u32::MAX);
                }
                // An element with its own text also shows the text of its children, in page order.
                let mixed =
                    at(&mut seen, number).filter(|s| !s.own.is_empty() && !s.kids.is_empty());
                if let Some((seen, element)) = mixed.zip(ElementRef::wrap(node)) {
                    seen.own = text::line(&text_up_to(element, MAX_TEXT));
                }
            }
            Edge::Close(_) => {}
        }
    }
    report(&seen, body.unwrap_or(0), &mut outline);
    (outline, elements)
}

fn at(seen: &mut [Option<Seen>], number: u32) -> Option<&mut Seen> {
    seen.get_mut(number as usize)?.as_mut()
}

/// A line that has not been written yet.
struct Todo {
    element: u32,
    depth: u16,
    alike: u32,
    /// The group whose first line is written before this line; the line number is stored there.
    group: Option<usize>,
}

/// Writes the lines without recursion, because pages may be deeply nested.
fn report(seen: &[Option<Seen>], root: u32, outline: &mut Outline) {
    let get = |number: u32| seen.get(number as usize).and_then(Option::as_ref);
    let mut firsts: Vec<Option<u32>> = Vec::new();
    let mut todo = vec![Todo { element: root, depth: 0, alike: 1, group: None }];
    while let Some(Todo { element: outer, depth, alike, group }) = todo.pop() {
        let Some(mut here) = get(outer) else { continue };
        if outline.lines.len() == MAX_LINES {
            outline.cut = true;
            return;
        }
        let (mut element, mut name) = (outer, here.name());
        for _ in 1..MAX_CHAIN {
            let [only] = here.kids.as_slice() else { break };
            let Some(next) = get(*only).filter(|_| here.own.is_empty()) else { break };
            (element, here) = (*only, next);
            name = format!("{name} > {}", here.name());
        }
        let line = u32::try_from(outline.lines.len()).unwrap_or(u32::MAX);
        let first = group.map(|group| *firsts[group].get_or_insert(line));
        outline.lines.push(OutlineLine {
            element,
            outer,
            depth,
            name,
            alike,
            first: first.filter(|first| *first != line),
            hint: here.hint.clone(),
            text: here.own.clone(),
        });
        let mut groups: Vec<(_, Vec<u32>)> = Vec::new();
        let mut places = HashMap::new();
        for kid in &here.kids {
            let Some(kind) = get(*kid).map(Seen::kind) else { continue };
            let place = *places.entry(kind).or_insert(groups.len());
            if place == groups.len() {
                groups.push((kind, Vec::new()));
            }
            groups[place].1.push(*kid);
        }
        for (_, members) in groups.into_iter().rev() {
            let group = (members.len() > 1).then_some(firsts.len());
            if group.is_some() {
                firsts.push(None);
            }
            let count = u32::try_from(members.len()).unwrap_or(u32::MAX);
            for (i, member) in members.into_iter().enumerate().rev() {
                let alike = if i == 0 { count } else { 1 };
                todo.push(Todo { element: member, depth: depth + 1, alike, group });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn read(markup: &str) -> (Page, Outline, Elements) {
        let page = Page::parse(markup, &Url::parse("https://example.org/").unwrap()).unwrap();
        let (outline, elements) = outline(&page);
        (page, outline, elements)
    }

    fn summary(outline: &Outline) -> Vec<String> {
        let lines = outline.lines.iter().filter(|l| l.first.is_none());
        lines
            .map(|l| {
                let times = if l.alike > 1 { format!(" ×{}", l.alike) } else { String::new() };
                let hint = l.hint.as_ref().map(|h| format!(" {h}")).unwrap_or_default();
                let text = if l.text.is_empty() { String::new() } else { format!(" {:?}", l.text) };
                format!("{}{}{times}{hint}{text}", " ".repeat(l.depth.into()), l.name)
            })
            .collect()
    }

    const LIST: &str = "<head><title>x</title><script>1</script></head><body><main>\
        <section class='css-1x2y3z news-list'>\
        <article class=card><h3><a href=/1>Bridge</a></h3><time datetime=2026-11-20>20 Nov</time></article>\
        <div class=ad>Buy</div>\
        <article class='card wide'><h3><a href=/2>Budget</a></h3><p>After <b>nine</b> months</p></article>\
        </section><footer>End<script>2</script></footer></main></body>";

    #[test]
    fn outlines_a_page_as_lines() {
        let (page, outline, elements) = read(LIST);
        let lines = summary(&outline);
        assert_eq!(lines[0], "body > main");
        assert_eq!(lines[1], " section.news-list");
        assert_eq!(lines[2], "  article.card ×2");
        assert_eq!(lines[3], "   h3 > a \"Bridge\"");
        assert_eq!(lines[4], "   time @datetime \"20 Nov\"");
        // A grouped sibling is not shown, but its content is in the outline, below the line of the sibling.
        let second = outline.lines.iter().position(|l| l.first == Some(2)).unwrap();
        assert_eq!(outline.lines[second].name, "article.card.wide");
        assert_eq!(outline.lines[second + 1].text, "Budget");
        assert!(lines.contains(&"  div.ad \"Buy\"".to_owned()), "{lines:?}");
        let all = &outline.lines;
        assert!(all.iter().any(|l| l.name == "p" && l.text == "After nine months"), "{all:?}");
        assert_eq!(lines.last().unwrap(), " footer \"End\"");
        assert!(!lines.iter().any(|l| l.contains("script") || l.contains("title")));
        let line = &outline.lines[3];
        let link = elements.get(&page, line.element).unwrap();
        assert_eq!((link.attr("href"), elements.number(link)), (Some("/1"), Some(line.element)));
        let card = &outline.lines[2];
        assert!((card.element..outline.end(card.element)).contains(&line.element));
        let texts: Vec<&str> = outline.texts.iter().map(|t| t.text.as_str()).collect();
        assert_eq!(texts, ["Bridge", "20 Nov", "Buy", "Budget", "After", "nine", "months", "End"]);
    }

    #[test]
    fn hostile_pages_stay_within_limits() {
        let deep = format!("{}x{}", "<div>".repeat(400), "</div>".repeat(400));
        let (_, outline, _) = read(&deep);
        assert!(outline.lines.len() > 90);
        let wide = "<p>\u{202e}x\u{1b}[31m</p>".repeat(30_000);
        let (_, outline, _) = read(&wide);
        assert!(outline.cut && outline.lines.len() == MAX_LINES);
        assert!(outline.lines.iter().all(|l| !l.text.contains(['\u{1b}', '\u{202e}'])));
    }
}
