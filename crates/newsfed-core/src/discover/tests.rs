use super::*;

fn at() -> Url {
    Url::parse("https://example.com/blog/").expect("valid")
}

/// The announced URLs, best first, without the host.
fn announced(html: &str) -> Vec<String> {
    match inspect(html.as_bytes(), Some("text/html"), &at()) {
        DocumentKind::Page { announced, .. } => {
            announced.iter().map(|a| a.url.as_str().replace("https://example.com", "")).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn finds_and_ranks_announced_feeds() {
    let cases: [(&str, &[&str]); 14] = [
        ("<link rel=alternate type='application/rss+xml' href=f.xml>", &["/blog/f.xml"]),
        ("<LINK REL='Alternate Home' TYPE='Application/Atom+XML' HREF='/f'>", &["/f"]),
        ("<link rel=feed href=f>", &["/blog/f"]),
        ("<link rel=alternate type='application/feed+json' href=f.json>", &["/blog/f.json"]),
        ("<base href='/other/'><link rel=alternate type='text/xml' href=f>", &["/other/f"]),
        ("<base href='javascript:1'><link rel=feed href=f>", &["/blog/f"]),
        ("<body><p><link rel=alternate type='application/rss+xml' href=f>", &["/blog/f"]),
        (
            "<link rel=alternate type='application/rss+xml' title='Comments' href=/comments/feed/>\
             <link rel=alternate type='application/rss+xml' href=/feed/>",
            &["/feed/", "/comments/feed/"],
        ),
        ("<a href='/atom.xml'>Subscribe</a>", &["/atom.xml"]),
        ("<a href='/x?feed=rss2'><img alt='RSS'></a>", &["/x?feed=rss2"]),
        ("<a href='feed://example.com/x'>follow</a>", &["http://example.com/x"]),
        (
            "<a href=/rss>RSS</a><link rel=alternate type='application/atom+xml' href=/a.xml>",
            &["/a.xml", "/rss"],
        ),
        ("<link rel=feed href=f><link rel=feed href='f#x'><a href=f>RSS</a>", &["/blog/f"]),
        ("<link rel=alternate type='application/rss+xml' href='&#x2f;a&amp;b'>", &["/a&b"]),
    ];
    for (html, expected) in cases {
        assert_eq!(announced(html), expected, "{html}");
    }
}

#[test]
fn ignores_links_that_are_not_feeds() {
    let cases = [
        "<link rel=stylesheet type='text/css' href=f.xml>",
        "<link rel='alternate stylesheet' type='text/xml' href=f.xml>",
        "<link rel=alternate hreflang=de href=/de>",
        "<link rel=alternate type='text/html' href=/amp>",
        "<link rel=alternate type='application/rss+xml' href='javascript:1'>",
        "<script>'<link rel=feed href=f>'</script>",
        "<!-- <link rel=feed href=f> -->",
        "<a href='/feeding-cats'>How to feed cats properly and keep them happy</a>",
        "<a href='https://feedly.com/i/subscription/feed/https://example.com/rss'>RSS</a>",
    ];
    for html in cases {
        assert_eq!(announced(html), Vec::<String>::new(), "{html}");
    }
}

#[test]
fn detects_the_kind_by_content() {
    let rss = b"<rss version='2.0'><channel><title>T</title></channel></rss>";
    assert!(
        matches!(inspect(rss, Some("text/html"), &at()), DocumentKind::Feed(f) if f.title.as_deref() == Some("T"))
    );
    let reason = |bytes: &[u8]| match inspect(bytes, None, &at()) {
        DocumentKind::Nothing { reason } => reason,
        other => format!("{other:?}"),
    };
    assert_eq!(reason(b"<html><body><p>Hello"), "the page announces no feed");
    assert_eq!(reason(b"<urlset></urlset>"), "this is not a feed but a sitemap");
    assert_eq!(reason(b""), "this is not a feed but an empty document");
    let page = b"<title>My\x1b[2J &amp; site</title><link rel=feed href=f>";
    assert!(
        matches!(inspect(page, None, &at()), DocumentKind::Page { title: Some(t), .. } if t == "My & site")
    );
}
