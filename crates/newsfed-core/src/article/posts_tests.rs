//! Posts of discussions, captions, titles and bylines, on pages of several systems.

use super::{Block, Guide, Inline, Mode, extract, from_html, plain};
use std::collections::HashSet;
use url::Url;

fn read(markup: &str, url: &str) -> super::Extraction {
    let guide = Guide { url: Url::parse(url).ok(), ..Guide::default() };
    extract(markup, &guide, Mode::Auto, None).unwrap()
}

/// The header lines of the posts, and the other blocks as text.
fn lines(found: &super::Extraction) -> (Vec<String>, String) {
    let mut lines = Vec::new();
    let mut rest = Vec::new();
    for block in &found.document.blocks {
        match block {
            Block::Paragraph(inner) if matches!(inner.as_slice(), [Inline::Strong(_), Inline::Text(t)] if t.starts_with(" · ")) =>
            {
                lines.push(plain(inner));
            }
            Block::Rule => rest.push("---".to_owned()),
            Block::Paragraph(inner) => rest.push(plain(inner)),
            other => rest.push(format!("{other:?}")),
        }
    }
    (lines, rest.join("|"))
}

fn words(number: usize) -> String {
    format!("This is what post number {number} says about the boat and its keel, at some length. ")
        .repeat(3)
}

const THREAD: &str = "https://forum.example/threads/keel.12/";

#[test]
fn keeps_the_text_of_posts_that_mention_days() {
    let first = [
        "Has anyone a keel for me?",
        "It closed on 3 March 2026, I think",
        "12 June 1998",
        "Updated: the saw was sold on 16 March 2024 for 30 euros",
        "Sold on 14 March 2024",
    ];
    let posts: String = (1..6)
        .map(|n| {
            let (text, first) = (words(n), first[n - 1]);
            format!(
                "<div class=post><span class=username>user{n}</span> <span class=postdate>\
                 <time datetime='2026-03-0{n}T10:15:00+0000'>{n} March 2026</time></span>\
                 <div class=body><p>{first}</p><p>{text}</p></div></div>"
            )
        })
        .collect();
    let page = format!("<title>Keel | Boats</title><h1>Keel</h1><div class=list>{posts}</div>");
    let found = read(&page, THREAD);
    let (lines, rest) = lines(&found);
    assert_eq!(lines.len(), 5, "{lines:?} {rest}");
    for line in first {
        assert!(rest.contains(line), "{line}: {rest}");
    }
}

#[test]
fn begins_posts_with_name_and_time() {
    let posts: String = (1..5)
        .map(|n| {
            let author = if n < 3 { "Ann Lee" } else { "bob_77" };
            format!(
                "<article class='message js-post-{n}' data-author='{author}'><div class=message-user>\
                 <a class=avatar><img src=/a/{n}.jpg alt='{author}'></a><h4><a class=username>{author}</a></h4>\
                 <h5 class=userTitle>Member</h5></div><div class=message-main>\
                 <header><time datetime='2026-03-0{n}T10:15:00+0000'>Mar {n}, 2026</time> <a>#{n}</a></header>\
                 <div class=bbWrapper>{}<img src=/boat{n}.jpg alt='Boat {n}'></div></div></article>",
                words(n)
            )
        })
        .collect();
    let page =
        format!("<title>Keel | Boats</title><h1>Keel</h1><div class=block-body>{posts}</div>");
    let found = read(&page, THREAD);
    let (lines, rest) = lines(&found);
    let expected = [1, 2, 3, 4]
        .map(|n| format!("{} · Mar {n}, 2026", if n < 3 { "Ann Lee" } else { "bob_77" }));
    assert_eq!(lines, expected);
    assert_eq!(rest.matches("---").count(), 3, "{rest}");
    // Images of authors are left out, and images in posts are kept.
    let images = found.document.links.iter().map(|link| link.url.as_str());
    let images: Vec<&str> = images.filter(|url| url.ends_with(".jpg")).collect();
    assert!(images.iter().all(|url| url.contains("/boat")) && images.len() >= 3, "{images:?}");
    // Only the posts are compared and searched.
    assert!(!found.text.contains("Ann Lee") && found.text.contains("post number 4"));
}

#[test]
fn does_not_show_posts_in_list_elements_as_a_list() {
    let posts: String = (1..5)
        .map(|n| {
            format!(
                "<li class=ItemComment><div class=Comment><span class=Author><a class=Username>user {n}</a></span>\
                 <span class=DateCreated><time datetime='2018-03-2{n}T18:55:33+00:00'>a while</time></span>\
                 <div class=Message>{}</div></div></li>",
                words(n)
            )
        })
        .collect();
    let found = read(&format!("<h1>Keel</h1><ul class=Comments>{posts}</ul>"), THREAD);
    let (lines, rest) = lines(&found);
    assert_eq!(lines[0], "user 1 · 2018-03-21 18:55");
    assert_eq!(lines.len(), 4);
    assert!(!rest.contains("List("), "{rest}");
    // The list of posts is not shown as a list, but a list inside a post is.
    for (list, kind) in [
        ("<ul><li>wide and open<li>narrow</ul>", "List("),
        ("<dl><dt>Rig<dd>Gaff<dt>Hull<dd>Oak, as it was</dl>", "Definitions("),
        ("<table><tr><th>Rig<th>Hull<tr><td>Gaff<td>Oak</table>", "Table {"),
    ] {
        let posts = posts.replacen("</div></div>", &format!("{list}{}</div></div>", words(1)), 1);
        let found = read(&format!("<h1>Keel</h1><ul class=Comments>{posts}</ul>"), THREAD);
        let (lines, rest) = self::lines(&found);
        assert_eq!(lines.len(), 4);
        assert_eq!(rest.matches(kind).count(), 1, "{kind}: {rest}");
    }
}

#[test]
fn gives_nested_replies_their_own_header_lines() {
    let post = |n: usize, inner: &str| {
        format!(
            "<div class=comment><p class=head><a class=author>name{n}</a> <time>{n} May 2026</time></p>\
             <div class=body><p>{}</p></div>{inner}</div>",
            words(n)
        )
    };
    let inner = [post(2, ""), post(3, "")].concat();
    let page = format!("<h1>Keel</h1><main>{}{}</main>", post(1, &inner), post(4, ""));
    let (lines, _) = lines(&read(&page, THREAD));
    let names: Vec<&str> = lines.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(names, ["name1", "name2", "name3", "name4"]);
}

#[test]
fn shows_times_of_consecutive_posts_by_one_author() {
    let post = |n: usize, name: &str| {
        let profile = match name {
            "" => String::new(),
            name => format!(
                "<dl class=postprofile><dt><a class=username-coloured>{name}</a>\
                 <div class=profile-rank><img src=/rank.png alt=Member></div></dt></dl>"
            ),
        };
        format!(
            "<div class=post>{profile}<div class=postbody><p class=posted>Jul {n}, 2013 <a>#{n}</a></p>\
             <div class=content>{}</div></div></div>",
            words(n)
        )
    };
    let page = [(1, "Ann"), (2, "Bob"), (3, ""), (4, "Ann")].map(|(n, name)| post(n, name));
    let found = read(&format!("<h1>Keel</h1><main>{}</main>", page.concat()), THREAD);
    let text = found.document.text();
    let at = |line: &str| text.find(line).unwrap_or_else(|| panic!("{line} in {text}"));
    assert!(at("Ann · Jul 1, 2013") < at("Bob · Jul 2, 2013"));
    assert!(at("Bob · Jul 2, 2013") < at("\nJul 3, 2013\n"));
    assert!(at("\nJul 3, 2013\n") < at("Ann · Jul 4, 2013"));
    assert!(!text.contains("Member"), "{text}");
}

#[test]
fn adds_no_header_lines_to_articles_and_quotations() {
    let comments: String = (1..4)
        .map(|n| {
            format!(
                "<div class=entry><a class=author>ann{n}</a> <time>{n} May 2026</time><p>{}</p></div>",
                words(n)
            )
        })
        .collect();
    // The same markup on a page that is not a discussion.
    let page = format!("<h1>News</h1><main>{comments}</main>");
    assert!(lines(&read(&page, "https://news.example/2026/keel")).0.is_empty());
    // Names in quotations belong to others.
    let quoting: String = (1..4)
        .map(|n| {
            format!(
                "<div class=post><blockquote><span class=author>quoted</span> <time>1 May 2020</time></blockquote>\
                 <a class=username>ann{n}</a> <p><time>{n} May 2026</time></p><p>{}</p></div>",
                words(n)
            )
        })
        .collect();
    let (lines, _) = lines(&read(&format!("<h1>Keel</h1><main>{quoting}</main>"), THREAD));
    assert!(lines.iter().all(|line| line.starts_with("ann")) && lines.len() == 3, "{lines:?}");
}

/// The captions of a document.
fn captions(markup: &str) -> Vec<String> {
    let mut found = Vec::new();
    for block in from_html(markup, None).blocks {
        if let Block::Figure(_, caption) = block {
            found.push(plain(&caption));
        }
    }
    found
}

#[test]
fn separates_caption_paragraphs_and_credits() {
    let image = "<img src='https://example.org/p.jpg' alt=Boat>";
    let cases = [
        ("<figcaption><p>The boat.</p><p>Photo: Ann</p></figcaption>", "The boat.\nPhoto: Ann"),
        ("<figcaption>The boat.<span class=photo-credit>Ann</span></figcaption>", "The boat.\nAnn"),
        ("<figcaption><div>One.</div><div class=credit>Ann</div></figcaption>", "One.\nAnn"),
        // A credit next to the caption, after and before it.
        ("<figcaption>The boat.</figcaption><p class=image__credit>Ann</p>", "The boat.\nAnn"),
        ("<div class=copyright>Ann</div><figcaption>The boat.</figcaption>", "Ann\nThe boat."),
        // Lists, quotations and tables are kept.
        (
            "<figcaption>Left to right:<ul><li>Ann</li><li>Bob</li></ul></figcaption>",
            "Left to right:\nAnn\nBob",
        ),
        ("<figcaption><blockquote>No.</blockquote>said Ann</figcaption>", "No.\nsaid Ann"),
        ("<figcaption>Key<table><tr><td>a</td><td>1</td></tr></table></figcaption>", "Key\na 1"),
        // A credit at the start of a caption does not start a new line.
        ("<figcaption><span class=credit>Ann</span> took it.</figcaption>", "Ann took it."),
        ("<figcaption>Only <b>one</b> line.</figcaption>", "Only one line."),
    ];
    for (caption, expected) in cases {
        let found = captions(&format!("<p>Text.</p><figure>{image}{caption}</figure>"));
        assert_eq!(found, [expected], "{caption}");
        // The caption stays the same when the figure is stored.
        let stored = from_html(&format!("<figure>{image}{caption}</figure>"), None).html();
        assert_eq!(captions(&stored), [expected], "{stored}");
    }
    // A credit alone is not a caption, and a box around everything is not a credit.
    assert_eq!(captions(&format!("<figure>{image}<p class=credit>Ann</p></figure>")), [""]);
    let wrapped = format!(
        "<figure><div class=credit-box>{image}<figcaption>Boat</figcaption></div></figure>"
    );
    assert_eq!(captions(&wrapped), ["Boat"]);
}

#[test]
fn keeps_credits_next_to_captions() {
    let text = "<p>The old harbour of the town was rebuilt this year, after long talks, and at great cost.</p>".repeat(6);
    let figure = "<figure><img src=/p.jpg width=640 height=400><figcaption><p>The boat.</p><p>In May.</p></figcaption>\
                  <div class=credit>Ann Lee</div></figure>";
    let page =
        format!("<title>Harbour</title><article><h1>Harbour</h1>{text}{figure}{text}</article>");
    let found = read(&page, "https://news.example/harbour");
    let caption = found.document.blocks.iter().find_map(|block| match block {
        Block::Figure(_, caption) => Some(plain(caption)),
        _ => None,
    });
    assert_eq!(caption.as_deref(), Some("The boat.\nIn May.\nAnn Lee"));
}

#[test]
fn removes_site_names_from_titles() {
    let text = format!("<p>{}</p>", words(1)).repeat(4);
    let at = "https://www.harbour-times.example/2026/keel";
    let cases = [
        // The heading links to the home page, or is the name of the site or its host.
        (
            "<title>A new keel - Weekly</title><h1><a href='/'>Weekly</a></h1><h2>A new keel</h2>",
            "A new keel - Weekly",
        ),
        (
            "<title>A new keel | Weekly</title><meta property=og:site_name content=Weekly><h1>Weekly</h1>",
            "A new keel",
        ),
        (
            "<title>Harbour Times: A new keel</title><h1>Harbour Times</h1><h1>A new keel</h1>",
            "A new keel",
        ),
        ("<title>A new keel – Harbour Times</title>", "A new keel"),
        (
            "<title>Weekly | A new keel</title><meta name=application-name content=Weekly>",
            "A new keel",
        ),
        // The name of the book is also a heading and comes first.
        (
            "<title>A new keel - The Boat Book</title><h1>The Boat Book</h1><h1>A new keel</h1>",
            "A new keel",
        ),
        // Symbols of permalinks, and text that is escaped twice.
        ("<title>A new keel | X</title><h1>A new keel<a href='#k'>¶</a></h1>", "A new keel"),
        ("<meta property=og:title content='Keels &amp;amp; hulls'>", "Keels & hulls"),
        ("<title>Keels &lt;b&gt; &amp; hulls</title>", "Keels <b> & hulls"),
        (
            "<title>Home - Weekly</title><meta property=og:site_name content=Weekly>",
            "Home - Weekly",
        ),
        // A heading with several lines.
        (
            "<title>Keels and hulls, and all the rest of it - Weekly</title><h1>Keels and hulls,<br><br>and all the rest of it</h1>",
            "Keels and hulls, and all the rest of it",
        ),
        // Titles without spaces.
        ("<title>蔡健雅_百度百科</title><h1>蔡健雅</h1>", "蔡健雅"),
        (
            "<title>武汉的声音：有英雄的城-新华网</title><meta property=og:site_name content=新华网>",
            "武汉的声音：有英雄的城",
        ),
        // The separator also occurs inside the title; the title is only the site name.
        (
            "<title>A - B test of keels - Weekly</title><meta property=og:site_name content=Weekly>",
            "A - B test of keels",
        ),
        ("<title>Harbour Times</title><h1>Harbour Times</h1>", "Harbour Times"),
        ("<title>Well-known</title><meta property=og:site_name content=known>", "Well-known"),
    ];
    for (head, expected) in cases {
        let found = read(&format!("{head}<article>{text}</article>"), at);
        assert_eq!(found.title.as_deref(), Some(expected), "{head}");
    }
}

#[test]
fn reads_authors_from_visible_bylines() {
    let text = format!("<p>{}</p>", words(1)).repeat(4);
    let cases: &[(&str, &[&str])] = &[
        (
            "<p class=author>Posted by<a>Ann Lee</a><span>Editor in chief</span><span>Mar 2</span></p>",
            &["Ann Lee"],
        ),
        (
            "<div class=byline>By <a>Ann Lee</a>, <a>Bob Ray</a> and <a>Cy Fox</a></div>",
            &["Ann Lee", "Bob Ray", "Cy Fox"],
        ),
        ("<div class=byline-name>Ann Lee<span>Updated Feb 27, 2026</span></div>", &["Ann Lee"]),
        ("<p class=byline>लेखक: अनिता शर्मा, १२ नवंबर २०२६, १०:३० बजे</p>", &["अनिता शर्मा"]),
        ("<p class=author>12 May 2026</p><p class=author>ann77</p>", &["ann77"]),
        ("<p class=meta>By <a href=/a>Jo Marsh</a> · 3 May 2026 · 14 Comments</p>", &["Jo Marsh"]),
        ("<p>Von Ida Holm und Ole Bø</p>", &["Ida Holm", "Ole Bø"]),
        ("<p>מאת רחל לוי</p>", &["רחל לוי"]),
        ("<p>Тест</p><p>Автор: Иван Петров</p>", &["Иван Петров"]),
        ("<p>โดย สมชาย ใจดี | 12 พฤศจิกายน 2569</p>", &["สมชาย ใจดี"]),
        ("<p>作者：王小明</p>", &["王小明"]),
        ("<h2 class=author-title><span class=author-heading>投稿者:</span> 山田</h2>", &["山田"]),
        ("<p>Írta: Kovács Anna</p>", &["Kovács Anna"]),
        ("<p>A cura di Anna Rossi</p>", &["Anna Rossi"]),
        // Names in adjacent elements.
        (
            "<p>By <a href=/by/anna>Anna Berg</a><a href=/by/ben>Ben Fox</a></p>",
            &["Anna Berg", "Ben Fox"],
        ),
        (
            "<p>By<span class=name>Anna Berg</span> <span class=name>Ben Fox</span><span>3 May</span></p>",
            &["Anna Berg", "Ben Fox"],
        ),
        (
            "<p class=byline><a href=/by/anna>Anna Berg</a><a href=/by/ben>Ben Fox</a><a href=/town>Town</a></p>",
            &["Anna Berg", "Ben Fox"],
        ),
        (
            "<p class='byline authors'><span>Anna Berg</span><span>Ben Fox</span></p>",
            &["Anna Berg", "Ben Fox"],
        ),
        ("<p>By <span>Anna Berg</span><span>Harbour Desk</span></p>", &["Anna Berg"]),
        ("<p><span>B</span>y <b>Anna</b> <b>Berg</b></p>", &["Anna Berg"]),
        // Running text, and words that are not names.
        ("<p>By the end of the day all boats were in.</p>", &[]),
        ("<p>By 2030 the harbour is full</p>", &[]),
        ("<p>Parking</p><p>Bypass opened</p>", &[]),
        ("<p>Published by: Sat, 12 Nov 2022</p>", &[]),
        ("<p class=author>About the author</p>", &[]),
    ];
    for (byline, expected) in cases {
        let page = format!("<title>Keel</title><article><h1>Keel</h1>{byline}{text}</article>");
        assert_eq!(read(&page, "https://news.example/keel").authors, *expected, "{byline}");
    }
    for (language, byline, expected) in [
        ("it", "Di Anna Rossi", &["Anna Rossi"][..]),
        ("sv-SE", "Text: Anna Berg", &["Anna Berg"]),
        ("da", "Af Anna Berg", &["Anna Berg"]),
        ("id", "Oleh Budi Santoso", &["Budi Santoso"]),
        ("en", "Di Anna Rossi", &[]),
    ] {
        let page = format!(
            "<html lang={language}><title>Keel</title><article><h1>Keel</h1><p>{byline}</p>{text}</article>"
        );
        assert_eq!(read(&page, "https://news.example/keel").authors, *expected, "{byline}");
    }
}

#[test]
fn leaves_out_a_short_heading_at_the_end() {
    let text = format!("<p>{}</p>", words(1)).repeat(4);
    let cases = [
        ("<h2>Share this</h2><div class=share><a href=/f>F</a></div>", false),
        ("<h3><a href=/next>Next one</a></h3>", true),
        ("<h2>What the new keel means for the town</h2>", true),
        ("<h4>Keels</h4><h4>Masts</h4>", true),
    ];
    for (tail, _) in cases.iter().filter(|(_, kept)| !kept) {
        let page = format!("<title>Keel</title><article><h1>Keel</h1>{text}{tail}</article>");
        let found = read(&page, "https://news.example/keel");
        assert!(!found.text.contains("Share this") && found.text.contains("number 1"), "{tail}");
    }
    // The sections of a home page may consist only of headings.
    let page = format!("<title>Keel</title><article><h1>Keel</h1>{text}<h2>Reviews</h2></article>");
    for (url, kept) in [("https://news.example/", true), ("https://news.example/keel", false)] {
        assert_eq!(read(&page, url).text.contains("Reviews"), kept, "{url}");
    }
    // The rule itself, independent of the classifier: only a single short heading without a link is removed.
    for (tail, kept) in cases {
        let tree = crate::util::html::tree::page(&format!("<p>{}</p>{tail}", words(1))).unwrap();
        let page = super::blocks::Page::read(&tree);
        let mut taken = vec![true; page.blocks.len()];
        let last = (0..taken.len())
            .rfind(|at| page.elements[page.blocks[*at].element].name().starts_with('h'))
            .unwrap();
        taken[last + 1..].fill(false);
        super::page::trim_tail(&page, &mut taken);
        assert_eq!(taken[last], kept, "{tail}");
    }
    // The heading stays if nothing else is selected.
    let tree = crate::util::html::tree::page("<h1>Keel</h1>").unwrap();
    let page = super::blocks::Page::read(&tree);
    let mut taken = vec![true; page.blocks.len()];
    super::page::trim_tail(&page, &mut taken);
    assert_eq!(taken, [true]);
}

#[test]
fn reads_references_and_ordinals_without_a_caret() {
    let cases = [
        ("<p>a fact<sup>[12]</sup> here</p>", "a fact[12] here"),
        ("<p>the 20<sup>th</sup> century, 2<sup>nd</sup></p>", "the 20th century, 2nd"),
        ("<p>Name<sup>TM</sup> and X<sup>®</sup></p>", "Name™ and X®"),
        ("<p>10<sup>3</sup> and x<sup>n</sup>, H<sub>2</sub>O</p>", "10^3 and x^n, H_2O"),
        ("<p>the<sup>th</sup> power</p>", "the^th power"),
        ("<p>u<sub>i</sub><sup>1/w<sub>i</sub></sup> x</p>", "u_i^(1/w_i) x"),
        (
            "<p>10<sup>-3</sup>, e<sup>(a+b)</sup>, x<sub><b>n+1</b></sub></p>",
            "10^-3, e^(a+b), x_(n+1)",
        ),
        ("<p>2<sup>n</sup></p>", "2^n"),
    ];
    for (markup, expected) in cases {
        assert_eq!(from_html(markup, None).text(), expected, "{markup}");
    }
}

#[test]
fn separates_readings_code_and_tabs_from_adjacent_text() {
    let cases = [
        ("<p>この<ruby>漢字<rt>かんじ</rt></ruby>は</p>", "この漢字(かんじ)は"),
        ("<p><ruby>漢<rt>かん<rt></ruby></p>", "漢(かん)"),
        ("<p><ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby></p>", "漢(かん)字(じ)"),
        ("<p><ruby>漢字<rp>（</rp><rt>かんじ</rt><rp>）</rp></ruby></p>", "漢字（かんじ）"),
        (
            "<p><code>config.yaml </code>replaces<code> config.json</code>.</p>",
            "config.yaml replaces config.json.",
        ),
        ("<p><code>a</code>b</p>", "ab"),
        (
            "<div role=tablist><span role=tab>Python</span><span role=tab>PHP</span><span role=tab>Go</span></div>",
            "Python PHP Go",
        ),
    ];
    for (markup, expected) in cases {
        assert_eq!(from_html(markup, None).text(), expected, "{markup}");
    }
}

#[test]
fn does_not_read_vbulletin_posts_as_quotations() {
    let text = "The keel was mended in the winter, and the boat sails again.";
    let markup = format!(
        "<blockquote class='postcontent restore'>{text}<blockquote>When?</blockquote></blockquote>"
    );
    let tree = crate::util::html::tree::fragment(&markup).unwrap();
    let document = super::from_html::of_element(tree.root_element(), None, &HashSet::new());
    assert_eq!(document.markdown().trim(), format!("{text}\n\n> When?"));
}
