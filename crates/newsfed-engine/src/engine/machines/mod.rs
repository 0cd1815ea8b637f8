//! Exchanges marks with the user's other machines through a folder that any program may synchronise. Each
//! machine writes one file there and reads those of the others; see `store/shared_marks.rs`.

mod exchange;
mod reading;
#[cfg(test)]
mod tests;

use super::context::Context;
use super::handle::{Handle, role_changed};
use super::message::{AccountNote, MARKS_FOLDER, ProcessRole};
use super::watch::folder_changes;
use crate::config::MachineSettings;
use crate::store::Store;
use exchange::Exchange;
pub use exchange::{Exchanged, MachineFile, MachinesError, machine_files};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Time without changes after which marks are written.
const SETTLE: Duration = Duration::from_millis(300);
/// Interval for reading the folder without a change notification, because some file systems send none.
const CHECK: Duration = Duration::from_secs(60);
/// Maximum time that quitting waits for the last marks to be written.
const PATIENCE: Duration = Duration::from_secs(2);
/// The folder and the name of this machine; `None` if no folder is configured.
fn chosen(settings: &MachineSettings) -> Option<(PathBuf, String)> {
    let folder = settings.folder()?;
    let name = settings.name.clone().unwrap_or_else(host_name);
    Some((folder, name))
}

/// The host name of this computer.
#[cfg(unix)]
fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn host_name() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_else(|_| "computer".to_owned())
}

/// Runs until the engine stops: exchanges marks while this process is the one that polls.
pub(super) async fn run(handle: Handle) {
    let mut settings = handle.reloaded_settings();
    let mut status = handle.status();
    let mut revision = handle.store().revision();
    let mut exchange = Exchange::default();
    // Dropping the watcher stops it.
    let mut watched: Option<(PathBuf, _, watch::Receiver<u64>)> = None;
    loop {
        revision.borrow_and_update();
        settings.borrow_and_update();
        let follows = status.borrow_and_update().role == ProcessRole::Follows;
        let chosen = chosen(&handle.settings().machines).filter(|_| follows);
        if let Some((folder, name)) = &chosen {
            // A network folder may hang.
            exchange = tokio::select! {
                exchange = exchange_once(&handle, exchange, folder, name) => exchange,
                () = handle.stop.cancelled() => return,
            };
            if watched.as_ref().is_none_or(|(known, ..)| known != folder) {
                watched = folder_changes(folder)
                    .map(|(watcher, changes)| (folder.clone(), watcher, changes));
            }
        } else {
            watched = None;
        }
        let is_on = chosen.is_some();
        let folder_changed = async {
            match &mut watched {
                Some((.., changes)) => drop(changes.changed().await),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = handle.stop.cancelled() => break,
            _ = settings.changed() => {}
            () = role_changed(&mut status, follows) => {}
            () = folder_changed, if is_on => tokio::time::sleep(SETTLE).await,
            _ = revision.changed(), if is_on => tokio::time::sleep(SETTLE).await,
            () = tokio::time::sleep(CHECK), if is_on => {}
        }
    }
    let follows = status.borrow().role == ProcessRole::Follows;
    if let Some((folder, name)) = chosen(&handle.settings().machines).filter(|_| follows) {
        let last = exchange_once(&handle, exchange, &folder, &name);
        if tokio::time::timeout(PATIENCE, last).await.is_err() {
            tracing::warn!("marks are written to {} at the next start", folder.display());
        }
    }
}

async fn exchange_once(
    handle: &Handle,
    mut exchange: Exchange,
    folder: &Path,
    name: &str,
) -> Exchange {
    let (store, folder, name) = (handle.store().clone(), folder.to_owned(), name.to_owned());
    let now = handle.now();
    let work = move || {
        let result = exchange.run(&store, &folder, &name, now);
        (exchange, result)
    };
    let Ok((mut exchange, result)) = tokio::task::spawn_blocking(work).await else {
        return Exchange::default();
    };
    let problem = match result {
        Ok(done) => done.problem,
        Err(e) => Some(e.to_string()),
    };
    if exchange.problem != problem {
        exchange.problem.clone_from(&problem);
        note(handle, problem).await;
    }
    exchange
}

/// Shows a problem until it is solved.
async fn note(handle: &Handle, problem: Option<String>) {
    let context: &Arc<Context> = &handle.context;
    match problem {
        Some(problem) => {
            tracing::warn!("marks are not exchanged: {problem}");
            let waiting = context.read(|reader| reader.count_marks_to_write()).await;
            context.note_account(AccountNote {
                account: MARKS_FOLDER.to_owned(),
                at: context.clock.now(),
                problem: Some(problem),
                waiting: waiting.unwrap_or_default(),
            });
        }
        None => context.clear_account_note(MARKS_FOLDER),
    }
    // Publish the status.
    handle.replan().await;
}

impl Handle {
    /// Exchanges marks with other machines now, if a folder is configured.
    ///
    /// # Errors
    /// If the folder or the database cannot be used.
    pub async fn exchange_marks(&self) -> Result<Option<Exchanged>, MachinesError> {
        let Some((folder, name)) = chosen(&self.settings().machines) else { return Ok(None) };
        let (store, now): (Store, _) = (self.store().clone(), self.now());
        let work = move || Exchange::default().run(&store, &folder, &name, now);
        let done = tokio::task::spawn_blocking(work).await;
        done.map_err(|e| MachinesError::Folder(PathBuf::new(), std::io::Error::other(e)))?.map(Some)
    }
}
