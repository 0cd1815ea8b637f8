//! Tests of where messages are drawn, and of the key hints next to them.

use super::*;
use crate::model::TextFrom;
use crate::util::text;

/// A message that needs several rows in a box.
const WORDS: &str = "Kernel notes was skipped: the server asked for no requests before 14:05. \
                     Press F to fetch anyway.";

#[test]
fn long_messages_are_drawn_above_the_keys() {
    for (width, height) in [(80, 24), (100, 30), (120, 36)] {
        let mut stage = Stage::new();
        stage.screen(width, height);
        stage.keys("<Enter>");
        let before = stage.screen(width, height);
        stage.app.note(WORDS);
        let after = stage.screen(width, height);
        assert_eq!(before.lines().last(), after.lines().last(), "the keys stay: {after}");
        assert!(after.contains("Press F to fetch anyway"), "{after}");
    }
}

#[test]
fn short_messages_cover_no_row_of_a_list() {
    for (width, height) in [(60, 14), (80, 24), (120, 40)] {
        let mut stage = Stage::new();
        let before = stage.screen(width, height);
        stage.app.note("Copied the URL");
        let after = stage.screen(width, height);
        let rows = |screen: &str| -> Vec<String> {
            let lines = screen.lines().take(usize::from(height) - 1);
            lines.map(str::to_owned).collect()
        };
        assert_eq!(rows(&before), rows(&after));
        let last = after.lines().last().unwrap_or_default();
        assert!(last.starts_with("  Enter read") && last.ends_with("Copied the URL"), "{last}");
    }
}

#[test]
fn longer_messages_cover_no_row_of_a_small_screen() {
    for keys in ["", "<Enter>"] {
        let mut stage = Stage::new();
        stage.screen(80, 24);
        stage.keys(keys);
        let rows = |screen: &str| screen.lines().take(23).collect::<Vec<_>>().join("\n");
        let before = rows(&stage.screen(80, 24));
        let message = "Saved the article in downloads as notes.md";
        stage.app.note(message);
        let after = stage.screen(80, 24);
        assert_eq!(before, rows(&after));
        let last = after.lines().last().unwrap_or_default();
        assert!(last.ends_with(message) && !last.trim_start().starts_with('•'), "{last}");
    }
}

#[test]
fn the_question_before_a_removal_shows_how_long_undo_works() {
    let mut stage = Stage::new();
    for (width, height) in [(120, 36), (60, 20)] {
        stage.screen(width, height);
        stage.keys("gsG<Space>k<Space>d");
        let screen = stage.screen(width, height);
        assert!(screen.contains("You can undo this with u until you quit newsfed."), "{screen}");
        stage.keys("<Esc><Esc>");
    }
}

#[test]
fn messages_do_not_cover_the_selected_row() {
    for (width, height) in [(40, 12), (80, 14), (120, 14)] {
        for keys in ["", "G"] {
            let mut stage = Stage::new();
            stage.screen(width, height);
            stage.keys(keys);
            let selected = |screen: &str| -> Vec<String> {
                screen.lines().filter(|line| line.contains('▌')).map(str::to_owned).collect()
            };
            let before = selected(&stage.screen(width, height));
            stage.app.note(WORDS);
            let screen = stage.screen(width, height);
            let title = before[0].split('▌').nth(1).unwrap_or_default();
            assert!(screen.contains(title), "{width}x{height} {keys} {title}: {screen}");
            assert!(screen.contains("was skipped"), "{screen}");
        }
    }
}

#[test]
fn short_messages_do_not_cover_the_keys_of_an_article() {
    for (width, height) in [(60, 14), (80, 24), (120, 36)] {
        let mut stage = Stage::new();
        stage.screen(width, height);
        stage.keys("<Enter>");
        stage.app.note("Copied the URL");
        let screen = stage.screen(width, height);
        let last = screen.lines().last().unwrap_or_default();
        assert!(
            last.starts_with("  Space page   n next unread") && last.contains("? help"),
            "{last}"
        );
        assert!(last.ends_with("Copied the URL"), "{last}");
    }
    // A message that needs more than two fifths of the row is drawn above it.
    let mut stage = Stage::new();
    stage.screen(40, 12);
    stage.keys("<Enter>");
    stage.app.note("Copied the URL of the article");
    let screen = stage.screen(40, 12);
    assert!(screen.contains("Copied the URL of the article"), "{screen}");
    assert!(screen.lines().last().unwrap_or_default().contains("Space page"), "{screen}");
}

#[test]
fn stacks_messages_next_to_an_article() {
    let mut stage = Stage::new();
    stage.screen(140, 40);
    stage.keys("<Enter>");
    stage.app.problem("Not saved: the disk is full");
    stage.app.note("Copied https://kernel.example/");
    let screen = stage.screen(140, 40);
    // The row above the keys stays empty.
    let last: Vec<&str> = screen.lines().rev().take(3).collect();
    assert!(last[0].contains("Copied") && last[2].contains("disk is full"), "{screen}");
}

#[test]
fn capitalizes_errors_that_begin_with_a_plain_word() {
    let mut stage = Stage::new();
    for (error, shown) in [
        ("the disk is full; free some space", "The disk is full; free some space"),
        ("cannot open the database", "Cannot open the database"),
        ("mpv is not installed", "mpv is not installed"),
        ("news.example has nothing here", "news.example has nothing here"),
        ("newsfed is shutting down", "newsfed is shutting down"),
        ("", ""),
    ] {
        stage.app.problem(error);
        assert_eq!(stage.app.toast.as_ref().unwrap().text, shown);
    }
    let error = crate::store::StoreError::Full.to_string();
    stage.happen(Event::Message(Err(error)));
    assert!(stage.has_message("The disk is full"));
    stage.keys("ahttps://slow.example/<Enter>");
    let request = super::defects::last_request(&stage);
    stage.happen(Event::Discovered(request, Err("the disk is full".to_owned())));
    assert!(stage.screen(120, 40).contains(" The disk is full"), "{}", stage.screen(120, 40));
}

#[test]
fn key_hints_show_the_current_effect() {
    let mut stage = Stage::new();
    stage.screen(160, 40);
    stage.keys("<Enter>");
    let screen = stage.screen(160, 40);
    assert!(screen.contains("z zen") && screen.contains("x full text"), "{screen}");
    let mut shown = article(item_rows()[0].clone());
    let item = Item { text_from: TextFrom::Page, ..(*shown.item).clone() };
    shown.item = Arc::new(item);
    stage.shown = Some(shown);
    stage.keys("<Esc><Enter>z");
    let screen = stage.screen(160, 40);
    assert!(screen.contains("z show panes") && screen.contains("x other text"), "{screen}");
    // The feed's text is shown, but the page was fetched.
    let mut shown = article(item_rows()[0].clone());
    shown.item = Arc::new(Item { page_text: true, ..(*shown.item).clone() });
    stage.shown = Some(shown);
    stage.keys("<Esc><Esc><Enter>");
    let screen = stage.screen(160, 40);
    assert!(screen.contains("x other text"), "{screen}");
    // After a failed fetch of the page, no full text is offered.
    let mut shown = article(item_rows()[0].clone());
    let why = Some("news.example has nothing at this URL (HTTP 404)".to_owned());
    shown.item = Arc::new(Item { fetch_error: why, ..(*shown.item).clone() });
    stage.shown = Some(shown);
    stage.keys("<Esc><Enter>");
    let screen = stage.screen(160, 40);
    assert!(
        !screen.contains("x full text") && screen.contains("no full text: HTTP 404"),
        "{screen}"
    );
    // In each pane, the hint for `f` is "find".
    let mut stage = Stage::new();
    for keys in ["gs", "gi", "<Enter>"] {
        stage.screen(240, 40);
        stage.keys(keys);
        let screen = stage.screen(240, 40);
        assert!(screen.contains("   f find   "), "{keys}: {screen}");
    }
}

#[test]
fn cancelling_the_theme_gallery_restores_the_theme() {
    let mut stage = Stage::new();
    let before = stage.app.palette.name().to_owned();
    stage.choose_theme("t", "<Down>");
    assert_ne!(stage.app.palette.name(), before, "the selected theme is shown");
    stage.keys("<Esc>");
    assert!(stage.app.dialogs.is_empty(), "Esc leaves at once");
    assert_eq!(stage.app.palette.name(), before);
    // If no theme was selected, the current theme stays.
    stage.choose_theme("t", "<Enter>");
    assert!(stage.app.dialogs.is_empty());
    assert_eq!(stage.app.palette.name(), before);
    assert_eq!(stage.asked_for("Edit"), 0, "{:?}", stage.requested);
    stage.choose_theme(":theme<Enter>", "<Down><Down><Enter>");
    assert_eq!(stage.asked_for("Edit"), 1, "{:?}", stage.requested);
    // After moving to another field, Esc asks before it discards the change.
    let mut stage = Stage::new();
    stage.choose_theme("t", "<Right><Tab><Esc>");
    assert!(!stage.app.dialogs.is_empty(), "the change is not dropped unseen");
}

#[test]
fn the_theme_gallery_leaves_the_panes_visible() {
    for (width, height) in [(140, 40), (120, 36), (80, 24)] {
        let mut stage = Stage::new();
        stage.screen(width, height);
        stage.keys("<Enter>");
        let before = stage.drawn(width, height);
        stage.choose_theme("t", "");
        let after = stage.drawn(width, height);
        // The text keeps its colours, and more than half of the screen is left.
        let at = ratatui::layout::Position::new(width / 2 - 2, height / 2);
        assert_eq!(before[at].symbol(), after[at].symbol());
        let (x, y) = (width / 4, height / 2);
        assert_eq!(before[(x, y)].style(), after[(x, y)].style(), "{width}");
        assert!(stage.screen(width, height).contains("A fair scheduler"));
        stage.keys("<Tab>");
        assert_ne!(stage.drawn(width, height)[(x, y)].style(), before[(x, y)].style());
    }
}

#[test]
fn undoing_a_mark_of_an_item_with_a_long_title_is_reported_in_one_line() {
    let title = format!("{:x<200}", "Title ");
    let mut rows = item_rows();
    rows.iter_mut().for_each(|row| title.clone_into(&mut row.title));
    let mut stage = Stage::with(Settings::default(), source_list(), rows);
    stage.keys("p");
    for (key, words) in [("u", "Undone: pin: Title xxx"), ("<C-r>", "Redone: pin: Title xxx")] {
        stage.keys(key);
        let message = &stage.app.toast.as_ref().unwrap().text;
        assert!(message.starts_with(words) && message.ends_with('…'), "{message}");
        assert!(text::width(message) <= 80, "{message}");
    }
    // The history has the whole title.
    assert!(stage.app.history.steps[0].label.ends_with(&title));
}

#[test]
fn warnings_about_the_files_are_shown_once_and_errors_until_corrected() {
    let mut stage = Stage::new();
    let mut happen = |error: Option<&str>, warning: Option<&str>| {
        stage.happen(Event::StatusChanged(crate::engine::Status {
            declaration_error: error.map(str::to_owned),
            declaration_warning: warning.map(str::to_owned),
            ..Default::default()
        }));
        stage.screen(120, 36)
    };
    assert!(happen(Some("config.toml:5: no"), None).contains("Not reloaded: config.toml:5: no"));
    assert!(!happen(None, None).contains("Not reloaded"));
    let warning = Some("config.toml:9: rule \"a\": query is missing");
    assert!(happen(None, warning).contains("query is missing"));
    // The warning remains while an error is corrected, and is not shown again.
    assert!(happen(Some("config.toml:5: no"), warning).contains("config.toml:5: no"));
    let screen = happen(None, warning);
    assert!(!screen.contains("Not reloaded") && !screen.contains("query is missing"), "{screen}");
    assert!(!happen(None, None).contains("query is missing"));
    assert!(happen(None, warning).contains("query is missing"), "it is new");
    let mut stage = Stage::new();
    stage.app.warned = warning.map(str::to_owned);
    stage.happen(Event::StatusChanged(crate::engine::Status {
        declaration_warning: warning.map(str::to_owned),
        ..Default::default()
    }));
    assert!(!stage.screen(120, 36).contains("query is missing"), "shown at the start");
}
