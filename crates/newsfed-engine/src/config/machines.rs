//! `[machines]`: the folder through which machines exchange marks.

use super::paths::Paths;
use std::path::PathBuf;

/// `[machines]`
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MachineSettings {
    /// The folder through which machines exchange marks; `None`: none are exchanged.
    pub folder: Option<String>,
    /// The name of this machine for others; `None`: the name of the computer.
    pub name: Option<String>,
}

impl MachineSettings {
    /// The folder through which machines exchange marks.
    pub fn folder(&self) -> Option<PathBuf> {
        Paths::expanded(self.folder.as_deref()?)
    }
}
