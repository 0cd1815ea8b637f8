//! A source or a view as the TOML text that a user would write.

use super::schema::VIEW;
use super::settings::ViewSettings;
use super::source_settings::{SETTINGS, SourceDraft, written};
use crate::model::{Retention, Source, SourceKind};
use toml_edit::{InlineTable, Value};

/// The `[[source]]` entry of a source, with a final newline. Default values are left out.
pub(crate) fn source_text(source: &Source, newline: &str) -> String {
    let (mut draft, mut default) = (SourceDraft::from(source), SourceDraft::default());
    let mut values: Vec<(&str, Value)> = vec![("id", source.id.as_str().into())];
    values.extend(source.web_url().map(|url| ("url", url.as_str().into())));
    values.extend(source.account.as_deref().map(|account| ("account", account.into())));
    values.extend(source.list.as_ref().map(|list| ("list", list.as_str().into())));
    if source.retention == Some(Retention::default()) {
        values.push(("retention", Value::InlineTable(InlineTable::new())));
    }
    for setting in SETTINGS.iter().filter(|setting| setting.field.kinds.contains(&source.kind())) {
        let value = written((setting.slot)(&mut draft));
        let usual = written((setting.slot)(&mut default));
        let is_required = source.kind() == SourceKind::Website
            && matches!(setting.key, "website.title" | "website.content");
        if !is_required && value.as_ref().map(Value::to_string) == usual.map(|v| v.to_string()) {
            continue;
        }
        let Some(value) = value else { continue };
        match setting.key.split_once('.') {
            // Selectors are long, so each gets its own line.
            Some((table, key)) if table != "website" => {
                let inline = values.iter_mut().find(|(name, _)| *name == table);
                match inline.and_then(|(_, value)| value.as_inline_table_mut()) {
                    Some(inline) => drop(inline.insert(key, value)),
                    None => {
                        let inline: InlineTable = [(key, value)].into_iter().collect();
                        values.push((table, Value::InlineTable(inline)));
                    }
                }
            }
            _ => values.push((setting.key, value)),
        }
    }
    let lines = values.iter().map(|(key, value)| format!("{key} = {value}{newline}"));
    format!("[[source]]{newline}{}", lines.collect::<String>())
}

/// The `[[view]]` entry of a view, with a final newline.
pub fn view_text(view: &ViewSettings, newline: &str) -> String {
    let mut view = view.clone();
    let lines = VIEW.iter().filter_map(|setting| {
        let value = written((setting.slot)(&mut view))?;
        Some(format!("{} = {value}{newline}", setting.key))
    });
    format!("[[view]]{newline}{}", lines.collect::<String>())
}
