//! Settings about when to poll.

use std::time::Duration;

/// How the time of the next poll is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyKind {
    /// After a fixed interval.
    Fixed,
    /// From the share of polls that find something new.
    ChangeRate,
    /// From a median of the time between changes, in ticks.
    Advarss,
    /// From the publishing rate and daily pattern of the source, within a budget.
    #[default]
    Learned,
}

impl PolicyKind {
    pub const ALL: [Self; 4] = [Self::Fixed, Self::ChangeRate, Self::Advarss, Self::Learned];
    /// Names, in the order of [`PolicyKind::ALL`].
    pub const NAMES: &'static [&'static str] = &["fixed", "change-rate", "advarss", "learned"];

    pub fn name(self) -> &'static str {
        let index = Self::ALL.iter().position(|kind| *kind == self).unwrap_or(0);
        Self::NAMES.get(index).copied().unwrap_or("")
    }

    pub fn named(name: &str) -> Option<Self> {
        let index = Self::NAMES.iter().position(|n| *n == name)?;
        Self::ALL.get(index).copied()
    }
}

/// How important a source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Priority {
    /// Polled half as often.
    Low,
    #[default]
    Normal,
    /// Polled twice as often.
    High,
}

impl Priority {
    /// Names of the priorities, lowest first.
    pub const NAMES: &'static [&'static str] = &["low", "normal", "high"];

    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "low" => Self::Low,
            "normal" => Self::Normal,
            "high" => Self::High,
            _ => return None,
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }

    /// Weight of the time that the source's items wait. The frequency of polls is proportional to the square
    /// root of the weight.
    pub fn weight(self) -> f64 {
        match self {
            Self::Low => 0.25,
            Self::Normal => 1.0,
            Self::High => 4.0,
        }
    }
}

/// The schedule settings of one source; `None` uses the general setting.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SourceSchedule {
    pub policy: Option<PolicyKind>,
    pub priority: Option<Priority>,
    /// Polls per day, regardless of the other sources.
    pub polls_per_day: Option<f64>,
    /// Minimum time between automatic polls.
    pub min_interval: Option<Duration>,
    /// Maximum time between automatic polls.
    pub max_interval: Option<Duration>,
    /// Hours of the day without automatic polls.
    pub quiet_hours: Option<String>,
    /// Weight of the last poll in the change rate.
    pub change_rate_smoothing: Option<f64>,
    /// How strongly the interval follows the change rate.
    pub change_rate_gain: Option<f64>,
    /// Target change rate.
    pub change_rate_target: Option<f64>,
    /// Length of a tick.
    pub advarss_tick: Option<Duration>,
    /// Maximum median, in ticks.
    pub advarss_cap: Option<u32>,
    /// How much the price grows with the rate.
    pub learned_exponent: Option<f64>,
    /// Number of expected but missing items after which the source is considered silent.
    pub learned_silence: Option<f64>,
}

/// Hours of the day, in the user's time zone, without automatic polls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuietHours {
    /// First minute of the day.
    pub from: u32,
    /// First minute after the quiet hours; less than `from` if they span midnight.
    pub until: u32,
}

impl QuietHours {
    /// Parses `23:00-07:00`; `None` for anything else and for a span of a whole day.
    pub fn parse(text: &str) -> Option<Self> {
        let (from, until) = text.split_once('-')?;
        let quiet = Self { from: minute(from)?, until: minute(until)? };
        (quiet.from != quiet.until).then_some(quiet)
    }

    /// Minutes from `minute` until the quiet hours end; `None` outside them.
    pub fn left(self, minute: u32) -> Option<u32> {
        let day = 24 * 60;
        let length = (self.until + day - self.from) % day;
        let passed = (minute % day + day - self.from) % day;
        length.checked_sub(passed).filter(|left| *left > 0)
    }
}

/// Parses a time of day into minutes since midnight.
fn minute(text: &str) -> Option<u32> {
    let (hour, minute) = text.trim().split_once(':')?;
    let number = |text: &str, below: u32| {
        let digits = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<u32>().ok().filter(|n| digits && *n < below)
    };
    Some(number(hour, 24)? * 60 + number(minute, 60)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for kind in PolicyKind::ALL {
            assert_eq!(PolicyKind::named(kind.name()), Some(kind));
        }
        for name in Priority::NAMES {
            assert_eq!(Priority::named(name).map(Priority::name), Some(*name));
        }
    }

    #[test]
    fn quiet_hours_may_span_midnight() {
        let night = QuietHours::parse("23:00-07:30").unwrap();
        for (minute, left) in [
            (22 * 60 + 59, None),
            (23 * 60, Some(510)),
            (0, Some(450)),
            (449, Some(1)),
            (450, None),
        ] {
            assert_eq!(night.left(minute), left, "{minute}");
        }
        let day = QuietHours::parse(" 9:05 - 17:00").unwrap();
        assert_eq!((day.left(544), day.left(545), day.left(1020)), (None, Some(475), None));
        for bad in ["", "23-7", "24:00-7:00", "7:00-7:00", "7:60-8:00", "-1:00-2:00", "+1:00-2:00"]
        {
            assert_eq!(QuietHours::parse(bad), None, "{bad}");
        }
    }
}
