//! Tests of settings, key bindings and the history in a real terminal with a real file.

use crate::term::key;
use crate::world::World;

const FILE: &str = "config/config.toml";

#[test]
fn settings_and_keys_apply_at_once_and_are_undone() {
    let world = World::new(&["/feed.xml"]);
    let before = "# Mine\n[ui] # mine\nmouse = false # C1\n";
    std::fs::write(world.path(FILE), before).unwrap();
    let mut t = world.open(100, 30);
    t.wait_for("Third article");
    t.send(",");
    t.wait_for("show other themes");
    // ASCII mode is previewed while the form is open.
    for _ in 0..4 {
        t.send(key::TAB);
    }
    t.send(" ");
    t.wait_for("+- Settings ");
    t.send(key::CTRL_S);
    t.wait_for("Saved: ui.ascii = true");
    assert_eq!(world.read(FILE), before.replace("# C1\n", "# C1\nascii = true\n"));
    // Presses a key; the key sequence ends after a pause.
    t.send("Kpin");
    t.wait_for("Pin or unpin");
    t.send(key::ENTER);
    t.wait_for("press the new key");
    t.send("b");
    t.wait_for("Saved: keys.items.b = \"pin\"");
    t.wait_for("changed");
    t.send(key::ESC);
    t.wait_for("b pin");
    t.send("U");
    t.wait_for("Initial state");
    t.send("G");
    t.send(key::ENTER);
    t.wait_for("Undone: ui.ascii");
    t.wait_for("╭─ History");
    assert_eq!(world.read(FILE), before);
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn changes_by_the_user_override_command_line_settings() {
    let world = World::new(&["/feed.xml"]);
    let mut t = world.open_set("ui.theme=mono", 100, 30);
    t.wait_for("Third article");
    t.send(":theme light");
    t.send(key::ENTER);
    t.wait_for("Saved: ui.theme = \"light\"");
    t.send("t");
    t.wait_for("Choose a theme");
    t.wait_for("light");
    t.send(key::ESC);
    t.wait_gone("Choose a theme");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn undoes_changes_made_in_the_editor() {
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
    t.wait_until("the change is listed", |s| s.contains("▸") && s.contains("sources.toml"));
    t.send("u");
    t.wait_for("Undone: sources.toml");
    t.wait_gone("▾ Mine");
    assert_eq!(world.read(file), before);
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}
