//! The form for a source, in a real terminal and on a real file.

use crate::term::key;
use crate::world::World;

const FILE: &str = "config/sources.toml";

#[test]
fn a_source_is_edited_in_a_form_and_its_file_keeps_its_comments() {
    let world = World::new(&[]);
    let entry = format!(
        "# Mine\n\n# the best\n[[source]] # first\nid = \"best\" # short\nurl = \"{}\" # daily\n\
         tags = [\"x\"] # few\n",
        world.url("/feed.xml")
    );
    std::fs::write(world.path(FILE), &entry).unwrap();
    let mut t = world.open(100, 30);
    t.wait_for("Third article");
    // From an item, the palette edits its source.
    t.send(":edit the source");
    t.send(key::ENTER);
    t.wait_for("Address");
    t.wait_for("(its own)");
    // A wrong value is told of beside its field, and is not saved.
    t.send(key::CTRL_N);
    t.wait_for("Policy");
    t.send("lerned");
    t.wait_for("found \"lerned\"; did you");
    t.send(key::CTRL_S);
    t.wait_for("not saved: Policy is not right yet");
    assert_eq!(world.read(FILE), entry);
    t.send(key::CTRL_U);
    // Meanwhile another program adds a folder.
    let changed = entry.replace("tags =", "folder = \"Theirs\" # new\ntags =");
    std::fs::write(world.path(FILE), &changed).unwrap();
    t.send(key::CTRL_N);
    t.wait_for("New header");
    t.send(key::CTRL_N);
    t.wait_for("What it is called in the list");
    t.paste("My own\nname");
    t.wait_for("My own name");
    t.send(key::CTRL_S);
    t.wait_for("saved: title of best");
    t.wait_for("Theirs");
    t.wait_for("My own name");
    let saved = changed.replace("# few\n", "# few\ntitle = \"My own name\"\n");
    assert_eq!(world.read(FILE), saved);
    t.send("u");
    t.wait_for("undone: title of best");
    assert_eq!(world.read(FILE), changed);
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn another_address_is_asked_at_once() {
    let world = World::new(&["/feed.xml"]);
    let mut t = world.open(100, 30);
    t.wait_for("Third article");
    t.send(":edit the source");
    t.send(key::ENTER);
    t.wait_for("(its own)");
    t.send(key::TAB);
    t.send(key::CTRL_U);
    t.paste(&world.url("/nowhere.xml"));
    t.send(key::CTRL_S);
    t.wait_gone("(its own)");
    world.wait_for_requests("/nowhere.xml", 1);
    // What came of the poll takes the place of the word that it is saved, perhaps at once.
    t.wait_until("it is saved", |s| s.contains("saved: ") || s.contains("1 failed"));
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}
