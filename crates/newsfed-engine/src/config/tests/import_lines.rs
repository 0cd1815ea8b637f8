//! Lists from other readers: lines and outlines, private sources, and files that are too large.

use super::super::{import, read_import};
use super::importing::{import_error, read, rows};
use std::collections::HashSet;

#[test]
fn private_sources_are_skipped_with_the_reason() {
    let text = "http://10.0.0.1/a\nhttps://x.example/b\nhttp://10.0.0.2/c\nhttps://y.example/d\nhttps://z.example/e\n";
    let mut import = import(text.as_bytes(), "urls").unwrap();
    for at in [0, 1] {
        import.sources[at].access.proxy = Some("http://p:1".to_owned());
    }
    import.sources[3].private = true;
    import.skip_private(&HashSet::from(["http://10.0.0.2/c".to_owned()]), "confirm it");
    let left: Vec<&str> = import.sources.iter().map(|source| source.url.as_str()).collect();
    assert_eq!(left, ["http://10.0.0.2/c", "https://z.example/e"]);
    let skipped: Vec<_> = import.skipped.iter().map(|(url, why)| (&**url, &**why)).collect();
    assert_eq!(
        skipped,
        [
            ("http://10.0.0.1/a", "a private address; confirm it"),
            ("https://x.example/b", "fetched through a proxy; confirm it"),
            ("https://y.example/d", "may be at a private address; confirm it"),
        ]
    );
}

#[test]
fn files_that_are_too_large_are_not_read_completely() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list");
    let most = crate::util::limits::IMPORT_BYTES;
    let read = |bytes: usize| {
        let file = std::fs::File::create(&path).unwrap();
        file.set_len(bytes as u64).unwrap();
        read_import(&path).unwrap()
    };
    assert_eq!(read(most).len(), most);
    let more = read(most + 2);
    assert_eq!(more.len(), most + 1, "so that it is noticed");
    assert!(import_error(more).contains("list is larger than"));
    let missing = read_import(&folder.path().join("\u{1b}none")).unwrap_err();
    assert!(
        missing.contains("none: no such file or directory") && !missing.contains('\u{1b}'),
        "{missing}"
    );
}

#[test]
fn splits_lines_into_words() {
    for (line, want) in [
        ("https://a.example/#x y", "||y|https://a.example/#x"),
        ("https://a.example/ \"#x\" # y", "||#x|https://a.example/"),
        ("https://a.example/ \"a # b\"", "||a # b|https://a.example/"),
        ("my-site.example/feed", "|||https://my-site.example/feed"),
        ("site.example:8080/feed", "|||https://site.example:8080/feed"),
        ("site.example?feed=rss", "|||https://site.example/?feed=rss"),
        ("münchen.example", "|||https://xn--mnchen-3ya.example/"),
    ] {
        assert_eq!(rows(&read(line)), [want], "{line}");
    }
    for line in ["a_b.example", "word", "a..example", ".example", "1.2.3", "://x", "a b://x"] {
        assert!(import(line.as_bytes(), "list").is_err(), "{line}");
    }
}

#[test]
fn opml_needs_a_body_or_outlines() {
    assert_eq!(rows(&read("<opml><outline xmlUrl='https://a.example/'/></opml>")).len(), 1);
    for (text, want) in [
        ("<opml></opml>", "has no <body>"),
        ("<opml><head/></opml>", "has no <body>"),
        ("<opml><body/></opml>", "no outline has a URL"),
        ("<opml><outline text='x'/></opml>", "no outline has a URL"),
    ] {
        let error = import_error(text);
        assert!(error.contains(want), "{text}: {error}");
    }
}
