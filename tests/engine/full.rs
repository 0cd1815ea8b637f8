//! A disk that becomes full and is freed again: the engine runs on a small file system of its own.

use super::*;
use newsfed::store::{Mark, Store, StoreError};
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// The variable that marks the inner test, which runs with its temporary folder on the small file system.
const INSIDE: &str = "NEWSFED_SMALL_DISK";

/// Creates a file system of 6 MiB in a private mount namespace, and runs the test below on it.
#[test]
fn recovers_from_a_full_disk_without_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=6m none \"$TMPDIR\" || exit 77; exec \"$0\" --ignored --exact full::on_a_small_disk";
    let run = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", script])
        .arg(std::env::current_exe().unwrap())
        .env("TMPDIR", folder.path())
        .env(INSIDE, "1")
        .output();
    match run {
        Ok(run) if run.status.success() => {
            let said = String::from_utf8_lossy(&run.stdout);
            assert!(said.contains("1 passed"), "{said}");
        }
        // Exit code 101 is a failed test, 1 is an error of unshare, and 77 one of mount.
        Ok(run) if run.status.code() == Some(101) => {
            panic!("{}", String::from_utf8_lossy(&run.stdout))
        }
        other => println!("skipped: cannot create a file system: {other:?}"),
    }
}

#[tokio::test]
#[ignore = "runs on a small disk, which the test above creates"]
async fn on_a_small_disk() {
    assert!(std::env::var_os(INSIDE).is_some(), "only the test above can run this");
    let big = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let theirs = big.clone();
    let server = Server::start(move |_| {
        if !theirs.load(std::sync::atomic::Ordering::SeqCst) {
            return feed(&[("1", "One")]).header("etag", "\"small\"");
        }
        let item = |n: u32| {
            let text = "word ".repeat(100_000);
            format!("<item><title>Big {n}</title><guid>b{n}</guid><description>{text}</description></item>")
        };
        let items: String = (0..3).map(item).collect();
        let body = format!("<rss version=\"2.0\"><channel><title>F</title>{items}</channel></rss>");
        Reply::ok("text/xml", body).header("etag", "\"big\"")
    })
    .unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    let engine = home.following().await;
    received(&server, 1).await;
    settled(&engine).await;
    let key = engine.store().reader().unwrap().last_key().unwrap();
    engine.mark(Mark::Pinned, vec![key], true).await.unwrap();
    let filler = home.dir.path().join("filler");
    fill(&filler);
    big.store(true, std::sync::atomic::Ordering::SeqCst);
    home.clock.advance(65 * MINUTE);
    settled(&engine).await;
    let lost = match sync_one(&engine, Pace::Force).await {
        Refreshed::Lost(words) => words,
        other => panic!("{other:?}"),
    };
    assert!(lost.contains("the disk is full") && lost.contains("free some space"), "{lost}");
    let before = facts(&engine, "s").await;
    assert_eq!(
        (before.items, before.pinned, before.fail_count),
        (1, 1, 0),
        "the server did not fail"
    );
    assert_eq!(
        before.validators.etag.as_deref(),
        Some(&b"\"small\""[..]),
        "fetched completely again"
    );
    assert_eq!(titles(&engine), ["One"]);
    let requested = server.requests().len();
    replanned(&engine).await;
    assert_eq!(server.requests().len(), requested, "no requests while the disk is full");
    std::fs::remove_file(&filler).unwrap();
    home.clock.advance(6 * MINUTE);
    received(&server, requested + 1).await;
    settled(&engine).await;
    assert_eq!(items(&engine).len(), 4);
    let after = facts(&engine, "s").await;
    assert_eq!((after.pinned, after.validators.etag.as_deref()), (1, Some(&b"\"big\""[..])));
    assert!(engine.store().reader().unwrap().check().unwrap().is_empty());
    engine.shutdown().await;
    // An engine that starts while the disk is full recovers too.
    let path = home.dir.path().join("other.db");
    Store::open(&path).unwrap().set_memo("note", "old".to_owned()).await.unwrap();
    fill(&filler);
    let store = Store::open(&path).unwrap();
    let why = store.writable();
    assert!(matches!(why, Err(StoreError::Full)), "{why:?}");
    let then = store.reader().unwrap();
    assert_eq!((then.is_frozen(), then.memo("note").unwrap().as_deref()), (true, Some("old")));
    std::fs::remove_file(&filler).unwrap();
    store.set_memo("note", "new".to_owned()).await.unwrap();
    let now = store.reader().unwrap();
    assert_eq!((now.is_frozen(), now.memo("note").unwrap().as_deref()), (false, Some("new")));
}

/// Fills the disk.
fn fill(filler: &Path) {
    let mut file = std::fs::File::create(filler).unwrap();
    while file.write_all(&[0; 4096]).is_ok() {}
}
