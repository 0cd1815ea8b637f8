//! Articles that are stored during the poll of their site.

use super::*;
use crate::store::arrivals::Arrival;

#[test]
fn reserved_keys_are_not_given_to_others() {
    let f = Fixture::new(&["site", "other"]);
    f.poll("other", vec![entry("known")]);
    let site = f.key("site");
    let store = |title: &str, keys: ReservedKeys| {
        let (prepared, now) =
            (prepare(vec![entry(title)], &f.store.hashing_blocking().unwrap()), f.now);
        let write = move |conn: &rusqlite::Connection| {
            crate::store::pages::ingest(
                conn,
                site,
                &prepared,
                Arrival { rules: &Rules::default(), at: now, is_first: false },
                keys,
                KnownTo::AnySource,
            )
        };
        f.store.writer().unwrap().call_blocking(write).unwrap()
    };
    // The first article turns out to be known: its keys are still not given to others.
    let (done, keys) = store("known", ReservedKeys::for_articles(3));
    assert_eq!((done.new.len(), done.known), (0, 1));
    f.poll("other", vec![entry("b"), entry("c"), entry("d")]);
    let (_, keys) = store("newest", keys);
    f.poll("other", vec![entry("e")]);
    let (done, _) = store("older", keys);
    assert_eq!(done.new.len(), 1);
    let key = |title: &str| {
        let rows = f.rows(&View::of(Scope::All));
        rows.into_iter().find(|r| r.title == title).unwrap().key
    };
    assert!(key("newest") > key("older"));
    assert!(key("b") > key("newest") && key("e") > key("d"));
    assert_eq!(f.counts("site"), (2, 2, 0));
}

#[test]
fn rereading_an_article_keeps_its_marks() {
    let f = Fixture::new(&["site"]);
    let first = Entry { summary: Some("first".into()), ..entry("a") };
    f.poll("site", vec![first.clone()]);
    f.set(Mark::Pinned, "a");
    let key = f.rows(&View::of(Scope::All))[0].key;
    let replace = |entry: Entry| {
        let article = prepare(vec![entry], &f.store.hashing_blocking().unwrap()).remove(0);
        super::upkeep::wait(f.store.replace_article(key, article, f.now)).unwrap()
    };
    assert!(!replace(first.clone()), "nothing has changed");
    let second = Entry { title: "b".into(), summary: Some("second".into()), ..first };
    assert!(replace(second.clone()));
    assert!(!replace(second));
    let item = f.store.reader().unwrap().item(key).unwrap().unwrap();
    assert_eq!((item.title.as_str(), item.summary.as_deref()), ("b", Some("second")));
    assert_eq!(f.counts("site"), (1, 1, 1));
}

#[test]
fn finds_the_stored_item_that_a_link_leads_to() {
    let f = Fixture::new(&["one", "two"]);
    let at = |url: &str| Entry { url: Some(url.parse().unwrap()), ..entry(url) };
    f.poll("one", vec![at("https://e.org/a"), at("https://e.org/log#2")]);
    f.poll("two", vec![at("https://e.org/a"), at("https://e.org/b")]);
    let reader = f.store.reader().unwrap();
    let linked = |source: &str, url: &str| {
        let found = reader.linked(f.key(source), &url.parse().unwrap()).unwrap()?;
        let row = reader.row(found).unwrap().unwrap();
        Some((row.source_key, row.url.unwrap()))
    };
    for (source, url, expected) in [
        // The given source takes precedence, whatever the order of the sources.
        ("one", "https://e.org/a", Some(("one", "https://e.org/a"))),
        ("two", "https://e.org/a", Some(("two", "https://e.org/a"))),
        ("one", "http://www.e.org/b/?utm_source=x#part", Some(("two", "https://e.org/b"))),
        ("two", "https://e.org/log#2", Some(("one", "https://e.org/log#2"))),
        // The page that contains an entry is not the entry.
        ("one", "https://e.org/log", None),
        ("one", "https://e.org/log#1", None),
        ("one", "https://e.org/c", None),
    ] {
        let expected = expected.map(|(source, url)| (f.key(source), url.to_owned()));
        assert_eq!(linked(source, url), expected, "{source} {url}");
    }
}
