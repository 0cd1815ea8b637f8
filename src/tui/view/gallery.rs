//! The gallery of themes: a small preview of the panes in each theme.

use super::super::app::App;
use super::super::reader::wrap_plain;
use super::super::style::Palette;
use super::chrome::{Marks, marks};
use super::row::Row;
use crate::config::{Depth, Role};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::Line;

/// Minimum and maximum width of a preview, with space for the names of all built-in themes.
const WIDTHS: (u16, u16) = (31, 36);
/// Height of a preview.
const HEIGHT: u16 = 5;
/// Horizontal and vertical gap between previews.
const GAP: (u16, u16) = (2, 1);
/// Gap between the fields and the previews, with space for a scroll bar and the mark of the current theme.
pub(super) const BEFORE: u16 = 3;
/// Maximum number of columns of previews next to the fields.
const COLUMNS: u16 = 2;
/// Minimum width of the fields.
const FIELDS: u16 = 40;
/// Width of the Sources pane in a preview: a mark and the longest word, with a cell on each side.
const PANEL: u16 = 10;

/// Width of a single column of previews.
pub(super) const COLUMN: u16 = WIDTHS.1 - 1;

/// Width of the previews next to the fields of a form; 0 if there is no space for any.
pub(super) fn width_beside(form: u16) -> u16 {
    let free = form.saturating_sub(FIELDS + BEFORE);
    let columns = columns(free).min(COLUMNS);
    free.min((columns * (WIDTHS.1 + GAP.0)).saturating_sub(GAP.0))
}

/// Number of previews in a row.
pub(super) fn columns(width: u16) -> u16 {
    (width + GAP.0) / (WIDTHS.0 + GAP.0)
}

/// Explains why the previews look alike on a terminal with few colours.
fn note(depth: Depth) -> Option<&'static str> {
    match depth {
        Depth::Mono => Some("This terminal shows no colours. All themes are drawn like this:"),
        Depth::Sixteen => Some(
            "This terminal shows 16 colours. Most themes are drawn like ansi or ansi-light here:",
        ),
        Depth::Indexed | Depth::True => None,
    }
}

/// The previews that fit, centred on the current theme.
struct Tiles {
    /// The explanation above the previews.
    note: Vec<String>,
    /// Theme indices and the positions of their previews.
    shown: Vec<(usize, Rect)>,
    /// The index of the current theme.
    now: usize,
    /// The row below the previews with the total number of themes, unless all are shown.
    more: Option<Rect>,
}

fn tiles(app: &App, themes: &[Palette], area: Rect) -> Option<Tiles> {
    let depth = app.palette.support().depth;
    let note = note(depth).map(|note| wrap_plain(note, area.width.max(8).into()));
    let note = note.unwrap_or_default();
    let used = u16::try_from(note.len()).unwrap_or(0);
    let area = match used {
        0 => area,
        used if area.height <= HEIGHT + used + 1 => return None,
        used => Rect { y: area.y + used + 1, height: area.height - used - 1, ..area },
    };
    let now = themes.iter().position(|theme| theme.name() == app.palette.name()).unwrap_or(0);
    let themes = match depth {
        Depth::Mono => now..now + 1,
        _ => 0..themes.len(),
    };
    let columns = columns(area.width);
    let width = ((area.width + GAP.0).checked_div(columns)? - GAP.0).min(WIDTHS.1);
    let columns = usize::from(columns);
    let fit = |height: u16| usize::from((height + GAP.1) / (HEIGHT + GAP.1));
    let all = themes.len().div_ceil(columns);
    let rows = if fit(area.height) >= all { all } else { fit(area.height.saturating_sub(1)) };
    if rows == 0 {
        return None;
    }
    let above = ((now - themes.start) / columns).saturating_sub(rows / 2).min(all - rows);
    let place = |(at, theme): (usize, usize)| {
        let column = u16::try_from(at % columns).unwrap_or(0);
        let row = u16::try_from(at / columns).unwrap_or(0);
        let x = area.x + column * (width + GAP.0);
        let y = area.y + row * (HEIGHT + GAP.1);
        (theme, Rect { x, y, width, height: HEIGHT })
    };
    let shown = themes.skip(above * columns).take(rows * columns).enumerate().map(place).collect();
    let below = area.y + u16::try_from(rows).unwrap_or(0) * (HEIGHT + GAP.1);
    let y = below.min(area.bottom() - 1);
    Some(Tiles { note, shown, now, more: (rows < all).then_some(Rect { y, height: 1, ..area }) })
}

/// The index of the theme with its preview at a screen position.
pub(super) fn at(app: &App, themes: &[Palette], area: Rect, at: Position) -> Option<usize> {
    let shown = tiles(app, themes, area)?.shown;
    shown.into_iter().find(|(_, tile)| tile.contains(at)).map(|(theme, _)| theme)
}

pub(super) fn draw(app: &App, frame: &mut Frame<'_>, themes: &[Palette], area: Rect) {
    let Some(tiles) = tiles(app, themes, area) else { return };
    for (y, line) in (area.y..).zip(tiles.note) {
        let line = Line::styled(line, app.palette.style(Role::Soft));
        frame.render_widget(line, Rect { y, height: 1, ..area });
    }
    for (i, tile) in tiles.shown {
        let Some(theme) = themes.get(i) else { continue };
        picture(frame, theme, tile, marks(app));
        if i == tiles.now && tile.x > 0 {
            let bar = if app.settings.ui.ascii { ">" } else { "▌" };
            for y in tile.top()..tile.bottom() {
                let accent = app.palette.style(Role::Accent);
                frame.buffer_mut().set_stringn(tile.x - 1, y, bar, 1, accent);
            }
        }
    }
    if let Some(row) = tiles.more {
        more(app, frame, (tiles.now, themes.len()), row);
    }
}

/// Draws the number of the current theme, and the keys that select others.
fn more(app: &App, frame: &mut Frame<'_>, (now, count): (usize, usize), area: Rect) {
    let keys = super::frame::shown_keys("Left Right", app.settings.ui.ascii);
    let mut row = Row::new(area.width);
    row.left(&format!("{} of {count}   ", now + 1), app.palette.style(Role::Dim));
    row.left(&keys, app.palette.style(Role::KeyHint));
    row.left(" other themes", app.palette.style(Role::Soft));
    frame.render_widget(row.line(Style::new()), area);
}

/// Draws sources and items in the styles of a theme.
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
