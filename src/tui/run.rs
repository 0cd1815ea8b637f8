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
use crate::engine::{Edited, Handle, Notification, ProcessRole, Status};
use crate::model::Source;
use crate::util::browser;
use crossterm::event::{Event as Input, EventStream, KeyCode, KeyEvent, KeyModifiers};
use futures_util::StreamExt;
use ratatui::layout::Rect;
use signal_hook::consts::SIGTSTP;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::DropGuard;

/// Minimum time between two frames. It must not be noticeable, because the result of a key press often
/// arrives right after a frame.
const FRAME: Duration = Duration::from_millis(4);
/// Minimum time between two frames for background events, such as the progress of a refresh.
const BACKGROUND_FRAME: Duration = Duration::from_millis(100);
/// Maximum time that the first frame waits for the list that it shows.
const FIRST_FRAME: Duration = Duration::from_millis(40);
/// Interval at which a process that cannot write checks whether another process has written.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);

/// Parameters of the interface.
pub struct Interface {
    /// The running engine.
    pub handle: Handle,
    /// Delays the background tasks of the engine until the first frame is drawn.
    pub held: Option<DropGuard>,
    /// Settings for this run.
    pub settings: Settings,
    /// The locations of the settings and the data.
    pub paths: Paths,
    /// Key bindings.
    pub keymap: KeyMap,
    /// The queries that were sent to the terminal.
    pub terminal: TerminalQuery,
    /// The first message: a note, or a problem.
    pub message: Option<Result<String, String>>,
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
    let Interface { handle, held, mut settings, paths, keymap, terminal, message } = interface;
    let var = |name: &str| std::env::var(name).ok();
    let support = ColorSupport::detect(var);
    let asked = terminal.replies();
    let light = asked.replies.light;
    let support = ColorSupport { light: light.unwrap_or(support.light), ..support };
    settings.ui.ascii |= support.ascii || settings.ui.linear;
    let mouse = settings.ui.mouse;
    let palette = Palette::of(&settings, support);
    let replies = Replies::new(
        asked.background && light.is_none(),
        asked.graphics && !asked.replies.complete,
    );
    let typed = asked.replies.typed.clone();
    let mut app = App::new(settings, keymap, palette, handle.now());
    app.terminal =
        TerminalInfo::new(asked.graphics.then_some(asked.replies), terminal::cell_size());
    if let Some(message) = message {
        app.warned = message.clone().err();
        app.update(Event::Message(message), handle.now());
    }
    let (sender, events) = mpsc::unbounded_channel();
    let driver = Driver::new(handle.clone(), paths.clone(), sender)?;
    let screen = Screen::open(mouse)?;
    let signals = Signals::new()?;
    let visitor = handle.clone();
    // A read-only database cannot record visits, so errors are ignored.
    tokio::spawn(async move { visitor.begin_visit().await.ok() });
    let mut run = Loop {
        reports: Reports::of(&handle),
        app,
        driver,
        screen,
        handle,
        held,
        paths,
        events,
        input: Some(EventStream::new()),
        replies,
        typed,
        signals,
        due: Some(FRAME),
        started: Instant::now(),
        drawn: None,
        exit_reason: None,
    };
    let result = run.run().await;
    let downloads = run.app.downloads.running.len();
    let last = run.app.leave_terminal();
    run.driver.ending().finish(last).await;
    result.map(|reason| Left { reason, downloads })
}

struct Loop {
    reports: Reports,
    app: App,
    driver: Driver,
    screen: Screen,
    handle: Handle,
    /// See [`Interface::held`].
    held: Option<DropGuard>,
    paths: Paths,
    events: mpsc::UnboundedReceiver<Event>,
    /// `None` while another program or a query reads from the terminal.
    input: Option<EventStream>,
    replies: Replies,
    /// Text that was typed before keys were read, until there is a list that it can apply to.
    typed: String,
    signals: Signals,
    /// Time from the last frame until the next one is due; `None` if there is nothing to draw.
    due: Option<Duration>,
    started: Instant,
    drawn: Option<Instant>,
    exit_reason: Option<ExitReason>,
}

/// The reason why the loop woke.
enum Wake {
    Input(Option<std::io::Result<Input>>),
    Event(Event),
    /// The status of the engine has changed.
    Status,
    Notified(Notification),
    /// The next check for writes by other processes is due.
    Watch,
    Stop,
    Resume,
    End,
    Frame,
    /// The keys that looked like the start of a terminal reply were not part of one.
    NoReply,
}

/// Channels on which the running engine reports changes.
struct Reports {
    status: watch::Receiver<Status>,
    revision: watch::Receiver<u64>,
    declared: watch::Receiver<Arc<Vec<Arc<Source>>>>,
    settings: watch::Receiver<Arc<Settings>>,
    notifications: mpsc::UnboundedReceiver<Notification>,
}

impl Reports {
    fn of(handle: &Handle) -> Self {
        Self {
            status: handle.status(),
            revision: handle.store().revision(),
            declared: handle.declared(),
            settings: handle.reloaded_settings(),
            notifications: handle.notifications(),
        }
    }
}

impl Loop {
    async fn run(&mut self) -> Result<ExitReason, InterfaceError> {
        self.begin()?;
        loop {
            if let Some(exit_reason) = self.exit_reason {
                return Ok(exit_reason);
            }
            if self.app.has_first_list() {
                self.press_typed()?;
            }
            self.draw_if_due()?;
            // For tests of panic handling; only in debug builds.
            #[cfg(debug_assertions)]
            #[allow(clippy::panic, reason = "tests check that a panic restores the terminal")]
            if std::env::var_os("NEWSFED_PANIC").is_some() {
                panic!("boom");
            }
            let wake = self.wake().await;
            self.woken(wake)?;
        }
    }

    /// Reads the first list and the current state of the engine.
    fn begin(&mut self) -> Result<(), InterfaceError> {
        let (width, height) = Screen::size()?;
        self.screen.resize(Rect { x: 0, y: 0, width, height })?;
        self.handle(Event::Resized(width, height))?;
        // Record the version of the database, in order to detect later writes by other processes.
        self.driver.ask_version();
        let first = self.app.start();
        self.perform(first)?;
        let now = self.reports.status.borrow_and_update().clone();
        self.handle(Event::StatusChanged(now))?;
        self.reports.revision.borrow_and_update();
        if let Err(why) = self.handle.store().writable() {
            self.handle(Event::Message(Err(why.to_string())))?;
        }
        Ok(())
    }

    /// Waits until something happens.
    async fn wake(&mut self) -> Wake {
        let frame = self.frame_wait();
        let deadline = self.deadline_wait();
        let no_reply = self.replies.wait(Instant::now());
        // Without a writer, the engine does not detect writes by other processes.
        let reads = self.app.status.role == ProcessRole::Reads;
        tokio::select! {
            biased;
            () = self.signals.interrupt.recv() => Wake::End,
            _ = self.signals.terminate.recv() => Wake::End,
            _ = self.signals.hang_up.recv() => Wake::End,
            () = self.signals.quit.recv() => Wake::End,
            () = self.signals.stop.recv() => Wake::Stop,
            () = self.signals.resume.recv() => Wake::Resume,
            input = next(&mut self.input) => Wake::Input(input),
            () = wait(frame) => Wake::Frame,
            () = wait(no_reply) => Wake::NoReply,
            Some(event) = self.events.recv() => Wake::Event(event),
            Ok(()) = self.reports.status.changed() => Wake::Status,
            Ok(()) = self.reports.revision.changed() => Wake::Event(Event::StoreChanged),
            Ok(()) = self.reports.declared.changed() => Wake::Event(Event::StoreChanged),
            Ok(()) = self.reports.settings.changed() => {
                let settings = Settings::clone(&self.reports.settings.borrow_and_update());
                Wake::Event(Event::SettingsReloaded(Box::new(settings)))
            }
            Some(message) = self.reports.notifications.recv() => Wake::Notified(message),
            () = wait(deadline) => Wake::Event(Event::TimePassed),
            () = tokio::time::sleep(WATCH_INTERVAL), if reads => Wake::Watch,
        }
    }

    fn woken(&mut self, wake: Wake) -> Result<(), InterfaceError> {
        match wake {
            Wake::Stop => self.suspend()?,
            // While newsfed was stopped, another program may have changed the terminal's mode and content.
            Wake::Resume => self.lend_and_resize(|| ())?,
            Wake::Frame => {}
            Wake::NoReply => {
                let keys = self.replies.give_up();
                self.press(keys)?;
            }
            Wake::Status => {
                // Reads the last writes of the other process, in case this one takes over.
                if matches!(self.app.status.role, ProcessRole::Watches(_) | ProcessRole::Reads) {
                    self.driver.ask_version();
                }
                let status = self.reports.status.borrow_and_update().clone();
                self.handle(Event::StatusChanged(status))?;
            }
            Wake::Notified(message) => {
                if message.rings {
                    self.screen.notify(self.handle.settings().notify.how, &message)?;
                }
                if message.is_shown {
                    self.handle(Event::ChangedByItself(message.text, message.undo))?;
                }
            }
            Wake::Watch => self.driver.ask_version(),
            Wake::Event(Event::TerminalReplied(replies)) => self.terminal_replied(replies)?,
            Wake::Event(event) => self.handle(event)?,
            Wake::Input(Some(Ok(input))) => self.handle_input(input)?,
            // An error means that the terminal is gone.
            Wake::End | Wake::Input(None | Some(Err(_))) => {
                self.exit_reason = Some(ExitReason::Quit);
            }
        }
        Ok(())
    }

    fn handle_input(&mut self, input: Input) -> Result<(), InterfaceError> {
        // The user is active, so check for writes by other processes.
        if matches!(input, Input::Key(_) | Input::FocusGained) {
            self.driver.ask_version();
        }
        match input {
            Input::Key(key) => {
                self.press_typed()?;
                let keys = self.replies.take(key, Instant::now());
                self.press(keys)
            }
            Input::Mouse(mouse) => self.handle(Event::MouseUsed(mouse)),
            Input::Paste(text) => self.handle(Event::Pasted(text)),
            Input::Resize(width, height) => {
                // This is needed even if the size is unchanged, because the terminal may have clipped its
                // content.
                self.screen.resize(Rect { x: 0, y: 0, width, height })?;
                self.app.terminal.resized(terminal::cell_size());
                self.handle(Event::Resized(width, height))
            }
            Input::FocusGained | Input::FocusLost => Ok(()),
        }
    }

    /// Handles keys, and the background colour if a terminal reply has reported it.
    fn press(&mut self, keys: Vec<KeyEvent>) -> Result<(), InterfaceError> {
        if let Some(light) = self.replies.light.take() {
            self.handle(Event::BackgroundFound(light))?;
        }
        keys.into_iter().try_for_each(|key| self.handle(Event::KeyPressed(key)))
    }

    /// Handles the text that was typed before keys were read.
    fn press_typed(&mut self) -> Result<(), InterfaceError> {
        let typed = std::mem::take(&mut self.typed);
        typed.chars().try_for_each(|typed| self.handle_input(Input::Key(key_of(typed))))
    }

    /// Resumes reading keys after the terminal has replied or the wait has timed out.
    fn terminal_replied(&mut self, replies: graphics::Replies) -> Result<(), InterfaceError> {
        self.input = Some(EventStream::new());
        // Some terminals show unknown queries as text.
        self.screen.clear()?;
        self.replies.expect_graphics(!replies.complete);
        self.typed.push_str(&replies.typed);
        self.handle(Event::TerminalReplied(replies))?;
        self.press_typed()
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

    /// Performs effects that need the terminal or end the loop.
    fn perform_here(&mut self, effect: Effect) -> Result<(), InterfaceError> {
        match effect {
            Effect::Quit(exit_reason) => self.exit_reason = Some(exit_reason),
            Effect::Suspend => self.suspend()?,
            Effect::Redraw => self.lend(|| ())?,
            Effect::AskForGraphics => {
                // The stream of keys is dropped, because it would read the replies. A new one is created when
                // the replies have arrived.
                self.input = None;
                self.driver.ask_for_graphics();
            }
            Effect::Copy { text } => self.screen.copy(&text)?,
            Effect::BrowseHere(launch) => {
                if let Err(e) = self.lend(|| browser::launch(&launch, Duration::ZERO))? {
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
                    self.handle(Event::Edited(Purpose::ByHand, Ok(edited)))?;
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
        // A signal may end the program before it gets the terminal back.
        let last = self.app.leave_terminal();
        self.perform(last)?;
        // The background tasks must not wait for the other program.
        self.held = None;
        // The old stream of keys is dropped first, because creating a new one would wait until the old one
        // has read a key.
        self.input = None;
        let exit = self.signals.lend(self.driver.ending())?;
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

    /// Like [`Self::lend`], for cases where the window may be resized during that time.
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
            self.held = None;
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

/// The key event for a typed character.
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
