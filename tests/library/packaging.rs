//! Packages: their contents, and whether their files match Cargo.toml.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn cargo_toml() -> toml::Table {
    fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap()
}

/// A value of `[package]`, including values inherited from the workspace.
fn package(key: &str) -> String {
    let manifest = cargo_toml();
    let shared = || manifest.get("workspace")?.get("package")?.get(key)?.as_str();
    manifest["package"][key].as_str().or_else(shared).unwrap().to_owned()
}

/// Runs a script of `packaging`.
fn script(name: &str, args: &[&Path]) -> Output {
    Command::new("sh").arg(root().join("packaging").join(name)).args(args).output().unwrap()
}

/// Like [`script`], with a umask that makes files private.
fn private_script(name: &str, args: &[&Path]) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", "umask 077 && exec sh \"$@\"", "sh"]);
    command.arg(root().join("packaging").join(name)).args(args).output().unwrap()
}

/// The relative paths of all files below a folder.
fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found
}

/// The assets of a package as source and target paths.
fn assets(tool: &str) -> Vec<(String, String)> {
    let manifest = cargo_toml();
    let table = &manifest["package"]["metadata"][tool];
    let text = |value: &toml::Value| value.as_str().unwrap().to_owned();
    let asset = |asset: &toml::Value| match asset.as_array() {
        Some(list) => (text(&list[0]), text(&list[1])),
        None => (text(&asset["source"]), text(&asset["dest"])),
    };
    table["assets"].as_array().unwrap().iter().map(asset).collect()
}

/// Folders below `usr` that exist on every system that uses rpm.
const COMMON: [&str; 17] = [
    "",
    "bin",
    "lib",
    "lib/systemd",
    "lib/systemd/user",
    "share",
    "share/bash-completion",
    "share/bash-completion/completions",
    "share/doc",
    "share/fish",
    "share/fish/vendor_completions.d",
    "share/licenses",
    "share/man",
    "share/zsh",
    "share/zsh/site-functions",
    // `rmdir -p` removes these folders after the folders in them.
    "share/nushell",
    "share/nushell/vendor",
];

/// The paths at which a package installs a file, one for each matching asset, without the leading slash.
fn destinations(assets: &[(String, String)], file: &str) -> Vec<String> {
    let to = |(source, dest): &(String, String)| {
        let source = match source.strip_prefix("target/assembled/") {
            Some(source) => source,
            None => &source.replace("target/release/", "bin/"),
        };
        let dest = dest.trim_start_matches('/');
        let name = match source.strip_suffix("**/*") {
            Some(folder) => file.strip_prefix(folder)?,
            None if source == file => file.rsplit('/').next()?,
            None => return None,
        };
        Some(if dest.ends_with('/') { format!("{dest}{name}") } else { dest.to_owned() })
    };
    assets.iter().filter_map(to).collect()
}

#[test]
fn every_package_contains_every_file_once() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("usr");
    let done = private_script("assemble", &[Path::new(env!("CARGO_BIN_EXE_newsfed")), &folder]);
    assert!(done.status.success(), "{done:?}");
    let files = files(&folder);
    #[cfg(unix)]
    for path in &files {
        use std::os::unix::fs::PermissionsExt;
        let path = folder.join(path);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&path) & 0o444, 0o444, "everybody may read {path:?}");
        assert_eq!(mode(path.parent().unwrap()) & 0o555, 0o555, "{path:?}");
    }
    for file in [
        "bin/newsfed",
        "share/man/man1/newsfed-account-add.1",
        "share/man/man5/newsfed-config.5",
        "share/licenses/newsfed/LICENSE",
        "share/doc/newsfed/CHANGELOG.md",
        "share/doc/newsfed/config.example.toml",
        "share/doc/newsfed/docs/search.md",
    ] {
        assert!(files.contains(file), "{file} is missing");
    }
    // In a .deb package, the licence is in the copyright file, which cargo-deb generates.
    for (tool, elsewhere) in [("deb", "share/licenses/"), ("generate-rpm", "nothing")] {
        let assets = assets(tool);
        let mut written = BTreeSet::new();
        for file in files.iter().filter(|file| !file.starts_with(elsewhere)) {
            let to = destinations(&assets, file);
            assert_eq!(to.len(), 1, "{tool}: {file} goes to {to:?}");
            // Debian uses a different folder for zsh completions.
            let expected = format!("usr/{file}").replace(
                "zsh/site-functions",
                if tool == "deb" { "zsh/vendor-completions" } else { "zsh/site-functions" },
            );
            assert_eq!(to[0], expected, "{tool}");
            written.insert(to[0].clone());
        }
        for asset in &assets {
            let used = |file: &String| !destinations(std::slice::from_ref(asset), file).is_empty();
            assert!(files.iter().any(used), "{tool}: there is no {}", asset.0);
        }
    }
    // rpm does not remove folders, so a script of the package does.
    let rpm = &cargo_toml()["package"]["metadata"]["generate-rpm"];
    let script = rpm["post_uninstall_script"].as_str().unwrap();
    let removed: BTreeSet<&str> =
        script.split_whitespace().filter_map(|word| word.strip_prefix("/usr/")).collect();
    let folders = files.iter().flat_map(|file| Path::new(file).ancestors().skip(1));
    let folders = folders.map(|folder| folder.to_str().unwrap());
    let own =
        folders.filter(|folder| !COMMON.contains(folder) && !folder.starts_with("share/man/"));
    assert_eq!(removed, own.collect());
    let unit = fs::read_to_string(folder.join("lib/systemd/user/newsfed.service")).unwrap();
    assert!(unit.contains("\nExecStart=/usr/bin/newsfed daemon\n"), "{unit}");
    assert!(!unit.contains(".cargo"), "{unit}");
}

/// The manifests with placeholders, each with the release files for which it needs checksums.
fn manifests() -> BTreeMap<PathBuf, BTreeSet<String>> {
    let folder = root().join("packaging");
    let version = package("version");
    let named = |file: &String| {
        let text = fs::read_to_string(folder.join(file)).unwrap().replace("@VERSION@", &version);
        let names = text.split("@SHA256(").skip(1).map(|rest| rest.split(")@").next().unwrap());
        text.contains(&version).then(|| (file.into(), names.map(str::to_owned).collect()))
    };
    files(&folder)
        .iter()
        .filter(|file| file.contains('/') && !file.starts_with("deb/"))
        .filter_map(named)
        .collect()
}

#[test]
fn manifests_match_cargo_toml() {
    let manifests = manifests();
    assert_eq!(manifests.len(), 6, "{manifests:?}");
    let folder = tempfile::tempdir().unwrap();
    let (sums, filled) = (folder.path().join("SHA256SUMS"), folder.path().join("filled"));
    let names: BTreeSet<&String> = manifests.values().flatten().collect();
    let sum = |index: usize| format!("{:064x}", 0xabc0 + index);
    let lines = names.iter().enumerate().map(|(index, name)| format!("{}  {name}\n", sum(index)));
    fs::write(&sums, lines.collect::<String>()).unwrap();
    let done = script("fill", &[&sums, &filled]);
    assert!(done.status.success(), "{done:?}");
    for (file, needed) in &manifests {
        let text = fs::read_to_string(filled.join(file)).unwrap();
        assert!(text.contains(&package("version")) && text.contains("newsfed"), "{file:?}");
        assert!(!text.contains('@') || file.ends_with("PKGBUILD"), "{file:?}: {text}");
        for name in needed {
            let index = names.iter().position(|other| *other == name).unwrap();
            assert!(text.contains(&sum(index)), "{file:?} has the checksum of {name}");
        }
        let urls = text.split("https://").skip(1);
        assert!(urls.clone().all(|url| url.starts_with("newsfed.example/")), "{file:?}");
        if file.starts_with("winget") {
            assert!(text.contains(&format!("\nPackageVersion: {}\n", package("version"))));
        } else {
            assert!(text.contains(&package("license")) && text.contains(&package("homepage")));
        }
        let described = package("description").trim_start_matches("A ").to_lowercase();
        let without = ["newsfed.newsfed.yaml", "newsfed.newsfed.installer.yaml"]
            .iter()
            .any(|end| file.ends_with(end));
        assert!(without || text.to_lowercase().contains(&described), "{file:?}");
    }
    let scoop = fs::read_to_string(filled.join("scoop/newsfed.json")).unwrap();
    let scoop: serde_json::Value = serde_json::from_str(&scoop).unwrap();
    assert_eq!(scoop["version"], package("version"));
    // If a file that a manifest needs is missing, the release is not published.
    fs::write(&sums, format!("{}  other.tar.gz\n", sum(0))).unwrap();
    assert!(!script("fill", &[&sums, &filled]).status.success());
}

#[test]
fn the_deb_changelog_starts_with_this_version() {
    let version = package("version");
    let text = fs::read_to_string(root().join("packaging/deb/changelog")).unwrap();
    assert!(text.starts_with(&format!("newsfed ({version}-1) ")), "{text}");
    let tag = format!("v{version}");
    let done = script("version", &[Path::new("v0.0.0")]);
    assert!(!done.status.success());
    let released = fs::read_to_string(root().join("CHANGELOG.md")).unwrap();
    let released = released.contains(&format!("\n## [{version}] - 20"));
    assert_eq!(script("version", &[Path::new(&tag)]).status.success(), released);
}

#[cfg(target_os = "linux")]
#[test]
fn checksums_cover_every_file_of_a_release() {
    let folder = tempfile::tempdir().unwrap();
    let names: BTreeSet<String> = manifests().into_values().flatten().collect();
    for name in &names {
        fs::write(folder.path().join(name), name).unwrap();
    }
    let sums = || {
        let done = script("sums", &[folder.path()]);
        assert!(done.status.success(), "{done:?}");
        fs::read_to_string(folder.path().join("SHA256SUMS")).unwrap()
    };
    let first = sums();
    assert_eq!(sums(), first, "the same files have the same checksums");
    let covered: BTreeSet<&str> =
        first.lines().map(|line| line.split("  ").nth(1).unwrap()).collect();
    let all = files(folder.path());
    let own = ["SHA256SUMS", "NOTES.md"];
    assert_eq!(
        covered,
        all.iter().map(String::as_str).filter(|name| !own.contains(name)).collect()
    );
    let mut check = Command::new("sha256sum");
    check.args(["--check", "--strict", "--quiet", "SHA256SUMS"]).current_dir(folder.path());
    assert!(check.status().unwrap().success());
}
