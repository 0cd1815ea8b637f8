//! The role of this process, and taking over from a polling process that has ended.

use super::message::ProcessRole;
use crate::model::Time;
use crate::store::{Poller, PollerLock, Result};
use chrono::TimeDelta;
use std::path::{Path, PathBuf};

/// How often a watching process tries to take over.
const TRY: TimeDelta = TimeDelta::seconds(5);

/// The role, and the lock on the database that the role depends on.
pub(super) struct RoleLock {
    role: ProcessRole,
    lock: Option<PollerLock>,
    database: PathBuf,
    /// Whether due sources are polled automatically.
    follow: bool,
}

impl RoleLock {
    /// Takes the lock. If another process has it, this process watches.
    pub(super) fn choose(database: &Path, follow: bool) -> Result<Self> {
        let role = if follow { ProcessRole::Follows } else { ProcessRole::OnDemand };
        let mut role = Self { role, lock: None, database: database.to_owned(), follow };
        match PollerLock::acquire(database)? {
            Poller::Mine(lock) => role.lock = Some(lock),
            Poller::Other(pid) => role.role = ProcessRole::Watches(pid),
        }
        Ok(role)
    }

    /// The role of a process that cannot write to the database.
    pub(super) fn reading(database: &Path) -> Self {
        Self { role: ProcessRole::Reads, lock: None, database: database.to_owned(), follow: false }
    }

    /// Whether this process is the only one that may poll.
    pub(super) fn is_locked(&self) -> bool {
        self.lock.is_some()
    }

    pub(super) fn role(&self) -> ProcessRole {
        self.role
    }

    /// Follows the sources from now on if this process was watching and the lock has become free;
    /// returns whether that happened. The role of a process that polls only on request does not change.
    pub(super) fn take_over(&mut self) -> bool {
        if !self.waits() {
            return false;
        }
        match PollerLock::acquire(&self.database) {
            Ok(Poller::Mine(lock)) => {
                (self.role, self.lock) = (ProcessRole::Follows, Some(lock));
                return true;
            }
            Ok(Poller::Other(pid)) => self.role = ProcessRole::Watches(pid),
            Err(e) => tracing::debug!("cannot take over: {e}"),
        }
        false
    }

    /// When to try again.
    pub(super) fn next_try(&self, now: Time) -> Option<Time> {
        self.waits().then(|| now + TRY)
    }

    fn waits(&self) -> bool {
        self.follow && self.lock.is_none()
    }
}
