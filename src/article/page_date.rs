//! When a page was published and modified: machine-readable metadata first, then visible text.

use super::blocks::Page;
use super::head::Head;
use crate::util::date;
use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, NaiveTime};
use scraper::ElementRef;
use serde_json::Value;
use url::Url;

/// A time as given by a page, with its own zone if it has one.
pub type PageTime = DateTime<FixedOffset>;

/// Plausible years of publication.
const YEARS: std::ops::RangeInclusive<i32> = 1990..=2100;
/// How many blocks around the heading are searched for a date.
const AROUND: usize = 12;
/// Maximum length of a line that is little more than a date, in words.
const DATE_LINE: usize = 12;
/// Maximum length of a block that is searched for a date, in words.
const MOST_WORDS: usize = 60;

/// Property names for the publication date, most reliable first.
const PUBLISHED: [&str; 27] = [
    "article:published_time",
    "datepublished",
    "og:published_time",
    "og:article:published_time",
    "article:published",
    "parsely-pub-date",
    "sailthru.date",
    "article.published",
    "published-date",
    "publishdate",
    "publish-date",
    "publish_date",
    "published_time",
    "published_date",
    "pubdate",
    "cxenseparse:recs:publishtime",
    "dc.date.issued",
    "dcterms.created",
    "dc.date.created",
    "dcterms.date",
    "dc.date",
    "citation_publication_date",
    "citation_date",
    "rbpubdate",
    "bt:pubdate",
    "date_published",
    "date",
];

const MODIFIED: [&str; 8] = [
    "article:modified_time",
    "datemodified",
    "og:updated_time",
    "dcterms.modified",
    "dc.date.modified",
    "last-modified",
    "revised",
    "lastmod",
];

/// Dates of publication and last modification.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Dates {
    pub(super) published: Option<PageTime>,
    pub(super) modified: Option<PageTime>,
}

/// The dates of a page. `first` is the first block of its article.
pub(super) fn dates(head: &Head<'_>, page: &Page<'_>, url: Option<&Url>, taken: &[bool]) -> Dates {
    let day_first = is_day_first(head.language);
    let in_objects = |name: &str| {
        head.articles().find_map(|o| o.get(name).and_then(Value::as_str).and_then(stated))
    };
    let named = |names: &[&str]| names.iter().find_map(|n| head.all(n).find_map(stated));
    let property = |wanted: &str| {
        let mut found = head.properties.iter().filter(|(n, _)| n.eq_ignore_ascii_case(wanted));
        found.find_map(|(_, e)| of_element(*e, day_first))
    };
    let modified = in_objects("dateModified")
        .or_else(|| named(&MODIFIED))
        .or_else(|| property("dateModified"));
    let published = in_objects("datePublished")
        .or_else(|| named(&PUBLISHED))
        .or_else(|| property("datePublished"))
        .or_else(|| of_times(head, day_first))
        .or_else(|| in_objects("dateCreated"))
        .or_else(|| in_objects("uploadDate"))
        .or_else(|| url.and_then(of_url))
        .or_else(|| {
            let canonical = head.canonical.and_then(|c| Url::parse(c).ok());
            canonical.as_ref().and_then(of_url)
        })
        .or_else(|| shown(page, taken, day_first));
    Dates { published: published.map(|p| in_own_zone(p, head)), modified }
}

/// The same instant in the publisher's time zone, if another element of the page gives it: a time in
/// UTC may fall on another day.
fn in_own_zone(time: PageTime, head: &Head<'_>) -> PageTime {
    if time.offset().local_minus_utc() != 0 {
        return time;
    }
    let others = head.times.iter().filter_map(|e| e.attr("datetime").and_then(stated));
    let mut others = others.filter(|t| *t == time && t.offset().local_minus_utc() != 0);
    others.next().unwrap_or(time)
}

/// A machine-readable date, or any other form that feeds use.
fn stated(text: &str) -> Option<PageTime> {
    let text = text.trim();
    let time = DateTime::parse_from_rfc3339(text)
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f%z"))
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M%z"))
        .or_else(|_| DateTime::parse_from_rfc2822(text))
        .ok()
        .or_else(|| {
            // A year or month alone is not a date.
            let enough = text.chars().filter(char::is_ascii_digit).count() >= 5;
            enough.then(|| date::parse(text)).flatten().map(|t| t.fixed_offset())
        });
    time.filter(|t| YEARS.contains(&t.year()))
}

fn of_element(element: ElementRef<'_>, day_first: bool) -> Option<PageTime> {
    let attributes = ["datetime", "content", "title"];
    let text = || element.text().take(20).collect::<String>();
    attributes
        .iter()
        .find_map(|a| element.attr(a).and_then(stated))
        .or_else(|| in_text(&text(), day_first))
}

/// The `time` element that most likely gives the publication date: one that is marked as such, else
/// the first outside comments and lists of other articles.
fn of_times(head: &Head<'_>, day_first: bool) -> Option<PageTime> {
    let around = |e: &ElementRef<'_>| {
        let mut words = String::new();
        for element in std::iter::successors(Some(*e), |e| e.parent().and_then(ElementRef::wrap)) {
            for name in ["class", "id", "itemprop"] {
                words.push_str(element.attr(name).unwrap_or_default());
                words.push(' ');
            }
            if words.len() > 400 || matches!(element.value().name(), "body" | "article" | "main") {
                break;
            }
        }
        words.to_ascii_lowercase()
    };
    let mut best: Option<(i32, PageTime)> = None;
    for element in &head.times {
        let Some(time) = of_element(*element, day_first) else { continue };
        let words = around(element);
        let has = |list: &[&str]| list.iter().any(|w| words.contains(w));
        let mut score = 0;
        score += if element.attr("pubdate").is_some() { 4 } else { 0 };
        score += if has(&["publish", "entry-date", "post-date", "article-date", "dateline"]) {
            2
        } else {
            0
        };
        score -= if has(&["updat", "modif"]) { 2 } else { 0 };
        score -= if has(&["comment", "related", "sidebar", "widget", "recent", "teaser", "footer"])
        {
            4
        } else {
            0
        };
        if score > -2 && best.is_none_or(|b| score > b.0) {
            best = Some((score, time));
        }
    }
    best.map(|b| b.1)
}

/// A date in a URL: `/2024/03/11/`, `/2024-03-11-`, `/20240311/`.
fn of_url(url: &Url) -> Option<PageTime> {
    let path = url.path();
    let bytes = path.as_bytes();
    for at in 0..bytes.len() {
        let boundary = at == 0 || !bytes[at - 1].is_ascii_digit();
        if !boundary || !bytes[at].is_ascii_digit() {
            continue;
        }
        let rest = &path[at..];
        let digits = |s: &str| s.bytes().take_while(u8::is_ascii_digit).count();
        let year_length = digits(rest);
        let found = if year_length == 8 {
            day(&rest[..4], &rest[4..6], &rest[6..8])
        } else if year_length == 4 {
            let separator = rest.as_bytes().get(4).filter(|b| b"/-_".contains(b));
            separator.and_then(|separator| {
                let rest = &rest[5..];
                let (month, after) = rest.split_at(digits(rest));
                let after = after.strip_prefix(char::from(*separator))?;
                day(&path[at..at + 4], month, &after[..digits(after)])
            })
        } else {
            None
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

fn day(year: &str, month: &str, day: &str) -> Option<PageTime> {
    if month.is_empty() || month.len() > 2 || day.is_empty() || day.len() > 2 {
        return None;
    }
    midnight(NaiveDate::from_ymd_opt(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)?)
}

fn midnight(date: NaiveDate) -> Option<PageTime> {
    let time = date.and_time(NaiveTime::MIN).and_utc().fixed_offset();
    YEARS.contains(&time.year()).then_some(time)
}

/// A visible date: near the heading or the start of the article, else at its end.
fn shown(page: &Page<'_>, taken: &[bool], day_first: bool) -> Option<PageTime> {
    let count = page.blocks.len();
    let heading = (0..count).find(|at| page.elements[page.blocks[*at].element].name() == "h1");
    let first = taken.iter().position(|t| *t);
    let last = taken.iter().rposition(|t| *t);
    let mut order: Vec<usize> = Vec::new();
    for (centre, before) in [(heading, 3), (first, AROUND)] {
        if let Some(at) = centre {
            order.extend(at..(at + AROUND).min(count));
            order.extend((at.saturating_sub(before)..at).rev());
        }
    }
    if let Some(at) = last {
        order.extend(at..(at + AROUND / 2).min(count));
    }
    let mut late = None;
    for at in order {
        let text = page.text(at);
        if page.blocks[at].words > MOST_WORDS || text.contains('©') {
            continue;
        }
        let inside = taken[at] && page.blocks[at].words > 15;
        if inside {
            continue;
        }
        if let Some(time) = in_text(text, day_first) {
            let lower = text.to_lowercase();
            let changed = ["updated", "modified", "aktualisiert", "mis à jour", "actualizado"];
            if changed.iter().any(|w| lower.contains(w)) {
                late = late.or(Some(time));
            } else {
                return Some(time);
            }
        }
    }
    late
}

/// Whether a language writes the day before the month in numeric dates.
fn is_day_first(language: Option<&str>) -> bool {
    let language = language.unwrap_or("en-us").to_ascii_lowercase();
    !(language == "en" || language.starts_with("en-us") || language.starts_with("en_us"))
}

/// A date in a short text, possibly among other words.
pub(super) fn in_text(text: &str, day_first: bool) -> Option<PageTime> {
    let words: Vec<&str> = text.split_whitespace().take(80).collect();
    for (at, word) in words.iter().enumerate() {
        if !word.bytes().any(|b| b.is_ascii_digit()) {
            continue;
        }
        if let Some(found) = numeric(word, day_first).or_else(|| cjk(&words[at..])) {
            return Some(found);
        }
        if !contains_year(word) {
            continue;
        }
        for length in [3, 4, 5] {
            let window = |from: usize| {
                let part = words.get(from..from + length)?.join(" ");
                let part = part.trim_matches(|c: char| !c.is_alphanumeric());
                let letters = part.chars().any(char::is_alphabetic);
                letters.then(|| date::parse(part)).flatten().map(|t| t.fixed_offset())
            };
            let behind = (at + 1).checked_sub(length).and_then(window);
            if let Some(found) = behind.or_else(|| window(at)) {
                return midnight(found.date_naive());
            }
        }
    }
    None
}

/// Whether a text is short, not a sentence, and contains a date.
pub(super) fn is_date_line(text: &str) -> bool {
    let sentence = text.trim_end().ends_with(['.', '!', '?', ':', '。']);
    text.len() < 100
        && !sentence
        && super::words::count(text) <= DATE_LINE
        && in_text(text, true).is_some()
}

fn contains_year(word: &str) -> bool {
    let digits = word.trim_matches(|c: char| !c.is_ascii_digit());
    digits.len() == 4 && digits.parse().is_ok_and(|year: i32| YEARS.contains(&year))
}

/// `11/03/2024`, `11.3.2024`, `2024-03-11`, `2024.03.11`, `2024-03-11T…`.
fn numeric(word: &str, day_first: bool) -> Option<PageTime> {
    let word = word.trim_matches(|c: char| !c.is_ascii_digit());
    let word = word.split('T').next()?;
    let separator = word.chars().find(|c| !c.is_ascii_digit())?;
    if !matches!(separator, '/' | '.' | '-') {
        return None;
    }
    let parts: Vec<&str> = word.split(separator).collect();
    let [a, b, c] = parts.as_slice() else { return None };
    if a.len() == 4 {
        return day(a, b, c);
    }
    if c.len() != 4 {
        return None;
    }
    let swapped = day(c, b, a);
    let plain = day(c, a, b);
    if separator == '.' || day_first { swapped.or(plain) } else { plain.or(swapped) }
}

/// `2024年3月11日`, `2024년 3월 11일`.
fn cjk(words: &[&str]) -> Option<PageTime> {
    if !words.first()?.contains(['年', '년']) {
        return None;
    }
    let text = words[..words.len().min(3)].concat();
    let (year, rest) = text.split_once(['年', '년'])?;
    let (month, rest) = rest.split_once(['月', '월'])?;
    let (number, _) = rest.split_once(['日', '일'])?;
    let year = year.trim_start_matches(|c: char| !c.is_ascii_digit());
    day(year, month, number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_dates_among_other_words() {
        let cases = [
            ("Posted on March 11, 2024 by Ann", false, "2024-03-11"),
            ("Am 11. März 2024 um 12 Uhr", true, "2024-03-11"),
            ("11 de marzo de 2024", true, "2024-03-11"),
            ("Le 11/03/2024", true, "2024-03-11"),
            ("03/11/2024 4:15 PM", false, "2024-03-11"),
            ("Stand: 11.3.2024", false, "2024-03-11"),
            ("2024-03-11T04:15:00Z", false, "2024-03-11"),
            ("发布于 2024年3月11日", true, "2024-03-11"),
            ("2024년 3월 11일", true, "2024-03-11"),
            ("version 2024 of the thing", false, "none"),
            ("1,234 comments", false, "none"),
        ];
        for (text, day_first, want) in cases {
            let found = in_text(text, day_first).map(|t| t.format("%F").to_string());
            assert_eq!(found.as_deref().unwrap_or("none"), want, "{text}");
        }
    }

    #[test]
    fn prefers_the_most_reliable_publication_date() {
        let meta = "<meta property='article:published_time' content='2024-03-02T03:00:00Z'>";
        let cases = [
            (meta.to_owned(), "2024-03-02T03:00:00+00:00"),
            // The same instant, which is a day earlier in the publisher's zone.
            (format!("{meta}<time datetime='2024-03-01T19:00:00-08:00'>x</time>"), "2024-03-01T19:00:00-08:00"),
            (format!("{meta}<time datetime='2024-03-05T19:00:00-08:00'>x</time>"), "2024-03-02T03:00:00+00:00"),
            ("<meta property='article:modified_time' content='2024-03-02'>".to_owned(), "none"),
            ("<div class=comment><time datetime=2024-01-09>x</time></div><p class=entry-date><time datetime=2024-01-02>x</time>".to_owned(), "2024-01-02T00:00:00+00:00"),
            ("<h1>A title</h1><p>Last updated June 3, 2024</p><p>By Ann on May 2, 2024</p>".to_owned(), "2024-05-02T00:00:00+00:00"),
            ("<h1>A title</h1><p>© 2024 May 2, 2024".to_owned(), "none"),
        ];
        for (markup, want) in cases {
            let tree = crate::util::html::tree::page(&markup).unwrap();
            let page = Page::read(&tree);
            let found = dates(&Head::read(&tree), &page, None, &vec![false; page.blocks.len()]);
            let found = found.published.map(|t| t.to_rfc3339());
            assert_eq!(found.as_deref().unwrap_or("none"), want, "{markup}");
        }
    }

    #[test]
    fn dates_in_addresses() {
        let cases = [
            ("https://example.org/2024/03/11/x", "2024-03-11"),
            ("https://example.org/2024/3/1/x", "2024-03-01"),
            ("https://example.org/news-2024-03-11-x", "2024-03-11"),
            ("https://example.org/20240311/x", "2024-03-11"),
            ("https://example.org/2024/03/x", "none"),
            ("https://example.org/99202403/11", "none"),
        ];
        for (address, want) in cases {
            let found = of_url(&Url::parse(address).unwrap()).map(|t| t.format("%F").to_string());
            assert_eq!(found.as_deref().unwrap_or("none"), want, "{address}");
        }
    }
}
