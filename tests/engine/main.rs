//! Tests of the engine with real HTTP on loopback, a real database, and a clock that advances only when a
//! test sets it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

mod access;
mod accounts;
mod clocks;
mod crawled_files;
mod crawls;
mod datasets;
mod discovery;
mod embedded;
mod entries;
mod errors;
mod everyday;
mod follow;
mod forums;
#[cfg(target_os = "linux")]
mod full;
mod fulltext;
mod honest;
mod hosts;
mod items;
mod kinds;
mod lifecycle;
mod listening;
mod lists;
mod llm;
mod manners;
mod month;
mod moves;
mod pages;
mod pauses;
mod pictures;
mod private;
mod replanning;
mod rules;
mod signals;
mod statistics;
mod tour;
mod unfinished;
mod validators;
mod watching;
mod websites;
mod workbench;
mod zones;

use newsfed::config::{
    NetSettings, Paths, ScheduleSettings, Settings, SourceChange, SourcesFile, load,
};
use newsfed::demo::server::{Reply, ScriptedRequest, Server};
use newsfed::engine::{Engine, Handle, Pace, Refreshed, Status};
use newsfed::model::{
    Item, Outcome, PauseReason, PolicyKind, PollRecord, Source, SourceFacts, SourceId, Time,
};
use newsfed::net::Names;
use newsfed::store::{Anchor, PollFilter, Scope, Store, View};
use newsfed::util::clock::{Clock, FakeClock};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// Folders, settings and a clock that persist when engines are restarted.
struct Home {
    dir: tempfile::TempDir,
    settings: Settings,
    clock: FakeClock,
    names: Names,
}

impl Home {
    /// A home directory with a fixed polling interval, and without a delay between requests to the same host.
    fn new() -> Self {
        let net = NetSettings { host_delay: Duration::ZERO, ..NetSettings::default() };
        let schedule =
            ScheduleSettings { policy: PolicyKind::Fixed, ..ScheduleSettings::default() };
        Self {
            dir: tempfile::tempdir().unwrap(),
            settings: Settings { net, schedule, ..Settings::default() },
            clock: FakeClock::new(Time::from_timestamp(1_800_000_000, 0).unwrap()),
            names: Names::System,
        }
    }

    fn with(sources: &[Source]) -> Self {
        let home = Self::new();
        home.declare(sources);
        home
    }

    fn paths(&self) -> Paths {
        Paths::below(self.dir.path())
    }

    fn file(&self) -> SourcesFile {
        SourcesFile::open(&self.paths())
    }

    fn declare(&self, sources: &[Source]) {
        self.file().add(sources).unwrap();
    }

    fn store(&self) -> Store {
        std::fs::create_dir_all(self.paths().data_dir()).unwrap();
        Store::open(&self.paths().database()).unwrap()
    }

    /// Starts an engine that polls only on request.
    async fn on_demand(&self) -> Handle {
        self.start(false).await
    }

    /// Starts an engine that polls due sources automatically.
    async fn following(&self) -> Handle {
        self.start(true).await
    }

    async fn start(&self, follow: bool) -> Handle {
        self.engine(follow).start().await.unwrap()
    }

    fn engine(&self, follow: bool) -> Engine {
        Engine {
            store: self.store(),
            settings: self.settings.clone(),
            sources: load(&self.paths(), &[]).unwrap().sources,
            paths: self.paths(),
            overrides: Vec::new(),
            clock: Arc::new(self.clock.clone()),
            names: self.names.clone(),
            seed: 7,
            follow,
        }
    }
}

/// A feed source.
fn source(id: &str, url: &str) -> Source {
    Source::feed(SourceId(id.to_owned()), url.parse().unwrap())
}

/// Polls all sources; returns the result of each.
async fn sync(engine: &Handle, pace: Pace) -> BTreeMap<String, Refreshed> {
    let mut reports = engine.refresh(None, pace).await;
    let mut all = BTreeMap::new();
    while let Some(report) = soon(reports.recv()).await {
        all.insert(report.source.0, report.result);
    }
    all
}

/// Polls the only source; returns the result.
async fn sync_one(engine: &Handle, pace: Pace) -> Refreshed {
    let all = sync(engine, pace).await;
    assert_eq!(all.len(), 1, "{all:?}");
    all.into_values().next().unwrap()
}

fn fetched(new: u32, updated: u32, entries: u32) -> Refreshed {
    Refreshed::Polled(Outcome::Fetched { new, updated, entries })
}

const UNCHANGED: Refreshed = Refreshed::Polled(Outcome::Unchanged);

/// The reason why a source was skipped, and for how many more minutes it is paused.
fn left(refreshed: &Refreshed, now: Time) -> Option<(PauseReason, i64)> {
    match refreshed {
        Refreshed::Skipped(pause) => Some((pause.reason, (pause.until - now).num_minutes())),
        _ => None,
    }
}

fn failure(refreshed: &Refreshed) -> Option<&str> {
    match refreshed {
        Refreshed::Polled(Outcome::Failed { message, .. }) => Some(message),
        _ => None,
    }
}

/// Panics with the caller's location if a future does not complete soon.
#[track_caller]
fn soon<T>(wait: impl Future<Output = T>) -> impl Future<Output = T> {
    let place = std::panic::Location::caller();
    async move {
        let waited = tokio::time::timeout(MINUTE, wait).await;
        waited.unwrap_or_else(|_| panic!("timed out at {place}"))
    }
}

/// Waits until the server has received this many requests.
#[track_caller]
fn received(server: &Server, count: usize) -> impl Future<Output = ()> {
    soon(server.received(count))
}

/// Waits until no poll is running and the next poll is planned.
async fn settled(engine: &Handle) -> Status {
    let mut status = engine.status();
    let idle = |s: &Status| s.total == 0 && s.next.is_some();
    soon(status.wait_for(idle)).await.unwrap().clone()
}

/// Makes the engine plan again, as after a change, and waits until it has done so.
async fn replanned(engine: &Handle) {
    engine.reload().await.unwrap();
    // Commands are processed in order, and this command completes immediately.
    assert_eq!(engine.refresh(Some(Vec::new()), Pace::Due).await.recv().await, None);
    settled(engine).await;
}

async fn facts(engine: &Handle, id: &str) -> SourceFacts {
    let all = engine.sources().await.unwrap();
    all.into_iter().find(|(s, _)| s.id.0 == id).map(|(_, facts)| facts).unwrap()
}

/// Explains when a source is polled.
async fn why(engine: &Handle, id: &str, home: &Home) -> newsfed::engine::Why {
    let all = engine.sources().await.unwrap();
    let (source, facts) = all.into_iter().find(|(s, _)| s.id.0 == id).unwrap();
    let reader = engine.store().reader().unwrap();
    let schedule = &home.settings.schedule;
    newsfed::engine::why(&reader, &source, &facts, schedule, home.clock.now()).unwrap()
}

/// All items, newest first.
fn items(engine: &Handle) -> Vec<Item> {
    let reader = engine.store().reader().unwrap();
    let window = reader.window(&View::of(Scope::All), Anchor::First, 10_000).unwrap();
    window.rows.iter().map(|row| reader.item(row.key).unwrap().unwrap()).collect()
}

fn titles(engine: &Handle) -> Vec<String> {
    items(engine).into_iter().map(|i| i.title).collect()
}

fn polls(engine: &Handle) -> Vec<PollRecord> {
    let polls = engine.store().reader().unwrap().polls(PollFilter::default(), 1000).unwrap();
    polls.into_iter().map(|(_, poll)| poll).collect()
}

/// An RSS document with these items (guid and title).
fn rss(items: &[(&str, &str)]) -> String {
    rss_with("", items)
}

/// Like [`rss`], with additional channel elements.
fn rss_with(channel: &str, items: &[(&str, &str)]) -> String {
    let items = items.iter().map(|(guid, title)| {
        format!("<item><guid isPermaLink=\"false\">{guid}</guid><title>{title}</title></item>")
    });
    let items: String = items.collect();
    format!("<rss version=\"2.0\"><channel><title>Feed</title>{channel}{items}</channel></rss>")
}

fn feed(items: &[(&str, &str)]) -> Reply {
    Reply::ok("application/rss+xml", rss(items))
}

fn paths_requested(server: &Server) -> Vec<String> {
    server.requests().into_iter().map(|r| r.path).collect()
}

fn is_conditional(request: &ScriptedRequest) -> bool {
    request.header("if-none-match").or(request.header("if-modified-since")).is_some()
}

/// Loopback addresses, starting with 127.0.1.1.
fn hosts(count: u8) -> Vec<IpAddr> {
    (1..=count).map(|n| IpAddr::V4(Ipv4Addr::new(127, 0, 1, n))).collect()
}
