//! The list of changes and the page of key bindings.

use super::super::app::{App, HistoryList, KeysPage};
use super::super::reader::wrap_plain;
use super::chrome::marks;
use super::dialogs::{DialogArea, field_line, prompt_label, role, rows, split_field};
use super::frame::window;
use super::row::Row;
use super::{first_row, scroll_bar};
use crate::config::{Context, KeyOrigin, Role, show_sequence};
use crate::util::text;
use ratatui::Frame;
use ratatui::layout::Rect;
use std::ops::Range;

/// Maximum sizes of the dialogs.
const HISTORY_SIZE: (u16, u16) = (90, 24);
const KEYS_SIZE: (u16, u16) = (104, 40);

/// Draws the changes, newest first. Undone changes are above the current state.
pub(in crate::tui) fn draw(app: &App, frame: &mut Frame<'_>, list: &HistoryList, area: DialogArea) {
    let (steps, done) = (&app.history.steps, app.history.done);
    let count = app.history_rows();
    let height = u16::try_from(count).unwrap_or(u16::MAX).min(HISTORY_SIZE.1);
    let inner = window(app, frame, area, ("History", ""), (HISTORY_SIZE.0, height));
    rows(app, frame, inner, count, list.selected.min(count - 1), |i, row, here| {
        let applied = count - 1 - i;
        let mark = if applied == done { marks(app).pointer } else { " " };
        row.left(&format!("{mark} "), role(app, here, Role::Accent));
        let Some(step) = applied.checked_sub(1).and_then(|at| steps.get(at)) else {
            row.left("Initial state", role(app, here, Role::Dim));
            return;
        };
        let at = step.at.with_timezone(&chrono::Local).format("%H:%M:%S");
        row.left(&format!("{at}  "), role(app, here, Role::Dim));
        let undone = applied > done;
        if undone {
            row.right(" undone", role(app, here, Role::Warning));
        }
        row.left(&step.label, role(app, here, if undone { Role::Dim } else { Role::Text }));
    });
}

/// Draws every action with its keys.
pub(in crate::tui) fn draw_keys(
    app: &App,
    frame: &mut Frame<'_>,
    page: &KeysPage,
    area: DialogArea,
) {
    let inner = window(app, frame, area, ("Key bindings", ""), KEYS_SIZE);
    let (field, list) = split_field(inner);
    let footer = footer(page);
    let footer = footer.iter().flat_map(|(line, role)| {
        wrap_plain(line, inner.width.max(8).into()).into_iter().map(move |line| (line, *role))
    });
    let mut footer: Vec<_> = footer.collect();
    // An empty row, because the text would otherwise look like another row.
    if list.height >= 10 {
        footer.insert(0, (String::new(), Role::Dim));
    }
    let limit = usize::from(list.height / 2);
    footer.truncate(limit);
    let summary = u16::try_from(footer.len()).unwrap_or(0);
    let list = Rect { height: list.height - summary, ..list };
    let actions = page.actions();
    let at = actions.iter().position(|range| range.contains(&page.selected)).unwrap_or(0);
    if actions.is_empty() {
        let none = ratatui::text::Line::styled("No match", app.palette.style(Role::Dim));
        frame.render_widget(none, list);
    }
    rows(app, frame, list, actions.len(), at, |i, row, here| {
        action_row(app, row, page, (actions[i].clone(), here));
    });
    let height = usize::from(list.height);
    if actions.len() > height {
        // The scroll bar is in the margin, next to the state of the bindings.
        let first = first_row(at, height, actions.len());
        let beside = Rect { width: list.width + 1, ..list };
        scroll_bar(app, frame, beside, first..first + height, actions.len());
    }
    for (y, (line, role)) in (list.bottom()..inner.bottom()).zip(footer) {
        let line = ratatui::text::Line::styled(line, app.palette.style(role));
        frame.render_widget(line, Rect { y, height: 1, ..inner });
    }
    field_line(app, frame, &prompt_label(app, "Find: "), &page.field, field);
}

/// Draws an action with all of its keys. Brackets mark the keys that Enter would change.
fn action_row(app: &App, row: &mut Row, page: &KeysPage, (range, here): (Range<usize>, bool)) {
    let style = |role| app.palette.style(role);
    let bindings = &page.rows[range.clone()];
    let Some(first) = bindings.first() else { return };
    let all = |origin| bindings.iter().all(|binding| binding.origin == origin);
    if bindings.iter().any(|binding| binding.origin == KeyOrigin::Own) {
        row.right(" changed", style(Role::Ok));
    } else if all(KeyOrigin::Unbound) {
        row.right(" unbound", style(Role::Warning));
    }
    // All descriptions have the same width, so that the keys line up, unless the keys would not fit. The last
    // row of the dialog shows a truncated description in full.
    let keys = binding_keys(page, (range, here));
    let cells: usize = keys.iter().map(|(part, _)| text::width(part)).sum();
    let whole = row.free();
    let width = (whole * 11 / 20).min(whole.saturating_sub(cells)).max(whole * 2 / 5);
    let help = text::truncate(first.action.help(), width.saturating_sub(2)).into_owned();
    row.left(&help, role(app, here, Role::Text));
    row.left(&" ".repeat(width.saturating_sub(text::width(&help))), style(Role::Text));
    for (part, role) in keys {
        row.left(&part, style(role));
    }
}

/// The keys of an action in each pane, such as `Items: n  Reader: N`.
fn binding_keys(page: &KeysPage, (range, here): (Range<usize>, bool)) -> Vec<(String, Role)> {
    let mut parts = Vec::new();
    let mut context = Context::Everywhere;
    for (i, binding) in range.clone().zip(&page.rows[range]) {
        if binding.context != context {
            let gap = if parts.is_empty() { " " } else { "  " };
            parts.push((format!("{gap}{}: ", binding.context.title()), Role::Dim));
            context = binding.context;
        }
        let keys = binding.keys.as_deref().map_or_else(|| "-".to_owned(), show_sequence);
        let changes = here && i == page.selected;
        let (open, close) = if changes { ("[", "]") } else { (" ", " ") };
        let role = match binding.origin {
            KeyOrigin::Unbound => Role::Dim,
            _ => Role::KeyHint,
        };
        parts.push((format!("{open}{keys}{close}"), role));
    }
    parts
}

/// The text below the list: a prompt, a confirmation, or the help of the selected action.
fn footer(page: &KeysPage) -> Vec<(String, Role)> {
    if let Some(capture) = &page.capture {
        let (action, place) = (capture.row.action, capture.row.context.name());
        let prompt = match capture.keys.as_slice() {
            [] => "press the new key or sequence; Esc cancels".to_owned(),
            keys => {
                let keys = show_sequence(keys);
                format!("{keys} … press Enter or wait to finish; Esc cancels")
            }
        };
        return vec![(format!("{action} ({place}): {prompt}"), Role::Accent)];
    }
    if let Some(rebinding) = &page.confirm {
        let summary = rebinding.displaced.iter().map(|line| (line.clone(), Role::Warning));
        let ask = ("Press y to bind anyway, Esc to cancel".to_owned(), Role::Accent);
        return summary.chain([ask]).collect();
    }
    let help = page.rows.get(page.selected).map_or("No matches", |row| row.action.help());
    vec![(help.to_owned(), Role::Dim)]
}
