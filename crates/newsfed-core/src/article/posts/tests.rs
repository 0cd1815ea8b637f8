//! Times of posts: relative, without a year, of replies and in quotations.

use crate::article::{Block, Guide, Mode, extract, plain};
use crate::model::Time;
use url::Url;

fn at(time: &str) -> Time {
    chrono::DateTime::parse_from_rfc3339(time).unwrap().to_utc()
}

/// The first words of a thread's paragraphs, and the full lines above posts.
fn lines(language: &str, posts: &str) -> Vec<String> {
    let page = format!(
        "<html lang={language}><title>Keel | Boats</title><h1>Keel</h1><div class=list>{posts}</div></html>"
    );
    let guide = Guide {
        url: Url::parse("https://forum.example/threads/keel.12/").ok(),
        fetched_at: Some(at("2026-06-20T14:05:00Z")),
        ..Guide::default()
    };
    let found = extract(&page, &guide, Mode::Auto, None).unwrap();
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
fn dates_that_depend_on_the_fetch_are_shown_as_days() {
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
fn sentences_with_such_dates_are_not_times() {
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
fn a_post_without_a_date_takes_none_from_replies_and_quotations() {
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
fn the_time_of_a_post_is_not_when_its_author_joined() {
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
fn long_names_are_kept_whole() {
    let name = "The Amazing Captain of the Good Ship Lollipop";
    let posts = post(name, "2 May 2026", "") + &post("bob", "3 May 2026", "");
    assert!(lines("en", &posts).contains(&format!("{name} · 2 May 2026")));
    // A box whose class marks the author's name may also contain other text.
    let posts =
        posts.replace("<a class=username>The", "<b class=username>The").replace("</a>", "</b>");
    assert!(!lines("en", &posts).iter().any(|line| line.starts_with("The Amazing")));
}

#[test]
fn text_in_brackets_after_a_time_is_not_part_of_it() {
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

#[test]
fn signatures_are_left_out() {
    let signed = |name: &str, day: u8, signature: &str| {
        let body = |text: String| text.replace("at length", &format!("at length on day {day}"));
        let end = format!("<div class=sig><p>{signature}</p></div>");
        body(post(name, &format!("{day} May 2026"), &end))
    };
    let sail = "Sail on, whatever the weather may be";
    let posts = signed("ann", 1, sail)
        + &signed("bob", 2, "Thanks!")
        + &signed("ann", 3, sail)
        + &signed("bob", 4, "Thanks!")
        + &signed("cy", 5, sail);
    let found = lines("en", &posts);
    let times = |text: &str| found.iter().filter(|line| *line == text).count();
    // That of the third author is there once.
    assert!(times(sail) <= 1 && times("Thanks!") >= 1 && times("ann") == 2, "{found:?}");
}
