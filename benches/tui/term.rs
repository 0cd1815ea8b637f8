//! The program in a pseudo-terminal, with timestamps of its output.

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

const COLS: u16 = 120;
const ROWS: u16 = 40;
/// Timeout. Only a program that hangs takes this long.
const PATIENCE: Duration = Duration::from_secs(60);
/// The screen is complete when nothing has been written for this long.
const QUIET: Duration = Duration::from_millis(60);

/// The query for the terminal's attributes (DA1).
const QUERY: &[u8] = b"\x1b[c";

struct Output {
    parser: vt100::Parser,
    first: Option<Instant>,
    last: Instant,
}

struct Shared {
    output: Mutex<Output>,
    changed: Condvar,
}

pub(crate) struct Term {
    shared: Arc<Shared>,
    keys: Arc<Mutex<Box<dyn Write + Send>>>,
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    started: Instant,
}

/// Response times of a key press.
#[derive(Clone, Copy)]
pub(crate) struct Answer {
    /// Time until the first byte.
    pub(crate) first: Duration,
    /// Time until the last byte before a pause.
    pub(crate) complete: Duration,
}

impl Term {
    pub(crate) fn open(data: &Path, config: &Path) -> Self {
        let size = PtySize { rows: ROWS, cols: COLS, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_newsfed"));
        command.args(["--set", "net.host_delay=0s", "--data-dir"]);
        command.arg(data);
        command.arg("--config-dir");
        command.arg(config);
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        let started = Instant::now();
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let n = |n| NonZeroU16::new(n).unwrap();
        let parser = vt100::Parser::new(n(ROWS), n(COLS), 0);
        let output = Mutex::new(Output { parser, first: None, last: started });
        let shared = Arc::new(Shared { output, changed: Condvar::new() });
        let (mut reader, theirs) = (pair.master.try_clone_reader().unwrap(), shared.clone());
        let keys = Arc::new(Mutex::new(pair.master.take_writer().unwrap()));
        let replies = keys.clone();
        std::thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                let now = Instant::now();
                // Every terminal replies to this query, so the program stops waiting for other replies.
                if buffer[..n].windows(QUERY.len()).any(|part| part == QUERY) {
                    replies.lock().unwrap().write_all(b"\x1b[?62;c").unwrap();
                }
                let mut output = theirs.output.lock().unwrap();
                output.parser.process(&buffer[..n]);
                output.first.get_or_insert(now);
                output.last = now;
                theirs.changed.notify_all();
            }
        });
        Self { shared, keys, child, _master: pair.master, started }
    }

    /// Time from the start of the program until `text` is on the screen.
    pub(crate) fn until_shown(&self, text: &str) -> Duration {
        let mut output = self.shared.output.lock().unwrap();
        while !output.parser.screen().contents().contains(text) {
            let left = PATIENCE.checked_sub(self.started.elapsed());
            let left = left.unwrap_or_else(|| {
                panic!("never shown: {text}\n{}", output.parser.screen().contents())
            });
            output = self.shared.changed.wait_timeout(output, left).unwrap().0;
        }
        output.last - self.started
    }

    pub(crate) fn screen(&self) -> String {
        self.shared.output.lock().unwrap().parser.screen().contents()
    }

    pub(crate) fn send(&mut self, keys: &str) {
        let mut writer = self.keys.lock().unwrap();
        writer.write_all(keys.as_bytes()).unwrap();
        writer.flush().unwrap();
    }

    /// Sends keys and waits until the screen is complete.
    pub(crate) fn press(&mut self, keys: &str) -> Answer {
        self.press_until(keys, QUIET)
    }

    /// Sends a key and waits for the first byte of the response.
    pub(crate) fn tap(&mut self, keys: &str) -> Duration {
        self.press_until(keys, Duration::ZERO).first
    }

    fn press_until(&mut self, keys: &str, quiet: Duration) -> Answer {
        self.shared.output.lock().unwrap().first = None;
        let sent = Instant::now();
        self.send(keys);
        let mut output = self.shared.output.lock().unwrap();
        loop {
            if let Some(first) = output.first
                && output.last.elapsed() >= quiet
            {
                return Answer { first: first - sent, complete: output.last - sent };
            }
            assert!(sent.elapsed() < PATIENCE, "no response to {keys:?}");
            let wait = if output.first.is_some() { quiet } else { PATIENCE };
            output = self.shared.changed.wait_timeout(output, wait).unwrap().0;
        }
    }

    /// The value of a line in /proc/PID/status, in KiB.
    pub(crate) fn memory(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(self.proc("status")).unwrap();
        let line = status.lines().find_map(|l| l.strip_prefix(name)).unwrap();
        line.trim_matches([':', '\t', ' ', 'k', 'B']).parse().unwrap()
    }

    /// CPU time of all threads.
    pub(crate) fn cpu(&self) -> Duration {
        let tasks = std::fs::read_dir(self.proc("task")).unwrap();
        let on_cpu = |task: std::fs::DirEntry| -> Option<u64> {
            let stat = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
            stat.split(' ').next()?.parse().ok()
        };
        Duration::from_nanos(tasks.flatten().filter_map(on_cpu).sum())
    }

    fn proc(&self, name: &str) -> String {
        format!("/proc/{}/{name}", self.child.process_id().unwrap())
    }
}

impl Drop for Term {
    fn drop(&mut self) {
        self.send("Q");
        let end = Instant::now() + Duration::from_secs(5);
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
