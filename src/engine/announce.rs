//! What rules do outside of the database: messages about new items, and commands.

mod command;

use super::context::Context;
use crate::config::{NotifyWay, RUN_LIMIT, RuleSettings, Settings};
use crate::model::{CommandRecord, Effect, Item, QuietHours, SourceId, Time};
use crate::store::{Announcement, Reader, StoreError, command_note};
use crate::util::text::counted;
use crate::util::{argv, text, url};
use chrono::{Local, Timelike};
use command::{Ended, run};
use serde::Serialize;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Commands that run at the same time.
const AT_ONCE: usize = 2;
/// Items per refresh for which commands run.
pub const MOST_RUNS: usize = 100;
/// Time limit of the command that shows a message.
const NOTIFY_LIMIT: Duration = Duration::from_secs(10);
/// Characters of a message.
const MOST_TEXT: usize = 240;
/// How long the end of the program waits for commands.
const PATIENCE: Duration = Duration::from_secs(5);

/// A message about new items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    pub title: String,
    /// One line, such as `3 items: Releases: Rust 1.99`.
    pub text: String,
}

/// Announcements of the running refresh, and what is being done about earlier ones.
#[derive(Debug)]
pub(super) struct Announcer {
    waiting: Mutex<Vec<Announcement>>,
    /// The interface, while it runs.
    listener: Mutex<Option<mpsc::UnboundedSender<Notification>>>,
    tasks: TaskTracker,
    running: Arc<Semaphore>,
    stop: CancellationToken,
}

impl Default for Announcer {
    fn default() -> Self {
        Self {
            waiting: Mutex::default(),
            listener: Mutex::default(),
            tasks: TaskTracker::new(),
            running: Arc::new(Semaphore::new(AT_ONCE)),
            stop: CancellationToken::new(),
        }
    }
}

impl Announcer {
    /// Takes what rules announce of items that were stored.
    pub(super) fn take(&self, announcements: Vec<Announcement>) {
        if !announcements.is_empty() {
            self.waiting.lock().unwrap_or_else(PoisonError::into_inner).extend(announcements);
        }
    }

    /// Messages for the interface, from now on.
    pub(super) fn listen(&self) -> mpsc::UnboundedReceiver<Notification> {
        let (sender, receiver) = mpsc::unbounded_channel();
        *self.listener.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender);
        receiver
    }

    fn listener(&self) -> Option<mpsc::UnboundedSender<Notification>> {
        self.listener.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Announces what a refresh has found, in the background.
pub(super) fn refresh_ended(context: &Arc<Context>) {
    let announcer = &context.announcer;
    let all =
        std::mem::take(&mut *announcer.waiting.lock().unwrap_or_else(PoisonError::into_inner));
    if all.is_empty() {
        return;
    }
    let (context, stop) = (context.clone(), announcer.stop.clone());
    announcer.tasks.spawn(async move {
        tokio::select! {
            () = stop.cancelled() => {
                tracing::warn!("newsfed ends before the commands of its rules");
            }
            result = announce(&context, all) => if let Err(e) = result {
                tracing::error!("what rules announce cannot be read: {e}");
            },
        }
    });
}

/// Completes when all that was announced is done, or cancels it after a while (`patience`).
pub(super) async fn finish(context: &Arc<Context>, patience: Option<Duration>) {
    refresh_ended(context);
    let announcer = &context.announcer;
    announcer.tasks.close();
    match patience {
        None => announcer.tasks.wait().await,
        Some(patience) => {
            if tokio::time::timeout(patience, announcer.tasks.wait()).await.is_err() {
                announcer.stop.cancel();
                announcer.tasks.wait().await;
            }
        }
    }
    announcer.tasks.reopen();
}

/// The same at the end of the program.
pub(super) async fn shut_down(context: &Arc<Context>) {
    finish(context, Some(PATIENCE)).await;
}

async fn announce(context: &Arc<Context>, all: Vec<Announcement>) -> Result<(), StoreError> {
    let settings = context.settings();
    let groups = by_rule(all);
    let firsts: Vec<i64> = groups.iter().filter_map(|group| group.items.first().copied()).collect();
    let titles = context.read(move |reader| titles(reader, &firsts)).await?;
    if let Some(text) = message(&groups, &titles) {
        notify(context, &settings, Notification { title: "newsfed".to_owned(), text }).await;
    }
    let mut left = MOST_RUNS;
    for group in groups.iter().filter(|group| group.runs) {
        let rule = settings.rules.iter().find(|rule| rule.name == group.rule);
        let Some(rule) = rule.filter(|rule| !rule.run.is_empty() && rule.problem.is_empty()) else {
            continue;
        };
        let (now, later) = group.items.split_at(left.min(group.items.len()));
        left -= now.len();
        run_for(context, rule, now, later.len()).await?;
    }
    Ok(())
}

/// One announcement for each rule, with the items of all sources.
fn by_rule(all: Vec<Announcement>) -> Vec<Announcement> {
    let mut groups: Vec<Announcement> = Vec::new();
    for one in all {
        match groups.iter_mut().find(|group| group.rule == one.rule) {
            Some(group) => group.items.extend(one.items),
            None => groups.push(one),
        }
    }
    groups
}

fn titles(reader: &Reader, items: &[i64]) -> Result<HashMap<i64, String>, StoreError> {
    let mut titles = HashMap::new();
    for &key in items {
        if let Some(row) = reader.row(key)? {
            titles.insert(key, row.title);
        }
    }
    Ok(titles)
}

/// `3 items: Releases: Rust 1.99`; several rules follow one another.
fn message(groups: &[Announcement], titles: &HashMap<i64, String>) -> Option<String> {
    let part = |group: &Announcement| {
        let count = group.items.len();
        let title = group.items.first().and_then(|key| titles.get(key)).map_or("", String::as_str);
        let end = if count > 1 { " …" } else { "" };
        let (items, title) = (counted(count, "item"), text::truncate(title, 80));
        format!("{items}: {}: {title}{end}", group.rule)
    };
    let parts: Vec<String> = groups.iter().filter(|group| group.notifies).map(part).collect();
    let whole = text::line(&parts.join("; "));
    (!parts.is_empty()).then(|| text::truncate(&whole, MOST_TEXT).into_owned())
}

/// Whether a moment is in the hours without messages.
fn is_quiet(settings: &Settings, now: Time) -> bool {
    let quiet = settings.notify.quiet.as_deref().and_then(QuietHours::parse);
    let now = now.with_timezone(&Local);
    quiet.is_some_and(|quiet| quiet.left(now.hour() * 60 + now.minute()).is_some())
}

async fn notify(context: &Arc<Context>, settings: &Settings, message: Notification) {
    let how = settings.notify.how;
    if how == NotifyWay::None || is_quiet(settings, context.clock.now()) {
        return;
    }
    if let Some(listener) = context.announcer.listener().filter(|_| how != NotifyWay::Command) {
        // The interface may have ended.
        let _ = listener.send(message);
        return;
    }
    if settings.notify.command.is_empty() {
        tracing::info!("{}", message.text);
        return;
    }
    let values = [("{title}", message.title.as_str()), ("{text}", message.text.as_str())];
    let ended = run(&argv::filled(&settings.notify.command, &values), "", NOTIFY_LIMIT).await;
    if !ended.ok {
        let error = ended.error.unwrap_or_default();
        tracing::warn!("notify.command failed: {}: {error}", ended.status);
    }
}

/// An item as commands read it: one line of JSON.
#[derive(Serialize)]
struct ItemForCommand<'a> {
    rule: &'a str,
    number: i64,
    source_title: &'a str,
    #[serde(flatten)]
    item: &'a Item,
}

/// What a command is started with.
struct Order {
    argv: Vec<String>,
    input: String,
}

/// Runs the command of a rule for items (row keys), and stores how it ended. `skipped` items are too many.
async fn run_for(
    context: &Arc<Context>,
    rule: &RuleSettings,
    items: &[i64],
    skipped: usize,
) -> Result<(), StoreError> {
    let (items, settings) = (items.to_vec(), rule.clone());
    let declared = context.declared().borrow().clone();
    let orders = context
        .read(move |reader| {
            let facts = reader.sources()?;
            let titles = declared.iter().filter_map(|source| {
                let facts = facts.iter().find(|facts| facts.id == source.id)?;
                Some((source.id.clone(), facts.title(source).to_owned()))
            });
            let titles: HashMap<SourceId, String> = titles.collect();
            let order = |key: &i64| {
                Ok(reader.item(*key)?.map(|item| {
                    let title = titles.get(&item.source).map_or("", String::as_str);
                    order(&settings, *key, &item, title)
                }))
            };
            items.iter().map(order).collect::<Result<Vec<_>, StoreError>>()
        })
        .await?;
    let limit = rule.run_limit.unwrap_or(RUN_LIMIT);
    let runs = orders.into_iter().flatten().map(|order| {
        let turns = context.announcer.running.clone();
        async move {
            let _turn = turns.acquire_owned().await;
            run(&order.argv, &order.input, limit).await
        }
    });
    let ended = futures_util::future::join_all(runs).await;
    let note = command_note(&rule.name);
    let stored = context
        .read({
            let note = note.clone();
            move |reader| reader.memo(&note)
        })
        .await?;
    let before = stored.and_then(|stored| serde_json::from_str(&stored).ok()).unwrap_or_default();
    let record = record(before, &ended, skipped, context.clock.now());
    if record.skipped > 0 && skipped > 0 {
        let items = counted(skipped, "item");
        tracing::warn!("{}: not run for {items}: too many at once", rule.name);
    }
    match serde_json::to_string(&record) {
        Ok(json) => context.store.set_memo(note, json).await,
        Err(_) => Ok(()),
    }
}

fn order(rule: &RuleSettings, number: i64, item: &Item, source_title: &str) -> Order {
    // Only what a browser may open.
    let url = item.url.as_deref().and_then(|url| url::parse_web(url).ok());
    let url = url.map(|web| web.url.to_string()).unwrap_or_default();
    let line = |text: &str| text::line(text);
    let (title, source) = (line(&item.title), line(source_title));
    let author = line(&item.authors.join(", "));
    let values = [
        ("{url}", url.as_str()),
        ("{title}", &title),
        ("{source}", &source),
        ("{author}", &author),
        ("{rule}", &rule.name),
    ];
    let shape = ItemForCommand { rule: &rule.name, number, source_title, item };
    let input = serde_json::to_string(&shape).unwrap_or_default() + "\n";
    Order { argv: argv::filled(&rule.run, &values), input }
}

/// Adds how commands ended to what is known.
fn record(mut record: CommandRecord, ended: &[Ended], skipped: usize, now: Time) -> CommandRecord {
    let count = |ok: bool| {
        let count = ended.iter().filter(|ended| ended.ok == ok).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    record.ok = record.ok.saturating_add(count(true));
    record.failed = record.failed.saturating_add(count(false));
    let skipped = u32::try_from(skipped).unwrap_or(u32::MAX);
    record.skipped = record.skipped.saturating_add(skipped);
    // Of several, one that failed says more.
    if let Some(last) = ended.iter().rev().find(|ended| !ended.ok).or(ended.last()) {
        record.at = now;
        record.status.clone_from(&last.status);
        record.error.clone_from(&last.error);
    }
    record
}

/// The announcement of one rule for stored items, on request; waits for it.
pub(super) async fn on_request(
    context: &Arc<Context>,
    announcement: Announcement,
) -> Result<(), StoreError> {
    let now = context.clock.now();
    let effects = [(announcement.notifies, Effect::Notify), (announcement.runs, Effect::Run)];
    for (_, effect) in effects.into_iter().filter(|(is_on, _)| *is_on) {
        let (rule, items) = (announcement.rule.clone(), announcement.items.clone());
        context.store.record_effect(rule, effect, items, now).await?;
    }
    announce(context, vec![announcement]).await
}

#[cfg(test)]
#[path = "announce/tests.rs"]
mod tests;
