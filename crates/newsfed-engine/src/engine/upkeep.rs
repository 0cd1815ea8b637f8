//! Background tasks: indexing texts for searches, retention, cleaning up, updating the budget,
//! fetching pages in advance.

use super::announce::hooks::{NOTIFY_COMMAND, record_name as hook_record};
use super::budget;
use super::context::Context;
use super::download;
use super::fulltext;
use super::message::{ProcessRole, Status};
use super::site::tidy_crawls;
use crate::model::{Retention, Time};
use crate::util::allocator;
use crate::util::text::counted;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Time between two rounds of retention and cleanup.
const ROUND: chrono::TimeDelta = chrono::TimeDelta::hours(6);
/// Time without a commit before items are indexed, so that the items of a refresh are indexed after it, in
/// few batches.
const SETTLE: Duration = Duration::from_millis(500);
/// Maximum time until items are indexed, even if commits never pause: until then, a search does not even find
/// their titles.
const PATIENCE: Duration = Duration::from_secs(5);
/// Time between two batches, because writes requested by the user come first.
const BREATHE: Duration = Duration::from_millis(20);

/// Starts when no other process polls the sources, and runs until it is stopped.
pub(super) async fn run(
    context: Arc<Context>,
    mut status: watch::Receiver<Status>,
    stop: CancellationToken,
) {
    let polls = status.wait_for(|s| !matches!(s.role, ProcessRole::Watches(_)));
    let role = tokio::select! {
        () = stop.cancelled() => return,
        // An error means that the engine has stopped.
        polls = polls => match polls {
            Ok(status) => status.role,
            Err(_) => return,
        },
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = index(&context, role) => {}
        () = retire(&context, role) => {}
        () = budget::keep(&context) => {}
        () = wake(&context) => {}
        () = fulltext::follow(&context, status) => {}
    }
}

/// Indexes the remaining items whenever nothing else is being written, then returns free memory to the
/// system.
async fn index(context: &Arc<Context>, role: ProcessRole) {
    let mut revision = context.store.revision();
    loop {
        // A command that only refreshes needs no search, and the next search indexes the rest.
        if role == ProcessRole::OnDemand {
            settled(&mut revision).await;
        } else {
            settled_soon(&mut revision).await;
        }
        let mut own = *revision.borrow_and_update();
        while *revision.borrow() <= own {
            match context.store.index_step().await {
                Ok(Some(written)) => {
                    own += u64::from(written);
                    tokio::time::sleep(BREATHE).await;
                }
                Ok(None) => break,
                Err(e) => {
                    tracing::warn!("cannot index texts: {e}");
                    break;
                }
            }
        }
        // The memory that a refresh used is free by now.
        tokio::task::spawn_blocking(allocator::give_back);
        if revision.changed().await.is_err() {
            return;
        }
    }
}

/// Waits until nothing has been committed for a while.
async fn settled(revision: &mut watch::Receiver<u64>) {
    while let Ok(Ok(())) = tokio::time::timeout(SETTLE, revision.changed()).await {}
}

/// Like [`settled`], but waits at most [`PATIENCE`].
async fn settled_soon(revision: &mut watch::Receiver<u64>) {
    let _ = tokio::time::timeout(PATIENCE, settled(revision)).await;
}

async fn retire(context: &Arc<Context>, role: ProcessRole) {
    // Wait until the interface has shown its first lists. A command may end too soon for such a wait.
    if role != ProcessRole::OnDemand {
        settled_soon(&mut context.store.revision()).await;
    }
    loop {
        if let Err(e) = retire_once(context).await {
            tracing::warn!("retention failed: {e}");
        }
        context.clock.sleep_until(context.clock.now() + ROUND).await;
    }
}

/// Shows snoozed items when their time has come.
async fn wake(context: &Arc<Context>) {
    let mut revision = context.store.revision();
    loop {
        let next = context.read(|reader| reader.next_wake()).await.unwrap_or_default();
        let now = context.clock.now();
        if next.is_some_and(|next| next <= now) {
            match context.store.wake(now).await {
                Ok(_) => continue,
                Err(e) => tracing::warn!("cannot show snoozed items again: {e}"),
            }
        }
        // Another item may be snoozed until an earlier time.
        let due = next.filter(|next| *next > now).unwrap_or(now + ROUND);
        tokio::select! {
            () = context.clock.sleep_until(due) => {}
            changed = revision.changed() => if changed.is_err() { return },
        }
    }
}

/// The sources (row keys) whose retention would remove items. They are found without the writer,
/// because the user may need it.
async fn prunable(
    context: &Arc<Context>,
    now: Time,
) -> crate::store::Result<Vec<(i64, Retention)>> {
    let general = context.settings().retention;
    let of_source = |key| context.source(key).map(|source| (key, source.retention(general)));
    let sources: Vec<(i64, Retention)> = context.keys().into_iter().filter_map(of_source).collect();
    context
        .read(move |reader| {
            let mut prunable = Vec::new();
            for (key, retention) in sources {
                if reader.prunable(key, retention, now)? > 0 {
                    prunable.push((key, retention));
                }
            }
            Ok(prunable)
        })
        .await
}

async fn retire_once(context: &Arc<Context>) -> crate::store::Result<()> {
    let now = context.clock.now();
    for (key, retention) in prunable(context, now).await? {
        let Some(source) = context.source(key) else { continue };
        let gone = context.store.prune(key, retention, now).await?;
        // Items may have been pinned since they were counted.
        if gone > 0 {
            tracing::info!(source = %source.id, "retention removed {}", counted(gone, "item"));
        }
    }
    context.store.tidy(now).await?;
    // The records of removed rules are deleted here and not when a rule is removed, because the removal can
    // be undone.
    let settings = context.settings();
    let rules = settings.rules.iter().map(|rule| rule.name.clone());
    let hooks = settings.hooks.iter().map(|hook| hook.name.as_str());
    let hooks = hooks.chain([NOTIFY_COMMAND]).map(hook_record);
    context.store.delete_other_records(rules.chain(hooks).collect()).await?;
    download::retire(context).await?;
    let (folder, kept) = (context.store.folder().to_owned(), context.read(|r| r.kept_ids()).await?);
    if let Some(Err(e)) = context.work(move || tidy_crawls(&folder, &kept)).await {
        tracing::warn!("cannot remove old crawl logs: {e}");
    }
    Ok(())
}
