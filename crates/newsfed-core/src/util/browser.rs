//! Opens URLs in a browser: first a plan as plain data, then its execution.
//!
//! Programs are always started with an argument list, never through a shell, and only with http
//! and https URLs, which cannot be mistaken for options.

use super::argv;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};
use url::Url;

/// Browsers that run in the terminal.
const TEXT_BROWSERS: [&str; 9] =
    ["w3m", "lynx", "links", "links2", "elinks", "browsh", "chawan", "cha", "carbonyl"];

/// Players that run in the terminal.
const TEXT_PLAYERS: [&str; 5] = ["mpg123", "mpg321", "ogg123", "mocp", "cmus"];
/// Players that run in the terminal unless there is a picture.
const MIXED_PLAYERS: [&str; 2] = ["mpv", "mplayer"];
/// Arguments that keep these players from running in the terminal.
const NO_TERMINAL: [&str; 4] =
    ["--no-terminal", "--terminal=no", "--force-window", "--player-operation-mode=pseudo-gui"];

/// Text browsers to try when no window can be opened, best first.
const FALLBACKS: [&str; 4] = ["w3m", "lynx", "elinks", "links"];

/// What the plan depends on besides the settings.
pub struct Surroundings<'a> {
    /// The value of an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// Whether a program with this name is installed.
    pub installed: &'a dyn Fn(&str) -> bool,
}

/// What will be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    pub how: How,
    /// Whether it runs in the terminal, so that newsfed has to release it first.
    pub in_terminal: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// With these argument lists, started one after the other.
    Commands(Vec<Vec<String>>),
    /// With the system's opener.
    System(Vec<Url>),
}

/// Why nothing can be opened. Show the URLs instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoBrowser {
    /// Not an http or https URL.
    #[error("only http and https URLs can be opened")]
    Address,
    /// No window can be opened and no text browser is installed.
    #[error(
        "no browser found: there is no display and no text browser is installed; set `browser` in \
         config.toml, or $BROWSER"
    )]
    NoScreen,
    /// The configured program is not installed.
    #[error(
        "{0} is not installed; set another program in config.toml (`browser`, or [open] for files)"
    )]
    NotInstalled(String),
    /// No program that `$BROWSER` names is installed, and nothing else can open the URL.
    #[error(
        "{0}, the value of $BROWSER, is not installed; change it, or set `browser` in config.toml"
    )]
    VariableNotInstalled(String),
    /// A part of `$BROWSER` is not a command line, and nothing else can open the URL.
    #[error(
        "{0}, the value of $BROWSER, has an unclosed quotation mark; change it, or set `browser` in \
         config.toml"
    )]
    VariableUnclosed(String),
}

/// Decides what to start: the configured argument list, in which `{url}` is replaced by the URL, or else the
/// first usable part of `$BROWSER`, the system's opener, or a text browser, in this order.
///
/// `in_terminal` means that the configured browser runs in the terminal. Well-known text browsers are
/// recognised.
///
/// # Errors
/// If a URL is not http or https, or nothing can open it.
pub fn plan(
    configured: &[String],
    in_terminal: bool,
    around: &Surroundings<'_>,
    addresses: &[&str],
) -> Result<Launch, NoBrowser> {
    let web = |a: &&str| Url::parse(a).ok().filter(|u| matches!(u.scheme(), "http" | "https"));
    let urls: Vec<Url> =
        addresses.iter().map(|a| web(a).ok_or(NoBrowser::Address)).collect::<Result<_, _>>()?;
    plan_urls(configured, in_terminal, around, urls)
}

/// Like [`plan`], for URLs of any kind.
fn plan_urls(
    configured: &[String],
    in_terminal: bool,
    around: &Surroundings<'_>,
    urls: Vec<Url>,
) -> Result<Launch, NoBrowser> {
    if let Some(program) = configured.first() {
        if !(around.installed)(program) {
            return Err(NoBrowser::NotInstalled(super::text::line(program)));
        }
        let commands = urls.iter().map(|url| filled(configured, "{url}", url)).collect();
        let in_terminal = in_terminal || is_text_browser(program);
        return Ok(Launch { how: How::Commands(commands), in_terminal });
    }
    if let Some(argv) = from_variable(around) {
        let commands = urls.iter().map(|url| filled(&argv, "%s", url)).collect();
        let in_terminal = argv.first().is_some_and(|program| is_text_browser(program));
        return Ok(Launch { how: How::Commands(commands), in_terminal });
    }
    if has_screen(around) {
        return Ok(Launch { how: How::System(urls), in_terminal: false });
    }
    let found = FALLBACKS.iter().find(|program| (around.installed)(program));
    let program = found.ok_or_else(|| match (around.variable)("BROWSER") {
        Some(list) if list.split(':').any(|line| shlex::split(line).is_none()) => {
            NoBrowser::VariableUnclosed(super::text::line(&list))
        }
        Some(list) if !list.is_empty() => NoBrowser::VariableNotInstalled(super::text::line(&list)),
        _ => NoBrowser::NoScreen,
    })?;
    let commands = urls.iter().map(|url| vec![(*program).to_owned(), url.to_string()]).collect();
    Ok(Launch { how: How::Commands(commands), in_terminal: true })
}

/// `$BROWSER` is a list of command lines separated by colons. Returns the first installed one.
fn from_variable(around: &Surroundings<'_>) -> Option<Vec<String>> {
    let list = (around.variable)("BROWSER")?;
    let lines = list.split(':').filter_map(shlex::split);
    lines.into_iter().find(|argv| argv.first().is_some_and(|p| (around.installed)(p)))
}

/// The placeholder for the path of a downloaded file.
const FILE: &str = "{file}";

/// Whether a program needs the file on the disk.
pub fn needs_file(argv: &[String]) -> bool {
    argv.iter().any(|argument| argument.contains(FILE))
}

/// Like [`plan`], for a program that needs the file of one URL, stored at a path.
///
/// # Errors
/// As for [`plan`].
pub fn plan_file(
    argv: &[String],
    in_terminal: bool,
    around: &Surroundings<'_>,
    (url, file): (&str, &Path),
) -> Result<Launch, NoBrowser> {
    let launch = plan(argv, in_terminal, around, &[url])?;
    let (url, file) = (Url::parse(url).map_err(|_| NoBrowser::Address)?, file.to_string_lossy());
    let how = How::Commands(vec![argv::filled(argv, &[("{url}", url.as_str()), (FILE, &file)])]);
    Ok(Launch { how, ..launch })
}

/// Like [`plan`], for a file on this computer, whose path also replaces `{url}`.
///
/// # Errors
/// If the path is not absolute, or nothing can open it.
pub fn plan_stored(
    argv: &[String],
    in_terminal: bool,
    around: &Surroundings<'_>,
    file: &Path,
) -> Result<Launch, NoBrowser> {
    let url = Url::from_file_path(file).map_err(|()| NoBrowser::Address)?;
    let launch = plan_urls(argv, in_terminal, around, vec![url])?;
    if argv.is_empty() {
        return Ok(launch);
    }
    let path = file.to_string_lossy();
    let mut filled = argv::filled(argv, &[("{url}", &path), (FILE, &path)]);
    if !argv.iter().any(|a| a.contains("{url}")) && !needs_file(argv) {
        filled.push(path.into_owned());
    }
    Ok(Launch { how: How::Commands(vec![filled]), ..launch })
}

/// The argument list for one URL, which is added at the end if there is neither `{url}` nor `{file}`.
fn filled(argv: &[String], place: &str, url: &Url) -> Vec<String> {
    let mut filled = argv::filled(argv, &[(place, url.as_str())]);
    if !argv.iter().any(|a| a.contains(place)) && !needs_file(argv) {
        filled.push(url.to_string());
    }
    filled
}

/// The name of a program without its folder and extension.
fn name(program: &str) -> &str {
    Path::new(program).file_stem().and_then(|n| n.to_str()).unwrap_or(program)
}

fn is_text_browser(program: &str) -> bool {
    TEXT_BROWSERS.contains(&name(program))
}

/// Whether a program runs in the terminal when it opens a file of this media type: it is one of `named`, or a
/// well-known player.
pub fn draws_in_terminal(argv: &[String], media_type: &str, named: &[String]) -> bool {
    let Some(program) = argv.first().map(|program| name(program)) else { return false };
    let plays_in_terminal = TEXT_PLAYERS.contains(&program)
        || MIXED_PLAYERS.contains(&program)
            && media_type.starts_with("audio/")
            && !argv.iter().any(|a| NO_TERMINAL.contains(&a.as_str()));
    plays_in_terminal || named.iter().any(|n| name(n) == program)
}

/// Whether windows can be opened: always on systems with their own desktop, else if a display is set, or
/// under WSL.
fn has_screen(around: &Surroundings<'_>) -> bool {
    let set = |name: &&str| (around.variable)(name).is_some_and(|v| !v.is_empty());
    cfg!(any(windows, target_os = "macos"))
        || ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].iter().any(set)
}

/// The value of an environment variable, if it is valid Unicode.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Whether a program is in `PATH`, or exists at the path given as `program`.
pub fn installed(program: &str) -> bool {
    let is_program = |path: &Path| {
        #[cfg(unix)]
        let runs = std::fs::metadata(path).is_ok_and(|m| {
            m.is_file() && std::os::unix::fs::PermissionsExt::mode(&m.permissions()) & 0o111 != 0
        });
        #[cfg(not(unix))]
        let runs = path.is_file() || path.with_extension("exe").is_file();
        runs
    };
    if program.contains(std::path::MAIN_SEPARATOR) {
        return is_program(Path::new(program));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    !program.is_empty()
        && std::env::split_paths(&path).any(|folder| is_program(&folder.join(program)))
}

/// The URLs that were not opened.
#[derive(Debug, thiserror::Error)]
#[error("{why}")]
pub struct NotOpened {
    /// Their indexes in the list of URLs.
    pub indexes: Vec<usize>,
    /// Why the first of them was not opened.
    pub why: io::Error,
}

/// Carries out the plan. A browser with its own windows is detached, and its output is discarded.
/// A browser that runs in the terminal gets the terminal until it exits.
///
/// # Errors
/// If a program cannot be started, or a detached one fails within the time `watched`. The others are started
/// anyway. The system's opener is not watched.
pub fn launch(launch: &Launch, watched: Duration) -> Result<(), NotOpened> {
    let results: Vec<io::Result<()>> = match &launch.how {
        How::System(urls) => urls.iter().map(|url| open::that_detached(url.as_str())).collect(),
        // The exit code of a text browser does not matter.
        How::Commands(commands) if launch.in_terminal => {
            commands.iter().map(|argv| command(argv).status().map(drop)).collect()
        }
        How::Commands(commands) => {
            let end = Instant::now() + watched;
            let started: Vec<_> =
                commands.iter().map(|argv| start_detached(command(argv))).collect();
            let watch = |(exit, argv): (io::Result<Exit>, &Vec<String>)| {
                let left = end.saturating_duration_since(Instant::now());
                match exit?.recv_timeout(left) {
                    Ok(Ok(status)) if !status.success() => Err(failed(argv, status)),
                    _ => Ok(()),
                }
            };
            started.into_iter().zip(commands).map(watch).collect()
        }
    };
    let failures =
        results.into_iter().enumerate().filter_map(|(i, result)| Some((i, result.err()?)));
    let (indexes, errors): (Vec<_>, Vec<_>) = failures.unzip();
    errors.into_iter().next().map_or(Ok(()), |why| Err(NotOpened { indexes, why }))
}

/// Receives the exit status of a program.
type Exit = Receiver<io::Result<ExitStatus>>;

/// How long a command waits to report that a program fails at once.
pub const WATCHED: Duration = Duration::from_millis(300);

fn failed(argv: &[String], status: ExitStatus) -> io::Error {
    let program = super::text::line(argv.first().map_or("", String::as_str));
    let how = status.code().map_or("was killed".to_owned(), |code| format!("exited with {code}"));
    io::Error::other(format!("{program} {how}"))
}

fn command(argv: &[String]) -> Command {
    let mut command = Command::new(argv.first().map_or("", String::as_str));
    command.args(argv.iter().skip(1));
    command
}

/// Starts a program, and returns a channel for its exit status.
fn start_detached(mut command: Command) -> io::Result<Exit> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // The browser gets its own process group, so that keys typed in this terminal do not reach it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    let (exit, receiver) = mpsc::channel();
    // Reaps the process. If newsfed exits first, this is not needed.
    std::thread::Builder::new()
        .name("browser".to_owned())
        .spawn(move || exit.send(child.wait()))?;
    Ok(receiver)
}

#[cfg(test)]
mod tests;
