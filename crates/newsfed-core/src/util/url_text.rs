//! URLs in a form for users to read.

use super::text;
use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use url::Url;

/// A URL with percent-encoded letters of other scripts decoded. Characters with a meaning in URLs, and
/// invisible characters, stay encoded.
pub fn readable(url: &str) -> Cow<'_, str> {
    if !url.contains('%') {
        return url.into();
    }
    let mut out = String::with_capacity(url.len());
    let mut rest = url;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = encoded_letters(rest);
        let (encoded, after) = rest.split_at(end.max(1));
        match percent_decode_str(encoded).decode_utf8() {
            Ok(letters) if end > 0 && is_visible(&letters) => out.push_str(&letters),
            _ => out.push_str(encoded),
        }
        rest = after;
    }
    out.push_str(rest);
    out.into()
}

/// Length of the percent-encoded non-ASCII bytes at the start of a text.
fn encoded_letters(text: &str) -> usize {
    let is_letter = |part: &[u8]| matches!(part, [b'%', high, low] if high.is_ascii_hexdigit() && *high >= b'8' && low.is_ascii_hexdigit());
    text.as_bytes().chunks(3).take_while(|part| is_letter(part)).count() * 3
}

fn is_visible(letters: &str) -> bool {
    !letters.contains(char::is_whitespace) && text::line(letters) == letters
}

/// The name under which an item is shown: its title, or the beginning of its text, or a name from its URL.
pub fn item_name<'a>(title: &'a str, text: &'a str, url: Option<&str>) -> Cow<'a, str> {
    match (title, text, url) {
        ("", "", Some(url)) => summary(url).into(),
        ("", "", None) => "(no title)".into(),
        ("", text, _) => text.into(),
        (title, ..) => title.into(),
    }
}

/// A name for a page without a title: the last part of its path as words, since the source next to it already
/// names the site. The host is added to a number or a query, which alone would not look like a name.
fn summary(url: &str) -> String {
    let Some((host, parsed)) =
        Url::parse(url).ok().and_then(|u| Some((u.host_str()?.to_owned(), u)))
    else {
        return readable(url).into_owned();
    };
    let host = host.strip_prefix("www.").unwrap_or(&host);
    let segments = parsed.path_segments().into_iter().flatten().rev();
    let words = segments.map(words).find(|words| !words.is_empty() && words != "index");
    if let Some(name) = words.as_ref().filter(|words| words.contains(char::is_alphabetic)) {
        return name.clone();
    }
    // Some systems name their pages only in the query.
    let words = words.or_else(|| parsed.query().map(|query| text::line(&readable(query))));
    match words.filter(|words| !words.is_empty()) {
        Some(words) => format!("{words} · {host}"),
        None => host.to_owned(),
    }
}

/// A path segment without its extension, with spaces instead of separators such as `-`.
fn words(segment: &str) -> String {
    let decoded = percent_decode_str(segment).decode_utf8_lossy();
    let is_extension = |end: &str| {
        matches!(end, "html" | "htm" | "php" | "aspx" | "asp" | "jsp" | "shtml" | "xhtml" | "md")
    };
    let name = match decoded.rsplit_once('.') {
        Some((name, end)) if is_extension(end) => name,
        _ => &decoded,
    };
    text::line(&name.replace(['-', '_', '+'], " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_only_letters() {
        for (url, shown) in [
            ("https://e.org/a?b=c", "https://e.org/a?b=c"),
            ("https://e.org/caf%C3%A9/%E6%97%A5%E6%9C%AC", "https://e.org/café/日本"),
            ("https://e.org/a%2Fb%20c%25", "https://e.org/a%2Fb%20c%25"),
            // Invalid and truncated UTF-8, and bidirectional and invisible characters.
            ("https://e.org/%FF%C3/%C3", "https://e.org/%FF%C3/%C3"),
            ("https://e.org/%E2%80%AEgpj", "https://e.org/%E2%80%AEgpj"),
            ("https://e.org/%C2%A0%E2%80%8B", "https://e.org/%C2%A0%E2%80%8B"),
            ("100%", "100%"),
            ("%C3%A9%", "é%"),
            ("%é%C3%A9", "%éé"),
        ] {
            assert_eq!(readable(url), shown, "{url}");
        }
    }

    #[test]
    fn summarises_a_url_by_the_end_of_its_path() {
        for (url, expected) in [
            ("https://www.e.org/2026/11/a-fair_scheduler.html", "a fair scheduler"),
            ("https://e.org/blog/caf%C3%A9-hours/", "café hours"),
            ("https://e.org/notes/index.php", "notes"),
            ("https://e.org/v1.2", "v1.2"),
            ("https://e.org/?p=123", "p=123 · e.org"),
            ("https://e.org/posts/8", "8 · e.org"),
            ("https://e.org/", "e.org"),
            ("https://e.org/%E2%80%AEa%1B%5B31mb", "ab"),
            ("not a URL", "not a URL"),
        ] {
            assert_eq!(summary(url), expected, "{url}");
        }
        assert_eq!(item_name("", "", Some("https://e.org/a-b")), "a b");
        assert_eq!(item_name("", "Text", Some("https://e.org/a-b")), "Text");
        assert_eq!(item_name("Title", "Text", None), "Title");
        assert_eq!(item_name("", "", None), "(no title)");
    }
}
