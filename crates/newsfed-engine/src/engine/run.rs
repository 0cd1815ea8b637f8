//! The main loop: one task that starts polls, handles their results, and sleeps until the next is
//! due.

use super::announce::{self, hooks::PolledSource};
use super::budget;
use super::context::Context;
use super::local::queue_of;
use super::message::{Pace, ProcessRole, Refreshed, Report, Status};
use super::plan::{HORIZON, plan};
use super::poll::{Polled, poll};
use super::queue::{Claim, Job, Queue};
use super::role_lock::RoleLock;
use super::unfinished;
use crate::model::{SourceId, Time};
use crate::store::{Due, StoreError};
use crate::util::clock::Clock;
use chrono::TimeDelta;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;
use url::Url;

/// Maximum number of running polls, including those that wait for their host.
const MAX_TASKS: usize = 384;
/// Pause of a source whose poll could not be stored: another request would be useless.
const RETRY_PAUSE: TimeDelta = TimeDelta::minutes(5);
/// If the clock is this far behind the last poll, it has been set back.
const SET_BACK: TimeDelta = TimeDelta::minutes(1);
/// How often a waiting loop checks that the clock has not been set back.
const CLOCK_CHECK: Duration = Duration::from_secs(60);

/// How a task ended, with the number of the task.
type Ended = Result<(Id, (Job, Result<Polled, StoreError>)), JoinError>;

/// Commands for the loop.
pub(super) enum Command {
    /// Poll these sources (row keys), or all.
    Refresh {
        keys: Option<Vec<i64>>,
        pace: Pace,
        report: Option<mpsc::UnboundedSender<Report>>,
    },
    /// Forget the polls queued by a refresh.
    CancelRefresh,
    Replan,
}

pub(super) struct Loop {
    pub(super) context: Arc<Context>,
    pub(super) commands: mpsc::Receiver<Command>,
    pub(super) status: watch::Sender<Status>,
    pub(super) stop: CancellationToken,
    /// Whether due sources are polled automatically; keeps the lock until all polls have ended.
    pub(super) role: RoleLock,
    queue: Queue,
    tasks: JoinSet<(Job, Result<Polled, StoreError>)>,
    claims: HashMap<Id, Claim>,
    /// Sources whose last poll could not be stored, and until when they are paused.
    resting: HashMap<i64, Time>,
    done: usize,
    total: usize,
    /// The sources (row keys) that `total` counts.
    counted: HashSet<i64>,
    wake: Option<Time>,
    /// The latest time that this loop has seen; `None` until the plans have been compared with the clock.
    latest: Option<Time>,
}

impl Loop {
    pub(super) fn new(
        context: Arc<Context>,
        commands: mpsc::Receiver<Command>,
        status: watch::Sender<Status>,
        stop: CancellationToken,
        role: RoleLock,
    ) -> Self {
        Self {
            context,
            commands,
            status,
            stop,
            role,
            queue: Queue::default(),
            tasks: JoinSet::new(),
            claims: HashMap::new(),
            resting: HashMap::new(),
            done: 0,
            total: 0,
            counted: HashSet::new(),
            wake: None,
            latest: None,
        }
    }

    pub(super) async fn run(mut self) {
        self.replan().await;
        loop {
            self.start_jobs();
            self.publish();
            let clock = self.context.clock.clone();
            let alarm = async {
                match self.wake {
                    Some(at) => tokio::select! {
                        () = clock.sleep_until(at) => {}
                        () = set_back(clock.as_ref()) => {}
                    },
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = self.stop.cancelled() => break,
                command = self.commands.recv() => match command {
                    Some(command) => self.obey(command).await,
                    None => break,
                },
                Some(ended) = self.tasks.join_next_with_id() => {
                    self.ended(ended).await;
                    // Many polls end with the same commit.
                    while let Some(ended) = self.tasks.try_join_next_with_id() {
                        self.ended(ended).await;
                    }
                }
                () = alarm => self.replan().await,
            }
        }
        // Dropping a task closes its connection; running writes are finished.
        self.tasks.shutdown().await;
        if self.role.is_locked()
            && let Err(e) = self.context.store.clear_begun_poll(None).await
        {
            tracing::debug!("cannot delete the records of stopped polls: {e}");
        }
    }

    async fn postpone_unfinished(&self, now: Time) {
        if let Err(e) = unfinished::postpone(&self.context.store, now).await {
            tracing::error!(
                "cannot postpone the polls that another newsfed process did not finish: {e}"
            );
        }
    }

    async fn obey(&mut self, command: Command) {
        match command {
            Command::Replan => self.replan().await,
            Command::CancelRefresh => {
                self.done += self.queue.cancel_reported();
                self.end_refresh();
                // Sources that are due anyway are queued again.
                self.replan().await;
            }
            Command::Refresh { keys, pace, report } => {
                let named = keys.is_some();
                let keys = keys.unwrap_or_else(|| self.context.keys());
                let moved = self.moved(&keys).await;
                for key in keys {
                    let Some(source) = self.context.source(key) else { continue };
                    // The server of its account polls it.
                    if source.account.is_some() {
                        continue;
                    }
                    // A disabled source is polled only if it was named.
                    if source.enabled || named {
                        let queue = queue_of(&source, moved.get(&key));
                        self.enqueue(queue, Job { key, source, pace, report: report.clone() });
                    } else {
                        let result = Refreshed::Disabled.into();
                        send_report(report.as_ref(), source.id.clone(), result);
                    }
                }
            }
        }
    }

    /// The targets of the permanent redirects of these sources.
    async fn moved(&self, keys: &[i64]) -> HashMap<i64, Url> {
        let key = if let [key] = keys { Some(*key) } else { None };
        let moved = self.context.read(move |reader| reader.moved(key)).await.unwrap_or_else(|e| {
            tracing::error!("cannot read sources: {e}");
            Vec::new()
        });
        moved.into_iter().filter_map(|(key, to)| Some((key, to.parse().ok()?))).collect()
    }

    fn enqueue(&mut self, host: String, job: Job) {
        let key = job.key;
        if self.context.is_adding(&job.source.url) || !self.queue.push(host, job) {
            return;
        }
        // A source that is due again before the others are done counts only once.
        match self.counted.insert(key) {
            true => self.total += 1,
            false => self.done = self.done.saturating_sub(1),
        }
    }

    fn start_jobs(&mut self) {
        let now = self.context.clock.now();
        self.latest = self.latest.map(|latest| latest.max(now));
        while self.tasks.len() < MAX_TASKS {
            let Some((claim, job)) = self.queue.pop() else { return };
            let (context, recorded) = (self.context.clone(), self.role.is_locked());
            let task = self.tasks.spawn(async move {
                let result = poll(&context, &job, recorded).await;
                (job, result)
            });
            self.claims.insert(task.id(), claim);
        }
    }

    async fn ended(&mut self, ended: Ended) {
        let id = match &ended {
            Ok((id, _)) => *id,
            Err(e) => e.id(),
        };
        let claim = self.claims.remove(&id);
        match (ended, claim) {
            (Ok((_, (job, result))), Some(claim)) => {
                self.queue.done(&claim);
                let result = result.unwrap_or_else(|e| {
                    tracing::error!(source = %job.source.id, "cannot store the poll: {e}");
                    self.resting.insert(job.key, self.context.clock.now() + RETRY_PAUSE);
                    Refreshed::Lost(e.to_string()).into()
                });
                let polled = PolledSource::of(job.source.id.clone(), &result.result);
                self.context.announcer.take_polled(polled);
                send_report(job.report.as_ref(), job.source.id.clone(), result);
            }
            // A poll that panicked keeps its claim: another poll would only panic again.
            (Err(e), Some(claim)) => {
                tracing::error!("a poll panicked: {e}");
                self.queue.leave(&claim);
            }
            (_, None) => {}
        }
        self.done += 1;
        self.end_refresh();
        // One slow host must not delay sources that become due.
        if self.queue.is_drained() {
            self.replan().await;
        }
    }

    /// Ends the refresh if all of its polls are done.
    fn end_refresh(&mut self) {
        if self.done >= self.total {
            (self.done, self.total) = (0, 0);
            self.counted.clear();
            announce::refresh_ended(&self.context);
        }
    }

    /// Reads what is due and when to wake next.
    async fn replan(&mut self) {
        let now = self.context.clock.now();
        if self.role.take_over() {
            tracing::info!("the other newsfed process has ended; this one polls the sources now");
            self.postpone_unfinished(now).await;
            budget::restore(&self.context).await;
            self.latest = None;
        }
        self.wake = self.role.next_try(now);
        let role = self.role.role();
        // The clock can only be behind the times that this process recorded if it was set back.
        if matches!(role, ProcessRole::Follows | ProcessRole::OnDemand)
            && self.latest.is_none_or(|latest| now < latest)
        {
            match self.heal(now).await {
                Ok(()) => self.latest = Some(now),
                Err(e) => {
                    tracing::error!(
                        "cannot correct the schedule after the clock was set back: {e}"
                    );
                }
            }
        }
        if role != ProcessRole::Follows {
            return;
        }
        let due = match self.due().await {
            Ok(due) => due,
            Err(e) => {
                tracing::error!("cannot plan polls: {e}");
                self.wake = Some(now + TimeDelta::minutes(1));
                return;
            }
        };
        self.resting.retain(|_, until| *until > now && *until <= now + RETRY_PAUSE);
        let resting = self.resting.keys();
        let busy: HashSet<i64> = self.queue.claimed().iter().chain(resting).copied().collect();
        let weight = |key| {
            let source = self.context.source(key);
            source.map_or(1.0, |s| s.schedule.priority.unwrap_or_default().weight())
        };
        let plan = plan(&due, now, &busy, weight);
        self.wake = plan.wake.into_iter().chain(self.resting.values().copied()).min();
        let moved =
            if plan.start.is_empty() { HashMap::new() } else { self.moved(&plan.start).await };
        for key in plan.start {
            let Some(source) = self.context.source(key) else { continue };
            let queue = queue_of(&source, moved.get(&key));
            self.enqueue(queue, Job { key, source, pace: Pace::Due, report: None });
        }
    }

    /// If the clock was set back, moves the plans back by the same amount; otherwise, nothing would be polled
    /// until the clock had caught up.
    async fn heal(&self, now: Time) -> Result<(), StoreError> {
        let newest = self.context.read(|reader| reader.newest_poll()).await?;
        if let Some(ahead) = newest.map(|at| at - now).filter(|ahead| *ahead > SET_BACK) {
            tracing::warn!("the clock was set back by about {} s", ahead.num_seconds());
            self.context.store.set_back(ahead).await?;
        }
        Ok(())
    }

    /// The sources, ordered by their next poll.
    async fn due(&self) -> Result<Vec<Due>, StoreError> {
        // Sources that are being polled are due too, so the limit is raised by their number.
        let horizon = HORIZON + self.queue.claimed().len();
        self.context.read(move |reader| reader.by_next_poll(horizon)).await
    }

    fn publish(&mut self) {
        let role = self.role.role();
        let status = Status {
            role,
            done: self.done,
            total: self.total,
            host: self.queue.busy_host().cloned(),
            claimed: HashSet::new(),
            // A watching process wakes to try to take over, not to poll.
            next: self.wake.filter(|_| role == ProcessRole::Follows),
            offline: self.context.network.is_offline(),
            declaration_error: self.context.declaration_error(),
            declaration_warning: self.context.declaration_warning(),
            accounts: self.context.account_notes(),
            syncing: self.context.sync_progress(),
        };
        self.status.send_if_modified(|old| {
            let mut claimed = std::mem::take(&mut old.claimed);
            let changed = self.queue.copy_claims(&mut claimed) | (*old != status);
            *old = Status { claimed, ..status };
            changed
        });
    }
}

/// Completes when the clock has been set back to a time before this call.
async fn set_back(clock: &dyn Clock) {
    let begun = clock.now();
    while clock.now() >= begun - SET_BACK {
        tokio::time::sleep(CLOCK_CHECK).await;
    }
}

fn send_report(
    report: Option<&mpsc::UnboundedSender<Report>>,
    source: SourceId,
    Polled { result, left_out, problem }: Polled,
) {
    if let Some(report) = report {
        // The listener may be gone if the refresh was cancelled.
        let _ = report.send(Report { source, result, left_out, problem });
    }
}
