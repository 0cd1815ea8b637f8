//! Going back: leaving a search, a preview or an article must restore the previous state.

use super::real::Real;
use super::settings::with_runtime;
use super::*;
use crate::engine::TextGot;

fn shows(title: &str) -> impl Fn(&App) -> bool {
    let title = title.to_owned();
    move |app| app.reader.article.as_ref().is_some_and(|a| a.row.title == title)
}

/// A list of 200 items with the 41st selected, and the title of that item.
async fn far_down() -> (Real, String) {
    let mut real = Real::new(1, 200).await;
    real.until("the list", |app| app.items.rows.len() >= 60).await;
    real.screen();
    for _ in 0..40 {
        real.keys("j");
        real.screen();
        real.quiet().await;
    }
    let title = real.app.items.current().unwrap().title.clone();
    (real, title)
}

#[test]
fn back_closes_one_level_and_never_quits() {
    let mut stage = Stage::new();
    stage.keys("<Enter>");
    for keys in ["?<Esc>", "q", "q", "q", "<Esc>"] {
        stage.keys(keys);
        assert!(stage.exit_reason.is_none(), "{keys}");
    }
    assert!(stage.has_message("Press Q to quit"));
    stage.keys("n");
    assert_eq!(stage.app.focus, Focus::Items, "on to the next unread item");
    let mut stage = Stage::new();
    stage.keys("Q");
    assert_eq!(stage.exit_reason, Some(ExitReason::Quit));
}

#[test]
fn cancelling_a_search_returns_to_list_and_article() {
    with_runtime(async {
        let (mut real, title) = far_down().await;
        let line =
            |app: &App| app.items.shown.iter().position(|at| *at == Some(app.items.selected));
        for start in ["", "<Enter>"] {
            if !start.is_empty() {
                real.enter();
                real.until("the article", shows(&title)).await;
            }
            real.screen();
            let (focus, before) = (real.app.focus, line(&real.app));
            real.keys("g/Item 1");
            real.until("the matches", |app| app.is_search()).await;
            real.quiet().await;
            real.late(TimeDelta::seconds(1));
            real.quiet().await;
            assert!(start.is_empty() || shows(&title)(&real.app), "the article stays");
            real.press(KeyCode::Esc, KeyModifiers::NONE);
            let back = |app: &App| app.items.current().is_some_and(|row| row.title == title);
            real.until("the row", back).await;
            assert_eq!(real.app.focus, focus);
            assert!(!real.app.is_search());
            real.screen();
            assert_eq!(line(&real.app), before, "on its line of the screen");
        }
        assert!(shows(&title)(&real.app) && real.app.focus == Focus::Reader);
        real.finish().await;
    });
}

#[test]
fn closing_a_search_restores_the_list_position() {
    with_runtime(async {
        let (mut real, title) = far_down().await;
        for search in ["g/", "f"] {
            real.keys(search);
            real.keys("Item 1");
            real.until("the matches", |app| app.items.listing.query == "Item 1").await;
            real.quiet().await;
            real.enter();
            real.screen();
            // Starts another search in the list of results.
            real.keys("fItem");
            real.until("other matches", |app| app.items.listing.query == "Item").await;
            real.enter();
            let another = |app: &App| app.items.current().is_some_and(|row| row.title != title);
            real.until("another row", another).await;
            real.keys("q");
            let back = |app: &App| app.items.current().is_some_and(|row| row.title == title);
            real.until("the row", back).await;
            assert!(!real.app.is_search() && real.app.items.listing.query.is_empty());
        }
        real.finish().await;
    });
}

#[test]
fn a_list_in_another_order_fills_the_screen() {
    let mut stage = Stage::new();
    stage.app.settings.ui.group = crate::config::Grouping::None;
    stage.screen(80, 10);
    // The first row becomes the last one.
    stage.keys("gigg/is:unread<Enter>");
    stage.screen(80, 10);
    stage.keys(":sort oldest<Enter>");
    stage.screen(80, 10);
    stage.keys("<Esc>");
    let screen = stage.screen(80, 10);
    assert!(!stage.app.is_search());
    let rows = stage.app.items.shown.iter().flatten().count();
    assert!(rows >= 7, "{rows} rows: {screen}");
}

#[test]
fn searching_in_the_reader_searches_the_article() {
    with_runtime(async {
        let mut real = Real::new(1, 3).await;
        real.until("the list", |app| app.items.rows.len() == 3).await;
        real.enter();
        real.until("the article", |app| app.reader.article.is_some()).await;
        real.keys("/");
        assert!(real.has_dialog() && !real.app.is_search());
        real.finish().await;
    });
}

#[test]
fn marking_a_whole_list_read_keeps_its_rows_and_shows_them_as_read() {
    with_runtime(async {
        let mut real = Real::new(1, 3).await;
        real.until("the list", |app| app.items.rows.len() == 3).await;
        real.keys("/unread");
        real.enter();
        real.until("the matches", |app| app.is_search() && app.items.rows.len() == 3).await;
        real.quiet().await;
        real.enter();
        real.until("the article", |app| app.reader.article.is_some()).await;
        real.until("the mark", |app| app.items.rows.iter().filter(|row| row.read).count() == 1)
            .await;
        real.quiet().await;
        real.keys("qm");
        real.until("no mark", |app| app.items.rows.iter().all(|row| !row.read)).await;
        real.quiet().await;
        real.keys("A");
        real.wait_for("3 items marked read").await;
        real.store_changed();
        let read =
            |app: &App| !app.items.rows.is_empty() && app.items.rows.iter().all(|row| row.read);
        real.until("read rows", read).await;
        real.finish().await;
    });
}

/// An article that is fetched while the next one is opened must not replace the next one.
#[test]
fn a_late_text_does_not_restore_the_previous_article() {
    with_runtime(async {
        let mut real = Real::new(1, 3).await;
        real.until("the list", |app| app.items.rows.len() == 3).await;
        real.enter();
        let first = real.app.items.rows[0].clone();
        let second = real.app.items.rows[1].clone();
        real.until("the first", shows(&first.title)).await;
        real.keys("n");
        let fetched = TextGot::Fetched { from: TextFrom::Page, changed: true };
        real.take(Event::TextGot(first.key, false, Ok(fetched)));
        real.until("the second", shows(&second.title)).await;
        real.quiet().await;
        assert!(shows(&second.title)(&real.app));
        real.finish().await;
    });
}

/// The header and the percentage belong to the article that is drawn, not to the previous one.
#[test]
fn the_next_article_starts_with_a_complete_header() {
    let mut stage = Stage::new();
    stage.keys("<Enter>");
    stage.screen(80, 24);
    stage.keys("<Space>");
    let screen = stage.screen(80, 24);
    assert!(!screen.contains("min read"), "the header is reduced to the title: {screen}");
    stage.keys("n");
    let screen = stage.screen(80, 24);
    assert!(screen.contains("min read") && !screen.contains("100 %"), "{screen}");
    assert_eq!(stage.screen(80, 24), screen, "a second draw changes nothing");
}
