//! Fills a database of any size, for benchmarks: sources in folders, items with realistic lengths.
//!
//! `cargo run --release --example fill -- --sources 1000 --items 1000000 --data-dir DIR`
//!
//! The text depends only on the seed. The newest items are dated now. No source is due for a month.

mod prose;

use anyhow::{Context, Result, bail};
use chrono::{TimeDelta, Utc};
use clap::Parser;
use newsfed::config::{self, Paths};
use newsfed::model::{Entry, Outcome, PollRecord, SourceFacts, Time};
use newsfed::store::{FinishedPoll, Prepared, Store, prepare};
use prose::Prose;
use std::fmt::Write;
use std::path::PathBuf;
use tokio::task::JoinSet;

#[derive(Parser)]
struct Args {
    /// Sources to declare
    #[arg(long, default_value_t = 1000)]
    sources: usize,
    /// Items to store, spread evenly over the sources
    #[arg(long, default_value_t = 100_000)]
    items: usize,
    /// Folder of the new database
    #[arg(long)]
    data_dir: PathBuf,
    /// Folder of sources.toml [default: DATA_DIR/config]
    #[arg(long)]
    config_dir: Option<PathBuf>,
    /// The same seed gives the same text
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Leave indexing the texts to newsfed
    #[arg(long)]
    no_index: bool,
}

/// Number of new items per source per poll.
const PER_POLL: usize = 20;
/// Seconds between two polls. The dates of the new items are spread over this time.
const BETWEEN: i64 = 7 * 24 * 3600;
/// Number of sources per folder.
const PER_FOLDER: usize = 25;
/// One item in this many is pinned.
const PINNED: usize = 5000;
/// One item in this many is unread.
const UNREAD: u64 = 4;

#[tokio::main]
async fn main() -> Result<()> {
    let args = Args::parse();
    let config_dir = args.config_dir.clone().unwrap_or_else(|| args.data_dir.join("config"));
    let paths = Paths::resolve(Some(config_dir), Some(args.data_dir.clone()))?;
    if paths.database().exists() {
        bail!("{} already exists", paths.database().display());
    }
    if args.sources == 0 {
        bail!("at least one source is needed");
    }
    let mut prose = Prose::new(args.seed);
    declare(&paths, args.sources, &mut prose)?;
    let declared = config::load(&paths, &[])?.sources;
    let store = Store::open(&paths.database())?;
    let facts = store.reconcile(declared, Utc::now()).await?;
    fill(&store, &facts, &args, &mut prose).await?;
    mark(&store, args.items, &mut prose).await?;
    while !args.no_index && store.index_step().await?.is_some() {}
    store.close();
    Ok(())
}

fn declare(paths: &Paths, sources: usize, prose: &mut Prose) -> Result<()> {
    let mut text = String::new();
    for n in 0..sources {
        let (title, folder) = (prose.title(), n / PER_FOLDER);
        // Port 9 of this machine, where nothing listens.
        writeln!(
            text,
            "[[source]]\nurl = \"http://127.0.0.1:9/{n}.xml\"\ntitle = \"{title}\"\n\
             folder = \"Folder {folder}\"\n"
        )?;
    }
    std::fs::create_dir_all(paths.config_dir())?;
    let file = paths.sources_file();
    std::fs::write(&file, text).with_context(|| file.display().to_string())
}

/// Stores items in rounds over all sources, as polls would.
async fn fill(store: &Store, facts: &[SourceFacts], args: &Args, prose: &mut Prose) -> Result<()> {
    let per_source = args.items.div_ceil(facts.len());
    let rounds = per_source.div_ceil(PER_POLL);
    let hashing = store.hashing().await?;
    let (now, mut left, mut under_way) = (Utc::now(), args.items, JoinSet::new());
    for round in 0..rounds {
        let ago = TimeDelta::seconds(BETWEEN * i64::try_from(rounds - 1 - round)?);
        for source in facts {
            let count = left.min(PER_POLL).min(per_source - round * PER_POLL);
            left -= count;
            let entries = (0..count).map(|n| entry(prose, now - ago, source.key, round, n));
            let entries = prepare(entries.collect(), &hashing);
            let poll = poll(source.key, entries, now - ago);
            let store = store.clone();
            under_way.spawn(async move { store.store_poll(poll).await });
            // At most as many polls run at once as can share one transaction.
            if under_way.len() >= 64
                && let Some(ended) = under_way.join_next().await
            {
                ended??;
            }
        }
    }
    while let Some(ended) = under_way.join_next().await {
        ended??;
    }
    Ok(())
}

fn poll(source: i64, entries: Vec<Prepared>, at: Time) -> FinishedPoll {
    FinishedPoll {
        pages: None,
        source,
        automatic: true,
        entries: Some(entries),
        record: PollRecord {
            at,
            status: Some(200),
            millis: 120,
            requests: 1,
            bytes: 20_000,
            outcome: Outcome::Unchanged,
            repairs: Vec::new(),
            left_out: Vec::new(),
        },
        finish: Box::new(move |facts, _| {
            facts.last_poll = Some(at);
            facts.last_ok = Some(at);
            facts.next_poll = Some(Utc::now() + TimeDelta::days(30));
        }),
    }
}

fn entry(prose: &mut Prose, at: Time, source: i64, round: usize, n: usize) -> Entry {
    let seconds = i64::try_from(prose.below(BETWEEN.unsigned_abs())).unwrap_or_default();
    Entry {
        guid: Some(format!("{source}-{round}-{n}")),
        title: prose.title(),
        url: Some(format!("https://site{source}.example/{round}/{n}")),
        authors: vec![format!("Author {}", source % 300)],
        published: Some(at - TimeDelta::seconds(seconds)),
        content: Some(prose.body()),
        ..Entry::default()
    }
}

/// Marks most items as read, and pins a few.
async fn mark(store: &Store, items: usize, prose: &mut Prose) -> Result<()> {
    use newsfed::store::Mark;
    let keys = 1..=i64::try_from(items)?;
    let read: Vec<i64> = keys.clone().filter(|_| prose.below(UNREAD) > 0).collect();
    for some in read.chunks(10_000) {
        store.mark(Mark::Read, some.to_vec(), true).await?;
    }
    store.mark(Mark::Pinned, keys.step_by(PINNED).collect(), true).await?;
    Ok(())
}
