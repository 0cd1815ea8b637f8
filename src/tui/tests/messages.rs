//! Tests of where messages are drawn, and of the key hints next to them.

use super::*;
use crate::model::TextFrom;

/// A message that needs several rows in a box.
const WORDS: &str = "Kernel notes was skipped: the server asked for no requests before 14:05. \
                     Press F to fetch anyway.";

#[test]
fn messages_do_not_cover_the_text_of_an_article() {
    for (width, height) in [(80, 24), (100, 30), (140, 40)] {
        let mut stage = Stage::new();
        stage.screen(width, height);
        stage.keys("<Enter>");
        let before = stage.screen(width, height);
        stage.app.note(WORDS);
        let after = stage.screen(width, height);
        let (before, after): (Vec<_>, Vec<_>) = (before.lines().collect(), after.lines().collect());
        let same = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
        // A message of two rows also uses the row of the keys.
        let rows = if width < 140 { 2 } else { 1 };
        assert_eq!(same, usize::from(height) - rows, "{after:#?}");
        assert!(after[same..].join(" ").contains("Press F to fetch anyway"), "{after:#?}");
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
    // Without space for a whole hint, none is shown.
    let mut stage = Stage::new();
    stage.screen(40, 12);
    stage.keys("<Enter>");
    stage.app.note("Copied the URL of the article");
    let screen = stage.screen(40, 12);
    assert!(!screen.contains("page"), "{screen}");
}

#[test]
fn stacks_messages_beside_an_article() {
    let mut stage = Stage::new();
    stage.screen(140, 40);
    stage.keys("<Enter>");
    stage.app.problem("Not saved: the disk is full");
    stage.app.note("Copied https://kernel.example/");
    let screen = stage.screen(140, 40);
    let last: Vec<&str> = screen.lines().rev().take(2).collect();
    assert!(last[0].contains("Copied") && last[1].contains("disk is full"), "{screen}");
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
    assert!(screen.contains("z show other panes") && screen.contains("x other text"), "{screen}");
    // In each pane, `f` is hinted as find.
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
