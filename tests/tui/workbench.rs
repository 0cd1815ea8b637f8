//! Tests of the workbench with selectors for a new website and for a broken one.

use crate::term::{Term, key};
use crate::world::World;
use newsfed::demo;
use newsfed::demo::server::{Reply, ScriptedRequest, Server};
use newsfed::util::clock::SystemClock;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const FILE: &str = "config/sources.toml";
const HOME: &str = "\x1b[H";

/// Presses keys, and counts them.
struct Hands {
    term: Term,
    pressed: usize,
}

impl Hands {
    fn press(&mut self, keys: &[&str]) {
        for key in keys {
            self.term.send(key);
            self.pressed += 1;
        }
    }

    /// Moves down to the line of the page that contains a text.
    fn walk_to(&mut self, words: &str) {
        self.press(&[HOME]);
        // The first line is below the title and its rule.
        let first =
            |screen: &str| screen.lines().position(|l| l.contains("Page outline")).unwrap() + 2;
        self.term.wait_until("the first line", |screen| {
            screen.lines().nth(first(screen)).is_some_and(|line| line.starts_with('▌'))
        });
        self.term.wait_for(words);
        let screen = self.term.screen();
        let row = screen.lines().position(|line| line.contains(words)).unwrap();
        for _ in first(&screen)..row {
            self.press(&["j"]);
        }
    }
}

#[test]
fn follows_a_site_with_selectors_picked_on_its_pages() {
    let sites = demo::World::start(Arc::new(SystemClock)).unwrap();
    let world = World::new(&["/feed.xml"]);
    let mut hands = Hands { term: world.open(100, 30), pressed: 0 };
    hands.term.wait_for("Third article");
    hands.press(&["a"]);
    hands.term.wait_for("Add a source");
    hands.term.paste(&sites.page_without_feed());
    hands.press(&[key::ENTER]);
    hands.term.wait_for("best match");
    hands.press(&["e"]);
    hands.term.wait_for("Page outline");
    hands.term.wait_for("4 articles");
    // Replaces the suggested selector.
    hands.press(&["i", key::CTRL_U]);
    hands.term.wait_for("No articles");
    hands.term.wait_for("needs a selector for the links");
    hands.press(&[key::ENTER]);
    hands.walk_to("h3 > a");
    hands.press(&[key::ENTER]);
    hands.term.wait_for("articles: ");
    hands.term.wait_gone("No articles");
    hands.term.wait_for("  1 ");
    hands.term.wait_for("  3 ");
    // Opens the first article.
    hands.press(&["g"]);
    hands.term.wait_for("  Article ");
    hands.press(&["3"]);
    hands.walk_to("  h1");
    hands.press(&[key::ENTER]);
    hands.term.wait_for("title: ");
    hands.press(&["5"]);
    hands.walk_to("@datetime");
    hands.press(&[key::ENTER]);
    hands.term.wait_for("date: ");
    hands.term.wait_for("dates 4 of 4");
    hands.press(&[key::CTRL_S]);
    hands.term.wait_for("Following Council of Lindenau");
    hands.term.wait_title("Council of Lindenau");
    hands.term.wait_for("Budget: second reading");
    let keys = hands.pressed;
    assert!(keys < 60, "{keys} keys");
    let file = world.read(FILE);
    for line in ["website.articles = \"", "website.title = \"h1\"", "website.date = \"time\""] {
        assert!(file.contains(line), "{file}");
    }
    hands.press(&["Q"]);
    assert_eq!(hands.term.exit_code(), 0);
}

/// A site that can be rebuilt. After a rebuild, the list has different class names and one more article.
fn council(rebuilt: Arc<AtomicBool>) -> Server {
    let page = |title: &str, body: &str| {
        Reply::ok("text/html", format!("<!doctype html><title>{title}</title><main>{body}</main>"))
    };
    let answer = move |request: &ScriptedRequest| {
        let new = rebuilt.load(Ordering::SeqCst);
        if request.path == "/news" {
            let link = |n: usize| {
                let title = format!("The council speaks about matter {n}");
                match new {
                    false => {
                        format!("<article class=card><h3><a href=/a/{n}>{title}</a></h3></article>")
                    }
                    true => format!(
                        "<div class=story-row><a class=story-link href=/a/{n}>{title}</a></div>"
                    ),
                }
            };
            let list: String = (1..=if new { 6 } else { 5 }).rev().map(link).collect();
            return page("Council", &format!("<section>{list}</section>"));
        }
        match request.path.strip_prefix("/a/") {
            Some(n) => page(
                "Article",
                &format!(
                    "<h1>The council speaks about matter {n}</h1><div class=text><p>Words of it.</p></div>"
                ),
            ),
            None => Reply::status(404),
        }
    };
    Server::start(answer).unwrap()
}

#[test]
fn repairs_a_broken_source_on_its_page() {
    let rebuilt = Arc::new(AtomicBool::new(false));
    let world = World::following(council(rebuilt.clone()), []);
    let entry = format!(
        "# The council\n[[source]]\nid = \"council\"\nurl = \"{}\" # news\nkind = \"website\"\n\
         website.articles = \"article.card h3 a\" # by hand\nwebsite.title = \"h1\"\n\
         website.content = \".text\"\n",
        world.url("/news")
    );
    std::fs::write(world.path(FILE), &entry).unwrap();
    let mut t = world.open(110, 32);
    t.wait_for("speaks about matter 5");
    rebuilt.store(true, Ordering::SeqCst);
    // Polls three times without finding articles.
    for poll in 2..5 {
        // While a poll is running, the key would be ignored.
        t.wait_for("Next     in");
        t.send("r");
        world.wait_for_requests("/news", poll);
        t.wait_for("Nothing new");
        // Replaces the message, so that the next one can be detected.
        t.send("u");
        t.wait_for("Nothing to undo");
    }
    t.wait_for(" ✎");
    t.send(key::TAB);
    t.send("G");
    t.wait_title("Council");
    t.send("e");
    // The repair is suggested as soon as the page is loaded.
    t.wait_for("repair 1 of");
    t.wait_for("6 articles, 5 of them stored");
    t.wait_for("No articles");
    // Shows the matches on the stored copy of the page.
    t.send("t");
    t.wait_for("stored copy of");
    t.wait_for("speaks about matter 5");
    t.wait_for("5 articles   0 of 5 lost");
    t.send(key::ESC);
    t.wait_for("0 articles   5 of 5 lost");
    t.send("P");
    t.wait_for("6 articles   0 of 5 lost");
    t.send(key::CTRL_S);
    t.wait_gone("Page outline");
    t.wait_for("speaks about matter 6");
    t.wait_gone("broken");
    let saved = world.read(FILE);
    assert!(saved.contains("website.articles = \"a.story-link\" # by hand"), "{saved}");
    assert!(saved.starts_with("# The council\n[[source]]\n"), "{saved}");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn entry_selectors_remain_entry_selectors() {
    let entry =
        |n: usize| format!("<h2 id=v{n}>Knot {n}.0 - 2025-0{n}-12</h2><p>Ropes are tied faster.");
    let log = format!(
        "<title>Changes of Knot</title><main><h1>Changes</h1>{}</main>",
        (1..5).rev().map(entry).collect::<String>()
    );
    let server = Server::start(move |request| match request.path.as_str() {
        "/log" => Reply::ok("text/html", log.clone()),
        _ => Reply::status(404),
    })
    .unwrap();
    let world = World::new(&["/feed.xml"]);
    let mut t = world.open(100, 30);
    t.wait_for("Third article");
    t.send("a");
    t.wait_for("Add a source");
    t.paste(&server.url("/log"));
    t.send(key::ENTER);
    t.wait_for(" 4 found");
    t.send("s");
    t.wait_for("4 articles");
    t.send(key::CTRL_S);
    t.wait_for("All unread");
    t.wait_title("Changes of Knot");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
    let sources = world.read(FILE);
    assert!(sources.contains("kind = \"entries\""), "{sources}");
}
