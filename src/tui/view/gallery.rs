//! The gallery of themes: a small picture of the panes in each theme.

use super::super::app::App;
use super::super::reader::wrap_plain;
use super::super::style::Palette;
use super::chrome::{Marks, marks};
use super::row::Row;
use crate::config::{Depth, Role};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

/// Minimum and maximum width of a picture, with space for the names of all built-in themes.
const WIDTHS: (u16, u16) = (31, 36);
/// Height of a picture.
const HEIGHT: u16 = 5;
/// Gap around a picture.
const GAP: (u16, u16) = (2, 1);
/// Gap between the fields and the pictures, with space for a scroll bar and for the mark of the theme in use.
pub(super) const BEFORE: u16 = 3;
/// Maximum number of columns next to the fields.
const COLUMNS: u16 = 2;
/// Width that the fields need.
const FIELDS: u16 = 40;
/// Width of the sources in a picture: a mark and the longest word, with a cell on each side.
const PANEL: u16 = 10;

/// Width of the pictures next to the fields of a form; 0 if there is no space for any.
pub(super) fn width_beside(form: u16) -> u16 {
    let free = form.saturating_sub(FIELDS + BEFORE);
    let columns = columns(free).min(COLUMNS);
    free.min((columns * (WIDTHS.1 + GAP.0)).saturating_sub(GAP.0))
}

/// Number of pictures in a row.
pub(super) fn columns(width: u16) -> u16 {
    (width + GAP.0) / (WIDTHS.0 + GAP.0)
}

/// Explains why the pictures are alike on a terminal with few colours.
fn note(depth: Depth) -> Option<&'static str> {
    match depth {
        Depth::Mono => Some("This terminal shows no colours. All themes are drawn like this:"),
        Depth::Sixteen => Some(
            "This terminal shows 16 colours. Most themes are similar to ansi or ansi-light here:",
        ),
        Depth::Indexed | Depth::True => None,
    }
}

/// Draws as many pictures as fit, around the one of the theme in use.
pub(super) fn draw(app: &App, frame: &mut Frame<'_>, themes: &[Palette], area: Rect) {
    let depth = app.palette.support().depth;
    let note = note(depth).map(|note| wrap_plain(note, area.width.max(8).into()));
    let note = note.unwrap_or_default();
    let used = u16::try_from(note.len()).unwrap_or(0);
    let top = area.y;
    let area = match used {
        0 => area,
        used if area.height <= HEIGHT + used + 1 => return,
        used => Rect { y: area.y + used + 1, height: area.height - used - 1, ..area },
    };
    for (y, line) in (top..).zip(note) {
        let line = Line::styled(line, app.palette.style(Role::Soft));
        frame.render_widget(line, Rect { y, height: 1, ..area });
    }
    let now = themes.iter().position(|theme| theme.name() == app.palette.name()).unwrap_or(0);
    let (themes, now) = match depth {
        Depth::Mono => (themes.get(now..=now).unwrap_or_default(), 0),
        _ => (themes, now),
    };
    let columns = columns(area.width);
    let Some(width) = (area.width + GAP.0).checked_div(columns) else { return };
    let size = ((width - GAP.0).min(WIDTHS.1), HEIGHT);
    let columns = usize::from(columns);
    let fit = |height: u16| usize::from((height + GAP.1) / (HEIGHT + GAP.1));
    let all = themes.len().div_ceil(columns);
    // The last row shows how many there are.
    let rows = if fit(area.height) >= all { all } else { fit(area.height.saturating_sub(1)) };
    if rows == 0 {
        return;
    }
    let first = (now / columns).saturating_sub(rows / 2).min(all - rows) * columns;
    for (i, theme) in themes.iter().enumerate().skip(first).take(rows * columns) {
        let at = i - first;
        let column = u16::try_from(at % columns).unwrap_or(0);
        let row = u16::try_from(at / columns).unwrap_or(0);
        let x = area.x + column * (size.0 + GAP.0);
        let y = area.y + row * (HEIGHT + GAP.1);
        let tile = Rect { x, y, width: size.0, height: HEIGHT };
        picture(frame, theme, tile, marks(app));
        if i == now && x > 0 {
            let bar = if app.settings.ui.ascii { ">" } else { "▌" };
            for y in tile.top()..tile.bottom() {
                let accent = app.palette.style(Role::Accent);
                frame.buffer_mut().set_stringn(x - 1, y, bar, 1, accent);
            }
        }
    }
    if rows < all {
        let below = area.y + u16::try_from(rows).unwrap_or(0) * (HEIGHT + GAP.1);
        let y = if below < area.bottom() { below } else { area.bottom() - 1 };
        let line = Rect { y, height: 1, ..area };
        more(app, frame, (now, themes.len()), line);
    }
}

/// Which theme is in use, and the keys that lead to the others.
fn more(app: &App, frame: &mut Frame<'_>, (now, count): (usize, usize), area: Rect) {
    let keys = super::frame::shown_keys("Left Right", app.settings.ui.ascii);
    let mut row = Row::new(area.width);
    row.left(&format!("{} of {count}   ", now + 1), app.palette.style(Role::Dim));
    row.left(&keys, app.palette.style(Role::KeyHint));
    row.left(" other themes", app.palette.style(Role::Soft));
    frame.render_widget(row.line(Style::new()), area);
}

/// The sources and the items of a theme, in its own styles.
fn picture(frame: &mut Frame<'_>, theme: &Palette, area: Rect, m: &Marks) {
    let style = |role| theme.style(role);
    let panel = Rect { width: PANEL, ..area };
    let list = Rect { x: panel.right(), width: area.width - panel.width, ..area };
    frame.render_widget(ratatui::widgets::Clear, area);
    frame.buffer_mut().set_style(panel, style(Role::Text));
    frame.buffer_mut().set_style(panel, style(Role::Panel));
    frame.buffer_mut().set_style(list, style(Role::Text));
    frame.buffer_mut().set_style(list, style(Role::Ground));
    let sources = [
        ("", "newsfed", Role::Title),
        (m.unread, "Unread", Role::Soft),
        (m.pinned, "Pinned", Role::Soft),
        (m.square, "Kettle", Role::Soft),
        (m.square, "Trams", Role::Dim),
    ];
    let name = theme.name().to_owned();
    let items = [
        ("", name.as_str(), Role::Heading),
        (m.unread, "plover 3.2 is out", Role::Unread),
        (m.pinned, "A fair scheduler", Role::SelectedTitle),
        (m.changed, "Line 4: timetable", Role::Unread),
        (" ", "The quiet disk", Role::Read),
    ];
    let mark_role = |mark: &str, n: usize| match mark {
        mark if mark == m.square && n == 3 => Role::Source2,
        mark if mark == m.square => Role::Source3,
        mark if mark == m.pinned => Role::Pinned,
        mark if mark == m.changed => Role::Changed,
        _ => Role::Accent,
    };
    for (i, ((mark, words, role), item)) in sources.into_iter().zip(items).enumerate() {
        let y = area.y + u16::try_from(i).unwrap_or(0);
        let draw = |frame: &mut Frame<'_>, at: Rect, mark: &str, words: &str, role: Role| {
            let mut row = Row::new(at.width);
            row.left(" ", style(role));
            if !mark.is_empty() {
                row.left(&format!("{mark} "), style(mark_role(mark, i)));
            }
            row.left(words, style(role));
            frame.render_widget(row.line(Style::new()), at);
        };
        draw(frame, Rect { y, height: 1, ..panel }, mark, words, role);
        let at = Rect { y, height: 1, ..list };
        if item.2 == Role::SelectedTitle {
            frame.buffer_mut().set_style(at, style(Role::Selected));
        }
        draw(frame, at, item.0, item.1, item.2);
    }
}
