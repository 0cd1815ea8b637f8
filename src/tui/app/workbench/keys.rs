//! Handles keys and the mouse in the workbench.

use super::super::dialogs::KeyHint::{self, Rows};
use super::super::dialogs::{Dialog, KeyHints, Reply};
use super::super::keys::Motion;
use super::{App, Bench, BenchPane, Editor, SheetView};
use crate::config::Key;
use crate::engine::{SelectorField, WorkbenchPage};
use crate::tui::effect::{BenchRequest, Effect};
use crate::tui::view;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEventKind};
use ratatui::layout::Position;
use url::Url;

/// Number of lines per page key.
const PAGE: usize = 12;

impl Bench {
    fn change_sheet(&mut self, change: impl Fn(&mut SheetView)) {
        if let Some(sheet) = self.sheet_mut() {
            change(sheet);
        }
    }

    fn fetch_next_page(&mut self, app: &mut App) -> Vec<Effect> {
        if self.on_page {
            return app.note("Entries are read from one page only");
        }
        match self.preview.list.as_ref().and_then(|page| page.next.clone()) {
            Some(url) => self.fetch(url, WorkbenchPage::Second, String::new()),
            None => app.note("No next page found: pick the link to it for field 2 (next)"),
        }
    }

    /// Fetches a page, unless it is already being fetched.
    pub(super) fn fetch(&mut self, url: Url, place: WorkbenchPage, title: String) -> Vec<Effect> {
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

    /// Activates a field, and shows the page to which it applies if the page is loaded. Returns whether the
    /// page changed.
    fn activate(&mut self, field: usize) -> bool {
        let Some(field_info) = self.fields.get(field) else { return false };
        let of_article = field_info.part.is_some_and(|part| SelectorField::ARTICLE.contains(&part));
        let of_list = field_info.part.is_some_and(|part| SelectorField::LIST.contains(&part));
        self.active = field;
        if self.on_page {
            return false;
        }
        let place = match self.is_article() {
            false if of_article => WorkbenchPage::Article,
            true if of_list => WorkbenchPage::List,
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
                // Moving through the page ends a suggested repair, because the user is picking an element.
                self.repairing = false;
                if let Some(sheet) = self.sheet_mut() {
                    sheet.go(motion.from(sheet.selected(), PAGE, sheet.count()));
                }
            }
        }
    }
}

impl Bench {
    pub(in super::super) fn hints(&self) -> KeyHints {
        match self.pane {
            BenchPane::Fields => &[
                KeyHint::Key("type", "to edit"),
                KeyHint::Key("Up Down", "fields"),
                KeyHint::Key("Tab", "next pane"),
                KeyHint::Key("C-s", "save"),
                KeyHint::Key("Esc", "back"),
            ],
            _ if self.repair().is_some() => &[
                KeyHint::Key("Enter", "apply the repair"),
                KeyHint::Key("t", "older copies"),
                Rows("pick an element"),
                KeyHint::Key("Esc", "back"),
            ],
            BenchPane::Items => &[
                KeyHint::Key("Enter", "open the article"),
                KeyHint::Key("n", "next page of the list"),
                KeyHint::Key("Tab", "next pane"),
                KeyHint::Key("C-s", "save"),
                KeyHint::Key("Esc", "back"),
            ],
            BenchPane::Page => &[
                KeyHint::Key("Enter", "use element"),
                KeyHint::Key("Esc", "back"),
                KeyHint::Key("C-s", "save"),
                KeyHint::Key("1-7", "choose field"),
                KeyHint::Key("g", "open article"),
                KeyHint::Key("P", "suggest selectors"),
                KeyHint::Key("u", "undo"),
                KeyHint::Key("Tab", "next pane"),
                KeyHint::Key("i", "type a selector"),
                KeyHint::Key("v", "show text or outline"),
                KeyHint::Key("t", "older copies"),
                KeyHint::Key("n", "next page of the list"),
            ],
        }
    }

    /// The selected article.
    fn selected_item(&self) -> Option<(Url, String)> {
        self.items().0.get(self.item).map(|item| (item.url.clone(), item.title.clone()))
    }
}

impl Editor {
    /// Applies the next suggestion; after the last one, restores the previous values.
    fn next_offer(&mut self, app: &mut App) -> Vec<Effect> {
        let Some(bench) = &self.bench else { return vec![] };
        let count = bench.offers().len();
        let next = match bench.applied() {
            _ if count == 0 => return app.note("No selectors are suggested for this page"),
            None => Some(0),
            Some(n) if n + 1 < count => Some(n + 1),
            Some(_) => None,
        };
        self.apply_offer(next)
    }

    /// Handles a key press while the workbench is shown.
    pub(in super::super) fn bench_key(
        &mut self,
        app: &mut App,
        event: KeyEvent,
        key: Key,
    ) -> Reply {
        let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
        let Some(bench) = self.bench_mut() else { return Reply::default() };
        match (event.code, bench.pane) {
            (KeyCode::Char('s'), _) if ctrl => return self.save(app),
            (KeyCode::Tab, _) => bench.next_pane(true),
            (KeyCode::BackTab, _) => bench.next_pane(false),
            (_, BenchPane::Fields) => return self.bench_typing(app, event),
            (KeyCode::Esc, _) => return self.leave_bench(app),
            (KeyCode::Enter, BenchPane::Items) if !bench.repairing => {
                return self.go_to_article(app).into();
            }
            (KeyCode::Enter, _) if bench.repairing => return self.apply_offer(Some(0)).into(),
            (KeyCode::Enter, _) => return self.use_element(app).into(),
            (KeyCode::Char(digit @ '1'..='9'), _) => {
                let number = usize::try_from(u32::from(digit) - u32::from('1')).unwrap_or(0);
                if bench.activate(number) {
                    return self.preview().into();
                }
            }
            (KeyCode::Char('i'), _) => bench.pane = BenchPane::Fields,
            (KeyCode::Char('v'), _) => bench.change_sheet(SheetView::toggle_text),
            (KeyCode::Char('P'), _) => return self.next_offer(app).into(),
            (KeyCode::Char('u'), _) if !ctrl => return self.undo_pick(app).into(),
            (KeyCode::Char('t'), _) => return self.next_copy(app).into(),
            (KeyCode::Char('n'), _) if !ctrl => return bench.fetch_next_page(app).into(),
            (KeyCode::Char('g'), _) => return self.go_to_article(app).into(),
            (KeyCode::Char('b'), _) if !ctrl => return self.back_to_list().into(),
            (KeyCode::Char(' '), BenchPane::Page) => bench.change_sheet(SheetView::toggle),
            (KeyCode::Left | KeyCode::Char('h'), BenchPane::Page) => {
                bench.change_sheet(SheetView::fold_or_leave);
            }
            (KeyCode::Right | KeyCode::Char('l'), BenchPane::Page) => {
                bench.change_sheet(SheetView::unfold_or_enter);
            }
            (code, _) => {
                // Handles arrow keys, and the movement keys of lists.
                let motion = match code {
                    KeyCode::Down => Some(Motion::Lines(1)),
                    KeyCode::Up => Some(Motion::Lines(-1)),
                    _ => app.motion(key),
                };
                if let Some(motion) = motion {
                    bench.go(motion);
                }
            }
        }
        Reply::default()
    }

    /// Handles a key press in the active field.
    fn bench_typing(&mut self, app: &mut App, event: KeyEvent) -> Reply {
        let Some(bench) = self.bench_mut() else { return Reply::default() };
        let last = bench.fields.len().saturating_sub(1);
        match event.code {
            KeyCode::Esc | KeyCode::Enter => bench.pane = BenchPane::Page,
            KeyCode::Down | KeyCode::Up => {
                let down = event.code == KeyCode::Down;
                let to = if down { bench.active + 1 } else { bench.active.saturating_sub(1) };
                if bench.activate(to.min(last)) {
                    return self.preview().into();
                }
            }
            _ => {
                bench.repairing = false;
                return self.type_key(app, event);
            }
        }
        Reply::default()
    }

    /// Handles Enter on an element: creates a selector for the active field.
    fn use_element(&self, app: &mut App) -> Vec<Effect> {
        let Some(bench) = self.bench() else { return vec![] };
        let Some(field) = bench.field() else { return vec![] };
        let of_page = bench.parts();
        let element = bench.sheet().and_then(SheetView::element);
        let place = bench.at;
        match (field.part, element) {
            (Some(part), Some(element)) if of_page.contains(&part) => {
                let ask = BenchRequest::Pick { place, element, part };
                vec![Effect::Bench { bench: bench.id, ask }]
            }
            (_, None) => vec![],
            (None, _) => app.note("The date format cannot be picked; press i to type it"),
            (Some(_), _) if bench.is_article() => {
                app.note("This is an article; press b to go back to the list")
            }
            (Some(SelectorField::Date), _) => app.note(
                "Dates in rows are found without a selector; press g to pick the date of an article",
            ),
            (Some(_), _) => app.note("This is the list; press g to go to one of its articles"),
        }
    }

    /// Restores the selector that the last picked element has replaced.
    fn undo_pick(&mut self, app: &mut App) -> Vec<Effect> {
        let Some((index, value)) = self.bench_mut().and_then(|bench| bench.picked.pop()) else {
            return app.note("Nothing to undo: no element was picked");
        };
        self.set_field(index, &value);
        let label = self.form.as_ref().map_or("", |form| form.fields()[index].label.as_str());
        app.note(format!("Undone: {label}"));
        self.preview()
    }

    fn go_to_article(&mut self, app: &mut App) -> Vec<Effect> {
        let Some(bench) = self.bench_mut() else { return vec![] };
        if bench.on_page {
            return app.note("The entries are on this page: choose a field, then an element here");
        }
        let Some((url, title)) = bench.selected_item() else {
            return app.note("No article found yet: pick a link first");
        };
        bench.pane = BenchPane::Page;
        if bench.sheets.get(&WorkbenchPage::Article).is_some_and(|sheet| sheet.url == url) {
            bench.show(WorkbenchPage::Article);
            return self.preview();
        }
        bench.failed.remove(&WorkbenchPage::Article);
        bench.fetch(url, WorkbenchPage::Article, title)
    }

    /// Shows the next older copy of the list; after the last one, the current list.
    fn next_copy(&mut self, app: &mut App) -> Vec<Effect> {
        let Some(bench) = self.bench_mut() else { return vec![] };
        if bench.copies.is_empty() {
            return app.note("No older copy of the list is stored yet");
        }
        let next = match bench.at {
            WorkbenchPage::Copy(n) if n + 1 < bench.copies.len() => WorkbenchPage::Copy(n + 1),
            WorkbenchPage::Copy(_) => WorkbenchPage::List,
            _ => WorkbenchPage::Copy(0),
        };
        match next {
            WorkbenchPage::Copy(n) if !bench.sheets.contains_key(&next) => {
                bench.waiting.insert(next);
                vec![Effect::Bench { bench: bench.id, ask: BenchRequest::Copy(n) }]
            }
            _ => {
                bench.show(next);
                self.preview()
            }
        }
    }

    fn back_to_list(&mut self) -> Vec<Effect> {
        let has_list = self.form.as_ref().is_some_and(super::is_list);
        let bench = self.bench_mut().filter(|bench| has_list && bench.at != WorkbenchPage::List);
        let Some(bench) = bench else { return vec![] };
        bench.show(WorkbenchPage::List);
        self.preview()
    }

    /// Handles Esc: returns from an article or a copy to the list, and from the list to the form.
    fn leave_bench(&mut self, app: &mut App) -> Reply {
        let has_list = self.form.as_ref().is_some_and(super::is_list);
        let Some(bench) = self.bench_mut() else { return Reply::default() };
        if has_list
            && bench.at != WorkbenchPage::List
            && bench.sheets.contains_key(&WorkbenchPage::List)
        {
            return self.back_to_list().into();
        }
        if self.only_bench {
            return self.leave(app);
        }
        let Some(bench) = self.bench_mut() else { return Reply::default() };
        bench.shown = false;
        let field = bench.field().map(|field| field.index);
        self.focus = field.unwrap_or(self.focus);
        Reply::default()
    }

    /// Handles the mouse: a click selects a line, a second click on the same line picks its element, the
    /// wheel moves the selection.
    pub(in super::super) fn bench_mouse(
        &mut self,
        app: &mut App,
        kind: MouseEventKind,
        at: Position,
    ) -> Vec<Effect> {
        let place = self.bench().and_then(|bench| view::workbench::at(bench, app.size, at));
        let Some((bench, place)) = self.bench_mut().zip(place) else { return vec![] };
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
                    return self.use_element(app);
                }
                if let Some(sheet) = bench.sheet_mut() {
                    sheet.go(row);
                }
            }
            view::workbench::Spot::Item(row) => {
                if again && bench.item == row {
                    return self.go_to_article(app);
                }
                bench.item = row;
            }
            view::workbench::Spot::Field(row) => {
                if bench.activate(row) {
                    return self.preview();
                }
            }
        }
        vec![]
    }
}
