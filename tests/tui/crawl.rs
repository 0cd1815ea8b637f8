//! Tests of following a site without feed, list or sitemap.

use super::term::key;
use super::world::World;
use newsfed::demo::server::{Failure, Reply, Request, Server};

/// Streets of the town; each street page links to one house, and a house page is an article.
const STREETS: usize = 8;

fn town(request: &Request) -> Reply {
    let page = |title: &str, body: String| {
        Reply::ok("text/html", format!("<!doctype html><title>{title}</title>{body}"))
    };
    let path = request.path.as_str();
    let number = |prefix: &str| path.strip_prefix(prefix).and_then(|n| n.parse::<usize>().ok());
    if path == "/" {
        let street = |n| format!("<p><a href='/street/{n}'>Street {n}</a></p>");
        return page("The Town", (0..STREETS).map(street).collect());
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
fn key_stops_a_crawl() {
    let server = Server::start(|request| match request.path.as_str() {
        "/street/7" => town(request).failing(Failure::NeverAnswer),
        _ => town(request),
    });
    let world = World::following(server.unwrap(), []);
    let mut t = world.open(110, 30);
    t.wait_for("Welcome to newsfed");
    t.paste(&world.url("/"));
    t.send(key::ENTER);
    t.wait_for("about 60 requests at first");
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
    t.wait_for("about 60 requests at first");
    t.wait_for("Explore the site for data files");
    t.send(key::ENTER);
    t.wait_for("w shows the progress");
    t.wait_until("the source is selected", |screen| crate::term::has_title(screen, "127.0.0.1"));
    // The crawl continues while the panel is open and updates it.
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
