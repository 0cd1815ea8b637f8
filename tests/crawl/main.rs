//! Crawls of sites on loopback, with crawler traps and with kills during the crawl.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]
#![allow(clippy::print_stdout, reason = "prints measurements")]

mod killed;
mod sites;
mod steps;
mod traps;

use newsfed::demo::server::Server;
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

/// An empty folder in which the program runs.
struct World {
    folder: TempDir,
}

impl World {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn out(&self) -> std::path::PathBuf {
        self.folder.path().join("out")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_newsfed"));
        command.args(["crawl", "--json", "--set", "net.host_delay=0s"]).args(args);
        command.arg("--out").arg(self.out()).env_clear();
        command.env("NEWSFED_CONFIG_DIR", self.folder.path().join("config"));
        command.env("NEWSFED_DATA_DIR", self.folder.path().join("data"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn start(&self, args: &[&str]) -> Child {
        self.command(args).spawn().unwrap()
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// The lines of the manifest.
    fn manifest(&self) -> Vec<Value> {
        lines(&std::fs::read(self.out().join("manifest.jsonl")).unwrap())
    }
}

fn lines(bytes: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(bytes).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The summary, which is the last line of output.
fn summary(output: &Output) -> Value {
    let words = String::from_utf8_lossy(&output.stderr);
    lines(&output.stdout).pop().unwrap_or_else(|| panic!("nothing printed: {words}"))
}

/// Requested paths, without robots.txt and sitemaps.
fn requested(server: &Server) -> Vec<String> {
    let paths = server.requests().into_iter().map(|r| r.path);
    paths.filter(|p| p != "/robots.txt" && !p.starts_with("/sitemap")).collect()
}

fn files(folder: &Path) -> usize {
    std::fs::read_dir(folder.join("files")).unwrap().count()
}
