//! Items that arrive while the user reads.

use super::*;
use crate::config::ListStyle;

/// New items, above all others.
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

/// The line of the screen with the selected item's title, and that title.
fn selected(stage: &mut Stage, size: (u16, u16)) -> (usize, String) {
    let title = stage.app.items.current().unwrap().title.clone();
    let screen = stage.screen(size.0, size.1);
    let head: String = title.chars().take(8).collect();
    let line = screen.lines().position(|line| line.contains(&head) && line.contains('▌'));
    (line.unwrap_or_else(|| panic!("{title:?} is not selected:\n{screen}")), title)
}

#[test]
fn the_selected_row_stays_on_its_line_when_items_arrive() {
    let styles = [ListStyle::Auto, ListStyle::Comfortable, ListStyle::Magazine];
    for (style, size, keys) in styles
        .into_iter()
        .flat_map(|style| [(80, 24), (120, 40), (50, 15), (120, 9)].map(|size| (style, size)))
        .flat_map(|(style, size)| ["j", "jj", "jjjj", "G"].map(|keys| (style, size, keys)))
    {
        for count in [1, 2, 5] {
            let mut settings = Settings::default();
            settings.ui.list = style;
            let mut stage = Stage::with(settings, source_list(), item_rows());
            stage.screen(size.0, size.1);
            stage.keys(keys);
            let before = selected(&mut stage, size);
            arrive(&mut stage, count);
            let after = selected(&mut stage, size);
            assert_eq!(before, after, "{style:?} {size:?} after {keys:?} and {count} items");
            // Drawing again moves nothing, and the user can move on to the items that arrived.
            assert_eq!(selected(&mut stage, size), after);
            stage.keys("gg");
            assert!(stage.screen(size.0, size.1).contains("Arrived 0"));
        }
    }
}

#[test]
fn at_the_top_the_list_shows_what_arrives_and_the_selection_stays_on_its_item() {
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
