//! A player program and its connection: starts, controls and stops it.

use super::super::program::Group;
use super::ipc::{Ipc, PlayerEvent};
use crate::config::ListenSettings;
use crate::model::Queued;
use crate::util::text::line;
use crate::util::url::parse_web;
use serde_json::{Value, json};
use std::io::ErrorKind;
#[cfg(unix)]
use std::os::{fd::OwnedFd, unix::net::UnixStream};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// Timeout for a player to accept a connection.
const START: Duration = Duration::from_secs(10);
/// Delay between two attempts to connect.
const TRY: Duration = Duration::from_millis(30);
/// Timeout for a player to read a command.
const SEND: Duration = Duration::from_secs(1);
/// The error if a player is stopped while it starts.
const STOPPED: &str = "the player was stopped";
/// Timeout for a player to exit.
const END: Duration = Duration::from_millis(500);

/// Why a player was not started.
#[derive(Debug)]
pub(super) enum StartError {
    NoPlayer,
    Failed(String),
}

#[cfg(unix)]
type Lifeline = UnixStream;
#[cfg(not(unix))]
type Lifeline = std::convert::Infallible;

pub(super) struct Session {
    child: Child,
    group: Option<Group>,
    ipc: Ipc,
    /// The other end is the player's standard input. The player exits when this end is closed, even if
    /// newsfed is killed.
    _lifeline: Option<Lifeline>,
    /// The folder of the socket, which only the user can access.
    _folder: TempDir,
}

impl Session {
    /// Starts a player at the stored position of an episode and connects to it, unless cancelled. Players are
    /// controlled through Unix sockets, so other systems are not supported.
    pub(super) async fn start(
        argv: Vec<String>,
        episode: Queued,
        in_terminal: bool,
        cancel: CancellationToken,
    ) -> Result<Self, StartError> {
        let [program, arguments @ ..] = argv.as_slice() else { return Err(StartError::NoPlayer) };
        let failed = |why: String| StartError::Failed(line(&why));
        if !cfg!(unix) {
            return Err(StartError::NoPlayer);
        }
        // A player that was replaced immediately is not started.
        if cancel.is_cancelled() {
            return Err(failed(STOPPED.to_owned()));
        }
        let folder =
            private_folder().map_err(|e| failed(format!("cannot create a private folder: {e}")))?;
        let socket = folder.path().join("player");
        let target = target(&episode).ok_or_else(|| failed("the URL is not valid".to_owned()))?;
        let mut command = Command::new(program);
        command.args(arguments).args(options(&socket, &episode, in_terminal)).arg("--").arg(target);
        command.kill_on_drop(true);
        let mut lifeline = None;
        if !in_terminal {
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            #[cfg(unix)]
            {
                let (ours, its) = UnixStream::pair().map_err(|e| failed(e.to_string()))?;
                command.stdin(OwnedFd::from(its));
                lifeline = Some(ours);
            }
            // The player gets its own process group, so that keys typed in this terminal do not reach it.
            #[cfg(unix)]
            command.process_group(0);
        }
        let mut child = command.spawn().map_err(|e| match e.kind() {
            // If the user has configured a different player, report that it is missing.
            ErrorKind::NotFound if argv == ListenSettings::default().player => StartError::NoPlayer,
            ErrorKind::NotFound => failed(format!("{program} is not installed (listen.player)")),
            _ => failed(format!("{program} cannot be started: {e}")),
        })?;
        let group = (!in_terminal).then(|| Group::of(&child));
        let ipc = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(STOPPED.to_owned()),
            ipc = timeout(START, connect(&mut child, &socket)) => {
                ipc.unwrap_or_else(|_| Err("the player does not respond".to_owned()))
            }
        };
        match ipc {
            Ok(ipc) => Ok(Self { child, group, ipc, _lifeline: lifeline, _folder: folder }),
            Err(why) => {
                terminate(child, group).await;
                Err(failed(format!("{program}: {why}")))
            }
        }
    }

    /// The player's next message. Cancel-safe: dropping the future loses no data.
    pub(super) async fn next(&mut self) -> PlayerEvent {
        self.ipc.next().await
    }

    pub(super) async fn toggle_pause(&mut self) {
        self.command(&json!(["cycle", "pause"])).await;
    }

    pub(super) async fn seek(&mut self, by: f64) {
        self.command(&json!(["seek", by, "relative"])).await;
    }

    pub(super) async fn go_to(&mut self, position: f64) {
        self.command(&json!(["seek", position, "absolute"])).await;
    }

    /// Sends a command, but does not wait for a player that does not read it.
    async fn command(&mut self, command: &Value) {
        let sent = timeout(SEND, self.ipc.command(command)).await;
        if !matches!(sent, Ok(Ok(()))) {
            tracing::debug!("the player does not accept commands");
        }
    }

    /// Stops the player and all processes that it has started.
    pub(super) async fn end(mut self) {
        self.command(&json!(["quit"])).await;
        let ended = timeout(END, self.child.wait()).await.is_ok();
        if let Some(group) = self.group.take().filter(|_| ended) {
            group.leave();
        }
    }
}

/// Stops a player that is not connected. It may restore the terminal first.
async fn terminate(mut child: Child, group: Option<Group>) {
    #[cfg(unix)]
    if let Some(id) = child.id().and_then(|id| rustix::process::Pid::from_raw(id.try_into().ok()?))
        && let Err(e) = rustix::process::kill_process(id, rustix::process::Signal::TERM)
    {
        tracing::debug!("cannot stop the player: {e}");
    }
    let ended = timeout(END, child.wait()).await.is_ok();
    if let Some(group) = group.filter(|_| ended) {
        group.leave();
    }
}

/// The options for every mpv-compatible player.
fn options(socket: &Path, episode: &Queued, in_terminal: bool) -> Vec<String> {
    let mut options = vec![
        format!("--input-ipc-server={}", socket.display()),
        "--idle=no".to_owned(),
        "--keep-open=no".to_owned(),
        "--resume-playback=no".to_owned(),
        "--save-position-on-quit=no".to_owned(),
    ];
    if !in_terminal {
        options.push("--no-terminal".to_owned());
        options.push("--input-ipc-client=fd://0".to_owned());
    }
    if episode.media_type.starts_with("audio/") {
        options.push("--no-video".to_owned());
    }
    if episode.progress.position >= 1.0 {
        options.push(format!("--start=+{:.1}", episode.progress.position));
    }
    options
}

/// The downloaded file, or else the URL.
fn target(episode: &Queued) -> Option<String> {
    let file = episode.file.as_ref().filter(|file| Path::new(file).is_file());
    let url = || parse_web(&episode.key.url).ok().map(|web| web.url.to_string());
    file.cloned().or_else(url)
}

/// A folder for the socket that only the user can access, with a short path.
fn private_folder() -> std::io::Result<TempDir> {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let mut builder = tempfile::Builder::new();
    builder.prefix("newsfed-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    match runtime.filter(|folder| folder.is_absolute()) {
        Some(folder) => builder.tempdir_in(folder).or_else(|_| builder.tempdir()),
        None => builder.tempdir(),
    }
}

/// Connects as soon as the player accepts a connection, unless it exits first.
async fn connect(child: &mut Child, socket: &Path) -> Result<Ipc, String> {
    loop {
        if let Ok(ipc) = Ipc::connect(socket).await {
            return Ok(ipc);
        }
        match child.try_wait() {
            Ok(None) => sleep(TRY).await,
            Ok(Some(status)) => return Err(format!("the player exited: {status}")),
            Err(e) => return Err(e.to_string()),
        }
    }
}
