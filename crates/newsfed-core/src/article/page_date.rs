//! When a page was published and modified. Each date on a page is a candidate with a source, a meaning and a
//! score. Candidates of the same day support each other, and the one with the highest score is used.

mod elements;
mod label_words;
mod labels;
mod places;
mod region;
mod stated;
mod url;
mod visible;
mod zones;

pub(super) use elements::event_days;
pub(crate) use labels::Label as DateLabel;
pub(super) use region::context;

use super::blocks::Page;
use super::head::Head;
use crate::model::{Confidence, DateOrigin, DateSource, Time, ZoneSource};
use crate::util::date::{self, DateContext, Offsets, Zone};
use ::url::Url;
use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, NaiveTime, TimeDelta, Timelike};

/// A time as given by a page, with its UTC offset if the page gives one.
pub type PageTime = DateTime<FixedOffset>;

/// Plausible years of publication.
const YEARS: std::ops::RangeInclusive<i32> = 1990..=2100;
/// Maximum length of a line that contains little more than a date, in words.
const DATE_LINE: usize = 12;
/// Candidates below this score are not publication dates.
const MIN: f32 = 14.0;
/// Minimum score at which a date proves that a later date is only that of the site's last build.
const SHOWN: f32 = 40.0;
/// The share of its score that a candidate adds to another candidate of the same day.
const SUPPORT: f32 = 0.35;

/// The meaning of a date, from the words before it or, if these do not determine it, the words after it.
pub(crate) fn date_label(before: &str, after: &str) -> Option<DateLabel> {
    labels::of(&before.to_lowercase(), &after.to_lowercase())
}

/// A publication date, its source, and its certainty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Published {
    pub time: PageTime,
    pub from: DateSource,
    pub confidence: Confidence,
    /// What the page states about the time zone.
    pub zone: Zone,
    /// The source of the time zone if none is written.
    pub zone_from: Option<ZoneSource>,
}

impl Published {
    /// The source of the date, and its certainty.
    pub fn origin(&self) -> DateOrigin {
        DateOrigin { from: self.from, confidence: self.confidence, zone: self.zone_from }
    }

    /// If the time has no zone, reads it with the offsets found elsewhere. The page was read at `now`.
    pub fn read_in(&mut self, offsets: &Offsets, from: ZoneSource, now: Option<Time>) {
        if self.zone_from.is_none()
            && let Some(time) = read_in(self.time, self.zone, offsets, now)
        {
            (self.time, self.zone_from) = (time, Some(from));
        }
    }

    /// Whether the date is uncertain and more than a day in the future, which means that it is wrong.
    pub fn is_doubtful(&self, now: Time) -> bool {
        self.confidence == Confidence::Low && self.time > now + TimeDelta::hours(24)
    }
}

/// Dates of publication and last modification.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Dates {
    pub published: Option<Published>,
    pub modified: Option<PageTime>,
    /// The UTC offsets of the dates of the article.
    pub offsets: Offsets,
}

/// The meaning of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Published,
    Modified,
}

#[derive(Debug, Clone)]
struct Candidate {
    time: PageTime,
    zone: Zone,
    /// The day with month and day swapped, if their order is unknown.
    swapped: Option<NaiveDate>,
    /// Whether the year has two digits or is missing.
    short: bool,
    score: f32,
    from: DateSource,
    /// Candidates of the same family are not independent of each other.
    family: &'static str,
    meaning: Meaning,
    beside: places::Apart,
    /// Whether it may be the time of the last build of the page.
    built: bool,
    /// Whether a label or a property marks it as the publication date.
    labelled: bool,
}

impl Candidate {
    fn day(&self) -> NaiveDate {
        self.time.date_naive()
    }
}

/// The dates of a page whose selected blocks are `taken`.
pub(super) fn dates(
    head: &Head<'_>,
    page: &Page<'_>,
    url: Option<&Url>,
    taken: &[bool],
    fetched_at: Option<Time>,
) -> Dates {
    let context = context(head, page, url, fetched_at);
    let place = places::Places::of(page, taken);
    let mut all = stated::of_head(head, page, url, &context);
    all.extend(elements::of_elements(head, page, &place, &context));
    all.extend(visible::candidates(page, taken, &place, &context));
    all.extend(url::of_url(head, url));
    if !all.iter().any(|c| c.meaning == Meaning::Published && c.score >= 35.0) {
        all.extend(url::of_scripts(head));
    }
    all.retain(|c| YEARS.contains(&c.time.year()));
    let is_visible = |c: &Candidate| matches!(c.from, DateSource::Text | DateSource::Element);
    if let Some(now) = context.now {
        // A visible date in the future belongs to an event.
        all.retain(|c| {
            c.from != DateSource::Text || !elements::is_ahead(&c.time, now) || c.swapped.is_some()
        });
    }
    let events = event_days(head, &context);
    all.retain(|c| !is_visible(c) || c.labelled || !events.contains(&c.day()));
    let modified = all.iter().filter(|c| c.meaning == Meaning::Modified);
    let modified = modified.max_by(|a, b| a.score.total_cmp(&b.score)).map(|c| (c.time, c.zone));
    among_others(&mut all);
    settle_order(&mut all, modified.map(|m| m.0), &context);
    in_zones(&mut all);
    before_build(&mut all);
    // If other sources give another day of publication, a visible date on the day of the modification is
    // the modification date.
    let known = all.iter().any(|c| c.family != "text" && c.meaning == Meaning::Published);
    if let Some(modified) = modified.map(|m| m.0.date_naive()).filter(|_| known) {
        let others: Vec<NaiveDate> = all
            .iter()
            .filter(|c| c.family != "text" && c.meaning == Meaning::Published)
            .map(Candidate::day)
            .collect();
        if !others.contains(&modified) {
            for c in all.iter_mut().filter(|c| c.family == "text" && c.day() == modified) {
                c.meaning = Meaning::Modified;
            }
        }
    }
    let offsets = zones::offsets(&all);
    let mut published = best(&all, url);
    if let Some(published) = &mut published {
        published.read_in(&offsets, ZoneSource::Page, fetched_at);
    }
    let modified =
        modified.map(|(time, zone)| read_in(time, zone, &offsets, fetched_at).unwrap_or(time));
    // A page is not modified before it is published. A day without a time does not show the order.
    let after = |m: &PageTime| published.is_none_or(|p| *m >= p.time);
    Dates { published, modified: modified.filter(after), offsets }
}

/// Reads a time without a zone with the offsets found elsewhere.
fn read_in(time: PageTime, zone: Zone, offsets: &Offsets, now: Option<Time>) -> Option<PageTime> {
    let offset = offsets.of(time.to_utc(), zone, now)?;
    time.naive_utc().and_local_timezone(offset).single()
}

/// Lowers the scores of different days in the same box next to the article, because they belong to other
/// articles.
fn among_others(all: &mut [Candidate]) {
    let boxes: Vec<(ego_tree::NodeId, NaiveDate)> = all
        .iter()
        .filter(|c| c.meaning == Meaning::Published)
        .filter_map(|c| match c.beside {
            places::Apart::Beside(Some(node)) => Some((node, c.day())),
            _ => None,
        })
        .collect();
    for candidate in all.iter_mut() {
        let places::Apart::Beside(Some(node)) = candidate.beside else { continue };
        let day = candidate.day();
        if boxes.iter().any(|b| b.0 == node && b.1 != day) {
            candidate.score -= 40.0;
        }
    }
}

/// Lowers the scores of times that may come from the last build, if the page shows an earlier day.
fn before_build(all: &mut [Candidate]) {
    let shown = |c: &&Candidate| {
        let certain = c.swapped.is_none() && !c.short && c.score >= SHOWN;
        certain && !c.built && c.meaning == Meaning::Published && c.family != "json-ld"
    };
    let Some(first) = all.iter().filter(shown).map(Candidate::day).min() else { return };
    for candidate in all.iter_mut().filter(|c| c.built && c.day() > first) {
        candidate.score -= SHOWN;
    }
}

/// The candidate with the highest total of its own score and those of the candidates that support it.
fn best(all: &[Candidate], url: Option<&Url>) -> Option<Published> {
    let month = url.and_then(url::month_of_url);
    let mut winner: Option<(f32, &Candidate)> = None;
    for candidate in all.iter().filter(|c| c.meaning == Meaning::Published) {
        let mut families: Vec<(&str, f32)> = Vec::new();
        for other in all.iter().filter(|o| o.day() == candidate.day()) {
            if other.meaning != Meaning::Published || other.family == candidate.family {
                continue;
            }
            match families.iter_mut().find(|f| f.0 == other.family) {
                Some(family) => family.1 = family.1.max(other.score),
                None => families.push((other.family, other.score)),
            }
        }
        let support: f32 = families.iter().map(|f| f.1 * SUPPORT).sum();
        let day = candidate.day();
        let fits = month.is_some_and(|(y, m)| (day.year(), day.month()) == (y, m));
        let total = candidate.score + support.min(70.0) + if fits { 12.0 } else { 0.0 };
        if winner.is_none_or(|w| total > w.0 + 0.01) {
            winner = Some((total, candidate));
        }
    }
    let (total, winner) = winner.filter(|w| w.1.score >= MIN)?;
    let day = winner.day();
    // A candidate without a time of day takes it from another candidate of the same day.
    let detailed = all
        .iter()
        .filter(|c| {
            c.meaning == Meaning::Published && c.day() == day && c.from != DateSource::Script
        })
        .filter(|c| c.time.time() != NaiveTime::MIN)
        .max_by(|a, b| a.score.total_cmp(&b.score));
    let detailed = detailed.filter(|_| winner.time.time() == NaiveTime::MIN).unwrap_or(winner);
    let (time, zone) = (detailed.time, detailed.zone);
    let doubtful = winner.swapped.is_some() || winner.short && total < 75.0;
    let confidence = match total {
        _ if doubtful => Confidence::Low,
        total if total >= 80.0 => Confidence::High,
        total if total >= 42.0 => Confidence::Medium,
        _ => Confidence::Low,
    };
    Some(Published { time, from: winner.from, confidence, zone, zone_from: None })
}

/// Resolves the order of day and month where it is unknown, using dates of the page with only one possible
/// reading, and the times of the fetch and of the modification, which are never before the publication.
fn settle_order(all: &mut [Candidate], modified: Option<PageTime>, context: &DateContext) {
    let certain: Vec<NaiveDate> =
        all.iter().filter(|c| c.swapped.is_none()).map(Candidate::day).collect();
    let latest = [context.now, modified].into_iter().flatten().map(|t| t.date_naive()).min();
    for candidate in all.iter_mut() {
        let Some(swapped) = candidate.swapped else { continue };
        let day = candidate.day();
        let late = |d: NaiveDate| latest.is_some_and(|l| d > l + TimeDelta::days(1));
        let decided = match (certain.contains(&day), certain.contains(&swapped)) {
            (true, false) => Some(false),
            (false, true) => Some(true),
            _ => match (late(day), late(swapped)) {
                (true, false) => Some(true),
                (false, true) => Some(false),
                _ => None,
            },
        };
        let swap = decided.unwrap_or(false);
        if swap && let Some(time) = on_day(candidate.time, swapped) {
            candidate.time = time;
        }
        match decided {
            Some(_) => candidate.swapped = None,
            None => candidate.score -= 6.0,
        }
    }
}

fn on_day(time: PageTime, day: NaiveDate) -> Option<PageTime> {
    day.and_time(time.time()).and_local_timezone(*time.offset()).single()
}

/// In UTC, a time may fall on a different day than in the publisher's time zone. If the page gives the same
/// instant with a zone, or the adjacent day in its URL or text, that day is used.
fn in_zones(all: &mut [Candidate]) {
    let zoned: Vec<PageTime> =
        all.iter().filter(|c| c.time.offset().local_minus_utc() != 0).map(|c| c.time).collect();
    let local: Vec<NaiveDate> = all
        .iter()
        .filter(|c| c.meaning == Meaning::Published && c.swapped.is_none())
        .filter(|c| matches!(c.from, DateSource::Url | DateSource::Text) && c.score >= 30.0)
        .map(Candidate::day)
        .collect();
    for candidate in all.iter_mut() {
        let time = candidate.time;
        if time.offset().local_minus_utc() != 0 || time.time() == NaiveTime::MIN {
            continue;
        }
        if matches!(candidate.from, DateSource::Url | DateSource::Text) {
            continue;
        }
        if let Some(same) = zoned.iter().find(|z| **z == time) {
            // The time without a zone is a UTC time in this case.
            (candidate.time, candidate.zone) = (*same, Zone::Named);
            continue;
        }
        let day = time.date_naive();
        if local.contains(&day) {
            continue;
        }
        let hour = i32::try_from(time.hour()).unwrap_or(0);
        let next = day.succ_opt().filter(|d| local.contains(d)).map(|_| 24 - hour);
        let previous = day.pred_opt().filter(|d| local.contains(d)).map(|_| -hour - 1);
        // Time zones range from UTC-12 to UTC+14.
        let hours = next.filter(|h| *h <= 14).or(previous.filter(|h| *h >= -12));
        if let Some(zone) = hours.and_then(|h| FixedOffset::east_opt(h * 3600)) {
            candidate.time = time.with_timezone(&zone);
            candidate.zone = Zone::Named;
        }
    }
}

fn midnight(date: NaiveDate) -> Option<PageTime> {
    let time = date.and_time(NaiveTime::MIN).and_utc().fixed_offset();
    YEARS.contains(&time.year()).then_some(time)
}

/// Whether a text is short, is not a sentence, and contains a date.
pub fn is_date_line(text: &str) -> bool {
    is_date_line_in(text, &DateContext::default())
}

/// Like [`is_date_line`], with the known language, order and fetch time.
pub(super) fn is_date_line_in(text: &str, context: &DateContext) -> bool {
    let sentence = text.trim_end().ends_with(['.', '!', '?', ':', '。']);
    text.chars().nth(99).is_none()
        && !sentence
        && super::words::count(&joined(text)) <= DATE_LINE
        && !date::scan(text, context).dates.is_empty()
}

/// Whether a text is a date line of a publication or modification, not of a deadline or an event.
pub(super) fn is_publication_line(text: &str) -> bool {
    if !is_date_line(text) {
        return false;
    }
    let scan = date::scan(text, &DateContext::default());
    let label = scan.dates.first().and_then(|date| {
        date_label(&scan.text[..date.at.start], scan.text.get(date.at.end..).unwrap_or_default())
    });
    label != Some(DateLabel::Other)
}

/// The text without combining marks that would split words of Indic scripts.
fn joined(text: &str) -> String {
    text.chars().filter(|c| !date::is_mark(*c)).collect()
}

#[cfg(test)]
mod tests;
