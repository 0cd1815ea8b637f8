//! Tests of what the workbench shows about the page and about the articles found on it.

use super::*;

#[test]
fn shows_the_path_of_the_selected_element() {
    let mut test = BenchTest::open(now_page(), false, "W");
    test.shows("Path  main > section.news-list > article.card > h3 > a");
    // The text view shows the same path.
    test.keys("v");
    test.shows("Path  main > section.news-list > article.card > h3 > a");
    // A path that does not fit is truncated at its start.
    let screen = test.screen_of(70, 24);
    assert!(screen.contains("Path  … > ") && screen.contains(" > h3 > a "), "{screen}");
}

#[test]
fn shows_summaries_and_counts_dates_and_authors() {
    let mut test = BenchTest::open(now_page(), false, "W");
    test.shows("After nine months of work.");
    test.shows("dates 5 of 5   authors 0 of 5");
    let screen = test.screen_of(150, 40);
    assert!(screen.contains("Found by these selectors   "), "{screen}");
    let screen = test.screen_of(80, 24);
    assert!(screen.contains("Found   ") && screen.contains("dates 5 of 5"), "{screen}");
}

#[test]
fn a_click_on_a_summary_selects_its_article() {
    let mut test = BenchTest::open(now_page(), false, "W");
    let screen = test.screen();
    let lines: Vec<&str> = screen.lines().collect();
    let row = lines.iter().position(|line| line.contains("  2 Budget hearing")).unwrap();
    assert!(lines[row + 1].contains("After nine months"), "{screen}");
    for (row, expected) in [(row, 1), (row + 1, 1), (row + 3, 2)] {
        let kind = MouseEventKind::Down(MouseButton::Left);
        let row = u16::try_from(row).unwrap();
        let event = MouseEvent { kind, column: 90, row, modifiers: KeyModifiers::NONE };
        test.happen(Event::MouseUsed(event));
        let editor: &crate::tui::app::Editor = test.stage.app.dialog().unwrap();
        assert_eq!(editor.bench().unwrap().item, expected);
        test.keys("<Tab>");
        test.screen();
    }
}

#[test]
fn suggests_a_similar_selector_if_nothing_matches() {
    let mut test = BenchTest::open(now_page(), false, "W");
    test.keys("i<C-u>article.crad h3 > a");
    test.shows("✗ Matches nothing. Did you mean article.card h3 > a?");
    test.keys("<C-u>.entirely-different");
    test.shows("✗ Matches nothing.");
    assert!(!test.screen().contains("Did you mean"));
}

#[test]
fn never_truncates_the_number_of_suggestions() {
    let mut test = BenchTest::open(now_page(), false, "W");
    for (width, height) in [(120, 36), (80, 24), (66, 20)] {
        let screen = test.screen_of(width, height);
        assert!(screen.contains("P: 1 suggested"), "{screen}");
    }
}

#[test]
fn an_empty_list_names_the_key_for_suggestions() {
    let mut test = BenchTest::open(now_page(), false, "W");
    assert!(!test.screen().contains("P uses"));
    test.keys("i<C-u>.nothing<Enter>");
    test.shows("No articles");
    test.shows("P uses the suggested selectors");
}

#[test]
fn the_help_does_not_truncate_descriptions() {
    let mut test = BenchTest::open(now_page(), false, "W");
    test.keys("?");
    for words in ["choose field", "open article", "type a selector", "show text or outline"] {
        test.shows(words);
    }
}

#[test]
fn shows_the_number_of_matches_of_every_selector() {
    let mut test = BenchTest::open(now_page(), false, "W");
    let screen = test.screen();
    // While the list is shown, the article selectors are matched on the first article.
    assert!(screen.contains("Page outline · now"), "{screen}");
    for (label, result) in [("1 Articles", "5  ✓"), ("3 Title", "1  ✓"), ("7 Content", "0  ✗")]
    {
        let row = screen.lines().find(|line| line.contains(label)).unwrap();
        let (_, row) = row.split_once(label).unwrap();
        assert!(row.contains(result), "{row}");
    }
    test.keys("3");
    test.shows("Page outline · article");
    test.shows("Gives Bridge reopens in March");
}

#[test]
fn a_prefetched_article_fails_silently() {
    let mut test = BenchTest::new(now_page(), false);
    test.stage.keys("W");
    let entry = test.entry();
    let mut requested = Vec::new();
    let mut events = vec![Event::EntryLoaded(1, Ok(entry))];
    while let Some(event) = events.pop() {
        for effect in test.stage.app.update(event, now()) {
            match effect {
                Effect::OpenBench { .. } => {
                    test.bench.lay(WorkbenchPage::List, &at("/news"), &now_page())
                }
                Effect::Bench { ask: BenchRequest::Preview { request, rules, list }, .. } => {
                    test.bench.preview(request, *rules, list);
                }
                Effect::Bench { bench, ask: BenchRequest::Fetch { url, place, .. } } => {
                    requested.push(url.path().to_owned());
                    let why = "404 Not Found".to_owned();
                    events.push(Event::BenchReplied(bench, WorkbenchEvent::Failed { place, why }));
                }
                _ => {}
            }
            let editor: &crate::tui::app::Editor = test.stage.app.dialog().unwrap();
            let id = editor.bench().map(|bench| bench.id);
            events.extend(id.into_iter().flat_map(|id| {
                test.bench.events().into_iter().map(move |event| Event::BenchReplied(id, event))
            }));
        }
    }
    assert_eq!(requested, ["/a/0"], "it is fetched once");
    let screen = test.screen();
    assert!(screen.contains("5 articles") && !screen.contains("404"), "{screen}");
}

#[test]
fn shows_a_message_about_a_field_below_it() {
    let mut test = BenchTest::open(now_page(), false, "W");
    for field in ["1", "2", "4"] {
        test.keys(field);
        test.keys(&format!("i<C-u>.different-{field}"));
        let screen = test.screen();
        let lines: Vec<&str> = screen.lines().collect();
        let typed = format!(".different-{field}");
        let row = lines.iter().position(|line| line.contains(&typed)).unwrap();
        assert!(lines[row + 1].contains("✗ Matches nothing."), "{screen}");
        test.keys("<Esc>");
    }
}

#[test]
fn asks_before_saving_selectors_that_find_no_articles() {
    let mut test = BenchTest::open(now_page(), false, "W");
    test.keys("i<C-u>time<Enter><C-s>");
    test.shows("Press C-s again to save anyway");
    assert_eq!(test.text(), FILE);
    // A changed selector has to be confirmed again.
    test.keys("i<C-u>footer a<Enter><C-s>");
    assert_eq!(test.text(), FILE);
    test.keys("<C-s>");
    test.shows("Saved: website.articles");
    assert_eq!(test.text(), FILE.replace("main h3 > a", "footer a"));
}

#[test]
fn elements_without_links_are_not_articles() {
    let mut test = BenchTest::open(now_page(), false, "W");
    test.keys("i<C-u>time<Enter>");
    let screen = test.screen();
    let row = screen.lines().find(|line| line.contains(" Articles ")).unwrap();
    assert!(row.contains("5  ✗"), "{screen}");
    test.shows("Matches 5 elements, but finds no link to an article.");
}

#[test]
fn undoes_a_picked_element() {
    let mut test = BenchTest::open(now_page(), false, "W");
    test.keys("u");
    test.shows("Nothing to undo: no element was picked");
    test.keys("i<C-u>h3 a<Enter>G<Enter>");
    assert!(!test.screen().contains("▏h3 a "), "{}", test.screen());
    test.keys("u");
    test.shows("Undone: Articles");
    test.shows("▏h3 a ");
}
