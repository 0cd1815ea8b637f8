//! Searches find the same items as a scan over all items.

use super::*;
use crate::model::Enclosure;
use crate::query::{
    Column, Field, ItemState, Named, NamedSource, Query, Term, Thing, What, pattern, resolve,
};
use crate::store::count::{Count, MAX_COUNTED};
use crate::util::segment;
use chrono::{DateTime, Local};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// An item as the scan sees it.
struct Plain {
    row: ItemRow,
    title: Vec<Token>,
    authors: Vec<Token>,
    body: Vec<Token>,
    author: String,
    text: String,
    also: Also,
}

/// Other properties of an item.
#[derive(Default)]
struct Also {
    category: Option<&'static str>,
    language: Option<&'static str>,
    audio: bool,
    picture: bool,
    comments: bool,
    later: bool,
    tag: Option<&'static str>,
    hidden: i64,
}

impl Also {
    fn of(number: usize) -> Self {
        let pick = |list: [Option<&'static str>; 3]| list[number % 3];
        Self {
            category: pick([None, Some("Café"), Some("Big news")]),
            language: pick([Some("de-CH"), None, Some("DE")]),
            audio: number.is_multiple_of(4),
            picture: number.is_multiple_of(5),
            comments: number % 4 == 1,
            later: number % 4 == 2,
            tag: pick([Some("X"), Some("To do"), None]),
            hidden: [0, 0, 1, 0, 2][number % 5],
        }
    }
}

/// A word, and the symbols that directly follow it.
type Token = (String, String);

/// The tokens into which the index splits a text: without diacritics and in lower case.
fn tokens(text: &str) -> Vec<Token> {
    let fold = |c: char| match c {
        'é' | 'É' => 'e',
        'ö' => 'o',
        c => c.to_ascii_lowercase(),
    };
    let (mut words, mut before): (Vec<Token>, _) = (Vec::new(), ' ');
    for c in text.chars().map(fold) {
        match words.last_mut() {
            Some((word, _)) if segment::are_joined(before, c) => word.push(c),
            _ if c.is_alphanumeric() => words.push((c.to_string(), String::new())),
            Some((_, signs)) if "+#".contains(c) && before != ' ' => signs.push(c),
            _ => {}
        }
        // Symbols after a space or punctuation do not belong to a word.
        before = if c.is_alphanumeric() || "+#".contains(c) && before != ' ' { c } else { ' ' };
    }
    words
}

impl Plain {
    fn has(&self, column: Column, text: &str, begins: bool) -> bool {
        let wanted = tokens(text);
        let has_symbols = |(found, wanted): (&Token, &Token)| found.1.starts_with(&wanted.1);
        let in_list = |list: &Vec<Token>| {
            list.windows(wanted.len()).any(|window| {
                let (last, first) = (wanted.len() - 1, &wanted[..wanted.len() - 1]);
                let ends = match begins {
                    true => window[last].0.starts_with(&wanted[last].0),
                    false => window[last].0 == wanted[last].0,
                };
                let words = window.iter().zip(first).all(|(found, wanted)| found.0 == wanted.0);
                words && ends && window.iter().zip(&wanted).all(has_symbols)
            })
        };
        match column {
            Column::Any => [&self.title, &self.authors, &self.body].into_iter().any(in_list),
            Column::Title => in_list(&self.title),
            Column::Author => in_list(&self.authors),
        }
    }

    /// Whether all conditions are met; `None` if there are none.
    fn fits(&self, query: &Query, negated: bool, at: &At<'_>) -> Option<bool> {
        let all: Vec<bool> = query
            .terms
            .iter()
            .filter_map(|term| Some(self.meets(term, negated, at)? != term.negated))
            .collect();
        (!all.is_empty()).then(|| all.iter().all(|met| *met))
    }

    fn meets(&self, term: &Term, negated: bool, At { now, sources }: &At<'_>) -> Option<bool> {
        let (row, date) = (&self.row, self.row.date.timestamp());
        let negated = term.negated != negated;
        let same = |a: Option<&str>, b: &str| a.is_some_and(|a| tokens(a) == tokens(b));
        Some(match &term.what {
            _ if is_punctuation(term) => return None,
            What::Text { column, text, phrase } => {
                let is_long = |(word, signs): &Token| word.len() > 2 && signs.is_empty();
                let long = tokens(text).last().is_some_and(is_long);
                self.has(*column, text, !phrase && !negated && long)
            }
            What::Is(ItemState::Unread) => !row.read,
            What::Is(ItemState::Read) => row.read,
            What::Is(ItemState::Pinned) => row.pinned,
            What::Is(ItemState::Unpinned) => !row.pinned,
            What::Is(ItemState::Changed) => row.substantial,
            What::Is(ItemState::Edited) => row.changed,
            What::Is(ItemState::Hidden) => self.also.hidden == 1,
            What::Is(ItemState::Snoozed) => self.also.hidden == 2,
            // The interface has never been opened.
            What::Is(ItemState::New) => false,
            // No two of the items are about the same story.
            What::Is(ItemState::Duplicate) | What::Has(Thing::Duplicate) => false,
            // The items are discovered after `now`, and have no earlier versions.
            What::AsOf(_) | What::InVersions | What::Has(Thing::Version) => false,
            What::After(day) => date >= day.start(*now).unwrap(),
            What::Before(day) => date < day.start(*now).unwrap(),
            What::Younger(span) => date >= now.timestamp() - span.seconds(),
            What::Older(span) => date < now.timestamp() - span.seconds(),
            What::Of(named) => {
                let own = matches!(named, Named::Tag(tag) if same(self.also.tag, tag));
                own || resolve(named, sources.known()).contains(&row.source_key)
            }
            What::Any(alternatives) => {
                let at = At { now: *now, sources };
                let met: Vec<bool> =
                    alternatives.iter().filter_map(|q| self.fits(q, negated, &at)).collect();
                return (!met.is_empty()).then(|| met.contains(&true));
            }
            What::Pattern(field, text) => {
                let pattern = pattern(text).unwrap();
                match field {
                    Field::Any => pattern.is_match(&row.title) || pattern.is_match(&self.text),
                    Field::Title => pattern.is_match(&row.title),
                    Field::Author => pattern.is_match(&self.author),
                    Field::Url => row.url.as_deref().is_some_and(|url| pattern.is_match(url)),
                }
            }
            What::Url(part) => {
                row.url.as_deref().is_some_and(|url| url.to_lowercase().contains(part))
            }
            What::Category(name) => same(self.also.category, name),
            What::Language(code) => self.also.language.is_some_and(|language| {
                let language = language.to_lowercase();
                language == *code || language.starts_with(&format!("{code}-"))
            }),
            What::Shorter(count) => row.words > 0 && row.words < *count,
            What::Longer(count) => row.words > *count,
            What::Has(Thing::Audio) => self.also.audio,
            What::Has(Thing::Video) => false,
            What::Has(Thing::Image) => self.also.picture,
            What::Has(Thing::Comments) => self.also.comments,
            What::Has(Thing::Tag) => self.also.tag.is_some(),
            What::Later => self.also.later,
        })
    }

    /// Whether a list shows the item.
    fn is_in(&self, query: &Query, at: &At<'_>) -> bool {
        let state = if self.also.hidden == 1 { ItemState::Hidden } else { ItemState::Snoozed };
        let pinned = |term: &Term| {
            !term.negated && term.what == What::Is(ItemState::Pinned)
                || term.negated && term.what == What::Is(ItemState::Unpinned)
        };
        let shown = self.also.hidden == 0
            || asks_for(query, state)
            || self.row.pinned && query.terms.iter().any(pinned);
        shown && (query.is_empty() || self.fits(query, false, at) == Some(true))
    }
}

/// The time of a search, and the sources that exist.
struct At<'a> {
    now: DateTime<Local>,
    sources: &'a Sources,
}

/// Whether a query requires a state, without a minus before it.
fn asks_for(query: &Query, state: ItemState) -> bool {
    query.terms.iter().filter(|term| !term.negated).any(|term| match &term.what {
        What::Is(named) => *named == state,
        What::Any(all) => all.iter().any(|query| asks_for(query, state)),
        _ => false,
    })
}

fn is_punctuation(term: &Term) -> bool {
    matches!(&term.what, What::Text { text, .. } if !text.chars().any(char::is_alphanumeric))
}

pub(super) struct Sources(Vec<(i64, Source)>);

impl Sources {
    pub(super) fn known(&self) -> impl Iterator<Item = NamedSource<'_>> + Clone {
        self.0.iter().map(|(key, source)| NamedSource {
            key: *key,
            title: source.title.as_deref().unwrap_or_default(),
            source,
        })
    }
}

const WORDS: &str = "rust Rusty ru rus r café Cafe night train C++ c++20 C c# rust+ +r 2.4 über a-b 直感 人間の直感とその限界 の直 感rust rus直";

fn words(most: usize) -> impl Strategy<Value = String> {
    let word = proptest::sample::select(WORDS.split(' ').collect::<Vec<_>>());
    proptest::collection::vec(word, 0..most).prop_map(|words| words.join(" "))
}

/// Title, text, author, hours ago, source, and the marks.
pub(super) type Made = (String, String, String, i64, usize, bool, bool, bool);

pub(super) fn made() -> impl Strategy<Value = Made> {
    let marks = (any::<bool>(), any::<bool>(), any::<bool>());
    (words(4), words(6), words(2), 0i64..400, 0usize..4, marks).prop_map(
        |(title, body, author, hours, source, (read, pinned, changed))| {
            (title, body, author, hours, source, read, pinned, changed)
        },
    )
}

pub(super) fn term() -> impl Strategy<Value = String> {
    let word = proptest::sample::select(WORDS.split(' ').collect::<Vec<_>>());
    let column = proptest::sample::select(vec!["", "", "title:", "author:"]);
    let text =
        (column, word.clone(), any::<bool>(), word).prop_map(|(column, word, phrase, next)| {
            if phrase { format!("{column}\"{word} {next}\"") } else { format!("{column}{word}") }
        });
    let fixed = proptest::sample::select(vec![
        "unread",
        "is:read",
        "is:pinned",
        "is:unpinned",
        "is:changed",
        "is:edited",
        "after:today",
        "after:yesterday",
        "before:3d",
        "after:10d",
        "before:2027-01-10",
        "after:2027-01",
        "age<3d",
        "age>40h",
        "age<2w",
        "source:a",
        "source:\"The C\"",
        "folder:Tech",
        "folder:Tech/Linux",
        "tag:x",
        "tag:y",
        "tag:none",
        "tag:\"To Do\"",
        "source:d",
        "is:hidden",
        "is:snoozed",
        "in:later",
        "has:audio",
        "has:image",
        "has:comments",
        "has:tag",
        "has:version",
        "category:cafe",
        "category:\"big News\"",
        "lang:de",
        "lang:de-ch",
        "words<3",
        "words>2",
        "url:example/rust",
        "url:/(ru|cafe) n[13]$/",
        "/r.st/",
        "/^night|train$/",
        "title:/rust.*n\\d$/",
        "author:/^c[ae]/",
        "***",
        "\"\"",
    ]);
    let what = prop_oneof![text, fixed.prop_map(str::to_owned)];
    let minus =
        |(negated, what): (bool, String)| format!("{}{what}", if negated { "-" } else { "" });
    let term = (proptest::bool::weighted(0.25), what).prop_map(minus);
    term.prop_recursive(3, 12, 4, move |inner| {
        let joined = proptest::collection::vec((inner, any::<bool>()), 2..5).prop_map(|parts| {
            let or = |(i, (part, or)): (usize, &(String, bool))| {
                format!("{}{part}", if i > 0 && *or { "OR " } else { "" })
            };
            format!("({})", parts.iter().enumerate().map(or).collect::<Vec<_>>().join(" "))
        });
        (proptest::bool::weighted(0.25), joined).prop_map(minus)
    })
}

fn source(id: &str, folder: Option<&str>, tags: &[&str]) -> Source {
    let url = format!("https://{id}.example/feed").parse().unwrap();
    let mut source = Source::feed(SourceId(id.to_owned()), url);
    source.title = Some(format!("The {}", id.to_uppercase()));
    source.folder = folder.map(str::to_owned);
    source.tags = tags.iter().map(|t| (*t).to_owned()).collect();
    source
}

/// Stores these items.
pub(super) fn store(f: &Fixture, items: &[Made]) -> Sources {
    let sources = declare(f);
    store_in(f, &sources, items);
    sources
}

pub(super) fn declare(f: &Fixture) -> Sources {
    let declared = vec![
        source("a", Some("Tech"), &["x"]),
        source("b", Some("Tech/Linux"), &["x", "y"]),
        source("c", None, &[]),
        source("d", Some("City"), &["y"]),
    ];
    f.store.reconcile_blocking(declared.clone(), f.now).unwrap();
    Sources(declared.into_iter().map(|s| (f.key(s.id.as_str()), s)).collect())
}

pub(super) fn store_in(f: &Fixture, sources: &Sources, items: &[Made]) {
    for (of, (_, source)) in sources.0.iter().enumerate() {
        let entry = |(i, (title, body, author, hours, ..)): (usize, &Made)| {
            let also = Also::of(i);
            let picture =
                if also.picture { "<p><img src=\"https://a.example/p.png\"></p>" } else { "" };
            let audio = Enclosure {
                url: "https://a.example/a.mp3".to_owned(),
                mime: Some("audio/mpeg".to_owned()),
                bytes: None,
                seconds: None,
                ..Enclosure::default()
            };
            Entry {
                title: format!("{title} n{i}"),
                content: Some(format!("<p>{body}</p>{picture}")),
                authors: vec![author.clone()],
                url: Some(format!("https://a.example/{title} n{i}")),
                categories: also.category.iter().map(|name| (*name).to_owned()).collect(),
                language: also.language.map(str::to_owned),
                enclosures: if also.audio { vec![audio] } else { vec![] },
                comment_count: also.comments.then_some(3),
                ..dated(&format!("{i}"), *hours)
            }
        };
        let own = items.iter().enumerate().filter(|(_, made)| made.4 == of);
        f.poll(source.id.as_str(), own.map(entry).collect());
    }
    f.index_all();
}

/// A database of these items with their marks, and the same items for the scan.
fn fill(f: &Fixture, items: &[Made]) -> (Sources, Vec<Plain>) {
    let sources = store(f, items);
    let number = |row: &ItemRow| -> usize {
        row.title.rsplit(" n").next().and_then(|n| n.trim_start_matches('n').parse().ok()).unwrap()
    };
    for row in f.rows(&View::of(Scope::All)) {
        let (.., read, pinned, changed) = items[number(&row)];
        let also = Also::of(number(&row));
        let set = move |conn: &rusqlite::Connection| {
            let sql = "UPDATE item SET read = ?1, pinned = ?2, changed = ?3,
                substantial = ?3 AND ?4 % 2, later = ?5 WHERE key = ?4";
            let (read, pinned) = (read || also.hidden > 0, pinned && also.hidden == 0);
            conn.execute(sql, (read, pinned, changed, row.key, also.later))?;
            conn.execute("UPDATE item SET hidden = ?1 WHERE key = ?2", (also.hidden, row.key))?;
            if let Some(tag) = also.tag {
                crate::store::tags::set(conn, tag, &[row.key], true)?;
            }
            Ok(())
        };
        f.store.writer().unwrap().call_blocking(set).unwrap();
    }
    let everything = View {
        criteria: criteria("is:hidden OR is:snoozed OR unread OR is:read"),
        ..View::of(Scope::All)
    };
    let plain = |row: ItemRow| {
        let (_, body, author, ..) = &items[number(&row)];
        let (title, authors) = (tokens(&row.title), tokens(author));
        let also = Also::of(number(&row));
        let (author, text) = (author.clone(), body.clone());
        Plain { title, authors, body: tokens(body), author, text, also, row }
    };
    let plain = f.rows(&everything).into_iter().map(plain).collect();
    (sources, plain)
}

#[test]
fn searches_find_what_a_scan_finds() {
    let config = Config { cases: 8, failure_persistence: None, ..Config::default() };
    let seed = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(config, seed);
    let queries = proptest::collection::vec(proptest::collection::vec(term(), 0..5), 50);
    let found = std::cell::Cell::new(0);
    let cases = (proptest::collection::vec(made(), 0..60), queries);
    runner
        .run(&cases, |(items, queries)| {
            let f = Fixture::new(&[]);
            let (sources, all) = fill(&f, &items);
            let now = f.now.with_timezone(&Local);
            for query in queries {
                let typed = query.join(" ");
                let query: Query = typed.parse().unwrap();
                let criteria = Criteria::new(&query, now, |named| resolve(named, sources.known()));
                let view = View { criteria, ..View::of(Scope::All) };
                let window = f.store.reader().unwrap().window(&view, Anchor::First, 1000);
                let window = window.map_err(|e| TestCaseError::fail(format!("{query}: {e}")))?;
                let mut by_index: Vec<i64> = window.rows.iter().map(|r| r.key).collect();
                let at = At { now, sources: &sources };
                let fits = |plain: &&Plain| plain.is_in(&query, &at);
                let mut by_scan: Vec<i64> =
                    all.iter().filter(fits).map(|plain| plain.row.key).collect();
                by_index.sort_unstable();
                by_scan.sort_unstable();
                prop_assert_eq!(&by_index, &by_scan, "{}", typed);
                let count = f.store.reader().unwrap().count(&view).unwrap();
                prop_assert_eq!((count.items as usize, count.more), (by_scan.len(), false));
                // A search with source names inside a list of sources.
                let two: Vec<i64> = sources.0.iter().take(2).map(|(key, _)| *key).collect();
                let narrow = View { scope: Scope::Sources(two.clone()), ..view };
                let in_two = |plain: &&Plain| two.contains(&plain.row.source_key);
                let count = f.store.reader().unwrap().count(&narrow).unwrap();
                let scanned = all.iter().filter(in_two).filter(fits).count();
                prop_assert_eq!(count.items as usize, scanned, "{} in two", query);
                prop_assert_eq!(f.rows(&narrow).len(), scanned, "{} in two", query);
                found.set(found.get() + by_scan.len());
            }
            Ok(())
        })
        .unwrap();
    assert!(found.get() > 1000, "too few matches for a meaningful test: {}", found.get());
}

#[test]
fn excluding_a_missing_word_keeps_everything() {
    let f = Fixture::new(&["s"]);
    f.poll("s", vec![dated("one", 1), dated("two", 2)]);
    for (text, found) in
        [("-tag:none", 2), ("-source:none", 2), ("-folder:none", 2), ("tag:none", 0)]
    {
        let now = f.now.with_timezone(&Local);
        let criteria = Criteria::new(&text.parse().unwrap(), now, |_| vec![]);
        let view = View { criteria, ..View::of(Scope::All) };
        assert_eq!(f.rows(&view).len(), found, "{text}");
    }
}

#[test]
fn counting_stops_at_its_limits() {
    let f = Fixture::new(&["s"]);
    let entries = |from: i64| (from..from + 500).map(|n| dated(&format!("word {n}"), n)).collect();
    for from in [0, 500, 1000] {
        f.poll("s", entries(from));
    }
    f.index_all();
    let count = |text: &str| {
        let view = View { criteria: criteria(text), ..View::of(Scope::All) };
        f.store.reader().unwrap().count(&view).unwrap()
    };
    let most = Count { items: MAX_COUNTED, more: true };
    assert_eq!((count("word"), count("unread")), (most, most));
    assert_eq!(count("\"word 7\""), Count { items: 1, more: false });
    assert_eq!(count("is:read"), Count::default());
    // If only very few steps are allowed, the number of rows counted until then is returned.
    let (conn, _) = connect::open_reader(f.store.path()).unwrap();
    let view = View { criteria: criteria("title:word age>1000h"), ..View::of(Scope::All) };
    let part = count::count(&conn, &view, 2000).unwrap();
    assert!(part.more && part.items < 100, "{part:?}");
    // The connection is unchanged.
    let view = View { criteria: criteria("is:unpinned"), ..View::of(Scope::All) };
    assert_eq!(count::count(&conn, &view, count::MAX_STEPS).unwrap(), most);
}
