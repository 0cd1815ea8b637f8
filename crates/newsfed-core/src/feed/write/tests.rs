use super::*;
use crate::feed::parse;
use crate::model::{Enclosure, Entry, ItemId, SourceId, TextFrom};
use crate::util::{html, text};
use proptest::prelude::*;
use std::path::Path;

fn time(seconds: i64) -> Time {
    Time::from_timestamp(seconds, 0).unwrap()
}

/// An item with the content of an entry.
fn outgoing(number: u128, entry: &Entry) -> OutgoingItem {
    let item = Item {
        id: ItemId(uuid::Uuid::from_u128(number)),
        source: SourceId("a".to_owned()),
        guid: entry.guid.clone(),
        title: entry.title.clone(),
        summary: entry.summary.clone(),
        content: entry.content.clone(),
        url: entry.url.clone(),
        publisher: None,
        authors: entry.authors.clone(),
        published: entry.published,
        published_from: None,
        published_confidence: None,
        published_precision: None,
        published_zone: None,
        updated: entry.updated,
        discovered: time(1_790_000_000),
        pinned: false,
        read: false,
        enclosures: entry.enclosures.clone(),
        categories: entry.categories.clone(),
        tags: entry.categories.clone(),
        comments: entry.comments.clone(),
        comment_feed: None,
        comment_count: None,
        new_comments: 0,
        language: entry.language.clone(),
        article: None,
        text_from: TextFrom::Feed,
        fetched: None,
        fetch_error: None,
        feed_has_full_text: None,
        changed: false,
        substantial: false,
        versions: 0,
        revisions: Vec::new(),
        former_title: None,
        page_text: false,
    };
    OutgoingItem {
        item,
        own_tags: vec!["own & mine".to_owned()],
        source: "Source <one>".to_owned(),
        source_url: Some("https://a.example/feed?a=1&b=2".to_owned()),
        home_url: Some("https://a.example/".to_owned()),
        remote: None,
    }
}

fn write(items: &[OutgoingItem], format: FeedFormat) -> WrittenFeed {
    let mut writer = FeedWriter::new(format);
    items.iter().for_each(|item| writer.add(item));
    let (id, title) = ("tag:a.example,2026:x".to_owned(), "Rust & <more>".to_owned());
    writer.finish(&FeedHeader { id, title })
}

/// Writes items in a format, and compares them with the items that newsfed reads from it.
#[track_caller]
fn survive(items: &[OutgoingItem], format: FeedFormat) {
    let written = write(items, format);
    assert_eq!((written.items, &written.left_out), (items.len(), &None));
    let parsed = parse(written.text.as_bytes(), None, None).unwrap();
    assert_eq!(parsed.repairs, Vec::<String>::new(), "{}", written.text);
    assert_eq!(parsed.entries.len(), items.len());
    for (entry, OutgoingItem { item, .. }) in parsed.entries.iter().zip(items) {
        assert_eq!(entry.guid, Some(format!("urn:uuid:{}", item.id)), "{format:?}");
        // JSON Feed requires plain text titles, but actual feeds contain markup.
        if format != FeedFormat::Json || !html::contains_markup(&item.title) {
            assert_eq!(entry.title, item.title, "{format:?}");
        }
        assert_eq!(entry.url, item.url, "{format:?}");
        let body = entry.content.as_deref().unwrap_or_default();
        assert_eq!(body, item.body(), "{format:?}: {}", written.text);
        assert_eq!(entry.published, Some(published(item)), "{format:?}");
        if item.updated.is_some() || format == FeedFormat::Atom {
            assert_eq!(entry.updated, Some(changed(item)), "{format:?}");
        }
        if item.authors.iter().all(|name| !name.contains(['<', '&', '('])) {
            assert_eq!(entry.authors, item.authors, "{format:?}");
        }
        let mut tags: Vec<String> = item.tags.clone();
        tags.push("own & mine".to_owned());
        assert_eq!(entry.categories, tags, "{format:?}");
        let urls = |files: &[Enclosure]| -> Vec<(String, Option<u64>)> {
            files.iter().map(|file| (file.url.clone(), file.bytes)).collect()
        };
        assert_eq!(urls(&entry.enclosures), urls(&item.enclosures), "{format:?}");
        if format != FeedFormat::Json {
            assert_eq!(entry.publisher.as_deref(), Some("Source <one>"));
        }
    }
}

#[test]
fn written_feeds_are_read_back() {
    let entry = |title: &str, content: &str| Entry {
        title: title.to_owned(),
        content: Some(content.to_owned()).filter(|c| !c.is_empty()),
        url: Some("https://a.example/1?x=1&y=%22".to_owned()),
        published: Some(time(1_763_000_000)),
        ..Entry::default()
    };
    let file = |n: u64| Enclosure {
        url: format!("https://a.example/{n}.mp3?a&b"),
        mime: Some("audio/mpeg".to_owned()),
        bytes: Some(n),
        seconds: Some(90),
        ..Enclosure::default()
    };
    let entries = [
        entry("Plain", "<p>one <em>two</em> ]]&gt; &amp;amp; &lt;b&gt;</p><pre>a\n  b</pre>"),
        entry("A & B <i>no tag</i> &amp; more", "just text &amp; no markup"),
        entry("", "<p>without a title</p>"),
        entry("no text", ""),
        Entry {
            summary: Some("<p>short</p>".to_owned()),
            updated: Some(time(1_763_100_000)),
            authors: vec!["Ann Lee".to_owned(), "Bo".to_owned()],
            categories: vec!["x, y".to_owned(), "\"q\"".to_owned()],
            enclosures: vec![file(1), file(2)],
            comments: Some("https://a.example/1#c".to_owned()),
            language: Some("de".to_owned()),
            ..entry("All", "<p>long &amp; longer</p>")
        },
        Entry { published: None, url: None, ..entry("undated", "<p>x</p>") },
        Entry { published: None, updated: Some(time(5)), ..entry("only changed", "<p>x</p>") },
    ];
    let items: Vec<OutgoingItem> =
        entries.iter().enumerate().map(|(n, entry)| outgoing(n as u128, entry)).collect();
    for format in FeedFormat::ALL {
        survive(&items, format);
    }
}

#[test]
fn samples_survive_a_round_trip() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/feeds");
    let mut all = 0;
    for path in std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()) {
        let Ok(read) = parse(&std::fs::read(&path).unwrap(), None, None) else { continue };
        // A summary becomes the text of an item without content.
        let items: Vec<OutgoingItem> =
            read.entries.iter().enumerate().map(|(n, entry)| outgoing(n as u128, entry)).collect();
        all += items.len();
        FeedFormat::ALL.into_iter().for_each(|format| survive(&items, format));
    }
    assert!(all > 10);
}

#[test]
fn leaves_out_secrets_and_missing_source_urls() {
    let item = OutgoingItem {
        source_url: None,
        home_url: None,
        remote: None,
        ..outgoing(1, &Entry { title: "t".to_owned(), ..Entry::default() })
    };
    for format in FeedFormat::ALL {
        let text = write(std::slice::from_ref(&item), format).text;
        assert!(!text.contains("a.example/"), "{text}");
        assert_eq!(parse(text.as_bytes(), None, None).unwrap().entries.len(), 1);
    }
}

#[test]
fn limits_large_feeds_and_counts_omitted_items() {
    let long = |n: u128, length: usize| {
        let content = Some(format!("<p>{}</p>", "x".repeat(length)));
        outgoing(n, &Entry { title: n.to_string(), content, ..Entry::default() })
    };
    let items = vec![long(1, 6 << 20), long(2, 6 << 20), long(3, 10)];
    for format in FeedFormat::ALL {
        let written = write(&items, format);
        assert!(written.text.len() <= WRITTEN_BYTES);
        let read = parse(written.text.as_bytes(), None, None).unwrap();
        let titles: Vec<&str> = read.entries.iter().map(|e| e.title.as_str()).collect();
        assert_eq!((titles, written.items), (vec!["1"], 1));
        let left_out = "2 left out: limit of 10 MB";
        assert_eq!(written.left_out.as_deref(), Some(left_out));
    }
}

#[test]
fn writes_equal_items_as_equal_bytes() {
    let entry = Entry { title: "t".to_owned(), updated: Some(time(9)), ..Entry::default() };
    for format in FeedFormat::ALL {
        let written = || write(&[outgoing(1, &entry)], format);
        assert_eq!(written(), written());
        assert_eq!(written().updated, time(9));
        assert_eq!(write(&[], format).updated, time(0));
        assert!(parse(write(&[], format).text.as_bytes(), None, None).is_ok());
    }
}

proptest! {
    #[test]
    fn any_text_survives_a_round_trip(
        title in "\\PC{0,30}|[<>&;a-z\"' \u{fffe}\u{ffff}]{0,20}",
        markup in "(<(p|b|i|li|ul|pre|td|tr|table|br|code|/p|/ul|/b|/pre)>|[ab<>&\"\n\\]]{1,4}|\\PC{1,5}){0,12}",
        seconds in 0..2_000_000_000_i64,
    ) {
        let content = Some(html::clean(&markup, None)).filter(|html| !html.is_empty());
        let entry = Entry {
            title: text::line(&title),
            content,
            published: Some(time(seconds)),
            ..Entry::default()
        };
        for format in FeedFormat::ALL {
            survive(&[outgoing(1, &entry)], format);
        }
    }
}
