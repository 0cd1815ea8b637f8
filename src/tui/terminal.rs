//! The terminal: taken when the interface open, given back however they close.

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
use std::thread::ThreadId;

/// Whether the terminal is ours at the moment.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// The screen; dropping it gives the terminal back.
pub(super) struct Screen {
    pub(super) terminal: Terminal<CrosstermBackend<Stdout>>,
    mouse: bool,
}

impl Screen {
    /// Takes the terminal.
    pub(super) fn open(mouse: bool) -> io::Result<Self> {
        give_back_on_panic(std::thread::current().id());
        take(mouse)?;
        let terminal =
            Terminal::new(CrosstermBackend::new(io::stdout())).inspect_err(|_| give_back())?;
        Ok(Self { terminal, mouse })
    }

    /// Gives the terminal to another program while `work` runs.
    pub(super) fn lend<T>(&mut self, work: impl FnOnce() -> T) -> io::Result<T> {
        give_back();
        let result = work();
        take(self.mouse)?;
        // A new one knows nothing of the old screen and draws all of it; clearing the old one
        // would ask the terminal where its cursor is and wait for the answer.
        self.terminal = Terminal::new(CrosstermBackend::new(io::stdout()))?;
        Ok(result)
    }

    /// Asks the terminal to take a text into its clipboard (OSC 52), also from within tmux.
    pub(super) fn copy(&mut self, text: &str) -> io::Result<()> {
        use base64::Engine;
        let encoded = base64::engine::general_purpose::STANDARD.encode(text);
        let plain = format!("\x1b]52;c;{encoded}\x07");
        let mut out = io::stdout();
        out.write_all(plain.as_bytes())?;
        if std::env::var_os("TMUX").is_some() {
            // tmux hands on what is wrapped like this where it is allowed to.
            out.write_all(format!("\x1bPtmux;\x1b{plain}\x1b\\").as_bytes())?;
        }
        out.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// Columns and rows of the terminal; a terminal over a serial line does not tell them.
pub(crate) fn screen_size() -> Option<(u16, u16)> {
    crossterm::terminal::size().ok().filter(|(columns, rows)| *columns > 0 && *rows > 0)
}

/// Why there can be no panes here, in words; `None` when there can.
pub(crate) fn unusable() -> Option<&'static str> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Some("the interface needs a terminal");
    }
    match std::env::var("TERM").as_deref() {
        Ok("dumb") | Ok("") | Err(_) => Some("this terminal (TERM=dumb) cannot show panes"),
        _ => None,
    }
}

fn take(mouse: bool) -> io::Result<()> {
    terminal::enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    let mut out = io::stdout();
    let opened = execute!(
        out,
        EnterAlternateScreen,
        terminal::Clear(terminal::ClearType::All),
        EnableBracketedPaste,
        EnableFocusChange
    )
    .and_then(|()| if mouse { execute!(out, EnableMouseCapture) } else { Ok(()) });
    opened.inspect_err(|_| give_back())
}

/// Nothing can be done about a terminal that is gone, so errors end here.
fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
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

/// A panic of the thread that draws ends the program: the terminal is given back before the
/// message is printed. Other threads' panics are logged; the message would tear the screen.
fn give_back_on_panic(drawing: ThreadId) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if std::thread::current().id() == drawing {
                give_back();
                print(info);
            } else if TAKEN.load(Ordering::SeqCst) {
                tracing::error!("{info}");
            } else {
                print(info);
            }
        }));
    });
}
