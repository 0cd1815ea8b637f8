//! Tests of code in the Reader on a test screen.

use super::stage;
use crate::article::LostLayout;
use crate::config::Role;
use crate::model::{Item, TextFrom};
use std::sync::Arc;

#[test]
fn the_head_shows_that_the_feed_has_lost_the_layout_of_code() {
    let flat = "<pre>fn main() {\nlet a = 1;\nif a > 0 {\nrun(a);\n}\n}</pre>";
    let line = "a(); b(); c(); d(); e(); ".repeat(9);
    for (code, page_text, expected) in [
        (flat, false, "Text from the feed; code has no indentation, x fetches the page"),
        (flat, true, "code has no indentation, x shows the text of the page"),
        (&format!("<pre>{line}</pre>"), false, "code has no line breaks, x fetches"),
    ] {
        for from in [TextFrom::Feed, TextFrom::Page] {
            let mut stage = stage(code, None);
            let shown = stage.shown.as_mut().unwrap();
            let mut item = Item::clone(&shown.item);
            (item.page_text, item.text_from) = (page_text, from);
            shown.lost = LostLayout::of(&shown.document).filter(|_| from == TextFrom::Feed);
            shown.item = Arc::new(item);
            stage.app.reader.column = 110;
            stage.keys("<Enter>");
            let is_shown = stage.screen(200, 40).contains(expected);
            assert_eq!(is_shown, from == TextFrom::Feed, "{expected}");
        }
    }
}

#[test]
fn code_without_a_language_has_colours_but_no_tag() {
    let mut stage = stage("<pre>fn main() -&gt; u8 {\n    7\n}</pre>", None);
    stage.keys("<Enter>");
    assert!(!stage.screen(120, 40).contains("rust"));
    let lines = &stage.app.reader.lines.lines;
    let roles: Vec<_> = lines.iter().flat_map(|l| &l.spans).map(|span| span.role).collect();
    assert!(roles.contains(&Role::CodeKeyword), "{roles:?}");
}

#[test]
fn blocks_of_code_have_one_right_edge() {
    let code = |width: usize| format!("<pre>first\n{}</pre>", "x".repeat(width));
    let edges = |widths: &[usize]| {
        let html: String = widths.iter().map(|width| code(*width)).collect();
        let mut stage = stage(&html, None);
        stage.screen(140, 60);
        stage.keys("<Enter>z");
        stage.screen(140, 60);
        let lines = &stage.app.reader.lines.lines;
        let mut beyond: Vec<_> =
            lines.iter().filter(|l| l.ground.is_some()).map(|line| line.beyond).collect();
        beyond.dedup();
        beyond
    };
    assert_eq!(edges(&[10, 67, 68]), [0]);
    // As wide as the widest block needs.
    assert_eq!(edges(&[10, 67, 68, 78]), [10]);
    let all = edges(&[10, 67, 68, 69, 74, 90, 130, 200]);
    assert!(all.len() == 1 && all[0] > 20, "{all:?}");
}

#[test]
fn copies_code_as_written() {
    let long = "let a = \"a string that is much too long for a narrow column of text\";";
    let html = format!(
        "<p>Some text</p><blockquote><pre><code class=language-rust>fn main() {{\n\n    {long}\n}}</code></pre></blockquote>"
    );
    let mut stage = stage(&html, None);
    stage.screen(60, 30);
    stage.keys("<Enter>");
    let screen = stage.screen(60, 30);
    assert!(screen.contains("↳"), "{screen}");
    let expected = format!("fn main() {{\n\n    {long}\n}}");
    stage.keys_give("<C-y>", &format!("Copy {{ text: {expected:?} }}"));
    stage.shows("Copied 4 lines of code");
}

#[test]
fn chooses_among_the_blocks_of_code_on_the_screen() {
    let rows = "<p>text</p>".repeat(40);
    let html = format!(
        "<pre>one</pre><pre><code class=language-math>x^2</code></pre><pre>two\n\n2</pre>{rows}<pre>three</pre>"
    );
    let mut stage = stage(&html, None);
    stage.screen(120, 40);
    stage.keys("<Enter>");
    let screen = stage.screen(120, 40);
    assert!(screen.contains("C-y copy code"), "{screen}");
    stage.keys("<C-y>");
    let screen = stage.screen(120, 40);
    assert!(screen.contains("a one") && screen.contains("s two"), "{screen}");
    assert!(screen.contains("a-z copy"), "{screen}");
    stage.keys_give("s", "Copy { text: \"two\\n\\n2\" }");
    stage.shows("Copied 3 lines of code");
    stage.keys("<C-d>");
    assert!(!stage.screen(120, 40).contains("copy code"));
    stage.keys("<C-y>");
    stage.shows("No code on the screen");
    stage.keys("G");
    stage.screen(120, 40);
    stage.keys_give("<C-y>", "Copy { text: \"three\" }");
    stage.shows("Copied 1 line of code");
}
