//! The demo at a fixed time: its sources are polled one by one at fixed times, and the interface is shown a
//! few minutes later.

use anyhow::{Context, Result};
use chrono::TimeDelta;
use newsfed::config::{KeyMap, Settings, load};
use newsfed::demo::{PreparedDemo, prepare};
use newsfed::engine::{Engine, Handle, Pace};
use newsfed::model::Time;
use newsfed::store::{Anchor, Mark, Scope, Store, View};
use newsfed::tui::{Interface, TerminalQuery};
use newsfed::util::clock::{Clock, Sleep, SystemClock};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The argument that makes the process in the pseudo-terminal show the interface.
pub(crate) const ARGUMENT: &str = "--stage";

/// Settings with long poll intervals, so that no source is polled while a picture is taken.
const OVERRIDES: &[&str] = &[
    "schedule.interval=1h",
    "schedule.min_interval=30m",
    "schedule.usual_min_interval=30m",
    "net.feed_timeout=1s",
];

/// A Saturday at noon.
pub(crate) const START: &str = "2026-11-21T12:00:00Z";
/// Time from the start until the poll that finds the correction of an article.
const CORRECTION: TimeDelta = TimeDelta::seconds(25);
/// Time from the start until the interface is shown, at least half a minute away from any change of a
/// displayed age.
const SHOWN: TimeDelta = TimeDelta::seconds(330);

/// A clock that runs at the usual speed from a set time.
struct StageClock {
    from: Mutex<(Time, Instant)>,
}

impl StageClock {
    fn set(&self, to: Time) {
        *self.from.lock().unwrap_or_else(PoisonError::into_inner) = (to, Instant::now());
    }
}

impl Clock for StageClock {
    fn now(&self) -> Time {
        let (time, since) = *self.from.lock().unwrap_or_else(PoisonError::into_inner);
        time + since.elapsed()
    }

    fn sleep_until(&self, at: Time) -> Sleep<'_> {
        let left = at - self.now();
        Box::pin(async move { SystemClock.sleep_until(SystemClock.now() + left).await })
    }
}

/// Runs the interface in a theme until it is closed.
pub(crate) fn run(theme: &str) -> Result<()> {
    let start: Time = START.parse()?;
    let clock = Arc::new(StageClock { from: Mutex::new((start, Instant::now())) });
    let prepared = prepare(clock.clone(), "")?;
    let theme = format!("ui.theme={theme}");
    let overrides: Vec<String> = OVERRIDES.iter().map(|&o| o.to_owned()).chain([theme]).collect();
    let settings = load(&prepared.paths, &overrides)?.settings;
    let terminal = TerminalQuery::start(&settings);
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let engine = |follow| engine(&prepared, &settings, &overrides, clock.clone(), follow);
        fill(engine(false)?, &clock, start).await?;
        clock.set(start + SHOWN);
        let handle = engine(true)?.start().await?;
        let keymap = KeyMap::load(&settings.keys)?;
        let (settings, paths) = (settings.clone(), prepared.paths.clone());
        let message = None;
        newsfed::tui::run(Interface {
            handle,
            held: None,
            settings,
            paths,
            keymap,
            terminal,
            message,
        })
        .await?;
        Ok(())
    })
}

fn engine(
    prepared: &PreparedDemo,
    settings: &Settings,
    overrides: &[String],
    clock: Arc<StageClock>,
    follow: bool,
) -> Result<Engine> {
    Ok(Engine {
        store: Store::open(&prepared.paths.database())?,
        settings: settings.clone(),
        sources: prepared.world.sources(),
        paths: prepared.paths.clone(),
        overrides: overrides.to_vec(),
        clock,
        names: Default::default(),
        seed: 1,
        follow,
    })
}

/// Polls all sources, opens the article that will be corrected, and polls its source again after the
/// correction.
async fn fill(engine: Engine, clock: &StageClock, start: Time) -> Result<()> {
    let handle = engine.start().await?;
    let sources = handle.sources().await?;
    for (_, facts) in &sources {
        clock.set(start);
        poll(&handle, facts.key).await;
    }
    let window = handle.store().reader()?.window(&View::of(Scope::All), Anchor::First, 100)?;
    let read = |title: &str| window.rows.iter().find(|row| row.title.contains(title));
    let library = read("Main library").context("no article is corrected")?;
    handle.mark(Mark::Read, vec![library.key], true).await?;
    let source = sources.iter().find(|(_, facts)| facts.key == library.source_key);
    clock.set(start + CORRECTION);
    poll(&handle, source.context("no source")?.1.key).await;
    while handle.store().index_step().await?.is_some() {}
    handle.shutdown().await;
    Ok(())
}

async fn poll(handle: &Handle, key: i64) {
    let mut reports = handle.refresh(Some(vec![key]), Pace::Manual).await;
    while reports.recv().await.is_some() {}
}
