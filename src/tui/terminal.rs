//! Terminal setup and restoration.

use crate::config::{AUTO_THEME, Settings};
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste,
    EnableFocusChange, EnableMouseCapture,
};
use crossterm::terminal::{self, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{cursor, execute};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use std::io::{self, IsTerminal, Stdout, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, ThreadId};
use std::time::Duration;
use terminal_colorsaurus::QueryOptions;

/// How long the terminal may take to report its background.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whether the terminal is in our mode.
static ACTIVE: AtomicBool = AtomicBool::new(false);

/// The screen; dropping it restores the terminal.
pub(super) struct Screen {
    pub(super) terminal: Terminal<CrosstermBackend<Stdout>>,
    mouse: bool,
}

impl Screen {
    pub(super) fn open(mouse: bool) -> io::Result<Self> {
        restore_on_panic(std::thread::current().id());
        enter(mouse)?;
        let terminal =
            Terminal::new(CrosstermBackend::new(io::stdout())).inspect_err(|_| restore())?;
        Ok(Self { terminal, mouse })
    }

    /// Lends the terminal to another program while `work` runs.
    pub(super) fn lend<T>(&mut self, work: impl FnOnce() -> T) -> io::Result<T> {
        restore();
        let result = work();
        enter(self.mouse)?;
        // A new terminal redraws everything. Clearing the old one would query the cursor position
        // and wait for the reply.
        self.terminal = Terminal::new(CrosstermBackend::new(io::stdout()))?;
        Ok(result)
    }

    /// Copies a text to the clipboard of the terminal (OSC 52), also inside tmux.
    pub(super) fn copy(&mut self, text: &str) -> io::Result<()> {
        use base64::Engine;
        let encoded = base64::engine::general_purpose::STANDARD.encode(text);
        let plain = format!("\x1b]52;c;{encoded}\x07");
        let mut out = io::stdout();
        out.write_all(plain.as_bytes())?;
        if std::env::var_os("TMUX").is_some() {
            // tmux passes on sequences wrapped like this if allowed.
            out.write_all(format!("\x1bPtmux;\x1b{plain}\x1b\\").as_bytes())?;
        }
        out.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Columns and rows of the terminal; `None` if unknown, as on a serial line.
pub(crate) fn screen_size() -> Option<(u16, u16)> {
    crossterm::terminal::size().ok().filter(|(columns, rows)| *columns > 0 && *rows > 0)
}

/// Why the interface cannot run in this terminal; `None` if it can.
pub(crate) fn unusable() -> Option<&'static str> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Some("the interface needs a terminal");
    }
    match std::env::var("TERM").as_deref() {
        Ok("dumb") | Ok("") | Err(_) => Some("this terminal (TERM=dumb) cannot show the interface"),
        _ => None,
    }
}

/// Asks the terminal for its background (OSC 11) while the program starts.
#[derive(Debug)]
pub struct BackgroundQuery(Option<JoinHandle<Option<bool>>>);

impl BackgroundQuery {
    /// Asks if the theme depends on it and the environment does not say.
    pub fn start(settings: &Settings) -> Self {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let known = ["NO_COLOR", "COLORFGBG"].into_iter().any(set);
        if known || settings.ui.theme != AUTO_THEME || unusable().is_some() {
            return Self(None);
        }
        // A second terminal query marks the end of the reply, so a terminal that does not know
        // this one does not make the start wait. A slow line does: an answer that came later would
        // be read as keys.
        Self(Some(std::thread::spawn(|| {
            let mut options = QueryOptions::default();
            options.timeout = PATIENCE;
            let color = terminal_colorsaurus::background_color(options).ok()?;
            Some(color.perceived_lightness() > 0.5)
        })))
    }

    /// Whether the background is light, if the terminal says so. Call it before keys are read.
    pub(super) fn light(mut self) -> Option<bool> {
        self.0.take().and_then(|thread| thread.join().ok().flatten())
    }
}

/// The thread changes the mode of the terminal while it waits.
impl Drop for BackgroundQuery {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            let _ = thread.join();
        }
    }
}

fn enter(mouse: bool) -> io::Result<()> {
    terminal::enable_raw_mode()?;
    ACTIVE.store(true, Ordering::SeqCst);
    let mut out = io::stdout();
    let opened = execute!(
        out,
        EnterAlternateScreen,
        terminal::Clear(terminal::ClearType::All),
        EnableBracketedPaste,
        EnableFocusChange
    )
    .and_then(|()| if mouse { execute!(out, EnableMouseCapture) } else { Ok(()) });
    opened.inspect_err(|_| restore())
}

/// Restores the terminal. Errors are ignored, because the terminal may be gone.
fn restore() {
    if ACTIVE.swap(false, Ordering::SeqCst) {
        let mut out = io::stdout();
        let _ = execute!(
            out,
            DisableMouseCapture,
            DisableFocusChange,
            DisableBracketedPaste,
            LeaveAlternateScreen,
            cursor::Show
        );
        let _ = terminal::disable_raw_mode();
    }
}

/// Installs a panic hook. A panic of the drawing thread restores the terminal before its message is
/// printed. Panics of other threads are logged, because printing would corrupt the screen.
fn restore_on_panic(drawing: ThreadId) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if std::thread::current().id() == drawing {
                restore();
                print(info);
            } else if ACTIVE.load(Ordering::SeqCst) {
                tracing::error!("{info}");
            } else {
                print(info);
            }
        }));
    });
}
