//! `newsfed prefetch`: fetches the pages of pinned and unread items, for reading offline.

use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::items;
use super::log;
use super::number::whole;
use super::output::Output;
use super::progress::Progress;
use super::runtime::{asked_to_stop, runtime_beside};
use crate::engine::{Handle, MarkedItems, PrefetchPlan, TextGot};
use crate::model::SourceId;
use crate::store::{StoreError, WantedPage};
use crate::util::text::{counted, size};
use serde::Serialize;
use tokio::sync::mpsc::UnboundedReceiver;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct PrefetchArgs {
    /// Fetch the pages of these items now, even if they were fetched before
    #[arg(value_name = "ID", conflicts_with_all = ["pinned", "unread", "dry_run"])]
    ids: Vec<String>,
    /// Only the pages of pinned items
    #[arg(long, conflicts_with = "unread")]
    pinned: bool,
    /// Only the pages of unread items
    #[arg(long)]
    unread: bool,
    /// Maximum number of pages, newest first
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = whole(0_usize..))]
    limit: usize,
    /// Only print the number of pages and their estimated size
    #[arg(long)]
    dry_run: bool,
}

const EXAMPLES: &str = "\
Without ID, pages that were fetched before are skipped, so an interrupted run
can be repeated. Sources with full_text = \"never\" and feeds with full
articles are skipped, too. The size is estimated from earlier pages.
Exits with 3 if text was found on only some pages, and with 1 if on none.

Examples:
  newsfed prefetch --dry-run
  newsfed prefetch --pinned
  newsfed prefetch 1234
  newsfed sync --due --quiet && newsfed prefetch --quiet --limit 100";

#[derive(Serialize)]
struct Done<'a> {
    r#type: &'static str,
    number: i64,
    source: &'a SourceId,
    result: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
}

#[derive(Serialize)]
struct Sum {
    r#type: &'static str,
    pages: usize,
    bytes: u64,
    fetched: usize,
    failed: usize,
}

pub(super) fn run(args: &PrefetchArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    log::start(&home, out.verbose, false);
    let store = home.store()?;
    let kept = match (args.pinned, args.unread) {
        (true, _) => vec![MarkedItems::Pinned],
        (_, true) => vec![MarkedItems::Unread],
        _ => vec![MarkedItems::Pinned, MarkedItems::Unread],
    };
    runtime_beside()?.block_on(async {
        let stop = asked_to_stop();
        let handle = home.engine(store, false).start().await?;
        let result = fetch(args, &kept, &handle, stop, out).await;
        handle.shutdown().await;
        result
    })
}

async fn fetch(
    args: &PrefetchArgs,
    kept: &[MarkedItems],
    handle: &Handle,
    stop: impl Future<Output = ()>,
    out: &mut Output,
) -> Result<Exit, Failure> {
    handle.store().writable()?;
    let plan = match args.ids.as_slice() {
        [] => handle.plan_prefetch(kept, args.limit).await?,
        ids => named(ids, handle)?,
    };
    let (pages, bytes) = (plan.pages.len(), plan.bytes);
    let mut sum = Sum { r#type: "summary", pages, bytes, fetched: 0, failed: 0 };
    if args.ids.is_empty() {
        out.note(match pages {
            0 => plan.nothing(),
            n => format!("{}, about {}", counted(n, "page"), size(bytes)),
        });
    }
    if args.dry_run || pages == 0 {
        if out.json {
            out.value(&sum)?;
        }
        return Ok(Exit::Ok);
    }
    let progress = Progress::new(pages, out);
    let reports = match args.ids.is_empty() {
        true => handle.prefetch(plan.pages.clone()),
        false => handle.fetch_texts(plan.pages.clone()),
    };
    let stopped = tokio::select! {
        summary = follow(reports, handle, &plan, &progress, &mut sum, out) => summary.map(|()| false),
        () = stop => Ok(true),
    };
    progress.clear();
    let stopped = stopped?;
    if out.json {
        out.value(&sum)?;
    } else {
        let without = match sum.failed {
            0 => String::new(),
            n => format!(", {n} without text"),
        };
        out.result(format!("{} of {} fetched{without}", sum.fetched, counted(pages, "page")))?;
    }
    if stopped {
        out.warn("newsfed: interrupted; what was fetched is stored");
        return Ok(Exit::Interrupted);
    }
    Ok(match (sum.fetched, sum.failed) {
        (_, 0) => Exit::Ok,
        (0, _) => Exit::Failed,
        _ => Exit::Partial,
    })
}

/// The plan for fetching the pages of the given items.
fn named(ids: &[String], handle: &Handle) -> Result<PrefetchPlan, Failure> {
    let reader = handle.store().reader()?;
    let mut pages = Vec::new();
    for item in items::keys(&reader, ids)? {
        if let Some(row) = reader.row(item)? {
            pages.push(WantedPage {
                item,
                source: row.source_key,
                url: row.url.unwrap_or_default(),
            });
        }
    }
    Ok(PrefetchPlan { pages, ..PrefetchPlan::default() })
}

/// Reports each page as it is fetched.
async fn follow(
    mut reports: UnboundedReceiver<(i64, Result<TextGot, StoreError>)>,
    handle: &Handle,
    plan: &PrefetchPlan,
    progress: &Progress,
    sum: &mut Sum,
    out: &mut Output,
) -> Result<(), Failure> {
    let sources = handle.sources().await?;
    let unknown = SourceId(String::new());
    while let Some((number, got)) = reports.recv().await {
        let page = plan.pages.iter().find(|p| p.item == number);
        let host = page.and_then(|p| url::Url::parse(&p.url).ok());
        progress.step(host.as_ref().and_then(url::Url::host_str));
        let (result, why) = match got? {
            TextGot::Fetched { .. } | TextGot::Same(_) | TextGot::Kept => ("fetched", None),
            TextGot::InFeed => ("text-in-feed", None),
            TextGot::Failed(why) => ("failed", Some(why)),
            TextGot::Left | TextGot::Gone | TextGot::Feed => ("skipped", None),
        };
        sum.fetched += usize::from(matches!(result, "fetched" | "text-in-feed"));
        sum.failed += usize::from(why.is_some());
        let found = page.and_then(|p| sources.iter().find(|(_, f)| f.key == p.source));
        let source = found.map_or(&unknown, |(source, _)| &source.id);
        if out.json {
            let message = why.as_deref();
            out.value(&Done { r#type: "page", number, source, result, message })?;
            out.flush()?;
        }
        if let Some(why) = why {
            let url = page.map_or("", |p| p.url.as_str());
            progress.aside(|| out.note(format!("{url}: {why}")));
        }
    }
    Ok(())
}
