//! The task of a player. It handles commands at any time, even while a player starts or does not respond.

use super::super::context::Context;
use super::ipc::{Ending, PlayerEvent};
use super::session::{Session, StartError};
use super::{PlayerCommand, PlayerProblem, PlayerState, Playing};
use crate::model::{Chapter, EpisodeKey, Progress, Queued};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Interval between two writes of the position.
const STORE_EVERY: Duration = Duration::from_secs(5);
/// An episode that ends within this number of seconds before its stated length is considered complete,
/// because the length may be wrong or include credits.
const REST: f64 = 60.0;

pub(super) struct Task {
    context: Arc<Context>,
    state: watch::Sender<PlayerState>,
    in_terminal: bool,
    session: Option<Session>,
    starting: Option<Starting>,
    /// The episodes after the current one, when it was last seen in the queue.
    following: Vec<EpisodeKey>,
    /// The stored position.
    stored: Option<(EpisodeKey, Progress)>,
}

type Started = Result<Session, StartError>;

/// A player that has been started but is not connected yet.
struct Starting {
    episode: Queued,
    chapters: Vec<Chapter>,
    /// Whether to pause as soon as the player is connected.
    is_paused: bool,
    cancel: CancellationToken,
    session: Pin<Box<dyn Future<Output = Started> + Send>>,
}

/// The next event for the task.
enum Happened {
    Command(Option<PlayerCommand>),
    Event(PlayerEvent),
    Started(Box<Started>),
    QueueChanged,
    StoreTime,
}

impl Task {
    pub(super) fn new(
        context: Arc<Context>,
        state: watch::Sender<PlayerState>,
        in_terminal: bool,
    ) -> Self {
        let (following, stored) = (Vec::new(), None);
        Self { context, state, in_terminal, session: None, starting: None, following, stored }
    }

    pub(super) async fn run(mut self, mut inbox: mpsc::UnboundedReceiver<PlayerCommand>) {
        let mut stored = Instant::now();
        let mut revision = self.context.store.revision();
        loop {
            let plays = self.session.is_some();
            let event = async {
                match &mut self.session {
                    Some(session) => session.next().await,
                    None => std::future::pending().await,
                }
            };
            let started = async {
                match &mut self.starting {
                    Some(starting) => (&mut starting.session).await,
                    None => std::future::pending().await,
                }
            };
            let happened = tokio::select! {
                biased;
                command = inbox.recv() => Happened::Command(command),
                event = event => Happened::Event(event),
                started = started => Happened::Started(Box::new(started)),
                Ok(()) = revision.changed(), if plays => Happened::QueueChanged,
                () = tokio::time::sleep_until(stored + STORE_EVERY), if plays => Happened::StoreTime,
            };
            match happened {
                Happened::Command(Some(command)) => self.obey(command).await,
                Happened::Command(None) => return self.stop().await,
                Happened::Event(event) => self.take(event).await,
                Happened::Started(started) => self.started(*started).await,
                Happened::QueueChanged => self.note_following().await,
                Happened::StoreTime => {
                    stored = Instant::now();
                    self.store_place(false).await;
                }
            }
        }
    }

    async fn obey(&mut self, command: PlayerCommand) {
        match command {
            PlayerCommand::Play(key) => {
                self.leave().await;
                self.play(key).await;
            }
            PlayerCommand::Next => {
                let Some(current) = self.current() else { return };
                let next = self.next_of(&current).await;
                self.leave().await;
                match next {
                    Some(next) => self.play(next).await,
                    None => self
                        .report(PlayerProblem::Failed("the queue has no more episodes".to_owned())),
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
                if let Some(starting) = &mut self.starting {
                    starting.is_paused = !starting.is_paused;
                    return;
                }
                match self.context.read(|reader| reader.next_episode()).await {
                    Ok(Some(episode)) => self.play(episode).await,
                    Ok(None) => self.fail("the queue is empty"),
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

    /// The episode that is playing or starting.
    fn current(&self) -> Option<EpisodeKey> {
        let starting = self.starting.as_ref().map(|starting| starting.episode.key.clone());
        starting.or_else(|| self.state.borrow().now.as_ref().map(|now| now.key.clone()))
    }

    /// Starts a player; [`Task::started`] continues when it is connected.
    async fn play(&mut self, key: EpisodeKey) {
        self.state.send_modify(|state| state.is_starting = true);
        let read = move |reader: &crate::store::Reader| {
            let episode = reader.queue()?.into_iter().find(|episode| episode.key == key);
            let files = reader.item(key.item)?.map(|item| item.enclosures).unwrap_or_default();
            let file = files.into_iter().find(|file| file.url == key.url);
            Ok((episode, file.map(|file| file.chapters).unwrap_or_default()))
        };
        let (episode, chapters) = match self.context.read(read).await {
            Ok((Some(episode), chapters)) => (episode, chapters),
            Ok((None, _)) => return self.fail("the episode is no longer in the queue"),
            Err(e) => return self.fail(&e.to_string()),
        };
        let argv = self.context.settings().listen.player.clone();
        let cancel = CancellationToken::new();
        let session = Session::start(argv, episode.clone(), self.in_terminal, cancel.clone());
        let session = Box::pin(session);
        self.starting = Some(Starting { episode, chapters, is_paused: false, cancel, session });
        self.note_following().await;
    }

    /// Handles the result of starting a player.
    async fn started(&mut self, started: Started) {
        let Some(Starting { episode, chapters, is_paused, .. }) = self.starting.take() else {
            return;
        };
        match started {
            Ok(mut session) => {
                if is_paused {
                    session.toggle_pause().await;
                }
                self.session = Some(session);
                let progress = Progress { length: episode.length(), ..episode.progress };
                self.stored = Some((episode.key.clone(), progress));
                let now = Playing {
                    title: episode.title.clone(),
                    key: episode.key,
                    progress,
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

    /// Applies a message from the player.
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
                // The gap between two episodes must not be mistaken for the end.
                self.state.send_modify(|state| state.is_starting = next.is_some());
                self.close().await;
                if let Some(next) = next {
                    self.play(next).await;
                }
            }
            Ending::Complete => {
                // Report the reason first, so that this is not mistaken for a normal end.
                self.fail("the episode ended early; its position is kept");
                self.stop().await;
            }
            Ending::Failed(why) => {
                self.fail(&why);
                self.stop().await;
            }
            Ending::Closed => self.stop().await,
        }
    }

    /// The episode after this one, even if this one was removed from the queue during playback.
    async fn next_of(&mut self, key: &EpisodeKey) -> Option<EpisodeKey> {
        let queue = self.context.read(|reader| reader.queue_keys()).await.ok()?;
        match queue.iter().position(|other| other == key) {
            Some(at) => queue.get(at + 1).cloned(),
            None => self.following.iter().find(|other| queue.contains(other)).cloned(),
        }
    }

    /// Records the episodes after the current one, as long as it is in the queue.
    async fn note_following(&mut self) {
        let (Some(current), Ok(mut queue)) =
            (self.current(), self.context.read(|reader| reader.queue_keys()).await)
        else {
            return;
        };
        if let Some(at) = queue.iter().position(|key| *key == current) {
            self.following = queue.split_off(at + 1);
        }
    }

    /// Stores the position and stops the episode that is playing or starting.
    async fn stop(&mut self) {
        self.leave().await;
        self.state.send_if_modified(|state| std::mem::take(&mut state.is_starting));
    }

    /// Stores the position and stops the episode before something else plays.
    async fn leave(&mut self) {
        if let Some(starting) = self.starting.take() {
            starting.cancel.cancel();
            // A cancelled start stops its player without waiting for a connection.
            if let Ok(session) = starting.session.await {
                session.end().await;
            }
        }
        self.store_place(false).await;
        self.close().await;
    }

    async fn close(&mut self) {
        if let Some(session) = self.session.take() {
            session.end().await;
        }
        self.state.send_if_modified(|state| state.now.take().is_some());
    }

    /// Stores the playback position, unless it is already stored.
    async fn store_place(&mut self, finished: bool) {
        let Some(now) = self.state.borrow().now.clone() else { return };
        let place = (now.key, Progress { finished, ..now.progress });
        if self.stored.as_ref() == Some(&place) {
            return;
        }
        match self.context.store.record_progress(place.0.clone(), place.1).await {
            Ok(()) => self.stored = Some(place),
            Err(e) => tracing::warn!("the playback position of an episode was not stored: {e}"),
        }
    }

    fn fail(&self, why: &str) {
        self.report(PlayerProblem::Failed(crate::util::text::line(why)));
    }

    /// Reports why nothing is playing, even if the reason is the same as before.
    fn report(&self, problem: PlayerProblem) {
        self.state.send_modify(|state| {
            (state.problem, state.is_starting) = (Some(problem), false);
            state.problems += 1;
        });
    }
}
