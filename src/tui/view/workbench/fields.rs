//! The selector fields and their matches.

use super::panes::day;
use super::{Parts, first_field};
use crate::config::Role;
use crate::engine::SelectorField;
use crate::tui::app::{App, Bench, BenchField, BenchPane, Editor};
use crate::tui::view::chrome::marks;
use crate::tui::view::row::Row;
use crate::util::text;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

/// Width of the name column, in cells.
const LABELS: usize = 13;

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
    let width = parts.fields.width / parts.columns;
    for (i, field) in bench.fields.iter().enumerate() {
        let (column, row) = (i / lines.max(1), i % lines.max(1));
        let Some(row) = row.checked_sub(first).and_then(|row| u16::try_from(row).ok()) else {
            continue;
        };
        if row >= parts.fields.height {
            continue;
        }
        let x = parts.fields.x + width * u16::try_from(column).unwrap_or(0);
        let area = Rect { x, y: parts.fields.y + row, width, height: 1 };
        draw_field(app, frame, editor, bench, (i, *field), area);
    }
}

/// The result of a field: number of matched elements, or an error marker.
fn field_result(bench: &Bench, field: BenchField, wrong: bool, empty: bool) -> (String, Role) {
    let article = bench.preview.article.as_ref();
    match (field.part, wrong) {
        (_, true) => ("!".to_owned(), Role::Error),
        (Some(SelectorField::Date), _) if !empty && article.is_some() => {
            let found = bench.found(SelectorField::Date).flatten().map_or(0, |found| found.count);
            match article.and_then(|page| page.article.published) {
                Some(date) => (format!("{found}  {}", day(date)), Role::Text),
                None if found > 0 => (format!("{found}  ! no date"), Role::Error),
                None => ("0".to_owned(), Role::Warning),
            }
        }
        (Some(part), _) => match bench.found(part) {
            Some(Some(found)) if found.count > 0 => (found.count.to_string(), Role::Text),
            Some(Some(_)) => ("0".to_owned(), Role::Warning),
            _ => (String::new(), Role::Dim),
        },
        (None, _) => (String::new(), Role::Dim),
    }
}

fn draw_field(
    app: &App,
    frame: &mut Frame<'_>,
    editor: &Editor,
    bench: &Bench,
    (number, field): (usize, BenchField),
    area: Rect,
) {
    let style = |role| app.palette.style(role);
    let Some((form, typed)) = editor.form.as_ref().zip(editor.typed.get(field.index)) else {
        return;
    };
    let field_info = &form.fields()[field.index];
    let active = number == bench.active;
    let typing = active && bench.pane == BenchPane::Fields;
    let mut row = Row::new(area.width);
    let (result, role) =
        field_result(bench, field, field_info.error.is_some(), typed.value().is_empty());
    row.right(if result.is_empty() { result } else { format!(" {result} ") }, style(role));
    let pointer = if active { marks(app).pointer } else { " " };
    row.left(pointer, style(Role::Accent));
    row.left(&format!("{} ", number + 1), style(Role::KeyHint));
    let label = style(if active { Role::Accent } else { Role::Dim });
    row.left(&format!("{:<LABELS$}", field.key), label);
    let space = row.free().saturating_sub(1).max(1);
    let used = 3 + LABELS;
    let (shown, cursor) = match typing {
        true => typed.visible(space),
        false => (text::truncate(typed.value(), space).into_owned(), 0),
    };
    if shown.is_empty() && !typing {
        row.left(field_info.unset(), style(Role::Dim));
    } else {
        row.left(&shown, style(if typing { Role::Input } else { Role::Text }));
    }
    frame.render_widget(row.line(style(Role::Text)), area);
    if typing {
        let x = area.x + u16::try_from(used + cursor).unwrap_or(0);
        frame.set_cursor_position(Position::new(x.min(area.right().saturating_sub(1)), area.y));
    }
}
