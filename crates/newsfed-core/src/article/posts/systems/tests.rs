use crate::article::blocks::Page;
use crate::article::document::Inline;
use crate::article::{Guide, Mode, extract};
use crate::util::date::DateContext;
use crate::util::html::tree;
use url::Url;

/// The text of a quotation.
const LONG: &str =
    "what was said about the rudder of the other boat, and why it had to be mended twice.";

/// The document, as text, of a page with three posts and a box between them.
fn read(post: impl Fn(&str, u8, &str) -> String, list: &str) -> String {
    let text = |name: &str| {
        format!("What {name} says about the boat and its keel, at some length. ").repeat(4)
    };
    let posts =
        [("Ann Lee", 2), ("bob_77", 3), ("cy", 4)].map(|(name, day)| post(name, day, &text(name)));
    let between = "<ul><li>Replies 154<li>Views 26.2k</ul>";
    let between = match list {
        "div" => format!("<div class=box>{between}</div>"),
        _ => format!("<li class=box>{between}</li>"),
    };
    let page = format!(
        "<title>Keel</title><h1>Keel</h1><div><{list}>{}{between}{}{}</{list}></div>",
        posts[0], posts[1], posts[2]
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

/// Checks that each post shows its quotation with the quoted author.
#[track_caller]
fn quotations(text: &str) {
    for part in ["dee said:", "Short one"] {
        assert_eq!(text.matches(part).count(), 3, "{part}: {text}");
    }
}

#[test]
fn reads_invision_posts() {
    let text = read(
        |name, day, text| {
            format!(
                "<article id=elComment_{day} class='ipsComment ipsEntry'><aside><h3><a class=ipsUsername>\
                 {name}</a></h3><p>Members</p></aside><div data-quotedata='{{\"username\":\"{name}\"}}'>\
                 <div class=meta><time datetime='2024-04-0{day}T05:03:15Z'><span>April {day}, 2024</span>\
                 <span>1 yr</span></time></div><div data-role=commentContent><blockquote class=ipsQuote \
                 data-ipsquote-username=dee><div class=ipsQuote_citation>10 hours ago, dee said:</div>\
                 <div class=ipsQuote_contents><p>Short one {day}: {LONG}</p></div></blockquote><p>{text}</p></div>\
                 </div></article>"
            )
        },
        "div",
    );
    let times = ["2024-04-02 05:03", "2024-04-03 05:03", "2024-04-04 05:03"];
    check(&text, times, &["Members", "1 yr"]);
    quotations(&text);
}

#[test]
fn reads_posts_of_nodebb() {
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
fn reads_posts_of_xenforo() {
    let text = read(
        |name, day, text| {
            format!(
                "<article class='message message--post js-post' data-author='{name}'><h4><a \
                 class=username>{name}</a></h4><p>Reactions 12</p><div>Jul {day}, 2024 at 7:30 PM Post \
                 #{day} of 7</div><div class=message-userContent><article class=message-body><div \
                 class=bbWrapper><blockquote class='bbCodeBlock bbCodeBlock--quote' data-quote=dee><div \
                 class=bbCodeBlock-title><a>dee said:</a></div><div>Short one {day}: {LONG}<ul><li>wide<li>open</ul>\
                 </div><div class=bbCodeBlock-expandLink><a>Click to expand...</a></div></blockquote>{text}\
                 </div></article></div><aside class=message-signature><div class=bbWrapper>Home Setup \
                 {name}</div></aside></article>"
            )
        },
        "div",
    );
    let times = ["Jul 2, 2024 at 7:30 PM", "Jul 3, 2024 at 7:30 PM", "Jul 4, 2024 at 7:30 PM"];
    check(&text, times, &["Reactions", "Click to expand", "Home Setup"]);
    quotations(&text);
}

#[test]
fn reads_posts_of_fluxbb_and_vbulletin() {
    let times = ["2025-11-02 15:14:37", "2025-11-03 15:14:37", "2025-11-04 15:14:37"];
    let text = read(
        |name, day, text| {
            format!(
                "<div id=p{day} class=blockpost><h2><span><span class=conr>#{day}</span> <a href=/p>\
                 2025-11-0{day} 15:14:37</a></span></h2><div class=postleft><dl><dt><strong>{name}</strong>\
                 </dt><dd>Registered: 2016-07-02</dd><dd>Posts: 710</dd></dl></div><div class=postright>\
                 <h3>Re: Keel</h3><div class=postmsg><p>{text}</p><p class=postedit>Last edited by \
                 {name}</p></div><div class='postsignature postmsg'><p>Fair winds of {name} to you all</p></div>\
                 </div></div>"
            )
        },
        "div",
    );
    check(&text, times, &["Registered", "Posts", "Re: Keel", "Last edited by", "Fair winds"]);
    let text = read(
        |name, day, text| {
            format!(
                "<table id=post{day}><tr><td class=thead>1{day}th March 2025, 16:26</td><td class=thead>\
                 #{day}</td></tr><tr><td><a class=bigusername>{name}</a><div>Posts: 91</div></td><td>\
                 <div id=post_message_{day}>Hi,<br>{text}</div></td></tr><tr><td>{name} is offline</td>\
                 <td>Reply With Quote</td></tr></table>"
            )
        },
        "div",
    );
    let times = ["12th March 2025, 16:26", "13th March 2025, 16:26", "14th March 2025, 16:26"];
    check(&text, times, &["is offline", "Reply With Quote", "Posts"]);
}

#[test]
fn reads_posts_of_phpbb() {
    let text = read(
        |name, day, text| {
            format!(
                "<div id=p{day} class='post bg2'><dl><dt><a class=username>{name}</a></dt><dd>Posts: 31</dd></dl>\
                 <div class=postbody><h3>Re: Keel</h3><p class=author>by <b>The {name}</b> » \
                 Thu May 0{day}, 2024 1:47 am</p><div \
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

#[test]
fn reads_posts_of_discourse_and_vbulletin_5() {
    for (class, above) in [("crawler-post", "Likes 4"), ("'b-post js-post'", "Topics: 3")] {
        let text = read(
            |name, day, text| {
                format!(
                    "<div class={class} itemprop=comment><span itemprop=author><a itemprop=name>{name}</a></span>\
                     <p>{above}</p><time itemprop=datePublished datetime='2024-04-0{day}T05:03:15Z'>April {day}, \
                     2024, 5:03am</time><div itemprop=text><p>{text}</p></div></div>"
                )
            },
            "div",
        );
        let times = [2, 3, 4].map(|day| format!("April {day}, 2024, 5:03am"));
        check(&text, times.each_ref().map(String::as_str), &[above]);
    }
}

#[test]
fn reads_posts_of_simple_machines_and_mybb() {
    let machines = |name: &str, day: u8, text: &str| {
        format!(
            "<div class=windowbg id=msg{day}><div class=post_wrapper><div class=poster><h4><a \
             href='?action=profile;u={day}' title='View the profile of {name}'>{name}</a></h4><ul><li>Posts: 76</ul>\
             </div><div class=postarea><a title='Reply #{day}' class=smalltext>June 0{day}, 2024, 03:29:46 AM</a>\
             <div class=post><div class=inner id=msg_{day}>{text}<br></div></div></div><div class=signature>Fair \
             winds</div></div></div>"
        )
    };
    let mybb = |name: &str, day: u8, text: &str| {
        format!(
            "<div class='post classic' id=post_{day}><div class=post_author><strong><a class=author>{name}</a></strong>\
             <p>Posts: 31</p></div><span class=post_date>June 0{day}, 2024, 03:29:46 AM</span><div class=post_body \
             id=pid_{day}>{text}</div><div class=signature>Fair winds</div></div>"
        )
    };
    let times = [2, 3, 4].map(|day| format!("June 0{day}, 2024, 03:29:46 AM"));
    for post in [&machines as &dyn Fn(&str, u8, &str) -> String, &mybb] {
        check(&read(post, "div"), times.each_ref().map(String::as_str), &["Posts", "Fair winds"]);
    }
}

/// The header lines of the posts on a page, as text.
fn lines(markup: &str) -> Vec<String> {
    let tree = tree::page(markup).unwrap();
    let page = Page::read(&tree);
    let found =
        super::read_posts(&page, &mut vec![true; page.blocks.len()], &DateContext::default());
    let mut lines: Vec<String> = found.unwrap().lines.values().map(|line| of_line(line)).collect();
    lines.sort();
    lines
}

fn of_line(line: &[Inline]) -> String {
    let parts = line.iter().map(|part| match part {
        Inline::Text(text) => text.clone(),
        Inline::Strong(inner) => of_line(inner),
        other => format!("{other:?}"),
    });
    parts.collect()
}

#[test]
fn reads_fluxbb_authors_only_above_the_text() {
    let term = |name: &str| format!("<dl><dt>{name}</dt></dl>");
    let post = |class: &str, text: &str, above: &str, below: &str| {
        format!("<div class={class}>{above}<div class={text}>x {below}</div></div>")
    };
    let flux = |above: &str, below: &str| post("blockpost", "postmsg", above, below);
    let of_others = post("js-post", "message-body", &term("Rudder"), "");
    let long = term(&"<b> </b>".repeat(10_000)) + &term("cy");
    let many = "<b></b>".repeat(1000) + &term("dee");
    let page = [
        flux(&term("ann"), ""),
        flux("", &term("Rudder")),
        of_others,
        flux(&long, ""),
        flux(&many, ""),
        flux(&term("bob"), ""),
    ];
    assert_eq!(lines(&page.concat()), ["ann", "bob"]);
}

#[test]
fn reads_deeply_nested_names_in_linear_time() {
    let class = "a ".repeat(2000);
    let deep = format!("<div class='{class}'>").repeat(400) + &"<div>".repeat(8);
    let names = "<i class=author>dee</i> ".repeat(5000);
    let inside = format!("{deep}{names}{}", "</div>".repeat(408));
    let posts = [xenforo("<p>x</p>"), xenforo("<p>x</p>"), xenforo("<p>x</p>")].concat();
    let posts = posts.replacen("<footer>", &format!("<footer>{inside}"), 1);
    assert_eq!(lines(&posts), ["ann", "ann", "ann"]);
}

#[test]
fn removes_post_numbers_from_times() {
    for (time, expected) in [
        ("Jul 1, 2024 Post #1 of 7", "Jul 1, 2024"),
        ("Forum Post #1 Jul 1, 2024", "Forum Post #1 Jul 1, 2024"),
        ("#12 Jul 1, 2024", "Jul 1, 2024"),
        ("by ann » Jul 1, 2024", "Jul 1, 2024"),
    ] {
        assert_eq!(super::bare(time), expected);
    }
}

/// The text selected on a page if the blocks that contain `x` were selected before.
fn selected(markup: &str) -> Option<String> {
    let tree = tree::page(markup).unwrap();
    let page = Page::read(&tree);
    let blocks = 0..page.blocks.len();
    let mut taken: Vec<bool> = blocks.clone().map(|at| page.text(at).contains('x')).collect();
    super::read_posts(&page, &mut taken, &DateContext::default())?;
    let texts = blocks.filter(|at| taken[*at]).map(|at| page.text(at).trim());
    Some(texts.collect::<Vec<_>>().join("|"))
}

fn xenforo(text: &str) -> String {
    format!(
        "<article class=js-post data-author=ann><p>Member x</p><div class=message-body>{text}</div>\
         <footer>Likes x</footer></article>"
    )
}

#[test]
fn selects_only_the_texts_of_posts() {
    let page = |inner: &str| {
        let ends = xenforo("<p>x</p>");
        selected(&format!("<p>before x</p>{ends}<p>Advert x</p>{inner}{ends}<p>after x</p>"))
    };
    let quote = |head: &str, said: &str| {
        format!(
            "<blockquote class='bbCodeBlock--quote'><div class=bbCodeBlock-title>{head}</div><p>{said}</p>\
             <div class=bbCodeBlock-expandLink>Expand x</div></blockquote>"
        )
    };
    for (text, expected) in [
        ("<p>one x</p><ul><li>a<li>b</ul><pre>code</pre><p>c</p>".to_owned(), "one x|a|b|code"),
        ("<p>Yes</p>".to_owned(), "Yes"),
        ("<p>Yes</p><aside><p>Page</p></aside>".to_owned(), "Yes"),
        ("<p>one x</p><aside><ul><li>Page</ul></aside>".to_owned(), "one x"),
        (quote("dee said:", "a") + "<p>one x</p>", "one x"),
        (quote("dee said x:", "a") + "<p>one x</p>", "one x"),
        (quote("dee said:", "a x") + "<p>one x</p>", "dee said:|a x|one x"),
        (quote("dee said:", "a") + "<p>Yes</p>", "Yes"),
        (quote("dee said:", "a x") + "<p>Yes</p>", "dee said:|a x|Yes"),
        // A line that is the whole quotation, or is above an image, stays as it was.
        (quote("The manual x:", "") + "<p>x</p>", "The manual x:|x"),
        (quote("dee said x:", "a <img src=/map.jpg>") + "<p>x</p>", "dee said x:|x"),
        (quote("dee said:", "a <img src=/map.jpg>") + "<p>x</p>", "x"),
        (quote("dee said:", "a x <img src=/map.jpg>") + "<p>x</p>", "dee said:|a x|x"),
        // The post contains only a quotation.
        (quote("dee said:", "a"), "dee said:|a"),
        (format!("<aside class=quote>{}</aside><img src=/a.jpg>", quote("dee:", "a")), "dee:|a"),
        ("<p>x</p></div><div class=message-attachments><ul><li>boat.jpg</ul>".to_owned(), "x"),
        ("<p>Yes</p></div><div class=message-attachments><p>boat.jpg x</p>".to_owned(), "Yes"),
    ] {
        let expected = Some(format!("before x|x|{expected}|x|after x"));
        assert_eq!(page(&xenforo(&text)), expected, "{text}");
    }
}

#[test]
fn reads_all_posts_of_a_list() {
    let posts = |texts: [&str; 5]| texts.map(|text| xenforo(&format!("<p>{text}</p>"))).concat();
    let thread = format!("<div><div>{}</div></div>", posts(["a", "x", "b", "x", "c"]));
    let other =
        format!("<aside><section>{}</section></aside>", posts(["d"; 5]).replace(" x", " y"));
    let all = Some("a|x|b|x|c".to_owned());
    assert_eq!(selected(&thread), all);
    assert_eq!(selected(&format!("{other}{thread}{other}")), all, "other threads");
}

#[test]
fn selects_vbulletin_posts_inside_quotation_elements() {
    let post = |day: u8, text: &str| {
        format!(
            "<li class=postbitlegacy id=post_{day}><div id=post_message_{day}><blockquote class=postcontent>\
             {text}</blockquote></div></li>"
        )
    };
    let page = [post(1, "<p>x</p>"), post(2, "<p>Yes</p>"), post(3, "<p>x</p>")].concat();
    assert_eq!(selected(&page), Some("x|Yes|x".to_owned()));
}

#[test]
fn finds_no_discussion_on_pages_with_fewer_than_two_posts() {
    let one = xenforo("<p>x</p>");
    assert_eq!(selected(&one), None, "a thread with one post");
    assert_eq!(selected(&format!("{one}{}", xenforo("<p>Yes</p>"))), None, "a link to one post");
    // Each of these marks the text of a post in another system.
    for text in ["itemprop=text", "class=postmsg", "class=message-body", "data-role=commentContent"]
    {
        let entry = |n: u8| format!("<div class=post id=p{n}><h2>x</h2><div {text}>x</div></div>");
        assert_eq!(selected(&[entry(1), entry(2)].concat()), None, "a blog: {text}");
    }
    let comments = one.replace('x', "y").repeat(3);
    assert_eq!(selected(&format!("<article><p>x</p></article>{comments}")), None, "comments");
}

#[test]
fn reads_nested_posts_and_skips_hidden_ones() {
    let nested = xenforo(&format!("<p>x</p></div><section>{}</section><div>", xenforo("<p>y</p>")));
    let page = [nested, xenforo("<p>x</p>")].concat();
    assert_eq!(selected(&page), Some("x|y|x".to_owned()), "a reply in a post");
    let hidden = xenforo("<p>y</p>").replace("<article", "<article hidden");
    let long = "x ".repeat(40);
    let page = [xenforo(&long), hidden, xenforo(&long)].concat();
    assert_eq!(selected(&page), Some(format!("{0}|{0}", long.trim())), "hidden");
}
