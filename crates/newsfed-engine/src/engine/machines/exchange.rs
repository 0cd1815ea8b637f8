//! The files of the folder: which ones have changed, what they contain, and this machine's own file.

use super::reading::{KnownFile, read_on};
use crate::exchange::mark_file;
use crate::model::Time;
use crate::store::{Reader, Store, StoreError};
use crate::util::file_error::reason;
use crate::util::shared_file::shared_file;
use crate::util::text::{counted, line};
use crate::util::{file_name, text};
use chrono::SubsecRound;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The suffix of mark file names.
const EXTENSION: &str = "marks";
/// Maximum number of files to read, including conflict copies.
const MAX_FILES: usize = 256;
/// Maximum size of a file, in bytes.
const MAX_BYTES: u64 = 256 << 20;
/// Number of lines beyond twice the number of current marks after which this machine's file is rewritten.
const SPARE_LINES: usize = 200;

/// Why marks cannot be exchanged.
#[derive(Debug)]
pub enum MachinesError {
    /// An error with the folder or with the file of this machine.
    Folder(PathBuf, io::Error),
    Store(StoreError),
}

impl fmt::Display for MachinesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path, e) => write!(f, "cannot use {}: {}", path.display(), reason(e)),
            Self::Store(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for MachinesError {}

impl From<StoreError> for MachinesError {
    fn from(e: StoreError) -> Self {
        Self::Store(e)
    }
}

/// The result of an exchange.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exchanged {
    /// Number of items whose marks changed.
    pub changed: usize,
    /// Number of marks that were added to the file of this machine.
    pub written: usize,
    /// Number of marks read from the files of other machines.
    pub read: usize,
    /// A problem with the files of other machines.
    pub problem: Option<String>,
}

/// A mark file in the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineFile {
    pub path: PathBuf,
    /// The name of the machine.
    pub name: Option<String>,
    /// When it was last changed.
    pub changed: Option<Time>,
    pub marks: usize,
    /// Number of lines that cannot be parsed.
    pub damaged: usize,
    /// Why the file cannot be read.
    pub problem: Option<String>,
}

/// Size and modification time. A file is not read again while both are the same.
pub(super) type Seen = (u64, Option<SystemTime>);

/// What this process remembers about the folder.
#[derive(Debug, Default)]
pub(super) struct Exchange {
    folder: PathBuf,
    known: BTreeMap<PathBuf, KnownFile>,
    /// Why the last exchange did not include all marks.
    pub(super) problem: Option<String>,
}

/// The state of this machine's file after the last write.
#[derive(Debug, Default, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct OwnFile {
    path: PathBuf,
    bytes: u64,
    lines: usize,
}

impl Exchange {
    /// Exchanges marks once. The duration depends on the file system of the folder, so this needs a separate
    /// thread.
    pub(super) fn run(
        &mut self,
        store: &Store,
        folder: &Path,
        name: &str,
        now: Time,
    ) -> Result<Exchanged, MachinesError> {
        if self.folder != folder {
            (self.folder, self.known) = (folder.to_owned(), BTreeMap::new());
        }
        let machine = store.join_machines_blocking(now)?;
        while store.prepare_marks_blocking(now)? {}
        store.expire_marks_blocking(now)?;
        let in_folder = |e| MachinesError::Folder(folder.to_owned(), e);
        // Parent folders are not created, because a disk may not be mounted.
        if let Err(e) = fs::create_dir(folder)
            && e.kind() != io::ErrorKind::AlreadyExists
        {
            return Err(in_folder(e));
        }
        let own = Own::of(store, folder, name, machine)?;
        let mut done = Exchanged::default();
        let files = mark_files(folder).map_err(in_folder)?;
        self.known.retain(|path, _| files.contains(path));
        for path in files {
            // This machine's own file is read if others have changed it, such as a copy of this machine.
            if path != own.path || !own.is_as_left() {
                self.read(store, path, now, &mut done)?;
            }
        }
        if let Some((path, known)) = self.known.iter().find(|(_, known)| known.refused > 0) {
            let marks = counted(known.refused, "mark");
            done.problem = Some(format!("{}: {marks} {TOO_MANY}", path.display()));
        }
        if let Some((path, _)) = self.known.iter().find(|(_, known)| known.is_newer) {
            done.problem = Some(format!("{}: {NEWER}", path.display()));
        }
        done.written = own.write(store)?;
        Ok(done)
    }

    /// Applies the content of a file that may have changed.
    fn read(
        &mut self,
        store: &Store,
        path: PathBuf,
        now: Time,
        done: &mut Exchanged,
    ) -> Result<(), MachinesError> {
        let known = self.known.get(&path);
        let seen = fs::metadata(&path).map(|about| (about.len(), about.modified().ok()));
        let seen = match seen {
            Ok(seen) if known.is_some_and(|known| known.is_read(&seen)) => return Ok(()),
            Ok(seen) => seen,
            Err(e) => {
                done.problem = Some(format!("{}: {e}", path.display()));
                return Ok(());
            }
        };
        match read_on(store, &path, seen, known, now) {
            Ok((gained, known)) => {
                done.changed += gained.changed;
                done.read += gained.read;
                self.known.insert(path, known);
                Ok(())
            }
            Err(MachinesError::Folder(path, e)) => {
                done.problem = Some(format!("{}: {e}", path.display()));
                Ok(())
            }
            Err(e) => Err(e),
        }
    }
}

const TOO_MANY: &str = "left out: the database has too many marks from other machines; \
                        remove files of machines that you no longer use";
const NEWER: &str = "written by a newer version of newsfed; update newsfed on this machine";

/// The mark files in a folder, sorted by name.
fn mark_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == EXTENSION) {
            files.push(path);
        }
    }
    files.sort_unstable();
    if files.len() > MAX_FILES {
        return Err(io::Error::other(format!("it has more than {MAX_FILES} mark files")));
    }
    Ok(files)
}

pub(super) fn open(path: &Path) -> Result<BufReader<io::Take<File>>, MachinesError> {
    let failed = |e| MachinesError::Folder(path.to_owned(), e);
    // Opening a pipe would block until its other end is opened.
    let about = fs::metadata(path).map_err(failed)?;
    if !about.is_file() {
        return Err(failed(io::Error::other("it is not a file")));
    }
    let file = File::open(path).map_err(failed)?;
    if about.len() > MAX_BYTES {
        let most = text::size(MAX_BYTES);
        return Err(failed(io::Error::other(format!("it is larger than {most}"))));
    }
    Ok(BufReader::new(file.take(MAX_BYTES)))
}

/// The file of this machine.
struct Own {
    machine: String,
    /// The name of the machine.
    name: String,
    path: PathBuf,
    /// The state after the last write. If there is no file yet, its path differs.
    left: OwnFile,
}

impl Own {
    fn of(
        store: &Store,
        folder: &Path,
        name: &str,
        machine: String,
    ) -> Result<Self, MachinesError> {
        let name = line(name);
        let safe = file_name::titled(&name, "", 60, "");
        let path = folder.join(format!("{safe}-{machine}.{EXTENSION}"));
        let left = store.reader()?.own_mark_file()?;
        let left = left.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        Ok(Self { machine, name, path, left })
    }

    fn is_as_left(&self) -> bool {
        self.left.path == self.path
            && fs::metadata(&self.path).is_ok_and(|about| about.len() == self.left.bytes)
    }

    /// Appends new marks. Rewrites the file if others have changed it, or if it is mostly outdated. Returns
    /// the number of new marks.
    fn write(mut self, store: &Store) -> Result<usize, MachinesError> {
        let reader = store.reader()?;
        let mut written = 0;
        let most_lines = 2 * reader.count_marks_of(&self.machine)? + SPARE_LINES;
        if !self.is_as_left() || self.left.lines > most_lines {
            written = reader.count_unwritten_marks()?;
            let new = self.rewrite(&reader)?;
            store.all_marks_written_blocking(to_json(&new))?;
            let old = std::mem::replace(&mut self.left, new);
            if !old.path.as_os_str().is_empty() && old.path != self.path {
                // This machine had a different name before. Its marks are now in the new file.
                let _ = fs::remove_file(old.path);
            }
        }
        loop {
            let marks = reader.marks_to_write()?;
            if marks.is_empty() {
                return Ok(written);
            }
            let text: String = marks.iter().map(|(_, mark)| mark_file::line(mark)).collect();
            let append = || -> io::Result<()> {
                let mut file = OpenOptions::new().append(true).open(&self.path)?;
                file.write_all(text.as_bytes())?;
                file.sync_data()
            };
            append().map_err(|e| self.failed(e))?;
            self.left.bytes += text.len() as u64;
            self.left.lines += marks.len();
            written += marks.len();
            store.marks_written_blocking(marks, to_json(&self.left))?;
        }
    }

    /// Writes all marks whose newest state was set on this machine. The others are in the files of other
    /// machines.
    fn rewrite(&self, reader: &Reader) -> Result<OwnFile, MachinesError> {
        let failed = |e| self.failed(e);
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let mut file = BufWriter::new(shared_file(folder).map_err(failed)?);
        let mut text = mark_file::head(&self.name);
        let (mut bytes, mut lines, mut after) = (0, 0, 0);
        loop {
            file.write_all(text.as_bytes()).map_err(failed)?;
            bytes += text.len() as u64;
            let marks = reader.marks_of(&self.machine, after)?;
            let Some((last, _)) = marks.last() else { break };
            (after, lines) = (*last, lines + marks.len());
            text = marks.iter().map(|(_, mark)| mark_file::line(mark)).collect();
        }
        let file = file.into_inner().map_err(|e| failed(e.into_error()))?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist(&self.path).map_err(|e| failed(e.error))?;
        Ok(OwnFile { path: self.path.clone(), bytes, lines })
    }

    fn failed(&self, e: io::Error) -> MachinesError {
        MachinesError::Folder(self.path.clone(), e)
    }
}

fn to_json(own: &OwnFile) -> String {
    // Serialising strings and numbers cannot fail.
    serde_json::to_string(own).unwrap_or_default()
}

/// The mark files in a folder and their content.
///
/// # Errors
/// If the folder cannot be read.
pub fn machine_files(folder: &Path) -> io::Result<Vec<MachineFile>> {
    let about = |path: PathBuf| {
        let read = open(&path).and_then(|file| {
            let about = mark_file::read::<io::Error>(file, |_| Ok(()));
            about.map_err(|e| MachinesError::Folder(path.clone(), e))
        });
        let (about, problem) = match read {
            Ok(about) if about.newer => (about, Some(NEWER.to_owned())),
            Ok(about) => (about, None),
            Err(MachinesError::Folder(_, e)) => {
                (mark_file::MarkFile::default(), Some(e.to_string()))
            }
            Err(e) => (mark_file::MarkFile::default(), Some(e.to_string())),
        };
        let changed = fs::metadata(&path).and_then(|about| about.modified()).ok();
        let changed = changed.map(|at| Time::from(at).trunc_subsecs(0));
        let name = about.name.as_deref().map(line);
        let (marks, damaged) = (about.lines, about.damaged);
        MachineFile { path, name, changed, marks, damaged, problem }
    };
    Ok(mark_files(folder)?.into_iter().map(about).collect())
}
