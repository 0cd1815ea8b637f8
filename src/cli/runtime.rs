//! The asynchronous runtime of the commands that speak with the engine.

use super::exit::Failure;
use super::home::Home;
use super::output::Output;
use crate::engine::Handle;

/// Threads for reading the database, parsing and looking up names.
const BLOCKING_THREADS: usize = 32;

/// A runtime for one command, on its own thread: the heavy work is done on the blocking pool, and
/// every thread more costs memory of its own.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    build(tokio::runtime::Builder::new_current_thread())
}

/// A runtime beside the panes, or beside what is printed while it works: its thread waits neither
/// for the person nor for a slow reader of the output, so that no server seems to be late.
pub(super) fn runtime_beside() -> Result<tokio::runtime::Runtime, Failure> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(1);
    build(builder)
}

fn build(mut builder: tokio::runtime::Builder) -> Result<tokio::runtime::Runtime, Failure> {
    builder
        .max_blocking_threads(BLOCKING_THREADS)
        .enable_all()
        .build()
        .map_err(|e| Failure::Plain(format!("the system gives no threads to work with: {e}")))
}

/// Starts an engine that looks only when told to, lets `work` speak with it, and shuts it down
/// whatever came of that.
pub(super) fn with_engine<T>(
    home: &Home,
    out: &mut Output,
    work: impl AsyncFnOnce(&Handle, &mut Output) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let store = home.store()?;
    runtime()?.block_on(async {
        let handle = home.engine(store, false).start().await?;
        let result = work(&handle, out).await;
        handle.shutdown().await;
        result
    })
}

/// Ends when the person or the system asks the program to stop. Call it on the runtime, and early:
/// from then on such a wish is heard.
pub(super) fn asked_to_stop() -> impl Future<Output = ()> {
    #[cfg(unix)]
    let signals = {
        use tokio::signal::unix::{SignalKind, signal};
        [SignalKind::interrupt(), SignalKind::terminate()].map(|kind| signal(kind).ok())
    };
    async move {
        #[cfg(unix)]
        if let [Some(mut interrupt), Some(mut terminate)] = signals {
            tokio::select! {
                _ = interrupt.recv() => return,
                _ = terminate.recv() => return,
            }
        }
        #[cfg(not(unix))]
        if tokio::signal::ctrl_c().await.is_ok() {
            return;
        }
        std::future::pending().await
    }
}

/// Why nothing is looked at: another process does it.
pub(super) fn other_poller(pid: Option<u32>) -> Failure {
    let who = pid.map_or("another newsfed".to_owned(), |pid| format!("newsfed (process {pid})"));
    Failure::Plain(format!(
        "{who} follows the sources of this database already; refresh there, or stop it first"
    ))
}
