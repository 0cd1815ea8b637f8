//! The gallery of themes: a small picture of the panes in each theme.

use super::super::app::App;
use super::super::style::Palette;
use super::chrome::{Marks, marks};
use super::row::Row;
use crate::config::{Depth, Role};
use crate::util::text;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

/// Size of a picture, and the gap around it.
const TILE: (u16, u16) = (26, 5);
const GAP: (u16, u16) = (2, 1);
/// Width of the sources in a picture.
const PANEL: u16 = 9;

/// Why pictures are alike on a terminal with few colours.
fn note(depth: Depth) -> Option<&'static str> {
    match depth {
        Depth::Mono => Some("This terminal shows no colours. All themes are drawn like this:"),
        Depth::Sixteen => {
            Some("This terminal shows 16 colours. Most themes resemble ansi or ansi-light:")
        }
        Depth::Indexed | Depth::True => None,
    }
}

/// Draws the pictures around that of the theme in use, as many as fit.
pub(super) fn draw(app: &App, frame: &mut Frame<'_>, themes: &[Palette], area: Rect) {
    let depth = app.palette.support().depth;
    let area = match note(depth).filter(|_| area.height > TILE.1 + 1) {
        Some(note) => {
            let line = Line::styled(note, app.palette.style(Role::Soft));
            frame.render_widget(line, Rect { height: 1, ..area });
            Rect { y: area.y + 2, height: area.height - 2, ..area }
        }
        None => area,
    };
    let now = themes.iter().position(|theme| theme.name() == app.palette.name()).unwrap_or(0);
    let (themes, now) = match depth {
        Depth::Mono => (themes.get(now..=now).unwrap_or_default(), 0),
        _ => (themes, now),
    };
    let columns = usize::from((area.width + GAP.0) / (TILE.0 + GAP.0));
    let rows = usize::from((area.height + GAP.1) / (TILE.1 + GAP.1));
    if columns == 0 || rows == 0 {
        return;
    }
    let last = themes.len().div_ceil(columns).saturating_sub(rows);
    let first = (now / columns).saturating_sub(rows / 2).min(last) * columns;
    for (i, theme) in themes.iter().enumerate().skip(first).take(rows * columns) {
        let at = i - first;
        let column = u16::try_from(at % columns).unwrap_or(0);
        let row = u16::try_from(at / columns).unwrap_or(0);
        let x = area.x + column * (TILE.0 + GAP.0);
        let y = area.y + row * (TILE.1 + GAP.1);
        let tile = Rect { x, y, width: TILE.0, height: TILE.1 };
        picture(frame, theme, tile, marks(app));
        if i == now && x > 0 {
            let bar = if app.settings.ui.ascii { ">" } else { "▌" };
            for y in tile.top()..tile.bottom() {
                let accent = app.palette.style(Role::Accent);
                frame.buffer_mut().set_stringn(x - 1, y, bar, 1, accent);
            }
        }
    }
}

/// The sources and the items of a theme, in its own styles.
fn picture(frame: &mut Frame<'_>, theme: &Palette, area: Rect, m: &Marks) {
    let style = |role| theme.style(role);
    let panel = Rect { width: PANEL, ..area };
    let list = Rect { x: area.x + PANEL, width: area.width - PANEL, ..area };
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
        (" ", "The disk that slept", Role::Read),
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
            let words = text::truncate(words, row.free().saturating_sub(1)).into_owned();
            row.left(&words, style(role));
            frame.render_widget(row.line(ratatui::style::Style::new()), at);
        };
        draw(frame, Rect { y, height: 1, ..panel }, mark, words, role);
        let at = Rect { y, height: 1, ..list };
        if item.2 == Role::SelectedTitle {
            frame.buffer_mut().set_style(at, style(Role::Selected));
        }
        draw(frame, at, item.0, item.1, item.2);
    }
}
