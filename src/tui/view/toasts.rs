//! Messages at the lower right, with a colour and a mark for their kind: at the end of the row of key hints
//! if the hints keep enough space there, otherwise above that row, where they do not cover the selected item.
//! If a dialog is open, messages are above its keys.

use super::super::app::{App, Toast, Tone};
use super::super::reader::wrap_plain;
use super::chrome::marks;
use super::frame::FREE;
use super::row::Row;
use crate::config::Role;
use crate::util::text;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::Clear;

/// Widths to try until a message needs at most three rows.
const WIDTHS: [u16; 4] = [48, 64, 80, 96];
const ROWS: usize = 3;
/// Minimum width of a screen on which all messages have the same width.
const WIDE: u16 = 100;
/// Minimum width of a screen with a gap to the right of messages.
const GAP_FROM: u16 = 60;
/// Number of cells for the bar and the mark of a message.
const START: u16 = 4;
/// Number of cells that a message leaves for the key hints on a small screen.
const HINTS: u16 = 28;
/// Number of blank cells at the end of a message.
const END: u16 = 2;

/// A row of a message, as pieces of text with their styles.
type Pieces = Vec<(String, Style)>;

/// Draws a message in the status line, and in the rows above it if the message is longer.
fn announce(app: &App, frame: &mut Frame<'_>, message: &str) {
    let screen = frame.area();
    let lines = wrap_plain(message, screen.width.max(1).into());
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(screen.height);
    let area = Rect { y: screen.bottom() - height, height, ..screen };
    frame.render_widget(Clear, area);
    frame.buffer_mut().set_style(area, app.palette.style(Role::Status));
    for (y, line) in (area.y..area.bottom()).zip(lines) {
        frame.render_widget(Line::raw(line), Rect { y, height: 1, ..area });
    }
}

/// Draws the messages, with the newest at the bottom.
pub(super) fn draw(app: &App, frame: &mut Frame<'_>, body: Rect) {
    if app.settings.ui.linear {
        let texts: Vec<&str> =
            app.problem.iter().chain(&app.toast).map(|toast| toast.text.as_str()).collect();
        if !texts.is_empty() {
            announce(app, frame, &texts.join("; "));
        }
        return;
    }
    let mut above = body;
    let mut messages = app.toast.iter().chain(&app.problem).peekable();
    if let Some(message) = messages.next_if(|message| fits_beside_keys(app, frame.area(), message))
    {
        in_row_of_keys(app, frame, message);
    }
    if app.dialogs.is_empty() {
        for message in messages {
            let used = toast(app, frame, message, above);
            // One row stays free between two messages.
            above.height = (used.y - body.y).saturating_sub(1);
        }
        return;
    }
    let Some(newest) = &app.toast else {
        if let Some(problem) = &app.problem {
            toast(app, frame, problem, body);
        }
        return;
    };
    let used = toast(app, frame, newest, body);
    // One row stays free between two messages.
    let above = Rect { height: (used.y - body.y).saturating_sub(1), ..body };
    let covered = app.dialogs.iter().any(|dialog| !dialog.is_line());
    if let Some(problem) = app.problem.as_ref().filter(|_| !covered && above.height > 0) {
        toast(app, frame, problem, above);
    }
}

/// The mark of a message and the colour of its kind.
fn kind(app: &App, toast: &Toast) -> (&'static str, Role) {
    let ascii = app.settings.ui.ascii;
    match (toast.tone, &toast.undo) {
        (Tone::Problem, _) => (marks(app).gone, Role::Error),
        (Tone::Note, Some(_)) if ascii => ("<", Role::Pinned),
        (Tone::Note, Some(_)) => ("↶", Role::Pinned),
        (Tone::Note, None) => (if app.settings.ui.ascii { "-" } else { "•" }, Role::Accent),
    }
}

/// The area for a message of this size: above the status line, or, if an open dialog leaves no rows for it
/// there, on the status line, or in the dialog above its keys.
fn place(app: &App, screen: Rect, body: Rect, (width, height): (u16, u16)) -> Rect {
    let gap = if body.width >= GAP_FROM { 2 } else { 0 };
    let covering = app.dialogs.last().is_some_and(|dialog| dialog.is_framed());
    let (right, bottom) = match app.dialog_shape.get().filter(|_| covering) {
        Some((outer, _)) if outer.bottom() + height <= body.bottom() => {
            (body.right() - gap, body.bottom())
        }
        Some((outer, _)) if outer.bottom() + height <= screen.bottom() => {
            (body.right() - gap, screen.bottom())
        }
        Some((outer, keys)) => {
            let last = outer.bottom().saturating_sub(1);
            let bottom = if keys.is_empty() { last } else { keys.y };
            (outer.right().saturating_sub(gap.max(1)), bottom)
        }
        None => {
            // The workbench fills the screen, and shows its own messages in the last row.
            let fills = app.dialogs.last().is_some_and(|d| !d.is_framed() && !d.is_line());
            let lowest = body.bottom() + 1 == screen.bottom();
            let below = u16::from((fills || body.height >= FREE) && lowest);
            (body.right() - gap, body.bottom() - below)
        }
    };
    let (width, height) = (width.min(right - body.x), height.min(bottom.saturating_sub(body.y)));
    Rect { x: right - width, y: bottom - height, width, height }
}

/// Whether a message is drawn in the row of the key hints, where it covers no text. This needs a screen
/// without a dialog, and space for some of the hints or, on a wide screen, for most of the hints and the
/// status.
fn fits_beside_keys(app: &App, screen: Rect, message: &Toast) -> bool {
    let is_free = app.dialogs.is_empty() && !app.settings.ui.linear;
    let part = screen.width * 2 / 5;
    // A small screen has no unused rows above the hints, so a message may replace most hints and the status.
    let most =
        if screen.width < WIDE { part.max(screen.width.saturating_sub(HINTS)) } else { part };
    is_free && width_joined(&rows_joined(app, message)) <= most
}

/// The part of the last row that a message leaves for the key hints.
pub(super) fn beside(app: &App, row: Rect) -> Rect {
    let message = app.toast.as_ref().or(app.problem.as_ref());
    let message = message.filter(|message| fits_beside_keys(app, row, message));
    let used = message.map_or(0, |message| width_joined(&rows_joined(app, message)));
    Rect { width: row.width - used, ..row }
}

/// Width of a message in a single row, in cells.
fn width_joined(line: &Pieces) -> u16 {
    u16::try_from(cells(line)).unwrap_or(u16::MAX).saturating_add(START + END)
}

/// Draws a message at the right of the row of key hints.
fn in_row_of_keys(app: &App, frame: &mut Frame<'_>, message: &Toast) {
    let screen = frame.area();
    let line = rows_joined(app, message);
    let left = beside(app, screen).width;
    let area = Rect { x: left, y: screen.bottom() - 1, width: screen.width - left, height: 1 };
    super::frame::clear(frame, area);
    frame.buffer_mut().set_style(area, app.palette.style(Role::Toast));
    draw_rows(app, frame, message, vec![line], area);
}

/// The whole message in a single row.
fn rows_joined(app: &App, message: &Toast) -> Pieces {
    let gap = |after: &str| (after.to_owned(), Style::new());
    let lines = rows(app, message, usize::MAX);
    let undo = lines.len() - usize::from(message.undo.is_some());
    let mut all = Pieces::new();
    for (i, line) in lines.into_iter().enumerate() {
        if i > 0 {
            all.push(gap(if i == undo { "   " } else { " " }));
        }
        all.extend(line);
    }
    all
}

fn cells(line: &Pieces) -> usize {
    line.iter().map(|(part, _)| text::width(part)).sum()
}

fn draw_rows(app: &App, frame: &mut Frame<'_>, message: &Toast, lines: Vec<Pieces>, area: Rect) {
    let (mark, role) = kind(app, message);
    let style = app.palette.style(role);
    for (i, (y, line)) in (area.y..area.bottom()).zip(lines).enumerate() {
        let mut row = Row::new(area.width);
        row.left(marks(app).bar, style);
        row.left(&format!(" {} ", if i == 0 { mark } else { " " }), style);
        for (part, style) in line {
            row.left(&part, style);
        }
        frame.render_widget(row.line(Style::new()), Rect { y, height: 1, ..area });
    }
}

/// Draws a message; returns its area.
fn toast(app: &App, frame: &mut Frame<'_>, toast: &Toast, body: Rect) -> Rect {
    let style = |role| app.palette.style(role);
    let gap = if body.width >= GAP_FROM { 4 } else { 0 };
    let most = body.width.saturating_sub(gap).max(1);
    let tries = WIDTHS.into_iter().filter(|width| *width < most).chain([most.min(WIDTHS[3])]);
    let mut lines = Vec::new();
    let mut width = most;
    for tried in tries {
        width = tried;
        lines = rows(app, toast, tried.saturating_sub(START + END).max(1).into());
        if lines.len() <= ROWS {
            break;
        }
    }
    let widest = lines.iter().map(cells).max().unwrap_or(0);
    if body.width < WIDE {
        width = width.min(u16::try_from(widest).unwrap_or(u16::MAX).saturating_add(START + END));
    }
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let screen = frame.area();
    let area = beside_selected(app, body, place(app, screen, body, (width, height)));
    if area.bottom() == screen.bottom() {
        // A partly covered status line would be useless.
        let last = Rect { y: screen.bottom() - 1, height: 1, ..screen };
        frame.render_widget(Clear, last);
        frame.buffer_mut().set_style(last, style(Role::Status));
    }
    super::frame::clear(frame, area);
    frame.buffer_mut().set_style(area, style(Role::Toast));
    draw_rows(app, frame, toast, lines, area);
    area
}

/// Moves a message that would cover the selected item to the rows above it, or below it if there is no space
/// above.
fn beside_selected(app: &App, body: Rect, area: Rect) -> Rect {
    let Some(items) = app.areas.items.filter(|_| app.dialogs.is_empty()) else { return area };
    let is_selected = |shown: &Option<usize>| *shown == Some(app.items.selected);
    let shown = app.items.shown.iter();
    let (Some(first), Some(last)) =
        (shown.clone().position(is_selected), shown.clone().rposition(is_selected))
    else {
        return area;
    };
    let row = |at: usize| items.y.saturating_add(u16::try_from(at).unwrap_or(u16::MAX));
    let selected = Rect { y: row(first), height: row(last) + 1 - row(first), ..items };
    match selected.y.checked_sub(area.height) {
        _ if !area.intersects(selected) => area,
        Some(y) if y >= body.y => Rect { y, ..area },
        _ => Rect { y: selected.bottom().min(body.bottom().saturating_sub(area.height)), ..area },
    }
}

/// The rows of a message: the event, more information, and the undo key.
fn rows(app: &App, toast: &Toast, width: usize) -> Vec<Pieces> {
    let style = |role| app.palette.style(role);
    let (first, rest) = match toast.body.split_once(". ") {
        Some((first, rest)) if !rest.is_empty() => (format!("{first}."), rest),
        _ => (toast.body.clone(), ""),
    };
    let first = wrap_plain(&first, width);
    let strong = if first.len() == 1 { Role::Title } else { Role::Bright };
    let mut after_press = false;
    let mut lines: Vec<Pieces> =
        first.iter().map(|line| with_keys(app, line, style(strong), &mut after_press)).collect();
    if !rest.is_empty() {
        let rest = wrap_plain(rest, width);
        lines.extend(
            rest.iter().map(|line| with_keys(app, line, style(Role::Text), &mut after_press)),
        );
    }
    if let Some(key) = &toast.undo {
        lines.push(vec![
            (key.clone(), style(Role::KeyHint)),
            (" undo".to_owned(), style(Role::Soft)),
        ]);
    }
    lines
}

/// A row in which keys, as in "Press Esc again", are coloured.
fn with_keys(app: &App, line: &str, style: Style, after_press: &mut bool) -> Pieces {
    let mut pieces: Pieces = Vec::new();
    for word in line.split_inclusive(' ') {
        let name = word.trim_end();
        if std::mem::replace(after_press, matches!(name, "Press" | "press")) {
            // The key itself may be a punctuation mark.
            let key =
                if name.len() > 1 { name.trim_end_matches(['.', ',', ';', ':']) } else { name };
            pieces.push((key.to_owned(), app.palette.style(Role::KeyHint)));
            pieces.push((word[key.len()..].to_owned(), style));
        } else {
            pieces.push((word.to_owned(), style));
        }
    }
    pieces
}
