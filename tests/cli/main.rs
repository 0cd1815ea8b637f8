//! Runs the real binary with real HTTP on loopback: all commands, their exit codes and JSON.

// Clippy does not recognise the helpers below as test code.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[cfg(unix)]
mod accounts;
mod backups;
#[cfg(unix)]
mod broken;
mod changes;
mod codes;
#[cfg(unix)]
mod completions;
mod crawl_output;
mod dates;
mod downloads;
mod enclosures;
mod extract;
#[cfg(unix)]
mod guide;
mod help;
#[cfg(unix)]
mod hooks;
mod imports;
mod journey;
#[cfg(unix)]
mod listening;
mod lists;
#[cfg(unix)]
mod machines;
#[cfg(unix)]
mod origins;
mod output;
mod output_schema;
#[cfg(unix)]
mod processes;
mod programs;
mod queries;
mod rules;
mod saving;
mod schedule;
mod schemas;
#[cfg(unix)]
mod secrets;
#[cfg(unix)]
mod serve;
mod shapes;
mod stories;
mod texts;
mod view_feeds;
#[cfg(unix)]
mod view_server;
mod ways;

use newsfed::demo::server::{Reply, ScriptedRequest, Server};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A home directory and a server.
struct World {
    folder: tempfile::TempDir,
    server: Server,
}

/// The output and exit code of a run.
#[derive(Debug)]
struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Run {
    /// Returns the standard output; panics if the run failed.
    #[track_caller]
    fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.out
    }

    /// Parses each line of the output as JSON.
    #[track_caller]
    fn values(self) -> Vec<serde_json::Value> {
        self.out.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
    }
}

impl World {
    fn new(answer: impl Fn(&ScriptedRequest) -> Reply + Send + Sync + 'static) -> Self {
        Self { folder: tempfile::tempdir().unwrap(), server: Server::start(answer).unwrap() }
    }

    /// A world in which the server has two feeds, a page that announces one of them, and 404 elsewhere.
    fn usual() -> Self {
        Self::new(|request| match request.path.as_str() {
            "/kernel.xml" => feed("Kernel", &["First release", "Second release"]),
            "/council.xml" => feed("Council", &["Bridge reopens"]),
            _ => Reply::status(404),
        })
    }

    /// A usual world in which both feeds are followed and were polled once.
    fn followed() -> Self {
        let world = Self::usual();
        let list = ["/kernel.xml", "/council.xml"].map(|path| world.server.url(path));
        world.run_with(&["import", "--private", "-"], &list.join("\n")).ok();
        world.run(&["sync", "--set", "net.host_delay=0s"]).ok();
        world
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn config(&self) -> PathBuf {
        self.path().join("config")
    }

    /// The program in this world. `PATH` is the only inherited variable.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_newsfed"));
        command
            .args(args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path())
            .env("TZ", "UTC")
            .env("NEWSFED_CONFIG_DIR", self.config())
            .env("NEWSFED_DATA_DIR", self.path().join("data"))
            .stdin(Stdio::null());
        command
    }

    #[track_caller]
    fn run(&self, args: &[&str]) -> Run {
        let run: Run = self.command(args).output().unwrap().into();
        if args.contains(&"--json") {
            shapes::check_run(args, &run.out);
        }
        run
    }

    /// Runs the program with this standard input.
    #[track_caller]
    fn run_with(&self, args: &[&str], input: &str) -> Run {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let run: Run = child.wait_with_output().unwrap().into();
        if args.contains(&"--json") {
            shapes::check_run(args, &run.out);
        }
        run
    }

    /// Writes `config.toml` or `sources.toml`.
    fn write(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.config()).unwrap();
        std::fs::write(self.config().join(name), text).unwrap();
    }

    /// Moves all items into the past by this many days.
    fn followed_for_days(&self, days: i64) {
        let database = rusqlite::Connection::open(self.path().join("data/newsfed.db")).unwrap();
        let earlier = "UPDATE item SET date = discovered - ?1, discovered = discovered - ?1";
        assert!(database.execute(earlier, [days * 86_400]).unwrap() > 0);
    }

    /// The numbers of all items, oldest first.
    fn numbers(&self) -> Vec<String> {
        let args = ["list", "--json", "--limit", "0", "--sort", "oldest"];
        self.run(&args).values().iter().map(|v| v["number"].to_string()).collect()
    }
}

/// An RSS feed with items that are a day apart; the last item is the newest.
fn feed(title: &str, items: &[&str]) -> Reply {
    let items: String = items
        .iter()
        .enumerate()
        .map(|(n, item)| {
            format!(
                "<item><title>{item}</title><link>http://site.example/{n}</link>\
                 <guid isPermaLink=\"false\">{title}-{n}</guid>\
                 <pubDate>0{} Nov 2025 09:00:00 GMT</pubDate>\
                 <description>&lt;p&gt;Body of {item} with &lt;a href=\"http://site.example/more\"&gt;more&lt;/a&gt;&lt;/p&gt;</description>\
                 </item>",
                n + 1
            )
        })
        .collect();
    let text = format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>{title}</title>\
         <link>http://site.example/</link><description>d</description>{items}</channel></rss>"
    );
    Reply::ok("application/rss+xml", text)
}
