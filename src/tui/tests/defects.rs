//! Tests of details: pasting, questions, copying, completion and messages.

use super::lists::{SOURCES, file, stage_with_files};
use super::*;
use crate::engine::{Discovery, Way};
use crate::tui::app::{Editor, Prompt};

/// The number of the last request.
pub(super) fn last_request(stage: &Stage) -> u64 {
    let request = stage.requested.iter().rev().find_map(|r| r.split("request: ").nth(1));
    request.unwrap().split([',', ' ']).next().unwrap().parse().unwrap()
}

#[test]
fn previews_several_pasted_urls_as_an_import() {
    let three = "https://one.example/feed\nhttps://two.example/feed three.example";
    for opened in ["", "a"] {
        let mut stage = stage_with_files();
        stage.keys(opened);
        stage.happen(Event::Pasted(three.to_owned()));
        let screen = stage.screen(120, 40);
        assert!(screen.contains("3 new") && screen.contains("https://three.example/"), "{screen}");
        stage.keys("<Enter>");
        assert_eq!(file(&stage).matches("[[source]]").count(), 8);
        assert!(stage.app.dialogs.is_empty());
        stage.keys("u");
        assert_eq!(file(&stage), SOURCES);
    }
    // A single URL, and text that contains URLs, are not lists.
    let mut stage = stage_with_files();
    stage.happen(Event::Pasted("read https://one.example/feed now".to_owned()));
    assert!(stage.app.dialogs.is_empty());
    stage.happen(Event::Pasted("https://one.example/feed".to_owned()));
    assert!(stage.screen(120, 40).contains("Add a source"));
}

#[test]
fn edits_the_selectors_of_the_highlighted_way() {
    let url = "http://council.example/news";
    for (keys, selector) in [("s", "ul.news a"), ("<Down>s", "aside a"), ("<Down>e", "aside a")] {
        let mut stage = Stage::new();
        stage.keys("a");
        stage.happen(Event::Pasted(url.to_owned()));
        stage.keys("<Enter>");
        let way = |selector| Way::sample(url, "Council", Some((selector, 0.8)), &[("A", now())]);
        let found = Discovery::sample(url, vec![way("ul.news a"), way("aside a")], &[]);
        stage.happen(Event::Discovered(last_request(&stage), Ok(found)));
        stage.keys(keys);
        let form = stage.app.dialog::<Editor>().and_then(|editor| editor.form.as_ref()).unwrap();
        assert!(form.fields().iter().any(|f| f.value() == selector), "{keys}");
    }
}

#[test]
fn removing_a_folder_asks_first() {
    let mut stage = stage_with_files();
    stage.keys("fCity<Enter>d");
    assert!(stage.screen(120, 40).contains("Remove the 2 sources of City?"));
    stage.keys("<Esc>");
    assert_eq!(file(&stage), SOURCES);
    stage.keys("d<Enter>");
    assert_eq!(file(&stage).matches("[[source]]").count(), 3);
    let screen = stage.screen(120, 40);
    assert!(screen.contains("Removed 2 sources") && screen.contains("until you quit"), "{screen}");
    stage.keys("u");
    assert_eq!(file(&stage), SOURCES);
}

#[test]
fn prompts_name_sources_by_their_titles() {
    let mut stage = Stage::new();
    stage.keys("<Tab>fkernel<Enter>M");
    let screen = stage.screen(120, 40);
    assert!(screen.contains("Folder for Kernel notes and other things: "), "{screen}");
    stage.keys("<Esc>#");
    assert!(stage.screen(120, 40).contains("Tags of Kernel notes and other things"));
}

#[test]
fn copies_the_urls_of_all_selected_items() {
    let mut stage = Stage::new();
    stage.keys("<Space><Space>y");
    let copied = r#"Copy { text: "https://kernel.example/0\nhttps://kernel.example/1" }"#;
    assert!(stage.requested.iter().any(|r| r == copied), "{:?}", stage.requested);
    assert!(stage.screen(120, 40).contains("Copied 2 URLs"));
}

#[test]
fn comments_open_from_the_list() {
    let mut stage = Stage::new();
    stage.keys("c");
    assert!(stage.requested.contains(&"BrowseComments { item: 1 }".to_owned()));
    let page = "https://kernel.example/c";
    stage.happen(Event::CommentsFound(Ok(Some(page.to_owned()))));
    assert!(stage.requested.iter().any(|r| r.contains("Browse {") && r.contains(page)));
    stage.happen(Event::CommentsFound(Ok(None)));
    assert!(stage.screen(120, 40).contains("This item has no page with comments"));
}

#[test]
fn reports_unbound_keys_once() {
    let mut stage = Stage::new();
    stage.keys("ä");
    assert!(stage.has_message("ä does nothing here. ? shows the keys."));
    stage.app.toast = None;
    stage.keys("ä");
    assert!(stage.app.toast.is_none());
}

#[test]
fn completes_paths_of_lists_to_import() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    for name in ["feeds-a.opml", "feeds-b.opml", ".feeds"] {
        std::fs::write(at(name), "").unwrap();
    }
    std::fs::create_dir(at("lists")).unwrap();
    let typed =
        |stage: &Stage| stage.app.dialog::<Prompt>().map(|p| p.field.value().to_owned()).unwrap();
    for (start, shown, picked) in
        [("f", "feeds-", "feeds-a.opml"), ("li", "lists/", "lists/"), (".", ".feeds", ".feeds")]
    {
        let mut stage = stage_with_files();
        stage.keys("i");
        stage.happen(Event::Pasted(at(start)));
        stage.keys("<Tab>");
        assert_eq!(typed(&stage), at(shown));
        if shown != picked {
            stage.keys("<Tab>");
        }
        assert_eq!(typed(&stage), at(picked));
    }
    let mut stage = stage_with_files();
    stage.keys("ino such<Tab>");
    assert!(stage.screen(120, 40).contains("No such file"));
}

#[test]
fn a_prompt_replaces_the_message_in_its_line() {
    let mut stage = Stage::new();
    stage.keys("<Space><Space>m");
    stage.app.note("A message that is longer than the prompt that comes after it");
    stage.keys("ia");
    let screen = stage.screen(80, 24);
    let line = screen.lines().last().unwrap();
    let prompt = "› File to import, or list URL: a                  Enter preview   Esc cancel";
    assert_eq!(line.trim(), prompt);
}

#[test]
fn wide_characters_do_not_cover_dialog_borders() {
    let rows = vec![ItemRow { title: "日本語".repeat(30), ..item_rows()[0].clone() }];
    let mut stage = Stage::with(Settings::default(), source_list(), rows);
    for width in [79, 80] {
        stage.keys("d");
        stage.keys(":");
        let screen = stage.screen(width, 24);
        stage.keys("<Esc>");
        let side = |l: &&str| l.contains('│');
        assert!(screen.lines().filter(side).count() > 10, "{screen}");
    }
}

#[test]
fn palette_shows_that_nothing_matches() {
    let mut stage = Stage::new();
    stage.keys(":qqqq");
    assert!(stage.screen(80, 24).contains("No match"));
}

#[test]
fn the_popup_of_keys_appears_only_after_a_pause() {
    let mut stage = Stage::new();
    let at = |milliseconds| now() + TimeDelta::milliseconds(milliseconds);
    stage.keys("g");
    assert!(stage.screen(120, 40).contains("g … waiting for the next key"));
    assert_eq!(stage.app.deadline(), Some(at(400)));
    stage.app.update(Event::TimePassed, at(399));
    assert!(!stage.screen(120, 40).contains("go to …"), "too early");
    stage.app.update(Event::TimePassed, at(400));
    let screen = stage.screen(120, 40);
    for words in ["g  go to …", "g  top", "u  All unread", "s  sources"] {
        assert!(screen.contains(words), "{words} in\n{screen}");
    }
    assert!(stage.app.deadline() > Some(at(1000)), "nothing is drawn while it waits");
    stage.keys("t");
    assert!(!stage.screen(120, 40).contains("go to …"));
    assert_eq!(stage.app.items.listing.title, "Today");
    // A completed or cancelled sequence shows no popup, and Esc only cancels.
    stage.keys("gg");
    assert!(stage.app.deadline() > Some(at(1000)));
    stage.keys("g<Esc>");
    stage.app.update(Event::TimePassed, at(500));
    assert!(!stage.screen(120, 40).contains("go to …"));
    assert_eq!(stage.exit_reason, None);
}

#[test]
fn hints_follow_the_state() {
    let mut stage = Stage::new();
    let last = |stage: &mut Stage| stage.screen(120, 40).lines().last().unwrap().to_owned();
    assert!(last(&mut stage).contains("p pin   m mark read"));
    // The pinned item moves to the top, and the next item is selected.
    stage.keys("pk");
    stage.app.toast = None;
    assert!(last(&mut stage).contains("p unpin"));
    stage.keys("<Space><Space><Space>");
    assert!(last(&mut stage).contains("3 selected:   m mark read   p pin"));
    stage.keys("<Esc><Tab>fkernel<Enter><Space>");
    assert!(last(&mut stage).contains("1 selected:   M move   # tags   S on or off   d remove"));
}

#[test]
fn help_opened_in_a_dialog_returns_to_it() {
    for (keys, help, back) in [
        ("w", "?", "Schedule"),
        ("a", "<F1>", "Add a source"),
        (":", "<F1>", "Commands"),
        ("K", "<F1>", "Key bindings"),
    ] {
        let mut stage = Stage::new();
        stage.keys(keys);
        stage.keys(help);
        let screen = stage.screen(120, 40);
        assert!(screen.contains("This dialog") && screen.contains("Esc"), "{keys}\n{screen}");
        stage.keys("<Esc>");
        assert!(stage.screen(120, 40).contains(back), "{keys}");
    }
}

#[test]
fn left_and_right_fold_and_unfold_folders() {
    let mut stage = Stage::new();
    let shown = |stage: &mut Stage, title: &str| {
        stage.app.sources.rows.iter().any(|row| row.title.contains(title))
    };
    stage.keys("<Tab>fTech<Enter>");
    assert!(shown(&mut stage, "Kernel"));
    stage.keys("h");
    assert!(!shown(&mut stage, "Kernel"));
    stage.keys("l");
    assert!(shown(&mut stage, "Kernel"));
    // On a source, `h` folds its folder; on a folded folder, it selects the parent folder.
    stage.keys("fallocator<Enter>h");
    assert_eq!(stage.app.sources.current().unwrap().title, "Rust");
    stage.keys("h");
    assert_eq!(stage.app.sources.current().unwrap().title, "Tech");
    stage.keys("fnews<Enter>l");
    assert_eq!(stage.app.focus, crate::tui::app::Focus::Items);
}

#[test]
fn asks_for_the_folder_while_adding() {
    let url = "http://council.example/news";
    let mut stage = Stage::new();
    stage.keys("a");
    stage.happen(Event::Pasted(url.to_owned()));
    stage.keys("<Enter>");
    let way = Way::sample(url, "Council", Some(("ul a", 0.8)), &[("A", now())]);
    let found = Discovery::sample(url, vec![way], &[]);
    stage.happen(Event::Discovered(last_request(&stage), Ok(found)));
    let screen = stage.screen(120, 40);
    assert!(screen.contains("best match") && !screen.contains("ul a"), "{screen}");
    stage.keys("<Tab><Down><Down>/x<Enter>");
    let follows = stage.requested.last().unwrap();
    assert!(follows.contains("folder: Some(\"Tech/x\")"), "{follows}");
}

#[test]
fn refresh_progress_lists_errors_first_and_can_be_stopped() {
    use crate::engine::{Refreshed, Report, Status};
    let mut stage = Stage::new();
    stage.keys("V");
    let screen = stage.screen(120, 40);
    assert!(screen.contains("Last checks") && screen.contains("not checked yet"), "{screen}");
    stage.keys("<Esc>");
    stage.keys("R");
    let refresh = stage.refreshes()[0];
    let claimed = [4, 5].into_iter().collect();
    stage.happen(Event::StatusChanged(Status { claimed, total: 4, done: 2, ..Status::default() }));
    let message = "allocator.example does not respond".to_owned();
    let kind = ErrorKind::Permanent;
    for (id, result) in [
        ("kernel", Refreshed::Polled(Outcome::Unchanged)),
        ("allocator", Refreshed::Polled(Outcome::Failed { kind, message })),
    ] {
        let source = SourceId(id.to_owned());
        let report = Report { source, result, left_out: vec![], problem: None };
        stage.happen(Event::Refreshed(refresh, report));
    }
    stage.keys("V");
    let screen = stage.screen(120, 40);
    assert!(screen.contains("1 failed, 1 unchanged, 2 waiting"), "{screen}");
    let line = |words: &str| screen.lines().position(|l| l.contains(words)).unwrap();
    assert!(line("✗ allocator") < line("· Kernel notes") && line("· Kernel") < line("↻ theatre"));
    assert!(screen.contains("2 of 4"), "{screen}");
    stage.keys("X");
    assert_eq!(stage.requested.last().unwrap(), "CancelRefresh");
    stage.happen(Event::RefreshEnded(refresh));
    assert!(stage.screen(120, 40).contains("finished"));
}

#[test]
fn a_refresh_reports_changed_items() {
    use crate::engine::{Refreshed, Report};
    for (new, updated, expected) in [
        (0, 1, "1 updated item"),
        (2, 1, "2 new items, 1 updated"),
        (2, 0, "2 new items"),
        (0, 0, "Nothing new"),
    ] {
        let mut stage = Stage::new();
        stage.screen(120, 40);
        stage.keys("R");
        let refresh = stage.refreshes()[0];
        let source = SourceId("kernel".to_owned());
        let result = Refreshed::Polled(Outcome::Fetched { new, updated, entries: 9 });
        let report = Report { source, result, left_out: vec![], problem: None };
        stage.happen(Event::Refreshed(refresh, report));
        stage.happen(Event::RefreshEnded(refresh));
        assert!(stage.has_message(expected), "{}", stage.screen(120, 40));
    }
}

#[test]
fn a_note_does_not_hide_an_unread_error() {
    let mut stage = Stage::new();
    stage.screen(120, 40);
    stage.app.problem("The database is full");
    stage.app.note("Copied");
    let screen = stage.screen(120, 40);
    let row = |words: &str| screen.lines().position(|line| line.contains(words));
    let (above, below) = (row("The database is full"), row("Copied"));
    assert!(above.is_some() && above < below, "{screen}");
    stage.app.note("Copied again");
    let screen = stage.screen(120, 40);
    assert!(screen.contains("The database is full") && screen.contains("Copied again"), "{screen}");
}

#[test]
fn removing_several_sources_lists_their_names() {
    let mut stage = Stage::new();
    stage.keys("gs");
    stage.keys("jjjjjjd");
    let screen = stage.screen(120, 40);
    let named = ["Kernel notes and other things", "allocator.example/feed"];
    assert!(named.iter().all(|name| screen.contains(&format!("  {name}"))), "{screen}");
}

#[test]
fn dialogs_show_the_bound_keys() {
    let rebound = |keys: &str, screen: &str, shown: &str, hidden: &str| {
        let mut settings = Settings::default();
        for (context, key, action) in [
            ("everywhere", "j", "none"),
            ("everywhere", "Down", "none"),
            ("everywhere", "0", "down"),
            ("everywhere", "k", "none"),
            ("everywhere", "Up", "none"),
            ("everywhere", "C-y", "up"),
            ("everywhere", "Esc", "none"),
            ("everywhere", "u", "none"),
            ("everywhere", "Z", "undo"),
            ("sources", "r", "none"),
            ("sources", "F5", "refresh"),
            ("sources", "e", "none"),
        ] {
            let of = settings.keys.bindings.entry(context.to_owned()).or_default();
            of.insert(key.to_owned(), action.to_owned());
        }
        let mut stage = Stage::with(settings, source_list(), item_rows());
        stage.keys(keys);
        let drawn = stage.screen(120, 40);
        assert!(drawn.contains(screen) && drawn.contains(shown), "{shown} in {drawn}");
        assert!(!drawn.contains(hidden), "{hidden} in {drawn}");
    };
    rebound("gs0000000w", "Schedule", "F5 check now   C-y 0 scroll   q close", "edit schedule");
    rebound("U", "Initial state", "C-y 0 select   Z undo   C-r redo   q close", "↑↓");
}

#[test]
fn undo_waits_for_marks_that_are_being_stored() {
    let mut stage = Stage::with(Settings::default(), source_list(), item_rows());
    stage.keys("ga");
    let press = |stage: &mut Stage, key: char| {
        let key = KeyEvent::new(KeyCode::Char(key), KeyModifiers::NONE);
        stage.app.update(Event::KeyPressed(key), now())
    };
    let marks = |effects: &[Effect]| {
        let causes = effects.iter().filter_map(|effect| match effect {
            Effect::Mark { to, cause, .. } => Some((*to, *cause)),
            _ => None,
        });
        causes.collect::<Vec<_>>()
    };
    let row = stage.app.items.current().unwrap().clone();
    assert_eq!(marks(&press(&mut stage, 'p')), [(!row.pinned, Cause::User)]);
    assert!(marks(&press(&mut stage, 'u')).is_empty(), "the pin is not stored yet");
    let stored =
        MarksSet { mark: Mark::Pinned, keys: vec![row.key], to: !row.pinned, cause: Cause::User };
    let effects = stage.app.update(Event::Marked(Ok(stored)), now());
    assert_eq!(marks(&effects), [(row.pinned, Cause::Undo)]);
    let undone =
        MarksSet { mark: Mark::Pinned, keys: vec![row.key], to: row.pinned, cause: Cause::Undo };
    stage.happen(Event::Marked(Ok(undone)));
    assert!(stage.app.history.rests_at(0));
}

#[test]
fn help_search_accepts_any_first_letter() {
    let mut stage = Stage::new();
    stage.keys("?queue");
    let screen = stage.screen(120, 36);
    assert!(screen.contains("queue") && stage.requested.is_empty(), "{screen}");
    stage.keys("<Esc>");
    assert!(stage.requested.is_empty(), "{:?}", stage.requested);
}

#[test]
fn announced_feeds_are_distinguished_by_title_and_url() {
    let url = "http://council.example/";
    let (posts, notes) = ("http://council.example/feeds/posts.xml", "https://other.example/n.xml");
    let mut stage = Stage::new();
    stage.keys("a");
    stage.happen(Event::Pasted(url.to_owned()));
    stage.keys("<Enter>");
    let ways = vec![Way::announced(posts, "Posts"), Way::announced(notes, "Notes")];
    stage.happen(Event::Discovered(last_request(&stage), Ok(Discovery::sample(url, ways, &[]))));
    let screen = stage.screen(120, 36);
    for expected in ["“Posts”, announced", "  /feeds/posts.xml", "“Notes”, announced", notes, posts]
    {
        assert!(screen.contains(expected), "{expected} in\n{screen}");
    }
    // A narrow screen shows only the URL of the selected way.
    stage.keys("j");
    let screen = stage.screen(50, 24);
    assert!(screen.contains(notes) && !screen.contains(posts), "{screen}");
}

#[test]
fn does_not_run_the_filter_of_a_followed_feed() {
    let mut stage = Stage::new();
    stage.keys("a");
    stage.happen(Event::Pasted("filter:grep x:https://kernel.example/feed".to_owned()));
    stage.keys("<Enter>");
    let screen = stage.screen(120, 36);
    for expected in
        ["followed as Kernel notes and other things", "e on the source, then go to the page"]
    {
        assert!(screen.contains(expected), "{expected} in\n{screen}");
    }
    stage.keys("<Enter>");
    assert_eq!(stage.asked_for("DiscoverOrigin"), 0);
    // For a feed that is not followed yet, the program is shown before it runs.
    let mut stage = Stage::new();
    stage.keys("a");
    stage.happen(Event::Pasted("filter:grep x:https://kernel.example/other".to_owned()));
    stage.keys("<Enter>");
    assert!(stage.screen(120, 36).contains("Runs this program now"));
}

#[test]
fn short_source_names_leave_space_for_titles() {
    let mut list = source_list();
    list.sources.truncate(2);
    list.sources[0].facts.feed_title = Some("N1".to_owned());
    list.sources[1].facts.feed_title = Some("N2".to_owned());
    let mut rows = item_rows();
    rows.truncate(3);
    for (i, row) in rows.iter_mut().enumerate() {
        (row.source_key, row.read) = (i as i64 % 2 + 1, false);
    }
    let mut stage = Stage::with(Settings::default(), list, rows);
    let screen = stage.screen(80, 24);
    assert!(screen.contains("Why we moved off a message queue and"), "{screen}");
    assert!(screen.contains("  ▪ N2    8m"), "{screen}");
}

#[test]
fn the_status_names_the_file_with_the_error() {
    for (error, expected) in [
        ("/home/u/config.toml:5: unknown setting", "error in config.toml"),
        ("/home/u/sources.toml:3: config.toml: no", "error in sources.toml"),
    ] {
        let mut stage = Stage::new();
        let declaration_error = Some(error.to_owned());
        stage.happen(Event::StatusChanged(crate::engine::Status {
            declaration_error,
            ..Default::default()
        }));
        let screen = stage.screen(120, 36);
        assert!(screen.contains(expected), "{screen}");
    }
}
