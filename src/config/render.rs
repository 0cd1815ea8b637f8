//! A source as the TOML text that a user would write.

use crate::model::{PolicyKind, Priority, Retention, Secret, Source, SourceKind, SourceSchedule};
use toml_edit::{Array, InlineTable, Value};

/// The `[[source]]` of a source, its last line ended. What is at its default is left out.
pub(crate) fn source_text(source: &Source, newline: &str) -> String {
    let mut lines = vec!["[[source]]".to_owned()];
    let mut line = |key: &str, value: Value| lines.push(format!("{key} = {value}"));
    line("id", source.id.as_str().into());
    line("url", source.url.as_str().into());
    if let Some(title) = &source.title {
        line("title", title.as_str().into());
    }
    if let Some(folder) = &source.folder {
        line("folder", folder.as_str().into());
    }
    if !source.tags.is_empty() {
        line("tags", words(&source.tags));
    }
    if !source.enabled {
        line("enabled", false.into());
    }
    if let Some(interval) = source.interval {
        line("interval", super::rule::show_time(interval).into());
    }
    if let Some(full_text) = source.full_text {
        line("full_text", full_text.name().into());
    }
    if source.schedule != SourceSchedule::default() {
        line("schedule", schedule_value(&source.schedule));
    }
    if let Some(retention) = source.retention {
        line("retention", retention_value(retention));
    }
    if let Some(auth) = &source.access.auth {
        line("user", auth.user.as_str().into());
        line("password", secret(&auth.password));
    }
    if !source.access.headers.is_empty() {
        let pairs = source.access.headers.iter().map(|(name, value)| (name, secret(value)));
        line("headers", Value::InlineTable(pairs.collect::<InlineTable>()));
    }
    if let Some(proxy) = &source.access.proxy {
        line("proxy", proxy.as_str().into());
    }
    if source.kind() != SourceKind::default() {
        line("kind", source.kind().name().into());
    }
    for (key, value) in super::website::lines(&source.rules) {
        line(&format!("website.{key}"), value);
    }
    lines.iter().map(|line| format!("{line}{newline}")).collect()
}

/// A list of texts.
pub(crate) fn words(words: &[String]) -> Value {
    Value::Array(words.iter().map(String::as_str).collect::<Array>())
}

fn retention_value(retention: Retention) -> Value {
    let mut table = InlineTable::new();
    if let Some(days) = retention.days {
        table.insert("days", i64::from(days).into());
    }
    if let Some(items) = retention.items {
        table.insert("items", i64::from(items).into());
    }
    if retention.unread {
        table.insert("unread", true.into());
    }
    Value::InlineTable(table)
}

fn schedule_value(schedule: &SourceSchedule) -> Value {
    let s = schedule;
    let text = |text: &str| Value::from(text);
    let time = |time| Value::from(super::rule::show_time(time));
    let values = [
        ("policy", s.policy.map(PolicyKind::name).map(text)),
        ("priority", s.priority.map(Priority::name).map(text)),
        ("polls_per_day", s.polls_per_day.map(Value::from)),
        ("min_interval", s.min_interval.map(time)),
        ("max_interval", s.max_interval.map(time)),
        ("quiet_hours", s.quiet_hours.as_deref().map(text)),
        ("change_rate_smoothing", s.change_rate_smoothing.map(Value::from)),
        ("change_rate_gain", s.change_rate_gain.map(Value::from)),
        ("change_rate_target", s.change_rate_target.map(Value::from)),
        ("advarss_tick", s.advarss_tick.map(time)),
        ("advarss_cap", s.advarss_cap.map(|n| Value::from(i64::from(n)))),
        ("learned_exponent", s.learned_exponent.map(Value::from)),
        ("learned_silence", s.learned_silence.map(Value::from)),
    ];
    let said = values.into_iter().filter_map(|(key, value)| Some((key, value?)));
    Value::InlineTable(said.collect::<InlineTable>())
}

fn secret(secret: &Secret) -> Value {
    let (key, value) = match secret {
        Secret::Plain(text) => return text.as_str().into(),
        Secret::Env(name) => ("env", name.as_str().into()),
        Secret::Command(argv) => ("command", words(argv)),
    };
    let mut table = InlineTable::new();
    table.insert(key, value);
    Value::InlineTable(table)
}
