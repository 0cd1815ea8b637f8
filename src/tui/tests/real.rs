//! The interface with a real database, engine and driver; only the terminal is missing.

use super::super::app::Tone;
use super::super::driver::Driver;
use super::*;
use crate::config::{Paths, load};
use crate::engine::{Engine, Handle};
use crate::store::{FinishedPoll, Prepared, Store, prepare};
use crate::util::clock::SystemClock;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{self, UnboundedReceiver};

/// Timeout for expected events.
const PATIENCE: Duration = Duration::from_secs(30);
/// A long time without events.
const SILENCE: Duration = Duration::from_secs(1);
/// Interval between checks whether a task has ended without an event.
const CHECK: Duration = Duration::from_millis(2);

pub(super) struct Real {
    pub(super) app: App,
    pub(super) paths: Paths,
    pub(super) handle: Handle,
    /// Effects that need the terminal.
    pub(super) requested: Vec<Effect>,
    /// Number of replies to changes to files.
    pub(super) edits: usize,
    driver: Driver,
    events: UnboundedReceiver<Event>,
    /// Number of senders of events while the driver is idle.
    idle_senders: usize,
    terminal: Terminal<TestBackend>,
    _folder: tempfile::TempDir,
}

/// The initial `config.toml`.
pub(super) const CONFIG: &str =
    "# Mine\nbrowser = [\"true\"] # C1\nfull_text = \"never\"\n\n[ui] # C2\n# C3\nmouse = false\n";

impl Real {
    /// Creates a database with sources and items. Nothing is polled automatically, and all URLs are on this
    /// machine, where no server runs.
    pub(super) async fn new(sources: usize, items: usize) -> Self {
        Self::configured(sources, items, CONFIG).await
    }

    /// Like [`Self::new`], with the contents of `config.toml`.
    pub(super) async fn configured(sources: usize, items: usize, config: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::below(folder.path());
        std::fs::create_dir_all(paths.config_dir()).unwrap();
        std::fs::create_dir_all(paths.database().parent().unwrap()).unwrap();
        std::fs::write(paths.config_file(), config).unwrap();
        let entry = |n: usize| {
            format!(
                "[[source]]\nurl = \"http://127.0.0.1:9/{n}.xml\"\ntitle = \"Source {n}\"\n\
                 folder = \"Folder {}\"\ntags = [\"t{}\"]\n\n",
                n % 20,
                n % 7
            )
        };
        let text: String = (0..sources).map(entry).collect();
        std::fs::write(paths.sources_file(), text).unwrap();
        let loaded = load(&paths, &[]).unwrap();
        let store = Store::open(&paths.database()).unwrap();
        let facts = store.reconcile(loaded.sources.clone(), now()).await.unwrap();
        let hashing = store.hashing().await.unwrap();
        for source in &facts {
            let count = items / sources;
            let entries = (0..count).map(|n| item(source.key, n)).collect();
            store.store_poll(poll(source.key, prepare(entries, &hashing))).await.unwrap();
        }
        while store.index_step().await.unwrap().is_some() {}
        let engine = Engine {
            store,
            settings: loaded.settings.clone(),
            sources: loaded.sources,
            paths: paths.clone(),
            overrides: vec![],
            clock: Arc::new(SystemClock),
            names: Default::default(),
            seed: 1,
            follow: false,
        };
        let handle = engine.start().await.unwrap();
        let (sender, events) = mpsc::unbounded_channel();
        let driver = Driver::new(handle.clone(), paths.clone(), sender).unwrap();
        let idle_senders = events.sender_strong_count();
        let keymap = KeyMap::load(&loaded.settings.keys).unwrap();
        let palette = Palette::of(&loaded.settings, ColorSupport::DARK);
        let app = App::new(loaded.settings, keymap, palette, now());
        let mut real = Self {
            app,
            paths,
            handle,
            requested: Vec::new(),
            edits: 0,
            driver,
            events,
            idle_senders,
            terminal: Terminal::new(TestBackend::new(100, 30)).unwrap(),
            _folder: folder,
        };
        let first = real.app.start();
        real.perform(first);
        real.until("a list", |app| !app.sources.rows.is_empty()).await;
        real.until("items", |app| !app.items.is_loading()).await;
        real.quiet().await;
        real
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            if let Some(mine) = self.driver.perform(effect) {
                self.requested.push(mine);
            }
        }
    }

    pub(super) fn take(&mut self, event: Event) {
        self.edits += usize::from(matches!(event, Event::Edited(..)));
        let effects = self.app.update(event, now());
        self.perform(effects);
    }

    /// Handles events until the driver is idle.
    pub(super) async fn quiet(&mut self) {
        self.quiet_for(SILENCE).await;
    }

    /// Handles events until the driver is idle, which means that no task has a sender of events. Tasks that
    /// run until they are stopped, such as a crawl, are not waited for after this time without events.
    pub(super) async fn quiet_for(&mut self, silence: Duration) {
        let mut last = Instant::now();
        while !self.events.is_empty()
            || self.events.sender_strong_count() > self.idle_senders && last.elapsed() < silence
        {
            if let Ok(Some(event)) = tokio::time::timeout(CHECK, self.events.recv()).await {
                self.take(event);
                last = Instant::now();
            }
        }
    }

    /// Handles events until the condition is true.
    pub(super) async fn until(&mut self, what: &str, test: impl Fn(&App) -> bool) {
        while !test(&self.app) {
            let event = tokio::time::timeout(PATIENCE, self.events.recv()).await;
            let Ok(Some(event)) = event else { panic!("no {what}; {:?}", self.app.toast) };
            self.take(event);
        }
    }

    /// Handles events until there are replies to this many file changes.
    pub(super) async fn wait_for_edits(&mut self, count: usize) {
        while self.edits < count {
            let event = tokio::time::timeout(PATIENCE, self.events.recv()).await;
            let Ok(Some(event)) = event else { panic!("{} of {count} edits", self.edits) };
            self.take(event);
        }
    }

    pub(super) async fn wait_for(&mut self, words: &str) {
        let is_shown = |app: &App| app.toast.as_ref().is_some_and(|t| t.text.contains(words));
        self.until(words, is_shown).await;
    }

    /// Notifies the interface, like the run loop, that the database has changed.
    pub(super) fn store_changed(&mut self) {
        self.take(Event::StoreChanged);
    }

    /// Advances the time.
    pub(super) fn late(&mut self, by: TimeDelta) {
        let effects = self.app.update(Event::TimePassed, now() + by);
        self.perform(effects);
    }

    pub(super) fn press(&mut self, code: KeyCode, modifiers: KeyModifiers) {
        self.take(Event::KeyPressed(KeyEvent::new(code, modifiers)));
    }

    pub(super) fn keys(&mut self, text: &str) {
        for c in text.chars() {
            self.press(KeyCode::Char(c), KeyModifiers::NONE);
        }
    }

    pub(super) fn enter(&mut self) {
        self.press(KeyCode::Enter, KeyModifiers::NONE);
    }

    pub(super) fn paste(&mut self, text: &str) {
        self.take(Event::Pasted(text.to_owned()));
    }

    /// Handles events until the screen shows a text.
    pub(super) async fn screen_until(&mut self, text: &str) -> String {
        loop {
            let screen = self.screen();
            if screen.contains(text) {
                return screen;
            }
            let event = tokio::time::timeout(PATIENCE, self.events.recv()).await;
            let Ok(Some(event)) = event else { panic!("no {text} on the screen\n{screen}") };
            self.take(event);
        }
    }

    /// Stops everything that the driver runs, like closing the interface.
    pub(super) async fn finish(&mut self) {
        self.driver.ending().finish(vec![]).await;
    }

    /// Runs a command from the palette.
    pub(super) fn command(&mut self, text: &str) {
        self.keys(":");
        self.paste(text);
        self.enter();
    }

    /// Closes every dialog.
    pub(super) fn close_dialogs(&mut self) {
        for _ in 0..8 {
            if self.app.dialogs.is_empty() {
                return;
            }
            self.press(KeyCode::Esc, KeyModifiers::NONE);
        }
        panic!("a dialog does not close: {:?}", self.app.dialogs.last());
    }

    pub(super) fn screen(&mut self) -> String {
        let app = &mut self.app;
        self.terminal.draw(|frame| view::draw(app, frame)).unwrap();
        let cells = &self.terminal.backend().buffer().content;
        let rows = cells.chunks(100);
        let text = |row: &[ratatui::buffer::Cell]| row.iter().map(|c| c.symbol()).collect();
        rows.map(text).collect::<Vec<String>>().join("\n")
    }

    pub(super) fn config(&self) -> String {
        std::fs::read_to_string(self.paths.config_file()).unwrap()
    }

    pub(super) fn has_dialog(&self) -> bool {
        !self.app.dialogs.is_empty()
    }

    /// The error message on the screen, if users would not understand it.
    pub(super) fn unreadable_error(&self) -> Option<&str> {
        let toast = self.app.toast.as_ref().filter(|t| t.tone == Tone::Problem)?;
        let text = toast.text.as_str();
        let debug = ["Error(", "Err(", "Some(", "None", "::", "unwrap", "panick"];
        let odd = text.split_whitespace().count() < 3 || debug.iter().any(|d| text.contains(d));
        odd.then_some(text)
    }
}

fn item(source: i64, n: usize) -> Entry {
    Entry {
        guid: Some(format!("{source}-{n}")),
        title: format!("Item {n} of {source}"),
        url: Some(format!("http://127.0.0.1:9/{source}/{n}")),
        published: Some(now() - TimeDelta::minutes((n * 7) as i64)),
        content: Some(format!("<p>Text {n} with <a href=\"http://127.0.0.1:9/x\">a link</a>.</p>")),
        ..Entry::default()
    }
}

pub(super) fn poll(source: i64, entries: Vec<Prepared>) -> FinishedPoll {
    FinishedPoll {
        pages: None,
        source,
        automatic: true,
        entries: Some(entries),
        record: PollRecord {
            at: now(),
            status: Some(200),
            millis: 1,
            requests: 1,
            bytes: 1,
            outcome: Outcome::Unchanged,
            repairs: vec![],
            left_out: Vec::new(),
        },
        finish: Box::new(|_, _| {}),
    }
}
