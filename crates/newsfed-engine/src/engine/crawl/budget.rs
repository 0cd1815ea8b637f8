//! The limits of a crawl, in the notation of users.

use super::{CrawlEnd, CrawlProgress};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The default budget of a crawl.
pub const DEFAULT_BUDGET: &str = "1000req";

/// Byte units, the largest first.
const UNITS: [(&str, u64); 3] = [("g", 1_000_000_000), ("m", 1_000_000), ("k", 1_000)];

/// The limits of a crawl.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CrawlBudget {
    /// Total number of requests of the crawl, including those before an interruption.
    pub requests: Option<u64>,
    /// Total number of bytes received; a response that would exceed this limit is dropped and ends the crawl.
    pub bytes: Option<u64>,
    /// Time limit of this run.
    pub time: Option<Duration>,
    /// Maximum number of links taken from a page, or from sitemaps.
    pub page_links: Option<usize>,
    /// Maximum total number of links of the crawl. Resuming the crawl can raise it, but not lower it.
    pub links: Option<usize>,
}

/// A text that is not a budget.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not a budget; examples are 500req, 50MB and 10m")]
pub struct NoBudget(String);

impl CrawlBudget {
    /// Whether the limit of requests or bytes has been reached.
    pub(super) fn used_up(&self, requests: u64, bytes: u64) -> Option<CrawlEnd> {
        let over = |used: u64, limit: Option<u64>| limit.is_some_and(|limit| used >= limit);
        if over(requests, self.requests) {
            return Some(CrawlEnd::Requests);
        }
        over(bytes, self.bytes).then_some(CrawlEnd::Bytes)
    }

    /// The budget for resuming a crawl from its current state: a limit that has been reached is doubled.
    pub fn for_resuming(&self, now: &CrawlProgress) -> Self {
        let enough = |used: u64, limit: u64| {
            if used < limit { limit } else { used.saturating_mul(2).max(limit) }
        };
        let default = DEFAULT_BUDGET.parse().unwrap_or_else(|_| Self::default());
        let is_empty = (self.requests, self.bytes, self.time) == (None, None, None);
        let base = if is_empty { &default } else { self };
        Self {
            requests: base.requests.map(|limit| enough(now.requests, limit)),
            bytes: base.bytes.map(|limit| enough(now.bytes, limit)),
            ..*base
        }
    }
}

impl FromStr for CrawlBudget {
    type Err = NoBudget;

    /// Parses `500req`, `50MB` and `10m`, separated by commas.
    fn from_str(text: &str) -> Result<Self, NoBudget> {
        let mut budget = Self::default();
        for part in text.split(',').map(str::trim) {
            let wrong = || NoBudget(crate::util::text::line(part));
            let lower = part.to_ascii_lowercase();
            if let Some(number) = lower.strip_suffix("req") {
                budget.requests = Some(number.trim().parse().map_err(|_| wrong())?);
            } else if let Some(number) = lower.strip_suffix('b') {
                let unit = UNITS.iter().find_map(|(s, u)| Some((number.strip_suffix(s)?, *u)));
                let (number, unit) = unit.unwrap_or((number, 1));
                let number: u64 = number.trim().parse().map_err(|_| wrong())?;
                budget.bytes = Some(number.checked_mul(unit).ok_or_else(wrong)?);
            } else {
                let time = humantime::parse_duration(&lower).map_err(|_| wrong())?;
                budget.time = Some(time).filter(|t| !t.is_zero());
                budget.time.ok_or_else(wrong)?;
            }
        }
        Ok(budget)
    }
}

impl fmt::Display for CrawlBudget {
    /// Formats the limits of requests, bytes and time as [`FromStr`] parses them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = |bytes: u64| {
            let unit = UNITS.iter().find(|(_, unit)| bytes >= *unit && bytes.is_multiple_of(*unit));
            let (name, unit) = unit.map_or(("", 1), |(name, unit)| (*name, *unit));
            format!("{}{}B", bytes / unit, name.to_ascii_uppercase())
        };
        let time = |time| humantime::format_duration(time).to_string();
        let parts = [
            self.requests.map(|requests| format!("{requests}req")),
            self.bytes.map(bytes),
            self.time.map(time),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn parses_or_rejects_budgets() {
        let read = |text: &str| text.parse().map(|b: CrawlBudget| (b.requests, b.bytes, b.time));
        let cases = [
            ("500req", "500req", (Some(500), None, None)),
            ("50MB", "50MB", (None, Some(50_000_000), None)),
            ("7 kb, 1h", "7KB,1h", (None, Some(7_000), Some(HOUR))),
            ("1req,60m,2B", "1req,2B,1h", (Some(1), Some(2), Some(HOUR))),
        ];
        for (text, shown, want) in cases {
            assert_eq!(read(text), Ok(want), "{text}");
            assert_eq!(text.parse::<CrawlBudget>().unwrap().to_string(), shown);
            assert_eq!(read(shown), Ok(want), "{shown}");
        }
        for text in ["", "x", "5", "-1req", "1.5MB", "0s", "99999999999GB", "req"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn doubles_reached_limits_for_resuming() {
        let next = |budget: &str, requests, bytes| {
            let now = CrawlProgress { requests, bytes, ..CrawlProgress::default() };
            let budget = budget.parse().unwrap_or_else(|_| CrawlBudget::default());
            budget.for_resuming(&now).to_string()
        };
        for (budget, requests, bytes, want) in [
            ("500req", 20, 7, "500req"),
            ("500req", 500, 7, "1000req"),
            ("500req,5MB,10m", 20, 6_000_000, "500req,12MB,10m"),
            ("", 20, 7, "1000req"),
            ("", 3_000, 7, "6000req"),
        ] {
            assert_eq!(next(budget, requests, bytes), want, "{budget}");
        }
    }
}
