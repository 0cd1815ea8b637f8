//! Stories: items of different sources about the same thing.

use super::*;
use crate::model::Retention;
use std::collections::{BTreeSet, HashMap};

const TEXT: &str = "The old bridge over the river opens on Monday after nine months of repairs, the city said, \
    with two lanes for cars and a wider path for cyclists.";

/// An item that links to its own page, with the same text as the others.
fn report(source: &str, title: &str, hours_ago: i64) -> Entry {
    let url = format!("https://{source}.example/2027/{}", title.to_lowercase().replace(' ', "-"));
    Entry { url: Some(url), content: Some(format!("<p>{TEXT}</p>")), ..dated(title, hours_ago) }
}

const TITLE: &str = "River bridge reopens after repairs";

/// Three sources with one story, and an unrelated item.
fn three() -> Fixture {
    let f = Fixture::new(&["a", "b", "c"]);
    f.poll("a", vec![report("a", TITLE, 9), dated("Alone in the archive of letters", 1)]);
    f.poll("b", vec![report("b", "River bridge reopens after long repairs", 5)]);
    let link = Entry { url: report("a", TITLE, 9).url, ..dated("The bridge!", 2) };
    f.poll("c", vec![link]);
    f.index_all();
    f
}

fn folded() -> View {
    View { fold: true, order: SortOrder::Newest, ..View::of(Scope::All) }
}

fn matching(query: &str) -> View {
    View { criteria: criteria(query), order: SortOrder::Newest, ..View::of(Scope::All) }
}

/// The stories as sets of titles.
fn stories(f: &Fixture) -> BTreeSet<BTreeSet<String>> {
    let mut stories: HashMap<i64, BTreeSet<String>> = HashMap::new();
    for row in f.rows(&View::of(Scope::All)) {
        let Some(story) = row.story else { continue };
        stories.entry(story).or_default().insert(format!("{}:{}", row.source_key, row.title));
    }
    stories.into_values().collect()
}

#[test]
fn a_story_is_found_listed_once_and_searched() {
    let f = three();
    let rows = f.rows(&View::of(Scope::All));
    let also: Vec<u32> = rows.iter().map(|row| row.also).collect();
    assert_eq!(also, [0, 2, 2, 2], "{rows:?}");
    assert_eq!(f.titles(&folded()), ["Alone in the archive of letters", TITLE]);
    let duplicates = ["The bridge!", "River bridge reopens after long repairs"];
    assert_eq!(f.titles(&matching("is:duplicate")), duplicates);
    assert_eq!(f.titles(&matching("has:duplicate")).len(), 3);
    assert_eq!(f.titles(&matching("-has:duplicate")), ["Alone in the archive of letters"]);
    let count = f.store.reader().unwrap().count(&folded()).unwrap();
    assert_eq!((count.items, count.more), (2, false));

    // Which items are folded depends on the list.
    let of_b = View { scope: Scope::Sources(vec![f.key("b")]), ..folded() };
    assert_eq!(f.titles(&of_b), ["River bridge reopens after long repairs"]);
    let search = View { fold: true, ..matching("bridge") };
    assert_eq!(f.titles(&search), [TITLE]);
    // The earliest item of the story does not match.
    let search = View { fold: true, ..matching("long") };
    assert_eq!(f.titles(&search), ["River bridge reopens after long repairs"]);
    let count = f.store.reader().unwrap().count(&search).unwrap();
    assert_eq!((count.items, count.more), (1, false));
    f.set(Mark::Read, TITLE);
    let unread = View { unread_only: true, ..folded() };
    assert_eq!(f.titles(&unread)[1], "River bridge reopens after long repairs");
    f.set(Mark::Pinned, "The bridge!");
    assert_eq!(f.titles(&folded()), ["Alone in the archive of letters", "The bridge!"]);
    let (story, others) = f.store.reader().unwrap().story(rows[3].key).unwrap();
    assert_eq!(story, rows[3].story);
    let others: Vec<&str> = others.iter().map(|other| other.source.as_str()).collect();
    assert_eq!(others, ["b", "c"]);
}

#[test]
fn marks_of_a_story_are_set_together_and_undone() {
    let f = three();
    let first = f.rows(&matching("title:after -long"))[0].key;
    let unread = || f.titles(&matching("unread")).len();
    let changed = f.store.mark_stories_blocking(Mark::Read, vec![first], true).unwrap();
    assert_eq!((changed.len(), unread()), (3, 1));
    f.store.mark_blocking(Mark::Read, changed, false).unwrap();
    assert_eq!(unread(), 4);
    let of_b = View { scope: Scope::Sources(vec![f.key("b")]), ..folded() };
    let last = f.store.reader().unwrap().last_key().unwrap();
    let changed = f.store.read_view_blocking(of_b, Part::up_to(last), true, f.now).unwrap();
    assert_eq!((changed.len(), unread()), (3, 1));
    f.store.mark_blocking(Mark::Read, changed, false).unwrap();
    // Without the setting, a folded list is still marked as a whole.
    assert_eq!(
        f.store.read_view_blocking(folded(), Part::up_to(last), false, f.now).unwrap().len(),
        4
    );
}

#[test]
fn counts_the_items_that_would_be_marked_read() {
    let rows = folded_rows();
    let of = |view: &View, beyond| (view.clone(), beyond);
    let whole = View { fold: false, ..folded() };
    for (listed, (view, beyond), stories, expected) in [
        ("a list", of(&whole, None), false, 4),
        ("a folded list", of(&folded(), None), false, 4),
        ("the row above its story", of(&folded(), Some(Beyond::Above(rows.1))), false, 1),
        ("the row of a story", of(&folded(), Some(Beyond::Below(rows.0))), false, 3),
        ("one row of three", of(&whole, Some(Beyond::Below(rows.1))), false, 0),
        ("a source", of(&View { scope: Scope::Sources(vec![2]), ..folded() }, None), false, 1),
        ("its stories", of(&View { scope: Scope::Sources(vec![2]), ..folded() }, None), true, 3),
        ("a row of a search", of(&View { scope: only(rows.1), ..whole.clone() }, None), false, 1),
        ("with its story", of(&View { scope: only(rows.1), ..folded() }, None), false, 3),
    ] {
        let f = three();
        let reader = f.store.reader().unwrap();
        let part = Part { up_to: reader.last_key().unwrap(), beyond };
        assert_eq!(reader.unread_in(&view, part, stories).unwrap(), expected, "{listed}");
        let marked = f.store.read_view_blocking(view.clone(), part, stories, f.now).unwrap();
        assert_eq!(marked.len(), expected, "{listed}");
        assert_eq!(reader.unread_in(&view, part, stories).unwrap(), 0, "{listed}");
    }
}

/// The positions of the rows of [`folded`]: an item without a story, and a story.
fn folded_rows() -> (Cursor, Cursor) {
    let rows = three().rows(&folded());
    ((&rows[0]).into(), (&rows[1]).into())
}

fn only(row: Cursor) -> Scope {
    Scope::Only(vec![row.key].into())
}

#[test]
fn a_read_story_stays_read_if_configured() {
    for together in [false, true] {
        let f = Fixture::new(&["a", "b"]);
        f.store.read_stories_together(together);
        f.poll("a", vec![report("a", TITLE, 9)]);
        f.index_all();
        f.set(Mark::Read, TITLE);
        f.poll("b", vec![report("b", TITLE, 5)]);
        f.index_all();
        assert_eq!(f.counts("b").1, u32::from(!together));
    }
}

#[test]
fn similar_items_need_not_form_a_story() {
    for (source, title, hours) in [
        ("a", TITLE, 5),
        ("b", TITLE, 24 * 8),
        ("b", "River bridge reopens after repairs, part 2", 5),
        ("b", "Budget vote postponed again in the council", 5),
    ] {
        let f = Fixture::new(&["a", "b"]);
        let first = if title.contains("part") { title.replace('2', "1") } else { TITLE.to_owned() };
        f.poll("a", vec![Entry { title: first, ..report("a", TITLE, 9) }]);
        let mut second = report(source, title, hours);
        second.guid = Some("second".into());
        if title.starts_with("Budget") {
            second.content =
                Some("<p>The vote on the budget was postponed to the next meeting.</p>".into());
        }
        second.url = second.url.map(|url| url + "-x");
        f.poll(source, vec![second]);
        f.index_all();
        assert_eq!(stories(&f).len(), 0, "{title} {source} {hours}");
    }
}

#[test]
fn a_url_reused_within_a_source_does_not_join_stories() {
    let f = Fixture::new(&["a", "b"]);
    let at = |title: &str, hours| Entry {
        url: Some("https://city.example/2027/notices-of-the-week".into()),
        ..dated(title, hours)
    };
    f.poll("a", vec![at("Road works on Elm Street", 3), at("Library closed for stocktaking", 2)]);
    f.poll("b", vec![at("Pool opens in the old harbour", 1)]);
    f.index_all();
    assert_eq!(stories(&f).len(), 0);
}

#[test]
fn stories_shrink_when_items_are_removed() {
    let f = three();
    let also = || f.rows(&matching("title:long"))[0].also;
    assert_eq!(also(), 2);
    // Removed sources keep their items for a while, but do not show them.
    f.declare(&["a", "b"]);
    assert_eq!(also(), 1);
    f.declare(&["a", "b", "c"]);
    assert_eq!(also(), 2);
    let retention = Retention { items: None, days: Some(1), unread: true };
    let later = f.now + TimeDelta::days(3);
    for source in ["a", "c"] {
        let key = f.key(source);
        f.store.prune_blocking(key, retention, later).unwrap();
    }
    let row = f.rows(&matching("title:long")).remove(0);
    assert_eq!((row.also, row.story), (0, None));
}

#[test]
fn an_item_that_changes_keeps_its_story() {
    let f = three();
    let changed = Entry { title: "Seven lanes, no bridge".into(), ..report("b", TITLE, 5) };
    let guid = report("b", "River bridge reopens after long repairs", 5).guid;
    f.poll("b", vec![Entry { guid, ..changed }]);
    f.index_all();
    let row = f.rows(&matching("title:seven")).remove(0);
    assert_eq!(row.also, 2);
}

#[test]
fn signatures_are_kept_for_a_week() {
    let mut f = three();
    let count = |f: &Fixture, table: &'static str| -> i64 {
        let sql = format!("SELECT count(*) FROM {table}");
        let read = move |conn: &rusqlite::Connection| Ok(conn.query_row(&sql, [], |r| r.get(0))?);
        f.store.writer().unwrap().call_blocking(read).unwrap()
    };
    assert_eq!(count(&f, "signature"), 4);
    f.now += TimeDelta::days(8);
    let fresh = |n: i64| Entry {
        published: Some(f.now),
        ..entry(&format!("Something else happened in the town of {n}"))
    };
    f.poll("a", (0..3).map(fresh).collect());
    f.index_all();
    assert_eq!(count(&f, "signature"), 3, "the old ones are gone");
    assert!(count(&f, "story_key") <= 3 * 11);
    assert_eq!(stories(&f).len(), 1, "stories stay");
}

/// Without contradictions, the stories are the same whatever the order and batches of the items. Imported
/// items have new keys and old dates, and do not affect which items are compared.
#[test]
fn imported_items_are_not_compared_with_each_other() {
    let f = three();
    let entry = prepare(vec![dated("Old news", 900 * 24)], &f.store.hashing_blocking().unwrap());
    let discovered = Some(f.now - TimeDelta::days(900));
    let item =
        ImportedItem { entry: entry[0].clone(), effects: vec![], deleted: false, discovered };
    let batch = vec![(f.key("b"), vec![item])];
    f.store.import_items_blocking(batch, "import of a test".into(), f.now).unwrap();
    f.index_all();
    let sql = "SELECT count(*) FROM signature";
    let conn = rusqlite::Connection::open(f.store.path()).unwrap();
    assert_eq!(conn.query_row(sql, [], |r| r.get::<_, i64>(0)).unwrap(), 4);
}

#[test]
fn stories_do_not_depend_on_the_order_of_items() {
    let sources: Vec<String> = (0..6).map(|n| format!("s{n}")).collect();
    let names: Vec<&str> = sources.iter().map(String::as_str).collect();
    let words = ["harbour", "library", "railway", "theatre"];
    let mut items = Vec::new();
    for (s, source) in names.iter().enumerate() {
        for (w, word) in words.iter().enumerate() {
            let title = match s % 3 {
                0 => format!("The {word} of the northern district closes for renovation"),
                1 => format!("Northern district: the {word} closes for renovation"),
                _ => format!("The {word} of the northern district closes for long renovation"),
            };
            let text = format!(
                "<p>{}</p>",
                TEXT.replace("bridge", word).replace("river", &format!("{word} {w}"))
            );
            let hours = i64::try_from(s * 3 + w).unwrap();
            let url = format!("https://{source}.example/2027/{word}-closes-now");
            items.push((
                *source,
                Entry { url: Some(url), content: Some(text), ..dated(&title, hours) },
            ));
        }
    }
    let mut expected = None;
    for seed in 0..8 {
        let mut random = fastrand::Rng::with_seed(seed);
        random.shuffle(&mut items);
        let f = Fixture::new(&names);
        for (source, entry) in &items {
            f.poll(source, vec![entry.clone()]);
            if random.u8(..3) == 0 {
                f.index_all();
            }
        }
        f.index_all();
        let found = stories(&f);
        assert_eq!(found.len(), words.len(), "{found:?}");
        assert_eq!(expected.get_or_insert_with(|| found.clone()), &found, "seed {seed}");
    }
}

/// One title in 300 sources, with and without text, and titles of a megabyte: stories stay small.
#[test]
fn stories_of_hostile_items_stay_small() {
    let sources: Vec<String> = (0..300).map(|n| format!("s{n}")).collect();
    let names: Vec<&str> = sources.iter().map(String::as_str).collect();
    let f = Fixture::new(&names);
    let huge = format!("{TITLE} {}", "x ".repeat(1 << 19));
    for (n, source) in names.iter().enumerate() {
        let title = if n % 100 == 0 { huge.as_str() } else { TITLE };
        let entry = Entry { title: title.to_owned(), url: None, ..report(source, TITLE, 1) };
        f.poll(source, vec![entry, Entry { title: String::new(), url: None, ..dated("", 2) }]);
    }
    f.index_all();
    let sizes: Vec<usize> = stories(&f).iter().map(BTreeSet::len).collect();
    assert!(!sizes.is_empty() && sizes.iter().all(|size| *size <= 100), "{sizes:?}");
}

#[test]
fn an_item_that_contradicts_a_story_does_not_join() {
    let f = Fixture::new(&["a", "b", "c"]);
    f.poll("a", vec![report("a", TITLE, 9)]);
    f.poll("b", vec![report("b", "River bridge reopens after repairs of 3 months", 5)]);
    f.index_all();
    assert_eq!(stories(&f).len(), 1);
    f.poll("c", vec![report("c", "River bridge reopens after repairs of 5 months", 2)]);
    f.index_all();
    assert_eq!(stories(&f).iter().map(BTreeSet::len).collect::<Vec<_>>(), [2]);
}
