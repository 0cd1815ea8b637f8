//! The schedule dialog.

use super::super::app::{App, WhyDialog};
use super::super::reader::wrap_plain;
use super::dialogs::DialogArea;
use super::row::Row;
use crate::config::{Action, Context, Role};
use crate::engine::{Check, CheckResult, ScheduleReport, Total};
use crate::model::Time;
use crate::util::sparkline::sparkline;
use crate::util::text;
use chrono::{DurationRound, TimeDelta};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

/// A line of the dialog, as pieces of text with their styles.
type Pieces = Vec<(String, Style)>;

/// Width of the dialog, in cells.
const WIDTH: u16 = 100;
/// Height of the dialog while it is loading.
const HEIGHT: usize = 28;
/// Minimum inner width for showing totals, hours and habits side by side.
const WIDE: usize = 80;
/// Minimum inner width for drawing charts.
const DRAWN: usize = 50;
/// Width of the columns for names and times.
const NAMES: usize = 11;
/// Width of the column for day names.
const DAY: usize = 5;
/// Minimum width of the text next to the chart of hours.
const BESIDE: usize = 34;
/// Maximum number of listed checks.
const LISTED: usize = 8;

pub(in crate::tui) fn draw(
    app: &App,
    frame: &mut Frame<'_>,
    dialog: &mut WhyDialog,
    area: DialogArea,
) {
    let width = WIDTH.min(area.body.width);
    let space = usize::from(width.saturating_sub(2 * (1 + super::frame::padding(area.body.width))));
    // For screen readers, charts are replaced by text, as on narrow screens.
    let width_of_page = if app.settings.ui.linear { space.min(DRAWN - 1) } else { space };
    let lines =
        dialog.report.as_ref().map(|report| Page { app, report, width: width_of_page }.lines());
    // While the report is loading, the dialog has its usual height, so that it does not jump.
    let height = lines.as_ref().map_or(HEIGHT, Vec::len);
    let height = u16::try_from(height).unwrap_or(u16::MAX);
    let lines = lines.unwrap_or_default();
    let title = app.sources.entry(dialog.source).map_or("", |entry| entry.title());
    let inner = super::frame::window(app, frame, area, ("Schedule", title), (width, height));
    dialog.top = dialog.top.min(lines.len().saturating_sub(inner.height.into()));
    for (y, pieces) in (inner.y..inner.bottom()).zip(lines.iter().skip(dialog.top)) {
        let mut row = Row::new(inner.width);
        for (text, style) in pieces {
            row.left(text, *style);
        }
        frame.render_widget(row.line(Style::new()), Rect { y, height: 1, ..inner });
    }
    let seen = dialog.top..lines.len().min(dialog.top + usize::from(inner.height));
    if seen.len() < lines.len() {
        // The scroll bar is in the padding, so that it covers no text.
        let beside = Rect { width: inner.width + 1, ..inner };
        super::scroll_bar(app, frame, beside, seen, lines.len());
    }
    frame.set_cursor_position(Position::new(inner.x, inner.y));
}

/// The report, with everything needed to draw it.
struct Page<'a> {
    app: &'a App,
    report: &'a ScheduleReport,
    /// Width of a line, in cells.
    width: usize,
}

impl Page<'_> {
    fn style(&self, role: Role) -> Style {
        self.app.palette.style(role)
    }

    fn ascii(&self) -> bool {
        self.app.settings.ui.ascii
    }

    fn lines(&self) -> Vec<Pieces> {
        let mut lines = self.head();
        lines.push(vec![]);
        lines.extend(self.totals());
        lines.push(vec![]);
        lines.extend(self.habits());
        lines.extend(self.crawl());
        if self.width >= DRAWN && !self.report.checks.is_empty() {
            lines.push(vec![]);
            lines.extend(self.timeline());
        }
        if !self.report.checks.is_empty() {
            lines.push(vec![]);
            lines.push(vec![("Last checks".to_owned(), self.style(Role::Title))]);
            lines.extend(self.report.checks.iter().take(LISTED).map(|check| self.check(check)));
        }
        lines
    }

    /// The time of the next check, and the reasons for it.
    fn head(&self) -> Vec<Pieces> {
        let basis = &self.report.basis;
        let mut first = vec![(self.report.next.clone(), self.style(Role::Bright))];
        let free = self.width.saturating_sub(text::width(&self.report.next));
        if free >= text::width(basis) + 3 {
            let blank = " ".repeat(free - text::width(basis));
            first.push((blank + basis, self.style(Role::Dim)));
        }
        let mut lines = vec![first];
        for reason in &self.report.reasons {
            for line in wrap_plain(reason, self.width) {
                lines.push(vec![(line, self.style(Role::Soft))]);
            }
        }
        if let Some(advice) = &self.report.advice {
            let advice = format!("Advice: {}. Press a to apply it.", advice.describe());
            for line in wrap_plain(&advice, self.width) {
                lines.push(vec![(line, self.style(Role::Accent))]);
            }
        }
        lines
    }

    /// The totals, as tiles side by side if there is space for charts.
    fn totals(&self) -> Vec<Pieces> {
        const GAP: usize = 2;
        let linear = self.app.settings.ui.linear;
        // A flat line would resemble a progress bar.
        let is_flat = self.report.per_day.windows(2).all(|days| days[0] == days[1]);
        let per_day = if linear || is_flat { &[] } else { &*self.report.per_day };
        let chart = sparkline(per_day, self.ascii());
        let remark = |n: usize, total: &Total| match n {
            0 => (chart.clone(), self.style(Role::Accent)),
            _ => (total.remark.clone(), self.style(Role::Dim)),
        };
        if self.width < DRAWN {
            let line = |(n, total): (usize, &Total)| {
                let value = format!("{} {}  ", total.value, total.label);
                vec![(value, self.style(Role::Text)), remark(n, total)]
            };
            return self.report.totals.iter().enumerate().map(line).collect();
        }
        let columns = if self.width >= WIDE { 4 } else { 2 };
        let cells = (self.width - GAP * (columns - 1)) / columns;
        let ground = self.style(Role::Sunken);
        let mut lines = Vec::new();
        let totals: Vec<(usize, &Total)> = self.report.totals.iter().enumerate().collect();
        for row in totals.chunks(columns) {
            let (mut upper, mut lower) = (Vec::new(), Vec::new());
            for (n, total) in row {
                if n % columns > 0 {
                    let gap = (" ".repeat(GAP), Style::new());
                    upper.push(gap.clone());
                    lower.push(gap);
                }
                let value = (total.value.clone(), ground.patch(self.style(Role::Title)));
                let label = (format!(" {}", total.label), ground.patch(self.style(Role::Soft)));
                tile(&mut upper, vec![value, label], cells, ground);
                let (remark, style) = remark(*n, total);
                tile(&mut lower, vec![(remark, ground.patch(style))], cells, ground);
            }
            lines.extend([upper, lower, vec![]]);
        }
        lines.pop();
        lines
    }

    /// The publishing habits of the source, and the limits of the schedule.
    fn habits(&self) -> Vec<Pieces> {
        let chart = if self.width < DRAWN { vec![] } else { self.week() };
        let column = DAY + 24 * self.cells() + 5;
        let stacked = chart.is_empty() || self.width < column + BESIDE;
        let space = self.width - if stacked { 0 } else { column };
        let mut beside = self.pairs(&self.report.habits, space);
        if !self.report.limits.is_empty() {
            beside.push(vec![]);
            beside.push(vec![("Limits".to_owned(), self.style(Role::Title))]);
            beside.extend(self.pairs(&self.report.limits, space));
        }
        if stacked {
            let gap = if chart.is_empty() { vec![] } else { vec![vec![]] };
            return [chart, gap, beside].concat();
        }
        let rows = chart.len().max(beside.len() + 1);
        let mut chart = chart.into_iter();
        // The first row is left free for the title of the chart.
        let mut beside = std::iter::once(vec![]).chain(beside);
        let line = |_| {
            let mut pieces = chart.next().unwrap_or_default();
            let used: usize = pieces.iter().map(|(part, _)| text::width(part)).sum();
            let right = beside.next().unwrap_or_default();
            if !right.is_empty() {
                pieces.push((" ".repeat(column.saturating_sub(used)), Style::new()));
            }
            pieces.extend(right);
            pieces
        };
        (0..rows).map(line).collect()
    }

    /// Names with their values, wrapped to a width.
    fn pairs(&self, pairs: &[(&'static str, String)], width: usize) -> Vec<Pieces> {
        let mut lines = Vec::new();
        for (name, value) in pairs {
            let parts = wrap_plain(value, width.saturating_sub(NAMES).max(10));
            for (n, part) in parts.into_iter().enumerate() {
                let name = if n == 0 { *name } else { "" };
                let name = (format!("{name:<NAMES$}"), self.style(Role::Soft));
                lines.push(vec![name, (part, self.style(Role::Text))]);
            }
        }
        lines
    }

    /// A chart of the hours of the week.
    fn week(&self) -> Vec<Pieces> {
        if self.report.week.is_empty() {
            return vec![];
        }
        let cells = self.cells();
        let title = ("Publishing times".to_owned(), self.style(Role::Title));
        // The pattern is estimated for all hours, including those without items.
        let basis = Some(&*self.report.basis).filter(|basis| basis.starts_with("learned from"));
        let what = format!("   likely hours of new items, {}", basis.unwrap_or("estimated"));
        let what = (what, self.style(Role::Dim));
        let hours: String =
            (0..24).step_by(3).map(|h| format!("{h:02}{:1$}", "", cells * 3 - 2)).collect();
        let scale = (format!("{:DAY$}{hours}", ""), self.style(Role::Dim));
        let mut lines = vec![vec![title, what], vec![scale]];
        for (day, levels) in &self.report.week {
            let mut line = vec![(format!("{day:<DAY$}"), self.style(Role::Dim))];
            line.extend(levels.iter().map(|level| self.heat(*level, cells)));
            lines.push(line);
        }
        let mut legend = vec![(format!("{:DAY$}Quiet ", ""), self.style(Role::Dim))];
        legend.extend((0..5).map(|level| self.heat(level, 2)));
        legend.push((" busy".to_owned(), self.style(Role::Dim)));
        lines.push(legend);
        lines
    }

    /// Number of cells for each hour.
    fn cells(&self) -> usize {
        if self.width >= WIDE { 2 } else { 1 }
    }

    fn heat(&self, level: u8, cells: usize) -> (String, Style) {
        let (symbol, style) = self.app.palette.heat(level, self.ascii());
        (symbol.repeat(cells), style)
    }

    fn crawl(&self) -> Vec<Pieces> {
        if self.report.crawl.is_empty() {
            return vec![];
        }
        let mut lines = vec![vec![], vec![("Crawl".to_owned(), self.style(Role::Title))]];
        for line in &self.report.crawl {
            for part in wrap_plain(line, self.width) {
                lines.push(vec![(part, self.style(Role::Text))]);
            }
        }
        let stop = self.app.keymap.keys_for(Context::Sources, Action::StopCrawl);
        if let Some(stop) = stop.filter(|_| self.report.exploring) {
            let label = (" stop the crawl".to_owned(), self.style(Role::Soft));
            lines.push(vec![(stop, self.style(Role::KeyHint)), label]);
        }
        lines
    }

    /// The symbol and style for the result of a check.
    fn mark(&self, result: CheckResult) -> (&'static str, Style) {
        let ascii = self.ascii();
        match result {
            CheckResult::Changed => (if ascii { "*" } else { "●" }, self.style(Role::Ok)),
            CheckResult::Unchanged => (if ascii { "o" } else { "○" }, self.style(Role::Dim)),
            CheckResult::Failed => ("!", self.style(Role::Warning)),
        }
    }

    /// A timeline with past and planned checks.
    fn timeline(&self) -> Vec<Pieces> {
        let report = self.report;
        let (line, planned, here) =
            if self.ascii() { ("-", "+", "|") } else { ("─", "◇", "┃") };
        let window = Window::of(report, self.width);
        let now = window.column(report.now).unwrap_or(0);
        let mut cells = vec![(line, self.style(Role::Edge)); self.width];
        let mut put = |column: Option<usize>, cell| {
            if let Some(slot) = column.and_then(|column| cells.get_mut(column)) {
                *slot = cell;
            }
        };
        // The mark of the present would hide checks that are only minutes away, so these are drawn next to
        // it.
        for at in &report.coming {
            let column = window.column(*at).map(|column| column.max(now + 1));
            put(column, (planned, self.style(Role::Accent)));
        }
        // Checks with results are drawn last, so that checks without changes do not hide them.
        let found = |check: &&Check| check.result != CheckResult::Unchanged;
        let (found, nothing): (Vec<_>, Vec<_>) = report.checks.iter().rev().partition(found);
        for check in nothing.into_iter().chain(found) {
            let column = window.column(check.at).map(|column| column.min(now.saturating_sub(1)));
            put(column, self.mark(check.result));
        }
        put(Some(now), (here, self.style(Role::Accent)));
        let mut title = vec![("Checks".to_owned(), self.style(Role::Title))];
        let marks = [
            (self.mark(CheckResult::Changed), " new"),
            (self.mark(CheckResult::Unchanged), " unchanged"),
            (self.mark(CheckResult::Failed), " failed"),
            ((planned, self.style(Role::Accent)), " planned"),
        ];
        // The legend lists only the marks on the timeline.
        for ((mark, style), label) in marks.into_iter().filter(|(mark, _)| cells.contains(mark)) {
            title.push((format!("   {mark}"), style));
            title.push((label.to_owned(), self.style(Role::Dim)));
        }
        let cells = cells.into_iter().map(|(symbol, style)| (symbol.to_owned(), style));
        vec![title, cells.collect(), self.scale(&window)]
    }

    /// The times below the timeline.
    fn scale(&self, window: &Window) -> Pieces {
        let mut line: Pieces = Vec::new();
        let mut used = 0;
        for (at, label) in window.labels() {
            let Some(column) = window.column(at) else { continue };
            let start = column.saturating_sub(text::width(&label) / 2);
            let end = start + text::width(&label);
            if used > 0 && start <= used || end > self.width {
                continue;
            }
            line.push((" ".repeat(start - used), Style::new()));
            used = end;
            line.push((label, self.style(Role::Dim)));
        }
        line
    }

    /// The time of day if it is within the last 24 hours, otherwise the date.
    fn when(&self, at: Time) -> String {
        let recent = self.report.now - at < TimeDelta::hours(24);
        let form = if recent { "%H:%M" } else { "%-d %b" };
        (at + TimeDelta::seconds(self.report.east.into())).format(form).to_string()
    }

    /// A row of the list of checks.
    fn check(&self, check: &Check) -> Pieces {
        const WHAT: usize = 16;
        let (mark, style) = self.mark(check.result);
        let what = text::truncate(&check.what, WHAT).into_owned();
        let blank = " ".repeat(WHAT - text::width(&what));
        vec![
            (format!("{:<8}", self.when(check.at)), self.style(Role::Dim)),
            (format!("{mark} "), style),
            (what + &blank, self.style(Role::Text)),
            (format!("  {}", check.detail), self.style(Role::Dim)),
        ]
    }
}

/// Appends a tile of this width, with one blank cell on each side.
pub(super) fn tile(line: &mut Pieces, pieces: Pieces, cells: usize, ground: Style) {
    line.push((" ".to_owned(), ground));
    let mut free = cells.saturating_sub(2);
    for (part, style) in pieces {
        let part = text::truncate(&part, free).into_owned();
        free -= text::width(&part);
        line.push((part, style));
    }
    line.push((" ".repeat(free + 1), ground));
}

/// The period that the timeline covers; three quarters of it are in the past.
struct Window {
    from: Time,
    span: TimeDelta,
    width: usize,
    /// The offset of the user's time zone from UTC.
    east: TimeDelta,
}

/// Possible lengths of the timeline, in hours.
const SPANS: [i64; 5] = [1, 4, 8, 24, 96];
/// Minimum number of checks that the timeline should show.
const ENOUGH: usize = 6;

impl Window {
    /// The shortest period with enough checks.
    fn of(report: &ScheduleReport, width: usize) -> Self {
        let window = |hours: i64| {
            let span = TimeDelta::hours(hours);
            Self {
                from: report.now - span * 3 / 4,
                span,
                width,
                east: TimeDelta::seconds(report.east.into()),
            }
        };
        let all = report.checks.len().min(ENOUGH);
        let enough = |window: &Self| {
            report.checks.iter().filter(|check| window.column(check.at).is_some()).count() >= all
                && report.coming.first().is_none_or(|next| window.column(*next).is_some())
        };
        SPANS.map(window).into_iter().find(enough).unwrap_or_else(|| window(SPANS[SPANS.len() - 1]))
    }

    /// The column of a time, if it is on the timeline.
    fn column(&self, at: Time) -> Option<usize> {
        let passed = (at - self.from).num_seconds();
        let column = passed * i64::try_from(self.width).ok()? / self.span.num_seconds().max(1);
        usize::try_from(column).ok().filter(|column| passed >= 0 && *column < self.width)
    }

    /// Round times with their labels, which are dates if the timeline covers several days.
    fn labels(&self) -> impl Iterator<Item = (Time, String)> + use<> {
        let step = (self.span / 4).max(TimeDelta::minutes(15));
        let (from, east) = (self.from + self.east, self.east);
        // The first time is rounded in local time, so that midnight is one of the times.
        let first = from.duration_trunc(step).unwrap_or(from) + step;
        let form = if step >= TimeDelta::hours(24) { "%-d %b" } else { "%H:%M" };
        (0..5).map(move |n| (first + step * n - east, (first + step * n).format(form).to_string()))
    }
}
