//! Runs every action from the palette, on databases of several sizes.

use super::lists::stage_with_files;
use super::real::Real;
use super::*;
use crate::config::Action;
use std::time::Duration;

/// Maximum wait for events of an action, because some actions start tasks that run until they are stopped.
const PAUSE: Duration = Duration::from_millis(25);

/// Runs every action from the Sources pane, the Items pane and the Reader.
async fn every_action(mut real: Real) {
    for opened in 0..3 {
        for action in Action::ALL {
            real.close_dialogs();
            real.app.focus = super::super::app::Focus::Sources;
            for _ in 0..opened {
                real.keys("l");
                real.quiet_for(PAUSE).await;
            }
            // A dialog of the previous action may have opened late, after items were counted.
            real.close_dialogs();
            real.keys(":");
            real.keys(action.name());
            let hits = real.app.palette_hits(real.app.dialog().unwrap());
            assert_eq!(hits.first().map(|hit| hit.action), Some(*action), "{action}");
            assert!(!hits[0].help.is_empty(), "{action}");
            assert!(real.screen().contains(action.name()), "{action}");
            real.app.toast = None;
            real.enter();
            real.quiet_for(PAUSE).await;
            real.screen();
            assert_eq!(real.unreadable_error(), None, "{action} after opening {opened} times");
            let quits = real.requested.drain(..).any(|e| matches!(e, Effect::Quit(_)));
            let may_quit = matches!(action, Action::Quit | Action::Back | Action::Demo);
            assert!(!quits || may_quit, "{action} quits");
        }
    }
    real.handle.shutdown().await;
}

fn run(sources: usize, items: usize) {
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async { every_action(Real::new(sources, items).await).await });
}

#[test]
fn every_action_runs_on_an_empty_database() {
    run(0, 0);
}

#[test]
fn every_action_runs_on_a_small_database() {
    run(3, 30);
}

#[test]
fn every_action_runs_on_a_large_database() {
    run(200, 5_000);
}

#[test]
fn unavailable_actions_give_a_reason() {
    let mut stage = Stage::with(Settings::default(), SourceList::default(), vec![]);
    stage.keys("<Esc>");
    for (name, why) in [
        ("edit", "Select a source in the Sources pane first"),
        ("delete", "Select a source, a folder or a view first"),
        ("why", "Select a source in the Sources pane first"),
        ("pin", "Select an item first"),
        ("full-text", "Select an item first"),
        ("links", "Open an item first"),
        ("find", "Open an item first"),
        ("pipe", "Open an item first"),
        ("difference", "Open an item first"),
        ("fold", "Select a folder"),
        ("undo", "Nothing to undo"),
        ("redo", "Nothing to redo"),
        ("refresh-all", "Nothing to refresh: no sources yet"),
    ] {
        stage.keys(&format!(":{name}<Enter>"));
        let screen = stage.screen(100, 30);
        assert!(screen.contains(why), "{name}: no {why:?} on\n{screen}");
        assert!(stage.app.dialogs.is_empty(), "{name}");
    }
    // Only a command that was typed literally is run at once. An abbreviation is completed first.
    for (typed, screen) in [
        (":qqqq", "There is no command qqqq"),
        (":thme", "› theme"),
        (":theme ligt", "› theme light"),
        (":theme qqqq", "theme: there is nothing called qqqq"),
    ] {
        stage.keys(&format!("{typed}<Enter>"));
        let found = stage.screen(100, 30);
        assert!(found.contains(screen), "{typed}: {found}");
        assert!(!stage.app.dialogs.is_empty(), "{typed} was run");
        assert_eq!(stage.app.settings.ui.theme, Settings::default().ui.theme, "{typed}");
        stage.keys("<Esc>");
    }
    // The palette shows the reason before the action runs.
    stage.keys(":zen");
    assert!(stage.screen(100, 30).contains("Not available: Select an item first"));
}

#[test]
fn jumps_between_sources_with_unread_items() {
    let mut stage = stage_with_files();
    let listed = |stage: &Stage| stage.app.items.listing.title.clone();
    let unread = |stage: &mut Stage, ids: &[&str]| {
        let mut list = stage.files.as_ref().unwrap().list();
        for entry in &mut list.sources {
            entry.facts.unread = u32::from(ids.contains(&entry.source.id.as_str()));
        }
        stage.happen(Event::SourcesLoaded(Ok(list)));
    };
    unread(&mut stage, &["kernel", "theatre"]);
    // From a view, the first source is next.
    stage.keys("gu<C-n>");
    let first = listed(&stage);
    stage.keys("<C-n>");
    let second = listed(&stage);
    assert_ne!(first, second);
    for (keys, expected) in [("<C-n>", &first), ("<C-b>", &second), ("<C-b>", &first)] {
        stage.keys(keys);
        assert_eq!(listed(&stage), *expected, "{keys}");
    }
    assert!(stage.app.items.current().is_some_and(|row| !row.read));
    // From an article, the focus moves to the item list.
    stage.keys("<Enter>");
    assert_eq!(stage.app.focus, Focus::Reader);
    stage.keys("<C-n>");
    assert_eq!((listed(&stage), stage.app.focus), (second, Focus::Items));
    unread(&mut stage, &[]);
    stage.keys("<C-n>");
    stage.shows("No source has unread items");
}

#[test]
fn marking_read_never_marks_unread() {
    let mut stage = stage_with_files();
    let mut settings = Settings::default();
    let own = [("5", "mark-read"), ("6", "mark-unread")];
    let own = own.map(|(key, action)| (key.to_owned(), action.to_owned()));
    settings.keys.bindings.insert("items".to_owned(), own.into());
    stage.app.keymap = KeyMap::load(&settings.keys).unwrap();
    stage.keys("gu");
    stage.app.items.rows[0].read = false;
    let is_read = |stage: &Stage| stage.app.items.rows[0].read;
    for (key, expected) in [("5", true), ("5", true), ("6", false), ("6", false)] {
        stage.keys("gg");
        stage.keys(key);
        assert_eq!(is_read(&stage), expected, "{key}");
    }
}

#[test]
fn source_actions_reject_a_folder() {
    let mut stage = stage_with_files();
    stage.keys("fCity<Enter>");
    for keys in ["e", "w", ":why<Enter>"] {
        stage.keys(keys);
        assert!(stage.screen(100, 30).contains("City is a folder; select a source"), "{keys}");
    }
}

#[test]
fn a_sequence_of_another_pane_is_reported_whole() {
    let mut stage = Stage::new();
    stage.screen(120, 40);
    let before = stage.app.items.selected;
    stage.keys("gh");
    let message = |stage: &Stage| stage.app.toast.as_ref().unwrap().text.clone();
    assert_eq!(message(&stage), "g h works in the Reader pane (g r)");
    // Alone, the last key would go to the Sources pane.
    assert_eq!((stage.app.focus, stage.app.items.selected), (Focus::Items, before));
    stage.keys("gs");
    let selected = stage.app.sources.selected;
    stage.app.toast = None;
    stage.keys("gh");
    assert_eq!(message(&stage), "g h works in the Reader pane (g r)");
    assert_eq!((stage.app.focus, stage.app.sources.selected), (Focus::Sources, selected));
    // If no pane has the sequence, its last key is handled.
    stage.keys("gigj");
    assert_eq!(stage.app.items.selected, before + 1);
}
