//! Polls during which the program was killed.

use super::*;
use newsfed::demo::server::Failure;
use rusqlite::Connection;

fn begun(home: &Home) -> i64 {
    let conn = Connection::open(home.paths().database()).unwrap();
    let count = "SELECT count(*) FROM source WHERE poll_begun IS NOT NULL";
    conn.query_row(count, [], |r| r.get(0)).unwrap()
}

/// Leaves the database in the state of a process that was killed during a poll.
async fn end_while_polling(home: &Home, id: &str) {
    let store = home.store();
    let facts = store.reader().unwrap().sources().unwrap();
    let key = facts.iter().find(|f| f.id.as_str() == id).unwrap().key;
    store.begin_poll(key, home.clock.now(), |_| true).await.unwrap();
    store.close();
}

#[tokio::test]
async fn records_a_poll_while_it_is_running() {
    let server = Server::start(|request| match request.path.as_str() {
        "/hangs" => Reply::status(200).failing(Failure::NeverAnswer),
        "/failing" => Reply::status(500),
        _ => feed(&[("1", "One")]),
    })
    .unwrap();
    for path in ["/feed", "/failing"] {
        let home = Home::with(&[source("s", &server.url(path))]);
        let engine = home.on_demand().await;
        sync_one(&engine, Pace::Manual).await;
        assert_eq!(begun(&home), 0, "{path}");
        engine.shutdown().await;
    }
    let home = Home::with(&[source("s", &server.url("/hangs"))]);
    let engine = home.on_demand().await;
    let _reports = engine.refresh(None, Pace::Manual).await;
    received(&server, 3).await;
    assert_eq!(begun(&home), 1);
    engine.shutdown().await;
    assert_eq!(begun(&home), 0, "it was stopped");
}

#[tokio::test]
async fn a_crashing_source_waits_longer_each_time() {
    let server = Server::start(|request| feed(&[(&request.path, &request.path)])).unwrap();
    let home = Home::with(&[source("a", &server.url("/a")), source("b", &server.url("/b"))]);
    home.on_demand().await.shutdown().await;
    for minutes in [2, 4, 8] {
        end_while_polling(&home, "a").await;
        let engine = home.on_demand().await;
        let facts = facts(&engine, "a").await;
        let wait = facts.next_poll.unwrap() - home.clock.now();
        assert_eq!(wait, chrono::TimeDelta::minutes(minutes));
        let last = polls(&engine).into_iter().find(|p| p.status.is_none()).unwrap();
        let Outcome::Failed { message, .. } = last.outcome else { panic!("{last:?}") };
        assert_eq!(message, "newsfed exited while checking this source");
        let due = sync(&engine, Pace::Due).await;
        assert!(matches!(due["a"], Refreshed::NotDue(_)), "{due:?}");
        // The user may have killed the program the first time, so a manual refresh waits only after the
        // second time.
        if minutes > 2 {
            let manual = sync(&engine, Pace::Manual).await;
            let want = Some((PauseReason::Ended, minutes));
            assert_eq!(left(&manual["a"], home.clock.now()), want);
        }
        engine.shutdown().await;
    }
    assert!(paths_requested(&server).iter().all(|path| path == "/b"));
}

#[tokio::test]
async fn a_finished_poll_resets_the_count_of_unfinished_ones() {
    let server = Server::start(|_| feed(&[("1", "One")])).unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    home.on_demand().await.shutdown().await;
    for want in [fetched(1, 0, 1), UNCHANGED, UNCHANGED] {
        end_while_polling(&home, "s").await;
        let engine = home.on_demand().await;
        assert_eq!((facts(&engine, "s").await.fail_count, begun(&home)), (1, 0));
        assert_eq!(sync_one(&engine, Pace::Manual).await, want);
        assert_eq!(facts(&engine, "s").await.fail_count, 0);
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn does_not_count_running_polls_of_another_process() {
    let server = Server::start(|_| Reply::status(200).failing(Failure::NeverAnswer)).unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    let first = home.following().await;
    received(&server, 1).await;
    let second = home.following().await;
    assert_eq!(begun(&home), 1);
    assert_eq!(facts(&second, "s").await.fail_count, 0);
    second.shutdown().await;
    assert_eq!(begun(&home), 1, "its shutdown does not forget them either");
    first.shutdown().await;
}
