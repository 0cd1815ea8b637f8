//! Reads the files of other machines. Reading continues where it stopped the last time, as long as the part
//! that was already read is unchanged.

use super::exchange::{MachinesError, Seen, open};
use crate::exchange::mark_file::{self, MarkFile};
use crate::model::Time;
use crate::store::{MAX_SHARED_MARKS, Store};
use chrono::TimeDelta;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Assumed maximum granularity of file modification times.
const TICK: TimeDelta = TimeDelta::seconds(2);
/// Maximum number of marks to merge in one transaction.
const BATCH: usize = 1000;
/// Number of bytes at both ends of the part already read that are compared to detect changes.
const END: u64 = 4096;

/// What this process remembers about a file.
#[derive(Debug)]
pub(super) struct KnownFile {
    seen: Seen,
    /// When it was first seen in this state.
    since: Time,
    /// Whether every later change will be detected.
    is_settled: bool,
    /// Offset of the end of the undamaged part that was read, and the checksum of both its ends.
    offset: u64,
    ends: u32,
    /// Whether a newer version of newsfed wrote it.
    pub(super) is_newer: bool,
    /// Number of marks that were not applied because there are too many.
    pub(super) refused: usize,
}

impl KnownFile {
    /// Whether the file does not have to be read again.
    pub(super) fn is_read(&self, seen: &Seen) -> bool {
        self.is_settled && self.seen == *seen
    }
}

/// The result of reading a file.
#[derive(Debug, Default)]
pub(super) struct Gained {
    /// Number of items whose marks changed.
    pub(super) changed: usize,
    /// Number of marks that were read.
    pub(super) read: usize,
    refused: usize,
}

/// Applies the part of a file that has not been read yet.
pub(super) fn read_on(
    store: &Store,
    path: &Path,
    seen: Seen,
    known: Option<&KnownFile>,
    now: Time,
) -> Result<(Gained, KnownFile), MachinesError> {
    let failed = |e| MachinesError::Folder(path.to_owned(), e);
    let mut file = open(path)?;
    let is_same = |known: &&KnownFile| {
        known.offset > 0
            && ends(file.get_mut().get_mut(), known.offset).is_ok_and(|e| e == known.ends)
    };
    let start = known.filter(is_same).map_or(0, |known| known.offset);
    file.get_mut().get_mut().seek(SeekFrom::Start(start)).map_err(failed)?;
    let (gained, about) = merge(store, path, &mut file, now)?;
    let offset = if about.newer { 0 } else { start + about.undamaged };
    let ends = ends(file.get_mut().get_mut(), offset).map_err(failed)?;
    // If the clock of this machine or of the file is ahead, the file must not be read endlessly.
    let since = known.filter(|known| known.seen == seen).map_or(now, |known| known.since);
    let is_past = |time: SystemTime| Time::from(time) + TICK < now;
    let is_settled = seen.1.is_some_and(is_past) || (now - since).abs() > TICK;
    let is_newer = about.newer;
    let earlier = known.filter(|_| start > 0).map_or(0, |known| known.refused);
    let refused = earlier + gained.refused;
    Ok((gained, KnownFile { seen, since, is_settled, offset, ends, is_newer, refused }))
}

/// The checksum of both ends of the first bytes of a file.
fn ends(file: &mut File, bytes: u64) -> io::Result<u32> {
    let mut text = Vec::new();
    for start in [0, bytes.saturating_sub(END)] {
        file.seek(SeekFrom::Start(start))?;
        file.by_ref().take(END.min(bytes)).read_to_end(&mut text)?;
    }
    Ok(crc32fast::hash(&text))
}

fn merge(
    store: &Store,
    path: &Path,
    file: &mut impl io::BufRead,
    now: Time,
) -> Result<(Gained, MarkFile), MachinesError> {
    struct Failed(MachinesError);
    impl From<io::Error> for Failed {
        fn from(e: io::Error) -> Self {
            Self(MachinesError::Folder(PathBuf::new(), e))
        }
    }
    let (mut gained, mut batch) = (Gained::default(), Vec::new());
    let mut take = |batch| -> Result<(), MachinesError> {
        let (changed, refused) = store.merge_marks_blocking(batch, MAX_SHARED_MARKS, now)?;
        gained.changed += changed;
        gained.refused += refused;
        Ok(())
    };
    let about = mark_file::read::<Failed>(file, |mark| {
        batch.push(mark);
        if batch.len() == BATCH {
            take(std::mem::take(&mut batch)).map_err(Failed)?;
        }
        Ok(())
    });
    let about = about.map_err(|Failed(e)| match e {
        MachinesError::Folder(_, e) => MachinesError::Folder(path.to_owned(), e),
        e => e,
    })?;
    take(batch)?;
    gained.read = about.lines;
    Ok((gained, about))
}
