//! Tests of the Reader on a test screen.

use super::{Stage, article, difference, item_rows, view};
use crate::article::{Thumbnail, differences, from_html};
use crate::config::{Depth, Role};
use crate::tui::event::{Article, Event};
use crate::tui::style::{Look, Palette};
use crate::util::html::clean;
use crate::util::text;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::{Color, Style};
use std::sync::Arc;

/// A text with everything that the Reader draws.
const EVERYTHING: &str = r##"<p>Begin with a <a href="https://site.example/a">link</a>, go on to a
    note<sup id="r1"><a href="#n1">1</a></sup> and end in another
    one.<sup><a href="#n2">2</a></sup></p>
    <table><tr><th>Script</th><th>Sample</th><th>What is known about it</th></tr>
    <tr><td>Japanese</td><td>日本語の文章</td><td>It is written without blanks, so that a line may end
    almost anywhere.</td></tr>
    <tr><td>Arabic</td><td>أخبار المدينة</td><td>It is <a href="https://site.example/rtl">written</a>
    from the right.</td></tr></table>
    <pre><code class="language-rust">fn main() {
    let greeting = std::env::args().nth(1).unwrap_or_else(|| "a default that is far too long".into());
}</code></pre>
    <p>端末は升目でできている。日本語の文章には空白がないので、どこで行を折り返すかは規則で決まる。
    A flag 🇨🇭, a family 👩‍👩‍👧 and an accent é, too.</p>
    <ol><li>One<ul><li>within<ul><li>and within</li></ul></li></ul></li><li>Two</li></ol>
    <h2>Kinds of lists</h2><h3>Tasks</h3><ul><li><input type=checkbox checked disabled>Done</li>
    <li><input type=checkbox disabled>Open</li></ul><h4>Terms</h4>
    <dl><dt>Measure</dt><dd>How wide the text is.</dd></dl>
    <p>تعبر عربات الترام الجسر من جديد ابتداء من يوم الاثنين، وستكون السيارات بعد ذلك.</p>
    <blockquote><p>Somebody said it <b>twice</b>.</p><blockquote>And once more.</blockquote>
    <footer>R. Okafor</footer></blockquote>
    <figure><img src="https://site.example/i.png" alt="A map" width=640 height=360><figcaption>The way there.</figcaption>
    </figure><hr><ol><li id="n1"><p>The first note. <a href="#r1">↩</a></p></li>
    <li id="n2"><p>The second one.</p></li></ol>"##;

/// The interface with a text to open, optionally as a change of an earlier one.
fn stage(html: &str, earlier: Option<&str>) -> Stage {
    let base = "https://site.example/p".parse().unwrap();
    let document = |html: &str| from_html(&clean(html, Some(&base)), Some(&base));
    let later = document(html);
    let changes = |earlier: &str| differences(&document(earlier).text(), &later.text());
    let differences = earlier.map(changes).map(difference).into_iter().collect();
    let mut stage = Stage::new();
    let usual = article(item_rows()[0].clone());
    stage.shown =
        Some(Article { differences: Arc::new(differences), document: Arc::new(later), ..usual });
    stage
}

const SIZES: [(u16, u16); 3] = [(40, 12), (80, 24), (120, 40)];

/// Snapshots of the Reader after some keys, at three sizes.
fn snapshots(name: &str, earlier: Option<&str>, keys: &str) {
    for (width, height) in SIZES {
        let mut stage = stage(EVERYTHING, earlier);
        stage.screen(width, height);
        stage.keys("<Enter>");
        stage.screen(width, height);
        for key in keys.split_whitespace() {
            stage.keys(key);
            stage.screen(width, height);
        }
        let screen = stage.screen(width, height);
        insta::assert_snapshot!(format!("{name}-{width}x{height}"), screen);
    }
}

#[test]
fn reader_at_start_middle_and_end() {
    snapshots("start", None, "");
    snapshots("middle", None, "<Space>");
    snapshots("end", None, "G");
}

#[test]
fn zen_mode_at_every_size() {
    snapshots("zen", None, "z");
}

#[test]
fn wraps_long_lines_of_code() {
    let mut stage = stage(EVERYTHING, None);
    stage.screen(80, 40);
    stage.keys("<Enter>");
    assert!(!stage.screen(80, 40).contains("too long\".into());"));
    stage.keys_give(".", "Edit { purpose: Command(None), change: Settings([ui.wrap_code]) }");
    assert!(stage.screen(80, 40).contains("default that is far too"), "{}", stage.screen(80, 40));
    stage.keys("<Right>");
    stage.shows("Nothing more to the right");
}

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
        let look = Look { depth, light: theme == "light" };
        stage.app.palette = Palette::named(theme, &stage.app.settings, look).unwrap();
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
    Arc::new(Thumbnail { width: 100, height: 50, pixels: vec![color; 5000] })
}

#[test]
fn pictures_are_fetched_one_by_one_and_drawn() {
    let figure = |name| {
        format!("<figure><img src='https://site.example/{name}.png' alt='Image {name}'></figure>")
    };
    let html = format!("<p>text</p>{}{}<p>end</p>", figure("a"), figure("b"));
    let mut stage = stage(&html, None);
    stage.screen(80, 24);
    stage.keys("<Enter>z");
    assert_eq!(stage.asked_for("FetchPicture"), 0, "they are off");
    stage.keys("I");
    assert_eq!(stage.asked_for("FetchPicture"), 1);
    assert!(stage.screen(80, 24).contains("▣ Image a¹"));
    let url = |name| format!("https://site.example/{name}.png");
    stage.happen(Event::PictureFetched(url("a"), Some(thumbnail([250, 0, 0, 255]))));
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
    stage.happen(Event::PictureFetched(url("b"), None));
    stage.keys("G");
    let screen = stage.screen(80, 24);
    assert!(screen.contains("Image a¹") && screen.contains("▣ Image b²"), "{screen}");
    assert_eq!(stage.asked_for("FetchPicture"), 2);
    stage.keys("I");
    assert!(stage.screen(80, 24).contains("▣ Image a¹"), "hidden again");
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
        let look = Look { depth, light: false };
        stage.app.palette = Palette::named(theme, &stage.app.settings, look).unwrap();
        stage.screen(120, 40);
        stage.keys("jjk");
        assert_eq!(stage.asked_for("FetchPicture"), 0, "nothing is open");
        stage.keys("<Enter>");
        assert_eq!(stage.asked_for("FetchPicture"), expected, "{theme} {depth:?} {ascii}");
        let url = "https://site.example/a.png".to_owned();
        stage.happen(Event::PictureFetched(url, Some(thumbnail([9, 9, 9, 100]))));
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

#[test]
fn scrolls_wide_lines_sideways() {
    snapshots("sideways", None, "<C-f> greeting <Enter> <Right> <Right>");
}

#[test]
fn shows_hint_letters_on_links_and_footnotes() {
    snapshots("hints", None, ";");
}

#[test]
fn finds_a_text_across_lines_and_in_tables() {
    // Across a line break, and in the table.
    snapshots("find", None, "<C-f> 文 章 <Enter> n");
}

#[test]
fn shows_changes_since_the_previous_version() {
    let earlier = EVERYTHING.replace("end in another", "stop at another").replace("Two", "Three");
    snapshots("changed", Some(&earlier), "");
    snapshots("difference", Some(&earlier), "D n");
}

#[test]
fn steps_through_the_changes_of_earlier_versions() {
    let mut stage = stage("<p>one 3 three</p>", None);
    let changed = |earlier, later| difference(differences(earlier, later));
    let all = vec![changed("one 2 three", "one 3 three"), changed("one 1 three", "one 2 three")];
    stage.shown.as_mut().unwrap().differences = Arc::new(all);
    stage.keys("<Enter>");
    stage.app.reader.column = 110;
    stage.shows("2 earlier versions are stored");
    // The first press shows the newest change.
    stage.keys("[");
    stage.shows("[-2-] {+3+}");
    stage.shows("Change 1 of 2, seen 2 h ago");
    stage.shows("numbers changed: 1 -> 2");
    stage.shows("[ older version");
    stage.keys("[");
    stage.shows("[-1-] {+2+}");
    stage.keys("[");
    stage.shows("These are the oldest changes");
    stage.keys("]");
    stage.shows("[-2-] {+3+}");
    stage.keys("]");
    stage.shows("These are the newest");
    stage.keys("[D");
    assert!(!stage.screen(120, 40).contains("{+"), "the article again");
    stage.keys("D");
    stage.shows("Change 1 of 2, seen 2 h ago");
}

#[test]
fn shows_tags_comments_and_the_other_text() {
    let mut stage = stage("<p>text</p>", None);
    let shown = stage.shown.as_mut().unwrap();
    let mut item = crate::model::Item::clone(&shown.item);
    item.tags = vec!["Rail".to_owned(), "Night".to_owned()];
    item.comments = Some("https://site.example/p#talk".to_owned());
    item.comment_feed = Some("https://site.example/p/comments".to_owned());
    (item.comment_count, item.page_text) = (Some(12), true);
    (shown.item, shown.new_comments) = (Arc::new(item), 7);
    stage.app.reader.column = 110;
    stage.keys("<Enter>");
    stage.shows("Tags: Rail, Night");
    stage.shows("12 comments, +7 since you read it, c");
    stage.shows("Text from the feed, x shows the one of the");
    // Reading the item again does not hide the number while it is open.
    stage.shown.as_mut().unwrap().new_comments = 0;
    let key = stage.shown_key();
    stage.happen(Event::TextGot(key, true, Ok(crate::engine::TextGot::Feed)));
    stage.shows("+7 since you read it");
    stage.keys("C");
    assert_eq!(stage.asked_for("FollowComments"), 1);
}

#[test]
fn reader_keys_have_their_documented_effects() {
    for (keys, expected) in [
        (";s", r#"Browse { urls: ["https://lore.example/p.png"] }"#),
        (";;", "╭─ Links"),
        (";1", r#"Browse { urls: ["https://lore.example/1"] }"#),
        ("L", "╭─ Links"),
        ("<C-f>MACHINES", "1 of 1"),
        ("<C-f>none of it<Enter>", "Not found in this text: none of it"),
        ("D", "No earlier version"),
        ("G<Space>", "ItemOpened { key: 2"),
        ("<C-o>", "No jump to undo"),
        ("-", "Text width 61"),
        ("+", "as wide as the pane"),
        ("--h", "Edit { purpose: Command(None), change: Settings([ui.reader_width]) }"),
    ] {
        let mut stage = Stage::new();
        stage.screen(120, 40);
        stage.keys("<Enter>");
        stage.screen(120, 40);
        stage.keys_give(keys, expected);
    }
}

/// The first visible line of the text.
fn first_line(stage: &Stage) -> String {
    let reader = &stage.app.reader;
    reader.lines.lines[reader.top].text()
}

#[test]
fn ascii_mode_draws_only_ascii_in_the_reader() {
    let ascii: String = EVERYTHING.chars().filter(|c| c.is_ascii()).collect();
    let plain = stage(&ascii, None);
    let mut settings = crate::config::Settings::default();
    settings.ui.ascii = true;
    let mut list = super::source_list();
    list.sources.truncate(3);
    let rows = item_rows().into_iter().filter(|r| r.title.is_ascii()).collect();
    let mut stage = Stage::with(settings, list, rows);
    stage.shown = plain.shown;
    stage.screen(100, 30);
    for keys in ["<Enter>", "<Right>", "G", "g", "g", "<C-f>default"] {
        stage.keys(keys);
        // Clipped titles end in an ellipsis even so.
        let screen = stage.screen(100, 30).replace('…', "");
        assert!(screen.is_ascii(), "{screen}");
    }
}

#[test]
fn zen_mode_allows_wider_text() {
    let mut stage = stage("text", None);
    stage.screen(120, 40);
    stage.keys("<Enter>z");
    stage.screen(120, 40);
    stage.keys_give("+", "Text width 76");
    stage.keys_give("----", "Text width 60");
}

#[test]
fn keeps_the_position_when_the_width_changes() {
    let text: String = (0..400).map(|n| format!("word{n} ")).collect();
    let mut stage = stage(&text, None);
    stage.screen(120, 20);
    stage.keys("<Enter>");
    stage.screen(120, 20);
    stage.keys("<Space><Space>");
    stage.screen(120, 20);
    let word = first_line(&stage).split(' ').next().unwrap().to_owned();
    for (width, height) in [(40, 12), (300, 20), (77, 24), (25, 9), (120, 20)] {
        stage.screen(width, height);
        assert!(first_line(&stage).contains(&word), "{word} at {width}: {}", first_line(&stage));
    }
    assert!(first_line(&stage).starts_with(&word), "{}", first_line(&stage));
}

#[test]
fn reopens_an_article_at_its_last_position() {
    let text: String = (0..400).map(|n| format!("word{n} ")).collect();
    let mut stage = stage(&text, None);
    let steps = ["<Enter>", "<Space>", "n", "<Space>", "<Space>", "h"];
    for keys in steps {
        stage.keys(keys);
        stage.screen(80, 20);
    }
    let kept = |stage: &Stage, what: &str| {
        let what = format!("StorePosition {{{what}");
        stage.requested.iter().filter(|a| a.starts_with(&what)).count()
    };
    assert_eq!(
        (kept(&stage, " item: 1"), kept(&stage, " item: 2")),
        (1, 1),
        "{:?}",
        stage.requested
    );
    let second = first_line(&stage);
    for keys in ["k", "<Enter>"] {
        stage.keys(keys);
        stage.screen(80, 20);
    }
    assert!(!first_line(&stage).starts_with("word0 ") && first_line(&stage) != second);
    stage.keys("h");
    assert_eq!(kept(&stage, ""), 2, "nothing has moved: {:?}", stage.requested);
    // The stored position, on a screen of another width.
    let mut later = self::stage(&text, None);
    later.shown.as_mut().unwrap().position = "word0word1word2".len();
    later.screen(25, 20);
    later.keys("<Enter>");
    later.screen(25, 20);
    assert!(first_line(&later).contains("word3"), "{}", first_line(&later));
}

#[test]
fn jumps_to_a_footnote_and_back() {
    let html = format!(
        "<p>start</p>{}<p>Here.<sup id=r><a href='#n'>1</a></sup></p>{}<ol><li id=n>The note.</ol>",
        "<p>before</p>".repeat(40),
        "<p>after</p>".repeat(40)
    );
    let mut stage = stage(&html, None);
    stage.screen(80, 24);
    stage.keys("<Enter>");
    stage.screen(80, 24);
    for _ in 0..5 {
        stage.keys("<Space>");
        stage.screen(80, 24);
        if stage.screen(80, 24).contains("Here.") {
            break;
        }
    }
    let before = first_line(&stage);
    stage.keys(";a");
    assert!(stage.screen(80, 24).contains("▸⁽¹⁾ The note."), "{}", stage.screen(80, 24));
    stage.keys(";a");
    assert!(stage.screen(80, 24).contains("▸Here.⁽¹⁾"), "{}", stage.screen(80, 24));
    stage.keys("<C-o><Backspace>");
    stage.screen(80, 24);
    assert_eq!(first_line(&stage), before);
}

#[test]
fn click_opens_a_link() {
    use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
    let mut stage = stage(EVERYTHING, None);
    stage.screen(80, 24);
    stage.keys("<Enter>");
    stage.requested.clear();
    let mut click = |words: &str, within: usize| {
        let screen = stage.screen(80, 24);
        let place = |(row, line): (usize, &str)| Some((row, line.split_once(words)?.0.to_owned()));
        let (row, before) = screen.lines().enumerate().find_map(place).unwrap();
        let column = u16::try_from(crate::util::text::width(&before) + within).unwrap();
        stage.happen(Event::MouseUsed(MouseEvent {
            kind: MouseEventKind::Down(MouseButton::Left),
            column,
            row: u16::try_from(row).unwrap(),
            modifiers: KeyModifiers::NONE,
        }));
        std::mem::take(&mut stage.requested).join(" ")
    };
    assert_eq!(click("Begin", 0), "");
    assert!(click("link¹", 2).contains("https://site.example/a"));
    assert!(click("link¹", 4).contains("https://site.example/a"), "its number");
    assert!(click("written²", 0).contains("https://site.example/rtl"), "in a table");
    assert_eq!(click("note⁽¹⁾", 5), "");
    assert!(stage.screen(80, 24).contains("▸⁽¹⁾ The first note."));
}

#[test]
fn opens_links_by_numbers_of_several_digits() {
    let links = |n: usize| -> String {
        (1..=n).map(|i| format!("<p><a href='https://site.example/{i}'>x</a></p>")).collect()
    };
    for (count, keys, expected) in [
        (9, "3", Some("/3\"")),
        (12, "3", Some("/3\"")),
        (12, "1", None),
        (12, "12", Some("/12\"")),
        (12, "1<Enter>", Some("/1\"")),
        (120, "1", None),
        (120, "119", Some("/119\"")),
        (120, "99", Some("/99\"")),
        (12, "1<Backspace>2<Enter>", Some("/2\"")),
    ] {
        let mut stage = stage(&links(count), None);
        stage.screen(80, 24);
        stage.keys("<Enter>");
        stage.screen(80, 24);
        stage.keys(keys);
        let opened = stage.requested.iter().find(|a| a.starts_with("Browse"));
        match expected {
            Some(end) => assert!(
                opened.is_some_and(|a| a.contains(end)),
                "{keys} of {count}: {:?}",
                stage.requested
            ),
            None => assert_eq!(opened, None, "{keys} of {count}"),
        }
    }
}

#[test]
fn cancelled_search_returns_to_its_start() {
    let text: String = (0..400).map(|n| format!("word{n} ")).collect();
    let mut stage = stage(&text, None);
    stage.screen(80, 24);
    stage.keys("<Enter>");
    stage.screen(80, 24);
    for keys in ["<Space>", "<C-f>word399"] {
        stage.keys(keys);
        stage.screen(80, 24);
    }
    assert!(stage.screen(80, 24).contains("word399"));
    stage.keys("<Esc>");
    assert!(!stage.screen(80, 24).contains("word399"));
    assert!(stage.app.reader.find.is_none() && stage.app.reader.top > 0);
}

#[test]
fn undoing_a_pin_updates_list_and_reader() {
    let mut stage = Stage::new();
    // Opening marks it read, so that the list of unread items only keeps it.
    stage.keys("<Enter>p");
    assert!(stage.screen(120, 30).contains("★ Kernel notes"), "the list");
    stage.keys("u");
    let screen = stage.screen(120, 30);
    assert!(!screen.contains("★ Kernel notes"), "{screen}");
    stage.keys("<Esc>");
    assert!(!stage.screen(120, 30).contains("★ 4m"));
}

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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn random_keys_keep_the_reader_valid(
        keys in "[jkgGbnNdasLhz1-3;D +RBCJSEI.文-]{0,30}", width in 20u16..130, height in 6u16..40
    ) {
        let mut stage = stage(EVERYTHING, Some("<p>Begin with something else.</p>"));
        stage.keys("<Enter>");
        stage.screen(width, height);
        for key in keys.chars() {
            let (code, modifiers) = match key {
                'S' => (KeyCode::Enter, KeyModifiers::NONE),
                'E' => (KeyCode::Esc, KeyModifiers::NONE),
                'R' => (KeyCode::Right, KeyModifiers::NONE),
                'B' => (KeyCode::Left, KeyModifiers::NONE),
                'C' => (KeyCode::Char('f'), KeyModifiers::CONTROL),
                'J' => (KeyCode::Char('o'), KeyModifiers::CONTROL),
                c => (KeyCode::Char(c), KeyModifiers::NONE),
            };
            stage.happen(Event::KeyPressed(KeyEvent::new(code, modifiers)));
            stage.screen(width, height);
        }
        let reader = &stage.app.reader;
        prop_assert!(reader.article.is_none() || reader.top < reader.line_count());
    }
}
