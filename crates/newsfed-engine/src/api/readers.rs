//! Threads that read the database for requests.

use super::refusal::Refusal;
use crate::store::{Reader, Store};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// Maximum number of requests that read at the same time; others wait. Each thread keeps its own connection,
/// so a pool that grows with the number of requests would use more memory.
const MAX: usize = 4;

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// The connection of a thread, opened at the first request.
struct Connection {
    store: Store,
    reader: Option<Reader>,
}

impl Connection {
    fn read<T>(&mut self, work: impl FnOnce(&Reader) -> Result<T, Refusal>) -> Result<T, Refusal> {
        let reader = match self.reader.take() {
            Some(reader) => reader,
            None => self.store.reader()?,
        };
        let result = work(&reader);
        // A frozen reader does not see later changes, so a new one is opened for the next request.
        self.reader = Some(reader).filter(|reader| !reader.is_frozen());
        result
    }
}

pub(super) struct Readers {
    /// `None` while the readers are being dropped.
    jobs: Option<Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
}

impl Drop for Readers {
    /// The database is closed completely only when no connection is left.
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            // Panics have been caught and logged on the thread.
            let _ = thread.join();
        }
    }
}

impl Readers {
    /// Starts the threads. They exit when the readers are dropped.
    pub(super) fn new(store: &Store) -> Self {
        let (jobs, queue) = channel::<Job>();
        let queue = Arc::new(Mutex::new(queue));
        let mut threads = Vec::new();
        for _ in 0..MAX {
            let (queue, store) = (queue.clone(), store.clone());
            let connection = Connection { store, reader: None };
            let started = std::thread::Builder::new()
                .name("newsfed-api".to_owned())
                .spawn(move || run(&queue, connection));
            match started {
                Ok(thread) => threads.push(thread),
                Err(e) => tracing::error!("cannot start a thread that reads for apps: {e}"),
            }
        }
        Self { jobs: Some(jobs), threads }
    }

    /// Runs `work` on one of the threads.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Reader) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let (reply, result) = oneshot::channel();
        let job = move |connection: &mut Connection| {
            // A client that has disconnected needs no result.
            if !reply.is_closed() {
                let _ = reply.send(connection.read(work));
            }
        };
        let failed = || Refusal::Unavailable("the database could not be read".to_owned());
        let jobs = self.jobs.as_ref().ok_or_else(failed)?;
        jobs.send(Box::new(job)).map_err(|_| failed())?;
        result.await.unwrap_or_else(|_| Err(failed()))
    }
}

fn run(queue: &Mutex<Receiver<Job>>, mut connection: Connection) {
    loop {
        // The lock is held only while waiting for a job.
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        if catch_unwind(AssertUnwindSafe(|| job(&mut connection))).is_err() {
            tracing::error!("an API request panicked while reading");
        }
    }
}
