//! The hostile files, and a server that serves them.

use super::world::World;
use newsfed::demo::server::{Reply, ScriptedRequest, Server};
use serde_json::Value;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Timeout per file in release builds.
const PATIENCE: Duration = Duration::from_secs(1);

/// Stands for all files together. The timeout does not apply to them.
pub(crate) const ALL: &str = "all";

pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) class: String,
}

/// All files of a variant.
pub(crate) struct Corpus {
    dir: TempDir,
    pub(crate) cases: Vec<Case>,
    /// A word that occurs in all visible texts.
    pub(crate) mark: String,
}

impl Corpus {
    /// Generates the files; prints a note and returns `None` if that is not possible.
    pub(crate) fn make() -> Option<Self> {
        let script = crate::reference::corpora()?.join("conformance/hostile.py");
        let dir = tempfile::tempdir().unwrap();
        let variant = std::env::var("NEWSFED_HOSTILE").unwrap_or_else(|_| "dev".to_owned());
        let made = Command::new("python3").arg(&script).arg(dir.path()).arg(variant).output();
        let said = match made {
            Ok(Output { status, stdout, .. }) if status.success() => stdout,
            _ => {
                println!("skipped: python3 cannot run {}", script.display());
                return None;
            }
        };
        let said = String::from_utf8(said).unwrap();
        let mark = said.split_whitespace().last().unwrap().to_owned();
        let manifest = std::fs::read(dir.path().join("manifest.json")).unwrap();
        let manifest: Vec<Value> = serde_json::from_slice(&manifest).unwrap();
        let text = |v: &Value, key: &str| v[key].as_str().unwrap().to_owned();
        let case = |v: &Value| Case {
            name: text(v, "file"),
            kind: text(v, "kind"),
            class: text(v, "class"),
        };
        Some(Self { cases: manifest.iter().map(case).collect(), dir, mark })
    }

    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn of_kind(&self, kind: &str) -> impl Iterator<Item = &Case> {
        self.cases.iter().filter(move |c| c.kind == kind)
    }

    /// A world with a server that serves each file under its name. The named files are followed.
    pub(crate) fn world<'a>(&self, followed: impl Iterator<Item = &'a str>) -> World {
        let (folder, mark) = (self.dir.path().to_owned(), self.mark.clone());
        let fetched = AtomicUsize::new(0);
        let server = Server::start(move |request: &ScriptedRequest| {
            let name = request.path.trim_start_matches('/');
            let Ok(body) = std::fs::read(folder.join(name)) else { return Reply::status(404) };
            let (_, end) = name.rsplit_once('.').unwrap_or_default();
            match (name, end) {
                // Each response has new guids.
                ("rotating-guid.xml", _) => {
                    let now = fetched.fetch_add(1, Ordering::SeqCst).to_string();
                    let body = String::from_utf8(body).unwrap().replace(&mark, &now);
                    Reply::ok("application/rss+xml", body)
                }
                ("bomb-gzip2.gz", _) => encoded(body, "gzip, gzip"),
                (_, "gz") => encoded(body, "gzip"),
                (_, "z") => encoded(body, "deflate"),
                (_, "html") => Reply::ok("text/html", body),
                (_, "json") => Reply::ok("application/feed+json", body),
                _ => Reply::ok("application/rss+xml", body),
            }
        });
        World::following(server.unwrap(), followed.map(|name| format!("/{name}")))
    }
}

fn encoded(body: Vec<u8>, encoding: &str) -> Reply {
    Reply::ok("application/rss+xml", body).header("content-encoding", encoding)
}

/// Runs the program, and checks that it neither aborted nor exceeded the timeout; returns the output.
pub(crate) fn run(world: &World, args: &[&str], what: &str) -> Output {
    let start = Instant::now();
    let output = world.command().args(args).output().unwrap();
    let took = start.elapsed();
    let said = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 1 | 3)), "{what} {args:?}: {:?}: {said}", output.status);
    assert!(!said.contains("panicked"), "{what}: {said}");
    if what != ALL && took > PATIENCE {
        println!("{what}: {} took {} ms", args[0], took.as_millis());
        #[cfg(not(debug_assertions))]
        panic!("{what} is too slow");
    }
    output
}
