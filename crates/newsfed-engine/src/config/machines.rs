//! `[machines]`: the folder that machines use to exchange marks.

use super::paths::Paths;
use std::path::PathBuf;

/// `[machines]`
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MachineSettings {
    /// The folder that machines use to exchange marks; `None` disables the exchange.
    pub folder: Option<String>,
    /// The name under which other machines see this one; `None` means the name of the computer.
    pub name: Option<String>,
}

impl MachineSettings {
    /// The folder that machines use to exchange marks, expanded.
    pub fn folder(&self) -> Option<PathBuf> {
        Paths::expanded(self.folder.as_deref()?)
    }
}
