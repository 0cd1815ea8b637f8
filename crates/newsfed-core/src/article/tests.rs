//! Complete pages: pages with several articles, hostile pages, and properties of any page.

use super::*;
use proptest::prelude::*;
use url::Url;

const BLOG: &str = include_str!("../../../../tests/data/pages/blog_index.html");
const TICKER: &str = include_str!("../../../../tests/data/pages/live_ticker.html");
const COMMENTS: &str = include_str!("../../../../tests/data/pages/long_comments.html");

fn guide(title: &str, url: &str) -> Guide {
    let title = Some(title.to_owned()).filter(|t| !t.is_empty());
    Guide { title, url: Url::parse(url).ok(), ..Guide::default() }
}

fn auto(page: &str, guide: &Guide) -> Result<Extraction, NoArticle> {
    extract(page, guide, Mode::Auto, None)
}

/// Checks the first and last words of an article, and that it contains no other text of the page.
#[track_caller]
fn check(found: &Extraction, first: &str, last: &str, others: &[&str]) {
    let text = &found.text;
    assert!(text.starts_with(first), "unexpected start:\n{text}");
    assert!(text.ends_with(last), "unexpected end:\n{text}");
    let strange: Vec<&&str> = others.iter().filter(|o| text.contains(**o)).collect();
    assert!(strange.is_empty(), "holds {strange:?}:\n{text}");
    let shown = found.document.text();
    assert!(others.iter().all(|o| !shown.contains(o)), "{shown}");
    assert!(shown.contains(last), "{shown}");
}

#[test]
fn selects_one_of_several_posts_on_a_page() {
    let cases = [
        ("The lamp is cleaned twice a night", "Salt settles", "grey stripe ever since."),
        ("A seal moved into the boathouse", "It began with", "as long as they could swim."),
        ("Eleven ways to lose a kite", "The first kite", "flag of no known country."),
    ];
    for (at, (title, first, last)) in cases.iter().enumerate() {
        let found = auto(BLOG, &guide(title, "https://log.example/")).unwrap();
        let text = found.text.strip_prefix(title).unwrap_or(&found.text).trim_start().to_owned();
        let found = Extraction { text, ..found };
        let others: Vec<&str> =
            cases.iter().enumerate().filter(|(o, _)| *o != at).map(|(_, c)| c.2).collect();
        let others = [others, vec!["Recent posts", "rights reserved"]].concat();
        let last = last.to_owned();
        assert!(found.text.contains(last), "{}", found.text);
        assert!(found.text.starts_with(first), "{}", found.text);
        assert!(others.iter().all(|o| !found.text.contains(o)), "{title}: {}", found.text);
    }
}

#[test]
fn selects_a_post_by_summary_without_a_title() {
    let summary = "A seal has moved in behind the spare oars: two dark eyes under the tarpaulin";
    let guide = Guide { summary: Some(summary.to_owned()), ..Guide::default() };
    let found = auto(BLOG, &guide).unwrap();
    assert!(found.text.contains("tarpaulin"), "{}", found.text);
    assert!(!found.text.contains("grey stripe") && !found.text.contains("kite"), "{}", found.text);
}

#[test]
fn corrects_a_wrong_selection_with_the_summary() {
    let about =
        "<p>The museum was founded by a captain who collected lamps on all his voyages. ".repeat(8);
    let news = "The ferry to the outer islands runs again from Monday, after the storm had damaged both \
                of its engines. Tickets of the cancelled trips stay valid until the end of the year, and \
                the harbour office exchanges them at any counter. Cars need a reservation, bicycles do not, \
                and the evening trip leaves an hour later than before. Dogs travel for free.";
    let page = format!(
        "<article><h1>About the museum</h1>{about}</article>\
         <div class=sidebar><a href=/a>News</a><br>{news}</div>"
    );
    let text = |summary: &str| {
        let guide = Guide { summary: Some(summary.to_owned()), ..Guide::default() };
        auto(&page, &guide).unwrap().text
    };
    assert!(text("").contains("captain"));
    let found =
        text("The ferry to the outer islands runs again from Monday, after the storm had […]");
    assert!(found.contains("runs again from Monday") && !found.contains("captain"), "{found}");
    let other = "A summary that is about something else and does not occur anywhere on this page.";
    assert!(text(other).contains("captain"));
}

#[test]
fn selects_an_entry_of_a_live_ticker() {
    let all = ["evening ferry", "swing bridge", "sent their pupils", "duty officer"];
    let cases = [
        (guide("Bridge to the old town is closed", "https://n.example/live"), "swing bridge"),
        (guide("", "https://n.example/live#e7"), "sent their pupils"),
    ];
    for (guide, own) in cases {
        let found = auto(TICKER, &guide).unwrap();
        let held: Vec<&&str> = all.iter().filter(|w| found.text.contains(**w)).collect();
        assert_eq!(held, [&own], "{}", found.text);
    }
    // The ticker as a whole is also an article.
    let found =
        auto(TICKER, &guide("Storm on the island: live", "https://n.example/live")).unwrap();
    assert!(all.iter().all(|w| found.text.contains(w)), "{}", found.text);
}

#[test]
fn separates_comments_longer_than_the_article() {
    let guide = guide("The night train stays", "https://courier.example/train");
    for mode in [Mode::Auto, Mode::Guided] {
        let found = extract(COMMENTS, &guide, mode, None).unwrap();
        let others = ["thirty years", "My choir", "Leave a reply", "Recent posts"];
        check(&found, "The town council", "along the line.", &others);
        assert_eq!(found.comments.len(), 13, "{:?}", found.comments);
        assert!(found.comments.iter().any(|c| c.contains("Old Tom") && c.contains("cheaper")));
        assert_eq!(found.authors, ["Nora Lind"]);
        assert_eq!(found.published.unwrap().to_rfc3339(), "2024-03-05T22:10:00+01:00");
    }
}

#[test]
fn reports_why_a_page_has_no_article() {
    let deep = "<div>".repeat(32_000) + "x";
    let lists = "<ul><li>".repeat(16_000) + "x";
    let cases = [
        (deep.as_str(), NoArticle::TooDeep),
        (lists.as_str(), NoArticle::TooDeep),
        ("<script>document.write('x')</script><div id=root></div>", NoArticle::NeedsScript),
        ("<div id=app>Loading</div><script src=a.js></script>", NoArticle::NeedsScript),
        ("", NoArticle::Empty),
        ("<title>x</title><svg><text>y</text></svg>", NoArticle::Empty),
    ];
    for (page, want) in cases {
        assert_eq!(auto(page, &Guide::default()).map(|f| f.text), Err(want));
    }
    let found = extract(COMMENTS, &guide("Zeppelin", ""), Mode::Guided, None);
    assert_eq!(found.map(|f| f.text), Err(NoArticle::NotFound));
}

#[test]
fn reads_a_hidden_body() {
    for hide in ["hidden", "style='display: none'", "aria-hidden=true"] {
        let page = COMMENTS.replace("<body>", &format!("<body {hide}>"));
        let found = auto(&page, &Guide::default()).unwrap();
        assert!(found.text.starts_with("The town council"), "{hide}: {}", found.text);
    }
}

#[test]
fn skips_hidden_parts_of_a_page() {
    let note = "<p style='display:none'>A secret note that nobody sees on this page.</p></article>";
    let found = auto(&COMMENTS.replace("</article>", note), &Guide::default()).unwrap();
    assert!(!found.text.contains("secret note"), "{}", found.text);
    assert!(!found.document.text().contains("secret note"), "{}", found.document.text());
}

#[test]
fn uses_structured_data_if_scripts_load_the_text() {
    let body = "A long text about the harbour and its boats. ".repeat(12);
    let page = format!(
        "<script type='application/ld+json'>{{\"@type\":\"Article\",\"headline\":\"H\",\
         \"articleBody\":\"{body}\"}}</script><div id=root></div>"
    );
    let found = auto(&page, &Guide::default()).unwrap();
    assert_eq!((found.text.trim(), found.origin), (body.trim(), TextOrigin::Data));
    assert!(!found.document.is_empty());
}

#[test]
fn reads_a_long_page_up_to_its_limit() {
    let page = format!(
        "<article>{}</article>",
        format!("<p>{}</p>", "One more line of text. ".repeat(50)).repeat(5_000)
    );
    let found = auto(&page, &Guide::default()).unwrap();
    assert!(found.text.len() < crate::util::limits::PAGE_BYTES, "{}", found.text.len());
}

#[test]
fn leaves_out_line_numbers_and_permalinks() {
    let long = "Some words that make a paragraph long enough to be read as an article, certainly.";
    let page = format!(
        "<article><h2 id=a>Setup <a class=headerlink href=#a>link</a><a href=#a>¶</a></h2><p>{long}</p>\
         <table><tr><td class=gutter><pre>1\n2</pre></td><td class=code><pre>let x = 7;\nlet y;</pre>\
         </td></tr></table><p>{long}</p><h2><a class=anchor href=#b>The end</a></h2><p>{long}</p></article>"
    );
    let found = auto(&page, &Guide::default()).unwrap();
    let want = format!("Setup\n{long}\nlet x = 7;\nlet y;\n{long}\nThe end\n{long}");
    assert_eq!(found.text, want);
    let shown = found.document.text();
    assert!(shown.contains("let x = 7;\nlet y;") && !shown.contains('¶'), "{shown}");
    assert!(!shown.contains("1\n2"), "{shown}");
}

/// A page of a site where every page has the same text before and after its article.
fn page_of_site(n: usize, class: &str) -> (String, String) {
    let syllables = ["ka", "mo", "ri", "tel", "us", "ban", "ofe", "lin", "dra", "wy", "sho"];
    let word = |at: usize| -> String {
        let mut seed = (at * 7919 + n * 104_729) % 1_000_003;
        let mut next = || {
            seed = (seed * 48_271 + 11) % 1_000_003;
            syllables[seed % syllables.len()]
        };
        [next(), next(), next()].concat()
    };
    let sentence = |at: usize| {
        let words: Vec<String> = (0..12).map(|w| word(at * 20 + w)).collect();
        format!("{}, people said.", words.join(" "))
    };
    let paragraphs: Vec<String> =
        (0..5).map(|p| [sentence(p), sentence(p + 7), sentence(p + 11)].join(" ")).collect();
    let body: String = paragraphs.iter().map(|p| format!("<p>{p}</p>")).collect();
    let page = format!(
        "<html><body><nav><a href=/>Home</a></nav><div class={class}><h1>Title {n}</h1>\
         <p class=meta>Posted by the keeper of the lamp, as always at noon</p>{body}\
         <p class=end>Thank you for reading this log of ours, and come back soon to the island.</p>\
         <p class=tags><a href=/t/a>one</a> <a href=/t/b>two</a></p></div><footer>End</footer></body></html>"
    );
    (page, paragraphs.join("\n"))
}

#[test]
fn learns_the_ends_of_the_pages_of_a_site() {
    let mut site = Template::default();
    let mut read = |n: usize, class: &str| {
        let (page, article) = page_of_site(n, class);
        let guide = guide(&format!("Title {n}"), "");
        let found = extract(&page, &guide, Mode::Auto, Some((&mut site, true))).unwrap();
        (found.origin, same_text(&found.text, &article), found.text)
    };
    let learned: Vec<_> = (0..8).map(|n| read(n, "post")).collect();
    let (origin, exact, text) = &learned[7];
    assert_eq!((*origin, *exact), (TextOrigin::Template, true), "{text}");
    // After a redesign, the old template is not used and a new one is learned.
    let changed: Vec<_> = (8..20).map(|n| read(n, "entry-of-the-log")).collect();
    let (origin, exact, text) = &changed[11];
    assert_eq!((*origin, *exact), (TextOrigin::Template, true), "{text}");
    for (_, _, text) in &changed {
        assert!(text.contains("people said."), "{text}");
    }
    let stored = serde_json::to_string(&site).unwrap();
    assert!(stored.len() < 4096, "{} bytes", stored.len());
    assert_eq!(serde_json::from_str::<Template>(&stored).unwrap(), site);
}

#[test]
fn paragraphs_that_differ_only_in_numbers_stay() {
    let mut site = Template::default();
    for n in 0..12 {
        let (page, _) = page_of_site(n, "post");
        let level = |town: &str, k: usize| {
            let (cm, mm) = (31 + n * 47 % 300 + k, n * 13 % 60 + k);
            format!(
                "In {town}, the water stood at {cm} centimetres this week, and {mm} millimetres of rain fell."
            )
        };
        let levels: Vec<String> = ["Arden", "Bellow", "Corry", "Dunmore", "Esker", "Fallow"]
            .iter()
            .zip(1..)
            .map(|(t, k)| level(t, k))
            .collect();
        let tail: String = levels.iter().map(|l| format!("<p>{l}</p>")).collect();
        let end =
            "<p>Call the harbour office on 0800 123 456 before you sail to the island, please.</p>";
        let comments = format!("<p><a href=/c/{n}>{} comments</a></p>", n + 10);
        let page = page.replace("<p class=end>", &format!("{tail}{end}{comments}<p class=end>"));
        let guide = guide(&format!("Title {n}"), "");
        let found = extract(&page, &guide, Mode::Auto, Some((&mut site, true))).unwrap();
        for level in &levels {
            assert!(found.text.contains(level), "{n}: {level}\n{}", found.text);
        }
        if n == 11 {
            assert_eq!(found.origin, TextOrigin::Template);
            for end in ["harbour", "comments", "Thank you"] {
                assert!(!found.text.contains(end), "{end}: {}", found.text);
            }
        }
    }
}

#[test]
fn short_paragraphs_at_the_ends_stay_even_if_each_paragraph_is_in_a_box() {
    let mut site = Template::default();
    for n in 0..12 {
        // The boxes have the same class on all pages, like the cells of notebooks.
        let (page, article) = page_of_site(n, "post");
        let words: Vec<&str> = article.split_whitespace().collect();
        let short = |from: usize| format!("{}, people said.", words[from..from + 9].join(" "));
        let (first, last) = (short(13), short(27));
        let page = page.replacen("<p>", &format!("<p>{first}</p><p>"), 1);
        let page = page.replace("<p class=end>", &format!("<p>{last}</p><p class=end>"));
        let page = page
            .replace("<p>", "<div class=cell><p>")
            .replace("people said.</p>", "people said.</p></div>");
        let guide = guide(&format!("Title {n}"), "");
        let found = extract(&page, &guide, Mode::Auto, Some((&mut site, true))).unwrap();
        assert!(found.text.contains(&first) && found.text.contains(&last), "{n}: {}", found.text);
    }
}

#[test]
fn uses_a_template_for_one_site_only() {
    let read = |site: &mut Template, n: usize, host: &str| {
        let url = Url::parse(&format!("https://{host}/{n}")).ok();
        let guide = Guide { url, ..guide(&format!("Title {n}"), "") };
        extract(&page_of_site(n, "post").0, &guide, Mode::Auto, Some((site, true))).unwrap().origin
    };
    // The items of an aggregator link to pages of many sites.
    let mut mixed = Template::default();
    for n in 0..30 {
        assert_eq!(
            read(&mut mixed, n, ["a.example", "b.example", "c.example"][n % 3]),
            TextOrigin::Page
        );
    }
    // A few pages of another site change nothing. After many, the template is learned for the other site.
    let mut site = Template::default();
    let mut of = |range: std::ops::Range<usize>, host: &str| {
        range.fold(TextOrigin::Page, |_, n| read(&mut site, n, host))
    };
    assert_eq!(of(0..8, "a.example"), TextOrigin::Template);
    assert_eq!(of(8..12, "b.example"), TextOrigin::Page);
    assert_eq!(of(12..13, "www.a.example"), TextOrigin::Template);
    assert_eq!(of(13..33, "b.example"), TextOrigin::Page);
    assert_eq!(of(33..41, "b.example"), TextOrigin::Template);
}

#[test]
fn keeps_the_template_of_a_large_site_small() {
    let mut site = Template::default();
    for n in 0..150 {
        let (page, _) = page_of_site(n, &format!("c{}", (b'a' + (n % 23) as u8) as char));
        let _ = extract(&page, &Guide::default(), Mode::Auto, Some((&mut site, true)));
    }
    let stored = serde_json::to_string(&site).unwrap();
    assert!(stored.len() < 8192, "{} bytes", stored.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// No text is read twice and none is added, so time and result grow linearly with the page.
    #[test]
    fn reads_each_word_of_tag_soup_at_most_once(
        tags in proptest::collection::vec(
            "(<(/)?(div|p|ul|li|table|tr|td|pre|b|a href=#x|h1|h2 class=comment|article|br|span hidden|blockquote|figure|code|sup|time|section class=sidebar)>|[a-c]{1,9} [a-c]{1,9}\\. ){1,6}",
            0..60,
        )
    ) {
        let page: String = tags.concat();
        let mut site = Template::default();
        for _ in 0..3 {
            if let Ok(found) = extract(&page, &Guide::default(), Mode::Auto, Some((&mut site, true))) {
                let plain = |s: &str| s.chars().filter(|c| matches!(c, 'a'..='c')).count();
                let words = crate::util::html::to_text(&page);
                prop_assert!(plain(&found.text) <= plain(&words));
                prop_assert!(plain(&found.document.text()) <= plain(&words) + 5 * found.document.links.len());
            }
        }
    }
}

#[test]
fn leaves_out_long_author_boxes_after_short_articles() {
    let say =
        |n: usize| "Bees dance to show the others of the hive where they found food. ".repeat(n);
    let page = format!(
        "<html><body><main><article><h1>Bees</h1><p>{}</p><p>{}</p></article>\
         <div class='author-bio'><p>{}</p></div></main></body></html>",
        say(3),
        say(3),
        "I keep bees and write about them here every day. ".repeat(9)
    );
    let found = extract(&page, &Guide::default(), Mode::Page, None).unwrap();
    assert!(found.text.contains("dance"));
    assert!(!found.text.contains("keep bees"), "{}", found.text);
    let found = extract(&page, &Guide::default(), Mode::Auto, None).unwrap();
    assert!(!found.text.contains("keep bees"), "{}", found.text);
}
