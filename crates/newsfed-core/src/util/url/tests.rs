use super::*;
use proptest::prelude::*;

#[test]
fn common_urls_need_no_normalisation() {
    for url in [
        "https://example.org/",
        "https://www.example.org/2026/11/%C3%A4-title.html?x=1&y=%20#top",
        "http://a1.example-site.co/p/(1),2;v=1:@!~",
    ] {
        assert!(is_normal(url), "{url}");
    }
    for url in [
        "https://example.org",
        "https://example.org/a b",
        "https://example.org/../x",
        "https://example.org/x/.%2e/y",
        "https://example.org/x/%2E",
        "https://EXAMPLE.org/",
        "https://example.org:443/",
        "https://u:p@example.org/",
        "https://127.1/",
        "https://1.2.3.0x4/",
        "https://xn--bcher-kva.example/",
        "https://example.org./",
        "https://example.org/?a=\"b\"",
        "https://example.org/?a='b'",
        "//example.org/",
        "ftp://example.org/",
    ] {
        assert!(!is_normal(url), "{url}");
    }
    let long = format!("https://example.org/{}", "a".repeat(limits::URL_BYTES));
    assert!(!is_normal(&long));
}

proptest! {
    #[test]
    fn normal_urls_are_unchanged(
        scheme in "https?:/{1,3}",
        host in "[a-z0-9.-]{0,12}(\\.[a-z0-9-]{1,4}|:[0-9]{1,3}|@[a-z]{1,3})?",
        rest in "/([ -~]|[a-z0-9./%?#&=;:@_~!$()*+,-]|%2[eEfF]|\\.\\.?/|s(id|ession)?=){0,24}é?",
    ) {
        let text = format!("{scheme}{host}{rest}");
        if is_normal(&text) {
            let base = Url::parse("https://example.com/dir/page").expect("valid");
            for base in [None, Some(&base)] {
                let url = absolute(base, &text);
                prop_assert_eq!(url.as_ref().map(Url::as_str), Some(text.as_str()));
                let bare = crate::util::session::without_session(url.expect("checked"));
                prop_assert!(crate::util::session::has_session(&text) || bare.as_str() == text);
            }
        }
    }
}

#[test]
fn reads_pasted_urls() {
    let cases = [
        ("example.com/feed", "https://example.com/feed"),
        (" <https://example.com/a b> ", "https://example.com/a%20b"),
        ("\"http://example.com\"", "http://example.com/"),
        ("feed://example.com/rss", "http://example.com/rss"),
        ("feed:https://example.com/rss", "https://example.com/rss"),
        ("//example.com/x", "https://example.com/x"),
        ("localhost:8080/x", "https://localhost:8080/x"),
        ("HTTP://EXAMPLE.com:80/A", "http://example.com/A"),
        ("http://127.0.0.1:9/x", "http://127.0.0.1:9/x"),
        ("bücher.example", "https://xn--bcher-kva.example/"),
        ("https://en.wikipedia.org/wiki/A_(b)", "https://en.wikipedia.org/wiki/A_(b)"),
        ("http://intranet/feed", "http://intranet/feed"),
    ];
    for (input, expected) in cases {
        assert_eq!(parse_web(input).map(|a| a.url.to_string()).as_deref(), Ok(expected), "{input}");
    }
}

#[test]
fn rejects_input_that_is_not_a_url() {
    let cases = [
        "",
        "  ",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "mailto:a@b.example",
        "hello",
        "http://",
        "http://[::1",
        "ssh://-oProxyCommand=x/y",
        "exec:touch x",
        "http://a:99999/",
    ];
    for input in cases {
        assert!(parse_web(input).is_err(), "{input}");
    }
    let message = parse_web("ht\u{1b}[2Jtp\u{7}x y").map_err(|e| e.to_string());
    assert!(message.is_err_and(|m| !m.chars().any(char::is_control)));
}

#[test]
fn removes_credentials() {
    let address = parse_web("https://ann:p%40ss@example.com/f").expect("valid");
    assert_eq!(address.url.as_str(), "https://example.com/f");
    assert_eq!(address.user.as_deref(), Some("ann"));
    assert_eq!(address.password.as_deref(), Some("p@ss"));
    assert!(!format!("{address:?}").contains("p@ss"));
    let address = parse_web("ann:secret@example.com/f").expect("valid");
    assert_eq!(address.url.as_str(), "https://example.com/f");
    assert_eq!(address.user.as_deref(), Some("ann"));
}

#[test]
fn resolves_references_only_to_http() {
    let base = Url::parse("https://example.com/a/b").expect("valid");
    let cases = [
        ("c", Some("https://example.com/a/c")),
        ("/c?d#e", Some("https://example.com/c?d#e")),
        ("//other.example/x", Some("https://other.example/x")),
        // A value that resembles a session id may be the only name of a download.
        (
            "/x?s=0123456789abcdef0123456789abcdef",
            Some("https://example.com/x?s=0123456789abcdef0123456789abcdef"),
        ),
        (" h\nttp://x.example/ ", Some("http://x.example/")),
        ("http://u:p@x.example/", Some("http://x.example/")),
        ("java\tscript:alert(1)", None),
        ("\u{1}javascript:1", None),
        ("mailto:a@b", None),
        ("data:text/html,x", None),
        ("", None),
    ];
    for (href, expected) in cases {
        assert_eq!(resolve(&base, href).as_ref().map(Url::as_str), expected, "{href:?}");
    }
    assert_eq!(absolute(None, "/x"), None);
    // A long query is not part of the base, but a long path is rejected.
    let long = |text: &str| Url::parse(&format!("https://e.org/{}", text.repeat(800))).unwrap();
    let found = |base: &Url, href: &str| resolve(base, href).map(String::from);
    assert_eq!(found(&long("?ab"), "x").as_deref(), Some("https://e.org/x"));
    assert_eq!(found(&long("?ab"), "#x"), None);
    assert_eq!(found(&long("a/"), "x"), None);
    assert_eq!(found(&long("a/"), "?x"), None);
    assert_eq!(found(&long("a/"), "/x").as_deref(), Some("https://e.org/x"));
    assert_eq!(found(&long("a/"), "https://e.org/x").as_deref(), Some("https://e.org/x"));
}

#[test]
fn urls_of_one_article_share_a_key() {
    let same = [
        ("http://example.com/a/", "https://EXAMPLE.com:443/a?utm_source=x#top"),
        ("https://example.com", "https://example.com/?fbclid=1&gclid=2"),
        ("https://example.com/?a=1&utm_medium=y&b=2", "https://example.com/?a=1&b=2"),
        ("https://example.com/t;jsessionid=1?a=1&PHPSESSID=y", "https://example.com/t?a=1"),
    ];
    let key = |s: &str| normalise(&Url::parse(s).expect("valid"));
    for (a, b) in same {
        assert_eq!(key(a), key(b));
    }
    let different = [
        ("https://example.com/a", "https://example.com/b"),
        ("https://example.com/?id=1", "https://example.com/?id=2"),
        ("https://example.com:8080/", "https://example.com/"),
        ("https://example.com/A", "https://example.com/a"),
    ];
    for (a, b) in different {
        assert_ne!(key(a), key(b));
    }
}

#[test]
fn strict_urls_follow_rfc_3986() {
    for (url, expected) in [
        ("https://e.org/a%20b/[x]?q=|^`{}\\", "https://e.org/a%20b/%5Bx%5D?q=%7C%5E%60%7B%7D%5C"),
        ("http://[::1]:80/[a]", "http://[::1]:80/%5Ba%5D"),
        ("https://e.org/100%?a=%zz#b#c", "https://e.org/100%25?a=%25zz#b%23c"),
        ("https://e.org/ä\"<>", "https://e.org/%C3%A4%22%3C%3E"),
        ("mailto:a@e.org?subject=[x]", "mailto:a@e.org?subject=%5Bx%5D"),
        ("https://e.org", "https://e.org"),
    ] {
        assert_eq!(strict(url), expected);
    }
}

#[test]
fn explains_why_a_text_is_not_a_url() {
    for (typed, why) in [
        ("foo bar", "a host name cannot contain spaces"),
        ("https://foo bar/x", "a host name cannot contain spaces"),
        ("foo|bar.org", "its host name contains invalid characters"),
        ("https:///", "it has no host name such as example.org"),
        ("foo", "it has no host name such as example.org"),
        ("example.org:99999", "the port, after the colon, must be a number up to 65535"),
        ("http://300.1.1.1/", "its host is a number that is not an IP address"),
    ] {
        let error = parse_web(typed).unwrap_err().to_string();
        assert_eq!(error, format!("\"{typed}\" is not a valid URL: {why}"));
    }
}
