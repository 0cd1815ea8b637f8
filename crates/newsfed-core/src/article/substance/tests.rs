use super::*;
use RevisionKind::{Names, Negation, Notice, Numbers, Text, Wording};

fn kinds(earlier: &str, later: &str, language: &str) -> Vec<RevisionKind> {
    revisions(earlier, later, Some(language)).into_iter().map(|r| r.kind).collect()
}

#[test]
fn typos_are_not_substantial_changes() {
    let cases = [
        ("en", "The goverment fell on a day in May.", "The government fell on a day in May."),
        ("en", "He recieved teh letter.", "He received the letter."),
        ("en", "She went in to the the house", "She went into the house"),
        ("en", "It is, as they say, over", "It is as they say over."),
        ("en", "An visitor was their", "A visitor was there"),
        ("en", "the internet is slow", "the Internet is slow"),
        (
            "en",
            "We met Angela Merkle. Angela Merkel spoke.",
            "We met Angela Merkel. Angela Merkel spoke.",
        ),
        ("en", "He wanted to the boat", "He wanted to reach the boat"),
        ("en", "It cost 1000 euros", "It cost 1,000 euros"),
        ("de", "Die Regirung trat am Abend zurück", "Die Regierung trat am Abend zurück"),
        ("fr", "Le gouvernment est tombé", "Le gouvernement est tombé"),
        ("en", "1,204 views\nHe recieved it", "1,310 views\nHe received it"),
        ("en", "first line\nsecond 12 line", "second 12 line\nfirst line"),
    ];
    for (language, earlier, later) in cases {
        assert_eq!(kinds(earlier, later, language), [], "{earlier} -> {later}");
    }
}

#[test]
fn finds_changes_of_meaning() {
    let cases: &[(&str, &str, &str, &[RevisionKind])] = &[
        ("en", "The storm killed 12 people", "The storm killed 21 people", &[Numbers]),
        ("en", "It cost three million euros", "It cost three billion euros", &[Numbers]),
        ("en", "The minister will resign", "The minister will not resign", &[Negation]),
        ("en", "They can go", "They can't go", &[Negation]),
        ("en", "The deal is legal", "The deal is illegal", &[Negation]),
        ("de", "Das Gesetz gilt", "Das Gesetz gilt nicht", &[Negation]),
        ("de", "Es gibt eine Lösung", "Es gibt keine Lösung", &[Negation]),
        ("ru", "Он придёт завтра", "Он не придёт завтра", &[Negation]),
        ("ja", "法案は可決された", "法案は不可決された", &[Negation]),
        ("en", "said Anna Meier of the club", "said Anna Huber of the club", &[Names]),
        ("en", "the mayor John Smith said", "the mayor John Smyth said", &[Names]),
        ("en", "The pool is open", "The pool is closed", &[Wording]),
        ("en", "imports increase", "imports decrease", &[Wording]),
        (
            "en",
            "He won.",
            "He won.\nCorrection: the name of the river was wrong in the first text of ours.",
            &[Notice],
        ),
        (
            "en",
            "He won.",
            "He won. Later that evening the crowd walked down to the harbour and sang until the morning.",
            &[Text],
        ),
        ("zh", "会议反对提案", "会议赞成提案", &[Wording]),
    ];
    for (language, earlier, later, want) in cases {
        assert_eq!(kinds(earlier, later, language), *want, "{earlier} -> {later}");
    }
}

#[test]
fn names_the_changes_in_the_summary() {
    let all = revisions("12 people in Bonn died", "21 people in Kiel died", Some("en"));
    assert_eq!(Revision::summary(&all), "numbers changed: 12 -> 21; names changed: Bonn -> Kiel");
}

#[test]
fn treats_a_reply_as_a_new_passage() {
    let thread = "Ann, 12 Nov 2026, 10:00\nHow was the lamp of the lighthouse lit?";
    let reply =
        "Bob, 13 Nov 2026, 11:30\nIt was never lit by the 3 keepers, as Carl Meier of Bonn wrote.";
    let later = format!("{thread}\n{reply}");
    let summary = |a: &str, b: &str| Revision::summary(&revisions(a, b, Some("en")));
    let passage = "Bob, 13 Nov 2026, 11:30 It was never lit by the 3 keepers, …";
    assert_eq!(summary(thread, &later), format!("text added: {passage}"));
    assert_eq!(summary(&later, thread), format!("text removed: {passage}"));
}

#[test]
fn ignores_typos_and_punctuation_in_headlines() {
    let small = [
        ("Minister Resings After Vote", "Minister Resigns After Vote"),
        ("It's over", "It’s over"),
        ("The end", "The End."),
    ];
    for (earlier, later) in small {
        assert_eq!(headline(earlier, later, Some("en")), None, "{earlier} -> {later}");
    }
    for (earlier, later) in [
        ("Minister resigns", "Minister stays"),
        ("Two dead in flood", "Three dead in flood"),
        ("Mayor admits fraud", "Mayor denies fraud"),
        ("Police arrest man", "Police arrest man after shooting"),
    ] {
        let found = headline(earlier, later, None).unwrap();
        assert_eq!((found.from.as_str(), found.to.as_str()), (earlier, later));
    }
}

#[test]
fn compares_large_rewritten_texts_quickly() {
    let text =
        |from: usize| -> String { (from..from + 20_000).map(|n| format!("word{n} ")).collect() };
    assert_eq!(kinds(&text(0), &text(50_000), "en"), [Numbers, Text]);
}

#[test]
fn limits_the_word_comparisons_of_all_edits_together() {
    // The last words are similar, but there are too many pairs before them.
    let text = |word: &str, last: &str| -> String {
        let row = |n: usize| format!("same{n} {}\n", format!("{word} ").repeat(COMPARED));
        let rows: String = (0..=MAX_COMPARED / COMPARED / COMPARED).map(row).collect();
        format!("{rows} the end was {last} here")
    };
    let (old, new) = (text("abcdefghij", "recieved"), text("axyzxyzxyz", "received"));
    let mut found = Found::default();
    for edit in edits(&old, &new) {
        found.take(&edit);
    }
    assert_eq!(found.compared, MAX_COMPARED);
    assert!(found.wording.added.contains(&"received".to_owned()), "it was not compared any more");
}

#[test]
fn treats_overlong_texts_as_changed() {
    let long = |word: &str| "many words ".repeat(MAX_TEXT / 8) + word;
    assert_eq!(revisions(&long("12"), &long("21"), Some("en")), [Revision::text()]);
    let after = |word: &str| format!("{}\n{word}", long(word));
    assert_eq!(revisions(&after("12"), &after("21"), Some("en")), [Revision::text()]);
}

#[test]
fn pairs_opposites_in_any_order() {
    let word = |text: &str| split(text, true);
    let (mut removed, mut added) = (word("legal illogical kept"), word("other logical illegal"));
    let mut found = Sides::default();
    cancel_opposites(&mut removed, &mut added, &mut found);
    assert_eq!((removed[0].text.as_str(), added[0].text.as_str()), ("kept", "other"));
    assert_eq!((removed.len(), added.len()), (1, 1));
    for (earlier, later) in [("live", "alive"), ("part", "apart")] {
        assert_ne!(kinds(&format!("is {earlier}"), &format!("is {later}"), "en"), [Negation]);
    }
}
