//! Styles, surfaces and positions in the Reader.

use super::super::view;
use super::*;
use crate::config::{Depth, Role};
use crate::tui::style::{ColorSupport, Palette};
use crate::util::text;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::{Color, Style};

/// The style of the first cell of a text on the screen.
fn style_of(stage: &mut Stage, words: &str) -> Style {
    let mut terminal = Terminal::new(TestBackend::new(80, 100)).unwrap();
    terminal.draw(|frame| view::draw(&mut stage.app, frame)).unwrap();
    let buffer = terminal.backend().buffer();
    let row = |y: u16| (0..80).map(|x| buffer[(x, y)].symbol()).collect::<Vec<_>>();
    for y in 0..100 {
        let cells = row(y);
        let at = (0..cells.len()).find(|x| cells[*x..].concat().starts_with(words));
        if let Some(x) = at {
            return buffer[(u16::try_from(x).unwrap(), y)].style();
        }
    }
    panic!("no {words:?} on the screen");
}

#[test]
fn every_part_has_the_style_of_its_role() {
    let parts = [
        ("▪ Kernel notes and", Role::Source1, None),
        ("Kernel notes for 6.19", Role::Title, None),
        ("A. Writer", Role::Soft, None),
        ("Text from", Role::Dim, None),
        ("Begin", Role::Text, None),
        ("link¹", Role::Link, None),
        ("¹,", Role::Dim, None),
        ("Script  ", Role::Strong, None),
        ("rust ", Role::Dim, Some(Role::Raised)),
        ("fn main", Role::CodeKeyword, Some(Role::Raised)),
        ("main() {", Role::CodeFunction, Some(Role::Raised)),
        ("() {", Role::CodeOperator, Some(Role::Raised)),
        ("› ", Role::Dim, Some(Role::Raised)),
        ("1. One", Role::Accent, None),
        ("Kinds", Role::Heading, None),
        ("Tasks", Role::Subheading, None),
        ("☑ Done", Role::Accent, None),
        ("Terms", Role::Emphasis, None),
        ("Measure", Role::Strong, None),
        ("▎  Somebody", Role::Bar, None),
        ("Somebody", Role::Quote, None),
        ("twice", Role::Strong, None),
        ("R. Okafor", Role::Dim, None),
        ("▣ A map", Role::Dim, None),
        ("The way", Role::Caption, None),
        ("Links in this article", Role::Soft, None),
        ("end of the article ·", Role::Dim, None),
    ];
    for (theme, depth) in [
        ("dark", Depth::True),
        ("light", Depth::True),
        ("ansi", Depth::Sixteen),
        ("mono", Depth::Mono),
    ] {
        let mut stage = stage(EVERYTHING, None);
        stage.app.settings.ui.wrap_code = false;
        let support = ColorSupport { depth, light: theme == "light", ascii: false };
        stage.app.palette = Palette::named(theme, &stage.app.settings, support).unwrap();
        stage.screen(80, 100);
        stage.keys("<Enter>");
        stage.screen(80, 100);
        for (words, role, surface) in parts {
            let shown = style_of(&mut stage, words);
            let ground = stage.app.palette.style(surface.unwrap_or(Role::Ground));
            let expected = ground.patch(stage.app.palette.style(role));
            let reset = |color: Option<Color>| color.unwrap_or(Color::Reset);
            assert_eq!(
                (shown.fg, shown.bg, shown.add_modifier),
                (Some(reset(expected.fg)), Some(reset(expected.bg)), expected.add_modifier),
                "{words} in {theme}"
            );
        }
    }
}

#[test]
fn code_has_its_background_across_the_whole_column() {
    let mut stage = stage("<p>text</p><pre>one\n\ntwo</pre><p>text</p>", None);
    stage.screen(60, 30);
    stage.keys("<Enter>z");
    stage.screen(60, 30);
    let mut terminal = Terminal::new(TestBackend::new(60, 30)).unwrap();
    terminal.draw(|frame| view::draw(&mut stage.app, frame)).unwrap();
    let raised = stage.app.palette.style(Role::Raised).bg.unwrap();
    let buffer = terminal.backend().buffer();
    let rows: Vec<Vec<u16>> = (0..30)
        .map(|y| (0..60).filter(|x| buffer[(*x, y)].bg == raised).collect())
        .filter(|row: &Vec<u16>| !row.is_empty())
        .collect();
    assert_eq!(rows.len(), 5, "the language, three lines, an empty one");
    assert!(rows.iter().all(|row| *row == (3..57).collect::<Vec<u16>>()), "{rows:?}");
}

#[test]
fn right_to_left_paragraphs_are_right_aligned() {
    let mut stage = stage("<p>نص</p><ul><li>نص</li></ul><p>text</p>", None);
    stage.screen(60, 30);
    stage.keys("<Enter>z");
    let screen = stage.screen(60, 30);
    let cells = |words: &str| {
        let line = screen.lines().find(|line| line.contains(words)).unwrap().trim_end();
        text::width(line)
    };
    assert_eq!((cells("نص"), cells("نص •"), cells("text")), (57, 56, 7), "{screen}");
}

#[test]
fn the_remaining_time_shrinks_while_reading() {
    let text: String = (0..2300).map(|n| format!("word{n} ")).collect();
    let mut stage = stage(&text, None);
    stage.rows.iter_mut().for_each(|row| row.words = 2300);
    stage.screen(80, 24);
    stage.keys("<Enter>");
    stage.shows("10 min read");
    stage.screen(80, 24);
    let mut before = stage.app.reader.minutes_left();
    assert!((9..=10).contains(&before), "{before}");
    while stage.app.reader.percent() < 100 {
        stage.keys("<Space>");
        stage.screen(80, 24);
        let left = stage.app.reader.minutes_left();
        assert!(left <= before, "{left} after {before}");
        before = left;
    }
    assert_eq!(before, 0);
    stage.shows("end of the article · Space: next unread");
    stage.keys("<Space>");
    assert_eq!(stage.shown_key(), 2, "the next unread item");
}

#[test]
fn long_lists_of_links_are_cut() {
    let lines = |count: usize| {
        let links: String =
            (1..=count).map(|i| format!("<a href='https://site.example/{i}'>{i}</a> ")).collect();
        let mut stage = stage(&format!("<p>{links}</p>"), None);
        stage.screen(80, 80);
        stage.keys("<Enter>");
        let screen = stage.screen(80, 80);
        (screen.matches("site.example/").count(), screen.contains("… 6 more · L: list of links"))
    };
    assert_eq!(lines(25), (25, false));
    assert_eq!(lines(26), (20, true));
}

#[test]
fn hints_do_not_move_the_text() {
    let links: String =
        (1..=40).map(|i| format!("<a href='https://site.example/{i}'>{i}日本</a> ")).collect();
    let mut stage = stage(&format!("<p>{links}</p>"), None);
    stage.screen(80, 50);
    stage.keys("<Enter>z");
    let before = stage.screen(80, 50);
    stage.keys(";");
    let after = stage.screen(80, 50);
    let widths = |s: &str| s.lines().take(36).map(text::width).collect::<Vec<_>>();
    assert_eq!(widths(&before), widths(&after));
    assert!(after.contains("as"), "two letters each: {after}");
}

#[test]
fn lists_enclosures_among_the_links() {
    let item = |urls: &[&str]| {
        let enclosure = |url: &&str| crate::model::Enclosure {
            url: (*url).to_owned(),
            mime: None,
            bytes: None,
            seconds: None,
            ..crate::model::Enclosure::default()
        };
        let mut item = crate::model::Item::clone(&article(item_rows()[0].clone()).item);
        item.content = Some("<p><a href='https://e.org/a.mp3'>Listen</a></p>".to_owned());
        item.enclosures = urls.iter().map(enclosure).collect();
        item
    };
    let links = |urls: &[&str]| crate::tui::read::document(&item(urls)).links.len();
    assert_eq!(links(&[]), 1);
    assert_eq!(links(&["https://e.org/a.mp3"]), 1, "it is in the text");
    assert_eq!(links(&["https://e.org/a.mp3", "https://e.org/b.mp3"]), 2);
}

#[test]
fn zen_shows_the_source_once() {
    let words = "<p>Words.</p>".repeat(60);
    let mut stage = stage(&words, None);
    stage.screen(80, 24);
    stage.keys("<Enter>z");
    let screen = stage.screen(80, 24);
    assert_eq!(screen.matches("Kernel notes and").count(), 1, "{screen}");
    stage.keys("<Space>");
    stage.screen(80, 24);
    let screen = stage.screen(80, 24);
    assert_eq!(screen.matches("Kernel notes and").count(), 1, "{screen}");
}

#[test]
fn headings_that_are_links_look_like_headings() {
    let mut stage = stage("<h2><a href='https://e.org/a'>The part</a></h2><p>Words.</p>", None);
    stage.screen(80, 24);
    stage.keys("<Enter>");
    stage.screen(80, 24);
    let heading = stage.app.palette.style(Role::Heading);
    assert_eq!(style_of(&mut stage, "The part").fg, heading.fg);
}

#[test]
fn code_in_a_heading_has_the_role_of_the_heading() {
    let code = "<code>nice</code>";
    let html = format!("<h2>The {code} part</h2><h3>More {code}</h3><p>A {code} text</p>");
    let mut stage = stage(&html, None);
    stage.screen(80, 24);
    stage.keys("<Enter>");
    stage.screen(80, 24);
    let roles = |words: &str| -> Vec<Role> {
        let mut lines = stage.app.reader.lines.lines.iter();
        let line = lines.find(|line| line.text() == words).unwrap();
        let mut roles: Vec<Role> = line.spans.iter().map(|span| span.role).collect();
        roles.dedup();
        roles
    };
    assert_eq!(roles("The nice part"), [Role::Heading]);
    assert_eq!(roles("More nice"), [Role::Subheading]);
    assert_eq!(roles("A nice text"), [Role::Text, Role::Code, Role::Text]);
}
