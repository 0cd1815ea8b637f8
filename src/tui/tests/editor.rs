//! Tests of the form for a source.

use super::*;
use crate::config::{FileChange, Paths, SourcesFile};
use crate::engine::NextCheck;
use crate::model::CollectedChange;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

const FILE: &str = "# Mine\n[[source]] # one\nid = \"kernel\"\nurl = \"https://kernel.example/feed\" # daily\n\
    folder = \"Tech\"\ntags = [\"linux\", \"c\"]\nschedule = { priority = \"high\" }\nuser = \"me\"\n\
    password = \"hidden word\"\nheaders = { \"X-Key\" = { env = \"KEY\" } }\n\n\
    [[source]]\nid = \"allocator\"\nurl = \"https://allocator.example/\"\nkind = \"website\"\n\
    website = { articles = \"main h3 > a\", title = \"h1\", content = \".text\", date = \"time\" }\n";

/// A sources file, and the interface with the form of a source in it.
struct EditorTest {
    stage: Stage,
    paths: Paths,
    _folder: tempfile::TempDir,
}

/// Collapses runs of spaces, so that column widths do not matter.
fn squashed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl EditorTest {
    /// Opens the form of a source. `row` is its index in the Sources pane, where the first four rows are
    /// views.
    fn open(row: usize, id: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::below(folder.path());
        std::fs::create_dir_all(paths.config_dir()).unwrap();
        std::fs::write(paths.sources_file(), FILE).unwrap();
        let mut stage = Stage::new();
        stage.keys("<Tab>gg");
        stage.keys(&"j".repeat(row));
        stage.keys("e");
        let requested = stage.requested.pop().unwrap();
        assert!(requested.contains("LoadEntry") && requested.contains(id), "{requested}");
        let entry = SourcesFile::open(&paths).entry(&SourceId(id.to_owned())).unwrap();
        let key = stage.app.sources.list.sources.iter().find(|s| s.source.id.as_str() == id);
        let key = key.unwrap().facts.key;
        stage.happen(Event::EntryLoaded(key, Ok(entry)));
        Self { stage, paths, _folder: folder }
    }

    fn kernel() -> Self {
        Self::open(8, "kernel")
    }

    fn website() -> Self {
        Self::open(10, "allocator")
    }

    fn screen(&mut self) -> String {
        self.stage.screen(100, 30)
    }

    #[track_caller]
    fn shows(&mut self, words: &str) {
        let screen = self.screen();
        assert!(squashed(&screen).contains(&squashed(words)), "no {words:?} on\n{screen}");
    }

    fn save(&mut self) {
        self.press('s', KeyModifiers::CONTROL);
    }

    /// Presses a key, and applies the resulting changes to the file, as the driver does.
    fn press(&mut self, key: char, modifiers: KeyModifiers) {
        let event = Event::KeyPressed(KeyEvent::new(KeyCode::Char(key), modifiers));
        for effect in self.stage.app.update(event, now()) {
            let Effect::Edit { purpose, change } = effect else { continue };
            let saved = apply(change, &self.paths);
            self.stage.happen(Event::Edited(purpose, saved));
        }
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.paths.sources_file()).unwrap()
    }
}

#[test]
fn draws_the_form_at_every_size() {
    for (width, height) in SIZES {
        let mut test = EditorTest::website();
        insta::assert_snapshot!(format!("form-{width}x{height}"), test.stage.screen(width, height));
        test.stage.keys("<C-n><C-n>");
        test.stage.happen(Event::Pasted(" >".to_owned()));
        insta::assert_snapshot!(
            format!("selectors-{width}x{height}"),
            test.stage.screen(width, height)
        );
    }
}

#[test]
fn edits_saves_and_undoes_a_title() {
    let mut test = EditorTest::kernel();
    test.shows("Edit source");
    test.shows("Kernel notes");
    test.shows("Title ▌ Kernel notes and other things from feed");
    test.stage.keys("Notes, e and q");
    test.shows("Title ▌ Notes, e and q unsaved");
    test.save();
    assert_eq!(test.text(), FILE.replace("KEY\" } }\n", "KEY\" } }\ntitle = \"Notes, e and q\"\n"));
    test.shows("Saved: title of Kernel notes and other");
    test.shows("u undo");
    assert!(test.stage.app.dialogs.is_empty());
    assert!(!test.stage.requested.iter().any(|a| a.contains("Refresh")), "a title needs no poll");
    let saved = test.text();
    test.press('u', KeyModifiers::NONE);
    assert_eq!(test.text(), FILE);
    test.press('r', KeyModifiers::CONTROL);
    assert_eq!(test.text(), saved);
}

#[test]
fn shows_an_invalid_value_at_its_field() {
    let mut test = EditorTest::kernel();
    test.stage.keys("<Down><C-u>no url");
    test.shows("Use a URL such as https://example.org/feed.");
    test.shows("General!");
    test.stage.keys("<C-n>");
    test.save();
    test.shows("Not saved: URL is not valid");
    test.shows("URL ▌ no url");
    assert_eq!(test.text(), FILE);
    // A website needs selectors, which are on another page.
    test.stage.keys("<C-u>https://kernel.example/feed<Down><Right>");
    test.shows("Kind ▌ ‹ website ›");
    test.shows("Selectors!");
    test.stage.keys("<Backspace>");
    assert!(!test.screen().contains("Selectors"));
}

#[test]
fn selects_values_and_switches_pages() {
    let mut test = EditorTest::kernel();
    test.stage.keys("<Down><Down><Right>");
    test.shows("Kind ▌ ‹ website ›");
    test.stage.keys("<Left><Left>");
    test.shows("Kind ▌ ‹ list ›");
    test.stage.keys("<Left>");
    test.shows("Kind ▌ ‹ crawl ›");
    test.stage.keys("<C-n><C-n><C-n>");
    test.shows("Targets ▌ articles");
    test.stage.keys("<C-n><C-n>");
    test.stage.keys("<Tab><Tab>");
    test.stage.keys("<Right><Right><C-n>");
    test.shows("Priority high");
    test.stage.keys("<C-n>");
    test.shows("Password ********");
    test.shows("X-Key env:KEY");
    assert!(!test.screen().contains("hidden word"));
    test.stage.keys("<C-n>");
    test.shows("Program ▌ none");
    test.stage.keys("<S-Tab>");
    test.shows("New header ▌");
    test.stage.keys("X-A: b");
    test.save();
    assert!(
        test.text().contains("{ \"X-Key\" = { env = \"KEY\" }, X-A = \"b\" }"),
        "{}",
        test.text()
    );
    assert!(test.stage.requested.iter().any(|a| a.contains("Refresh { keys: Some([1])")));
}

#[test]
fn esc_asks_before_discarding_changes() {
    let mut test = EditorTest::kernel();
    test.stage.keys("<Esc>");
    assert!(test.stage.app.dialogs.is_empty(), "nothing was changed");
    let mut test = EditorTest::kernel();
    test.stage.keys("New<Esc>");
    test.shows("Press Esc again to discard the changes");
    test.stage.keys("er<Esc>");
    assert!(!test.stage.app.dialogs.is_empty(), "any other key cancels");
    test.stage.keys("<Esc>");
    assert!(test.stage.app.dialogs.is_empty());
    assert_eq!(test.text(), FILE);
}

#[test]
fn the_form_stays_open_until_its_own_save_succeeds() {
    let mut test = EditorTest::kernel();
    let start = |test: &mut EditorTest| {
        let key = KeyEvent::new(KeyCode::Char('s'), KeyModifiers::CONTROL);
        let effects = test.stage.app.update(Event::KeyPressed(key), now());
        let save = effects.into_iter().find_map(|effect| match effect {
            Effect::Edit { purpose, .. } => Some(purpose),
            _ => None,
        });
        save.unwrap()
    };
    test.stage.keys("Mine");
    let first = start(&mut test);
    test.stage.keys("<Esc><Esc>");
    test.shows("Saving");
    test.stage.happen(Event::Edited(first.clone(), Err(NotSaved::Failed("disk full".to_owned()))));
    test.shows("disk full");
    test.shows("Title ▌ Mine");
    // A late reply to the first save does not close the form.
    let second = start(&mut test);
    test.stage.happen(Event::Edited(first, Ok(Edited::default())));
    assert!(!test.stage.app.dialogs.is_empty());
    test.stage.happen(Event::Edited(second, Ok(Edited::default())));
    assert!(test.stage.app.dialogs.is_empty());
}

#[test]
fn does_not_poll_a_disabled_source_after_saving() {
    for (keys, polls) in [("<Down>x", true), ("<Down>x<Down><Down><Down><Down><Left>", false)] {
        let mut test = EditorTest::kernel();
        test.stage.keys(keys);
        test.save();
        assert!(test.text().contains("https://kernel.example/feedx"), "{}", test.text());
        assert_eq!(test.text().contains("enabled = false"), !polls);
        let requested = &test.stage.requested;
        assert_eq!(requested.iter().any(|a| a.contains("Refresh {")), polls, "{requested:?}");
    }
}

#[test]
fn asks_before_overwriting_changes_in_the_file() {
    let mut test = EditorTest::kernel();
    test.stage.keys("<Tab><Tab><Tab><C-u>Mine");
    std::fs::write(test.paths.sources_file(), FILE.replace("\"Tech\"", "\"Theirs\" # new"))
        .unwrap();
    test.save();
    test.shows("folder changed in the file");
    test.shows("Folder ▌ Mine");
    assert!(test.text().contains("Theirs"));
    test.save();
    assert_eq!(test.text(), FILE.replace("\"Tech\"", "\"Mine\" # new"));
}

#[test]
fn a_click_focuses_a_field_and_moves_the_cursor() {
    let mut test = EditorTest::kernel();
    for (words, focused) in [("URL", "URL ▌"), ("Schedule", "Policy ▌")] {
        let screen = test.screen();
        let (row, line) = screen.lines().enumerate().find(|(_, l)| l.contains(words)).unwrap();
        let column = line[..line.find(words).unwrap()].chars().count();
        test.stage.happen(Event::MouseUsed(MouseEvent {
            kind: MouseEventKind::Down(MouseButton::Left),
            column: column as u16,
            row: row as u16,
            modifiers: KeyModifiers::NONE,
        }));
        test.shows(focused);
    }
    test.stage.keys("<C-p>");
    test.stage.happen(Event::Pasted("a\nb".to_owned()));
    let mut terminal = Terminal::new(TestBackend::new(100, 30)).unwrap();
    terminal.draw(|frame| view::draw(&mut test.stage.app, frame)).unwrap();
    let at = terminal.get_cursor_position().unwrap();
    let line = test.screen().lines().nth(at.y.into()).unwrap().to_owned();
    let before: String = line.chars().take(at.x.into()).collect();
    assert!(squashed(&before).ends_with("Title ▌ a b"), "{line:?} {at}");
}

/// Sources of accounts are not in a file, so undo sends the reverse change to the engine.
#[test]
fn changes_to_account_sources_are_undone_and_redone() {
    let id = SourceId("home-kernel".to_owned());
    let edited = |change: CollectedChange| {
        Ok(Edited { collected: vec![(id.clone(), change)], ..Edited::default() })
    };
    let mut stage = Stage::new();
    let label = Some("removal of Kernel".to_owned());
    stage.happen(Event::Edited(Purpose::Command(label), edited(CollectedChange::Restore)));
    let screen = stage.screen(140, 30);
    assert!(screen.contains("Removed Kernel; sent"), "{screen}");
    let keys = [
        ('u', KeyModifiers::NONE, CollectedChange::Restore, CollectedChange::Remove),
        ('r', KeyModifiers::CONTROL, CollectedChange::Remove, CollectedChange::Restore),
    ];
    for (key, modifiers, sent, back) in keys {
        let event = Event::KeyPressed(KeyEvent::new(KeyCode::Char(key), modifiers));
        let effects = stage.app.update(event, now());
        let [Effect::Edit { purpose, change: FileChange::Collected(changes) }] = &effects[..]
        else {
            panic!("{key}: {effects:?}");
        };
        assert_eq!(changes, &[(id.clone(), sent)]);
        stage.happen(Event::Edited(purpose.clone(), edited(back)));
    }
}

#[test]
fn the_schedule_uses_the_values_of_the_form() {
    let mut test = EditorTest::kernel();
    let requested = test.stage.requested.pop().unwrap();
    assert!(requested.contains("NextCheck"), "{requested}");
    let key = test.stage.app.selected_source().unwrap();
    let next = |minutes: Option<i64>| {
        let next = minutes.map(|minutes| now() + TimeDelta::minutes(minutes));
        Event::NextCheckLoaded(key, Some(NextCheck { next, overdue: false }))
    };
    test.stage.happen(next(Some(42)));
    assert!(!test.screen().contains("Next check with"), "only on the page of the schedule");
    test.stage.keys("<C-n>");
    for (minutes, words) in [(Some(42), "in 42 min"), (Some(-5), "now"), (None, "never")] {
        test.stage.happen(next(minutes));
        test.shows(&format!("Next check with these values {words}"));
    }
    test.stage.requested.clear();
    test.stage.keys("j2h");
    let requested = test.stage.requested.join(" ");
    assert!(requested.contains("interval: Some(7200s)"), "{requested}");
    // No next check is requested for an invalid value.
    test.stage.requested.clear();
    test.stage.keys("x");
    assert!(test.stage.requested.is_empty(), "{:?}", test.stage.requested);
}
