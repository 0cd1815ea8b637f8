//! Which names fit what was typed, best first.

use crate::config::Action;
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};

/// The actions that fit, best first. Help is searched only where no name fits, and only if wanted.
pub(super) fn actions(typed: &str, helps: bool) -> Vec<Action> {
    let names: Vec<&str> = Action::ALL.iter().map(|action| action.name()).collect();
    let found = ranked(&names, &typed.replace(' ', "-"));
    if !found.is_empty() || !helps {
        return found.into_iter().map(|i| Action::ALL[i]).collect();
    }
    let words: Vec<String> = typed.split_whitespace().map(str::to_lowercase).collect();
    let fits = |action: &&Action| {
        let help = action.help().to_lowercase();
        let begins = |word: &String| help.split_whitespace().any(|w| w.starts_with(word.as_str()));
        words.iter().all(begins)
    };
    Action::ALL.iter().filter(fits).copied().collect()
}

/// The rank of a name of which only the beginnings of several words were typed.
const ABBREVIATED: u8 = 3;

/// The names that fit, best first: those that are it, begin with it, have a word that begins with it,
/// or words that begin with its parts in their order; where there is none, those that contain it or
/// its letters in their order.
pub(super) fn ranked(names: &[&str], typed: &str) -> Vec<usize> {
    let wanted = typed.to_lowercase();
    if wanted.is_empty() {
        return (0..names.len()).collect();
    }
    let rank = |name: &str| {
        let name = name.to_lowercase();
        match () {
            () if name == wanted => Some(0),
            () if name.starts_with(&wanted) => Some(1),
            () if word_starts(&name).any(|word| word.starts_with(&wanted)) => Some(2),
            () if is_abbreviated(&name, &wanted) => Some(ABBREVIATED),
            () => None,
        }
    };
    let mut hits: Vec<_> =
        names.iter().enumerate().filter_map(|(i, name)| Some((rank(name)?, i))).collect();
    hits.sort_unstable();
    if let Some((best, _)) = hits.first().copied() {
        // Abbreviations count where nothing else fits.
        hits.retain(|(rank, _)| *rank < ABBREVIATED || best == ABBREVIATED);
        return hits.into_iter().map(|(_, i)| i).collect();
    }
    let pattern = Pattern::parse(typed, CaseMatching::Ignore, Normalization::Smart);
    let lines = names.iter().enumerate().map(|(i, name)| Line(i, name));
    let hits = pattern.match_list(lines, &mut Matcher::new(Config::DEFAULT));
    // Letters that lie far apart are found in everything.
    let least = u32::try_from(wanted.chars().count()).unwrap_or(0) * 20;
    hits.into_iter().filter(|(_, score)| *score >= least).map(|(line, _)| line.0).collect()
}

/// The name from each of its words on.
fn word_starts(name: &str) -> impl Iterator<Item = &str> {
    let breaks = name.char_indices().zip(name.chars().skip(1));
    let starts = breaks.filter(|((_, c), next)| !c.is_alphanumeric() && next.is_alphanumeric());
    [0].into_iter().chain(starts.map(|((i, c), _)| i + c.len_utf8())).map(|i| &name[i..])
}

/// Whether it is made of the beginnings of words in their order: `ra` for `refresh-all`.
fn is_abbreviated(name: &str, wanted: &str) -> bool {
    let mut rest = wanted.trim_matches('-');
    for word in name.split(|c: char| !c.is_alphanumeric()) {
        let same = word.chars().zip(rest.chars()).take_while(|(a, b)| a == b);
        rest = &rest[same.map(|(a, _)| a.len_utf8()).sum::<usize>()..];
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
    }
    rest.is_empty()
}

struct Line<'a>(usize, &'a str);

impl AsRef<str> for Line<'_> {
    fn as_ref(&self) -> &str {
        self.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_before_help_and_beginnings_before_the_rest() {
        for (typed, expected) in [
            ("theme", vec!["theme"]),
            ("ref", vec!["refresh-all", "refresh", "force-refresh"]),
            ("refresh", vec!["refresh", "refresh-all", "force-refresh"]),
            ("refresh all", vec!["refresh-all"]),
            ("ra", vec!["refresh-all", "read-all"]),
            ("unread", vec!["next-unread", "previous-unread"]),
            ("thme", vec!["theme"]),
            ("footnote", vec!["hints", "jump-back"]),
            ("zzzz", vec![]),
        ] {
            let names: Vec<&str> = actions(typed, true).iter().map(|a| a.name()).collect();
            assert_eq!(names, expected, "{typed}");
        }
    }

    #[test]
    fn arguments_are_found_by_word_beginnings() {
        let names = ["Kernel notes", "The council", "notes on kernels", "日本語 ニュース"];
        for (typed, expected) in [
            ("no", vec![2, 0]),
            ("kernel n", vec![0]),
            ("tc", vec![1]),
            ("ニュ", vec![3]),
            ("", vec![0, 1, 2, 3]),
        ] {
            assert_eq!(ranked(&names, typed), expected, "{typed}");
        }
    }
}
