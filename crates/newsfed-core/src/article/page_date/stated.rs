//! Dates that a page gives for programs: structured data and metadata.

use super::labels::{self, Label};
use super::places::Apart;
use super::{Candidate, DateSource, Meaning, PageTime, YEARS, midnight};
use crate::article::blocks::Page;
use crate::article::head::Head;
use crate::util::date::{self, DateContext, Zone};
use chrono::{DateTime, Datelike, NaiveDate};
use serde_json::Value;
use std::collections::HashMap;
use url::Url;

/// Maximum number of structured-data objects that are searched.
const MAX_OBJECTS: usize = 200;
/// Names of metadata for the publication date, and their scores.
const PUBLISHED: [(&str, f32); 37] = [
    ("article:published_time", 90.0),
    ("og:published_time", 88.0),
    ("og:article:published_time", 88.0),
    ("article:published", 86.0),
    ("article.published", 86.0),
    ("parsely-pub-date", 86.0),
    ("sailthru.date", 80.0),
    ("published-date", 84.0),
    ("published_date", 84.0),
    ("published_time", 84.0),
    ("published", 80.0),
    ("publishdate", 84.0),
    ("publish-date", 84.0),
    ("publish_date", 84.0),
    ("date_published", 84.0),
    ("datepublished", 84.0),
    ("pubdate", 84.0),
    ("rbpubdate", 84.0),
    ("bt:pubdate", 84.0),
    ("cxenseparse:recs:publishtime", 84.0),
    ("cre-date", 70.0),
    ("firstpublished", 84.0),
    ("dc.date.issued", 76.0),
    ("dcterms.issued", 76.0),
    ("dcterms.created", 66.0),
    ("dc.date.created", 66.0),
    ("citation_online_date", 76.0),
    ("citation_publication_date", 70.0),
    ("citation_date", 62.0),
    ("dcterms.date", 46.0),
    ("dc.date", 46.0),
    ("datecreated", 56.0),
    ("createdate", 56.0),
    ("created", 52.0),
    ("date", 46.0),
    ("release_date", 60.0),
    ("releasedate", 60.0),
];

/// Types of structured data whose dates do not belong to the page.
const NOT_PAGES: [&str; 14] = [
    "Object",
    "Comment",
    "Person",
    "Organization",
    "Offer",
    "Event",
    "Book",
    "Movie",
    "Recording",
    "Product",
    "Answer",
    "Claim",
    "Rating",
    "Series",
];

const MODIFIED: [&str; 11] = [
    "article:modified_time",
    "og:updated_time",
    "article:updated_time",
    "datemodified",
    "dateupdate",
    "dcterms.modified",
    "dc.date.modified",
    "last-modified",
    "revised",
    "lastmod",
    "updated",
];

/// A parsed date.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    pub(super) time: PageTime,
    /// The day with month and day swapped, if their order is unknown.
    pub(super) swapped: Option<NaiveDate>,
    pub(super) zone: Zone,
}

impl Reading {
    /// Midnight of a day.
    pub(super) fn day(time: PageTime) -> Self {
        Self { time, swapped: None, zone: Zone::Day }
    }

    /// A time with a zone, such as `2024-05-03T10:00:00+02:00`.
    pub(super) fn written(time: PageTime, text: &str) -> Self {
        let is_name = text.trim_end().ends_with(|c: char| c.is_ascii_alphabetic());
        let offset = time.offset().local_minus_utc();
        let zone = if is_name { Zone::Named } else { Zone::Offset(offset) };
        Self { time, swapped: None, zone }
    }
}

/// Reads a date in a machine-readable or any other form.
pub(super) fn read(text: &str, context: &DateContext) -> Option<Reading> {
    let text = text.trim();
    if text.chars().nth(100).is_some() {
        return None;
    }
    let time = DateTime::parse_from_rfc3339(text)
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f%z"))
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M%z"))
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S %z"))
        .or_else(|_| DateTime::parse_from_rfc2822(text))
        .ok()
        .filter(|t| YEARS.contains(&t.year()));
    // A year or a month without a day is not a date.
    if text.chars().filter(char::is_ascii_digit).count() < 5 && time.is_none() {
        return None;
    }
    // The day is used even if the time after it is invalid.
    let text = match text.split_once('T') {
        Some((day, _)) if time.is_none() && day.len() == 10 && odd(text) => day,
        _ => text,
    };
    let found = time.map(|t| Reading::written(t, text)).or_else(|| {
        let plain = !text.contains(['/', '.']) && text.is_ascii()
            || text.starts_with("19")
            || text.starts_with("20");
        let iso = plain && text.get(..4).is_some_and(|y| y.bytes().all(|b| b.is_ascii_digit()));
        let parsed = || {
            let (time, zone) = date::parse_with_zone(text)?;
            let time = time.fixed_offset();
            YEARS.contains(&time.year()).then_some(Reading { time, swapped: None, zone })
        };
        let scanned = || {
            // Relative dates are not read, because this text is for programs.
            let context = DateContext { now: None, ..*context };
            let found = date::scan(text, &context).dates.into_iter().next()?;
            of_found(&found)
        };
        if iso { parsed().or_else(scanned) } else { scanned().or_else(|| plain.then(parsed)?) }
    });
    found.filter(|read| YEARS.contains(&read.time.year()))
}

fn odd(text: &str) -> bool {
    date::parse(text).is_none_or(|t| !YEARS.contains(&t.year()))
}

/// A date in text.
pub(super) fn of_found(found: &date::FoundDate) -> Option<Reading> {
    Some(Reading { time: time_of(found)?, swapped: found.swapped, zone: found.shows() })
}

/// The time of a date in text; midnight in UTC if only the day is known.
pub(super) fn time_of(found: &date::FoundDate) -> Option<PageTime> {
    let Some(time) = found.time else { return midnight(found.day) };
    match found.zone {
        Some(zone) => found.day.and_time(time).and_local_timezone(zone).single(),
        None => Some(found.day.and_time(time).and_utc().fixed_offset()),
    }
}

pub(super) fn candidate(
    read: Reading,
    score: f32,
    from: DateSource,
    family: &'static str,
    meaning: Meaning,
) -> Candidate {
    Candidate {
        time: read.time,
        swapped: read.swapped,
        zone: read.zone,
        short: false,
        score,
        from,
        family,
        meaning,
        beside: Apart::No,
        built: false,
        labelled: false,
    }
}

/// Reads the dates in structured data and metadata.
pub(super) fn of_head(
    head: &Head<'_>,
    page: &Page<'_>,
    url: Option<&Url>,
    context: &DateContext,
) -> Vec<Candidate> {
    let mut found = Vec::new();
    of_objects(head, page, url, context, &mut found);
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let marked = |name: &str| head.properties.iter().any(|(n, _)| n.eq_ignore_ascii_case(name));
    for (name, content) in &head.metas {
        let named = PUBLISHED.iter().find(|(n, _)| n == name).map(|n| n.1);
        let published = named.or_else(|| {
            let like = name.contains("publish") || name.contains("pubdate");
            let not = ["publisher", "modif", "update", "expir", "last", "un"];
            (like && !not.iter().any(|n| name.contains(n))).then_some(66.0)
        });
        let modified = MODIFIED.contains(&name.as_str());
        if published.is_none() && !modified {
            continue;
        }
        // A property in the body is read together with its surroundings.
        if matches!(name.as_str(), "datepublished" | "datemodified" | "datecreated") && marked(name)
        {
            continue;
        }
        let Some(read) = read(content, context) else { continue };
        if modified {
            found.push(candidate(read, 60.0, DateSource::Metadata, "modified", Meaning::Modified));
        } else if let Some(score) = published {
            let repeated = seen.entry(name.as_str()).or_default();
            let score = if *repeated > 0 { score - 40.0 } else { score };
            *repeated += 1;
            let family = if score < 60.0 { "meta date" } else { "meta" };
            found.push(candidate(read, score, DateSource::Metadata, family, Meaning::Published));
        }
    }
    for name in ["og:description", "description", "og:title"] {
        let text = head.first(&[name]).unwrap_or_default();
        let scan = date::scan(text, &DateContext { now: None, ..*context });
        if let [only] = scan.dates.as_slice()
            && !only.range
            && let Some(time) = midnight(only.day)
        {
            let label = labels::of(&scan.text[..only.at.start], &scan.text[only.at.end..]);
            if label.is_none_or(|l| l == Label::Published) {
                let read = Reading { swapped: only.swapped, ..Reading::day(time) };
                found.push(candidate(
                    read,
                    16.0,
                    DateSource::Metadata,
                    "meta text",
                    Meaning::Published,
                ));
            }
        }
    }
    found
}

fn of_objects(
    head: &Head<'_>,
    page: &Page<'_>,
    url: Option<&Url>,
    context: &DateContext,
    found: &mut Vec<Candidate>,
) {
    let canonical = head.canonical.and_then(|c| crate::util::url::absolute(url, c));
    let paths: Vec<&str> = [url, canonical.as_ref()].into_iter().flatten().map(path).collect();
    let title = plain(&head.title);
    let heading = (0..page.blocks.len())
        .find(|at| page.elements[page.blocks[*at].element].name() == "h1")
        .map(|at| plain(page.text(at)))
        .unwrap_or_default();
    let articles: Vec<&Value> = head.articles().take(MAX_OBJECTS).collect();
    let others = head.objects.iter().take(MAX_OBJECTS).filter(|o| {
        let kind = o.get("@type").and_then(Value::as_str).unwrap_or_default();
        !kind.is_empty()
            && !NOT_PAGES.iter().any(|n| kind.ends_with(n))
            && !articles.iter().any(|a| std::ptr::eq(*a, *o))
    });
    let objects: Vec<&Value> = articles
        .iter()
        .copied()
        .chain(others)
        .filter(|o| {
            o.get("datePublished").is_some()
                || o.get("dateCreated").is_some()
                || o.get("uploadDate").is_some()
                || o.get("dateModified").is_some()
        })
        .take(30)
        .collect();
    for (at, object) in objects.iter().enumerate() {
        let own = own_url(object).and_then(|u| crate::util::url::absolute(url, &u));
        let same_url = own.as_ref().map(|u| paths.contains(&path(u)));
        let headline = object.get("headline").or_else(|| object.get("name"));
        let headline = plain(headline.and_then(Value::as_str).unwrap_or_default());
        let same_title = headline.chars().count() > 8
            && (title.contains(&headline)
                || heading.contains(&headline)
                || heading.chars().count() > 8 && headline.contains(&heading));
        let page_only = object.get("@type").and_then(Value::as_str).is_some_and(|t| {
            !t.contains("Article") && !t.contains("Post") && !t.contains("Report")
        });
        let base = match (same_url, same_title) {
            (Some(true), _) | (_, true) => 100.0,
            (Some(false), false) if objects.len() > 1 => 30.0,
            _ if at == 0 => 94.0,
            _ => 50.0,
        } - if page_only { 14.0 } else { 0.0 };
        let date = |name: &str| {
            let value = object.get(name)?;
            let text = value.as_str().or_else(|| value.get("@value")?.as_str())?;
            read(text, context)
        };
        let modified = date("dateModified");
        if let Some(read) = modified {
            found.push(candidate(
                read,
                base,
                DateSource::StructuredData,
                "modified",
                Meaning::Modified,
            ));
        }
        if let Some(read) = date("datePublished") {
            // Some systems give the time of the last build as the date of both publication and modification,
            // or only as the date of publication, which is then later.
            let built = modified.is_some_and(|m| m.time <= read.time);
            let score = if built { base - 32.0 } else { base };
            let from = DateSource::StructuredData;
            let found_here = candidate(read, score, from, "json-ld", Meaning::Published);
            found.push(Candidate { built, ..found_here });
        } else if let Some(read) = date("dateCreated").or_else(|| date("uploadDate")) {
            found.push(candidate(
                read,
                base - 46.0,
                DateSource::StructuredData,
                "json-ld",
                Meaning::Published,
            ));
        }
    }
}

fn own_url(object: &Value) -> Option<String> {
    let of = |value: &Value| match value {
        Value::String(url) => Some(url.clone()),
        Value::Object(object) => object
            .get("@id")
            .or_else(|| object.get("url"))
            .and_then(Value::as_str)
            .map(str::to_owned),
        _ => None,
    };
    ["mainEntityOfPage", "url", "@id"].iter().find_map(|name| of(object.get(*name)?))
}

fn path(url: &Url) -> &str {
    url.path().trim_end_matches('/')
}

/// Letters and digits in lower case, for comparing titles.
fn plain(text: &str) -> String {
    text.chars().take(300).filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
