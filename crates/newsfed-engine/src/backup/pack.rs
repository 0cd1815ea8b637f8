//! Writes a backup.

use super::manifest::{self, FORMAT, Manifest, PackedFile};
use super::place::{Place, is_crawl_log};
use super::{BackupError, BackupProgress};
use crate::config::{CRAWLS_FOLDER, Paths};
use crate::model::Time;
use crate::store::{self, StoreError};
use crate::util::limits;
use crate::util::scratch::private_folder;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::{NamedTempFile, TempDir};

/// A written backup.
#[derive(Debug)]
pub struct Packed {
    pub file: PathBuf,
    /// Size of the file.
    pub bytes: u64,
    pub manifest: Manifest,
    /// Data that is not in the backup, and why.
    pub skipped: Vec<(String, String)>,
}

/// The default name of a backup file.
pub fn default_name(now: Time) -> String {
    format!("newsfed-{}.tar.gz", now.format("%Y-%m-%d-%H%M%S"))
}

/// Writes all data of the user into a new file; other processes may use the data in the meantime. The file
/// appears only when it is complete, and only its owner can read it.
///
/// # Errors
/// If the file exists and `replace` is false, or if something cannot be read or written.
pub fn pack(
    paths: &Paths,
    to: &Path,
    replace: bool,
    now: Time,
    progress: BackupProgress<'_>,
) -> Result<Packed, BackupError> {
    if to.exists() && !replace {
        return Err(BackupError::Exists(to.to_owned()));
    }
    // The copies are next to the database, because the target may be slow.
    let copies = folder_for_copies(paths)?;
    let mut collected = Collected::new(&copies, progress);
    for place in [Place::Config, Place::Sources] {
        collected.settings(place, paths)?;
    }
    let mut schema = 0;
    if paths.database().exists() {
        schema = collected.database(Place::Database, paths)?;
    }
    collected.crawls(paths)?;
    let Collected { files, skipped, .. } = collected;
    if files.is_empty() {
        let folders = [paths.config_dir(), paths.data_dir()].map(Path::to_owned);
        let [config, data] = folders;
        return Err(BackupError::Nothing(config, data));
    }
    let manifest = Manifest {
        format: FORMAT,
        newsfed: env!("CARGO_PKG_VERSION").to_owned(),
        schema,
        created: now,
        files: files.iter().map(|(file, _)| file.clone()).collect(),
    };
    let bytes = write(to, replace, &manifest, &files, progress)?;
    Ok(Packed { file: to.to_owned(), bytes, manifest, skipped })
}

/// A folder for copies next to the database, or where the database will be.
pub(super) fn folder_for_copies(paths: &Paths) -> Result<TempDir, BackupError> {
    let within = nearest_folder(paths.data_dir());
    private_folder(&within).map_err(BackupError::write(&within))
}

/// A folder, or its nearest ancestor that exists.
fn nearest_folder(folder: &Path) -> PathBuf {
    let found = folder.ancestors().find(|folder| folder.is_dir());
    found.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

/// The copies of the files, and what has been skipped.
struct Collected<'a> {
    folder: &'a Path,
    files: Vec<(PackedFile, PathBuf)>,
    skipped: Vec<(String, String)>,
    progress: BackupProgress<'a>,
}

impl<'a> Collected<'a> {
    fn new(folder: &'a TempDir, progress: BackupProgress<'a>) -> Self {
        Self { folder: folder.path(), files: Vec::new(), skipped: Vec::new(), progress }
    }

    /// The path of the next copy.
    fn next(&self) -> PathBuf {
        self.folder.join(self.files.len().to_string())
    }

    fn add(&mut self, place: &Place, copy: PathBuf) -> Result<(), BackupError> {
        let (bytes, sha256) = digest(&copy).map_err(BackupError::read(self.folder))?;
        self.files.push((PackedFile { name: place.name(), bytes, sha256 }, copy));
        Ok(())
    }

    /// Copies a settings file unchanged, even if it has errors.
    fn settings(&mut self, place: Place, paths: &Paths) -> Result<(), BackupError> {
        let path = place.path(paths);
        let file = match File::open(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            file => file.map_err(BackupError::read(&path))?,
        };
        let copy = self.next();
        let most = limits::CONFIG_BYTES as u64;
        let copied =
            File::create(&copy).and_then(|mut to| io::copy(&mut file.take(most + 1), &mut to));
        if copied.map_err(BackupError::read(&path))? > most {
            let source = io::Error::other("it is too large to be a settings file");
            return Err(BackupError::Read { path, source });
        }
        self.add(&place, copy)
    }

    fn database(&mut self, place: Place, paths: &Paths) -> Result<usize, BackupError> {
        (self.progress)("Copying the database", 0);
        let copy = self.next();
        let schema = store::snapshot(&place.path(paths), &copy)?;
        self.add(&place, copy)?;
        Ok(schema)
    }

    fn crawls(&mut self, paths: &Paths) -> Result<(), BackupError> {
        let folder = paths.data_dir().join(CRAWLS_FOLDER);
        let entries = match fs::read_dir(&folder) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(BackupError::read(&folder))?,
        };
        let mut names = Vec::new();
        for entry in entries {
            let name = entry.map_err(BackupError::read(&folder))?.file_name();
            let name = name.to_string_lossy().into_owned();
            // SQLite's log files are included in the copy of their database.
            if !name.ends_with("-wal") && !name.ends_with("-shm") {
                names.push(name);
            }
        }
        names.sort();
        for name in names {
            let place = Place::Crawl(name.clone());
            if let Some(why) = unpackable(&name, self.files.len()) {
                self.skipped.push((place.name(), why));
                continue;
            }
            let copy = self.next();
            match store::snapshot(&place.path(paths), &copy) {
                Ok(_) => self.add(&place, copy)?,
                Err(StoreError::Busy) => {
                    let why = "a crawl is using it; back up again when the crawl is done";
                    self.skipped.push((place.name(), why.to_owned()));
                }
                // A crawl can learn its data again, so the backup continues without it.
                Err(e) => self.skipped.push((place.name(), e.to_string())),
            }
        }
        Ok(())
    }
}

/// The reason why a file in the crawl folder is not packed, if `files` files have been packed already.
pub(super) fn unpackable(name: &str, files: usize) -> Option<String> {
    if !is_crawl_log(name) {
        return Some("not a crawl log".to_owned());
    }
    let is_full = files + 1 >= manifest::MAX_FILES;
    is_full.then(|| format!("a backup has at most {} files", manifest::MAX_FILES))
}

/// Size and SHA-256 of a file.
fn digest(path: &Path) -> io::Result<(u64, String)> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    let mut bytes = 0;
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok((bytes, hex(&hash.finalize())));
        }
        hash.update(&buffer[..read]);
        bytes += read as u64;
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes the archive next to its target and moves it there. Returns its size.
fn write(
    to: &Path,
    replace: bool,
    manifest: &Manifest,
    files: &[(PackedFile, PathBuf)],
    progress: BackupProgress<'_>,
) -> Result<u64, BackupError> {
    let folder = to.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let target = NamedTempFile::new_in(folder).map_err(BackupError::write(to))?;
    let written = || -> io::Result<()> {
        // The texts in the database are compressed already, so higher levels take longer and save little.
        let packer = GzEncoder::new(BufWriter::new(target.as_file()), Compression::fast());
        let mut archive = tar::Builder::new(packer);
        let json = serde_json::to_vec_pretty(manifest)?;
        let at = u64::try_from(manifest.created.timestamp()).unwrap_or(0);
        archive.append(&header(manifest::NAME, json.len() as u64, at)?, json.as_slice())?;
        for (packed, copy) in files {
            let reader =
                Counted { reader: File::open(copy)?, name: &packed.name, count: 0, progress };
            archive.append(&header(&packed.name, packed.bytes, at)?, reader)?;
        }
        archive.into_inner()?.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
        target.as_file().sync_all()
    };
    written().map_err(BackupError::write(to))?;
    let bytes = target.as_file().metadata().map_err(BackupError::write(to))?.len();
    let persisted = if replace { target.persist(to) } else { target.persist_noclobber(to) };
    match persisted {
        Ok(_) => Ok(bytes),
        // The file has been created since the backup began.
        Err(e) if !replace && e.error.kind() == io::ErrorKind::AlreadyExists => {
            Err(BackupError::Exists(to.to_owned()))
        }
        Err(e) => Err(BackupError::Write { path: to.to_owned(), source: e.error }),
    }
}

fn header(name: &str, bytes: u64, at: u64) -> io::Result<tar::Header> {
    let mut header = tar::Header::new_ustar();
    header.set_path(name)?;
    header.set_size(bytes);
    header.set_mode(0o600);
    header.set_mtime(at);
    header.set_cksum();
    Ok(header)
}

/// Reports how many bytes have been read.
struct Counted<'a> {
    reader: File,
    name: &'a str,
    count: u64,
    progress: BackupProgress<'a>,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.count += read as u64;
        (self.progress)(&format!("Packing {}", self.name), self.count);
        Ok(read)
    }
}

/// Writes bytes and hashes them.
pub(super) struct Hashed<W> {
    pub(super) to: W,
    pub(super) hash: Sha256,
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
