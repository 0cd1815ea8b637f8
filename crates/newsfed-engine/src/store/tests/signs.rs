//! Searches for words with symbols, such as `c++` and `c#`.

use super::rules::{rule, use_rules};
use super::*;
use crate::store::count::Count;

/// Title, text and author of items.
const ITEMS: [(&str, &str, &str); 9] = [
    ("plus", "<p>Templates in <b>C</b>++20, and more.", ""),
    ("vitamin", "<p>Vitamin C, a template +1 ++", ""),
    ("C# 14", "<p>New.", ""),
    ("abc", "<p>The chord abc# in the key of c", "c#"),
    ("F# 9", "<p>Not C.", ""),
    ("notepad", "<p>Notepad++ is not a notepad", ""),
    ("phrase", "<p>Some C++ templates", ""),
    ("accent", "<p>c++ and caf\u{e9}#", ""),
    ("link", "<p><a href=\"https://a.example/c++\">C</a>", ""),
];

fn stored() -> Fixture {
    let f = Fixture::new(&["a"]);
    poll(&f);
    f.index_all();
    f
}

fn poll(f: &Fixture) {
    let item = |(hours, (title, text, author)): (usize, &(&str, &str, &str))| Entry {
        content: Some((*text).to_owned()),
        authors: vec![(*author).to_owned()],
        ..dated(title, hours as i64)
    };
    f.poll("a", ITEMS.iter().enumerate().map(item).collect());
}

fn view(query: &str) -> View {
    View { criteria: criteria(query), order: SortOrder::Newest, ..View::of(Scope::All) }
}

/// Queries and the titles of the items that they find.
const CASES: &[(&str, &str)] = &[
    ("c++", "plus, phrase, accent"),
    ("C++", "plus, phrase, accent"),
    ("\"c++\"", "plus, phrase, accent"),
    ("c++ -templates", "accent"),
    ("title:c++", ""),
    ("c#", "C# 14, abc"),
    ("title:\"c#\"", "C# 14"),
    ("author:c#", "abc"),
    ("f#", "F# 9"),
    ("c", "plus, vitamin, C# 14, abc, F# 9, phrase, accent, link"),
    ("#c title:link", "link"),
    ("+1", "vitamin"),
    ("notepad++", "notepad"),
    ("note++", ""),
    ("caf\u{e9}#", "accent"),
    ("\"c++ templates\"", "phrase"),
    ("\"c templates\"", "phrase"),
    ("\"in c++\"", "plus"),
    ("c++20", "plus"),
    ("-c++ c", "vitamin, C# 14, abc, F# 9, link"),
    ("-c++ -c#", "vitamin, F# 9, notepad, link"),
    ("c++ OR c#", "plus, C# 14, abc, phrase, accent"),
    ("(c++ OR f#) c", "plus, F# 9, phrase, accent"),
    ("(c++ OR is:pinned)", "plus, phrase, accent"),
    ("-(c++ templates) c", "vitamin, C# 14, abc, F# 9, accent, link"),
    ("(c -c++ -c#) OR \"notepad++ is\"", "vitamin, F# 9, notepad, link"),
    ("-(-c++ c)", "plus, notepad, phrase, accent"),
];

#[test]
fn symbols_after_a_word_are_searched() {
    let f = stored();
    for (query, expected) in CASES {
        let view = view(query);
        assert_eq!(f.titles(&view).join(", "), *expected, "{query}");
        let reader = f.store.reader().unwrap();
        let items = expected.split(", ").filter(|title| !title.is_empty()).count() as u32;
        for fold in [false, true] {
            let count = reader.count(&View { fold, ..view.clone() }).unwrap();
            assert_eq!(count, Count { items, more: false }, "{query}");
        }
        let keys = reader.keys(&view).unwrap();
        assert_eq!(keys.len() as u32, items, "{query}");
        let best = View { order: SortOrder::Best, ..view };
        assert_eq!(f.titles(&best).len() as u32, items, "{query}");
    }
}

#[test]
fn rules_match_the_same_symbols() {
    for (query, expected) in CASES {
        let f = Fixture::new(&["a"]);
        use_rules(&f, vec![rule("Read", query, &["read"])]);
        poll(&f);
        assert_eq!(f.titles(&view("is:read")).join(", "), *expected, "{query}");
    }
}

#[test]
fn symbols_are_searched_in_earlier_versions() {
    let f = Fixture::new(&["a"]);
    let titled = |title: &str| Entry { title: title.to_owned(), ..entry("1") };
    f.poll("a", vec![titled("What C++ is"), entry("C")]);
    f.poll("a", vec![titled("What C is"), entry("C")]);
    f.index_all();
    let found = |query: &str| f.titles(&view(query));
    assert_eq!(found("in:versions c++"), ["What C is"]);
    assert_eq!(found("in:versions title:c++"), ["What C is"]);
    assert_eq!(found("in:versions \"c++ is\" -rust++"), ["What C is"]);
    for query in ["in:versions c#", "in:versions author:c++", "in:versions c -c++", "c++"] {
        assert!(found(query).is_empty(), "{query}");
    }
}
