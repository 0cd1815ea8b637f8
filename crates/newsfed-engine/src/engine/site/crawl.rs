//! Polls a site by crawling it: the first poll explores the site and learns, and later polls visit the pages
//! on which something new has appeared before.

use super::Visit;
use super::crawl_logs::{FOLDER, SavedCrawl};
use super::files::FileFacts;
use super::gathering::Gathering;
use crate::article::{Guide, Mode, extract};
use crate::crawl::{Kind, SleepingBanditParameters, Targets};
use crate::engine::crawl::{
    Crawl, CrawlBudget, CrawlEnd, CrawlError, CrawlFind, CrawlLocation, CrawlNetwork,
    CrawlProgress, CrawlSpec, CrawlStep, LinkResult, Revisit,
};
use crate::model::{Entry, Time, WebsiteRules, ZoneSource};
use crate::net::Response;
use crate::store::{Reader, ReservedKeys, StoreError};
use crate::util::date::Offsets;
use crate::util::text::counted;
use crate::util::{html, text};
use crate::website::{Article, MAX_ARTICLES, summarise, validate};
use chrono::TimeDelta;
use std::time::Duration;
use tokio_util::sync::{CancellationToken, DropGuard};
use url::Url;

/// Maximum number of requests per poll.
pub(super) const MAX_REQUESTS: u64 = 60;
/// Maximum number of links taken from a page, many more than one poll can fetch.
const MAX_PAGE_LINKS: usize = 5_000;
/// Time limit of one poll.
const MAX_TIME: Duration = Duration::from_secs(600);
/// How long pages from before the site was followed are skipped.
const FOR_GOOD: TimeDelta = TimeDelta::days(3650);
/// How long a page that was read and rejected is skipped.
const REFUSED: TimeDelta = TimeDelta::days(30);
/// Maximum number of bytes of files that are kept until they have items.
const MAX_HELD: usize = 8 << 20;
/// Number of link kinds that are reported.
const MAX_KINDS: usize = 4;
/// Number of responses between two progress reports.
const REPORT_EVERY: u32 = 3;
/// Prefix of the progress text of a running exploration.
pub(in crate::engine) const EXPLORING: &str = "exploring";

/// Reads a site, starting with the response to its first request.
///
/// # Errors
/// Returns the reason if the log cannot be used.
pub(super) async fn read(
    visit: &mut Visit<'_>,
    rules: &WebsiteRules,
    response: Response,
    gathering: &mut Gathering,
) -> Result<(), String> {
    // Other pages may have changed although this one has not.
    gathering.unfinished = true;
    let targets = rules.targets.as_deref().map_or(Ok(Targets::Articles), str::parse);
    let targets = targets.map_err(|e: crate::crawl::NoTarget| e.to_string())?;
    let spec = CrawlSpec {
        start: response.final_url.clone(),
        declared: Some(visit.job.source.url.clone()),
        targets,
        strategy: Kind::Learned,
        parameters: SleepingBanditParameters::default(),
        seed: 0,
    };
    let stop = visit.context.begin_exploring(visit.job.key);
    let mut exploration = Exploration {
        rules: rules.clone(),
        publisher: visit.publisher(None),
        entries: Vec::new(),
        files: Vec::new(),
        _over: stop.clone().drop_guard(),
        stop,
    };
    let gathered = gather(visit, spec, response, &mut exploration, gathering).await;
    let Gathered { lost, record } = gathered.map_err(|e| e.to_string())?;
    let follows_files = exploration.follows_files();
    let files = std::mem::take(&mut exploration.files);
    let mut keys = ReservedKeys::for_articles(exploration.entries.len() + lost.len());
    visit.keep(exploration.entries, &mut keys, gathering).await?;
    visit.articles(lost, &exploration.rules, &exploration.publisher, &mut keys, gathering).await?;
    if follows_files {
        visit.found_files(files).await?;
        if matches!(record, Some(SavedCrawl::Learned(_))) && !gathering.is_host_paused {
            visit.check_files(gathering).await?;
        }
    }
    // The log is stored last: if the poll is killed before that, the next one finds the same items again.
    if let Some(record) = record {
        let concluded = visit.context.work(move || record.conclude()).await;
        if let Some(note) = concluded.unwrap_or(Ok(None)).map_err(|e| e.to_string())? {
            gathering.note(note);
        }
    }
    Ok(())
}

/// What a poll returns besides its entries.
#[derive(Default)]
struct Gathered {
    lost: Vec<Url>,
    /// The log to be updated when everything is stored.
    record: Option<SavedCrawl>,
}

/// Collects what a crawl finds, as items.
struct Exploration {
    rules: WebsiteRules,
    publisher: String,
    /// The entries are stored at the end, because only then is it known which of them are the newest.
    entries: Vec<Entry>,
    /// Data files, to be read once they have items.
    files: Vec<Response>,
    /// Cancelled if the user stops the exploration.
    stop: CancellationToken,
    /// Unregisters the exploration when dropped.
    _over: DropGuard,
}

impl Exploration {
    /// Whether the exploration searches for files rather than articles.
    fn follows_files(&self) -> bool {
        self.rules.targets.as_deref().is_some_and(|targets| targets != "articles")
    }

    /// Keeps a file until it has an item. Beyond [`MAX_HELD`] bytes, files are dropped, and fetched again in
    /// the next poll.
    fn hold(&mut self, file: Response) {
        let held: usize = self.files.iter().map(|file| file.body.len()).sum();
        if held + file.body.len() <= MAX_HELD {
            self.files.push(file.release());
        }
    }

    /// Runs a step unless the user stops the exploration.
    async fn step<E>(
        &self,
        step: impl Future<Output = Result<CrawlStep, E>>,
    ) -> Result<CrawlStep, E> {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Ok(CrawlStep::Ended(CrawlEnd::Stopped)),
            step = step => step,
        }
    }
}

async fn gather(
    visit: &mut Visit<'_>,
    spec: CrawlSpec,
    response: Response,
    exploration: &mut Exploration,
    gathering: &mut Gathering,
) -> Result<Gathered, CrawlError> {
    let name = format!("{}.db", visit.job.source.id.as_str());
    let file = visit.context.store.folder().join(FOLDER).join(name);
    let place = CrawlLocation::Record(file.clone());
    let budget = CrawlBudget {
        requests: Some(MAX_REQUESTS),
        time: Some(MAX_TIME),
        page_links: Some(MAX_PAGE_LINKS),
        ..CrawlBudget::default()
    };
    let (client, clock) = (visit.context.client.clone(), visit.context.clock.clone());
    let (access, spacing) = (visit.job.source.access.clone(), exploration.rules.delay);
    let allow_private = crate::net::allows_private(&visit.job.source);
    let net = move || CrawlNetwork {
        client: client.clone(),
        clock: clock.clone(),
        access: access.clone(),
        allow_private,
        spacing,
    };
    // Opening a log reads all known links, too much for the runtime's threads.
    let opening = move || match SavedCrawl::open(&place, &spec, budget, &net) {
        Ok(Some(kept)) => Ok((kept, None)),
        Ok(None) => Ok((SavedCrawl::explore(&file, &place, spec, budget, net())?, None)),
        // The content of the lost log can be learned again.
        Err(
            e @ (CrawlError::Record
            | CrawlError::Credentials
            | CrawlError::Store(StoreError::Corrupt(_))),
        ) => Ok((SavedCrawl::explore(&file, &place, spec, budget, net())?, Some(e))),
        Err(e) => Err(e),
    };
    let opened = visit.context.work(opening).await.unwrap_or(Err(CrawlError::Record));
    let (kept, why) = opened?;
    if let Some(why) = why {
        gathering.note(format!("the site is explored again: {why}"));
    }
    match kept {
        SavedCrawl::Learned(again) => {
            again.know(response);
            revisit(visit, again, exploration, gathering).await
        }
        SavedCrawl::Exploring(crawl) => {
            crawl.know(response);
            let record = explore(visit, crawl, exploration, gathering).await?;
            Ok(Gathered { record, ..Gathered::default() })
        }
    }
}

/// The crawl progress of a source (row key), as lines of text; empty if there is none.
///
/// # Errors
/// If the database cannot be read.
pub(in crate::engine) fn link_groups(
    reader: &Reader,
    source: i64,
) -> Result<Vec<String>, StoreError> {
    let note = reader.memo(&note_name(source))?.unwrap_or_default();
    Ok(note.lines().map(str::to_owned).collect())
}

fn note_name(source: i64) -> String {
    format!("crawl.{source}")
}

/// Stores the progress of a poll; `kinds` are shown below it.
async fn report(visit: &Visit<'_>, what: &str, now: CrawlProgress, kinds: &[String]) {
    let CrawlProgress { requests, found, links, .. } = now;
    let (requests, links) = (counted(requests, "request"), counted(links, "link"));
    let words = format!("{what}: {requests}, {found} found, {links} seen");
    let note: Vec<&str> =
        std::iter::once(words.as_str()).chain(kinds.iter().map(String::as_str)).collect();
    let stored = visit.context.store.set_memo(note_name(visit.job.key), note.join("\n")).await;
    if let Err(e) = stored {
        tracing::error!("cannot store the progress of a crawl: {e}");
    }
}

fn kinds(crawl: &Crawl) -> Vec<String> {
    crawl.link_groups(MAX_KINDS).iter().map(|details| text::line(&details.describe())).collect()
}

async fn explore(
    visit: &mut Visit<'_>,
    mut crawl: Box<Crawl>,
    exploration: &mut Exploration,
    gathering: &mut Gathering,
) -> Result<Option<SavedCrawl>, CrawlError> {
    let start = crawl.spec().start.to_string();
    if crawl.spec().targets != Targets::Articles {
        // An earlier poll found these, but was killed before it stored them.
        let found = crawl.found_before()?;
        exploration.entries.extend(found.iter().map(|found| entry(found, &exploration.publisher)));
    }
    let mut over = false;
    for responses in 1u32.. {
        match exploration.step(crawl.step()).await? {
            CrawlStep::Response { found, got, url } => {
                take(visit, found, *got, &url, url == start, exploration, gathering).await;
                if responses.is_multiple_of(REPORT_EVERY) {
                    report(visit, EXPLORING, crawl.progress(), &kinds(&crawl)).await;
                }
            }
            CrawlStep::Ended(CrawlEnd::Left(words)) => {
                leave(visit, &words, gathering);
                // An exploration that cannot continue uses what it has found.
                over = responses == 1 && crawl.progress().found > 0;
                break;
            }
            // If the exploration has found nothing yet, the next poll continues it.
            CrawlStep::Ended(end) if crawl.progress().found == 0 && end != CrawlEnd::Done => {
                report(visit, "explored so far", crawl.progress(), &[]).await;
                break;
            }
            CrawlStep::Ended(_) => {
                report(visit, "explored", crawl.progress(), &kinds(&crawl)).await;
                over = true;
                break;
            }
        }
    }
    if exploration.entries.is_empty() {
        gathering.nothing_listed = Some("no targets found".to_owned());
        let requests = counted(crawl.progress().requests, "request");
        gathering.note(format!("nothing was found in {requests}"));
    }
    // Older content existed before the site was followed.
    exploration.entries.sort_by_key(|e| std::cmp::Reverse(e.published));
    let old = exploration.entries.split_off(exploration.entries.len().min(MAX_ARTICLES));
    let old = old.iter().filter_map(|e| Url::parse(e.url.as_deref()?).ok());
    gathering.refused.extend(old.map(|url| (url, visit.started + FOR_GOOD)));
    Ok(over.then_some(SavedCrawl::Exploring(crawl)))
}

async fn revisit(
    visit: &mut Visit<'_>,
    mut again: Box<Revisit>,
    exploration: &mut Exploration,
    gathering: &mut Gathering,
) -> Result<Gathered, CrawlError> {
    let start = again.start().to_owned();
    let earlier = again.earlier_hits(MAX_ARTICLES);
    loop {
        match exploration.step(async { Ok::<_, CrawlError>(again.step().await) }).await? {
            CrawlStep::Response { found, got, url } => {
                take(visit, found, *got, &url, url == start, exploration, gathering).await;
            }
            CrawlStep::Ended(CrawlEnd::Left(words)) => {
                leave(visit, &words, gathering);
                break;
            }
            CrawlStep::Ended(_) => break,
        }
    }
    let key = visit.job.key;
    let before = visit.context.read(move |reader| link_groups(reader, key)).await?;
    report(visit, "last poll", again.progress(), before.get(1..).unwrap_or_default()).await;
    let mut lost = Vec::new();
    if exploration.rules.targets.as_deref().is_none_or(|t| t == "articles") {
        // An earlier poll may have been killed after updating its log and before storing its
        // items.
        let found_now: Vec<&str> =
            exploration.entries.iter().filter_map(|e| e.url.as_deref()).collect();
        let known = visit.known(earlier.clone()).await?;
        let unknown = earlier.into_iter().zip(known).filter(|(_, known)| known.is_none());
        lost = unknown.map(|(url, _)| url).filter(|u| !found_now.contains(&u.as_str())).collect();
    }
    Ok(Gathered { lost, record: Some(SavedCrawl::Learned(again)) })
}

/// Stops because no more requests may be sent to the host.
fn leave(visit: &Visit<'_>, words: &str, gathering: &mut Gathering) {
    gathering.note(words);
    gathering.is_host_paused = visit.context.client.paused_until(&visit.job.source.url).is_some();
}

/// Adds what one response of a crawl yields: an article or a file as an entry, and notes.
async fn take(
    visit: &mut Visit<'_>,
    found: Option<Box<CrawlFind>>,
    got: LinkResult,
    url: &str,
    is_start: bool,
    exploration: &mut Exploration,
    gathering: &mut Gathering,
) {
    visit.fetcher.sent += 1;
    gathering.wire_bytes += got.bytes;
    if let Some(note) = &got.page.note {
        gathering.note(format!("{url}: {note}"));
    }
    if is_start && gathering.title.is_none() && !got.page.title.is_empty() {
        gathering.title = Some(got.page.title.clone());
        exploration.publisher = visit.publisher(gathering.title.as_deref());
    }
    let Some(found) = found else { return };
    let Ok(url) = Url::parse(&found.url) else { return };
    match got.response {
        Some(page) if got.article => {
            gathering.elapsed += page.elapsed;
            if exploration.rules.has_selectors() {
                let (rules, publisher) = (exploration.rules.clone(), exploration.publisher.clone());
                let read = visit.take(url, *page, &rules, &publisher, gathering).await;
                exploration.entries.extend(read);
                return;
            }
            let (anchor, publisher) = (found.anchor, exploration.publisher.clone());
            let (home, now) = (visit.home(), visit.context.clock.now());
            let bytes = page.body.len();
            let known = gathering.offsets.clone();
            let work = move || article(&page, anchor, &publisher, &home, &known, now);
            gathering.read += 1;
            match visit.context.read_document(bytes, work).await {
                Some(Ok((entry, offsets))) => {
                    gathering.offsets.extend(&offsets);
                    exploration.entries.push(entry);
                }
                Some(Err(why)) => {
                    gathering.note(format!("{url} was skipped: {why}"));
                    gathering.refused.push((url, visit.started + REFUSED));
                }
                None => gathering.note(format!("{url} could not be read (this is a bug)")),
            }
        }
        file => {
            exploration.entries.push(entry(&found, &exploration.publisher));
            if let Some(file) = file {
                exploration.hold(*file);
            }
        }
    }
}

/// A page as an item, from its metadata and its content.
fn article(
    page: &Response,
    anchor: String,
    publisher: &str,
    home: &Url,
    offsets: &Offsets,
    now: Time,
) -> Result<(Entry, Offsets), String> {
    let markup = html::decode(&page.body, page.content_type());
    let url = page.final_url.clone();
    let guide = Guide { url: Some(url.clone()), fetched_at: Some(now), ..Guide::default() };
    let found = extract(&markup, &guide, Mode::Page, None).map_err(|e| e.to_string())?;
    let title = found.title.filter(|t| !t.is_empty()).unwrap_or(anchor);
    let text = text::block(&found.text);
    let mut dated = found.dated.filter(|d| !d.is_doubtful(now));
    if let Some(dated) = &mut dated {
        dated.read_in(offsets, ZoneSource::Site, Some(now));
    }
    let mut article = Article {
        url,
        titled: !title.is_empty(),
        title,
        summary: summarise(&text::line(&text)),
        content: html::paragraphs(&text.replace('\n', "\n\n")),
        authors: found.authors,
        published: dated.map(|d| d.time.to_utc()),
        dated: dated.map(|d| d.origin()),
        zone: dated.map(|d| d.zone).unwrap_or_default(),
        offsets: found.offsets,
        instead: false,
        updated: found.modified.map(|t| t.to_utc()),
    };
    validate(&article, home, now).map_err(|e| e.to_string())?;
    let offsets = std::mem::take(&mut article.offsets);
    Ok((Entry { language: found.language, ..article.entry(publisher, now) }, offsets))
}

/// A file as an item, named by the text of its link, or by its own title.
fn entry(found: &CrawlFind, publisher: &str) -> Entry {
    let name = found.url.split(['?', '#']).next().unwrap_or_default();
    let name = name.rsplit('/').find(|part| !part.is_empty()).unwrap_or(&found.url);
    let title = if found.anchor.is_empty() { text::line(name) } else { found.anchor.clone() };
    let file = FileFacts { url: &found.url, title, mime: &found.mime, bytes: found.bytes };
    file.entry(publisher)
}
