//! Tests of the text search in the Reader.

use super::{first_line, stage};

#[test]
fn a_search_that_is_cancelled_after_a_new_layout_returns_to_its_start() {
    let text: String = (0..200).map(|n| format!("<p>line {n}</p>")).collect();
    let mut stage = stage(&text, None);
    stage.screen(80, 24);
    stage.keys("<Enter>z<Space>");
    stage.screen(80, 24);
    let before = first_line(&stage);
    stage.keys("<C-f>line 150");
    stage.screen(80, 24);
    assert_ne!(first_line(&stage), before);
    // At another width, the article is laid out again.
    stage.screen(60, 24);
    stage.keys("<Backspace>");
    stage.screen(60, 24);
    stage.keys("<Esc>");
    stage.screen(60, 24);
    assert_eq!(first_line(&stage), before);
}
