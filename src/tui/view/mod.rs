//! Draws the interface. Event handlers compute whatever can be computed in advance.

pub(super) mod add;
mod chrome;
mod complete;
pub(super) mod crawl_form;
mod crawl_plot;
pub(super) mod crawls;
pub(super) mod dialogs;
pub(super) mod downloads;
pub(super) mod editor;
mod empty;
mod frame;
mod gallery;
mod groups;
pub(super) mod help;
pub(super) mod history;
mod items;
mod key_table;
mod linear;
pub(super) use items::{Series, list_style, shows_summaries, shows_thumbnails};
pub(super) mod listen;
pub(super) mod lists;
pub(super) mod palette;
mod pictures;
pub(super) mod progress;
mod reader;
mod row;
pub(super) mod rules;
pub(super) mod search;
mod sheet;
mod snippet;
mod sources;
pub(super) mod stats;
mod toasts;
mod welcome;
pub(super) mod why;
pub(super) mod workbench;

use super::app::{App, Focus, Prompt, PromptKind, SearchBar};
use crate::config::{Key, Role};
pub(super) use chrome::count_of_list;
pub(super) use dialogs::DialogArea;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use std::ops::Range;

/// Minimum size of a screen that is drawn.
const MIN_SIZE: (u16, u16) = (20, 6);
/// Minimum width for showing two panes.
const TWO_PANES: u16 = 60;
/// Minimum width for showing the Reader next to a list.
const BESIDE: u16 = 100;
/// Minimum width for showing three panes.
const THREE_PANES: u16 = 132;
/// Minimum width of a Reader next to another pane.
const READER: u16 = 56;
/// Number of cells around the Reader's text: margins, scroll bar and pointer.
const READER_MARGINS: u16 = 8;
/// Minimum height of a screen with titles.
const TITLES: u16 = 10;
/// Minimum height for an empty row above the titles and below the lists.
const AIRY: u16 = 36;

pub(super) fn draw(app: &mut App, frame: &mut Frame<'_>) {
    app.reader.pictures.begin_frame();
    app.shown_hints.borrow_mut().clear();
    app.dialog_shape.set(None);
    let area = frame.area();
    if area.width < MIN_SIZE.0 || area.height < MIN_SIZE.1 {
        let note =
            crate::util::text::truncate("newsfed needs 20x6", area.width.into()).into_owned();
        frame.render_widget(
            ratatui::text::Line::raw(note),
            Rect { height: area.height.min(1), ..area },
        );
        return;
    }
    let body = body_of((area.width, area.height));
    let bottom = Rect { y: body.bottom(), height: 1, ..area };
    let ground = app.palette.style(Role::Ground);
    frame.buffer_mut().content.iter_mut().for_each(|cell| _ = cell.set_style(ground));
    panes(app, frame, body);
    chrome::status(app, frame, toasts::beside(app, bottom));
    let above = sheet::draw(app, frame, body);
    dialogs::draw(app, frame, body, bottom);
    toasts::draw(app, frame, above);
    if app.settings.ui.ascii {
        // If a dialog covers the article, everything is replaced.
        let covered = app.dialogs.iter().any(|dialog| dialog.is_framed());
        let article = app.areas.reader.filter(|_| !covered);
        ascii_marks(frame.buffer_mut(), article.unwrap_or_default());
    }
    part_flags(frame.buffer_mut());
    pictures::cover(app, frame.buffer_mut());
}

/// Replaces ellipses, separators and shades by ASCII, except in the article, which is shown unchanged.
fn ascii_marks(buffer: &mut Buffer, article: Rect) {
    for position in buffer.area.positions().filter(|position| !article.contains(*position)) {
        let cell = &mut buffer[position];
        match cell.symbol() {
            "…" => cell.set_symbol("~"),
            "·" | "•" => cell.set_symbol("-"),
            "░" => cell.set_symbol("."),
            "▒" => cell.set_symbol(":"),
            "▓" => cell.set_symbol("+"),
            "█" => cell.set_symbol("#"),
            _ => continue,
        };
    }
}

/// The area above the status line.
fn body_of((width, height): (u16, u16)) -> Rect {
    Rect { x: 0, y: 0, width, height: height.saturating_sub(1) }
}

/// Some terminals draw the two letters of a flag as a flag, others as two letters of one cell each. The cell
/// after a flag gets a no-break space, so that the next frame overwrites it even if its new content is a
/// space.
fn part_flags(buffer: &mut Buffer) {
    let is_flag = |symbol: &str| {
        symbol.len() == 8 && symbol.chars().all(|c| ('\u{1f1e6}'..='\u{1f1ff}').contains(&c))
    };
    for i in 1..buffer.content.len() {
        if is_flag(buffer.content[i - 1].symbol()) {
            buffer.content[i].set_symbol("\u{a0}");
        }
    }
}

/// Minimum and maximum width of a list between the sources and an article.
const LIST: (u16, u16) = (40, 60);
/// Minimum width of a list next to an article, without the sources.
const MIN_LIST: u16 = 38;

/// The panes shown at this width, and their widths.
pub(super) fn arrangement(app: &App, width: u16) -> Vec<(Focus, u16)> {
    let is_open = app.reader.article.is_some() || app.focus == Focus::Reader;
    // If there is space for all panes, the preview is shown from the start.
    let previews = app.settings.ui.preview && !app.sources.list.sources.is_empty();
    let reading = is_open || previews && width >= THREE_PANES;
    let alone = app.focus == Focus::Reader && width < BESIDE;
    if app.zen || alone {
        return vec![(Focus::Reader, width)];
    }
    if app.settings.ui.linear {
        return vec![(app.focus, width)];
    }
    if width < TWO_PANES {
        return vec![(app.focus, width)];
    }
    let ui = &app.settings.ui;
    let or_default = |cells: u16, limit: u16, default: u16| match cells {
        0 => default,
        cells => cells.clamp(12, limit),
    };
    let part =
        |of: u16, percent: u32| u16::try_from(u32::from(of) * percent / 100).unwrap_or(u16::MAX);
    let default = if width < BESIDE { 22 } else { part(width, 22).clamp(24, 34) };
    let sources = or_default(app.borders.sources_width(ui), width / 2, default);
    let beside = |space: u16, default: u16| {
        // Most of the space that the text column does not need goes to the list.
        let left = space.saturating_sub(default + 1 + app.reader.column + READER_MARGINS);
        let default = default + left / 3 * 2;
        let limit = space.saturating_sub(READER + 1).max(12);
        let items = or_default(app.borders.items_width(ui), limit, default.min(limit));
        [(Focus::Items, items), (Focus::Reader, space - items - 1)]
    };
    let hidden = !ui.sources_pane && app.focus != Focus::Sources;
    let space = width.saturating_sub(sources);
    // While an article is read, its column is not narrower than with two panes: the list shrinks, or the
    // sources are hidden. Widths that the user has set are kept.
    let chosen = app.borders.sources_width(ui) > 0 || app.borders.items_width(ui) > 0;
    let text_first = app.focus == Focus::Reader && !chosen;
    let beside_text = space.saturating_sub(1 + app.reader.column + READER_MARGINS);
    let has_space = !text_first || beside_text >= LIST.0;
    let of_list = part(space, 45).clamp(LIST.0, LIST.1);
    let of_list = if text_first { of_list.min(beside_text) } else { of_list };
    // With two panes, the list shrinks until the text has its whole column, as long as titles are readable.
    let text_space = width.saturating_sub(1 + app.reader.column + READER_MARGINS);
    let of_two = |default: u16| default.min(text_space.max(MIN_LIST));
    match width {
        BESIDE.. if reading && hidden => {
            beside(width, of_two(part(width, 40).clamp(48, 72))).to_vec()
        }
        _ if hidden => vec![(Focus::Items, width)],
        THREE_PANES.. if reading && has_space => {
            let panes = beside(space, of_list);
            [(Focus::Sources, sources)].into_iter().chain(panes).collect()
        }
        BESIDE.. if reading && app.focus != Focus::Sources => beside(width, of_two(48)).to_vec(),
        _ => vec![(Focus::Sources, sources), (Focus::Items, width - sources)],
    }
}

fn panes(app: &mut App, frame: &mut Frame<'_>, area: Rect) {
    app.areas = super::app::Areas::default();
    let panes = arrangement(app, area.width);
    let screen = area.height + 1;
    let top = u16::from(screen >= AIRY);
    let head = if screen < TITLES { 0 } else { top + 2 };
    let mut x = area.x;
    for (i, &(pane, width)) in panes.iter().enumerate() {
        let whole = Rect { x, width, ..area };
        let body = Rect { y: area.y + head, height: area.height - head, ..whole };
        // The row above the key hints stays empty too.
        let above_keys = Rect { height: body.height - top, ..body };
        if pane == Focus::Sources {
            frame.buffer_mut().set_style(whole, app.palette.style(Role::Panel));
        }
        match pane {
            Focus::Sources => sources::draw(app, frame, above_keys),
            Focus::Items => items::draw(app, frame, above_keys),
            Focus::Reader => reader::draw(app, frame, body),
        }
        // The title is drawn after the pane, because the pane lays out the text that the title refers to.
        if head > 0 {
            chrome::title(app, frame, pane, Rect { y: area.y + top, height: 2, ..whole });
        }
        x += width;
        // The background of the Sources pane separates it from the list.
        let painted = pane == Focus::Sources && app.palette.style(Role::Panel).bg.is_some();
        if i + 1 < panes.len() && painted {
            continue;
        }
        if i + 1 < panes.len() {
            let line = if pane == Focus::Sources { x - 1 } else { x };
            chrome::divider(app, frame, Rect { x: line, width: 1, ..area });
            x = line + 1;
        }
    }
}

/// Makes a range of cells in a row clickable: a click presses the keys.
fn clickable(app: &App, row: Rect, cells: Range<usize>, keys: Vec<Key>) {
    let cell = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    let part = Rect { x: row.x + cell(cells.start), width: cell(cells.len()), ..row };
    if !keys.is_empty() && !row.is_empty() {
        app.shown_hints.borrow_mut().push((part.intersection(row), keys));
    }
}

/// Draws the background of a selected row.
fn select(app: &App, frame: &mut Frame<'_>, area: Rect, selected: bool, focused: bool) {
    let role = if focused { Role::Selected } else { Role::SelectedUnfocused };
    let style = app.palette.style(role);
    // If the theme has no background for selected rows, only the title shows the selection.
    if selected && style.bg.is_some() {
        frame.buffer_mut().set_style(area, style);
    }
}

/// The style of the title in a row; based on `usual`.
fn title_style(app: &App, usual: Role, selected: bool, focused: bool) -> Style {
    let style = app.palette.style(usual);
    let elsewhere = app.palette.style(Role::SelectedUnfocused);
    match (selected, focused) {
        (true, true) => app.palette.style(Role::SelectedTitle),
        (true, false) if elsewhere.bg.is_none() => style.patch(elsewhere),
        // The selected row is also visible while the Reader has the focus.
        (true, false) => style.add_modifier(Modifier::BOLD),
        _ => style,
    }
}

/// Draws the bar at the left of a selected row.
fn select_bar(app: &App, frame: &mut Frame<'_>, area: Rect, focused: bool) {
    // A screen reader reads the row of the cursor. If bars moved, it would read both changed rows.
    if app.settings.ui.linear {
        return;
    }
    let m = chrome::marks(app);
    let (bar, role) = if focused { (m.bar, Role::Accent) } else { (m.faint_bar, Role::Edge) };
    let style = app.palette.style(role);
    frame.buffer_mut()[(area.x, area.y)].set_symbol(bar).set_style(style);
}

/// The index of the first visible row, with the selected row in the middle if possible.
fn first_row(selected: usize, height: usize, count: usize) -> usize {
    let first = (selected + 1).saturating_sub(height).max(selected.saturating_sub(height / 2));
    first.min(count.saturating_sub(height))
}

/// Draws a scroll bar in the last column that shows which part of `all` is visible.
fn scroll_bar(app: &App, frame: &mut Frame<'_>, area: Rect, seen: Range<usize>, all: usize) {
    let space = usize::from(area.height);
    if space < 3 || all == 0 || area.width < 22 || app.settings.ui.linear {
        return;
    }
    let length = (seen.len() * space).div_ceil(all).clamp(1, space);
    let below = all.saturating_sub(seen.len()).max(1);
    let first = (seen.start.min(below) * (space - length)).div_ceil(below);
    let m = chrome::marks(app);
    for (i, y) in (area.y..area.bottom()).enumerate() {
        let thumb = (first..first + length).contains(&i);
        let (symbol, role) = if thumb { (m.thumb, Role::Edge) } else { (m.track, Role::Border) };
        let cell = &mut frame.buffer_mut()[(area.right() - 1, y)];
        let style = app.palette.style(role);
        // Without colours, the bar would be the brightest part of the screen.
        let dim = if style.fg.is_none_or(|ink| ink == Color::Reset) {
            Modifier::DIM
        } else {
            Modifier::empty()
        };
        cell.set_symbol(symbol).set_style(style.add_modifier(dim));
    }
}

/// Whether a pane receives keys.
fn has_focus(app: &App, pane: Focus) -> bool {
    // A pane keeps the focus while the user types into its search line or filter.
    let finds = app.dialog::<Prompt>().is_some_and(|prompt| prompt.kind == PromptKind::Find);
    let lines = usize::from(app.dialog::<SearchBar>().is_some()) + usize::from(finds);
    app.focus == pane && app.dialogs.len() == lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clears_both_cells_of_a_flag() {
        let area = Rect::new(0, 0, 4, 1);
        let (mut before, after) = (Buffer::empty(area), Buffer::empty(area));
        before.set_string(0, 0, "a🇨🇭b", ratatui::style::Style::new());
        part_flags(&mut before);
        let cleared: Vec<u16> = before.diff(&after).into_iter().map(|(x, ..)| x).collect();
        assert_eq!(cleared, [0, 1, 2, 3]);
    }
}
