//! Tests of the selector workbench.

mod found;
use super::*;
use crate::config::{Paths, Section, SourcesFile};
use crate::engine::{SelectorField, TestWorkbench, WorkbenchEvent, WorkbenchPage};
use crate::tui::effect::BenchRequest;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use url::Url;

const FILE: &str = "[[source]]\nid = \"council\"\nurl = \"https://council.example/news\" # mine\n\
    kind = \"website\"\nwebsite = { articles = \"main h3 > a\", title = \"h1\", content = \".text\" }\n";

const TITLES: [&str; 5] = [
    "Bridge reopens in March",
    "Budget hearing, second round",
    "New night buses",
    "日本語の知らせ、橋について",
    "The fountain is dry again",
];

fn at(path: &str) -> Url {
    Url::parse("https://council.example/news").unwrap().join(path).unwrap()
}

fn list(row: impl Fn(usize, &str) -> String) -> String {
    let rows: String = TITLES.iter().enumerate().map(|(n, title)| row(n, title)).collect();
    format!(
        "<title>Council</title><nav><ul><li><a href=/x>News</a></li><li><a href=/y>Contact</a></li></ul>\
         </nav><main><section class=news-list>{rows}</section><a class=older href='?p=2'>older</a></main>"
    )
}

fn now_page() -> String {
    list(|n, title| {
        format!(
            "<article class=card><h3><a href=/a/{n}>{title}</a></h3><time datetime=2026-11-2{n}>\
             2{n} Nov</time><p>After <b>nine</b> months of work.</p></article>"
        )
    })
}

fn rebuilt() -> String {
    list(|n, title| format!("<div class=story><a class=story-link href=/a/{n}>{title}</a></div>"))
}

const ARTICLE: &str = "<main><article><h1 class=headline>Bridge reopens in March</h1>\
    <p class=byline>By J. Roe and A. Lee</p><span class=stamp>20 November 2026</span>\
    <div class=story-text><p>After nine months of work the bridge reopens in March. The council was \
    told so on Thursday, in a meeting that lasted until late in the evening.</p></div></article></main>";

/// The interface with a source open in the workbench.
struct BenchTest {
    stage: Stage,
    bench: TestWorkbench,
    /// The HTML of the list page.
    page: String,
    file: SourcesFile,
    _folder: tempfile::TempDir,
}

impl BenchTest {
    fn new(page: String, broken: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::below(folder.path());
        std::fs::create_dir_all(paths.config_dir()).unwrap();
        std::fs::write(paths.sources_file(), FILE).unwrap();
        let file = SourcesFile::open(&paths);
        let mut list =
            SourceList { sources: vec![source(1, "council", None, 3)], ..SourceList::default() };
        if broken {
            list.sources[0].facts.website.fruitless = BROKEN_AFTER;
            list.sources[0].facts.website.problem = Some(SelectorProblem {
                since: now() - TimeDelta::days(4),
                what: "no links to articles".to_owned(),
                instead: Vec::new(),
                key: RuleKey::Articles,
            });
        }
        let known: Vec<String> = (0..4).map(|n| at(&format!("/a/{n}")).to_string()).collect();
        let old = now_page();
        let copies = [(now() - TimeDelta::days(5), at("/news"), old.as_str())];
        let bench = TestWorkbench::new(&known, &copies);
        let stage = Stage::with(Settings::default(), list, item_rows());
        let mut test = Self { stage, bench, page, file, _folder: folder };
        test.stage.keys("<Tab>G");
        test
    }

    fn open(page: String, broken: bool, key: &str) -> Self {
        let mut test = Self::new(page, broken);
        test.keys(key);
        test
    }

    fn entry(&self) -> Section {
        self.file.entry(&SourceId("council".to_owned())).unwrap()
    }

    /// Presses keys, and performs requests to the workbench.
    fn keys(&mut self, keys: &str) {
        let mut rest = keys;
        while let Some(c) = rest.chars().next() {
            let end = rest.find('>').filter(|_| c == '<' && rest.len() > 1).map(|end| end + 1);
            let (key, left) = rest.split_at(end.unwrap_or(c.len_utf8()));
            let (code, modifiers) = match key {
                "<C-s>" => (KeyCode::Char('s'), KeyModifiers::CONTROL),
                "<C-u>" => (KeyCode::Char('u'), KeyModifiers::CONTROL),
                "<Home>" => (KeyCode::Home, KeyModifiers::NONE),
                s if s.len() > 2 && s.starts_with('<') => {
                    (named(&s[1..s.len() - 1]), KeyModifiers::NONE)
                }
                _ => (KeyCode::Char(c), KeyModifiers::NONE),
            };
            self.happen(Event::KeyPressed(KeyEvent::new(code, modifiers)));
            rest = left;
        }
    }

    fn happen(&mut self, event: Event) {
        for effect in self.stage.app.update(event, now()) {
            match effect {
                Effect::LoadEntry { source, .. } => {
                    let entry = self.entry();
                    self.happen(Event::EntryLoaded(source, Ok(entry)));
                }
                Effect::OpenBench { bench, .. } => {
                    let page = self.page.clone();
                    if page.is_empty() {
                        let why = "council.example cannot be reached".to_owned();
                        self.answer(bench);
                        self.happen(Event::BenchReplied(
                            bench,
                            WorkbenchEvent::Failed { place: WorkbenchPage::List, why },
                        ));
                    } else {
                        self.bench.lay(WorkbenchPage::List, &at("/news"), &page);
                        self.answer(bench);
                    }
                }
                Effect::Bench { bench, ask } => {
                    match ask {
                        BenchRequest::Preview { request, rules, list } => {
                            self.bench.preview(request, *rules, list);
                        }
                        BenchRequest::Pick { place, element, part } => {
                            self.bench.pick(place, element, part)
                        }
                        BenchRequest::Copy(number) => self.bench.copy(number),
                        BenchRequest::Fetch { url, place, .. } => {
                            let page =
                                if place == WorkbenchPage::Article { ARTICLE } else { &self.page };
                            self.bench.lay(place, &url, page);
                        }
                    }
                    self.answer(bench);
                }
                Effect::Edit { purpose, change } => {
                    let saved = apply(change, &Paths::below(self._folder.path()));
                    self.happen(Event::Edited(purpose, saved));
                }
                other => self.stage.perform(other),
            }
        }
    }

    fn answer(&mut self, bench: u64) {
        for event in self.bench.events() {
            self.happen(Event::BenchReplied(bench, event));
        }
    }

    fn screen(&mut self) -> String {
        self.screen_of(120, 40)
    }

    /// The screen with a fixed timestamp of the stored copy, independent of the time zone.
    fn screen_of(&mut self, width: u16, height: u16) -> String {
        let here = crate::util::time_text::clock(now() - TimeDelta::days(5), now());
        self.stage.screen(width, height).replace(&here, "2026-11-16 12:00")
    }

    #[track_caller]
    fn shows(&mut self, words: &str) {
        let screen = self.screen();
        assert!(screen.contains(words), "no {words:?} on\n{screen}");
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self._folder.path().join("config/sources.toml")).unwrap()
    }
}

#[test]
fn draws_the_workbench_at_every_size() {
    for (width, height) in SIZES {
        let mut test = BenchTest::open(now_page(), false, "W");
        insta::assert_snapshot!(
            format!("workbench-{width}x{height}"),
            test.screen_of(width, height)
        );
        test.keys("g5");
        insta::assert_snapshot!(
            format!("workbench-article-{width}x{height}"),
            test.screen_of(width, height)
        );
        let mut test = BenchTest::open(rebuilt(), true, "e");
        insta::assert_snapshot!(
            format!("workbench-rescue-{width}x{height}"),
            test.screen_of(width, height)
        );
    }
}

#[test]
fn selects_entries_on_their_page() {
    let block = |n: usize| {
        format!(
            "<div class=release><h3>Version 1.{n}</h3><p class=day>0{n}.03.2026</p>\
             <p class=text>Knot number {n} holds better.</p></div>"
        )
    };
    let blocks: String = (1..5).rev().map(block).collect();
    let page = format!("<main><h1>Log</h1>{blocks}<p class=text>Older ones are gone.</p></main>");
    let mut test = BenchTest::new(page, false);
    let file = FILE.replace("\"website\"", "\"entries\"").replace("main h3 > a", "main > div");
    std::fs::write(test._folder.path().join("config/sources.toml"), file).unwrap();
    test.keys("W");
    test.shows("div.release  ×4");
    // The selected title is outside the blocks. Without a selector, the heading is the title.
    test.shows("No articles");
    test.keys("2i<C-u><Enter>");
    test.shows("4 articles");
    test.shows("Version 1.4");
    test.shows("4 Mar");
    let screen = test.screen();
    let row = screen.lines().find(|line| line.contains(" Content ")).unwrap();
    assert!(row.trim_end().ends_with(" 4  ✓"), "those within the blocks count: {row}");
    test.keys("n");
    test.shows("Entries are read from one page only");
    test.keys("1i<C-u>.release<Enter><C-s>");
    assert!(test.text().contains("articles = \".release\""), "{}", test.text());
}

#[test]
fn shows_matches_while_typing() {
    let mut test = BenchTest::open(now_page(), false, "W");
    test.shows("5 articles   0 of 4 lost");
    test.shows("  5 The fountain is dry again");
    test.keys("i<C-u>article:first-child h3");
    test.shows("1 article   3 of 4 lost");
    test.keys(" >");
    test.shows("✗ This is not a complete CSS selector: an element is missing at the end.");
    test.shows("No articles");
    test.keys(" a<Enter>");
    test.shows("1 article");
}

#[test]
fn picking_an_element_fills_the_active_field() {
    let mut test = BenchTest::open(now_page(), false, "W");
    test.keys("2<Home>jjjjjjjjjj");
    let screen = test.screen();
    let steps = screen.lines().position(|l| l.contains("a.older")).unwrap() - 5;
    test.keys("<Home>");
    test.keys(&"j".repeat(steps));
    test.keys("<Enter>");
    test.shows("2 Next page    ▏a.older");
    test.keys("n");
    test.shows("2: Bridge reopens in March");
    // Picks the title, author and date on an article.
    test.keys("g3");
    for (field, line) in [("4", "p.byline"), ("5", "span.stamp")] {
        test.keys(field);
        let screen = test.screen();
        let steps = screen.lines().position(|l| l.contains(line)).unwrap() - 5;
        test.keys("<Home>");
        test.keys(&"j".repeat(steps));
        test.keys("<Enter>");
    }
    test.shows("20 Nov · J. Roe, A. Lee");
    test.keys("1");
    test.shows("Page outline · now");
    test.keys("<C-s>");
    test.shows("Saved: ");
    let text = test.text();
    let want = "next = \"a.older\", author = \"p.byline\", date = \"span.stamp\"";
    assert!(text.contains(want) && text.contains("# mine"), "{text}");
    assert!(test.stage.requested.iter().any(|a| a.contains("Refresh { keys: Some([1])")));
}

#[test]
fn reports_that_no_selector_was_found() {
    let (open, close) = ("<div>".repeat(80), "</div>".repeat(80));
    let deep = format!("{open}<p>one</p><div><p>last</p></div>{close}");
    let mut test = BenchTest::open(format!("<main>{deep}</main>"), false, "W");
    test.keys("2G<Enter>");
    test.shows("No selector found for this element");
    test.shows("2 Next page ");
    assert!(!test.screen().contains("next: "));
}

#[test]
fn applies_and_restores_suggestions() {
    let mut test = BenchTest::open(rebuilt(), false, "W");
    test.shows("0 articles   4 of 4 lost");
    test.keys("P");
    test.shows("5 articles   0 of 4 lost");
    test.shows("suggestion 1 of");
    test.keys("gP");
    test.shows("div.story-text, article, mai");
    test.shows("1 Articles      a.story-link");
    test.keys("P<Esc>");
    test.shows("7 Content       .text");
    test.keys("1");
    test.shows("1 Articles     ▏a.story-link");
    test.keys("<Esc><Esc><Esc>");
    assert!(test.stage.app.dialogs.is_empty());
    assert_eq!(test.text(), FILE);
}

#[test]
fn restores_manual_edits_after_the_last_suggestion() {
    let mut test = BenchTest::open(rebuilt(), false, "W");
    let walk_round = |test: &mut BenchTest, own: &str| {
        let mut offered = false;
        for _ in 0..20 {
            test.keys("P");
            let screen = test.screen();
            offered |= screen.contains("1 Articles     ▏a.story-link");
            if offered && !screen.contains("suggestion ") {
                break;
            }
        }
        assert!(offered, "every suggestion was shown");
        test.shows(own);
    };
    test.keys("Pi<C-u>div.story a<Esc>");
    walk_round(&mut test, "1 Articles     ▏div.story a");
    test.keys("P");
    test.keys("1<Home>");
    let screen = test.screen();
    let steps = screen.lines().position(|l| l.contains("a.older")).unwrap() - 5;
    test.keys(&"j".repeat(steps));
    test.keys("<Enter>");
    walk_round(&mut test, "1 Articles     ▏a.older");
}

#[test]
fn repairs_a_broken_list_next_to_its_stored_copy() {
    let mut test = BenchTest::open(rebuilt(), true, "e");
    test.shows("Press Enter to apply repair 1 of 1: articles = a.story-link   5 articles, 4 of them stored");
    test.keys("t");
    test.shows("stored copy of 2026-11-16");
    test.shows("5 articles   0 of 4 lost");
    test.keys("t");
    test.shows("0 articles   4 of 4 lost");
    let mut test = BenchTest::open(rebuilt(), true, "e");
    test.keys("<Enter>");
    test.shows("5 articles   0 of 4 lost");
    test.keys("<C-s>");
    test.shows("Saved: website.articles of");
    test.shows("council.example/feed");
    assert_eq!(test.text(), FILE.replace("main h3 > a", "a.story-link"));
}

#[test]
fn repairs_broken_article_selectors_on_an_article() {
    let mut test = BenchTest::new(now_page(), true);
    let facts = &mut test.stage.app.sources.list.sources[0].facts;
    if let Some(problem) = &mut facts.website.problem {
        (problem.key, problem.what) = (RuleKey::Content, "no text in the articles".to_owned());
    }
    test.keys("e");
    test.shows("Page outline · article");
    test.shows("no text");
    test.shows("Press Enter to apply repair 1 of 1: content = div.story-text, article");
    test.keys("<Enter>");
    test.shows("│  After nine months of work the bridge reopens in");
    test.keys("<C-s>");
    let usual = "article, main, [role=main], body";
    assert_eq!(test.text(), FILE.replace(".text", &format!("div.story-text, {usual}")));
}

#[test]
fn messages_do_not_cover_the_row_below_the_selectors() {
    for (width, height) in [(80, 24), (120, 36)] {
        let mut test = BenchTest::open(now_page(), false, "W");
        let before = test.stage.screen(width, height);
        test.stage.app.note("articles: p > img");
        let screen = test.stage.screen(width, height);
        assert!(screen.contains("• articles: p > img"), "{screen}");
        let row = usize::from(height) - 2;
        assert_eq!(screen.lines().nth(row), before.lines().nth(row), "{screen}");
    }
}

#[test]
fn ascii_mode_draws_only_ascii_in_the_workbench() {
    let mut test = BenchTest::open(rebuilt().replace(TITLES[3], "A notice"), true, "");
    test.stage.app.settings.ui.ascii = true;
    for keys in ["e", "t", "<Esc>P", "g"] {
        test.keys(keys);
        let screen = test.stage.screen(200, 40).replace(['…', '±'], "");
        assert!(screen.replace(TITLES[3], "").is_ascii(), "{screen}");
    }
}

#[test]
fn edits_selectors_without_the_page() {
    let mut test = BenchTest::open(String::new(), false, "W");
    // The newest stored copy is shown instead of the page.
    test.shows("council.example cannot be reached");
    test.shows("stored copy of 2026-11-16");
    test.keys("i<C-u>h3 a<C-s>");
    test.shows("Saved: website.articles");
    assert_eq!(test.text(), FILE.replace("main h3 > a", "h3 a"));
}

#[test]
fn a_single_key_does_not_discard_edits() {
    let mut test = BenchTest::open(rebuilt(), true, "e");
    test.keys("<Enter>Qq<Esc><Esc>");
    assert!(test.stage.exit_reason.is_none());
    test.shows("Press Esc again to discard the changes");
}

#[test]
fn folds_lines_and_shows_the_text() {
    let mut test = BenchTest::open(now_page(), false, "W");
    test.keys("<Home>jj<Space>");
    let screen = test.screen();
    assert!(screen.contains("Contact"), "the second link is unfolded\n{screen}");
    test.keys("<Left>");
    test.keys("v");
    test.shows("Page text");
    test.shows("日本語の知らせ");
    test.keys("v");
    test.shows("Page outline");
}

#[test]
fn mouse_selects_lines_articles_and_fields() {
    let mut test = BenchTest::open(now_page(), false, "W");
    let click = |test: &mut BenchTest, words: &str| {
        let screen = test.screen();
        let (row, line) = screen.lines().enumerate().find(|(_, l)| l.contains(words)).unwrap();
        let column = line[..line.find(words).unwrap()].chars().count() as u16;
        for _ in 0..2 {
            test.happen(Event::MouseUsed(MouseEvent {
                kind: MouseEventKind::Down(MouseButton::Left),
                column,
                row: row as u16,
                modifiers: KeyModifiers::NONE,
            }));
        }
    };
    click(&mut test, "2 Next page");
    test.keys("<Esc>");
    click(&mut test, "a.older");
    test.shows("2 Next page    ▏a.older");
    click(&mut test, "  2 Budget");
    test.shows("Page outline · article");
}

#[test]
fn drops_late_replies_of_another_workbench() {
    let mut test = BenchTest::open(now_page(), false, "W");
    let picked = WorkbenchEvent::Picked(SelectorField::Articles, Some("nonsense".to_owned()));
    test.happen(Event::BenchReplied(0, picked));
    assert!(!test.screen().contains("nonsense"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn random_keys_never_panic_in_the_workbench(keys in "[jkhlgGbvPtnui123456789 SETBDx.#>,a]{0,40}", width in 20u16..130, height in 6u16..40) {
        let mut test = BenchTest::open(now_page(), false, "W");
        for key in keys.chars() {
            let code = match key {
                'S' => KeyCode::Enter,
                'E' => KeyCode::Esc,
                'T' => KeyCode::Tab,
                'B' => KeyCode::Backspace,
                'D' => KeyCode::Left,
                c => KeyCode::Char(c),
            };
            test.happen(Event::KeyPressed(KeyEvent::new(code, KeyModifiers::NONE)));
            test.stage.screen(width, height);
        }
    }
}

#[test]
fn esc_also_closes_the_form_opened_for_the_workbench() {
    let mut test = BenchTest::open(now_page(), false, "W<Esc>");
    assert!(!test.stage.screen(120, 40).contains("Edit source"));
}
