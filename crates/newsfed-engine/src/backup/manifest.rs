//! The manifest, which is the first entry of a backup.

use crate::model::Time;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The version of the format. Backups with a newer version are rejected.
pub(super) const FORMAT: u32 = 1;
/// The name of the manifest in the archive.
pub(super) const NAME: &str = "manifest.json";
/// Maximum size of a manifest, in bytes, which is enough for [`MAX_FILES`].
pub(super) const MAX_BYTES: u64 = 4 << 20;
/// Maximum number of files in a backup.
pub(super) const MAX_FILES: usize = 10_010;

/// The contents of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    /// The version of newsfed that made the backup.
    pub newsfed: String,
    /// The schema version of the database; 0 if there is no database.
    pub schema: usize,
    pub created: Time,
    /// The files, in archive order.
    pub files: Vec<PackedFile>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedFile {
    /// The path in the archive, such as `data/newsfed.db`.
    pub name: String,
    pub bytes: u64,
    /// Lower-case hexadecimal digits.
    pub sha256: String,
}

impl Manifest {
    /// The reason why the list of files cannot belong to a backup of `packed` bytes.
    pub(super) fn problem(&self, packed: u64) -> Option<String> {
        if self.files.is_empty() {
            return Some("it lists no files".to_owned());
        }
        if self.files.len() > MAX_FILES {
            return Some(format!("it lists {} files", self.files.len()));
        }
        let mut names = HashSet::new();
        for file in &self.files {
            if super::place::Place::of(&file.name).is_none() {
                return Some(format!(
                    "it lists {:?}, which does not belong in a backup",
                    file.name
                ));
            }
            if !names.insert(&file.name) {
                return Some(format!("it lists {} twice", file.name));
            }
        }
        let total = self.files.iter().try_fold(0u64, |sum, file| sum.checked_add(file.bytes));
        // A database is compressed to between a third and a half of its size. A file that expands much more
        // is intended to fill the disk.
        let most = packed.saturating_mul(MAX_RATIO).saturating_add(SLACK);
        match total {
            Some(total) if total <= most => None,
            _ => Some("it claims to contain far more than a file of this size can".to_owned()),
        }
    }
}

/// Maximum total size of the files, as a multiple of the size of the archive.
const MAX_RATIO: u64 = 100;
/// Number of bytes that the files may have beyond that multiple.
const SLACK: u64 = 64 << 20;
