//! Decides when to visit a page again: signals are checked starting with the cheapest, and the first
//! conclusive one decides. Every result names the signal that decided.

use super::page::{Page, own};
use crate::model::{DecidingSignal, PageHints, Signal, Time};
use crate::util::date;
use scraper::Selector;
use std::sync::LazyLock;
use std::time::Duration;
use url::Url;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// Freshness information in the headers of a response.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HeaderFacts {
    /// Remaining time of `max-age` or `Expires`, after subtracting `Age`.
    pub fresh_for: Option<Duration>,
    /// Whether the response has `no-cache`: the page is dynamic.
    pub no_cache: bool,
    /// `no-store`: highly dynamic.
    pub no_store: bool,
}

/// Everything known about a page, cheapest first. Unknown values are `None`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Evidence {
    /// Headers of the last response.
    pub headers: Option<HeaderFacts>,
    /// Hints from the sitemap, the list and the page.
    pub hints: PageHints,
    /// The learned interval, for pages without other signals.
    pub interval: Option<Duration>,
}

/// When to visit a page again, relative to `now`; for new and for known URLs. The schedule applies its limits
/// afterwards.
pub fn next_visit(url: &Url, evidence: &Evidence, now: Time) -> DecidingSignal {
    let signal = |after: Duration, name, why: &str| DecidingSignal {
        after: after.as_secs(),
        name,
        why: why.to_owned(),
    };
    let headers = evidence.headers.unwrap_or_default();
    let dynamic = headers.no_cache || headers.no_store;
    if let Some(fresh) = headers.fresh_for.filter(|f| !f.is_zero() && !dynamic) {
        return signal(fresh, Signal::Headers, "the server states how long the page stays fresh");
    }
    let hints = evidence.hints;
    if let Some(often) = hints.changes {
        return signal(often, Signal::Sitemap, "the sitemap states how often pages change");
    }
    if let Some(at) = hints.listed {
        return signal(
            by_age(at, now),
            Signal::Listed,
            "a tenth of the time since the newest date in the list",
        );
    }
    if let Some(at) = hints.modified.or(hints.published) {
        return signal(
            by_age(at, now),
            Signal::Metadata,
            "a tenth of the time since its last change",
        );
    }
    if let Some((after, why)) = by_address(url, now) {
        return signal(after, Signal::Url, why);
    }
    if let Some(at) = hints.shown {
        return signal(
            by_age(at, now),
            Signal::Body,
            "a tenth of the time since the date on the page",
        );
    }
    match evidence.interval {
        Some(interval) => signal(interval, Signal::History, "as often as it has changed so far"),
        None => signal(DAY, Signal::Nothing, "nothing is known about how often it changes"),
    }
}

/// Whether the page still has the same modification time as at the previous visit. If so, the rest of it is
/// not read.
pub fn unchanged(hints: &PageHints, before: &PageHints) -> bool {
    hints.modified.is_some() && hints.modified == before.modified
}

/// The heuristic of RFC 9111, section 4.2.2: a tenth of the time since the last change.
fn by_age(at: Time, now: Time) -> Duration {
    (now - at).to_std().unwrap_or_default() / 10
}

/// The interval suggested by a URL.
fn by_address(url: &Url, now: Time) -> Option<(Duration, &'static str)> {
    let path = url.path().to_lowercase();
    let mut words = path.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    let all: Vec<&str> = words.by_ref().collect();
    let has = |names: &[&str]| all.iter().any(|w| names.contains(w));
    if has(&["live", "liveblog", "ticker"]) {
        return Some((5 * MINUTE, "its URL indicates a live page"));
    }
    if has(&["archive", "archives"]) || all.windows(2).any(|w| w[0] == "page" && is_number(w[1])) {
        return Some((7 * DAY, "its URL indicates an archive"));
    }
    if path.contains("week-end") || has(&["weekend", "wochenende"]) {
        return Some((DAY, "its URL indicates a weekend edition"));
    }
    let day = date_in_path(&path)?;
    let age = (now - day).to_std().unwrap_or_default();
    let after = if age < 2 * DAY { HOUR } else { 7 * DAY };
    Some((after, "its URL contains a date"))
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit())
}

/// A date in a path: `/2025/10/24/x`, `/2025-10-24-x`.
pub(super) fn date_in_path(path: &str) -> Option<Time> {
    let parts: Vec<&str> = path.split(['/', '-', '_']).collect();
    let day = parts.windows(3).find_map(|w| {
        let shape = w[0].len() == 4 && matches!(w[1].len(), 1 | 2) && matches!(w[2].len(), 1 | 2);
        (shape && w.iter().all(|p| is_number(p))).then(|| w.join("-"))
    })?;
    date::parse(&day)
}

static META: LazyLock<Option<Selector>> = LazyLock::new(|| own("meta[content]"));
static TIME: LazyLock<Option<Selector>> = LazyLock::new(|| own("time[datetime]"));

/// Reads `article:published_time`, `article:modified_time` and similar metadata in `property`,
/// `name` or `itemprop`.
pub fn metadata(page: &Page) -> PageHints {
    const PUBLISHED: [&str; 6] = [
        "article:published_time",
        "datepublished",
        "date",
        "dc.date",
        "dc.date.issued",
        "dcterms.created",
    ];
    const MODIFIED: [&str; 5] = [
        "article:modified_time",
        "og:updated_time",
        "datemodified",
        "last-modified",
        "dcterms.modified",
    ];
    let mut stated = PageHints::default();
    for meta in META.iter().flat_map(|s| page.tree().select(s)) {
        let names = ["property", "name", "itemprop"].into_iter().filter_map(|key| meta.attr(key));
        for name in names.map(str::to_lowercase) {
            let value = || meta.attr("content").and_then(date::parse);
            if PUBLISHED.contains(&name.as_str()) && stated.published.is_none() {
                stated.published = value();
            } else if MODIFIED.contains(&name.as_str()) && stated.modified.is_none() {
                stated.modified = value();
            }
        }
    }
    stated
}

/// All signals from the page itself.
pub fn page_hints(page: &Page) -> PageHints {
    PageHints { shown: body_date(page), ..metadata(page) }
}

/// The first machine-readable date in the body.
fn body_date(page: &Page) -> Option<Time> {
    TIME.iter().flat_map(|s| page.tree().select(s)).find_map(|t| date::parse(t.attr("datetime")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(s: &str) -> Time {
        date::parse(s).unwrap()
    }

    #[test]
    fn uses_the_cheapest_conclusive_signal() {
        let now = at("2025-10-24T12:00:00Z");
        let url = |s: &str| Url::parse("https://example.org/").unwrap().join(s).unwrap();
        let page = |m: &str| super::page_hints(&Page::parse(m, &url("/")).unwrap());
        let meta = page("<meta property=article:modified_time content=2025-10-14T12:00:00Z><p>");
        let body = page("<time datetime='2025-10-20'>octobre 20, 2025</time>");
        let fresh = HeaderFacts { fresh_for: Some(HOUR / 2), ..HeaderFacts::default() };
        let with = |hints| Evidence { hints, ..Evidence::default() };
        let none = Evidence::default();
        let often = PageHints { changes: Some(HOUR), ..meta };
        let listed = PageHints { listed: Some(at("2025-10-24T02:00:00Z")), ..body };
        let cases: [(&str, Evidence, Signal, u64); 11] = [
            ("/a", Evidence { headers: Some(fresh), ..with(meta) }, Signal::Headers, 1800),
            (
                "/a",
                Evidence { headers: Some(HeaderFacts { no_cache: true, ..fresh }), ..none },
                Signal::Nothing,
                86_400,
            ),
            ("/a", with(often), Signal::Sitemap, 3600),
            ("/a", with(listed), Signal::Listed, 3600),
            ("/a", with(meta), Signal::Metadata, 86_400),
            ("/un-week-end/a", none, Signal::Url, 86_400),
            ("/live/a", none, Signal::Url, 300),
            ("/blog/page/3", none, Signal::Url, 604_800),
            ("/2025/10/24/a", with(body), Signal::Url, 3600),
            ("/a", with(body), Signal::Body, 38_880),
            ("/a", Evidence { interval: Some(HOUR), ..none }, Signal::History, 3600),
        ];
        for (path, evidence, signal, seconds) in cases {
            let found = next_visit(&url(path), &evidence, now);
            assert_eq!((found.name, found.after), (signal, seconds), "{path}");
            assert!(!found.why.is_empty());
        }
    }

    #[test]
    fn recognises_an_unchanged_modification_time() {
        let url = Url::parse("https://example.org/").unwrap();
        let page = Page::parse(
            "<meta name=article:modified_time content=2025-10-14T12:00:00Z>\
             <meta property=article:published_time content='2025-10-01'><p>",
            &url,
        )
        .unwrap();
        let now = metadata(&page);
        assert_eq!(now.published, Some(at("2025-10-01")));
        let before = |modified| PageHints { modified, ..PageHints::default() };
        assert!(unchanged(&now, &before(Some(at("2025-10-14T12:00:00Z")))));
        assert!(!unchanged(&now, &before(Some(at("2025-10-13")))));
        assert!(!unchanged(&now, &before(None)));
        let undated = PageHints::default();
        assert!(!unchanged(&undated, &undated), "a page without metadata may have changed");
        let never_modified = PageHints { published: now.published, ..PageHints::default() };
        assert!(!unchanged(&never_modified, &never_modified), "a publication date is not a change");
    }
}
