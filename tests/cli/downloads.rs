//! Downloads from servers that close connections early, change their files, send wrong headers or attack.

use super::World;
use newsfed::demo::server::Reply;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// A server that sends exact bytes, and records the request headers.
struct Exact {
    address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Exact {
    /// Starts the server. `respond` receives the request headers in lower case, and returns the bytes to send
    /// before the connection is closed.
    fn start(respond: impl Fn(&str) -> Vec<u8> + Send + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let noted = heads.clone();
        // The thread runs until the test process exits.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let (mut head, mut byte) = (Vec::new(), [0]);
                while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
                    head.push(byte[0]);
                }
                let head = String::from_utf8(head).unwrap().to_lowercase();
                noted.lock().unwrap().push(head.clone());
                // Writing may fail, because the client closes the connection when it has read enough.
                let _ = stream.write_all(&respond(&head));
            }
        });
        Self { address, heads }
    }

    fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

fn body() -> Vec<u8> {
    (0..200_000_u32).map(|n| (n % 251) as u8).collect()
}

/// A response with these headers and this body.
fn response(status: &str, headers: &str, bytes: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.1 {status}\r\nconnection: close\r\n{headers}\r\n").as_bytes(), bytes].concat()
}

/// A followed feed with an item for each path on the file server, and a download folder.
struct Downloads {
    world: World,
    files: Exact,
    folder: PathBuf,
}

impl Downloads {
    fn new(paths: &'static [&str], respond: impl Fn(&str) -> Vec<u8> + Send + 'static) -> Self {
        let files = Exact::start(respond);
        let address = files.address;
        let world = World::new(move |_| {
            let item = |(n, path): (usize, &&str)| {
                format!(
                    "<item><guid>{n}</guid><title>{n}</title><enclosure url='http://{address}{path}'/></item>"
                )
            };
            let items: String = paths.iter().enumerate().map(item).collect();
            Reply::ok(
                "application/rss+xml",
                format!("<rss version='2.0'><channel><title>R</title>{items}</channel></rss>"),
            )
        });
        world.run_with(&["import", "--private", "-"], &world.server.url("/feed")).ok();
        world.run(&["sync", "--set", "net.host_delay=0s"]).ok();
        let folder = world.path().join("files");
        Self { world, files, folder }
    }

    /// The number of the item with this path.
    fn number(&self, path: &str) -> String {
        let listed = self.world.run(&["list", "--json", "--limit", "0"]).values();
        let url = format!("http://{}{path}", self.files.address);
        let item = listed.iter().find(|item| item["enclosures"][0]["url"] == url.as_str());
        item.expect(path)["number"].to_string()
    }

    fn run(&self, path: &str, more: &[&str]) -> super::Run {
        let (number, folder) = (self.number(path), self.folder.to_str().unwrap());
        let args = ["--set", "net.host_delay=0s", "download", "--dir", folder, &number];
        self.world.run(&[more, &args].concat())
    }

    /// The names of the files in the download folder.
    fn names(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return vec![] };
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.folder.join(name)).unwrap()
    }
}

/// A server that closes the connection during the first response; `rest` returns the later responses.
fn breaking_off(
    path: &'static [&str],
    validator: &'static str,
    rest: impl Fn(&str) -> Vec<u8> + Send + 'static,
) -> Downloads {
    let first = std::sync::atomic::AtomicBool::new(true);
    Downloads::new(path, move |head| {
        if first.swap(false, std::sync::atomic::Ordering::SeqCst) {
            let headers = format!("{validator}content-length: 200000\r\n");
            return response("200 OK", &headers, &body()[..80_000]);
        }
        rest(head)
    })
}

const REST: &str = "content-range: bytes 80000-199999/200000\r\ncontent-length: 120000\r\n";

fn whole() -> Vec<u8> {
    response("200 OK", "content-length: 200000\r\n", &body())
}

#[test]
fn resumes_interrupted_downloads() {
    for (validator, sent) in [
        ("etag: \"v1\"\r\n", "if-range: \"v1\"\r\n"),
        (
            "etag: W/\"w\"\r\nlast-modified: Sat, 01 Nov 2025 10:00:00 GMT\r\n",
            "if-range: sat, 01 nov",
        ),
    ] {
        let downloads = breaking_off(&["/a.mp3"], validator, |_| {
            response("206 Partial Content", REST, &body()[80_000..])
        });
        let first = downloads.run("/a.mp3", &[]);
        assert_eq!(first.code, Some(1), "{first:?}");
        assert!(first.err.contains("80 kB are kept, and the next download resumes"), "{first:?}");
        assert_eq!(downloads.names(), ["a.mp3.part", "a.mp3.part.json"]);
        let second = downloads.run("/a.mp3", &["--json"]).values();
        assert_eq!((&second[0]["bytes"], &second[0]["resumed"]), (&200_000.into(), &80_000.into()));
        assert_eq!(second[0]["path"], downloads.folder.join("a.mp3").to_str().unwrap());
        assert_eq!(downloads.names(), ["a.mp3"]);
        assert!(downloads.read("a.mp3") == body());
        let heads = downloads.files.heads();
        assert_eq!(heads.len(), 2);
        assert!(
            heads[1].contains("range: bytes=80000-\r\n") && heads[1].contains(sent),
            "{heads:?}"
        );
        assert!(
            heads.iter().all(|head| head.contains("accept-encoding: identity\r\n")),
            "{heads:?}"
        );
    }
}

#[test]
fn restarts_downloads_that_cannot_be_resumed() {
    let no_rest = |headers: &'static str| {
        move |head: &str| match head.contains("range:") {
            true => response("206 Partial Content", headers, &body()[80_000..]),
            false => whole(),
        }
    };
    let tag = "etag: \"v1\"\r\n";
    let cases: [(&str, Downloads, usize); 7] = [
        ("the file has changed", breaking_off(&["/a.mp3"], tag, |_| whole()), 2),
        ("no validator", breaking_off(&["/a.mp3"], "", |_| whole()), 2),
        ("weak validator", breaking_off(&["/a.mp3"], "etag: W/\"w\"\r\n", |_| whole()), 2),
        (
            "another range",
            breaking_off(
                &["/a.mp3"],
                tag,
                no_rest("content-range: bytes 0-119999/200000\r\ncontent-length: 120000\r\n"),
            ),
            3,
        ),
        (
            "another size",
            breaking_off(
                &["/a.mp3"],
                tag,
                no_rest("content-range: bytes 80000-199998/199999\r\ncontent-length: 119999\r\n"),
            ),
            3,
        ),
        ("no range", breaking_off(&["/a.mp3"], tag, no_rest("content-length: 120000\r\n")), 3),
        (
            "not satisfiable",
            breaking_off(&["/a.mp3"], tag, |head| match head.contains("range:") {
                true => response("416 Range Not Satisfiable", "content-length: 0\r\n", b""),
                false => whole(),
            }),
            3,
        ),
    ];
    for (what, downloads, requests) in cases {
        assert_eq!(downloads.run("/a.mp3", &[]).code, Some(1), "{what}");
        let path = downloads.run("/a.mp3", &[]).ok();
        assert_eq!(path.trim_end(), downloads.folder.join("a.mp3").to_str().unwrap(), "{what}");
        assert!(downloads.read("a.mp3") == body(), "{what}");
        assert_eq!(downloads.names(), ["a.mp3"], "{what}");
        assert_eq!(downloads.files.heads().len(), requests, "{what}");
    }
}

#[test]
fn uses_safe_file_names_and_overwrites_nothing() {
    const PATHS: &[&str] = &["/get/a%20b.mp3?key=1", "/%2e%2e%2fx.mp3", "/named", "/moved"];
    let downloads = Downloads::new(PATHS, |head| {
        let name = "content-disposition: attachment; filename=\"../../.ssh/-rc\"\r\n";
        match head.split(' ').nth(1).unwrap() {
            "/named" => response(
                "200 OK",
                &format!("{name}content-type: audio/ogg\r\ncontent-length: 2\r\n"),
                b"ok",
            ),
            "/moved" => {
                response("302 Found", "location: /get/final.mp3\r\ncontent-length: 0\r\n", b"")
            }
            _ => response("200 OK", "content-length: 2\r\n", b"ok"),
        }
    });
    fs::create_dir(&downloads.folder).unwrap();
    for name in ["a b.mp3", "rc.ogg.part", "final.mp3"] {
        fs::write(downloads.folder.join(name), "mine").unwrap();
    }
    for (path, name) in [
        (PATHS[0], "a b (2).mp3"),
        (PATHS[0], "a b (3).mp3"),
        (PATHS[1], "x.mp3"),
        (PATHS[2], "rc (2).ogg"),
        (PATHS[3], "final (2).mp3"),
    ] {
        let stored = downloads.run(path, &[]).ok();
        assert_eq!(stored.trim_end(), downloads.folder.join(name).to_str().unwrap(), "{path}");
        assert_eq!(downloads.read(name), b"ok");
    }
    for name in ["a b.mp3", "rc.ogg.part", "final.mp3"] {
        assert_eq!(downloads.read(name), b"mine");
    }
    assert_eq!(downloads.names().len(), 8);
}

#[test]
fn bad_responses_leave_no_files() {
    const PATHS: &[&str] =
        &["/gone", "/page.mp3", "/packed", "/long", "/endless", "/inside", "/loop"];
    let downloads = Downloads::new(PATHS, |head| match head.split(' ').nth(1).unwrap() {
        "/gone" => response("404 Not Found", "content-length: 0\r\n", b""),
        "/page.mp3" => {
            response("200 OK", "content-type: text/html\r\ncontent-length: 3\r\n", b"<p>")
        }
        "/packed" => response("200 OK", "content-encoding: gzip\r\ncontent-length: 2\r\n", b"ok"),
        "/long" => response("200 OK", "content-length: 200000\r\n", &body()),
        // Without a `Content-Length`, the bytes are counted as they arrive.
        "/endless" => response("200 OK", "", &body()),
        "/inside" => {
            response("302 Found", "location: http://127.0.0.9:1/x\r\ncontent-length: 0\r\n", b"")
        }
        _ => response("302 Found", "location: /loop\r\ncontent-length: 0\r\n", b""),
    });
    for (path, message) in [
        ("/gone", "has nothing at this URL (HTTP 404)"),
        ("/page.mp3", "sent a web page instead of the file"),
        ("/packed", "compressed the file (gzip)"),
        ("/long", "larger than 100 kB, the limit (download.max_size)"),
        ("/endless", "larger than 100 kB, the limit (download.max_size)"),
        ("/inside", "127.0.0.9 is a private address"),
        ("/loop", "redirects in a loop"),
    ] {
        let run = downloads.run(path, &["--set", "download.max_size=100kB"]);
        assert_eq!((run.code, run.out.as_str()), (Some(1), ""), "{path}: {run:?}");
        assert!(run.err.contains(message), "{path}: {run:?}");
    }
    assert_eq!(downloads.names(), Vec::<String>::new());
    let endless = downloads.run("/endless", &[]).ok();
    assert!(endless.ends_with("endless\n") && downloads.read("endless") == body());
}

#[test]
fn reports_several_downloads_as_json() {
    const PATHS: &[&str] = &["/a.mp3", "/gone"];
    let downloads = Downloads::new(PATHS, |head| match head.contains("/gone") {
        true => response("404 Not Found", "content-length: 0\r\n", b""),
        false => whole(),
    });
    let (good, bad) = (downloads.number("/a.mp3"), downloads.number("/gone"));
    let folder = downloads.folder.to_str().unwrap();
    let setting = format!("download.folder=\"{folder}\"");
    let set = ["--set", "net.host_delay=0s", "--set", &setting];
    let run = downloads.world.run(&[&set[..], &["download", "--json", &good, &bad]].concat());
    assert_eq!(run.code, Some(3), "{run:?}");
    super::shapes::check("Download", &run.values());
    let none = downloads.world.run(&["download", "--enclosure", "2", &good]);
    assert_eq!(none.code, Some(1), "{none:?}");
    assert!(none.err.contains("has no enclosure 2"), "{none:?}");
    assert_eq!(downloads.names(), ["a.mp3"]);
}

#[cfg(unix)]
#[test]
fn downloads_files_for_programs_that_need_them() {
    let downloads = Downloads::new(&["/a.pdf"], |_| whole());
    let (number, fifo) = (downloads.number("/a.pdf"), downloads.world.path().join("opened"));
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let script = format!("echo \"$#\" \"$1\" > '{}'", fifo.display());
    let config = format!(
        "[open]\n\"application/pdf\" = [\"sh\", \"-c\", {script:?}, \"x\", \"{{file}}\"]\n\
         [download]\nfolder = {:?}\n",
        downloads.folder.to_str().unwrap()
    );
    fs::write(downloads.world.config().join("config.toml"), config).unwrap();
    downloads.world.run(&["open", "--enclosure", &number]).ok();
    let path = downloads.folder.join("a.pdf");
    let opened = || fs::read_to_string(&fifo).unwrap();
    assert_eq!(opened(), format!("1 {}\n", path.display()));
    assert!(downloads.read("a.pdf") == body());
    // The next time, the existing file is used, unless it was changed.
    downloads.world.run(&["open", "--enclosure", &number]).ok();
    assert_eq!(opened(), format!("1 {}\n", path.display()));
    assert_eq!((downloads.files.heads().len(), downloads.names()), (1, vec!["a.pdf".to_owned()]));
    fs::write(&path, "edited").unwrap();
    downloads.world.run(&["open", "--enclosure", &number]).ok();
    assert_eq!(opened(), format!("1 {}\n", downloads.folder.join("a (2).pdf").display()));
    assert_eq!((downloads.files.heads().len(), downloads.read("a.pdf")), (2, b"edited".to_vec()));
}

#[test]
fn lists_unfinished_downloads() {
    let downloads = breaking_off(&["/a.mp3"], "etag: \"v\"\r\n", |_| whole());
    let folder = format!("download.folder={:?}", downloads.folder.to_str().unwrap());
    let number = downloads.number("/a.mp3");
    let world = &downloads.world;
    let set = ["--set", "net.host_delay=0s", "--set", &folder];
    assert_eq!(world.run(&[&set[..], &["download", &number]].concat()).code, Some(1));
    let list = |more: &[&str]| world.run(&[&set[..], &["download", "--list"], more].concat());
    let listed = list(&["--json"]).values();
    super::shapes::check("Listed download", &listed);
    let part = &listed[0];
    assert_eq!((part["state"].as_str(), &part["total"]), (Some("unfinished"), &200_000.into()));
    assert_eq!((part["number"].to_string(), &part["downloaded"]), (number.clone(), &().into()));
    let line = list(&[]).ok();
    assert!(line.ends_with("a.mp3.part (unfinished, of 200 kB)\n"), "{line}");
    world.run(&[&set[..], &["download", &number]].concat()).ok();
    let states: Vec<_> =
        list(&["--json"]).values().iter().map(|file| file["state"].to_string()).collect();
    assert_eq!(states, ["\"unchanged\""]);
}

#[test]
fn doctor_names_missing_programs() {
    let world = World::new(|_| Reply::status(404));
    let set = ["--set", "open.\"audio/*\"=[\"no-such-player\"]", "doctor"];
    let found = world.run(&set).out;
    assert!(found.contains("not installed: no-such-player for audio/*"), "{found}");
}

#[cfg(unix)]
#[test]
fn reports_unwritable_folders() {
    let downloads = Downloads::new(&["/a.mp3"], |_| whole());
    fs::write(&downloads.folder, "a file").unwrap();
    let run = downloads.run("/a.mp3", &[]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.err.contains("cannot write") && run.err.contains("files"), "{run:?}");
    let wrong = downloads.run("/a.mp3", &["--set", "download.folder=here"]);
    assert_eq!(wrong.code, Some(4), "{wrong:?}");
}

#[test]
fn lists_downloads_and_removes_them_after_some_days() {
    const PATHS: &[&str] = &["/old.mp3", "/new.mp3", "/pinned.mp3", "/later.mp3", "/mine.mp3"];
    let downloads = Downloads::new(PATHS, |_| whole());
    for path in PATHS {
        downloads.run(path, &[]).ok();
    }
    let world = &downloads.world;
    world.run(&["pin", &downloads.number("/pinned.mp3")]).ok();
    world.run(&["later", &downloads.number("/later.mp3")]).ok();
    fs::write(downloads.folder.join("mine.mp3"), "edited").unwrap();
    fs::write(downloads.folder.join("other.mp3"), body()).unwrap();
    {
        let database = rusqlite::Connection::open(world.path().join("data/newsfed.db")).unwrap();
        let earlier = "UPDATE download SET at = at - 6 * 86400 WHERE path NOT LIKE '%new.mp3'";
        assert_eq!(database.execute(earlier, []).unwrap(), 4);
    }
    let listed = world.run(&["download", "--list", "--json"]).values();
    super::shapes::check("Listed download", &listed);
    let facts: Vec<_> = listed
        .iter()
        .map(|file| {
            let name = file["path"].as_str().unwrap().rsplit('/').next().unwrap();
            (name, file["state"].as_str().unwrap(), file["kept"].as_bool().unwrap())
        })
        .collect();
    assert_eq!(facts.len(), 5);
    for fact in [
        ("new.mp3", "unchanged", false),
        ("old.mp3", "unchanged", false),
        ("pinned.mp3", "unchanged", true),
        ("later.mp3", "unchanged", true),
        ("mine.mp3", "changed", false),
    ] {
        assert!(facts.contains(&fact), "{fact:?}: {facts:?}");
    }
    let plain = world.run(&["download", "--list"]).ok();
    assert!(plain.contains("\t200000\t") && plain.contains("mine.mp3 (changed)"), "{plain}");
    assert!(!world.run(&["prune"]).ok().contains("downloads"), "they are kept forever");
    let prune = ["--set", "download.days=5", "prune", "--json"];
    let old = |removed: bool| {
        let path = downloads.folder.join("old.mp3");
        serde_json::json!({ "download": path, "bytes": 200_000, "removed": removed })
    };
    assert_eq!(world.run(&prune).values(), [old(false)]);
    let removed = world.run(&[&prune[..], &["--apply"]].concat()).values();
    super::shapes::check("Removed download", &removed);
    assert_eq!(removed, [old(true)]);
    assert_eq!(downloads.names(), ["later.mp3", "mine.mp3", "new.mp3", "other.mp3", "pinned.mp3"]);
    assert_eq!(world.run(&["download", "--list", "--json"]).values().len(), 4);
    let wrong = world.run(&["download", "--list", "1"]);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
}
