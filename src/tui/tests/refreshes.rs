//! Several refreshes at once.

use super::*;
use crate::engine::{Refreshed, Report, Status};
use crate::model::{Pause, PauseReason};
use crate::store::Scope;

impl Stage {
    /// The ids of the refreshes that were requested.
    pub(super) fn refreshes(&self) -> Vec<RequestId> {
        let id = |effect: &String| {
            let (_, id) = effect.strip_prefix("Refresh {")?.split_once("request: ")?;
            id.trim_end_matches([' ', '}']).parse().ok()
        };
        self.requested.iter().filter_map(id).collect()
    }

    fn poll_ends(&mut self, refresh: RequestId, id: &str, new: u32) {
        let result = Refreshed::Polled(Outcome::Fetched { new, updated: 0, entries: 9 });
        let source = SourceId(id.to_owned());
        let report = Report { source, result, left_out: vec![], problem: None };
        self.happen(Event::Refreshed(refresh, report));
    }
}

#[test]
fn a_second_refresh_keeps_the_results_of_the_first() {
    let mut stage = Stage::new();
    stage.screen(120, 40);
    stage.keys("R");
    stage.poll_ends(stage.refreshes()[0], "kernel", 1);
    stage.keys("R");
    let [first, second] = stage.refreshes()[..] else { panic!("{:?}", stage.requested) };
    // The second refresh ends at once, because all sources are already being polled.
    stage.happen(Event::RefreshEnded(second));
    assert!(stage.has_message("Already refreshing"), "{}", stage.screen(120, 40));
    stage.poll_ends(first, "council", 3);
    stage.happen(Event::RefreshEnded(first));
    assert!(stage.has_message("4 new items"), "{}", stage.screen(120, 40));
    stage.keys("V");
    assert!(stage.screen(120, 40).contains("2 with new items"), "{}", stage.screen(120, 40));
}

#[test]
fn repeats_a_result_below_the_rows_only_if_truncated() {
    let long = "the certificate of kernel.example is not valid (it is not signed by an authority that \
                this computer trusts); nothing was read";
    for (message, shown) in [("kernel.example asks for a pause", 1), (long, 2)] {
        let mut stage = Stage::new();
        stage.keys("R");
        let result = Refreshed::Polled(Outcome::Failed {
            kind: ErrorKind::Permanent,
            message: message.to_owned(),
        });
        let source = SourceId("kernel".to_owned());
        let report = Report { source, result, left_out: vec![], problem: None };
        stage.happen(Event::Refreshed(stage.refreshes()[0], report));
        stage.keys("V");
        let screen = stage.screen(100, 30);
        assert_eq!(screen.matches("kernel.example").count(), shown, "{screen}");
    }
}

#[test]
fn shows_why_the_only_source_of_a_refresh_was_skipped() {
    let pause = |stage: &mut Stage, ids: &[&str]| {
        stage.screen(120, 40);
        stage.keys("R");
        let refresh = stage.refreshes()[0];
        for id in ids {
            let until = now() + TimeDelta::hours(1);
            let result = Refreshed::Skipped(Pause { until, reason: PauseReason::MaxAge });
            let source = SourceId((*id).to_owned());
            let report = Report { source, result, left_out: vec![], problem: None };
            stage.happen(Event::Refreshed(refresh, report));
        }
        stage.happen(Event::RefreshEnded(refresh));
    };
    let mut stage = Stage::new();
    pause(&mut stage, &["kernel"]);
    let screen = stage.screen(140, 40);
    assert!(
        screen.contains("Not refreshed: paused until") && screen.contains("refresh anyway"),
        "{screen}"
    );
    let mut stage = Stage::new();
    pause(&mut stage, &["kernel", "council"]);
    assert!(stage.has_message("Nothing new, 2 skipped"), "{}", stage.screen(140, 40));
}

#[test]
fn reports_simultaneous_refreshes_separately() {
    let mut stage = Stage::new();
    stage.screen(120, 40);
    stage.keys("Rr");
    let [all, one] = stage.refreshes()[..] else { panic!("{:?}", stage.requested) };
    stage.poll_ends(all, "council", 1);
    stage.poll_ends(one, "kernel", 2);
    stage.happen(Event::RefreshEnded(one));
    assert!(stage.has_message("2 new items"), "{}", stage.screen(120, 40));
    stage.keys("V");
    assert!(!stage.screen(120, 40).contains("finished"), "one of them is running");
    stage.keys("<Esc>");
    stage.happen(Event::RefreshEnded(all));
    assert!(stage.has_message("1 new item"), "{}", stage.screen(120, 40));
}

#[test]
fn refreshing_a_list_of_marked_items_polls_their_sources() {
    let mut stage = Stage::new();
    stage.rows.retain(|row| row.source_key < 4);
    stage.keys("gpgsr");
    let requested = &stage.requested;
    assert!(requested.iter().any(|r| r.contains("keys: Some([1, 2, 3])")), "{requested:?}");
    // An empty list has no sources to refresh.
    let list = SourceList { later: 1, ..source_list() };
    let mut stage = Stage::with(Settings::default(), list, Vec::new());
    stage.keys("gl");
    let screen = stage.screen(120, 40);
    assert!(screen.contains("B keeps an item for later."), "{screen}");
    assert!(!screen.contains("R refresh now"), "{screen}");
    stage.keys("r");
    assert!(stage.has_message("Nothing to refresh: this list is empty"));
    assert!(stage.refreshes().is_empty());
}

#[test]
fn the_refresh_marker_does_not_move_the_row() {
    let mut stage = Stage::new();
    let before = stage.screen(120, 36);
    let key = stage.app.sources.list.sources[0].facts.key;
    let claimed = [key].into_iter().collect();
    stage.happen(Event::StatusChanged(Status { claimed, ..Status::default() }));
    let during = stage.screen(120, 36);
    let sources = |screen: &str| {
        let row = |line: &str| line.chars().take(26).collect::<String>();
        screen.lines().map(row).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(sources(&during).matches('↻').count(), 1, "{during}");
    assert_eq!(sources(&during).replace('↻', "▪"), sources(&before));
}

#[test]
fn the_result_of_a_refresh_waits_for_an_earlier_message() {
    let mut stage = Stage::new();
    stage.screen(140, 40);
    stage.keys("R");
    let refresh = stage.refreshes()[0];
    stage.poll_ends(refresh, "kernel", 2);
    stage.app.note("Saved: view rusty");
    stage.happen(Event::RefreshEnded(refresh));
    assert!(stage.has_message("Saved: view rusty"), "{}", stage.screen(140, 40));
    let until = now() + TimeDelta::seconds(6);
    assert!(stage.app.deadline().unwrap() <= until);
    stage.app.update(Event::TimePassed, until);
    assert!(stage.has_message("2 new items"), "{}", stage.screen(140, 40));
    // A message about the user's action replaces the result at once.
    stage.app.note("Copied the URL");
    assert!(stage.has_message("Copied the URL"));
}

#[test]
fn refreshes_only_the_sources_of_an_empty_list() {
    let mut stage = Stage::with(Settings::default(), source_list(), Vec::new());
    stage.screen(120, 40);
    for (scope, keys) in [
        (Scope::Sources(vec![2]), "Some([2])"),
        (Scope::Sources(vec![3, 1]), "Some([1, 3])"),
        (Scope::All, "None"),
    ] {
        stage.app.items.listing.base.scope = scope;
        stage.requested.clear();
        stage.keys("r");
        let wanted = format!("Refresh {{ keys: {keys}, pace: Manual");
        assert_eq!(stage.asked_for(&wanted), 1, "{wanted}: {:?}", stage.requested);
    }
    stage.app.items.listing.base.scope = Scope::Sources(Vec::new());
    stage.requested.clear();
    stage.keys("r");
    assert!(
        stage.refreshes().is_empty() && stage.has_message("Nothing to refresh: this list is empty")
    );
}
