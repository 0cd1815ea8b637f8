//! The popup with the keys that can follow the first key of a sequence.

use super::super::app::{App, Hint};
use super::row::Row;
use crate::config::Role;
use crate::util::text;
use ratatui::Frame;
use ratatui::layout::Rect;

/// Number of blank cells at the left, and between two columns.
const MARGIN: usize = 3;
/// Maximum number of columns.
const MAX_COLUMNS: usize = 4;
/// Minimum width of a label, in cells.
const MIN_LABEL: usize = 8;

/// The widths of the columns, including margins, and the number of rows.
struct Layout {
    columns: Vec<usize>,
    rows: usize,
}

/// Draws the popup at the bottom of an area when its delay has passed. Returns the area above the popup.
pub(super) fn draw(app: &App, frame: &mut Frame<'_>, body: Rect) -> Rect {
    let Some((title, hints)) = app.key_sheet() else { return body };
    let keys = hints.iter().map(|hint| text::width(&hint.keys)).max().unwrap_or(0) + 2;
    let labels: Vec<usize> = hints.iter().map(|hint| text::width(&hint.label)).collect();
    let space = usize::from(body.width).saturating_sub(MARGIN);
    // The first row is for the edge and the title.
    let free = usize::from(body.height).saturating_sub(1);
    let layout = layout(&labels, (keys, space), free);
    let shown = layout.rows.min(free);
    // The keys have an empty row above and below them, if there is space.
    let above = usize::from(free > shown);
    let below = usize::from(free > shown + above);
    let height = u16::try_from(1 + above + shown + below).unwrap_or(u16::MAX).min(body.height);
    let area = Rect { y: body.bottom() - height, height, ..body };
    super::frame::clear(frame, area);
    frame.buffer_mut().set_style(area, app.palette.style(Role::Raised));
    // In each column, the last rows may not fit.
    let missing = (0..hints.len()).filter(|i| i % layout.rows >= shown).count();
    frame.render_widget(edge(app, &title, missing, area.width), Rect { height: 1, ..area });
    let top = area.y + 1 + u16::from(above > 0);
    for (y, i) in (top..area.bottom()).zip(0..shown) {
        let mut row = Row::new(area.width);
        row.left(&" ".repeat(MARGIN), app.palette.style(Role::Text));
        for (hint, width) in hints.iter().skip(i).step_by(layout.rows).zip(&layout.columns) {
            cell(app, &mut row, hint, (keys, *width));
        }
        let at = Rect { y, height: 1, ..area };
        frame.render_widget(row.line(app.palette.style(Role::Text)), at);
    }
    Rect { height: body.height - height, ..body }
}

/// Columns of equal width if all rows fit, otherwise columns as wide as their labels, otherwise narrow
/// columns with truncated labels.
fn layout(labels: &[usize], (keys, space): (usize, usize), height: usize) -> Layout {
    let equal = |columns: usize| {
        let columns = columns.max(1);
        Layout { columns: vec![space / columns; columns], rows: labels.len().div_ceil(columns) }
    };
    let widest = labels.iter().max().copied().unwrap_or(0);
    let usual = equal((space / (keys + widest + MARGIN)).min(MAX_COLUMNS));
    if usual.rows <= height {
        return usual;
    }
    let fitted = |columns: usize| {
        let rows = labels.len().div_ceil(columns);
        let width = |part: &[usize]| keys + part.iter().max().copied().unwrap_or(0) + MARGIN;
        Layout { columns: labels.chunks(rows).map(width).collect(), rows }
    };
    let fits = |layout: &Layout| {
        let used: usize = layout.columns.iter().sum();
        used <= space + MARGIN && layout.rows <= height
    };
    let narrow = || equal(space / (keys + MIN_LABEL + MARGIN));
    (2..=labels.len().max(2)).map(fitted).find(fits).unwrap_or_else(narrow)
}

/// The upper edge, with the title and the number of keys that do not fit.
fn edge(app: &App, title: &str, missing: usize, width: u16) -> ratatui::text::Line<'static> {
    let across = super::chrome::marks(app).across;
    let border = app.palette.style(Role::Edge);
    let mut row = Row::new(width);
    row.left(&across.repeat(2), border);
    if missing > 0 {
        row.right(format!(" {missing} more "), app.palette.style(Role::Dim));
    }
    row.left(&format!(" {title} "), app.palette.style(Role::Title));
    row.fill(across, border);
    row.line(border)
}

/// Draws a key and its label, padded to the widths of the keys and of the column.
fn cell(app: &App, row: &mut Row, hint: &Hint, (keys, width): (usize, usize)) {
    let pad = |used: usize, wide: usize| " ".repeat(wide.saturating_sub(used));
    row.left(&hint.keys, app.palette.style(Role::KeyHint));
    row.left(&pad(text::width(&hint.keys), keys), app.palette.style(Role::Text));
    let label = text::truncate(&hint.label, width.saturating_sub(keys + 1)).into_owned();
    row.left(&label, app.palette.style(Role::Text));
    row.left(&pad(keys + text::width(&label), width), app.palette.style(Role::Text));
}
