//! The progress of a refresh: a bar, and a row per source. Without one, the last checks.

use super::super::app::{App, Fate, Progress};
use super::super::reader::wrap_plain;
use super::chrome::marks;
use super::dialogs::{DialogArea, role, rows, rule};
use super::frame::{shape, window};
use super::row::Row;
use crate::config::Role;
use crate::util::text;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

const WIDTH: u16 = 100;
/// Number of cells for the names of sources.
const NAMES: usize = 28;
/// Number of rows for the full result of the selected source, with the rule above it, if results are cut off.
const DETAIL: u16 = 3;
/// Number of cells of a row before the result.
const BEFORE: usize = 2 + NAMES + 2;

pub(in crate::tui) fn draw(
    app: &App,
    frame: &mut Frame<'_>,
    progress: &mut Progress,
    area: DialogArea,
) {
    let list = app.progress_rows();
    progress.selected = progress.selected.min(list.len().saturating_sub(1));
    let count = |fate| list.iter().filter(|(_, of, _)| *of == fate).count();
    let waiting = count(Fate::Waiting);
    let done = list.len() - waiting;
    let (title, subject) = match (app.refreshing.is_empty(), app.has_refreshed()) {
        (false, _) => ("Refresh", format!("{done} of {}", list.len())),
        (true, true) => ("Refresh", "finished".to_owned()),
        (true, false) => ("Last checks", "automatic".to_owned()),
    };
    let width = usize::from(shape(area.body, (WIDTH, 1)).inner.width);
    let is_cut = |words: &str| BEFORE + text::width(words) > width;
    let detail = if list.iter().any(|(.., words)| is_cut(words)) { DETAIL } else { 0 };
    let height = u16::try_from(list.len()).unwrap_or(u16::MAX).saturating_add(detail + 2);
    let inner = window(app, frame, area, (title, &subject), (WIDTH, height.max(12)));
    let counts = [
        (count(Fate::Failed), "failed"),
        (count(Fate::Skipped), "skipped"),
        (count(Fate::New), "with new items"),
        (count(Fate::Unchanged), "unchanged"),
        (waiting, "waiting"),
    ];
    let counts = counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}"));
    let summary = counts.collect::<Vec<_>>().join(", ");
    let mut head = Row::new(inner.width);
    if app.has_refreshed() {
        head.right(bar(app, done, list.len()), app.palette.style(Role::Accent));
    }
    head.left(&summary, app.palette.style(Role::Soft));
    let row = Rect { height: inner.height.min(1), ..inner };
    frame.render_widget(head.line(app.palette.style(Role::Text)), row);
    let below = if inner.height >= 10 { detail } else { 0 };
    let top = (inner.y + 2).min(inner.bottom());
    let part = Rect { y: top, height: inner.bottom().saturating_sub(top + below), ..inner };
    rows(app, frame, part, list.len(), progress.selected, |i, row, here| {
        let (source, fate, words) = &list[i];
        let (mark, tone) = mark(app, *fate);
        row.left(&format!("{mark} "), app.palette.style(tone));
        let name = text::truncate(app.source_name(source), NAMES).into_owned();
        row.left(&name, role(app, here, Role::Text));
        row.left(&" ".repeat(NAMES + 2 - text::width(&name)), app.palette.style(Role::Text));
        let tone = if *fate == Fate::Failed { Role::Error } else { Role::Soft };
        row.left(words, app.palette.style(tone));
    });
    let Some((.., words)) = list.get(progress.selected) else { return };
    if below == 0 || !is_cut(words) {
        return;
    }
    rule(app, frame, Rect { y: part.bottom(), height: 1, ..inner });
    let lines = wrap_plain(words.trim_start(), inner.width.max(8).into());
    for (y, line) in (part.bottom() + 1..inner.bottom()).zip(lines) {
        let line = Line::styled(line, app.palette.style(Role::Soft));
        frame.render_widget(line, Rect { y, height: 1, ..inner });
    }
}

fn bar(app: &App, done: usize, total: usize) -> String {
    const CELLS: usize = 24;
    let m = marks(app);
    let filled = (done * CELLS).checked_div(total).unwrap_or(CELLS).min(CELLS);
    m.heavy.repeat(filled) + &m.across.repeat(CELLS - filled)
}

/// The mark of a result; the words next to it have the same meaning.
fn mark(app: &App, fate: Fate) -> (&'static str, Role) {
    let ascii = app.settings.ui.ascii;
    let of = |unicode, plain| if ascii { plain } else { unicode };
    match fate {
        Fate::Failed => (of("✗", "x"), Role::Error),
        Fate::Skipped => (of("–", "-"), Role::Warning),
        Fate::New => (of("✓", "+"), Role::Ok),
        Fate::Unchanged => (of("·", "."), Role::Dim),
        Fate::Waiting => (marks(app).busy, Role::Dim),
    }
}
