//! Signals that the interface handles.

use super::ending::Ending;
use signal_hook::consts::{SIGCONT, SIGINT, SIGQUIT, SIGTSTP};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinHandle;

/// A signal that can be reset, because the runtime may report it late.
pub(super) struct Resettable {
    signal: Signal,
    arrived: Arc<AtomicBool>,
}

impl Resettable {
    fn new(number: i32) -> std::io::Result<Self> {
        let arrived = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(number, arrived.clone())?;
        Ok(Self { signal: signal(SignalKind::from_raw(number))?, arrived })
    }

    pub(super) async fn recv(&mut self) {
        loop {
            self.signal.recv().await;
            if self.arrived.swap(false, Ordering::SeqCst) {
                return;
            }
        }
    }

    fn reset(&self) {
        self.arrived.store(false, Ordering::SeqCst);
    }
}

pub(super) struct Signals {
    pub(super) interrupt: Resettable,
    pub(super) terminate: Signal,
    pub(super) hang_up: Signal,
    pub(super) quit: Resettable,
    pub(super) stop: Resettable,
    pub(super) resume: Resettable,
    /// Whether the terminal is lent to another program. If it is, newsfed is stopped together with that
    /// program.
    lent: Arc<AtomicBool>,
}

impl Signals {
    pub(super) fn new() -> std::io::Result<Self> {
        let lent = Arc::new(AtomicBool::new(false));
        // This handler is registered before the next one, because handlers run in the order of registration,
        // and the next one stops the process.
        let stop = Resettable::new(SIGTSTP)?;
        signal_hook::flag::register_conditional_default(SIGTSTP, lent.clone())?;
        Ok(Self {
            lent,
            interrupt: Resettable::new(SIGINT)?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
            quit: Resettable::new(SIGQUIT)?,
            stop,
            resume: Resettable::new(SIGCONT)?,
        })
    }

    /// Lends the terminal to a program while the event loop waits for it. On SIGTERM or SIGHUP, the returned
    /// task finishes running work and ends newsfed, because the program may never exit.
    pub(super) fn lend(&self, ending: Ending) -> std::io::Result<JoinHandle<()>> {
        self.lent.store(true, Ordering::SeqCst);
        let mut terminate = signal(SignalKind::terminate())?;
        let mut hang_up = signal(SignalKind::hangup())?;
        Ok(tokio::spawn(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = hang_up.recv() => {}
            }
            ending.finish_soon().await;
            std::process::exit(0);
        }))
    }

    /// Drops signals that arrived while the terminal was lent, because they were intended for the other
    /// program.
    pub(super) fn take_back(&self) {
        self.lent.store(false, Ordering::SeqCst);
        let meant = [&self.interrupt, &self.quit, &self.stop, &self.resume];
        meant.into_iter().for_each(Resettable::reset);
    }
}
