//! The committed JSON Schemas are identical to the program's output.

use super::World;
use std::fs;
use std::path::Path;

/// `just schemas` updates the files.
#[test]
fn committed_schemas_match_the_program() {
    let world = World::new(|_| newsfed::demo::server::Reply::status(404));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema");
    for name in ["config", "sources"] {
        let printed = world.run(&["config", "schema", name]).ok();
        let file = folder.join(format!("{name}.json"));
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&file, &printed).unwrap();
        }
        let committed = fs::read_to_string(&file).unwrap_or_default();
        assert!(printed == committed, "{name}.json is out of date: run `just schemas`");
        let line = world.run(&["--json", "config", "schema", name]).values();
        assert_eq!(line[0], serde_json::from_str::<serde_json::Value>(&printed).unwrap());
    }
    assert_eq!(
        world.run(&["config", "schema"]).ok(),
        world.run(&["config", "schema", "config"]).ok()
    );
}
