//! OPML files of other projects, if the reference data is next to this project:
//! `cargo test --test corpora opml::`. Otherwise the tests print a note and pass.

// Clippy's exemption for tests does not cover the helpers below.

use crate::reference::corpora;
use newsfed::config::{Import, ImportError, export_opml, import};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn read(file: &Path) -> Result<Import, ImportError> {
    import(&fs::read(file).unwrap(), &file.file_name().unwrap().to_string_lossy())
}

/// All files with this extension below a folder, sorted.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Number of distinct `xmlUrl` values, found by a plain text search.
fn addresses(text: &str) -> usize {
    let mut found: Vec<_> = text
        .match_indices("xmlUrl=\"")
        .filter_map(|(i, m)| text[i + m.len()..].split('"').next())
        .filter(|a| a.starts_with("http"))
        .collect();
    found.sort_unstable();
    found.dedup();
    found.len()
}

fn round_trips(first: &Import) {
    let text = export_opml(&first.sources, &HashMap::new(), &[]).text;
    let again = import(text.as_bytes(), "export").unwrap();
    let rows = |import: &Import| {
        let mut rows: Vec<_> = import
            .sources
            .iter()
            .map(|s| (s.url.to_string(), s.title.clone(), s.folder.clone(), s.tags.clone()))
            .collect();
        rows.sort();
        rows
    };
    assert_eq!(rows(&again), rows(first));
    assert!(again.skipped.is_empty());
}

#[test]
fn imports_lists_of_readers_with_folders() {
    let Some(folder) = corpora() else { return };
    let cases = [
        ("newsboat-example.opml", 7, vec!["Blogs", "Blogs/friends", "eloquent"]),
        ("newsboat-category.opml", 1, vec![]),
    ];
    for (name, sources, folders) in cases {
        let import = read(&folder.join("readers/opml").join(name)).unwrap();
        let mut found: Vec<_> = import.sources.iter().filter_map(|s| s.folder.clone()).collect();
        found.sort();
        found.dedup();
        assert_eq!(
            (import.sources.len(), found),
            (sources, folders.iter().map(|f| (*f).to_owned()).collect())
        );
        round_trips(&import);
    }
    let big = read(&folder.join("readers/opml/nnw-subs.opml")).unwrap();
    let listed: usize = big
        .skipped
        .iter()
        .filter_map(|(_, why)| why.split(' ').nth(1)?.parse::<usize>().ok())
        .map(|n| n - 1)
        .sum();
    assert_eq!(big.sources.len() + listed, 207, "{:?}", big.skipped);
    round_trips(&big);
    let error = read(&folder.join("readers/opml/newsboat-body-missing.opml")).unwrap_err();
    assert!(matches!(error, ImportError::NoBody(_)), "{error}");
}

#[test]
fn reads_valid_and_broken_files_of_the_corpus() {
    let Some(folder) = corpora() else { return };
    let (mut read_whole, mut refused, mut feeds) = (0, 0, 0);
    for file in files(&folder.join("conformance/opml"), "opml") {
        let bytes = fs::read(&file).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        match read(&file) {
            Ok(import) => {
                let skipped = import.skipped.iter().filter(|(w, _)| w.starts_with("http")).count();
                let twice = import.skipped.iter().filter(|(_, y)| y.starts_with("listed")).count();
                let expected = addresses(&text);
                let got = import.sources.len() + skipped - twice;
                assert_eq!(got, expected, "{}: {:?}", file.display(), import.skipped);
                feeds += import.sources.len();
                read_whole += 1;
                if !import.sources.is_empty() {
                    round_trips(&import);
                }
            }
            Err(error) => {
                refused += 1;
                println!("{error}");
                let is_list = text.contains("xmlUrl=\"http") && text.contains("<opml");
                assert!(!is_list, "{}: {error}", file.display());
            }
        }
    }
    println!("{read_whole} files read with {feeds} feeds, {refused} rejected with a reason");
    assert!(read_whole >= 60);
}

#[test]
fn imports_a_plain_list_of_thousands() {
    let Some(folder) = corpora() else { return };
    let import = read(&folder.join("conformance/smallweb_urls.txt")).unwrap();
    println!("{} sources, {} left out", import.sources.len(), import.skipped.len());
    assert!(import.sources.len() > 5_000);
    round_trips(&import);
}

#[test]
fn survives_hostile_files() {
    let Some(folder) = corpora() else { return };
    let out = tempfile::tempdir().unwrap();
    let script = folder.join("conformance/hostile.py");
    let made = Command::new("python3").arg(script).arg(out.path()).output();
    if !made.is_ok_and(|o| o.status.success()) {
        println!("skipped: python3 is needed to make the hostile files");
        return;
    }
    let import = |name: &str| read(&out.path().join(name));
    assert!(matches!(import("opml-deep.opml"), Err(ImportError::TooDeep { .. })));
    assert_eq!(import("opml-dup.opml").unwrap().sources.len(), 1);
    let schemes = import("opml-schemes.opml").unwrap();
    assert_eq!((schemes.sources.len(), schemes.skipped.len()), (0, 6));
    let escapes = import("esc.opml").unwrap();
    let shown = format!(
        "{:?}",
        escapes.sources.iter().map(|s| (&s.title, s.url.as_str())).collect::<Vec<_>>()
    ) + &export_opml(&escapes.sources, &HashMap::new(), &[]).text;
    // `Debug` escapes unprintable characters, so a backslash would reveal them.
    assert!(!shown.contains("\\u{") && !shown.contains('\u{1b}'), "{shown}");
    assert!(!escapes.sources.is_empty());
    for file in files(out.path(), "xml").into_iter().chain(files(out.path(), "html")) {
        if let Err(error) = read(&file) {
            assert!(!error.to_string().chars().any(char::is_control), "{error:?}");
        }
    }
}
