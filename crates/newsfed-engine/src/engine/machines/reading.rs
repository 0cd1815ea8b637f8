//! The files of other machines: each is read on from where reading last stopped, as long as the part before
//! that is the same.

use super::exchange::{MachinesError, Seen, open};
use crate::exchange::mark_file::{self, MarkFile};
use crate::model::Time;
use crate::store::{MAX_SHARED_MARKS, Store};
use chrono::TimeDelta;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// File systems keep times of at least this precision.
const TICK: TimeDelta = TimeDelta::seconds(2);
/// Maximum number of marks that are merged in one transaction.
const BATCH: usize = 1000;
/// Number of bytes at both ends of what was read that show whether it is the same.
const END: u64 = 4096;

/// What this process knows about a file.
#[derive(Debug)]
pub(super) struct KnownFile {
    seen: Seen,
    /// When it was first seen in this state.
    since: Time,
    /// Whether any change from now on can be seen.
    is_settled: bool,
    /// Offset up to which it was read without damage, and the checksum of both ends of that part.
    offset: u64,
    ends: u32,
    /// Whether a newer version wrote it.
    pub(super) is_newer: bool,
    /// Marks that were not applied, because there are too many.
    pub(super) refused: usize,
}

impl KnownFile {
    /// Whether it need not be read again.
    pub(super) fn is_read(&self, seen: &Seen) -> bool {
        self.is_settled && self.seen == *seen
    }
}

/// What was read from a file.
#[derive(Debug, Default)]
pub(super) struct Gained {
    /// Items whose marks changed.
    pub(super) changed: usize,
    /// Marks that were read.
    pub(super) read: usize,
    refused: usize,
}

/// Applies what a file contains beyond what was read last.
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
    // If the clock here or the file's clock is ahead, the file must not be read again and again.
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
