//! Databases that may not be written, or are damaged.

use super::{Run, World};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;

/// Somebody for whom modes count, which they do not for the superuser.
const NOBODY: u32 = 65534;

fn mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn give_away(path: &Path) {
    chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    for entry in path.is_dir().then(|| std::fs::read_dir(path).unwrap()).into_iter().flatten() {
        give_away(&entry.unwrap().path());
    }
}

#[test]
fn what_may_not_be_written_can_be_read() {
    let world = World::followed();
    let (folder, file) = (world.path().join("data"), world.path().join("data/newsfed.db"));
    let root = std::fs::metadata(world.path()).unwrap().uid() == 0;
    if root {
        give_away(world.path());
    }
    let run = |args: &[&str]| -> Run {
        let mut command = world.command(args);
        if root {
            command.uid(NOBODY).gid(NOBODY);
        }
        command.output().unwrap().into()
    };
    run(&["search", "body"]).ok();
    let before = run(&["list"]).ok();
    for (folder_mode, file_mode) in [(0o500, 0o400), (0o500, 0o600), (0o700, 0o400)] {
        // As after a clean end: no log beside the file.
        for log in ["newsfed.db-wal", "newsfed.db-shm", "newsfed.lock"] {
            let _ = std::fs::remove_file(folder.join(log));
        }
        mode(&file, file_mode);
        mode(&folder, folder_mode);
        let which = format!("{folder_mode:o} {file_mode:o}");
        assert_eq!(run(&["list"]).ok(), before, "{which}");
        assert_eq!(run(&["search", "body"]).ok().lines().count(), 3, "{which}");
        assert_eq!(run(&["sources"]).code, Some(0), "{which}");
        for args in [&["pin", "1"][..], &["read", "--all"], &["sync"]] {
            let run = run(args);
            assert_eq!(run.code, Some(1), "{which}: {run:?}");
            assert!(run.err.contains("ermission"), "{which}: {run:?}");
        }
        let doctor = run(&["doctor"]);
        assert_eq!(doctor.code, Some(1), "{which}");
        assert!(doctor.out.contains("cannot be written; run: chmod"), "{doctor:?}");
        mode(&folder, 0o700);
        mode(&file, 0o600);
    }
    assert_eq!(run(&["pin", "1"]).ok(), "1 item pinned\n", "it heals by itself");
}

#[test]
fn a_damaged_database_is_told_and_rebuilt() {
    let world = World::followed();
    let pinned = world.numbers()[0].clone();
    world.run(&["pin", &pinned]).ok();
    let file = world.path().join("data/newsfed.db");
    let bytes = std::fs::read(&file).unwrap();
    for (what, damaged) in [
        ("cut", bytes[..bytes.len() / 2].to_vec()),
        ("no database", b"something else".repeat(1000)),
    ] {
        std::fs::write(&file, &damaged).unwrap();
        let doctor = world.run(&["doctor"]);
        assert_eq!(doctor.code, Some(1), "{what}: {doctor:?}");
        assert!(doctor.out.contains("doctor --rebuild"), "{what}: {doctor:?}");
        let rebuilt = world.run(&["doctor", "--rebuild"]);
        assert!(rebuilt.err.contains(".damaged-"), "{what}: {rebuilt:?}");
        assert_eq!(rebuilt.code, Some(0), "{what}: {rebuilt:?}");
        world.run(&["sync", "--force", "--set", "net.host_delay=0s"]).ok();
        assert_eq!(world.numbers().len(), 3, "{what}");
    }
    // Nothing is lost of a whole one.
    world.run(&["pin", &world.numbers()[0]]).ok();
    let before = world.run(&["list", "--json", "--limit", "0"]).ok();
    world.run(&["doctor", "--rebuild"]).ok();
    assert_eq!(world.run(&["list", "--json", "--limit", "0"]).ok(), before);
    assert_eq!(world.run(&["search", "body"]).ok().lines().count(), 3);
}
