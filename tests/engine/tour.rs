//! The sites of `newsfed demo`, followed by the real engine.

use super::*;
use newsfed::demo::World;
use newsfed::engine::TextGot;
use newsfed::model::{ErrorKind, Health, ItemRow, SourceKind};
use std::collections::{HashMap, HashSet};

/// A demo world on a fake clock, and a home directory with its sources and the settings of the tour.
fn tour() -> (World, Home) {
    let mut home = Home::new();
    let prepared = newsfed::demo::prepare(Arc::new(home.clock.clone()), "").unwrap();
    home.settings = prepared.settings.clone();
    home.settings.net.host_delay = Duration::ZERO;
    home.settings.net.feed_timeout = Duration::from_secs(1);
    home.declare(&prepared.world.sources());
    (prepared.world, home)
}

fn rows(engine: &Handle) -> Vec<ItemRow> {
    let reader = engine.store().reader().unwrap();
    reader.window(&View::of(Scope::All), Anchor::First, 1000).unwrap().rows
}

fn item(engine: &Handle, key: i64) -> Item {
    engine.store().reader().unwrap().item(key).unwrap().unwrap()
}

#[tokio::test]
async fn the_tour_shows_all_features() {
    let (world, home) = tour();
    let engine = home.on_demand().await;
    let first = sync(&engine, Pace::Manual).await;
    let unwell = ["weather-mast", "quiet-archive"];
    for (id, refreshed) in &first {
        match refreshed {
            Refreshed::Polled(Outcome::Fetched { new, entries, .. }) => {
                assert!(*new > 0 && new == entries, "{id}");
            }
            Refreshed::Polled(Outcome::Failed { kind: ErrorKind::Transient, .. }) => {
                assert!(unwell.contains(&id.as_str()), "{id}: {refreshed:?}");
            }
            other => panic!("{id}: {other:?}"),
        }
    }
    // Some feeds contain only teasers; the full texts are on the pages.
    let mut teasers = 0;
    for row in rows(&engine).into_iter().filter(|row| item(&engine, row.key).content.is_none()) {
        let got = soon(engine.full_text(row.key, None)).await.unwrap();
        assert!(matches!(got, TextGot::Fetched { .. }), "{}: {got:?}", row.title);
        teasers += 1;
    }
    assert!((4..20).contains(&teasers), "{teasers}");
    let all = items(&engine);
    for item in &all {
        assert!(!item.title.is_empty() && item.published.is_some(), "{item:?}");
        assert!(item.body().len() > 60 && !item.body().contains("<nav"), "{}", item.title);
        assert!(!item.authors.is_empty(), "{}", item.title);
    }
    let count = |wanted: &dyn Fn(&Item) -> bool| all.iter().filter(|i| wanted(i)).count();
    assert!(all.len() >= 25);
    assert_eq!(count(&|i| !i.enclosures.is_empty()), 3);
    assert!(
        count(&|i| i.title.contains("最後の船")) == 1
            && count(&|i| i.title.contains("الفنارة")) == 1
    );
    for markup in ["<pre", "<table", "<blockquote", "<ol", "<img", "<sup"] {
        assert!(count(&|i| i.body().contains(markup)) > 0, "{markup}");
    }
    let lighthouse = facts(&engine, "lighthouse").await;
    assert!(lighthouse.moved_to.is_some_and(|to| to.ends_with("/lighthouse/rss.xml")));
    // Two sources cover the same story.
    while engine.store().index_step().await.unwrap().is_some() {}
    let shared: Vec<ItemRow> = rows(&engine).into_iter().filter(|row| row.also > 0).collect();
    let sources: HashSet<i64> = shared.iter().map(|row| row.source_key).collect();
    assert_eq!((shared.len(), sources.len()), (2, 2), "{shared:?}");
    assert!(shared.iter().all(|row| row.title.starts_with("Harbour bridge")), "{shared:?}");
    // Polls again after 45 seconds.
    home.clock.advance(Duration::from_secs(45));
    let second = sync(&engine, Pace::Manual).await;
    assert_eq!(second["city-desk"], fetched(4, 1, 7));
    let corrected: Vec<_> = rows(&engine).into_iter().filter(|row| row.substantial).collect();
    assert!(corrected.len() == 1 && corrected[0].title.contains("will not open on Sundays"));
    assert_eq!(second["kettle"], UNCHANGED);
    assert_eq!(left(&second["tramline"], home.clock.now()).unwrap().0, PauseReason::Ttl);
    assert!(failure(&second["overrun"]).is_some_and(|m| m.contains("429")));
    let overrun = facts(&engine, "overrun").await;
    assert_eq!(overrun.health(home.clock.now()), Health::Paused);
    let conditional: HashMap<_, _> =
        world.server().requests().into_iter().map(|r| (r.path.clone(), r)).collect();
    assert!(is_conditional(&conditional["/kettle/rss.xml"]));
    engine.shutdown().await;
}

#[tokio::test]
async fn discovers_pages_of_the_demo() {
    let (world, home) = tour();
    let engine = home.on_demand().await;
    let announcing = engine.discover(&world.announcing_page()).await.unwrap();
    assert_eq!(announcing.ways.len(), 1, "{announcing:?}");
    assert_eq!(announcing.ways[0].title, "The Marginalia Review");
    assert_eq!(announcing.ways[0].count(), Some(2));
    let bare = engine.discover(&world.page_without_feed()).await.unwrap();
    assert_eq!((bare.ways[0].kind(), bare.ways[0].count()), (SourceKind::Website, Some(4)));
    let house = engine.discover(&world.site_without_list()).await.unwrap();
    let kinds: Vec<SourceKind> = house.ways.iter().map(|w| w.kind()).collect();
    assert_eq!(
        kinds,
        [SourceKind::Crawl, SourceKind::Page, SourceKind::Crawl],
        "{:?}",
        house.tried
    );
    let (source, _) = engine.follow(house, 0, None, None).await.unwrap();
    let polled = sync(&engine, Pace::Manual).await;
    assert_eq!(polled[source.id.as_str()], fetched(6, 0, 6));
    engine.shutdown().await;
}
