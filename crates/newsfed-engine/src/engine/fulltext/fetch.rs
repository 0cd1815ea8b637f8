//! The page of one item: decides whether to fetch it, fetches it, extracts the text and stores it.

use super::ask_model;
use super::data_file;
use super::read::{NoText, Part, ReadContext, SavedPage, Undated, is_page, read};
use super::refetch::{after_failure, after_success};
use super::{TextGot, Trigger};
use crate::engine::context::Context;
use crate::engine::poll::pause_host;
use crate::model::{
    ErrorKind, FullText, Item, Source, SourceKind, TextFrom, TextWay, Time, Validators,
};
use crate::net::{self, FetchError, Request, Response};
use crate::store::{
    FetchedPage, LearnedSite, PageResult, PageState, PageText, StoreError, Version,
};
use crate::util::domain::same_site;
use crate::util::text;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use url::Url;

/// Timeout for extracting a page. Size and depth of pages are limited, so this is only a safeguard.
pub(super) const READING: Duration = Duration::from_secs(20);
/// Timeout for waiting, fetching and extracting while a user waits.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// Who chose how the text is extracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// The settings, or the last extraction.
    Automatic,
    /// The user.
    User,
    /// The user wants any different text. If this way finds none, the page has not failed.
    Trial,
}

impl Choice {
    fn of(trigger: Trigger) -> Self {
        match trigger {
            Trigger::User(_) => Self::User,
            _ => Self::Automatic,
        }
    }
}

/// All data about an item and its page.
pub(super) struct StoredItemState {
    pub(super) item: Item,
    /// The date that the item is sorted by.
    date: Time,
    pub(super) source: Arc<Source>,
    /// The site of the source.
    home: Option<Url>,
    pub(super) page: Option<PageState>,
    pub(super) site: LearnedSite,
    pub(super) before: Option<Version>,
    /// The text extracted from the page alone, if it differs from the stored text.
    alone_before: Option<String>,
    /// Whether a change marks the item unread and makes it the newest again.
    pub(super) renews: bool,
}

/// The result of a request.
pub(super) struct PageOutcome {
    pub(super) text: TextGot,
    /// Whether the result is stored in the database.
    pub(super) stored: bool,
    undated: Undated,
}

impl PageOutcome {
    pub(super) fn not_stored(text: TextGot) -> Self {
        Self { text, stored: false, undated: None }
    }

    pub(super) fn stored(text: TextGot) -> Self {
        Self { text, stored: true, undated: None }
    }
}

/// Fetches the full text of an item (row key) if the trigger requires it, and stores the result.
pub(super) async fn fetch(
    context: &Arc<Context>,
    key: i64,
    trigger: Trigger,
) -> Result<PageOutcome, StoreError> {
    let late = Instant::now() + PATIENCE;
    let turn = context.pages.turn(key);
    let (turn, waited) = match turn.clone().try_lock_owned() {
        Ok(turn) => (turn, false),
        Err(_) if trigger.is_waited_for() => match timeout_at(late, turn.lock_owned()).await {
            Ok(turn) => (turn, true),
            Err(_) => return Ok(PageOutcome::not_stored(TextGot::Failed(PageFailure::late().why))),
        },
        Err(_) => (turn.lock_owned().await, true),
    };
    let mut got = match trigger {
        Trigger::Another => super::cycle::another(context, key, waited, late).await?,
        _ => fetch_now(context, key, trigger, Choice::of(trigger), waited, late).await?,
    };
    drop(turn);
    // The text is stored before the model is asked.
    let undated = got.undated.take();
    ask_model(context, key, undated).await?;
    Ok(got)
}

/// Asks the user's language model for the date of an item (row key), if it is not known otherwise.
async fn ask_model(context: &Context, key: i64, undated: Undated) -> Result<(), StoreError> {
    let Some(at) = ask_model::date(context, undated).await else { return Ok(()) };
    store(context, key, PageResult::Dated(at), None, TextWay::Best).await
}

/// The caller must hold the item's lock. `waited` means that another task held it before. A request by the
/// user waits until `late` at most.
pub(super) async fn fetch_now(
    context: &Arc<Context>,
    key: i64,
    trigger: Trigger,
    choice: Choice,
    waited: bool,
    late: Instant,
) -> Result<PageOutcome, StoreError> {
    let Some(state) = state(context, key, None).await? else {
        return Ok(PageOutcome::not_stored(TextGot::Gone));
    };
    let now = context.clock.now();
    match state.without_request(trigger, now, context) {
        Some(TextGot::Feed) => {
            store(context, key, PageResult::FeedWanted, None, TextWay::Feed).await?;
            return Ok(PageOutcome::stored(TextGot::Feed));
        }
        // The page failed before it turned out to be unnecessary, so its next fetch must be cancelled.
        Some(TextGot::InFeed) if state.page.as_ref().is_some_and(|p| p.next.is_some()) => {
            store(context, key, PageResult::Needless, None, TextWay::Best).await?;
            return Ok(PageOutcome::stored(TextGot::InFeed));
        }
        // The previous task may have stored a text that is not on the screen yet.
        Some(TextGot::Left) if waited => {
            return Ok(PageOutcome::stored(TextGot::Same(TextWay::Best)));
        }
        Some(got) => return Ok(PageOutcome::not_stored(got)),
        None => {}
    }
    let way = match trigger {
        Trigger::User(way) => way,
        // Extract it again in the same way as before.
        _ => state.page.as_ref().map_or(TextWay::Best, |p| p.way),
    };
    let page = match get(context, &state, key, trigger, late).await {
        Ok(Some(page)) => page,
        Ok(None) => {
            let next = state.refresh(now);
            store(context, key, PageResult::Unchanged, next, way).await?;
            return Ok(PageOutcome::stored(TextGot::Same(way)));
        }
        // Without a network, the failure shows nothing about the page, which can be requested again.
        Err(failure) if failure.offline => {
            return Ok(PageOutcome::not_stored(TextGot::Failed(failure.why)));
        }
        Err(failure) => return fail(context, &state, key, failure, way).await,
    };
    take(context, &state, key, page, way, choice).await
}

/// Extracts the text of an item (row key) from a response to a poll of its source, which may not be declared
/// yet, and stores it. With `renews`, a change marks the item unread again.
pub(in crate::engine) async fn take_response(
    context: &Arc<Context>,
    source: &Arc<Source>,
    key: i64,
    response: Response,
    renews: bool,
) -> Result<TextGot, StoreError> {
    let turn = context.pages.turn(key).lock_owned().await;
    let Some(mut state) = state(context, key, Some(source)).await? else {
        return Ok(TextGot::Gone);
    };
    state.renews = renews;
    let page = SavedPage::from(response);
    let got = take(context, &state, key, page, TextWay::Best, Choice::Automatic).await?;
    drop(turn);
    // The poll waits, because the command that started it may end right after the poll. After a failure, the
    // model is not asked for a while, so the poll waits for one request at most.
    ask_model(context, key, got.undated).await?;
    Ok(got.text)
}

/// Records that the page of an item (row key) was fetched but not used, so that it is not fetched again for
/// the same reason.
pub(in crate::engine) async fn unused(context: &Context, key: i64) -> Result<(), StoreError> {
    store(context, key, PageResult::Unused, None, TextWay::Best).await
}

/// Extracts a page and stores the result.
async fn take(
    context: &Arc<Context>,
    state: &StoredItemState,
    key: i64,
    page: SavedPage,
    way: TextWay,
    choice: Choice,
) -> Result<PageOutcome, StoreError> {
    if let Some(format) = data_file::format(&state.source, &page) {
        return data_file::take(context, state, key, page, format).await;
    }
    let was_file = state.before.as_ref().is_some_and(|before| before.from == TextFrom::File);
    if was_file && state.source.kind().reads_pages() {
        // The response is probably a login page, or a message that the file is gone.
        let why = "its URL returns a page instead of the data file".to_owned();
        return Ok(PageOutcome::not_stored(TextGot::Failed(why)));
    }
    let now = context.clock.now();
    let known = ReadContext {
        item: state.item.clone(),
        site: state.site.clone(),
        before: state.before.clone(),
        alone_before: state.alone_before.clone(),
        way_before: state.page.as_ref().map(|p| p.way),
        hash_before: state.page.as_ref().and_then(|p| p.page_hash),
        part: Part::of(&state.source.rules),
        from_page: state.source.kind().reads_pages(),
        watched: state.source.kind() == SourceKind::Page,
        renews: state.renews,
        model: context.settings().llm.endpoint.is_some(),
        way,
        chosen: choice != Choice::Automatic,
        elsewhere: state.is_elsewhere(),
        now,
    };
    // The timeout starts with the extraction, not while it waits for a thread.
    let bytes = page.body.len();
    let reading = context.begin(bytes, move || read(page, known)).await;
    let reading = reading.ok_or(StoreError::Closed)?;
    let read = match tokio::time::timeout(READING, reading).await {
        Ok(read) => read.unwrap_or(Err(NoText::Panicked)),
        Err(_) => {
            let failure = PageFailure::lasting("reading the page took too long".to_owned());
            let failure = PageFailure { passing: true, ..failure };
            return fail(context, state, key, failure, way).await;
        }
    };
    let (read, undated) = match read {
        Ok(read) => read,
        // The item already has a text: from its source's selectors, from an earlier poll, or from a different
        // way of extraction.
        Err(why)
            if choice == Choice::Trial
                || state.source.kind().reads_pages() && !state.is_linked_teaser() =>
        {
            return Ok(PageOutcome::not_stored(TextGot::Failed(why.to_string())));
        }
        Err(why) => {
            return fail(context, state, key, PageFailure::lasting(why.to_string()), way).await;
        }
    };
    let got = match &read.text {
        _ if read.keeps_feed => TextGot::Kept,
        PageText::New { from, changed, .. } => TextGot::Fetched { from: *from, changed: *changed },
        PageText::InFeed => TextGot::InFeed,
        PageText::Same => TextGot::Same(way),
    };
    let next = state.refresh(now);
    store(context, key, PageResult::Read(Box::new(read)), next, way).await?;
    Ok(PageOutcome { undated, ..PageOutcome::stored(got) })
}

/// The state of an item. Its source is `source`, or else the declared one.
pub(super) async fn state(
    context: &Arc<Context>,
    key: i64,
    source: Option<&Arc<Source>>,
) -> Result<Option<StoredItemState>, StoreError> {
    let (sources, given) = (context.clone(), source.cloned());
    let read = context.read(move |reader| {
        let (Some(row), Some(item)) = (reader.row(key)?, reader.item(key)?) else {
            return Ok(None);
        };
        let Some(source) = given.or_else(|| sources.source(row.source_key)) else {
            return Ok(None);
        };
        let home = reader.source(row.source_key)?.and_then(|facts| facts.home_url);
        Ok(Some(StoredItemState {
            renews: source.kind() == SourceKind::Page,
            item,
            date: row.date,
            source,
            home: home.and_then(|url| Url::parse(&url).ok()),
            page: reader.page(key)?,
            site: reader.site(row.source_key)?,
            before: reader.versions(key)?.into_iter().next(),
            alone_before: reader.page_text(key)?,
        }))
    });
    read.await
}

impl StoredItemState {
    /// When to fetch the page again automatically. `None` for pages of sites, which are polled instead.
    fn refresh(&self, now: Time) -> Option<Time> {
        let polled = self.source.kind().reads_pages();
        after_success(self.date, now).filter(|_| !polled)
    }

    /// Whether the page of the item is on a different site than its source.
    fn is_elsewhere(&self) -> bool {
        let page = self.item.url.as_deref().and_then(|u| Url::parse(u).ok());
        let own = [Some(&self.source.url), self.home.as_ref()];
        page.is_some_and(|page| !own.into_iter().flatten().any(|url| same_site(url, &page)))
    }

    /// The result if the page is not fetched.
    fn without_request(&self, trigger: Trigger, now: Time, context: &Context) -> Option<TextGot> {
        let setting = self.source.full_text.unwrap_or(context.settings().full_text);
        // A page is refreshed when it is due; in advance, only failed pages are retried.
        let is_early = |page: &PageState| {
            let rests = page.next.is_none_or(|at| at > now);
            rests || trigger == Trigger::Ahead && page.error.is_none()
        };
        match trigger {
            Trigger::User(TextWay::Feed) => Some(TextGot::Feed),
            Trigger::User(_) | Trigger::Listed => None,
            _ if setting == FullText::Never => Some(TextGot::Left),
            Trigger::Opened if self.is_linked_teaser() && self.page.is_none() => None,
            // The items were created from the pages.
            _ if self.source.kind().reads_pages() => Some(TextGot::Left),
            _ if self.page.as_ref().is_some_and(is_early) => Some(TextGot::Left),
            Trigger::Opened | Trigger::Ahead if self.has_full_text() => Some(TextGot::InFeed),
            _ => None,
        }
    }

    /// Whether the item is an entry of a page that contains only its beginning.
    fn is_linked_teaser(&self) -> bool {
        let is_entry = self.source.kind() == SourceKind::Entries && self.item.url.is_some();
        is_entry && crate::article::is_cut(&crate::util::html::to_text(self.item.feed_body()))
    }

    /// Whether the feed is known to contain full text, and the text of this item is neither cut nor damaged.
    fn has_full_text(&self) -> bool {
        let body = crate::util::html::to_text(self.item.feed_body());
        let is_bad = || crate::article::is_cut(&body) || super::read::has_lost_layout(&self.item);
        self.site.whole == Some(true) && !body.is_empty() && !is_bad()
    }
}

/// Why a page was not fetched.
pub(super) struct PageFailure {
    pub(super) why: String,
    /// Whether the failure may be temporary.
    passing: bool,
    /// Whether the failure shows nothing about the page, because there may be no network at all.
    offline: bool,
    /// When to retry, if the server stated a time.
    at: Option<Time>,
}

impl PageFailure {
    pub(super) fn lasting(why: String) -> Self {
        Self { why, passing: false, offline: false, at: None }
    }

    pub(super) fn late() -> Self {
        let why = format!("no response within {} s; try again", PATIENCE.as_secs());
        Self { passing: true, ..Self::lasting(why) }
    }
}

impl From<FetchError> for PageFailure {
    fn from(e: FetchError) -> Self {
        let (at, offline) = (e.retry_at(), e.is_offline() || e.is_local());
        let passing = e.kind() == ErrorKind::Transient || at.is_some();
        Self { why: text::line(&e.to_string()), passing, offline, at }
    }
}

/// The page, from memory if a user wants a different extraction; `None` if it has not changed.
pub(super) async fn get(
    context: &Arc<Context>,
    state: &StoredItemState,
    key: i64,
    trigger: Trigger,
    late: Instant,
) -> Result<Option<SavedPage>, PageFailure> {
    let now = context.clock.now();
    if let (Trigger::User(_), Some(page)) = (trigger, context.pages.saved(key, now)) {
        return Ok(Some(page));
    }
    let url = state.item.url.as_deref().and_then(|u| Url::parse(u).ok());
    let url = url.ok_or_else(|| PageFailure::lasting("this item has no URL".to_owned()))?;
    if let Some(until) = paused_until(context, &url, now).await {
        return Err(FetchError::Paused { host: net::host_key(&url), until }.into());
    }
    let request = fetch_page(context, state, url, trigger);
    if !trigger.is_waited_for() {
        return request.await;
    }
    let fetched = timeout_at(late, request).await;
    let page = fetched.unwrap_or_else(|_| Err(PageFailure::late()))?;
    if let Some(page) = &page {
        context.pages.save(key, now, page);
    }
    Ok(page)
}

/// Until when the host of a page is paused, according to polls of sources, possibly by another process or
/// before a restart.
pub(in crate::engine) async fn paused_until(
    context: &Arc<Context>,
    url: &Url,
    now: Time,
) -> Option<Time> {
    let paused = context.read(move |reader| reader.paused(now)).await.unwrap_or_else(|e| {
        tracing::error!("cannot read paused hosts: {e}");
        Vec::new()
    });
    let host = net::host_key(url);
    let of_host = |address: &str| Url::parse(address).is_ok_and(|u| net::host_key(&u) == host);
    let binding = paused.into_iter().filter(|(at, pause)| pause.reason.is_of_host() && of_host(at));
    binding.map(|(_, pause)| pause.until).max()
}

/// Fetches the page; `None` if it has not changed.
async fn fetch_page(
    context: &Arc<Context>,
    state: &StoredItemState,
    url: Url,
    trigger: Trigger,
) -> Result<Option<SavedPage>, PageFailure> {
    let source = &state.source;
    let again = matches!(trigger, Trigger::Again | Trigger::Opened);
    let known = state.page.as_ref().filter(|p| again && p.page_hash.is_some());
    let of = known.and_then(|p| p.validators_of.as_deref()).and_then(|u| Url::parse(u).ok());
    let request = Request {
        declared: Some(source.url.clone()),
        validators: known.map_or_else(Validators::default, |p| p.validators.clone()),
        validators_of: of,
        access: source.access.clone(),
        allow_private: net::allows_private(source),
        spacing: source.rules.pages().and_then(|r| r.delay),
        ..Request::page(url)
    };
    let response = context.client.fetch(request).await?;
    if matches!(response.status, 403 | 429 | 503)
        && let Err(e) = pause_host(context, None, &response.final_url).await
    {
        tracing::error!("cannot pause a host: {e}");
    }
    if response.status == 304 {
        return Ok(None);
    }
    if !response.is_success() {
        return Err(refusal(context, &response));
    }
    let page = SavedPage::from(response);
    if !is_page(page.content_type.as_deref()) && data_file::format(source, &page).is_none() {
        let named = text::line(page.content_type.as_deref().unwrap_or_default());
        return Err(PageFailure::lasting(format!("its URL returns {named}, which is not a page")));
    }
    Ok(Some(page))
}

fn refusal(context: &Context, response: &Response) -> PageFailure {
    let (kind, why) = response.refusal();
    let passing = matches!(kind, ErrorKind::Transient | ErrorKind::Politeness);
    let at = context.client.paused_until(&response.final_url);
    PageFailure { why, passing, offline: false, at }
}

pub(super) async fn fail(
    context: &Arc<Context>,
    state: &StoredItemState,
    key: i64,
    failure: PageFailure,
    way: TextWay,
) -> Result<PageOutcome, StoreError> {
    let tries = state.page.as_ref().map_or(0, |p| p.tries) + 1;
    let now = context.clock.now();
    let later = after_failure(tries, now).filter(|_| failure.passing);
    let next = later.map(|at| failure.at.map_or(at, |said| said.max(at)));
    let end = PageResult::Failed(failure.why.clone());
    store(context, key, end, next, way).await?;
    Ok(PageOutcome::stored(TextGot::Failed(failure.why)))
}

pub(super) async fn store(
    context: &Context,
    key: i64,
    end: PageResult,
    next: Option<Time>,
    way: TextWay,
) -> Result<(), StoreError> {
    let at = context.clock.now();
    context.store.store_fetched(FetchedPage { item: key, at, end, next, way }).await?;
    Ok(())
}
