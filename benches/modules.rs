//! Parsing, storing, listing, searching, drawing and scheduling, without a terminal: `cargo bench --bench
//! modules`.
#![allow(clippy::unwrap_used, reason = "a bench")]

#[path = "tui/list_page.rs"]
mod list_page;

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use newsfed::article::{self, Guide, Mode};
use newsfed::config::SortOrder;
use newsfed::feed;
use newsfed::model::{Outcome, PollRecord, Source, Time, WebsiteRules};
use newsfed::schedule::simulate::{Phase, Replay, Simulated, Timeline};
use newsfed::schedule::{Learned, LearnedParameters, Policy};
use newsfed::store::{Anchor, Criteria, FinishedPoll, Scope, Store, View, prepare};
use newsfed::tui::Headless;
use newsfed::website::{Page, PreviewPage};
use tempfile::TempDir;

fn main() {
    divan::main();
}

/// Number of entries per feed.
const ENTRIES: usize = 30;
/// Number of polls to fill the database for lists and searches.
const POLLS: usize = 300;

/// A feed of 30 entries with bodies of 2 KB. The entries differ from poll to poll.
fn document(poll: usize) -> String {
    let body =
        "Words of a body with <b>some</b> markup &amp; a <a href=\"/there\">link</a>. ".repeat(28);
    let item = |n: usize| {
        format!(
            "<item><title>Item {n} of poll {poll}</title><link>http://site.example/{poll}/{n}</link>\
             <guid>{poll}-{n}</guid><pubDate>Mon, 01 Jan 2024 00:{n:02}:00 GMT</pubDate>\
             <description><![CDATA[{body}]]></description></item>"
        )
    };
    let items: String = (0..ENTRIES).map(item).collect();
    format!(
        "<rss version=\"2.0\"><channel><title>A feed</title>\
         <link>http://site.example/</link>{items}</channel></rss>"
    )
}

#[divan::bench]
fn parse(bencher: Bencher<'_, '_>) {
    let document = document(0);
    bencher
        .counter(BytesCount::of_str(&document))
        .bench(|| feed::parse(document.as_bytes(), Some("application/rss+xml"), None).unwrap());
}

/// A page of 160 KB, the mean size of news pages: an article surrounded by lists of links.
#[divan::bench]
fn extract(bencher: Bencher<'_, '_>) {
    let paragraph =
        "<p>Words of a long article, with <a href='/there'>links</a> and <b>marks</b>. ".repeat(4);
    let teaser = "<li class='card teaser'><a href='/other/article'><h3>Another title to read</h3></a>\
                  <div class='meta small'><span class='author'>Ann Lee</span></div></li>";
    let page = format!(
        "<html lang=en><head><title>A title</title></head><body><nav><ul>{}</ul></nav><article>\
         <h1>A title</h1>{}</article><aside><ul>{}</ul></aside></body></html>",
        teaser.repeat(300),
        paragraph.repeat(40),
        teaser.repeat(500)
    );
    let guide = Guide { title: Some("A title".to_owned()), ..Guide::default() };
    bencher
        .counter(BytesCount::of_str(&page))
        .bench(|| article::extract(&page, &guide, Mode::Auto, None).unwrap());
}

/// Matches selectors against a parsed list page of 500 KB with 3,000 elements: the work per key press in the
/// workbench.
#[divan::bench]
fn preview(bencher: Bencher<'_, '_>) {
    let url = "https://example.org/news".parse().unwrap();
    let (sheet, _) = PreviewPage::new(Page::parse(&list_page::list_page(), &url).unwrap());
    let known = (0..500).map(|n| format!("https://example.org/news/2026/story-{n}")).collect();
    let rules = WebsiteRules {
        articles: Some("main article .card-title > a".to_owned()),
        next: Some("a.older".to_owned()),
        ..WebsiteRules::default()
    };
    assert_eq!(sheet.list(&rules, &known).links.len(), list_page::ARTICLES);
    bencher.bench_local(|| sheet.list(&rules, &known));
}

/// The outline of the same page, including parsing.
#[divan::bench]
fn outline(bencher: Bencher<'_, '_>) {
    let (markup, url) = (list_page::list_page(), "https://example.org/news".parse().unwrap());
    bencher
        .counter(BytesCount::of_str(&markup))
        .bench_local(|| PreviewPage::new(Page::parse(&markup, &url).unwrap()).1);
}

#[divan::bench]
fn hash(bencher: Bencher<'_, '_>) {
    let (entries, database) = (entries(0), Database::new());
    let hashing = database.store.hashing_blocking().unwrap();
    bencher
        .counter(ItemsCount::new(ENTRIES))
        .with_inputs(|| entries.clone())
        .bench_values(|entries| prepare(entries, &hashing));
}

#[divan::bench(sample_count = 50, sample_size = 1)]
fn store_new(bencher: Bencher<'_, '_>) {
    let database = Database::new();
    let mut polls = 0;
    bencher
        .counter(ItemsCount::new(ENTRIES))
        .with_inputs(|| {
            polls += 1;
            database.poll(polls)
        })
        .bench_local_values(|poll| database.store(poll));
}

#[divan::bench(sample_count = 50, sample_size = 1)]
fn store_known(bencher: Bencher<'_, '_>) {
    let database = Database::new();
    database.store(database.poll(0));
    bencher
        .counter(ItemsCount::new(ENTRIES))
        .with_inputs(|| database.poll(0))
        .bench_local_values(|poll| database.store(poll));
}

#[divan::bench(args = ["first", "last"])]
fn list(bencher: Bencher<'_, '_>, end: &str) {
    let database = Database::filled();
    let reader = database.store.reader().unwrap();
    let view = View { order: SortOrder::PinnedNewest, ..View::of(Scope::All) };
    let anchor = if end == "first" { Anchor::First } else { Anchor::Last };
    bencher.bench_local(|| reader.window(&view, anchor, 120).unwrap());
}

#[divan::bench(args = ["look 7", "item", "nothing"])]
fn search(bencher: Bencher<'_, '_>, typed: &str) {
    let database = Database::filled();
    let reader = database.store.reader().unwrap();
    let typed = typed.parse().unwrap();
    let criteria = Criteria::new(&typed, chrono::Local::now(), |_| Vec::new());
    let view = View { criteria, ..View::of(Scope::All) };
    bencher.bench_local(|| reader.window(&view, Anchor::First, 120).unwrap());
}

/// A key press that moves the selection, and the next frame.
#[divan::bench(args = [(40, 12), (80, 24), (120, 40), (200, 60)])]
fn draw(bencher: Bencher<'_, '_>, (width, height): (u16, u16)) {
    let database = Database::filled();
    let sources = vec![newsfed::config::starter_sources().remove(0)];
    let reader = database.store.reader().unwrap();
    let mut interface = Headless::new(reader, sources, width, height, chrono::Utc::now()).unwrap();
    interface.press('l');
    assert!(interface.draw().contains("of poll"), "no item on the screen");
    let mut keys = ['j', 'j', 'j', 'k', 'k', 'k'].into_iter().cycle();
    bencher.bench_local(|| {
        interface.press(keys.next().unwrap());
        interface.draw()
    });
}

/// A policy that has learned a source with `per_day` items per day, and the time of the last item.
fn known(per_day: i64) -> (Learned, Time) {
    let at = |n: i64| Time::from_timestamp(1_700_000_000 + n * 86_400 / per_day, 0).unwrap();
    let mut policy = Learned::load(&[], LearnedParameters::default());
    for n in 0..500 {
        policy.observe(&[Some(at(n))], at(n));
    }
    (policy, at(500))
}

/// Loads the policy, plans the next check and saves the policy: the cost of a poll without its items. The
/// arguments go from the finest grid of slots to the coarsest.
#[divan::bench(args = [200, 20, 1])]
fn plan(bencher: Bencher<'_, '_>, per_day: i64) {
    let (policy, now) = known(per_day);
    let saved = policy.save();
    bencher.bench(|| {
        let policy = Learned::load(divan::black_box(&saved), LearnedParameters::default());
        (policy.plan(now), policy.save())
    });
}

#[divan::bench]
fn observe(bencher: Bencher<'_, '_>) {
    let (policy, now) = known(20);
    let items = vec![Some(now); 20];
    bencher.counter(ItemsCount::new(items.len())).with_inputs(|| policy.clone()).bench_values(
        |mut policy| {
            policy.observe(&items, now);
            policy
        },
    );
}

/// Number of sources in a twelve-week replay, the same as in the reference data.
const REPLAYED: i64 = 163;

/// A replay at a fixed price: 163 sources, twelve weeks, about 31,000 items.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn replay(bencher: Bencher<'_, '_>) {
    const START: i64 = 1_700_000_000;
    let mut random = fastrand::Rng::with_seed(1);
    let mut source = |n: i64| {
        let gap = 1 << (n % 10 + 11);
        let mut at = START - 20 * gap;
        let mut items = Vec::new();
        while at < START + 84 * 86_400 {
            at += random.i64(1..2 * gap);
            items.push(at);
        }
        Timeline::new(START, START + 84 * 86_400, items).unwrap()
    };
    let replay = Replay::new((0..REPLAYED).map(&mut source).collect());
    let policy = Simulated::Learned(LearnedParameters::default());
    bencher.bench_local(|| replay.run(&policy, Phase::All));
}

fn entries(poll: usize) -> Vec<newsfed::model::Entry> {
    feed::parse(document(poll).as_bytes(), Some("application/rss+xml"), None).unwrap().entries
}

struct Database {
    store: Store,
    source: i64,
    runtime: tokio::runtime::Runtime,
    _folder: TempDir,
}

impl Database {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("newsfed.db")).unwrap();
        let source: Source = newsfed::config::starter_sources().remove(0);
        let facts = store.reconcile_blocking(vec![source], chrono::Utc::now()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        Self { store, source: facts[0].key, runtime, _folder: folder }
    }

    fn filled() -> Self {
        let database = Self::new();
        for poll in 0..POLLS {
            database.store(database.poll(poll));
        }
        database
    }

    fn poll(&self, number: usize) -> FinishedPoll {
        FinishedPoll {
            pages: None,
            source: self.source,
            automatic: true,
            entries: Some(prepare(entries(number), &self.store.hashing_blocking().unwrap())),
            record: PollRecord {
                at: chrono::Utc::now(),
                status: Some(200),
                millis: 1,
                requests: 1,
                bytes: 1,
                outcome: Outcome::Unchanged,
                repairs: Vec::new(),
                left_out: Vec::new(),
            },
            finish: Box::new(|_, _| {}),
        }
    }

    fn store(&self, poll: FinishedPoll) {
        self.runtime.block_on(self.store.store_poll(poll)).unwrap();
    }
}
