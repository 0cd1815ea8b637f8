//! Runs a command with a given input, without a terminal, and within a time limit.

use crate::util::text::{self, size};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

/// Maximum number of bytes of a command's error output that are kept.
const MAX_ERRORS: usize = 4096;
/// Maximum number of bytes of a command's output that are kept.
const MAX_OUTPUT: usize = 1 << 20;
/// How long the output and error output are still read after the command has ended.
const REST: Duration = Duration::from_millis(200);

/// Environment variables that every command gets.
const VARIABLES: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_RUNTIME_DIR",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "SystemRoot",
    "TEMP",
    "TMP",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "PATHEXT",
];

/// The limits of a command.
struct Bounds<'a> {
    limit: Duration,
    /// Bytes of output that are kept; 0 if the output is discarded.
    most_output: usize,
    /// Whether more output is an error and stops the command.
    is_strict: bool,
    /// Environment variables besides [`VARIABLES`] and the locale; `None` for all variables of this process.
    variables: Option<&'a [(&'a str, &'a str)]>,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::engine) struct Ended {
    pub(in crate::engine) is_started: bool,
    pub(in crate::engine) ok: bool,
    /// The exit status, such as `exit status: 1`, or why there is none.
    pub(in crate::engine) status: String,
    /// The first line of its error output.
    pub(in crate::engine) error: Option<String>,
    /// The beginning of its output.
    pub(in crate::engine) output: Vec<u8>,
}

/// Runs a command with a text as its input. Its output is discarded.
pub(in crate::engine) async fn run(argv: &[String], input: &str, limit: Duration) -> Ended {
    let bounds = Bounds { limit, most_output: 0, is_strict: false, variables: None };
    start(argv, input.as_bytes(), bounds).await
}

/// Like [`run`], but keeps the output.
pub(in crate::engine) async fn run_for_output(
    argv: &[String],
    input: &str,
    limit: Duration,
) -> Ended {
    let bounds = Bounds { limit, most_output: MAX_OUTPUT, is_strict: false, variables: None };
    start(argv, input.as_bytes(), bounds).await
}

/// Runs a command and returns its whole output, at most `most` bytes; anything else is an error. Of the
/// environment variables of this process, the command gets only those that programs need, so that it gets no
/// secret.
pub(in crate::engine) async fn run_for_document(
    argv: &[String],
    input: &[u8],
    limit: Duration,
    most: usize,
    variables: &[(&str, &str)],
) -> Ended {
    let bounds = Bounds { limit, most_output: most, is_strict: true, variables: Some(variables) };
    start(argv, input, bounds).await
}

async fn start(argv: &[String], input: &[u8], bounds: Bounds<'_>) -> Ended {
    let failed = |status: String| {
        let (error, output) = (None, Vec::new());
        Ended { is_started: false, ok: false, status, error, output }
    };
    let [program, arguments @ ..] = argv else { return failed("no command".to_owned()) };
    let mut command = Command::new(program);
    command.args(arguments).kill_on_drop(true);
    let stdout = if bounds.most_output > 0 { Stdio::piped() } else { Stdio::null() };
    command.stdin(Stdio::piped()).stdout(stdout).stderr(Stdio::piped());
    if let Some(variables) = bounds.variables {
        let is_kept = |name: &str| VARIABLES.contains(&name) || name.starts_with("LC_");
        command.env_clear();
        command.envs(std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_kept)));
        command.envs(variables.iter().copied());
    }
    // The command gets its own process group, so that keys typed in this terminal do not reach it.
    #[cfg(unix)]
    command.process_group(0);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(e) => return failed(format!("{} cannot be started: {e}", text::line(program))),
    };
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let end = talk(&mut child, input, &bounds, (&mut output, &mut errors)).await;
    let error = String::from_utf8_lossy(&errors);
    let error = error.lines().map(text::line).find(|line| !line.is_empty());
    let (ok, status) = match end {
        End::Exited(Ok(status)) => (status.success(), status.to_string()),
        End::Exited(Err(e)) => (false, text::line(&e.to_string())),
        End::Limit => (false, format!("stopped at its time limit of {} s", bounds.limit.as_secs())),
        End::Overflow => {
            (false, format!("it printed more than {}", size(bounds.most_output as u64)))
        }
        End::Unfinished => (
            false,
            "the program ended, but a process that it started kept the output open".to_owned(),
        ),
    };
    Ended { is_started: true, ok, status, error, output }
}

/// How the exchange with a command ended.
enum End {
    Exited(std::io::Result<std::process::ExitStatus>),
    Limit,
    Overflow,
    /// The command has succeeded, but its output is still open.
    Unfinished,
}

/// The process group of a command that has not ended yet. Dropping it stops all processes of the group. Until
/// then the command is not reaped, so the number of the group cannot be reused.
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

    /// Leaves the processes of an ended command running.
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
            tracing::debug!("cannot stop a command of a rule: {e}");
        }
    }
}

/// Gives a command its input, and reads its output and error output until it ends. At the time limit, or if
/// it prints too much, the command and all processes that it has started are stopped.
async fn talk(
    child: &mut Child,
    input: &[u8],
    bounds: &Bounds<'_>,
    (output, errors): (&mut Vec<u8>, &mut Vec<u8>),
) -> End {
    let group = Group::of(child);
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let write = async {
        if let Some(mut stdin) = stdin {
            // A command need not read its input.
            let _ = stdin.write_all(input).await;
        }
    };
    let (overflow, surplus) = (CancellationToken::new(), CancellationToken::new());
    let read = async {
        let output = keep(stdout, output, bounds.most_output, &overflow);
        tokio::join!(output, keep(stderr, errors, MAX_ERRORS, &surplus));
    };
    let wait = tokio::time::timeout(bounds.limit, async {
        tokio::select! {
            // A process that the command has started may keep the input open after the command's end without
            // reading it.
            status = child.wait() => status,
            () = write => child.wait().await,
        }
    });
    tokio::pin!(read, wait);
    let mut is_read = false;
    let end = loop {
        tokio::select! {
            status = &mut wait => break status.map_or(End::Limit, End::Exited),
            () = &mut read, if !is_read => is_read = true,
            () = overflow.cancelled(), if bounds.is_strict => break End::Overflow,
        }
    };
    // The group is released at once, because its number may be reused later.
    match end {
        End::Exited(Ok(_)) => group.leave(),
        _ => drop(group),
    }
    if !is_read {
        // A process that the command has started may keep its outputs open after its end.
        is_read = tokio::time::timeout(REST, read).await.is_ok();
    }
    match end {
        End::Exited(Ok(status)) if bounds.is_strict && status.success() => match is_read {
            _ if overflow.is_cancelled() => End::Overflow,
            true => End::Exited(Ok(status)),
            false => End::Unfinished,
        },
        end => end,
    }
}

/// Reads a stream to its end and keeps its beginning; `overflow` is cancelled if the stream is longer.
async fn keep(
    from: Option<impl AsyncRead + Unpin>,
    kept: &mut Vec<u8>,
    most: usize,
    overflow: &CancellationToken,
) {
    let Some(mut from) = from else { return };
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        let free = most.saturating_sub(kept.len());
        kept.extend_from_slice(&buffer[..count.min(free)]);
        if count > free {
            overflow.cancel();
        }
    }
}
