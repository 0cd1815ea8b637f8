//! Identifiers of entries that stay the same from poll to poll.

use super::dates::DayKey;
use crate::util::text;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use url::Url;

/// Maximum length of a fragment, in bytes.
const LONGEST: usize = 200;

/// Properties that may identify an entry.
#[derive(Debug, Clone, Default)]
pub(super) struct Traits {
    /// The `id` or name of the entry's element.
    pub(super) fragment: Option<String>,
    /// The link of the entry, unless it leads to a place on the page itself.
    pub(super) link: Option<Url>,
    pub(super) title: String,
    pub(super) day: Option<DayKey>,
    /// Whether the date is relative to the poll, so that it cannot distinguish the entry from another one.
    pub(super) floats: bool,
    /// The text of the entry, which distinguishes otherwise equal entries.
    pub(super) text: String,
}

/// An identifier for each entry, and whether its fragment may be linked to. The identifier is the fragment,
/// or else the link, or else title and day, each only if no other entry has the same one. The remaining
/// entries are distinguished by their text, never by their position, because new entries are added at the
/// top.
pub(super) fn identify(all: &[Traits]) -> Vec<(String, bool)> {
    let fragments = counts(all.iter().filter_map(|t| t.fragment.clone()));
    let links = counts(all.iter().filter_map(link_key));
    let named = counts(all.iter().map(name));
    let counted = are_counted(all);
    let mut ids: Vec<(String, bool)> = all
        .iter()
        .map(|traits| {
            let fragment = traits
                .fragment
                .as_ref()
                .filter(|f| !counted && fragments.get(*f) == Some(&1) && lasts(f));
            let link = || link_key(traits).filter(|link| links.get(link) == Some(&1));
            let id = match fragment {
                Some(fragment) => format!("#{fragment}"),
                None => link().unwrap_or_else(|| match name(traits) {
                    name if named.get(&name) == Some(&1) => name,
                    name => format!("{name} {}", digest(traits)),
                }),
            };
            (id, fragment.is_some())
        })
        .collect();
    // If entries differ only in dates such as "3 days ago", they are numbered, beginning with the oldest.
    let mut seen: HashMap<String, usize> = HashMap::new();
    for ((id, _), traits) in ids.iter_mut().zip(all).rev() {
        let number = seen.entry(id.clone()).or_default();
        *number += 1;
        if *number > 1 && traits.floats {
            id.push_str(&format!(" {number}"));
        }
    }
    ids
}

fn counts(keys: impl Iterator<Item = String>) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for key in keys {
        *counts.entry(key).or_default() += 1;
    }
    counts
}

/// A link with its fragment, because a target page may contain several entries too.
fn link_key(traits: &Traits) -> Option<String> {
    let url = traits.link.as_ref()?;
    let fragment = url.fragment().map(|f| format!("#{f}")).unwrap_or_default();
    Some(format!("{}{fragment}", crate::util::url::normalise(url)))
}

fn name(traits: &Traits) -> String {
    let title: String =
        traits.title.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    match &traits.day {
        Some(day) => format!("{title} {day}"),
        None => title,
    }
}

fn digest(traits: &Traits) -> String {
    let mut hash = Sha256::new();
    let link = link_key(traits).unwrap_or_default();
    for word in traits.text.split_whitespace().chain([link.as_str()]) {
        hash.update(word.as_bytes());
        hash.update([0]);
    }
    hash.finalize()[..6].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether the fragments number the entries from the top, so that the next new entry would take over the
/// number of the first.
fn are_counted(all: &[Traits]) -> bool {
    let number = |t: &Traits| -> Option<u64> {
        let fragment = t.fragment.as_deref()?;
        let digits = fragment.trim_start_matches(|c: char| !c.is_ascii_digit());
        digits.parse().ok()
    };
    let numbers: Vec<u64> = all.iter().filter_map(number).collect();
    numbers.len() >= 2 && numbers[0] <= 1 && numbers.windows(2).all(|pair| pair[1] == pair[0] + 1)
}

/// Whether a fragment is likely to be the same tomorrow: it has no UUID, hash or timestamp, and no number
/// that a script generates.
fn lasts(fragment: &str) -> bool {
    let plain = text::line(fragment) == fragment;
    let words = fragment.split(['-', '_', ':', '.', '/']);
    let random = words.clone().filter(|word| is_random(word)).count() > 0 || is_uuid(fragment);
    let generated =
        ["ember", "react", "radix", "headlessui", "mui", "uid", "yui", "ext-gen", "rand"]
            .iter()
            .any(|name| fragment.to_ascii_lowercase().starts_with(name));
    plain && !fragment.is_empty() && fragment.len() <= LONGEST && !random && !generated
}

fn is_uuid(fragment: &str) -> bool {
    let hex: Vec<&str> =
        fragment.split('-').filter(|w| w.bytes().all(|b| b.is_ascii_hexdigit())).collect();
    hex.windows(5).any(|w| w.iter().map(|w| w.len()).eq([8, 4, 4, 4, 12]))
}

/// Whether a word is a hash or a timestamp.
fn is_random(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    // Seconds or milliseconds since 1970.
    if digits == word.len() {
        return matches!(digits, 10 | 13 | 16) && word.starts_with('1');
    }
    let changes = word
        .as_bytes()
        .windows(2)
        .filter(|w| w[0].is_ascii_digit() != w[1].is_ascii_digit())
        .count();
    let hex = word.len() >= 8 && digits >= 2 && word.bytes().all(|b| b.is_ascii_hexdigit());
    hex || word.len() >= 6 && word.is_ascii() && changes >= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(fragment: &str, link: &str, title: &str, text: &str) -> Traits {
        Traits {
            fragment: Some(fragment.to_owned()).filter(|f| !f.is_empty()),
            link: Url::parse(link).ok(),
            title: title.to_owned(),
            day: None,
            floats: false,
            text: text.to_owned(),
        }
    }

    fn ids(all: &[Traits]) -> Vec<String> {
        identify(all).into_iter().map(|(id, _)| id).collect()
    }

    #[test]
    fn identifies_entries_by_the_strongest_unique_trait() {
        let all = [
            of("v2", "https://a.example/2", "Two", ""),
            of("x", "https://a.example/1?utm_source=x", "One", ""),
            of("x", "https://a.example/0", " Nought  is", ""),
            of("", "https://a.example/0", "nought IS", ""),
            of("", "", "Alone", ""),
        ];
        let found = ids(&all);
        assert_eq!(found[..2], ["#v2", "https://a.example/1"]);
        assert!(found[2].starts_with("nought is ") && found[2] == found[3], "the text is the same");
        assert_eq!(found[4], "alone");
    }

    #[test]
    fn position_is_never_an_identifier() {
        let one = of("", "", "Notice", "first text");
        let two = of("", "", "Notice", "second text");
        let three = of("", "", "Notice", "third text");
        let before = ids(&[one.clone(), two.clone()]);
        let after = ids(&[three, two, one]);
        assert_eq!([&after[2], &after[1]], [&before[0], &before[1]]);
        let counted = |n: usize, title: &str| of(&format!("item-{n}"), "", title, "");
        assert_eq!(ids(&[counted(0, "a"), counted(1, "b")]), ["a", "b"]);
        assert_eq!(ids(&[counted(9, "a"), counted(8, "b")]), ["#item-9", "#item-8"]);
    }

    #[test]
    fn numbers_equal_entries_from_the_oldest() {
        let same = Traits { floats: true, ..of("", "", "Outage", "Some logins failed.") };
        let two = ids(&[same.clone(), same.clone()]);
        let three = ids(&[same.clone(), same.clone(), same]);
        assert_ne!(two[0], two[1]);
        assert_eq!(two[..], three[1..]);
    }

    #[test]
    fn recognises_fragments_that_change() {
        let cases = [
            ("v3-0", true),
            ("300---2026-11-12", true),
            ("post-1234", true),
            ("incident-48213", true),
            ("2026-11-12-open-day", true),
            ("änderungen", true),
            ("a1b2c3d4-e5f6-7890-abcd-ef1234567890", false),
            ("entry-5f2b9c0e", false),
            ("block-1763212345", false),
            ("ember1234", false),
            ("x8Kq2Lm9", false),
        ];
        for (fragment, want) in cases {
            assert_eq!(lasts(fragment), want, "{fragment}");
        }
    }
}
