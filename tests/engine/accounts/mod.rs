//! Accounts on servers with the Google Reader API.

mod changes;
mod findings;
mod labels;
mod moving;
mod moving_failures;
mod random;
mod server;

use super::*;
use newsfed::config::AccountSettings;
use newsfed::engine::{AccountError, AccountStatus, SyncDone, WhichAccounts};
use newsfed::store::Mark;
use server::{Failure, Kind, PASSWORD, Reader};

const KINDS: [Kind; 2] = [Kind::FreshRss, Kind::Miniflux];

fn reader(kind: Kind, feeds: i64, items: i64) -> Reader {
    Reader::start(kind, feeds, items, 1_800_000_000)
}

/// A home directory with an account on this server; the password is in a file.
fn home_of(server: &Reader) -> Home {
    use std::os::unix::fs::PermissionsExt;
    let mut home = Home::new();
    let file = home.dir.path().join("password");
    std::fs::write(&file, PASSWORD).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    home.settings.accounts = vec![AccountSettings {
        id: "home".to_owned(),
        url: server.url.clone(),
        user: "alice".to_owned(),
        password_file: Some(file.display().to_string()),
        ..AccountSettings::default()
    }];
    home
}

async fn try_sync(engine: &Handle, accept: bool) -> Result<SyncDone, AccountError> {
    let reports = soon(engine.sync_accounts(WhichAccounts::All, accept)).await;
    assert_eq!(reports.len(), 1);
    reports.into_iter().next().unwrap().result
}

async fn synced(engine: &Handle) -> SyncDone {
    try_sync(engine, false).await.unwrap()
}

async fn status_of(engine: &Handle) -> AccountStatus {
    engine.accounts().await.unwrap().remove(0)
}

/// Row key and marks of all local items, by the identifier on the server.
fn local(engine: &Handle) -> BTreeMap<i64, (i64, bool, bool)> {
    let reader = engine.store().reader().unwrap();
    let window = reader.window(&View::of(Scope::All), Anchor::First, 10_000).unwrap();
    let row = |row: &newsfed::model::ItemRow| {
        let guid = reader.item(row.key).unwrap().unwrap().guid.unwrap();
        let hex = guid.rsplit('/').next().unwrap();
        (i64::from_str_radix(hex, 16).unwrap(), (row.key, row.read, row.pinned))
    };
    window.rows.iter().map(row).collect()
}

/// The marks in newsfed and on the server.
fn marks(engine: &Handle, server: &Reader) -> [BTreeMap<i64, (bool, bool)>; 2] {
    let here = local(engine).into_iter().map(|(id, (_, read, pinned))| (id, (read, pinned)));
    let world = server.world();
    let there = world.items.iter().map(|(id, item)| (*id, (item.read, item.starred)));
    [here.collect(), there.collect()]
}

async fn mark(engine: &Handle, mark: Mark, ids: &[i64], to: bool) {
    let all = local(engine);
    engine.mark(mark, ids.iter().map(|id| all[id].0).collect(), to).await.unwrap();
}

fn ids(server: &Reader) -> Vec<i64> {
    server.world().items.keys().copied().collect()
}

#[tokio::test]
async fn first_sync_fetches_everything_and_later_ones_changes() {
    for kind in KINDS {
        let server = reader(kind, 4, 300);
        for id in ids(&server).into_iter().take(100) {
            server.world().items.get_mut(&id).unwrap().read = true;
        }
        let pinned = ids(&server)[7];
        server.world().items.get_mut(&pinned).unwrap().starred = true;
        let home = home_of(&server);
        let engine = home.on_demand().await;
        assert_eq!(synced(&engine).await, SyncDone { new: 1200, ..SyncDone::default() });
        let requests = server.world().requests();
        assert!(requests.len() <= 14, "{kind:?}: {requests:?}");
        assert!(requests.iter().all(|(_, ids)| *ids <= 250));
        let [here, there] = marks(&engine, &server);
        assert_eq!(here, there);
        let items = items(&engine);
        assert!(items.iter().all(|i| i.title.contains(" & more")), "{}", items[0].title);
        assert_eq!(items[0].content.as_deref(), Some("<p>harbour tram</p>"));
        let all = engine.sources().await.unwrap();
        assert_eq!(all.len(), 4);
        assert!(all.iter().all(|(s, f)| s.account.is_some() && f.items == 300));
        assert_eq!(all[0].0.folder.as_deref(), Some("home/Folder 1 é&"));
        // A synchronisation without changes needs three requests.
        while engine.store().index_step().await.unwrap().is_some() {}
        let revision = *engine.store().revision().borrow();
        for _ in 0..2 {
            assert_eq!(synced(&engine).await, SyncDone::default());
            assert_eq!(server.world().requests().len(), 3, "{kind:?}");
        }
        assert_eq!(*engine.store().revision().borrow(), revision, "the interface need not notice");
        // A reload does not remove the sources of the account, and a refresh does not poll them.
        engine.reload().await.unwrap();
        assert_eq!(engine.refresh(None, Pace::Force).await.recv().await, None);
        assert_eq!(server.world().requests(), []);
        assert_eq!(engine.sources().await.unwrap().len(), 4);
        engine.shutdown().await;
        let engine = home.on_demand().await;
        assert_eq!(engine.sources().await.unwrap().len(), 4);
        assert_eq!(synced(&engine).await, SyncDone::default());
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn sends_marks_made_offline_in_few_requests() {
    for kind in KINDS {
        let server = reader(kind, 2, 400);
        let all = ids(&server);
        for id in &all[200..300] {
            server.world().items.get_mut(id).unwrap().read = true;
        }
        for id in &all[400..500] {
            server.world().items.get_mut(id).unwrap().starred = true;
        }
        let home = home_of(&server);
        let engine = home.on_demand().await;
        synced(&engine).await;
        mark(&engine, Mark::Read, &all[..200], true).await;
        mark(&engine, Mark::Read, &all[200..300], false).await;
        mark(&engine, Mark::Pinned, &all[300..400], true).await;
        mark(&engine, Mark::Pinned, &all[400..500], false).await;
        // Setting a mark and removing it again causes no requests.
        mark(&engine, Mark::Read, &all[600..610], true).await;
        mark(&engine, Mark::Read, &all[600..610], false).await;
        engine.shutdown().await;
        let engine = home.on_demand().await;
        assert_eq!(status_of(&engine).await.waiting, 500, "over a restart");
        let [mark, _] = marks(&engine, &server);
        server.world().requests();
        assert_eq!(synced(&engine).await, SyncDone { sent: 500, ..SyncDone::default() });
        let requests = server.world().requests();
        let pushes: Vec<usize> =
            requests.iter().filter(|(e, _)| e == "edit-tag").map(|(_, ids)| *ids).collect();
        assert!(pushes.len() <= 8 && pushes.iter().all(|ids| *ids <= 250), "{pushes:?}");
        assert_eq!(marks(&engine, &server), [mark.clone(), mark]);
        assert_eq!(status_of(&engine).await.waiting, 0);
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn errors_lose_nothing() {
    let failures = [
        Failure::Status(401),
        Failure::Status(500),
        Failure::Status(503),
        Failure::Drop,
        Failure::Late,
        Failure::Lost,
        Failure::Cut,
        Failure::Html,
    ];
    let endpoints =
        ["ClientLogin", "token", "subscription/list", "items/ids", "contents", "edit-tag"];
    for kind in KINDS {
        for failure in failures {
            // The first three endpoints are the same for both kinds of server, so their failures are tested
            // only once.
            let from = if kind == Kind::Miniflux { 3 } else { 0 };
            for endpoint in &endpoints[from..] {
                let server = reader(kind, 2, 20);
                let all = ids(&server);
                let home = home_of(&server);
                let engine = home.on_demand().await;
                server.world().fail(endpoint, failure, 1);
                let _ = try_sync(&engine, false).await;
                // The next synchronisation recovers.
                server.world().failures.clear();
                synced(&engine).await;
                mark(&engine, Mark::Read, &all[..7], true).await;
                mark(&engine, Mark::Pinned, &all[3..9], true).await;
                server.world().items.get_mut(&all[30]).unwrap().read = true;
                server.world().add(1, 21, 1_800_000_000, 1_800_000_000);
                server.world().fail(endpoint, failure, 1);
                let _ = try_sync(&engine, false).await;
                server.world().failures.clear();
                synced(&engine).await;
                synced(&engine).await;
                let [here, there] = marks(&engine, &server);
                let what = format!("{kind:?} {failure:?} {endpoint}");
                assert_eq!(here, there, "{what}");
                assert_eq!(here.len(), 41, "{what}");
                let read = here.values().filter(|(read, _)| *read).count();
                let pinned = here.values().filter(|(_, pinned)| *pinned).count();
                assert_eq!((read, pinned), (8, 6), "{what}");
                engine.shutdown().await;
            }
        }
    }
}

/// The marks in newsfed, by the URLs of the articles.
fn by_url(engine: &Handle) -> BTreeMap<String, (bool, bool)> {
    let of = |item: Item| (item.url.unwrap(), (item.read, item.pinned));
    items(engine).into_iter().map(of).collect()
}

/// The marks on the server, by the URLs of the articles.
fn there_by_url(server: &Reader) -> BTreeMap<String, (bool, bool)> {
    let world = server.world();
    let there = world.items.values().map(|i| (world.page(i), (i.read, i.starred)));
    there.collect()
}

#[tokio::test]
async fn a_different_server_changes_nothing_until_relinked() {
    for kind in KINDS {
        let server = reader(kind, 2, 30);
        let home = home_of(&server);
        let engine = home.on_demand().await;
        synced(&engine).await;
        let all = ids(&server);
        mark(&engine, Mark::Read, &all[..20], true).await;
        mark(&engine, Mark::Pinned, &all[10..30], true).await;
        synced(&engine).await;
        server.world().reset();
        for hour in 0..3 {
            let before = local(&engine);
            home.clock.advance(HOUR * hour);
            let result = try_sync(&engine, false).await;
            assert!(matches!(result, Err(AccountError::OtherServer)), "{kind:?}: {result:?}");
            assert_eq!(local(&engine), before);
            assert!(server.world().items.values().all(|item| !item.read && !item.starred));
            // Sets more marks, so that the next synchronisations have something to send.
            mark(&engine, Mark::Pinned, &all[30..32], true).await;
        }
        assert!(status_of(&engine).await.problem.unwrap().contains("relink"));
        let before = by_url(&engine);
        engine.request_sync("home", false, true).await.unwrap();
        synced(&engine).await;
        assert_eq!(engine.sources().await.unwrap().len(), 2);
        assert_eq!(by_url(&engine), before, "no item is new");
        assert_eq!(there_by_url(&server), before, "{kind:?}");
        let [here, there] = marks(&engine, &server);
        assert_eq!(here, there, "the items have the new identifiers");
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn finds_items_that_arrive_late_or_with_clock_skew() {
    for kind in KINDS {
        for skew in [-7200, 0, 7200] {
            let server = Reader::start(kind, 2, 10, 1_800_000_000 + skew);
            let home = home_of(&server);
            let engine = home.on_demand().await;
            synced(&engine).await;
            for _ in 0..3 {
                home.clock.advance(15 * MINUTE);
                let now = {
                    let mut world = server.world();
                    world.now += 15 * 60;
                    world.now
                };
                // An article that was published three years ago.
                let old = server.world().add(1, 1000 + now, now - 3 * 365 * 86_400, now);
                assert_eq!(synced(&engine).await.new, 1, "{kind:?} {skew}");
                assert!(local(&engine).contains_key(&old));
            }
            engine.shutdown().await;
        }
    }
}

#[tokio::test]
async fn pins_survive_wrong_lists_and_removed_items() {
    for kind in KINDS {
        let server = reader(kind, 2, 100);
        let all = ids(&server);
        for id in &all[..30] {
            server.world().items.get_mut(id).unwrap().starred = true;
        }
        let home = home_of(&server);
        let engine = home.on_demand().await;
        synced(&engine).await;
        let before = local(&engine);
        // The server returns all items in place of the starred ones.
        server.world().fail("starred", Failure::Everything, 1);
        let result = try_sync(&engine, false).await;
        let refused = matches!(result, Err(AccountError::Pins { lost: 0, gained: 170 }));
        assert!(refused, "{kind:?}: {result:?}");
        assert_eq!(local(&engine), before);
        synced(&engine).await;
        assert_eq!(local(&engine), before);
        // The server removes 50 items, including 5 pinned ones, and unpins another item.
        for id in &all[25..75] {
            server.world().items.remove(id);
        }
        server.world().items.get_mut(&all[0]).unwrap().starred = false;
        home.clock.advance(DAY);
        let done = synced(&engine).await;
        assert_eq!(done.gone, 50, "{kind:?}");
        let after = local(&engine);
        assert_eq!(after.len(), 200, "nothing is removed here");
        let pinned: Vec<i64> = after.iter().filter(|(_, m)| m.2).map(|(id, _)| *id).collect();
        assert_eq!(pinned, all[1..30]);
        assert_eq!(synced(&engine).await, SyncDone::default());
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn a_refused_password_stops_synchronising_without_leaking() {
    let server = reader(Kind::FreshRss, 1, 5);
    let home = home_of(&server);
    let file = home.settings.accounts[0].password_file.clone().unwrap();
    std::fs::write(&file, "hush-hush").unwrap();
    let engine = home.on_demand().await;
    let error = try_sync(&engine, false).await.unwrap_err();
    assert!(matches!(error, AccountError::Refused));
    let status = status_of(&engine).await;
    let shown = format!("{error} {error:?} {status:?} {}", serde_json::to_string(&status).unwrap());
    assert!(!shown.contains("hush") && status.next_sync.is_none(), "{shown}");
    std::fs::write(&file, PASSWORD).unwrap();
    engine.log_in_account("home").await.unwrap();
    assert_eq!(synced(&engine).await.new, 5);
    let stored = engine.store().reader().unwrap().accounts().unwrap();
    assert!(stored[0].auth.is_some());
    assert!(!format!("{stored:?}").contains(stored[0].auth.as_ref().unwrap()));
    engine.shutdown().await;
}

#[tokio::test]
async fn synchronises_due_accounts_in_the_background() {
    let server = reader(Kind::FreshRss, 1, 5);
    let home = home_of(&server);
    let engine = home.following().await;
    let mut revision = engine.store().revision();
    while local(&engine).len() < 5 {
        soon(revision.changed()).await.unwrap();
    }
    engine.shutdown().await;
}

#[tokio::test]
async fn an_account_notifies_only_about_its_own_new_items() {
    use newsfed::config::RuleSettings;
    use std::sync::atomic::{AtomicBool, Ordering};
    let (open, opened) = std::sync::mpsc::channel::<()>();
    let (opened, is_on) = (std::sync::Mutex::new(opened), Arc::new(AtomicBool::new(false)));
    let items = |is_on: &AtomicBool| {
        feed(if is_on.load(Ordering::SeqCst) {
            &[("1", "Item polled")]
        } else {
            &[("0", "Item old")]
        })
    };
    let on = is_on.clone();
    let quick = Server::start(move |_| items(&on)).unwrap();
    // A second server is needed, because a server handles one request at a time.
    let on = is_on.clone();
    let slow = Server::start(move |_| {
        if on.load(Ordering::SeqCst) {
            // The wait has a limit, so that the server stops even if the test fails first.
            let _ = opened.lock().unwrap().recv_timeout(MINUTE);
        }
        items(&on)
    })
    .unwrap();
    let server = reader(Kind::FreshRss, 1, 3);
    let mut home = home_of(&server);
    home.declare(&[source("a", &quick.url("/a"))]);
    // The second source is on another host, so that both are polled at the same time.
    home.declare(&[source("slow", &slow.url("/slow").replace("127.0.0.1", "localhost"))]);
    home.settings.rules = vec![RuleSettings {
        name: "Ring".to_owned(),
        query: "title:item".to_owned(),
        effects: vec!["notify".to_owned()],
        ..RuleSettings::default()
    }];
    let engine = home.on_demand().await;
    let mut messages = engine.notifications();
    sync(&engine, Pace::Manual).await;
    synced(&engine).await;
    soon(engine.announced()).await;
    assert!(messages.try_recv().is_err(), "first items are not news");

    is_on.store(true, Ordering::SeqCst);
    let mut reports = engine.refresh(None, Pace::Manual).await;
    let report = soon(reports.recv()).await.unwrap();
    assert_eq!((report.source.0.as_str(), report.result), ("a", fetched(1, 0, 1)));
    home.clock.advance(2 * HOUR);
    {
        let mut world = server.world();
        world.now += 7200;
        let now = world.now;
        world.add(1, 100, now, now);
        // A new feed. Its first items cause no notifications.
        let folder = "Folder 0".to_owned();
        world
            .feeds
            .insert(9, ("http://feeds.example/f/9.xml".to_owned(), "New".to_owned(), folder));
        for number in 101..104 {
            world.add(9, number, now, now);
        }
    }
    assert_eq!(synced(&engine).await.new, 4);
    let message = soon(messages.recv()).await.unwrap();
    assert_eq!(message.text, "1 item: Ring: Item 100 & more");
    open.send(()).unwrap();
    assert_eq!(soon(reports.recv()).await.unwrap().result, fetched(1, 0, 1));
    let message = soon(messages.recv()).await.unwrap();
    assert_eq!(message.text, "2 items: Ring: Item polled …");
    engine.shutdown().await;
}
