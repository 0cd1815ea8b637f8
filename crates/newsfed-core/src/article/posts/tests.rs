//! Times of posts: relative times, times without a year, and times in replies and quotations.

use crate::article::blocks::Page;
use crate::article::{Block, Extraction, Guide, Mode, extract, plain};
use crate::model::Time;
use crate::util::date::DateContext;
use crate::util::html::tree;
use scraper::Html;
use url::Url;

fn at(time: &str) -> Time {
    chrono::DateTime::parse_from_rfc3339(time).unwrap().to_utc()
}

fn read(language: &str, posts: &str) -> Extraction {
    let page = format!(
        "<html lang={language}><title>Keel | Boats</title><h1>Keel</h1><div class=list>{posts}</div></html>"
    );
    let guide = Guide {
        url: Url::parse("https://forum.example/threads/keel.12/").ok(),
        fetched_at: Some(at("2026-06-20T14:05:00Z")),
        ..Guide::default()
    };
    extract(&page, &guide, Mode::Auto, None).unwrap()
}

/// The first words of each paragraph of a thread, and the full header lines of its posts.
fn lines(language: &str, posts: &str) -> Vec<String> {
    let found = read(language, posts);
    let paragraph = |block: &Block| match block {
        Block::Paragraph(inner) => Some(plain(inner)),
        Block::Quote(..) => Some("quote".to_owned()),
        _ => None,
    };
    let short = |line: String| match line.strip_prefix("This is what post ") {
        Some(rest) => rest.split(' ').next().unwrap().to_owned(),
        None => line,
    };
    found.document.blocks.iter().filter_map(paragraph).map(short).collect()
}

fn text(name: &str) -> String {
    let text = format!("This is what post {name} says about the boat and its keel, at length. ");
    format!("<div class=body><p>{}</p></div>", text.repeat(3))
}

fn post(name: &str, head: &str, inner: &str) -> String {
    format!(
        "<div class=post><p class=head><a class=username>{name}</a> <span class=when>{head}</span></p>{}{inner}</div>",
        text(name)
    )
}

#[test]
fn shows_dates_relative_to_the_fetch_as_days() {
    for (language, heads, want) in [
        ("en", ["3 days ago", "3 hours ago"], ["2026-06-17", "2026-06-20"]),
        ("de", ["vor 3 Tagen", "gestern, 14:30"], ["2026-06-17", "2026-06-19 14:30"]),
        ("en", ["yesterday", "Posted by ann today at 10:15"], ["2026-06-19", "2026-06-20 10:15"]),
        ("en", ["2 months ago", "Mar 3, 9:15"], ["2026-04", "2026-03-03 09:15"]),
        ("es", ["hace 2 días", "3 de marzo"], ["2026-06-18", "2026-03-03"]),
    ] {
        let posts = post("ann", heads[0], "") + &post("bob", heads[1], "");
        let want = [
            format!("ann · {}", want[0]),
            "ann".into(),
            format!("bob · {}", want[1]),
            "bob".into(),
        ];
        assert_eq!(lines(language, &posts), want, "{heads:?}");
    }
}

#[test]
fn ignores_relative_dates_in_sentences() {
    for (sentence, is_time) in [
        ("I bought one 3 days ago at sea", false),
        ("Bought one yesterday", false),
        ("Posted by ann 3 days ago", true),
    ] {
        let posts = ["ann", "bob"].map(|name| {
            format!(
                "<div class=post><a class=username>{name}</a>{}<p>{sentence}</p>{}</div>",
                text(name),
                text(name)
            )
        });
        let found = lines("en", &posts.concat());
        assert_eq!(found.contains(&"ann · 2026-06-17".to_owned()), is_time, "{found:?}");
    }
}

#[test]
fn ignores_dates_of_replies_and_quotations() {
    let reply = post("cy", "3 May 2026", "");
    let quotation =
        "<blockquote><p>dan wrote on 1 May 2020</p><p>Something else about masts.</p></blockquote>";
    let boxed = "<div class='bbCodeBlock bbCodeBlock--quote'><p>dan, 1 May 2020</p><p>About masts.</p></div>";
    let posts = post("ann", "", &reply) + &post("bob", "2 May 2026", "");
    assert_eq!(
        lines("en", &posts),
        ["ann", "ann", "cy · 3 May 2026", "cy", "bob · 2 May 2026", "bob"]
    );
    for inner in [quotation, boxed] {
        let posts =
            post("ann", "", inner) + &post("bob", "2 May 2026", "") + &post("cy", "4 May 2026", "");
        let found = lines("en", &posts);
        assert_eq!(found[..2], ["ann", "ann"], "{found:?}");
        assert!(found.contains(&"bob · 2 May 2026".to_owned()), "{found:?}");
    }
}

#[test]
fn ignores_the_day_on_which_an_author_joined() {
    let post = |name: &str, day: u8| {
        format!(
            "<div class=post><a class=username>{name}</a><dl><dt>Joined</dt><dd>Mar 1, 2010</dd></dl>\
             <p class=edit>Last edited by {name} on 9 May 2026</p>\
             <p class=when>{day} May 2026</p>{}</div>",
            text(name)
        )
    };
    let found = lines("en", &(post("ann", 2) + &post("bob", 3)));
    let times: Vec<_> = found.iter().filter(|line| line.contains(" · ")).collect();
    assert_eq!(times, ["ann · 2 May 2026", "bob · 3 May 2026"], "{found:?}");
}

#[test]
fn keeps_long_names_whole() {
    let name = "The Amazing Captain of the Good Ship Lollipop";
    let posts = post(name, "2 May 2026", "") + &post("bob", "3 May 2026", "");
    assert!(lines("en", &posts).contains(&format!("{name} · 2 May 2026")));
    // A box with the class of an author's name may also contain other text.
    let posts =
        posts.replace("<a class=username>The", "<b class=username>The").replace("</a>", "</b>");
    assert!(!lines("en", &posts).iter().any(|line| line.starts_with("The Amazing")));
}

#[test]
fn ignores_text_in_brackets_after_a_time() {
    let edited = "3 May 2026, 09:14 (This post was last modified: 4 May 2026, 10:00 by bob. Edited twice in total.)";
    let posts = post("ann", "2 May 2026", "")
        + &post("bob", "", "")
            .replace("<p class=head>", &format!("<p class=head>{edited}</p><p class=head>"));
    assert!(
        lines("en", &posts).contains(&"bob · 3 May 2026, 09:14".to_owned()),
        "{:?}",
        lines("en", &posts)
    );
}

/// A page of posts, all of them selected.
struct Thread(Html);

/// A page with a post per author, each with its body and the markup below it.
fn thread(posts: &[(&str, &str, &str)]) -> Thread {
    let post = |(at, (name, body, below)): (usize, &(&str, &str, &str))| {
        let day = at + 1;
        format!(
            "<div class=post><p class=head><a class=username>{name}</a> <time datetime='2026-05-0{day}'>{day} May 2026</time></p>\
             <div class=body><p>{}</p>{body}</div>{below}</div>",
            format!("What {name} says on day {day} about boats. ").repeat(3)
        )
    };
    let posts: String = posts.iter().enumerate().map(post).collect();
    Thread(tree::page(&format!("<div class=list>{posts}</div>")).unwrap())
}

impl Thread {
    /// The blocks kept in the text, and those kept in the document, both without the header lines of posts.
    fn kept(&self) -> [Vec<String>; 2] {
        let page = Page::read(&self.0);
        let taken = vec![true; page.blocks.len()];
        let found = super::posts(&page, &taken, &DateContext::default());
        assert!(found.lines.len() > 1);
        let blocks = || (0..taken.len()).filter(|at| !found.signatures.contains(at));
        let is_shown = |at: &usize| !page.nodes(*at).iter().all(|n| found.dropped.contains(n));
        let text = |at: usize| page.text(at).replace('\n', " ");
        [blocks().map(text).collect(), blocks().filter(is_shown).map(text).collect()]
    }

    fn count(&self, line: &str) -> [usize; 2] {
        self.kept().map(|blocks| blocks.iter().filter(|block| block.contains(line)).count())
    }
}

#[test]
fn leaves_out_signatures() {
    let sail = "<div class=sig><p>Sail on, whatever the weather may be</p></div>";
    let thanks = "<div class=sig><p>Thanks!</p></div>";
    let posts = thread(&[
        ("ann", "", sail),
        ("bob", "", thanks),
        ("ann", "", sail),
        ("bob", "", thanks),
        ("cy", "", sail),
    ]);
    // The signature of the third author occurs once, and two short ones may be thanks.
    assert_eq!(posts.count("Sail on"), [1; 2]);
    assert_eq!(posts.count("Thanks!"), [2; 2]);
    assert_eq!(posts.count("What ann says"), [2; 2]);
}

#[test]
fn keeps_similar_endings_that_are_not_signatures() {
    for (end, line) in [
        ("<pre>cargo build --release && ./run me</pre>", "./run me"),
        ("<p>Can anybody help me with this?</p>", "Can anybody help me"),
        ("<p>Yes</p>", "Yes"),
        ("<div class=reply>Fair winds to you all</div>", "Fair winds"),
        ("<ul><li>first option of three<li>second option of three</ul>", "second option"),
        ("<blockquote><p>What he said about the keel</p></blockquote>", "What he said"),
        // Code and boxes around whole texts may also have such a class.
        ("<pre class=sig>fn sail(keel: &Keel) -> bool</pre>", "fn sail"),
        ("<div class=has-signature><p>Fair winds to you all</p></div>", "Fair winds"),
        ("<p>-----</p><p>It failed with this error again</p>", "failed with this"),
    ] {
        for author in ["ann", "Anonymous", "Gast"] {
            for (body, below) in [(end, ""), ("", end)] {
                let two = [(author, body, below), ("bob", "", ""), (author, body, below)];
                assert_eq!(thread(&two).count(line), [2; 2], "{end}");
                let four = [two[0], two[1], two[0], two[0], two[0]];
                assert_eq!(thread(&four).count(line), [4; 2], "{end}");
            }
        }
    }
}

#[test]
fn recognises_signatures_by_boxes_and_lines() {
    for end in [
        "<div class=signature>Fair winds to you all</div>",
        "<aside class='message-signature'><p>See you at sea</p><p>Fair winds</p></aside>",
        "<div class=postSignature><ul><li>Keel 12<li>Fair winds</ul></div>",
        "<div data-role=memberSignature><div><p>Fair winds to you all</p></div></div>",
        "<div id=sig123>Fair winds to you all</div>",
        "<div>__________________<br>Fair winds to you all</div>",
        "<p>_________________</p><p>Fair winds to you all</p>",
    ] {
        for (body, below) in [(end, ""), ("", end)] {
            let (ann, bob) = (("ann", body, below), ("bob", "", ""));
            assert_eq!(thread(&[ann, bob, ann]).count("Fair winds"), [0; 2], "{end}");
            assert_eq!(thread(&[ann, bob, ann]).count("See you at sea"), [0; 2], "{end}");
            // One post of the author has no signature, and the same signature of another author occurs only
            // once.
            let others = [ann, ("ann", "", ""), ann, ("bob", body, below)];
            assert_eq!(thread(&others).count("Fair winds"), [1; 2], "{end}");
            assert_eq!(thread(&others).count("What ann says"), [3; 2], "{end}");
        }
    }
}

#[test]
fn keeps_first_lines_with_other_dates() {
    for lines in [
        "<p>Expires 12 June 2026</p>",
        "<p>Deadline: 3 May 2026</p>",
        "<p>Version 2.1 is out since 12 June 2026</p>",
        "<p>Closed until 12 June 2026</p>",
        "<p>Gültig bis 12. Juni 2026</p>",
        "<p>Tickets from 12 June 2026</p>",
        "<p>Joined 12 June 2026</p>",
        "<div>Joined the crew on 12 June 2026</div>",
        "<p>Registration until</p><p>5 July 2026</p>",
        "<div>Registration until</div><div>5 July 2026</div>",
        "<p>Joined</p><p>5 July 2026</p>",
        "Joined 5 July 2026<br><br>It was fun.",
    ] {
        let body = format!("{lines}<p>What else to say about boats and their keels.</p>");
        let post = |name: &str, day: usize, body: &str| {
            format!(
                "<div class=post><p class=head><a class=username>{name}</a> <time datetime='2026-05-0{day}'>{day} May 2026</time></p>\
                 <div class=body>{body}</div></div>"
            )
        };
        let posts = post("ann", 1, &body) + &post("bob", 2, "<p>Something else entirely.</p>");
        let page = tree::page(&format!("<div class=list>{posts}</div>")).unwrap();
        let [text, document] = Thread(page).kept();
        // Names and times are in the header lines of the posts.
        let text: Vec<_> = text
            .into_iter()
            .filter(|block| !block.ends_with(" May 2026") || block.starts_with("Dead"))
            .collect();
        assert_eq!(text, document, "{lines}");
    }
}

#[test]
fn leaves_out_days_on_which_authors_joined() {
    for (language, label) in [
        ("en", "Joined"),
        ("en", "Join Date"),
        ("de", "Mitglied seit"),
        ("de", "Registriert"),
        ("fr", "Inscrit le"),
        ("nl", "Lid sinds"),
        ("ru", "Дата регистрации"),
    ] {
        for info in [
            "<dl><dt>LABEL:</dt><dd>01.03.2010</dd></dl>",
            "<div>LABEL: 01.03.2010</div>",
            "<div>LABEL: 2010-03-01</div>",
        ] {
            let posts = [("ann", 1), ("bob", 2)].map(|(name, day)| {
                format!(
                    "<div class=post><a class=username>{name}</a>{}<p class=when>0{day}.05.2026</p>{}</div>",
                    info.replace("LABEL", label),
                    text(name)
                )
            });
            let found = lines(language, &posts.concat());
            let want = ["ann · 01.05.2026", "ann", "bob · 02.05.2026", "bob"];
            assert_eq!(found, want, "{info} {label}");
        }
    }
}

#[test]
fn prefers_the_time_below_to_days_in_the_text() {
    let foot =
        "<div class=foot><span class=author>NAME</span> <span class=date>DAY May 2026</span></div>";
    let rows = "<div class=foot><p><b class=author>NAME</b></p><p>DAY May 2026</p></div>";
    let stated =
        "<p class=author>NAME</p><div><time datetime='2026-05-0DAY'>DAY May 2026</time></div>";
    for foot in [foot, rows, stated] {
        for first in ["Back on 3 April 2020", "3 April 2020", "I joined on 3 April 2020"] {
            let posts = [("ann", 1), ("bob", 2), ("cy", 3)].map(|(name, day)| {
                let foot = foot.replace("NAME", name).replace("DAY", &day.to_string());
                let first = if day == 2 { format!("<p>{first}</p>") } else { String::new() };
                let body = text(name).replacen("<p>", &(first + "<p>"), 1);
                format!("<div class=post>{body}{foot}</div>")
            });
            let page = tree::page(&format!("<div class=list>{}</div>", posts.concat())).unwrap();
            let page = Page::read(&page);
            let taken = vec![true; page.blocks.len()];
            let found = super::posts(&page, &taken, &DateContext::default());
            let mut lines: Vec<String> = found.lines.values().map(|line| plain(line)).collect();
            lines.sort();
            let want = ["ann · 1 May 2026", "bob · 2 May 2026", "cy · 3 May 2026"];
            assert_eq!(lines, want, "{foot} {first}");
        }
    }
}

#[test]
fn does_not_repeat_author_and_date_below_a_title() {
    let post = |name: &str, day: usize| {
        format!(
            "<div class=post><dl class=postprofile><dt><a class=username>{name}</a></dt>\
             <dd class=profile-joined><strong>Joined:</strong> Thu Aug 27, 2020 2:37 pm</dd></dl>\
             <div class=postbody><h3><a href=#p{day}>Re: Keel</a></h3>\
             <p class=author><a href=/p{day}>Sun Dec {day}, 2023 11:23 am</a> </p>{}</div></div>",
            text(name)
        )
    };
    let posts = post("ann", 17) + &post("bob", 18) + &post("eve", 19);
    let lines = lines("en", &posts);
    let want: Vec<String> = [("ann", 17), ("bob", 18), ("eve", 19)]
        .into_iter()
        .flat_map(|(name, day)| [format!("{name} · Sun Dec {day}, 2023 11:23 am"), name.to_owned()])
        .collect();
    assert_eq!(lines, want);
    let tree = tree::page(&posts).unwrap();
    let (page, context) = (Page::read(&tree), DateContext::default());
    let times = super::times::times(&page, &super::names(&page, &context), &context);
    assert_eq!((times.joined.len(), times.marks.len()), (3, 3));
}
