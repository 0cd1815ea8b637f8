//! Tests of the search line: errors in what is typed, and completion.

use super::*;
use crate::store::ItemValues;

#[test]
fn an_unfinished_condition_is_ignored_and_its_error_marked() {
    // Typed text, the number of rows, and the underlined part.
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
fn tab_completes_operators_and_their_values() {
    let cases = [
        ("/fo<Tab>", "/ folder:"),
        ("/fo<Tab><Tab>", "/ folder:City"),
        ("/rust fo<Tab><Tab><Tab>", "/ rust folder:Tech"),
        ("/is:ch<Tab>", "/ is:changed"),
        ("/is:<S-Tab>", "/ is:snoozed"),
        ("/is:un<Tab><Esc>", "/ is:un"),
        ("/is:un<Tab> tin", "/ is:unread tin"),
        ("/source:kern<Tab>", "/ source:\"Kernel notes and other things\""),
        ("/kern<Tab>", "/ source:\"Kernel notes and other things\""),
        ("/tiny -kern<Tab>", "/ tiny -source:\"Kernel notes and other things\""),
        ("/-after:yes<Tab>", "/ -after:yesterday"),
        ("/nothing<Tab>", "/ nothing"),
        ("/has:au<Tab>", "/ has:audio"),
        ("/-in:<Tab>", "/ -in:later"),
        ("/category:ker<Tab>", "/ category:\"Kernel notes\""),
        ("/lang:<Tab>", "/ lang:de-CH"),
    ];
    for (keys, expected) in cases {
        let mut stage = Stage::new();
        let (categories, languages) = (vec!["Kernel notes".to_owned()], vec!["de-CH".to_owned()]);
        stage.happen(Event::ValuesLoaded(Ok(ItemValues { categories, languages })));
        stage.keys(keys);
        let screen = stage.screen(120, 40);
        let line = screen.lines().find(|l| l.contains("  / ")).unwrap();
        assert!(line.contains(expected), "{keys}: {line}");
    }
    // The list follows the completion.
    let mut stage = Stage::new();
    stage.keys("/source:kern<Tab><Enter>");
    assert!(stage.screen(120, 40).contains("Search  source:\"Kernel notes and other things\""));
}
