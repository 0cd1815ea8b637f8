//! Ranks names by how well they match a typed text.

use crate::config::{Action, SettingRow, begins_as, setting_rows};
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};

/// Minimum length of the typed text, in characters, for searching descriptions too.
const MIN_FOR_HELP: usize = 3;

/// The matching actions, best first: names that begin with the text or contain it as a word, then
/// descriptions and other words for the same thing if `search_help` is set, then other names. A sweeping
/// action does not come first if another action matches, unless its name was typed. If the typed text is the
/// name of a command in another program, its counterpart comes first.
pub(super) fn actions(typed: &str, search_help: bool) -> Vec<Action> {
    let names: Vec<&str> = Action::ALL.iter().map(|action| action.name()).collect();
    let pattern = typed.trim().replace(' ', "-").to_lowercase();
    let found = ranked(&names, &pattern).into_iter().map(|i| Action::ALL[i]);
    let is_strong = |action: &Action| {
        let name = action.name();
        name.starts_with(&pattern) || name.split('-').any(|word| word == pattern)
    };
    let (mut all, weak): (Vec<Action>, Vec<Action>) = found.partition(is_strong);
    all.sort_by_key(|action| action.is_sweeping() && action.name() != pattern);
    let is_long = typed.trim().chars().count() >= MIN_FOR_HELP;
    if search_help && (is_long || all.is_empty() && weak.is_empty()) {
        // If a name matches exactly, descriptions must contain the same words; otherwise prefixes of words
        // are enough.
        let whole = !all.is_empty();
        let words: Vec<String> = typed.split_whitespace().map(str::to_lowercase).collect();
        let described = Action::ALL.iter().copied().filter(|action| {
            let texts = [action.label(), action.help(), action.search_words()];
            let help = texts.join(" ").to_lowercase();
            let has = |word: &String| {
                let mut parts = help.split(|c: char| !c.is_alphanumeric());
                parts.any(|part| part == word || !whole && begins_as(part, word))
            };
            !all.contains(action) && !weak.contains(action) && words.iter().all(has)
        });
        // The user does not see the other names, so actions that show the words come first.
        let (shown, other): (Vec<Action>, Vec<Action>) = described.partition(|action| {
            let shown = format!("{} {}", action.label(), action.help()).to_lowercase();
            let is_shown = |word: &String| {
                shown.split(|c: char| !c.is_alphanumeric()).any(|part| begins_as(part, word))
            };
            words.iter().all(is_shown)
        });
        all.extend(shown.into_iter().chain(other));
    }
    all.extend(weak);
    // Enter runs the first action, so one that changes many items or sources must be selected explicitly.
    let is_harmless = |action: &Action| !action.is_sweeping() || action.name() == pattern;
    if let Some(harmless) = all.iter().position(is_harmless) {
        all[..=harmless].rotate_right(1);
    }
    if let Some(meant) = Action::known_as(typed.trim()) {
        all.retain(|action| *action != meant);
        all.insert(0, meant);
    }
    all
}

/// The settings in which each typed word is a prefix of a word. Those with matches in their names come first.
pub(super) fn settings(typed: &str) -> Vec<SettingRow> {
    let words: Vec<String> = typed.split_whitespace().map(str::to_lowercase).collect();
    let fits = |text: &str| {
        let text = text.to_lowercase();
        let has = |word: &String| {
            text.split(|c: char| !c.is_alphanumeric()).any(|part| begins_as(part, word))
        };
        words.iter().all(has)
    };
    let name = |row: &SettingRow| format!("{} {}", row.key, row.label);
    let described = |row: &SettingRow| format!("{} {} {}", name(row), row.help, row.search_words());
    let mut found: Vec<SettingRow> = setting_rows().filter(|row| fits(&described(row))).collect();
    found.sort_by_key(|row| !fits(&name(row)));
    found
}

/// The rank of a name that an abbreviation matches.
const ABBREVIATED: u8 = 3;

/// Indexes of the matching names, best first: equal, prefix, prefix of a word, abbreviation. If none match,
/// names that contain the text or its letters in order.
pub(super) fn ranked(names: &[&str], typed: &str) -> Vec<usize> {
    let pattern = typed.to_lowercase();
    if pattern.is_empty() {
        return (0..names.len()).collect();
    }
    let rank = |name: &str| {
        let name = name.to_lowercase();
        match () {
            () if name == pattern => Some(0),
            () if name.starts_with(&pattern) => Some(1),
            () if word_starts(&name).any(|word| word.starts_with(&pattern)) => Some(2),
            () if is_abbreviated(&name, &pattern) => Some(ABBREVIATED),
            () => None,
        }
    };
    let mut hits: Vec<_> =
        names.iter().enumerate().filter_map(|(i, name)| Some((rank(name)?, i))).collect();
    hits.sort_unstable();
    if let Some((best, _)) = hits.first().copied() {
        // Abbreviations count only if nothing else matches.
        hits.retain(|(rank, _)| *rank < ABBREVIATED || best == ABBREVIATED);
        return hits.into_iter().map(|(_, i)| i).collect();
    }
    let matcher = Pattern::parse(typed, CaseMatching::Ignore, Normalization::Smart);
    let lines = names.iter().enumerate().map(|(i, name)| Line(i, name));
    let hits = matcher.match_list(lines, &mut Matcher::new(Config::DEFAULT));
    // With letters far apart, nearly all names would match.
    let min_score = u32::try_from(pattern.chars().count()).unwrap_or(0) * 20;
    hits.into_iter().filter(|(_, score)| *score >= min_score).map(|(line, _)| line.0).collect()
}

/// The suffixes of the name that start at a word.
fn word_starts(name: &str) -> impl Iterator<Item = &str> {
    let breaks = name.char_indices().zip(name.chars().skip(1));
    let starts = breaks.filter(|((_, c), next)| !c.is_alphanumeric() && next.is_alphanumeric());
    [0].into_iter().chain(starts.map(|((i, c), _)| i + c.len_utf8())).map(|i| &name[i..])
}

/// Whether `pattern` consists of prefixes of words in order: `ra` for `refresh-all`.
fn is_abbreviated(name: &str, pattern: &str) -> bool {
    let mut rest = pattern.trim_matches('-');
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
    fn ranks_prefixes_first_and_names_before_descriptions() {
        for (typed, expected) in [
            ("theme", vec!["theme"]),
            ("ref", vec!["refresh-all", "refresh", "force-refresh"]),
            ("re", vec!["read-for", "rename"]),
            ("read", vec!["read", "read-for"]),
            ("read-all", vec!["read-all"]),
            ("del", vec!["delete"]),
            // A description with the exact word comes before a name with a longer word.
            (
                "mark",
                vec!["mark-read", "mark-unread", "toggle-read", "read-all", "read-everything"],
            ),
            ("refresh", vec!["refresh", "refresh-all", "force-refresh"]),
            ("refresh all", vec!["refresh-all"]),
            ("ra", vec!["refresh-all", "read-all", "read-above"]),
            // Words of the interface ("schedule"), and commands of vi.
            ("sched", vec!["why"]),
            ("q", vec!["quit", "queue"]),
            ("q!", vec!["quit"]),
            ("wq", vec!["quit"]),
            // Names in newsboat and in earlier versions.
            ("open-in-browser", vec!["browser"]),
            ("reload-all", vec!["refresh-all"]),
            ("mark-all-feeds-read", vec!["read-everything"]),
            ("cancel-running", vec!["stop-running"]),
            ("cancel", vec!["stop-running"]),
            ("unread", vec!["unread-only", "show-unread", "next-unread", "previous-unread"]),
            ("thme", vec!["theme"]),
            ("footnote", vec!["hints", "jump-back"]),
            // Search words that are in no name or description.
            ("newsletter", vec!["add"]),
            ("podcast", vec!["queue", "downloads", "enclosure", "download", "enqueue"]),
            ("macro", vec!["keys"]),
            ("notify", vec!["rules"]),
            ("contents", vec!["headings"]),
            ("table of contents", vec!["headings"]),
            ("outline", vec!["headings"]),
            ("toc", vec!["headings"]),
            // Descriptions come before search words, which are not shown.
            ("folder", vec!["jump", "crawl", "rename", "move"]),
            ("zzzz", vec![]),
        ] {
            let mut names: Vec<&str> = actions(typed, true).iter().map(|a| a.name()).collect();
            let all = names.len();
            names.truncate(expected.len());
            assert_eq!(names, expected, "{typed}");
            assert!(!expected.is_empty() || all == 0, "{typed}");
        }
    }

    #[test]
    fn finds_settings_by_key_label_and_help() {
        for (typed, expected) in [
            ("density", vec!["ui.list"]),
            ("theme", vec!["ui.theme"]),
            ("date format", vec!["ui.dates"]),
            ("mark sto", vec!["ui.mark_stories"]),
            ("episode", vec!["listen.player"]),
            ("zzzz", vec![]),
        ] {
            let mut keys: Vec<&str> = settings(typed).iter().map(|row| row.key).collect();
            keys.truncate(1);
            assert_eq!(keys, expected, "{typed}");
        }
    }

    #[test]
    fn finds_arguments_by_word_prefixes() {
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
