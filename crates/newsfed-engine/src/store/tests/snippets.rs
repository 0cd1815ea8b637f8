//! Where searches match.

use super::*;

#[test]
fn shows_where_the_rows_of_a_search_match() {
    let f = Fixture::new(&["a"]);
    let item = |id: &str, title: &str, content: &str| Entry {
        title: title.to_owned(),
        content: Some(content.to_owned()),
        ..entry(id)
    };
    let long = format!("<p>{}</p><p>The <b>Café</b> opens.</p>", "Other words. ".repeat(200));
    f.poll(
        "a",
        vec![item("1", "A cafeteria", &long), item("2", "Cafe", ""), item("3", "Tea", "no")],
    );
    let reader = f.store.reader().unwrap();
    let keys: Vec<i64> = f.rows(&View::of(Scope::All)).iter().map(|row| row.key).collect();
    let found = reader.snippets(&keys, criteria("cafe").text.as_deref().unwrap()).unwrap();
    let mut shown: Vec<_> = found
        .iter()
        .map(|(key, snippet)| {
            let title = reader.row(*key).unwrap().unwrap().title;
            let titles: Vec<&str> = snippet.title_hits.iter().map(|h| &title[h.clone()]).collect();
            let hits: Vec<&str> = snippet.hits.iter().map(|h| &snippet.text[h.clone()]).collect();
            (titles.join(","), hits.join(","))
        })
        .collect();
    shown.sort();
    let pair = |title: &str, text: &str| (title.to_owned(), text.to_owned());
    assert_eq!(shown, [pair("Cafe", ""), pair("cafeteria", "Café")]);
    let text = &found.iter().find(|(_, s)| !s.hits.is_empty()).unwrap().1.text;
    assert!(text.starts_with('…') && text.len() < 400 && text.ends_with("opens."), "{text}");
    // A phrase, and a word that must be missing.
    let phrase = criteria("\"café opens\" -tea").text.unwrap();
    assert_eq!(reader.snippets(&keys, &phrase).unwrap().len(), 1);
}

#[test]
fn can_list_the_best_matches_first() {
    let f = Fixture::new(&["a"]);
    let item = |title: &str, hours, content: &str| Entry {
        content: Some(content.to_owned()),
        ..dated(title, hours)
    };
    let filler = "Nothing of note. ".repeat(50);
    f.poll(
        "a",
        vec![
            item("once", 1, &format!("A plover. {filler}")),
            item("often", 2, &"A plover on the quay. ".repeat(9)),
            item("plover in the title", 3, &filler),
            item("nothing", 4, &filler),
            item("long", 5, &format!("A plover. {}", filler.repeat(9))),
        ],
    );
    f.index_all();
    let best = |query: &str| View {
        criteria: criteria(query),
        order: SortOrder::Best,
        ..View::of(Scope::All)
    };
    assert_eq!(f.titles(&best("plover")), ["plover in the title", "often", "once", "long"]);
    assert_eq!(f.titles(&best("plover -title:often is:unread"))[1..], ["once", "long"]);
    // In a search without words, all matches are equally good.
    f.set(Mark::Pinned, "nothing");
    assert_eq!(f.titles(&best(""))[..3], ["nothing", "once", "often"]);
    assert!(!best("").is_ranked() && !best("in:versions plover").is_ranked());
    let view = best("plover");
    assert!(f.rows(&view).is_sorted_by(|a, b| view.compare(&a.into(), &b.into()).is_lt()));
}

#[test]
fn a_snippet_shows_the_rare_words_of_a_search() {
    let f = Fixture::new(&["a"]);
    let filler = "Nothing of note went on in between. ".repeat(20);
    let forms = "The cranes, crane and craning. ";
    let often = "The crane stood on the quay of the old port. ".repeat(9);
    let text = format!(
        "<p>The king of the hill. {filler}{often}{filler}The crane, a heron.{filler}{forms}</p>"
    );
    f.poll("a", vec![Entry { content: Some(text), ..entry("1") }]);
    let reader = f.store.reader().unwrap();
    let keys: Vec<i64> = f.rows(&View::of(Scope::All)).iter().map(|row| row.key).collect();
    for (query, wanted) in [
        ("the of hill", "The king of the hill."),
        ("the of crane", "The crane stood on the quay"),
        ("the of heron", "The crane, a heron."),
        ("the crane OR heron", "The crane, a heron."),
        ("cran OR heron", "The crane, a heron."),
        ("\"old port\" the", "the old port"),
        ("the", "The king of the hill."),
    ] {
        let found = reader.snippets(&keys, criteria(query).text.as_deref().unwrap()).unwrap();
        let snippet = &found[0].1;
        assert!(snippet.text.contains(wanted), "{query}: {}", snippet.text);
        assert!(snippet.text.split(' ').count() <= 33, "{}", snippet.text);
        assert!(!snippet.hits.is_empty(), "{query}");
    }
}

#[test]
fn a_snippet_shows_as_many_different_words_as_possible() {
    let f = Fixture::new(&["a"]);
    let filler = "Nothing of note went on in between. ".repeat(20);
    let often = format!("A crane. {filler}A heron. {filler}A plover. {filler}").repeat(3);
    let text = format!(
        "<p>{often}One dunlin, one avocet. {filler}Plover, crane, heron. {filler}A wi-fi, \
        a wi fi.{filler}The wi-fi. {filler}"
    );
    f.poll("a", vec![Entry { content: Some(text), ..entry("1") }]);
    let reader = f.store.reader().unwrap();
    let keys: Vec<i64> = f.rows(&View::of(Scope::All)).iter().map(|row| row.key).collect();
    for (query, wanted) in [
        ("crane heron", "Plover, crane, heron."),
        ("crane avocet", "One dunlin, one avocet."),
        // Three different words are better than two rare ones.
        ("crane heron plover avocet dunlin", "Plover, crane, heron."),
        // Two forms of a phrase count as one word.
        ("\"wi fi\" avocet", "One dunlin, one avocet."),
    ] {
        let found = reader.snippets(&keys, criteria(query).text.as_deref().unwrap()).unwrap();
        assert!(found[0].1.text.contains(wanted), "{query}: {}", found[0].1.text);
    }
}

#[test]
fn snippets_mark_words_with_their_symbols() {
    let f = Fixture::new(&["a"]);
    let filler = "Nothing of note went on in between. ".repeat(20);
    let text = format!(
        "<p>Vitamin C first. {filler}Then <b>C</b>++ templates. {filler}C# and C, but F# too."
    );
    f.poll("a", vec![Entry { content: Some(text), ..entry("C, Ć++ & C#") }]);
    let reader = f.store.reader().unwrap();
    let row = f.rows(&View::of(Scope::All)).remove(0);
    for (query, titles, wanted, texts) in [
        ("c++", "Ć++", "Then C++ templates", "C++"),
        ("\"c#\"", "C#", "C# and C", "C#"),
        ("c", "C,Ć,C", "Vitamin C", "C"),
        ("title:c++ vitamin", "Ć++", "Vitamin C first", "Vitamin"),
        ("title:c++", "Ć++", "", ""),
        ("\"c++ templates\"", "", "Then C++ templates", "C++ templates"),
        ("c++ templ", "Ć++", "Then C++ templates", "C++,templates"),
        ("c f#", "C,Ć,C", "C# and C, but F# too", "C,C,F#"),
        ("c# OR \"f#\" -c++x", "C#", "C# and C, but F# too", "C#,F#"),
    ] {
        let found = reader.snippets(&[row.key], criteria(query).text.as_deref().unwrap()).unwrap();
        let Snippet { title_hits, text, hits, .. } = &found[0].1;
        let of = |text: &str, hits: &[std::ops::Range<usize>]| {
            hits.iter().map(|hit| &text[hit.clone()]).collect::<Vec<_>>().join(",")
        };
        assert_eq!(
            (of(&row.title, title_hits).as_str(), of(text, hits).as_str()),
            (titles, texts),
            "{query}"
        );
        assert!(text.contains(wanted), "{query}: {text}");
    }
}

#[test]
fn snippets_are_short_even_if_the_index_splits_words() {
    let f = Fixture::new(&["a"]);
    // In the index, words end at vowel signs.
    let hindi = "ab\u{93e}";
    let texts = [
        format!("before {}", hindi.repeat(60_000)),
        format!("{}xy\u{93e}{}", hindi.repeat(30_000), hindi.repeat(30_000)),
        format!("{} ab", "\u{e01}".repeat(60_000)),
        format!("{} ab {}", "-".repeat(9000), "-".repeat(9000)),
        format!("first {} last", "ab".repeat(60_000)),
    ];
    for (n, text) in texts.into_iter().enumerate() {
        f.poll("a", vec![Entry { content: Some(text.clone()), ..entry(&format!("item {n}")) }]);
        let reader = f.store.reader().unwrap();
        let key = reader.last_key().unwrap();
        let find = |query: &str| {
            let expression = criteria(query).text.unwrap();
            reader.snippets(&[key], &expression).unwrap().remove(0).1
        };
        // Short words do not match longer ones.
        let mut found = vec![find(if text.starts_with("first") { "aba" } else { "ab" })];
        if text.contains("xy") {
            found.push(find("ab OR xy"));
            assert!(found[1].text.contains("xy"), "the rare word is shown: {:?}", found[1]);
        }
        for Snippet { text, hits, .. } in found {
            assert!(text.len() <= 806 && (1..=400).contains(&hits.len()), "{text}");
            assert!(hits.iter().all(|hit| text[hit.clone()].starts_with(['a', 'x'])), "{text}");
            assert!(hits.is_sorted_by_key(|hit| hit.start));
        }
    }
}

#[test]
fn openings_show_the_text_and_a_picture() {
    let f = Fixture::new(&["a"]);
    let item = |id: &str, content: &str| Entry { content: Some(content.to_owned()), ..entry(id) };
    let enclosed = |mime: &str| crate::model::Enclosure {
        url: format!("https://site.example/enclosed.{mime}"),
        mime: Some(mime.to_owned()),
        ..Default::default()
    };
    let files = vec![enclosed("audio/mpeg"), enclosed("image/png")];
    let image = "<img src=/pic.jpg width=600 height=400><p>Some  <b>text</b></p>";
    f.poll(
        "a",
        vec![
            item("image", image),
            Entry { enclosures: files.clone(), ..item("both", image) },
            Entry { enclosures: files, ..item("enclosed", "<p>Text</p>") },
            item("plain", &format!("<p>{}</p>", "Many words. ".repeat(900))),
            item("empty", ""),
        ],
    );
    let rows = f.rows(&View::of(Scope::All));
    let reader = f.store.reader().unwrap();
    let opening = |title: &str| {
        let key = rows.iter().find(|row| row.title == title).unwrap().key;
        let [(found, snippet)] = <[_; 1]>::try_from(reader.openings(&[key, 999]).unwrap()).unwrap();
        assert!(found == key && snippet.hits.is_empty() && snippet.title_hits.is_empty());
        (snippet.text, snippet.picture)
    };
    let picture = |name: &str| Some(format!("https://site.example/{name}"));
    assert_eq!(opening("image"), ("Some text".to_owned(), picture("pic.jpg")));
    assert_eq!(opening("both").1, picture("pic.jpg"));
    assert_eq!(opening("enclosed"), ("Text".to_owned(), picture("enclosed.image/png")));
    let (text, none) = opening("plain");
    assert!(text.starts_with("Many words. Many") && text.len() < 1000 && none.is_none(), "{text}");
    assert_eq!(opening("empty"), (String::new(), None));
    // The rows of a search have pictures too.
    let keys: Vec<i64> = rows.iter().map(|row| row.key).collect();
    let found = reader.snippets(&keys, criteria("text").text.as_deref().unwrap()).unwrap();
    let mut pictures: Vec<_> = found.into_iter().map(|(_, snippet)| snippet.picture).collect();
    pictures.sort();
    assert_eq!(pictures, [picture("enclosed.image/png"), picture("pic.jpg"), picture("pic.jpg")]);
}
