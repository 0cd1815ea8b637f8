//! The form of a source or the settings.

use super::super::app::{App, Editor};
use super::super::reader::wrap_plain;
use super::chrome::marks;
use super::dialogs::window;
use super::row::Row;
use crate::config::{FormPage, Role};
use crate::util::text;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

/// Largest size of the dialog.
const MAX_SIZE: (u16, u16) = (100, 20);
/// Width of the label column, in cells.
const LABELS: u16 = 20;

/// Marker before an error.
const MARK: &str = "!";

/// A clickable part of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui) enum Place {
    Field(usize),
    Page(FormPage),
}

/// One line of the form.
enum Line {
    Field(usize),
    /// The error of the field above.
    Wrong(String),
}

/// The parts of the area inside the border.
struct Parts {
    pages: Rect,
    fields: Rect,
    help: Rect,
}

fn parts(inner: Rect) -> Parts {
    let wide = u16::from(inner.height >= 12);
    let pages = Rect { height: inner.height.min(1), ..inner };
    let help =
        Rect { y: inner.bottom().saturating_sub(1), height: u16::from(inner.height > 2), ..inner };
    let top = (pages.bottom() + wide).min(inner.bottom());
    let bottom = help.y.saturating_sub(wide).max(top);
    Parts { pages, fields: Rect { y: top, height: bottom - top, ..inner }, help }
}

/// The size of the dialog: as large as its fullest page needs.
fn size_for(editor: &Editor) -> (u16, u16) {
    let fields = editor.form.iter().flat_map(|form| form.fields());
    let on = |page| fields.clone().filter(|field| field.page() == page).count();
    let rows = FormPage::ALL.into_iter().map(on).max().unwrap_or(0);
    let height = u16::try_from(rows + 8).unwrap_or(u16::MAX);
    (MAX_SIZE.0, if editor.form.is_some() { height.min(MAX_SIZE.1) } else { MAX_SIZE.1 })
}

/// The area inside the border on a screen of that size.
fn inside(editor: &Editor, size: (u16, u16)) -> Rect {
    let body = super::body_of(size);
    let (width, height) = size_for(editor);
    let (width, height) = (width.min(body.width), height.min(body.height));
    Rect {
        x: body.x + (body.width - width) / 2 + 2,
        y: body.y + (body.height - height) / 3 + 1,
        width: width.saturating_sub(4),
        height: height.saturating_sub(2),
    }
}

/// The visible lines of the open page, including the focused field.
fn lines(editor: &Editor, area: Rect) -> Vec<Line> {
    let Some(form) = &editor.form else { return Vec::new() };
    let page = editor.page();
    let mut lines = Vec::new();
    let mut here = 0..0;
    for i in editor.shown().into_iter().filter(|&i| form.fields()[i].page() == page) {
        let first = lines.len();
        lines.push(Line::Field(i));
        if let Some(error) = &form.fields()[i].error {
            let space = area.width.saturating_sub(LABELS + 2).max(8);
            let text = wrap_plain(error, space.into());
            let mark = |i| if i == 0 { MARK } else { " " };
            let text = text.into_iter().enumerate();
            lines.extend(text.map(|(i, line)| Line::Wrong(format!("{} {line}", mark(i)))));
        }
        if i == editor.focus {
            here = first..lines.len();
        }
    }
    let height = usize::from(area.height);
    // The error is visible too, but never instead of its field.
    let top = here.end.saturating_sub(height).min(here.start);
    lines.drain(..top);
    lines.truncate(height);
    lines
}

/// The tabs of the pages.
fn tabs(editor: &Editor, area: Rect) -> Vec<(FormPage, Rect, String)> {
    let Some(form) = &editor.form else { return Vec::new() };
    let pages = editor.pages();
    let narrow = pages.iter().map(|p| p.title().len() + 2).sum::<usize>() > area.width.into();
    let named = |page: FormPage| {
        let wrong = form.fields().iter().any(|f| f.page() == page && f.error.is_some());
        // On a small screen the title is reduced to its first word.
        let title = page.title().split(' ').next().filter(|_| narrow).unwrap_or(page.title());
        let mark = if wrong { "!" } else { "" };
        let name = format!(" {title}{mark}{}", if narrow { "" } else { " " });
        (page, u16::try_from(text::width(&name)).unwrap_or(u16::MAX), name)
    };
    let mut named: Vec<_> = pages.into_iter().map(named).collect();
    // If there is not enough space, drop tabs before the open one.
    loop {
        let open = named.iter().position(|(page, ..)| *page == editor.page()).unwrap_or(0);
        let end: usize = named.iter().take(open + 1).map(|(_, width, _)| usize::from(*width)).sum();
        if open == 0 || end <= usize::from(area.width) {
            break;
        }
        named.remove(0);
    }
    let mut x = area.x;
    let place = |(page, width, name): (FormPage, u16, String)| {
        let width = width.min(area.right().saturating_sub(x));
        let tab = (page, Rect { x, width, ..area }, name);
        x += width;
        tab
    };
    named.into_iter().map(place).collect()
}

/// The part of the form at a screen position.
pub(in crate::tui) fn at(editor: &Editor, size: (u16, u16), at: Position) -> Option<Place> {
    let parts = parts(inside(editor, size));
    if parts.pages.contains(at) {
        let tab = tabs(editor, parts.pages).into_iter().find(|(_, area, _)| area.contains(at));
        return tab.map(|(page, ..)| Place::Page(page));
    }
    if !parts.fields.contains(at) {
        return None;
    }
    match lines(editor, parts.fields).get(usize::from(at.y - parts.fields.y))? {
        Line::Field(field) => Some(Place::Field(*field)),
        Line::Wrong(_) => None,
    }
}

pub(in crate::tui) fn draw(app: &App, frame: &mut Frame<'_>, editor: &Editor, body: Rect) {
    let title = match editor.is_settings() {
        true => "Settings".to_owned(),
        false => format!("Edit {}", text::truncate(&editor.title, 60)),
    };
    let inner = window(app, frame, body, &title, size_for(editor));
    let style = |role| app.palette.style(role);
    let Some(form) = &editor.form else {
        frame.render_widget(ratatui::text::Line::styled("Loading …", style(Role::Dim)), inner);
        return;
    };
    let parts = parts(inner);
    for (page, area, name) in tabs(editor, parts.pages) {
        let role = if page == editor.page() { Role::Selected } else { Role::Dim };
        frame.render_widget(ratatui::text::Line::styled(name, style(role)), area);
    }
    let field_at = |y| Rect { y, height: 1, ..parts.fields };
    for (y, line) in (parts.fields.y..).zip(lines(editor, parts.fields)) {
        match line {
            Line::Field(i) => draw_field(app, frame, editor, i, field_at(y)),
            Line::Wrong(text) => {
                let mut row = Row::new(parts.fields.width);
                row.left(&" ".repeat(LABELS.into()), style(Role::Text));
                row.left(&text, style(Role::Error));
                frame.render_widget(row.line(style(Role::Text)), field_at(y));
            }
        }
    }
    let help = match &form.problem {
        Some(why) => (why.as_str(), Role::Error),
        None => (form.fields().get(editor.focus).map_or("", |f| f.help()), Role::Dim),
    };
    let waits = form.fields().get(editor.focus).is_some_and(|f| f.needs_restart());
    let mut row = Row::new(parts.help.width);
    if waits && form.problem.is_none() {
        row.left("Restart to apply. ", style(Role::Warning));
    }
    row.left(help.0, style(help.1));
    if parts.help.height > 0 {
        frame.render_widget(row.line(style(Role::Text)), parts.help);
    }
}

fn draw_field(app: &App, frame: &mut Frame<'_>, editor: &Editor, i: usize, area: Rect) {
    let style = |role| app.palette.style(role);
    let Some((form, typed)) = editor.form.as_ref().zip(editor.typed.get(i)) else { return };
    let field = &form.fields()[i];
    let here = i == editor.focus;
    let mut row = Row::new(area.width);
    let labels = usize::from(LABELS.min(area.width / 2));
    let pointer = if here { marks(app).pointer } else { " " };
    row.left(pointer, style(Role::Accent));
    let label = text::truncate(&field.label, labels.saturating_sub(2)).into_owned();
    row.left(&format!(" {label}"), style(if here { Role::Accent } else { Role::Dim }));
    let gap = labels.saturating_sub(text::width(pointer) + 1 + text::width(&label));
    row.left(&" ".repeat(gap), style(Role::Text));
    let space = usize::from(area.width).saturating_sub(labels + 1).max(1);
    let (shown, cursor) = match (here, typed.value()) {
        (true, _) => typed.visible(space),
        // A fixed length, so that the length of a secret is not shown.
        (false, value) if field.is_secret() && !value.is_empty() => ("*".repeat(8), 0),
        (false, value) => (text::truncate(value, space).into_owned(), 0),
    };
    if shown.is_empty() {
        row.left(field.unset(), style(Role::Dim));
    } else {
        row.left(&shown, style(if here { Role::Input } else { Role::Text }));
    }
    frame.render_widget(row.line(style(Role::Text)), area);
    if here {
        let x = area.x + u16::try_from(labels + cursor).unwrap_or(0);
        frame.set_cursor_position(Position::new(x.min(area.right().saturating_sub(1)), area.y));
    }
}
