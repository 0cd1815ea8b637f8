//! How a command ends.

use crate::config::{ConfigErrors, EditError, ImportError, NoHome};
use crate::engine::FollowError;
use crate::store::StoreError;
use std::io;
use std::process::ExitCode;

/// The exit code of a command that came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// Done.
    Ok,
    /// Nothing of it could be done.
    Failed,
    /// The arguments make no sense.
    Usage,
    /// Some of it could be done.
    Partial,
    /// A file of the user's has faults.
    Config,
    /// Stopped by the user.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Ok => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Partial => 3,
            Exit::Config => 4,
            Exit::Interrupted => 130,
        })
    }
}

/// Why a command gave up.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// Anything that needs no kind of its own; says what, where and what to do.
    #[error("{0}")]
    Plain(String),
    /// The arguments make no sense.
    #[error("{0}")]
    Usage(String),
    /// The files have faults.
    #[error(transparent)]
    Config(#[from] ConfigErrors),
    /// No folder to work in.
    #[error(transparent)]
    Home(#[from] NoHome),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An address, or a change of the sources through the engine.
    #[error(transparent)]
    Follow(#[from] FollowError),
    /// A change of `sources.toml`.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// A list of sources.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The output cannot be written.
    #[error("the output cannot be written: {0}")]
    Output(#[source] io::Error),
    /// Whoever read the output has left: nothing is wrong, and nobody is there to be told.
    #[error("nobody reads the output")]
    Unread,
}

impl From<io::Error> for Failure {
    fn from(e: io::Error) -> Self {
        if e.kind() == io::ErrorKind::BrokenPipe { Self::Unread } else { Self::Output(e) }
    }
}

impl Failure {
    pub(super) fn exit(&self) -> Exit {
        match self {
            Self::Unread => Exit::Ok,
            Self::Usage(_) => Exit::Usage,
            Self::Config(_)
            | Self::Edit(EditError::Invalid(_))
            | Self::Follow(FollowError::Config(_) | FollowError::Edit(EditError::Invalid(_))) => {
                Exit::Config
            }
            _ => Exit::Failed,
        }
    }
}
