//! Extracts a backup into a temporary folder. Nothing in the archive decides where a file is written.

use super::manifest::{self, FORMAT, Manifest, PackedFile};
use super::pack::{Hashed, hex};
use super::place::Place;
use super::{BackupError, BackupProgress};
use crate::store;
use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// The files of a backup, extracted into a temporary folder and verified against their checksums.
pub(super) struct Unpacked {
    pub(super) manifest: Manifest,
    pub(super) files: Vec<(Place, PathBuf)>,
}

/// Maximum number of zero bytes that may follow the last entry.
const MAX_PADDING: u64 = 1 << 20;

/// Extracts a backup into a folder. The extracted files are named by number.
pub(super) fn unpack(
    file: &Path,
    into: &Path,
    progress: BackupProgress<'_>,
) -> Result<Unpacked, BackupError> {
    let opened = File::open(file).map_err(BackupError::read(file))?;
    let metadata = opened.metadata().map_err(BackupError::read(file))?;
    if !metadata.is_file() {
        let why = "it is not a regular file".to_owned();
        return Err(BackupError::NotABackup { file: file.to_owned(), why });
    }
    let reader = Backup { file, into, progress };
    reader.read(opened, metadata.len())
}

struct Backup<'a> {
    file: &'a Path,
    into: &'a Path,
    progress: BackupProgress<'a>,
}

impl Backup<'_> {
    fn not_a_backup(&self, why: impl Into<String>) -> BackupError {
        BackupError::NotABackup { file: self.file.to_owned(), why: why.into() }
    }

    fn damaged(&self, why: impl Into<String>) -> BackupError {
        BackupError::Damaged { file: self.file.to_owned(), why: why.into() }
    }

    fn unreadable(&self, e: &io::Error) -> BackupError {
        self.damaged(match e.kind() {
            io::ErrorKind::UnexpectedEof => "its end is missing".to_owned(),
            _ => e.to_string(),
        })
    }

    fn read(&self, opened: File, packed: u64) -> Result<Unpacked, BackupError> {
        let mut archive = tar::Archive::new(GzDecoder::new(BufReader::new(opened)));
        // Read raw entries, so that extensions of the format, which could be large, appear as entries and are
        // rejected.
        let mut entries = archive.entries().map_err(|e| self.unreadable(&e))?.raw(true);
        let first = entries.next().ok_or_else(|| self.not_a_backup("it is empty"))?;
        let first = first.map_err(|_| self.not_a_backup("it is not a compressed archive"))?;
        let manifest = self.manifest(first, packed)?;
        let mut files = Vec::new();
        for (number, listed) in manifest.files.iter().enumerate() {
            let entry = entries.next().ok_or_else(|| self.damaged("its end is missing"))?;
            let entry = entry.map_err(|e| self.unreadable(&e))?;
            let Some(place) = Place::of(&listed.name) else {
                return Err(self.damaged("its manifest lists an unknown file"));
            };
            let path = self.into.join(number.to_string());
            self.copy(entry, listed, &path)?;
            files.push((place, path));
        }
        if let Some(more) = entries.next() {
            let name = more.map_err(|e| self.unreadable(&e))?;
            let name = String::from_utf8_lossy(&name.path_bytes()).into_owned();
            return Err(self.damaged(format!("it has {name:?}, which its manifest does not list")));
        }
        // Read to the end, so that the checksum of the compressed data is verified.
        let mut rest = archive.into_inner().take(MAX_PADDING + 1);
        let rest = io::copy(&mut rest, &mut io::sink()).map_err(|e| self.unreadable(&e))?;
        if rest > MAX_PADDING {
            return Err(self.damaged("it contains data after the last file"));
        }
        Ok(Unpacked { manifest, files })
    }

    fn manifest(
        &self,
        entry: tar::Entry<'_, impl Read>,
        packed: u64,
    ) -> Result<Manifest, BackupError> {
        let is_manifest = entry.path_bytes() == manifest::NAME.as_bytes()
            && entry.header().entry_type() == tar::EntryType::Regular;
        if !is_manifest || entry.size() > manifest::MAX_BYTES {
            return Err(self.not_a_backup(format!("it does not begin with {}", manifest::NAME)));
        }
        let mut json = Vec::new();
        entry.take(manifest::MAX_BYTES).read_to_end(&mut json).map_err(|e| self.unreadable(&e))?;
        // A newer format may have other fields.
        #[derive(serde::Deserialize)]
        struct Version {
            format: u32,
            newsfed: String,
        }
        let version: Version = serde_json::from_slice(&json)
            .map_err(|e| self.not_a_backup(format!("its manifest cannot be read: {e}")))?;
        let too_new = |what, found: u64, known: u64| BackupError::TooNew {
            file: self.file.to_owned(),
            newsfed: crate::util::text::line(&version.newsfed),
            what,
            found,
            known,
        };
        if version.format > FORMAT {
            return Err(too_new("format", version.format.into(), FORMAT.into()));
        }
        let manifest: Manifest = serde_json::from_slice(&json)
            .map_err(|e| self.not_a_backup(format!("its manifest cannot be read: {e}")))?;
        if manifest.schema > store::schema_version() {
            let known = store::schema_version() as u64;
            return Err(too_new("database schema", manifest.schema as u64, known));
        }
        match manifest.problem(packed) {
            Some(why) => Err(self.not_a_backup(why)),
            None => Ok(manifest),
        }
    }

    /// Copies an entry, which must match the manifest, into a new file.
    fn copy(
        &self,
        mut entry: tar::Entry<'_, impl Read>,
        listed: &PackedFile,
        path: &Path,
    ) -> Result<(), BackupError> {
        let found = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if entry.header().entry_type() != tar::EntryType::Regular || found != listed.name {
            return Err(self.damaged(format!("it has {found:?} where {} belongs", listed.name)));
        }
        if entry.size() != listed.bytes {
            return Err(
                self.damaged(format!("the size of {} differs from the manifest", listed.name))
            );
        }
        let folder = self.into.parent().unwrap_or(self.into);
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let to = options.open(path).map_err(BackupError::write(folder))?;
        let mut to = Hashed { to, hash: Sha256::new() };
        let mut buffer = vec![0; 1 << 16];
        let mut copied = 0u64;
        loop {
            let read = entry.read(&mut buffer).map_err(|e| self.unreadable(&e))?;
            if read == 0 {
                break;
            }
            to.write_all(&buffer[..read]).map_err(BackupError::write(folder))?;
            copied += read as u64;
            (self.progress)(&format!("Checking {}", listed.name), copied);
        }
        if copied != listed.bytes || hex(&to.hash.finalize()) != listed.sha256 {
            let what = format!("{} does not match its checksum in the backup", listed.name);
            return Err(self.damaged(what));
        }
        to.to.sync_all().map_err(BackupError::write(folder))
    }
}
