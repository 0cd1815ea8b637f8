//! Results of a replay.

use super::Timeline;
use super::replay::Run;
use crate::schedule::seconds::{DAY, MINUTE, WEEK};
use std::borrow::Borrow;

/// Time until a source is considered well known.
const WARM: f64 = 14.0 * DAY;

/// The part of a replay that the figures cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Phase {
    #[default]
    All,
    /// The first day of each source.
    Day1,
    /// Each source from its third week on.
    Warm,
}

/// Results of a replay. Delays are in minutes; the last three values are fractions.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct Figures {
    pub sources: usize,
    pub items: usize,
    /// Polls per source per day.
    pub polls_per_source_day: f64,
    /// Mean delay over all items.
    pub mean_delay_min: f64,
    /// Median over all items.
    pub median_delay_min: f64,
    /// 90th percentile of the delay.
    pub p90_delay_min: f64,
    /// Mean over sources of their mean delays.
    pub per_source_mean_min: f64,
    /// Items found within half an hour.
    pub within_30_min: f64,
    /// Items that left the feed before they were found.
    pub missed: f64,
    /// Polls that found nothing.
    pub wasted: f64,
}

impl Phase {
    /// The covered part of a timeline, in seconds from its start.
    fn span(self, timeline: &Timeline) -> std::ops::Range<f64> {
        match self {
            Self::All => 0.0..f64::INFINITY,
            Self::Day1 => 0.0..DAY,
            Self::Warm => WARM.min(timeline.end - timeline.start)..f64::INFINITY,
        }
    }

    /// Number of days of a timeline that are covered.
    fn days(self, timeline: &Timeline) -> f64 {
        match self {
            Self::All => timeline.days(),
            Self::Day1 => 1.0,
            Self::Warm => (timeline.days() - WARM / DAY).max(0.0),
        }
    }
}

/// `runs` and `timelines` correspond by index.
pub fn figures<T: Borrow<Timeline>>(timelines: &[T], runs: &[Run], phase: Phase) -> Figures {
    let (mut delays, mut means) = (Vec::new(), Vec::new());
    let (mut polls, mut wasted, mut missed, mut days) = (0, 0, 0, 0.0);
    for (timeline, run) in timelines.iter().map(Borrow::borrow).zip(runs) {
        let span = phase.span(timeline);
        let inside = |at: f64| span.contains(&(at - timeline.start));
        let from = delays.len();
        for (_, delay, lost) in run.items.iter().filter(|(at, ..)| inside(*at)) {
            delays.push(*delay);
            missed += usize::from(*lost);
        }
        if delays.len() > from {
            means.push(mean(&delays[from..]));
        }
        let counted = run.polls.iter().filter(|(at, _)| inside(*at));
        for (_, found) in counted {
            polls += 1;
            wasted += usize::from(!found);
        }
        days += phase.days(timeline);
    }
    delays.sort_by(f64::total_cmp);
    let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
    let soon = delays.partition_point(|delay| *delay <= 30.0 * MINUTE);
    Figures {
        sources: timelines.len(),
        items: delays.len(),
        polls_per_source_day: if days > 0.0 { polls as f64 / days } else { 0.0 },
        mean_delay_min: mean(&delays) / MINUTE,
        median_delay_min: quantile(&delays, 0.5) / MINUTE,
        p90_delay_min: quantile(&delays, 0.9) / MINUTE,
        per_source_mean_min: mean(&means) / MINUTE,
        within_30_min: share(soon, delays.len()),
        missed: share(missed, delays.len()),
        wasted: share(wasted, polls),
    }
}

/// Polls per source per day of each week, the first one starting at `origin`, until most sources
/// have ended.
pub(super) fn weekly<T: Borrow<Timeline>>(timelines: &[T], runs: &[Run], origin: f64) -> Vec<f64> {
    let timelines = || timelines.iter().map(Borrow::borrow);
    let end = timelines().map(|t| t.end).fold(origin, f64::max);
    let week = |n: usize| {
        let (from, until) = (origin + n as f64 * WEEK, origin + (n + 1) as f64 * WEEK);
        let overlap = |t: &Timeline| (t.end.min(until) - t.start.max(from)).max(0.0);
        let followed = timelines().map(overlap).sum::<f64>() / DAY;
        let polls = runs.iter().flat_map(|run| &run.polls);
        (polls.filter(|(at, _)| (from..until).contains(at)).count(), followed)
    };
    let weeks: Vec<(usize, f64)> = (0..((end - origin) / WEEK).ceil() as usize).map(week).collect();
    let fullest = weeks.iter().map(|(_, followed)| *followed).fold(0.0, f64::max);
    let whole = weeks.iter().rposition(|(_, followed)| *followed > 0.5 * fullest);
    let weeks = weeks.iter().take(whole.map_or(0, |last| last + 1));
    weeks.map(|(used, followed)| *used as f64 / followed).collect()
}

/// Like `weekly`; the first week starts with the earliest timeline.
pub fn weeks<T: Borrow<Timeline>>(timelines: &[T], runs: &[Run]) -> Vec<f64> {
    weekly(
        timelines,
        runs,
        timelines.iter().map(|t| t.borrow().start).fold(f64::INFINITY, f64::min),
    )
}

/// The mean; 0 without values.
pub(super) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// A quantile of sorted values, interpolated; 0 without values.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let place = share * last as f64;
    let (low, part) = (place.floor() as usize, place.fract());
    sorted[low] + (sorted[(low + 1).min(last)] - sorted[low]) * part
}
