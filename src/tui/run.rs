//! The event loop: handles events and draws at most once per frame.

use super::app::{App, TerminalInfo};
use super::driver::Driver;
use super::effect::{Effect, ExitReason, Left, Purpose};
use super::event::Event;
use super::external;
use super::graphics;
use super::replies::Replies;
use super::signals::Signals;
use super::style::{ColorSupport, Palette};
use super::terminal::{self, Screen, TerminalQuery};
use crate::config::{FileEdit, KeyMap, Paths, Settings, SourcesFile};
use crate::engine::{Edited, Handle, Role};
use crate::util::browser;
use crossterm::event::{Event as Input, EventStream, KeyCode, KeyEvent, KeyModifiers};
use futures_util::StreamExt;
use ratatui::layout::Rect;
use signal_hook::consts::SIGTSTP;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Shortest time between two frames. It is half of what a user can notice, because the reply to a
/// key often arrives right after the frame that shows the key press itself.
const FRAME: Duration = Duration::from_millis(8);
/// Shortest time between two frames for background events, such as the progress of a refresh.
const BACKGROUND_FRAME: Duration = Duration::from_millis(100);
/// How long the first frame waits for the list that it shows.
const FIRST_FRAME: Duration = Duration::from_millis(40);
/// How often a process that cannot write checks whether another one has written.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);

/// Parameters of the interface.
pub struct Interface {
    /// The running engine.
    pub handle: Handle,
    /// Settings for this run.
    pub settings: Settings,
    /// The locations of the settings and the data.
    pub paths: Paths,
    /// Key bindings.
    pub keymap: KeyMap,
    /// The queries for the terminal.
    pub terminal: TerminalQuery,
}

/// Fatal errors of the interface.
#[derive(Debug, thiserror::Error)]
pub enum InterfaceError {
    #[error("the terminal cannot be used: {0}")]
    Terminal(#[from] std::io::Error),
    #[error("{0}")]
    Store(#[from] crate::store::StoreError),
}

/// Runs the interface until the user quits or a signal ends the process.
pub async fn run(interface: Interface) -> Result<Left, InterfaceError> {
    let Interface { handle, mut settings, paths, keymap, terminal } = interface;
    let var = |name: &str| std::env::var(name).ok();
    let support = ColorSupport::detect(var);
    let (light, replies) = terminal.replies();
    let support = ColorSupport { light: light.unwrap_or(support.light), ..support };
    settings.ui.ascii |= support.ascii || settings.ui.linear;
    let mouse = settings.ui.mouse;
    let palette = Palette::of(&settings, support);
    let graphics = replies.is_some();
    let mut app = App::new(settings, keymap, palette, handle.now());
    app.terminal = TerminalInfo::new(replies, terminal::cell_size());
    let (sender, events) = mpsc::unbounded_channel();
    let driver = Driver::new(handle.clone(), paths.clone(), sender)?;
    let screen = Screen::open(mouse)?;
    let signals = Signals::new()?;
    let visitor = handle.clone();
    // A read-only database cannot record visits, so errors are ignored.
    tokio::spawn(async move { visitor.begin_visit().await.ok() });
    let visited = handle.clone();
    let mut run = Loop {
        app,
        driver,
        screen,
        handle,
        paths,
        events,
        input: Some(EventStream::new()),
        replies: Replies::new(graphics),
        signals,
        due: Some(FRAME),
        started: Instant::now(),
        drawn: None,
        exit_reason: None,
    };
    let result = run.run().await;
    let downloads = run.app.downloads.running.len();
    let last = run.app.store_reading_state();
    run.driver.finish(last).await;
    visited.end_visit().await.ok();
    result.map(|reason| Left { reason, downloads })
}

struct Loop {
    app: App,
    driver: Driver,
    screen: Screen,
    handle: Handle,
    paths: Paths,
    events: mpsc::UnboundedReceiver<Event>,
    /// `None` while another program or a query reads from the terminal.
    input: Option<EventStream>,
    replies: Replies,
    signals: Signals,
    /// Time after the last frame when the next one is due; `None` if there is nothing to draw.
    due: Option<Duration>,
    started: Instant,
    drawn: Option<Instant>,
    exit_reason: Option<ExitReason>,
}

/// The reason why the loop woke.
enum Wake {
    Input(Option<std::io::Result<Input>>),
    Event(Event),
    Stop,
    Resume,
    End,
    Frame,
}

impl Loop {
    async fn run(&mut self) -> Result<ExitReason, InterfaceError> {
        let (width, height) = Screen::size()?;
        self.screen.resize(Rect { x: 0, y: 0, width, height })?;
        self.handle(Event::Resized(width, height))?;
        // Record the version of the database, to notice later writes of other processes.
        self.driver.ask_version();
        let first = self.app.start();
        self.perform(first)?;
        let (mut status, mut revision) = (self.handle.status(), self.handle.store().revision());
        let mut declared = self.handle.declared();
        let mut settings = self.handle.reloaded_settings();
        let mut notifications = self.handle.notifications();
        let now = status.borrow_and_update().clone();
        self.handle(Event::StatusChanged(now))?;
        revision.borrow_and_update();
        if let Err(why) = self.handle.store().writable() {
            self.handle(Event::Message(Err(why.to_string())))?;
        }
        loop {
            if let Some(exit_reason) = self.exit_reason {
                return Ok(exit_reason);
            }
            self.draw_if_due()?;
            // For tests of the panic handling, in debug builds only.
            #[cfg(debug_assertions)]
            #[allow(clippy::panic, reason = "tests need a panic to see that the terminal survives")]
            if std::env::var_os("NEWSFED_PANIC").is_some() {
                panic!("boom");
            }
            let frame = self.frame_wait();
            let deadline = self.deadline_wait();
            let watches = matches!(self.app.status.role, Role::Watches(_) | Role::Reads);
            // Without a writer, the engine does not notice what other processes write.
            let reads = self.app.status.role == Role::Reads;
            let wake = tokio::select! {
                biased;
                () = self.signals.interrupt.recv() => Wake::End,
                _ = self.signals.terminate.recv() => Wake::End,
                _ = self.signals.hang_up.recv() => Wake::End,
                _ = self.signals.quit.recv() => Wake::End,
                () = self.signals.stop.recv() => Wake::Stop,
                () = self.signals.resume.recv() => Wake::Resume,
                input = next(&mut self.input) => Wake::Input(input),
                () = wait(frame) => Wake::Frame,
                Some(event) = self.events.recv() => Wake::Event(event),
                Ok(()) = status.changed() => {
                    // Reads what the other process wrote last, in case this one takes over.
                    if watches {
                        self.driver.ask_version();
                    }
                    Wake::Event(Event::StatusChanged(status.borrow_and_update().clone()))
                }
                Ok(()) = revision.changed() => Wake::Event(Event::StoreChanged),
                Ok(()) = declared.changed() => Wake::Event(Event::StoreChanged),
                Ok(()) = settings.changed() => {
                    let settings = Settings::clone(&settings.borrow_and_update());
                    Wake::Event(Event::SettingsReloaded(Box::new(settings)))
                }
                Some(message) = notifications.recv() => {
                    if message.rings {
                        self.screen.notify(self.handle.settings().notify.how, &message)?;
                    }
                    if !message.is_shown {
                        continue;
                    }
                    Wake::Event(Event::ChangedByItself(message.text, message.undo))
                }
                () = wait(deadline) => Wake::Event(Event::TimePassed),
                () = tokio::time::sleep(WATCH_INTERVAL), if reads => {
                    self.driver.ask_version();
                    continue;
                }
            };
            match wake {
                Wake::End => return Ok(ExitReason::Quit),
                Wake::Stop => self.suspend()?,
                // The program that stopped the process may have changed the terminal's mode and content.
                Wake::Resume => self.lend_and_resize(|| ())?,
                Wake::Frame => {}
                Wake::Event(Event::TerminalReplied(replies)) => self.terminal_replied(replies)?,
                Wake::Event(event) => self.handle(event)?,
                // The terminal is gone.
                Wake::Input(None | Some(Err(_))) => return Ok(ExitReason::Quit),
                Wake::Input(Some(Ok(input))) => self.handle_input(input)?,
            }
        }
    }

    fn handle_input(&mut self, input: Input) -> Result<(), InterfaceError> {
        // The user is active, so writes of other processes are checked for.
        if matches!(input, Input::Key(_) | Input::FocusGained) {
            self.driver.ask_version();
        }
        match input {
            Input::Key(key) if self.replies.take(key) => match self.replies.light.take() {
                Some(light) => self.handle(Event::BackgroundFound(light)),
                None => Ok(()),
            },
            Input::Key(key) => self.handle(Event::KeyPressed(key)),
            Input::Mouse(mouse) => self.handle(Event::MouseUsed(mouse)),
            Input::Paste(text) => self.handle(Event::Pasted(text)),
            Input::Resize(width, height) => {
                // Even if the size is unchanged, because the terminal may have clipped its content.
                self.screen.resize(Rect { x: 0, y: 0, width, height })?;
                self.app.terminal.resized(terminal::cell_size());
                self.handle(Event::Resized(width, height))
            }
            Input::FocusGained | Input::FocusLost => Ok(()),
        }
    }

    /// Reads keys again after the terminal has replied, or failed to reply in time.
    fn terminal_replied(&mut self, replies: graphics::Replies) -> Result<(), InterfaceError> {
        self.input = Some(EventStream::new());
        // Some terminals show unknown queries as text.
        self.screen.clear()?;
        let typed = replies.typed.clone();
        self.handle(Event::TerminalReplied(replies))?;
        typed.chars().try_for_each(|typed| self.handle_input(Input::Key(key_of(typed))))
    }

    fn handle(&mut self, event: Event) -> Result<(), InterfaceError> {
        let pace = match event {
            Event::StatusChanged(_)
            | Event::StoreChanged
            | Event::Refreshed(..)
            | Event::CrawlChanged(_) => BACKGROUND_FRAME,
            _ => FRAME,
        };
        self.due = Some(self.due.map_or(pace, |due| due.min(pace)));
        let effects = self.app.update(event, self.handle.now());
        self.perform(effects)
    }

    fn perform(&mut self, effects: Vec<Effect>) -> Result<(), InterfaceError> {
        for effect in effects {
            if let Some(mine) = self.driver.perform(effect) {
                self.perform_here(mine)?;
            }
        }
        Ok(())
    }

    /// Effects that need the terminal or end the loop.
    fn perform_here(&mut self, effect: Effect) -> Result<(), InterfaceError> {
        match effect {
            Effect::Quit(exit_reason) => self.exit_reason = Some(exit_reason),
            Effect::Suspend => self.suspend()?,
            Effect::Redraw => self.lend(|| ())?,
            Effect::AskForGraphics => {
                // Dropped, because it would read the replies. It is created again when they have arrived.
                self.input = None;
                self.replies.graphics = true;
                self.driver.ask_for_graphics();
            }
            Effect::Copy { text } => self.screen.copy(&text)?,
            Effect::BrowseHere(launch) => {
                if let Err(e) = self.lend(|| browser::launch(&launch))? {
                    self.handle(Event::Message(Err(e.to_string())))?;
                }
            }
            Effect::EditSource { id } => {
                let paths = self.paths.clone();
                let text = || SourcesFile::open(&paths).text().ok();
                let before = text();
                let edited = self.lend(|| external::edit_source(&paths, &id))?;
                let edit = before.zip(text()).and_then(|(was, is)| FileEdit::by_hand(was, is));
                if let Some(edit) = edit {
                    let edited = Edited { edits: vec![edit], ..Edited::default() };
                    self.handle(Event::Edited(Purpose::Command(None), Ok(edited)))?;
                }
                match edited {
                    Ok(()) => self.reload(),
                    Err(why) => self.handle(Event::Message(Err(why)))?,
                }
            }
            Effect::Pipe { command, text } => {
                let message = self.lend(|| external::pipe(&command, &text))?;
                self.handle(Event::Message(message))?;
            }
            _ => {}
        }
        Ok(())
    }

    fn reload(&self) {
        let (handle, sender) = (self.handle.clone(), self.driver.sender());
        tokio::spawn(async move {
            let message = match handle.reload().await {
                Ok(()) => Ok("Sources reloaded".to_owned()),
                Err(e) => Err(e.to_string()),
            };
            let _ = sender.send(Event::Message(message));
        });
    }

    /// Lends the terminal to another program; no keys are read during that time.
    fn lend<T>(&mut self, work: impl FnOnce() -> T) -> Result<T, InterfaceError> {
        // A signal may end the program before the terminal is back.
        let last = self.app.store_reading_state();
        self.perform(last)?;
        // Dropped before another one is made, which would wait until the old one has read a key.
        self.input = None;
        let exit = self.signals.lend(self.handle.clone())?;
        let result = self.screen.lend(work)?;
        exit.abort();
        self.signals.take_back();
        self.input = Some(EventStream::new());
        self.due = Some(FRAME);
        Ok(result)
    }

    fn suspend(&mut self) -> Result<(), InterfaceError> {
        Ok(self.lend_and_resize(|| signal_hook::low_level::emulate_default_handler(SIGTSTP))??)
    }

    /// Like [`Self::lend`], if the window may be resized during that time.
    fn lend_and_resize<T>(&mut self, work: impl FnOnce() -> T) -> Result<T, InterfaceError> {
        let result = self.lend(work)?;
        let (width, height) = Screen::size()?;
        self.handle(Event::Resized(width, height))?;
        Ok(result)
    }

    fn draw_if_due(&mut self) -> Result<(), InterfaceError> {
        if self.frame_wait().is_some_and(|wait| wait.is_zero()) {
            self.screen.draw(&mut self.app)?;
            (self.due, self.drawn) = (None, Some(Instant::now()));
            let effects = self.app.frame_drawn();
            self.perform(effects)?;
        }
        Ok(())
    }

    /// Time until the next frame; `None` if there is nothing to draw.
    fn frame_wait(&self) -> Option<Duration> {
        let due = self.due?;
        Some(match self.drawn {
            Some(drawn) => due.saturating_sub(drawn.elapsed()),
            None if self.app.has_first_list() => Duration::ZERO,
            None => FIRST_FRAME.saturating_sub(self.started.elapsed()),
        })
    }

    fn deadline_wait(&self) -> Option<Duration> {
        let at = self.app.deadline()?;
        Some((at - self.handle.now()).to_std().unwrap_or(Duration::ZERO))
    }
}

/// The key that sends a character.
fn key_of(typed: char) -> KeyEvent {
    let plain = |code| KeyEvent::new(code, KeyModifiers::NONE);
    match typed {
        '\r' => plain(KeyCode::Enter),
        '\t' => plain(KeyCode::Tab),
        '\x7f' => plain(KeyCode::Backspace),
        '\x01'..='\x1a' => {
            let letter = char::from(b'a' - 1 + typed as u8);
            KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL)
        }
        typed => plain(KeyCode::Char(typed)),
    }
}

async fn next(input: &mut Option<EventStream>) -> Option<std::io::Result<Input>> {
    match input {
        Some(input) => input.next().await,
        None => std::future::pending().await,
    }
}

async fn wait(time: Option<Duration>) {
    match time {
        Some(time) => tokio::time::sleep(time).await,
        None => std::future::pending().await,
    }
}
