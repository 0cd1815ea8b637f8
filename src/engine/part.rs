//! Which part this process plays, and taking over from a poller that has ended.

use super::message::Role;
use crate::model::Time;
use crate::store::{Poller, PollerLock, Result};
use chrono::TimeDelta;
use std::path::{Path, PathBuf};

/// How often a process that watches tries to take over.
const TRY: TimeDelta = TimeDelta::seconds(5);

/// The part, and the lock on the database that goes with it.
pub(super) struct Part {
    role: Role,
    lock: Option<PollerLock>,
    database: PathBuf,
    /// Whether due sources are to be polled by themselves.
    follow: bool,
}

impl Part {
    /// Takes the lock, or the part of watching where another process has it.
    pub(super) fn choose(database: &Path, follow: bool) -> Result<Self> {
        let role = if follow { Role::Follows } else { Role::OnDemand };
        let mut part = Self { role, lock: None, database: database.to_owned(), follow };
        match PollerLock::acquire(database)? {
            Poller::Mine(lock) => part.lock = Some(lock),
            Poller::Other(pid) => part.role = Role::Watches(pid),
        }
        Ok(part)
    }

    /// The part of a process that cannot write to the database.
    pub(super) fn reading(database: &Path) -> Self {
        Self { role: Role::Reads, lock: None, database: database.to_owned(), follow: false }
    }

    pub(super) fn role(&self) -> Role {
        self.role
    }

    /// Follows the sources from now on if this process only watched and the lock has become free;
    /// tells whether that is so. A process that looks only when told to stays as it is.
    pub(super) fn take_over(&mut self) -> bool {
        if !self.waits() {
            return false;
        }
        match PollerLock::acquire(&self.database) {
            Ok(Poller::Mine(lock)) => {
                (self.role, self.lock) = (Role::Follows, Some(lock));
                return true;
            }
            Ok(Poller::Other(pid)) => self.role = Role::Watches(pid),
            Err(e) => tracing::debug!("taking over: {e}"),
        }
        false
    }

    /// When to try that again.
    pub(super) fn next_try(&self, now: Time) -> Option<Time> {
        self.waits().then(|| now + TRY)
    }

    fn waits(&self) -> bool {
        self.follow && self.lock.is_none()
    }
}
