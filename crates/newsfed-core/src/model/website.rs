//! How a site without a feed is read, as declared in `sources.toml`.

use super::hash::stable_hash;
use super::{Offsets, Time};
use std::collections::BTreeMap;
use std::time::Duration;

/// The selectors and other settings with which a website source is read. Selectors are stored as text;
/// `website::check` validates them. A list of selectors (`h1, h2`) is tried in order if one value is needed;
/// for article links, all matches are used, in document order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct WebsiteRules {
    /// Selects the article links of a list page, or elements that contain a link or are inside one.
    pub articles: Option<String>,
    /// Selects the link to the next list page.
    pub next: Option<String>,
    /// List pages read in one poll, at least 1.
    pub max_pages: u32,
    /// Selects the title of an article.
    pub title: String,
    /// Selects the text of an article.
    pub content: String,
    /// Selects the names of the authors.
    pub author: Option<String>,
    /// Selects the date.
    pub date: Option<String>,
    /// Format of the date, as a Go layout: `2 January 2006`.
    pub date_format: Option<String>,
    /// What a crawl searches for, as parsed by [`crate::crawl::Targets`]; articles if not set.
    pub targets: Option<String>,
    /// Minimum time between two requests, instead of `net.host_delay`.
    pub delay: Option<Duration>,
}

impl WebsiteRules {
    /// Default selector of the title.
    pub const TITLE: &str = "article h1, main h1, h1, title";
    /// Default selector of the content.
    pub const CONTENT: &str = "article, main, [role=main], body";

    /// Whether the user has set selectors for title or content.
    pub fn has_selectors(&self) -> bool {
        self.title != Self::TITLE || self.content != Self::CONTENT
    }

    /// A hash for detecting changed selectors and settings.
    pub fn fingerprint(&self) -> u64 {
        // The fields are only strings and numbers, so they can always be serialised.
        stable_hash([serde_json::to_string(self).unwrap_or_default().as_str()])
    }
}

impl Default for WebsiteRules {
    fn default() -> Self {
        Self {
            articles: None,
            next: None,
            max_pages: 1,
            title: Self::TITLE.to_owned(),
            content: Self::CONTENT.to_owned(),
            author: None,
            date: None,
            date_format: None,
            targets: None,
            delay: None,
        }
    }
}

/// What newsfed has learned about a website source.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct WebsiteFacts {
    /// Polls in a row in which the selectors found nothing to read.
    pub fruitless: u32,
    /// What the selectors failed to find; `None` while they find something.
    #[serde(alias = "trouble")]
    pub problem: Option<SelectorProblem>,
    /// Whether the last poll did not finish. The next one then reads the page again even if the page has not
    /// changed.
    pub unfinished: bool,
    /// Hash of the selectors and settings used last. If they change, the page is read again.
    pub rules: u64,
    /// What the site stated about changes at the last poll that read its pages.
    #[serde(alias = "says")]
    pub hints: PageHints,
    /// The last activity that the list page showed when an article was last read, by a hash of the article's
    /// URL. List pages show times without a zone, so these times can only be compared with later ones from
    /// the list.
    pub active: BTreeMap<u64, Time>,
    /// The offsets from UTC of the dates on its pages, for times without a zone.
    pub offsets: Offsets,
}

/// What a site states about when its pages change. A field is `None` if the site does not state it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct PageHints {
    /// The shortest `changefreq` of the sitemap.
    pub changes: Option<Duration>,
    /// The newest modification time, or date of an article, in a sitemap or list.
    pub listed: Option<Time>,
    /// `article:modified_time` and similar metadata.
    pub modified: Option<Time>,
    /// `article:published_time` and similar metadata.
    pub published: Option<Time>,
    /// The first `time` element of the body.
    pub shown: Option<Time>,
}

/// The signals that decide when to visit a page again, cheapest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Signal {
    /// `max-age` or `Expires`.
    Headers,
    /// `changefreq` of the sitemap.
    Sitemap,
    /// The modification time in a sitemap or list.
    Listed,
    /// `article:modified_time` and similar metadata.
    Metadata,
    /// Words in the URL.
    #[serde(alias = "address")]
    Url,
    /// A `time` element.
    Body,
    /// The history of the page.
    History,
    /// No signal: the interval is one day.
    Nothing,
}

impl Signal {
    /// The name as printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Headers => "headers",
            Self::Sitemap => "sitemap",
            Self::Listed => "listed",
            Self::Metadata => "metadata",
            Self::Url => "url",
            Self::Body => "body",
            Self::History => "history",
            Self::Nothing => "nothing",
        }
    }

    /// Whether the signal is a hint from the site, used only while there is too little history of its polls.
    pub fn is_hint(self) -> bool {
        matches!(self, Self::Sitemap | Self::Listed | Self::Metadata | Self::Url | Self::Body)
    }
}

/// The result of a signal: no poll before `after` seconds have passed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct DecidingSignal {
    #[serde(alias = "signal")]
    pub name: Signal,
    /// Seconds since the poll.
    pub after: u64,
    /// The explanation for the user.
    pub why: String,
}

/// Selectors that find nothing.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SelectorProblem {
    /// Start of the first poll that found nothing.
    pub since: super::Time,
    /// What is missing: "no links to articles".
    pub what: String,
    /// Selectors that would match now, best first.
    #[serde(default)]
    pub instead: Vec<String>,
    /// The setting with the selector that finds nothing.
    #[serde(default)]
    pub key: RuleKey,
}

/// The setting of a selector that may find nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum RuleKey {
    #[default]
    #[serde(rename = "website.articles")]
    Articles,
    #[serde(rename = "website.title")]
    Title,
    #[serde(rename = "website.content")]
    Content,
}

impl RuleKey {
    pub fn name(self) -> &'static str {
        match self {
            Self::Articles => "website.articles",
            Self::Title => "website.title",
            Self::Content => "website.content",
        }
    }
}

/// Number of consecutive polls without matches after which the selectors are considered broken.
pub const BROKEN_AFTER: u32 = 3;

impl WebsiteFacts {
    /// The facts that still apply with these selectors and settings: if the user has changed any, only the
    /// time zone.
    pub fn under(&self, rules: &WebsiteRules) -> Self {
        let now = rules.fingerprint();
        if self.rules == now {
            self.clone()
        } else {
            // The zone of the site does not depend on the selectors.
            let offsets = self.offsets.clone();
            Self { rules: now, unfinished: true, offsets, ..Self::default() }
        }
    }

    /// The problem with the selectors, once it has lasted for [`BROKEN_AFTER`] polls.
    pub fn broken(&self) -> Option<&SelectorProblem> {
        self.problem.as_ref().filter(|_| self.fruitless >= BROKEN_AFTER)
    }
}
