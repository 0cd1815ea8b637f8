//! Fetches many pages: those required in advance by the settings, and those due for a refresh. No fetch is
//! started while sources are being polled, and each host gets one request at a time.

use super::fetch::PageOutcome;
use super::{TextGot, Trigger, fetch, may_fetch};
use crate::engine::context::Context;
use crate::engine::message::{ProcessRole, Status};
use crate::model::{FullText, QuietHours, Source, Time};
use crate::net::host_key;
use crate::schedule;
use crate::store::{Ahead, Result, WantedPage};
use chrono::TimeDelta;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use url::Url;

/// Number of hosts to fetch from in parallel.
const HOSTS: usize = 4;
/// Number of pages to fetch before checking for more urgent ones.
const BATCH: usize = 16;
/// Time without a commit after which a refresh is considered finished.
const SETTLE: Duration = Duration::from_millis(500);
/// Pause after a batch that could not be stored.
const REST: TimeDelta = TimeDelta::minutes(5);

/// Fetches pages in the background while the engine runs.
pub(crate) async fn follow(context: &Arc<Context>, mut status: watch::Receiver<Status>) {
    let mut revision = context.store.revision();
    let mut declared = context.declared();
    // Pages that could not be stored; the others are fetched first.
    let mut left = HashSet::new();
    let free = |s: &Status| s.role == ProcessRole::Follows && s.total == 0 && !s.offline;
    let polls = status.clone();
    // Polls have priority, but running requests are finished.
    let goes_on = || free(&polls.borrow());
    loop {
        if status.wait_for(free).await.is_err() {
            return;
        }
        revision.mark_unchanged();
        declared.mark_unchanged();
        let now = context.clock.now();
        let (pages, mut wake) = match quiet_until(context, now) {
            Some(end) => (Vec::new(), Some(end)),
            None => plan(context, &left, now).await,
        };
        if !pages.is_empty() {
            let mut stored = 0;
            let run = Run::new(context, pages, &[Trigger::Ahead, Trigger::Again]);
            let report = |key, got| {
                if is_stored(&got) {
                    stored += 1;
                } else {
                    left.insert(key);
                }
            };
            run.finish(&goes_on, report).await;
            if stored > 0 || !goes_on() {
                continue;
            }
            wake = Some(now + REST);
        } else if !left.is_empty() {
            left.clear();
            wake = Some(now + REST);
        }
        let alarm = async {
            match wake {
                Some(at) => context.clock.sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            changed = revision.changed() => if changed.is_err() { return },
            changed = declared.changed() => if changed.is_err() { return },
            () = alarm => {}
        }
        while let Ok(Ok(())) = tokio::time::timeout(SETTLE, revision.changed()).await {}
    }
}

/// The end of the current quiet hours, which allow no automatic requests.
fn quiet_until(context: &Context, now: Time) -> Option<Time> {
    let hours = context.settings().schedule.quiet_hours.as_deref().and_then(QuietHours::parse)?;
    schedule::quiet_until(hours, context.machine().east, now)
}

/// The next pages to fetch, and when to check for more.
async fn plan(
    context: &Arc<Context>,
    left: &HashSet<i64>,
    now: Time,
) -> (Vec<WantedPage>, Option<Time>) {
    let (wants, limit) = (wants(context), BATCH + left.len());
    let found =
        context.read(move |reader| Ok((reader.ahead(&wants, now, limit)?, reader.next_page(now)?)));
    let (mut pages, wake) = found.await.unwrap_or_else(|e| {
        tracing::warn!("cannot plan page requests: {e}");
        (Vec::new(), Some(now + REST))
    });
    pages.retain(|page| !left.contains(&page.item));
    (pages, wake)
}

/// Whether the result is stored, so that the page is not planned again immediately.
fn is_stored(got: &Result<PageOutcome>) -> bool {
    match got {
        Ok(got) => got.stored,
        Err(e) => {
            tracing::warn!("cannot store a page: {e}");
            false
        }
    }
}

/// The sources whose settings require full text in advance.
fn wants(context: &Context) -> Ahead {
    let mut wants = Ahead { again: not_never(context), ..Ahead::default() };
    for key in context.keys() {
        let Some(source) = context.source(key).filter(|s| s.enabled) else { continue };
        let setting = setting(context, &source);
        if may_fetch(setting, source.kind()) {
            if setting.is_ahead(true) {
                wants.pinned.push(key);
            }
            if setting.is_ahead(false) {
                wants.all.push(key);
            }
        }
    }
    wants
}

/// Row keys of the sources whose pages may be fetched.
pub(super) fn not_never(context: &Context) -> Vec<i64> {
    let may = |key: &i64| {
        let source = context.source(*key);
        source.is_some_and(|s| s.enabled && may_fetch(setting(context, &s), s.kind()))
    };
    context.keys().into_iter().filter(may).collect()
}

fn setting(context: &Context, source: &Source) -> FullText {
    source.full_text.unwrap_or(context.settings().full_text)
}

/// Pages to fetch, grouped by host.
pub(super) struct Run<'a> {
    context: &'a Arc<Context>,
    hosts: VecDeque<VecDeque<i64>>,
    /// Reasons for fetching, tried in order until one leads to a request.
    triggers: &'static [Trigger],
}

impl<'a> Run<'a> {
    /// Groups pages by host, in their order.
    pub(super) fn new(
        context: &'a Arc<Context>,
        pages: Vec<WantedPage>,
        triggers: &'static [Trigger],
    ) -> Self {
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut hosts: VecDeque<VecDeque<i64>> = VecDeque::new();
        for page in pages {
            let host = Url::parse(&page.url).map(|u| host_key(&u)).unwrap_or_default();
            let place = *places.entry(host).or_insert(hosts.len());
            if place == hosts.len() {
                hosts.push_back(VecDeque::new());
            }
            hosts[place].push_back(page.item);
        }
        Self { context, hosts, triggers }
    }

    /// Fetches all pages and reports each. Starts no further fetches once `goes_on` returns false. Dropping
    /// the future stops the fetches; stored pages are kept.
    pub(super) async fn finish(
        mut self,
        goes_on: &(dyn Fn() -> bool + Sync),
        mut report: impl FnMut(i64, Result<PageOutcome>),
    ) {
        let mut tasks: JoinSet<(i64, Result<PageOutcome>, VecDeque<i64>)> = JoinSet::new();
        loop {
            while goes_on()
                && tasks.len() < HOSTS
                && let Some(host) = self.hosts.pop_front()
            {
                self.start(&mut tasks, host);
            }
            match tasks.join_next().await {
                None => return,
                Some(Ok((key, got, rest))) => {
                    report(key, got);
                    if goes_on() {
                        self.start(&mut tasks, rest);
                    }
                }
                Some(Err(e)) => tracing::error!("a page request panicked: {e}"),
            }
        }
    }

    /// Starts the next page of a host.
    fn start(
        &self,
        tasks: &mut JoinSet<(i64, Result<PageOutcome>, VecDeque<i64>)>,
        mut host: VecDeque<i64>,
    ) {
        let Some(key) = host.pop_front() else { return };
        let (context, triggers) = (self.context.clone(), self.triggers);
        tasks.spawn(async move {
            let mut got = Ok(PageOutcome::not_stored(TextGot::Left));
            for trigger in triggers {
                got = fetch::fetch(&context, key, *trigger).await;
                if !matches!(&got, Ok(got) if got.text == TextGot::Left) {
                    break;
                }
            }
            (key, got, host)
        });
    }
}
