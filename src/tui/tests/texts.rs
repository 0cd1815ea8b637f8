//! Tests of full texts in the interface: fetching, messages, reloading and prefetching.

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
        assert!(self.has_message(words) || screen.contains(words), "{words} is missing:\n{screen}");
    }

    /// Whether the message contains a text. On the screen, the text would be wrapped.
    pub(super) fn has_message(&self, words: &str) -> bool {
        self.app.toast.as_ref().is_some_and(|toast| toast.text.contains(words))
    }
}

#[test]
fn the_header_scrolls_away_row_by_row() {
    let mut stage = Stage::new();
    stage.screen(80, 24);
    stage.keys("<Enter>");
    let rows = |screen: &str, row: &str| screen.lines().position(|line| line.contains(row));
    let first = "The merge window closed on Sunday";
    let mut at = rows(&stage.screen(80, 24), first).unwrap();
    let mut seen = 0;
    loop {
        stage.keys("j");
        match rows(&stage.screen(80, 24), first) {
            Some(row) => assert_eq!(row + 1, std::mem::replace(&mut at, row), "one row a key"),
            None => break,
        }
        seen += 1;
    }
    assert!(seen > 2, "the header takes rows");
    for _ in 0..=seen {
        stage.keys("k");
    }
    // The scroll position stays when the text is wrapped again.
    stage.keys("jj");
    let at = rows(&stage.screen(80, 24), first);
    stage.keys(".");
    assert_eq!(rows(&stage.screen(80, 24), first), at);
    stage.keys(".kk");
    stage.app.toast = None;
    let start = stage.screen(80, 24);
    stage.keys("gg");
    assert_eq!(stage.screen(80, 24), start, "as many keys back show the whole head again");
}

#[test]
fn reports_an_opened_item_once() {
    let mut stage = Stage::new();
    stage.keys("<Enter>");
    let key = stage.shown_key();
    assert_eq!(stage.asked_for(&format!("ItemOpened {{ key: {key} }}")), 1);
    // When its text arrives, the article is reloaded, but not reported as opened again.
    let before = stage.app.reader.article.clone().unwrap();
    let fetched = TextGot::Fetched { from: TextFrom::Page, changed: false };
    stage.happen(Event::TextGot(key, false, Ok(fetched)));
    assert!(!Arc::ptr_eq(&before, stage.app.reader.article.as_ref().unwrap()));
    assert_eq!(stage.asked_for("ItemOpened"), 1);
    // If there was nothing to fetch, nothing is reloaded.
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
            "Text from the page, located by",
        ),
        (
            TextGot::Fetched { from: TextFrom::Page, changed: true },
            "The article has changed; text from the page",
        ),
        (TextGot::InFeed, "The feed contains the full text"),
        (TextGot::Kept, "Text from the feed, which the page does not contain; x: another text"),
        (TextGot::Feed, "Text from the feed; x: another text"),
        (
            TextGot::Fetched { from: TextFrom::Page, changed: false },
            "Text from the page; x: another text",
        ),
        (TextGot::Same(TextWay::Best), "The page gives the same text"),
        (TextGot::Failed("it refuses".to_owned()), "It refuses"),
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
    // The third key press stops the running prefetch.
    stage.keys("P");
    stage.happen(Event::PrefetchPlanned(Ok(plan())));
    stage.keys("PP");
    assert_eq!(stage.asked_for("StopPrefetch"), 1);
    stage.happen(Event::PrefetchPlanned(Ok(PrefetchPlan::default())));
    stage.shows("all pages have already been fetched");
}

#[test]
fn opened_items_stay_in_the_list_of_changes() {
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
fn marks_changed_items_and_shows_the_row_changed() {
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
fn lists_untitled_items_by_their_first_words() {
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

/// The interface with an article that is truncated in the feed; `change` can change the item.
fn with_teaser(change: impl Fn(&mut Item)) -> Stage {
    let mut stage = Stage::new();
    stage.screen(120, 40);
    let mut shown = article(item_rows()[0].clone());
    let mut item = Item::clone(&shown.item);
    change(&mut item);
    (shown.item, shown.is_cut) = (Arc::new(item), true);
    stage.shown = Some(shown);
    stage
}

#[test]
fn the_header_shows_that_the_page_is_being_fetched() {
    let mut stage = with_teaser(|item| item.fetched = None);
    stage.keys("<Enter>");
    let key = stage.shown_key();
    stage.shows("Teaser from the feed; fetching the full text …");
    assert!(!stage.screen(120, 40).contains("end of the article ·"), "the rest may come");
    // The result for another item does not end the wait.
    stage.happen(Event::TextGot(key + 1, false, Ok(TextGot::Left)));
    stage.shows("fetching the full text …");
    stage.happen(Event::TextGot(key, false, Ok(TextGot::Left)));
    assert!(!stage.screen(120, 40).contains("fetching the full text"));
    stage.keys("x");
    stage.shows("; fetching the full text …");
    stage.happen(Event::TextGot(key, true, Ok(TextGot::Failed("it refuses".to_owned()))));
    assert!(!stage.screen(120, 40).contains("fetching the full text"));
}

#[test]
fn the_header_shows_only_fetches_that_the_engine_makes() {
    let never = |stage: &mut Stage| stage.app.settings.full_text = FullText::Never;
    let reads = |stage: &mut Stage| stage.app.status.role = crate::engine::ProcessRole::Reads;
    let offline = |stage: &mut Stage| stage.app.status.offline = true;
    for change in [never as fn(&mut Stage), reads, offline] {
        let mut stage = with_teaser(|item| item.fetched = None);
        change(&mut stage);
        stage.keys("<Enter>");
        assert!(!stage.screen(120, 40).contains("fetching"));
    }
    let mut stage = with_teaser(|_| {});
    stage.keys("<Enter>");
    assert!(!stage.screen(120, 40).contains("fetching"));
}

#[test]
fn space_waits_once_for_a_pending_text() {
    let mut stage = with_teaser(|item| item.fetched = None);
    stage.keys("<Enter>");
    let first = stage.app.reader.article.as_ref().unwrap().row.key;
    stage.shows("fetching the full text …");
    stage.keys("G");
    stage.screen(230, 40);
    stage.keys("<Space>");
    stage.shows("The full text is still being fetched; Space again: next unread");
    assert_eq!(stage.app.reader.article.as_ref().unwrap().row.key, first);
    stage.keys("<Space>");
    assert_ne!(stage.app.reader.article.as_ref().unwrap().row.key, first);
    assert!(!stage.has_message("is still being fetched"), "it is about the article before");
}

#[test]
fn a_teaser_does_not_end_like_an_article() {
    let mut stage = with_teaser(|_| {});
    stage.keys("<Enter>");
    stage.shows("Teaser from the feed");
    stage.shows("end of the teaser · x: full text · Space: next unread");
    // The header shows why the page has no full text.
    let why = "kernel.example has nothing at this URL (HTTP 404)";
    let mut stage = with_teaser(|item| item.fetch_error = Some(why.to_owned()));
    stage.keys("<Enter>");
    stage.shows("Teaser only: HTTP 404");
    // The feed may contain the full text of this item.
    stage.shown.as_mut().unwrap().is_cut = false;
    stage.keys("n");
    stage.shows("Text from the feed; no full text: HTTP 404");
    assert!(stage.screen(230, 60).contains("end of the feed's text · Space: next unread"));
    assert!(!stage.screen(230, 50).contains("next unread · no full text"));
    // On a short screen, the header has no space for the reason.
    stage.screen(70, 12);
    stage.keys("G");
    let end = |screen: String| {
        screen.lines().rev().nth(1).unwrap().trim_end_matches(['▐', ' ']).to_owned()
    };
    assert!(end(stage.screen(70, 12)).ends_with("no full text · Space: next unread"));
    assert!(end(stage.screen(60, 12)).ends_with("next unread"));
    // The feed is known to contain only teasers.
    let mut stage = with_teaser(|item| item.feed_has_full_text = Some(false));
    stage.shown.as_mut().unwrap().is_cut = false;
    stage.keys("<Enter>");
    stage.shows("x: full text · Space: next unread");
}

#[test]
fn an_entry_that_its_page_truncates_is_a_teaser() {
    use crate::model::{Source, SourceRules, WebsiteRules};
    let mut list = source_list();
    for entry in &mut list.sources {
        let rules = SourceRules::Entries(WebsiteRules::default().into());
        entry.source = Arc::new(Source { rules, ..Source::clone(&entry.source) });
    }
    let mut stage = with_teaser(|item| item.fetched = None);
    // Opening an item reloads the list of sources.
    let open = |stage: &mut Stage, key: &str| {
        for keys in [key, ""] {
            stage.happen(Event::SourcesLoaded(Ok(list.clone())));
            stage.keys(keys);
        }
    };
    stage.app.status.offline = true;
    open(&mut stage, "<Enter>");
    stage.shows("Teaser from the page, x shows the full text");
    stage.app.status.offline = false;
    open(&mut stage, "n");
    stage.shows("Teaser from the page; fetching the full text …");
    stage.shown.as_mut().unwrap().is_cut = false;
    open(&mut stage, "n");
    stage.shows("Full text from the page");
}

#[test]
fn switching_texts_scrolls_to_the_top_without_a_search() {
    for (keys, got, to_start) in [
        ("", TextGot::Feed, true),
        ("", TextGot::Same(TextWay::Best), false),
        ("<C-f>words<Enter>", TextGot::Feed, false),
    ] {
        let mut stage = Stage::new();
        let document = Arc::new(from_html(&"<p>Some words.</p>".repeat(60), None));
        stage.shown = Some(Article { document, ..article(item_rows()[0].clone()) });
        stage.screen(80, 24);
        stage.keys("<Enter>");
        stage.screen(80, 24);
        stage.keys(keys);
        stage.keys("G");
        stage.screen(80, 24);
        let key = stage.shown_key();
        if got == TextGot::Feed {
            let other = Arc::new(from_html(&"<p>Different words.</p>".repeat(60), None));
            stage.shown.as_mut().unwrap().document = other;
        }
        stage.happen(Event::TextGot(key, true, Ok(got.clone())));
        stage.screen(80, 24);
        assert_eq!(stage.app.reader.top == 0, to_start, "{got:?} {keys}");
    }
}

#[test]
fn switching_texts_keeps_the_current_passage() {
    let paragraphs =
        |from: usize| (from..60).map(|n| format!("<p>A long enough sentence about {n}.</p>"));
    let document = |html: String| Arc::new(from_html(&html, None));
    let own = |n: usize| document(paragraphs(n).collect());
    // `more` has a heading first, and adverts between the paragraphs; `joined` is a single paragraph.
    let more =
        format!("<h2>Teaser</h2>{}", paragraphs(0).collect::<Vec<_>>().join("<p>Advert.</p>"));
    let joined = paragraphs(0).collect::<String>().replace("</p><p>", " ");
    for (from, other) in [(0, document(more)), (0, document(joined)), (20, own(0)), (0, own(20))] {
        let mut stage = Stage::new();
        stage.shown = Some(Article { document: own(from), ..article(item_rows()[0].clone()) });
        stage.screen(80, 24);
        stage.keys("<Enter>");
        for _ in 0..3 {
            stage.screen(80, 24);
            stage.keys("<Space>");
        }
        let top = |stage: &Stage| {
            let reader = &stage.app.reader;
            let mut lines = reader.lines.lines[reader.top..].iter().map(|line| line.text());
            lines.find(|line| line.contains("about")).unwrap()
        };
        stage.screen(80, 24);
        let before = top(&stage);
        let sentence = before.split("about ").nth(1).unwrap().split('.').next().unwrap().to_owned();
        stage.shown.as_mut().unwrap().document = other;
        let key = stage.shown_key();
        stage.happen(Event::TextGot(key, true, Ok(TextGot::Feed)));
        let screen = stage.screen(80, 24);
        let first: String = screen.lines().skip(3).take(4).collect();
        assert!(first.contains(&format!("about {sentence}.")), "{before}: {screen}");
    }
}

#[test]
fn switching_back_keeps_the_passage_of_the_other_text() {
    let text = |between: &str| {
        let sentences =
            (0..60).map(|n| format!("<p>A long enough sentence about {n}.</p>{between}"));
        Arc::new(from_html(&sentences.collect::<String>(), None))
    };
    let (feed, page) = (text(""), text("<p>Advert.</p>"));
    let mut stage = Stage::new();
    stage.shown = Some(Article { document: feed.clone(), ..article(item_rows()[0].clone()) });
    stage.screen(80, 24);
    stage.keys("<Enter>");
    stage.screen(80, 24);
    let key = stage.shown_key();
    for text in [page, feed] {
        stage.shown.as_mut().unwrap().document = text;
        stage.happen(Event::TextGot(key, true, Ok(TextGot::Feed)));
        stage.screen(80, 24);
        stage.keys("<Space><Space>");
        stage.screen(80, 24);
    }
    // The page was read up to about sentence 9, and the feed's text from there on.
    let first = stage.app.reader.lines.lines[stage.app.reader.top..].iter();
    let text = first.map(|line| line.text()).find(|line| line.contains("about")).unwrap();
    let number: usize = text.trim_end_matches('.').rsplit(' ').next().unwrap().parse().unwrap();
    assert!(number > 20, "{text}");
}

#[test]
fn switching_there_and_back_restores_the_line() {
    let own = |n: usize| format!("<p>Only here, a long enough line {n}.</p>").repeat(8);
    let shared = |n: usize| format!("<p>A long enough sentence about {n}.</p>");
    let html: String = (0..30).map(|n| own(n) + &shared(n)).collect();
    let feed = Arc::new(from_html(&html, None));
    let page = Arc::new(from_html(&(0..30).map(shared).collect::<String>(), None));
    let mut stage = Stage::new();
    stage.shown = Some(Article { document: feed.clone(), ..article(item_rows()[0].clone()) });
    stage.screen(80, 24);
    stage.keys("<Enter>");
    stage.screen(80, 24);
    stage.keys("<Space><Space><Space>");
    stage.screen(80, 24);
    let (key, top) = (stage.shown_key(), stage.app.reader.top);
    for text in [page, feed] {
        stage.shown.as_mut().unwrap().document = text;
        stage.happen(Event::TextGot(key, true, Ok(TextGot::Feed)));
        stage.screen(80, 24);
    }
    assert_eq!(stage.app.reader.top, top);
}

#[test]
fn returning_to_a_text_restores_its_scroll_position() {
    let document = |words: &str| Arc::new(from_html(&format!("<p>{words}</p>").repeat(60), None));
    let (page, feed) = (document("The text of the page."), document("A teaser."));
    let mut stage = Stage::new();
    stage.shown = Some(Article { document: page.clone(), ..article(item_rows()[0].clone()) });
    stage.screen(80, 24);
    stage.keys("<Enter>");
    stage.screen(80, 24);
    stage.keys("<Space><Space>");
    stage.screen(80, 24);
    let (key, left) = (stage.shown_key(), stage.app.reader.top);
    for (text, top) in [(feed, 0), (page, left)] {
        stage.shown.as_mut().unwrap().document = text;
        stage.happen(Event::TextGot(key, true, Ok(TextGot::Feed)));
        stage.screen(80, 24);
        assert_eq!(stage.app.reader.top, top);
    }
}
