//! The loop: one task that starts looks, hears of their ends, and sleeps until the next is due.

use super::context::Context;
use super::look::look;
use super::message::{Pace, Refreshed, Report, Role, Status};
use super::plan::{HORIZON, plan};
use super::queue::{Claim, Job, Queue};
use crate::model::{SourceId, Time};
use crate::net::host_key;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use url::Url;

/// Looks under way at once, those that wait for their host's turn included.
const MAX_TASKS: usize = 512;

/// What the loop is asked to do.
pub(super) enum Command {
    /// Look at these sources (row keys), or at all.
    Refresh { keys: Option<Vec<i64>>, pace: Pace, report: Option<mpsc::UnboundedSender<Report>> },
    /// The declared sources have changed.
    Replan,
}

pub(super) struct Loop {
    pub(super) context: Arc<Context>,
    pub(super) commands: mpsc::Receiver<Command>,
    pub(super) status: watch::Sender<Status>,
    pub(super) stop: CancellationToken,
    /// Whether due sources are looked at without being asked for.
    pub(super) role: Role,
    queue: Queue,
    tasks: JoinSet<(Claim, Job, Refreshed)>,
    done: usize,
    total: usize,
    wake: Option<Time>,
}

impl Loop {
    pub(super) fn new(
        context: Arc<Context>,
        commands: mpsc::Receiver<Command>,
        status: watch::Sender<Status>,
        stop: CancellationToken,
        role: Role,
    ) -> Self {
        Self {
            context,
            commands,
            status,
            stop,
            role,
            queue: Queue::default(),
            tasks: JoinSet::new(),
            done: 0,
            total: 0,
            wake: None,
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
                    Some(at) => clock.sleep_until(at).await,
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
                Some(ended) = self.tasks.join_next() => self.ended(ended).await,
                () = alarm => self.replan().await,
            }
        }
        // Dropping a task closes its connection; what is being written is written to the end.
        self.tasks.shutdown().await;
    }

    async fn obey(&mut self, command: Command) {
        match command {
            Command::Replan => self.replan().await,
            Command::Refresh { keys, pace, report } => {
                let named = keys.is_some();
                let keys = keys.unwrap_or_else(|| self.context.keys());
                let moved = self.moved(&keys).await;
                for key in keys {
                    let Some(source) = self.context.source(key) else { continue };
                    // A source that is switched off is looked at only when named.
                    if source.enabled || named {
                        let url = moved.get(&key).unwrap_or(&source.url);
                        self.enqueue(
                            host_key(url),
                            Job { key, source, pace, report: report.clone() },
                        );
                    } else {
                        tell(report.as_ref(), source.id.clone(), Refreshed::Disabled);
                    }
                }
            }
        }
    }

    /// The addresses of those sources that have moved for good.
    async fn moved(&self, keys: &[i64]) -> HashMap<i64, Url> {
        let key = if let [key] = keys { Some(*key) } else { None };
        let facts = self.context.read(move |reader| match key {
            Some(key) => Ok(reader.source(key)?.into_iter().collect()),
            None => reader.sources(),
        });
        let facts = facts.await.unwrap_or_else(|e| {
            tracing::error!("reading sources: {e}");
            Vec::new()
        });
        let moved = facts.into_iter().filter_map(|f| Some((f.key, f.moved_to?.parse().ok()?)));
        moved.collect()
    }

    fn enqueue(&mut self, host: String, job: Job) {
        if !self.context.is_reserved(&job.source.url) && self.queue.push(host, job) {
            self.total += 1;
        }
    }

    fn start_jobs(&mut self) {
        while self.tasks.len() < MAX_TASKS {
            let Some((claim, job)) = self.queue.pop() else { return };
            let context = self.context.clone();
            self.tasks.spawn(async move {
                let result = look(&context, &job).await;
                (claim, job, result)
            });
        }
    }

    async fn ended(&mut self, ended: Result<(Claim, Job, Refreshed), tokio::task::JoinError>) {
        match ended {
            Ok((claim, job, result)) => {
                self.queue.done(&claim);
                tell(job.report.as_ref(), job.source.id.clone(), result);
            }
            // A look that panicked keeps its claim: looking again at once would only repeat it.
            Err(e) => tracing::error!("a look ended badly: {e}"),
        }
        self.done += 1;
        if self.done >= self.total {
            (self.done, self.total) = (0, 0);
            self.replan().await;
        }
    }

    /// Reads what is due and when to wake next.
    async fn replan(&mut self) {
        self.wake = None;
        if self.role != Role::Follows {
            return;
        }
        let due = match self.context.read(|reader| reader.by_next_poll(HORIZON)).await {
            Ok(due) => due,
            Err(e) => {
                tracing::error!("planning: {e}");
                self.wake = Some(self.context.clock.now() + chrono::TimeDelta::minutes(1));
                return;
            }
        };
        let plan = plan(&due, self.context.clock.now(), self.queue.claimed());
        self.wake = plan.wake;
        let moved =
            if plan.start.is_empty() { HashMap::new() } else { self.moved(&plan.start).await };
        for key in plan.start {
            let Some(source) = self.context.source(key) else { continue };
            let host = host_key(moved.get(&key).unwrap_or(&source.url));
            self.enqueue(host, Job { key, source, pace: Pace::Due, report: None });
        }
    }

    fn publish(&self) {
        let status = Status {
            role: self.role,
            done: self.done,
            total: self.total,
            host: self.queue.busy_host().cloned(),
            next: self.wake,
            offline: self.context.network.is_offline(),
        };
        self.status.send_if_modified(|old| {
            let changed = *old != status;
            *old = status;
            changed
        });
    }
}

fn tell(report: Option<&mpsc::UnboundedSender<Report>>, source: SourceId, result: Refreshed) {
    if let Some(report) = report {
        // Nobody listens any more when the refresh was given up.
        let _ = report.send(Report { source, result });
    }
}
