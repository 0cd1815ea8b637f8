//! Temporary folders for settings and data, and a server with a few feeds.

use super::term::Term;
use newsfed::demo::server::{Failure, Reply, Server};
use portable_pty::CommandBuilder;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The id of an unprivileged user.
const NOBODY: u32 = 65534;

pub(crate) struct World {
    dir: TempDir,
    server: Server,
}

pub(crate) const FEED: &str = r#"<?xml version="1.0"?><rss version="2.0"><channel><title>Fixture</title>
<link>http://site.example/</link><description>x</description>
<item><title>Third article</title><link>http://site.example/3?a=b&amp;c=$(touch PWN)</link><guid>3</guid>
<pubDate>Wed, 03 Jan 2024 00:00:00 GMT</pubDate><description>Text of the third article.</description></item>
<item><title>Second article</title><link>http://site.example/2</link><guid>2</guid>
<pubDate>Tue, 02 Jan 2024 00:00:00 GMT</pubDate><description>Text of the second article.</description></item>
<item><title>First article</title><link>http://site.example/1</link><guid>1</guid>
<pubDate>Mon, 01 Jan 2024 00:00:00 GMT</pubDate><description>Text of the first article.</description></item>
</channel></rss>"#;

const PAGE: &str = r#"<html><head><title>A page</title>
<link rel="alternate" type="application/rss+xml" title="Fixture" href="/feed.xml"></head>
<body><p>Hello</p></body></html>"#;

impl World {
    /// A world that follows these paths of the server.
    pub(crate) fn new(followed: &[&str]) -> Self {
        let server = Server::start(|request| match request.path.as_str() {
            "/feed.xml" => Reply::ok("application/rss+xml", FEED),
            "/page.html" => Reply::ok("text/html", PAGE),
            _ => Reply::status(404),
        });
        Self::following(server.unwrap(), followed.iter().map(|p| (*p).to_owned()))
    }

    /// A world that follows `count` sources on separate hosts, all with the same failure.
    pub(crate) fn with_failure(count: u8, failure: Failure) -> Self {
        let hosts: Vec<_> = (1..=count).map(|n| [127, 0, 2, n].into()).collect();
        let server =
            Server::start_on(&hosts, move |_| Reply::status(200).failing(failure)).unwrap();
        let urls: Vec<String> = hosts.iter().map(|ip| server.url_on(*ip, "/feed.xml")).collect();
        Self::following(server, urls)
    }

    /// A world that follows these URLs, or paths of the server.
    pub(crate) fn following(server: Server, followed: impl IntoIterator<Item = String>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let world = Self { dir, server };
        let source = |path: String| {
            let url = if path.starts_with('/') { world.url(&path) } else { path };
            // Full texts are disabled, because the items link to external hosts.
            format!("[[source]]\nurl = \"{url}\"\nfull_text = \"never\"\n\n")
        };
        let sources: String = followed.into_iter().map(source).collect();
        std::fs::create_dir_all(world.path("config")).unwrap();
        std::fs::write(world.path("config/sources.toml"), sources).unwrap();
        world
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn url(&self, path: &str) -> String {
        self.server.url(path)
    }

    pub(crate) fn requests(&self, path: &str) -> usize {
        self.server.requests().iter().filter(|r| r.path == path).count()
    }

    pub(crate) fn wait_for_requests(&self, path: &str, count: usize) {
        let end = Instant::now() + Duration::from_secs(60);
        while self.requests(path) < count {
            assert!(Instant::now() < end, "{path} was not requested {count} times");
            std::thread::yield_now();
        }
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Creates a browser script that records its arguments.
    pub(crate) fn browser_that_writes(&self, name: &str) {
        let (out, part) = (self.path(name), self.path("part"));
        let body = format!(
            "#!/bin/sh\nprintf '%s %s\\n' \"$#\" \"$1\" > '{p}' && mv '{p}' '{o}'\n",
            p = part.display(),
            o = out.display()
        );
        let script = self.script("browser.sh", &body);
        let config = format!("browser = [\"{}\", \"{{url}}\"]\n", script.display());
        std::fs::write(self.path("config/config.toml"), config).unwrap();
    }

    /// Creates an executable script.
    pub(crate) fn script(&self, name: &str, body: &str) -> PathBuf {
        let script = self.path(name);
        std::fs::write(&script, body).unwrap();
        let mut mode = std::fs::metadata(&script).unwrap().permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
        std::fs::set_permissions(&script, mode).unwrap();
        script
    }

    pub(crate) fn wait_for_file(&self, name: &str) {
        let end = Instant::now() + Duration::from_secs(60);
        while !self.path(name).exists() {
            assert!(Instant::now() < end, "{name} was never written");
            std::thread::yield_now();
        }
    }

    fn arguments(&self) -> Vec<String> {
        let folder = |name| self.path(name).display().to_string();
        [
            "--config-dir",
            &folder("config"),
            "--data-dir",
            &folder("data"),
            "--set",
            "net.host_delay=0s",
        ]
        .map(str::to_owned)
        .to_vec()
    }

    pub(crate) fn command(&self) -> std::process::Command {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_newsfed"));
        command.args(self.arguments()).env_clear().env("HOME", self.dir.path());
        command.stdin(std::process::Stdio::null());
        command
    }

    pub(crate) fn open(&self, cols: u16, rows: u16) -> Term {
        self.open_with(cols, rows, &[])
    }

    pub(crate) fn demo(&self, cols: u16, rows: u16) -> Term {
        self.demo_with(&[], cols, rows)
    }

    pub(crate) fn demo_with(&self, more: &[&str], cols: u16, rows: u16) -> Term {
        let args: Vec<String> = ["demo"].iter().chain(more).map(|&arg| arg.to_owned()).collect();
        self.start(&args, cols, rows, &[])
    }

    pub(crate) fn open_with(&self, cols: u16, rows: u16, env: &[(&str, &str)]) -> Term {
        self.start(&self.arguments(), cols, rows, env)
    }

    /// Runs a command in the terminal.
    pub(crate) fn run(&self, command: &[&str], cols: u16, rows: u16) -> Term {
        let command = command.iter().map(|&word| word.to_owned());
        let arguments: Vec<String> = self.arguments().into_iter().chain(command).collect();
        self.start(&arguments, cols, rows, &[])
    }

    /// Opens the interface with a setting on the command line.
    pub(crate) fn open_set(&self, setting: &str, cols: u16, rows: u16) -> Term {
        self.open_set_with(setting, &[], cols, rows)
    }

    pub(crate) fn open_set_with(
        &self,
        setting: &str,
        env: &[(&str, &str)],
        cols: u16,
        rows: u16,
    ) -> Term {
        let more = ["--set".to_owned(), setting.to_owned()];
        self.start(&[self.arguments(), more.to_vec()].concat(), cols, rows, env)
    }

    /// Changes the owner of all files to an unprivileged user, because file modes do not apply to root.
    pub(crate) fn give_away(&self) {
        fn give(path: &std::path::Path) {
            std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
            let inside = path.is_dir().then(|| std::fs::read_dir(path).unwrap());
            inside.into_iter().flatten().for_each(|entry| give(&entry.unwrap().path()));
        }
        give(self.dir.path());
    }

    /// Opens the interface as an unprivileged user, because file modes do not apply to root.
    pub(crate) fn open_as_nobody(&self, from_root: bool, cols: u16, rows: u16) -> Term {
        if !from_root {
            return self.open(cols, rows);
        }
        let mut command = CommandBuilder::new("setpriv");
        let id = NOBODY.to_string();
        command.args(["--reuid", &id, "--regid", &id, "--clear-groups"]);
        command.arg(env!("CARGO_BIN_EXE_newsfed"));
        command.args(self.arguments());
        self.spawn(command, cols, rows, &[])
    }

    fn start(&self, arguments: &[String], cols: u16, rows: u16, env: &[(&str, &str)]) -> Term {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_newsfed"));
        command.args(arguments);
        self.spawn(command, cols, rows, env)
    }

    fn spawn(
        &self,
        mut command: CommandBuilder,
        cols: u16,
        rows: u16,
        env: &[(&str, &str)],
    ) -> Term {
        command.env_clear();
        let home = self.dir.path().display().to_string();
        let usual = [
            ("TERM", "xterm-256color"),
            // Sets the background, so that the program does not query it.
            ("COLORFGBG", "15;0"),
            ("LANG", "C.UTF-8"),
            ("HOME", &home),
            ("PATH", "/usr/bin:/bin"),
        ];
        for (name, value) in usual.iter().chain(env) {
            command.env(name, value);
        }
        command.cwd(self.dir.path());
        Term::spawn(command, cols, rows)
    }
}
