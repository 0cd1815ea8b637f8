//! Advice about schedules. Replays the history of a source under all limits, and determines whether its items
//! should be found sooner, which setting would achieve that, and what it would cost.

use super::budget::shared;
use super::replay::{LimitedReplay, Recorded, recorded};
use crate::config::{ScheduleSettings, SourceChange};
use crate::model::{PolicyKind, Priority, Source, SourceFacts, SourceId, Time};
use crate::schedule::least_saving;
use crate::schedule::simulate::Phase;
use crate::store::{History, Reader, Result};
use crate::util::text::counted;
use crate::util::time_text::span;
use chrono::TimeDelta;
use std::collections::BTreeMap;
use std::time::Duration;

/// Length of the history that is replayed.
const REPLAYED: TimeDelta = TimeDelta::days(28);
/// Minimum number of items in the replayed history. With fewer items, the mean delay is mostly random.
const MIN_ITEMS: usize = 20;
/// Minimum reduction of the mean delay, in minutes.
const MIN_MINUTES: f64 = 10.0;
/// Minimum reduction of the mean delay, as a fraction of the current mean delay.
const MIN_SHARE: f64 = 0.2;
/// Candidates for the minimum interval, in minutes.
const INTERVALS: [u64; 6] = [5, 10, 20, 30, 60, 120];

/// A changed setting of a source that would find its items sooner.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Advice {
    pub source: SourceId,
    pub title: String,
    /// The setting and its new value.
    pub key: &'static str,
    pub value: String,
    pub now: Expected,
    pub then: Expected,
}

/// The result of replaying a source.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Expected {
    pub polls_per_day: f64,
    pub mean_delay_min: f64,
}

/// How often the items of a source or folder are published, and how soon they are found.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Publishing {
    /// The identifier of the source, or the folder.
    pub name: String,
    pub sources: usize,
    pub items: usize,
    /// Mean time between two items of a source, in minutes.
    pub mean_gap_min: Option<f64>,
    /// Standard deviation of these times. For a folder it is pooled: the square root of the mean variance of
    /// its sources, weighted by their number of gaps minus one.
    pub deviation_min: Option<f64>,
    /// Mean number of polls per day of a source.
    pub polls_per_day: f64,
    pub mean_delay_min: f64,
}

/// The advice for all sources, the most valuable first, and their publishing statistics.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct AdviceReport {
    pub advice: Vec<Advice>,
    pub sources: Vec<Publishing>,
    pub folders: Vec<Publishing>,
}

impl Advice {
    /// One sentence, without the title.
    pub fn describe(&self) -> String {
        let saved = ((self.now.mean_delay_min - self.then.mean_delay_min) * 60.0).round() as i64;
        let (key, value) = (self.key.trim_start_matches("schedule."), &self.value);
        let more = (self.then.polls_per_day - self.now.polls_per_day).round() as i64;
        let cost = match more {
            0 => "costs nothing".to_owned(),
            ..0 => format!("saves {} a day", counted(-more, "poll")),
            more => format!("costs {} a day", counted(more, "poll")),
        };
        format!("items are found {} later than necessary; {key} = \"{value}\" {cost}", span(saved))
    }

    /// The change to `sources.toml`.
    pub fn change(&self) -> SourceChange {
        SourceChange::default().set(self.key, &self.value)
    }
}

/// Advice for one source, if a change would be worth its polls. Replays the history several times.
///
/// # Errors
/// If the database cannot be read.
pub fn advice(
    reader: &Reader,
    source: &Source,
    facts: &SourceFacts,
    settings: &ScheduleSettings,
    now: Time,
) -> Result<Option<Advice>> {
    let coach = Coach::new(reader, settings, now)?;
    let history = reader.history(facts.key)?;
    let recorded = history.and_then(|history| coach.recent(source, facts, history));
    Ok(recorded.and_then(|recorded| coach.advise(&recorded, facts)))
}

/// Advice for all enabled sources.
///
/// # Errors
/// If the database cannot be read.
pub fn advise<'a>(
    reader: &Reader,
    sources: impl IntoIterator<Item = (&'a Source, &'a SourceFacts)>,
    settings: &ScheduleSettings,
    now: Time,
) -> Result<AdviceReport> {
    let coach = Coach::new(reader, settings, now)?;
    let mut report = AdviceReport::default();
    let mut folders: BTreeMap<String, Sample> = BTreeMap::new();
    for (source, facts) in sources {
        let Some(history) = reader.history(facts.key)? else { continue };
        let Some(recorded) = coach.recent(source, facts, history) else { continue };
        let sample = Sample::new(&recorded, coach.expect(&recorded));
        report.sources.push(sample.publishing(source.id.0.clone()));
        folders.entry(source.folder.clone().unwrap_or_default()).or_default().add(&sample);
        report.advice.extend(coach.advise(&recorded, facts));
    }
    report.folders = folders.into_iter().map(|(name, all)| all.publishing(name)).collect();
    report.advice.sort_by(|a, b| b.saved().total_cmp(&a.saved()));
    Ok(report)
}

impl Advice {
    fn saved(&self) -> f64 {
        self.now.mean_delay_min - self.then.mean_delay_min
    }
}

/// Replays single sources at the current price of a poll.
struct Coach<'a> {
    settings: &'a ScheduleSettings,
    price: f64,
    seed: u64,
    now: Time,
}

impl<'a> Coach<'a> {
    fn new(reader: &Reader, settings: &'a ScheduleSettings, now: Time) -> Result<Self> {
        let shared = shared(reader, settings, now)?;
        Ok(Self { settings, price: shared.price, seed: shared.seed, now })
    }

    /// The recent history, if it is long enough.
    fn recent(&self, source: &Source, facts: &SourceFacts, history: History) -> Option<Recorded> {
        let since = history.since.max(self.now - REPLAYED);
        recorded(source, facts, History { since, ..history }, self.now)
    }

    fn expect(&self, recorded: &Recorded) -> Expected {
        let replay = LimitedReplay::new(vec![recorded.clone()], self.settings.clone(), self.seed);
        let figures = replay.figures(&replay.at_price(self.price), Phase::All);
        let [polls_per_day, mean_delay_min] =
            [figures.polls_per_source_day, figures.mean_delay_min];
        Expected { polls_per_day, mean_delay_min }
    }

    /// The change with the largest reduction in waiting, after subtracting the cost of its polls.
    fn advise(&self, recorded: &Recorded, facts: &SourceFacts) -> Option<Advice> {
        let published = recorded.timeline.published();
        let per_day = published as f64 / recorded.timeline.days();
        if published < MIN_ITEMS {
            return None;
        }
        let now = self.expect(recorded);
        let own = self.settings.of(&recorded.source);
        let least = least_saving(self.price, per_day, own.learned_exponent);
        let gain = |then: &Expected| {
            let saved = (now.mean_delay_min - then.mean_delay_min) * 60.0 * per_day;
            saved - (then.polls_per_day - now.polls_per_day) * least
        };
        let matters = |then: &Expected, candidate: Candidate| {
            let saved = now.mean_delay_min - then.mean_delay_min;
            let share = saved / now.mean_delay_min;
            // Without more polls, an improvement under the same policy is mere chance.
            let more = then.polls_per_day / now.polls_per_day - 1.0;
            let is_chance = candidate != Candidate::Learned && more < share / 2.0;
            saved >= MIN_MINUTES && share >= MIN_SHARE && !is_chance
        };
        let mut best: Option<(f64, Expected, Candidate)> = None;
        for candidate in candidates(&recorded.source, &own) {
            let then = self.expect(&recorded.clone().with(|source| candidate.apply(source)));
            // If the shortest interval does not help, longer ones do not either.
            let matters = matters(&then, candidate);
            if !matters && candidate.is_shortest() {
                break;
            }
            let gain = gain(&then);
            let better = best.as_ref().is_none_or(|(most, ..)| gain > *most);
            if matters && gain > 0.0 && better {
                best = Some((gain, then, candidate));
            }
        }
        let (_, then, candidate) = best?;
        let source = &recorded.source;
        let title = source.title.clone().or_else(|| facts.feed_title.clone());
        Some(Advice {
            source: source.id.clone(),
            title: title.unwrap_or_else(|| source.id.0.clone()),
            key: candidate.key(),
            value: candidate.value(),
            now,
            then,
        })
    }
}

/// A change to a setting of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Candidate {
    Learned,
    High,
    /// In minutes.
    MinInterval(u64),
}

/// The changes that may help, with shorter intervals before longer ones.
fn candidates(source: &Source, own: &ScheduleSettings) -> Vec<Candidate> {
    let mut all = Vec::new();
    if own.policy == PolicyKind::Learned {
        if source.schedule.priority.unwrap_or_default() != Priority::High {
            all.push(Candidate::High);
        }
    } else {
        all.push(Candidate::Learned);
    }
    if own.policy != PolicyKind::Fixed {
        let floor = own.usual_min_interval.as_secs() / 60;
        // An equal interval may help too: without validators, only an inherited minimum is doubled.
        let shorter = INTERVALS.into_iter().filter(|minutes| *minutes <= floor);
        all.extend(shorter.map(Candidate::MinInterval));
    }
    all
}

impl Candidate {
    fn is_shortest(self) -> bool {
        self == Self::MinInterval(INTERVALS[0])
    }

    fn key(self) -> &'static str {
        match self {
            Self::Learned => "schedule.policy",
            Self::High => "schedule.priority",
            Self::MinInterval(_) => "schedule.min_interval",
        }
    }

    fn value(self) -> String {
        match self {
            Self::Learned => PolicyKind::Learned.name().to_owned(),
            Self::High => Priority::High.name().to_owned(),
            Self::MinInterval(minutes) if minutes % 60 == 0 => format!("{}h", minutes / 60),
            Self::MinInterval(minutes) => format!("{minutes}m"),
        }
    }

    fn apply(self, source: &mut Source) {
        match self {
            Self::Learned => source.schedule.policy = Some(PolicyKind::Learned),
            Self::High => source.schedule.priority = Some(Priority::High),
            Self::MinInterval(minutes) => {
                source.schedule.min_interval = Some(Duration::from_secs(minutes * 60));
            }
        }
    }
}

/// Sums for computing the statistics of several sources.
#[derive(Debug, Clone, Default)]
struct Sample {
    sources: usize,
    items: usize,
    gaps: usize,
    /// Total length of the gaps, in seconds.
    length: f64,
    /// Sum of squared deviations from the source's mean gap, and the number of gaps minus one.
    squares: f64,
    freedom: usize,
    /// Sum of the sources' polls per day, and of the items' delays in minutes.
    polls: f64,
    delay: f64,
}

impl Sample {
    fn new(recorded: &Recorded, expected: Expected) -> Self {
        let gaps: Vec<f64> = recorded.timeline.gaps().collect();
        let length: f64 = gaps.iter().sum();
        let mean = length / gaps.len().max(1) as f64;
        let items = recorded.timeline.published();
        Self {
            sources: 1,
            items,
            gaps: gaps.len(),
            length,
            squares: gaps.iter().map(|gap| (gap - mean).powi(2)).sum(),
            freedom: gaps.len().saturating_sub(1),
            polls: expected.polls_per_day,
            delay: expected.mean_delay_min * items as f64,
        }
    }

    fn add(&mut self, other: &Self) {
        self.sources += other.sources;
        self.items += other.items;
        self.gaps += other.gaps;
        self.length += other.length;
        self.squares += other.squares;
        self.freedom += other.freedom;
        self.polls += other.polls;
        self.delay += other.delay;
    }

    fn publishing(&self, name: String) -> Publishing {
        let share = |sum: f64, count: usize| (count > 0).then(|| sum / count as f64);
        Publishing {
            name,
            sources: self.sources,
            items: self.items,
            mean_gap_min: share(self.length, self.gaps).map(|seconds| seconds / 60.0),
            deviation_min: share(self.squares, self.freedom).map(|square| square.sqrt() / 60.0),
            polls_per_day: share(self.polls, self.sources).unwrap_or(0.0),
            mean_delay_min: share(self.delay, self.items).unwrap_or(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::simulate::Timeline;

    const START: i64 = 1_700_000_000;

    fn recorded(minutes: impl Iterator<Item = i64>) -> (Recorded, SourceFacts) {
        let items = minutes.map(|minute| START + minute * 60).collect();
        let timeline = Timeline::new(START, START + 28 * 86_400, items).unwrap();
        let mut facts =
            SourceFacts::new(1, SourceId("s".to_owned()), "https://x.example/".to_owned());
        facts.validators.etag = Some(b"\"1\"".to_vec());
        let source = Source::feed(facts.id.clone(), "https://x.example/".parse().unwrap());
        (Recorded::new(source, &facts, timeline), facts)
    }

    fn coach(settings: &ScheduleSettings) -> Coach<'_> {
        let now = Time::from_timestamp(START + 28 * 86_400, 0).unwrap();
        Coach { settings, price: crate::schedule::price_for(12.0), seed: 7, now }
    }

    #[test]
    fn busy_sources_polled_too_rarely_get_a_shorter_interval() {
        let settings = ScheduleSettings::default();
        let (busy, facts) = recorded((0..28 * 48).map(|n| n * 30 + n * 7 % 20));
        assert_eq!(coach(&settings).advise(&busy, &facts), None, "nothing holds it back");
        let held = busy.with(|source| {
            source.schedule.min_interval = Some(Duration::from_secs(4 * 3600));
        });
        let advice = coach(&settings).advise(&held, &facts).unwrap();
        assert_eq!(advice.key, "schedule.min_interval");
        assert!(
            advice.now.mean_delay_min > 100.0 && advice.then.mean_delay_min < 40.0,
            "{advice:?}"
        );
        assert!(advice.then.polls_per_day > advice.now.polls_per_day + 10.0, "{advice:?}");
        let text = advice.describe();
        assert!(
            text.contains("later than necessary; min_interval = \"") && text.contains("costs "),
            "{text}"
        );
        // The changed source behaves as the advice predicts.
        let minutes = advice.value.trim_end_matches('m').parse().unwrap();
        let changed = held.with(|source| Candidate::MinInterval(minutes).apply(source));
        assert_eq!(coach(&settings).expect(&changed), advice.then);
    }

    #[test]
    fn rare_sources_are_not_worth_more_polls() {
        let settings = ScheduleSettings::default();
        let (rare, facts) = recorded((0..24).map(|n| n * 1680 + n * n * 397 % 900));
        let held = rare.with(|source| {
            source.schedule.min_interval = Some(Duration::from_secs(2 * 3600));
        });
        assert_eq!(coach(&settings).advise(&held, &facts), None);
    }

    #[test]
    fn advises_the_learned_policy_over_a_long_fixed_interval() {
        let settings = ScheduleSettings::default();
        let (busy, facts) = recorded((0..28 * 24).map(|n| n * 60 + 7));
        let fixed = busy.with(|source| source.interval = Some(Duration::from_secs(8 * 3600)));
        let advice = coach(&settings).advise(&fixed, &facts).unwrap();
        assert_eq!((advice.key, advice.value.as_str()), ("schedule.policy", "learned"));
    }

    #[test]
    fn deviations_of_a_folder_are_pooled() {
        let expected = |polls_per_day| Expected { polls_per_day, mean_delay_min: 10.0 };
        // Gaps of 10, 20, 30 minutes, and of 100, 200: variances 100 with 2 degrees of freedom, and 5000 with
        // 1.
        let (one, _) = recorded([0, 10, 30, 60].into_iter());
        let (two, _) = recorded([0, 100, 300].into_iter());
        let mut folder = Sample::new(&one, expected(4.0));
        folder.add(&Sample::new(&two, expected(8.0)));
        let folder = folder.publishing("Tech".to_owned());
        assert_eq!((folder.sources, folder.items, folder.polls_per_day), (2, 7, 6.0));
        assert!((folder.mean_gap_min.unwrap() - 72.0).abs() < 1e-9);
        assert!((folder.deviation_min.unwrap() - (5200.0f64 / 3.0).sqrt()).abs() < 1e-9);
    }
}
