//! Guesses the feed URLs of a page that announces no feed: first for known systems, then the usual URLs. The
//! order and the limit are the same whether requests are sent or saved pages are examined.

use super::systems::known_feeds;
use url::Url;

/// Maximum number of guessed URLs per page. Each guess costs the site a request.
pub const MAX_GUESSES: usize = 8;
/// Maximum number of these guesses for known systems.
const MAX_KNOWN: usize = 4;
/// Maximum number of folders whose usual URLs are tried.
const MAX_FOLDERS: usize = 3;
/// Common names of feeds, most frequent first.
const NAMES: [&str; 9] = [
    "feed",
    "rss.xml",
    "feed.xml",
    "atom.xml",
    "index.xml",
    "rss",
    "feed/index.xml",
    "feeds/all.atom.xml",
    "feed.json",
];

/// A URL that may be a feed.
#[derive(Debug, Clone, PartialEq)]
pub struct Guess {
    pub url: Url,
    /// The system that uses this URL for its feeds.
    pub system: Option<&'static str>,
    /// Whether the host alone identifies the system, so that the feed belongs to the page.
    pub by_host: bool,
    /// Confidence that a feed found there belongs to the page, 0 to 1.
    pub confidence: f64,
}

/// URLs that may be the feed of a page, most likely first, at most [`MAX_GUESSES`].
pub fn guesses(page: &Url, markup: &str) -> Vec<Guess> {
    let known = known_feeds(page, markup);
    let by_host = known.iter().any(|k| k.by_host);
    let mut guesses: Vec<Guess> = known
        .into_iter()
        .filter(|k| k.by_host == by_host)
        .take(MAX_KNOWN)
        .map(|k| Guess { url: k.url, system: Some(k.system), by_host, confidence: 0.98 })
        .collect();
    if by_host {
        return guesses;
    }
    let folders = folders(page);
    for name in NAMES {
        for (folder, confidence) in &folders {
            let Ok(url) = folder.join(name) else { continue };
            let slashless = |u: &Url| u.as_str().trim_end_matches('/').to_owned();
            if guesses.iter().all(|g| slashless(&g.url) != slashless(&url)) {
                guesses.push(Guess { url, system: None, by_host: false, confidence: *confidence });
            }
        }
    }
    guesses.truncate(MAX_GUESSES);
    guesses
}

/// The folders that are searched for feeds, most likely first: the page's own folder, the root, and the
/// topmost folder. Folders of dates and numbers have no feeds.
fn folders(page: &Url) -> Vec<(Url, f64)> {
    let mut found: Vec<(Url, f64)> = Vec::new();
    let mut add = |path: &str, confidence: f64| {
        let mut folder = page.clone();
        folder.set_query(None);
        folder.set_fragment(None);
        folder.set_path(path);
        if found.len() < MAX_FOLDERS && found.iter().all(|(f, _)| *f != folder) {
            found.push((folder, confidence));
        }
    };
    let path = page.path();
    let segments: Vec<&str> = path.split('/').filter(|s| !s.is_empty()).collect();
    let depth = if path.ends_with('/') { segments.len() } else { segments.len().saturating_sub(1) };
    let number = |s: &&str| s.bytes().all(|b| b.is_ascii_digit());
    let named = segments[..depth].iter().position(number).unwrap_or(depth);
    let folder = |depth: usize| match depth {
        0 => "/".to_owned(),
        _ => format!("/{}/", segments[..depth].join("/")),
    };
    add(&folder(named), if named == depth { 0.97 } else { 0.96 });
    add("/", 0.93);
    add(&folder(named.min(1)), 0.93);
    // A page such as /blog may also be a folder.
    if let ([only], 0) = (segments.as_slice(), depth)
        && !only.contains('.')
    {
        add(&folder(1), 0.97);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(page: &str, markup: &str) -> Vec<String> {
        let page = Url::parse(page).unwrap();
        let origin = page.origin().ascii_serialization();
        let all = guesses(&page, markup);
        assert!(all.len() <= MAX_GUESSES);
        all.iter().map(|g| g.url.as_str().replace(&origin, "")).collect()
    }

    #[test]
    fn always_tries_the_root_within_the_limit() {
        let cases: [(&str, &[&str]); 6] = [
            ("/", &["/feed", "/rss.xml", "/feed.xml", "/atom.xml", "/index.xml", "/rss"]),
            ("/news/", &["/news/feed", "/feed", "/news/rss.xml", "/rss.xml"]),
            ("/blog", &["/feed", "/blog/feed", "/rss.xml", "/blog/rss.xml"]),
            ("/blog/2026/post", &["/blog/feed", "/feed", "/blog/rss.xml", "/rss.xml"]),
            ("/a/b/c/page.html", &["/a/b/c/feed", "/feed", "/a/feed", "/a/b/c/rss.xml"]),
            ("/2026/11/post?x=1#y", &["/feed", "/rss.xml"]),
        ];
        for (page, first) in cases {
            let found = urls(&format!("https://example.org{page}"), "");
            assert_eq!(&found[..first.len()], first, "{page}");
            assert_eq!(found.len(), MAX_GUESSES, "{page}");
        }
    }

    #[test]
    fn tries_known_systems_first() {
        let hugo = urls("https://example.org/posts/", "<meta name=generator content=Hugo>");
        assert_eq!(hugo[..3], ["/posts/index.xml", "/index.xml", "/posts/feed"]);
        let wordpress = urls("https://example.org/", "<meta name=generator content=WordPress>");
        assert_eq!(wordpress[..2], ["/feed/", "/rss.xml"], "/feed is the same");
        // If the host identifies the system, nothing else is tried.
        let releases = urls("https://github.com/a/b/releases", "");
        assert_eq!(releases, ["/a/b/releases.atom"]);
    }
}
