//! The player of the interface. It is started on demand, and its states are sent as events.

use super::driver::message;
use super::event::Event;
use crate::engine::{Handle, Player, PlayerCommand};
use crate::model::EpisodeKey;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// Minimum time between two states, because players report their position many times per second.
const STEP: Duration = Duration::from_millis(500);

/// Access to the player, which all clones share.
#[derive(Clone, Default)]
pub(super) struct Listening {
    player: Arc<Mutex<Option<Player>>>,
}

impl Listening {
    pub(super) fn command(
        &self,
        handle: &Handle,
        events: &UnboundedSender<Event>,
        command: PlayerCommand,
    ) {
        let mut player = self.player();
        let player = player.get_or_insert_with(|| {
            let player = handle.player(false);
            let (mut states, events) = (player.state(), events.clone());
            tokio::spawn(async move {
                while states.changed().await.is_ok() {
                    let state = states.borrow_and_update().clone();
                    if events.send(Event::PlayerChanged(Box::new(state))).is_err() {
                        break;
                    }
                    tokio::time::sleep(STEP).await;
                }
            });
            player
        });
        player.send(command);
    }

    /// Stops the current episode, and stores its playback position.
    pub(super) async fn finish(&self) {
        let player = self.player().take();
        if let Some(player) = player {
            player.finish().await;
        }
    }

    fn player(&self) -> MutexGuard<'_, Option<Player>> {
        self.player.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Moves an episode in the queue. The commit makes the interface reload the queue.
pub(super) async fn move_in_queue(handle: Handle, key: EpisodeKey, by: i64) -> Option<Event> {
    let moved = handle.move_in_queue(key, by).await;
    moved.err().map(|e| Event::Message(Err(message(e))))
}
