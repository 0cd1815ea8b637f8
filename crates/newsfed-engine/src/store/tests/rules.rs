//! Rules, hidden and snoozed items, tags.

use super::queries::{Sources, declare, made, store_in, term};
use super::*;
use crate::model::{CommandRecord, Effect, RuleEffect};
use crate::query::{Query, resolve};
use crate::store::{Rule, RuleMarks, RuleRecord, Rules};
use chrono::Local;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::sync::Arc;

pub(super) fn rule(name: &str, query: &str, effects: &[&str]) -> Rule {
    Rule {
        name: name.to_owned(),
        query: query.parse().unwrap(),
        effects: effects.iter().map(|effect| effect.parse().unwrap()).collect(),
        until: None,
        stop: false,
    }
}

pub(super) fn list(query: &str) -> View {
    View { criteria: criteria(query), order: SortOrder::Oldest, ..View::of(Scope::All) }
}

pub(super) fn use_rules(f: &Fixture, rules: Vec<Rule>) {
    f.store.set_rules(Rules::new(rules, |named| vec![f.key(named.name())]));
}

#[test]
fn rules_apply_in_order_and_only_to_new_items() {
    let f = Fixture::new(&["s", "other"]);
    f.poll("s", vec![dated("old sport", 9)]);
    let expired =
        Rule { until: Some(f.now.timestamp()), ..rule("expired", "title:news", &["pin"]) };
    let sport = Rule { stop: true, ..rule("Sport", "sport -rugby source:s", &["hide"]) };
    let rules = vec![
        rule("tags", "SPÖRT OR title:/^v[0-9]/", &["tag:Ball", "later"]),
        sport,
        expired,
        rule("rest", "age<4h", &["read", "pin"]),
    ];
    use_rules(&f, rules);
    let text = |title: &str, hours, body: &str| Entry {
        content: Some(format!("<p>{body}</p>")),
        ..dated(title, hours)
    };
    f.poll(
        "s",
        vec![
            text("one", 3, "all about <b>sport</b>"),
            text("two", 5, "rugby is a sport"),
            text("v2 news", 6, "x"),
            text("four", 1, "x"),
        ],
    );
    f.poll("other", vec![dated("other sport", 7)]);
    let titles = |query: &str| f.titles(&list(query)).join(", ");
    assert_eq!(titles("tag:ball"), "other sport, v2 news, two");
    assert_eq!(
        (titles("in:later").as_str(), titles("has:tag").as_str()),
        ("other sport, v2 news, two", "other sport, v2 news, two")
    );
    assert_eq!(titles("is:hidden"), "one", "the rule for other sources does not apply");
    assert_eq!((titles("is:pinned").as_str(), titles("is:read").as_str()), ("four", "four"));
    assert_eq!(titles(""), "old sport, other sport, v2 news, two, four");
    assert_eq!(f.counts("s"), (5, 3, 1));
    // The database records which rule did what.
    let key = |title: &str| {
        let all = f.rows(&list("is:hidden OR unread OR is:read"));
        all.iter().find(|row| row.title == title).unwrap().key
    };
    let reader = f.store.reader().unwrap();
    let effect = |effect| RuleEffect { effect, rule: "Sport".to_owned(), at: f.now };
    let tagged = RuleEffect { rule: "tags".to_owned(), ..effect(Effect::Later) };
    assert_eq!(
        reader.effects_on(key("one")).unwrap(),
        [
            effect(Effect::Hide),
            RuleEffect { effect: Effect::Later, ..tagged.clone() },
            RuleEffect { effect: Effect::Tag("Ball".to_owned()), ..tagged },
        ]
    );
}

#[test]
fn marks_set_on_arrival_equal_marks_set_later() {
    let state = |query: &str, effects: &[&str]| {
        let f = Fixture::new(&["s"]);
        f.store.set_memo_blocking("machine", "0".to_owned()).unwrap();
        let (first, rest) = effects.split_at(1);
        let stop = Rule { stop: true, ..rule("b", query, rest) };
        use_rules(&f, vec![rule("a", query, first), stop, rule("c", query, &["tag:never"])]);
        f.poll("s", vec![Entry { comment_count: Some(3), ..dated("x", 1) }, dated("y", 2)]);
        let read = |conn: &rusqlite::Connection| -> Result<String> {
            let sql = "SELECT group_concat(line, '; ') FROM (
                SELECT title || read || pinned || later || hidden || coalesce(comments_seen, '-') AS line
                FROM item UNION ALL SELECT effect || rule || was_read FROM rule_effect
                UNION ALL SELECT form || tag FROM item_tag UNION ALL SELECT form FROM marked
                UNION ALL SELECT items || unread || pinned FROM source)";
            Ok(conn.query_row(sql, [], |r| r.get(0))?)
        };
        f.store.writer().unwrap().call_blocking(read).unwrap()
    };
    for effects in [
        &["read", "pin"][..],
        &["hide", "pin", "later"],
        &["pin", "hide"],
        &["hide", "read"],
        &["read", "hide"],
        &["hide", "read", "pin"],
        &["hide", "read", "read", "later", "pin"],
        &["read", "hide", "pin"],
        &["hide", "pin", "read"],
        &["hide", "read", "pin", "hide"],
        &["tag:A", "tag:a", "later", "later"],
        &["tag:\"a", "read"],
    ] {
        // Only the database knows whether an item is unread.
        let later = "title:x (is:unread OR is:read)";
        let (at_once, later) = (state("title:x", effects), state(later, effects));
        assert_eq!(at_once, later, "{effects:?}");
        assert!(at_once.contains("y0000-"), "{at_once}");
    }
}

#[test]
fn only_effects_that_still_apply_are_undone() {
    let f = Fixture::new(&["s"]);
    use_rules(&f, vec![rule("r", "sport", &["hide", "pin", "tag:x"])]);
    f.poll("s", vec![dated("sport a", 3), dated("sport b", 2), dated("news", 1)]);
    f.index_all();
    let titles = |query: &str| f.titles(&list(query)).join(", ");
    // Pinning shows hidden items again.
    assert_eq!(titles("is:pinned"), "sport a, sport b");
    let row = f.rows(&list("title:a")).remove(0);
    f.store.mark_blocking(Mark::Pinned, vec![row.key], false).unwrap();
    assert_eq!(f.store.undo_rule_blocking("r".to_owned()).unwrap(), 2);
    assert_eq!((titles("is:pinned").as_str(), titles("tag:x").as_str()), ("", ""));
    assert_eq!(f.store.undo_rule_blocking("r".to_owned()).unwrap(), 0);

    let stored = rule("s", "title:sport", &["hide"]);
    assert_eq!(f.store.apply_rule_blocking(stored, list("title:sport"), f.now).unwrap(), 2);
    assert_eq!((titles("").as_str(), f.counts("s")), ("news", (3, 1, 0)));
    let records = f.store.reader().unwrap().rule_records().unwrap();
    assert_eq!((records.len(), records[0].items, records[0].rule.as_str()), (1, 2, "s"));
    // An item that the user marks read or unread stays that way.
    let hidden = f.rows(&list("is:hidden title:b")).remove(0);
    f.store.mark_blocking(Mark::Read, vec![hidden.key], false).unwrap();
    assert_eq!(titles(""), "sport b, news");
    assert_eq!(f.store.undo_rule_blocking("s".to_owned()).unwrap(), 1);
    assert_eq!((titles("").as_str(), f.counts("s")), ("sport a, sport b, news", (3, 3, 0)));
}

#[test]
fn undoing_a_rule_keeps_the_users_own_marks() {
    let f = Fixture::new(&["s"]);
    f.poll("s", vec![dated("a", 3), dated("b", 2), dated("c", 1)]);
    f.set(Mark::Read, "a");
    let all = rule("r", "is:read OR unread", &["hide"]);
    assert_eq!(f.store.apply_rule_blocking(all, list(""), f.now).unwrap(), 3);
    assert_eq!(f.store.undo_rule_blocking("r".to_owned()).unwrap(), 3);
    assert_eq!(f.titles(&list("is:read")), ["a"], "it was read before");
    assert_eq!(f.counts("s"), (3, 2, 0));

    let pin = rule("p", "unread", &["pin", "tag:x"]);
    assert_eq!(f.store.apply_rule_blocking(pin, list("unread"), f.now).unwrap(), 2);
    let key = f.rows(&list("is:pinned"))[0].key;
    for to in [false, true] {
        f.store.mark_blocking(Mark::Pinned, vec![key], to).unwrap();
        f.store.mark_blocking(Mark::Tag("X".to_owned()), vec![key], to).unwrap();
    }
    assert_eq!(f.store.undo_rule_blocking("p".to_owned()).unwrap(), 1);
    assert_eq!(
        (f.titles(&list("is:pinned")), f.titles(&list("tag:x"))),
        (vec!["b".into()], vec!["b".into()])
    );
}

#[test]
fn a_query_of_many_exclusions_is_not_an_error() {
    let f = Fixture::new(&["s"]);
    f.poll("s", vec![dated("english", 3)]);
    f.index_all();
    let words: String = (0..95).map(|n| format!(" -w{n}")).collect();
    assert_eq!(f.titles(&list(&format!("xx OR (english{words})"))), ["english"]);
}

#[test]
fn snoozed_items_survive_retention_and_come_back_unread() {
    let f = Fixture::new(&["s"]);
    f.poll("s", vec![dated("a", 3), dated("b", 2), dated("c", 1)]);
    let titles = |query: &str| f.titles(&list(query)).join(", ");
    f.set(Mark::Read, "a");
    f.set(Mark::Pinned, "b");
    let keys: Vec<i64> = f.rows(&list("-title:/c/")).iter().map(|row| row.key).collect();
    let until = f.now + TimeDelta::hours(5);
    let earlier = until - TimeDelta::hours(2);
    f.store.mark_blocking(Mark::Snoozed(earlier), keys.clone(), true).unwrap();
    assert_eq!(f.store.mark_blocking(Mark::Snoozed(until), keys, true).unwrap().len(), 2);
    let both: Vec<i64> = f.rows(&list("is:snoozed")).iter().map(|row| row.key).collect();
    let set = |to| f.store.mark_blocking(Mark::Snoozed(until), both.clone(), to).unwrap();
    assert_eq!((set(false).len(), f.counts("s")), (2, (3, 2, 1)), "as they were before");
    assert_eq!((titles("is:read").as_str(), titles("")), ("a", "a, b, c".to_owned()));
    set(true);
    f.set(Mark::Read, "c");
    assert_eq!((titles("").as_str(), titles("is:snoozed").as_str()), ("c", "a, b"));
    assert_eq!(f.counts("s"), (3, 0, 1));
    let reader = f.store.reader().unwrap();
    assert_eq!(reader.next_wake().unwrap(), Some(until));
    let keep = Retention { days: None, items: Some(0), ..Retention::default() };
    assert_eq!(f.store.prune_blocking(f.key("s"), keep, f.now).unwrap(), 1);
    let wake = |at: Time| super::upkeep::wait(f.store.wake(at)).unwrap();
    assert_eq!(wake(until - TimeDelta::seconds(1)), 0);
    assert_eq!(wake(until), 2);
    assert_eq!((titles("").as_str(), f.counts("s")), ("a, b", (2, 2, 1)));
    assert_eq!((titles("is:pinned").as_str(), reader.next_wake().unwrap()), ("b", None));
}

#[test]
fn tags_ignore_case_and_are_removed_with_their_items() {
    let f = Fixture::new(&["s"]);
    f.poll("s", vec![dated("a", 3), dated("b", 2)]);
    let keys: Vec<i64> = f.rows(&list("")).iter().map(|row| row.key).collect();
    let tag = |name: &str, on| {
        f.store.mark_blocking(Mark::Tag(name.to_owned()), keys.clone(), on).unwrap()
    };
    assert_eq!((tag("Café", true).len(), tag("cafe", true).len()), (2, 0));
    assert_eq!(
        f.store.mark_blocking(Mark::Tag("none".to_owned()), vec![999], true).unwrap(),
        [0; 0]
    );
    let reader = f.store.reader().unwrap();
    assert_eq!(reader.item_tags().unwrap(), ["Café"]);
    assert_eq!(reader.tags_of(keys[0]).unwrap(), ["Café"]);
    assert_eq!(tag("CAFÉ", false).len(), 2);
    assert!(reader.item_tags().unwrap().is_empty());
}

#[test]
fn lists_the_most_frequent_categories_and_languages_first() {
    let f = Fixture::new(&["s"]);
    let item = |title: &str, categories: &[&str], language: &str| Entry {
        categories: categories.iter().map(|c| (*c).to_owned()).collect(),
        language: Some(language.to_owned()),
        ..entry(title)
    };
    let (a, b) = (item("a", &["Rust", "Sea"], "de"), item("b", &["sea"], "en"));
    f.poll("s", vec![a, b, item("c", &[], "de"), entry("d")]);
    let values = f.store.reader().unwrap().item_values().unwrap();
    assert_eq!(values.categories, ["sea", "Rust"]);
    assert_eq!(values.languages, ["de", "en"]);
}

/// A rule matches on arrival what a search finds later.
#[test]
fn rules_match_what_searches_find() {
    let config = Config { cases: 8, failure_persistence: None, ..Config::default() };
    let seed = TestRng::from_seed(RngAlgorithm::ChaCha, &[9; 32]);
    let mut runner = TestRunner::new_with_rng(config, seed);
    let query = proptest::collection::vec(term(), 1..4).prop_map(|terms| terms.join(" "));
    // Earlier rules could have set tags.
    let query = query.prop_filter("marks", |query| !query.contains("has:tag"));
    let cases = (proptest::collection::vec(made(), 0..40), proptest::collection::vec(query, 40));
    let found = std::cell::Cell::new(0);
    runner
        .run(&cases, |(items, queries)| {
            let f = Fixture::new(&[]);
            let sources: Sources = declare(&f);
            let named = |(i, query): (usize, &String)| {
                let tag = format!("tag:hit {i}");
                rule(&i.to_string(), query, &[&tag])
            };
            let rules = queries.iter().enumerate().map(named).collect();
            f.store.set_rules(Rules::new(rules, |named| resolve(named, sources.known())));
            store_in(&f, &sources, &items);
            let now = f.now.with_timezone(&Local);
            for (i, typed) in queries.iter().enumerate() {
                let query: Query = typed.parse().unwrap();
                let keys = |query: &Query| {
                    let criteria =
                        Criteria::new(query, now, |named| resolve(named, sources.known()));
                    let view = View { criteria, ..View::of(Scope::All) };
                    let mut keys = f.store.reader().unwrap().keys(&view).unwrap();
                    keys.sort_unstable();
                    keys
                };
                let later = keys(&query);
                let hits = keys(&format!("tag:\"hit {i}\"").parse().unwrap());
                prop_assert_eq!(&hits, &later, "{}", typed);
                found.set(found.get() + hits.len());
            }
            Ok(())
        })
        .unwrap();
    assert!(found.get() > 500, "too few matches for a meaningful test: {}", found.get());
}

#[test]
fn undoes_each_application_of_a_rule_separately() {
    let f = Fixture::new(&["s"]);
    f.poll("s", vec![entry("one"), entry("two"), entry("three")]);
    let rule = || rule("r", "is:unread", &["hide"]);
    let apply = |query: &str| super::upkeep::wait(f.store.apply_rule(rule(), list(query), f.now));
    let first = apply("title:/one/").unwrap();
    let second: Arc<RuleMarks> = Arc::new(apply("title:/two/ OR title:/three/").unwrap());
    assert_eq!((first.items(), second.items()), (1, 2));
    let hidden = || f.store.reader().unwrap().hidden().unwrap();
    let set = |on| {
        let marks = second.clone();
        super::upkeep::wait(f.store.mark_by_rule("r".to_owned(), marks, on, f.now)).unwrap();
    };
    set(false);
    assert_eq!(hidden(), 1, "the first is still hidden");
    set(true);
    assert_eq!(hidden(), 3);
    assert_eq!(f.store.undo_rule_blocking("r".to_owned()).unwrap(), 3);
    assert_eq!(hidden(), 0);
}

/// Records that the source was read before, so that its next items are announced.
fn read_before(f: &Fixture, source: &str) {
    let (key, now) = (f.key(source), f.now);
    let change = f.store.change_facts(key, move |facts| facts.last_ok = Some(now));
    super::upkeep::wait(change).unwrap();
}

#[test]
fn items_hidden_by_any_rule_are_not_announced() {
    let f = Fixture::new(&["s"]);
    let rules = vec![
        rule("Ring", "news", &["notify", "tag:seen"]),
        rule("Mute", "title:football", &["hide"]),
    ];
    use_rules(&f, rules);
    read_before(&f, "s");
    let announced = f.poll("s", vec![dated("football news", 1), dated("other news", 2)]);
    let key = f.rows(&list(""))[0].key;
    assert_eq!(f.titles(&list("tag:seen is:hidden")), ["football news"]);
    let [ring] = &announced.announcements[..] else { panic!("{announced:?}") };
    assert_eq!((ring.rule.as_str(), &ring.items[..], ring.notifies), ("Ring", &[key][..], true));
    let records = f.store.reader().unwrap().rule_records().unwrap();
    assert!(records.iter().all(|record| record.notified == 0), "not before it is done");
}

#[test]
fn items_of_the_first_document_are_not_announced() {
    let f = Fixture::new(&["s"]);
    use_rules(&f, vec![rule("r", "title:a", &["notify", "run", "pin"])]);
    let counts = |entries: Vec<Entry>| {
        let done = f.poll("s", entries);
        done.announcements.iter().map(|one| one.items.len()).collect::<Vec<_>>()
    };
    assert_eq!(counts(vec![entry("a old"), entry("b")]), [0; 0]);
    assert_eq!(f.titles(&list("is:pinned")), ["a old"], "marks are set");
    read_before(&f, "s");
    assert_eq!(counts(vec![entry("a old"), entry("a new"), entry("c")]), [1]);
    // Later items are announced even if the first document was empty.
    f.declare(&["s", "t"]);
    read_before(&f, "t");
    let done = f.poll("t", vec![entry("a")]);
    assert_eq!(done.announcements.len(), 1);
}

#[test]
fn command_records_can_be_updated_listed_and_deleted() {
    let f = Fixture::new(&["s"]);
    f.poll("s", vec![entry("one")]);
    let key = f.rows(&list(""))[0].key;
    let now = f.now;
    let end = |rule: &str, ok, ran| {
        let add = move |record: &mut CommandRecord| record.add(ok, "status", None, now);
        f.store.record_commands(rule.to_owned(), ran, add, now)
    };
    super::upkeep::wait(async {
        let ended = tokio::join!(end("a", true, Some(key)), end("a", false, Some(999)));
        ended.0.and(ended.1).unwrap();
        end("b", false, None).await.unwrap();
        let skip = move |record: &mut CommandRecord| record.skip(3, now);
        f.store.record_commands("c!".to_owned(), None, skip, now).await.unwrap();
    });
    let records = || f.store.reader().unwrap().rule_records().unwrap();
    let listed = || {
        let of = |record: RuleRecord| {
            let commands = record.commands.unwrap_or_default();
            (record.rule, record.ran, commands.ok, commands.failed, commands.skipped)
        };
        records().into_iter().map(of).collect::<Vec<_>>()
    };
    let own = |rule: &str, ran, ok, failed, skipped| (rule.to_owned(), ran, ok, failed, skipped);
    let all = [own("a", 1, 1, 1, 0), own("b", 0, 0, 1, 0), own("c!", 0, 0, 0, 3)];
    assert_eq!(listed(), all, "even without a stored item");
    assert!(records().iter().all(|record| record.last == now));
    f.store.undo_rule_blocking("a".to_owned()).unwrap();
    assert_eq!(listed(), all[1..]);
    super::upkeep::wait(f.store.delete_other_records(vec!["c!".to_owned()])).unwrap();
    assert_eq!(listed(), all[2..], "the rule b was removed");
}

#[test]
fn several_rules_can_act_on_one_item() {
    let f = Fixture::new(&["s"]);
    f.poll("s", vec![entry("one")]);
    let key = f.rows(&list(""))[0].key;
    for name in ["Ring", "Bell"] {
        let record = f.store.record_notified(name.to_owned(), vec![key, 999], f.now);
        super::upkeep::wait(record).unwrap();
    }
    let reader = f.store.reader().unwrap();
    let effects = reader.effects_on(key).unwrap();
    let named = effects.iter().map(|done| (done.rule.as_str(), done.effect.to_string()));
    assert_eq!(crate::model::by_rule(named), "Bell (notify); Ring (notify)");
    let records = reader.rule_records().unwrap();
    assert_eq!(records.iter().map(|record| record.notified).collect::<Vec<_>>(), [1, 1]);
}

/// A pinned item is never hidden, whatever the order of the rules, both on arrival and later.
#[test]
fn pinning_shows_a_hidden_item_with_its_earlier_marks() {
    for decided_by_sql in [false, true] {
        // Only the database counts words.
        let query = if decided_by_sql { "kernel words<50" } else { "kernel" };
        let hide = || rule("Hide", query, &["hide"]);
        let pin = || rule("Pin", "title:/v[0-9]/", &["pin"]);
        for rules in [vec![hide(), pin()], vec![pin(), hide()]] {
            let f = Fixture::new(&["s"]);
            use_rules(&f, rules);
            let text = |title: &str| Entry {
                content: Some("<p>kernel</p>".to_owned()),
                ..dated(title, 2)
            };
            f.poll("s", vec![text("v1"), text("other")]);
            assert_eq!(f.titles(&list("is:pinned is:unread")), ["v1"]);
            assert_eq!(f.titles(&list("is:hidden")), ["other"]);
            let records = f.store.reader().unwrap().rule_records().unwrap();
            let of = |name: &str| records.iter().find(|record| record.rule == name).unwrap().items;
            assert_eq!((of("Hide"), of("Pin")), (1, 1));
        }
    }
    // On request, a rule that pins shows what another rule has hidden.
    let f = Fixture::new(&["s"]);
    use_rules(&f, vec![rule("Hide", "title:v1", &["hide"])]);
    f.poll("s", vec![dated("v1", 2)]);
    let pin = rule("Pin", "title:v1", &["pin"]);
    assert_eq!(f.titles(&list("is:hidden")), ["v1"]);
    let done = super::upkeep::wait(f.store.apply_rule(pin, list("is:hidden"), f.now));
    assert_eq!(done.unwrap().items(), 1);
    assert_eq!(f.titles(&list("is:pinned")), ["v1"]);
    assert_eq!(f.titles(&list("is:pinned is:unread")), ["v1"]);
}

#[test]
fn counts_what_a_rule_would_change() {
    let f = Fixture::new(&["s"]);
    f.poll("s", ["plain", "read", "pinned", "later", "hidden", "tagged"].map(entry).to_vec());
    let keys: Vec<i64> = f.rows(&View::of(Scope::All)).iter().map(|row| row.key).collect();
    f.set(Mark::Read, "read");
    f.set(Mark::Pinned, "pinned");
    f.set(Mark::Later, "later");
    f.set(Mark::Tag("Sea".to_owned()), "tagged");
    f.set(Mark::Hidden, "hidden");
    let would = |effects: &[&str], keys: &[i64]| {
        let effects: Vec<Effect> = effects.iter().map(|effect| effect.parse().unwrap()).collect();
        let would = f.store.reader().unwrap().would_change(&effects, keys).unwrap();
        would.map(|would| (would.items, would.pinned))
    };
    for (effects, want) in [
        (&["read"][..], Some((4, 0))),
        (&["pin"], Some((5, 0))),
        (&["later"], Some((5, 0))),
        (&["hide"], Some((4, 1))),
        (&["tag:sea"], Some((5, 0))),
        (&["read", "pin"], Some((6, 0))),
        (&["hide", "read"], Some((5, 0))),
        (&["notify"], None),
        (&["notify", "tag:SEA"], Some((5, 0))),
    ] {
        assert_eq!(would(effects, &keys), want, "{effects:?}");
    }
    assert_eq!(would(&["read"], &[999]), Some((0, 0)));
}
