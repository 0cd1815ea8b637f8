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
