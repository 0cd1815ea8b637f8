//! Layout of the selector workbench: the page, the matches of the selectors, and their fields.

mod fields;
mod message;
mod panes;

use super::super::app::{App, Bench, BenchPane, Editor};
use super::chrome::marks;
use super::first_row;
use super::row::{Row, fill, padding};
use crate::config::Role;
use crate::engine::SelectorField;
use crate::util::text::{self, counted};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::widgets::Clear;

/// Minimum width for showing the page and the matches side by side.
const SIDE_BY_SIDE: u16 = 66;
/// Minimum width for two columns of fields.
const TWO_COLUMNS: u16 = 110;
/// Minimum width for showing the stored copy of a broken list next to the page.
const THREE_SIDES: u16 = 140;
/// Minimum height for rules below the titles.
const RULED: u16 = 20;
/// Minimum height for empty rows above and below the titles.
const AIRY: u16 = 35;
/// Minimum number of rows for the page and the articles at which the fields are spaced out.
const SPACED: u16 = 12;

/// The colour for a selector, its matches and its values.
fn color(part: SelectorField) -> Role {
    match part {
        SelectorField::Articles => Role::Source1,
        SelectorField::Title => Role::Source2,
        SelectorField::Date => Role::Source3,
        SelectorField::Content => Role::Source5,
        SelectorField::Author => Role::Source6,
        SelectorField::Next => Role::Source7,
    }
}

/// A clickable part: a line of the page, an article, or a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui) enum Spot {
    Line(usize),
    Item(usize),
    Field(usize),
}

/// The areas of the workbench.
struct Parts {
    header: Rect,
    /// The area above the fields, with the page, the articles and everything next to them.
    middle: Rect,
    /// The page, including its title.
    page: Option<Rect>,
    /// The stored copy of the page.
    copy: Option<Rect>,
    /// The list of articles, including its title.
    items: Option<Rect>,
    /// The fetched article, including its title.
    article: Option<Rect>,
    /// Number of rows for a title and its rule.
    title: u16,
    /// The title of the fields.
    rule: Rect,
    fields: Rect,
    columns: u16,
    /// Number of rows per field; the second row is for a message about the field.
    step: u16,
    message: Rect,
}

fn parts(bench: &Bench, size: (u16, u16)) -> Parts {
    let body = super::body_of(size);
    let columns = if body.width >= TWO_COLUMNS { 2 } else { 1 };
    let title = if body.height >= RULED { 2 } else { 1 };
    // Number of empty rows between the parts on a tall screen.
    let air = u16::from(body.height >= AIRY);
    let count = u16::try_from(bench.fields.len()).unwrap_or(0).div_ceil(columns);
    let limit = match body.height {
        0..10 => 1,
        10..15 => 2,
        15..20 => 4,
        _ => count,
    };
    let lines = count.min(limit);
    // The message, the titles, and the empty rows around them.
    let around = 1 + 3 * title + 4 * air;
    let spaced = body.height >= around + 2 * lines - lines.min(1) + SPACED;
    let step = if spaced { 2 } else { 1 };
    let rows = (lines * step).saturating_sub(step - 1);
    let top = body.y + air.min(body.height);
    let header = Rect { y: top, height: (body.bottom() - top).min(title), ..body };
    let message = Rect { y: body.bottom().saturating_sub(1), height: 1, ..body };
    let fields = Rect { y: message.y.saturating_sub(rows + air), height: rows, ..body };
    let rule = Rect { y: fields.y.saturating_sub(title + air), height: title, ..body };
    let top = header.bottom();
    let middle = Rect { y: top, height: rule.y.saturating_sub(top + air), ..body };
    let (page, copy, right) = columns_of(bench, middle);
    let (items, article) = match right {
        Some(right) if bench.is_article() && bench.preview.article.is_some() => {
            // The article gets most of the space.
            let height = (right.height / 3).max(2).min(right.height);
            let below = Rect { y: right.y + height, height: right.height - height, ..right };
            let gap = u16::from(right.height >= WITH_GAPS);
            (Some(Rect { height: height - gap, ..right }), Some(below))
        }
        other => (other, None),
    };
    Parts {
        header,
        middle,
        page,
        copy,
        items,
        article,
        title,
        rule,
        fields,
        columns,
        step,
        message,
    }
}

/// The areas of the page, its stored copy, and the matches.
fn columns_of(bench: &Bench, middle: Rect) -> (Option<Rect>, Option<Rect>, Option<Rect>) {
    if middle.width < SIDE_BY_SIDE {
        return match bench.pane {
            BenchPane::Items => (None, None, Some(middle)),
            _ => (Some(middle), None, None),
        };
    }
    let beside = bench.beside().is_some() && middle.width >= THREE_SIDES;
    let left = middle.width * if beside { 13 } else { 11 } / 20;
    let right = Rect { x: left + 1, width: middle.width - left - 1, ..middle };
    let page = Rect { width: left, ..middle };
    if !beside {
        return (Some(page), None, Some(right));
    }
    let left = page.width / 2;
    let copy = Rect { x: left + 1, width: page.width - left - 1, ..page };
    (Some(Rect { width: left, ..page }), Some(copy), Some(right))
}

/// The area below the title of a pane.
fn below(area: Rect, title: u16) -> Rect {
    let title = title.min(area.height);
    Rect { y: area.y + title, height: area.height - title, ..area }
}

/// Minimum height of a page with a row for the path of the selected element.
const WITH_PATH: u16 = 6;
/// Minimum height of a page with a row for the value of the active selector.
const WITH_VALUE: u16 = 11;
/// Minimum heights of the list for a second row with the summary of each article, and for an empty row
/// between articles.
const WITH_SUMMARIES: u16 = 8;
const WITH_GAPS: u16 = 14;

/// The area for the lines of the page, and the rows for the path of the selected element and the value.
fn page_parts(area: Rect, title: u16) -> (Rect, Rect) {
    let area = below(area, title);
    let (rows, gap) = match area.height {
        WITH_VALUE.. => (2, 1),
        WITH_PATH.. => (1, 0),
        _ => (0, 0),
    };
    let lines = Rect { height: area.height - rows - gap, ..area };
    (lines, Rect { y: lines.bottom() + gap, height: rows, ..area })
}

/// Number of rows of each article.
fn item_rows(bench: &Bench, area: Rect) -> u16 {
    let has_summary = bench.items().0.iter().any(|item| !item.summary.is_empty());
    match area.height {
        WITH_GAPS.. if has_summary => 3,
        WITH_SUMMARIES.. if has_summary => 2,
        _ => 1,
    }
}

/// Number of articles that fit. The empty row after the last one may be omitted.
fn item_count(area: Rect, rows: u16) -> usize {
    usize::from((area.height + rows / 3) / rows)
}

/// The index of the first visible row of fields, chosen so that the active field is visible.
fn first_field(bench: &Bench, parts: &Parts) -> usize {
    let columns = usize::from(parts.columns);
    let height = usize::from(parts.fields.height.div_ceil(parts.step));
    let lines = bench.fields.len().div_ceil(columns);
    let active = if columns == 1 { bench.active } else { bench.active % lines.max(1) };
    (active + 1).saturating_sub(height)
}

/// The part at a screen position.
pub(in crate::tui) fn at(bench: &Bench, size: (u16, u16), at: Position) -> Option<Spot> {
    let parts = parts(bench, size);
    let row_in = |area: Rect, selected: usize, count: usize, rows: u16| {
        let shown = item_count(area, rows);
        let line = usize::from(at.y.checked_sub(area.y)? / rows);
        let row = first_row(selected, shown, count) + line;
        (area.contains(at) && line < shown && row < count).then_some(row)
    };
    if let (Some(area), Some(sheet)) = (parts.page, bench.sheet())
        && let Some(row) =
            row_in(page_parts(area, parts.title).0, sheet.selected(), sheet.count(), 1)
    {
        return Some(Spot::Line(row));
    }
    if let Some(area) = parts.items {
        let area = below(area, parts.title);
        let rows = item_rows(bench, area);
        if let Some(row) = row_in(area, bench.item, bench.items().0.len(), rows) {
            return Some(Spot::Item(row));
        }
    }
    if !parts.fields.contains(at) {
        return None;
    }
    let lines = bench.fields.len().div_ceil(parts.columns.into());
    let line = first_field(bench, &parts) + usize::from((at.y - parts.fields.y) / parts.step);
    let column = usize::from(parts.columns == 2 && at.x >= parts.fields.width / 2);
    let field = line + column * lines;
    (field < bench.fields.len()).then_some(Spot::Field(field))
}

/// Draws the workbench over the panes.
pub(in crate::tui) fn draw(
    app: &App,
    frame: &mut Frame<'_>,
    editor: &Editor,
    bench: &Bench,
    body: Rect,
) {
    frame.render_widget(Clear, body);
    frame.buffer_mut().set_style(body, app.palette.style(Role::Ground));
    let parts = parts(bench, (body.width, body.height + 1));
    header(app, frame, editor, bench, parts.header);
    if let Some(area) = parts.page {
        panes::page(app, frame, bench, bench.at, (area, parts.title));
    }
    if let Some((place, area)) = bench.beside().zip(parts.copy) {
        panes::page(app, frame, bench, place, (area, parts.title));
    }
    if let Some(area) = parts.items {
        panes::items(app, frame, bench, (area, parts.title));
    }
    if let Some(area) = parts.article {
        panes::article(app, frame, bench, (area, parts.title));
    }
    let name = if parts.title > 1 { "Selectors" } else { "" };
    if parts.title > 1 || bench.pane != BenchPane::Fields {
        let last = Rect { y: parts.rule.bottom().saturating_sub(1), height: 1, ..parts.rule };
        fill(frame, marks(app).across, app.palette.style(Role::Border), last);
    }
    title(app, frame, name, bench.pane == BenchPane::Fields, parts.rule);
    let sides = [parts.copy, parts.items].into_iter().flatten();
    for area in sides.filter(|area| area.x > 0) {
        let at = Rect { x: area.x - 1, width: 1, ..parts.middle };
        super::chrome::divider(app, frame, at);
    }
    fields::fields(app, frame, editor, bench, &parts);
    message::draw(app, frame, editor, bench, &parts);
}

/// Draws the title and the URL of the source, the state, and the numbers of matched and lost articles.
fn header(app: &App, frame: &mut Frame<'_>, editor: &Editor, bench: &Bench, area: Rect) {
    let style = |role| app.palette.style(role);
    let (mut row, m) = (Row::new(area.width), marks(app));
    let state = match (editor.is_saving(), bench.waiting.iter().next()) {
        (true, _) => Some((format!("   {} Saving", m.busy), Role::Accent)),
        (_, Some(_)) => Some((format!("   {} Fetching", m.busy), Role::Accent)),
        _ => None,
    };
    row.right(" ".repeat(padding(area.width)), style(Role::Dim));
    if let Some((words, role)) = state {
        row.right(words, style(role));
    }
    if let Some(list) = &bench.preview.list {
        if list.known > 0 {
            let role = if list.lost > 0 { Role::Warning } else { Role::Dim };
            row.right(format!("   {} of {} lost", list.lost, list.known), style(role));
        }
        let what = counted(list.links.len(), "article");
        let role = if list.links.is_empty() { Role::Warning } else { Role::Ok };
        row.right(format!("  {what}"), style(role));
    }
    row.left(&" ".repeat(padding(area.width)), Style::new());
    if let Some(key) = editor.source_key().filter(|_| area.width >= SIDE_BY_SIDE) {
        row.left(&format!("{} ", m.square), style(app.sources.color(key)));
    }
    row.left(&text::truncate(&editor.title, 40), style(Role::Title));
    if let Some(sheet) = bench.sheet().filter(|_| area.width >= SIDE_BY_SIDE) {
        let url = &sheet.url;
        let path = Some(url.path()).filter(|path| *path != "/").unwrap_or_default();
        let place = format!("  {}{path}", url.host_str().unwrap_or_default());
        if text::width(&place) <= row.free() {
            row.left(&place, style(Role::Dim));
        }
    }
    frame.render_widget(row.line(style(Role::Text)), Rect { height: area.height.min(1), ..area });
    if area.height > 1 {
        fill(frame, m.across, style(Role::Border), Rect { y: area.y + 1, height: 1, ..area });
    }
}

/// Draws the title of a part. If the part has the focus, the rule below the title is heavy.
fn title(app: &App, frame: &mut Frame<'_>, words: &str, focused: bool, area: Rect) {
    if area.height == 0 || words.is_empty() {
        return;
    }
    let (m, style) = (marks(app), |role| app.palette.style(role));
    let pad = padding(area.width);
    let mut row = Row::new(area.width);
    let single = area.height == 1 && focused;
    row.left(&" ".repeat(pad - usize::from(single)), Style::new());
    if single {
        row.left(m.pointer, style(Role::Accent));
    }
    row.left(words, style(if focused { Role::Title } else { Role::Soft }));
    frame.render_widget(row.line(Style::new()), Rect { height: 1, ..area });
    if area.height > 1 && focused {
        let cells = text::width(words).min(usize::from(area.width).saturating_sub(pad));
        let x = area.x + u16::try_from(pad).unwrap_or(0);
        let under = Rect { x, y: area.y + 1, width: u16::try_from(cells).unwrap_or(0), height: 1 };
        fill(frame, m.heavy, style(Role::BorderFocus), under);
    }
}

fn line(frame: &mut Frame<'_>, words: &str, style: Style, area: Rect) {
    if area.height > 0 {
        let mut row = Row::new(area.width);
        row.left(words, style);
        frame.render_widget(row.line(style), Rect { height: 1, ..area });
    }
}
