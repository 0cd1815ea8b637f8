//! Tests of full texts in the interface: fetching, messages, reload, prefetch.

use super::*;
use crate::engine::{PrefetchPlan, TextGot};
use crate::store::Snippet;
use crate::store::WantedPage;

impl Stage {
    pub(super) fn asked_for(&self, words: &str) -> usize {
        self.requested.iter().filter(|a| a.starts_with(words)).count()
    }

    pub(super) fn shown_key(&self) -> i64 {
        self.app.reader.article.as_ref().unwrap().row.key
    }

    #[track_caller]
    pub(super) fn shows(&mut self, words: &str) {
        let screen = self.screen(230, 40);
        assert!(self.says(words) || screen.contains(words), "{words} is missing:\n{screen}");
    }

    /// Whether the message contains some words; on the screen it is wrapped.
    pub(super) fn says(&self, words: &str) -> bool {
        self.app.toast.as_ref().is_some_and(|toast| toast.text.contains(words))
    }
}

#[test]
fn reports_an_opened_item_once() {
    let mut stage = Stage::new();
    stage.keys("<Enter>");
    let key = stage.shown_key();
    assert_eq!(stage.asked_for(&format!("ItemOpened {{ key: {key} }}")), 1);
    // Its text arrived: the article is reloaded, which does not count as opening.
    let before = stage.app.reader.article.clone().unwrap();
    let fetched = TextGot::Fetched { from: TextFrom::Page, changed: false };
    stage.happen(Event::TextGot(key, false, Ok(fetched)));
    assert!(!Arc::ptr_eq(&before, stage.app.reader.article.as_ref().unwrap()));
    assert_eq!(stage.asked_for("ItemOpened"), 1);
    // Nothing is reloaded if there was nothing to fetch.
    let before = stage.app.reader.article.clone().unwrap();
    stage.happen(Event::TextGot(key, false, Ok(TextGot::Left)));
    stage.happen(Event::TextGot(key + 1, false, Ok(TextGot::Same(TextWay::Best))));
    assert!(Arc::ptr_eq(&before, stage.app.reader.article.as_ref().unwrap()));
}

#[test]
fn reports_the_result_of_a_full_text_request() {
    let mut stage = Stage::new();
    stage.keys("x");
    assert_eq!(stage.asked_for("FetchText"), 1, "from the list");
    stage.shows("Fetching the full text from kernel.example …");
    stage.keys("<Enter>x");
    assert_eq!(stage.asked_for("FetchText"), 2, "from the reader");
    let cases = [
        (
            TextGot::Fetched { from: TextFrom::Guided, changed: false },
            "text from the page, located by",
        ),
        (TextGot::Fetched { from: TextFrom::Page, changed: true }, "the article has changed"),
        (TextGot::InFeed, "the feed contains the full text"),
        (TextGot::Kept, "text from the feed, which the page does not contain; x: text of the page"),
        (TextGot::Same(TextWay::Best), "the page gives the same text"),
        (TextGot::Failed("it refuses".to_owned()), "it refuses"),
    ];
    let key = stage.shown_key();
    for (got, words) in cases {
        stage.happen(Event::TextGot(key, true, Ok(got)));
        stage.shows(words);
    }
}

#[test]
fn prefetches_after_showing_the_size() {
    let mut stage = Stage::new();
    stage.keys("P");
    assert_eq!(stage.asked_for("PlanPrefetch"), 1);
    let page = |item| WantedPage { item, source: 1, url: "https://kernel.example/".to_owned() };
    let plan = || PrefetchPlan { pages: (1..=3).map(page).collect(), bytes: 180_000, failed: 0 };
    stage.happen(Event::PrefetchPlanned(Ok(plan())));
    stage.shows("3 pages of pinned and unread items, about 180 kB");
    stage.keys("P");
    assert_eq!(stage.asked_for("Prefetch {"), 1);
    stage.happen(Event::Prefetched(true));
    stage.shows("page 1 of 3");
    stage.happen(Event::Prefetched(true));
    stage.happen(Event::Prefetched(false));
    stage.happen(Event::PrefetchEnded);
    stage.shows("2 pages prefetched, 1 without text");
    // The third key press stops a running job.
    stage.keys("P");
    stage.happen(Event::PrefetchPlanned(Ok(plan())));
    stage.keys("PP");
    assert_eq!(stage.asked_for("StopPrefetch"), 1);
    stage.happen(Event::PrefetchPlanned(Ok(PrefetchPlan::default())));
    stage.shows("all pages are already fetched");
}

#[test]
fn an_opened_item_stays_in_the_list_of_changed_ones() {
    let mut rows = item_rows();
    for row in &mut rows[1..3] {
        (row.changed, row.substantial) = (true, true);
    }
    let titles = [rows[1].title.clone(), rows[2].title.clone()];
    let mut stage = Stage::with(Settings::default(), source_list(), rows);
    stage.keys("/is:changed<Enter>");
    stage.keys("<Enter>");
    let opened = stage.app.items.current().unwrap().key;
    for row in stage.rows.iter_mut().filter(|r| r.key == opened) {
        (row.changed, row.substantial) = (false, false);
    }
    stage.happen(Event::StoreChanged);
    assert_eq!(stage.app.items.current().unwrap().key, opened);
    let screen = stage.screen(120, 40);
    assert!(titles.iter().all(|title| screen.contains(&title[..12])), "{screen}");
}

#[test]
fn marks_changed_articles_and_shows_their_view() {
    let mut rows = item_rows();
    (rows[1].changed, rows[1].substantial) = (true, true);
    rows[3].changed = true;
    let mut stage = Stage::with(Settings::default(), source_list(), rows);
    stage.shows("± Postgres");
    stage.shows("~ 日本語");
    assert!(!stage.screen(120, 40).contains("Changed"));
    stage.happen(Event::SourcesLoaded(Ok(SourceList { changed: 1, ..source_list() })));
    stage.shows("± Changed");
}

#[test]
fn an_item_without_a_title_is_listed_by_how_its_text_begins() {
    let mut stage = Stage::new();
    stage.app.items.rows[0].title.clear();
    let key = stage.app.items.rows[0].key;
    stage.requested.clear();
    stage.keys("j");
    assert!(
        stage.asked_for(&format!("Read(Snippets {{ keys: [{key}]")) == 1,
        "{:?}",
        stage.requested
    );
    let snippet = Snippet {
        title_hits: vec![],
        text: "How it begins".to_owned(),
        hits: vec![],
        picture: None,
    };
    stage.happen(Event::SnippetsLoaded(None, Ok(vec![(key, snippet)])));
    assert!(stage.screen(120, 40).contains("How it begins"));
}
