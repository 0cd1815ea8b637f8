//! Articles: finds out which are already known, and fetches the others one at a time.

use super::Visit;
use super::gathering::Gathering;
use crate::engine::fulltext;
use crate::model::{
    Confidence, DateOrigin, DateSource, Entry, LeftOutReason, RuleKey, SourceKind, Time,
    WebsiteRules, ZoneSource,
};
use crate::net::{FetchError, Response};
use crate::sitemap::LastMod;
use crate::store::{KnownTo, ReservedKeys, StoreError, prepare};
use crate::util::date::Offsets;
use crate::util::domain::same_site;
use crate::util::html;
use crate::util::text;
use crate::util::url::normalise;
use crate::website::propose::{Sample, article_rules};
use crate::website::{
    ListLink, Page, article, check_selectors, has_text, in_zone, obstacle, validate,
};
use chrono::TimeDelta;
use std::collections::HashMap;
use url::Url;

/// Pages that were fetched before they are needed, by the key of their URL.
pub(crate) type Prefetched = HashMap<String, Response>;

/// A page that was read and rejected, or redirects to another site, is skipped for this long.
const REFUSED: TimeDelta = TimeDelta::days(30);
/// A missing page is fetched again after this time.
const MISSING: TimeDelta = TimeDelta::days(1);
/// A page that was modified on the day on which it was read is read again after this time.
const SAME_DAY: TimeDelta = TimeDelta::hours(6);
/// Number of temporary failures in a row after which the rest waits for the next poll.
const MAX_FAILURES: usize = 3;

/// Maximum number of articles without title or text that are kept for finding other selectors.
const MAX_BLANK: usize = 3;
/// Maximum size of these articles' pages in bytes, because they are outside the memory budget.
const MAX_SAMPLE: usize = 512 << 10;

/// The result of reading a page.
enum Read {
    Article { entry: Box<Entry>, titled: bool, instead: bool, offsets: Offsets },
    Refused { reason: LeftOutReason, why: String },
}

impl Visit<'_> {
    /// For each URL, since when it has needed no request; `None` if it needs one.
    pub(super) async fn known(&self, urls: Vec<Url>) -> Result<Vec<Option<Time>>, StoreError> {
        let (key, now) = (self.job.key, self.started);
        self.context.read(move |reader| reader.known_pages(key, &urls, now)).await
    }

    /// Fetches articles in order and stores each as soon as it is read, so that a poll that is
    /// cut short loses none. `publisher` is used for all of them. Returns whether the rest of the site can be
    /// read.
    ///
    /// # Errors
    /// Returns the reason if they cannot be stored.
    pub(super) async fn articles(
        &mut self,
        urls: Vec<Url>,
        rules: &WebsiteRules,
        publisher: &str,
        keys: &mut ReservedKeys,
        gathering: &mut Gathering,
    ) -> Result<bool, String> {
        let (mut failures, home) = (0, self.home());
        for url in urls {
            if !same_site(&url, &home) {
                gathering.note(format!("{url} is on another site"));
                gathering.leave_out(LeftOutReason::OtherSite, &url);
                continue;
            }
            let result = match self.prefetched.remove(&normalise(&url)) {
                Some(response) => Ok(response),
                None => self.fetcher.page(url.clone()).await,
            };
            if let Ok(response) = &result {
                gathering.wire_bytes += response.wire_bytes;
                gathering.elapsed += response.elapsed;
            }
            match result {
                Ok(response) if response.is_success() => {
                    failures = 0;
                    let moved = normalise(&response.final_url) != normalise(&url);
                    if moved {
                        // The item is identified by its final URL; the listed URL is remembered
                        // too.
                        gathering.refused.push((url.clone(), self.started + REFUSED));
                    }
                    let page = response.clone();
                    let read = self.take(url, response, rules, publisher, gathering).await;
                    let Some(entry) = read else { continue };
                    self.keep(vec![entry], keys, gathering).await?;
                    self.full_text(&page.final_url.clone(), page).await?;
                }
                Ok(response) if response.status == 429 => {
                    (gathering.is_host_paused, gathering.unfinished) = (true, true);
                    return Ok(false);
                }
                Ok(response) if response.status < 500 => {
                    gathering.note(format!("{url}: HTTP {}", response.status));
                    gathering.leave_out(LeftOutReason::Missing, &url);
                    gathering.refused.push((url, self.started + MISSING));
                }
                Err(FetchError::Paused { .. }) => {
                    (gathering.is_host_paused, gathering.unfinished) = (true, true);
                    return Ok(false);
                }
                Err(FetchError::Robots { .. }) => {
                    gathering.note(format!("{url}: robots.txt does not allow it"));
                    gathering.leave_out(LeftOutReason::Robots, &url);
                }
                Err(e) if e.kind() == crate::model::ErrorKind::Permanent => {
                    gathering.note(e.to_string());
                    gathering.leave_out(LeftOutReason::Missing, &url);
                    gathering.refused.push((url, self.started + MISSING));
                }
                other => {
                    gathering.unfinished = true;
                    gathering.leave_out(LeftOutReason::Unreachable, &url);
                    gathering.note(match other {
                        Ok(response) => format!("{url}: HTTP {}", response.status),
                        Err(e) => e.to_string(),
                    });
                    failures += 1;
                    if failures == MAX_FAILURES {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Stores the text of an article: the part that the source's selector matches, or the text extracted from
    /// the page with what is known about its site and the source's other items.
    pub(super) async fn full_text(&self, url: &Url, page: Response) -> Result<(), String> {
        let Some(item) = self.item(url).await? else { return Ok(()) };
        let source = &self.job.source;
        let stored = fulltext::take_response(self.context, source, item, page, false).await;
        stored.map(drop).map_err(|e| text::line(&e.to_string()))
    }

    /// The row key of the source's item with this URL.
    pub(super) async fn item(&self, url: &Url) -> Result<Option<i64>, String> {
        let (key, url) = (self.job.key, url.clone());
        let read = self.context.read(move |reader| reader.item_at(key, &url)).await;
        read.map_err(|e| text::line(&e.to_string()))
    }

    /// The known pages that have changed since they were read, according to the sitemap or list.
    pub(super) async fn modified(&self, pages: Vec<(Url, LastMod)>) -> Result<Vec<Url>, String> {
        let (key, now) = (self.job.key, self.started);
        let read = self.context.read(move |reader| {
            let mut modified = Vec::new();
            for (url, lastmod) in pages {
                // A time in the future is ignored.
                if lastmod.at > now {
                    continue;
                }
                let Some(item) = reader.item_at(key, &url)? else { continue };
                let Some(state) = reader.page(item)? else { continue };
                let same_day =
                    lastmod.whole_day && lastmod.at.date_naive() == state.fetched_at.date_naive();
                if lastmod.at > state.fetched_at || same_day && now - state.fetched_at >= SAME_DAY {
                    modified.push(url);
                }
            }
            Ok(modified)
        });
        read.await.map_err(|e| text::line(&e.to_string()))
    }

    /// Reads known articles again and stores new versions of those that have changed. With `renews`, a change
    /// makes them unread. Returns the articles that need no further attempt: these include articles that
    /// cannot be used, so that the same change does not cause another request.
    ///
    /// # Errors
    /// Returns the reason if they cannot be stored.
    pub(super) async fn read_again(
        &mut self,
        urls: Vec<Url>,
        renews: bool,
        gathering: &mut Gathering,
    ) -> Result<Vec<Url>, String> {
        let (mut failures, home) = (0, self.home());
        let mut done = Vec::new();
        for url in urls {
            let Some(item) = self.item(&url).await? else { continue };
            if !same_site(&url, &home) {
                continue;
            }
            let result = self.fetcher.page(url.clone()).await;
            let lasting = match &result {
                Ok(response) => response.status < 500 && response.status != 429,
                Err(e) => e.kind() == crate::model::ErrorKind::Permanent,
            };
            match result {
                // A page at a different URL has a different text.
                Ok(response) if normalise(&response.final_url) != normalise(&url) => {
                    gathering.note(format!("{url} redirects to {}", response.final_url));
                }
                Ok(response) if response.is_success() => {
                    gathering.wire_bytes += response.wire_bytes;
                    gathering.elapsed += response.elapsed;
                    let source = &self.job.source;
                    let changed =
                        fulltext::take_response(self.context, source, item, response, renews).await;
                    let changed = changed.map_err(|e| text::line(&e.to_string()))?;
                    gathering.kept.updated += u32::from(changed.is_change());
                    gathering.kept.known += 1;
                }
                Ok(response) if response.status == 429 => {
                    (gathering.is_host_paused, gathering.unfinished) = (true, true);
                    return Ok(done);
                }
                Err(FetchError::Paused { .. }) => {
                    (gathering.is_host_paused, gathering.unfinished) = (true, true);
                    return Ok(done);
                }
                other => {
                    gathering.leave_out(LeftOutReason::Unreachable, &url);
                    gathering.note(match other {
                        Ok(response) => format!("{url}: HTTP {}", response.status),
                        Err(e) => e.to_string(),
                    });
                    failures += 1;
                }
            }
            if lasting {
                let noted = fulltext::unused(self.context, item).await;
                noted.map_err(|e| text::line(&e.to_string()))?;
                done.push(url);
            }
            if failures == MAX_FAILURES {
                break;
            }
        }
        Ok(done)
    }

    /// Stores articles before the poll is over.
    ///
    /// # Errors
    /// Returns the reason if they cannot be stored.
    pub(super) async fn keep(
        &self,
        entries: Vec<Entry>,
        keys: &mut ReservedKeys,
        gathering: &mut Gathering,
    ) -> Result<(), String> {
        if entries.is_empty() {
            return Ok(());
        }
        let hashing = self.hashing;
        let prepared = self.context.work(move || prepare(entries, &hashing)).await;
        let prepared = prepared.ok_or("the articles could not be read (this is a bug)")?;
        let store = &self.context.store;
        // A watched page has its own item, even if a feed has listed its URL.
        let known = match self.job.source.kind() {
            SourceKind::Page => KnownTo::Itself,
            _ => KnownTo::AnySource,
        };
        let stored = store.store_articles(self.job.key, prepared, self.started, *keys, known).await;
        let stored = stored.map_err(|e| text::line(&e.to_string()))?;
        let (done, left) = stored.ok_or("the source no longer exists")?;
        self.context.announcer.take(done.announcements);
        *keys = left;
        // Articles that are stored later are older.
        gathering.kept.new.splice(0..0, done.new);
        gathering.kept.known += done.known;
        Ok(())
    }

    /// Reads one article page; `None` if it was rejected.
    pub(super) async fn take(
        &mut self,
        listed: Url,
        response: Response,
        rules: &WebsiteRules,
        publisher: &str,
        gathering: &mut Gathering,
    ) -> Option<Entry> {
        let (rules, publisher) = (rules.clone(), publisher.to_owned());
        let (home, now) = (self.home(), self.context.clock.now());
        let sample = (response.body.len() <= MAX_SAMPLE).then(|| response.clone().release());
        let requested = listed.clone();
        let bytes = response.body.len();
        let known = gathering.offsets.clone();
        let work = move || read(&response, &requested, &rules, &publisher, &home, &known, now);
        match self.context.read_document(bytes, work).await {
            Some(Read::Article { mut entry, titled, instead, offsets }) => {
                gathering.offsets.extend(&offsets);
                if instead {
                    gathering
                        .note("the date selector finds nothing; the pages' own dates are used");
                }
                let link = gathering.listed.get(&normalise(&listed));
                // The date and the author in the list are used if the article has none.
                let date = link.and_then(|link| date_of_row(link, &gathering.offsets, now));
                if let (None, Some((date, origin))) = (entry.published, date)
                    && date <= now
                {
                    (entry.published, entry.dated) = (Some(date), Some(origin));
                }
                if entry.authors.is_empty() {
                    entry.authors.extend(link.and_then(|link| link.author.clone()));
                }
                gathering.read += 1;
                gathering.untitled += usize::from(!titled);
                gathering.empty += usize::from(entry.summary.is_none());
                let blank = !titled || entry.summary.is_none();
                if let (true, Some(sample)) = (blank, sample)
                    && gathering.blank.len() < MAX_BLANK
                {
                    let title = link.map(|link| link.title.clone()).unwrap_or_default();
                    gathering.blank.push((sample, title));
                }
                if entry.summary.is_none() {
                    tracing::warn!(source = %self.job.source.id, "no text found in {listed}");
                }
                gathering.dates.extend(entry.published);
                return Some(*entry);
            }
            Some(Read::Refused { reason, why }) => {
                gathering.note(format!("{listed} was skipped: {why}"));
                gathering.leave_out(reason, &listed);
                let wait = if reason.may_pass() { MISSING } else { REFUSED };
                gathering.refused.push((listed, self.started + wait));
            }
            None => gathering.note(format!("{listed} could not be read (this is a bug)")),
        }
        None
    }
}

/// The date in the list row of an article, in the time zone of the site if the date has no zone.
fn date_of_row(link: &ListLink, offsets: &Offsets, now: Time) -> Option<(Time, DateOrigin)> {
    let date = link.date?;
    let read = in_zone(date, link.zone, offsets, Some(now));
    let zone = read.map(|_| ZoneSource::Site);
    let origin = DateOrigin { from: DateSource::List, confidence: Confidence::Medium, zone };
    Some((read.unwrap_or(date), origin))
}

/// Selectors that find the titles or texts of all these articles.
pub(super) fn instead(
    blank: Vec<(Response, String)>,
    rules: &WebsiteRules,
    missing: RuleKey,
) -> Vec<String> {
    let sample = |(response, title): (Response, String)| {
        let page = Page::read(&response.body, response.content_type(), &response.final_url).ok()?;
        Some(Sample { page, title })
    };
    let samples: Vec<Sample> = blank.into_iter().filter_map(sample).collect();
    let found = article_rules(&samples, rules.clone(), None);
    let selector = match missing {
        RuleKey::Title => found.title.clone(),
        _ => found.content.clone(),
    };
    let finds = |sample: &Sample| match (missing, article(&sample.page, &found, None)) {
        (RuleKey::Title, article) => article.titled,
        (_, article) => !article.summary.is_empty(),
    };
    let works = !samples.is_empty() && samples.iter().all(finds);
    works.then_some(selector).into_iter().collect()
}

fn read(
    response: &Response,
    requested: &Url,
    rules: &WebsiteRules,
    publisher: &str,
    home: &Url,
    offsets: &Offsets,
    now: Time,
) -> Read {
    let page = Page::read(&response.body, response.content_type(), &response.final_url);
    let page = match page {
        Ok(page) => page,
        Err(e) => {
            let why = text::line(&e.to_string());
            return Read::Refused { reason: LeftOutReason::NotAPage, why };
        }
    };
    if let Err(e) = check_selectors(&page, rules) {
        return Read::Refused { reason: LeftOutReason::NotSelected, why: e.to_string() };
    }
    let mut found = article(&page, rules, Some(now));
    found.read_in(offsets, ZoneSource::Site, Some(now));
    if let Err(rejection) = validate(&found, home, now) {
        return Read::Refused { reason: rejection.reason(), why: rejection.to_string() };
    }
    let stops = |reason: &LeftOutReason| match reason {
        LeftOutReason::NeedsJavascript => found.summary.is_empty() || !found.titled,
        _ => !has_text(&html::to_text(&found.content)),
    };
    if let Some(reason) = obstacle(&page, requested).filter(stops) {
        return Read::Refused { reason, why: reason.describe().to_owned() };
    }
    let (titled, instead) = (found.titled, found.instead);
    let offsets = std::mem::take(&mut found.offsets);
    Read::Article { entry: Box::new(found.entry(publisher, now)), titled, instead, offsets }
}
