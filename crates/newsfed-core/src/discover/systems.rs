//! Systems whose feeds have known URLs, as a table: `assets/discover.tsv`.

use crate::util::html::{Scanner, Token};
use crate::util::{text, url as address};
use memchr::memmem;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::cell::LazyCell;
use std::collections::HashMap;
use std::sync::LazyLock;
use url::Url;

static TABLE: LazyLock<Vec<Row>> =
    LazyLock::new(|| include_str!("../../assets/discover.tsv").lines().filter_map(row).collect());

/// How many bytes of a page are searched for its generator.
const MAX_HEAD: usize = 64 * 1024;
/// How many bytes of a page are searched for other signs.
const MAX_PAGE: usize = 1024 * 1024;
/// Maximum length of a value that a page may give for `{found}`, in bytes.
const MAX_FOUND: usize = 500;
/// All characters that could change more of a URL than the value itself.
const RESERVED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'@');

/// A feed of a known system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) system: &'static str,
    pub(super) url: Url,
    /// Whether the host alone names the system, so that other URLs are not worth a request.
    pub(super) by_host: bool,
}

struct Row {
    system: &'static str,
    host: &'static str,
    sign: Sign,
    path: &'static str,
    feed: &'static str,
}

enum Sign {
    None,
    Generator(&'static str),
    Markup(&'static str),
    Found(&'static str),
}

fn row(line: &'static str) -> Option<Row> {
    let mut columns = line.split('\t');
    let mut next = || columns.next();
    let (system, host, sign, path, feed) = (next()?, next()?, next()?, next()?, next()?);
    let sign = match sign.split_once(':') {
        Some(("generator", name)) => Sign::Generator(name),
        Some(("markup", text)) => Sign::Markup(text),
        Some(("found", text)) => Sign::Found(text),
        _ => Sign::None,
    };
    Some(Row { system, host, sign, path, feed })
}

/// The feeds that a page has if it is made by a known system, most likely first, each URL once.
pub(super) fn known_feeds(page: &Url, markup: &str) -> Vec<Known> {
    let markup = text::start(markup, MAX_PAGE);
    let generator = LazyCell::new(|| generator(markup));
    let mut feeds: Vec<Known> = Vec::new();
    for row in TABLE.iter().filter(|row| is_host(row.host, page)) {
        let Some(mut values) = captures(row.path, page) else { continue };
        let shows = match row.sign {
            Sign::None => true,
            Sign::Generator(name) => {
                let begins = |g: &String| g.to_lowercase().starts_with(&name.to_lowercase());
                generator.as_ref().is_some_and(begins)
            }
            Sign::Markup(sign) => memmem::find(markup.as_bytes(), sign.as_bytes()).is_some(),
            Sign::Found(before) => match value_after(markup, before) {
                Some(value) => values.insert("found", value).is_none(),
                None => false,
            },
        };
        if !shows {
            continue;
        }
        let url = fill(row.feed, page, &values).and_then(|feed| address::resolve(page, &feed));
        if let Some(url) = url.filter(|url| url != page && feeds.iter().all(|f| f.url != *url)) {
            feeds.push(Known { system: row.system, url, by_host: row.host != "*" });
        }
    }
    feeds
}

fn is_host(pattern: &str, page: &Url) -> bool {
    let host = page.host_str().unwrap_or_default();
    match pattern.strip_prefix("*.") {
        Some(name) => host == name || host.strip_suffix(name).is_some_and(|h| h.ends_with('.')),
        None => {
            let bare = host.strip_prefix("www.").or(host.strip_prefix("m.")).unwrap_or(host);
            pattern == "*" || bare == pattern
        }
    }
}

/// The named segments of a path, if it has the shape of the pattern.
fn captures(pattern: &'static str, page: &Url) -> Option<HashMap<&'static str, String>> {
    let mut values = HashMap::new();
    let mut segments = page.path().split('/').filter(|s| !s.is_empty());
    for part in pattern.split('/').filter(|s| !s.is_empty()) {
        if part == "**" {
            return Some(values);
        }
        let segment = segments.next()?;
        let Some((before, name)) = part.split_once('{') else {
            if segment == part {
                continue;
            }
            return None;
        };
        let value = match segment.strip_prefix(before) {
            Some(value) => value.to_owned(),
            // An @ may be percent-encoded.
            None => {
                let decoded = percent_decode_str(segment).decode_utf8().ok()?;
                utf8_percent_encode(decoded.strip_prefix(before)?, RESERVED).to_string()
            }
        };
        values.insert(name.trim_end_matches('}'), value);
    }
    segments.next().is_none().then_some(values)
}

/// A template with its values; `None` if one is missing.
fn fill(template: &str, page: &Url, values: &HashMap<&'static str, String>) -> Option<String> {
    let mut feed = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, behind) = after.split_once('}')?;
        feed.push_str(before);
        match name.strip_prefix('?') {
            Some(name) => {
                let (_, value) = page.query_pairs().find(|(n, _)| n == name)?;
                feed.push_str(&plain(&value)?);
            }
            None if name == "page" => feed.push_str(page.path().trim_end_matches('/')),
            // Alone it is a complete URL, otherwise a part of one.
            None if template == "{found}" => feed.push_str(values.get(name)?),
            None if name == "found" => feed.push_str(&plain(values.get(name)?)?),
            None => feed.push_str(values.get(name)?),
        }
        rest = behind;
    }
    feed.push_str(rest);
    Some(feed)
}

/// A value escaped so that it changes nothing else in a URL.
fn plain(value: &str) -> Option<String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~');
    (!value.is_empty() && value.chars().all(fits)).then(|| value.to_owned())
}

/// The text that follows a sign in a page, up to a quote.
fn value_after(markup: &str, sign: &str) -> Option<String> {
    let at = memmem::find(markup.as_bytes(), sign.as_bytes())? + sign.len();
    let value = text::start(&markup[at..], MAX_FOUND);
    let end = value.find(|c: char| matches!(c, '"' | '\'' | '<' | '&') || c.is_whitespace())?;
    Some(value[..end].replace("\\/", "/").replace("\\u002F", "/"))
}

fn generator(markup: &str) -> Option<String> {
    let mut scanner = Scanner::new(text::start(markup, MAX_HEAD));
    while let Some(token) = scanner.next_token() {
        let Token::Open(tag) = token else { continue };
        if ["script", "style", "title"].iter().any(|name| tag.is(name)) {
            scanner.skip_raw(tag.name);
        } else if tag.is("meta")
            && tag.attribute("name").is_some_and(|n| n.eq_ignore_ascii_case("generator"))
        {
            return tag.attribute("content").map(|c| text::line(&c));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_of_systems_can_be_used() {
        let lines = include_str!("../../assets/discover.tsv").lines();
        assert_eq!(lines.filter(|l| !l.starts_with('#')).count(), TABLE.len());
        for row in TABLE.iter() {
            assert!(row.path.starts_with('/') && !row.feed.is_empty(), "{}", row.system);
            let values: HashMap<&str, String> = row
                .path
                .split('/')
                .filter_map(|p| Some((p.split_once('{')?.1.trim_end_matches('}'), "x".to_owned())))
                .chain([("found", "x".to_owned())])
                .collect();
            let page = Url::parse("https://example.org/p?f=1&t=2&id=3&list=4").unwrap();
            assert!(fill(row.feed, &page, &values).is_some(), "{}: {}", row.system, row.feed);
        }
    }

    /// The first feed of a page.
    fn first(page: &str, markup: &str) -> Option<String> {
        let found = known_feeds(&Url::parse(page).unwrap(), markup);
        found.into_iter().next().map(|known| known.url.to_string())
    }

    #[test]
    fn knows_the_feeds_of_systems() {
        let wordpress = "<meta name=generator content='WordPress 6.4'>";
        let mastodon = "<div class='app-holder' id='mastodon'>";
        let discourse = "<meta name=generator content='Discourse 3.2'>";
        let channel = r#"<script>{"externalId":"UCabc-_1"}</script>"#;
        let podcast = r#"{"feedUrl":"https:\/\/cast.example\/feed.xml"}"#;
        let cases = [
            ("https://github.com/a/b", "", "https://github.com/a/b/releases.atom"),
            ("https://github.com/a/b/tags", "", "https://github.com/a/b/tags.atom"),
            (
                "https://www.github.com/a/b/tree/dev/src",
                "",
                "https://www.github.com/a/b/commits/dev.atom",
            ),
            ("https://gitlab.com/a/b", "", "https://gitlab.com/a/b/-/releases.atom"),
            ("https://codeberg.org/a/b", "", "https://codeberg.org/a/b/releases.rss"),
            ("https://git.sr.ht/~a/b", "", "https://git.sr.ht/~a/b/log/rss.xml"),
            (
                "https://www.youtube.com/channel/UCx/videos",
                "",
                "https://www.youtube.com/feeds/videos.xml?channel_id=UCx",
            ),
            (
                "https://m.youtube.com/@name",
                channel,
                "https://www.youtube.com/feeds/videos.xml?channel_id=UCabc-_1",
            ),
            (
                "https://podcasts.apple.com/us/podcast/x/id1",
                podcast,
                "https://cast.example/feed.xml",
            ),
            ("https://old.reddit.com/r/rust", "", "https://old.reddit.com/r/rust/.rss"),
            ("https://bsky.app/profile/a.example", "", "https://bsky.app/profile/a.example/rss"),
            ("https://news.ycombinator.com/newest", "", "https://news.ycombinator.com/rss"),
            (
                "https://rust.stackexchange.com/questions/7/x",
                "",
                "https://rust.stackexchange.com/feeds/question/7",
            ),
            ("https://a.substack.com/p/x", "", "https://a.substack.com/feed"),
            ("https://medium.com/@a/x-1", "", "https://medium.com/feed/@a"),
            (
                "https://a.blogspot.com/2026/x.html",
                "",
                "https://a.blogspot.com/feeds/posts/default",
            ),
            ("https://a.tumblr.com/", "", "https://a.tumblr.com/rss"),
            ("https://social.example/@ann", mastodon, "https://social.example/@ann.rss"),
            ("https://social.example/%40ann", mastodon, "https://social.example/@ann.rss"),
            (
                "https://social.example/%40a%20b_c%2Fd",
                mastodon,
                "https://social.example/@a%20b_c%2Fd.rss",
            ),
            ("https://social.example/@ann", "", "https://social.example/@ann.rss"),
            (
                "https://l.example/c/rust",
                "<div class=lemmy-site>",
                "https://l.example/feeds/c/rust.xml",
            ),
            ("https://d.example/t/topic/12/3", discourse, "https://d.example/t/topic/12.rss"),
            (
                "https://p.example/f/viewforum.php?f=2",
                "Powered by phpBB",
                "https://p.example/f/app.php/feed/forum/2",
            ),
            ("https://w.example/category/x/", wordpress, "https://w.example/category/x/feed/"),
            ("https://w.example/2026/x/", wordpress, "https://w.example/feed/"),
            ("https://w.example/feed/", "<img src=/wp-content/x.png>", ""),
            (
                "https://h.example/posts/",
                "<meta name=generator content='Hugo 0.1'>",
                "https://h.example/posts/index.xml",
            ),
        ];
        for (page, markup, want) in cases {
            assert_eq!(first(page, markup).unwrap_or_default(), want, "{page}");
        }
    }

    #[test]
    fn values_of_a_page_cannot_change_other_parts_of_a_url() {
        let hostile = [
            ("https://youtube.com/@a", r#""externalId":"x%26user=y""#),
            ("https://youtube.com/@a", r#""externalId":"../../x""#),
            ("https://podcasts.apple.com/x", r#""feedUrl":"javascript:1""#),
            ("https://podcasts.apple.com/x", r#""feedUrl":"file:///etc/passwd""#),
            ("https://example.org/about", ""),
            ("https://notgithub.com/a/b", ""),
            ("https://github.com.example/a/b", ""),
        ];
        for (page, markup) in hostile {
            let found = first(page, markup).unwrap_or_default();
            let harmless = found.is_empty() || found == "https://youtube.com/@a.rss";
            assert!(harmless, "{page} {markup}: {found}");
        }
    }
}
