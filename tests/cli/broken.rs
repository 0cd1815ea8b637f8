//! Databases that are read-only, on a full disk, or corrupted.

use super::{Run, World, feed};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;

/// The id of an unprivileged user, because file modes do not apply to root.
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
fn a_read_only_database_can_be_read() {
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
        // After a clean exit, there are no log files next to the database.
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
    assert_eq!(run(&["pin", "1"]).ok(), "1 item pinned\n", "it recovers by itself");
}

#[test]
fn reports_and_rebuilds_a_damaged_database() {
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
    // Rebuilding an intact database loses no data.
    world.run(&["pin", &world.numbers()[0]]).ok();
    let before = world.run(&["list", "--json", "--limit", "0"]).ok();
    world.run(&["doctor", "--rebuild"]).ok();
    assert_eq!(world.run(&["list", "--json", "--limit", "0"]).ok(), before);
    assert_eq!(world.run(&["search", "body"]).ok().lines().count(), 3);
}

#[test]
fn does_not_rebuild_a_database_of_a_newer_version() {
    let world = World::followed();
    let file = world.path().join("data/newsfed.db");
    let database = rusqlite::Connection::open(&file).unwrap();
    database.pragma_update(None, "user_version", 99).unwrap();
    drop(database);
    let rebuilt = world.run(&["doctor", "--rebuild"]);
    assert_eq!(rebuilt.code, Some(1), "{rebuilt:?}");
    assert!(rebuilt.err.contains("newer version of newsfed (schema 99"), "{rebuilt:?}");
    assert!(rebuilt.err.contains("update newsfed"), "{rebuilt:?}");
    let files = std::fs::read_dir(world.path().join("data")).unwrap();
    let names: Vec<String> =
        files.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(!names.iter().any(|n| n.contains("damaged") || n.contains("rebuilt")), "{names:?}");
    let database = rusqlite::Connection::open(&file).unwrap();
    let items: i64 = database.query_row("SELECT count(*) FROM item", [], |r| r.get(0)).unwrap();
    assert_eq!(items, 3);
}

/// Runs a script in which `run` calls newsfed, with the data on a separate file system of `size` KiB. Returns
/// the commands with their output and exit code; `None` if nothing can be mounted here.
#[cfg(target_os = "linux")]
fn on_small_disk(world: &World, size: u32, script: &str) -> Option<Vec<(String, String)>> {
    let script = format!(
        r#"
        exec 2>&1
        mount -t tmpfs -o size={size}k none "$NEWSFED_DATA_DIR" || exit 77
        run() {{ echo "== $*"; "$0" "$@" --set net.host_delay=0s; echo "code $?"; }}
        fill() {{ cat /dev/zero > "$NEWSFED_DATA_DIR/filler" 2>/dev/null; }}
        free() {{ rm "$NEWSFED_DATA_DIR/filler"; }}
        {script}"#
    );
    std::fs::create_dir_all(world.path().join("data")).unwrap();
    let usual = world.command(&[]);
    let mut command = std::process::Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]);
    command
        .arg(usual.get_program())
        .env_clear()
        .envs(usual.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = command.stderr(std::process::Stdio::piped()).output().ok()?;
    if output.status.code() == Some(77) || output.stdout.is_empty() {
        return None;
    }
    let said = String::from_utf8(output.stdout).unwrap();
    let runs = said.split("== ").filter_map(|run| run.split_once('\n'));
    Some(runs.map(|(name, said)| (name.to_owned(), said.to_owned())).collect())
}

/// On a full disk, SQLite cannot even create the tables.
#[cfg(target_os = "linux")]
#[test]
fn reports_a_full_disk_for_a_new_database() {
    let world = World::new(|_| feed("Feed", &["One"]));
    world.run_with(&["import", "--private", "-"], &world.server.url("/feed")).ok();
    let script = "fill; run list; run sync; run doctor; free; run sync; run doctor";
    let Some(runs) = on_small_disk(&world, 2048, script) else { return };
    for (name, said) in &runs[..3] {
        assert!(said.ends_with("code 1\n"), "{name}: {said}");
        assert!(said.contains("cannot open the database /"), "{name}: {said}");
        assert!(said.contains("the disk is full; free some space and try again"), "{name}: {said}");
        assert!(!said.contains("older version of newsfed"), "{name}: {said}");
    }
    assert!(runs[3..].iter().all(|(_, said)| said.ends_with("code 0\n")), "{runs:?}");
}

/// The log of the database may still have free space.
#[cfg(target_os = "linux")]
#[test]
fn finds_a_full_disk_although_the_database_is_writable() {
    let world = World::new(|_| feed("Feed", &["One"]));
    world.run_with(&["import", "--private", "-"], &world.server.url("/feed")).ok();
    // The tables and the log each use more than half of the disk, so the log cannot be checkpointed.
    let Some(runs) = on_small_disk(&world, 800, "run sync; fill; run doctor") else { return };
    let (doctor, disk) = (&runs[1].1, "the disk is full; free some space");
    assert!(doctor.contains("problem  disk") && doctor.contains(disk), "{runs:?}");
    assert!(doctor.ends_with("code 1\n"), "{runs:?}");
}

/// Fills a file system to the last byte, and frees the space again.
#[cfg(target_os = "linux")]
#[test]
fn reports_a_full_disk_and_recovers() {
    let fetches = std::sync::atomic::AtomicUsize::new(0);
    let world = World::new(move |_| {
        let first = fetches.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0;
        let many: Vec<String> =
            (0..500).map(|n| format!("Title {n} of many, long enough")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        feed("Feed", &many[..if first { 2 } else { 500 }])
    });
    world.run_with(&["import", "--private", "-"], &world.server.url("/feed")).ok();
    let script =
        "run sync; run pin 1; fill; run sync --force; run pin 2; run list; run doctor; free
        run sync --force; run pin 2; run doctor; run list --pinned";
    let Some(runs) = on_small_disk(&world, 2048, script) else { return };
    let said = format!("{runs:?}");
    let full = ["sync --force", "pin 2"].map(|_| "newsfed: the disk is full; free some space");
    assert_eq!(runs[2..4].iter().map(|(_, s)| &s[..full[0].len()]).collect::<Vec<_>>(), full);
    assert!(runs[2..4].iter().all(|(_, said)| said.ends_with("code 1\n")), "{said}");
    let (list, doctor) = (&runs[4].1, &runs[5].1);
    assert!(list.contains("Title 1") && list.ends_with("code 0\n"), "reading still works: {said}");
    assert!(doctor.contains("/newsfed.db: the disk is full; free some space"), "{said}");
    for (name, said) in &runs[6..] {
        assert!(said.ends_with("code 0\n"), "{name} heals: {said}");
    }
    assert!(runs[6].1.contains("498 new") && runs[8].1.contains("MiB, no errors found"), "{said}");
    let pins = runs[9].1.lines().count() - 1;
    assert_eq!((pins, runs.len()), (2, 10), "the earlier pin is kept: {said}");
}

/// Flips twenty bytes at random positions of the database file, repeatedly.
#[test]
fn reports_and_repairs_flipped_bytes() {
    let world = World::followed();
    world.run(&["pin", &world.numbers()[0]]).ok();
    world.run(&["search", "body"]).ok();
    let file = world.path().join("data/newsfed.db");
    let whole = std::fs::read(&file).unwrap();
    let mut summary = 0;
    for seed in 0..8 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut bytes = whole.clone();
        for _ in 0..20 {
            let at = random.usize(..bytes.len());
            bytes[at] ^= random.u8(1..);
        }
        for end in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(world.path().join(format!("data/newsfed.db{end}")));
        }
        std::fs::write(&file, &bytes).unwrap();
        for args in
            [&["list"][..], &["list", "--json"], &["search", "body"], &["pin", "1"], &["sync"]]
        {
            let run = world.run(args);
            assert!(matches!(run.code, Some(0 | 1 | 3)), "{seed} {args:?}: {run:?}");
            assert!(!run.err.contains("panicked"), "{seed} {args:?}: {run:?}");
            assert!(!run.out.contains('\u{1b}'), "{seed} {args:?}: {run:?}");
            // An error must include advice.
            if run.code == Some(1) && args[0] != "pin" {
                assert!(run.err.contains("doctor"), "{seed} {args:?}: {run:?}");
                summary += 1;
            }
        }
        world.run(&["doctor"]);
        let rebuilt = world.run(&["doctor", "--rebuild"]);
        assert_eq!(rebuilt.code, Some(0), "{seed}: {rebuilt:?}");
        assert!(rebuilt.out.contains("MiB, no errors found"), "{seed}: {rebuilt:?}");
        world.run(&["sync", "--force", "--set", "net.host_delay=0s"]).ok();
        let titles: Vec<_> = world.run(&["list", "--json", "--limit", "0"]).values();
        for title in ["First release", "Second release", "Bridge reopens"] {
            assert!(titles.iter().any(|v| v["title"] == title), "{seed}: {title} of {titles:?}");
        }
    }
    assert!(summary > 0, "some damage was detected");
}
