//! `[[command]]` of `config.toml`.

use super::choices::{CommandInput, CommandOutput};
use std::time::Duration;

/// Timeout of a command without a limit of its own.
pub const COMMAND_LIMIT: Duration = Duration::from_secs(60);

/// `[[command]]`: a program that the user can run for items.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommandSettings {
    /// Its name in `run`; unique.
    pub name: String,
    /// The program and its arguments, with placeholders.
    pub run: Vec<String>,
    pub input: CommandInput,
    pub output: CommandOutput,
    /// Timeout; `None` means [`COMMAND_LIMIT`].
    pub limit: Option<Duration>,
}
