//! `[open]` of `config.toml`: the programs that open files, by media type.

use super::checks::ARGUMENT;
use super::document::Pair;
use super::error::{Report, did_you_mean};
use super::quote::quote;
use super::rule::{Slot, fill};
use super::schema::SETTINGS;
use super::setting::read;
use super::settings::{OpenSettings, Settings};
use crate::util::browser::draws_in_terminal;
use crate::util::media::essence;

const ALL: &str = "*";

impl Settings {
    /// The program for a file of a media type, and whether it runs in the terminal. `media_type` is empty if
    /// the type is unknown. If no program is set, or the program is empty, the browser is returned.
    pub fn program(&self, media_type: &str) -> (&[String], bool) {
        let family = media_type.split_once('/').map(|(family, _)| format!("{family}/*"));
        let keys = [Some(media_type), family.as_deref(), Some(ALL)];
        match keys.into_iter().flatten().find_map(|key| self.open.programs.get(key)) {
            Some(argv) if !argv.is_empty() => {
                (argv, draws_in_terminal(argv, media_type, &self.open.terminal))
            }
            _ => (&self.browser, self.browser_in_terminal),
        }
    }
}

/// A media type, a wildcard such as `audio/*`, or `*`.
fn pattern(key: &str) -> Result<String, String> {
    let family = key.strip_suffix("/*").map(|family| format!("{family}/x"));
    let good = key == ALL || essence(family.as_deref().unwrap_or(key)).is_some();
    let example = "expected a media type such as \"audio/*\" or \"application/pdf\", or \"*\"";
    if good && !key.contains(';') {
        Ok(key.trim().to_ascii_lowercase())
    } else {
        Err(format!("{example}, found {}", quote(key)))
    }
}

/// Reads the table: its settings, and the programs for media types.
pub(super) fn read_open(table: &[Pair], settings: &mut Settings, report: &mut Report) {
    // Other keys are settings, perhaps misspelt.
    let is_type =
        |pair: &&Pair| pair.key.contains('/') || did_you_mean(&pair.key, ["terminal"]).is_empty();
    for pair in table.iter().filter(is_type) {
        let name = format!("open.{}", quote(&pair.key));
        let mut argv = Vec::new();
        let filled = fill(Slot::Command(&mut argv), ARGUMENT, &pair.node);
        match (pattern(&pair.key), filled) {
            (Err(message), _) => report.error(pair.at, &name, message),
            (_, Err(message)) => report.error(pair.node.at, &name, message),
            (Ok(key), Ok(())) => drop(settings.open.programs.insert(key, argv)),
        }
    }
    let others: Vec<&str> = table.iter().filter(is_type).map(|pair| pair.key.as_str()).collect();
    read(table, &"open.", (SETTINGS, "open"), &others, settings, report);
}

/// The programs, as TOML.
pub(super) fn shown(open: &OpenSettings) -> toml::Table {
    let pair = |(key, argv): (&String, &Vec<String>)| (key.clone(), argv.clone().into());
    open.programs.iter().map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::load::check_settings;
    use std::path::Path;

    fn settings(text: &str) -> Settings {
        check_settings(Path::new("config.toml"), text, &[]).unwrap().0
    }

    #[test]
    fn the_most_specific_type_is_used() {
        let settings = settings(
            "browser = [\"firefox\"]\nbrowser_in_terminal = true\n[open]\nterminal = [\"epr\"]\n\
             \"audio/*\" = [\"mpv\"]\n\"Audio/OGG\" = [\"ogg-player\"]\n\
             \"application/epub+zip\" = [\"epr\", \"{url}\"]\n\"video/*\" = []\n",
        );
        for (kind, expected) in [
            ("audio/mpeg", ("mpv", true)),
            ("audio/ogg", ("ogg-player", false)),
            ("application/epub+zip", ("epr", true)),
            ("video/mp4", ("firefox", true)),
            ("audio", ("firefox", true)),
            ("", ("firefox", true)),
        ] {
            let (argv, in_terminal) = settings.program(kind);
            assert_eq!((argv[0].as_str(), in_terminal), expected, "{kind}");
        }
        let every = ["open.\"*\"=[\"see\"]".to_owned()];
        let every = check_settings(Path::new(""), "browser = [\"firefox\"]\n", &every).unwrap().0;
        assert_eq!(
            (every.program("").0, every.program("a/b").0),
            (&["see".to_owned()][..], &["see".to_owned()][..])
        );
    }

    #[test]
    fn printed_open_table_reads_back_unchanged() {
        let text = "[open]\n\"audio/*\" = [\"mpv\", \"{url}\"]\n\"*\" = [\"see\"]\n";
        let read = settings(text);
        let printed = super::super::shown::show_settings(&read).to_string();
        assert_eq!(settings(&printed), read);
    }
}
