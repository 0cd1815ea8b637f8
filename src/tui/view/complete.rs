//! The completion list above a field, and messages about its text.

use super::super::app::{App, Completion};
use super::super::input::Field;
use super::row::Row;
use crate::config::Role;
use crate::util::text;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Clear;

/// Maximum number of visible candidates.
const MAX_ROWS: u16 = 8;
/// Maximum width of the list, in cells.
const MAX_WIDTH: u16 = 60;
const MIN_WIDTH: usize = 28;

/// The rows that the list can cover: above a line in the lower half of the screen, otherwise below the line.
fn free_rows(frame: &Frame<'_>, line: Rect, height: u16) -> Rect {
    let screen = frame.area();
    let (above, below) = (line.y, screen.bottom().saturating_sub(line.bottom() + 1));
    match above > below {
        true => {
            let height = height.min(above.saturating_sub(1));
            Rect { y: line.y - height, height, ..line }
        }
        false => Rect { y: line.bottom(), height: height.min(below), ..line },
    }
}

/// Number of rows below the search line that the list can cover without hiding the selected item.
pub(super) fn rows_above_selected(app: &App, line: Rect) -> Option<u16> {
    let first = app.items.shown.iter().position(|shown| *shown == Some(app.items.selected))?;
    let selected = app.areas.items?.y.saturating_add(u16::try_from(first).ok()?);
    selected.checked_sub(line.bottom())
}

/// Number of rows for the candidates, if there is space: at most `most` until the user selects a candidate.
pub(super) fn row_count(completion: &Completion, most: Option<u16>) -> u16 {
    let count = u16::try_from(completion.candidates.len()).unwrap_or(u16::MAX);
    let most = most.filter(|_| completion.applied.is_none()).unwrap_or(MAX_ROWS);
    count.min(MAX_ROWS).min(most)
}

/// Draws the candidates above or below a framed field, aligned with the text that they replace, which begins
/// at column `x`. Uses at most `most` rows until the user selects a candidate.
pub(super) fn candidates(
    app: &App,
    frame: &mut Frame<'_>,
    completion: &Completion,
    (line, x): (Rect, u16),
    most: Option<u16>,
) {
    let free = free_rows(frame, line, row_count(completion, most));
    let height = free.height;
    let widest = completion.candidates.iter().map(|o| text::width(&o.text)).max().unwrap_or(0);
    let help_width = completion.candidates.iter().map(|o| text::width(&o.help)).max().unwrap_or(0);
    // A narrower list would not stand out from the text below it.
    let width = u16::try_from((widest + help_width + 4).max(MIN_WIDTH)).unwrap_or(MAX_WIDTH);
    let screen = frame.area();
    let width = width.min(MAX_WIDTH).min(screen.width);
    // Candidates are indented by one cell, so that they are aligned with the typed text.
    let x = x.saturating_sub(1).clamp(screen.x, screen.right() - width);
    let area = Rect { x, width, ..free };
    frame.render_widget(Clear, area);
    let selected = completion.applied.unwrap_or(0);
    let first = (selected + 1).saturating_sub(usize::from(height));
    for (candidate, i) in completion.candidates.iter().skip(first).zip(0..height) {
        let here = completion.applied == Some(first + usize::from(i));
        let selected = if here { app.palette.style(Role::Selected) } else { Style::new() };
        // The style of the selected row is patched in, because not every theme has a text colour for this
        // surface.
        let role = |role| app.palette.style(role).patch(selected);
        let mut row = Row::new(width);
        let last = first + usize::from(i) + 1;
        if i + 1 == height && last < completion.candidates.len() {
            let more = completion.candidates.len() - last;
            row.right(format!(" {more} more "), role(Role::Dim));
        } else if i == 0 && first > 0 {
            row.right(format!(" {first} before "), role(Role::Dim));
        }
        let name =
            text::truncate(&candidate.text, usize::from(width).saturating_sub(2)).into_owned();
        row.left(&format!(" {name} "), role(Role::Text));
        let gap = widest.saturating_sub(text::width(&candidate.text)).min(row.free());
        row.left(&" ".repeat(gap), role(Role::Text));
        row.left(&candidate.help, role(Role::Dim));
        let at = Rect { y: area.y + i, height: 1, ..area };
        frame.render_widget(row.line(role(Role::Toast)), at);
    }
}

/// The longest hint about search operators that fits into the width.
pub(super) fn syntax(width: u16) -> &'static str {
    const SYNTAX: [&str; 5] = [
        "words, is:unread, source:, age<3d; Tab lists all",
        "words, is:unread, source:; Tab lists all",
        "words, is:unread; Tab lists all",
        "is:unread; Tab lists all",
        "Tab lists all",
    ];
    // One cell on each side stays blank.
    let fitting = SYNTAX.into_iter().find(|hint| text::width(hint) + 2 <= width.into());
    fitting.unwrap_or(SYNTAX[SYNTAX.len() - 1])
}

/// Draws a message about the text of a field: after the text if there is space, otherwise above or below the
/// line.
pub(super) fn message_line(
    app: &App,
    frame: &mut Frame<'_>,
    message: &str,
    role: Role,
    field: &Field,
    label: usize,
    line: Rect,
) {
    let typed = label + text::width(field.value()) + 3;
    let space = usize::from(line.width).saturating_sub(typed);
    let style = app.palette.style(role);
    let wide = text::width(message) + 1;
    if wide <= space {
        let width = u16::try_from(wide).unwrap_or(line.width);
        let at = Rect { x: line.right() - width, width, ..line };
        frame.render_widget(ratatui::text::Line::styled(message.to_owned(), style), at);
        return;
    }
    let lines =
        super::super::reader::wrap_plain(message, usize::from(line.width).saturating_sub(2));
    let free = free_rows(frame, line, u16::try_from(lines.len()).unwrap_or(1));
    for (message, i) in lines.into_iter().zip(0..free.height) {
        let at = Rect { y: free.y + i, height: 1, ..line };
        let mut row = Row::new(line.width);
        row.left(&format!(" {message}"), style);
        frame.render_widget(Clear, at);
        frame.render_widget(row.line(app.palette.style(Role::Toast)), at);
    }
}
