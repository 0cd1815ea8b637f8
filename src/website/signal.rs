//! When a page is worth another visit, by whatever says so: the cheapest signal first, and the
//! first conclusive one decides. Every answer names the signal that decided it.

use super::page::{Page, own};
use crate::model::Time;
use crate::util::date;
use scraper::Selector;
use std::sync::LazyLock;
use std::time::Duration;
use url::Url;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// What the headers of an answer say about its freshness.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HeaderFacts {
    /// Time left of `max-age` or `Expires`, `Age` taken off.
    pub fresh_for: Option<Duration>,
    /// `no-cache`: dynamic.
    pub no_cache: bool,
    /// `no-store`: highly dynamic.
    pub no_store: bool,
}

/// Everything known of a page, cheapest first. What is not known is `None`.
#[derive(Clone, Copy, Default)]
pub struct Evidence<'a> {
    /// Of its last answer.
    pub headers: Option<HeaderFacts>,
    /// How often the sitemap says that it changes.
    pub changefreq: Option<Duration>,
    /// When a sitemap or a feed says that it was changed last.
    pub listed: Option<Time>,
    /// The page itself.
    pub page: Option<&'a Page>,
    /// When it was changed last as of the visit before this one.
    pub modified_before: Option<Time>,
    /// The learned interval, for pages that say nothing.
    pub interval: Option<Duration>,
}

/// What decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// `max-age` or `Expires`.
    Headers,
    /// `changefreq` of the sitemap.
    Sitemap,
    /// The time of change that a sitemap or feed lists.
    Listed,
    /// `article:modified_time` and its kin.
    Metadata,
    /// Words in the address.
    Address,
    /// A `time` element.
    Body,
    /// The history of the page.
    History,
    /// Nothing: a day.
    Nothing,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// Not before this time has gone by, in whole seconds. Bounds are applied by the schedule.
    pub after: Duration,
    /// What decided.
    pub signal: Signal,
    /// In plain words.
    pub reason: String,
    /// Whether the page is known not to have changed since the visit before.
    pub unchanged: bool,
}

/// When to visit a page again, from `now` on; works for new and for known addresses.
pub fn next_visit(url: &Url, evidence: &Evidence<'_>, now: Time) -> Visit {
    let stated = evidence.page.map(metadata).unwrap_or_default();
    let modified = stated.modified.or(stated.published);
    let unchanged = modified.is_some() && modified == evidence.modified_before;
    let visit = |after: Duration, signal, reason: &str| Visit {
        after: Duration::from_secs(after.as_secs()),
        signal,
        reason: reason.to_owned(),
        unchanged,
    };
    let headers = evidence.headers.unwrap_or_default();
    let dynamic = headers.no_cache || headers.no_store;
    if let Some(fresh) = headers.fresh_for.filter(|f| !f.is_zero() && !dynamic) {
        return visit(fresh, Signal::Headers, "the server says how long the page stays fresh");
    }
    if let Some(often) = evidence.changefreq {
        return visit(often, Signal::Sitemap, "the sitemap says how often the page changes");
    }
    if let Some(at) = evidence.listed {
        return visit(
            by_age(at, now),
            Signal::Listed,
            "a tenth of the time since the listed change",
        );
    }
    if let Some(at) = modified {
        return visit(
            by_age(at, now),
            Signal::Metadata,
            "a tenth of the time since its last change",
        );
    }
    if let Some((after, reason)) = by_address(url, now) {
        return visit(after, Signal::Address, reason);
    }
    if let Some(at) = evidence.page.and_then(body_date) {
        return visit(by_age(at, now), Signal::Body, "a tenth of the time since the date in it");
    }
    match evidence.interval {
        Some(interval) => visit(interval, Signal::History, "as often as it used to change"),
        None => visit(DAY, Signal::Nothing, "nothing tells how often it changes"),
    }
}

/// The heuristic of RFC 9111, section 4.2.2: a tenth of the time since the last change.
fn by_age(at: Time, now: Time) -> Duration {
    (now - at).to_std().unwrap_or_default() / 10
}

/// What an address suggests.
fn by_address(url: &Url, now: Time) -> Option<(Duration, &'static str)> {
    let path = url.path().to_lowercase();
    let mut words = path.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    let all: Vec<&str> = words.by_ref().collect();
    let has = |names: &[&str]| all.iter().any(|w| names.contains(w));
    if has(&["live", "liveblog", "ticker"]) {
        return Some((5 * MINUTE, "its address names a live page"));
    }
    if has(&["archive", "archives"]) || all.windows(2).any(|w| w[0] == "page" && is_number(w[1])) {
        return Some((7 * DAY, "its address names an archive"));
    }
    if path.contains("week-end") || has(&["weekend", "wochenende"]) {
        return Some((DAY, "its address names a weekend page"));
    }
    let day = date_in_path(&path)?;
    let age = (now - day).to_std().unwrap_or_default();
    let after = if age < 2 * DAY { HOUR } else { 7 * DAY };
    Some((after, "its address holds a date"))
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

/// Dates that a page states in its head.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stated {
    /// First publication.
    pub published: Option<Time>,
    /// Last change.
    pub modified: Option<Time>,
}

static META: LazyLock<Option<Selector>> = LazyLock::new(|| own("meta[content]"));
static TIME: LazyLock<Option<Selector>> = LazyLock::new(|| own("time[datetime]"));

/// Reads `article:published_time`, `article:modified_time` and their kin, whether they stand in
/// `property`, `name` or `itemprop`.
pub fn metadata(page: &Page) -> Stated {
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
    let mut stated = Stated::default();
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

/// The first date that the body gives in a machine's form.
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
    fn the_cheapest_conclusive_signal_decides() {
        let now = at("2025-10-24T12:00:00Z");
        let url = |s: &str| Url::parse("https://example.org/").unwrap().join(s).unwrap();
        let page = |m: &str| Page::parse(m, &url("/")).unwrap();
        let meta = page("<meta property=article:modified_time content=2025-10-14T12:00:00Z><p>");
        let body = page("<time datetime='2025-10-20'>octobre 20, 2025</time>");
        let fresh = HeaderFacts { fresh_for: Some(HOUR / 2), ..HeaderFacts::default() };
        let none = Evidence::default();
        let cases: [(&str, Evidence<'_>, Signal, u64); 11] = [
            (
                "/a",
                Evidence { headers: Some(fresh), page: Some(&meta), ..none },
                Signal::Headers,
                1800,
            ),
            (
                "/a",
                Evidence { headers: Some(HeaderFacts { no_cache: true, ..fresh }), ..none },
                Signal::Nothing,
                86_400,
            ),
            (
                "/a",
                Evidence { changefreq: Some(HOUR), page: Some(&meta), ..none },
                Signal::Sitemap,
                3600,
            ),
            (
                "/a",
                Evidence { listed: Some(at("2025-10-24T02:00:00Z")), ..none },
                Signal::Listed,
                3600,
            ),
            ("/a", Evidence { page: Some(&meta), ..none }, Signal::Metadata, 86_400),
            ("/un-week-end/a", none, Signal::Address, 86_400),
            ("/live/a", none, Signal::Address, 300),
            ("/blog/page/3", none, Signal::Address, 604_800),
            ("/2025/10/24/a", Evidence { page: Some(&body), ..none }, Signal::Address, 3600),
            ("/a", Evidence { page: Some(&body), ..none }, Signal::Body, 38_880),
            ("/a", Evidence { interval: Some(HOUR), ..none }, Signal::History, 3600),
        ];
        for (path, evidence, signal, seconds) in cases {
            let visit = next_visit(&url(path), &evidence, now);
            assert_eq!((visit.signal, visit.after.as_secs()), (signal, seconds), "{path}");
            assert!(!visit.reason.is_empty());
        }
    }

    #[test]
    fn an_unchanged_time_of_change_says_so() {
        let url = Url::parse("https://example.org/").unwrap();
        let page = Page::parse(
            "<meta name=article:modified_time content=2025-10-14T12:00:00Z>\
             <meta property=article:published_time content='2025-10-01'><p>",
            &url,
        )
        .unwrap();
        assert_eq!(metadata(&page).published, Some(at("2025-10-01")));
        let visit = |before| {
            let evidence =
                Evidence { page: Some(&page), modified_before: before, ..Evidence::default() };
            next_visit(&url, &evidence, at("2025-10-24")).unchanged
        };
        assert!(visit(Some(at("2025-10-14T12:00:00Z"))));
        assert!(!visit(Some(at("2025-10-13"))));
        assert!(!visit(None));
    }
}
