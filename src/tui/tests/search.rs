//! Tests of the search field: errors in the query, and completion.

mod matches;

use super::*;
use crate::store::ItemValues;

#[test]
fn an_unfinished_condition_is_ignored_and_its_error_marked() {
    // The typed text, the number of rows, and the underlined part.
    for (typed, rows, marked) in [
        ("tiny (", 1, "("),
        ("tiny (alloc OR", 1, "OR"),
        ("tiny (alloc OR zzz", 1, "("),
        ("tiny age>", 1, "age>"),
        ("tiny words<", 1, "words<"),
        ("words<", 8, "words<"),
        ("age>", 8, "age>"),
        ("(tiny", 8, "("),
    ] {
        let mut stage = Stage::new();
        stage.keys(&format!("/{}", typed.replace('<', "<lt>")));
        assert_eq!(stage.app.items.rows.len(), rows, "{typed}");
        let screen = stage.drawn(120, 40);
        let is_marked = |cell: &&ratatui::buffer::Cell| {
            cell.modifier.contains(ratatui::style::Modifier::UNDERLINED)
        };
        let shown: String = screen.content.iter().filter(is_marked).map(|c| c.symbol()).collect();
        assert_eq!(shown, marked, "{typed}");
    }
}

#[test]
fn best_matches_keep_their_order_while_items_arrive() {
    let mut stage = Stage::new();
    stage.keys(":sort best<Enter>/e<Enter>");
    let titles = |stage: &Stage| -> Vec<String> {
        stage.app.items.rows.iter().map(|row| row.title.clone()).collect()
    };
    let before = titles(&stage);
    assert!(before.len() > 3 && stage.app.items.shown_order() == crate::config::SortOrder::Best);
    for (rank, row) in (0..).zip(stage.rows.iter_mut().rev()) {
        row.rank = rank;
    }
    stage.happen(Event::StoreChanged);
    assert_eq!(titles(&stage), before);
    // A new search uses the new ranks.
    stage.keys("<Esc>/e<Enter>");
    assert_ne!(titles(&stage), before);
}

#[test]
fn only_searches_by_words_are_ordered_by_best_match() {
    let mut stage = Stage::new();
    stage.keys("gi");
    let orders = |stage: &mut Stage| -> Vec<&str> {
        let mut next = || {
            stage.keys(">");
            stage.app.items.shown_order().label()
        };
        vec![next(), next(), next(), next()]
    };
    let (first, others) = ("pinned, then newest", ["newest first", "oldest first"]);
    assert_eq!(orders(&mut stage), [others[0], others[1], first, others[0]]);
    stage.keys(">>/a<Enter>");
    let screen = stage.screen(80, 24);
    assert!(screen.contains("> best match "), "the hint is visible at once: {screen}");
    assert_eq!(orders(&mut stage), ["best match first", others[0], others[1], first]);
    stage.keys(">");
    let screen = stage.screen(120, 40);
    assert!(screen.contains("best match first") && !screen.contains("Today ─"), "{screen}");
    assert!(screen.contains("< pinned, then newest "), "{screen}");
    stage.keys("<lt>");
    assert_eq!(stage.app.items.shown_order().label(), first);
    stage.keys(">");
    // The order of other lists is unchanged, and searches keep their order.
    stage.keys("<Esc>");
    assert_eq!(stage.app.items.shown_order().label(), first);
    stage.keys("/a<Enter>");
    assert_eq!(stage.app.items.shown_order().label(), "best match first");
    stage.keys("<Esc>:sort oldest<Enter>");
    assert_eq!(stage.app.items.shown_order().label(), others[1]);
    stage.keys("/a<Enter>>");
    assert_eq!(stage.app.items.shown_order().label(), "best match first");
    stage.keys(">");
    assert_eq!(stage.app.items.shown_order().label(), first);
    stage.keys("<Esc>");
    assert_eq!(stage.app.items.shown_order().label(), others[1]);
}

#[test]
fn items_with_the_typed_title_are_listed_first() {
    const TITLE: &str = "Election results, live";
    let mut stage = Stage::new();
    stage.rows.iter_mut().for_each(|row| row.by_title = row.title == TITLE);
    let is_label =
        |line: &&str| line.contains("Matching title ─") && line.trim_end().ends_with("─ 1");
    for (keys, listed) in [("gi", false), ("/e", true), ("<Enter>", true), ("<Esc>fe", true)] {
        stage.keys(keys);
        let screen = stage.screen(120, 40);
        let below = screen.lines().skip_while(|line| !is_label(line)).nth(1);
        assert_eq!(below.is_some_and(|line| line.contains(TITLE)), listed, "{keys}: {screen}");
        assert_eq!(screen.matches(TITLE).count(), 1, "{keys}: {screen}");
    }
    // In a list grouped by source, these items stay with their sources.
    stage.app.settings.ui.group = crate::config::Grouping::Source;
    stage.keys("<Esc>/e");
    let screen = stage.screen(120, 40);
    assert!(!screen.contains("Matching title ─"), "{screen}");
}

#[test]
fn the_order_can_be_changed_while_typing_a_search() {
    let mut stage = Stage::new();
    stage.keys("/");
    assert!(!stage.screen(120, 40).contains("C-o"), "nothing to rank yet");
    stage.keys("a");
    assert!(stage.screen(120, 40).contains("C-o best match"));
    stage.keys("<C-o>");
    assert!(stage.screen(120, 40).contains("C-o by date"));
    assert_eq!(stage.app.items.shown_order().label(), "best match first");
    stage.keys("<C-o>");
    assert_eq!(stage.app.items.shown_order().label(), "pinned, then newest");
    stage.keys("<C-o><Enter>");
    assert_eq!(stage.app.items.shown_order().label(), "best match first");
    // Without words, there is nothing to rank.
    stage.keys("/is:read<C-o>");
    assert!(!stage.screen(120, 40).contains("C-o"));
}

#[test]
fn unclosed_parts_of_a_query_are_not_searched_for_yet() {
    // The typed text, the number of rows, the hint, and the first words after Enter.
    for (typed, rows, hint, message) in [
        ("title:(", 8, "write (title:a title:b)", "a group cannot follow an operator"),
        ("tiny title:(zzz", 1, "write (title:a title:b)", "a group cannot follow an operator"),
        ("(", 8, "\"(\" needs a condition", "\"(\" needs a condition"),
        ("(tiny", 8, "close it with )", "\"(\" has no \")\""),
        ("\"", 8, "close it with \"", "the phrase has no closing \""),
        ("\"tiny", 1, "close it with \"", "the phrase has no closing \""),
        ("/re+", 8, "close it with /", "the pattern has no closing \"/\""),
    ] {
        let mut stage = Stage::new();
        stage.keys(&format!("/{typed}"));
        assert_eq!(stage.app.items.rows.len(), rows, "{typed}");
        let screen = stage.screen(120, 40);
        assert!(screen.contains(hint), "{typed}: {screen}");
        stage.keys("<Enter>");
        let screen = stage.screen(120, 40);
        assert!(screen.contains(message), "{typed}: {screen}");
        assert_eq!(stage.app.dialogs.len(), 1, "{typed}");
        // An invalid query stays in the field; any other is searched as typed.
        stage.keys("<Enter>");
        assert_eq!(stage.app.dialogs.len(), usize::from(typed.starts_with('(')), "{typed}");
        let listed = &stage.app.items.listing.query;
        assert_eq!(listed == typed, !typed.starts_with('('), "{typed}: {listed}");
    }
    let mut stage = Stage::new();
    stage.keys("/title:(<Enter>tiny)<Enter>");
    assert_eq!(stage.app.items.listing.query, "title:(tiny)");
    // A view saved after the message has all conditions.
    stage.keys("/tiny \"zzz<C-s><C-s>");
    assert_eq!(stage.app.items.listing.query, "tiny \"zzz");
    let mut stage = Stage::new();
    stage.keys("//tiny");
    assert!(stage.screen(120, 40).contains("for a pattern, close it with /"));
    stage.keys("<Enter>");
    assert!(stage.app.dialogs.is_empty(), "a path is searched at once");
    let mut stage = Stage::new();
    stage.keys("/\"tiny\"<Enter>");
    assert!(stage.app.dialogs.is_empty(), "a closed phrase is kept at once");
}

#[test]
fn tab_completes_operators_and_their_values() {
    let cases = [
        ("/fo<Tab>", "› Search: folder:"),
        ("/fo<Tab><Tab>", "› Search: folder:City"),
        ("/rust fo<Tab><Tab><Tab>", "› Search: rust folder:Tech"),
        ("/is:ch<Tab>", "› Search: is:changed"),
        ("/is:<S-Tab>", "› Search: is:snoozed"),
        ("/is:un<Tab><Esc>", "› Search: is:un"),
        ("/is:un<Tab> tin", "› Search: is:unread tin"),
        ("/source:kern<Tab>", "› Search: source:\"Kernel notes and other things\""),
        ("/kern<Tab>", "› Search: source:\"Kernel notes and other things\""),
        ("/tiny -kern<Tab>", "› Search: tiny -source:\"Kernel notes and other things\""),
        ("/-after:yes<Tab>", "› Search: -after:yesterday"),
        ("/nothing<Tab>", "› Search: nothing"),
        ("/has:au<Tab>", "› Search: has:audio"),
        ("/-in:<Tab>", "› Search: -in:later"),
        ("/category:ker<Tab>", "› Search: category:\"Kernel notes\""),
        ("/lang:<Tab>", "› Search: lang:de-CH"),
    ];
    for (keys, expected) in cases {
        let mut stage = Stage::new();
        let (categories, languages) = (vec!["Kernel notes".to_owned()], vec!["de-CH".to_owned()]);
        stage.happen(Event::ValuesLoaded(Ok(ItemValues { categories, languages })));
        stage.keys(keys);
        let screen = stage.screen(120, 40);
        let line = screen.lines().find(|l| l.contains("  › ")).unwrap();
        assert!(line.contains(expected), "{keys}: {line}");
    }
    // The list updates after the completion.
    let mut stage = Stage::new();
    stage.keys("/source:kern<Tab><Enter>");
    let screen = stage.screen(120, 40);
    assert!(screen.contains("  source:\"Kernel notes and other things\""), "{screen}");
}

#[test]
fn suggestions_do_not_cover_the_selected_result() {
    for (width, height) in [(120, 40), (80, 24), (80, 14)] {
        let mut stage = Stage::new();
        stage.screen(width, height);
        stage.keys("/e source:");
        let screen = stage.screen(width, height);
        let selected = stage.app.items.current().unwrap().title.clone();
        let start: String = selected.chars().take(12).collect();
        assert!(screen.contains(&start), "{screen}");
        // On a short screen, the suggestions would cover the selected item, so only Tab opens them.
        assert_eq!(screen.contains(" more"), height > 14, "{screen}");
        stage.keys("<Tab>");
        let screen = stage.screen(width, height);
        assert!(!screen.contains(" more"), "{screen}");
        let shown = ["council", "theatre", "news"];
        assert!(shown.iter().all(|name| screen.contains(name)), "{screen}");
    }
}

#[test]
fn another_search_replaces_the_previous_words() {
    for (keys, expected) in [
        ("/bridge<Enter>/ferry", "ferry"),
        ("fbridge<Enter>fferry", "ferry"),
        ("/bridge<Enter>/<Left>x", "bridgxe"),
        ("/bridge<Enter>/<Backspace>", ""),
    ] {
        let mut stage = Stage::new();
        stage.keys(keys);
        let mut dialog = stage.app.dialogs.pop().unwrap();
        assert_eq!(dialog.field().unwrap().value(), expected, "{keys}");
    }
    // A filter of a view extends the query of the view.
    let layout = Default::default();
    let views = vec![crate::config::ViewSettings {
        name: "Old".to_owned(),
        query: "age>1m".to_owned(),
        layout,
    }];
    let settings = Settings { views, ..Settings::default() };
    let mut stage = Stage::with(settings, source_list(), item_rows());
    stage.keys("<C-p>Old<Enter>ftiny");
    let mut dialog = stage.app.dialogs.pop().unwrap();
    assert_eq!(dialog.field().unwrap().value(), "age>1m tiny");
}

#[test]
fn an_empty_search_field_shows_the_number_of_items() {
    let mut list = source_list();
    list.sources[0].facts.items = 1200;
    list.sources[1].facts.items = 34;
    let mut stage = Stage::with(Settings::default(), list, vec![]);
    for (width, height) in SIZES {
        stage.screen(width, height);
        stage.keys("/");
        let screen = stage.screen(width, height);
        // A small window only has space for the operators.
        assert_eq!(screen.contains("Type to search 1234 items"), height > 12, "{screen}");
        assert!(!screen.contains("Nothing matches") && !screen.contains("(0)"), "{screen}");
        stage.keys("<Esc>");
    }
}

#[test]
fn shows_no_number_while_nothing_is_searched_for() {
    for (width, height) in SIZES {
        for (typed, counts) in [
            ("author:", false),
            ("befor:2014", false),
            ("title =~ \"tiny\"", false),
            ("tiny author:", true),
            ("tiny", true),
        ] {
            let mut stage = Stage::new();
            stage.screen(width, height);
            stage.keys(&format!("/{typed}"));
            let screen = stage.screen(width, height);
            let line = |line: &&str| line.contains(" found") || line.contains("Search (");
            assert_eq!(screen.lines().any(|l| line(&l)), counts, "{typed}: {screen}");
        }
    }
}

#[test]
fn a_filter_of_an_empty_list_shows_why_the_list_is_empty() {
    let mut stage = Stage::with(Settings::default(), source_list(), vec![]);
    stage.screen(120, 40);
    stage.keys("gaf");
    let screen = stage.screen(120, 40);
    assert!(screen.contains("No items yet") && !screen.contains("Nothing matches"), "{screen}");
    stage.keys("x");
    assert!(stage.screen(120, 40).contains("Nothing matches"));
}

#[test]
fn a_search_without_results_shows_no_article() {
    let mut stage = Stage::new();
    stage.screen(120, 40);
    stage.keys("<Enter>h");
    assert!(stage.screen(120, 40).contains("The merge window"));
    stage.keys("/nothing like it");
    let screen = stage.screen(120, 40);
    assert!(screen.contains("Nothing matches") && !screen.contains("The merge window"), "{screen}");
    stage.keys("<Esc>");
    assert!(stage.screen(120, 40).contains("The merge window"));
}

#[test]
fn a_key_in_the_search_field_searches_only_titles() {
    let mut stage = Stage::new();
    stage.screen(120, 40);
    stage.keys("/tiny alloc");
    let screen = stage.screen(120, 40);
    assert!(screen.contains("C-t titles only"), "{screen}");
    let typed = |stage: &mut Stage| {
        let mut dialog = stage.app.dialogs.pop().unwrap();
        let value = dialog.field().unwrap().value().to_owned();
        stage.app.dialogs.push(dialog);
        value
    };
    for expected in ["title:tiny title:alloc", "tiny alloc"] {
        stage.keys("<C-t>");
        assert_eq!(typed(&mut stage), expected);
        assert_eq!(stage.app.items.listing.query, expected, "the list follows");
    }
    // An incomplete query is not changed.
    stage.keys(" (<C-t>");
    assert_eq!(typed(&mut stage), "tiny alloc (");
}

#[test]
fn a_filter_shows_how_many_items_match() {
    let mut stage = Stage::new();
    stage.screen(80, 24);
    stage.keys("gaf");
    let screen = stage.screen(80, 24);
    let all = stage.app.items.rows.len();
    let (of_all, one) = (format!("{all} of {all}"), format!("1 of {all}"));
    let line = |screen: &str, n: usize| screen.lines().nth(n).unwrap().to_owned();
    assert!(
        line(&screen, 0).contains("› Find in list: ") && line(&screen, 0).contains(&of_all),
        "{screen}"
    );
    // The hint does not cover the rule.
    assert!(line(&screen, 1).contains('━'), "{screen}");
    assert!(line(&screen, 2).contains(" Pinned ─"), "{screen}");
    stage.keys("release");
    let screen = stage.screen(80, 24);
    assert!(line(&screen, 0).contains(&one), "{screen}");
    // The rule is as wide as the field.
    let heavy = line(&screen, 1).matches('━').count();
    assert!(heavy > 30, "{screen}");
    // When the filter is edited, the total still counts the whole list.
    stage.keys("<Enter>f");
    assert!(line(&stage.screen(80, 24), 0).contains(&one));
    // Matching rows of the Sources pane are counted too.
    stage.keys("<Esc><Esc><C-p>kernel");
    let screen = stage.screen(80, 24);
    assert!(line(&screen, 0).contains("1 of ") || line(&screen, 1).contains("1 of "), "{screen}");
}

#[test]
fn completions_leave_the_line_below_the_filter_visible() {
    let mut stage = Stage::with(Settings::default(), source_list(), item_rows());
    stage.screen(120, 36);
    stage.keys("ffe<Tab>");
    let screen = stage.screen(120, 36);
    let lines: Vec<&str> = screen.lines().collect();
    let row = lines.iter().position(|line| line.contains("Find")).unwrap();
    assert!(lines[row + 1].contains('━'), "{screen}");
}

#[test]
fn completions_cover_headings_completely() {
    for (keys, candidate) in [("/so", "source: of a source"), ("gafso", "source: of a source")] {
        let mut stage = Stage::new();
        stage.screen(120, 36);
        stage.keys(keys);
        let screen = stage.screen(120, 36);
        let row = screen.lines().find(|line| line.contains(candidate)).unwrap();
        let (before, after) = row.split_once(candidate).unwrap();
        assert!(before.ends_with("    ") && !after.contains('─'), "{screen}");
    }
}

#[test]
fn a_search_shows_that_it_covers_all_items() {
    let mut stage = Stage::new();
    stage.screen(120, 36);
    stage.keys("gs<Down><Down><Down><Down><Enter>");
    let bar = |screen: &str| {
        let sources = |line: &str| line.chars().take(3).collect::<String>();
        screen.lines().map(sources).any(|line| line.contains(['▌', '▏', '│']))
    };
    let before = stage.screen(120, 36);
    assert!(bar(&before), "{before}");
    stage.keys("/");
    // The hint begins next to the cursor.
    let screen = stage.screen(120, 36);
    assert!(screen.contains("› Search:  all items: words, is:unread, source:"), "{screen}");
    stage.keys("e<Enter>");
    let screen = stage.screen(120, 36);
    assert!(screen.contains("Search all items  "), "{screen}");
    assert!(!bar(&screen), "no source is shown as listed: {screen}");
    stage.keys("<Esc>");
    assert!(bar(&stage.screen(120, 36)));
}
