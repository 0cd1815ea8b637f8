//! Tests of jumping to footnotes, headings, other items and matches, and of jumping back.

use super::*;
use crate::tui::app::LinkList;
use crate::tui::app::{Focus, HeadingList};

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
    assert!(stage.screen(80, 24).contains("▸ ⁽¹⁾ The note."), "{}", stage.screen(80, 24));
    stage.keys(";a");
    assert!(stage.screen(80, 24).contains("▸ Here.⁽¹⁾"), "{}", stage.screen(80, 24));
    stage.keys("<C-o><Backspace>");
    stage.screen(80, 24);
    assert_eq!(first_line(&stage), before);
}

#[test]
fn a_link_to_a_heading_jumps_there_and_back() {
    let html = format!(
        "<p>See <a href='https://site.example/p#b'>the background</a>, \
         <a href='https://site.example/q'>another</a>.</p>{}<h2 id=b>The Background \
         <a href='#b'>#</a></h2>{}",
        "<p>before</p>".repeat(40),
        "<p>after</p>".repeat(40)
    );
    let mut stage = stage(&html, None);
    stage.screen(80, 24);
    stage.keys("<Enter>");
    stage.shows("See the background↴, another¹.");
    let before = first_line(&stage);
    stage.keys(";a");
    let screen = stage.screen(80, 24);
    assert!(screen.contains("▸ The Background ") && !screen.contains('#'), "{screen}");
    assert_eq!(stage.asked_for("Browse"), 0);
    stage.keys("<C-o>");
    stage.screen(80, 24);
    assert_eq!(first_line(&stage), before);
    let names: Vec<_> = stage.app.reader.article.iter().flat_map(|a| &a.document.links).collect();
    assert_eq!(names.len(), 1, "only the other page: {names:?}");
}

/// The HTML of an article that links to the second item.
fn linked() -> String {
    let before = "<p>before</p>".repeat(40);
    format!("{before}<p><a href='https://kernel.example/1'>other</a></p>{before}")
}

#[test]
fn a_link_to_a_stored_item_can_be_followed_back() {
    for open in [";a", "1", "L<Enter>"] {
        let mut stage = stage(&linked(), None);
        stage.screen(80, 24);
        stage.keys("<Enter>");
        let first = stage.shown_key();
        stage.screen(80, 24);
        while !stage.screen(80, 24).contains("other¹") {
            stage.keys("<Space>");
        }
        let top = first_line(&stage);
        let selected = stage.app.items.selected;
        stage.keys(open);
        assert_eq!((stage.shown_key(), stage.app.focus), (2, Focus::Reader), "{open}");
        assert_eq!(stage.asked_for("Browse"), 0);
        assert!(stage.rows[1].read, "opened, so read");
        stage.shows("Press C-o to go back");
        assert_eq!(stage.app.reader.top, 0);
        // The key acts on the open item.
        stage.keys("p");
        assert!(stage.rows.iter().all(|row| row.pinned == (row.key == 2 || row.key == 3)));
        stage.screen(80, 24);
        stage.keys("<C-o>");
        stage.screen(80, 24);
        assert_eq!((stage.shown_key(), first_line(&stage)), (first, top));
        assert_eq!(stage.app.items.selected, selected);
        stage.keys_give("<C-o>", "Nothing to go back to");
    }
}

#[test]
fn a_link_to_another_page_opens_the_browser() {
    let mut stage = stage("<p><a href='https://kernel.example/unknown'>other</a></p>", None);
    stage.screen(80, 24);
    stage.keys_give("<Enter>1", r#"Browse { urls: ["https://kernel.example/unknown"] }"#);
    // A link from an item to itself opens in the browser too.
    let mut stage = self::stage("<p><a href='https://kernel.example/0'>this</a></p>", None);
    stage.screen(80, 24);
    stage.keys("<Enter>");
    assert_eq!(stage.shown_key(), 1);
    stage.keys_give("1", r#"Browse { urls: ["https://kernel.example/0"] }"#);
}

#[test]
fn opening_an_item_in_the_list_is_not_a_jump() {
    let mut stage = stage(&linked(), None);
    stage.screen(120, 40);
    stage.keys("<Enter>1h");
    stage.screen(120, 40);
    stage.keys("jj<Enter>");
    stage.screen(120, 40);
    stage.keys_give("<C-o>", "Nothing to go back to");
}

/// The Reader with an article that has the word "station" in every tenth paragraph.
fn stations() -> Stage {
    let paragraph = |n: usize| match n % 10 {
        5 => format!("<p>station {n}</p>"),
        _ => format!("<p>between {n}</p>"),
    };
    let mut stage = stage(&(0..100).map(paragraph).collect::<String>(), None);
    stage.screen(80, 24);
    stage.keys("<Enter>");
    stage.screen(80, 24);
    stage
}

fn at(stage: &Stage) -> String {
    let reader = &stage.app.reader;
    reader.lines.lines[reader.pointed.unwrap()].text()
}

#[test]
fn the_next_match_is_relative_to_the_visible_text() {
    let mut stage = stations();
    stage.keys("<C-f>station<Enter>");
    stage.screen(80, 24);
    assert_eq!(at(&stage), "station 5");
    stage.keys("n");
    assert_eq!(at(&stage), "station 15");
    for (scrolled, key, found) in [
        ("G", "n", "station 95"),
        ("G", "N", "station 95"),
        ("gg", "n", "station 5"),
        ("G", "nn", "station 5"),
        ("gg", "NN", "station 95"),
    ] {
        stage.keys("<Esc>gg<C-f>station<Enter>nnnn");
        assert_eq!(at(&stage), "station 45");
        stage.keys(scrolled);
        stage.screen(80, 24);
        stage.keys(key);
        assert_eq!(at(&stage), found, "{scrolled} {key}");
    }
}

#[test]
fn hidden_matches_leave_no_mark() {
    let mut stage = stations();
    stage.keys("<C-f>absent");
    let screen = stage.screen(110, 24);
    assert!(screen.contains("(no match)") && !screen.contains("of 0"), "{screen}");
    assert!(screen.contains("Enter read"), "{screen}");
    stage.keys("<Esc><C-f>station<Enter>");
    assert!(stage.screen(80, 24).contains("▸ station 5"));
    stage.keys("<Esc>");
    assert!(!stage.screen(80, 24).contains('▸'), "{}", stage.screen(80, 24));
}

#[test]
fn a_match_is_never_below_the_screen() {
    let text: String = (10..50).map(|n| format!("<p>part {n}</p>")).collect();
    let mut stage = stage(&text, None);
    stage.screen(80, 24);
    stage.keys("<Enter>z");
    for n in 10..30 {
        stage.screen(80, 24);
        stage.keys("gg<C-f>part 49");
        stage.screen(80, 24);
        // The header comes back.
        stage.keys(&format!("<Backspace><Backspace>{n}"));
        let screen = stage.screen(80, 24);
        assert!(screen.contains(&format!("▸ part {n}")), "{screen}");
        stage.keys("<Esc>");
    }
}

#[test]
fn a_search_in_the_text_is_a_jump() {
    let mut stage = stations();
    stage.keys("<Space>");
    stage.screen(80, 24);
    let before = first_line(&stage);
    stage.keys("<C-f>station 75<Enter>");
    stage.screen(80, 24);
    assert_ne!(first_line(&stage), before);
    stage.keys("<Esc><C-o>");
    assert_eq!(first_line(&stage), before);
}

#[test]
fn a_search_is_restored_when_the_changes_are_hidden() {
    let html = "<p>a station</p><p>and a station</p>";
    let mut stage = stage(html, Some("<p>a stop</p>"));
    stage.screen(80, 24);
    stage.keys("<Enter>");
    stage.screen(80, 24);
    stage.keys("<C-f>station<Enter>");
    assert!(stage.screen(80, 24).contains("1 of 2"));
    stage.keys("D");
    assert!(!stage.screen(80, 24).contains("1 of 2"));
    stage.keys("D");
    assert!(stage.screen(80, 24).contains("1 of 2"));
}

#[test]
fn page_down_continues_where_the_page_ended() {
    for (width, height) in [(80, 24), (120, 40), (60, 17), (40, 12), (40, 9)] {
        let words: String = (0..200).map(|n| format!("<p>line {n}</p>")).collect();
        let mut stage = stage(&words, None);
        stage.screen(width, height);
        stage.keys("<Enter>");
        for _ in 0..3 {
            stage.screen(width, height);
            let reader = &stage.app.reader;
            let below = reader.top + reader.height;
            stage.keys("<Space>");
            stage.screen(width, height);
            let reader = &stage.app.reader;
            let top = reader.top;
            let skipped = reader.lines.lines.get(below..top).unwrap_or_default();
            let is_empty = skipped.iter().all(|line| line.text().is_empty());
            assert!(is_empty && top + 2 > below, "{width}x{height}: {top} after {below}");
        }
    }
}

#[test]
fn the_header_scrolls_away_before_the_text() {
    for lines in 4..16 {
        let html: String = (0..lines).map(|n| format!("<p>line {n}.</p>")).collect();
        let mut stage = stage(&html, None);
        stage.screen(80, 24);
        stage.keys("<Enter>");
        let screen = stage.screen(80, 24);
        let all = stage.app.reader.line_count();
        let fits = all <= stage.app.reader.height;
        // All of the text is on the screen if and only if the header shows 100 %.
        assert_eq!(fits, screen.contains("100 %"), "{lines}: {screen}");
        for _ in 0..2 * all {
            stage.keys("j");
            let screen = stage.screen(80, 24);
            let reader = &stage.app.reader;
            // No line of the text is hidden while the whole header is shown.
            let is_whole = reader.head_hidden == 0 || reader.head_rows == 0;
            assert!(reader.top == 0 || !is_whole, "{lines}: {screen}");
            let is_end = reader.top + reader.height >= all;
            assert_eq!(is_end, screen.contains("100 %"), "{lines}: {screen}");
        }
        let (screen, reader) = (stage.screen(80, 24), &stage.app.reader);
        assert!(screen.contains("100 %"), "{lines}: {screen}");
        // Nothing is scrolled further than necessary.
        let blank = (reader.top + reader.height).saturating_sub(all);
        assert!(fits || blank == 0, "{lines}: {screen}");
    }
}

#[test]
fn a_page_key_stays_in_the_article_but_space_goes_on() {
    let mut stage = stage("<p>text</p>", None);
    stage.screen(80, 24);
    stage.keys("<Enter>");
    stage.screen(80, 24);
    let opened = stage.shown_key();
    for _ in 0..3 {
        let key = KeyEvent::new(KeyCode::PageDown, KeyModifiers::NONE);
        stage.happen(Event::KeyPressed(key));
        stage.screen(80, 24);
    }
    assert_eq!(stage.shown_key(), opened);
    stage.keys("<Space>");
    stage.screen(80, 24);
    assert_ne!(stage.shown_key(), opened);
}

#[test]
fn the_list_of_links_begins_at_the_visible_text() {
    let link = |n: usize| format!("<p><a href=\"/{n}\">link {n}</a></p>");
    let html: String = (1..60).map(link).collect();
    let mut stage = stage(&html, None);
    stage.screen(80, 24);
    stage.keys("<Enter>");
    stage.screen(80, 24);
    for keys in ["", "<Space><Space>"] {
        stage.keys(keys);
        stage.screen(80, 24);
        let reader = &stage.app.reader;
        let mut texts = reader.lines.lines[reader.top..].iter().map(|line| line.text());
        let first = texts.find(|text| text.contains("link ")).unwrap();
        let number: usize = first
            .split(' ')
            .nth(1)
            .unwrap()
            .trim_matches(|c: char| !c.is_ascii_digit())
            .parse()
            .unwrap();
        stage.keys("L");
        let selected = stage.app.dialog::<LinkList>().unwrap().selected;
        assert_eq!(selected + 1, number, "{first}");
        stage.keys("<Esc>");
    }
}

#[test]
fn keys_jump_between_headings() {
    let part = |n: usize| format!("<h2>Part {n}</h2>{}", "<p>text</p>".repeat(30));
    let html = format!("<p>intro</p>{}{}{}", part(1), part(2), part(3));
    let mut stage = stage(&html, None);
    stage.screen(80, 24);
    stage.keys("<Enter>");
    stage.screen(80, 24);
    for (keys, heading) in [
        ("'", "Part 1"),
        ("''", "Part 3"),
        ("\"", "Part 2"),
        ("<Space>'", "Part 3"),
        ("gg'", "Part 1"),
    ] {
        stage.keys(keys);
        stage.screen(80, 24);
        assert_eq!((at(&stage), first_line(&stage)), (heading.to_owned(), heading.to_owned()));
    }
    stage.keys("\"");
    stage.keys_give("\"", "This is the first heading");
    let mut stage = self::stage("<p>text</p>", None);
    stage.screen(80, 24);
    stage.keys("<Enter>");
    stage.keys_give("'", "This article has no headings");
}

#[test]
fn lists_the_headings() {
    let part = |n: usize| {
        let text = "<p>text</p>".repeat(30);
        format!("<h2>Part {n}</h2>{text}<h3>Details of<br><i>part</i> {n}</h3>{text}")
    };
    let html = format!("<p>intro</p>{}{}", part(1), part(2));
    let mut stage = stage(&html, None);
    stage.screen(80, 24);
    stage.keys("<Enter>");
    let screen = stage.screen(120, 24);
    assert!(screen.contains("g h headings"), "{screen}");
    stage.screen(80, 24);
    stage.keys("''");
    stage.screen(80, 24);
    let before = first_line(&stage);
    stage.keys("gh");
    let screen = stage.screen(80, 24);
    for row in ["─ Headings", "  Part 1", "▌   Details of part 1", "    Details of part 2"] {
        assert!(screen.contains(row), "{row}: {screen}");
    }
    let selected = |stage: &Stage| stage.app.dialog::<HeadingList>().map(|list| list.selected);
    assert_eq!(selected(&stage), Some(1), "the heading of the text on the screen");
    stage.keys("<Esc>");
    assert_eq!((selected(&stage), first_line(&stage)), (None, before.clone()));
    stage.keys("ghj");
    // The text is laid out again while the list is open.
    stage.screen(60, 20);
    stage.keys("<Enter>");
    stage.screen(60, 20);
    assert_eq!(first_line(&stage), "Part 2");
    stage.keys("<C-o>");
    stage.screen(80, 24);
    assert_eq!(first_line(&stage), before);
}

#[test]
fn the_palette_finds_the_list_of_headings() {
    for typed in ["headings", "contents", "table of contents", "outline", "toc"] {
        let mut stage = stage("<h2>Part</h2><p>text</p>", None);
        stage.screen(80, 24);
        stage.keys("<Enter>");
        stage.screen(80, 24);
        stage.keys(&format!(":{typed}"));
        let screen = stage.screen(120, 40);
        assert!(screen.contains("List the headings of the article"), "{typed}: {screen}");
    }
}

#[test]
fn lists_headings_for_screen_readers() {
    let mut settings = crate::config::Settings::default();
    settings.ui.linear = true;
    let mut stage = Stage::with(settings, super::super::source_list(), item_rows());
    let document = Arc::new(from_html("<h2>Part</h2><p>text</p><h3>Details</h3><p>text</p>", None));
    stage.shown = Some(Article { document, ..article(item_rows()[0].clone()) });
    stage.screen(80, 24);
    stage.keys("<Enter>");
    stage.screen(80, 24);
    stage.keys("gh");
    let screen = stage.screen(80, 24);
    assert!(screen.contains("Level 1: Part") && screen.contains("Level 2: Details"), "{screen}");
}

#[test]
fn a_short_article_needs_no_list_of_headings() {
    let mut stage = stage("<p>text</p>", None);
    stage.screen(80, 24);
    stage.keys("<Enter>");
    assert!(!stage.screen(80, 24).contains("g h"));
    stage.keys_give("gh", "This article has no headings");
}

#[test]
fn copies_urls_of_links() {
    let html =
        "<p><a href='https://site.example/a'>one</a> <a href='https://site.example/b'>two</a>";
    let mut stage = stage(html, None);
    stage.screen(80, 24);
    stage.keys("<Enter>");
    stage.screen(80, 24);
    stage.keys_give(";S", r#"Copy { text: "https://site.example/b" }"#);
    stage.shows("Copied https://site.example/b");
    stage.keys_give("Ly", r#"Copy { text: "https://site.example/a" }"#);
    assert_eq!(stage.asked_for("Browse"), 0);
    // The list stays open.
    stage.keys_give("<Enter>", r#"Browse { urls: ["https://site.example/a"] }"#);
}

#[test]
fn long_code_lines_extend_beyond_the_text_column() {
    let code = "x".repeat(90);
    let mut stage = stage(&format!("<p>text</p><pre>{code}\nshort</pre><p>more</p>"), None);
    stage.screen(140, 40);
    stage.keys("<Enter>");
    assert!(!stage.screen(140, 40).contains(&code), "beside the list");
    stage.keys("z");
    assert!(stage.screen(140, 40).contains(&code), "{}", stage.screen(140, 40));
    // In a narrower window the code is wrapped or cut.
    assert!(stage.screen(90, 40).contains('↳'));
    stage.keys(".");
    assert!(stage.screen(90, 40).contains('›'));
    let screen = stage.screen(140, 40);
    assert!(screen.contains(&code), "{screen}");
}

#[test]
fn wrapping_lines_resets_the_horizontal_scroll() {
    let mut stage = stage(EVERYTHING, None);
    stage.screen(40, 12);
    for key in ["<Enter>", ".", "<C-f>greeting", "<Enter>", "<Right>"] {
        stage.keys(key);
        stage.screen(40, 12);
    }
    assert!(stage.app.reader.shift > 0);
    stage.keys(".");
    assert_eq!(stage.app.reader.shift, 0);
}

#[test]
fn a_page_does_not_begin_right_below_a_heading() {
    let html: String = (10..40)
        .map(|n| format!("<h2>Heading {n}</h2><p>{}</p>", "some words ".repeat(n % 7 * 9 + 3)))
        .collect();
    let heading = |line: &str| line.contains("Heading ");
    let mut seen = 0;
    for height in 18..30 {
        let mut stage = stage(&html, None);
        stage.screen(60, height);
        stage.keys("<Enter>");
        stage.screen(60, height);
        loop {
            let top = stage.app.reader.top;
            let bottom = (top + stage.app.reader.height).min(stage.app.reader.line_count());
            // The lines that follow the text are not in `lines`.
            let lines = &stage.app.reader.lines.lines;
            let text = |line: usize| lines.get(line).map(|line| line.text());
            let last = (top..bottom).rev().filter_map(text).find(|text| !text.trim().is_empty());
            stage.keys("<Space>");
            let screen = stage.screen(60, height);
            if stage.app.reader.top <= top || screen.contains("100 %") {
                break;
            }
            if let Some(last) = last.filter(|line| heading(line)) {
                seen += 1;
                assert!(screen.contains(last.trim()), "{height}: {last}: {screen}");
            }
        }
    }
    assert!(seen > 3, "{seen}");
}
