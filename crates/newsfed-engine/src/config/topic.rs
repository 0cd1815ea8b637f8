//! Topics that can only be configured in `config.toml`. They have no command and no field in the form, but
//! users search for them in the help and the palette.

use super::action::is_searched_by;

/// A table of `config.toml` or a group of its keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Topic {
    /// The name as in the file.
    pub name: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// Additional words that users may search for.
    search_words: &'static str,
}

const fn topic(name: &'static str, help: &'static str, search_words: &'static str) -> Topic {
    Topic { name, help, search_words }
}

const TOPICS: &[Topic] = &[
    topic(
        "[[hook]]",
        "Run a program after a refresh, with the new items",
        "hook program script webhook automatic external",
    ),
    topic(
        "[[command]]",
        "Define a program that :run starts on items",
        "command program script plugin external",
    ),
    topic("[keys]", "Let a key run several commands", "macro keys remap your own"),
    topic(
        "[[account]]",
        "Read items from a server such as FreshRSS; see newsfed account add",
        "account server synchronise sync freshrss miniflux",
    ),
    topic(
        "[open]",
        "Choose programs for enclosures by their type",
        "podcast player mpv audio video",
    ),
    topic("[themes]", "Make themes with your own colours", "themes colours colors"),
];

/// The topics that match typed text: each typed word is the beginning of a search word.
pub fn topics(typed: &str) -> impl Iterator<Item = &'static Topic> {
    let typed = typed.to_lowercase();
    let fits = move |topic: &&Topic| {
        let words: Vec<&str> = typed.split_whitespace().collect();
        is_searched_by(topic.search_words, &words) || typed == topic.name
    };
    TOPICS.iter().filter(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_topics_by_the_words_that_users_type() {
        let names = |typed: &str| topics(typed).map(|topic| topic.name).collect::<Vec<_>>();
        for (typed, expected) in [
            ("hook", vec!["[[hook]]"]),
            ("Macro", vec!["[keys]"]),
            ("your own", vec!["[keys]"]),
            ("[[account]]", vec!["[[account]]"]),
            ("script", vec!["[[hook]]", "[[command]]"]),
            ("", vec![]),
            ("zzz", vec![]),
        ] {
            assert_eq!(names(typed), expected, "{typed}");
        }
    }
}
