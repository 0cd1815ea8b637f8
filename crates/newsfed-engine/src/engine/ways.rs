//! The ways to follow a URL, and how they are described.

use super::follow::FollowError;
use super::message::{
    BROKEN_FEED, Discovery, FirstFeed, FirstFetch, FirstPage, PreviewItem, TimedResponse, Way,
};
use crate::dataset::DataFormat;
use crate::discover::{AnnouncedFeed, EntriesOffer, EntriesRank, Survey};
use crate::feed::ParsedFeed;
use crate::model::{SourceKind, SourceRules, Time, WebsiteRules};
use crate::net::{FetchError, Response, status_text};
use crate::util::text::counted_as;
use crate::util::{file_name, text, time_text};
use crate::website::propose::Proposal;
use chrono::{Local, TimeZone};
use std::collections::HashMap;
use url::Url;

/// Number of articles from which the selectors of a website are derived.
const SAMPLES: usize = 3;
/// Number of list pages that a new source reads, because after a long pause new articles may be on several
/// pages.
const MAX_PAGES: u32 = 3;
/// Confidence in ways that are possible on nearly every site.
const SITEMAP: f64 = 0.5;
const ARTICLE: f64 = 0.6;
const PAGE: f64 = 0.1;
/// Maximum length of a name in a description, in characters.
const MAX_NAME: usize = 60;

pub(super) fn feed_way(
    url: Url,
    feed: ParsedFeed,
    response: TimedResponse,
    confidence: f64,
) -> Way {
    let title = feed.title.clone().unwrap_or_default();
    let first = Some(FirstFetch::Feed(FirstFeed { feed, response }));
    Way { rules: SourceRules::Feed, url, title, confidence, first }
}

pub(super) fn announced_way(announced: AnnouncedFeed) -> Way {
    let title = announced.title.as_deref().map(text::line).unwrap_or_default();
    let confidence = announced.confidence;
    Way { rules: SourceRules::Feed, url: announced.url, title, confidence, first: None }
}

pub(super) fn sitemap_way(url: Url, count: usize, response: TimedResponse) -> Way {
    let first = FirstPage { items: Vec::new(), count, samples: Vec::new(), response };
    Way {
        rules: SourceRules::new(SourceKind::Sitemap, WebsiteRules::default()),
        url,
        title: String::new(),
        confidence: SITEMAP,
        first: Some(FirstFetch::Page(first)),
    }
}

/// The targets of crawls, each with its confidence.
pub(super) const CRAWLED: [(&str, f64); 2] = [("articles", 0.3), ("data", 0.05)];

/// A way to crawl the site. Nothing is fetched yet: exploring a site takes minutes, so it is left to the
/// first poll.
pub(super) fn crawl_way(url: &Url, (targets, confidence): (&str, f64)) -> Way {
    let rules = WebsiteRules { targets: Some(targets.to_owned()), ..WebsiteRules::default() };
    Way {
        rules: SourceRules::new(SourceKind::Crawl, rules),
        url: url.clone(),
        title: String::new(),
        confidence,
        first: None,
    }
}

/// Offers the article lists on a page.
pub(super) fn offer_lists(survey: &Survey, response: &TimedResponse, discovery: &mut Discovery) {
    for list in &survey.lists {
        discovery.ways.push(list_way(list, survey, response, &discovery.address));
    }
    match survey.lists.len() {
        0 if survey.needs_javascript => discovery.report(
            "the page needs JavaScript, which is not supported; give the URL of a feed or sitemap"
                .to_owned(),
        ),
        0 => discovery.report("the page lists no articles".to_owned()),
        1 => discovery.report_found("the page lists articles".to_owned()),
        n => discovery.report_found(format!("the page has {n} possible lists of articles")),
    }
}

/// Offers the entries on the page itself, before the lists of articles if the page mainly consists of
/// entries.
pub(super) fn offer_entries(
    survey: &Survey,
    response: &TimedResponse,
    asked_for: bool,
    discovery: &mut Discovery,
) {
    let offer = if asked_for { survey.entries.as_ref() } else { survey.offered_entries() };
    let Some(EntriesOffer { proposal, rank }) = offer else {
        if asked_for {
            let why = "the page has no repeated blocks that may be entries; if you know their \
                       selector, add a source of kind \"entries\" with website.articles to sources.toml";
            discovery.report(why.to_owned());
        }
        return;
    };
    let entries = || proposal.entries.iter().map(|each| &each.entry);
    discovery.report_found(format!(
        "the page has {}",
        counted_as(proposal.entries.len(), "entry", "entries")
    ));
    let rules =
        WebsiteRules { articles: Some(proposal.articles.clone()), ..WebsiteRules::default() };
    let first = FirstPage {
        items: entries().map(PreviewItem::of_entry).collect(),
        count: proposal.entries.len(),
        samples: Vec::new(),
        response: response.clone(),
    };
    // Among equally good ways, the one that was found first comes first.
    let most = match (rank, survey.lists.last()) {
        (EntriesRank::Later, Some(list)) => list.confidence,
        _ => 1.0,
    };
    discovery.ways.push(Way {
        rules: SourceRules::new(SourceKind::Entries, rules),
        url: discovery.address.clone(),
        title: survey.title.clone().unwrap_or_default(),
        confidence: proposal.confidence.min(most),
        first: Some(FirstFetch::Page(first)),
    });
}

/// Offers the page itself, watched for changes.
pub(super) fn page_way(survey: &Survey, response: TimedResponse, discovery: &mut Discovery) {
    if survey.article.is_some() {
        discovery.report_found("the page is an article".to_owned());
    }
    let article = survey.article.clone().map(|(title, date)| PreviewItem {
        title,
        date,
        summary: String::new(),
    });
    let items: Vec<_> = article.into_iter().collect();
    let first = FirstPage { count: 1, items, samples: Vec::new(), response };
    discovery.ways.push(Way {
        rules: SourceRules::new(SourceKind::Page, WebsiteRules::default()),
        url: discovery.address.clone(),
        title: survey.title.clone().unwrap_or_default(),
        confidence: if survey.article.is_some() { ARTICLE } else { PAGE },
        first: Some(FirstFetch::Page(first)),
    });
}

/// Offers to follow the changes inside a data file, which is the only way to follow it. Returns whether the
/// document is a data file.
pub(super) fn offer_file(
    kind: Option<SourceKind>,
    first: &TimedResponse,
    discovery: &mut Discovery,
) -> bool {
    let Some(format) = format_of(&first.response) else { return false };
    discovery.report_found(format!("the URL is a {} file", format.name()));
    if kind.is_none_or(|kind| kind == SourceKind::Page) {
        let name = file_name::last_segment(&discovery.address).unwrap_or_default();
        let response = first.clone();
        let first = FirstPage { items: Vec::new(), count: 1, samples: Vec::new(), response };
        discovery.ways.push(Way {
            rules: SourceRules::new(SourceKind::Page, WebsiteRules::default()),
            url: discovery.address.clone(),
            title: text::line(&name),
            confidence: 1.0,
            first: Some(FirstFetch::Page(first)),
        });
    }
    true
}

fn format_of(response: &Response) -> Option<DataFormat> {
    DataFormat::of(response.content_type(), &response.final_url, &response.body)
}

/// The problem with an announced feed.
pub(super) fn feed_problem(url: &Url, failure: &FollowError) -> String {
    let why = match failure {
        FollowError::Status { status, .. } => format!("it returns {}", status_text(*status)),
        FollowError::NoFeed(_) => "the URL is not a feed".to_owned(),
        FollowError::Fetch { error, .. } => format!("it cannot be fetched: {error}"),
        other => return format!("{BROKEN_FEED}{other}"),
    };
    format!("{BROKEN_FEED}{why}: {url}")
}

/// Why an announced feed is not offered.
pub(super) fn refusal(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default().to_owned();
    format!("{url}: {}", FetchError::Private { host })
}

pub(super) fn list_way(
    list: &Proposal,
    survey: &Survey,
    response: &TimedResponse,
    address: &Url,
) -> Way {
    let rules = WebsiteRules {
        articles: Some(list.articles.clone()),
        next: list.next.clone(),
        max_pages: if list.next.is_some() { MAX_PAGES } else { 1 },
        ..WebsiteRules::default()
    };
    let samples = list.items.iter().take(SAMPLES).map(|i| (i.url.clone(), i.title.clone()));
    let first = FirstPage {
        items: (list.items.iter())
            .map(|i| PreviewItem {
                title: i.title.clone(),
                date: i.date,
                summary: i.summary.clone(),
            })
            .collect(),
        count: list.items.len(),
        samples: samples.collect(),
        response: response.clone(),
    };
    Way {
        rules: SourceRules::new(SourceKind::Website, rules),
        url: address.clone(),
        title: survey.title.clone().unwrap_or_default(),
        confidence: list.confidence,
        first: Some(FirstFetch::Page(first)),
    }
}

/// The first two paths, and the number of the others.
pub(super) fn some_of(paths: &[String]) -> Option<String> {
    Some(match paths {
        [] => return None,
        [first, second, _, ..] => format!("{first}, {second} and {} more", paths.len() - 2),
        few => few.join(", "),
    })
}

impl Way {
    /// Whether the way follows something that a user hardly ever wants.
    pub fn is_last_resort(&self) -> bool {
        match self.kind() {
            // A page that is certainly an article or a data file is worth following.
            SourceKind::Page => {
                self.confidence < 1.0 && self.preview().is_none_or(|items| items.is_empty())
            }
            SourceKind::Crawl | SourceKind::List => true,
            SourceKind::Feed | SourceKind::Website | SourceKind::Entries | SourceKind::Sitemap => {
                false
            }
        }
    }

    /// What following the URL in this way means, in a few words for someone who does not know newsfed, and
    /// what was found: "Feed", "20 entries, newest today".
    pub fn describe(&self, now: Time) -> (&'static str, String) {
        let count = self.count();
        let newest = self.newest(now).map(|at| format!(", newest {}", ago(at, now, &Local)));
        let counted = |what: &str| {
            let count = count.unwrap_or(0);
            format!("{count} {what}{}", newest.clone().unwrap_or_default())
        };
        match &self.rules {
            SourceRules::Feed if count.is_none() => ("Feed", "announced by the site".to_owned()),
            SourceRules::Feed => ("Feed", counted(SourceKind::Feed.entries(count.unwrap_or(0)))),
            SourceRules::Website(_) => ("List of articles", counted("found")),
            SourceRules::Entries(_) => ("Entries on this page", counted("found")),
            SourceRules::Sitemap(_) => (
                "Sitemap: every new page of the site",
                counted(self.kind().entries(count.unwrap_or(0))),
            ),
            SourceRules::Page(_) if self.file().is_some() => {
                let format = self.file().map_or("", DataFormat::name);
                ("Follow the changes in this file", format.to_owned())
            }
            SourceRules::Page(_) => ("Watch this page for changes", String::new()),
            SourceRules::List => ("List of sources", counted("sources")),
            SourceRules::Crawl(rules) => {
                let what = match rules.targets.as_deref() {
                    Some("data") => "Explore the site for data files",
                    _ => "Explore the site for articles",
                };
                (what, "up to 60 requests at first".to_owned())
            }
        }
    }

    /// What following the URL in this way will do, if its entries are not known yet.
    pub fn outlook(&self) -> &'static str {
        match &self.rules {
            SourceRules::Feed => "The feed is read when you follow it.",
            SourceRules::Sitemap(_) => {
                "Only the URLs of the pages are known. New pages become items."
            }
            SourceRules::Page(_) if self.file().is_some() => {
                "Each change becomes a version that lists the changed rows, columns and totals."
            }
            SourceRules::Page(_) => {
                "The page becomes one item; each change is a new version, and makes the item unread."
            }
            SourceRules::List => "The sources are kept in sync with the list.",
            SourceRules::Crawl(_) => {
                "Reads up to 60 pages at first, slowly, and learns which of them lead to new articles \
                 or files. Later checks read only those pages and what is new on them."
            }
            SourceRules::Website(_) | SourceRules::Entries(_) => {
                "Nothing is listed on the page at the moment."
            }
        }
    }

    /// The format of the data file that the way follows.
    fn file(&self) -> Option<DataFormat> {
        match &self.first {
            Some(FirstFetch::Page(first)) => format_of(&first.response.response),
            _ => None,
        }
    }

    /// The date of the newest entry.
    fn newest(&self, now: Time) -> Option<Time> {
        let dates = self.preview()?.into_iter().filter_map(|item| item.date);
        dates.filter(|date| *date <= now).max()
    }

    /// What distinguishes this way from others of the same kind, most distinctive first.
    fn names(&self) -> Vec<String> {
        let first = self.preview().and_then(|items| Some(items.first()?.title.clone()));
        let first = first.filter(|t| !t.is_empty());
        let example = first.map(|t| format!("such as \u{201c}{}\u{201d}", short(&t)));
        let selector = self.rules.pages().and_then(|rules| rules.articles.clone());
        let title = Some(short(&self.title)).filter(|t| !t.is_empty());
        let url = Some(self.url.as_str().to_owned());
        match self.kind() {
            SourceKind::Website => [example, selector, url].into_iter().flatten().collect(),
            _ => [title, url].into_iter().flatten().collect(),
        }
    }
}

fn short(name: &str) -> String {
    text::truncate(name, MAX_NAME).into_owned()
}

impl Discovery {
    /// A label for each way; no two are the same.
    pub fn labels(&self, now: Time) -> Vec<String> {
        let own: Vec<String> = self.ways.iter().map(|way| label(way, now)).collect();
        let mut count: HashMap<&str, usize> = HashMap::new();
        own.iter().for_each(|label| *count.entry(label).or_default() += 1);
        let mut labels: Vec<String> = Vec::with_capacity(own.len());
        for (way, label) in self.ways.iter().zip(&own) {
            let mut unique = label.clone();
            if count[label.as_str()] > 1 {
                let named = way.names().into_iter().map(|name| format!("{label} \u{b7} {name}"));
                let numbered = (2..).map(|n| format!("{label} \u{b7} {n}"));
                let mut all = named.chain(numbered).filter(|label| !labels.contains(label));
                unique = all.next().unwrap_or(unique);
            }
            labels.push(unique);
        }
        labels
    }
}

fn label(way: &Way, now: Time) -> String {
    match way.describe(now) {
        (what, detail) if detail.is_empty() => what.to_owned(),
        (what, detail) => format!("{what} \u{b7} {detail}"),
    }
}

/// How long ago, in calendar days: "today", "3 days ago", or a date.
fn ago<Z: TimeZone>(at: Time, now: Time, zone: &Z) -> String {
    match time_text::days_ago(at, now, zone) {
        0 => "today".to_owned(),
        1 => "yesterday".to_owned(),
        days @ 2..30 => format!("{days} days ago"),
        _ => time_text::published_day(at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::FixedOffset;

    #[test]
    fn counts_calendar_days() {
        let zone = FixedOffset::east_opt(3600).unwrap();
        let at = |text: &str| text.parse::<Time>().unwrap();
        let now = at("2026-11-27T07:00:00Z");
        for (date, expected) in [
            ("2026-11-26T23:30:00Z", "today"),
            // Nine hours ago.
            ("2026-11-26T22:00:00Z", "yesterday"),
            ("2026-11-25T22:30:00Z", "2 days ago"),
            ("2026-11-25T23:30:00Z", "yesterday"),
        ] {
            assert_eq!(ago(at(date), now, &zone), expected, "{date}");
        }
    }
}
