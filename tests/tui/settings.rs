//! Settings, keys and the list of changes in a real terminal and on a real file.

use crate::term::key;
use crate::world::World;

const FILE: &str = "config/config.toml";

#[test]
fn settings_and_keys_hold_at_once_and_are_taken_back_from_the_list_of_changes() {
    let world = World::new(&["/feed.xml"]);
    let before = "# Mine\n[ui] # look\nmouse = false # C1\n";
    std::fs::write(world.path(FILE), before).unwrap();
    let mut t = world.open(100, 30);
    t.wait_for("Third article");
    t.send(",");
    t.wait_for("walk through the themes");
    // Plain ASCII shows while the form is open.
    t.send(key::TAB);
    t.send("true");
    t.wait_for("+ Edit settings ");
    t.send(key::CTRL_S);
    t.wait_for("saved: ui.ascii = true (u takes it back)");
    assert_eq!(world.read(FILE), before.replace("# C1\n", "# C1\nascii = true\n"));
    // A key is struck, and a pause ends it.
    t.send("Kpin");
    t.wait_for("Pin or unpin");
    t.send(key::ENTER);
    t.wait_for("strike the new key");
    t.send("B");
    t.wait_for("saved: keys.items.B = \"pin\"");
    t.wait_for("yours");
    t.send(key::ESC);
    t.wait_for("B pin");
    t.send("U");
    t.wait_for("the state before all of these");
    t.send("G");
    t.send(key::ENTER);
    t.wait_for("undone: ui.ascii");
    t.wait_for("┌ Changes");
    assert_eq!(world.read(FILE), before);
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn what_a_person_changes_wins_over_what_the_command_line_said() {
    let world = World::new(&["/feed.xml"]);
    let mut t = world.open_set("ui.theme=mono", 100, 30);
    t.wait_for("Third article");
    t.send(":theme light");
    t.send(key::ENTER);
    t.wait_for("saved: ui.theme = \"light\"");
    t.send(":theme ");
    t.wait_for("light                       the theme as it is");
    t.send(key::ESC);
    t.wait_gone("the theme as it is");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn what_was_changed_in_the_editor_is_undone_too() {
    let world = World::new(&["/feed.xml"]);
    let file = "config/sources.toml";
    let before = world.read(file);
    let editor = world.path("editor");
    let script = "#!/bin/sh\nfor file; do :; done\nprintf 'folder = \"Mine\"\\n' >> \"$file\"\n";
    std::fs::write(&editor, script).unwrap();
    std::fs::set_permissions(&editor, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut t = world.open_with(100, 30, &[("EDITOR", editor.to_str().unwrap())]);
    t.wait_for("Third article");
    t.send(":edit-file fixture");
    t.wait_for("Fixture ");
    t.send(key::ENTER);
    t.wait_for("▾ Mine");
    assert_eq!(world.read(file), format!("{before}folder = \"Mine\"\n"));
    t.send("U");
    t.wait_for("sources.toml, in the editor");
    t.send("u");
    t.wait_for("undone: sources.toml");
    t.wait_gone("▾ Mine");
    assert_eq!(world.read(file), before);
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}
