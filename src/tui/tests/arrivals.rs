//! Items that arrive while the user reads.

use super::*;
use crate::config::ListStyle;

impl Stage {
    /// Reloads the list after this number of seconds.
    pub(super) fn reload(&mut self, seconds: i64) {
        self.happen(Event::StoreChanged);
        let later = now() + TimeDelta::seconds(seconds);
        for effect in self.app.update(Event::TimePassed, later) {
            self.perform(effect);
        }
    }
}

impl Stage {
    pub(super) fn row_read(&mut self, key: i64) {
        let row = self.rows.iter().find(|row| row.key == key).cloned();
        self.happen(Event::RowLoaded(Ok(row)));
    }
}

/// Adds new items at the top of the list.
fn arrive(stage: &mut Stage, count: i64) {
    let row = |i| ItemRow {
        key: 100 + i,
        id: ItemId(uuid::Uuid::from_u128(1000 + i as u128)),
        title: format!("Arrived {i}"),
        date: now() - TimeDelta::seconds(i),
        pinned: false,
        read: false,
        ..item_rows()[0].clone()
    };
    stage.rows.extend((0..count).map(row));
    stage.happen(Event::StoreChanged);
}

/// The screen line and the title of the selected item.
fn selected(stage: &mut Stage, size: (u16, u16)) -> (usize, String) {
    let title = stage.app.items.current().unwrap().title.clone();
    let screen = stage.screen(size.0, size.1);
    let head: String = title.chars().take(8).collect();
    let line = screen.lines().position(|line| line.contains(&head) && line.contains('▌'));
    (line.unwrap_or_else(|| panic!("{title:?} is not selected:\n{screen}")), title)
}

/// Number of visible rows of the first item on the screen.
fn rows_of_first(stage: &Stage) -> usize {
    let shown = &stage.app.items.shown;
    let first = shown.iter().flatten().next();
    shown.iter().flatten().filter(|row| Some(*row) == first).count()
}

#[test]
fn selected_row_stays_on_its_line_when_items_arrive() {
    let styles = [ListStyle::Auto, ListStyle::Comfortable, ListStyle::Magazine];
    for (style, size, keys) in styles
        .into_iter()
        .flat_map(|style| [(80, 24), (120, 40), (50, 15), (120, 9)].map(|size| (style, size)))
        .flat_map(|(style, size)| ["j", "jj", "jjjj", "G"].map(|keys| (style, size, keys)))
    {
        for count in [1, 2, 5, 40] {
            let mut settings = Settings::default();
            settings.ui.list = style;
            let mut stage = Stage::with(settings, source_list(), item_rows());
            stage.screen(size.0, size.1);
            stage.keys(keys);
            let before = selected(&mut stage, size);
            let was_start = stage.app.items.scroll == 0;
            arrive(&mut stage, count);
            let after = selected(&mut stage, size);
            let about = format!("{style:?} {size:?} after {keys:?} and {count} items");
            assert_eq!(before.1, after.1, "{about}");
            // If the start of the list was visible, it still is as long as the selected row fits. Otherwise
            // the selected row stays on its line, within the height of an item, because the first item is
            // shown completely.
            let items = &stage.app.items;
            let is_start = was_start && items.scroll == 0;
            let height = items.item_height;
            assert!(is_start || before.0.abs_diff(after.0) <= height, "{about}");
            let fits = (items.selected + 5) * height + 8 <= size.1.into();
            assert!(is_start || !was_start || !fits, "{about}");
            assert!(rows_of_first(&stage) >= height, "{about}");
            // Drawing again moves nothing, and the user can move up to the new items.
            assert_eq!(selected(&mut stage, size), after);
            stage.keys("gg");
            assert!(stage.screen(size.0, size.1).contains("Arrived 0"));
        }
    }
}

#[test]
fn keeps_the_top_of_the_list_visible_while_the_current_row_fits() {
    let mut stage = Stage::new();
    for row in &mut stage.rows {
        row.pinned = false;
    }
    stage.screen(80, 24);
    stage.keys("jj");
    let (_, title) = selected(&mut stage, (80, 24));
    arrive(&mut stage, 6);
    assert_eq!(selected(&mut stage, (80, 24)).1, title);
    stage.shows("Arrived 0");
    // A pinned item moves to the top of the list, which stays visible too.
    stage.keys("p");
    assert!(stage.screen(80, 24).contains("Arrived 0"));
}

#[test]
fn titles_of_one_source_wrap_in_a_comfortable_list() {
    let mut stage = Stage::new();
    stage.app.settings.ui.list = ListStyle::Comfortable;
    let long = "A long title with many words of which the last one is behind the end of the row";
    let source = stage.rows[0].source_key;
    stage.rows = (0..20)
        .map(|i| ItemRow { key: 200 + i, read: false, ..stage.rows[0].clone() })
        .map(|row| ItemRow { title: long.to_owned(), source_key: source, ..row })
        .collect();
    stage.app.items.listing.base.scope = crate::store::Scope::Sources(vec![source]);
    stage.reload(1);
    let screen = stage.screen(58, 24);
    assert!(screen.contains("of the row"), "{screen}");
}

#[test]
fn titles_that_did_not_fit_stay_in_one_row() {
    let mut stage = Stage::new();
    stage.app.settings.ui.list = ListStyle::Compact;
    let long = "A long title with many words of which the last one is behind the end of the row";
    stage.rows.truncate(4);
    stage.rows[0].title = long.to_owned();
    stage.rows[0].read = false;
    stage.keys("gugi");
    let is_wrapped = |stage: &mut Stage| stage.screen(80, 24).contains("of the row");
    assert!(is_wrapped(&mut stage), "{}", stage.screen(80, 24));
    let (before, count) = (stage.rows.clone(), stage.app.items.rows.len());
    arrive(&mut stage, 20);
    assert!(!is_wrapped(&mut stage));
    stage.rows = before;
    stage.reload(1);
    assert_eq!(stage.app.items.rows.len(), count);
    assert!(!is_wrapped(&mut stage), "titles move at most once");
    // Another list is laid out independently.
    stage.keys("gagu");
    assert!(is_wrapped(&mut stage));
    // In search results, heights would change with each letter.
    stage.keys("flong");
    assert!(!is_wrapped(&mut stage), "{}", stage.screen(80, 24));
}

#[test]
fn shows_arrivals_at_the_top_and_keeps_the_selection() {
    let mut stage = Stage::new();
    let (_, title) = selected(&mut stage, (120, 40));
    for row in &mut stage.rows {
        row.pinned = false;
    }
    arrive(&mut stage, 2);
    let (_, after) = selected(&mut stage, (120, 40));
    assert_eq!(title, after);
    assert!(stage.screen(120, 40).contains("Arrived 0"));
    // The same applies to later arrivals, until the user moves.
    stage.rows.retain(|row| row.key != 100);
    arrive(&mut stage, 1);
    assert!(stage.screen(120, 40).contains("Arrived 0"));
    stage.rows.retain(|row| row.key != 100);
    stage.happen(Event::StoreChanged);
    stage.screen(120, 40);
    stage.keys("j");
    let before = selected(&mut stage, (120, 40));
    arrive(&mut stage, 1);
    assert_eq!(selected(&mut stage, (120, 40)), before);
}

#[test]
fn reloads_an_open_article_that_changes() {
    let mut stage = Stage::new();
    stage.screen(120, 40);
    stage.keys("<Enter>");
    let key = stage.shown_key();
    let title = |stage: &Stage| stage.app.reader.article.as_ref().unwrap().row.title.clone();
    let before = title(&stage);
    let row = stage.rows.iter_mut().find(|row| row.key == key).unwrap();
    row.title = "Main library will not open".to_owned();
    stage.reload(2);
    assert_ne!(title(&stage), before);
    let screen = stage.screen(140, 40);
    assert_eq!(screen.matches("Main library will not open").count(), 2, "in both panes: {screen}");
    // Changes to other items do not reload it.
    let asked = |stage: &Stage| stage.app.reader.article.as_ref().map(std::sync::Arc::as_ptr);
    let same = asked(&stage);
    stage.rows.last_mut().unwrap().title = "Another".to_owned();
    stage.reload(4);
    assert_eq!(asked(&stage), same);
}
