//! The checks of `newsfed doctor`.

use super::doctor::Finding;
use super::output::colours_wanted;
use crate::config::{Loaded, Paths, Settings};
use crate::engine::{NOTIFY_COMMAND, hook_record, machine_files};
use crate::model::{Access, Health, LeftOut, Outcome, Secret, SourceFacts, Time};
use crate::store::{PollFilter, Poller, PollerLock, Reader, Store, StoreError};
use crate::util::browser::{self, How, Surroundings};
use crate::util::clock::{Clock, SystemClock};
use crate::util::crash::report_file;
use crate::util::file_error::cannot_read;
use crate::util::login::has_secrets;
use crate::util::text::{self, counted, counted_as};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

/// Reports the versions of newsfed and its database library.
pub(super) fn version() -> String {
    format!("newsfed {}, SQLite {}", env!("CARGO_PKG_VERSION"), crate::store::sqlite_version())
}

/// Reports the locations of the files and their warnings.
pub(super) fn configuration(paths: &Paths, loaded: &Loaded) -> Vec<Finding> {
    let shown = |path: &Path, missing: &str| {
        let missing = if path.exists() { "" } else { missing };
        format!("{}{missing}", path.display())
    };
    let sources = counted(loaded.sources.len(), "source");
    let sources = format!("{}, {sources}", shown(&paths.sources_file(), " (does not exist yet)"));
    let mut findings = vec![
        Finding::ok("config", shown(&paths.config_file(), " (does not exist: all defaults apply)")),
        Finding::ok("sources", sources),
        Finding::ok("log", paths.log_dir().display().to_string()),
    ];
    findings.extend(loaded.warnings.iter().map(|w| Finding::warning("config", w.to_string())));
    findings
}

/// Checks the clock, because a wrong clock makes all dates and schedules wrong.
pub(super) fn clock() -> Vec<Finding> {
    let now = SystemClock.now();
    let zone = now.with_timezone(&chrono::Local).format("%Y-%m-%d %H:%M %:z").to_string();
    // A date outside of these years must be wrong.
    let sane = (2025..2100).contains(&chrono::Datelike::year(&now));
    vec![if sane {
        Finding::ok("clock", zone)
    } else {
        Finding::problem("clock", format!("the clock shows {zone}, which is wrong; correct it"))
    }]
}

/// Reports how the programs of `[[hook]]` and `notify.command` ended.
pub(super) fn hooks(store: &Store, settings: &Settings) -> Vec<Finding> {
    let Ok(reader) = store.reader() else { return Vec::new() };
    let finding = |name: &str| {
        let Ok(Some(record)) = reader.command_record(&hook_record(name)) else {
            return Finding::ok("hook", format!("{} has not run yet", text::line(name)));
        };
        let name = text::line(name);
        let runs = counted(record.ok + record.failed, "run");
        let skipped = match record.skipped {
            0 => String::new(),
            lines => format!("; it did not receive {}", counted(lines, "line")),
        };
        match (record.failed, record.skipped) {
            (0, 0) => return Finding::ok("hook", format!("{name}: {runs}, all succeeded")),
            (0, _) => return Finding::warning("hook", format!("{name}: {runs}{skipped}")),
            _ => {}
        }
        let error = record.error.map(|error| format!(": {error}")).unwrap_or_default();
        let (failed, last) = (record.failed, record.status);
        Finding::warning(
            "hook",
            format!("{name}: {failed} of {runs} failed; last failure: {last}{error}{skipped}"),
        )
    };
    let notify = (!settings.notify.command.is_empty()).then_some(NOTIFY_COMMAND);
    settings.hooks.iter().map(|hook| hook.name.as_str()).chain(notify).map(finding).collect()
}

/// Checks that the database and its folder are private.
pub(super) fn permissions(paths: &Paths) -> Vec<Finding> {
    let wanted = [(paths.data_dir().to_owned(), 0o700), (paths.database(), 0o600)];
    wanted.iter().filter_map(|(path, mode)| permission(path, *mode)).collect()
}

/// Reports whether newsfed has crashed, and where the crash report is.
pub(super) fn crashes(paths: &Paths) -> Option<Finding> {
    let file = report_file(paths.data_dir());
    let at = Time::from(file.metadata().ok()?.modified().ok()?);
    let (at, file) = (at.format("%Y-%m-%d %H:%M UTC"), file.display());
    let what =
        format!("newsfed last crashed at {at}; read {file}, report the crash, and delete the file");
    Some(Finding::warning("crash", what))
}

/// Checks that files with secrets are private.
pub(super) fn secrets(paths: &Paths, files: &Loaded) -> Vec<Finding> {
    let settings = &files.settings;
    let addresses = [&settings.net.proxy, &settings.llm.endpoint];
    let in_config = addresses.into_iter().flatten().any(|address| has_secrets(address));
    let in_sources = files.sources.iter().any(|source| holds_secret(&source.access));
    let all = [(paths.config_file(), in_config), (paths.sources_file(), in_sources)];
    let finding = |(path, secret): (PathBuf, bool)| {
        let mode = mode(&path).filter(|mode| secret && mode & 0o077 != 0)?;
        let shown = path.display();
        let what = format!(
            "{shown} contains a password or a header and is readable by other users (mode {mode:o}); \
             run: chmod 600 '{shown}'"
        );
        Some(Finding::warning("permissions", what))
    };
    all.into_iter().filter_map(finding).collect()
}

/// Whether the access settings contain a secret itself, not only a reference to one.
fn holds_secret(access: &Access) -> bool {
    let password = access.auth.iter().map(|auth| &auth.password);
    let mut secrets = password.chain(access.headers.iter().map(|(_, value)| value));
    secrets.any(|secret| matches!(secret, Secret::Plain(_)))
        || access.proxy.as_deref().is_some_and(has_secrets)
}

#[cfg(unix)]
fn mode(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    Some(std::fs::metadata(path).ok()?.permissions().mode() & 0o777)
}

#[cfg(not(unix))]
fn mode(_path: &Path) -> Option<u32> {
    None
}

fn permission(path: &Path, wanted: u32) -> Option<Finding> {
    let mode = mode(path)?;
    let shown = path.display();
    Some(if mode & 0o077 != 0 {
        let what = format!(
            "{shown} is readable by other users (mode {mode:o}); run: chmod {wanted:o} '{shown}'"
        );
        Finding::warning("permissions", what)
    } else if mode & 0o200 == 0 {
        let what = format!("{shown} cannot be written; run: chmod {wanted:o} '{shown}'");
        Finding::problem("permissions", what)
    } else {
        Finding::ok("permissions", format!("{shown} (mode {mode:o})"))
    })
}

/// Checks the database file, the polling process, and the health of the sources.
pub(super) fn database(store: &Store, loaded: &Loaded) -> Vec<Finding> {
    let mut findings = Vec::new();
    let reader = match store.reader() {
        Ok(reader) => reader,
        Err(e) => return vec![Finding::problem("database", e.to_string())],
    };
    findings.push(integrity(&reader, store.path()));
    match store.writable() {
        Ok(()) => findings.extend(space(store.folder())),
        Err(e) => {
            findings.push(Finding::problem("database", format!("{}: {e}", store.path().display())));
        }
    }
    findings.push(match PollerLock::acquire(store.path()) {
        Ok(Poller::Mine(_)) => Finding::ok("polling", "no newsfed process is polling"),
        Ok(Poller::Other(pid)) => {
            let who =
                pid.map_or("another newsfed process".to_owned(), |pid| format!("process {pid}"));
            Finding::ok("polling", format!("{who} is polling the sources"))
        }
        Err(e) => Finding::problem("polling", e.to_string()),
    });
    match failing(&reader, loaded) {
        Ok(more) => findings.extend(more),
        Err(e) => findings.push(Finding::problem("sources", e.to_string())),
    }
    findings
}

/// Size of the file that tests whether there is space on the disk, in bytes.
const PROBE: usize = 256 << 10;

/// Checks that a file can be written next to the database. The database's write-ahead log already has space,
/// so small changes succeed even on a full disk.
fn space(folder: &Path) -> Option<Finding> {
    let file = folder.join("newsfed.probe");
    let written = std::fs::write(&file, vec![0; PROBE]);
    let _ = std::fs::remove_file(&file);
    let error = written.err()?;
    let why = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full.to_string(),
        _ => error.to_string(),
    };
    let what = format!(
        "{}: a file of {} cannot be written: {why}",
        folder.display(),
        text::size(PROBE as u64)
    );
    Some(Finding::problem("disk", what))
}

fn integrity(reader: &Reader, path: &Path) -> Finding {
    let size = std::fs::metadata(path).map_or(0, |m| m.len());
    match reader.check() {
        Ok(errors) if errors.is_empty() => {
            let mebibytes = size.div_ceil(1 << 20);
            Finding::ok("database", format!("{}, {mebibytes} MiB, no errors found", path.display()))
        }
        Ok(errors) => Finding::problem("database", damaged(path, &errors.join("; "))),
        // The error already includes advice.
        Err(e) => Finding::problem("database", format!("{}: {e}", path.display())),
    }
}

fn damaged(path: &Path, why: &str) -> String {
    let shown = path.display();
    format!(
        "{shown} is damaged ({why}); quit newsfed and run `newsfed doctor --rebuild`: it keeps the \
         damaged file and makes a new one from everything that can be read"
    )
}

/// Maximum number of sources listed by name.
const NAMED: usize = 10;

/// Maximum number of polls of a source that are searched for left-out entries.
const POLLS: usize = 20;

fn failing(reader: &Reader, loaded: &Loaded) -> Result<Vec<Finding>, StoreError> {
    let now = SystemClock.now();
    let mut findings = Vec::new();
    let mut more = 0;
    for facts in reader.sources()? {
        let Some(source) = loaded.sources.iter().find(|s| s.id == facts.id && s.enabled) else {
            continue;
        };
        let what = match facts.health(now) {
            Health::Failing => {
                let times = match facts.fail_count {
                    1 => "once".to_owned(),
                    n => format!("{n} times in a row"),
                };
                let id = &source.id;
                format!("{id} failed {times}; `newsfed sources show {id}` shows why")
            }
            Health::Gone => format!(
                "{} is gone for good (410); `newsfed sources remove {}` removes it",
                source.id, source.id
            ),
            Health::Retrying => {
                let checks = match facts.fail_count {
                    1 => "check".to_owned(),
                    n => format!("{n} checks"),
                };
                let id = &source.id;
                format!("{id} failed in its last {checks}; `newsfed sources show {id}` shows why")
            }
            _ => match facts.website.broken() {
                Some(problem) => format!(
                    "{}: {} since {}; `newsfed sources show {}` suggests a repair",
                    source.id,
                    problem.what,
                    crate::util::time_text::day(problem.since),
                    source.id
                ),
                None => match left_out(reader, &facts)? {
                    Some(left_out) => {
                        format!("{}: at the last check that found items, {left_out}", source.id)
                    }
                    None => continue,
                },
            },
        };
        if findings.len() < NAMED {
            findings.push(Finding::warning("sources", what));
        } else {
            more += 1;
        }
    }
    if more > 0 {
        findings
            .push(Finding::warning("sources", format!("and {more} more; see `newsfed sources`")));
    }
    if findings.is_empty() {
        let none =
            "no check has failed, nothing was left out, and no selectors are broken".to_owned();
        findings.push(Finding::ok("sources", none));
    }
    Ok(findings)
}

/// Describes the entries that the most recent poll left out. Polls without new items or left-out entries are
/// ignored.
fn left_out(reader: &Reader, facts: &SourceFacts) -> Result<Option<String>, StoreError> {
    let polls = reader.polls(PollFilter { source: Some(facts.key), noteworthy: false }, POLLS)?;
    let read = polls.into_iter().map(|(_, poll)| poll).find(|poll| match poll.outcome {
        Outcome::Fetched { new, .. } => new > 0 || !poll.left_out.is_empty(),
        _ => false,
    });
    Ok(read.and_then(|poll| LeftOut::describe(&poll.left_out)))
}

/// Reports the terminal, colours, browser and proxy.
pub(super) fn surroundings(settings: &Settings) -> Vec<Finding> {
    let mut all = vec![terminal(), browser(settings), proxy(settings)];
    all.extend(missing_programs(settings));
    all.extend(settings.machines.folder().map(|folder| machines(&folder)));
    all
}

/// Checks the folder through which machines exchange marks.
fn machines(folder: &Path) -> Finding {
    const TOPIC: &str = "machines";
    let shown = folder.display();
    let files = match machine_files(folder) {
        Ok(files) => files,
        Err(e) => {
            return Finding::warning(
                TOPIC,
                format!("{}; marks are not exchanged", cannot_read(folder, &e)),
            );
        }
    };
    if let Some(file) = files.iter().find(|file| file.problem.is_some() || file.damaged > 0) {
        let path = file.path.display();
        let why = match &file.problem {
            Some(problem) => problem.clone(),
            None => format!(
                "{} cannot be read; the file may not be completely synchronised yet",
                counted(file.damaged, "line")
            ),
        };
        return Finding::warning(TOPIC, format!("{path}: {why}"));
    }
    Finding::ok(TOPIC, format!("{} in {shown}", counted_as(files.len(), "mark file", "mark files")))
}

fn terminal() -> Finding {
    let term = std::env::var("TERM").unwrap_or_default();
    if !io::stdout().is_terminal() {
        return Finding::ok("terminal", "standard output is not a terminal");
    }
    if term.is_empty() || term == "dumb" {
        let what = "the interface cannot run; set TERM to the type of your terminal, such as \
                    xterm-256color";
        return Finding::warning("terminal", what);
    }
    let (columns, rows) = crate::tui::screen_size().unwrap_or((80, 24));
    let depth = std::env::var("COLORTERM").unwrap_or_default();
    let colours = match (colours_wanted(), depth.as_str()) {
        (false, _) => "no colours (NO_COLOR)",
        (true, "truecolor" | "24bit") => "24-bit colour",
        (true, _) if term.contains("256color") => "256 colours",
        (true, _) => "16 colours",
    };
    let size = format!("{term}, {columns}x{rows}, {colours}");
    if columns < 20 || rows < 6 {
        return Finding::warning("terminal", format!("{size}: too small for the interface"));
    }
    Finding::ok("terminal", size)
}

fn browser(settings: &Settings) -> Finding {
    let around = Surroundings { variable: &browser::variable, installed: &browser::installed };
    let (argv, in_terminal) = (&settings.browser, settings.browser_in_terminal);
    match browser::plan(argv, in_terminal, &around, &["https://example.org/"]) {
        Ok(launch) => {
            let place = if launch.in_terminal { " (in the terminal)" } else { "" };
            let what = match launch.how {
                How::System(_) => "the system's default browser".to_owned(),
                How::Commands(commands) => {
                    commands.first().and_then(|argv| argv.first()).cloned().unwrap_or_default()
                }
            };
            Finding::ok("browser", format!("{what}{place}"))
        }
        Err(e) => Finding::warning("browser", e.to_string()),
    }
}

/// Reports the programs in `[open]` that are not installed.
fn missing_programs(settings: &Settings) -> Option<Finding> {
    let missing = settings.open.programs.iter().filter_map(|(media_type, argv)| {
        let program = argv.first().filter(|program| !browser::installed(program))?;
        Some(format!("{} for {media_type}", text::line(program)))
    });
    let missing = missing.collect::<Vec<_>>().join(", ");
    let what = format!("not installed: {missing}; change [open] in config.toml");
    (!missing.is_empty()).then(|| Finding::warning("programs", what))
}

/// Environment variables for a proxy, in order of precedence.
const PROXIES: [&str; 6] =
    ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"];

fn proxy(settings: &Settings) -> Finding {
    // The part before the `@` may contain a password.
    let bare = |proxy: &str| proxy.rsplit('@').next().unwrap_or_default().to_owned();
    if let Some(proxy) = &settings.net.proxy {
        return Finding::ok("proxy", format!("{} (net.proxy)", bare(proxy)));
    }
    let set = |name: &&str| std::env::var(name).ok().filter(|v| !v.is_empty());
    let found = PROXIES.iter().find_map(|name| Some((name, set(name)?)));
    Finding::ok(
        "proxy",
        found.map_or("none".to_owned(), |(name, proxy)| format!("{} ({name})", bare(&proxy))),
    )
}
