//! Listening: a player that is controlled through mpv's JSON IPC. The place in each episode is stored while
//! it plays, so that little is lost however the program ends.

mod ipc;
mod session;

use super::context::Context;
use super::handle::Handle;
use crate::model::{Chapter, EpisodeKey, Progress, Queued};
use crate::store::StoreError;
use ipc::{Ending, PlayerEvent};
use session::{Session, StartError};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// How often the place is stored.
const STORE_EVERY: Duration = Duration::from_secs(5);
/// An episode that ends this many seconds before its length was heard to its end: credits, wrong lengths.
const REST: f64 = 60.0;

/// What the user wants of the player.
#[derive(Debug, Clone, PartialEq)]
pub enum PlayerCommand {
    /// Plays an episode of the queue from where it was left.
    Play(EpisodeKey),
    /// Pauses, or goes on; if nothing plays, the first episode of the queue.
    Pause,
    /// Goes forward by that many seconds, or back.
    Seek(f64),
    /// Goes to the next chapter, or back to the one before (`false`).
    Chapter(bool),
    /// Plays the next episode of the queue; this one stays in it.
    Next,
    Stop,
}

/// An episode that plays.
#[derive(Debug, Clone, PartialEq)]
pub struct Playing {
    pub key: EpisodeKey,
    pub title: String,
    /// Where it is, and how long it is.
    pub progress: Progress,
    pub is_paused: bool,
    /// Those of the file, else those that the feed lists.
    pub chapters: Arc<Vec<Chapter>>,
}

impl Playing {
    /// The chapter that plays, by its index.
    pub fn chapter(&self) -> Option<usize> {
        let begun = |chapter: &Chapter| chapter.start as f64 <= self.progress.position;
        self.chapters.iter().rposition(begun)
    }
}

/// Why nothing plays.
#[derive(Debug, Clone, PartialEq)]
pub enum PlayerProblem {
    /// The player is not installed, or none is set; the episode can be opened in another way.
    NoPlayer(Box<Queued>),
    Failed(String),
}

/// What the player does.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlayerState {
    pub now: Option<Playing>,
    /// Until something plays again.
    pub problem: Option<PlayerProblem>,
    /// How many there were: the same one may come again.
    pub problems: u64,
    /// Whether an episode is being started.
    pub is_starting: bool,
}

/// A player. Dropping it ends what plays; [`Player::finish`] stores the place before.
pub struct Player {
    commands: mpsc::UnboundedSender<PlayerCommand>,
    state: watch::Receiver<PlayerState>,
    task: JoinHandle<()>,
}

impl Player {
    pub fn send(&self, command: PlayerCommand) {
        // It ends with the engine only.
        let _ = self.commands.send(command);
    }

    pub fn state(&self) -> watch::Receiver<PlayerState> {
        self.state.clone()
    }

    /// Stops, and waits until the place is stored.
    pub async fn finish(self) {
        drop(self.commands);
        if let Err(e) = self.task.await {
            tracing::error!("the player panicked: {e}");
        }
    }
}

impl Handle {
    /// A player that plays nothing yet. `in_terminal`: the program has the terminal, and its keys.
    pub fn player(&self, in_terminal: bool) -> Player {
        let (commands, inbox) = mpsc::unbounded_channel();
        let (state_in, state) = watch::channel(PlayerState::default());
        let player =
            Loop { context: self.context.clone(), state: state_in, in_terminal, session: None };
        Player { commands, state, task: tokio::spawn(player.run(inbox)) }
    }

    /// The episodes in the queue.
    ///
    /// # Errors
    /// If they cannot be read.
    pub async fn queue(&self) -> Result<Vec<Queued>, StoreError> {
        self.context.read(|reader| reader.queue()).await
    }

    /// Moves an episode in the queue; returns by how many places.
    ///
    /// # Errors
    /// If that cannot be stored.
    pub async fn move_in_queue(&self, key: EpisodeKey, by: i64) -> Result<i64, StoreError> {
        self.context.store.move_in_queue(key, by).await
    }
}

/// The task of a player.
struct Loop {
    context: Arc<Context>,
    state: watch::Sender<PlayerState>,
    in_terminal: bool,
    session: Option<Session>,
}

impl Loop {
    async fn run(mut self, mut inbox: mpsc::UnboundedReceiver<PlayerCommand>) {
        let mut stored = Instant::now();
        loop {
            let event = match &mut self.session {
                None => None,
                Some(session) => tokio::select! {
                    biased;
                    command = inbox.recv() => match command {
                        Some(command) => {
                            self.obey(command).await;
                            continue;
                        }
                        None => break,
                    },
                    event = session.next() => Some(event),
                    () = tokio::time::sleep_until(stored + STORE_EVERY) => {
                        stored = Instant::now();
                        self.store_place(false).await;
                        continue;
                    }
                },
            };
            match event {
                Some(event) => self.take(event).await,
                None => match inbox.recv().await {
                    Some(command) => self.obey(command).await,
                    None => break,
                },
            }
        }
        self.stop().await;
    }

    async fn obey(&mut self, command: PlayerCommand) {
        match command {
            PlayerCommand::Play(key) => {
                self.stop().await;
                self.play(key).await;
            }
            PlayerCommand::Next => {
                let Some(playing) = self.state.borrow().now.clone() else { return };
                let next = self.next_of(&playing.key).await;
                self.stop().await;
                match next {
                    Some(next) => self.play(next).await,
                    None => self.report(PlayerProblem::Failed("the queue has no more".to_owned())),
                }
            }
            PlayerCommand::Stop => self.stop().await,
            PlayerCommand::Chapter(forward) => {
                let target = self.state.borrow().now.as_ref().and_then(|now| {
                    let at = now.chapter();
                    let to = if forward { at.map_or(0, |at| at + 1) } else { at?.checked_sub(1)? };
                    now.chapters.get(to).map(|chapter| chapter.start as f64)
                });
                if let (Some(session), Some(target)) = (&mut self.session, target) {
                    session.go_to(target).await;
                }
            }
            PlayerCommand::Pause => {
                if let Some(session) = &mut self.session {
                    return session.toggle_pause().await;
                }
                match self.context.read(|reader| reader.queue()).await {
                    Ok(queue) => match queue.into_iter().next() {
                        Some(first) => self.play(first.key).await,
                        None => self.fail("the queue is empty"),
                    },
                    Err(e) => self.fail(&e.to_string()),
                }
            }
            PlayerCommand::Seek(by) => {
                if let Some(session) = &mut self.session {
                    session.seek(by).await;
                }
            }
        }
    }

    async fn play(&mut self, key: EpisodeKey) {
        self.state.send_modify(|state| state.is_starting = true);
        let wanted = key.clone();
        let read = move |reader: &crate::store::Reader| {
            let episode = reader.queue()?.into_iter().find(|episode| episode.key == wanted);
            let files = reader.item(wanted.item)?.map(|item| item.enclosures).unwrap_or_default();
            let file = files.into_iter().find(|file| file.url == wanted.url);
            Ok((episode, file.map(|file| file.chapters).unwrap_or_default()))
        };
        let (episode, chapters) = match self.context.read(read).await {
            Ok((Some(episode), chapters)) => (episode, chapters),
            Ok((None, _)) => return self.fail("it is not in the queue any more"),
            Err(e) => return self.fail(&e.to_string()),
        };
        let argv = self.context.settings().listen.player.clone();
        let started = Session::start(&argv, &episode, self.in_terminal).await;
        match started {
            Ok(session) => {
                self.session = Some(session);
                let now = Playing {
                    key,
                    title: episode.title.clone(),
                    progress: Progress { length: episode.length(), ..episode.progress },
                    is_paused: false,
                    chapters: Arc::new(chapters),
                };
                self.state.send_modify(|state| {
                    (state.now, state.problem, state.is_starting) = (Some(now), None, false);
                });
            }
            Err(StartError::NoPlayer) => self.report(PlayerProblem::NoPlayer(Box::new(episode))),
            Err(StartError::Failed(why)) => self.fail(&why),
        }
    }

    /// Applies what the player says.
    async fn take(&mut self, event: PlayerEvent) {
        let change = |change: &dyn Fn(&mut Playing)| {
            self.state.send_if_modified(|state| {
                let Some(now) = &mut state.now else { return false };
                let before = now.clone();
                change(now);
                *now != before
            });
        };
        match event {
            PlayerEvent::Position(position) => change(&|now| now.progress.position = position),
            PlayerEvent::Length(length) => change(&|now| now.progress.length = Some(length)),
            PlayerEvent::Paused(paused) => {
                change(&|now| now.is_paused = paused);
                self.store_place(false).await;
            }
            PlayerEvent::Chapters(chapters) if !chapters.is_empty() => {
                let chapters = Arc::new(chapters);
                change(&|now| now.chapters = chapters.clone());
            }
            PlayerEvent::Chapters(_) | PlayerEvent::Other => {}
            PlayerEvent::Ended(ending) => self.ended(ending).await,
        }
    }

    async fn ended(&mut self, ending: Ending) {
        let Some(playing) = self.state.borrow().now.clone() else { return };
        let Progress { position, length, .. } = playing.progress;
        match ending {
            Ending::Complete if length.is_some_and(|length| position + REST >= length) => {
                let next = self.next_of(&playing.key).await;
                self.store_place(true).await;
                // Nobody may take the pause between two episodes for the end.
                self.state.send_modify(|state| state.is_starting = next.is_some());
                self.close().await;
                if let Some(next) = next {
                    self.play(next).await;
                }
            }
            Ending::Complete => {
                // First why: nobody may take the end for a good one.
                self.fail("it ended early; its place is kept");
                self.stop().await;
            }
            Ending::Failed(why) => {
                self.fail(&why);
                self.stop().await;
            }
            Ending::Closed => self.stop().await,
        }
    }

    /// The episode after this one.
    async fn next_of(&self, key: &EpisodeKey) -> Option<EpisodeKey> {
        let queue = self.context.read(|reader| reader.queue()).await.ok()?;
        let at = queue.iter().position(|episode| episode.key == *key)?;
        queue.get(at + 1).map(|episode| episode.key.clone())
    }

    /// Stores the place, and ends what plays.
    async fn stop(&mut self) {
        self.store_place(false).await;
        self.close().await;
    }

    async fn close(&mut self) {
        if let Some(session) = self.session.take() {
            session.end().await;
        }
        self.state.send_if_modified(|state| state.now.take().is_some());
    }

    async fn store_place(&self, finished: bool) {
        let Some(now) = self.state.borrow().now.clone() else { return };
        let progress = Progress { finished, ..now.progress };
        if let Err(e) = self.context.store.record_progress(now.key, progress).await {
            tracing::warn!("the place in an episode was not stored: {e}");
        }
    }

    fn fail(&self, why: &str) {
        self.report(PlayerProblem::Failed(crate::util::text::line(why)));
    }

    /// Says why nothing plays, again if it is for the same reason.
    fn report(&self, problem: PlayerProblem) {
        self.state.send_modify(|state| {
            (state.problem, state.is_starting) = (Some(problem), false);
            state.problems += 1;
        });
    }
}
