//! Backups of real databases that are restored elsewhere, and hostile or damaged archives.

use super::manifest::Manifest;
use super::*;
use crate::config::Paths;
use crate::model::{Source, SourceId, Time};
use crate::store::{self, Store, database_of, schema_version};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

const QUIET: BackupProgress<'static> = &|_, _| {};

fn now() -> Time {
    "2026-11-23T08:00:00Z".parse().unwrap()
}

fn home(folder: &Path, name: &str) -> Paths {
    Paths::below(&folder.join(name))
}

/// A home with settings, a source with one item, and a crawl log.
fn filled(folder: &Path, schema: usize) -> Paths {
    let paths = home(folder, "old");
    fs::create_dir_all(paths.config_dir()).unwrap();
    fs::create_dir_all(paths.data_dir().join("crawls")).unwrap();
    fs::write(paths.config_file(), "# mine\nui.ascii = true\n").unwrap();
    fs::write(paths.sources_file(), "[[source]]\nid = 'a'\nurl = 'http://a.example/feed'\n")
        .unwrap();
    database_of(&paths.database(), schema);
    drop(crate::store::CrawlLog::open(&paths.data_dir().join("crawls/site.db")).unwrap());
    paths
}

/// The titles of all items.
fn titles(paths: &Paths) -> Vec<String> {
    let store = Store::open(&paths.database()).unwrap();
    let reader = store.reader().unwrap();
    let last = reader.last_key().unwrap();
    (1..=last).filter_map(|key| Some(reader.item(key).ok()??.title)).collect()
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        match entry.path().is_dir() {
            true => names.extend(files(&entry.path()).iter().map(|f| format!("{name}/{f}"))),
            false => names.push(name),
        }
    }
    names.sort();
    names
}

#[test]
fn restores_backups_of_every_schema() {
    for schema in 1..=schema_version() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (filled(folder.path(), schema), home(folder.path(), "new"));
        let file = folder.path().join("backup.tar.gz");
        let packed = pack(&old, &file, false, now(), QUIET).unwrap();
        assert_eq!((packed.manifest.schema, packed.skipped), (schema, vec![]));
        let restored = restore(&new, &file, false, now(), QUIET).unwrap();
        assert_eq!((restored.manifest, restored.replaced), (packed.manifest, vec![]));
        assert_eq!(titles(&new), ["kept"], "schema {schema}");
        for path in [Paths::config_file, Paths::sources_file] {
            assert_eq!(fs::read(path(&new)).unwrap(), fs::read(path(&old)).unwrap());
        }
        assert_eq!(files(new.config_dir()), ["config.toml", "sources.toml"]);
        assert_eq!(files(new.data_dir()), ["crawls/site.db", "newsfed.db", "newsfed.lock"]);
        crate::store::CrawlLog::open(&new.data_dir().join("crawls/site.db")).unwrap();
        assert_eq!(files(old.data_dir()).len(), 2, "no copies are left");
    }
}

#[test]
fn backups_contain_only_complete_changes() {
    let folder = tempfile::tempdir().unwrap();
    let paths = filled(folder.path(), schema_version());
    let store = Store::open(&paths.database()).unwrap();
    let source = |n: usize| {
        let url = format!("http://s{n}.example/").parse().unwrap();
        Source::feed(SourceId(format!("s{n}")), url)
    };
    // Each change replaces all of the one hundred sources.
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let writer = std::thread::spawn(move || {
        let mut round = 0;
        while stopped.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
            let declared = (round * 100..(round + 1) * 100).map(source).collect();
            store.reconcile_blocking(declared, now()).unwrap();
            round += 1;
        }
        round
    });
    for n in 0..5 {
        let file = folder.path().join(format!("{n}.tar.gz"));
        pack(&paths, &file, false, now(), QUIET).unwrap();
        let new = home(folder.path(), &format!("new{n}"));
        restore(&new, &file, false, now(), QUIET).unwrap();
        let store = Store::open(&new.database()).unwrap();
        let declared = store.reader().unwrap().sources().unwrap().len();
        assert!(declared == 100 || declared == 1, "{declared}");
    }
    stop.send(()).unwrap();
    assert!(writer.join().unwrap() > 1);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_backups() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (filled(folder.path(), 5), home(folder.path(), "new"));
    let file = folder.path().join("backup.tar.gz");
    pack(&old, &file, false, now(), QUIET).unwrap();
    restore(&new, &file, false, now(), QUIET).unwrap();
    for path in [&file, &new.database(), &new.config_file(), &new.sources_file()] {
        let mode = fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", path.display());
    }
}

#[test]
fn backups_replace_nothing_by_accident() {
    let folder = tempfile::tempdir().unwrap();
    let old = filled(folder.path(), 7);
    let file = folder.path().join("backup.tar.gz");
    pack(&old, &file, false, now(), QUIET).unwrap();
    let before = fs::read(&file).unwrap();
    let error = pack(&old, &file, false, now(), QUIET).unwrap_err();
    assert!(matches!(error, BackupError::Exists(_)), "{error}");
    assert_eq!(fs::read(&file).unwrap(), before);
    assert!(pack(&old, &file, true, now(), QUIET).is_ok());

    let new = filled(&folder.path().join("other"), 9);
    fs::write(new.sources_file(), "# other\n").unwrap();
    let error = restore(&new, &file, false, now(), QUIET).unwrap_err();
    assert!(matches!(error, BackupError::InTheWay(_)), "{error}");
    assert_eq!(fs::read_to_string(new.sources_file()).unwrap(), "# other\n");
    for round in ["", "-2"] {
        let restored = restore(&new, &file, true, now(), QUIET).unwrap();
        let name = format!("replaced-2026-11-23-080000{round}");
        let folders = [new.config_dir(), new.data_dir()].map(|folder| folder.join(&name));
        assert_eq!(restored.replaced, folders);
        assert_eq!(files(&folders[0]), ["config.toml", "sources.toml"]);
        assert_eq!(files(&folders[1]), ["crawls/site.db", "newsfed.db"]);
    }
    let kept = new.config_dir().join("replaced-2026-11-23-080000/sources.toml");
    assert_eq!(fs::read_to_string(kept).unwrap(), "# other\n");
}

/// The file may be created while the backup is written.
#[test]
fn never_overwrites_a_file_that_appears() {
    let folder = tempfile::tempdir().unwrap();
    let paths = filled(folder.path(), schema_version());
    let file = folder.path().join("backup.tar.gz");
    let appear = |_: &str, _: u64| fs::write(&file, "mine").unwrap();
    let refused = pack(&paths, &file, false, now(), &appear).unwrap_err();
    assert!(matches!(refused, BackupError::Exists(_)), "{refused}");
    assert_eq!(fs::read(&file).unwrap(), b"mine");
    pack(&paths, &file, true, now(), &appear).unwrap();
    check(&paths, &file, QUIET).unwrap();
}

/// The journal of a replaced database would otherwise be applied to the restored one.
#[test]
fn moves_the_journal_with_its_database() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (filled(folder.path(), 5), home(folder.path(), "new"));
    let file = folder.path().join("backup.tar.gz");
    pack(&old, &file, false, now(), QUIET).unwrap();
    fs::create_dir_all(new.data_dir()).unwrap();
    fs::write(new.data_dir().join("newsfed.db-journal"), "old").unwrap();
    restore(&new, &file, true, now(), QUIET).unwrap();
    assert!(!new.data_dir().join("newsfed.db-journal").exists());
    assert_eq!(titles(&new), ["kept"]);
}

#[test]
fn explains_why_files_are_not_packed() {
    assert_eq!(pack::unpackable("site.db", 4), None);
    assert!(pack::unpackable("notes.txt", 4).unwrap().contains("not a crawl log"));
    assert!(pack::unpackable("site.db", 10_009).unwrap().contains("at most 10010 files"));
}

#[test]
fn does_not_replace_a_database_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let paths = filled(folder.path(), schema_version());
    let file = folder.path().join("backup.tar.gz");
    pack(&paths, &file, false, now(), QUIET).unwrap();
    let in_use = |paths: &Paths| {
        let error = restore(paths, &file, true, now(), QUIET).unwrap_err();
        assert!(matches!(error, BackupError::InUse(_)), "{error}");
    };
    let lock = store::PollerLock::acquire(&paths.database()).unwrap();
    in_use(&paths);
    drop(lock);
    let store = Store::open(&paths.database()).unwrap();
    let reader = store.reader().unwrap();
    in_use(&paths);
    store.close();
    in_use(&paths);
    drop((store, reader));
    assert!(!files(paths.data_dir()).iter().any(|file| file.starts_with("replaced")));
    assert!(restore(&paths, &file, true, now(), QUIET).is_ok());
}

#[test]
fn failed_restore_puts_everything_back() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (filled(folder.path(), 9), home(folder.path(), "new"));
    let file = folder.path().join("backup.tar.gz");
    pack(&old, &file, false, now(), QUIET).unwrap();
    restore(&new, &file, false, now(), QUIET).unwrap();
    fs::write(new.sources_file(), "# newer\n").unwrap();
    let packed = repack(&file, |manifest, entries| {
        // A folder is created where this file of the backup belongs.
        let at = manifest.files.iter().position(|f| f.name.ends_with("site.db")).unwrap();
        manifest.files[at].name = "data/crawls/in.the.way.db".to_owned();
        entries[at].0 = manifest.files[at].name.clone();
    });
    fs::write(&file, packed).unwrap();
    let crawls = new.data_dir().join("crawls");
    let before = (files(new.config_dir()), files(new.data_dir()));
    // The old folder can be renamed, but the new file cannot be created.
    let broken = Paths::below(&folder.path().join("new"));
    let obstacle: BackupProgress<'_> = &|what, _| {
        if what == "Restoring" {
            fs::create_dir_all(crawls.join("in.the.way.db/x")).unwrap();
        }
    };
    let error = restore(&broken, &file, true, now(), obstacle).unwrap_err();
    assert!(matches!(error, BackupError::Write { .. }), "{error}");
    assert_eq!(fs::read_to_string(new.sources_file()).unwrap(), "# newer\n");
    assert_eq!(files(new.config_dir()), before.0);
    let folders = |paths: &Paths| fs::read_dir(paths.config_dir()).unwrap().count();
    assert_eq!(folders(&new), 2, "no empty folder is left");
    assert_eq!(titles(&new), ["kept"]);
}

/// An entry of an archive: name, type, content.
type Content = (String, tar::EntryType, Vec<u8>);

/// Changes a backup without updating the sizes and checksums in the manifest.
fn repack(file: &Path, change: impl FnOnce(&mut Manifest, &mut Vec<Content>)) -> Vec<u8> {
    let mut archive = tar::Archive::new(GzDecoder::new(fs::File::open(file).unwrap()));
    let mut contents = Vec::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        let name = String::from_utf8(entry.path_bytes().into_owned()).unwrap();
        contents.push((name, entry.header().entry_type(), content));
    }
    let mut manifest: Manifest = serde_json::from_slice(&contents.remove(0).2).unwrap();
    change(&mut manifest, &mut contents);
    let json = serde_json::to_vec(&manifest).unwrap();
    contents.insert(0, (manifest::NAME.to_owned(), tar::EntryType::Regular, json));
    archive_of(&contents)
}

fn archive_of(contents: &[Content]) -> Vec<u8> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    for (name, kind, content) in contents {
        let mut header = tar::Header::new_ustar();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*kind);
        if *kind == tar::EntryType::Symlink {
            header.set_link_name("/etc/passwd").unwrap();
        }
        header.set_size(content.len() as u64);
        header.set_cksum();
        archive.append(&header, content.as_slice()).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

#[test]
fn rejects_hostile_archives_before_replacing_anything() {
    use tar::EntryType::{Directory, Fifo, GNULongName, Regular, Symlink, XHeader};
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (filled(folder.path(), 9), filled(&folder.path().join("new"), 9));
    let file = folder.path().join("backup.tar.gz");
    pack(&old, &file, false, now(), QUIET).unwrap();
    let whole = fs::read(&file).unwrap();
    let named = |name: &'static str| {
        repack(&file, move |manifest, entries| {
            manifest.files[0].name = name.to_owned();
            entries[0].0 = name.to_owned();
        })
    };
    let inserted = |name: &'static str, kind, content: Vec<u8>| {
        repack(&file, move |_, entries| entries.insert(0, (name.to_owned(), kind, content)))
    };
    let lines = |json: &str| archive_of(&[(manifest::NAME.to_owned(), Regular, json.into())]);
    let mut flipped = whole.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty", vec![], "not a backup"),
        ("text", b"hello".to_vec(), "not a backup"),
        ("other archive", archive_of(&[("a".into(), Regular, vec![])]), "not begin with"),
        (
            "no files",
            repack(&file, |manifest, entries| {
                manifest.files.clear();
                entries.clear();
            }),
            "lists no files",
        ),
        ("absolute", named("/etc/passwd"), "does not belong in a backup"),
        ("parent", named("../x"), "does not belong in a backup"),
        ("parent inside", named("data/crawls/../../x.db"), "does not belong in a backup"),
        ("hidden", named("data/crawls/.db"), "does not belong in a backup"),
        ("line break", named("data/crawls/a\nb.db"), "does not belong in a backup"),
        ("link", repack(&file, |_, e| e[0].1 = Symlink), "where config/config.toml belongs"),
        ("folder", repack(&file, |_, e| e[0].1 = Directory), "where config/config.toml belongs"),
        ("pipe", repack(&file, |_, e| e[0].1 = Fifo), "where config/config.toml belongs"),
        ("long name", inserted("././@LongLink", GNULongName, vec![b'a'; 1000]), "where config"),
        ("extension", inserted("x", XHeader, b"12 size=99\n".to_vec()), "where config"),
        ("unlisted first", inserted("data/newsfed.db", Regular, vec![]), "where config"),
        (
            "unlisted last",
            repack(&file, |_, e| e.push(("data/newsfed.db".into(), Regular, vec![]))),
            "does not list",
        ),
        (
            "twice",
            repack(&file, |m, e| {
                m.files.push(m.files[0].clone());
                e.push(e[0].clone());
            }),
            "lists config/config.toml twice",
        ),
        ("missing", repack(&file, |_, e| drop(e.pop())), "its end is missing"),
        ("longer", repack(&file, |_, e| e[0].2.push(b'x')), "differs from the manifest"),
        ("changed", repack(&file, |_, e| e[0].2[0] = b'x'), "does not match its checksum"),
        ("bomb", repack(&file, |m, _| m.files[0].bytes = 1 << 40), "far more than"),
        ("overflow", repack(&file, |m, _| m.files[0].bytes = u64::MAX), "far more than"),
        (
            "database",
            repack(&file, |m, e| {
                let at = m.files.iter().position(|f| f.name == "data/newsfed.db").unwrap();
                e[at].2 = b"hello".to_vec();
                m.files[at].bytes = 5;
                m.files[at].sha256 =
                    "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824".into();
            }),
            "database cannot be used",
        ),
        (
            "format",
            repack(&file, |m, _| m.format = 2),
            concat!("newer version of newsfed (", env!("CARGO_PKG_VERSION"), ", format 2"),
        ),
        ("schema", repack(&file, |m, _| m.schema = 99), "database schema 99"),
        ("manifest", lines("{"), "manifest cannot be read"),
        ("huge manifest", lines(&" ".repeat(5 << 20)), "does not begin with"),
        ("cut early", whole[..100].to_vec(), "not a backup"),
        ("cut", whole[..whole.len() - 20].to_vec(), "end is missing"),
        ("flipped", flipped, "damaged"),
        ("trailing", [&whole[..], &[0; 9]].concat(), ""),
    ];
    let before = (files(new.config_dir()), files(new.data_dir()));
    let hostile: PathBuf = folder.path().join("hostile.tar.gz");
    for (name, bytes, part) in cases {
        fs::File::create(&hostile).unwrap().write_all(&bytes).unwrap();
        match check(&new, &hostile, QUIET) {
            Ok(_) => assert_eq!(part, "", "{name} was accepted"),
            Err(error) => {
                let error = error.to_string();
                assert!(!part.is_empty() && error.contains(part), "{name}: {error}");
                let error = restore(&new, &hostile, true, now(), QUIET).unwrap_err().to_string();
                assert!(error.contains(part), "{name}: {error}");
            }
        }
        let after = (files(new.config_dir()), files(new.data_dir()));
        assert_eq!(after, before, "{name}");
    }
    assert_eq!(titles(&new), ["kept"]);
}

#[test]
fn does_not_back_up_an_empty_home() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("backup.tar.gz");
    let error = pack(&home(folder.path(), "new"), &file, false, now(), QUIET).unwrap_err();
    assert!(matches!(error, BackupError::Nothing(..)), "{error}");
    assert!(!file.exists());
}

#[test]
fn reports_crawl_logs_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let paths = filled(folder.path(), schema_version());
    let log = store::CrawlLog::open(&paths.data_dir().join("crawls/site.db")).unwrap();
    let packed = pack(&paths, &folder.path().join("b.tar.gz"), false, now(), QUIET).unwrap();
    drop(log);
    assert_eq!(packed.skipped.len(), 1);
    assert!(packed.skipped[0].1.contains("a crawl is using it"), "{:?}", packed.skipped);
}

#[test]
fn errors_contain_the_target_path() {
    let folder = tempfile::tempdir().unwrap();
    let old = filled(folder.path(), schema_version());
    let file = folder.path().join("missing").join("a.tar.gz");
    let error = pack(&old, &file, false, now(), QUIET).unwrap_err().to_string();
    let want = format!("cannot write {}: no such file or directory", file.display());
    assert_eq!(error, want);
}
