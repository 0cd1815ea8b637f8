//! Tests of display options: of views, list density and the Sources pane.

use super::lists::{config, stage_with_files};
use super::*;
use crate::article::from_html;
use crate::config::{DateStyle, Grouping, ListLayout, ListStyle, SortOrder, ViewSettings};
use crate::store::Snippet;
use crate::tui::app::RowId;
use crate::tui::event::Article;
use crate::util::time_text::near_minute;
use std::sync::Arc;

#[test]
fn a_view_has_its_own_layout() {
    let views = vec![ViewSettings {
        name: "Archive".to_owned(),
        query: "is:read OR is:unread".to_owned(),
        layout: ListLayout {
            sort: Some(SortOrder::Oldest),
            dates: Some(DateStyle::Time),
            group: Some(Grouping::None),
            columns: vec!["date".to_owned()],
            ..ListLayout::default()
        },
    }];
    let settings = Settings { views, ..Settings::default() };
    let mut stage = Stage::with(settings, source_list(), item_rows());
    stage.app.settings.ui.preview = false;
    stage.keys("ga");
    let usual = stage.screen(140, 40);
    stage.keys("<C-p>Archive<Enter>");
    assert_eq!(stage.app.items.shown_order(), SortOrder::Oldest);
    let screen = stage.screen(140, 40);
    let row = stage.app.items.current().unwrap();
    assert!(screen.contains(&near_minute(row.date, now())), "{screen}");
    let list = |screen: &str, text: &str| {
        let lines = screen.lines().skip(2).map(|line| line.chars().skip(32).collect::<String>());
        lines.filter(|line| line.contains(text)).count()
    };
    assert!(list(&usual, "Yesterday") > 0 && list(&usual, "theatre.example") > 0, "{usual}");
    assert_eq!((list(&screen, "Yesterday"), list(&screen, "theatre.example")), (0, 0), "{screen}");
    // The options do not apply to other lists, and the user's own choice overrides them.
    stage.keys("ga");
    assert_eq!(stage.app.items.shown_order(), SortOrder::PinnedNewest);
    stage.keys("<C-p>Archive<Enter>gi>");
    assert_ne!(stage.app.items.shown_order(), SortOrder::Oldest);
}

#[test]
fn groups_items_of_a_source_below_its_title() {
    let mut stage = Stage::with(Settings::default(), source_list(), item_rows());
    stage.app.settings.ui.group = Grouping::Source;
    stage.app.settings.ui.preview = false;
    stage.keys("ga");
    let sources: Vec<i64> = stage.app.items.rows.iter().map(|row| row.source_key).collect();
    let mut once = sources.clone();
    once.dedup();
    let distinct: std::collections::HashSet<i64> = sources.iter().copied().collect();
    assert!(distinct.len() > 1 && once.len() == distinct.len(), "{sources:?}");
    let screen = stage.screen(140, 40);
    let title = stage.app.sources.entry(once[0]).unwrap().title().to_owned();
    let count = sources.iter().filter(|key| **key == once[0]).count();
    let heading = |line: &str| line.contains(&format!("{title} \u{2500}"));
    let line = screen.lines().find(|line| heading(line));
    assert!(line.is_some_and(|line| line.trim_end().ends_with(&count.to_string())), "{screen}");
    assert!(!screen.contains("Yesterday"), "{screen}");
    // In a narrow list, grouped items need no second row for the source.
    stage.screen(50, 20);
    let shown = stage.app.items.shown.iter().flatten();
    let mut once: Vec<_> = shown.copied().collect();
    let rows = once.len();
    once.dedup();
    assert!(rows > 1 && once.len() == rows, "{rows} {once:?}");
}

fn view(name: &str) -> ViewSettings {
    let query = "is:read OR is:unread".to_owned();
    ViewSettings { name: name.to_owned(), query, layout: ListLayout::default() }
}

/// A deadline in the past would wake the program repeatedly.
#[test]
fn nothing_is_due_after_the_last_view_was_removed() {
    let settings = Settings { views: vec![view("Archive")], ..Settings::default() };
    let mut stage = Stage::with(settings, source_list(), item_rows());
    stage.happen(Event::ViewsCounted(Ok(vec![])));
    stage.happen(Event::SettingsReloaded(Box::default()));
    stage.happen(Event::StoreChanged);
    let later = now() + TimeDelta::seconds(10);
    stage.app.update(Event::TimePassed, later);
    let deadline = stage.app.deadline().unwrap();
    assert!(deadline > later, "{deadline} is not after {later}");
}

#[test]
fn a_view_may_be_called_search() {
    let settings = Settings { views: vec![view("Search")], ..Settings::default() };
    let mut stage = Stage::with(settings, source_list(), item_rows());
    stage.keys("<Tab>");
    assert_eq!(stage.app.focus, Focus::Sources);
    let name = RowId::Saved("Search".to_owned());
    let at = stage.app.sources.rows.iter().position(|row| row.id == name).unwrap();
    let (selected, key) =
        (stage.app.sources.selected, if at > stage.app.sources.selected { "j" } else { "k" });
    stage.keys(&key.repeat(at.abs_diff(selected)));
    stage.keys("<Enter>");
    assert_eq!((stage.app.items.listing.title.as_str(), stage.app.focus), ("Search", Focus::Items));
    assert!(!stage.app.is_search());
    stage.keys("<Esc>");
    assert_eq!(stage.app.focus, Focus::Sources);
}

#[test]
fn a_key_cycles_through_the_list_densities() {
    let mut stage = stage_with_files();
    let last = |stage: &mut Stage| {
        let screen = stage.screen(110, 60);
        screen.lines().enumerate().filter(|(_, line)| line.contains('●')).last().unwrap().0
    };
    let compact = last(&mut stage);
    let mut before = compact;
    // At this size, the automatic density is compact.
    for name in ["comfortable", "magazine"] {
        stage.keys("_");
        assert!(config(&stage).contains(&format!("list = \"{name}\"")), "{}", config(&stage));
        assert!(last(&mut stage) > before, "{name}");
        before = last(&mut stage);
    }
    stage.keys("_");
    assert!(config(&stage).contains("list = \"auto\""));
    assert_eq!(last(&mut stage), compact);
    // In a narrow list, the automatic density is comfortable.
    let mut stage = stage_with_files();
    stage.keys("gi");
    stage.screen(50, 24);
    stage.keys("_");
    assert!(config(&stage).contains("list = \"compact\""));
    stage.keys("u");
    assert!(!config(&stage).contains("list = "));
}

#[test]
fn a_hidden_sources_pane_frees_its_space() {
    let mut stage = stage_with_files();
    assert!(stage.screen(80, 24).contains("5 sources"));
    stage.keys("\\");
    assert!(config(&stage).contains("sources_pane = false"));
    let screen = stage.screen(80, 24);
    assert!(!screen.contains("5 sources"), "{screen}");
    let widths = crate::tui::view::arrangement(&stage.app, 80);
    assert_eq!(widths, [(crate::tui::app::Focus::Items, 80)]);
    stage.keys("gs");
    assert!(stage.screen(80, 24).contains("5 sources"));
    stage.keys("gi<Enter>");
    let panes = crate::tui::view::arrangement(&stage.app, 140);
    assert_eq!(panes.len(), 2, "the list and the Reader share the screen: {panes:?}");
    stage.keys("gi\\");
    assert!(stage.screen(80, 24).contains("5 sources"));
}

#[test]
fn does_not_save_a_list_without_a_query() {
    let mut stage = stage_with_files();
    stage.keys("gu=");
    assert!(stage.has_message("Nothing to save: search the list first"));
}

#[test]
fn shows_the_whole_hint_of_an_empty_rule_list() {
    let mut stage = Stage::new();
    stage.keys("&");
    assert!(stage.screen(80, 24).contains("  more."), "{}", stage.screen(80, 24));
}

#[test]
fn magazine_summaries_end_with_an_ellipsis_or_facts() {
    let mut stage = Stage::new();
    stage.app.settings.ui.list = ListStyle::Magazine;
    stage.app.settings.ui.preview = false;
    stage.keys("gugi");
    stage.screen(80, 24);
    let keys: Vec<i64> = stage.app.items.rows.iter().map(|row| row.key).collect();
    // Each row of the long text fills the width of the list.
    let words = "xxxx ".repeat(60);
    let snippet = |text: &str| Snippet { text: text.to_owned(), ..Snippet::default() };
    let found = vec![(keys[0], snippet(&words)), (keys[1], snippet("One row."))];
    stage.happen(Event::SnippetsLoaded(None, Ok(found)));
    for width in 70..80 {
        let screen = stage.screen(width, 24);
        let lines: Vec<&str> = screen.lines().collect();
        let second = lines.iter().rposition(|line| line.contains("xxxx")).unwrap();
        assert!(lines[second].trim_end_matches([' ', '▐', '▕']).ends_with('…'), "{screen}");
        let one = lines.iter().position(|line| line.contains("One row.")).unwrap();
        assert!(lines[one + 1].contains("min") || lines[one + 1].contains('▪'), "{screen}");
    }
}

#[test]
fn tall_screens_have_an_empty_row_above_the_keys() {
    let mut stage = Stage::new();
    stage.app.settings.ui.preview = false;
    for height in [36, 40] {
        let screen = stage.screen(120, height);
        let row = screen.lines().nth(usize::from(height) - 2).unwrap();
        assert!(row.is_empty(), "{screen}");
    }
}

#[test]
fn a_tall_dialog_covers_the_row_below_it() {
    for keys in [":settings<Enter>", "K"] {
        let mut stage = Stage::new();
        stage.screen(140, 32);
        stage.keys(keys);
        let screen = stage.screen(140, 32);
        let lines: Vec<&str> = screen.lines().collect();
        assert!(lines[29].contains('╰') && lines[30].is_empty(), "{keys}\n{screen}");
    }
}

#[test]
fn the_key_bindings_have_a_scroll_bar() {
    let mut stage = Stage::new();
    stage.screen(100, 30);
    stage.keys("K");
    let screen = stage.screen(100, 30);
    let thumb = |screen: &str| screen.lines().position(|line| line.contains("▐ │"));
    let first = thumb(&screen).unwrap();
    stage.keys(&"<Down>".repeat(60));
    assert!(thumb(&stage.screen(100, 30)) > Some(first), "{screen}");
}

#[test]
fn narrow_lists_next_to_the_sources_shorten_their_names() {
    let mut stage = Stage::new();
    stage.keys("gi");
    let screen = stage.screen(80, 24);
    assert!(screen.contains("▪ council…      8h"), "{screen}");
    // Without the Sources pane, the list shows the names.
    stage.keys("\\");
    assert!(stage.screen(80, 24).contains("▪ council.exa"), "{}", stage.screen(80, 24));
    stage.keys("\\");
    assert!(stage.screen(90, 24).contains("▪ council.exa"), "{}", stage.screen(90, 24));
}

#[test]
fn zen_mode_shows_the_source_and_the_position() {
    let mut list = source_list();
    list.sources.iter_mut().for_each(|source| {
        source.facts.feed_title = Some("Kernel notes about everything in the system".to_owned());
    });
    let mut stage = Stage::with(Settings::default(), list, item_rows());
    let text = "<p>Some words.</p>".repeat(40);
    let usual = article(item_rows()[0].clone());
    stage.shown = Some(Article { document: Arc::new(from_html(&text, None)), ..usual });
    // At this screen width, the space next to the position in the text column is narrower than half of the
    // line.
    stage.screen(160, 24);
    stage.keys("<Enter>z");
    assert!(!stage.screen(160, 24).contains("newsfed"));
    stage.keys("<Space>");
    stage.screen(160, 24);
    let screen = stage.screen(160, 24);
    let first = screen.lines().find(|line| !line.is_empty()).unwrap_or_default();
    assert!(first.trim_start().starts_with("Kernel notes"), "{screen}");
    assert!(first.contains("1 of ") && first.contains(" %"), "{screen}");
}

#[test]
fn equal_days_have_no_chart() {
    let mut stage = Stage::new();
    let flat = |per_day: Vec<u32>| {
        let rhythm = Rhythm { per_day, newest: Some(now()), pulse: Pulse::Normal };
        Event::RhythmsLoaded(Ok((1..=5).map(|key| (key, rhythm.clone())).collect()))
    };
    let chart = |stage: &mut Stage| stage.screen(120, 40).contains(['▁', '▅', '█']);
    assert!(chart(&mut stage));
    stage.happen(flat(vec![0; 7]));
    assert!(!chart(&mut stage), "{}", stage.screen(120, 40));
    stage.happen(flat(vec![3; 7]));
    assert!(!chart(&mut stage), "{}", stage.screen(120, 40));
}
