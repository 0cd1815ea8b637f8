//! Tests of code in the Reader on a test screen.

use super::stage;
use crate::article::LostLayout;
use crate::config::Role;
use crate::model::{Item, TextFrom};
use crate::util::text;
use std::sync::Arc;

#[test]
fn the_header_shows_that_the_feed_has_lost_the_layout_of_code() {
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
    // The backgrounds are as wide as the widest block needs.
    assert_eq!(edges(&[10, 67, 68, 78]), [10]);
    let all = edges(&[10, 67, 68, 69, 74, 90, 130, 200]);
    assert!(all.len() == 1 && all[0] > 20, "{all:?}");
}

/// The number of cells in a row up to the end of a text.
fn end_of(screen: &str, words: &str) -> usize {
    let end = |line: &str| line.find(words).map(|at| text::width(&line[..at + words.len()]));
    screen.lines().find_map(end).unwrap_or_else(|| panic!("no {words}: {screen}"))
}

#[test]
fn a_block_of_code_above_a_wider_one_scrolls_only_as_far_as_needed() {
    // The first block fits into the four cells next to the column, and the second one does not.
    let html = format!("<pre>one\n{}w</pre><pre>two\n{}z</pre>", "x".repeat(71), "y".repeat(77));
    let mut stage = stage(&html, None);
    stage.app.settings.ui.wrap_code = false;
    stage.screen(84, 60);
    stage.keys("<Enter>z");
    let edge = end_of(&stage.screen(84, 60), "xw");
    assert!(!stage.screen(84, 60).contains("yz"), "{}", stage.screen(84, 60));
    stage.keys("<Right>");
    let screen = stage.screen(84, 60);
    assert_eq!((end_of(&screen, "xw"), end_of(&screen, "yz")), (edge, edge), "{screen}");
    stage.keys("<Right>");
    assert!(stage.has_message("Nothing more to the right"), "{:?}", stage.app.toast);
}

#[test]
fn the_languages_of_code_end_at_the_common_right_edge() {
    let code = |language: &str, width: usize| {
        format!("<pre><code class=language-{language}>{}</code></pre>", "x".repeat(width))
    };
    let mut stage = stage(&(code("rust", 10) + &code("python", 90)), None);
    stage.app.settings.ui.wrap_code = false;
    stage.screen(140, 60);
    stage.keys("<Enter>z");
    let screen = stage.screen(140, 60);
    let buffer = stage.drawn(140, 60);
    let raised = stage.app.palette.style(Role::Raised).bg.unwrap();
    // The number of cells up to the end of the background, in the row of a language.
    let ground = |language: &str| {
        let row = screen.lines().position(|line| line.trim_matches(['▐', '▕', ' ']) == language);
        let y = u16::try_from(row.unwrap()).unwrap();
        (0..140_u16).rfind(|x| buffer[(*x, y)].bg == raised).unwrap() + 1
    };
    assert_eq!(ground("rust"), ground("python"), "{screen}");
    let (rust, python) = (end_of(&screen, "rust"), end_of(&screen, "python"));
    assert_eq!(rust, python, "{screen}");
    assert_eq!(rust + 2, usize::from(ground("rust")), "the padding follows: {screen}");
    // The widest line ends there too.
    assert_eq!(end_of(&screen, &"x".repeat(90)), rust, "{screen}");
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
