//! Finishes work before the program exits.

use super::crawls::RunningCrawls;
use super::driver::{Task, store_position};
use super::effect::Effect;
use super::listen::Listening;
use crate::engine::Handle;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// Maximum time that the program waits for unfinished work before it exits.
const PATIENCE: Duration = Duration::from_secs(10);

/// The parts of the interface that must be finished. A copy is used if a signal stops newsfed while another
/// program has the terminal.
#[derive(Clone)]
pub(super) struct Ending {
    pub(super) handle: Handle,
    pub(super) edits: UnboundedSender<Task>,
    pub(super) listening: Listening,
    pub(super) crawls: RunningCrawls,
}

impl Ending {
    /// Waits for file changes, stops the player and the crawls, stores the reading position and settings, and
    /// ends the visit.
    pub(super) async fn finish(self, effects: Vec<Effect>) {
        self.finish_edits().await;
        self.listening.finish().await;
        self.crawls.finish().await;
        for effect in effects {
            match effect {
                Effect::StorePosition { item, place } => {
                    store_position(self.handle.store(), item, place).await;
                }
                Effect::Edit { change, .. } => {
                    // The interface is closed, so the error can only be logged.
                    if let Err(e) = self.handle.edit(change).await {
                        tracing::warn!("settings were not saved: {e}");
                    }
                }
                _ => {}
            }
        }
        // A read-only database cannot record visits, so errors are ignored.
        self.handle.end_visit().await.ok();
    }

    /// Like [`Self::finish`], but with a timeout, because the user has no other way to stop it. Also closes
    /// the database.
    pub(super) async fn finish_soon(self) {
        let handle = self.handle.clone();
        if tokio::time::timeout(PATIENCE, self.finish(vec![])).await.is_err() {
            tracing::warn!("newsfed exited before everything was finished");
        }
        handle.shutdown().await;
    }

    /// Waits until the queued file changes have been made.
    async fn finish_edits(&self) {
        let (made, all_made) = tokio::sync::oneshot::channel();
        let last = async move {
            let _ = made.send(());
        };
        let _ = self.edits.send(Box::pin(last));
        if tokio::time::timeout(PATIENCE, all_made).await.is_err() {
            tracing::warn!("not all files were changed before newsfed exited");
        }
    }
}
