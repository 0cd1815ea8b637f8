//! The times of the posts of a discussion.

use super::{LABELS, MAX_MARKS, MAX_WITHIN, Mark, REPEATED_WORDS, is_quotation};
use crate::article::blocks::Page;
use crate::article::counters::between;
use crate::article::page_date::{DateLabel, date_label, is_date_line, is_date_line_in};
use crate::util::date::{self, DateContext, FoundDate, Scan};
use crate::util::text;
use std::collections::HashSet;

/// Maximum length of a line that begins with the time of a post, in words.
const MAX_WORDS: usize = 30;
/// Maximum length of a date as the page writes it, in characters.
const MAX_TIME: usize = 60;
/// Maximum number of words next to a date that is relative or without a year, not counting names and labels.
/// A line with more words is a sentence of the post.
const BESIDE: usize = 2;
/// Maximum length of a label on the line above a date, in words.
const LABEL_WORDS: usize = 3;
/// Maximum length of a line with a date, in characters.
const MAX_DATE_LINE: usize = 99;

/// Words before the day on which an author joined, case-folded.
const JOINED: &[&str] = &[
    "joined",
    "joined on",
    "joined in",
    "join date",
    "date joined",
    "member since",
    "registered",
    "registered on",
    "registration date",
    "mitglied seit",
    "dabei seit",
    "registriert",
    "registriert seit",
    "registriert am",
    "beigetreten",
    "beigetreten am",
    "registrierungsdatum",
    "anmeldungsdatum",
    "inscrit",
    "inscrit le",
    "inscription",
    "date d inscription",
    "membre depuis",
    "registrado",
    "registrado el",
    "registrado em",
    "miembro desde",
    "membro desde",
    "fecha de ingreso",
    "fecha de registro",
    "data de registro",
    "iscritto",
    "iscritto dal",
    "iscritto il",
    "registrato",
    "membro dal",
    "data registrazione",
    "lid geworden",
    "lid sinds",
    "geregistreerd",
    "geregistreerd op",
    "medlem sedan",
    "medlem siden",
    "registrerad",
    "registreret",
    "registrert",
    "liittynyt",
    "rekisteröitynyt",
    "dołączył",
    "rejestracja",
    "data rejestracji",
    "registrace",
    "registrován",
    "csatlakozott",
    "katılım",
    "katılım tarihi",
    "kayıt tarihi",
    "регистрация",
    "дата регистрации",
    "зарегистрирован",
    "на форуме с",
    "登録日",
    "注册时间",
    "注册日期",
    "加入时间",
    "註冊時間",
    "註冊日期",
    "가입일",
];
/// Case-folded words that may follow the day on which an author joined, on the same line.
const FACTS: [&str; 12] = [
    "posts",
    "messages",
    "threads",
    "topics",
    "likes",
    "location",
    "beiträge",
    "ort",
    "mensajes",
    "messaggi",
    "berichten",
    "сообщений",
];

/// The times of posts.
#[derive(Default)]
pub(super) struct Times {
    /// Times in page order.
    pub(super) marks: Vec<Mark>,
    /// Blocks with the day on which an author joined, and the blocks with their labels.
    pub(super) joined: HashSet<usize>,
}

pub(super) fn times(page: &Page<'_>, names: &[Mark], context: &DateContext) -> Times {
    let names: Vec<String> = names.iter().map(|name| name.text.to_lowercase()).collect();
    let known: HashSet<&str> = names.iter().flat_map(|name| words(name)).collect();
    let quotes = quotes(page);
    let mut found = Times::default();
    for (at, block) in page.blocks.iter().enumerate() {
        let text = first_part(page.text(at));
        let short = block.words <= REPEATED_WORDS
            || block.words <= MAX_WORDS && crate::article::words::count(text) <= REPEATED_WORDS;
        let dated = block.time || context.now.is_some() || text.contains(char::is_numeric);
        if !short || !dated || found.marks.len() >= MAX_MARKS {
            continue;
        }
        let line = DateLine::read(text, &known, context);
        let stamp = stamp(page, at);
        let stated = stamp.is_some();
        let Some(text) = stamp.or(line.shown) else { continue };
        let above = label_above(page, at).unwrap_or_default();
        let joined_above = is_joined(&above, &known);
        // In the middle of running text, such a line may mean anything.
        if (line.joined || joined_above) && !goes_on(page, at) {
            found.joined.insert(at);
            found.joined.extend(at.checked_sub(1).filter(|_| joined_above));
        }
        let is_other = |label| label == Some(DateLabel::Other);
        if line.joined || joined_above || is_other(line.label) || is_other(label(&above, &known)) {
            continue;
        }
        found.marks.push(Mark {
            element: block.element,
            quote: quotes[block.element],
            block: Some(at),
            written: if stated { text.clone() } else { line.written },
            text,
            modified: line.label == Some(DateLabel::Modified),
            stated,
            doubtful: !stated && (!line.alone || goes_on(page, at)),
        });
    }
    found
}

/// A line without the part in brackets, such as the time of an edit.
fn first_part(line: &str) -> &str {
    line.split_once(" (").map_or(line, |(first, _)| first)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// What a line reveals about the time of a post.
#[derive(Default)]
struct DateLine {
    shown: Option<String>,
    written: String,
    label: Option<DateLabel>,
    /// Whether the date is surrounded only by names and labels.
    alone: bool,
    /// Whether it is the day on which an author joined.
    joined: bool,
}

impl DateLine {
    /// Reads a line. `known` contains the words of the names on the page.
    fn read(line: &str, known: &HashSet<&str>, context: &DateContext) -> Self {
        if line.chars().nth(MAX_DATE_LINE).is_some() {
            return Self::default();
        }
        let line = shortened(line);
        let scan = date::scan(&line, context);
        let (Some(found), Some(last)) = (scan.dates.first(), scan.dates.last()) else {
            return Self::default();
        };
        let is_line = is_date_line(&line);
        let alone = !is_line || others(&scan, known, false) == 0;
        let shown = match is_line {
            // The name and labels are left out, so that they are not repeated.
            true if alone && scan.text.len() == line.len() => {
                line.get(found.at.start..last.at.end).map(str::to_owned)
            }
            true => Some(line.clone()),
            // A relative date is written as a day, because it is still shown long after the fetch.
            false => (is_date_line_in(&line, context) && is_alone(&scan, known))
                .then(|| on_calendar(&scan, found)),
        };
        let before = without_weekday(&scan.text[..found.at.start]);
        let after = words(&scan.text[last.at.end..]).next();
        let joined = is_joined(before, known) && after.is_none_or(|word| FACTS.contains(&word));
        let label = label(before, known);
        Self { shown, written: line, label, alone, joined }
    }
}

/// Whether a line contains little besides a date. Words such as "yesterday" are frequent in sentences.
fn is_alone(scan: &Scan, known: &HashSet<&str>) -> bool {
    let is_counted = scan.text.contains(char::is_numeric);
    others(scan, known, true) <= if is_counted { BESIDE } else { 0 }
}

/// Number of words outside the dates that are not names, labels or, with `but_numbers`, numbers.
fn others(scan: &Scan, known: &HashSet<&str>, but_numbers: bool) -> usize {
    let is_other = |word: &&str| {
        let is_number = but_numbers && word.chars().all(char::is_numeric);
        !is_number && !known.contains(word) && !LABELS.contains(word)
    };
    between(scan).into_iter().flat_map(words).filter(is_other).count()
}

/// A date that is relative to the fetch or without a year, as a calendar day, with the time if the page gives
/// it.
fn on_calendar(scan: &Scan, found: &FoundDate) -> String {
    if found.relative && found.short {
        return found.day.format("%Y-%m").to_string();
    }
    let is_written = !found.relative || scan.text[found.at.clone()].contains([':', '.']);
    match found.time.filter(|_| is_written) {
        Some(time) => format!("{} {}", found.day, time.format("%H:%M")),
        None => found.day.to_string(),
    }
}

/// The meaning of a date according to the words before it, ignoring names, which may begin like labels.
fn label(before: &str, known: &HashSet<&str>) -> Option<DateLabel> {
    let words: Vec<&str> = words(before).filter(|word| !known.contains(word)).collect();
    date_label(&words.join(" "), "")
}

/// The words before a date, without its weekday.
fn without_weekday(before: &str) -> &str {
    let end = before.trim_end_matches(|c: char| !c.is_alphanumeric());
    let start = end
        .rfind(|c: char| !c.is_alphanumeric())
        .map_or(0, |at| at + end[at..].chars().next().map_or(0, char::len_utf8));
    if date::is_weekday(&end[start..]) { &before[..start] } else { before }
}

/// Whether the words before a date only state that an author joined.
fn is_joined(before: &str, known: &HashSet<&str>) -> bool {
    let words: Vec<&str> = words(before).filter(|word| !known.contains(word)).collect();
    JOINED.contains(&words.join(" ").as_str())
}

/// The line above a date, converted to lower case, if it may be the date's label, such as "Joined".
fn label_above(page: &Page<'_>, at: usize) -> Option<String> {
    let before = at.checked_sub(1)?;
    let parent = |at: usize| page.elements[page.blocks[at].element].parent;
    let text = page.text(before);
    let is_label = page.blocks[before].words <= LABEL_WORDS
        && parent(before) == parent(at)
        && !text.contains(char::is_numeric);
    is_label.then(|| text.to_lowercase())
}

/// Whether the text of a block continues: the next block is in the same box, or both are adjacent paragraphs.
fn goes_on(page: &Page<'_>, at: usize) -> bool {
    let Some(next) = page.blocks.get(at + 1) else { return false };
    let [here, next] = [page.blocks[at].element, next.element];
    let [a, b] = [here, next].map(|at| &page.elements[at]);
    here == next || a.name() == "p" && b.name() == "p" && a.parent == b.parent
}

/// For each box, the innermost quotation around it.
fn quotes(page: &Page<'_>) -> Vec<Option<usize>> {
    let mut quotes: Vec<Option<usize>> = Vec::with_capacity(page.elements.len());
    for (at, element) in page.elements.iter().enumerate() {
        let around = quotes.get(element.parent).copied().flatten();
        quotes.push(if is_quotation(element.node) { Some(at) } else { around });
    }
    quotes
}

/// The time of a block, from the `time` element that contains its text.
fn stamp(page: &Page<'_>, at: usize) -> Option<String> {
    let node = page.elements[page.blocks[at].element].node;
    let text = page.nodes(at);
    let time = node.descendent_elements().take(MAX_WITHIN).find(|e| {
        e.value().name() == "time"
            && e.descendants().take(MAX_WITHIN).any(|node| text.contains(&node.id()))
    })?;
    let shown = text::line(&time.text().collect::<String>());
    if is_date_line(&shown) && shown.chars().count() <= MAX_TIME && !is_iso(&shown) {
        return Some(shown);
    }
    written(time.attr("datetime")?)
}

/// Whether a time is written as `2013-07-11T21:20`.
fn is_iso(shown: &str) -> bool {
    shown.as_bytes().windows(2).any(|pair| pair[0].is_ascii_digit() && pair[1] == b'T')
}

/// Formats `2013-07-11T21:20:00+00:00` as `2013-07-11 21:20`.
pub(super) fn written(datetime: &str) -> Option<String> {
    let datetime = datetime.trim();
    let fits = |text: &str, pattern: &str| {
        text.len() == pattern.len()
            && text.bytes().zip(pattern.bytes()).all(|(b, p)| match p {
                b'0' => b.is_ascii_digit(),
                _ => b == p,
            })
    };
    let day = datetime.get(..10).filter(|day| fits(day, "0000-00-00"))?;
    match datetime.get(11..16).filter(|time| fits(time, "00:00")) {
        Some(time) => Some(format!("{day} {time}")),
        None => Some(day.to_owned()),
    }
}

/// A line with a date, without the post number at its end.
fn shortened(line: &str) -> String {
    let line = text::line(line);
    let end = line.rfind('#').filter(|at| line[at + 1..].chars().all(|c| c.is_ascii_digit()));
    let line = end.map_or(line.as_str(), |end| line[..end].trim_end());
    line.chars().take(MAX_TIME).collect()
}
