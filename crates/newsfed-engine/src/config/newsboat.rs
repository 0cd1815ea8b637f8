//! Lists with one URL per line, and newsboat's `urls` file, which adds tags and flags.

use super::import::{
    Entry, Gatherer, Import, ImportError, ImportKind, is_command, no_commands, not_a_list,
    not_an_address,
};

/// Parses either format. A file with syntax specific to newsboat is a newsboat file.
pub(crate) fn read(text: &str, name: &str) -> Result<Import, ImportError> {
    let mut gatherer = Gatherer::default();
    let mut kind = ImportKind::Urls;
    let mut strangers = Vec::new();
    let mut hidden: Vec<String> = Vec::new();
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let words = split(line);
        let Some((first, rest)) = words.split_first() else { continue };
        if first.starts_with("query:") {
            kind = ImportKind::Newsboat;
            gatherer.query(first);
        } else if is_command(first) {
            kind = ImportKind::Newsboat;
            gatherer.skip(first, no_commands(first));
        } else if let Some(address) = address_of(first.strip_prefix('!').unwrap_or(first)) {
            if !rest.is_empty() || first.starts_with('!') {
                kind = ImportKind::Newsboat;
            }
            if line.starts_with('!') || rest.iter().any(|word| word.starts_with('!')) {
                hidden.push(address.clone());
            }
            gatherer.add(&entry(address, rest));
        } else {
            strangers.push(line);
        }
    }
    if gatherer.is_empty() && kind == ImportKind::Urls && !strangers.is_empty() {
        let is_setting = |line: &&str| {
            line.split_whitespace().next().is_some_and(|word| SETTINGS.contains(&word))
        };
        if strangers.iter().any(is_setting) {
            return Err(not_a_list(name, OWN_SETTINGS));
        }
        let first = strangers.first().map(|l| super::quote::quote(l)).unwrap_or_default();
        return Err(not_a_list(name, &format!("a text that starts with {first}")));
    }
    for line in strangers {
        gatherer.skip(line, &not_an_address(line));
    }
    // All hidden feeds share one line, because a long list would hide more important messages.
    match hidden.as_slice() {
        [] => {}
        [address] => gatherer.skip_setting(&format!("hidden (!): {address}"), NO_HIDDEN),
        many => gatherer.skip_setting(&format!("hidden (!): {} sources", many.len()), NO_HIDDEN),
    }
    gatherer.finish(kind, name, "every line is empty or a comment")
}

/// Settings that only occur in newsboat's settings file.
const SETTINGS: [&str; 11] = [
    "auto-reload",
    "bind-key",
    "browser",
    "color",
    "highlight",
    "ignore-article",
    "include",
    "macro",
    "refresh-on-startup",
    "reload-time",
    "unbind-key",
];
/// The description of a file with such settings.
const OWN_SETTINGS: &str =
    "newsboat's settings file (docs/moving.md lists what replaces its settings)";

/// Why newsboat's marker for hidden feeds is ignored.
const NO_HIDDEN: &str = "newsfed cannot hide sources; they are imported like any other";

/// The URL in a word; hosts may be written without https://.
fn address_of(word: &str) -> Option<String> {
    if let Some((scheme, rest)) = word.split_once("://") {
        let is_scheme = !scheme.is_empty()
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
        return (is_scheme && !rest.is_empty()).then(|| word.to_owned());
    }
    let host = word.split(['/', '?', '#']).next()?;
    let labels: Vec<_> = host.split('.').collect();
    let is_label = |l: &&str| !l.is_empty() && l.chars().all(|c| c.is_alphanumeric() || c == '-');
    let is_host = labels.len() > 1
        && labels.iter().all(|l| is_label(&l.split(':').next().unwrap_or("")))
        && labels.last().is_some_and(|l| l.chars().next().is_some_and(char::is_alphabetic));
    is_host.then(|| format!("https://{word}"))
}

/// `~title` sets the title, words that begin with `!` or `-` are newsboat's display flags, and everything
/// else is a tag.
fn entry(address: String, words: &[String]) -> Entry {
    let mut entry = Entry { address, ..Entry::default() };
    for word in words {
        match word.strip_prefix('~') {
            Some(title) => entry.title = Some(title.to_owned()),
            None if word.starts_with(['!', '-']) => {}
            None => entry.tags.push(word.replace(',', " ")),
        }
    }
    entry
}

/// Words separated by spaces; double quotes keep spaces, and inside them a backslash keeps the next
/// character.
fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            '\\' if quoted => word.get_or_insert_default().extend(chars.next()),
            c if c.is_whitespace() && !quoted => words.extend(word.take()),
            // A comment after a URL.
            '#' if !quoted && word.is_none() => break,
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words.retain(|w| !w.trim().is_empty());
    words
}
