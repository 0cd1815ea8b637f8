//! The selector fields and their matches.

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

/// Width of the label column, in cells.
const LABELS: u16 = 17;
/// Widths of the number of matches with its mark, in cells: the usual one, and the one in narrow fields.
const RESULTS: u16 = 8;
const NARROW_RESULTS: u16 = 6;
/// Width below which a field is narrow, in cells.
const NARROW: u16 = 50;
/// Gap between the columns, in cells.
const BETWEEN: u16 = 3;

/// Draws the fields that fit, including the active one.
pub(super) fn fields(
    app: &App,
    frame: &mut Frame<'_>,
    editor: &Editor,
    bench: &Bench,
    parts: &Parts,
) {
    for (i, field) in bench.fields.iter().enumerate() {
        if let Some(area) = field_area(bench, parts, i) {
            draw_field(app, frame, editor, bench, (i, *field), (area, parts.step));
        }
    }
}

/// The row of a field, if the row is visible.
fn field_area(bench: &Bench, parts: &Parts, field: usize) -> Option<Rect> {
    let lines = bench.fields.len().div_ceil(parts.columns.into()).max(1);
    let (column, line) = (field / lines, field % lines);
    let line = u16::try_from(line.checked_sub(first_field(bench, parts))?).ok()?;
    let pad = u16::try_from(padding(parts.fields.width)).unwrap_or(0);
    let gaps = BETWEEN * (parts.columns - 1);
    let width = parts.fields.width.saturating_sub(2 * pad + gaps) / parts.columns;
    let x = parts.fields.x + pad + (width + BETWEEN) * u16::try_from(column).ok()?;
    let y = line * parts.step;
    (y < parts.fields.height).then_some(Rect { x, y: parts.fields.y + y, width, height: 1 })
}

/// The input area in the row of a field.
fn input(area: Rect) -> Rect {
    let labels = LABELS.min(area.width / 2);
    let results = if area.width < NARROW { NARROW_RESULTS } else { RESULTS };
    let width = area.width.saturating_sub(labels + results).max(1);
    Rect { x: area.x + labels, width, ..area }
}

/// The input area of a field, if the field is visible.
pub(super) fn input_area(bench: &Bench, parts: &Parts, field: usize) -> Option<Rect> {
    field_area(bench, parts, field).map(input)
}

/// The result of a field: the number of matching elements, and whether the result is good.
fn field_result(bench: &Bench, field: BenchField, wrong: bool, empty: bool) -> (String, Verdict) {
    let article = bench.preview.article.as_ref();
    let date = article.and_then(|page| page.article.published);
    let none = || ("–".to_owned(), Verdict::None);
    match (field.part, wrong) {
        (_, true) => (String::new(), Verdict::Bad),
        (Some(SelectorField::Date), _) if !empty && article.is_some() => {
            let found = bench.found(SelectorField::Date).flatten().map_or(0, |found| found.count);
            let good = found > 0 && date.is_some();
            (found.to_string(), if good { Verdict::Good } else { Verdict::Bad })
        }
        (Some(part), _) => match bench.found(part) {
            Some(Some(found)) if found.count > 0 => {
                // For these fields, matching elements must also contain links.
                let good = match part {
                    SelectorField::Articles => bench.items().1 > 0,
                    SelectorField::Next => {
                        bench.preview.list.as_ref().is_some_and(|list| list.next.is_some())
                    }
                    _ => true,
                };
                (found.count.to_string(), if good { Verdict::Good } else { Verdict::Bad })
            }
            Some(Some(_)) => ("0".to_owned(), Verdict::Bad),
            Some(None) => none(),
            None if bench.is_loading(part) => ("…".to_owned(), Verdict::None),
            None => none(),
        },
        // The date format matches no elements. Its result is good if a date was parsed.
        (None, _) if article.is_some_and(|page| page.date_text.is_some()) => {
            (String::new(), Verdict::Bad)
        }
        (None, _) if date.is_some() => (String::new(), Verdict::Good),
        (None, _) => none(),
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
    (area, step): (Rect, u16),
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
    let result = if app.settings.ui.ascii { result.replace('–', "-") } else { result };
    let square = field.part.map_or(Role::Dim, color);
    let mut label = Row::new(area.width);
    let pointer = if active && step == 1 { m.pointer } else { m.square };
    label.left(pointer, style(square));
    label.left(&format!(" {} ", number + 1), style(Role::KeyHint));
    label.left(&info.label, style(if active { Role::Title } else { Role::Soft }));
    let result = match area.width < NARROW {
        true => format!(" {result:>3} {sign}"),
        false => format!(" {result:>4}  {sign}"),
    };
    label.right(result, style(role));
    frame.render_widget(label.line(Style::new()), area);
    let inside = input(area);
    // Without a gap between them, fields with a background would look like one block.
    let surface = match (typing, active) {
        (true, _) => Some(Role::InputFocus),
        (_, true) => Some(Role::SelectedUnfocused),
        _ => Some(Role::Input).filter(|_| step > 1),
    };
    if let Some(surface) = surface {
        frame.buffer_mut().set_style(inside, style(surface));
    }
    let space = usize::from(inside.width).saturating_sub(2).max(1);
    let (shown, cursor) = match typing {
        true => typed.visible(space),
        false => (text::truncate(typed.value(), space).into_owned(), 0),
    };
    let mut row = Row::new(inside.width);
    let bar = match verdict {
        Verdict::Bad if typing => (m.bar, Role::Error),
        _ if typing => (m.bar, Role::Accent),
        _ if active => (m.faint_bar, Role::Edge),
        _ => (" ", Role::Text),
    };
    row.left(bar.0, style(bar.1));
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
