//! Tests of the store on a real file.

use super::*;
use crate::config::SortOrder;
use crate::model::{Entry, ItemRow, PollRecord, SourceId};
use crate::util::clock::{Clock, SystemClock};
use chrono::TimeDelta;

mod accounts;
mod attempts;
mod characters;
mod copies;
mod datasets;
mod downloads;
mod episodes;
mod errors;
mod followed_lists;
mod foreign;
mod imports;
mod pages;
mod parts;
mod places;
mod plans;
mod queries;
mod rule_tests;
mod rules;
mod shared_marks;
mod signs;
mod snapshots;
mod snippets;
mod statistics;
mod stories;
mod streams;
mod texts;
mod title_matches;
mod undated;
mod undoing;
mod upkeep;
mod visits;

struct Fixture {
    _dir: tempfile::TempDir,
    store: Store,
    now: Time,
}

impl Fixture {
    fn new(sources: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("newsfed.db")).unwrap();
        let now = Time::from_timestamp(1_800_000_000, 0).unwrap();
        let this = Self { _dir: dir, store, now };
        this.declare(sources);
        this
    }

    fn declare(&self, ids: &[&str]) -> Vec<SourceFacts> {
        let sources = ids
            .iter()
            .map(|id| {
                let url = format!("https://{id}.example/feed").parse().unwrap();
                Source::feed(SourceId((*id).to_owned()), url)
            })
            .collect();
        self.store.reconcile_blocking(sources, self.now).unwrap()
    }

    fn key(&self, id: &str) -> i64 {
        let facts = self.store.reader().unwrap().sources().unwrap();
        facts.iter().find(|f| f.id.as_str() == id).unwrap().key
    }

    fn poll(&self, source: &str, entries: Vec<Entry>) -> Ingested {
        let poll = self.finished(self.key(source), entries);
        let writer = self.store.writer().unwrap();
        let rules = self.store.rules();
        writer.call_blocking(move |conn| ingest::store(conn, &poll, &rules)).unwrap().unwrap().0
    }

    /// A finished poll that read these entries.
    fn finished(&self, source: i64, entries: Vec<Entry>) -> FinishedPoll {
        FinishedPoll {
            pages: None,
            source,
            automatic: true,
            entries: Some(prepare(entries, &self.store.hashing_blocking().unwrap())),
            record: PollRecord {
                at: self.now,
                status: Some(200),
                millis: 1,
                requests: 1,
                bytes: 1,
                outcome: Outcome::Unchanged,
                repairs: vec![],
                left_out: Vec::new(),
            },
            finish: Box::new(|_, _| {}),
        }
    }

    fn rows(&self, view: &View) -> Vec<ItemRow> {
        self.store.reader().unwrap().window(view, Anchor::First, 1000).unwrap().rows
    }

    fn titles(&self, view: &View) -> Vec<String> {
        self.rows(view).into_iter().map(|r| r.title).collect()
    }

    fn set(&self, mark: Mark, title: &str) {
        let row = self.rows(&View::of(Scope::All)).into_iter().find(|r| r.title == title).unwrap();
        self.store.mark_blocking(mark, vec![row.key], true).unwrap();
    }

    /// Indexes everything that is indexed in the background.
    fn index_all(&self) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        while runtime.block_on(self.store.index_step()).unwrap().is_some() {}
    }

    fn counts(&self, id: &str) -> (u32, u32, u32) {
        let reader = self.store.reader().unwrap();
        let f = reader.source(self.key(id)).unwrap().unwrap();
        (f.items, f.unread, f.pinned)
    }
}

/// The criteria of a query that names no sources.
fn criteria(text: &str) -> Criteria {
    let query = text.parse().unwrap();
    Criteria::new(&query, SystemClock.now().with_timezone(&chrono::Local), |_| vec![])
}

fn entry(title: &str) -> Entry {
    Entry {
        guid: Some(format!("guid-{title}")),
        title: title.to_owned(),
        url: Some(format!("https://site.example/{title}")),
        ..Entry::default()
    }
}

fn dated(title: &str, hours_ago: i64) -> Entry {
    let now = Time::from_timestamp(1_800_000_000, 0).unwrap();
    Entry { published: Some(now - TimeDelta::hours(hours_ago)), ..entry(title) }
}

#[test]
fn identifies_entries_by_guid_then_url_then_text() {
    let long = "x".repeat(300);
    let with = |f: &dyn Fn(&mut Entry)| {
        let mut e = entry("a");
        f(&mut e);
        e
    };
    // (first, second, items afterwards, why)
    let cases: Vec<(Entry, Entry, usize, &str)> = vec![
        (entry("a"), entry("a"), 1, "nothing changed"),
        (entry("a"), with(&|e| e.title = "b".into()), 1, "same guid, new title"),
        (
            entry("a"),
            with(&|e| e.url = Some("https://site.example/moved".into())),
            1,
            "same guid, new URL",
        ),
        (entry("a"), with(&|e| e.guid = Some("new".into())), 1, "new guid, same URL and title"),
        (
            entry("a"),
            with(&|e| {
                e.guid = Some("new".into());
                e.title = "b".into();
            }),
            2,
            "another guid and title at one URL",
        ),
        (
            with(&|e| e.guid = None),
            with(&|e| {
                e.guid = None;
                e.title = "b".into()
            }),
            1,
            "no guid, same URL",
        ),
        (
            with(&|e| e.guid = None),
            with(&|e| {
                e.guid = None;
                e.url = Some("http://www.site.example/a?utm_source=x".into());
            }),
            1,
            "URL differs by scheme and tracking only",
        ),
        (
            with(&|e| e.summary = Some(long.clone())),
            with(&|e| {
                e.summary = Some(long.clone());
                e.guid = Some("new".into());
            }),
            1,
            "same long text",
        ),
        (
            Entry { title: "only a title".into(), ..Entry::default() },
            Entry {
                title: "only a title".into(),
                summary: Some("more".into()),
                ..Entry::default()
            },
            1,
            "same title with neither guid nor URL",
        ),
        (entry("a"), entry("b"), 2, "two items"),
    ];
    for (first, second, expected, why) in cases {
        let f = Fixture::new(&["s"]);
        f.poll("s", vec![first]);
        f.poll("s", vec![second]);
        assert_eq!(f.rows(&View::of(Scope::All)).len(), expected, "{why}");
    }
}

#[test]
fn keeps_entries_that_share_a_guid_or_url() {
    let f = Fixture::new(&["s"]);
    let share_guid = |t: &str| Entry { guid: Some("same".into()), ..entry(t) };
    let share_url = |t: &str| Entry { url: Some("https://site.example/".into()), ..entry(t) };
    let document = || {
        vec![
            share_guid("a"),
            share_guid("b"),
            share_url("c"),
            share_url("d"),
            entry("e"),
            entry("e"),
        ]
    };
    assert_eq!(f.poll("s", document()).new.len(), 5);
    let again = f.poll("s", document());
    assert_eq!((again.new.len(), again.known, again.updated), (0, 5, 0));
}

#[test]
fn sources_do_not_affect_each_other() {
    let f = Fixture::new(&["s", "t"]);
    f.poll("s", vec![entry("a")]);
    f.poll("t", vec![entry("a")]);
    assert_eq!(f.rows(&View::of(Scope::All)).len(), 2);
}

#[test]
fn a_changed_entry_keeps_its_marks() {
    let f = Fixture::new(&["s"]);
    f.poll("s", vec![entry("a")]);
    f.set(Mark::Read, "a");
    f.set(Mark::Pinned, "a");
    let changed = Entry { summary: Some("now with text".into()), ..entry("a") };
    assert_eq!(f.poll("s", vec![changed]).updated, 1);
    let row = f.rows(&View::of(Scope::All)).remove(0);
    assert!(row.read && row.pinned);
    let item = f.store.reader().unwrap().item(row.key).unwrap().unwrap();
    assert_eq!(item.summary.as_deref(), Some("now with text"));
}

#[test]
fn counters_match_after_every_change() {
    let f = Fixture::new(&["s"]);
    f.poll("s", vec![entry("a"), entry("b"), entry("c")]);
    assert_eq!(f.counts("s"), (3, 3, 0));
    f.set(Mark::Read, "a");
    f.set(Mark::Pinned, "a");
    f.set(Mark::Pinned, "b");
    assert_eq!(f.counts("s"), (3, 2, 2));
    let all = Retention { days: Some(0), items: Some(0), unread: true };
    let later = f.now + TimeDelta::days(1);
    assert_eq!(f.store.prune_blocking(f.key("s"), all, later).unwrap(), 1);
    assert_eq!(f.counts("s"), (2, 1, 2));
}

#[test]
fn lists_are_sorted_and_paged_in_both_directions() {
    let f = Fixture::new(&["s", "t"]);
    let many = |tag: &str, n: i64| (0..n).map(|i| dated(&format!("{tag}{i:02}"), i)).collect();
    f.poll("s", many("s", 40));
    f.poll("t", many("t", 40));
    f.set(Mark::Pinned, "s30");
    f.set(Mark::Pinned, "t35");
    let (s, t) = (f.key("s"), f.key("t"));
    let reader = f.store.reader().unwrap();
    let grouped = SourceOrder::new([(None, s), (Some("News"), t)].into_iter());
    let groups = [None, Some(grouped)];
    for (order, sources) in
        SortOrder::ALL.iter().copied().flat_map(|o| groups.clone().map(|g| (o, g)))
    {
        for scope in
            [Scope::All, Scope::Sources(vec![s]), Scope::Sources(vec![s, t]), Scope::Pinned]
        {
            let view = View { order, sources: sources.clone(), ..View::of(scope) };
            let all = f.rows(&view);
            let sorted = all.is_sorted_by(|a, b| view.compare(&a.into(), &b.into()).is_lt());
            assert!(sorted, "{view:?}");
            let plain = f.rows(&View { sources: None, ..view.clone() });
            let keys = |rows: &[ItemRow]| {
                rows.iter().map(|r| r.key).collect::<std::collections::BTreeSet<_>>()
            };
            assert_eq!(keys(&all), keys(&plain), "{view:?}");
            let changes = all.windows(2).filter(|two| two[0].source_key != two[1].source_key);
            assert!(sources.is_none() || changes.count() <= 1, "{view:?}");
            let mut down = reader.window(&view, Anchor::First, 7).unwrap();
            while down.more_below {
                let last = down.rows.last().unwrap().into();
                let next = reader.window(&view, Anchor::After(last), 7).unwrap();
                down.rows.extend(next.rows);
                down.more_below = next.more_below;
            }
            assert_eq!(down.rows, all, "down {view:?}");
            let mut up = reader.window(&view, Anchor::Last, 7).unwrap();
            while up.more_above {
                let first = (&up.rows[0]).into();
                let mut next = reader.window(&view, Anchor::Before(first), 7).unwrap();
                next.rows.append(&mut up.rows);
                up = Window { rows: next.rows, more_above: next.more_above, ..Window::default() };
            }
            assert_eq!(up.rows, all, "up {view:?}");
            let middle = (&all[all.len() / 2]).into();
            let around = reader.window(&view, Anchor::Around(middle), 3).unwrap();
            assert!(around.rows.contains(&all[all.len() / 2]), "around {view:?}");
        }
    }
    let view = View::of(Scope::All);
    assert_eq!(f.titles(&view)[..4], ["s30", "t35", "t00", "s00"]);
}

#[test]
fn undated_entries_keep_document_order() {
    let f = Fixture::new(&["s"]);
    f.poll("s", vec![entry("first"), entry("second"), entry("third")]);
    assert_eq!(f.titles(&View::of(Scope::All)), ["first", "second", "third"]);
}

#[test]
fn a_future_date_becomes_the_time_of_discovery() {
    let f = Fixture::new(&["s"]);
    f.poll("s", vec![dated("far", -10_000)]);
    assert_eq!(f.rows(&View::of(Scope::All))[0].date, f.now);
}

#[test]
fn items_removed_by_retention_do_not_come_back() {
    let f = Fixture::new(&["s"]);
    f.poll("s", vec![dated("new", 1), dated("old", 2), dated("pinned", 3), dated("unread", 4)]);
    for title in ["new", "old", "pinned"] {
        f.set(Mark::Read, title);
    }
    f.set(Mark::Pinned, "pinned");
    let keep_one = Retention { items: Some(1), ..Retention::default() };
    let s = f.key("s");
    let reader = f.store.reader().unwrap();
    assert_eq!(reader.prunable(s, keep_one, f.now).unwrap(), 1);
    assert_eq!(f.rows(&View::of(Scope::All)).len(), 4, "showing removes nothing");
    assert_eq!(f.store.prune_blocking(s, keep_one, f.now).unwrap(), 1);
    let again = f.poll("s", vec![dated("new", 1), dated("old", 2)]);
    assert_eq!(again.new.len(), 0);
    assert_eq!(f.titles(&View::of(Scope::All)), ["pinned", "new", "unread"]);
}

#[test]
fn a_restored_or_renamed_source_keeps_its_items() {
    let f = Fixture::new(&["s", "t"]);
    f.poll("s", vec![entry("a")]);
    assert_eq!(f.declare(&["t"]).len(), 1);
    f.declare(&["s", "t"]);
    assert_eq!(f.counts("s"), (1, 1, 0));
    let renamed = Source::feed(SourceId("new".into()), "https://s.example/feed".parse().unwrap());
    f.store.reconcile_blocking(vec![renamed], f.now).unwrap();
    assert_eq!(f.counts("new"), (1, 1, 0));
}

#[test]
fn a_body_indexed_while_its_item_changes_is_found() {
    let f = Fixture::new(&["s"]);
    let first = Entry { content: Some("<p>hidden</p>".into()), ..entry("shown") };
    f.poll("s", vec![first.clone()]);
    let batch = f.store.reader().unwrap().next_unindexed().unwrap();
    let changed = Entry { categories: vec!["news".into()], ..first };
    let poll = f.finished(f.key("s"), vec![changed]);
    let both = move |conn: &rusqlite::Connection| {
        ingest::store(conn, &poll, &Rules::default())?;
        index::write_batch(conn, &batch, false)
    };
    f.store.writer().unwrap().call_blocking(both).unwrap();
    for text in ["hidden", "shown"] {
        let criteria = criteria(text);
        assert_eq!(f.titles(&View { criteria, ..View::of(Scope::All) }), ["shown"], "{text}");
    }
}

#[test]
fn search_finds_what_is_indexed() {
    let f = Fixture::new(&["s"]);
    let body = Entry { content: Some("<p>a Hidden café</p>".into()), ..entry("shown") };
    f.poll("s", vec![body, entry("other")]);
    let search = |text: &str| {
        let criteria = criteria(text);
        f.titles(&View { criteria, ..View::of(Scope::All) })
    };
    assert!(search("sho").is_empty());
    f.index_all();
    assert_eq!(
        (search("sho"), search("hidden cafe")),
        (vec!["shown".to_owned()], vec!["shown".to_owned()])
    );
    let row = f.rows(&View::of(Scope::All)).into_iter().find(|r| r.title == "shown").unwrap();
    assert_eq!(row.words, 3);
    assert_eq!(search("-shown"), ["other"]);
    assert!(search("***").is_empty(), "punctuation matches nothing");
    for hostile in
        ["\"", "a\"", "NEAR(", "a \"AND\"", "*", "col::x", "-", "^", "';DROP TABLE item;--", "\0"]
    {
        search(hostile);
    }
}

#[test]
fn a_search_stops_at_its_limit() {
    let f = Fixture::new(&["s"]);
    f.poll("s", (0..SEARCH_LIMIT + 5).map(|i| dated(&format!("word {i}"), i as i64)).collect());
    f.index_all();
    let criteria = criteria("word");
    let view = View { criteria, ..View::of(Scope::All) };
    let window = f.store.reader().unwrap().window(&view, Anchor::First, 10).unwrap();
    assert_eq!((window.rows.len(), window.cut, window.more_below), (SEARCH_LIMIT, true, false));
}

#[test]
fn a_corrected_date_is_stored() {
    let f = Fixture::new(&["s"]);
    f.poll("s", vec![dated("a", 48)]);
    assert_eq!(f.poll("s", vec![dated("a", 2)]).updated, 1);
    let row = f.rows(&View::of(Scope::All)).remove(0);
    assert_eq!(row.date, f.now - TimeDelta::hours(2));
}

#[test]
fn merges_entries_identified_only_by_title() {
    let f = Fixture::new(&["s"]);
    let bare = |text: &str| Entry {
        title: "Status".into(),
        summary: Some(text.into()),
        ..Entry::default()
    };
    assert_eq!(f.poll("s", vec![bare("one"), bare("two")]).new.len(), 1);
}

#[test]
fn an_abbreviated_id_finds_its_item() {
    let f = Fixture::new(&["s"]);
    f.poll("s", vec![entry("a")]);
    let row = f.rows(&View::of(Scope::All)).remove(0);
    let reader = f.store.reader().unwrap();
    let id = row.id.to_string();
    for part in [id.as_str(), &id[..8], &id.to_uppercase()[..13]] {
        assert_eq!(reader.find(part).unwrap(), IdMatch::One(row.key), "{part}");
    }
    assert_eq!(reader.find(&row.key.to_string()).unwrap(), IdMatch::One(row.key));
    for wrong in ["", "xyz", "zzzz", "ffffffff", "999", "01"] {
        assert_eq!(reader.find(wrong).unwrap(), IdMatch::None, "{wrong}");
    }
}

#[test]
fn items_of_a_removed_source_are_not_listed() {
    let f = Fixture::new(&["s", "t"]);
    f.poll("s", vec![entry("a")]);
    f.poll("t", vec![entry("b")]);
    f.declare(&["t"]);
    for scope in [Scope::All, Scope::Since(0)] {
        let titles: Vec<_> = f.rows(&View::of(scope)).into_iter().map(|r| r.title).collect();
        assert_eq!(titles, ["b"]);
    }
    let since = Time::from_timestamp(0, 0).unwrap();
    assert_eq!(f.store.reader().unwrap().unread_since(since).unwrap(), 1);
}
