//! The posts on pages of common forum systems, recognised by the markup that all pages of a system share.

use super::times::written;
use super::{MAX_CERTAIN, Mark, Posts, is_quotation, line, valid};
use crate::article::blocks::Page;
use crate::article::from_html::is_post_text;
use crate::util::date::DateContext;
use crate::util::html::tree;
use ego_tree::NodeId;
use ego_tree::iter::Edge;
use scraper::ElementRef;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Maximum number of elements of a post that are searched for its author and time.
const MAX_SEARCHED: usize = 400;
/// Minimum number of posts in a thread.
const FEWEST: usize = 2;
/// Maximum length of an author's name, in bytes.
const MAX_TERM: usize = 200;
/// Maximum length of a line that names the quoted author, in words.
const MAX_NAME_LINE_WORDS: usize = 14;

/// Boxes of attachments: XenForo, phpBB.
const FILES: [&str; 2] = ["message-attachments", "attachbox"];
/// Boxes in quotations that name the quoted author: XenForo, Invision, Discourse.
const TITLES: [&str; 3] = ["bbcodeblock-title", "ipsquote_citation", "title"];

/// How a forum system marks the boxes of posts, and of their texts and authors.
struct System {
    is_post: fn(ElementRef<'_>) -> bool,
    is_text: fn(ElementRef<'_>) -> bool,
    /// The first matching element before the texts contains the author's name.
    is_name: fn(ElementRef<'_>) -> bool,
}

static SYSTEMS: [System; 9] = [
    // Invision.
    System {
        is_post: |e| has(e, &["ipscomment", "ipsentry"]) || numbered(e, "elComment_"),
        is_text: |e| e.attr("data-role") == Some("commentContent"),
        is_name: |_| false,
    },
    // NodeBB.
    System {
        is_post: |e| e.attr("component") == Some("post"),
        is_text: |e| e.attr("component") == Some("post/content"),
        is_name: |_| false,
    },
    // FluxBB. A signature also has the class of a text.
    System {
        is_post: |e| has(e, &["blockpost"]),
        is_text: |e| has(e, &["postmsg"]) && !has(e, &["postsignature"]),
        is_name: |e| e.value().name() == "dt",
    },
    // Simple Machines (SMF).
    System {
        is_post: |e| has(e, &["post_wrapper"]),
        is_text: |e| numbered(e, "msg_"),
        is_name: |e| e.attr("href").is_some_and(|href| href.contains("action=profile")),
    },
    // MyBB.
    System {
        is_post: |e| numbered(e, "post_") && has(e, &["post"]),
        is_text: |e| numbered(e, "pid_"),
        is_name: |_| false,
    },
    // phpBB.
    System {
        is_post: |e| numbered(e, "p") && has(e, &["post"]),
        is_text: |e| has(e, &["attachbox"]) || has(e, &["content"]) && is_in_body(e),
        is_name: |_| false,
    },
    // Discourse, for clients without scripts.
    System {
        is_post: |e| has(e, &["crawler-post"]),
        is_text: |e| e.attr("itemprop") == Some("text"),
        is_name: |_| false,
    },
    // vBulletin 5, 4 and 3.
    System {
        is_post: |e| {
            has(e, &["b-post"])
                || numbered(e, "post_") && e.value().name() == "li"
                || numbered(e, "post") && e.value().name() == "table"
        },
        is_text: |e| numbered(e, "post_message_") || e.attr("itemprop") == Some("text"),
        is_name: |_| false,
    },
    // XenForo.
    System {
        is_post: |e| has(e, &["js-post"]),
        is_text: |e| has(e, &["message-body", "message-attachments"]),
        is_name: |_| false,
    },
];

/// A post: its box, and the boxes of its text in page order.
struct Post {
    element: usize,
    system: &'static System,
    texts: Vec<usize>,
}

/// Reads all posts of the list that contains the selected ones, and deselects everything between their texts.
/// `None` if the page has no posts in known markup, or if fewer than two are selected.
pub(in crate::article) fn read_posts(
    page: &Page<'_>,
    taken: &mut [bool],
    context: &DateContext,
) -> Option<Posts> {
    let (all, heads) = find(page);
    let sums = crate::article::figures::sums(taken);
    let is_read = |post: &Post| {
        post.texts.iter().any(|at| {
            let blocks = &page.elements[*at].blocks;
            sums[blocks.end] > sums[blocks.start]
        })
    };
    let (first, last) = (all.iter().position(is_read)?, all.iter().rposition(is_read)?);
    // If the URL is that of a single post, only that post is selected.
    if last + 1 - first < FEWEST {
        return None;
    }
    // Posts elsewhere on the page belong to other threads.
    let list = |post: &Post| page.elements[page.elements[post.element].parent].parent;
    let (before, after) = (&all[..first], &all[last + 1..]);
    let earlier = before.iter().rev().take_while(|post| list(post) == list(&all[first])).count();
    let later = after.iter().take_while(|post| list(post) == list(&all[last])).count();
    let read = &all[first - earlier..=last + later];
    select(page, taken, read);
    let names = super::names(page, context);
    let times = super::times::times(page, &names, context);
    let own_names = firsts(&heads, names.iter(), |_, _| false);
    let marks = times.marks.iter().filter(|mark| !mark.modified);
    let own_times = firsts(&heads, marks, |first, other| other.stated && !first.stated);
    let mut out = Posts::default();
    for post in read {
        let Some(text) = post.texts.first() else { continue };
        let name = name(page, post, own_names.get(&post.element).copied(), context);
        let time = time(page, post, own_times.get(&post.element).copied());
        let line = line(name.as_deref(), time.as_deref());
        if !line.is_empty() {
            out.lines.insert(page.elements[*text].node.id(), line);
        }
    }
    out.dropped = beside(page, read);
    Some(out)
}

/// The posts in page order, and for each box outside texts and quotations, the post that contains it.
fn find(page: &Page<'_>) -> (Vec<Post>, Vec<Option<usize>>) {
    let (mut posts, mut places) = (Vec::<Post>::new(), HashMap::new());
    let mut heads: Vec<Option<usize>> = Vec::with_capacity(page.elements.len());
    // For each box, the innermost post around it, and whether it is in a text.
    let mut around: Vec<(Option<(usize, &'static System)>, bool)> =
        Vec::with_capacity(page.elements.len());
    for (at, element) in page.elements.iter().enumerate() {
        let (outer, within) = around.get(element.parent).copied().unwrap_or_default();
        let head = heads.get(element.parent).copied().flatten();
        let begun = match within {
            true => None,
            false => SYSTEMS.iter().find(|system| (system.is_post)(element.node)),
        };
        let post = begun.map(|system| (at, system)).or(outer);
        let of =
            post.filter(|(post, system)| !within && *post != at && (system.is_text)(element.node));
        if let Some((post, system)) = of {
            let place = *places.entry(post).or_insert(posts.len());
            if place == posts.len() {
                posts.push(Post { element: post, system, texts: Vec::new() });
            }
            posts[place].texts.push(at);
        }
        heads.push(match begun {
            Some(_) => Some(at),
            None => head.filter(|_| of.is_none() && !is_quotation(element.node)),
        });
        around.push((post, within || of.is_some()));
    }
    (posts, heads)
}

/// Whether an element in the text of a post was not written by the author.
fn is_note(e: ElementRef<'_>) -> bool {
    let in_box = |class: &str| {
        let parent = e.parent().and_then(ElementRef::wrap);
        e.value().name() == "p" && parent.is_some_and(|e| has(e, &[class]))
    };
    // phpBB adds a button above code, XenForo one below long quotations, FluxBB the name of the editor.
    in_box("codebox")
        || has(e, &["bbcodeblock-expandlink"])
        || has(e, &["postedit"]) && in_box("postmsg")
}

/// Whether the parent or grandparent of an element is the body of a phpBB post.
fn is_in_body(e: ElementRef<'_>) -> bool {
    e.ancestors().take(2).filter_map(ElementRef::wrap).any(|e| has(e, &["postbody"]))
}

/// Whether the id of an element consists of the prefix `start` and a number.
fn numbered(e: ElementRef<'_>, start: &str) -> bool {
    let number = e.attr("id").and_then(|id| id.strip_prefix(start));
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether an element has one of these classes.
fn has(e: ElementRef<'_>, classes: &[&str]) -> bool {
    let is = |class: &str| classes.iter().any(|name| class.eq_ignore_ascii_case(name));
    e.attr("class").is_some_and(|all| all.split_ascii_whitespace().any(is))
}

/// Deselects everything outside texts. Selects parts of texts that are often missed: lists, code, posts
/// without any selected block, and the authors of quotations. Quotations themselves are unchanged, except in
/// posts with nothing else.
fn select(page: &Page<'_>, taken: &mut [bool], read: &[Post]) {
    let boxes = || read.iter().map(|post| &page.elements[post.element].blocks);
    let start = boxes().map(|blocks| blocks.start).min().unwrap_or_default();
    let end = boxes().map(|blocks| blocks.end).max().unwrap_or_default();
    let all = surroundings(page, read);
    let around = |at: usize| &all[page.blocks[at].element];
    let post_of = |at: usize| {
        let here = around(at);
        here.post.filter(|_| here.quote.is_none() && !here.is_apart)
    };
    let answered: HashSet<usize> =
        (start..end).filter(|at| taken[*at]).filter_map(post_of).collect();
    for at in start..end {
        let here = around(at);
        let Some(post) = here.post else {
            taken[at] = false;
            continue;
        };
        match here.quote {
            Some(quote) if page.elements[quote].blocks.start == at && names_author(page, at) => {
                let blocks = at + 1..page.elements[quote].blocks.end;
                let mut quoted = blocks.filter(|at| around(*at).post.is_some()).peekable();
                let is_all = quoted.peek().is_none();
                let is_quoted = quoted.any(|at| taken[at]);
                // A line above an image, or a line that is the whole quotation, may be part of the quotation.
                taken[at] =
                    is_quoted || taken[at] && (is_all || has_picture(page.elements[quote].node));
            }
            Some(_) => {}
            None if here.is_file => taken[at] = false,
            None => {
                taken[at] |= !here.is_apart && (here.is_whole || !answered.contains(&post));
            }
        }
    }
    for post in read {
        let blocks = || post.texts.iter().flat_map(|at| page.elements[*at].blocks.clone());
        if !blocks().any(|at| taken[at]) {
            let quoted = |at: &usize| around(*at).post.is_some() && around(*at).quote.is_some();
            blocks().filter(quoted).for_each(|at| taken[at] = true);
        }
    }
}

/// What surrounds a box.
#[derive(Clone, Default)]
struct Surroundings {
    /// The post, if the box is in its text.
    post: Option<usize>,
    /// The outermost quotation around the box.
    quote: Option<usize>,
    /// Whether the box is in a list item or in code.
    is_whole: bool,
    /// Whether the box is in an attachment.
    is_file: bool,
    /// Whether the box is in an attachment or a preview of another page.
    is_apart: bool,
}

fn surroundings(page: &Page<'_>, read: &[Post]) -> Vec<Surroundings> {
    let texts: HashMap<usize, usize> =
        read.iter().flat_map(|post| post.texts.iter().map(|at| (*at, post.element))).collect();
    let mut all: Vec<Surroundings> = Vec::with_capacity(page.elements.len());
    for (at, element) in page.elements.iter().enumerate() {
        let mut here = all.get(element.parent).cloned().unwrap_or_default();
        let node = element.node;
        if let Some(post) = texts.get(&at) {
            here = Surroundings { post: Some(*post), ..Surroundings::default() };
        } else if is_note(node) {
            here = Surroundings::default();
        } else if here.quote.is_none() && is_quotation(node) && !is_post_text(node) {
            // In vBulletin, all texts are in a quotation element.
            here.quote = Some(at);
        }
        here.is_whole |= matches!(node.value().name(), "li" | "pre");
        here.is_file |= has(node, &FILES);
        here.is_apart |= here.is_file || node.value().name() == "aside";
        all.push(here);
    }
    all
}

fn has_picture(e: ElementRef<'_>) -> bool {
    e.descendent_elements().any(|e| e.value().name() == "img")
}

/// Whether the first block of a quotation names the quoted author.
fn names_author(page: &Page<'_>, at: usize) -> bool {
    let block = &page.blocks[at];
    block.words <= MAX_NAME_LINE_WORDS
        && (page.text(at).trim_end().ends_with(':')
            || has(page.elements[block.element].node, &TITLES))
}

/// The nodes in and between posts that are not part of a text, such as images of authors.
fn beside(page: &Page<'_>, read: &[Post]) -> Vec<NodeId> {
    let node = |at: &usize| page.elements[*at].node;
    let texts: HashSet<NodeId> =
        read.iter().flat_map(|post| &post.texts).map(|at| node(at).id()).collect();
    let boxes: HashSet<NodeId> = read.iter().map(|post| node(&post.element).id()).collect();
    let mut above: HashMap<NodeId, usize> = HashMap::new();
    for at in read.iter().flat_map(|post| &post.texts) {
        node(at).ancestors().for_each(|n| *above.entry(n.id()).or_default() += 1);
    }
    let Some(first) = read.first().map(|post| node(&post.element)) else { return Vec::new() };
    let root = first.ancestors().find(|n| above.get(&n.id()) == Some(&texts.len()));
    let Some(root) = root else { return Vec::new() };
    let (mut dropped, mut seen, mut inside) = (Vec::new(), 0, 0);
    let mut skipped: Option<NodeId> = None;
    for edge in root.traverse() {
        match edge {
            Edge::Open(n) if skipped.is_none() => {
                let id = n.id();
                if texts.contains(&id) {
                    seen += 1;
                    skipped = Some(id);
                } else if above.contains_key(&id) {
                    inside += usize::from(boxes.contains(&id));
                } else if inside > 0 || seen > 0 && seen < texts.len() {
                    dropped.push(id);
                    skipped = Some(id);
                }
            }
            Edge::Close(n) if skipped.is_none() => {
                inside -= usize::from(boxes.contains(&n.id()));
            }
            Edge::Close(n) if skipped == Some(n.id()) => skipped = None,
            _ => {}
        }
    }
    dropped
}

/// The author of a post, from an attribute or else the first name outside its texts.
fn name(page: &Page<'_>, post: &Post, own: Option<&Mark>, context: &DateContext) -> Option<String> {
    let node = page.elements[post.element].node;
    let fits = |name: &str| valid(name, (MAX_CERTAIN, MAX_CERTAIN), context);
    let stated = ["data-author", "data-username"].into_iter().find_map(|name| node.attr(name));
    stated
        .and_then(fits)
        .or_else(|| of_quotations(page, post).and_then(|name| fits(&name)))
        .or_else(|| {
            let name = head(page, post).find(|e| (post.system.is_name)(*e))?;
            fits(&tree::text_within(name, MAX_TERM)?)
        })
        .or_else(|| own.map(|name| name.text.clone()))
}

/// The elements of a post before its text.
fn head<'a>(page: &Page<'a>, post: &Post) -> impl Iterator<Item = ElementRef<'a>> + use<'a> {
    let text = post.texts.first().map(|at| page.elements[*at].node.id());
    let elements = page.elements[post.element].node.descendent_elements().take(MAX_SEARCHED);
    elements.take_while(move |e| Some(e.id()) != text)
}

/// The author of an Invision post, from the data that the page contains for quoting the post.
fn of_quotations(page: &Page<'_>, post: &Post) -> Option<String> {
    let text = post.texts.first()?;
    let mut around = page.around(*text).take_while(|at| *at >= post.element);
    let data = around.find_map(|at| page.elements[at].node.attr("data-quotedata"))?;
    let data: Value = serde_json::from_str(data).ok()?;
    data.get("username")?.as_str().map(str::to_owned)
}

/// For each post, the first mark outside texts and quotations, or a later one that is better.
fn firsts<'m>(
    heads: &[Option<usize>],
    marks: impl Iterator<Item = &'m Mark>,
    is_better: impl Fn(&Mark, &Mark) -> bool,
) -> HashMap<usize, &'m Mark> {
    let mut firsts: HashMap<usize, &Mark> = HashMap::new();
    for mark in marks {
        let Some(post) = heads[mark.element] else { continue };
        let first = firsts.entry(post).or_insert(mark);
        if is_better(first, mark) {
            *first = mark;
        }
    }
    firsts
}

/// The time of a post, from its first mark or else from an attribute before its text.
fn time(page: &Page<'_>, post: &Post, own: Option<&Mark>) -> Option<String> {
    own.map(|mark| bare(&mark.text).to_owned()).or_else(|| {
        head(page, post)
            .find(|e| e.attr("itemprop") == Some("datePublished") || has(*e, &["timeago"]))
            .and_then(|e| e.attr("content").or(e.attr("datetime")).or(e.attr("title")))
            .and_then(written)
    })
}

/// A time without the post number and the name next to it.
fn bare(time: &str) -> &str {
    let before = time.split(" Post #").next().filter(|text| text.contains(char::is_numeric));
    let time = before.unwrap_or(time);
    // phpBB.
    let time = time.rsplit("» ").next().unwrap_or(time);
    match time.strip_prefix('#').and_then(|rest| rest.split_once(' ')) {
        Some((number, rest)) if number.bytes().all(|b| b.is_ascii_digit()) => rest.trim_start(),
        _ => time,
    }
}

#[cfg(test)]
mod tests;
