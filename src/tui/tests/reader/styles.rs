//! Styles, surfaces, pictures and places of the Reader.

use super::super::view;
use super::*;
use crate::article::Thumbnail;
use crate::config::{Depth, Role};
use crate::tui::effect::PictureUse;
use crate::tui::graphics::Replies;
use crate::tui::style::{ColorSupport, Palette};
use crate::util::text;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::{Color, Style};

/// The style of the first cell of a text on a drawn screen.
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
        ("▪ Kernel notes and", Role::Source3, None),
        ("Kernel notes for 6.19", Role::Title, None),
        ("A. Writer", Role::Soft, None),
        ("Text from", Role::Dim, None),
        ("Begin", Role::Text, None),
        ("link¹", Role::Link, None),
        ("¹,", Role::Accent, None),
        ("Script  ", Role::Strong, None),
        ("rust ", Role::Dim, Some(Role::Raised)),
        ("fn main", Role::CodeKeyword, Some(Role::Raised)),
        ("main() {", Role::CodeFunction, Some(Role::Raised)),
        ("() {", Role::CodeOperator, Some(Role::Raised)),
        ("› ", Role::Dim, Some(Role::Raised)),
        ("1. One", Role::Accent, None),
        ("Kinds", Role::Heading, None),
        ("Tasks", Role::Strong, None),
        ("☑ Done", Role::Accent, None),
        ("Terms", Role::Quote, None),
        ("Measure", Role::Strong, None),
        ("▎  Somebody", Role::Heading, None),
        ("Somebody", Role::Quote, None),
        ("twice", Role::Strong, None),
        ("R. Okafor", Role::Dim, None),
        ("▣ A map", Role::Dim, None),
        ("The way", Role::Caption, None),
        ("Links", Role::Heading, None),
        ("end ·", Role::Dim, None),
    ];
    for (theme, depth) in [
        ("dark", Depth::True),
        ("light", Depth::True),
        ("ansi", Depth::Sixteen),
        ("mono", Depth::Mono),
    ] {
        let mut stage = stage(EVERYTHING, None);
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
fn code_lies_on_its_surface_up_to_the_end_of_the_column() {
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
fn right_to_left_paragraphs_end_at_the_right_edge() {
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
fn time_left_shrinks_while_reading() {
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
    stage.shows("end · Space: next unread");
    stage.keys("<Space>");
    assert_eq!(stage.shown_key(), 2, "the next unread item");
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
    let widths = |s: &str| s.lines().take(48).map(text::width).collect::<Vec<_>>();
    assert_eq!(widths(&before), widths(&after));
    assert!(after.contains("as"), "two letters each: {after}");
}

/// A picture of one colour, half as high as wide.
fn thumbnail(color: [u8; 4]) -> Arc<Thumbnail> {
    Arc::new(Thumbnail::new(100, 50, vec![color; 5000]))
}

/// An article with pictures of these URLs.
fn illustrated(urls: &[String]) -> Stage {
    let figure = |url: &String| {
        let name = url.rsplit(['/', '.']).nth(1).unwrap_or_default();
        format!("<figure><img src='{url}' alt='Image {name}'></figure>")
    };
    let figures: String = urls.iter().map(figure).collect();
    stage(&format!("<p>text</p>{figures}<p>end</p>"), None)
}

fn urls(hosts: &[&str]) -> Vec<String> {
    let url = |(i, host): (usize, &&str)| {
        format!("https://{host}.example/{}.png", char::from(b'a' + i as u8))
    };
    hosts.iter().enumerate().map(url).collect()
}

fn came(stage: &mut Stage, url: &str, picture: Option<Arc<Thumbnail>>) {
    stage.happen(Event::PictureFetched(PictureUse::Article, url.to_owned(), picture));
}

#[test]
fn pictures_are_fetched_and_drawn() {
    let urls = urls(&["site", "site"]);
    let mut stage = illustrated(&urls);
    stage.screen(80, 24);
    stage.keys("<Enter>z");
    assert_eq!(stage.asked_for("FetchPicture"), 0, "they are off");
    stage.keys("I");
    assert_eq!(stage.asked_for("FetchPicture"), 1);
    assert!(stage.screen(80, 24).contains("▣ Image a¹"));
    came(&mut stage, &urls[0], Some(thumbnail([250, 0, 0, 255])));
    assert_eq!(stage.asked_for("FetchPicture"), 2, "{:?}", stage.requested);
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    terminal.draw(|frame| view::draw(&mut stage.app, frame)).unwrap();
    let buffer = terminal.backend().buffer();
    let red = |y| (0..80).filter(|x| buffer[(*x, y)].fg == Color::Rgb(250, 0, 0)).count();
    let rows: Vec<usize> = (0..24).map(red).filter(|n| *n > 0).collect();
    // At most 40 % of the pane, and as wide as that allows.
    assert!(rows.len() > 4 && rows.len() <= 9, "{rows:?}");
    assert!(rows.iter().all(|n| *n == rows[0] && *n <= 72), "{rows:?}");
    // One that cannot be shown keeps its description, and nothing is fetched again.
    came(&mut stage, &urls[1], None);
    stage.keys("G");
    let screen = stage.screen(80, 24);
    assert!(screen.contains("Image a¹") && screen.contains("▣ Image b²"), "{screen}");
    assert_eq!(stage.asked_for("FetchPicture"), 2);
    stage.keys("I");
    assert!(stage.screen(80, 24).contains("▣ Image a¹"), "hidden again");
}

#[test]
fn four_hosts_are_asked_at_once_and_what_is_seen_comes_first() {
    let hosts = ["one", "one", "two", "three", "four", "five", "six", "six"];
    let urls = urls(&hosts);
    let mut stage = illustrated(&urls);
    stage.screen(80, 16);
    stage.keys("<Enter>z");
    // The end of the article: the last pictures are seen.
    stage.screen(80, 12);
    stage.keys("G");
    stage.screen(80, 12);
    stage.keys("I");
    let fetched = |stage: &Stage| -> Vec<usize> {
        let of = |effect: &String| {
            let fetch = effect.starts_with("FetchPicture");
            urls.iter().position(|url| fetch && effect.contains(url))
        };
        stage.requested.iter().filter_map(of).collect()
    };
    assert_eq!(fetched(&stage), [2, 3, 4, 5], "the first two are not seen");
    came(&mut stage, &urls[2], None);
    assert_eq!(fetched(&stage)[4..], [6]);
    came(&mut stage, &urls[3], None);
    assert_eq!(fetched(&stage)[5..], [0], "one of each host");
    came(&mut stage, &urls[6], None);
    assert_eq!(fetched(&stage)[6..], [7]);
    // What is no longer open is cancelled, and fetched again when it is.
    stage.keys("<Esc><Esc>");
    assert_eq!(stage.asked_for("CancelPicture"), 4, "{:?}", stage.requested);
    stage.keys("<Enter>");
    assert_eq!(fetched(&stage).len(), 11, "{:?}", stage.requested);
}

/// The cells that the terminal fills with pictures itself.
fn covered(buffer: &ratatui::buffer::Buffer) -> usize {
    use ratatui::buffer::CellDiffOption;
    let forced = |cell: &&ratatui::buffer::Cell| {
        matches!(cell.diff_option, CellDiffOption::ForcedWidth(_)) && cell.symbol() == " "
    };
    buffer.content.iter().filter(forced).count()
}

#[test]
fn a_terminal_that_draws_pixels_gets_what_nothing_covers() {
    let urls = urls(&["site"]);
    let mut stage = illustrated(&urls);
    stage.replies = Replies { kitty: true, cell: Some((10, 20)), ..Replies::default() };
    stage.screen(100, 40);
    stage.keys("<Enter>zI");
    came(&mut stage, &urls[0], Some(thumbnail([250, 0, 0, 255])));
    let draw = |stage: &mut Stage, keys: &str| {
        stage.keys(keys);
        stage.screen(100, 40);
        let mut terminal = Terminal::new(TestBackend::new(100, 40)).unwrap();
        terminal.draw(|frame| view::draw(&mut stage.app, frame)).unwrap();
        let blocks = terminal.backend().buffer().content.iter().filter(|c| c.symbol() == "▀");
        let blocks = blocks.count();
        (blocks, covered(terminal.backend().buffer()), stage.app.placements().len())
    };
    // 100x50 pixels are 10x3 cells.
    assert_eq!(draw(&mut stage, ""), (0, 30, 1));
    let dialog = draw(&mut stage, "?");
    assert_eq!((dialog.1, dialog.2), (0, 0), "a dialog is above it");
    assert_eq!(draw(&mut stage, "<Esc>"), (0, 30, 1));
    let hidden = draw(&mut stage, "I");
    assert_eq!(hidden, (0, 0, 0));
    assert_eq!(draw(&mut stage, "I"), (0, 30, 1));
    stage.app.settings.ui.graphics = crate::config::GraphicsMode::Blocks;
    stage.app.redraw_pictures();
    came(&mut stage, &urls[0], Some(thumbnail([250, 0, 0, 255])));
    let (blocks, covered, placements) = draw(&mut stage, "");
    assert!(blocks > 100 && covered == 0 && placements == 0, "{blocks}");
}

#[test]
fn pictures_are_cut_at_the_edges_of_the_pane() {
    let urls = urls(&["site"]);
    let text: String = (0..60).map(|i| format!("<p>Line {i}</p>")).collect();
    let html = format!("{text}<figure><img src='{}' alt='a'></figure>{text}", urls[0]);
    let mut stage = stage(&html, None);
    stage.replies = Replies { sixel: true, cell: Some((10, 10)), ..Replies::default() };
    stage.screen(100, 30);
    stage.keys("<Enter>zI");
    came(&mut stage, &urls[0], Some(thumbnail([250, 0, 0, 255])));
    stage.screen(100, 30);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..150 {
        stage.keys("j");
        stage.screen(100, 30);
        let mut terminal = Terminal::new(TestBackend::new(100, 30)).unwrap();
        terminal.draw(|frame| view::draw(&mut stage.app, frame)).unwrap();
        let body = stage.app.areas.reader.unwrap();
        let buffer = terminal.backend().buffer();
        let cells = covered(buffer);
        assert_eq!(cells > 0, stage.app.placements().len() == 1);
        let outside = buffer.area.positions().filter(|at| !body.contains(*at));
        assert_eq!(outside.filter(|at| buffer[*at].fg == Color::Rgb(0, 0, 0)).count(), 0);
        seen.insert(cells / 10);
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5], "rows of the picture");
}

#[test]
fn pictures_need_colours_and_an_open_article() {
    let html = "<figure><img src='https://site.example/a.png' alt='Image a'></figure>";
    for (theme, depth, ascii, expected) in [
        ("dark", Depth::True, false, 1),
        ("dark", Depth::Indexed, false, 1),
        ("dark", Depth::True, true, 0),
        ("ansi", Depth::Sixteen, false, 0),
        ("mono", Depth::Mono, false, 0),
    ] {
        let mut stage = stage(html, None);
        stage.app.settings.ui.images = true;
        stage.app.settings.ui.ascii = ascii;
        let support = ColorSupport { depth, ..ColorSupport::DARK };
        stage.app.palette = Palette::named(theme, &stage.app.settings, support).unwrap();
        stage.screen(120, 40);
        stage.keys("jjk");
        assert_eq!(stage.asked_for("FetchPicture"), 0, "nothing is open");
        stage.keys("<Enter>");
        assert_eq!(stage.asked_for("FetchPicture"), expected, "{theme} {depth:?} {ascii}");
        came(&mut stage, "https://site.example/a.png", Some(thumbnail([9, 9, 9, 100])));
        assert_eq!(stage.screen(120, 40).contains("▀"), expected == 1, "{theme}");
    }
}

#[test]
fn lists_enclosures_among_the_links() {
    let item = |urls: &[&str]| {
        let enclosure = |url: &&str| crate::model::Enclosure {
            url: (*url).to_owned(),
            mime: None,
            bytes: None,
            seconds: None,
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
