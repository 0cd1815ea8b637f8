//! Keys that are pressed while rows of a list, an article or the result of saving a change are pending.

mod dialogs;
mod marking;

use super::lists::{SOURCES, config, file, stage_with_files};
use super::real::Real;
use super::settings::with_runtime;
use super::*;
use crate::tui::app::{RowId, Smart};

impl Stage {
    /// Presses keys without performing the effects of the last one, and returns those effects.
    fn hold(&mut self, keys: &str) -> Vec<Effect> {
        let last = keys.chars().next_back().unwrap();
        self.keys(&keys[..keys.len() - last.len_utf8()]);
        let key = KeyEvent::new(KeyCode::Char(last), KeyModifiers::NONE);
        self.app.update(Event::KeyPressed(key), now())
    }

    fn perform_all(&mut self, effects: Vec<Effect>) {
        effects.into_iter().for_each(|effect| self.perform(effect));
    }
}

/// The marks that effects set: the kind of mark, the row keys, and the new value.
fn marks(effects: &[Effect]) -> Vec<(Mark, Vec<i64>, bool)> {
    let marks = effects.iter().filter_map(|effect| match effect {
        Effect::Mark { mark, keys, to, .. } => Some((mark.clone(), keys.clone(), *to)),
        _ => None,
    });
    marks.collect()
}

/// The number of the request for rows of a list.
fn window_request(effects: &[Effect]) -> Option<RequestId> {
    effects.iter().find_map(|effect| match effect {
        Effect::Read(Read::Window { request, .. }) => Some(*request),
        _ => None,
    })
}

fn reads_list(effects: &[Effect]) -> bool {
    window_request(effects).is_some()
}

/// Whether the effects only read.
fn only_read(effects: &[Effect]) -> bool {
    effects.iter().all(|effect| matches!(effect, Effect::Read(_)))
}

/// The number of the request for an article, and the row key of its item.
fn article_request(effects: &[Effect]) -> Option<(RequestId, i64)> {
    effects.iter().find_map(|effect| match effect {
        Effect::Read(Read::Article { request, key }) => Some((*request, *key)),
        _ => None,
    })
}

#[test]
fn title_of_an_item_replaces_the_article_while_it_loads() {
    let mut stage = Stage::new();
    stage.screen(120, 36);
    stage.keys("<Enter>");
    let press = |c: char| Event::KeyPressed(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
    // Most articles arrive at once, so "Loading" appears only after a delay.
    stage.app.update(press('n'), now());
    assert!(!stage.screen(120, 36).contains("Loading"));
    let due = stage.app.deadline().unwrap();
    assert!(due <= now() + TimeDelta::milliseconds(150), "{due}");
    let effects = stage.app.update(press('n'), now() - TimeDelta::milliseconds(150));
    let (_, key) = article_request(&effects).unwrap();
    let opened = stage.app.items.rows.iter().find(|row| row.key == key).unwrap().title.clone();
    let late = stage.screen(120, 36);
    assert!(late.contains("Loading") && late.contains(&opened), "{late}");
    // A key for the article does not reach the previous one.
    let top = stage.app.reader.top;
    assert!(stage.app.update(press(' '), now()).is_empty());
    assert_eq!(stage.app.reader.top, top);
    for key in ['1', ';', 'f', '|', '\''] {
        assert!(stage.app.update(press(key), now()).is_empty(), "{key}");
        assert!(stage.app.dialogs.is_empty(), "{key}");
    }
    stage.perform_all(effects);
    assert!(!stage.screen(120, 36).contains("Loading"));
}

#[test]
fn the_selection_stays_when_the_list_is_read_again() {
    with_runtime(async {
        let mut real = Real::new(1, 800).await;
        real.keys("*a");
        real.until("the selection", |app| app.items.marked.len() == 800).await;
        let far = real.app.items.rows[500].key;
        let store = real.handle.store().clone();
        store.mark(Mark::Later, vec![far], true).await.unwrap();
        let reread = |app: &App| app.items.rows.iter().any(|row| row.key == far && row.later);
        real.store_changed();
        real.late(TimeDelta::seconds(1));
        real.until("the change", reread).await;
        assert_eq!(real.app.items.marked.len(), 800);
        // The selection also stays if the list is read from another position.
        real.keys("jjj");
        store.mark(Mark::Later, vec![far], false).await.unwrap();
        real.store_changed();
        real.late(TimeDelta::seconds(2));
        real.until("the change", |app| !reread(app)).await;
        assert_eq!(real.app.items.marked.len(), 800);
        // Esc in a search returns to the list with its selection.
        real.keys("/Item 1");
        real.until("the matches", |app| app.is_search() && !app.items.is_loading()).await;
        real.press(KeyCode::Esc, KeyModifiers::NONE);
        real.until("the list", |app| !app.is_search() && !app.items.is_loading()).await;
        assert_eq!(real.app.items.marked.len(), 800);
        real.finish().await;
    });
}

#[test]
fn reports_items_that_are_deselected() {
    with_runtime(async {
        let mut real = Real::new(1, 800).await;
        real.keys(" jG");
        real.until("the end", |app| !app.items.is_loading() && !app.items.more_below).await;
        assert!(real.app.items.marked.is_empty());
        real.wait_for("1 item deselected (too far from the current item); 0 still selected").await;
        real.finish().await;
    });
}

#[test]
fn a_change_during_loading_is_shown_afterwards() {
    let mut stage = Stage::new();
    stage.keys("ga");
    stage.app.items.more_below = true;
    let more = stage.hold("j");
    assert!(reads_list(&more), "rows below are read");
    let effects = stage.app.update(Event::StoreChanged, now());
    assert!(matches!(effects.as_slice(), [Effect::Read(Read::Sources), ..]), "{effects:?}");
    let effects = stage.app.update(Event::SourcesLoaded(Ok(source_list())), now());
    assert!(!reads_list(&effects));
    let request = window_request(&more).unwrap();
    let effects = stage.app.update(Event::WindowLoaded(request, Ok(Window::default())), now());
    let again = window_request(&effects).expect("the change is read now");
    let window = Window { rows: item_rows(), ..Window::default() };
    let effects = stage.app.update(Event::WindowLoaded(again, Ok(window)), now());
    assert!(!reads_list(&effects), "only once");
}

#[test]
fn keys_wait_for_the_list_that_is_being_read() {
    for keys in
        ["m", "p", "B", "H", " ", "o", "O", "y", "Y", "r", "e", "w", "J", "C", "c", "x", "{", "}"]
    {
        let mut stage = Stage::new();
        stage.keys("gp");
        let reads = stage.hold("gu");
        assert!(reads_list(&reads));
        let effects = stage.hold(keys);
        assert!(stage.has_message("The list is still loading"), "{keys}: {effects:?}");
        assert!(only_read(&effects), "{keys}: {effects:?}");
        assert!(stage.app.dialogs.is_empty() && stage.app.items.marked.is_empty(), "{keys}");
    }
    // After the list is read, the same keys act on it.
    let mut stage = Stage::new();
    stage.keys("gp");
    let reads = stage.hold("gu");
    stage.hold("m");
    stage.perform_all(reads);
    let first = stage.app.items.rows[0].key;
    assert_eq!(marks(&stage.hold("m")), [(Mark::Read, vec![first], true)]);
}

#[test]
fn the_question_does_not_count_another_list() {
    let mut stage = Stage::new();
    stage.keys("gp");
    let count = |stage: &Stage| {
        let rows = &stage.app.sources.rows;
        rows.iter().find(|row| row.id == RowId::Smart(Smart::Unread)).unwrap().count
    };
    assert!(count(&stage) > 50 && stage.app.items.rows.len() < 50);
    stage.hold("gu");
    let effects = stage.hold("A");
    assert!(only_read(&effects), "{effects:?}");
    let question = format!("Mark {} items as read?", count(&stage));
    assert!(stage.screen(120, 40).contains(&question), "{}", stage.screen(120, 40));
}

#[test]
fn a_list_shows_how_many_items_match() {
    for (cut, more, found, title) in [
        (false, false, "5234 found", "Search all items  5234  age>1d"),
        (false, true, "over 5234 found", "Search all items  over 5234  age>1d"),
        (true, false, "5234 found", "Search all items  5 of 5234  age>1d"),
    ] {
        let mut stage = Stage::new();
        stage.keys("/age>1");
        let request = window_request(&stage.hold("d")).unwrap();
        let rows = item_rows().into_iter().take(5).collect();
        let window = Window { rows, more_below: !cut, cut, more_above: false };
        stage.happen(Event::WindowLoaded(request, Ok(window)));
        assert!(stage.screen(120, 40).contains("… found"), "it is not counted yet");
        let request = super::defects::last_request(&stage);
        let count = crate::store::Count { items: 5234, more };
        stage.happen(Event::TotalCounted(request - 1, Ok(crate::store::Count { items: 7, more })));
        stage.happen(Event::TotalCounted(request, Ok(count)));
        let screen = stage.screen(120, 40);
        assert!(screen.contains(&format!(" {found}")), "{screen}");
        stage.keys("<Enter>");
        let screen = stage.screen(120, 40);
        assert!(screen.contains(title), "{screen}");
    }
}

#[test]
fn keys_wait_for_the_rest_of_a_selection() {
    for key in ["m", "A"] {
        let mut stage = Stage::new();
        stage.app.items.more_below = true;
        let reads = stage.hold("*a");
        assert!(reads_list(&reads));
        assert!(only_read(&stage.hold(key)) && stage.app.dialogs.is_empty());
        assert!(stage.has_message("The list is still loading"));
        stage.perform_all(reads);
        let all: Vec<i64> = stage.app.items.rows.iter().map(|row| row.key).collect();
        assert_eq!(stage.app.items.marked.len(), all.len());
    }
}

#[test]
fn an_error_removes_the_rows_of_the_previous_list() {
    let mut stage = Stage::new();
    let reads = stage.hold("gp");
    let request = window_request(&reads).unwrap();
    stage.happen(Event::WindowLoaded(request, Err("the disk is damaged".to_owned())));
    assert!(stage.has_message("The disk is damaged"));
    assert!(stage.app.items.rows.is_empty());
}

#[test]
fn keys_apply_to_the_article_that_is_being_loaded() {
    let mut stage = Stage::new();
    let first = stage.app.items.rows[0].key;
    let enter = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
    let reads = stage.app.update(Event::KeyPressed(enter), now());
    assert_eq!(marks(&stage.hold("p")), [(Mark::Pinned, vec![first], true)]);
    stage.perform_all(reads);
    let reads = stage.hold("n");
    let (_, second) = article_request(&reads).unwrap();
    assert_eq!(marks(&reads), [(Mark::Read, vec![second], true)]);
    assert!(first != second && stage.shown_key() == first);
    assert_eq!(marks(&stage.hold("p")), [(Mark::Pinned, vec![second], true)]);
}

#[test]
fn keys_for_links_wait_for_the_first_article() {
    let mut stage = Stage::new();
    let enter = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
    stage.app.update(Event::KeyPressed(enter), now());
    stage.hold(";");
    assert!(stage.has_message("The item is still loading"));
}

#[test]
fn an_opened_item_shows_marks_set_during_loading() {
    for mark_first in [false, true] {
        let mut stage = Stage::new();
        let unread = stage.app.items.rows[0].clone();
        assert!(!unread.read && !unread.later);
        // The item is kept for later just before it is opened.
        let mut changes = stage.hold("B");
        stage.keys("k");
        let key = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
        let opened = stage.app.update(Event::KeyPressed(key), now());
        let (request, _) = article_request(&opened).unwrap();
        changes.extend(opened.into_iter().filter(|e| matches!(e, Effect::Mark { .. })));
        let loaded = Event::ArticleLoaded(request, Ok(Some(Arc::new(article(unread.clone())))));
        let set = changes.into_iter().filter_map(|effect| match effect {
            Effect::Mark { mark, keys, to, cause } => Some(MarksSet { mark, keys, to, cause }),
            _ => None,
        });
        let set: Vec<Event> = set.map(|set| Event::Marked(Ok(set))).collect();
        assert_eq!(set.len(), 2);
        let events: Vec<Event> = match mark_first {
            true => set.into_iter().chain([loaded]).collect(),
            false => [loaded].into_iter().chain(set).collect(),
        };
        events.into_iter().for_each(|event| stage.happen(event));
        let row = stage.app.reader.article.as_ref().unwrap().row.clone();
        assert!(row.read && row.later, "{mark_first}");
        assert_eq!(marks(&stage.hold("m")), [(Mark::Read, vec![unread.key], false)]);
    }
}

/// Real files, with a mark in the history, and a source selected.
fn with_a_mark() -> Stage {
    let mut stage = stage_with_files();
    stage.keys("gagip<C-p>council<Enter>gs");
    assert!(stage.app.history.rests_at(1));
    stage
}

#[test]
fn undo_waits_for_pending_file_changes() {
    let mut stage = with_a_mark();
    let edit = stage.hold("S");
    assert!(edit.iter().any(|effect| matches!(effect, Effect::Edit { .. })), "{edit:?}");
    assert!(marks(&stage.hold("u")).is_empty(), "the file is not changed yet");
    stage.perform_all(edit);
    assert_eq!(file(&stage), SOURCES, "the change to the file is undone");
    assert!(stage.app.history.rests_at(1), "and the mark is not");
    stage.keys("<C-r>");
    assert!(file(&stage).contains("enabled = false"));
    assert!(stage.app.history.rests_at(2));
}

#[test]
fn the_history_waits_for_pending_file_changes() {
    let mut stage = with_a_mark();
    stage.keys("S");
    assert!(stage.app.history.rests_at(2));
    let edit = stage.hold("S");
    // Jumps back to the initial state.
    stage.keys("UG<Enter>");
    assert!(stage.app.history.rests_at(2), "the second change is not stored yet");
    stage.perform_all(edit);
    assert!(stage.app.history.rests_at(0));
    assert_eq!(file(&stage), SOURCES);
}

#[test]
fn applies_a_new_rule_during_another_save() {
    let mut stage = stage_with_files();
    stage.keys("giJ");
    let enter = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
    let rule = stage.app.update(Event::KeyPressed(enter), now());
    let other = stage.hold("!");
    stage.perform_all(rule);
    assert!(config(&stage).contains("[[rule]]"));
    assert_eq!(stage.asked_for("ApplyRule"), 1, "{:?}", stage.requested);
    stage.perform_all(other);
    assert_eq!(stage.asked_for("ApplyRule"), 1);
}

#[test]
fn only_requested_changes_are_treated_as_replies() {
    let is_shown = |stage: &Stage| stage.app.settings.ui.sources_pane;
    // Storing a pane width before the terminal is lent is a requested change.
    let mut stage = stage_with_files();
    stage.screen(120, 40);
    stage.keys("gi<Enter>");
    stage.screen(120, 40);
    stage.keys("-");
    let width = stage.app.leave_terminal();
    assert!(width.iter().any(|effect| matches!(effect, Effect::Edit { .. })), "{width:?}");
    let pane = stage.hold("\\");
    stage.perform_all(width);
    assert!(!is_shown(&stage), "the newer change is still shown");
    stage.perform_all(pane);
    assert!(!is_shown(&stage));
    // A change that the user made in a text editor was not requested.
    let mut stage = stage_with_files();
    let (unread, pane) = (stage.hold("!"), stage.hold("\\"));
    stage.perform_all(unread);
    stage.happen(Event::Edited(Purpose::ByHand, Ok(Edited::default())));
    assert!(!is_shown(&stage), "the newer change is still shown");
    stage.perform_all(pane);
    assert!(!is_shown(&stage));
}
