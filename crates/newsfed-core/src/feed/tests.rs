use super::*;
use crate::util::limits;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn base() -> Url {
    Url::parse("https://base.example/dir/feed").expect("valid")
}

fn read(document: &str) -> ParsedFeed {
    parse(document.as_bytes(), None, Some(&base())).expect("a feed")
}

fn item(fields: &str) -> Entry {
    read(&format!("<rss version='2.0'><channel><item>{fields}</item></channel></rss>"))
        .entries
        .remove(0)
}

/// The expected result of each document is in the same folder, as `NAME.expected.json`.
#[test]
fn sample_documents_have_their_expected_results() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/feeds");
    let files = std::fs::read_dir(folder).expect("a folder").map(|f| f.expect("a file").path());
    let is_sample = |p: &PathBuf| !p.to_string_lossy().ends_with(".expected.json");
    let samples: Vec<PathBuf> = files.filter(is_sample).collect();
    assert!(!samples.is_empty());
    for path in samples {
        let parsed = parse(&std::fs::read(&path).expect("readable"), None, Some(&base()));
        let parsed = parsed.expect("a feed");
        let mut got = to_json(&parsed);
        got["repairs"] = parsed.repairs.clone().into();
        let beside = PathBuf::from(format!("{}.expected.json", path.display()));
        let wanted = std::fs::read_to_string(&beside).unwrap_or_default();
        let wanted: serde_json::Value = serde_json::from_str(&wanted).unwrap_or_default();
        assert_eq!(got, wanted, "{}\n{got:#}", path.display());
    }
}

#[test]
fn rejects_other_documents_and_reports_their_kind() {
    let cases = [
        ("", "an empty document"),
        (" \n\u{feff}", "an empty document"),
        ("hello", "plain text"),
        ("<?xml version='1.0'?>", "an XML document without content"),
        ("<!DOCTYPE html><html><head><title>x</title></head></html>", "an HTML page"),
        ("<opml version='2.0'></opml>", "an OPML list of feeds; import it with `newsfed import`"),
        ("<urlset xmlns='x'></urlset>", "a sitemap"),
        ("<svg></svg>", "an SVG image"),
        ("<foo\u{1b}[2J/>", "an XML document of another kind (<foo>)"),
        ("<rss version='1.0'></rss>", "a feed without any content"),
        ("[1]", "JSON that is not a feed"),
        ("{\"version\": \"1.0\", \"items\": []}", "JSON that is not a feed"),
        ("%PDF-1.7 x", "a binary file"),
        ("\u{fffd}PNG\r\n\u{1a}\n\0\0\0\0\0\0\0\0\0\0", "a binary file"),
        ("a\u{1}\u{2}\u{3}<b>\u{4}\u{5}\u{6}\u{7}\u{8}\u{e}\u{f}", "a binary file"),
        ("a\u{1}\u{2}\u{3}<x>\u{4}\u{5}\u{6}\u{7}\u{8}\u{e}\u{f}", "a binary file"),
        (&format!("<html><p>{}", "\u{92}".repeat(20)), "an HTML page"),
        (
            "\u{1b}$B\u{1b}(B \u{1b}$B\u{1b}(B \u{1b}$B\u{1b}(B \u{1b}$B\u{1b}(B \u{1b}$B",
            "plain text",
        ),
    ];
    for (document, actual) in cases {
        let error = parse(document.as_bytes(), None, None).expect_err(document);
        let named = FeedError::NotAFeed { actual: actual.to_owned() };
        assert_eq!(error, named, "{document:?}");
    }
}

/// A publisher that read Windows-1252 as Latin-1 produces C1 characters instead of quotation marks.
#[test]
fn control_characters_do_not_make_a_feed_binary() {
    for c in ['\u{92}', '\u{1}'] {
        let title = format!("It{c}s a title").repeat(20);
        let feed = format!(
            "<rss version='2.0'><channel><title>{title}</title>\
             <item><title>{title}</title><guid>1</guid></item></channel></rss>"
        );
        let parsed = parse(feed.as_bytes(), None, None).unwrap();
        assert_eq!(parsed.entries.len(), 1, "{c:?}");
    }
}

#[test]
fn reports_the_kind_of_damage() {
    let broken =
        parse(b"{\"version\": \"https://jsonfeed.org/version/1\", \"items\": [", None, None);
    assert!(matches!(broken, Err(FeedError::Malformed { .. })));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(parse(deep.as_bytes(), None, None), Err(FeedError::NotAFeed { .. })));
    let large = vec![b' '; limits::FEED_BYTES + 1];
    assert_eq!(parse(&large, None, None), Err(FeedError::TooLarge));
}

#[test]
fn decodes_documents_by_declaration_header_and_content() {
    let document = |declaration: &str| {
        format!(
            "{declaration}<rss version='2.0'><channel><title>Žluťoučký kůň</title></channel></rss>"
        )
    };
    let title = |bytes: &[u8], header| parse(bytes, header, None).expect("a feed").title;
    let utf16 =
        |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let latin2 = |text: &str| encoding_rs::ISO_8859_2.encode(text).0.into_owned();
    let named = document("<?xml version='1.0' encoding='iso-8859-2'?>");
    let cases: [(Vec<u8>, Option<&str>); 8] = [
        (document("").into_bytes(), None),
        (
            format!("\u{feff}\u{feff}{}", document("")).into_bytes(),
            Some("text/xml; charset=latin1"),
        ),
        (latin2(&named), None),
        (latin2(&document("")), Some("application/xml; charset=\"ISO-8859-2\"")),
        (latin2(&named), Some("text/xml; charset=us-ascii")),
        (named.clone().into_bytes(), None),
        (utf16(&document("")), None),
        (utf16(&format!("\u{feff}{named}")), None),
    ];
    for (number, (bytes, header)) in cases.iter().enumerate() {
        assert_eq!(title(bytes, *header).as_deref(), Some("Žluťoučký kůň"), "case {number}");
    }
}

#[test]
fn decompresses_documents() {
    use std::io::Write;
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).expect("memory");
        encoder.finish().expect("memory")
    };
    let plain = b"<rss version='2.0'><channel><title>Packed</title></channel></rss>";
    let packed = gzip(&gzip(plain));
    assert_eq!(parse(&packed, None, None).expect("a feed").title.as_deref(), Some("Packed"));
    let bomb = gzip(&vec![b' '; 2 * limits::FEED_BYTES]);
    assert_eq!(parse(&bomb, None, None), Err(FeedError::TooLarge));
    let cut = parse(&gzip(plain)[..60], None, None);
    assert!(cut.is_err() || cut.is_ok_and(|f| !f.repairs.is_empty()));
}

#[test]
fn reads_hints_about_the_schedule() {
    let feed = read(
        "<rss version='2.0' xmlns:sy='http://purl.org/rss/1.0/modules/syndication/'><channel>\
         <ttl> 90 </ttl><skipHours><hour>0</hour><hour>24</hour><hour>7</hour><hour>25</hour>\
         </skipHours><skipDays><day>Sunday</day><day>monday</day><day>Noday</day></skipDays>\
         <sy:updateFrequency>4</sy:updateFrequency><sy:updatePeriod>daily</sy:updatePeriod>\
         </channel></rss>",
    );
    assert_eq!(feed.hints.ttl, Some(Duration::from_secs(5400)));
    assert_eq!(feed.hints.skip_hours, [0, 7].into());
    assert_eq!(feed.hints.skip_days, [0, 6].into());
    assert_eq!(feed.hints.update_period, Some(Duration::from_secs(21_600)));
    let odd = read("<rss version='2.0'><channel><ttl>0</ttl></channel></rss>");
    assert_eq!(odd.hints, FeedHints::default());
}

#[test]
fn chooses_the_url_of_an_entry() {
    let cases = [
        (
            "<link>https://a.example/1</link><guid>https://b.example/</guid>",
            Some("https://a.example/1"),
        ),
        ("<guid>https://b.example/2</guid>", Some("https://b.example/2")),
        ("<guid isPermaLink='false'>https://b.example/2</guid>", None),
        ("<guid isPermaLink='true'>/two</guid>", None),
        ("<link>/three</link>", Some("https://base.example/three")),
        ("<link>javascript:alert(1)</link>", None),
        ("<link href='https://a.example/4'/>", Some("https://a.example/4")),
        (
            "<link>https://count.example/</link><f:origLink xmlns:f='http://rssnamespace.org/\
             feedburner/ext/1.0'>https://a.example/5</f:origLink>",
            Some("https://a.example/5"),
        ),
        ("<link>https://u:p@a.example/6</link>", Some("https://a.example/6")),
    ];
    for (fields, expected) in cases {
        assert_eq!(item(fields).url.as_deref(), expected, "{fields}");
    }
}

#[test]
fn removes_session_parameters_only_from_the_url_of_an_entry() {
    let id = "0123456789abcdef0123456789abcdef";
    let entry = item(&format!("<link>/t?n=1&amp;sid={id}</link><enclosure url='/get?s={id}'/>"));
    assert_eq!(entry.url.as_deref(), Some("https://base.example/t?n=1"));
    assert_eq!(entry.enclosures[0].url, format!("https://base.example/get?s={id}"));
}

#[test]
fn keeps_optional_fields() {
    let entry = item(
        "<title>t</title><category>a</category><category> a </category><category>b</category>\
         <comments>/talk</comments><source url='https://s.example/f'>Origin</source>\
         <enclosure url='/a.mp3' length='12' type='audio/mpeg'/><enclosure url='file:///x'/>",
    );
    assert_eq!(entry.categories, ["a", "b"]);
    assert_eq!(entry.comments.as_deref(), Some("https://base.example/talk"));
    assert_eq!(entry.publisher.as_deref(), Some("Origin"));
    assert_eq!(entry.enclosures.len(), 1);
    assert_eq!(entry.enclosures[0].url, "https://base.example/a.mp3");
    assert_eq!(entry.enclosures[0].bytes, Some(12));
}

#[test]
fn reads_location_and_number_of_comments() {
    let of = |fields: &str| {
        let entry = item(fields);
        (entry.comments, entry.comment_feed, entry.comment_count)
    };
    let base = |path: &str| Some(format!("https://base.example/{path}"));
    let rss = "<comments>/a#talk</comments><slash:comments>12</slash:comments>\
        <wfw:commentRss>/a/feed</wfw:commentRss><wfw:comment>/post</wfw:comment>";
    assert_eq!(of(rss), (base("a#talk"), base("a/feed"), Some(12)));
    assert_eq!(of("<slash:comments>many</slash:comments>"), (None, None, None));
    assert_eq!(of("<slash:comments>-1</slash:comments>").2, None);
    let atom = |fields: &str| {
        let feed = read(&format!(
            "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:t='http://purl.org/syndication/thread/1.0'>\
             <entry><id>1</id>{fields}</entry></feed>"
        ));
        let entry = feed.entries[0].clone();
        (entry.comments, entry.comment_feed, entry.comment_count)
    };
    let links = "<link rel='replies' type='text/html' href='/a#talk'/>\
        <link rel='replies' type='application/atom+xml' href='/a/feed' thr:count='3'/>";
    assert_eq!(atom(links), (base("a#talk"), base("a/feed"), Some(3)));
    assert_eq!(atom("<t:total>7</t:total>").2, Some(7));
    assert_eq!(atom(&format!("{links}<t:total>7</t:total>")).2, Some(7));
}

#[test]
fn keeps_the_newest_of_too_many_entries() {
    let items = |dated: bool| -> String {
        let date = |n: usize| format!("<pubDate>{}</pubDate>", 1_600_000_000 + n * 60);
        (0..limits::FEED_ENTRIES + 5)
            .map(|n| {
                format!(
                    "<item><guid>{n}</guid>{}</item>",
                    if dated { date(n) } else { String::new() }
                )
            })
            .collect()
    };
    for (dated, first) in [(true, "5"), (false, "0")] {
        let feed = read(&format!("<rss version='2.0'><channel>{}</channel></rss>", items(dated)));
        assert_eq!(feed.entries.len(), limits::FEED_ENTRIES);
        assert_eq!(feed.entries[0].guid.as_deref(), Some(first));
        assert_eq!(feed.repairs.len(), 1);
    }
}

#[test]
fn keeps_the_newest_entries_in_document_order() {
    // Old and new entries alternate. One in five has no date and is treated as if it had the date of the
    // previous entry.
    let total = 3 * limits::FEED_ENTRIES;
    let date = |n: usize| 1_600_000_000 + if n.is_multiple_of(2) { n } else { 100_000 + n };
    let item = |n: usize| match n % 5 {
        0 => format!("<item><guid>{n}</guid></item>"),
        _ => format!("<item><guid>{n}</guid><pubDate>{}</pubDate></item>", date(n)),
    };
    let items: String = (0..total).map(item).collect();
    let feed = read(&format!("<rss version='2.0'><channel>{items}</channel></rss>"));
    let kept: Vec<usize> =
        feed.entries.iter().map(|e| e.guid.as_ref().unwrap().parse().unwrap()).collect();
    let age = |n: usize| date(if n.is_multiple_of(5) { n.saturating_sub(1).max(1) } else { n });
    let mut wanted: Vec<usize> = (0..total).collect();
    wanted.sort_by_key(|n| std::cmp::Reverse(age(*n)));
    wanted.truncate(limits::FEED_ENTRIES);
    wanted.sort_unstable();
    assert_eq!(kept, wanted);
    let note = format!("only the newest {} of {total} entries were kept", limits::FEED_ENTRIES);
    assert_eq!(feed.repairs, [note]);
}

#[test]
fn truncates_and_counts_long_lists() {
    let many = limits::ENTRY_LIST + 7;
    let xml: String = (0..many).map(|n| format!("<enclosure url='http://e.org/{n}'/>")).collect();
    let xml = format!("<rss version='2.0'><channel><item>{xml}</item></channel></rss>");
    let list: Vec<String> =
        (0..many).map(|n| format!("{{\"url\": \"http://e.org/{n}\"}}")).collect();
    let json = format!(
        "{{\"version\": \"https://jsonfeed.org/version/1\", \"items\": [{{\"attachments\": [{}]}}]}}",
        list.join(",")
    );
    for document in [xml, json] {
        let feed = read(&document);
        assert_eq!(feed.entries[0].enclosures.len(), limits::ENTRY_LIST);
        assert_eq!(feed.repairs, ["surplus links, names and categories were left out: 7"]);
    }
}

#[test]
fn limits_the_growth_from_relative_urls() {
    let base = format!("http://e.org/{}", "d/".repeat(700));
    let links = "&lt;a href=b&gt;b&lt;/a&gt;".repeat(1_000);
    let item = format!("<item><description>{links}</description><enclosure url='e'/></item>");
    let feed = read(&format!(
        "<rss version='2.0' xml:base='{base}'><channel>{}</channel></rss>",
        item.repeat(40)
    ));
    let text = |e: &Entry| e.summary.as_ref().map_or(0, String::len);
    let total: usize = feed.entries.iter().map(text).sum();
    assert!(total <= limits::FEED_TEXT, "{total}");
    assert!(feed.entries[0].summary.as_ref().unwrap().contains("<a href=\"http://e.org/d/"));
    assert!(
        feed.repairs.iter().any(|r| r.starts_with("texts and URLs left out (too long in total)")),
        "{:?}",
        feed.repairs
    );
}

#[test]
fn truncates_and_counts_texts() {
    let [long, short] =
        [limits::TEXT_BYTES + 1, limits::TEXT_BYTES - 10_000].map(|n| "x".repeat(n));
    for (text, cut) in [
        (long.clone(), true),
        (short.clone(), false),
        (format!("<b>{long}</b>"), true),
        (long.replace("xx", "x\n"), true),
    ] {
        let feed = read(&format!(
            "<rss version='2.0'><channel><item><description><![CDATA[{text}]]></description>\
             </item></channel></rss>"
        ));
        let stored = feed.entries[0].summary.as_ref().unwrap();
        assert!(stored.len() <= limits::TEXT_BYTES, "{}", stored.len());
        assert_eq!(stored.ends_with(crate::util::html::CUT), cut);
        let note = if cut { vec!["texts cut (too long): 1"] } else { vec![] };
        assert_eq!(feed.repairs, note);
    }
}

#[test]
fn keeps_the_text_of_fields_with_too_many_tags() {
    let content = "<b>x</b>".repeat(limits::FIELD_TAGS + 10);
    let entry = item(&format!("<description>{content}</description><title>t</title>"));
    let text = crate::util::html::to_text(&entry.summary.unwrap());
    assert_eq!(text.matches('x').count(), limits::FIELD_TAGS + 10);
    assert_eq!(entry.title, "t");
}

#[test]
fn recognises_json_feeds_without_a_version_by_their_items() {
    for (version, items, is_feed) in [
        ("1.1", r#"{"url": "https://e.org/"}"#, true),
        ("null", r#"{"title": "a"}, {"content_text": "b"}"#, true),
        ("1.1", r#"{"name": "a"}"#, false),
        ("\"1.1\"", r#"{"url": "https://e.org/"}"#, false),
        ("\"\"", r#"{"url": "https://e.org/"}"#, false),
    ] {
        let document = format!("{{\"items\": [{items}], \"version\": {version}}}");
        assert_eq!(parse(document.as_bytes(), None, None).is_ok(), is_feed, "{document}");
    }
}

#[test]
fn skips_json_values_of_other_types() {
    let feed = read(
        r#"{"version": "https://jsonfeed.org/version/1.1", "title": {"x": [1]}, "items": [
            7, null, [{}], "x",
            {"id": 12, "title": true, "url": "https://e.org/a", "tags": ["a", 1, {}, null, 2.0],
             "authors": [{"name": "Ann"}, "Bob", {"url": "https://e.org/c"}, 3], "author": "Dee",
             "attachments": [[], {"mime_type": "x"}, {"url": "/e", "size_in_bytes": "12"}],
             "summary": null, "_x": {"deep": [[[[{}]]]]}}], "language": "de"}"#,
    );
    let [entry] = &feed.entries[..] else { panic!("{feed:?}") };
    assert_eq!((feed.title, feed.language.as_deref()), (None, Some("de")));
    assert_eq!((entry.guid.as_deref(), entry.title.as_str()), (Some("12"), ""));
    assert_eq!(entry.categories, ["a", "1", "2.0"]);
    assert_eq!(entry.authors, ["Ann", "Bob", "https://e.org/c", "3", "Dee"]);
    assert_eq!(entry.enclosures.len(), 1);
    assert_eq!(entry.enclosures[0].bytes, Some(12));
}

#[test]
fn flattens_deep_nesting() {
    let deep = format!("{}core{}", "<b>".repeat(50_000), "</b>".repeat(50_000));
    let entry = item(&format!("<title>t</title><description>{deep}</description>"));
    assert_eq!(crate::util::html::to_text(&entry.summary.unwrap_or_default()), "core");
    let group = "<media:group>".repeat(50_000);
    let feed = read(&format!(
        "<rss version='2.0' xmlns:media='http://search.yahoo.com/mrss/'><channel><item><guid>g</guid>{group}"
    ));
    assert_eq!(feed.entries.len(), 1);
}

proptest::proptest! {
    #[test]
    fn survives_any_tag_soup(pieces in proptest::collection::vec(proptest::sample::select(vec![
        "<rss version='2.0'>", "<channel>", "</channel>", "<item>", "</item>", "<title>", "</title>",
        "<description>", "<![CDATA[", "]]>", "<feed xmlns='http://www.w3.org/2005/Atom'>", "<entry>",
        "<content type='xhtml'>", "<div>", "</div>", "<link href='x'/>", "&", "&amp;", "<", ">", "<a ",
        "'", "\"", "日本", "\u{1b}[1m", "<!--", "-->", "<?", "<!DOCTYPE x [<!ENTITY a 'b'>]>", "&a;",
        "xml:base='http://a/'", "<pubDate>1 May 2024", "{", "}", "\"items\":[", "<media:group>",
    ]), 0..30)) {
        let document = pieces.concat();
        if let Ok(feed) = parse(document.as_bytes(), None, Some(&base())) {
            for entry in &feed.entries {
                proptest::prop_assert!(!entry.title.chars().any(char::is_control));
            }
        }
    }
}

#[test]
fn rejects_an_empty_document_as_a_followed_feed() {
    for (text, is_feed) in [
        ("<rss version='2.0'></rss>", false),
        ("<rss version='2.0'><channel></channel></rss>", false),
        ("<rss version='2.0'><channel><title>New</title></channel></rss>", true),
        ("<rss><channel><item><title>x</title></item></channel></rss>", true),
    ] {
        assert!(parse(text.as_bytes(), None, None).is_ok(), "{text}");
        assert_eq!(parse_followed(text.as_bytes(), None, None).is_ok(), is_feed, "{text}");
    }
}
