//! URLs in a comparable form, because sources with the same story often link to the same article.

use super::words::{hash, short};
use crate::util::url::normalise;
use url::Url;

/// The address of an item in a comparable form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Address {
    /// Hash of the URL without the parts in which links to the same page differ.
    pub(super) page: u64,
    /// Hash of the fragment, because several entries may be on one page; 0 without a fragment. The lowest bit
    /// is 1 if the fragment contains a digit, like that of a comment.
    pub(super) place: u32,
    /// Whether the URL seems to belong to one article; otherwise it may belong to a list, which changes.
    pub(super) specific: bool,
}

impl Address {
    /// Whether both are the same place on one page. A section is the same place as its page, but a comment is
    /// not.
    pub(super) fn is_same(self, other: Self) -> bool {
        let part = |whole: Self, part: Self| whole.place == 0 && part.place & 1 == 0;
        self.page == other.page
            && (self.place == other.place || part(self, other) || part(other, self))
    }
}

/// Parameters that record where a reader comes from, besides those that [`normalise`] removes.
const ORIGINS: [&str; 19] = [
    "amp",
    "campaign",
    "cid",
    "cmp",
    "feature",
    "from",
    "icid",
    "mod",
    "ncid",
    "ns_campaign",
    "ocid",
    "outputtype",
    "partner",
    "ref",
    "ref_src",
    "smid",
    "source",
    "via",
    "xtor",
];
/// Parameters that select a part of a list, not an article.
const VIEWS: [&str; 9] = ["hl", "lang", "locale", "order", "page", "paged", "sort", "tab", "view"];
/// Parameters of redirecting pages that contain the URL of the article.
const TARGETS: [&str; 8] = ["url", "u", "q", "to", "target", "dest", "destination", "redirect"];
/// Names of redirecting pages.
const REDIRECTS: [&str; 11] =
    ["url", "redirect", "redir", "r", "away", "away.php", "goto", "out", "click", "link", "l.php"];
/// Folders whose pages are lists.
const LISTS: [&str; 24] = [
    "archive",
    "archives",
    "author",
    "authors",
    "categories",
    "category",
    "feed",
    "label",
    "labels",
    "news",
    "page",
    "people",
    "profile",
    "search",
    "section",
    "sections",
    "series",
    "tag",
    "tags",
    "topic",
    "topics",
    "user",
    "users",
    "u",
];
/// Words in the names of pages that always show the latest state.
const MOVING: [&str; 14] = [
    "live",
    "liveblog",
    "ticker",
    "liveticker",
    "latest",
    "forecast",
    "today",
    "todays",
    "newsletter",
    "changelog",
    "releases",
    "updates",
    "status",
    "index",
];
/// Fragments that name common parts of pages.
const PARTS: [&str; 9] =
    ["comments", "disqus", "main", "more", "respond", "top", ":~:text", "content", "xtor"];

/// The address of an item; `None` for home pages and for anything but an http or https URL.
pub(super) fn address(url: &str) -> Option<Address> {
    let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let url = target(&url).unwrap_or(url);
    let normal = Url::parse(&normalise(&url)).ok()?;
    let host = bare_host(normal.host_str()?);
    let path = bare_path(normal.path());
    let mut query: Vec<&str> = normal.query().unwrap_or_default().split('&').collect();
    query.retain(|pair| !pair.is_empty() && !is_named(pair, &ORIGINS));
    query.sort_unstable();
    if path.is_empty() && query.is_empty() {
        return None;
    }
    let port = normal.port().map(|port| port.to_string()).unwrap_or_default();
    let page = hash(&[&host, &port, &path, &query.join("&")]);
    let fragment =
        url.fragment().filter(|f| !f.is_empty() && !PARTS.iter().any(|p| f.starts_with(p)));
    let numbered = |fragment: &str| u32::from(fragment.bytes().any(|b| b.is_ascii_digit()));
    let place = fragment.map_or(0, |f| short(hash(&[f])) & !1 | 2 | numbered(f));
    Some(Address { page, place, specific: is_specific(&path, &query) })
}

/// Whether the name of a parameter such as `a=b` is one of `names`.
fn is_named(pair: &str, names: &[&str]) -> bool {
    let name = pair.split('=').next().unwrap_or_default();
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// The target of a redirecting page.
fn target(url: &Url) -> Option<Url> {
    let page = url.path_segments()?.rfind(|segment| !segment.is_empty())?;
    if !REDIRECTS.contains(&page.to_ascii_lowercase().as_str()) {
        return None;
    }
    url.query_pairs()
        .filter(|(name, _)| TARGETS.contains(&name.to_ascii_lowercase().as_str()))
        .find_map(|(_, value)| Url::parse(&value).ok())
        .filter(|url| matches!(url.scheme(), "http" | "https"))
}

/// A host without a prefix such as `m.`, which only selects the version for another device.
fn bare_host(host: &str) -> String {
    let host = ["www.", "amp.", "m.", "mobile."].iter().fold(host, |host, prefix| {
        // A second-level domain may have that name.
        host.strip_prefix(prefix).filter(|rest| rest.contains('.')).unwrap_or(host)
    });
    host.replacen(".m.", ".", 1)
}

/// A path without a suffix or prefix such as `/amp`, which only selects the version for another device.
fn bare_path(path: &str) -> String {
    let path = path.trim_end_matches('/');
    let cut = |path: &str, ends: &[&str]| {
        ends.iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path).to_owned()
    };
    let path = cut(path, &["/amp", ".amp", "/index.html", "/index.php", "/index.htm"]);
    let path = path.strip_prefix("/amp/").map_or(path.clone(), |rest| format!("/{rest}"));
    cut(&path, &[".amp.html", ".html", ".htm", "/"])
}

fn is_specific(path: &str, query: &[&str]) -> bool {
    let identifies = |pair: &&&str| {
        let value = pair.split_once('=').map_or("", |(_, value)| value);
        !is_named(pair, &VIEWS) && (value.len() >= 6 || value.bytes().any(|b| b.is_ascii_digit()))
    };
    if query.iter().any(|pair| identifies(&pair)) {
        return true;
    }
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let Some((last, folders)) = segments.split_last() else { return false };
    let folder = folders.last().copied().unwrap_or_default().to_ascii_lowercase();
    let digits = |segment: &str| segment.bytes().filter(u8::is_ascii_digit).count();
    let is_release = folder == "tag" && folders.contains(&"releases");
    let parts: Vec<&str> =
        last.split(['-', '_', '.', '+']).filter(|part| !part.is_empty()).collect();
    let moving = parts.iter().any(|part| MOVING.contains(&part.to_ascii_lowercase().as_str()));
    let news = folder == "news" && (parts.len() >= 3 || digits(last) > 0);
    let listed = LISTS.contains(&folder.as_str()) && !is_release && !news;
    if listed || moving && parts.len() < 6 && !is_release {
        return false;
    }
    // A number of two digits may be that of a list page or a year.
    let number = digits(last);
    parts.len() >= 3
        || last.len() >= 20
        || number >= 3 && last.len() > 4
        || is_release
        || number > 0 && parts.len() >= 2
        || folders.iter().any(|f| digits(f) >= 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_one_page_have_equal_addresses() {
        let same = [
            (
                "https://www.city.example/2026/bridge/?utm_source=rss",
                "http://city.example/2026/bridge",
            ),
            ("https://city.example/a-b-c.html?ref=hn", "https://m.city.example/a-b-c"),
            ("https://city.example/a-b-c/amp/", "https://amp.city.example/a-b-c"),
            (
                "https://go.example/redirect?url=https%3A%2F%2Fcity.example%2Fx-1",
                "https://city.example/x-1",
            ),
            (
                "https://city.example/s?b=2&a=1234567",
                "https://city.example/s?a=1234567&b=2&source=x",
            ),
            ("https://city.example/x-1/#comments", "https://city.example/x-1"),
        ];
        for (a, b) in same {
            assert_eq!(address(a).unwrap(), address(b).unwrap(), "{a}");
        }
        let different = [
            ("https://city.example/x-1", "https://city.example/x-2"),
            ("https://a.example/x-1", "https://b.example/x-1"),
            ("https://city.example/log#v1", "https://city.example/log#v2"),
            ("https://city.example/x-1", "https://city.example/x-1#comment-17"),
            ("https://city.example/share?u=https://a.example/x", "https://a.example/x"),
        ];
        for (a, b) in different {
            assert_ne!(address(a).unwrap(), address(b).unwrap(), "{a}");
        }
    }

    #[test]
    fn sections_belong_to_their_page_but_comments_do_not() {
        let is_same = |a: &str, b: &str| {
            let at = |place: &str| address(&format!("https://city.example/x-1{place}")).unwrap();
            at(a).is_same(at(b)) && at(b).is_same(at(a))
        };
        assert!(is_same("", "#how-to") && is_same("#v1", "#v1") && is_same("", "#comments"));
        assert!(!is_same("", "#comment-17") && !is_same("#a", "#b") && !is_same("#v1", "#v2"));
    }

    #[test]
    fn addresses_of_articles_are_specific() {
        for url in [
            "https://city.example/2026/11/bridge",
            "https://city.example/bridge-reopens-today-at-noon-with-ceremony",
            "https://city.example/night-buses-return",
            "https://city.example/news/night-buses-return",
            "https://city.example/?p=412",
            "https://city.example/item?id=99",
            "https://video.example/watch?v=dQw4w9WgXcQ",
            "https://code.example/a/b/releases/tag/v1.2",
            "https://city.example/a/4711234",
        ] {
            assert!(address(url).unwrap().specific, "{url}");
        }
        for url in [
            "https://city.example/news",
            "https://city.example/blog/",
            "https://city.example/category/night-buses-and-trains",
            "https://city.example/page/2",
            "https://city.example/blog?page=2",
            "https://city.example/middle-east",
            "https://city.example/live",
            "https://city.example/storm-live-updates",
            "https://code.example/a/b/releases",
            "https://city.example/2026",
        ] {
            assert!(!address(url).unwrap().specific, "{url}");
        }
        for url in
            ["https://city.example/", "https://www.city.example/?utm_source=x", "mailto:x@y", ""]
        {
            assert_eq!(address(url), None, "{url}");
        }
    }
}
