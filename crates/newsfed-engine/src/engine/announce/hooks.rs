//! The programs of `[[hook]]`. Each hook runs once per refresh, with lines of JSON as input. A hook never
//! runs twice at the same time. The results of refreshes during a run are queued for the next run, up to a
//! limit and without the text of items.

use super::super::context::Context;
use super::super::message::Refreshed;
use super::super::program::{Ended, run};
use super::runs::source_titles;
use crate::config::{HOOK_LIMIT, HookAfter, HookSettings};
use crate::model::{CommandRecord, Item, Outcome, SourceId};
use crate::store::{HOOK_PREFIX, StoreError};
use crate::util::text::counted;
use serde::Serialize;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum number of lines that a hook receives at once, and maximum number of queued lines.
const MAX_LINES: usize = 1000;
/// Maximum total size of the lines, in bytes.
const MAX_BYTES: usize = 16 << 20;

/// The name of a hook's record among the records of rules.
pub fn record_name(hook: &str) -> String {
    format!("{HOOK_PREFIX}{hook}")
}

/// The name under which the runs of `notify.command` are recorded, like those of a hook.
pub const NOTIFY_COMMAND: &str = "notify.command";

/// A polled source, as passed to hooks.
#[derive(Debug, Clone, Serialize)]
pub(in crate::engine) struct PolledSource {
    source: SourceId,
    /// `new`, `unchanged`, `skipped` or `failed`.
    result: &'static str,
    new: u32,
    changed: u32,
    error: Option<String>,
}

impl PolledSource {
    pub(in crate::engine) fn of(source: SourceId, refreshed: &Refreshed) -> Self {
        let mut line = Self { source, result: "unchanged", new: 0, changed: 0, error: None };
        match refreshed {
            Refreshed::Polled(Outcome::Unchanged) => {}
            Refreshed::Polled(Outcome::Fetched { new, updated, .. }) => {
                (line.new, line.changed) = (*new, *updated);
                line.result = if new + updated > 0 { "new" } else { "unchanged" };
            }
            Refreshed::Polled(Outcome::Failed { message, .. }) | Refreshed::Lost(message) => {
                (line.result, line.error) = ("failed", Some(message.clone()));
            }
            Refreshed::Skipped(_) | Refreshed::NotDue(_) | Refreshed::Disabled => {
                line.result = "skipped";
            }
        }
        line
    }
}

/// A new item, as passed to hooks.
#[derive(Serialize)]
struct ArrivedItem<'a> {
    number: i64,
    source_title: &'a str,
    #[serde(flatten)]
    item: &'a Item,
}

/// The input of a hook, and the number of lines left out.
#[derive(Default)]
struct Lines {
    text: String,
    count: usize,
    left_out: usize,
}

impl Lines {
    fn push(&mut self, value: &impl Serialize) {
        let line = serde_json::to_string(value).unwrap_or_default();
        if self.text.len() + line.len() > MAX_BYTES {
            self.left_out += 1;
            return;
        }
        self.text += &line;
        self.text.push('\n');
        self.count += 1;
    }
}

/// Queued input for a hook.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    polled: Vec<PolledSource>,
    /// Row keys of items.
    pub(super) arrived: Vec<i64>,
    /// Number of lines left out.
    pub(super) left_out: usize,
}

impl Waiting {
    fn add(&mut self, after: HookAfter, polled: &[PolledSource], arrived: &[i64]) {
        self.left_out += match after {
            HookAfter::Sync => add(&mut self.polled, polled),
            HookAfter::Arrival => add(&mut self.arrived, arrived),
        };
    }

    fn count(&self) -> usize {
        self.polled.len() + self.arrived.len() + self.left_out
    }
}

/// Adds items up to the limit. Returns the number of items left out.
fn add<T: Clone>(to: &mut Vec<T>, new: &[T]) -> usize {
    let free = MAX_LINES.saturating_sub(to.len());
    to.extend(new.iter().take(free).cloned());
    new.len().saturating_sub(free)
}

/// Queued input by name, for hooks or rule commands that are running or about to run.
#[derive(Debug, Default)]
pub(super) struct Queues(Mutex<HashMap<String, Waiting>>);

impl Queues {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds items to the queue. Returns whether a run must be started for the queue.
    pub(super) fn give_items(&self, name: &str, items: &[i64], surplus: usize) -> bool {
        let mut queues = self.lock();
        let is_new = !queues.contains_key(name);
        let waiting = queues.entry(name.to_owned()).or_default();
        waiting.add(HookAfter::Arrival, &[], items);
        waiting.left_out += surplus;
        is_new
    }

    /// Takes the queued input of a hook; `None` if there is none.
    pub(super) fn take(&self, hook: &str) -> Option<Waiting> {
        let mut queues = self.lock();
        let waiting = queues.get_mut(hook).map(std::mem::take)?;
        if waiting.count() == 0 {
            queues.remove(hook);
            return None;
        }
        Some(waiting)
    }
}

/// Passes the results of a refresh to the hooks: the polled sources, and the row keys of new items. A failed
/// hook is recorded and has no other effect.
pub(super) fn give(context: &Arc<Context>, polled: &[PolledSource], arrived: &[i64]) {
    let announcer = &context.announcer;
    for hook in &context.settings().hooks {
        let is_for_it = match hook.after {
            HookAfter::Sync => !polled.is_empty(),
            HookAfter::Arrival => !arrived.is_empty(),
        };
        if !is_for_it {
            continue;
        }
        match announcer.queues.lock().entry(hook.name.clone()) {
            Entry::Occupied(mut queue) => queue.get_mut().add(hook.after, polled, arrived),
            Entry::Vacant(queue) => {
                queue.insert(Waiting::default()).add(hook.after, polled, arrived);
                announcer.tasks.spawn(serve(context.clone(), hook.name.clone()));
            }
        }
    }
}

/// Runs a hook until its queue is empty.
async fn serve(context: Arc<Context>, name: String) {
    let announcer = &context.announcer;
    loop {
        let turn = tokio::select! {
            biased;
            () = announcer.stop.cancelled() => None,
            turn = announcer.hooks.acquire() => turn.ok(),
        };
        let Some(waiting) = announcer.queues.take(&name) else { return };
        // The hook may have been removed from the settings.
        let settings = context.settings();
        let Some(hook) = settings.hooks.iter().find(|hook| hook.name == name) else { continue };
        let recorded = match turn {
            Some(_turn) => run_one(&context, hook, waiting).await,
            None => leave_out(&context, &name, waiting.count(), AT_THE_END).await,
        };
        if let Err(e) = recorded {
            tracing::error!("cannot read or record the input of the hook {name}: {e}");
        }
    }
}

async fn item_lines(
    context: &Arc<Context>,
    arrived: &[i64],
    lines: &mut Lines,
) -> Result<(), StoreError> {
    let titles = source_titles(context).await?;
    for &key in arrived {
        // The item may have been removed.
        let Some(item) = context.read(move |reader| reader.item(key)).await? else { continue };
        let source_title = titles.get(&item.source).map_or("", String::as_str);
        lines.push(&ArrivedItem { number: key, source_title, item: &item });
    }
    Ok(())
}

const AT_THE_END: &str = "newsfed exited";

/// Logs and records the lines that a hook does not receive.
async fn leave_out(
    context: &Arc<Context>,
    name: &str,
    lines: usize,
    why: &str,
) -> Result<(), StoreError> {
    if lines == 0 {
        return Ok(());
    }
    tracing::warn!("the hook {name} did not receive {}: {why}", counted(lines, "line"));
    let now = context.clock.now();
    let skip = move |record: &mut CommandRecord| record.skip(lines, now);
    context.store.record_commands(record_name(name), None, skip, now).await
}

async fn run_one(
    context: &Arc<Context>,
    hook: &HookSettings,
    waiting: Waiting,
) -> Result<(), StoreError> {
    let mut lines = Lines { left_out: waiting.left_out, ..Lines::default() };
    waiting.polled.iter().for_each(|source| lines.push(source));
    if !waiting.arrived.is_empty() {
        item_lines(context, &waiting.arrived, &mut lines).await?;
    }
    let Lines { text, count, left_out } = lines;
    let stop = &context.announcer.stop;
    if stop.is_cancelled() {
        return leave_out(context, &hook.name, count + left_out, AT_THE_END).await;
    }
    leave_out(context, &hook.name, left_out, "too many at once").await?;
    if count == 0 {
        return Ok(());
    }
    // The order of the branches ensures that a hook is always started before it is stopped.
    let ended = tokio::select! {
        biased;
        ended = run(&hook.run, &text, hook.limit.unwrap_or(HOOK_LIMIT)) => ended,
        () = stop.cancelled() => Ended {
            is_started: true,
            ok: false,
            status: "stopped because newsfed exited".to_owned(),
            error: None,
            output: Vec::new(),
        },
    };
    if !ended.ok {
        let error = ended.error.as_deref().unwrap_or_default();
        tracing::warn!("the hook {} failed: {}: {error}", hook.name, ended.status);
    }
    let now = context.clock.now();
    let add = move |record: &mut CommandRecord| {
        record.add(ended.ok, &ended.status, ended.error.as_deref(), now);
    };
    context.store.record_commands(record_name(&hook.name), None, add, now).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_queued_items_and_counts_the_rest() {
        let queues = Queues::default();
        queues.lock().insert("a".to_owned(), Waiting::default());
        let items: Vec<i64> = (0..700).collect();
        for _ in 0..3 {
            queues.lock().get_mut("a").unwrap().add(HookAfter::Arrival, &[], &items);
        }
        let waiting = queues.take("a").unwrap();
        assert_eq!((waiting.arrived.len(), waiting.left_out), (MAX_LINES, 1100));
        assert_eq!((waiting.arrived[699], waiting.arrived[700]), (699, 0));
        assert!(queues.take("a").is_none() && queues.lock().is_empty());
    }
}
