//! Exchanging marks between machines.

use super::{Run, World};
use std::path::PathBuf;

/// Runs a command on a second machine with the same sources.
fn desktop(world: &World, args: &[&str]) -> Run {
    let (config, data) = (world.path().join("config-2"), world.path().join("data-2"));
    if !config.exists() {
        std::fs::create_dir(&config).unwrap();
        std::fs::copy(world.config().join("sources.toml"), config.join("sources.toml")).unwrap();
        std::fs::write(config.join("config.toml"), settings(world, "desktop")).unwrap();
    }
    let mut command = world.command(args);
    command.env("NEWSFED_CONFIG_DIR", config).env("NEWSFED_DATA_DIR", data);
    command.output().unwrap().into()
}

fn settings(world: &World, name: &str) -> String {
    let folder = world.path().join("shared");
    format!(
        "net.host_delay = \"0s\"\n[machines]\nfolder = '{}'\nname = \"{name}\"\n",
        folder.display()
    )
}

fn titles(run: Run) -> Vec<String> {
    run.values().iter().map(|item| item["title"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn marks_reach_another_machine_and_return() {
    let world = World::followed();
    let run = world.run(&["machines"]);
    assert!(run.code == Some(1) && run.err.contains("machines.folder"), "{run:?}");
    world.write("config.toml", &settings(&world, "laptop"));
    let numbers = world.numbers();
    world.run(&["pin", &numbers[0]]).ok();
    world.run(&["read", &numbers[1]]).ok();
    world.run(&["tag", "to sort", &numbers[1]]).ok();
    world.run(&["sync"]).ok();
    // The other machine fetches the items itself, and receives the marks.
    desktop(&world, &["sync"]).ok();
    let listed = |query: &str| ["list", "--json", "--query", query].map(str::to_owned);
    for query in ["is:pinned", "is:read", "tag:\"to sort\""] {
        let args = listed(query);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let found = titles(desktop(&world, &args));
        assert!(!found.is_empty() && found == titles(world.run(&args)), "{query}: {found:?}");
    }
    // Removes the mark there, and receives the change here.
    let pinned = desktop(&world, &["list", "--json", "--query", "is:pinned"]).values();
    desktop(&world, &["unpin", &pinned[0]["number"].to_string()]).ok();
    desktop(&world, &["sync"]).ok();
    world.run(&["sync"]).ok();
    assert!(titles(world.run(&["list", "--json", "--query", "is:pinned"])).is_empty());

    let files = world.run(&["machines", "--json"]).values();
    let names: Vec<&str> = files.iter().map(|file| file["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["desktop", "laptop"]);
    assert_eq!((&files[0]["this"], &files[1]["this"]), (&false.into(), &true.into()));
    // A truncated file is detected, and its machine writes it again.
    let path = PathBuf::from(files[1]["path"].as_str().unwrap());
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 7]).unwrap();
    let run = desktop(&world, &["machines"]);
    assert!(run.code == Some(3) && run.out.contains("1 line cannot be read"), "{run:?}");
    let run = desktop(&world, &["doctor"]);
    assert!(run.out.contains("1 line cannot be read"), "{run:?}");
    world.run(&["sync"]).ok();
    desktop(&world, &["machines"]).ok();
    // The folder is not created if its disk is missing.
    world.write("config.toml", "[machines]\nfolder = \"/no/such/disk/newsfed\"\n");
    let run = world.run(&["sync"]);
    assert!(
        run.code == Some(3)
            && run.err.contains("marks are not exchanged: cannot use /no/such/disk"),
        "{run:?}"
    );
}
