use super::*;
use crate::model::{Source, SourceId};
use chrono::{Local, NaiveDate, TimeDelta, TimeZone};
use proptest::prelude::*;

fn error(text: &str) -> String {
    text.parse::<Query>().map_or_else(|e| e.to_string(), |q| format!("parsed as: {q}"))
}

#[test]
fn prints_a_query_as_it_is_typed() {
    for (typed, printed) in [
        ("", ""),
        ("rust  async", "rust async"),
        ("-rust \"a phrase\" -\"b c\"", "-rust \"a phrase\" -\"b c\""),
        ("\"not closed", "\"not closed\""),
        ("is:unread IS:Read", "unread is:read"),
        ("In:Versions ASOF:2026-11 is:edited", "in:versions asof:2026-11 is:edited"),
        ("unread source:x tag:y", "unread source:x tag:y"),
        ("\"unread\" -unread", "\"unread\" -unread"),
        ("Title:\"two words\" author:roe", "title:\"two words\" author:roe"),
        ("after:2026-1-2 before:today", "after:2026-01-02 before:today"),
        ("age<=3d -age>2w", "age<3d -age>2w"),
        ("source:\"The Kernel\" folder:Tech/Linux", "source:\"The Kernel\" folder:Tech/Linux"),
        ("https://a.example/b?c=d -http://x", "https://a.example/b?c=d -http://x"),
        ("std::vec Re: C++:x 12:30 - -- --x", "std::vec Re: C++:x 12:30 - -- --x"),
        ("x<y <div> a>b", "x<y <div> a>b"),
        (
            "or and f(x) f(x)) :) a/b/ / /usr/bin /etc/x/ \"OR\" \"(x\" \"/x/\"",
            "or and f(x) \"f(x))\" \":)\" a/b/ / /usr/bin /etc/x/ \"OR\" \"(x\" \"/x/\"",
        ),
        ("a b OR -c", "a b OR -c"),
        ("asof:2026 (a OR b)", "asof:2026 (a OR b)"),
        ("a (b OR c d) e", "a (b OR c d) e"),
        ("(a b) (c)", "a b c"),
        ("-(a) -(-b) -(a b) -(a OR b)", "-a b -(a b) -(a OR b)"),
        ("(a OR b) OR (c OR (d e))", "a OR b OR c OR d e"),
        ("(a OR f(x) OR \"b)\")", "a OR f(x) OR \"b)\""),
        ("(title:/a b|c/ OR /x\\/y/) -url:/rss$/", "(title:/a b|c/ OR /x\\/y/) -url:/rss$/"),
        ("url:a.example/b category:\"big (news)\"", "url:a.example/b category:\"big (news)\""),
        ("lang:de-CH WORDS<500 words>2 has:Audio", "lang:de-ch words<500 words>2 has:audio"),
        ("-in:later is:hidden is:Snoozed", "-in:later is:hidden is:snoozed"),
        ("source:\"//x\" \"\" a\"b", "source:\"//x\" \"\" a\"b"),
    ] {
        assert_eq!(typed.parse::<Query>().unwrap().to_string(), printed, "{typed}");
    }
}

#[test]
fn rejects_unknown_operators_with_a_suggestion() {
    for (typed, words) in [
        (
            "is:foo",
            "\"foo\" is not a state; is: accepts unread, new, read, pinned, unpinned, changed",
        ),
        ("in:titles", "\"in:\" accepts \"later\" or \"versions\", not \"titles\""),
        ("-asof:today", "\"asof:\" cannot be excluded; remove the minus"),
        ("-in:versions", "\"in:\" cannot be excluded; remove the minus"),
        ("asof:soon", "\"soon\" is not a date"),
        ("is:unraed", "\"unraed\" is not a state; did you mean \"unread\"?"),
        ("sorce:x", "no operator \"sorce:\"; did you mean \"source:\"?"),
        ("zebra:x", "no operator \"zebra:\"; to find it as text, quote it: \"zebra:x\""),
        ("after:2026-13", "\"2026-13\" is not a date; write 2026-11-21, 2026-11"),
        ("-before:2026-02-30", "\"2026-02-30\" is not a date"),
        ("after:7", "\"7\" is not a date"),
        ("age<x", "\"x\" is not an age; write 3d, 12h"),
        ("age<9999999y", "is not an age"),
        ("age:3d", "an age needs < or >: write age<3d or age>3d"),
        ("date>2026", "only age and words can be compared, with < or >, as in age<3d or words<500"),
        ("tag:", "\"tag:\" needs a tag"),
        ("rust OR", "\"OR\" needs a condition before it and one after it"),
        ("OR rust", "\"OR\" needs a condition before it and one after it"),
        ("(rust OR) go", "\"OR\" needs"),
        ("rust AND go", "words next to each other must all match, OR separates"),
        ("rust && go", "quote \"&&\" to find it as text"),
        ("rust ) go", "there is no \"(\" before it"),
        ("rust ()", "\"(\" needs a condition after it"),
        ("rust (", "word 2: \"(\" needs a condition after it"),
        ("rust (go", "word 2: \"(\" has no \")\"; add it"),
        ("((a) -(b OR c", "word 5: \"(\" has no \")\""),
        ("((a) b", "\"(\" has no \")\""),
        ("(a OR", "word 3: \"OR\" needs"),
        (&"(".repeat(12), "parentheses can be nested at most 10 deep"),
        ("/ru(t/", "\"/ru(t/\" is not a valid pattern: unclosed group"),
        ("title:/x{9999999}/", "is not a valid pattern"),
        ("a OR asof:2026", "word 3: \"asof:\" applies to the whole search"),
        ("asof:2026 (a OR asof:2025)", "word 5: \"asof:\" applies"),
        ("a (in:versions b)", "\"in:\" applies to the whole search"),
        ("has:sound", "unknown value \"has:sound\"; has: accepts audio, video"),
        ("words<x", "\"x\" is not a number of words"),
        ("lang:de_CH", "is not a language"),
        ("title:\"\"", "\"title:\" needs a word of the title"),
        (&"a ".repeat(101), "at most 100 words"),
        (&"a".repeat(501), "of at most 500 characters"),
        ("x\u{1b}[2J sorce:\u{202e}x", "no operator \"sorce:\"; did you mean \"source:\"?"),
    ] {
        assert!(error(typed).contains(words), "{typed}: {}", error(typed));
    }
    let error = "rust  sorce:x y".parse::<Query>().unwrap_err();
    assert_eq!(error.at, 6..13);
    assert!(matches!("tag:".parse::<Query>().unwrap_err().kind, QueryErrorKind::Missing(..)));
}

#[test]
fn completes_the_word_at_the_cursor() {
    let spots: &[(&str, Option<&str>, &str, usize)] = &[
        ("", None, "", 0),
        ("so", None, "so", 0),
        ("rust -so", None, "so", 6),
        ("rust ", None, "", 5),
        ("source:", Some("source:"), "", 7),
        ("rust -Tag:li", Some("tag:"), "li", 10),
        ("source:\"The K", Some("source:"), "The K", 7),
        ("source:\"The K\"", None, "", 14),
        ("age<3", Some("age<"), "3", 4),
        ("\"so", None, "", 3),
        ("(so", None, "so", 1),
        ("a OR -(b tag:x", Some("tag:"), "x", 13),
        ("(a)", None, "", 3),
        ("/so/", None, "", 4),
    ];
    for (text, operator, typed, start) in spots {
        let spot = spot(text, text.len());
        assert_eq!((spot.operator, &*spot.typed, spot.at.start), (*operator, *typed, *start));
        assert_eq!(spot.at.end, text.len(), "{text}");
    }
    assert_eq!(spot("is:un rust", 5).at, 3..5);
}

#[test]
fn equal_names_come_first_and_folders_include_subfolders() {
    let source = |id: &str, folder: Option<&str>, tags: &[&str]| {
        let mut source =
            Source::feed(SourceId(id.to_owned()), "https://a.example/".parse().unwrap());
        source.folder = folder.map(str::to_owned);
        source.tags = tags.iter().map(|t| (*t).to_owned()).collect();
        source
    };
    let sources = [
        (source("kernel", Some("Tech"), &["c"]), "The Kernel"),
        (source("kernel-notes", Some("Tech/Linux"), &["C++"]), "Notes"),
        (source("council", Some("Technology"), &[]), "Council"),
    ];
    let known = |(i, (source, title)): (usize, &'static (Source, &'static str))| NamedSource {
        key: i as i64 + 1,
        source,
        title,
    };
    let sources: &'static [(Source, &'static str)] = Box::leak(Box::new(sources));
    let all = || sources.iter().enumerate().map(known);
    for (query, keys) in [
        ("source:kernel", vec![1]),
        ("source:KERN", vec![1, 2]),
        ("source:\"the kernel\"", vec![1]),
        ("folder:tech", vec![1, 2]),
        ("folder:linux", vec![2]),
        ("tag:c", vec![1]),
        ("tag:x", vec![]),
    ] {
        let parsed: Query = query.parse().unwrap();
        let What::Of(named) = &parsed.terms[0].what else { panic!("{query}") };
        assert_eq!(resolve(named, all()), keys, "{query}");
        assert_eq!(unknown_name(&parsed, all(), &[]).is_some(), keys.is_empty(), "{query}");
    }
    let own = ["To do".to_owned()];
    let found = |query: &str| unknown_name(&query.parse().unwrap(), all(), &own);
    let unknown = |query: &str| found(query).unwrap().message;
    assert_eq!(
        unknown("x OR (y tag:C+-)"),
        "no source or item has the tag \"C+-\"; did you mean \"C++\"?"
    );
    assert_eq!(found("tag:\"to DO\""), None);
    assert_eq!(
        unknown("-source:cuoncil"),
        "there is no source \"cuoncil\"; did you mean \"council\"?"
    );
}

#[test]
fn supports_names_with_quotation_marks() {
    let mut odd = Source::feed(SourceId("odd".to_owned()), "https://odd.example".parse().unwrap());
    odd.tags = vec!["the \"big\"  one".to_owned()];
    let all = [NamedSource { key: 7, source: &odd, title: "\"Quoted\" news" }];
    let found = |name: Named| {
        let query = Query::of([What::Of(name)]).to_string().parse::<Query>().unwrap();
        let What::Of(named) = &query.terms[0].what else { panic!("{query}") };
        resolve(named, all.iter().copied())
    };
    assert_eq!(found(Named::Source("\"Quoted\" news".to_owned())), [7]);
    assert_eq!(found(Named::Source("Quoted\"".to_owned())), [7]);
    assert_eq!(found(Named::Tag(odd.tags[0].clone())), [7]);
    assert_eq!(found(Named::Tag("the bigger one".to_owned())), [0; 0]);
    assert_eq!(resolve(&Named::Source("\"".to_owned()), all.iter().copied()), [0; 0]);
}

#[test]
fn explains_newsboat_filters_and_keeps_similar_text() {
    let newsboat = |query: &str| format!("this is a newsboat filter; in newsfed: {query}");
    for (typed, message) in [
        ("title =~ \"rust\"", newsboat("title:rust")),
        (" title  =~\"rust", newsboat("title:rust")),
        ("title =~ \"^C[+]\"", newsboat("title:/^C[+]/")),
        ("title !~ \"open source\"", newsboat("-title:/open source/")),
        ("content =~ \"rust\"", newsboat("rust")),
        ("content =~ \"unread\"", newsboat("/unread/")),
        ("link =~ \"github\"", newsboat("url:github")),
        ("unread = \"yes\"", newsboat("unread")),
        ("unread != \"yes\"", newsboat("-unread")),
        ("tags # \"data\"", newsboat("tag:data")),
        ("tags !# \"data\"", newsboat("-tag:data")),
        ("(unread == \"yes\" or title =~ \"rust\")", newsboat("unread OR title:rust")),
        ("age < 3 and unread = \"yes\"", newsboat("age<3d unread")),
        ("rust unread = \"yes\"", format!("word 2: {}", newsboat("unread"))),
        ("guid = \"x\"", "this is a newsboat filter; newsfed has no such condition".to_owned()),
    ] {
        assert_eq!(error(typed), message, "{typed}");
    }
    for text in [
        "title rust",
        "title = rust",
        "title=\"rust\"",
        "titles = \"rust\"",
        "\"title\" = \"rust\"",
        "-title = \"rust\"",
        "title \"=\" \"rust\"",
        "\"title =~ rust\"",
        "a = \"b\" c != \"d\" # \"e\"",
        "c# \"x\"",
    ] {
        assert!(text.parse::<Query>().is_ok(), "{text}: {}", error(text));
    }
    let at = |text: &str| text.parse::<Query>().unwrap_err().at;
    assert_eq!(at("rust unread\t= \"yes\" x"), 5..19);
    assert_eq!(at("unread = \"yes\""), 0..14);
}

#[test]
fn explains_a_query_that_looks_like_a_command() {
    for (query, expected) in [
        ("rm -rf", true),
        ("sudo rm -rf", true),
        ("rust -async", false),
        ("-rf rm", false),
        ("rm -title:rf", false),
        ("\"rm -rf\"", false),
    ] {
        let caveat = query.parse::<Query>().unwrap().caveat().unwrap_or_default();
        assert_eq!(caveat.contains("quote a command"), expected, "{query}");
    }
}

#[test]
fn translates_newsboat_expressions() {
    for (expression, expected) in [
        ("unread = \"yes\"", "unread"),
        ("unread = \"yes\" and tags # \"linux kernel\"", "unread tag:\"linux kernel\""),
        ("(unread==\"no\") && title =~ \"sport\"", "is:read title:/sport/"),
        (
            "title !~ \"^a|b\" or link = \"https://x.example/?a\"",
            "-title:/^a|b/ OR url:/^https:\\/\\/x\\.example\\/\\?a$/",
        ),
        ("title = \"News\"", "title:/^News$/"),
        ("author != \"roe\"", "-author:/^roe$/"),
        ("feedtitle !~ \"roe\"", "-source:roe"),
        ("feedtitle =~ \"r.e\"", "cannot be expressed"),
        ("age <= 100000", "cannot be expressed"),
        ("age < 100000", "age<100000d"),
        ("age between 0:10 and author =~ \"roe\"", "age<11d author:/roe/"),
        ("age < 7 and age > 2", "age<7d age>3d"),
        ("feedtitle = \"The Kernel\" and tags !# \"c\"", "source:\"The Kernel\" -tag:c"),
        ("date >= 2026-11-01 and date <= 2026-11-30", "after:2026-11-01 before:2026-12-01"),
        ("unread = \"yes\" or age < 1 and content =~ \"x\"", "unread OR age<1d /x/"),
        ("unread = \"yes\" and tags # \"x\" or tags # \"y\"", "unread (tag:x OR tag:y)"),
        ("unread = \"yes\" and (age < 1 or tags # \"c\")", "unread (age<1d OR tag:c)"),
        ("title =~ \"(\"", "\"(\" is not a valid pattern"),
        ("(unread = \"yes\"", "cannot be parsed"),
        ("flags # \"s\"", "\"flags # s\" cannot be expressed"),
        ("age between 3:10 and unread = \"yes\"", "age>3d age<11d unread"),
        ("age between 3:x", "cannot be expressed"),
        ("flags =~ \"s\" and flags !~ \"b\"", "is:pinned -tag:flag-b"),
        ("flags =~ \"[sb]\"", "cannot be expressed"),
        (
            "enclosure_type =~ \"audio/.*\" or enclosure_type !~ \"^video\"",
            "has:audio OR -has:video",
        ),
        ("enclosure_type =~ \"pdf\"", "cannot be expressed"),
        ("title", "cannot be parsed"),
        ("", "cannot be parsed"),
        ("unread = \"yes\" and", "cannot be parsed"),
        ("unread = \"yes\" nonsense", "the error begins at \"nonsense\""),
    ] {
        let summary = from_newsboat(expression).map_or_else(|e| e.to_string(), |q| q.to_string());
        assert!(summary.contains(expected), "{expression}: {summary}");
    }
}

fn date() -> impl Strategy<Value = Date> {
    prop_oneof![
        (1000i32..=9999, 1u32..=12, 1u32..=28)
            .prop_map(|(y, m, d)| Date::Day(NaiveDate::from_ymd_opt(y, m, d).unwrap())),
        (1000i32..=9999, 1u32..=12).prop_map(|(y, m)| Date::Month(y, m)),
        (1000i32..=9999).prop_map(Date::Year),
        Just(Date::Today),
        Just(Date::Yesterday),
        (0u32..=100_000).prop_map(Date::DaysAgo),
    ]
}

fn leaf() -> impl Strategy<Value = What> {
    let column = prop_oneof![Just(Column::Any), Just(Column::Title), Just(Column::Author)];
    let text = prop_oneof![
        ("[a-z]{1,3}[a-z0-9+:/.<>é日-]{0,8}", Just(false)),
        ("[ a-z:<>/é日-]{1,12}", Just(true)),
    ];
    let state = proptest::sample::select(ItemState::ALL.map(|(state, _)| state).to_vec());
    let unit = proptest::sample::select(vec![Unit::Minutes, Unit::Hours, Unit::Weeks]);
    let span = (0u32..10_000, unit).prop_map(|(count, unit)| Span { count, unit });
    let name = "[ a-zA-Z:/é日+-]{1,10}";
    prop_oneof![
        (column, text).prop_map(|(column, (text, phrase))| What::Text { column, text, phrase }),
        state.prop_map(What::Is),
        date().prop_map(What::After),
        date().prop_map(What::Before),
        span.clone().prop_map(What::Younger),
        span.prop_map(What::Older),
        name.prop_map(|name| What::Of(Named::Source(name))),
        name.prop_map(|name| What::Of(Named::Folder(name))),
        name.prop_map(|name| What::Of(Named::Tag(name))),
        "[a-z |^$\\\\.d]{0,6}[a-z]".prop_filter_map("invalid", |text| {
            let text = format!("x{text}");
            pattern(&text).is_ok().then_some(What::Pattern(Field::Title, text))
        }),
        name.prop_map(What::Category),
        "[a-z./:()?]{1,10}".prop_map(What::Url),
        (0u32..3000).prop_map(What::Longer),
        proptest::sample::select(Thing::ALL.map(|(thing, _)| thing).to_vec()).prop_map(What::Has),
        Just(What::Later),
    ]
}

fn term_of(what: impl Strategy<Value = What>) -> impl Strategy<Value = Term> {
    (any::<bool>(), what).prop_map(|(negated, what)| Term { negated, what })
}

/// Conditions and groups of them, in the form that parsing produces.
fn what() -> impl Strategy<Value = What> {
    leaf().prop_recursive(3, 12, 3, |inner| {
        let conditions = proptest::collection::vec(term_of(inner), 1..3);
        proptest::collection::vec(conditions, 2..4).prop_map(|alternatives| {
            let queries = alternatives.into_iter().map(|terms| Query { terms });
            let flat = queries.flat_map(|query| match query.terms.as_slice() {
                [Term { negated: false, what: What::Any(inner) }] => inner.clone(),
                _ => vec![query],
            });
            What::Any(flat.collect())
        })
    })
}

proptest! {
    /// Trees that no text parses to (such as a bare word that is an operator) are skipped.
    #[test]
    fn printed_query_parses_to_the_same_tree(
        terms in proptest::collection::vec(term_of(what()), 0..6),
    ) {
        let bare = |term: &Term| matches!(&term.what, What::Text { text, phrase: false, .. }
            if text == "unread" || text.contains([':', '<', '>']));
        let query = Query { terms };
        prop_assume!(!query.all_terms().any(bare));
        prop_assert_eq!(query.to_string().parse::<Query>(), Ok(query));
    }

    #[test]
    fn any_parsed_query_round_trips(
        text in "((is:|unread|source:|tag:|title:|after:|before:|age<|age>=|Age:|http://|x:|OR | OR |\\(|\\)|-\\()?[ a-c2\"/:<>=()-]{0,4}[ 3d\t\u{1}]?){0,6}",
    ) {
        if let Ok(query) = text.parse::<Query>() {
            prop_assert_eq!(query.to_string().parse::<Query>(), Ok(query));
        }
    }

    #[test]
    fn parses_or_rejects_any_text(text in "\\PC{0,60}", cursor in 0usize..80) {
        let _ = text.parse::<Query>();
        let spot = spot(&text, cursor);
        prop_assert!(text.get(spot.at.clone()).is_some());
        let _ = from_newsboat(&text);
    }
}

#[test]
fn only_future_moments_are_accepted() {
    // A Saturday at noon.
    let now = Local.with_ymd_and_hms(2026, 11, 21, 12, 0, 0).unwrap();
    let of = |text: &str| moment(text, now).map(|at| Local.timestamp_opt(at, 0).unwrap());
    let day = |day: u32| Local.with_ymd_and_hms(2026, 11, day, 0, 0, 0).single();
    for (text, expected) in [
        ("tomorrow", day(22)),
        (" Friday ", day(27)),
        ("sat", day(28)),
        ("sunday", day(22)),
        ("2 days", Some(now + TimeDelta::days(2))),
        ("1 week", Some(now + TimeDelta::days(7))),
        ("90m", Some(now + TimeDelta::minutes(90))),
        ("2026-11-30", day(30)),
        ("yesterday", None),
        ("2026-11-21", None),
        ("0d", None),
        ("2 parsecs", None),
        ("", None),
    ] {
        assert_eq!(of(text), expected, "{text}");
    }
}

#[test]
fn lists_the_words_in_matching_texts() {
    for (query, expected) in [
        ("rust \"night train\"", vec![("rust", false), ("night train", true)]),
        ("(rust OR zig -go) -c -(d e)", vec![("rust", false), ("zig", false)]),
        ("title:rust author:roe is:unread /x/ source:y", vec![]),
        ("in:versions rust", vec![]),
    ] {
        let query: Query = query.parse().unwrap();
        assert_eq!(query.text_words(), expected, "{query:?}");
    }
}

#[test]
fn toggles_the_search_in_titles() {
    for (typed, titles, back) in [
        ("bridge \"night train\"", "title:bridge title:\"night train\"", "bridge \"night train\""),
        ("-bridge is:unread", "-title:bridge unread", "-bridge unread"),
        ("(tram OR title:rail) /x/", "(title:tram OR title:rail) /x/", "(tram OR rail) /x/"),
        ("is:unread author:roe", "unread author:roe", "unread author:roe"),
    ] {
        let query = typed.parse::<Query>().unwrap().toggle_titles();
        assert_eq!(query.to_string(), titles, "{typed}");
        assert_eq!(query.toggle_titles().to_string(), back, "{typed}");
    }
}

#[test]
fn removes_invisible_characters_from_words() {
    for (typed, seen) in [
        ("ru\u{ad}st -go\u{200b}od", "rust -good"),
        ("\u{feff}title:/a\u{200d}b  c/", "title:/ab  c/"),
        ("a\u{202e}b\u{a0}c", "ab c"),
        // This zero-width non-joiner is kept, as in the texts of items.
        ("\u{645}\u{6cc}\u{200c}\u{62e}", "\u{645}\u{6cc}\u{200c}\u{62e}"),
    ] {
        assert_eq!(typed.parse::<Query>().unwrap().to_string(), seen, "{typed:?}");
    }
    let typed = "ru\u{ad}st\u{a0}is:re\u{ad}ed \u{e9}";
    let at = typed.parse::<Query>().unwrap_err().at;
    assert_eq!(&typed[at], "is:re\u{ad}ed");
}
