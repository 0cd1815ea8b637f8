//! The arguments that the palette suggests for a command.

use super::super::App;
use super::super::rank::ranked;
use super::super::settings::setting_pages;
use super::{ArgumentKind, Hit, MAX_ARGUMENTS, assignment};
use crate::config::{
    self, Action, CommandSettings, SortOrder, setting_choices, setting_keys, setting_shown,
};
use crate::tui::event::SourceEntry;
use crate::util::text;
use crate::util::text::counted;

/// An argument with its description.
type Entry = (String, String);

impl App {
    /// The arguments of a kind that match the typed text, best first.
    pub(in crate::tui::app) fn arguments(
        &self,
        action: Action,
        kind: ArgumentKind,
        typed: &str,
    ) -> Vec<Hit> {
        let entries = match kind {
            ArgumentKind::Source => return self.source_arguments(action, typed),
            ArgumentKind::Setting => return self.setting_arguments(action, typed),
            ArgumentKind::Text(what) => {
                return vec![hit(action, (typed.to_owned(), format!("{}: {what}", action.help())))];
            }
            ArgumentKind::Theme => self.theme_arguments(),
            ArgumentKind::Page => self.page_arguments(),
            ArgumentKind::Tag => self.tag_arguments(),
            ArgumentKind::Order => {
                let names = setting_choices(&self.settings, "ui.sort").into_iter();
                let entry = |(name, o): (String, &SortOrder)| (name, o.label().to_owned());
                names.zip(SortOrder::ALL.iter()).map(entry).collect()
            }
            ArgumentKind::Action => {
                let entry = |a: &Action| (a.name().to_owned(), a.help().to_owned());
                Action::ALL.iter().map(entry).collect()
            }
            ArgumentKind::Command => {
                let entry = |c: &CommandSettings| (c.name.clone(), text::line(&c.run.join(" ")));
                self.settings.commands.iter().map(entry).collect()
            }
        };
        matching(action, entries, typed)
    }

    fn theme_arguments(&self) -> Vec<Entry> {
        let now = self.settings.ui.theme.as_str();
        let entry = |name: String| {
            let help = if name == now { "current theme" } else { "" };
            (name, help.to_owned())
        };
        config::theme_names(&self.settings.themes).into_iter().map(entry).collect()
    }

    fn page_arguments(&self) -> Vec<Entry> {
        let page = |(_, name): (_, String)| (name.clone(), format!("Settings page {name}"));
        let row = |row: config::SettingRow| {
            let now = setting_shown(&self.settings, row.key);
            (row.key.to_owned(), format!("{} (now {now})", row.label))
        };
        let pages = setting_pages().into_iter().map(page);
        pages.chain(config::setting_rows().map(row)).collect()
    }

    /// Tags of sources and items.
    fn tag_arguments(&self) -> Vec<Entry> {
        let mut tags: Vec<(String, usize)> = Vec::new();
        for tag in self.sources.list.sources.iter().flat_map(|s| &s.source.tags) {
            match tags.iter_mut().find(|(name, _)| name == tag) {
                Some((_, count)) => *count += 1,
                None => tags.push((tag.clone(), 1)),
            }
        }
        for tag in &self.sources.list.item_tags {
            if !tags.iter().any(|(name, _)| name == tag) {
                tags.push((tag.clone(), 0));
            }
        }
        let entry = |(tag, count)| match count {
            0 => (tag, "item tag".to_owned()),
            count => (tag, counted(count, "source")),
        };
        tags.into_iter().map(entry).collect()
    }

    fn source_arguments(&self, action: Action, typed: &str) -> Vec<Hit> {
        let all = &self.sources.list.sources;
        let titles: Vec<&str> = all.iter().map(SourceEntry::title).collect();
        let mut found = ranked(&titles, typed);
        if let Some(at) = all.iter().position(|s| s.source.id.as_str() == typed.trim()) {
            // A source whose id was typed exactly comes first.
            found.retain(|i| *i != at);
            found.insert(0, at);
        }
        let line = |s: &SourceEntry| {
            let folder = s.source.folder.as_deref().unwrap_or_default();
            let help = format!("{} {folder}", s.source.id).trim().to_owned();
            Hit { source: Some(s.facts.key), ..hit(action, (s.title().to_owned(), help)) }
        };
        found.into_iter().take(MAX_ARGUMENTS).map(|i| line(&all[i])).collect()
    }

    /// Values of settings that begin with the typed text, such as the name of a theme or of a key preset.
    pub(super) fn values_beginning(&self, typed: &str) -> Vec<Hit> {
        let begins = |value: &String| value.to_lowercase().starts_with(&typed.to_lowercase());
        let of = |row: config::SettingRow| {
            let values = setting_choices(&self.settings, row.key).into_iter().filter(begins);
            values.map(move |value| {
                let help = format!("{}: {value}", row.label);
                let argument = format!("{} {value}", row.key);
                Hit { group: Some("Settings"), ..hit(Action::Set, (argument, help)) }
            })
        };
        config::setting_rows().flat_map(of).collect()
    }

    /// Settings, or the values of the setting whose key is typed.
    fn setting_arguments(&self, action: Action, typed: &str) -> Vec<Hit> {
        let all = setting_keys();
        let Some((key, value)) = assignment(typed).filter(|(key, _)| all.iter().any(|k| k == key))
        else {
            let entry = |key: String| {
                let now = format!("currently {}", setting_shown(&self.settings, &key));
                (key, now)
            };
            return matching(action, all.into_iter().map(entry).collect(), typed);
        };
        let now = setting_shown(&self.settings, key);
        let entry = |value: String| {
            let help = if value == now { "current value" } else { "" };
            (format!("{key} {value}"), help.to_owned())
        };
        let values = setting_choices(&self.settings, key).into_iter().map(entry).collect();
        let hits = matching(action, values, &format!("{key} {value}"));
        if !hits.is_empty() {
            return hits;
        }
        vec![match value {
            "" => hit(action, (key.to_owned(), format!("currently {now}; type the new value"))),
            value => hit(action, (format!("{key} {value}"), format!("{key} = {value}"))),
        }]
    }
}

fn hit(action: Action, (argument, help): Entry) -> Hit {
    Hit { action, argument: Some(argument), source: None, help, reason: None, group: None }
}

/// The entries that match the typed text, best first.
fn matching(action: Action, entries: Vec<Entry>, typed: &str) -> Vec<Hit> {
    let names: Vec<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
    let found = ranked(&names, typed).into_iter().take(MAX_ARGUMENTS);
    found.map(|i| hit(action, entries[i].clone())).collect()
}
