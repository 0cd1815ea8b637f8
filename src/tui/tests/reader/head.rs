//! Tests of the header of an article.

use super::stage;
use crate::model::Item;
use crate::util::text;
use std::sync::Arc;

#[test]
fn the_title_stays_in_the_first_row_while_the_facts_scroll_away() {
    let words: Vec<String> = (1..=30).map(|n| format!("word{n}")).collect();
    let long = words.join(" ");
    for (title, rows) in [("A short title", 1), (long.as_str(), 3)] {
        let mut stage = stage(&"<p>Text.</p>".repeat(60), None);
        title.clone_into(&mut stage.rows[0].title);
        let shown = stage.shown.as_mut().unwrap();
        let mut item = Item::clone(&shown.item);
        title.clone_into(&mut item.title);
        item.tags = (1..=20).map(|n| format!("category{n}")).collect();
        shown.item = Arc::new(item);
        stage.screen(80, 24);
        stage.keys("<Enter>z");
        let start = stage.screen(80, 24);
        let lines: Vec<&str> = start.lines().collect();
        let top = lines.iter().position(|line| line.contains("▪ Kernel")).unwrap();
        assert!(lines[top + rows + 1].contains("A. Writer"), "{rows} rows: {start}");
        let reduced = text::truncate(title, 72);
        let mut hidden = 0;
        while stage.app.reader.head_hidden < stage.app.reader.head_rows {
            stage.keys("j");
            hidden += 1;
            let screen = stage.screen(80, 24);
            let first = screen.lines().nth(top).unwrap().trim_matches(['▐', '▕', ' ']);
            // A longer title scrolls away like text, until its last line has gone.
            let is_line = hidden <= rows && title.contains(first) && !first.is_empty();
            assert!(is_line || first == reduced, "{hidden} of {rows} rows: {screen}");
            if hidden == rows + 1 {
                assert!(screen.contains("Categories: category1"), "{screen}");
            }
        }
        assert!(hidden > rows + 1, "{start}");
        assert!(!stage.screen(80, 24).contains("category"), "{}", stage.screen(80, 24));
    }
}

#[test]
fn the_header_of_a_teaser_has_no_reading_time() {
    for is_teaser in [false, true] {
        let mut stage = stage("<p>Words.</p>", None);
        stage.rows.iter_mut().for_each(|row| row.words = 2300);
        stage.shown.as_mut().unwrap().is_cut = is_teaser;
        stage.screen(80, 24);
        stage.keys("<Enter>z");
        let screen = stage.screen(80, 24);
        assert_eq!(screen.contains("Teaser from the feed"), is_teaser, "{screen}");
        assert_eq!(screen.contains("10 min read"), !is_teaser, "{screen}");
        assert_eq!(screen.contains("min read"), !is_teaser, "{screen}");
    }
}
