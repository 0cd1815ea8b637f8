//! Drawing: state of the interface -> screen. Anything that an event handler could compute before
//! is computed there.

pub(super) mod add;
mod chrome;
mod complete;
pub(super) mod dialogs;
pub(super) mod editor;
pub(super) mod history;
mod items;
pub(super) mod lists;
mod reader;
mod row;
mod sources;
pub(super) mod why;
pub(super) mod workbench;

use super::app::{App, Focus, SearchBar};
use crate::config::Role;
pub(super) use dialogs::DialogArea;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};

/// Smallest screen that is drawn.
const MIN_SIZE: (u16, u16) = (20, 6);
/// Widths from which two and three panes are shown.
const TWO_PANES: u16 = 60;
const THREE_PANES: u16 = 100;

pub(super) fn draw(app: &mut App, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.width < MIN_SIZE.0 || area.height < MIN_SIZE.1 {
        let note =
            crate::util::text::truncate("newsfed needs 20x6", area.width.into()).into_owned();
        frame.render_widget(
            ratatui::text::Line::raw(note),
            Rect { height: area.height.min(1), ..area },
        );
        return;
    }
    let [top, body, bottom] =
        Layout::vertical([Constraint::Length(1), Constraint::Min(3), Constraint::Length(1)])
            .areas(area);
    let ground = app.palette.style(Role::Ground);
    frame.buffer_mut().set_style(area, ground);
    chrome::top(app, frame, top);
    panes(app, frame, body);
    chrome::bottom(app, frame, bottom);
    dialogs::draw(app, frame, body, bottom);
    chrome::long_problem(app, frame, body);
    part_flags(frame.buffer_mut());
}

/// Some terminals draw a flag for its two letters, others two letters of one cell each. The cell
/// after a flag gets a no-break space, so that the next frame draws over it even if the new content
/// is a space.
fn part_flags(buffer: &mut Buffer) {
    let is_flag = |symbol: &str| {
        symbol.len() == 8 && symbol.chars().all(|c| ('\u{1f1e6}'..='\u{1f1ff}').contains(&c))
    };
    for i in 1..buffer.content.len() {
        if is_flag(buffer.content[i - 1].symbol()) {
            buffer.content[i].set_symbol("\u{a0}");
        }
    }
}

/// The panes shown at this width, with their widths.
pub(super) fn arrangement(app: &App, width: u16) -> Vec<(Focus, u16)> {
    if app.zen {
        return vec![(Focus::Reader, width)];
    }
    let reading = app.reader.article.is_some();
    if width < TWO_PANES {
        return vec![(app.focus, width)];
    }
    let ui = &app.settings.ui;
    let or_default = |cells: u16, limit: u16, default: u16| match cells {
        0 => default,
        cells => cells.clamp(12, limit),
    };
    let sources = or_default(ui.sources_width, width / 2, (width / 4).clamp(20, 36));
    if width < THREE_PANES {
        return match app.focus {
            Focus::Reader => {
                let items = or_default(ui.items_width, width * 2 / 3, width * 2 / 5);
                vec![(Focus::Items, items), (Focus::Reader, width - items - 1)]
            }
            _ => vec![(Focus::Sources, sources), (Focus::Items, width - sources - 1)],
        };
    }
    if !reading && app.focus != Focus::Reader {
        return vec![(Focus::Sources, sources), (Focus::Items, width - sources - 1)];
    }
    let rest = width - sources - 2;
    let items = or_default(ui.items_width, rest * 2 / 3, (rest * 9 / 20).min(90));
    vec![(Focus::Sources, sources), (Focus::Items, items), (Focus::Reader, rest - items)]
}

fn panes(app: &mut App, frame: &mut Frame<'_>, area: Rect) {
    app.areas = super::app::Areas::default();
    let panes = arrangement(app, area.width);
    let mut x = area.x;
    for (i, &(pane, width)) in panes.iter().enumerate() {
        let title = Rect { x, y: area.y, width, height: 1 };
        let body = Rect { x, y: area.y + 1, width, height: area.height - 2 };
        let foot = Rect { x, y: area.bottom() - 1, width, height: 1 };
        chrome::title(app, frame, pane, title);
        match pane {
            Focus::Sources => sources::draw(app, frame, body),
            Focus::Items => items::draw(app, frame, body),
            Focus::Reader => reader::draw(app, frame, body),
        }
        chrome::foot(app, frame, pane, foot);
        x += width;
        if i + 1 < panes.len() {
            chrome::divider(app, frame, Rect { x, y: area.y, width: 1, height: area.height });
            x += 1;
        }
    }
}

/// The style of a row.
fn row_style(app: &App, selected: bool, focused: bool) -> ratatui::style::Style {
    app.palette.style(match (selected, focused) {
        (true, true) => Role::Selected,
        (true, false) => Role::SelectedUnfocused,
        _ => Role::Text,
    })
}

/// Whether a pane receives keys.
fn has_focus(app: &App, pane: Focus) -> bool {
    app.focus == pane && app.dialogs.len() == usize::from(app.dialog::<SearchBar>().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clears_both_cells_of_a_flag() {
        let area = Rect::new(0, 0, 4, 1);
        let (mut before, after) = (Buffer::empty(area), Buffer::empty(area));
        before.set_string(0, 0, "a🇨🇭b", ratatui::style::Style::new());
        part_flags(&mut before);
        let cleared: Vec<u16> = before.diff(&after).into_iter().map(|(x, ..)| x).collect();
        assert_eq!(cleared, [0, 1, 2, 3]);
    }
}
