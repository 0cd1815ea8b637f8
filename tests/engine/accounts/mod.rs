//! Accounts on servers of the Google Reader API.

mod server;

use super::*;
use newsfed::config::AccountSettings;
use newsfed::engine::{AccountError, AccountStatus, SyncDone, WhichAccounts};
use newsfed::store::Mark;
use server::{Fault, Kind, PASSWORD, Reader};

const KINDS: [Kind; 2] = [Kind::FreshRss, Kind::Miniflux];

fn reader(kind: Kind, feeds: i64, items: i64) -> Reader {
    Reader::start(kind, feeds, items, 1_800_000_000)
}

/// A home with an account on that server; the password is in a file.
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

/// Identifier on the server, row key, and marks of all items here, by identifier.
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

/// The marks on both sides.
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
async fn first_synchronisation_fetches_all_and_the_next_needs_three_requests() {
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
        // Nothing new.
        let revision = *engine.store().revision().borrow();
        for _ in 0..2 {
            assert_eq!(synced(&engine).await, SyncDone::default());
            assert_eq!(server.world().requests().len(), 3, "{kind:?}");
        }
        assert_eq!(*engine.store().revision().borrow(), revision, "the panes need not notice");
        // They are never polled, nor removed with the declared sources.
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
async fn marks_made_offline_wait_and_are_sent_in_few_requests() {
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
        // Marking and unmarking costs nothing.
        mark(&engine, Mark::Read, &all[600..610], true).await;
        mark(&engine, Mark::Read, &all[600..610], false).await;
        engine.shutdown().await;
        let engine = home.on_demand().await;
        assert_eq!(status_of(&engine).await.waiting, 500, "over a restart");
        let [wish, _] = marks(&engine, &server);
        server.world().requests();
        assert_eq!(synced(&engine).await, SyncDone { sent: 500, ..SyncDone::default() });
        let requests = server.world().requests();
        let pushes: Vec<usize> =
            requests.iter().filter(|(e, _)| e == "edit-tag").map(|(_, ids)| *ids).collect();
        assert!(pushes.len() <= 8 && pushes.iter().all(|ids| *ids <= 250), "{pushes:?}");
        assert_eq!(marks(&engine, &server), [wish.clone(), wish]);
        assert_eq!(status_of(&engine).await.waiting, 0);
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn faults_lose_nothing() {
    let faults = [
        Fault::Status(401),
        Fault::Status(500),
        Fault::Status(503),
        Fault::Drop,
        Fault::Late,
        Fault::Lost,
        Fault::Cut,
        Fault::Html,
    ];
    let endpoints = ["ClientLogin", "token", "subscription/list", "items/ids", "contents", "edit-tag"];
    for kind in KINDS {
        for fault in faults {
            for endpoint in endpoints {
                let server = reader(kind, 2, 20);
                let all = ids(&server);
                let home = home_of(&server);
                let engine = home.on_demand().await;
                server.world().fail(endpoint, fault, 1);
                let _ = try_sync(&engine, false).await;
                // What failed is mended by the next one.
                synced(&engine).await;
                mark(&engine, Mark::Read, &all[..7], true).await;
                mark(&engine, Mark::Pinned, &all[3..9], true).await;
                server.world().items.get_mut(&all[30]).unwrap().read = true;
                server.world().add(1, 21, 1_800_000_000, 1_800_000_000);
                server.world().fail(endpoint, fault, 1);
                let _ = try_sync(&engine, false).await;
                synced(&engine).await;
                synced(&engine).await;
                let [here, there] = marks(&engine, &server);
                let what = format!("{kind:?} {fault:?} {endpoint}");
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
