//! Views that the daemon serves as feeds.

use super::World;
use super::processes::Running;
use newsfed::feed::parse;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::ChildStderr;

/// A daemon that serves the views of a world.
struct Daemon {
    world: World,
    address: SocketAddr,
    running: Running,
    /// Kept open, so that the daemon can write to its log.
    _log: BufReader<ChildStderr>,
}

fn world() -> (World, SocketAddr) {
    let world = World::followed();
    // Finds a free port and releases it, because the daemon's port must be known in advance.
    let address = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    let config = format!(
        "[feeds]\naddress = \"{address}\"\n[[view]]\nname = \"New/all\"\nquery = \"is:unread release\"\n\
         [[view]]\nname = \"Bad\"\nquery = \"source:nobody\"\n"
    );
    world.write("config.toml", &config);
    (world, address)
}

impl Daemon {
    fn start() -> Self {
        let (world, address) = world();
        let mut running = Running::start(&world, &["daemon", "--set", "net.host_delay=0s"]);
        let mut log = BufReader::new(running.0.as_mut().unwrap().stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains("serving views as feeds") {
            line.clear();
            assert!(log.read_line(&mut line).unwrap() > 0, "the daemon has ended");
        }
        Self { world, address, running, _log: log }
    }

    /// The URL paths of the views.
    fn paths(&self, more: &[&str]) -> Vec<String> {
        let urls = self.world.run(&[&["views", "url"], more].concat()).ok();
        let root = format!("http://{}", self.address);
        urls.lines().map(|url| url.strip_prefix(&root).unwrap().to_owned()).collect()
    }

    fn send(&self, method: &str, path: &str, headers: &str) -> (u16, String, Vec<u8>) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let request = format!("{method} {path} HTTP/1.1\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        let end = all.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(all[..end].to_vec()).unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), head, all[end + 4..].to_vec())
    }

    fn get(&self, path: &str) -> (u16, String, Vec<u8>) {
        self.send("GET", path, &format!("host: {}\r\n", self.address))
    }
}

#[test]
fn serves_views_to_anyone_with_the_url() {
    let daemon = Daemon::start();
    // A client with an unfinished request does not delay other clients.
    let mut slow = TcpStream::connect(daemon.address).unwrap();
    slow.write_all(b"GET / HTTP/1.1\r\nhost:").unwrap();
    for (format, media_type) in [("atom", "atom+xml"), ("rss", "rss+xml"), ("json", "feed+json")] {
        let path = &daemon.paths(&["new/ALL", "--format", format])[0];
        let (status, head, body) = daemon.get(path);
        assert_eq!(status, 200, "{head}");
        assert!(head.contains(&format!("content-type: application/{media_type}")), "{head}");
        assert!(head.contains("last-modified: Sun, 02 Nov 2025 09:00:00 GMT"), "{head}");
        let written = daemon.world.run(&["views", "feed", "New/all", "--format", format]).ok();
        assert_eq!(String::from_utf8(body).unwrap(), written);
    }
    let path = &daemon.paths(&[])[0];
    let (_, head, body) = daemon.get(path);
    let tag = head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap();
    let host = format!("host: {}\r\n", daemon.address);
    let conditional = format!("{host}if-none-match: {tag}\r\n");
    assert_eq!(daemon.send("GET", path, &conditional).0, 304);
    let (status, head, nothing) = daemon.send("HEAD", path, &host);
    assert_eq!((status, nothing.len()), (200, 0));
    assert!(head.contains(&format!("content-length: {}", body.len())), "{head}");
    // The items of a view are loaded for each request.
    daemon.world.run(&["read", "--all"]).ok();
    let (status, _, body) = daemon.send("GET", path, &conditional);
    assert_eq!((status, parse(&body, None, None).unwrap().entries.len()), (200, 0));
    daemon.running.signal("TERM");
    assert_eq!(daemon.running.end().code, Some(0));
}

#[test]
fn requests_without_the_secret_reveal_nothing() {
    let daemon = Daemon::start();
    let path = daemon.paths(&["New/all"])[0].clone();
    let secret = path.split('/').nth(2).unwrap().to_owned();
    assert!(secret.len() == 32 && secret.bytes().all(|b| b.is_ascii_hexdigit()), "{path}");
    let (status, head, unknown) = daemon.get("/");
    assert_eq!(status, 404);
    let length = head.lines().find(|line| line.starts_with("content-length")).unwrap();
    for wrong in [
        path.replace(&secret, &"0".repeat(32)),
        path.replace(&secret, &secret[1..]),
        path.replace(&secret, ""),
        path.replace("New", "Old"),
        path.replace(".atom", ".html"),
        path.replace("/feeds", ""),
        format!("/feeds/{secret}/"),
        format!("/feeds/{secret}/%ff.atom"),
    ] {
        let (status, head, body) = daemon.get(&wrong);
        assert_eq!((status, &body), (404, &unknown), "{wrong}");
        assert!(head.contains(length), "{head}");
    }
    for host in ["", "host: evil.example\r\n", "host: 192.168.0.1:80\r\n"] {
        let (status, _, body) = daemon.send("GET", &path, host);
        assert_eq!(status, 421, "{host}");
        assert!(!String::from_utf8(body).unwrap().contains("release"));
    }
    let host = format!("host: localhost:{}\r\n", daemon.address.port());
    assert_eq!(daemon.send("GET", &path, &host).0, 200);
    assert_eq!(daemon.send("POST", &path, &host).0, 405);
    let broken = daemon.paths(&["Bad"])[0].clone();
    assert_eq!(daemon.get(&broken).0, 500);
    // The previous URL stops working.
    let renewed = daemon.paths(&["New/all", "--renew"])[0].clone();
    assert_ne!(renewed, path);
    assert_eq!((daemon.get(&path).0, daemon.get(&renewed).0), (404, 200));
    let shapes = daemon.world.run(&["views", "url", "--json"]).values();
    super::shapes::check("URL of a view", &shapes);
    assert_eq!(shapes.len(), 2);
}

#[test]
fn explains_addresses_that_cannot_be_served() {
    let (world, address) = world();
    let _used = TcpListener::bind(address).unwrap();
    let run = world.run(&["daemon"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let message = format!("cannot serve views at {address}");
    assert!(run.err.contains(&message) && run.err.contains("choose another port"), "{run:?}");
    let off = ["--set", "feeds.address=", "views", "url"];
    let run = world.run(&off);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.err.contains("address = \"127.0.0.1:8990\" in [feeds]"), "{run:?}");
    for (wrong, words) in [
        ("0.0.0.0:80", "not served to other computers"),
        ("[2001:db8::1]:80", "not served to other computers"),
        ("127.0.0.1", "an address with a port"),
        ("127.0.0.1:0", "an address with a port"),
        ("localhost:80", "an address with a port"),
    ] {
        let run = world.run(&["--set", &format!("feeds.address={wrong:?}"), "views"]);
        assert_eq!(run.code, Some(4), "{wrong}: {run:?}");
        assert!(run.err.contains(words), "{wrong}: {run:?}");
    }
}
