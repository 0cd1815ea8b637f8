//! The statistics dialog: totals, charts, and the sources.

use super::super::app::{App, StatsPanel};
use super::DialogArea;
use super::row::Row;
use crate::config::Role;
use crate::engine::{SourceStatistics, Statistics, reading_time, share};
use crate::util::sparkline::sparkline;
use crate::util::text;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::Style;
use ratatui::symbols::Marker;
use ratatui::text::Line;
use ratatui::widgets::{Axis, Bar, BarChart, BarGroup, Chart, Dataset, GraphType};

/// A line: texts with their roles.
type Pieces = Vec<(String, Role)>;

/// Width of the dialog, and the least area inside it that has room for charts.
const WIDTH: u16 = 110;
const CHARTS_FROM: (u16, u16) = (64, 18);
/// Height of the charts with their titles.
const CHARTS: u16 = 9;

pub(in crate::tui) fn draw(
    app: &App,
    frame: &mut Frame<'_>,
    panel: &mut StatsPanel,
    area: DialogArea,
) {
    let size = (WIDTH, area.body.height);
    let inner = super::frame::window(app, frame, area, ("Statistics", "last 12 weeks"), size);
    frame.set_cursor_position(Position::new(inner.x, inner.y));
    let Some(all) = &panel.statistics else {
        let line = Line::styled("Counting …", app.palette.style(Role::Dim));
        frame.render_widget(line, Rect { height: inner.height.min(1), ..inner });
        return;
    };
    let ascii = app.settings.ui.ascii;
    let drawn = !ascii && inner.width >= CHARTS_FROM.0 && inner.height >= CHARTS_FROM.1;
    let linear = app.settings.ui.linear;
    let mut lines = totals(all, ascii, drawn || linear, inner.width.into());
    let mut list = inner;
    if drawn {
        let head = u16::try_from(lines.len()).unwrap_or(0) + 1;
        let parts = Layout::vertical([head, CHARTS].map(Constraint::Length)).split(inner);
        paint(app, frame, &lines, parts[0]);
        charts(app, frame, all, parts[1]);
        let used = head + CHARTS;
        list = Rect { y: inner.y + used, height: inner.height.saturating_sub(used), ..inner };
        lines.clear();
    }
    lines.extend(sources(all, ascii, inner.width.into()));
    panel.top = panel.top.min(lines.len().saturating_sub(list.height.into()));
    paint(app, frame, &lines[panel.top..], list);
}

fn paint(app: &App, frame: &mut Frame<'_>, lines: &[Pieces], area: Rect) {
    for (y, pieces) in (area.y..area.bottom()).zip(lines) {
        let mut row = Row::new(area.width);
        for (text, role) in pieces {
            row.left(text, app.palette.style(*role));
        }
        frame.render_widget(row.line(Style::new()), Rect { y, height: 1, ..area });
    }
}

/// Width of the column of names, in cells.
const NAMES: usize = 7;

/// The totals; without the charts among them if they are drawn larger, or not at all.
fn totals(all: &Statistics, ascii: bool, no_charts: bool, width: usize) -> Vec<Pieces> {
    let mut lines = Vec::new();
    for (name, value) in all.summary(ascii) {
        if no_charts && matches!(name, "weeks" | "read" | "hours") {
            continue;
        }
        let parts = super::super::reader::wrap_plain(&value, width.saturating_sub(NAMES).max(10));
        for (n, part) in parts.into_iter().enumerate() {
            let name = if n == 0 { name } else { "" };
            lines.push(vec![(format!("{name:<NAMES$}"), Role::KeyHint), (part, Role::Text)]);
        }
    }
    lines
}

fn charts(app: &App, frame: &mut Frame<'_>, all: &Statistics, area: Rect) {
    let halves = [Constraint::Fill(1), Constraint::Length(2), Constraint::Length(24 + 2)];
    let halves = Layout::horizontal(halves).split(area);
    weeks(app, frame, all, halves[0]);
    hours(app, frame, all, halves[2]);
}

/// Items and read items per week, as lines.
fn weeks(app: &App, frame: &mut Frame<'_>, all: &Statistics, area: Rect) {
    let style = |role| app.palette.style(role);
    let points = |values: &[u32]| -> Vec<(f64, f64)> {
        values.iter().enumerate().map(|(n, v)| (n as f64, f64::from(*v))).collect()
    };
    let (items, read) = (points(&all.items_per_week), points(&all.read_per_week));
    let most = all.items_per_week.iter().copied().max().unwrap_or(0).max(1);
    let last = items.len().saturating_sub(1).max(1);
    let line = |name, points, graph, role| {
        Dataset::default()
            .name(name)
            .marker(Marker::Braille)
            .graph_type(graph)
            .style(style(role))
            .data(points)
    };
    let sets = vec![
        line("read", &read, GraphType::Bar, Role::Dim),
        line("items", &items, GraphType::Line, Role::Accent),
    ];
    let axis = |bounds, labels: Vec<String>| {
        Axis::default().style(style(Role::Dim)).bounds(bounds).labels(labels)
    };
    let ago = |weeks: usize| match weeks {
        0 => "now".to_owned(),
        n => format!("{n} w ago"),
    };
    let chart = Chart::new(sets)
        .x_axis(axis([0.0, last as f64], vec![ago(items.len()), ago(0)]))
        .y_axis(axis([0.0, f64::from(most)], vec!["0".to_owned(), most.to_string()]))
        .style(style(Role::Raised));
    titled(app, frame, "Items per week, and read ones", area);
    frame.render_widget(chart, below(area));
}

/// Items by the hour of the day, as bars.
fn hours(app: &App, frame: &mut Frame<'_>, all: &Statistics, area: Rect) {
    let bar = |count: &u32| Bar::default().value(u64::from(*count)).text_value(String::new());
    let bars: Vec<Bar<'_>> = all.hours.iter().map(bar).collect();
    let chart = BarChart::default()
        .data(BarGroup::default().bars(&bars))
        .bar_width(1)
        .bar_gap(0)
        .bar_style(app.palette.style(Role::Accent));
    titled(app, frame, "Hours of the day", area);
    let inside = below(area);
    let foot = 1.min(inside.height);
    frame.render_widget(chart, Rect { height: inside.height - foot, ..inside });
    let scale = Line::styled("0     6     12    18    23", app.palette.style(Role::Dim));
    frame.render_widget(scale, Rect { y: inside.bottom() - foot, height: foot, ..inside });
}

fn titled(app: &App, frame: &mut Frame<'_>, title: &str, area: Rect) {
    let line = Line::styled(title.to_owned(), app.palette.style(Role::Header));
    frame.render_widget(line, Rect { height: area.height.min(1), ..area });
}

fn below(area: Rect) -> Rect {
    let title = area.height.min(1);
    Rect { y: area.y + title, height: area.height - title, ..area }
}

/// The sources as a table, then those with problems and those that could be removed.
fn sources(all: &Statistics, ascii: bool, width: usize) -> Vec<Pieces> {
    let mut lines = vec![vec![], heading("  items   read share        time  source")];
    for source in &all.sources {
        let numbers = format!(
            "{:>7}{:>7}{:>6}{:>12}  ",
            source.items,
            source.read,
            share(source.read, source.items),
            reading_time(source.minutes)
        );
        // The numbers and the name come first.
        let chart = if width < CHARTS_FROM.0.into() { &[] } else { &*source.items_per_week };
        // Whole blocks would join those of the next row.
        let chart = sparkline(chart, ascii).replace('█', "▇");
        let free = width.saturating_sub(text::width(&numbers) + text::width(&chart) + 1);
        let title = text::truncate(&source.title, free.max(8)).into_owned();
        let blank = " ".repeat(free.saturating_sub(text::width(&title)) + 1);
        lines.push(vec![
            (numbers, Role::Text),
            (title + &blank, Role::Text),
            (chart, Role::Accent),
        ]);
    }
    if all.sources.is_empty() {
        lines.push(vec![("No sources yet".to_owned(), Role::Dim)]);
    }
    lines.extend(section("Slow, silent and failing", all, SourceStatistics::problem));
    lines.extend(section("Could be removed", all, SourceStatistics::reason));
    lines
}

fn section(
    title: &str,
    all: &Statistics,
    text: impl Fn(&SourceStatistics) -> Option<String>,
) -> Vec<Pieces> {
    let said = all.sources.iter().filter_map(|source| Some((source, text(source)?)));
    let mut lines: Vec<Pieces> = said
        .map(|(source, text)| {
            vec![(format!("  {}", source.title), Role::Text), (format!(": {text}"), Role::Dim)]
        })
        .collect();
    if !lines.is_empty() {
        lines.splice(0..0, [vec![], heading(title)]);
    }
    lines
}

fn heading(title: &str) -> Pieces {
    vec![(title.to_owned(), Role::Header)]
}
