//! Threads for work that keeps a processor busy: parsing documents and extracting articles.
//!
//! Work starts in the order in which it was requested. A large document may need a lot of memory and most of
//! a second, so only half of the threads, and at most two, read large documents. They are always the same
//! threads, because memory freed by a thread is reused only by that thread.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// Stack size in bytes: code that builds documents recurses as deep as the depth limit allows.
const STACK: usize = 16 << 20;
/// Size of a large document in bytes.
const LARGE: usize = 1 << 20;
/// Maximum number of large documents that are read at the same time.
const MAX_LARGE: usize = 2;
/// The increment of the threads' nice value. Each thread still gets a third of the time of an equally busy
/// normal thread, so that time limits on its work hold.
#[cfg(target_os = "linux")]
const NICE: i32 = 5;

/// The threads. They are started when needed, and end when this is dropped and they are idle.
pub(super) struct Workers(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    threads: usize,
    large: usize,
}

#[derive(Default)]
struct State {
    queued: VecDeque<Task>,
    started: usize,
    idle: usize,
    closed: bool,
}

struct Task {
    large: bool,
    run: Box<dyn FnOnce() + Send>,
}

impl Workers {
    pub(super) fn new(threads: usize) -> Self {
        Self(Arc::new(Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
            threads,
            large: (threads / 2).clamp(1, MAX_LARGE),
        }))
    }

    /// Queues work on a document of `bytes` bytes, and waits until it starts. The work continues even if no
    /// caller waits for the result any more. `None` if there are no threads.
    pub(super) async fn begin<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<oneshot::Receiver<T>> {
        let (done, result) = oneshot::channel();
        self.begin_boxed(bytes, Box::new(move || drop(done.send(work())))).await?;
        Some(result)
    }

    /// Performs work on a document of `bytes` bytes, and blocks until it is done; `None` if there are no
    /// threads.
    pub(super) fn perform<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (done, result) = oneshot::channel();
        let run = Box::new(move || drop(done.send(work())));
        self.queue(Task { large: bytes >= LARGE, run });
        result.blocking_recv().ok()
    }

    /// A single function for all kinds of work compiles faster than one for each kind.
    async fn begin_boxed(&self, bytes: usize, work: Box<dyn FnOnce() + Send>) -> Option<()> {
        let (start, started) = oneshot::channel();
        let run = move || {
            // Work is not started if no caller waits for it.
            if start.send(()).is_ok() {
                work();
            }
        };
        self.queue(Task { large: bytes >= LARGE, run: Box::new(run) });
        started.await.ok()
    }

    fn queue(&self, task: Task) {
        let mut state = self.0.lock();
        // A thread that was woken counts as idle until it runs.
        if state.queued.len() >= state.idle && state.started < self.0.threads {
            let (shared, builder) = (self.0.clone(), std::thread::Builder::new());
            let builder = builder.name("newsfed-worker".to_owned()).stack_size(STACK);
            let takes_large = state.started < self.0.large;
            let run = move || {
                give_way();
                shared.run(takes_large);
            };
            match builder.spawn(run) {
                Ok(_) => state.started += 1,
                Err(e) => tracing::warn!("cannot start a thread: {e}"),
            }
        }
        // Without a thread, the task would never start. Dropping it reports the failure to the caller.
        if state.started > 0 {
            state.queued.push_back(task);
            // All threads are woken, because not every thread can take the task.
            self.0.changed.notify_all();
        }
    }
}

/// Lowers the priority of this thread: a refresh ends when the writer is done, so the writer must not wait
/// for threads that parse.
fn give_way() {
    // On other systems, the priority belongs to the whole process.
    #[cfg(target_os = "linux")]
    if let Err(e) = rustix::process::nice(NICE) {
        tracing::debug!("cannot lower the priority of a thread: {e}");
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.changed.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self, takes_large: bool) {
        let mut state = self.lock();
        loop {
            if let Some(task) = state.take(takes_large) {
                drop(state);
                // The panic hook has printed the message. The caller that waits for the result gets an
                // error.
                drop(catch_unwind(AssertUnwindSafe(task.run)));
                state = self.lock();
            } else if state.closed {
                return;
            } else {
                state.idle += 1;
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
            }
        }
    }
}

impl State {
    /// The first task that a thread may start.
    fn take(&mut self, takes_large: bool) -> Option<Task> {
        let first = self.queued.iter().position(|task| takes_large || !task.large)?;
        self.queued.remove(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    /// Work that ends when the sender is dropped.
    fn gated() -> (mpsc::Sender<()>, impl FnOnce() + Send + 'static) {
        let (go, gate) = mpsc::channel::<()>();
        (go, move || {
            let _ended = gate.recv();
        })
    }

    #[tokio::test]
    async fn waits_for_a_free_thread_even_behind_abandoned_work() {
        let workers = Workers::new(2);
        let ((go_a, a), (go_b, b)) = (gated(), gated());
        drop(workers.begin(0, a).await);
        drop(workers.begin(0, b).await);
        let next = workers.begin(0, || 1);
        tokio::pin!(next);
        assert!(futures_util::poll!(&mut next).is_pending());
        drop(go_a);
        assert_eq!(next.await.unwrap().await, Ok(1));
        drop(go_b);
    }

    #[tokio::test]
    async fn large_documents_do_not_occupy_all_threads() {
        let workers = Workers::new(2);
        let (go, slow) = gated();
        let first = workers.begin(LARGE, slow).await.unwrap();
        let second = workers.begin(LARGE, || 2);
        tokio::pin!(second);
        assert!(futures_util::poll!(&mut second).is_pending());
        assert_eq!(workers.begin(LARGE - 1, || 3).await.unwrap().await, Ok(3));
        assert!(futures_util::poll!(&mut second).is_pending());
        drop(go);
        assert_eq!(first.await, Ok(()));
        assert_eq!(second.await.unwrap().await, Ok(2));
    }

    #[tokio::test]
    async fn large_documents_are_always_read_by_the_same_thread() {
        let workers = Workers::new(2);
        let here = || std::thread::current().id();
        let of_large = workers.begin(LARGE, here).await.unwrap().await.unwrap();
        let (go, slow) = gated();
        let (first, second) = (workers.begin(0, slow), workers.begin(0, here));
        let (first, second) = tokio::join!(first, second);
        let of_small = second.unwrap().await.unwrap();
        // Either thread may be the busy one; a large document waits for its own thread.
        let large = workers.begin(LARGE, here);
        tokio::pin!(large);
        if of_small != of_large {
            assert!(futures_util::poll!(&mut large).is_pending());
        }
        drop(go);
        assert_eq!(large.await.unwrap().await, Ok(of_large));
        assert_eq!(first.unwrap().await, Ok(()));
    }

    #[test]
    fn a_thread_can_wait_for_the_result() {
        let workers = Workers::new(1);
        assert_eq!(workers.perform(LARGE, || 1), Some(1));
        assert_eq!(workers.perform(0, || -> i32 { std::panic::resume_unwind(Box::new(())) }), None);
    }

    #[tokio::test]
    async fn a_burst_after_a_pause_uses_all_threads() {
        let workers = Workers::new(2);
        assert_eq!(workers.begin(0, || 1).await.unwrap().await, Ok(1));
        while workers.0.lock().idle == 0 {
            tokio::task::yield_now().await;
        }
        let (go, slow) = gated();
        let (first, second) = (workers.begin(0, slow), workers.begin(0, || 2));
        let (first, second) = tokio::join!(first, second);
        assert_eq!(second.unwrap().await, Ok(2));
        drop(go);
        assert_eq!(first.unwrap().await, Ok(()));
    }

    #[tokio::test]
    async fn a_panic_ends_only_its_own_work() {
        let workers = Workers::new(1);
        let broken = workers.begin(LARGE, || -> () { std::panic::resume_unwind(Box::new(())) });
        assert!(broken.await.unwrap().await.is_err());
        assert_eq!(workers.begin(LARGE, || 1).await.unwrap().await, Ok(1));
    }

    #[tokio::test]
    async fn abandoned_work_is_not_started() {
        let workers = Workers::new(1);
        let (go, slow) = gated();
        let first = workers.begin(0, slow).await.unwrap();
        let (sender, begun) = mpsc::channel();
        let mut next = Box::pin(workers.begin(0, move || sender.send(())));
        assert!(futures_util::poll!(&mut next).is_pending());
        drop(next);
        drop(go);
        assert_eq!(first.await, Ok(()));
        assert_eq!(workers.begin(0, || 1).await.unwrap().await, Ok(1));
        assert_eq!(begun.try_recv(), Err(mpsc::TryRecvError::Disconnected));
    }
}
