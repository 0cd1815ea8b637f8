//! The form for a source.

use super::*;
use crate::config::{Paths, SourcesFile};
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

const FILE: &str = "# Mine\n[[source]] # one\nid = \"kernel\"\nurl = \"https://kernel.example/feed\" # daily\n\
    folder = \"Tech\"\ntags = [\"linux\", \"c\"]\nschedule = { priority = \"high\" }\nuser = \"me\"\n\
    password = \"hidden word\"\nheaders = { \"X-Key\" = { env = \"KEY\" } }\n\n\
    [[source]]\nid = \"allocator\"\nurl = \"https://allocator.example/\"\nkind = \"website\"\n\
    website = { articles = \"main h3 > a\", title = \"h1\", content = \".text\", date = \"time\" }\n";

/// A file, and the interface with the form of one of its sources.
struct Desk {
    stage: Stage,
    paths: Paths,
    _folder: tempfile::TempDir,
}

impl Desk {
    /// `row` is that of the source in the pane, from 0, of which the first four are views.
    fn open(row: usize, id: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::below(folder.path());
        std::fs::create_dir_all(paths.config_dir()).unwrap();
        std::fs::write(paths.sources_file(), FILE).unwrap();
        let mut stage = Stage::new();
        stage.keys("<Tab>gg");
        stage.keys(&"j".repeat(row));
        stage.keys("e");
        let asked = stage.asked.pop().unwrap();
        assert!(asked.contains("LoadEntry") && asked.contains(id), "{asked}");
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

    fn sees(&mut self, words: &str) {
        let screen = self.screen();
        assert!(screen.contains(words), "no {words:?} on\n{screen}");
    }

    fn save(&mut self) {
        self.press('s', KeyModifiers::CONTROL);
    }

    /// Presses a key, and changes the file as the driver does.
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
fn the_form_at_every_size() {
    for (width, height) in SIZES {
        let mut desk = Desk::website();
        insta::assert_snapshot!(format!("form-{width}x{height}"), desk.stage.screen(width, height));
        desk.stage.keys("<C-n><C-n><Tab>");
        desk.stage.happen(Event::Pasted(" >".to_owned()));
        insta::assert_snapshot!(
            format!("selectors-{width}x{height}"),
            desk.stage.screen(width, height)
        );
    }
}

#[test]
fn a_title_is_typed_saved_and_undone() {
    let mut desk = Desk::kernel();
    desk.sees("Edit Kernel notes");
    desk.sees("(its own)");
    desk.stage.keys("Notes, e and q");
    desk.sees("Title       Notes, e and q");
    desk.save();
    assert_eq!(desk.text(), FILE.replace("KEY\" } }\n", "KEY\" } }\ntitle = \"Notes, e and q\"\n"));
    desk.sees("saved: title of kernel (u takes it back)");
    assert!(desk.stage.app.dialogs.is_empty());
    assert!(!desk.stage.asked.iter().any(|a| a.contains("Refresh")), "a title needs no poll");
    let saved = desk.text();
    desk.press('u', KeyModifiers::NONE);
    assert_eq!(desk.text(), FILE);
    desk.press('r', KeyModifiers::CONTROL);
    assert_eq!(desk.text(), saved);
}

#[test]
fn a_wrong_value_stands_beside_its_field_and_is_not_saved() {
    let mut desk = Desk::kernel();
    desk.stage.keys("<Down><Down>fed");
    desk.sees("found \"fed\"; did you mean");
    desk.sees("General!");
    desk.stage.keys("<C-n>");
    desk.save();
    desk.sees("not saved: Kind is not right yet");
    desk.sees("▸ Kind        fed");
    assert_eq!(desk.text(), FILE);
    desk.stage.keys("<C-u>website");
    desk.sees("Selectors!");
    desk.stage.keys("<C-u>");
    assert!(!desk.screen().contains("Selectors"));
}

#[test]
fn words_are_chosen_and_pages_turned() {
    let mut desk = Desk::kernel();
    desk.stage.keys("<Down><Down><Right>");
    desk.sees("Kind        feed");
    desk.stage.keys("<Left><Left>");
    desk.sees("Kind        crawl");
    desk.stage.keys("<C-n><C-n><C-n>");
    desk.sees("▸ Targets     (articles)");
    desk.stage.keys("<C-n><C-n>");
    desk.stage.keys("<Tab><Tab>");
    desk.stage.keys("<Right><C-n>");
    desk.sees("Priority    high");
    desk.stage.keys("<C-n>");
    desk.sees("Password    ********");
    desk.sees("X-Key       env:KEY");
    assert!(!desk.screen().contains("hidden word"));
    desk.stage.keys("<C-n><S-Tab>");
    desk.sees("▸ New header");
    desk.stage.keys("X-A: b");
    desk.save();
    assert!(
        desk.text().contains("{ \"X-Key\" = { env = \"KEY\" }, X-A = \"b\" }"),
        "{}",
        desk.text()
    );
    assert!(desk.stage.asked.iter().any(|a| a.contains("Refresh { keys: Some([1])")));
}

#[test]
fn esc_asks_before_it_drops_changes() {
    let mut desk = Desk::kernel();
    desk.stage.keys("<Esc>");
    assert!(desk.stage.app.dialogs.is_empty(), "nothing was changed");
    let mut desk = Desk::kernel();
    desk.stage.keys("New<Esc>");
    desk.sees("Esc again to drop the changes");
    desk.stage.keys("er<Esc>");
    assert!(!desk.stage.app.dialogs.is_empty(), "any other key takes it back");
    desk.stage.keys("<Esc>");
    assert!(desk.stage.app.dialogs.is_empty());
    assert_eq!(desk.text(), FILE);
}

#[test]
fn a_form_stays_until_its_own_save_is_answered() {
    let mut desk = Desk::kernel();
    let start = |desk: &mut Desk| {
        let key = KeyEvent::new(KeyCode::Char('s'), KeyModifiers::CONTROL);
        let effects = desk.stage.app.update(Event::KeyPressed(key), now());
        let save = effects.into_iter().find_map(|effect| match effect {
            Effect::Edit { purpose, .. } => Some(purpose),
            _ => None,
        });
        save.unwrap()
    };
    desk.stage.keys("Mine");
    let first = start(&mut desk);
    desk.stage.keys("<Esc><Esc>");
    desk.sees("saving");
    desk.stage.happen(Event::Edited(first.clone(), Err(NotSaved::Failed("disk full".to_owned()))));
    desk.sees("disk full");
    desk.sees("Title       Mine");
    // What comes late is not the answer to the save that waits.
    let second = start(&mut desk);
    desk.stage.happen(Event::Edited(first, Ok(Edited::default())));
    assert!(!desk.stage.app.dialogs.is_empty());
    desk.stage.happen(Event::Edited(second, Ok(Edited::default())));
    assert!(desk.stage.app.dialogs.is_empty());
}

#[test]
fn a_source_that_is_switched_off_is_not_asked() {
    for (keys, polls) in [("<Down>x", true), ("<Down>x<Down><Down><Down><Down>false", false)] {
        let mut desk = Desk::kernel();
        desk.stage.keys(keys);
        desk.save();
        assert!(desk.text().contains("https://kernel.example/feedx"), "{}", desk.text());
        assert_eq!(desk.text().contains("enabled = false"), !polls);
        let asked = &desk.stage.asked;
        assert_eq!(asked.iter().any(|a| a.contains("Refresh {")), polls, "{asked:?}");
    }
}

#[test]
fn what_changed_elsewhere_is_asked_about() {
    let mut desk = Desk::kernel();
    desk.stage.keys("<Tab><Tab><Tab><C-u>Mine");
    std::fs::write(desk.paths.sources_file(), FILE.replace("\"Tech\"", "\"Theirs\" # new"))
        .unwrap();
    desk.save();
    desk.sees("folder: changed in the file meanwhile");
    desk.sees("Folder      Mine");
    assert!(desk.text().contains("Theirs"));
    desk.save();
    assert_eq!(desk.text(), FILE.replace("\"Tech\"", "\"Mine\" # new"));
}

#[test]
fn a_click_goes_to_a_field_and_the_cursor_stands_in_it() {
    let mut desk = Desk::kernel();
    for (words, focused) in [("Address", "▸ Address"), ("Schedule", "▸ Policy")] {
        let screen = desk.screen();
        let (row, line) = screen.lines().enumerate().find(|(_, l)| l.contains(words)).unwrap();
        let column = line[..line.find(words).unwrap()].chars().count();
        desk.stage.happen(Event::MouseUsed(MouseEvent {
            kind: MouseEventKind::Down(MouseButton::Left),
            column: column as u16,
            row: row as u16,
            modifiers: KeyModifiers::NONE,
        }));
        desk.sees(focused);
    }
    desk.stage.keys("<C-p>");
    desk.stage.happen(Event::Pasted("a\nb".to_owned()));
    let mut terminal = Terminal::new(TestBackend::new(100, 30)).unwrap();
    terminal.draw(|frame| view::draw(&mut desk.stage.app, frame)).unwrap();
    let at = terminal.get_cursor_position().unwrap();
    let line = desk.screen().lines().nth(at.y.into()).unwrap().to_owned();
    let before: String = line.chars().take(at.x.into()).collect();
    assert!(before.ends_with("Title       a b"), "{line:?} {at}");
}
