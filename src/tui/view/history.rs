//! The list of changes, and the page of keys.

use super::super::app::{App, HistoryList, KeysPage};
use super::super::reader::wrap_plain;
use super::chrome::marks;
use super::dialogs::{field_line, role, rows, split_field, window};
use crate::config::{KeyOrigin, KeyRow, Role, show_sequence};
use crate::util::text;
use ratatui::Frame;
use ratatui::layout::Rect;

/// Largest boxes.
const HISTORY: (u16, u16) = (90, 24);
const KEYS: (u16, u16) = (90, 40);

/// The changes, newest first. Those that are undone stand above the state as it is now.
pub(super) fn draw(app: &App, frame: &mut Frame<'_>, list: &HistoryList, body: Rect) {
    let (steps, done) = (&app.history.steps, app.history.done);
    let count = app.history_rows();
    let height = u16::try_from(count + 2).unwrap_or(u16::MAX).min(HISTORY.1);
    let inner = window(app, frame, body, "Changes", (HISTORY.0, height));
    rows(app, frame, inner, count, list.selected.min(count - 1), |i, row, here| {
        let holds = count - 1 - i;
        let mark = if holds == done { marks(app).pointer } else { " " };
        row.left(&format!("{mark} "), role(app, here, Role::Accent));
        let Some(step) = holds.checked_sub(1).and_then(|at| steps.get(at)) else {
            row.left("the state before all of these", role(app, here, Role::Dim));
            return;
        };
        let at = step.at.with_timezone(&chrono::Local).format("%H:%M:%S");
        row.left(&format!("{at}  "), role(app, here, Role::Dim));
        let undone = holds > done;
        if undone {
            row.right(" undone", role(app, here, Role::Warning));
        }
        row.left(&step.words, role(app, here, if undone { Role::Dim } else { Role::Text }));
    });
}

/// Every action with its keys.
pub(super) fn draw_keys(app: &App, frame: &mut Frame<'_>, page: &KeysPage, body: Rect) {
    let inner = window(app, frame, body, "Keys of every action", KEYS);
    let (field, list) = split_field(inner);
    let said = words(page);
    let said = said.iter().flat_map(|(line, role)| {
        wrap_plain(line, inner.width.max(8).into()).into_iter().map(move |line| (line, *role))
    });
    let mut said: Vec<_> = said.collect();
    let most = usize::from(list.height / 2);
    said.truncate(most);
    let summary = u16::try_from(said.len()).unwrap_or(0);
    let list = Rect { height: list.height - summary, ..list };
    rows(app, frame, list, page.rows.len(), page.selected, |i, row, here| {
        let this = &page.rows[i];
        let style = |r| role(app, here, r);
        let narrow = list.width < 56;
        let name = text::truncate(this.action.name(), if narrow { 16 } else { 20 }).into_owned();
        row.left(&format!("{name:<0$}", if narrow { 17 } else { 21 }), style(Role::Accent));
        row.left(&format!("{:<11}", this.context.name()), style(Role::Dim));
        match this.origin {
            KeyOrigin::Preset => {}
            KeyOrigin::Own => row.right(" yours", style(Role::Ok)),
            KeyOrigin::TakenAway => row.right(" taken away", style(Role::Warning)),
        }
        row.left(&shown_keys(this), style(Role::KeyHint));
    });
    for (y, (line, role)) in (list.bottom()..inner.bottom()).zip(said) {
        let line = ratatui::text::Line::styled(line, app.palette.style(role));
        frame.render_widget(line, Rect { y, height: 1, ..inner });
    }
    field_line(app, frame, "search: ", &page.field, field);
}

fn shown_keys(row: &KeyRow) -> String {
    row.keys.as_deref().map_or_else(|| "-".to_owned(), show_sequence)
}

/// What stands below the list: what the selected action does, or what is being asked.
fn words(page: &KeysPage) -> Vec<(String, Role)> {
    if let Some(catching) = &page.catching {
        let (action, place) = (catching.row.action, catching.row.context.name());
        let struck = match catching.keys.as_slice() {
            [] => "strike the new key, or several; Esc leaves it".to_owned(),
            keys => format!("{} … Enter or a pause ends", show_sequence(keys)),
        };
        return vec![(format!("{action} ({place}): {struck}"), Role::Accent)];
    }
    if let Some(rebinding) = &page.request_options {
        let summary = rebinding.displaced.iter().map(|line| (line.clone(), Role::Warning));
        let ask = ("Enter goes on all the same, any other key leaves it".to_owned(), Role::Accent);
        return summary.chain([ask]).collect();
    }
    let help = page.rows.get(page.selected).map_or("nothing found", |row| row.action.help());
    vec![(help.to_owned(), Role::Dim)]
}
