//! A parser of robots.txt according to RFC 9309, as tolerant as common parsers: misspelt names, a missing
//! colon, `$` and `*` in patterns. Does no I/O.

use crate::util::limits;
use memchr::memmem::find;
use std::time::Duration;
use url::Url;

/// Maximum `crawl-delay` that is applied.
pub const MAX_DELAY: Duration = Duration::from_secs(60);
/// Maximum number of bytes of a line that are read.
const MAX_LINE: usize = 16 * 1024;

/// The rules of one robots.txt for one agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Robots {
    rules: Vec<Rule>,
    /// `crawl-delay` as written, in whole milliseconds; may exceed [`MAX_DELAY`].
    pub crawl_delay: Option<Duration>,
    /// URLs of `sitemap` lines, as written, in order.
    pub sitemaps: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
struct Rule {
    pattern: Vec<u8>,
    allow: bool,
}

/// The key of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Key {
    UserAgent,
    Allow,
    Disallow,
    CrawlDelay,
    Sitemap,
}

/// The rules collected for one kind of group.
#[derive(Default)]
struct Group {
    seen: bool,
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
}

impl Robots {
    pub fn allow_all() -> Self {
        Self::default()
    }

    /// Parses the first [`limits::ROBOTS_BYTES`] of a file for the agent with this product token. Never
    /// fails: unknown lines are skipped.
    pub fn parse(bytes: &[u8], agent: &str) -> Self {
        let bytes = bytes.get(..limits::ROBOTS_BYTES).unwrap_or(bytes);
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let (mut own, mut global) = (Group::default(), Group::default());
        let (mut in_own, mut in_global, mut in_rules) = (false, false, false);
        let mut sitemaps = Vec::new();
        for line in bytes.split(|b| matches!(b, b'\n' | b'\r')) {
            let line = line.get(..MAX_LINE).unwrap_or(line);
            let Some((key, value)) = split_line(line) else { continue };
            match key {
                Key::UserAgent => {
                    if in_rules {
                        (in_own, in_global, in_rules) = (false, false, false);
                    }
                    let value = String::from_utf8_lossy(value);
                    if is_everyone(&value) {
                        in_global = true;
                        global.seen = true;
                    } else if product_token(&value).eq_ignore_ascii_case(agent) && !agent.is_empty()
                    {
                        in_own = true;
                        own.seen = true;
                    }
                }
                Key::Sitemap => sitemaps.push(String::from_utf8_lossy(value).into_owned()),
                Key::Allow | Key::Disallow => {
                    in_rules = true;
                    let rule = Rule { pattern: normalise(value), allow: key == Key::Allow };
                    for (inside, group) in [(in_own, &mut own), (in_global, &mut global)] {
                        if inside && !rule.pattern.is_empty() {
                            group.rules.push(rule.clone());
                        }
                    }
                }
                Key::CrawlDelay => {
                    for (inside, group) in [(in_own, &mut own), (in_global, &mut global)] {
                        if inside {
                            group.crawl_delay = group.crawl_delay.max(delay(value));
                        }
                    }
                }
            }
        }
        let group = if own.seen { own } else { global };
        Self { rules: group.rules, crawl_delay: group.crawl_delay, sitemaps }
    }

    /// Whether the page may be fetched.
    pub fn allows(&self, url: &Url) -> bool {
        let path = match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        };
        self.allows_path(&path)
    }

    /// Like [`Robots::allows`], for a path with query as it is sent in the request line.
    pub fn allows_path(&self, path: &str) -> bool {
        if path == "/robots.txt" {
            return true;
        }
        let longest = |allow: bool| {
            let rules = self.rules.iter().filter(|r| r.allow == allow);
            rules.filter_map(|r| r.matches(path.as_bytes())).max().unwrap_or(0)
        };
        longest(true) >= longest(false)
    }

    /// The `crawl-delay` that is applied: the written one, but at most [`MAX_DELAY`].
    pub fn honoured_delay(&self) -> Duration {
        self.crawl_delay.unwrap_or_default().min(MAX_DELAY)
    }
}

impl Rule {
    /// The length of the pattern if it matches.
    fn matches(&self, path: &[u8]) -> Option<usize> {
        if glob(&self.pattern, path) {
            return Some(self.pattern.len());
        }
        // A rule that allows an index page allows its directory too.
        let slash = self.pattern.iter().rposition(|b| *b == b'/')?;
        let (directory, file) = self.pattern.split_at(slash + 1);
        let index = self.allow && file.starts_with(b"index.htm");
        (index && directory == path).then_some(directory.len() + 1)
    }
}

/// Whether a pattern matches the start of a path, or the whole path if it ends with `$`. `*` matches any
/// bytes. Each piece is searched for from where the last one ended, so the time is linear in the sum of both
/// lengths.
fn glob(pattern: &[u8], path: &[u8]) -> bool {
    let (pattern, anchored) = match pattern.strip_suffix(b"$") {
        Some(rest) => (rest, true),
        None => (pattern, false),
    };
    let mut pieces = pattern.split(|b| *b == b'*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else { return false };
    let mut last: Option<&[u8]> = None;
    for piece in pieces {
        if let Some(previous) = last.replace(piece) {
            match find(rest, previous) {
                Some(at) => rest = rest.get(at + previous.len()..).unwrap_or_default(),
                None => return false,
            }
        }
    }
    match (last, anchored) {
        (None, true) => rest.is_empty(),
        (None, false) => true,
        (Some(piece), true) => rest.ends_with(piece),
        (Some(piece), false) => find(rest, piece).is_some(),
    }
}

/// Key and value of a line without its comment. The colon may be missing between two words.
fn split_line(line: &[u8]) -> Option<(Key, &[u8])> {
    let line = line.split(|b| *b == b'#').next().unwrap_or_default().trim_ascii();
    let (key, value) = match line.iter().position(|b| *b == b':') {
        Some(at) => (line.get(..at)?, line.get(at + 1..)?),
        None => {
            let at = line.iter().position(u8::is_ascii_whitespace)?;
            let (key, value) = (line.get(..at)?, line.get(at..)?.trim_ascii());
            if value.iter().any(u8::is_ascii_whitespace) {
                return None;
            }
            (key, value)
        }
    };
    Some((Key::read(key.trim_ascii())?, value.trim_ascii()))
}

impl Key {
    /// The names and common misspellings.
    const NAMES: [(&'static str, Self); 12] = [
        ("user-agent", Self::UserAgent),
        ("useragent", Self::UserAgent),
        ("user agent", Self::UserAgent),
        ("allow", Self::Allow),
        ("disallow", Self::Disallow),
        ("dissallow", Self::Disallow),
        ("dissalow", Self::Disallow),
        ("disalow", Self::Disallow),
        ("diasllow", Self::Disallow),
        ("disallaw", Self::Disallow),
        ("crawl-delay", Self::CrawlDelay),
        ("sitemap", Self::Sitemap),
    ];

    fn read(name: &[u8]) -> Option<Self> {
        let same = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        Self::NAMES.iter().find(|(known, _)| same(known)).map(|(_, key)| *key)
    }
}

/// `*` alone or followed by a word.
fn is_everyone(value: &str) -> bool {
    value
        .strip_prefix('*')
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// The leading letters, `-` and `_` (RFC 9309, section 2.2.1).
fn product_token(value: &str) -> &str {
    let end = value.find(|c: char| !c.is_ascii_alphabetic() && c != '-' && c != '_');
    value.get(..end.unwrap_or(value.len())).unwrap_or_default()
}

/// Seconds, possibly with a fraction.
fn delay(value: &[u8]) -> Option<Duration> {
    let seconds: f64 = std::str::from_utf8(value).ok()?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// A pattern in the form of URLs: bytes above ASCII are escaped, and escapes are in upper case.
fn normalise(pattern: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match (byte, tail) {
            (b'%', [a, b, after @ ..]) if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => {
                out.extend([b'%', a.to_ascii_uppercase(), b.to_ascii_uppercase()]);
                rest = after;
            }
            (0x80.., _) => out.extend(format!("%{byte:02X}").into_bytes()),
            _ => out.push(byte),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_rule_applies() {
        let cases = [
            ("", "/x", true),
            ("user-agent: *\ndisallow:", "/x", true),
            ("user-agent: *\ndisallow: /", "/x", false),
            ("user-agent: *\ndisallow: /", "/robots.txt", true),
            ("user-agent: *\ndisallow: /a\nallow: /a/b", "/a/b/c", true),
            ("user-agent: *\ndisallow: /a\nallow: /a/b", "/a/c", false),
            ("user-agent: *\ndisallow: /a\nallow: /a", "/a", true),
            ("user-agent: *\ndisallow: /a\n\nuser-agent: newsfed\ndisallow: /b", "/a", true),
            ("user-agent: *\ndisallow: /a\n\nuser-agent: NewsFed/2\ndisallow: /b", "/b", false),
            ("user-agent: other\nuser-agent: newsfed\ndisallow: /b", "/b", false),
            ("user-agent: newsfed\ndisallow: /a\nuser-agent: x\ndisallow: /b", "/b", true),
            ("user-agent: *\r\nDISALLOW : /a # why\r\n", "/a", false),
            ("\u{feff}useragent *\ndissallow /a", "/a", false),
            ("user-agent: *\ndisallow: /*.pdf$", "/x/y.pdf", false),
            ("user-agent: *\ndisallow: /*.pdf$", "/x/y.pdf?z", true),
            ("user-agent: *\ndisallow: *a*b*", "/xaxxb", false),
            ("user-agent: *\ndisallow: *a*b*", "/xbxxa", true),
            ("user-agent: *\ndisallow: /a*ab$", "/ab", true),
            ("user-agent: *\ndisallow: /é", "/%C3%A9t", false),
            ("user-agent: *\ndisallow: /%c3%a9", "/%C3%A9", false),
            ("user-agent: *\ndisallow: /\nallow: /index.html", "/", true),
            ("user-agent: *\ndisallow: /\nallow: /a/index.htm", "/a/", true),
            ("user-agent: *\ndisallow: /\nallow: /a/index.html", "/a/b", false),
            ("user-agent: *\ndisallow: /\nallow: /a/index.html", "/", false),
            ("user-agent: *\ndisallow: /\nallow: /a/home.html", "/a/", false),
            ("user-agent: *\ndisallow: /a/index.html", "/a/", true),
            // The rule for the directory counts as one character longer.
            ("user-agent: *\ndisallow: /a/$\nallow: /a/index.html", "/a/", true),
            ("user-agent: *\ndisallow: /a*/$\nallow: /a/index.html", "/a/", false),
            ("user-agent: *\ndisallow: /%zz", "/%zz", false),
            ("user-agent: *\ndisallow: /%az", "/%az", false),
            ("user-agent: *\ndisallow: /%za", "/%za", false),
            ("user-agent: *\ndisallow: /a?b", "/a?bc", false),
        ];
        for (file, path, want) in cases {
            let robots = Robots::parse(file.as_bytes(), "newsfed");
            assert_eq!(robots.allows_path(path), want, "{file:?} {path}");
        }
    }

    #[test]
    fn rules_match_the_query_of_a_url() {
        let robots = Robots::parse(b"user-agent: *\ndisallow: /*?x", "newsfed");
        for (url, want) in [
            ("https://a.example/p?x=1#y", false),
            ("https://a.example/p?y", true),
            ("https://a.example/p", true),
            ("https://a.example/p#?x", true),
        ] {
            assert_eq!(robots.allows(&Url::parse(url).unwrap()), want, "{url}");
        }
        assert_eq!(Robots::allow_all(), Robots::parse(b"", "newsfed"));
    }

    #[test]
    fn crawl_delay_is_reported_and_limited() {
        let cases = [("5", 5_000, 5), ("0.5", 500, 0), ("3600", 3_600_000, 60)];
        for (text, millis, honoured) in cases {
            let file = format!("user-agent: *\ncrawl-delay: {text}\ndisallow: /x");
            let robots = Robots::parse(file.as_bytes(), "newsfed");
            assert_eq!(robots.crawl_delay, Some(Duration::from_millis(millis)));
            assert_eq!(robots.honoured_delay().as_secs(), honoured);
        }
        for junk in ["-1", "nan", "1e400", "soon", ""] {
            let file = format!("user-agent: *\ncrawl-delay: {junk}");
            assert_eq!(Robots::parse(file.as_bytes(), "newsfed").crawl_delay, None, "{junk}");
        }
    }

    #[test]
    fn finds_sitemap_lines_in_every_group() {
        let file = b"Sitemap: https://a.example/1.xml\nuser-agent: x\nSITEMAP:/2.xml\ndisallow: /";
        let robots = Robots::parse(file, "newsfed");
        assert_eq!(robots.sitemaps, ["https://a.example/1.xml", "/2.xml"]);
    }

    #[test]
    fn hostile_files_stay_within_limits() {
        let stars = "user-agent: *\ndisallow: ".to_owned() + &"*a".repeat(200_000);
        assert!(Robots::parse(stars.as_bytes(), "newsfed").allows_path(&"/a".repeat(1_000)));
        let long =
            [b"user-agent: *\n".as_slice(), &b"x".repeat(limits::ROBOTS_BYTES), b"\ndisallow: /"];
        assert!(Robots::parse(&long.concat(), "newsfed").allows_path("/a"));
        let noise: Vec<u8> = (0..=255).cycle().take(10_000).collect();
        assert!(Robots::parse(&noise, "newsfed").allows_path("/a"));
    }
}
