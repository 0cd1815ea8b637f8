//! The options of `newsfed sources edit`, generated from the table of settings.

use super::setting::Setting;
use super::source_settings::{SETTINGS, SourceDraft};

/// An option of `sources edit` that changes a setting.
#[derive(Debug, Clone)]
pub struct SourceOption {
    /// The key of the setting.
    pub key: &'static str,
    /// The name without the dashes.
    pub name: &'static str,
    /// The placeholder of the value.
    pub value: &'static str,
    pub help: String,
}

/// The options of `sources edit`.
pub fn source_options() -> Vec<SourceOption> {
    let option = |setting: &Setting<SourceDraft>| {
        let (name, value) = setting.field.option?;
        let mut help = setting.field.help.trim_end_matches('.').to_owned();
        match setting.choices(&mut SourceDraft::default()) {
            [] => {}
            choices => help = format!("{help} ({})", choices.join(", ")),
        }
        if !setting.field.unset.is_empty() {
            help = format!("{help} [empty: {}]", setting.field.unset);
        }
        Some(SourceOption { key: setting.key, name, value, help })
    };
    SETTINGS.iter().filter_map(option).collect()
}
