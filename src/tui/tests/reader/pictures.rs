//! Pictures in articles and lists.

use super::super::styles::{drawn, styled};
use super::super::view;
use super::*;
use crate::article::Thumbnail;
use crate::config::{Depth, GraphicsMode, ListStyle};
use crate::store::Snippet;
use crate::tui::app::Focus;
use crate::tui::effect::{Effect, PictureUse};
use crate::tui::graphics::{Graphics, Protocol, Replies, encode};
use crate::tui::style::{ColorSupport, Palette};
use chrono::TimeDelta;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, CellDiffOption};
use ratatui::layout::Position;
use ratatui::style::Color;

/// A picture of one colour, half as tall as it is wide.
fn thumbnail(color: [u8; 4]) -> Arc<Thumbnail> {
    Arc::new(Thumbnail::new(100, 50, vec![color; 5000]))
}

/// An article with pictures from these URLs.
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
fn fetches_and_draws_pictures() {
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
    // The picture is scaled to at most 40 % of the pane's height.
    assert!(rows.len() > 4 && rows.len() <= 9, "{rows:?}");
    assert!(rows.iter().all(|n| *n == rows[0] && *n <= 72), "{rows:?}");
    // For a picture that cannot be shown, its description stays, and it is not fetched again.
    came(&mut stage, &urls[1], None);
    stage.keys("G");
    let screen = stage.screen(80, 24);
    assert!(screen.contains("Image a¹") && screen.contains("▣ Image b²"), "{screen}");
    assert_eq!(stage.asked_for("FetchPicture"), 2);
    stage.keys("I");
    assert!(stage.screen(80, 24).contains("▣ Image a¹"), "hidden again");
}

#[test]
fn reports_failed_pictures_after_the_last_one() {
    let urls = urls(&["one", "two", "three"]);
    let failed = "could not be loaded";
    let mut stage = illustrated(&urls);
    stage.screen(80, 40);
    stage.keys("<Enter>zI");
    came(&mut stage, &urls[0], None);
    came(&mut stage, &urls[1], Some(thumbnail([250, 0, 0, 255])));
    assert!(!stage.has_message(failed), "one is still missing");
    came(&mut stage, &urls[2], None);
    assert!(stage.has_message(&format!("2 pictures {failed}")), "{}", stage.screen(80, 40));
    // Pictures that are fetched automatically are not reported.
    let mut settings = crate::config::Settings::default();
    settings.ui.images = true;
    let mut other = Stage::with(settings, super::super::source_list(), item_rows());
    other.shown = illustrated(&urls).shown;
    other.screen(80, 40);
    other.keys("<Enter>z");
    assert_eq!(other.asked_for("FetchPicture"), 3);
    urls.iter().for_each(|url| came(&mut other, url, None));
    assert!(!other.has_message(failed));
}

#[test]
fn page_down_stops_at_the_start_of_a_picture() {
    let text = "<p>Some words of a paragraph.</p>";
    let mut cut = 0;
    for before in 0..30 {
        let html = format!(
            "{}<figure><img src='https://site.example/a.png' alt='A'></figure>{}",
            text.repeat(before),
            text.repeat(40)
        );
        let mut stage = stage(&html, None);
        stage.screen(80, 24);
        stage.keys("<Enter>zI");
        came(&mut stage, "https://site.example/a.png", Some(thumbnail([250, 0, 0, 255])));
        stage.screen(80, 24);
        for _ in 0..6 {
            let last = stage.app.reader.top;
            stage.keys("<Space>");
            stage.screen(80, 24);
            let reader = &stage.app.reader;
            let row = |line: usize| reader.lines.lines[line].picture.as_ref().map(|p| p.row);
            let first = row(reader.top).unwrap_or(0);
            if reader.top <= last {
                // The end of the text is reached, and the next item is open.
                break;
            }
            // The previous page began with the picture's first row.
            let seen = row(last).is_some_and(|row| row == 0);
            assert!(first == 0 || seen, "{before}: row {first}");
            cut += usize::from(reader.top < last + reader.height && row(reader.top) == Some(0));
        }
    }
    assert!(cut > 0, "no page ended in the picture");
}

#[test]
fn an_embedded_picture_has_a_description_but_no_link() {
    let marker = crate::util::html::OMITTED;
    let mut stage = embedded(&[marker, marker]);
    stage.keys_give("I", "in the page, and can be shown once the page is fetched again");
    let screen = stage.screen(80, 24);
    let shown =
        |words: &str| screen.lines().any(|line| line.trim_end_matches(['▐', ' ']).ends_with(words));
    assert!(shown("▣ Plot 0") && shown("Sign: ▣ image end"), "{screen}");
    assert!(!screen.contains("Links"), "{screen}");
    assert_eq!(stage.asked_for("Fetch"), 0);
}

/// An open article with embedded pictures. The first one is also in a sentence.
fn embedded(sources: &[&str]) -> Stage {
    let image = |(n, url): (usize, &&str)| format!("<img alt='Plot {n}' src='{url}'><p>text</p>");
    let images: String = sources.iter().enumerate().map(image).collect();
    let text = format!("{images}<p>Sign: <img src='{}'> end</p>", sources[0]);
    let mut stage = stage(&text, None);
    stage.screen(80, 24);
    stage.keys("<Enter>z");
    stage
}

/// The data of a picture, and its marker.
fn data(byte: u8) -> (String, String) {
    let url = format!("data:image/jpeg,{}", "%ff%d8".repeat(100) + &byte.to_string());
    let marker = crate::util::html::marker(&url);
    (url, marker)
}

#[test]
fn requests_the_page_once_for_all_embedded_pictures() {
    let all: Vec<(String, String)> = (0..3).map(data).collect();
    let urls: Vec<&str> = all.iter().map(|(url, _)| url.as_str()).collect();
    let mut stage = embedded(&[urls[0], urls[1], urls[0], urls[2]]);
    assert_eq!(stage.asked_for("FetchEmbedded"), 0, "they are off");
    stage.keys("I");
    assert_eq!(stage.asked_for("FetchEmbedded"), 1);
    let effect = stage.requested.iter().find(|e| e.starts_with("FetchEmbedded")).unwrap();
    assert!(all.iter().all(|(_, marker)| effect.matches(marker).count() == 1), "{effect}");
    assert_eq!(stage.asked_for("FetchPicture"), 0);
    let item = item_rows()[0].key;
    let picture = |at: usize, picture| (all[at].1.clone(), picture);
    let found = vec![
        picture(0, Some(thumbnail([250, 0, 0, 255]))),
        picture(1, None),
        picture(2, Some(thumbnail([0, 250, 0, 255]))),
    ];
    stage.happen(Event::EmbeddedFetched(item + 1, found.clone(), None));
    assert!(stage.screen(80, 60).contains("▣ Plot 0"), "that was another item");
    stage.happen(Event::EmbeddedFetched(item, found, Some("the page is gone".to_owned())));
    assert!(stage.has_message("the page is gone"));
    let screen = stage.screen(80, 70);
    assert!(screen.contains("▀▀▀▀") && screen.contains("Plot 0"), "{screen}");
    assert!(!screen.contains("▣ Plot 0") && !screen.contains("▣ Plot 2"), "{screen}");
    assert!(screen.contains("▣ Plot 1") && !screen.contains("¹"), "{screen}");
    assert_eq!(stage.asked_for("FetchEmbedded"), 1, "{:?}", stage.requested);
    // The missing picture is requested again only when the user asks for pictures.
    stage.keys("II");
    assert_eq!(stage.asked_for("FetchEmbedded"), 2);
    stage.keys("<Esc><Esc>");
    assert_eq!(stage.asked_for("CancelPicture"), 1, "{:?}", stage.requested);
}

#[test]
fn fetches_visible_pictures_first_from_four_hosts_at_once() {
    let hosts = ["one", "one", "two", "three", "four", "five", "six", "six"];
    let urls = urls(&hosts);
    let mut stage = illustrated(&urls);
    stage.screen(80, 16);
    stage.keys("<Enter>z");
    // The end of the article shows the last pictures.
    stage.screen(80, 13);
    stage.keys("G");
    stage.screen(80, 13);
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
    // Closing an article cancels its pictures. Opening it fetches them again.
    stage.keys("<Esc><Esc>");
    assert_eq!(stage.asked_for("CancelPicture"), 4, "{:?}", stage.requested);
    stage.keys("<Enter>");
    assert_eq!(fetched(&stage).len(), 11, "{:?}", stage.requested);
}

/// The cells that the terminal itself covers with pictures.
fn covered(buffer: &Buffer) -> Vec<Position> {
    let forced = |at: &Position| {
        let cell = &buffer[*at];
        matches!(cell.diff_option, CellDiffOption::ForcedWidth(_)) && cell.symbol() == " "
    };
    buffer.area.positions().filter(forced).collect()
}

#[test]
fn draws_only_uncovered_pictures_as_pixels() {
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
        (blocks, covered(terminal.backend().buffer()).len(), stage.app.placements().len())
    };
    // 100x50 pixels are 10x3 cells.
    assert_eq!(draw(&mut stage, ""), (0, 30, 1));
    let dialog = draw(&mut stage, "?");
    assert_eq!((dialog.1, dialog.2), (0, 0), "a dialog is above it");
    assert_eq!(draw(&mut stage, "<Esc>"), (0, 30, 1));
    let hidden = draw(&mut stage, "I");
    assert_eq!(hidden, (0, 0, 0));
    assert_eq!(draw(&mut stage, "I"), (0, 30, 1));
    stage.app.settings.ui.graphics = GraphicsMode::Blocks;
    stage.app.redraw_pictures();
    came(&mut stage, &urls[0], Some(thumbnail([250, 0, 0, 255])));
    let (blocks, covered, placements) = draw(&mut stage, "");
    assert!(blocks > 100 && covered == 0 && placements == 0, "{blocks}");
}

#[test]
fn clips_pictures_at_the_edges_of_the_pane() {
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
        let cells = covered(terminal.backend().buffer());
        assert_eq!(!cells.is_empty(), stage.app.placements().len() == 1);
        assert!(cells.iter().all(|at| body.contains(*at)), "{cells:?}");
        seen.insert(cells.len() / 10);
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
        stage.app.settings.ui.ascii = ascii;
        let support = ColorSupport { depth, ..ColorSupport::DARK };
        stage.app.palette = Palette::named(theme, &stage.app.settings, support).unwrap();
        stage.screen(120, 40);
        stage.keys("jjk");
        assert_eq!(stage.asked_for("FetchPicture"), 0, "nothing is open");
        stage.keys("<Enter>");
        let hint = |stage: &mut Stage| stage.screen(120, 40).contains("I pictures");
        assert_eq!(hint(&mut stage), expected == 1, "{theme} {depth:?} {ascii}");
        stage.keys("I");
        assert_eq!(stage.asked_for("FetchPicture"), expected, "{theme} {depth:?} {ascii}");
        assert!(!hint(&mut stage));
        came(&mut stage, "https://site.example/a.png", Some(thumbnail([9, 9, 9, 100])));
        assert_eq!(stage.screen(120, 40).contains("▀"), expected == 1, "{theme}");
    }
}

#[test]
fn draws_pictures_of_an_article_with_half_blocks() {
    let urls = urls(&["site"]);
    let mut stage = illustrated(&urls);
    stage.screen(60, 16);
    stage.keys("<Enter>zI");
    let pixel = |i: u32| match (i % 12, i / 12) {
        (x, y) if x + y < 6 => [200, 40, 40, 255],
        (x, _) if x < 6 => [40, 40, 200, 255],
        _ => [40, 200, 40, 128],
    };
    let picture = Thumbnail::new(12, 8, (0..96).map(pixel).collect());
    came(&mut stage, &urls[0], Some(Arc::new(picture)));
    insta::assert_snapshot!("half-blocks", styled(&drawn(&mut stage, (60, 16))));
}

/// A magazine list in which the first items have pictures, after their summaries were loaded.
fn magazine() -> Stage {
    let mut stage = Stage::new();
    stage.app.settings.ui.images = true;
    stage.app.settings.ui.list = ListStyle::Magazine;
    stage.screen(120, 40);
    let snippet = |n: usize| Snippet {
        text: "A summary that goes on and on, as summaries do. ".repeat(6),
        picture: (n != 1).then(|| format!("https://host{n}.example/p.png")),
        ..Snippet::default()
    };
    let rows = stage.app.items.rows.iter().map(|row| row.key);
    let found = rows.enumerate().map(|(n, key)| (key, snippet(n))).collect();
    stage.happen(Event::SnippetsLoaded(None, Ok(found)));
    stage
}

fn rest(stage: &mut Stage) {
    let effects = stage.app.update(Event::TimePassed, super::super::now() + TimeDelta::seconds(1));
    effects.into_iter().for_each(|effect| stage.perform(effect));
}

#[test]
fn a_magazine_shows_pictures_after_scrolling_stops() {
    let mut stage = magazine();
    stage.screen(120, 40);
    assert_eq!(stage.asked_for("FetchPicture"), 0, "{:?}", stage.requested);
    assert!(stage.app.deadline().unwrap() <= super::super::now() + TimeDelta::seconds(1));
    rest(&mut stage);
    assert_eq!(stage.asked_for("FetchPicture"), 4, "{:?}", stage.requested);
    let fetched = |stage: &Stage, n: usize| {
        stage
            .requested
            .iter()
            .any(|r| r.contains("Fetch") && r.contains(&format!("host{n}.example")))
    };
    assert!(fetched(&stage, 0) && !fetched(&stage, 1) && fetched(&stage, 4));
    let before = stage.screen(120, 40);
    let url = "https://host0.example/p.png".to_owned();
    let picture = Arc::new(Thumbnail::new(160, 80, vec![[250, 0, 0, 255]; 160 * 80]));
    stage.happen(Event::PictureFetched(PictureUse::List, url, Some(picture.clone())));
    rest(&mut stage);
    assert_eq!(stage.asked_for("FetchPicture"), 5, "{:?}", stage.requested);
    let after = stage.screen(120, 40);
    // The text stays in place, and the picture is to the right of it.
    assert_eq!(after.replace('▀', " "), before);
    let rows: Vec<&str> = after.lines().filter(|line| line.contains("▀")).collect();
    assert_eq!(rows.len(), 4, "{after}");
    assert!(rows.iter().all(|row| row.matches('▀').count() == 16), "{after}");
    // If a picture cannot be shown, the text uses its space.
    let url = "https://host2.example/p.png".to_owned();
    stage.happen(Event::PictureFetched(PictureUse::List, url, None));
    assert_ne!(stage.screen(120, 40), after);
    // Pictures that have scrolled out of view are no longer fetched.
    stage.screen(120, 16);
    stage.keys("G");
    stage.screen(120, 16);
    stage.keys("k");
    assert!(stage.asked_for("CancelPicture") > 0, "{:?}", stage.requested);
}

#[test]
fn only_a_magazine_with_space_fetches_pictures() {
    for (style, width, images) in [
        (ListStyle::Comfortable, 120, true),
        (ListStyle::Compact, 120, true),
        (ListStyle::Magazine, 60, true),
        (ListStyle::Magazine, 120, false),
    ] {
        let mut stage = magazine();
        stage.app.settings.ui.list = style;
        stage.app.settings.ui.images = images;
        assert_eq!(stage.app.focus, Focus::Items);
        stage.screen(width, 40);
        rest(&mut stage);
        assert_eq!(stage.asked_for("FetchPicture"), 0, "{style:?} {width} {images}");
    }
}

#[test]
fn encodes_visible_pictures_once_whatever_their_size() {
    let mut stage = Stage::new();
    let mut random = fastrand::Rng::with_seed(3);
    let mut noise = || {
        let pixels = (0..320 * 320).map(|_| [random.u8(..), random.u8(..), random.u8(..), 255]);
        Arc::new(Thumbnail::new(320, 320, pixels.collect()))
    };
    // Together, the pictures exceed the size of the cache.
    let pictures: Vec<_> = (0..8).map(|_| noise()).collect();
    let graphics = Graphics { protocol: Protocol::Kitty, cell: (10, 20) };
    let key = |n: usize| (format!("https://a.example/{n}.png"), graphics, (40, 20));
    let mut encodings = 0;
    for _ in 0..40 {
        for (n, picture) in pictures.iter().enumerate() {
            stage.app.reader.pictures.encoded(key(n), picture);
        }
        for effect in stage.app.frame_drawn() {
            let Effect::EncodePicture { key, picture } = effect else { continue };
            let encoded = encode(&picture, key.1, key.2).map(Arc::new);
            assert!(encoded.is_some());
            encodings += 1;
            stage.happen(Event::PictureEncoded(key, encoded));
        }
    }
    assert!((1..pictures.len()).contains(&encodings), "{encodings}: the others stay half blocks");
}
