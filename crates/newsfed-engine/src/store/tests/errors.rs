//! Errors of the disk and of jobs, and several processes at once.

use super::*;

/// SQLite's own limit on the size of the file fails like a full disk.
#[test]
fn reports_a_full_disk_without_losing_data() {
    let f = Fixture::new(&["a"]);
    let big = |n: usize| Entry {
        title: format!("big {n}"),
        url: Some(format!("https://a.example/{n}")),
        content: Some(fastrand::Rng::with_seed(1).alphanumeric().to_string().repeat(1 << 20)),
        ..Entry::default()
    };
    let source = f.key("a");
    f.poll("a", vec![big(0)]);
    f.set(Mark::Pinned, "big 0");
    let limit = |pages: i64| {
        let set = move |conn: &rusqlite::Connection| {
            Ok(conn.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))?)
        };
        f.store.writer().unwrap().call_blocking(set).unwrap();
    };
    let write = || {
        let poll = f.finished(source, (1..4).map(big).collect());
        f.store
            .writer()
            .unwrap()
            .call_blocking(move |conn| ingest::store(conn, &poll, &Rules::default()))
    };
    limit(1);
    let error = write().unwrap_err();
    assert!(matches!(error, StoreError::Full), "{error}");
    assert!(error.to_string().contains("disk is full"));
    assert_eq!(f.counts("a"), (1, 1, 1), "stored items stay");
    f.set(Mark::Read, "big 0");
    limit(1 << 20);
    assert_eq!(write().unwrap().unwrap().0.new.len(), 3);
    assert_eq!(f.counts("a"), (4, 3, 1));
    assert!(f.store.reader().unwrap().check().unwrap().is_empty());
}

#[test]
fn a_failed_job_does_not_roll_back_other_jobs_of_its_transaction() {
    let f = Fixture::new(&["a", "b"]);
    let polls = ["a", "b"].map(|id| f.finished(f.key(id), vec![entry(id)]));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let (go, gate) = std::sync::mpsc::channel::<()>();
        // While this job waits, other jobs are queued behind it. When it runs again, it does not wait.
        let first = f.store.call(move |_| {
            let _ended = gate.recv();
            Ok(())
        });
        let fails = f.store.call(|conn| {
            conn.execute("UPDATE source SET etag = x'00'", [])?;
            conn.execute("INSERT INTO item (key) VALUES (1)", []).map(drop)?;
            Ok(())
        });
        let [a, b] = polls;
        let open = async {
            tokio::task::yield_now().await;
            drop(go);
        };
        let (a, b) = (f.store.store_poll(a), f.store.store_poll(b));
        let (first, a, fails, b, ()) = tokio::join!(first, a, fails, b, open);
        first.unwrap();
        assert!(matches!(fails, Err(StoreError::Sqlite(_))), "{fails:?}");
        for poll in [a, b] {
            assert_eq!(poll.unwrap().unwrap().0.new.len(), 1);
        }
    });
    assert_eq!(f.titles(&View::of(Scope::All)).len(), 2);
    assert_eq!((f.counts("a"), f.counts("b")), ((1, 1, 0), (1, 1, 0)));
    let source = f.store.reader().unwrap().source(f.key("a")).unwrap().unwrap();
    assert_eq!(source.validators.etag, None, "the failed job left something behind");
}

#[test]
fn a_failed_job_does_not_affect_others() {
    let f = Fixture::new(&["s"]);
    let writer = f.store.writer().unwrap();
    let failed: Result<()> = writer.call_blocking(|conn| {
        conn.execute("UPDATE source SET feed_title = 'half'", [])?;
        Err(StoreError::Sqlite("made to fail".into()))
    });
    assert!(failed.is_err());
    let facts = f.store.reader().unwrap().sources().unwrap();
    assert_eq!(facts[0].feed_title, None);
}

#[test]
fn only_one_process_polls() {
    let dir = tempfile::tempdir().unwrap();
    let db = dir.path().join("newsfed.db");
    let first = PollerLock::acquire(&db).unwrap();
    assert!(matches!(first, Poller::Mine(_)));
    let second = PollerLock::acquire(&db).unwrap();
    assert!(matches!(second, Poller::Other(Some(pid)) if pid == std::process::id()));
    drop(first);
    assert!(matches!(PollerLock::acquire(&db).unwrap(), Poller::Mine(_)));
}

#[test]
fn closing_finishes_waiting_jobs_and_leaves_one_file() {
    let f = Fixture::new(&["a"]);
    f.poll("a", vec![entry("one")]);
    let path = f.store.path().to_owned();
    let has_log = || path.with_extension("db-wal").exists();
    assert!(has_log());
    let rename =
        |conn: &rusqlite::Connection| Ok(conn.execute("UPDATE item SET title = 'two'", [])?);
    let (job, _reply) = writer::job(false, rename);
    super::upkeep::wait(f.store.submit(job)).unwrap();
    f.store.close();
    assert!(!has_log());
    let refused = f.store.mark_blocking(Mark::Read, vec![1], true);
    assert!(matches!(refused, Err(StoreError::Closed)), "{refused:?}");
    let reader = Store::open(&path).unwrap().reader().unwrap();
    assert_eq!(reader.row(1).unwrap().unwrap().title, "two");
}

/// Also opens files whose names have a special meaning in a URI.
#[cfg(unix)]
#[test]
fn opens_read_only_databases_without_creating_files() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a?b%20#c.db");
    database_of(&path, schema_version());
    Store::open(&path).unwrap().close();
    let before = std::fs::metadata(&path).unwrap().permissions();
    let mut read_only = before.clone();
    read_only.set_readonly(true);
    std::fs::set_permissions(&path, read_only).unwrap();
    let reader = Reader::open(&path).unwrap();
    assert!(reader.is_frozen());
    assert_eq!(reader.row(1).unwrap().unwrap().title, "kept");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    // Once the file can be written, changes are seen again.
    std::fs::set_permissions(&path, before).unwrap();
    assert!(!Reader::open(&path).unwrap().is_frozen());
}
