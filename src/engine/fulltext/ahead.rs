//! Many pages: those that the settings want ahead, and those to be looked at again. They wait while
//! sources are being looked at, and a host is asked for one at a time.

use super::{TextGot, Wish, fetch, may_be_asked};
use crate::engine::context::Context;
use crate::engine::message::{Role, Status};
use crate::model::{FullText, QuietHours, Source, Time};
use crate::net::host_key;
use crate::schedule;
use crate::store::{Ahead, Result, Wanted};
use chrono::TimeDelta;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use url::Url;

/// Hosts that are asked for pages at once.
const HOSTS: usize = 4;
/// Pages taken on before looking whether something is more urgent.
const BATCH: usize = 16;
/// Without a commit, so that a refresh is over.
const SETTLE: Duration = Duration::from_millis(500);
/// After a batch of which nothing could be stored.
const REST: TimeDelta = TimeDelta::minutes(5);

/// Asks for pages by itself, for as long as the engine runs.
pub(crate) async fn follow(context: &Arc<Context>, mut status: watch::Receiver<Status>) {
    let mut revision = context.store.revision();
    let mut declared = context.declared();
    loop {
        let free = |s: &Status| s.role == Role::Follows && s.total == 0 && !s.offline;
        if status.wait_for(free).await.is_err() {
            return;
        }
        revision.mark_unchanged();
        declared.mark_unchanged();
        let now = context.clock.now();
        let (pages, mut wake) = match quiet_until(context, now) {
            Some(end) => (Vec::new(), Some(end)),
            None => plan(context, now).await,
        };
        if !pages.is_empty() {
            let mut stored = 0;
            let run = Run::new(context, pages, &[Wish::Ahead, Wish::Again]);
            let work = run.finish(|_, got| stored += usize::from(is_stored(&got)));
            tokio::select! {
                () = work => {}
                // Looks come first; what was under way is asked for again later.
                _ = status.wait_for(|s| !free(s)) => continue,
            }
            if stored > 0 {
                continue;
            }
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

/// When the hours end in which nothing is asked for by itself.
fn quiet_until(context: &Context, now: Time) -> Option<Time> {
    let hours = context.settings().schedule.quiet_hours.as_deref().and_then(QuietHours::parse)?;
    schedule::quiet_until(hours, context.east(), now)
}

/// The next pages, and when to look for more.
async fn plan(context: &Arc<Context>, now: Time) -> (Vec<Wanted>, Option<Time>) {
    let wants = wants(context);
    let found =
        context.read(move |reader| Ok((reader.ahead(&wants, now, BATCH)?, reader.next_page(now)?)));
    found.await.unwrap_or_else(|e| {
        tracing::warn!("planning pages: {e}");
        (Vec::new(), Some(now + REST))
    })
}

fn is_stored(got: &Result<TextGot>) -> bool {
    match got {
        Ok(TextGot::Left | TextGot::Gone) => false,
        Ok(_) => true,
        Err(e) => {
            tracing::warn!("a page was not stored: {e}");
            false
        }
    }
}

/// What the settings want ahead.
fn wants(context: &Context) -> Ahead {
    let mut wants = Ahead { again: not_never(context), ..Ahead::default() };
    for key in context.keys() {
        let Some(source) = context.source(key).filter(|s| s.enabled) else { continue };
        let setting = setting(context, &source);
        if may_be_asked(setting, source.kind) {
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

/// Row keys of the sources whose pages may be asked for at all.
pub(super) fn not_never(context: &Context) -> Vec<i64> {
    let may = |key: &i64| {
        let source = context.source(*key);
        source.is_some_and(|s| s.enabled && may_be_asked(setting(context, &s), s.kind))
    };
    context.keys().into_iter().filter(may).collect()
}

fn setting(context: &Context, source: &Source) -> FullText {
    source.full_text.unwrap_or(context.settings().full_text)
}

/// Pages by host.
pub(super) struct Run<'a> {
    context: &'a Arc<Context>,
    hosts: VecDeque<VecDeque<i64>>,
    /// Why they are asked for: where the first reason gives no request, the next one counts.
    wishes: &'static [Wish],
}

impl<'a> Run<'a> {
    /// Pages in their order, host by host.
    pub(super) fn new(
        context: &'a Arc<Context>,
        pages: Vec<Wanted>,
        wishes: &'static [Wish],
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
        Self { context, hosts, wishes }
    }

    /// Fetches all of them and tells of each. Dropping the future stops; what was stored stays.
    pub(super) async fn finish(mut self, mut tell: impl FnMut(i64, Result<TextGot>)) {
        let mut tasks: JoinSet<(i64, Result<TextGot>, VecDeque<i64>)> = JoinSet::new();
        loop {
            while tasks.len() < HOSTS
                && let Some(host) = self.hosts.pop_front()
            {
                self.start(&mut tasks, host);
            }
            match tasks.join_next().await {
                None => return,
                Some(Ok((key, got, rest))) => {
                    tell(key, got);
                    self.start(&mut tasks, rest);
                }
                Some(Err(e)) => tracing::error!("a request for a page ended badly: {e}"),
            }
        }
    }

    /// The next page of a host.
    fn start(
        &self,
        tasks: &mut JoinSet<(i64, Result<TextGot>, VecDeque<i64>)>,
        mut host: VecDeque<i64>,
    ) {
        let Some(key) = host.pop_front() else { return };
        let (context, wishes) = (self.context.clone(), self.wishes);
        tasks.spawn(async move {
            let mut got = Ok(TextGot::Left);
            for wish in wishes {
                got = fetch::fetch(&context, key, *wish).await;
                if !matches!(got, Ok(TextGot::Left)) {
                    break;
                }
            }
            (key, got, host)
        });
    }
}
