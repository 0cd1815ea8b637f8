//! `backup` and `restore`, while newsfed is running and between home directories.

use super::World;

#[test]
fn a_backup_restores_everything_in_another_home() {
    let world = World::followed();
    let numbers = world.numbers();
    world.run(&["pin", &numbers[0]]).ok();
    world.run(&["tag", "Sea", &numbers[1]]).ok();
    world.write("config.toml", "# mine\n[ui]\nascii = true\n");
    let folder = tempfile::tempdir().unwrap();
    let run = world.run(&["backup", folder.path().to_str().unwrap()]);
    let line = run.ok();
    assert!(line.contains("newsfed-20") && line.contains(": 3 files, "), "{line}");
    let file = line.split(".tar.gz").next().unwrap().to_owned() + ".tar.gz";

    let other = World::usual();
    let checked = other.run(&["restore", "--check", &file]).ok();
    assert!(checked.contains("config/sources.toml"), "{checked}");
    assert!(!other.path().join("data").exists() && !other.config().exists());
    other.run(&["restore", &file]).ok();
    // In JSON output, times do not depend on when the command runs.
    for args in
        [&["list", "--limit", "0"][..], &["list", "--query", "tag:sea"], &["sources", "--json"]]
    {
        assert_eq!(other.run(args).ok(), world.run(args).ok(), "{args:?}");
    }
    assert!(
        std::fs::read_to_string(other.config().join("config.toml")).unwrap().starts_with("# mine")
    );
    let again = other.run(&["restore", &file]);
    assert_eq!(again.code, Some(1));
    assert!(again.err.contains("give --replace"), "{}", again.err);
    let run = other.run(&["restore", "--replace", &file]);
    assert!(run.err.contains("the old files are in"), "{}", run.err);
    assert!(run.ok().contains("3 files of"));
}

#[test]
fn restores_a_backup_with_invalid_settings_and_warns() {
    let world = World::followed();
    world.write("config.toml", "nonsense = 1\n");
    let file = world.path().join("b.tar.gz").display().to_string();
    world.run(&["backup", &file]).ok();
    let other = World::usual();
    let run = other.run(&["restore", &file]);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.err.contains("nonsense"), "{}", run.err);
}

#[cfg(unix)]
#[test]
fn does_not_replace_data_of_a_running_newsfed() {
    let world = World::followed();
    let mut daemon = world.command(&["daemon", "-q"]).spawn().unwrap();
    // Waits until the daemon holds the lock.
    let lock = world.path().join("data/newsfed.lock");
    let poller = || std::fs::read_to_string(&lock).unwrap_or_default();
    while poller() != daemon.id().to_string() {
        assert!(daemon.try_wait().unwrap().is_none(), "the daemon ended");
        std::thread::yield_now();
    }
    let file = world.path().join("b.tar.gz").display().to_string();
    let packed = world.run(&["backup", &file]);
    let refused = world.run(&["restore", "--replace", &file]);
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    packed.ok();
    assert_eq!(refused.code, Some(1));
    assert!(refused.err.contains("uses the database; stop it first"), "{}", refused.err);
    world.run(&["restore", "--replace", &file]).ok();
    assert_eq!(world.numbers().len(), 3);
}
