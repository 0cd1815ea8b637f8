//! The popup with the keys that can follow the first key of a sequence.

use super::super::app::{App, Hint};
use super::row::Row;
use crate::config::Role;
use crate::util::text;
use ratatui::Frame;
use ratatui::layout::Rect;

/// Number of empty cells at the left, and between two columns.
const MARGIN: usize = 3;
/// Maximum number of columns.
const MAX_COLUMNS: usize = 4;

/// Draws the popup at the bottom of an area, if it is due. Returns the area that it leaves free.
pub(super) fn draw(app: &App, frame: &mut Frame<'_>, body: Rect) -> Rect {
    let Some((title, hints)) = app.key_sheet() else { return body };
    let keys = hints.iter().map(|hint| text::width(&hint.keys)).max().unwrap_or(0) + 2;
    let labels = hints.iter().map(|hint| text::width(&hint.label)).max().unwrap_or(0);
    let space = usize::from(body.width).saturating_sub(MARGIN);
    let columns = (space / (keys + labels + MARGIN)).clamp(1, MAX_COLUMNS);
    let rows = hints.len().div_ceil(columns);
    // The edge with the title, and an empty row above and below the keys.
    let height = u16::try_from(rows + 3).unwrap_or(u16::MAX).min(body.height);
    let area = Rect { y: body.bottom() - height, height, ..body };
    super::frame::clear(frame, area);
    frame.buffer_mut().set_style(area, app.palette.style(Role::Raised));
    frame.render_widget(edge(app, &title, area.width), Rect { height: 1, ..area });
    let width = space / columns;
    for (y, i) in (area.y + 2..area.bottom()).zip(0..rows) {
        let mut row = Row::new(area.width);
        row.left(&" ".repeat(MARGIN), app.palette.style(Role::Text));
        for hint in hints.iter().skip(i).step_by(rows) {
            cell(app, &mut row, hint, (keys, width));
        }
        let at = Rect { y, height: 1, ..area };
        frame.render_widget(row.line(app.palette.style(Role::Text)), at);
    }
    Rect { height: body.height - height, ..body }
}

fn edge(app: &App, title: &str, width: u16) -> ratatui::text::Line<'static> {
    let across = super::chrome::marks(app).across;
    let border = app.palette.style(Role::Edge);
    let mut row = Row::new(width);
    row.left(&across.repeat(2), border);
    row.left(&format!(" {title} "), app.palette.style(Role::Title));
    row.fill(across, border);
    row.line(border)
}

/// One key and its label, padded to the widths of the keys and of the column.
fn cell(app: &App, row: &mut Row, hint: &Hint, (keys, width): (usize, usize)) {
    let pad = |used: usize, wide: usize| " ".repeat(wide.saturating_sub(used));
    row.left(&hint.keys, app.palette.style(Role::KeyHint));
    row.left(&pad(text::width(&hint.keys), keys), app.palette.style(Role::Text));
    let label = text::truncate(&hint.label, width.saturating_sub(keys + 1)).into_owned();
    row.left(&label, app.palette.style(Role::Text));
    row.left(&pad(keys + text::width(&label), width), app.palette.style(Role::Text));
}
