//! Sources that wait to be polled: one queue per host, so that a host with many sources occupies
//! no slot that another could use.

use super::message::{Pace, Report};
use crate::model::Source;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;

/// One poll to run.
#[derive(Debug, Clone)]
pub(super) struct Job {
    pub(super) key: i64,
    pub(super) source: Arc<Source>,
    pub(super) pace: Pace,
    /// Receives the result.
    pub(super) report: Option<UnboundedSender<Report>>,
}

/// Jobs by host, and the claims on their sources.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: HashMap<String, VecDeque<Job>>,
    /// Hosts with waiting jobs and no running one, in the order in which they get their turn.
    ready: VecDeque<String>,
    busy: HashSet<String>,
    claimed: HashSet<i64>,
    /// Sources that were claimed or released since [`Queue::copy_claims`].
    changed: Vec<i64>,
}

/// A running job; must be returned to [`Queue::done`].
#[derive(Debug)]
pub(super) struct Claim {
    pub(super) key: i64,
    pub(super) host: String,
}

impl Queue {
    /// Adds a job unless its source is already waiting or being polled.
    pub(super) fn push(&mut self, host: String, job: Job) -> bool {
        if !self.claimed.insert(job.key) {
            return false;
        }
        self.changed.push(job.key);
        let jobs = self.waiting.entry(host.clone()).or_default();
        jobs.push_back(job);
        if jobs.len() == 1 && !self.busy.contains(&host) {
            self.ready.push_back(host);
        }
        true
    }

    /// The next job of a host without a running job.
    pub(super) fn pop(&mut self) -> Option<(Claim, Job)> {
        let host = self.ready.pop_front()?;
        let jobs = self.waiting.get_mut(&host)?;
        let job = jobs.pop_front()?;
        if jobs.is_empty() {
            self.waiting.remove(&host);
        }
        self.busy.insert(host.clone());
        Some((Claim { key: job.key, host }, job))
    }

    /// Drops the waiting jobs whose results were requested, so that their channels close. Returns their
    /// number.
    pub(super) fn cancel_reported(&mut self) -> usize {
        let before = self.claimed.len();
        for jobs in self.waiting.values_mut() {
            jobs.retain(|job| {
                let stays = job.report.is_none();
                if !stays {
                    self.claimed.remove(&job.key);
                    self.changed.push(job.key);
                }
                stays
            });
        }
        self.waiting.retain(|_, jobs| !jobs.is_empty());
        self.ready.retain(|host| self.waiting.contains_key(host));
        before - self.claimed.len()
    }

    /// Releases a claim, whatever the result of its job.
    pub(super) fn done(&mut self, claim: &Claim) {
        self.claimed.remove(&claim.key);
        self.changed.push(claim.key);
        self.leave(claim);
    }

    /// Lets the next job of the host start but keeps the claim on the source.
    pub(super) fn leave(&mut self, claim: &Claim) {
        self.busy.remove(&claim.host);
        if self.waiting.contains_key(&claim.host) {
            self.ready.push_back(claim.host.clone());
        }
    }

    /// Whether all jobs have been started.
    pub(super) fn is_drained(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn claimed(&self) -> &HashSet<i64> {
        &self.claimed
    }

    /// Applies the changes since the last call to a copy of the claims, which may be too many to copy each
    /// time. Returns whether the copy has changed.
    pub(super) fn copy_claims(&mut self, copy: &mut HashSet<i64>) -> bool {
        let mut changed = false;
        for key in self.changed.drain(..) {
            changed |= match self.claimed.contains(&key) {
                true => copy.insert(key),
                false => copy.remove(&key),
            };
        }
        changed
    }

    /// A host with a running job, for the status line.
    pub(super) fn busy_host(&self) -> Option<&String> {
        self.busy.iter().next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SourceId;

    fn job(key: i64) -> Job {
        let source = Source::feed(SourceId(key.to_string()), "http://a/".parse().unwrap());
        Job { key, source: Arc::new(source), pace: Pace::Due, report: None }
    }

    #[test]
    fn runs_one_job_per_host_and_hosts_take_turns() {
        let mut queue = Queue::default();
        for (host, key) in [("a", 1), ("a", 2), ("b", 3)] {
            assert!(queue.push(host.to_owned(), job(key)));
        }
        let (first, _) = queue.pop().unwrap();
        let (second, _) = queue.pop().unwrap();
        assert_eq!((first.key, second.key), (1, 3));
        assert!(queue.pop().is_none(), "host a is busy");
        queue.done(&first);
        assert_eq!(queue.pop().unwrap().0.key, 2);
    }

    #[test]
    fn a_panicked_job_blocks_only_its_source() {
        let mut queue = Queue::default();
        queue.push("a".to_owned(), job(1));
        queue.push("a".to_owned(), job(2));
        let (bad, _) = queue.pop().unwrap();
        assert!(!queue.is_drained());
        queue.leave(&bad);
        assert!(!queue.push("a".to_owned(), job(1)), "still claimed");
        assert_eq!(queue.pop().unwrap().0.key, 2, "the host continues");
        assert!(queue.is_drained());
    }

    #[test]
    fn cancelling_drops_waiting_jobs_with_a_listener() {
        let mut queue = Queue::default();
        let (listener, mut reports) = tokio::sync::mpsc::unbounded_channel();
        for (host, key) in [("a", 1), ("a", 2), ("b", 3)] {
            let report = Some(listener.clone());
            assert!(queue.push(host.to_owned(), Job { report, ..job(key) }));
        }
        assert!(queue.push("b".to_owned(), job(4)));
        drop(listener);
        let (claim, running) = queue.pop().unwrap();
        assert_eq!(queue.cancel_reported(), 2);
        assert_eq!(queue.pop().unwrap().0.key, 4, "no caller waits for a due one");
        assert!(queue.is_drained() && queue.pop().is_none());
        assert!(queue.push("a".to_owned(), job(2)), "its claim was released");
        drop(running);
        queue.done(&claim);
        assert!(reports.try_recv().is_err() && reports.is_closed(), "its channel closes");
    }

    #[test]
    fn updates_a_copy_of_the_claims() {
        let (mut queue, mut copy) = (Queue::default(), HashSet::new());
        for key in [1, 2, 3] {
            assert!(queue.push("a".to_owned(), job(key)));
        }
        let (claim, _) = queue.pop().unwrap();
        assert!(queue.copy_claims(&mut copy) && copy == HashSet::from([1, 2, 3]));
        assert!(!queue.copy_claims(&mut copy));
        queue.done(&claim);
        assert!(queue.push("a".to_owned(), job(1)));
        assert!(!queue.copy_claims(&mut copy), "released and claimed again");
        let report = Some(tokio::sync::mpsc::unbounded_channel().0);
        assert!(queue.push("b".to_owned(), Job { report, ..job(4) }));
        assert_eq!(queue.cancel_reported(), 1);
        assert!(!queue.copy_claims(&mut copy) && copy == *queue.claimed());
    }

    #[test]
    fn a_source_is_claimed_until_its_job_is_done() {
        let mut queue = Queue::default();
        assert!(queue.push("a".to_owned(), job(1)));
        assert!(!queue.push("a".to_owned(), job(1)), "waiting");
        let (claim, _) = queue.pop().unwrap();
        assert!(!queue.push("a".to_owned(), job(1)), "running");
        queue.done(&claim);
        assert!(queue.push("a".to_owned(), job(1)));
    }
}
