//! Tests of following a site without a feed, list or sitemap, and of crawls into folders.

use super::term::key;
use super::world::World;
use newsfed::demo::server::{Failure, Reply, ScriptedRequest, Server};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Number of streets in the town. Each street page links to one house, and each house page is an article.
const STREETS: usize = 8;

fn town(request: &ScriptedRequest) -> Reply {
    let page = |title: &str, body: String| {
        Reply::ok("text/html", format!("<!doctype html><title>{title}</title>{body}"))
    };
    let path = request.path.as_str();
    let number = |prefix: &str| path.strip_prefix(prefix).and_then(|n| n.parse::<usize>().ok());
    if path == "/" {
        // The links are a menu, because other links would be a list of articles.
        let street = |n| format!("<p><a href='/street/{n}'>Street {n}</a></p>");
        let menu: String = (0..STREETS).map(street).collect();
        return page("The Town", format!("<nav>{menu}</nav>"));
    }
    if let Some(n) = number("/street/") {
        return page("A street", format!("<p>See <a href='/house/{n}'>the house</a>.</p>"));
    }
    let Some(n) = number("/house/") else { return Reply::status(404) };
    let text =
        "The lamp in front of the house was lit again, and people came to see it. ".repeat(9);
    page(
        "A house",
        format!(
            "<script type='application/ld+json'>{{\"@type\":\"Article\"}}</script>\
             <article><h1>What happened at house {n}</h1><p>{text}</p></article>"
        ),
    )
}

#[test]
fn a_key_stops_a_crawl() {
    let server = Server::start(|request| match request.path.as_str() {
        "/street/7" => town(request).failing(Failure::NeverAnswer),
        _ => town(request),
    });
    let world = World::following(server.unwrap(), []);
    let mut t = world.open(110, 30);
    t.wait_for("Welcome to newsfed");
    t.paste(&world.url("/"));
    t.send(key::ENTER);
    t.wait_for("up to 60 requests at first");
    t.send(key::ENTER);
    t.wait_for("X stops it");
    t.wait_title("127.0.0.1");
    t.send("w");
    t.wait_for("X stop the crawl");
    t.send("X");
    t.wait_for("Crawl stopped; items found so far are kept");
    t.wait_until("the crawl has ended", |s| {
        s.contains(" explored: ") || s.contains("explored so far: ")
    });
    t.send(key::ESC);
    t.wait_gone("╭─ Schedule");
    t.send("X");
    t.wait_for("This source is not being crawled");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn crawls_a_site_without_feed_or_list() {
    let world = World::following(Server::start(town).unwrap(), []);
    let mut t = world.open(110, 30);
    t.wait_for("Welcome to newsfed");
    t.paste(&world.url("/"));
    t.send(key::ENTER);
    t.wait_for("up to 60 requests at first");
    t.wait_for("Explore the site for data files");
    t.send(key::ENTER);
    t.wait_for("w shows the progress");
    t.wait_until("the source is selected", |screen| crate::term::has_title(screen, "127.0.0.1"));
    // The crawl continues while the dialog is open, and updates the dialog.
    t.send("w");
    t.wait_for("╭─ Schedule");
    t.wait_for("requests, ");
    t.wait_for("explored: 18 requests, 8 found");
    t.wait_for("at body p a to /house/*");
    t.send(key::ESC);
    t.wait_for("What happened at house 7");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
    assert_eq!(world.requests("/house/3"), 1);
}

/// A town in which each house page links to a data table. While `held` is set, one street never responds.
fn slow_town(held: &Arc<AtomicBool>) -> impl Fn(&ScriptedRequest) -> Reply + Send + Sync + 'static {
    let held = held.clone();
    move |request| match request.path.as_str() {
        path if path.starts_with("/house/") => {
            let path = path.replace("/house/", "/table/");
            Reply::ok(
                "text/html",
                format!("<title>House</title><a href='{path}.csv'>Rain \x1b[31m table</a>"),
            )
        }
        path if path.starts_with("/table/") => Reply::ok("text/csv", format!("at,{path}\n")),
        "/street/7" if held.load(Ordering::SeqCst) => town(request).failing(Failure::NeverAnswer),
        _ => town(request),
    }
}

#[test]
fn starts_stops_and_resumes_a_crawl_and_opens_results() {
    let held = Arc::new(AtomicBool::new(true));
    let world = World::following(Server::start(slow_town(&held)).unwrap(), []);
    let opener = world.path("opened");
    // The file is renamed into place, so that the test never sees an empty file.
    let script = world.script(
        "open.sh",
        &format!("#!/bin/sh\necho \"$1\" > '{0}.new'\nmv '{0}.new' '{0}'\n", opener.display()),
    );
    let folder = world.path("files");
    let config = format!(
        "[download]\nfolder = {folder:?}\n[open]\n\"text/csv\" = [{:?}, \"{{file}}\"]\n",
        script.display().to_string()
    );
    std::fs::write(world.path("config/config.toml"), config).unwrap();
    let mut t = world.open(120, 36);
    t.wait_for("Welcome to newsfed");
    t.send(key::ESC);
    t.wait_gone("Welcome to newsfed");
    t.send(":crawl a website\r");
    t.wait_for("Where the crawl starts");
    t.send("ftp://x\r");
    t.wait_for("cannot follow \"ftp\" URLs");
    t.send(key::CTRL_U);
    t.paste(&world.url("/"));
    t.wait_for("/files/crawl-127.0.0.1");
    t.send(key::ENTER);
    t.wait_for("exploring");
    // The crawl continues in the background until it requests the page that does not respond.
    t.send(key::ESC);
    t.wait_gone("Newest results");
    t.wait_for("↻ crawl: ");
    world.wait_for_requests("/street/7", 1);
    t.send("gc");
    t.wait_for("exploring");
    t.send("s");
    t.wait_for("it can be resumed");
    t.wait_for("stopped");
    held.store(false, Ordering::SeqCst);
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
    // The command line reports the same state of the folder, and the program knows the crawl after a restart.
    let out = folder.join("crawl-127.0.0.1");
    let again =
        world.command().args(["crawl", &world.url("/"), "--out"]).arg(&out).output().unwrap();
    assert_eq!(again.status.code(), Some(2), "{again:?}");
    let mut t = world.open(120, 36);
    t.wait_for("Welcome to newsfed");
    t.send(key::ESC);
    t.wait_gone("Welcome to newsfed");
    t.send("gc");
    t.wait_for("stopped");
    t.send("r");
    t.wait_for("Resume a crawl");
    t.send(key::ENTER);
    t.wait_for("Crawled 127.0.0.1: 8 found in");
    t.wait_for("done");
    t.send(key::ENTER);
    t.wait_for("Esc crawls");
    t.send(key::ENTER);
    world.wait_for_file("opened");
    let opened = world.read("opened");
    assert!(opened.trim().starts_with(out.join("files").to_str().unwrap()), "{opened}");
    assert_eq!(std::fs::read_dir(out.join("files")).unwrap().count(), STREETS);
    for path in ["/", "/street/3", "/house/3", "/table/3.csv"] {
        assert_eq!(world.requests(path), 1, "{path}");
    }
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn a_crawl_locks_its_folder_until_the_program_exits() {
    let held = Arc::new(AtomicBool::new(true));
    let world = World::following(Server::start(slow_town(&held)).unwrap(), []);
    let folder = world.path("files");
    let config = format!("[download]\nfolder = {folder:?}\n");
    std::fs::write(world.path("config/config.toml"), config).unwrap();
    let mut t = world.open(80, 24);
    t.wait_for("Welcome to newsfed");
    t.send(key::ESC);
    t.wait_gone("Welcome to newsfed");
    t.send("gc");
    t.wait_for("No crawls yet");
    t.send("n");
    t.wait_for("Crawl a website");
    t.paste(&world.url("/"));
    t.send(key::ENTER);
    world.wait_for_requests("/street/7", 1);
    let out = folder.join("crawl-127.0.0.1");
    let mut resume = world.command();
    let busy = resume.args(["crawl", "--resume", "--out"]).arg(&out).output().unwrap();
    let words = String::from_utf8_lossy(&busy.stderr).into_owned();
    assert!(!busy.status.success() && words.contains("another crawl is using"), "{words}");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
    held.store(false, Ordering::SeqCst);
    let resumed = world.command().args(["crawl", "--resume", "--out"]).arg(&out).output().unwrap();
    assert!(resumed.status.success(), "{resumed:?}");
    assert_eq!(std::fs::read_dir(out.join("files")).unwrap().count(), STREETS);
    assert_eq!(world.requests("/house/3"), 1);
}
