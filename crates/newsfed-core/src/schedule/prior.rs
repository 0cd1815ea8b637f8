//! Initial estimates for a source that has never been polled.

use crate::model::Time;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// What is known at the first poll.
#[derive(Debug, Clone, Copy, Default)]
pub struct Clues<'a> {
    pub url: &'a str,
    /// Dates of the entries found.
    pub items: &'a [Option<Time>],
    /// `changefreq` in a sitemap.
    pub changes: Option<Duration>,
    /// Update period given by the feed.
    pub update_period: Option<Duration>,
    /// Cache lifetime of the response.
    pub max_age: Option<Duration>,
    /// What the dates and the URL of a page suggest.
    pub page: Option<Duration>,
}

/// Minimum number of dated entries for a reliable mean gap.
const ENOUGH: usize = 3;

/// The initial mean time between items, from an hour to 30 days: from the entries, else from the
/// sitemap, the feed, the server, the page and the URL, in this order.
pub fn first_gap(clues: &Clues<'_>, now: Time) -> Option<Duration> {
    let kept = clues.max_age.filter(|age| *age >= HOUR);
    let stated = || clues.changes.or(clues.update_period).or(kept).or(clues.page);
    let gap = own_gap(clues.items, now).or_else(stated).or_else(|| by_words(clues.url))?;
    Some(gap.clamp(HOUR, 30 * DAY))
}

/// The mean gap between the dated entries, from the oldest until now.
pub fn own_gap(items: &[Option<Time>], now: Time) -> Option<Duration> {
    let dated = items.iter().flatten().filter(|at| **at < now);
    let count = u32::try_from(dated.clone().count()).unwrap_or(u32::MAX);
    let span = (now - *dated.min()?).to_std().ok()?;
    (count as usize >= ENOUGH).then(|| span / count)
}

/// Words in URLs, and the mean gap that they suggest.
const WORDS: [(&[&str], Duration); 4] = [
    (&["live", "liveblog", "ticker", "breaking", "latest"], HOUR),
    (&["daily"], DAY),
    (&["weekend", "weekly", "week", "newsletter"], Duration::from_secs(5 * 24 * 3600)),
    (&["archive", "archives", "archiv", "annual"], Duration::from_secs(30 * 24 * 3600)),
];

/// The gap suggested by words in the URL or by a year in its path: a dated page probably does not change any
/// more.
fn by_words(url: &str) -> Option<Duration> {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest).to_ascii_lowercase();
    let path = path.replace("week-end", "weekend");
    let words = || path.split(|c: char| !c.is_ascii_alphanumeric());
    let year = |w: &str| w.len() == 4 && w.parse().is_ok_and(|y: u32| (1990..2100).contains(&y));
    if path.split('/').skip(1).any(year) {
        return Some(30 * DAY);
    }
    let (_, gap) = WORDS.iter().find(|(of, _)| words().any(|w| of.contains(&w)))?;
    Some(*gap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_dated_now_or_later_are_ignored() {
        let now = Time::from_timestamp(1_700_000_000, 0).unwrap();
        let gap = |hours: &[i64]| {
            let items: Vec<_> =
                hours.iter().map(|h| Some(now + chrono::TimeDelta::hours(*h))).collect();
            own_gap(&items, now).map(|gap| gap.as_secs() / 3600)
        };
        assert_eq!([gap(&[-6, -2, -1]), gap(&[-6, -2]), gap(&[])], [Some(2), None, None]);
        assert_eq!([gap(&[-6, -2, 0]), gap(&[-6, -2, 1])], [None; 2], "two are in the past");
    }

    #[test]
    fn the_most_reliable_clue_gives_the_first_interval() {
        let now = Time::from_timestamp(1_700_000_000, 0).unwrap();
        let items: Vec<_> = (1..=4).map(|n| Some(now - 2 * n * HOUR)).collect();
        let all = Clues {
            url: "https://x.example/weekly/feed",
            items: &items,
            changes: Some(DAY),
            update_period: Some(2 * DAY),
            max_age: Some(3 * HOUR),
            page: Some(12 * HOUR),
        };
        let gap = |clues: &Clues<'_>| first_gap(clues, now).map(|g| g.as_secs() / 3600);
        assert_eq!(gap(&all), Some(2));
        let undated = Clues { items: &[None; 9], ..all };
        assert_eq!(gap(&undated), Some(24));
        let silent = Clues { changes: None, ..undated };
        assert_eq!(gap(&silent), Some(48));
        let kept = Clues { update_period: None, ..silent };
        assert_eq!(gap(&kept), Some(3));
        assert_eq!(gap(&Clues { max_age: Some(HOUR / 2), ..kept }), Some(12));
        for (url, want) in [
            ("https://x.example/weekly/feed", Some(120)),
            ("https://x.example/week-end.xml", Some(120)),
            ("https://live.example/", Some(1)),
            ("https://x.example/2019/05/feed", Some(720)),
            ("https://x.example/archive", Some(720)),
            ("https://x.example/feed", None),
            ("https://olive.example/", None),
        ] {
            assert_eq!(gap(&Clues { url, ..Clues::default() }), want, "{url}");
        }
    }
}
