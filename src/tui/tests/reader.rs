//! Tests of the Reader on a test screen.

mod code;
mod find;
mod head;
mod jumps;
mod pages;
mod pictures;
mod styles;
mod tables;

use super::{Stage, article, difference, item_rows};
use crate::article::{differences, from_html};
use crate::tui::event::{Article, Event};
use crate::util::html::clean;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;
use std::sync::Arc;

/// An article with every element that the Reader draws.
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

/// The interface with an article to open, optionally with an earlier version of it.
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

/// Snapshots of the Reader after pressing keys, at three sizes.
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
fn draws_the_start_middle_and_end_of_an_article() {
    snapshots("start", None, "");
    snapshots("middle", None, "<Space>");
    snapshots("end", None, "G");
}

#[test]
fn draws_zen_mode_at_every_size() {
    snapshots("zen", None, "z");
}

#[test]
fn wraps_long_lines_of_code() {
    let mut stage = stage(EVERYTHING, None);
    stage.screen(80, 40);
    stage.keys("<Enter>");
    assert!(stage.screen(80, 40).contains("default that is far too"), "{}", stage.screen(80, 40));
    stage.keys("<Right>");
    stage.shows("Nothing more to the right");
    stage.keys_give(
        ".",
        "Command(Some(\"long lines of code are cut\")), change: Settings([ui.wrap_code])",
    );
    assert!(!stage.screen(80, 40).contains("too long\".into());"));
}

#[test]
fn scrolls_wide_lines_sideways() {
    snapshots("sideways", None, ". <C-f> greeting <Enter> <Right> <Right>");
}

#[test]
fn shows_hint_letters_on_links_and_footnotes() {
    snapshots("hints", None, ";");
}

#[test]
fn finds_text_across_lines_and_in_tables() {
    // Matches across a line break and in the table.
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
    // The first key press shows the newest change.
    stage.keys("[");
    stage.shows("[-2-] {+3+}");
    stage.shows("Change 1 of 2, found 2 h ago");
    stage.shows("numbers changed: 1 -> 2");
    stage.shows("[ older version");
    stage.keys("[");
    stage.shows("[-1-] {+2+}");
    stage.keys("[");
    stage.shows("These are the oldest changes");
    stage.keys("]");
    stage.shows("[-2-] {+3+}");
    stage.keys("]");
    stage.shows("These are the newest changes");
    stage.keys("[D");
    assert!(!stage.screen(120, 40).contains("{+"), "the article again");
    stage.keys("D");
    stage.shows("Change 1 of 2, found 2 h ago");
}

#[test]
fn shows_tags_comments_and_the_alternative_text() {
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
    stage.shows("Categories: Rail, Night");
    stage.shows("12 comments, +7 since you read it, c");
    stage.shows("Text from the feed, x shows the text of the");
    // Reloading the open item does not hide the number of new comments.
    stage.shown.as_mut().unwrap().new_comments = 0;
    let key = stage.shown_key();
    stage.happen(Event::TextGot(key, true, Ok(crate::engine::TextGot::Feed)));
    stage.shows("+7 since you read it");
    stage.keys("C");
    assert_eq!(stage.asked_for("FollowComments"), 1);
}

#[test]
fn a_message_about_an_article_disappears_with_it() {
    let mut stage = Stage::new();
    stage.keys("<Enter>x");
    let key = stage.shown_key();
    stage.happen(Event::TextGot(key, true, Ok(crate::engine::TextGot::Feed)));
    assert!(stage.has_message("Text from the feed"), "{:?}", stage.app.toast);
    stage.keys("j");
    assert!(stage.has_message("Text from the feed"), "the article is still there");
    stage.keys("n");
    assert!(!stage.has_message("Text from the feed"), "{:?}", stage.app.toast);
}

#[test]
fn reader_keys_have_their_documented_effects() {
    for (keys, expected) in [
        (
            ";s",
            r#"MediaFile { of: FileOf { item: 1, source: 1 }, url: "https://lore.example/p.png", media_type: "image/png" }, file_use: Open }"#,
        ),
        (";;", "╭─ Links"),
        (";1", r#"Browse { urls: ["https://lore.example/1"] }"#),
        ("L", "╭─ Links"),
        ("<C-f>machines", "1 of 1"),
        ("<C-f>none of it<Enter>", "Not found in this text: none of it"),
        ("<C-f>none of it<Enter>nN", "Not found in this text: none of it"),
        ("<C-f>none of it<Enter>kn", "ItemOpened { key: 2"),
        ("D", "No earlier version"),
        ("e", "LoadEntry { source: 1"),
        ("G<Space>", "ItemOpened { key: 2"),
        ("<C-o>", "Nothing to go back to"),
        ("-", "Text width 68"),
        ("+", "Text width 76"),
        ("++", "as wide as the pane"),
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
        // Clipped titles end in an ellipsis even in ASCII mode.
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
    // Restores the stored position on a screen of a different width.
    let mut later = self::stage(&text, None);
    later.shown.as_mut().unwrap().position = "word0word1word2".len();
    later.screen(25, 20);
    later.keys("<Enter>");
    later.screen(25, 20);
    assert!(first_line(&later).contains("word3"), "{}", first_line(&later));
}

#[test]
fn a_finished_article_reopens_at_its_start() {
    let text: String = (0..400).map(|n| format!("word{n} ")).collect();
    let link = |n: usize| format!("<a href='https://site.example/{n}'>link {n}</a> ");
    let links: String = (0..40).map(link).collect();
    let mut stage = stage(&(text + &links), None);
    stage.keys("<Enter>");
    stage.screen(80, 20);
    let start = first_line(&stage);
    // An article is finished even if its list of links was not read.
    stage.keys("G");
    stage.screen(80, 20);
    while stage.app.reader.text_left() == 0 {
        stage.keys("k");
        stage.screen(80, 20);
    }
    for keys in ["j", "h", "j", "<Enter>", "h", "k", "<Enter>"] {
        stage.keys(keys);
        stage.screen(80, 20);
    }
    assert_eq!(first_line(&stage), start);
}

#[test]
fn a_click_opens_a_link() {
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
    assert!(stage.screen(80, 24).contains("▸ ⁽¹⁾ The first note."));
}

#[test]
fn opens_links_by_multi_digit_numbers() {
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
fn a_cancelled_search_returns_to_its_start() {
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
fn undoing_a_pin_updates_the_list_and_the_reader() {
    let mut stage = Stage::new();
    // Opening the item marks it as read, but the open list of unread items keeps the row.
    stage.keys("<Enter>p");
    assert!(stage.screen(120, 30).contains("★ Kernel notes"), "the list");
    stage.keys("u");
    let screen = stage.screen(120, 30);
    assert!(!screen.contains("★ Kernel notes"), "{screen}");
    stage.keys("<Esc>");
    assert!(!stage.screen(120, 30).contains("★ 4m"));
}

#[test]
fn the_reader_keeps_its_accent_during_a_search() {
    let mut stage = stage(EVERYTHING, None);
    stage.screen(120, 40);
    stage.keys("<Enter>");
    assert!(stage.screen(120, 40).contains("━━━━"));
    stage.keys("<C-f>link");
    assert!(stage.screen(120, 40).contains("━━━━"));
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

#[test]
fn right_to_left_titles_are_right_aligned() {
    let mut stage = stage("<p>x</p>", None);
    let rule = |stage: &mut Stage| {
        let screen = stage.screen(80, 24);
        let at = |words: &str| {
            let line = screen.lines().find(|line| line.contains(words)).unwrap();
            crate::util::text::width(line)
        };
        (at("عنوان"), at("─────"))
    };
    let mut item = (*stage.shown.as_ref().unwrap().item).clone();
    item.title = "عنوان المقال".to_owned();
    stage.shown.as_mut().unwrap().item = Arc::new(item);
    stage.screen(80, 24);
    stage.keys("<Enter>");
    stage.screen(80, 24);
    let (title, text) = rule(&mut stage);
    assert!(title + 12 > text && title > 60, "{title} {text}");
    // The other lines of the header are right-aligned, too.
    let screen = stage.screen(80, 24);
    let origin = screen.lines().find(|line| line.contains("from the feed")).unwrap();
    assert!(origin.starts_with("          "), "{screen}");
}
