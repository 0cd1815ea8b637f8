//! The list of keys, by task, with a filter.

use super::super::app::{App, Help};
use super::super::reader::wrap_plain;
use super::dialogs::{DialogArea, field_line, split_field};
use super::frame::window;
use super::row::Row;
use crate::config::{Action, Context, Role};
use crate::util::text;
use ratatui::Frame;
use ratatui::layout::Rect;

/// Width from which there are two columns.
const TWO_COLUMNS: u16 = 96;
/// Cells between them.
const GAP: u16 = 4;

/// A line of the list.
enum Line {
    Heading(String),
    /// Keys, what they do, and the panes that bind them if the focused one does not.
    Keys(String, String, String),
    Empty,
}

pub(in crate::tui) fn draw(app: &App, frame: &mut Frame<'_>, help: &mut Help, area: DialogArea) {
    let inner = window(app, frame, area, ("Keys", ""), (132, area.body.height));
    let (field, list) = split_field(inner);
    let two = list.width >= TWO_COLUMNS && !app.settings.ui.linear;
    let columns = if two { 2 } else { 1 };
    let width = list.width / columns;
    let shown = if columns > 1 { width.saturating_sub(GAP) } else { width };
    // Ignore a search key typed by habit.
    let typed = help.field.value().trim_start_matches('/').to_lowercase();
    let lines = lines(app, help, &typed, shown.into());
    let height = usize::from(list.height);
    let rows = lines.len().div_ceil(columns.into()).max(height);
    help.top = help.top.min(rows.saturating_sub(height));
    for column in 0..columns {
        let of_column = lines.iter().skip(usize::from(column) * rows).take(rows).skip(help.top);
        let x = list.x + column * width;
        for (y, line) in (list.y..list.bottom()).zip(of_column) {
            let mut row = Row::new(shown);
            draw_line(app, &mut row, line, keys_width(shown.into()));
            let at = Rect { x, y, width: shown, height: 1 };
            frame.render_widget(row.line(app.palette.style(Role::Text)), at);
        }
    }
    field_line(app, frame, "Find: ", &help.field, field);
}

/// Width of the keys, in cells.
fn keys_width(width: usize) -> usize {
    if width < 56 { 12 } else { 16 }
}

fn draw_line(app: &App, row: &mut Row, line: &Line, keys_width: usize) {
    match line {
        Line::Heading(title) => row.left(title, app.palette.style(Role::Title)),
        Line::Keys(keys, words, panes) => {
            row.right(panes.clone(), app.palette.style(Role::Dim));
            row.left(&format!("  {keys}"), app.palette.style(Role::KeyHint));
            let gap = (keys_width + 1).saturating_sub(text::width(keys));
            row.left(&" ".repeat(gap), app.palette.style(Role::Text));
            row.left(words, app.palette.style(Role::Text));
        }
        Line::Empty => {}
    }
}

/// The keys of the dialog from which the help was opened, then all actions by task.
fn lines(app: &App, help: &Help, typed: &str, width: usize) -> Vec<Line> {
    let keys = keys_width(width);
    let space = width.saturating_sub(keys + 4).max(8);
    let mut lines = Vec::new();
    let mut group = |title: &str, rows: Vec<[String; 3]>| {
        if rows.is_empty() {
            return;
        }
        if !lines.is_empty() {
            lines.push(Line::Empty);
        }
        lines.push(Line::Heading(title.to_owned()));
        for [bound, words, panes] in rows {
            // The heading says it.
            let panes = if panes.trim() == title { String::new() } else { panes };
            lines.extend(wrap([bound, words, panes], (keys, space)));
        }
    };
    let fits = |keys: &str, words: &str| {
        typed.is_empty()
            || keys.to_lowercase().contains(typed)
            || words.to_lowercase().contains(typed)
    };
    let of_dialog = app.dialog_hints(help.dialog).into_iter();
    let of_dialog = of_dialog.filter(|hint| fits(&hint.keys, &hint.label));
    let of_dialog = of_dialog.map(|hint| [hint.keys, hint.label.into_owned(), String::new()]);
    group("This dialog", of_dialog.collect());
    let mut rest = Action::ALL;
    while let Some(first) = rest.first() {
        let count = rest.iter().take_while(|action| action.task() == first.task()).count();
        let (of_task, others) = rest.split_at(count);
        let row = |action: &Action| action_row(app, help.context, *action);
        let whole = first.task().title().to_lowercase().contains(typed);
        let matching = |(action, [keys, words, _]): &(&Action, [String; 3])| {
            whole || fits(keys, words) || action.name().contains(typed)
        };
        let rows = of_task.iter().filter_map(|action| Some((action, row(action)?)));
        group(first.task().title(), rows.filter(matching).map(|(_, row)| row).collect());
        rest = others;
    }
    let own = app.keymap.own_lines().filter_map(|action| action_row(app, help.context, action));
    group("Your own", own.filter(|[keys, words, _]| fits(keys, words)).collect());
    if lines.is_empty() {
        lines.push(Line::Heading("No match".to_owned()));
    }
    lines
}

/// The keys of an action in a context, what it does, and the panes if others bind it.
fn action_row(app: &App, context: Context, action: Action) -> Option<[String; 3]> {
    let here = app.keymap.all_keys_for(context, action);
    let words = || match action {
        Action::Lines(_) => app.keymap.label(action),
        action => action.help().to_owned(),
    };
    if !here.is_empty() {
        return Some([here.join(", "), words(), String::new()]);
    }
    let others: Vec<(Context, Vec<String>)> = Context::ALL
        .into_iter()
        .map(|other| (other, app.keymap.all_keys_for(other, action)))
        .filter(|(_, keys)| !keys.is_empty())
        .collect();
    let keys = others.first()?.1.join(", ");
    let panes: Vec<&str> = others.iter().map(|(context, _)| context.title()).collect();
    Some([keys, words(), format!("  {}", panes.join(", "))])
}

/// Wraps a row: its keys, and its words beside the panes.
fn wrap([keys, words, panes]: [String; 3], (left, right): (usize, usize)) -> Vec<Line> {
    let right = right.saturating_sub(text::width(&panes)).max(8);
    let (keys, words) = (wrap_plain(&keys, left), wrap_plain(&words, right));
    let of = |lines: &[String], i: usize| lines.get(i).cloned().unwrap_or_default();
    let line = |i| {
        let panes = if i == 0 { panes.clone() } else { String::new() };
        Line::Keys(of(&keys, i), of(&words, i), panes)
    };
    (0..keys.len().max(words.len())).map(line).collect()
}
