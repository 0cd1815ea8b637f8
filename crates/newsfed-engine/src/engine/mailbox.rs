//! Mailboxes on this computer, read as feeds: a Maildir or an mbox file. They are never changed.

use crate::mail::{Mail, feed, split_mbox, unquoted};
use crate::model::stable_hash;
use crate::util::file_error::cannot_read;
use crate::util::limits;
use crate::util::text::{self, counted};
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Maximum number of emails that a poll reads, the newest first.
const MAX_MAILS: usize = 200;
/// Maximum total size of the emails that a poll reads, in bytes.
const MAX_BYTES: u64 = 64 << 20;
/// Maximum size of one email, in bytes.
const MAX_MAIL: u64 = 5 << 20;
/// Maximum number of files in a Maildir.
const MAX_FILES: usize = 200_000;
/// Maximum total size of the emails in the feed, in bytes; the feed must stay below [`limits::FEED_BYTES`].
const MAX_FEED: usize = limits::FEED_BYTES - (64 << 10);

/// The content of a mailbox.
#[derive(Debug, Default)]
pub(super) struct Content {
    /// A value that changes when the content may have changed.
    pub(super) version: Vec<u8>,
    /// The newest emails as a JSON Feed; `None` if the mailbox has not changed.
    pub(super) feed: Option<Vec<u8>>,
    /// Notes about emails that were not read.
    pub(super) notes: Vec<String>,
}

/// Reads a mailbox, unless its version is still `known`. With `from`, only emails with this text in the
/// sender are read. The error is a message.
pub(super) fn read(path: &Path, from: &str, known: Option<&[u8]>) -> Result<Content, String> {
    let shown = text::line(&path.display().to_string());
    let unreadable = |e: io::Error| cannot_read(path, &e);
    let about = fs::metadata(path).map_err(unreadable)?;
    let mut reading = Reading { from, ..Reading::default() };
    let version = if about.is_dir() {
        let files = maildir(path).map_err(unreadable)?;
        if files.is_empty() && !path.join("cur").is_dir() {
            return Err(format!("{shown} is not a Maildir: it has no folder cur"));
        }
        let version = version_of(&files);
        if known == Some(&version) {
            return Ok(Content { version, ..Content::default() });
        }
        reading.files(files);
        version
    } else if about.is_file() {
        let modified = about.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let nanos = modified.unwrap_or_default().as_nanos();
        let version = format!("{} {nanos}", about.len()).into_bytes();
        if known == Some(&version) {
            return Ok(Content { version, ..Content::default() });
        }
        if !reading.mbox(path, about.len()).map_err(unreadable)? {
            return Err(format!("{shown} is not an mbox: it does not begin with \"From \""));
        }
        version
    } else {
        return Err(format!("{shown} is neither a Maildir nor an mbox"));
    };
    let title = path.file_name().unwrap_or_default().to_string_lossy();
    let feed = feed(&title, &reading.mails);
    Ok(Content { version, feed: Some(feed), notes: reading.notes() })
}

/// The emails read so far, newest first.
#[derive(Default)]
struct Reading<'a> {
    from: &'a str,
    mails: Vec<Mail>,
    bytes: u64,
    feed_bytes: usize,
    /// Number of emails beyond the limits.
    older: usize,
    /// Whether the beginning of an mbox was skipped.
    is_cut: bool,
    too_large: usize,
    unreadable: usize,
    last_error: String,
}

impl Reading<'_> {
    fn is_full(&self) -> bool {
        self.mails.len() >= MAX_MAILS || self.bytes >= MAX_BYTES || self.feed_bytes >= MAX_FEED
    }

    fn files(&mut self, files: Vec<MailFile>) {
        for (n, file) in files.iter().enumerate() {
            if self.is_full() {
                self.older += files.len() - n;
                return;
            }
            if file.size > MAX_MAIL {
                self.too_large += 1;
                continue;
            }
            let mut bytes = Vec::new();
            let opened = fs::File::open(&file.path);
            match opened.and_then(|f| f.take(MAX_MAIL).read_to_end(&mut bytes)) {
                Ok(_) => self.take(&bytes),
                // A mail program has moved the email.
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                Err(e) => {
                    self.unreadable += 1;
                    self.last_error = e.to_string();
                }
            }
        }
    }

    /// Reads the end of an mbox. Returns false if the file is not an mbox.
    fn mbox(&mut self, path: &Path, size: u64) -> io::Result<bool> {
        let mut file = fs::File::open(path)?;
        let mut start = [0; 5];
        if size > 0 && (file.read_exact(&mut start).is_err() || &start != b"From ") {
            return Ok(false);
        }
        let skipped = size.saturating_sub(MAX_BYTES);
        file.seek(SeekFrom::Start(skipped))?;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES).read_to_end(&mut bytes)?;
        self.is_cut = skipped > 0;
        let mails = split_mbox(&bytes, skipped == 0);
        let count = mails.len();
        for (n, mail) in mails.iter().rev().enumerate() {
            if self.is_full() {
                self.older += count - n;
                break;
            }
            match mail.len() as u64 > MAX_MAIL {
                true => self.too_large += 1,
                false => self.take(&unquoted(mail)),
            }
        }
        Ok(true)
    }

    fn take(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        match Mail::read(bytes) {
            Some(mail) if mail.is_from(self.from) => match mail.size() {
                size if size > MAX_FEED => self.too_large += 1,
                size if self.feed_bytes + size > MAX_FEED => {
                    self.older += 1;
                    self.feed_bytes = MAX_FEED;
                }
                size => {
                    self.feed_bytes += size;
                    self.mails.push(mail);
                }
            },
            Some(_) => {}
            None => {
                self.unreadable += 1;
                "no email headers".clone_into(&mut self.last_error);
            }
        }
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.older > 0 || self.is_cut {
            let older = match self.is_cut {
                true => "older emails were".to_owned(),
                false => format!("{} {}", counted(self.older, "older email"), was(self.older)),
            };
            notes.push(format!("{older} not read: a check reads the newest {MAX_MAILS}"));
        }
        if self.too_large > 0 {
            let (mails, size) = (counted(self.too_large, "email"), text::size(MAX_MAIL));
            notes.push(format!("{mails} {} left out: larger than {size}", was(self.too_large)));
        }
        if self.unreadable > 0 {
            let (mails, why) = (counted(self.unreadable, "email"), text::line(&self.last_error));
            notes.push(format!("{mails} could not be read: {why}"));
        }
        notes
    }
}

fn was(count: usize) -> &'static str {
    if count == 1 { "was" } else { "were" }
}

/// An email in a Maildir.
struct MailFile {
    path: PathBuf,
    size: u64,
    modified: SystemTime,
}

/// The emails of a Maildir, newest first. Symbolic links are skipped, so that nothing outside is read.
fn maildir(path: &Path) -> io::Result<Vec<MailFile>> {
    let mut files = Vec::new();
    for folder in ["new", "cur"] {
        let listed = match fs::read_dir(path.join(folder)) {
            Ok(listed) => listed,
            Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
            Err(e) => return Err(e),
        };
        for entry in listed {
            let entry = entry?;
            // The email may have been moved in the meantime.
            let Ok(about) = entry.metadata() else { continue };
            if !about.is_file() || entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            if files.len() >= MAX_FILES {
                let most = format!("it has more than {MAX_FILES} files; move old ones elsewhere");
                return Err(io::Error::other(most));
            }
            let modified = about.modified().unwrap_or(UNIX_EPOCH);
            files.push(MailFile { path: entry.path(), size: about.len(), modified });
        }
    }
    files.sort_by(|a, b| (b.modified, &b.path).cmp(&(a.modified, &a.path)));
    Ok(files)
}

/// A value that changes when an email arrives or disappears, but not when it is marked. Marks are part of the
/// file name, so that part is ignored.
fn version_of(files: &[MailFile]) -> Vec<u8> {
    let name = |file: &MailFile| {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.split(":2,").next().unwrap_or_default().to_owned()
    };
    let mut names: Vec<String> = files.iter().map(name).collect();
    names.sort_unstable();
    format!("{:016x}", stable_hash(names.iter().map(String::as_str))).into_bytes()
}
