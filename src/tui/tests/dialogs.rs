//! Tests of what all dialogs have in common, of the settings, and of messages over dialogs.

mod status;

use super::*;
use crate::config::Section;

fn settings(text: &str, (width, height): (u16, u16)) -> Stage {
    let mut stage = Stage::new();
    stage.screen(width, height);
    stage.keys(",");
    stage.happen(Event::SettingsLoaded(Ok(Section::settings(text, &[]))));
    stage
}

/// The index of the first line that contains the text.
fn row_of(screen: &str, words: &str) -> usize {
    let row = screen.lines().position(|line| line.contains(words));
    row.unwrap_or_else(|| panic!("no {words:?} in\n{screen}"))
}

#[test]
fn every_dialog_has_an_empty_row_below_its_title() {
    for (width, height) in [(80, 24), (120, 36), (140, 40)] {
        for (keys, title) in
            [("%", " Statistics "), ("v", " Log "), ("?", "Keys"), (",", " Settings ")]
        {
            let mut stage = Stage::new();
            stage.screen(width, height);
            stage.keys(keys);
            match keys {
                "%" => stage.happen(Event::StatisticsLoaded(Ok(Box::new(stock::statistics())))),
                "," => {
                    stage.happen(Event::SettingsLoaded(Ok(Section::settings("", &[]))));
                }
                _ => {}
            };
            let screen = stage.screen(width, height);
            let top = screen.lines().position(|line| line.contains('╭')).unwrap();
            let title_line = screen.lines().nth(top).unwrap();
            assert!(title_line.contains(title), "{title}: {screen}");
            let below = screen.lines().nth(top + 1).unwrap();
            let inside = below.split('│').max_by_key(|part| part.len()).unwrap();
            assert_eq!(inside.trim(), "", "{keys} {width}x{height}\n{screen}");
        }
    }
}

#[test]
fn messages_do_not_cover_the_keys_of_a_dialog() {
    let text = "Not saved: Reader width is not valid. Use a whole number, from 20 to 400, in the field \
        that is marked. Press C-s to save again.";
    for (width, height) in [(120, 36), (100, 30), (80, 24), (60, 20), (50, 15)] {
        let mut stage = settings("", (width, height));
        let before = stage.screen(width, height);
        let keys = row_of(&before, "Esc close");
        stage.app.problem(text);
        let screen = stage.screen(width, height);
        assert_eq!(screen.lines().nth(keys), before.lines().nth(keys), "{screen}");
        assert!(screen.contains("✗ Not saved"), "{screen}");
    }
}

#[test]
fn shows_setting_values_as_words() {
    let mut stage = settings("", (120, 36));
    stage.keys("<C-n>");
    let screen = stage.screen(120, 36);
    assert!(screen.contains("‹ pinned, then newest ›"), "{screen}");
    assert!(screen.contains("stories, comments, source, minutes, date"), "{screen}");
    assert!(!screen.contains("[ ]") && !screen.contains("[\""), "{screen}");
    assert!(screen.lines().any(|line| line.contains("Hide read items") && line.contains("  off")));
}

#[test]
fn shows_complete_theme_names_next_to_the_fields() {
    for (size, cards) in [((120, 36), 6), ((80, 24), 2)] {
        let mut stage = settings("[ui]\ntheme = \"catppuccin-macchiato\"\n", size);
        stage.app.palette =
            Palette::named("catppuccin-macchiato", &stage.app.settings, ColorSupport::DARK)
                .unwrap();
        let screen = stage.screen(size.0, size.1);
        assert_eq!(screen.matches("plover 3.2 is out").count(), cards, "{screen}");
        assert!(screen.matches("catppuccin-macchiato").count() > 1, "{screen}");
        assert!(screen.contains(" of 2") && screen.contains("←→ other themes"), "{screen}");
        let rows = |screen: &str| ["List", "Items width"].map(|label| row_of(screen, label));
        // The rows do not move when another field has the focus.
        stage.keys("<Tab><Tab>");
        assert_eq!(rows(&stage.screen(size.0, size.1)), rows(&screen));
    }
}

#[test]
fn the_keys_page_shows_the_bindings_of_the_preset() {
    let mut stage = settings("", (120, 36));
    stage.keys(&"<C-n>".repeat(8));
    let screen = stage.screen(120, 36);
    assert!(screen.contains("Common keys"), "{screen}");
    let table = |screen: &str| screen[screen.find("Common keys").unwrap()..].to_owned();
    assert!(table(&screen).contains("mark all read"), "{screen}");
    stage.keys("<Left>");
    assert_ne!(table(&stage.screen(120, 36)), table(&screen));
    stage.keys("<Enter>");
    assert!(stage.screen(120, 36).contains("Key bindings"));
}

#[test]
fn rejects_an_incomplete_source_without_naming_a_line() {
    let mut draft =
        Source::feed(SourceId("kernel".to_owned()), "https://kernel.example/".parse().unwrap());
    draft.rules = SourceRules::new(SourceKind::Website, WebsiteRules::default());
    let mut stage = Stage::new();
    stage.keys("<Tab>gg");
    stage.keys(&"j".repeat(8));
    stage.keys("e");
    let key = stage.app.sources.list.sources.iter().find(|s| s.source.id.as_str() == "kernel");
    let key = key.unwrap().facts.key;
    stage.happen(Event::EntryLoaded(key, Ok(Section::draft(&draft))));
    stage.keys("<C-s>");
    let screen = stage.screen(120, 36);
    assert!(screen.contains("Not saved: Articles is not valid"), "{screen}");
    assert!(
        screen.contains("✗ A website needs a selector for the links to its articles"),
        "{screen}"
    );
    assert!(!screen.contains(":1:") && !screen.contains("website.articles"), "{screen}");
    assert!(
        !stage.requested.iter().any(|effect| effect.contains("Edit {")),
        "{:?}",
        stage.requested
    );
}

#[test]
fn ascii_mode_marks_and_truncates_rows_in_ascii() {
    let mut stage = Stage::new();
    stage.app.settings.ui.ascii = true;
    stage.screen(140, 40);
    stage.app.focus = Focus::Reader;
    let drawn = stage.drawn(140, 40);
    let items = stage.app.areas.items.unwrap();
    let marks = (items.y..items.bottom()).filter(|y| drawn[(items.x, *y)].symbol() == ":").count();
    // The selection is marked in both rows of the item.
    assert_eq!(marks, 2, "{}", stage.screen(140, 40));
    let mut stage = settings("", (140, 40));
    stage.app.settings.ui.ascii = true;
    stage.app.focus = Focus::Reader;
    assert!(!stage.screen(140, 40).contains('…'), "{}", stage.screen(140, 40));
}

#[test]
fn shows_the_undo_key_apart_from_the_message() {
    let mut stage = Stage::new();
    let undo = " (u undoes this)";
    stage.app.note(format!("Marked 3 items read{undo}"));
    let screen = stage.screen(120, 36);
    assert!(screen.contains("↶ Marked 3 items read   u undo"), "{screen}");
    assert!(!screen.contains("undoes this"), "{screen}");
    stage.app.note("Nothing to undo");
    assert!(stage.screen(120, 36).contains("• Nothing to undo"));
}

#[test]
fn a_prompt_shows_only_the_keys_that_fit() {
    let mut stage = Stage::new();
    for (width, keys) in
        [(120, "Enter ok   Tab complete   Esc cancel"), (80, "Enter ok   Esc cancel")]
    {
        stage.screen(width, 24);
        stage.keys("<C-p>allocator<Enter>gsM");
        let screen = stage.screen(width, 24);
        assert!(screen.lines().last().unwrap_or_default().contains(keys), "{screen}");
        stage.keys("<Esc>");
    }
}

#[test]
fn the_empty_list_of_new_items_explains_itself() {
    for (is_first_visit, why) in [
        (true, "No new items yet: this is your first session"),
        (false, "Nothing unread has arrived since your last session"),
    ] {
        let list = SourceList { is_first_visit, ..source_list() };
        let mut stage = Stage::with(Settings::default(), list, item_rows());
        stage.keys("gn");
        assert!(stage.has_message(why), "{}", stage.screen(120, 40));
    }
}

impl Stage {
    /// Opens the theme gallery with the keys `open`, and then presses `keys`.
    pub(super) fn choose_theme(&mut self, open: &str, keys: &str) {
        self.keys(open);
        self.happen(Event::SettingsLoaded(Ok(Section::settings("", &[]))));
        self.keys(keys);
    }
}
