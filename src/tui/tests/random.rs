//! Random use: keys, pastes, clicks, sizes, and replies that are late, repeated, out of order or errors.
//! Nothing may panic, selections must stay valid, and every size must be drawn.
//!
//! `NEWSFED_STEPS=1000000 NEWSFED_SEED=7 cargo test --lib random_use` runs longer.

mod crawling;
mod listening;
mod replies;
mod stock;

use super::*;
use crate::config::{Key, Section};
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use fastrand::Rng;
use stock::Stock;

const STEPS: usize = 8_000;
/// Maximum number of pending requests; older ones never receive a reply.
const MAX_WAITING: usize = 24;

/// The interface under random use.
struct Chaos {
    rng: Rng,
    app: App,
    stock: Stock,
    waiting: Vec<Effect>,
    terminal: Terminal<TestBackend>,
    now: Time,
    /// The last events, printed after a panic.
    last: std::collections::VecDeque<String>,
}

impl Chaos {
    fn new(seed: u64) -> Self {
        let settings = Settings::default();
        let keymap = KeyMap::load(&settings.keys).unwrap();
        let palette = Palette::of(&settings, ColorSupport::DARK);
        let mut app = App::new(settings, keymap, palette, now());
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
        if self.waiting.len() > MAX_WAITING {
            self.waiting.drain(..self.waiting.len() - MAX_WAITING);
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
        self.waiting.extend(app.frame_drawn());
        let area = self.terminal.backend().buffer().area;
        let cells = self.terminal.backend().buffer();
        let blank = cells.content.iter().all(|cell| cell.symbol().trim().is_empty());
        assert!(!blank || area.width < 8, "nothing on {area}");
    }

    fn resized(&mut self) -> Event {
        // Prefers small sizes, because they are more difficult to draw.
        let mut size = |limit: u16| match self.rng.u8(..16) {
            0 => limit,
            1..3 => self.rng.u16(1..=limit),
            _ => self.rng.u16(1..=limit / 3),
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
        // Presses Esc often enough to leave forms, some of which need it twice.
        let leaves = self.last.back().is_some_and(|event| event.contains("code: Esc"));
        let code = match self.rng.u8(..10) {
            _ if leaves && self.rng.bool() => Esc,
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
        let mut at = |limit: u16| if far { self.rng.u16(..) } else { self.rng.u16(..limit.max(1)) };
        let (column, row) = (at(size.width), at(size.height));
        let kind = kinds[self.rng.usize(..kinds.len())];
        MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

#[test]
fn random_use_never_panics() {
    let (steps, seed) = (number("NEWSFED_STEPS", STEPS as u64), number("NEWSFED_SEED", 1));
    let mut done = 0;
    // Restarts from time to time, so that no state lasts for the whole run.
    for user in 0..steps.div_ceil(2000) {
        let mut chaos = Chaos::new(seed.wrapping_mul(1_000_003) + user);
        while done < steps.min((user + 1) * 2000) {
            let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                chaos.step();
                // Draws a frame only after several events.
                if done.is_multiple_of(5) {
                    chaos.draw();
                }
            }));
            if let Err(panic) = run {
                println!("seed {seed}, user {user}, step {done}: {:#?}", chaos.last);
                std::panic::resume_unwind(panic);
            }
            done += 1;
        }
    }
}

#[test]
fn every_dialog_draws_at_every_size() {
    let dialogs = [",", "K", "K<Enter>", "U", ":", ":theme ", ":set ui.", "T", "e", "?", "w", "v"];
    for keys in dialogs {
        let mut stage = Stage::new();
        stage.keys("p");
        stage.keys(keys);
        if keys == "," {
            stage.happen(Event::SettingsLoaded(Ok(Section::settings("", &[]))));
        }
        for width in [1, 2, 19, 20, 21, 25, 33, 47, 60, 100, 300] {
            for height in [1, 5, 6, 7, 9, 12, 24, 100] {
                stage.screen(width, height);
            }
        }
    }
}

#[test]
fn accepts_unusual_key_events() {
    // Each key event is a valid key of the keymap.
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
