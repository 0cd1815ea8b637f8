//! The Google Reader API that `newsfed serve` offers to apps.

use super::processes::Running;
use super::{World, feed};
use newsfed::demo::server::Reply;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::ChildStderr;
use std::time::Duration;

const READING: &str = "user/-/state/com.google/reading-list";
const READ: &str = "user/-/state/com.google/read";
const STARRED: &str = "user/-/state/com.google/starred";

/// `newsfed serve` in a world with items.
struct Apps {
    world: World,
    address: SocketAddr,
    auth: String,
    running: Running,
    /// Kept open, so that the program can write to its log.
    _log: BufReader<ChildStderr>,
}

struct Response {
    status: u16,
    head: String,
    body: String,
}

impl Response {
    #[track_caller]
    fn ok(self) -> String {
        assert_eq!(self.status, 200, "{}\n{}", self.head, self.body);
        self.body
    }

    #[track_caller]
    fn json(self) -> Value {
        assert!(self.head.contains("content-type: application/json"), "{}", self.head);
        serde_json::from_str(&self.ok()).unwrap()
    }
}

fn free() -> SocketAddr {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap()
}

fn start(command: &str, world: World, config: &str) -> Apps {
    let address = free();
    world.write("config.toml", &format!("[serve]\naddress = \"{address}\"\n{config}"));
    world.run_with(&["serve", "password"], "wonderland1\n").ok();
    let mut running = Running::start(&world, &[command, "--set", "net.host_delay=0s"]);
    let mut log = BufReader::new(running.0.as_mut().unwrap().stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("serving apps") {
        line.clear();
        assert!(log.read_line(&mut line).unwrap() > 0, "the program has ended");
    }
    let mut apps = Apps { world, address, auth: String::new(), running, _log: log };
    apps.auth = apps.login("alice", "wonderland1").ok();
    let token = apps.auth.lines().find_map(|line| line.strip_prefix("Auth=")).unwrap();
    apps.auth = token.to_owned();
    apps
}

impl Apps {
    fn usual() -> Self {
        start("serve", World::followed(), "user = \"alice\"\nedit = true\n")
    }

    /// Sends bytes, and returns the response that the server sends before it closes the connection.
    fn raw(&self, request: &[u8]) -> Option<Response> {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        // The server may close the connection before it has read everything.
        let _ = stream.write_all(request);
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        let all = String::from_utf8(all).unwrap();
        let (head, body) = all.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Some(Response { status, head: head.to_owned(), body: body.to_owned() })
    }

    fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> Response {
        let length = body.len();
        let text = format!(
            "{method} {path} HTTP/1.1\r\nhost: x\r\n{headers}content-length: {length}\r\n\r\n{body}"
        );
        self.raw(text.as_bytes()).unwrap()
    }

    fn header(&self) -> String {
        format!("authorization: GoogleLogin auth={}\r\n", self.auth)
    }

    fn login(&self, user: &str, password: &str) -> Response {
        self.send("POST", "/accounts/ClientLogin", "", &format!("Email={user}&Passwd={password}"))
    }

    fn get(&self, path: &str) -> Response {
        self.send("GET", &format!("/reader/api/0/{path}"), &self.header(), "")
    }

    fn post(&self, path: &str, body: &str) -> Response {
        self.send("POST", &format!("/api/greader.php/reader/api/0/{path}"), &self.header(), body)
    }

    /// The item ids of a stream.
    fn ids(&self, query: &str) -> Vec<i64> {
        let value = self.get(&format!("stream/items/ids?output=json&{query}")).json();
        let id = |item: &Value| item["id"].as_str().unwrap().parse().unwrap();
        value["itemRefs"].as_array().unwrap().iter().map(id).collect()
    }

    fn folders(&self) -> Vec<(String, String)> {
        let value = self.get("subscription/list").json();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let one = |feed: &Value| (text(&feed["title"]), text(&feed["categories"][0]["label"]));
        value["subscriptions"].as_array().unwrap().iter().map(one).collect()
    }
}

#[test]
fn apps_list_and_read_items() {
    let apps = Apps::usual();
    let page = apps.send("GET", "/", "", "").ok();
    assert!(page.contains("/api/greader.php") && !page.contains("alice"), "{page}");
    let query = "/api/greader.php/accounts/ClientLogin?Email=alice&Passwd=wonderland1";
    for method in ["GET", "POST"] {
        assert!(apps.send(method, query, "", "").ok().contains(&apps.auth), "{method}");
    }
    assert_eq!(apps.get("user-info?output=json").json()["userName"], "alice");
    let feeds = apps.get("subscription/list?output=json").json();
    let (a, b) = (&feeds["subscriptions"][0], &feeds["subscriptions"][1]);
    assert_eq!((&a["title"], &b["title"]), (&json!("Kernel"), &json!("Council")));
    assert_eq!(a["url"], apps.world.server.url("/kernel.xml"));
    assert_eq!(apps.get("tag/list").json(), json!({"tags": [{"id": STARRED}]}));
    assert_eq!(apps.get("preference/list").json(), json!({"prefs": []}));
    let all = apps.ids(&format!("s={READING}"));
    assert!(all.len() == 3 && all.is_sorted_by(|a, b| a > b), "{all:?}");
    let page = apps.get(&format!("stream/items/ids?s={READING}&n=2")).json();
    let next = page["continuation"].as_str().unwrap();
    assert_eq!(apps.ids(&format!("s={READING}&n=2&c={next}")), all[2..]);
    let reversed: Vec<i64> = all.iter().rev().copied().collect();
    assert_eq!(apps.ids("r=o"), reversed);
    // An unknown stream contains no items, rather than all items.
    for stream in ["feed/99", "user/-/state/com.google/other", "user/-/label/No", "sport", "feed/x"]
    {
        assert_eq!(apps.ids(&format!("s={stream}")), Vec::<i64>::new(), "{stream}");
        let contents = apps.get(&format!("stream/contents/{stream}")).json();
        assert_eq!(contents["items"], json!([]), "{stream}");
    }
    let kernel = a["id"].as_str().unwrap();
    let by_address = format!("s=feed/{}", a["url"].as_str().unwrap());
    assert_eq!(apps.ids(&format!("s={kernel}")), apps.ids(&by_address));
    assert_eq!((apps.ids("ot=4102444800").len(), apps.ids("nt=4102444800").len()), (0, 3));
    let id = all[0];
    let forms = [
        id.to_string(),
        format!("tag:google.com,2005:reader/item/{id:016x}"),
        format!("tag:google.com,2005:reader/item/{id:x}"),
        format!("{id:016x}"),
    ];
    for form in forms {
        let contents = apps.post("stream/items/contents", &format!("i={form}&i=999")).json();
        let items = contents["items"].as_array().unwrap();
        assert_eq!(items.len(), 1, "{form}");
        assert_eq!(items[0]["id"], format!("tag:google.com,2005:reader/item/{id:016x}"));
        let text = items[0]["summary"]["content"].as_str().unwrap();
        assert!(text.contains("href=\"http://site.example/more\""), "{text}");
    }
    let atom = apps.send("GET", &format!("/reader/atom/{kernel}?n=1"), &apps.header(), "").ok();
    let parsed = newsfed::feed::parse(atom.as_bytes(), None, None).unwrap();
    assert_eq!(parsed.entries.len(), 1);
    assert!(atom.contains("<id>tag:google.com,2005:reader/item/00"), "{atom}");
}

#[test]
fn apps_mark_items() {
    let apps = Apps::usual();
    let all = apps.ids("");
    let mark = |change: &str, ids: &[i64]| {
        let ids: String = ids.iter().map(|id| format!("&i={id}")).collect();
        apps.post("edit-tag", &format!("{change}{ids}"))
    };
    let unread = || apps.ids(&format!("xt={READ}"));
    // Sets several marks at once, for items that include a removed one.
    let label = "user/-/label/to%20read";
    let several = format!("a={READ}&a={STARRED}&a={label}&a=user/-/state/com.google/tracking-x");
    assert_eq!(mark(&several, &[all[0], all[1], 999]).ok(), "OK");
    assert_eq!(unread(), all[2..]);
    assert_eq!(apps.ids(&format!("s={STARRED}")), all[..2]);
    assert_eq!(apps.ids(&format!("s={label}")), all[..2]);
    assert_eq!(apps.ids(&format!("s={READING}&it={STARRED}&xt={label}")), Vec::<i64>::new());
    let listed = apps.world.run(&["list", "--query", "tag:\"to read\" is:pinned is:read"]);
    assert_eq!(listed.ok().lines().count(), 2);
    let kept = "a=user/-/state/com.google/kept-unread";
    for change in [kept.to_owned(), format!("{kept}&r={READ}"), format!("r={READ}")] {
        assert_eq!(mark(&format!("a={READ}"), &all[..1]).ok(), "OK");
        assert_eq!(mark(&change, &all[..1]).ok(), "OK");
        assert_eq!(unread(), [all[0], all[2]], "{change}");
    }
    // Marks all items up to a given one as read, identified by its time in microseconds.
    let contents = apps.post("stream/items/contents", &format!("i={}", all[1])).json();
    let up_to = contents["items"][0]["timestampUsec"].as_str().unwrap().to_owned();
    let all_read = format!("s={READING}&ts={up_to}");
    assert_eq!(apps.post("mark-all-as-read", &all_read).ok(), "OK");
    assert_eq!(unread(), [all[0]], "a later item of the same second stays unread");
    assert_eq!(apps.get("unread-count").json()["max"], 1);
    assert_eq!(apps.post("mark-all-as-read", &format!("s={label}")).ok(), "OK");
    assert_eq!(unread(), Vec::<i64>::new());
    let rename = format!("s={label}&dest=user/-/label/Soon");
    assert_eq!(apps.post("rename-tag", &rename).ok(), "OK");
    assert_eq!(apps.ids("s=user/-/label/Soon"), all[..2]);
    assert_eq!(apps.post("disable-tag", "t=Soon").ok(), "OK");
    assert_eq!(apps.get("tag/list").json()["tags"].as_array().unwrap().len(), 1);
    // Requests without an effect are refused with a reason.
    let long = format!("a=user/-/label/{}", "x".repeat(61));
    for (path, body, why) in [
        ("edit-tag", format!("a={READ}&i=999"), "no item"),
        ("edit-tag", format!("a={READ}"), "parameter i (the item ids) is missing"),
        ("edit-tag", format!("a={READ}&i=x"), "not an item id"),
        ("edit-tag", "i=1".to_owned(), "contain no mark"),
        ("edit-tag", "a=user/-/state/com.google/like&i=1".to_owned(), "contain no mark"),
        ("edit-tag", format!("a={READ}&r={READ}&i=1"), "set and removed"),
        ("edit-tag", format!("{long}&i=1"), "60 characters"),
        ("mark-all-as-read", "s=feed/99".to_owned(), "not a stream"),
        ("mark-all-as-read", "s=user/-/label/No".to_owned(), "not a stream"),
        ("mark-all-as-read", format!("s={READING}&ts=1795300000"), "microseconds"),
        ("mark-all-as-read", String::new(), "parameter s (the stream) is missing"),
        ("disable-tag", "s=user/-/label/No".to_owned(), "no folder or label No"),
        ("stream/items/contents", String::new(), "parameter i (the item ids) is missing"),
        ("subscription/import", "<opml>".to_owned(), "the request"),
    ] {
        let response = apps.post(path, &body);
        assert_eq!(response.status, 400, "{path} {body}");
        assert!(response.body.contains(why), "{path} {body}: {}", response.body);
    }
}

#[test]
fn apps_change_subscriptions_only_where_allowed() {
    let world = World::new(|request| match request.path.as_str() {
        "/a.xml" => feed("Kernel", &["One"]),
        "/b.xml" => feed("Council", &["Two"]),
        _ => Reply::status(404),
    });
    let url = |path: &str| world.server.url(path);
    let (a, b, none) = (url("/a.xml"), url("/b.xml"), url("/none"));
    let apps = start("serve", world, "user = \"alice\"\nedit = true\n");
    let added = apps.post("subscription/quickadd", &format!("quickadd={a}")).json();
    assert_eq!((&added["numResults"], &added["streamName"]), (&json!(1), &json!("Kernel")));
    let again = apps.post("subscription/quickadd", &format!("quickadd={a}")).json();
    assert_eq!(again["streamId"], added["streamId"], "it is followed once");
    let failed = apps.post("subscription/quickadd", &format!("quickadd={none}")).json();
    assert_eq!(failed["numResults"], 0);
    assert!(failed["error"].as_str().unwrap().contains("404"), "{failed}");
    let subscribe = format!("ac=subscribe&s=feed/{b}&t=News&a=user/-/label/Town");
    assert_eq!(apps.post("subscription/edit", &subscribe).ok(), "OK");
    assert_eq!(apps.post("subscription/edit", &subscribe).status, 400);
    let id = added["streamId"].as_str().unwrap();
    let edit = format!("ac=edit&s={id}&t=Core&a=user/-/label/Town");
    assert_eq!(apps.post("subscription/edit", &edit).ok(), "OK");
    let pairs = |all: [(&str, &str); 2]| all.map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec();
    assert_eq!(apps.folders(), pairs([("Core", "Town"), ("News", "Town")]));
    assert_eq!(apps.ids("s=user/-/label/Town").len(), 2);
    let folder_as_label = apps.post("edit-tag", "a=user/-/label/Town&i=1");
    assert!(
        folder_as_label.status == 400 && folder_as_label.body.contains("is a subscription folder")
    );
    assert_eq!(apps.post("edit-tag", "a=user/-/label/Later&i=1").ok(), "OK");
    let over = apps.post("rename-tag", "s=user/-/label/Later&dest=user/-/label/Town");
    assert!(over.status == 400 && over.body.contains("is a subscription folder"), "{}", over.body);
    let rename = "s=user/-/label/Town&dest=user/-/label/City/North";
    assert_eq!(apps.post("rename-tag", rename).ok(), "OK");
    let out = format!("ac=edit&s={id}&r=user/-/label/City/North");
    assert_eq!(apps.post("subscription/edit", &out).ok(), "OK");
    assert_eq!(apps.folders(), pairs([("Core", ""), ("News", "City/North")]));
    assert!(apps.get("subscription/export").ok().contains("text=\"North\""));
    let list = "<opml version=\"2.0\"><body><outline type=\"rss\" text=\"x\" \
                xmlUrl=\"http://192.168.0.1/f\"/></body></opml>";
    let private = apps.post("subscription/import", list);
    assert!(private.status == 400 && private.body.contains("private"), "{}", private.body);
    let list = list.replace("192.168.0.1", "feeds.example");
    assert_eq!(apps.post("subscription/import", &list).ok(), "OK");
    assert_eq!(apps.folders().len(), 3);
    let remove = format!("ac=unsubscribe&s={id}");
    assert_eq!(apps.post("subscription/edit", &remove).ok(), "OK");
    assert_eq!(apps.folders().len(), 2);
    assert_eq!(apps.post("subscription/edit", &remove).status, 400);
    // By default, apps may not change subscriptions.
    let Apps { world, running, .. } = apps;
    drop(running);
    let apps = start("daemon", world, "user = \"alice\"\n");
    for (path, body) in [
        ("subscription/quickadd", format!("quickadd={a}")),
        ("subscription/edit", subscribe),
        ("subscription/import", list),
        ("rename-tag", "s=user/-/label/City/North&dest=user/-/label/X".to_owned()),
    ] {
        let response = apps.post(path, &body);
        assert_eq!(response.status, 403, "{path}");
        assert!(response.body.contains("edit = true"), "{path}: {}", response.body);
    }
    assert_eq!(apps.folders().len(), 2);
}

#[test]
fn refuses_requests_without_the_password() {
    let apps = Apps::usual();
    let paths = ["token", "subscription/list", "stream/items/ids", "stream/contents/feed/1", "x"];
    let auth = &apps.auth;
    let headers = [
        String::new(),
        "authorization: GoogleLogin auth=\r\n".to_owned(),
        format!("authorization: GoogleLogin auth={}\r\n", &auth[1..]),
        format!("authorization: GoogleLogin auth={auth}0\r\n"),
        format!("authorization: Bearer {auth}\r\n"),
        format!("authorization: {auth}\r\n"),
        format!("cookie: SID={auth}\r\n"),
        apps.header().repeat(2),
    ];
    for header in &headers {
        for path in paths {
            let response = apps.send("GET", &format!("/reader/api/0/{path}"), header, "");
            let expected = if path == "x" { 404 } else { 401 };
            assert_eq!(response.status, expected, "{header} {path}");
            assert!(!response.body.contains("Kernel"), "{}", response.body);
        }
    }
    // Changes with a wrong token are refused.
    let token = apps.get("token").ok();
    for (given, status) in [("", 200), ("x", 200), (token.as_str(), 200), ("wrong", 401)] {
        let response = apps.post("edit-tag", &format!("T={given}&a={READ}&i=1"));
        assert_eq!(response.status, status, "{given}");
    }
    // A GET request, as from a link, cannot change anything.
    let link = format!("/reader/api/0/edit-tag?a={STARRED}&i=1");
    assert_eq!(apps.send("GET", &link, &apps.header(), "").status, 405);
    assert_eq!(apps.send("PUT", "/", "", "").status, 405);
    let wrong = [("alice", "wrong"), ("bob", "wonderland1"), ("alice", "wonderland1 ")];
    for (user, password) in wrong.into_iter().cycle().take(5) {
        let response = apps.login(user, password);
        assert_eq!((response.status, response.body.as_str()), (401, "Unauthorized\n"));
    }
    let response = apps.login("alice", "wonderland1");
    assert!(response.status == 429 && response.head.contains("retry-after: "), "{}", response.head);
    assert_eq!(apps.get("token").status, 200, "who is logged in stays so");
    // A new password invalidates the session.
    apps.world.run_with(&["serve", "password"], "paper-kite\n").ok();
    assert_eq!(apps.get("token").status, 401);
    let database = std::fs::read(apps.world.path().join("data/newsfed.db")).unwrap();
    let contains = |text: &str| database.windows(text.len()).any(|w| w == text.as_bytes());
    assert!(!contains("paper-kite") && !contains("wonderland1"));
    apps.running.signal("TERM");
    assert_eq!(apps.running.end().code, Some(0));
}

#[test]
fn hostile_requests_do_no_harm() {
    let apps = Apps::usual();
    let header = apps.header();
    for path in [
        "/../config.toml",
        "/reader/api/0/../../data/newsfed.db",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//reader/api/0/token",
        "/reader/api/0//token",
        "/reader//api/0/token",
        "/api/greader.phpx/reader/api/0/token",
        "/reader/api/0/%74oken",
        "/reader/api/0/token/",
    ] {
        assert_eq!(apps.send("GET", path, &header, "").status, 404, "{path}");
    }
    // No part of a request is echoed in a response header.
    let path = "/reader/api/0/stream/contents/feed%2F1%0d%0Ax-evil:%201?s=%0d%0aset-cookie:a";
    let response = apps.send("GET", path, &header, "");
    assert!(
        !response.head.contains("evil") && !response.head.contains("cookie"),
        "{}",
        response.head
    );
    let script = apps.get("stream/contents/user/-/label/%3Cscript%3E");
    assert!(script.head.contains("nosniff") && script.head.contains("application/json"));
    for (what, request, status) in [
        (
            "a large body",
            format!(
                "POST /reader/api/0/edit-tag HTTP/1.1\r\n{header}content-length: 1048577\r\n\r\n{}",
                "i=1&".repeat(262_145)
            ),
            413,
        ),
        ("not HTTP", "hello\r\n\r\n".to_owned(), 400),
        ("a long path", format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(70_000)), 414),
    ] {
        let response = apps.raw(request.as_bytes());
        assert!(response.is_none_or(|a| a.status == status || a.status == 431), "{what}");
    }
    let many: String = (0..1001).map(|id| format!("i={id}&")).collect();
    assert_eq!(apps.post("stream/items/contents", &many).status, 400);
    let numbers = ["n=-1", "n=99999999999999999999", "c=x", "ot=-9223372036854775808", "nt=9e9"];
    for query in numbers {
        let status = apps.get(&format!("stream/items/ids?{query}")).status;
        assert!(matches!(status, 200 | 400), "{query}");
    }
    // Clients with unfinished requests do not use up all connections.
    let slow: Vec<TcpStream> = (0..20)
        .map(|_| {
            let mut stream = TcpStream::connect(apps.address).unwrap();
            stream.write_all(b"GET / HTTP/1.1\r\nhost:").unwrap();
            stream
        })
        .collect();
    std::thread::scope(|scope| {
        for _ in 0..60 {
            scope.spawn(|| assert_eq!(apps.ids("").len(), 3));
        }
    });
    drop(slow);
}

#[test]
fn serving_needs_a_password_and_an_address() {
    let world = World::followed();
    let run = world.run(&["serve"]);
    assert_eq!(run.code, Some(1));
    assert!(run.err.contains("run `newsfed serve password` first"), "{run:?}");
    for (wrong, part) in [("short\n", "8 to 1000 characters"), ("", "8 to 1000 characters")] {
        let run = world.run_with(&["serve", "password"], wrong);
        assert!(run.code == Some(1) && run.err.contains(part), "{run:?}");
    }
    world.run_with(&["serve", "password"], "wonderland1\n").ok();
    let used = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = used.local_addr().unwrap().to_string();
    world.write("config.toml", "[[command]]\nname = \"x\"\n");
    for command in [vec!["serve", "--address", &address], vec!["daemon"]] {
        let set = format!("serve.address={address:?}");
        let run = world.run(&[&["--set", set.as_str()], command.as_slice()].concat());
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.err.contains(&format!("cannot serve apps at {address}")), "{run:?}");
        assert!(run.err.starts_with("warning: ") && run.err.contains("left out"), "{run:?}");
    }
    let run = world.run(&["--set", "serve.address=localhost", "serve"]);
    assert!(run.code == Some(4) && run.err.contains("an address with a port"), "{run:?}");
}
