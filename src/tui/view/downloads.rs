//! The list of downloads.

use super::super::app::{App, DownloadList, DownloadRow};
use super::DialogArea;
use super::dialogs::{role, rows};
use super::frame::window;
use crate::config::{Action, Context, Role};
use crate::engine::FileState;
use crate::util::text::{self, counted, size};
use crate::util::time_text::age;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

const WIDTH: u16 = 96;
const MAX_ROWS: u16 = 24;
/// Minimum width of a row with the total size and the source.
const WITH_ALL: u16 = 72;

pub(in crate::tui) fn draw(
    app: &App,
    frame: &mut Frame<'_>,
    list: &mut DownloadList,
    area: DialogArea,
) {
    let count = list.rows(app).len();
    list.selected = list.selected.min(count.saturating_sub(1));
    let height = u16::try_from(count).unwrap_or(u16::MAX).clamp(1, MAX_ROWS);
    let subject = if count == 0 { String::new() } else { counted(count, "file") };
    let inner = window(app, frame, area, ("Downloads", &subject), (WIDTH, height));
    if count == 0 {
        let hint = match list.entries {
            None => "Loading the list …".to_owned(),
            Some(_) => {
                let key = app.keymap.keys_for(Context::Items, Action::Download);
                let key = key.map(|key| format!(" {key} on an item downloads its enclosure."));
                format!("No downloads yet.{}", key.unwrap_or_default())
            }
        };
        let line = Line::styled(hint, app.palette.style(Role::Text));
        let area = Rect { height: inner.height.min(1), ..inner };
        return frame.render_widget(line, area);
    }
    let all = list.rows(app);
    let widest = |text: &dyn Fn(&DownloadRow<'_>) -> String| {
        all.iter().map(|row| text::width(&text(row))).max().unwrap_or(0)
    };
    let is_wide = inner.width >= WITH_ALL;
    let bytes = |row: &DownloadRow<'_>| bytes(row, is_wide);
    let widths = (widest(&|row| state(app, row).0), widest(&bytes));
    rows(app, frame, inner, count, list.selected, |i, row, here| {
        let download = &all[i];
        let (state, tone) = state(app, download);
        row.right(format!("  {state:<0$}", widths.0), role(app, here, tone));
        row.right(format!("  {:>1$}", bytes(download), widths.1), role(app, here, Role::Text));
        let source = download.entry.and_then(|entry| app.sources.entry(entry.source?));
        if let Some(failed) = download.failed.filter(|_| is_wide) {
            let why = text::truncate(&failed.why, 40);
            row.right(format!("  {why}"), role(app, here, Role::Error));
        } else if let Some(source) = source.filter(|_| is_wide) {
            let title = text::truncate(source.title(), 20);
            row.right(format!("  {title}"), role(app, here, Role::Dim));
        }
        row.left(download.name(), role(app, here, Role::Text));
    });
}

/// The number of received bytes, followed by the total size if `with_total`.
fn bytes(download: &DownloadRow<'_>, with_total: bool) -> String {
    let (there, total) = match (download.running, download.entry) {
        (Some(running), Some(entry)) => {
            (running.received.unwrap_or(entry.size), running.total.or(entry.total))
        }
        (Some(running), None) => (running.received.unwrap_or(0), running.total),
        (None, Some(entry)) => (entry.size, entry.total),
        (None, None) => return String::new(),
    };
    match total {
        Some(total) if with_total && total != there => {
            format!("{} of {}", size(there), size(total))
        }
        _ => size(there),
    }
}

fn state(app: &App, download: &DownloadRow<'_>) -> (String, Role) {
    if let Some(running) = download.running {
        let state = if running.received.is_some() { "downloading" } else { "waiting" };
        return (state.to_owned(), Role::Accent);
    }
    if download.failed.is_some() {
        return ("failed".to_owned(), Role::Error);
    }
    let Some(entry) = download.entry else { return (String::new(), Role::Dim) };
    match entry.state {
        None => ("unfinished".to_owned(), Role::Warning),
        Some(FileState::Unchanged) => {
            let ago = entry.at.map(|at| age((app.now - at).num_seconds()));
            (ago.unwrap_or_default(), Role::Dim)
        }
        Some(_) => (entry.state_name().to_owned(), Role::Warning),
    }
}
