//! Titles: their words, and what distinguishes two similar ones.

use super::words::{hash, is_unspaced, short, words};
use crate::util::date::day_name;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Maximum number of bytes of a title that are read.
const MAX_BYTES: usize = 600;
/// Maximum number of words of a title that are read.
const MAX_WORDS: usize = 32;
/// Maximum length of a stem, in characters.
const LONGEST_STEM: usize = 6;
/// Maximum number of marks.
pub(super) const MAX_MARKS: usize = 12;
/// Maximum number of words in the name of a publisher after a title.
const SUFFIX: usize = 4;

/// Words of titles that recur every week, and words without a meaning of their own.
const COMMON: &str = "\
a an and are as at by for from has in into is it its of on or over that the this to was with your you we our \
about after all be been before but can day days edition episode how issue latest links list month monthly more \
morning evening new news newsletter note notes now out reading release released releases report \
roundup round thread today tomorrow update updates updated version week weekend weekly daily briefing digest what \
when who why will yesterday year time times make makes made get gets go goes say says said take takes changelog announcement announcing introducing \
der die das den dem des ein eine einer und im in ist mit nach von vor zu zum zur fur auf aus bei uber wie wird \
ausgabe heute neue neues neuigkeiten rundbrief woche wochenruckblick meldung meldungen nachrichten \
la le les un une des du de et en au aux dans par pour sur est actualites jour lettre semaine nouvelles revue \
el los las una y con del por para que se al boletin dia noticias resumen semana novedades \
il lo gli i e di da per non piu notizie settimana и в на с по за из от для не новости неделя дайджест выпуск";

/// Words that name the kind of a piece: a review and an interview are two stories.
const KINDS: &str = "\
opinion analysis review preview recap interview podcast video photos gallery explained explainer editorial obituary \
live liveblog correction quiz comic column letters sponsored deal deals rumor rumour trailer \
meinung kommentar analyse rezension interviews leitartikel nachruf erklart testbericht \
avis critique entretien editorial entrevista analisis resena intervista analisi recensione";
/// The common form of all negations.
const NOT: &str = "not";
const NEGATIONS: &str = "not no never without cannot isn't won't doesn't didn't nicht kein keine keinen nie ohne pas jamais sans non nunca sin jamas нет не без geen niet inte ingen inget ikke nie bez degil yok δεν χωρις لا لم لن بدون نه нельзя senza";
const NUMBERS: [(&str, &str); 14] = [
    ("1", "one first erste ersten erster premier premiere primero primera"),
    ("2", "two second zwei zweite zweiten zweiter deux deuxieme dos segundo segunda due ii два"),
    (
        "3",
        "three third drei dritte dritten dritter trois troisieme tres tercero tercera tre iii три",
    ),
    ("4", "four fourth vier vierte vierten quatre quatrieme cuatro quattro iv четыре"),
    ("5", "five fifth funf funfte cinq cinquieme cinco cinque пять"),
    ("6", "six sixth sechs sechste seis sei шесть"),
    ("7", "seven seventh sieben siebte sept siete sette vii семь"),
    ("8", "eight eighth acht achte huit ocho otto viii восемь"),
    ("9", "nine ninth neun neunte neuf nueve nove ix девять"),
    ("10", "ten tenth zehn zehnte dix diez dieci десять"),
    ("11", "eleven elf onze once undici"),
    ("12", "twelve twelfth zwolf douze doce dodici"),
    ("100", "hundred hundert cent cien cento сто"),
    ("1000", "thousand tausend mille mil тысяча"),
];
static COMMON_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| COMMON.split_ascii_whitespace().collect());
/// Words that distinguish titles, and the form in which they are compared.
static MARKS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let numbers = NUMBERS.iter().flat_map(|(digits, names)| {
        names.split_ascii_whitespace().map(move |name| (name, *digits))
    });
    let negations = NEGATIONS.split_ascii_whitespace().map(|word| (word, NOT));
    let kinds = KINDS.split_ascii_whitespace().map(|word| (word, word));
    kinds.chain(negations).chain(numbers).collect()
});

/// Labels that precede titles.
const LABELS: [&str; 11] = [
    "breaking",
    "update",
    "updated",
    "exclusive",
    "eilmeldung",
    "eil",
    "urgent",
    "ultima hora",
    "breaking news",
    "just in",
    "developing",
];

/// The data that is stored about a title.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Title {
    /// Hash of all its words in order.
    pub(super) whole: u64,
    /// Hashes of its words, ascending. The low three bits are the weight: long words weigh more, because they
    /// are rare.
    pub(super) words: Vec<u32>,
    /// Hashes of numbers, days, negations and kinds, ascending. The lowest bit is 1 for negations.
    pub(super) marks: Vec<u32>,
}

/// The weight of a hashed word, 1 to 7.
pub(super) fn weight(word: u32) -> u32 {
    word & 7
}

pub(super) fn title(text: &str) -> Title {
    let text = without_publisher(without_label(without_site(text)));
    let all = words(text, MAX_BYTES, MAX_WORDS);
    let mut title = Title {
        whole: hash(&all.iter().map(String::as_str).collect::<Vec<_>>()),
        ..Title::default()
    };
    for word in &all {
        if let Some(mark) = mark(word) {
            let negation = u32::from(mark == NOT);
            title.marks.push(short(hash(&["mark", &mark])) & !1 | negation);
        }
        title.words.push(weighted(word));
    }
    for list in [&mut title.words, &mut title.marks] {
        list.sort_unstable();
        list.dedup();
    }
    title.marks.truncate(MAX_MARKS);
    title
}

/// The hash of a word's stem, with its weight.
pub(super) fn weighted(word: &str) -> u32 {
    let unspaced =
        |word: &str| word.chars().next().is_some_and(|c| is_unspaced(c.encode_utf8(&mut [0; 4])));
    let (form, weight) = match stem(word) {
        _ if word.chars().any(char::is_numeric) => (Cow::Owned(number(word)), 3),
        stem if COMMON_WORDS.contains(word) => (Cow::Borrowed(stem), 1),
        // In scripts without spaces, each pair of characters is treated as a word, and an actual word has
        // several pairs.
        stem if unspaced(word) => (Cow::Borrowed(stem), 2),
        stem => match stem.chars().count() {
            ..=2 => (Cow::Borrowed(stem), 1),
            letters => (Cow::Borrowed(stem), u32::try_from(letters).unwrap_or(7).min(7)),
        },
    };
    short(hash(&[&form])) & !7 | weight
}

/// A word without its ending, so that `reopens` equals `reopened`. This is crude, but works in many
/// languages.
fn stem(word: &str) -> &str {
    let hangul = |c: char| matches!(c, '\u{ac00}'..='\u{d7a3}' | '\u{1100}'..='\u{11ff}');
    let cut = |at: usize| word.char_indices().nth(at).map_or(word, |(at, _)| &word[..at]);
    if word.starts_with(hangul) {
        // In Korean, particles follow the stem. Two syllables are about five letters when decomposed.
        return cut(5);
    }
    let ends = ["ing", "ed", "es", "er", "en", "e", "s", "n", "r", "d"];
    let without = |end: &&str| word.strip_suffix(*end).filter(|stem| stem.len() >= 4);
    let bare = ends.iter().find_map(without).unwrap_or(word);
    let most = bare.char_indices().nth(LONGEST_STEM).map_or(bare.len(), |(at, _)| at);
    &bare[..most]
}

/// The form in which a word distinguishes titles; `None` for other words.
fn mark(word: &str) -> Option<String> {
    if word.chars().any(char::is_numeric) {
        return Some(number(word));
    }
    MARKS.get(word).map(|mark| (*mark).to_owned()).or_else(|| day_name(word))
}

/// A number in a normalised form: `v1.2` as `1.2`, `1,200` as `1200`, `4,7` as `4.7`, `3rd` as `3`.
fn number(word: &str) -> String {
    let word: String = word.chars().map(western).collect();
    let word = word.strip_prefix('v').unwrap_or(&word);
    let digits: String =
        word.chars().take_while(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'')).collect();
    let digits = digits.trim_end_matches(['.', ',', '\'']);
    if digits.is_empty() {
        // A name such as q3 or h5n1.
        return word.to_owned();
    }
    let mut groups = digits.split(['.', ',', '\'']);
    let first = groups.next().unwrap_or_default();
    let mut rest = groups.clone();
    let thousands = digits != first && first.len() <= 3 && rest.all(|group| group.len() == 3);
    if thousands {
        return groups.fold(first.to_owned(), |all, group| all + group);
    }
    digits.replace(',', ".")
}

/// Converts a digit of another script to ASCII.
fn western(c: char) -> char {
    let zero = match u32::from(c) {
        0x0660..=0x0669 => 0x0660,
        0x06f0..=0x06f9 => 0x06f0,
        0x0966..=0x096f => 0x0966,
        _ => return c,
    };
    char::from_digit(u32::from(c) - zero, 10).unwrap_or(c)
}

/// `Bridge closed (post.example)` becomes `Bridge closed`.
fn without_site(text: &str) -> &str {
    let parts = text.trim_end().strip_suffix(')').and_then(|text| text.rsplit_once('('));
    let site = |site: &str| site.contains('.') && !site.contains(char::is_whitespace);
    parts.filter(|(_, inside)| site(inside)).map_or(text, |(before, _)| before)
}

/// `Breaking: Bridge closed` becomes `Bridge closed`.
fn without_label(text: &str) -> &str {
    let Some((label, rest)) = text.split_once([':', '|', '+']) else { return text };
    let label = label.trim().to_lowercase();
    let known = LABELS.contains(&label.as_str());
    if known && !rest.trim().is_empty() { rest } else { text }
}

/// `Bridge closed for repairs | The Evening Post` becomes `Bridge closed for repairs`.
fn without_publisher(text: &str) -> &str {
    let signs = [" - ", " – ", " — ", " | ", " · ", " :: ", " » ", " // "];
    let last = signs.iter().filter_map(|sign| Some((text.rfind(sign)?, sign.len()))).max();
    let Some((at, sign)) = last else { return text };
    let (before, after) = (&text[..at], &text[at + sign..]);
    let suffix = words(after, MAX_BYTES, MAX_WORDS);
    let has_mark = suffix.iter().any(|word| mark(word).is_some());
    let enough = words(before, MAX_BYTES, MAX_WORDS).len() >= 4;
    if suffix.len() <= SUFFIX && !has_mark && enough { before } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_one_story_are_equal() {
        for (a, b) in [
            (
                "Bridge closed for major repairs | The Evening Post",
                "Breaking: Bridge closed for major repairs",
            ),
            ("Élection: cinq candidats, 1 200 bureaux", "ELECTION, cinq candidats – 1 200 bureaux"),
            ("“Night trains” return to Vienna — Rail Weekly", "Night trains return to Vienna"),
            ("Ｆｕｌｌ width", "full WIDTH"),
        ] {
            assert_eq!(title(a), title(b), "{a}");
        }
    }

    #[test]
    fn different_spellings_of_a_number_are_equal() {
        for (a, b) in [
            ("v1.2", "1.2"),
            ("3rd", "3"),
            ("1,200", "1200"),
            ("1.200.000", "1200000"),
            ("4,7", "4.7"),
            ("٣", "3"),
            ("5bn", "5"),
        ] {
            assert_eq!(number(a), number(b), "{a}");
        }
        assert_ne!(number("1.20"), number("120"));
        assert_ne!(number("q3"), number("q4"));
        assert_eq!(mark("three"), mark("3"));
        assert_eq!(mark("bridge"), None);
    }

    #[test]
    fn marks_distinguish_parts_days_and_kinds() {
        for (a, b) in [
            ("Rust 1.90", "Rust 1.91"),
            ("Part two", "Part three"),
            ("Weather for Tuesday", "Weather for Wednesday"),
            ("The new phone: review", "The new phone: interview"),
            ("Court will hear it", "Court will not hear it"),
            ("Teil zwei", "Teil drei"),
        ] {
            assert_ne!(title(a).marks, title(b).marks, "{a}");
        }
    }
}
