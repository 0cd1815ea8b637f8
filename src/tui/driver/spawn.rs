//! Starts background work, which reports its result as an event.

use super::{Driver, Task};
use crate::engine::Handle;
use crate::tui::event::Event;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

impl Driver {
    pub(super) fn spawn<F: Future<Output = Event> + Send>(
        &self,
        work: impl FnOnce(Handle) -> F + Send + 'static,
    ) {
        self.spawn_task(work);
    }

    /// Spawns work that the user can stop; `url` is the URL of a download.
    pub(super) fn spawn_cancellable<F: Future<Output = Event> + Send>(
        &mut self,
        url: Option<String>,
        work: impl FnOnce(Handle, CancellationToken) -> F + Send + 'static,
    ) {
        let cancel = CancellationToken::new();
        let cancelled = cancel.clone();
        let task = self.spawn_task(move |handle| work(handle, cancelled));
        self.running.add(url, cancel, task);
    }

    /// Queues a file change after the previous ones.
    pub(super) fn queue_edit<F: Future<Output = Event> + Send>(
        &self,
        work: impl FnOnce(Handle) -> F + Send + 'static,
    ) {
        let (handle, events) = (self.handle.clone(), self.events.clone());
        let edit = async move {
            let event = work(handle).await;
            let _ = events.send(event);
        };
        // Sending cannot fail while the runtime exists, because the receiver lives as long as the runtime.
        let _ = self.edits.send(Box::pin(edit));
    }

    pub(super) fn spawn_task<F: Future<Output = Event> + Send>(
        &self,
        work: impl FnOnce(Handle) -> F + Send + 'static,
    ) -> AbortHandle {
        let (handle, events) = (self.handle.clone(), self.events.clone());
        let task: Task = Box::pin(async move {
            let event = work(handle).await;
            // Sending fails if the interface is already closed.
            let _ = events.send(event);
        });
        tokio::spawn(task).abort_handle()
    }

    pub(super) fn blocking(&self, work: impl FnOnce() -> Option<Event> + Send + 'static) {
        let events = self.events.clone();
        tokio::task::spawn_blocking(move || work().is_some_and(|event| events.send(event).is_ok()));
    }
}
