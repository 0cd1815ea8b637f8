//! Draws dialogs.

use super::super::app::{
    App, Completion, Confirm, KeyHints, LinkList, OutputWindow, Prompt, PromptKind, Starters,
    TakesBack,
};
use super::super::input::Field;
use super::chrome::marks;
use super::first_row;
use super::frame::window;
use super::row::{Row, padding};
use crate::article::{Link, LinkKind};
use crate::config::{Context, Role};
use crate::query::Query;
use crate::tui::reader::{address, shortened};
use crate::util::media;
use crate::util::text;
use crate::util::url_text::readable;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use std::ops::Range;

/// The areas and properties with which a dialog is drawn.
#[derive(Debug, Clone, Copy)]
pub(in crate::tui) struct DialogArea {
    /// The area between the top line and the bottom line.
    pub(in crate::tui) body: Rect,
    /// The bottom line.
    pub(in crate::tui) foot: Rect,
    /// The key hints of the dialog.
    pub(in crate::tui) hints: KeyHints,
    /// Whether the dialog is on top and has the focus.
    pub(in crate::tui) is_top: bool,
    /// How the user can list the keys that do not fit.
    pub(in crate::tui) more: MoreKeys,
}

/// Which help key can list the keys of a dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui) enum MoreKeys {
    /// None: the dialog is the help, or captures every key.
    Never,
    /// Only a key that does not type a character, because the dialog has a text field.
    Untyped,
    Any,
}

/// Draws the open dialogs.
pub(super) fn draw(app: &mut App, frame: &mut Frame<'_>, body: Rect, foot: Rect) {
    let mut dialogs = std::mem::take(&mut app.dialogs);
    let count = dialogs.len();
    // The screen is dimmed only once, below the topmost framed dialog.
    let covering = dialogs.iter().rposition(|dialog| dialog.is_framed());
    for (i, dialog) in dialogs.iter_mut().enumerate() {
        if covering == Some(i) && !dialog.is_see_through() && !app.settings.ui.linear {
            app.palette.cover(frame.buffer_mut(), body);
        }
        let more = match () {
            () if dialog.is_help() || dialog.takes_keys() => MoreKeys::Never,
            () if dialog.field().is_some() => MoreKeys::Untyped,
            () => MoreKeys::Any,
        };
        let hints = dialog.hints();
        dialog.draw(app, frame, DialogArea { body, foot, hints, is_top: i + 1 == count, more });
    }
    app.dialogs = dialogs;
}

/// Maximum width of command output, in cells.
const MAX_OUTPUT: u16 = 110;

/// Draws a prompt in the bottom line: a mark, a label and the field, with the keys at the right if they fit.
/// Returns the area without the keys, and the number of cells before the field.
pub(super) fn foot_line(
    app: &App,
    frame: &mut Frame<'_>,
    label: &str,
    typed: (&Field, &Option<Completion>, &Option<String>),
    role: Role,
    area: DialogArea,
) -> (Rect, usize) {
    /// Minimum number of cells that the keys leave for the field.
    const FIELD: usize = 24;
    let whole = |label: &str| {
        let pad = " ".repeat(padding(area.foot.width));
        format!("{pad}{}", prompt_label(app, &format!("{label}: ")))
    };
    // If a label is wider than half of the line, its remark in parentheses is dropped.
    let is_long = |label: &str| text::width(label) * 2 > area.foot.width.into();
    let label = match label.split_once(" (") {
        Some((short, _)) if is_long(&whole(label)) => whole(short),
        _ => whole(label),
    };
    let before = text::width(&label);
    let ground = app.palette.style(Role::Status);
    super::frame::clear(frame, area.foot);
    frame.buffer_mut().set_style(area.foot, ground);
    // A remark is more important than the keys.
    let rest = if label.contains(" (") { before.max(FIELD) } else { FIELD };
    let space = usize::from(area.foot.width).saturating_sub(before + rest);
    let more = if label.contains(" (") { 0 } else { FIELD - MIN_FIELD };
    let keys = foot_keys(app, area.hints, (space, more), padding(area.foot.width));
    let line = Rect { width: area.foot.width - keys, ..area.foot };
    if keys > 0 {
        let at = Rect { x: line.right() + 3, width: keys - 3, ..area.foot };
        frame.render_widget(super::frame::key_line(app, area, at, ground), at);
    }
    completed_line(app, frame, &label, typed, role, (line, line, None));
    (line, before)
}

/// Number of cells for the keys of a prompt, including margins: all keys if they fit into `space`, otherwise
/// only the first and the last, which may use `more` cells in addition; 0 if neither fits.
fn foot_keys(app: &App, hints: KeyHints, (space, more): (usize, usize), pad: usize) -> u16 {
    let hints = app.dialog_hints(hints).into_iter();
    let cells = hints.map(|hint| {
        let keys = super::frame::shown_keys(&hint.keys, app.settings.ui.ascii);
        3 + text::width(&keys) + 1 + text::width(&hint.label)
    });
    let cells: Vec<usize> = cells.collect();
    let ends = cells.first().into_iter().chain(cells.last());
    let some = if cells.len() > 2 { ends.sum() } else { 0 };
    let sums = [(cells.iter().sum::<usize>(), space), (some, space + more)];
    let fitting = sums.into_iter().find(|(sum, space)| *sum > 0 && sum + pad <= *space);
    let fitting = fitting.map(|(sum, _)| sum + pad);
    fitting.and_then(|sum| u16::try_from(sum).ok()).unwrap_or(0)
}

pub(in crate::tui) fn prompt(app: &App, frame: &mut Frame<'_>, prompt: &Prompt, area: DialogArea) {
    let mut label = prompt.kind.label();
    let find = app.reader.find.as_ref().filter(|_| prompt.kind == PromptKind::Find);
    if let Some(find) = find {
        let is_typed = !prompt.field.value().trim().is_empty();
        match find.position() {
            Some(position) => label = format!("{label} ({position})"),
            None if is_typed => label = format!("{label} (no match)"),
            None => {}
        }
    }
    let typed = (&prompt.field, &prompt.completion, &prompt.error);
    let (line, used) = foot_line(app, frame, &label, typed, Role::Dim, area);
    let created = app.creates(prompt);
    let note = prompt.note().filter(|_| prompt.completion.is_none()).or(created);
    if let (Some(note), None) = (note, &prompt.error) {
        super::complete::message_line(app, frame, note, Role::Dim, &prompt.field, used, line);
    }
}

/// Draws a field on its line, with its completion or error above or below the frame around it.
pub(super) fn completed_line(
    app: &App,
    frame: &mut Frame<'_>,
    label: &str,
    (field, completion, error): (&Field, &Option<Completion>, &Option<String>),
    role: Role,
    (foot, framed, most): (Rect, Rect, Option<u16>),
) {
    field_line(app, frame, label, field, foot);
    if error.is_some()
        && let Err(e) = field.value().parse::<Query>()
    {
        mark_error(app, frame, label, (field, e.at), foot);
    }
    if let Some(completion) = completion {
        let used = label_cells(label, foot);
        let width = usize::from(foot.width).saturating_sub(used + 1).max(1);
        let at = used + field.visible_cells(width, completion.replaces()).start;
        let x = foot.x + u16::try_from(at).unwrap_or(foot.width).min(foot.width);
        super::complete::candidates(app, frame, completion, (framed, x), most);
    } else if let Some(error) = error {
        let used = label_cells(label, foot);
        super::complete::message_line(app, frame, error, role, field, used, foot);
    }
}

/// Minimum number of cells for the typed text if the label uses more than half of the line.
const MIN_FIELD: usize = 12;

fn label_cells(label: &str, area: Rect) -> usize {
    let width = usize::from(area.width);
    text::width(label).min((width / 2).max(width.saturating_sub(MIN_FIELD)))
}

/// Underlines a byte range of the field that [`field_line`] has drawn.
fn mark_error(
    app: &App,
    frame: &mut Frame<'_>,
    label: &str,
    (field, part): (&Field, Range<usize>),
    area: Rect,
) {
    let used = label_cells(label, area);
    let width = usize::from(area.width).saturating_sub(used + 1).max(1);
    let cells = field.visible_cells(width, part);
    let cell = |at: usize| u16::try_from(used + at).unwrap_or(area.width).min(area.width);
    let (start, end) = (cell(cells.start), cell(cells.end));
    let at = Rect { x: area.x + start, width: end.saturating_sub(start), height: 1, ..area };
    let style = app.palette.style(Role::Warning).add_modifier(Modifier::UNDERLINED);
    let at = at.intersection(frame.area());
    frame.buffer_mut().set_style(at, style);
}

/// The mark of a prompt, followed by its label. The label may be empty.
pub(super) fn prompt_label(app: &App, label: &str) -> String {
    let mark = if app.settings.ui.ascii { ">" } else { "›" };
    format!("{mark} {label}")
}

/// Draws a label and a field on one line, with the terminal cursor in the field.
pub(super) fn field_line(app: &App, frame: &mut Frame<'_>, label: &str, field: &Field, area: Rect) {
    // Clears earlier content, such as a message, but keeps the background.
    for position in area.intersection(frame.area()).positions() {
        let cell = &mut frame.buffer_mut()[position];
        let ground = cell.bg;
        cell.reset();
        cell.bg = ground;
    }
    let used = label_cells(label, area);
    // A truncated label is separated from the text by one cell.
    let name = match text::width(label) > used {
        true => text::truncate(label.trim_end(), used.saturating_sub(1)).into_owned(),
        false => label.to_owned(),
    };
    frame.render_widget(Line::styled(name, app.palette.style(Role::KeyHint)), area);
    let cells = u16::try_from(used).unwrap_or(area.width);
    let inside = Rect { x: area.x + cells, width: area.width - cells, ..area };
    frame.buffer_mut().set_style(inside, app.palette.style(Role::Input));
    let (shown, cursor) = field.visible(usize::from(inside.width).saturating_sub(1).max(1));
    let mut row = Row::new(inside.width);
    let role = if field.is_suggestion() { Role::Selected } else { Role::Input };
    row.left(&shown, app.palette.style(role));
    frame.render_widget(row.line(Style::new()), inside);
    let x = inside.x + u16::try_from(cursor).unwrap_or(0);
    frame.set_cursor_position(Position::new(x.min(area.right().saturating_sub(1)), area.y));
}

/// Draws a list with a selected row, scrolled so that the row is visible.
pub(super) fn rows(
    app: &App,
    frame: &mut Frame<'_>,
    area: Rect,
    count: usize,
    selected: usize,
    draw: impl FnMut(usize, &mut Row, bool),
) {
    list_rows(app, frame, area, (count, Some(selected), true), draw);
}

/// Like [`rows`], for one of several lists. A list may have no selected row, and only the focused one shows
/// the cursor.
pub(super) fn list_rows(
    app: &App,
    frame: &mut Frame<'_>,
    area: Rect,
    (count, selected, has_keys): (usize, Option<usize>, bool),
    mut draw: impl FnMut(usize, &mut Row, bool),
) {
    let height = usize::from(area.height);
    if height == 0 {
        return;
    }
    let at = selected.unwrap_or(0);
    let first = first_row(at, height, count);
    for i in first..count.min(first + height) {
        let y = area.y + u16::try_from(i - first).unwrap_or(0);
        let mut row = Row::new(area.width);
        let here = selected == Some(i);
        draw(i, &mut row, here && has_keys);
        let line = row.line(app.palette.style(Role::Text));
        let at = Rect { y, height: 1, ..area };
        match (here, has_keys) {
            (true, true) => select_row(app, frame, at),
            (true, false) => mark_row(app, frame, at, Role::SelectedUnfocused, Role::Edge),
            (false, _) => {}
        }
        frame.render_widget(line, at);
        if here && has_keys {
            frame.set_cursor_position(Position::new(area.x, y));
        }
    }
}

/// Draws a line between two parts of a dialog, from border to border.
pub(super) fn rule(app: &App, frame: &mut Frame<'_>, row: Rect) {
    if app.settings.ui.linear {
        return;
    }
    let beside = super::frame::padding(frame.area().width).min(row.x);
    let whole = Rect { x: row.x - beside, width: row.width + 2 * beside, ..row };
    let across = marks(app).across.repeat(whole.width.into());
    let line = Line::styled(across, app.palette.style(Role::Border));
    frame.render_widget(line, whole.intersection(frame.area()));
}

/// Draws the background of the selected row of a dialog, from border to border.
pub(super) fn select_row(app: &App, frame: &mut Frame<'_>, row: Rect) {
    mark_row(app, frame, row, Role::Selected, Role::Accent);
}

fn mark_row(app: &App, frame: &mut Frame<'_>, row: Rect, surface: Role, bar: Role) {
    let beside = super::frame::padding(frame.area().width).min(row.x);
    let whole = Rect { x: row.x - beside, width: row.width + 2 * beside, ..row };
    let whole = whole.intersection(frame.area());
    frame.buffer_mut().set_style(whole, app.palette.style(surface));
    let m = marks(app);
    let symbol = if bar == Role::Accent { m.bar } else { m.faint_bar };
    frame.buffer_mut().set_stringn(whole.x, whole.y, symbol, 1, app.palette.style(bar));
}

/// The style of a role in a row; the text of the selected row stands out.
pub(super) fn role(app: &App, here: bool, role: Role) -> ratatui::style::Style {
    match role {
        Role::Text if here => app.palette.style(Role::SelectedTitle),
        role => app.palette.style(role),
    }
}

/// Splits a dialog into the row of its field and the area below, separated by an empty row if there is space.
pub(super) fn split_field(inner: Rect) -> (Rect, Rect) {
    let field = Rect { height: inner.height.min(1), ..inner };
    let above = field.height + u16::from(inner.height >= 8);
    let list = Rect { y: inner.y + above, height: inner.height.saturating_sub(above), ..inner };
    (field, list)
}

/// Draws a confirmation: a question, its details, and how it can be undone.
pub(in crate::tui) fn confirm(
    app: &App,
    frame: &mut Frame<'_>,
    confirm: &Confirm,
    area: DialogArea,
) {
    let lines = super::super::reader::wrap_plain(&confirm.question, 56);
    let height = u16::try_from(lines.len() + confirm.details.len() + 1).unwrap_or(u16::MAX);
    let inner = window(app, frame, area, (confirm.title, ""), (62, height));
    let key = app.keymap.keys_for(Context::Everywhere, crate::config::Action::Undo);
    let undo = match (confirm.takes_back, key) {
        (TakesBack::Never, _) => "This cannot be undone.".to_owned(),
        (TakesBack::Sources | TakesBack::Marks, Some(key)) => {
            format!("You can undo this with {key} until you quit newsfed.")
        }
        (_, None) | (TakesBack::Nothing, _) => String::new(),
    };
    let details = confirm.details.iter().map(|name| (format!("  {name}"), Role::Bright));
    let lines = lines.into_iter().map(|line| (line, Role::Text)).chain(details);
    let lines = lines.chain([(undo, Role::Dim)]);
    for (y, (line, role)) in (inner.y..inner.bottom()).zip(lines) {
        let line = Line::styled(line, app.palette.style(role));
        frame.render_widget(line, Rect { y, height: 1, ..inner });
    }
}

/// Draws the output of a command.
pub(in crate::tui) fn output(
    app: &App,
    frame: &mut Frame<'_>,
    output: &mut OutputWindow,
    area: DialogArea,
) {
    let width = area.body.width.min(MAX_OUTPUT);
    let title = output.title.clone();
    let height =
        u16::try_from(output.lines(width.saturating_sub(6).into()).len()).unwrap_or(u16::MAX);
    let inner = window(app, frame, area, (&title, "output"), (width, height));
    let count = output.lines(inner.width.into()).len();
    output.top = output.top.min(count.saturating_sub(inner.height.into()));
    let shown = output.top;
    let lines = output.lines(inner.width.into()).iter().skip(shown);
    for (y, line) in (inner.y..inner.bottom()).zip(lines) {
        let line = Line::styled(line.clone(), app.palette.style(Role::Text));
        frame.render_widget(line, Rect { y, height: 1, ..inner });
    }
}

/// The part of a URL that fits, with its scheme.
fn with_scheme(url: &str, cells: usize) -> String {
    let scheme = url.find("://").map_or("", |at| &url[..at + 3]);
    format!("{scheme}{}", shortened(address(url), cells.saturating_sub(text::width(scheme))))
}

pub(in crate::tui) fn links(app: &App, frame: &mut Frame<'_>, list: &LinkList, area: DialogArea) {
    let height = u16::try_from(list.links.len()).unwrap_or(u16::MAX);
    let title = if list.digits.is_empty() {
        list.title.to_owned()
    } else {
        format!("{}: {}_", list.title, list.digits)
    };
    let inner = window(app, frame, area, (&title, ""), (100, height));
    rows(app, frame, inner, list.links.len(), list.selected, |i, row, here| {
        let Link { url, kind, file, .. } = &list.links[i];
        let url = readable(url);
        let facts = file.as_ref().map(media::facts).unwrap_or_default();
        let what = match kind {
            _ if !facts.is_empty() => format!("  {}", facts.join("  ")),
            LinkKind::Page => String::new(),
            LinkKind::Image => " image".to_owned(),
            LinkKind::Media => " media".to_owned(),
        };
        row.right(&*what, role(app, here, Role::Dim));
        row.left(&format!("{:>3} ", i + 1), role(app, here, Role::KeyHint));
        let name = list.names.get(i).map_or("", |name| name.trim());
        if name.is_empty() {
            row.left(&with_scheme(&url, row.free()), role(app, here, Role::Link));
            return;
        }
        let name = text::truncate(name, row.free() * 2 / 3).into_owned();
        row.left(&name, role(app, here, Role::Link));
        let url = with_scheme(&url, row.free().saturating_sub(2));
        row.left(&format!("  {url}"), app.palette.style(Role::Dim));
    });
}

pub(in crate::tui) fn starters(
    app: &App,
    frame: &mut Frame<'_>,
    starters: &Starters,
    area: DialogArea,
) {
    let height = u16::try_from(starters.rows.len()).unwrap_or(u16::MAX);
    let inner = window(app, frame, area, ("Starter sources", ""), (72, height));
    let m = marks(app);
    rows(app, frame, inner, starters.rows.len(), starters.selected, |i, row, here| {
        let (folder, title) = &starters.rows[i];
        let mark = if starters.checked[i] { m.selected } else { " " };
        row.right(folder.as_str(), role(app, here, Role::Dim));
        row.left(&format!("[{mark}] "), role(app, here, Role::KeyHint));
        row.left(title, role(app, here, Role::Text));
    });
}
