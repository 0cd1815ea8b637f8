//! The selector fields and their matches.

use super::panes::day;
use super::{Parts, color, first_field};
use crate::config::Role;
use crate::engine::SelectorField;
use crate::tui::app::{App, Bench, BenchField, BenchPane, Editor};
use crate::tui::view::chrome::marks;
use crate::tui::view::row::{Row, padding};
use crate::util::text;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

/// Width of the name column, in cells.
const LABELS: u16 = 17;

/// Draws the fields that fit, including the active one.
pub(super) fn fields(
    app: &App,
    frame: &mut Frame<'_>,
    editor: &Editor,
    bench: &Bench,
    parts: &Parts,
) {
    let lines = bench.fields.len().div_ceil(parts.columns.into());
    let first = first_field(bench, parts);
    let pad = u16::try_from(padding(parts.fields.width)).unwrap_or(0);
    let width = (parts.fields.width - 2 * pad) / parts.columns;
    for (i, field) in bench.fields.iter().enumerate() {
        let (column, row) = (i / lines.max(1), i % lines.max(1));
        let Some(row) = row.checked_sub(first).and_then(|row| u16::try_from(row).ok()) else {
            continue;
        };
        if row >= parts.fields.height {
            continue;
        }
        let x = parts.fields.x + pad + width * u16::try_from(column).unwrap_or(0);
        let gap = if parts.columns > 1 { 3 } else { 0 };
        let area = Rect { x, y: parts.fields.y + row, width: width - gap, height: 1 };
        draw_field(app, frame, editor, bench, (i, *field), area);
    }
}

/// The result of a field: the number of matched elements, and whether that is good.
fn field_result(bench: &Bench, field: BenchField, wrong: bool, empty: bool) -> (String, Verdict) {
    let article = bench.preview.article.as_ref();
    match (field.part, wrong) {
        (_, true) => (String::new(), Verdict::Bad),
        (Some(SelectorField::Date), _) if !empty && article.is_some() => {
            let found = bench.found(SelectorField::Date).flatten().map_or(0, |found| found.count);
            match article.and_then(|page| page.article.published) {
                Some(date) => (format!("{found}  {}", day(date)), Verdict::Good),
                None if found > 0 => (format!("{found}  no date"), Verdict::Bad),
                None => ("0".to_owned(), Verdict::Bad),
            }
        }
        (Some(part), _) => match bench.found(part) {
            Some(Some(found)) if found.count > 0 => (found.count.to_string(), Verdict::Good),
            Some(Some(_)) => ("0".to_owned(), Verdict::Bad),
            _ => (String::new(), Verdict::None),
        },
        (None, _) => (String::new(), Verdict::None),
    }
}

/// Whether the result of a field is good.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Good,
    Bad,
    /// There is no result to judge.
    None,
}

fn draw_field(
    app: &App,
    frame: &mut Frame<'_>,
    editor: &Editor,
    bench: &Bench,
    (number, field): (usize, BenchField),
    area: Rect,
) {
    let (m, style) = (marks(app), |role| app.palette.style(role));
    let Some((form, typed)) = editor.form.as_ref().zip(editor.typed.get(field.index)) else {
        return;
    };
    let info = &form.fields()[field.index];
    let active = number == bench.active;
    let typing = active && bench.pane == BenchPane::Fields;
    let (result, verdict) =
        field_result(bench, field, info.error.is_some(), typed.value().is_empty());
    let (sign, role) = match verdict {
        Verdict::Good => (m.selected, Role::Ok),
        Verdict::Bad => (m.gone, Role::Error),
        Verdict::None => (" ", Role::Dim),
    };
    let square = field.part.map_or(Role::Dim, color);
    let mut label = Row::new(area.width);
    let pointer = if active { m.pointer } else { m.square };
    label.left(pointer, style(if active { Role::Accent } else { square }));
    label.left(&format!(" {} ", number + 1), style(Role::KeyHint));
    label.left(&info.label, style(if active { Role::Title } else { Role::Soft }));
    label.right(format!(" {sign}"), style(role));
    label.right(format!(" {result}"), style(role));
    frame.render_widget(label.line(Style::new()), area);
    let labels = LABELS.min(area.width / 2);
    let results = u16::try_from(text::width(&result).max(3) + 3).unwrap_or(0);
    let inside = Rect {
        x: area.x + labels,
        width: area.width.saturating_sub(labels + results).max(1),
        ..area
    };
    frame
        .buffer_mut()
        .set_style(inside, style(if typing { Role::InputFocus } else { Role::Input }));
    let space = usize::from(inside.width).saturating_sub(2).max(1);
    let (shown, cursor) = match typing {
        true => typed.visible(space),
        false => (text::truncate(typed.value(), space).into_owned(), 0),
    };
    let mut row = Row::new(inside.width);
    row.left(" ", Style::new());
    if shown.is_empty() && !typing {
        row.left(info.unset(), style(Role::Dim));
    } else {
        row.left(&shown, Style::new());
    }
    frame.render_widget(row.line(Style::new()), inside);
    if typing {
        let x = inside.x + 1 + u16::try_from(cursor).unwrap_or(0);
        frame.set_cursor_position(Position::new(x.min(area.right().saturating_sub(1)), area.y));
    }
}
