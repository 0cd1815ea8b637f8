use super::*;

fn read(markup: &str, url: Option<&str>, fetched_at: Option<&str>) -> Dates {
    let tree = crate::util::html::tree::page(markup).unwrap();
    let page = Page::read(&tree);
    let head = Head::read(&tree);
    let hints = crate::article::metadata::hints(&head);
    let taken = crate::article::page::article(&page, &hints).taken;
    let url = url.map(|u| Url::parse(u).unwrap());
    dates(&head, &page, url.as_ref(), &taken, fetched_at.and_then(date::parse))
}

const TEXT: &str = "<p>The council has decided to rebuild the old bridge over the river, which was closed \
    two winters ago. Work will start as soon as the money is there, the mayor said.</p><p>Those who live \
    on the other bank have waited a long time. They hope that the new bridge will be wider than the old \
    one, and that it will have space for those who walk.</p>";

/// A page with the snippet as its date line, or only the snippet if that contains the text.
fn page_of(snippet: &str, language: &str) -> String {
    let language = if language == "-" { String::new() } else { format!(" lang='{language}'") };
    let head = format!("<!DOCTYPE html><html{language}>");
    if snippet.contains("{text}") {
        return head + &snippet.replace("{text}", TEXT);
    }
    format!(
        "{head}<title>The old bridge</title><body><article><h1>The old bridge</h1><p>{snippet}</p>{TEXT}</article>"
    )
}

/// The results of test cases: the total, the number with day and month swapped, and the failures.
struct Read {
    all: usize,
    swapped: usize,
    wrong: Vec<String>,
    missed: Vec<String>,
}

impl Read {
    /// Reads `cases`: language, snippet, page, fetch time and publication date of each.
    fn all<'c>(cases: impl Iterator<Item = (&'c str, String, &'c str, &'c str)>) -> Self {
        let mut done = Self { all: 0, swapped: 0, wrong: Vec::new(), missed: Vec::new() };
        for (snippet, page, fetched, gold) in cases {
            let fetched = (fetched != "-").then_some(fetched);
            let found = read(&page, None, fetched).published;
            let found = found.map(|p| p.time.format("%F").to_string());
            done.all += 1;
            let got = found.as_deref().unwrap_or("-");
            if got == gold {
                continue;
            }
            let line = format!("{snippet}: {got}, not {gold}");
            let parts = |s: &str| s.split('-').map(str::to_owned).collect::<Vec<_>>();
            let (a, b) = (parts(got), parts(gold));
            if a.len() == 3 && b.len() == 3 && a[0] == b[0] && a[1] == b[2] && a[2] == b[1] {
                done.swapped += 1;
            }
            if got == "-" { done.missed.push(line) } else { done.wrong.push(line) }
        }
        done
    }

    #[track_caller]
    fn expect(&self, least: usize, failed: usize) {
        let Self { all, swapped, wrong, missed } = self;
        assert_eq!(*swapped, 0, "{wrong:#?}");
        assert!(*all >= least, "{all} cases");
        let found = wrong.len() + missed.len();
        assert!(found <= failed, "{found} of {all}: wrong {wrong:#?}, missing {missed:#?}");
    }
}

/// The lines of a table, each as a list of columns.
fn table(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let lines = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
    lines.map(|line| line.split('\t').collect())
}

#[test]
fn finds_dates_in_many_languages() {
    let cases = table(include_str!("../../../../../tests/data/page-dates.tsv")).map(|columns| {
        let [_, tag, snippet, fetched, gold] = columns[..] else { panic!("{columns:?}") };
        (snippet, page_of(snippet, tag), fetched, gold)
    });
    Read::all(cases).expect(400, 8);
}

/// The lines were written by someone who did not know this code. The first version found 185 of 200.
#[test]
fn finds_dates_in_independently_written_lines() {
    let cases = table(include_str!("../../../../../tests/data/page-dates-2.tsv")).map(|columns| {
        let [tag, fetched, snippet, gold] = columns[..] else { panic!("{columns:?}") };
        let row = match snippet.get(..3) {
            Some("<td") => format!("<table><tr>{snippet}</table>"),
            Some("<tr") => format!("<table>{snippet}</table>"),
            Some("<li") => format!("<ul>{snippet}</ul>"),
            Some("<dt") => format!("<dl>{snippet}</dl>"),
            _ => snippet.to_owned(),
        };
        let page = format!(
            "<!DOCTYPE html><html lang='{tag}'><title>The old bridge</title><body>\
             <article><h1>The old bridge</h1>{row}{TEXT}</article>"
        );
        (snippet, page, fetched, gold)
    });
    Read::all(cases).expect(200, 4);
}

#[test]
fn prefers_the_most_reliable_publication_date() {
    let meta = "<meta property='article:published_time' content='2024-03-02T03:00:00Z'>";
    let cases = [
        (meta.to_owned(), "2024-03-02T03:00:00+00:00"),
        // The same instant falls on the previous day in the publisher's zone.
        (format!("{meta}<time datetime='2024-03-01T19:00:00-08:00'>x</time>"), "2024-03-01T19:00:00-08:00"),
        (format!("{meta}<time datetime='2024-03-05T19:00:00-08:00'>x</time>"), "2024-03-02T03:00:00+00:00"),
        ("<meta property='article:modified_time' content='2024-03-02'>".to_owned(), "none"),
        ("<div class=comment><time datetime=2024-01-09>x</time></div><p class=entry-date><time datetime=2024-01-02>x</time>".to_owned(), "2024-01-02T00:00:00+00:00"),
        ("<h1>A title</h1><p>Last updated June 3, 2024</p><p>By Ann on May 2, 2024</p>".to_owned(), "2024-05-02T00:00:00+00:00"),
        ("<h1>A title</h1><p>© 2024 May 2, 2024".to_owned(), "none"),
    ];
    for (markup, want) in cases {
        let found = read(&markup, None, None).published.map(|p| p.time.to_rfc3339());
        assert_eq!(found.as_deref().unwrap_or("none"), want, "{markup}");
    }
}

#[test]
fn prefers_an_earlier_visible_date_to_a_build_date() {
    let page = |published: &str, modified: &str, shown: &str| {
        let markup = format!(
            "<script type='application/ld+json'>{{\"@type\":\"Article\",\"datePublished\":\"{published}\",\
             \"dateModified\":\"{modified}\"}}</script><h1>A title</h1><p>By Ann on {shown}</p>"
        );
        read(&markup, None, None).published.unwrap().time.date_naive().to_string()
    };
    assert_eq!(page("2024-06-03T10:00:00Z", "2024-06-03T10:00:00Z", "May 2, 2024"), "2024-05-02");
    assert_eq!(page("2024-06-03T10:00:09Z", "2024-06-03T10:00:00Z", "May 2, 2024"), "2024-05-02");
    assert_eq!(page("2024-06-03T10:00:00Z", "2024-06-03T10:00:00Z", "July 2, 2024"), "2024-06-03");
    assert_eq!(page("2024-06-03T10:00:00Z", "2024-06-05T10:00:00Z", "May 2, 2024"), "2024-06-03");
}

#[test]
fn reads_adjacent_dates_original_dates_and_event_dates() {
    let text = |body: &str| format!("<article>{body}{TEXT}</article>");
    let cases = [
        (
            text("<h1>A title</h1><div><span>Mar 27, 2025</span><span>5 mins</span></div>"),
            "2025-03-27",
        ),
        (
            text(
                "<h1>A title</h1><div><a href=/x>Health</a><b>MAY 2, 2024</b><b>Updated: JUNE 3, 2024</b></div>",
            ),
            "2024-05-02",
        ),
        (text("<h1>A title</h1><p>The 3<sup>rd</sup> May 2024</p>"), "2024-05-03"),
        (
            text(
                "<h1>A title</h1><p>30 Sep 2022</p><p>This article was originally published on <b>26 Sep 2019</b> but has been updated</p>",
            ),
            "2019-09-26",
        ),
        (
            text(
                "<p>October 13, 2025</p><h1>Tech events</h1><h2>1. A fair</h2><b>Date</b>: January 6-9, 2026<br><br>",
            ),
            "2025-10-13",
        ),
        (
            format!(
                "{}<script>d = {{\"first_publication_date\":\"2025-08-04T11:55:39+0000\"}}</script>",
                text("<h1>A title</h1>")
            ),
            "2025-08-04",
        ),
    ];
    for (markup, want) in cases {
        let found = read(&markup, None, None).published.map(|p| p.time.date_naive().to_string());
        assert_eq!(found.as_deref().unwrap_or("none"), want, "{markup}");
    }
}

#[test]
fn reports_source_and_certainty_of_a_date() {
    let json = "<script type='application/ld+json'>{\"@type\":\"NewsArticle\",\"datePublished\":\"2024-03-02\"}</script>";
    let cases = [
        (json, DateSource::StructuredData, Confidence::High),
        ("<meta name=pubdate content=2024-03-02>", DateSource::Metadata, Confidence::High),
        ("<h1>A title</h1><p>Published March 2, 2024</p>", DateSource::Text, Confidence::Medium),
        ("<h1>A title</h1><p>Published 03/02/2024</p>", DateSource::Text, Confidence::Low),
    ];
    for (markup, from, confidence) in cases {
        let found = read(markup, None, None).published.unwrap();
        assert_eq!((found.from, found.confidence), (from, confidence), "{markup}");
    }
}

#[test]
fn ignores_structured_data_of_other_articles() {
    let object = |title: &str, day: &str| {
        format!("{{\"@type\":\"Article\",\"headline\":\"{title}\",\"datePublished\":\"{day}\"}}")
    };
    let markup = format!(
        "<title>The new bridge</title><script type='application/ld+json'>[{},{}]</script>\
         <h1>The new bridge</h1>",
        object("Quite another story", "2024-05-06"),
        object("The new bridge", "2024-03-02")
    );
    let found = read(&markup, None, None).published.unwrap();
    assert_eq!(found.time.date_naive().to_string(), "2024-03-02");
}

#[test]
fn moves_utc_times_to_the_day_on_the_page() {
    let markup =
        "<meta property='article:published_time' content='2023-11-01T23:01:00Z'><h1>A title</h1>";
    let found = read(markup, Some("https://example.org/2023/11/02/x"), None).published.unwrap();
    assert_eq!(found.time.to_rfc3339(), "2023-11-02T00:01:00+01:00");
    let found = read(markup, Some("https://example.org/2023/10/02/x"), None).published.unwrap();
    assert_eq!(found.time.to_rfc3339(), "2023-11-01T23:01:00+00:00");
}

#[test]
fn ignores_a_modification_before_the_publication() {
    let modified = |stated: &str| {
        let markup = format!(
            "<meta property='article:published_time' content='2024-03-02T15:41:00Z'>\
             <meta property='article:modified_time' content='{stated}'><h1>A</h1><p>One two three."
        );
        read(&markup, None, None).modified.map(|t| t.to_rfc3339())
    };
    assert_eq!(modified("2024-03-02T16:00:00Z").as_deref(), Some("2024-03-02T16:00:00+00:00"));
    assert_eq!(modified("2024-03-02"), None);
    assert_eq!(modified("2024-03-01T16:00:00Z"), None);
}

#[test]
fn finds_dates_in_urls() {
    let cases = [
        ("https://example.org/2024/03/11/x", "2024-03-11"),
        ("https://example.org/2024/3/1/x", "2024-03-01"),
        ("https://example.org/news-2024-03-11-x", "2024-03-11"),
        ("https://example.org/20240311/x", "2024-03-11"),
        ("https://example.org/2024/03/x", "none"),
        ("https://example.org/99202403/11", "none"),
    ];
    for (address, want) in cases {
        let found = super::url::day_of_url(&Url::parse(address).unwrap());
        let found = found.map(|t| t.0.format("%F").to_string());
        assert_eq!(found.as_deref().unwrap_or("none"), want, "{address}");
    }
}

#[test]
fn ignores_dates_of_events() {
    let data = |day: &str| {
        format!(
            "<script type='application/ld+json'>{{\"@context\": \"https://schema.org\", \"@type\": \"Festival\", \
             \"name\": \"The old bridge\", \"startDate\": \"{day}T20:00:00+01:00\"}}</script>"
        )
    };
    for (markup, want) in [
        // Future events, in calendar markup and in words.
        ("<time datetime=2026-12-24T20:00>24 December 2026</time>".to_owned(), None),
        ("<time itemprop=startDate datetime=2026-10-02>2 October 2026</time>".to_owned(), None),
        ("<time class=dt-start datetime=2026-10-02>2 October 2026</time>".to_owned(), None),
        // Past events. Only the structured data shows that the date belongs to an event.
        (data("2026-10-02") + "<p>2 October 2026, 20:00</p>", None),
        (data("2026-10-02") + "<time datetime=2026-10-02>2 October</time>", None),
        (
            data("2026-10-02")
                + "<time datetime=2026-10-02>2 Oct</time><p>Published 20 September 2026</p>",
            Some("2026-09-20"),
        ),
        (
            data("2026-12-24")
                + "<time datetime=2026-12-24>24 December</time><time pubdate datetime=2026-11-03>3 Nov</time>",
            Some("2026-11-03"),
        ),
    ] {
        let page =
            format!("<html lang=en><body><article><h1>The old bridge</h1>{markup}{TEXT}</article>");
        let found = read(&page, None, Some("2026-11-15T12:00:00Z")).published;
        let found = found.map(|p| p.time.format("%F").to_string());
        assert_eq!(found.as_deref(), want, "{markup}");
    }
}

#[test]
fn reads_two_digit_years_as_the_latest_possible_year() {
    for (language, text, now, want) in [
        ("de", "24.12.25", "2026-01-10", "2025-12-24"),
        ("de", "24.12.98", "2026-01-10", "1998-12-24"),
        ("de", "24.12.45", "2026-01-10", "-"),
        ("en-US", "12/24/25", "2026-01-10", "2025-12-24"),
        ("en", "12/24/25", "2026-01-10", "2025-12-24"),
        ("en", "Dec 24, '25", "2026-01-10", "2025-12-24"),
        ("en", "24 Dec '99", "2026-01-10", "1999-12-24"),
        ("en", "24-Dec-25", "2026-01-10", "2025-12-24"),
        ("nl", "05-03-25", "2026-01-10", "2025-03-05"),
        // Other readings are in the future or are not dates.
        ("en", "25-12-31", "2026-01-10", "2025-12-31"),
        ("en-GB", "31-12-25", "2026-01-10", "2025-12-31"),
        ("en", "11-03-24", "2026-01-10", "-"),
        ("ja", "R7.3.5", "2026-01-10", "2025-03-05"),
    ] {
        let found =
            read(&page_of(text, language), None, Some(&format!("{now}T10:00:00Z"))).published;
        let found = found.map(|p| p.time.format("%F").to_string());
        assert_eq!(found.as_deref().unwrap_or("-"), want, "{language} {text}");
    }
}

#[test]
fn reads_the_relative_publication_date_and_ignores_ranges() {
    for (text, want) in [
        ("Posted 5 days ago · Updated 2 hours ago", "2026-11-17"),
        ("3 April 2024 – 5 April 2024", "-"),
    ] {
        let found = read(&page_of(text, "en"), None, Some("2026-11-22T14:05:00Z")).published;
        let found = found.map(|p| p.time.format("%F").to_string());
        assert_eq!(found.as_deref().unwrap_or("-"), want, "{text}");
    }
}

#[test]
fn counts_the_length_of_a_date_line_in_characters() {
    assert!(super::is_date_line("मंगलवार, 12 मार्च 2024, पूर्वाह्न 10:15 बजे भारतीय समय"));
    assert!(!super::is_date_line(&format!("12 March 2024 {}", "x".repeat(100))));
}

proptest::proptest! {
    #[test]
    fn never_panics(text in "[0-9./年月日 \\-:a-zäé-]{0,60}|\\PC{0,60}") {
        let now = date::parse("2024-06-01T12:00:00Z").map(|t| t.fixed_offset());
        for language in [None, Some("vi"), Some("ja"), Some("fa")] {
            let _ = date::scan(&text, &DateContext { language, order: None, now });
        }
    }
}
