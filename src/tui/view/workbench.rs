//! Layout of the selector workbench: the page, the matches of the selectors, and their fields.

mod fields;
mod panes;

use super::super::app::{App, Bench, BenchPane, Editor};
use super::chrome::marks;
use super::first_row;
use super::row::{Row, padding};
use crate::config::Role;
use crate::engine::{SelectorField, WorkbenchPage};
use crate::util::text::{self, counted};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::widgets::Clear;

/// Width from which the page and the matches are side by side.
const SIDE_BY_SIDE: u16 = 66;
/// Width from which the fields are in two columns.
const TWO_COLUMNS: u16 = 110;
/// Width from which the stored copy of a broken list is shown next to it.
const THREE_SIDES: u16 = 140;
/// Height from which there are rules below titles.
const RULED: u16 = 20;

/// The colour of a selector, its matches and its values.
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

/// A clickable part: a line of the page, an article, a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui) enum Spot {
    Line(usize),
    Item(usize),
    Field(usize),
}

/// The areas of the parts.
struct Parts {
    header: Rect,
    /// The page with its title.
    page: Option<Rect>,
    /// The stored copy of the page.
    copy: Option<Rect>,
    /// The list of articles with its title.
    items: Option<Rect>,
    /// The fetched article with its title.
    article: Option<Rect>,
    /// Rows of a title with its rule.
    title: u16,
    /// The title of the fields.
    rule: Rect,
    fields: Rect,
    columns: u16,
    message: Rect,
}

fn parts(bench: &Bench, size: (u16, u16)) -> Parts {
    let body = super::body_of(size);
    let columns = if body.width >= TWO_COLUMNS { 2 } else { 1 };
    let count = u16::try_from(bench.fields.len()).unwrap_or(0).div_ceil(columns);
    let limit = match body.height {
        0..10 => 1,
        10..15 => 2,
        15..20 => 4,
        _ => count,
    };
    let rows = count.min(limit);
    let title = if body.height >= RULED { 2 } else { 1 };
    let header = Rect { height: body.height.min(title), ..body };
    let message = Rect { y: body.bottom().saturating_sub(1), height: 1, ..body };
    let fields = Rect { y: message.y.saturating_sub(rows), height: rows, ..body };
    let rule = Rect { y: fields.y.saturating_sub(title), height: title, ..body };
    let top = header.bottom();
    let middle = Rect { y: top, height: rule.y.saturating_sub(top), ..body };
    let has_article = bench.preview.article.is_some();
    let beside = bench.beside().is_some() && body.width >= THREE_SIDES;
    let (page, right) = if body.width >= SIDE_BY_SIDE {
        let left = body.width * if beside { 13 } else { 11 } / 20;
        let right = Rect { x: left + 1, width: body.width - left - 1, ..middle };
        (Some(Rect { width: left, ..middle }), Some(right))
    } else if bench.pane == BenchPane::Items {
        (None, Some(middle))
    } else {
        (Some(middle), None)
    };
    let (page, copy) = match page {
        Some(page) if beside => {
            let left = page.width / 2;
            let copy = Rect { x: left + 1, width: page.width - left - 1, ..page };
            (Some(Rect { width: left, ..page }), Some(copy))
        }
        page => (page, None),
    };
    let (items, article) = match right {
        Some(right) if has_article => {
            // The article gets most of the space while the user works on it.
            let share = if bench.is_article() { 3 } else { 2 };
            let height = (right.height / share).max(2).min(right.height);
            let below = Rect { y: right.y + height, height: right.height - height, ..right };
            (Some(Rect { height, ..right }), Some(below))
        }
        other => (other, None),
    };
    Parts { header, page, copy, items, article, title, rule, fields, columns, message }
}

/// The area below the title of a pane.
fn below(area: Rect, title: u16) -> Rect {
    let title = title.min(area.height);
    Rect { y: area.y + title, height: area.height - title, ..area }
}

/// Height of the page from which a row at its end shows the path of the selected element.
const WITH_PATH: u16 = 6;
/// Height of the list of articles from which each has a second row with its summary.
const WITH_SUMMARIES: u16 = 8;

/// The lines of the page, and the row for the path of the selected element.
fn page_parts(area: Rect, title: u16) -> (Rect, Rect) {
    let area = below(area, title);
    let path = u16::from(area.height >= WITH_PATH);
    let lines = Rect { height: area.height - path, ..area };
    (lines, Rect { y: lines.bottom(), height: path, ..area })
}

/// Number of rows of each article.
fn item_rows(bench: &Bench, area: Rect) -> usize {
    let has_summary = bench.items().0.iter().any(|item| !item.summary.is_empty());
    if has_summary && area.height >= WITH_SUMMARIES { 2 } else { 1 }
}

/// The first visible line of fields, so that the active one is visible.
fn first_field(bench: &Bench, parts: &Parts) -> usize {
    let columns = usize::from(parts.columns);
    let height = usize::from(parts.fields.height);
    let lines = bench.fields.len().div_ceil(columns);
    let active = if columns == 1 { bench.active } else { bench.active % lines.max(1) };
    (active + 1).saturating_sub(height)
}

/// The part at a screen position.
pub(in crate::tui) fn at(bench: &Bench, size: (u16, u16), at: Position) -> Option<Spot> {
    let parts = parts(bench, size);
    let row_in = |area: Rect, selected: usize, count: usize, rows: usize| {
        let height = usize::from(area.height) / rows;
        let line = usize::from(at.y.checked_sub(area.y)?);
        let row = first_row(selected, height, count) + line / rows;
        (area.contains(at) && line < height * rows && row < count).then_some(row)
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
    let line = first_field(bench, &parts) + usize::from(at.y - parts.fields.y);
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
    title(app, frame, name, bench.pane == BenchPane::Fields, parts.rule);
    let sides = [parts.copy, parts.items].into_iter().flatten();
    for area in sides.filter(|area| area.x > 0 && parts.rule.y > area.y) {
        let height = parts.rule.y - area.y;
        super::chrome::divider(app, frame, Rect { x: area.x - 1, y: area.y, width: 1, height });
    }
    fields::fields(app, frame, editor, bench, &parts);
    message(app, frame, editor, bench, parts.message);
}

/// Source title, state and numbers of matched and lost articles.
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
    row.left(&text::truncate(&editor.title, 40), style(Role::Title));
    if area.width >= SIDE_BY_SIDE {
        row.left("  selectors", style(Role::Dim));
    }
    frame.render_widget(row.line(style(Role::Text)), Rect { height: area.height.min(1), ..area });
    if area.height > 1 {
        let rule = Rect { y: area.y + 1, height: 1, ..area };
        line(frame, &m.across.repeat(area.width.into()), style(Role::Border), rule);
    }
}

/// The title of a part, with a rule below it that is heavy under the words of the focused one. If there is a
/// single row and no words, only the rule.
fn title(app: &App, frame: &mut Frame<'_>, words: &str, focused: bool, area: Rect) {
    if area.height == 0 {
        return;
    }
    let (m, style) = (marks(app), |role| app.palette.style(role));
    let pad = padding(area.width);
    let last = Rect { y: area.y + area.height.min(2) - 1, height: 1, ..area };
    if area.height > 1 || words.is_empty() {
        line(frame, &m.across.repeat(area.width.into()), style(Role::Border), last);
    }
    if words.is_empty() {
        return;
    }
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
        let under = Rect { x, width: u16::try_from(cells).unwrap_or(0), ..last };
        line(frame, &m.heavy.repeat(cells), style(Role::BorderFocus), under);
    }
}

fn line(frame: &mut Frame<'_>, words: &str, style: Style, area: Rect) {
    if area.height > 0 {
        let mut row = Row::new(area.width);
        row.left(words, style);
        frame.render_widget(row.line(style), Rect { height: 1, ..area });
    }
}

/// That the selector of the active field matches nothing, while it is typed.
fn nothing_matched(editor: &Editor, bench: &Bench) -> Option<String> {
    let field = bench.field().filter(|_| bench.pane == BenchPane::Fields)?;
    let selector = editor.typed.get(field.index)?.value().trim();
    let found = bench.found(field.part?)??;
    if found.count > 0 || selector.is_empty() {
        return None;
    }
    let meant = bench.meant(selector).map(|meant| format!(" Did you mean {meant}?"));
    Some(format!("Matches nothing.{}", meant.unwrap_or_default()))
}

/// The message below the fields: an error, a suggestion, or the help of the active field.
fn message(app: &App, frame: &mut Frame<'_>, editor: &Editor, bench: &Bench, area: Rect) {
    let Some(form) = &editor.form else { return };
    let field = bench.field();
    let field_info = field.and_then(|field| form.fields().get(field.index));
    let gone = marks(app).gone;
    let error = field_info
        .and_then(|info| Some(format!("{gone} {}: {}", info.label, info.error.as_ref()?)));
    let unread = bench.preview.article.as_ref().and_then(|article| article.date_text.as_ref());
    let unread = unread.filter(|_| field.is_some_and(|f| f.key.starts_with("date")));
    let failed = bench.failed.get(&bench.at).filter(|_| bench.sheet().is_some());
    let list_failed = bench.failed.get(&WorkbenchPage::List);
    let offers = bench.offers();
    let (words, role) = if let Some(error) = error {
        (error, Role::Error)
    } else if let Some(why) = &form.problem {
        (format!("{gone} {why}"), Role::Error)
    } else if let Some(nothing) = nothing_matched(editor, bench) {
        (format!("{gone} {nothing}"), Role::Error)
    } else if let Some(repair) = bench.repair() {
        let applied = repair.selectors.iter().filter(|(part, _)| editor.is_filled(*part));
        let selectors: Vec<String> =
            applied.map(|(part, s)| format!("{} = {s}", part.key())).collect();
        let known = match (repair.known, bench.is_article()) {
            (_, true) => String::new(),
            (0, _) => format!("   {}", counted(repair.count, "article")),
            (known, _) => {
                format!("   {}, {known} of them stored", counted(repair.count, "article"))
            }
        };
        let (of, selectors) = (offers.len(), selectors.join("  "));
        (format!("Press Enter to apply repair 1 of {of}: {selectors}{known}"), Role::Warning)
    } else if let Some(text) = unread {
        let text = text::truncate(text, 60);
        (format!("! \"{text}\" is not a recognised date; set date_format"), Role::Error)
    } else if let Some(why) = failed.or(list_failed) {
        (format!("! {why}"), Role::Error)
    } else if let Some(applied) = bench.applied() {
        (format!("suggestion {} of {}; P: next", applied + 1, offers.len()), Role::Accent)
    } else {
        (field_info.map_or("", |field_info| field_info.help()).to_owned(), Role::Dim)
    };
    let pad = " ".repeat(padding(area.width));
    let mut row = Row::new(area.width);
    if role == Role::Dim && !offers.is_empty() {
        row.right(pad.clone(), Style::new());
        row.right(format!("   P: {} suggested", offers.len()), Style::new());
    }
    row.left(&format!("{pad}{words}"), Style::new());
    let style = app.palette.style(role);
    frame.render_widget(row.line(style), Rect { height: area.height.min(1), ..area });
}
