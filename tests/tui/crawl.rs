//! Following a site that has neither feed, list nor sitemap.

use super::term::key;
use super::world::World;
use newsfed::demo::server::{Failure, Reply, Request, Server};

/// Streets of the town; each page tells of one house, and a house of what happened there.
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
fn an_exploration_is_stopped_by_a_key() {
    let server = Server::start(|request| match request.path.as_str() {
        "/street/7" => town(request).failing(Failure::NeverAnswer),
        _ => town(request),
    });
    let world = World::following(server.unwrap(), []);
    let mut t = world.open(110, 30);
    t.wait_for("Welcome to newsfed");
    t.paste(&world.url("/"));
    t.send(key::ENTER);
    t.wait_for("learns where articles appear, about 60 requests the first time");
    t.send(key::ENTER);
    t.wait_for("X stops it");
    t.send("w");
    t.wait_for("X stops exploring");
    t.send("X");
    t.wait_for("the exploration ends with what was found so far");
    t.wait_until("it is over", |s| s.contains(" explored: ") || s.contains("explored so far: "));
    t.send(key::ESC);
    t.wait_gone("Why now");
    t.send("X");
    t.wait_for("this source is not being explored now");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn a_site_without_anything_to_follow_is_explored() {
    let world = World::following(Server::start(town).unwrap(), []);
    let mut t = world.open(110, 30);
    t.wait_for("Welcome to newsfed");
    t.paste(&world.url("/"));
    t.send(key::ENTER);
    t.wait_for("learns where articles appear, about 60 requests the first time");
    t.wait_for("learns where data files appear");
    t.send(key::ENTER);
    t.wait_for("w tells how far it has come");
    t.wait_until("the source is selected", |screen| {
        screen.lines().any(|l| l.contains("Items · 127.0.0.1"))
    });
    // The exploration goes on behind the panel, which follows it.
    t.send("w");
    t.wait_for("Why now");
    t.wait_for("requests, ");
    t.wait_for("explored: 18 requests, 8 found");
    t.wait_for("at body p a to /street/*");
    t.send(key::ESC);
    t.wait_for("What happened at house 7");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
    assert_eq!(world.requests("/house/3"), 1);
}
