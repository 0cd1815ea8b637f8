//! Tests of the source form in a real terminal with a real file.

use crate::term::key;
use crate::world::World;

const FILE: &str = "config/sources.toml";

#[test]
fn the_form_edits_a_source_and_keeps_comments() {
    let world = World::new(&[]);
    let entry = format!(
        "# Mine\n\n# the best\n[[source]] # first\nid = \"best\" # short\nurl = \"{}\" # daily\n\
         tags = [\"x\"] # few\n",
        world.url("/feed.xml")
    );
    std::fs::write(world.path(FILE), &entry).unwrap();
    let mut t = world.open(100, 30);
    t.wait_for("Third article");
    // The list shows the title of the feed.
    t.wait_for("Fixture");
    // The command edits the source of the selected item.
    t.send(":edit the source");
    t.send(key::ENTER);
    t.wait_for("URL");
    t.wait_for("from feed");
    // An invalid value is reported at its field and is not saved.
    t.send(key::CTRL_N);
    t.wait_for("Policy");
    t.send(key::TAB);
    t.send("soon");
    t.wait_for("Not a duration");
    t.send(key::CTRL_S);
    t.wait_for("Not saved: Interval is not valid");
    assert_eq!(world.read(FILE), entry);
    t.send(key::CTRL_U);
    // Another program changes the folder at the same time.
    let changed = entry.replace("tags =", "folder = \"Theirs\" # new\ntags =");
    std::fs::write(world.path(FILE), &changed).unwrap();
    t.send(key::CTRL_N);
    t.wait_for("New header");
    t.send(key::CTRL_N);
    t.wait_gone("New header");
    t.send(key::CTRL_N);
    t.wait_for("Title to show instead of that of the feed or page");
    t.paste("My own\nname");
    t.wait_for("My own name");
    t.send(key::CTRL_S);
    t.wait_for("Saved: title of ");
    t.wait_for("Theirs");
    t.wait_for("My own name");
    let saved = changed.replace("# few\n", "# few\ntitle = \"My own name\"\n");
    assert_eq!(world.read(FILE), saved);
    t.send("u");
    t.wait_for("Undone: title of ");
    assert_eq!(world.read(FILE), changed);
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn polls_a_changed_url_at_once() {
    let world = World::new(&["/feed.xml"]);
    let mut t = world.open(100, 30);
    t.wait_for("Third article");
    // The title of the feed appears in the form shortly after it appears in the list of sources.
    t.wait_for("Fixture");
    t.send(":edit the source");
    t.send(key::ENTER);
    t.wait_for("from feed");
    t.send(key::TAB);
    t.send(key::CTRL_U);
    t.paste(&world.url("/nowhere.xml"));
    t.send(key::CTRL_S);
    t.wait_gone("from feed");
    world.wait_for_requests("/nowhere.xml", 1);
    // Messages may already be gone, but the card keeps showing the failure.
    t.wait_for("Failing  1");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}
