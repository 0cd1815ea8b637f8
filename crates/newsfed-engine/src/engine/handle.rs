//! Starting the engine, and the handle to it.

use super::account;
use super::announce::{self, Announced, Notification};
use super::budget;
use super::comments;
use super::context::Context;
use super::lists;
use super::machines;
use super::message::{Pace, ProcessRole, Report, Status};
use super::planner;
use super::role_lock::RoleLock;
use super::rules;
use super::run::{Command, Loop};
use super::unfinished;
use super::upkeep;
use super::watch;
use crate::config::{Paths, Settings};
use crate::model::{BriefFacts, Source, SourceFacts, Time};
use crate::net::{Client, Names};
use crate::store::{Announcement, Mark, Part, Result, Rule, RuleMarks, Store, View};
use crate::util::clock::Clock;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::sync::watch::{Receiver, channel};
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Maximum time to wait for background tasks before the program exits.
const PATIENCE: Duration = Duration::from_secs(10);

/// The parameters of the engine.
pub struct Engine {
    pub store: Store,
    /// The settings, including the overrides of this run.
    pub settings: Settings,
    pub sources: Vec<Source>,
    /// Paths of the configuration files.
    pub paths: Paths,
    /// The overrides of this run, for reloading the configuration.
    pub overrides: Vec<String>,
    pub clock: Arc<dyn Clock>,
    /// How host names are resolved.
    pub names: Names,
    /// Seed of all jitter.
    pub seed: u64,
    /// Whether due sources are polled automatically; otherwise only on request.
    pub follow: bool,
}

/// Controls a running engine. Clones share it.
#[derive(Clone)]
pub struct Handle {
    pub(super) context: Arc<Context>,
    pub(super) paths: Paths,
    /// The overrides of this run, except for keys that the user has changed during the run.
    pub(super) overrides: Arc<std::sync::RwLock<Vec<String>>>,
    commands: mpsc::Sender<Command>,
    status: Receiver<Status>,
    pub(super) stop: CancellationToken,
    tasks: Arc<std::sync::Mutex<Vec<JoinHandle<()>>>>,
}

impl Engine {
    /// Updates the database to match the declared sources and starts the background tasks on the current
    /// runtime. If another process already polls the database, this one reads, marks, edits, and fetches the
    /// pages that its user opens ([`ProcessRole::Watches`]). With `follow`, it takes over within seconds
    /// after the other process ends. A database that cannot be written is opened read-only
    /// ([`ProcessRole::Reads`]).
    pub async fn start(self) -> Result<Handle> {
        Ok(self.start_held().await?.0)
    }

    /// Like [`Self::start`], but the background tasks only begin when the guard is dropped, so that the
    /// interface can show its first list earlier.
    pub async fn start_held(self) -> Result<(Handle, DropGuard)> {
        let readable = self.store.writable().is_err_and(|e| e.leaves_reading());
        // Taken before anything is read, so that no change by another process is missed.
        let version = if self.follow { self.store.foreign_version().await.ok() } else { None };
        // With `follow`, showing the stored items is enough, but a command that must write fails.
        let (role, facts) = if readable && self.follow {
            (RoleLock::reading(self.store.path()), self.store.reader()?.sources()?)
        } else {
            let role = RoleLock::choose(self.store.path(), self.follow)?;
            (role, self.store.reconcile(self.sources.clone(), self.clock.now()).await?)
        };
        let writes = role.role() != ProcessRole::Reads;
        if writes && role.is_locked() {
            unfinished::postpone(&self.store, self.clock.now()).await?;
        }
        let client = Client::with_names(self.settings.net.clone(), self.clock.clone(), self.names);
        let context = Arc::new(Context::new(
            self.store,
            self.settings,
            client,
            self.clock,
            self.seed,
            self.follow,
        ));
        context.set_sources(self.sources, &facts);
        budget::restore(&context).await;
        if writes {
            planner::plan_changed(&context, &facts).await?;
        }
        let declared = context.declared().borrow().clone();
        rules::renew_for(&context, declared.iter().map(|source| &**source), &facts);
        let (commands, inbox) = mpsc::channel(64);
        let (status_in, status) = channel(Status { role: role.role(), ..Status::default() });
        let (begin, stop) = (CancellationToken::new(), CancellationToken::new());
        let polling = Loop::new(context.clone(), inbox, status_in, stop.clone(), role);
        let upkeep = upkeep::run(context.clone(), status.clone(), stop.clone());
        let mut tasks = vec![spawn_held(&begin, &stop, polling.run())];
        if writes {
            tasks.push(spawn_held(&begin, &stop, upkeep));
        }
        let handle = Handle {
            context,
            paths: self.paths,
            overrides: Arc::new(std::sync::RwLock::new(self.overrides)),
            commands,
            status,
            stop,
            tasks: Arc::default(),
        };
        handle.declarations_seen();
        handle.context.config_changed.store(false, Ordering::SeqCst);
        if self.follow && writes {
            tasks.push(spawn_held(&begin, &handle.stop, watch::run(handle.clone(), version)));
            tasks.push(spawn_held(&begin, &handle.stop, account::run(handle.clone())));
            tasks.push(spawn_held(&begin, &handle.stop, machines::run(handle.clone())));
            tasks.push(spawn_held(&begin, &handle.stop, comments::run(handle.clone())));
            tasks.push(spawn_held(&begin, &handle.stop, lists::run(handle.clone())));
        }
        if let Ok(mut all) = handle.tasks.lock() {
            *all = tasks;
        }
        // Keep the reader, so that the next one does not have to read the schema again.
        let idle = handle.context.readers.lock().ok().and_then(|mut readers| readers.pop());
        idle.into_iter().for_each(|reader| handle.context.store.keep(reader));
        Ok((handle, begin.drop_guard()))
    }
}

/// Spawns a task that begins at a signal, or ends if the engine stops first.
fn spawn_held(
    begin: &CancellationToken,
    stop: &CancellationToken,
    task: impl Future<Output = ()> + Send + 'static,
) -> JoinHandle<()> {
    let (begin, stop) = (begin.clone(), stop.clone());
    tokio::spawn(async move {
        tokio::select! {
            biased;
            () = begin.cancelled() => task.await,
            () = stop.cancelled() => {}
        }
    })
}

impl Handle {
    /// The current status. A slow receiver may miss values, but never the last one.
    pub fn status(&self) -> Receiver<Status> {
        self.status.clone()
    }

    /// The declared sources, updated after each change.
    pub fn declared(&self) -> Receiver<Arc<Vec<Arc<Source>>>> {
        self.context.declared()
    }

    pub fn store(&self) -> &Store {
        &self.context.store
    }

    /// The current time of the engine's clock.
    pub fn now(&self) -> Time {
        self.context.clock.now()
    }

    /// Runs work that needs as much memory as a document of this size (in bytes) on a worker thread, and
    /// blocks until it is done; `None` if there are no threads.
    pub fn work_on<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        self.context.work_on(bytes, work)
    }

    /// The overrides in effect.
    pub(super) fn overrides(&self) -> Vec<String> {
        self.overrides.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    pub fn settings(&self) -> Arc<Settings> {
        self.context.settings()
    }

    /// Polls these sources (row keys), or all of them. Each one is reported, and the channel closes after the
    /// last one. Polls nothing if another process polls or the database is read-only.
    pub async fn refresh(
        &self,
        keys: Option<Vec<i64>>,
        pace: Pace,
    ) -> mpsc::UnboundedReceiver<Report> {
        self.reload_if_changed().await;
        let (report, reports) = mpsc::unbounded_channel();
        if !matches!(self.status.borrow().role, ProcessRole::Watches(_) | ProcessRole::Reads) {
            let command = Command::Refresh { keys, pace, report: Some(report) };
            // A closed channel means that the engine is stopping. The reports then end immediately.
            let _ = self.commands.send(command).await;
        }
        reports
    }

    /// Drops the sources of refreshes that have not been polled yet. Their channels close after the running
    /// polls.
    pub async fn cancel_refresh(&self) {
        // A closed channel means that the engine is stopping.
        let _ = self.commands.send(Command::CancelRefresh).await;
    }

    /// Stops the exploration of a site (row key), keeping its results. Returns whether one was running. If it
    /// found nothing, the next poll continues it.
    pub fn stop_exploring(&self, key: i64) -> bool {
        self.context.end_exploring(key)
    }

    /// Sets or removes a mark on exactly these items. Returns the row keys of the items that changed.
    pub async fn mark(&self, mark: Mark, keys: Vec<i64>, to: bool) -> Result<Vec<i64>> {
        self.context.store.mark_for_undo(mark, keys, to, false).await
    }

    /// Undoes a mark that [`Self::mark`] or [`Self::mark_by_user`] has set or removed, including its side
    /// effects. `to` is the new state of the mark. Returns the row keys of the items that changed.
    pub async fn undo_mark(&self, mark: Mark, keys: Vec<i64>, to: bool) -> Result<Vec<i64>> {
        self.context.store.undo_mark(mark, keys, !to).await
    }

    /// Applies a rule to the items of a view. Returns its changes.
    pub async fn apply_rule(&self, rule: Rule, view: View) -> Result<RuleMarks> {
        // Index new items first, so that their texts are found.
        while self.context.store.index_step().await?.is_some() {}
        let now = self.now();
        self.context.store.apply_rule(rule, view, now).await
    }

    /// Notifications for the interface. While it is not running, `notify.command` is run instead.
    pub fn notifications(&self) -> mpsc::UnboundedReceiver<Notification> {
        self.context.announcer.listen()
    }

    /// Sends notifications about stored items and runs the command of a rule for them, as for new items.
    /// Waits for the end of both.
    pub async fn announce(&self, announcement: Announcement) -> Result<Announced> {
        announce::on_request(&self.context, announcement).await
    }

    /// Completes when the running rule commands have ended.
    pub async fn announced(&self) {
        announce::finish(&self.context, None).await;
    }

    /// Undoes the effects of a rule, except those changed since. Returns what was undone.
    pub async fn undo_rule(&self, name: String) -> Result<RuleMarks> {
        self.context.store.undo_rule(name).await
    }

    /// Sets the marks of a rule again, or removes them.
    pub async fn mark_by_rule(&self, name: String, marks: Arc<RuleMarks>, on: bool) -> Result<()> {
        let now = self.now();
        self.context.store.mark_by_rule(name, marks, on, now).await
    }

    /// Records that the user opens the interface. Items that arrived since the last visit are new.
    pub async fn begin_visit(&self) -> Result<()> {
        self.context.store.begin_visit().await
    }

    /// Records that the user closes the interface.
    pub async fn end_visit(&self) -> Result<()> {
        self.context.store.end_visit().await
    }

    /// Sets a mark for the user. With `ui.mark_stories`, reading and pinning affect the whole story. Returns
    /// the row keys of the items that changed.
    pub async fn mark_by_user(&self, mark: Mark, keys: Vec<i64>, to: bool) -> Result<Vec<i64>> {
        let whole = matches!(mark, Mark::Read | Mark::Pinned) && self.settings().ui.mark_stories;
        self.context.store.mark_for_undo(mark, keys, to, whole).await
    }

    /// Marks a view or a part of it as read. Returns the row keys of the items that changed.
    pub async fn mark_view_read(&self, view: View, part: Part) -> Result<Vec<i64>> {
        let stories = self.settings().ui.mark_stories;
        self.context.store.mark_view_read(view, part, stories).await
    }

    /// The settings, published whenever they are reloaded because another program has changed `config.toml`.
    pub fn reloaded_settings(&self) -> Receiver<Arc<Settings>> {
        self.context.reloaded.subscribe()
    }

    /// The declared sources with their facts, in file order.
    pub async fn sources(&self) -> Result<Vec<(Arc<Source>, SourceFacts)>> {
        let facts = self.context.read(|reader| reader.sources()).await?;
        let mut by_id: std::collections::HashMap<_, _> =
            facts.into_iter().map(|f| (f.id.clone(), f)).collect();
        let declared = self.context.declared().borrow().clone();
        Ok(declared.iter().filter_map(|s| Some((s.clone(), by_id.remove(&s.id)?))).collect())
    }

    /// The brief facts of the declared sources, in no particular order.
    pub async fn brief_sources(&self) -> Result<Vec<BriefFacts>> {
        self.context.read(|reader| reader.brief_sources()).await
    }

    /// Makes the loop determine again which polls are due.
    pub(super) async fn replan(&self) {
        let _ = self.commands.send(Command::Replan).await;
    }

    /// Stops polling, waits for running writes, and closes the database.
    pub async fn shutdown(&self) {
        self.stop.cancel();
        let tasks = self.tasks.lock().map(|mut t| std::mem::take(&mut *t)).unwrap_or_default();
        join_all(tasks, PATIENCE).await;
        announce::shut_down(&self.context).await;
        self.context.close_readers();
        let store = self.context.store.clone();
        let _ = tokio::task::spawn_blocking(move || store.close()).await;
    }

    /// Completes when the engine is stopping.
    pub async fn stopped(&self) {
        self.stop.cancelled().await;
    }
}

/// Waits for tasks and aborts those that take too long, because nothing may keep the program from exiting.
async fn join_all(tasks: Vec<JoinHandle<()>>, patience: Duration) {
    let end = tokio::time::Instant::now() + patience;
    for mut task in tasks {
        match tokio::time::timeout_at(end, &mut task).await {
            Ok(Ok(())) => {}
            Ok(Err(e)) => tracing::error!("a background task panicked: {e}"),
            Err(_) => {
                tracing::warn!("a background task did not stop within {} s", patience.as_secs());
                task.abort();
            }
        }
    }
}

/// Completes when this process starts or stops following the sources. `follows` is the previous state.
pub(super) async fn role_changed(status: &mut Receiver<Status>, follows: bool) {
    while status.changed().await.is_ok() {
        if (status.borrow().role == ProcessRole::Follows) != follows {
            return;
        }
    }
    std::future::pending().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_endless_task_does_not_prevent_the_exit() {
        let (sender, mut receiver) = mpsc::channel::<u8>(1);
        let hanging = tokio::spawn(async move {
            std::future::pending::<()>().await;
            drop(sender);
        });
        let slow = tokio::spawn(tokio::time::sleep(Duration::from_secs(5)));
        join_all(vec![hanging, slow], PATIENCE).await;
        // The task was stopped, so its values were dropped.
        assert_eq!(receiver.recv().await, None);
    }
}
