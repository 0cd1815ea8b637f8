//! The options that every command accepts.

use super::exit::Failure;
use crate::config::Paths;
use clap::{ArgAction, Args};
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub(super) struct Global {
    /// Folder of config.toml and sources.toml
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) config_dir: Option<PathBuf>,
    /// Folder of the database
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) data_dir: Option<PathBuf>,
    /// Change a setting for this run, such as net.host_delay=2s; can be repeated
    #[arg(long, global = true, value_name = "KEY=VALUE", action = ArgAction::Append)]
    pub(super) set: Vec<String>,
    /// Print data as JSON, one value per line
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// Print more; -vv also prints debug messages
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet")]
    pub(super) verbose: u8,
    /// Print only data and errors
    #[arg(short, long, global = true)]
    pub(super) quiet: bool,
}

impl Global {
    pub(super) fn paths(&self) -> Result<Paths, Failure> {
        Ok(Paths::resolve(self.config_dir.clone(), self.data_dir.clone())?)
    }
}
