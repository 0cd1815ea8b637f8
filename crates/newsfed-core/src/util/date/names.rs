//! Names of months and weekdays, and relative dates, in many languages. The table is
//! `assets/dates.tsv`, from Unicode CLDR.

use aho_corasick::AhoCorasick;
use foldhash::HashMap;
use std::collections::BTreeSet;
use std::sync::LazyLock;

static TABLE: &str = include_str!("../../../assets/dates.tsv");

/// Names, each with the languages that use it and the number of its month or weekday.
type Numbered = HashMap<&'static str, Vec<(&'static str, u32)>>;

/// A pattern for a time before now, such as `vor {0} tagen`.
pub(super) struct Ago {
    pub(super) language: &'static str,
    /// Text before and after the number. If there is no number, the entire text is in `before`.
    pub(super) before: &'static str,
    pub(super) after: &'static str,
    /// The number that the text implies without containing one.
    pub(super) fixed: Option<i64>,
    /// Length of the unit in minutes; months have 30 days.
    pub(super) minutes: i64,
}

impl Ago {
    /// The longer of the two texts around the number.
    fn longest(&self) -> &'static str {
        if self.before.len() > self.after.len() { self.before } else { self.after }
    }
}

#[derive(Default)]
pub(super) struct Names {
    months: Numbered,
    weekdays: Numbered,
    persian: HashMap<&'static str, u32>,
    ago: Vec<Ago>,
    days: Vec<Day>,
    /// Searches for the texts of all entries of `ago`, followed by those of `days`.
    relative: Option<AhoCorasick>,
}

/// Language, word, and days from today.
pub(super) type Day = (&'static str, &'static str, i64);

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let mut names = Names::default();
    for line in TABLE.lines().filter(|l| !l.starts_with('#')) {
        let mut columns = line.split('\t');
        let mut next = || columns.next().unwrap_or_default();
        let (language, kind, value, all) = (next(), next(), next(), next());
        names.add(language, kind, value, all.split('|'));
    }
    let ago = names.ago.iter().map(Ago::longest);
    names.relative = AhoCorasick::new(ago.chain(names.days.iter().map(|day| day.1))).ok();
    names
});

impl Names {
    pub(super) fn get() -> &'static Self {
        &NAMES
    }

    fn add<'a>(
        &mut self,
        language: &'static str,
        kind: &'static str,
        value: &'static str,
        all: impl Iterator<Item = &'static str> + 'a,
    ) {
        let number = value.parse().unwrap_or(0);
        match kind {
            "month" => all.for_each(|n| self.months.entry(n).or_default().push((language, number))),
            "weekday" => {
                all.for_each(|n| self.weekdays.entry(n).or_default().push((language, number)));
            }
            "jalali" => self.persian.extend(all.map(|n| (n, number))),
            "ago" => self.ago.extend(all.map(|n| ago(language, value, n))),
            _ => self.days.extend(all.filter_map(|n| {
                let (days, word) = n.split_once('=')?;
                Some((language, word, days.parse().ok()?))
            })),
        }
    }

    /// The relative dates whose words occur in a lower-case text. Most lines of a page contain none.
    pub(super) fn relative_in(&self, text: &str) -> (Vec<&Ago>, Vec<&Day>) {
        let Some(relative) = &self.relative else {
            return (self.ago.iter().collect(), self.days.iter().collect());
        };
        let found = relative.find_overlapping_iter(text).map(|found| found.pattern().as_usize());
        let found: BTreeSet<usize> = found.collect();
        let days = found.range(self.ago.len()..).map(|at| &self.days[at - self.ago.len()]);
        (found.range(..self.ago.len()).map(|at| &self.ago[*at]).collect(), days.collect())
    }

    /// The month of the Gregorian calendar that a lower-case word names. If languages differ, the language of
    /// the page decides, then English; otherwise the word is not a month.
    pub(super) fn month(&self, word: &str, language: Option<&str>) -> Option<u32> {
        decide(self.months.get(word)?, language)
    }

    /// Whether a lower-case word names a month in the given language or in English.
    pub(super) fn is_month_of(&self, word: &str, language: &str) -> bool {
        let all = self.months.get(word).map(Vec::as_slice).unwrap_or_default();
        all.iter().any(|(l, _)| *l == language || *l == "en")
    }

    /// The weekday that a lower-case word names; Monday is 1.
    pub(super) fn weekday(&self, word: &str, language: Option<&str>) -> Option<u32> {
        decide(self.weekdays.get(word)?, language)
    }

    /// The month of the Persian calendar.
    pub(super) fn persian(&self, word: &str) -> Option<u32> {
        self.persian.get(word).copied()
    }
}

fn decide(all: &[(&str, u32)], language: Option<&str>) -> Option<u32> {
    let of = |language: &str| all.iter().find(|(l, _)| *l == language).map(|(_, n)| *n);
    language.and_then(of).or_else(|| of("en")).or_else(|| {
        let first = all.first()?.1;
        all.iter().all(|(_, n)| *n == first).then_some(first)
    })
}

fn ago(language: &'static str, unit: &str, pattern: &'static str) -> Ago {
    let minutes = match unit {
        "minute" => 1,
        "hour" => 60,
        "day" => 24 * 60,
        "week" => 7 * 24 * 60,
        "month" => 30 * 24 * 60,
        _ => 365 * 24 * 60,
    };
    if let Some((before, after)) = pattern.split_once("{0}") {
        let (before, after) = (before.trim(), after.trim());
        return Ago { language, before, after, fixed: None, minutes };
    }
    let (number, text) = pattern.split_once('=').unwrap_or(("1", pattern));
    Ago { language, before: text, after: "", fixed: number.parse().ok(), minutes }
}

/// Whether a lower-case word names a weekday in any language.
pub fn is_weekday(word: &str) -> bool {
    Names::get().weekdays.contains_key(word)
}

/// The weekday or month that a lower-case word of four letters or more names, in the same form for all
/// languages.
pub fn day_name(word: &str) -> Option<String> {
    // Shorter words have other meanings.
    word.chars().nth(3)?;
    let names = Names::get();
    let weekday = names.weekday(word, None).map(|day| format!("weekday {day}"));
    weekday.or_else(|| Some(format!("month {}", names.month(word, None)?)))
}

/// The name that the table uses for the language of a tag: `nb-NO` is `no`.
pub fn language_of(tag: &str) -> Option<&'static str> {
    static KNOWN: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let lines = TABLE.lines().filter(|l| !l.starts_with('#'));
        let mut all: Vec<&str> = lines.filter_map(|l| l.split('\t').next()).collect();
        all.dedup();
        all
    });
    let tag = tag.trim().to_ascii_lowercase();
    let first = tag.split(['-', '_']).next()?;
    let first = match first {
        "nb" | "nn" => "no",
        "iw" => "he",
        "in" => "id",
        "tl" => "fil",
        "sh" => "sr",
        other => other,
    };
    KNOWN.iter().copied().find(|l| *l == first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ambiguous_names_depend_on_the_language() {
        let cases = [
            ("listopada", Some("pl"), Some(11)),
            ("listopada", Some("hr"), Some(10)),
            ("listopada", None, None),
            ("märz", None, Some(3)),
            ("marz", Some("de"), Some(3)),
            ("may", Some("fr"), Some(5)),
            ("kasım", Some("en"), Some(11)),
            ("hello", Some("en"), None),
        ];
        for (word, language, want) in cases {
            assert_eq!(Names::get().month(word, language), want, "{word} {language:?}");
        }
        assert_eq!(language_of("nb_NO"), Some("no"));
        assert_eq!(language_of("xx"), None);
    }

    #[test]
    fn finds_relative_dates_by_their_words() {
        let names = Names::get();
        assert!(names.relative.is_some() && names.ago.len() > 500);
        for ago in &names.ago {
            let text = format!("a{} 7 {}b", ago.before, ago.after);
            let (found, _) = names.relative_in(&text);
            assert!(found.iter().any(|f| std::ptr::eq(*f, ago)), "{text}");
        }
        for day in &names.days {
            let text = format!("a {} b", day.1);
            assert!(names.relative_in(&text).1.contains(&day), "{text}");
        }
        let (ago, days) = names.relative_in(", 7 ;");
        assert!(ago.is_empty() && days.is_empty());
    }
}
