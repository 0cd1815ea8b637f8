//! Tests of the names of items and sources in lists.

use super::*;
use crate::util::text;
use std::sync::Arc;

/// A list with these titles, from alternating sources.
fn listed(titles: &[&str]) -> Stage {
    let rows = item_rows()
        .into_iter()
        .zip(titles)
        .map(|(row, title)| ItemRow { title: (*title).to_owned(), ..row });
    Stage::with(Settings::default(), source_list(), rows.collect())
}

const LONG: &str = "A long title of an item that says in the end what it is about";

#[test]
fn the_heading_of_a_list_follows_the_title_of_its_source() {
    let mut stage = listed(&["One"]);
    stage.keys("gsG<Enter>");
    let title = stage.app.items.listing.title.clone();
    let mut list = source_list();
    let entry = list.sources.iter_mut().find(|entry| entry.title() == title).unwrap();
    Arc::make_mut(&mut entry.source).title = Some("Renamed".to_owned());
    stage.happen(Event::SourcesLoaded(Ok(list)));
    assert_eq!(stage.app.items.listing.title, "Renamed");
}

#[test]
fn a_short_list_wraps_long_titles_onto_two_rows() {
    for (width, height) in [(80, 24), (84, 30), (66, 20)] {
        let mut stage = listed(&["Short", LONG, "Another", LONG]);
        let screen = stage.screen(width, height);
        assert_eq!(screen.matches("it is about").count(), 2, "{width}: {screen}");
        // Words are not split, and the second row is aligned with the first.
        let rows: Vec<&str> = screen.lines().collect();
        let first = rows.iter().position(|row| row.contains("A long title of")).unwrap();
        let at = |row: &str, word: &str| row.find(word).map(|at| text::width(&row[..at]));
        let second =
            rows[first + 1].split("  ").map(str::trim).filter(|part| !part.is_empty()).last();
        let second = second.unwrap().trim_start_matches(['▐', '▕']);
        let beginning = second.split(' ').next().unwrap();
        assert!(LONG.split(' ').any(|word| word == beginning), "{beginning}: {screen}");
        assert_eq!(at(rows[first], "A long"), at(rows[first + 1], second), "{screen}");
        // Mouse clicks on either row select the item.
        let shown = &stage.app.items.shown;
        assert_eq!(
            shown.iter().filter(|item| **item == Some(1)).count(),
            2 + usize::from(width == 66)
        );
    }
}

#[test]
fn a_full_list_shows_each_title_in_one_row() {
    let titles = [LONG; 12];
    let mut stage = listed(&titles);
    let unread = stage.app.items.rows.len();
    let screen = stage.screen(80, 16);
    assert!(!screen.contains("it is about"), "{screen}");
    assert_eq!(screen.matches("A long title").count(), unread, "{screen}");
    // The same list in a window with unused rows.
    let screen = stage.screen(80, 40);
    assert_eq!(screen.matches("it is about").count(), unread, "{screen}");
}

#[test]
fn sources_with_the_same_title_show_their_domain() {
    let mut list = source_list();
    let same = |list: &mut SourceList, at: usize, url: &str| {
        let mut source = (*list.sources[at].source).clone();
        source.title = Some("News".to_owned());
        source.url = url.parse().unwrap();
        list.sources[at].source = Arc::new(source);
    };
    same(&mut list, 0, "https://www.harbour.example/feed");
    same(&mut list, 1, "https://tram.example/rss");
    let mut stage = Stage::with(Settings::default(), list.clone(), item_rows());
    stage.happen(Event::SourcesLoaded(Ok(list.clone())));
    let name = |stage: &Stage, at: usize, cells: usize| {
        stage.app.sources.name(&stage.app.sources.list.sources[at], cells).into_owned()
    };
    let screen = stage.screen(120, 40);
    for domain in ["News · harbour", "News · tram"] {
        assert!(screen.matches(domain).count() >= 2, "{domain}: {screen}");
    }
    assert_eq!(name(&stage, 0, 40), "News · harbour.example");
    // A narrow column shortens the domain to its name, and an even narrower one drops the title.
    assert_eq!(name(&stage, 0, 20), "News · harbour");
    assert_eq!(name(&stage, 0, 10), "harbour");
    // Filtering the sources uses the same names.
    stage.keys("gsf");
    let found = stage.screen(80, 24);
    assert!(found.contains("News · harbour.example"), "{found}");
    stage.keys("<Esc>");
    // The last checks use the same names.
    stage.keys("V");
    let checks = stage.screen(80, 24);
    assert!(checks.contains("Last checks"), "{checks}");
    assert!(checks.contains("News · harbour.example"), "{checks}");
    assert!(checks.contains("News · tram.example"), "{checks}");
    stage.keys("<Esc>");
    // On one host, the paths distinguish the sources.
    same(&mut list, 1, "https://harbour.example/sport");
    stage.happen(Event::SourcesLoaded(Ok(list.clone())));
    let names = [name(&stage, 0, 80), name(&stage, 1, 80)];
    assert_eq!(names, ["News · harbour.example/feed", "News · harbour.example/sport"]);
    // On one machine, the ports distinguish the sources.
    same(&mut list, 0, "http://127.0.0.1:9731/feed");
    same(&mut list, 1, "http://127.0.0.1:9732/feed");
    stage.happen(Event::SourcesLoaded(Ok(list)));
    assert_eq!(name(&stage, 0, 40), "News · 127.0.0.1:9731");
    assert_eq!(name(&stage, 1, 20), "News · :9732");
}

#[test]
fn an_item_without_title_and_text_shows_its_url() {
    let mut rows = item_rows();
    rows[0].title = String::new();
    rows[0].url = Some("https://www.kernel.example/2026/what-changes-in-6.19.html".to_owned());
    let mut stage = Stage::with(Settings::default(), source_list(), rows);
    let screen = stage.screen(120, 40);
    assert!(screen.contains(" what changes in 6.19  "), "{screen}");
}

#[test]
fn shows_a_copied_url_decoded() {
    let mut rows = item_rows();
    rows[0].url = Some("https://kernel.example/caf%C3%A9".to_owned());
    let mut stage = Stage::with(Settings::default(), source_list(), rows);
    stage.keys("y");
    assert!(stage.has_message("Copied https://kernel.example/café"), "{:?}", stage.app.toast);
    assert!(stage.requested.iter().any(|effect| effect.contains("caf%C3%A9")));
}

#[test]
fn a_narrow_list_gives_up_source_names_before_titles() {
    let title = "One two three four five six seven eight nine ten eleven twelve";
    let mut list = source_list();
    let long = "Harbour Department Bulletin of the Day";
    Arc::make_mut(&mut list.sources[0].source).title = Some(long.to_owned());
    let mut compact = Settings::default();
    compact.ui.list = crate::config::ListStyle::Compact;
    for width in 40..=180 {
        let mut rows = vec![item_rows()[0].clone(); 30];
        rows.iter_mut().for_each(|row| title.clone_into(&mut row.title));
        let mut stage = Stage::with(compact.clone(), list.clone(), rows);
        let screen = stage.screen(width, 20);
        let row = screen.lines().find(|row| row.contains("One two")).unwrap();
        let list = row.split_once("One two").unwrap().1;
        let shown = list.split("  ").next().unwrap();
        let name = list.contains("Harbour");
        assert!(!name || text::width(shown) + 7 >= 29, "{width}: {row}");
        let Some((_, after)) = list.split_once(['▪', '■']) else { continue };
        let shown = after.trim_start().split("  ").next().unwrap().trim_end();
        assert!(shown == long || shown.ends_with('…'), "{width}: {shown}: {row}");
    }
    // The standard size still shows the beginning of the name.
    let screen = Stage::with(Settings::default(), list, item_rows()).screen(80, 24);
    assert!(screen.contains("■ Harbour…  ") || screen.contains("▪ Harbour…  "), "{screen}");
}

#[test]
fn a_search_keeps_the_widths_of_the_columns() {
    let mut list = source_list();
    Arc::make_mut(&mut list.sources[1].source).title = Some("Ab".to_owned());
    let at = |rows: Vec<ItemRow>| {
        let mut stage = Stage::with(Settings::default(), list.clone(), rows);
        let screen = stage.screen(120, 30);
        let row =
            screen.lines().find(|row| row.contains(" Ab  ")).unwrap_or_else(|| panic!("{screen}"));
        text::width(row.split(" Ab  ").next().unwrap())
    };
    let row = |source_key: i64| ItemRow { source_key, ..item_rows()[0].clone() };
    assert_eq!(at(vec![row(1), row(2)]), at(vec![row(2)]));
}
