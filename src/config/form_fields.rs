//! The fields of the form for a source: one row per key of `sources.toml`.

use crate::model::{FullText, PolicyKind, Priority, SourceKind};

/// A page of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FormPage {
    /// What the source is.
    General,
    /// When it is polled.
    Schedule,
    /// Where things stand on its pages.
    Selectors,
    /// What a crawl of its site looks for.
    Crawl,
    /// How its server is asked.
    Access,
    /// How the interface look.
    Appearance,
    /// How articles are read.
    Reading,
    /// Full texts from pages.
    FullText,
    /// How long items are kept.
    Retention,
    /// When sources are polled, and how often.
    Budget,
    /// How servers are asked.
    Network,
    /// Keys and the log.
    Keys,
}

impl FormPage {
    /// All of them, in order.
    pub const ALL: [Self; 12] = [
        Self::General,
        Self::Schedule,
        Self::Selectors,
        Self::Crawl,
        Self::Access,
        Self::Appearance,
        Self::Reading,
        Self::FullText,
        Self::Retention,
        Self::Budget,
        Self::Network,
        Self::Keys,
    ];

    /// What it is called.
    pub fn title(self) -> &'static str {
        match self {
            Self::General => "General",
            Self::Schedule => "Schedule",
            Self::Selectors => "Selectors",
            Self::Crawl => "Crawl",
            Self::Access => "Headers and login",
            Self::Appearance => "Look",
            Self::Reading => "Reading",
            Self::FullText => "Full text",
            Self::Retention => "Retention",
            Self::Budget => "Budget",
            Self::Network => "Network",
            Self::Keys => "Keys",
        }
    }
}

/// How a value is typed and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A text.
    Text,
    /// Texts with commas between.
    Words,
    /// A number, or true or false.
    Plain,
    /// A list of arguments, as a shell takes it.
    Command,
    /// A text, `env:NAME` or `command:ARGUMENTS`.
    Secret,
    /// A name, a colon and a secret: one more key of the table.
    NewSecret,
}

/// A field as the form knows it before it knows a source.
pub(super) struct Row {
    pub(super) page: FormPage,
    /// From the entry to the key.
    pub(super) path: &'static [&'static str],
    pub(super) label: &'static str,
    /// What holds while it is empty.
    pub(super) unset: &'static str,
    pub(super) help: &'static str,
    pub(super) shape: Shape,
    /// Words that it takes; none where they are not few.
    pub(super) choices: &'static [&'static str],
    pub(super) kinds: &'static [SourceKind],
    /// Whether what the source gives may be other once it is changed.
    pub(super) poll: bool,
    /// Whether a change of it holds from the next start on only.
    pub(super) waits: bool,
}

pub(super) const EVERY: &[SourceKind] = &SourceKind::ALL;
const SITES: &[SourceKind] = &[SourceKind::Website, SourceKind::Sitemap, SourceKind::Crawl];
const LISTS: &[SourceKind] = &[SourceKind::Website];
const CRAWLS: &[SourceKind] = &[SourceKind::Crawl];
pub(super) const FLAG: &[&str] = &["true", "false"];

pub(super) const GENERAL: Row = Row {
    page: FormPage::General,
    path: &[],
    label: "",
    unset: "",
    help: "",
    shape: Shape::Text,
    choices: &[],
    kinds: EVERY,
    poll: false,
    waits: false,
};
const SCHEDULE: Row = Row { page: FormPage::Schedule, unset: "as in the settings", ..GENERAL };
const SELECTOR: Row = Row { page: FormPage::Selectors, kinds: SITES, poll: true, ..GENERAL };
const ACCESS: Row = Row { page: FormPage::Access, poll: true, ..GENERAL };

/// Every field, page by page.
pub(super) const ROWS: &[Row] = &[
    Row {
        path: &["title"],
        label: "Title",
        unset: "its own",
        help: "What it is called in the list",
        ..GENERAL
    },
    Row {
        path: &["url"],
        label: "Address",
        help: "Where it is asked, such as https://example.org/feed",
        poll: true,
        ..GENERAL
    },
    Row {
        path: &["kind"],
        label: "Kind",
        unset: "feed",
        help: "feed, website (by selectors), sitemap or crawl",
        choices: super::sources::KINDS,
        poll: true,
        ..GENERAL
    },
    Row {
        path: &["folder"],
        label: "Folder",
        unset: "none",
        help: "Levels with a / between, such as Tech/Rust",
        ..GENERAL
    },
    Row {
        path: &["tags"],
        label: "Tags",
        unset: "none",
        help: "Words with commas between",
        shape: Shape::Words,
        ..GENERAL
    },
    Row {
        path: &["enabled"],
        label: "Enabled",
        unset: "true",
        help: "Whether it is polled",
        shape: Shape::Plain,
        choices: FLAG,
        ..GENERAL
    },
    Row {
        path: &["full_text"],
        label: "Full text",
        unset: "as in the settings",
        help: "Whose pages are asked for the full text: never, on-open, pinned or all",
        choices: FullText::NAMES,
        ..GENERAL
    },
    Row {
        path: &["retention", "days"],
        label: "Keep days",
        unset: "as in the settings",
        help: "How many days read items are kept; 0 is forever",
        shape: Shape::Plain,
        ..GENERAL
    },
    Row {
        path: &["retention", "items"],
        label: "Keep items",
        unset: "as in the settings",
        help: "How many items are kept; 0 is any number",
        shape: Shape::Plain,
        ..GENERAL
    },
    Row {
        path: &["schedule", "policy"],
        label: "Policy",
        help: "Who decides when it is polled",
        choices: PolicyKind::NAMES,
        ..SCHEDULE
    },
    Row {
        path: &["interval"],
        label: "Interval",
        unset: "by the policy",
        help: "A fixed time between two polls, such as 30m, 2h or 1d",
        ..SCHEDULE
    },
    Row {
        path: &["schedule", "min_interval"],
        label: "At least",
        help: "Shortest time between two polls, such as 10m",
        ..SCHEDULE
    },
    Row {
        path: &["schedule", "max_interval"],
        label: "At most",
        help: "Longest time between two polls, such as 1d",
        ..SCHEDULE
    },
    Row {
        path: &["schedule", "quiet_hours"],
        label: "Quiet hours",
        help: "When it is not polled by itself, such as 23:00-07:00",
        ..SCHEDULE
    },
    Row {
        path: &["schedule", "priority"],
        label: "Priority",
        unset: "normal",
        help: "How much its items matter beside others'",
        choices: Priority::NAMES,
        ..SCHEDULE
    },
    Row {
        path: &["schedule", "polls_per_day"],
        label: "Looks a day",
        help: "How many polls a day it is worth",
        shape: Shape::Plain,
        ..SCHEDULE
    },
    Row {
        path: &["website", "mode"],
        label: "Mode",
        unset: "list",
        help: "list: the page links to articles; direct: it is one",
        choices: super::website::MODES,
        kinds: LISTS,
        ..SELECTOR
    },
    Row {
        path: &["website", "articles"],
        label: "Articles",
        help: "The links to articles on the list, such as main h3 > a",
        kinds: LISTS,
        ..SELECTOR
    },
    Row {
        path: &["website", "next"],
        label: "Next page",
        unset: "none",
        help: "The link to the next page of the list",
        kinds: LISTS,
        ..SELECTOR
    },
    Row {
        path: &["website", "max_pages"],
        label: "Pages",
        unset: "1",
        help: "How many pages of the list are read at most",
        shape: Shape::Plain,
        kinds: LISTS,
        ..SELECTOR
    },
    Row {
        path: &["website", "title"],
        label: "Title",
        help: "The title on an article's page, such as h1",
        ..SELECTOR
    },
    Row {
        path: &["website", "content"],
        label: "Content",
        help: "The text of an article, such as .article-body",
        ..SELECTOR
    },
    Row {
        path: &["website", "author"],
        label: "Author",
        unset: "as the page says",
        help: "Who wrote it",
        ..SELECTOR
    },
    Row {
        path: &["website", "date"],
        label: "Date",
        unset: "as the page says",
        help: "When it appeared, such as time.published",
        ..SELECTOR
    },
    Row {
        path: &["website", "date_format"],
        label: "Date format",
        unset: "found out",
        help: "How the date is written, where it is not found out",
        ..SELECTOR
    },
    Row {
        path: &["website", "delay"],
        label: "Pause",
        unset: "as in the settings",
        help: "Time between two requests, such as 5s",
        ..SELECTOR
    },
    Row {
        path: &["website", "peak_hours"],
        label: "Busy hours",
        unset: "none",
        help: "Hours in which the site publishes, such as 08:00-18:00",
        ..SELECTOR
    },
    Row {
        page: FormPage::Crawl,
        path: &["website", "targets"],
        label: "Targets",
        unset: "articles",
        help: "What is looked for: articles, files, data, or media types such as text/csv",
        kinds: CRAWLS,
        ..SELECTOR
    },
    Row {
        path: &["user"],
        label: "User",
        unset: "none",
        help: "Who logs in; a password goes with it",
        ..ACCESS
    },
    Row {
        path: &["password"],
        label: "Password",
        unset: "none",
        help: "env:NAME, command:pass show name, or the password itself",
        shape: Shape::Secret,
        ..ACCESS
    },
    Row {
        path: &["proxy"],
        label: "Proxy",
        unset: "as in the settings",
        help: "Such as socks5://localhost:9050",
        ..ACCESS
    },
    Row {
        path: &["headers"],
        label: "New header",
        help: "Name: value, Name: env:VARIABLE or Name: command:pass show name",
        shape: Shape::NewSecret,
        ..ACCESS
    },
];
