//! Random use: keys, pastes, clicks, sizes, and answers that come late, twice, in any order or as
//! failures. Nothing may panic, the selections stay valid, and every size draws.
//!
//! `NEWSFED_STEPS=1000000 NEWSFED_SEED=7 cargo test --lib random_use` goes on for longer.

use super::*;
use crate::config::{
    Edited, Entry, EntryChange, Key, Paths, SettingsEdited, SettingsText, SourcesFile,
};
use crate::engine::{
    Discovery, PrefetchPlan, Refreshed, Removed, Report, Role as Part, Status, TextGot, Way,
};
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use fastrand::Rng;

const STEPS: usize = 20_000;
/// Questions whose answers are still to come at most; older ones are never answered.
const MOST_WAITING: usize = 24;

/// What answers are made of.
struct Stock {
    rows: Vec<ItemRow>,
    entry: Entry,
    edited: Edited,
    removed: Removed,
    settings: SettingsText,
    settings_edited: SettingsEdited,
    _folder: tempfile::TempDir,
}

impl Stock {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::below(folder.path());
        let file = SourcesFile::open(&paths);
        let sources: Vec<Source> =
            source_list().sources.iter().map(|s| Source::clone(&s.source)).collect();
        file.add(&sources).unwrap();
        let id = sources[0].id.clone();
        let entry = file.entry(&id).unwrap();
        let title = EntryChange { path: vec!["title".into()], value: Some("\"x\"".into()) };
        let edited = file.edit_entry(&entry, &[title]).unwrap();
        let undo = file.remove(std::slice::from_ref(&id)).unwrap();
        let config = crate::config::ConfigFile::open(&paths);
        let theme = EntryChange {
            path: vec!["ui".into(), "theme".into()],
            value: Some("\"light\"".into()),
        };
        let settings_edited = config.edit(None, &[theme]).unwrap();
        Self {
            rows: item_rows(),
            entry,
            edited,
            removed: Removed::told(vec![sources[0].clone()], "Kernel", undo),
            settings: config.read(&[]).unwrap(),
            settings_edited,
            _folder: folder,
        }
    }
}

/// The panes in hands that do anything.
struct Chaos {
    rng: Rng,
    app: App,
    stock: Stock,
    waiting: Vec<Effect>,
    terminal: Terminal<TestBackend>,
    now: Time,
    /// What was done last, for telling how a fault came about.
    last: std::collections::VecDeque<String>,
}

impl Chaos {
    fn new(seed: u64) -> Self {
        let settings = Settings::default();
        let keymap = KeyMap::load(&settings.keys).unwrap();
        let theme = Theme::load(&settings.ui.theme, &settings.themes).unwrap();
        let mut app = App::new(settings, keymap, Palette::new(theme, Depth::Indexed), now());
        let waiting = app.start();
        Self {
            rng: Rng::with_seed(seed),
            app,
            stock: Stock::new(),
            waiting,
            terminal: Terminal::new(TestBackend::new(80, 24)).unwrap(),
            now: now(),
            last: std::collections::VecDeque::new(),
        }
    }

    fn step(&mut self) {
        let event = match self.rng.u8(..100) {
            0..58 => Event::KeyPressed(self.key()),
            58..62 => Event::Pasted(self.text()),
            62..70 => Event::MouseUsed(self.mouse()),
            70..74 => self.resized(),
            74..78 => {
                self.now += TimeDelta::milliseconds(self.rng.i64(0..90_000));
                Event::TimePassed
            }
            78..80 => Event::StoreChanged,
            80..84 => self.stray(),
            _ if self.waiting.is_empty() => Event::TimePassed,
            _ => {
                let at = self.rng.usize(..self.waiting.len());
                let effect = self.waiting.swap_remove(at);
                match self.answer(effect) {
                    Some(event) => event,
                    None => Event::TimePassed,
                }
            }
        };
        if self.last.len() > 30 {
            self.last.pop_front();
        }
        let words: String = format!("{event:?}").chars().take(160).collect();
        self.last.push_back(words);
        let effects = self.app.update(event, self.now);
        self.waiting.extend(effects);
        if self.waiting.len() > MOST_WAITING {
            self.waiting.drain(..self.waiting.len() - MOST_WAITING);
        }
        let _ = self.app.deadline();
        self.check();
    }

    fn check(&self) {
        let app = &self.app;
        let items = &app.items;
        assert!(items.rows.is_empty() || items.selected < items.rows.len(), "items");
        let sources = &app.sources;
        assert!(sources.rows.is_empty() || sources.selected < sources.rows.len(), "sources");
        assert!(app.history.done <= app.history.steps.len(), "history");
    }

    fn draw(&mut self) {
        let app = &mut self.app;
        self.terminal.draw(|frame| view::draw(app, frame)).unwrap();
        let area = self.terminal.backend().buffer().area;
        let cells = self.terminal.backend().buffer();
        let blank = cells.content.iter().all(|cell| cell.symbol().trim().is_empty());
        assert!(!blank || area.width < 8, "nothing on {area}");
    }

    fn resized(&mut self) -> Event {
        // Small sizes are the hard ones.
        let mut size = |most: u16| match self.rng.u8(..8) {
            0 => most,
            1 => self.rng.u16(1..=most),
            _ => self.rng.u16(1..=most / 3),
        };
        let (width, height) = (size(300), size(100));
        self.terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        Event::Resized(width, height)
    }

    fn key(&mut self) -> KeyEvent {
        use KeyCode::*;
        let named = [
            Enter,
            Enter,
            Esc,
            Esc,
            Tab,
            BackTab,
            Up,
            Down,
            Down,
            Left,
            Right,
            Home,
            End,
            PageUp,
            PageDown,
            Backspace,
            Delete,
            Insert,
            F(1),
            F(3),
            F(12),
            Null,
            CapsLock,
        ];
        let code = match self.rng.u8(..10) {
            0..3 => named[self.rng.usize(..named.len())],
            3 => Char(self.rng.char(..)),
            _ => Char(self.rng.char('!'..='~')),
        };
        let modifiers = match self.rng.u8(..12) {
            0 => KeyModifiers::ALT,
            1 | 2 => KeyModifiers::CONTROL,
            3 => KeyModifiers::SHIFT,
            4 => KeyModifiers::from_bits_truncate(self.rng.u8(..)),
            _ => KeyModifiers::NONE,
        };
        let modifiers = if code == Esc { KeyModifiers::NONE } else { modifiers };
        KeyEvent::new(code, modifiers)
    }

    fn text(&mut self) -> String {
        let texts = [
            "https://kernel.example/feed",
            "theme light",
            "set ui.ascii true",
            "settings retention",
            "open council",
            "tag a",
            "keys pin",
            "two\nlines\r\n and \u{1b}[31m more",
            "日本語のニュース 🦀 أخبار",
            "merge",
            "\u{202e}\u{0}\u{7f}",
            "",
        ];
        match self.rng.u8(..10) {
            0 => (0..self.rng.usize(..3000)).map(|_| self.rng.char(..)).collect(),
            1 => "x".repeat(self.rng.usize(..20_000)),
            _ => texts[self.rng.usize(..texts.len())].to_owned(),
        }
    }

    fn mouse(&mut self) -> MouseEvent {
        use MouseEventKind::*;
        let kinds = [
            Down(MouseButton::Left),
            Down(MouseButton::Left),
            Down(MouseButton::Right),
            Up(MouseButton::Left),
            Drag(MouseButton::Left),
            Moved,
            ScrollDown,
            ScrollUp,
            ScrollLeft,
            ScrollRight,
        ];
        let size = self.terminal.backend().buffer().area;
        let far = self.rng.u8(..8) == 0;
        let mut at = |most: u16| if far { self.rng.u16(..) } else { self.rng.u16(..most.max(1)) };
        let (column, row) = (at(size.width), at(size.height));
        let kind = kinds[self.rng.usize(..kinds.len())];
        MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }
    }

    fn failure(&mut self) -> String {
        ["the disk is full", "news.example has nothing at this address (HTTP 404)", ""]
            [self.rng.usize(..3)]
        .to_owned()
    }

    fn result<T>(&mut self, ok: T) -> Result<T, String> {
        if self.rng.u8(..6) == 0 { Err(self.failure()) } else { Ok(ok) }
    }

    fn sources(&mut self) -> SourceList {
        let mut list = source_list();
        let count = self.rng.usize(..=list.sources.len());
        self.rng.shuffle(&mut list.sources);
        if self.rng.u8(..4) > 0 {
            list.sources.truncate(count);
        }
        list.changed = self.rng.u32(..3);
        list.last_key = self.rng.i64(..300);
        for entry in &mut list.sources {
            entry.facts.unread = self.rng.u32(..500);
            let source = Arc::make_mut(&mut entry.source);
            source.tags = vec!["a".to_owned(), "long tag 日本".to_owned()];
        }
        list
    }

    fn rows(&mut self) -> Vec<ItemRow> {
        let count = [0, 1, 2, 12, 60, 180][self.rng.usize(..6)];
        let mut keys: Vec<i64> = (1..=count).collect();
        keys.retain(|_| self.rng.u8(..5) > 0);
        let row = |key: i64| {
            let like = &self.stock.rows[key as usize % self.stock.rows.len()];
            let date = now() - TimeDelta::minutes(key);
            ItemRow { key, date, ..like.clone() }
        };
        keys.into_iter().map(row).collect()
    }

    fn settings(&mut self) -> Box<Settings> {
        let mut settings = Settings::default();
        let themes = ["dark", "light", "high-contrast", "mono"];
        settings.ui.theme = themes[self.rng.usize(..4)].to_owned();
        settings.ui.ascii = self.rng.bool();
        settings.ui.reader_width = self.rng.u16(20..=400);
        if self.rng.u8(..6) == 0 {
            settings.keys.preset = "newsboat".to_owned();
        }
        if self.rng.bool() {
            let own = settings.keys.bindings.entry("items".to_owned()).or_default();
            own.insert("C-p".to_owned(), "pin".to_owned());
        }
        Box::new(settings)
    }

    /// The event with which the driver would answer, some time.
    fn answer(&mut self, effect: Effect) -> Option<Event> {
        Some(match effect {
            Effect::LoadSources => {
                let list = self.sources();
                Event::SourcesLoaded(self.result(list))
            }
            Effect::LoadWindow { request, .. } => {
                let rows = self.rows();
                let (more_above, more_below) = (self.rng.bool(), self.rng.bool());
                let window = Window { rows, more_above, more_below, cut: self.rng.bool() };
                Event::WindowLoaded(request, self.result(window))
            }
            Effect::LoadArticle { request, key } => {
                let at = key.unsigned_abs() as usize % self.stock.rows.len();
                let row = ItemRow { key, ..self.stock.rows[at].clone() };
                let mut shown = article(row);
                shown.position = self.rng.usize(..2000);
                if self.rng.bool() {
                    let changes = crate::article::differences("one two three", "one 2 three four");
                    shown.difference = Some(Arc::new(changes));
                }
                let found = (self.rng.u8(..8) > 0).then(|| Arc::new(shown));
                Event::ArticleLoaded(request, self.result(found))
            }
            Effect::FetchText { key } | Effect::ItemOpened { key } => {
                let got = match self.rng.u8(..4) {
                    0 => TextGot::Feed,
                    1 => TextGot::Failed(self.failure()),
                    2 => TextGot::Gone,
                    _ => TextGot::Fetched { from: TextFrom::Guided, changed: self.rng.bool() },
                };
                Event::TextGot(key, self.rng.bool(), self.result(got))
            }
            Effect::PlanPrefetch => {
                let page = |item| crate::store::Wanted { item, source: 1, url: String::new() };
                let pages = (0..self.rng.i64(..4)).map(page).collect();
                let plan = PrefetchPlan { pages, bytes: self.rng.u64(..), failed: 1 };
                Event::PrefetchPlanned(self.result(plan))
            }
            Effect::Prefetch { .. } => Event::Prefetched(self.rng.bool()),
            Effect::StopPrefetch => Event::PrefetchEnded,
            Effect::LoadLog => {
                let poll = PollRecord {
                    at: now(),
                    status: Some(404),
                    millis: 5,
                    requests: 1,
                    bytes: 9,
                    outcome: Outcome::Unchanged,
                    repairs: vec!["日本語 repaired".to_owned()],
                };
                let polls = vec![(SourceId("kernel".to_owned()), poll); self.rng.usize(..40)];
                Event::LogLoaded(self.result(polls))
            }
            Effect::LoadRhythms { sources } => {
                let pulse = Pulse::Silent;
                let rhythm = Rhythm { per_day: vec![1, 0, 9], newest: None, pulse };
                let rhythms = sources.into_iter().map(|key| (key, rhythm.clone())).collect();
                Event::RhythmsLoaded(self.result(rhythms))
            }
            Effect::LoadWhy { source } => Event::WhyLoaded(source, self.result(told())),
            Effect::Mark { mark, mut keys, to, cause } => {
                keys.retain(|_| self.rng.u8(..8) > 0);
                Event::Marked(self.result(MarksSet { mark, keys, to, cause }))
            }
            Effect::MarkViewRead { .. } => {
                let (mark, keys) = (Mark::Read, vec![1, 2, 3]);
                Event::Marked(Ok(MarksSet { mark, keys, to: true, cause: Cause::Person }))
            }
            Effect::Refresh { .. } => Event::RefreshEnded,
            Effect::Discover { request, .. } => {
                let way = |n| {
                    let url = format!("https://kernel.example/{n}");
                    Way::told(&url, "A way 日本", Some(("main a", 0.5)), &[("日本", now())])
                };
                let ways = (0..self.rng.usize(..4)).map(way).collect();
                let found = Discovery::told("kernel.example", ways, &["no feed"]);
                Event::Discovered(request, self.result(found))
            }
            Effect::Follow { .. } | Effect::FollowStarters { .. } => {
                let added = (0..self.rng.usize(..3)).map(|_| Followed {
                    id: SourceId("kernel".to_owned()),
                    title: "Kernel".to_owned(),
                    no_items: self.rng.bool().then(String::new),
                    kind: SourceKind::Feed,
                });
                let added = added.collect();
                Event::Followed(self.result(added))
            }
            Effect::Import { .. } => {
                let ids = vec![SourceId("kernel".to_owned()); self.rng.usize(..3)];
                let skipped = vec![("exec:x".to_owned(), "is a program".to_owned())];
                let imported = Imported { added: ids.len(), ids, known: 1, skipped };
                Event::Imported(self.result(imported))
            }
            Effect::Remove { .. } => {
                let removed = self.stock.removed.clone();
                Event::Removed(self.result(removed))
            }
            Effect::Restore { removed } => Event::Restored(self.result(removed)),
            Effect::LoadEntry { source, .. } => {
                let entry = self.stock.entry.clone();
                Event::EntryLoaded(source, self.result(entry))
            }
            Effect::SaveEntry { source, .. } => {
                let (edited, entry) = (self.stock.edited.clone(), self.stock.entry.clone());
                Event::EntrySaved(
                    source,
                    match self.rng.u8(..4) {
                        0 => Err(NotSaved::Failed(self.failure())),
                        1 => Err(NotSaved::Elsewhere(vec!["url".to_owned()], Box::new(entry))),
                        _ => Ok(edited),
                    },
                )
            }
            Effect::Revert { edited, redo } => Event::Reverted(redo, self.result(edited)),
            Effect::LoadSettings => {
                let text = self.stock.settings.clone();
                Event::SettingsLoaded(self.result(text))
            }
            Effect::SaveSettings { .. } => {
                let edited = self.stock.settings_edited.clone();
                let text = Box::new(self.stock.settings.clone());
                Event::SettingsSaved(match self.rng.u8(..4) {
                    0 => Err(NotSaved::Failed(self.failure())),
                    1 => Err(NotSaved::SettingsElsewhere(vec!["ui.theme".to_owned()], text)),
                    _ => Ok((edited, self.settings())),
                })
            }
            Effect::RevertSettings { edited, .. } => {
                let settings = self.settings();
                Event::SettingsReverted(self.result((edited, settings)))
            }
            Effect::Browse { urls } => {
                let opened = self.result(());
                let first = urls.into_iter().next().unwrap_or_default();
                Event::BrowserOpened(opened.map_err(|why| (first, why)))
            }
            Effect::Pipe { .. } | Effect::EditSource { .. } => {
                let said = self.failure();
                Event::Said(self.result(said))
            }
            Effect::CancelDiscovery
            | Effect::StopExploring { .. }
            | Effect::Copy { .. }
            | Effect::KeepPlace { .. }
            | Effect::BrowseHere(_)
            | Effect::Redraw
            | Effect::Suspend
            | Effect::Quit(_) => return None,
        })
    }

    /// What nobody has asked for, or asked for long ago.
    fn stray(&mut self) -> Event {
        let request = self.rng.u64(..40);
        let key = self.rng.i64(..8);
        match self.rng.u8(..16) {
            0 => {
                let rows = self.rows();
                Event::WindowLoaded(request, Ok(Window { rows, ..Window::default() }))
            }
            1 => Event::ArticleLoaded(request, Ok(None)),
            2 => Event::Tried(request, "looking".to_owned()),
            3 => Event::Discovered(request, Err("late".to_owned())),
            4 => Event::Restored(Ok(self.stock.removed.clone())),
            5 => Event::Removed(Ok(self.stock.removed.clone())),
            6 => Event::Reverted(self.rng.bool(), Ok(self.stock.edited.clone())),
            7 => Event::EntrySaved(key, Ok(self.stock.edited.clone())),
            8 => Event::EntryLoaded(key, Ok(self.stock.entry.clone())),
            9 => Event::SettingsLoaded(Ok(self.stock.settings.clone())),
            10 => {
                let cause = [Cause::Undo, Cause::Redo, Cause::Person][self.rng.usize(..3)];
                Event::Marked(Ok(MarksSet { mark: Mark::Read, keys: vec![key], to: true, cause }))
            }
            11 => Event::WhyLoaded(key, Ok(told())),
            12 => Event::StatusChanged(Status {
                role: [Part::Follows, Part::Watches(Some(7)), Part::Reads][self.rng.usize(..3)],
                total: self.rng.usize(..90),
                host: Some("a.example".to_owned()),
                offline: self.rng.bool(),
                fault: self.rng.bool().then(|| "sources.toml:3: no".to_owned()),
                ..Status::default()
            }),
            13 => Event::Refreshed(Report {
                source: SourceId("kernel".to_owned()),
                result: Refreshed::Looked(Outcome::Unchanged),
            }),
            14 => Event::Prefetched(true),
            _ => Event::SettingsReverted(Err(String::new())),
        }
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

#[test]
fn random_use_breaks_nothing() {
    let (steps, seed) = (number("NEWSFED_STEPS", STEPS as u64), number("NEWSFED_SEED", 1));
    let mut done = 0;
    // A new person every now and then, so that no state is stayed in for ever.
    for person in 0..steps.div_ceil(2000) {
        let mut chaos = Chaos::new(seed.wrapping_mul(1_000_003) + person);
        while done < steps.min((person + 1) * 2000) {
            let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                chaos.step();
                // Several events come between two frames.
                if done.is_multiple_of(4) {
                    chaos.draw();
                }
            }));
            if let Err(fault) = run {
                println!("seed {seed}, person {person}, step {done}: {:#?}", chaos.last);
                std::panic::resume_unwind(fault);
            }
            done += 1;
        }
    }
}

#[test]
fn every_layer_draws_at_every_size() {
    let layers = [",", "K", "K<Enter>", "U", ":", ":theme ", ":set ui.", "T", "e", "?", "w", "v"];
    for strokes in layers {
        let mut stage = Stage::new();
        stage.keys("p");
        stage.keys(strokes);
        if strokes == "," {
            stage.happen(Event::SettingsLoaded(Ok(SettingsText::new("", &[]))));
        }
        for width in [1, 2, 19, 20, 21, 25, 33, 47, 60, 100, 300] {
            for height in [1, 5, 6, 7, 9, 12, 24, 100] {
                stage.screen(width, height);
            }
        }
    }
}

#[test]
fn keys_are_read_however_they_come() {
    // Keys that terminals report in odd ways are keys of the keymap, or none.
    let mut rng = Rng::with_seed(3);
    for _ in 0..2000 {
        let event = KeyEvent::new(
            KeyCode::Char(rng.char(..)),
            KeyModifiers::from_bits_truncate(rng.u8(..)),
        );
        let key: Option<Key> = super::super::input::key(event);
        assert!(key.is_some_and(|key| !key.to_string().is_empty()));
    }
}
