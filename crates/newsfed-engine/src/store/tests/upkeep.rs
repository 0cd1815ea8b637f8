//! What is removed after some time, and what is refused.

use super::identity::DISTINCTIVE;
use super::*;
use crate::model::{BriefFacts, TextFrom, TextWay, Validators};
use crate::util::html::OMITTED;

const DAY: TimeDelta = TimeDelta::days(1);

pub(super) fn wait<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
}

fn url(path: &str) -> url::Url {
    format!("https://site.example/{path}").parse().unwrap()
}

impl Fixture {
    /// Records that the page of the only item was fetched, and when it is fetched again.
    fn fetched(&self, bytes: u64, next: Option<Time>) {
        let text = PageText::New {
            html: "<p>x</p>".into(),
            from: TextFrom::Page,
            changed: true,
            revisions: vec![],
        };
        let read = PageRead {
            dated: None,
            text,
            page_hash: 1,
            bytes,
            validators: Validators::default(),
            validators_of: "https://site.example/a".to_owned(),
            site: LearnedSite { template: None, whole: None },
            published: None,
            updated: None,
            authors: Vec::new(),
            tags: Vec::new(),
            alone: None,
            keeps_feed: false,
            watched: false,
            renews: false,
            dataset: None,
        };
        let item = self.rows(&View::of(Scope::All))[0].key;
        let end = PageResult::Read(Box::new(read));
        let page = FetchedPage { item, at: self.now, end, next, way: TextWay::default() };
        let writer = self.store.writer().unwrap();
        assert!(writer.call_blocking(move |conn| articles::save(conn, &page)).unwrap());
    }
}

#[test]
fn a_refused_page_is_skipped_until_its_time() {
    let f = Fixture::new(&["a", "b"]);
    f.poll("a", vec![entry("stored")]);
    let [a, b] = ["a", "b"].map(|id| f.key(id));
    let refused = vec![(url("refused"), f.now + DAY)];
    let pages = PollPages { refused, kept: None, copy: None };
    let poll = FinishedPoll { pages: Some(pages), ..f.finished(a, Vec::new()) };
    let writer = f.store.writer().unwrap();
    writer
        .call_blocking(move |conn| ingest::store(conn, &poll, &Rules::default()))
        .unwrap()
        .unwrap();
    let known = |source, at| {
        let pages = ["stored", "refused", "new"].map(url);
        f.store.reader().unwrap().known_pages(source, &pages, at).unwrap()
    };
    assert_eq!(known(a, f.now), [Some(f.now), Some(Time::UNIX_EPOCH), None]);
    assert_eq!(known(b, f.now), [Some(f.now), None, None]);
    assert_eq!(known(a, f.now + DAY), [Some(f.now), None, None]);
    wait(f.store.tidy(f.now + DAY)).unwrap();
    assert_eq!(known(a, f.now), [Some(f.now), None, None], "its row was removed");
}

#[test]
fn cleanup_removes_expired_data() {
    let f = Fixture::new(&["kept", "removed"]);
    f.poll("kept", vec![entry("a")]);
    f.fetched(99, Some(f.now + DAY));
    f.poll("removed", vec![entry("b")]);
    f.declare(&["kept"]);
    let left = |at: Time| {
        wait(f.store.tidy(at)).unwrap();
        let reader = f.store.reader().unwrap();
        let polls = reader.polls(PollFilter::default(), 9).unwrap().len();
        (reader.next_page(f.now).unwrap().is_some(), polls)
    };
    assert_eq!(left(f.now + DAY), (true, 1));
    assert_eq!(left(f.now + DAY * 7), (true, 1));
    assert_eq!(left(f.now + DAY * 9), (false, 1), "the page was not fetched for a week");
    assert_eq!(left(f.now + DAY * 1000), (false, 0));
    f.declare(&["kept", "removed"]);
    assert_eq!(f.titles(&View::of(Scope::All)), ["a"], "the items of the removed source are gone");
}

#[test]
fn reports_the_mean_page_size_of_a_source() {
    let f = Fixture::new(&["a"]);
    assert_eq!(f.store.reader().unwrap().page_sizes().unwrap(), Default::default());
    f.poll("a", vec![entry("a")]);
    f.fetched(90, None);
    let (means, all) = f.store.reader().unwrap().page_sizes().unwrap();
    assert_eq!((means, all), ([(f.key("a"), 90)].into(), Some(90)));
}

#[test]
fn pages_of_pinned_items_are_prefetched() {
    let f = Fixture::new(&["a"]);
    f.poll("a", vec![entry("pinned"), entry("other")]);
    f.set(Mark::Pinned, "pinned");
    let ahead = Ahead { pinned: vec![f.key("a")], ..Ahead::default() };
    let wanted = |ahead: &Ahead, limit| f.store.reader().unwrap().ahead(ahead, f.now, limit);
    let found = wanted(&ahead, 5).unwrap();
    let urls: Vec<&str> = found.iter().map(|page| page.url.as_str()).collect();
    assert_eq!(urls, ["https://site.example/pinned"]);
    assert!(wanted(&ahead, 0).unwrap().is_empty());
    assert!(wanted(&Ahead::default(), 5).unwrap().is_empty());
}

#[test]
fn marking_returns_what_changed_and_announces_it() {
    let f = Fixture::new(&["a"]);
    f.poll("a", vec![entry("a"), entry("b")]);
    let rows = f.rows(&View::of(Scope::All));
    let [one, other] = [rows[0].key, rows[1].key];
    assert_eq!(wait(f.store.mark(Mark::Read, vec![one], true)).unwrap(), [one]);
    assert_eq!(wait(f.store.mark(Mark::Read, vec![one, other], true)).unwrap(), [other]);
    let before = *f.store.revision().borrow();
    f.store.announce();
    assert_eq!(*f.store.revision().borrow(), before + 1);
}

#[test]
fn a_window_reports_whether_there_are_more_rows() {
    let f = Fixture::new(&["a"]);
    f.poll("a", (0..7).map(|n| dated(&n.to_string(), n)).collect());
    let view = View::of(Scope::All);
    let at = Cursor::from(&f.rows(&view)[3]);
    let around = |size| {
        let window = f.store.reader().unwrap().window(&view, Anchor::Around(at), size).unwrap();
        let titles: Vec<String> = window.rows.iter().map(|row| row.title.clone()).collect();
        (titles.concat(), window.more_above, window.more_below)
    };
    assert_eq!(around(2), ("1234".to_owned(), true, true));
    assert_eq!(around(3), ("012345".to_owned(), false, true));
    assert_eq!(around(4), ("0123456".to_owned(), false, false));
}

#[test]
fn a_database_of_a_newer_version_is_refused() {
    let f = Fixture::new(&["a"]);
    let path = f.store.path().to_owned();
    assert!(connect::refuse_newer(&path).is_ok());
    let writer = f.store.writer().unwrap();
    let newer = |conn: &rusqlite::Connection| Ok(conn.pragma_update(None, "user_version", 999)?);
    writer.call_blocking(newer).unwrap();
    let refused = connect::refuse_newer(&path);
    assert!(matches!(refused, Err(StoreError::TooNew { found: 999, .. })), "{refused:?}");
}

#[test]
fn hashes_of_earlier_versions_are_replaced_without_an_update() {
    let f = Fixture::new(&["a"]);
    let long = |title: &str, text: &str| Entry {
        content: Some(format!("<p>{}</p>", text.repeat(DISTINCTIVE))),
        ..entry(title)
    };
    let entries = vec![long("same", "x "), long("moved", "y "), long("edited", "z ")];
    f.poll("a", entries.clone());
    let hashing = f.store.hashing_blocking().unwrap();
    let own = prepare(entries.clone(), &hashing);
    // The hashes as an earlier version stored them.
    let former: Vec<(i64, identity::Hashes)> =
        own.iter().map(|each| (each.version_hash, each.former_hashes().next().unwrap())).collect();
    let age = move |conn: &rusqlite::Connection| {
        for (version, former) in &former {
            let sql =
                "UPDATE item SET version_hash = ?2, content_hash = ?3 WHERE version_hash = ?1";
            assert_eq!(conn.execute(sql, [*version, former.version, former.content])?, 1);
        }
        Ok(())
    };
    f.store.writer().unwrap().call_blocking(age).unwrap();
    let [same, moved, edited] = <[Entry; 3]>::try_from(entries).unwrap();
    let moved = Entry {
        guid: Some("other".to_owned()),
        url: Some("https://other.example/".to_owned()),
        title: moved.title.clone(),
        ..moved
    };
    let edited = Entry { title: "edited again".to_owned(), ..edited };
    let now = vec![same, moved, edited];
    let done = f.poll("a", now.clone());
    assert_eq!((done.new.len(), done.known, done.updated), (0, 3, 2), "moved and edited");
    let version = |title: &str| {
        let sql = "SELECT version_hash FROM item WHERE title = ?1";
        let reader = f.store.reader().unwrap();
        reader.conn.query_row(sql, [title], |r| r.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(version("same"), own[0].version_hash);
    assert_eq!(f.poll("a", now).updated, 0);
}

#[test]
fn new_and_marked_pages_are_prefetched_within_limits() {
    let f = Fixture::new(&["a", "b"]);
    f.poll("a", vec![dated("new", 24 * 7 - 1), dated("newest", 1), dated("old", 24 * 7 + 1)]);
    f.poll("b", vec![dated("other", 2), Entry { url: None, ..dated("without a page", 1) }]);
    let [a, b] = ["a", "b"].map(|id| f.key(id));
    let paths = |pages: Vec<WantedPage>| -> Vec<String> {
        pages.into_iter().map(|page| page.url.rsplit('/').next().unwrap().to_owned()).collect()
    };
    let reader = f.store.reader().unwrap();
    let ahead = |all: &[i64], limit| {
        let ahead = Ahead { all: all.to_vec(), ..Ahead::default() };
        paths(reader.ahead(&ahead, f.now, limit).unwrap())
    };
    assert_eq!(ahead(&[a], 9), ["newest", "new"], "of the last seven days");
    assert_eq!(ahead(&[a, b], 9), ["newest", "new", "other"]);
    assert_eq!(ahead(&[a, b], 1), ["newest"]);
    let unfetched =
        |kept, sources: &[i64]| paths(reader.unfetched(kept, sources, f.now, 9).unwrap());
    assert_eq!(unfetched(MarkedItems::Unread, &[a]), ["newest", "new", "old"]);
    assert_eq!(unfetched(MarkedItems::Unread, &[]), [""; 0]);
    f.set(Mark::Read, "new");
    f.set(Mark::Pinned, "old");
    assert_eq!(unfetched(MarkedItems::Unread, &[a, b]), ["newest", "other", "old"]);
    assert_eq!(unfetched(MarkedItems::Pinned, &[a, b]), ["old"]);
    // A failed page is fetched again when it is due, and skipped until then.
    let key =
        |title: &str| f.rows(&View::of(Scope::All)).iter().find(|r| r.title == title).unwrap().key;
    let fail = |title: &str, next: Option<Time>, asked: Time| {
        let (item, next) = (key(title), next.map(|at| at.timestamp()));
        let write = move |conn: &rusqlite::Connection| {
            let sql = "INSERT OR REPLACE INTO fetch (item, source, asked, way, error, next)
                SELECT key, source, ?2, '{}', '{}', ?3 FROM item WHERE key = ?1";
            Ok(conn.execute(sql, rusqlite::params![item, asked.timestamp(), next])?)
        };
        assert_eq!(f.store.writer().unwrap().call_blocking(write).unwrap(), 1);
    };
    fail("newest", Some(f.now + DAY), f.now);
    fail("old", None, f.now);
    assert_eq!(ahead(&[a], 9), ["new"]);
    assert_eq!(unfetched(MarkedItems::Pinned, &[a]), [""; 0]);
    let sorted = |mut keys: [i64; 2]| {
        keys.sort_unstable();
        keys
    };
    let refused = |kept, sources: &[i64], at| {
        let mut keys = reader.refused(kept, sources, at).unwrap();
        keys.sort_unstable();
        keys
    };
    assert_eq!(refused(MarkedItems::Unread, &[a], f.now), sorted([key("newest"), key("old")]));
    assert_eq!(refused(MarkedItems::Pinned, &[a], f.now), [key("old")]);
    assert_eq!(refused(MarkedItems::Unread, &[a], f.now + DAY), [key("old")]);
    assert_eq!(refused(MarkedItems::Unread, &[b], f.now), [0; 0]);
    assert_eq!(refused(MarkedItems::Unread, &[], f.now), [0; 0]);
    fail("newest", Some(f.now), f.now - DAY);
    assert_eq!(ahead(&[a], 9), ["newest", "new"]);
    assert_eq!(unfetched(MarkedItems::Unread, &[a]), ["newest"]);
}

#[test]
fn prefetches_at_most_a_hundred_pages_per_source() {
    let f = Fixture::new(&["a"]);
    f.poll("a", (0..120).map(|n| dated(&n.to_string(), n)).collect());
    let a = f.key("a");
    let ahead = || {
        let ahead = Ahead { all: vec![a], ..Ahead::default() };
        f.store.reader().unwrap().ahead(&ahead, f.now, 500).unwrap().len()
    };
    let fetched = |items: i64, asked: Time| {
        let asked = asked.timestamp();
        let write = move |conn: &rusqlite::Connection| {
            let sql = "INSERT OR REPLACE INTO fetch (item, source, asked, way)
                SELECT key, source, ?2, '{}' FROM item WHERE key <= ?1";
            Ok(conn.execute(sql, [items, asked])?)
        };
        assert_eq!(f.store.writer().unwrap().call_blocking(write).unwrap() as i64, items);
    };
    assert_eq!(ahead(), 100);
    fetched(10, f.now - DAY);
    assert_eq!(ahead(), 100, "those of the day before do not count");
    fetched(30, f.now - DAY + TimeDelta::seconds(1));
    assert_eq!(ahead(), 70);
    fetched(110, f.now);
    assert_eq!(ahead(), 0);
}

#[test]
fn prefetches_due_pages_first() {
    let f = Fixture::new(&["all", "some"]);
    f.poll("all", ["early", "late", "later"].map(entry).to_vec());
    let titles = ["due", "not pinned", "w1", "w2", "w3", "w4", "failed"];
    f.poll("some", titles.into_iter().zip(0..).map(|(title, hours)| dated(title, hours)).collect());
    titles.iter().filter(|title| **title != "not pinned").for_each(|t| f.set(Mark::Pinned, t));
    let asked = f.now - DAY * 2;
    let fetched = |title: &'static str, seconds: i64, error: Option<&'static str>| {
        let next = (f.now + TimeDelta::seconds(seconds)).timestamp();
        let write = move |conn: &rusqlite::Connection| {
            let sql = "INSERT INTO fetch (item, source, asked, way, next, error)
                SELECT key, source, ?2, '{}', ?3, ?4 FROM item WHERE title = ?1";
            Ok(conn.execute(sql, rusqlite::params![title, asked.timestamp(), next, error])?)
        };
        assert_eq!(f.store.writer().unwrap().call_blocking(write).unwrap(), 1);
    };
    fetched("early", -20, None);
    fetched("late", 0, None);
    fetched("later", 1, None);
    fetched("not pinned", -50, None);
    fetched("due", -30, None);
    fetched("failed", -10, Some("{}"));
    let [all, some] = ["all", "some"].map(|id| vec![f.key(id)]);
    let ahead = |pinned: &[i64], all: &[i64], again: &[i64], limit| {
        let wants = Ahead { pinned: pinned.to_vec(), all: all.to_vec(), again: again.to_vec() };
        let pages = f.store.reader().unwrap().ahead(&wants, f.now, limit).unwrap();
        let titles: Vec<&str> =
            pages.iter().filter_map(|page| page.url.rsplit('/').next()).collect();
        titles.join(" ")
    };
    assert_eq!(ahead(&[], &[], &[], 9), "");
    assert_eq!(ahead(&[], &all, &[], 9), "early late");
    assert_eq!(ahead(&[], &[], &some, 9), "due failed", "only pages of pinned items");
    assert_eq!(ahead(&[], &all, &some, 9), "due early failed late");
    assert_eq!(ahead(&[], &all, &some, 3), "due early failed");
    // The rest of the limit is for pages that were never fetched, and none is returned twice.
    assert_eq!(ahead(&some, &[], &some, 2), "due failed");
    assert_eq!(ahead(&some, &[], &some, 5), "due failed w1 w2 w3");
    assert_eq!(ahead(&some, &[], &some, 9), "due failed w1 w2 w3 w4");
}

#[test]
fn finds_last_arrivals_and_kept_items() {
    let mut f = Fixture::new(&["a", "b"]);
    let [a, b] = ["a", "b"].map(|id| f.key(id));
    let newest = |f: &Fixture, source| f.store.reader().unwrap().newest_arrival(source).unwrap();
    assert_eq!(newest(&f, a), None);
    let first = f.now;
    f.poll("a", vec![dated("old", 99)]);
    f.poll("b", vec![entry("other")]);
    f.now += DAY;
    f.poll("a", vec![dated("older", 999)]);
    assert_eq!((newest(&f, a), newest(&f, b)), (Some(f.now), Some(first)));
    let key = f.rows(&View::of(Scope::All)).iter().find(|row| row.title == "old").unwrap().key;
    let kept = |source| f.store.reader().unwrap().has_kept(source).unwrap();
    for (mark, keeps) in [
        (Mark::Pinned, true),
        (Mark::Later, true),
        (Mark::Tag("t".to_owned()), true),
        (Mark::Read, false),
    ] {
        assert!(!kept(a));
        f.store.mark_blocking(mark.clone(), vec![key], true).unwrap();
        assert_eq!((kept(a), kept(b)), (keeps, false), "{mark:?}");
        f.store.mark_blocking(mark, vec![key], false).unwrap();
    }
}

#[test]
fn only_shown_items_are_snoozed() {
    let f = Fixture::new(&["a"]);
    f.poll("a", vec![entry("shown"), entry("hidden")]);
    let rows = f.rows(&View::of(Scope::All));
    let keys: Vec<i64> = rows.iter().map(|row| row.key).collect();
    let shown = rows.iter().find(|row| row.title == "shown").unwrap().key;
    f.set(Mark::Hidden, "hidden");
    let until = |days| Mark::Snoozed(f.now + DAY * days);
    let mark = |mark, on| f.store.mark_blocking(mark, keys.clone(), on).unwrap();
    assert_eq!(mark(until(1), true), [shown]);
    assert_eq!(mark(until(2), true), [shown], "until another time");
    assert_eq!(f.store.reader().unwrap().next_wake().unwrap(), Some(f.now + DAY * 2));
    assert_eq!(mark(until(0), false), [shown]);
    assert_eq!(mark(until(0), false), [0; 0]);
    assert_eq!(f.titles(&View::of(Scope::All)), ["shown"]);
}

fn cache_size(conn: &rusqlite::Connection) -> crate::store::error::Result<i64> {
    Ok(conn.pragma_query_value(None, "cache_size", |row| row.get(0))?)
}

fn length_of_log(conn: &rusqlite::Connection) -> crate::store::error::Result<i64> {
    Ok(conn.pragma_query_value(None, "wal_autocheckpoint", |row| row.get(0))?)
}

#[test]
fn the_writer_caches_more_pages_for_many_sources() {
    let f = Fixture::new(&["s"]);
    let pages = || f.store.writer().unwrap().call_blocking(cache_size).unwrap();
    assert_eq!(pages(), 512);
    let log = || f.store.writer().unwrap().call_blocking(length_of_log).unwrap();
    for (count, expected, most) in [(1_000, 2_000, 2_000), (3_000, 4_096, 4_096), (1, 512, 1_024)] {
        let source = |n| Source::feed(SourceId(format!("s{n}")), url(&format!("{n}")));
        f.store.reconcile_blocking((0..count).map(source).collect(), f.now).unwrap();
        assert_eq!((pages(), log()), (expected, most), "{count}");
    }
}

#[test]
fn smaller_pages_get_as_much_memory() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("newsfed.db");
    let old = rusqlite::Connection::open(&path).unwrap();
    old.execute_batch("PRAGMA page_size = 4096; PRAGMA journal_mode = WAL").unwrap();
    drop(old);
    let store = Store::open(&path).unwrap();
    store
        .reconcile_blocking(
            vec![Source::feed(SourceId("s".to_owned()), url("s"))],
            Fixture::new(&[]).now,
        )
        .unwrap();
    assert_eq!(store.writer().unwrap().call_blocking(cache_size).unwrap(), 1024);
}

#[test]
fn declared_sources_are_settled_until_one_of_them_changes() {
    let f = Fixture::new(&[]);
    let source = |id: &str| Source::feed(SourceId(id.to_owned()), url(id));
    let known = [source("a"), Source { enabled: false, ..source("b") }];
    let settled = |declared: &[Source]| {
        f.store.reader().unwrap().settled_sources(declared.iter(), f.now).unwrap()
    };
    let is_settled = |declared: &[Source]| settled(declared).is_some();
    assert!(is_settled(&[]) && !is_settled(&known));
    let mut facts = f.store.reconcile_blocking(known.to_vec(), f.now).unwrap();
    let mut brief = settled(&known).unwrap();
    brief.sort_by(|a, b| a.id.cmp(&b.id));
    facts.sort_by(|a, b| a.id.cmp(&b.id));
    assert_eq!(brief, facts.into_iter().map(BriefFacts::from).collect::<Vec<_>>());
    let [a, b] = known;
    let elsewhere = Source { url: url("c"), ..a.clone() };
    let cases = [
        (vec![a.clone(), b.clone()], true),
        (vec![b.clone(), a.clone()], true),
        (vec![a.clone()], false),
        (vec![a.clone(), b.clone(), source("c")], false),
        (vec![a.clone(), source("b")], false),
        (vec![elsewhere, b], false),
    ];
    for (declared, expected) in cases {
        assert_eq!(is_settled(&declared), expected, "{declared:?}");
    }
}

#[test]
fn listed_sources_lack_only_the_data_for_polls() {
    let f = Fixture::new(&["a", "b"]);
    f.poll("a", vec![dated("one", 1)]);
    let polled = "UPDATE source SET etag = x'65', last_modified = x'6d', body_hash = zeroblob(32), validators_of = 'u',
        schedule = x'01', hints = '{\"ttl\":{\"secs\":60,\"nanos\":0}}', move_refused = 'v' WHERE id = 'a'";
    rusqlite::Connection::open(f.store.path()).unwrap().execute(polled, []).unwrap();
    let reader = f.store.reader().unwrap();
    let mut all = reader.sources().unwrap();
    let mut listed = reader.listed_sources().unwrap();
    listed.sort_by(|a, b| a.id.cmp(&b.id));
    assert_ne!(listed, all);
    for facts in &mut all {
        (facts.validators, facts.validators_of) = Default::default();
        (facts.hints, facts.schedule) = Default::default();
        (facts.planned, facts.body_hash) = Default::default();
        (facts.move_candidate, facts.move_refused) = Default::default();
    }
    assert_eq!(listed, all);
}

/// Databases may contain markers without hashes.
#[test]
fn hashes_of_embedded_pictures_are_added_without_a_change() {
    let f = Fixture::new(&["a"]);
    let with = |marker: &str| {
        let text = format!("<p>{}</p><img src=\"{marker}\">", "A text about plots. ".repeat(20));
        vec![Entry { content: Some(text), ..entry("plots") }]
    };
    let first = format!("{OMITTED}{}", "0a".repeat(16));
    let second = format!("{OMITTED}{}", "0b".repeat(16));
    f.poll("a", with(OMITTED));
    for marker in [&first, &first, &second] {
        let done = f.poll("a", with(marker));
        assert_eq!((done.new.len(), done.known, done.updated), (0, 1, 0), "{marker}");
        let sql = "SELECT count(*) FROM detail WHERE instr(content, ?1) > 0";
        let reader = f.store.reader().unwrap();
        assert_eq!(reader.conn.query_row(sql, [marker], |r| r.get::<_, i64>(0)).unwrap(), 1);
    }
    let moved = |entry: Entry| Entry { guid: None, url: None, ..entry };
    let done = f.poll("a", with(&first).into_iter().map(moved).collect());
    assert_eq!((done.new.len(), done.known), (0, 1), "the text is the same");
}
