//! Author and time of the posts of a discussion, as a header line above each post of the document.

mod signatures;
pub(super) mod systems;
mod times;

use super::blocks::{Page, is_heading};
use super::classes::{USER, kinds};
use super::document::Inline;
use super::page_date::is_date_line_in;
use crate::util::date::DateContext;
use crate::util::text;
use ego_tree::NodeId;
use scraper::ElementRef;
use std::collections::{HashMap, HashSet};

/// Maximum length of an author's name, in characters and in words, because a box with the class of a name may
/// contain other text. An attribute or a link contains only the name, so its limit is higher.
const MAX_NAME: usize = 40;
const MAX_NAME_WORDS: usize = 4;
const MAX_CERTAIN: usize = 80;
/// Maximum number of names and of times.
const MAX_MARKS: usize = 5000;
/// Maximum number of nodes that are searched for names.
const MAX_NODES: usize = 400_000;
/// Maximum numbers of nodes, images and ancestors that are examined per element.
const MAX_WITHIN: usize = 40;
const MAX_IMAGES: usize = 5000;
const MAX_ABOVE: usize = 12;
/// Number of blocks at the start of a post that may repeat its header line, and their maximum length in
/// words.
const REPEATED: usize = 3;
const REPEATED_WORDS: usize = 12;

/// Class names of an author's name, without separators between words.
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

/// The header lines of the posts, and the parts of the document that they replace.
#[derive(Default)]
pub(super) struct Posts {
    /// Header lines by the box of the post.
    pub(super) lines: HashMap<NodeId, Vec<Inline>>,
    /// Names and dates that the header lines repeat, and images of authors.
    pub(super) dropped: Vec<NodeId>,
    /// Blocks of signatures.
    pub(super) signatures: Vec<usize>,
}

/// Words next to a date or a name that have no other meaning, case-folded.
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
/// Maximum length of a line with the date of a post, in words. A longer line is a sentence.
const STAMP_WORDS: usize = 6;
/// Classes of quotation boxes in forums, in lower case.
const QUOTES: [&str; 7] = [
    "quote",
    "quoteheader",
    "quotetitle",
    "quotetop",
    "bbcode_quote",
    "bbcode-quote",
    "bbcodeblock--quote",
];

/// A name or a time, and the innermost box around it.
struct Mark {
    element: usize,
    /// The quotation that contains it.
    quote: Option<usize>,
    /// The block that contains a time.
    block: Option<usize>,
    /// The text as it is shown, and as the page writes it.
    text: String,
    written: String,
    /// Whether a label marks it as the time of a later edit.
    modified: bool,
    /// Whether the page gives it as a machine-readable time.
    stated: bool,
    /// Whether it may be part of the text of the post.
    doubtful: bool,
}

impl Mark {
    fn of_name(element: usize, name: String) -> Self {
        let written = name.clone();
        Self {
            element,
            quote: None,
            block: None,
            text: name,
            written,
            modified: false,
            stated: false,
            doubtful: false,
        }
    }
}

/// The posts among the selected blocks: sibling boxes that each contain a name, a time and text.
pub(super) fn posts(page: &Page<'_>, taken: &[bool], context: &DateContext) -> Posts {
    let names = names(page, context);
    if names.len() < 2 {
        return Posts::default();
    }
    let times = times::times(page, &names, context);
    let first_name = firsts(page, &names);
    let boxes = boxes(page, taken, &first_name, &firsts(page, &times.marks));
    let groups: HashSet<Group<'_>> = boxes.iter().map(|at| group(page, *at)).collect();
    let own_name = owned(page, &names, &boxes, |_, _, _| false);
    let own_time = owned(page, &times.marks, &boxes, |at, first, other| {
        first.modified && !other.modified
            || own_name.get(&at).is_some_and(|name| is_below(page, &names[*name], first, other))
    });
    let (mut out, mut heads) = (Posts::default(), HashSet::new());
    for at in boxes.iter().copied() {
        if is_wrapper(page, at, &boxes, &own_name, &own_time, &names) {
            continue;
        }
        let name = own_name.get(&at).map(|name| names[*name].text.as_str());
        let time = own_time.get(&at).map(|time| &times.marks[*time]).filter(|time| {
            // If another author's name is above it, the time is a date in the text.
            name.is_some() || first_name[at].is_none_or(|n| names[n].element > time.element)
        });
        let line = line(name, time.map(|time| time.text.as_str()));
        if !line.is_empty() {
            out.lines.insert(page.elements[at].node.id(), line);
            let blocks = page.elements[at].blocks.clone().filter(|at| taken[*at]);
            let blocks = repeated(page, blocks, name.unwrap_or_default(), time, &times.joined);
            heads.extend(blocks);
        }
    }
    let named = own_name.iter().map(|(at, name)| (*at, names[*name].text.as_str()));
    let is_text = |at: usize| taken[at] && !heads.contains(&at);
    out.signatures = signatures::signatures(page, is_text, &boxes, named);
    out.dropped.extend(heads.iter().flat_map(|at| page.nodes(*at)));
    let members = (1..page.elements.len()).filter(|at| groups.contains(&group(page, *at)));
    out.dropped.extend(portraits(members.map(|at| page.elements[at].node), &names));
    out
}

/// The parent of a box, and the tag name of the box.
type Group<'a> = (usize, &'a str);

fn group<'a>(page: &Page<'a>, at: usize) -> Group<'a> {
    (page.elements[at].parent, page.elements[at].name())
}

/// The boxes of posts: siblings with a name and a time, and other boxes of the same shape.
fn boxes(
    page: &Page<'_>,
    taken: &[bool],
    first_name: &[Option<usize>],
    first_time: &[Option<usize>],
) -> HashSet<usize> {
    let sums = super::figures::sums(taken);
    let is_selected = |at: &usize| {
        let blocks = &page.elements[*at].blocks;
        sums[blocks.end] > sums[blocks.start]
    };
    let selected: Vec<usize> = (1..page.elements.len()).filter(is_selected).collect();
    let full = || {
        let all = selected.iter().copied();
        all.filter_map(|at| first_time[at].and(first_name[at]).map(|name| (at, name)))
    };
    let mut beside: HashMap<Group<'_>, usize> = HashMap::new();
    full().for_each(|(at, _)| *beside.entry(group(page, at)).or_default() += 1);
    // The innermost of the boxes with the same author's name is the post.
    let innermost: HashMap<usize, usize> = full()
        .filter(|(at, _)| beside[&group(page, *at)] >= 2)
        .map(|(at, name)| (name, at))
        .collect();
    let mut boxes: HashSet<usize> = innermost.into_values().collect();
    let class = |at: usize| {
        let class = page.elements[at].node.attr("class").unwrap_or_default();
        class.split_ascii_whitespace().next().unwrap_or_default()
    };
    let groups: HashSet<Group<'_>> = boxes.iter().map(|at| group(page, *at)).collect();
    let shapes: HashSet<(&str, &str)> =
        boxes.iter().map(|at| (page.elements[*at].name(), class(*at))).collect();
    // Only the first of consecutive posts by the same author may have the name. Some posts have no time, and
    // a reply may have no siblings.
    boxes.extend(selected.iter().copied().filter(|at| {
        let (name, class) = (page.elements[*at].name(), class(*at));
        let is_reply = !class.is_empty() && first_name[*at].is_some();
        shapes.contains(&(name, class)) && (is_reply || groups.contains(&group(page, *at)))
    }));
    boxes
}

/// Whether a box without a time only wraps a post of the same author.
fn is_wrapper(
    page: &Page<'_>,
    at: usize,
    boxes: &HashSet<usize>,
    own_name: &HashMap<usize, usize>,
    own_time: &HashMap<usize, usize>,
    names: &[Mark],
) -> bool {
    let name = |at: &usize| own_name.get(at).map(|name| names[*name].text.as_str());
    let end = page.elements[at].blocks.end;
    let within = (at + 1..page.elements.len()).take_while(|e| page.elements[*e].blocks.start < end);
    let mut within = within.filter(|e| boxes.contains(e));
    !own_time.contains_key(&at) && within.next().is_some_and(|first| name(&first) == name(&at))
}

/// For each post, the first mark that is not in a nested post, or a later one that is better.
fn owned(
    page: &Page<'_>,
    marks: &[Mark],
    posts: &HashSet<usize>,
    is_better: impl Fn(usize, &Mark, &Mark) -> bool,
) -> HashMap<usize, usize> {
    let mut owned: HashMap<usize, usize> = HashMap::new();
    for (n, mark) in marks.iter().enumerate() {
        if let Some(post) = within_quote(page, mark).find(|at| posts.contains(at)) {
            let first = owned.entry(post).or_insert(n);
            if is_better(post, &marks[*first], mark) {
                *first = n;
            }
        }
    }
    owned
}

/// For a post with the name below its text: whether the `first` time is only a day that the text mentions,
/// and the `other` time is that of the post, because it is machine-readable or closer to the name.
fn is_below(page: &Page<'_>, name: &Mark, first: &Mark, other: &Mark) -> bool {
    // The depth of the innermost box around both.
    let shared = |mark: &Mark| {
        let (mut a, mut b) = (name.element, mark.element);
        while a != b {
            // A box comes after its ancestors.
            match a > b {
                true => a = page.elements[a].parent,
                false => b = page.elements[b].parent,
            }
        }
        page.elements[a].depth
    };
    first.doubtful
        && first.element < name.element
        && !other.doubtful
        && !other.modified
        && (other.stated || shared(other) > shared(first))
}

/// The boxes around a mark, up to and including the quotation that contains it.
fn within_quote(page: &Page<'_>, mark: &Mark) -> impl Iterator<Item = usize> {
    let mut quoted = false;
    page.around(mark.element).take_while(move |at| {
        let inside = !quoted;
        quoted |= Some(*at) == mark.quote;
        inside
    })
}

fn line(name: Option<&str>, time: Option<&str>) -> Vec<Inline> {
    let strong = |name: &str| Inline::Strong(vec![Inline::Text(name.to_owned())]);
    match (name, time) {
        (Some(name), Some(time)) => {
            vec![strong(name), Inline::Text(format!(" · {time}"))]
        }
        (Some(name), None) => vec![strong(name)],
        (None, Some(time)) => vec![Inline::Text(time.to_owned())],
        (None, None) => Vec::new(),
    }
}

/// For each box, the first mark inside.
fn firsts(page: &Page<'_>, marks: &[Mark]) -> Vec<Option<usize>> {
    let mut firsts = vec![None; page.elements.len()];
    for (n, mark) in marks.iter().enumerate() {
        for at in within_quote(page, mark) {
            if firsts[at].is_some() {
                break;
            }
            firsts[at] = Some(n);
        }
    }
    firsts
}

/// The names of authors, in page order.
fn names(page: &Page<'_>, context: &DateContext) -> Vec<Mark> {
    let boxes: HashMap<NodeId, usize> =
        page.elements.iter().enumerate().map(|(at, e)| (e.node.id(), at)).collect();
    let mut marks = Vec::new();
    let Some(root) = page.elements.first() else { return marks };
    for element in root.node.descendants().take(MAX_NODES).filter_map(ElementRef::wrap) {
        let Some(name) = name(element, context) else { continue };
        let mut around = std::iter::once(*element).chain(element.ancestors());
        if is_quoted(element) {
            continue;
        }
        if let Some(at) = around.find_map(|node| boxes.get(&node.id())) {
            marks.push(Mark::of_name(*at, name));
        }
        if marks.len() >= MAX_MARKS {
            break;
        }
    }
    marks
}

/// The author's name in an element, if its attributes mark it as one.
fn name(element: ElementRef<'_>, context: &DateContext) -> Option<String> {
    let certain = |name: &str| valid(name, (MAX_CERTAIN, MAX_CERTAIN), context);
    let mut marked = false;
    for (name, value) in element.value().attrs() {
        match name {
            "data-author" => return certain(value),
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
    let is_certain = named.is_some()
        || element.value().name() == "a" && element.child_elements().next().is_none();
    let named = named.unwrap_or(element);
    let text: String = named.text().take(8).collect();
    let (chars, words) = match is_certain {
        true => (MAX_CERTAIN, MAX_CERTAIN),
        false => (MAX_NAME, MAX_NAME_WORDS),
    };
    named.attr("content").and_then(certain).or_else(|| valid(&text, (chars, words), context))
}

fn is_of_name(class: &str) -> bool {
    let folded =
        || class.bytes().filter(u8::is_ascii_alphanumeric).map(|b| b.to_ascii_lowercase() as char);
    class.len() <= MAX_NAME && {
        let folded: String = folded().collect();
        NAMES.contains(&folded.as_str())
    }
}

/// The name if it has at most `chars` characters and `words` words.
fn valid(name: &str, (chars, words): (usize, usize), context: &DateContext) -> Option<String> {
    let name = text::line(name);
    let fits = !name.is_empty()
        && name.chars().count() <= chars
        && name.split(' ').count() <= words
        && name.chars().any(char::is_alphanumeric)
        && !name.contains([':', '#', '/'])
        && !is_date_line_in(&name, context);
    fits.then_some(name)
}

fn is_quoted(element: ElementRef<'_>) -> bool {
    element.ancestors().filter_map(ElementRef::wrap).take(8).any(is_quotation)
}

/// Whether an element is a quotation, or a quotation box of a forum.
fn is_quotation(e: ElementRef<'_>) -> bool {
    let is_quote = |class: &str| QUOTES.iter().any(|quote| class.eq_ignore_ascii_case(quote));
    e.value().name() == "blockquote"
        || e.attr("class").is_some_and(|class| class.split_ascii_whitespace().any(is_quote))
}

/// The blocks at the start of a post that repeat its header line, or give the day on which its author joined.
fn repeated<'p>(
    page: &'p Page<'_>,
    blocks: impl DoubleEndedIterator<Item = usize> + Clone + 'p,
    name: &'p str,
    time: Option<&'p Mark>,
    joined: &'p HashSet<usize>,
) -> impl Iterator<Item = usize> + 'p {
    let last = blocks.clone().next_back();
    let is_title = |at: &usize| is_heading(page.elements[page.blocks[*at].element].name());
    let repeats = move |at: &usize| {
        let line = text::line(page.text(*at));
        let words = page.blocks[*at].words;
        let is_stamp = time.is_some_and(|time| time.block == Some(*at)) && words <= STAMP_WORDS;
        let written = time.map_or(["", ""], |time| [&time.written, &time.text]);
        let repeats = words <= REPEATED_WORDS && adds_nothing(&line, name, written);
        is_stamp || repeats || joined.contains(at) && Some(*at) != last
    };
    // Some forums write the title of the thread above each post.
    let head = blocks.take(REPEATED).take_while(move |at| is_title(at) || repeats(at));
    head.filter(move |at| repeats(at))
}

/// Whether a line consists only of a name or a time, numbers, and labels.
fn adds_nothing(line: &str, name: &str, [written, time]: [&str; 2]) -> bool {
    let mut rest = line.to_owned();
    for known in [written, time, name].into_iter().filter(|known| !known.is_empty()) {
        rest = rest.replacen(known, " ", 1);
    }
    let is_label = |word: &str| {
        word.chars().all(char::is_numeric) || LABELS.contains(&word.to_lowercase().as_str())
    };
    rest != line
        && rest.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).all(is_label)
}

/// Images of the authors and of their ranks in posts: those with an author's name as alternative text, or in
/// a box about an author.
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
        // The classes of the text itself may also contain these words.
        kinds(class) & (USER | super::classes::CONTENT | super::classes::POST) == USER
    };
    e.attr("class").is_some_and(of_user)
}

#[cfg(test)]
mod tests;
