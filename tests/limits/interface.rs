//! Opens the items from the documents in the interface, and fetches the pages as full texts.

use super::documents::{DOCUMENTS, Kind};
use super::term::{Term, key, unread_on};
use super::{measure, source};
use newsfed::demo::server::{Reply, Server};
use portable_pty::CommandBuilder;
use rusqlite::Connection;
use std::path::Path;
use std::time::{Duration, Instant};

/// Maximum memory of a session that opens everything, in MB. It needs 130 to 150 MB, which is more than it
/// ever uses at once, because the system's allocator keeps memory that threads have freed.
const SESSION: f64 = 170.0;
/// Limit of the program's address space, in KiB.
const SPACE: usize = 1_500 << 10;

/// A feed with teasers of the pages.
fn teasers(server: &str, only: &str) -> String {
    let pages = DOCUMENTS.iter().filter(|d| d.kind == Kind::Page && d.name.contains(only));
    let items = pages.map(|d| {
        let name = d.name;
        format!("<item><guid>{name}</guid><title>{name}</title><link>{server}/{name}</link></item>")
    });
    format!(
        "<rss version='2.0'><channel><title>t</title>{}</channel></rss>",
        items.collect::<String>()
    )
}

/// Leaves one unread item in each source, except in the source with the teasers. Returns the number of unread
/// items.
fn leave_one_of_each(database: &Path) -> usize {
    let database = Connection::open(database).unwrap();
    let one =
        "UPDATE item SET read = 1 WHERE key NOT IN (SELECT max(key) FROM item GROUP BY source)
        AND source NOT IN (SELECT key FROM source WHERE id = 'teasers')";
    database.execute(one, []).unwrap();
    let count = "SELECT count(*) FROM item WHERE read = 0";
    let unread: i64 = database.query_row(count, [], |row| row.get(0)).unwrap();
    usize::try_from(unread).unwrap()
}

/// Peak and current memory of a running process, in MB.
fn memory(process: u32) -> [f64; 2] {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    ["VmHWM:", "VmRSS:"].map(|name| {
        let line = status.lines().find_map(|l| l.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
    })
}

#[test]
fn the_interface_opens_every_document() {
    let only = std::env::var("NEWSFED_ONLY").unwrap_or_default();
    let server = Server::start(|request| {
        let name = request.path.trim_start_matches('/');
        if name == "teasers" {
            let host = String::from_utf8(request.header("host").unwrap().to_vec()).unwrap();
            let only = std::env::var("NEWSFED_ONLY").unwrap_or_default();
            return Reply::ok("text/xml", teasers(&format!("http://{host}"), &only));
        }
        let found = DOCUMENTS.iter().find(|d| d.name == name);
        found.map_or(Reply::status(404), |d| Reply::ok(d.kind.media_type(), (d.make)()))
    })
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config");
    std::fs::create_dir(&config).unwrap();
    let feeds = DOCUMENTS.iter().filter(|d| d.kind == Kind::Feed && d.name.contains(&only));
    let mut sources: String = feeds
        .map(|d| {
            source(Kind::Feed, &server.url(&format!("/{}", d.name))).replace("hostile", d.name)
        })
        .collect();
    sources += &source(Kind::Feed, &server.url("/teasers")).replace("hostile", "teasers");
    std::fs::write(config.join("sources.toml"), sources).unwrap();
    std::fs::write(
        config.join("config.toml"),
        "full_text = \"on-open\"\nnet.host_delay = \"0s\"\n",
    )
    .unwrap();
    let needs = measure(folder.path(), &["sync", "--force"]);
    println!("all feeds at once: sync {:.0} MB, {:.1} s", needs.memory, needs.seconds);
    assert!([0, 3].contains(&needs.end), "{}", needs.end);
    let mut unread = leave_one_of_each(&folder.path().join("data/newsfed.db"));

    let mut command = CommandBuilder::new("sh");
    let script = format!(
        "ulimit -v {SPACE}; exec {} --config-dir {} --data-dir {}",
        env!("CARGO_BIN_EXE_newsfed"),
        config.display(),
        folder.path().join("data").display()
    );
    command.args(["-c", &script]);
    let mut t = Term::spawn(command, 110, 30);
    t.wait_until(&format!("{unread} unread"), |screen| unread_on(screen) == unread);
    t.send(key::ENTER);
    let mut fetched = 0;
    let (opened, started) = (unread, Instant::now());
    loop {
        unread -= 1;
        t.wait_until(&format!("{unread} unread"), |screen| unread_on(screen) == unread);
        // Scrolls to the end of the article, and requests its full text if there is one.
        t.send("G");
        t.settle();
        let requested = server.requests().len();
        if requested > fetched {
            fetched = requested;
            t.settle();
        }
        if unread == 0 {
            break;
        }
        t.send("n");
    }
    t.settle();
    let [memory, at_the_end] = memory(t.pid());
    let names: std::collections::BTreeSet<String> =
        server.requests().into_iter().map(|r| r.path).collect();
    println!(
        "interface: {opened} items opened, {} documents requested, {memory:.0} MB, \
         {at_the_end:.0} MB at the end, {:.0?}",
        names.len(),
        started.elapsed()
    );
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
    assert!(cfg!(debug_assertions) || memory <= SESSION, "{memory} MB");
    for page in DOCUMENTS.iter().filter(|d| d.kind == Kind::Page && d.name.contains(&only)) {
        assert!(names.contains(&format!("/{}", page.name)), "{} was not fetched", page.name);
    }
    assert!(started.elapsed() < Duration::from_secs(600));
}
