use super::*;
use crate::model::{Effect, ForeignText, Time};
use proptest::prelude::*;

const INOREADER: &[u8] = include_bytes!("../../../../tests/data/import/inoreader.json");
const FEEDLY: &[u8] = include_bytes!("../../../../tests/data/import/feedly.json");
const POCKET_CSV: &[u8] = include_bytes!("../../../../tests/data/import/pocket.csv");
const POCKET_HTML: &[u8] = include_bytes!("../../../../tests/data/import/pocket.html");

fn read(bytes: &[u8]) -> ForeignItems {
    parse(bytes, FileFormat::of(bytes).unwrap(), "file").unwrap()
}

fn at(seconds: i64) -> Option<Time> {
    Time::from_timestamp(seconds, 0)
}

/// The title, URL and marks of each item.
fn rows(found: &ForeignItems) -> Vec<(String, String, String)> {
    let row = |item: &ForeignItem| {
        let entry = entry(item).unwrap();
        let effects: Vec<String> = effects(item, "s").iter().map(Effect::to_string).collect();
        (entry.title, entry.url.unwrap_or_default(), effects.join(" "))
    };
    found.items.iter().map(row).collect()
}

fn row(title: &str, url: &str, effects: &str) -> (String, String, String) {
    (title.to_owned(), url.to_owned(), effects.to_owned())
}

#[test]
fn recognises_files_by_their_content() {
    let cases: &[(&[u8], Option<FileFormat>)] = &[
        (b"SQLite format 3\0...", Some(FileFormat::Database)),
        (INOREADER, Some(FileFormat::Json)),
        (b"\xef\xbb\xbf [", Some(FileFormat::Json)),
        (POCKET_CSV, Some(FileFormat::PocketCsv)),
        (
            b"\xef\xbb\xbf\"title\",\"url\",\"time_added\",\"cursor\",\"tags\"\n",
            Some(FileFormat::PocketCsv),
        ),
        (POCKET_HTML, Some(FileFormat::PocketHtml)),
        (b"<!DOCTYPE html><title>A page</title>", None),
        (b"<opml/>", None),
        (b"https://a.example/\n", None),
        (b"", None),
        (&[0xff, 0xfe, 0], None),
    ];
    for (bytes, format) in cases {
        assert_eq!(FileFormat::of(bytes), *format, "{:?}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn reads_starred_items() {
    let found = read(INOREADER);
    assert_eq!((found.kind, found.unreadable), (ForeignKind::Inoreader, 2));
    let url = "https://ferry.example/timetable?utm_source=x";
    assert_eq!(
        rows(&found),
        [
            row("The ferry timetable", url, "read pin tag:Harbour & docks"),
            row("Unfollowed", "https://elsewhere.example/1", "pin"),
        ]
    );
    let first = &found.items[0];
    let safe = entry(first).unwrap();
    assert_eq!(safe.summary.as_deref(), Some("<p>Every hour.</p>"));
    assert_eq!(
        (first.published, first.saved, first.updated),
        (at(1_600_000_000), at(1_600_100_000), None)
    );
    assert_eq!(first.feed.as_deref().and_then(feed_key), feed_key("https://ferry.example/feed/"));
    assert_eq!(found.items[1].feed, None, "a number is not a URL");
}

#[test]
fn reads_items_saved_in_feedly() {
    let found = read(FEEDLY);
    assert_eq!((found.kind, found.unreadable), (ForeignKind::Feedly, 0));
    assert_eq!(
        rows(&found),
        [
            row("Glazes", "https://kiln.example/glazes", "read later tag:To try"),
            row("Raku", "https://kiln.example/raku", "later"),
        ]
    );
    let first = &found.items[0];
    assert_eq!((first.guid.as_deref(), first.published), (Some("urn:kiln:1"), at(1_600_000_000)));
    assert_eq!(first.saved, at(1_650_000_000));
}

#[test]
fn reads_both_export_formats_of_pocket() {
    let found = read(POCKET_CSV);
    assert_eq!((found.kind, found.unreadable), (ForeignKind::Pocket, 1));
    assert_eq!(
        rows(&found),
        [
            row(
                "A \"quoted\", long title",
                "https://pages.example/a?x=1",
                "later tag:maps tag:old towns"
            ),
            row("", "https://pages.example/b", "read"),
            row("Twice", "https://pages.example/a?x=1", "later"),
            row("Broken time", "https://pages.example/c", "read"),
        ]
    );
    let saved: Vec<_> = found.items.iter().map(|item| item.saved).collect();
    assert_eq!(saved, [at(1_500_000_000), at(1_500_000_100), at(1_500_000_300), None]);
    let found = read(POCKET_HTML);
    assert_eq!((found.kind, found.unreadable), (ForeignKind::Pocket, 1));
    assert_eq!(
        rows(&found),
        [
            row("Salt & pepper", "https://pages.example/a?x=1&y=2", "later tag:maps tag:old towns"),
            row("", "https://pages.example/b", "read"),
        ]
    );
}

#[test]
fn sanitises_foreign_texts_like_those_of_a_feed() {
    let item = ForeignItem {
        title: "A \u{1b}[31m&amp; <b>B</b>\u{202e}".to_owned(),
        url: Some("javascript:alert(1)".to_owned()),
        content: Some(ForeignText::Html(
            "<p onload=x>c<iframe src='http://x/'></iframe>".to_owned(),
        )),
        summary: Some(ForeignText::Plain("1 < 2\u{9b}".to_owned())),
        guid: Some("g".repeat(5000)),
        enclosures: vec![
            ("file:///etc/passwd".to_owned(), None),
            ("https://a.example/m.mp3".to_owned(), None),
        ],
        tags: vec!["a\nb".to_owned(), String::new()],
        flags: "sb1\u{1b}".to_owned(),
        ..ForeignItem::default()
    };
    let entry = entry(&item).unwrap();
    assert_eq!((entry.title.as_str(), entry.url, entry.guid), ("A & B", None, None));
    assert_eq!(entry.content.as_deref(), Some("<p>c</p>"));
    assert_eq!(entry.summary.as_deref(), Some("<p>1 &lt; 2</p>"));
    assert_eq!(entry.enclosures.len(), 1);
    let tags = ["a b", "flag-b"].map(|tag| Effect::Tag(tag.to_owned()));
    assert_eq!(effects(&item, "s")[..1], [Effect::Pin]);
    assert_eq!(effects(&item, "s")[1..], tags);
    let flags = "asb1".repeat(100_000);
    let many = effects(&ForeignItem { flags, ..ForeignItem::default() }, "s");
    let tags = ["flag-a", "flag-b"].map(|tag| Effect::Tag(tag.to_owned()));
    assert_eq!((&many[..1], &many[1..]), (&[Effect::Pin][..], &tags[..]), "each flag once");
    assert_eq!(super::entry(&ForeignItem::default()), None);
}

#[test]
fn explains_files_without_items() {
    let cases: [(&[u8], &str); 6] = [
        (b"{\"a\": 1}", "it contains no list of items"),
        (b"{\"items\": [1, {}]}", "neither a URL nor a title"),
        (b"[", "EOF"),
        (b"[]", "lists no items"),
        (b"title,url,time_added\n", "lists no items"),
        (b"\"title\",\"url\",\"time_added\"", "lists no items"),
    ];
    for (bytes, part) in cases {
        let error = parse(bytes, FileFormat::of(bytes).unwrap(), "file").unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

/// Items beyond the limits are counted, not stored.
#[test]
fn reads_json_within_limits() {
    let item = "{\"title\": \"a\", \"list\": [LIST]}";
    let with = |count: usize| item.replace("LIST", &vec!["0"; count].join(","));
    let many = |items: usize| format!("[{}]", vec!["{\"title\":\"a\"}"; items].join(","));
    let cases = [
        ("a long item", format!("[{}, {}]", with(9000), with(10_000)), (1, 1)),
        (
            "nothing but numbers",
            format!("{{\"items\": [{}, [{}]]}}", with(1), "0,".repeat(50_000) + "0"),
            (1, 1),
        ),
        ("many items", many(200_003), (200_000, 3)),
    ];
    for (name, json, expected) in cases {
        let found = read(json.as_bytes());
        assert_eq!((found.items.len(), found.unreadable), expected, "{name}");
    }
    let deep = "[".repeat(100_000);
    assert!(parse(deep.as_bytes(), FileFormat::Json, "file").is_err());
    let database = parse(b"SQLite format 3\0", FileFormat::Database, "file").unwrap_err();
    assert!(database.to_string().contains("give its path"), "{database}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn reads_or_rejects_arbitrary_files(
        start in prop::sample::select(vec!["{\"items\":[", "[{", "title,url,time_added,tags\n", "<html><title>Pocket Export</title><h1>", "[{\"title\":"]),
        rest in prop::collection::vec(any::<u8>(), 0..120),
    ) {
        let bytes = [start.as_bytes(), &rest].concat();
        let format = FileFormat::of(&bytes).unwrap();
        if let Ok(found) = parse(&bytes, format, "file") {
            for item in &found.items {
                let _ = (entry(item), effects(item, "s"));
            }
        }
    }
}
