//! Searches for titles: items that are listed first because of them, and items without one.

use super::*;
use crate::query::Query;
use crate::store::TitleMatch;

fn view(typed: &str, order: SortOrder) -> View {
    let query: Query = typed.parse().unwrap();
    let start = TitleMatch::of(&query);
    let criteria = Criteria { title_match: start, ..criteria(typed) };
    View { criteria, order, ..View::of(Scope::All) }
}

#[test]
fn titles_that_contain_the_typed_words_are_first() {
    let f = Fixture::new(&["a"]);
    let item = |title: &str, hours, text: &str| Entry {
        content: Some(text.to_owned()),
        ..dated(title, hours)
    };
    let all = "a plover, the cafe plovers, rust, C++ and 日本語";
    f.poll(
        "a",
        vec![
            item("More about the Plover", 1, all),
            item("Rust, and more", 2, all),
            item("The “Plover”: a bird", 3, all),
            item("Rust!", 4, all),
            item("THE PLOVERS", 5, "short"),
            item("C++", 6, all),
            item("日本語の本", 7, all),
        ],
    );
    f.index_all();
    f.set(Mark::Pinned, "More about the Plover");
    let first = |typed: &str| {
        let rows = f.rows(&view(typed, SortOrder::PinnedNewest));
        let count = rows.iter().filter(|row| row.by_title).count();
        assert!(rows[..count].iter().all(|row| row.by_title), "{typed}: {rows:?}");
        rows[..count].iter().map(|row| row.title.clone()).collect::<Vec<_>>().join(" | ")
    };
    for (typed, expected) in [
        ("the plov", "More about the Plover | The “Plover”: a bird | THE PLOVERS"),
        ("title:the title:plover", "More about the Plover | The “Plover”: a bird | THE PLOVERS"),
        ("\"the plover\"", "More about the Plover | The “Plover”: a bird"),
        ("plover the", ""),
        ("the plover -bird", "More about the Plover | THE PLOVERS"),
        ("The Plover bird", ""),
        ("plover", ""),
        ("rust", "Rust!"),
        ("rus", ""),
        ("c++", "C++"),
        ("日本", "日本語の本"),
        ("the plover asof:2026-11-20", ""),
        ("the plover is:pinned", "More about the Plover"),
        ("is:unread", ""),
    ] {
        assert_eq!(first(typed), expected, "{typed}");
    }
    // The others keep their order, and no item is listed twice.
    let plain = |order| View { criteria: criteria("rust"), order, ..View::of(Scope::All) };
    for order in [SortOrder::PinnedNewest, SortOrder::Newest, SortOrder::Oldest] {
        let mut others = f.titles(&plain(order));
        others.retain(|title| title != "Rust!");
        others.insert(0, "Rust!".to_owned());
        assert_eq!(f.titles(&view("rust", order)), others, "{order:?}");
    }
    let best = f.rows(&view("rust", SortOrder::Best));
    assert!(best.iter().all(|row| !row.by_title), "{best:?}");
}

#[test]
fn old_items_with_the_typed_title_are_found_beyond_the_newest_matches() {
    let f = Fixture::new(&["a"]);
    let (most, titles) = (crate::store::SEARCH_LIMIT, 25);
    let old = (0..titles).map(|n| dated(&format!("Marsh birds {n}"), 9000 + n));
    let new = (0..most as i64 + 1).map(|n| dated(&format!("Of marsh birds {n}"), n));
    f.poll("a", old.collect());
    f.poll("a", new.collect());
    f.index_all();
    let view = view("marsh birds", SortOrder::Newest);
    let window = f.store.reader().unwrap().window(&view, Anchor::First, 50).unwrap();
    assert_eq!((window.rows.len(), window.cut), (most + 20, true), "at most 20 more");
    assert!(window.rows[..20].iter().all(|row| row.title.starts_with("Marsh")));
    assert!(!window.rows[20].by_title);
}

#[test]
fn a_story_is_listed_as_the_item_with_the_typed_title() {
    const TITLE: &str = "River bridge reopens after repairs";
    let f = Fixture::new(&["a", "b"]);
    let item = |title: &str, hours| Entry {
        url: Some("https://a.example/2027/river-bridge-reopens".to_owned()),
        ..dated(title, hours)
    };
    f.poll("a", vec![item(TITLE, 9)]);
    f.poll("b", vec![item("Bridge reopens at last", 2)]);
    f.index_all();
    let folded = |typed| View { fold: true, ..view(typed, SortOrder::Newest) };
    assert_eq!(f.titles(&folded("reopens bridge")), [TITLE], "they are one story");
    assert_eq!(f.titles(&folded("bridge reopens at")), ["Bridge reopens at last"]);
}

#[test]
fn an_item_without_title_and_text_is_found_by_its_name() {
    let f = Fixture::new(&["a"]);
    let item = |name: &str, content: Option<&str>| Entry {
        url: Some(format!("https://a.example/people/{name}/")),
        guid: Some(name.to_owned()),
        content: content.map(str::to_owned),
        ..dated("", 1)
    };
    f.poll("a", vec![item("a_brown", None), item("b_brown", Some("<p>A text")), dated("c", 2)]);
    f.index_all();
    for (typed, expected) in [("brown", 1), ("title:brown", 1), ("\"a brown\"", 1), ("people", 0)] {
        let rows = f.rows(&view(typed, SortOrder::Newest));
        assert_eq!(rows.len(), expected, "{typed}");
        // The stored title stays empty.
        assert!(rows.iter().all(|row| row.title.is_empty()
            && row.url.as_ref().is_some_and(|url| url.ends_with("a_brown/"))));
    }
}
