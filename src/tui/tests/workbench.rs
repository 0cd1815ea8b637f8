//! The selector workbench.

use super::*;
use crate::config::{Paths, Section, SourcesFile};
use crate::engine::{Part, Place, Rehearsal, Said};
use crate::tui::effect::BenchAsk;
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

/// The interface with a source whose pages are on a workbench.
struct Desk {
    stage: Stage,
    bench: Rehearsal,
    /// What the page of the list is.
    page: String,
    file: SourcesFile,
    _folder: tempfile::TempDir,
}

impl Desk {
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
        let bench = Rehearsal::new(&known, &copies);
        let stage = Stage::with(Settings::default(), list, item_rows());
        let mut desk = Self { stage, bench, page, file, _folder: folder };
        desk.stage.keys("<Tab>G");
        desk
    }

    fn open(page: String, broken: bool, key: &str) -> Self {
        let mut desk = Self::new(page, broken);
        desk.keys(key);
        desk
    }

    fn entry(&self) -> Section {
        self.file.entry(&SourceId("council".to_owned())).unwrap()
    }

    /// Presses keys, and answers what is asked of the workbench as it would.
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
                        self.happen(Event::BenchSaid(
                            bench,
                            Said::Failed { place: Place::List, why },
                        ));
                    } else {
                        self.bench.lay(Place::List, &at("/news"), &page);
                        self.answer(bench);
                    }
                }
                Effect::Bench { bench, ask } => {
                    match ask {
                        BenchAsk::Preview { request, rules, list } => {
                            self.bench.preview(request, *rules, list);
                        }
                        BenchAsk::Pick { place, element, part } => {
                            self.bench.pick(place, element, part)
                        }
                        BenchAsk::Copy(number) => self.bench.copy(number),
                        BenchAsk::Fetch { url, place, .. } => {
                            let page = if place == Place::Article { ARTICLE } else { &self.page };
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
        for said in self.bench.heard() {
            self.happen(Event::BenchSaid(bench, said));
        }
    }

    fn screen(&mut self) -> String {
        self.screen_of(120, 40)
    }

    /// As everybody sees it: the copy was taken at another hour in each zone.
    fn screen_of(&mut self, width: u16, height: u16) -> String {
        let here = crate::util::when::clock(now() - TimeDelta::days(5), now());
        self.stage.screen(width, height).replace(&here, "2026-11-16 12:00")
    }

    #[track_caller]
    fn sees(&mut self, words: &str) {
        let screen = self.screen();
        assert!(screen.contains(words), "no {words:?} on\n{screen}");
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self._folder.path().join("config/sources.toml")).unwrap()
    }
}

#[test]
fn the_workbench_at_every_size() {
    for (width, height) in SIZES {
        let mut desk = Desk::open(now_page(), false, "W");
        insta::assert_snapshot!(
            format!("workbench-{width}x{height}"),
            desk.screen_of(width, height)
        );
        desk.keys("g5");
        insta::assert_snapshot!(
            format!("workbench-article-{width}x{height}"),
            desk.screen_of(width, height)
        );
        let mut desk = Desk::open(rebuilt(), true, "e");
        insta::assert_snapshot!(
            format!("workbench-rescue-{width}x{height}"),
            desk.screen_of(width, height)
        );
    }
}

#[test]
fn what_is_typed_is_seen_at_once() {
    let mut desk = Desk::open(now_page(), false, "W");
    desk.sees("5 matched   0 lost of 4");
    desk.sees("  5 The fountain is dry again");
    desk.keys("i<C-u>article:first-child h3");
    desk.sees("1 matched   3 lost of 4");
    desk.keys(" >");
    desk.sees("! articles is no CSS selector yet: an element is missing at its end");
    desk.sees("no articles");
    desk.keys(" a<Enter>");
    desk.sees("1 matched");
}

#[test]
fn an_element_makes_the_selector_of_the_active_field() {
    let mut desk = Desk::open(now_page(), false, "W");
    desk.keys("2<Home>jjjjjjjjjj");
    let screen = desk.screen();
    let steps = screen.lines().position(|l| l.contains("a.older")).unwrap() - 3;
    desk.keys("<Home>");
    desk.keys(&"j".repeat(steps));
    desk.keys("<Enter>");
    desk.sees("next: a.older");
    desk.keys("n");
    desk.sees("2: Bridge reopens in March");
    // On an article: title, author and date.
    desk.keys("g3");
    for (field, line) in [("4", "p.byline"), ("5", "span.stamp")] {
        desk.keys(field);
        let screen = desk.screen();
        let steps = screen.lines().position(|l| l.contains(line)).unwrap() - 3;
        desk.keys("<Home>");
        desk.keys(&"j".repeat(steps));
        desk.keys("<Enter>");
    }
    desk.sees("2026-11-20 · J. Roe, A. Lee");
    desk.keys("1");
    desk.sees("Page outline · now");
    desk.keys("<C-s>");
    desk.sees("saved: ");
    let text = desk.text();
    let want = "next = \"a.older\", author = \"p.byline\", date = \"span.stamp\"";
    assert!(text.contains(want) && text.contains("# mine"), "{text}");
    assert!(desk.stage.asked.iter().any(|a| a.contains("Refresh { keys: Some([1])")));
}

#[test]
fn where_no_selector_is_found_that_is_said() {
    let (open, close) = ("<div>".repeat(80), "</div>".repeat(80));
    let deep = format!("{open}<p>one</p><div><p>last</p></div>{close}");
    let mut desk = Desk::open(format!("<main>{deep}</main>"), false, "W");
    desk.keys("2G<Enter>");
    desk.sees("no selector was found for this element");
    desk.sees("2 next ");
    assert!(!desk.screen().contains("next: "));
}

#[test]
fn proposals_are_walked_and_left_again() {
    let mut desk = Desk::open(rebuilt(), false, "W");
    desk.sees("0 matched   4 lost of 4");
    desk.keys("P");
    desk.sees("5 matched   0 lost of 4");
    desk.sees("proposal 1/");
    desk.keys("gP");
    desk.sees("div.story-text, article, main");
    desk.sees("1 articles     a.story-link");
    desk.keys("P<Esc>");
    desk.sees("7 content      .text");
    desk.sees("1 articles     a.story-link");
    desk.keys("<Esc><Esc><Esc>");
    assert!(desk.stage.app.dialogs.is_empty());
    assert_eq!(desk.text(), FILE);
}

#[test]
fn what_was_typed_or_chosen_after_a_proposal_comes_back_after_the_last() {
    let mut desk = Desk::open(rebuilt(), false, "W");
    let walk_round = |desk: &mut Desk, own: &str| {
        let mut offered = false;
        for _ in 0..20 {
            desk.keys("P");
            let screen = desk.screen();
            offered |= screen.contains("1 articles     a.story-link");
            if offered && !screen.contains("proposal ") {
                break;
            }
        }
        assert!(offered, "the proposals are walked");
        desk.sees(own);
    };
    desk.keys("Pi<C-u>div.story a<Esc>");
    walk_round(&mut desk, "1 articles     div.story a");
    desk.keys("P");
    desk.keys("1<Home>");
    let screen = desk.screen();
    let steps = screen.lines().position(|l| l.contains("a.older")).unwrap() - 3;
    desk.keys(&"j".repeat(steps));
    desk.keys("<Enter>");
    walk_round(&mut desk, "1 articles     a.older");
}

#[test]
fn what_broke_is_mended_beside_its_old_page() {
    let mut desk = Desk::open(rebuilt(), true, "e");
    desk.sees("Enter takes the repair 1/1: articles = a.story-link   5 articles, 4 of them known");
    desk.keys("t");
    desk.sees("saved copy of 2026-11-16");
    desk.sees("5 matched   0 lost of 4");
    desk.keys("t");
    desk.sees("0 matched   4 lost of 4");
    let mut desk = Desk::open(rebuilt(), true, "e");
    desk.keys("<Enter>");
    desk.sees("5 matched   0 lost of 4");
    desk.keys("<C-s>");
    desk.sees("saved: website.articles of council");
    assert_eq!(desk.text(), FILE.replace("main h3 > a", "a.story-link"));
}

#[test]
fn what_broke_in_the_articles_is_mended_on_one_of_them() {
    let mut desk = Desk::new(now_page(), true);
    let facts = &mut desk.stage.app.sources.list.sources[0].facts;
    if let Some(problem) = &mut facts.website.problem {
        (problem.key, problem.what) = (RuleKey::Content, "no text in the articles".to_owned());
    }
    desk.keys("e");
    desk.sees("Page outline · an article");
    desk.sees("no text");
    desk.sees("Enter takes the repair 1/1: content = div.story-text, article");
    desk.keys("<Enter>");
    desk.sees("│ After nine months of work the bridge reopens in");
    desk.keys("<C-s>");
    let usual = "article, main, [role=main], body";
    assert_eq!(desk.text(), FILE.replace(".text", &format!("div.story-text, {usual}")));
}

#[test]
fn marks_can_be_ascii() {
    let mut desk = Desk::open(rebuilt().replace(TITLES[3], "A notice"), true, "");
    desk.stage.app.settings.ui.ascii = true;
    for keys in ["e", "t", "<Esc>P", "g"] {
        desk.keys(keys);
        let screen = desk.stage.screen(200, 40).replace(['…', '±'], "");
        assert!(screen.replace(TITLES[3], "").is_ascii(), "{screen}");
    }
}

#[test]
fn without_the_page_the_fields_can_be_edited_all_the_same() {
    let mut desk = Desk::open(String::new(), false, "W");
    // The newest copy stands for it.
    desk.sees("council.example cannot be reached");
    desk.sees("saved copy of 2026-11-16");
    desk.keys("i<C-u>h3 a<C-s>");
    desk.sees("saved: website.articles");
    assert_eq!(desk.text(), FILE.replace("main h3 > a", "h3 a"));
}

#[test]
fn what_was_chosen_is_not_dropped_by_a_single_key() {
    let mut desk = Desk::open(rebuilt(), true, "e");
    desk.keys("<Enter>Qq<Esc><Esc>");
    assert!(desk.stage.farewell.is_none());
    desk.sees("Esc again to drop the changes");
}

#[test]
fn lines_are_folded_and_the_text_is_shown() {
    let mut desk = Desk::open(now_page(), false, "W");
    desk.keys("<Home>jj<Space>");
    let screen = desk.screen();
    assert!(screen.contains("Contact"), "the second link is unfolded\n{screen}");
    desk.keys("<Left>");
    desk.keys("v");
    desk.sees("Page text");
    desk.sees("日本語の知らせ");
    desk.keys("v");
    desk.sees("Page outline");
}

#[test]
fn the_mouse_chooses_lines_articles_and_fields() {
    let mut desk = Desk::open(now_page(), false, "W");
    let click = |desk: &mut Desk, words: &str| {
        let screen = desk.screen();
        let (row, line) = screen.lines().enumerate().find(|(_, l)| l.contains(words)).unwrap();
        let column = line[..line.find(words).unwrap()].chars().count() as u16;
        for _ in 0..2 {
            desk.happen(Event::MouseUsed(MouseEvent {
                kind: MouseEventKind::Down(MouseButton::Left),
                column,
                row: row as u16,
                modifiers: KeyModifiers::NONE,
            }));
        }
    };
    click(&mut desk, "2 next");
    desk.keys("<Esc>");
    click(&mut desk, "a.older");
    desk.sees("next: a.older");
    click(&mut desk, "  2 Budget");
    desk.sees("Page outline · an article");
}

#[test]
fn a_late_answer_to_another_workbench_is_dropped() {
    let mut desk = Desk::open(now_page(), false, "W");
    let picked = Said::Picked(Part::Articles, Some("nonsense".to_owned()));
    desk.happen(Event::BenchSaid(0, picked));
    assert!(!desk.screen().contains("nonsense"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn no_stroke_breaks_the_workbench(keys in "[jkhlgGbvPtnui123456789 SETBDx.#>,a]{0,40}", width in 20u16..130, height in 6u16..40) {
        let mut desk = Desk::open(now_page(), false, "W");
        for key in keys.chars() {
            let code = match key {
                'S' => KeyCode::Enter,
                'E' => KeyCode::Esc,
                'T' => KeyCode::Tab,
                'B' => KeyCode::Backspace,
                'D' => KeyCode::Left,
                c => KeyCode::Char(c),
            };
            desk.happen(Event::KeyPressed(KeyEvent::new(code, KeyModifiers::NONE)));
            desk.stage.screen(width, height);
        }
    }
}
