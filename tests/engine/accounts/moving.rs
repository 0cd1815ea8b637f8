//! Moving feeds to a server and back.

use super::*;

/// A feed with items 1 to 10, as the simulated server would list them.
pub(super) fn local_feed(request: &ScriptedRequest) -> Reply {
    let page = request.path.replace("/f/", "/p/");
    let host = request.headers.iter().find(|(name, _)| name == "host").unwrap();
    let host = String::from_utf8_lossy(&host.1);
    let items: String = (1..=10)
        .map(|n| {
            format!(
                "<item><title>Item {n} &amp;amp; more</title><guid>x{n}</guid>\
                 <link>http://{host}{page}/{n}</link></item>"
            )
        })
        .collect();
    let text = format!("<rss version=\"2.0\"><channel><title>Feed</title>{items}</channel></rss>");
    Reply::ok("application/rss+xml", text)
}

/// The marks of a source's items in newsfed, by item number.
fn of_source(engine: &Handle, id: &str) -> BTreeMap<String, (bool, bool)> {
    let own = items(engine).into_iter().filter(|item| item.source.as_str() == id);
    own.map(|item| {
        let url = item.url.unwrap();
        (url.rsplit('/').next().unwrap().to_owned(), (item.read, item.pinned))
    })
    .collect()
}

/// The marks of a feed's items on the server.
fn on_server(server: &Reader, url: &str) -> BTreeMap<String, (bool, bool)> {
    let world = server.world();
    let of = |item: &&server::Item| world.feeds.get(&item.feed).is_some_and(|f| f.0 == url);
    let items = world.items.values().filter(of);
    items.map(|item| (item.number.to_string(), (item.read, item.starred))).collect()
}

async fn mark_source(engine: &Handle, id: &str, kind: Mark, numbers: &[&str]) {
    let reader = engine.store().reader().unwrap();
    let rows = reader.window(&View::of(Scope::All), Anchor::First, 1000).unwrap().rows;
    let is_it = |key: i64| {
        let item = reader.item(key).unwrap().unwrap();
        let url = item.url.unwrap();
        item.source.as_str() == id && numbers.contains(&url.rsplit('/').next().unwrap())
    };
    let keys: Vec<i64> = rows.iter().map(|row| row.key).filter(|key| is_it(*key)).collect();
    assert_eq!(keys.len(), numbers.len());
    engine.mark(kind, keys, true).await.unwrap();
}

fn grow(server: &Reader, url: &str) {
    let mut world = server.world();
    let feed = *world.feeds.iter().find(|(_, feed)| feed.0 == url).unwrap().0;
    let now = world.now;
    for number in 1..=10 {
        world.add(feed, number, now, now);
    }
}

pub(super) fn ids_of(ids: &[&str]) -> Vec<SourceId> {
    ids.iter().map(|id| SourceId((*id).to_owned())).collect()
}

#[tokio::test]
async fn moves_feeds_with_their_marks_and_back() {
    for kind in KINDS {
        let feeds = Server::start(local_feed).unwrap();
        let server = reader(kind, 1, 5);
        let home = home_of(&server);
        let url = |n: u8| feeds.url(&format!("/f/{n}.xml"));
        let mut web = source("web", &feeds.url("/web"));
        web.rules = newsfed::model::SourceRules::new(
            newsfed::model::SourceKind::Sitemap,
            Default::default(),
        );
        let mut first = source("one", &url(1));
        (first.tags, first.folder) = (vec!["x".to_owned()], Some("Tech".to_owned()));
        first.interval = Some(Duration::from_secs(7200));
        home.declare(&[first, source("two", &url(2)), source("bad", &feeds.url("/f/bad")), web]);
        let engine = home.on_demand().await;
        let written = std::fs::read_to_string(home.paths().sources_file()).unwrap();
        let plan = engine.plan_move(None).await.unwrap();
        assert_eq!((plan.moving.len(), plan.staying.len()), (3, 1), "{plan:?}");
        assert!(plan.staying[0].1.contains("not a feed"));
        let one = plan.moving.iter().find(|source| source.id.as_str() == "one").unwrap();
        assert_eq!(one.dropped, ["interval"]);
        let keys = engine.sources().await.unwrap();
        let keys = keys.iter().filter(|(s, _)| s.id.as_str() != "web").map(|(_, f)| f.key);
        let mut reports = engine.refresh(Some(keys.collect()), Pace::Manual).await;
        while soon(reports.recv()).await.is_some() {}
        synced(&engine).await;
        mark_source(&engine, "one", Mark::Read, &["1", "2", "3"]).await;
        mark_source(&engine, "one", Mark::Pinned, &["3", "4"]).await;
        let before = of_source(&engine, "one");
        let count = items(&engine).len();
        let moved = engine.move_to_account("home", &ids_of(&["one", "two", "bad"])).await.unwrap();
        assert_eq!(moved.moved, ids_of(&["one", "two"]), "{kind:?} {moved:?}");
        assert_eq!(moved.staying.len(), 1);
        assert!(moved.report.unwrap().result.is_ok());
        // The server fetches the items of the moved feeds.
        grow(&server, &url(1));
        grow(&server, &url(2));
        synced(&engine).await;
        assert_eq!(of_source(&engine, "one"), before, "{kind:?}");
        assert_eq!(items(&engine).len(), count, "no item is there twice");
        synced(&engine).await;
        assert_eq!(on_server(&server, &url(1)), before, "{kind:?}: the marks were sent");
        let all = engine.sources().await.unwrap();
        let one = &all.iter().find(|(s, _)| s.id.as_str() == "one").unwrap().0;
        assert_eq!(
            (one.account.as_deref(), one.folder.as_deref()),
            (Some("home"), Some("home/Tech"))
        );
        assert_eq!((one.tags.clone(), one.interval), (vec!["x".to_owned()], None));
        let left = std::fs::read_to_string(home.paths().sources_file()).unwrap();
        assert!(left.contains("account = \"home\"") && !left.contains("interval"), "{left}");
        assert!(!left.contains("/f/2.xml") && left.contains("/f/bad"), "{left}");
        assert_eq!(engine.refresh(Some(vec![1]), Pace::Force).await.recv().await, None);
        // Moves the feeds back.
        let back = engine.move_back("home").await.unwrap();
        assert_eq!((back.moved.len(), back.staying.len()), (2, 0), "{back:?}");
        assert_eq!(server.world().feeds.len(), 1);
        assert_eq!(of_source(&engine, "one"), before);
        let again = std::fs::read_to_string(home.paths().sources_file()).unwrap();
        let sorted = |text: &str| {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(sorted(&again), sorted(&written));
        synced(&engine).await;
        assert_eq!((items(&engine).len(), of_source(&engine, "one")), (count, before));
        assert_eq!(engine.move_back("home").await.unwrap().moved, []);
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn merges_a_feed_that_the_server_already_has() {
    let feeds = Server::start(local_feed).unwrap();
    let server = reader(Kind::FreshRss, 1, 5);
    let url = feeds.url("/f/1.xml");
    server.world().feeds.insert(2, (url.clone(), "Own".to_owned(), "News".to_owned()));
    grow(&server, &url);
    let extra = {
        let mut world = server.world();
        let now = world.now;
        world.add(2, 99, now, now);
        let read = *world.items.iter().find(|(_, i)| i.feed == 2 && i.number == 5).unwrap().0;
        let pinned = *world.items.iter().find(|(_, i)| i.feed == 2 && i.number == 6).unwrap().0;
        world.items.get_mut(&read).unwrap().read = true;
        world.items.get_mut(&pinned).unwrap().starred = true;
        world.items.len()
    };
    let home = home_of(&server);
    home.declare(&[source("one", &url)]);
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    synced(&engine).await;
    mark_source(&engine, "one", Mark::Read, &["1", "2"]).await;
    mark_source(&engine, "one", Mark::Pinned, &["2"]).await;
    assert_eq!(items(&engine).len(), extra + 10, "both have the items");
    let moved = engine.move_to_account("home", &ids_of(&["one"])).await.unwrap();
    assert_eq!(moved.staying, []);
    synced(&engine).await;
    assert_eq!(items(&engine).len(), extra);
    let here = of_source(&engine, "one");
    let marked = |mark: fn(&(bool, bool)) -> bool| -> Vec<&str> {
        here.iter().filter(|(_, m)| mark(m)).map(|(n, _)| n.as_str()).collect()
    };
    assert_eq!((marked(|m| m.0), marked(|m| m.1)), (vec!["1", "2", "5"], vec!["2", "6"]));
    assert_eq!(on_server(&server, &url), here);
    let facts = engine.sources().await.unwrap();
    let one = &facts.iter().find(|(s, _)| s.id.as_str() == "one").unwrap().1;
    assert_eq!((facts.len(), one.items, one.unread, one.pinned), (2, 11, 8, 2));
    // The server already had the feed before the move, so moving back does not unsubscribe from it.
    engine.move_back("home").await.unwrap();
    assert_eq!(server.world().feeds.len(), 2);
    assert_eq!(of_source(&engine, "one"), here);
    engine.shutdown().await;
}
