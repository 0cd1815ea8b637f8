//! Dates that readers see: next to the heading, at the start of the text, and after its end.

use super::labels::{self, Label};
use super::places::{Apart, Places};
use super::stated::time_of;
use super::{Candidate, DateSource, Meaning};
use crate::article::blocks::{Block, Page};
use crate::article::comments;
use crate::util::date::{self, DateContext, FoundDate, Scan};
use chrono::Datelike;
use std::borrow::Cow;
use std::collections::HashSet;

/// Number of blocks around the heading that are searched.
const AROUND: usize = 12;
/// Maximum length of a block outside the text, in words.
const MAX_WORDS: usize = 60;
/// Maximum number of dates.
const MAX_CANDIDATES: usize = 200;
/// Number of bytes at the start of a paragraph that are searched.
const START: usize = 140;
/// Maximum length of a block that consists only of a label, in words.
const LABEL_WORDS: usize = 5;

pub(super) fn candidates(
    page: &Page<'_>,
    taken: &[bool],
    place: &Places,
    context: &DateContext,
) -> Vec<Candidate> {
    let count = page.blocks.len();
    let first = taken.iter().position(|t| *t);
    let last = taken.iter().rposition(|t| *t);
    let commented: HashSet<usize> = comments::zones(page)
        .into_iter()
        .map(|z| page.elements[z].blocks.clone())
        // Comments follow the article. An earlier box with such a name is something else.
        .filter(|blocks| first.is_none_or(|f| blocks.start >= f))
        .flatten()
        .collect();
    // Blocks, each with the score of a date in it.
    let mut order: Vec<(usize, f32)> = Vec::new();
    let top = place.heading;
    if let Some(at) = top {
        order.extend((at..(at + AROUND).min(count)).map(|b| (b, 60.0 - 2.0 * (b - at) as f32)));
        order.extend((at.saturating_sub(4)..at).map(|b| (b, 56.0 - 4.0 * (at - b) as f32)));
    }
    if let Some(at) = first {
        order.extend((at..(at + 3).min(count)).map(|b| (b, 50.0 - 3.0 * (b - at) as f32)));
        let above = at.saturating_sub(AROUND)..at;
        order.extend(above.map(|b| (b, 46.0 - 2.0 * (at - b) as f32)));
    }
    if let Some(at) = last {
        order.extend((at..(at + 8).min(count)).map(|b| (b, 38.0 - 2.0 * (b - at) as f32)));
        order.extend((at.saturating_sub(4)..at).map(|b| (b, 30.0 - (at - b) as f32)));
    }
    let mut seen: HashSet<usize> = HashSet::new();
    let mut found = Vec::new();
    for (at, score) in order {
        if found.len() >= MAX_CANDIDATES {
            break;
        }
        if seen.insert(at) && !commented.contains(&at) && !place.is_linked(at) {
            let from = found.len();
            of_block(page, taken, at, score, first, context, &mut found);
            apart(page, place, at, &mut found[from..]);
        }
    }
    // Labelled dates elsewhere in boxes of the article, such as after its notes.
    let rest = (0..count)
        .filter(|at| !seen.contains(at) && !commented.contains(at) && !place.is_linked(*at));
    let rest: Vec<usize> = rest.filter(|at| page.blocks[*at].words <= 24).take(400).collect();
    // Relative dates far from the heading belong to comments and other articles.
    let context = &DateContext { now: None, ..*context };
    for at in rest {
        if found.len() >= MAX_CANDIDATES {
            break;
        }
        let mut more = Vec::new();
        of_block(page, taken, at, 4.0, first, context, &mut more);
        more.retain(|c| c.score >= 20.0);
        for candidate in &mut more {
            // Within the text, the date more likely belongs to the subject of the text.
            candidate.score += if taken[at] { -6.0 } else { 12.0 };
        }
        apart(page, place, at, &mut more);
        found.extend(more);
    }
    found
}

fn apart(page: &Page<'_>, place: &Places, at: usize, found: &mut [Candidate]) {
    if found.is_empty() {
        return;
    }
    let apart = place.apart(page, page.blocks[at].element);
    for candidate in found {
        candidate.score -= apart.penalty();
        candidate.beside = apart;
    }
}

fn of_block(
    page: &Page<'_>,
    taken: &[bool],
    at: usize,
    score: f32,
    first: Option<usize>,
    context: &DateContext,
    found: &mut Vec<Candidate>,
) {
    let block = &page.blocks[at];
    let text = &*separated(page, at);
    let long = block.words > 22;
    // A paragraph of the article may start with a dateline: "BERLIN, 5 March 2024 – ".
    let prose = long && (taken[at] || block.words > MAX_WORDS);
    let text = if prose { crate::util::text::start(text, START) } else { text };
    if block.words > MAX_WORDS && !taken[at] {
        return;
    }
    // In prose, words such as "yesterday" refer to other events.
    let is_line = block.words <= 14 || !long && labels::is_published(&text.to_lowercase());
    let context = DateContext { now: context.now.filter(|_| is_line), ..*context };
    let scan = date::scan(text, &context);
    let Some(earliest) = scan.dates.first().map(|date| date.at.start) else { return };
    if scan.dates.len() < 2 && scan.text.find('©').is_some_and(|at| at < earliest) {
        return;
    }
    for (number, date) in scan.dates.iter().enumerate() {
        let (before, after) = around(&scan, number);
        // "Planning update" is a title, not a label.
        let before = if number == 0 && is_link(block, before) { "" } else { before };
        let label = labels::of(before, after).or_else(|| label_beside(page, at, &scan, number));
        // "Date: 6-9 January" is the date of an event.
        let published = label == Some(Label::Published) && !labels::is_weak(before);
        if label == Some(Label::Other) || date.range && !published {
            continue;
        }
        let meaning = match label {
            Some(Label::Modified) => Meaning::Modified,
            _ => Meaning::Published,
        };
        let mut score = score;
        if label == Some(Label::Published) {
            score += if labels::is_original(before) { 34.0 } else { 20.0 };
        }
        // This is a heading, a caption or a list item inside the text.
        let inside = taken[at] && first.is_some_and(|f| at > f + 1);
        if inside && !prose && block.words > 4 {
            score -= 24.0;
        }
        let sentence = block.words > 3 && page.text(at).trim_end().ends_with(['.', '!', '?', '。']);
        if sentence && label.is_none() && date.relative {
            continue;
        }
        let dateline = date.at.start <= 60 && after_dateline(&scan.text[date.at.end..]);
        if sentence && block.words > 8 && label.is_none() && !prose && !dateline {
            score -= 30.0;
        }
        // Next to a link after the start of the text, it is the date of the linked page.
        let linked = block.links > 0 || at > 0 && page.blocks[at - 1].links > 0 && block.words <= 6;
        if linked && label.is_none() && first.is_some_and(|f| at > f + 1) {
            score -= 24.0;
        }
        if prose {
            if date.at.start > 70 && label != Some(Label::Published) || starts_sentence(before) {
                continue;
            }
            score -= 16.0;
        } else if label.is_none() {
            // Additional words make it less likely to be the date of the page.
            score -= (block.words.saturating_sub(6) as f32).min(24.0);
            if number > 0 {
                score -= 10.0;
            }
            if block.words > 6 && ends_with_limit(before) {
                continue;
            }
        }
        if date.short && !date.relative {
            score -= if yearless(&scan, date) { 22.0 } else { 8.0 };
        }
        if let Some(candidate) = candidate(date, score, meaning, before) {
            found.push(Candidate { labelled: label == Some(Label::Published), ..candidate });
        }
    }
}

/// The text of a block, with spaces between adjacent elements without whitespace, as in `<span>May 3,
/// 2024</span><span>5 min</span>`. Ordinals such as `3<sup>rd</sup>` are not split.
fn separated<'p>(page: &'p Page<'_>, at: usize) -> Cow<'p, str> {
    let (block, text) = (&page.blocks[at], page.text(at));
    if block.pieces < 2 || block.words > MAX_WORDS {
        return text.into();
    }
    let tree = page.elements[0].node.tree();
    let nodes = page.nodes(at).iter().filter_map(|id| tree.get(*id)?.value().as_text());
    let mut lengths = nodes.map(|text| text.chars().filter(|c| !c.is_whitespace()).count());
    let mut left = lengths.next().unwrap_or(usize::MAX);
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if c.is_whitespace() {
            out.push(c);
            continue;
        }
        let mut starts = false;
        while left == 0 {
            left = lengths.next().unwrap_or(usize::MAX);
            starts = true;
        }
        left -= 1;
        let begins = c.is_uppercase() || c.is_ascii_digit();
        if starts && begins && out.ends_with(char::is_alphanumeric) {
            out.push(' ');
        }
        out.push(c);
    }
    out.into()
}

/// Whether a text is the only link in its block.
fn is_link(block: &Block, text: &str) -> bool {
    block.links == 1 && text.trim().chars().count().abs_diff(block.link_chars) <= 1
}

/// Whether the words before a date begin a sentence that continues after the date: "On 3 May 2024, the".
fn starts_sentence(before: &str) -> bool {
    let words = before.trim().trim_end_matches([',', '(']);
    const STARTS: [&str; 24] = [
        "on", "in", "am", "im", "seit", "since", "from", "ab", "vom", "le", "el", "il", "em", "op",
        "den", "until", "by", "bis", "before", "after", "del", "du", "dal", "zum",
    ];
    STARTS.contains(&words.rsplit([' ', '.']).next().unwrap_or_default())
        && words.split(' ').count() <= 12
        && !words.is_empty()
}

/// Whether the text after a date continues like a report after its dateline: "BERLIN, 3 May 2024 – ".
fn after_dateline(after: &str) -> bool {
    after.trim_start().starts_with(['—', '–', '-', '(', ')', '/', '.', ':', '|'])
}

/// Whether a date is the start or the end of a period: "zum 1.9.2015", "until 3 May 2024".
fn ends_with_limit(before: &str) -> bool {
    const LIMITS: [&str; 14] = [
        "zum", "bis", "ab", "seit", "since", "until", "before", "after", "through", "starting",
        "till", "dal", "jusqu'au", "hasta",
    ];
    LIMITS.contains(&before.trim_end().rsplit(' ').next().unwrap_or_default())
}

fn yearless(scan: &Scan, date: &FoundDate) -> bool {
    let text = &scan.text[date.at.clone()];
    !text.contains(&date.day.year().to_string()[2..])
}

fn candidate(date: &FoundDate, score: f32, meaning: Meaning, before: &str) -> Option<Candidate> {
    let mut date = date.clone();
    // A weekday before the date decides the order of day and month.
    if let Some(swapped) = date.swapped
        && let Some(weekday) = date::weekday_at_end(before)
    {
        let of = |d: chrono::NaiveDate| d.weekday().number_from_monday();
        match (of(date.day) == weekday, of(swapped) == weekday) {
            (false, true) => (date.day, date.swapped) = (swapped, None),
            (true, false) => date.swapped = None,
            _ => {}
        }
    }
    Some(Candidate {
        time: time_of(&date)?,
        zone: date.shows(),
        swapped: date.swapped,
        short: date.short,
        score: if date.relative { score - 4.0 } else { score },
        from: DateSource::Text,
        family: "text",
        meaning,
        beside: Apart::No,
        built: false,
        labelled: false,
    })
}

/// The text between the previous date and a date, and the text after the date if it is the last one.
fn around(scan: &Scan, number: usize) -> (&str, &str) {
    let start = number.checked_sub(1).map_or(0, |n| scan.dates[n].at.end);
    let date = &scan.dates[number].at;
    let before = &scan.text[start.min(date.start)..date.start];
    let after = match scan.dates.get(number + 1) {
        Some(_) => "",
        None => &scan.text[date.end..],
    };
    (before, after)
}

/// The label in the block before a block that contains little more than a date.
fn label_beside(page: &Page<'_>, at: usize, scan: &Scan, number: usize) -> Option<Label> {
    let alone = page.blocks[at].words <= 6 && scan.dates.len() == 1;
    let before = at.checked_sub(1).filter(|_| alone && number == 0)?;
    let text = page.text(before);
    let short = page.blocks[before].words <= LABEL_WORDS && text.len() < 60;
    let same = {
        let (a, b) = (page.blocks[before].element, page.blocks[at].element);
        let parents =
            |e: usize| [e, page.elements[e].parent, page.elements[page.elements[e].parent].parent];
        parents(a).iter().any(|e| *e != 0 && parents(b).contains(e))
    };
    let digits = text.bytes().any(|b| b.is_ascii_digit());
    let short = short && !is_link(&page.blocks[before], text);
    (short && same && !digits).then(|| labels::of(&text.to_lowercase(), ""))?
}
