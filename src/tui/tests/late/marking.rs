//! Commands that mark many items as read, and totals of lists, while items are being counted.

use super::super::*;
use super::{only_read, window_request};
use crate::store::{Count, Part, View};
use crate::tui::effect::ExitReason;

impl Stage {
    /// Presses a key that counts items before it marks them. Returns the request for the count, and what is
    /// counted.
    #[track_caller]
    fn counts(&mut self, keys: &str) -> (RequestId, View, Part) {
        let effects = self.hold(keys);
        assert!(only_read(&effects), "{keys}: {effects:?}");
        let unread = effects.into_iter().find_map(|effect| match effect {
            Effect::Read(Read::Unread { request, view, part }) => Some((request, *view, part)),
            _ => None,
        });
        unread.unwrap_or_else(|| panic!("{keys}: nothing is counted"))
    }

    fn counted(&mut self, request: RequestId, count: usize) {
        self.happen(Event::UnreadCounted(request, Ok(count)));
    }

    fn marks(&self) -> usize {
        self.asked_for("MarkViewRead")
    }

    /// Replies to a request for rows with a part of a list; returns the effects.
    fn part_of_list(&mut self, request: RequestId, at: Time) -> Vec<Effect> {
        let window = Window { rows: item_rows(), more_below: true, ..Window::default() };
        self.app.update(Event::WindowLoaded(request, Ok(window)), at)
    }
}

fn total_request(effects: &[Effect]) -> Option<RequestId> {
    effects.iter().find_map(|effect| match effect {
        Effect::Read(Read::Total { request, .. }) => Some(*request),
        _ => None,
    })
}

#[test]
fn counts_items_that_the_list_does_not_show() {
    type Change = fn(&mut App);
    let changes: [(&str, Change); 3] = [
        ("a search lists only a part of the matches", |app| app.items.cut = true),
        ("a row stands for a story", |app| app.items.folds = true),
        ("stories are marked together", |app| app.settings.ui.mark_stories = true),
    ];
    for (why, change) in changes {
        let mut stage = Stage::new();
        stage.keys("/e<Enter>");
        change(&mut stage.app);
        assert!(stage.app.items.rows.len() < 50, "{why}");
        let (request, ..) = stage.counts("A");
        stage.counted(request, 5234);
        assert_eq!(stage.marks(), 0, "{why}");
        stage.shows("Mark 5234 items as read?");
        stage.keys("<Enter>");
        assert_eq!(stage.marks(), 1, "{why}");
    }
}

#[test]
fn marks_folded_search_results_with_their_stories() {
    for folds in [false, true] {
        let mut stage = Stage::new();
        stage.keys("/e<Enter>gi");
        stage.app.items.folds = folds;
        let (_, view, _) = stage.counts("}");
        assert_eq!(view.fold, folds);
    }
}

#[test]
fn a_second_command_does_not_replace_a_pending_one() {
    let mut stage = Stage::new();
    let (first, ..) = stage.counts("gi}");
    assert!(stage.hold("}").is_empty(), "one question is enough");
    stage.keys("gp");
    let (second, ..) = stage.counts("}");
    stage.counted(second, 3);
    assert_eq!(stage.marks(), 1);
    stage.counted(first, 60);
    assert_eq!(stage.marks(), 1);
    stage.shows("Mark 60 items below the selected one as read?");
    stage.shows("List: All unread");
    stage.keys("<Enter>");
    assert_eq!(stage.marks(), 2);
}

#[test]
fn quitting_waits_for_a_pending_mark_read_command() {
    for (count, marks, quits) in [(3, 1, true), (60, 0, false)] {
        let mut stage = Stage::new();
        let (request, ..) = stage.counts("gi}");
        stage.keys("Q");
        assert!(
            stage.exit_reason.is_none() && stage.has_message("Counting the items to mark read")
        );
        stage.counted(request, count);
        assert_eq!((stage.marks(), stage.exit_reason.is_some()), (marks, quits), "{count}");
        if !quits {
            stage.shows("Mark 60 items below the selected one as read?");
            stage.keys("<Enter>Q");
            assert_eq!((stage.marks(), stage.exit_reason), (1, Some(ExitReason::Quit)));
        }
    }
    // Pressing the key twice quits without waiting.
    let mut stage = Stage::new();
    stage.counts("gi}");
    stage.keys("QQ");
    assert_eq!((stage.marks(), stage.exit_reason), (0, Some(ExitReason::Quit)));
    // A confirmation that waits behind another dialog is shown instead of quitting.
    let mut stage = Stage::new();
    let (request, ..) = stage.counts("gi}");
    stage.keys("V");
    stage.counted(request, 60);
    assert!(!stage.screen(120, 40).contains("Mark 60 items"));
    stage.keys("Q");
    assert!(stage.exit_reason.is_none());
    stage.shows("Mark 60 items below the selected one as read?");
}

#[test]
fn does_not_show_the_total_of_another_list() {
    let mut stage = Stage::new();
    stage.keys("/age>1");
    let window = window_request(&stage.hold("d")).unwrap();
    let effects = stage.part_of_list(window, now());
    let late = total_request(&effects).unwrap();
    // Switches to a list that is completely in memory.
    stage.keys("<Esc>ga");
    stage.happen(Event::TotalCounted(late, Ok(Count { items: 5234, more: false })));
    assert!(stage.app.items.is_complete() && stage.app.items.total.count.is_none());
}

#[test]
fn recounts_a_list_at_most_once_a_second() {
    let mut stage = Stage::new();
    stage.keys("/age>1");
    let window = window_request(&stage.hold("d")).unwrap();
    let effects = stage.part_of_list(window, now());
    let first = total_request(&effects).unwrap();
    stage.happen(Event::TotalCounted(first, Ok(Count { items: 5234, more: false })));
    let at = |millis| now() + TimeDelta::milliseconds(millis);
    let mut requested = Vec::new();
    for millis in [300, 600, 900] {
        stage.app.update(Event::StoreChanged, at(millis));
        let read = Event::SourcesLoaded(Ok(source_list()));
        let window = window_request(&stage.app.update(read, at(millis))).unwrap();
        requested.extend(total_request(&stage.part_of_list(window, at(millis))));
    }
    assert_eq!(requested, [0; 0]);
    assert_eq!(stage.app.items.total.count.unwrap().items, 5234, "the number stays");
    assert!(stage.app.deadline().unwrap() <= at(1000));
    let effects = stage.app.update(Event::TimePassed, at(1000));
    assert!(total_request(&effects).is_some());
    assert!(stage.app.deadline().unwrap() > at(1000));
}

#[test]
fn y_and_n_answer_questions() {
    for (answer, marks) in [("y", 1), ("n", 0), ("q", 0), ("x<Esc>", 0)] {
        let mut stage = Stage::new();
        stage.keys("/e<Enter>");
        stage.app.items.cut = true;
        let (request, ..) = stage.counts("A");
        stage.counted(request, 5234);
        stage.keys(answer);
        assert!(stage.app.dialogs.is_empty(), "{answer}");
        assert_eq!(stage.marks(), marks, "{answer}");
    }
}
