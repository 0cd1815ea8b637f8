//! The interface in a real terminal: the program runs in a pseudo-terminal, against real HTTP on
//! loopback and a real database.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on is to fail")]

mod crawl;
mod editing;
mod errors;
mod lists;
mod reading;
mod settings;
mod term;
mod workbench;
mod world;

use newsfed::demo::server::{Failure, Reply, Server};
use term::key;
use world::World;

#[test]
fn add_read_pin_search_undo_and_quit() {
    let world = World::new(&[]);
    let feed = world.url("/feed.xml");
    let mut t = world.open(100, 30);
    t.wait_for("Welcome to newsfed");
    t.paste(&feed);
    t.send(key::ENTER);
    t.wait_for("3 entries");
    t.send(key::ENTER);
    t.wait_for("following Fixture");
    t.wait_for("Third article");
    t.send(key::ENTER);
    t.wait_for("Text of the third article");
    t.send("p");
    t.wait_for("1 pinned");
    t.send("u");
    t.wait_for("undone: pin");
    t.wait_for("0 pinned");
    t.send("/second");
    t.wait_for("Search: second (1)");
    t.send(key::ENTER);
    t.send(key::ENTER);
    t.wait_for("Text of the second article");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
    assert!(!t.alternate_screen() && !t.cursor_hidden(), "the terminal is given back");
    assert_eq!(world.requests("/feed.xml"), 1, "adding a feed costs one request");
    // What was done is still there the next time.
    let mut t = world.open(100, 30);
    t.wait_for("1 unread");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn a_page_that_announces_a_feed_is_followed_by_it() {
    let world = World::new(&[]);
    let mut t = world.open(90, 24);
    t.wait_for("Welcome to newsfed");
    t.send(&world.url("/page.html"));
    t.send(key::ENTER);
    t.wait_for("3 entries");
    t.send(key::ENTER);
    // The preview shows the articles too, and its box would take the next key.
    t.wait_for("following Fixture");
    t.wait_for("Third article");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
    assert_eq!(world.requests("/feed.xml"), 1);
}

#[test]
fn an_address_without_anything_says_so_and_can_be_mended() {
    let world = World::new(&[]);
    let mut t = world.open(90, 24);
    t.wait_for("Welcome to newsfed");
    t.send(&world.url("/missing"));
    t.send(key::ENTER);
    t.wait_for("HTTP 404");
    t.send(key::ESC);
    t.wait_gone("Welcome to newsfed");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn the_browser_gets_the_address_as_one_argument() {
    let world = World::new(&["/feed.xml"]);
    world.browser_that_writes("opened");
    let mut t = world.open(100, 30);
    t.wait_for("Third article");
    t.send("o");
    world.wait_for_file("opened");
    assert_eq!(world.read("opened"), "1 http://site.example/3?a=b&c=$(touch%20PWN)\n");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn removing_a_source_can_be_undone() {
    let world = World::new(&["/feed.xml"]);
    let mut t = world.open(100, 30);
    t.wait_for("Third article");
    t.send(key::TAB);
    t.wait_for("▸Sources");
    t.send("G");
    t.send("d");
    t.wait_for("no longer following Fixture");
    assert!(!world.read("config/sources.toml").contains("feed.xml"));
    t.send("u");
    t.wait_for("following Fixture again");
    assert!(world.read("config/sources.toml").contains("feed.xml"));
    t.wait_for("3 unread");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn keys_are_answered_while_no_server_does() {
    let world = World::with_fault(20, Failure::NeverAnswer);
    let mut t = world.open(100, 30);
    t.wait_for("0 of 20");
    t.wait_until("marks at the sources", |s| s.matches('⟳').count() > 10);
    t.send(key::TAB);
    t.wait_for("▸Sources");
    t.send("?");
    t.wait_for("┌ Keys");
    t.send(key::ESC);
    t.wait_gone("┌ Keys");
    t.send(":");
    t.wait_for("┌ Commands");
    t.send("Q");
    t.send(key::ESC);
    t.wait_gone("┌ Commands");
    assert!(t.screen().contains("0 of 20"), "still asking");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn resizing_goes_from_three_panes_to_one_and_back() {
    let world = World::new(&["/feed.xml"]);
    let mut t = world.open(120, 40);
    t.wait_for("Third article");
    t.send(key::ENTER);
    t.wait_for("Text of the third article");
    t.resize(40, 12);
    t.wait_until("one pane", |s| s.contains("▸Reader") && !s.contains("Sources"));
    t.resize(19, 5);
    t.wait_for("newsfed needs 20x6");
    t.resize(120, 40);
    t.wait_until("three panes", |s| {
        s.contains("Sources") && s.contains("Items") && s.contains("▸Reader")
    });
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn a_signal_gives_the_terminal_back() {
    for signal in ["TERM", "HUP"] {
        let world = World::new(&["/feed.xml"]);
        let mut t = world.open(80, 24);
        t.wait_for("Third article");
        t.kill(signal);
        assert_eq!(t.exit_code(), 0, "SIG{signal}");
        assert!(!t.alternate_screen() && !t.cursor_hidden(), "SIG{signal}");
    }
}

#[test]
fn suspend_gives_the_terminal_back_and_resume_takes_it_again() {
    let world = World::new(&["/feed.xml"]);
    let mut t = world.open(80, 24);
    t.wait_for("Third article");
    t.send(key::CTRL_Z);
    t.wait_stopped();
    t.wait_alternate_screen(false);
    t.kill("CONT");
    t.wait_alternate_screen(true);
    t.wait_for("Third article");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn a_panic_gives_the_terminal_back_and_says_what_happened() {
    let world = World::new(&["/feed.xml"]);
    let mut t = world.open_with(80, 24, &[("NEWSFED_PANIC", "1")]);
    t.wait_for("boom");
    assert_ne!(t.exit_code(), 0);
    assert!(!t.alternate_screen() && !t.cursor_hidden());
}

#[test]
fn without_a_terminal_there_is_a_word_and_a_way_out() {
    let world = World::new(&["/feed.xml"]);
    let mut t = world.open_with(80, 24, &[("TERM", "dumb")]);
    t.wait_for("newsfed list");
    assert_eq!(t.exit_code(), 1);
    let out = world.command().output().unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&out.stderr).contains("need a terminal"));
}

#[test]
fn the_panes_tell_why_a_source_is_not_looked_at() {
    let hosts = [[127, 0, 3, 1], [127, 0, 3, 2]].map(Into::into);
    let server = Server::start_on(&hosts, |request| match request.path.as_str() {
        "/feed.xml" => Reply::ok("application/rss+xml", world::FEED),
        _ => Reply::status(429).header("Retry-After", "7200"),
    })
    .unwrap();
    let urls = [server.url_on(hosts[0], "/feed.xml"), server.url_on(hosts[1], "/later.xml")];
    let world = World::following(server, urls);
    let mut t = world.open(120, 40);
    t.wait_for("Third article");
    // Nothing since 2024, and a server that wants two hours of rest.
    t.wait_for("dead");
    t.wait_for("paused");
    t.send("w");
    t.wait_for("Why now: Fixture");
    t.wait_for("seems given up");
    t.wait_for("3 new");
    t.send(key::ESC);
    t.wait_gone("Why now");
    t.send("hG");
    t.wait_for("next poll in");
    t.send("w");
    t.wait_for("429");
    // Where the line ends depends on the time of day.
    t.wait_for("Retry-");
    for (width, height) in [(80, 24), (40, 12), (120, 40)] {
        t.resize(width, height);
        t.wait_for("policy");
    }
    t.send("w");
    t.wait_gone("Why now");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn a_key_struck_while_the_window_changes_is_not_lost() {
    const ROUNDS: usize = 40;
    let world = World::new(&[]);
    let mut t = world.open(100, 30);
    t.wait_for("Welcome to newsfed");
    for n in 1..=ROUNDS {
        t.resize(100 + (n % 2) as u16, 30);
        t.send("x");
        let typed = "x".repeat(n);
        t.wait_for(&typed);
    }
    t.kill("TERM");
    t.exit_code();
}

#[test]
fn the_demo_shows_everything_without_a_network() {
    let world = World::new(&[]);
    let mut t = world.demo(120, 40);
    t.wait_for("Kernel & Kettle");
    t.wait_for("What a fair scheduler is fair about");
    // Sites that fail and sites that want to be left alone are told apart.
    t.wait_for(" held");
    t.send("/scheduler is fair");
    t.wait_for("Search: scheduler is fair (1)");
    t.send(key::ENTER);
    t.send(key::ENTER);
    t.wait_for("Two kinds of fairness");
    t.send("v");
    t.wait_for("HTTP 500");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
    t.wait_for("nothing of it is kept");
    assert!(!world.path("data").exists() && !world.path("config/config.toml").exists());
}

#[test]
fn the_whole_text_of_a_teaser_comes_from_its_page() {
    let world = World::new(&[]);
    let mut t = world.demo(120, 40);
    t.wait_for("What a fair scheduler is fair about");
    t.send("/points needs a heater");
    t.wait_for("Search: points needs a heater (1)");
    t.send(key::ENTER);
    t.send(key::ENTER);
    // Opening it is enough.
    t.wait_for("Ice of two millimetres is enough");
    // Again: by the page alone, by the words of the feed, the feed's own text, and round.
    t.send("x");
    t.wait_for("the page by itself gives the same text");
    t.send("x");
    t.wait_for("the words of the feed lead to the same text");
    t.send("x");
    t.wait_for("text from the feed");
    t.wait_gone("Ice of two millimetres is enough");
    t.wait_for("And why it is on in July.");
    t.send("x");
    t.wait_for("Ice of two millimetres is enough");
    t.send("D");
    t.wait_for("no earlier version of this article is known");
    // The others ahead: the size first.
    t.send("h");
    t.send("P");
    t.wait_for("of pinned and unread items, about");
    t.send("P");
    t.wait_for("fetched ahead");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn a_site_without_a_feed_is_followed_from_the_paste_box() {
    let world = World::new(&[]);
    let mut t = world.demo(120, 40);
    t.wait_for("What a fair scheduler is fair about");
    // The address stands in an article.
    t.send("/harbour bridge reopens");
    t.wait_for("Search: harbour bridge reopens (1)");
    t.send(key::ENTER);
    t.send(key::ENTER);
    t.wait_for("What changes");
    t.send("L");
    t.wait_for("/council/");
    let screen = t.screen();
    let from = screen.find("http://127").unwrap();
    let address: String = screen[from..].chars().take_while(|c| !c.is_whitespace()).collect();
    t.send(key::ESC);
    t.wait_gone("/council/");
    t.send("a");
    t.wait_for("Follow an address");
    t.paste(&address);
    t.send(key::ENTER);
    // The proposal, with what was tried and what it gives.
    t.wait_for("the page lists articles");
    t.wait_for("Public hearing on the footbridge");
    t.send(key::ENTER);
    t.wait_for("following Council of Lindenau");
    t.wait_for("Items · Council of Lindenau");
    t.wait_for("Budget: second reading");
    // What comes out later appears by itself, every twenty seconds.
    t.wait_for("The town hall clock");
    t.send("/footbridge hearing");
    t.wait_for("Search: footbridge hearing");
    t.wait_gone("Budget: second reading");
    t.send(key::ENTER);
    t.send(key::ENTER);
    t.wait_for("Written comments are welcome");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn a_second_one_watches_and_sees_what_the_first_one_marks() {
    let world = World::new(&["/feed.xml"]);
    let mut first = world.open(100, 30);
    first.wait_for("3 unread");
    let mut second = world.open(100, 30);
    second.wait_for("watching (process");
    second.wait_for("3 unread");
    first.send("m");
    first.wait_for("2 unread");
    second.wait_for("2 unread");
    second.send("p");
    second.wait_for("1 pinned");
    second.send("Q");
    assert_eq!(second.exit_code(), 0);
    // It looks when it is polled.
    first.send("k");
    first.wait_for("1 pinned");
    first.send("Q");
    assert_eq!(first.exit_code(), 0);
}

#[test]
fn panes_that_watch_take_over_from_a_daemon_that_is_killed() {
    let world = World::new(&["/feed.xml"]);
    let mut command = world.command();
    let mut daemon = command.arg("daemon").stderr(std::process::Stdio::null()).spawn().unwrap();
    world.wait_for_requests("/feed.xml", 1);
    let mut t = world.open(100, 30);
    t.wait_for(&format!("watching (process {} follows)", daemon.id()));
    t.wait_for("3 unread");
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    t.wait_for("next poll in");
    t.send("R");
    world.wait_for_requests("/feed.xml", 2);
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

/// A zone whose clocks were set forward at midnight, so that today began an hour later.
#[test]
fn a_day_without_midnight_is_whole() {
    use chrono::Datelike;
    let now = chrono::Utc::now();
    let midnight = now.date_naive().and_time(chrono::NaiveTime::MIN).and_utc();
    let found = (now - chrono::TimeDelta::minutes(10)).max(midnight).to_rfc2822();
    let feed = format!(
        "<rss version=\"2.0\"><channel><title>F</title><item><title>Of today</title>\
         <guid>1</guid><pubDate>{found}</pubDate></item></channel></rss>"
    );
    let reply = Reply::ok("application/rss+xml", feed);
    let server = Server::start(move |_| reply.clone()).unwrap();
    let world = World::following(server, ["/feed.xml".to_owned()]);
    let day = (now + chrono::TimeDelta::hours(1)).date_naive();
    let leap = u32::from(day.leap_year() && day.ordinal() > 59);
    let turn = day.ordinal() - leap;
    let back = if turn > 180 { turn - 180 } else { turn + 180 };
    let zone = format!("STD0DST,J{turn}/0,J{back}/0");
    let mut t = world.open_with(100, 30, &[("TZ", &zone)]);
    t.wait_until("counted as of today", |s| {
        s.lines().any(|l| l.contains("Today") && l.split('│').next().unwrap().contains(" 1"))
    });
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

/// Damage in the page of the items, and in everything: said on the screen or at once.
#[test]
fn a_damaged_database_is_said_in_the_panes() {
    let world = World::new(&["/feed.xml"]);
    let mut t = world.open(100, 30);
    t.wait_for("Third article");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
    // A command closes the log behind it.
    assert!(world.command().arg("prune").output().unwrap().status.success());
    let file = world.path("data/newsfed.db");
    let whole = std::fs::read(&file).unwrap();
    let title = b"Third article";
    let at = whole.windows(title.len()).position(|w| w == title).unwrap();
    let page = at / 4096 * 4096;
    let mut bytes = whole.clone();
    bytes[page..page + 64].fill(0xff);
    std::fs::write(&file, &bytes).unwrap();
    let mut t = world.open(160, 30);
    t.wait_for("the database is damaged");
    t.wait_for("doctor --rebuild");
    t.send("Q");
    t.exit_code();
    bytes[100..].fill(0xff);
    std::fs::write(&file, &bytes).unwrap();
    let mut t = world.open(160, 30);
    t.wait_for("doctor --rebuild");
    assert_eq!(t.exit_code(), 1);
    assert!(!t.alternate_screen() && !t.cursor_hidden());
}
