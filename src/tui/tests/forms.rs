//! Tests of the add dialog, the welcome page, the search for settings, prompts and empty lists.

mod adding;

use super::*;
use crate::config::Section;
use crate::engine::{Discovery, Way};
use crate::tui::app::{Add, Editor};
use crate::tui::tests::defects::last_request;

/// The add dialog with the ways found at a URL.
fn found(ways: Vec<Way>, tried: &[&str]) -> Stage {
    let address = "https://council.example/news";
    let mut stage = Stage::new();
    stage.screen(120, 36);
    stage.keys("a");
    stage.happen(Event::Pasted(address.to_owned()));
    stage.keys("<Enter>");
    let request = stage.requested.last().unwrap().split("request: ").nth(1).unwrap();
    let request: u64 = request.split(',').next().unwrap().parse().unwrap();
    stage.happen(Event::Discovered(request, Ok(Discovery::sample(address, ways, tried))));
    stage
}

fn list_way() -> Way {
    let items = [("Night buses", now()), ("Lime trees", now())];
    Way::sample("https://council.example/news", "Council", Some(("li > a", 0.8)), &items)
}

#[track_caller]
fn shows(stage: &mut Stage, parts: &[&str]) {
    let screen = stage.screen(120, 36);
    for part in parts {
        assert!(screen.contains(part), "no {part:?} on\n{screen}");
    }
}

#[test]
fn keeps_showing_why_an_announced_feed_is_not_offered() {
    let why = "the page announces a feed, but it returns 404 Not Found: \
               https://council.example/index.xml";
    let mut stage = found(vec![list_way()], &[why, "no feed at /feed", "the page lists articles"]);
    shows(
        &mut stage,
        &["it returns 404 Not Found", "Ways to follow this URL", "its current items"],
    );
}

#[test]
fn similar_lists_show_their_selectors() {
    let other = Way::sample("https://council.example/news", "Council", Some(("h3 > a", 0.4)), &[]);
    let mut stage = found(vec![list_way(), other], &[]);
    shows(&mut stage, &["li > a", "h3 > a"]);
    let mut stage = found(vec![list_way()], &[]);
    assert!(!stage.screen(120, 36).contains("li > a"));
}

#[test]
fn offers_selectors_where_the_form_has_none() {
    let feed = Way::announced("https://council.example/all.xml", "All");
    let mut stage = found(vec![feed, list_way()], &[]);
    let first = stage.screen(120, 36);
    stage.keys("<Down>");
    let screens = [first, stage.screen(120, 36)];
    assert!(screens.iter().all(|screen| screen.contains("e adjust")));
    assert_eq!(screens.iter().filter(|screen| screen.contains("s selectors")).count(), 1);
}

#[test]
fn a_way_without_items_is_not_called_a_preview() {
    let mut stage = found(vec![Way::announced("https://council.example/feed", "All")], &[]);
    shows(&mut stage, &["Description"]);
    assert!(!stage.screen(120, 36).contains("its current items"));
}

#[test]
fn enter_on_a_followed_url_goes_to_its_source() {
    for typed in
        ["https://kernel.example/feed", "kernel.example/feed/", "http://kernel.example/feed"]
    {
        let mut stage = Stage::new();
        stage.keys("a");
        stage.happen(Event::Pasted(typed.to_owned()));
        stage.keys("<Enter>");
        let asked = stage.requested.iter().any(|effect| effect.contains("Discover"));
        assert!(!asked, "{typed}: {:?}", stage.requested);
        let title = "✓ Already followed as Kernel notes and other things";
        shows(&mut stage, &[title, "Enter go to source"]);
        stage.keys("<Enter>");
        assert!(stage.app.dialogs.is_empty());
        let selected = stage.app.sources.current().map(|row| row.title.clone());
        assert_eq!(selected.as_deref(), Some("Kernel notes and other things"), "{typed}");
        // Other ways to follow the URL can still be found.
        stage.keys("a");
        stage.happen(Event::Pasted(typed.to_owned()));
        stage.keys("<Enter><Tab>");
        assert!(stage.requested.last().unwrap().contains("Discover"), "{:?}", stage.requested);
    }
}

#[test]
fn enter_on_a_followed_way_goes_to_its_source() {
    let feed = Way::announced("https://kernel.example/feed", "Kernel");
    let mut stage = found(vec![feed, list_way()], &[]);
    shows(&mut stage, &["already followed as Kernel notes", "Enter go to source"]);
    stage.keys("<Enter>");
    assert!(stage.app.dialogs.is_empty());
    assert!(!stage.requested.iter().any(|effect| effect.starts_with("Follow")));
    // For some URLs, only a fetch shows that the source is already followed.
    let mut stage = found(vec![list_way()], &[]);
    stage.keys("<Enter>");
    assert!(stage.requested.last().unwrap().starts_with("Follow"), "{:?}", stage.requested);
    let request = last_request(&stage);
    stage.happen(Event::AlreadyFollowed(request, SourceId("kernel".to_owned())));
    shows(&mut stage, &["Already followed as Kernel notes and other things"]);
}

#[test]
fn esc_in_the_selectors_returns_to_the_list_of_ways() {
    let mut stage = found(vec![list_way()], &[]);
    stage.keys("s");
    assert!(stage.app.dialog::<Editor>().is_some());
    stage.keys("<Esc>");
    assert!(stage.app.dialog::<Editor>().is_none(), "{}", stage.screen(120, 36));
    assert!(stage.app.dialog::<Add>().is_some());
    shows(&mut stage, &["Ways to follow this URL"]);
}

#[test]
fn shows_the_next_step_if_discovery_fails() {
    let fail = |mut stage: Stage, why: &str| {
        stage.happen(Event::Pasted("https://nowhere.example/".to_owned()));
        stage.keys("<Enter>");
        let request = stage.requested.last().unwrap().split("request: ").nth(1).unwrap();
        let request: u64 = request.split(',').next().unwrap().parse().unwrap();
        stage.happen(Event::Discovered(request, Err(why.to_owned())));
        stage
    };
    let dialog = || {
        let mut stage = Stage::new();
        stage.keys("a");
        stage
    };
    let first = || Stage::with(Settings::default(), SourceList::default(), vec![]);
    // Whether a reason contains a semicolon does not matter.
    for (why, shown) in [
        ("not a valid URL: it has no host name", "✗ Not a valid URL"),
        (
            "the certificate of a.example is not valid (expired); nothing was read",
            "✗ The certificate",
        ),
    ] {
        for mut stage in [fail(dialog(), why), fail(first(), why)] {
            shows(&mut stage, &[shown, "Type another URL, such as example.org"]);
        }
    }
}

#[test]
fn the_welcome_page_offers_help_and_can_be_skipped() {
    let mut stage = Stage::with(Settings::default(), SourceList::default(), vec![]);
    shows(&mut stage, &["? help"]);
    stage.keys("?");
    shows(&mut stage, &["Keys"]);
    stage.keys("<Esc>");
    // Character keys are typed into the field.
    stage.keys("a?b");
    shows(&mut stage, &["a?b"]);
    stage.keys("<C-u><Esc>");
    let rows = ["a ", ":starters ", ":demo "];
    shows(&mut stage, &["No sources yet", "well-known sources", "import", "fictional sites"]);
    shows(&mut stage, &rows);
    stage.keys("a");
    shows(&mut stage, &["Welcome to newsfed"]);
    stage.keys("<Esc>:starters<Enter>");
    shows(&mut stage, &["Starter sources", "Space select"]);
    stage.keys("<Esc>:demo<Enter>");
    assert_eq!(stage.exit_reason, Some(ExitReason::Demo));
}

fn settings((width, height): (u16, u16)) -> Stage {
    let mut stage = Stage::new();
    stage.screen(width, height);
    stage.keys(",");
    stage.happen(Event::SettingsLoaded(Ok(Section::settings("", &[]))));
    stage
}

fn focused(stage: &Stage) -> String {
    let editor: &Editor = stage.app.dialog().unwrap();
    editor.form.as_ref().unwrap().fields()[editor.focus].label.clone()
}

#[test]
fn letters_move_in_the_settings_outside_text_fields() {
    let mut stage = settings((120, 36));
    stage.keys("j");
    assert_eq!(focused(&stage), "Background");
    stage.keys("jk");
    assert_eq!(focused(&stage), "Background");
    shows(&mut stage, &["↑↓ fields", "/ find"]);
    // In a text field, letters are typed.
    stage.keys("<C-f>keep items days<Enter>");
    stage.keys("j");
    assert_eq!(focused(&stage), "Keep items for (days)");
    shows(&mut stage, &["Not a whole number", "C-f find"]);
}

#[test]
fn finds_settings_on_all_pages() {
    let mut stage = settings((120, 36));
    stage.keys("/prox");
    assert_eq!(focused(&stage), "Proxy");
    shows(&mut stage, &["Find a setting (1 of ", "Enter go to setting"]);
    stage.keys("<Esc>");
    assert_eq!(focused(&stage), "Theme");
    // A setting is also found by its key in the file; the arrow keys move to other matches.
    stage.keys("/retention.items");
    assert_eq!(focused(&stage), "Keep items per source");
    stage.keys("<C-u>timeout");
    let first = focused(&stage);
    stage.keys("<Down>");
    assert_ne!(focused(&stage), first);
    stage.keys("<Enter>");
    assert!(stage.app.dialog::<Editor>().unwrap().search.is_none());
    // The search was not typed into a field.
    let form = stage.app.dialog::<Editor>().unwrap().form.as_ref().unwrap();
    assert_eq!(form.changes(), []);
    stage.keys("<C-f>no such thing");
    shows(&mut stage, &["Find a setting (0 of 0)"]);
}

#[test]
fn tabs_of_the_settings_show_complete_words() {
    for (width, height) in [(120, 36), (100, 30), (80, 24), (50, 15)] {
        let mut stage = settings((width, height));
        let screen = stage.screen(width, height);
        let tabs = screen.lines().find(|line| line.contains("Appearance")).unwrap();
        assert!(tabs.contains("Reading  "), "{screen}");
        for whole in ["Listen and save", "Full text"] {
            let start = whole.split(' ').next().unwrap();
            assert!(!tabs.contains(start) || tabs.contains(whole), "{screen}");
        }
        assert!(width < 100 || tabs.contains("Keys"), "{screen}");
    }
}

#[test]
fn labels_of_the_settings_are_not_truncated() {
    for (width, height) in [(120, 36), (100, 30), (80, 24)] {
        let mut stage = settings((width, height));
        stage.keys(&"<C-n>".repeat(5));
        let screen = stage.screen(width, height);
        for label in ["Keep items for (days)", "Keep downloads (days)", "Remove unread too"] {
            assert!(screen.contains(label), "no {label} on\n{screen}");
        }
    }
}

#[test]
fn a_filter_without_a_match_offers_a_search() {
    let mut stage = Stage::new();
    stage.keys("fnothing like it");
    shows(&mut stage, &["Nothing matches", "Press Enter, then / to search all items."]);
    stage.keys("<Enter>");
    shows(&mut stage, &["Nothing matches", "/ search all items", "leave the search"]);
    stage.keys("<Esc>/nothing like it");
    shows(&mut stage, &["Fewer words find more items."]);
    stage.keys("<Enter>");
    shows(&mut stage, &["leave the search"]);
    assert!(!stage.screen(120, 36).contains("search all items"));
}

#[test]
fn prompts_have_the_same_place_and_show_their_keys() {
    for (keys, label) in [
        ("i", "› File to import"),
        ("#", "› Tags of the item"),
        ("H", "› Hide until"),
        ("<Enter>f", "› Find in text"),
    ] {
        let mut stage = Stage::new();
        stage.screen(140, 36);
        stage.keys(keys);
        let screen = stage.screen(140, 36);
        let last = screen.lines().last().unwrap();
        assert!(last.trim_start().starts_with(label), "{keys}: {screen}");
        assert!(last.contains("Enter ") && last.contains("   Esc "), "{keys}: {screen}");
        // Where there is no space for the keys, the field takes the whole line.
        let screen = stage.screen(40, 12);
        assert!(!screen.lines().last().unwrap().contains("Esc"), "{keys}: {screen}");
    }
}

#[test]
fn a_folder_is_not_offered_as_its_own_target() {
    let mut stage = Stage::new();
    stage.screen(120, 36);
    stage.keys("<Tab>gg");
    while stage.app.sources.current().is_none_or(|row| row.title != "Tech") {
        stage.keys("j");
    }
    stage.keys("M");
    let screen = stage.screen(120, 36);
    assert!(screen.contains("Move folder Tech into"), "{screen}");
    let offered = &stage.app.dialog::<crate::tui::app::Prompt>().unwrap().completion;
    let offered: Vec<&str> =
        offered.iter().flat_map(|all| &all.candidates).map(|one| one.text.as_str()).collect();
    assert_eq!(offered, ["City"]);
}

#[test]
fn shows_keys_for_an_item_without_text() {
    let mut stage = Stage::new();
    let row = stage.rows[0].clone();
    let document = crate::article::Document::from_text(crate::tui::read::NO_TEXT);
    stage.shown = Some(Article { document: Arc::new(document), ..article(row) });
    stage.screen(120, 36);
    stage.keys("<Enter>");
    shows(&mut stage, &["o opens its page in the", "text from the page."]);
    assert!(!stage.screen(120, 36).contains("tries again"));
    // A missing title is made from the URL. After a failed fetch, the key's description has "tries again".
    let mut row = stage.rows[0].clone();
    (row.title, row.words) = (String::new(), 0);
    row.url = Some("https://kernel.example/people/ann-lee/".to_owned());
    stage.rows[0] = row.clone();
    let document = crate::article::Document::from_text(crate::tui::read::NO_TEXT);
    let mut shown = Article { document: Arc::new(document), ..article(row) };
    let item = Arc::make_mut(&mut shown.item);
    item.title = String::new();
    item.fetch_error = Some("HTTP 404".to_owned());
    stage.shown = Some(shown);
    stage.keys("h)(<Enter>");
    shows(&mut stage, &["ann lee", "tries again to"]);
}

#[test]
fn reports_when_long_pasted_text_is_truncated() {
    let mut stage = Stage::new();
    let words = "plover ".repeat(400);
    stage.keys("/");
    stage.happen(Event::Pasted(words.clone()));
    let typed = |stage: &Stage| {
        stage.app.dialog::<crate::tui::app::SearchBar>().unwrap().field.value().len()
    };
    assert_eq!(typed(&stage), words.trim().len());
    stage.happen(Event::Pasted("x".repeat(9000)));
    assert_eq!(typed(&stage), 8192);
    assert!(stage.has_message("The pasted text was cut off after 8192 bytes"));
}

#[test]
fn a_prompt_leaves_space_for_typing() {
    let mut stage = Stage::new();
    stage.keys("giH");
    for width in [60, 80, 120] {
        let screen = stage.screen(width, 24);
        assert!(screen.contains("Hide until: 1d"), "{screen}");
        assert!(screen.contains("12h, 3d, friday, 2026-12-31"), "{screen}");
    }
}

#[test]
fn the_history_names_tags() {
    let mut stage = Stage::new();
    stage.keys("gi#todo<Enter>U");
    let screen = stage.screen(120, 40);
    assert!(screen.contains("tag \"todo\": "), "{screen}");
}
