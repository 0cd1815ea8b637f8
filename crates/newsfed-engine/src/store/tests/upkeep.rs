//! What is forgotten after some time, and what is refused.

use super::identity::DISTINCTIVE;
use super::*;
use crate::model::{TextFrom, TextWay, Validators};

const DAY: TimeDelta = TimeDelta::days(1);

pub(super) fn wait<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
}

fn url(path: &str) -> url::Url {
    format!("https://site.example/{path}").parse().unwrap()
}

impl Fixture {
    /// Stores that the page of the only item was fetched, and when it is fetched again.
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
fn a_refused_page_is_known_until_its_time_is_over() {
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
fn tidying_removes_what_is_too_old() {
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
    assert_eq!(left(f.now + DAY * 9), (false, 1), "nobody has fetched the page for a week");
    assert_eq!(left(f.now + DAY * 1000), (false, 0));
    f.declare(&["kept", "removed"]);
    assert_eq!(f.titles(&View::of(Scope::All)), ["a"], "the items of the removed source are gone");
}

#[test]
fn the_size_of_a_page_is_the_mean_of_its_source() {
    let f = Fixture::new(&["a"]);
    assert_eq!(f.store.reader().unwrap().page_sizes().unwrap(), Default::default());
    f.poll("a", vec![entry("a")]);
    f.fetched(90, None);
    let (means, all) = f.store.reader().unwrap().page_sizes().unwrap();
    assert_eq!((means, all), ([(f.key("a"), 90)].into(), Some(90)));
}

#[test]
fn pages_of_pinned_items_are_fetched_ahead() {
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
fn a_window_around_a_row_knows_of_more_rows() {
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
    // As an earlier version has stored them.
    let former: Vec<(i64, identity::Hashes)> =
        own.iter().map(|each| (each.version_hash, each.former_hashes())).collect();
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
