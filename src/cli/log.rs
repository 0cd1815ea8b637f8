//! Logs to one file per day, and to standard error on request.

use super::home::Home;
use crate::util::clock::{Clock, SystemClock};
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::prelude::*;
use tracing_subscriber::{Layer, Registry, fmt};

/// Environment variable that overrides the setting `log.level`.
const VARIABLE: &str = "NEWSFED_LOG";
/// Prefix of file names such as `newsfed.2026-11-21.log`.
const PREFIX: &str = "newsfed";
const SUFFIX: &str = "log";

type AnyLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// Starts logging to files in the log folder of this run and, with `verbose` or `stderr`, to standard error.
/// Never writes to standard output.
///
/// If the log cannot be written, prints one warning on standard error and continues.
pub(super) fn start(home: &Home, verbose: u8, stderr: bool) {
    let mut layers: Vec<AnyLayer> = Vec::new();
    match DailyFile::open(home.paths.log_dir(), home.settings.log.keep) {
        Ok(file) => {
            let layer = fmt::layer().with_ansi(false).with_writer(Mutex::new(file));
            layers.push(layer.with_filter(filter(home, None)).boxed());
        }
        Err(e) => {
            let folder = home.paths.log_dir().display();
            let _ = writeln!(io::stderr(), "newsfed: cannot write the log to {folder}: {e}");
        }
    }
    let wanted = match verbose {
        0 => None,
        1 => Some("newsfed=info,warn"),
        _ => Some("newsfed=debug,info"),
    };
    if stderr || verbose > 1 {
        let level = filter(home, wanted);
        // The systemd journal adds timestamps.
        let layer = fmt::layer().with_ansi(false).with_writer(io::stderr);
        let journal = std::env::var_os("JOURNAL_STREAM").is_some() && !io::stderr().is_terminal();
        layers.push(if journal {
            layer.without_time().with_filter(level).boxed()
        } else {
            layer.with_filter(level).boxed()
        });
    }
    // If logging was already started in this process, it continues unchanged.
    let _ = tracing_subscriber::registry().with(layers).try_init();
}

fn filter(home: &Home, wanted: Option<&str>) -> Targets {
    let given = std::env::var(VARIABLE).ok().filter(|v| !v.is_empty());
    let level = given.as_deref().or(wanted).unwrap_or(&home.settings.log.level);
    level.parse().unwrap_or_else(|_| Targets::new().with_default(tracing::Level::WARN))
}

/// Log files that are rotated at midnight (UTC), readable only by their owner.
struct DailyFile {
    inner: RollingFileAppender,
    folder: PathBuf,
    day: chrono::NaiveDate,
}

impl DailyFile {
    fn open(folder: &Path, keep: usize) -> io::Result<Self> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        let day = today();
        create_private(folder, day)?;
        let inner = RollingFileAppender::builder()
            .rotation(Rotation::DAILY)
            .filename_prefix(PREFIX)
            .filename_suffix(SUFFIX)
            .max_log_files(keep)
            .build(folder)
            .map_err(|e| io::Error::other(e.to_string()))?;
        Ok(Self { inner, folder: folder.to_owned(), day })
    }
}

fn today() -> chrono::NaiveDate {
    SystemClock.now().date_naive()
}

/// Creates the file for a day before the appender does, because the appender would let others read it.
fn create_private(folder: &Path, day: chrono::NaiveDate) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(folder.join(format!("{PREFIX}.{day}.{SUFFIX}"))).map(|_| ())
}

impl Write for DailyFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let day = today();
        if day != self.day {
            create_private(&self.folder, day)?;
            self.day = day;
        }
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
