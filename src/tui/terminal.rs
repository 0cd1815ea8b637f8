//! Terminal setup and restoration.

use super::app::App;
use super::graphics::{Canvas, Replies, query};
use super::notification::sequence;
use super::view;
use crate::config::NotifyWay;
use crate::config::{AUTO_THEME, GraphicsMode, Settings};
use crate::engine::Notification;
use crate::util::crash;
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste,
    EnableFocusChange, EnableMouseCapture,
};
use crossterm::terminal::{self, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{cursor, execute};
use filedescriptor::{POLLIN, pollfd};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use std::cell::RefCell;
use std::fs::OpenOptions;
use std::io::{self, IsTerminal, Read, Write};
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;
use std::rc::Rc;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, ThreadId};
use std::time::{Duration, Instant};

/// Maximum time that the terminal may take to reply to queries.
const PATIENCE: Duration = Duration::from_secs(1);
/// Maximum number of bytes of replies that are read.
const MAX_REPLIES: usize = 4096;

/// Whether the terminal is in raw mode and on the alternate screen.
static ACTIVE: AtomicBool = AtomicBool::new(false);

/// The screen; dropping it restores the terminal.
pub(super) struct Screen {
    /// Never dropped, because its `drop` panics if the terminal is gone, and [`restore`] shows the cursor.
    terminal: ManuallyDrop<Terminal<Backend>>,
    frame: FrameBytes,
    mouse: bool,
    canvas: Canvas,
}

/// Collects the output of a frame, so that it is written at once.
type Backend = CrosstermBackend<FrameBytes>;

/// The bytes of a frame. They are written together with the cursor when the frame is complete, because
/// ratatui flushes after each step, and standard output searches each piece for line ends.
#[derive(Clone, Default)]
struct FrameBytes(Rc<RefCell<Vec<u8>>>);

impl FrameBytes {
    fn send(&self, mut to: impl Write) -> io::Result<()> {
        let mut bytes = self.0.borrow_mut();
        let written = to.write_all(&bytes).and_then(|()| to.flush());
        bytes.clear();
        written
    }
}

impl Write for FrameBytes {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(part);
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A terminal of the current size. Resize events report new sizes, so that the size is not queried for each
/// frame.
fn new_terminal(frame: &FrameBytes) -> io::Result<Terminal<Backend>> {
    let (width, height) = terminal::size()?;
    let viewport = Viewport::Fixed(Rect { x: 0, y: 0, width, height });
    let backend = CrosstermBackend::new(frame.clone());
    Terminal::with_options(backend, TerminalOptions { viewport })
}

impl Screen {
    pub(super) fn open(mouse: bool) -> io::Result<Self> {
        restore_on_panic(std::thread::current().id());
        enter(mouse)?;
        let frame = FrameBytes::default();
        let terminal = ManuallyDrop::new(new_terminal(&frame).inspect_err(|_| restore())?);
        Ok(Self { terminal, frame, mouse, canvas: Canvas::default() })
    }

    /// Draws a frame and the pictures in it.
    pub(super) fn draw(&mut self, app: &mut App) -> io::Result<()> {
        let mut out = io::stdout();
        let pixels = app.draws_pixels() || !self.canvas.is_empty();
        if pixels {
            // The update is synchronized, so that a picture and the text below it appear together.
            execute!(out, terminal::BeginSynchronizedUpdate)?;
        }
        let drawn = self.terminal.draw(|frame| view::draw(app, frame)).map(|_| ());
        let drawn = drawn.and(self.frame.send(&out));
        if pixels {
            let written = out.write_all(self.canvas.update(app.placements()).as_bytes());
            // The update is ended after an error too, because otherwise the terminal would stop updating.
            execute!(out, terminal::EndSynchronizedUpdate)?;
            written?;
        }
        drawn
    }

    /// Number of columns and rows of the terminal.
    pub(super) fn size() -> io::Result<(u16, u16)> {
        terminal::size()
    }

    pub(super) fn resize(&mut self, area: Rect) -> io::Result<()> {
        self.remove_pictures()?;
        self.terminal.resize(area)
    }

    /// Clears the screen, so that the next frame redraws everything.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        self.remove_pictures()?;
        execute!(io::stdout(), terminal::Clear(terminal::ClearType::All))?;
        // A new terminal redraws everything. Clearing the old one would query the cursor position
        // and wait for the reply.
        *self.terminal = new_terminal(&self.frame)?;
        Ok(())
    }

    fn remove_pictures(&mut self) -> io::Result<()> {
        let mut out = io::stdout();
        out.write_all(self.canvas.clear().as_bytes())?;
        out.flush()
    }

    /// Lends the terminal to another program while `work` runs.
    pub(super) fn lend<T>(&mut self, work: impl FnOnce() -> T) -> io::Result<T> {
        self.remove_pictures()?;
        restore();
        let result = work();
        enter(self.mouse)?;
        self.clear()?;
        Ok(result)
    }

    /// Copies text to the terminal's clipboard (OSC 52), also inside tmux.
    pub(super) fn copy(&mut self, text: &str) -> io::Result<()> {
        use base64::Engine;
        let encoded = base64::engine::general_purpose::STANDARD.encode(text);
        send(&format!("\x1b]52;c;{encoded}\x07"))
    }

    /// Shows a desktop notification. Call it between frames, like the other methods of `Screen`.
    pub(super) fn notify(&mut self, how: NotifyWay, message: &Notification) -> io::Result<()> {
        match sequence(how, &message.title, &message.text) {
            Some(sequence) => send(&sequence),
            None => Ok(()),
        }
    }
}

/// Writes a sequence to the terminal, also through tmux.
fn send(plain: &str) -> io::Result<()> {
    let mut out = io::stdout();
    out.write_all(plain.as_bytes())?;
    if plain.starts_with('\x1b') && std::env::var_os("TMUX").is_some() {
        // tmux passes on sequences wrapped like this if its configuration allows it.
        let wrapped = plain.replace('\x1b', "\x1b\x1b");
        out.write_all(format!("\x1bPtmux;{wrapped}\x1b\\").as_bytes())?;
    }
    out.flush()
}

impl Drop for Screen {
    fn drop(&mut self) {
        // An error is ignored, because the terminal may be gone.
        let _ = self.remove_pictures();
        restore();
    }
}

/// Number of columns and rows of the terminal; `None` if unknown, as on a serial line.
pub(crate) fn screen_size() -> Option<(u16, u16)> {
    // Without a terminal, crossterm's `size` would run two programs.
    let size = match cfg!(windows) {
        true => terminal::size(),
        false => terminal::window_size().map(|window| (window.columns, window.rows)),
    };
    size.ok().filter(|(columns, rows)| *columns > 0 && *rows > 0)
}

/// Width and height of a cell in pixels, if the terminal's driver knows them.
pub(super) fn cell_size() -> Option<(u16, u16)> {
    let window = terminal::window_size().ok()?;
    let cell = (window.width.checked_div(window.columns)?, window.height.checked_div(window.rows)?);
    (cell.0 > 0 && cell.1 > 0).then_some(cell)
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

/// Queries sent to the terminal while the program starts.
#[derive(Debug)]
pub struct TerminalQuery {
    /// `None` if there is nothing to query.
    thread: Option<JoinHandle<Replies>>,
    /// Whether the background was queried.
    background: bool,
    graphics: bool,
}

/// The queries sent at startup, and the replies.
pub(super) struct FirstReplies {
    pub(super) background: bool,
    pub(super) graphics: bool,
    pub(super) replies: Replies,
}

impl TerminalQuery {
    /// Queries what is needed but not known from the environment: the background, and, if pictures are shown,
    /// the supported graphics protocols.
    pub fn start(settings: &Settings) -> Self {
        let known = ["NO_COLOR", "COLORFGBG"].into_iter().any(is_set);
        let background = settings.ui.theme == AUTO_THEME && !known && reports_background();
        let mut queries = String::new();
        if background {
            queries += query::BACKGROUND;
        }
        let ui = &settings.ui;
        let blocks = ui.ascii || ui.linear || ui.graphics == GraphicsMode::Blocks;
        let graphics = ui.images && !blocks && reports_graphics();
        if graphics {
            queries += query::GRAPHICS;
        }
        if queries.is_empty() || unusable().is_some() {
            return Self { thread: None, background: false, graphics: false };
        }
        // All terminals reply to the last query, so a terminal that ignores the other queries does not delay
        // startup. On a slow connection, startup waits for the replies, because late ones would act as keys.
        queries += query::ATTRIBUTES;
        let thread = std::thread::spawn(move || {
            let raw = terminal::enable_raw_mode();
            let replies = raw.and_then(|()| exchange(&queries)).unwrap_or_default();
            // An error is ignored, because the interface sets the mode again.
            let _ = terminal::disable_raw_mode();
            replies
        });
        Self { thread: Some(thread), background, graphics }
    }

    /// Waits for the replies. Call it before keys are read.
    pub(super) fn replies(mut self) -> FirstReplies {
        let replies = self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        FirstReplies { background: self.background, graphics: self.graphics, replies }
    }
}

/// Waits for the thread, because it changes the terminal's mode.
impl Drop for TerminalQuery {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

/// Whether the background can be queried. GNU screen passes the query on and replies in a different order;
/// Eterm does not reply at all.
fn reports_background() -> bool {
    let term = std::env::var("TERM").unwrap_or_default();
    term != "screen" && !term.starts_with("screen.") && term != "Eterm"
}

/// Whether graphics support can be queried: some terminals print unknown queries as text.
fn reports_graphics() -> bool {
    let term = std::env::var("TERM").unwrap_or_default();
    let apple = std::env::var("TERM_PROGRAM").is_ok_and(|name| name == "Apple_Terminal");
    let screen = term.starts_with("screen") && !is_set("TMUX");
    !(is_set("NO_COLOR") || apple || screen || ["linux", "Eterm"].contains(&term.as_str()))
}

/// Queries graphics support after startup. Blocks until the terminal has replied, for at most a second;
/// nothing else may read keys in that time.
pub(super) fn ask_for_graphics() -> Replies {
    match reports_graphics() {
        true => exchange(&format!("{}{}", query::GRAPHICS, query::ATTRIBUTES)).unwrap_or_default(),
        false => Replies { complete: true, ..Replies::default() },
    }
}

/// Sends queries and reads the replies that arrive before the timeout, in raw mode.
fn exchange(queries: &str) -> io::Result<Replies> {
    let mut tty = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
    tty.write_all(queries.as_bytes())?;
    tty.flush()?;
    let (begin, mut input) = (Instant::now(), Vec::new());
    loop {
        let replies = query::read(&input);
        let left = PATIENCE.saturating_sub(begin.elapsed());
        let mut ready = [pollfd { fd: tty.as_raw_fd(), events: POLLIN, revents: 0 }];
        if replies.complete
            || input.len() > MAX_REPLIES
            || filedescriptor::poll(&mut ready, Some(left)).map_err(io::Error::other)? == 0
        {
            return Ok(replies);
        }
        let mut part = [0; 512];
        match tty.read(&mut part)? {
            0 => return Ok(replies),
            n => input.extend_from_slice(&part[..n]),
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
        let _ = leave(&mut io::stdout());
        let _ = terminal::disable_raw_mode();
    }
}

fn leave(out: &mut impl Write) -> io::Result<()> {
    execute!(
        out,
        // After a panic in the middle of a frame, the terminal would otherwise stop updating.
        terminal::EndSynchronizedUpdate,
        DisableMouseCapture,
        DisableFocusChange,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        cursor::Show
    )
}

/// Installs a panic hook. A panic of the drawing thread restores the terminal before the message is printed.
/// Panics of other threads are logged, because printing would corrupt the screen.
fn restore_on_panic(drawing: ThreadId) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if std::thread::current().id() == drawing {
                restore();
                print(info);
            } else if ACTIVE.load(Ordering::SeqCst) {
                crash::record(info);
                // The message is not logged, because it may quote private text, and the log contains none.
                let place = info.location().map(ToString::to_string).unwrap_or_default();
                tracing::error!("newsfed has a bug: a thread panicked at {place}");
            } else {
                print(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After a panic in a frame, the terminal may be holding back the frame's output.
    #[test]
    fn leaving_ends_the_current_frame_first() {
        let mut written = Vec::new();
        leave(&mut written).unwrap();
        let written = String::from_utf8(written).unwrap();
        let at = |sequence: &str| written.find(sequence);
        assert_eq!(at("\x1b[?2026l"), Some(0), "{written:?}");
        assert!(at("\x1b[?1049l").is_some(), "{written:?}");
    }
}
