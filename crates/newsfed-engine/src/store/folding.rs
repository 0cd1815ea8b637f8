//! Characters as the full-text index reads them (`unicode61 remove_diacritics 2`), where that is certain: a
//! test compares every character with the index.

use crate::util::segment;
use crate::util::text;
use std::sync::LazyLock;

/// How the index reads a character that is not ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A letter or digit, as the index writes it.
    Letter(char),
    /// A letter that is a word of its own, whatever it is adjacent to.
    Word(char),
    /// An accent, which the index removes everywhere.
    Nothing,
    /// A character that separates words.
    Gap,
    /// Never part of a word in a phrase. It is not known whether the index treats it as a separator.
    Strange,
    /// It may be part of a word in a phrase.
    Unknown,
}

/// A character: its form, and whether the conversion of HTML to text leaves it unchanged.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    pub(super) form: Form,
    pub(super) is_clean: bool,
}

/// The first character of the table.
const FIRST: u32 = 0x80;
/// The last character of the table.
const LAST: u32 = 0x58f;
/// The characters of scripts that have upper case or accents, so that most texts only need the table.
/// Computing the plain form of a letter takes longer than reading a line of text.
static TABLE: LazyLock<Vec<Known>> =
    LazyLock::new(|| (FIRST..=LAST).filter_map(char::from_u32).map(find).collect());
/// Like [`TABLE`], for more letters with accents.
static ADDITIONAL: LazyLock<Vec<Known>> =
    LazyLock::new(|| ('\u{1e00}'..='\u{1eff}').map(find).collect());

/// Dashes, quotation marks and similar characters.
static PUNCTUATION: LazyLock<Vec<Known>> =
    LazyLock::new(|| ('\u{2000}'..='\u{206f}').map(find).collect());

/// A text approximately as the index reads it, but with its symbols. Line breaks are spaces.
pub(super) fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    folded.extend(text.chars().filter_map(folded_char));
    folded
}

/// A character of a folded text; `None` for accents.
pub(super) fn folded_char(c: char) -> Option<char> {
    if c.is_ascii() {
        return Some(if c.is_ascii_whitespace() { ' ' } else { c.to_ascii_lowercase() });
    }
    match known(c).form {
        Form::Letter(c) | Form::Word(c) => Some(c),
        Form::Gap => Some(' '),
        Form::Nothing => None,
        Form::Strange | Form::Unknown => c.to_lowercase().next(),
    }
}

/// What is known about a character that is not ASCII.
pub(super) fn known(c: char) -> Known {
    let code = u32::from(c);
    let in_table = |table: &[Known], first: u32| {
        let at = usize::try_from(code.checked_sub(first)?).ok()?;
        table.get(at).copied()
    };
    let found = match code {
        FIRST..=LAST => in_table(&TABLE, FIRST),
        0x1e00..=0x1eff => in_table(&ADDITIONAL, 0x1e00),
        0x2000..=0x206f => in_table(&PUNCTUATION, 0x2000),
        _ => None,
    };
    found.unwrap_or_else(|| find(c))
}

fn find(c: char) -> Known {
    // A variation selector is read as a gap, and is removed only after another gap.
    let is_clean = matches!(c, '\u{a0}' | '\u{fe0f}') || text::stands_alone(c);
    Known { form: form(c), is_clean }
}

fn form(c: char) -> Form {
    let lower = || {
        let mut lower = c.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some(one), None) => Form::Letter(one),
            _ => Form::Unknown,
        }
    };
    match c {
        _ if segment::is_word(c) => Form::Word(c),
        _ if is_removed(c) => Form::Nothing,
        _ if is_combining(c) => Form::Unknown,
        // Letters with two accents, and symbols that the index writes as other letters.
        '\u{1e0}' | '\u{1e1}' | '\u{3d0}'..='\u{3ff}' | '\u{1fbe}' | '\u{2126}' => Form::Unknown,
        '\u{2c60}'..='\u{2c7f}' | '\u{a720}'..='\u{a7ff}' => Form::Unknown,
        // The micro sign, and the sigma at the end of a word.
        '\u{b5}' => Form::Letter('\u{3bc}'),
        '\u{3c2}' => Form::Letter('\u{3c3}'),
        '\u{80}'..='\u{2ff}' | '\u{1e00}'..='\u{1eff}' if !c.is_alphanumeric() => Form::Gap,
        '\u{2b0}'..='\u{2ff}' if !is_modifier_letter(c) => Form::Gap,
        '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => without_accents(c).unwrap_or_else(lower),
        '\u{80}'..='\u{2ff}' => lower(),
        _ if is_known_letter(c) => lower(),
        _ if is_known_sign(c) => Form::Gap,
        _ if c.is_alphanumeric() && is_ascii_alike(c) => Form::Unknown,
        _ => Form::Strange,
    }
}

/// The base letter of a Latin letter with accents.
fn without_accents(c: char) -> Option<Form> {
    let plain = text::comparable(c.encode_utf8(&mut [0; 4]));
    let mut plain = plain.chars();
    match (plain.next(), plain.next()) {
        (Some(one), None) if one.is_ascii_lowercase() => Some(Form::Letter(one)),
        _ => None,
    }
}

/// Whether a character is a variant form of an ASCII letter or digit.
fn is_ascii_alike(c: char) -> bool {
    let plain = text::comparable(c.encode_utf8(&mut [0; 4]));
    plain.bytes().any(|b| b.is_ascii_alphanumeric())
}

fn is_modifier_letter(c: char) -> bool {
    matches!(c, '\u{2b0}'..='\u{2c1}' | '\u{2c6}'..='\u{2d1}' | '\u{2e0}'..='\u{2e4}' | '\u{2ec}' | '\u{2ee}')
}

/// Letters and digits of common scripts whose form is their lower case. Not complete.
fn is_known_letter(c: char) -> bool {
    matches!(c,
        '\u{386}' | '\u{388}'..='\u{38a}' | '\u{38c}' | '\u{38e}'..='\u{3a1}' | '\u{3a3}'..='\u{3ce}'
        | '\u{400}'..='\u{481}' | '\u{48a}'..='\u{527}' | '\u{531}'..='\u{556}' | '\u{561}'..='\u{587}'
        | '\u{5d0}'..='\u{5ea}' | '\u{620}'..='\u{64a}' | '\u{660}'..='\u{669}' | '\u{671}'..='\u{6d3}'
        | '\u{ac00}'..='\u{d7a3}')
}

/// Frequent characters that separate words. Not complete: the index treats characters that are newer than its
/// tables as letters.
fn is_known_sign(c: char) -> bool {
    matches!(c,
        '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}' | '\u{20a0}'..='\u{20b9}' | '\u{2116}'
        | '\u{2120}'..='\u{2123}' | '\u{2190}'..='\u{23f3}' | '\u{2400}'..='\u{2426}'
        | '\u{249c}'..='\u{24e9}' | '\u{2500}'..='\u{26ff}'
        | '\u{2701}'..='\u{2775}' | '\u{2794}'..='\u{2b4c}' | '\u{3001}'..='\u{3004}'
        | '\u{3008}'..='\u{3020}' | '\u{30fb}' | '\u{fe0f}' | '\u{ff01}'..='\u{ff0f}'
        | '\u{ff1a}'..='\u{ff20}' | '\u{1f130}'..='\u{1f16b}' | '\u{1f170}'..='\u{1f19a}'
        | '\u{1f300}'..='\u{1f320}' | '\u{1f330}'..='\u{1f335}' | '\u{1f337}'..='\u{1f37c}'
        | '\u{1f400}'..='\u{1f43e}' | '\u{1f442}'..='\u{1f4f7}' | '\u{1f500}'..='\u{1f53d}'
        | '\u{1f5fb}'..='\u{1f640}' | '\u{1f645}'..='\u{1f64f}' | '\u{1f680}'..='\u{1f6c5}')
}

/// Accents that the index removes.
fn is_removed(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{304}' | '\u{306}'..='\u{30c}' | '\u{30f}' | '\u{311}' | '\u{31b}'
        | '\u{323}'..='\u{328}' | '\u{32d}' | '\u{32e}' | '\u{330}' | '\u{331}')
}

/// Combining marks, which belong to the preceding letter.
pub(super) fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}')
        || matches!(c, '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::{Connection, params};
    use std::collections::{HashMap, HashSet};

    /// How the index reads each character between two letters; `None` if it reads a gap.
    fn read_by_the_index() -> HashMap<char, Option<String>> {
        let conn = Connection::open_in_memory().unwrap();
        conn.execute_batch(&format!(
            "{}; CREATE VIRTUAL TABLE temp.word USING fts5vocab (temp, arriving, instance);",
            crate::store::arrivals::ARRIVING
        ))
        .unwrap();
        let all = || {
            let other = ('\u{1b000}'..='\u{1b170}').chain('\u{1f000}'..='\u{20100}');
            ('\u{80}'..='\u{ffff}').chain(other)
        };
        conn.execute_batch("BEGIN").unwrap();
        let mut insert =
            conn.prepare("INSERT INTO arriving (rowid, title) VALUES (?1, ?2)").unwrap();
        for c in all() {
            let text = format!("q{c}z");
            insert.execute(params![u32::from(c), segment::segmented(&text)]).unwrap();
        }
        conn.execute_batch("COMMIT").unwrap();
        let mut words: HashMap<u32, Vec<String>> = HashMap::new();
        let mut query = conn.prepare("SELECT doc, term FROM word ORDER BY doc, offset").unwrap();
        let mut rows = query.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            words.entry(row.get(0).unwrap()).or_default().push(row.get(1).unwrap());
        }
        let read = |c: char| match words[&u32::from(c)].as_slice() {
            [one] => Some(one.strip_prefix('q').unwrap().strip_suffix('z').unwrap().to_owned()),
            [q, word, z] => {
                assert_eq!([q, z], ["q", "z"], "{c:?}");
                assert!(segment::is_word(c), "{c:?}");
                Some(word.clone())
            }
            two => {
                assert_eq!(two, ["q", "z"], "{c:?}");
                None
            }
        };
        all().map(|c| (c, read(c))).collect()
    }

    #[test]
    fn characters_are_folded_as_in_the_index() {
        let index = read_by_the_index();
        let forms: HashMap<char, Form> = index.keys().map(|c| (*c, known(*c).form)).collect();
        let letters: HashSet<String> = forms
            .values()
            .filter_map(|form| match form {
                Form::Letter(letter) | Form::Word(letter) => Some(letter.to_string()),
                _ => None,
            })
            .collect();
        for (c, form) in &forms {
            let read = &index[c];
            match form {
                Form::Letter(letter) | Form::Word(letter) => {
                    assert_eq!(read, &Some(letter.to_string()), "{c:?}")
                }
                Form::Nothing => assert_eq!(read, &Some(String::new()), "{c:?}"),
                Form::Gap => assert_eq!(read, &None, "{c:?}"),
                Form::Strange => {
                    let is_letter = |read: &String| letters.contains(read) || read.is_ascii();
                    assert!(!read.as_ref().is_some_and(is_letter), "{c:?} is {read:?}");
                }
                Form::Unknown => {}
            }
        }
        let count = |wanted: fn(&Form) -> bool| forms.values().filter(|form| wanted(form)).count();
        assert!(count(|form| matches!(form, Form::Letter(_))) > 12_000);
        assert!(count(|form| matches!(form, Form::Word(_))) > 28_000);
        assert!(count(|form| *form == Form::Unknown) < 1500);
    }
}
