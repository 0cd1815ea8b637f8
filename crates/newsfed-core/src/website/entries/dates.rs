//! The dates of entries.

use super::blocks::Block;
use crate::article::is_date_line;
use crate::model::Time;
use crate::util::date::{self, DateContext, FoundDate, is_weekday, scan};
use crate::util::html::tree::{text_up_to, text_within};
use crate::util::text;
use crate::website::date::{of_element_in, time_of};
use crate::website::list::settle_order;
use chrono::{Datelike, NaiveDate, TimeDelta};
use ego_tree::NodeId;
use scraper::ElementRef;
use std::fmt;

/// Maximum number of elements in a block that are searched.
const MAX_ELEMENTS: usize = 300;
/// Maximum length of an element's text that may be a date, in characters.
const MAX_LINE: usize = 100;
/// Maximum length of an element's text that may be a relative date, in bytes.
const MAX_RELATIVE: usize = 40;
/// [`MAX_LINE`] in bytes, for a script with three bytes per character.
const MAX_LINE_BYTES: usize = 3 * MAX_LINE;
/// Number of bytes at the start of a text that are searched for its date.
const MAX_LEAD: usize = 160;
/// Dates that are further in the future than this belong to events.
const AHEAD: TimeDelta = TimeDelta::hours(24);
/// Words next to a date that only label it.
const LABELS: [&str; 16] = [
    "published",
    "posted",
    "released",
    "updated",
    "date",
    "publié",
    "publiée",
    "veröffentlicht",
    "erstellt",
    "datum",
    "stand",
    "pubblicato",
    "publicado",
    "fecha",
    "опубликовано",
    "更新日",
];

/// The day of an entry as a part of its identifier: independent of the day of the poll, and equal for both
/// interpretations of `1/2/2024`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DayKey {
    Day(NaiveDate),
    /// Without a year.
    OfYear(u32, u32),
    Ambiguous(NaiveDate, NaiveDate),
}

impl fmt::Display for DayKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(day) => write!(f, "{day}"),
            Self::OfYear(month, day) => write!(f, "--{month:02}-{day:02}"),
            Self::Ambiguous(a, b) => write!(f, "{a}|{b}"),
        }
    }
}

/// A date and the element that contains it.
#[derive(Debug, Clone)]
pub(super) struct BlockDate {
    value: Value,
    /// The element that contains only the date.
    pub(super) element: Option<NodeId>,
    /// Whether the block has other dates too, such as the date of an update, so that a different one may be
    /// found tomorrow.
    pub(super) among_others: bool,
}

#[derive(Debug, Clone)]
enum Value {
    Exact(Time),
    Read(FoundDate),
}

impl BlockDate {
    pub(super) fn key(&self) -> Option<DayKey> {
        match &self.value {
            _ if self.among_others => None,
            Value::Exact(time) => Some(DayKey::Day(time.date_naive())),
            Value::Read(found) if found.relative => None,
            Value::Read(found) if found.short => {
                Some(DayKey::OfYear(found.day.month(), found.day.day()))
            }
            Value::Read(found) => Some(match found.swapped {
                Some(other) => DayKey::Ambiguous(found.day.min(other), found.day.max(other)),
                None => DayKey::Day(found.day),
            }),
        }
    }

    fn day(&self) -> Option<NaiveDate> {
        match &self.value {
            Value::Exact(_) => None,
            Value::Read(found) => Some(found.day),
        }
    }

    /// Whether the date depends on the day of the poll.
    pub(super) fn floats(&self) -> bool {
        matches!(&self.value, Value::Read(found) if found.relative || found.short)
    }

    /// The time, if it is certain enough.
    pub(super) fn time(&self, context: &DateContext) -> Option<Time> {
        match &self.value {
            Value::Exact(time) => Some(*time),
            Value::Read(found) if found.swapped.is_some() => None,
            Value::Read(found) => Some(time_of(found, context)),
        }
    }
}

/// The date of a block in the element that the source selects.
pub(super) fn selected(
    element: ElementRef<'_>,
    layout: Option<&str>,
    context: &DateContext,
) -> Option<BlockDate> {
    let text = text_up_to(element, MAX_LINE);
    // A declared format means a complete date.
    let context = if layout.is_some() { &DateContext { now: None, ..*context } } else { context };
    let alone = is_only_date(&text, context).then(|| element.id());
    if layout.is_none()
        && let Some(found) = scan(&text, context).dates.into_iter().find(|d| d.relative || d.short)
        && date::parse(element.attr("datetime").unwrap_or_default()).is_none()
    {
        return Some(BlockDate { value: Value::Read(found), element: alone, among_others: false });
    }
    let time = of_element_in(element, layout, context)?;
    Some(BlockDate { value: Value::Exact(time), element: alone, among_others: false })
}

/// The date of a block: the first that does not belong to an event. The order is: machine-readable dates,
/// elements that contain only a date, other lines with a date, and the start of the text.
pub(super) fn of_block(block: &Block<'_>, context: &DateContext) -> Option<BlockDate> {
    let usable = |found: &FoundDate| !found.range && !is_ahead(time_of(found, context), context);
    let elements = || block.elements().take(MAX_ELEMENTS);
    let exact = elements().find_map(|e| {
        let stated = e.attr("datetime").filter(|_| !matches!(e.value().name(), "ins" | "del"));
        let stated = stated.or_else(|| e.attr("content").filter(|_| e.attr("itemprop").is_some()));
        let time = date::parse(stated?).filter(|time| !is_ahead(*time, context))?;
        let alone = is_only_date(&text_up_to(e, MAX_LINE), context);
        Some(BlockDate {
            value: Value::Exact(time),
            element: alone.then(|| e.id()),
            among_others: false,
        })
    });
    if exact.is_some() {
        return exact;
    }
    let (mut first, mut beside): (Option<BlockDate>, Option<BlockDate>) = (None, None);
    for element in elements() {
        let Some(line) = text_within(element, MAX_LINE_BYTES) else { continue };
        let relative = line.len() <= MAX_RELATIVE;
        if !(relative || is_date_line(&line)) {
            continue;
        }
        let Some(found) = scanned(&line, context).into_iter().find(|d| usable(d)) else { continue };
        let alone = is_only_date(&line, context);
        if alone {
            match &mut first {
                Some(first) if first.day() == Some(found.day) => {}
                Some(first) => {
                    (first.among_others, first.element) = (true, None);
                    break;
                }
                None => {
                    first = Some(BlockDate {
                        value: Value::Read(found),
                        element: Some(element.id()),
                        among_others: false,
                    });
                }
            }
            continue;
        }
        if !found.relative && beside.is_none() {
            beside =
                Some(BlockDate { value: Value::Read(found), element: None, among_others: false });
        }
    }
    first.or(beside).or_else(|| {
        let lead = block.text(MAX_LEAD);
        let found = scanned(&lead, context).into_iter().find(|d| usable(d) && !d.relative)?;
        // A date in the middle of a text refers to something else.
        (found.at.start < MAX_RELATIVE).then_some(BlockDate {
            value: Value::Read(found),
            element: None,
            among_others: false,
        })
    })
}

/// The date on a line above a block. Several entries may be listed below that line.
pub(super) fn above(block: &Block<'_>, context: &DateContext) -> Option<BlockDate> {
    // Maximum length of a line that may be a date without digits, such as "Yesterday", in bytes.
    const MAX_WORD: usize = 20;
    const LEVELS: usize = 2;
    const SIBLINGS: usize = 60;
    let first = block.parts.first()?;
    for around in std::iter::once(*first).chain(first.ancestors()).take(LEVELS) {
        for element in around.prev_siblings().filter_map(ElementRef::wrap).take(SIBLINGS) {
            let Some(line) = text_within(element, MAX_LINE_BYTES) else { continue };
            // Most lines have no date, and scanning each of them would take too long.
            let dated = || line.len() <= MAX_WORD || line.chars().any(char::is_numeric);
            if !dated() || !is_only_date(&line, context) {
                continue;
            }
            let found = scan(&line, context).dates.into_iter().next()?;
            let usable = !found.range && !is_ahead(time_of(&found, context), context);
            return usable.then_some(BlockDate {
                value: Value::Read(found),
                element: None,
                among_others: false,
            });
        }
    }
    None
}

/// Interprets dates such as `1/2/2024` in the order of day and month that makes the dates of the page sorted.
pub(super) fn settle(dates: &mut [Option<BlockDate>]) {
    let read = |date: &Option<BlockDate>| match date.as_ref().map(|d| &d.value) {
        Some(Value::Read(found)) => Some(found.clone()),
        _ => None,
    };
    let mut found: Vec<Option<FoundDate>> = dates.iter().map(read).collect();
    settle_order(&mut found);
    for (date, found) in dates.iter_mut().zip(found) {
        if let (Some(date), Some(found)) = (date, found) {
            date.value = Value::Read(found);
        }
    }
}

fn is_ahead(time: Time, context: &DateContext) -> bool {
    context.now.is_some_and(|now| time > now + AHEAD)
}

/// Whether a text contains only a date.
pub(super) fn is_only_date(line: &str, context: &DateContext) -> bool {
    if line.is_empty() || line.chars().nth(MAX_LINE).is_some() {
        return false;
    }
    let scanned = scan(line, context);
    if scanned.dates.is_empty() {
        return false;
    }
    let mut rest = scanned.text.clone();
    for found in scanned.dates.iter().rev() {
        if let Some(part) = rest.get(found.at.clone()) {
            rest.replace_range(found.at.clone(), &" ".repeat(part.len()));
        }
    }
    let timed = scanned.dates.iter().any(|found| found.time.is_some());
    rest.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).all(|word| {
        let digits = word.chars().any(|c| c.is_ascii_digit());
        match digits {
            true => timed && word.len() <= 2,
            false => word.chars().count() <= 3 || is_weekday(word) || LABELS.contains(&word),
        }
    })
}

/// A line without the date at its start: `12.11.2026 – Notice` becomes `Notice`.
pub(super) fn without_date<'l>(line: &'l str, context: &DateContext) -> &'l str {
    const SIGNS: [char; 8] = ['–', '—', ':', '|', '·', '-', '：', '\u{3000}'];
    let lead = text::start(line, MAX_LINE);
    // The longest prefix that is a date, so that `2026-11-12: Notice` is not cut after 2026.
    let cuts = lead.char_indices().filter(|(_, c)| SIGNS.contains(c) || c.is_whitespace());
    let mut ends = cuts.map(|(at, _)| at).filter(|at| is_only_date(&lead[..*at], context));
    match ends.next_back() {
        Some(at) => {
            line[at..].trim_start_matches(|c: char| SIGNS.contains(&c) || c.is_whitespace())
        }
        None => line,
    }
}

/// The dates of a line. A version before a date, as in `1.2 - 2026-11-12`, does not make the date a range.
fn scanned(line: &str, context: &DateContext) -> Vec<FoundDate> {
    let dates = scan(line, context).dates;
    match version(line) {
        Some(end) if dates.iter().all(|found| found.range) => {
            let rest = line[end..].trim_start_matches(|c: char| !c.is_alphanumeric());
            scan(rest, context).dates
        }
        _ => dates,
    }
}

/// The end of the version in a title: `v1.2`, `[3.0.0] - 2026-11-12`, `Release 12.4`.
fn version(title: &str) -> Option<usize> {
    const WORDS: usize = 4;
    // `12.11.2026` is a date, and `12.4.3` is a version.
    let is_date = |word: &str| scan(word, &DateContext::default()).dates.iter().any(|d| !d.short);
    let number = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        if is_date(word) {
            return false;
        }
        let bare = word.strip_prefix(['v', 'V']).unwrap_or(word);
        let mut parts = bare.splitn(3, '.');
        let digits = |part: Option<&str>| {
            part.is_some_and(|p| p.starts_with(|c: char| c.is_ascii_digit()) && p.len() <= 8)
        };
        digits(parts.next()) && digits(parts.next())
    };
    let word = title.split_whitespace().take(WORDS).find(|word| number(word))?;
    Some(title.find(word)? + word.len())
}

/// Whether a title contains a version.
pub(super) fn is_version(title: &str) -> bool {
    version(title).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_versions() {
        let cases = [
            ("v1.2", true),
            ("[3.0.0] - 2026-11-12", true),
            ("Release 12.4", true),
            ("Version 2.0-beta.1", true),
            ("12.4.3", true),
            ("12.11.2026", false),
            ("Open day", false),
            ("A 3 km run", false),
        ];
        for (title, want) in cases {
            assert_eq!(is_version(title), want, "{title}");
        }
        let context = DateContext::default();
        for line in ["2.1.0 - 2026-10-30", "Version 12.1 – 30 Oct 2026", "v2 / 30.10.2026"] {
            let days: Vec<String> =
                scanned(line, &context).iter().map(|d| format!("{} {}", d.day, d.range)).collect();
            assert_eq!(days, ["2026-10-30 false"], "{line}");
        }
    }

    #[test]
    fn recognises_lines_with_only_a_date() {
        let context = DateContext::default();
        let cases = [
            ("12.11.2026", true),
            ("Publié le 12 novembre 2026", true),
            ("2026年11月12日（木）", true),
            ("Thursday, 12 November 2026, 14:05", true),
            ("[1.2.0] - 2026-11-12", false),
            ("v2 (12 May 2026)", false),
            ("2026年11月12日 年末年始の休館", false),
            ("Open day on 12 May 2026", false),
            ("Open day", false),
        ];
        for (line, want) in cases {
            assert_eq!(is_only_date(line, &context), want, "{line}");
        }
    }

    #[test]
    fn removes_leading_dates() {
        let context = DateContext::default();
        let cases = [
            ("12.11.2026 – Sitzung des Rates", "Sitzung des Rates"),
            ("2026-11-12: Notice of 3 May 2026", "Notice of 3 May 2026"),
            ("Notice of 12 May 2026", "Notice of 12 May 2026"),
        ];
        for (line, want) in cases {
            assert_eq!(without_date(line, &context), want, "{line}");
        }
    }
}
