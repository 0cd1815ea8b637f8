//! Reports of panics, which users can read and send. Nothing is sent automatically.

use super::clock::{Clock, SystemClock};
use super::login::hide_secrets;
use super::text::line;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::panic::PanicHookInfo;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Name of the report file in the folder of the database.
const NAME: &str = "crash.txt";
/// Size in bytes at which the file is started over, so that a repeated panic does not fill the disk.
const MAX_BYTES: u64 = 256 << 10;
/// Maximum number of lines in a message.
const MAX_LINES: usize = 20;
/// Maximum length of a line in a message, in characters.
const MAX_LINE: usize = 400;

static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Path of the report file, if the database is in this folder.
pub fn report_file(data_dir: &Path) -> PathBuf {
    data_dir.join(NAME)
}

/// Installs a panic hook that prints panics without control sequences for the terminal, and adds a report to
/// the file in this folder, if the folder exists.
pub fn install(data_dir: &Path) {
    if FOLDER.set(data_dir.to_owned()).is_err() {
        return;
    }
    std::panic::set_hook(Box::new(|info| {
        let _ = writeln!(io::stderr(), "newsfed has a bug: it {}", message(info));
        if let Some(file) = record(info) {
            let file = file.display();
            let _ = writeln!(
                io::stderr(),
                "What happened is described in {file}.\n\
                 Read it, remove anything private, and report it together with what you were doing."
            );
        }
    }));
}

/// Adds a report to the file; returns its path.
pub fn record(info: &PanicHookInfo<'_>) -> Option<PathBuf> {
    let file = report_file(FOLDER.get()?);
    let trace = Backtrace::force_capture();
    let trace = match trace.status() {
        BacktraceStatus::Captured => trace.to_string(),
        _ => String::new(),
    };
    append(&file, &report(&message(info), &trace)).ok().map(|()| file)
}

/// Place and message of the panic. The text may quote a page or a URL, so it is sanitised and shortened, and
/// its URLs have neither a login nor a query.
fn message(info: &PanicHookInfo<'_>) -> String {
    let text = info.to_string();
    let lines = text.lines().take(MAX_LINES).map(|text| {
        let words = line(text).split(' ').map(without_private_parts).collect::<Vec<_>>();
        words.join(" ").chars().take(MAX_LINE).collect::<String>()
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn without_private_parts(word: &str) -> String {
    if !word.contains("://") {
        return word.to_owned();
    }
    match hide_secrets(word).split_once(['?', '#']) {
        Some((page, _)) => format!("{page}?…"),
        None => hide_secrets(word),
    }
}

/// What a developer needs: the version, the system, the message and the backtrace.
fn report(message: &str, trace: &str) -> String {
    let thread = std::thread::current().name().unwrap_or("?").to_owned();
    let term = std::env::var("TERM").unwrap_or_default();
    let trace: String = trace
        .lines()
        .filter(|line| line.contains("newsfed"))
        .fold(String::new(), |text, line| text + line.trim_end() + "\n");
    format!(
        "newsfed {} on {} {}, TERM={}, thread {}, {}\n{message}\n{trace}\n",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::env::consts::ARCH,
        line(&term),
        line(&thread),
        SystemClock.now().format("%Y-%m-%dT%H:%M:%SZ"),
    )
}

fn append(file: &Path, text: &str) -> io::Result<()> {
    let is_full = fs::metadata(file).is_ok_and(|file| file.len() > MAX_BYTES);
    let mut options = OpenOptions::new();
    options.create(true).append(!is_full).write(true).truncate(is_full);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// The test below runs this in a separate process. Without the environment variable, this does nothing.
    #[test]
    fn panics_with_a_folder_for_the_report() {
        if let Some(folder) = std::env::var_os("NEWSFED_TEST_CRASH") {
            install(Path::new(&folder));
            let text = "bad page\u{1b}[2J of https://me:secret@e.example/a?token=hidden here";
            panic!("{text}");
        }
    }

    #[test]
    fn panics_add_private_reports() {
        let folder = tempfile::tempdir().unwrap();
        let run = || {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args([
                "--exact",
                "util::crash::tests::panics_with_a_folder_for_the_report",
                "--nocapture",
            ]);
            let output = command.env("NEWSFED_TEST_CRASH", folder.path()).output().unwrap();
            String::from_utf8_lossy(&output.stderr).into_owned()
        };
        let file = report_file(folder.path());
        let printed = run();
        assert!(printed.contains(file.to_str().unwrap()), "the message names the file");
        let text = fs::read_to_string(&file).unwrap();
        for part in [env!("CARGO_PKG_VERSION"), std::env::consts::OS] {
            assert!(text.contains(part), "{part} in {text}");
        }
        for text in [&text, &printed] {
            for part in ["bad page", "crash.rs:", "https://***@e.example/a?… here"] {
                assert!(text.contains(part), "{part} in {text}");
            }
            for part in ["\u{1b}", "secret", "hidden"] {
                assert!(!text.contains(part), "{part:?} in {text}");
            }
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        }
        run();
        let twice = fs::read_to_string(&file).unwrap();
        assert_eq!(twice.matches("bad page").count(), 2);
        fs::write(&file, vec![b'x'; 300 << 10]).unwrap();
        run();
        assert!(fs::metadata(&file).unwrap().len() < 100_000, "a long file is begun again");
        fs::remove_dir_all(folder.path()).unwrap();
        assert!(!run().contains("is described in"), "without a folder there is none");
    }
}
