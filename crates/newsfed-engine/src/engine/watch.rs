//! Notices changes made by others: editors change the configuration files, other processes the database.
//! Watching takes hardly any work while nothing changes.

use super::handle::Handle;
use crate::config::Paths;
use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::watch;

/// Changes are handled once no further change has arrived for this long, because editors write a file in
/// several steps.
const SETTLE: Duration = Duration::from_millis(100);
/// Maximum time until changes are handled.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often the configuration files are checked even without an event, because some file systems report
/// none.
const CHECK: Duration = Duration::from_secs(30);

/// Counts the changes to the configuration files and to the database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Changes {
    config: u64,
    database: u64,
}

/// Runs until the engine stops. `version` is the [`foreign_version`](crate::store::Store::foreign_version) from
/// before the database was read.
pub(super) async fn run(handle: Handle, mut version: Option<i64>) {
    let (changes, mut seen) = watch::channel(Changes::default());
    // The watcher stops when it is dropped.
    let watcher = match start(&handle.paths, handle.store().path(), changes) {
        Ok(watcher) => Some(watcher),
        Err(e) => {
            tracing::warn!("cannot watch the folders of newsfed, so changes are noticed late: {e}");
            None
        }
    };
    // Loads changes made before the watcher was started.
    handle.reload_if_changed().await;
    renew(&handle, &mut version).await;
    // The changes handled so far, excluding those made while they were handled.
    let mut handled = Changes::default();
    loop {
        let late = tokio::select! {
            () = handle.stop.cancelled() => return,
            changed = changed(&mut seen, handled), if watcher.is_some() => !changed,
            () = tokio::time::sleep(CHECK) => true,
        };
        let (before, now) = (handled, *seen.borrow());
        handled = now;
        if late || now.config != before.config {
            handle.reload_if_changed().await;
        }
        // Without a watcher, only this check notices changes to the database.
        if (late && watcher.is_none()) || now.database != before.database {
            renew(&handle, &mut version).await;
        }
    }
}

/// Announces that another process has written to the database, if it has.
async fn renew(handle: &Handle, version: &mut Option<i64>) {
    let newer = handle.store().foreign_version().await.ok();
    if newer.is_none() || newer == *version {
        return;
    }
    *version = newer;
    handle.store().announce();
    if let Err(e) = handle.context.renew_collected().await {
        tracing::warn!("cannot read the sources of accounts: {e}");
    }
}

/// Waits for a change that was not handled, and then until the changes pause. `false` if the watcher is gone.
async fn changed(seen: &mut watch::Receiver<Changes>, handled: Changes) -> bool {
    let changed = seen.wait_for(|changes| *changes != handled).await.is_ok();
    let _ = tokio::time::timeout(PATIENCE, settled(seen)).await;
    changed
}

async fn settled(seen: &mut watch::Receiver<Changes>) {
    while let Ok(Ok(())) = tokio::time::timeout(SETTLE, seen.changed()).await {}
}

/// Watches the folders, not the files: editors replace a file with a new one.
fn start(
    paths: &Paths,
    database: &Path,
    changes: watch::Sender<Changes>,
) -> notify::Result<RecommendedWatcher> {
    let files = [paths.config_file(), paths.sources_file()];
    // A file in the folder may be a symbolic link to a file elsewhere.
    let targets = files.iter().filter_map(|file| file.canonicalize().ok());
    let config: BTreeSet<PathBuf> = files.iter().cloned().chain(targets).collect();
    let names = |files: &BTreeSet<PathBuf>| -> Vec<OsString> {
        files.iter().filter_map(|file| Some(file.file_name()?.to_owned())).collect()
    };
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    let logs = BTreeSet::from([PathBuf::from(log)]);
    let (config_names, log_names) = (names(&config), names(&logs));
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        if !is_change(event.kind) {
            return;
        }
        let one_of = |names: &[OsString]| {
            let mut changed = event.paths.iter().filter_map(|path| path.file_name());
            changed.any(|name| names.iter().any(|n| n == name))
        };
        // After an overflow, anything may have changed.
        let lost = event.need_rescan();
        let (config, database) = (lost || one_of(&config_names), lost || one_of(&log_names));
        if config || database {
            changes.send_modify(|changes| {
                changes.config += u64::from(config);
                changes.database += u64::from(database);
            });
        }
    })?;
    let folders = config.iter().chain(&logs).filter_map(|file| file.parent());
    for folder in folders.collect::<BTreeSet<_>>() {
        // Without a configuration there is no folder to watch yet, and new files would be noticed late.
        if folder.is_dir() || std::fs::create_dir_all(folder).is_ok() {
            watcher.watch(folder, RecursiveMode::NonRecursive)?;
        }
    }
    Ok(watcher)
}

/// Counts the changes in a folder until the watcher is dropped; `None` if the folder cannot be watched.
pub(super) fn folder_changes(folder: &Path) -> Option<(RecommendedWatcher, watch::Receiver<u64>)> {
    let (changes, seen) = watch::channel(0);
    let watched = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if event.is_ok_and(|event| is_change(event.kind)) {
            changes.send_modify(|count| *count += 1);
        }
    })
    .and_then(|mut watcher| {
        watcher.watch(folder, RecursiveMode::NonRecursive)?;
        Ok(watcher)
    });
    match watched {
        Ok(watcher) => Some((watcher, seen)),
        Err(e) => {
            tracing::warn!("cannot watch {}, so changes are noticed late: {e}", folder.display());
            None
        }
    }
}

/// Whether the content of a file may have changed. Reading a file causes an event too.
fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(kind) => kind == AccessKind::Close(AccessMode::Write),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Settings;
    use crate::engine::Engine;
    use crate::net::Names;
    use crate::store::Store;
    use crate::util::clock::SystemClock;
    use std::sync::Arc;

    #[tokio::test]
    async fn announces_what_was_written_before_watching_began() {
        let dir = tempfile::tempdir().unwrap();
        let paths = Paths::below(dir.path());
        std::fs::create_dir_all(paths.data_dir()).unwrap();
        let engine = Engine {
            store: Store::open(&paths.database()).unwrap(),
            settings: Settings::default(),
            sources: Vec::new(),
            paths: paths.clone(),
            overrides: Vec::new(),
            clock: Arc::new(SystemClock),
            names: Names::System,
            seed: 1,
            follow: false,
        };
        // No other task begins, so nothing else announces a change.
        let (handle, _held) = engine.start_held().await.unwrap();
        let before = handle.store().foreign_version().await.ok();
        let mut revision = handle.store().revision();
        revision.borrow_and_update();
        let other = Store::open(&paths.database()).unwrap();
        other.set_memo("note", "new".to_owned()).await.unwrap();
        let watching = tokio::spawn(run(handle.clone(), before));
        tokio::time::timeout(Duration::from_secs(60), revision.changed()).await.unwrap().unwrap();
        handle.shutdown().await;
        watching.await.unwrap();
    }
}
