//! The list of completions above a field, and what is wrong with what stands in it.

use super::super::app::{App, Completion};
use super::super::input::Field;
use super::row::Row;
use crate::config::Role;
use crate::util::text;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::widgets::Clear;

/// Most completions shown at once.
const MOST_ROWS: u16 = 8;
/// Widest list, in cells.
const WIDEST: u16 = 60;

/// Draws the offers right above a line, one each.
pub(super) fn offers(app: &App, frame: &mut Frame<'_>, completion: &Completion, line: Rect) {
    let count = u16::try_from(completion.offers.len()).unwrap_or(u16::MAX);
    let height = count.min(MOST_ROWS).min(line.y.saturating_sub(1));
    let widest = completion.offers.iter().map(|o| text::width(&o.text)).max().unwrap_or(0);
    let whole = completion.offers.iter().map(|o| text::width(&o.help)).max().unwrap_or(0);
    let width = u16::try_from(widest + whole + 4).unwrap_or(WIDEST).min(WIDEST).min(line.width);
    let area = Rect { x: line.x, y: line.y - height, width, height };
    frame.render_widget(Clear, area);
    let selected = completion.taken.unwrap_or(0);
    let first = (selected + 1).saturating_sub(usize::from(height));
    for (offer, i) in completion.offers.iter().skip(first).zip(0..height) {
        let here = completion.taken == Some(first + usize::from(i));
        let role = |role| app.palette.style(if here { Role::Selected } else { role });
        let mut row = Row::new(width);
        let name = text::truncate(&offer.text, usize::from(width).saturating_sub(2)).into_owned();
        let gap = " ".repeat(widest.saturating_sub(text::width(&offer.text)));
        row.left(&format!(" {name}{gap} "), role(Role::Text));
        row.left(&offer.help, role(Role::Dim));
        let at = Rect { y: area.y + i, height: 1, ..area };
        frame.render_widget(row.line(role(Role::Toast)), at);
    }
}

/// Draws a remark to what is typed: behind it where there is room, else in the line above.
pub(super) fn remark(
    app: &App,
    frame: &mut Frame<'_>,
    words: &str,
    role: Role,
    field: &Field,
    label: usize,
    line: Rect,
) {
    let typed = label + text::width(field.value()) + 3;
    let room = usize::from(line.width).saturating_sub(typed);
    let style = app.palette.style(role);
    let wide = text::width(words) + 1;
    if wide <= room {
        let width = u16::try_from(wide).unwrap_or(line.width);
        let at = Rect { x: line.right() - width, width, ..line };
        frame.render_widget(ratatui::text::Line::styled(words.to_owned(), style), at);
        return;
    }
    let lines = super::super::reader::wrap_plain(words, usize::from(line.width).saturating_sub(2));
    let height = u16::try_from(lines.len()).unwrap_or(1).min(line.y.saturating_sub(1));
    for (words, i) in lines.into_iter().zip(0..height) {
        let at = Rect { y: line.y - height + i, height: 1, ..line };
        let mut row = Row::new(line.width);
        row.left(&format!(" {words}"), style);
        frame.render_widget(Clear, at);
        frame.render_widget(row.line(app.palette.style(Role::Text)), at);
    }
}
