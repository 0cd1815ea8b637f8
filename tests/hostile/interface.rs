//! Opens every item in the interface.

use super::clean::assert_drawn;
use super::corpus::{ALL, Corpus, run};
use super::term::{has_focus, key, unread_on};

#[test]
fn reads_every_item_in_the_interface() {
    let Some(corpus) = Corpus::make() else { return };
    let floods = ["many-items.xml", "same-guid.xml"];
    let quiet = corpus.of_kind("feed").filter(|c| !floods.contains(&c.name.as_str()));
    let world = corpus.world(quiet.map(|c| c.name.as_str()));
    run(&world, &["sync", "--force"], ALL);
    let list = run(&world, &["list", "--json", "--unread", "--limit", "0"], ALL);
    let mut unread = list.stdout.iter().filter(|b| **b == b'\n').count();
    println!("{unread} items");
    let mut t = world.open(110, 30);
    t.wait_until("all", |screen| unread_on(screen) == unread);
    // The count may appear before the items.
    t.wait_for("Today");
    t.send(key::ENTER);
    while unread > 1 {
        unread -= 1;
        t.wait_until(&format!("{unread} unread"), |screen| unread_on(screen) == unread);
        // Jumps to the end of the article, and opens the next item.
        t.send("G");
        t.send("n");
    }
    t.wait_until("none", |screen| unread_on(screen) == 0);
    for size in [(40, 12), (20, 6), (200, 50)] {
        t.resize(size.0, size.1);
        t.send("gg");
    }
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
    assert!(!t.alternate_screen() && !t.cursor_hidden());
    assert_drawn(&t.written());
    assert!(!world.path("PWN").exists());
}

#[test]
fn navigates_through_floods() {
    let Some(corpus) = Corpus::make() else { return };
    let world = corpus.world(["many-items.xml", "same-guid.xml"].into_iter());
    run(&world, &["sync", "--force"], ALL);
    let mut t = world.open(110, 30);
    t.wait_for("Today");
    t.send("G");
    t.send(key::ENTER);
    t.wait_until("the Reader", |screen| has_focus(screen, "Reader"));
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
    assert_drawn(&t.written());
}
