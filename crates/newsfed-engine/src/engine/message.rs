//! Messages to and from the engine, as plain data.

use super::follow::{access, may_have_credentials};
use crate::config::{FileEdit, Section, unique_id};
use crate::feed::ParsedFeed;
use crate::model::{
    Entry, LeftOut, Origin, Outcome, Pause, SelectorProblem, Source, SourceId, SourceKind,
    SourceRules, Time, WebsiteRules,
};
use crate::net::Response;
use crate::util::url::WebAddress;
use std::cmp::Reverse;
use std::collections::HashSet;
use tokio::sync::mpsc::UnboundedSender;
use url::Url;

/// The state of the engine; only the latest value counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    /// The role of this process.
    pub role: ProcessRole,
    /// Number of polls finished since the queue was last empty.
    pub done: usize,
    /// Number of polls finished, running and waiting since the queue was last empty.
    pub total: usize,
    /// A host that is being fetched from.
    pub host: Option<String>,
    /// Row keys of the sources that are being polled or queued.
    pub claimed: HashSet<i64>,
    /// When the next poll is due.
    pub next: Option<Time>,
    /// Whether no host can be reached.
    pub offline: bool,
    /// Why changed configuration files could not be used; the old configuration stays in effect.
    pub declaration_error: Option<String>,
    /// The first warning about the configuration files, and the number of the others; `None` until they are
    /// reloaded.
    pub declaration_warning: Option<String>,
    /// The accounts that this process has synchronised, with the results.
    pub accounts: Vec<AccountNote>,
    /// Progress of an account's first synchronisation.
    pub syncing: Option<SyncProgress>,
}

/// Progress of an account's first synchronisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncProgress {
    pub account: String,
    /// Number of items stored.
    pub items: usize,
    /// Number of items that will be stored in total, if known.
    pub total: Option<usize>,
}

/// The name used in messages for the folder that machines use to exchange marks.
pub(super) const MARKS_FOLDER: &str = "marks folder";

/// The last synchronisation of an account, or of the folder for marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountNote {
    /// The name of the account, or `MARKS_FOLDER`.
    pub account: String,
    pub at: Time,
    /// Why the synchronisation failed.
    pub problem: Option<String>,
    /// Number of marks that could not be sent because of this problem.
    pub waiting: usize,
}

/// A change that the program made by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct AutomaticChange {
    /// What was changed, and why.
    pub message: String,
    /// The name of the change in the list of changes.
    pub label: String,
    /// The edit that can be undone; `None` if another change includes it.
    pub edit: Option<FileEdit>,
}

/// The role of this process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ProcessRole {
    /// The process polls the sources when they are due.
    #[default]
    Follows,
    /// Another process polls (with its process id, if known), and this one shows the results. It only
    /// fetches the pages that its user opens.
    Watches(Option<u32>),
    /// The process polls only on request.
    OnDemand,
    /// The database cannot be written, so nothing is polled.
    Reads,
}

/// The limits that a refresh obeys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Only sources that are due.
    Due,
    /// Immediately, but respecting pauses requested by servers.
    Manual,
    /// Immediately, ignoring all limits.
    Force,
}

/// The result of a refresh for one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    pub source: SourceId,
    pub result: Refreshed,
    /// Entries and parts that were not stored, and why.
    pub left_out: Vec<LeftOut>,
    /// A problem with the selectors of a site in this poll.
    pub problem: Option<SelectorProblem>,
}

/// The result of one source in a [`Report`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refreshed {
    Polled(Outcome),
    /// It was skipped, with the reason.
    Skipped(Pause),
    /// Its next poll is not due before this time, and the refresh was only for due sources.
    NotDue(Time),
    /// The source is disabled.
    Disabled,
    /// The source could not be stored or no longer exists.
    Lost(String),
}

/// The result of exploring a URL.
#[derive(Debug, Clone)]
pub struct Discovery {
    /// The URL that was fetched.
    pub address: Url,
    /// The possible ways to follow the URL, best first.
    pub ways: Vec<Way>,
    /// The attempts so far, in order.
    pub tried: Vec<Tried>,
    pub(super) typed: Box<Typed>,
    /// Receives each attempt immediately.
    pub(super) listener: Option<UnboundedSender<Tried>>,
}

/// The start of the report about a problem with an announced feed.
pub(super) const BROKEN_FEED: &str = "the announced feed does not work: ";

/// An attempt to find a way to follow a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// Whether the attempt found a way.
    pub found: bool,
    pub text: String,
}

/// The URL that the user typed.
#[derive(Debug, Clone)]
pub(super) struct Typed {
    /// The URL, with any typed credentials.
    pub(super) web: WebAddress,
    /// Whether its host name resolves to a private address.
    pub(super) private: bool,
    /// The program or file that was typed, or the filter typed with the URL.
    pub(super) origin: Origin,
}

impl Typed {
    /// A URL with nothing else known about it.
    pub(super) fn of(web: WebAddress) -> Self {
        Self { web, private: false, origin: Origin::default() }
    }
}

impl Discovery {
    /// Whether a way has the typed host, and its name resolves to a private address.
    pub fn is_private(&self, way: &Way) -> bool {
        self.typed.private && self.typed.web.url.host() == way.url.host()
    }

    /// Whether the document comes from a program or a file, so that there is no page around the feed.
    pub fn is_local(&self) -> bool {
        self.typed.origin.is_local()
    }

    /// The attempts as text.
    pub fn attempts(&self) -> Vec<&str> {
        self.tried.iter().map(|tried| tried.text.as_str()).collect()
    }

    /// Reports an attempt without success, or a remark.
    pub(super) fn report(&mut self, text: String) {
        self.attempted(Tried { found: false, text });
    }

    /// Reports a successful attempt.
    pub(super) fn report_found(&mut self, text: String) {
        self.attempted(Tried { found: true, text });
    }

    /// Marks an attempt as unsuccessful, unless there is a way of that kind.
    pub(super) fn retract_unless(&mut self, kind: SourceKind, attempt: Option<usize>) {
        let there = self.ways.iter().any(|way| way.kind() == kind);
        if let Some(tried) = attempt.and_then(|at| self.tried.get_mut(at)).filter(|_| !there) {
            tried.found = false;
        }
    }

    /// Merges an announcement and the only problem with it into one sentence.
    pub(super) fn join_problem(&mut self, attempt: Option<usize>) {
        let Some(at) = attempt else { return };
        let problem = match &self.tried[at.min(self.tried.len())..] {
            [announced, problem] if !announced.found => problem.text.strip_prefix(BROKEN_FEED),
            _ => None,
        };
        if let Some(problem) = problem.map(str::to_owned) {
            self.tried.truncate(at + 1);
            self.tried[at].text += &format!(", but {problem}");
        }
    }

    fn attempted(&mut self, tried: Tried) {
        if let Some(listener) = &self.listener {
            // The listener may have cancelled.
            let _ = listener.send(tried.clone());
        }
        self.tried.push(tried);
    }

    /// The entry for a way, as a draft for editing. Without a way, it is the entry of a website whose
    /// selectors the user has to write.
    pub fn draft(&self, way: Option<usize>) -> Option<Section> {
        Some(Section::draft(&match way {
            Some(way) => self.source(self.ways.get(way)?),
            None => self.source_by_hand(),
        }))
    }

    /// A website at the URL, without selectors for its articles.
    pub(super) fn source_by_hand(&self) -> Source {
        self.source(&Way {
            rules: SourceRules::new(SourceKind::Website, WebsiteRules::default()),
            url: self.address.clone(),
            title: String::new(),
            confidence: 0.0,
            first: None,
        })
    }

    /// The source for a way.
    pub(super) fn source(&self, way: &Way) -> Source {
        // If the id is taken, another one is chosen when the entry is written.
        let id = unique_id(&way.url, &mut HashSet::new());
        let mut source = Source::feed(id, way.url.clone());
        source.rules = way.rules.clone();
        if may_have_credentials(&self.typed.web.url, &way.url) {
            source.access = access(&self.typed.web);
        }
        source.private = self.is_private(way);
        if way.kind() == SourceKind::Feed {
            source.origin = self.typed.origin.clone();
        }
        source
    }
}

/// A way to follow a URL.
#[derive(Debug, Clone)]
pub struct Way {
    pub rules: SourceRules,
    /// The URL of the feed, page or sitemap.
    pub url: Url,
    /// The document's own title, or the one on the page that announces it.
    pub title: String,
    /// Confidence from 0 to 1 that the user wants this way; for a list, that its links are articles.
    pub confidence: f64,
    /// The response from discovery that serves as the first poll.
    pub(super) first: Option<FirstFetch>,
}

/// A document that was fetched while exploring a URL.
#[derive(Debug, Clone)]
pub(super) enum FirstFetch {
    Feed(FirstFeed),
    /// A list page or sitemap with its entries.
    Page(FirstPage),
}

/// A preview of an entry that a way would provide.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PreviewItem {
    pub title: String,
    pub date: Option<Time>,
    /// The beginning of its text in one line; may be empty.
    pub summary: String,
}

impl PreviewItem {
    pub(super) fn of_entry(entry: &Entry) -> Self {
        let (title, summary) = match entry.title.is_empty() {
            true => (entry.opening(), String::new()),
            false => (entry.title.clone(), entry.opening()),
        };
        Self { title, date: entry_date(entry), summary }
    }
}

/// The date that an entry will be listed under. A publisher's zero timestamp is ignored.
fn entry_date(entry: &Entry) -> Option<Time> {
    let real = |at: &Time| at.timestamp() > 0;
    entry.published.filter(real).or(entry.updated.filter(real))
}

impl Way {
    pub fn kind(&self) -> SourceKind {
        self.rules.kind()
    }

    /// The first entries, if known. Those of a feed are sorted newest first, as they will be listed.
    pub fn preview(&self) -> Option<Vec<PreviewItem>> {
        Some(match self.first.as_ref()? {
            FirstFetch::Feed(first) => {
                let mut entries: Vec<&Entry> = first.feed.entries.iter().collect();
                if entries.iter().all(|entry| entry_date(entry).is_some()) {
                    entries.sort_by_key(|entry| Reverse(entry_date(entry)));
                }
                entries.into_iter().take(20).map(PreviewItem::of_entry).collect()
            }
            FirstFetch::Page(first) => first.items.iter().take(20).cloned().collect(),
        })
    }

    /// The URLs of some of the listed articles.
    pub fn listed_urls(&self) -> Vec<Url> {
        match &self.first {
            Some(FirstFetch::Page(first)) => {
                first.samples.iter().map(|(url, _)| url.clone()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The number of entries, if known.
    pub fn count(&self) -> Option<usize> {
        Some(match self.first.as_ref()? {
            FirstFetch::Feed(first) => first.feed.entries.len(),
            FirstFetch::Page(first) => first.count,
        })
    }
}

/// A feed that was fetched while exploring a URL.
#[derive(Debug, Clone)]
pub(super) struct FirstFeed {
    pub(super) feed: ParsedFeed,
    pub(super) response: TimedResponse,
}

/// A page that was fetched while exploring a URL.
#[derive(Debug, Clone)]
pub(super) struct FirstPage {
    pub(super) items: Vec<PreviewItem>,
    pub(super) count: usize,
    /// URLs and titles of the first articles.
    pub(super) samples: Vec<(Url, String)>,
    pub(super) response: TimedResponse,
}

/// A response with its arrival time.
#[derive(Debug, Clone)]
pub(super) struct TimedResponse {
    pub(super) response: Response,
    pub(super) at: Time,
}

/// Samples for tests of the TUI.
#[cfg(any(test, feature = "testing"))]
#[allow(clippy::unwrap_used, reason = "for tests")]
impl Discovery {
    pub fn sample(address: &str, ways: Vec<Way>, tried: &[&str]) -> Self {
        let web = crate::util::url::parse_web(address).unwrap();
        let attempt = |&text: &&str| Tried { found: false, text: text.to_owned() };
        let tried = tried.iter().map(attempt).collect();
        let (address, typed) = (web.url.clone(), Box::new(Typed::of(web)));
        Self { address, ways, tried, typed, listener: None }
    }
}

#[cfg(any(test, feature = "testing"))]
#[allow(clippy::unwrap_used, reason = "for tests")]
impl Way {
    /// A feed that a page announces.
    pub fn announced(url: &str, title: &str) -> Self {
        let (rules, url, title) = (SourceRules::Feed, url.parse().unwrap(), title.to_owned());
        Self { rules, url, title, confidence: 0.9, first: None }
    }

    /// A list of articles on a page, with its selector and confidence, or else a sitemap.
    pub fn sample(
        url: &str,
        title: &str,
        list: Option<(&str, f64)>,
        items: &[(&str, Time)],
    ) -> Self {
        let url: Url = url.parse().unwrap();
        let response = Response {
            status: 200,
            final_url: url.clone(),
            hops: Vec::new(),
            validators: crate::model::Validators::default(),
            cache: crate::net::Freshness::default(),
            headers: Vec::new(),
            body: bytes::Bytes::new(),
            memory: None,
            wire_bytes: 0,
            elapsed: std::time::Duration::ZERO,
            crawl_delay: std::time::Duration::ZERO,
        };
        let page = FirstPage {
            items: (items.iter())
                .map(|(title, at)| PreviewItem {
                    title: (*title).to_owned(),
                    date: Some(*at),
                    summary: format!("Summary of {title}"),
                })
                .collect(),
            count: if list.is_some() { items.len() } else { 412 },
            samples: Vec::new(),
            response: TimedResponse { response, at: Time::UNIX_EPOCH },
        };
        let kind = if list.is_some() { SourceKind::Website } else { SourceKind::Sitemap };
        let articles = list.map(|(articles, _)| articles.to_owned());
        let rules = WebsiteRules { articles, ..WebsiteRules::default() };
        Self {
            rules: SourceRules::new(kind, rules),
            url,
            title: title.to_owned(),
            confidence: list.map_or(0.5, |(_, sure)| sure),
            first: Some(FirstFetch::Page(page)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The titles in the preview of a feed, given the titles and dates of its items.
    fn previewed(items: &[(&str, Option<&str>)]) -> Vec<String> {
        let item = |(title, date): &(&str, Option<&str>)| serde_json::json!({ "id": title, "title": title, "date_published": date });
        let items: Vec<_> = items.iter().map(item).collect();
        let version = "https://jsonfeed.org/version/1.1";
        let text = serde_json::json!({ "version": version, "title": "T", "items": items });
        let feed = crate::feed::parse(text.to_string().as_bytes(), None, None).unwrap();
        let mut way = Way::sample("https://e.example/", "", None, &[]);
        let Some(FirstFetch::Page(FirstPage { response, .. })) = way.first.take() else {
            panic!("a page")
        };
        way.first = Some(FirstFetch::Feed(FirstFeed { feed, response }));
        way.preview().unwrap().into_iter().map(|item| item.title).collect()
    }

    #[test]
    fn feed_previews_are_sorted_newest_first() {
        let (old, new) = (Some("2026-01-01T00:00:00Z"), Some("2026-03-01T00:00:00Z"));
        assert_eq!(previewed(&[("a", old), ("b", new), ("c", old)]), ["b", "a", "c"]);
        // If a date is missing, the order of the feed is kept.
        assert_eq!(previewed(&[("a", old), ("b", new), ("c", None)]), ["a", "b", "c"]);
    }
}
