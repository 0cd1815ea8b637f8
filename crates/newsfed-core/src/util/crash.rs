//! Reports of panics, which users can read and send. Nothing is sent by itself.

use super::clock::{Clock, SystemClock};
use super::text::line;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::panic::PanicHookInfo;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The name of the file in the folder of the database.
const NAME: &str = "crash.txt";
/// Bytes after which a file is begun again, so that a panic that repeats fills no disk.
const MAX_BYTES: u64 = 256 << 10;

static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Where reports are, if the database is in this folder.
pub fn report_file(data_dir: &Path) -> PathBuf {
    data_dir.join(NAME)
}

/// From now on, a panic adds a report to the file in this folder, if the folder exists, and says so. The
/// hook before it still runs.
pub fn install(data_dir: &Path) {
    if FOLDER.set(data_dir.to_owned()).is_err() {
        return;
    }
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        before(info);
        if let Some(file) = record(info) {
            let file = file.display();
            let _ = writeln!(
                io::stderr(),
                "newsfed has a bug. What happened is described in {file}.\n\
                 Read it, remove what is private, and report it with what you did before."
            );
        }
    }));
}

/// Adds a report to the file; returns where it is.
pub fn record(info: &PanicHookInfo<'_>) -> Option<PathBuf> {
    let file = report_file(FOLDER.get()?);
    let trace = Backtrace::force_capture();
    let trace = match trace.status() {
        BacktraceStatus::Captured => trace.to_string(),
        _ => String::new(),
    };
    append(&file, &report(&info.to_string(), &trace)).ok().map(|()| file)
}

/// What a developer needs to know: the version, the system, where it happened.
fn report(message: &str, trace: &str) -> String {
    let thread = std::thread::current().name().unwrap_or("?").to_owned();
    let term = std::env::var("TERM").unwrap_or_default();
    // Packages have no names of functions, and addresses alone help nobody.
    let trace: String = trace
        .lines()
        .filter(|line| line.contains("newsfed"))
        .fold(String::new(), |text, line| text + line.trim_end() + "\n");
    let message: Vec<String> = message.lines().take(20).map(line).collect();
    format!(
        "newsfed {} on {} {}, TERM={}, thread {}, {}\n{}\n{trace}\n",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::env::consts::ARCH,
        line(&term),
        line(&thread),
        SystemClock.now().format("%Y-%m-%dT%H:%M:%SZ"),
        message.join("\n"),
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

    /// What a process of its own does in the test below; nothing without its folder.
    #[test]
    fn panics_in_a_folder() {
        if let Some(folder) = std::env::var_os("NEWSFED_TEST_CRASH") {
            install(Path::new(&folder));
            let text = "bad page\u{1b}[2J";
            panic!("{text}");
        }
    }

    #[test]
    fn a_panic_leaves_a_report_that_grows_and_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let run = || {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", "util::crash::tests::panics_in_a_folder", "--nocapture"]);
            let output = command.env("NEWSFED_TEST_CRASH", folder.path()).output().unwrap();
            String::from_utf8_lossy(&output.stderr).into_owned()
        };
        let file = report_file(folder.path());
        assert!(run().contains(file.to_str().unwrap()), "the message names the file");
        let text = fs::read_to_string(&file).unwrap();
        for part in [env!("CARGO_PKG_VERSION"), std::env::consts::OS, "bad page", "crash.rs:"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(!text.contains('\u{1b}'), "nothing in it commands a terminal");
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
