//! Tests of the interface on a test screen: what is drawn at each size, and the effects of keys.

mod actions;
mod arrivals;
mod crawls;
mod crawls_real;
mod defects;
mod dialogs;
mod editor;
mod enclosures;
mod forms;
mod help;
mod imports;
mod late;
mod listen;
mod lists;
mod messages;
mod mouse;
mod names;
mod programs;
mod random;
mod reader;
mod real;
mod refreshes;
mod returning;
mod rules;
mod search;
mod settings;
mod stories;
mod styles;
mod texts;
mod triage;
mod views;
mod workbench;

use super::app::{App, Focus};
use super::effect::{Effect, ExitReason, Purpose};
use super::event::*;
use super::graphics::{Replies, encode};
use super::read::Read;
use super::style::{ColorSupport, Palette};
use super::view;
use crate::article::from_html;
use crate::config::{
    ConfigFile, EditError, FileChange, FileKind, KeyMap, KeySettings, Paths, Settings,
};
use crate::engine::{Check, CheckResult, Edited, Pulse, Rhythm, ScheduleReport, Total};
use crate::model::*;
use crate::store::{Mark, Window};
use chrono::TimeDelta;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use std::sync::Arc;
mod states;
pub(super) mod stock;
use stock::{article, difference, item_rows, report};

fn now() -> Time {
    // Noon, so that local midnight is in the past in every time zone.
    Time::from_timestamp(1_795_262_400, 0).unwrap()
}

/// Changes files as the engine does.
fn apply(change: FileChange, paths: &Paths) -> Result<Edited, NotSaved> {
    let applied = change.apply(paths).map_err(|e| match e {
        EditError::Conflict { keys, now } => NotSaved::Conflict(keys, now),
        other => NotSaved::Failed(other.to_string()),
    })?;
    let is_config = applied.edits.iter().any(|edit| edit.file() != FileKind::Sources);
    let settings = is_config.then(|| Box::new(ConfigFile::open(paths).settings(&[]).unwrap()));
    let problem = applied.problem.map(|error| error.to_string());
    Ok(Edited { edits: applied.edits, settings, problem, ..Edited::default() })
}

/// The interface with made-up sources and items. It performs effects like the driver.
struct Stage {
    app: App,
    rows: Vec<ItemRow>,
    /// The article that is shown for every item, instead of the default one.
    shown: Option<Article>,
    /// Files for tests that change them.
    files: Option<lists::Files>,
    /// How the terminal draws pictures.
    replies: Replies,
    /// All effects except reading and marking.
    requested: Vec<String>,
    exit_reason: Option<ExitReason>,
}

impl Stage {
    fn new() -> Self {
        Self::with(Settings::default(), source_list(), item_rows())
    }

    fn with(settings: Settings, list: SourceList, rows: Vec<ItemRow>) -> Self {
        let keymap = KeyMap::load(&settings.keys).unwrap();
        let palette = Palette::of(&settings, ColorSupport::DARK);
        let app = App::new(settings, keymap, palette, now());
        let mut stage = Self {
            app,
            rows,
            shown: None,
            files: None,
            replies: Replies::default(),
            requested: Vec::new(),
            exit_reason: None,
        };
        let first = stage.app.start();
        assert!(matches!(first.as_slice(), [Effect::Read(Read::Sources)]));
        stage.happen(Event::SourcesLoaded(Ok(list)));
        stage
    }

    fn happen(&mut self, event: Event) {
        let effects = self.app.update(event, now());
        for effect in effects {
            self.perform(effect);
        }
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Read(Read::Sources) => {
                let list = self.files.as_ref().map_or_else(source_list, lists::Files::list);
                self.happen(Event::SourcesLoaded(Ok(list)));
            }
            Effect::Read(Read::Window { request, view, .. }) => {
                let mut rows: Vec<ItemRow> = self.rows.clone();
                rows.retain(|r| !(view.unread_only && r.read));
                rows.retain(|r| view.criteria.changed != Some(true) || r.substantial);
                if let Some(text) = &view.criteria.text {
                    let wanted = text.trim_matches(['"', '*']).to_lowercase();
                    rows.retain(|r| r.title.to_lowercase().contains(&wanted));
                }
                rows.iter_mut().for_each(|r| r.by_title &= view.criteria.title_match.is_some());
                rows.sort_by(|a, b| view.compare(&a.into(), &b.into()));
                self.happen(Event::WindowLoaded(request, Ok(Window { rows, ..Window::default() })));
            }
            Effect::Read(Read::Unread { request, .. }) => {
                let count = self.rows.iter().filter(|row| !row.read).count();
                self.happen(Event::UnreadCounted(request, Ok(count)));
            }
            Effect::Read(Read::Row(key)) => self.row_read(key),
            Effect::Read(Read::Article { request, key }) => {
                let row = self.rows.iter().find(|r| r.key == key).unwrap().clone();
                let shown = match &self.shown {
                    Some(shown) => Article { row, ..shown.clone() },
                    None => article(row),
                };
                self.happen(Event::ArticleLoaded(request, Ok(Some(Arc::new(shown)))));
            }
            Effect::Read(Read::Linked { url, from, .. }) => {
                let row = self.rows.iter().find(|row| row.url.as_deref() == Some(url.as_str()));
                self.happen(Event::LinkFollowed { from, item: Ok(row.map(|r| r.key)), url });
            }
            Effect::Mark { mark, keys, to, cause } => {
                for row in self.rows.iter_mut().filter(|r| keys.contains(&r.key)) {
                    super::app::show_mark(row, &mark, to);
                }
                self.happen(Event::Marked(Ok(MarksSet { mark, keys, to, cause })));
                self.happen(Event::StoreChanged);
            }
            Effect::Read(Read::Rhythms(sources)) => {
                let rhythm = |key: i64| Rhythm {
                    per_day: [2, 0, 5, 9, 12, 3, 7].map(|n| n * key as u32 % 11).to_vec(),
                    newest: Some(now() - TimeDelta::days(key * 3)),
                    pulse: if key == 2 { Pulse::Silent } else { Pulse::Normal },
                };
                let rhythms = sources.into_iter().map(|key| (key, rhythm(key))).collect();
                self.happen(Event::RhythmsLoaded(Ok(rhythms)));
            }
            Effect::EncodePicture { key, picture } => {
                let encoded = encode(&picture, key.1, key.2).map(Arc::new);
                self.happen(Event::PictureEncoded(key, encoded));
            }
            Effect::AskForGraphics => self.happen(Event::TerminalReplied(self.replies.clone())),
            Effect::Read(Read::Why(source)) => self.happen(Event::WhyLoaded(source, Ok(report()))),
            Effect::Quit(exit_reason) => self.exit_reason = Some(exit_reason),
            other => {
                self.requested.push(format!("{other:?}"));
                let event = self.files.as_ref().and_then(|files| files.perform(other));
                if let Some(event) = event {
                    self.happen(event);
                }
            }
        }
    }

    /// Presses keys: single characters, or names in angle brackets.
    fn keys(&mut self, keys: &str) {
        let mut rest = keys;
        while let Some(c) = rest.chars().next() {
            let (name, len) = match rest.find('>').filter(|_| c == '<' && rest.len() > 1) {
                Some(end) => (&rest[1..end], end + 1),
                None => ("", c.len_utf8()),
            };
            let with = |modifier, letter: &str| (KeyCode::Char(letter.parse().unwrap()), modifier);
            let (code, modifiers) = match name.split_once('-') {
                Some(("C", letter)) => with(KeyModifiers::CONTROL, letter),
                Some(("A", letter)) => with(KeyModifiers::ALT, letter),
                _ if name.is_empty() => (KeyCode::Char(c), KeyModifiers::NONE),
                _ => (named(name), KeyModifiers::NONE),
            };
            self.happen(Event::KeyPressed(KeyEvent::new(code, modifiers)));
            rest = &rest[len..];
        }
    }

    /// Checks that the keys put `expected` on the screen or cause an effect that contains it.
    fn keys_give(&mut self, keys: &str, expected: &str) {
        self.keys(keys);
        let (screen, requested) = (self.screen(120, 40), &self.requested);
        let shown = screen.contains(expected) || self.has_message(expected);
        let seen = shown || requested.iter().any(|a| a.contains(expected));
        assert!(
            seen,
            "{keys:?} should give {expected:?}; requested {requested:?}; screen\n{screen}"
        );
    }

    /// The cells of the screen with their colours.
    fn drawn(&mut self, width: u16, height: u16) -> ratatui::buffer::Buffer {
        self.happen(Event::Resized(width, height));
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| view::draw(&mut self.app, frame)).unwrap();
        terminal.backend().buffer().clone()
    }

    fn screen(&mut self, width: u16, height: u16) -> String {
        self.happen(Event::Resized(width, height));
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| view::draw(&mut self.app, frame)).unwrap();
        for effect in self.app.frame_drawn() {
            self.perform(effect);
        }
        let buffer = terminal.backend().buffer().clone();
        let rows = buffer.content.chunks(width.into());
        let mut out = String::new();
        for row in rows {
            let mut skip = 0;
            let mut line = String::new();
            for cell in row {
                // The second cell of a wide character contains a space that is not on the screen.
                if skip > 0 {
                    skip -= 1;
                    continue;
                }
                skip = crate::util::text::width(cell.symbol()).saturating_sub(1);
                line.push_str(cell.symbol());
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }
}

fn named(name: &str) -> KeyCode {
    match name {
        "Enter" => KeyCode::Enter,
        "Esc" => KeyCode::Esc,
        "Tab" => KeyCode::Tab,
        "Down" => KeyCode::Down,
        "Up" => KeyCode::Up,
        "S-Tab" => KeyCode::BackTab,
        "Space" => KeyCode::Char(' '),
        "Right" => KeyCode::Right,
        "Left" => KeyCode::Left,
        "Backspace" => KeyCode::Backspace,
        "F1" => KeyCode::F(1),
        "F2" => KeyCode::F(2),
        "lt" => KeyCode::Char('<'),
        other => panic!("no key {other}"),
    }
}

fn source(key: i64, id: &str, folder: Option<&str>, unread: u32) -> SourceEntry {
    let url = format!("https://{id}.example/feed").parse().unwrap();
    let mut source = Source::feed(SourceId(id.to_owned()), url);
    source.folder = folder.map(str::to_owned);
    let mut facts = SourceFacts::new(key, source.id.clone(), source.url.to_string());
    facts.unread = unread;
    facts.last_poll = Some(now());
    facts.next_poll = Some(now() + TimeDelta::minutes(12 * key));
    SourceEntry { source: Arc::new(source), facts }
}

fn source_list() -> SourceList {
    let mut sources = vec![
        source(1, "kernel", Some("Tech"), 64),
        source(2, "allocator", Some("Tech/Rust"), 2),
        source(3, "council", Some("City"), 0),
        source(4, "theatre", Some("City"), 29),
        source(5, "news", None, 0),
    ];
    sources[0].facts.feed_title = Some("Kernel notes and other things".to_owned());
    sources[0].facts.pinned = 1;
    sources[2].facts.fail_count = 12;
    sources[3].facts.pause =
        Some(Pause { until: now() + TimeDelta::hours(1), reason: PauseReason::RetryAfter });
    sources[4].facts.last_poll = None;
    SourceList { sources, today: 8, changed: 0, last_key: 12, ..SourceList::default() }
}

const SIZES: [(u16, u16); 3] = [(40, 12), (80, 24), (120, 40)];

fn snapshots(name: &str, keys: &str) {
    for (width, height) in SIZES {
        let mut stage = Stage::new();
        stage.screen(width, height);
        stage.keys(keys);
        insta::assert_snapshot!(format!("{name}-{width}x{height}"), stage.screen(width, height));
    }
}

#[test]
fn draws_the_item_list_at_every_size() {
    snapshots("items", "");
}

#[test]
fn draws_the_article_at_every_size() {
    snapshots("article", "<Enter>");
}

#[test]
fn draws_a_folded_folder_at_every_size() {
    snapshots("sources", "<Tab>jjjjjh");
}

#[test]
fn draws_the_schedule_dialog_at_every_size() {
    snapshots("why", "w");
}

#[test]
fn draws_the_help_at_every_size() {
    snapshots("help", "?");
}

#[test]
fn draws_the_palette_at_every_size() {
    snapshots("palette", ":mark");
}

#[test]
fn draws_the_search_at_every_size() {
    snapshots("search", "/release");
}

#[test]
fn draws_the_welcome_page_at_every_size() {
    for (width, height) in SIZES {
        let mut stage = Stage::with(Settings::default(), SourceList::default(), vec![]);
        stage.keys("<Down>");
        insta::assert_snapshot!(format!("welcome-{width}x{height}"), stage.screen(width, height));
    }
}

#[test]
fn ascii_mode_draws_only_ascii() {
    let mut settings = Settings::default();
    settings.ui.ascii = true;
    let mut list = source_list();
    list.sources.truncate(3);
    let rows: Vec<ItemRow> = item_rows().into_iter().filter(|r| r.title.is_ascii()).collect();
    let mut stage = Stage::with(settings, list, rows);
    stage.keys("<Tab><Enter>:");
    let screen = stage.screen(100, 30);
    // Clipped text ends in an ellipsis even in ASCII mode.
    assert!(screen.replace('…', "").is_ascii(), "{screen}");
}

#[test]
fn draws_at_extreme_sizes() {
    let mut stage = Stage::new();
    for keys in ["", "<Enter>", "?", "<Esc>a", "<Esc>;", "<Esc>z"] {
        stage.keys(keys);
        for (width, height) in
            [(1, 1), (19, 6), (20, 5), (20, 6), (33, 7), (59, 9), (60, 8), (99, 3), (300, 90)]
        {
            let screen = stage.screen(width, height);
            assert!(!screen.trim().is_empty() || width < 4, "{width}x{height}");
        }
    }
}

#[test]
fn keys_have_their_documented_effects() {
    let cases: &[(&str, &str)] = &[
        ("j<Enter>", "Postgres 19 enters beta"),
        ("p", "1 item pinned (u undoes this)"),
        ("pu", "Undone: pin"),
        ("B", "1 item kept for later"),
        ("BkB", "1 item no longer kept for later"),
        ("gl", "No items are kept for later; press B to keep one"),
        ("#+todo<Enter>", "1 item tagged \"todo\""),
        ("<Space><Space>#-\"to do\"<Enter>", "Tag \"to do\" removed from 2 items"),
        ("H<Enter>", "1 item snoozed until "),
        ("Hsoon<Enter>", "Type 12h, 3d or a day such as 2026-12-31"),
        ("H3d<Enter>u", "Undone: snooze"),
        ("m", "1 item marked read"),
        ("mu", "Undone: mark read"),
        ("<Space><Space>m", "2 items marked read"),
        ("/tiny", "A tiny allocator"),
        ("/nothing like it", "Nothing matches"),
        ("/tiny<Esc>", "All unread  95"),
        ("/tiny<Enter>", "Search all items  1  tiny"),
        ("/tiny<Enter><Esc>", "All unread  95"),
        ("fbridge<Enter>", "All unread  1 unread  bridge"),
        (">", "Order: newest first"),
        ("o", r#"Browse { urls: ["https://kernel.example/0"] }"#),
        ("y", "Copy"),
        ("r", "Refresh { keys: Some([1]), pace: Manual,"),
        ("R", "Refresh { keys: None, pace: Manual,"),
        ("A", "MarkViewRead"),
        ("<Enter>1", r#"Browse { urls: ["https://lore.example/1"] }"#),
        ("<Enter>n", "Postgres 19 enters beta"),
        ("<Enter><Tab>jjjjjjjd", "Remove"),
        ("t", "LoadSettings"),
        ("v", "╭─ Log"),
        ("a", "Add a source"),
        ("u", "Nothing to undo"),
    ];
    for (keys, expected) in cases {
        let mut stage = Stage::new();
        stage.screen(120, 40);
        stage.keys_give(keys, expected);
    }
}

#[test]
fn a_read_item_stays_in_the_unread_list() {
    let mut stage = Stage::new();
    stage.keys("<Enter>q");
    let first = stage.app.items.current().unwrap().clone();
    assert!(first.read);
    assert!(stage.screen(80, 24).contains("Kernel notes for 6.19"));
}

#[test]
fn new_items_keep_the_selection() {
    let mut stage = Stage::new();
    stage.keys("jjj");
    let before = stage.app.items.current().unwrap().key;
    let newest =
        ItemRow { key: 99, date: now(), pinned: false, read: false, ..item_rows()[0].clone() };
    stage.rows.push(newest);
    stage.happen(Event::StoreChanged);
    assert_eq!(stage.app.items.rows.len(), 9);
    assert_eq!(stage.app.items.current().unwrap().key, before);
}

#[test]
fn drops_late_replies_to_older_requests() {
    let mut stage = Stage::new();
    let before = stage.app.items.rows.clone();
    let stray = Window::default();
    stage.happen(Event::WindowLoaded(1, Ok(stray)));
    assert_eq!(stage.app.items.rows, before);
}

#[test]
fn newsboat_preset_works() {
    let keys = KeySettings { preset: "newsboat".to_owned(), ..KeySettings::default() };
    let settings = Settings { keys, ..Settings::default() };
    let mut stage = Stage::with(settings, source_list(), item_rows());
    stage.keys("<Enter>");
    assert!(stage.screen(120, 40).contains("The merge window closed"));
}

#[test]
fn sleeps_until_ages_change() {
    let stage = Stage::new();
    let deadline = stage.app.deadline().unwrap();
    assert!(deadline - now() >= TimeDelta::seconds(30), "only ages change, once a minute");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn random_keys_keep_the_state_valid(keys in "[jkghlGpmnNoOAufRravw;?:/tz1-9<> qsdSE+|c-]{0,40}", width in 20u16..130, height in 6u16..40) {
        let mut stage = Stage::new();
        for key in keys.chars() {
            let code = match key {
                'S' => KeyCode::Enter,
                'E' => KeyCode::Esc,
                c => KeyCode::Char(c),
            };
            stage.happen(Event::KeyPressed(KeyEvent::new(code, KeyModifiers::NONE)));
            stage.screen(width, height);
        }
        let app = &stage.app;
        prop_assert!(app.items.rows.is_empty() || app.items.selected < app.items.rows.len());
        prop_assert!(app.sources.selected < app.sources.rows.len());
    }
}
