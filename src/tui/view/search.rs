//! The search field.

use super::super::app::{App, SearchBar};
use super::chrome::marks;
use super::complete;
use super::dialogs::{DialogArea, completed_line, foot_line, prompt_label};
use super::row::{Row, fill, padding};
use crate::config::Role;
use crate::util::text;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

/// Draws the field in place of the list's title, or at the bottom if titles are not shown.
pub(in crate::tui) fn search(app: &App, frame: &mut Frame<'_>, bar: &SearchBar, area: DialogArea) {
    /// Minimum width of a list whose field has a long label.
    const LABEL_FROM: u16 = 50;
    /// Minimum number of cells for the number of matches.
    const COUNT: u16 = 14;
    /// Width of the hint that a search covers all items.
    const COVERS: u16 = 11;
    let role = if bar.insisted { Role::Warning } else { Role::Dim };
    let typed = (&bar.field, &bar.completion, &bar.error);
    let title = app.areas.items.filter(|items| items.y >= 2 && items.width > 2 * COUNT);
    let Some(items) = title else {
        let name = match bar.is_filter {
            true => "Find in list",
            false if app.is_search_empty() => "Search all items",
            false => "Search",
        };
        let label = match app.is_search_empty() || bar.lists_previous {
            true => name.to_owned(),
            false => format!("{name} ({})", found(app, bar).trim_end_matches(" found")),
        };
        foot_line(app, frame, &label, typed, role, area);
        return;
    };
    let row = Rect { y: items.y - 2, height: 1, ..items };
    let pad = " ".repeat(padding(items.width));
    let name = match bar.is_filter {
        true if row.width < LABEL_FROM => "Find: ",
        true => "Find in list: ",
        false if row.width < LABEL_FROM => "",
        false => "Search: ",
    };
    let label = format!("{pad}{}", prompt_label(app, name));
    let mut count = Row::new(row.width);
    count.right(pad.clone(), Style::new());
    let number = match !bar.lists_previous && (bar.is_filter || !bar.field.value().is_empty()) {
        true => found(app, bar),
        false => String::new(),
    };
    let cells = u16::try_from(text::width(&number) + 2 * pad.len()).unwrap_or(u16::MAX);
    count.right(number, app.palette.style(Role::Dim));
    frame.render_widget(count.line(Style::new()), row);
    let line = Rect { width: row.width.saturating_sub(cells.max(COUNT)), ..row };
    rule(app, frame, line);
    let framed = Rect { height: 2, ..line };
    let most = complete::rows_above_selected(app, framed);
    if let Some(completion) = &bar.completion {
        let rows = complete::row_count(completion, most);
        clear_headings(app, frame, Rect { height: rows.min(items.height), ..items });
    }
    completed_line(app, frame, &label, typed, role, (line, framed, most));
    if bar.field.value().is_empty() && bar.completion.is_none() {
        // A single row, so that the message covers the lower rule but no heading.
        let used = text::width(&label);
        let free = line.width.saturating_sub(u16::try_from(used).unwrap_or(line.width));
        // A search ignores the selected source.
        let covers = if bar.is_filter { "" } else { "all items: " };
        let hint = format!("{covers}{}", complete::syntax(free.saturating_sub(COVERS)));
        if text::width(&hint) + 2 <= free.into() && hint.contains("is:") {
            // The first cell is for the cursor.
            let beside = Rect { x: line.right() - free + 1, width: free - 1, ..line };
            frame.render_widget(Line::styled(hint, app.palette.style(Role::Dim)), beside);
        } else if !bar.is_filter {
            let hint = complete::syntax(row.width);
            let used = row.width.into();
            complete::message_line(app, frame, hint, Role::Dim, &bar.field, used, row);
        }
    }
}

/// Clears the list headings that the candidates would cover only in part.
fn clear_headings(app: &App, frame: &mut Frame<'_>, area: Rect) {
    // Does not clear the scroll bar.
    let width = area.width.saturating_sub(1);
    for (y, shown) in (area.y..area.bottom()).zip(&app.items.shown) {
        if shown.is_none() {
            fill(frame, " ", Style::new(), Rect { y, width, ..area });
        }
    }
}

/// Draws the rule below the field. It is heavy along the whole field.
fn rule(app: &App, frame: &mut Frame<'_>, line: Rect) {
    if app.settings.ui.linear {
        return;
    }
    let pad = u16::try_from(padding(line.width)).unwrap_or(0);
    let under = Rect { x: line.x + pad, y: line.y + 1, width: line.width - pad, height: 1 };
    let before = Rect { x: line.x, width: pad, ..under };
    fill(frame, marks(app).across, app.palette.style(Role::Border), before);
    fill(frame, marks(app).heavy, app.palette.style(Role::BorderFocus), under);
}

/// The number of matching items: `7 found`, or `7 of 30` if the number of items in the list is known.
fn found(app: &App, bar: &SearchBar) -> String {
    if let Some(total) = &bar.total {
        let count = super::chrome::count_of_list(app);
        // Items may have arrived since the total was loaded.
        let number = |text: &str| text.parse::<u64>().ok();
        let total = if number(&count) > number(total) { &count } else { total };
        return format!("{count} of {total}");
    }
    let count = match app.items.is_complete() {
        true => app.items.rows.len().to_string(),
        false if app.items.lists_whole_sources() => super::chrome::count_of_list(app),
        false => super::chrome::total(app),
    };
    format!("{count} found")
}
