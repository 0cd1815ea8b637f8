//! URLs: which may be opened, and when two are the same.

use super::login::without_secrets;
use super::session::{is_session, path_without_session};
use crate::util::limits;
use std::fmt;
use url::{Position, Url};

/// A URL as the user typed it, with its credentials kept apart.
#[derive(Clone, PartialEq, Eq)]
pub struct WebAddress {
    /// http or https, without credentials.
    pub url: Url,
    /// User name in the URL.
    pub user: Option<String>,
    /// Password in the URL.
    pub password: Option<String>,
    /// Whether https was assumed: the URL was typed without a scheme.
    pub assumed: bool,
}

impl fmt::Debug for WebAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hidden = self.password.as_ref().map(|_| "hidden");
        f.debug_struct("WebAddress")
            .field("url", &self.url.as_str())
            .field("user", &self.user)
            .field("password", &hidden)
            .finish()
    }
}

/// Why a text is not a web URL. The quoted text is clean and short.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    #[error("no URL given; enter one such as https://example.com/")]
    Empty,
    /// Longer than [`limits::URL_BYTES`].
    #[error("the URL is longer than {} bytes", limits::URL_BYTES)]
    TooLong,
    /// A scheme other than http or https.
    #[error("cannot follow \"{0}\" URLs; only http and https are supported")]
    Scheme(String),
    #[error("\"{text}\" is not a web URL: {why}")]
    Invalid {
        /// The text, shortened.
        text: String,
        why: String,
    },
}

/// Reads a URL as users paste it: with or without a scheme, `feed:` URLs, surrounded by spaces,
/// quotes or angle brackets.
///
/// # Errors
/// When the text is empty, too long, not a URL, or has a scheme other than http and https.
pub fn parse_web(text: &str) -> Result<WebAddress, UrlError> {
    let text = unwrap_pasted(text);
    if text.is_empty() {
        return Err(UrlError::Empty);
    }
    if text.len() > limits::URL_BYTES {
        return Err(UrlError::TooLong);
    }
    let text = without_feed_scheme(text);
    let url = match explicit_scheme(&text) {
        Some(scheme)
            if scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https") =>
        {
            Url::parse(&text)
        }
        Some(scheme) => return Err(UrlError::Scheme(super::text::line(scheme))),
        None => Url::parse(&format!("https://{}", text.trim_start_matches('/'))),
    };
    let invalid = |why: String| UrlError::Invalid {
        text: super::text::truncate(&super::text::line(&without_secrets(&text)), 80).into_owned(),
        why,
    };
    let mut url = url.map_err(|e| invalid(e.to_string()))?;
    if !plausible_host(&url, explicit_scheme(&text).is_some()) {
        return Err(invalid("it has no host".to_owned()));
    }
    let (user, password) = take_credentials(&mut url).unzip();
    let given = |text: &String| !text.is_empty();
    let assumed = explicit_scheme(&text).is_none();
    Ok(WebAddress { url, user: user.filter(given), password: password.filter(given), assumed })
}

/// Takes user name and password out of a URL. `None` if there are none.
pub fn take_credentials(url: &mut Url) -> Option<(String, String)> {
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let decode =
        |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
    let taken = (decode(url.username()), decode(url.password().unwrap_or_default()));
    // Both fail only for URLs without a host, which have no credentials.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    Some(taken)
}

/// An absolute http(s) URL from a reference in a document, without credentials. A reference that
/// would inherit more than [`limits::BASE_BYTES`] of its base URL is not resolved.
pub fn resolve(base: &Url, href: &str) -> Option<Url> {
    let href = tidy(href)?;
    let inherited = match href.as_bytes().first() {
        Some(b'/') => Position::BeforePath,
        Some(b'#') => Position::AfterQuery,
        _ => Position::AfterPath,
    };
    let long =
        base.as_str().len() > limits::BASE_BYTES && base[..inherited].len() > limits::BASE_BYTES;
    finish(if long { Url::parse(&href) } else { base.join(&href) }.ok()?)
}

/// As [`resolve`]. Without a base the reference must be absolute.
pub fn absolute(base: Option<&Url>, href: &str) -> Option<Url> {
    match base {
        Some(base) => resolve(base, href),
        None => finish(Url::parse(tidy(href)?.as_ref()).ok()?),
    }
}

/// Whether [`absolute`] returns exactly this text, with any base. Not complete: URLs that need no
/// change and have nothing unusual, so that most need not be parsed.
pub fn is_normal(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")) else {
        return false;
    };
    let Some((host, rest)) = rest.split_once('/') else { return false };
    let path_len = rest.bytes().take_while(|b| is_plain(*b)).count();
    let (path, extra) = rest.split_at(path_len);
    // A dot, which can be encoded, may begin a segment that means another folder.
    let moves = |segment: &str| {
        segment.starts_with('.') || segment.starts_with("%2e") || segment.starts_with("%2E")
    };
    // After the path comes the query, if there is one, and after it the fragment.
    let (query, fragment) = extra.split_once('#').unwrap_or((extra, ""));
    url.len() <= limits::URL_BYTES
        && is_normal_host(host)
        && !path.split('/').any(moves)
        && query.bytes().enumerate().all(|(at, b)| b == b'?' || at > 0 && is_plain(b))
        && fragment.bytes().all(|b| b == b'?' || is_plain(b))
}

/// Whether a byte stays as it is in the path, query and fragment of a URL.
fn is_plain(b: u8) -> bool {
    matches!(b,
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'%' | b'!' | b'$'
        | b'&' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' | b':' | b'@' | b'/')
}

/// Whether a host consists of words of lower-case letters, digits and hyphens, the last one a word
/// and no number.
fn is_normal_host(host: &str) -> bool {
    let word = |word: &str| {
        let inner = word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        inner && !word.is_empty() && !word.starts_with('-') && !word.ends_with('-')
    };
    let last = host.rsplit('.').next().unwrap_or_default();
    host.split('.').all(word)
        && last.bytes().next().is_some_and(|b| b.is_ascii_lowercase())
        && !host.contains("--")
}

/// A key that is equal for two URLs of the same article. For comparison only, never to be opened.
///
/// Ignored are the fragment, a default port, tracking and session parameters, a slash at the end of the path
/// (servers return the same page for both, and feeds switch between them), and the difference
/// between http and https (a site that moves to https would bring all its items a second time).
pub fn normalise(url: &Url) -> String {
    if !matches!(url.scheme(), "http" | "https") {
        return url.to_string();
    }
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    let mut key = format!("https://{host}");
    if let Some(port) = url.port() {
        key.push_str(&format!(":{port}"));
    }
    let path = path_without_session(url.path());
    let path = path.trim_end_matches('/');
    key.push_str(if path.is_empty() { "/" } else { path });
    let kept = url.query().unwrap_or_default().split('&').filter(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        !name.is_empty() && !is_tracking(name) && !is_session(pair)
    });
    for (n, pair) in kept.enumerate() {
        key.push(if n == 0 { '?' } else { '&' });
        key.push_str(pair);
    }
    key
}

fn is_tracking(name: &str) -> bool {
    const NAMES: [&str; 16] = [
        "fbclid",
        "gclid",
        "dclid",
        "gbraid",
        "wbraid",
        "msclkid",
        "yclid",
        "twclid",
        "igshid",
        "mc_cid",
        "mc_eid",
        "_ga",
        "_gl",
        "_hsenc",
        "_hsmi",
        "at_medium",
    ];
    let name = name.to_ascii_lowercase();
    name.starts_with("utm_") || name.starts_with("at_campaign") || NAMES.contains(&name.as_str())
}

fn unwrap_pasted(text: &str) -> &str {
    const WRAPPING: [char; 12] =
        ['<', '>', '"', '\'', '`', '(', ')', '“', '”', '‘', '’', '\u{feff}'];
    let blank = |c: char| c.is_whitespace() || c.is_control();
    let text = text.trim_matches(blank);
    let inner = text.trim_start_matches(WRAPPING);
    if inner.len() == text.len() {
        return text;
    }
    inner.trim_end_matches(WRAPPING).trim_matches(blank)
}

/// `feed://host/x` is `http://host/x`; `feed:https://host/x` is `https://host/x`.
fn without_feed_scheme(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let Some(scheme) = ["feed:", "rss:", "podcast:"].iter().find(|s| lower.starts_with(**s)) else {
        return text.to_owned();
    };
    let rest = &text[scheme.len()..];
    match rest.strip_prefix("//") {
        Some(rest) => format!("http://{rest}"),
        None => rest.to_owned(),
    }
}

/// The scheme, unless the text before the colon is a host with a port.
fn explicit_scheme(text: &str) -> Option<&str> {
    let (scheme, rest) = text.split_once(':')?;
    let letters = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-".contains(c));
    let port = rest.starts_with(|c: char| c.is_ascii_digit());
    let user = rest.contains('@') && !rest.starts_with("//");
    (letters && !port && !(user && scheme != "mailto")).then_some(scheme)
}

/// Whether there is a host. A word without a dot counts only with an explicit scheme.
fn plausible_host(url: &Url, explicit: bool) -> bool {
    url.host_str().is_some_and(|host| {
        let local = host == "localhost" || url.domain().is_none() || url.port().is_some();
        !host.is_empty() && (explicit || local || host.trim_end_matches('.').contains('.'))
    })
}

/// The reference without what browsers ignore: outer spaces, tabs and line endings anywhere.
fn tidy(href: &str) -> Option<std::borrow::Cow<'_, str>> {
    let href = href.trim_matches(|c: char| c.is_whitespace() || c.is_control());
    if href.is_empty() || href.len() > limits::URL_BYTES {
        return None;
    }
    // Other control characters and bidirectional marks do not belong in a URL.
    let odd = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    if href.contains(odd) {
        return Some(href.replace(odd, "").into());
    }
    Some(href.into())
}

fn finish(mut url: Url) -> Option<Url> {
    let usable = matches!(url.scheme(), "http" | "https") && url.has_host();
    if !usable || url.as_str().len() > limits::URL_BYTES {
        return None;
    }
    take_credentials(&mut url);
    Some(url)
}

/// A URL as RFC 3986 writes it, which validators of other formats insist on: browsers leave brackets, for
/// example, as they are.
pub fn strict(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let host = if scheme.is_empty() { 0 } else { rest.find(['/', '?', '#']).unwrap_or(rest.len()) };
    let start = url.len() - rest.len() + host;
    let mut out = url[..start].to_owned();
    let (bytes, mut fragment) = (&url.as_bytes()[start..], false);
    for (at, &byte) in bytes.iter().enumerate() {
        let is_hex = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
        let stays = match byte {
            b'%' => is_hex(at + 1) && is_hex(at + 2),
            b'#' => !std::mem::replace(&mut fragment, true),
            _ => byte.is_ascii_alphanumeric() || b"-._~:/?@!$&'()*+,;=".contains(&byte),
        };
        match stays {
            true => out.push(char::from(byte)),
            false => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn usual_urls_are_normal() {
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
        fn normal_urls_stay_as_they_are(
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
            assert_eq!(
                parse_web(input).map(|a| a.url.to_string()).as_deref(),
                Ok(expected),
                "{input}"
            );
        }
    }

    #[test]
    fn rejects_other_input() {
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
    fn takes_credentials_out() {
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
    fn resolves_references_to_http_only() {
        let base = Url::parse("https://example.com/a/b").expect("valid");
        let cases = [
            ("c", Some("https://example.com/a/c")),
            ("/c?d#e", Some("https://example.com/c?d#e")),
            ("//other.example/x", Some("https://other.example/x")),
            // It may be the only name of a download.
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
        // A long query is no part of the base, but a long path is refused.
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
    fn strict_urls_have_only_what_rfc_3986_allows() {
        for (url, expected) in [
            (
                "https://e.org/a%20b/[x]?q=|^`{}\\",
                "https://e.org/a%20b/%5Bx%5D?q=%7C%5E%60%7B%7D%5C",
            ),
            ("http://[::1]:80/[a]", "http://[::1]:80/%5Ba%5D"),
            ("https://e.org/100%?a=%zz#b#c", "https://e.org/100%25?a=%25zz#b%23c"),
            ("https://e.org/ä\"<>", "https://e.org/%C3%A4%22%3C%3E"),
            ("mailto:a@e.org?subject=[x]", "mailto:a@e.org?subject=%5Bx%5D"),
            ("https://e.org", "https://e.org"),
        ] {
            assert_eq!(strict(url), expected);
        }
    }
}
