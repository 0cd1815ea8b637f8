//! Mouse input: clicks on rows, links and hints, the wheel, and dragging the borders between panes.

use super::keys::Motion;
use super::{App, Focus, RowId};
use crate::config::{Key, UiSettings};
use crate::tui::effect::Effect;
use crate::tui::input;
use crate::tui::reader::glyphs;
use crate::tui::view;
use crate::util::text;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

/// Number of lines per notch of the wheel.
const NOTCH: isize = 3;

/// The area of each pane at the last draw.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::tui) struct Areas {
    pub(in crate::tui) sources: Option<Rect>,
    pub(in crate::tui) items: Option<Rect>,
    pub(in crate::tui) reader: Option<Rect>,
    /// Whether the card below the sources is on the screen.
    pub(in crate::tui) card: bool,
}

/// The borders between panes, and the pane widths that the user has set with the mouse for this session.
#[derive(Debug, Default)]
pub(crate) struct Borders {
    /// The pane whose right border is being dragged.
    dragged: Option<Focus>,
    sources: Option<u16>,
    items: Option<u16>,
}

impl Borders {
    pub(crate) fn sources_width(&self, settings: &UiSettings) -> u16 {
        self.sources.unwrap_or(settings.sources_width)
    }

    pub(crate) fn items_width(&self, settings: &UiSettings) -> u16 {
        self.items.unwrap_or(settings.items_width)
    }

    /// Discards the dragged width of a pane if its setting changes.
    pub(super) fn settings_changed(&mut self, before: &UiSettings, after: &UiSettings) {
        self.sources.take_if(|_| before.sources_width != after.sources_width);
        self.items.take_if(|_| before.items_width != after.items_width);
    }
}

impl App {
    pub(super) fn mouse_used(&mut self, mouse: MouseEvent) -> Vec<Effect> {
        let at = Position::new(mouse.column, mouse.row);
        let is_click = mouse.kind == MouseEventKind::Down(MouseButton::Left);
        if let Some(keys) = self.hint_at(at).filter(|_| is_click) {
            return keys.into_iter().flat_map(|key| self.key_pressed(input::event(key))).collect();
        }
        if !self.dialogs.is_empty() {
            return self.with_top(|dialog, app| dialog.mouse(app, mouse.kind, at));
        }
        match mouse.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                self.borders.dragged = self.border_at(at);
                if self.borders.dragged.is_some() {
                    return vec![];
                }
            }
            MouseEventKind::Drag(MouseButton::Left) => return self.drag(mouse.column),
            MouseEventKind::Up(_) => self.borders.dragged = None,
            _ => {}
        }
        let Some((focus, area)) = self.pane_at(at) else { return vec![] };
        let row = usize::from(mouse.row - area.y);
        let column = usize::from(mouse.column - area.x);
        match mouse.kind {
            MouseEventKind::ScrollDown => self.wheel(focus, NOTCH),
            MouseEventKind::ScrollUp => self.wheel(focus, -NOTCH),
            MouseEventKind::ScrollRight if focus == Focus::Reader => self.wheel_sideways(true),
            MouseEventKind::ScrollLeft if focus == Focus::Reader => self.wheel_sideways(false),
            MouseEventKind::Down(MouseButton::Left) => self.click(focus, row, column),
            _ => vec![],
        }
    }

    /// The keys of the hint at a position.
    fn hint_at(&self, at: Position) -> Option<Vec<Key>> {
        let shown = self.shown_hints.borrow();
        // The last dialog is drawn over the others.
        let (_, keys) = shown.iter().rev().find(|(area, _)| area.contains(at))?;
        Some(keys.clone())
    }

    /// The pane whose right border is at a position.
    fn border_at(&self, at: Position) -> Option<Focus> {
        let panes = view::arrangement(self, self.size.0);
        let mut x = 0;
        for (pane, width) in panes.into_iter().rev().skip(1).rev() {
            // The width of the Sources pane includes the separator.
            x += if pane == Focus::Sources { width - 1 } else { width };
            if at.x == x && at.y + 1 < self.size.1 {
                return Some(pane);
            }
            x += 1;
        }
        None
    }

    /// Moves the dragged border to a column, for this session.
    fn drag(&mut self, column: u16) -> Vec<Effect> {
        let panes = view::arrangement(self, self.size.0);
        match self.borders.dragged {
            Some(Focus::Sources) => self.borders.sources = Some((column + 1).max(1)),
            Some(Focus::Items) => {
                let sources = panes.iter().find(|(pane, _)| *pane == Focus::Sources);
                let sources = sources.map_or(0, |(_, cells)| *cells);
                self.borders.items = Some(column.saturating_sub(sources).max(1));
            }
            Some(Focus::Reader) | None => {}
        }
        vec![]
    }

    fn pane_at(&self, at: Position) -> Option<(Focus, Rect)> {
        let panes = [
            (Focus::Sources, self.areas.sources),
            (Focus::Items, self.areas.items),
            (Focus::Reader, self.areas.reader),
        ];
        panes.into_iter().find_map(|(f, a)| Some((f, a.filter(|a| a.contains(at))?)))
    }

    fn wheel(&mut self, pane: Focus, lines: isize) -> Vec<Effect> {
        let before = std::mem::replace(&mut self.focus, pane);
        let effects = self.go(Motion::Lines(lines));
        // Opening a different list may have closed the article.
        let is_closed = before == Focus::Reader && self.reader.row().is_none();
        self.focus = if is_closed { Focus::Items } else { before };
        effects
    }

    fn wheel_sideways(&mut self, right: bool) -> Vec<Effect> {
        self.reader.scroll_sideways(right);
        vec![]
    }

    /// Handles a click: selects the row, or opens it if it is already selected.
    fn click(&mut self, pane: Focus, row: usize, column: usize) -> Vec<Effect> {
        let had_focus = std::mem::replace(&mut self.focus, pane) == pane;
        match pane {
            Focus::Sources => {
                let shown = self.sources.shown.get(row).copied().flatten();
                let Some(index) = shown.filter(|i| *i < self.sources.rows.len()) else {
                    return vec![];
                };
                if had_focus && index == self.sources.selected {
                    if matches!(self.sources.rows[index].id, RowId::Source(_)) {
                        return self.open();
                    }
                    self.sources.toggle_fold_row();
                }
                self.select_source(index)
            }
            Focus::Items if self.items.awaits_rows() => self.note(self.being_read()),
            Focus::Items => {
                let shown = self.items.shown.get(row).copied().flatten();
                let Some(index) = shown.filter(|i| *i < self.items.rows.len()) else {
                    return vec![];
                };
                if had_focus && index == self.items.selected {
                    return self.open_item();
                }
                self.select_item(index)
            }
            Focus::Reader => self.click_link(row, column),
        }
    }

    /// Handles a click in the article: opens a link, or jumps to a footnote.
    fn click_link(&mut self, row: usize, column: usize) -> Vec<Effect> {
        let Some(line) = self.reader.lines.lines.get(self.reader.top + row) else { return vec![] };
        let glyphs = glyphs(self.settings.ui.ascii);
        let shown = line.cells(self.reader.shift, self.reader.width(), glyphs);
        let mut end = 0;
        let hit = shown.iter().find(|cell| {
            end += text::width(cell.text);
            column < end
        });
        let target = hit.and_then(|cell| cell.span?.target);
        target.map(|t| self.go_to(t)).unwrap_or_default()
    }
}
