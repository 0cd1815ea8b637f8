//! Stories covered by several sources, in the interface.

use super::real::{Real, poll};
use super::*;
use crate::store::prepare;

const TITLE: &str = "River bridge reopens after nine months of repairs";
const TEXT: &str = "<p>The old bridge over the river opens again on Monday, the city said, with two lanes for \
    cars and a wider path for cyclists and pedestrians.</p>";

/// The first three unread items are about one story.
fn rows() -> Vec<ItemRow> {
    let mut rows = item_rows();
    for i in [0, 1, 3] {
        let row = &mut rows[i];
        (row.story, row.also) = (Some(7), 2);
    }
    rows
}

#[test]
fn shows_the_other_sources_of_a_story() {
    let mut stage = Stage::with(Settings::default(), source_list(), rows());
    let other = StoryItem {
        number: 2,
        source: SourceId("council".to_owned()),
        title: TITLE.to_owned(),
        url: None,
        date: now(),
        read: false,
    };
    let row = stage.rows[0].clone();
    stage.shown = Some(Article { also_in: vec![other], ..article(row) });
    for size in [(120, 40), (80, 24), (44, 20)] {
        let screen = stage.screen(size.0, size.1);
        assert_eq!(screen.matches("×3").count(), 3, "{screen}");
    }
    stage.keys("<Enter>");
    let screen = stage.screen(120, 40);
    assert!(screen.contains("Also in council"), "{screen}");
    let mut linear = Settings::default();
    linear.ui.linear = true;
    let mut stage = Stage::with(linear, source_list(), rows());
    stage.keys("gi");
    assert!(stage.screen(100, 24).contains("; also in 2"), "{}", stage.screen(100, 24));
}

/// Two sources with the same story; both items are unread.
async fn two() -> Real {
    let mut real = Real::new(2, 2).await;
    let store = real.handle.store().clone();
    let hashing = store.hashing().await.unwrap();
    for (key, hours) in [(1, 4), (2, 2)] {
        let entry = Entry {
            guid: Some(format!("story-{key}")),
            title: TITLE.to_owned(),
            url: Some(format!("http://127.0.0.1:9/{key}/river-bridge-opens-again")),
            published: Some(now() - TimeDelta::hours(hours)),
            content: Some(TEXT.to_owned()),
            ..Entry::default()
        };
        store.store_poll(poll(key, prepare(vec![entry], &hashing))).await.unwrap();
    }
    while store.index_step().await.unwrap().is_some() {}
    real.store_changed();
    let found = |app: &App| app.items.rows.iter().filter(|row| row.also == 1).count() == 2;
    real.until("a story", found).await;
    real
}

fn titles(app: &App) -> usize {
    app.items.rows.iter().filter(|row| row.title == TITLE).count()
}

fn unread(app: &App) -> usize {
    app.items.rows.iter().filter(|row| row.title == TITLE && !row.read).count()
}

#[tokio::test]
async fn a_key_folds_and_unfolds_stories() {
    let mut real = two().await;
    real.keys("giZ");
    real.until("one of the story", |app| titles(app) == 1).await;
    assert!(real.screen().contains("×2"));
    real.keys("Z");
    real.until("both of the story", |app| titles(app) == 2).await;
    real.command("set ui.fold_stories on");
    real.until("one of the story", |app| titles(app) == 1).await;
}

#[tokio::test]
async fn marks_a_story_as_a_whole_and_undoes_it() {
    let mut real = two().await;
    real.command("set ui.mark_stories on");
    real.until("the setting", |app| app.settings.ui.mark_stories).await;
    let settled = |real: &Real| real.handle.settings().ui.mark_stories;
    while !settled(&real) {
        real.quiet().await;
    }
    real.keys("gi");
    let at = real.app.items.rows.iter().position(|row| row.title == TITLE).unwrap();
    (0..at).for_each(|_| real.keys("j"));
    real.keys("m");
    assert_eq!(unread(&real.app), 0, "both are shown as read at once");
    real.wait_for("2 items marked read").await;
    real.keys("u");
    real.wait_for("Undone").await;
    real.store_changed();
    real.until("both unread", |app| unread(app) == 2).await;
    real.keys("p");
    real.wait_for("2 items pinned").await;
    real.keys("u");
    real.wait_for("Undone: pin").await;
    real.store_changed();
    real.until("none pinned", |app| app.items.rows.iter().all(|row| !row.pinned)).await;
}
