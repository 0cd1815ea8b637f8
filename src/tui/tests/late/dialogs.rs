//! Dialogs in which the user types while a reply to an earlier request arrives.

use super::super::defects::last_request;
use super::super::lists::{SOURCES, file, stage_with_files};
use super::super::*;
use super::with_a_mark;
use crate::engine::{Discovery, ListFollowed, Way};
use crate::tui::app::{Add, Editor, LinkList, Prompt, SearchBar, Stage as AddStage};
use crate::tui::effect::{FileOf, FileUse};
use crate::util::browser::{How, Launch};

fn followed(id: &str) -> (Vec<Followed>, crate::config::FileEdit) {
    followed_in(&stage_with_files(), id)
}

/// Adds a source to the sources file of a stage.
fn followed_in(stage: &Stage, id: &str) -> (Vec<Followed>, crate::config::FileEdit) {
    let paths = stage.files.as_ref().unwrap().paths.clone();
    let url = format!("https://{id}.example/").parse().unwrap();
    let new = crate::model::Source::feed(SourceId(id.to_owned()), url);
    let edit = crate::config::SourcesFile::open(&paths).add(std::slice::from_ref(&new)).unwrap();
    (vec![Followed::from(new)], edit)
}

#[test]
fn a_late_reply_does_not_close_an_open_dialog() {
    let list = |stage: &mut Stage| {
        stage.keys("ihttps://slow.example/list.opml<Enter>");
        last_request(stage)
    };
    let comments = |stage: &mut Stage| {
        stage.keys("C");
        last_request(stage)
    };
    let closed = |stage: &mut Stage| {
        stage.keys("a");
        stage.happen(Event::Pasted("https://other.example/".to_owned()));
        stage.keys("<Enter>");
        let feed = Way::announced("https://other.example/feed", "Other");
        let found = Discovery::sample("https://other.example/", vec![feed], &[]);
        stage.happen(Event::Discovered(last_request(stage), Ok(found)));
        stage.keys("<Enter>");
        let request = last_request(stage);
        // The source is still added in the background.
        stage.keys("<Esc>");
        request
    };
    let typed = |stage: &Stage| stage.app.dialog::<Add>().map(|add| add.field.value().to_owned());
    type Start<'a> = &'a dyn Fn(&mut Stage) -> RequestId;
    let cases: [(&str, bool, Start<'_>); 3] =
        [("list", true, &list), ("comments", false, &comments), ("background", false, &closed)];
    for (name, is_list, start) in cases {
        for fails in [false, true] {
            let mut stage = Stage::new();
            stage.screen(120, 40);
            let request = start(&mut stage);
            let focus = stage.app.focus;
            stage.keys("amine.exam");
            let failure = || "slow.example returned HTTP 404".to_owned();
            stage.happen(if is_list {
                let source = stage.app.sources.list.sources[0].source.as_ref().clone();
                let done = ListFollowed {
                    source,
                    added: vec![],
                    already: vec![],
                    skipped: vec![],
                    edits: vec![],
                    problem: None,
                };
                let result = if fails { Err(failure()) } else { Ok(Box::new(done)) };
                Event::ListFollowed(request, "https://slow.example/list.opml".to_owned(), result)
            } else {
                let result = if fails { Err(failure()) } else { Ok(followed("slow")) };
                Event::Followed(request, result)
            });
            stage.keys("ple");
            assert_eq!(typed(&stage).as_deref(), Some("mine.example"), "{name} {fails}");
            assert_eq!((stage.app.dialogs.len(), stage.app.focus), (1, focus), "{name} {fails}");
            let expected = if fails { "HTTP 404" } else { "ollowing " };
            assert!(stage.has_message(expected), "{name} {fails}: {}", stage.screen(120, 40));
        }
    }
}

#[test]
fn the_expected_reply_closes_a_waiting_dialog() {
    let mut stage = Stage::new();
    stage.keys("a");
    stage.happen(Event::Pasted("https://other.example/".to_owned()));
    stage.keys("<Enter>");
    let feed = Way::announced("https://other.example/feed", "Other");
    let found = Discovery::sample("https://other.example/", vec![feed], &[]);
    stage.happen(Event::Discovered(last_request(&stage), Ok(found)));
    // The form of the way is open above the add dialog.
    stage.keys("e<C-s>");
    assert!(stage.app.dialog::<Editor>().is_some_and(Editor::is_saving));
    let request = last_request(&stage);
    stage.happen(Event::Followed(request, Err("HTTP 404".to_owned())));
    assert!(!stage.app.dialog::<Editor>().unwrap().is_saving(), "it can be saved again");
    stage.keys("<C-s>");
    stage.happen(Event::Followed(last_request(&stage), Ok(followed("other"))));
    assert!(stage.app.dialogs.is_empty());
    assert!(stage.has_message("Following other"));
    assert_eq!(stage.app.focus, Focus::Items);
}

#[test]
fn undo_waits_for_a_source_that_is_being_added() {
    let mut stage = with_a_mark();
    stage.keys("giC");
    let request = last_request(&stage);
    stage.keys("u");
    assert!(stage.has_message("Waiting until the source is added"));
    assert!(stage.app.history.rests_at(1));
    let added = followed_in(&stage, "comments");
    assert_ne!(file(&stage), SOURCES);
    stage.happen(Event::Followed(request, Ok(added)));
    assert_eq!(file(&stage), SOURCES, "adding is undone");
    assert!(stage.app.history.rests_at(1), "and the mark is not");
    // A change that is newer than the pending source is undone at once.
    let mut stage = with_a_mark();
    stage.keys("giCBu");
    assert!(stage.app.history.rests_at(1));
    // If the source could not be added, there is nothing to undo.
    let mut stage = with_a_mark();
    stage.keys("giC");
    let request = last_request(&stage);
    stage.keys("u");
    stage.happen(Event::Followed(request, Err("HTTP 404".to_owned())));
    assert!(stage.app.history.rests_at(1) && stage.has_message("HTTP 404"));
}

#[test]
fn undo_of_a_pending_source_reverts_nothing_else() {
    // The mark is stored before or after the source is added.
    for stored_first in [false, true] {
        let mut stage = with_a_mark();
        stage.keys("giC");
        let request = last_request(&stage);
        stage.keys("u");
        let mark = stage.hold("B");
        let added = followed_in(&stage, "comments");
        if stored_first {
            stage.perform_all(mark);
            assert!(stage.app.history.rests_at(2), "the mark is not undone");
            stage.happen(Event::Followed(request, Ok(added)));
        } else {
            stage.happen(Event::Followed(request, Ok(added)));
            stage.perform_all(mark);
        }
        assert_eq!(file(&stage), SOURCES, "adding is undone");
        assert!(stage.app.history.rests_at(2), "and both marks stay");
        assert!(stage.rows.iter().any(|row| row.later));
    }
    // Redo cancels the pending undo, so that the source stays.
    let mut stage = with_a_mark();
    stage.keys("giC");
    let request = last_request(&stage);
    stage.keys("u<C-r>");
    assert!(stage.has_message("The source stays"));
    let added = followed_in(&stage, "comments");
    stage.happen(Event::Followed(request, Ok(added)));
    assert_ne!(file(&stage), SOURCES);
}

#[test]
fn an_open_article_stays_when_a_source_is_added() {
    let mut stage = Stage::new();
    stage.keys("C");
    let request = last_request(&stage);
    stage.keys("<Enter>");
    let shown = stage.app.reader.article.clone();
    stage.happen(Event::Followed(request, Ok(followed("comments"))));
    assert!(stage.has_message("Following comments"));
    assert_eq!(stage.app.focus, Focus::Reader);
    let key = |article: &Option<Arc<Article>>| article.as_ref().map(|article| article.row.key);
    assert!(shown.is_some() && key(&stage.app.reader.article) == key(&shown));
}

#[test]
fn the_welcome_page_waits_for_its_request() {
    let first = || Stage::with(Settings::default(), SourceList::default(), vec![]);
    let mut stage = first();
    stage.keys("<Down><Enter>");
    stage.keys("<Enter>");
    let request = last_request(&stage);
    assert_eq!(stage.app.dialogs.len(), 1);
    stage.happen(Event::Followed(request, Err("the disk is full".to_owned())));
    assert!(stage.screen(120, 40).contains("The disk is full"));
    let mut stage = first();
    stage.keys("<Down><Enter><Enter>");
    let (added, edit) = followed("one");
    let two = vec![added[0].clone(), added[0].clone()];
    stage.happen(Event::Followed(last_request(&stage), Ok((two, edit))));
    assert!(stage.app.dialogs.is_empty() && stage.has_message("Following 2 sources"));
    // After an error, the URL of a list can be corrected.
    let mut stage = first();
    stage.keys("<Down><Down><Enter>");
    stage.keys("https://planet.example/<Enter>");
    let (request, url) = (last_request(&stage), "https://planet.example/".to_owned());
    stage.happen(Event::ListFollowed(request, url, Err("HTTP 404".to_owned())));
    assert!(stage.app.dialog::<Prompt>().is_some_and(|p| p.field.value().contains("planet")));
    stage.keys("<Esc>");
    assert!(matches!(stage.app.dialog::<Add>().map(|add| &add.stage), Some(AddStage::Typing)));
}

fn two_files() -> Vec<Enclosure> {
    let file = |n: usize| Enclosure { url: format!("https://e.org/{n}"), ..Enclosure::default() };
    vec![file(1), file(2)]
}

#[test]
fn downloads_files_of_several_items_without_a_dialog() {
    let mut stage = Stage::new();
    stage.keys("  <C-s>");
    let of = |item| FileOf { item, source: 1 };
    let audio = Enclosure {
        url: "https://e.org/a.mp3".to_owned(),
        mime: Some("audio/mpeg".to_owned()),
        ..Enclosure::default()
    };
    assert_eq!(stage.asked_for("FindEnclosures"), 1, "{:?}", stage.requested);
    let with_audio: Vec<_> = [audio].into_iter().chain(two_files()).collect();
    let found = vec![(of(1), two_files()), (of(2), with_audio), (of(3), vec![])];
    stage.happen(Event::EnclosuresFound(FileUse::Download, Ok(found)));
    assert!(stage.app.dialogs.is_empty());
    assert_eq!(stage.asked_for("UseFile"), 3, "two files, and of the second item the audio");
    assert!(stage.requested.last().unwrap().contains("https://e.org/a.mp3"));
    let none = vec![(of(1), vec![]), (of(2), vec![])];
    stage.happen(Event::EnclosuresFound(FileUse::Download, Ok(none)));
    assert!(stage.has_message("The selected items have no enclosures"));
}

#[test]
fn popups_that_take_keys_wait_while_the_user_types() {
    let mut stage = Stage::new();
    stage.keys("@/ker");
    let found = vec![(FileOf { item: 1, source: 1 }, two_files())];
    stage.happen(Event::EnclosuresFound(FileUse::Open, Ok(found)));
    let launch = Launch { how: How::Commands(vec![]), in_terminal: true };
    stage.happen(Event::BrowserPlanned(launch));
    stage.keys("nel");
    let typed =
        |stage: &Stage| stage.app.dialog::<SearchBar>().map(|bar| bar.field.value().to_owned());
    assert_eq!(typed(&stage).as_deref(), Some("kernel"));
    assert!(stage.app.dialog::<LinkList>().is_none());
    assert_eq!(stage.asked_for("BrowseHere"), 0);
    stage.keys("<Enter>");
    assert!(stage.app.dialog::<LinkList>().is_some() && typed(&stage).is_none());
    assert_eq!(stage.asked_for("BrowseHere"), 1);
}
