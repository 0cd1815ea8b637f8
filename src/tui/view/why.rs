//! The schedule panel.

use super::super::app::{App, WhyPanel};
use super::dialogs::DialogArea;
use super::row::Row;
use crate::config::{Action, Context, Role};
use crate::engine::{HOURS, ScheduleSummary};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

pub(super) use crate::util::sparkline::sparkline;

/// A line of the panel: texts with their roles.
type Pieces = Vec<(String, Role)>;

/// Width of the name column, in cells.
const NAMES: usize = 11;

/// Width of the dialog.
fn width(body: Rect) -> u16 {
    body.width.min(96)
}

/// Width of a line in it, in cells.
fn space(body: Rect) -> usize {
    usize::from(width(body) - 2 * (1 + super::frame::padding(body.width)))
}

pub(in crate::tui) fn draw(
    app: &App,
    frame: &mut Frame<'_>,
    panel: &mut WhyPanel,
    area: DialogArea,
) {
    let space = space(area.body);
    let stop = stop_key(app);
    let lines = panel
        .summary
        .as_ref()
        .map(|summary| lines(summary, space, stop.as_deref()))
        .unwrap_or_default();
    // Use the usual height while loading, so that the panel does not jump.
    let height = if panel.summary.is_some() { lines.len() } else { 22 };
    let height = u16::try_from(height).unwrap_or(u16::MAX);
    let size = (width(area.body), height);
    let inner = super::frame::window(app, frame, area, ("Schedule", &panel.title), size);
    panel.top = panel.top.min(lines.len().saturating_sub(inner.height.into()));
    for (y, pieces) in (inner.y..inner.bottom()).zip(lines.iter().skip(panel.top)) {
        let mut row = Row::new(inner.width);
        for (text, role) in pieces {
            row.left(text, app.palette.style(*role));
        }
        frame.render_widget(row.line(Style::new()), Rect { y, height: 1, ..inner });
    }
    frame.set_cursor_position(Position::new(inner.x, inner.y));
}

/// The key that stops a crawl.
fn stop_key(app: &App) -> Option<String> {
    app.keymap.keys_for(Context::Sources, Action::StopCrawl)
}

fn lines(summary: &ScheduleSummary, space: usize, stop: Option<&str>) -> Vec<Pieces> {
    let mut lines: Vec<Pieces> = Vec::new();
    let name = |name: &str| (format!("{name:<NAMES$}"), Role::KeyHint);
    for (what, value) in &summary.facts {
        let wrapped = super::super::reader::wrap_plain(value, space.saturating_sub(NAMES).max(10));
        for (i, part) in wrapped.into_iter().enumerate() {
            lines.push(vec![name(if i == 0 { what } else { "" }), (part, Role::Text)]);
        }
    }
    if let Some(stop) = stop.filter(|_| summary.exploring) {
        lines.push(vec![name(""), (format!("{stop}: stop the crawl"), Role::Dim)]);
    }
    if !summary.week.is_empty() {
        lines.push(vec![]);
        lines.push(vec![name("hours"), (HOURS.to_owned(), Role::Dim)]);
    }
    for (day, hours) in &summary.week {
        lines.push(vec![name(&format!("  {day}")), (hours.clone(), Role::Accent)]);
    }
    if !summary.polls.is_empty() {
        lines.push(vec![]);
        lines.push(vec![("last polls".to_owned(), Role::KeyHint)]);
        lines.extend(summary.polls.iter().map(|poll| vec![(poll.clone(), Role::Text)]));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{ScheduleSummary, lines};

    #[test]
    fn hour_scale_needs_days() {
        let facts = vec![("rate", "nothing known yet".to_owned())];
        let mut summary = ScheduleSummary { facts, ..ScheduleSummary::default() };
        assert_eq!(lines(&summary, 60, None).len(), 1);
        summary.week.push(("Mon", "  ..".to_owned()));
        assert_eq!(lines(&summary, 60, None)[2][0].0.trim(), "hours");
    }
}
