//! The state of downloaded files, and their removal after some days.

use super::super::context::Context;
use super::DownloadOrder;
use super::part::Part;
use crate::config::Paths;
use crate::model::Time;
use crate::store::{DownloadRecord, Result};
use crate::util::text::{counted, line, size};
use chrono::TimeDelta;
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// The state of a downloaded file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileState {
    /// The file is unchanged since the download.
    Unchanged,
    /// The file was changed or replaced.
    Changed,
    Missing,
    /// The folder is missing too, for example because its disk is not mounted.
    Unknown,
}

impl FileState {
    /// The state of a file. Reads the disk.
    pub fn of(record: &DownloadRecord) -> Self {
        let path = Path::new(&record.path);
        match fs::symlink_metadata(path) {
            Ok(data) => {
                let same = data.len() == record.size && modified(&data) == Some(record.modified);
                if data.is_file() && same { Self::Unchanged } else { Self::Changed }
            }
            Err(e)
                if e.kind() == ErrorKind::NotFound && path.parent().is_some_and(Path::is_dir) =>
            {
                Self::Missing
            }
            Err(_) => Self::Unknown,
        }
    }
}

/// The modification time of a file, in seconds since the epoch.
fn modified(data: &Metadata) -> Option<i64> {
    let since = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok()
}

/// Records a complete file. Files without a record are never removed.
pub(super) async fn record(context: &Arc<Context>, path: &Path, order: &DownloadOrder) {
    let (at, file) = (context.clock.now(), path.to_owned());
    let (item, source, url) = (Some(order.item), Some(order.source), Some(order.url.clone()));
    let stored = tokio::task::spawn_blocking(move || {
        let data = fs::symlink_metadata(&file).ok()?;
        let path = std::path::absolute(&file).ok()?.to_str()?.to_owned();
        let (size, modified) = (data.len(), modified(&data)?);
        Some(DownloadRecord { path, url, item, source, at, size, modified, kept: false })
    });
    let Ok(Some(record)) = stored.await else {
        tracing::warn!(
            "{} cannot be recorded, so retention will not remove the file",
            line(&path.to_string_lossy())
        );
        return;
    };
    if let Err(e) = context.store.record_download(record).await {
        tracing::warn!(
            "{} was not recorded, so retention will not remove the file: {e}",
            line(&path.to_string_lossy())
        );
    }
}

/// Whether retention removes a file: it was downloaded more than this number of days ago, its item is not
/// kept, and the file is unchanged. Reads the disk.
pub fn is_expired(record: &DownloadRecord, days: Option<u32>, now: Time) -> bool {
    days.is_some_and(|days| record.at < now - TimeDelta::days(days.into()))
        && !record.kept
        && FileState::of(record) == FileState::Unchanged
}

/// Removes a file that has expired.
///
/// # Errors
/// If it cannot be removed.
pub fn remove_download(record: &DownloadRecord, now: Time) -> std::io::Result<()> {
    fs::remove_file(&record.path)?;
    let (path, size) = (line(&record.path), size(record.size));
    tracing::info!(
        "removed the download {path} ({size}) after {}",
        counted((now - record.at).num_days(), "day")
    );
    Ok(())
}

/// Removes expired files and unfinished files of the same age, and deletes the records of files that the user
/// has removed.
pub(in crate::engine) async fn retire(context: &Arc<Context>) -> Result<()> {
    let (settings, now) = (context.settings(), context.clock.now());
    let days = settings.download.days;
    if let Some(days) = days
        && let Ok(folder) = Paths::downloads(settings.download.folder.as_deref())
    {
        let since = SystemTime::from(now - TimeDelta::days(days.into()));
        let removed = tokio::task::spawn_blocking(move || Part::remove_old(&folder, since)).await;
        if let Ok(1..) = removed {
            tracing::info!("removed unfinished downloads: {}", removed.unwrap_or_default());
        }
    }
    let records = context.read(|reader| reader.downloads()).await?;
    let gone = tokio::task::spawn_blocking(move || gone(records, days, now)).await;
    let gone = gone.unwrap_or_default();
    if gone.is_empty() {
        return Ok(());
    }
    context.store.drop_download_records(gone).await
}

/// Removes expired files. Returns the paths where no file exists any more.
fn gone(records: Vec<DownloadRecord>, days: Option<u32>, now: Time) -> Vec<String> {
    let is_gone = |record: &DownloadRecord| {
        if !is_expired(record, days, now) {
            return FileState::of(record) == FileState::Missing;
        }
        let removed = remove_download(record, now);
        if let Err(e) = &removed {
            tracing::warn!("cannot remove the download {}: {e}", line(&record.path));
        }
        removed.is_ok()
    };
    records.into_iter().filter(is_gone).map(|record| record.path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_only_old_unchanged_files_of_unkept_items() {
        let folder = tempfile::tempdir().unwrap();
        let now = Time::from_timestamp(1_790_000_000, 0).unwrap();
        let file = |name: &str, days: i64, kept: bool| {
            let path = folder.path().join(name);
            fs::write(&path, "12345").unwrap();
            let modified = modified(&fs::metadata(&path).unwrap()).unwrap();
            let path = path.to_str().unwrap().to_owned();
            let at = now - TimeDelta::days(days) - TimeDelta::seconds(1);
            DownloadRecord {
                path,
                url: None,
                item: None,
                source: None,
                at,
                size: 5,
                modified,
                kept,
            }
        };
        let mut all = vec![
            file("old", 5, false),
            file("young", 4, false),
            file("kept", 9, true),
            file("longer", 9, false),
            file("touched", 9, false),
            file("deleted", 9, false),
            file("link", 9, false),
            file("folder", 9, false),
        ];
        let unmounted = DownloadRecord { path: "/no/such/disk/a.mp3".to_owned(), ..all[0].clone() };
        all.push(unmounted);
        let path = |name: &str| folder.path().join(name);
        fs::write(path("longer"), "123456").unwrap();
        all[4].modified -= 10;
        for name in ["deleted", "link", "folder"] {
            fs::remove_file(path(name)).unwrap();
        }
        fs::write(path("target"), "12345").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(path("target"), path("link")).unwrap();
        fs::create_dir(path("folder")).unwrap();
        let names = |gone: Vec<String>| -> Vec<String> {
            gone.iter().map(|p| p.rsplit('/').next().unwrap().to_owned()).collect()
        };
        assert_eq!(names(gone(all.clone(), None, now)), ["deleted"]);
        assert!(path("old").exists());
        assert_eq!(names(gone(all, Some(5), now)), ["old", "deleted"]);
        assert!(!path("old").exists());
        for name in ["young", "kept", "longer", "touched", "target", "folder"] {
            assert!(path(name).exists(), "{name}");
        }
    }
}
