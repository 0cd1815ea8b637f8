//! Who wrote the posts of a discussion, and when: a line above each post of the document.

use super::blocks::Page;
use super::classes::{USER, kinds};
use super::document::Inline;
use super::page_date::is_date_line;
use crate::util::text;
use ego_tree::NodeId;
use scraper::ElementRef;
use std::collections::{HashMap, HashSet};

/// Longest name of an author, in characters and in words.
const MAX_NAME: usize = 40;
const MAX_NAME_WORDS: usize = 4;
/// Longest date as the page writes it, in characters.
const MAX_TIME: usize = 60;
/// Maximum number of names, and of times.
const MAX_MARKS: usize = 5000;
/// Maximum number of nodes that are searched for names.
const MAX_NODES: usize = 400_000;
/// Maximum number of nodes of an element that are searched, of images, and of elements around one.
const MAX_WITHIN: usize = 40;
const MAX_IMAGES: usize = 5000;
const MAX_ABOVE: usize = 12;
/// Blocks at the start of a post that may repeat what the line above it says, and their length in words.
const REPEATED: usize = 3;
const REPEATED_WORDS: usize = 12;

/// Class names of the name of an author, without signs between words.
const NAMES: [&str; 14] = [
    "username",
    "usernamecoloured",
    "author",
    "authorname",
    "postauthor",
    "messageauthor",
    "commentauthor",
    "poster",
    "postername",
    "bigusername",
    "userlink",
    "hnuser",
    "nickname",
    "membername",
];

/// The lines above the posts, and what is left out of the document for them.
#[derive(Default)]
pub(super) struct Posts {
    /// By the box of the post.
    pub(super) lines: HashMap<NodeId, Vec<Inline>>,
    /// Names and dates that the lines repeat, and pictures of authors.
    pub(super) dropped: Vec<NodeId>,
}

/// Words beside a date or a name that say nothing else, folded.
const LABELS: [&str; 12] = [
    "posted",
    "on",
    "by",
    "at",
    "post",
    "date",
    "am",
    "pm",
    "wrote",
    "said",
    "written",
    "published",
];
/// Longest line with the date of a post that is not a sentence, in words.
const STAMP_WORDS: usize = 6;

/// A name or a time, and the innermost box around it.
struct Mark {
    element: usize,
    /// The block that contains a time.
    block: Option<usize>,
    text: String,
}

/// The posts among the selected blocks: boxes beside each other, each with a name, a time and text. `sums`
/// are the numbers of selected blocks before each block.
pub(super) fn posts(page: &Page<'_>, taken: &[bool], sums: &[usize]) -> Posts {
    let names = names(page);
    if names.len() < 2 {
        return Posts::default();
    }
    let times = times(page);
    let (first_name, first_time) = (firsts(page, &names), firsts(page, &times));
    let is_post = |at: usize| {
        let blocks = &page.elements[at].blocks;
        first_name[at].is_some()
            && first_time[at].is_some()
            && sums[blocks.end] > sums[blocks.start]
    };
    let mut beside: HashMap<(usize, &str), usize> = HashMap::new();
    for at in (1..page.elements.len()).filter(|at| is_post(*at)) {
        *beside.entry((page.elements[at].parent, page.elements[at].name())).or_default() += 1;
    }
    // Of boxes with the same name, the innermost is the post.
    let mut of_name: HashMap<usize, usize> = HashMap::new();
    for at in (1..page.elements.len()).filter(|at| is_post(*at)) {
        let element = &page.elements[at];
        if beside[&(element.parent, element.name())] >= 2
            && let Some(name) = first_name[at]
        {
            of_name.insert(name, at);
        }
    }
    let mut out = Posts::default();
    let mut groups: HashSet<(usize, &str)> = HashSet::new();
    for (name, at) in of_name {
        let element = &page.elements[at];
        groups.insert((element.parent, element.name()));
        let Some(time) = first_time[at].map(|time| &times[time]) else { continue };
        let name = names[name].text.as_str();
        out.lines.insert(element.node.id(), line(name, &time.text));
        out.dropped.extend(repeated(page, at, taken, name, time));
    }
    let members = || {
        let all = page.elements.iter().enumerate().skip(1);
        all.filter(|(_, e)| groups.contains(&(e.parent, e.name())))
    };
    // Of several posts of one author in a row, only the first may have the name.
    for (at, element) in members() {
        if let (None, Some(time)) = (first_name[at], first_time[at])
            && sums[element.blocks.end] > sums[element.blocks.start]
        {
            let time = &times[time];
            out.lines.insert(element.node.id(), vec![Inline::Text(time.text.clone())]);
            out.dropped.extend(repeated(page, at, taken, "", time));
        }
    }
    out.dropped.extend(portraits(members().map(|(_, e)| e.node), &names));
    out
}

fn line(name: &str, time: &str) -> Vec<Inline> {
    let name = Inline::Strong(vec![Inline::Text(name.to_owned())]);
    vec![name, Inline::Text(format!(" · {time}"))]
}

/// For each box the first mark inside.
fn firsts(page: &Page<'_>, marks: &[Mark]) -> Vec<Option<usize>> {
    let mut firsts = vec![None; page.elements.len()];
    for (n, mark) in marks.iter().enumerate() {
        for at in page.around(mark.element) {
            if firsts[at].is_some() {
                break;
            }
            firsts[at] = Some(n);
        }
    }
    firsts
}

/// The names of authors in page order.
fn names(page: &Page<'_>) -> Vec<Mark> {
    let boxes: HashMap<NodeId, usize> =
        page.elements.iter().enumerate().map(|(at, e)| (e.node.id(), at)).collect();
    let mut marks = Vec::new();
    let Some(root) = page.elements.first() else { return marks };
    for element in root.node.descendants().take(MAX_NODES).filter_map(ElementRef::wrap) {
        let Some(name) = name(element) else { continue };
        let mut around = std::iter::once(*element).chain(element.ancestors());
        if is_quoted(element) {
            continue;
        }
        if let Some(at) = around.find_map(|node| boxes.get(&node.id())) {
            marks.push(Mark { element: *at, block: None, text: name });
        }
        if marks.len() >= MAX_MARKS {
            break;
        }
    }
    marks
}

/// The name of an author, if the attributes of an element say that it is one.
fn name(element: ElementRef<'_>) -> Option<String> {
    let mut marked = false;
    for (name, value) in element.value().attrs() {
        match name {
            "data-author" => return valid(value),
            "itemprop" => {
                marked |= value.split_ascii_whitespace().any(|p| matches!(p, "author" | "creator"));
            }
            "class" => marked |= value.split_ascii_whitespace().any(is_of_name),
            _ => {}
        }
    }
    if !marked {
        return None;
    }
    let named =
        element.descendent_elements().take(MAX_WITHIN).find(|e| e.attr("itemprop") == Some("name"));
    let named = named.unwrap_or(element);
    let text: String = named.text().take(8).collect();
    named.attr("content").and_then(valid).or_else(|| valid(&text))
}

fn is_of_name(class: &str) -> bool {
    let folded =
        || class.bytes().filter(u8::is_ascii_alphanumeric).map(|b| b.to_ascii_lowercase() as char);
    class.len() <= MAX_NAME && {
        let folded: String = folded().collect();
        NAMES.contains(&folded.as_str())
    }
}

fn valid(name: &str) -> Option<String> {
    let name = text::line(name);
    let fits = !name.is_empty()
        && name.chars().count() <= MAX_NAME
        && name.split(' ').count() <= MAX_NAME_WORDS
        && name.chars().any(char::is_alphanumeric)
        && !name.contains([':', '#', '/'])
        && !is_date_line(&name);
    fits.then_some(name)
}

fn is_quoted(element: ElementRef<'_>) -> bool {
    element
        .ancestors()
        .filter_map(ElementRef::wrap)
        .take(8)
        .any(|e| e.value().name() == "blockquote")
}

/// Dates in lines of their own, in page order, as the page writes them.
fn times(page: &Page<'_>) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (at, block) in page.blocks.iter().enumerate() {
        let line = page.text(at);
        let short = block.words <= REPEATED_WORDS;
        if !short || !line.contains(char::is_numeric) && !block.time || marks.len() >= MAX_MARKS {
            continue;
        }
        if let Some(text) = stamp(page, at).or_else(|| is_date_line(line).then(|| shortened(line)))
        {
            marks.push(Mark { element: block.element, block: Some(at), text });
        }
    }
    marks
}

/// The time of a block by the `time` element around or in it.
fn stamp(page: &Page<'_>, at: usize) -> Option<String> {
    let node = page.elements[page.blocks[at].element].node;
    let text = page.nodes(at);
    let time = node.descendent_elements().take(MAX_WITHIN).find(|e| {
        e.value().name() == "time"
            && e.descendants().take(MAX_WITHIN).any(|node| text.contains(&node.id()))
    })?;
    let shown = text::line(&time.text().collect::<String>());
    if is_date_line(&shown) && shown.chars().count() <= MAX_TIME && !is_iso(&shown) {
        return Some(shown);
    }
    written(time.attr("datetime")?)
}

/// Whether a time is written as `2013-07-11T21:20`.
fn is_iso(shown: &str) -> bool {
    shown.as_bytes().windows(2).any(|pair| pair[0].is_ascii_digit() && pair[1] == b'T')
}

/// `2013-07-11 21:20` from `2013-07-11T21:20:00+00:00`.
fn written(datetime: &str) -> Option<String> {
    let datetime = datetime.trim();
    let fits = |text: &str, pattern: &str| {
        text.len() == pattern.len()
            && text.bytes().zip(pattern.bytes()).all(|(b, p)| match p {
                b'0' => b.is_ascii_digit(),
                _ => b == p,
            })
    };
    let day = datetime.get(..10).filter(|day| fits(day, "0000-00-00"))?;
    match datetime.get(11..16).filter(|time| fits(time, "00:00")) {
        Some(time) => Some(format!("{day} {time}")),
        None => Some(day.to_owned()),
    }
}

/// A line with a date, without the number of the post at its end.
fn shortened(line: &str) -> String {
    let line = text::line(line);
    let end = line.rfind('#').filter(|at| line[at + 1..].chars().all(|c| c.is_ascii_digit()));
    let line = end.map_or(line.as_str(), |end| line[..end].trim_end());
    line.chars().take(MAX_TIME).collect()
}

/// The selected blocks at the start of a post that say the same as the line above it.
fn repeated(page: &Page<'_>, post: usize, taken: &[bool], name: &str, time: &Mark) -> Vec<NodeId> {
    let blocks = page.elements[post].blocks.clone().filter(|at| taken[*at]);
    let mut dropped = Vec::new();
    for at in blocks.take(REPEATED) {
        let line = text::line(page.text(at));
        let words = page.blocks[at].words;
        let is_stamp = time.block == Some(at) && words <= STAMP_WORDS;
        let repeats = words <= REPEATED_WORDS && says_no_more(&line, name, &time.text);
        if !(is_stamp || repeats) {
            break;
        }
        dropped.extend_from_slice(page.nodes(at));
    }
    dropped
}

/// Whether a line consists of a name or a time, numbers, and labels.
fn says_no_more(line: &str, name: &str, time: &str) -> bool {
    let mut rest = line.to_owned();
    for known in [time, name].into_iter().filter(|known| !known.is_empty()) {
        rest = rest.replacen(known, " ", 1);
    }
    let is_label = |word: &str| {
        word.chars().all(char::is_numeric) || LABELS.contains(&word.to_lowercase().as_str())
    };
    rest != line
        && rest.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).all(is_label)
}

/// Pictures of the authors, and of their ranks, in posts: those that are named after an author, or are in a
/// box about one.
fn portraits<'a>(posts: impl Iterator<Item = ElementRef<'a>>, names: &[Mark]) -> HashSet<NodeId> {
    let names: HashSet<&str> = names.iter().map(|name| name.text.as_str()).collect();
    let mut found = HashSet::new();
    let mut left = MAX_IMAGES;
    for post in posts {
        for image in post.descendent_elements().filter(|e| e.value().name() == "img") {
            if left == 0 {
                return found;
            }
            left -= 1;
            let alt = text::line(image.attr("alt").unwrap_or_default());
            let mut around = std::iter::once(image)
                .chain(image.ancestors().filter_map(ElementRef::wrap))
                .take(MAX_ABOVE)
                .take_while(|e| e.id() != post.id());
            if names.contains(alt.as_str()) || around.any(is_about_author) {
                found.insert(image.id());
            }
        }
    }
    found
}

fn is_about_author(e: ElementRef<'_>) -> bool {
    let of_user = |class: &str| {
        // The names of the text itself may contain such words.
        kinds(class) & (USER | super::classes::CONTENT | super::classes::POST) == USER
    };
    e.attr("class").is_some_and(of_user)
}
