//! The queue of episodes, and the episode that is playing.

use super::App;
use super::availability::NO_ITEM;
use super::dialogs::KeyHint::{Back, Rows};
use super::dialogs::{Dialog, KeyHint, KeyHints, Reply};
use crate::config::{Action, Key};
use crate::engine::{PlayerCommand, PlayerProblem, PlayerState, Playing};
use crate::model::Queued;
use crate::store::Mark;
use crate::tui::effect::{Effect, FileOf, FileUse, MediaFile};
use crate::tui::event::{Cause, Failure};
use crate::tui::read::Read;
use crate::tui::view::{self, DialogArea};
use crate::util::time_text::clock_time;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;

/// State of the dialog.
#[derive(Debug, Default)]
pub(crate) struct ListenList {
    /// `None` until it is loaded.
    pub(crate) queue: Option<Vec<Queued>>,
    pub(crate) selected: usize,
}

impl App {
    /// Adds the episodes of the selected items to the queue.
    pub(super) fn enqueue(&mut self) -> Vec<Effect> {
        let keys: Vec<i64> = self.item_targets().iter().map(|row| row.key).collect();
        if keys.is_empty() {
            return self.note(NO_ITEM);
        }
        self.items.marked.clear();
        self.change_mark(Mark::Queued, keys, true, Cause::User)
    }

    pub(super) fn open_queue(&mut self) -> Vec<Effect> {
        self.push_dialog(ListenList::default());
        vec![Effect::Read(Read::Queue)]
    }

    /// Reloads the queue if it is shown.
    pub(super) fn reload_queue(&self) -> Option<Effect> {
        self.dialog().map(|_: &ListenList| Effect::Read(Read::Queue))
    }

    pub(super) fn queue_loaded(&mut self, result: Result<Vec<Queued>, Failure>) -> Vec<Effect> {
        let queue = match result {
            Ok(queue) => queue,
            Err(why) => return self.problem(why),
        };
        if let Some(list) = self.dialog_mut::<ListenList>() {
            list.selected = list.selected.min(queue.len().saturating_sub(1));
            list.queue = Some(queue);
        }
        vec![]
    }

    pub(super) fn player_changed(&mut self, state: PlayerState) -> Vec<Effect> {
        let is_new = state.problems != self.player.problems;
        let before = std::mem::replace(&mut self.player, state);
        match self.player.problem.clone().filter(|_| is_new) {
            None => match self.player.now.as_ref().and_then(|now| change(before.now.as_ref(), now))
            {
                // If the dialog is open, it already shows the change.
                Some(change) if self.dialog::<ListenList>().is_none() => self.note(change),
                _ => vec![],
            },
            Some(PlayerProblem::Failed(why)) if before.now.is_none() => {
                self.problem(format!("Cannot play: {why}"))
            }
            Some(PlayerProblem::Failed(why)) => self.problem(format!("Stopped playing: {why}")),
            Some(PlayerProblem::NoPlayer(episode)) => {
                self.note(match self.settings.listen.player.first() {
                    Some(player) => {
                        format!("{player} is not installed; opened with the program set in [open]")
                    }
                    None => "No player is set; opened with the program set in [open]".to_owned(),
                });
                let of = FileOf { item: episode.key.item, source: episode.source };
                let (url, media_type) = (episode.key.url, episode.media_type);
                let file = MediaFile { of, url, media_type };
                vec![Effect::UseFile { file, file_use: FileUse::Open }]
            }
        }
    }

    /// Runs an action of the player that has a key in every pane.
    pub(super) fn command_player(&mut self, action: Action) -> Vec<Effect> {
        let step = self.settings.listen.step.as_secs_f64();
        let command = match action {
            Action::SeekForward => PlayerCommand::Seek(step),
            Action::SeekBack => PlayerCommand::Seek(-step),
            Action::NextEpisode => PlayerCommand::Next,
            _ => PlayerCommand::Pause,
        };
        if self.player.now.is_none() && command != PlayerCommand::Pause {
            return self.note("Nothing is playing");
        }
        if let (PlayerCommand::Seek(by), Some(now), None) =
            (&command, &self.player.now, self.dialog::<ListenList>())
        {
            let to =
                (now.progress.position + by).clamp(0.0, now.progress.length.unwrap_or(f64::MAX));
            self.note(format!("{} · {}", clock_time(to), now.title));
        }
        vec![Effect::Player(command)]
    }
}

/// A message about a change to the player while its dialog is closed.
fn change(before: Option<&Playing>, now: &Playing) -> Option<String> {
    let at = clock_time(now.progress.position);
    let same = before.filter(|before| before.key == now.key);
    match same.map(|before| before.is_paused != now.is_paused) {
        None => Some(format!("Playing {}", now.title)),
        Some(true) if now.is_paused => Some(format!("Paused at {at} · {}", now.title)),
        Some(true) => Some(format!("Playing at {at} · {}", now.title)),
        Some(false) => None,
    }
}

impl ListenList {
    fn current(&self) -> Option<&Queued> {
        self.queue.as_ref()?.get(self.selected)
    }

    /// Moves the selected episode in the queue; it stays selected.
    fn shift(&mut self, by: i64) -> Vec<Effect> {
        let count = self.queue.as_ref().map_or(0, Vec::len);
        let Some(key) = self.current().map(|episode| episode.key.clone()) else { return vec![] };
        let to = self.selected.checked_add_signed(if by < 0 { -1 } else { 1 });
        let Some(to) = to.filter(|to| *to < count) else { return vec![] };
        if let Some(queue) = &mut self.queue {
            queue.swap(self.selected, to);
        }
        self.selected = to;
        vec![Effect::MoveInQueue { key, by }]
    }

    fn pressed(&mut self, app: &mut App, event: KeyEvent) -> Vec<Effect> {
        let alt = event.modifiers.contains(KeyModifiers::ALT);
        match event.code {
            KeyCode::Char('j') | KeyCode::Down if alt => self.shift(1),
            KeyCode::Char('k') | KeyCode::Up if alt => self.shift(-1),
            KeyCode::Enter => match self.current() {
                Some(episode) => {
                    vec![Effect::Player(PlayerCommand::Play(episode.key.clone()))]
                }
                None => vec![],
            },
            KeyCode::Char(' ') => app.command_player(Action::PlayPause),
            KeyCode::Right => app.command_player(Action::SeekForward),
            KeyCode::Left => app.command_player(Action::SeekBack),
            KeyCode::Char(bracket @ ('[' | ']')) => {
                vec![Effect::Player(PlayerCommand::Chapter(bracket == ']'))]
            }
            KeyCode::Char('n') => app.command_player(Action::NextEpisode),
            KeyCode::Char('s') => vec![Effect::Player(PlayerCommand::Stop)],
            KeyCode::Char('d') => match self.current() {
                Some(episode) => {
                    let keys = vec![episode.key.item];
                    app.change_mark(Mark::Queued, keys, false, Cause::User)
                }
                None => vec![],
            },
            _ => vec![],
        }
    }
}

impl Dialog for ListenList {
    fn key(&mut self, app: &mut App, event: KeyEvent, key: Key) -> Reply {
        let own = event.modifiers.contains(KeyModifiers::ALT)
            || matches!(event.code, KeyCode::Left | KeyCode::Right | KeyCode::Char(' '));
        if let Some(motion) = app.motion(key).filter(|_| !own) {
            let count = self.queue.as_ref().map_or(0, Vec::len);
            self.selected = motion.from(self.selected, 10, count);
            return Reply::default();
        }
        if app.is_back(key) {
            return Reply::close(vec![]);
        }
        match app.action_of(key) {
            Some(Action::Undo) => app.undo().into(),
            Some(Action::Redo) => app.redo().into(),
            _ => self.pressed(app, event).into(),
        }
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::listen::draw(app, frame, self, area);
    }

    fn hints(&self) -> KeyHints {
        if self.queue.as_ref().is_some_and(Vec::is_empty) {
            return &[Back("close")];
        }
        &[
            KeyHint::Key("Enter", "play"),
            KeyHint::Key("Space", "pause"),
            KeyHint::Key("Left Right", "seek"),
            KeyHint::Key("[ ]", "chapter"),
            KeyHint::Key("n", "next"),
            KeyHint::Key("s", "stop"),
            KeyHint::Key("A-j A-k", "move"),
            KeyHint::Key("d", "remove"),
            Rows("select"),
            Back("close"),
        ]
    }
}
