//! The effects of rules and hooks outside the database: notifications about new items, and commands.

#[cfg(feature = "desktop")]
mod desktop;
pub(super) mod hooks;
pub(super) mod runs;

use super::context::Context;
use super::message::AutomaticChange;
use super::program::run;
use crate::config::{FileEdit, NotifyWay, RuleSettings, Settings};
use crate::model::{CommandRecord, QuietHours, Time};
use crate::store::{Announcement, Reader, StoreError};
use crate::util::text::counted;
use crate::util::{argv, text};
use chrono::{Local, Timelike};
use hooks::{NOTIFY_COMMAND, PolledSource, record_name};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Maximum number of concurrent rule commands, and of concurrent hooks.
const AT_ONCE: usize = 2;
/// Maximum number of items per refresh that commands run for.
pub const MAX_RUNS: usize = 100;
/// Timeout of the command that shows a notification.
const NOTIFY_LIMIT: Duration = Duration::from_secs(10);
/// Maximum length of a notification, in characters.
const MAX_TEXT: usize = 240;
/// Maximum number of polled sources per refresh that are kept for hooks.
const MAX_POLLED: usize = 100_000;
/// Maximum time to wait for commands before the program exits.
const PATIENCE: Duration = Duration::from_secs(5);

/// A notification about new items.
#[derive(Debug, Clone, PartialEq)]
pub struct Notification {
    pub title: String,
    /// One line, such as `3 items: Releases: Rust 1.99 …`.
    pub text: String,
    /// Whether the terminal shows it outside the interface or rings the bell.
    pub rings: bool,
    /// Whether the interface itself shows it.
    pub is_shown: bool,
    /// The reported change, if it can be undone: a label, and the edit to undo.
    pub undo: Option<Box<(String, FileEdit)>>,
}

impl Notification {
    fn of(text: String) -> Self {
        Self { title: "newsfed".to_owned(), text, rings: true, is_shown: false, undo: None }
    }
}

/// The results of rule commands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Announced {
    /// Number of commands that succeeded.
    pub ok: usize,
    /// Number of commands that failed or could not be started.
    pub failed: usize,
    /// Number of items that the command did not run for.
    pub left_out: usize,
}

impl std::ops::AddAssign for Announced {
    fn add_assign(&mut self, other: Self) {
        self.ok += other.ok;
        self.failed += other.failed;
        self.left_out += other.left_out;
    }
}

/// Collects announcements during a refresh, and carries out earlier ones in the background.
#[derive(Debug)]
pub(super) struct Announcer {
    waiting: Mutex<Vec<Announcement>>,
    /// The sources polled in the running refresh, for hooks.
    polled: Mutex<Vec<PolledSource>>,
    /// The interface, while it runs.
    listener: Mutex<Option<mpsc::UnboundedSender<Notification>>>,
    /// Queued input for hooks.
    queues: hooks::Queues,
    /// Queued items for the commands of rules, by rule name.
    runs: hooks::Queues,
    tasks: TaskTracker,
    /// Permits to run commands of rules.
    running: Arc<Semaphore>,
    /// Permits to run hooks, separate so that rules cannot block them.
    hooks: Arc<Semaphore>,
    stop: CancellationToken,
}

impl Default for Announcer {
    fn default() -> Self {
        Self {
            waiting: Mutex::default(),
            polled: Mutex::default(),
            listener: Mutex::default(),
            queues: hooks::Queues::default(),
            runs: hooks::Queues::default(),
            tasks: TaskTracker::new(),
            running: Arc::new(Semaphore::new(AT_ONCE)),
            hooks: Arc::new(Semaphore::new(AT_ONCE)),
            stop: CancellationToken::new(),
        }
    }
}

impl Announcer {
    /// Adds announcements of rules about stored items.
    pub(super) fn take(&self, announcements: Vec<Announcement>) {
        if !announcements.is_empty() {
            self.waiting.lock().unwrap_or_else(PoisonError::into_inner).extend(announcements);
        }
    }

    /// Records the result of a source's poll, for hooks.
    pub(super) fn take_polled(&self, source: PolledSource) {
        let mut polled = self.polled.lock().unwrap_or_else(PoisonError::into_inner);
        if polled.len() < MAX_POLLED {
            polled.push(source);
        }
    }

    /// Starts sending notifications to the interface.
    pub(super) fn listen(&self) -> mpsc::UnboundedReceiver<Notification> {
        let (sender, receiver) = mpsc::unbounded_channel();
        *self.listener.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender);
        receiver
    }

    fn listener(&self) -> Option<mpsc::UnboundedSender<Notification>> {
        self.listener.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Announces the results of a refresh in the background.
pub(super) fn refresh_ended(context: &Arc<Context>) {
    let waiting = &context.announcer.waiting;
    let all = std::mem::take(&mut *waiting.lock().unwrap_or_else(PoisonError::into_inner));
    let polled = &context.announcer.polled;
    let polled = std::mem::take(&mut *polled.lock().unwrap_or_else(PoisonError::into_inner));
    begin_with(context, all, polled);
}

/// Announces items in the background. Announcements collected for the end of a refresh are not affected.
pub(super) fn begin(context: &Arc<Context>, all: Vec<Announcement>) {
    begin_with(context, all, Vec::new());
}

/// Announces items in the background, with the polled sources.
fn begin_with(context: &Arc<Context>, all: Vec<Announcement>, polled: Vec<PolledSource>) {
    let (hooks, rules): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| one.rule.is_empty());
    let arrived: Vec<i64> = hooks.into_iter().flat_map(|one| one.items).collect();
    hooks::give(context, &polled, &arrived);
    if rules.is_empty() {
        return;
    }
    let own = context.clone();
    context.announcer.tasks.spawn(async move {
        let (settings, groups) = (own.settings(), by_rule(rules));
        if let Err(e) = notify_of(&own, &settings, &groups).await {
            tracing::error!("cannot read or record rule notifications: {e}");
        }
        for (rule, now, surplus) in allotted(&settings, &groups) {
            runs::give(&own, rule, now, surplus);
        }
    });
}

/// Completes when all announcements have been carried out. After a timeout (`patience`), running commands are
/// stopped and the remaining ones are skipped.
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

/// Completes when all announcements have been carried out, at the end of the program.
pub(super) async fn shut_down(context: &Arc<Context>) {
    finish(context, Some(PATIENCE)).await;
}

/// Sends a notification about the items, then runs the commands. Each command is recorded when it is done and
/// never repeated, so it runs at most once even if newsfed is killed.
async fn announce(context: &Arc<Context>, all: Vec<Announcement>) -> Result<Announced, StoreError> {
    let settings = context.settings();
    let groups = by_rule(all);
    // A problem with one part does not affect the others.
    let (mut recorded, mut done) =
        (notify_of(context, &settings, &groups).await, Announced::default());
    for (rule, now, surplus) in allotted(&settings, &groups) {
        let (ran, result) = runs::run_for(context, rule, now, surplus).await;
        done += ran;
        recorded = recorded.and(result);
    }
    recorded.map(|()| done)
}

/// The rules with commands, the items to run them for, and the number of items beyond the limit.
fn allotted<'a>(
    settings: &'a Settings,
    groups: &'a [Announcement],
) -> Vec<(&'a RuleSettings, &'a [i64], usize)> {
    let (mut left, mut all) = (MAX_RUNS, Vec::new());
    for group in groups.iter().filter(|group| group.runs) {
        let Some(rule) = runs::rule_of(settings, &group.rule) else { continue };
        let (now, surplus) = group.items.split_at(left.min(group.items.len()));
        left -= now.len();
        all.push((rule, now, surplus.len()));
    }
    all
}

/// Shows one notification about the items of all rules with notifications, and records it.
async fn notify_of(
    context: &Arc<Context>,
    settings: &Settings,
    groups: &[Announcement],
) -> Result<(), StoreError> {
    let firsts: Vec<i64> = groups.iter().filter_map(|group| group.items.first().copied()).collect();
    let titles = context.read(move |reader| titles(reader, &firsts)).await?;
    let Some(text) = message(groups, &titles) else { return Ok(()) };
    let message = Notification::of(text.clone());
    if !notify(context, settings, message).await {
        tracing::info!("{text}");
        return Ok(());
    }
    let (now, mut recorded) = (context.clock.now(), Ok(()));
    for group in groups.iter().filter(|group| group.notifies) {
        let (rule, items) = (group.rule.clone(), group.items.clone());
        recorded = recorded.and(context.store.record_notified(rule, items, now).await);
    }
    recorded
}

/// Merges the announcements of each rule across sources.
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

/// Formats `3 items: Releases: Rust 1.99 …`; several rules are listed one after the other.
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
    (!parts.is_empty()).then(|| text::truncate(&whole, MAX_TEXT).into_owned())
}

/// Whether a time is within the hours without notifications.
fn is_quiet(settings: &Settings, now: Time) -> bool {
    let quiet = settings.notify.quiet.as_deref().and_then(QuietHours::parse);
    let now = now.with_timezone(&Local);
    quiet.is_some_and(|quiet| quiet.left(now.hour() * 60 + now.minute()).is_some())
}

/// Reports a change that the program made by itself, in the log and in the interface or as a notification.
pub(super) async fn report(context: &Arc<Context>, change: AutomaticChange) {
    let AutomaticChange { message, label, edit } = change;
    tracing::info!("{message}");
    let settings = context.settings();
    let undo = edit.map(|edit| Box::new((label, edit)));
    let message = Notification { undo, ..Notification::of(text::line(&message)) };
    match context.announcer.listener() {
        Some(listener) => {
            let is_silent = settings.notify.how == NotifyWay::None;
            let rings = !is_silent && !is_quiet(&settings, context.clock.now());
            // The interface may have been closed.
            let _ = listener.send(Notification { rings, is_shown: true, ..message });
        }
        None => drop(notify(context, &settings, message).await),
    }
}

/// Returns whether the notification was shown; if not, the caller logs it.
async fn notify(context: &Arc<Context>, settings: &Settings, message: Notification) -> bool {
    let how = settings.notify.how;
    if how == NotifyWay::None || is_quiet(settings, context.clock.now()) {
        return false;
    }
    let announcer = &context.announcer;
    #[cfg(feature = "desktop")]
    if how == NotifyWay::Desktop {
        match desktop::show(&message).await {
            Ok(()) => return true,
            Err(why) => tracing::warn!("desktop notifications cannot be shown: {why}"),
        }
    }
    let is_own = !matches!(how, NotifyWay::Command | NotifyWay::Desktop);
    if let Some(listener) = announcer.listener().filter(|_| is_own) {
        // The interface may have been closed.
        return listener.send(message).is_ok();
    }
    if settings.notify.command.is_empty() {
        return false;
    }
    let values = [("{title}", message.title.as_str()), ("{text}", message.text.as_str())];
    let argv = argv::filled(&settings.notify.command, &values);
    let ended = tokio::select! {
        ended = run(&argv, "", NOTIFY_LIMIT) => ended,
        () = announcer.stop.cancelled() => return false,
    };
    if !ended.ok {
        let error = ended.error.as_deref().unwrap_or_default();
        tracing::warn!("notify.command failed: {}: {error}", ended.status);
    }
    let (ok, now) = (ended.ok, context.clock.now());
    let add = move |record: &mut CommandRecord| {
        record.add(ended.ok, &ended.status, ended.error.as_deref(), now);
    };
    if let Err(e) = context.store.record_commands(record_name(NOTIFY_COMMAND), None, add, now).await
    {
        tracing::error!("the result of notify.command cannot be recorded: {e}");
    }
    ok
}

/// Carries out the announcement of one rule for stored items, on request, and waits for it.
pub(super) async fn on_request(
    context: &Arc<Context>,
    announcement: Announcement,
) -> Result<Announced, StoreError> {
    announce(context, vec![announcement]).await
}

#[cfg(test)]
#[path = "announce/tests.rs"]
mod tests;
