//! Tables in the Reader.

use super::stage;
use crate::tui::tests::Stage;

#[test]
fn draws_a_large_table() {
    let row = format!("<tr>{}</tr>", "<td>some words</td>".repeat(64));
    let mut stage = stage(&format!("<table>{}</table>", row.repeat(800)), None);
    for (keys, seen) in [("<Enter>", "some words"), ("<Space>", "some words"), ("G", "100 %")] {
        stage.keys(keys);
        let screen = stage.screen(80, 24);
        assert!(screen.contains(seen), "{screen}");
    }
}

#[test]
fn header_of_a_table_stays_while_its_rows_are_scrolled() {
    let rows: String = (0..90).map(|n| format!("<tr><td>row {n}<td>{n}</td></tr>")).collect();
    let table = format!("<table><tr><th>Name<th>Count</tr>{rows}</table><p>After the table.</p>");
    let after = "<p>more</p>".repeat(60);
    let mut stage = stage(&format!("{table}{after}"), None);
    stage.keys("<Enter>");
    for (width, height) in [(80, 24), (120, 50)] {
        stage.keys("gg");
        let seen = |stage: &mut Stage| stage.screen(width, height);
        let screen = seen(&mut stage);
        assert_eq!(screen.matches("Count").count(), 1, "{screen}");
        stage.keys("<Space>");
        let screen = seen(&mut stage);
        let header = screen.lines().position(|line| line.contains("Count")).unwrap();
        let row = screen.lines().position(|line| line.contains("row ")).unwrap();
        assert!(header < row && !screen.contains("row 0 "), "{screen}");
        stage.keys("G");
        let screen = seen(&mut stage);
        assert!(!screen.contains("Count"), "{screen}");
    }
}

#[test]
fn the_rule_below_a_header_that_stays_is_as_wide_as_the_table() {
    let row =
        |n: usize| format!("<tr><td>row {n}<td>{}<td>{}</tr>", "a".repeat(40), "b".repeat(40));
    let rows: String = (0..90).map(row).collect();
    let table = format!("<table><tr><th>Name<th>Count<th>Other</tr>{rows}</table>");
    let mut stage = stage(&table, None);
    stage.screen(140, 36);
    stage.keys("<Enter>z");
    let rule = |stage: &mut Stage| -> usize {
        let screen = stage.screen(140, 36);
        let below = screen.lines().skip_while(|line| !line.contains("Count")).nth(1).unwrap();
        below.matches('─').count()
    };
    let expected = rule(&mut stage);
    assert!(expected > 80, "{}", stage.screen(140, 36));
    stage.keys("<Space>");
    assert!(!stage.screen(140, 36).contains("row 0 "));
    assert_eq!(rule(&mut stage), expected, "{}", stage.screen(140, 36));
}

#[test]
fn a_page_does_not_begin_within_a_row_of_a_table() {
    let cell = "several words that need more than one line in their column ".repeat(3);
    let row = |n: usize| format!("<tr><td>row {n}<td>{cell}<td>{cell}</tr>");
    let table = format!("<table>{}</table>", (0..40).map(row).collect::<String>());
    for before in 1..8 {
        let mut stage = stage(&format!("{}{table}", "<p>Words.</p>".repeat(before)), None);
        stage.screen(80, 24);
        stage.keys("<Enter>");
        for _ in 0..4 {
            stage.screen(80, 24);
            stage.keys("<Space>");
            stage.screen(80, 24);
            let reader = &stage.app.reader;
            assert_eq!(reader.lines.lines[reader.top].below_row, 0, "{before}");
        }
    }
}
