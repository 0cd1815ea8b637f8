//! Parts of a page that change without an edit: counters of visitors, relative dates, clocks.

use super::compare::same_text;
use crate::util::date::{self, DateContext, FoundDate, Scan};
use chrono::DateTime;
use std::borrow::Cow;

/// Maximum length of a line that may change without an edit, in words and in bytes.
const MAX_WORDS: usize = 8;
const MAX_LINE: usize = 160;
/// Maximum number of these lines in a text.
const MAX_LINES: usize = 200;
/// Maximum number of words between a number and the word for the counted thing.
const NEAR: usize = 2;
/// An arbitrary time: relative dates are only recognised, not resolved.
const NOW: i64 = 1_800_000_000;

/// Nouns for things that pages count automatically, in lower case.
const COUNTED: &[&str] = &[
    "view",
    "views",
    "pageviews",
    "visitor",
    "visitors",
    "visit",
    "visits",
    "hit",
    "hits",
    "read",
    "reads",
    "reader",
    "readers",
    "like",
    "likes",
    "share",
    "shares",
    "comment",
    "comments",
    "online",
    "download",
    "downloads",
    "follower",
    "followers",
    "aufruf",
    "aufrufe",
    "seitenaufrufe",
    "besucher",
    "besuche",
    "zugriffe",
    "klicks",
    "kommentar",
    "kommentare",
    "leser",
    "vue",
    "vues",
    "visite",
    "visites",
    "visiteurs",
    "lectures",
    "commentaires",
    "partages",
    "téléchargements",
    "lecturas",
    "visita",
    "visitas",
    "visitantes",
    "vistas",
    "comentarios",
    "descargas",
    "visualizzazioni",
    "visitatori",
    "letture",
    "commenti",
    "weergaven",
    "bezoekers",
    "bezoeken",
    "reacties",
    "visualizações",
    "leituras",
    "comentários",
    "visningar",
    "besökare",
    "visninger",
    "besøgende",
    "katselukerrat",
    "kävijää",
    "wyświetleń",
    "wyświetlenia",
    "odsłon",
    "odwiedzin",
    "komentarzy",
    "zobrazení",
    "návštěv",
    "görüntülenme",
    "ziyaretçi",
    "просмотр",
    "просмотра",
    "просмотров",
    "просмотры",
    "посетителей",
    "посещений",
    "комментариев",
    "комментарии",
    "переглядів",
    "مشاهدة",
    "مشاهدات",
    "زيارة",
    "צפיות",
];
/// The same nouns in languages without spaces between words.
const COUNTED_PARTS: &[&str] = &[
    "閲覧",
    "アクセス",
    "来訪者",
    "訪問者",
    "再生",
    "浏览",
    "瀏覽",
    "阅读",
    "閱讀",
    "访问",
    "點擊",
    "点击",
    "评论",
    "조회",
    "방문자",
    "댓글",
    "ครั้ง",
    "เข้าชม",
];
/// Words next to the current date or the time of an update.
const DATED: &[&str] = &[
    "updated",
    "update",
    "last",
    "as",
    "of",
    "at",
    "on",
    "current",
    "currently",
    "date",
    "time",
    "local",
    "now",
    "today",
    "is",
    "it",
    "the",
    "this",
    "page",
    "was",
    "generated",
    "refreshed",
    "checked",
    "modified",
    "am",
    "pm",
    "a.m",
    "p.m",
    "utc",
    "gmt",
    "cet",
    "cest",
    "est",
    "edt",
    "cst",
    "cdt",
    "pst",
    "pdt",
    "bst",
    "mez",
    "mesz",
    "stand",
    "vom",
    "um",
    "uhr",
    "uhrzeit",
    "aktualisiert",
    "aktualisierung",
    "letzte",
    "zuletzt",
    "heute",
    "ist",
    "der",
    "den",
    "datum",
    "mis",
    "mise",
    "à",
    "jour",
    "le",
    "la",
    "dernière",
    "aujourd'hui",
    "heure",
    "date",
    "nous",
    "sommes",
    "actualizado",
    "actualización",
    "última",
    "hoy",
    "es",
    "fecha",
    "hora",
    "el",
    "aggiornato",
    "aggiornamento",
    "ultimo",
    "oggi",
    "è",
    "il",
    "alle",
    "ore",
    "bijgewerkt",
    "laatst",
    "vandaag",
    "om",
    "op",
    "atualizado",
    "atualização",
    "hoje",
    "às",
    "em",
    "uppdaterad",
    "senast",
    "idag",
    "oppdatert",
    "sist",
    "opdateret",
    "sidst",
    "i",
    "dag",
    "kl",
    "päivitetty",
    "tänään",
    "aktualizacja",
    "dzisiaj",
    "dziś",
    "aktualizováno",
    "dnes",
    "güncelleme",
    "bugün",
    "обновлено",
    "обновление",
    "сегодня",
    "оновлено",
    "сьогодні",
    "更新",
    "最終更新",
    "最終更新日",
    "更新日",
    "更新時間",
    "更新时间",
    "现在",
    "今天",
    "今日",
    "本日",
    "오늘",
    "업데이트",
];

/// Whether two texts differ only in parts of short lines that change without an edit: visitor counts, "3
/// hours ago", a clock, today's date. A change to any other number is a real change.
pub fn is_small_change(earlier: &str, later: &str) -> bool {
    let (mut a, mut b) = (earlier.lines(), later.lines());
    let mut left = MAX_LINES;
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if same_text(a, b) => {}
            (Some(a), Some(b)) if left > 0 && changes_by_itself(a, b) => left -= 1,
            _ => return false,
        }
    }
}

/// Whether two lines are short and differ only in parts that change without an edit.
pub(super) fn changes_by_itself(a: &str, b: &str) -> bool {
    let short = |line: &str| {
        let mut words = line.split_whitespace().filter(|word| word.contains(char::is_alphanumeric));
        line.len() <= MAX_LINE && words.nth(MAX_WORDS).is_none()
    };
    short(a) && short(b) && (is_counter(a, b) || is_relative(a, b) || is_now(a, b))
}

/// Whether two lines differ only in numbers, each next to a word for the counted thing.
fn is_counter(a: &str, b: &str) -> bool {
    let (a, b): (Vec<&str>, Vec<&str>) =
        (a.split_whitespace().collect(), b.split_whitespace().collect());
    let counts = |word: &&str| {
        let word = word.to_lowercase();
        COUNTED.contains(&word.trim_matches(|c: char| !c.is_alphabetic()))
            || COUNTED_PARTS.iter().any(|part| word.contains(part))
    };
    let near = |at: usize| {
        let around = a.iter().take(at + NEAR + 1).skip(at.saturating_sub(NEAR));
        around.into_iter().any(counts)
    };
    let valued = |word: &&str| word.contains(['€', '$', '£', '¥', '%']);
    a.len() == b.len()
        && !a.iter().any(valued)
        && a.iter().zip(&b).enumerate().all(|(at, (old, new))| {
            let same = || without_number(old).is_some_and(|old| Some(old) == without_number(new));
            old == new || same() && near(at)
        })
}

/// Replaces each number in a word with `#`, regardless of length and separators; `None` without a number.
fn without_number(word: &str) -> Option<String> {
    let mut out = String::with_capacity(word.len());
    let mut number = false;
    for c in word.chars() {
        match c.is_numeric() || number && matches!(c, ',' | '.' | '\'' | '’') {
            true if !number => out.push('#'),
            true => {}
            false => out.push(c),
        }
        number = c.is_numeric() || number && matches!(c, ',' | '.' | '\'' | '’');
    }
    out.contains('#').then_some(out)
}

fn scan(line: &str) -> Scan {
    let now = DateTime::from_timestamp(NOW, 0).map(|now| now.fixed_offset());
    date::scan(line, &DateContext { now, ..DateContext::default() })
}

/// A line that contains exactly one date.
struct Dated {
    line: String,
    date: FoundDate,
}

impl Dated {
    fn read(line: &str) -> Option<Self> {
        let mut scan = scan(line);
        let date = scan.dates.pop().filter(|date| scan.dates.is_empty() && !date.range)?;
        Some(Self { line: scan.text, date })
    }

    fn rest(&self) -> [&str; 2] {
        [&self.line[..self.date.at.start], &self.line[self.date.at.end..]]
    }
}

/// Whether two lines differ only in dates such as "3 hours ago", and in counters between them.
fn is_relative(a: &str, b: &str) -> bool {
    let (a, b) = (scan(a), scan(b));
    let counted = |scan: &Scan| {
        let number = |date: &FoundDate| scan.text[date.at.clone()].contains(char::is_numeric);
        !scan.dates.is_empty() && scan.dates.iter().all(|date| date.relative && number(date))
    };
    let (old, new) = (between(&a), between(&b));
    counted(&a)
        && counted(&b)
        && old.len() == new.len()
        && old.iter().zip(&new).all(|(old, new)| old == new || is_counter(old, new))
}

/// The parts of a line before, between and after its dates.
pub(super) fn between(scan: &Scan) -> Vec<&str> {
    let (mut parts, mut from) = (Vec::new(), 0);
    let end = scan.text.len();
    for date in scan.dates.iter().map(|date| date.at.clone()).chain(std::iter::once(end..end)) {
        parts.push(scan.text[from.min(date.start)..date.start].trim());
        from = date.end;
    }
    parts
}

/// Whether both lines consist only of a clock, the current date, or the time of an update.
fn is_now(a: &str, b: &str) -> bool {
    let (Some(old), Some(new)) = (Now::read(a), Now::read(b)) else { return false };
    // Without a label, a weekday with a time is more likely the time of an event. The current date never goes
    // back in a later version.
    let forward = || match (&old.date, &new.date) {
        (Some(old), Some(new)) => {
            old.short || old.swapped.is_some() || new.swapped.is_some() || old.day <= new.day
        }
        (None, None) => !old.weekday && !new.weekday,
        _ => false,
    };
    old.labelled && new.labelled || forward()
}

/// A line that consists only of a point in time.
struct Now {
    date: Option<FoundDate>,
    weekday: bool,
    labelled: bool,
}

impl Now {
    fn read(line: &str) -> Option<Self> {
        let dated = Dated::read(line);
        let lower = line.to_lowercase();
        let rest: [&str; 2] = dated.as_ref().map_or([&lower, ""], Dated::rest);
        let (mut weekday, mut labelled, mut clocks) = (false, false, 0);
        let between = |c: char| {
            c.is_whitespace()
                || c.is_ascii_punctuation() && !matches!(c, ':' | '.' | '\'')
                || matches!(c, '–' | '—' | '|' | '·' | '•' | '，' | '、' | '：' | '（' | '）')
        };
        for word in rest.iter().flat_map(|part| part.split(between)) {
            let word = word.trim_matches([':', '.', '\'']);
            let word: Cow<'_, str> =
                if word.contains('’') { word.replace('’', "'").into() } else { word.into() };
            match &*word {
                "" => {}
                word if DATED.contains(&word) => labelled |= !is_clock_word(word),
                word if date::is_weekday(word) => weekday = true,
                word if is_clock(word) => clocks += 1,
                _ => return None,
            }
        }
        let date = dated.map(|d| d.date);
        let once = clocks <= 1 && (clocks == 1 || date.is_some());
        // Two times are the start and the end of an event.
        let twice = clocks == 1 && date.as_ref().is_some_and(|d| d.time.is_some());
        (once && !twice).then_some(Self { date, weekday, labelled })
    }
}

/// Whether a word belongs to a clock or date without adding meaning.
fn is_clock_word(word: &str) -> bool {
    matches!(word, "am" | "pm" | "a.m" | "p.m" | "uhr" | "kl" | "at" | "on" | "um" | "der" | "den")
}

/// `9:05`, `09:05:30`, `9.05`, `9:05pm`.
fn is_clock(word: &str) -> bool {
    let word = word.trim_end_matches("am").trim_end_matches("pm").trim_end_matches('z');
    let parts: Vec<&str> = word.split([':', '.']).collect();
    let number = |p: &&str| (1..=2).contains(&p.len()) && p.bytes().all(|b| b.is_ascii_digit());
    (2..=3).contains(&parts.len()) && parts.iter().all(number) && parts[1].len() == 2
}

#[cfg(test)]
mod tests;
