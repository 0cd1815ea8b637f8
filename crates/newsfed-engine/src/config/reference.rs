//! The settings for the manual pages: types, limits and defaults from the tables of the loader.

use super::rule::{Rule, Slot, one_of, show_size, show_time};
use super::setting::{FormPage, Setting};
use super::settings::Settings;
use super::source_settings::SourceDraft;
use super::{accounts, commands, hooks, item_rules, schema, source_settings};
use crate::model::SourceKind;
use std::time::Duration;

/// A key of `config.toml` or of a `[[source]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingReference {
    /// The key with its table, as in `net.proxy`.
    pub key: &'static str,
    /// Describes its values and their limits.
    pub values: String,
    /// The default as TOML; `None` if there is none.
    pub default: Option<toml::Value>,
    /// Its page in the form.
    pub page: Option<FormPage>,
    /// Its help text in the form; empty for keys that the form does not show.
    pub help: &'static str,
    /// The value that applies while the key is not set, if the form shows it.
    pub unset: &'static str,
    /// The kinds of sources that have it; all for `config.toml`.
    pub kinds: &'static [SourceKind],
    /// Whether a change takes effect only after a restart.
    pub waits: bool,
}

pub(super) fn reference<T: Default>(setting: &Setting<T>) -> SettingReference {
    let mut draft = T::default();
    let shown = setting.shown(&mut draft);
    let is_empty = shown.as_str().is_some_and(str::is_empty);
    SettingReference {
        key: setting.key,
        values: values(&(setting.slot)(&mut draft), setting.rule),
        default: (!is_empty).then_some(shown),
        page: setting.field.page,
        help: setting.field.help,
        unset: setting.field.unset,
        kinds: setting.field.kinds,
        waits: setting.field.waits,
    }
}

/// The values of a slot with these limits, in words.
fn values(slot: &Slot<'_>, rule: Rule) -> String {
    let from = |what: &str, show: &dyn Fn(u64) -> String| match rule {
        Rule::Within(min, max) => format!("{what} from {} to {}", show(min), show(max)),
        _ => what.to_owned(),
    };
    match slot {
        Slot::Flag(_) => "true or false".to_owned(),
        Slot::Choice(_) | Slot::Text(_) | Slot::MaybeText(_) => match rule {
            Rule::OneOf(words) => one_of(words),
            Rule::Address(..) => "URL".to_owned(),
            _ => "text".to_owned(),
        },
        Slot::Words(_) => "list of strings".to_owned(),
        Slot::Command(_) => "list of arguments".to_owned(),
        Slot::Time(_) | Slot::MaybeTime(_) => {
            from("time", &|seconds| show_time(Duration::from_secs(seconds)))
        }
        Slot::Size(_) => from("size", &show_size),
        Slot::Count(_) | Slot::Pages(_) | Slot::Width(_) | Slot::MaybeCount(_) => {
            from("whole number", &|number| number.to_string())
        }
        Slot::Number(_) | Slot::MaybeNumber(_) => match rule {
            Rule::Between(min, max) => format!("number from {min} to {max}"),
            _ => "number".to_owned(),
        },
        Slot::Secret(_) => {
            "text, { env = \"NAME\" } or { command = [\"pass\", \"name\"] }".to_owned()
        }
        Slot::Headers(_) => "table of strings, or of values as for password".to_owned(),
        Slot::Special => "URL".to_owned(),
    }
}

/// The keys of `config.toml` with a single value, in the order of the form.
pub fn settings_reference() -> Vec<SettingReference> {
    schema::SETTINGS.iter().map(reference::<Settings>).collect()
}

/// The lists of `config.toml`, such as `[[view]]`, and their keys.
pub fn elements_reference() -> Vec<(&'static str, Vec<SettingReference>)> {
    vec![
        ("view", schema::VIEW.iter().map(reference).collect()),
        ("rule", item_rules::KEYS.iter().map(reference).collect()),
        ("command", commands::KEYS.iter().map(reference).collect()),
        ("hook", hooks::KEYS.iter().map(reference).collect()),
        ("account", accounts::KEYS.iter().map(reference).collect()),
    ]
}

/// The keys of a `[[source]]`, apart from its identifier, in the order of the form.
pub fn sources_reference() -> Vec<SettingReference> {
    source_settings::SETTINGS.iter().map(reference::<SourceDraft>).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_limits_and_defaults() {
        let all = settings_reference();
        let found = |key: &str| {
            let setting = all.iter().find(|setting| setting.key == key).unwrap();
            let default = setting.default.as_ref().map(ToString::to_string).unwrap_or_default();
            (setting.values.as_str(), default)
        };
        for (key, values, default) in [
            ("net.feed_timeout", "time from 1s to 10m", "\"30s\""),
            ("net.max_body", "size from 1KiB to 1GiB", "\"10MiB\""),
            ("ui.reader_width", "whole number from 20 to 400", "72"),
            ("schedule.polls_per_day", "number from 0.1 to 280", "12.0"),
            ("ui.group", "\"day\", \"source\" or \"none\"", "\"day\""),
            ("browser", "list of arguments", "[]"),
            ("net.proxy", "URL", ""),
        ] {
            assert_eq!(found(key), (values, default.to_owned()), "{key}");
        }
        let sources = sources_reference();
        let targets = sources.iter().find(|setting| setting.key == "website.targets").unwrap();
        assert_eq!(targets.kinds, [SourceKind::Crawl]);
        let next = sources.iter().find(|setting| setting.key == "website.next").unwrap();
        assert_eq!(next.default, None);
    }
}
