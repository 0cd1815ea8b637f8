//! Signals, two processes on one database, and browsers.

use super::{Run, World, feed};
use newsfed::demo::server::{Failure, Reply};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Waits until the server has received this many requests, but not forever if there is a bug.
fn received(world: &World, count: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let waiting =
        async { tokio::time::timeout(Duration::from_secs(60), world.server.received(count)).await };
    runtime.block_on(waiting).expect("the request was received");
}

/// A program that is killed at the end of the test.
pub(super) struct Running(pub(super) Option<Child>);

impl Running {
    pub(super) fn start(world: &World, args: &[&str]) -> Self {
        let mut command = world.command(args);
        Self(Some(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()))
    }

    fn id(&self) -> u32 {
        self.0.as_ref().unwrap().id()
    }

    pub(super) fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    /// Waits until the program exits.
    pub(super) fn end(mut self) -> Run {
        self.0.take().unwrap().wait_with_output().unwrap().into()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Sixty servers keep connections open, which is more than the file limit of the program allows.
#[test]
fn too_many_open_files_are_not_failures_of_sources() {
    let hosts: Vec<std::net::IpAddr> = (1..=60).map(|n| [127, 0, 4, n].into()).collect();
    let never = |_: &_| Reply::status(200).failing(Failure::NeverAnswer);
    let server = newsfed::demo::server::Server::start_on(&hosts, never).unwrap();
    let world = World { folder: tempfile::tempdir().unwrap(), server };
    let urls: Vec<String> = hosts.iter().map(|ip| world.server.url_on(*ip, "/feed")).collect();
    world.run_with(&["import", "--private", "-"], &urls.join("\n")).ok();
    let usual = world.command(&["sync", "--json", "--set", "net.max_in_flight=100"]);
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -n 48; exec \"$0\" \"$@\""]).arg(usual.get_program());
    limited.args(usual.get_args()).env_clear();
    limited.envs(usual.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut child = limited.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut out, &mut first).unwrap();
    let running = Running(Some(child));
    assert!(first.contains("too many open files; raise the limit with `ulimit -n`"), "{first}");
    running.signal("TERM");
    assert_eq!(running.end().code, Some(130));
    let sources = world.run(&["sources", "--json"]).values();
    let polled = |s: &&serde_json::Value| !s["last_poll"].is_null();
    assert!(sources.iter().any(|s| polled(&s)), "{first}");
    assert!(sources.iter().all(|s| s["fail_count"] == 0), "{sources:?}");
}

#[test]
fn an_interrupted_sync_keeps_its_results() {
    let world = World::new(|request| match request.path.as_str() {
        "/never" => Reply::status(200).failing(Failure::NeverAnswer),
        path => feed(path, &["x"]),
    });
    let urls = ["/a", "/b", "/never"].map(|p| world.server.url(p)).join("\n");
    world.run_with(&["import", "--private", "-"], &urls).ok();
    for name in ["INT", "TERM"] {
        let before = world.server.requests().len();
        let child = Running::start(&world, &["sync", "--force", "--set", "net.host_delay=0s"]);
        // Sources on one host are polled one at a time, in the order of the import. Now the third is being
        // polled.
        received(&world, before + 3);
        child.signal(name);
        let run = child.end();
        assert_eq!(run.code, Some(130), "{run:?}");
        assert!(run.err.contains("interrupted"), "{run:?}");
        assert_eq!(world.numbers().len(), 2, "the fetched items are stored");
    }
}

#[test]
fn postpones_a_poll_during_which_the_program_was_killed() {
    let world = World::new(|_| Reply::status(200).failing(Failure::NeverAnswer));
    world.run_with(&["import", "--private", "-"], &world.server.url("/a")).ok();
    let child = Running::start(&world, &["sync"]);
    received(&world, 1);
    child.signal("KILL");
    assert_eq!(child.end().code, None);
    let due = world.run(&["sync", "--due", "--json"]).values();
    assert_eq!((&due[0]["result"], due[0]["until"].is_string()), (&"not-due".into(), true));
    assert_eq!(world.server.requests().len(), 1);
    let shown = world.run(&["sources", "show", "127-0-0-1-a"]);
    assert!(shown.out.contains("newsfed exited while checking this source"), "{shown:?}");
}

#[test]
fn a_second_process_reports_the_first() {
    let world = World::new(|request| feed(&request.path, &["x"]));
    world.run_with(&["import", "--private", "-"], &world.server.url("/a")).ok();
    let daemon = Running::start(&world, &["daemon", "--set", "net.host_delay=0s"]);
    received(&world, 1);
    let sync = world.run(&["sync"]);
    assert_eq!(sync.code, Some(1), "{sync:?}");
    assert!(sync.err.contains(&format!("process {}", daemon.id())), "{sync:?}");
    let second = world.run(&["daemon"]);
    assert_eq!(second.code, Some(1), "{second:?}");
    let why = format!("cannot start the daemon: newsfed (process {}) is polling the", daemon.id());
    assert!(second.err.contains(&why) && second.err.contains("open interface"), "{second:?}");
    let doctor = world.run(&["doctor"]);
    assert!(doctor.out.contains(&format!("process {} is polling", daemon.id())), "{doctor:?}");
    assert_eq!(world.server.requests().len(), 1, "no other process sent requests");

    // After SIGHUP, the daemon follows a source that another process has added.
    world.run_with(&["import", "--private", "-"], &world.server.url("/b")).ok();
    daemon.signal("HUP");
    received(&world, 2);
    // `add` polls the new source itself, even while the daemon is running.
    world.run(&["add", &world.server.url("/c")]).ok();
    assert_eq!(world.server.requests().len(), 3);
    // A sources file with errors is ignored.
    let good = std::fs::read_to_string(world.config().join("sources.toml")).unwrap();
    world.write("sources.toml", "[[source]]\nurl = 5\n");
    daemon.signal("HUP");
    world.write("sources.toml", &good);
    daemon.signal("TERM");
    let run = daemon.end();
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{run:?}");
    assert!(run.err.contains("following 1 source\n"), "the log goes to standard error: {run:?}");
    assert_eq!(world.run(&["sync", "--due"]).code, Some(0), "the lock is free again");
}

#[test]
fn the_daemon_reports_to_the_service_manager() {
    let world = World::followed();
    let path = world.path().join("notify");
    let manager = std::os::unix::net::UnixDatagram::bind(&path).unwrap();
    manager.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let report = || {
        let mut text = [0; 256];
        let length = manager.recv(&mut text).unwrap();
        String::from_utf8_lossy(&text[..length]).into_owned()
    };
    let mut command = world.command(&["daemon", "-q"]);
    let daemon = Running(Some(command.env("NOTIFY_SOCKET", &path).spawn().unwrap()));
    assert_eq!(report(), "READY=1\n");
    daemon.signal("TERM");
    assert_eq!(report(), "STOPPING=1\n");
    assert_eq!(daemon.end().code, Some(0));
}

#[test]
fn log_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::followed();
    let mode = |p: &std::path::Path| std::fs::metadata(p).unwrap().permissions().mode() & 0o777;
    let folder = world.path().join("data/log");
    assert_eq!(mode(&folder), 0o700);
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    assert_eq!(files.len(), 1);
    assert_eq!(mode(&files[0]), 0o600);
    let debug = world
        .command(&["sync", "--set", "net.host_delay=0s"])
        .env("NEWSFED_LOG", "newsfed=trace,info")
        .output()
        .unwrap();
    assert!(debug.stderr.is_empty(), "the log stays in its file");
}

#[test]
fn the_browser_receives_urls_as_arguments() {
    let world = World::followed();
    let numbers = world.numbers();
    let nothing = world.run(&["open", &numbers[0]]);
    if cfg!(target_os = "linux")
        && !["w3m", "lynx", "elinks", "links"].iter().any(|p| newsfed::util::browser::installed(p))
    {
        assert_eq!(nothing.code, Some(1), "{nothing:?}");
        assert_eq!(nothing.out, "http://site.example/0\n", "the URL is printed instead");
        assert!(nothing.err.contains("$BROWSER"), "{nothing:?}");
    }
    let fifo = world.path().join("opened");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let script = world.path().join("browser");
    let text = format!("#!/bin/sh\necho loud\necho \"$#\" \"$@\" > {}\n", fifo.display());
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let setting = format!("browser=[\"{}\", \"-n\", \"{{url}}\"]", script.display());
    let run = world.run(&["--set", &setting, "open", &numbers[0]]);
    assert_eq!(std::fs::read_to_string(&fifo).unwrap(), "2 -n http://site.example/0\n");
    assert_eq!(run.ok(), "", "the browser's output is discarded");
    let status = world
        .command(&["open", &numbers[0]])
        .env("BROWSER", format!("no-such-browser:{} %s --flag", script.display()))
        .status()
        .unwrap();
    assert_eq!(std::fs::read_to_string(&fifo).unwrap(), "2 http://site.example/0 --flag\n");
    assert!(status.success());
    // On a desktop, the system's default browser is used instead of a missing program.
    if nothing.code == Some(1) {
        let run = Run::from(
            world.command(&["open", &numbers[0]]).env("BROWSER", "/gone").output().unwrap(),
        );
        let printed = (run.code, run.out.as_str());
        assert_eq!(printed, (Some(1), "http://site.example/0\n"), "{run:?}");
        assert!(run.err.contains("/gone, the value of $BROWSER"), "{run:?}");
    }
}

/// The program cannot be started for one URL, because its argument becomes longer than systems allow.
#[test]
fn prints_only_the_urls_that_were_not_opened() {
    let long = format!("http://site.example/{}", "x".repeat(2000));
    let links = ["http://site.example/1", &long, "http://site.example/3"];
    let items: String = links.iter().map(|l| format!("<item><link>{l}</link></item>")).collect();
    let rss = format!("<rss version='2.0'><channel><title>x</title>{items}</channel></rss>");
    let world = World::new(move |_| Reply::ok("application/rss+xml", rss.clone()));
    world.run(&["add", &world.server.url("/feed.xml")]).ok();
    let browser = |repeated: usize| {
        world.write(
            "config.toml",
            &format!("browser = [\"true\", \"{}\"]", "{url}".repeat(repeated)),
        );
    };
    let numbers = world.numbers();
    let open: Vec<&str> = ["open"].into_iter().chain(numbers.iter().map(String::as_str)).collect();
    browser(1000);
    let run = world.run(&open);
    assert_eq!((run.code, run.out.as_str()), (Some(3), &*format!("{long}\n")), "{run:?}");
    assert!(run.err.starts_with("newsfed: cannot open http://site.example/xxx"), "{run:?}");
    assert!(run.err.contains(" in the browser: "), "{run:?}");
    browser(1);
    assert_eq!(world.run(&open).ok(), "");
}

/// A slow reader of the output, such as a pager, must not delay the engine, because responses would then
/// appear to be late.
#[test]
fn a_slow_output_reader_does_not_delay_polls() {
    /// With this number of sources, the output exceeds the 64 KiB of a pipe.
    const SOURCES: usize = 500;
    let world = World::new(|_| feed("Feed", &["Item"]));
    let source = |n: usize| {
        let url = world.server.url(&format!("/{n}"));
        format!("[[source]]\nid = \"s{n:060}\"\nurl = \"{url}\"\n")
    };
    world.write("sources.toml", &(0..SOURCES).map(source).collect::<String>());
    let sync = Running::start(&world, &["sync", "--json", "--set", "net.host_delay=0s"]);
    received(&world, SOURCES);
    let out = sync.end().ok();
    assert!(out.len() > 64 << 10, "{}", out.len());
}
