//! Tests of the interface in a pseudo-terminal, with real HTTP on loopback and a real database.

#![allow(clippy::unwrap_used, reason = "a test that cannot continue must fail")]

mod crawl;
mod downloads;
mod editing;
mod errors;
mod lists;
mod pictures;
mod reading;
mod settings;
mod term;
mod terminals;
mod workbench;
mod world;

use newsfed::demo::server::{Failure, Reply, Server};
use term::key;
use world::World;

#[test]
fn adds_reads_pins_searches_undoes_and_quits() {
    let world = World::new(&[]);
    let feed = world.url("/feed.xml");
    let mut t = world.open(100, 30);
    t.wait_for("Welcome to newsfed");
    t.paste(&feed);
    t.send(key::ENTER);
    t.wait_for("3 entries");
    t.send(key::ENTER);
    t.wait_for("Following Fixture");
    t.wait_for("Third article");
    t.send(key::ENTER);
    t.wait_for("Text of the third article");
    t.send("p");
    t.wait_for("★ Third article");
    t.send("u");
    t.wait_for("Undone: pin");
    t.wait_gone("★ Third article");
    t.send("g/second");
    t.wait_for(" 1 found");
    t.send(key::ENTER);
    t.send(key::ENTER);
    t.wait_for("Text of the second article");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
    assert!(!t.alternate_screen() && !t.cursor_hidden(), "the terminal is restored");
    assert_eq!(world.requests("/feed.xml"), 1, "adding a feed costs one request");
    // The changes are kept after a restart.
    let mut t = world.open(100, 30);
    t.wait_count("All unread", 1);
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn follows_the_feed_announced_by_a_page() {
    let world = World::new(&[]);
    let mut t = world.open(90, 24);
    t.wait_for("Welcome to newsfed");
    t.send(&world.url("/page.html"));
    t.send(key::ENTER);
    t.wait_for("3 entries");
    t.send(key::ENTER);
    // The preview in the dialog also shows the articles. This message appears only when the dialog is closed.
    t.wait_for("Following Fixture");
    t.wait_for("Third article");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
    assert_eq!(world.requests("/feed.xml"), 1);
}

#[test]
fn reports_a_url_without_content() {
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
fn the_browser_receives_the_url_as_one_argument() {
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
    // The title of the feed appears when the sources are reloaded.
    t.wait_for("Fixture");
    t.wait_for("Third article");
    t.send(key::TAB);
    t.wait_focus("newsfed");
    t.send("G");
    t.send("d");
    t.wait_for("Removed Fixture");
    assert!(!world.read("config/sources.toml").contains("feed.xml"));
    t.send("u");
    t.wait_for("Undone: removal of Fixture");
    assert!(world.read("config/sources.toml").contains("feed.xml"));
    t.wait_count("All unread", 3);
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn stays_responsive_while_servers_do_not_respond() {
    let world = World::with_failure(20, Failure::NeverAnswer);
    let mut t = world.open(100, 30);
    t.wait_for("0 of 20");
    t.wait_until("marks at the sources", |s| s.matches('↻').count() > 10);
    t.send(key::TAB);
    t.wait_focus("newsfed");
    t.send("?");
    t.wait_for("╭─ Keys");
    t.send(key::ESC);
    t.wait_gone("╭─ Keys");
    t.send(":");
    t.wait_for("╭─ Commands");
    t.send("Q");
    t.send(key::ESC);
    t.wait_gone("╭─ Commands");
    assert!(t.screen().contains("0 of 20"), "still waiting");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn resizing_switches_between_three_panes_and_one() {
    let world = World::new(&["/feed.xml"]);
    let mut t = world.open(120, 40);
    t.wait_for("Third article");
    t.send(key::ENTER);
    t.wait_for("Text of the third article");
    t.resize(40, 12);
    t.wait_until("one pane", |s| crate::term::has_focus(s, "Reader") && !s.contains("newsfed"));
    t.resize(19, 5);
    t.wait_for("newsfed needs 20x6");
    t.resize(170, 40);
    t.wait_until("three panes", |s| {
        s.contains("newsfed") && s.contains("All unread") && crate::term::has_focus(s, "Reader")
    });
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn signals_restore_the_terminal() {
    for signal in ["TERM", "HUP", "QUIT"] {
        let world = World::new(&["/feed.xml"]);
        let mut t = world.open(80, 24);
        t.wait_for("Third article");
        t.kill(signal);
        assert_eq!(t.exit_code(), 0, "SIG{signal}");
        assert!(!t.alternate_screen() && !t.cursor_hidden(), "SIG{signal}");
    }
}

#[test]
fn suspending_restores_the_terminal_and_resuming_continues() {
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

/// Suspending by a signal works without a key press.
#[test]
fn a_signal_suspends_like_the_key() {
    let world = World::new(&["/feed.xml"]);
    let mut t = world.open(80, 24);
    t.wait_for("Third article");
    for _ in 0..2 {
        t.kill("TSTP");
        t.wait_stopped();
        t.wait_alternate_screen(false);
        t.resize(60, 20);
        t.kill("CONT");
        t.wait_alternate_screen(true);
        t.wait_for("Third article");
    }
    t.kill("TERM");
    assert_eq!(t.exit_code(), 0);
    assert!(!t.alternate_screen() && !t.cursor_hidden());
}

/// A process stopped by SIGSTOP cannot restore the terminal, but another program may do that.
#[test]
fn resuming_redraws_everything() {
    let world = World::new(&["/feed.xml"]);
    let mut t = world.open(80, 24);
    t.wait_for("Third article");
    t.kill("STOP");
    t.wait_stopped();
    t.disturb("\x1b[?1049l\x1b[2J\x1b[Hsh$ fg");
    t.wait_gone("Third article");
    t.kill("CONT");
    t.wait_alternate_screen(true);
    t.wait_for("Third article");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

/// The shell must regain the terminal, but it waits for newsfed, not for the editor.
#[test]
fn suspending_the_editor_also_suspends_newsfed() {
    let world = World::new(&["/feed.xml"]);
    let path = |name| world.path(name).display().to_string();
    let script = format!(
        "#!/bin/sh\nmkfifo '{go}'\nkill -s TSTP 0\n: > '{stopped}'\nread line < '{go}'\n",
        go = path("go"),
        stopped = path("stopped")
    );
    world.script("editor", &script);
    let mut t = world.open_with(100, 30, &[("EDITOR", &path("editor"))]);
    t.wait_for("Third article");
    t.send("h");
    t.wait_focus("newsfed");
    t.send("GE");
    // The editor ignores the signal, because it is in an orphaned process group without a shell.
    world.wait_for_file("stopped");
    t.wait_stopped();
    t.wait_alternate_screen(false);
    t.kill("CONT");
    std::fs::write(world.path("go"), "\n").unwrap();
    t.wait_alternate_screen(true);
    t.wait_for("Third article");
    // Neither signal has a delayed effect.
    t.send("?");
    t.wait_for("╭─ Keys");
    t.kill("TERM");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn a_panic_restores_the_terminal_and_prints_its_message() {
    let world = World::new(&["/feed.xml"]);
    let mut t = world.open_with(80, 24, &[("NEWSFED_PANIC", "1")]);
    t.wait_for("boom");
    assert_ne!(t.exit_code(), 0);
    assert!(!t.alternate_screen() && !t.cursor_hidden());
}

#[test]
fn fails_with_a_hint_without_a_terminal() {
    let world = World::new(&["/feed.xml"]);
    let mut t = world.open_with(80, 24, &[("TERM", "dumb")]);
    t.wait_for("newsfed list");
    assert_eq!(t.exit_code(), 1);
    let out = world.command().output().unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&out.stderr).contains("needs a terminal"));
}

#[test]
fn shows_why_a_source_is_not_polled() {
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
    // A feed without items since 2024, and a server that requested a pause of two hours.
    t.wait_for("Failing  1");
    t.send("w");
    t.wait_for("─ Fixture ─");
    t.wait_for("seems abandoned");
    t.wait_for("3 new");
    t.send(key::ESC);
    t.wait_gone("╭─ Schedule");
    t.send("hG");
    t.wait_for("Next     in");
    t.send("w");
    t.wait_for("429");
    // Where the line breaks depends on the time of day.
    t.wait_for("Retry-");
    for (width, height) in [(80, 24), (40, 12), (120, 40)] {
        t.resize(width, height);
        t.wait_for("Next check");
    }
    t.send("w");
    t.wait_gone("╭─ Schedule");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn keys_are_not_lost_while_resizing() {
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
fn the_demo_respects_settings_on_the_command_line() {
    let world = World::new(&[]);
    let mut t = world.demo_with(&["--set", "ui.ascii=true"], 120, 40);
    t.wait_until("ASCII", |s| s.contains("Kernel & Kettle") && !s.contains('│'));
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn demo_runs_without_a_network() {
    let world = World::new(&[]);
    let mut t = world.demo(120, 40);
    t.wait_for("Kernel & Kettle");
    t.wait_for("What a fair scheduler is fair about");
    t.wait_until("a failing source is marked", |s| {
        s.lines().any(|line| line.contains("Weather Mast") && line.contains('!'))
    });
    t.send("/scheduler is fair");
    t.wait_for(" 1 found");
    t.send(key::ENTER);
    t.send(key::ENTER);
    t.wait_until("the article", |s| crate::term::has_focus(s, "Reader"));
    t.send("'");
    t.wait_for("Two kinds of fairness");
    t.send("v");
    t.wait_for("HTTP 500");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
    t.wait_for("That was the demo");
    assert!(!world.path("data").exists() && !world.path("config/config.toml").exists());
}

#[test]
fn fetches_the_full_text_of_a_teaser() {
    let world = World::new(&[]);
    let mut t = world.demo(120, 40);
    t.wait_for("What a fair scheduler is fair about");
    t.send("/points needs a heater");
    t.wait_for(" 1 found");
    t.send(key::ENTER);
    t.send(key::ENTER);
    // Opening the item fetches its text.
    t.wait_for("So there is a heater.");
    // The first key press shows the text of the feed, because the other ways extract the same text. The
    // second one shows the page again.
    t.send("x");
    t.wait_for("Text from the feed");
    t.wait_gone("So there is a heater.");
    t.wait_for("And why it is on in July.");
    t.send("x");
    t.wait_for("So there is a heater.");
    t.send("D");
    t.wait_for("No earlier version of this article is stored");
    // Prefetches the other items. The first key press shows the size.
    t.send("h");
    t.send("P");
    t.wait_for("of pinned and unread items, about");
    t.send("P");
    t.wait_for(" prefetched");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn follows_a_site_without_a_feed() {
    let world = World::new(&[]);
    let mut t = world.demo(120, 40);
    t.wait_for("What a fair scheduler is fair about");
    // An article of the demo contains the URL of the site.
    t.send("/harbour bridge reopens source:city");
    t.wait_for(" 1 found");
    t.send(key::ENTER);
    t.send(key::ENTER);
    t.wait_for("What changes");
    t.send("L");
    t.wait_for("─ Links");
    // The article behind the dialog shows the host without the scheme.
    t.wait_for("http://127");
    let screen = t.screen();
    let from = screen.find("http://127").unwrap();
    let address: String = screen[from..].chars().take_while(|c| !c.is_whitespace()).collect();
    t.send(key::ESC);
    t.wait_gone("─ Links");
    t.send("a");
    t.wait_for("Add a source");
    t.paste(&address);
    t.send(key::ENTER);
    // The suggested selectors, with the attempts and a preview.
    t.wait_for("best match");
    t.wait_for("Public hearing on the footbridge");
    t.send(key::ENTER);
    // The article stays open.
    t.wait_for("Following Council of Lindenau");
    t.wait_for("What changes");
    t.send("\x10");
    t.wait_for("─ Find");
    t.send("Council of Lin");
    t.wait_for("Council of Lindenau");
    t.send(key::ENTER);
    t.wait_title("Council of Lindenau");
    t.wait_for("Budget: second reading");
    // New articles appear automatically, every ten seconds.
    t.wait_for("The town hall clock");
    t.send("/footbridge hearing");
    t.wait_for("› footbridge hearing");
    t.wait_gone("Budget: second reading");
    t.send(key::ENTER);
    t.send(key::ENTER);
    t.wait_for("Written comments are welcome");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn a_second_process_only_watches_and_shows_new_marks() {
    let world = World::new(&["/feed.xml"]);
    let mut first = world.open(100, 30);
    first.wait_count("All unread", 3);
    let mut second = world.open(100, 30);
    second.wait_for("checked by another newsfed");
    second.wait_count("All unread", 3);
    first.send("m");
    first.wait_count("All unread", 2);
    second.wait_count("All unread", 2);
    second.send("p");
    second.wait_count("Pinned", 1);
    second.send("Q");
    assert_eq!(second.exit_code(), 0);
    // The first instance checks for changes on every key press.
    first.send("k");
    first.wait_count("Pinned", 1);
    first.send("Q");
    assert_eq!(first.exit_code(), 0);
}

#[test]
fn a_watching_interface_takes_over_from_a_killed_daemon() {
    let world = World::new(&["/feed.xml"]);
    let mut command = world.command();
    let mut daemon = command.arg("daemon").stderr(std::process::Stdio::null()).spawn().unwrap();
    world.wait_for_requests("/feed.xml", 1);
    let mut t = world.open(100, 30);
    t.wait_for("checked by another newsfed");
    t.wait_count("All unread", 3);
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    t.wait_for("Next     in");
    t.send("R");
    world.wait_for_requests("/feed.xml", 2);
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

/// A time zone in which clocks were set forward at midnight, so that today started at 1:00.
#[test]
fn counts_items_of_a_day_without_midnight() {
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

/// Damages the database page with the items, then the whole file. Both are reported, on the screen or at
/// startup.
#[test]
fn reports_a_damaged_database() {
    let world = World::new(&["/feed.xml"]);
    let mut t = world.open(100, 30);
    t.wait_for("Third article");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
    // A command checkpoints the write-ahead log and closes it.
    assert!(world.command().arg("prune").output().unwrap().status.success());
    let file = world.path("data/newsfed.db");
    let whole = std::fs::read(&file).unwrap();
    let title = b"Third article";
    let at = whole.windows(title.len()).position(|w| w == title).unwrap();
    // The file's header has its page size.
    let size = usize::from(u16::from_be_bytes([whole[16], whole[17]]));
    let page = at / size * size;
    let mut bytes = whole.clone();
    bytes[page..page + 64].fill(0xff);
    std::fs::write(&file, &bytes).unwrap();
    let mut t = world.open(160, 30);
    t.wait_for("The database is damaged");
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

#[test]
fn the_theme_follows_the_background_reported_by_the_terminal() {
    for (color, expected) in [("ffff/fafa/f0f0", true), ("1010/1212/1818", false)] {
        let world = World::new(&[]);
        let env = [("COLORFGBG", ""), ("COLORTERM", "truecolor")];
        let mut t = world.open_with(80, 24, &env);
        t.wait_written("\x1b]11;?");
        // The reply to the query, followed by the reply to the device attributes query.
        t.send(&format!("\x1b]11;rgb:{color}\x1b\\\x1b[?1;2c"));
        t.wait_for("Welcome to newsfed");
        let light = |t: &term::Term| {
            t.with_screen(|screen| match screen.cell(0, 0).map(vt100::Cell::bgcolor) {
                Some(vt100::Color::Rgb(r, ..)) => Some(r > 128),
                _ => None,
            })
        };
        assert_eq!(light(&t), Some(expected), "{color}");
        t.send(key::ESC);
        t.wait_gone("Welcome");
        t.send("Q");
        assert_eq!(t.exit_code(), 0);
    }
}
