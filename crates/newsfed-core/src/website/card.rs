//! The title of a card: a box, often entirely a link, with a title, a date and a teaser on separate lines.
//! Many cards have no heading.

use super::propose::{is_no_title, named_after};
use crate::article::is_date_line;
use crate::util::html::tree::{HIDDEN, text_up_to};
use crate::util::text;
use scraper::{ElementRef, Node};
use url::Url;

/// Maximum number of elements in a card that are read.
const MAX_ELEMENTS: usize = 150;
/// Maximum nesting depth of a card.
const MAX_LEVELS: usize = 16;
/// Maximum number of lines in a card.
const MAX_LINES: usize = 12;
/// Maximum number of bytes of a line that are read.
const MAX_LINE: usize = 1000;
/// Maximum length of a title, in letters; a character that represents a syllable or a word counts more.
const LONGEST: usize = 200;
/// Maximum length of an upper-case text that counts as the name of a section.
const LONGEST_LABEL: usize = 25;
/// Elements that begin a line.
const BLOCKS: [&str; 25] = [
    "address",
    "article",
    "blockquote",
    "center",
    "dd",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "li",
    "main",
    "ol",
    "p",
    "section",
    "ul",
];
/// Parts of class names that mark lines other than titles.
const BESIDE: [&str; 17] = [
    "author",
    "badge",
    "byline",
    "cat",
    "categories",
    "category",
    "chip",
    "date",
    "eyebrow",
    "kicker",
    "label",
    "meta",
    "pill",
    "tag",
    "tags",
    "time",
    "topic",
];
/// Units of numbers next to a title: "4 min read", "696 words".
const UNITS: [&str; 20] = [
    "min",
    "mins",
    "minute",
    "minutes",
    "minuten",
    "minuti",
    "minutos",
    "word",
    "words",
    "wörter",
    "mots",
    "palabras",
    "parole",
    "views",
    "likes",
    "мин",
    "минут",
    "слов",
    "分钟",
    "분",
];

#[derive(Debug, Clone)]
pub(super) struct CardTitle<'a> {
    /// One sanitised line.
    pub(super) text: String,
    /// The element that contains the title and nothing else.
    pub(super) element: Option<ElementRef<'a>>,
}

struct Line<'a> {
    text: String,
    element: Option<ElementRef<'a>>,
    bold: bool,
}

/// The title of a card that links to `url`: the line that the URL is named after, or else the first bold
/// line, or else the first line that is neither a date nor the name of a section. A single line is a title
/// only if it contains a date in a separate element. `None` if the chosen line is as long as a teaser.
pub(super) fn title<'a>(card: ElementRef<'a>, url: Option<&Url>) -> Option<CardTitle<'a>> {
    let lines = lines(card);
    if lines.len() < 2 {
        return without_date(card);
    }
    let usable: Vec<Line<'_>> = lines.into_iter().filter(|line| !is_beside(line)).collect();
    let short = |line: &&Line<'_>| weight(&line.text) <= LONGEST;
    let named = |line: &Line<'_>| url.map_or(0.0, |url| named_after(url, &line.text));
    let best = usable.iter().filter(short).map(named).fold(0.0, f64::max);
    let by_url = || usable.iter().find(|line| best >= 0.5 && short(line) && named(line) >= best);
    let bold = || usable.iter().find(|line| line.bold && short(line));
    let first = || usable.iter().find(|line| !is_label(&line.text)).or(usable.first());
    let line = by_url().or_else(bold).or_else(first).filter(short)?;
    Some(CardTitle { text: line.text.clone(), element: line.element })
}

/// The text of a one-line link without its date; `None` unless the date is in a separate element.
fn without_date<'a>(link: ElementRef<'a>) -> Option<CardTitle<'a>> {
    let is_date = |e: ElementRef<'_>| {
        e.value().name() == "time" || is_named_beside(e) && is_date_line(&text_up_to(e, MAX_LINE))
    };
    let mut found = false;
    let mut words = String::new();
    for child in link.children().take(MAX_ELEMENTS) {
        match (child.value(), ElementRef::wrap(child)) {
            (Node::Text(text), _) => words.push_str(text::start(text, MAX_LINE)),
            (_, Some(e)) if is_date(e) => found = true,
            (_, Some(e)) => words.push_str(&format!(" {} ", text_up_to(e, MAX_LINE))),
            _ => {}
        }
    }
    let line = text::line(&words);
    let line = line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '·' | '|' | '–' | '—'));
    let is_title = found && !is_no_title(line) && weight(line) <= LONGEST;
    is_title.then(|| CardTitle { text: line.to_owned(), element: None })
}

fn lines(card: ElementRef<'_>) -> Vec<Line<'_>> {
    let mut found = Vec::new();
    let mut left = MAX_ELEMENTS;
    gather(card, 0, &mut left, &mut found);
    found
}

/// Adds the lines of an element. Each run of text and inline elements is a line.
fn gather<'a>(element: ElementRef<'a>, level: usize, left: &mut usize, found: &mut Vec<Line<'a>>) {
    if level == MAX_LEVELS || !contains_blocks(element) {
        let text = text::line(&text_up_to(element, MAX_LINE));
        return push(text, Some(element), found);
    }
    let (mut run, mut only): (String, Vec<ElementRef<'a>>) = (String::new(), Vec::new());
    let end = |run: &mut String, only: &mut Vec<ElementRef<'a>>, found: &mut Vec<Line<'a>>| {
        let element = only.first().copied().filter(|_| only.len() == 1);
        let text = text::line(&std::mem::take(run));
        let alone = element.filter(|e| text::line(&text_up_to(*e, MAX_LINE)) == text);
        only.clear();
        push(text, alone, found);
    };
    for child in element.children() {
        if *left == 0 || found.len() >= MAX_LINES {
            break;
        }
        match (child.value(), ElementRef::wrap(child)) {
            (Node::Text(text), _) => run.push_str(text::start(text, MAX_LINE)),
            (Node::Element(tag), Some(child)) if !HIDDEN.contains(&tag.name()) => {
                *left -= 1;
                if tag.name() == "br" {
                    end(&mut run, &mut only, found);
                } else if BLOCKS.contains(&tag.name()) || contains_blocks(child) {
                    end(&mut run, &mut only, found);
                    gather(child, level + 1, left, found);
                } else {
                    run.push_str(&text_up_to(child, MAX_LINE));
                    only.push(child);
                }
            }
            _ => {}
        }
    }
    end(&mut run, &mut only, found);
}

fn contains_blocks(element: ElementRef<'_>) -> bool {
    let inside = element.descendent_elements().skip(1).take(MAX_ELEMENTS);
    inside.into_iter().any(|e| BLOCKS.contains(&e.value().name()) || e.value().name() == "br")
}

fn push<'a>(text: String, element: Option<ElementRef<'a>>, found: &mut Vec<Line<'a>>) {
    if text.chars().any(char::is_alphanumeric) && found.len() < MAX_LINES {
        let bold = element.is_some_and(is_bold);
        found.push(Line { text, element, bold });
    }
}

/// Whether an element, or the only element in it, is bold.
fn is_bold(element: ElementRef<'_>) -> bool {
    let own = |e: ElementRef<'_>| {
        matches!(e.value().name(), "b" | "strong")
            || e.value().classes().any(|c| c.ends_with("bold"))
    };
    let mut inside = element.child_elements();
    own(element) || inside.next().is_some_and(own) && inside.next().is_none()
}

/// Whether a line is not a title: a date, a section, a reading time.
fn is_beside(line: &Line<'_>) -> bool {
    let named = line.element.is_some_and(|e| e.value().name() == "time" || is_named_beside(e));
    named || is_no_title(&line.text) || is_count(&line.text) || begins_with_date(&line.text)
}

/// Whether a class of an element, such as `post-date`, marks it as something other than the title.
fn is_named_beside(element: ElementRef<'_>) -> bool {
    let mut parts = element.value().classes().flat_map(|class| class.split(['-', '_']));
    parts.any(|part| BESIDE.contains(&part.to_ascii_lowercase().as_str()))
}

/// Whether a line is little more than a date, as above or below a title. A date at the end of a title does
/// not count.
fn begins_with_date(line: &str) -> bool {
    const BEFORE: usize = 12;
    is_date_line(line)
        && crate::util::date::scan(line, &crate::util::date::DateContext::default())
            .dates
            .first()
            .is_some_and(|date| date.at.start <= BEFORE)
}

fn is_count(line: &str) -> bool {
    let lower = line.to_lowercase();
    let mut words =
        lower.split_whitespace().map(|w| w.trim_matches(|c: char| !c.is_alphanumeric()));
    let number =
        words.next().is_some_and(|w| !w.is_empty() && w.bytes().all(|b| b.is_ascii_digit()));
    let unit = words.next().is_some_and(|w| UNITS.contains(&w));
    number && unit && words.count() <= 2
}

/// Whether a line is the name of a section in upper case.
fn is_label(line: &str) -> bool {
    let cased = line.chars().any(char::is_uppercase);
    cased && weight(line) <= LONGEST_LABEL && !line.chars().any(char::is_lowercase)
}

fn weight(text: &str) -> usize {
    let halves: usize = text.chars().map(|c| if c > '\u{2e80}' { 5 } else { 2 }).sum();
    halves / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::html::tree;

    fn found(markup: &str) -> Option<String> {
        let tree = tree::fragment(markup).unwrap();
        let card = tree.select(&scraper::Selector::parse(".card").unwrap()).next().unwrap();
        let base = Url::parse("https://example.org/").unwrap();
        let url = card.attr("href").and_then(|href| base.join(href).ok());
        title(card, url.as_ref()).map(|title| title.text)
    }

    #[test]
    fn finds_the_title_among_the_lines() {
        let teaser = "Some words on it that go on for a while and do not end before the line does.";
        let cases = [
            "<p>Salt works</p><p>12 May 2024</p><p>TEASER</p>",
            "<div><time>12 May 2024</time><span>·</span><span>696 words</span></div><div>Salt works</div><p>TEASER</p>",
            "<div class=post-meta>Harbour news</div><div>Salt works</div><div>TEASER</div>",
            "<p>HARBOUR</p><p>Salt works</p><p>TEASER</p>",
            "<p>Part two</p><div class='text-xl font-bold'>Salt works</div><p>TEASER</p>",
            "<p>4 min read</p><p>Salt works</p>",
            "<img alt=''><span>Salt works</span><br>TEASER",
            "<div><div><span>Salt works</span></div><div>By Ann Lee, 12 May 2024</div></div><p>TEASER</p>",
            "<time>12 May 2024</time> Salt works",
            "<span class=date>12.05.2024</span> · <span>Salt works</span>",
        ];
        for markup in cases {
            let markup = markup.replace("TEASER", teaser);
            for tag in ["div", "a href=/p/7"] {
                let end = tag.split(' ').next().unwrap();
                let card = format!("<{tag} class=card>{markup}</{end}>");
                assert_eq!(found(&card).as_deref(), Some("Salt works"), "{card}");
            }
        }
        let by_url = "<a class=card href=/salt-works.html><p>Harbour</p><p>Salt works</p></a>";
        assert_eq!(found(by_url).as_deref(), Some("Salt works"));
        for (title, lines) in [
            ("塩田の話", "<p>塩田の話</p><p>2024年5月12日</p><p>港の近くにある塩田について。</p>"),
            ("ملاحات الميناء", "<p>12 مايو 2024</p><p>ملاحات الميناء</p><p>نص قصير عن الملاحات.</p>"),
            (
                "Minutes of the meeting on 12 May 2024",
                "<p>Minutes of the meeting on 12 May 2024</p><p>We met.</p>",
            ),
            (
                "10 minutes that changed the harbour",
                "<p>10 minutes that changed the harbour</p><p>12 May 2024</p>",
            ),
        ] {
            let card = format!("<div class=card dir=auto>{lines}</div>");
            assert_eq!(found(&card).as_deref(), Some(title), "{card}");
        }
        // A single line, a line as long as a teaser, or a date is not used as a title.
        for card in [
            "<a class=card href=/x><em>Salt</em> <strong>works</strong></a>".to_owned(),
            format!("<div class=card><p>{}</p><p>b</p></div>", teaser.repeat(4)),
            "<div class=card><p>12 May 2024</p><p>4 min</p></div>".to_owned(),
        ] {
            assert_eq!(found(&card), None, "{card}");
        }
    }

    #[test]
    fn limits_how_much_of_a_card_is_read() {
        let deep = format!("<div class=card>{}x", "<div>".repeat(60));
        assert_eq!(found(&deep), None);
        let wide = format!("<div class=card>{}</div>", "<p>Salt works</p>".repeat(5000));
        assert_eq!(found(&wide).as_deref(), Some("Salt works"));
    }
}
