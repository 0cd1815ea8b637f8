//! The asynchronous runtime of commands that use the engine.

use super::exit::Failure;
use super::home::Home;
use super::output::Output;
use crate::engine::Handle;
use crate::util::allocator;
#[cfg(unix)]
use sd_notify::NotifyState;
use std::pin::Pin;
use std::time::Duration;

/// Number of threads for reading the database, parsing and resolving names.
const BLOCKING_THREADS: usize = 32;
/// Timeout at exit for work on blocking threads: long enough to finish saving a file, but short enough not to
/// wait for an unresponsive name server.
const PATIENCE: Duration = Duration::from_secs(1);

pub(super) struct Runtime(tokio::runtime::Runtime);

/// A runtime for one command, on the current thread. Heavy work runs on the blocking pool. More threads would
/// use more memory.
pub(super) fn runtime() -> Result<Runtime, Failure> {
    build(tokio::runtime::Builder::new_current_thread())
}

/// A runtime on a separate thread. Neither the interface nor a slow reader of the output blocks it, so that
/// connections to servers do not time out.
pub(super) fn runtime_beside() -> Result<Runtime, Failure> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(1);
    build(builder)
}

fn build(mut builder: tokio::runtime::Builder) -> Result<Runtime, Failure> {
    allocator::keep_little();
    builder
        .max_blocking_threads(BLOCKING_THREADS)
        .enable_all()
        .build()
        .map(Runtime)
        .map_err(|e| Failure::Plain(format!("cannot start threads: {e}")))
}

impl Runtime {
    /// Runs `work` to its end. Work on other threads gets [`PATIENCE`] to finish.
    pub(super) fn block_on<T>(self, work: impl Future<Output = T>) -> T {
        self.block_on_within(work, PATIENCE)
    }

    fn block_on_within<T>(self, work: impl Future<Output = T>, patience: Duration) -> T {
        // The future is boxed, so that `block_on` is compiled once per type of result instead of once per
        // future.
        let work: Pin<Box<dyn Future<Output = T> + '_>> = Box::pin(work);
        let result = self.0.block_on(work);
        self.0.shutdown_timeout(patience);
        result
    }
}

/// Reports to a service manager such as systemd that the program is ready.
pub(super) fn report_ready() {
    #[cfg(unix)]
    report(NotifyState::Ready);
}

/// Reports to the service manager that the program is stopping.
pub(super) fn report_stopping() {
    tracing::info!("stopping");
    #[cfg(unix)]
    report(NotifyState::Stopping);
}

#[cfg(unix)]
fn report(state: NotifyState<'_>) {
    if let Err(e) = sd_notify::notify(&[state]) {
        tracing::warn!("the service manager cannot be reached: {e}");
    }
}

/// Starts an engine that polls only on demand, runs `work` with it, and shuts it down even if `work` fails.
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

/// Resolves when the user or the system asks the program to stop. Must be called early and on the runtime,
/// because it installs the signal handlers.
pub(super) fn asked_to_stop() -> impl Future<Output = ()> {
    stop_signal(true)
}

/// Like [`asked_to_stop`]. While another program uses the terminal, Ctrl-C stops only that program.
pub(super) fn stop_signal(ctrl_c_stops: bool) -> impl Future<Output = ()> {
    #[cfg(unix)]
    let signals = {
        use tokio::signal::unix::{SignalKind, signal};
        [SignalKind::interrupt(), SignalKind::terminate()].map(|kind| signal(kind).ok())
    };
    async move {
        #[cfg(unix)]
        if let [Some(mut interrupt), Some(mut terminate)] = signals {
            loop {
                tokio::select! {
                    _ = interrupt.recv() => if ctrl_c_stops { return },
                    _ = terminate.recv() => return,
                }
            }
        }
        #[cfg(not(unix))]
        while tokio::signal::ctrl_c().await.is_ok() {
            if ctrl_c_stops {
                return;
            }
        }
        std::future::pending().await
    }
}

/// The error for an action that is impossible because another process polls.
pub(super) fn other_poller(what: &str, pid: Option<u32>, advice: &str) -> Failure {
    let who =
        pid.map_or("another newsfed process".to_owned(), |pid| format!("newsfed (process {pid})"));
    Failure::Plain(format!(
        "cannot {what}: {who} is polling the sources of this database, and only one process can; {advice}"
    ))
}

/// Advice if the other process can perform the action instead.
pub(super) const THERE: &str = "refresh there, or stop it first";

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn exits_despite_a_hanging_thread() {
        for runtime in [runtime(), runtime_beside()] {
            let (release, released) = mpsc::channel::<()>();
            let (begun, begins) = tokio::sync::oneshot::channel();
            let work = async {
                tokio::task::spawn_blocking(move || {
                    let _ = begun.send(());
                    released.recv()
                });
                begins.await
            };
            let ended = runtime.ok().unwrap().block_on_within(work, Duration::ZERO);
            assert!(ended.is_ok());
            drop(release);
        }
    }
}
