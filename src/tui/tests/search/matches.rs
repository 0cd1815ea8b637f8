//! Tests of articles opened from a search, in which the matches are highlighted.

use super::*;
use crate::config::ViewSettings;
use crate::engine::TextGot;
use crate::store::Snippet;
use ratatui::style::Modifier;

/// An article with some HTML between many paragraphs.
fn long(html: &str) -> Article {
    let filler = "<p>Nothing of interest.</p>".repeat(30);
    let html = format!("{filler}{html}{filler}");
    let document = Arc::new(from_html(&html, None));
    Article { document, ..article(item_rows()[0].clone()) }
}

fn stage(html: &str) -> Stage {
    let views = vec![ViewSettings {
        name: "Bridges".to_owned(),
        query: "bridge".to_owned(),
        layout: Default::default(),
    }];
    let settings = Settings { views, ..Settings::default() };
    // A search of the list also finds text in the middle of the words of a title, but an article highlights
    // only words that begin with the text.
    let mut rows = item_rows();
    for row in &mut rows {
        row.title = row.title.replace("Bridge ", "Footbridge ").replace("Election", "Reelection");
    }
    let mut stage = Stage::with(settings, source_list(), rows);
    stage.shown = Some(long(html));
    stage.screen(120, 40);
    stage
}

/// Presses keys, and draws the screen after each, like the program.
fn press(stage: &mut Stage, keys: &[&str]) -> String {
    for keys in keys {
        stage.keys(keys);
        stage.screen(120, 40);
    }
    stage.screen(120, 40)
}

/// The highlighted parts of the Reader: the current match is underlined, others have another background.
fn marked(stage: &mut Stage) -> Vec<String> {
    let buffer = stage.drawn(120, 40);
    let area = stage.app.areas.reader.unwrap();
    let ground = stage.app.palette.style(crate::config::Role::Selected).bg;
    let mut found: Vec<String> = vec![String::new()];
    for position in area.positions() {
        let cell = &buffer[position];
        let is_marked = cell.modifier.contains(Modifier::UNDERLINED) || Some(cell.bg) == ground;
        match (is_marked, found.last_mut()) {
            (true, Some(last)) => last.push_str(cell.symbol()),
            _ => found.push(String::new()),
        }
    }
    found.retain(|words| !words.is_empty());
    found
}

const TWO: &str = "<p>Two bridges and a concert, one Bridge.</p>";

#[test]
fn an_article_opens_at_its_start_and_an_empty_search_goes_to_the_first_match() {
    for keys in ["/bridge<Enter>", "fbridge<Enter>", "<C-p>Bridges<Enter>"] {
        let mut stage = stage(TWO);
        let screen = press(&mut stage, &[keys, "<Enter>"]);
        assert!(screen.contains("2 matches") && stage.app.reader.top == 0, "{keys} {screen}");
        assert!(
            screen.contains("f Enter first match") && screen.contains("n next unread"),
            "{screen}"
        );
        let screen = press(&mut stage, &["<C-f><Enter>"]);
        assert!(screen.contains("n next match"), "{keys} {screen}");
        assert!(screen.contains("match 1 of 2") && screen.contains("Two bridges"), "{screen}");
        assert_eq!(marked(&mut stage), ["bridges", "Bridge"], "{keys}");
        let reader = &stage.app.reader;
        let above = reader.lines.lines[reader.top..].iter().position(|l| l.text().contains("Two"));
        assert!(reader.top > 0 && above.unwrap() >= 3, "{keys}: {above:?}");
    }
}

#[test]
fn keys_step_through_the_matches_and_close_the_search() {
    let mut stage = stage(TWO);
    press(&mut stage, &["/bridge<Enter>", "<Enter>", "<C-f><Enter>"]);
    assert!(press(&mut stage, &["n"]).contains("match 2 of 2"));
    assert!(press(&mut stage, &["n"]).contains("match 1 of 2"));
    assert!(press(&mut stage, &["N"]).contains("match 2 of 2"));
    assert!(press(&mut stage, &["N"]).contains("match 1 of 2"));
    let top = stage.app.reader.top;
    let screen = press(&mut stage, &["<Esc>"]);
    assert!(!screen.contains("match 1") && marked(&mut stage).is_empty(), "{screen}");
    assert_eq!((stage.app.focus, stage.app.reader.top), (Focus::Reader, top));
    // A search in the text begins empty, and replaces the highlighted matches.
    press(&mut stage, &["h", "<Enter>"]);
    assert!(press(&mut stage, &["<C-f>concert"]).contains("1 of 1"));
}

#[test]
fn text_that_arrives_later_is_searched_too() {
    let mut stage = stage("<p>A tram.</p>");
    let screen = press(&mut stage, &["/bridge<Enter>", "<Enter>"]);
    assert!(!screen.contains(" match") && stage.app.reader.top == 0, "{screen}");
    assert!(!stage.app.stepping(), "n goes to the next unread item");
    stage.shown = Some(long(TWO));
    let key = stage.shown_key();
    stage.happen(Event::TextGot(key, false, Ok(TextGot::Same(TextWay::Best))));
    let screen = press(&mut stage, &[]);
    assert!(screen.contains("2 matches") && stage.app.reader.top == 0, "{screen}");
}

#[test]
fn leaving_the_results_shows_the_sources_again() {
    let mut stage = stage(TWO);
    assert!(stage.app.areas.sources.is_some());
    press(&mut stage, &["/bridge<Enter>", "<Enter>"]);
    assert!(stage.app.areas.sources.is_none());
    press(&mut stage, &["q"]);
    assert!(stage.app.areas.reader.is_some(), "the article stays beside the results");
    press(&mut stage, &["q"]);
    assert!(stage.app.areas.sources.is_some() && stage.app.areas.reader.is_none());
    assert_eq!(stage.app.focus, Focus::Items);
}

#[test]
fn a_search_keeps_the_reading_position() {
    let mut stage = stage(TWO);
    press(&mut stage, &["/bridge<Enter>", "<Enter>", "h"]);
    assert_eq!(stage.asked_for("StorePosition"), 0, "{:?}", stage.requested);
    press(&mut stage, &["<Enter>", "<Space>", "h"]);
    assert_eq!(stage.asked_for("StorePosition"), 1, "{:?}", stage.requested);
}

#[test]
fn results_open_at_the_reading_position() {
    for keys in ["<C-p>Bridges<Enter>", "/bridge<Enter>"] {
        let mut stage = stage(TWO);
        stage.shown.as_mut().unwrap().position = "Nothingofinterest.".len() * 2;
        let screen = press(&mut stage, &[keys, "<Enter>"]);
        assert!(screen.contains("2 matches"), "{keys} {screen}");
        let line = stage.app.reader.lines.lines[stage.app.reader.top].at;
        assert_eq!(line, "Nothingofinterest.".len() * 2, "{keys}");
    }
}

#[test]
fn matches_in_the_list_of_links_are_not_counted() {
    let mut stage = stage("<p>A <a href='https://e.org/bridge'>bridge</a>.</p>");
    let screen = press(&mut stage, &["/bridge<Enter>", "<Enter>"]);
    assert!(screen.contains("1 match "), "{screen}");
}

#[test]
fn hidden_matches_have_no_mark_at_another_width() {
    let mut stage = stage(TWO);
    assert!(press(&mut stage, &["/bridge<Enter>", "<Enter>", "<C-f><Enter>"]).contains('▸'));
    assert!(!press(&mut stage, &["<Esc>"]).contains('▸'));
    let screen = stage.screen(80, 40);
    assert!(!screen.contains('▸'), "{screen}");
}

fn screen_has(stage: &mut Stage, words: &[&str]) -> bool {
    let screen = stage.screen(120, 40);
    words.iter().all(|words| screen.contains(words))
}

#[test]
fn hints_show_how_to_leave_the_matches() {
    let mut stage = stage(TWO);
    press(&mut stage, &["/bridge<Enter>", "<Enter>"]);
    let hints = |stage: &Stage| -> Vec<_> {
        stage.app.hints().into_iter().map(|hint| hint.label).collect()
    };
    assert_eq!(hints(&stage)[..4], ["page", "next unread", "back", "first match"]);
    // The keys keep their meaning until the user goes to a match.
    assert!(!stage.app.stepping());
    press(&mut stage, &["<C-f><Enter>"]);
    assert_eq!(hints(&stage)[..4], ["next match", "back", "hide matches", "page"]);
    // The usual keys stay visible.
    assert!(screen_has(&mut stage, &["q back", "o browser", "p pin"]));
    let screen = press(&mut stage, &["<Esc>"]);
    assert!(marked(&mut stage).is_empty() && screen.contains("n next unread"), "{screen}");
}

#[test]
fn typing_a_search_keeps_the_reading_position() {
    for typed in ["/bridge<Esc>", "/bridgex<Esc>", "/bridge<Enter>q", "/bridge<BS><BS>xx<Esc>"] {
        let mut stage = stage(TWO);
        press(&mut stage, &["<Enter>", "<Space>", "h"]);
        let place = stage.app.reader.top;
        assert!(place > 0);
        stage.requested.clear();
        let keys = typed.replace("<BS>", "<Backspace>");
        press(&mut stage, &[&keys, "<Enter>", "h"]);
        assert_eq!(stage.app.reader.top, place, "{typed}");
        assert_eq!(stage.asked_for("StorePosition"), 0, "{typed}: {:?}", stage.requested);
    }
}

#[test]
fn highlights_follow_the_query_and_disappear_with_it() {
    let mut stage = stage(TWO);
    let document = Arc::new(from_html(TWO, None));
    stage.shown = Some(Article { document, ..article(item_rows()[0].clone()) });
    press(&mut stage, &["<Enter>", "h", "/bridge"]);
    assert_eq!(marked(&mut stage), ["bridges", "Bridge"]);
    press(&mut stage, &["<Backspace><Backspace><Backspace><Backspace><Backspace><Backspace>con"]);
    assert_eq!(marked(&mut stage), ["concert"]);
    press(&mut stage, &["<Esc>"]);
    assert_eq!(marked(&mut stage), [""; 0]);
    // A search that begins in the Reader leaves the article unchanged until Enter.
    press(&mut stage, &["<Enter>", "g/bridge"]);
    assert_eq!(marked(&mut stage), [""; 0]);
}

#[test]
fn space_opens_the_next_item_at_the_end() {
    let mut stage = stage("");
    let document = Arc::new(from_html("<p>Elected things.</p>", None));
    stage.shown = Some(Article { document, ..article(item_rows()[0].clone()) });
    let screen = press(&mut stage, &["/ele<Enter>", "<Enter>"]);
    assert!(
        screen.contains("1 match ") && screen.contains("end of the article · Space: next unread")
    );
    let first = stage.shown_key();
    press(&mut stage, &["<Space>"]);
    assert_ne!(stage.shown_key(), first);
    // During a search in the text, Space only scrolls, and the last line does not offer the next item.
    let screen = press(&mut stage, &["<C-f>things<Enter>"]);
    assert!(!screen.contains("Space: next unread"), "{screen}");
}

#[test]
fn the_second_row_of_a_result_shows_its_match() {
    let mut stage = stage(TWO);
    press(&mut stage, &["/bridge<Enter>", "<Enter>"]);
    let key = stage.shown_key();
    let text = "the tram line over the old bridge opens".to_owned();
    let hits = std::iter::once(27..33).collect();
    let snippet = Snippet { title_hits: vec![], text, hits, picture: None };
    let found = Event::SnippetsLoaded(Some("\"bridge\"*".to_owned()), Ok(vec![(key, snippet)]));
    stage.happen(found);
    let screen = stage.screen(120, 40);
    let row = screen.lines().find(|line| line.contains("old bridge")).unwrap();
    assert!(row.contains("▪ "), "{row}");
}

#[test]
fn highlights_stay_while_scrolling_and_disappear_with_esc() {
    let far = format!("{TWO}{}<p>The bridge again.</p>", "<p>Nothing of interest.</p>".repeat(60));
    // The meaning of a key must not change while the text is scrolled.
    let mut stage = stage(&far);
    let screen = press(&mut stage, &["/bridge<Enter>", "<Enter>", "<Space>", "<Space>", "<Space>"]);
    assert!(screen.contains("n next unread") && !stage.app.stepping(), "{screen}");
    press(&mut stage, &["<C-f><Enter>"]);
    let screen = press(&mut stage, &["<Space>"]);
    assert!(screen.contains("n next match") && stage.app.stepping(), "{screen}");
    // The first Esc hides the highlights, the second one closes the article.
    let mut stage = self::stage(&far);
    let screen = press(&mut stage, &["/bridge<Enter>", "<Enter>"]);
    assert!(screen.contains("3 matches") && !stage.app.stepping(), "{screen}");
    let screen = press(&mut stage, &["<Esc>"]);
    assert!(screen.contains("n next unread") && !screen.contains("3 matches"), "{screen}");
    assert_eq!(stage.app.focus, Focus::Reader);
    press(&mut stage, &["<Esc>"]);
    assert_eq!(stage.app.focus, Focus::Items);
    // q closes the article at once.
    press(&mut stage, &["<Enter>", "q"]);
    assert_eq!(stage.app.focus, Focus::Items);
    // Matches of a search in the text stay highlighted.
    press(&mut stage, &["<Enter>", "<C-f>nothing<Enter>", "<Space><Space><Space>"]);
    assert!(!marked(&mut stage).is_empty());
}

#[test]
fn narrow_results_show_more_text_than_source() {
    let mut stage = stage(TWO);
    press(&mut stage, &["/bridge", "<Enter>", "<Enter>"]);
    let text = "… the old steel bridge is painted again before it opens …";
    let at = text.find("bridge").unwrap();
    let snippet = Snippet {
        title_hits: vec![],
        text: text.to_owned(),
        hits: vec![at..at + 6, at + 7..at + 9],
        picture: None,
    };
    let found = vec![(10, snippet)];
    stage.happen(Event::SnippetsLoaded(Some("\"bridge\"*".to_owned()), Ok(found)));
    let screen = stage.screen(131, 36);
    assert!(stage.app.areas.reader.is_some() && stage.app.areas.items.is_some(), "{screen}");
    assert!(screen.contains("▪ news.exam…  …steel bridge is painted ag…"), "{screen}");
}
