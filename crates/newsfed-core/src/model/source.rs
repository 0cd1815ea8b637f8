//! A source as declared by the user, and the facts that newsfed learns about it.

use super::{
    Collected, FeedHints, FullText, Origin, Outcome, Pause, Planned, SourceSchedule, Time,
    WebsiteFacts, WebsiteRules,
};
use chrono::SubsecRound;
use std::fmt;
use std::time::Duration;

/// Identifier of a source: a short word such as `hn-example`, unique in `sources.toml`.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct SourceId(pub String);

impl fmt::Display for SourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl SourceId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The name of a source kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SourceKind {
    #[default]
    Feed,
    Website,
    Entries,
    Page,
    Sitemap,
    Crawl,
    /// An OPML list whose sources are kept in sync with it. It has no items of its own.
    List,
}

impl SourceKind {
    pub const ALL: [Self; 7] = [
        Self::Feed,
        Self::Website,
        Self::Entries,
        Self::Page,
        Self::Sitemap,
        Self::Crawl,
        Self::List,
    ];
    /// The names, in the order of [`Self::ALL`].
    pub const NAMES: [&'static str; Self::ALL.len()] = {
        let (mut names, mut index) = ([""; Self::ALL.len()], 0);
        while index < names.len() {
            names[index] = Self::ALL[index].name();
            index += 1;
        }
        names
    };

    /// The name in `sources.toml`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Feed => "feed",
            Self::Website => "website",
            Self::Entries => "entries",
            Self::Page => "page",
            Self::Sitemap => "sitemap",
            Self::Crawl => "crawl",
            Self::List => "list",
        }
    }

    /// Describes what is followed, in a sentence.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Feed => "An RSS, Atom or JSON feed. The default.",
            Self::Website => "A page with links to articles, which `website.articles` selects.",
            Self::Entries => {
                "A page that contains the entries itself, as blocks or under headings."
            }
            Self::Page => "One page, or a part of it, that is watched for changes.",
            Self::Sitemap => "The articles of a sitemap.",
            Self::Crawl => "What a crawl of a site finds: articles or files.",
            Self::List => "An OPML list whose sources are followed.",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether a poll reads the pages of a site. Such a poll obeys robots.txt, may need many requests, and
    /// makes items from pages.
    pub fn reads_pages(self) -> bool {
        match self {
            Self::Feed | Self::List => false,
            Self::Website | Self::Entries | Self::Page | Self::Sitemap | Self::Crawl => true,
        }
    }

    /// The noun for its entries, singular or plural.
    pub fn entries(self, count: usize) -> &'static str {
        match (self, count) {
            (Self::Feed | Self::Entries, 1) => "entry",
            (Self::Feed | Self::Entries, _) => "entries",
            (Self::Website, 1) => "article",
            (Self::Website, _) => "articles",
            (Self::Page | Self::Sitemap | Self::Crawl, 1) => "page",
            (Self::Page | Self::Sitemap | Self::Crawl, _) => "pages",
            (Self::List, 1) => "source",
            (Self::List, _) => "sources",
        }
    }
}

/// How a source is followed, with the settings that only its kind has.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum SourceRules {
    /// RSS, Atom or JSON Feed.
    #[default]
    Feed,
    /// Pages without a feed, read by selectors.
    Website(Box<WebsiteRules>),
    /// The entries on one page: repeated blocks, or sections under headings.
    Entries(Box<WebsiteRules>),
    /// One page, or a part of it, watched for changes: its only item gets versions.
    Page(Box<WebsiteRules>),
    /// The URLs that a sitemap lists.
    Sitemap(Box<WebsiteRules>),
    /// A site that is crawled for pages with targets.
    Crawl(Box<WebsiteRules>),
    /// An OPML list of sources.
    List,
}

impl SourceRules {
    /// How a source of this kind is followed. `rules` is ignored for kinds that read no pages.
    pub fn new(kind: SourceKind, rules: WebsiteRules) -> Self {
        match kind {
            SourceKind::Feed => Self::Feed,
            SourceKind::Website => Self::Website(rules.into()),
            SourceKind::Entries => Self::Entries(rules.into()),
            SourceKind::Page => Self::Page(rules.into()),
            SourceKind::Sitemap => Self::Sitemap(rules.into()),
            SourceKind::Crawl => Self::Crawl(rules.into()),
            SourceKind::List => Self::List,
        }
    }

    pub fn kind(&self) -> SourceKind {
        match self {
            Self::Feed => SourceKind::Feed,
            Self::Website(_) => SourceKind::Website,
            Self::Entries(_) => SourceKind::Entries,
            Self::Page(_) => SourceKind::Page,
            Self::Sitemap(_) => SourceKind::Sitemap,
            Self::Crawl(_) => SourceKind::Crawl,
            Self::List => SourceKind::List,
        }
    }

    /// The selectors and settings for reading its pages.
    pub fn pages(&self) -> Option<&WebsiteRules> {
        match self {
            Self::Feed | Self::List => None,
            Self::Website(rules)
            | Self::Entries(rules)
            | Self::Page(rules)
            | Self::Sitemap(rules)
            | Self::Crawl(rules) => Some(rules),
        }
    }

    pub fn pages_mut(&mut self) -> Option<&mut WebsiteRules> {
        match self {
            Self::Feed | Self::List => None,
            Self::Website(rules)
            | Self::Entries(rules)
            | Self::Page(rules)
            | Self::Sitemap(rules)
            | Self::Crawl(rules) => Some(rules),
        }
    }
}

/// A secret that is never written to a settings file and never printed.
#[derive(Clone, PartialEq, Eq)]
pub enum Secret {
    /// The value of an environment variable.
    Env(String),
    /// The first line that a command prints. The command is an argument list.
    Command(Vec<String>),
    /// The first line of a file that only its owner can read.
    File(std::path::PathBuf),
    /// Written in the settings file by the user.
    Plain(String),
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Env(name) => write!(f, "Secret(env {name})"),
            Self::Command(argv) => {
                write!(f, "Secret(command {})", argv.first().map_or("", String::as_str))
            }
            Self::File(path) => write!(f, "Secret(file {})", path.display()),
            Self::Plain(_) => f.write_str("Secret(hidden)"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasicAuth {
    pub user: String,
    pub password: Secret,
}

/// Credentials, headers and proxy for the requests of a source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    pub auth: Option<BasicAuth>,
    /// Additional request headers, in order.
    pub headers: Vec<(String, Secret)>,
    /// Proxy URL (http, https, socks5, socks5h) for this source only.
    pub proxy: Option<String>,
}

/// How long items are kept. `None` keeps them forever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Retention {
    /// Days since discovery.
    pub days: Option<u32>,
    /// Number of newest items per source.
    pub items: Option<u32>,
    /// Whether unread items may be removed too. Pinned items are never removed.
    pub unread: bool,
}

/// One source as declared in `sources.toml`.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    pub id: SourceId,
    pub rules: SourceRules,
    /// The URL that is polled. For a program or a file, a URL that stands for it.
    pub url: url::Url,
    /// Programs and files; usually none.
    pub origin: Origin,
    /// The user's own title; `None` shows the feed's title.
    pub title: Option<String>,
    /// Folder, `/` between levels; `None` is the top level.
    pub folder: Option<String>,
    pub tags: Vec<String>,
    /// Its colour in the interface, 1 to 8; `None` derives it from the identifier.
    pub color: Option<u32>,
    pub enabled: bool,
    /// Fixed interval between polls; `None` leaves it to the policy.
    pub interval: Option<Duration>,
    /// When the full text is fetched; `None` uses the global setting.
    pub full_text: Option<FullText>,
    pub schedule: SourceSchedule,
    /// How long its items are kept; `None` uses the global setting.
    pub retention: Option<Retention>,
    /// Number of days without a new item after which the source is removed; `None` means never. Such a source
    /// is also removed when its server reports that it is gone. Used, for example, for comments on an item.
    pub remove_after: Option<u32>,
    pub access: Access,
    /// Whether its host may have a private address even if its URL does not show that.
    pub private: bool,
    /// The account whose server polls the source; newsfed itself never polls it.
    pub account: Option<String>,
    /// Identifier of the list that the source came from; changes to the list also change the source.
    pub list: Option<SourceId>,
}

impl Source {
    /// A feed at this URL with default settings.
    pub fn feed(id: SourceId, url: url::Url) -> Self {
        Self {
            id,
            rules: SourceRules::Feed,
            url,
            origin: Origin::default(),
            title: None,
            folder: None,
            tags: Vec::new(),
            color: None,
            enabled: true,
            interval: None,
            full_text: None,
            schedule: SourceSchedule::default(),
            retention: None,
            remove_after: None,
            access: Access::default(),
            private: false,
            account: None,
            list: None,
        }
    }

    pub fn kind(&self) -> SourceKind {
        self.rules.kind()
    }

    /// The name shown while there is no title: the program, the file or the URL.
    pub fn place_name(&self) -> &str {
        let program = self.origin.exec.first().and_then(|program| program.rsplit('/').next());
        let url = self.url.as_str().trim_end_matches('/');
        let address = url.split_once("://").map_or(url, |(_, rest)| rest);
        program.or_else(|| self.origin.path()).unwrap_or(address)
    }

    /// The URL on the web that is polled; `None` for programs and files.
    pub fn web_url(&self) -> Option<&url::Url> {
        (!self.origin.is_local()).then_some(&self.url)
    }

    /// How long its items are kept. The only item of a watched page is always kept.
    pub fn retention(&self, usual: Retention) -> Retention {
        match self.kind() {
            SourceKind::Page => Retention::default(),
            _ => self.retention.unwrap_or(usual),
        }
    }
}

/// HTTP validators: opaque text, kept byte for byte.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Validators {
    /// `ETag`, byte for byte.
    pub etag: Option<Vec<u8>>,
    /// `Last-Modified`, byte for byte.
    pub last_modified: Option<Vec<u8>>,
}

/// The state of a source, ordered by how much attention it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Health {
    /// Never polled.
    New,
    /// The last poll succeeded.
    Ok,
    /// The server limits requests to the source or its host.
    Paused,
    /// Fewer than ten failures in a row.
    Retrying,
    /// Ten or more failures in a row.
    Failing,
    /// The server responded with 410.
    Gone,
}

/// What newsfed has learned about a source; one row of the database.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceFacts {
    /// Row key in the database.
    pub key: i64,
    /// The declared identifier.
    pub id: SourceId,
    /// The declared URL at the time of the last poll.
    pub url: String,
    /// Target of a permanent redirect; fetched instead of `url`.
    pub moved_to: Option<String>,
    /// A permanent redirect that was seen but is not trusted yet.
    pub move_candidate: Option<MoveCandidate>,
    /// A permanent redirect that the user reverted; it is not followed again.
    pub move_refused: Option<String>,
    pub feed_title: Option<String>,
    /// The site's home page.
    pub home_url: Option<String>,
    /// Validators of the stored body.
    pub validators: Validators,
    /// The URL that the stored body came from; the validators belong to that URL.
    pub validators_of: Option<String>,
    /// Hash of the last parsed body, as the database computes it.
    pub body_hash: Option<[u8; 32]>,
    /// Start of the last poll.
    pub last_poll: Option<Time>,
    /// Start of the last poll that got a complete response or 304.
    pub last_ok: Option<Time>,
    /// When a complete response (not 304) was last received.
    pub last_full: Option<Time>,
    /// When the next poll is due, after all limits; `None` means immediately.
    pub next_poll: Option<Time>,
    /// The limit that also prevents a manual refresh.
    pub pause: Option<Pause>,
    /// Failures in a row.
    pub fail_count: u32,
    /// How the last poll ended.
    pub last_outcome: Option<Outcome>,
    /// What the feed states about how often to poll it.
    pub hints: FeedHints,
    /// State of the schedule policy.
    pub schedule: Vec<u8>,
    /// How the time of the next poll was computed. Boxed, because lists of many sources do not contain it.
    pub planned: Option<Box<Planned>>,
    pub items: u32,
    pub unread: u32,
    pub pinned: u32,
    /// What newsfed has learned about the pages of the source.
    pub website: WebsiteFacts,
    /// The account whose server polls it; `None` if it is declared in `sources.toml`.
    pub collected: Option<Box<Collected>>,
}

/// A permanent redirect that has been seen but not stored yet.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct MoveCandidate {
    pub url: String,
    /// When it was first seen.
    pub since: Time,
    /// How many polls ended at this target.
    pub seen: u32,
}

impl SourceFacts {
    /// When the next automatic poll is due: not before the pause ends, and cut to whole seconds, like stored
    /// times. `None` means immediately.
    pub fn due(&self) -> Option<Time> {
        let due = self.next_poll.max(self.pause.map(|pause| pause.until))?;
        Some(due.trunc_subsecs(0))
    }

    /// Facts of a source that has never been polled.
    pub fn new(key: i64, id: SourceId, url: String) -> Self {
        Self {
            key,
            id,
            url,
            moved_to: None,
            move_candidate: None,
            move_refused: None,
            feed_title: None,
            home_url: None,
            validators: Validators::default(),
            validators_of: None,
            body_hash: None,
            last_poll: None,
            last_ok: None,
            last_full: None,
            next_poll: None,
            pause: None,
            fail_count: 0,
            last_outcome: None,
            hints: FeedHints::default(),
            schedule: Vec::new(),
            planned: None,
            items: 0,
            unread: 0,
            pinned: 0,
            website: WebsiteFacts::default(),
            collected: None,
        }
    }

    /// The user's own title, else the feed's, else the program, the file or the URL.
    pub fn title<'a>(&'a self, source: &'a Source) -> &'a str {
        source.title_or(self.feed_title.as_deref())
    }

    /// The state of the source at `now`.
    pub fn health(&self, now: Time) -> Health {
        use super::PauseReason;
        if self.collected.is_some() {
            // The server of the account polls it.
            return Health::Ok;
        }
        match &self.pause {
            Some(pause) if pause.reason == PauseReason::Gone => return Health::Gone,
            _ => {}
        }
        if self.fail_count >= FAILING_AFTER {
            return Health::Failing;
        }
        let limits = |reason| {
            use PauseReason::{HostPaused, RateLimited, RetryAfter};
            matches!(reason, RetryAfter | RateLimited | HostPaused)
        };
        let limited = self.pause.is_some_and(|h| h.until > now && limits(h.reason));
        if limited {
            return Health::Paused;
        }
        match (self.fail_count, self.last_poll) {
            (_, None) => Health::New,
            (0, _) => Health::Ok,
            _ => Health::Retrying,
        }
    }
}

/// Number of failures in a row after which a source is failing.
pub const FAILING_AFTER: u32 = 10;
