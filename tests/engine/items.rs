//! Turning entries into items.

use super::*;
use newsfed::model::Retention;
use newsfed::store::Mark;
use std::sync::atomic::{AtomicUsize, Ordering};

#[tokio::test]
async fn three_syncs_store_every_entry_once() {
    let server = Server::start(|request| match request.path.as_str() {
        // Items without guids and dates; two of them have the same title.
        "/bare" => Reply::ok(
            "text/xml",
            "<rss version=\"2.0\"><channel><title>Bare</title>\
             <item><title>One</title><link>/one</link></item>\
             <item><title>One</title><link>/other</link></item>\
             <item><description>only text</description></item></channel></rss>",
        ),
        // A document that differs in each response but has the same entries.
        "/noisy" => {
            static COUNT: AtomicUsize = AtomicUsize::new(0);
            let count = COUNT.fetch_add(1, Ordering::SeqCst);
            let built = format!("<lastBuildDate>{count}</lastBuildDate>");
            Reply::ok("text/xml", rss_with(&built, &[("1", "Noise"), ("2", "More noise")]))
        }
        _ => feed(&[("a", "A"), ("b", "B"), ("c", "C")]),
    })
    .unwrap();
    let names = ["bare", "noisy", "plain"];
    let sources: Vec<_> = names.iter().map(|n| source(n, &server.url(&format!("/{n}")))).collect();
    let home = Home::with(&sources);
    let engine = home.on_demand().await;
    let first = sync(&engine, Pace::Manual).await;
    assert_eq!(first["bare"], fetched(3, 0, 3));
    assert_eq!(first["noisy"], fetched(2, 0, 2));
    assert_eq!(first["plain"], fetched(3, 0, 3));
    let ids: Vec<_> = items(&engine).iter().map(|i| i.id).collect();
    for _ in 0..2 {
        let again = sync(&engine, Pace::Manual).await;
        assert_eq!(again["noisy"], fetched(0, 0, 2));
        assert_eq!((&again["bare"], &again["plain"]), (&UNCHANGED, &UNCHANGED));
    }
    assert_eq!(items(&engine).iter().map(|i| i.id).collect::<Vec<_>>(), ids);
    assert_eq!(server.requests().len(), 9);
    engine.shutdown().await;
}

#[tokio::test]
async fn a_changed_item_keeps_its_marks() {
    let round = Arc::new(AtomicUsize::new(0));
    let now = round.clone();
    let server = Server::start(move |_| match now.load(Ordering::SeqCst) {
        0 => feed(&[("1", "Draft"), ("2", "Other")]),
        _ => feed(&[("3", "New"), ("1", "Final"), ("2", "Other")]),
    })
    .unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(2, 0, 2));
    let reader = engine.store().reader().unwrap();
    let rows = reader.window(&View::of(Scope::All), Anchor::First, 10).unwrap().rows;
    let draft = rows.iter().find(|r| r.title == "Draft").unwrap();
    assert_eq!(engine.mark(Mark::Read, vec![draft.key], true).await.unwrap(), [draft.key]);
    assert_eq!(engine.mark(Mark::Pinned, vec![draft.key], true).await.unwrap(), [draft.key]);
    round.store(1, Ordering::SeqCst);
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 1, 3));
    let item = reader.item(draft.key).unwrap().unwrap();
    assert_eq!((item.title.as_str(), item.read, item.pinned), ("Final", true, true));
    assert_eq!(item.id, draft.id);
    let facts = facts(&engine, "s").await;
    assert_eq!((facts.items, facts.unread, facts.pinned), (3, 2, 1));
    engine.shutdown().await;
}

#[tokio::test]
async fn an_identical_body_is_neither_parsed_nor_counted() {
    let server = Server::start(|_| feed(&[("1", "One")])).unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    let hash = facts(&engine, "s").await.body_hash;
    assert!(hash.is_some());
    assert_eq!(sync_one(&engine, Pace::Manual).await, UNCHANGED);
    assert_eq!(facts(&engine, "s").await.body_hash, hash);
    let outcomes: Vec<_> = polls(&engine).into_iter().map(|p| (p.status, p.outcome)).collect();
    assert_eq!(outcomes[0], (Some(200), Outcome::Unchanged));
    engine.shutdown().await;
}

#[tokio::test]
async fn an_unreadable_document_removes_nothing() {
    let round = Arc::new(AtomicUsize::new(0));
    let now = round.clone();
    let server = Server::start(move |request| match now.load(Ordering::SeqCst) {
        0 => feed(&[("1", "One")]).header("etag", "\"good\""),
        1 => Reply::ok("text/html", "<html><body><p>Log in, please</p></body></html>")
            .header("etag", "\"bad\""),
        2 => Reply::status(500).header("etag", "\"worse\""),
        _ if request.header("if-none-match") == Some(b"\"good\"") => Reply::status(304),
        _ => Reply::status(418),
    })
    .unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    for (step, words, status) in [(1, "not a feed", 200), (2, "HTTP 500", 500)] {
        round.store(step, Ordering::SeqCst);
        let failed = sync_one(&engine, Pace::Manual).await;
        let message = failure(&failed).unwrap_or_else(|| panic!("{failed:?}"));
        assert!(message.contains(words), "{message}");
        let facts = facts(&engine, "s").await;
        assert_eq!(facts.validators.etag.as_deref(), Some(b"\"good\"".as_slice()));
        assert_eq!(facts.fail_count, u32::try_from(step).unwrap());
        assert_eq!(titles(&engine), ["One"]);
        let log = &polls(&engine)[0];
        assert_eq!(log.status, Some(status));
        assert!(matches!(&log.outcome, Outcome::Failed { message: m, .. } if m == message));
    }
    round.store(3, Ordering::SeqCst);
    assert_eq!(sync_one(&engine, Pace::Manual).await, UNCHANGED);
    assert_eq!(facts(&engine, "s").await.fail_count, 0);
    engine.shutdown().await;
}

#[tokio::test]
async fn does_not_repeat_an_unstored_poll_immediately() {
    let server = Server::start(|_| feed(&[("1", "One")])).unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    home.store().close();
    let database = rusqlite::Connection::open(home.paths().database()).unwrap();
    let full = "CREATE TRIGGER full BEFORE INSERT ON poll BEGIN SELECT RAISE(ABORT, 'full'); END";
    database.execute_batch(full).unwrap();
    let engine = home.following().await;
    let planned = settled(&engine).await.next.unwrap();
    assert_eq!(planned - home.clock.now(), chrono::TimeDelta::minutes(5));
    assert_eq!((server.requests().len(), items(&engine).len()), (1, 0));
    database.execute_batch("DROP TRIGGER full").unwrap();
    home.clock.advance(5 * MINUTE);
    received(&server, 2).await;
    settled(&engine).await;
    assert_eq!((server.requests().len(), titles(&engine)), (2, vec!["One".to_owned()]));
    engine.shutdown().await;
}

#[tokio::test]
async fn retention_removes_items_in_the_background() {
    let server = Server::start(|_| feed(&[("1", "A"), ("2", "B"), ("3", "C")])).unwrap();
    let retention = Some(Retention { items: Some(1), unread: true, ..Retention::default() });
    let limited = Source { retention, ..source("limited", &server.url("/a")) };
    let home = Home::with(&[limited, source("other", &server.url("/b"))]);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    engine.shutdown().await;
    let engine = home.on_demand().await;
    let mut revision = engine.store().revision();
    soon(async {
        while items(&engine).len() != 4 {
            revision.changed().await.unwrap();
        }
    })
    .await;
    engine.shutdown().await;
}

#[tokio::test]
async fn newly_supported_players_and_formulas_are_not_edits() {
    let text = "It explains at length how the tide turns the old mill by the harbour. ".repeat(4);
    let player =
        "<iframe src=\"https://www.youtube.com/embed/dQw4w9WgXcQ\" title=\"The mill\"></iframe>";
    let entry = |guid: &str, markup: &str| {
        format!(
            "<item><guid isPermaLink=\"false\">{guid}</guid><title>{guid}</title>\
             <description><![CDATA[{markup}]]></description></item>"
        )
    };
    let document = |player: &str, formula: &str, more: &str| {
        let all = entry("talk", &format!("<p>{text}</p>{player}"))
            + &entry("tide", &format!("<p>{text} It is {formula}</p>"))
            + &entry("edited", &format!("<p>{text}{more}</p>{player}"));
        format!("<rss version=\"2.0\"><channel><title>Feed</title>{all}</channel></rss>")
    };
    // The first document has the same effect on the database as the second one had in earlier versions of
    // newsfed, which supported neither players nor formulas.
    let documents = [
        document("", "", ""),
        document(player, "<script type=\"math/tex\">y^2</script>", "It was 12 metres high."),
    ];
    let round = Arc::new(AtomicUsize::new(0));
    let now = round.clone();
    let server = Server::start(move |_| {
        Reply::ok("text/xml", documents[now.load(Ordering::SeqCst)].clone())
    })
    .unwrap();
    let home = Home::with(&[source("s", &server.url("/"))]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(3, 0, 3));
    engine.store().mark(Mark::Read, vec![1, 2, 3], true).await.unwrap();
    round.store(1, Ordering::SeqCst);
    home.clock.advance(DAY);
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 1, 3), "one text was edited");
    let reader = engine.store().reader().unwrap();
    for key in 1..=3 {
        let (row, item) = (reader.row(key).unwrap().unwrap(), reader.item(key).unwrap().unwrap());
        assert!(row.read && !row.substantial, "{row:?}");
        assert_eq!((item.changed, item.versions), (false, 0), "{item:?}");
        let shown = if item.title == "tide" { "\\(y^2\\)" } else { "youtube.com" };
        assert!(item.body().contains(shown), "{item:?}");
    }
    home.clock.advance(DAY);
    engine.refresh(None, Pace::Force).await.recv().await.unwrap();
    assert_eq!(polls(&engine).len(), 3);
    engine.shutdown().await;
}
