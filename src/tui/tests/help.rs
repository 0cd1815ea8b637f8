//! Tests of finding commands: the help, the palette, and the keys in the last row of dialogs.

use super::*;

#[test]
fn finds_commands_by_synonyms() {
    for (typed, expected) in [
        ("newsletter", "Follow a new URL"),
        ("mail", "Follow a new URL"),
        ("podcast", "Add the audio or video of the selected items to the queue"),
        ("macro", "Change the key bindings"),
        ("notify", "Show the rules, what they did, and the items that they match"),
        ("opml", "Import sources from a file, or follow a list"),
    ] {
        for opened in ["?", ":"] {
            let mut stage = Stage::new();
            stage.keys(&format!("{opened}{typed}"));
            let screen = stage.screen(120, 36);
            assert!(screen.contains(expected), "{opened}{typed}:\n{screen}");
        }
    }
    let mut stage = Stage::new();
    stage.keys(":machine");
    assert!(stage.screen(120, 36).contains("machines.folder"));
    let mut stage = Stage::new();
    stage.keys("?podcasts");
    assert!(stage.screen(120, 36).contains("Add the audio or video"));
}

#[test]
fn the_palette_finds_settings_by_their_values() {
    let mut stage = super::lists::stage_with_files();
    stage.keys(":newsboat");
    let screen = stage.screen(100, 30);
    assert!(screen.contains("keys.preset newsboat"), "{screen}");
    // A value alone is first completed, so that the user sees what would change.
    stage.keys("<C-u>catppuccin-l<Enter>");
    assert!(stage.screen(100, 30).contains("set ui.theme catppuccin-latte"));
    assert_eq!(stage.app.settings.ui.theme, "auto");
    // The key of a setting and a value are enough, without `set`.
    stage.keys("<C-u>ui.theme lig<Enter>");
    assert_eq!(stage.app.settings.ui.theme, "light");
}

#[test]
fn finds_settings_that_only_the_file_has() {
    for (keys, expected) in [
        ("?hook", "[[hook]]"),
        (":hook", "[[hook]] in config.toml: Run a program after a refresh, with the new items"),
        ("?your own", "[keys]"),
        ("?script", "[[command]]"),
    ] {
        let mut stage = Stage::new();
        stage.keys(keys);
        let screen = stage.screen(120, 36);
        assert!(screen.contains(expected) && !screen.contains("No match"), "{keys}:\n{screen}");
    }
    let mut stage = Stage::new();
    stage.keys("?zzz");
    assert!(stage.screen(120, 36).contains("No match"));
}

#[test]
fn never_truncates_keys_and_uses_the_whole_width() {
    for (width, height) in [(120, 36), (80, 24), (50, 15), (40, 12)] {
        let mut stage = Stage::new();
        stage.keys("?tab");
        let screen = stage.screen(width, height);
        assert!(screen.contains("S-Tab"), "{screen}");
        let mut stage = Stage::new();
        stage.keys("?by its number");
        assert!(stage.screen(width, height).contains("1–9"), "{}", stage.screen(width, height));
    }
    // The names of panes follow the description.
    let mut stage = Stage::new();
    stage.keys("gs?browser");
    let screen = stage.screen(120, 36);
    let line = screen.lines().find(|line| line.contains("Open the comments in the browser"));
    let line = line.map(|line| line.trim_end_matches([' ', '│']));
    assert!(line.is_some_and(|line| line.ends_with("Items, Reader")), "{screen}");
    assert!(screen.contains("Open in the browser, mark read, go to the next item"), "{screen}");
}

#[test]
fn the_help_does_not_end_with_a_heading() {
    for height in 12..44 {
        let mut stage = Stage::new();
        stage.keys("?");
        let screen = stage.screen(120, height);
        // The last row of the list may be followed by an empty row above the keys of the dialog.
        let above = screen.lines().rev().skip_while(|line| !line.contains("Esc close")).skip(1);
        let has_text = |line: &&str| line.contains(char::is_alphanumeric);
        let cells: Vec<char> = above.take(2).find(has_text).unwrap_or_default().chars().collect();
        for start in [3, 61] {
            let is_heading = cells.get(start).is_some_and(|cell| cell.is_uppercase());
            assert!(!is_heading, "{height}:\n{screen}");
        }
    }
}

#[test]
fn the_line_below_the_palette_explains_the_command() {
    for (keys, expected) in [
        (":pin", "retention keeps them. Keys: p, s in Items"),
        (
            ":refresh-all",
            "Checks every source now. Sources whose servers asked for a pause are skipped.  ",
        ),
        (":read-for", "be read in the given time. Takes minutes, such as 20."),
        (":jump", "Keys: C-p; f in Sources."),
        (":theme", "Each theme is shown while it is selected. Enter saves it."),
    ] {
        let mut stage = Stage::new();
        stage.keys(keys);
        let screen = stage.screen(120, 36);
        assert!(screen.contains(expected), "{keys}:\n{screen}");
    }
    // Text that is truncated in a narrow row is shown in full.
    let mut stage = Stage::new();
    stage.keys(":follow-comments");
    let screen = stage.screen(50, 24);
    assert!(screen.contains("Follow the comments on the item as a source."), "{screen}");
}

#[test]
fn the_theme_gallery_has_its_own_title_and_keys() {
    for (width, height) in [(120, 36), (80, 24), (50, 15)] {
        let mut stage = Stage::new();
        stage.choose_theme("t", "");
        let screen = stage.screen(width, height);
        assert!(screen.contains("Choose a theme") && screen.contains("‹ auto ›"), "{screen}");
        assert!(screen.contains("Enter use") && screen.contains("Esc cancel"), "{screen}");
        assert_eq!(screen.contains("A fair scheduler"), width >= 80, "{screen}");
        stage.keys("<Tab>");
        let screen = stage.screen(width, height);
        assert!(screen.contains("─ Settings ") && !screen.contains("Enter use"), "{screen}");
    }
}

#[test]
fn an_unknown_name_keeps_the_dialog_open() {
    let mut stage = Stage::new();
    stage.keys("<C-p>zzzz<Enter>");
    assert!(stage.screen(80, 24).contains("─ Find") && stage.has_message("Nothing matches zzzz"));
    stage.keys("<C-u>kernel<Enter>");
    assert!(stage.app.dialogs.is_empty());
}

#[test]
fn the_hint_for_more_opens_the_help() {
    for (width, height) in [(120, 36), (80, 24), (50, 15)] {
        let mut stage = super::listen::stage();
        let screen = stage.screen(width, height);
        assert!(screen.contains("? more   Esc close"), "{screen}");
        stage.keys("?");
        let screen = stage.screen(width, height);
        assert!(screen.contains("This dialog") && !screen.contains("? more"), "{screen}");
    }
    // There is no hint if all keys fit.
    let mut stage = Stage::new();
    stage.keys("U");
    assert!(!stage.screen(120, 36).contains("? more"), "{}", stage.screen(120, 36));
    // If `?` would be typed into a field, the hint shows another key.
    let mut stage = Stage::new();
    stage.keys("K");
    assert!(stage.screen(50, 15).contains("F1 more"), "{}", stage.screen(50, 15));
}

#[test]
fn the_keys_page_shows_descriptions_and_panes() {
    let mut stage = Stage::new();
    stage.keys("Kitems in the list as");
    let screen = stage.screen(120, 36);
    assert!(screen.contains("Items:"), "{screen}");
    let mut stage = Stage::new();
    stage.keys("Kenclosure");
    let screen = stage.screen(120, 36);
    let whole = "Open the enclosure, or choose one of several";
    assert!(screen.lines().any(|line| line.contains(whole) && line.contains("Items:")), "{screen}");
}

#[test]
fn the_empty_list_of_tags_explains_tags() {
    let mut list = source_list();
    for entry in &mut list.sources {
        std::sync::Arc::make_mut(&mut entry.source).tags.clear();
    }
    let mut stage = Stage::with(Settings::default(), list.clone(), item_rows());
    stage.keys("T");
    assert!(
        stage
            .has_message("No source or item has a tag. Press # on a source or an item to add one.")
    );
    assert!(stage.app.dialogs.is_empty());
    list.item_tags = vec!["garden".to_owned()];
    let mut stage = Stage::with(Settings::default(), list, item_rows());
    stage.keys_give("T", "garden");
    assert!(stage.screen(80, 24).contains(" Tags "), "{}", stage.screen(80, 24));
    stage.keys("<C-u>");
    assert!(stage.screen(80, 24).contains("Commands"));
}

/// The visible lines of the list of keys on a screen of this height.
fn listed(stage: &mut Stage, height: u16) -> Vec<String> {
    let screen = stage.screen(80, height);
    let lines = screen.lines().map(|line| line.trim_matches(['│', '▐', '▕', ' ']).to_owned());
    // An empty row follows the field.
    let list = lines.skip_while(|line| !line.contains("Find:")).skip(2);
    list.take_while(|line| !line.contains("Esc close")).collect()
}

#[test]
fn a_page_of_the_help_begins_with_the_last_line_of_the_previous_page() {
    let press = |stage: &mut Stage, code: KeyCode| {
        stage.happen(Event::KeyPressed(KeyEvent::new(code, KeyModifiers::NONE)));
    };
    let mut checked = 0;
    for height in 14..29 {
        for code in [KeyCode::PageDown, KeyCode::Char(' ')] {
            let mut stage = Stage::new();
            stage.keys("?");
            let start = listed(&mut stage, height);
            let mut before = start.clone();
            for _ in 0..2 {
                press(&mut stage, code);
                let page = listed(&mut stage, height);
                assert_eq!(page.len(), before.len());
                // A heading in the last row is hidden.
                if let Some(last) = before.last().filter(|last| !last.is_empty()) {
                    assert_eq!(page.first(), Some(last), "{height}: {page:#?}");
                    checked += 1;
                }
                before = page;
            }
            for _ in 0..2 {
                press(&mut stage, KeyCode::PageUp);
                listed(&mut stage, height);
            }
            assert_eq!(listed(&mut stage, height), start, "{height}");
        }
    }
    assert!(checked > 30, "{checked}");
}

/// The symbols that the help explains.
fn symbols(settings: Settings) -> Vec<String> {
    let mut stage = Stage::with(settings, source_list(), item_rows());
    stage.keys("?symbols");
    let screen = stage.screen(120, 40);
    let lines = screen.lines().map(|line| line.trim_matches(['│', '|']).trim_end());
    let below = lines.skip_while(|line| line.trim() != "Symbols").skip(1);
    let group = below.take_while(|line| !line.is_empty());
    // Lines with more space at the left continue a description.
    let entries = group.filter_map(|line| line.strip_prefix("    "));
    let entries = entries.filter(|line| !line.starts_with(' '));
    entries.filter_map(|line| line.split(' ').next().map(str::to_owned)).collect()
}

#[test]
fn the_help_explains_each_symbol_once() {
    for (ascii, pinned) in [(false, "★"), (true, "*")] {
        let mut settings = Settings::default();
        settings.ui.ascii = ascii;
        let all = symbols(settings);
        assert!(all.len() > 8 && all.iter().any(|symbol| symbol == pinned), "{all:?}");
        let different: std::collections::HashSet<&String> = all.iter().collect();
        assert_eq!(different.len(), all.len(), "{all:?}");
    }
    // A screen reader reads words instead.
    let mut settings = Settings::default();
    settings.ui.linear = true;
    assert!(symbols(settings).is_empty());
}

#[test]
fn the_palette_knows_the_names_of_newsboat_and_of_earlier_versions() {
    for (typed, offered, effect) in [
        ("open-in-browser", "browser", r#"Browse { urls: ["https://kernel.example/0"] }"#),
        ("reload-all", "refresh-all", "Refresh { keys: None, pace: Manual,"),
        ("cancel-running", "stop-running", "StopRunning { url: None }"),
    ] {
        let mut stage = Stage::new();
        stage.keys(&format!(":{typed}"));
        assert_eq!(first_offered(&stage), offered, "{typed}");
        stage.keys("<Enter>");
        assert_eq!(stage.asked_for(effect), 1, "{typed}: {:?}", stage.requested);
    }
    // A part of the name is only completed.
    let mut stage = Stage::new();
    stage.keys(":cancel");
    assert_eq!(first_offered(&stage), "stop-running");
    stage.keys("<Enter>");
    assert_eq!(stage.asked_for("StopRunning"), 0, "{:?}", stage.requested);
    assert!(stage.screen(120, 36).contains("› stop-running"), "{}", stage.screen(120, 36));
}

/// The name of the first command in the palette.
fn first_offered(stage: &Stage) -> &'static str {
    let hits = stage.app.palette_hits(stage.app.dialog().unwrap());
    hits.first().unwrap().action.name()
}

#[test]
fn another_name_of_a_command_that_changes_many_items_is_first_completed() {
    let mut stage = Stage::new();
    let unread = |stage: &Stage| stage.rows.iter().filter(|row| !row.read).count();
    let before = unread(&stage);
    stage.keys(":mark-all-feeds-read");
    assert_eq!(first_offered(&stage), "read-everything");
    stage.keys("<Enter>");
    let screen = stage.screen(120, 36);
    assert!(screen.contains("─ Commands") && screen.contains("› read-everything"), "{screen}");
    assert_eq!((unread(&stage), stage.asked_for("MarkViewRead")), (before, 0));
    // The second key press runs it.
    stage.keys("<Enter>");
    assert!(!stage.screen(120, 36).contains("─ Commands"), "{}", stage.screen(120, 36));
}
