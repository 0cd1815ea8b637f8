//! New and read items per week, as two bars for each week.

use super::super::row::Row;
use crate::config::Role;
use crate::engine::Statistics;
use crate::tui::app::App;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Block characters in steps of an eighth.
const STEPS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
/// Maximum number of cells for a week: the bars and a gap.
const WIDEST: usize = 8;

/// Height of a bar in eighths of a cell. A value above 0 is always visible.
fn eighths(value: u32, most: u32, rows: u16) -> usize {
    let steps = u64::from(value) * u64::from(rows) * 8;
    usize::try_from(steps.div_ceil(u64::from(most.max(1)))).unwrap_or(0)
}

/// The symbol of a bar in a row; row 0 is the lowest.
fn step(height: usize, row: usize) -> &'static str {
    STEPS[height.saturating_sub(row * 8).min(8)]
}

/// The number above a bar, or blanks if it would touch the next number.
fn number(items: u32, week: usize) -> String {
    let number = format!("{items:<week$}");
    if number.ends_with(' ') { number } else { " ".repeat(week) }
}

/// Draws the bars, with a legend above them and the dates below them.
pub(super) fn draw(app: &App, frame: &mut Frame<'_>, all: &Statistics, area: Rect) {
    let style = |role| app.palette.style(role);
    let count = all.items_per_week.len().max(1);
    let week = (usize::from(area.width) / count).min(WIDEST);
    // Read items have a narrow bar next to that of the new items, so that the bars differ even without
    // colours.
    let (new, read) = match week {
        0..3 => (1, 0),
        3 => (1, 1),
        week => (week - 3, 1),
    };
    let mut legend = Row::new(area.width);
    legend.left("Items per week", style(Role::Title));
    legend.left(&format!("   {}", "▆".repeat(new)), style(Role::Accent));
    legend.left(" new", style(Role::Dim));
    if read > 0 {
        legend.left("   ▆", style(Role::Bar));
        legend.left(" of which read", style(Role::Dim));
    }
    frame.render_widget(legend.line(Style::new()), Rect { height: area.height.min(1), ..area });
    // The legend, the numbers and the dates need one row each.
    let rows = area.height.saturating_sub(3);
    let most = all.items_per_week.iter().chain(&all.read_per_week).copied().max().unwrap_or(0);
    let high = |value: &u32| eighths(*value, most, rows);
    for row in 0..=rows {
        let y = area.y + 1 + rows - row;
        let row = usize::from(row);
        let mut line = Row::new(area.width);
        for (items, seen) in all.items_per_week.iter().zip(&all.read_per_week) {
            // The number is directly above the bar.
            if high(items).div_ceil(8) == row && *items > 0 {
                line.left(&number(*items, week), style(Role::Soft));
                continue;
            }
            line.left(&step(high(items), row).repeat(new), style(Role::Accent));
            line.left(&step(high(seen), row).repeat(read), style(Role::Bar));
            line.left(&" ".repeat(week - new - read), Style::new());
        }
        frame.render_widget(line.line(Style::new()), Rect { y, height: 1, ..area });
    }
    let used = u16::try_from(week * count).unwrap_or(area.width).min(area.width);
    let mut scale = Row::new(used);
    scale.right("this week", style(Role::Dim));
    scale.left(&format!("{count} weeks ago"), style(Role::Dim));
    let last = Rect { y: area.bottom().saturating_sub(1), height: 1, width: used, ..area };
    frame.render_widget(scale.line(Style::new()), last);
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_do_not_touch_each_other() {
        for (items, week, shown) in [(53, 3, "53 "), (297, 3, "   "), (297, 4, "297 "), (7, 1, " ")]
        {
            assert_eq!(number(items, week), shown);
        }
    }
}
