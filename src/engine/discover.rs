//! Detecting the ways in which a URL can be followed.

use super::follow::{FollowError, access};
use super::handle::Handle;
use super::message::{Discovery, FirstFeed, FirstFetch, FirstPage, TimedResponse, Typed, Way};
use super::poll;
use crate::discover::{self, Announced, DocumentKind, EntriesOffer, EntriesRank, Survey, survey};
use crate::feed::ParsedFeed;
use crate::model::{SourceKind, SourceRules, WebsiteRules};
use crate::net::robots::Robots;
use crate::net::{FetchError, Request};
use crate::sitemap;
use crate::store::StoreError;
use crate::util::address::is_private_host;
use crate::util::{text, url as address};
use crate::website::propose::Proposal;
use tokio::sync::mpsc::UnboundedSender;
use url::Url;

/// Announced feeds that are fetched until one works; the others are only offered.
const MAX_TRIED: usize = 3;
/// Usual URLs of feeds that are tried if a page announces none.
const MAX_PLACES: usize = 6;
/// Sitemaps that are tried.
const MAX_SITEMAPS: usize = 2;
/// Lists of articles that are offered.
const MAX_LISTS: usize = 3;
/// Articles from which the selectors of a website are derived.
const SAMPLES: usize = 3;

impl Handle {
    /// Explores a URL that the user typed, for every kind of source: one request, and one more
    /// for the first feed that a page announces (up to three if the first ones do not work). If
    /// it announces none, some usual URLs are tried one after the other, and the sitemap if the
    /// page is not a list either. Drop the future to cancel.
    pub async fn discover(&self, typed: &str) -> Result<Discovery, FollowError> {
        self.explore(typed, None, None).await
    }

    /// Like [`Handle::discover`], but only for one kind of source if it is given: no request is
    /// sent for other kinds. Each attempt is reported as soon as it ends.
    pub async fn discover_reporting(
        &self,
        typed: &str,
        kind: Option<SourceKind>,
        listener: UnboundedSender<String>,
    ) -> Result<Discovery, FollowError> {
        self.explore(typed, kind, Some(listener)).await
    }

    async fn explore(
        &self,
        typed: &str,
        kind: Option<SourceKind>,
        listener: Option<UnboundedSender<String>>,
    ) -> Result<Discovery, FollowError> {
        let mut typed = Typed { web: address::parse_web(typed)?, private: false };
        let wanted = |k: SourceKind| kind.is_none_or(|kind| kind == k);
        let (first, instead) = self.fetch_typed(&mut typed).await?;
        let mut found = Discovery {
            address: typed.web.url.clone(),
            ways: Vec::new(),
            tried: Vec::new(),
            listener,
            typed: Box::new(typed),
        };
        if let Some(words) = instead {
            found.report(words);
        }
        if found.typed.private {
            let host = found.address.host_str().unwrap_or_default();
            found.report(format!(
                "{host} resolves to a private address; its source gets private = true"
            ));
        }
        let Fetched { found: what, survey, response } = first;
        let kind_said = response.response.content_type().unwrap_or_default();
        let is_html = matches!(what, DocumentKind::Page { .. }) || kind_said.contains("html");
        let title = match what {
            DocumentKind::Feed(feed) => {
                found.report("the URL is a feed".to_owned());
                if wanted(SourceKind::Feed) {
                    found.ways.push(feed_way(found.address.clone(), *feed, response));
                }
                return Ok(found);
            }
            DocumentKind::Page { title, announced } => {
                found.report(match announced.len() {
                    1 => "the page announces a feed".to_owned(),
                    n => format!("the page announces {n} feeds"),
                });
                if wanted(SourceKind::Feed) {
                    let (open, private): (Vec<_>, Vec<_>) = announced
                        .into_iter()
                        .partition(|each| !is_foreign(&each.url, &found.typed.web.url));
                    private.into_iter().for_each(|each| found.report(refusal(&each.url)));
                    found.ways.extend(open.into_iter().map(announced_way));
                }
                title
            }
            DocumentKind::Nothing { reason } => {
                found.report(reason);
                survey.title.clone()
            }
        };
        let is_page = survey.sitemap.is_none();
        let can_crawl = is_html && is_page && !survey.needs_javascript && wanted(SourceKind::Crawl);
        self.try_first(&mut found).await;
        if found.ways.is_empty() && wanted(SourceKind::Feed) && is_page {
            self.try_places(&mut found).await;
        }
        let lists_from = found.ways.len();
        if wanted(SourceKind::Website) {
            offer_pages(&survey, &response, &mut found);
        }
        if wanted(SourceKind::Entries) {
            offer_entries(&survey, &response, lists_from, kind.is_some(), &mut found);
        }
        if kind == Some(SourceKind::Page) && survey.needs_javascript {
            found.report("the page needs JavaScript, which is not supported".to_owned());
        }
        let can_watch = is_html && is_page && !survey.needs_javascript && wanted(SourceKind::Page);
        if let Some(count) = survey.sitemap.filter(|_| wanted(SourceKind::Sitemap)) {
            found.report(format!("the URL is a sitemap with {count} entries"));
            found.ways.push(sitemap_way(found.address.clone(), count, response.clone()));
        } else if wanted(SourceKind::Sitemap) && (found.ways.is_empty() || kind.is_some()) {
            self.try_sitemaps(&mut found).await;
        }
        let has_feed = found.ways.iter().any(|w| w.kind() == SourceKind::Feed);
        if can_watch && survey.article.is_some() {
            page_way(&survey, response.clone(), &mut found);
        }
        // If there is a feed, no further requests are needed.
        if can_crawl && !has_feed {
            let ways = CRAWLED.map(|(targets, what)| crawl_way(&found.address, targets, what));
            found.ways.extend(ways);
        }
        if can_watch && !has_feed && survey.article.is_none() {
            page_way(&survey, response, &mut found);
        }
        let untitled = found.ways.first_mut().filter(|w| w.title.is_empty());
        if let (Some(way), Some(title)) = (untitled, title) {
            way.title = title;
        }
        Ok(found)
    }

    /// Fetches the typed URL: without a scheme by https, and by http if the server does not
    /// support https, which is reported. Credentials are only sent over http if the user typed
    /// that scheme.
    async fn fetch_typed(
        &self,
        typed: &mut Typed,
    ) -> Result<(Fetched, Option<String>), FollowError> {
        let failed = match self.fetch_name(typed).await {
            Ok(first) => return Ok((first, None)),
            Err(failed) => failed,
        };
        let without_https =
            matches!(&failed, FollowError::Fetch { error, .. } if error.lacks_https());
        let web = &typed.web;
        let mut plain = web.url.clone();
        if !(web.assumed && without_https && web.user.is_none() && plain.set_scheme("http").is_ok())
        {
            return Err(failed);
        }
        let words = format!("{failed}; tried http instead");
        let words = words.replace("; the source was not added", "");
        typed.web.url = plain;
        match self.fetch_name(typed).await {
            Ok(first) => Ok((first, Some(words))),
            Err(http) => Err(FollowError::Neither { https: words, http: Box::new(http) }),
        }
    }

    /// Fetches the typed URL, also if its name resolves to a private address: the user typed it.
    async fn fetch_name(&self, typed: &mut Typed) -> Result<Fetched, FollowError> {
        let first = self.fetch(&typed.web.url, typed).await;
        let private = |e: &FollowError| {
            matches!(e, FollowError::Fetch { error: FetchError::PrivateName { .. }, .. })
        };
        if !first.as_ref().is_err_and(private) {
            return first;
        }
        typed.private = true;
        self.fetch(&typed.web.url, typed).await
    }

    /// Fetches the best of the announced feeds for a preview of its entries.
    async fn try_first(&self, discovery: &mut Discovery) {
        for _ in 0..MAX_TRIED {
            let Some(best) = discovery.ways.first_mut().filter(|w| w.first.is_none()) else {
                return;
            };
            match self.fetch_announced(&best.url, &discovery.typed).await {
                Ok(first) => {
                    // The list will show the feed's own title.
                    if let Some(title) = first.feed.title.clone().filter(|t| !t.is_empty()) {
                        best.title = title;
                    }
                    best.first = Some(FirstFetch::Feed(first));
                }
                Err(failure) => {
                    let gone = discovery.ways.remove(0);
                    discovery.report(format!("{}: {failure}", gone.url));
                }
            }
        }
    }

    /// Tries the usual URLs of feeds until one works.
    async fn try_places(&self, discovery: &mut Discovery) {
        let mut nothing_at = Vec::new();
        for place in discover::usual_urls(&discovery.address).into_iter().take(MAX_PLACES) {
            match self.fetch_announced(&place, &discovery.typed).await {
                Ok(first) => {
                    discovery.report(format!("{place} is a feed"));
                    let FirstFeed { feed, response } = first;
                    discovery.ways.push(feed_way(place, feed, response));
                    return;
                }
                Err(FollowError::Status { status: 404 | 410, .. } | FollowError::NoFeed(_)) => {
                    nothing_at.push(place.path().to_owned());
                }
                Err(failure) => {
                    // Stop after a failure or a rate limit.
                    discovery.report(format!("{place}: {failure}"));
                    break;
                }
            }
        }
        if !nothing_at.is_empty() {
            discovery.report(format!("there is no feed at {}", nothing_at.join(", ")));
        }
    }

    /// Searches for a sitemap in robots.txt, else at the usual URL.
    async fn try_sitemaps(&self, discovery: &mut Discovery) {
        let Ok(robots) = discovery.address.join("/robots.txt") else { return };
        let lines = match self.fetch(&robots, &discovery.typed).await {
            Ok(file) => Robots::parse(&file.response.response.body, "newsfed").sitemaps,
            Err(_) => Vec::new(),
        };
        let places = sitemap::places(&discovery.address, &lines);
        for place in places.into_iter().take(MAX_SITEMAPS) {
            match self.fetch(&place, &discovery.typed).await {
                Ok(Fetched { survey: Survey { sitemap: Some(count), .. }, response, .. }) => {
                    discovery.report(format!("{place} is a sitemap with {count} entries"));
                    discovery.ways.push(sitemap_way(place, count, response));
                    return;
                }
                Ok(_) => discovery.report(format!("{place}: this is not a sitemap")),
                Err(failure) => discovery.report(format!("{place}: {failure}")),
            }
        }
    }

    /// Fetches a feed that a page announces. A private address is only allowed on the host of the
    /// page, which the user entered; the same applies to the credentials.
    pub(super) async fn fetch_announced(
        &self,
        url: &Url,
        typed: &Typed,
    ) -> Result<FirstFeed, FollowError> {
        match self.fetch(url, typed).await? {
            Fetched { found: DocumentKind::Feed(feed), response, .. } => {
                Ok(FirstFeed { feed: *feed, response })
            }
            _ => Err(FollowError::NoFeed(url.clone())),
        }
    }

    async fn fetch(&self, url: &Url, typed: &Typed) -> Result<Fetched, FollowError> {
        let at = self.now();
        let web = &typed.web;
        let request = Request {
            // Only on the host of the declared URL.
            allow_private: typed.private || is_private_host(&web.url),
            declared: Some(web.url.clone()),
            access: access(web),
            ..Request::feed(url.clone())
        };
        let fetched = self.context.client.fetch(request).await;
        let mut response =
            fetched.map_err(|error| FollowError::Fetch { url: Box::new(url.clone()), error })?;
        let was_offline = self.context.network.is_offline();
        poll::reached(&self.context).await;
        if was_offline {
            // The caller reports it.
            self.replan().await;
        }
        // Previewing may take long and is not part of a refresh.
        response.memory = None;
        if !response.is_success() {
            let host = response.final_url.host_str().unwrap_or_default().to_owned();
            return Err(FollowError::Status { host, status: response.status });
        }
        let task = tokio::task::spawn_blocking(move || {
            let (body, kind) = (&response.body, response.content_type());
            let found = discover::inspect(body, kind, &response.final_url);
            let survey = match &found {
                DocumentKind::Feed(_) => Survey::default(),
                _ => survey(body, kind, &response.final_url),
            };
            (found, survey, response)
        });
        let (found, survey, response) = task.await.map_err(|_| StoreError::Closed)?;
        Ok(Fetched { found, survey, response: TimedResponse { response, at } })
    }
}

/// Whether a page that was found at `page` may not announce this URL: only the user can add a
/// private address of another host.
fn is_foreign(url: &Url, page: &Url) -> bool {
    is_private_host(url) && url.host() != page.host()
}

fn refusal(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default().to_owned();
    format!("{url}: {}", FetchError::Private { host })
}

struct Fetched {
    found: DocumentKind,
    survey: Survey,
    response: TimedResponse,
}

fn feed_way(url: Url, feed: ParsedFeed, response: TimedResponse) -> Way {
    let title = feed.title.clone().unwrap_or_default();
    let first = Some(FirstFetch::Feed(FirstFeed { feed, response }));
    Way { rules: SourceRules::Feed, url, title, confidence: None, first }
}

fn announced_way(announced: Announced) -> Way {
    let title = announced.title.as_deref().map(text::line).unwrap_or_default();
    Way { rules: SourceRules::Feed, url: announced.url, title, confidence: None, first: None }
}

fn sitemap_way(url: Url, count: usize, response: TimedResponse) -> Way {
    let first = FirstPage { items: Vec::new(), count, samples: Vec::new(), response };
    Way {
        rules: SourceRules::new(SourceKind::Sitemap, WebsiteRules::default()),
        url,
        title: String::new(),
        confidence: None,
        first: Some(FirstFetch::Page(first)),
    }
}

/// Nothing is fetched yet: the first poll does that, which takes longer.
fn crawl_way(url: &Url, targets: &str, what: &str) -> Way {
    let rules = WebsiteRules { targets: Some(targets.to_owned()), ..WebsiteRules::default() };
    Way {
        rules: SourceRules::new(SourceKind::Crawl, rules),
        url: url.clone(),
        title: format!("learns where {what} appear, about 60 requests the first time"),
        confidence: None,
        first: None,
    }
}

/// The targets of a crawl, with their description.
const CRAWLED: [(&str, &str); 2] = [("articles", "articles"), ("data", "data files")];

/// Offers the lists of articles of a page.
fn offer_pages(survey: &Survey, response: &TimedResponse, discovery: &mut Discovery) {
    for list in survey.lists.iter().take(MAX_LISTS) {
        discovery.ways.push(list_way(list, survey, response, &discovery.address));
    }
    discovery.report(match survey.lists.len() {
        0 if survey.needs_javascript => {
            "the page needs JavaScript, which is not supported; give the URL of a feed or sitemap"
                .to_owned()
        }
        0 => "the page lists no articles".to_owned(),
        1 => "the page lists articles".to_owned(),
        n => format!("the page has {n} lists that may be articles"),
    });
}

/// Offers the entries on the page itself: before the lists of articles, which start at `lists_from`,
/// if that is what the page is.
fn offer_entries(
    survey: &Survey,
    response: &TimedResponse,
    lists_from: usize,
    asked_for: bool,
    discovery: &mut Discovery,
) {
    let offer = survey.entries.as_ref().filter(|e| asked_for || e.rank != EntriesRank::OnRequest);
    let Some(EntriesOffer { proposal, rank }) = offer else {
        if asked_for {
            let why = "the page has no repeated blocks that look like entries; if you know their \
                       selector, write a source of kind \"entries\" with website.articles into \
                       sources.toml";
            discovery.report(why.to_owned());
        }
        return;
    };
    let entries = || proposal.entries.iter().map(|each| &each.entry);
    discovery.report(format!("the page has {} entries", proposal.entries.len()));
    let rules =
        WebsiteRules { articles: Some(proposal.articles.clone()), ..WebsiteRules::default() };
    let first = FirstPage {
        items: entries().map(|entry| (entry.title.clone(), entry.published)).collect(),
        count: proposal.entries.len(),
        samples: Vec::new(),
        response: response.clone(),
    };
    let way = Way {
        rules: SourceRules::new(SourceKind::Entries, rules),
        url: discovery.address.clone(),
        title: survey.title.clone().unwrap_or_default(),
        confidence: Some(proposal.confidence),
        first: Some(FirstFetch::Page(first)),
    };
    let at = if *rank == EntriesRank::First { lists_from } else { discovery.ways.len() };
    discovery.ways.insert(at, way);
}

/// Offers the page itself, watched for changes.
fn page_way(survey: &Survey, response: TimedResponse, discovery: &mut Discovery) {
    if survey.article.is_some() {
        discovery.report("the page is an article".to_owned());
    }
    let items: Vec<_> = survey.article.clone().into_iter().collect();
    let first = FirstPage { count: 1, items, samples: Vec::new(), response };
    discovery.ways.push(Way {
        rules: SourceRules::new(SourceKind::Page, WebsiteRules::default()),
        url: discovery.address.clone(),
        title: survey.title.clone().unwrap_or_default(),
        confidence: None,
        first: Some(FirstFetch::Page(first)),
    });
}

fn list_way(list: &Proposal, survey: &Survey, response: &TimedResponse, address: &Url) -> Way {
    let rules = WebsiteRules {
        articles: Some(list.articles.clone()),
        next: list.next.clone(),
        ..WebsiteRules::default()
    };
    let samples = list.items.iter().take(SAMPLES).map(|i| (i.url.clone(), i.title.clone()));
    let first = FirstPage {
        items: list.items.iter().map(|i| (i.title.clone(), i.date)).collect(),
        count: list.items.len(),
        samples: samples.collect(),
        response: response.clone(),
    };
    Way {
        rules: SourceRules::new(SourceKind::Website, rules),
        url: address.clone(),
        title: survey.title.clone().unwrap_or_default(),
        confidence: Some(list.confidence),
        first: Some(FirstFetch::Page(first)),
    }
}
