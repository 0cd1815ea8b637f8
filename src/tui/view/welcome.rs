//! The welcome page: a field for a URL, and other ways to start.

use super::super::app::{Add, App, Choice, Stage, as_sentence};
use super::super::reader::wrap_plain;
use super::add::NEXT_STEP;
use super::chrome::marks;
use super::dialogs::{DialogArea, field_line};
use super::frame::{clear, key_line};
use super::row::{Row, padding};
use crate::config::Role;
use crate::util::text;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::Line;

const TITLE: &str = "Welcome to newsfed";
const PURPOSE: &str = "News from any page, with or without a feed";
const PLACEHOLDER: &str = "Paste or type the URL of any site";
/// Maximum width of the content, in cells.
const WIDEST: u16 = 76;
/// Minimum height of a page with empty rows around the field.
const LOOSE: u16 = 10;
/// Minimum height of a page with empty rows between all parts.
const ROOMY: u16 = 16;
/// Width of the column with the names of the choices.
const NAME: usize = 20;
/// Width of the column with the names on narrow screens.
const NARROW_NAME: usize = 17;

pub(super) fn draw(app: &App, frame: &mut Frame<'_>, add: &Add, at: DialogArea) {
    let style = |role| app.palette.style(role);
    let page = at.body;
    app.shown_hints.borrow_mut().clear();
    clear(frame, page);
    frame.buffer_mut().set_style(page, style(Role::Ground));
    if !is_shown(add) {
        return;
    }
    keys(app, frame, at);
    let width = page.width.saturating_sub(2).min(WIDEST);
    let gap = u16::from(page.height >= LOOSE);
    let wide_gap = u16::from(page.height >= ROOMY);
    let problems = problem_lines(app, add, width);
    let parts = u16::try_from(problems.len())
        .unwrap_or(u16::MAX)
        .saturating_add(6 + 2 * gap + 4 * wide_gap);
    let free = page.height.saturating_sub(parts);
    let mut rest = Rect {
        x: page.x + (page.width - width) / 2,
        y: page.y + free / 3,
        width,
        height: page.height - free / 3,
    };
    let mut take = |height: u16| {
        let part = Rect { height: height.min(rest.height), ..rest };
        rest = Rect { y: rest.y + part.height, height: rest.height - part.height, ..rest };
        part
    };
    centred(frame, TITLE, style(Role::Title), take(1));
    centred(frame, PURPOSE, style(Role::Soft), take(1));
    take(gap);
    let field = take(1 + 2 * wide_gap);
    take(gap);
    let problems_at = take(u16::try_from(problems.len()).unwrap_or(u16::MAX));
    for (y, line) in (problems_at.top()..problems_at.bottom()).zip(problems) {
        frame.render_widget(line, Rect { y, height: 1, ..problems_at });
    }
    let mut chosen = None;
    for (n, choice) in Choice::ALL.into_iter().enumerate() {
        take(if n == 0 { 0 } else { wide_gap });
        let row = take(1);
        choice_row(app, frame, choice, add.choice == Some(n), row);
        if add.choice == Some(n) {
            chosen = Some(row);
        }
    }
    address(app, frame, add, field);
    if let (Some(row), true) = (chosen, at.is_top) {
        frame.set_cursor_position(Position::new(row.x, row.y));
    }
}

/// Whether the welcome page is shown instead of discovery results.
pub(super) fn is_shown(add: &Add) -> bool {
    matches!(add.stage, Stage::Typing | Stage::Failed(_))
}

/// Draws the key hints in the bottom line.
fn keys(app: &App, frame: &mut Frame<'_>, at: DialogArea) {
    let ground = app.palette.style(Role::Status);
    clear(frame, at.foot);
    frame.buffer_mut().set_style(at.foot, ground);
    let pad = u16::try_from(padding(at.foot.width)).unwrap_or(0);
    let width = at.foot.width.saturating_sub(2 * pad);
    let row = Rect { x: at.foot.x + pad, width, ..at.foot };
    frame.render_widget(key_line(app, at, row, ground), row);
}

fn centred(frame: &mut Frame<'_>, text: &str, style: Style, area: Rect) {
    let text = text::truncate(text, area.width.into()).into_owned();
    frame.render_widget(Line::styled(text, style).centered(), area);
}

/// Lines that explain why nothing was found at the last URL.
fn problem_lines(app: &App, add: &Add, width: u16) -> Vec<Line<'static>> {
    let Stage::Failed(why) = &add.stage else { return Vec::new() };
    let style = app.palette.style(Role::Error);
    let space = usize::from(width).saturating_sub(2).max(1);
    let mut lines = Vec::new();
    for text in why {
        for (n, part) in wrap_plain(&as_sentence(text), space).into_iter().enumerate() {
            let mark = if n == 0 { marks(app).gone } else { " " };
            lines.push(Line::styled(format!("{mark} {part}"), style));
        }
    }
    for part in wrap_plain(NEXT_STEP, space) {
        lines.push(Line::styled(format!("  {part}"), app.palette.style(Role::Soft)));
    }
    lines.push(Line::default());
    lines
}

/// Draws the field, with a bar to the left of it.
fn address(app: &App, frame: &mut Frame<'_>, add: &Add, area: Rect) {
    let style = |role| app.palette.style(role);
    if area.is_empty() {
        return;
    }
    frame.buffer_mut().set_style(area, style(Role::Input));
    let here = add.choice.is_none();
    let (bar, role) = match here {
        true => (marks(app).bar, Role::Accent),
        false => (marks(app).faint_bar, Role::Edge),
    };
    for y in area.top()..area.bottom() {
        frame.buffer_mut()[(area.x, y)].set_symbol(bar).set_style(style(role));
    }
    let pad = 2.min(area.width.saturating_sub(1));
    let row =
        Rect { x: area.x + pad, y: area.y + area.height / 2, width: area.width - pad, height: 1 };
    if here {
        field_line(app, frame, "", &add.field, row);
    } else {
        let value = text::truncate(add.field.value(), row.width.into());
        frame.render_widget(Line::raw(value.into_owned()), row);
    }
    if add.field.value().is_empty() {
        let text = text::truncate(PLACEHOLDER, row.width.into()).into_owned();
        frame.render_widget(Line::styled(text, style(Role::Dim)), row);
    }
}

fn choice_row(app: &App, frame: &mut Frame<'_>, choice: Choice, here: bool, area: Rect) {
    let style = |role| app.palette.style(role);
    let mut row = Row::new(area.width);
    row.left(if here { marks(app).pointer } else { " " }, style(Role::Accent));
    row.left(" ", Style::new());
    let name = if here { Role::SelectedTitle } else { Role::Text };
    row.column(choice.name(), if area.width < WIDEST { NARROW_NAME } else { NAME }, style(name));
    let words = super::add::fitting(choice.describe(), row.free());
    row.left(&words, style(if here { Role::Text } else { Role::Soft }));
    let ground = if here { style(Role::Selected) } else { Style::new() };
    frame.render_widget(row.line(ground), area);
    if here && ground.bg.is_some() {
        frame.buffer_mut().set_style(area, Style { fg: None, ..ground });
    }
}
