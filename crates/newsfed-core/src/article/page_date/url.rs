//! Dates in the URL of a page, and in its scripts.

use super::stated::{Reading, candidate};
use super::{Candidate, DateSource, Meaning, PageTime, YEARS, midnight};
use crate::article::head::Head;
use chrono::{DateTime, NaiveDate};
use url::Url;

/// A date in the URL of the page: `/2024/03/11/`, `/2024-03-11-`, `/20240311/`.
pub(super) fn of_url(head: &Head<'_>, url: Option<&Url>) -> Option<Candidate> {
    let canonical = head.canonical.and_then(|c| Url::parse(c).ok());
    let (time, score) =
        url.and_then(day_of_url).or_else(|| canonical.as_ref().and_then(day_of_url))?;
    Some(candidate(Reading::day(time), score, DateSource::Url, "url", Meaning::Published))
}

pub(super) fn day_of_url(url: &Url) -> Option<(PageTime, f32)> {
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
            day(&rest[..4], &rest[4..6], &rest[6..8]).map(|d| (d, 54.0))
        } else if year_length == 4 {
            let separator = rest.as_bytes().get(4).filter(|b| b"/-_".contains(b));
            separator.and_then(|separator| {
                let rest = &rest[5..];
                let (month, after) = rest.split_at(digits(rest));
                let after = after.strip_prefix(char::from(*separator))?;
                let found = day(&path[at..at + 4], month, &after[..digits(after)])?;
                Some((found, if *separator == b'/' { 74.0 } else { 56.0 }))
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

/// Year and month in a URL: `/2024/03/`.
pub(super) fn month_of_url(url: &Url) -> Option<(i32, u32)> {
    let parts: Vec<&str> = url.path().split('/').collect();
    parts.windows(2).find_map(|w| {
        let year: i32 = (w[0].len() == 4).then(|| w[0].parse().ok())??;
        let month: u32 = (w[1].len() <= 2).then(|| w[1].parse().ok())??;
        (YEARS.contains(&year) && (1..=12).contains(&month)).then_some((year, month))
    })
}

fn day(year: &str, month: &str, day: &str) -> Option<PageTime> {
    if month.is_empty() || month.len() > 2 || day.is_empty() || day.len() > 2 {
        return None;
    }
    midnight(NaiveDate::from_ymd_opt(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)?)
}

/// Dates in the data of scripts, under keys that name a publication date: `"publishedAt":"2024-…"`. They are
/// only used as a last resort.
pub(super) fn of_scripts(head: &Head<'_>) -> Vec<Candidate> {
    const NAMES: [&str; 13] = [
        "datePublished",
        "publishedDate",
        "publishDate",
        "publish_date",
        "publishedAt",
        "published_at",
        "publicationDate",
        "firstPublished",
        "datePosted",
        "date_published",
        "first_publication_date",
        "first_published_at",
        "date_posted",
    ];
    let mut found = Vec::new();
    for script in &head.scripts {
        for name in NAMES {
            let mut at = 0;
            while let Some(hit) = memchr::memmem::find(&script.as_bytes()[at..], name.as_bytes()) {
                at += hit + name.len();
                let rest = crate::util::text::start(&script[at..], 60);
                let value = rest.trim_start_matches(['"', '\\', ':', ' ', '\'']);
                let end = value.find(['"', '\\', '\'', ',', '}']).unwrap_or(0);
                let value = value.get(..end).unwrap_or_default();
                let time = value.parse::<DateTime<chrono::FixedOffset>>();
                let time = time.or_else(|_| DateTime::parse_from_str(value, "%Y-%m-%dT%H:%M:%S%z"));
                if let Ok(time) = time {
                    found.push(candidate(
                        Reading::written(time, value),
                        30.0,
                        DateSource::Script,
                        "script",
                        Meaning::Published,
                    ));
                    break;
                }
            }
        }
        if !found.is_empty() {
            break;
        }
    }
    found.truncate(1);
    found
}
