//! Every key of `config.toml`, once. Reading, `config show`, suggestions and the test of the
//! example file all come from these tables.

use super::error::did_you_mean;
use super::quote::quote;
use super::rule::{Field, Rule, SORT_NAMES, Slot, show};
use super::settings::{
    KeySettings, LlmSettings, LogSettings, NetSettings, ScheduleSettings, Settings, UiSettings,
    ViewSettings,
};
use crate::model::{FullText, PolicyKind, Priority, QuietHours, Retention, SourceSchedule};
use crate::util::text::line as clean;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
/// A mean year of 365.25 days, as written times count it.
pub(crate) const YEAR: u64 = 8766 * HOUR;

/// Keys at the top of the file.
pub(crate) const TOP: &[Field<Settings>] = &[
    Field { key: "browser", rule: Rule::Checked(word), slot: |s| Slot::Words(&mut s.browser) },
    Field {
        key: "browser_in_terminal",
        rule: Rule::Any,
        slot: |s| Slot::Flag(&mut s.browser_in_terminal),
    },
    Field {
        key: "full_text",
        rule: Rule::OneOf(FullText::NAMES),
        slot: |s| Slot::FullText(&mut s.full_text),
    },
];

/// Tables at the top of the file.
pub(crate) const TABLES: &[&str] =
    &["net", "schedule", "retention", "llm", "ui", "keys", "log", "themes", "view"];

/// `[net]`
pub(crate) const NET: &[Field<NetSettings>] = &[
    Field {
        key: "max_in_flight",
        rule: Rule::Within(1, 1024),
        slot: |s| Slot::Count(&mut s.max_in_flight),
    },
    Field {
        key: "host_delay",
        rule: Rule::Within(0, HOUR),
        slot: |s| Slot::Time(&mut s.host_delay),
    },
    Field { key: "contact", rule: Rule::Checked(contact), slot: |s| Slot::Text(&mut s.contact) },
    Field { key: "proxy", rule: Rule::Checked(proxy), slot: |s| Slot::MaybeText(&mut s.proxy) },
    Field {
        key: "feed_timeout",
        rule: Rule::Within(1, 10 * MINUTE),
        slot: |s| Slot::Time(&mut s.feed_timeout),
    },
    Field {
        key: "page_timeout",
        rule: Rule::Within(1, 10 * MINUTE),
        slot: |s| Slot::Time(&mut s.page_timeout),
    },
    Field {
        key: "connect_timeout",
        rule: Rule::Within(1, 10 * MINUTE),
        slot: |s| Slot::Time(&mut s.connect_timeout),
    },
    Field {
        key: "max_body",
        rule: Rule::Within(1024, 1 << 30),
        slot: |s| Slot::Size(&mut s.max_body),
    },
];

/// `[schedule]`
pub(crate) const SCHEDULE: &[Field<ScheduleSettings>] = &[
    Field {
        key: "policy",
        rule: Rule::OneOf(PolicyKind::NAMES),
        slot: |s| Slot::Policy(&mut s.policy),
    },
    Field { key: "polls_per_day", rule: BUDGET, slot: |s| Slot::Number(&mut s.polls_per_day) },
    Field {
        key: "polls_per_day_total",
        rule: Rule::Within(0, 10_000_000),
        slot: |s| Slot::MaybeCount(&mut s.polls_per_day_total),
    },
    Field { key: "interval", rule: Rule::Within(1, YEAR), slot: |s| Slot::Time(&mut s.interval) },
    Field {
        key: "min_interval",
        rule: Rule::Within(0, YEAR),
        slot: |s| Slot::Time(&mut s.min_interval),
    },
    Field {
        key: "usual_min_interval",
        rule: Rule::Within(0, YEAR),
        slot: |s| Slot::Time(&mut s.usual_min_interval),
    },
    Field {
        key: "site_interval",
        rule: Rule::Within(1, YEAR),
        slot: |s| Slot::Time(&mut s.site_interval),
    },
    Field {
        key: "site_min_interval",
        rule: Rule::Within(0, YEAR),
        slot: |s| Slot::Time(&mut s.site_min_interval),
    },
    Field { key: "max_interval", rule: LONGEST, slot: |s| Slot::Time(&mut s.max_interval) },
    Field {
        key: "quiet_hours",
        rule: Rule::Checked(quiet_hours),
        slot: |s| Slot::MaybeText(&mut s.quiet_hours),
    },
    Field {
        key: "change_rate_smoothing",
        rule: SHARE,
        slot: |s| Slot::Number(&mut s.change_rate_smoothing),
    },
    Field { key: "change_rate_gain", rule: SHARE, slot: |s| Slot::Number(&mut s.change_rate_gain) },
    Field {
        key: "change_rate_target",
        rule: SHARE,
        slot: |s| Slot::Number(&mut s.change_rate_target),
    },
    Field { key: "advarss_tick", rule: TICK, slot: |s| Slot::Time(&mut s.advarss_tick) },
    Field { key: "advarss_cap", rule: CAP, slot: |s| Slot::Count(&mut s.advarss_cap) },
    Field { key: "learned_exponent", rule: SHARE, slot: |s| Slot::Number(&mut s.learned_exponent) },
    Field { key: "learned_silence", rule: ITEMS, slot: |s| Slot::Number(&mut s.learned_silence) },
];

/// Looks per source and day.
const BUDGET: Rule = Rule::Between(0.1, 280.0);
const SHARE: Rule = Rule::Between(0.0, 1.0);
const ITEMS: Rule = Rule::Between(0.0, 1000.0);
const TICK: Rule = Rule::Within(MINUTE, 24 * HOUR);
const CAP: Rule = Rule::Within(1, 640);
const LONGEST: Rule = Rule::Within(MINUTE, YEAR);

/// `schedule` of a source.
pub(crate) const SOURCE_SCHEDULE: &[Field<SourceScheduleDraft>] = &[
    Field {
        key: "policy",
        rule: Rule::OneOf(PolicyKind::NAMES),
        slot: |s| Slot::MaybeText(&mut s.policy),
    },
    Field {
        key: "priority",
        rule: Rule::OneOf(Priority::NAMES),
        slot: |s| Slot::MaybeText(&mut s.priority),
    },
    Field {
        key: "polls_per_day",
        rule: BUDGET,
        slot: |s| Slot::MaybeNumber(&mut s.rest.polls_per_day),
    },
    Field {
        key: "min_interval",
        rule: Rule::Within(0, YEAR),
        slot: |s| Slot::MaybeTime(&mut s.rest.min_interval),
    },
    Field {
        key: "max_interval",
        rule: LONGEST,
        slot: |s| Slot::MaybeTime(&mut s.rest.max_interval),
    },
    Field {
        key: "quiet_hours",
        rule: Rule::Checked(quiet_hours),
        slot: |s| Slot::MaybeText(&mut s.rest.quiet_hours),
    },
    Field {
        key: "change_rate_smoothing",
        rule: SHARE,
        slot: |s| Slot::MaybeNumber(&mut s.rest.change_rate_smoothing),
    },
    Field {
        key: "change_rate_gain",
        rule: SHARE,
        slot: |s| Slot::MaybeNumber(&mut s.rest.change_rate_gain),
    },
    Field {
        key: "change_rate_target",
        rule: SHARE,
        slot: |s| Slot::MaybeNumber(&mut s.rest.change_rate_target),
    },
    Field { key: "advarss_tick", rule: TICK, slot: |s| Slot::MaybeTime(&mut s.rest.advarss_tick) },
    Field { key: "advarss_cap", rule: CAP, slot: |s| Slot::MaybeCount(&mut s.rest.advarss_cap) },
    Field {
        key: "learned_exponent",
        rule: SHARE,
        slot: |s| Slot::MaybeNumber(&mut s.rest.learned_exponent),
    },
    Field {
        key: "learned_silence",
        rule: ITEMS,
        slot: |s| Slot::MaybeNumber(&mut s.rest.learned_silence),
    },
];

/// The schedule of a source while it is read.
#[derive(Default)]
pub(crate) struct SourceScheduleDraft {
    policy: Option<String>,
    priority: Option<String>,
    rest: SourceSchedule,
}

impl SourceScheduleDraft {
    pub(crate) fn finish(self) -> SourceSchedule {
        let policy = self.policy.as_deref().and_then(PolicyKind::named);
        let priority = self.priority.as_deref().and_then(Priority::named);
        SourceSchedule { policy, priority, ..self.rest }
    }
}

/// Hours of the day.
fn quiet_hours(text: &str) -> Result<String, String> {
    match QuietHours::parse(text) {
        Some(_) => Ok(text.to_owned()),
        None => Err(format!("expected hours such as \"23:00-07:00\", found {}", quote(text))),
    }
}

/// `[retention]`, and `retention` of a source.
pub(crate) const RETENTION: &[Field<Retention>] = &[
    Field { key: "days", rule: Rule::Within(0, 36_500), slot: |r| Slot::MaybeCount(&mut r.days) },
    Field {
        key: "items",
        rule: Rule::Within(0, 10_000_000),
        slot: |r| Slot::MaybeCount(&mut r.items),
    },
    Field { key: "unread", rule: Rule::Any, slot: |r| Slot::Flag(&mut r.unread) },
];

/// `[llm]`
pub(crate) const LLM: &[Field<LlmSettings>] = &[
    Field {
        key: "endpoint",
        rule: Rule::Checked(endpoint),
        slot: |s| Slot::MaybeText(&mut s.endpoint),
    },
    Field { key: "model", rule: Rule::Any, slot: |s| Slot::Text(&mut s.model) },
    Field { key: "key_env", rule: Rule::Checked(word), slot: |s| Slot::MaybeText(&mut s.key_env) },
    Field {
        key: "key_command",
        rule: Rule::Checked(word),
        slot: |s| Slot::Words(&mut s.key_command),
    },
    Field {
        key: "timeout",
        rule: Rule::Within(1, 2 * MINUTE),
        slot: |s| Slot::Time(&mut s.timeout),
    },
];

/// The address of a service.
fn endpoint(text: &str) -> Result<String, String> {
    let good =
        url::Url::parse(text).is_ok_and(|u| matches!(u.scheme(), "http" | "https") && u.has_host());
    if good {
        return Ok(text.to_owned());
    }
    let found = quote(&super::quote::without_secrets(text));
    Err(format!(
        "expected an address such as \"http://localhost:11434/v1/chat/completions\", found {found}"
    ))
}

/// `[ui]`
pub(crate) const UI: &[Field<UiSettings>] = &[
    // Whether a theme of that name exists is known only when `[themes]` has been read.
    Field { key: "theme", rule: Rule::Any, slot: |s| Slot::Text(&mut s.theme) },
    Field { key: "ascii", rule: Rule::Any, slot: |s| Slot::Flag(&mut s.ascii) },
    Field { key: "mouse", rule: Rule::Any, slot: |s| Slot::Flag(&mut s.mouse) },
    Field {
        key: "reader_width",
        rule: Rule::Within(20, 400),
        slot: |s| Slot::Width(&mut s.reader_width),
    },
    Field {
        key: "sources_width",
        rule: Rule::Within(0, 200),
        slot: |s| Slot::Width(&mut s.sources_width),
    },
    Field {
        key: "items_width",
        rule: Rule::Within(0, 200),
        slot: |s| Slot::Width(&mut s.items_width),
    },
    Field { key: "sort", rule: Rule::OneOf(SORT_NAMES), slot: |s| Slot::Sort(&mut s.sort) },
    Field { key: "read_on_open", rule: Rule::Any, slot: |s| Slot::Flag(&mut s.read_on_open) },
];

/// `[keys]`, beside one table per context.
pub(crate) const KEYS: &[Field<KeySettings>] = &[Field {
    key: "preset",
    rule: Rule::OneOf(super::keymap::PRESETS),
    slot: |s| Slot::Text(&mut s.preset),
}];

/// `[log]`
pub(crate) const LOG: &[Field<LogSettings>] = &[
    Field { key: "level", rule: Rule::Checked(log_level), slot: |s| Slot::Text(&mut s.level) },
    Field { key: "keep", rule: Rule::Within(1, 365), slot: |s| Slot::Count(&mut s.keep) },
];

/// `[[view]]`
pub(crate) const VIEW: &[Field<ViewSettings>] = &[
    Field { key: "name", rule: Rule::Checked(word), slot: |v| Slot::Text(&mut v.name) },
    Field { key: "query", rule: Rule::Checked(word), slot: |v| Slot::Text(&mut v.query) },
];

/// The settings as a TOML table of the very shape of `config.toml`, defaults included.
pub fn show_settings(settings: &Settings) -> toml::Table {
    let mut s = settings.clone();
    let mut all = section(TOP, &mut s);
    let mut add = |key: &str, table| all.insert(key.to_owned(), toml::Value::Table(table));
    add("net", section(NET, &mut s.net));
    add("schedule", section(SCHEDULE, &mut s.schedule));
    add("retention", section(RETENTION, &mut s.retention));
    add("llm", section(LLM, &mut s.llm));
    add("ui", section(UI, &mut s.ui));
    let mut keys = section(KEYS, &mut s.keys);
    keys.extend(words(&s.keys.bindings));
    add("keys", keys);
    add("log", section(LOG, &mut s.log));
    if !s.themes.is_empty() {
        add("themes", words(&s.themes));
    }
    if !s.views.is_empty() {
        let views = s.views.iter_mut().map(|v| toml::Value::Table(section(VIEW, v)));
        all.insert("view".to_owned(), toml::Value::Array(views.collect()));
    }
    all
}

/// Every key of the schema with a single value, dotted, as `--set` takes it.
pub fn setting_keys() -> Vec<String> {
    let mut keys = Vec::new();
    for (name, value) in show_settings(&Settings::default()) {
        match value {
            toml::Value::Table(inner) => keys.extend(inner.keys().map(|k| format!("{name}.{k}"))),
            _ => keys.push(name),
        }
    }
    keys
}

fn section<T>(fields: &[Field<T>], from: &mut T) -> toml::Table {
    fields.iter().map(|f| (f.key.to_owned(), show((f.slot)(from)))).collect()
}

type Words = std::collections::BTreeMap<String, std::collections::BTreeMap<String, String>>;

fn words(tables: &Words) -> toml::Table {
    let text = |t: &String| toml::Value::String(t.clone());
    let inner = |t: &std::collections::BTreeMap<String, String>| {
        toml::Value::Table(t.iter().map(|(k, v)| (k.clone(), text(v))).collect())
    };
    tables.iter().map(|(name, table)| (name.clone(), inner(table))).collect()
}

/// A text of which something is left once it is cleaned.
fn word(text: &str) -> Result<String, String> {
    let cleaned = clean(text);
    if cleaned.is_empty() {
        Err("expected a text, found an empty one".to_owned())
    } else {
        Ok(cleaned)
    }
}

/// A contact goes into a request header.
fn contact(text: &str) -> Result<String, String> {
    let good = text.len() <= 200 && text.bytes().all(|b| (0x20..0x7f).contains(&b));
    if good {
        Ok(text.to_owned())
    } else {
        Err(format!(
            "expected an address of at most 200 plain ASCII letters, found {}",
            quote(text)
        ))
    }
}

const PROXY_SCHEMES: [&str; 4] = ["http", "https", "socks5", "socks5h"];

/// The address of a proxy.
pub(crate) fn proxy(text: &str) -> Result<String, String> {
    let good =
        url::Url::parse(text).is_ok_and(|u| PROXY_SCHEMES.contains(&u.scheme()) && u.has_host());
    if good {
        return Ok(text.to_owned());
    }
    Err(format!(
        "expected a proxy address such as \"http://localhost:3128\" (http, https, socks5 or \
         socks5h), found {}",
        quote(&super::quote::without_secrets(text))
    ))
}

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// A level, or `module=level` parts with commas between.
fn log_level(text: &str) -> Result<String, String> {
    for part in text.split(',') {
        let level = part.rsplit('=').next().unwrap_or(part).trim();
        if !LEVELS.contains(&level) {
            let hint = did_you_mean(level, LEVELS);
            let expected = super::rule::one_of(&LEVELS);
            return Err(format!(
                "expected {expected}, perhaps per module as in \"info,newsfed::net=debug\", found \
                 {}{hint}",
                quote(level)
            ));
        }
    }
    Ok(text.to_owned())
}
