//! Tests of new rules and the list of rules, on a real database.

use super::real::{Real, poll};
use super::settings::with_runtime;
use super::*;
use crate::model::Entry;
use crate::store::{Scope, View, prepare};
use crate::tui::app::{RuleForm, RuleList, UNTIL};

/// Number of items that are not hidden.
fn shown(real: &Real) -> usize {
    real.handle.store().reader().unwrap().keys(&View::of(Scope::All)).unwrap().len()
}

#[test]
fn muting_adds_a_rule_that_can_be_undone() {
    with_runtime(async {
        let mut real = Real::new(3, 30).await;
        assert_eq!(shown(&real), 30);
        real.keys("J");
        assert!(real.screen().contains("title:item"), "{}", real.screen());
        // Selects the choice that mutes the item's source for a day.
        for _ in 0..10 {
            real.press(KeyCode::Down, KeyModifiers::NONE);
        }
        assert!(real.screen().contains("source:\"Source"), "{}", real.screen());
        for key in [KeyCode::Right, KeyCode::Right, KeyCode::Left] {
            real.press(key, KeyModifiers::NONE);
        }
        let found =
            |app: &App| app.dialog::<RuleForm>().is_some_and(|form| form.run.found.is_some());
        real.until("matches", found).await;
        let screen = real.screen();
        assert!(screen.contains("Matches 10 stored items"), "{screen}");
        assert!(screen.contains("(*) a day"), "{screen}");
        real.enter();
        real.wait_for("applied to 10 items").await;
        assert_eq!(shown(&real), 20);
        let config = real.config();
        assert!(config.contains("[[rule]]") && config.contains("do = [\"hide\"]"), "{config}");
        assert!(config.contains("until = "), "{config}");
        real.keys("u");
        real.wait_for("Undone: Hide").await;
        let toast = real.app.toast.as_ref().map_or("", |toast| &toast.text);
        assert!(toast.ends_with(" on 10 items"), "one message: {toast}");
        assert_eq!(shown(&real), 30);
        assert!(!real.config().contains("[[rule]]"));
        real.press(KeyCode::Char('r'), KeyModifiers::CONTROL);
        real.wait_for("Applied again: Hide").await;
        let toast = real.app.toast.as_ref().map_or("", |toast| &toast.text);
        assert!(toast.ends_with(" to 10 items"), "one message: {toast}");
        assert_eq!(shown(&real), 20);
        assert!(real.config().contains("[[rule]]"));
        real.handle.shutdown().await;
    });
}

#[test]
fn shows_the_duration_of_a_hide_rule_at_every_width() {
    let wanted = [(120, 4, true), (50, 4, false), (40, 1, true)];
    for (width, choices, has_label) in wanted {
        let mut stage = Stage::new();
        stage.happen(Event::Resized(width, 15));
        stage.keys("J");
        let screen = stage.screen(width, 15);
        let row = screen.lines().find(|line| line.contains("(*) forever")).expect(&screen);
        let shown = UNTIL.iter().filter(|(name, _)| row.contains(&format!(") {name}"))).count();
        assert_eq!((shown, row.contains("How long")), (choices, has_label), "{screen}");
    }
}

#[test]
fn a_new_rule_can_have_other_actions() {
    with_runtime(async {
        let mut real = Real::new(3, 30).await;
        let found =
            |app: &App| app.dialog::<RuleForm>().is_some_and(|form| form.run.found.is_some());
        real.keys("J");
        real.quiet().await;
        real.keys("source:\"Source 2\"");
        real.quiet().await;
        real.press(KeyCode::Tab, KeyModifiers::NONE);
        real.until("matches", found).await;
        let screen = real.screen();
        assert!(screen.contains("(*) mark read") && screen.contains("Mark items read"), "{screen}");
        assert!(screen.contains("Matches 10 stored items"), "{screen}");
        real.enter();
        real.wait_for("applied to 10 items").await;
        assert_eq!(shown(&real), 30, "nothing is hidden");
        let config = real.config();
        assert!(config.contains("do = [\"read\"]"), "{config}");
        assert!(config.contains("Mark read"), "{config}");
        real.keys("u");
        real.wait_for("Undone: Mark read").await;
        // From the list of rules; the name of a tag is typed last.
        real.keys("&n");
        real.quiet().await;
        real.keys("source:\"Source 1\"");
        real.press(KeyCode::BackTab, KeyModifiers::SHIFT);
        real.press(KeyCode::BackTab, KeyModifiers::SHIFT);
        real.until("matches", found).await;
        real.enter();
        real.keys("to read");
        real.enter();
        real.wait_for("applied to 10 items").await;
        let config = real.config();
        assert!(config.contains("do = [\"tag:to read\"]"), "{config}");
        real.handle.shutdown().await;
    });
}

#[test]
fn an_invalid_query_mutes_nothing() {
    with_runtime(async {
        let mut real = Real::new(3, 30).await;
        real.keys("J");
        real.quiet().await;
        real.keys("age<x");
        real.quiet().await;
        real.enter();
        assert!(real.has_dialog());
        assert!(!real.screen().contains("Matches"), "{}", real.screen());
        real.close_dialogs();
        assert!(!real.config().contains("[[rule]]"));
        real.handle.shutdown().await;
    });
}

/// Whether the dialog shows that applying the rule would change this number of items.
fn would_change(items: usize) -> impl Fn(&App) -> bool {
    move |app| {
        let list = app.dialog::<RuleList>();
        let found = list.and_then(|list| list.run.found.as_ref());
        found.and_then(|found| found.would_change.as_ref()).is_some_and(|c| c.items == items)
    }
}

#[test]
fn lists_applies_undoes_changes_and_removes_rules() {
    with_runtime(async {
        let mut real = Real::new(3, 30).await;
        real.keys("J");
        real.quiet().await;
        real.keys("\"Item 3\"");
        real.quiet().await;
        real.enter();
        real.wait_for("applied to 3 items").await;
        real.keys("&");
        let list = |app: &App| app.dialog::<RuleList>().is_some_and(|list| list.is_complete());
        real.until("rules", list).await;
        let screen = real.screen();
        assert!(screen.contains("hide") && screen.contains("3 items"), "{screen}");
        assert!(screen.contains("Matches 3 stored items, 0 would change"), "{screen}");
        real.keys("x");
        real.wait_for("undone for 3 items").await;
        assert_eq!(shown(&real), 30);
        real.until("the new count", would_change(3)).await;
        // Undo inside the dialog restores the marks.
        real.keys("u");
        real.wait_for("applied again").await;
        assert_eq!(shown(&real), 27);
        real.until("the new count", would_change(0)).await;
        real.press(KeyCode::Char('r'), KeyModifiers::CONTROL);
        real.wait_for("undone again").await;
        real.keys("u");
        real.wait_for("applied again").await;
        real.keys("e");
        real.press(KeyCode::Char('u'), KeyModifiers::CONTROL);
        real.keys("\"Item 4\"");
        real.enter();
        real.wait_for("Saved").await;
        assert!(real.config().contains("Item 4"));
        real.keys("a");
        real.wait_for("applied to 3 items").await;
        assert_eq!(shown(&real), 24);
        real.keys("d");
        real.wait_for("Removed rule").await;
        assert!(!real.config().contains("[[rule]]"));
        let screen = real.screen();
        assert!(screen.contains("No rules yet") && !screen.contains("x undo"), "{screen}");
        real.close_dialogs();
        real.keys("J");
        real.quiet().await;
        real.keys("zebra");
        let is_done =
            |app: &App| app.dialog::<RuleForm>().is_some_and(|form| form.run.found.is_some());
        real.until("the matches", is_done).await;
        let screen = real.screen();
        assert!(
            screen.contains("No stored item matches; the rule applies to new ones"),
            "{screen}"
        );
        real.handle.shutdown().await;
    });
}

#[test]
fn lists_matches_without_titles_by_their_first_words() {
    with_runtime(async {
        let mut real = Real::new(2, 4).await;
        let source = real.app.items.rows[0].source_key;
        let entry = Entry {
            guid: Some("untitled".to_owned()),
            content: Some("<p>How it begins</p>".to_owned()),
            ..Entry::default()
        };
        let store = real.handle.store();
        let entries = prepare(vec![entry], &store.hashing().await.unwrap());
        store.store_poll(poll(source, entries)).await.unwrap();
        let found =
            |app: &App| app.dialog::<RuleForm>().is_some_and(|form| form.run.found.is_some());
        real.keys("J");
        real.quiet().await;
        real.keys("source:source");
        real.until("matches", found).await;
        let screen = real.screen();
        let matches = screen.split_once("Matches 5 stored items").expect(&screen).1;
        assert!(matches.contains("How it begins"), "{screen}");
    });
}

#[test]
fn a_rule_without_effect_on_stored_items_applies_to_new_ones() {
    with_runtime(async {
        let mut real = Real::new(2, 4).await;
        real.keys("J");
        real.quiet().await;
        real.keys("source:source");
        real.press(KeyCode::BackTab, KeyModifiers::SHIFT);
        real.quiet().await;
        assert!(real.screen().contains("(*) notify"), "{}", real.screen());
        real.enter();
        real.wait_for("applies to new items").await;
        assert!(real.config().contains("do = [\"notify\"]"), "{}", real.config());
    });
}
