//! The interface without a terminal, for benchmarks.

use super::app::App;
use super::effect::Effect;
use super::event::{Event, SourceEntry, SourceList};
use super::read::Read;
use super::style::{ColorSupport, Palette};
use super::view;
use crate::config::{KeyMap, Settings, Theme};
use crate::model::{Source, Time};
use crate::store::Reader;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use std::sync::Arc;

/// The interface of a database, drawn into memory.
pub struct Headless {
    app: App,
    reader: Reader,
    screen: Terminal<TestBackend>,
    now: Time,
}

impl Headless {
    /// Shows the first list of `sources` on a screen of `width` by `height` cells. Returns `None`
    /// if the database cannot be read.
    pub fn new(
        reader: Reader,
        sources: Vec<Source>,
        width: u16,
        height: u16,
        now: Time,
    ) -> Option<Self> {
        let settings = Settings::default();
        let keymap = KeyMap::load(&settings.keys).ok()?;
        let app = App::new(
            settings,
            keymap,
            Palette::new(&Theme::plain(), ColorSupport::DARK, false),
            now,
        );
        let screen = Terminal::new(TestBackend::new(width, height)).ok()?;
        let facts = reader.sources().ok()?;
        let entry = |source: Source| {
            let facts = facts.iter().find(|f| f.id == source.id)?.clone();
            Some(SourceEntry { source: Arc::new(source), facts })
        };
        let sources = sources.into_iter().filter_map(entry).collect();
        let last_key = reader.last_key().ok()?;
        let list = SourceList { sources, last_key, ..SourceList::default() };
        let mut headless = Self { app, reader, screen, now };
        headless.app.start();
        headless.happen(Event::Resized(width, height));
        headless.happen(Event::SourcesLoaded(Ok(list)));
        Some(headless)
    }

    /// Presses a character key; requested windows are loaded synchronously.
    pub fn press(&mut self, key: char) {
        self.happen(Event::KeyPressed(KeyEvent::new(KeyCode::Char(key), KeyModifiers::NONE)));
    }

    /// Draws one frame and returns its text.
    pub fn draw(&mut self) -> String {
        // Drawing into memory cannot fail.
        let _ = self.screen.draw(|frame| view::draw(&mut self.app, frame));
        self.screen.backend().buffer().content.iter().map(ratatui::buffer::Cell::symbol).collect()
    }

    fn happen(&mut self, event: Event) {
        for effect in self.app.update(event, self.now) {
            if let Effect::Read(Read::Window { request, view, anchor, size }) = effect {
                let window = self.reader.window(&view, anchor, size).map_err(|e| e.to_string());
                self.happen(Event::WindowLoaded(request, window));
            }
        }
    }
}
