//! Detects how a URL can be followed.

use super::follow::{FollowError, access};
use super::handle::Handle;
use super::message::{Discovery, FirstFeed, FirstFetch, TimedResponse, Tried, Typed};
use super::network;
use super::ways::{
    CRAWLED, announced_way, crawl_way, feed_problem, feed_way, offer_entries, offer_file,
    offer_lists, page_way, refusal, sitemap_way, some_of,
};
use crate::discover::{self, AnnouncedFeed, DocumentKind, EntriesRank, Guess, Survey};
use crate::model::SourceKind;
use crate::net::{FetchError, Purpose, Request};
use crate::sitemap;
use crate::store::StoreError;
use crate::util::address::is_private_host;
use crate::util::url as address;
use tokio::sync::mpsc::UnboundedSender;
use url::Url;

/// Maximum number of announced feeds to fetch until one works; the others are offered without a check.
const MAX_TRIED: usize = 3;
/// Confidence in a feed that only the home page announces, because it may be unrelated to the page.
const HOME_CONFIDENCE: f64 = 0.9;
/// Minimum confidence for preferring a list on the page to another feed of its site.
pub(super) const SURE_LIST: f64 = 0.6;
/// Maximum number of sitemaps to try.
const MAX_SITEMAPS: usize = 2;

impl Handle {
    /// Explores a URL that the user typed, for every kind of source. Sends one request, and one more for the
    /// first feed that the page announces (up to three if the first ones do not work). Everything else is
    /// only offered or tried if robots.txt allows it. If the page announces no feed, these are tried one
    /// after the other: the URLs of known systems, the home page and common feed URLs, then linked pages that
    /// may list all posts (unless the page is such a list itself), then the sitemap. Drop the future to
    /// cancel.
    ///
    /// At most 24 requests are sent: the page, 3 announced feeds, robots.txt, 8 guessed URLs, the home page,
    /// 3 feeds announced by it, 2 lists of posts, 3 feeds announced by one of them, and 2 sitemaps.
    /// Redirects, the robots.txt of other hosts, and http requests after a failure of https are not included.
    pub async fn discover(&self, typed: &str) -> Result<Discovery, FollowError> {
        self.explore(typed, None, None).await
    }

    /// Like [`Handle::discover`], but if a kind of source is given, no requests are sent for other kinds.
    /// Each attempt is reported as soon as it ends.
    pub async fn discover_reporting(
        &self,
        typed: &str,
        kind: Option<SourceKind>,
        listener: UnboundedSender<Tried>,
    ) -> Result<Discovery, FollowError> {
        self.explore(typed, kind, Some(listener)).await
    }

    async fn explore(
        &self,
        typed: &str,
        kind: Option<SourceKind>,
        listener: Option<UnboundedSender<Tried>>,
    ) -> Result<Discovery, FollowError> {
        let mut typed = Typed::of(address::parse_web(typed)?);
        let wanted = |k: SourceKind| kind.is_none_or(|kind| kind == k);
        let (first, instead) = self.fetch_typed(&mut typed).await?;
        let address = typed.web.url.clone();
        let typed = Box::new(typed);
        let mut found = Discovery { address, ways: Vec::new(), tried: Vec::new(), listener, typed };
        report_response(&mut found, instead, &first.response);
        let Fetched { found: what, survey, response } = first;
        let announced = match what {
            DocumentKind::Feed(feed) => {
                found.report_found("the URL is a feed".to_owned());
                if wanted(SourceKind::Feed) {
                    found.ways.push(feed_way(found.address.clone(), *feed, response, 1.0));
                }
                return Ok(found);
            }
            DocumentKind::Page { announced, .. } => {
                found.report_found(match announced.len() {
                    1 => "the page announces a feed".to_owned(),
                    n => format!("the page announces {n} feeds"),
                });
                announced
            }
            DocumentKind::Nothing { reason } => {
                found.report(reason);
                Vec::new()
            }
        };
        if wanted(SourceKind::Feed) {
            self.try_announced(announced, &mut found).await;
        }
        self.offer_rest(kind, &survey, &response, &mut found).await;
        found.ways.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
        let untitled = found.ways.first_mut().filter(|w| w.title.is_empty());
        if let (Some(way), Some(title)) = (untitled, survey.title) {
            way.title = title;
        }
        Ok(found)
    }

    /// Offers everything except the feeds that the page announces, if robots.txt allows it.
    async fn offer_rest(
        &self,
        kind: Option<SourceKind>,
        survey: &Survey,
        response: &TimedResponse,
        found: &mut Discovery,
    ) {
        let wanted = |k: SourceKind| kind.is_none_or(|kind| kind == k);
        let announced = !found.ways.is_empty();
        let offers = !survey.lists.is_empty()
            || survey.article.is_some()
            || survey.offered_entries().is_some();
        if announced && !offers {
            return;
        }
        // The host that the page is on after any redirects.
        let page = &response.response.final_url;
        let Some(sitemaps) = self.fetch_robots(page, found).await else { return };
        let is_page = survey.sitemap.is_none();
        if offer_file(kind, response, found) {
            return;
        }
        if !announced && wanted(SourceKind::Feed) && is_page {
            self.try_guesses(page, &survey.guesses, found).await;
            put_page_first(survey, found);
        }
        if wanted(SourceKind::Website) {
            offer_lists(survey, response, found);
        }
        if wanted(SourceKind::Entries) {
            offer_entries(survey, response, kind.is_some(), found);
        }
        if !announced && (wanted(SourceKind::Feed) || wanted(SourceKind::Website)) {
            self.try_list_pages(kind, survey, found).await;
        }
        if kind == Some(SourceKind::Page) && survey.needs_javascript {
            found.report("the page needs JavaScript, which is not supported".to_owned());
        }
        if let Some(count) = survey.sitemap.filter(|_| wanted(SourceKind::Sitemap)) {
            found.report_found(format!("the URL is a sitemap with {count} entries"));
            found.ways.push(sitemap_way(found.address.clone(), count, response.clone()));
        } else if wanted(SourceKind::Sitemap) && (found.ways.is_empty() || kind.is_some()) {
            self.try_sitemaps(page, &sitemaps, found).await;
        }
        let content_type = response.response.content_type().unwrap_or("html");
        let readable = content_type.contains("html") && is_page && !survey.needs_javascript;
        let has_feed = announced || has_own_feed(page, survey, found);
        if readable && wanted(SourceKind::Page) && (survey.article.is_some() || !has_feed) {
            page_way(survey, response.clone(), found);
        }
        // If the page has a feed, no further requests are needed.
        if readable && wanted(SourceKind::Crawl) && !has_feed {
            found.ways.extend(CRAWLED.map(|crawl| crawl_way(&found.address, crawl)));
        }
    }

    /// The sitemaps in robots.txt; `None` if it cannot be read or forbids programs to read the page. Only the
    /// typed page and the feeds that it announces are fetched before robots.txt.
    async fn fetch_robots(&self, page: &Url, found: &mut Discovery) -> Option<Vec<String>> {
        let request = self.request(page, &found.typed, Purpose::Page);
        let host = page.host_str().unwrap_or_default().to_owned();
        match self.context.client.sitemaps(&request).await {
            Ok(sitemaps) => return Some(sitemaps),
            Err(FetchError::Robots { .. }) => found.report(format!(
                "robots.txt of {host} forbids programs from reading this page, so newsfed can only follow \
                 feeds there; if you know a feed of the site, enter its URL"
            )),
            Err(error) => found.report(format!(
                "robots.txt of {host} cannot be read, and without it no page may be fetched: {error}"
            )),
        }
        None
    }

    /// Fetches the typed URL. A URL without a scheme is fetched over https, or over http if the server lacks
    /// https, which is reported. Credentials are only sent over http if the user typed that scheme.
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
        // The advice about the error is irrelevant if http works.
        let words = failed.to_string();
        let words = words.split("; ").next().unwrap_or_default();
        let words = format!("{words} (tried http instead)");
        typed.web.url = plain;
        match self.fetch_name(typed).await {
            Ok(first) => Ok((first, Some(words))),
            Err(http) => Err(FollowError::Neither { https: words, http: Box::new(http) }),
        }
    }

    /// Fetches the typed URL, even if its host name resolves to a private address: the user typed it.
    pub(super) async fn fetch_name(&self, typed: &mut Typed) -> Result<Fetched, FollowError> {
        let first = self.fetch(&typed.web.url, typed, Purpose::Feed).await;
        let private = |e: &FollowError| {
            matches!(e, FollowError::Fetch { error: FetchError::PrivateName { .. }, .. })
        };
        if !first.as_ref().is_err_and(private) {
            return first;
        }
        typed.private = true;
        self.fetch(&typed.web.url, typed, Purpose::Feed).await
    }

    /// Offers the announced feeds, and fetches the best one for a preview of its entries.
    pub(super) async fn try_announced(&self, feeds: Vec<AnnouncedFeed>, discovery: &mut Discovery) {
        let reported = discovery.tried.len().checked_sub(1);
        self.read_announced(feeds, discovery).await;
        discovery.retract_unless(SourceKind::Feed, reported);
        discovery.join_problem(reported);
    }

    async fn read_announced(&self, announced: Vec<AnnouncedFeed>, discovery: &mut Discovery) {
        let (open, private): (Vec<_>, Vec<_>) = announced
            .into_iter()
            .partition(|each| !is_foreign(&each.url, &discovery.typed.web.url));
        private.into_iter().for_each(|each| discovery.report(refusal(&each.url)));
        discovery.ways.extend(open.into_iter().map(announced_way));
        for _ in 0..MAX_TRIED {
            let Some(best) = discovery.ways.first_mut().filter(|w| w.first.is_none()) else {
                return;
            };
            match self.fetch_announced(&best.url, &discovery.typed).await {
                Ok(first) => {
                    // Show the feed's own title in the list.
                    if let Some(title) = first.feed.title.clone().filter(|t| !t.is_empty()) {
                        best.title = title;
                    }
                    best.first = Some(FirstFetch::Feed(first));
                }
                Err(failure) => {
                    let gone = discovery.ways.remove(0);
                    discovery.report(feed_problem(&gone.url, &failure));
                }
            }
        }
    }

    /// Tries the URLs of known systems, then the feeds that the home page announces, then common feed URLs,
    /// until one works.
    async fn try_guesses(&self, page: &Url, guesses: &[Guess], discovery: &mut Discovery) {
        let systems = guesses.iter().take_while(|g| g.system.is_some()).count();
        let (known, usual) = guesses.split_at(systems);
        let mut missed = Missed::default();
        let mut goes_on = self.try_urls(known, &mut missed, discovery).await;
        // Other feeds on the host of a known system belong to other people.
        if goes_on && !guesses.iter().any(|g| g.by_host) {
            goes_on = self.try_home(page, discovery).await && discovery.ways.is_empty();
        }
        if goes_on {
            self.try_urls(usual, &mut missed, discovery).await;
        }
        for (paths, what) in
            [(missed.nothing_at, "no feed at"), (missed.forbidden, "robots.txt does not allow")]
        {
            some_of(&paths).into_iter().for_each(|at| discovery.report(format!("{what} {at}")));
        }
    }

    /// Returns whether to continue: none of the URLs is a feed, and the site responds.
    async fn try_urls(
        &self,
        guesses: &[Guess],
        missed: &mut Missed,
        discovery: &mut Discovery,
    ) -> bool {
        for Guess { url, system, confidence, .. } in guesses {
            if is_foreign(url, &discovery.typed.web.url) {
                continue;
            }
            match self.fetch_feed(url, &discovery.typed, Purpose::Page).await {
                Ok(FirstFeed { feed, response }) => {
                    discovery.report_found(match system {
                        Some(system) => format!("{url} is a feed ({system})"),
                        None => format!("{url} is a feed"),
                    });
                    discovery.ways.push(feed_way(url.clone(), feed, response, *confidence));
                    return false;
                }
                Err(FollowError::Status { status: 404 | 410, .. } | FollowError::NoFeed(_)) => {
                    missed.nothing_at.push(url.path().to_owned());
                }
                Err(FollowError::Fetch { error: FetchError::Robots { .. }, .. }) => {
                    missed.forbidden.push(url.path().to_owned());
                }
                Err(failure) => {
                    // Stop after a failure or a rate limit.
                    discovery.report(format!("{url}: {failure}"));
                    return false;
                }
            }
        }
        true
    }

    /// Offers the feeds announced by the home page. Returns whether the site responds.
    async fn try_home(&self, page: &Url, discovery: &mut Discovery) -> bool {
        let Ok(home) = page.join("/") else { return true };
        if home == *page {
            return true;
        }
        match self.fetch(&home, &discovery.typed, Purpose::Page).await {
            Ok(Fetched { found: DocumentKind::Page { announced, .. }, .. }) => {
                discovery.report_found("the home page announces a feed".to_owned());
                let less = |a: AnnouncedFeed| AnnouncedFeed {
                    confidence: a.confidence.min(HOME_CONFIDENCE),
                    ..a
                };
                let announced = announced.into_iter().map(less).collect();
                self.try_announced(announced, discovery).await;
                true
            }
            Ok(_) | Err(FollowError::Fetch { error: FetchError::Robots { .. }, .. }) => true,
            Err(FollowError::Status { status, .. }) => status != 429 && status < 500,
            Err(failure) => {
                discovery.report(format!("{home}: {failure}"));
                false
            }
        }
    }

    /// Tries the sitemaps named in robots.txt, or else the default URL.
    async fn try_sitemaps(&self, page: &Url, lines: &[String], discovery: &mut Discovery) {
        let places = sitemap::places(page, lines);
        for place in places.into_iter().take(MAX_SITEMAPS) {
            match self.fetch(&place, &discovery.typed, Purpose::Page).await {
                Ok(Fetched { survey: Survey { sitemap: Some(count), .. }, response, .. }) => {
                    discovery.report_found(format!("{place} is a sitemap with {count} entries"));
                    discovery.ways.push(sitemap_way(place, count, response));
                    return;
                }
                Ok(_) => discovery.report(format!("{place} is not a sitemap")),
                Err(FollowError::Status { status: 404 | 410, .. }) => {
                    discovery.report(format!("no sitemap at {}", place.path()));
                }
                Err(failure) => discovery.report(format!("{place}: {failure}")),
            }
        }
    }

    /// Fetches a feed that a page announces. A private address is only allowed on the host of the page that
    /// the user typed. The same applies to the credentials.
    pub(super) async fn fetch_announced(
        &self,
        url: &Url,
        typed: &Typed,
    ) -> Result<FirstFeed, FollowError> {
        self.fetch_feed(url, typed, Purpose::Feed).await
    }

    async fn fetch_feed(
        &self,
        url: &Url,
        typed: &Typed,
        purpose: Purpose,
    ) -> Result<FirstFeed, FollowError> {
        match self.fetch(url, typed, purpose).await? {
            Fetched { found: DocumentKind::Feed(feed), response, .. } => {
                Ok(FirstFeed { feed: *feed, response })
            }
            _ => Err(FollowError::NoFeed(url.clone())),
        }
    }

    fn request(&self, url: &Url, typed: &Typed, purpose: Purpose) -> Request {
        let web = &typed.web;
        Request {
            purpose,
            // A private address is only allowed on the host of the declared URL.
            allow_private: typed.private || is_private_host(&web.url),
            declared: Some(web.url.clone()),
            access: access(web),
            ..Request::feed(url.clone())
        }
    }

    /// Fetches and examines a document. A guessed URL is fetched as a page, which obeys robots.txt; a URL
    /// that the user typed or subscribes to is fetched as a feed.
    pub(super) async fn fetch(
        &self,
        url: &Url,
        typed: &Typed,
        purpose: Purpose,
    ) -> Result<Fetched, FollowError> {
        let at = self.now();
        let fetched = self.context.client.fetch(self.request(url, typed, purpose)).await;
        let mut response =
            fetched.map_err(|error| FollowError::Fetch { url: Box::new(url.clone()), error })?;
        let was_offline = self.context.network.is_offline();
        network::reached(&self.context).await;
        if was_offline {
            // The caller reports the change.
            self.replan().await;
        }
        // A preview may stay open for a long time and is not part of a refresh.
        response.memory = None;
        if !response.is_success() {
            return Err(FollowError::status(&response, self.now()));
        }
        let response = self.filter_typed(typed, response).await?;
        let bytes = response.body.len();
        let work = move || {
            let (body, kind) = (&response.body, response.content_type());
            let (found, survey) = discover::examine(body, kind, &response.final_url);
            (found, survey, response)
        };
        let done = self.context.read_document(bytes, work).await;
        let (found, survey, response) = done.ok_or(StoreError::Closed)?;
        Ok(Fetched { found, survey, response: TimedResponse { response, at } })
    }
}

/// URLs that were tried without success.
#[derive(Default)]
struct Missed {
    nothing_at: Vec<String>,
    /// Paths that robots.txt forbids.
    forbidden: Vec<String>,
}

/// Reports how the server responded to the typed URL.
fn report_response(found: &mut Discovery, instead: Option<String>, first: &TimedResponse) {
    if let Some(words) = instead {
        found.report(words);
    }
    let last = &first.response.final_url;
    if address::normalise(last) != address::normalise(&found.address) {
        found.report(format!("the URL redirects to {last}"));
    }
    if found.typed.private {
        let host = found.address.host_str().unwrap_or_default();
        found.report(format!(
            "{host} resolves to a private address, so private = true will be set for its source"
        ));
    }
}

/// Lowers the rank of a feed found elsewhere that shares no article with the page: it is not the feed of the
/// entries or the list on the page.
fn put_page_first(survey: &Survey, found: &mut Discovery) {
    let entries = survey.entries.as_ref().filter(|e| e.rank == EntriesRank::First);
    let list = survey.lists.first().filter(|l| l.confidence >= SURE_LIST && !survey.is_article);
    let own = entries.map(|e| e.proposal.confidence).or(list.map(|l| l.confidence));
    let (Some(own), false) = (own, survey.guesses.iter().any(|g| g.by_host)) else { return };
    for way in &mut found.ways {
        let shares = match &way.first {
            Some(FirstFetch::Feed(first)) => survey.shares(&first.feed),
            _ => Some(false),
        };
        way.confidence = match shares {
            // Equal ways stay in the order in which they were found.
            Some(true) => way.confidence.max(own),
            Some(false) => way.confidence.min(own - 0.01),
            None => way.confidence,
        };
    }
}

/// Whether the page has a feed of its own: on the host of a known system, below the page, or in its folder. A
/// feed at the root of the site only belongs to the home page.
fn has_own_feed(page: &Url, survey: &Survey, found: &Discovery) -> bool {
    let by_host = survey.guesses.iter().any(|g| g.by_host);
    let path = page.path();
    let folder = path.rfind('/').map_or("/", |at| &path[..=at]);
    let is_own = |url: &Url| {
        let inside = url.path().strip_prefix(path.trim_end_matches('/'));
        let below = inside.is_some_and(|rest| rest.starts_with('/'));
        let beside = folder != "/" && url.path().starts_with(folder);
        by_host || page.origin() == url.origin() && (below || beside)
    };
    found.ways.iter().any(|way| way.kind() == SourceKind::Feed && is_own(&way.url))
}

/// Whether the page at `page` may not announce this URL: only the user may add a private address of another
/// host.
pub(super) fn is_foreign(url: &Url, page: &Url) -> bool {
    is_private_host(url) && url.host() != page.host()
}

pub(super) struct Fetched {
    pub(super) found: DocumentKind,
    pub(super) survey: Survey,
    pub(super) response: TimedResponse,
}
