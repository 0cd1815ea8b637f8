//! How a site without a feed is read, as declared in `sources.toml`.

use std::hash::{Hash, Hasher};
use std::time::Duration;

/// Where the articles of a website source are.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum WebsiteMode {
    /// The address is a page with links to articles.
    #[default]
    List,
    /// The address is the only article.
    Direct,
}

/// The rules by which a website source is read. Selectors are texts here; `website::check` tells
/// whether they can be used. A list of selectors (`h1, h2`) is tried in its order where one value
/// is wanted, and taken together, in the order of the page, for article links.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct WebsiteRules {
    /// Where the articles are.
    pub mode: WebsiteMode,
    /// Selects the article links of a list page, or elements with one in or around them.
    pub articles: Option<String>,
    /// Selects the link to the next list page.
    pub next: Option<String>,
    /// List pages read in one poll, at least 1.
    pub max_pages: u32,
    /// Selects the title of an article.
    pub title: String,
    /// Selects the text of an article.
    pub content: String,
    /// Selects the names of its authors.
    pub author: Option<String>,
    /// Selects its date.
    pub date: Option<String>,
    /// How the date is written, as a Go layout: `2 January 2006`.
    pub date_format: Option<String>,
    /// What a crawl looks for, as [`crate::crawl::Targets`] reads it; articles without it.
    pub targets: Option<String>,
    /// Hours in which the site is left alone, local time.
    pub peak_hours: Option<PeakHours>,
    /// Least time between two requests, instead of `net.host_delay`.
    pub delay: Option<Duration>,
}

impl WebsiteRules {
    /// Title of an article where nobody has said better.
    pub const TITLE: &str = "article h1, main h1, h1, title";
    /// Text of an article where nobody has said better.
    pub const CONTENT: &str = "article, main, [role=main], body";

    /// Whether somebody has said where title and text of an article are.
    pub fn has_selectors(&self) -> bool {
        self.title != Self::TITLE || self.content != Self::CONTENT
    }

    /// A number that other rules hardly have.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = std::hash::DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

impl Default for WebsiteRules {
    fn default() -> Self {
        Self {
            mode: WebsiteMode::default(),
            articles: None,
            next: None,
            max_pages: 1,
            title: Self::TITLE.to_owned(),
            content: Self::CONTENT.to_owned(),
            author: None,
            date: None,
            date_format: None,
            targets: None,
            peak_hours: None,
            delay: None,
        }
    }
}

/// A span of the day in minutes since midnight, the end not included. It goes over midnight where
/// it ends before it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct PeakHours {
    /// 0-1439.
    pub from: u16,
    /// 0-1439, never equal to `from`.
    pub to: u16,
}

/// What newsfed has learned about a website source.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct WebsiteFacts {
    /// Looks in a row in which the rules found nothing to read.
    pub fruitless: u32,
    /// What was missing in them; `None` while something is found.
    #[serde(alias = "trouble")]
    pub problem: Option<SelectorProblem>,
    /// The last poll left something behind: the next one reads the page again although it has not
    /// changed.
    pub unfinished: bool,
    /// The rules that were used last, as a hash: other rules have another look at the page.
    pub rules: u64,
    /// What its pages said of when they change, in the last poll that read them.
    pub says: PageSays,
}

/// What the pages of a site say of when they change; what they do not say is `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct PageSays {
    /// How often the sitemap says that they change: the shortest of its `changefreq`.
    pub changes: Option<Duration>,
    /// The newest time of change, or date of an article, that a sitemap or list gives.
    pub listed: Option<super::Time>,
    /// `article:modified_time` and its kin.
    pub modified: Option<super::Time>,
    /// `article:published_time` and its kin.
    pub published: Option<super::Time>,
    /// The first `time` element of the body.
    pub shown: Option<super::Time>,
}

/// What tells when a page is worth another visit, the cheapest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Signal {
    /// `max-age` or `Expires`.
    Headers,
    /// `changefreq` of the sitemap.
    Sitemap,
    /// The time of change that a sitemap or list gives.
    Listed,
    /// `article:modified_time` and its kin.
    Metadata,
    /// Words in the address.
    Address,
    /// A `time` element.
    Body,
    /// The history of the page.
    History,
    /// Nothing: a day.
    Nothing,
}

impl Signal {
    /// Its name, as it is told.
    pub fn name(self) -> &'static str {
        match self {
            Self::Headers => "headers",
            Self::Sitemap => "sitemap",
            Self::Listed => "listed",
            Self::Metadata => "metadata",
            Self::Address => "address",
            Self::Body => "body",
            Self::History => "history",
            Self::Nothing => "nothing",
        }
    }

    /// Whether it is a hint of the site, which holds as long as its own history says nothing.
    pub fn is_hint(self) -> bool {
        matches!(self, Self::Sitemap | Self::Listed | Self::Metadata | Self::Address | Self::Body)
    }
}

/// What a signal said: not before so many seconds have gone by.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Sign {
    /// What decided.
    pub signal: Signal,
    /// Seconds from the poll on.
    pub after: u64,
    /// In plain words.
    pub why: String,
}

/// Rules that find nothing.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SelectorProblem {
    /// Start of the first poll that found nothing.
    pub since: super::Time,
    /// What is missing, in plain words: "no links to articles".
    pub what: String,
    /// Selectors that would work now, best first.
    #[serde(default)]
    pub instead: Vec<String>,
    /// The key of the source that they are for.
    #[serde(default)]
    pub key: RuleKey,
}

/// A selector of a website source that finds nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum RuleKey {
    /// The links to its articles.
    #[default]
    #[serde(rename = "website.articles")]
    Articles,
    /// The titles of articles.
    #[serde(rename = "website.title")]
    Title,
    /// Their text.
    #[serde(rename = "website.content")]
    Content,
}

impl RuleKey {
    /// The key in `sources.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Articles => "website.articles",
            Self::Title => "website.title",
            Self::Content => "website.content",
        }
    }
}

/// Looks in a row that find nothing, after which the rules count as broken.
pub const BROKEN_AFTER: u32 = 3;

impl WebsiteFacts {
    /// What is known as far as it holds for these rules: nothing, after a user has changed them.
    pub fn under(&self, rules: &WebsiteRules) -> Self {
        let now = rules.fingerprint();
        if self.rules == now {
            self.clone()
        } else {
            Self { rules: now, unfinished: true, ..Self::default() }
        }
    }

    /// What is wrong with the rules, once it has lasted for [`BROKEN_AFTER`] looks.
    pub fn broken(&self) -> Option<&SelectorProblem> {
        self.problem.as_ref().filter(|_| self.fruitless >= BROKEN_AFTER)
    }
}
