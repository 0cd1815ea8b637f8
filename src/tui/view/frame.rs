//! The frame of a dialog: the border, the title, the subject, and the keys in the last row.

use super::super::app::{App, Hint};
use super::dialogs::{DialogArea, MoreKeys};
use super::row::{Row, fill};
use crate::config::{Action, Context, Key, Role, parse_sequence};
use crate::util::text;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::{Block, BorderType, Clear};

/// Number of cells between the border and the content.
const PADDING: u16 = 2;
/// Number of cells between the border and the content on narrow screens.
const NARROW_PADDING: u16 = 1;
/// Minimum width of a screen that is not narrow.
const WIDE: u16 = 60;
/// Minimum height at which the row below the title is always empty.
const AIRY: u16 = 12;
/// Minimum height at which the row above the keys is empty too, and the dialog leaves a row free above and
/// below itself.
pub(super) const FREE: u16 = 30;

/// The areas of a dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// The dialog including its border.
    pub(super) outer: Rect,
    /// The area for the content.
    pub(super) inner: Rect,
    /// The row for the keys; empty if there is no space for it.
    keys: Rect,
}

/// Number of cells between the border and the content, for the width of the screen.
pub(super) fn padding(width: u16) -> u16 {
    if width < WIDE { NARROW_PADDING } else { PADDING }
}

/// Computes the areas of a dialog from the size of its content. In a short area, the frame gives up its empty
/// rows first, then its keys.
pub(super) fn shape(body: Rect, (width, rows): (u16, u16)) -> Shape {
    let beside = 1 + padding(body.width);
    let width = width.min(body.width);
    let free = body.height.saturating_sub(rows.saturating_add(2));
    let (keys, above, below) = match free {
        _ if body.height < 8 => (0, 0, 0),
        0..3 if body.height >= FREE => (1, 1, 1),
        0..3 if body.height >= AIRY => (1, 1, 0),
        0 | 1 => (1, 0, 0),
        2 => (1, 0, 1),
        _ => (1, 1, 1),
    };
    let free = if body.height >= FREE { 2 } else { 0 };
    let height = rows.saturating_add(2 + keys + above + below).min(body.height - free);
    let outer = Rect {
        x: body.x + (body.width - width) / 2,
        y: body.y + ((body.height - height) / 3).max(free / 2),
        width,
        height,
    };
    let width = width.saturating_sub(2 * beside);
    let x = outer.x + beside.min(outer.width);
    let top = (outer.y + 1 + above).min(outer.bottom());
    let last = outer.bottom().saturating_sub(1 + keys).max(top);
    let bottom = last.saturating_sub(below).max(top);
    Shape {
        outer,
        inner: Rect { x, y: top, width, height: bottom - top },
        keys: Rect { x, y: last, width, height: keys },
    }
}

/// Draws the frame of a dialog for content of this size; returns the area for the content.
pub(super) fn window(
    app: &App,
    frame: &mut Frame<'_>,
    area: DialogArea,
    (title, subject): (&str, &str),
    size: (u16, u16),
) -> Rect {
    let Shape { outer, inner, keys } = shape(area.body, size);
    app.dialog_shape.set(Some((outer, keys)));
    if app.settings.ui.linear {
        linear(app, frame, area, (title, subject));
        frame.render_widget(key_line(app, area, keys, app.palette.style(Role::Raised)), keys);
        return inner;
    }
    clear(frame, outer);
    frame.buffer_mut().set_style(outer, app.palette.style(Role::Raised));
    // Clears a single row of the screen below the dialog, because it might show half of an item.
    if outer.bottom() + 1 == area.body.bottom() && area.body.height >= FREE {
        let below = Rect { y: outer.bottom(), height: 1, ..area.body };
        fill(frame, " ", Style::new(), below);
    }
    let ascii = app.settings.ui.ascii;
    let across = if ascii { "-" } else { "─" };
    let block = Block::bordered().border_style(app.palette.style(Role::Edge));
    let block = match ascii {
        true => block.border_set(ASCII_BORDER),
        false => block.border_type(BorderType::Rounded),
    };
    frame.render_widget(block, outer);
    let mut head = Row::new(outer.width.saturating_sub(4));
    if !subject.is_empty() && usize::from(outer.width) >= text::width(title) + 20 {
        let space = usize::from(outer.width) / 2 - 4;
        let subject = text::truncate(subject, space).into_owned();
        head.right(format!(" {subject} "), app.palette.style(Role::Soft));
    }
    head.left(&format!(" {title} "), app.palette.style(Role::Title));
    head.fill(across, app.palette.style(Role::Edge));
    let head = head.line(app.palette.style(Role::Raised));
    let at = Rect { x: outer.x + 2, y: outer.y, width: outer.width.saturating_sub(4), height: 1 };
    // Otherwise a title without its own colour would have the colour of the border.
    clear(frame, at);
    frame.render_widget(head, at);
    frame.render_widget(key_line(app, area, keys, app.palette.style(Role::Raised)), keys);
    inner
}

/// Clears the screen and draws the title of a dialog, without borders.
fn linear(app: &App, frame: &mut Frame<'_>, area: DialogArea, (title, subject): (&str, &str)) {
    clear(frame, area.body);
    frame.buffer_mut().set_style(area.body, app.palette.style(Role::Raised));
    let of = if subject.is_empty() { "" } else { ": " };
    let style = app.palette.style(Role::Title);
    let head = Rect { height: area.body.height.min(1), ..area.body };
    frame.render_widget(Line::styled(format!("{title}{of}{subject}"), style), head);
}

/// The hint for the key that lists all keys of the dialog.
fn more_hint(app: &App, more: MoreKeys) -> Option<Hint> {
    let keys = app.keymap.all_keys_for(Context::Everywhere, Action::Help);
    let mut keys = keys.into_iter().map(|keys| (parse_sequence(&keys).unwrap_or_default(), keys));
    let is_typed = |press: &[Key]| press.first().is_none_or(|key| key.text().is_some());
    let (press, keys) = match more {
        MoreKeys::Never => None,
        MoreKeys::Untyped => keys.find(|(press, _)| !is_typed(press)),
        MoreKeys::Any => keys.next(),
    }?;
    Some(Hint { keys, label: "more".into(), press })
}

/// Key hints, most useful first, as many as fit, followed by the key that lists the others.
pub(super) fn key_line(
    app: &App,
    DialogArea { hints, more, .. }: DialogArea,
    area: Rect,
    ground: Style,
) -> Line<'static> {
    /// Number of cells between two hints.
    const GAP: usize = 3;
    let hints = app.dialog_hints(hints);
    let shown = |hint: &Hint| shown_keys(&hint.keys, app.settings.ui.ascii);
    let cells = |hint: &Hint| GAP + text::width(&shown(hint)) + 1 + text::width(&hint.label);
    let space = usize::from(area.width) + GAP;
    let all_fit = hints.iter().map(cells).sum::<usize>() <= space;
    // The last hint is always shown, because its key closes the dialog.
    let (others, way_out) = hints.split_at(hints.len().saturating_sub(1));
    let least: usize = others.iter().take(1).chain(way_out).map(cells).sum();
    let more = more_hint(app, more).filter(|more| !all_fit && least + cells(more) <= space);
    let after: usize = way_out.iter().map(cells).sum();
    let reserved = after + more.iter().map(cells).sum::<usize>();
    let others = others.iter().map(|hint| (hint, reserved));
    let rest = more.iter().map(|hint| (hint, after)).chain(way_out.iter().map(|hint| (hint, 0)));
    let mut row = Row::new(area.width);
    for (hint, reserved) in others.chain(rest) {
        let gap = if row.used() == 0 { 0 } else { GAP };
        if cells(hint) - GAP + gap + reserved > row.free() {
            continue;
        }
        row.left(&" ".repeat(gap), app.palette.style(Role::Text));
        let start = row.used();
        row.left(&shown(hint), app.palette.style(Role::KeyHint));
        row.left(&format!(" {}", hint.label), app.palette.style(Role::Soft));
        super::clickable(app, area, start..row.used(), hint.press.clone());
    }
    row.line(ground)
}

/// Replaces the names of arrow keys by arrows.
pub(super) fn shown_keys(keys: &str, ascii: bool) -> String {
    match keys {
        "Up Down" if !ascii => "↑↓".to_owned(),
        "Left Right" if !ascii => "←→".to_owned(),
        keys => keys.to_owned(),
    }
}

/// Clears an area. Also removes a wide character that extends into the area from the left, because its second
/// cell would hide the border.
pub(super) fn clear(frame: &mut Frame<'_>, area: Rect) {
    frame.render_widget(Clear, area);
    let Some(left) = area.x.checked_sub(1) else { return };
    for y in area.top()..area.bottom() {
        let cell = &mut frame.buffer_mut()[(left, y)];
        if text::width(cell.symbol()) > 1 {
            cell.set_symbol(" ");
        }
    }
}

const ASCII_BORDER: ratatui::symbols::border::Set<'static> = ratatui::symbols::border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_the_row_below_the_title_empty() {
        for height in 12..=60 {
            for rows in [1, 8, 30, u16::MAX] {
                let Shape { outer, inner, keys } = shape(Rect::new(0, 0, 120, height), (96, rows));
                assert_eq!(inner.y, outer.y + 2, "{height} {rows}");
                assert_eq!(keys.height, 1);
                if height >= FREE {
                    assert!(outer.y > 0 && outer.bottom() < height, "{outer:?} in {height}");
                }
            }
        }
    }

    #[test]
    fn content_stays_inside_the_frame_at_every_size() {
        for width in 0..=130 {
            for height in 0..=40 {
                let body = Rect::new(0, 1, width, height);
                for rows in [0, 1, 5, 30, u16::MAX] {
                    let Shape { outer, inner, keys } = shape(body, (96, rows));
                    assert!(outer.bottom() <= body.bottom() && outer.right() <= body.right());
                    let inside = |part: Rect| {
                        part.is_empty()
                            || part.x > outer.x
                                && part.right() < outer.right()
                                && part.y > outer.y
                                && part.bottom() < outer.bottom()
                    };
                    assert!(inside(inner), "{outer:?} {inner:?}");
                    assert!(inside(keys), "{outer:?} {keys:?}");
                    assert!(!inner.intersects(keys), "{inner:?} {keys:?}");
                }
            }
        }
    }
}
