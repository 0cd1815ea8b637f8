//! Exit codes and errors of commands.

use crate::config::{ConfigErrors, EditError, ImportError, NoHome};
use crate::engine::FollowError;
use crate::exchange::ExchangeError;
use crate::store::{ForeignError, StoreError};
use std::io;
use std::process::ExitCode;

/// The exit code of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    Ok,
    /// The command did not succeed.
    Failed,
    /// Invalid arguments.
    Usage,
    /// Only part of the work was done.
    Partial,
    /// A configuration file has errors.
    Config,
    /// Interrupted by the user.
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

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// Any other error; the text describes what failed, where, and what to do.
    #[error("{0}")]
    Plain(String),
    /// Invalid arguments.
    #[error("{0}")]
    Usage(String),
    /// The configuration files have errors.
    #[error(transparent)]
    Config(#[from] ConfigErrors),
    /// There is no usable folder for the data or the settings.
    #[error(transparent)]
    Home(#[from] NoHome),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Following a URL, or changing the sources through the engine, failed.
    #[error(transparent)]
    Follow(#[from] FollowError),
    /// Changing `sources.toml` failed.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// Importing a list failed.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// Importing items from a file failed.
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
    /// Importing items from a database failed.
    #[error(transparent)]
    Foreign(#[from] ForeignError),
    #[error("cannot write the output: {0}")]
    Output(#[source] io::Error),
    /// The reader of the output has closed the pipe. This is not an error, and nobody would see a message.
    #[error("the output was closed")]
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
