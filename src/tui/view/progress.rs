//! The progress of a refresh: a bar, and a row for each source. Without a refresh, the last checks. The log
//! has the same rows.

use super::super::app::{App, CheckRow, Fate, LogList, Progress};
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
const MIN_HEIGHT: u16 = 12;
/// The title of the dialog after a refresh has started.
const REFRESH: &str = "Refresh";
/// Minimum and maximum number of cells for the names of sources.
const NAMES: (usize, usize) = (12, 30);
/// Number of cells for the age of a check, including the gap after it.
const AGES: usize = 5;
/// Minimum number of rows for the list.
const MIN_ROWS: u16 = 2;

/// Widths of the columns, in cells.
#[derive(Clone, Copy)]
struct Columns {
    names: usize,
    ages: usize,
    /// The width of the whole row.
    all: usize,
}

impl Columns {
    fn of(list: &[CheckRow<'_>], all: usize) -> Self {
        let ages = if list.iter().any(|row| !row.ago.is_empty()) { AGES } else { 0 };
        Self { names: (all / 3).clamp(NAMES.0, NAMES.1), ages, all }
    }

    /// Whether the result in a row is truncated.
    fn cuts(self, row: &CheckRow<'_>) -> bool {
        2 + self.names + 2 + self.ages + text::width(&row.words) > self.all
    }

    /// The lines below the list for a row: the result if it is truncated in the row (with the source if its
    /// name is truncated too), followed by more details.
    fn detail(self, app: &App, row: &CheckRow<'_>) -> Vec<String> {
        let more =
            wrap_plain(&row.more, self.all.max(8)).into_iter().filter(|line| !line.is_empty());
        if !self.cuts(row) {
            return more.collect();
        }
        let name = app.distinct_name(row.source, usize::MAX);
        let words = match text::width(&name) > self.names {
            true => format!("{name}: {}", row.words),
            false => row.words.to_string(),
        };
        wrap_plain(&words, self.all.max(8)).into_iter().chain(more).collect()
    }
}

pub(in crate::tui) fn draw(
    app: &App,
    frame: &mut Frame<'_>,
    progress: &mut Progress,
    area: DialogArea,
) {
    let list = app.progress_rows();
    progress.selected = progress.selected.min(list.len().saturating_sub(1));
    let waiting = list.iter().filter(|row| row.fate == Fate::Waiting).count();
    let done = list.len() - waiting;
    let (title, subject) = match (app.refreshing.is_empty(), app.has_refreshed()) {
        (false, _) => (REFRESH, format!("{done} of {}", list.len())),
        (true, true) => (REFRESH, "finished".to_owned()),
        (true, false) => ("Last checks", "automatic".to_owned()),
    };
    checks(app, frame, area, (title, &subject), &list, progress.selected);
}

/// Draws the log.
pub(in crate::tui) fn log(app: &App, frame: &mut Frame<'_>, log: &LogList, area: DialogArea) {
    let list = log.rows(app);
    let is_empty = list.as_ref().is_some_and(Vec::is_empty);
    let list = list.unwrap_or_default();
    checks(app, frame, area, ("Log", "failed checks and notes"), &list, log.selected);
    if is_empty {
        let inner = shape(area.body, (WIDTH, MIN_HEIGHT)).inner;
        frame.render_widget(Line::styled("No failures.", app.palette.style(Role::Soft)), inner);
    }
}

/// Draws a list of checks with a summary above it, and the details of the selected row below it.
fn checks(
    app: &App,
    frame: &mut Frame<'_>,
    area: DialogArea,
    title: (&str, &str),
    list: &[CheckRow<'_>],
    selected: usize,
) {
    let width = usize::from(shape(area.body, (WIDTH, 1)).inner.width);
    let columns = Columns::of(list, width);
    // The height depends on the longest result, so that the list does not move while the selection changes.
    let cut = list.iter().filter(|row| columns.cuts(row) || !row.more.is_empty());
    let longest = cut.max_by_key(|row| text::width(&row.words));
    let lines = |row| columns.detail(app, row).len() + 1;
    let detail = longest.into_iter().chain(list.get(selected)).map(lines).max();
    // Without details, the rule is not drawn either.
    let detail = u16::try_from(detail.filter(|lines| *lines > 1).unwrap_or(0)).unwrap_or(u16::MAX);
    let height = u16::try_from(list.len()).unwrap_or(u16::MAX).saturating_add(detail + 2);
    let inner = window(app, frame, area, title, (WIDTH, height.max(MIN_HEIGHT)));
    let with_bar = title.0 == REFRESH && app.has_refreshed();
    summary(app, frame, list, with_bar, Rect { height: inner.height.min(1), ..inner });
    // The summary, followed by an empty row if there is space.
    let above = if inner.height < 2 + MIN_ROWS + detail { 1 } else { 2 };
    let top = (inner.y + above).min(inner.bottom());
    let below = detail.min(inner.height.saturating_sub(above + MIN_ROWS));
    let part = Rect { y: top, height: inner.bottom().saturating_sub(top + below), ..inner };
    rows(app, frame, part, list.len(), selected, |i, row, here| {
        draw_row(app, row, (&list[i], here), columns);
    });
    let Some(lines) = list.get(selected).map(|row| columns.detail(app, row)) else {
        return;
    };
    if below == 0 || lines.is_empty() {
        return;
    }
    rule(app, frame, Rect { y: part.bottom(), height: 1, ..inner });
    for (y, line) in (part.bottom() + 1..inner.bottom()).zip(lines) {
        let line = Line::styled(line, app.palette.style(Role::Soft));
        frame.render_widget(line, Rect { y, height: 1, ..inner });
    }
}

/// Draws the number of sources with each result, and the progress bar of a refresh.
fn summary(app: &App, frame: &mut Frame<'_>, list: &[CheckRow<'_>], with_bar: bool, area: Rect) {
    let count = |fate| list.iter().filter(|row| row.fate == fate).count();
    let counts = [
        (count(Fate::Failed), "failed"),
        (count(Fate::Skipped), "skipped"),
        (count(Fate::Repaired), "with notes"),
        (count(Fate::New), "with new items"),
        (count(Fate::Unchanged), "unchanged"),
        (count(Fate::Waiting), "waiting"),
    ];
    let counts = counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}"));
    let words = counts.collect::<Vec<_>>().join(", ");
    let mut head = Row::new(area.width);
    if with_bar {
        let done = list.len() - count(Fate::Waiting);
        head.right(bar(app, done, list.len()), app.palette.style(Role::Accent));
    }
    head.left(&words, app.palette.style(Role::Soft));
    frame.render_widget(head.line(app.palette.style(Role::Text)), area);
}

fn draw_row(app: &App, row: &mut Row, (check, here): (&CheckRow<'_>, bool), columns: Columns) {
    let (mark, tone) = mark(app, check.fate);
    row.left(&format!("{mark} "), app.palette.style(tone));
    let name = app.distinct_name(check.source, columns.names);
    row.column(&name, columns.names + 2, role(app, here, Role::Text));
    if columns.ages > 0 {
        let ago = format!("{:>3}  ", check.ago);
        row.left(&ago, app.palette.style(Role::Dim));
    }
    let tone = if check.fate == Fate::Failed { Role::Error } else { Role::Soft };
    row.left(&check.words, app.palette.style(tone));
}

fn bar(app: &App, done: usize, total: usize) -> String {
    const CELLS: usize = 24;
    let m = marks(app);
    let filled = (done * CELLS).checked_div(total).unwrap_or(CELLS).min(CELLS);
    m.heavy.repeat(filled) + &m.across.repeat(CELLS - filled)
}

/// The mark of a result. The text next to it has the same meaning.
pub(super) fn mark(app: &App, fate: Fate) -> (&'static str, Role) {
    let ascii = app.settings.ui.ascii;
    let of = |unicode, plain| if ascii { plain } else { unicode };
    match fate {
        Fate::Failed => (of("✗", "x"), Role::Error),
        Fate::Skipped => (of("–", "-"), Role::Warning),
        Fate::Repaired => ("!", Role::Warning),
        Fate::New => (of("✓", "+"), Role::Ok),
        Fate::Unchanged => (of("·", "."), Role::Dim),
        Fate::Waiting => (marks(app).busy, Role::Dim),
    }
}
