//! Listening with a player that is controlled through mpv's JSON IPC. The position in each episode is stored
//! during playback, so that little is lost even if the program is killed.

mod ipc;
mod session;
mod task;

use super::handle::Handle;
use crate::model::{Chapter, EpisodeKey, Progress, Queued};
use crate::store::StoreError;
use std::sync::Arc;
use task::Task;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

/// A command of the user for the player.
#[derive(Debug, Clone, PartialEq)]
pub enum PlayerCommand {
    /// Plays an episode of the queue from its stored position.
    Play(EpisodeKey),
    /// Pauses or resumes. If nothing is playing, plays the most recently played episode, or else the first of
    /// the queue.
    Pause,
    /// Seeks forward by this number of seconds, or backward if it is negative.
    Seek(f64),
    /// Goes to the next chapter, or to the previous one (`false`).
    Chapter(bool),
    /// Plays the next episode of the queue. The current one stays in the queue.
    Next,
    Stop,
}

/// The current episode.
#[derive(Debug, Clone, PartialEq)]
pub struct Playing {
    pub key: EpisodeKey,
    pub title: String,
    /// The position and the length.
    pub progress: Progress,
    pub is_paused: bool,
    /// The chapters of the file, or else those listed in the feed.
    pub chapters: Arc<Vec<Chapter>>,
}

impl Playing {
    /// The index of the current chapter.
    pub fn chapter(&self) -> Option<usize> {
        let begun = |chapter: &Chapter| chapter.start as f64 <= self.progress.position;
        self.chapters.iter().rposition(begun)
    }
}

/// Why nothing is playing.
#[derive(Debug, Clone, PartialEq)]
pub enum PlayerProblem {
    /// The player is not installed, or none is configured. The episode can be opened with another program.
    NoPlayer(Box<Queued>),
    Failed(String),
}

/// The state of the player.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlayerState {
    pub now: Option<Playing>,
    /// The last problem, until something plays again.
    pub problem: Option<PlayerProblem>,
    /// Number of problems so far, because the same one may occur again.
    pub problems: u64,
    /// Whether an episode is being started.
    pub is_starting: bool,
}

/// A player. Dropping it stops the current episode; [`Player::finish`] stores the position first.
pub struct Player {
    commands: mpsc::UnboundedSender<PlayerCommand>,
    state: watch::Receiver<PlayerState>,
    task: JoinHandle<()>,
}

impl Player {
    pub fn send(&self, command: PlayerCommand) {
        // The task only ends with the engine.
        let _ = self.commands.send(command);
    }

    pub fn state(&self) -> watch::Receiver<PlayerState> {
        self.state.clone()
    }

    /// Stops the player and waits until the position is stored.
    pub async fn finish(self) {
        drop(self.commands);
        if let Err(e) = self.task.await {
            tracing::error!("the player panicked: {e}");
        }
    }
}

impl Handle {
    /// A player that is not playing anything yet. `in_terminal` means that it may use the terminal and its
    /// keys.
    pub fn player(&self, in_terminal: bool) -> Player {
        let (commands, inbox) = mpsc::unbounded_channel();
        let (state_in, state) = watch::channel(PlayerState::default());
        let task = Task::new(self.context.clone(), state_in, in_terminal);
        Player { commands, state, task: tokio::spawn(task.run(inbox)) }
    }

    /// The episodes in the queue.
    ///
    /// # Errors
    /// If they cannot be read.
    pub async fn queue(&self) -> Result<Vec<Queued>, StoreError> {
        self.context.read(|reader| reader.queue()).await
    }

    /// Moves an episode in the queue. Returns the number of positions moved.
    ///
    /// # Errors
    /// If the new order cannot be stored.
    pub async fn move_in_queue(&self, key: EpisodeKey, by: i64) -> Result<i64, StoreError> {
        self.context.store.move_in_queue(key, by).await
    }
}
