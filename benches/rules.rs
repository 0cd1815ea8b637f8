//! Rules applied to new items: `cargo bench --bench rules`.
//!
//! A cold refresh without the network: 1,000 feeds of 30 items are parsed, prepared and stored, first without
//! rules and then with 200 rules of all kinds. Prints the CPU time of both, and the share that the rules
//! take. Linux only.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench")]

#[path = "../examples/fill/prose.rs"]
#[allow(dead_code, reason = "the example uses more of it")]
mod prose;

use newsfed::feed;
use newsfed::model::{Outcome, PollRecord, Source, SourceId, Time};
use newsfed::store::{FinishedPoll, Rule, Rules, Store, prepare};
use prose::Prose;

const FEEDS: usize = 1_000;
const ITEMS: usize = 30;
const RULES: usize = 200;
const ROUNDS: usize = 3;

fn main() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut prose = Prose::new(7);
    let documents: Vec<String> = (0..FEEDS).map(|n| document(&mut prose, &mut random, n)).collect();
    // Frequent words, words of at least 8 letters, and words that occur in no item.
    for (letters, ending) in [(1, ""), (8, ""), (8, "x")] {
        let mut words = || {
            std::iter::repeat_with(|| prose.title().to_lowercase())
                .find_map(|title| {
                    let longest = title.split(' ').max_by_key(|word| word.len())?.to_owned();
                    (longest.len() >= letters).then_some(longest + ending)
                })
                .unwrap()
        };
        let queries: Vec<String> = (0..RULES).map(|n| query(n, &mut words)).collect();
        measure(&documents, &queries);
    }
}

fn measure(documents: &[String], queries: &[String]) {
    let mut times = [Vec::new(), Vec::new()];
    let mut changed = 0;
    for _ in 0..ROUNDS {
        for (count, times) in [0, RULES].into_iter().zip(&mut times) {
            let (seconds, items) = refresh(documents, &queries[..count]);
            times.push(seconds);
            changed = items;
        }
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    let (without, with) = (median(&mut times[0]), median(&mut times[1]));
    let items = (FEEDS * ITEMS) as f64;
    println!(
        "{items} items: {without:.2} s CPU without rules, {with:.2} s with {RULES} ({:.0} us an item), \
         {:.0} % of the whole; {changed} items changed",
        (with - without) / items * 1e6,
        (with - without) / with * 100.0,
    );
}

/// The query of a rule. A third of the queries are plain words; the rest are of all kinds.
fn query(n: usize, word: &mut impl FnMut() -> String) -> String {
    let (a, b) = (word(), word());
    match n % 12 {
        0 => format!("title:/^{a}.*{b}/"),
        1 => format!("title:/v[0-9]+[.]{}/ OR {a}", n % 10),
        2 => format!("author:writer{n}"),
        3 => format!("url:/{n}/ {a}"),
        4 => format!("tag:tag{} {a}", n % 20),
        5 => format!("age<{}d title:{a}", n % 9 + 1),
        6 => format!("source:feed-{n} -{a}"),
        7 => format!("\"{a} {b}\""),
        8 => format!("title:{a} OR title:{b}"),
        9 => format!("{a} -{b}"),
        _ => a,
    }
}

/// A feed with texts as long as those of real feeds.
fn document(prose: &mut Prose, random: &mut fastrand::Rng, feed: usize) -> String {
    let items: String = (0..ITEMS)
        .map(|n| {
            let (title, body) = (prose.title(), prose.body());
            let (writer, hour) = (random.u32(..5000), n % 24);
            format!(
                "<item><title>{title}</title><link>http://site{feed}.example/{feed}/{n}</link>\
                 <guid>{feed}-{n}</guid><author>writer{writer}</author>\
                 <pubDate>Mon, 01 Jan 2024 {hour:02}:00:00 GMT</pubDate>\
                 <description><![CDATA[{body}]]></description></item>"
            )
        })
        .collect();
    format!(
        "<rss version=\"2.0\"><channel><title>Feed {feed}</title>\
         <link>http://site{feed}.example/</link>{items}</channel></rss>"
    )
}

/// CPU time of a cold refresh in seconds, and the number of items that rules have changed.
fn refresh(documents: &[String], queries: &[String]) -> (f64, u32) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("newsfed.db")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let source = |n: usize| {
        let url = format!("http://site{n}.example/feed").parse().unwrap();
        let mut source = Source::feed(SourceId(format!("feed-{n}")), url);
        source.tags = vec![format!("tag{}", n % 20)];
        source
    };
    let sources: Vec<Source> = (0..documents.len()).map(source).collect();
    let facts = store.reconcile_blocking(sources.clone(), chrono::Utc::now()).unwrap();
    let known: Vec<(i64, &Source, &str)> =
        facts.iter().zip(&sources).map(|(facts, s)| (facts.key, s, s.id.as_str())).collect();
    let effects = ["read", "pin", "later", "hide", "tag:found"];
    let rules = queries.iter().enumerate().map(|(n, query)| Rule {
        effects: vec![effects[n % effects.len()].parse().unwrap()],
        name: format!("rule {n}"),
        query: query.parse().unwrap(),
        until: None,
        stop: false,
    });
    let before = cpu();
    store.set_rules(Rules::of_sources(rules.collect(), &known));
    let hashing = store.hashing_blocking().unwrap();
    for (document, facts) in documents.iter().zip(&facts) {
        let feed = feed::parse(document.as_bytes(), Some("application/rss+xml"), None).unwrap();
        let poll = finished(facts.key, prepare(feed.entries, &hashing));
        runtime.block_on(store.store_poll(poll)).unwrap();
    }
    let seconds = cpu() - before;
    let items = store.reader().unwrap().rule_records().unwrap().iter().map(|r| r.items).sum();
    store.close();
    (seconds, items)
}

fn finished(source: i64, entries: Vec<newsfed::store::Prepared>) -> FinishedPoll {
    let record = PollRecord {
        at: Time::from_timestamp(1_704_200_000, 0).unwrap(),
        status: Some(200),
        millis: 1,
        requests: 1,
        bytes: 1,
        outcome: Outcome::Unchanged,
        repairs: Vec::new(),
        left_out: Vec::new(),
    };
    FinishedPoll {
        pages: None,
        source,
        automatic: true,
        entries: Some(entries),
        record,
        finish: Box::new(|_, _| {}),
    }
}

/// CPU time of this process in seconds.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    fields[11..13].iter().map(|n| n.parse::<f64>().unwrap()).sum::<f64>() / 100.0
}
