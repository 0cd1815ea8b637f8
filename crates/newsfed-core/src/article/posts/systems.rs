//! The posts of pages of widespread forum systems, by the markup that all their pages share.

use super::times::{Times, written};
use super::{MAX_CERTAIN, Mark, Posts, is_quotation, line, valid};
use crate::article::blocks::Page;
use crate::util::date::Context;
use chrono::DateTime;
use ego_tree::NodeId;
use ego_tree::iter::Edge;
use scraper::ElementRef;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Largest number of elements of a post that are searched for its time.
const MAX_SEARCHED: usize = 400;
/// Fewest words of a selected part that is a post, if others of its page are selected.
const PART: usize = 2;

/// Boxes of posts: Invision, FluxBB, Discourse for readers without scripts.
const POSTS: [&str; 5] = ["ipscomment", "ipsentry", "blockpost", "crawler-post", "js-post"];
/// Boxes of their texts and attached files: FluxBB, XenForo, phpBB.
const TEXTS: [&str; 4] = ["postmsg", "message-body", "message-attachments", "attachbox"];
/// What is in a text but not from its author: links that expand quotations, and the dates of changes.
const NOTES: [&str; 4] =
    ["bbcodeblock-expandlink", "postedit", "message-lastedit", "js-selecttoquoteend"];

/// A post: its box, and the boxes of its text in page order.
struct Post {
    element: usize,
    texts: Vec<usize>,
}

/// Selects the texts of all posts between the first and the last selected one, and leaves out what else is
/// there. `None` if the posts of the page have no known markup.
pub(in crate::article) fn posts(
    page: &Page<'_>,
    taken: &mut [bool],
    context: &Context,
) -> Option<Posts> {
    let all = find(page);
    let sums = crate::article::figures::sums(taken);
    let is_read = |post: &Post| {
        post.texts.iter().any(|at| {
            let blocks = &page.elements[*at].blocks;
            sums[blocks.end] > sums[blocks.start]
        })
    };
    let (first, last) = (all.iter().position(is_read)?, all.iter().rposition(is_read)?);
    // A link to one post has selected only that one.
    let read = &all[first..=last];
    if read.len() < PART {
        return None;
    }
    let blocks = select(page, taken, read);
    let names = super::names(page, context);
    let times = super::times::times(page, &names, context);
    let mut out = Posts::default();
    for post in read {
        let Some(text) = post.texts.first() else { continue };
        let name = name(page, post, &names, context);
        let time = time(page, post, &times);
        let line = line(name.as_deref(), time.as_deref());
        if !line.is_empty() {
            out.lines.insert(page.elements[*text].node.id(), line);
        }
    }
    out.dropped = beside(page, read);
    out.dropped.extend(blocks);
    Some(out)
}

/// The posts of a page in page order.
fn find(page: &Page<'_>) -> Vec<Post> {
    let mut posts: Vec<Post> = Vec::new();
    // For each box the innermost post and text around it.
    let mut around: Vec<(Option<usize>, bool)> = Vec::with_capacity(page.elements.len());
    for (at, element) in page.elements.iter().enumerate() {
        let (mut post, within) = around.get(element.parent).copied().unwrap_or_default();
        let begins = !within && is_post(element.node);
        if begins {
            post = Some(at);
        }
        let is_text = !within && !begins && post.is_some() && is_text(element.node);
        if let Some(post) = post.filter(|_| is_text) {
            match posts.iter_mut().rev().find(|p| p.element == post) {
                Some(known) => known.texts.push(at),
                None => posts.push(Post { element: post, texts: vec![at] }),
            }
        }
        around.push((post, within || is_text));
    }
    posts
}

fn is_post(e: ElementRef<'_>) -> bool {
    let id = |start: &str| numbered(e, start);
    e.attr("component") == Some("post")
        || id("elComment_")
        || id("post_") && e.value().name() == "li"
        || id("post") && e.value().name() == "table"
        || id("p") && has(e, &["post"])
        || has(e, &POSTS)
}

fn is_text(e: ElementRef<'_>) -> bool {
    e.attr("data-role") == Some("commentContent")
        || e.attr("component") == Some("post/content")
        || e.attr("itemprop") == Some("text")
        || numbered(e, "post_message_")
        || has(e, &TEXTS)
        // phpBB.
        || has(e, &["content"]) && e.parent().and_then(ElementRef::wrap).is_some_and(is_body)
}

/// Whether an element in a text is not from its author.
fn is_note(e: ElementRef<'_>) -> bool {
    // phpBB writes a button above code.
    let parent = || e.parent().and_then(ElementRef::wrap);
    has(e, &NOTES) || e.value().name() == "p" && parent().is_some_and(|e| has(e, &["codebox"]))
}

fn is_body(e: ElementRef<'_>) -> bool {
    let is = |e: ElementRef<'_>| has(e, &["postbody"]);
    is(e) || e.parent().and_then(ElementRef::wrap).is_some_and(is)
}

/// Whether the id of an element consists of such a start and a number.
fn numbered(e: ElementRef<'_>, start: &str) -> bool {
    let number = e.attr("id").and_then(|id| id.strip_prefix(start));
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether an element has one of these classes.
fn has(e: ElementRef<'_>, classes: &[&str]) -> bool {
    let is = |class: &str| classes.iter().any(|name| class.eq_ignore_ascii_case(name));
    e.attr("class").is_some_and(|all| all.split_ascii_whitespace().any(is))
}

/// Selects the blocks of the texts and no others between them. Returns the nodes of those that are not from
/// the authors.
fn select(page: &Page<'_>, taken: &mut [bool], read: &[Post]) -> Vec<NodeId> {
    let texts = || read.iter().flat_map(|post| &post.texts).map(|at| &page.elements[*at].blocks);
    let boxes = || read.iter().map(|post| &page.elements[post.element].blocks);
    let start = boxes().map(|blocks| blocks.start).min().unwrap_or_default();
    let end = boxes().map(|blocks| blocks.end).max().unwrap_or_default();
    taken[start..end.max(start)].fill(false);
    texts().for_each(|blocks| taken[blocks.clone()].fill(true));
    let mut left_out = Vec::new();
    for element in page.elements.iter().filter(|e| is_note(e.node)) {
        let is_within = texts()
            .any(|blocks| blocks.start <= element.blocks.start && element.blocks.end <= blocks.end);
        if is_within {
            taken[element.blocks.clone()].fill(false);
            left_out.push(element.node.id());
        }
    }
    left_out
}

/// The nodes in posts and between them that are not part of a text, such as pictures of authors.
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

/// The author of a post: as an attribute states it, or the first name outside its texts.
fn name(page: &Page<'_>, post: &Post, names: &[Mark], context: &Context) -> Option<String> {
    let node = page.elements[post.element].node;
    let fits = |name: &str| valid(name, (MAX_CERTAIN, MAX_CERTAIN), context);
    let stated = ["data-author", "data-username"].into_iter().find_map(|name| node.attr(name));
    stated
        .and_then(fits)
        .or_else(|| of_quotations(page, post).and_then(|name| fits(&name)))
        .or_else(|| names.iter().find(|n| is_own(page, post, n.element)).map(|n| n.text.clone()))
        .or_else(|| {
            // FluxBB.
            let terms = node.descendent_elements().filter(|e| e.value().name() == "dt");
            fits(&terms.take(1).flat_map(|e| e.text()).collect::<String>())
        })
}

/// The author of a post of Invision, which states it for quotations of the post.
fn of_quotations(page: &Page<'_>, post: &Post) -> Option<String> {
    let text = post.texts.first()?;
    let mut around = page.around(*text).take_while(|at| *at >= post.element);
    let data = around.find_map(|at| page.elements[at].node.attr("data-quotedata"))?;
    let data: Value = serde_json::from_str(data).ok()?;
    data.get("username")?.as_str().map(str::to_owned)
}

/// Whether a box is in a post but not in a text.
fn is_own(page: &Page<'_>, post: &Post, element: usize) -> bool {
    for at in page.around(element) {
        if is_post(page.elements[at].node) {
            return at == post.element;
        }
        if post.texts.contains(&at) || is_quotation(page.elements[at].node) {
            return false;
        }
    }
    false
}

/// When a post was written: the first `time` element outside its texts, a line with a date, or an attribute.
fn time(page: &Page<'_>, post: &Post, times: &Times) -> Option<String> {
    let own = times.marks.iter().filter(|mark| is_own(page, post, mark.element) && !mark.modified);
    let best = own.clone().find(|mark| mark.stated).or_else(|| own.clone().next());
    best.map(|mark| bare(&mark.text).to_owned()).or_else(|| {
        let node = page.elements[post.element].node;
        let texts: Vec<NodeId> = post.texts.iter().map(|at| page.elements[*at].node.id()).collect();
        let elements = node.descendent_elements().take(MAX_SEARCHED);
        elements
            .take_while(|e| !texts.contains(&e.id()))
            .find(|e| e.attr("itemprop") == Some("datePublished") || has(*e, &["timeago"]))
            .and_then(|e| e.attr("content").or(e.attr("datetime")).or(e.attr("title")))
            .and_then(written)
            .or_else(|| {
                let stamp = node.attr("data-timestamp")?.parse().ok()?;
                let time = DateTime::from_timestamp_millis(stamp)?;
                Some(time.format("%Y-%m-%d %H:%M").to_string())
            })
    })
}

/// A time without the number of the post and the name beside it.
fn bare(time: &str) -> &str {
    let time = time.split(" Post #").next().unwrap_or(time);
    // phpBB.
    let time = time.rsplit("» ").next().unwrap_or(time);
    match time.strip_prefix('#').and_then(|rest| rest.split_once(' ')) {
        Some((number, rest)) if number.bytes().all(|b| b.is_ascii_digit()) => rest.trim_start(),
        _ => time,
    }
}

#[cfg(test)]
mod tests {
    use crate::article::{Guide, Mode, extract};
    use url::Url;

    /// The document of a page with two posts, and a box between them, as text.
    fn read(post: impl Fn(&str, u8, &str) -> String, list: &str) -> String {
        let text = |name: &str| {
            format!("What {name} says about the boat and its keel, at some length. ").repeat(4)
        };
        let posts = [("Ann Lee", 2), ("bob_77", 3), ("cy", 4)]
            .map(|(name, day)| post(name, day, &text(name)));
        let between = "<div class=box><ul><li>Replies 154<li>Views 26.2k</ul></div>";
        let page = format!(
            "<title>Keel</title><h1>Keel</h1><div><{list}>{}{}{}{}</{list}></div>",
            posts[0],
            if list == "div" { between } else { "" },
            posts[1],
            posts[2]
        );
        let url = Url::parse("https://forum.example/threads/keel.12/").ok();
        let guide = Guide { url, ..Guide::default() };
        extract(&page, &guide, Mode::Auto, None).unwrap().document.text()
    }

    #[track_caller]
    fn check(text: &str, times: [&str; 3], left_out: &[&str]) {
        let mut rest = text;
        for (name, time) in ["Ann Lee", "bob_77", "cy"].into_iter().zip(times) {
            for part in [format!("{name} · {time}\n"), format!("What {name} says")] {
                let Some((_, after)) = rest.split_once(&part) else {
                    panic!("{part:?} is not in {rest}")
                };
                rest = after;
            }
        }
        for line in left_out.iter().chain(&["Replies 154", "Views"]) {
            assert!(!text.contains(line), "{line}: {text}");
        }
    }

    #[test]
    fn posts_of_invision() {
        let text = read(
            |name, day, text| {
                format!(
                    "<article id=elComment_{day} class='ipsComment ipsEntry'><aside><h3><a class=ipsUsername>\
                     {name}</a></h3><p>Members</p></aside><div data-quotedata='{{\"username\":\"{name}\"}}'>\
                     <div class=meta><time datetime='2024-04-0{day}T05:03:15Z'><span>April {day}, 2024</span>\
                     <span>1 yr</span></time></div><div data-role=commentContent><blockquote class=ipsQuote \
                     data-ipsquote-username=dee><div class=ipsQuote_citation>10 hours ago, dee said:</div>\
                     <div class=ipsQuote_contents><p>Short one {day}</p></div></blockquote><p>{text}</p></div>\
                     </div></article>"
                )
            },
            "div",
        );
        let times = ["2024-04-02 05:03", "2024-04-03 05:03", "2024-04-04 05:03"];
        check(&text, times, &["Members", "1 yr"]);
        assert_eq!(text.matches("dee said:").count(), 3, "{text}");
        assert_eq!(text.matches("Short one").count(), 3, "{text}");
    }

    #[test]
    fn posts_of_nodebb() {
        let text = read(
            |name, day, text| {
                format!(
                    "<li component=post data-username='{name}' data-timestamp=1732722623066><div \
                     component='post/parent'><div><p>A preview of the parent that is not from here, as a \
                     repeated text of some length</p></div></div><div><a>{name}</a> wrote on <a \
                     class=timeago title='2024-11-2{day}T15:50:23.066Z'></a></div>\
                     <div component='post/content'><p>{text}</p></div></li>"
                )
            },
            "ul",
        );
        let times = ["2024-11-22 15:50", "2024-11-23 15:50", "2024-11-24 15:50"];
        check(&text, times, &["A preview", "wrote on"]);
    }

    #[test]
    fn posts_of_xenforo() {
        let text = read(
            |name, day, text| {
                format!(
                    "<article class='message message--post js-post' data-author='{name}'><h4><a \
                     class=username>{name}</a></h4><p>Reactions 12</p><div>Jul {day}, 2024 at 7:30 PM Post \
                     #{day} of 7</div><div class=message-userContent><article class=message-body><div \
                     class=bbWrapper><blockquote class='bbCodeBlock bbCodeBlock--quote' data-quote=dee><div \
                     class=bbCodeBlock-title><a>dee said:</a></div><div>Short one {day}<ul><li>wide<li>open</ul>\
                     </div><div class=bbCodeBlock-expandLink><a>Click to expand...</a></div></blockquote>{text}\
                     </div></article></div><aside class=message-signature><div class=bbWrapper>Home Setup \
                     {name}</div></aside></article>"
                )
            },
            "div",
        );
        let times = ["Jul 2, 2024 at 7:30 PM", "Jul 3, 2024 at 7:30 PM", "Jul 4, 2024 at 7:30 PM"];
        check(&text, times, &["Reactions", "Click to expand", "Home Setup"]);
        assert_eq!(text.matches("dee said:").count(), 3, "{text}");
        assert_eq!(text.matches("- wide").count(), 3, "{text}");
    }

    #[test]
    fn posts_of_fluxbb_and_vbulletin() {
        let times = ["2025-11-02 15:14:37", "2025-11-03 15:14:37", "2025-11-04 15:14:37"];
        let text = read(
            |name, day, text| {
                format!(
                    "<div id=p{day} class=blockpost><h2><span><span class=conr>#{day}</span> <a href=/p>\
                     2025-11-0{day} 15:14:37</a></span></h2><div class=postleft><dl><dt><strong>{name}</strong>\
                     </dt><dd>Registered: 2016-07-02</dd><dd>Posts: 710</dd></dl></div><div class=postright>\
                     <h3>Re: Keel</h3><div class=postmsg><p>{text}</p><p class=postedit>Last edited by \
                     {name}</p></div></div></div>"
                )
            },
            "div",
        );
        check(&text, times, &["Registered", "Posts", "Re: Keel", "Last edited"]);
        let text = read(
            |name, day, text| {
                format!(
                    "<table id=post{day}><tr><td class=thead>3{day}th March 2025, 16:26</td><td class=thead>\
                     #{day}</td></tr><tr><td><a class=bigusername>{name}</a><div>Posts: 91</div></td><td>\
                     <div id=post_message_{day}>Hi,<br>{text}</div></td></tr><tr><td>{name} is offline</td>\
                     <td>Reply With Quote</td></tr></table>"
                )
                .replace("32th", "12th")
                .replace("33th", "13th")
                .replace("34th", "14th")
            },
            "div",
        );
        let times = ["12th March 2025, 16:26", "13th March 2025, 16:26", "14th March 2025, 16:26"];
        check(&text, times, &["is offline", "Reply With Quote", "Posts"]);
    }

    #[test]
    fn posts_of_phpbb() {
        let text = read(
            |name, day, text| {
                format!(
                    "<div id=p{day} class='post bg2'><dl><dt><a class=username>{name}</a></dt><dd>Posts: 31</dd></dl>\
                     <div class=postbody><h3>Re: Keel</h3><p class=author>by <b>The {name}</b> » Thu May 0{day}, 2024 1:47 am</p><div \
                     class=content>{text}<div class=codebox><p>Code: <a>Select all</a></p><pre>sail {day}</pre>\
                     </div></div></div><div class=signature>Fair winds</div></div>"
                )
            },
            "div",
        );
        let times = [2, 3, 4].map(|day| format!("Thu May 0{day}, 2024 1:47 am"));
        let times = times.each_ref().map(String::as_str);
        check(&text, times, &["Posts", "Re: Keel", "Select all", "Fair winds"]);
        assert_eq!(text.matches("sail ").count(), 3, "{text}");
    }
}
