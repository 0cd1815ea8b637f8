//! A command that is given its input, and neither the terminal nor much time.

use crate::util::text;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};

/// Bytes of its errors that are kept.
const MOST_ERRORS: usize = 4096;
/// How long errors are read after its end.
const REST: Duration = Duration::from_millis(200);

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ended {
    pub(super) is_started: bool,
    pub(super) ok: bool,
    /// As in `exit status: 1`, or why there is none.
    pub(super) status: String,
    /// The first line that it printed as an error.
    pub(super) error: Option<String>,
}

/// Runs a command with a text as its input. Its output is discarded.
pub(super) async fn run(argv: &[String], input: &str, limit: Duration) -> Ended {
    let failed = |status: String| Ended { is_started: false, ok: false, status, error: None };
    let [program, arguments @ ..] = argv else { return failed("no command".to_owned()) };
    let mut command = Command::new(program);
    command.args(arguments).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    // Its own process group, so that keys typed in this terminal do not reach it.
    #[cfg(unix)]
    command.process_group(0);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(e) => return failed(format!("{} cannot be started: {e}", text::line(program))),
    };
    let mut errors = Vec::new();
    let status = tokio::time::timeout(limit, talk(&mut child, input, &mut errors)).await;
    let error = String::from_utf8_lossy(&errors);
    let error = error.lines().map(text::line).find(|line| !line.is_empty());
    match status {
        Ok(Ok(status)) => {
            let (ok, status) = (status.success(), status.to_string());
            Ended { is_started: true, ok, status, error }
        }
        Ok(Err(e)) => Ended { is_started: true, error, ..failed(text::line(&e.to_string())) },
        Err(_) => {
            // It is ended when it is dropped.
            let status = format!("ended after its limit of {} s", limit.as_secs());
            Ended { is_started: true, error, ..failed(status) }
        }
    }
}

/// Gives a command its input and reads its errors until it ends.
async fn talk(
    child: &mut Child,
    input: &str,
    errors: &mut Vec<u8>,
) -> std::io::Result<std::process::ExitStatus> {
    let (stdin, stderr) = (child.stdin.take(), child.stderr.take());
    let write = async {
        if let Some(mut stdin) = stdin {
            // A command need not read its input.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
    };
    let read = async {
        let Some(mut stderr) = stderr else { return };
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
            let free = MOST_ERRORS.saturating_sub(errors.len());
            errors.extend_from_slice(&buffer[..count.min(free)]);
        }
    };
    let wait = async {
        tokio::select! {
            // What it has started may keep its input open after its end, and not read it.
            status = child.wait() => status,
            () = write => child.wait().await,
        }
    };
    tokio::pin!(read, wait);
    let mut is_read = false;
    let status = loop {
        tokio::select! {
            status = &mut wait => break status,
            () = &mut read, if !is_read => is_read = true,
        }
    };
    if !is_read {
        // What it has started may keep its errors open after its end.
        let _ = tokio::time::timeout(REST, read).await;
    }
    status
}
