//! The polling hints of a feed.

use super::element::Element;
use super::names::Ns;
use super::raw::RawFeed;
use crate::model::FeedHints;
use std::time::Duration;

/// Maximum interval that a feed can request.
const MAX_WAIT: Duration = Duration::from_secs(30 * 86_400);

/// Hints as written in the document.
#[derive(Debug, Default)]
pub(super) struct RawHints {
    minutes: Option<u64>,
    period: Option<Duration>,
    times: Option<u32>,
    hours: Vec<u8>,
    days: Vec<u8>,
}

/// Reads a field of the feed if it is a hint. Otherwise returns `false`.
pub(super) fn take(element: &Element, feed: &mut RawFeed) -> bool {
    let hints = &mut feed.hints;
    let text = || element.text().trim().to_ascii_lowercase();
    match (element.ns(), element.name.as_str()) {
        (Ns::Core, "ttl") => hints.minutes = hints.minutes.or(text().parse().ok()),
        (Ns::Core, "skiphours") => hints.hours.extend(element.elements().filter_map(hour)),
        (Ns::Core, "skipdays") => hints.days.extend(element.elements().filter_map(day)),
        (Ns::Sy, "updateperiod") => hints.period = hints.period.or(period(&text())),
        (Ns::Sy, "updatefrequency") => hints.times = hints.times.or(text().parse().ok()),
        _ => return false,
    }
    true
}

impl RawHints {
    /// Converts the hints to durations within the limits.
    pub(super) fn resolve(self) -> FeedHints {
        let ttl = self.minutes.map(|m| Duration::from_secs(m.saturating_mul(60)).min(MAX_WAIT));
        let period = self.period.map(|p| p / self.times.unwrap_or(1).clamp(1, 1000));
        FeedHints {
            ttl: ttl.filter(|t| !t.is_zero()),
            skip_hours: self.hours.into_iter().collect(),
            skip_days: self.days.into_iter().collect(),
            update_period: period.map(|p| p.min(MAX_WAIT)),
        }
    }
}

fn period(name: &str) -> Option<Duration> {
    let days = match name {
        "hourly" => return Some(Duration::from_secs(3600)),
        "daily" => 1,
        "weekly" => 7,
        "monthly" => 30,
        "yearly" => 365,
        _ => return None,
    };
    Some(Duration::from_secs(days * 86_400))
}

/// Reads an hour. Some feeds write midnight as hour 24.
fn hour(element: &Element) -> Option<u8> {
    let hour: u8 = element.text().trim().parse().ok()?;
    (hour <= 24).then_some(hour % 24)
}

fn day(element: &Element) -> Option<u8> {
    const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let name = element.text().trim().to_ascii_lowercase();
    (0u8..).zip(DAYS).find(|(_, day)| name.starts_with(day)).map(|(number, _)| number)
}
