//! What the headers of a response state about when to fetch again. Does no I/O; the limits are applied by
//! `schedule::limits`.

use crate::model::Time;
use chrono::DateTime;
use std::time::Duration;

/// Maximum number of seconds taken from a header (RFC 9111, section 1.2.2); larger numbers saturate.
const MAX_SECONDS: u64 = 1 << 31;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Freshness {
    /// Time left of `Cache-Control: max-age` (`s-maxage` if there is no max-age), less `Age`.
    pub max_age: Option<Duration>,
    /// Time left until `Expires`, counted from the server's own `Date`, less `Age`. Zero if it is in the past
    /// or not a date (RFC 9111, section 5.3).
    pub expires: Option<Duration>,
    /// `Cache-Control: no-cache`, or `Pragma: no-cache` if there is no `Cache-Control`.
    pub no_cache: bool,
    /// `Cache-Control: no-store`.
    pub no_store: bool,
    /// `Retry-After` in seconds or as a date, counted from the server's own `Date`. Zero if it is in the
    /// past.
    pub retry_after: Option<Duration>,
}

impl Freshness {
    /// Reads the headers (names in lower case). `now` replaces a missing `Date`.
    pub fn read<'a>(headers: impl Iterator<Item = (&'a str, &'a str)> + Clone, now: Time) -> Self {
        let all = |name: &'static str| {
            headers.clone().filter(move |(n, _)| *n == name).map(|(_, v)| v.trim())
        };
        let cache = CacheControl::read(all("cache-control"));
        let age = all("age").find_map(seconds).unwrap_or(0);
        let left = |lifetime: u64| Duration::from_secs(lifetime.saturating_sub(age));
        let date = all("date").find_map(http_date).unwrap_or(now);
        let until = |at: Time| (at - date).num_seconds().try_into().unwrap_or(0);
        let pragma = || all("pragma").any(|v| v.to_ascii_lowercase().contains("no-cache"));
        Self {
            max_age: cache.max_age.or(cache.s_maxage).map(left),
            expires: all("expires").next().map(|v| left(http_date(v).map_or(0, until))),
            no_cache: cache.no_cache || (!cache.present && pragma()),
            no_store: cache.no_store,
            retry_after: all("retry-after").find_map(|v| {
                let wait = seconds(v).or_else(|| http_date(v).map(until))?;
                Some(Duration::from_secs(wait))
            }),
        }
    }

    /// How long the response stays fresh: zero for `no-cache` and `no-store`, else what is left of max-age,
    /// else of `Expires`; `None` if the headers do not specify it.
    pub fn fresh_for(&self) -> Option<Duration> {
        if self.no_cache || self.no_store {
            return Some(Duration::ZERO);
        }
        self.max_age.or(self.expires)
    }
}

#[derive(Default)]
struct CacheControl {
    present: bool,
    max_age: Option<u64>,
    s_maxage: Option<u64>,
    no_cache: bool,
    no_store: bool,
}

impl CacheControl {
    /// Reads all header lines as one; the longest of several ages counts.
    fn read<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let mut found = Self::default();
        for line in lines {
            found.present = true;
            for directive in split_outside_quotes(line) {
                let (name, value) = match directive.split_once('=') {
                    Some((name, value)) => (name.trim(), Some(value.trim().trim_matches('"'))),
                    None => (directive.trim(), None),
                };
                match (name.to_ascii_lowercase().as_str(), value) {
                    ("max-age", Some(v)) => found.max_age = found.max_age.max(seconds(v)),
                    ("s-maxage", Some(v)) => found.s_maxage = found.s_maxage.max(seconds(v)),
                    // A directive with a value applies only to the header fields that it names.
                    ("no-cache", None) => found.no_cache = true,
                    ("no-store", None) => found.no_store = true,
                    _ => {}
                }
            }
        }
        found
    }
}

/// The parts between commas; commas in quoted strings do not separate.
fn split_outside_quotes(line: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    line.split(move |c| {
        quoted ^= c == '"';
        c == ',' && !quoted
    })
}

/// A number of whole seconds; overflow saturates.
fn seconds(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u64::MAX).min(MAX_SECONDS))
}

/// An HTTP date in any of its three forms, or with a numeric zone.
pub(super) fn http_date(text: &str) -> Option<Time> {
    let text = text.trim();
    if let Ok(time) = httpdate::parse_http_date(text) {
        return Some(time.into());
    }
    DateTime::parse_from_rfc2822(text).ok().map(|t| t.to_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "Thu, 23 Oct 2025 12:00:00 GMT";

    fn read(headers: &[(&str, &str)]) -> Freshness {
        Freshness::read(headers.iter().copied(), http_date(NOW).unwrap())
    }

    #[test]
    fn reads_freshness_from_headers() {
        type Case = (&'static [(&'static str, &'static str)], Option<u64>);
        let cases: &[Case] = &[
            (&[], None),
            (&[("cache-control", "max-age=600")], Some(600)),
            (&[("cache-control", "MAX-AGE = \"600\" , private")], Some(600)),
            (&[("cache-control", "max-age=60"), ("cache-control", "max-age=900")], Some(900)),
            (&[("cache-control", "max-age=60, max-age=90, max-age=x")], Some(90)),
            (&[("cache-control", "max-age=0")], Some(0)),
            (&[("cache-control", "max-age=-5")], None),
            (&[("cache-control", "max-age=abc")], None),
            (&[("cache-control", "s-maxage=70")], Some(70)),
            (&[("cache-control", "s-maxage=70, max-age=50")], Some(50)),
            (&[("cache-control", "max-age=99999999999999999999999")], Some(MAX_SECONDS)),
            (&[("cache-control", "no-cache, max-age=600")], Some(0)),
            (&[("cache-control", "no-store, max-age=600")], Some(0)),
            (&[("cache-control", "no-cache=\"set-cookie, x\", max-age=600")], Some(600)),
            (&[("pragma", "no-cache")], Some(0)),
            (&[("pragma", "no-cache"), ("cache-control", "max-age=5")], Some(5)),
            (&[("cache-control", "max-age=3600"), ("age", "1800")], Some(1800)),
            (&[("cache-control", "max-age=3600"), ("age", "7200")], Some(0)),
            (&[("cache-control", "max-age=60"), ("age", "junk")], Some(60)),
            (&[("expires", "Thu, 23 Oct 2025 13:00:00 GMT")], Some(3600)),
            (&[("expires", "Thursday, 23-Oct-25 13:00:00 GMT")], Some(3600)),
            (&[("expires", "Thu Oct 23 13:00:00 2025")], Some(3600)),
            (&[("expires", "Thu, 23 Oct 2025 15:00:00 +0200")], Some(3600)),
            (&[("expires", "Thu, 23 Oct 2025 11:00:00 GMT")], Some(0)),
            (&[("expires", "0")], Some(0)),
            (&[("expires", "soon")], Some(0)),
            (
                &[
                    ("expires", "Thu, 23 Oct 2025 15:00:00 GMT"),
                    ("date", "Thu, 23 Oct 2025 14:00:00 GMT"),
                ],
                Some(3600),
            ),
            (
                &[("expires", "Thu, 23 Oct 2025 13:00:00 GMT"), ("cache-control", "max-age=5")],
                Some(5),
            ),
        ];
        for (headers, want) in cases {
            assert_eq!(read(headers).fresh_for(), want.map(Duration::from_secs), "{headers:?}");
        }
    }

    #[test]
    fn reads_retry_after_in_seconds_or_as_a_date() {
        let cases = [
            ("120", Some(120)),
            (" 0 ", Some(0)),
            ("999999999999999999999", Some(MAX_SECONDS)),
            ("Thu, 23 Oct 2025 12:10:00 GMT", Some(600)),
            ("Thu, 23 Oct 2025 11:00:00 GMT", Some(0)),
            ("-3", None),
            ("later", None),
            ("", None),
        ];
        for (value, want) in cases {
            let got = read(&[("retry-after", value)]).retry_after;
            assert_eq!(got, want.map(Duration::from_secs), "{value:?}");
        }
        let skewed = [
            ("retry-after", "Thu, 23 Oct 2025 14:10:00 GMT"),
            ("date", "Thu, 23 Oct 2025 14:00:00 GMT"),
        ];
        assert_eq!(read(&skewed).retry_after, Some(Duration::from_secs(600)));
    }
}
