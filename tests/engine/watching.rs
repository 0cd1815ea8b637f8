//! Changes by editors and by other processes are detected at once.

use super::*;
use newsfed::store::{Mark, Store};
use std::path::Path;

/// Saves a file like many editors: by replacing it with a new file.
fn replace(file: &Path, text: &str) {
    let new = file.with_extension("swp");
    std::fs::write(&new, text).unwrap();
    std::fs::rename(new, file).unwrap();
}

fn declaration(ids: &[&str]) -> String {
    let entry =
        |id: &&str| format!("[[source]]\nid = \"{id}\"\nurl = \"http://127.0.0.1:9/{id}\"\n");
    ids.iter().map(entry).collect()
}

/// An engine that is known to be watching, because it has detected a first change.
async fn watching(home: &Home) -> Handle {
    let engine = home.following().await;
    settled(&engine).await;
    let mut settings = engine.reloaded_settings();
    let file = home.paths().config_file();
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, "[ui]\nascii = true\n").unwrap();
    soon(settings.wait_for(|s| s.ui.ascii)).await.unwrap();
    engine
}

fn one_source() -> (Home, Server) {
    let server = Server::start(|_| feed(&[("1", "One")])).unwrap();
    (Home::with(&[source("s", &server.url("/"))]), server)
}

#[tokio::test]
async fn reloads_both_files_when_an_editor_replaces_them() {
    let (home, _server) = one_source();
    let engine = watching(&home).await;
    let (mut settings, mut declared) = (engine.reloaded_settings(), engine.declared());
    replace(&home.paths().config_file(), "[ui]\nreader_width = 55\n");
    let new = soon(settings.wait_for(|s| s.ui.reader_width == 55)).await.unwrap().clone();
    assert!(!new.ui.ascii);
    assert_eq!(engine.settings().ui.reader_width, 55);
    replace(&home.paths().sources_file(), &declaration(&["a", "b"]));
    soon(declared.wait_for(|all| all.len() == 2)).await.unwrap();
    // This time, the file is written in place.
    std::fs::write(home.paths().sources_file(), declaration(&["a", "b", "c"])).unwrap();
    soon(declared.wait_for(|all| all.len() == 3)).await.unwrap();
    engine.shutdown().await;
}

#[tokio::test]
async fn ignores_a_file_with_errors_until_it_is_fixed() {
    let (home, _server) = one_source();
    let engine = watching(&home).await;
    let (mut status, mut settings) = (engine.status(), engine.reloaded_settings());
    replace(&home.paths().config_file(), "[ui]\nreader_width = \"wide\"\n");
    let shown = soon(status.wait_for(|s| s.declaration_error.is_some())).await.unwrap().clone();
    assert!(shown.declaration_error.unwrap().contains("reader_width"));
    assert!(engine.settings().ui.ascii, "the old settings stay");
    replace(&home.paths().config_file(), "[ui]\nreader_width = 60\n");
    soon(settings.wait_for(|s| s.ui.reader_width == 60)).await.unwrap();
    soon(status.wait_for(|s| s.declaration_error.is_none())).await.unwrap();
    engine.shutdown().await;
}

#[cfg(unix)]
#[tokio::test]
async fn watches_symlinked_files_in_another_folder() {
    let (home, _server) = one_source();
    let dots = tempfile::tempdir().unwrap();
    let (link, real) = (home.paths().sources_file(), dots.path().join("my-sources.toml"));
    std::fs::rename(&link, &real).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let engine = watching(&home).await;
    let mut declared = engine.declared();
    replace(&real, &declaration(&["a", "b"]));
    soon(declared.wait_for(|all| all.len() == 2)).await.unwrap();
    engine.shutdown().await;
}

#[tokio::test]
async fn the_polling_process_detects_marks_of_another_process() {
    let (home, _server) = one_source();
    let engine = watching(&home).await;
    let mut revision = engine.store().revision();
    let other = Store::open(&home.paths().database()).unwrap();
    let store = engine.store();
    store.set_memo("own", "1".to_owned()).await.unwrap();
    let version = store.foreign_version().await.unwrap();
    store.set_memo("own", "2".to_owned()).await.unwrap();
    assert_eq!(store.foreign_version().await.unwrap(), version, "its own writes do not count");
    let key = store.reader().unwrap().last_key().unwrap();
    revision.borrow_and_update();
    other.mark(Mark::Pinned, vec![key], true).await.unwrap();
    soon(revision.changed()).await.unwrap();
    assert_ne!(store.foreign_version().await.unwrap(), version);
    engine.shutdown().await;
}

#[tokio::test]
async fn a_watching_process_also_detects_marks() {
    let (home, _server) = one_source();
    let first = watching(&home).await;
    let second = home.following().await;
    let mut revision = second.store().revision();
    // The first process writes repeatedly, because the second one may not be watching yet.
    let writing = async {
        for turn in 0.. {
            first.store().set_memo("turn", turn.to_string()).await.unwrap();
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        noticed = soon(revision.changed()) => noticed.unwrap(),
        () = writing => {}
    }
    second.shutdown().await;
    first.shutdown().await;
}
