//! Clicks, double clicks and the wheel.

use super::keys::Motion;
use super::{App, Focus};
use crate::tui::effect::Effect;
use crate::tui::reader::{cut, glyphs};
use crate::util::text;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

/// Lines that one wheel notch moves.
const NOTCH: isize = 3;

impl App {
    pub(super) fn mouse_used(&mut self, mouse: MouseEvent) -> Vec<Effect> {
        let at = Position::new(mouse.column, mouse.row);
        if !self.dialogs.is_empty() {
            return self.with_top(|dialog, app| dialog.mouse(app, mouse.kind, at));
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
        self.focus = before;
        effects
    }

    fn wheel_sideways(&mut self, right: bool) -> Vec<Effect> {
        self.reader.scroll_sideways(right);
        vec![]
    }

    /// A click selects; a second one on the same row opens.
    fn click(&mut self, pane: Focus, row: usize, column: usize) -> Vec<Effect> {
        let had_focus = std::mem::replace(&mut self.focus, pane) == pane;
        match pane {
            Focus::Sources => {
                let index = self.sources.scroll + row;
                if index >= self.sources.rows.len() {
                    return vec![];
                }
                if had_focus && index == self.sources.selected {
                    self.sources.toggle_fold_row();
                }
                self.select_source(index)
            }
            Focus::Items => {
                let index = self.items.scroll + row;
                if index >= self.items.rows.len() {
                    return vec![];
                }
                if had_focus && index == self.items.selected {
                    return self.open_item();
                }
                self.select_item(index)
            }
            Focus::Reader => self.click_link(row, column),
        }
    }

    /// A click on a link opens it; on a footnote mark it jumps.
    fn click_link(&mut self, row: usize, column: usize) -> Vec<Effect> {
        let Some(line) = self.reader.lines.lines.get(self.reader.top + row) else { return vec![] };
        let width = self.reader.width().saturating_sub(line.indent());
        let shown = cut(line, self.reader.shift, width, glyphs(self.settings.ui.ascii));
        let margin = line.margin.iter().map(|s| (text::width(&s.text), s.target));
        let content = shown.iter().map(|cell| {
            let span = cell.span.and_then(|i| line.spans.get(i));
            (text::width(cell.text), span.and_then(|s| s.target))
        });
        let mut end = 0;
        let hit = margin.chain(content).find(|(cells, _)| {
            end += cells;
            column < end
        });
        hit.and_then(|(_, target)| target).map(|t| self.go_to(t)).unwrap_or_default()
    }
}
