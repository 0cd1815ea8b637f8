//! The programs of `[[hook]]`: one run for each refresh, with lines of JSON.

use super::super::context::Context;
use super::super::message::Refreshed;
use super::command::{Ended, run};
use super::runs::source_titles;
use crate::config::{HOOK_LIMIT, HookAfter, HookSettings};
use crate::model::{CommandRecord, Item, Outcome, SourceId};
use crate::store::StoreError;
use serde::Serialize;
use std::sync::Arc;

/// Lines that a hook gets, and bytes of them.
const MOST_LINES: usize = 1000;
const MOST_BYTES: usize = 16 << 20;

/// Where the record of a hook is, among those of rules.
pub fn record_name(hook: &str) -> String {
    format!("[[hook]] {hook}")
}

/// A source of a refresh, as hooks read it.
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
            Refreshed::Left(_) | Refreshed::NotDue(_) | Refreshed::Disabled => {
                line.result = "skipped";
            }
        }
        line
    }
}

/// A new item, as hooks read it.
#[derive(Serialize)]
struct ArrivedItem<'a> {
    number: i64,
    source_title: &'a str,
    #[serde(flatten)]
    item: &'a Item,
}

/// The input of a hook, and how many lines it lacks.
#[derive(Default)]
struct Lines {
    text: String,
    count: usize,
    left_out: usize,
}

impl Lines {
    fn push(&mut self, value: &impl Serialize) {
        let line = serde_json::to_string(value).unwrap_or_default();
        if self.count >= MOST_LINES || self.text.len() + line.len() > MOST_BYTES {
            self.left_out += 1;
            return;
        }
        self.text += &line;
        self.text.push('\n');
        self.count += 1;
    }
}

/// Runs the hooks after a refresh: with the sources that were polled, and with the items (row keys) that
/// are new. One that fails is recorded; nothing else comes of it.
pub(super) async fn run_all(
    context: &Arc<Context>,
    polled: &[PolledSource],
    arrived: &[i64],
) -> Result<(), StoreError> {
    let settings = context.settings();
    let wants = |after: HookAfter| settings.hooks.iter().any(|hook| hook.after == after);
    let mut sources = Lines::default();
    if wants(HookAfter::Sync) {
        polled.iter().for_each(|source| sources.push(source));
    }
    let items = match wants(HookAfter::Arrival) && !arrived.is_empty() {
        true => item_lines(context, arrived).await?,
        false => Lines::default(),
    };
    for hook in &settings.hooks {
        let lines = match hook.after {
            HookAfter::Sync => &sources,
            HookAfter::Arrival => &items,
        };
        if lines.count > 0 {
            run_one(context, hook, lines).await?;
        }
    }
    Ok(())
}

async fn item_lines(context: &Arc<Context>, arrived: &[i64]) -> Result<Lines, StoreError> {
    let titles = source_titles(context).await?;
    let mut lines = Lines::default();
    for &key in arrived {
        if lines.count >= MOST_LINES {
            lines.left_out += 1;
            continue;
        }
        // It may have been removed.
        let Some(item) = context.read(move |reader| reader.item(key)).await? else { continue };
        let source_title = titles.get(&item.source).map_or("", String::as_str);
        lines.push(&ArrivedItem { number: key, source_title, item: &item });
    }
    Ok(lines)
}

async fn run_one(
    context: &Arc<Context>,
    hook: &HookSettings,
    lines: &Lines,
) -> Result<(), StoreError> {
    let announcer = &context.announcer;
    let _turn = announcer.running.acquire().await;
    let ended = tokio::select! {
        ended = run(&hook.run, &lines.text, hook.limit.unwrap_or(HOOK_LIMIT)) => ended,
        () = announcer.stop.cancelled() => Ended {
            is_started: true,
            ok: false,
            status: "stopped because newsfed ended".to_owned(),
            error: None,
            output: Vec::new(),
        },
    };
    if lines.left_out > 0 {
        tracing::warn!("the hook {} did not get {} lines: too many", hook.name, lines.left_out);
    }
    if !ended.ok {
        let error = ended.error.as_deref().unwrap_or_default();
        tracing::warn!("the hook {} failed: {}: {error}", hook.name, ended.status);
    }
    let (now, left_out) = (context.clock.now(), lines.left_out);
    let add = move |record: &mut CommandRecord| {
        record.add(ended.ok, &ended.status, ended.error.as_deref(), now);
        if left_out > 0 {
            record.skip(left_out, now);
        }
    };
    context.store.record_commands(record_name(&hook.name), None, add, now).await
}
