//! Packs all data of the user into one file and restores it: settings, sources, the database and what crawls
//! have learned.
//!
//! The file is a gzip-compressed tar archive. Its first entry is a manifest with the size and the SHA-256 of
//! each file. The files follow in the order of the manifest, and nothing comes after them.

mod error;
mod manifest;
mod pack;
mod place;
mod restore;
mod unpack;

#[cfg(test)]
mod tests;

pub use error::BackupError;
pub use manifest::{Manifest, PackedFile};
pub use pack::{Packed, default_name, pack};
pub use restore::{Restored, check, restore};

/// Called with the current step, such as "Packing newsfed.db", and the number of bytes so far.
pub type BackupProgress<'a> = &'a dyn Fn(&str, u64);
