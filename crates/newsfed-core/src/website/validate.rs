//! Checks whether an article may be stored.

use super::article::Article;
use crate::model::{LeftOutReason, Time};
use crate::util::domain::same_site;
use chrono::{DateTime, TimeDelta};
use url::Url;

/// A title with this number of characters or more is too long.
pub const MAX_TITLE: usize = 500;
/// How far in the future a date may be: days begin earlier in eastern time zones.
const AHEAD: TimeDelta = TimeDelta::hours(24);
/// 1990-01-01T00:00:00Z; nothing on the web is older.
const OLDEST: i64 = 631_152_000;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The title has 500 characters or more.
    #[error("its title is {0} characters long")]
    Title(usize),
    /// The article is on another site.
    #[error("it is on another site, {0}")]
    Site(String),
    /// The date is more than a day in the future.
    #[error("its date, {}, is in the future", .0.format("%F"))]
    Future(Time),
    /// The date is before 1990.
    #[error("its date, {}, is before 1990", .0.format("%F"))]
    Old(Time),
}

impl Rejection {
    pub fn reason(&self) -> LeftOutReason {
        match self {
            Self::Title(_) => LeftOutReason::LongTitle,
            Self::Site(_) => LeftOutReason::OtherSite,
            Self::Future(_) => LeftOutReason::FutureDate,
            Self::Old(_) => LeftOutReason::OldDate,
        }
    }
}

/// Checks an article that was fetched at `now`; `source` is the URL of its source.
///
/// # Errors
/// Returns the first problem.
pub fn validate(article: &Article, source: &Url, now: Time) -> Result<(), Rejection> {
    let length = article.title.chars().count();
    if length >= MAX_TITLE {
        return Err(Rejection::Title(length));
    }
    if !same_site(&article.url, source) {
        return Err(Rejection::Site(article.url.host_str().unwrap_or_default().to_owned()));
    }
    match article.published {
        Some(date) if date > now + AHEAD => Err(Rejection::Future(date)),
        Some(date) if date < DateTime::from_timestamp(OLDEST, 0).unwrap_or_default() => {
            Err(Rejection::Old(date))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_invalid_articles() {
        let now = crate::util::date::parse("2024-06-01T12:00:00Z").unwrap();
        let article = |title: String, url: &str, date: &str| Article {
            dated: None,
            zone: crate::util::date::Zone::default(),
            offsets: crate::util::date::Offsets::default(),
            url: Url::parse(url).unwrap(),
            title,
            titled: true,
            summary: String::new(),
            content: String::new(),
            authors: Vec::new(),
            published: crate::util::date::parse(date),
            instead: false,
            updated: None,
        };
        let home = "https://www.example.org/a";
        let cases = [
            ("x".repeat(499), home, "2024-05-01", true),
            ("新".repeat(300), home, "", true),
            ("x".repeat(500), home, "", false),
            ("a".to_owned(), "https://example.org/", "", true),
            ("a".to_owned(), "https://other.example/", "", false),
            ("a".to_owned(), home, "2024-06-02", true),
            ("a".to_owned(), home, "2024-06-03", false),
            ("a".to_owned(), home, "1990-01-01", true),
            ("a".to_owned(), home, "1989-12-31", false),
        ];
        let source = Url::parse("https://www.example.org:8080/news").unwrap();
        for (title, url, date, want) in cases {
            let found = validate(&article(title, url, date), &source, now);
            assert_eq!(found.is_ok(), want, "{url} {date}: {found:?}");
        }
    }
}
