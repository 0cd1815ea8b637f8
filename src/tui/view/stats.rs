//! The statistics dialog: totals, charts and sources.

mod weeks;

use super::super::app::{App, StatsDialog};
use super::super::reader::wrap_plain;
use super::DialogArea;
use super::chrome::marks;
use super::row::Row;
use super::why::tile;
use crate::config::Role;
use crate::engine::{SourceStatistics, Statistics, reading_time, share};
use crate::model::SourceId;
use crate::tui::event::SourceEntry;
use crate::util::sparkline::sparkline;
use crate::util::text::{self, counted, size};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::{Bar, BarChart, BarGroup};
use std::borrow::Cow;
use std::collections::HashMap;

/// A line, as pieces of text with their styles.
type Pieces = Vec<(String, Style)>;

/// Width of the dialog, in cells.
const WIDTH: u16 = 110;
/// Minimum width and height inside a dialog with charts.
const CHARTS_FROM: (u16, u16) = (64, 17);
/// Height of the charts in a tall dialog, including their titles.
const CHARTS: u16 = 10;
/// Height of the charts in a short dialog, including their titles.
const SHORT_CHARTS: u16 = 7;
/// Minimum height of a tall dialog.
const TALL: u16 = 24;
/// Minimum width for the totals as four tiles side by side.
const TILES_FROM: u16 = 84;
/// Gap between the tiles.
const GAP: usize = 2;

pub(in crate::tui) fn draw(
    app: &App,
    frame: &mut Frame<'_>,
    dialog: &mut StatsDialog,
    area: DialogArea,
) {
    let size = (WIDTH, area.body.height);
    let weeks = dialog.statistics.as_ref().map(|all| all.items_per_week.len());
    let subject = weeks.map(|weeks| format!("last {weeks} weeks")).unwrap_or_default();
    let inner = super::frame::window(app, frame, area, ("Statistics", &subject), size);
    frame.set_cursor_position(Position::new(inner.x, inner.y));
    let Some(all) = &dialog.statistics else {
        let line = Line::styled("Counting …", app.palette.style(Role::Dim));
        frame.render_widget(line, Rect { height: inner.height.min(1), ..inner });
        return;
    };
    let sheet = Sheet { app, all, width: inner.width };
    let linear = app.settings.ui.linear;
    let drawn = !app.settings.ui.ascii
        && !linear
        && inner.width >= CHARTS_FROM.0
        && inner.height >= CHARTS_FROM.1;
    let mut lines = sheet.totals();
    let mut list = inner;
    if drawn {
        let head = u16::try_from(lines.len()).unwrap_or(0) + 1;
        let charts = if inner.height >= TALL { CHARTS } else { SHORT_CHARTS };
        let parts = Layout::vertical([head, charts].map(Constraint::Length)).split(inner);
        paint(frame, &lines, parts[0]);
        sheet.charts(frame, parts[1]);
        let used = head + charts;
        list = Rect { y: inner.y + used, height: inner.height.saturating_sub(used), ..inner };
        lines.clear();
    } else if !linear {
        lines.extend(sheet.small_charts());
    }
    lines.extend(sheet.sources());
    dialog.top = dialog.top.min(lines.len().saturating_sub(list.height.into()));
    paint(frame, &lines[dialog.top..], list);
    let seen = dialog.top..lines.len().min(dialog.top + usize::from(list.height));
    if seen.len() < lines.len() {
        // The scroll bar is in the padding, so that it covers no text.
        let beside = Rect { width: list.width + 1, ..list };
        super::scroll_bar(app, frame, beside, seen, lines.len());
    }
}

fn paint(frame: &mut Frame<'_>, lines: &[Pieces], area: Rect) {
    for (y, pieces) in (area.y..area.bottom()).zip(lines) {
        let mut row = Row::new(area.width);
        for (text, style) in pieces {
            row.left(text, *style);
        }
        frame.render_widget(row.line(Style::new()), Rect { y, height: 1, ..area });
    }
}

/// A total: the number, its label, and a remark.
struct Total {
    value: String,
    label: String,
    remark: String,
}

/// The followed sources, by id.
type Entries<'a> = HashMap<&'a SourceId, &'a SourceEntry>;

/// Draws the statistics as lines and charts.
struct Sheet<'a> {
    app: &'a App,
    all: &'a Statistics,
    width: u16,
}

impl Sheet<'_> {
    fn style(&self, role: Role) -> Style {
        self.app.palette.style(role)
    }

    fn ascii(&self) -> bool {
        self.app.settings.ui.ascii
    }

    fn heading(&self, title: &str, remark: &str) -> Pieces {
        let title = (title.to_owned(), self.style(Role::Title));
        vec![title, (format!("  {remark}"), self.style(Role::Dim))]
    }

    fn summary(&self) -> [Total; 4] {
        let all = self.all;
        let number = |n: u32, one: &str| {
            let words = counted(n as usize, one);
            let label = words.split_once(' ').map_or(one, |(_, label)| label).to_owned();
            (n.to_string(), label)
        };
        let sources = all.sources.iter().filter(|source| source.items > 0).count();
        let (items, item) = number(all.items, "item");
        let (checks, check) = number(all.polls, "check");
        let limit = if all.complete { "" } else { ", newest million only" };
        let failed = if all.failed == 0 {
            "none failed".to_owned()
        } else {
            format!("{} failed", all.failed)
        };
        let of_items = match share(all.read, all.items) {
            share if share.is_empty() => String::new(),
            share => format!("{share}, "),
        };
        let time = reading_time(all.minutes);
        let total = |value, label: &str, remark| Total { value, label: label.to_owned(), remark };
        [
            total(items, &item, format!("from {}{limit}", counted(sources, "source"))),
            total(all.read.to_string(), "of them read", format!("{of_items}{time} of text")),
            total(checks, &check, format!("{failed}, {}", size(all.bytes))),
            total(size(all.bytes_saved), "saved", format!("{} not modified", all.unchanged)),
        ]
    }

    /// The totals as tiles, or on one line each if there is no space for tiles.
    fn totals(&self) -> Vec<Pieces> {
        let totals = self.summary();
        if self.width < TILES_FROM {
            let widest = totals.iter().map(|total| text::width(&total.value)).max().unwrap_or(0);
            let names = totals.iter().map(|total| text::width(&total.label)).max().unwrap_or(0);
            let line = |total: &Total| {
                let value = format!("{:>widest$}", total.value);
                vec![
                    (value, self.style(Role::Title)),
                    (format!(" {:<names$}  ", total.label), self.style(Role::Soft)),
                    (total.remark.clone(), self.style(Role::Dim)),
                ]
            };
            return totals.iter().map(line).collect();
        }
        // Together, the tiles are as wide as the dialog.
        let free = usize::from(self.width) - 3 * GAP;
        let ground = self.style(Role::Sunken);
        let (mut upper, mut lower) = (Vec::new(), Vec::new());
        for (n, total) in totals.into_iter().enumerate() {
            let cells = free * (n + 1) / 4 - free * n / 4;
            if n > 0 {
                let gap = (" ".repeat(GAP), Style::new());
                upper.push(gap.clone());
                lower.push(gap);
            }
            let value = (total.value, ground.patch(self.style(Role::Title)));
            let label = (format!(" {}", total.label), ground.patch(self.style(Role::Soft)));
            tile(&mut upper, vec![value, label], cells, ground);
            let remark = (total.remark, ground.patch(self.style(Role::Dim)));
            tile(&mut lower, vec![remark], cells, ground);
        }
        vec![upper, lower]
    }

    /// The charts as sparklines, one per line.
    fn small_charts(&self) -> Vec<Pieces> {
        let all = self.all;
        let line = |name: &str, values: &[u32], each: &str| {
            let most = values.iter().copied().max().unwrap_or(0);
            let chart = sparkline(values, self.ascii());
            let remark = format!("  up to {most} {each}");
            let fits = 7 + text::width(&chart) + text::width(&remark) <= self.width.into();
            vec![
                (format!("{name:<7}"), self.style(Role::Soft)),
                (chart, self.style(Role::Accent)),
                (if fits { remark } else { String::new() }, self.style(Role::Dim)),
            ]
        };
        vec![
            vec![],
            line("New", &all.items_per_week, "a week"),
            line("Read", &all.read_per_week, "a week"),
            line("Hours", &all.hours, "an hour"),
        ]
    }

    fn charts(&self, frame: &mut Frame<'_>, area: Rect) {
        let halves = [Constraint::Fill(1), Constraint::Length(2), Constraint::Length(26)];
        let halves = Layout::horizontal(halves).split(area);
        weeks::draw(self.app, frame, self.all, halves[0]);
        self.hours(frame, halves[2]);
    }

    /// Draws the number of items by hour of the day as bars.
    fn hours(&self, frame: &mut Frame<'_>, area: Rect) {
        let bar = |count: &u32| Bar::default().value(u64::from(*count)).text_value(String::new());
        let bars: Vec<Bar<'_>> = self.all.hours.iter().map(bar).collect();
        let chart = BarChart::default()
            .data(BarGroup::default().bars(&bars))
            .bar_width(1)
            .bar_gap(0)
            .bar_style(self.style(Role::Accent));
        let none = self.all.hours.iter().all(|count| *count == 0);
        let remark = if none { "none known" } else { "" };
        paint(frame, &[self.heading("Hours of the day", remark)], area);
        let inside = Rect { y: area.y + 1, height: area.height.saturating_sub(2), ..area };
        frame.render_widget(chart, inside);
        let scale = Line::styled("0     6     12    18    23", self.style(Role::Dim));
        frame.render_widget(scale, Rect { y: inside.bottom(), height: 1, ..area });
    }

    /// A table of the sources, followed by the sources with problems and those that could be removed.
    fn sources(&self) -> Vec<Pieces> {
        let entries = self.entries();
        let wide = self.width >= CHARTS_FROM.0 && !self.app.settings.ui.linear;
        let chart = if wide { self.all.items_per_week.len() + 2 } else { 0 };
        let time = if wide { 12 } else { 0 };
        let numbers = 7 + 7 + 7 + time;
        let names = self.all.sources.iter().map(|source| self.name(source, &entries, usize::MAX));
        let longest = names.map(|name| text::width(&name)).max().unwrap_or(0);
        // The numbers are next to the names, not at the right edge.
        let free = usize::from(self.width).saturating_sub(2 + numbers + chart);
        let names = longest.clamp(6, free.max(6)).min(48);
        let mut head = format!("  {:<names$}{:>7}{:>7}{:>7}", "Source", "New", "Read", "Share");
        if wide {
            head += &format!("{:>12}  {}", "Time", "Weeks");
        }
        let mut lines = vec![vec![], vec![(head, self.style(Role::Soft))]];
        for source in &self.all.sources {
            lines.push(self.source(source, names, wide, &entries));
        }
        if self.all.sources.is_empty() {
            lines.push(vec![("No sources yet".to_owned(), self.style(Role::Dim))]);
        }
        lines.extend(self.section("Slow, silent and failing", &entries, SourceStatistics::problem));
        lines.extend(self.section("Could be removed", &entries, SourceStatistics::reason));
        lines
    }

    /// The followed sources, by id.
    fn entries(&self) -> Entries<'_> {
        self.app.sources.list.sources.iter().map(|entry| (&entry.source.id, entry)).collect()
    }

    /// The name of a source, as in the Sources pane.
    fn name<'a>(
        &'a self,
        source: &'a SourceStatistics,
        entries: &Entries<'a>,
        cells: usize,
    ) -> Cow<'a, str> {
        let entry = entries.get(&source.source);
        entry.map_or((&*source.title).into(), |entry| self.app.sources.name(entry, cells))
    }

    fn square(&self, source: &SourceStatistics, entries: &Entries<'_>) -> (String, Style) {
        let entry = entries.get(&source.source);
        let role = entry.map_or(Role::Dim, |entry| self.app.sources.color(entry.facts.key));
        (format!("{} ", marks(self.app).square), self.style(role))
    }

    fn source(
        &self,
        source: &SourceStatistics,
        names: usize,
        wide: bool,
        entries: &Entries<'_>,
    ) -> Pieces {
        // The numbers of active sources stand out.
        let number = |n: u32| if n == 0 { Role::Dim } else { Role::Text };
        let title = text::truncate(&self.name(source, entries, names), names).into_owned();
        let blank = " ".repeat(names - text::width(&title));
        let role = if source.items == 0 { Role::Soft } else { Role::Bright };
        let mut pieces = vec![
            self.square(source, entries),
            (title + &blank, self.style(role)),
            (format!("{:>7}", source.items), self.style(number(source.items))),
            (format!("{:>7}", source.read), self.style(number(source.read))),
            (format!("{:>7}", share(source.read, source.items)), self.style(Role::Dim)),
        ];
        if wide {
            // Full blocks would touch the chart in the next row.
            let chart = sparkline(&source.items_per_week, self.ascii()).replace('█', "▇");
            let entry = entries.get(&source.source);
            let color = entry.map_or(Role::Accent, |entry| self.app.sources.color(entry.facts.key));
            let color = if source.items == 0 { Role::Border } else { color };
            let time = reading_time(source.minutes);
            pieces.push((format!("{time:>12}  "), self.style(Role::Dim)));
            pieces.push((chart, self.style(color)));
        }
        pieces
    }

    fn section(
        &self,
        title: &str,
        entries: &Entries<'_>,
        reason: impl Fn(&SourceStatistics) -> Option<String>,
    ) -> Vec<Pieces> {
        let found = self.all.sources.iter().filter_map(|source| Some((source, reason(source)?)));
        let mut lines = Vec::new();
        for (source, reason) in found {
            let space = usize::from(self.width).saturating_sub(2);
            let name = self.name(source, entries, space);
            let beside = text::width(&name) + 2 + text::width(&reason) <= space;
            let title = (name.into_owned(), self.style(Role::Text));
            let mut line = vec![self.square(source, entries), title];
            if beside {
                line.push((format!("  {reason}"), self.style(Role::Dim)));
            }
            lines.push(line);
            let below = if beside { vec![] } else { wrap_plain(&reason, space.max(8)) };
            lines.extend(
                below.into_iter().map(|part| vec![(format!("  {part}"), self.style(Role::Dim))]),
            );
        }
        if !lines.is_empty() {
            lines.splice(0..0, [vec![], self.heading(title, "")]);
        }
        lines
    }
}
