//! Runs the console sessions in README.md and in the guide as written.
//!
//! A `console` block contains commands after `$ ` (with continuation lines after `> `), each followed by some
//! of its output. The lines must appear in this order. `…` stands for any text, and on a line of its own for
//! any lines. The blocks of a page are one session in a terminal with 100 columns. The sites of the demo are
//! served at `http://NAME.example/` through a proxy. For most pages, the sources of [`SOURCES`] are followed
//! and were refreshed once. `tests/library/docs.rs` checks blocks that cannot be run.

#[path = "../library/markdown.rs"]
#[allow(dead_code, reason = "shared with tests/library")]
mod markdown;
#[path = "sites.rs"]
mod sites;

use markdown::{Page, pages};
use newsfed::demo::World;
use newsfed::demo::server::Server;
use newsfed::util::clock::SystemClock;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use sites::Sites;
use std::io::Read as _;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// Pages that start without sources.
const EMPTY: &[&str] = &["README.md", "docs/start.md", "docs/adding.md", "docs/moving.md"];
/// The sources for other pages. The other sources of the demo fail or are slow.
const SOURCES: &str = "[[source]]\nid = \"kettle\"\nurl = \"http://kettle.example/rss.xml\"\nfolder = \"Tech\"\n\n\
                       [[source]]\nid = \"small-machines\"\nurl = \"http://small-machines.example/atom.xml\"\nfolder = \"Tech\"\n\n\
                       [[source]]\nid = \"tramline\"\nurl = \"http://tramline.example/rss.xml\"\nfolder = \"City\"\n\n\
                       [[source]]\nid = \"slow-radio\"\nurl = \"http://slow-radio.example/rss.xml\"\nfolder = \"Culture\"\n";
/// The timeout of a command, which is reached only by a failing test.
const PATIENCE: Duration = Duration::from_secs(60);

/// A home directory. Each command runs in a new terminal.
struct Session {
    home: tempfile::TempDir,
    _world: World,
    _proxy: Server,
}

impl Session {
    fn start(followed: bool) -> Self {
        let world = World::start(Arc::new(SystemClock)).unwrap();
        let sites = Sites::of(&world);
        let proxy = Server::start(move |request| sites.fetch(request)).unwrap();
        let home = tempfile::tempdir().unwrap();
        let (bin, config) = (home.path().join("bin"), home.path().join(".config/newsfed"));
        std::fs::create_dir_all(&bin).unwrap();
        std::fs::create_dir_all(&config).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_newsfed"), bin.join("newsfed")).unwrap();
        let net = format!("[net]\nproxy = \"{}\"\nhost_delay = \"0s\"\n", proxy.url("/"));
        std::fs::write(config.join("config.toml"), net).unwrap();
        let session = Self { home, _world: world, _proxy: proxy };
        if followed {
            std::fs::write(config.join("sources.toml"), SOURCES).unwrap();
            // The sources are refreshed one after another, so that items always have the same numbers.
            for id in ["kettle", "small-machines", "tramline", "slow-radio"] {
                let (output, _) = session.run(&format!("newsfed sync {id}"));
                assert!(output.contains("in 1 refreshed source"), "{output}");
            }
        }
        session
    }

    /// The screen of the terminal after a command, and whether the command succeeded.
    fn run(&self, line: &str) -> (String, bool) {
        let size = PtySize { rows: 300, cols: 100, pixel_width: 0, pixel_height: 0 };
        let pty = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new("sh");
        let path = std::env::var("PATH").unwrap_or_default();
        command.args(["-c", line]);
        command.cwd(self.home.path());
        command.env_clear();
        command.env("PATH", format!("{}:{path}", self.home.path().join("bin").display()));
        for (key, value) in
            [("TZ", "UTC"), ("LC_ALL", "C.UTF-8"), ("TERM", "xterm"), ("NO_COLOR", "1")]
        {
            command.env(key, value);
        }
        command.env("HOME", self.home.path());
        let mut child = pty.slave.spawn_command(command).unwrap();
        drop(pty.slave);
        let mut reader = pty.master.try_clone_reader().unwrap();
        let (done, screen) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let [rows, columns] = [300, 100].map(|n| std::num::NonZeroU16::new(n).unwrap());
            let mut parser = vt100::Parser::new(rows, columns, 0);
            let mut buffer = [0; 8192];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                parser.process(&buffer[..n]);
            }
            let _ = done.send(parser.screen().contents());
        });
        let Ok(screen) = screen.recv_timeout(PATIENCE) else {
            child.kill().unwrap();
            panic!("{line}: still running");
        };
        (screen, child.wait().unwrap().success())
    }
}

/// A line of output with single spaces between columns.
fn squeezed(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a line of output matches a line of the page, which may contain `…`.
fn matches(expected: &str, line: &str) -> bool {
    let (expected, mut rest) = (squeezed(expected), line);
    let parts: Vec<&str> = expected.split('…').map(str::trim).collect();
    let [first, middle @ .., last] = parts.as_slice() else {
        return expected == line;
    };
    let Some(after) = rest.strip_prefix(first) else { return false };
    rest = after;
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// The first line of the page that is missing from the output.
fn missing<'a>(expected: &[&'a str], output: &str) -> Option<&'a str> {
    let lines: Vec<String> = output.lines().map(squeezed).collect();
    let mut lines = lines.iter();
    expected.iter().find(|wanted| !lines.any(|line| matches(wanted, line))).copied()
}

/// The commands of a page: the line of the block, the command, and the output that the page shows.
fn commands(page: &Page) -> Vec<(usize, String, Vec<String>)> {
    let mut found: Vec<(usize, String, Vec<String>)> = vec![];
    for block in page.blocks().into_iter().filter(|block| block.language == "console") {
        let text = block.text.replace("\\\n", "");
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            match (line.strip_prefix("$ "), found.last_mut()) {
                (Some(command), _) => found.push((block.line, command.to_owned(), vec![])),
                (None, Some((_, command, _))) if line.starts_with("> ") => {
                    command.push('\n');
                    command.push_str(&line[2..]);
                }
                (None, Some((_, _, output))) if line.trim() != "…" => {
                    output.push(line.to_owned())
                }
                (None, _) => {}
            }
        }
    }
    found
}

/// Runs the commands of a page, and returns how their output differs from the page.
fn differences(page: &Page) -> Vec<String> {
    let session = Session::start(!EMPTY.contains(&page.path.as_str()));
    let with_jq = Command::new("jq").arg("--version").output().is_ok();
    let mut differences = vec![];
    for (line, command, expected) in commands(page) {
        if command.contains("jq ") && !with_jq {
            continue;
        }
        let (output, succeeds) = session.run(&command);
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        // If a command should fail, the page shows its error.
        if expected.is_empty() && !succeeds {
            differences.push(format!("{}:{line}: $ {command}\nfails:\n{output}", page.path));
        }
        if let Some(wanted) = missing(&expected, &output) {
            differences.push(format!(
                "{}:{line}: $ {command}\nshould print {wanted:?}:\n{output}",
                page.path
            ));
        }
    }
    differences
}

#[test]
fn sessions_in_the_guide_print_the_documented_output() {
    let pages: Vec<Page> = pages().into_iter().filter(|page| !commands(page).is_empty()).collect();
    let differences: Vec<String> = std::thread::scope(|scope| {
        let runs: Vec<_> = pages.iter().map(|page| scope.spawn(|| differences(page))).collect();
        runs.into_iter().flat_map(|run| run.join().unwrap()).collect()
    });
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
    let count: usize = pages.iter().map(|page| commands(page).len()).sum();
    assert!(count > 40, "only {count} commands were run");
}

#[test]
fn detects_differences_from_the_guide() {
    let output = "12  * 3m  Kernel   A title\nnothing else\n";
    for (expected, missed) in [
        (vec!["12 * 3m Kernel A title", "nothing else"], None),
        (vec!["12 * … Kernel … title"], None),
        (vec!["… else"], None),
        (vec!["12 * 3m Kernel A"], Some("12 * 3m Kernel A")),
        (vec!["nothing else", "12 …"], Some("12 …")),
        (vec!["… Kettle …"], Some("… Kettle …")),
    ] {
        assert_eq!(missing(&expected, output), missed);
    }
}
