//! Every key of `config.toml`, in one place. The loader, the form, `config show`, suggestions and the test of
//! the example file all use this table.

use super::checks::{
    ARGUMENT, CONTACT, ENDPOINT, FOLDER, LISTENING, LOG_LEVEL, LOOPBACK, PROXY, QUERY, QUIET_HOURS,
    WORD,
};
use super::choices::{
    Background, DateStyle, GraphicsMode, Grouping, ListStyle, MarkRead, NotifyWay, SortOrder,
};
use super::rule::{Rule, Slot};
use super::setting::{FormPage, Setting};
use super::settings::{Settings, ViewSettings};
use crate::model::{FullText, PolicyKind};
use crate::util::limits::FEED_ENTRIES;

const MINUTE: u64 = 60;
pub(super) const HOUR: u64 = 60 * MINUTE;
/// A mean year of 365.25 days, as used by the time parser.
pub(super) const YEAR: u64 = 8766 * HOUR;

/// Polls per day.
pub(super) const POLLS: Rule = Rule::Between(0.1, 280.0);
pub(super) const SHARE: Rule = Rule::Between(0.0, 1.0);
pub(super) const ITEMS: Rule = Rule::Between(0.0, 1000.0);
pub(super) const TICK: Rule = Rule::Within(MINUTE, 24 * HOUR);
pub(super) const CAP: Rule = Rule::Within(1, 640);
pub(super) const MAX_INTERVAL: Rule = Rule::Within(MINUTE, YEAR);
pub(super) const RETENTION_DAYS: Rule = Rule::Within(0, 36_500);
pub(super) const RETENTION_ITEMS: Rule = Rule::Within(0, 10_000_000);
const FEED_ITEMS: Rule = Rule::Within(1, FEED_ENTRIES as u64);
const TIMEOUT: Rule = Rule::Within(1, 10 * MINUTE);

/// Tables at the top of the file.
pub(super) const TABLES: &[&str] = &[
    "open",
    "download",
    "comments",
    "machines",
    "save",
    "listen",
    "feeds",
    "serve",
    "notify",
    "net",
    "schedule",
    "retention",
    "llm",
    "ui",
    "keys",
    "log",
    "themes",
    "view",
    "rule",
    "command",
    "hook",
    "account",
];

const fn key(
    key: &'static str,
    rule: Rule,
    slot: fn(&mut Settings) -> Slot<'_>,
) -> Setting<Settings> {
    Setting::new(key, rule, slot)
}

/// Every key with a single value, in the order of the form.
pub(super) const SETTINGS: &[Setting<Settings>] = &[
    key("ui.theme", Rule::Any, |s| Slot::Text(&mut s.ui.theme)).on(
        FormPage::Appearance,
        "Theme",
        "The colours of the interface; Left and Right show other themes.",
    ),
    key("ui.background", Rule::OneOf(Background::NAMES), |s| Slot::Choice(&mut s.ui.background))
        .on(
            FormPage::Appearance,
            "Background",
            "Background colour: theme, or terminal (for transparent windows).",
        ),
    key("ui.list", Rule::OneOf(ListStyle::NAMES), |s| Slot::Choice(&mut s.ui.list)).on(
        FormPage::Appearance,
        "List density",
        "compact: one row per item; comfortable: two; magazine: with summary.",
    ),
    key("ui.preview", Rule::Any, |s| Slot::Flag(&mut s.ui.preview)).on(
        FormPage::Appearance,
        "Preview items",
        "On wide screens, show the current item in the Reader without opening it.",
    ),
    key("ui.ascii", Rule::Any, |s| Slot::Flag(&mut s.ui.ascii)).on(
        FormPage::Appearance,
        "Plain ASCII",
        "Draw symbols and lines with ASCII characters only.",
    ),
    key("ui.linear", Rule::Any, |s| Slot::Flag(&mut s.ui.linear)).on(
        FormPage::Appearance,
        "Screen reader",
        "One pane at a time, one thing per line, states in words, no charts.",
    ),
    key("ui.reader_width", Rule::Within(20, 400), |s| Slot::Width(&mut s.ui.reader_width)).on(
        FormPage::Appearance,
        "Reader width",
        "Maximum width of the text in the Reader pane, in cells, 20 to 400.",
    ),
    key("ui.zen", Rule::Any, |s| Slot::Flag(&mut s.ui.zen)).on(
        FormPage::Appearance,
        "Article alone",
        "Open articles alone, without the other panes.",
    ),
    key("ui.images", Rule::Any, |s| Slot::Flag(&mut s.ui.images)).on(
        FormPage::Appearance,
        "Pictures",
        "Fetch and show the pictures of open articles and magazine lists.",
    ),
    key("ui.graphics", Rule::OneOf(GraphicsMode::NAMES), |s| Slot::Choice(&mut s.ui.graphics)).on(
        FormPage::Appearance,
        "Graphics mode",
        "How pictures are drawn. auto asks the terminal; blocks needs 256 colours.",
    ),
    key("ui.wrap_code", Rule::Any, |s| Slot::Flag(&mut s.ui.wrap_code)).on(
        FormPage::Appearance,
        "Wrap code",
        "Wrap long lines of code in articles, instead of scrolling them.",
    ),
    key("ui.sources_width", Rule::Within(0, 200), |s| Slot::Width(&mut s.ui.sources_width))
        .on(
            FormPage::Appearance,
            "Sources width",
            "Width of the Sources pane in cells, up to 200. 0 is automatic.",
        )
        .unset("automatic"),
    key("ui.items_width", Rule::Within(0, 200), |s| Slot::Width(&mut s.ui.items_width))
        .on(
            FormPage::Appearance,
            "Items width",
            "Width of the Items pane in cells, up to 200. 0 is automatic.",
        )
        .unset("automatic"),
    key("ui.mouse", Rule::Any, |s| Slot::Flag(&mut s.ui.mouse))
        .on(FormPage::Appearance, "Mouse", "Use the mouse. Shift still selects text.")
        .waits(),
    key("ui.sources_pane", Rule::Any, |s| Slot::Flag(&mut s.ui.sources_pane)).on(
        FormPage::Appearance,
        "Sources pane",
        "Show the Sources pane beside the items; if off, only while focused.",
    ),
    key("ui.sort", Rule::OneOf(SortOrder::NAMES), |s| Slot::Choice(&mut s.ui.sort)).on(
        FormPage::Reading,
        "Sort order",
        "Order of the items. best: in searches for words, the best match first.",
    ),
    key("ui.dates", Rule::OneOf(DateStyle::NAMES), |s| Slot::Choice(&mut s.ui.dates)).on(
        FormPage::Reading,
        "Dates in lists",
        "Format in lists: age (how long ago), date (day), or time (day and time).",
    ),
    key("ui.group", Rule::OneOf(Grouping::NAMES), |s| Slot::Choice(&mut s.ui.group)).on(
        FormPage::Reading,
        "Group items by",
        "Headings in lists: days and weeks, sources, or none.",
    ),
    key("ui.columns", Rule::Any, |s| Slot::Words(&mut s.ui.columns)).on(
        FormPage::Reading,
        "Columns in lists",
        "The columns beside titles: stories, comments, source, minutes, date.",
    ),
    key("ui.mark_read", Rule::OneOf(MarkRead::NAMES), |s| Slot::Choice(&mut s.ui.mark_read)).on(
        FormPage::Reading,
        "Mark read when",
        "Marks items read when opened, also when shown or scrolled past, or never.",
    ),
    key("ui.unread_only", Rule::Any, |s| Slot::Flag(&mut s.ui.unread_only)).on(
        FormPage::Reading,
        "Hide read items",
        "Hide read items, and sources without unread items, except in All items.",
    ),
    key("ui.fold_stories", Rule::Any, |s| Slot::Flag(&mut s.ui.fold_stories)).on(
        FormPage::Reading,
        "List each story once",
        "List a story once if several sources have it. ×3: three sources have it.",
    ),
    key("ui.mark_stories", Rule::Any, |s| Slot::Flag(&mut s.ui.mark_stories)).on(
        FormPage::Reading,
        "Mark whole stories",
        "Reading or pinning an item marks the other items of its story too.",
    ),
    key("browser", ARGUMENT, |s| Slot::Command(&mut s.browser))
        .on(
            FormPage::Programs,
            "Browser",
            "A command such as firefox --new-tab {url}. Empty: the system's browser.",
        )
        .unset("system browser"),
    key("browser_in_terminal", Rule::Any, |s| Slot::Flag(&mut s.browser_in_terminal)).on(
        FormPage::Programs,
        "Browser in terminal",
        "Whether the browser runs in the terminal, as w3m and lynx do.",
    ),
    key("open.terminal", WORD, |s| Slot::Words(&mut s.open.terminal))
        .on(
            FormPage::Programs,
            "Programs in terminal",
            "Programs of [open] that run in the terminal. Known ones can be left out.",
        )
        .unset("known programs"),
    key("download.folder", FOLDER, |s| Slot::MaybeText(&mut s.download.folder))
        .on(FormPage::Listen, "Download folder", "The folder for downloads, such as ~/Podcasts.")
        .unset("your downloads folder"),
    key("download.max_size", Rule::Within(1024, 1 << 40), |s| Slot::Size(&mut s.download.max_size))
        .on(FormPage::Listen, "Max download size", "Maximum size of a download, such as 1GiB."),
    key("machines.folder", FOLDER, |s| Slot::MaybeText(&mut s.machines.folder))
        .on(
            FormPage::Reading,
            "Marks folder",
            "Where your machines exchange marks, such as ~/Sync/newsfed.",
        )
        .unset("none: marks stay here"),
    key("machines.name", WORD, |s| Slot::MaybeText(&mut s.machines.name))
        .on(FormPage::Reading, "Machine name", "The name of this machine on your other machines.")
        .unset("name of the computer"),
    key("listen.player", ARGUMENT, |s| Slot::Command(&mut s.listen.player))
        .on(
            FormPage::Listen,
            "Player",
            "Program that plays the queue: mpv, or one with the same options.",
        )
        .unset("mpv"),
    key("listen.step", Rule::Within(1, 600), |s| Slot::Time(&mut s.listen.step)).on(
        FormPage::Listen,
        "Skip step",
        "How far keys skip forward and back, 1s to 10m. Default 30s.",
    ),
    key("save.folder", FOLDER, |s| Slot::MaybeText(&mut s.save.folder))
        .on(
            FormPage::Listen,
            "Folder for articles",
            "The folder for saved articles, such as ~/Articles.",
        )
        .unset("your downloads folder"),
    key("save.pictures", Rule::Any, |s| Slot::Flag(&mut s.save.pictures)).on(
        FormPage::Listen,
        "Save pictures",
        "Fetch the pictures of articles saved as HTML or EPUB. Default off.",
    ),
    key("notify.how", Rule::OneOf(NotifyWay::NAMES), |s| Slot::Choice(&mut s.notify.how)).on(
        FormPage::Programs,
        "Notify",
        "How to show the notifications of rules with the effect notify.",
    ),
    key("notify.command", ARGUMENT, |s| Slot::Command(&mut s.notify.command))
        .on(
            FormPage::Programs,
            "Notification command",
            "A command, as in notify-send {title} {text}. Also for the daemon and sync.",
        )
        .unset("none"),
    key("notify.quiet", QUIET_HOURS, |s| Slot::MaybeText(&mut s.notify.quiet))
        .on(
            FormPage::Programs,
            "Notify quiet hours",
            "Hours without notifications, in local time, such as 22:00-07:00.",
        )
        .unset("none"),
    key("full_text", Rule::OneOf(FullText::NAMES), |s| Slot::Choice(&mut s.full_text)).on(
        FormPage::FullText,
        "Fetch full text",
        "Which items get their full text from the page. A source can override it.",
    ),
    key("first_unread", Rule::Any, |s| Slot::MaybeCount(&mut s.first_unread))
        .on(
            FormPage::Reading,
            "Initial unread items",
            "How many items of a newly added feed are unread. 0 leaves all unread.",
        )
        .unset("all"),
    key("retention.days", RETENTION_DAYS, |s| Slot::MaybeCount(&mut s.retention.days))
        .on(
            FormPage::Retention,
            "Keep items for (days)",
            "How long items are kept, in days. 0 keeps them forever. Pinned items stay.",
        )
        .unset("forever"),
    key("retention.items", RETENTION_ITEMS, |s| Slot::MaybeCount(&mut s.retention.items))
        .on(
            FormPage::Retention,
            "Keep items per source",
            "How many of the newest items each source keeps. 0 keeps all.",
        )
        .unset("all"),
    key("retention.unread", Rule::Any, |s| Slot::Flag(&mut s.retention.unread)).on(
        FormPage::Retention,
        "Remove unread too",
        "Whether retention also removes unread items.",
    ),
    key("download.days", RETENTION_DAYS, |s| Slot::MaybeCount(&mut s.download.days))
        .on(
            FormPage::Retention,
            "Keep downloads (days)",
            "Days until downloads that you did not change are removed. 0 keeps them.",
        )
        .unset("forever"),
    key("comments.days", RETENTION_DAYS, |s| Slot::MaybeCount(&mut s.comments.days))
        .on(
            FormPage::Retention,
            "Comments (days)",
            "Days without new comments until their source is removed. 0 keeps it.",
        )
        .unset("forever"),
    key("schedule.policy", Rule::OneOf(PolicyKind::NAMES), |s| {
        Slot::Choice(&mut s.schedule.policy)
    })
    .on(
        FormPage::Polling,
        "Policy",
        "Based on publishing times (learned), the interval (fixed) or past changes.",
    ),
    key("schedule.polls_per_day", POLLS, |s| Slot::Number(&mut s.schedule.polls_per_day)).on(
        FormPage::Polling,
        "Polls per day",
        "Polls per source per day, averaged over all sources, 0.1 to 280.",
    ),
    key("schedule.polls_per_day_total", Rule::Within(0, 10_000_000), |s| {
        Slot::MaybeCount(&mut s.schedule.polls_per_day_total)
    })
    .on(
        FormPage::Polling,
        "Total polls per day",
        "Polls per day of all sources in total. 0 sets no limit.",
    )
    .unset("no limit"),
    key("schedule.interval", Rule::Within(1, YEAR), |s| Slot::Time(&mut s.schedule.interval)).on(
        FormPage::Polling,
        "Interval",
        "Time between two polls with the fixed policy, such as 30m or 1h.",
    ),
    key("schedule.min_interval", Rule::Within(0, YEAR), |s| {
        Slot::Time(&mut s.schedule.min_interval)
    })
    .on(
        FormPage::Polling,
        "Min interval",
        "Minimum time between two scheduled polls, such as 5m.",
    ),
    key("schedule.max_interval", MAX_INTERVAL, |s| Slot::Time(&mut s.schedule.max_interval)).on(
        FormPage::Polling,
        "Max interval",
        "Maximum time between two scheduled polls, such as 1d.",
    ),
    key("schedule.quiet_hours", QUIET_HOURS, |s| Slot::MaybeText(&mut s.schedule.quiet_hours)).on(
        FormPage::Polling,
        "Quiet hours",
        "Hours without scheduled polls, in local time, such as 23:00-07:00.",
    ),
    key("schedule.usual_min_interval", Rule::Within(0, YEAR), |s| {
        Slot::Time(&mut s.schedule.usual_min_interval)
    }),
    key("schedule.site_interval", Rule::Within(1, YEAR), |s| {
        Slot::Time(&mut s.schedule.site_interval)
    }),
    key("schedule.site_min_interval", Rule::Within(0, YEAR), |s| {
        Slot::Time(&mut s.schedule.site_min_interval)
    }),
    key("schedule.change_rate_smoothing", SHARE, |s| {
        Slot::Number(&mut s.schedule.change_rate_smoothing)
    }),
    key("schedule.change_rate_gain", SHARE, |s| Slot::Number(&mut s.schedule.change_rate_gain)),
    key("schedule.change_rate_target", SHARE, |s| Slot::Number(&mut s.schedule.change_rate_target)),
    key("schedule.advarss_tick", TICK, |s| Slot::Time(&mut s.schedule.advarss_tick)),
    key("schedule.advarss_cap", CAP, |s| Slot::Count(&mut s.schedule.advarss_cap)),
    key("schedule.advarss_growth", Rule::Any, |s| Slot::Flag(&mut s.schedule.advarss_growth)),
    key("schedule.advarss_random_first", Rule::Any, |s| {
        Slot::Flag(&mut s.schedule.advarss_random_first)
    }),
    key("schedule.learned_exponent", SHARE, |s| Slot::Number(&mut s.schedule.learned_exponent)),
    key("schedule.learned_silence", ITEMS, |s| Slot::Number(&mut s.schedule.learned_silence)),
    key("net.max_in_flight", Rule::Within(1, 1024), |s| Slot::Count(&mut s.net.max_in_flight))
        .on(FormPage::Network, "Requests at once", "Concurrent requests to all hosts, 1 to 1024.")
        .waits(),
    key("net.host_delay", Rule::Within(0, HOUR), |s| Slot::Time(&mut s.net.host_delay))
        .on(FormPage::Network, "Delay per host", "Minimum time between two requests to one host.")
        .waits(),
    key("net.proxy", PROXY, |s| Slot::MaybeText(&mut s.net.proxy))
        .on(FormPage::Network, "Proxy", "Proxy for requests, such as socks5://localhost:9050.")
        .waits()
        .unset("environment"),
    key("net.contact", CONTACT, |s| Slot::Text(&mut s.net.contact))
        .on(FormPage::Network, "Contact", "URL or email in the user agent, for site owners.")
        .waits(),
    key("net.feed_timeout", TIMEOUT, |s| Slot::Time(&mut s.net.feed_timeout))
        .on(FormPage::Network, "Feed timeout", "Time limit for one feed request, 1s to 10m.")
        .waits(),
    key("net.page_timeout", TIMEOUT, |s| Slot::Time(&mut s.net.page_timeout))
        .on(FormPage::Network, "Page timeout", "Time limit for one page request, 1s to 10m.")
        .waits(),
    key("net.connect_timeout", TIMEOUT, |s| Slot::Time(&mut s.net.connect_timeout)).waits(),
    key("net.max_body", Rule::Within(1024, 1 << 30), |s| Slot::Size(&mut s.net.max_body))
        .on(
            FormPage::Network,
            "Max size",
            "Maximum size of a document; feeds are limited to 10MiB.",
        )
        .waits(),
    key("feeds.address", LOOPBACK, |s| Slot::MaybeText(&mut s.feeds.address))
        .on(
            FormPage::Network,
            "Address of view feeds",
            "Where the daemon serves views, such as 127.0.0.1:8990.",
        )
        .waits()
        .unset("off"),
    key("feeds.items", FEED_ITEMS, |s| Slot::Count(&mut s.feeds.items)).on(
        FormPage::Network,
        "Items per view feed",
        "Maximum number of items in the feed of a view, 1 to 5000. Default 50.",
    ),
    key("serve.address", LISTENING, |s| Slot::MaybeText(&mut s.serve.address))
        .on(
            FormPage::Network,
            "API for apps",
            "Where the daemon serves apps, such as 127.0.0.1:8991.",
        )
        .waits()
        .unset("off"),
    key("serve.user", WORD, |s| Slot::Text(&mut s.serve.user)).on(
        FormPage::Network,
        "API user",
        "The name that apps log in with. A new name logs them out.",
    ),
    key("serve.edit", Rule::Any, |s| Slot::Flag(&mut s.serve.edit)).on(
        FormPage::Network,
        "Apps may edit",
        "Whether apps can add, change and remove sources.",
    ),
    key("llm.endpoint", ENDPOINT, |s| Slot::MaybeText(&mut s.llm.endpoint))
        .on(FormPage::FullText, "Model URL", "URL of a language model that finds missing dates.")
        .unset("off"),
    key("llm.model", Rule::Any, |s| Slot::Text(&mut s.llm.model))
        .on(FormPage::FullText, "Model name", "Name of the model, such as qwen3:4b.")
        .unset("none"),
    key("llm.key_env", WORD, |s| Slot::MaybeText(&mut s.llm.key_env))
        .on(
            FormPage::FullText,
            "API key variable",
            "Environment variable with the model's API key.",
        )
        .unset("none"),
    key("llm.key_command", ARGUMENT, |s| Slot::Command(&mut s.llm.key_command))
        .on(FormPage::FullText, "API key command", "Command that prints the model's API key.")
        .unset("none"),
    key("llm.timeout", Rule::Within(1, 2 * MINUTE), |s| Slot::Time(&mut s.llm.timeout)).on(
        FormPage::FullText,
        "Model timeout",
        "Time limit for one response, 1s to 2m.",
    ),
    key("keys.preset", Rule::OneOf(super::keymap::PRESETS), |s| Slot::Text(&mut s.keys.preset)).on(
        FormPage::Keys,
        "Preset",
        "The set of key bindings to start from. Individual keys can be changed.",
    ),
    key("log.level", LOG_LEVEL, |s| Slot::Text(&mut s.log.level))
        .on(FormPage::Network, "Log level", "What is logged: off, error, warn, info, debug, trace.")
        .waits(),
    key("log.keep", Rule::Within(1, 365), |s| Slot::Count(&mut s.log.keep)),
];

/// The keys of a `[[view]]`.
pub(super) const VIEW: &[Setting<ViewSettings>] = &[
    Setting::new("name", WORD, |v| Slot::Text(&mut v.name)),
    Setting::new("query", QUERY, |v| Slot::Text(&mut v.query)),
    Setting::new("sort", Rule::OneOf(SortOrder::NAMES), |v| Slot::Choice(&mut v.layout.sort)),
    Setting::new("list", Rule::OneOf(ListStyle::NAMES), |v| Slot::Choice(&mut v.layout.list)),
    Setting::new("dates", Rule::OneOf(DateStyle::NAMES), |v| Slot::Choice(&mut v.layout.dates)),
    Setting::new("group", Rule::OneOf(Grouping::NAMES), |v| Slot::Choice(&mut v.layout.group)),
    Setting::new("columns", Rule::Any, |v| Slot::Words(&mut v.layout.columns)),
];

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
