//! The program in a pseudo-terminal.

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// Escape sequences that keys send.
pub(crate) mod key {
    pub(crate) const ENTER: &str = "\r";
    pub(crate) const ESC: &str = "\x1b";
    pub(crate) const TAB: &str = "\t";
    pub(crate) const RIGHT: &str = "\x1b[C";
    pub(crate) const LEFT: &str = "\x1b[D";
    pub(crate) const CTRL_F: &str = "\x06";
    pub(crate) const CTRL_N: &str = "\x0e";
    pub(crate) const CTRL_O: &str = "\x0f";
    pub(crate) const CTRL_S: &str = "\x13";
    pub(crate) const CTRL_U: &str = "\x15";
    pub(crate) const CTRL_W: &str = "\x17";
    pub(crate) const CTRL_Z: &str = "\x1a";
}

/// The timeout of waiting functions, which is reached only by a failing test.
const PATIENCE: Duration = Duration::from_secs(60);

struct Shared {
    parser: Mutex<vt100::Parser>,
    /// The raw output of the program.
    written: Mutex<Vec<u8>>,
    changed: Condvar,
}

pub(crate) struct Term {
    shared: Arc<Shared>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
}

fn size(n: u16) -> NonZeroU16 {
    NonZeroU16::new(n).unwrap()
}

/// Whether a message with this text is on the screen, possibly wrapped.
fn has_wrapped(screen: &str, text: &str) -> bool {
    /// Minimum number of characters that must match at the end of a line, because fewer might match by
    /// chance.
    const MIN: usize = 4;
    fn continues(mut lines: std::str::Lines<'_>, text: &str) -> bool {
        let Some(line) = lines.next() else { return false };
        let breaks = text.char_indices().skip(1).map(|(at, _)| text.split_at(at));
        let mut rests = breaks
            .filter(|(start, _)| start.len() >= MIN && line.trim_end().ends_with(start.trim_end()))
            .map(|(_, rest)| rest.trim_start());
        rests.any(|rest| {
            lines.clone().next().is_some_and(|next| next.contains(rest))
                || continues(lines.clone(), rest)
        })
    }
    let mut lines = screen.lines();
    loop {
        if continues(lines.clone(), text) {
            return true;
        }
        if lines.next().is_none() {
            return false;
        }
    }
}

impl Term {
    pub(crate) fn spawn(command: CommandBuilder, cols: u16, rows: u16) -> Self {
        let pty = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(pty).unwrap();
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let parser = Mutex::new(vt100::Parser::new(size(rows), size(cols), 0));
        let shared =
            Arc::new(Shared { parser, written: Mutex::default(), changed: Condvar::new() });
        let (mut reader, theirs) = (pair.master.try_clone_reader().unwrap(), shared.clone());
        std::thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                theirs.written.lock().unwrap().extend_from_slice(&buffer[..n]);
                theirs.parser.lock().unwrap().process(&buffer[..n]);
                theirs.changed.notify_all();
            }
        });
        Self { shared, writer: pair.master.take_writer().unwrap(), child, master: pair.master }
    }

    pub(crate) fn screen(&self) -> String {
        self.shared.parser.lock().unwrap().screen().contents()
    }

    /// The characters of the screen by row and column.
    #[allow(dead_code, reason = "used by the tests of hostile input")]
    pub(crate) fn cells(&self) -> Vec<Vec<String>> {
        let parser = self.shared.parser.lock().unwrap();
        let (rows, columns) = parser.screen().size();
        let cell = |row, column| parser.screen().cell(row, column).map(|c| c.contents().to_owned());
        let row =
            |row| (0..columns.get()).map(|column| cell(row, column).unwrap_or_default()).collect();
        (0..rows.get()).map(row).collect()
    }

    /// The raw output so far.
    #[allow(dead_code, reason = "used by the tests of hostile input")]
    pub(crate) fn written(&self) -> Vec<u8> {
        self.shared.written.lock().unwrap().clone()
    }

    /// Waits until the program has written nothing for a short time.
    #[allow(dead_code, reason = "used by the screenshots")]
    pub(crate) fn settle(&self) {
        let quiet = Duration::from_millis(400);
        let mut parser = self.shared.parser.lock().unwrap();
        for _ in 0..20 {
            let (next, timeout) = self.shared.changed.wait_timeout(parser, quiet).unwrap();
            if timeout.timed_out() {
                return;
            }
            parser = next;
        }
    }

    pub(crate) fn with_screen<T>(&self, read: impl FnOnce(&vt100::Screen) -> T) -> T {
        read(self.shared.parser.lock().unwrap().screen())
    }

    pub(crate) fn alternate_screen(&self) -> bool {
        self.shared.parser.lock().unwrap().screen().alternate_screen()
    }

    pub(crate) fn cursor_hidden(&self) -> bool {
        self.shared.parser.lock().unwrap().screen().hide_cursor()
    }

    pub(crate) fn send(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    pub(crate) fn paste(&mut self, text: &str) {
        self.send(&format!("\x1b[200~{text}\x1b[201~"));
    }

    fn wait(&self, what: &str, test: impl Fn(&vt100::Screen) -> bool) {
        let end = Instant::now() + PATIENCE;
        let mut parser = self.shared.parser.lock().unwrap();
        while !test(parser.screen()) {
            let left = end.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "never: {what}; the screen is\n{}",
                parser.screen().contents()
            );
            parser = self.shared.changed.wait_timeout(parser, left).unwrap().0;
        }
    }

    pub(crate) fn wait_until(&self, what: &str, test: impl Fn(&str) -> bool) {
        self.wait(what, |screen| test(&screen.contents()));
    }

    /// Waits until the program has written this text, even if it is not visible.
    pub(crate) fn wait_written(&self, text: &str) {
        let written = |all: &[u8]| all.windows(text.len()).any(|part| part == text.as_bytes());
        self.wait(&format!("written: {text:?}"), |_| written(&self.shared.written.lock().unwrap()));
    }

    pub(crate) fn wait_alternate_screen(&self, on: bool) {
        self.wait(&format!("alternate screen: {on}"), |screen| screen.alternate_screen() == on);
    }

    pub(crate) fn wait_for(&self, text: &str) {
        self.wait_until(text, |s| s.contains(text) || has_wrapped(s, text));
    }

    /// Waits until the pane with this title has the focus.
    pub(crate) fn wait_focus(&self, title: &str) {
        self.wait_until(&format!("focus on {title}"), |s| has_focus(s, title));
    }

    /// Waits until there is a pane with this title.
    pub(crate) fn wait_title(&self, title: &str) {
        self.wait_until(&format!("the title {title}"), |s| has_title(s, title));
    }

    /// Waits until a row of the Sources pane shows this count.
    pub(crate) fn wait_count(&self, name: &str, count: usize) {
        self.wait_until(&format!("{name}: {count}"), |s| {
            // The pane is at least 22 cells wide.
            s.lines().any(|line| {
                let row: String = line.chars().take(22).collect();
                let end = row.split_once(name).map(|(_, end)| end.trim());
                end == Some(count.to_string().as_str())
            })
        });
    }

    pub(crate) fn wait_gone(&self, text: &str) {
        self.wait_until(&format!("gone: {text}"), |s| !s.contains(text));
    }

    pub(crate) fn resize(&self, cols: u16, rows: u16) {
        // Resizes the emulator first, because the next output of the program is for the new size.
        self.shared.parser.lock().unwrap().screen_mut().set_size(size(rows), size(cols));
        self.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
    }

    /// Simulates output of another program on the same terminal.
    pub(crate) fn disturb(&self, output: &str) {
        self.shared.parser.lock().unwrap().process(output.as_bytes());
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    pub(crate) fn kill(&self, signal: &str) {
        let pid = self.pid().to_string();
        let status = std::process::Command::new("kill").args(["-s", signal, &pid]).status();
        assert!(status.unwrap().success());
    }

    /// Waits until the process has stopped itself.
    pub(crate) fn wait_stopped(&self) {
        let end = Instant::now() + PATIENCE;
        let stat = format!("/proc/{}/stat", self.pid());
        loop {
            let text = std::fs::read_to_string(&stat).unwrap();
            if text.rsplit(')').next().unwrap().trim_start().starts_with('T') {
                return;
            }
            assert!(Instant::now() < end, "never stopped");
            std::thread::yield_now();
        }
    }

    pub(crate) fn exit_code(&mut self) -> u32 {
        let end = Instant::now() + PATIENCE;
        let code = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status.exit_code();
            }
            assert!(Instant::now() < end, "still running; the screen is\n{}", self.screen());
            // The program has exited when its output ends.
            let parser = self.shared.parser.lock().unwrap();
            let _ = self.shared.changed.wait_timeout(parser, Duration::from_millis(20)).unwrap();
        };
        // The remaining output may still arrive.
        let quiet = Duration::from_millis(100);
        let mut parser = self.shared.parser.lock().unwrap();
        loop {
            let (next, timeout) = self.shared.changed.wait_timeout(parser, quiet).unwrap();
            parser = next;
            if timeout.timed_out() {
                return code;
            }
        }
    }
}

impl Drop for Term {
    fn drop(&mut self) {
        // Otherwise a stopped process would remain after its terminal is closed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether a pane has this title, with a rule below it.
pub(crate) fn has_title(screen: &str, title: &str) -> bool {
    ruled(screen, title, &['━', '─', '=', '-'])
}

/// The number next to "All unread" in the Sources pane or in the title of the list; 0 if there is no number.
#[allow(dead_code, reason = "used by slow tests")]
pub(crate) fn unread_on(screen: &str) -> usize {
    let rest = screen.split_once("All unread").map_or("", |(_, rest)| rest);
    rest.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0)
}

/// Whether the pane with this title has the focus: the rule below the title is heavy.
pub(crate) fn has_focus(screen: &str, title: &str) -> bool {
    ruled(screen, title, &['━', '='])
}

fn ruled(screen: &str, title: &str, signs: &[char]) -> bool {
    let lines: Vec<&str> = screen.lines().collect();
    lines.windows(2).any(|pair| {
        let at = pair[0].find(title).map(|at| pair[0][..at].chars().count());
        at.and_then(|at| pair[1].chars().nth(at)).is_some_and(|sign| signs.contains(&sign))
    })
}
