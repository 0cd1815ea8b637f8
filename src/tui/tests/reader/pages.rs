//! Tests of turning pages in the Reader.

use super::stage;
use crate::tui::tests::Stage;

/// The numbers of the lines on the screen.
fn seen(stage: &mut Stage) -> Vec<usize> {
    let screen = stage.screen(80, 24);
    // A line may begin with a mark.
    let bare = |line: &str| line.trim_start_matches(|c: char| !c.is_alphabetic()).to_owned();
    let number = |line: &str| bare(line).strip_prefix("line ")?.split(' ').next()?.parse().ok();
    screen.lines().filter_map(number).collect()
}

/// The Reader with an article that has this number of lines.
fn lines(count: usize) -> Stage {
    let text: Vec<String> = (0..count).map(|n| format!("line {n}")).collect();
    let mut stage = stage(&format!("<p>{}</p>", text.join("<br>")), None);
    stage.screen(80, 24);
    stage.keys("<Enter>z");
    stage.screen(80, 24);
    stage
}

#[test]
fn every_page_begins_where_the_previous_one_ends() {
    for count in 40..80 {
        let mut stage = lines(count);
        let mut pages = vec![seen(&mut stage)];
        while pages.last().unwrap().last() != Some(&(count - 1)) {
            stage.keys("<Space>");
            pages.push(seen(&mut stage));
        }
        for pair in pages.windows(2) {
            let (new, last) = (pair[1].last().unwrap() - pair[0].last().unwrap(), pair[0].last());
            // A page repeats at most one line, unless at most half of it is new.
            let repeated = pair[1].iter().filter(|line| Some(*line) <= last).count();
            assert!(repeated <= 1 || new <= pair[1].len() / 2, "{count}: {pair:?}");
            assert!(pair[1].len() * 2 >= pair[0].len(), "{count}: {pair:?}");
        }
        // The same pages in the other direction.
        let is_full = pages[pages.len() - 1].first() >= pages[pages.len() - 2].last();
        for page in pages.iter().rev().skip(1).filter(|_| is_full) {
            stage.keys("b");
            assert_eq!(&seen(&mut stage), page, "{count}: {pages:?}");
        }
    }
}

#[test]
fn other_keys_do_not_scroll_below_the_end() {
    let full = |stage: &mut Stage| {
        stage.keys("G");
        seen(stage)
    };
    let mut stage = lines(50);
    let end = full(&mut stage);
    stage.keys("gg<Space><Space>");
    let page = seen(&mut stage);
    assert!(page.len() < end.len() && page.last() == end.last(), "{page:?}");
    stage.keys("j");
    assert_eq!(seen(&mut stage), page);
    stage.keys("k");
    assert_eq!(seen(&mut stage)[1..], page);
    stage.keys("j");
    assert_eq!(seen(&mut stage)[1..], page);
    assert_eq!(full(&mut stage), end);
    stage.keys("gg");
    stage.keys(&"j".repeat(60));
    assert_eq!(seen(&mut stage), end);
    let before = stage.shown_key();
    stage.keys("<Space>");
    assert_ne!(stage.shown_key(), before);
}

#[test]
fn a_page_does_not_begin_with_an_empty_line() {
    let code = "<pre>one\ntwo\nthree</pre>";
    for lines in 1..16 {
        let words: String = (0..lines).map(|n| format!("<p>line {n}</p>")).collect();
        let html = format!("{words}{code}{}", "<p>Words.</p><h2>Part</h2>".repeat(40));
        let mut stage = stage(&html, None);
        stage.screen(80, 24);
        stage.keys("<Enter>");
        for _ in 0..3 {
            stage.screen(80, 24);
            stage.keys("<Space>");
            stage.screen(80, 24);
            let reader = &stage.app.reader;
            let first = &reader.lines.lines[reader.top];
            assert_ne!(first.text().trim(), "", "{lines} lines");
        }
    }
}

#[test]
fn a_mark_shows_where_new_lines_begin_on_an_overlapping_last_page() {
    let mut stage = lines(50);
    // The last page repeats several lines if less than half of it would be new.
    let mut marked = Vec::new();
    for count in 40..80 {
        stage = lines(count);
        let mut before = seen(&mut stage);
        while before.last() != Some(&(count - 1)) {
            stage.keys("<Space>");
            let page = seen(&mut stage);
            let repeated = page.iter().filter(|line| Some(*line) <= before.last()).count();
            let mark =
                stage.app.reader.pointed.map(|line| stage.app.reader.lines.lines[line].text());
            assert_eq!(mark.is_some(), repeated > 1, "{count}: {before:?} {page:?} {mark:?}");
            if let Some(mark) = mark {
                let next = before.last().unwrap() + 1;
                assert!(mark.contains(&next.to_string()), "{count}: {mark} after {before:?}");
                marked.push(count);
            }
            before = page;
        }
    }
    assert!(!marked.is_empty());
    // Any other movement removes it.
    stage.keys("k");
    assert_eq!(stage.app.reader.pointed, None);
}
