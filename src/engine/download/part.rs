//! An unfinished download: `NAME.part`, and beside it `NAME.part.json`, which says what it is.

use super::DownloadError;
use crate::net::Resume;
use crate::util::file_name::numbered;
use bytes::Bytes;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tokio::sync::mpsc::Receiver;

/// Ending of unfinished files.
const PART: &str = ".part";
/// Ending of their records.
const RECORD: &str = ".part.json";
/// Largest record that is read, in bytes.
const MAX_RECORD: u64 = 32 * 1024;
/// Records that are read in one folder.
const MAX_RECORDS: usize = 1_000;
/// Names that are tried for one file.
const MAX_TRIES: usize = 10_000;

/// What an unfinished file is.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Record {
    /// The URL as the feed has it.
    pub(super) url: String,
    /// A strong entity tag, else the date of the last modification, as sent.
    pub(super) validator: Option<String>,
    /// The size of the whole file.
    pub(super) total: Option<u64>,
}

/// An unfinished file, locked.
#[derive(Debug)]
pub(super) struct Part {
    file: File,
    path: PathBuf,
    record: Record,
    size: u64,
}

impl Part {
    /// The unfinished download of a URL in a folder. Only what another download has recorded is used.
    pub(super) fn find(folder: &Path, url: &str) -> Result<Option<Self>, DownloadError> {
        // A folder that does not exist yet has none.
        let Ok(entries) = fs::read_dir(folder) else { return Ok(None) };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        for name in names.filter(|name| name.ends_with(RECORD)).take(MAX_RECORDS) {
            let Some(record) = read_record(&folder.join(&name)) else { continue };
            let path = folder.join(name.trim_end_matches(".json"));
            if record.url != url || !is_file(&path) {
                continue;
            }
            let fail = |why| DownloadError::File { path: path.clone(), why };
            let mut file = OpenOptions::new().read(true).write(true).open(&path).map_err(fail)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(DownloadError::Busy(path)),
                Err(TryLockError::Error(why)) => return Err(fail(why)),
            }
            let size = file.seek(SeekFrom::End(0)).map_err(fail)?;
            return Ok(Some(Self { file, path, record, size }));
        }
        Ok(None)
    }

    /// A new, empty one for a file with that name. Creates the folder.
    pub(super) fn create(folder: &Path, name: &str, record: Record) -> Result<Self, DownloadError> {
        let failed = |path: &Path, why| DownloadError::File { path: path.to_owned(), why };
        fs::create_dir_all(folder).map_err(|why| failed(folder, why))?;
        let mut exists = io::Error::from(ErrorKind::AlreadyExists);
        for number in 1..MAX_TRIES {
            let path = folder.join(format!("{}{PART}", numbered(name, number)));
            let file = match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => file,
                Err(why) if why.kind() == ErrorKind::AlreadyExists => {
                    exists = why;
                    continue;
                }
                Err(why) => return Err(failed(&path, why)),
            };
            // Nobody else knows the file yet.
            file.try_lock().map_err(|why| failed(&path, io::Error::other(why)))?;
            let part = Self { file, path, record, size: 0 };
            return match part.write_record() {
                Ok(()) => Ok(part),
                Err(why) => {
                    let path = part.record_path();
                    part.discard();
                    Err(DownloadError::File { path, why })
                }
            };
        }
        Err(failed(&folder.join(name), exists))
    }

    fn record_path(&self) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(".json");
        path.into()
    }

    fn write_record(&self) -> io::Result<()> {
        // URLs may contain keys.
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let text = serde_json::to_string(&self.record)?;
        options.open(self.record_path())?.write_all(text.as_bytes())
    }

    /// Bytes that are there.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// The size of the whole file.
    pub(super) fn total(&self) -> Option<u64> {
        self.record.total
    }

    /// Whether only its name is missing.
    pub(super) fn is_complete(&self) -> bool {
        self.size > 0 && self.record.total == Some(self.size)
    }

    /// How the rest is requested; `None` if it has to start again.
    pub(super) fn resume(&self) -> Option<Resume> {
        let validator = self.record.validator.as_ref()?.as_bytes().to_vec();
        let fits = self.size > 0 && self.record.total.is_none_or(|total| self.size < total);
        fits.then_some(Resume { offset: self.size, validator })
    }

    /// Appends pieces until their sender is dropped.
    pub(super) fn write(mut self, mut pieces: Receiver<Bytes>) -> Result<Self, DownloadError> {
        while let Some(piece) = pieces.blocking_recv() {
            if let Err(why) = self.file.write_all(&piece) {
                return Err(DownloadError::File { path: self.path.clone(), why });
            }
            self.size += piece.len() as u64;
        }
        Ok(self)
    }

    /// Gives the complete file its name, or one with a number where files have that name.
    pub(super) fn finish(&self) -> Result<PathBuf, DownloadError> {
        let failed = |why| DownloadError::File { path: self.path.clone(), why };
        self.file.sync_all().map_err(failed)?;
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let name = self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let name = name.strip_suffix(PART).unwrap_or(name);
        for number in 1..MAX_TRIES {
            let path = folder.join(numbered(name, number));
            // Renaming would replace a file; creating one does not.
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(_) => {}
                Err(why) if why.kind() == ErrorKind::AlreadyExists => continue,
                Err(why) => return Err(DownloadError::File { path, why }),
            }
            fs::rename(&self.path, &path).map_err(failed)?;
            // Without its file, a record is ignored.
            let _ = fs::remove_file(self.record_path());
            return Ok(path);
        }
        Err(failed(ErrorKind::AlreadyExists.into()))
    }

    /// Removes the file and its record.
    pub(super) fn discard(self) {
        for path in [self.path.clone(), self.record_path()] {
            if let Err(e) = fs::remove_file(&path) {
                tracing::debug!("{} was not removed: {e}", path.display());
            }
        }
    }
}

fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|data| data.is_file())
}

fn read_record(path: &Path) -> Option<Record> {
    let mut text = Vec::new();
    let file = File::open(path).ok().filter(|_| is_file(path))?;
    file.take(MAX_RECORD).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}
