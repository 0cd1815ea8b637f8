//! A command that is given its input, and neither the terminal nor much time.

use crate::util::text;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};

/// Bytes of its errors that are kept.
const MOST_ERRORS: usize = 4096;
/// Bytes of its output that are kept.
const MOST_OUTPUT: usize = 1 << 20;
/// How long output and errors are read after its end.
const REST: Duration = Duration::from_millis(200);

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::engine) struct Ended {
    pub(in crate::engine) is_started: bool,
    pub(in crate::engine) ok: bool,
    /// As in `exit status: 1`, or why there is none.
    pub(in crate::engine) status: String,
    /// The first line that it printed as an error.
    pub(in crate::engine) error: Option<String>,
    /// The beginning of its output.
    pub(in crate::engine) output: Vec<u8>,
}

/// Runs a command with a text as its input. Its output is discarded.
pub(in crate::engine) async fn run(argv: &[String], input: &str, limit: Duration) -> Ended {
    start(argv, input, limit, Stdio::null()).await
}

/// The same, with its output.
pub(in crate::engine) async fn run_for_output(
    argv: &[String],
    input: &str,
    limit: Duration,
) -> Ended {
    start(argv, input, limit, Stdio::piped()).await
}

async fn start(argv: &[String], input: &str, limit: Duration, stdout: Stdio) -> Ended {
    let failed = |status: String| {
        let (error, output) = (None, Vec::new());
        Ended { is_started: false, ok: false, status, error, output }
    };
    let [program, arguments @ ..] = argv else { return failed("no command".to_owned()) };
    let mut command = Command::new(program);
    command.args(arguments).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(stdout).stderr(Stdio::piped());
    // Its own process group, so that keys typed in this terminal do not reach it.
    #[cfg(unix)]
    command.process_group(0);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(e) => return failed(format!("{} cannot be started: {e}", text::line(program))),
    };
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let status = talk(&mut child, input, limit, (&mut output, &mut errors)).await;
    let error = String::from_utf8_lossy(&errors);
    let error = error.lines().map(text::line).find(|line| !line.is_empty());
    match status {
        Ok(Ok(status)) => {
            let (ok, status) = (status.success(), status.to_string());
            Ended { is_started: true, ok, status, error, output }
        }
        Ok(Err(e)) => {
            Ended { is_started: true, error, output, ..failed(text::line(&e.to_string())) }
        }
        Err(_) => {
            let status = format!("ended after its limit of {} s", limit.as_secs());
            Ended { is_started: true, error, output, ..failed(status) }
        }
    }
}

/// The process group of a command that has not ended yet. Dropping it ends all of its processes; until
/// then the command is not reaped, so the group cannot be another one.
pub(in crate::engine) struct Group {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

impl Group {
    #[cfg(unix)]
    pub(in crate::engine) fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self { leader: id.and_then(rustix::process::Pid::from_raw) }
    }

    /// The command has ended; what it has left running is its own matter.
    #[cfg(unix)]
    pub(in crate::engine) fn leave(mut self) {
        self.leader = None;
    }

    #[cfg(not(unix))]
    pub(in crate::engine) fn of(_: &Child) -> Self {
        Self {}
    }

    #[cfg(not(unix))]
    pub(in crate::engine) fn leave(self) {}
}

#[cfg(unix)]
impl Drop for Group {
    fn drop(&mut self) {
        use rustix::process::{Signal, kill_process_group};
        if let Some(leader) = self.leader
            && let Err(e) = kill_process_group(leader, Signal::KILL)
        {
            tracing::debug!("cannot end a command of a rule: {e}");
        }
    }
}

/// Gives a command its input and reads its output and errors until it ends. At the limit it is ended,
/// with what it has started.
async fn talk(
    child: &mut Child,
    input: &str,
    limit: Duration,
    (output, errors): (&mut Vec<u8>, &mut Vec<u8>),
) -> Result<std::io::Result<std::process::ExitStatus>, tokio::time::error::Elapsed> {
    let group = Group::of(child);
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let write = async {
        if let Some(mut stdin) = stdin {
            // A command need not read its input.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
    };
    let read = async {
        tokio::join!(keep(stdout, output, MOST_OUTPUT), keep(stderr, errors, MOST_ERRORS));
    };
    let wait = tokio::time::timeout(limit, async {
        tokio::select! {
            // What it has started may keep its input open after its end, and not read it.
            status = child.wait() => status,
            () = write => child.wait().await,
        }
    });
    tokio::pin!(read, wait);
    let mut is_read = false;
    let status = loop {
        tokio::select! {
            status = &mut wait => break status,
            () = &mut read, if !is_read => is_read = true,
        }
    };
    // At once: afterwards, the number of the group may be another one's.
    match status {
        Ok(Ok(_)) => group.leave(),
        _ => drop(group),
    }
    if !is_read {
        // What it has started may keep them open after its end.
        let _ = tokio::time::timeout(REST, read).await;
    }
    status
}

/// Reads a stream to its end and keeps its beginning.
async fn keep(from: Option<impl AsyncRead + Unpin>, kept: &mut Vec<u8>, most: usize) {
    let Some(mut from) = from else { return };
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        let free = most.saturating_sub(kept.len());
        kept.extend_from_slice(&buffer[..count.min(free)]);
    }
}
