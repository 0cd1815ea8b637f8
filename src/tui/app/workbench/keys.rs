//! Keys and the mouse in the workbench.

use super::super::keys::Motion;
use super::{App, Bench, BenchPane, Editor};
use crate::config::Key;
use crate::engine::{Part, Place};
use crate::tui::effect::{BenchRequest, Effect};
use crate::tui::view;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEventKind};
use ratatui::layout::Position;
use url::Url;

/// Lines that a page key moves.
const PAGE: usize = 12;

impl Bench {
    /// Fetches a page, unless it is being fetched already.
    pub(super) fn fetch(&mut self, url: Url, place: Place, title: String) -> Vec<Effect> {
        if !self.waiting.insert(place) {
            return vec![];
        }
        vec![Effect::Bench { bench: self.id, ask: BenchRequest::Fetch { url, place, title } }]
    }

    fn next_pane(&mut self, forward: bool) {
        const PANES: [BenchPane; 3] = [BenchPane::Page, BenchPane::Items, BenchPane::Fields];
        let at = PANES.iter().position(|pane| *pane == self.pane).unwrap_or(0);
        self.pane = PANES[(at + if forward { 1 } else { 2 }) % 3];
    }

    /// Activates a field; shows the page it belongs to if that is loaded. Returns whether the page changed.
    fn activate(&mut self, field: usize) -> bool {
        let Some(field_info) = self.fields.get(field) else { return false };
        let of_article = field_info.part.is_some_and(|part| Part::ARTICLE.contains(&part));
        let of_list = field_info.part.is_some_and(|part| Part::LIST.contains(&part));
        self.active = field;
        let place = match self.is_article() {
            false if of_article => Place::Article,
            true if of_list => Place::List,
            _ => return false,
        };
        let loaded = self.sheets.contains_key(&place);
        if loaded {
            self.show(place);
            self.active = field;
        }
        loaded
    }

    fn go(&mut self, motion: Motion) {
        match self.pane {
            BenchPane::Items => {
                let count = self.items().0.len();
                self.item = motion.from(self.item, PAGE, count);
            }
            _ => {
                // Moving means that the user picks by hand.
                self.repairing = false;
                if let Some(sheet) = self.sheet_mut() {
                    sheet.go(motion.from(sheet.selected(), PAGE, sheet.count()));
                }
            }
        }
    }
}

impl Editor {
    /// Applies the next suggestion; after the last one restores the previous values.
    fn next_offer(&mut self) -> Option<Vec<Effect>> {
        let bench = self.bench.as_ref()?;
        let count = bench.offers().len();
        let next = match bench.applied() {
            _ if count == 0 => return None,
            None => Some(0),
            Some(n) if n + 1 < count => Some(n + 1),
            Some(_) => None,
        };
        Some(self.apply_offer(next))
    }
}

impl App {
    /// A key press while the workbench is shown.
    pub(in super::super) fn bench_key(&mut self, event: KeyEvent, key: Key) -> Vec<Effect> {
        let motion = self.bench_motion(event, key);
        let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
        let Some(editor) = self.editor() else { return vec![] };
        let Some(bench) = editor.bench_mut() else { return vec![] };
        match (event.code, bench.pane) {
            (KeyCode::Char('s'), _) if ctrl => return self.save_entry(),
            (KeyCode::Tab, _) => bench.next_pane(true),
            (KeyCode::BackTab, _) => bench.next_pane(false),
            (_, BenchPane::Fields) => return self.bench_typing(event),
            (KeyCode::Esc, _) => return self.leave_bench(),
            (KeyCode::Enter, BenchPane::Items) if !bench.repairing => return self.go_to_article(),
            (KeyCode::Enter, _) if bench.repairing => return editor.apply_offer(Some(0)),
            (KeyCode::Enter, _) => return self.use_element(),
            (KeyCode::Char(digit @ '1'..='9'), _) => {
                let number = usize::try_from(u32::from(digit) - u32::from('1')).unwrap_or(0);
                if bench.activate(number) {
                    return editor.preview();
                }
            }
            (KeyCode::Char('i'), _) => bench.pane = BenchPane::Fields,
            (KeyCode::Char('v'), _) => {
                if let Some(sheet) = bench.sheet_mut() {
                    sheet.toggle_text();
                }
            }
            (KeyCode::Char('P'), _) => {
                return match editor.next_offer() {
                    Some(effects) => effects,
                    None => self.note("No selectors are suggested for this page"),
                };
            }
            (KeyCode::Char('t'), _) => return self.next_copy(),
            (KeyCode::Char('n'), _) if !ctrl => return self.fetch_next_page(),
            (KeyCode::Char('g'), _) => return self.go_to_article(),
            (KeyCode::Char('b'), _) if !ctrl => return self.back_to_list(),
            (KeyCode::Char(' '), BenchPane::Page) => {
                if let Some(sheet) = bench.sheet_mut() {
                    sheet.toggle();
                }
            }
            (KeyCode::Left | KeyCode::Char('h'), BenchPane::Page) => {
                if let Some(sheet) = bench.sheet_mut() {
                    sheet.fold_or_leave();
                }
            }
            (KeyCode::Right | KeyCode::Char('l'), BenchPane::Page) => {
                if let Some(sheet) = bench.sheet_mut() {
                    sheet.unfold_or_enter();
                }
            }
            _ => {
                if let Some(motion) = motion {
                    bench.go(motion);
                }
            }
        }
        vec![]
    }

    /// Arrow keys and the movement keys of lists.
    fn bench_motion(&self, event: KeyEvent, key: Key) -> Option<Motion> {
        match event.code {
            KeyCode::Down => Some(Motion::Lines(1)),
            KeyCode::Up => Some(Motion::Lines(-1)),
            _ => self.motion(key),
        }
    }

    /// A key press in the active field.
    fn bench_typing(&mut self, event: KeyEvent) -> Vec<Effect> {
        let Some(editor) = self.editor() else { return vec![] };
        let Some(bench) = editor.bench_mut() else { return vec![] };
        let last = bench.fields.len().saturating_sub(1);
        match event.code {
            KeyCode::Esc | KeyCode::Enter => bench.pane = BenchPane::Page,
            KeyCode::Down | KeyCode::Up => {
                let down = event.code == KeyCode::Down;
                let to = if down { bench.active + 1 } else { bench.active.saturating_sub(1) };
                if bench.activate(to.min(last)) {
                    return editor.preview();
                }
            }
            _ => {
                bench.repairing = false;
                if editor.field().is_some_and(|field| field.input(event)) {
                    return editor.typed();
                }
            }
        }
        vec![]
    }

    /// Enter on an element: creates a selector for the active field.
    fn use_element(&mut self) -> Vec<Effect> {
        let Some(bench) = self.editor().and_then(|editor| editor.bench_mut()) else {
            return vec![];
        };
        let Some(field) = bench.field() else { return vec![] };
        let of_page = if bench.is_article() { &Part::ARTICLE[..] } else { &Part::LIST[..] };
        let element = bench.sheet().and_then(super::SheetView::element);
        let (id, place) = (bench.id, bench.at);
        match (field.part, element) {
            (Some(part), Some(element)) if of_page.contains(&part) => {
                vec![Effect::Bench { bench: id, ask: BenchRequest::Pick { place, element, part } }]
            }
            (_, None) => vec![],
            (None, _) => self.note("The date format cannot be picked; press i to type it"),
            (Some(_), _) if bench.is_article() => {
                self.note("This is an article; press b to go back to the list")
            }
            (Some(_), _) => self.note("This is the list; press g to go to one of its articles"),
        }
    }

    fn go_to_article(&mut self) -> Vec<Effect> {
        let Some(bench) = self.editor().and_then(|editor| editor.bench_mut()) else {
            return vec![];
        };
        let item =
            bench.items().0.get(bench.item).map(|item| (item.url.clone(), item.title.clone()));
        let Some((url, title)) = item else {
            return self.note("No article found yet: pick a link first");
        };
        if bench.sheets.get(&Place::Article).is_some_and(|sheet| sheet.url == url) {
            bench.show(Place::Article);
            bench.pane = BenchPane::Page;
            return self.editor().map(Editor::preview).unwrap_or_default();
        }
        bench.pane = BenchPane::Page;
        bench.failed.remove(&Place::Article);
        bench.fetch(url, Place::Article, title)
    }

    fn fetch_next_page(&mut self) -> Vec<Effect> {
        let Some(bench) = self.editor().and_then(|editor| editor.bench_mut()) else {
            return vec![];
        };
        let next = bench.preview.list.as_ref().and_then(|page| page.next.clone());
        match next {
            Some(url) => bench.fetch(url, Place::Second, String::new()),
            None => self.note("No next page found: pick its link for field 2, next"),
        }
    }

    /// Shows the next older copy of the list; after the last one the current list.
    fn next_copy(&mut self) -> Vec<Effect> {
        let Some(editor) = self.editor() else { return vec![] };
        let Some(bench) = editor.bench_mut() else { return vec![] };
        if bench.copies.is_empty() {
            return self.note("No older copy of the list is stored yet");
        }
        let next = match bench.at {
            Place::Copy(n) if n + 1 < bench.copies.len() => Place::Copy(n + 1),
            Place::Copy(_) => Place::List,
            _ => Place::Copy(0),
        };
        match next {
            Place::Copy(n) if !bench.sheets.contains_key(&next) => {
                bench.waiting.insert(next);
                vec![Effect::Bench { bench: bench.id, ask: BenchRequest::Copy(n) }]
            }
            _ => {
                bench.show(next);
                editor.preview()
            }
        }
    }

    fn back_to_list(&mut self) -> Vec<Effect> {
        let Some(editor) = self.editor() else { return vec![] };
        let has_list = editor.form.as_ref().is_some_and(super::is_list);
        let Some(bench) = editor.bench_mut().filter(|bench| has_list && bench.at != Place::List)
        else {
            return vec![];
        };
        bench.show(Place::List);
        editor.preview()
    }

    /// Esc: from an article or a copy back to the list, from has_list to the form.
    fn leave_bench(&mut self) -> Vec<Effect> {
        let Some(editor) = self.editor() else { return vec![] };
        let of_list = editor.form.as_ref().is_some_and(super::is_list);
        let Some(bench) = editor.bench_mut() else { return vec![] };
        if of_list && bench.at != Place::List && bench.sheets.contains_key(&Place::List) {
            return self.back_to_list();
        }
        bench.shown = false;
        let field = bench.field().map(|field| field.index);
        editor.focus = field.unwrap_or(editor.focus);
        vec![]
    }

    /// A click selects, a second one on the same line picks; the wheel moves.
    pub(in super::super) fn bench_mouse(
        &mut self,
        kind: MouseEventKind,
        at: Position,
    ) -> Vec<Effect> {
        let size = self.size;
        let Some(editor) = self.editor() else { return vec![] };
        let place = editor.bench().and_then(|bench| view::workbench::at(bench, size, at));
        let Some((bench, place)) = editor.bench_mut().zip(place) else { return vec![] };
        let pane = match place {
            view::workbench::Spot::Line(_) => BenchPane::Page,
            view::workbench::Spot::Item(_) => BenchPane::Items,
            view::workbench::Spot::Field(_) => BenchPane::Fields,
        };
        let lines = match kind {
            MouseEventKind::ScrollDown => 3,
            MouseEventKind::ScrollUp => -3,
            MouseEventKind::Down(MouseButton::Left) => 0,
            _ => return vec![],
        };
        let again = std::mem::replace(&mut bench.pane, pane) == pane;
        if lines != 0 {
            if pane != BenchPane::Fields {
                bench.go(Motion::Lines(lines));
            }
            return vec![];
        }
        match place {
            view::workbench::Spot::Line(row) => {
                let same = bench.sheet().is_some_and(|sheet| sheet.selected() == row);
                if again && same {
                    return self.use_element();
                }
                if let Some(sheet) = bench.sheet_mut() {
                    sheet.go(row);
                }
            }
            view::workbench::Spot::Item(row) => {
                if again && bench.item == row {
                    return self.go_to_article();
                }
                bench.item = row;
            }
            view::workbench::Spot::Field(row) => {
                if bench.activate(row) {
                    return editor.preview();
                }
            }
        }
        vec![]
    }
}
