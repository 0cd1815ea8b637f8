//! Full texts: stored, shown, searched, kept as versions.

use super::*;
use crate::model::{Revision, RevisionKind, TextFrom, TextWay, Validators};

impl Fixture {
    fn only_key(&self) -> i64 {
        self.rows(&View::of(Scope::All))[0].key
    }

    fn item(&self) -> crate::model::Item {
        self.store.reader().unwrap().item(self.only_key()).unwrap().unwrap()
    }

    fn store_end(&self, end: PageResult, way: TextWay) -> bool {
        let fetched = FetchedPage { item: self.only_key(), at: self.now, end, next: None, way };
        let writer = self.store.writer().unwrap();
        writer.call_blocking(move |conn| articles::save(conn, &fetched)).unwrap()
    }

    fn found(&self, query: &str) -> usize {
        let criteria = criteria(query);
        self.rows(&View { criteria, ..View::of(Scope::All) }).len()
    }
}

/// The start of the day that contains a time.
pub(super) fn start_of(now: Time) -> Time {
    let day = now.with_timezone(&chrono::Local).date_naive();
    crate::util::clock::start_of_day(day, &chrono::Local).unwrap()
}

fn read(html: &str, changed: bool) -> PageResult {
    PageResult::Read(Box::new(page_read(html, changed)))
}

fn numbers() -> Revision {
    Revision { kind: RevisionKind::Numbers, from: "1".to_owned(), to: "2".to_owned() }
}

fn page_read(html: &str, changed: bool) -> PageRead {
    PageRead {
        dated: None,
        text: PageText::New {
            html: html.to_owned(),
            from: TextFrom::Page,
            changed,
            revisions: vec![numbers()],
        },
        page_hash: 7,
        bytes: 99,
        validators: Validators { etag: Some(b"\"x\"".to_vec()), last_modified: None },
        validators_of: "https://site.example/a".to_owned(),
        site: LearnedSite { template: Some("{}".to_owned()), whole: Some(false) },
        published: Some(Time::from_timestamp(1_700_000_000, 0).unwrap()),
        updated: None,
        authors: vec!["Ann".to_owned()],
        tags: Vec::new(),
        alone: None,
        keeps_feed: false,
        watched: false,
        renews: false,
        dataset: None,
    }
}

fn with_teaser() -> Fixture {
    let fixture = Fixture::new(&["a"]);
    fixture.poll("a", vec![Entry { summary: Some("<p>teaser</p>".into()), ..entry("a") }]);
    fixture.index_all();
    fixture
}

#[test]
fn full_text_replaces_the_teaser_in_display_and_search() {
    let f = with_teaser();
    assert_eq!((f.item().body(), f.item().text_from), ("<p>teaser</p>", TextFrom::Feed));
    assert!(f.store_end(read("<p>the whole zebra</p>", false), TextWay::Best));
    let item = f.item();
    assert_eq!((item.body(), item.text_from), ("<p>the whole zebra</p>", TextFrom::Page));
    assert_eq!((item.fetched, item.feed_has_full_text), (Some(f.now), Some(false)));
    f.index_all();
    assert_eq!((f.found("zebra"), f.found("teaser")), (1, 0));
    assert_eq!(f.rows(&View::of(Scope::All))[0].words, 3);
    // The user can choose the feed's text instead; the other one is kept.
    f.store_end(PageResult::FeedWanted, TextWay::Feed);
    assert_eq!((f.item().body(), f.item().text_from), ("<p>teaser</p>", TextFrom::Feed));
    f.store_end(PageResult::Unchanged, TextWay::Best);
    assert_eq!(f.item().body(), "<p>the whole zebra</p>");
}

#[test]
fn pages_provide_missing_dates_and_authors() {
    let said = Time::from_timestamp(1_700_000_000, 0).unwrap();
    let f = with_teaser();
    let row = f.rows(&View::of(Scope::All)).remove(0);
    let sorted = start_of(start_of(f.now) - TimeDelta::hours(1)) - TimeDelta::seconds(1);
    assert_eq!((row.date, row.found), (sorted, Some(f.now)));
    f.store_end(read("<p>text</p>", false), TextWay::Best);
    assert_eq!((f.item().published, f.item().authors), (Some(said), vec!["Ann".to_owned()]));
    let row = f.rows(&View::of(Scope::All)).remove(0);
    assert_eq!((row.date, row.found), (said, None));
    // Values in the feed take precedence.
    let f = Fixture::new(&["a"]);
    f.poll("a", vec![Entry { authors: vec!["Bo".to_owned()], ..dated("a", 5) }]);
    let before = f.item();
    f.store_end(read("<p>text</p>", false), TextWay::Best);
    assert_eq!((f.item().published, f.item().authors), (before.published, before.authors));
    assert_eq!(f.rows(&View::of(Scope::All))[0].date, f.now - TimeDelta::hours(5));
}

#[test]
fn a_failure_is_reported_and_removes_nothing() {
    let f = with_teaser();
    f.store_end(PageResult::Failed("no such page".into()), TextWay::Best);
    f.store_end(PageResult::Failed("no such page".into()), TextWay::Best);
    let (item, reader) = (f.item(), f.store.reader().unwrap());
    assert_eq!((item.body(), item.fetch_error.as_deref()), ("<p>teaser</p>", Some("no such page")));
    assert_eq!(reader.page(f.only_key()).unwrap().unwrap().tries, 2);
    f.store_end(read("<p>text</p>", false), TextWay::Page);
    f.store_end(PageResult::Failed("later".into()), TextWay::Best);
    assert_eq!(f.item().body(), "<p>text</p>");
    let page = reader.page(f.only_key()).unwrap().unwrap();
    assert_eq!((page.tries, page.way, page.page_hash), (1, TextWay::Page, Some(7)));
}

#[test]
fn keeps_a_limited_number_of_versions() {
    let f = with_teaser();
    f.store_end(read("<p>0</p>", false), TextWay::Best);
    // A text that is only extracted better is not a new version.
    f.store_end(read("<p>0 better</p>", false), TextWay::Best);
    assert_eq!((f.item().versions, f.item().changed), (0, false));
    for n in 1..10 {
        f.store_end(read(&format!("<p>{n}</p>"), true), TextWay::Best);
    }
    let versions = f.store.reader().unwrap().versions(f.only_key()).unwrap();
    let htmls: Vec<&str> = versions.iter().map(|v| v.html.as_str()).collect();
    assert_eq!(
        htmls,
        ["<p>9</p>", "<p>8</p>", "<p>7</p>", "<p>6</p>", "<p>5</p>", "<p>0 better</p>"]
    );
    assert_eq!((f.item().versions, f.item().body()), (5, "<p>9</p>"));
    let changed = || f.store.reader().unwrap().changed().unwrap();
    assert_eq!((changed(), f.found("is:changed"), f.found("-is:changed")), (1, 1, 0));
    let (key, writer) = (f.only_key(), f.store.writer().unwrap());
    let see = || writer.call_blocking(move |conn| articles::seen(conn, key)).unwrap();
    assert_eq!((see(), see(), changed(), f.found("is:changed")), (true, false, 0, 0));
    assert_eq!(f.counts("a"), (1, 1, 0), "a change is not a new item");
}

#[test]
fn keeps_the_previous_text_of_a_full_text_feed() {
    let f = Fixture::new(&["a"]);
    let poll = |text: &str| {
        f.poll("a", vec![Entry { content: Some(text.to_owned()), ..entry("a") }]);
        (f.item().versions, f.item().changed, f.item().body().to_owned())
    };
    poll("<p>one</p>");
    assert_eq!(poll("<p>two</p>"), (0, false, "<p>two</p>".into()), "it may be a teaser");
    let mut page = page_read("", false);
    page.text = PageText::InFeed;
    page.site.whole = Some(true);
    f.store_end(PageResult::Read(Box::new(page.clone())), TextWay::Best);
    assert_eq!(poll("<p>two  </p>"), (0, false, "<p>two  </p>".into()), "white space");
    assert_eq!(poll("<p>three</p>"), (1, true, "<p>three</p>".into()));
    assert_eq!(poll("<p>four</p>"), (2, true, "<p>four</p>".into()));
    let versions = f.store.reader().unwrap().versions(f.only_key()).unwrap();
    let details: Vec<(&str, TextFrom)> =
        versions.iter().map(|v| (v.html.as_str(), v.from)).collect();
    let from = TextFrom::Feed;
    assert_eq!(details, [("<p>four</p>", from), ("<p>three</p>", from), ("<p>two  </p>", from)]);
    assert_eq!(f.item().text_from, from);
    // The same words with a different link are a new version too, but no substantial change.
    let (key, writer) = (f.only_key(), f.store.writer().unwrap());
    writer.call_blocking(move |conn| articles::seen(conn, key)).unwrap();
    let linked = "<p><a href=\"https://new.example/\">four</a></p>";
    assert_eq!(poll(linked), (3, true, linked.into()));
    assert_eq!(f.store.reader().unwrap().versions(f.only_key()).unwrap()[0].html, linked);
    assert_eq!((f.found("is:changed"), f.found("is:edited")), (0, 1));
    let links = "links added: https://new.example/";
    assert_eq!(Revision::summary(&f.item().revisions), links);
    // A link that is only written differently is the same link.
    assert_eq!(poll("<p><a href=\"https://NEW.example:443\">four</a></p>").0, 3);
    poll(linked);
    // The same applies when the feed is no longer known to have full text.
    let (key, writer) = (f.key("a"), f.store.writer().unwrap());
    let forget = "DELETE FROM site WHERE source = ?1";
    writer.call_blocking(move |conn| Ok(conn.execute(forget, [key])?)).unwrap();
    assert_eq!(poll("<p>teaser</p>"), (4, true, "<p>teaser</p>".into()));
    f.index_all();
    assert_eq!((f.found("teaser"), f.found("four")), (1, 0));
    // Fetching the page again removes nothing; the text from the page takes precedence over the text from the
    // feed.
    f.store_end(PageResult::Read(Box::new(page)), TextWay::Best);
    assert_eq!(f.item().versions, 4);
    f.store_end(read("<p>page</p>", false), TextWay::Page);
    assert_eq!(poll("<p>five</p>").2, "<p>page</p>");
}

#[test]
fn a_damaged_text_falls_back_to_the_teaser() {
    let f = with_teaser();
    f.store_end(read(&"<p>some text</p>".repeat(50), false), TextWay::Best);
    let writer = f.store.writer().unwrap();
    let damage = "UPDATE article SET body = CAST(substr(body, 1, 20) || zeroblob(9) AS BLOB)";
    writer.call_blocking(|conn| Ok(conn.execute_batch(damage)?)).unwrap();
    assert_eq!((f.item().body(), f.item().text_from), ("<p>teaser</p>", TextFrom::Feed));
    assert_eq!(f.store.reader().unwrap().versions(f.only_key()).unwrap(), vec![]);
    f.index_all();
    assert_eq!(f.found("teaser"), 1);
}

#[test]
fn removing_an_item_removes_its_dependent_rows() {
    let f = with_teaser();
    f.store_end(read("<p>text</p>", false), TextWay::Best);
    let writer = f.store.writer().unwrap();
    writer.call_blocking(|conn| Ok(conn.execute_batch("DELETE FROM item")?)).unwrap();
    let count = |table: &'static str| {
        let sql = format!("SELECT count(*) FROM {table}");
        writer.call_blocking(move |c| Ok(c.query_row(&sql, [], |r| r.get::<_, i64>(0))?)).unwrap()
    };
    assert_eq!((count("article"), count("fetch"), count("site")), (0, 0, 1));
    let fetched = FetchedPage {
        item: 1,
        at: f.now,
        end: read("<p>late</p>", false),
        next: None,
        way: TextWay::Best,
    };
    assert!(!writer.call_blocking(move |conn| articles::save(conn, &fetched)).unwrap());
}

#[test]
fn distinguishes_a_new_headline_from_a_typo() {
    let mut f = Fixture::new(&["a"]);
    let titled = |title: &str| Entry { title: title.to_owned(), ..entry("a") };
    f.poll("a", vec![titled("The goverment resigns")]);
    f.now += TimeDelta::hours(30);
    f.poll("a", vec![titled("The government resigns")]);
    assert_eq!((f.item().changed, f.found("is:edited")), (false, 0), "a typo");
    f.now += TimeDelta::hours(30);
    f.poll("a", vec![titled("The government stays")]);
    let item = f.item();
    assert_eq!((item.changed, item.substantial, f.found("is:changed")), (true, true, 1));
    assert_eq!(item.former_title.as_deref(), Some("The government resigns"));
    assert_eq!(
        Revision::summary(&item.revisions),
        "headline changed: The government resigns -> The government stays"
    );
    f.index_all();
    let found = |query: &str| f.found(query);
    assert_eq!((found("resigns"), found("in:versions resigns"), found("in:versions")), (0, 1, 1));
    assert_eq!(found("in:versions title:stays"), 0);
    // The items that were stored on a day, with the titles that they had at that time.
    let titles = |hours: i64| -> Vec<String> {
        let as_of = (f.now - TimeDelta::hours(hours)).timestamp();
        let criteria = Criteria { as_of: Some(as_of), ..Criteria::default() };
        let rows = f.rows(&View { criteria, ..View::of(Scope::All) });
        rows.into_iter().map(|row| row.title).collect()
    };
    assert_eq!(titles(-1), ["The government stays"]);
    assert_eq!(titles(1), ["The government resigns"]);
    assert_eq!(titles(40), ["The goverment resigns"]);
    assert_eq!(titles(61), Vec::<String>::new());
    let item = f.store.reader().unwrap().item_as_of(f.only_key(), f.now - TimeDelta::hours(40));
    assert_eq!(item.unwrap().unwrap().title, "The goverment resigns");
}

#[test]
fn searches_earlier_versions_only_on_request() {
    let mut f = with_teaser();
    f.store_end(read("<p>the first zebra, C++</p>", false), TextWay::Best);
    let first = f.now;
    f.now += TimeDelta::hours(5);
    f.store_end(read("<p>the second giraffe, C#</p>", true), TextWay::Best);
    f.index_all();
    let found = |query: &str| f.found(query);
    assert_eq!((found("zebra"), found("in:versions zebra"), found("in:versions zeb")), (0, 1, 1));
    assert_eq!((found("giraffe"), found("in:versions giraffe"), found("in:versions")), (1, 0, 1));
    assert_eq!((found("in:versions -zebra"), found("in:versions zebra -first")), (0, 0));
    assert_eq!((found("c++"), found("in:versions c++"), found("in:versions c#")), (0, 1, 0));
    assert_eq!((found("c#"), found("in:versions c"), found("in:versions c -c++")), (1, 1, 0));
    let reader = f.store.reader().unwrap();
    let body = |at: Time| {
        let item = reader.item_as_of(f.only_key(), at).unwrap();
        item.map(|item| (item.body().to_owned(), item.versions))
    };
    let hour = TimeDelta::hours(1);
    assert_eq!(body(f.now + hour), Some(("<p>the second giraffe, C#</p>".to_owned(), 1)));
    assert_eq!(body(first + hour), Some(("<p>the first zebra, C++</p>".to_owned(), 0)));
    assert_eq!(body(first - hour), None);
    // A removed version is not found any more.
    let writer = f.store.writer().unwrap();
    writer.call_blocking(|conn| Ok(conn.execute_batch("DELETE FROM item")?)).unwrap();
    let left = "SELECT count(*) FROM version_text";
    let left = writer.call_blocking(move |c| Ok(c.query_row(left, [], |r| r.get::<_, i64>(0))?));
    assert_eq!(left.unwrap(), 0);
}

/// One document that changes many long texts must not occupy the writer for long.
#[test]
fn a_document_with_many_changes_stays_within_its_budget() {
    let f = Fixture::new(&["a"]);
    let mut page = page_read("", false);
    page.text = PageText::InFeed;
    page.site.whole = Some(true);
    let entries = |word: &str| -> Vec<Entry> {
        let text = |n: usize| Some(format!("<p>{word} text {n} {}</p>", "w ".repeat(30_000)));
        (0..9).map(|n| Entry { content: text(n), ..entry(&format!("e{n}")) }).collect()
    };
    f.poll("a", entries("first"));
    let (at, way) = (f.now, TextWay::Best);
    let item = f.rows(&View::of(Scope::All))[0].key;
    let end = PageResult::Read(Box::new(page));
    let fetched = FetchedPage { item, at, end, next: None, way };
    let writer = f.store.writer().unwrap();
    writer.call_blocking(move |conn| articles::save(conn, &fetched)).unwrap();
    f.poll("a", entries("other"));
    let reader = f.store.reader().unwrap();
    let rows = f.rows(&View::of(Scope::All));
    let items: Vec<_> =
        rows.iter().map(|row| reader.item(row.key).unwrap().unwrap().revisions).collect();
    let unexamined = items.iter().filter(|all| **all == [Revision::text()]).count();
    let examined = items.iter().filter(|all| all[0].kind == RevisionKind::Wording).count();
    assert_eq!((examined, unexamined), (4, 5));
    assert_eq!(f.found("is:changed"), 9);
}

#[test]
fn a_restored_feed_text_is_not_an_earlier_version() {
    let f = Fixture::new(&["a"]);
    let poll = |text: &str| {
        f.poll("a", vec![Entry { content: Some(text.to_owned()), ..entry("a") }]);
    };
    poll("<p>one</p>");
    let mut page = page_read("", false);
    page.text = PageText::InFeed;
    page.site.whole = Some(true);
    f.store_end(PageResult::Read(Box::new(page.clone())), TextWay::Best);
    poll("<p>zebra</p>");
    f.store_end(read("<p>page</p>", true), TextWay::Best);
    f.index_all();
    assert_eq!(f.found("in:versions zebra"), 1);
    f.store_end(PageResult::Read(Box::new(page.clone())), TextWay::Best);
    f.index_all();
    assert_eq!(
        (f.found("zebra"), f.found("in:versions zebra"), f.found("in:versions one")),
        (1, 0, 1)
    );
    // The text becomes a version again, even before it was indexed.
    f.store_end(read("<p>page</p>", true), TextWay::Best);
    f.store_end(PageResult::Read(Box::new(page)), TextWay::Best);
    f.index_all();
    assert_eq!(f.found("in:versions zebra"), 0);
    f.store_end(read("<p>page</p>", true), TextWay::Best);
    f.index_all();
    assert_eq!(f.found("in:versions zebra"), 1);
}

#[test]
fn an_item_as_of_a_day_contains_nothing_newer() {
    let mut f = Fixture::new(&["a"]);
    let hours = TimeDelta::hours(10);
    let titled = |title: &str| Entry { title: title.to_owned(), ..entry("a") };
    let watched = |html: &str, changed| {
        PageResult::Read(Box::new(PageRead { watched: true, ..page_read(html, changed) }))
    };
    let start = f.now;
    f.poll("a", vec![titled("Mayor admits fraud")]);
    f.store_end(watched("<p>1</p>", false), TextWay::Best);
    f.now += hours;
    f.poll("a", vec![titled("Mayor denies fraud")]);
    f.store_end(watched("<p>2</p>", true), TextWay::Best);
    f.now += hours;
    f.poll("a", vec![titled("Mayor resigns")]);
    f.store_end(watched("<p>3</p>", true), TextWay::Best);
    let reader = f.store.reader().unwrap();
    let at = |time: Time| reader.item_as_of(f.only_key(), time).unwrap().unwrap();
    let (first, second, today) =
        (at(start + hours / 2), at(start + hours * 3 / 2), at(f.now + hours));
    assert_eq!((first.title.as_str(), first.former_title.as_deref()), ("Mayor admits fraud", None));
    assert_eq!((first.changed, first.substantial, first.revisions), (false, false, Vec::new()));
    assert_eq!(first.content.as_deref(), Some("<p>1</p>"));
    assert_eq!(second.former_title.as_deref(), Some("Mayor admits fraud"));
    assert_eq!((second.content.as_deref(), second.revisions), (Some("<p>2</p>"), vec![numbers()]));
    assert_eq!(today.former_title.as_deref(), Some("Mayor denies fraud"));
    assert_eq!(today.content.as_deref(), Some("<p>3</p>"));
}

#[test]
fn finds_old_versions_behind_thousands_of_newer_ones() {
    let f = Fixture::new(&["a", "b"]);
    f.poll("a", vec![Entry { title: "Old zebra".into(), ..entry("a") }]);
    f.poll("a", vec![Entry { title: "Mayor resigns".into(), ..entry("a") }]);
    f.poll("b", vec![entry("b")]);
    let (old, new) = (f.key("a"), f.key("b"));
    let more = "WITH RECURSIVE n(n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM n WHERE n < 5200)
        INSERT INTO headline (key, item, until, title, substantial)
            SELECT n, (SELECT key FROM item WHERE source = ?1), 1, 'zebra', 0 FROM n";
    let writer = f.store.writer().unwrap();
    let add = move |conn: &rusqlite::Connection| {
        conn.execute(more, [new])?;
        let index = "INSERT INTO version_text (rowid, title, authors, body)
            SELECT -key, title, '', '' FROM headline WHERE key >= 100";
        Ok(conn.execute(index, [])?)
    };
    assert_eq!(writer.call_blocking(add).unwrap(), 5101);
    let rows = |query: &str, sources: Vec<i64>| {
        f.rows(&View { criteria: criteria(query), ..View::of(Scope::Sources(sources)) }).len()
    };
    assert_eq!(rows("in:versions zebra", vec![old]), 1);
    assert_eq!(rows("in:versions -zebra", vec![old, new]), 0);
}

#[test]
fn comments_are_counted_without_changing_the_item() {
    let f = Fixture::new(&["a"]);
    let with = |count| {
        let comment_feed = Some("https://site.example/a/comments".to_owned());
        Entry { comment_count: count, comment_feed, ..entry("a") }
    };
    f.poll("a", vec![with(Some(5))]);
    let counts = || (f.item().comment_count, f.item().new_comments);
    assert_eq!((counts(), f.item().comment_feed.is_some()), ((Some(5), 0), true));
    let (key, writer) = (f.only_key(), f.store.writer().unwrap());
    let see = || writer.call_blocking(move |conn| articles::seen(conn, key)).unwrap();
    see();
    f.store.mark_blocking(Mark::Read, vec![f.only_key()], true).unwrap();
    let done = f.poll("a", vec![with(Some(12))]);
    assert_eq!((done.updated, f.item().read, f.item().changed), (0, true, false));
    assert_eq!(counts(), (Some(12), 7));
    let row = f.rows(&View::of(Scope::All)).remove(0);
    assert_eq!((row.comment_count, row.new_comments), (Some(12), 7));
    f.poll("a", vec![with(None)]);
    assert_eq!(counts(), (Some(12), 7), "what the feed does not say is kept");
    for read in [false, true, false] {
        f.store.mark_blocking(Mark::Read, vec![key], read).unwrap();
    }
    assert_eq!(counts(), (Some(12), 7), "only opening shows them; a mark can be undone");
    see();
    assert_eq!(counts(), (Some(12), 0));
    // Fewer comments than before are not new.
    f.poll("a", vec![with(Some(3))]);
    assert_eq!(counts(), (Some(3), 0));
}

#[test]
fn page_tags_are_added_to_feed_categories() {
    let f = Fixture::new(&["a"]);
    let categories = vec!["Rail".to_owned()];
    f.poll("a", vec![Entry { categories: categories.clone(), ..entry("a") }]);
    let mut page = page_read("<p>text</p>", false);
    page.tags = vec!["rail".to_owned(), "Night trains".to_owned()];
    f.store_end(PageResult::Read(Box::new(page)), TextWay::Best);
    assert_eq!(
        (f.item().tags, f.item().categories),
        (vec!["Rail".to_owned(), "Night trains".to_owned()], categories)
    );
    // The tags are kept when the feed changes the item.
    f.poll("a", vec![Entry { summary: Some("new".into()), ..entry("a") }]);
    assert_eq!((f.item().tags.len(), f.item().categories.len()), (2, 0));
}

#[test]
fn keeps_the_feed_text_and_stores_the_page_text() {
    let f = with_teaser();
    let mut page = page_read("<p>page</p>", false);
    (page.keeps_feed, page.alone) = (true, Some("<p>alone</p>".to_owned()));
    f.store_end(PageResult::Read(Box::new(page)), TextWay::Best);
    assert_eq!((f.item().body(), f.item().page_text), ("<p>teaser</p>", true));
    let reader = f.store.reader().unwrap();
    assert_eq!(reader.page_text(f.only_key()).unwrap().as_deref(), Some("<p>alone</p>"));
    f.store_end(PageResult::Unchanged, TextWay::Best);
    assert_eq!((f.item().body(), f.item().page_text), ("<p>page</p>", true));
}
