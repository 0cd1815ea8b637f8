//! The list of downloads: unfinished files in the downloads folder, and complete files.

use super::super::handle::Handle;
use super::part::{Part, Unfinished};
use super::{DownloadError, DownloadOrder, DownloadState, FileState, blocking};
use crate::model::Time;
use crate::store::{DownloadRecord, Reader, StoreError};
use std::cmp::Reverse;
use std::fs;
use std::path::{Path, PathBuf};

/// A file in the list of downloads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DownloadEntry {
    /// The absolute path; that of an unfinished file ends in `.part`.
    pub path: String,
    /// The URL as in the feed.
    pub url: Option<String>,
    /// The row keys of its item and of the item's source.
    pub item: Option<i64>,
    pub source: Option<i64>,
    /// The number of bytes on disk, or the size of the file when it was completed.
    pub size: u64,
    /// The final size of the file, if known.
    pub total: Option<u64>,
    /// When it was completed or last written.
    pub at: Option<Time>,
    /// Whether the item is pinned or kept for later.
    pub kept: bool,
    /// The state of the file; `None` if it is unfinished.
    pub state: Option<FileState>,
}

impl DownloadEntry {
    /// The name of the file without `.part`.
    pub fn name(&self) -> &str {
        let name = Path::new(&self.path).file_name().and_then(|name| name.to_str());
        let name = name.unwrap_or(&self.path);
        if self.state.is_none() { name.strip_suffix(".part").unwrap_or(name) } else { name }
    }

    /// The state as a word.
    pub fn state_name(&self) -> &'static str {
        match self.state {
            None => "unfinished",
            Some(FileState::Unchanged) => "unchanged",
            Some(FileState::Changed) => "changed",
            Some(FileState::Missing) => "missing",
            Some(FileState::Unknown) => "unknown",
        }
    }

    fn complete(record: DownloadRecord) -> Self {
        let state = Some(FileState::of(&record));
        let DownloadRecord { path, url, item, source, at, size, kept, .. } = record;
        Self { path, url, item, source, size, total: Some(size), at: Some(at), kept, state }
    }

    fn unfinished(reader: &Reader, file: Unfinished) -> Result<Option<Self>, StoreError> {
        let Unfinished { path, record, size, modified } = file;
        let path = std::path::absolute(&path).unwrap_or(path);
        let Ok(path) = path.into_os_string().into_string() else { return Ok(None) };
        let row = match record.item {
            Some(item) => reader.row(item)?,
            None => None,
        };
        let kept = row.as_ref().is_some_and(|row| row.pinned || row.later);
        Ok(Some(Self {
            path,
            url: Some(record.url),
            item: row.as_ref().map(|row| row.key),
            source: row.as_ref().map(|row| row.source_key),
            size,
            total: record.total,
            at: modified.map(Time::from),
            kept,
            state: None,
        }))
    }
}

/// All downloads, newest first: the unfinished ones in a folder, then the complete ones in all folders. Reads
/// the disk.
///
/// # Errors
/// If the database cannot be read.
pub fn list_downloads(reader: &Reader, folder: &Path) -> Result<Vec<DownloadEntry>, StoreError> {
    let mut all = Vec::new();
    for file in Part::unfinished(folder) {
        all.extend(DownloadEntry::unfinished(reader, file)?);
    }
    all.sort_by_key(|entry| Reverse(entry.at));
    all.extend(reader.downloads()?.into_iter().map(DownloadEntry::complete));
    Ok(all)
}

impl Handle {
    /// A file for a program that needs it on disk: an earlier, unchanged download, or else a new one; see
    /// [`Handle::download`].
    ///
    /// # Errors
    /// If it had to be downloaded, but did not arrive completely or could not be stored.
    pub async fn stored_file(
        &self,
        order: &DownloadOrder,
        progress: impl FnMut(DownloadState),
    ) -> Result<PathBuf, DownloadError> {
        // Without the records, download it again.
        let records = self.context.read(|reader| reader.downloads()).await.unwrap_or_default();
        let (item, url) = (Some(order.item), Some(order.url.clone()));
        let is_same = move |file: &DownloadRecord| {
            file.item == item && file.url == url && FileState::of(file) == FileState::Unchanged
        };
        let found = blocking(move || Ok(records.into_iter().find(is_same))).await?;
        match found {
            Some(file) => Ok(file.path.into()),
            None => self.download(order, progress).await.map(|file| file.path),
        }
    }

    /// Removes a file and its record. A file that was changed after the download is kept.
    ///
    /// # Errors
    /// If the file was changed, is being downloaded, or cannot be removed.
    pub async fn remove_download(&self, entry: DownloadEntry) -> Result<(), DownloadError> {
        let path = PathBuf::from(&entry.path);
        if entry.state.is_none() {
            return blocking(move || Part::remove(&path)).await;
        }
        let records = self.context.read(|reader| reader.downloads()).await;
        let records = records.map_err(|e| DownloadError::Refused(e.to_string()))?;
        // Use the current record, not the listed one.
        let record = records.into_iter().find(|record| record.path == entry.path);
        let Some(record) = record else { return Ok(()) };
        blocking(move || match FileState::of(&record) {
            FileState::Unchanged => fs::remove_file(&path).map_err(|why| not_removed(&path, &why)),
            FileState::Missing => Ok(()),
            FileState::Changed => Err(DownloadError::Refused(format!(
                "{} was changed after its download, so the file stays; remove it yourself",
                path.display()
            ))),
            FileState::Unknown => {
                Err(DownloadError::Refused(format!("cannot read the folder of {}", path.display())))
            }
        })
        .await?;
        let forgotten = self.context.store.drop_download_records(vec![entry.path]).await;
        forgotten.map_err(|e| DownloadError::Refused(e.to_string()))
    }
}

pub(super) fn not_removed(path: &Path, why: &std::io::Error) -> DownloadError {
    DownloadError::Refused(format!("cannot remove {}: {why}", path.display()))
}
