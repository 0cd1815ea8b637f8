//! The fields of the form for the settings: one row per key of `config.toml` that a user may want to
//! turn. What holds while one is empty is its default in the schema.

use super::form::plain;
use super::form_fields::{FLAG, FormPage, GENERAL, Row, Shape};
use super::render::words;
use super::rule::SORT_NAMES;
use super::schema::show_settings;
use super::section::KeyChange;
use super::settings::Settings;
use crate::model::{FullText, PolicyKind};

const APPEARANCE: Row = Row { page: FormPage::Appearance, ..GENERAL };
const READING: Row = Row { page: FormPage::Reading, ..GENERAL };
const RETENTION: Row = Row { page: FormPage::Retention, shape: Shape::Plain, ..GENERAL };
const BUDGET: Row = Row { page: FormPage::Budget, ..GENERAL };
/// The client is made once.
const NETWORK: Row = Row { page: FormPage::Network, waits: true, ..GENERAL };
const KEYS: Row = Row { page: FormPage::Keys, ..GENERAL };

/// Every field, page by page.
pub(super) const ROWS: &[Row] = &[
    Row {
        path: &["ui", "theme"],
        label: "Theme",
        help: "Left and Right walk through the themes",
        ..APPEARANCE
    },
    Row {
        path: &["ui", "ascii"],
        label: "Plain ASCII",
        help: "Marks and lines in plain ASCII",
        shape: Shape::Plain,
        choices: FLAG,
        ..APPEARANCE
    },
    Row {
        path: &["ui", "reader_width"],
        label: "Text width",
        help: "Widest column of the reader's text, in cells",
        shape: Shape::Plain,
        ..APPEARANCE
    },
    Row {
        path: &["ui", "sources_width"],
        label: "Sources pane",
        help: "Cells of the sources pane; 0 goes by the screen",
        shape: Shape::Plain,
        ..APPEARANCE
    },
    Row {
        path: &["ui", "items_width"],
        label: "Items pane",
        help: "Cells of the items pane beside the reader; 0 goes by the screen",
        shape: Shape::Plain,
        ..APPEARANCE
    },
    Row {
        path: &["ui", "mouse"],
        label: "Mouse",
        help: "Whether clicks and the wheel come here",
        shape: Shape::Plain,
        choices: FLAG,
        waits: true,
        ..APPEARANCE
    },
    Row {
        path: &["ui", "sort"],
        label: "Order",
        help: "The order of items in lists",
        choices: SORT_NAMES,
        ..READING
    },
    Row {
        path: &["ui", "read_on_open"],
        label: "Opened is read",
        help: "Whether an item counts as read once it is opened",
        shape: Shape::Plain,
        choices: FLAG,
        ..READING
    },
    Row {
        path: &["browser"],
        label: "Browser",
        help: "A command such as firefox --new-tab {url}; empty is the system's",
        shape: Shape::Command,
        ..READING
    },
    Row {
        path: &["browser_in_terminal"],
        label: "In terminal",
        help: "Whether that browser draws in the terminal",
        shape: Shape::Plain,
        choices: FLAG,
        ..READING
    },
    Row {
        path: &["full_text"],
        label: "Pages",
        help: "Whose pages are asked for the full text, where a source says nothing",
        choices: FullText::NAMES,
        page: FormPage::FullText,
        ..GENERAL
    },
    Row {
        path: &["retention", "days"],
        label: "Keep days",
        help: "How many days items are kept; 0 is forever; pinned ones stay",
        ..RETENTION
    },
    Row {
        path: &["retention", "items"],
        label: "Keep items",
        help: "How many items of each source are kept; 0 is all",
        ..RETENTION
    },
    Row {
        path: &["retention", "unread"],
        label: "Unread too",
        help: "Whether unread items may go too",
        choices: FLAG,
        ..RETENTION
    },
    Row {
        path: &["schedule", "policy"],
        label: "Policy",
        help: "Who decides when a source is polled",
        choices: PolicyKind::NAMES,
        ..BUDGET
    },
    Row {
        path: &["schedule", "polls_per_day"],
        label: "Looks a day",
        help: "Looks per source and day, on the mean over all sources",
        shape: Shape::Plain,
        ..BUDGET
    },
    Row {
        path: &["schedule", "polls_per_day_total"],
        label: "All looks",
        help: "Looks a day of all sources together; 0 has no limit",
        shape: Shape::Plain,
        ..BUDGET
    },
    Row {
        path: &["schedule", "interval"],
        label: "Interval",
        help: "Between two polls of the policy fixed, such as 30m or 1h",
        ..BUDGET
    },
    Row {
        path: &["schedule", "min_interval"],
        label: "At least",
        help: "No look by itself comes sooner after the last one",
        ..BUDGET
    },
    Row {
        path: &["schedule", "max_interval"],
        label: "At most",
        help: "No look comes later after the last one",
        ..BUDGET
    },
    Row {
        path: &["schedule", "quiet_hours"],
        label: "Quiet hours",
        help: "Hours without polls by themselves, such as 23:00-07:00",
        ..BUDGET
    },
    Row {
        path: &["net", "max_in_flight"],
        label: "At once",
        help: "Requests under way at once over all hosts",
        shape: Shape::Plain,
        ..NETWORK
    },
    Row {
        path: &["net", "host_delay"],
        label: "Host pause",
        help: "Least time between two requests to one host",
        ..NETWORK
    },
    Row {
        path: &["net", "proxy"],
        label: "Proxy",
        help: "Such as socks5://localhost:9050",
        ..NETWORK
    },
    Row {
        path: &["net", "contact"],
        label: "Contact",
        help: "Sent along, so that a server's owner can find you",
        ..NETWORK
    },
    Row {
        path: &["net", "feed_timeout"],
        label: "Feed time",
        help: "Time for one request of a feed in all",
        ..NETWORK
    },
    Row {
        path: &["net", "page_timeout"],
        label: "Page time",
        help: "Time for one request of a page in all",
        ..NETWORK
    },
    Row {
        path: &["net", "max_body"],
        label: "Largest",
        help: "Largest document that is read, such as 10MiB",
        ..NETWORK
    },
    Row {
        path: &["keys", "preset"],
        label: "Preset",
        help: "The keys to begin with; the command keys changes single ones",
        choices: super::keymap::PRESETS,
        ..KEYS
    },
    Row {
        path: &["log", "level"],
        label: "Log level",
        help: "off, error, warn, info, debug or trace",
        waits: true,
        ..KEYS
    },
];

/// The words that a key takes; none where they are not few.
pub fn setting_choices(settings: &Settings, key: &str) -> Vec<String> {
    if key == "ui.theme" {
        return super::theme::theme_names(&settings.themes);
    }
    let row = ROWS.iter().find(|row| row.path.join(".") == key);
    let known = row.map_or(&[][..], |row| row.choices);
    let flag = matches!(value_of(&Settings::default(), key), Some(toml::Value::Boolean(_)));
    let words = if flag { FLAG } else { known };
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The value of a dotted key.
fn value_of(settings: &Settings, key: &str) -> Option<toml::Value> {
    let all = show_settings(settings);
    match key.split_once('.') {
        None => all.get(key).cloned(),
        Some((table, key)) => all.get(table)?.get(key).cloned(),
    }
}

/// The value of a dotted key, as it is typed.
pub fn setting_shown(settings: &Settings, key: &str) -> String {
    match value_of(settings, key) {
        Some(toml::Value::String(text)) if text.is_empty() => "none".to_owned(),
        Some(toml::Value::String(text)) => text,
        Some(toml::Value::Array(list)) if list.is_empty() => "none".to_owned(),
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

/// What is to be written for a typed value of a dotted key; what is no such value is left to the
/// loader to refuse.
pub fn setting_change(key: &str, typed: &str) -> KeyChange {
    let value = match value_of(&Settings::default(), key) {
        Some(toml::Value::Array(_)) => {
            shlex::split(typed).map_or_else(|| typed.into(), |argv| words(&argv))
        }
        Some(toml::Value::String(_)) | None => toml_edit::Value::from(typed),
        Some(_) => plain(typed),
    };
    let path = key.split('.').map(str::to_owned).collect();
    KeyChange { path, value: Some(value.to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Section, SourceForm};

    #[test]
    fn every_field_has_a_default_a_help_and_a_key_of_the_schema() {
        let keys = crate::config::setting_keys();
        for row in ROWS {
            assert!(keys.contains(&row.path.join(".")), "{:?}", row.path);
            assert!(
                !setting_shown(&Settings::default(), &row.path.join(".")).is_empty(),
                "{:?}",
                row.path
            );
            // The longest label and help fit into 80 columns.
            assert!(
                row.help.chars().count() <= if row.waits { 55 } else { 74 }
                    && row.label.len() <= 14,
                "{:?}",
                row.path
            );
        }
    }

    #[test]
    fn what_is_typed_is_checked_by_the_loader_and_tells_the_settings() {
        let text = "# mine\n[ui]\ntheme = \"night\" # C1\n[themes.night]\naccent = \"red\"\n";
        let mut form = SourceForm::settings(Section::settings(text, &[]));
        assert_eq!(form.problem, None);
        let theme = form.fields()[0].clone();
        assert_eq!(theme.value(), "night");
        assert!(theme.choices().iter().any(|c| c == "night"));
        form.set(0, "ligth");
        assert!(form.fields()[0].error.as_deref().unwrap().contains("did you mean \"light\""));
        assert_eq!(form.would_be(), None);
        form.set(0, "light");
        assert_eq!(form.would_be().unwrap().ui.theme, "light");
        for (label, wrong, part) in [
            ("Text width", "5", "20"),
            ("Quiet hours", "night", "23:00"),
            ("Looks a day", "many", "280"),
            ("Host pause", "soon", "15m"),
            ("Preset", "defualt", "did you mean"),
            ("Browser", "firefox 'a", "list"),
        ] {
            let index = form.fields().iter().position(|f| f.label == label).unwrap();
            form.set(index, wrong);
            let error = form.fields()[index].error.clone();
            assert!(error.as_deref().is_some_and(|e| e.contains(part)), "{label}: {error:?}");
            form.set(index, "");
            assert_eq!(form.first_wrong(), None);
        }
        assert_eq!(form.changes().len(), 1);
    }
}
