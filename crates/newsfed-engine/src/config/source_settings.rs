//! Every key of a `[[source]]`, in one place. The loader, the form, `sources edit`, `sources show` and the
//! writer of new entries all use this table.

use super::checks::{ARGUMENT, PATH, PROXY, QUIET_HOURS};
use super::quote::quote;
use super::rule::{Rule, Slot, show};
use super::schema::{
    CAP, HOUR, ITEMS, MAX_INTERVAL, POLLS, RETENTION_DAYS, RETENTION_ITEMS, SHARE, TICK, YEAR,
};
use super::setting::{FormPage, Setting, text_array};
use crate::crawl::Targets;
use crate::model::{
    Access, BasicAuth, FullText, Origin, PolicyKind, Priority, Retention, Secret, Source, SourceId,
    SourceKind, SourceRules, SourceSchedule, WebsiteRules,
};
use crate::util::text::line as clean;
use std::time::Duration;
use toml_edit::Value as Toml;
use url::Url;

const GENERAL: FormPage = FormPage::General;
const SCHEDULE: FormPage = FormPage::Schedule;
const SELECTORS: FormPage = FormPage::Selectors;
const ORIGIN: FormPage = FormPage::Origin;
const ACCESS: FormPage = FormPage::Access;
const SITES: &[SourceKind] = &[
    SourceKind::Website,
    SourceKind::Entries,
    SourceKind::Page,
    SourceKind::Sitemap,
    SourceKind::Crawl,
];
/// Kinds with several articles per page.
const BLOCKS: &[SourceKind] = &[SourceKind::Website, SourceKind::Entries];
const LISTS: &[SourceKind] = &[SourceKind::Website];
const CRAWLS: &[SourceKind] = &[SourceKind::Crawl];
const FEEDS: &[SourceKind] = &[SourceKind::Feed];
/// Kinds that can be read from a file.
const FILES: &[SourceKind] = &[SourceKind::Feed, SourceKind::List];
/// Kinds with items.
const WITH_ITEMS: &[SourceKind] = SourceKind::ALL.split_at(SourceKind::List as usize).0;
const LINE: Rule = Rule::Checked(line, r"\S");
const FOLDER: Rule = Rule::Checked(folder, r"[^/\s]");
const TAG: Rule = Rule::Checked(tag, r"^[^,]*[^,\s][^,]*$");
const TARGETS: Rule = Rule::Checked(targets, "");
/// Timeout of a source's program, in seconds.
const PROGRAM: Rule = Rule::Within(1, 10 * 60);
/// Keys for programs and files, which are never taken from a list, a server or an app.
pub(super) const LOCAL: &[&str] = &["exec", "file", "mail", "from", "filter", "limit"];
/// Shown for a field that follows the global setting.
pub(super) const INHERIT: &str = "inherit";

/// The values of a source's keys, apart from its identifier and its URL.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SourceDraft {
    pub(super) kind: SourceKind,
    title: Option<String>,
    folder: Option<String>,
    tags: Vec<String>,
    color: Option<u32>,
    enabled: bool,
    full_text: Option<FullText>,
    pub(super) retention: Option<Retention>,
    remove_after: Option<u32>,
    interval: Option<Duration>,
    pub(super) schedule: SourceSchedule,
    pub(super) website: WebsiteRules,
    pub(super) origin: Origin,
    pub(super) user: Option<String>,
    password: Option<Secret>,
    pub(super) headers: Vec<(String, Secret)>,
    proxy: Option<String>,
    private: bool,
}

const fn key(
    key: &'static str,
    rule: Rule,
    slot: fn(&mut SourceDraft) -> Slot<'_>,
) -> Setting<SourceDraft> {
    Setting::new(key, rule, slot)
}

/// Every key except `id`, in the order of the form.
pub(super) const SETTINGS: &[Setting<SourceDraft>] = &[
    key("title", LINE, |d| Slot::MaybeText(&mut d.title))
        .on(GENERAL, "Title", "Title to show instead of that of the feed or page.")
        .unset("default (feed or page title)")
        .option("title", "TITLE"),
    key("url", Rule::Any, |_| Slot::Special)
        .on(GENERAL, "URL", "The URL to poll, such as https://example.org/feed.")
        .polls()
        .option("url", "URL"),
    key("kind", Rule::OneOf(&SourceKind::NAMES), |d| Slot::Choice(&mut d.kind))
        .on(
            GENERAL,
            "Kind",
            "feed, website (links to articles), entries, page, sitemap, crawl or list.",
        )
        .unset("default (feed)")
        .polls(),
    key("folder", FOLDER, |d| Slot::MaybeText(&mut d.folder))
        .on(GENERAL, "Folder", "A folder such as Tech/Rust; / separates levels.")
        .unset("none")
        .option("folder", "FOLDER"),
    key("tags", TAG, |d| Slot::Words(&mut d.tags))
        .on(GENERAL, "Tags", "Tags separated by commas.")
        .unset("none")
        .option("tags", "TAGS"),
    key("enabled", Rule::Any, |d| Slot::Flag(&mut d.enabled))
        .on(GENERAL, "Enabled", "Check this source for new items. If off, its items stay.")
        .unset("default (on)"),
    key("full_text", Rule::OneOf(FullText::NAMES), |d| Slot::Choice(&mut d.full_text))
        .on(GENERAL, "Full text", "Which items get their full text from the page.")
        .unset(INHERIT)
        .kinds(WITH_ITEMS)
        .option("full-text", "WHEN"),
    key("retention.days", RETENTION_DAYS, |d| {
        Slot::MaybeCount(&mut d.retention.get_or_insert_default().days)
    })
    .on(GENERAL, "Keep days", "How long items are kept, in days. 0 keeps them forever.")
    .unset(INHERIT)
    .kinds(WITH_ITEMS),
    key("retention.items", RETENTION_ITEMS, |d| {
        Slot::MaybeCount(&mut d.retention.get_or_insert_default().items)
    })
    .on(GENERAL, "Keep items", "How many of the newest items are kept. 0 keeps all.")
    .unset(INHERIT)
    .kinds(WITH_ITEMS),
    key("retention.unread", Rule::Any, |d| {
        Slot::Flag(&mut d.retention.get_or_insert_default().unread)
    }),
    key("remove_after", Rule::Within(1, 36_500), |d| Slot::MaybeCount(&mut d.remove_after))
        .on(
            GENERAL,
            "Remove after",
            "Remove the source after DAYS without new items, or if its URL is gone.",
        )
        .unset("default (never)")
        .kinds(WITH_ITEMS)
        .option("remove-after", "DAYS"),
    key("color", Rule::Within(1, 8), |d| Slot::MaybeCount(&mut d.color))
        .on(
            GENERAL,
            "Colour",
            "Colour of the source's symbol in lists: one of 8 colours of the theme.",
        )
        .unset("default (chosen automatically)")
        .option("color", "1-8"),
    key("schedule.policy", Rule::OneOf(PolicyKind::NAMES), |d| {
        Slot::Choice(&mut d.schedule.policy)
    })
    .on(
        SCHEDULE,
        "Policy",
        "learned: by publishing times. fixed: by interval. Others: by past changes.",
    )
    .unset(INHERIT),
    key("interval", Rule::Within(1, YEAR), |d| Slot::MaybeTime(&mut d.interval))
        .on(SCHEDULE, "Interval", "Fixed time between two polls, such as 30m, 2h or 1d.")
        .unset("default (chosen by the policy)")
        .option("interval", "TIME"),
    key("schedule.min_interval", Rule::Within(0, YEAR), |d| {
        Slot::MaybeTime(&mut d.schedule.min_interval)
    })
    .on(SCHEDULE, "Min interval", "Minimum time between two scheduled polls, such as 10m.")
    .unset(INHERIT),
    key("schedule.max_interval", MAX_INTERVAL, |d| Slot::MaybeTime(&mut d.schedule.max_interval))
        .on(SCHEDULE, "Max interval", "Maximum time between two scheduled polls, such as 1d.")
        .unset(INHERIT),
    key("schedule.quiet_hours", QUIET_HOURS, |d| Slot::MaybeText(&mut d.schedule.quiet_hours))
        .on(SCHEDULE, "Quiet hours", "Hours without scheduled polls, such as 23:00-07:00.")
        .unset(INHERIT),
    key("schedule.priority", Rule::OneOf(Priority::NAMES), |d| {
        Slot::Choice(&mut d.schedule.priority)
    })
    .on(SCHEDULE, "Priority", "For the learned policy: high doubles the polls, low halves them.")
    .unset("default (normal)"),
    key("schedule.polls_per_day", POLLS, |d| Slot::MaybeNumber(&mut d.schedule.polls_per_day))
        .on(SCHEDULE, "Polls per day", "Budget of this source in polls per day, 0.1 to 280.")
        .unset(INHERIT),
    key("schedule.change_rate_smoothing", SHARE, |d| {
        Slot::MaybeNumber(&mut d.schedule.change_rate_smoothing)
    }),
    key("schedule.change_rate_gain", SHARE, |d| {
        Slot::MaybeNumber(&mut d.schedule.change_rate_gain)
    }),
    key("schedule.change_rate_target", SHARE, |d| {
        Slot::MaybeNumber(&mut d.schedule.change_rate_target)
    }),
    key("schedule.advarss_tick", TICK, |d| Slot::MaybeTime(&mut d.schedule.advarss_tick)),
    key("schedule.advarss_cap", CAP, |d| Slot::MaybeCount(&mut d.schedule.advarss_cap)),
    key("schedule.learned_exponent", SHARE, |d| {
        Slot::MaybeNumber(&mut d.schedule.learned_exponent)
    }),
    key("schedule.learned_silence", ITEMS, |d| Slot::MaybeNumber(&mut d.schedule.learned_silence)),
    key("website.articles", Rule::Any, |d| Slot::MaybeText(&mut d.website.articles))
        .on(
            SELECTORS,
            "Articles",
            "Selects links to articles, or the blocks or headings of entries.",
        )
        .kinds(BLOCKS)
        .polls(),
    key("website.next", Rule::Any, |d| Slot::MaybeText(&mut d.website.next))
        .on(SELECTORS, "Next page", "Selects the link to the next page of the list.")
        .unset("none")
        .kinds(LISTS)
        .polls(),
    key("website.max_pages", Rule::Within(1, 1000), |d| Slot::Pages(&mut d.website.max_pages))
        .on(SELECTORS, "Max pages", "How many pages of the list a poll reads, 1 to 1000.")
        .unset("default (1)")
        .kinds(LISTS)
        .polls(),
    key("website.title", Rule::Any, |d| Slot::Text(&mut d.website.title))
        .on(SELECTORS, "Title", "Selects the title of an article, such as h1.")
        .kinds(SITES)
        .polls(),
    key("website.content", Rule::Any, |d| Slot::Text(&mut d.website.content))
        .on(SELECTORS, "Content", "Selects the text of an article, such as .article-body.")
        .kinds(SITES)
        .polls(),
    key("website.author", Rule::Any, |d| Slot::MaybeText(&mut d.website.author))
        .on(SELECTORS, "Author", "Selects the author of an article.")
        .unset("default (page metadata)")
        .kinds(SITES)
        .polls(),
    key("website.date", Rule::Any, |d| Slot::MaybeText(&mut d.website.date))
        .on(SELECTORS, "Date", "Selects the date of an article, such as time.published.")
        .unset("default (page metadata)")
        .kinds(SITES)
        .polls(),
    key("website.date_format", Rule::Any, |d| Slot::MaybeText(&mut d.website.date_format))
        .on(
            SELECTORS,
            "Date format",
            "How the site would write 2 January 2006, if dates are not recognised.",
        )
        .unset("default (recognised)")
        .kinds(SITES)
        .polls(),
    key("website.delay", Rule::Within(0, HOUR), |d| Slot::MaybeTime(&mut d.website.delay))
        .on(SELECTORS, "Host delay", "Minimum time between two requests, such as 5s.")
        .unset(INHERIT)
        .kinds(SITES)
        .polls(),
    key("website.targets", TARGETS, |d| Slot::MaybeText(&mut d.website.targets))
        .on(FormPage::Crawl, "Targets", "articles, files, data, or media types such as text/csv.")
        .unset("default (articles)")
        .kinds(CRAWLS)
        .polls(),
    key("user", Rule::Any, |d| Slot::MaybeText(&mut d.user))
        .on(ACCESS, "User", "User name for HTTP Basic authentication. Needs a password.")
        .unset("none")
        .polls(),
    key("password", Rule::Any, |d| Slot::Secret(&mut d.password))
        .on(ACCESS, "Password", "env:VARIABLE, command:pass show name, or the password itself.")
        .unset("none")
        .polls(),
    key("proxy", PROXY, |d| Slot::MaybeText(&mut d.proxy))
        .on(ACCESS, "Proxy", "Proxy URL of this source, such as socks5://localhost:9050.")
        .unset(INHERIT)
        .polls(),
    key("private", Rule::Any, |d| Slot::Flag(&mut d.private))
        .on(ACCESS, "Private", "Fetch this source even if its host resolves to a private address.")
        .unset("default (off)")
        .polls()
        .option("private", "on|off"),
    key("headers", Rule::Any, |d| Slot::Headers(&mut d.headers))
        .on(
            ACCESS,
            "New header",
            "Name: value, Name: env:VARIABLE or Name: command:pass show name.",
        )
        .polls(),
    key("exec", ARGUMENT, |d| Slot::Command(&mut d.origin.exec))
        .on(ORIGIN, "Program", "Runs this program, without a shell; its output is the feed.")
        .unset("none")
        .kinds(FEEDS)
        .polls(),
    key("file", PATH, |d| Slot::MaybeText(&mut d.origin.file))
        .on(ORIGIN, "File", "A file on this computer, such as ~/feeds/local.xml.")
        .unset("none")
        .kinds(FILES)
        .polls(),
    key("mail", PATH, |d| Slot::MaybeText(&mut d.origin.mail))
        .on(
            ORIGIN,
            "Mailbox",
            "A Maildir or an mbox file. Its emails become items and stay unchanged.",
        )
        .unset("none")
        .kinds(FEEDS)
        .polls(),
    key("from", LINE, |d| Slot::MaybeText(&mut d.origin.from))
        .on(ORIGIN, "Sender", "Only emails with this text in the sender's name or address.")
        .unset("all")
        .kinds(FEEDS)
        .polls(),
    key("filter", ARGUMENT, |d| Slot::Command(&mut d.origin.filter))
        .on(ORIGIN, "Filter", "Gets the fetched document on standard input, and prints the feed.")
        .unset("none")
        .kinds(FEEDS)
        .polls(),
    key("limit", PROGRAM, |d| Slot::MaybeTime(&mut d.origin.limit))
        .on(ORIGIN, "Time limit", "How long the program or filter may take, 1s to 10m.")
        .unset("default (1m)")
        .kinds(FEEDS),
];

/// Every key of a `[[source]]`, with its table.
pub fn source_keys() -> Vec<&'static str> {
    std::iter::once("id").chain(SETTINGS.iter().map(|setting| setting.key)).collect()
}

impl Default for SourceDraft {
    fn default() -> Self {
        Self {
            kind: SourceKind::default(),
            title: None,
            folder: None,
            tags: Vec::new(),
            color: None,
            enabled: true,
            full_text: None,
            retention: None,
            remove_after: None,
            interval: None,
            schedule: SourceSchedule::default(),
            website: WebsiteRules::default(),
            origin: Origin::default(),
            user: None,
            password: None,
            headers: Vec::new(),
            proxy: None,
            private: false,
        }
    }
}

impl From<&Source> for SourceDraft {
    fn from(source: &Source) -> Self {
        let auth = source.access.auth.as_ref();
        Self {
            kind: source.kind(),
            title: source.title.clone(),
            folder: source.folder.clone(),
            tags: source.tags.clone(),
            color: source.color,
            enabled: source.enabled,
            full_text: source.full_text,
            retention: source.retention,
            remove_after: source.remove_after,
            interval: source.interval,
            schedule: source.schedule.clone(),
            website: source.rules.pages().cloned().unwrap_or_default(),
            origin: source.origin.clone(),
            user: auth.map(|auth| auth.user.clone()),
            password: auth.map(|auth| auth.password.clone()),
            headers: source.access.headers.clone(),
            proxy: source.access.proxy.clone(),
            private: source.private,
        }
    }
}

impl SourceDraft {
    /// The source with these values.
    pub(super) fn source(self, id: SourceId, url: Url) -> Source {
        let auth = self.user.zip(self.password);
        Source {
            id,
            rules: SourceRules::new(self.kind, self.website),
            url,
            origin: self.origin,
            title: self.title,
            folder: self.folder,
            tags: self.tags,
            color: self.color,
            enabled: self.enabled,
            interval: self.interval,
            full_text: self.full_text,
            schedule: self.schedule,
            retention: self.retention,
            remove_after: self.remove_after,
            access: Access {
                auth: auth.map(|(user, password)| BasicAuth { user, password }),
                headers: self.headers,
                proxy: self.proxy,
            },
            private: self.private,
            account: None,
            list: None,
        }
    }
}

/// The value of a slot for an entry; `None` if there is nothing to write.
pub(super) fn written(slot: Slot<'_>) -> Option<Toml> {
    match slot {
        Slot::Secret(secret) => secret.as_ref().map(secret_value),
        Slot::Headers(headers) if !headers.is_empty() => {
            let pairs = headers.iter().map(|(name, value)| (name, secret_value(value)));
            Some(Toml::InlineTable(pairs.collect()))
        }
        slot => match show(slot) {
            toml::Value::String(text) => (!text.is_empty()).then(|| text.into()),
            toml::Value::Integer(number) => Some(number.into()),
            toml::Value::Float(number) => Some(number.into()),
            toml::Value::Boolean(flag) => Some(flag.into()),
            toml::Value::Array(list) if !list.is_empty() => {
                Some(Toml::Array(list.iter().filter_map(toml::Value::as_str).collect()))
            }
            _ => None,
        },
    }
}

fn secret_value(secret: &Secret) -> Toml {
    let (key, value) = match secret {
        Secret::Plain(text) => return text.as_str().into(),
        Secret::Env(name) => ("env", name.as_str().into()),
        Secret::Command(argv) => ("command", text_array(argv)),
        Secret::File(path) => ("file", path.to_string_lossy().as_ref().into()),
    };
    Toml::InlineTable([(key, value)].into_iter().collect())
}

/// The keys of a source that differ from their defaults, except its identifier and URL.
pub fn own_keys(source: &Source) -> Vec<&'static str> {
    let (mut draft, mut default) = (SourceDraft::from(source), SourceDraft::default());
    let differs =
        |setting: &&Setting<SourceDraft>| setting.shown(&mut draft) != setting.shown(&mut default);
    SETTINGS.iter().filter(differs).map(|setting| setting.key).collect()
}

/// The settings of a source that differ from their defaults, as key, label and value. Secrets are left out.
pub fn source_values(source: &Source) -> Vec<(&'static str, &'static str, String)> {
    let (mut draft, mut default) = (SourceDraft::from(source), SourceDraft::default());
    let value = |setting: &Setting<SourceDraft>| {
        let value = setting.shown(&mut draft);
        let differs = value != setting.shown(&mut default);
        let shown = setting.field.kinds.contains(&source.kind()) && setting.field.page.is_some();
        let text = match value {
            toml::Value::String(text) => text,
            toml::Value::Array(list) => {
                list.iter().filter_map(toml::Value::as_str).collect::<Vec<_>>().join(", ")
            }
            toml::Value::Boolean(flag) => if flag { "on" } else { "off" }.to_owned(),
            other => other.to_string(),
        };
        (differs && shown).then_some((setting.key, setting.field.label, text))
    };
    SETTINGS.iter().filter_map(value).collect()
}

fn line(text: &str) -> Result<String, String> {
    let cleaned = clean(text);
    if cleaned.is_empty() {
        Err("expected a string that contains letters".to_owned())
    } else {
        Ok(cleaned)
    }
}

/// Maximum number of folder levels.
pub(super) const MAX_FOLDER_DEPTH: usize = 16;

/// Normalises a folder to the form `A/B`.
pub(super) fn folder(text: &str) -> Result<String, String> {
    let levels: Vec<_> = text.split('/').map(clean).filter(|l| !l.is_empty()).collect();
    match levels.len() {
        0 => Err(format!("expected a folder such as \"Tech/Rust\", found {}", quote(text))),
        n if n > MAX_FOLDER_DEPTH => {
            Err(format!("folders go at most {MAX_FOLDER_DEPTH} deep, found {n} levels"))
        }
        _ => Ok(levels.join("/")),
    }
}

/// A tag. It cannot contain a comma, because OPML separates tags with commas.
pub(super) fn tag(text: &str) -> Result<String, String> {
    let cleaned = clean(text);
    if cleaned.is_empty() || cleaned.contains(',') {
        return Err(format!("expected a tag without commas, found {}", quote(text)));
    }
    Ok(cleaned)
}

fn targets(text: &str) -> Result<String, String> {
    text.parse::<Targets>().map(|_| text.to_owned()).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests;
