//! An unfinished download: `NAME.part`, with its record in `NAME.part.json`.

use super::DownloadError;
use super::list::not_removed;
use crate::net::Resume;
use crate::util::file_name::numbered;
use bytes::Bytes;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tokio::sync::mpsc::Receiver;

/// Suffix of unfinished files.
const PART: &str = ".part";
/// Suffix of the records of unfinished files.
const RECORD: &str = ".part.json";
/// Maximum size of a record, in bytes.
const MAX_RECORD: u64 = 32 * 1024;
/// Maximum number of records to read in a folder.
const MAX_RECORDS: usize = 1_000;
/// Maximum number of names to try for a file.
const MAX_TRIES: usize = 10_000;

/// The record of an unfinished file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Record {
    /// The URL as in the feed.
    pub(super) url: String,
    /// The row key of its item; earlier versions did not record it.
    #[serde(default)]
    pub(super) item: Option<i64>,
    /// A strong entity tag, or else the modification date as sent.
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

/// An unfinished file on disk. It may be growing.
#[derive(Debug)]
pub(super) struct Unfinished {
    pub(super) path: PathBuf,
    pub(super) record: Record,
    pub(super) size: u64,
    /// When it was last written.
    pub(super) modified: Option<SystemTime>,
}

impl Part {
    /// The unfinished files of a folder.
    pub(super) fn unfinished(folder: &Path) -> Vec<Unfinished> {
        let file = |(path, record): (PathBuf, Record)| {
            let data = fs::symlink_metadata(&path).ok()?;
            Some(Unfinished { path, record, size: data.len(), modified: data.modified().ok() })
        };
        recorded(folder).filter_map(file).collect()
    }

    /// Removes the unfinished file at a path.
    pub(super) fn remove(path: &Path) -> Result<(), DownloadError> {
        let fail = |why| not_removed(path, &why);
        let folder = path.parent().unwrap_or(Path::new("."));
        let Some((_, record)) = recorded(folder).find(|(found, _)| found == path) else {
            return Err(fail(ErrorKind::NotFound.into()));
        };
        match Self::open(path, record).map_err(fail)? {
            Some(part) => part.discard(),
            None => return Err(DownloadError::Busy(path.to_owned())),
        }
        match fs::exists(path).map_err(fail)? {
            true => Err(fail(ErrorKind::AlreadyExists.into())),
            false => Ok(()),
        }
    }

    /// The unfinished download of a URL in a folder. Only files with a record are used.
    pub(super) fn find(folder: &Path, url: &str) -> Result<Option<Self>, DownloadError> {
        let mut of_url = recorded(folder).filter(|(_, record)| record.url == url);
        let Some((path, record)) = of_url.next() else { return Ok(None) };
        let fail = |why| DownloadError::File { path: path.clone(), why };
        match Self::open(&path, record).map_err(fail)? {
            Some(part) => Ok(Some(part)),
            None => Err(DownloadError::Busy(path)),
        }
    }

    /// Removes the unfinished files in a folder that were last written before `since`. Returns their number.
    pub(super) fn remove_old(folder: &Path, since: SystemTime) -> usize {
        let mut removed = 0;
        for (path, record) in recorded(folder) {
            let modified = fs::metadata(&path).and_then(|data| data.modified());
            if !modified.is_ok_and(|at| at < since) {
                continue;
            }
            if let Ok(Some(part)) = Self::open(&path, record) {
                part.discard();
                removed += 1;
            }
        }
        removed
    }

    /// `None` if another download is using the file.
    fn open(path: &Path, record: Record) -> io::Result<Option<Self>> {
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(why)) => return Err(why),
        }
        let size = file.seek(SeekFrom::End(0))?;
        Ok(Some(Self { file, path: path.to_owned(), record, size }))
    }

    /// Creates an empty unfinished file for a final name. Creates the folder if needed.
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
            // No other download can be using the new file.
            file.try_lock().map_err(|why| failed(&path, io::Error::other(why)))?;
            let part = Self { file, path, record: record.clone(), size: 0 };
            match part.write_record() {
                Ok(()) => return Ok(part),
                Err(why) => {
                    let path = part.record_path();
                    if why.kind() != ErrorKind::AlreadyExists {
                        part.discard();
                        return Err(DownloadError::File { path, why });
                    }
                    // A record with this name exists and belongs to another file.
                    let _ = fs::remove_file(&part.path);
                    exists = why;
                }
            }
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
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let text = serde_json::to_string(&self.record)?;
        options.open(self.record_path())?.write_all(text.as_bytes())
    }

    /// Number of bytes stored so far.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// The size of the whole file.
    pub(super) fn total(&self) -> Option<u64> {
        self.record.total
    }

    /// Whether only the final rename is missing.
    pub(super) fn is_complete(&self) -> bool {
        self.size > 0 && self.record.total == Some(self.size)
    }

    /// How to request the remainder; `None` if the download has to restart.
    pub(super) fn resume(&self) -> Option<Resume> {
        let validator = self.record.validator.as_ref()?.as_bytes().to_vec();
        let fits = self.size > 0 && self.record.total.is_none_or(|total| self.size < total);
        fits.then_some(Resume { offset: self.size, validator })
    }

    /// Appends chunks until their sender is dropped.
    pub(super) fn write(mut self, mut pieces: Receiver<Bytes>) -> Result<Self, DownloadError> {
        while let Some(piece) = pieces.blocking_recv() {
            if let Err(why) = self.file.write_all(&piece) {
                return Err(DownloadError::File { path: self.path.clone(), why });
            }
            self.size += piece.len() as u64;
        }
        Ok(self)
    }

    /// Removes the file unless the remainder can be requested.
    pub(super) fn keep_if_of_use(self) {
        if self.resume().is_none() && !self.is_complete() {
            self.discard();
        }
    }

    /// Renames the complete file to its final name, with a number if the name is taken.
    pub(super) fn finish(&self) -> Result<PathBuf, DownloadError> {
        let failed = |why| DownloadError::File { path: self.path.clone(), why };
        self.file.sync_all().map_err(failed)?;
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let name = self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let name = name.strip_suffix(PART).unwrap_or(name);
        for number in 1..MAX_TRIES {
            let path = folder.join(numbered(name, number));
            // Renaming would replace an existing file, so the name is reserved first.
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(_) => {}
                Err(why) if why.kind() == ErrorKind::AlreadyExists => continue,
                Err(why) => return Err(DownloadError::File { path, why }),
            }
            if let Err(why) = fs::rename(&self.path, &path) {
                let _ = fs::remove_file(&path);
                return Err(failed(why));
            }
            // A record without its file is ignored.
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

/// The unfinished files of a folder with their records. A missing folder has none.
fn recorded(folder: &Path) -> impl Iterator<Item = (PathBuf, Record)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let records = names.filter(|name| name.ends_with(RECORD)).take(MAX_RECORDS);
    let folder = folder.to_owned();
    records.filter_map(move |name| {
        let record = read_record(&folder.join(&name))?;
        let path = folder.join(name.trim_end_matches(".json"));
        is_file(&path).then_some((path, record))
    })
}

fn read_record(path: &Path) -> Option<Record> {
    let mut text = Vec::new();
    let file = File::open(path).ok().filter(|_| is_file(path))?;
    file.take(MAX_RECORD).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn record(validator: Option<&str>) -> Record {
        let url = "http://127.0.0.1/a.mp3".to_owned();
        Record { url, item: Some(1), validator: validator.map(str::to_owned), total: Some(10) }
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().flatten();
        let mut names: Vec<_> = entries.map(|e| e.file_name().into_string().unwrap()).collect();
        names.sort_unstable();
        names
    }

    fn with_bytes(folder: &Path, validator: Option<&str>) -> Part {
        let part = Part::create(folder, "a.mp3", record(validator)).unwrap();
        let (sender, pieces) = tokio::sync::mpsc::channel(1);
        sender.blocking_send(Bytes::from_static(b"12345")).unwrap();
        drop(sender);
        part.write(pieces).unwrap()
    }

    #[test]
    fn leaves_a_foreign_file_with_a_record_name_alone() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::write(folder.join("a.mp3.part.json"), "another file").unwrap();
        with_bytes(folder, Some("\"v\"")).finish().unwrap();
        assert_eq!(names(folder), ["a (2).mp3", "a.mp3.part.json"]);
        assert_eq!(fs::read(folder.join("a.mp3.part.json")).unwrap(), b"another file");
    }

    #[test]
    fn keeps_only_resumable_downloads() {
        let folder = tempfile::tempdir().unwrap();
        with_bytes(folder.path(), None).keep_if_of_use();
        assert!(names(folder.path()).is_empty());
        with_bytes(folder.path(), Some("\"v\"")).keep_if_of_use();
        assert_eq!(names(folder.path()), ["a.mp3.part", "a.mp3.part.json"]);
    }

    #[test]
    fn removes_old_parts_without_a_writer() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let running = with_bytes(folder, Some("\"v\""));
        drop(Part::create(folder, "b.mp3", record(None)).unwrap());
        fs::write(folder.join("c.mp3.part"), "of another program").unwrap();
        let later = SystemTime::now() + Duration::from_secs(60);
        let earlier = SystemTime::now() - Duration::from_secs(60);
        assert_eq!(Part::remove_old(folder, earlier), 0);
        assert_eq!(Part::remove_old(folder, later), 1);
        assert_eq!(names(folder), ["a.mp3.part", "a.mp3.part.json", "c.mp3.part"]);
        drop(running);
        assert_eq!(Part::remove_old(folder, later), 1);
        assert_eq!(names(folder), ["c.mp3.part"]);
    }
}
