//! What people say about when to look.

use std::time::Duration;

/// How the next poll is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyKind {
    /// After a fixed interval.
    Fixed,
    /// By the share of polls that find something new.
    ChangeRate,
    /// By a median of the time between changes, in ticks.
    Advarss,
    /// By the rate and the habits of the source, within a budget.
    #[default]
    Learned,
}

impl PolicyKind {
    /// Every policy.
    pub const ALL: [Self; 4] = [Self::Fixed, Self::ChangeRate, Self::Advarss, Self::Learned];
    /// Their names, in the order of [`PolicyKind::ALL`].
    pub const NAMES: &'static [&'static str] = &["fixed", "change-rate", "advarss", "learned"];

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        let index = Self::ALL.iter().position(|kind| *kind == self).unwrap_or(0);
        Self::NAMES.get(index).copied().unwrap_or("")
    }

    /// The policy of that name.
    pub fn named(name: &str) -> Option<Self> {
        let index = Self::NAMES.iter().position(|n| *n == name)?;
        Self::ALL.get(index).copied()
    }
}

/// How much a source matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Priority {
    /// Looked at half as often.
    Low,
    /// As the others.
    #[default]
    Normal,
    /// Looked at twice as often.
    High,
}

impl Priority {
    /// Names of the priorities, lowest first.
    pub const NAMES: &'static [&'static str] = &["low", "normal", "high"];

    /// The priority of that name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "low" => Self::Low,
            "normal" => Self::Normal,
            "high" => Self::High,
            _ => return None,
        })
    }

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }

    /// What waiting for its items weighs: looks are as frequent as the root of it.
    pub fn weight(self) -> f64 {
        match self {
            Self::Low => 0.25,
            Self::Normal => 1.0,
            Self::High => 4.0,
        }
    }
}

/// What one source says about its schedule; `None` takes the general setting.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SourceSchedule {
    /// Policy.
    pub policy: Option<PolicyKind>,
    /// How much it matters.
    pub priority: Option<Priority>,
    /// Looks per day that it gets, whatever the others use.
    pub polls_per_day: Option<f64>,
    /// No automatic poll comes sooner after the last one.
    pub min_interval: Option<Duration>,
    /// An automatic poll comes at the latest after this.
    pub max_interval: Option<Duration>,
    /// Hours of the day without automatic polls.
    pub quiet_hours: Option<String>,
    /// Weight of the last poll in the change rate.
    pub change_rate_smoothing: Option<f64>,
    /// How strongly the interval follows the change rate.
    pub change_rate_gain: Option<f64>,
    /// Change rate aimed at.
    pub change_rate_target: Option<f64>,
    /// Length of a tick.
    pub advarss_tick: Option<Duration>,
    /// Largest median in ticks.
    pub advarss_cap: Option<u32>,
    /// How much the price grows with the rate.
    pub learned_exponent: Option<f64>,
    /// Missing items that make a silence.
    pub learned_silence: Option<f64>,
}

/// Hours of the day, in the user's zone, without automatic polls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuietHours {
    /// First minute of the day.
    pub from: u32,
    /// First minute after them; before `from` where they last over midnight.
    pub until: u32,
}

impl QuietHours {
    /// Reads `23:00-07:00`; `None` for anything else, and where they would never end.
    pub fn parse(text: &str) -> Option<Self> {
        let (from, until) = text.split_once('-')?;
        let quiet = Self { from: minute(from)?, until: minute(until)? };
        (quiet.from != quiet.until).then_some(quiet)
    }

    /// Minutes from a minute of the day to the end of the quiet hours; `None` outside of them.
    pub fn left(self, minute: u32) -> Option<u32> {
        let day = 24 * 60;
        let length = (self.until + day - self.from) % day;
        let passed = (minute % day + day - self.from) % day;
        length.checked_sub(passed).filter(|left| *left > 0)
    }
}

/// Minutes from midnight.
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
    fn names_lead_back() {
        for kind in PolicyKind::ALL {
            assert_eq!(PolicyKind::named(kind.name()), Some(kind));
        }
        for name in Priority::NAMES {
            assert_eq!(Priority::named(name).map(Priority::name), Some(*name));
        }
    }

    #[test]
    fn quiet_hours_over_midnight_and_by_day() {
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
