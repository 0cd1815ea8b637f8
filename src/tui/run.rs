//! The run loop: take in what happens, and draw at most once in a frame.

use super::app::App;
use super::driver::Driver;
use super::effect::{Effect, Farewell, Purpose};
use super::event::Event;
use super::external;
use super::style::{Depth, Palette};
use super::terminal::Screen;
use super::view;
use crate::config::{FileEdit, KeyMap, Paths, Settings, SourcesFile, Theme};
use crate::engine::{Edited, Handle, Role};
use crate::util::browser;
use crossterm::event::{Event as Input, EventStream};
use futures_util::StreamExt;
use ratatui::layout::Rect;
use std::time::{Duration, Instant};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

/// Shortest time between two frames: half of what a user can tell, because the answer to a key
/// often comes right after the frame that shows the key itself.
const FRAME: Duration = Duration::from_millis(8);
/// The same for what nobody waits for, such as the progress of a refresh.
const CALM: Duration = Duration::from_millis(100);
/// How often a process that only watches looks whether the other one has written.
const WATCH: Duration = Duration::from_secs(1);

/// What the interface are opened with.
pub struct Interface {
    /// The running engine.
    pub handle: Handle,
    /// Settings of this run.
    pub settings: Settings,
    /// Where settings are saved.
    pub paths: Paths,
    /// The live keys.
    pub keymap: KeyMap,
    /// The theme to begin with.
    pub theme: Theme,
}

/// Why the interface could not go on.
#[derive(Debug, thiserror::Error)]
pub enum InterfaceError {
    /// The terminal.
    #[error("the terminal cannot be used: {0}")]
    Terminal(#[from] std::io::Error),
    /// The database.
    #[error("{0}")]
    Store(#[from] crate::store::StoreError),
}

/// Shows the interface until the user leaves, or the process is told to end.
pub async fn run(panes: Interface) -> Result<Farewell, InterfaceError> {
    let Interface { handle, settings, paths, keymap, theme } = panes;
    let depth = Depth::detect(|name| std::env::var(name).ok());
    let mouse = settings.ui.mouse;
    let app = App::new(settings, keymap, Palette::new(theme, depth), handle.now());
    let (sender, events) = mpsc::unbounded_channel();
    let driver = Driver::new(handle.clone(), paths.clone(), sender)?;
    let screen = Screen::open(mouse)?;
    let signals = Signals::new()?;
    let mut run = Loop {
        app,
        driver,
        screen,
        handle,
        paths,
        events,
        input: EventStream::new(),
        signals,
        due: Some(FRAME),
        drawn: None,
        farewell: None,
    };
    let left = run.run().await;
    let last = run.app.keep_reading();
    run.driver.finish(last).await;
    left
}

struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
    stop: Signal,
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
            stop: signal(SignalKind::from_raw(signal_hook::consts::SIGTSTP))?,
        })
    }
}

struct Loop {
    app: App,
    driver: Driver,
    screen: Screen,
    handle: Handle,
    paths: Paths,
    events: mpsc::UnboundedReceiver<Event>,
    input: EventStream,
    signals: Signals,
    /// How long after the last frame the next one is due; `None` when there is nothing to draw.
    due: Option<Duration>,
    drawn: Option<Instant>,
    farewell: Option<Farewell>,
}

/// What woke the loop.
enum Wake {
    Input(Option<std::io::Result<Input>>),
    Event(Event),
    Stop,
    End,
    Frame,
}

impl Loop {
    async fn run(&mut self) -> Result<Farewell, InterfaceError> {
        let size = self.screen.terminal.size()?;
        self.take(Event::Resized(size.width, size.height))?;
        // What the other process has written from here on is seen.
        self.driver.ask_version();
        let first = self.app.start();
        self.perform(first)?;
        let (mut status, mut revision) = (self.handle.status(), self.handle.store().revision());
        let mut declared = self.handle.declared();
        let now = status.borrow_and_update().clone();
        self.take(Event::StatusChanged(now))?;
        revision.borrow_and_update();
        if let Err(why) = self.handle.store().writable() {
            self.take(Event::Said(Err(why.to_string())))?;
        }
        loop {
            if let Some(farewell) = self.farewell {
                return Ok(farewell);
            }
            self.draw_if_due()?;
            // The one thing that cannot be brought about from outside: a bug. Debug builds only.
            #[cfg(debug_assertions)]
            #[allow(clippy::panic, reason = "tests need a panic to see that the terminal survives")]
            if std::env::var_os("NEWSFED_PANIC").is_some() {
                panic!("boom");
            }
            let frame = self.frame_wait();
            let deadline = self.deadline_wait();
            let watches = matches!(self.app.status.role, Role::Watches(_) | Role::Reads);
            let wake = tokio::select! {
                biased;
                _ = self.signals.interrupt.recv() => Wake::End,
                _ = self.signals.terminate.recv() => Wake::End,
                _ = self.signals.hang_up.recv() => Wake::End,
                _ = self.signals.stop.recv() => Wake::Stop,
                input = self.input.next() => Wake::Input(input),
                () = wait(frame) => Wake::Frame,
                Some(event) = self.events.recv() => Wake::Event(event),
                Ok(()) = status.changed() => {
                    // The last that the other process wrote, where this one takes over from it.
                    if watches {
                        self.driver.ask_version();
                    }
                    Wake::Event(Event::StatusChanged(status.borrow_and_update().clone()))
                }
                Ok(()) = revision.changed() => Wake::Event(Event::StoreChanged),
                Ok(()) = declared.changed() => Wake::Event(Event::StoreChanged),
                () = wait(deadline) => Wake::Event(Event::TimePassed),
                () = tokio::time::sleep(WATCH), if watches => {
                    self.driver.ask_version();
                    continue;
                }
            };
            match wake {
                Wake::End => return Ok(Farewell::Quit),
                Wake::Stop => self.suspend()?,
                Wake::Frame => {}
                Wake::Event(event) => self.take(event)?,
                // The terminal is gone.
                Wake::Input(None | Some(Err(_))) => return Ok(Farewell::Quit),
                Wake::Input(Some(Ok(input))) => self.take_input(input)?,
            }
        }
    }

    fn take_input(&mut self, input: Input) -> Result<(), InterfaceError> {
        // The user looks: what other processes have written is read too.
        if matches!(input, Input::Key(_) | Input::FocusGained) {
            self.driver.ask_version();
        }
        match input {
            Input::Key(key) => self.take(Event::KeyPressed(key)),
            Input::Mouse(mouse) => self.take(Event::MouseUsed(mouse)),
            Input::Paste(text) => self.take(Event::Pasted(text)),
            Input::Resize(width, height) => {
                // Also when it is as large as before: on the way there its content was cut.
                self.screen.terminal.resize(Rect { x: 0, y: 0, width, height })?;
                self.take(Event::Resized(width, height))
            }
            Input::FocusGained | Input::FocusLost => Ok(()),
        }
    }

    fn take(&mut self, event: Event) -> Result<(), InterfaceError> {
        let pace = match event {
            Event::StatusChanged(_) | Event::StoreChanged | Event::Refreshed(_) => CALM,
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
            Effect::Quit(farewell) => self.farewell = Some(farewell),
            Effect::Suspend => self.suspend()?,
            Effect::Redraw => self.lend(|| ())?,
            Effect::Copy { text } => self.screen.copy(&text)?,
            Effect::BrowseHere(launch) => {
                if let Err(e) = self.lend(|| browser::launch(&launch))? {
                    self.take(Event::Said(Err(e.to_string())))?;
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
                    self.take(Event::Edited(Purpose::Command(None), Ok(edited)))?;
                }
                match edited {
                    Ok(()) => self.reload(),
                    Err(why) => self.take(Event::Said(Err(why)))?,
                }
            }
            Effect::Pipe { command, text } => {
                let said = self.lend(|| external::pipe(&command, &text))?;
                self.take(Event::Said(said))?;
            }
            _ => {}
        }
        Ok(())
    }

    fn reload(&self) {
        let (handle, sender) = (self.handle.clone(), self.driver.sender());
        tokio::spawn(async move {
            let said = match handle.reload().await {
                Ok(()) => Ok("sources read again".to_owned()),
                Err(e) => Err(e.to_string()),
            };
            let _ = sender.send(Event::Said(said));
        });
    }

    /// Gives the terminal away; nothing reads the keys meanwhile.
    fn lend<T>(&mut self, work: impl FnOnce() -> T) -> Result<T, InterfaceError> {
        self.input = EventStream::new();
        let result = self.screen.lend(work)?;
        // C-c was meant for the other program.
        self.signals.interrupt = signal(SignalKind::interrupt())?;
        self.input = EventStream::new();
        self.due = Some(FRAME);
        Ok(result)
    }

    fn suspend(&mut self) -> Result<(), InterfaceError> {
        self.lend(|| {
            signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)
        })??;
        let size = self.screen.terminal.size()?;
        self.take(Event::Resized(size.width, size.height))
    }

    fn draw_if_due(&mut self) -> Result<(), InterfaceError> {
        if self.frame_wait().is_some_and(|wait| wait.is_zero()) {
            self.screen.terminal.draw(|frame| view::draw(&mut self.app, frame))?;
            (self.due, self.drawn) = (None, Some(Instant::now()));
        }
        Ok(())
    }

    /// How long the next frame has to wait; `None` when there is nothing to draw.
    fn frame_wait(&self) -> Option<Duration> {
        let due = self.due?;
        Some(self.drawn.map_or(Duration::ZERO, |drawn| due.saturating_sub(drawn.elapsed())))
    }

    fn deadline_wait(&self) -> Option<Duration> {
        let at = self.app.deadline()?;
        Some((at - self.handle.now()).to_std().unwrap_or(Duration::ZERO))
    }
}

async fn wait(time: Option<Duration>) {
    match time {
        Some(time) => tokio::time::sleep(time).await,
        None => std::future::pending().await,
    }
}
